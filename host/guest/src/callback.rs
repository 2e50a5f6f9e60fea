//! Calls from an engine into the guest. They run on the stack of the guest's rank and nowhere else.

use rankine_abi::{Addr, Datatype, FnPtr, Kept};
use smallvec::SmallVec;

/// What is to be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callback {
    /// Call a function of the guest's table. The answer is its result, or 0 where it has none.
    Call {
        /// The function.
        function: FnPtr,
        /// Its arguments. One of 64 bits is two words, the low one first.
        arguments: SmallVec<[i32; 8]>,
    },
    /// Make sure that the rank's scratch memory in the guest has this many bytes. The answer is its address, 0 if there
    /// is no memory left.
    Scratch {
        /// Bytes wanted.
        bytes: u64,
    },
    /// Allocate memory that the guest may keep (`MPI_Alloc_mem`). The answer is its address, or 0.
    Allocate {
        /// Bytes wanted.
        bytes: u64,
        /// Their alignment.
        align: u64,
    },
    /// Free what [`Callback::Allocate`] gave.
    Free {
        /// The address.
        address: Addr,
    },
    /// Say where the rank waits: somebody has asked. The answer means nothing.
    Whereabouts {
        /// The call, and what it waits for.
        waiting: String,
    },
}

/// What the guest answers: an int, or an address.
pub type Answer = i64;

/// Arguments of a function of the guest, as its program has them: addresses and handles have 64 bits in one with such
/// addresses, and so are two words there.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    words: SmallVec<[i32; 8]>,
    is_wide: bool,
}

impl Arguments {
    /// None yet, for a program with 64-bit addresses or one with 32-bit ones.
    pub fn of(is_wide: bool) -> Arguments {
        Arguments { words: SmallVec::new(), is_wide }
    }

    /// An int more.
    pub fn int(mut self, value: i32) -> Self {
        self.words.push(value);
        self
    }

    /// A number of 64 bits in either program.
    pub fn long(mut self, value: i64) -> Self {
        self.words.extend([value as i32, (value >> 32) as i32]);
        self
    }

    /// An address.
    pub fn address(self, address: Addr) -> Self {
        self.kept(Kept(address.0))
    }

    /// A handle.
    pub fn handle(self, handle: u32) -> Self {
        let known = if self.is_wide { Datatype(handle).shown().0 } else { handle };
        self.kept(Kept(known.into()))
    }

    /// A value that was kept for the program.
    pub fn kept(self, kept: Kept) -> Self {
        if self.is_wide { self.long(kept.0 as i64) } else { self.int(kept.0 as i32) }
    }

    /// Their words.
    pub fn words(&self) -> &[i32] {
        &self.words
    }

    /// The call of a function with them.
    pub fn call(self, function: FnPtr) -> Callback {
        Callback::Call { function, arguments: self.words }
    }
}
