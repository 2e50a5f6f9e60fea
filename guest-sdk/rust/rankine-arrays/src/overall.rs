//! Loops over the indices that a rank owns.

use std::iter::FusedIterator;
use std::ops::{Bound, Range, RangeBounds};
use std::rc::Rc;

use crate::range::Axis;

/// An index of a dimension, as all ranks count and as this rank stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// In the whole array.
    pub global: isize,
    /// In this rank's block, ghost cells included.
    pub local: usize,
}

/// The indices of a dimension that this rank owns, in ascending order.
#[derive(Debug, Clone)]
pub struct Overall {
    axis: Rc<Axis>,
    /// Of this rank's part, without ghost cells.
    left: Range<usize>,
}

impl Overall {
    pub(crate) fn new(axis: Rc<Axis>) -> Overall {
        let left = 0..axis.count(axis.part);
        Overall { axis, left }
    }

    /// Only those whose global index lies in a range.
    pub fn within(self, range: impl RangeBounds<isize>) -> Overall {
        let start = match range.start_bound() {
            Bound::Included(&start) => self.axis.before(start),
            Bound::Excluded(&start) => self.axis.before(start.saturating_add(1)),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => self.axis.before(end.saturating_add(1)),
            Bound::Excluded(&end) => self.axis.before(end),
            Bound::Unbounded => self.left.end,
        };
        let start = start.max(self.left.start);
        Overall { left: start..end.min(self.left.end).max(start), axis: self.axis }
    }

    /// Without so many at both ends of this rank's part: the indices whose neighbours lie here too, so that they can be
    /// computed while ghost cells are on their way.
    pub fn inside(self, margin: usize) -> Overall {
        let count = self.axis.count(self.axis.part);
        let end = self.left.end.min(count.saturating_sub(margin));
        let start = self.left.start.max(margin).min(end);
        Overall { left: start..end, axis: self.axis }
    }

    /// Those that [`inside`](Overall::inside) leaves out, below and above.
    pub fn rims(self, margin: usize) -> [Overall; 2] {
        let inside = self.clone().inside(margin).left;
        let below = Overall { left: self.left.start..inside.start, axis: self.axis.clone() };
        [below, Overall { left: inside.end..self.left.end, axis: self.axis }]
    }

    /// As a range of local indices, for slices. Where ranges are cyclic, their global indices don't follow each other.
    pub fn local(&self) -> Range<usize> {
        let ghosts = self.axis.ghosts[0];
        self.left.start + ghosts..self.left.end + ghosts
    }

    /// As a range of global indices, if those follow each other.
    pub fn global(&self) -> Option<Range<isize>> {
        let at = |left: usize| self.axis.global(left as isize);
        self.axis.is_contiguous().then(|| at(self.left.start)..at(self.left.end))
    }

    #[inline]
    fn at(&self, left: usize) -> At {
        At { global: self.axis.global(left as isize), local: left + self.axis.ghosts[0] }
    }
}

impl Iterator for Overall {
    type Item = At;

    #[inline]
    fn next(&mut self) -> Option<At> {
        let next = self.left.next()?;
        Some(self.at(next))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<At> {
        let next = self.left.nth(n)?;
        Some(self.at(next))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for Overall {
    fn next_back(&mut self) -> Option<At> {
        let next = self.left.next_back()?;
        Some(self.at(next))
    }
}

impl ExactSizeIterator for Overall {}
impl FusedIterator for Overall {}
