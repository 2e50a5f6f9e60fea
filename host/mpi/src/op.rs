//! Operations of the guest's own: the library calls a function of the host, which calls the guest's.
//!
//! The ABI's operations carry no state, so there is a fixed number of such functions, a slot each. The operands are
//! copied into the guest's scratch memory and back: the library's buffers are not in its memory.

use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use rankine_abi::{Addr, Datatype, MPI_ERR_NO_MEM, MPI_ERR_OP, MPI_ERR_TYPE, Op};
use rankine_guest::handle::Class;
use rankine_guest::op::kernel;
use rankine_guest::{Error, copy};

use super::Result;
use super::call::handle::{Handles, Hosted};
use super::call::keeping::Keeping;
use super::datatype::Type;
use super::generated::symbols;
use super::rank::{Rank, Stop};
use rankine_system::tell;

/// Operations of the guest's own that can be alive at a time, in each of the two variants.
const SLOTS: usize = 128;

/// The guest's function behind each slot that is taken, as [`taken_by`] has it, and [`FREE`] for the others. The process has
/// one rank, whose threads take turns at it, so each of them sees what those before it have stored.
static FUNCTIONS: [AtomicU64; SLOTS] = [const { AtomicU64::new(FREE) }; SLOTS];

/// A slot that nobody has taken.
const FREE: u64 = 0;

/// A slot that this function of the guest's has taken.
const fn taken_by(function: u32) -> u64 {
    function as u64 + 1
}

/// A slot that is taken, until nothing refers to the operation any more.
pub(crate) struct Slot(usize);

impl Slot {
    fn take(function: u32) -> Option<Slot> {
        let take = |slot: &AtomicU64| {
            slot.compare_exchange(FREE, taken_by(function), Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        FUNCTIONS.iter().position(take).map(Slot)
    }

    /// The function that has taken one of the slots.
    fn function(slot: usize) -> Option<u32> {
        let taken = FUNCTIONS[slot].load(Ordering::Relaxed).checked_sub(taken_by(0))?;
        Some(taken as u32)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        FUNCTIONS[self.0].store(FREE, Ordering::Relaxed);
    }
}

/// An operation that the program has made.
struct Made {
    host: usize,
    slot: Rc<Slot>,
}

impl Hosted for Made {
    fn host(&self) -> usize {
        self.host
    }
}

/// The operations of this rank.
pub(crate) struct State(Handles<Made>);

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        State(Handles::new(keeping, (Class::Op, Op::NULL.0), MPI_ERR_OP, "operation", |word| Op(word).name()))
    }

    /// The library's handle of an operation that the program has made.
    pub(crate) fn made_host(&self, word: u32) -> Option<usize> {
        self.0.with(word, Hosted::host)
    }
}

/// An operation as a call uses it.
pub(crate) struct OpUse {
    /// The library's handle.
    pub(crate) host: usize,
    /// The slot of an operation of the guest's own, to be kept as long as the library may call it.
    pub(crate) slot: Option<Rc<Slot>>,
}

impl Rank {
    /// The operation behind a word.
    pub(crate) fn op(&self, word: u32) -> Result<OpUse> {
        let slot = self.ops.0.with(word, |made| made.slot.clone());
        Ok(OpUse { host: self.ops.0.host(word, "op")?, slot })
    }

    /// The operation of a reduction, and what the library is to take the datatype for.
    #[inline]
    pub(crate) fn reduction(&self, word: u32, datatype: &Type) -> Result<(OpUse, usize)> {
        let op = self.op_on(word, datatype)?;
        // MPICH makes room for operands from the first one upwards.
        if datatype.extent() < 0 && (op.slot.is_some() || datatype.has_quads) {
            let text =
                format!("datatype: a reduction of elements with the extent {} is not possible", datatype.extent());
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
        if op.slot.is_some() {
            let host = self.telling_host(datatype)?;
            return Ok((op, host));
        }
        if datatype.has_quads {
            let op = OpUse { host: self.quad_operation(Op(word), datatype)?, slot: None };
            return Ok((op, self.telling_host(datatype)?));
        }
        Ok((op, datatype.host))
    }

    /// The operation and datatype of a rank that takes no part, whose own say nothing: what any library takes.
    pub(crate) fn no_reduction(&self) -> Result<(OpUse, usize)> {
        let op = OpUse { host: self.ops.0.host(Op::SUM.0, "op")?, slot: None };
        Ok((op, self.datatype(Datatype::INT.0, "datatype")?.host))
    }

    /// The operation on operands of a datatype. MPICH ends the process that reduces elements of the null datatype.
    fn op_on(&self, word: u32, datatype: &Type) -> Result<OpUse> {
        if datatype.word == Datatype::NULL.0 {
            return Err(Error::new(MPI_ERR_TYPE, "datatype: MPI_DATATYPE_NULL is not a type of operands"));
        }
        self.op(word)
    }

    /// The operation of an accumulation of elements into those of a window. What the embedded engine refuses is refused here:
    /// MPICH ends the process for an operation that is not defined on them, and for elements of different types.
    pub(crate) fn accumulation(
        &self,
        word: u32,
        (origin_count, origin): (i64, &Type),
        (target_count, target): (i64, &Type),
    ) -> Result<OpUse> {
        let op = self.op_on(word, target)?;
        if op.slot.is_some() {
            return Err(Error::new(MPI_ERR_OP, "op is not a predefined operation; windows accept no others"));
        }
        if target.has_quads && ![Op::REPLACE, Op::NO_OP].contains(&Op(word)) {
            let name = Op(word).name().unwrap_or("an operation");
            let text = format!(
                "{name} on long double is not possible in a window of the engine mpi: the guest's is an IEEE quad, the MPI library's is not"
            );
            return Err(Error::new(MPI_ERR_OP, text));
        }
        let is_nothing = |count, ty: &Type| count == 0 || ty.size() == 0;
        if Op(word) == Op::NO_OP || is_nothing(origin_count, origin) && is_nothing(target_count, target) {
            return Ok(op);
        }
        if origin.basic != target.basic {
            let text = "origin_datatype and target_datatype are not made of elements of the same predefined datatype";
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
        let is_defined = target.operand().is_some_and(|operand| kernel(Op(word), operand).is_some());
        if !is_defined && Op(word) != Op::REPLACE {
            let name = Op(word).name().unwrap_or("the operation");
            return Err(Error::new(MPI_ERR_OP, format!("{name} is not defined on elements of target_datatype")));
        }
        Ok(op)
    }

    /// Drops an operation that the library has made null.
    pub(crate) fn after_op(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == Op::NULL.0 as usize {
            self.ops.0.remove(word);
            self.put_handle(at, Op::NULL.0, what)?;
        }
        Ok(())
    }
}

/// `MPI_Op_create`
pub(crate) fn op_create(r: &Rank, large: bool, user_fn: u32, commute: i32, op: Addr) -> Result<()> {
    r.room(op, r.word_bytes(), "op")?;
    let slot = Slot::take(user_fn).ok_or_else(|| {
        Error::new(
            MPI_ERR_NO_MEM,
            format!("a rank may have {SLOTS} operations of its own at a time over an MPI library"),
        )
    })?;
    let mut host = 0;
    let code = if large {
        let call = r.symbol::<symbols::MPI_Op_create_c>()?;
        // SAFETY: a function of the type that the standard asks for, and a result on the stack.
        unsafe { call(LARGE[slot.0] as *const c_void, commute, &mut host) }
    } else {
        let call = r.symbol::<symbols::MPI_Op_create>()?;
        // SAFETY: a function of the type that the standard asks for, and a result on the stack.
        unsafe { call(SMALL[slot.0] as *const c_void, commute, &mut host) }
    };
    r.check(code)?;
    let word = r.ops.0.insert(Made { host, slot: Rc::new(slot) })?;
    r.put_handle(op, word, "op")
}

/// `MPI_Op_free`: the slot stays taken while an operation is under way that uses it.
pub(crate) fn op_free(r: &Rank, op: Addr) -> Result<()> {
    let word = r.get_handle(op, "op")?;
    let mut host = r.op(word)?.host;
    let call = r.symbol::<symbols::MPI_Op_free>()?;
    // SAFETY: an operation that the program has made; in a callback its end is put off.
    r.check(unsafe { call(&mut host) })?;
    r.after_op(op, word, host, "op")
}

/// `MPI_User_function`
type Small = unsafe extern "C" fn(*const c_void, *mut c_void, *const c_int, *const usize);
/// `MPI_User_function_c`
type Large = unsafe extern "C" fn(*const c_void, *mut c_void, *const i64, *const usize);

unsafe extern "C" fn small<const SLOT: usize>(
    invec: *const c_void,
    inoutvec: *mut c_void,
    length: *const c_int,
    datatype: *const usize,
) {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one, with operands of so many elements.
    unsafe { run(SLOT, invec.cast(), inoutvec.cast(), i64::from(*length), false, *datatype) }
}

unsafe extern "C" fn large<const SLOT: usize>(
    invec: *const c_void,
    inoutvec: *mut c_void,
    length: *const i64,
    datatype: *const usize,
) {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one, with operands of so many elements.
    unsafe { run(SLOT, invec.cast(), inoutvec.cast(), *length, true, *datatype) }
}

/// A table with a function for each slot.
macro_rules! slots {
    ($function:ident: $($high:literal)*) => {
        [$(
            $function::<{ 8 * $high }>, $function::<{ 8 * $high + 1 }>, $function::<{ 8 * $high + 2 }>, $function::<{ 8 * $high + 3 }>,
            $function::<{ 8 * $high + 4 }>, $function::<{ 8 * $high + 5 }>, $function::<{ 8 * $high + 6 }>, $function::<{ 8 * $high + 7 }>,
        )*]
    };
}

static SMALL: [Small; SLOTS] = slots!(small: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
static LARGE: [Large; SLOTS] = slots!(large: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// Ends the process where the library has an operand combined on a thread of its own: no guest can be asked there, an
/// operation has no error, and the result would be wrong.
#[cold]
pub(crate) fn end_without_rank() -> ! {
    tell!(
        "rankine: the MPI library called an operation on a thread of its own, where a program can't run: switch off \
         what starts such threads (MPICH: MPIR_CVAR_ASYNC_PROGRESS=0)"
    );
    crate::end_by_signal()
}

/// Calls the guest's function behind a slot.
///
/// # Safety
/// If a rank runs on this thread, a call of it is under way; the operands have so many elements of the library's datatype.
unsafe fn run(slot: usize, invec: *const u8, inoutvec: *mut u8, length: i64, is_large: bool, datatype: usize) {
    // SAFETY: a call is under way of whatever rank runs on this thread, as the function demands.
    let Some(r) = (unsafe { Rank::current() }) else { end_without_rank() };
    let Some(function) = Slot::function(slot) else { return };
    // SAFETY: the operands have so many elements of this datatype, as the function demands.
    let done = unsafe { call(&r, function, invec, inoutvec, length, is_large, datatype) };
    if done.is_none() && !r.stopped.get() {
        let text = format!("the guest has no memory left for the operands of its reduction of {length} elements");
        r.stop(Stop::Failed(text));
    }
}

/// As [`run`]; nothing if it could not be called.
///
/// # Safety
/// That of [`run`]; the rank is that of this thread.
unsafe fn call(
    r: &Rank,
    function: u32,
    invec: *const u8,
    inoutvec: *mut u8,
    length: i64,
    is_large: bool,
    datatype: usize,
) -> Option<()> {
    let (word, is_made) = match r.datatype_word(datatype) {
        Some(word) => (word, false),
        // The program has freed its handle since. It gets one for the time of this call: the library's type ends with the
        // operation, and what the function frees is freed after it has returned, when the word means nothing any more.
        None => (r.adopt_datatype(datatype, &[]).ok()?, true),
    };
    // SAFETY: the operands have so many elements of this type, as the function demands.
    let done = unsafe { with_operands(r, function, (invec, inoutvec), length, is_large, word) };
    if is_made {
        r.forget_datatype(word);
    }
    done
}

/// Calls the guest's function with copies of the operands in its memory, and gives the library the result.
///
/// # Safety
/// The operands have so many elements of the word's datatype.
unsafe fn with_operands(
    r: &Rank,
    function: u32,
    (invec, inoutvec): (*const u8, *mut u8),
    length: i64,
    is_large: bool,
    word: u32,
) -> Option<()> {
    let ty = r.datatype(word, "datatype").ok()?;
    let (low, high) = ty.hull(length).unwrap_or((0, 0));
    // The guest's addresses of elements must not be negative.
    let (low, high) = (isize::try_from(low.min(0)).ok()?, isize::try_from(high.max(0)).ok()?);
    let bytes = high - low;
    let room = u64::try_from(bytes).ok()?.checked_next_multiple_of(16)?;
    r.with_scratch(room.checked_mul(2)?.checked_add(32)?, |at| {
        let (first, second) = (at.plus(32), at.plus(32 + room));
        for (to, from) in [(first, invec), (second, inoutvec.cast_const())] {
            // SAFETY: from the lowest to the highest byte of its elements, each operand is the library's to show. It may
            // be a buffer of the guest's, whose other threads may write it.
            unsafe { r.memory().write_from(to, from.offset(low), bytes as u64, "an operand") }.ok()?;
        }
        if is_large {
            r.put_long(at, length, "the length").ok()?;
        } else {
            r.put_int(at, length as c_int, "the length").ok()?;
        }
        r.put_handle(Addr(at.0 + 8), word, "the datatype").ok()?;
        let element = |block: Addr| Addr(block.0.wrapping_add_signed(-low as i64));
        let arguments = r.arguments().address(element(first)).address(element(second));
        r.call_guest(function, arguments.address(at).address(at.plus(8)))?;
        let result = r.memory().read_bytes(second, bytes as u64, "an operand").ok()?;
        // SAFETY: the library lets the second operand be written, from its lowest to its highest byte, and the result
        // has as many.
        unsafe { copy::copy(inoutvec.offset(low), result.as_ptr(), bytes as usize) };
        Some(())
    })
}
