//! A job in the audit of this machine.

use std::time::Instant;

use crate::ending::Ending;
use crate::engine::Engine;
use crate::job::Settings;
use crate::module::{Origin, Program};
use crate::policy::{Audit, Note, Used};

/// What the audit of this machine is to know of a job.
pub(super) struct Noted {
    engine: &'static str,
    programs: Vec<(String, Origin)>,
    ranks: usize,
    /// It is this process that notes it: the first of the job.
    is_here: bool,
    started: Instant,
}

impl Noted {
    pub(super) fn new<E: Engine>(programs: &[Program], settings: &Settings) -> Noted {
        let files = settings.parts.iter().map(|part| part.file().display().to_string());
        let programs = files.zip(programs.iter().map(|program| program.origin.clone())).collect();
        let (ranks, is_here) = (E::ranks(settings.ranks).unwrap_or(1), E::first_rank() == 0);
        Noted { engine: E::NAME, programs, ranks, is_here, started: settings.started }
    }

    /// Writes it, if this machine keeps an audit.
    pub(super) fn write(&self, audit: Option<Audit>, ending: &Ending) {
        let Some(mut audit) = audit.filter(|_| self.is_here) else { return };
        let note = Note {
            programs: &self.programs,
            engine: self.engine,
            ranks: self.ranks,
            status: ending.status(),
            seconds: self.started.elapsed().as_secs_f64(),
            used: Used::by_now(),
        };
        if let Err(error) = audit.write(&note) {
            eprintln!("rankine: warning: this job could not be recorded in the audit of this machine: {error}");
        }
    }
}
