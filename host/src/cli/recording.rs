//! `--record` from the command line: the file, from before the wall until the job has ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rankine_view::{Outcome, Recorder, Tape, View};

use rankine_system::{shown, tell};

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
        let warn = |text: &str| tell!("{}", shown::line(&format!("rankine: warning: --record: {text}")));
        let file = tape.path().to_owned();
        Ok(Recording { file, recorder: Recorder::start(tape, view.clone(), alone, warn)? })
    }

    /// Says what was recorded, once the view knows how the job ended.
    pub fn end(self) {
        let file = self.file.display();
        let text = match self.recorder.finish() {
            Ok(Outcome { bytes, cut: None, steps }) => format!("recorded: {file}, {}{}", size(bytes), skipped(&steps)),
            Ok(Outcome { bytes, cut: Some((at, _)), .. }) => {
                format!("recorded: {file}, {}, until {:.1} s", size(bytes), at.as_secs_f64())
            }
            Err(error) => format!("--record: {file}: {error:#}"),
        };
        tell!("{}", shown::line(&format!("rankine: {text}")));
    }
}

/// How many steps are in the file, where some are not: a program that is faster is not held up.
fn skipped(steps: &[(String, u64, u64)]) -> String {
    let of = |(name, frames, steps): &(String, u64, u64)| {
        (frames < steps).then(|| format!("{frames} of {steps} steps of {name}"))
    };
    let lacking: Vec<String> = steps.iter().filter_map(of).collect();
    if lacking.is_empty() {
        return String::new();
    }
    format!(": {} (others came too soon after one that was taken)", lacking.join(", "))
}

/// A number of bytes as people say it.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_steps_are_counted() {
        assert_eq!(skipped(&[("a".into(), 4, 4)]), "");
        let said = skipped(&[("a".into(), 4, 4), ("b".into(), 3, 90)]);
        assert!(said.starts_with(": 3 of 90 steps of b ("), "{said}");
    }
}
