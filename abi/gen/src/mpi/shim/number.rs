//! Numbers: what they are on a 64-bit host, and how a shim reads and writes them.

use crate::parameters::Kind;

/// The type of a number on the host. The last three are `c_int`, `isize` and `i64` by the variant that is called.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Number {
    Int,
    Aint,
    Long,
    Count,
    Displ,
    Extent,
}

impl Number {
    /// The number that a kind is, if it is one, in a function that has a large variant or has none.
    pub(super) fn of(kind: &Kind, large: bool) -> Option<Self> {
        Some(match kind {
            Kind::Count if large => Self::Count,
            Kind::Displ if large => Self::Displ,
            Kind::Extent if large => Self::Extent,
            Kind::Extent | Kind::Aint => Self::Aint,
            Kind::Offset | Kind::BigCount => Self::Long,
            Kind::Int
            | Kind::Flag
            | Kind::Rank
            | Kind::Root
            | Kind::Dest
            | Kind::Source
            | Kind::Tag
            | Kind::AnyTag
            | Kind::Index
            | Kind::Keyval
            | Kind::Weight
            | Kind::Count
            | Kind::Displ
            | Kind::Enum(_) => Self::Int,
            Kind::Handle(_)
            | Kind::Tool(_)
            | Kind::Status
            | Kind::String(_)
            | Kind::Buffer(..)
            | Kind::Address { .. }
            | Kind::Function(..)
            | Kind::Raw(_) => return None,
        })
    }

    /// Its type in Rust.
    pub(super) fn rust(self) -> &'static str {
        match self {
            Self::Int => "c_int",
            Self::Aint => "isize",
            Self::Long => "i64",
            Self::Count => "Count",
            Self::Displ => "Displ",
            Self::Extent => "Extent",
        }
    }

    /// What its functions are called, in the singular.
    fn stem(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Aint => "aint",
            Self::Long => "long",
            Self::Count | Self::Displ | Self::Extent => "number",
        }
    }

    /// The type that a function is told that reads it.
    fn told(self) -> String {
        match self {
            Self::Int | Self::Aint | Self::Long => String::new(),
            Self::Count | Self::Displ | Self::Extent => format!("::<{}>", self.rust()),
        }
    }

    /// A word of the guest's, as the library takes it.
    pub(super) fn word(self, at: usize) -> String {
        format!("w.{}{}({at})", self.stem(), self.told())
    }

    /// A word of the guest's as an expression of type `i64`.
    pub(super) fn wide(self, at: usize) -> String {
        match self {
            Self::Long => self.word(at),
            Self::Int => format!("i64::from({})", self.word(at)),
            _ => format!("{}.wide()", self.word(at)),
        }
    }

    /// A variable as such an expression.
    pub(super) fn wide_of(self, variable: &str) -> String {
        match self {
            Self::Int => format!("i64::from({variable})"),
            _ => format!("{variable}.wide()"),
        }
    }

    /// A function that reads an array of them.
    pub(super) fn array(self) -> String {
        format!("{}s{}", self.stem(), self.told())
    }

    /// A function that reads one from the guest's memory.
    pub(super) fn get(self) -> String {
        format!("get_{}{}", self.stem(), self.told())
    }

    /// A function that writes one there.
    pub(super) fn put(self) -> String {
        format!("put_{}", self.stem())
    }

    /// Zero.
    pub(super) fn zero(self) -> String {
        match self {
            Self::Aint | Self::Long => format!("0_{}", self.rust()),
            _ => format!("0 as {}", self.rust()),
        }
    }

    /// Its size in the guest's memory.
    pub(super) fn bytes(self) -> String {
        match self {
            Self::Int => "4".to_owned(),
            Self::Aint => "r.word_bytes()".to_owned(),
            Self::Long => "8".to_owned(),
            _ => format!("{}::bytes(r)", self.rust()),
        }
    }
}
