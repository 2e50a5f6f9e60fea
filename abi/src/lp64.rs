//! What is different for a program whose addresses, `long`s and `MPI_Aint`s have 64 bits (LP64).
//!
//! Its constants are those of every program. Four datatypes are larger in it, and to engines they are other datatypes, whose
//! numbers no program knows: what reads a program's handles puts these in the place of those ([`Datatype::in_lp64`]), and
//! what writes handles puts them back ([`Datatype::shown`]).

use crate::{Datatype, Direction, Element, Function, Kind, Language, Length, Meaning, Parameter, ValueType};

/// What the name of an import ends with that takes addresses and `MPI_Aint`s of 64 bits where the one without takes such of 32:
/// `MPI_Put_64` ([`Function::for_lp64`]).
pub const LP64: &str = "_64";

/// A value that is kept for a program and given back to it as it was: a word of the width that its addresses have.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
#[repr(transparent)]
pub struct Kept(pub u64);

impl Kept {
    /// Nothing, C's null pointer.
    pub const NULL: Self = Self(0);
}

impl From<i32> for Kept {
    #[inline]
    fn from(word: i32) -> Kept {
        Kept((word as u32).into())
    }
}

impl From<i64> for Kept {
    #[inline]
    fn from(word: i64) -> Kept {
        Kept(word as u64)
    }
}

/// In the numbers of the larger datatypes.
const LARGER: u32 = 0x80;

impl Datatype {
    /// Whether a program with 64-bit addresses has it larger than one with 32-bit ones.
    const fn has_a_long(self) -> bool {
        matches!(self, Self::AINT | Self::LONG | Self::UNSIGNED_LONG | Self::LONG_INT)
    }

    /// The datatype that a program with 64-bit addresses means by this handle.
    #[inline]
    pub const fn in_lp64(self) -> Self {
        if self.has_a_long() { Self(self.0 | LARGER) } else { self }
    }

    /// The handle by which programs know this datatype.
    #[inline]
    pub const fn shown(self) -> Self {
        let plain = Self(self.0 & !LARGER);
        if self.0 & LARGER != 0 && plain.has_a_long() { plain } else { self }
    }

    /// What an element of a predefined datatype is in a guest's memory.
    pub const fn element(self) -> Option<Element> {
        let shown = self.shown();
        if shown.0 == self.0 {
            return self.listed();
        }
        let (long, int) = ((Kind::Int, 8), (Kind::Int, 4));
        Some(match shown {
            Self::AINT => Element::scalar(long.0, long.1, Language::Any),
            Self::LONG => Element::scalar(long.0, long.1, Language::C),
            Self::UNSIGNED_LONG => Element::scalar(Kind::Uint, long.1, Language::C),
            _ => Element::pair(long, int, Language::C),
        })
    }
}

impl Parameter {
    /// Whether its word is an address.
    pub const fn is_address(&self) -> bool {
        !matches!((self.direction, self.length), (Direction::In, Length::One))
            || matches!(self.meaning, Meaning::Buffer(_) | Meaning::Status | Meaning::Text | Meaning::Address)
    }

    /// Whether its word has 32 bits in one program and 64 that count in another, in a function for large counts or not.
    pub const fn is_long_in_lp64(&self, is_large: bool) -> bool {
        let is_value = matches!(self.direction, Direction::In) && matches!(self.length, Length::One);
        is_value
            && match self.meaning {
                Meaning::Aint | Meaning::Kept => true,
                Meaning::Displ => is_large,
                Meaning::Extent => !is_large,
                _ => false,
            }
    }
}

impl Function {
    /// Whether programs with 64-bit addresses have an import of their own ([`LP64`]).
    pub fn for_lp64(&self) -> bool {
        let is_wider = |word: &Parameter| word.is_address() || word.is_long_in_lp64(self.is_large());
        self.described().iter().any(is_wider) && self.result == ValueType::I32
    }

    /// The types of the words of its import, or of that for programs with 64-bit addresses.
    pub fn words(&self, is_lp64: bool) -> impl Iterator<Item = ValueType> {
        let is_large = self.is_large();
        self.parameters.iter().zip(self.described()).map(move |(&narrow, word)| {
            if is_lp64 && (word.is_address() || word.is_long_in_lp64(is_large)) { ValueType::I64 } else { narrow }
        })
    }

    /// The function that an import is of, which may be that of a program with 64-bit addresses.
    pub fn of_import(name: &str) -> Option<&'static Function> {
        let of_lp64 = || Function::named(name.strip_suffix(LP64)?).filter(|function| function.for_lp64());
        Function::named(name).or_else(of_lp64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FUNCTIONS;

    #[test]
    fn datatypes_with_a_long_in_them_are_larger() {
        let size = |datatype: Datatype| datatype.element().unwrap().size;
        for datatype in [Datatype::LONG, Datatype::UNSIGNED_LONG, Datatype::AINT] {
            assert_eq!((size(datatype), size(datatype.in_lp64())), (4, 8));
            assert_eq!(datatype.in_lp64().predefined_block(), Some(8));
            assert_eq!(datatype.in_lp64().name(), datatype.name());
        }
        let pair = Datatype::LONG_INT.in_lp64().element().unwrap();
        assert_eq!((pair.size, pair.extent, pair.align, pair.index.unwrap().offset), (12, 16, 8, 8));
    }

    #[test]
    fn the_larger_datatypes_have_numbers_that_no_other_has() {
        let larger = || Datatype::PREDEFINED.iter().map(|own| own.in_lp64()).filter(|own| own.shown() != *own);
        assert_eq!(larger().count(), 4);
        for datatype in Datatype::PREDEFINED {
            assert_eq!(datatype.shown(), *datatype);
            assert_eq!(datatype.in_lp64().shown(), *datatype);
            assert!(!larger().any(|other| other == *datatype));
        }
    }

    #[test]
    fn imports_of_either_width_are_of_a_function() {
        let of = |name| Function::of_import(name).map(|function| function.name);
        assert_eq!(
            [of("MPI_Put"), of("MPI_Put_64"), of("MPI_Put_c_64")],
            [Some("MPI_Put"), Some("MPI_Put"), Some("MPI_Put_c")]
        );
        // What has words of one width only.
        assert_eq!([of("MPI_Barrier_64"), of("MPI_Win_create_64_64")], [None; 2]);
        assert_eq!(of("MPI_Type_create_hvector_64"), Some("MPI_Type_create_hvector"));
        assert!(FUNCTIONS.iter().all(|function| !function.name.ends_with(LP64)));
    }
}
