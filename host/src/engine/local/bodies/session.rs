//! Sessions: a string whose length goes in and comes out.

use rankine_abi::{Addr, Info, Session};
use rankine_guest::Result;
use rankine_local::{Rank, comm};

use crate::engine::local::shim;

/// `MPI_Session_get_nth_pset`
pub(crate) fn session_get_nth_pset(
    r: &Rank,
    session: u32,
    info: u32,
    n: i32,
    pset_len: Addr,
    pset_name: Addr,
) -> Result<()> {
    let room = shim::get_int(r, pset_len, "pset_len")?;
    let name = comm::session_get_nth_pset(r, Session(session), Info(info), n)?;
    if room != 0 {
        shim::put_string(r, pset_name, name, room.into(), "pset_name")?;
    }
    shim::put_int(r, pset_len, name.len() as i32 + 1, "pset_len")
}
