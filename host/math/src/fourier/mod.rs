//! Fourier transforms of many arrays at once, in one or several dimensions, on memory of others.
//!
//! A transform goes along one dimension after another. Of each, some lines at a time are copied into a block that is the
//! host's own and small enough for a cache, transformed there by the crates `rustfft` and `realfft`, and copied to where
//! they belong. So every dimension is as fast as a row, and others may look at the memory meanwhile.
//!
//! A real array has only half a spectrum: `n / 2 + 1` numbers of the last dimension.

mod lines;
mod plan;

pub use num_complex::Complex;
use rustfft::FftNum;

use lines::Lines;
pub use plan::{Kind, Part, Plan};

/// A dimension: how many elements, and how far apart two neighbours lie in the input and in the output, in elements.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many.
    pub n: usize,
    /// Elements from one to the next in the input.
    pub from: isize,
    /// Elements from one to the next in the output.
    pub to: isize,
}

impl Axis {
    /// With what is output for input too.
    fn of_output(self) -> Axis {
        Axis { from: self.to, ..self }
    }

    /// With what is input for output too.
    fn of_input(self) -> Axis {
        Axis { to: self.from, ..self }
    }
}

/// What is transformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The dimensions of one array; lengths are those of the real array, where one is real. There is at least one.
    pub dimensions: Vec<Axis>,
    /// Where the arrays lie.
    pub many: Vec<Axis>,
}

impl Shape {
    /// The plans that it takes, in the order of the dimensions.
    pub fn plans(&self, kind: Kind) -> impl Iterator<Item = (Kind, usize)> {
        let last = self.dimensions.len() - 1;
        let kind_of = move |number| if number == last { kind } else { kind.of_other_dimensions() };
        self.dimensions.iter().enumerate().map(move |(number, axis)| (kind_of(number), axis.n))
    }
    /// The lines along one dimension after another, with its number.
    fn passes(&self, kind: Kind) -> Vec<(usize, Lines)> {
        let (last, mut stored) = (self.dimensions.len() - 1, self.dimensions.clone());
        if matches!(kind, Kind::FromReal | Kind::ToReal) {
            stored[last].n = stored[last].n / 2 + 1;
        }
        let others = |but| {
            let others = stored.iter().enumerate().filter(move |(number, _)| *number != but).map(|(_, axis)| *axis);
            others.chain(self.many.iter().copied())
        };
        let along_last = (last, Lines::new(self.dimensions[last], others(last)));
        let in_place = if kind == Kind::ToReal { Axis::of_input } else { Axis::of_output };
        let along = |number: usize| (number, Lines::new(in_place(stored[number]), others(number).map(in_place)));
        match kind {
            Kind::ToReal => (0..last).map(along).chain([along_last]).collect(),
            _ => [along_last].into_iter().chain((0..last).rev().map(along)).collect(),
        }
    }
}

/// A bound of the memory that a transform takes while it runs.
pub fn room<T: FftNum>(plans: &[Plan<T>], shape: &Shape, kind: Kind) -> usize {
    let room = |(number, lines): (usize, Lines)| match &plans[number] {
        Plan::Complex(line) => lines.room(line),
        Plan::FromReal(line) => lines.room(line),
        Plan::ToReal(line) => lines.room(line),
    };
    shape.passes(kind).into_iter().map(room).max().unwrap_or(0)
}

/// A transform. It is not divided by anything; `plans` are those of [`Shape::plans`]. `from` and `to` point to numbers of the
/// kind's. With half spectra of several dimensions for input, that is overwritten.
///
/// # Safety
/// While it runs, all elements of the input can be read, and those of the output be read and written; with
/// [`Kind::ToReal`] those of the input be written too. All are aligned. Other threads may write them. Where input and output
/// overlap, only the numbers are wrong, unless each line is read and written at one place.
pub unsafe fn transform<T: FftNum>(plans: &[Plan<T>], shape: &Shape, kind: Kind, from: *mut u8, to: *mut u8) {
    let last = shape.dimensions.len() - 1;
    let between = if kind == Kind::ToReal { from } else { to };
    for (number, lines) in shape.passes(kind) {
        let (from, to) = if number == last { (from, to) } else { (between, between) };
        // SAFETY: the caller's promise; between the passes along the last dimension and along the others stand complex
        // numbers.
        unsafe {
            match &plans[number] {
                Plan::Complex(line) => lines.transform(line, from.cast(), to.cast()),
                Plan::FromReal(line) => lines.transform(line, from.cast(), to.cast()),
                Plan::ToReal(line) => lines.transform(line, from.cast(), to.cast()),
            }
        }
    }
}
