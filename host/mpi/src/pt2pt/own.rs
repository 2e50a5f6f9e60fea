//! Messages of a rank to itself, in a communicator that nobody else is in.
//!
//! There a library copies from one buffer of the program's to another, and MPICH ends the process if the two overlap.
//! They may not (MPI-5.0 §3.7.2): what is being sent must not change, and what is being received must not be looked at.
//! So a message is refused if its buffer overlaps that of another one, in the other direction, which is under way.
//! Between different processes messages go through memory of the library's, and nothing of this is asked.

mod places;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::{Rc, Weak};

use rankine_abi::{MPI_ERR_BUFFER, MPI_PROC_NULL};
use rankine_guest::Error;

use crate::Result;
use crate::call::buffer::Buffer;
use crate::generated::symbols;
use crate::rank::Rank;
use places::{Key, Places};

/// A buffer, and the rank that it is sent to or received from.
type Side<'a> = Option<(&'a Buffer, i32)>;

/// The buffers of an operation, which may be under way as long as this exists.
#[derive(Clone)]
pub(crate) struct Own(Rc<Buffers>);

struct Buffers {
    sent: Range<u64>,
    received: Range<u64>,
    when: Cell<When>,
    /// By which it is known.
    number: u64,
    all: Rc<RefCell<All>>,
}

/// When an operation is under way.
#[derive(Clone, Copy)]
enum When {
    Always,
    /// Its request is only being made.
    Never,
    /// When this persistent request of the library's is active.
    Started(usize),
}

/// The operations of this rank with itself.
#[derive(Default)]
pub(crate) struct State(Rc<RefCell<All>>);

/// Where they send from and receive into.
#[derive(Default)]
struct All {
    last: u64,
    sent: Places<Weak<Buffers>>,
    received: Places<Weak<Buffers>>,
}

impl Drop for Buffers {
    fn drop(&mut self) {
        let mut all = self.all.borrow_mut();
        all.sent.remove(&self.sent, self.number);
        all.received.remove(&self.received, self.number);
    }
}

/// The buffer of a side that there is, and that is not nobody's.
#[inline(always)]
fn with_somebody(side: Side<'_>) -> Option<&Buffer> {
    side.filter(|(_, peer)| *peer != MPI_PROC_NULL).map(|(buffer, _)| buffer)
}

impl Own {
    /// Its persistent request was made.
    pub(crate) fn is_started_by(&self, request: usize) {
        self.0.when.set(When::Started(request));
    }
}

impl Rank {
    /// What a message to this rank itself sends and receives, if it is one: an error if that is in use.
    #[inline(always)]
    pub(crate) fn own_message(&self, comm: u32, sent: Side<'_>, received: Side<'_>) -> Result<Option<Own>> {
        let (sent, received) = (with_somebody(sent), with_somebody(received));
        if sent.is_none() && received.is_none() || !self.is_alone(comm)? {
            return Ok(None);
        }
        self.begin_own(sent, received).map(Some)
    }

    #[cold]
    fn begin_own(&self, sent: Option<&Buffer>, received: Option<&Buffer>) -> Result<Own> {
        let own = self.new_own(sent, received, When::Always);
        self.may_begin(&own)?;
        Ok(own)
    }

    /// As [`Rank::own_message`], of a persistent request, which is started later.
    pub(crate) fn own_message_later(&self, comm: u32, sent: Side<'_>, received: Side<'_>) -> Result<Option<Own>> {
        let (sent, received) = (with_somebody(sent), with_somebody(received));
        if sent.is_none() && received.is_none() || !self.is_alone(comm)? {
            return Ok(None);
        }
        Ok(Some(self.new_own(sent, received, When::Never)))
    }

    /// As [`Rank::own_message`], of a matched message, which may have come from anybody.
    #[inline]
    pub(crate) fn own_matched(&self, received: &Buffer) -> Result<()> {
        if self.own.0.borrow().sent.is_empty() {
            return Ok(());
        }
        self.may_begin(&self.new_own(None, Some(received), When::Always))
    }

    fn new_own(&self, sent: Option<&Buffer>, received: Option<&Buffer>, when: When) -> Own {
        let bytes = |buffer: Option<&Buffer>| buffer.map_or(0..0, Buffer::dense);
        let (sent, received, when) = (bytes(sent), bytes(received), Cell::new(when));
        let number = {
            let mut all = self.own.0.borrow_mut();
            all.last += 1;
            all.last
        };
        let buffers = Rc::new(Buffers { sent, received, when, number, all: self.own.0.clone() });
        let mut all = self.own.0.borrow_mut();
        all.sent.insert(&buffers.sent, number, Rc::downgrade(&buffers));
        all.received.insert(&buffers.received, number, Rc::downgrade(&buffers));
        drop(all);
        Own(buffers)
    }

    /// Refuses to begin what overlaps something that is under way.
    pub(crate) fn may_begin(&self, own: &Own) -> Result<()> {
        if !self.is_in_use(own) {
            return Ok(());
        }
        // It may be complete by now, and its request given up long ago.
        self.look_after_all();
        if !self.is_in_use(own) {
            return Ok(());
        }
        let text =
            "the buffer overlaps that of a message of this rank to itself that is under way in the other direction";
        Err(Error::new(MPI_ERR_BUFFER, text))
    }

    fn is_in_use(&self, Own(own): &Own) -> bool {
        self.is_any_under_way(own, &own.received, |all| &all.sent)
            || self.is_any_under_way(own, &own.sent, |all| &all.received)
    }

    /// Whether any other operation is under way that has bytes in common with these.
    fn is_any_under_way(
        &self,
        own: &Rc<Buffers>,
        bytes: &Range<u64>,
        places: impl Fn(&All) -> &Places<Weak<Buffers>>,
    ) -> bool {
        let mut last = Key::default();
        loop {
            // Not borrowed while the library runs.
            let found = places(&self.own.0.borrow()).next_overlapping(bytes, last);
            let Some((key, buffers)) = found else { return false };
            last = key;
            let other = buffers.upgrade().filter(|other| !Rc::ptr_eq(other, own));
            if other.is_some_and(|other| self.is_under_way(&other)) {
                return true;
            }
        }
    }

    fn is_under_way(&self, buffers: &Buffers) -> bool {
        let request = match buffers.when.get() {
            When::Always => return true,
            When::Never => return false,
            When::Started(request) => request,
        };
        let Ok(call) = self.symbol::<symbols::MPI_Request_get_status>() else { return true };
        let mut is_complete = 0;
        // With the turn, or another thread could free it meanwhile.
        let ask = || {
            // SAFETY: the request is freed only when nothing refers to its buffers any more, and the result is on the stack.
            unsafe { call(request, &mut is_complete, std::ptr::null_mut()) }
        };
        let code = self.keeping_turn(ask);
        code != rankine_abi::MPI_SUCCESS || is_complete == 0
    }
}
