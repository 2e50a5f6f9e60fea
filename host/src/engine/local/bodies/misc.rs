//! Functions that return a value and no error code.

use rankine_guest::Result;
use rankine_local::{Rank, init};

/// `MPI_Wtime`
pub(crate) fn wtime(r: &Rank) -> Result<f64> {
    Ok(init::wtime(r))
}

/// `MPI_Wtick`
pub(crate) fn wtick(r: &Rank) -> Result<f64> {
    Ok(init::wtick(r))
}

/// `MPI_Aint_add`
pub(crate) fn aint_add(_: &Rank, base: i32, disp: i32) -> Result<i32> {
    Ok(base.wrapping_add(disp))
}

/// `MPI_Aint_diff`
pub(crate) fn aint_diff(_: &Rank, addr1: i32, addr2: i32) -> Result<i32> {
    Ok(addr1.wrapping_sub(addr2))
}
