//! The attributes that every communicator has (§9.1.2, §11.10): addresses of ints in the guest's memory.

use rankine_abi::{
    Addr, MPI_ANY_SOURCE, MPI_APPNUM, MPI_HOST, MPI_IO, MPI_LASTUSEDCODE, MPI_PROC_NULL, MPI_TAG_UB, MPI_UNIVERSE_SIZE,
    MPI_WIN_BASE, MPI_WIN_CREATE_FLAVOR, MPI_WIN_DISP_UNIT, MPI_WIN_MODEL, MPI_WIN_SIZE, MPI_WTIME_IS_GLOBAL,
};

use crate::context::TAG_UB;
use crate::error::Result;
use crate::rank::Rank;

/// The predefined keyvals of communicators; each one's int is at its place here.
const KEYVALS: [(i32, &str); 7] = [
    (MPI_TAG_UB, "MPI_TAG_UB"),
    (MPI_IO, "MPI_IO"),
    (MPI_HOST, "MPI_HOST"),
    (MPI_WTIME_IS_GLOBAL, "MPI_WTIME_IS_GLOBAL"),
    (MPI_APPNUM, "MPI_APPNUM"),
    (MPI_LASTUSEDCODE, "MPI_LASTUSEDCODE"),
    (MPI_UNIVERSE_SIZE, "MPI_UNIVERSE_SIZE"),
];

/// The name of a predefined keyval.
pub(super) fn name(keyval: i32) -> Option<&'static str> {
    Some(match keyval {
        MPI_WIN_BASE => "MPI_WIN_BASE",
        MPI_WIN_DISP_UNIT => "MPI_WIN_DISP_UNIT",
        MPI_WIN_SIZE => "MPI_WIN_SIZE",
        MPI_WIN_CREATE_FLAVOR => "MPI_WIN_CREATE_FLAVOR",
        MPI_WIN_MODEL => "MPI_WIN_MODEL",
        _ => return KEYVALS.iter().find(|&&(known, _)| known == keyval).map(|&(_, name)| name),
    })
}

/// Where the value of a predefined attribute of communicators is; `None` if it is not one.
pub(super) async fn address(r: &Rank, keyval: i32) -> Result<Option<Addr>> {
    let Some(position) = KEYVALS.iter().position(|&(known, _)| known == keyval) else { return Ok(None) };
    let block = match r.attrs.predefined.get() {
        Some(block) => block,
        None => {
            let block = r.allocate(4 * KEYVALS.len() as u64).await?;
            r.attrs.predefined.set(Some(block));
            block
        }
    };
    let address = block.plus(4 * position as u64);
    r.memory().write_i32(address, value(r, keyval), "a predefined attribute")?;
    Ok(Some(address))
}

fn value(r: &Rank, keyval: i32) -> i32 {
    match keyval {
        MPI_TAG_UB => TAG_UB,
        // Every rank can do input and output.
        MPI_IO => MPI_ANY_SOURCE,
        MPI_HOST => MPI_PROC_NULL,
        // One process, one clock.
        MPI_WTIME_IS_GLOBAL => i32::from(r.world().nodes().is_none()),
        MPI_LASTUSEDCODE => r.last_used_code(),
        MPI_APPNUM => r.spawn.command,
        MPI_UNIVERSE_SIZE => r.world().options.universe as i32,
        _ => 0,
    }
}
