//! Combining data with the target's (MPI-5.0 §12.3.3, §12.3.4): the origin computes, element by element.

use std::cell::{Ref, RefCell};

use rankine_abi::{Addr, Datatype, Kind, MPI_ERR_OP, MPI_ERR_TYPE, Op, Request, Win};
use rankine_guest::op::{InPlace, Kernel, Operand, in_place, kernel};

use super::Window;
use super::access::{Here, There, check_fit};
use super::elements::{Update, WIDEST, compare_and_swap as exchange, exchange_one, update_one};
use crate::error::{Error, Result};
use crate::events::Event;
use crate::handle::FIRST_DYNAMIC;
use crate::op::undefined;
use crate::rank::Rank;
use crate::span::Span;

/// What an operation does with elements of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulation {
    pub(super) op: Op,
    /// `second = first ∘ second`.
    pub(super) kernel: Kernel,
    /// The operation straight in memory, without what was there before.
    pub(super) in_place: Option<InPlace>,
    operand: Operand,
    /// Packed bytes of an element.
    pub(super) size: usize,
    /// The hardware can update an element, if it is aligned.
    pub(super) is_integer: bool,
    /// The packed bytes of an element lie in two places.
    pub(super) is_split: bool,
}

/// What was found out last, and of which operations and predefined datatypes: loops ask for the same again and again.
#[derive(Default)]
pub(super) struct Known(RefCell<[Last; PLACES]>);

/// What is known of as many operations on datatypes, each of which has one place.
const PLACES: usize = 8;

#[derive(Default)]
struct Last {
    /// Nothing, if it is of a datatype that the guest has made.
    of: Option<(Op, Datatype)>,
    how: Option<Accumulation>,
}

impl Known {
    /// It is borrowed and not copied, as a copy of what has just been written stalls the processor.
    #[inline]
    fn accumulation(&self, r: &Rank, op: Op, datatype: Datatype) -> Result<Ref<'_, Accumulation>> {
        match self.look(op, datatype) {
            Some(known) => Ok(known),
            None => self.find_out(r, op, datatype),
        }
    }

    /// What is known already.
    #[inline]
    fn look(&self, op: Op, datatype: Datatype) -> Option<Ref<'_, Accumulation>> {
        let place = place(op, datatype);
        Ref::filter_map(self.0.borrow(), |all| {
            all[place].how.as_ref().filter(|_| all[place].of == Some((op, datatype)))
        })
        .ok()
    }

    #[cold]
    fn find_out(&self, r: &Rank, op: Op, datatype: Datatype) -> Result<Ref<'_, Accumulation>> {
        let (how, place) = (Some(Accumulation::new(r, op, datatype)?), place(op, datatype));
        // The number of any other datatype may be given out again.
        let of = datatype.element().map(|_| (op, datatype));
        self.0.borrow_mut()[place] = Last { of, how };
        Ok(Ref::map(self.0.borrow(), |all| all[place].how.as_ref().expect("it was found out")))
    }
}

#[inline]
fn place(op: Op, datatype: Datatype) -> usize {
    (op.0 ^ datatype.0) as usize % PLACES
}

impl Accumulation {
    /// What a predefined operation does with the elements that a datatype is made of, which have to be of one kind.
    fn new(r: &Rank, op: Op, datatype: Datatype) -> Result<Accumulation> {
        let operand = match datatype.element() {
            Some(element) => Some(Operand::of(&element)),
            None => r.datatype(datatype)?.operand(),
        };
        if op.0 >= FIRST_DYNAMIC || op == Op::NULL || op.name().is_none() {
            let text = format!("{:#x} is not a predefined operation; windows accept no others", op.0);
            return Err(Error::new(MPI_ERR_OP, text));
        }
        let Some(operand) = operand else {
            let text = "the datatype is not made of elements of one predefined datatype, as accumulates need it";
            return Err(Error::new(MPI_ERR_TYPE, text));
        };
        Accumulation::of_operand(op, operand).ok_or_else(|| undefined(op, datatype))
    }

    /// What one does with elements of a predefined datatype, if both are such and it is defined on them.
    pub(super) fn of_element(op: Op, datatype: Datatype) -> Option<Accumulation> {
        if op.0 >= FIRST_DYNAMIC || op == Op::NULL || op.name().is_none() {
            return None;
        }
        Accumulation::of_operand(op, Operand::of(&datatype.element()?))
    }

    /// Whether it is of such elements.
    pub(super) fn is_of(&self, datatype: Datatype) -> bool {
        datatype.element().is_some_and(|element| Operand::of(&element) == self.operand)
    }

    fn of_operand(op: Op, operand: Operand) -> Option<Accumulation> {
        let Operand { value: (kind, size), index } = operand;
        let kernel = kernel(op, operand)?;
        let is_number = !matches!(kind, Kind::Float | Kind::Complex);
        let is_split = index.is_some_and(|(_, index)| size < index);
        Some(Accumulation {
            op,
            kernel,
            in_place: in_place(op, operand).filter(|_| !is_split),
            operand,
            size: (size + index.map_or(0, |(_, size)| size)) as usize,
            is_integer: index.is_none() && is_number && matches!(size, 1 | 2 | 4 | 8),
            is_split,
        })
    }
}

impl Rank {
    /// Updates elements of a target's part. Without operands, or with `MPI_NO_OP`, it only looks at them. Inline, as
    /// arguments that pass through memory cost more than the update.
    #[inline(always)]
    fn update(
        &self,
        origin: Here,
        result: Option<Here>,
        (target, there): (i32, There),
        op: Op,
        win: Win,
    ) -> Result<()> {
        let window = self.window(win)?;
        let operands = if op == Op::NO_OP { None } else { Some(self.span(origin.0, origin.1, origin.2)?) };
        let result = result.map(|(address, count, datatype)| self.span(address, count, datatype)).transpose()?;
        let Some(target) = window.target(target)? else { return Ok(()) };
        if window.common.member(target).elsewhere.is_some() {
            return self.update_there(&window, (operands, result), origin.2, (target, there), op);
        }
        let span = window.span(self, target, there)?;
        if let Some(operands) = &operands {
            check_fit(operands.bytes(), span.bytes())?;
        }
        if let Some(result) = &result {
            check_fit(span.bytes(), result.bytes())?;
        }
        window.allow(target)?;
        // No bytes are elements of any kind.
        if span.bytes() == 0 {
            return Ok(());
        }
        let how = self.windows.known.accumulation(self, op, there.datatype)?;
        if origin.2 != there.datatype && operands.as_ref().is_some_and(|operands| operands.bytes() > 0) {
            check_same(&how, &Accumulation::new(self, op, origin.2)?)?;
        }
        let member = window.common.member(target);
        let update = Update { target: &span, stripes: &member.stripes, how: &how, alone: window.is_alone(target) };
        update.run(operands.as_ref(), result.as_ref());
        let (by, to, bytes) = (self.id(), member.rank as usize, span.bytes());
        self.tell(|| Event::Accessed { by, to, bytes });
        Ok(())
    }
}

impl Rank {
    /// Updates elements of a part that is elsewhere.
    #[cold]
    fn update_there(
        &self,
        window: &Window,
        (operands, result): (Option<Span<'static>>, Option<Span<'static>>),
        datatype: Datatype,
        (target, there): (usize, There),
        op: Op,
    ) -> Result<()> {
        let find = || {
            let how = self.windows.known.accumulation(self, op, there.datatype)?;
            if datatype != there.datatype && operands.as_ref().is_some_and(|operands| operands.bytes() > 0) {
                check_same(&how, &Accumulation::new(self, op, datatype)?)?;
            }
            Ok(*how)
        };
        let bytes = self.update_elsewhere(window, (operands.as_ref(), result.as_ref()), (target, there), find)?;
        let (by, to) = (self.id(), window.common.member(target).rank as usize);
        if bytes > 0 {
            self.tell(|| Event::Accessed { by, to, bytes });
        }
        Ok(())
    }
}

/// What programs count with: one element of a predefined datatype, in one piece. Where it is something else, or anything is
/// wrong, nothing is done and `None` is the answer: what is for all updates comes next, and finds it.
impl Rank {
    /// Does something with one element of a target's part, once everything else was proved; what came of it.
    #[inline(always)]
    fn with_one(
        &self,
        datatype: Datatype,
        (target, disp): (i32, i64),
        op: Op,
        win: Win,
        act: impl FnOnce(&Accumulation, *mut u8, &Window) -> Option<()>,
    ) -> Option<()> {
        let windows = self.windows.table.borrow();
        let window = windows.get(win.0)?.as_ref()?;
        let how = self.windows.known.look(op, datatype).filter(|how| !how.is_split && how.size <= WIDEST)?;
        let (at, size) = window.reach(target, There { disp, count: 1, datatype })?;
        if size != how.size as u64 || self.world().is_observed() {
            return None;
        }
        act(&how, at, window)
    }

    /// Bytes of this rank's memory, for one element.
    #[inline(always)]
    fn one_here(&self, datatype: Datatype, address: Addr) -> Option<*mut u8> {
        Some(self.memory().buffer(address, datatype.predefined_block()?.into())?.first())
    }

    #[inline(always)]
    fn update_one(
        &self,
        (origin, result): (Addr, Option<Addr>),
        datatype: Datatype,
        there: (i32, i64),
        op: Op,
        win: Win,
    ) -> Option<()> {
        let operand = if op == Op::NO_OP { None } else { Some(self.one_here(datatype, origin)?) };
        let result = result.map(|result| self.one_here(datatype, result).ok_or(())).transpose().ok()?;
        self.with_one(datatype, there, op, win, |how, at, window| {
            let target = there.0 as usize;
            let stripes = || (!window.is_alone(target)).then(|| &*window.common.member(target).stripes);
            // SAFETY: the operand and the result lie in this rank's memory and the element in the target's part, each with
            // all of its bytes; both memories stay until the job has ended.
            unsafe { update_one(how, at, stripes, operand, result) };
            Some(())
        })
    }

    #[inline(always)]
    fn exchange_one(&self, places: [Addr; 3], datatype: Datatype, there: (i32, i64), win: Win) -> Option<()> {
        let [new, expected, result] = places.map(|address| self.one_here(datatype, address));
        let (new, expected, result) = (new?, expected?, result?);
        self.with_one(datatype, there, Op::REPLACE, win, |how, at, _| {
            // SAFETY: the first three lie in this rank's memory and the element in the target's part, each with all of its
            // bytes; both memories stay until the job has ended.
            unsafe { exchange_one(how, at, [new, expected, result]) }
        })
    }
}

/// Refuses operands that are elements of another kind than those of the target.
fn check_same(target: &Accumulation, origin: &Accumulation) -> Result<()> {
    if target.operand == origin.operand {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_TYPE, "origin and target are not made of elements of the same predefined datatype"))
}

/// `MPI_Accumulate`
pub fn accumulate(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> Result<()> {
    let is_one = origin_count == 1 && (target_count, target_datatype) == (1, origin_datatype);
    let there = (target_rank, target_disp);
    if is_one && r.update_one((origin_addr, None), target_datatype, there, op, win).is_some() {
        return Ok(());
    }
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    r.update((origin_addr, origin_count, origin_datatype), None, (target_rank, there), op, win)
}

/// `MPI_Raccumulate`
pub async fn raccumulate(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> Result<Request> {
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    let update = || r.update((origin_addr, origin_count, origin_datatype), None, (target_rank, there), op, win);
    r.access_request(win, target_rank, update).await
}

/// `MPI_Get_accumulate`
pub fn get_accumulate(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    result_addr: Addr,
    result_count: i64,
    result_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> Result<()> {
    let is_one = [(origin_count, origin_datatype), (result_count, result_datatype), (target_count, target_datatype)]
        .into_iter()
        .all(|side| side == (1, target_datatype));
    let (places, there) = ((origin_addr, Some(result_addr)), (target_rank, target_disp));
    if is_one && r.update_one(places, target_datatype, there, op, win).is_some() {
        return Ok(());
    }
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    let result = Some((result_addr, result_count, result_datatype));
    r.update((origin_addr, origin_count, origin_datatype), result, (target_rank, there), op, win)
}

/// `MPI_Rget_accumulate`
pub async fn rget_accumulate(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    result_addr: Addr,
    result_count: i64,
    result_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    op: Op,
    win: Win,
) -> Result<Request> {
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    let result = Some((result_addr, result_count, result_datatype));
    let update = || r.update((origin_addr, origin_count, origin_datatype), result, (target_rank, there), op, win);
    r.access_request(win, target_rank, update).await
}

/// `MPI_Fetch_and_op`
pub fn fetch_and_op(
    r: &Rank,
    origin_addr: Addr,
    result_addr: Addr,
    datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    op: Op,
    win: Win,
) -> Result<()> {
    if r.update_one((origin_addr, Some(result_addr)), datatype, (target_rank, target_disp), op, win).is_some() {
        return Ok(());
    }
    let there = There { disp: target_disp, count: 1, datatype };
    r.update((origin_addr, 1, datatype), Some((result_addr, 1, datatype)), (target_rank, there), op, win)
}

/// `MPI_Compare_and_swap`
pub fn compare_and_swap(
    r: &Rank,
    origin_addr: Addr,
    compare_addr: Addr,
    result_addr: Addr,
    datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    win: Win,
) -> Result<()> {
    let places = [origin_addr, compare_addr, result_addr];
    if r.exchange_one(places, datatype, (target_rank, target_disp), win).is_some() {
        return Ok(());
    }
    let window = r.window(win)?;
    let how = r.windows.known.accumulation(r, Op::REPLACE, datatype)?;
    let kinds = [Kind::Int, Kind::Uint, Kind::Logical, Kind::Byte, Kind::Char];
    if how.operand.index.is_some() || !kinds.contains(&how.operand.value.0) {
        return Err(Error::new(MPI_ERR_TYPE, "only integers, logicals and bytes can be compared and swapped"));
    }
    let [new, expected, result] = places.map(|address| r.span(address, 1, datatype));
    let (new, expected, result) = (new?, expected?, result?);
    let Some(target) = window.target(target_rank)? else { return Ok(()) };
    let there = There { disp: target_disp, count: 1, datatype };
    if window.common.member(target).elsewhere.is_some() {
        let how = *how;
        r.swap_elsewhere(&window, [&new, &expected, &result], (target, there), &how)?;
        let (by, to) = (r.id(), window.common.member(target).rank as usize);
        r.tell(|| Event::Accessed { by, to, bytes: how.size });
        return Ok(());
    }
    let span = window.span(r, target, there)?;
    let Some(at) = one_element(&span, how.size) else {
        return Err(Error::new(MPI_ERR_TYPE, "compare-and-swap takes one predefined element; the datatype has more"));
    };
    window.allow(target)?;
    let mut bytes = [[0; WIDEST]; 3];
    let [new_bytes, expected_bytes, before] = bytes.each_mut().map(|bytes| &mut bytes[..how.size]);
    new.read(0, new_bytes);
    expected.read(0, expected_bytes);
    let member = window.common.member(target);
    exchange(&member.stripes, at, expected_bytes, new_bytes, before);
    result.unpack(0, before);
    let (by, to) = (r.id(), member.rank as usize);
    r.tell(|| Event::Accessed { by, to, bytes: how.size });
    Ok(())
}

/// Where the only element of a span lies.
fn one_element(span: &Span<'_>, size: usize) -> Option<*mut u8> {
    span.contiguous().filter(|_| span.bytes() == size)
}
