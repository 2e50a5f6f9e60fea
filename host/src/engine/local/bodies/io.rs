//! Representations of data in files: whether their functions take large counts depends on which function registers them.

use rankine_abi::{Addr, FnPtr, Kept};
use rankine_guest::Result;
use rankine_local::{Rank, io};

use crate::engine::local::shim;

/// `MPI_Register_datarep`
pub(crate) fn register_datarep(
    r: &Rank,
    large: bool,
    datarep: Addr,
    read_conversion_fn: u32,
    write_conversion_fn: u32,
    dtype_file_extent_fn: u32,
    extra_state: Kept,
) -> Result<()> {
    let name = shim::string(r, datarep, "datarep")?;
    let functions = [read_conversion_fn, write_conversion_fn, dtype_file_extent_fn].map(FnPtr);
    io::register_datarep(r, &name, functions, extra_state, large)
}
