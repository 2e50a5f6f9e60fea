//! Opening files for the library, which opens them by name: the name that it is given leads to what was opened here.
//!
//! A guest's file is opened beneath a folder that it may use (`files`). The library then gets a link to this process's descriptor. So whatever other ranks
//! do to the folders meanwhile, it reads and writes the file that was checked. What it makes beside a file, for a
//! shared file pointer, lies beside the link, in a folder of ours where no guest can change it.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_int};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use rankine_abi::{
    Addr, Datatype, MPI_ERR_NOT_SAME, MPI_MODE_CREATE, MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_EXCL, MPI_SUCCESS, Op,
};
use rankine_guest::file::Opening;
use rankine_guest::{Charge, Cost, Error};
use tempfile::TempDir;

use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;
use rankine_system::files::{Place, failed};
use rankine_system::{files, places, trust};

/// What is said of an open file to the library: these are done here.
const OURS: c_int = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE;

/// What a library keeps for a file that is open: ROMIO has a buffer for collective accesses, of as many bytes as the hint
/// `cb_buffer_size` says, which are this many by default and at most.
pub(crate) const BUFFER: usize = 16 << 20;

/// A file of the guest's, open in this process.
pub(crate) struct Opened {
    /// What the library's name leads to.
    file: File,
    name: Name,
    place: Place,
    _charge: Charge,
}

impl Opened {
    /// What the library writes to.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The name for the library.
    pub(crate) fn name(&self) -> &CStr {
        &self.name.path
    }

    /// The mode for the library.
    pub(crate) fn mode(mode: c_int) -> c_int {
        mode & !OURS
    }
}

/// A name of a descriptor of this process.
struct Name {
    path: CString,
    /// The folder that it lies in goes with its last name.
    folder: Option<Rc<TempDir>>,
}

impl Drop for Name {
    fn drop(&mut self) {
        if self.folder.is_some() {
            let path = Path::new(std::ffi::OsStr::from_bytes(self.path.as_bytes()));
            if let Err(error) = std::fs::remove_file(path) {
                tracing::debug!("{}: {error}", path.display());
            }
        }
    }
}

/// The names that the library is given, in a folder of this process.
#[derive(Default)]
pub(crate) struct Names {
    folder: RefCell<Weak<TempDir>>,
    given: Cell<u64>,
}

impl Names {
    fn name(&self, file: &File) -> io::Result<Name> {
        let descriptor = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let Some(folder) = self.folder() else {
            // It leads there as well; only a shared file pointer has no place then.
            return Ok(Name { path: c_string(&descriptor), folder: None });
        };
        let number = self.given.replace(self.given.get() + 1);
        let path = folder.path().join(number.to_string());
        symlink(descriptor, &path)?;
        Ok(Name { path: c_string(&path), folder: Some(folder) })
    }

    /// The folder of the names: in the state folder, as the processes of a job share that on all hosts where they
    /// share anything.
    fn folder(&self) -> Option<Rc<TempDir>> {
        if let Some(folder) = self.folder.borrow().upgrade() {
            return Some(folder);
        }
        let folder = folder_of_names().and_then(|above| {
            tempfile::Builder::new().prefix("names-").tempdir_in(&above).map_err(|error| error.to_string())
        });
        match folder {
            Ok(folder) => {
                let folder = Rc::new(folder);
                self.folder.replace(Rc::downgrade(&folder));
                Some(folder)
            }
            Err(why) => {
                tracing::warn!("shared file pointers won't work: {why}");
                None
            }
        }
    }
}

/// Where the folders of all processes' names lie: in the state folder.
pub fn folder_of_names() -> std::result::Result<PathBuf, String> {
    let above = places::state().ok_or("there is no home folder")?.join("files");
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&above);
    match made.err().map(|error| error.to_string()).or_else(|| trust::distrust(&above)) {
        None => Ok(above),
        Some(why) => Err(format!("{}: {why}", above.display())),
    }
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path has no zero byte")
}

impl Rank {
    /// Opens a guest's file in this process.
    fn open_here(&self, at: Addr, mode: c_int) -> Result<Opened> {
        let name = self.string(at, "filename")?;
        let name = name.to_string_lossy();
        let charge = self.account().charge(BUFFER, Cost::Files)?;
        let (file, place) = files::open(&self.files.grants, &name, Opening::of(mode)?)?;
        let name = self.files.names.name(&file).map_err(|error| failed(&name, &error))?;
        Ok(Opened { file, name, place, _charge: charge })
    }

    /// Opens a file in all processes of an intracommunicator, or in none: rank 0 first, since only one can create it.
    pub(crate) fn open_together(&self, comm: u32, at: Addr, mode: c_int) -> Result<Opened> {
        let shape = self.shape(comm)?;
        let mut outcome = (shape.rank == 0).then(|| self.open_here(at, mode));
        if shape.members == 1 {
            return outcome.unwrap_or_else(|| self.open_here(at, mode));
        }
        let host = self.comm(comm, "comm")?;
        let class = |outcome: &Option<Result<Opened>>| outcome.as_ref().and_then(|it| Some(it.as_ref().err()?.class));
        let mut first: [c_int; 2] = [class(&outcome).unwrap_or(MPI_SUCCESS), mode];
        let bcast = self.symbol::<symbols::MPI_Bcast>()?;
        // SAFETY: two numbers on the stack.
        self.check(unsafe { bcast((&raw mut first).cast(), 2, Datatype::INT.0 as usize, 0, host) })?;
        let here = outcome.take().unwrap_or_else(|| match first {
            [MPI_SUCCESS, same] if same == mode => self.open_here(at, mode & !MPI_MODE_EXCL),
            [MPI_SUCCESS, other] => {
                let text = format!("amode is {mode:#x} here and {other:#x} at rank 0 of the communicator");
                Err(Error::new(MPI_ERR_NOT_SAME, text))
            }
            [class, _] => Err(elsewhere(class)),
        });
        let (mine, mut worst) = (here.as_ref().err().map_or(MPI_SUCCESS, |error| error.class), MPI_SUCCESS);
        let allreduce = self.symbol::<symbols::MPI_Allreduce>()?;
        let (int, max) = (Datatype::INT.0 as usize, Op::MAX.0 as usize);
        // SAFETY: a number on the stack in, and one out.
        self.check(unsafe { allreduce((&raw const mine).cast(), (&raw mut worst).cast(), 1, int, max, host) })?;
        match here {
            Ok(_) if worst != MPI_SUCCESS => Err(elsewhere(worst)),
            here => here,
        }
    }

    /// Removes a guest's file.
    pub(crate) fn delete(&self, at: Addr) -> Result<()> {
        files::delete(&self.files.grants, &self.string(at, "filename")?.to_string_lossy())
    }

    /// Removes an open file, which the first of those who have it open does for all.
    pub(super) fn delete_together(&self, opened: &Opened, between: Option<usize>) -> Result<()> {
        let remove = || opened.place.remove().map_err(|error| failed("the file that is closed", &error));
        let Some(comm) = between else { return remove() };
        let removed = if self.is_first(comm)? { remove() } else { Ok(()) };
        let barrier = self.symbol::<symbols::MPI_Barrier>()?;
        // SAFETY: a communicator of our own.
        self.check(unsafe { barrier(comm) })?;
        removed
    }
}

fn elsewhere(class: c_int) -> Error {
    Error::new(class, "filename: another rank of the communicator could not open the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_what_was_opened() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, "inside").unwrap();
        std::fs::write(place.path().join("secret"), "secret").unwrap();
        let names = Names { folder: RefCell::default(), given: Cell::default() };
        let home = Rc::new(tempfile::tempdir_in(place.path()).unwrap());
        names.folder.replace(Rc::downgrade(&home));
        let name = names.name(&File::open(&path).unwrap().try_clone().unwrap());
        let kept = File::open(&path).unwrap();
        let name = name.and_then(|_| names.name(&kept)).unwrap();
        std::fs::rename(place.path().join("secret"), &path).unwrap();
        assert_eq!(std::fs::read_to_string(name.path.to_str().unwrap()).unwrap(), "inside");
        let folder = home.path().to_path_buf();
        drop((home, kept));
        assert!(folder.exists());
        drop(name);
        assert!(!folder.exists());
    }
}
