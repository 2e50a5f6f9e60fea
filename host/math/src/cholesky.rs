//! The Cholesky factorisation.

use crate::scalar::Scalar;
use crate::triangular::solve;
use crate::view::View;
use crate::{Diagonal, Mirror, Triangle, half, rank_k};

/// Rows up to which it is computed element by element.
const BLOCK: usize = 16;

/// Replaces a triangle of a Hermitian matrix by its factor: `a = l l*`, or `u* u` of the upper one. The error is the number,
/// from 1, of the first leading minor that is not positive; there it stops.
pub fn potrf<T: Scalar>(triangle: Triangle, a: View<T>) -> Result<(), usize> {
    assert!(a.rows() == a.columns(), "a square matrix");
    factor(if triangle == Triangle::Upper { a.adjoint() } else { a })
}

fn factor<T: Scalar>(a: View<T>) -> Result<(), usize> {
    let n = a.rows();
    if n <= BLOCK {
        return factor_small(a);
    }
    let (first, rest) = (half(n), n - half(n));
    let (top, left) = (a.part(0, 0, first, first), a.part(first, 0, rest, first));
    factor(top)?;
    // left = left (top*)⁻¹
    solve(top, Diagonal::Stored, left.adjoint());
    let bottom = a.part(first, first, rest, rest);
    rank_k(Mirror::Hermitian, Triangle::Lower, -T::ONE, left, T::ONE, bottom);
    factor(bottom).map_err(|at| first + at)
}

fn factor_small<T: Scalar>(a: View<T>) -> Result<(), usize> {
    for j in 0..a.rows() {
        let known = (0..j).fold(T::ZERO, |sum, k| sum + a.get(j, k) * a.get(j, k).conj());
        let square = a.get(j, j).re() - known.re();
        a.set(j, j, T::real(square));
        if square.is_nan() || square <= 0.0 {
            return Err(j + 1);
        }
        let root = a.get(j, j).root();
        a.set(j, j, root);
        for i in j + 1..a.rows() {
            let known = (0..j).fold(T::ZERO, |sum, k| sum + a.get(i, k) * a.get(j, k).conj());
            a.set(i, j, (a.get(i, j) - known).over(root));
        }
    }
    Ok(())
}
