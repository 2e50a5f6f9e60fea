//! What lies in a cache: entries, and what interrupted runs have left of some.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use super::{CODE, UNFINISHED};
use rankine_system::places;

/// The files of a cache.
pub struct Kept {
    /// The folder.
    pub folder: PathBuf,
    /// What they take together.
    pub bytes: u64,
    files: Vec<Entry>,
}

struct Entry {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

impl Kept {
    /// Looks into the user's cache.
    pub fn find() -> Result<Kept> {
        let folder = places::cache().context("there is no cache: set RANKINE_CACHE_DIR, XDG_CACHE_HOME or HOME")?;
        Kept::in_folder(folder)
    }

    /// Looks; a folder that is not there has nothing in it.
    pub(super) fn in_folder(folder: PathBuf) -> Result<Kept> {
        let mut kept = Kept { folder, bytes: 0, files: Vec::new() };
        let entries = match kept.folder.read_dir() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(kept),
            entries => entries.with_context(|| format!("{} can't be read", kept.folder.display()))?,
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            let unfinished = entry.file_name().as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
            // An entry that another process has just removed is none.
            if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
                && (unfinished || path.extension().is_some_and(|extension| extension == CODE))
            {
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                kept.bytes += metadata.len();
                kept.files.push(Entry { used, bytes: metadata.len(), path });
            }
        }
        Ok(kept)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.files.len()
    }

    /// Removes them. Jobs that run have their code in memory.
    pub fn remove(&self) -> Result<()> {
        for Entry { path, .. } in &self.files {
            match fs::remove_file(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => removed.with_context(|| format!("{} can't be removed", path.display()))?,
            }
        }
        Ok(())
    }

    /// If they take more than that, removes those that were not used for longest, until a quarter of it is free.
    pub(super) fn trim(mut self, most: u64) {
        if self.bytes <= most {
            return;
        }
        self.files.sort_by_key(|entry| entry.used);
        for entry in self.files {
            if self.bytes <= most / 4 * 3 {
                return;
            }
            // Another process may be about the same.
            if fs::remove_file(&entry.path).is_ok() {
                self.bytes -= entry.bytes;
            }
        }
    }
}
