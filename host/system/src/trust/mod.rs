//! Who could have written a file: asked before code is loaded or run from it.
//!
//! Whoever may write to a folder may exchange what lies in it, and so may whoever may write to a folder above it, or to
//! one that a link on the way lies in. So a file is trusted with its whole way, from the root on.
//!
//! Guests are written by others too. What they were allowed to write to, and what is trusted all the same, is in `guests.rs`:
//! whatever decides what is run or trusted is read by [`Notes::read_deciding`], and code is asked about by [`distrust_code`].

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

mod guests;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use guests::{Found, Notes};
pub use system::{effective_user, is_administrators, is_ours_alone, is_written_by_us_alone};

/// A folder, link or file that is gone through on the way to another.
pub struct Step {
    /// Where it lies; no link comes before.
    pub path: PathBuf,
    /// What it is, links not followed.
    pub metadata: Metadata,
}

/// The way to a file.
pub struct Trail {
    /// From the root to the file itself, or to the last folder that is there.
    pub steps: Vec<Step>,
    /// Why the file was not reached.
    pub missing: Option<io::Error>,
}

/// Links that a system follows at most.
const MOST_LINKS: usize = 40;

impl Trail {
    /// Goes the way to a file as the system does.
    pub fn to(path: &Path) -> Trail {
        let mut trail = Trail { steps: Vec::new(), missing: None };
        trail.missing = trail.go(path).err();
        trail
    }

    fn go(&mut self, path: &Path) -> io::Result<()> {
        let path = std::path::absolute(path)?;
        let mut at = root(&path);
        self.step(&at)?;
        let mut left = names(&path);
        let mut links = 0;
        while let Some(name) = left.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            let next = at.join(name);
            if !self.step(&next)?.is_symlink() {
                at = next;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::other(format!("more than {MOST_LINKS} links lead there")));
            }
            let target = fs::read_link(&next)?;
            if target.is_absolute() {
                at = root(&target);
            }
            left.extend(names(&target));
        }
        Ok(())
    }

    fn step(&mut self, path: &Path) -> io::Result<&Metadata> {
        let metadata = fs::symlink_metadata(path)?;
        self.steps.push(Step { path: path.to_path_buf(), metadata });
        Ok(&self.steps.last().expect("it was pushed").metadata)
    }
}

/// Where an absolute path begins.
fn root(path: &Path) -> PathBuf {
    path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)).collect()
}

/// The names in a path, the last one first.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    names.map(|part| part.as_os_str().to_owned()).collect()
}

/// Why somebody else than this user and root could have written what lies there. Nothing if nobody could.
pub fn distrust(path: &Path) -> Option<String> {
    if cfg!(feature = "unvalidated") {
        return None;
    }
    let trail = Trail::to(path);
    let doubt =
        trail.steps.iter().find_map(|step| Some(format!("{} {}", step.path.display(), system::doubt(&step.metadata)?)));
    doubt.or_else(|| Some(trail.missing?.to_string()))
}

/// Why code is not trusted, which programs that this user has run must not have written either.
pub fn distrust_code(path: &Path) -> Option<String> {
    distrust(path).or_else(|| Notes::of_user().doubt(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_is_trusted_with_its_whole_way() {
        let top = tempfile::tempdir().unwrap();
        let (above, file) = (top.path().join("above"), top.path().join("above/folder/file"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        set(&file, 0o644);
        assert_eq!(distrust(&file), None);
        for (place, mode) in [(&file, 0o646), (&file, 0o666), (&above, 0o777), (&above, 0o757)] {
            let before = fs::metadata(place).unwrap().mode();
            set(place, mode);
            let why = distrust(&file).unwrap();
            assert!(why.starts_with(place.to_str().unwrap()) && why.contains("everybody"), "{why}");
            set(place, before);
        }
        // Like /tmp: others may add to it, and not exchange what is ours.
        set(&above, 0o1777);
        assert_eq!(distrust(&file), None);
        assert!(distrust(&above.join("none")).is_some());
    }

    #[test]
    fn links_are_part_of_the_way() {
        let top = tempfile::tempdir().unwrap();
        let (open, closed) = (top.path().join("open"), top.path().join("closed"));
        fs::create_dir_all(&open).unwrap();
        fs::create_dir_all(&closed).unwrap();
        fs::write(closed.join("file"), "").unwrap();
        symlink("../closed", open.join("link")).unwrap();
        assert_eq!(distrust(&open.join("link/file")), None);
        let steps = Trail::to(&open.join("link/../closed/file")).steps;
        let ends = |name: &str| steps.iter().any(|step| step.path.ends_with(name));
        assert!(ends("open/link") && ends("closed/file"));
        // Whoever may write there may lead the link elsewhere.
        set(&open, 0o777);
        assert!(distrust(&open.join("link/file")).unwrap().contains("open"));
        assert_eq!(distrust(&closed.join("file")), None);
        symlink("loop", closed.join("loop")).unwrap();
        assert!(distrust(&closed.join("loop")).is_some());
    }
}
