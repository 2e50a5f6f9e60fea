//! The partitions of a message.

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_NO_MEM};

use crate::error::{Error, Result};

/// So many may a message have.
pub const MOST: i32 = 1 << 16;

/// Refuses what is no number of partitions.
pub fn of_message(partitions: i32) -> Result<()> {
    if (1..=MOST).contains(&partitions) {
        return Ok(());
    }
    let class = if partitions < 1 { MPI_ERR_ARG } else { MPI_ERR_NO_MEM };
    Err(Error::new(class, format!("partitions is {partitions}, but a message has 1 to {MOST}")))
}

/// Refuses to mark a partition as ready twice.
pub fn marked_before(partition: i32) -> Error {
    Error::new(MPI_ERR_ARG, format!("partition {partition} was marked ready before"))
}
