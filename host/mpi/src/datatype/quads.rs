//! `long double`, which is an IEEE quad in the guest and something else, or nothing, in the library.
//!
//! A library may move 10 of the 16 bytes of its own `long double`. So it is given types of doubles of the same form, of
//! which every bit arrives. For the predefined operations it is given operations of ours, which compute as the embedded
//! engine does.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use rankine_abi::{Datatype, MPI_ERR_OP, Op};
use rankine_guest::op::predefined;
use rankine_guest::{Error, copy};

use super::{Type, described};
use crate::Result;
use crate::generated::symbols;
use crate::op::end_without_rank;
use crate::rank::Rank;

/// What the library was asked for so far.
#[derive(Default)]
pub(crate) struct State {
    /// Its handles of operations.
    operations: RefCell<Vec<(Op, usize)>>,
    /// Its type for pairs that are accumulated.
    pair_in_windows: Cell<Option<usize>>,
}

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

/// What the library takes a quad for: two doubles, which nobody looks at.
pub(crate) const HALVES: Datatype = Datatype::C_DOUBLE_COMPLEX;

/// Whether a predefined type holds quads, and more than one value.
pub(crate) fn is_composed(datatype: Datatype) -> bool {
    [Datatype::C_LONG_DOUBLE_COMPLEX, Datatype::CXX_LONG_DOUBLE_COMPLEX, Datatype::LONG_DOUBLE_INT].contains(&datatype)
}

/// What the elements of a predefined type are to the library, which has this handle for it and a `long` of 64 bits; 0 if they differ.
pub(crate) fn basic(datatype: Datatype, host: usize) -> usize {
    match datatype {
        Datatype::LONG_DOUBLE_INT => 0,
        composed if is_composed(composed) => HALVES.0 as usize,
        _ => Datatype(host as u32).in_lp64().0 as usize,
    }
}

impl Rank {
    /// A predefined type for which the library has to compose another; nothing for other types.
    #[cold]
    pub(crate) fn composed_type(&self, datatype: Datatype) -> Result<Option<Type>> {
        let Some(element) = datatype.element().filter(|_| is_composed(datatype)) else { return Ok(None) };
        let host = match self.stand_in(datatype.0) {
            Some(host) => host,
            None => {
                let host = self.compose(element.index.map(|index| index.offset as isize), element.extent as isize)?;
                self.keep_stand_in(datatype, host)?;
                host
            }
        };
        Ok(described(datatype, host))
    }

    /// A structure with quads is as long as a multiple of their alignment, which the library doesn't know: one of the
    /// right extent, if it is another.
    pub(crate) fn padded(&self, host: usize, made_of: &[Rc<Type>]) -> Result<Option<usize>> {
        const ALIGNMENT: isize = 16;
        // One whose parts were given an extent of the program's own keeps what follows from that.
        let is_aligned = |ty: &Rc<Type>| ty.has_quads && ty.extent() % ALIGNMENT as i64 == 0;
        if !made_of.iter().any(is_aligned) {
            return Ok(None);
        }
        let (get_extent, resize) =
            (self.symbol::<symbols::MPI_Type_get_extent>()?, self.symbol::<symbols::MPI_Type_create_resized>()?);
        let (mut lower, mut extent, mut padded) = (0_isize, 0_isize, 0);
        // SAFETY: a type of the library's, and results on the stack.
        self.check(unsafe { get_extent(host, &mut lower, &mut extent) })?;
        let over = extent.rem_euclid(ALIGNMENT);
        if over == 0 {
            return Ok(None);
        }
        // SAFETY: a type of the library's, and a result on the stack.
        self.check(unsafe { resize(host, lower, extent + ALIGNMENT - over, &mut padded) })?;
        Ok(Some(padded))
    }

    /// A type of the library's: a quad and an int at this offset, or two quads.
    fn compose(&self, index: Option<isize>, extent: isize) -> Result<usize> {
        let (make, resize) =
            (self.symbol::<symbols::MPI_Type_create_struct>()?, self.symbol::<symbols::MPI_Type_create_resized>()?);
        let (commit, free) = (self.symbol::<symbols::MPI_Type_commit>()?, self.symbol::<symbols::MPI_Type_free>()?);
        let second = if index.is_some() { Datatype::INT32_T } else { HALVES };
        let (lengths, displs): ([c_int; 2], [isize; 2]) = ([1, 1], [0, index.unwrap_or(extent / 2)]);
        let types = [HALVES.0 as usize, second.0 as usize];
        let (mut plain, mut host) = (0, 0);
        // SAFETY: arrays of two, constants of the ABI, and results on the stack.
        unsafe {
            self.check(make(2, lengths.as_ptr(), displs.as_ptr(), types.as_ptr(), &mut plain))?;
            self.check(resize(plain, 0, extent, &mut host))?;
            self.check(free(&mut plain))?;
            self.check(commit(&mut host))?;
        }
        Ok(host)
    }

    /// The library's type for a quad and an int that are accumulated: it takes derived types there whose elements are
    /// all of one kind.
    pub(crate) fn pair_in_windows(&self) -> Result<usize> {
        if let Some(pair) = self.quads.pair_in_windows.get() {
            return Ok(pair);
        }
        let (repeat, resize) =
            (self.symbol::<symbols::MPI_Type_contiguous>()?, self.symbol::<symbols::MPI_Type_create_resized>()?);
        let (commit, free) = (self.symbol::<symbols::MPI_Type_commit>()?, self.symbol::<symbols::MPI_Type_free>()?);
        let (size, extent, int32) = (20, 32, Datatype::INT32_T.0 as usize);
        let (mut plain, mut pair) = (0, 0);
        // SAFETY: constants of the ABI, and results on the stack.
        unsafe {
            self.check(repeat(size / 4, int32, &mut plain))?;
            self.check(resize(plain, 0, extent, &mut pair))?;
            self.check(free(&mut plain))?;
            self.check(commit(&mut pair))?;
        }
        self.quads.pair_in_windows.set(Some(pair));
        Ok(pair)
    }

    /// The library's handle for a predefined operation on a type made of quads.
    pub(crate) fn quad_operation(&self, op: Op, ty: &Type) -> Result<usize> {
        let function = FUNCTIONS.iter().find(|(known, _)| *known == op).map(|(_, function)| *function);
        let defined = predefined(op, Datatype(ty.word)).is_some();
        let Some(function) = function.filter(|_| defined) else {
            let (op, ty) =
                (op.name().unwrap_or("the operation"), Datatype(ty.word).name().unwrap_or("a derived datatype"));
            return Err(Error::new(MPI_ERR_OP, format!("{op} is not defined on {ty}")));
        };
        if let Some((_, host)) = self.quads.operations.borrow().iter().find(|(known, _)| *known == op) {
            return Ok(*host);
        }
        let (create, mut host) = (self.symbol::<symbols::MPI_Op_create>()?, 0);
        // SAFETY: a function of the type that the standard asks for, and a result on the stack.
        self.check(unsafe { create(function as *const c_void, 1, &mut host) })?;
        self.quads.operations.borrow_mut().push((op, host));
        Ok(host)
    }

    /// Gives back to the library what was made of it here, before it is finalised.
    pub(crate) fn free_quads(&self) {
        let made = std::mem::take(&mut *self.quads.operations.borrow_mut());
        if let Ok(free) = self.symbol::<symbols::MPI_Op_free>() {
            for (_, mut host) in made {
                // SAFETY: it was made by `quad_operation`; the library keeps it as long as it needs it.
                unsafe { free(&mut host) };
            }
        }
        if let (Some(mut pair), Ok(free)) = (self.quads.pair_in_windows.take(), self.symbol::<symbols::MPI_Type_free>())
        {
            // SAFETY: it was made by `pair_in_windows`.
            unsafe { free(&mut pair) };
        }
    }
}

/// Bytes of the largest element: a complex number of two quads, or of a quad and an index.
const LARGEST: usize = 64;

unsafe extern "C" fn reduce<const OP: u32>(
    invec: *const c_void,
    inoutvec: *mut c_void,
    length: *const c_int,
    datatype: *const usize,
) {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one, with operands of so many elements of
    // one of the types that `quad_operation` has let through.
    unsafe {
        let Some(r) = Rank::current() else { end_without_rank() };
        let Some(datatype) = r.datatype_word(*datatype).map(Datatype) else { return };
        let (Some(element), Some(kernel)) = (datatype.element(), predefined(Op(OP), datatype)) else { return };
        for index in 0..usize::try_from(*length).unwrap_or(0) {
            let Some(at) = index.checked_mul(element.extent as usize) else { return };
            // Operands may be buffers of the guest's, whose other threads may write them.
            let (mut first, mut second) = ([0; LARGEST], [0; LARGEST]);
            let size = element.size as usize;
            copy::copy(first.as_mut_ptr(), invec.cast::<u8>().add(at), size);
            copy::copy(second.as_mut_ptr(), inoutvec.cast::<u8>().add(at), size);
            kernel(&first[..size], &mut second[..size]);
            copy::copy(inoutvec.cast::<u8>().add(at), second.as_ptr(), size);
        }
    }
}
