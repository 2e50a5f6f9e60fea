//! Info: a length that is touched only if there is a value.

use rankine_guest::Result;
use rankine_local::{Rank, info};

use crate::engine::local::shim::{self, handle};

/// `MPI_Info_get_valuelen`
pub(crate) fn info_get_valuelen(r: &Rank, info: i32, key: i32, valuelen: i32, flag: i32) -> Result<()> {
    let key = shim::string(r, key, "key")?;
    let (length, found) = info::info_get_valuelen(r, handle(info), &key)?;
    if found {
        shim::put_int(r, valuelen, length, "valuelen")?;
    }
    shim::put_flag(r, flag, found, "flag")
}
