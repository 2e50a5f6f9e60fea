//! Time, addresses, and memory that the guest asks MPI for.

use std::cell::RefCell;
use std::collections::HashMap;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_BASE, MPI_ERR_NO_MEM};
use rankine_guest::{Callback, Charge, Cost, Error};

use super::Result;
use super::generated::symbols;
use super::rank::Rank;

/// What `MPI_Alloc_mem` gave and `MPI_Free_mem` did not get back.
#[derive(Default)]
pub(crate) struct State(RefCell<HashMap<Addr, Charge>>);

/// `MPI_Wtime`
pub(crate) fn wtime(r: &Rank) -> Result<f64> {
    let call = r.symbol::<symbols::MPI_Wtime>()?;
    // SAFETY: it has no parameters.
    Ok(unsafe { call() })
}

/// `MPI_Wtick`
pub(crate) fn wtick(r: &Rank) -> Result<f64> {
    let call = r.symbol::<symbols::MPI_Wtick>()?;
    // SAFETY: it has no parameters.
    Ok(unsafe { call() })
}

/// `MPI_Get_address`: the guest's own address.
pub(crate) fn get_address(r: &Rank, location: Addr, address: Addr) -> Result<()> {
    r.put_address(address, location, "address")
}

/// `MPI_Aint_add`
pub(crate) fn aint_add(_: &Rank, base: i32, disp: i32) -> Result<i32> {
    Ok(base.wrapping_add(disp))
}

/// `MPI_Aint_diff`
pub(crate) fn aint_diff(_: &Rank, addr1: i32, addr2: i32) -> Result<i32> {
    Ok(addr1.wrapping_sub(addr2))
}

/// `MPI_Pcontrol`: the level alone is passed on; what else there is only a profiler would understand.
pub(crate) fn pcontrol(r: &Rank, level: i32, _arguments: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Pcontrol>()?;
    // SAFETY: a function with variable arguments is called with those that it always has.
    r.check(unsafe { call(level) })
}

impl Rank {
    /// Memory that the program may give back: the guest's own, since it can address no other.
    pub(crate) fn allocate_for_guest(&self, size: i64) -> Result<Addr> {
        if size < 0 {
            return Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is negative")));
        }
        let block = u64::try_from(size).ok().and_then(|bytes| self.allocate(bytes));
        let text = || format!("the guest's allocator has no {size} bytes left");
        block.ok_or_else(|| Error::new(MPI_ERR_NO_MEM, text()))
    }

    /// Gives memory back to the guest's allocator.
    pub(crate) fn give_back(&self, address: Addr) {
        self.ask(Callback::Free { address });
    }
}

/// `MPI_Alloc_mem`
pub(crate) fn alloc_mem(r: &Rank, size: i64, info: u32, baseptr: Addr) -> Result<()> {
    r.room(baseptr, r.word_bytes(), "baseptr")?;
    r.info_or_null(info, "info")?;
    let charge = r.account().charge(64, Cost::Blocked)?;
    let block = r.allocate_for_guest(size)?;
    r.memories.0.borrow_mut().insert(block, charge);
    r.put_address(baseptr, block, "baseptr")
}

/// `MPI_Free_mem`
pub(crate) fn free_mem(r: &Rank, base: Addr) -> Result<()> {
    if base.is_null() {
        return Ok(());
    }
    if r.memories.0.borrow_mut().remove(&base).is_none() {
        let text = format!("{:#x} is not an address that MPI_Alloc_mem gave, or was freed already", base.0);
        return Err(Error::new(MPI_ERR_BASE, text));
    }
    r.give_back(base);
    Ok(())
}
