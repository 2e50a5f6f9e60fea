//! All lines along a dimension: copied in blocks, transformed, and copied to their places.

use num_complex::Complex;
use rustfft::{FftNum, num_traits::Zero};

use super::Axis;

/// What transforms lines of a length.
pub(super) trait Line<T: FftNum> {
    /// The numbers of its input, and those of its output.
    type From: Copy + Zero;
    type To: Copy + Zero;

    /// How many there are of both.
    fn lengths(&self) -> (usize, usize);

    /// How many numbers it needs beside them.
    fn scratch(&self) -> usize;

    /// Transforms lines that lie one behind another; what was input is worthless then.
    fn transform(&self, from: &mut [Self::From], to: &mut [Self::To], scratch: &mut [Complex<T>]);
}

/// Bytes of a block, if it is not a single line: it stays in a core's cache.
const BLOCK: usize = 128 << 10;
/// Neighbouring lines that are taken at least where elements of a line lie apart, so that what is fetched from memory is used.
const NEIGHBOURS: usize = 8;

/// All lines along an axis.
pub(super) struct Lines {
    axis: Axis,
    /// Along which lines are taken together.
    nearest: Axis,
    farther: Vec<Axis>,
}

impl Lines {
    /// Lines that lie along the other axes.
    pub(super) fn new(axis: Axis, others: impl Iterator<Item = Axis>) -> Lines {
        let mut farther = merged(others.collect());
        let nearest = if farther.is_empty() { SINGLE } else { farther.remove(0) };
        Lines { axis, nearest, farther }
    }

    /// How many are taken at once.
    fn at_once<T: FftNum, L: Line<T>>(&self, line: &L) -> usize {
        let neighbours = if self.axis.from == 1 && self.axis.to == 1 { 1 } else { NEIGHBOURS };
        (BLOCK / bytes_of_line(line)).max(neighbours).min(self.nearest.n)
    }

    /// The memory that [`Lines::transform`] takes.
    pub(super) fn room<T: FftNum, L: Line<T>>(&self, line: &L) -> usize {
        self.at_once(line) * bytes_of_line(line) + line.scratch() * size_of::<Complex<T>>()
    }

    /// Transforms them all.
    ///
    /// # Safety
    /// All elements can be read, or written.
    pub(super) unsafe fn transform<T: FftNum, L: Line<T>>(&self, line: &L, from: *const L::From, to: *mut L::To) {
        let Lines { axis, nearest, farther } = self;
        let (lines, (taken, given)) = (self.at_once(line), line.lengths());
        let mut input = vec![L::From::zero(); lines * taken];
        let mut output = vec![L::To::zero(); lines * given];
        let mut scratch = vec![Complex::zero(); line.scratch()];
        each(farther, &mut |from_there, to_there| {
            for first in (0..nearest.n).step_by(lines) {
                let count = lines.min(nearest.n - first);
                let (input, output) = (&mut input[..count * taken], &mut output[..count * given]);
                let from = from.wrapping_offset(from_there + first as isize * nearest.from);
                let to = to.wrapping_offset(to_there + first as isize * nearest.to);
                // SAFETY: these are elements of the array, and the caller's promise is about all of them.
                unsafe { load(from, axis.from, nearest.from, input, taken) };
                line.transform(input, output, &mut scratch);
                // SAFETY: these too.
                unsafe { store(output, given, to, axis.to, nearest.to) };
            }
        });
    }
}

fn bytes_of_line<T: FftNum, L: Line<T>>(line: &L) -> usize {
    let (from, to) = line.lengths();
    from * size_of::<L::From>() + to * size_of::<L::To>()
}

const SINGLE: Axis = Axis { n: 1, from: 0, to: 0 };

/// The same lines by fewer axes, the nearest first.
fn merged(mut axes: Vec<Axis>) -> Vec<Axis> {
    axes.retain(|axis| axis.n != 1);
    axes.sort_by_key(|axis| axis.to.unsigned_abs().saturating_add(axis.from.unsigned_abs()));
    let mut merged: Vec<Axis> = Vec::with_capacity(axes.len());
    for axis in axes {
        let goes_on = |near: &Axis| {
            let n = near.n as isize;
            near.from.checked_mul(n) == Some(axis.from) && near.to.checked_mul(n) == Some(axis.to)
        };
        match merged.last_mut().filter(|near| goes_on(near)) {
            Some(near) if near.n.checked_mul(axis.n).is_some() => near.n *= axis.n,
            _ => merged.push(axis),
        }
    }
    merged
}

/// Every place that the axes lead to.
fn each(axes: &[Axis], work: &mut dyn FnMut(isize, isize)) {
    match axes.split_last() {
        None => work(0, 0),
        Some((farthest, nearer)) => {
            for number in 0..farthest.n as isize {
                let (from, to) = (number * farthest.from, number * farthest.to);
                each(nearer, &mut |from_there, to_there| work(from + from_there, to + to_there));
            }
        }
    }
}

/// Copies lines of `length` elements, which lie `along` apart; a line begins `across` elements behind the one before. A few lines
/// at a time: more of them would push each other out of the cache, as their elements often lie a power of two apart.
unsafe fn load<E: Copy>(from: *const E, along: isize, across: isize, lines: &mut [E], length: usize) {
    if along == 1 {
        for (number, line) in lines.chunks_exact_mut(length).enumerate() {
            // SAFETY: the caller's promise; and nobody but us has the block.
            unsafe {
                from.wrapping_offset(number as isize * across).copy_to_nonoverlapping(line.as_mut_ptr(), length);
            }
        }
        return;
    }
    for (group, lines) in lines.chunks_mut(NEIGHBOURS * length).enumerate() {
        let first = from.wrapping_offset((group * NEIGHBOURS) as isize * across);
        for place in 0..length {
            let row = first.wrapping_offset(place as isize * along);
            for (number, line) in lines.chunks_exact_mut(length).enumerate() {
                // SAFETY: it is an element of the array that holds these lines, as `load` demands.
                line[place] = unsafe { row.wrapping_offset(number as isize * across).read() };
            }
        }
    }
}

/// The way back.
unsafe fn store<E: Copy>(lines: &[E], length: usize, to: *mut E, along: isize, across: isize) {
    if along == 1 {
        for (number, line) in lines.chunks_exact(length).enumerate() {
            // SAFETY: the caller's promise; and nobody but us has the block.
            unsafe { to.wrapping_offset(number as isize * across).copy_from_nonoverlapping(line.as_ptr(), length) };
        }
        return;
    }
    for (group, lines) in lines.chunks(NEIGHBOURS * length).enumerate() {
        let first = to.wrapping_offset((group * NEIGHBOURS) as isize * across);
        for place in 0..length {
            let row = first.wrapping_offset(place as isize * along);
            for (number, line) in lines.chunks_exact(length).enumerate() {
                // SAFETY: it is an element of the array that holds these lines, as `store` demands.
                unsafe { row.wrapping_offset(number as isize * across).write(line[place]) };
            }
        }
    }
}
