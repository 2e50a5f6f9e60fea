//! Every routine beside the formula that it stands for, element by element, over drawn shapes, strides and cases.

mod plain;

use plain::{Matrix, Random, op};
use proptest::prelude::*;
use rankine_math::{Complex32, Complex64, Diagonal, Mirror, Scalar, Triangle, View};
use rankine_math::{gemm, getrf, potrf, rank_2k, rank_k, symm, trmm, trsm};

/// A side of a matrix: small ones, and some beyond the blocks.
fn side() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..6, 6usize..40, 40usize..140]
}

/// Runs a check with all kinds of numbers. The drawn seed makes the elements.
macro_rules! of_all_kinds {
    ($check:ident, $($argument:expr),*) => {{
        $check::<f32>($($argument),*);
        $check::<f64>($($argument),*);
        $check::<Complex32>($($argument),*);
        $check::<Complex64>($($argument),*);
    }};
}

fn factors<T: Random>(seed: u64, kind: u8) -> (T, T) {
    let mut draw = plain::Draw(seed ^ 0x5eed);
    let drawn = (T::random(&mut draw), T::random(&mut draw));
    match kind % 4 {
        0 => (T::ONE, T::ZERO),
        1 => (T::ZERO, drawn.1),
        2 => (drawn.0, T::ONE),
        _ => drawn,
    }
}

/// The three forms in which BLAS takes a matrix.
fn turned<T: Scalar>(view: View<T>, form: u8) -> View<T> {
    match form % 3 {
        0 => view,
        1 => view.transposed(),
        _ => view.adjoint(),
    }
}

fn triangle(is_upper: bool) -> Triangle {
    if is_upper { Triangle::Upper } else { Triangle::Lower }
}

fn check_gemm<T: Random>(seed: u64, [m, n, k]: [usize; 3], forms: [u8; 2], kind: u8) {
    let (alpha, beta) = factors::<T>(seed, kind);
    let shape = |form: u8, rows, columns| if form.is_multiple_of(3) { (rows, columns) } else { (columns, rows) };
    let mut a = Matrix::<T>::random(seed, shape(forms[0], m, k));
    let mut b = Matrix::<T>::random(seed + 1, shape(forms[1], k, n));
    let mut c = Matrix::<T>::random(seed + 2, (m, n));
    let product = op(&a, forms[0]).times(&op(&b, forms[1]));
    let expected = product.scaled(alpha).plus(&c.scaled(beta));
    if beta == T::ZERO {
        c.fill_with_nan();
    }
    gemm(alpha, turned(a.view(), forms[0]), turned(b.view(), forms[1]), beta, c.view());
    c.is_near(&expected, k);
}

fn check_symm<T: Random>(seed: u64, [m, n]: [usize; 2], is_right: bool, is_upper: bool, is_hermitian: bool, kind: u8) {
    let (alpha, beta) = factors::<T>(seed, kind);
    let mirror = if is_hermitian { Mirror::Hermitian } else { Mirror::Symmetric };
    let order = if is_right { n } else { m };
    let mut a = Matrix::<T>::random(seed, (order, order));
    let whole = a.mirrored(triangle(is_upper), is_hermitian);
    let mut b = Matrix::<T>::random(seed + 1, (m, n));
    let mut c = Matrix::<T>::random(seed + 2, (m, n));
    let product = if is_right { b.times(&whole) } else { whole.times(&b) };
    let expected = product.scaled(alpha).plus(&c.scaled(beta));
    let triangle = triangle(is_upper);
    match is_right {
        false => symm(mirror, triangle, alpha, a.view(), b.view(), beta, c.view()),
        true => {
            let [a, b, c] = [a.view(), b.view(), c.view()].map(View::transposed);
            symm(mirror, triangle.other(), alpha, a, b, beta, c);
        }
    }
    c.is_near(&expected, order);
}

fn check_rank_k<T: Random>(seed: u64, [n, k]: [usize; 2], two: bool, is_upper: bool, is_hermitian: bool, kind: u8) {
    let (mut alpha, mut beta) = factors::<T>(seed, kind);
    let mirror = if is_hermitian { Mirror::Hermitian } else { Mirror::Symmetric };
    if is_hermitian {
        beta = T::real(beta.re());
        alpha = if two { alpha } else { T::real(alpha.re()) };
    }
    let mut a = Matrix::<T>::random(seed, (n, k));
    let mut b = Matrix::<T>::random(seed + 1, (n, k));
    let mut c = Matrix::<T>::random(seed + 2, (n, n));
    if is_hermitian {
        c = c.with_real_diagonal();
    }
    let form = if is_hermitian { 2 } else { 1 };
    let mirrored = if is_hermitian { alpha.conj() } else { alpha };
    let product = match two {
        false => a.times(&op(&a, form)).scaled(alpha),
        true => a.times(&op(&b, form)).scaled(alpha).plus(&b.times(&op(&a, form)).scaled(mirrored)),
    };
    let expected = product.plus(&c.scaled(beta)).in_triangle(triangle(is_upper), &c);
    match two {
        false => rank_k(mirror, triangle(is_upper), alpha, a.view(), beta, c.view()),
        true => rank_2k(mirror, triangle(is_upper), alpha, a.view(), b.view(), beta, c.view()),
    }
    c.is_near(&expected, 2 * k);
}

/// Both functions of triangles: what one multiplies, the other divides.
fn check_triangles<T: Random>(seed: u64, [m, n]: [usize; 2], is_right: bool, form: u8, is_upper: bool, unit: bool) {
    let (alpha, _) = factors::<T>(seed, 3);
    let order = if is_right { n } else { m };
    let mut a =
        Matrix::<T>::random(seed, (order, order)).scaled(T::real(0.5 / (1.0 + order as f64))).plus_identity(1.0);
    let whole = op(&a.only(triangle(is_upper), unit), form);
    let mut b = Matrix::<T>::random(seed + 1, (m, n));
    let before = b.clone();
    let product = if is_right { b.times(&whole) } else { whole.times(&b) };
    let expected = product.scaled(alpha);
    let diagonal = if unit { Diagonal::Ones } else { Diagonal::Stored };
    let mut side = turned(a.view(), form);
    let mut triangle = triangle(is_upper ^ !form.is_multiple_of(3));
    let mut result = b.view();
    if is_right {
        (side, triangle, result) = (side.transposed(), triangle.other(), result.transposed());
    }
    trmm(triangle, diagonal, alpha, side, result);
    b.is_near(&expected, order);
    trsm(triangle, diagonal, T::ONE.over(alpha), side, result);
    b.is_near(&before, 4 * order);
}

fn check_potrf<T: Random>(seed: u64, n: usize, is_upper: bool) {
    let half = Matrix::<T>::random(seed, (n, n));
    let whole = half.times(&op(&half, 2)).plus_identity(n as f64);
    let mut a = whole.clone();
    potrf(triangle(is_upper), a.view()).unwrap();
    let factor = a.only(triangle(is_upper), false);
    let product = if is_upper { op(&factor, 2).times(&factor) } else { factor.times(&op(&factor, 2)) };
    product.is_near(&whole, 2 * n * (n + 1));
    let expected = a.in_triangle(triangle(is_upper), &whole);
    a.is_near(&expected, 0);
}

fn check_getrf<T: Random>(seed: u64, [m, n]: [usize; 2]) {
    let whole = Matrix::<T>::random(seed, (m, n));
    let mut a = whole.clone();
    let mut pivots = vec![0; m.min(n)];
    getrf(a.view(), &mut pivots).unwrap();
    let lower = a.part(m, m.min(n)).only(Triangle::Lower, true);
    let upper = a.part(m.min(n), n).only(Triangle::Upper, false);
    assert!(lower.elements().all(|element| element.size() <= 2.001), "the largest element is the pivot");
    let mut exchanged = whole;
    pivots.iter().enumerate().for_each(|(row, &pivot)| exchanged.exchange(row, pivot));
    lower.times(&upper).is_near(&exchanged, 4 * n);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn products(seed in 0u64..1 << 40, shape in [side(), side(), side()], forms in [0u8..3, 0u8..3], kind in 0u8..4) {
        of_all_kinds!(check_gemm, seed, shape, forms, kind);
    }

    #[test]
    fn products_with_symmetric_matrices(
        seed in 0u64..1 << 40, shape in [side(), side()], right: bool, upper: bool, hermitian: bool, kind in 0u8..4,
    ) {
        of_all_kinds!(check_symm, seed, shape, right, upper, hermitian, kind);
    }

    #[test]
    fn products_with_themselves(
        seed in 0u64..1 << 40, shape in [side(), side()], two: bool, upper: bool, hermitian: bool, kind in 0u8..4,
    ) {
        of_all_kinds!(check_rank_k, seed, shape, two, upper, hermitian, kind);
    }

    #[test]
    fn triangles(
        seed in 0u64..1 << 40, shape in [side(), side()], right: bool, form in 0u8..3, upper: bool, unit: bool,
    ) {
        of_all_kinds!(check_triangles, seed, shape, right, form, upper, unit);
    }

    #[test]
    fn cholesky(seed in 0u64..1 << 40, n in side(), upper: bool) {
        of_all_kinds!(check_potrf, seed, n, upper);
    }

    #[test]
    fn lu(seed in 0u64..1 << 40, shape in [side(), side()]) {
        of_all_kinds!(check_getrf, seed, shape);
    }
}

#[test]
fn blocks_beyond_those_of_the_kernels() {
    of_all_kinds!(check_gemm, 1, [300, 270, 290], [2, 2], 3);
    of_all_kinds!(check_symm, 2, [530, 20], false, true, true, 3);
    of_all_kinds!(check_getrf, 3, [300, 280]);
    of_all_kinds!(check_potrf, 4, 300, true);
}

#[test]
fn what_has_no_factors_says_where() {
    let mut a = Matrix::<f64>::random(7, (40, 40));
    a.set_column(21, 0.0);
    assert_eq!(getrf(a.view(), &mut [0; 40]), Err(22));
    let half = Matrix::<f64>::random(8, (40, 40));
    let mut a = half.times(&op(&half, 1)).plus_identity(40.0);
    a.view().set(29, 29, -1.0);
    assert_eq!(potrf(Triangle::Lower, a.view()), Err(30));
    let mut a = Matrix::<f64>::random(9, (40, 40));
    a.view().set(0, 0, f64::NAN);
    assert_eq!(potrf(Triangle::Upper, a.view()), Err(1));
}

#[test]
fn matrices_that_overlap_are_only_wrong() {
    let mut a = Matrix::<f64>::random(10, (100, 100));
    let view = a.view();
    gemm(1.0, view, view.transposed(), 0.5, view);
    trsm(Triangle::Lower, Diagonal::Stored, 1.0, view, view);
    symm(Mirror::Symmetric, Triangle::Upper, 1.0, view, view, 1.0, view);
}
