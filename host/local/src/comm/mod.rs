//! Communicators (MPI-5.0 chapter 7): who talks to whom, in which context.

mod create;
mod idup;
mod inter;
mod party;
mod session;
mod split;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Comm, Errhandler, Group, Info, MPI_CONGRUENT, MPI_ERR_COMM, MPI_ERR_RANK, MPI_IDENT, MPI_MAX_OBJECT_NAME,
    MPI_PROC_NULL, MPI_SIMILAR, MPI_UNEQUAL, Session,
};

use crate::attr::{self, Attributes};
use crate::context::{Context, disagreement};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::handle::{Class, Table};
use crate::info::Hints;
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;
use crate::topo::Charged;

pub(crate) use party::{Party, Tag, name};
pub(crate) use split::SHARED_MEMORY;

pub use create::*;
pub use idup::*;
pub use inter::*;
pub use session::*;
pub use split::*;

/// What a communicator's handle stands for, in one rank.
#[derive(Debug)]
pub struct Communicator {
    pub(crate) context: Context,
    /// This rank's rank in it.
    pub(crate) rank: i32,
    /// The world ranks of its (local) group.
    pub(crate) group: Rc<Members>,
    /// The world ranks of the remote group, if it is an intercommunicator.
    pub(crate) remote: Option<Rc<Members>>,
    /// Its local group as a communicator of its own, if it is an intercommunicator.
    pub(crate) local: Option<Rc<Communicator>>,
    pub(crate) topology: Option<Rc<Charged>>,
    pub(crate) name: RefCell<String>,
    pub(crate) errhandler: Cell<Errhandler>,
    /// Attribute values by keyval.
    pub(crate) attributes: RefCell<Attributes>,
    /// Hints (§7.4.4).
    pub(crate) info: RefCell<Hints>,
    /// How many ranks of its group share a node in a row, once a collective has asked.
    pub(crate) near: OnceCell<usize>,
    /// Counts nonblocking collectives, whose messages it keeps apart.
    pub(crate) sequence: Cell<u32>,
    /// Counts blocking collectives, and has the root of the last: for deadlock reports.
    pub(crate) blocking: Cell<(u32, Option<u32>)>,
    /// The session that its group comes from, if it comes from one.
    pub(crate) session: Option<Session>,
    /// For itself and its groups, once it has a handle.
    charge: Charge,
}

/// What errors call them.
const WHAT: Cost = Cost::Communicators;

impl Communicator {
    /// A communicator of `group` in which this rank is `rank`.
    pub(crate) fn new(context: Context, group: Rc<Members>, rank: i32) -> Self {
        Communicator {
            context,
            rank,
            group,
            remote: None,
            local: None,
            topology: None,
            name: RefCell::default(),
            errhandler: Cell::new(Errhandler::ERRORS_ARE_FATAL),
            attributes: RefCell::default(),
            info: RefCell::default(),
            near: OnceCell::new(),
            sequence: Cell::new(0),
            blocking: Cell::default(),
            session: None,
            charge: Charge::default(),
        }
    }

    /// Bytes of host memory that it takes, but for its topology, its attributes and its hints.
    fn heap_bytes(&self) -> usize {
        let remote = self.remote.as_ref().map_or(0, |remote| remote.heap_bytes());
        2 * size_of::<Communicator>() + MPI_MAX_OBJECT_NAME as usize + self.group.heap_bytes() + remote
    }

    /// It as one of a session.
    pub(crate) fn in_session(mut self, session: Option<Session>) -> Self {
        self.session = session;
        self
    }

    /// `MPI_COMM_WORLD` of these ranks.
    pub(crate) fn world(context: Context, group: Rc<Members>, rank: i32) -> Self {
        let world = Self::new(context, group, rank);
        *world.name.borrow_mut() = "MPI_COMM_WORLD".into();
        world
    }

    pub(crate) fn myself(id: usize) -> Self {
        let myself = Self::new(Context::SELF, Rc::new(Members::range(id as u32, 1)), 0);
        *myself.name.borrow_mut() = "MPI_COMM_SELF".into();
        myself
    }

    /// The number of the next nonblocking collective, which keeps its messages apart.
    pub(crate) fn next_sequence(&self) -> u32 {
        self.sequence.replace(self.sequence.get().wrapping_add(1))
    }

    /// Begins what takes such numbers. If that fails they are free again: the other ranks will come to them when this one
    /// does.
    pub(crate) fn begin_numbered<T>(&self, begin: impl FnOnce() -> Result<T>) -> Result<T> {
        let first = self.sequence.get();
        begin().inspect_err(|_| self.sequence.set(first))
    }

    /// Ranks in its local group.
    #[inline]
    pub fn size(&self) -> i32 {
        self.group.len() as i32
    }

    /// The group that sends and receives address: the remote one of an intercommunicator.
    #[inline]
    pub(crate) fn peers(&self) -> &Members {
        self.remote.as_ref().unwrap_or(&self.group)
    }

    /// The world rank behind a rank of the communicator; `None` for `MPI_PROC_NULL`.
    #[inline]
    pub(crate) fn peer(&self, rank: i32, what: &str) -> Result<Option<u32>> {
        match self.peers().get(rank) {
            Some(world) => Ok(Some(world)),
            None if rank == MPI_PROC_NULL => Ok(None),
            None => Err(Error::new(
                MPI_ERR_RANK,
                format!("{what} is {rank}, but the communicator has ranks 0 to {}", self.peers().len() as i32 - 1),
            )),
        }
    }
}

/// The communicators that a rank made. `None`: one that `MPI_Comm_idup` still makes.
pub(crate) struct State {
    table: RefCell<Table<Option<Rc<Communicator>>>>,
    /// Error handlers that were set for those that are still made.
    handlers: RefCell<BTreeMap<u32, Errhandler>>,
    /// The sessions that are open.
    sessions: RefCell<Table<session::Open>>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        let (comms, sessions) = (Table::new(Class::Comm, account, 0), Table::new(Class::Session, account, 0));
        State { table: RefCell::new(comms), handlers: RefCell::default(), sessions: RefCell::new(sessions) }
    }

    /// Looks at all communicators that the program made.
    pub(crate) fn for_each(&self, look: impl FnMut(&Rc<Communicator>)) {
        self.table.borrow().iter().filter_map(|(_, comm)| comm.as_ref()).for_each(look);
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Rc<Communicator>> {
        self.table.borrow().iter().filter_map(|(_, comm)| comm.clone()).collect()
    }

    /// The one whose messages travel in a context.
    pub(crate) fn with_context(&self, context: Context) -> Option<Rc<Communicator>> {
        let table = self.table.borrow();
        let mut made = table.iter().filter_map(|(_, comm)| comm.as_ref());
        made.find(|comm| comm.context == context).cloned()
    }
}

impl Rank {
    /// What `comm` stands for.
    #[inline(always)]
    pub fn communicator(&self, comm: Comm) -> Result<Rc<Communicator>> {
        if comm == Comm::WORLD { Ok(self.world_comm.clone()) } else { self.any_communicator(comm) }
    }

    #[inline(never)]
    fn any_communicator(&self, comm: Comm) -> Result<Rc<Communicator>> {
        if comm == Comm::SELF {
            return Ok(self.self_comm.clone());
        }
        match self.comms.table.borrow().get(comm.0) {
            Some(Some(communicator)) => Ok(communicator.clone()),
            found => Err(bad_comm(comm, found.is_some())),
        }
    }

    /// What `comm` stands for, if it is an intracommunicator.
    pub(crate) fn intracommunicator(&self, comm: Comm) -> Result<Rc<Communicator>> {
        let communicator = self.communicator(comm)?;
        match communicator.remote {
            None => Ok(communicator),
            Some(_) => Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator")),
        }
    }

    /// A handle for a new communicator, in which this rank is where the others take it to be.
    pub(crate) fn add_comm(&self, communicator: Communicator) -> Result<Comm> {
        if communicator.group.get(communicator.rank) != Some(self.me()) {
            return Err(disagreement());
        }
        let comm = self.reserve_comm()?;
        self.put_comm(comm, communicator).inspect_err(|_| self.remove_comm(comm))?;
        Ok(comm)
    }

    /// A handle that stands for nothing yet.
    fn reserve_comm(&self) -> Result<Comm> {
        self.comms.table.borrow_mut().add(None, WHAT).map(Comm)
    }

    /// Says what a reserved handle stands for.
    fn put_comm(&self, comm: Comm, mut communicator: Communicator) -> Result<()> {
        communicator.charge = self.account.charge(communicator.heap_bytes(), WHAT)?;
        if let Some(handler) = self.comms.handlers.borrow_mut().remove(&comm.0) {
            communicator.errhandler.set(handler);
        }
        if let Some(slot) = self.comms.table.borrow_mut().get_mut(comm.0) {
            *slot = Some(Rc::new(communicator));
        }
        Ok(())
    }

    fn remove_comm(&self, comm: Comm) {
        self.comms.table.borrow_mut().remove(comm.0);
        self.comms.handlers.borrow_mut().remove(&comm.0);
    }

    /// Refuses what is neither a communicator nor one that is being made.
    pub(crate) fn check_comm(&self, comm: Comm) -> Result<()> {
        match self.communicator(comm) {
            Err(error) if !matches!(self.comms.table.borrow().get(comm.0), Some(None)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Sets the error handler of a communicator, or the one that it has once it is complete: MPI libraries let a program do so as
    /// soon as `MPI_Comm_idup` has returned, and mpi4py does.
    pub(crate) fn set_comm_handler(&self, comm: Comm, handler: Errhandler) -> Result<()> {
        match self.communicator(comm) {
            Ok(communicator) => communicator.errhandler.set(handler),
            Err(_) => drop(self.comms.handlers.borrow_mut().insert(comm.0, handler)),
        }
        Ok(())
    }
}

#[cold]
fn bad_comm(comm: Comm, unfinished: bool) -> Error {
    let text = match comm {
        Comm::NULL => "the communicator is MPI_COMM_NULL".into(),
        Comm(handle) if unfinished => format!("the MPI_Comm_idup that makes {handle:#x} is not complete"),
        Comm(handle) => format!("{handle:#x} is not a communicator of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_COMM, text)
}

fn no_intercomm() -> Error {
    Error::new(MPI_ERR_COMM, "the communicator is not an intercommunicator")
}

/// `MPI_Comm_rank`
pub fn comm_rank(r: &Rank, comm: Comm) -> Result<i32> {
    Ok(r.communicator(comm)?.rank)
}

/// `MPI_Comm_size`
pub fn comm_size(r: &Rank, comm: Comm) -> Result<i32> {
    Ok(r.communicator(comm)?.size())
}

/// `MPI_Comm_group`
pub fn comm_group(r: &Rank, comm: Comm) -> Result<Group> {
    r.add_group(r.communicator(comm)?.group.clone())
}

/// `MPI_Comm_remote_group`
pub fn comm_remote_group(r: &Rank, comm: Comm) -> Result<Group> {
    r.add_group(r.communicator(comm)?.remote.clone().ok_or_else(no_intercomm)?)
}

/// `MPI_Comm_remote_size`
pub fn comm_remote_size(r: &Rank, comm: Comm) -> Result<i32> {
    Ok(r.communicator(comm)?.remote.as_ref().ok_or_else(no_intercomm)?.len() as i32)
}

/// `MPI_Comm_test_inter`
pub fn comm_test_inter(r: &Rank, comm: Comm) -> Result<bool> {
    Ok(r.communicator(comm)?.remote.is_some())
}

/// `MPI_Comm_compare`
pub fn comm_compare(r: &Rank, comm1: Comm, comm2: Comm) -> Result<i32> {
    let (one, two) = (r.communicator(comm1)?, r.communicator(comm2)?);
    let similar = |one: &Members, two: &Members| one == two || one.is_similar(two);
    Ok(match (&one.remote, &two.remote) {
        _ if Rc::ptr_eq(&one, &two) => MPI_IDENT,
        (None, Some(_)) | (Some(_), None) => MPI_UNEQUAL,
        (far1, far2) if one.group == two.group && far1 == far2 => MPI_CONGRUENT,
        (None, None) if similar(&one.group, &two.group) => MPI_SIMILAR,
        (Some(far1), Some(far2)) if similar(&one.group, &two.group) && similar(far1, far2) => MPI_SIMILAR,
        _ => MPI_UNEQUAL,
    })
}

/// `MPI_Comm_set_name`. What does not fit is cut off.
pub fn comm_set_name(r: &Rank, comm: Comm, name: &str) -> Result<()> {
    let end = name.floor_char_boundary(MPI_MAX_OBJECT_NAME as usize - 1);
    *r.communicator(comm)?.name.borrow_mut() = name[..end].to_owned();
    Ok(())
}

/// `MPI_Comm_get_name`
pub fn comm_get_name(r: &Rank, comm: Comm) -> Result<String> {
    if comm == Comm::NULL {
        return Ok("MPI_COMM_NULL".into());
    }
    Ok(r.communicator(comm)?.name.borrow().clone())
}

/// `MPI_Comm_set_info`
pub fn comm_set_info(r: &Rank, comm: Comm, info: Info) -> Result<()> {
    let (communicator, new) = (r.communicator(comm)?, Some(r.info(info)?));
    let hints = r.more_hints(&communicator.info.borrow(), &new)?;
    *communicator.info.borrow_mut() = hints;
    Ok(())
}

/// `MPI_Comm_get_info`
pub fn comm_get_info(r: &Rank, comm: Comm) -> Result<Info> {
    let hints = r.communicator(comm)?.info.borrow().clone();
    r.add_info(&hints)
}

/// `MPI_Comm_free`. Pending operations go on: they know their context, and a nonblocking collective keeps its
/// communicator.
pub async fn comm_free(r: &Rank, comm: Comm) -> Result<Comm> {
    if matches!(comm, Comm::WORLD | Comm::SELF) {
        let name = comm.name().unwrap_or_default();
        return Err(Error::new(MPI_ERR_COMM, format!("{name} cannot be freed")));
    }
    r.communicator(comm)?;
    attr::delete_all(r, comm.into()).await?;
    r.remove_comm(comm);
    Ok(Comm::NULL)
}
