//! Descriptions of one type that nobody honest has made, for the targets that move objects.

#![allow(dead_code, reason = "each target uses its part")]

use libfuzzer_sys::arbitrary;
use rankine_abi::Datatype;
use rankine_object::Objects;

/// What a field refers to.
#[derive(Debug, arbitrary::Arbitrary)]
enum To {
    Itself,
    Ints,
    Chars,
    Nothing,
}

/// Words of one field, most of them small, which are what good descriptions have.
#[derive(Debug, arbitrary::Arbitrary)]
enum Field {
    Any {
        kind: u8,
        flags: u8,
        numbers: [i8; 6],
        to: To,
    },
    /// A descriptor whose words belong together.
    Descriptor {
        word: u8,
        rank: u8,
        to: To,
        is_pointer: bool,
        is_weak: bool,
        with_information: bool,
    },
}

/// A type.
#[derive(Debug, arbitrary::Arbitrary)]
pub struct Described {
    size: u8,
    /// References have 64 bits.
    is_wide: bool,
    fields: Vec<Field>,
}

const OWNED: i32 = 0x100;
const WEAK: i32 = 0x400;
/// Of the words of a descriptor, the one that a table of types would stand at.
const INFORMATION: i32 = 1 << 24;

impl Described {
    /// Makes the type; `None` if it is refused.
    pub fn define(&self, objects: &Objects) -> Option<u32> {
        if self.is_wide {
            objects.widen();
        }
        let size = i32::from(self.size);
        let align = if size % 8 == 0 { 8 } else { 4 };
        let node = objects.declare("node", size, align).ok()?;
        let fields = self.fields.iter().map(|field| ("field".into(), field.words(node as i32, size)));
        objects.define(node, fields.collect()).ok()?;
        Some(node)
    }

    /// Whether the description says that something has one owner, which a graph may belie.
    pub fn has_owners(&self) -> bool {
        self.fields.iter().any(|field| matches!(field, Field::Any { flags, .. } if i32::from(*flags) << 8 & OWNED != 0))
    }
}

impl Field {
    fn words(&self, node: i32, size: i32) -> [i32; 8] {
        match self {
            Field::Any { kind, flags, numbers, to } => {
                let [offset, count, count_at, capacity_at, when_at, when] = numbers.map(i32::from);
                let kind = i32::from(kind % 8) | i32::from(flags & 7) << 8;
                [kind, offset, to.handle(node), count, count_at, capacity_at, when_at, when]
            }
            Field::Descriptor { word, rank, to, is_pointer, is_weak, with_information } => {
                let rank = i32::from(rank % 4);
                let length = match to {
                    To::Itself => size,
                    To::Ints => 8,
                    To::Chars | To::Nothing => 0,
                };
                let attribute = if *is_pointer { 1 } else { 2 };
                let bytes = rank | 42 << 8 | attribute << 16 | if *with_information { INFORMATION } else { 0 };
                let kind = 7 | if *is_weak { WEAK } else { 0 };
                [kind, i32::from(*word) * 8, to.handle(node), rank, length, 1, bytes, 0x1234]
            }
        }
    }
}

impl To {
    fn handle(&self, node: i32) -> i32 {
        match self {
            To::Itself => node,
            To::Ints => Datatype::INT32_T.0 as i32,
            To::Chars => Datatype::CHAR.0 as i32,
            To::Nothing => 0,
        }
    }
}
