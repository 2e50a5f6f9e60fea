//! Triangles that are small enough to be solved and multiplied column by column, several columns side by side.

use crate::scalar::Scalar;
use crate::triangular::Diagonal;
use crate::view::View;

/// Rows of a small triangle.
pub(crate) const BLOCK: usize = 32;
/// Columns that are worked on at a time.
const LANES: usize = 16;

/// One row of the columns that are worked on.
type Row<T> = [T; LANES];

/// Runs a function compiled for the vectors that this machine has; its last generic argument says whether a multiplication
/// and an addition are one instruction.
macro_rules! for_this_machine {
    ($function:ident::<$t:ident>($($name:ident: $ty:ty),*) $(-> $result:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn wide<$t: Scalar>($($name: $ty),*) $(-> $result)? {
                $function::<$t, true>($($name),*)
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the machine has these instructions.
                unsafe { wide::<$t>($($name),*) }
            } else {
                $function::<$t, false>($($name),*)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            $function::<$t, { cfg!(target_arch = "aarch64") }>($($name),*)
        }
    }};
}
pub(crate) use for_this_machine;

/// A copy of a lower triangle, row by row; above the diagonal there is nothing.
struct Small<T> {
    rows: [[T; BLOCK]; BLOCK],
    n: usize,
    diagonal: Diagonal,
}

impl<T: Scalar> Small<T> {
    fn of(a: View<T>, diagonal: Diagonal) -> Small<T> {
        let mut rows = [[T::ZERO; BLOCK]; BLOCK];
        for (i, row) in rows.iter_mut().enumerate().take(a.rows()) {
            row[..i].iter_mut().enumerate().for_each(|(k, element)| *element = a.get(i, k));
            row[i] = if diagonal == Diagonal::Ones { T::ONE } else { a.get(i, i) };
        }
        Small { rows, n: a.rows(), diagonal }
    }

    /// Has a function work on all columns of `b`.
    fn on_columns(&self, b: View<T>, work: fn(&Small<T>, &mut [Row<T>])) {
        assert!(self.n == b.rows() && self.n <= BLOCK);
        let mut lanes = [[T::ZERO; LANES]; BLOCK];
        for first in (0..b.columns()).step_by(LANES) {
            let part = b.columns_from(first, LANES.min(b.columns() - first));
            let lanes = &mut lanes[..self.n];
            for (i, row) in lanes.iter_mut().enumerate() {
                row.iter_mut().take(part.columns()).enumerate().for_each(|(j, element)| *element = part.get(i, j));
            }
            work(self, lanes);
            for (i, row) in lanes.iter().enumerate() {
                row.iter().take(part.columns()).enumerate().for_each(|(j, element)| part.set(i, j, *element));
            }
        }
    }
}

/// `b = a⁻¹ b`, where `a` is a lower triangle.
// Its rows take some pages of stack: not once for each level of those who split triangles.
#[inline(never)]
pub(crate) fn solve<T: Scalar>(a: View<T>, diagonal: Diagonal, b: View<T>) {
    Small::of(a, diagonal)
        .on_columns(b, |small, lanes| for_this_machine!(solve_lanes::<T>(small: &Small<T>, lanes: &mut [Row<T>])));
}

/// `b = a b`, where `a` is a lower triangle.
// As many.
#[inline(never)]
pub(crate) fn multiply<T: Scalar>(a: View<T>, diagonal: Diagonal, b: View<T>) {
    Small::of(a, diagonal)
        .on_columns(b, |small, lanes| for_this_machine!(multiply_lanes::<T>(small: &Small<T>, lanes: &mut [Row<T>])));
}

#[inline(always)]
fn solve_lanes<T: Scalar, const FUSED: bool>(small: &Small<T>, lanes: &mut [Row<T>]) {
    for i in 0..lanes.len() {
        let (done, rest) = lanes.split_at_mut(i);
        let mut sum = rest[0];
        for (known, factor) in done.iter().zip(&small.rows[i]) {
            for (sum, known) in sum.iter_mut().zip(known) {
                *sum = known.times_plus::<FUSED>(-*factor, *sum);
            }
        }
        if small.diagonal == Diagonal::Stored {
            sum.iter_mut().for_each(|sum| *sum = sum.over(small.rows[i][i]));
        }
        rest[0] = sum;
    }
}

#[inline(always)]
fn multiply_lanes<T: Scalar, const FUSED: bool>(small: &Small<T>, lanes: &mut [Row<T>]) {
    for i in (0..lanes.len()).rev() {
        let mut sum = [T::ZERO; LANES];
        for (row, factor) in lanes[..=i].iter().zip(&small.rows[i]) {
            for (sum, element) in sum.iter_mut().zip(row) {
                *sum = element.times_plus::<FUSED>(*factor, *sum);
            }
        }
        lanes[i] = sum;
    }
}
