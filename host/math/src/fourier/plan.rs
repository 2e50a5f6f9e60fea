//! Plans: how a line of some length is transformed.

use std::sync::Arc;

use num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use super::lines::Line;

/// What is transformed to what.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Complex numbers to complex ones, with `e` to the power of `-2πi jk/n`.
    Forward,
    /// Complex numbers to complex ones, with `e` to the power of `2πi jk/n`.
    Backward,
    /// Real numbers to half a spectrum.
    FromReal,
    /// Half a spectrum to real numbers.
    ToReal,
}

impl Kind {
    /// What happens along all dimensions but the last.
    pub(super) fn of_other_dimensions(self) -> Kind {
        match self {
            Kind::Forward | Kind::FromReal => Kind::Forward,
            Kind::Backward | Kind::ToReal => Kind::Backward,
        }
    }
}

/// How lines of a length are transformed.
#[derive(Clone)]
pub enum Plan<T: FftNum> {
    /// [`Kind::Forward`] and [`Kind::Backward`].
    Complex(Arc<dyn Fft<T>>),
    /// [`Kind::FromReal`].
    FromReal(Arc<dyn RealToComplex<T>>),
    /// [`Kind::ToReal`].
    ToReal(Arc<dyn ComplexToReal<T>>),
}

/// The parts of the numbers that are transformed.
pub trait Part: FftNum {
    /// Makes a plan; this takes about as long as a few transforms.
    fn plan(kind: Kind, n: usize) -> Plan<Self>;
}

// All that transforms is compiled here, once, and not wherever a plan is made.
impl Part for f32 {
    #[inline(never)]
    fn plan(kind: Kind, n: usize) -> Plan<f32> {
        Plan::new(kind, n)
    }
}

impl Part for f64 {
    #[inline(never)]
    fn plan(kind: Kind, n: usize) -> Plan<f64> {
        Plan::new(kind, n)
    }
}

impl<T: FftNum> Plan<T> {
    fn new(kind: Kind, n: usize) -> Plan<T> {
        match kind {
            Kind::Forward => Plan::Complex(FftPlanner::new().plan_fft(n, FftDirection::Forward)),
            Kind::Backward => Plan::Complex(FftPlanner::new().plan_fft(n, FftDirection::Inverse)),
            Kind::FromReal => Plan::FromReal(RealFftPlanner::new().plan_fft_forward(n)),
            Kind::ToReal => Plan::ToReal(RealFftPlanner::new().plan_fft_inverse(n)),
        }
    }

    /// A bound of what such a plan takes of memory, also while it is made. The tables of all its steps add up to about a line; with
    /// large prime factors it has those of convolutions, which are up to three times as long.
    pub fn bytes(n: usize) -> usize {
        let lines = if rest_of(n, &[2, 3, 5, 7, 11, 13]) == 1 { 2 } else { 12 };
        n.saturating_mul(lines * size_of::<Complex<T>>()).saturating_add(64 << 10)
    }
}

/// What is left of a number without these factors.
fn rest_of(mut n: usize, factors: &[usize]) -> usize {
    for &factor in factors {
        while n > 1 && n.is_multiple_of(factor) {
            n /= factor;
        }
    }
    n
}

impl<T: FftNum> Line<T> for Arc<dyn Fft<T>> {
    type From = Complex<T>;
    type To = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.len(), self.len())
    }

    fn scratch(&self) -> usize {
        self.get_outofplace_scratch_len()
    }

    fn transform(&self, from: &mut [Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.process_outofplace_with_scratch(from, to, scratch);
    }
}

impl<T: FftNum> Line<T> for Arc<dyn RealToComplex<T>> {
    type From = T;
    type To = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.len(), self.complex_len())
    }

    fn scratch(&self) -> usize {
        self.get_scratch_len()
    }

    fn transform(&self, from: &mut [T], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let rows = from.chunks_exact_mut(self.len()).zip(to.chunks_exact_mut(self.complex_len()));
        for (from, to) in rows {
            self.process_with_scratch(from, to, scratch).expect("the lengths are the plan's");
        }
    }
}

impl<T: FftNum> Line<T> for Arc<dyn ComplexToReal<T>> {
    type From = Complex<T>;
    type To = T;

    fn lengths(&self) -> (usize, usize) {
        (self.complex_len(), self.len())
    }

    fn scratch(&self) -> usize {
        self.get_scratch_len()
    }

    fn transform(&self, from: &mut [Complex<T>], to: &mut [T], scratch: &mut [Complex<T>]) {
        let n = self.len();
        for (from, to) in from.chunks_exact_mut(self.complex_len()).zip(to.chunks_exact_mut(n)) {
            // Those of a real array are 0; what stands there counts for nothing.
            from[0].im = T::zero();
            if n.is_multiple_of(2) {
                from[n / 2].im = T::zero();
            }
            self.process_with_scratch(from, to, scratch).expect("the lengths are the plan's");
        }
    }
}
