//! Products with triangles, and with their inverses.

use crate::gemm::gemm;
use crate::scalar::Scalar;
use crate::small;
use crate::view::View;
use crate::{Triangle, half};

/// What is on the diagonal of a triangle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Diagonal {
    /// Its elements.
    Stored,
    /// Ones, whatever is stored.
    Ones,
}

/// `b = alpha a b`, where `a` is a triangle. From the other side it is the product of the transposed matrices.
pub fn trmm<T: Scalar>(triangle: Triangle, diagonal: Diagonal, alpha: T, a: View<T>, b: View<T>) {
    let (a, b) = lower(triangle, a, b);
    b.scale(alpha);
    if alpha != T::ZERO && b.columns() > 0 {
        multiply(a, diagonal, b);
    }
}

/// `b = alpha a⁻¹ b`, as [`trmm`].
pub fn trsm<T: Scalar>(triangle: Triangle, diagonal: Diagonal, alpha: T, a: View<T>, b: View<T>) {
    let (a, b) = lower(triangle, a, b);
    b.scale(alpha);
    if alpha != T::ZERO && b.columns() > 0 {
        solve(a, diagonal, b);
    }
}

/// The same two matrices so that the triangle is a lower one.
fn lower<T: Scalar>(triangle: Triangle, a: View<T>, b: View<T>) -> (View<T>, View<T>) {
    assert!(a.rows() == a.columns() && a.rows() == b.rows(), "shapes of a triangle and a matrix");
    if triangle == Triangle::Upper { (a.reversed(), b.upside_down()) } else { (a, b) }
}

fn multiply<T: Scalar>(a: View<T>, diagonal: Diagonal, b: View<T>) {
    let n = a.rows();
    if n <= small::BLOCK {
        return small::multiply(a, diagonal, b);
    }
    let (first, rest) = (half(n), n - half(n));
    let (top, bottom) = (b.rows_from(0, first), b.rows_from(first, rest));
    multiply(a.part(first, first, rest, rest), diagonal, bottom);
    gemm(T::ONE, a.part(first, 0, rest, first), top, T::ONE, bottom);
    multiply(a.part(0, 0, first, first), diagonal, top);
}

pub(crate) fn solve<T: Scalar>(a: View<T>, diagonal: Diagonal, b: View<T>) {
    let n = a.rows();
    if n <= small::BLOCK {
        return small::solve(a, diagonal, b);
    }
    let (first, rest) = (half(n), n - half(n));
    let (top, bottom) = (b.rows_from(0, first), b.rows_from(first, rest));
    solve(a.part(0, 0, first, first), diagonal, top);
    gemm(-T::ONE, a.part(first, 0, rest, first), top, T::ONE, bottom);
    solve(a.part(first, first, rest, rest), diagonal, bottom);
}
