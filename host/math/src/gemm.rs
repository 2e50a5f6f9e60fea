//! Products of matrices.

use crate::scalar::Scalar;
use crate::view::View;

/// Rows and columns of what is copied because it is to be conjugated.
const BLOCK: usize = 256;

/// `c = alpha a b + beta c`. What is multiplied by 0 is not read.
pub fn gemm<T: Scalar>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) {
    assert!(a.rows() == c.rows() && b.columns() == c.columns() && a.columns() == b.rows(), "shapes of a product");
    if c.rows() == 0 || c.columns() == 0 {
        return;
    }
    if alpha == T::ZERO || a.columns() == 0 {
        return c.scale(beta);
    }
    if c.is_conjugated() {
        return gemm(alpha.conj(), a.conjugated(), b.conjugated(), beta.conj(), c.conjugated());
    }
    if a.is_conjugated() {
        return conjugated(alpha, a, b, beta, c);
    }
    if b.is_conjugated() {
        return conjugated(alpha, b.transposed(), a.transposed(), beta, c.transposed());
    }
    let (a, b, c) = upright(a, b, c);
    // SAFETY: the shapes fit. What a view promises is promised of all its parts and turns.
    unsafe { T::product(alpha, a, b, beta, c) }
}

/// The same product, turned so that the result is written in the order of its elements: that is what kernels are for.
fn upright<T: Scalar>(mut a: View<T>, mut b: View<T>, mut c: View<T>) -> (View<T>, View<T>, View<T>) {
    let (_, down, across) = c.strides();
    if down < 0 {
        (a, c) = (a.upside_down(), c.upside_down());
    }
    if across < 0 {
        (b, c) = (b.transposed().upside_down().transposed(), c.transposed().upside_down().transposed());
    }
    match down.abs() > across.abs() {
        true => (b.transposed(), a.transposed(), c.transposed()),
        false => (a, b, c),
    }
}

/// A product whose first factor is conjugated, which the kernels can't do: it is copied block by block.
fn conjugated<T: Scalar>(alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) {
    for inner in (0..a.columns()).step_by(BLOCK) {
        let depth = BLOCK.min(a.columns() - inner);
        let beta = if inner == 0 { beta } else { T::ONE };
        for row in (0..a.rows()).step_by(BLOCK) {
            let rows = BLOCK.min(a.rows() - row);
            let mut copy = a.part(row, inner, rows, depth).to_vec();
            gemm(alpha, View::of(&mut copy, rows), b.rows_from(inner, depth), beta, c.rows_from(row, rows));
        }
    }
}
