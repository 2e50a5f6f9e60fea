//! `--check` from the command line: where its findings go.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::engine::Engine;
use crate::report::mistakes::Report;
use crate::run::ending::Ending;
use rankine_system::{shown, tell};

/// The status of a program that ended with 0, where something was found.
const FOUND: i32 = 4;

/// The file that findings go to as well, if there is one.
pub(super) struct Checking {
    file: Option<(PathBuf, File)>,
}

impl Checking {
    /// Begins one. The file is made now: behind the wall nobody can.
    pub(super) fn begin<E: Engine>(file: Option<&Path>) -> Result<Checking> {
        let make = |file: &Path| -> Result<(PathBuf, File)> {
            let made = File::create(file);
            let made = made.with_context(|| format!("--check: {} can't be written", file.display()))?;
            Ok((file.to_path_buf(), made))
        };
        // Of a launcher's processes, the first writes it.
        Ok(Checking { file: file.filter(|_| E::first_rank() == 0).map(make).transpose()? })
    }

    /// Says what was found until the job ended so; the status of the process.
    pub(super) fn say(self, report: &Report, ending: &Ending) -> i32 {
        let _ = std::io::stderr().write_all(shown::lines(&report.text(too_early(ending))).as_bytes());
        if let Some((path, mut file)) = self.file {
            let written = serde_json::to_vec_pretty(report).map_err(std::io::Error::from);
            if let Err(error) = written.and_then(|bytes| file.write_all(&bytes)).and_then(|()| file.write_all(b"\n")) {
                tell!("rankine: --check: {} can't be written: {error}", path.display());
            }
        }
        match ending.status() {
            0 if report.has_findings() => FOUND,
            status => status,
        }
    }
}

/// What has ended a job before its program was done, and was said before.
fn too_early(ending: &Ending) -> Option<&'static str> {
    match ending {
        Ending::Finished { .. } | Ending::OutputClosed => None,
        Ending::Elsewhere(_) => Some("the end of the job on another node"),
        Ending::Deadlocked(_) => Some("the deadlock"),
        Ending::Aborted { error: Some(_), .. } | Ending::Failed(_) => Some("the error"),
        Ending::Aborted { .. } => Some("the MPI_Abort"),
        Ending::Trapped { .. } => Some("the trap"),
        Ending::Quit { .. } => Some("the early exit"),
        Ending::TimedOut(..) => Some("the end by its time limit"),
        Ending::Signalled(..) => Some("the end by a signal"),
    }
}
