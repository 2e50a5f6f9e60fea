//! Communicators: the library's, with what the shims ask of them again and again.

pub(crate) mod agree;
pub(crate) mod group;
pub(crate) mod session;
pub(crate) mod topo;

use std::cell::Cell;
use std::ffi::c_int;

use rankine_abi::{
    Addr, Comm, Errhandler, MPI_CART, MPI_DIST_GRAPH, MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_GROUP, MPI_ERR_ROOT,
    MPI_ERR_TYPE, MPI_GRAPH, MPI_IN_PLACE, MPI_PROC_NULL, MPI_ROOT, MPI_UNDEFINED,
};
use rankine_guest::Error;
use rankine_guest::handle::Class;

use super::Result;
use super::call::handle::{Handles, Hosted, is_constant};
use super::call::keeping::Keeping;
use super::datatype::{Type, Types};
use super::generated::symbols;
use super::library::hints::Of;
use super::rank::Rank;
use super::request::{Kind, Pending, Then};

/// A communicator as this rank sees it.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rank: c_int,
    /// Members of the caller's own group.
    pub(crate) members: c_int,
    /// Members of the group that collectives exchange data with: the remote one of an intercommunicator.
    peers: c_int,
    is_inter: bool,
}

impl Shape {
    fn side(&self, root: c_int) -> Side {
        match (self.is_inter, root) {
            (false, _) => Side { root: root == self.rank, leaf: true },
            (true, MPI_ROOT) => Side { root: true, leaf: false },
            (true, MPI_PROC_NULL) => Side { root: false, leaf: false },
            (true, _) => Side { root: false, leaf: true },
        }
    }
}

/// A communicator.
pub(crate) struct Communicator {
    host: Cell<usize>,
    errhandler: Cell<Errhandler>,
    shape: Cell<Option<Shape>>,
    degrees: Cell<Option<(i64, i64)>>,
}

impl Communicator {
    fn new(host: usize, errhandler: Errhandler) -> Communicator {
        Communicator {
            host: Cell::new(host),
            errhandler: Cell::new(errhandler),
            shape: Cell::default(),
            degrees: Cell::default(),
        }
    }
}

impl Hosted for Communicator {
    fn host(&self) -> usize {
        self.host.get()
    }
}

/// The communicators of this rank.
pub(crate) struct State {
    world: Communicator,
    myself: Communicator,
    pub(crate) made: Handles<Communicator>,
}

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        let predefined = |comm: Comm| Communicator::new(comm.0 as usize, Errhandler::ERRORS_ARE_FATAL);
        State {
            world: predefined(Comm::WORLD),
            myself: predefined(Comm::SELF),
            made: Handles::new(keeping, (Class::Comm, Comm::NULL.0), MPI_ERR_COMM, "communicator", |word| {
                Comm(word).name()
            }),
        }
    }
}

/// Which of a collective's arguments count for the caller.
pub struct Side {
    /// It is the root.
    pub root: bool,
    /// It takes part as every process does.
    pub leaf: bool,
}

impl Side {
    /// It is the root or takes part as every process does, unlike the root's fellows in an intercommunicator.
    pub(crate) fn takes_part(&self) -> bool {
        self.root || self.leaf
    }
}

impl Rank {
    /// The library's handle.
    #[inline]
    pub fn comm(&self, word: u32, what: &str) -> Result<usize> {
        self.comms.made.host(word, what)
    }

    pub(crate) fn comm_or_null(&self, word: u32, what: &str) -> Result<usize> {
        self.comms.made.host_or_null(word, what)
    }

    /// A communicator that the program has made.
    pub(crate) fn made_comm(&self, word: u32, what: &str) -> Result<usize> {
        self.comms.made.made(word, what)
    }

    /// A communicator with one group: not every library looks.
    pub(crate) fn intra(&self, word: u32, what: &str) -> Result<usize> {
        self.sided(word, what, false)
    }

    /// A communicator with two groups.
    pub(crate) fn inter(&self, word: u32, what: &str) -> Result<usize> {
        self.sided(word, what, true)
    }

    fn sided(&self, word: u32, what: &str, is_inter: bool) -> Result<usize> {
        let host = self.comm(word, what)?;
        if self.shape(word)?.is_inter == is_inter {
            return Ok(host);
        }
        let (is, wanted) = if is_inter { ("intra", "inter") } else { ("inter", "intra") };
        Err(Error::new(MPI_ERR_COMM, format!("{what} is an {is}communicator, but has to be an {wanted}communicator")))
    }

    #[inline]
    fn with_comm<R>(&self, word: u32, look: impl FnOnce(&Communicator) -> R) -> Option<R> {
        match Comm(word) {
            Comm::WORLD => Some(look(&self.comms.world)),
            Comm::SELF => Some(look(&self.comms.myself)),
            _ => self.comms.made.with(word, look),
        }
    }

    /// The guest's word for a communicator of the library's.
    pub(crate) fn comm_word(&self, host: usize) -> u32 {
        self.comms.made.word_of(host).unwrap_or(Comm::NULL.0)
    }

    pub(crate) fn comm_handler(&self, word: u32) -> Option<Errhandler> {
        self.with_comm(word, |comm| comm.errhandler.get())
    }

    /// Calls `visit` with the handlers of all communicators.
    pub(crate) fn each_comm_handler(&self, visit: &mut dyn FnMut(Errhandler)) {
        visit(self.comms.world.errhandler.get());
        visit(self.comms.myself.errhandler.get());
        self.comms.made.each(|comm| visit(comm.errhandler.get()));
    }

    pub(crate) fn set_comm_handler(&self, word: u32, handler: Errhandler) {
        self.with_comm(word, |comm| comm.errhandler.set(handler));
    }

    /// Makes a word for a new communicator of the library's.
    pub(crate) fn adopt_comm(&self, host: usize, handler: Errhandler) -> Result<u32> {
        if is_constant(host) {
            return Ok(host as u32);
        }
        let set = self.symbol::<symbols::MPI_Comm_set_errhandler>()?;
        // SAFETY: the library has just made the communicator.
        self.check(unsafe { set(host, Errhandler::ERRORS_RETURN.0 as usize) })?;
        self.comms.made.insert(Communicator::new(host, handler))
    }

    /// Stores a new communicator, which has the error handler of its parent.
    pub(crate) fn put_comm(&self, at: Addr, host: usize, parent: u32, what: &str) -> Result<()> {
        let handler = self.comm_handler(parent).unwrap_or(Errhandler::ERRORS_ARE_FATAL);
        let word = self.adopt_comm(host, handler)?;
        self.descends(word, parent);
        self.put_handle(at, word, what)
    }

    /// Drops a communicator that the library has made null.
    pub(crate) fn after_comm(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == Comm::NULL.0 as usize {
            self.comms.made.remove(word);
            self.forget_session(word);
            self.put_handle(at, Comm::NULL.0, what)?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn shape(&self, word: u32) -> Result<Shape> {
        match self.with_comm(word, |comm| comm.shape.get()) {
            Some(Some(shape)) => Ok(shape),
            _ => self.ask_shape(word),
        }
    }

    #[cold]
    fn ask_shape(&self, word: u32) -> Result<Shape> {
        let host = self.comm(word, "comm")?;
        let (mut rank, mut members, mut is_inter): (c_int, c_int, c_int) = (0, 0, 0);
        let (comm_rank, comm_size) =
            (self.symbol::<symbols::MPI_Comm_rank>()?, self.symbol::<symbols::MPI_Comm_size>()?);
        let test_inter = self.symbol::<symbols::MPI_Comm_test_inter>()?;
        let mut remote = 0;
        // SAFETY: a communicator of the library's, and results on the stack.
        unsafe {
            self.check(comm_rank(host, &mut rank))?;
            self.check(test_inter(host, &mut is_inter))?;
            self.check(comm_size(host, &mut members))?;
            if is_inter != 0 {
                self.check(self.symbol::<symbols::MPI_Comm_remote_size>()?(host, &mut remote))?;
            }
        }
        let peers = if is_inter != 0 { remote } else { members };
        let shape = Shape { rank, members, peers, is_inter: is_inter != 0 };
        self.with_comm(word, |comm| comm.shape.set(Some(shape)));
        Ok(shape)
    }

    /// Which arguments of a collective with a root count for the caller.
    pub fn side(&self, comm: u32, root: c_int) -> Result<Side> {
        let shape = self.shape(comm)?;
        let last = shape.peers - 1;
        if !(0..=last).contains(&root) && !(shape.is_inter && [MPI_ROOT, MPI_PROC_NULL].contains(&root)) {
            let text = format!("the root is {root}, but the communicator has ranks 0 to {last}");
            return Err(Error::new(MPI_ERR_ROOT, text));
        }
        Ok(shape.side(root))
    }

    /// The side of a leader, who may be nobody: then the library says what is wrong.
    pub(crate) fn led_by(&self, comm: u32, leader: c_int) -> Result<Side> {
        Ok(self.shape(comm)?.side(leader))
    }

    /// Whether some rank is before the caller: the first one of an exclusive scan gets nothing.
    pub(crate) fn is_behind(&self, comm: u32) -> Result<bool> {
        Ok(self.shape(comm)?.rank > 0)
    }

    /// Whether a collective's buffer is in place, as it can be in a communicator with one group only.
    #[inline]
    pub(crate) fn in_place(&self, at: Addr, comm: u32) -> Result<bool> {
        if at == MPI_IN_PLACE && self.shape(comm)?.is_inter {
            return Err(Error::new(MPI_ERR_BUFFER, "MPI_IN_PLACE is not possible in an intercommunicator"));
        }
        Ok(at == MPI_IN_PLACE)
    }

    /// How many processes a collective exchanges data with.
    pub fn peers(&self, comm: u32) -> Result<i64> {
        Ok(i64::from(self.shape(comm)?.peers))
    }

    /// How many processes are on the caller's side of a communicator.
    pub(crate) fn members(&self, comm: u32) -> Result<i64> {
        Ok(i64::from(self.shape(comm)?.members))
    }

    /// The caller's own element of an array with one for each process.
    pub(crate) fn own<N: super::call::shim::Number>(&self, counts: &[N], comm: u32) -> Result<i64> {
        let rank = usize::try_from(self.shape(comm)?.rank).unwrap_or(usize::MAX);
        Ok(counts.get(rank).map_or(0, |count| count.wide()))
    }

    /// The caller's own element of an array of datatypes.
    pub(crate) fn own_type<'a>(&self, types: &'a Types, comm: u32) -> Result<&'a Type> {
        let rank = usize::try_from(self.shape(comm)?.rank).unwrap_or(usize::MAX);
        types
            .get(rank)
            .map(|ty| &**ty)
            .ok_or_else(|| Error::new(MPI_ERR_TYPE, "the array of datatypes has no element for this rank"))
    }

    /// Whether a communicator has one group, so that a rank of it also sends to itself in a collective.
    pub(crate) fn is_intra(&self, comm: u32) -> Result<bool> {
        Ok(!self.shape(comm)?.is_inter)
    }

    /// Whether this rank is the only one that messages in a communicator go to.
    #[inline]
    pub(crate) fn is_alone(&self, comm: u32) -> Result<bool> {
        let shape = self.shape(comm)?;
        Ok(shape.peers == 1 && !shape.is_inter)
    }

    /// Proves that the library has so many contexts left for the members of a communicator, all of whom come here, by taking
    /// and giving them back. Where there is none, some of MPICH's functions follow a null pointer instead of saying so.
    pub(crate) fn prove_contexts(&self, comm: usize, count: usize) -> Result<()> {
        let (dup, free) = (self.symbol::<symbols::MPI_Comm_dup>()?, self.symbol::<symbols::MPI_Comm_free>()?);
        let (mut taken, mut proved) = (Vec::with_capacity(count), Ok(()));
        while proved.is_ok() && taken.len() < count {
            let mut one = 0;
            // SAFETY: a communicator of the library's, whose attributes are not copied now, and a result on the stack.
            proved = self.check(unsafe { dup(comm, &mut one) });
            taken.extend(proved.is_ok().then_some(one));
        }
        for mut one in taken {
            // SAFETY: it was made above, and nobody else knows it.
            self.check(unsafe { free(&mut one) })?;
        }
        proved
    }

    /// Refuses a group with members that a communicator does not have on this rank's side.
    pub(crate) fn within_comm(&self, group: usize, comm: usize) -> Result<()> {
        let (get, mut all) = (self.symbol::<symbols::MPI_Comm_group>()?, 0);
        // SAFETY: a communicator of the library's, and a result on the stack.
        self.check(unsafe { get(comm, &mut all) })?;
        self.within(group, all, "the communicator").map(drop)
    }

    /// As [`Rank::within_comm`], of a window. The group's members as ranks of the window, in order.
    pub(crate) fn within_win(&self, group: usize, win: usize) -> Result<Vec<c_int>> {
        let (get, mut all) = (self.symbol::<symbols::MPI_Win_get_group>()?, 0);
        // SAFETY: a window of the library's, and a result on the stack.
        self.check(unsafe { get(win, &mut all) })?;
        let mut members = self.within(group, all, "the window")?;
        members.sort_unstable();
        Ok(members)
    }

    /// Refuses a group with members that another one does not have, which is given up; else what they are there.
    fn within(&self, group: usize, all: usize, what: &str) -> Result<Vec<c_int>> {
        let members = self.translated(group, all)?;
        match members.iter().position(|&rank| rank == MPI_UNDEFINED) {
            Some(rank) => Err(Error::new(MPI_ERR_GROUP, format!("group: its rank {rank} is not a member of {what}"))),
            None => Ok(members),
        }
    }

    /// The members of a group as ranks of another one, which is given up.
    fn translated(&self, group: usize, mut all: usize) -> Result<Vec<c_int>> {
        let free = self.symbol::<symbols::MPI_Group_free>()?;
        let found = self.ranks_in(group, all);
        // SAFETY: a group of the library's, which the caller has made and gives up.
        unsafe { free(&mut all) };
        found
    }

    /// The members of a group as ranks of another one.
    pub(super) fn ranks_in(&self, group: usize, all: usize) -> Result<Vec<c_int>> {
        let (size, translate) =
            (self.symbol::<symbols::MPI_Group_size>()?, self.symbol::<symbols::MPI_Group_translate_ranks>()?);
        let mut members = 0;
        // SAFETY: groups of the library's, a result on the stack, and as many ranks as there are members.
        unsafe {
            self.check(size(group, &mut members))?;
            let ranks: Vec<c_int> = (0..members).collect();
            let mut found = vec![MPI_UNDEFINED; ranks.len()];
            self.check(translate(group, members, ranks.as_ptr(), all, found.as_mut_ptr()))?;
            Ok(found)
        }
    }

    /// The dimensions of a Cartesian communicator.
    pub(crate) fn dimensions(&self, comm: u32) -> Result<i64> {
        let (host, mut dimensions) = (self.comm(comm, "comm")?, 0);
        let call = self.symbol::<symbols::MPI_Cartdim_get>()?;
        // SAFETY: a communicator of the library's, and a result on the stack.
        self.check(unsafe { call(host, &mut dimensions) })?;
        Ok(i64::from(dimensions))
    }

    /// How many neighbours send to this rank in the communicator's topology, and how many it sends to.
    pub(crate) fn degrees(&self, comm: u32) -> Result<(i64, i64)> {
        if let Some(Some(degrees)) = self.with_comm(comm, |comm| comm.degrees.get()) {
            return Ok(degrees);
        }
        let host = self.comm(comm, "comm")?;
        let (mut kind, mut ins, mut outs, mut weighted): (c_int, c_int, c_int, c_int) = (0, 0, 0, 0);
        let test = self.symbol::<symbols::MPI_Topo_test>()?;
        // SAFETY: a communicator of the library's, and results on the stack.
        unsafe {
            self.check(test(host, &mut kind))?;
            match kind {
                MPI_CART => {
                    ins = 2 * self.dimensions(comm)? as c_int;
                    outs = ins;
                }
                MPI_GRAPH => {
                    let count = self.symbol::<symbols::MPI_Graph_neighbors_count>()?;
                    self.check(count(host, self.shape(comm)?.rank, &mut ins))?;
                    outs = ins;
                }
                MPI_DIST_GRAPH => {
                    let count = self.symbol::<symbols::MPI_Dist_graph_neighbors_count>()?;
                    self.check(count(host, &mut ins, &mut outs, &mut weighted))?;
                }
                // The library refuses it.
                _ => {}
            }
        }
        let degrees = (i64::from(ins), i64::from(outs));
        self.with_comm(comm, |comm| comm.degrees.set(Some(degrees)));
        Ok(degrees)
    }

    /// The communicator of a request of `MPI_Comm_idup` has been made.
    pub(crate) fn complete_comm(&self, word: u32, host: usize) {
        self.with_comm(word, |comm| comm.host.set(host));
    }

    /// Starts the duplication of a communicator: its word is known now, what it stands for when the request is
    /// complete.
    fn idup(
        &self,
        comm: u32,
        newcomm: Addr,
        request_at: Addr,
        start: impl FnOnce(usize, *mut usize, *mut usize) -> Result<c_int>,
    ) -> Result<()> {
        let host = self.comm(comm, "comm")?;
        self.room(newcomm, self.word_bytes(), "newcomm")?;
        self.room(request_at, self.word_bytes(), "request")?;
        let (mut cell, mut request) = (Box::new(Comm::NULL.0 as usize), 0_usize);
        let handler = self.comm_handler(comm).unwrap_or(Errhandler::ERRORS_ARE_FATAL);
        // Before anything is under way that would write to the cell.
        let word = self.comms.made.insert(Communicator::new(Comm::NULL.0 as usize, handler))?;
        let started = start(host, &mut *cell, &mut request).and_then(|code| self.check(code));
        if let Err(error) = started {
            self.comms.made.remove(word);
            return Err(error);
        }
        self.descends(word, comm);
        self.put_handle(newcomm, word, "newcomm")?;
        let pending = Pending::new(Comm(comm).into(), Kind::Collective, ()).then(Then::Comm { word, cell });
        self.put_request(request_at, request, pending, "request")
    }
}

/// `MPI_Comm_idup`
pub(crate) fn comm_idup(r: &Rank, comm: u32, newcomm: Addr, request: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Comm_idup>()?;
    // SAFETY: the cell lives until the request is complete.
    r.idup(comm, newcomm, request, |comm, newcomm, request| Ok(unsafe { call(comm, newcomm, request) }))
}

/// `MPI_Comm_idup_with_info`
pub(crate) fn comm_idup_with_info(r: &Rank, comm: u32, info: u32, newcomm: Addr, request: Addr) -> Result<()> {
    let info = r.hints(info, Of::Comm, "info")?;
    let call = r.symbol::<symbols::MPI_Comm_idup_with_info>()?;
    // SAFETY: the cell lives until the request is complete.
    r.idup(comm, newcomm, request, |comm, newcomm, request| Ok(unsafe { call(comm, info.host, newcomm, request) }))
}
