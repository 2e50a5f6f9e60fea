//! The four kinds of numbers.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use matrixmultiply::CGemmOption::Standard;
use num_complex::Complex;

use crate::view::View;

/// A number: real or complex, of single or double precision.
pub trait Scalar:
    Copy
    + Debug
    + PartialEq
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Whether conjugating changes anything.
    const IS_COMPLEX: bool;

    /// A real number.
    fn real(value: f64) -> Self;
    /// Its real part.
    fn re(self) -> f64;
    /// The conjugated number.
    fn conj(self) -> Self;
    /// What LAPACK takes for its size: the sum of the parts' absolute values.
    fn size(self) -> f64;
    /// The square root of the real part.
    fn root(self) -> Self;
    /// `self * factor + sum`, by one instruction where that is one.
    fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self;

    /// `c = alpha a b + beta c`, where nothing is conjugated; `c` is not read if `beta` is 0.
    ///
    /// # Safety
    /// The shapes fit, and the views are still what was promised when they were made.
    unsafe fn product(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>);
}

macro_rules! real {
    ($real:ty, $gemm:path) => {
        impl Scalar for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const IS_COMPLEX: bool = false;

            fn real(value: f64) -> Self {
                value as $real
            }

            fn re(self) -> f64 {
                self.into()
            }

            fn conj(self) -> Self {
                self
            }

            #[inline(always)]
            fn size(self) -> f64 {
                self.abs().into()
            }

            fn root(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
                if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
            }

            unsafe fn product(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
                let ([a, b, c], [m, k, n]) = ([a, b, c].map(View::strides), [a.rows(), a.columns(), b.columns()]);
                // SAFETY: the views' dimensions and strides lie in their matrices, as `product` demands.
                unsafe { $gemm(m, k, n, alpha, a.0, a.1, a.2, b.0, b.1, b.2, beta, c.0, c.1, c.2) }
            }
        }
    };
}

real!(f32, matrixmultiply::sgemm);
real!(f64, matrixmultiply::dgemm);

macro_rules! complex {
    ($real:ty, $gemm:path) => {
        impl Scalar for Complex<$real> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);
            const IS_COMPLEX: bool = true;

            fn real(value: f64) -> Self {
                Complex::new(value as $real, 0.0)
            }

            fn re(self) -> f64 {
                self.re.into()
            }

            fn conj(self) -> Self {
                Complex::new(self.re, -self.im)
            }

            #[inline(always)]
            fn size(self) -> f64 {
                (self.re.abs() + self.im.abs()).into()
            }

            fn root(self) -> Self {
                Complex::new(self.re.sqrt(), 0.0)
            }

            #[inline(always)]
            fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
                let re = self.im.times_plus::<FUSED>(-factor.im, self.re.times_plus::<FUSED>(factor.re, sum.re));
                let im = self.im.times_plus::<FUSED>(factor.re, self.re.times_plus::<FUSED>(factor.im, sum.im));
                Complex::new(re, im)
            }

            unsafe fn product(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
                let ([a, b, c], [m, k, n]) = ([a, b, c].map(View::strides), [a.rows(), a.columns(), b.columns()]);
                // `Complex` has the layout of two numbers.
                let ([a0, b0, c0], [alpha, beta]) =
                    ([a.0, b.0, c.0].map(<*mut Self>::cast), [[alpha.re, alpha.im], [beta.re, beta.im]]);
                // SAFETY: the views' dimensions and strides lie in their matrices, as `product` demands.
                unsafe { $gemm(Standard, Standard, m, k, n, alpha, a0, a.1, a.2, b0, b.1, b.2, beta, c0, c.1, c.2) }
            }
        }
    };
}

complex!(f32, matrixmultiply::cgemm);
complex!(f64, matrixmultiply::zgemm);
