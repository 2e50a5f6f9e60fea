//! Who gets the reports of a rewritten program about its calls of MPI (see `profile::sites`).

use std::sync::Arc;

use wasmtime::{Instance, Store};

use crate::guest::profile::{self, Recorder};
use crate::guest::{Guest, Observes as _, Rank};

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

impl<R: Rank> Ear<R> {
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
