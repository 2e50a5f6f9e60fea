//! Accesses of parts that are on other nodes, as their origins make them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use rankine_abi::{Datatype, MPI_ERR_COUNT, MPI_ERR_OTHER, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_RANGE, MPI_ERR_TYPE};

use super::super::Window;
use super::super::access::{There, check_fit};
use super::super::accumulate::Accumulation;
use super::super::waits::Wait;
use super::wire::{BYTES, Call, DONE, Head, List, RUNS, Runs};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::span::Span;

/// Bytes of accesses that a rank has under way in a window before it waits for them.
const FLIGHT: usize = 128 << 10;
/// What a call takes beside its bytes.
const CALL: usize = 256;

/// The accesses of a rank that are not known to be done.
#[derive(Debug, Default)]
pub(in super::super) struct Far {
    /// There are some.
    open: Cell<bool>,
    /// Calls whose answers have not been looked at, in order.
    awaited: RefCell<VecDeque<Awaited>>,
    /// Targets with accesses that are not answered.
    silent: RefCell<BTreeSet<usize>>,
    flight: Cell<usize>,
    /// What was wrong with one of them.
    wrong: RefCell<Option<Error>>,
    /// For what is under way, once something was.
    charge: RefCell<Option<Charge>>,
}

#[derive(Debug)]
struct Awaited {
    number: u64,
    /// The world rank whose part it is.
    rank: u32,
    /// Where the answer goes, and from which packed byte on.
    into: Option<(Span<'static>, usize)>,
}

impl Far {
    /// Whether accesses are to be completed.
    #[inline]
    pub(in super::super) fn is_open(&self) -> bool {
        self.open.get()
    }

    /// Whether something is to be fetched.
    pub(in super::super) fn fetches(&self) -> bool {
        self.is_open() && !self.awaited.borrow().is_empty()
    }
}

/// Bytes of a target's part elsewhere.
struct Bytes {
    layout: Layout,
    /// Where offset 0 of the layout lies, from the begin of the part.
    base: i64,
}

impl Bytes {
    fn size(&self) -> usize {
        self.layout.size() as usize
    }

    /// Calls `act` with the packed bytes up to `bytes`, a call's at a time: from where, how many, and where they lie. No element
    /// is in two.
    fn each_call(
        &self,
        bytes: usize,
        element: usize,
        mut act: impl FnMut(usize, usize, Runs<'_>) -> Result<()>,
    ) -> Result<()> {
        let longest = BYTES / element * element;
        let (mut from, mut usual) = (0, longest);
        while from < bytes {
            // Where runs are short, the next call has about as much room as the one before.
            let mut length = usual.min(longest).min(bytes - from);
            let packed = loop {
                let mut list = List::default();
                self.layout.each_block(from as u64, (from + length) as u64, |offset, length| {
                    list.push(self.base.wrapping_add(offset).cast_unsigned(), length);
                });
                if list.len() <= RUNS || length <= element {
                    break list.packed();
                }
                length = (length / 2 / element * element).max(element);
            };
            act(from, length, Runs::of(&packed))?;
            (from, usual) = (from + length, 2 * length);
        }
        Ok(())
    }
}

impl Window {
    /// Where the bytes of an access of a part elsewhere lie, of which all but what is attached is known here.
    fn bytes_elsewhere(&self, r: &Rank, target: usize, there: There) -> Result<Bytes> {
        let ty = r.datatype(there.datatype)?;
        let count = u64::try_from(there.count)
            .map_err(|_| Error::new(MPI_ERR_COUNT, format!("target_count is {}, which is negative", there.count)))?;
        let layout = ty.message(count)?;
        if layout.size() == 0 {
            return Ok(Bytes { layout, base: 0 });
        }
        let part = self.common.member(target).part_elsewhere();
        // The part begins nowhere, so what is found is how far from there the bytes are.
        let base = self.prove(target, &part, self.displacement(r, there), &layout)?.addr() as i64;
        Ok(Bytes { layout, base })
    }
}

/// What is done with the bytes of a target.
#[derive(Clone, Copy)]
struct Change<'a> {
    how: &'a Accumulation,
    /// The target's.
    datatype: Datatype,
}

impl Rank {
    /// `MPI_Put` and `MPI_Get`, elsewhere; how many bytes are moved.
    #[cold]
    pub(in super::super) fn move_elsewhere(
        &self,
        window: &Window,
        origin: &Span<'static>,
        (target, there): (usize, There),
        puts: bool,
    ) -> Result<usize> {
        let bytes = window.bytes_elsewhere(self, target, there)?;
        window.allow(target)?;
        let (from, to) = if puts { (origin.bytes(), bytes.size()) } else { (bytes.size(), origin.bytes()) };
        check_fit(from, to)?;
        bytes.each_call(from, 1, |from, length, runs| {
            if !puts {
                let into = Some((origin.again(), from));
                return self.ask_elsewhere(window, target, &Call::Get { runs }, length, into);
            }
            let mut packed = vec![0; length];
            origin.read(from, &mut packed);
            self.tell_elsewhere(window, target, &Call::Put { runs, bytes: &packed })
        })?;
        self.hear_of_dynamic(window)?;
        Ok(from)
    }

    /// Updates elements elsewhere, which `find` says how, and how many bytes they have.
    #[cold]
    pub(in super::super) fn update_elsewhere(
        &self,
        window: &Window,
        (operands, result): (Option<&Span<'static>>, Option<&Span<'static>>),
        (target, there): (usize, There),
        find: impl FnOnce() -> Result<Accumulation>,
    ) -> Result<usize> {
        let bytes = window.bytes_elsewhere(self, target, there)?;
        let size = bytes.size();
        if let Some(operands) = operands {
            check_fit(operands.bytes(), size)?;
        }
        if let Some(result) = result {
            check_fit(size, result.bytes())?;
        }
        window.allow(target)?;
        if size == 0 {
            return Ok(0);
        }
        let how = find()?;
        let change = Change { how: &how, datatype: there.datatype };
        let moved = operands.map_or(size, Span::bytes);
        let datatype = change.named().ok_or_else(|| Error::new(MPI_ERR_TYPE, "no datatype has such elements"))?;
        bytes.each_call(moved, how.size, |from, length, runs| {
            let packed = operands.map(|operands| {
                let mut packed = vec![0; length];
                operands.read(from, &mut packed);
                packed
            });
            let call =
                Call::Update { op: how.op, datatype, fetches: result.is_some(), runs, operands: packed.as_deref() };
            match result {
                Some(result) => self.ask_elsewhere(window, target, &call, length, Some((result.again(), from))),
                None => self.tell_elsewhere(window, target, &call),
            }
        })?;
        self.hear_of_dynamic(window)?;
        Ok(size)
    }

    /// `MPI_Compare_and_swap` of one element elsewhere.
    #[cold]
    pub(in super::super) fn swap_elsewhere(
        &self,
        window: &Window,
        [new, expected, result]: [&Span<'static>; 3],
        (target, there): (usize, There),
        how: &Accumulation,
    ) -> Result<()> {
        let bytes = window.bytes_elsewhere(self, target, there)?;
        let change = Change { how, datatype: there.datatype };
        let Some(datatype) = change.named().filter(|_| bytes.layout.is_block() && bytes.size() == how.size) else {
            return Err(Error::new(
                MPI_ERR_TYPE,
                "compare-and-swap takes one predefined element; the datatype has more",
            ));
        };
        window.allow(target)?;
        let mut both = vec![0; 2 * how.size];
        expected.read(0, &mut both[..how.size]);
        new.read(0, &mut both[how.size..]);
        let offset = bytes.base.wrapping_add(bytes.layout.lo()).cast_unsigned();
        let call = Call::Swap { datatype, offset, bytes: &both };
        self.ask_elsewhere(window, target, &call, how.size, Some((result.again(), 0)))?;
        self.hear_of_dynamic(window)
    }

    /// Makes an access that nobody answers. Whether the target has attached its bytes is worth an answer.
    fn tell_elsewhere(&self, window: &Window, target: usize, call: &Call<'_>) -> Result<()> {
        if window.is_dynamic() {
            return self.ask_elsewhere(window, target, call, 0, None);
        }
        self.take_off(window)?;
        let bytes = self.send_call(window, target, 0, call);
        window.far.silent.borrow_mut().insert(target);
        self.note_flight(window, bytes)
    }

    /// Makes one whose answer has so many bytes.
    fn ask_elsewhere(
        &self,
        window: &Window,
        target: usize,
        call: &Call<'_>,
        bytes: usize,
        into: Option<(Span<'static>, usize)>,
    ) -> Result<()> {
        self.take_off(window)?;
        let sent = self.call_elsewhere(window, target, call, bytes, into);
        self.note_flight(window, sent + bytes)
    }

    fn call_elsewhere(
        &self,
        window: &Window,
        target: usize,
        call: &Call<'_>,
        bytes: usize,
        into: Option<(Span<'static>, usize)>,
    ) -> usize {
        let (number, rank) = (self.expect_answer(window, target, bytes), window.common.member(target).rank);
        window.far.awaited.borrow_mut().push_back(Awaited { number, rank, into });
        self.send_call(window, target, number, call)
    }

    /// A number for an answer of so many bytes.
    fn expect_answer(&self, window: &Window, target: usize, bytes: usize) -> u64 {
        let node = window.common.member(target).elsewhere.unwrap_or_default();
        self.world().expect_answer(self.me(), node, bytes + 1)
    }

    /// Sends a call about a rank's part; how many bytes it has.
    fn send_call(&self, window: &Window, target: usize, number: u64, call: &Call<'_>) -> usize {
        self.call_about(window, target, (target, window.rank), number, call)
    }

    /// Sends a call to where a rank of the window is, about a target and an origin.
    fn call_about(
        &self,
        window: &Window,
        to: usize,
        (target, origin): (usize, usize),
        number: u64,
        call: &Call<'_>,
    ) -> usize {
        let (Some(node), Some(spread)) = (window.common.member(to).elsewhere, window.common.spread()) else { return 0 };
        let bytes = call.write(&Head { window: spread.number, target: target as u32, origin: origin as u32 });
        let length = bytes.len();
        self.world().call_node(node, number, bytes);
        length
    }

    /// An access is about to be made.
    fn take_off(&self, window: &Window) -> Result<()> {
        let far = &window.far;
        if far.charge.borrow().is_none() {
            *far.charge.borrow_mut() = Some(self.account().charge(FLIGHT + BYTES, Cost::Windows)?);
        }
        far.open.set(true);
        Ok(())
    }

    /// So much more is under way. Where it is too much the rank waits; only the threads that carry letters have to do something
    /// for that, and they wait for nobody.
    fn note_flight(&self, window: &Window, bytes: usize) -> Result<()> {
        let far = &window.far;
        far.flight.set(far.flight.get() + bytes + CALL);
        if far.flight.get() < FLIGHT { Ok(()) } else { self.settle_now(window) }
    }

    /// What is attached is known to the target alone, so accesses of it are done, or refused, when their calls return.
    fn hear_of_dynamic(&self, window: &Window) -> Result<()> {
        if window.is_dynamic() { self.settle_now(window) } else { Ok(()) }
    }

    fn settle_now(&self, window: &Window) -> Result<()> {
        self.ask_for_the_rest(window);
        let ready = || {
            let ready = self.take_answers(window);
            if !ready && let Some(helpers) = self.world().helpers() {
                self.outside(|| helpers.look());
            }
            ready
        };
        if !self.world().wait_for_carriers(ready) {
            return Err(Error::new(MPI_ERR_OTHER, "the job has ended"));
        }
        window.settled()
    }

    /// Waits until all accesses of a window are done, at their targets too.
    pub(in super::super) async fn complete_far(&self, window: &Rc<Window>) -> Result<()> {
        if !window.far.is_open() {
            return Ok(());
        }
        self.ask_for_the_rest(window);
        self.wait_in(window, Wait::Accesses, || self.take_answers(window)).await;
        window.settled()
    }

    /// Targets whose accesses are not answered say when they are done.
    fn ask_for_the_rest(&self, window: &Window) {
        for target in window.far.silent.take() {
            self.call_elsewhere(window, target, &Call::Flush, 0, None);
        }
    }

    /// Takes the answers that have come; whether these are all.
    fn take_answers(&self, window: &Window) -> bool {
        let far = &window.far;
        let mut awaited = far.awaited.borrow_mut();
        while let Some(first) = awaited.front() {
            let Some(answer) = self.world().take_answer(first.number) else { return false };
            let Some(Awaited { rank, into, .. }) = awaited.pop_front() else { return true };
            match (answer.split_first(), into) {
                (Some((&DONE, bytes)), Some((span, from))) => span.unpack(from, bytes),
                (Some((&DONE, _)), None) => {}
                _ => {
                    let text = || format!("target_disp: rank {rank} has not attached all bytes of the access");
                    far.wrong.borrow_mut().get_or_insert_with(|| Error::new(MPI_ERR_RMA_RANGE, text()));
                }
            }
        }
        true
    }

    /// Takes the lock of a part elsewhere.
    pub(in super::super) async fn lock_elsewhere(
        &self,
        window: &Rc<Window>,
        target: usize,
        exclusive: bool,
    ) -> Result<()> {
        let number = self.expect_answer(window, target, 0);
        self.send_call(window, target, number, &Call::Lock { exclusive });
        let mut answer = None;
        self.wait_in(window, Wait::Lock(target), || {
            answer = answer.take().or_else(|| self.world().take_answer(number));
            answer.is_some()
        })
        .await;
        match answer.as_deref() {
            Some([DONE]) => Ok(()),
            _ => {
                let (rank, title) = (window.common.member(target).rank, window.title());
                let text = format!("{title} of rank {rank} is in an exposure epoch, in which it must not be locked");
                Err(Error::new(MPI_ERR_RMA_CONFLICT, text))
            }
        }
    }

    /// Gives it back.
    pub(in super::super) fn unlock_elsewhere(&self, window: &Window, target: usize, exclusive: bool) {
        self.send_call(window, target, 0, &Call::Unlock { exclusive });
    }

    /// Lets an origin elsewhere in.
    pub(in super::super) fn post_elsewhere(&self, window: &Window, origin: usize) {
        self.call_about(window, origin, (window.rank, origin), 0, &Call::Post);
    }

    /// Tells a target elsewhere that accesses have ended, which are done.
    pub(in super::super) fn complete_elsewhere(&self, window: &Window, target: usize) {
        self.send_call(window, target, 0, &Call::Complete);
    }
}

impl Window {
    /// All accesses are done: whether well.
    fn settled(&self) -> Result<()> {
        self.far.flight.set(0);
        // Another thread of the rank may have made more.
        self.far.open.set(!self.far.silent.borrow().is_empty() || !self.far.awaited.borrow().is_empty());
        self.far.wrong.take().map_or(Ok(()), Err)
    }
}

impl Change<'_> {
    /// A datatype with such elements whose number means the same on all nodes.
    fn named(&self) -> Option<Datatype> {
        if self.datatype.element().is_some() {
            return Some(self.datatype);
        }
        Datatype::PREDEFINED.iter().copied().find(|&datatype| self.how.is_of(datatype))
    }
}
