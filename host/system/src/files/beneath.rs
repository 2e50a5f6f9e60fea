//! Opens files beneath a folder by names that others may change meanwhile.
//!
//! A path is gone through one name at a time, each from the handle of the folder before it, and links are read and
//! never followed by the system. So no exchange of a folder for a link leads anywhere but beneath the folder, however
//! it is timed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// Links that are followed at most.
const MOST_LINKS: usize = 40;

/// How a folder on the way is opened: to go on from, and for nothing else.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(target_os = "linux")]
const TO_GO_ON: OFlags = FOLDER.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const TO_GO_ON: OFlags = FOLDER;

/// Why there is no such place.
#[derive(Debug)]
pub enum Stray {
    /// The path leads out of the folder.
    Out,
    /// The system's reason.
    System(io::Error),
}

impl From<Errno> for Stray {
    fn from(error: Errno) -> Stray {
        Stray::System(error.into())
    }
}

/// A name in a folder that is open. A file of that name need not be there.
#[derive(Debug)]
pub struct Place {
    folder: OwnedFd,
    name: OsString,
}

/// The folders on the way, the last one being where it goes on.
struct Way<'f> {
    root: BorrowedFd<'f>,
    above: Vec<OwnedFd>,
}

impl Way<'_> {
    fn at(&self) -> BorrowedFd<'_> {
        self.above.last().map_or(self.root, |folder| folder.as_fd())
    }
}

/// Adds the names of a path to those that are left, of which the last comes next.
fn push(left: &mut Vec<OsString>, path: &Path) -> Result<(), Stray> {
    for part in path.components().rev() {
        match part {
            Component::Normal(_) | Component::ParentDir => left.push(part.as_os_str().to_owned()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(Stray::Out),
        }
    }
    Ok(())
}

/// Finds a place beneath a folder, by a path relative to it; links are followed as far as they stay beneath.
pub fn find(root: BorrowedFd<'_>, path: &Path) -> Result<Place, Stray> {
    if cfg!(feature = "unvalidated") {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = rustix::fs::openat(root, folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        return Ok(Place { folder, name: path.file_name().unwrap_or_default().to_owned() });
    }
    let mut way = Way { root, above: Vec::new() };
    let (mut left, mut links) = (Vec::new(), 0);
    push(&mut left, path)?;
    while let Some(name) = left.pop() {
        if name == ".." {
            way.above.pop().ok_or(Stray::Out)?;
            continue;
        }
        match rustix::fs::readlinkat(way.at(), &name, Vec::new()) {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                push(&mut left, Path::new(OsStr::from_bytes(target.to_bytes())))?;
            }
            // Not a link, or not there, which is an error for a folder and none for the file.
            Err(Errno::INVAL | Errno::NOENT) if left.is_empty() => {
                let folder = way.above.pop().map_or_else(|| root.try_clone_to_owned(), Ok);
                return Ok(Place { folder: folder.map_err(Stray::System)?, name });
            }
            Err(Errno::INVAL) => {
                let next = rustix::fs::openat(way.at(), &name, TO_GO_ON, Mode::empty())?;
                way.above.push(next);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::ISDIR.into())
}

impl Place {
    /// Opens the regular file there, or makes it. A link that has come there meanwhile is refused.
    pub fn open(&self, flags: OFlags) -> io::Result<File> {
        // A pipe that nobody writes to must not hold us up.
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(rustix::fs::openat(&self.folder, &self.name, flags, Mode::from_raw_mode(0o666))?);
        if !file.metadata()?.is_file() {
            return Err(Errno::ISDIR.into());
        }
        Ok(file)
    }

    /// Opens the folder there. A link that has come there meanwhile is refused.
    pub fn open_folder(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?))
    }

    /// Removes the file there, or the link.
    pub fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    /// A folder with a file, a folder, and links in and out.
    fn folder() -> (tempfile::TempDir, File) {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        fs::create_dir_all(inside.join("deep/er")).unwrap();
        fs::write(inside.join("file"), "inside").unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        for (target, link) in [
            ("../secret", "out"),
            ("file", "in"),
            ("../not-there", "dangling"),
            ("not-there", "dangling-inside"),
            ("..", "up"),
            ("deep/er", "down"),
            ("../file", "deep/back"),
            ("/etc/passwd", "absolute"),
            ("loop", "loop"),
        ] {
            symlink(target, inside.join(link)).unwrap();
        }
        let handle = File::open(&inside).unwrap();
        (place, handle)
    }

    fn read(root: &File, path: &str) -> Result<String, Stray> {
        let mut text = String::new();
        let mut file = find(root.as_fd(), Path::new(path))?.open(OFlags::RDONLY).map_err(Stray::System)?;
        file.read_to_string(&mut text).map_err(Stray::System)?;
        Ok(text)
    }

    #[test]
    fn what_lies_beneath_is_found() {
        let (_place, root) = folder();
        for path in ["file", "./file", "deep/../file", "in", "deep/back", "down/../../in", "deep/er/../../file"] {
            assert_eq!(read(&root, path).unwrap(), "inside", "{path}");
        }
        let new = find(root.as_fd(), Path::new("dangling-inside")).unwrap();
        drop(new.open(OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY).unwrap());
        assert_eq!(read(&root, "not-there").unwrap(), "");
        new.remove().unwrap();
        assert!(matches!(read(&root, "not-there"), Err(Stray::System(_))));
    }

    #[test]
    fn what_leads_out_is_refused() {
        let (_place, root) = folder();
        for path in
            ["../secret", "out", "dangling", "up/secret", "up/new", "absolute", "/etc/passwd", "down/../../../x"]
        {
            assert!(matches!(find(root.as_fd(), Path::new(path)), Err(Stray::Out)), "{path}");
        }
        for path in ["none/file", "loop", "file/x", ".", "deep/.."] {
            assert!(matches!(find(root.as_fd(), Path::new(path)), Err(Stray::System(_))), "{path}");
        }
        assert!(read(&root, "deep").is_err());
    }

    /// A folder is exchanged for a link out, and back, as fast as it goes.
    #[test]
    fn no_exchange_leads_out() {
        let (place, root) = folder();
        let inside = place.path().join("inside");
        fs::write(inside.join("deep/secret"), "inside").unwrap();
        symlink("..", inside.join("lure")).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let exchanges = scope.spawn(|| {
                let rename = |from: &str, to: &str| fs::rename(inside.join(from), inside.join(to)).unwrap();
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    rename("deep", "kept");
                    rename("lure", "deep");
                    rename("deep", "lure");
                    rename("kept", "deep");
                }
            });
            // Where the other thread is left alone in the midst of an exchange, none succeeds for a while.
            let texts = std::iter::repeat_with(|| read(&root, "deep/secret")).take_while(|_| !exchanges.is_finished());
            let strays: Vec<_> = texts.flatten().take(1_000).filter(|text| text != "inside").collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(strays, [""; 0]);
        });
    }
}
