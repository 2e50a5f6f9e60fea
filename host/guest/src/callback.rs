//! Calls from an engine into the guest. They run on the stack of the guest's rank and nowhere else.

use rankine_abi::{Addr, FnPtr};
use smallvec::SmallVec;

/// See the module.
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
        bytes: u32,
    },
    /// Allocate memory that the guest may keep (`MPI_Alloc_mem`). The answer is its address, or 0.
    Allocate {
        /// Bytes wanted.
        bytes: u32,
        /// Their alignment.
        align: u32,
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
