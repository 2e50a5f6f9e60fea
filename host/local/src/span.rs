//! The buffer of an operation: bytes somewhere in the host's address space, proved to be inside the memory they belong
//! to.
//!
//! A span is made once, when an operation starts: from (address, count, datatype) of a guest, after proving that every
//! byte the datatype can touch lies in the guest's memory, or from scratch bytes of a collective. From then on nobody
//! checks again.

use std::ops::Deref;
use std::rc::Rc;

use rankine_abi::{Addr, Datatype, MPI_ERR_BUFFER, MPI_ERR_COUNT};

use crate::copy;
use crate::datatype::Type;
use crate::datatype::layout::Layout;
use crate::error::{Error, Result};
use crate::rank::Rank;

/// See the module.
#[derive(Debug)]
pub struct Span {
    /// Where offset 0 of the layout lies; for contiguous spans the first byte.
    base: *mut u8,
    bytes: usize,
    /// `None`: contiguous.
    layout: Option<Box<Typed>>,
}

/// Where the bytes of a message lie that are not contiguous.
#[derive(Clone, Debug)]
struct Typed {
    layout: Layout,
    /// The type stays as long as its layout is used, and is charged so long; only the rank that owns the span looks at
    /// it.
    _ty: Option<Rc<Type>>,
}

impl Deref for Typed {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        &self.layout
    }
}

impl Span {
    /// No bytes at all.
    pub const EMPTY: Span = Span { base: std::ptr::null_mut(), bytes: 0, layout: None };

    /// `bytes` contiguous bytes.
    ///
    /// # Safety
    /// They stay readable and writable until every operation on the span has ended.
    pub unsafe fn raw(base: *mut u8, bytes: usize) -> Span {
        Span { base, bytes, layout: None }
    }

    /// The bytes that a message has, packed.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first byte, if the bytes are contiguous.
    #[inline]
    pub fn contiguous(&self) -> Option<*mut u8> {
        self.layout.is_none().then_some(self.base)
    }

    /// Frees what a finished operation need not keep.
    pub(crate) fn release(&mut self) {
        self.layout = None;
    }

    /// Refuses a span for results that shares bytes with `operand`. Only contiguous ones are compared: others may
    /// interleave.
    pub(crate) fn apart_from(&self, operand: &Span) -> Result<()> {
        let (Some(to), Some(from)) = (self.contiguous(), operand.contiguous()) else { return Ok(()) };
        let (to, from) = (to as usize, from as usize);
        if self.bytes > 0 && operand.bytes > 0 && to < from + operand.bytes && from < to + self.bytes {
            let text =
                "the send buffer and the receive buffer overlap; what takes MPI_IN_PLACE can do without a second one";
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
        Ok(())
    }

    /// Another span over the same bytes.
    pub fn again(&self) -> Span {
        Span { base: self.base, bytes: self.bytes, layout: self.layout.clone() }
    }

    /// Copies packed bytes into the span, from packed position `from` on; what does not fit is left out.
    pub fn unpack(&self, from: usize, bytes: &[u8]) {
        let length = bytes.len().min(self.bytes.saturating_sub(from));
        // SAFETY: the span's bytes were proved when it was made; `length` is within both.
        unsafe {
            match &self.layout {
                None => copy::copy(self.base.add(from), bytes.as_ptr(), length),
                Some(layout) => layout.unpack(self.base, from as u64, bytes.as_ptr(), length as u64),
            }
        }
    }

    /// Copies `length` bytes from packed position `from` on to `to`.
    ///
    /// # Safety
    /// `to` is writable for `length` bytes, and the span has them.
    pub unsafe fn pack(&self, from: usize, to: *mut u8, length: usize) {
        debug_assert!(from + length <= self.bytes);
        // SAFETY: the span's bytes were proved when it was made; the rest is the caller's.
        unsafe {
            match &self.layout {
                None => copy::copy(to, self.base.add(from), length),
                Some(layout) => layout.pack(to, self.base, from as u64, length as u64),
            }
        }
    }

    /// Copies the packed bytes from position `from` on into `bytes`, which are not more than the span has.
    pub(crate) fn read(&self, from: usize, bytes: &mut [u8]) {
        assert!(from + bytes.len() <= self.bytes, "bytes beyond the end of a span");
        // SAFETY: just checked.
        unsafe { self.pack(from, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// The packed bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        // SAFETY: the vector has as many bytes as the span.
        unsafe { self.pack(0, bytes.as_mut_ptr(), self.bytes) };
        bytes
    }

    /// Copies the first `length` packed bytes of `from` into this span, directly from layout to layout. Contiguous
    /// bytes that are the same ones stay as they are.
    pub fn copy_from(&self, from: &Span, length: usize) {
        if self.contiguous().is_some() && self.contiguous() == from.contiguous() {
            return;
        }
        let length = length.min(self.bytes).min(from.bytes);
        // SAFETY: both spans were proved when they were made.
        unsafe {
            match (&self.layout, &from.layout) {
                (None, None) => copy::copy(self.base, from.base, length),
                (None, Some(layout)) => layout.pack(self.base, from.base, 0, length as u64),
                (Some(layout), None) => layout.unpack(self.base, 0, from.base, length as u64),
                (Some(to), Some(source)) => {
                    crate::datatype::copy_typed(self.base, to, from.base, source, 0, length as u64)
                }
            }
        }
    }
}

impl Rank {
    /// The span of `count` elements of `datatype` at `address` in this rank's memory, every byte of it proved to be
    /// inside.
    #[inline(always)]
    pub fn span(&self, address: Addr, count: i64, datatype: Datatype) -> Result<Span> {
        // What nearly all messages are stays in registers.
        match self.contiguous(address, count, datatype) {
            Some(span) => Ok(span),
            None => self.any_span(address, count, datatype),
        }
    }

    /// The same where the datatype is predefined and all is well.
    #[inline(always)]
    pub(crate) fn contiguous(&self, address: Addr, count: i64, datatype: Datatype) -> Option<Span> {
        let size = datatype.predefined_block()?;
        let bytes = u64::try_from(count).ok()?.saturating_mul(u64::from(size));
        let base = self.memory().at(address, bytes)?;
        Some(Span { base, bytes: bytes as usize, layout: None })
    }

    #[inline(never)]
    fn any_span(&self, address: Addr, count: i64, datatype: Datatype) -> Result<Span> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("count is {count}, which is negative")));
        }
        if let Some(size) = datatype.predefined_block() {
            let bytes = i128::from(count) * i128::from(size);
            return match bytes {
                0 => Ok(Span::EMPTY),
                _ => Err(self.memory().outside(MPI_ERR_BUFFER, i128::from(address.0), bytes, "the buffer")),
            };
        }
        let ty = self.types.committed(datatype)?;
        let layout = ty.message(count as u64)?;
        self.place(address, layout, Some(ty))
    }

    /// The span of a whole message's layout at `address`. Whoever uses it keeps the types that it is made of.
    pub(crate) fn typed_span(&self, address: Addr, layout: Layout) -> Result<Span> {
        self.place(address, layout, None)
    }

    fn place(&self, address: Addr, layout: Layout, ty: Option<Rc<Type>>) -> Result<Span> {
        if layout.size() == 0 {
            return Ok(Span::EMPTY);
        }
        // Entries that overlap may say more than there is; the host makes no copies of that.
        if layout.size() > self.memory().size() {
            let text = format!("the buffer: {} bytes are more than the memory has", layout.size());
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
        // Addresses in the upper half of the memory are negative displacements from MPI_BOTTOM.
        let at = if address.is_null() && layout.hi() <= 0 { 1 << 32 } else { i128::from(address.0) };
        self.memory().prove(at + i128::from(layout.lo()), at + i128::from(layout.hi()), "the buffer")?;
        let base = self.memory().base().wrapping_add(at as usize);
        let bytes = layout.size() as usize;
        if layout.is_block() {
            return Ok(Span { base: base.wrapping_offset(layout.lo() as isize), bytes, layout: None });
        }
        Ok(Span { base, bytes, layout: Some(Box::new(Typed { layout, _ty: ty })) })
    }
}
