//! The tools interface, where the table has C's types alone: values that are written, functions that are called back, and
//! the arrays that describe an event.

use rankine_abi::{FnPtr, MPI_T_BIND_NO_OBJECT, MPI_T_VERBOSITY_USER_BASIC};
use rankine_guest::Result;
use rankine_local::Rank;
use rankine_local::tool::{self, ELEMENT};

use crate::engine::local::shim::{self, addr};

/// `MPI_T_cvar_write`
pub(crate) fn t_cvar_write(r: &Rank, handle: i32, buf: i32) -> Result<()> {
    tool::t_cvar_write(r, handle as u32, addr(buf))
}

/// `MPI_T_pvar_write`
pub(crate) fn t_pvar_write(r: &Rank, session: i32, handle: i32, buf: i32) -> Result<()> {
    tool::t_pvar_write(r, session as u32, handle as u32, addr(buf))
}

/// `MPI_T_event_get_info`: the arrays have room for as many elements as `num_elements` says, which becomes how many there
/// are.
pub(crate) fn t_event_get_info(
    r: &Rank,
    event_index: i32,
    name: i32,
    name_len: i32,
    verbosity: i32,
    datatypes: i32,
    displacements: i32,
    num_elements: i32,
    enumtype: i32,
    info: i32,
    desc: i32,
    desc_len: i32,
    bind: i32,
) -> Result<()> {
    let kind = tool::t_event_get_info(r, event_index)?;
    let (datatype, bytes) = ELEMENT;
    shim::put_text(r, name, name_len, kind.name, "name")?;
    shim::put_text(r, desc, desc_len, kind.about, "desc")?;
    if !addr(num_elements).is_null() {
        let room = usize::try_from(shim::get_int(r, num_elements, "num_elements")?).unwrap_or(0);
        let shown = kind.elements.len().min(room);
        let places: Vec<i32> = (0..shown as i32).map(|element| element * bytes).collect();
        shim::if_wanted(datatypes, || shim::put_handles(r, datatypes, &vec![datatype; shown], "array_of_datatypes"))?;
        shim::if_wanted(displacements, || shim::put_ints(r, displacements, &places, "array_of_displacements"))?;
        shim::put_int(r, num_elements, kind.elements.len() as i32, "num_elements")?;
    }
    // No enumeration (MPI_T_ENUM_NULL), and no hints (MPI_INFO_NULL).
    let results = [
        (verbosity, MPI_T_VERBOSITY_USER_BASIC, "verbosity"),
        (enumtype, 0, "enumtype"),
        (info, rankine_abi::Info::NULL.0 as i32, "info"),
        (bind, MPI_T_BIND_NO_OBJECT, "bind"),
    ];
    results.into_iter().try_for_each(|(at, value, what)| shim::if_wanted(at, || shim::put_int(r, at, value, what)))
}

/// `MPI_T_event_handle_free`
pub(crate) async fn t_event_handle_free(r: &Rank, registration: i32, user_data: i32, function: i32) -> Result<()> {
    tool::t_event_handle_free(r, registration as u32, addr(user_data), FnPtr(function as u32)).await
}

/// `MPI_T_event_register_callback`
pub(crate) fn t_event_register_callback(
    r: &Rank,
    registration: i32,
    safety: i32,
    _info: i32,
    user_data: i32,
    function: i32,
) -> Result<()> {
    tool::t_event_register_callback(r, registration as u32, safety, addr(user_data), FnPtr(function as u32))
}

/// `MPI_T_event_set_dropped_handler`
pub(crate) fn t_event_set_dropped_handler(r: &Rank, registration: i32, function: i32) -> Result<()> {
    tool::t_event_set_dropped_handler(r, registration as u32, FnPtr(function as u32))
}
