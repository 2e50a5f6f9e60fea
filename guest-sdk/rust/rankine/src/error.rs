//! What can go wrong.

use std::fmt;

use mpi_sys::{MPI_Error_string, MPI_MAX_ERROR_STRING, MPI_SUCCESS};

/// An error of MPI or of the host's checks. By default MPI's errors end the job before they are seen here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// An error code of MPI, and its text.
    Mpi {
        /// The code.
        code: i32,
        /// What it means.
        text: String,
    },
    /// The records that came have the right structure, and values that the types do not have; or what was given to a
    /// call is not what it takes.
    Invalid(&'static str),
}

/// The result of most functions here.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(pub &'static str);

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Error {
        Error::Invalid(invalid.0)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Mpi { code, text } => write!(f, "MPI error {code}: {text}"),
            Error::Invalid(what) => write!(f, "the objects are not valid: {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// An error code as a result.
pub(crate) fn check(code: i32) -> Result<()> {
    if code == MPI_SUCCESS as i32 { Ok(()) } else { Err(Error::from_code(code)) }
}

impl Error {
    /// An error code of MPI, with its text.
    pub fn from_code(code: i32) -> Error {
        let mut text = [0u8; MPI_MAX_ERROR_STRING as usize];
        let mut length = 0;
        // SAFETY: the buffer has the size that the function asks for.
        unsafe { MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
        let length = usize::try_from(length).unwrap_or(0).min(text.len());
        Error::Mpi { code, text: String::from_utf8_lossy(&text[..length]).into_owned() }
    }
}
