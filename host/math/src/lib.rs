//! Mathematics at the machine's full vector width, on matrices that lie in somebody else's memory.
//!
//! The caller has proved that every element lies where it may be read and written ([`View::new`]); nothing here knows
//! of guests. BLAS 3 and the factorisations are written once, for the lower triangle and the left side: a [`View`] can be
//! transposed, conjugated and turned upside down, which makes the other cases of them. All work goes to matrix products,
//! which are the crate `matrixmultiply`'s; it chooses instructions when it runs. So do those of [`fourier`] transforms.
//!
//! No element decides where something is read or written, and no slice is made of a view: matrices that overlap, or that
//! other threads write meanwhile, give wrong numbers and nothing else. Read `view.rs` first, then `gemm.rs` and
//! `triangular.rs`, on which the factorisations stand, or `fourier.rs`.

mod cholesky;
pub mod fourier;
mod gemm;
mod lu;
mod rank_k;
mod scalar;
mod small;
mod symm;
mod triangular;
mod view;

pub use cholesky::potrf;
pub use gemm::gemm;
pub use lu::getrf;
pub use rank_k::{rank_2k, rank_k};
pub use scalar::Scalar;
pub use symm::symm;
pub use triangular::{Diagonal, trmm, trsm};
pub use view::View;

pub use num_complex::{Complex32, Complex64};

/// What makes the other triangle of a matrix of which one is stored, and so what a product with itself is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mirror {
    /// The elements are the same.
    Symmetric,
    /// They are conjugated, and the diagonal is real.
    Hermitian,
}

impl Mirror {
    /// The matrix on the other side of the diagonal.
    fn of<T: Scalar>(self, view: View<T>) -> View<T> {
        match self {
            Mirror::Symmetric => view.transposed(),
            Mirror::Hermitian => view.adjoint(),
        }
    }
}

/// The triangle of a matrix that counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and what is above it.
    Upper,
    /// The diagonal and what is below it.
    Lower,
}

impl Triangle {
    /// The other one: that of the transposed matrix.
    pub fn other(self) -> Triangle {
        match self {
            Triangle::Upper => Triangle::Lower,
            Triangle::Lower => Triangle::Upper,
        }
    }
}

/// Where something of `n` is halved, so that the parts are made of whole blocks.
fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(16).min(n - 1)
}
