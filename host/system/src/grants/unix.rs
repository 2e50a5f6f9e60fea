//! A file is known by its device and its number there, and a folder that is open by its descriptor.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::{Access, Grant, Kept, Reach};
use crate::trust::{Step, Trail, effective_user};

/// What a file is known by, whatever its name.
pub(super) type Identity = (u64, u64);

fn of(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// That of a file that is open.
pub(super) fn identity(file: &File) -> io::Result<Identity> {
    Ok(of(&file.metadata()?))
}

/// That of what lies there, links followed.
pub(super) fn identity_at(path: &Path) -> io::Result<Identity> {
    Ok(of(&fs::metadata(path)?))
}

/// That of a step on a way.
pub(super) fn identity_of(step: &Step) -> Option<Identity> {
    Some(of(&step.metadata))
}

/// Opens a folder.
pub(super) fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Where a folder lies that is open.
pub(super) fn path_of(folder: &File) -> io::Result<PathBuf> {
    fs::read_link(descriptor(folder))
}

/// A path by which this process opens it once more.
fn descriptor(folder: &File) -> PathBuf {
    format!("/proc/self/fd/{}", folder.as_raw_fd()).into()
}

impl Grant {
    /// The folder itself.
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// A path by which this process opens the very folder that was granted, whatever has its name now.
    pub fn path(&self) -> PathBuf {
        let path = descriptor(&self.handle);
        if path.exists() { path } else { self.real.clone() }
    }
}

/// Why a guest could write to a file from there by another of its names: what has several is looked for.
pub(super) fn other_name(grant: &Grant, kept: &Kept, way: &Trail) -> Option<String> {
    let file = way.steps.last().filter(|_| way.missing.is_none()).map(|step| &step.metadata)?;
    let has_others = kept.reach == Reach::Itself && file.is_file() && file.nlink() > 1;
    let is_ours = file.uid() == effective_user() || effective_user() == 0;
    if !has_others || !is_ours || grant.access() == Access::ReadOnly {
        return None;
    }
    let (option, folder, place, what) =
        (grant.folder.option(), grant.folder.host.display(), kept.path.display(), kept.what);
    let step = "copy that file (cp) and name the copy, or let the folder only be read (--dir-ro)";
    match name_of(grant, of(file)) {
        Search::Found(name) => Some(format!(
            "{option} {folder}: {} there is another name of {place} ({what}), so a program that may write there could change \
             it, and so run code of its own; {step}",
            name.display()
        )),
        Search::TooMany if file.dev() == grant.identity.0 => Some(format!(
            "{option} {folder}: {place} ({what}) has {} names, and one may be among the more than {LOOKED_AT} files there, by \
             which a program could change it, and so run code of its own; {step}",
            file.nlink()
        )),
        Search::TooMany | Search::Nothing => None,
    }
}

/// Looks for a file beneath the folder.
fn name_of(grant: &Grant, wanted: Identity) -> Search {
    let (mut folders, mut looked_at, path) = (vec![PathBuf::new()], 0, grant.path());
    while let Some(folder) = folders.pop() {
        // Where this process may not look, its guests do not come either.
        let Ok(entries) = fs::read_dir(path.join(&folder)) else { continue };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > LOOKED_AT {
                return Search::TooMany;
            }
            // A folder's list tells the kind and the number, without a question for each file.
            let name = folder.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(name);
            } else if entry.ino() == wanted.1 && entry.metadata().is_ok_and(|found| of(&found) == wanted) {
                return Search::Found(name);
            }
        }
    }
    Search::Nothing
}

/// Files beneath a granted folder that are looked at for another name of a library's.
pub(super) const LOOKED_AT: usize = if cfg!(test) { 100 } else { 100_000 };

/// What came of a look for a file.
enum Search {
    Found(PathBuf),
    TooMany,
    Nothing,
}
