//! The LU factorisation with row exchanges, by halves of the columns (Toledo, "Locality of reference in LU decomposition with
//! partial pivoting", 1997; Gustavson, 1997).

use crate::gemm::gemm;
use crate::half;
use crate::scalar::Scalar;
use crate::small::for_this_machine;
use crate::triangular::{Diagonal, solve};
use crate::view::View;

/// Columns that are eliminated one by one.
const PANEL: usize = 8;

/// Replaces a matrix by its factors, `p a = l u`, where `l` has ones on its diagonal. `pivots` are the rows, from 0, that each
/// row was exchanged with, one after another. The error is the number, from 1, of the first pivot that is 0; all else is done.
pub fn getrf<T: Scalar>(a: View<T>, pivots: &mut [usize]) -> Result<(), usize> {
    assert_eq!(pivots.len(), a.rows().min(a.columns()), "a pivot for each column that has one");
    match factor(a, pivots) {
        None => Ok(()),
        Some(first) => Err(first + 1),
    }
}

/// The first column without a pivot.
fn factor<T: Scalar>(a: View<T>, pivots: &mut [usize]) -> Option<usize> {
    let most = pivots.len();
    if a.columns() <= PANEL {
        return factor_panel(a, pivots);
    }
    let left = halved(most).min(a.columns() - 1);
    let (rest, below) = (a.columns() - left, a.rows() - left.min(a.rows()));
    let (pivots_left, pivots_right) = pivots.split_at_mut(left.min(most));
    let without = factor(a.columns_from(0, left), pivots_left);
    let right = a.columns_from(left, rest);
    exchange(right, pivots_left);
    let corner = a.part(0, 0, left, left);
    solve(corner, Diagonal::Ones, right.rows_from(0, left));
    if below == 0 {
        return without;
    }
    let bottom = right.rows_from(left, below);
    gemm(-T::ONE, a.part(left, 0, below, left), right.rows_from(0, left), T::ONE, bottom);
    let without_right = factor(bottom, pivots_right);
    exchange(a.part(left, 0, below, left), pivots_right);
    pivots_right.iter_mut().for_each(|pivot| *pivot += left);
    without.or(without_right.map(|column| column + left))
}

/// Where the columns are halved: so that panels are whole.
fn halved(pivots: usize) -> usize {
    if pivots > 64 { half(pivots) } else { (pivots / 2).max(1).next_multiple_of(PANEL).min(pivots) }
}

/// Exchanges rows as the pivots say.
fn exchange<T: Scalar>(a: View<T>, pivots: &[usize]) {
    for column in 0..a.columns() {
        for (row, &pivot) in pivots.iter().enumerate().filter(|(row, pivot)| row != *pivot) {
            let (one, other) = (a.get(row, column), a.get(pivot, column));
            a.set(row, column, other);
            a.set(pivot, column, one);
        }
    }
}

/// Copies a panel, row by row, and eliminates its columns there.
fn factor_panel<T: Scalar>(a: View<T>, pivots: &mut [usize]) -> Option<usize> {
    let mut rows = vec![[T::ZERO; PANEL]; a.rows()];
    for column in 0..a.columns() {
        rows.iter_mut().enumerate().for_each(|(i, row)| row[column] = a.get(i, column));
    }
    let panel = rows.as_mut_slice();
    let without = for_this_machine!(eliminate::<T>(panel: &mut [[T; PANEL]], pivots: &mut [usize]) -> Option<usize>);
    for column in 0..a.columns() {
        rows.iter().enumerate().for_each(|(i, row)| a.set(i, column, row[column]));
    }
    without
}

#[inline(always)]
fn eliminate<T: Scalar, const FUSED: bool>(rows: &mut [[T; PANEL]], pivots: &mut [usize]) -> Option<usize> {
    let mut without = None;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let largest = rows.iter().enumerate().skip(k + 1);
        let start = (k, rows[k][k].size());
        let (at, size) =
            largest.fold(start, |best, (i, row)| if row[k].size() > best.1 { (i, row[k].size()) } else { best });
        *pivot = at;
        if size == 0.0 {
            without = without.or(Some(k));
            continue;
        }
        rows.swap(k, at);
        let (above, below) = rows.split_at_mut(k + 1);
        let upper = above[k];
        for row in below {
            let factor = row[k].over(upper[k]);
            let mut changed = *row;
            for (element, upper) in changed.iter_mut().zip(&upper) {
                *element = upper.times_plus::<FUSED>(-factor, *element);
            }
            changed[..k].copy_from_slice(&row[..k]);
            changed[k] = factor;
            *row = changed;
        }
    }
    without
}
