//! Reductions of `long double`, which is an IEEE quad in the guest and something else, or nothing, in the library.
//!
//! The library moves its 16 bytes as they are. For the predefined operations it is given operations of ours, which compute as the embedded engine does.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use rankine_abi::{Datatype, MPI_ERR_OP, Op};
use rankine_local::Error;
use rankine_local::op::predefined_kernel;

use super::Result;
use super::datatype::Type;
use super::generated::symbols;
use super::rank::Rank;

/// The library's handles of the operations that were needed so far.
#[derive(Default)]
pub(super) struct State(RefCell<Vec<(Op, usize)>>);

/// `MPI_User_function`
type Function = unsafe extern "C" fn(*const c_void, *mut c_void, *const c_int, *const usize);

/// The operations that MPI defines on floating-point numbers, complex numbers and pairs.
static FUNCTIONS: [(Op, Function); 6] = [
    (Op::SUM, reduce::<{ Op::SUM.0 }>),
    (Op::PROD, reduce::<{ Op::PROD.0 }>),
    (Op::MIN, reduce::<{ Op::MIN.0 }>),
    (Op::MAX, reduce::<{ Op::MAX.0 }>),
    (Op::MINLOC, reduce::<{ Op::MINLOC.0 }>),
    (Op::MAXLOC, reduce::<{ Op::MAXLOC.0 }>),
];

impl Rank {
    /// The library's handle for a predefined operation on a type made of quads.
    pub(super) fn quad_operation(&self, op: Op, ty: &Type) -> Result<usize> {
        let function = FUNCTIONS.iter().find(|(known, _)| *known == op).map(|(_, function)| *function);
        let defined = predefined_kernel(op, Datatype(ty.word)).is_some();
        let Some(function) = function.filter(|_| defined) else {
            let (op, ty) =
                (op.name().unwrap_or("the operation"), Datatype(ty.word).name().unwrap_or("a derived datatype"));
            return Err(Error::new(MPI_ERR_OP, format!("{op} is not defined on {ty}")));
        };
        if let Some((_, host)) = self.quads.0.borrow().iter().find(|(known, _)| *known == op) {
            return Ok(*host);
        }
        let (create, mut host) = (self.symbol::<symbols::MPI_Op_create>()?, 0);
        // SAFETY: a function of the type that the standard asks for, and a result on the stack.
        self.check(unsafe { create(function as *const c_void, 1, &mut host) })?;
        self.quads.0.borrow_mut().push((op, host));
        Ok(host)
    }

    /// Gives back to the library what was made of it here, before it is finalised.
    pub(super) fn free_quad_operations(&self) {
        let made = std::mem::take(&mut *self.quads.0.borrow_mut());
        if let Ok(free) = self.symbol::<symbols::MPI_Op_free>() {
            for (_, mut host) in made {
                // SAFETY: it was made by `quad_operation`; the library keeps it as long as it needs it.
                unsafe { free(&mut host) };
            }
        }
    }
}

unsafe extern "C" fn reduce<const OP: u32>(
    invec: *const c_void,
    inoutvec: *mut c_void,
    length: *const c_int,
    datatype: *const usize,
) {
    // SAFETY: the library calls it with operands of so many elements of one of the types that `quad_operation` has let through.
    unsafe {
        let datatype = Datatype(*datatype as u32);
        let (Some(element), Some(kernel)) = (datatype.element(), predefined_kernel(Op(OP), datatype)) else { return };
        for index in 0..usize::try_from(*length).unwrap_or(0) {
            let at = index * element.extent as usize;
            let first = std::slice::from_raw_parts(invec.cast::<u8>().add(at), element.size as usize);
            let second = std::slice::from_raw_parts_mut(inoutvec.cast::<u8>().add(at), element.size as usize);
            kernel(first, second);
        }
    }
}
