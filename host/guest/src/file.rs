//! What files are opened for, as both engines understand it (MPI-5.0 §14.2.1).

use rankine_abi::{
    MPI_ERR_AMODE, MPI_MODE_APPEND, MPI_MODE_CREATE, MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_EXCL, MPI_MODE_RDONLY,
    MPI_MODE_RDWR, MPI_MODE_SEQUENTIAL, MPI_MODE_UNIQUE_OPEN, MPI_MODE_WRONLY,
};

use crate::error::{Error, Result};

/// What becomes of a file when it is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub exclusive: bool,
    /// It is deleted when it is closed.
    pub delete: bool,
}

impl Opening {
    /// What a mode of `MPI_File_open` means.
    pub fn of(mode: i32) -> Result<Opening> {
        const KNOWN: i32 = MPI_MODE_RDONLY
            | MPI_MODE_WRONLY
            | MPI_MODE_RDWR
            | MPI_MODE_CREATE
            | MPI_MODE_EXCL
            | MPI_MODE_DELETE_ON_CLOSE
            | MPI_MODE_APPEND
            | MPI_MODE_SEQUENTIAL
            | MPI_MODE_UNIQUE_OPEN;
        let wrong = |text: &str| Err(Error::new(MPI_ERR_AMODE, format!("amode is {mode:#x}: {text}")));
        let has = |bit: i32| mode & bit != 0;
        let (read, write) = match mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR) {
            _ if mode & !KNOWN != 0 => return wrong("it has bits that are not a mode"),
            MPI_MODE_RDONLY if has(MPI_MODE_CREATE | MPI_MODE_EXCL) => {
                return wrong("a file that is only read is not created");
            }
            MPI_MODE_RDWR if has(MPI_MODE_SEQUENTIAL) => return wrong("a sequential file is read or written"),
            MPI_MODE_RDONLY => (true, false),
            MPI_MODE_WRONLY => (false, true),
            MPI_MODE_RDWR => (true, true),
            _ => return wrong("it must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
        };
        let create = has(MPI_MODE_CREATE);
        // To find no file matters only to who makes one.
        let exclusive = create && has(MPI_MODE_EXCL);
        Ok(Opening { read, write, create, exclusive, delete: has(MPI_MODE_DELETE_ON_CLOSE) })
    }

    /// Whether anything is changed.
    pub fn changes(&self) -> bool {
        self.write || self.create || self.delete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_mpi() {
        let write = MPI_MODE_WRONLY | MPI_MODE_CREATE;
        let created = Opening { write: true, create: true, ..Opening::default() };
        assert_eq!(Opening::of(write).unwrap(), created);
        assert_eq!(Opening::of(write | MPI_MODE_EXCL).unwrap(), Opening { exclusive: true, ..created });
        let both = Opening { read: true, write: true, ..Opening::default() };
        assert_eq!(Opening::of(MPI_MODE_RDWR | MPI_MODE_EXCL | MPI_MODE_APPEND).unwrap(), both);
        let read = Opening { read: true, ..Opening::default() };
        assert_eq!(Opening::of(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN).unwrap(), read);
        assert!(!read.changes() && Opening { delete: true, ..read }.changes());
        for mode in [
            0,
            MPI_MODE_CREATE,
            MPI_MODE_RDONLY | MPI_MODE_RDWR,
            MPI_MODE_RDONLY | MPI_MODE_CREATE,
            MPI_MODE_RDONLY | MPI_MODE_EXCL,
            MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
            MPI_MODE_RDWR | 1 << 20,
            -1,
        ] {
            assert_eq!(Opening::of(mode).unwrap_err().class, MPI_ERR_AMODE, "{mode:#x}");
        }
    }
}
