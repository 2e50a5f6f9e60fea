//! What the engine reports to listeners: the one list of events in a job.

use rankine_guest::Awaits;

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
