//! Duplicating a communicator in the background (§7.4.2).
//!
//! Attributes are copied in the call itself, as the standard wants; only the agreement on a context goes on after it.
//! Until then the new handle stands for nothing.

use std::rc::Rc;

use rankine_abi::{Comm, Info, Request, Status};

use super::Communicator;
use super::party::Tag;
use crate::attr;
use crate::error::Result;
use crate::info::Hints;
use crate::rank::Rank;

/// `MPI_Comm_idup`
pub async fn comm_idup(r: &Rank, comm: Comm) -> Result<(Comm, Request)> {
    let communicator = r.communicator(comm)?;
    let hints = communicator.info.borrow().clone();
    duplicate(r, comm, communicator, hints).await
}

/// `MPI_Comm_idup_with_info`
pub async fn comm_idup_with_info(r: &Rank, comm: Comm, info: Info) -> Result<(Comm, Request)> {
    let communicator = r.communicator(comm)?;
    let hints = r.hints(info)?;
    duplicate(r, comm, communicator, hints).await
}

async fn duplicate(r: &Rank, comm: Comm, communicator: Rc<Communicator>, hints: Hints) -> Result<(Comm, Request)> {
    let attributes = attr::copy_all(r, comm.into()).await?;
    let new = r.reserve_comm()?;
    let request = communicator.clone().begin_numbered(|| {
        let tag = Tag::nonblocking(communicator.next_sequence());
        r.begin(comm, async move |r: &Rank| {
            let context = communicator.agree_on_context(r, tag).await?;
            let copy = communicator.with_context(context, hints);
            *copy.attributes.borrow_mut() = attributes;
            r.put_comm(new, copy)?;
            Ok(Status::EMPTY)
        })
    });
    request.map(|request| (new, request)).inspect_err(|_| r.remove_comm(new))
}
