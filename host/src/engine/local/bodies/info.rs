//! Info: a length that is touched only if there is a value.

use rankine_abi::{Addr, Info};
use rankine_guest::Result;
use rankine_local::{Rank, info};

use crate::engine::local::shim;

/// `MPI_Info_get_valuelen`
pub(crate) fn info_get_valuelen(r: &Rank, info: u32, key: Addr, valuelen: Addr, flag: Addr) -> Result<()> {
    let key = shim::string(r, key, "key")?;
    let (length, found) = info::info_get_valuelen(r, Info(info), &key)?;
    if found {
        shim::put_int(r, valuelen, length, "valuelen")?;
    }
    shim::put_flag(r, flag, found, "flag")
}
