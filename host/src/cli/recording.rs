//! `--record` from the command line: the file, from before the wall until the job has ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rankine_view::{Outcome, Recorder, Tape, View};

use crate::shown;

/// A recording under way.
pub(super) struct Recording {
    file: PathBuf,
    recorder: Recorder,
}

/// Makes the file: behind the wall nobody can.
pub(super) fn tape(file: &Path, limit: usize) -> Result<Tape> {
    Tape::create(file, limit as u64).context("--record")
}

impl Recording {
    /// Records from now on. `alone` says that no page is served.
    pub fn begin(tape: Tape, view: &Arc<View>, alone: bool) -> Result<Recording> {
        let warn = |text: &str| eprintln!("{}", shown::line(&format!("rankine: warning: --record: {text}")));
        let file = tape.path().to_owned();
        Ok(Recording { file, recorder: Recorder::start(tape, view.clone(), alone, warn)? })
    }

    /// Says what was recorded, once the view knows how the job ended.
    pub fn end(self) {
        let file = self.file.display();
        let text = match self.recorder.finish() {
            Ok(Outcome { bytes, cut: None }) => format!("recorded: {file}, {}", size(bytes)),
            Ok(Outcome { bytes, cut: Some((at, _)) }) => {
                format!("recorded: {file}, {}, until {:.1} s", size(bytes), at.as_secs_f64())
            }
            Err(error) => format!("--record: {file}: {error:#}"),
        };
        eprintln!("{}", shown::line(&format!("rankine: {text}")));
    }
}

/// A number of bytes as people say it.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
