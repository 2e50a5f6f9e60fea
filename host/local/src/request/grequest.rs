//! Generalised requests (MPI-5.0 §13.2): the program itself says when they are complete.

use std::cell::Cell;
use std::rc::Rc;

use rankine_abi::{Comm, FnPtr, Kept, MPI_ERR_REQUEST, MPI_SUCCESS, Request, Status};

use super::{Activity, Completion};
use crate::error::{Error, Result};
use crate::rank::Rank;
use rankine_guest::Arguments;

/// A generalised request: the guest's functions, and what they are given.
pub(crate) struct General {
    query: FnPtr,
    free: FnPtr,
    cancel: FnPtr,
    extra_state: Kept,
    complete: Cell<bool>,
}

impl General {
    pub(super) fn is_complete(&self) -> bool {
        self.complete.get()
    }

    /// Asks the program for the status.
    pub(super) async fn query(&self, r: &Rank) -> Completion {
        match self.try_query(r).await {
            Ok(status) => Completion::of(status),
            Err(error) => Completion { status: Status::EMPTY, error: Some(error) },
        }
    }

    async fn try_query(&self, r: &Rank) -> Result<Status> {
        let cell = r.take_cell().await?;
        r.memory().write_i32s(cell, &Status::EMPTY.words(), "the status")?;
        let called = self.call(r, "query", self.query, self.state(r).address(cell)).await;
        let words = r.memory().read_i32s(cell, 8, "the status")?;
        r.give_cell(cell);
        called?;
        Ok(Status::from_words(words.try_into().expect("eight words were read")))
    }

    /// Asks for the status and lets the program free what it keeps for the request.
    pub(super) async fn end(&self, r: &Rank) -> Completion {
        let mut completion = self.query(r).await;
        if let Err(error) = self.free(r).await {
            completion.error.get_or_insert(error);
        }
        completion
    }

    pub(super) async fn free(&self, r: &Rank) -> Result<()> {
        self.call(r, "free", self.free, self.state(r)).await
    }

    /// Tells the program that the request is to be cancelled.
    pub(super) async fn cancel(&self, r: &Rank) -> Result<()> {
        let complete = i32::from(self.is_complete());
        self.call(r, "cancel", self.cancel, self.state(r).int(complete)).await
    }

    /// The first argument of all of its functions.
    fn state(&self, r: &Rank) -> Arguments {
        r.arguments().kept(self.extra_state)
    }

    async fn call(&self, r: &Rank, what: &str, function: FnPtr, arguments: Arguments) -> Result<()> {
        match r.call_guest(function, arguments).await {
            MPI_SUCCESS => Ok(()),
            code => Err(Error::new(code, format!("the {what} function of a generalised request returned {code}"))),
        }
    }
}

/// `MPI_Grequest_start`
pub fn grequest_start(
    r: &Rank,
    query_fn: FnPtr,
    free_fn: FnPtr,
    cancel_fn: FnPtr,
    extra_state: Kept,
) -> Result<Request> {
    let general =
        General { query: query_fn, free: free_fn, cancel: cancel_fn, extra_state, complete: Cell::new(false) };
    r.new_request(Comm::SELF, Activity::General(Rc::new(general)))
}

/// `MPI_Grequest_complete`. A request that was freed before is gone with this call, and its free function is called.
pub async fn grequest_complete(r: &Rank, request: Request) -> Result<()> {
    let found = match r.requests.table.borrow().get(request.0) {
        Some(entry) => match &entry.activity {
            Activity::General(general) => Some((general.clone(), entry.freed)),
            _ => None,
        },
        None => None,
    };
    let Some((general, freed)) = found else {
        r.check_request(request)?;
        return Err(Error::new(MPI_ERR_REQUEST, "only a generalised request is completed by the program"));
    };
    if general.complete.replace(true) {
        return Err(Error::new(MPI_ERR_REQUEST, "the generalised request is complete already"));
    }
    r.note_news();
    if freed {
        r.requests.table.borrow_mut().remove(request.0);
        general.free(r).await?;
    }
    Ok(())
}
