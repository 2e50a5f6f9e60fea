//! Which requests are arguments of calls that are under way.

use std::cell::{Cell, RefCell};

use rankine_abi::MPI_ERR_REQUEST;
use rankine_guest::Error;
use smallvec::SmallVec;

use crate::Result;

/// A call that may complete requests. While it is under way a callback or another thread may make another, which must leave
/// these requests alone; and no request may be listed twice, since the library would free it twice.
pub(crate) struct Listing<'a> {
    calls: &'a Calls,
    number: u64,
}

/// The calls that are under way, in the order in which they began, and how many there were.
#[derive(Default)]
pub(crate) struct Calls {
    last: Cell<u64>,
    under_way: RefCell<SmallVec<[u64; 4]>>,
}

impl Calls {
    #[inline]
    pub(crate) fn begin(&self) -> Listing<'_> {
        let number = self.last.get() + 1;
        self.last.set(number);
        self.under_way.borrow_mut().push(number);
        Listing { calls: self, number }
    }

    /// An error if a call is under way that may complete the request.
    #[inline]
    pub(crate) fn may_end(&self, listed: &Cell<u64>) -> Result<()> {
        if self.under_way.borrow().contains(&listed.get()) { Err(twice()) } else { Ok(()) }
    }
}

impl Listing<'_> {
    /// The request is one of this call's.
    #[inline]
    pub(crate) fn add(&self, listed: &Cell<u64>) -> Result<()> {
        let before = listed.replace(self.number);
        if before == self.number {
            return Err(twice());
        }
        let others = self.calls.under_way.borrow();
        if others.len() > 1 && others.contains(&before) {
            listed.set(before);
            return Err(twice());
        }
        Ok(())
    }
}

impl Drop for Listing<'_> {
    #[inline]
    fn drop(&mut self) {
        let mut under_way = self.calls.under_way.borrow_mut();
        match under_way.pop() {
            // Another thread's began later.
            Some(last) if last != self.number => {
                under_way.retain(|number| *number != self.number);
                under_way.push(last);
            }
            _ => {}
        }
    }
}

#[cold]
fn twice() -> Error {
    let text = "a request is listed twice in the array, or a call that completes it is under way";
    Error::new(MPI_ERR_REQUEST, text)
}
