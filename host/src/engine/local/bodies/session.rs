//! Sessions: a string whose length goes in and comes out.

use rankine_guest::Result;
use rankine_local::{Rank, comm};

use crate::engine::local::shim::{self, handle};

/// `MPI_Session_get_nth_pset`
pub(crate) fn session_get_nth_pset(
    r: &Rank,
    session: i32,
    info: i32,
    n: i32,
    pset_len: i32,
    pset_name: i32,
) -> Result<()> {
    let room = shim::get_int(r, pset_len, "pset_len")?;
    let name = comm::session_get_nth_pset(r, handle(session), handle(info), n)?;
    if room != 0 {
        shim::put_string(r, pset_name, name, room.into(), "pset_name")?;
    }
    shim::put_int(r, pset_len, name.len() as i32 + 1, "pset_len")
}
