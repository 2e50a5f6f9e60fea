//! The buffer of an operation: bytes somewhere in the host's address space, proved to be inside the memory they belong
//! to.
//!
//! A span is made once, when an operation starts: from (address, count, datatype) of a guest, after proving that every
//! byte the datatype can touch lies in the guest's memory, or from bytes of the host. From then on nobody checks again.
//!
//! A guest's memory stays until the job has ended. Bytes of the host are borrowed by their span, and an operation takes
//! over the borrow (see [`crate::transport`]), so they can't go, or be looked at, while anybody may still write them. The
//! compiler refuses what would (the tests that show it stand with [`crate::transport::Started`]).

use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::rc::Rc;

use rankine_abi::{Addr, Datatype, MPI_ERR_BUFFER, MPI_ERR_COUNT};
use rankine_guest::Proved;

use crate::copy;
use crate::datatype::Type;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;

/// Bytes of a buffer, every one of which was proved to be the guest's, or is the host's.
#[derive(Debug)]
pub struct Span<'a> {
    /// Where offset 0 of the layout lies; for contiguous spans the first byte.
    base: *mut u8,
    bytes: usize,
    /// `None`: contiguous.
    layout: Option<Rc<Typed>>,
    borrowed: PhantomData<&'a mut [u8]>,
}

/// Where the bytes of a message lie that are not contiguous. Only the rank that owns the span counts its users.
#[derive(Debug)]
struct Typed {
    layout: Layout,
    /// The type stays as long as its layout is used, and is charged so long.
    _ty: Option<Rc<Type>>,
    /// For what the layout has of its own.
    _charge: Charge,
}

impl Deref for Typed {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        &self.layout
    }
}

impl<'a> Span<'a> {
    /// No bytes at all.
    pub const EMPTY: Span<'a> = Span::block(std::ptr::null_mut(), 0);

    #[inline]
    const fn block(base: *mut u8, bytes: usize) -> Span<'a> {
        Span { base, bytes, layout: None, borrowed: PhantomData }
    }

    /// Bytes of a guest's memory.
    #[inline]
    fn proved(bytes: Proved) -> Span<'static> {
        Span::block(bytes.first(), bytes.len())
    }

    /// Bytes of the host.
    #[inline]
    pub fn over(bytes: &'a mut [u8]) -> Span<'a> {
        Span::block(bytes.as_mut_ptr(), bytes.len())
    }

    /// `bytes` contiguous bytes.
    ///
    /// # Safety
    /// They are readable and writable as long as the lifetime that the caller gives the span.
    pub(crate) unsafe fn raw(base: *mut u8, bytes: usize) -> Span<'a> {
        Span::block(base, bytes)
    }

    /// The bytes of a layout whose offset 0 lies at `base`, of a type that stays as long as they do.
    ///
    /// # Safety
    /// All of them are readable and writable as long as the lifetime that the caller gives the span.
    pub(crate) unsafe fn of_layout(base: *mut u8, layout: Layout, ty: Rc<Type>, charge: Charge) -> Span<'a> {
        Span::laid_out(base, layout, Some(ty), charge)
    }

    fn laid_out(base: *mut u8, layout: Layout, ty: Option<Rc<Type>>, charge: Charge) -> Span<'a> {
        let bytes = layout.size() as usize;
        if layout.is_block() {
            return Span::block(base.wrapping_offset(layout.lo() as isize), bytes);
        }
        let layout = Some(Rc::new(Typed { layout, _ty: ty, _charge: charge }));
        Span { base, bytes, layout, borrowed: PhantomData }
    }

    /// The same span without its borrow.
    ///
    /// # Safety
    /// The bytes stay, and are nobody else's, until every operation on the span has ended.
    #[inline]
    pub(crate) unsafe fn lasting(self) -> Span<'static> {
        Span { base: self.base, bytes: self.bytes, layout: self.layout, borrowed: PhantomData }
    }

    /// Some of its bytes, which are contiguous.
    pub(crate) fn part(&self, range: Range<usize>) -> Span<'a> {
        assert!(self.layout.is_none() && range.start <= range.end && range.end <= self.bytes, "no part of a span");
        Span::block(self.base.wrapping_add(range.start), range.len())
    }

    /// Where offset 0 of its bytes lies, and their layout unless they are contiguous from there on.
    #[inline]
    pub(crate) fn scattered(&self) -> (*mut u8, Option<&Layout>) {
        (self.base, self.layout.as_deref().map(|typed| &typed.layout))
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
    #[inline]
    pub(crate) fn release(&mut self) {
        self.layout = None;
    }

    /// Whether its bytes are scattered in short pieces.
    pub(crate) fn is_sparse(&self) -> bool {
        self.layout.as_ref().is_some_and(|typed| typed.is_sparse())
    }

    /// Refuses a span for results that shares bytes with `operand`. Only contiguous ones are compared: others may
    /// interleave.
    pub(crate) fn apart_from(&self, operand: &Span<'_>) -> Result<()> {
        let (Some(to), Some(from)) = (self.contiguous(), operand.contiguous()) else { return Ok(()) };
        let (to, from) = (to as usize, from as usize);
        if self.bytes > 0 && operand.bytes > 0 && to < from + operand.bytes && from < to + self.bytes {
            let text = "the send buffer and the receive buffer overlap; where MPI_IN_PLACE is allowed, use it instead";
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
        Ok(())
    }

    /// Another span over the same bytes.
    pub fn again(&self) -> Span<'a> {
        Span { base: self.base, bytes: self.bytes, layout: self.layout.clone(), borrowed: PhantomData }
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

    /// Calls `visit` with address and length of the blocks that are `length` packed bytes from position `from` on, all
    /// of which the span has.
    #[inline]
    pub(crate) fn each_block(&self, from: usize, length: usize, mut visit: impl FnMut(*mut u8, usize)) {
        debug_assert!(from + length <= self.bytes);
        match &self.layout {
            None => visit(self.base.wrapping_add(from), length),
            Some(layout) => layout.each_block(from as u64, (from + length) as u64, |offset, length| {
                visit(self.base.wrapping_offset(offset as isize), length as usize);
            }),
        }
    }

    /// Copies the packed bytes from position `from` on into `bytes`, which are not more than the span has.
    pub(crate) fn read(&self, from: usize, bytes: &mut [u8]) {
        assert!(from + bytes.len() <= self.bytes, "bytes beyond the end of a span");
        // SAFETY: `from + bytes.len()` is no more than the span has, as just checked, and `bytes` has room for as many.
        unsafe { self.pack(from, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// The packed bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes);
        // SAFETY: the vector has room for as many bytes as the span has, and has them then.
        unsafe {
            self.pack(0, bytes.as_mut_ptr(), self.bytes);
            bytes.set_len(self.bytes);
        }
        bytes
    }

    /// Copies the first `length` packed bytes of `from` into this span, directly from layout to layout. Contiguous
    /// bytes that are the same ones stay as they are.
    pub fn copy_from(&self, from: &Span<'_>, length: usize) {
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
    pub fn span(&self, address: Addr, count: i64, datatype: Datatype) -> Result<Span<'static>> {
        // What nearly all messages are stays in registers.
        match self.contiguous(address, count, datatype) {
            Some(span) => Ok(span),
            None => self.any_span(address, count, datatype),
        }
    }

    /// The span of a buffer whose datatype is predefined, where all is well.
    #[inline(always)]
    pub(crate) fn contiguous(&self, address: Addr, count: i64, datatype: Datatype) -> Option<Span<'static>> {
        let size = datatype.predefined_block()?;
        let bytes = u64::try_from(count).ok()?.saturating_mul(u64::from(size));
        Some(Span::proved(self.memory().buffer(address, bytes)?))
    }

    /// The span of any buffer.
    #[inline(never)]
    pub(crate) fn any_span(&self, address: Addr, count: i64, datatype: Datatype) -> Result<Span<'static>> {
        let negative = || Error::new(MPI_ERR_COUNT, format!("count is {count}, which is negative"));
        if let Some(size) = datatype.predefined_block() {
            let bytes = i128::from(count) * i128::from(size);
            return match bytes {
                0 => Ok(Span::EMPTY),
                ..0 => Err(negative()),
                _ => Err(self.memory().outside(MPI_ERR_BUFFER, i128::from(address.0), bytes, "the buffer")),
            };
        }
        let ty = self.types.committed(datatype)?;
        let layout = ty.message(u64::try_from(count).map_err(|_| negative())?)?;
        let charge = match layout.own_bytes(ty.layout()) {
            0 => Charge::default(),
            bytes => self.account.charge(bytes, Cost::Layouts)?,
        };
        self.place(address, layout, Some(ty), charge)
    }

    /// The span of a whole message's layout at `address`. Whoever uses it keeps the types that it is made of.
    pub(crate) fn typed_span(&self, address: Addr, layout: Layout) -> Result<Span<'static>> {
        self.place(address, layout, None, Charge::default())
    }

    fn place(&self, address: Addr, layout: Layout, ty: Option<Rc<Type>>, charge: Charge) -> Result<Span<'static>> {
        if layout.size() == 0 {
            return Ok(Span::EMPTY);
        }
        // Entries that overlap may say more than there is; the host makes no copies of that.
        if layout.size() > self.memory().size() {
            let text = format!("the buffer: {} bytes are more than the memory has", layout.size());
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
        // With 32 bits, addresses in the upper half of the memory are negative displacements from MPI_BOTTOM.
        let is_above = address.is_null() && layout.hi() <= 0 && !self.memory().is_wide();
        let at = if is_above { 1 << 32 } else { i128::from(address.0) };
        let (lo, hi) = (i128::from(layout.lo()), i128::from(layout.hi()));
        let hull = self.memory().hull(address, (at + lo, at + hi), "the buffer")?;
        Ok(Span::laid_out(hull.origin(lo), layout, ty, charge))
    }

    /// `bytes` bytes at an address, all of them inside the memory.
    pub(crate) fn block_span(&self, address: Addr, bytes: u64) -> Option<Span<'static>> {
        Some(Span::proved(self.memory().buffer(address, bytes)?))
    }
}
