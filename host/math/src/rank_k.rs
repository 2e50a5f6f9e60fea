//! Products of a matrix with itself, of which one triangle is computed: what BLAS calls `syrk`, `herk`, `syr2k` and `her2k`.

use crate::gemm::gemm;
use crate::scalar::Scalar;
use crate::view::View;
use crate::{Mirror, Triangle, half};

/// Rows up to which the whole square is computed for the sake of its triangle.
const BLOCK: usize = 48;

/// `c = alpha a a* + beta c`, where `a*` is `a` mirrored and of `c` there is this triangle. With Hermitian matrices `alpha`
/// and `beta` are real.
pub fn rank_k<T: Scalar>(mirror: Mirror, triangle: Triangle, alpha: T, a: View<T>, beta: T, c: View<T>) {
    let product = |rows: View<T>, columns: View<T>, beta, c| gemm(alpha, rows, mirror.of(columns), beta, c);
    update(mirror, beta, lower(mirror, triangle, c), &[a], &|rows, columns, beta, c| {
        product(rows[0], columns[0], beta, c);
    });
}

/// `c = alpha a b* + alpha* b a* + beta c`, as [`rank_k`]; `alpha*` is conjugated where matrices are Hermitian.
pub fn rank_2k<T: Scalar>(mirror: Mirror, triangle: Triangle, alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) {
    let mirrored = if mirror == Mirror::Hermitian { alpha.conj() } else { alpha };
    update(mirror, beta, lower(mirror, triangle, c), &[a, b], &|rows, columns, beta, c| {
        gemm(alpha, rows[0], mirror.of(columns[1]), beta, c);
        gemm(mirrored, rows[1], mirror.of(columns[0]), T::ONE, c);
    });
}

/// The same matrix, with its lower triangle stored.
fn lower<T: Scalar>(mirror: Mirror, triangle: Triangle, c: View<T>) -> View<T> {
    if triangle == Triangle::Upper { mirror.of(c) } else { c }
}

/// Computes a square of the result from the factors' rows that stand for its rows, and those for its columns.
type Product<'a, T> = dyn Fn(&[View<T>], &[View<T>], T, View<T>) + 'a;

/// The lower triangle of `c`, halved until it is small: then the square is computed beside it.
fn update<T: Scalar>(mirror: Mirror, beta: T, c: View<T>, factors: &[View<T>], product: &Product<'_, T>) {
    let n = c.rows();
    assert!(c.columns() == n && factors.iter().all(|factor| factor.rows() == n), "shapes of a product with itself");
    if n <= BLOCK {
        return update_small(mirror, beta, c, factors, product);
    }
    let (first, rest) = (half(n), n - half(n));
    let rows = |from, rows| factors.iter().map(|factor| factor.rows_from(from, rows)).collect::<Vec<_>>();
    let (top, bottom) = (rows(0, first), rows(first, rest));
    update(mirror, beta, c.part(0, 0, first, first), &top, product);
    update(mirror, beta, c.part(first, first, rest, rest), &bottom, product);
    product(&bottom, &top, beta, c.part(first, 0, rest, first));
}

fn update_small<T: Scalar>(mirror: Mirror, beta: T, c: View<T>, factors: &[View<T>], product: &Product<'_, T>) {
    let n = c.rows();
    let mut square = vec![T::ZERO; n * n];
    let square = View::of(&mut square, n);
    product(factors, factors, T::ZERO, square);
    for column in 0..n {
        for row in column..n {
            let before = if beta == T::ZERO { T::ZERO } else { beta * c.get(row, column) };
            let sum = square.get(row, column) + before;
            let is_real = row == column && mirror == Mirror::Hermitian;
            c.set(row, column, if is_real { T::real(sum.re()) } else { sum });
        }
    }
}
