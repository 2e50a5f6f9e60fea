//! Walks the bytes of a layout in type-map order, from any packed position.
//!
//! The unit is the run: equally long, equally spaced blocks. A vector is one run however many rows it has, so the
//! copying loops do the work and the walk costs little. Offsets are computed wrapping: every one that is reached is
//! inside the layout's checked bounds.

use smallvec::SmallVec;

use crate::layout::{Layout, Shape};

/// `count` blocks of `len` bytes, `stride` apart, the first at `offset`; `count` 0 is the end.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Run {
    /// Offset of the first block from the address that the layout is relative to.
    pub offset: i64,
    /// Bytes in each block.
    pub len: u64,
    /// Distance between the beginnings of neighbouring blocks.
    pub stride: i64,
    /// Number of blocks.
    pub count: u64,
}

impl Run {
    #[inline]
    pub(super) fn block(offset: i64, len: u64) -> Run {
        Run { offset, len, stride: 0, count: u64::from(len > 0) }
    }

    /// Cuts `bytes` bytes off the front; what is left are a rest of a block and a run of whole blocks, both maybe
    /// empty.
    fn split(self, bytes: u64) -> (Run, Run) {
        let (blocks, cut) = (bytes / self.len, bytes % self.len);
        let offset = self.offset.wrapping_add(self.stride.wrapping_mul(blocks as i64));
        let whole = Run { offset, count: self.count - blocks, ..self };
        if cut == 0 {
            return (Run::default(), whole);
        }
        let next = offset.wrapping_add(self.stride);
        (
            Run::block(offset.wrapping_add(cut as i64), self.len - cut),
            Run { offset: next, count: whole.count - 1, ..self },
        )
    }
}

/// One nested layout on the way down to the current run.
#[derive(Debug)]
struct Frame<'a> {
    layout: &'a Layout,
    /// Where the layout lies, its origin included.
    at: i64,
    /// The next child.
    next: u64,
}

/// A position in the bytes of a layout.
#[derive(Debug)]
pub struct Cursor<'a> {
    run: Run,
    /// What follows `run` when that is the rest of a block of a longer run.
    after: Run,
    stack: SmallVec<[Frame<'a>; 4]>,
}

impl<'a> Cursor<'a> {
    /// Stands at packed byte `from`; past the last byte it stands at the end.
    pub fn new(layout: &'a Layout, from: u64) -> Cursor<'a> {
        let mut cursor = Cursor { run: Run::default(), after: Run::default(), stack: SmallVec::new() };
        if from < layout.size() {
            cursor.enter(layout, 0, from);
            cursor.settle();
        }
        cursor
    }

    /// The run that begins at the current position; its `count` is 0 at the end.
    pub fn run(&self) -> Run {
        self.run
    }

    /// Moves on by `bytes`, at most the bytes of the current run.
    #[inline]
    pub fn advance(&mut self, bytes: u64) {
        if self.run.count == 1 && self.run.len == bytes {
            self.run.count = 0;
        } else {
            self.set(self.run, bytes);
        }
        self.settle();
    }

    /// Stands `skip` bytes into `run`, at most at its end. A run with something `after` it is a single block, the rest
    /// of an earlier one: it leaves `after` alone.
    fn set(&mut self, run: Run, skip: u64) {
        if skip == 0 {
            self.run = run;
            return;
        }
        let (rest, whole) = run.split(skip);
        if rest.count == 0 {
            self.run = whole;
        } else {
            self.run = rest;
            if whole.count > 0 {
                self.after = whole;
            }
        }
    }

    /// Makes `run` the next run that is not empty.
    fn settle(&mut self) {
        if self.run.count == 0 {
            self.run = std::mem::take(&mut self.after);
        }
        while self.run.count == 0 && self.step() {}
    }

    /// Goes to the next child of the innermost frame, or leaves the frame. False at the end of everything.
    fn step(&mut self) -> bool {
        let Some(frame) = self.stack.last_mut() else { return false };
        let (at, i) = (frame.at, frame.next);
        frame.next += 1;
        match frame.layout.shape() {
            Shape::Pieces(pieces) if i < pieces.len() as u64 => {
                let piece = &pieces[i as usize];
                self.run = Run::block(at.wrapping_add(piece.offset), piece.len);
            }
            Shape::Repeat { count, stride, inner } if i < *count => {
                self.enter(inner, at.wrapping_add(stride.wrapping_mul(i as i64)), 0);
            }
            Shape::Sequence(parts) if i < parts.len() as u64 => self.enter(&parts[i as usize].layout, at, 0),
            _ => {
                self.stack.pop();
            }
        }
        true
    }

    /// Goes down to packed byte `skip` of a layout that lies at `at`; `skip` is less than its size.
    fn enter(&mut self, mut layout: &'a Layout, mut at: i64, mut skip: u64) {
        loop {
            at = at.wrapping_add(layout.origin());
            match layout.shape() {
                Shape::Block => {
                    return self.set(Run::block(at, layout.size()), skip);
                }
                Shape::Strided { count, len, stride } => {
                    let run = Run { offset: at, len: *len, stride: *stride, count: *count };
                    return self.set(run, skip);
                }
                Shape::Pieces(pieces) => {
                    let i = pieces.partition_point(|p| p.start <= skip) - 1;
                    let piece = &pieces[i];
                    self.stack.push(Frame { layout, at, next: i as u64 + 1 });
                    return self.set(Run::block(at.wrapping_add(piece.offset), piece.len), skip - piece.start);
                }
                Shape::Repeat { stride, inner, .. } => {
                    let i = skip / inner.size();
                    self.stack.push(Frame { layout, at, next: i + 1 });
                    at = at.wrapping_add(stride.wrapping_mul(i as i64));
                    (layout, skip) = (inner, skip % inner.size());
                }
                Shape::Sequence(parts) => {
                    let i = if skip == 0 { 0 } else { parts.partition_point(|p| p.start <= skip) - 1 };
                    let part = &parts[i];
                    self.stack.push(Frame { layout, at, next: i as u64 + 1 });
                    (layout, skip) = (&part.layout, skip - part.start);
                }
            }
        }
    }
}
