//! A rank between the start of its program and its end (MPI-5.0 §11.2).

use std::cell::Cell;

use rankine_abi::MPI_ERR_OTHER;

use crate::error::{Error, Result};

/// Where a rank is between its start and its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Before `MPI_Init`.
    #[default]
    Fresh,
    /// MPI may be called.
    Running,
    /// After `MPI_Finalize`.
    Finalized,
}

/// What a rank knows of its own start and end.
#[derive(Debug, Default)]
pub struct Life {
    phase: Cell<Phase>,
    /// Sessions that are open: as long as there is one, MPI is initialised.
    sessions: Cell<u32>,
}

impl Life {
    /// Where the rank is: as long as a session is open, MPI may be called.
    pub fn phase(&self) -> Phase {
        if self.is_running() { Phase::Running } else { self.phase.get() }
    }

    /// Whether MPI may be called now.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.phase.get() == Phase::Running || self.sessions.get() > 0
    }

    /// Refuses a call before `MPI_Init` or after `MPI_Finalize`, while no session is open either.
    #[inline]
    pub fn check_running(&self) -> Result<()> {
        if self.is_running() { Ok(()) } else { Err(self.not_running()) }
    }

    #[cold]
    fn not_running(&self) -> Error {
        let text = match self.phase.get() {
            Phase::Finalized => "it was called after MPI_Finalize",
            _ => "it was called before MPI_Init",
        };
        Error::new(MPI_ERR_OTHER, text)
    }

    /// Refuses `MPI_Init` where it was called before.
    pub fn check_fresh(&self) -> Result<()> {
        match self.phase.get() {
            Phase::Fresh => Ok(()),
            Phase::Running => Err(Error::new(MPI_ERR_OTHER, "MPI is initialised already")),
            Phase::Finalized => Err(Error::new(MPI_ERR_OTHER, "MPI cannot be initialised again after MPI_Finalize")),
        }
    }

    /// Refuses `MPI_Finalize` where there is nothing to finalise.
    pub fn check_initialized(&self) -> Result<()> {
        if self.phase.get() == Phase::Running { Ok(()) } else { Err(self.not_running()) }
    }

    /// Whether the program has called `MPI_Init`.
    pub fn was_initialized(&self) -> bool {
        self.phase.get() != Phase::Fresh
    }

    /// Whether the program has called `MPI_Finalize`.
    pub fn is_finalized(&self) -> bool {
        self.phase.get() == Phase::Finalized
    }

    /// `MPI_Init` has done its work.
    pub fn begin(&self) {
        self.phase.set(Phase::Running);
    }

    /// `MPI_Finalize` has done its work.
    pub fn end(&self) {
        self.phase.set(Phase::Finalized);
    }

    /// A session has been opened (`by` 1) or closed (-1).
    pub fn count_sessions(&self, by: i32) {
        self.sessions.set(self.sessions.get().saturating_add_signed(by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_initialises_once() {
        let life = Life::default();
        assert!(!life.is_running() && !life.was_initialized() && life.check_fresh().is_ok());
        assert_eq!(life.check_running().unwrap_err().text, "it was called before MPI_Init");
        life.begin();
        assert!(life.is_running() && life.check_fresh().is_err() && life.check_initialized().is_ok());
        life.end();
        assert!(!life.is_running() && life.is_finalized() && life.was_initialized());
        assert_eq!(life.check_initialized().unwrap_err().text, "it was called after MPI_Finalize");
        assert!(life.check_fresh().is_err());
    }

    #[test]
    fn an_open_session_is_enough() {
        let life = Life::default();
        life.count_sessions(1);
        assert!(life.is_running() && life.check_running().is_ok() && life.check_initialized().is_err());
        life.count_sessions(-1);
        assert!(!life.is_running());
    }
}
