//! Reductions in one order (`rankine run --reproducible`): a library's own depend on the nodes that ranks are on, on the
//! length of operands and on its version.
//!
//! In place of the library's functions stand these. They gather the operands at rank 0, piece by piece, combine them there
//! in the order of the embedded engine (see `rankine_local`'s `coll/fold.rs` and `coll/scan.rs`), and scatter the results:
//! what the library still does is elementwise. That costs rank 0 the time of all.
//!
//! # Safety
//! The functions are called as the library's are: through the table of symbols, by shims that have proved the buffers, the
//! counts and the root for the function of that name (see `call/shim.rs`), on the thread whose rank is in the call.

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};
use rankine_abi::{MPI_ERR_NO_MEM, MPI_IN_PLACE};
use rankine_guest::{Charge, Cost, quota};

use super::super::generated::symbols;
use super::super::rank::{Rank, Stop};
use super::{Library, Symbol};

/// Bytes of operands that rank 0 holds at a time.
const PIECE: usize = 4 << 20;

const SUCCESS: c_int = 0;

/// The type of a function of the library.
type Of<S> = <S as Symbol>::Function;

/// The library's own functions.
struct Own {
    rank: Of<symbols::MPI_Comm_rank>,
    size: Of<symbols::MPI_Comm_size>,
    is_inter: Of<symbols::MPI_Comm_test_inter>,
    extent: Of<symbols::MPI_Type_get_extent_c>,
    true_extent: Of<symbols::MPI_Type_get_true_extent_c>,
    type_size: Of<symbols::MPI_Type_size_c>,
    gather: Of<symbols::MPI_Gather_c>,
    scatterv: Of<symbols::MPI_Scatterv_c>,
    bcast: Of<symbols::MPI_Bcast_c>,
    combine: Of<symbols::MPI_Reduce_local_c>,
    allreduce: Of<symbols::MPI_Allreduce_c>,
    reduce: Of<symbols::MPI_Reduce_c>,
    reduce_scatter: Of<symbols::MPI_Reduce_scatter_c>,
    reduce_scatter_block: Of<symbols::MPI_Reduce_scatter_block_c>,
}

static OWN: OnceLock<Own> = OnceLock::new();

/// Puts the functions of this file in the place of the library's.
pub fn install(library: &Library) -> Result<()> {
    let own = own(library).map_err(|error| anyhow!("--reproducible: {error}"))?;
    if OWN.set(own).is_err() {
        return Ok(());
    }
    macro_rules! replace {
        ($($name:ident by $function:ident),* $(,)?) => {
            $({
                let function: Of<symbols::$name> = $function;
                library.symbols[symbols::$name::INDEX].store(function as *mut c_void, Ordering::Relaxed);
            })*
        };
    }
    replace!(
        MPI_Allreduce by allreduce, MPI_Allreduce_c by allreduce_c,
        MPI_Reduce by reduce, MPI_Reduce_c by reduce_c,
        MPI_Reduce_scatter_block by reduce_scatter_block, MPI_Reduce_scatter_block_c by reduce_scatter_block_c,
        MPI_Reduce_scatter by reduce_scatter, MPI_Reduce_scatter_c by reduce_scatter_c,
        MPI_Scan by scan, MPI_Scan_c by scan_c, MPI_Exscan by exscan, MPI_Exscan_c by exscan_c,
    );
    Ok(())
}

fn own(library: &Library) -> rankine_guest::Result<Own> {
    Ok(Own {
        rank: library.symbol::<symbols::MPI_Comm_rank>()?,
        size: library.symbol::<symbols::MPI_Comm_size>()?,
        is_inter: library.symbol::<symbols::MPI_Comm_test_inter>()?,
        extent: library.symbol::<symbols::MPI_Type_get_extent_c>()?,
        true_extent: library.symbol::<symbols::MPI_Type_get_true_extent_c>()?,
        type_size: library.symbol::<symbols::MPI_Type_size_c>()?,
        gather: library.symbol::<symbols::MPI_Gather_c>()?,
        scatterv: library.symbol::<symbols::MPI_Scatterv_c>()?,
        bcast: library.symbol::<symbols::MPI_Bcast_c>()?,
        combine: library.symbol::<symbols::MPI_Reduce_local_c>()?,
        allreduce: library.symbol::<symbols::MPI_Allreduce_c>()?,
        reduce: library.symbol::<symbols::MPI_Reduce_c>()?,
        reduce_scatter: library.symbol::<symbols::MPI_Reduce_scatter_c>()?,
        reduce_scatter_block: library.symbol::<symbols::MPI_Reduce_scatter_block_c>()?,
    })
}

/// Who gets what of the combined operands.
#[derive(Copy, Clone, PartialEq, Eq)]
enum To {
    All,
    One(usize),
    /// Each rank what those before it have, itself included or not.
    Prefix {
        inclusive: bool,
    },
}

/// What the arguments of a reduction have in common.
#[derive(Copy, Clone)]
struct Call {
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    comm: usize,
}

/// A reduction under way.
struct Ordered<'a> {
    own: &'a Own,
    call: Call,
    rank: usize,
    size: usize,
    extent: isize,
    /// Bytes from a first element to the lowest one of its type, and from there to the highest.
    low: isize,
    span: usize,
    /// Elements at a time: as many on every rank.
    piece: i64,
}

/// Memory of rank 0 for a piece of all operands.
struct Room {
    words: Vec<u128>,
    _charge: Option<Charge>,
}

/// What errors call it.
const ROOM: Cost = Cost::Reductions;

impl Room {
    const NONE: Room = Room { words: Vec::new(), _charge: None };

    /// So many bytes, all of them zeroes: the gaps between elements are shown to functions of the guest's. What is more than
    /// a piece as it usually is is charged; a rank that has used up its memory can still reduce. Nothing where they are not
    /// to be had: then the guest ends with this call.
    fn new(bytes: Option<usize>) -> Option<Room> {
        // SAFETY: the shims call these functions within a call of this thread's rank.
        let r = unsafe { Rank::current() }?;
        let room = || -> rankine_guest::Result<Room> {
            let none = || quota::exhausted(bytes.unwrap_or(usize::MAX), ROOM);
            let words = bytes.ok_or_else(none)?.div_ceil(size_of::<u128>()) + 2;
            let layout = Layout::array::<u128>(words).map_err(|_| none())?;
            let beyond = layout.size().saturating_sub(2 * PIECE);
            let charge = (beyond > 0).then(|| r.account().charge(beyond, ROOM)).transpose()?;
            // SAFETY: the layout has two words at least.
            let start = unsafe { alloc_zeroed(layout) }.cast::<u128>();
            if start.is_null() {
                return Err(none());
            }
            // SAFETY: it was allocated with the layout of so many words, and zeroes are words: length and capacity are the
            // same.
            Ok(Room { words: unsafe { Vec::from_raw_parts(start, words, words) }, _charge: charge })
        };
        room().inspect_err(|error| r.stop(Stop::Failed(error.text.to_string()))).ok()
    }
}

/// Returns a code that is none of success.
macro_rules! check {
    ($code:expr) => {
        match $code {
            SUCCESS => {}
            code => return Err(code),
        }
    };
}

impl<'a> Ordered<'a> {
    /// Nothing where the order is the library's affair: between two groups, and for elements that go backwards.
    ///
    /// # Safety
    /// The handles are the library's.
    unsafe fn new(own: &'a Own, call: Call) -> Result<Option<Ordered<'a>>, c_int> {
        let (mut rank, mut size, mut is_inter) = (0, 0, 0);
        let (mut low, mut extent, mut true_low, mut true_extent, mut bytes) = (0, 0, 0, 0, 0);
        // SAFETY: the handles are the library's, the results on the stack.
        unsafe {
            check!((own.is_inter)(call.comm, &mut is_inter));
            check!((own.rank)(call.comm, &mut rank));
            check!((own.size)(call.comm, &mut size));
            check!((own.extent)(call.datatype, &mut low, &mut extent));
            check!((own.true_extent)(call.datatype, &mut true_low, &mut true_extent));
            check!((own.type_size)(call.datatype, &mut bytes));
        }
        if is_inter != 0 || extent < 0 {
            return Ok(None);
        }
        let (rank, size) = (rank as usize, size as usize);
        // The number of bytes, unlike the extent, is the same on every rank.
        let piece = (PIECE / size / (bytes.max(1) as usize)).max(1) as i64;
        let span = usize::try_from(true_extent).unwrap_or(0);
        Ok(Some(Ordered { own, call, rank, size, extent: extent as isize, low: true_low as isize, span, piece }))
    }

    /// # Safety
    /// The buffers have `count` elements of the datatype, where the standard wants them to.
    unsafe fn run(&self, to: To) -> Result<(), c_int> {
        let mut first = 0;
        while first < self.call.count {
            let count = self.piece.min(self.call.count - first);
            // SAFETY: the piece lies within the buffers.
            unsafe { self.combine(first, count, to)? };
            first += count;
        }
        Ok(())
    }

    /// A piece of all operands, from a first element on.
    ///
    /// # Safety
    /// That of [`run`](Ordered::run).
    unsafe fn combine(&self, first: i64, count: i64, to: To) -> Result<(), c_int> {
        let Call { from, to: result, datatype, comm, .. } = self.call;
        let is_in_place = from.addr() == MPI_IN_PLACE.0 as usize;
        let offset = first as isize * self.extent;
        let operand = if is_in_place { result.cast_const() } else { from }.wrapping_byte_offset(offset);
        // The other ranks are in the gather by now, and can't be told: without room the job ends.
        let mut room = self.room(count).ok_or(MPI_ERR_NO_MEM)?;
        let place = |at: usize, room: &mut Room| self.place(&mut room.words, at, count);
        let all = if self.rank == 0 { place(0, &mut room) } else { std::ptr::null_mut() };
        // SAFETY: at rank 0 there is room for as many elements of every rank, and operands have as many.
        check!(unsafe { (self.own.gather)(operand, count, datatype, all, count, datatype, 0, comm) });
        let mut code = SUCCESS;
        let (mut counts, mut displacements) = (vec![0; self.size], vec![0; self.size]);
        if self.rank == 0 {
            let places: Vec<*mut c_void> = (0..self.size).map(|at| place(at, &mut room)).collect();
            // SAFETY: they are operands in that room, each apart from the others.
            let combined = unsafe {
                match to {
                    To::Prefix { .. } => self.chain(&places, count).map(|()| 0),
                    _ => self.tree(&places, count),
                }
            };
            // The others wait for results, whatever they are.
            let at = combined.unwrap_or_else(|failed| {
                code = failed;
                0
            });
            match to {
                To::All => (counts[0], displacements[0]) = (count, at as isize * count as isize),
                To::One(root) => (counts[root], displacements[root]) = (count, at as isize * count as isize),
                To::Prefix { inclusive } => {
                    for rank in usize::from(!inclusive)..self.size {
                        let before = rank - usize::from(!inclusive);
                        (counts[rank], displacements[rank]) = (count, before as isize * count as isize);
                    }
                }
            }
        }
        let mine = match to {
            To::All => self.rank == 0,
            To::One(root) => self.rank == root,
            To::Prefix { inclusive } => inclusive || self.rank > 0,
        };
        let target = result.wrapping_byte_offset(offset);
        // SAFETY: displacements count elements within the room, and who gets some has room for them.
        let scattered = unsafe {
            let (counts, displacements) = (counts.as_ptr(), displacements.as_ptr());
            let mine = if mine { count } else { 0 };
            (self.own.scatterv)(all, counts, displacements, datatype, target, mine, datatype, 0, comm)
        };
        check!(scattered);
        if to == To::All {
            // SAFETY: every rank has room for the result.
            check!(unsafe { (self.own.bcast)(target, count, datatype, 0, comm) });
        }
        check!(code);
        Ok(())
    }

    /// Room at rank 0 for so many elements of every rank. Their extent is no measure of what they carry, and may be anything.
    fn room(&self, count: i64) -> Option<Room> {
        if self.rank > 0 {
            return Some(Room::NONE);
        }
        let elements = self.size.checked_mul(count as usize);
        let bytes = elements.and_then(|elements| elements.checked_mul(self.extent as usize));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(self.span)?.checked_add(self.low.unsigned_abs()));
        Room::new(bytes)
    }

    /// Where the first element of a rank is in it.
    fn place(&self, room: &mut [u128], rank: usize, count: i64) -> *mut c_void {
        let before = self.low.min(0).unsigned_abs().next_multiple_of(16) as isize;
        let offset = before + rank as isize * count as isize * self.extent;
        room.as_mut_ptr().cast::<c_void>().wrapping_byte_offset(offset)
    }

    /// `right` becomes `left` op `right`.
    ///
    /// # Safety
    /// Both are operands of so many elements, apart from each other.
    unsafe fn apply(&self, left: *mut c_void, right: *mut c_void, count: i64) -> Result<(), c_int> {
        // SAFETY: they are operands of so many elements, apart from each other.
        check!(unsafe { (self.own.combine)(left, right, count, self.call.datatype, self.call.op) });
        Ok(())
    }

    /// Runs of 2, 4, 8, … ranks; which operand has become the result.
    ///
    /// # Safety
    /// These are operands of so many elements, apart from each other.
    unsafe fn tree(&self, places: &[*mut c_void], count: i64) -> Result<usize, c_int> {
        let mut runs: Vec<(u32, usize)> = Vec::new();
        for right in 0..places.len() {
            let mut level = 0;
            while let Some((_, left)) = runs.pop_if(|(above, _)| *above == level) {
                // SAFETY: they are operands of so many elements, apart from each other.
                unsafe { self.apply(places[left], places[right], count)? };
                level += 1;
            }
            runs.push((level, right));
        }
        let (_, result) = runs.pop().expect("there is a rank");
        while let Some((_, left)) = runs.pop() {
            // SAFETY: they are operands of so many elements, apart from each other.
            unsafe { self.apply(places[left], places[result], count)? };
        }
        Ok(result)
    }

    /// Each operand becomes the result of those up to it.
    ///
    /// # Safety
    /// As for [`tree`](Ordered::tree).
    unsafe fn chain(&self, places: &[*mut c_void], count: i64) -> Result<(), c_int> {
        for pair in places.windows(2) {
            // SAFETY: they are operands of so many elements, apart from each other.
            unsafe { self.apply(pair[0], pair[1], count)? };
        }
        Ok(())
    }
}

/// A reduction in its order; `otherwise` is the library's own.
///
/// # Safety
/// The arguments are those of a shim, for a function of the library's that reduces.
unsafe fn reduction(call: Call, to: To, otherwise: impl FnOnce(&Own) -> c_int) -> c_int {
    let own = OWN.get().expect("it was set before these functions were put in place");
    // SAFETY: the arguments are a shim's, which were proved for this reduction.
    let done =
        unsafe { Ordered::new(own, call).and_then(|ordered| ordered.map(|ordered| ordered.run(to)).transpose()) };
    match done {
        Ok(Some(())) => SUCCESS,
        Ok(None) => otherwise(own),
        Err(code) => code,
    }
}

/// A reduction of which each rank gets a part.
///
/// # Safety
/// As for [`reduction`]; there are as many counts as ranks.
unsafe fn parts(call: Call, counts: impl Fn(usize) -> i64, otherwise: impl FnOnce(&Own) -> c_int) -> c_int {
    let own = OWN.get().expect("it was set before these functions were put in place");
    // SAFETY: the arguments are a shim's, which were proved for this reduction.
    let ordered = match unsafe { Ordered::new(own, call) } {
        Ok(Some(ordered)) => ordered,
        Ok(None) => return otherwise(own),
        Err(code) => return code,
    };
    let is_in_place = call.from.addr() == MPI_IN_PLACE.0 as usize;
    let mut first = 0;
    for rank in 0..ordered.size {
        let count = counts(rank);
        let operands = if is_in_place { call.to.cast_const() } else { call.from };
        let from = operands.wrapping_byte_offset(first as isize * ordered.extent);
        let part = Ordered { call: Call { from, count, ..call }, ..ordered };
        // SAFETY: the sum of the counts is what the shim has proved of the operands, so each part lies within them. A result
        // goes to the beginning of the receive buffer, where in place no operand lies that is still to come.
        if let Err(code) = unsafe { part.run(To::One(rank)) } {
            return code;
        }
        first += count;
    }
    SUCCESS
}

/// The functions with counts of C's `int`.
macro_rules! with_int_counts {
    ($($narrow:ident => $wide:ident),* $(,)?) => {
        $(unsafe extern "C" fn $narrow(
            from: *const c_void,
            to: *mut c_void,
            count: c_int,
            datatype: usize,
            op: usize,
            comm: usize,
        ) -> c_int {
            // SAFETY: the shim's arguments, passed on.
            unsafe { $wide(from, to, count.into(), datatype, op, comm) }
        })*
    };
}

with_int_counts! {
    allreduce => allreduce_c,
    scan => scan_c,
    exscan => exscan_c,
    reduce_scatter_block => reduce_scatter_block_c,
}

unsafe extern "C" fn allreduce_c(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count, datatype, op, comm };
    // SAFETY: the shim's arguments, passed on.
    unsafe { reduction(call, To::All, |own| (own.allreduce)(from, to, count, datatype, op, comm)) }
}

unsafe extern "C" fn reduce(
    from: *const c_void,
    to: *mut c_void,
    count: c_int,
    datatype: usize,
    op: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    // SAFETY: the shim's arguments, passed on.
    unsafe { reduce_c(from, to, count.into(), datatype, op, root, comm) }
}

unsafe extern "C" fn reduce_c(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count, datatype, op, comm };
    let own_way = |own: &Own| {
        // SAFETY: the shim's arguments, passed on.
        unsafe { (own.reduce)(from, to, count, datatype, op, root, comm) }
    };
    match (usize::try_from(root), OWN.get()) {
        // SAFETY: the shim's arguments, passed on.
        (Ok(root), _) => unsafe { reduction(call, To::One(root), own_way) },
        // Between two groups: the root itself, or who has none.
        (Err(_), Some(own)) => own_way(own),
        (Err(_), None) => unreachable!("it was set before these functions were put in place"),
    }
}

unsafe extern "C" fn scan_c(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count, datatype, op, comm };
    // SAFETY: the shim's arguments, passed on.
    unsafe { reduction(call, To::Prefix { inclusive: true }, |_| rankine_abi::MPI_ERR_UNSUPPORTED_OPERATION) }
}

unsafe extern "C" fn exscan_c(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count, datatype, op, comm };
    // SAFETY: the shim's arguments, passed on.
    unsafe { reduction(call, To::Prefix { inclusive: false }, |_| rankine_abi::MPI_ERR_UNSUPPORTED_OPERATION) }
}

unsafe extern "C" fn reduce_scatter_block_c(
    from: *const c_void,
    to: *mut c_void,
    count: i64,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count, datatype, op, comm };
    // SAFETY: the shim's arguments, passed on.
    unsafe { parts(call, |_| count, |own| (own.reduce_scatter_block)(from, to, count, datatype, op, comm)) }
}

unsafe extern "C" fn reduce_scatter(
    from: *const c_void,
    to: *mut c_void,
    counts: *const c_int,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count: 0, datatype, op, comm };
    // SAFETY: the shim has read a count for each rank of the group.
    let count = |rank: usize| i64::from(unsafe { *counts.add(rank) });
    let own_way = |own: &Own| {
        let mut size = 0;
        // SAFETY: the shim's arguments, passed on; the counts are those of this group.
        unsafe {
            match (own.size)(comm, &mut size) {
                SUCCESS => {
                    let wide: Vec<i64> = (0..size as usize).map(count).collect();
                    (own.reduce_scatter)(from, to, wide.as_ptr(), datatype, op, comm)
                }
                code => code,
            }
        }
    };
    // SAFETY: the shim's arguments, passed on.
    unsafe { parts(call, count, own_way) }
}

unsafe extern "C" fn reduce_scatter_c(
    from: *const c_void,
    to: *mut c_void,
    counts: *const i64,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    let call = Call { from, to, count: 0, datatype, op, comm };
    // SAFETY: the shim has read a count for each rank of the group.
    let count = |rank: usize| unsafe { *counts.add(rank) };
    // SAFETY: the shim's arguments, passed on.
    unsafe { parts(call, count, |own| (own.reduce_scatter)(from, to, counts, datatype, op, comm)) }
}
