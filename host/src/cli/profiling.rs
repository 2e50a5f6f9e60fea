//! `--profile` from the command line: where the profile goes.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};

use crate::engine::Engine;
use crate::guest::profile::Profile;
use rankine_system::{shown, tell};

/// A profile, and the file that it goes to as well.
pub(super) struct Profiling {
    profile: Arc<Profile>,
    file: Option<(PathBuf, File)>,
}

impl Profiling {
    /// Begins one. The file is made now: behind the wall nobody can.
    pub(super) fn begin<E: Engine>(file: Option<&Path>) -> Result<Profiling> {
        let make = |file: &Path| -> Result<(PathBuf, File)> {
            let made = File::create(file);
            let made = made.with_context(|| format!("--profile: {} can't be written", file.display()))?;
            Ok((file.to_path_buf(), made))
        };
        // Of a launcher's processes, the first writes it.
        let file = file.filter(|_| E::first_rank() == 0).map(make).transpose()?;
        Ok(Profiling { profile: Profile::new(E::HAS_ALL_RANKS), file })
    }

    pub(super) fn profile(&self) -> Arc<Profile> {
        self.profile.clone()
    }

    /// Says what was counted until the job ended.
    pub(super) fn say(self) {
        let Some(report) = self.profile.report() else { return };
        let _ = std::io::stderr().write_all(shown::lines(&report.table()).as_bytes());
        if let Some((path, mut file)) = self.file {
            let written = serde_json::to_vec_pretty(&report).map_err(std::io::Error::from);
            if let Err(error) = written.and_then(|bytes| file.write_all(&bytes)).and_then(|()| file.write_all(b"\n")) {
                tell!("rankine: --profile: {} can't be written: {error}", path.display());
            }
        }
    }
}
