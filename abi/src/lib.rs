//! The MPI-5.0 standard ABI as a wasm32 guest sees it: the contract between a guest and every engine.
//!
//! Handles, constants and the list of functions are generated from the tables `abi/constants.toml` and
//! `abi/functions.toml`; what is written by hand here is their meaning that a table does not hold.
//! Nothing is validated in this crate: a [`Comm`] or an [`Addr`] is a number that a guest gave. Read the head of
//! `abi/functions.toml` first, then `function.rs` and `parameter.rs`, which say what of a row is known at run time.
#![no_std]

mod constants;
mod element;
mod function;
mod functions;
mod handles;
mod lp64;
mod parameter;
mod parameters;
mod status;

pub use constants::*;
pub use element::{Element, Index, Kind, Language};
pub use function::{Chapter, Function, Keeps, Mark, Payload, Refusal, Times, ValueType};
pub use functions::FUNCTIONS;
pub use handles::*;
pub use lp64::{Kept, LP64};
pub use parameter::{Area, Class, Direction, Length, Meaning, Parameter, Repeats};
pub use status::Status;

/// The name of the module that a guest imports MPI from.
pub const MODULE: &str = "mpi";

/// The section by which a module says that it leaves the lowest 64 KiB of its memory alone: the compilers write it, the host reads it.
pub const NULL_PAGE: &str = "rankine.null-page";

/// The section by which a module says how large a call stack it needs: eight bytes, the lowest first.
pub const CALL_STACK: &str = "rankine.call-stack";

/// The largest call stack that a module may ask for. A user may give it more.
pub const MOST_CALL_STACK: u64 = 64 << 20;

/// An address in the guest's memory, as the guest gave it.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
#[repr(transparent)]
pub struct Addr(pub u64);

impl Addr {
    /// The address 0, which is `MPI_BOTTOM`, `MPI_STATUS_IGNORE` and C's null pointer.
    pub const NULL: Self = Self(0);

    /// Whether it is the address 0.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address so many bytes further: the last one there is, if that is beyond all.
    #[inline]
    pub const fn plus(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }
}

/// A function of the guest: its index in the guest's function table, or a predefined callback such as
/// [`MPI_COMM_DUP_FN`], which is no index.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
#[repr(transparent)]
pub struct FnPtr(pub u32);

impl Datatype {
    /// The size in bytes that the handle itself encodes, for the predefined types whose size no platform changes.
    ///
    /// The standard ABI gives those types the numbers from 0x240 on and puts the binary logarithm of
    /// the size into bits 3 to 5.
    pub const fn fixed_size(self) -> Option<u32> {
        match self.0 {
            0x240..0x300 if self.shown().0 == self.0 => Some(1 << ((self.0 >> 3) & 7)),
            _ => None,
        }
    }

    /// The size in bytes of a predefined type whose elements are single blocks without padding, so that any number of
    /// them is one block: every predefined type but some pairs.
    #[inline]
    pub const fn predefined_block(self) -> Option<u32> {
        let index = self.0.wrapping_sub(FIRST_DATATYPE) as usize;
        if index < BLOCKS.len() && BLOCKS[index] != 0 { Some(BLOCKS[index] as u32) } else { None }
    }
}

const FIRST_DATATYPE: u32 = 0x200;

/// What [`Datatype::predefined_block`] looks up; 0 for none.
static BLOCKS: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut index = 0;
    while index < sizes.len() {
        if let Some(element) = Datatype(FIRST_DATATYPE + index as u32).element()
            && element.size == element.extent
        {
            sizes[index] = element.size as u8;
        }
        index += 1;
    }
    sizes
};
