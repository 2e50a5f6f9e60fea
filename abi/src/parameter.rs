//! What a host knows about the words of a call: the row type of the generated list of parameters.

/// A parameter of a function.
#[derive(Copy, Clone, Debug)]
pub struct Parameter {
    /// Its name, `recvcount`.
    pub name: &'static str,
    /// What it means.
    pub meaning: Meaning,
    /// Who writes it.
    pub direction: Direction,
    /// Whether it is an array, and of which length.
    pub length: Length,
    /// It is significant at the root only.
    pub at_root: bool,
    /// It is not significant on rank 0, unless the operand is in place.
    pub behind: bool,
}

/// Who reads and writes what a parameter stands for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
#[allow(missing_docs)] // As in the table.
pub enum Direction {
    In,
    Out,
    InOut,
}

/// How many there are of what a parameter stands for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Length {
    /// It is no array.
    One,
    /// As many as this parameter says.
    Parameter(u8),
    /// As many as something else says: the size of a communicator, a constant.
    Other,
}

/// What a parameter means. The head of `abi/functions.toml` explains each.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
#[allow(missing_docs)]
pub enum Meaning {
    Int,
    Flag,
    Rank,
    Root,
    Dest,
    Source,
    Tag,
    AnyTag,
    Index,
    Keyval,
    Weight,
    Count,
    Displ,
    Extent,
    Aint,
    Offset,
    BigCount,
    Handle(Class),
    Status,
    Text,
    Buffer(Area),
    Address,
    Kept,
    Function,
    Other,
}

/// A class of handles.
#[derive(Copy, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(missing_docs)]
pub enum Class {
    Comm,
    Group,
    Datatype,
    Op,
    Request,
    Errhandler,
    Info,
    Message,
    Win,
    File,
    Session,
}

/// How much of a buffer a call uses, by the numbers of its parameters.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Area {
    /// Elements of a datatype, one after another.
    Elements {
        /// The number of them; an array of numbers for [`Repeats::Sum`].
        count: u8,
        /// How often there are so many.
        times: Repeats,
        /// Their datatype.
        datatype: u8,
    },
    /// A block for each process.
    Blocks {
        /// The array of the blocks' lengths.
        counts: u8,
        /// The array of their places.
        displs: u8,
        /// Their datatype, or an array of datatypes.
        datatype: u8,
    },
    /// It has no datatype, or its size follows no rule.
    Other,
}

/// How often a buffer has as many elements as a count says.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Repeats {
    /// Once.
    Once,
    /// For each process that the caller's group talks to.
    Peers,
    /// For each process of the caller's group.
    Members,
    /// For each neighbour that data comes from.
    Sources,
    /// For each neighbour that data goes to.
    Destinations,
    /// The count is an array, and its sum is meant.
    Sum,
}

/// A row of the list.
pub(crate) const fn p(name: &'static str, meaning: Meaning, direction: Direction) -> Parameter {
    Parameter { name, meaning, direction, length: Length::One, at_root: false, behind: false }
}

/// Elements of a datatype.
pub(crate) const fn elements(count: u8, times: Repeats, datatype: u8) -> Meaning {
    Meaning::Buffer(Area::Elements { count, times, datatype })
}

/// Blocks of a datatype, or of datatypes.
pub(crate) const fn blocks(counts: u8, displs: u8, datatype: u8) -> Meaning {
    Meaning::Buffer(Area::Blocks { counts, displs, datatype })
}

impl Parameter {
    /// This parameter as an array.
    pub(crate) const fn array(mut self, length: Length) -> Parameter {
        self.length = length;
        self
    }

    /// This parameter, significant at the root only.
    pub(crate) const fn at_root(mut self) -> Parameter {
        self.at_root = true;
        self
    }

    /// This parameter, not significant on rank 0.
    pub(crate) const fn behind(mut self) -> Parameter {
        self.behind = true;
        self
    }

    /// Whether it is one handle of a class that the caller passes in by value.
    pub fn is_passed(&self, class: Class) -> bool {
        self.meaning == Meaning::Handle(class) && self.direction == Direction::In && self.length == Length::One
    }
}
