//! The info keys `path` and `wdir` (§11.8.4): in which folders a module is looked for, and in which one its ranks begin.

use std::borrow::Cow;
use std::sync::Arc;

use rankine_abi::MPI_ERR_SPAWN;

use super::Command;
use crate::error::{Error, Result};
use crate::io::Storage;
use crate::rank::Rank;

/// Bytes of the longest name of a folder: those that ranks start, one from the other, add up.
const LONGEST: usize = 4096;

/// A command, with its names as the first ranks of the job would have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The module, by the name that the program has for it.
    pub name: String,
    /// The arguments, without that name.
    pub arguments: Vec<String>,
    /// Which of the commands of its call it is.
    pub number: usize,
    /// Where its module may be, at last by its own name: the first that is there counts.
    pub places: Vec<String>,
    /// The folder in which its ranks begin, if that is not where the first ranks have.
    pub folder: Option<String>,
}

impl Order {
    pub(super) fn of(r: &Rank, number: usize, command: Command) -> Result<Order> {
        let hints = r.hints(command.info)?;
        let hint = |key: &str| hints.as_ref().and_then(|hints| hints.get(key));
        let here = r.spawn.beginning.get().map(|beginning| beginning.folder.clone());
        let path = hint("path").filter(|_| !command.name.contains('/'));
        let folders = path.iter().flat_map(|path| path.split(':')).filter(|folder| !folder.is_empty());
        let places = folders.map(|folder| r.seen_from_the_first(&within(folder, &command.name)).into_owned());
        let itself = r.seen_from_the_first(&command.name).into_owned();
        let places = places.chain([itself]).collect();
        let folder = hint("wdir").map(|folder| r.seen_from_the_first(folder).into_owned()).or(here);
        if folder.as_ref().is_some_and(|folder| folder.len() > LONGEST) {
            let text = format!("info: wdir, with the folders in which it lies, has more than {LONGEST} bytes");
            return Err(Error::new(MPI_ERR_SPAWN, text));
        }
        let Command { name, arguments, .. } = command;
        Ok(Order { name, arguments, number, places, folder })
    }
}

/// Where a rank has begun that was started in a folder of its own.
pub(super) struct Beginning {
    /// As the first ranks of the job have it.
    folder: String,
    /// The files that it has by its names.
    storage: Arc<dyn Storage>,
}

/// A name in a folder.
fn within(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}

impl Rank {
    /// The rank begins in this folder, and has these files by its names.
    pub fn begin_in(&self, folder: String, storage: Arc<dyn Storage>) {
        let _ = self.spawn.beginning.set(Beginning { folder, storage });
    }

    /// The files of a rank that has begun in a folder of its own.
    pub(crate) fn own_storage(&self) -> Option<&dyn Storage> {
        self.spawn.beginning.get().map(|beginning| &*beginning.storage)
    }

    /// A name of this rank's as the first ranks of the job would have it.
    pub(crate) fn seen_from_the_first<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.spawn.beginning.get() {
            Some(beginning) if !name.starts_with('/') => within(&beginning.folder, name).into(),
            _ => name.into(),
        }
    }
}
