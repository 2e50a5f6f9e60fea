//! Files (MPI-5.0 chapter 14).
//!
//! All ranks that open a file together share one open file, so no rank asks another for its bytes: an access goes from the
//! rank's memory to the file and back. Where many ranks write or read pieces that interleave, each takes a stretch of the
//! file and moves it in large accesses, straight out of or into the memories of all. Who keeps the files is the host's
//! affair ([`Storage`]).
//!
//! | file | subject |
//! |---|---|
//! | `storage` | what the host gives |
//! | `open` | opening, closing, deleting; what is known of a file |
//! | `common`, `agree` | what ranks share of a file, and how they agree |
//! | `home` | what ranks of several nodes share |
//! | `view` | which bytes a rank sees |
//! | `datarep`, `convert` | representations, and conversion to them |
//! | `region` | bytes of an access in the file and in memory |
//! | `carry` | moving them |
//! | `access` | one rank's reads and writes |
//! | `collective` | those of all ranks |
//! | `pointers` | where ranks stand in a file |
//! | `beside` | what goes on while the rank computes |

mod access;
mod agree;
mod beside;
mod carry;
mod collective;
mod common;
mod convert;
mod datarep;
mod home;
mod open;
mod pointers;
mod region;
mod storage;
#[cfg(all(test, not(loom)))]
mod tests;
mod view;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{File, MPI_ERR_FILE, MPI_ERR_UNSUPPORTED_OPERATION, MPI_MODE_RDONLY, MPI_MODE_SEQUENTIAL};

use crate::comm::Communicator;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::info::Hints;
use crate::quota::{Account, Charge};
use crate::rank::Rank;

pub use access::*;
pub use carry::Direction;
pub use collective::*;
pub use datarep::*;
pub use open::*;
pub use pointers::*;
pub use storage::{Piece, Storage, Stored};
pub use view::*;

pub(crate) use home::{KIND, OverNodes};

use common::Common;
use view::View;

/// Files on their way to the other ranks that open them.
pub(crate) type Shelf = crate::shelf::Shelf<Arc<Common>>;

/// What a file's handle stands for, in one rank.
#[derive(Debug)]
pub(crate) struct Opened {
    common: Arc<Common>,
    /// Those who have opened it, in a context of the file's own.
    comm: Communicator,
    name: String,
    mode: i32,
    view: RefCell<Rc<View>>,
    /// This rank's own pointer, in elementary types of the view.
    position: Cell<i64>,
    info: RefCell<Hints>,
    /// The access that was begun and is to be ended.
    split: Cell<Option<Begun>>,
    _charge: Charge,
}

impl Opened {
    fn view(&self) -> Rc<View> {
        self.view.borrow().clone()
    }

    fn is_read_only(&self) -> bool {
        self.mode & MPI_MODE_RDONLY != 0
    }

    /// Refuses what a file that is accessed sequentially has not.
    fn check_random(&self) -> Result<()> {
        if self.mode & MPI_MODE_SEQUENTIAL == 0 {
            return Ok(());
        }
        let text =
            format!("{} is open with MPI_MODE_SEQUENTIAL: only the shared file pointer may be used", self.title());
        Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
    }

    /// `file 'field.dat'`
    fn title(&self) -> String {
        format!("file '{}'", self.name)
    }

    /// What it waits for who waits for a rank of the file.
    pub(crate) fn in_words(&self, peer: i32) -> String {
        let rank = self.comm.group.get(peer).map_or(peer, |rank| rank as i32);
        format!("rank {rank} to do the same with {}", self.title())
    }

    /// The rank of the job behind a rank of the file.
    pub(crate) fn member(&self, peer: i32) -> Option<usize> {
        self.comm.group.get(peer).map(|rank| rank as usize)
    }
}

/// The files of a rank, and the representations that it has registered.
pub(crate) struct State {
    table: RefCell<Table<Rc<Opened>>>,
    /// By name.
    datareps: RefCell<HashMap<String, Rc<Datarep>>>,
}

/// Files that a rank may have open: the host has a descriptor for each.
const MOST: usize = 256;

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State { table: RefCell::new(Table::new(Class::File, account, 0)), datareps: RefCell::default() }
    }

    /// The file whose ranks agree in a context.
    pub(crate) fn with_context(&self, context: Context) -> Option<Rc<Opened>> {
        let table = self.table.borrow();
        table.iter().find(|(_, file)| file.comm.context == context).map(|(_, file)| file.clone())
    }
}

impl Rank {
    /// What a file's handle stands for.
    fn file(&self, fh: File) -> Result<Rc<Opened>> {
        self.files.table.borrow().get(fh.0).cloned().ok_or_else(|| no_file(fh))
    }
}

#[cold]
fn no_file(fh: File) -> Error {
    let text = match fh {
        File::NULL => "the file is MPI_FILE_NULL".into(),
        File(handle) => format!("{handle:#x} is not a file of this rank (closed, or never opened)"),
    };
    Error::new(MPI_ERR_FILE, text)
}
