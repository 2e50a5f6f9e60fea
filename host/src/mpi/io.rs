//! Files: the library opens them by name, so the name that it is given is ours: one beneath a folder that the program
//! may use.
//!
//! The guest's name is resolved as its C library does it, by the longest granted folder that it begins with; links are
//! followed, and whatever leaves that folder is refused. The library gets the real path, without links or `..`.

use std::cell::Cell;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rankine_abi::{
    Addr, Datatype, Errhandler, File, MPI_ERR_ACCESS, MPI_ERR_ARG, MPI_ERR_BAD_FILE, MPI_ERR_FILE,
    MPI_ERR_NO_SUCH_FILE, MPI_ERR_UNSUPPORTED_OPERATION, MPI_MAX_DATAREP_STRING,
};
use rankine_local::Error;
use rankine_local::handle::Class;

use super::Result;
use super::generated::symbols;
use super::handle::{Handles, Hosted, is_constant};
use super::hints::Of;
use super::rank::Rank;
use super::words::Words;
use crate::job::Folder;

/// No byte of a file is farther away.
const FURTHEST: u128 = 1 << 61;

/// A file that is open.
struct Open {
    host: usize,
    /// The guest's words for the elementary type and the file type of its view.
    view: Cell<(u32, u32)>,
    /// Bytes of the file that one more of an offset can mean.
    step: Cell<u128>,
}

impl Hosted for Open {
    fn host(&self) -> usize {
        self.host
    }
}

/// The files of this rank, and where they may lie.
pub(super) struct State {
    open: Handles<Open>,
    folders: Vec<Folder>,
}

impl State {
    pub(super) fn new(folders: Vec<Folder>) -> State {
        State {
            open: Handles::new((Class::File, File::NULL.0), MPI_ERR_FILE, "file", |word| File(word).name()),
            folders,
        }
    }
}

/// A path without a leading `/` and without `.`: how the C library of a guest compares them.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir)).collect()
}

/// The real path of a guest's file, which need not exist.
pub(super) fn resolve(folders: &[Folder], name: &str) -> Result<PathBuf> {
    let wanted = plain(Path::new(name));
    let matching = folders.iter().filter_map(|folder| {
        let prefix = plain(Path::new(&folder.guest));
        let rest = wanted.strip_prefix(&prefix).ok()?.to_owned();
        Some((prefix.components().count(), folder, rest))
    });
    let Some((_, folder, rest)) = matching.max_by_key(|(length, _, _)| *length) else {
        return Err(refused(name, "it lies in no folder that was given with --dir"));
    };
    let root = folder.host.canonicalize().map_err(|error| refused(name, &format!("its folder: {error}")))?;
    let path = root.join(&rest);
    let real = match path.canonicalize() {
        Ok(real) => real,
        // A file that is to be created: its folder must be there, and it must not be a link to what is not there.
        Err(_) if path.symlink_metadata().is_ok() => return Err(refused(name, "it is a link that leads nowhere")),
        Err(_) => {
            let (Some(folder), Some(last)) = (path.parent(), path.file_name()) else {
                return Err(Error::new(MPI_ERR_BAD_FILE, format!("filename: \"{name}\" is not the name of a file")));
            };
            let folder = folder.canonicalize().map_err(|error| {
                // What is outside is not even said to be there.
                let text = format!("filename: \"{name}\": {error}");
                Error::new(if is_inside(&rest) { MPI_ERR_NO_SUCH_FILE } else { MPI_ERR_ACCESS }, text)
            })?;
            folder.join(last)
        }
    };
    if real.starts_with(&root) { Ok(real) } else { Err(refused(name, "it leads out of the folder given with --dir")) }
}

/// Whether a path never goes above where it starts.
fn is_inside(path: &Path) -> bool {
    let mut depth = 0_i32;
    path.components().all(|part| {
        depth += if part == Component::ParentDir { -1 } else { 1 };
        depth >= 0
    })
}

#[cold]
fn refused(name: &str, why: &str) -> Error {
    Error::new(MPI_ERR_ACCESS, format!("filename: \"{name}\" may not be used: {why}"))
}

impl Rank {
    /// The name that the library is given for a guest's file.
    fn file_name(&self, at: Addr) -> Result<CString> {
        let name = self.string(at, "filename")?;
        let real = resolve(&self.files.folders, &name.to_string_lossy())?;
        Ok(CString::new(real.as_os_str().as_bytes()).expect("a path has no zero byte"))
    }

    /// The real path of a module that the program wants to start.
    pub(super) fn module_path(&self, name: &str) -> Result<PathBuf> {
        resolve(&self.files.folders, name)
    }

    /// The library's handle. Not `MPI_FILE_NULL`, which a library may look through.
    #[inline]
    pub(in crate::mpi) fn file(&self, word: u32, what: &str) -> Result<usize> {
        self.files.open.with(word, Hosted::host).ok_or_else(|| self.files.open.unknown(word, what))
    }

    /// Refuses a place in a file, a distance or a size with which a library could not compute any more.
    pub(in crate::mpi) fn file_offset(&self, word: u32, offset: i64, what: &str) -> Result<()> {
        let step = self.files.open.with(word, |open| open.step.get()).unwrap_or(1);
        if u128::from(offset.unsigned_abs()).saturating_mul(step) < FURTHEST {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("{what} is {offset}, which is farther than any file reaches")))
    }

    /// Drops a file that the library has closed.
    pub(in crate::mpi) fn after_file(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == File::NULL.0 as usize {
            self.files.open.remove(word);
            self.forget_handler(word);
            self.put_word(at, File::NULL.0, what)?;
        }
        Ok(())
    }
}

/// `MPI_File_open`
pub(in crate::mpi) fn file_open(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(4), 4, "fh")?;
    let (comm, info) = (r.intra(w.word(0), "comm")?, r.hints(w.word(3), Of::File, "info")?);
    let name = r.file_name(w.addr(1))?;
    let (call, mut host) = (r.symbol::<symbols::MPI_File_open>()?, 0);
    // SAFETY: see `mpi::shim`.
    r.check(unsafe { call(comm, name.as_ptr(), w.int(2), info.host, &mut host) })?;
    let set = r.symbol::<symbols::MPI_File_set_errhandler>()?;
    // SAFETY: the library has just opened the file.
    r.check(unsafe { set(host, Errhandler::ERRORS_RETURN.0 as usize) })?;
    let view = Cell::new((Datatype::BYTE.0, Datatype::BYTE.0));
    let word = r.files.open.insert(Open { host, view, step: Cell::new(1) })?;
    r.adopt_handler(word, r.file_default_handler());
    r.put_word(w.addr(4), word, "fh")
}

/// `MPI_File_delete`
pub(in crate::mpi) fn file_delete(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (name, info) = (r.file_name(w.addr(0))?, r.hints(w.word(1), Of::File, "info")?);
    let call = r.symbol::<symbols::MPI_File_delete>()?;
    // SAFETY: see `mpi::shim`.
    r.check(unsafe { call(name.as_ptr(), info.host) })
}

/// `MPI_File_set_view`
pub(in crate::mpi) fn file_set_view(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let file = r.file(w.word(0), "fh")?;
    r.file_offset(w.word(0), w.long(1), "disp")?;
    let (etype, filetype) = (r.datatype(w.word(2), "etype")?, r.datatype(w.word(3), "filetype")?);
    let (datarep, info) = (r.string(w.addr(4), "datarep")?, r.hints(w.word(5), Of::File, "info")?);
    let call = r.symbol::<symbols::MPI_File_set_view>()?;
    // SAFETY: see `mpi::shim`.
    r.check(unsafe { call(file, w.long(1), etype.host, filetype.host, datarep.as_ptr(), info.host) })?;
    r.files.open.with(w.word(0), |open| {
        open.view.set((etype.word, filetype.word));
        open.step.set(etype.reach().max(filetype.reach()).max(1));
    });
    Ok(())
}

/// `MPI_File_get_view`: predefined types are shown by the guest's own words.
pub(in crate::mpi) fn file_get_view(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let file = r.file(w.word(0), "fh")?;
    let mut datarep = r.text_room(w.addr(4), i64::from(MPI_MAX_DATAREP_STRING), "datarep")?;
    let (mut displ, mut etype, mut filetype) = (0, 0, 0);
    let call = r.symbol::<symbols::MPI_File_get_view>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(file, &mut displ, &mut etype, &mut filetype, datarep.as_mut_ptr().cast()) };
    r.check(code)?;
    let (of_elements, of_file) = r.files.open.with(w.word(0), |open| open.view.get()).unwrap_or_default();
    let word = |host: usize, known: u32| if is_constant(host) { Ok(known) } else { r.adopt_datatype(host, &[]) };
    r.put_long(w.addr(1), displ, "disp")?;
    r.put_word(w.addr(2), word(etype, of_elements)?, "etype")?;
    r.put_word(w.addr(3), word(filetype, of_file)?, "filetype")?;
    r.put_text(w.addr(4), &datarep, i64::from(MPI_MAX_DATAREP_STRING), "datarep")
}

/// `MPI_Register_datarep`: its functions would convert buffers of the library's, which a guest can't address.
pub(in crate::mpi) fn register_datarep(r: &Rank, w: &mut Words<'_>, _large: bool) -> Result<()> {
    let name = r.string(w.addr(0), "datarep")?;
    let text = format!(
        "the data representation \"{}\" can't be registered: its functions would work on memory of the host",
        name.to_string_lossy()
    );
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a file, a folder, and links in and out.
    fn granted() -> (tempfile::TempDir, Vec<Folder>) {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        std::fs::write(inside.join("file"), "x").unwrap();
        std::fs::write(place.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink("../secret", inside.join("out")).unwrap();
        std::os::unix::fs::symlink("file", inside.join("in")).unwrap();
        std::os::unix::fs::symlink("../not-there", inside.join("dangling")).unwrap();
        std::os::unix::fs::symlink("..", inside.join("up")).unwrap();
        let folders = vec![Folder { host: inside, guest: "/data".into() }];
        (place, folders)
    }

    #[test]
    fn what_lies_beneath_is_found() {
        let (place, folders) = granted();
        let inside = place.path().canonicalize().unwrap().join("inside");
        for (name, real) in
            [("/data/file", "file"), ("data/./file", "file"), ("/data/deep/new", "deep/new"), ("/data/in", "file")]
        {
            assert_eq!(resolve(&folders, name).unwrap(), inside.join(real), "{name}");
        }
    }

    #[test]
    fn what_leads_out_is_refused() {
        let (_place, folders) = granted();
        for name in
            ["/etc/passwd", "/data/../secret", "/data/out", "/data/dangling", "/data/up/secret", "/data/up/new", "file"]
        {
            assert_eq!(resolve(&folders, name).unwrap_err().class, MPI_ERR_ACCESS, "{name}");
        }
        assert_eq!(resolve(&folders, "/data/none/file").unwrap_err().class, MPI_ERR_NO_SUCH_FILE);
        assert_eq!(resolve(&[], "/data/file").unwrap_err().class, MPI_ERR_ACCESS);
    }
}
