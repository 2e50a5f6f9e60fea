//! The four kinds of numbers.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

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
    /// `self / divisor`. Nothing on the way to a complex quotient leaves the range of the numbers before it does.
    fn over(self, divisor: Self) -> Self;
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
            fn over(self, divisor: Self) -> Self {
                self / divisor
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
    ($real:ty, $bits:ty, $gemm:path) => {
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

            // Both are first scaled by the power of two, which is exact, that leaves the divisor's larger part between 1/4 and 1/2.
            #[inline(always)]
            fn over(self, divisor: Self) -> Self {
                const DIGITS: u32 = <$real>::MANTISSA_DIGITS - 1;
                const HALF: $bits = 2 * (<$real>::MAX_EXP as $bits - 1) - 2;
                let exponent = divisor.re.abs().max(divisor.im.abs()).to_bits() >> DIGITS;
                let scale = <$real>::from_bits(HALF.saturating_sub(exponent).max(1) << DIGITS);
                let (a, b) = (self.scale(scale), divisor.scale(scale));
                let square = b.re * b.re + b.im * b.im;
                Complex::new((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square)
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

complex!(f32, u32, matrixmultiply::cgemm);
complex!(f64, u64, matrixmultiply::zgemm);

#[cfg(test)]
mod tests {
    use super::*;

    /// (3 + 4i) (1 + 2i) = -5 + 10i, at every scale that has room for it.
    macro_rules! quotients {
        ($name:ident, $real:ty, $exponents:expr) => {
            #[test]
            fn $name() {
                for exponent in $exponents {
                    // In two steps, as the smallest scales are no normal numbers.
                    let scale = (2.0 as $real).powi(exponent / 2) * (2.0 as $real).powi(exponent - exponent / 2);
                    let number = |re: $real, im: $real| Complex::new(re * scale, im * scale);
                    for (divisor, dividend) in
                        [((3.0, 4.0), (-5.0, 10.0)), ((4.0, 0.0), (4.0, 8.0)), ((0.0, 2.0), (-4.0, 2.0))]
                    {
                        let quotient = number(dividend.0, dividend.1).over(number(divisor.0, divisor.1));
                        let error = (quotient.re - 1.0).abs().max((quotient.im - 2.0).abs());
                        assert!(error <= 4.0 * <$real>::EPSILON, "2^{exponent}: {quotient}");
                    }
                }
            }
        };
    }
    quotients!(single_quotients, f32, -149..=123);
    quotients!(double_quotients, f64, -1074..=1019);
}
