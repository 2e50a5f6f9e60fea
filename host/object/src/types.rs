//! What a guest says of its types: sizes, and where the references are. Everything is checked at once.
//!
//! A type is declared with its size and then defined by its fields; references may name types that are not defined yet,
//! so types can refer to each other. What lies inline has to be defined before, so nothing can contain itself. Bytes
//! that no field speaks of travel as they are.

use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Datatype, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_NO_MEM, MPI_ERR_TYPE};
use rankine_guest::{Account, Charge, Cost, Error, Result};

use crate::descriptor::{self, Pattern};

/// The words of one field, as `rankine.h` lays them out.
pub const FIELD_WORDS: usize = 9;

/// Bytes of a reference, which is an address: in a 32-bit guest, and in one with 64-bit addresses, whose upper half is 0.
pub(crate) const REFERENCE: u32 = 4;
pub(crate) const WIDE_REFERENCE: u32 = 8;
/// No object is larger.
const MAX_SIZE: u32 = 1 << 30;
/// What every allocator of a guest gives.
pub(crate) const MAX_ALIGN: u32 = 16;
const MAX_FIELDS: usize = 4096;
/// Types that one rank may make.
const MAX_TYPES: usize = 1 << 16;
/// Fields that the types of one rank may have in all.
const MAX_ALL_FIELDS: usize = 1 << 20;
/// Bytes of the names of types and fields that one rank may give.
const MAX_NAMES: usize = 1 << 24;
/// How deep types may lie inline in one another.
const MAX_NESTING: u32 = 64;
/// Handles of described types begin here; below are MPI's predefined datatypes.
const FIRST: u32 = 0x1_0000;
/// In the handle that a call is given: its array holds the objects themselves, not references to them.
pub(crate) const VALUES: u32 = 0x4000_0000;
/// In the handle of a receive: all that comes lies in one block.
pub(crate) const TOGETHER: u32 = 0x1000_0000;
/// In the handle of a receive: what comes is left as an image, in memory of its own, and the array gets address and
/// bytes of it.
pub(crate) const IMAGE: u32 = 0x2000_0000;

/// How a field refers to objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// References to one object each.
    References,
    /// A reference to objects that lie in a row.
    Array,
    /// A reference to references that lie in a row.
    ReferenceArray,
    /// A reference to bytes that end with a zero.
    Text,
    /// Objects inside of this one.
    Inline,
    /// References that stay behind: they arrive as null.
    Left,
    /// A Fortran pointer or allocatable, which is a reference with a description of its own.
    Descriptor,
}

impl Form {
    fn from_word(word: u32) -> Option<Form> {
        Some(match word {
            1 => Form::References,
            2 => Form::Array,
            3 => Form::ReferenceArray,
            4 => Form::Text,
            5 => Form::Inline,
            6 => Form::Left,
            7 => Form::Descriptor,
            _ => return None,
        })
    }
}

/// Flags of a field's kind.
const OWNED: u32 = 0x100;
const REQUIRED: u32 = 0x200;
const WEAK: u32 = 0x400;

/// A field that refers to objects, as the guest described it.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Its name, for errors.
    pub name: Arc<str>,
    pub form: Form,
    pub offset: u32,
    /// The type referred to; 0 for text and for what is left.
    pub to: u32,
    /// How many, where that is always the same.
    pub count: u32,
    /// Where the int is that says how many.
    pub count_at: Option<u32>,
    /// Where the int is that says how many there is room for.
    pub capacity_at: Option<u32>,
    /// The field means something only while the int at this offset has this value.
    pub when: Option<(u32, i32)>,
    /// What it refers to is referred to by nothing else.
    pub owned: bool,
    /// It is never null.
    pub required: bool,
    /// It refers only to what travels anyway.
    pub weak: bool,
    /// What is always the same in a descriptor.
    pub pattern: Option<Pattern>,
}

impl Field {
    /// The bytes that it occupies.
    fn extent(&self, types: &Types) -> Result<u64> {
        Ok(match self.form {
            Form::Inline => u64::from(self.count) * u64::from(types.layout(self.to)?.0),
            Form::References | Form::Left => u64::from(self.count) * u64::from(types.reference),
            Form::Array | Form::ReferenceArray | Form::Text => u64::from(types.reference),
            Form::Descriptor => self.pattern.map_or(0, |pattern| u64::from(pattern.size())),
        })
    }

    /// Whether it and another one never mean something at the same time.
    fn excludes(&self, other: &Field) -> bool {
        matches!((self.when, other.when), (Some((at, one)), Some((also, two))) if at == also && one != two)
    }
}

/// A described type.
#[derive(Debug)]
pub(crate) struct Type {
    pub name: Arc<str>,
    pub size: u32,
    pub align: u32,
    /// `None`: declared, and not defined yet.
    pub fields: Option<Vec<Field>>,
    nesting: u32,
}

/// Bytes that a type takes, and each of its fields: both have names, which are shared by counting.
const TYPE: usize = size_of::<Type>() + 64;
const FIELD: usize = size_of::<Field>() + 32;

impl Type {
    /// Fields, and bytes of names.
    fn quantity(&self) -> Quantity {
        let fields = self.fields.as_deref().unwrap_or_default();
        Quantity {
            fields: fields.len(),
            names: fields.iter().map(|field| field.name.len()).sum::<usize>() + self.name.len(),
        }
    }
}

/// What descriptions take.
#[derive(Clone, Copy, Default)]
struct Quantity {
    fields: usize,
    names: usize,
}

impl Quantity {
    fn bytes(self) -> usize {
        TYPE + self.fields * FIELD + self.names
    }
}

/// The types of one rank.
pub(crate) struct Types {
    /// Bytes of a reference.
    pub(crate) reference: u32,
    all: Vec<Option<Rc<Type>>>,
    taken: Quantity,
    charge: Charge,
}

impl Types {
    pub(crate) fn new(account: &Arc<Account>) -> Types {
        Types { reference: REFERENCE, all: Vec::new(), taken: Quantity::default(), charge: Charge::none(account) }
    }

    /// Declares a type and gives its handle.
    pub(crate) fn declare(&mut self, name: &str, size: i32, align: i32) -> Result<u32> {
        let wrong = |text: String| Err(Error::new(MPI_ERR_ARG, text));
        let Ok(size @ 1..=MAX_SIZE) = u32::try_from(size) else {
            return wrong(format!("the size of the type {name} is {size}, which is not between 1 and {MAX_SIZE}"));
        };
        let align = match u32::try_from(align) {
            Ok(align) if align.is_power_of_two() && align <= MAX_ALIGN && size.is_multiple_of(align) => align,
            _ => {
                return wrong(format!(
                    "the alignment of the type {name} is {align}: not a power of two up to {MAX_ALIGN} that divides its size, {size}"
                ));
            }
        };
        if self.all.len() == MAX_TYPES {
            return Err(Error::new(MPI_ERR_NO_MEM, format!("this rank has made {MAX_TYPES} types, as many as it may")));
        }
        let ty = Type { name: name.into(), size, align, fields: None, nesting: 0 };
        self.take(ty.quantity())?;
        self.all.push(Some(Rc::new(ty)));
        Ok(FIRST + self.all.len() as u32 - 1)
    }

    /// Counts what a type takes, if there is room for it.
    fn take(&mut self, more: Quantity) -> Result<()> {
        let (fields, names) = (self.taken.fields + more.fields, self.taken.names + more.names);
        for (value, most, what) in
            [(fields, MAX_ALL_FIELDS, "fields"), (names, MAX_NAMES, "bytes of names of types and fields")]
        {
            if value > most {
                let text = format!("this rank would have described {value} {what}; at most {most} may be in use");
                return Err(Error::new(MPI_ERR_NO_MEM, text));
            }
        }
        self.charge.grow(more.bytes(), Cost::Types)?;
        self.taken = Quantity { fields, names };
        Ok(())
    }

    fn give_back(&mut self, less: Quantity) {
        self.charge.shrink(less.bytes());
        self.taken.fields -= less.fields;
        self.taken.names -= less.names;
    }

    /// Says what the fields of a declared type are.
    pub(crate) fn define(&mut self, handle: u32, fields: Vec<(Box<str>, [i32; FIELD_WORDS - 1])>) -> Result<()> {
        let ty = self.get(handle)?.clone();
        if ty.fields.is_some() {
            return Err(Error::new(MPI_ERR_TYPE, format!("the type {} is defined already", ty.name)));
        }
        if fields.len() > MAX_FIELDS {
            let text =
                format!("the type {} has {} fields; at most {MAX_FIELDS} can refer to objects", ty.name, fields.len());
            return Err(Error::new(MPI_ERR_COUNT, text));
        }
        let (name, size) = (&ty.name, ty.size);
        let named = |field: &str, error: Error| Error::new(error.class, format!("field {field} of {name}: {error}"));
        let mut read = Vec::with_capacity(fields.len());
        for (field, words) in fields {
            let field: Arc<str> = field.into();
            read.push(self.field(field.clone(), &words, size).map_err(|error| named(&field, error))?);
        }
        read.sort_by_key(|field| (field.offset, field.when));
        let occupied = self.apart(&read, size).map_err(|(field, error)| named(&field, error))?;
        for field in &read {
            numbers_are_plain(field, &read, &occupied).map_err(|error| named(&field.name, error))?;
        }
        let inline = read.iter().filter(|field| field.form == Form::Inline);
        let nesting = 1 + inline.map(|field| self.nesting(field.to)).max().unwrap_or(0);
        if nesting > MAX_NESTING {
            return Err(Error::new(MPI_ERR_TYPE, format!("types lie inline in {name} more than {MAX_NESTING} deep")));
        }
        let defined = Type { name: name.clone(), fields: Some(read), nesting, ..*ty };
        self.give_back(ty.quantity());
        if let Err(error) = self.take(defined.quantity()) {
            self.take(ty.quantity())?;
            return Err(error);
        }
        self.all[(handle - FIRST) as usize] = Some(Rc::new(defined));
        Ok(())
    }

    /// Forgets a type. Types that refer to it can't be used from then on, unless they were before.
    pub(crate) fn free(&mut self, handle: u32) -> Result<()> {
        let quantity = self.get(handle)?.quantity();
        self.give_back(quantity);
        self.all[(handle - FIRST) as usize] = None;
        Ok(())
    }

    /// A described type.
    pub(crate) fn get(&self, handle: u32) -> Result<&Rc<Type>> {
        let index = handle.checked_sub(FIRST).map(|index| index as usize);
        match index.and_then(|index| self.all.get(index)) {
            Some(Some(ty)) => Ok(ty),
            Some(None) => Err(Error::new(MPI_ERR_TYPE, format!("the type {handle:#x} has been freed"))),
            None => Err(Error::new(MPI_ERR_TYPE, format!("{handle:#x} is not a type of this rank"))),
        }
    }

    /// Size and alignment of what a field may name: a described type, or a predefined datatype of MPI.
    fn layout(&self, handle: u32) -> Result<(u32, u32)> {
        match Datatype(handle).element() {
            Some(element) if handle < FIRST => Ok((element.extent, element.align)),
            _ => self.get(handle).map(|ty| (ty.size, ty.align)),
        }
    }

    /// The handle here of what the program knows by this one: in one with 64-bit addresses `MPI_LONG` is another datatype.
    pub(crate) fn known(&self, handle: u32) -> u32 {
        if self.reference == REFERENCE || handle >= FIRST { handle } else { Datatype(handle).in_lp64().0 }
    }

    fn nesting(&self, handle: u32) -> u32 {
        self.get(handle).map_or(0, |ty| ty.nesting)
    }

    /// Reads the words of a field and checks them, each by itself.
    fn field(&self, name: Arc<str>, words: &[i32; FIELD_WORDS - 1], size: u32) -> Result<Field> {
        let &[kind, offset, to, count, count_at, capacity_at, when_at, when] = words;
        let to = self.known(to as u32) as i32;
        let wrong = |text: String| Error::new(MPI_ERR_ARG, text);
        let flags = kind as u32 & !0xff;
        let form = Form::from_word(kind as u32 & 0xff).filter(|_| flags & !(OWNED | REQUIRED | WEAK) == 0);
        let form = form.ok_or_else(|| wrong(format!("{kind:#x} is not a kind of field")))?;
        let (owned, required, weak) = (flags & OWNED != 0, flags & REQUIRED != 0, flags & WEAK != 0);
        let is_scalar = form == Form::References || form == Form::Descriptor && count == 0 && to as u32 >= FIRST;
        if weak && (owned || required || !is_scalar) {
            return Err(wrong("a weak field is a reference that is neither owned nor required".into()));
        }
        let at = |at: i32, what: &str| match u32::try_from(at) {
            Ok(at) if at.is_multiple_of(4) && at <= size.saturating_sub(4) && size >= 4 => Ok(Some(at)),
            Ok(at) => Err(wrong(format!("{what} is an int at offset {at}, but the type has {size} bytes"))),
            Err(_) => Ok(None),
        };
        let counted = matches!(form, Form::Array | Form::ReferenceArray);
        let count_at = if counted { at(count_at, "the number of elements")? } else { None };
        let capacity_at = if counted { at(capacity_at, "the capacity")? } else { None };
        let pattern = if form == Form::Descriptor { Some(self.pattern(words)?) } else { None };
        let when = if pattern.is_some() { None } else { at(when_at, "the tag")?.map(|at| (at, when)) };
        let count = match u32::try_from(count) {
            Ok(count @ 1..=MAX_SIZE) => count,
            _ if count_at.is_some() || form == Form::Text || pattern.is_some() => 1,
            _ => return Err(Error::new(MPI_ERR_COUNT, format!("the count is {count}, which is not 1 or more"))),
        };
        let to = if matches!(form, Form::Text | Form::Left) { 0 } else { to as u32 };
        let offset = u32::try_from(offset).map_err(|_| wrong(format!("the offset is {offset}")))?;
        let align = match form {
            Form::Inline => {
                if to >= FIRST && self.get(to)?.fields.is_none() {
                    let text = format!("the type {} lies inline and is not defined yet", self.get(to)?.name);
                    return Err(Error::new(MPI_ERR_TYPE, text));
                }
                self.layout(to)?.1
            }
            Form::Descriptor => descriptor::ALIGN,
            Form::Text | Form::Left => self.reference,
            Form::References | Form::Array | Form::ReferenceArray => self.layout(to).map(|_| self.reference)?,
        };
        let field =
            Field { name, form, offset, to, count, count_at, capacity_at, when, owned, required, weak, pattern };
        let extent = field.extent(self)?;
        if u64::from(offset) + extent > u64::from(size) {
            return Err(wrong(format!("{extent} bytes at offset {offset} are not inside of {size} bytes")));
        }
        if !offset.is_multiple_of(align) {
            return Err(wrong(format!("offset {offset} is not a multiple of {align}")));
        }
        Ok(field)
    }

    /// Reads what a field says of its descriptor.
    fn pattern(&self, words: &[i32; FIELD_WORDS - 1]) -> Result<Pattern> {
        let &[_, _, to, rank, length, version, kind, information] = words;
        let pattern = Pattern::new(rank, length, version, kind, information)?;
        if to != 0 {
            let to = self.known(to as u32);
            let (size, _) = self.layout(to)?;
            pattern.fits(size, to >= FIRST)?;
        }
        Ok(pattern)
    }

    /// Checks that fields, sorted by offset, share no bytes unless a tag keeps them apart; the ranges that they occupy.
    fn apart(&self, fields: &[Field], size: u32) -> std::result::Result<Vec<(u32, u32)>, Misplaced> {
        let mut ranges = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let extent = field.extent(self).map_err(|error| (field.name.clone(), error))?;
            // It was checked that this is at most `size`.
            let end = (u64::from(field.offset) + extent).min(u64::from(size)) as u32;
            for (before, &(_, end_before)) in fields[..index].iter().zip(&ranges) {
                if end_before > field.offset && !field.excludes(before) {
                    let text = format!("it overlaps {}, and no tag says which of the two is meant", before.name);
                    return Err((field.name.clone(), Error::new(MPI_ERR_ARG, text)));
                }
            }
            ranges.push((field.offset, end));
        }
        Ok(ranges)
    }
}

/// A field's name, and what is wrong with its place.
type Misplaced = (Arc<str>, Error);

/// Checks that the numbers which a field relies on are no part of a reference.
fn numbers_are_plain(field: &Field, fields: &[Field], occupied: &[(u32, u32)]) -> Result<()> {
    let numbers = [
        (field.count_at, "the number of elements"),
        (field.capacity_at, "the capacity"),
        (field.when.map(|(at, _)| at), "the tag"),
    ];
    for (at, what) in numbers {
        let Some(at) = at else { continue };
        let mut others = fields.iter().zip(occupied);
        if others.any(|(other, &(start, end))| at < end && at + 4 > start && !field.excludes(other)) {
            let text = format!("{what} at offset {at} lies in a field that is a reference or inline");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
    }
    if field.capacity_at.is_some() && field.capacity_at == field.count_at {
        return Err(Error::new(MPI_ERR_ARG, "capacity and number of elements are the same int"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NONE: i32 = -1;

    fn define(size: i32, fields: &[[i32; 8]]) -> Result<()> {
        let mut types = Types::new(&Account::new(None));
        let node = types.declare("node", size, 4)?;
        let fields = fields.iter().enumerate().map(|(i, words)| {
            let mut words = *words;
            if words[2] == 0 {
                words[2] = node as i32;
            }
            (format!("f{i}").into(), words)
        });
        types.define(node, fields.collect())
    }

    fn refusal(size: i32, fields: &[[i32; 8]]) -> String {
        define(size, fields).expect_err("it is refused").to_string()
    }

    #[test]
    fn good_descriptions() {
        let double = Datatype::DOUBLE.0 as i32;
        define(8, &[[1, 0, 0, 1, NONE, NONE, NONE, 0]]).unwrap();
        define(16, &[[1, 0, 0, 4, NONE, NONE, NONE, 0]]).unwrap();
        define(12, &[[2, 0, double, 0, 4, 8, NONE, 0]]).unwrap();
        define(12, &[[4, 0, 0, 0, NONE, NONE, NONE, 0], [6, 8, 0, 1, NONE, NONE, NONE, 0]]).unwrap();
        // A union: two references in one place, told apart by the tag.
        define(8, &[[1, 0, 0, 1, NONE, NONE, 4, 1], [2, 0, double, 3, NONE, NONE, 4, 2]]).unwrap();
    }

    #[test]
    fn bad_descriptions_are_refused_by_name() {
        let one = [1, 0, 0, 1, NONE, NONE, NONE, 0];
        let changed = |index: usize, value: i32| {
            let mut words = one;
            words[index] = value;
            words
        };
        for (words, part) in [
            (changed(0, 9), "is not a kind"),
            (changed(0, 0x801), "is not a kind"),
            (changed(0, 0x501), "weak"),
            (changed(1, 6), "not inside"),
            (changed(1, 2), "not a multiple"),
            (changed(1, -4), "offset is -4"),
            (changed(2, 77), "not a type"),
            (changed(3, 3), "not inside"),
            (changed(3, 0), "count is 0"),
            (changed(6, 0), "lies in a field"),
            (changed(6, 8), "the type has 8 bytes"),
        ] {
            let text = refusal(8, &[words]);
            assert!(text.contains(part) && text.contains("f0"), "{words:?}: {text}");
        }
        assert!(refusal(8, &[one, one]).contains("overlaps f0"));
        assert!(refusal(8, &[[2, 0, 0, 0, 0, NONE, NONE, 0]]).contains("lies in a field"));
        assert!(refusal(12, &[[2, 0, 0, 0, 4, 4, NONE, 0]]).contains("the same int"));
        assert!(refusal(8, &[[5, 0, 0, 1, NONE, NONE, NONE, 0]]).contains("not defined yet"));
        assert!(Types::new(&Account::new(None)).declare("huge", -4, 4).is_err());
        assert!(Types::new(&Account::new(None)).declare("odd", 6, 4).is_err());
    }

    proptest! {
        #[test]
        fn no_words_bring_the_checks_down(size in -4..64i32, fields in prop::collection::vec(any::<[i16; 8]>(), 0..6)) {
            let fields: Vec<[i32; 8]> = fields.iter().map(|words| words.map(|word| i32::from(word) % 40)).collect();
            let _ = define(size, &fields);
        }

        #[test]
        fn accepted_fields_lie_inside_and_apart(fields in prop::collection::vec((1..7i32, 0..8i32, 1..3i32), 1..4)) {
            let double = Datatype::DOUBLE.0 as i32;
            let words: Vec<[i32; 8]> =
                fields.iter().map(|&(kind, slot, count)| [kind, slot * 4, double, count, NONE, NONE, NONE, 0]).collect();
            if define(32, &words).is_ok() {
                let mut taken = [false; 8];
                for &(kind, slot, count) in &fields {
                    let slots = match kind { 5 => 2 * count, 1 | 6 => count, _ => 1 };
                    for slot in slot..slot + slots {
                        prop_assert!(!std::mem::replace(&mut taken[slot as usize], true));
                    }
                }
            }
        }
    }
}
