//! A job in the audit of this machine.

use anyhow::Result;

use crate::engine::Engine;
use crate::module::Program;
use crate::run::audit::{Audit, Note};
use crate::run::ending::Ending;
use crate::run::job::Settings;
use rankine_system::tell;

/// A job that is noted, in the process that does: the first of the job, if this machine keeps an audit.
pub(super) struct Noted(Option<Audit>);

impl Noted {
    /// Says what the job is, before anything of it runs.
    pub(super) fn new<E: Engine>(mut audit: Option<Audit>, programs: &[Program], settings: &Settings) -> Result<Noted> {
        if let Some(audit) = &mut audit {
            let files = settings.parts.iter().map(|part| part.file().display().to_string());
            let programs: Vec<_> = files.zip(programs.iter().map(|program| program.origin.clone())).collect();
            let ranks = settings.all_ranks::<E>().unwrap_or(1);
            audit.describe(&Note { programs: &programs, engine: E::NAME, ranks })?;
        }
        Ok(Noted(audit))
    }

    /// Has its end written.
    pub(super) fn write(self, ending: &Ending) {
        if let Some(Err(error)) = self.0.map(|audit| audit.write(ending.status())) {
            tell!("rankine: warning: this job could not be recorded in the audit of this machine: {error}");
        }
    }
}
