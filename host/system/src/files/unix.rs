//! A name is resolved as a guest's C library does it, by the longest granted folder that it begins with, and opened beneath
//! that folder (`beneath`). So no name leads out of what was granted, whatever is done to the folders meanwhile.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use rankine_abi::{
    MPI_ERR_ACCESS, MPI_ERR_BAD_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_IO, MPI_ERR_NO_SPACE, MPI_ERR_NO_SUCH_FILE,
    MPI_ERR_QUOTA, MPI_ERR_READ_ONLY,
};
use rankine_guest::file::Opening;
use rankine_guest::{Error, Result};
use rustix::fs::OFlags;

use super::beneath::{self, Place, Stray};
use crate::grants::{Access, Grant, Grants};

/// A path without a leading `/` and without `.`: how the C library of a guest compares them.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir)).collect()
}

/// Where a guest's name leads, which need not exist, and the folder that is granted there.
pub fn find<'g>(grants: &'g Grants, name: &str) -> Result<(&'g Grant, Place)> {
    let wanted = plain(Path::new(name));
    let matching = grants.iter().filter_map(|grant| {
        let prefix = plain(Path::new(grant.guest()));
        let rest = wanted.strip_prefix(&prefix).ok()?.to_owned();
        Some((prefix.components().count(), grant, rest))
    });
    let Some((_, grant, rest)) = matching.max_by_key(|(length, _, _)| *length) else {
        return Err(refused(name, "it is in no folder that was granted with --dir"));
    };
    match beneath::find(grant.handle(), &rest) {
        Ok(place) => Ok((grant, place)),
        Err(Stray::Out) => Err(refused(name, "it leads out of the folder granted with --dir")),
        Err(Stray::System(error)) => Err(failed(name, &error)),
    }
}

#[cold]
fn refused(name: &str, why: &str) -> Error {
    Error::new(MPI_ERR_ACCESS, format!("filename: \"{name}\" may not be used: {why}"))
}

/// What becomes of an error of the system.
#[cold]
pub fn failed(name: &str, error: &io::Error) -> Error {
    let class = match error.raw_os_error() {
        Some(libc::ENOENT) => MPI_ERR_NO_SUCH_FILE,
        Some(libc::EEXIST) => MPI_ERR_FILE_EXISTS,
        // ELOOP: a link has come there meanwhile.
        Some(libc::EACCES | libc::EPERM | libc::ELOOP) => MPI_ERR_ACCESS,
        Some(libc::EROFS) => MPI_ERR_READ_ONLY,
        Some(libc::EISDIR | libc::ENOTDIR | libc::ENAMETOOLONG | libc::ENXIO) => MPI_ERR_BAD_FILE,
        Some(libc::ENOSPC | libc::EFBIG) => MPI_ERR_NO_SPACE,
        Some(libc::EDQUOT) => MPI_ERR_QUOTA,
        _ => MPI_ERR_IO,
    };
    Error::new(class, format!("filename: \"{name}\": {error}"))
}

/// Opens a guest's file, or makes it.
pub fn open(grants: &Grants, name: &str, opening: Opening) -> Result<(File, Place)> {
    let (grant, place) = find(grants, name)?;
    if opening.changes() {
        writable(grant, name)?;
    }
    let file = place.open(flags(opening)).map_err(|error| failed(name, &error))?;
    Ok((file, place))
}

/// Opens a guest's file to read it. The outer error is that of its name.
pub fn to_read(grants: &Grants, name: &str) -> Result<io::Result<File>> {
    Ok(find(grants, name)?.1.open(OFlags::RDONLY))
}

/// Opens a guest's folder; it lies beneath one that is granted, or is that one.
pub fn folder<'g>(grants: &'g Grants, name: &str) -> Result<(&'g Grant, File)> {
    let wanted = plain(Path::new(name));
    let opened = match grants.iter().find(|grant| plain(Path::new(grant.guest())) == wanted) {
        Some(grant) => File::open(grant.path()).map(|folder| (grant, folder)),
        None => {
            let (grant, place) = find(grants, name)?;
            place.open_folder().map(|folder| (grant, folder))
        }
    };
    opened.map_err(|error| failed(name, &error))
}

/// Deletes a guest's file.
pub fn delete(grants: &Grants, name: &str) -> Result<()> {
    let (grant, place) = find(grants, name)?;
    writable(grant, name)?;
    place.remove().map_err(|error| failed(name, &error))
}

fn flags(opening: Opening) -> OFlags {
    let access = match (opening.read, opening.write) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let when = |wanted: bool, flag: OFlags| if wanted { flag } else { OFlags::empty() };
    access | when(opening.create, OFlags::CREATE) | when(opening.exclusive, OFlags::EXCL)
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

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;
    use crate::grants::Folder;

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
    fn what_may_only_be_read_is_not_changed() {
        let (place, grants) = granted();
        let read = Opening { read: true, ..Opening::default() };
        let make = Opening { write: true, create: true, exclusive: true, ..Opening::default() };
        let class = |name: &str, opening| open(&grants, name, opening).unwrap_err().class;
        assert_eq!(class("/data/deep/new", make), MPI_ERR_READ_ONLY);
        assert_eq!(class("/data/deep/new", Opening { delete: true, ..read }), MPI_ERR_READ_ONLY);
        assert_eq!(class("/data/deep/new", read), MPI_ERR_NO_SUCH_FILE);
        assert_eq!(class("/data/file", make), MPI_ERR_FILE_EXISTS);
        assert!(folder(&grants, "/data/file").is_err() && folder(&grants, "/data/up").is_err());
        for name in ["/data", "/data/.", "/data/deep", "data"] {
            assert!(folder(&grants, name).unwrap().1.metadata().unwrap().is_dir(), "{name}");
        }
        drop(open(&grants, "/data/new", make).unwrap());
        assert_eq!(delete(&grants, "/data/deep/er").unwrap_err().class, MPI_ERR_READ_ONLY);
        delete(&grants, "/data/new").unwrap();
        assert!(!place.path().join("inside/new").exists());
    }
}
