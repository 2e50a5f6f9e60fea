//! Tags of messages.

use rankine_abi::{MPI_ANY_TAG, MPI_ERR_TAG};

use crate::error::{Error, Result};

/// Refuses what is no tag of a message.
#[inline(always)]
pub fn of_send(tag: i32) -> Result<()> {
    if tag < 0 {
        return Err(Error::new(MPI_ERR_TAG, format!("tag is {tag}, but a send's tag is 0 or more")));
    }
    Ok(())
}

/// Refuses what no message has as a tag.
#[inline(always)]
pub fn of_receive(tag: i32) -> Result<()> {
    if tag < 0 && tag != MPI_ANY_TAG {
        return Err(Error::new(MPI_ERR_TAG, format!("tag is {tag}, which is neither 0 or more nor MPI_ANY_TAG")));
    }
    Ok(())
}
