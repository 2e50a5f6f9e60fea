//! Who gets the reports of a rewritten program about its calls of MPI (see `profile::sites`).

use std::sync::Arc;

use wasmtime::{Instance, Store};

use crate::crew::Seat;
use crate::engine::{Engine, Observes as _, Rank};
use crate::guest::Guest;
use crate::job::Settings;
use crate::module::Changes;
use crate::profile::sites::{Sites, Tell};
use crate::profile::{self, Recorder};
use crate::symbols::Symbols;

/// Who listens to one instance of a program: a rank, or one of its threads.
pub(crate) enum Ear<R: Rank> {
    /// It counts calls.
    Profile(Arc<Recorder>),
    /// It checks them, as the engine does that.
    Check(Arc<R::Observer>),
}

impl<R: Rank> Clone for Ear<R> {
    fn clone(&self) -> Ear<R> {
        match self {
            Ear::Profile(recorder) => Ear::Profile(recorder.clone()),
            Ear::Check(observer) => Ear::Check(observer.clone()),
        }
    }
}

impl Settings {
    /// How its programs are changed.
    pub(crate) fn changes(&self) -> Changes {
        Changes { tell: self.tell(), heap: self.check_heap, null_page: self.null_page }
    }

    /// What the programs of the job tell.
    fn tell(&self) -> Option<Tell> {
        match &self.profile {
            _ if self.check => Some(Tell::Words),
            profile => profile.as_ref().map(|_| Tell::Payloads),
        }
    }
}

impl<R: Rank> Ear<R> {
    /// Who listens to a rank of a job, if anybody does.
    pub(crate) fn of(
        engine: &impl Engine<Rank = R>,
        settings: &Settings,
        Seat { index, who }: Seat,
        sites: Option<&Arc<Sites>>,
        symbols: &Arc<Symbols>,
    ) -> Option<Ear<R>> {
        let sites = sites?;
        match &settings.profile {
            _ if settings.check => engine.observe(who, sites, symbols).map(Ear::Check),
            profile => profile.as_ref().map(|profile| Ear::Profile(profile.record(who, index, sites, symbols))),
        }
    }

    /// Who listens to another thread of the same rank.
    pub(crate) fn of_another_thread(&self) -> Ear<R> {
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

    pub(crate) fn observer(&self) -> Option<&Arc<R::Observer>> {
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
