//! What the engine reports to listeners: the one list of events in a job.

use rankine_guest::Awaits;
use smallvec::{SmallVec, smallvec};

/// Sees what the engine does: traces, counters, a browser's view.
pub trait Listen: Send + Sync {
    /// One event, told by the rank that caused it.
    fn event(&self, event: Event);
}

/// What a [`Listen`]er is told. Ranks are those of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message's bytes moved straight from the sender's memory to the receiver's, by the hand of rank `by`.
    Copied {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Packed bytes.
        bytes: usize,
        /// The rank whose thread made the copy.
        by: usize,
    },
    /// A small message was put into a mailbox, or one that its receiver let wait.
    Sent {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Packed bytes.
        bytes: usize,
    },
    /// A rank has read or changed another's part of a window.
    Accessed {
        /// The rank whose thread did it.
        by: usize,
        /// Whose part that is.
        to: usize,
        /// Packed bytes.
        bytes: usize,
    },
    /// A message was taken off a rank's ring.
    Arrived {
        /// The rank that it came to.
        at: usize,
        /// The sender, in the communicator of the message.
        source: i32,
        /// Its tag.
        tag: i32,
        /// Packed bytes.
        bytes: usize,
        /// A receive waited for it.
        expected: bool,
    },
    /// A rank has read or written a file.
    Carried {
        /// The rank.
        by: usize,
        /// Bytes in the file.
        bytes: u64,
        /// They were written.
        written: bool,
    },
    /// A rank has looked for what it waits for, with a core to itself.
    Spun {
        /// The rank.
        rank: usize,
        /// How often.
        polls: u32,
    },
    /// A rank found nothing to do and parked.
    Parked {
        /// The rank.
        rank: usize,
        /// What for.
        awaits: Awaits,
    },
    /// A rank that had parked runs again.
    Woken {
        /// The rank.
        rank: usize,
    },
}

/// Kinds of events.
pub(crate) const KINDS: usize = 9;

impl Event {
    /// The number of its kind, which `tool` describes.
    pub(crate) fn kind(self) -> usize {
        match self {
            Event::Sent { .. } => 0,
            Event::Arrived { expected: true, .. } => 1,
            Event::Arrived { expected: false, .. } => 2,
            Event::Copied { .. } => 3,
            Event::Accessed { .. } => 4,
            Event::Carried { .. } => 5,
            Event::Spun { .. } => 6,
            Event::Parked { .. } => 7,
            Event::Woken { .. } => 8,
        }
    }

    /// The ranks that it concerns, each once.
    pub(crate) fn ranks(self) -> SmallVec<[usize; 3]> {
        let mut ranks: SmallVec<[usize; 3]> = match self {
            Event::Sent { from: rank, .. }
            | Event::Arrived { at: rank, .. }
            | Event::Carried { by: rank, .. }
            | Event::Spun { rank, .. }
            | Event::Parked { rank, .. }
            | Event::Woken { rank } => smallvec![rank],
            Event::Copied { from, to, by, .. } => smallvec![from, to, by],
            Event::Accessed { by, to, .. } => smallvec![by, to],
        };
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}
