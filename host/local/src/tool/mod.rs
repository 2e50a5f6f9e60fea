//! The tools interface (MPI-5.0 chapter 15): what this engine shows of itself, and which settings can be changed.
//!
//! | file | subject |
//! |---|---|
//! | [`control`] | control variables: settings, of which some can be changed while the job runs |
//! | [`performance`] | performance variables: what was counted, what there is now |
//! | [`event`] | events with callbacks, and the clock that they are stamped with |
//! | [`ear`] | what is heard of a rank: the counters, and events that wait to be told |
//! | [`category`] | what belongs together |
//!
//! All of it comes from the [`Event`](crate::Event)s that listeners hear of too. Nobody tells any unless there is a
//! session or a registration in the job, which is one load to see. Errors are returned, and no handler hears of them.

mod category;
mod control;
mod event;
mod performance;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use rankine_abi::{
    MPI_T_ERR_INVALID, MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_INVALID_ITEM,
    MPI_T_ERR_INVALID_NAME, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_OUT_OF_HANDLES, MPI_THREAD_FUNNELED,
    MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE,
};

use crate::ear;
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::mailbox::ring::EAGER;
use crate::patience::MANY;
use crate::quota::{Account, Charge};
use crate::rank::Rank;

pub use category::*;
pub use control::*;
pub use event::*;
pub use performance::*;

/// What a rank has of the tools interface, and its own settings.
pub(crate) struct State {
    /// Nothing until `MPI_T_init_thread`, and after as many `MPI_T_finalize`.
    open: RefCell<Option<Box<Open>>>,
    /// Callbacks of events are being called.
    hearing: Cell<bool>,
    /// How often it looks for what it waits for before it parks.
    pub(crate) spin_polls: Cell<u32>,
    /// The longest message that travels in its envelope, at most [`EAGER`].
    pub(crate) eager_limit: Cell<usize>,
    /// The longest standard send that is buffered when its rank would otherwise park.
    pub(crate) buffer_limit: Cell<usize>,
}

/// While it is initialised.
struct Open {
    /// Calls of `MPI_T_init_thread` that have not been undone.
    count: u32,
    handles: Table<Handle>,
    /// The registrations that have a callback, by kind of event.
    listeners: [BTreeSet<u32>; crate::events::KINDS],
    telling: Telling,
    /// For the events that may wait, once there is a registration.
    charge: Option<Charge>,
}

/// What a handle of the interface stands for.
enum Handle {
    /// A control variable, by its number.
    Control(usize),
    Session,
    Counter(performance::Counter),
    Registration(event::Registration),
    /// An event, while its callbacks run.
    Instance(ear::Heard),
}

impl State {
    pub(crate) fn new(buffer_limit: usize) -> State {
        State {
            open: RefCell::default(),
            hearing: Cell::new(false),
            spin_polls: Cell::new(MANY),
            eager_limit: Cell::new(EAGER),
            buffer_limit: Cell::new(buffer_limit),
        }
    }
}

impl Open {
    fn new(account: &Arc<Account>) -> Open {
        let handles = Table::new(Class::Tool, account, 2 * size_of::<u32>());
        let listeners = std::array::from_fn(|_| BTreeSet::new());
        Open { count: 0, handles, listeners, telling: Telling::default(), charge: None }
    }

    /// How many sessions and registrations there are, each of which counts as one who listens.
    fn listening(&self) -> usize {
        let listens = |handle: &Handle| matches!(handle, Handle::Session | Handle::Registration(_));
        self.handles.iter().filter(|(_, handle)| listens(handle)).count()
    }
}

impl Rank {
    /// Refuses a call while the interface is not initialised.
    fn check_tools(&self) -> Result<()> {
        self.with_tools(|_| Ok(()))
    }

    fn with_tools<T>(&self, look: impl FnOnce(&mut Open) -> Result<T>) -> Result<T> {
        match self.tools.open.borrow_mut().as_deref_mut() {
            Some(open) => look(open),
            None => Err(Error::new(MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread has not been called")),
        }
    }
}

/// The element of a list that has a number.
fn numbered<'a, T>(list: &'a [T], index: i32, what: &str) -> Result<&'a T> {
    let found = usize::try_from(index).ok().and_then(|index| list.get(index));
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_INDEX, format!("the index is {index}, and there are {} {what}", list.len()))
    })
}

/// The number of the element of a list that is sought by a name.
fn named<T>(list: &[T], is_it: impl Fn(&T) -> bool, what: impl FnOnce() -> String) -> Result<i32> {
    let found = list.iter().position(is_it).map(|index| index as i32);
    found.ok_or_else(|| Error::new(MPI_T_ERR_INVALID_NAME, format!("there is no {}", what())))
}

#[cold]
fn no_handle(handle: u32, what: &str) -> Error {
    Error::new(MPI_T_ERR_INVALID_HANDLE, format!("{handle:#x} is not the handle of {what} (freed, or never made)"))
}

#[cold]
fn no_room(what: &str) -> Error {
    Error::new(MPI_T_ERR_OUT_OF_HANDLES, format!("this rank may have no more {what}"))
}

/// `MPI_T_init_thread`
pub fn t_init_thread(r: &Rank, required: i32) -> Result<i32> {
    let levels = [MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE];
    if !levels.contains(&required) {
        let text = format!("required is {required}, which is not a level of thread support");
        return Err(Error::new(MPI_T_ERR_INVALID, text));
    }
    let mut open = r.tools.open.borrow_mut();
    let open = open.get_or_insert_with(|| Box::new(Open::new(&r.account)));
    open.count = open.count.saturating_add(1);
    Ok(required)
}

/// `MPI_T_finalize`: the last one ends all handles and sessions.
pub fn t_finalize(r: &Rank) -> Result<()> {
    r.check_not_hearing(MPI_T_ERR_INVALID)?;
    let is_last = r.with_tools(|open| {
        open.count -= 1;
        Ok(open.count == 0)
    })?;
    if is_last {
        leave(r);
    }
    Ok(())
}

/// Ends all handles and sessions: the rank's program has returned, or needs no tools any more.
pub(crate) fn leave(r: &Rank) {
    let Some(open) = r.tools.open.take() else { return };
    r.world().observe_less(open.listening());
    if let Some(ear) = r.world().ear(r.me()) {
        ear.want(0);
    }
}

/// The enumeration of what is on or off: the only one that variables have.
pub const SWITCH: u32 = 0x0e00_0001;
const SWITCH_ITEMS: [&str; 2] = ["off", "on"];

fn check_enumeration(r: &Rank, enumtype: u32) -> Result<()> {
    r.check_tools()?;
    if enumtype == SWITCH { Ok(()) } else { Err(no_handle(enumtype, "an enumeration")) }
}

/// `MPI_T_enum_get_info`: how many items it has, and its name.
pub fn t_enum_get_info(r: &Rank, enumtype: u32) -> Result<(i32, &'static str)> {
    check_enumeration(r, enumtype)?;
    Ok((SWITCH_ITEMS.len() as i32, "switch"))
}

/// `MPI_T_enum_get_item`: an item's value and name.
pub fn t_enum_get_item(r: &Rank, enumtype: u32, index: i32) -> Result<(i32, &'static str)> {
    check_enumeration(r, enumtype)?;
    match usize::try_from(index).ok().and_then(|index| SWITCH_ITEMS.get(index)) {
        Some(name) => Ok((index, name)),
        None => Err(Error::new(MPI_T_ERR_INVALID_ITEM, format!("the index is {index}, and there are 2 items"))),
    }
}
