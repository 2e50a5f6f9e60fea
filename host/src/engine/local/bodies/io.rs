//! Representations of data in files: whether their functions take large counts depends on which function registers them.

use rankine_abi::FnPtr;
use rankine_guest::Result;
use rankine_local::{Rank, io};

use crate::engine::local::shim::{self, addr};

/// `MPI_Register_datarep`
pub(crate) fn register_datarep(
    r: &Rank,
    large: bool,
    datarep: i32,
    read_conversion_fn: i32,
    write_conversion_fn: i32,
    dtype_file_extent_fn: i32,
    extra_state: i32,
) -> Result<()> {
    let name = shim::string(r, datarep, "datarep")?;
    let functions = [read_conversion_fn, write_conversion_fn, dtype_file_extent_fn].map(|word| FnPtr(word as u32));
    io::register_datarep(r, &name, functions, addr(extra_state), large)
}
