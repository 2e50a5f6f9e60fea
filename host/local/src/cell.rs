//! Cells: small pieces of the guest's memory, for arguments that its callbacks get by pointer.
//!
//! Scratch memory would not do: while a callback waits for its turn, or runs, another one may be called that needs
//! memory of its own.

use rankine_abi::{Addr, MPI_ERR_NO_MEM, Status};

use crate::error::{Error, Result};
use crate::rank::Rank;
use rankine_guest::{Arguments, Callback};

impl Rank {
    /// Eight words, which the caller gives back.
    pub(crate) async fn take_cell(&self) -> Result<Addr> {
        let free = self.cells.borrow_mut().pop();
        match free {
            Some(cell) => Ok(cell),
            None => self.allocate(Status::SIZE.into()).await,
        }
    }

    pub(crate) fn give_cell(&self, cell: Addr) {
        self.cells.borrow_mut().push(cell);
    }

    /// The arguments of a function of the guest.
    pub(crate) fn arguments(&self) -> Arguments {
        Arguments::of(self.memory().is_wide())
    }

    /// Words in the guest's memory that stay.
    pub(crate) async fn allocate(&self, bytes: u64) -> Result<Addr> {
        match self.allocated(bytes).await {
            Addr::NULL => {
                Err(Error::new(MPI_ERR_NO_MEM, "the guest is out of memory for the arguments of its callbacks"))
            }
            address if self.memory().at(address, bytes).is_some() => Ok(address),
            _ => Err(Error::new(MPI_ERR_NO_MEM, "the guest's allocator returned an invalid address")),
        }
    }

    /// Memory from the guest's allocator, whose word is no more than a claim; the null pointer where it has none.
    pub(crate) async fn allocated(&self, bytes: u64) -> Addr {
        Addr(self.ask(Callback::Allocate { bytes, align: 16 }).await as u64)
    }
}
