//! What comes within moments: a call that has to wait looks for it first, as a wait costs as much as a short message.

use crate::events::Event;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::OpRef;
use crate::mailbox::ring::Header;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Attending;

/// How often a call looks for what comes within moments before it begins to wait: as long as a peer needs that is about to send.
pub(crate) const MOMENTS: u32 = if cfg!(miri) { 1 } else { 200 };

impl Rank {
    /// Takes the next envelope off the ring straight to the buffer, if it is there or comes within moments and is what
    /// is asked for. Nothing means that the receive has to be posted.
    #[inline(always)]
    pub(crate) fn receive_next(&self, pattern: &Pattern, span: &Span<'_>) -> Option<Header> {
        let to = span.contiguous()?;
        let spins = self.looks_for_moments();
        if !spins && !self.mailbox().ring.has_next() {
            return None;
        }
        // Inside the gate from the first look on: a sender that finds it closed leaves the envelope to us, and does not set
        // it aside while we look for it.
        let header = self.inside(|inside| {
            if !inside.is_idle() {
                return None;
            }
            if spins {
                self.look_out(MOMENTS, None);
            }
            if !self.mailbox().ring.has_next() {
                return None;
            }
            // SAFETY: the span was proved.
            unsafe { inside.take_next(pattern, to, span.bytes()) }
        })?;
        let Header { source, tag, .. } = header;
        self.tell(|| Event::Arrived { at: self.id(), source, tag, bytes: header.bytes(), expected: true });
        Some(header)
    }

    #[inline]
    fn looks_for_moments(&self) -> bool {
        self.world().spins() && !self.world().has_requests()
    }

    /// Keeps this rank inside its own gate for moments, unless it is there already and looks longer.
    #[inline]
    pub(crate) fn attend_for_moments(&self) -> Option<Attending<'_>> {
        (self.looks_for_moments() && !self.attending.get()).then(|| self.attend())
    }

    /// Whether an operation is complete, or is a receive that becomes so within moments. Who waits for a send that is long helps
    /// with it.
    #[inline(always)]
    pub(crate) fn is_soon_done(&self, operation: OpRef) -> bool {
        if operation.is_done() {
            return true;
        }
        if !operation.what().kind.receives() {
            return false;
        }
        let attending = self.attend_for_moments();
        if attending.is_some() {
            self.look_out(MOMENTS, Some(operation));
        }
        self.progress();
        operation.is_done()
    }
}
