//! What an element of a predefined datatype is in a guest's memory.

/// An element of a predefined datatype.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Element {
    /// What it is; the value of a pair.
    pub kind: Kind,
    /// Bytes of data, without the padding of a pair.
    pub size: u32,
    /// From one element to the next: the size, rounded up to the alignment where a pair needs it.
    pub extent: u32,
    /// Alignment a C or Fortran compiler gives it.
    pub align: u32,
    /// The language that it belongs to.
    pub language: Language,
    /// The second member of a pair of `MPI_MINLOC` and `MPI_MAXLOC`.
    pub index: Option<Index>,
}

/// The second member of a pair.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Index {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub size: u32,
    /// Where it lies in the pair.
    pub offset: u32,
}

/// How the bytes of an element are to be understood.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Kind {
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// An IEEE floating-point number.
    Float,
    /// Two floating-point numbers of half the size each.
    Complex,
    /// A truth value.
    Logical,
    /// A character: no operation is defined on it.
    Char,
    /// Bytes without meaning.
    Byte,
}

/// The language whose type a datatype describes.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
    /// Every language.
    Any,
}

impl Element {
    /// A single value.
    pub(crate) const fn scalar(kind: Kind, size: u32, language: Language) -> Self {
        Self { kind, size, extent: size, align: alignment(kind, size), language, index: None }
    }

    /// A value and its index, laid out as a C struct; Fortran's two are alike, so the layout is the same.
    pub(crate) const fn pair(value: (Kind, u32), index: (Kind, u32), language: Language) -> Self {
        let (first, second) = (alignment(value.0, value.1), alignment(index.0, index.1));
        let align = if first > second { first } else { second };
        let offset = value.1.next_multiple_of(second);
        Self {
            kind: value.0,
            size: value.1 + index.1,
            extent: (offset + index.1).next_multiple_of(align),
            align,
            language,
            index: Some(Index { kind: index.0, size: index.1, offset }),
        }
    }
}

/// In wasm32 every scalar is aligned to its own size, a complex number as its parts.
const fn alignment(kind: Kind, size: u32) -> u32 {
    match kind {
        Kind::Complex => size / 2,
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Datatype, Kind};

    #[test]
    fn pairs_are_laid_out_as_structs() {
        let layout = |datatype: Datatype| {
            let element = datatype.element().unwrap();
            (element.size, element.extent, element.align, element.index.unwrap().offset)
        };
        assert_eq!(layout(Datatype::SHORT_INT), (6, 8, 4, 4));
        assert_eq!(layout(Datatype::DOUBLE_INT), (12, 16, 8, 8));
        assert_eq!(layout(Datatype::LONG_INT), (8, 8, 4, 4));
        assert_eq!(layout(Datatype::LONG_DOUBLE_INT), (20, 32, 16, 16));
        assert_eq!(layout(Datatype::TWO_DOUBLE_PRECISION), (16, 16, 8, 8));
    }

    #[test]
    fn the_size_in_the_handle_is_the_size_in_the_guest() {
        for &datatype in Datatype::PREDEFINED {
            if let Some(size) = datatype.fixed_size() {
                assert_eq!(datatype.element().unwrap().size, size, "{:?}", datatype.name());
            }
        }
    }

    #[test]
    fn ilp32() {
        for datatype in [Datatype::LONG, Datatype::UNSIGNED_LONG, Datatype::AINT] {
            assert_eq!(datatype.element().unwrap().size, 4);
        }
        assert_eq!(Datatype::COUNT.element().unwrap().size, 8);
        assert_eq!(Datatype::LONG_DOUBLE.element().unwrap().kind, Kind::Float);
        assert!(Datatype::NULL.element().is_none());
    }
}
