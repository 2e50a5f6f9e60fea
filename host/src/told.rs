//! Who gets the reports of a rewritten program about its calls of MPI (see `profile::sites`).

use std::sync::Arc;

use rankine_guest::Who;
use wasmtime::{Instance, Store};

use crate::engine::Rank;
use crate::engine::local::check::Observer;
use crate::guest::Guest;
use crate::job::Settings;
use crate::profile::sites::{Sites, Tell};
use crate::profile::{self, Recorder};
use crate::symbols::Symbols;

/// Who listens to one instance of a program: a rank, or one of its threads.
#[derive(Clone)]
pub(crate) enum Ear {
    /// It counts calls.
    Profile(Arc<Recorder>),
    /// It checks them.
    Check(Arc<Observer>),
}

impl Settings {
    /// What the programs of the job tell.
    pub(crate) fn tell(&self) -> Option<Tell> {
        match (&self.check, &self.profile) {
            (Some(_), _) => Some(Tell::Words),
            (None, Some(_)) => Some(Tell::Payloads),
            (None, None) => None,
        }
    }
}

impl Ear {
    /// Who listens to a rank of a job, if anybody does.
    pub(crate) fn of(
        settings: &Settings,
        who: Who,
        index: usize,
        sites: Option<&Arc<Sites>>,
        symbols: &Arc<Symbols>,
    ) -> Option<Ear> {
        let sites = sites?;
        match (&settings.check, &settings.profile) {
            (Some(check), _) => Some(Ear::Check(check.observe(who, sites, symbols))),
            (None, Some(profile)) => Some(Ear::Profile(profile.record(who, index, sites, symbols))),
            (None, None) => None,
        }
    }

    /// Who listens to another thread of the same rank.
    pub(crate) fn of_another_thread(&self) -> Ear {
        match self {
            Ear::Profile(recorder) => Ear::Profile(recorder.of_another_thread()),
            Ear::Check(observer) => Ear::Check(observer.of_another_thread()),
        }
    }

    /// The program has ended.
    pub(crate) fn finish(&self) {
        if let Ear::Profile(recorder) = self {
            recorder.finish();
        }
    }

    pub(crate) fn recorder(&self) -> Option<&Arc<Recorder>> {
        match self {
            Ear::Profile(recorder) => Some(recorder),
            Ear::Check(_) => None,
        }
    }

    pub(crate) fn observer(&self) -> Option<&Arc<Observer>> {
        match self {
            Ear::Check(observer) => Some(observer),
            Ear::Profile(_) => None,
        }
    }
}

/// Puts into a program what it tells of its calls. To be called before any of its code runs.
pub(crate) fn install<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) -> wasmtime::Result<()> {
    match store.data().ear() {
        None => Ok(()),
        Some(Ear::Profile(_)) => profile::install(store, instance),
        Some(Ear::Check(_)) => R::check(store, instance),
    }
}
