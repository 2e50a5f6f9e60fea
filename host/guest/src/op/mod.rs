//! The predefined operations of reductions (MPI-5.0 §6.9.2).

mod in_place;
mod kernel;
mod soft;

use rankine_abi::{Datatype, Op};

pub use in_place::{InPlace, in_place};
pub use kernel::{Kernel, Operand, kernel};

/// What a predefined operation does with elements of a predefined type, if MPI defines it.
pub fn predefined(op: Op, datatype: Datatype) -> Option<Kernel> {
    kernel(op, Operand::of(&datatype.element()?))
}
