//! Reading and writing the fields of a status (MPI-5.0 §3.2.5, §3.8.4).

use rankine_abi::Status;

use crate::error::Result;
use crate::rank::Rank;

/// `MPI_Test_cancelled`
pub fn test_cancelled(_: &Rank, status: Status) -> Result<bool> {
    Ok(status.cancelled())
}

/// `MPI_Status_set_cancelled`
pub fn status_set_cancelled(_: &Rank, mut status: Status, flag: bool) -> Result<Status> {
    status.set_cancelled(flag);
    Ok(status)
}

/// `MPI_Status_get_source`
pub fn status_get_source(_: &Rank, status: Status) -> Result<i32> {
    Ok(status.source)
}

/// `MPI_Status_get_tag`
pub fn status_get_tag(_: &Rank, status: Status) -> Result<i32> {
    Ok(status.tag)
}

/// `MPI_Status_get_error`
pub fn status_get_error(_: &Rank, status: Status) -> Result<i32> {
    Ok(status.error)
}

/// `MPI_Status_set_source`
pub fn status_set_source(_: &Rank, status: Status, source: i32) -> Result<Status> {
    Ok(Status { source, ..status })
}

/// `MPI_Status_set_tag`
pub fn status_set_tag(_: &Rank, status: Status, tag: i32) -> Result<Status> {
    Ok(Status { tag, ..status })
}

/// `MPI_Status_set_error`
pub fn status_set_error(_: &Rank, status: Status, error: i32) -> Result<Status> {
    Ok(Status { error, ..status })
}
