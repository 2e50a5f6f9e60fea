//! `--check` from the command line: where its findings go.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};

use crate::ending::Ending;
use crate::engine::local::check::Check;
use crate::shown;

/// The status of a program that ended with 0, where something was found.
const FOUND: i32 = 4;

/// A check, and the file that its findings go to as well.
pub(super) struct Checking {
    check: Arc<Check>,
    file: Option<(PathBuf, File)>,
}

impl Checking {
    /// Begins one. The file is made now: behind the wall nobody can.
    pub(super) fn begin(file: Option<&Path>) -> Result<Checking> {
        let make = |file: &Path| -> Result<(PathBuf, File)> {
            let made = File::create(file);
            let made = made.with_context(|| format!("--check: {} can't be written", file.display()))?;
            Ok((file.to_path_buf(), made))
        };
        Ok(Checking { check: Arc::default(), file: file.map(make).transpose()? })
    }

    pub(super) fn check(&self) -> Arc<Check> {
        self.check.clone()
    }

    /// Says what was found until the job ended so; the status of the process.
    pub(super) fn say(self, ending: &Ending) -> i32 {
        let report = self.check.report(matches!(ending, Ending::Finished { .. }));
        let _ = std::io::stderr().write_all(shown::lines(&report.text()).as_bytes());
        if let Some((path, mut file)) = self.file {
            let written = serde_json::to_vec_pretty(&report).map_err(std::io::Error::from);
            if let Err(error) = written.and_then(|bytes| file.write_all(&bytes)).and_then(|()| file.write_all(b"\n")) {
                eprintln!("rankine: --check: {} can't be written: {error}", path.display());
            }
        }
        match ending.status() {
            0 if report.has_findings() => FOUND,
            status => status,
        }
    }
}
