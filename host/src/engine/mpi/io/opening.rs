//! Opening files for the library, which opens them by name: the name that it is given leads to what was opened here.
//!
//! A guest's name is resolved as its C library does it, by the longest granted folder that it begins with, and opened
//! beneath that folder (`beneath`). The library then gets a link to this process's descriptor. So whatever other ranks
//! do to the folders meanwhile, it reads and writes the file that was checked. What it makes beside a file, for a
//! shared file pointer, lies beside the link, in a folder of ours where no guest can change it.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_int};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::rc::{Rc, Weak};

use rankine_abi::{
    Addr, Datatype, MPI_ERR_ACCESS, MPI_ERR_AMODE, MPI_ERR_BAD_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_IO, MPI_ERR_NO_SPACE,
    MPI_ERR_NO_SUCH_FILE, MPI_ERR_NOT_SAME, MPI_ERR_QUOTA, MPI_ERR_READ_ONLY, MPI_MODE_APPEND, MPI_MODE_CREATE,
    MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_EXCL, MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_SEQUENTIAL, MPI_MODE_UNIQUE_OPEN,
    MPI_MODE_WRONLY, MPI_SUCCESS, Op,
};
use rankine_guest::Error;
use rustix::fs::OFlags;
use tempfile::TempDir;

use crate::beneath::{self, Place, Stray};
use crate::engine::mpi::Result;
use crate::engine::mpi::generated::symbols;
use crate::engine::mpi::process::rank::Rank;
use crate::grants::{Access, Grant, Grants};
use crate::{places, trust};

/// What is said of an open file to the library: these are done here.
const OURS: c_int = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE;

/// A file of the guest's, open in this process.
pub(crate) struct Opened {
    /// What the library's name leads to.
    _file: File,
    name: Name,
    place: Place,
}

impl Opened {
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
pub(crate) fn folder_of_names() -> std::result::Result<PathBuf, String> {
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

/// A path without a leading `/` and without `.`: how the C library of a guest compares them.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir)).collect()
}

/// Where a guest's name leads, which need not exist, and the folder that is granted there.
pub(crate) fn find<'g>(grants: &'g Grants, name: &str) -> Result<(&'g Grant, Place)> {
    let wanted = plain(Path::new(name));
    let matching = grants.iter().filter_map(|grant| {
        let prefix = plain(Path::new(grant.guest()));
        let rest = wanted.strip_prefix(&prefix).ok()?.to_owned();
        Some((prefix.components().count(), grant, rest))
    });
    let Some((_, grant, rest)) = matching.max_by_key(|(length, _, _)| *length) else {
        return Err(refused(name, "it lies in no folder that was given with --dir"));
    };
    match beneath::find(grant.handle(), &rest) {
        Ok(place) => Ok((grant, place)),
        Err(Stray::Out) => Err(refused(name, "it leads out of the folder given with --dir")),
        Err(Stray::System(error)) => Err(failed(name, &error)),
    }
}

#[cold]
fn refused(name: &str, why: &str) -> Error {
    Error::new(MPI_ERR_ACCESS, format!("filename: \"{name}\" may not be used: {why}"))
}

#[cold]
fn failed(name: &str, error: &io::Error) -> Error {
    let class = match error.raw_os_error() {
        Some(libc::ENOENT) => MPI_ERR_NO_SUCH_FILE,
        Some(libc::EEXIST) => MPI_ERR_FILE_EXISTS,
        // ELOOP: a link has come there meanwhile.
        Some(libc::EACCES | libc::EPERM | libc::ELOOP) => MPI_ERR_ACCESS,
        Some(libc::EROFS) => MPI_ERR_READ_ONLY,
        Some(libc::EISDIR | libc::ENOTDIR | libc::ENAMETOOLONG | libc::ENXIO) => MPI_ERR_BAD_FILE,
        Some(libc::ENOSPC) => MPI_ERR_NO_SPACE,
        Some(libc::EDQUOT) => MPI_ERR_QUOTA,
        _ => MPI_ERR_IO,
    };
    Error::new(class, format!("filename: \"{name}\": {error}"))
}

/// What a mode means for the system (§14.2.1).
fn flags(mode: c_int) -> Result<OFlags> {
    const KNOWN: c_int = OURS
        | MPI_MODE_RDONLY
        | MPI_MODE_WRONLY
        | MPI_MODE_RDWR
        | MPI_MODE_APPEND
        | MPI_MODE_SEQUENTIAL
        | MPI_MODE_UNIQUE_OPEN;
    let wrong = |text: &str| Err(Error::new(MPI_ERR_AMODE, format!("amode is {mode:#x}: {text}")));
    let access = match mode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR) {
        _ if mode & !KNOWN != 0 => return wrong("it has bits that are no mode"),
        MPI_MODE_RDONLY if mode & (MPI_MODE_CREATE | MPI_MODE_EXCL) != 0 => {
            return wrong("a file that is only read is not created");
        }
        MPI_MODE_RDWR if mode & MPI_MODE_SEQUENTIAL != 0 => return wrong("a sequential file is read or written"),
        MPI_MODE_RDONLY => OFlags::RDONLY,
        MPI_MODE_WRONLY => OFlags::WRONLY,
        MPI_MODE_RDWR => OFlags::RDWR,
        _ => return wrong("it must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
    };
    let when = |bit: c_int, flag: OFlags| if mode & bit != 0 { flag } else { OFlags::empty() };
    // Without O_CREAT the system leaves the meaning of O_EXCL open.
    let create = when(MPI_MODE_CREATE, OFlags::CREATE);
    Ok(access | create | if create.is_empty() { create } else { when(MPI_MODE_EXCL, OFlags::EXCL) })
}

impl Rank {
    /// Opens a guest's file in this process.
    fn open_here(&self, at: Addr, mode: c_int) -> Result<Opened> {
        let name = self.string(at, "filename")?;
        let name = name.to_string_lossy();
        let flags = flags(mode)?;
        let (grant, place) = find(&self.files.grants, &name)?;
        let changes = mode & (MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE) != MPI_MODE_RDONLY;
        if changes {
            writable(grant, &name)?;
        }
        let file = place.open(flags).map_err(|error| failed(&name, &error))?;
        let name = self.files.names.name(&file).map_err(|error| failed(&name, &error))?;
        Ok(Opened { _file: file, name, place })
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
        let name = self.string(at, "filename")?;
        let name = name.to_string_lossy();
        let (grant, place) = find(&self.files.grants, &name)?;
        writable(grant, &name)?;
        place.remove().map_err(|error| failed(&name, &error))
    }

    /// Removes an open file, which rank 0 of the communicator does for all.
    pub(crate) fn delete_together(&self, opened: &Opened, mut comm: usize) -> Result<()> {
        let (rank, barrier) = (self.symbol::<symbols::MPI_Comm_rank>()?, self.symbol::<symbols::MPI_Barrier>()?);
        let (free, mut me) = (self.symbol::<symbols::MPI_Comm_free>()?, -1);
        // SAFETY: the communicator was made when the file was opened, for this; a result on the stack.
        self.check(unsafe { rank(comm, &mut me) })?;
        let removed = if me == 0 { opened.place.remove() } else { Ok(()) };
        // SAFETY: as above; it is used no more.
        unsafe {
            self.check(barrier(comm))?;
            self.check(free(&mut comm))?;
        }
        removed.map_err(|error| failed("the file that is closed", &error))
    }
}

fn writable(grant: &Grant, name: &str) -> Result<()> {
    match grant.access() {
        Access::ReadWrite => Ok(()),
        Access::ReadOnly => {
            let text = format!("filename: \"{name}\" lies in a folder that may only be read (--dir-ro)");
            Err(Error::new(MPI_ERR_READ_ONLY, text))
        }
    }
}

fn elsewhere(class: c_int) -> Error {
    Error::new(class, "filename: another rank of the communicator could not open the file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::Folder;
    use std::io::Read;

    /// A folder with a file, a folder, and links in and out.
    fn granted() -> (TempDir, Grants) {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        std::fs::write(inside.join("file"), "inside").unwrap();
        std::fs::write(place.path().join("secret"), "secret").unwrap();
        for (target, link) in [("../secret", "out"), ("file", "in"), ("../not-there", "dangling"), ("..", "up")] {
            symlink(target, inside.join(link)).unwrap();
        }
        let grants = Grants::open(&[
            Folder { host: inside.clone(), guest: "/data".into(), access: Access::ReadWrite },
            Folder { host: inside.join("deep"), guest: "/data/deep".into(), access: Access::ReadOnly },
        ]);
        (place, grants.unwrap())
    }

    #[test]
    fn what_lies_beneath_is_found() {
        let (_place, grants) = granted();
        for name in ["/data/file", "data/./file", "/data/in", "/data/up/../file/../in", "/data//file"] {
            let found = find(&grants, name);
            if name.contains("up") {
                assert_eq!(found.unwrap_err().class, MPI_ERR_ACCESS);
                continue;
            }
            let (grant, place) = found.unwrap();
            let mut text = String::new();
            place.open(OFlags::RDONLY).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), grant.access()), ("inside", Access::ReadWrite), "{name}");
        }
        let (grant, place) = find(&grants, "/data/deep/new").unwrap();
        assert_eq!(writable(grant, "/data/deep/new").unwrap_err().class, MPI_ERR_READ_ONLY);
        assert!(place.open(OFlags::RDONLY).is_err());
    }

    #[test]
    fn what_leads_out_is_refused() {
        let (_place, grants) = granted();
        for name in
            ["/etc/passwd", "/data/../secret", "/data/out", "/data/dangling", "/data/up/secret", "/data/up/new", "file"]
        {
            assert_eq!(find(&grants, name).unwrap_err().class, MPI_ERR_ACCESS, "{name}");
        }
        assert_eq!(find(&grants, "/data/none/file").unwrap_err().class, MPI_ERR_NO_SUCH_FILE);
        assert_eq!(find(&grants, "/data").unwrap_err().class, MPI_ERR_BAD_FILE);
        assert_eq!(find(&Grants::default(), "/data/file").unwrap_err().class, MPI_ERR_ACCESS);
    }

    #[test]
    fn modes_are_those_of_mpi() {
        let write = MPI_MODE_WRONLY | MPI_MODE_CREATE;
        assert_eq!(flags(write).unwrap(), OFlags::WRONLY | OFlags::CREATE);
        assert_eq!(flags(write | MPI_MODE_EXCL).unwrap(), OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL);
        assert_eq!(flags(MPI_MODE_RDWR | MPI_MODE_EXCL | MPI_MODE_APPEND).unwrap(), OFlags::RDWR);
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
            assert_eq!(flags(mode).unwrap_err().class, MPI_ERR_AMODE, "{mode:#x}");
        }
    }

    #[test]
    fn a_name_leads_to_what_was_opened() {
        let (place, _grants) = granted();
        let path = place.path().join("inside/file");
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
