//! Windows: memory of guests that others reach.
//!
//! A library does not check where in a window an access goes, and the target is another rank's memory. So every rank
//! learns the sizes of a window's parts when it is made, and proves each access at its origin. A guest can address
//! nothing but its own memory: `MPI_Win_allocate` takes it from the guest's allocator, and what several ranks share is
//! mapped into it (`mpi::shared`). What is attached to a dynamic window can change at any time (`mpi::dynamic`). A library does
//! not check either that an access has an epoch (`mpi::epochs`).

pub(crate) mod dynamic;
mod epochs;
pub(crate) mod shared;

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use rankine_abi::{
    Addr, Datatype, Errhandler, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_DISP, MPI_ERR_RANK, MPI_ERR_RMA_FLAVOR,
    MPI_ERR_RMA_RANGE, MPI_ERR_SIZE, MPI_ERR_WIN, MPI_PROC_NULL, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE,
    MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED, Win,
};
use rankine_guest::errhan::Serves;
use rankine_guest::handle::Class;
use rankine_guest::{Blocks, Error};

use super::Result;
use super::call::buffer::{Buffer, dense, overlap};
use super::call::handle::{Handles, Hosted, is_constant};
use super::call::keeping::Keeping;
use super::datatype::Type;
use super::generated::symbols;
use super::library::hints::Of;
use super::rank::Rank;
use dynamic::Dynamic;
use epochs::Epochs;
use shared::Shared;

/// A rank's part of a window, as all others know it.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Part {
    /// Bytes; none of a dynamic window.
    size: i64,
    unit: i64,
    /// What a displacement counts from: 0, or for a dynamic window the host's address of the guest's memory.
    base: i64,
}

/// A window.
pub(crate) struct Window {
    host: usize,
    flavor: c_int,
    /// By rank in the window's group.
    parts: Vec<Part>,
    /// This rank in the window's group.
    rank: c_int,
    base: Addr,
    memory: Held,
    epochs: Epochs,
}

/// Memory that goes with a window.
enum Held {
    /// The program's own.
    Nothing,
    /// A block of the guest's allocator.
    Block(Addr),
    Shared(Shared),
    /// What the program attaches.
    Attached(Rc<Dynamic>),
}

impl Window {
    /// A rank's part and where the guest can address it: nothing and nowhere, if it can't.
    fn query(&self, rank: c_int) -> Result<(Part, Addr)> {
        if self.flavor == MPI_WIN_FLAVOR_DYNAMIC {
            return Err(Error::new(MPI_ERR_RMA_FLAVOR, "the window is a dynamic one, which has no memory of its own"));
        }
        let address = |rank: usize| match &self.memory {
            Held::Shared(shared) => shared.parts.get(rank).copied(),
            _ => (rank == self.rank as usize).then_some(self.base),
        };
        let found = match usize::try_from(rank) {
            Ok(rank) if rank < self.parts.len() => Some(rank),
            // It asks for the first rank with any memory.
            _ if rank == MPI_PROC_NULL => {
                (0..self.parts.len()).find(|&rank| self.parts[rank].size > 0 && address(rank).is_some())
            }
            _ => {
                return Err(Error::new(
                    MPI_ERR_RANK,
                    format!("rank is {rank}, but the window has {}", self.parts.len()),
                ));
            }
        };
        let known = found.and_then(|rank| address(rank).map(|base| (self.parts[rank], base)));
        Ok(known.unwrap_or((Part::default(), Addr::NULL)))
    }
}

impl Hosted for Window {
    fn host(&self) -> usize {
        self.host
    }
}

/// The windows of this rank.
pub(crate) struct State(pub(crate) Handles<Window>, Blocks);

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        let windows = Handles::new(keeping, (Class::Win, Win::NULL.0), MPI_ERR_WIN, "window", |word| Win(word).name());
        State(windows, Blocks::default())
    }
}

impl Rank {
    #[inline]
    pub(crate) fn win(&self, word: u32, what: &str) -> Result<usize> {
        self.windows.0.host(word, what)
    }

    pub(crate) fn win_or_null(&self, word: u32, what: &str) -> Result<usize> {
        self.windows.0.host_or_null(word, what)
    }

    /// The guest's word for a window of the library's.
    pub(crate) fn win_word(&self, host: usize) -> u32 {
        self.windows.0.word_of(host).unwrap_or(Win::NULL.0)
    }

    /// How a window was made, as the guest sees it: memory that came from its allocator is the library's to reach all
    /// the same.
    pub(crate) fn win_flavor(&self, word: u32) -> Option<c_int> {
        self.windows.0.with(word, |window| window.flavor)
    }

    /// Where the memory of a window begins for its guest.
    pub(crate) fn win_base(&self, word: u32) -> Addr {
        self.windows.0.with(word, |window| window.base).unwrap_or(Addr::NULL)
    }

    /// Drops a window that the library has made null.
    pub(crate) fn after_win(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == Win::NULL.0 as usize {
            let window = self.windows.0.remove(word);
            self.errhandlers.forget(Serves::Win, word);
            self.forget_attributes(word);
            self.forget_session(word);
            match window.map(|window| window.memory) {
                Some(Held::Block(block)) => self.give_window_back(block),
                Some(Held::Shared(shared)) => self.unshare(shared),
                Some(Held::Attached(dynamic)) => dynamic.free(self)?,
                Some(Held::Nothing) | None => {}
            }
            self.put_handle(at, Win::NULL.0, what)?;
        }
        Ok(())
    }

    /// The attachments of a dynamic window.
    pub(crate) fn dynamic_window(&self, word: u32) -> Option<Rc<Dynamic>> {
        let dynamic = |window: &Window| match &window.memory {
            Held::Attached(dynamic) => Some(dynamic.clone()),
            _ => None,
        };
        self.windows.0.with(word, dynamic).flatten()
    }

    /// Refuses a target that is no rank of the window.
    pub(crate) fn target_rank(&self, win: u32, rank: c_int) -> Result<()> {
        let ranks = self.windows.0.with(win, |window| window.parts.len());
        let ranks = ranks.ok_or_else(|| self.windows.0.unknown(win, "win"))?;
        let is_one = usize::try_from(rank).is_ok_and(|rank| rank < ranks) || rank == MPI_PROC_NULL;
        if is_one { Ok(()) } else { Err(no_rank(rank, ranks)) }
    }

    /// Proves an access to a window at its origin, in an epoch; what the library is to take for the displacement.
    pub(crate) fn target(&self, win: u32, rank: c_int, displ: isize, count: i64, ty: &Type) -> Result<isize> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("target_count: the count is {count}, which is negative")));
        }
        if rank == MPI_PROC_NULL {
            return Ok(displ);
        }
        let part = |window: &Window| {
            let part = usize::try_from(rank).ok().and_then(|rank| window.parts.get(rank).copied());
            (part.ok_or(window.parts.len()), window.flavor)
        };
        let (part, flavor) = self.windows.0.with(win, part).ok_or_else(|| self.windows.0.unknown(win, "win"))?;
        let part = part.map_err(|ranks| no_rank(rank, ranks))?;
        let (is_dynamic, displ) = (flavor == MPI_WIN_FLAVOR_DYNAMIC, self.displacement(flavor, displ));
        if let Some((low, high)) = ty.hull(count) {
            let at = i128::from(displ as i64) * i128::from(part.unit);
            let (low, high) = (at + low, at + high);
            if is_dynamic {
                self.prove_attached(win, rank, low, high)?;
            } else if low < 0 || high > i128::from(part.size) {
                let bytes = high - low;
                let text = format!(
                    "target_disp: {bytes} bytes at {low} are not inside rank {rank}'s {} bytes of the window",
                    part.size
                );
                return Err(Error::new(MPI_ERR_RMA_RANGE, text));
            }
        }
        self.allow(win, rank)?;
        Ok(displ.wrapping_add(part.base as isize))
    }

    /// Refuses to put or get between overlapping bytes of this rank's own memory: a library may end the process for it.
    pub(crate) fn apart(
        &self,
        (win, rank): (u32, c_int),
        displ: isize,
        (count, ty): (i64, &Type),
        origin: &Buffer,
    ) -> Result<()> {
        let start = |window: &Window| {
            let part = window.parts.get(window.rank as usize).filter(|_| window.rank == rank)?;
            // The library knows memory that ranks share by another address.
            let is_other = matches!(window.memory, Held::Shared(_));
            (!is_other).then(|| {
                i128::from(window.base.0)
                    + i128::from(self.displacement(window.flavor, displ) as i64) * i128::from(part.unit)
            })
        };
        let Some(at) = self.windows.0.with(win, start).flatten() else { return Ok(()) };
        if overlap(&origin.dense(), &dense(at, count, ty)) {
            return Err(Error::new(MPI_ERR_BUFFER, "the origin's bytes and the target's overlap"));
        }
        Ok(())
    }

    /// Proves an access to a dynamic window: its bytes have to be attached, all in one piece.
    fn prove_attached(&self, win: u32, rank: c_int, low: i128, high: i128) -> Result<()> {
        let dynamic = self.dynamic_window(win).ok_or_else(|| self.windows.0.unknown(win, "win"))?;
        if dynamic.covers(self, rank, low, high)? {
            return Ok(());
        }
        let text =
            format!("target_disp: rank {rank} has not attached the {} bytes at {low:#x} of its memory", high - low);
        Err(Error::new(MPI_ERR_RMA_RANGE, text))
    }

    /// Tells all ranks of a new window of this one's part, and makes a word for it.
    ///
    /// If that fails the window stays the library's, with its memory, until the rank ends: perhaps others have it.
    fn adopt_window(&self, comm: u32, mine: Part, window: Window) -> Result<u32> {
        let (host, shape) = (self.comm(comm, "comm")?, self.shape(comm)?);
        let set = self.symbol::<symbols::MPI_Win_set_errhandler>()?;
        // SAFETY: the library has just made the window.
        self.check(unsafe { set(window.host, Errhandler::ERRORS_RETURN.0 as usize) })?;
        let mut parts = vec![Part::default(); self.peers(comm)? as usize];
        let gather = self.symbol::<symbols::MPI_Allgather>()?;
        let (words, int64) = (size_of::<Part>() as c_int / 8, Datatype::INT64_T.0 as usize);
        // SAFETY: each rank gives one part, and there is room for all.
        let code =
            unsafe { gather((&raw const mine).cast(), words, int64, parts.as_mut_ptr().cast(), words, int64, host) };
        self.check(code)?;
        let word = self.windows.0.insert(Window { parts, rank: shape.rank, ..window })?;
        self.errhandlers.adopt(Serves::Win, word, Errhandler::ERRORS_ARE_FATAL);
        self.descends(word, comm);
        Ok(word)
    }

    /// Gives the guest's allocator back what a window had.
    fn give_window_back(&self, block: Addr) {
        self.windows.1.release(block);
        self.give_back(block);
    }

    /// A window of the library's over memory of the guest's.
    fn window_over(&self, base: Addr, (size, unit): (i64, i64), info: u32, comm: u32) -> Result<usize> {
        let comm = self.intra(comm, "comm")?;
        if size < 0 {
            return Err(Error::new(MPI_ERR_SIZE, format!("size is {size}, which is negative")));
        }
        let (buffer, info) = (self.bytes(base, size, "base")?, self.hints(info, Of::Win, "info")?);
        let (create, mut host) = (self.symbol::<symbols::MPI_Win_create_c>()?, 0);
        // SAFETY: the memory was proved; a guest's memory stays until the process ends, which ends all windows.
        self.check(unsafe { create(buffer.at, size as isize, unit as isize, info.host, comm, &mut host) })?;
        Ok(host)
    }
}

/// The unit of displacements, which libraries keep in an int whatever they are given.
fn displacement_unit(unit: i64) -> Result<i64> {
    match c_int::try_from(unit) {
        Ok(_) => Ok(unit),
        Err(_) => {
            Err(Error::new(MPI_ERR_DISP, format!("disp_unit is {unit}, and a library takes {} at most", c_int::MAX)))
        }
    }
}

#[cold]
fn no_rank(rank: c_int, ranks: usize) -> Error {
    Error::new(MPI_ERR_RANK, format!("the target is rank {rank}, but the window has ranks 0 to {}", ranks - 1))
}

impl Rank {
    /// A displacement: in a dynamic window it is the target's address, which is no signed number.
    fn displacement(&self, flavor: c_int, displ: isize) -> isize {
        let is_address = flavor == MPI_WIN_FLAVOR_DYNAMIC && !self.memory().is_wide();
        if is_address { displ as u32 as isize } else { displ }
    }
}

/// `MPI_Win_create`
pub(crate) fn win_create(
    r: &Rank,
    _large: bool,
    base: Addr,
    size: i64,
    disp_unit: i64,
    info: u32,
    comm: u32,
    win: Addr,
) -> Result<()> {
    r.room(win, r.word_bytes(), "win")?;
    let unit = displacement_unit(disp_unit)?;
    let host = r.window_over(base, (size, unit), info, comm)?;
    let (flavor, memory) = (MPI_WIN_FLAVOR_CREATE, Held::Nothing);
    let window = Window { host, flavor, parts: Vec::new(), rank: 0, base, memory, epochs: Epochs::default() };
    let word = r.adopt_window(comm, Part { size, unit, base: 0 }, window)?;
    r.put_handle(win, word, "win")
}

/// `MPI_Win_allocate`: memory of the guest's own allocator.
pub(crate) fn win_allocate(
    r: &Rank,
    _large: bool,
    size: i64,
    disp_unit: i64,
    info: u32,
    comm: u32,
    baseptr: Addr,
    win: Addr,
) -> Result<()> {
    allocate(r, size, disp_unit, info, comm, baseptr, win, MPI_WIN_FLAVOR_ALLOCATE)
}

fn allocate(
    r: &Rank,
    size: i64,
    disp_unit: i64,
    info: u32,
    comm: u32,
    baseptr: Addr,
    win: Addr,
    flavor: c_int,
) -> Result<()> {
    r.room(baseptr, r.word_bytes(), "baseptr")?;
    r.room(win, r.word_bytes(), "win")?;
    let unit = displacement_unit(disp_unit)?;
    let base = r.allocate_for_guest(size)?;
    r.windows.1.claim(base, size as u64)?;
    let host = r.window_over(base, (size, unit), info, comm).inspect_err(|_| r.give_window_back(base))?;
    let window =
        Window { host, flavor, parts: Vec::new(), rank: 0, base, memory: Held::Block(base), epochs: Epochs::default() };
    let word = r.adopt_window(comm, Part { size, unit, base: 0 }, window)?;
    r.put_address(baseptr, base, "baseptr")?;
    r.put_handle(win, word, "win")
}

/// `MPI_Win_allocate_shared`: the library's memory, mapped into the guest's. A process alone shares its own with nobody.
pub(crate) fn win_allocate_shared(
    r: &Rank,
    _large: bool,
    size: i64,
    disp_unit: i64,
    info: u32,
    comm_word: u32,
    baseptr: Addr,
    win: Addr,
) -> Result<()> {
    let ranks = r.peers(comm_word)?;
    if ranks == 1 {
        return allocate(r, size, disp_unit, info, comm_word, baseptr, win, MPI_WIN_FLAVOR_SHARED);
    }
    r.room(baseptr, r.word_bytes(), "baseptr")?;
    r.room(win, r.word_bytes(), "win")?;
    let unit = displacement_unit(disp_unit)?;
    let (info, comm) = (r.hints(info, Of::Win, "info")?, r.intra(comm_word, "comm")?);
    let (mut host, mut at) = (0, std::ptr::null_mut::<c_void>());
    let create = r.symbol::<symbols::MPI_Win_allocate_shared_c>()?;
    r.prove_contexts(comm, 1)?;
    let charge = r.charge_shared(size);
    // One that may have no part makes the window all the same, so that the others hear of it.
    let part = if charge.is_ok() { size } else { 0 };
    // SAFETY: results on the stack.
    r.check(unsafe { create(part as isize, unit as isize, info.host, comm, (&raw mut at).cast(), &mut host) })?;
    let shared = r.share(host, comm, ranks, charge).or_else(|error| {
        let free = r.symbol::<symbols::MPI_Win_free>()?;
        // SAFETY: the window was made above, and all its ranks give it up.
        r.check(unsafe { free(&mut host) })?;
        Err(error)
    })?;
    let base = shared.parts[r.shape(comm_word)?.rank as usize];
    let memory = Held::Shared(shared);
    let window = Window {
        host,
        flavor: MPI_WIN_FLAVOR_SHARED,
        parts: Vec::new(),
        rank: 0,
        base,
        memory,
        epochs: Epochs::default(),
    };
    let word = r.adopt_window(comm_word, Part { size, unit, base: 0 }, window)?;
    r.put_address(baseptr, base, "baseptr")?;
    r.put_handle(win, word, "win")
}

/// `MPI_Win_create_dynamic`: displacements are the target's own addresses.
pub(crate) fn win_create_dynamic(r: &Rank, info: u32, comm_word: u32, win: Addr) -> Result<()> {
    r.room(win, r.word_bytes(), "win")?;
    let (info, comm) = (r.hints(info, Of::Win, "info")?, r.intra(comm_word, "comm")?);
    let (create, mut host) = (r.symbol::<symbols::MPI_Win_create_dynamic>()?, 0);
    // One for the window, and one for its table.
    r.prove_contexts(comm, 2)?;
    // SAFETY: an intracommunicator of the library's, hints that were checked, and a result on the stack.
    r.check(unsafe { create(info.host, comm, &mut host) })?;
    let attached = Rc::new(Dynamic::new(r, comm, r.shape(comm_word)?.rank)?);
    let base = r.memory().base() as i64;
    let (flavor, memory) = (MPI_WIN_FLAVOR_DYNAMIC, Held::Attached(attached));
    let window =
        Window { host, flavor, parts: Vec::new(), rank: 0, base: Addr::NULL, memory, epochs: Epochs::default() };
    let word = r.adopt_window(comm_word, Part { size: 0, unit: 1, base }, window)?;
    r.put_handle(win, word, "win")
}

/// `MPI_Win_shared_query`: of the parts of a window that is not shared, a guest can only address its own.
pub(crate) fn win_shared_query(
    r: &Rank,
    large: bool,
    win: u32,
    rank: i32,
    size: Addr,
    disp_unit: Addr,
    baseptr: Addr,
) -> Result<()> {
    r.win(win, "win")?;
    let found = r.windows.0.with(win, |window| window.query(rank));
    let (part, base) = found.unwrap_or_else(|| Err(r.windows.0.unknown(win, "win")))?;
    r.put_aint(size, part.size as isize, "size")?;
    match large {
        true => r.put_aint(disp_unit, part.unit as isize, "disp_unit")?,
        false => r.put_int(disp_unit, part.unit as c_int, "disp_unit")?,
    }
    r.put_address(baseptr, base, "baseptr")
}

/// `MPI_Fetch_and_op`: a predefined type of the guest's that the library has composed is none to the library, which
/// accumulates it all the same.
pub(crate) fn fetch_and_op(
    r: &Rank,
    origin_addr: Addr,
    result_addr: Addr,
    word: u32,
    rank: i32,
    target_disp: i64,
    op_word: u32,
    win_word: u32,
) -> Result<()> {
    let win = r.win(win_word, "win")?;
    let datatype = r.accumulated(word, "datatype")?;
    let origin = r.operands(op_word, origin_addr, 1, &datatype, "origin_addr")?.at;
    let result = r.buffer(result_addr, 1, &datatype, "result_addr")?.at;
    let displ = r.target(win_word, rank, target_disp as isize, 1, &datatype)?;
    let op = r.accumulation(op_word, (1, &datatype), (1, &datatype))?.host;
    let host = datatype.host;
    if is_constant(word as usize) && !is_constant(host) {
        let call = r.symbol::<symbols::MPI_Get_accumulate>()?;
        let operands = r.operands_told(op_word, 1);
        // SAFETY: an element each at the origin and for the result, and a target inside of the window.
        return r.check(unsafe { call(origin, operands, host, result, 1, host, rank, displ, 1, host, op, win) });
    }
    let call = r.symbol::<symbols::MPI_Fetch_and_op>()?;
    // SAFETY: an element each at the origin and for the result, and a target inside of the window.
    r.check(unsafe { call(origin, result, host, rank, displ, op, win) })
}
