//! Layouts as the parts of a file that a view shows: whether their bytes ascend, and how many lie before a place.

use super::cursor::Cursor;
use crate::layout::{Layout, Shape};

/// In which order the blocks of a layout lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ascent {
    /// Some block begins before the one in front of it.
    Falling,
    /// None does, but some bytes are in two blocks.
    Overlapping,
    /// Each block begins where the one before has ended, or later.
    Strict,
}

impl Ascent {
    /// Of blocks of `length` bytes that begin so far from one another.
    fn of_step(step: i128, length: u64) -> Ascent {
        match step {
            ..0 => Ascent::Falling,
            _ if step < i128::from(length) => Ascent::Overlapping,
            _ => Ascent::Strict,
        }
    }
}

impl Layout {
    /// The order of its blocks.
    pub(crate) fn ascent(&self) -> Ascent {
        match self.shape() {
            Shape::Block => Ascent::Strict,
            Shape::Strided { len, stride, .. } => Ascent::of_step((*stride).into(), *len),
            Shape::Pieces(pieces) => {
                let step = |pair: &[crate::layout::Piece]| {
                    Ascent::of_step(i128::from(pair[1].offset) - i128::from(pair[0].offset), pair[0].len)
                };
                pieces.windows(2).map(step).min().unwrap_or(Ascent::Strict)
            }
            Shape::Repeat { stride, inner, .. } => inner.ascent().min(inner.followed_by(inner, (*stride).into())),
            Shape::Sequence(parts) => {
                let own = parts.iter().map(|part| part.layout.ascent()).min().unwrap_or(Ascent::Strict);
                let step = |pair: &[crate::layout::Part]| pair[0].layout.followed_by(&pair[1].layout, 0);
                own.min(parts.windows(2).map(step).min().unwrap_or(Ascent::Strict))
            }
        }
    }

    /// The order of this layout and another, which lies `by` bytes further up and comes after it.
    fn followed_by(&self, next: &Layout, by: i128) -> Ascent {
        if i128::from(next.lo()) + by >= i128::from(self.hi()) {
            return Ascent::Strict;
        }
        if i128::from(next.lo()) + by >= i128::from(self.last_block()) { Ascent::Overlapping } else { Ascent::Falling }
    }

    /// Where its last block lies.
    fn last_block(&self) -> i64 {
        let at = match self.shape() {
            Shape::Block => 0,
            Shape::Strided { count, stride, .. } => stride.wrapping_mul(*count as i64 - 1),
            Shape::Pieces(pieces) => pieces.last().map_or(0, |piece| piece.offset),
            Shape::Repeat { count, stride, inner } => {
                stride.wrapping_mul(*count as i64 - 1).wrapping_add(inner.last_block())
            }
            Shape::Sequence(parts) => parts.last().map_or(0, |part| part.layout.last_block()),
        };
        self.origin().wrapping_add(at)
    }

    /// Where packed byte `index`, which there is, lies.
    pub(crate) fn offset_of(&self, index: u64) -> i64 {
        Cursor::new(self, index).run().offset
    }

    /// How many of its bytes, which ascend strictly, lie before an offset.
    pub(crate) fn before(&self, offset: i64) -> u64 {
        if offset <= self.lo() {
            return 0;
        }
        if offset >= self.hi() {
            return self.size();
        }
        // Both are inside of checked bounds.
        let offset = offset.wrapping_sub(self.origin());
        match self.shape() {
            Shape::Block => offset as u64,
            Shape::Strided { count, len, stride } => {
                let block = (offset / stride) as u64;
                if block >= *count {
                    return self.size();
                }
                block * len + (offset as u64 - block * *stride as u64).min(*len)
            }
            Shape::Pieces(pieces) => {
                let piece = &pieces[pieces.partition_point(|piece| piece.offset < offset).max(1) - 1];
                piece.start + offset.saturating_sub(piece.offset).clamp(0, piece.len as i64) as u64
            }
            Shape::Repeat { count, stride, inner } => {
                let copy = ((offset.wrapping_sub(inner.lo())) / stride).clamp(0, *count as i64 - 1);
                copy as u64 * inner.size() + inner.before(offset.wrapping_sub(copy.wrapping_mul(*stride)))
            }
            Shape::Sequence(parts) => {
                let part = &parts[parts.partition_point(|part| part.layout.lo() < offset).max(1) - 1];
                part.start + part.layout.before(offset)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn block(offset: i64, len: u64) -> Layout {
        Layout::block(offset, len).unwrap()
    }

    fn layouts() -> Vec<Layout> {
        let pieces = Layout::sequence([(2, 3), (7, 1), (20, 5)].map(|(at, len)| Layout::block(at, len))).unwrap();
        let strided = Arc::new(block(1, 2)).repeated(20, 7).unwrap();
        let nested = Arc::new(strided.clone()).repeated(3, 200).unwrap();
        let repeated = Arc::new(pieces.clone()).repeated(100, 30).unwrap();
        let sequence = Layout::sequence([Ok(pieces.clone()), repeated.moved(40), nested.moved(9000)]).unwrap();
        vec![block(5, 10), strided, pieces, nested, repeated, sequence]
    }

    #[test]
    fn what_lies_before_is_counted() {
        for layout in layouts() {
            assert_eq!(layout.ascent(), Ascent::Strict, "{layout:?}");
            let offsets: Vec<i64> = (0..layout.size()).map(|index| layout.offset_of(index)).collect();
            assert!(offsets.is_sorted());
            for offset in layout.lo() - 2..layout.hi() + 2 {
                let before = offsets.partition_point(|&at| at < offset) as u64;
                assert_eq!(layout.before(offset), before, "{offset} in {layout:?}");
            }
        }
    }

    #[test]
    fn order_is_seen() {
        let list = |blocks: &[(i64, u64)]| {
            Layout::sequence(blocks.iter().map(|&(at, len)| Layout::block(at, len))).unwrap().ascent()
        };
        assert_eq!(list(&[(0, 4), (8, 4), (13, 1)]), Ascent::Strict);
        assert_eq!(list(&[(0, 4), (2, 4), (13, 1)]), Ascent::Overlapping);
        assert_eq!(list(&[(8, 4), (0, 4), (13, 1)]), Ascent::Falling);
        let repeated = |layout: &Layout, by| Arc::new(layout.clone()).repeated(100, by).unwrap().ascent();
        let pieces = Layout::sequence([Layout::block(0, 2), Layout::block(10, 3)]).unwrap();
        assert_eq!(repeated(&pieces, 13), Ascent::Strict);
        assert_eq!(repeated(&pieces, 12), Ascent::Overlapping);
        assert_eq!(repeated(&pieces, 5), Ascent::Falling);
        assert_eq!(repeated(&block(0, 4), 2), Ascent::Overlapping);
        assert_eq!(repeated(&block(0, 4), -8), Ascent::Falling);
    }
}
