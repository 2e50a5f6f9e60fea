//! Visits the runs of a layout in order: the fast way when only one layout has to be followed.

use super::cursor::Run;
use crate::layout::{Layout, Shape};

/// What is done with the bytes of a layout, in order.
pub(super) trait Visit {
    /// Blocks that are spaced evenly.
    fn run(&mut self, run: Run);

    /// One block of a list: a run would pass through memory for each.
    #[inline(always)]
    fn block(&mut self, offset: i64, len: u64) {
        self.run(Run::block(offset, len));
    }
}

impl<F: FnMut(Run)> Visit for F {
    #[inline]
    fn run(&mut self, run: Run) {
        self(run);
    }
}

impl Layout {
    /// Calls `visit` with the runs that are packed bytes `from..to`, of which the layout has all, in order.
    #[inline]
    pub(super) fn for_each_run(&self, from: u64, to: u64, mut visit: impl Visit) {
        if from < to {
            visit_part(self, 0, from, to, &mut visit);
        }
    }
}

impl Layout {
    /// Calls `visit` with offset and length of the blocks that are packed bytes `from..to`, of which the layout has all,
    /// in order.
    #[inline]
    pub(crate) fn each_block(&self, from: u64, to: u64, mut visit: impl FnMut(i64, u64)) {
        self.for_each_run(from, to, |run: Run| {
            let mut offset = run.offset;
            for _ in 0..run.count {
                visit(offset, run.len);
                offset = offset.wrapping_add(run.stride);
            }
        });
    }
}

/// Visits packed bytes `from..to`, at least one, of a layout that lies at `at`. Offsets are computed wrapping: those
/// that are reached are inside the layout's checked bounds.
fn visit_part(layout: &Layout, at: i64, from: u64, to: u64, visit: &mut impl Visit) {
    let at = at.wrapping_add(layout.origin());
    match layout.shape() {
        Shape::Block => visit.block(at.wrapping_add(from as i64), to - from),
        Shape::Strided { count, len, stride } => {
            let run = Run { offset: at, len: *len, stride: *stride, count: *count };
            if from == 0 && to == layout.size() {
                visit.run(run);
            } else {
                visit_blocks(run, from, to, visit);
            }
        }
        Shape::Pieces(pieces) => {
            let first = if from == 0 { 0 } else { pieces.partition_point(|p| p.start <= from) - 1 };
            for piece in &pieces[first..] {
                if piece.start >= to {
                    break;
                }
                let skip = from.saturating_sub(piece.start);
                let end = piece.len.min(to - piece.start);
                visit.block(at.wrapping_add(piece.offset).wrapping_add(skip as i64), end - skip);
            }
        }
        Shape::Repeat { stride, inner, .. } => {
            let size = inner.size();
            let (first, last) = (from / size, (to - 1) / size);
            let mut at = at.wrapping_add(stride.wrapping_mul(first as i64));
            for i in first..=last {
                let start = i * size;
                visit_part(inner, at, from.saturating_sub(start), (to - start).min(size), visit);
                at = at.wrapping_add(*stride);
            }
        }
        Shape::Sequence(parts) => {
            let first = if from == 0 { 0 } else { parts.partition_point(|p| p.start <= from) - 1 };
            for part in &parts[first..] {
                if part.start >= to {
                    break;
                }
                let (skip, end) = (from.saturating_sub(part.start), (to - part.start).min(part.layout.size()));
                visit_part(&part.layout, at, skip, end, visit);
            }
        }
    }
}

/// Visits packed bytes `from..to` of a run: the rest of a block, whole blocks, the beginning of a block.
fn visit_blocks(run: Run, from: u64, to: u64, visit: &mut impl Visit) {
    let block = |i: u64| run.offset.wrapping_add(run.stride.wrapping_mul(i as i64));
    let (mut i, skip) = (from / run.len, from % run.len);
    let (end, rest) = (to / run.len, to % run.len);
    if skip > 0 {
        let len = (run.len - skip).min(to - from);
        visit.block(block(i).wrapping_add(skip as i64), len);
        i += 1;
    }
    if i < end {
        visit.run(Run { offset: block(i), count: end - i, ..run });
    }
    if rest > 0 && i <= end {
        visit.block(block(end), rest);
    }
}
