//! Products with a symmetric or Hermitian matrix, of which one triangle is stored.

use crate::gemm::gemm;
use crate::scalar::Scalar;
use crate::view::View;
use crate::{Mirror, Triangle};

/// Rows and columns of a block on the diagonal.
const BLOCK: usize = 256;

/// `c = alpha a b + beta c`, where of `a` only this triangle is read. The product from the other side is that of the
/// transposed matrices.
pub fn symm<T: Scalar>(mirror: Mirror, triangle: Triangle, alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) {
    assert!(a.rows() == a.columns() && a.rows() == b.rows(), "shapes of a product");
    // What is above the diagonal is what is below it, mirrored.
    let a = if triangle == Triangle::Upper { mirror.of(a) } else { a };
    c.scale(beta);
    if alpha == T::ZERO {
        return;
    }
    let n = a.rows();
    for row in (0..n).step_by(BLOCK) {
        let rows = BLOCK.min(n - row);
        let (left, b_here, c_here) = (a.part(row, 0, rows, row), b.rows_from(row, rows), c.rows_from(row, rows));
        gemm(alpha, left, b.rows_from(0, row), T::ONE, c_here);
        gemm(alpha, mirror.of(left), b_here, T::ONE, c.rows_from(0, row));
        let mut block = whole(mirror, a.part(row, row, rows, rows));
        gemm(alpha, View::of(&mut block, rows), b_here, T::ONE, c_here);
    }
}

/// A copy of the matrix whose lower triangle is stored.
fn whole<T: Scalar>(mirror: Mirror, a: View<T>) -> Vec<T> {
    let n = a.rows();
    let mut block = vec![T::ZERO; n * n];
    let copy = View::of(&mut block, n);
    for column in 0..n {
        let middle = a.get(column, column);
        copy.set(column, column, if mirror == Mirror::Hermitian { T::real(middle.re()) } else { middle });
        for row in column + 1..n {
            copy.set(row, column, a.get(row, column));
            mirror.of(copy).set(row, column, a.get(row, column));
        }
    }
    block
}
