//! Reduction operations (MPI-5.0 §6.9): the predefined ones, those of the program, and applying them.
//!
//! Operands are packed bytes in host memory. A predefined operation runs on them there; for one of the program they are
//! laid out in the guest's scratch memory, as elements of the datatype, and its function is called on the rank's own
//! stack.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use rankine_abi::{Addr, Datatype, FnPtr, MPI_ERR_BUFFER, MPI_ERR_NO_MEM, MPI_ERR_OP, Op};
use rankine_guest::Callback;
use rankine_guest::op::{Kernel, Operand, kernel};

use crate::datatype::{Combiner, Type};
use crate::error::{Error, Result};
use crate::handle::{Class, FIRST_DYNAMIC, Table};
use crate::quota::Account;
use crate::rank::Rank;

/// An operation of the program.
#[derive(Debug)]
struct User {
    function: FnPtr,
    commutative: bool,
}

/// The operations that a rank made.
pub(crate) struct State {
    table: RefCell<Table<Rc<User>>>,
    /// The scratch memory holds the operands of a call under way.
    busy: Cell<bool>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        let beside = size_of::<User>() + 2 * size_of::<usize>();
        State { table: RefCell::new(Table::new(Class::Op, account, beside)), busy: Cell::new(false) }
    }
}

/// An operation on elements of one datatype, which fit together.
#[derive(Clone)]
pub(crate) struct Reduction {
    /// Packed bytes of an element.
    pub(crate) element: usize,
    how: How,
}

#[derive(Clone)]
enum How {
    Kernel(Kernel),
    Call(Rc<Call>),
}

/// What a call of the program's function needs.
struct Call {
    user: Rc<User>,
    datatype: Datatype,
    ty: Rc<Type>,
}

impl Rank {
    /// What an operation does with elements of a datatype; an error if MPI does not define it.
    pub(crate) fn reduction(&self, op: Op, datatype: Datatype) -> Result<Reduction> {
        // What is wrong with the type is said first.
        let element = datatype.element();
        let derived = if element.is_some() { None } else { Some(self.datatype(datatype)?) };
        if op.0 >= FIRST_DYNAMIC {
            let user = self.ops.table.borrow().get(op.0).cloned().ok_or_else(|| no_op(op))?;
            let ty = self.datatype(datatype)?;
            let element = ty.size() as usize;
            return Ok(Reduction { element, how: How::Call(Rc::new(Call { user, datatype, ty })) });
        }
        if op == Op::NULL || op.name().is_none() {
            return Err(no_op(op));
        }
        let operand = element.as_ref().map(Operand::of).or_else(|| operand_of_type(derived.as_deref()?));
        let Some(operand) = operand else {
            return Err(Error::new(
                MPI_ERR_OP,
                format!(
                    "{} is not defined on derived datatypes ({:#x}), only operations of the program are",
                    op.name().unwrap_or_default(),
                    datatype.0
                ),
            ));
        };
        let kernel = kernel(op, operand).ok_or_else(|| undefined(op, datatype))?;
        let element = operand.value.1 + operand.index.map_or(0, |(_, size)| size);
        Ok(Reduction { element: element as usize, how: How::Kernel(kernel) })
    }

    /// As [`Rank::reduction`], for collectives: `MPI_REPLACE` and `MPI_NO_OP` are for one-sided communication only.
    pub(crate) fn collective_reduction(&self, op: Op, datatype: Datatype) -> Result<Reduction> {
        if matches!(op, Op::REPLACE | Op::NO_OP) {
            let text = format!("{} is an operation of one-sided communication only", op.name().unwrap_or_default());
            return Err(Error::new(MPI_ERR_OP, text));
        }
        self.reduction(op, datatype)
    }
}

/// What operations compute with, of types that are no derived ones although a call made them (§19.1.9), and of their duplicates.
fn operand_of_type(ty: &Type) -> Option<Operand> {
    let contents = ty.contents();
    match contents.combiner {
        Combiner::Named | Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => ty.operand(),
        Combiner::Dup => operand_of_type(contents.types().first()?),
        _ => None,
    }
}

#[cold]
pub(crate) fn undefined(op: Op, datatype: Datatype) -> Error {
    let name = match datatype.name() {
        Some(name) => name.to_owned(),
        None => format!("datatype {:#x}", datatype.0),
    };
    Error::new(MPI_ERR_OP, format!("{} is not defined on {name}", op.name().unwrap_or_default()))
}

#[cold]
fn no_op(op: Op) -> Error {
    let text = match op {
        Op::NULL => "the operation is MPI_OP_NULL".into(),
        Op(handle) => format!("{handle:#x} is not an operation of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_OP, text)
}

impl Reduction {
    /// The packed bytes of as many whole elements as fit into `bytes`, at least one.
    pub(crate) fn whole_elements(&self, bytes: usize) -> usize {
        let element = self.element.max(1);
        (bytes / element).max(1) * element
    }

    /// `second = first ∘ second`, where both are the same number of packed elements.
    #[inline]
    pub(crate) async fn apply(&self, r: &Rank, first: &[u8], second: &mut [u8]) -> Result<()> {
        debug_assert_eq!(first.len(), second.len());
        match &self.how {
            How::Kernel(kernel) => {
                kernel(first, second);
                Ok(())
            }
            How::Call(call) => Box::pin(call.apply(r, first, second)).await,
        }
    }
}

/// Bytes of operands that one call of the program's function gets, unless a single element has more.
const CALL: usize = 512 << 10;
/// Where length and datatype lie in the scratch memory: not in its first page, where a callback that waits for its turn
/// may have laid out what it needs (the lists of `rankine-object`).
const PLACE: u64 = 64 << 10;
/// Length and datatype lie in front of the operands.
const FRONT: u64 = 16;

impl Call {
    async fn apply(&self, r: &Rank, first: &[u8], second: &mut [u8]) -> Result<()> {
        let element = self.ty.size() as usize;
        if element == 0 {
            return Ok(());
        }
        let footprint = element.max(self.ty.extent().unsigned_abs() as usize);
        let chunk = (CALL / footprint).max(1) * element;
        let _scratch = Scratch::take(r).await;
        for (a, b) in first.chunks(chunk).zip(second.chunks_mut(chunk)) {
            self.call(r, a, b, b.len() / element).await?;
        }
        Ok(())
    }

    /// Lays `count` elements of both operands out, calls the function and packs its result.
    async fn call(&self, r: &Rank, first: &[u8], second: &mut [u8], count: usize) -> Result<()> {
        let layout = self.ty.message(count as u64)?;
        let below = layout.lo().min(0).unsigned_abs().next_multiple_of(16);
        let room = below.saturating_add(layout.hi().max(0).unsigned_abs()).checked_next_multiple_of(16);
        let room = room.unwrap_or(u64::MAX);
        let bytes = (PLACE + FRONT).saturating_add(room.saturating_mul(2));
        let scratch = Addr(r.ask(Callback::Scratch { bytes }).await as u64);
        if scratch.is_null() {
            let text = format!("no room for operands of {bytes} bytes in the program's memory");
            return Err(Error::new(MPI_ERR_NO_MEM, text));
        }
        let start = scratch.plus(PLACE);
        let (length, datatype) = (start, start.plus(8));
        // Where the guest's allocator lies, what is written below is proved once more.
        let operands = [0, room].map(|offset| start.plus(FRONT + offset + below));
        let memory = r.memory();
        memory.write_i64(length, count as i64, "the length in scratch memory")?;
        memory.write_handle(datatype, self.datatype.0, "the datatype in scratch memory")?;
        let spans = [r.typed_span(operands[0], layout.clone())?, r.typed_span(operands[1], layout)?];
        spans[0].unpack(0, first);
        spans[1].unpack(0, second);
        let arguments = r.arguments().address(operands[0]).address(operands[1]).address(length).address(datatype);
        r.call_guest(self.user.function, arguments).await;
        spans[1].read(0, second);
        Ok(())
    }
}

/// The right to use the scratch memory: one reduction at a time, whichever of them calls first.
struct Scratch<'a>(&'a Rank);

impl<'a> Scratch<'a> {
    async fn take(r: &'a Rank) -> Self {
        let busy = &r.ops.busy;
        poll_fn(|_| if busy.replace(true) { Poll::Pending } else { Poll::Ready(()) }).await;
        Scratch(r)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        self.0.ops.busy.set(false);
        self.0.poll_again();
    }
}

/// `MPI_Op_create`, and `MPI_Op_create_c`: the length is stored as a double word whose low half is the `int` of the
/// former.
pub fn op_create(r: &Rank, function: FnPtr, commute: bool) -> Result<Op> {
    let user = Rc::new(User { function, commutative: commute });
    r.ops.table.borrow_mut().add(user, "operations").map(Op)
}

/// `MPI_Op_free`
pub fn op_free(r: &Rank, op: Op) -> Result<Op> {
    if op.0 < FIRST_DYNAMIC && op != Op::NULL && op.name().is_some() {
        let text = format!("{} is predefined and cannot be freed", op.name().unwrap_or_default());
        return Err(Error::new(MPI_ERR_OP, text));
    }
    r.ops.table.borrow_mut().remove(op.0).map(|_| Op::NULL).ok_or_else(|| no_op(op))
}

/// `MPI_Op_commutative`
pub fn op_commutative(r: &Rank, op: Op) -> Result<bool> {
    if op.0 < FIRST_DYNAMIC && op != Op::NULL && op.name().is_some() {
        return Ok(op != Op::REPLACE);
    }
    r.ops.table.borrow().get(op.0).map(|user| user.commutative).ok_or_else(|| no_op(op))
}

/// `MPI_Reduce_local`
pub async fn reduce_local(r: &Rank, inbuf: Addr, inoutbuf: Addr, count: i64, datatype: Datatype, op: Op) -> Result<()> {
    let reduction = r.collective_reduction(op, datatype)?;
    if [inbuf, inoutbuf].contains(&rankine_abi::MPI_IN_PLACE) {
        return Err(Error::new(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning in a local reduction"));
    }
    let (first, second) = (r.span(inbuf, count, datatype)?, r.span(inoutbuf, count, datatype)?);
    second.apart_from(&first)?;
    let chunk = reduction.whole_elements(CHUNK).min(second.bytes());
    let (mut a, mut b) = (vec![0; chunk], vec![0; chunk]);
    let mut from = 0;
    while from < second.bytes() {
        let length = chunk.min(second.bytes() - from);
        first.read(from, &mut a[..length]);
        second.read(from, &mut b[..length]);
        reduction.apply(r, &a[..length], &mut b[..length]).await?;
        second.unpack(from, &b[..length]);
        from += length;
    }
    Ok(())
}

/// Packed bytes that a local reduction works on at a time: they stay in the cache.
const CHUNK: usize = 32 << 10;
