//! The tools interface, where the table has C's types alone: values that are written, functions that are called back, and
//! the arrays that describe an event.

use rankine_abi::{Addr, FnPtr, Kept, MPI_T_BIND_NO_OBJECT, MPI_T_VERBOSITY_USER_BASIC};
use rankine_guest::Result;
use rankine_local::Rank;
use rankine_local::tool::{self, ELEMENT};

use crate::engine::local::shim;

/// `MPI_T_cvar_write`
pub(crate) fn t_cvar_write(r: &Rank, handle: u32, buf: Addr) -> Result<()> {
    tool::t_cvar_write(r, handle, buf)
}

/// `MPI_T_pvar_write`
pub(crate) fn t_pvar_write(r: &Rank, session: u32, handle: u32, buf: Addr) -> Result<()> {
    tool::t_pvar_write(r, session, handle, buf)
}

/// `MPI_T_event_get_info`: the arrays have room for as many elements as `num_elements` says, which becomes how many there
/// are.
pub(crate) fn t_event_get_info(
    r: &Rank,
    event_index: i32,
    name: Addr,
    name_len: Addr,
    verbosity: Addr,
    datatypes: Addr,
    displacements: Addr,
    num_elements: Addr,
    enumtype: Addr,
    info: Addr,
    desc: Addr,
    desc_len: Addr,
    bind: Addr,
) -> Result<()> {
    let kind = tool::t_event_get_info(r, event_index)?;
    let (datatype, bytes) = ELEMENT;
    shim::put_text(r, name, name_len, kind.name, "name")?;
    shim::put_text(r, desc, desc_len, kind.about, "desc")?;
    if !num_elements.is_null() {
        let room = usize::try_from(shim::get_int(r, num_elements, "num_elements")?).unwrap_or(0);
        let shown = kind.elements.len().min(room);
        let places: Vec<i64> = (0..shown as i64).map(|element| element * i64::from(bytes)).collect();
        shim::if_wanted(datatypes, || shim::put_handles(r, datatypes, &vec![datatype; shown], "array_of_datatypes"))?;
        shim::if_wanted(displacements, || r.memory().write_aints(displacements, &places, "array_of_displacements"))?;
        shim::put_int(r, num_elements, kind.elements.len() as i32, "num_elements")?;
    }
    // No enumeration (MPI_T_ENUM_NULL), and no hints (MPI_INFO_NULL).
    shim::if_wanted(verbosity, || shim::put_int(r, verbosity, MPI_T_VERBOSITY_USER_BASIC, "verbosity"))?;
    shim::if_wanted(enumtype, || shim::put_tool(r, enumtype, 0, "enumtype"))?;
    shim::if_wanted(info, || shim::put_handle(r, info, rankine_abi::Info::NULL, "info"))?;
    shim::if_wanted(bind, || shim::put_int(r, bind, MPI_T_BIND_NO_OBJECT, "bind"))
}

/// `MPI_T_event_handle_free`
pub(crate) async fn t_event_handle_free(r: &Rank, registration: u32, user_data: Kept, function: u32) -> Result<()> {
    tool::t_event_handle_free(r, registration, user_data, FnPtr(function)).await
}

/// `MPI_T_event_register_callback`
pub(crate) fn t_event_register_callback(
    r: &Rank,
    registration: u32,
    safety: i32,
    _info: u32,
    user_data: Kept,
    function: u32,
) -> Result<()> {
    tool::t_event_register_callback(r, registration, safety, user_data, FnPtr(function))
}

/// `MPI_T_event_set_dropped_handler`
pub(crate) fn t_event_set_dropped_handler(r: &Rank, registration: u32, function: u32) -> Result<()> {
    tool::t_event_set_dropped_handler(r, registration, FnPtr(function))
}
