//! What can go wrong, and where.

use std::fmt;

use mpi_sys::MPI_SUCCESS;

/// An error of MPI, or a use that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// What MPI or the moving of objects complains of.
    Mpi(rankine::Error),
    /// A grid can't be made of these ranks.
    Grid(String),
    /// A wrong use of an array.
    Use(Box<Misuse>),
    /// Another rank had an error in the same operation, and says which.
    Elsewhere {
        /// The lowest rank that had one.
        rank: usize,
        /// The array.
        array: String,
    },
    /// A file could not be read or written; every rank gets the same text.
    File {
        /// The array.
        array: String,
        /// The file, and what is wrong with it.
        what: String,
    },
}

/// A wrong use of an array: what, of which, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misuse {
    /// The array's name.
    pub array: String,
    /// Its dimension, from 0 on, if it is about one.
    pub dimension: Option<usize>,
    /// The rank that found it.
    pub rank: usize,
    /// What is wrong.
    pub what: String,
}

/// The result of most functions here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn misuse(array: &str, dimension: Option<usize>, rank: usize, what: impl Into<String>) -> Error {
        Error::Use(Box::new(Misuse { array: array.into(), dimension, rank, what: what.into() }))
    }
}

impl From<rankine::Error> for Error {
    fn from(error: rankine::Error) -> Error {
        Error::Mpi(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Mpi(error) => error.fmt(f),
            Error::Grid(what) => f.write_str(what),
            Error::Use(misuse) => misuse.fmt(f),
            Error::Elsewhere { rank, array } => {
                write!(f, "array \"{array}\": rank {rank} had an error in this operation")
            }
            Error::File { array, what } => write!(f, "array \"{array}\": {what}"),
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array \"{}\"", self.array)?;
        if let Some(dimension) = self.dimension {
            write!(f, ", dimension {dimension}")?;
        }
        write!(f, ", rank {}: {}", self.rank, self.what)
    }
}

impl std::error::Error for Error {}

/// An error code of MPI as a result.
#[inline]
pub(crate) fn check(code: i32) -> Result<()> {
    if code == MPI_SUCCESS { Ok(()) } else { Err(Error::Mpi(rankine::Error::from_code(code))) }
}
