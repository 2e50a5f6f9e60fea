//! Where the bytes of an element, or of a whole message, lie relative to its address, in the order of the type map.
//!
//! A layout is what copying runs over: the type's basic elements are forgotten, neighbouring bytes are one block,
//! equally spaced blocks are one strided run, and repetition stays nested, so that a vector of 10⁹ blocks costs what a
//! vector of 2 does. Layouts are immutable and share their parts. Every sum and product here is checked: a layout that
//! exists has its bounds and its packed size in `i64`.

use std::sync::Arc;

use rankine_abi::MPI_ERR_ARG;

use crate::error::{Error, Result};

/// A repeated list of pieces becomes one flat list up to this many pieces.
const FLATTEN: u64 = 64;
/// A nested layout of up to this many pieces is written out into the sequence that holds it.
const INLINE: u64 = 8;

/// Bytes at offsets from an address, in type-map order.
#[derive(Clone, Debug)]
pub struct Layout {
    size: u64,
    origin: i64,
    lo: i64,
    hi: i64,
    shape: Shape,
}

/// How the `size` bytes are arranged. Offsets in here are relative to the layout's `origin`.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// All in one piece.
    Block,
    /// `count` ≥ 2 blocks of `len` ≥ 1 bytes, `stride` apart.
    Strided { count: u64, len: u64, stride: i64 },
    /// At least 2 blocks anywhere.
    Pieces(Arc<[Piece]>),
    /// `count` ≥ 2 copies of a layout that is not empty, `stride` apart.
    Repeat { count: u64, stride: i64, inner: Arc<Layout> },
    /// At least 2 layouts, none empty, one after another.
    Sequence(Arc<[Part]>),
}

/// One block: `len` bytes at `offset`, which are the bytes from `start` on when the layout is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub start: u64,
    pub offset: i64,
    pub len: u64,
}

/// One member of a sequence, which begins at byte `start` when the sequence is packed.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub start: u64,
    pub layout: Layout,
}

impl Layout {
    /// The layout that has no byte.
    pub const EMPTY: Layout = Layout { size: 0, origin: 0, lo: 0, hi: 0, shape: Shape::Block };

    /// `len` bytes at `offset`.
    pub fn block(offset: i64, len: u64) -> Result<Layout> {
        if len == 0 {
            return Ok(Layout::EMPTY);
        }
        Layout::new(offset, i128::from(len), i128::from(offset), i128::from(offset) + i128::from(len), Shape::Block)
    }

    fn new(origin: i64, size: i128, lo: i128, hi: i128, shape: Shape) -> Result<Layout> {
        let fits = |x: i128| i64::try_from(x).map_err(|_| too_large());
        let size = fits(size)?.unsigned_abs();
        Ok(Layout { size, origin, lo: fits(lo)?, hi: fits(hi)?, shape })
    }

    /// How many bytes there are: the size when packed.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The lowest offset of any byte; 0 if there is none.
    pub fn lo(&self) -> i64 {
        self.lo
    }

    /// One past the highest offset of any byte; 0 if there is none.
    pub fn hi(&self) -> i64 {
        self.hi
    }

    /// Whether the bytes are one block in ascending order.
    pub fn is_block(&self) -> bool {
        matches!(self.shape, Shape::Block)
    }

    /// Whether its bytes are pieces shorter than a cache line, each on a line of its own.
    pub(crate) fn is_sparse(&self) -> bool {
        const SHORT: u64 = 32;
        match &self.shape {
            Shape::Block => false,
            Shape::Strided { len, stride, .. } => *len <= SHORT && stride.unsigned_abs() >= 2 * SHORT,
            Shape::Pieces(pieces) => {
                let count = pieces.len() as u64;
                self.size <= SHORT * count && self.hi.abs_diff(self.lo) >= 2 * SHORT * count
            }
            Shape::Repeat { inner, stride, .. } => {
                inner.is_sparse() || inner.size <= SHORT && stride.unsigned_abs() >= 2 * SHORT
            }
            Shape::Sequence(parts) => parts[0].layout.is_sparse(),
        }
    }

    pub(super) fn origin(&self) -> i64 {
        self.origin
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether the layouts consist of the same runs at the same offsets. False may also mean that they were built
    /// differently.
    pub fn is_same(&self, other: &Layout) -> bool {
        if (self.size, self.origin, self.lo, self.hi) != (other.size, other.origin, other.lo, other.hi) {
            return false;
        }
        match (&self.shape, &other.shape) {
            (Shape::Block, Shape::Block) => true,
            (Shape::Strided { count, len, stride }, Shape::Strided { count: c, len: l, stride: s }) => {
                (count, len, stride) == (c, l, s)
            }
            (Shape::Pieces(a), Shape::Pieces(b)) => Arc::ptr_eq(a, b) || a == b,
            (Shape::Repeat { count, stride, inner }, Shape::Repeat { count: c, stride: s, inner: i }) => {
                (count, stride) == (c, s) && (Arc::ptr_eq(inner, i) || inner.is_same(i))
            }
            (Shape::Sequence(a), Shape::Sequence(b)) => {
                let same = |(a, b): (&Part, &Part)| a.layout.is_same(&b.layout);
                Arc::ptr_eq(a, b) || a.len() == b.len() && a.iter().zip(b.iter()).all(same)
            }
            _ => false,
        }
    }

    /// The same bytes, `by` further up.
    pub fn moved(&self, by: i64) -> Result<Layout> {
        if self.size == 0 || by == 0 {
            return Ok(self.clone());
        }
        // The sum may wrap: `origin` plus an offset of the shape is a position inside the bounds, which are checked.
        let origin = self.origin.wrapping_add(by);
        let by = i128::from(by);
        Layout::new(origin, self.size.into(), i128::from(self.lo) + by, i128::from(self.hi) + by, self.shape.clone())
    }

    /// `count` copies, `stride` apart.
    pub fn repeated(self: &Arc<Layout>, count: u64, stride: i64) -> Result<Layout> {
        if count == 0 || self.size == 0 {
            return Ok(Layout::EMPTY);
        }
        if count == 1 {
            return Ok(Layout::clone(self));
        }
        let size = i128::from(self.size) * i128::from(count);
        let reach = i128::from(stride).checked_mul(i128::from(count - 1)).ok_or_else(too_large)?;
        let (lo, hi) = (i128::from(self.lo) + reach.min(0), i128::from(self.hi) + reach.max(0));
        let shape = match &self.shape {
            Shape::Block if i128::from(stride) == i128::from(self.size) => Shape::Block,
            Shape::Block => Shape::Strided { count, len: self.size, stride },
            Shape::Strided { count: n, len, stride: step } if continues(*n, *step, stride) => {
                Shape::Strided { count: n.checked_mul(count).ok_or_else(too_large)?, len: *len, stride: *step }
            }
            Shape::Pieces(pieces) if count <= FLATTEN && pieces.len() as u64 * count <= FLATTEN => {
                // Check the bounds of the whole before writing it out: then no offset below can overflow.
                Layout::new(self.origin, size, lo, hi, Shape::Block)?;
                return Layout::sequence(
                    (0..count as i64).map(|i| self.moved(stride.checked_mul(i).ok_or_else(too_large)?)),
                );
            }
            Shape::Repeat { count: n, stride: step, inner } if continues(*n, *step, stride) => {
                let count = n.checked_mul(count).ok_or_else(too_large)?;
                Shape::Repeat { count, stride: *step, inner: inner.clone() }
            }
            _ => {
                // The first copy's own origin is inside `inner`.
                let shape = Shape::Repeat { count, stride, inner: self.clone() };
                return Layout::new(0, size, lo, hi, shape);
            }
        };
        Layout::new(self.origin, size, lo, hi, shape)
    }

    /// The parts one after another, each where it says it is.
    pub fn sequence(parts: impl IntoIterator<Item = Result<Layout>>) -> Result<Layout> {
        let mut sequence = Sequence::default();
        for part in parts {
            sequence.push(part?)?;
        }
        sequence.finish()
    }

    /// How many blocks there are if no more than `limit`, and if they can be listed without descending.
    fn few_pieces(&self, limit: u64) -> bool {
        match &self.shape {
            Shape::Block => true,
            Shape::Strided { count, .. } => *count <= limit,
            Shape::Pieces(pieces) => pieces.len() as u64 <= limit,
            Shape::Repeat { .. } | Shape::Sequence(_) => false,
        }
    }

    /// Bytes of pieces that it does not share with the layout it was made from.
    pub(crate) fn own_bytes(&self, origin: &Layout) -> usize {
        match (&self.shape, &origin.shape) {
            (Shape::Pieces(own), Shape::Pieces(theirs)) if !Arc::ptr_eq(own, theirs) => size_of_val(&**own),
            _ => 0,
        }
    }

    /// Bytes of host memory behind this layout, one level deep: what building it allocated.
    pub(super) fn heap_bytes(&self) -> u64 {
        match &self.shape {
            Shape::Block | Shape::Strided { .. } => 0,
            Shape::Pieces(pieces) => size_of_val(&**pieces) as u64,
            Shape::Repeat { .. } => size_of::<Layout>() as u64,
            Shape::Sequence(parts) => {
                let pieces = |part: &Part| match &part.layout.shape {
                    Shape::Pieces(pieces) => size_of_val(&**pieces) as u64,
                    _ => 0,
                };
                size_of_val(&**parts) as u64 + parts.iter().map(pieces).sum::<u64>()
            }
        }
    }
}

/// Whether a strided run of `count` blocks, repeated every `outer` bytes, is one longer run.
fn continues(count: u64, stride: i64, outer: i64) -> bool {
    i128::from(stride) * i128::from(count) == i128::from(outer)
}

/// Collects the parts of a sequence, joining what can be joined.
#[derive(Default)]
struct Sequence {
    /// Blocks since the last part; `start` counts from the first of them.
    pieces: Vec<Piece>,
    parts: Vec<Layout>,
}

impl Sequence {
    fn push(&mut self, layout: Layout) -> Result<()> {
        if layout.size == 0 {
            return Ok(());
        }
        match &layout.shape {
            Shape::Block => self.push_block(layout.origin, layout.size)?,
            _ if !layout.few_pieces(INLINE) => {
                self.flush()?;
                self.parts.push(layout);
            }
            Shape::Strided { count, len, stride } => {
                for i in 0..*count as i64 {
                    self.push_block(layout.origin.wrapping_add(i.wrapping_mul(*stride)), *len)?;
                }
            }
            Shape::Pieces(pieces) => {
                for piece in pieces.iter() {
                    self.push_block(layout.origin.wrapping_add(piece.offset), piece.len)?;
                }
            }
            Shape::Repeat { .. } | Shape::Sequence(_) => unreachable!("nested layouts are never few pieces"),
        }
        Ok(())
    }

    fn push_block(&mut self, offset: i64, len: u64) -> Result<()> {
        let start = match self.pieces.last_mut() {
            Some(last) if i128::from(last.offset) + i128::from(last.len) == i128::from(offset) => {
                last.len = last.len.checked_add(len).ok_or_else(too_large)?;
                return Ok(());
            }
            Some(last) => last.start.checked_add(last.len).ok_or_else(too_large)?,
            None => 0,
        };
        self.pieces.push(Piece { start, offset, len });
        Ok(())
    }

    /// Turns the collected blocks into one part.
    fn flush(&mut self) -> Result<()> {
        let pieces = std::mem::take(&mut self.pieces);
        let Some(first) = pieces.first() else { return Ok(()) };
        let size = pieces.iter().map(|p| i128::from(p.len)).sum();
        let lo = pieces.iter().map(|p| i128::from(p.offset)).min().unwrap_or(0);
        let hi = pieces.iter().map(|p| i128::from(p.offset) + i128::from(p.len)).max().unwrap_or(0);
        let part = match regular(&pieces) {
            _ if pieces.len() == 1 => Layout::new(first.offset, size, lo, hi, Shape::Block)?,
            Some(stride) => {
                let shape = Shape::Strided { count: pieces.len() as u64, len: first.len, stride };
                Layout::new(first.offset, size, lo, hi, shape)?
            }
            None => Layout::new(0, size, lo, hi, Shape::Pieces(pieces.into()))?,
        };
        self.parts.push(part);
        Ok(())
    }

    fn finish(mut self) -> Result<Layout> {
        self.flush()?;
        if self.parts.len() < 2 {
            return Ok(self.parts.pop().unwrap_or(Layout::EMPTY));
        }
        let lo = self.parts.iter().map(|p| i128::from(p.lo)).min().unwrap_or(0);
        let hi = self.parts.iter().map(|p| i128::from(p.hi)).max().unwrap_or(0);
        let mut size = 0_u64;
        let mut parts = Vec::with_capacity(self.parts.len());
        for layout in self.parts {
            parts.push(Part { start: size, layout: layout.clone() });
            size = size.checked_add(layout.size).ok_or_else(too_large)?;
        }
        Layout::new(0, size.into(), lo, hi, Shape::Sequence(parts.into()))
    }
}

/// The distance between blocks that have all the same length and distance.
fn regular(pieces: &[Piece]) -> Option<i64> {
    let [first, second, ..] = pieces else { return None };
    let stride = second.offset.checked_sub(first.offset)?;
    let same = |pair: &[Piece]| pair[1].len == first.len && pair[1].offset.checked_sub(pair[0].offset) == Some(stride);
    pieces.windows(2).all(same).then_some(stride)
}

/// The error for sizes, bounds or counts whose sums or products leave 64 bits.
#[cold]
pub(crate) fn too_large() -> Error {
    Error::new(MPI_ERR_ARG, "the size or the bounds of the datatype do not fit into 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_pieces_far_from_one_another_are_sparse() {
        let block = |at, len| Layout::block(at, len);
        for (len, stride, is_sparse) in
            [(8, 4096, true), (8, -64, true), (8, 16, false), (32, 64, true), (40, 64, false)]
        {
            let strided = Arc::new(block(0, len).unwrap()).repeated(100, stride).unwrap();
            assert_eq!(strided.is_sparse(), is_sparse, "{len} of {stride}");
            let pieces = Layout::sequence([0, 1, 3].map(|i| block(i * stride, len))).unwrap();
            assert_eq!(pieces.is_sparse(), is_sparse, "{len} of {stride}");
        }
        assert!(!Layout::EMPTY.is_sparse());
    }
}
