//! No file is opened here, so no thread is needed for any.

use std::sync::Arc;

use rankine_guest::Result;
use rankine_guest::file::Opening;
use rankine_local::io::{Storage, Stored};

use rankine_system::files::refused;
use rankine_system::grants::Grants;

/// The files of a job's ranks: there are none.
#[derive(Debug)]
pub(in crate::engine::local) struct Files;

impl Files {
    pub(in crate::engine::local) fn beneath(_: &Grants) -> Arc<dyn Storage> {
        Arc::new(Files)
    }
}

impl Storage for Files {
    fn open(&self, name: &str, _: Opening) -> Result<Arc<dyn Stored>> {
        Err(refused(name))
    }

    fn delete(&self, name: &str) -> Result<()> {
        Err(refused(name))
    }

    fn run(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}
