//! Shims of the functions that return a value and no error code.

use rankine_local::{Rank, init};
use wasmtime::{Caller, Linker, Result};

use crate::guest::Guest;

/// Links the import `name`, on threads and fibers alike; false if it is none of this file.
pub(super) fn define(linker: &mut Linker<Guest>, name: &str) -> Result<bool> {
    let module = rankine_abi::MODULE;
    match name {
        "MPI_Wtime" => linker.func_wrap(module, name, |caller: Caller<'_, Guest>| init::wtime(rank(&caller)))?,
        "MPI_Wtick" => linker.func_wrap(module, name, |caller: Caller<'_, Guest>| init::wtick(rank(&caller)))?,
        "MPI_Aint_add" => linker.func_wrap(module, name, |base: i32, disp: i32| base.wrapping_add(disp))?,
        "MPI_Aint_diff" => linker.func_wrap(module, name, |addr1: i32, addr2: i32| addr1.wrapping_sub(addr2))?,
        _ => return Ok(false),
    };
    Ok(true)
}

fn rank<'a>(caller: &'a Caller<'_, Guest>) -> &'a Rank {
    caller.data().rank()
}
