//! One rank: everything that belongs to it alone.
//!
//! A rank's code runs on its own stack only, so its state sits in `Cell`s and `RefCell`s. No borrow is held across an
//! `.await`: guest code may run there, and call back in. What ranks share is in [`World`].

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::Addr;
use rankine_guest::Memory;

use crate::comm::Communicator;
use crate::context::Context;
use crate::events::Event;
use crate::mailbox::Mailbox;
use crate::mailbox::operation::OpRef;
use crate::members::Members;
use crate::patience::Patience;
use crate::questions::Questions;
use crate::quota::Account;
use crate::waiting::{Aside, Waited};
use crate::world::World;
use crate::{attr, coll, comm, datatype, errhan, group, info, init, io, op, pt2pt, request, rma, spawn, tool};

/// What MPI calls a process.
pub struct Rank {
    id: u32,
    /// What it may take of memory.
    pub(crate) account: Arc<Account>,
    memory: Memory,
    /// The MPI function that runs, for reports.
    call: Cell<&'static str>,
    /// The rank holds its own gate between polls, because it spins.
    pub(crate) attending: Cell<bool>,
    /// The next poll is the last before parking: it announces waits.
    pub(crate) parking: Cell<bool>,
    /// What the last such poll waits for.
    pub(crate) waits: RefCell<Vec<Waited>>,
    /// Calls of other threads that wait.
    pub(crate) aside: RefCell<Vec<Aside>>,
    /// Threads that have left their calls since the job has ended, and what they waited for.
    pub(crate) left: RefCell<Vec<(u32, String)>>,
    /// A call has ended what another thread may wait for, without a message.
    news: Cell<bool>,
    /// The operation that was polled last and is not complete, to be looked at while spinning.
    pub(crate) watched: Cell<Option<OpRef>>,
    /// The last poll looked at something that no operation tells of: it is to be looked at again soon.
    pub(crate) restless: Cell<bool>,
    /// How long it spins.
    pub(crate) patience: Patience,
    /// Operations that are free to use.
    pub(crate) pool: RefCell<Vec<OpRef>>,
    /// What the engine asks of the guest.
    pub(crate) questions: Questions,
    /// Memory in the guest for what it is asked (see `cell`): pieces that nobody uses now, of as many as were ever in use at once.
    pub(crate) cells: RefCell<Vec<Addr>>,
    /// Nobody waits for what a future might ask now.
    pub(crate) deaf: Cell<bool>,
    /// A function that only polls found nothing.
    pub(crate) yielding: Cell<bool>,
    pub(crate) world_comm: Rc<Communicator>,
    pub(crate) self_comm: Rc<Communicator>,
    pub(crate) init: init::State,
    pub(crate) comms: comm::State,
    pub(crate) groups: group::State,
    pub(crate) types: datatype::State,
    pub(crate) ops: op::State,
    pub(crate) requests: request::State,
    pub(crate) pt2pt: pt2pt::State,
    pub(crate) colls: coll::State,
    pub(crate) errhandlers: errhan::State,
    pub(crate) infos: info::State,
    pub(crate) attrs: attr::State,
    pub(crate) windows: rma::State,
    pub(crate) files: io::State,
    pub(crate) spawn: spawn::State,
    pub(crate) tools: tool::State,
    /// Goes last: pending operations, which the job keeps, may have types of this rank.
    world: Arc<World>,
}

// SAFETY: a rank moves between threads only together with its stack, with everything that refers to it: the host
// polls it from one thread at a time, and its `Rc`s never leave it,
// but for the types of pending operations, which it alone drops, or the job, after all ranks.
unsafe impl Send for Rank {}

impl Rank {
    /// The rank with this number among those that the job began with in this process. Its memory is set before its first
    /// call.
    pub fn new(world: Arc<World>, index: usize) -> Rank {
        let id = world.number(index) as usize;
        let everybody = Rc::new(Members::range(0, world.first_size() as u32));
        Rank::with(world, id, Communicator::world(Context::WORLD, everybody, id as i32))
    }

    /// The same rank, whose program is this one of those that the job began with (`MPI_APPNUM`).
    pub fn of_command(mut self, command: usize) -> Rank {
        self.spawn.command = command as i32;
        self
    }

    /// Rank `id` of the job, with this as its `MPI_COMM_WORLD`.
    pub(crate) fn with(world: Arc<World>, id: usize, communicator: Communicator) -> Rank {
        let account = world.account(id).clone();
        Rank {
            id: id as u32,
            memory: Memory::of(&account),
            call: Cell::new(""),
            attending: Cell::new(false),
            parking: Cell::new(false),
            waits: RefCell::default(),
            aside: RefCell::default(),
            left: RefCell::default(),
            news: Cell::new(false),
            watched: Cell::default(),
            restless: Cell::new(false),
            patience: Patience::default(),
            pool: RefCell::default(),
            questions: Questions::default(),
            cells: RefCell::default(),
            deaf: Cell::new(false),
            yielding: Cell::new(false),
            world_comm: Rc::new(communicator),
            self_comm: Rc::new(Communicator::myself(id)),
            init: init::State::default(),
            comms: comm::State::new(&account),
            groups: group::State::new(&account),
            types: datatype::State::new(&account),
            ops: op::State::new(&account),
            requests: request::State::new(&account),
            pt2pt: pt2pt::State::new(&account),
            colls: coll::State::default(),
            errhandlers: errhan::State::new(&account),
            infos: info::State::new(&account),
            attrs: attr::State::new(&account),
            windows: rma::State::new(&account),
            files: io::State::new(&account),
            spawn: spawn::State::first(id),
            tools: tool::State::new(world.options.buffer_limit),
            account,
            world,
        }
    }

    /// Its number among all ranks of the job.
    #[inline]
    pub fn id(&self) -> usize {
        self.id as usize
    }

    #[inline]
    pub(crate) fn me(&self) -> u32 {
        self.id
    }

    /// The job it belongs to.
    #[inline]
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// What it may take of memory.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The guest's memory.
    #[inline]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Notes which MPI function runs.
    #[inline]
    pub fn enter(&self, call: &'static str) {
        self.call.set(call);
    }

    /// The MPI function that runs, or ran last.
    pub fn call(&self) -> &'static str {
        self.call.get()
    }

    #[inline]
    pub(crate) fn mailbox(&self) -> &Mailbox {
        self.world.mailbox(self.id)
    }

    #[inline]
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        self.world.tell(event);
    }

    /// Something has ended that another thread of the program may wait for, and no message tells of it.
    pub(crate) fn note_news(&self) {
        self.news.set(true);
    }

    /// Whether that has happened since this was asked last.
    pub fn take_news(&self) -> bool {
        self.news.take()
    }

    /// The program has returned, or was stopped. What it left pending is taken back; whoever waits for this rank alone
    /// waits in vain, which the deadlock check sees.
    pub fn exit(&self) {
        self.world.resume(self.id);
        self.drop_futures();
        self.drop_buffered();
        spawn::close_all(self);
        tool::leave(self);
        self.world.exit(self.id);
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        // What `exit` did not take back is leaked rather than dropped, for it refers to the rank.
        self.leak_futures();
    }
}
