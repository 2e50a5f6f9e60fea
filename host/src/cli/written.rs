//! Files that a command leaves: by which name, where a program may write too.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use rankine_system::trust::Notes;
use rankine_system::{shown, tell};

/// Refuses to write a file through a link that a program could have made, to have another file written over.
pub(super) fn refuse_planted(option: &str, file: &Path) -> Result<()> {
    match Notes::of_user().planted_link(file) {
        None => Ok(()),
        Some(link) => bail!(
            "{option} {}: {} is a link that a program could have made, which was allowed to write there, so nothing is written through \
             it; remove it, or name another file",
            file.display(),
            link.display()
        ),
    }
}

/// Warns of those that the job's own programs may exchange or change.
pub(super) fn warn_of_guests(files: &[(&'static str, PathBuf)]) {
    for (option, file) in files {
        if let Some(folder) = Notes::of_user().granted_here(file) {
            let (file, folder) = (file.display(), folder.display());
            let text = format!(
                "rankine: warning: {option} {file}: it lies in {folder}, which the program may write to, and so may exchange it"
            );
            tell!("{}", shown::line(&text));
        }
    }
}
