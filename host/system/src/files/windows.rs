//! Windows has no way, in Rust's library, to open a file by the handle of the folder above it, which is how no exchange of a
//! folder for a link leads anywhere else. So MPI's files, and modules of ranks to start, are refused here; what WASI opens
//! for the C library of a guest is not.

use std::fs::File;
use std::io;

use rankine_abi::MPI_ERR_UNSUPPORTED_OPERATION;
use rankine_guest::{Error, Result};

use crate::grants::{Grant, Grants};

#[cold]
/// The error of a file that is asked for here.
pub fn refused(name: &str) -> Error {
    let text = format!(
        "filename: \"{name}\": MPI opens files on Linux and macOS only; open it as the language does (fopen, OPEN, File::open)"
    );
    Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text)
}

/// Opens a guest's file to read it.
pub fn to_read(_: &Grants, name: &str) -> Result<io::Result<File>> {
    Err(refused(name))
}

/// Opens a guest's folder.
pub fn folder<'g>(_: &'g Grants, name: &str) -> Result<(&'g Grant, File)> {
    Err(refused(name))
}
