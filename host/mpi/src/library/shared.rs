//! What stands in the place of the library's functions where several threads of a rank call at once
//! (`MPI_THREAD_MULTIPLE`): the functions that may wait, or that may have to wait for a thread that waits, run without the
//! rank's turn ([`without_turn`](crate::call::threads::without_turn)), and those that end an object see to it
//! that no other thread is using it.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use rankine_abi::{Chapter, Comm, Datatype, FUNCTIONS, File, Function, Group, Info, Mark, Op, Request, Session, Win};

use super::Symbol;
use crate::call::threads::{self, InUse};
use crate::generated::symbols;

/// The library's own functions, by their position in [`FUNCTIONS`]: a process has one library.
static OWN: [AtomicPtr<c_void>; FUNCTIONS.len()] = [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS.len()];

/// The library's own function. Called by what stands in its place, so it is known.
pub(crate) fn own<S: Symbol>() -> S::Function {
    const { assert!(size_of::<S::Function>() == size_of::<*mut c_void>()) };
    let address = OWN[S::INDEX].load(Ordering::Relaxed);
    // SAFETY: `stand_in` has stored the address of the function, whose type is `S::Function`, before anybody could call
    // what stands in its place.
    unsafe { std::mem::transmute_copy::<*mut c_void, S::Function>(&address) }
}

/// What is to be called in place of the function of the library's at an address: perhaps itself.
pub(super) fn stand_in(index: usize, address: *mut c_void) -> *mut c_void {
    let function = &FUNCTIONS[index];
    let stand_in = match ends(function.name) {
        Some(ends) => ends,
        None if gives_turn(function) => symbols::without_turn(index),
        None => return address,
    };
    OWN[index].store(address, Ordering::Relaxed);
    stand_in
}

/// Whether a function runs without the turn: it may wait for others, or for a thread that calls the guest back from inside
/// of the library, where that has locks of its own (MPICH has one for operations that go on).
fn gives_turn(function: &Function) -> bool {
    if function.chapter == Chapter::Init {
        return false;
    }
    let only_asks = ["MPI_Get_count", "MPI_Get_elements"].iter().any(|name| function.name.starts_with(name));
    let goes_on = matches!(
        function.chapter,
        Chapter::Pt2pt
            | Chapter::Request
            | Chapter::Part
            | Chapter::Coll
            | Chapter::Neighbor
            | Chapter::Rma
            | Chapter::Io
            | Chapter::Spawn
    );
    function.waits() || function.is(Mark::Dups) || goes_on && !only_asks
}

/// The type of functions that end an object.
type Ends = unsafe extern "C" fn(*mut usize) -> c_int;

/// What stands in the place of a function that ends an object.
fn ends(name: &str) -> Option<*mut c_void> {
    use InUse::{IsAwaited, IsPutOff};
    let ends: Ends = match name {
        "MPI_Comm_free" => end::<symbols::MPI_Comm_free, { Comm::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Comm_disconnect" => end::<symbols::MPI_Comm_disconnect, { Comm::NULL.0 }, { IsAwaited as u8 }>,
        "MPI_File_close" => end::<symbols::MPI_File_close, { File::NULL.0 }, { IsAwaited as u8 }>,
        "MPI_Group_free" => end::<symbols::MPI_Group_free, { Group::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Info_free" => end::<symbols::MPI_Info_free, { Info::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Op_free" => end::<symbols::MPI_Op_free, { Op::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Request_free" => end::<symbols::MPI_Request_free, { Request::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Session_finalize" => end::<symbols::MPI_Session_finalize, { Session::NULL.0 }, { IsAwaited as u8 }>,
        "MPI_Type_free" => end::<symbols::MPI_Type_free, { Datatype::NULL.0 }, { IsPutOff as u8 }>,
        "MPI_Win_free" => end::<symbols::MPI_Win_free, { Win::NULL.0 }, { IsAwaited as u8 }>,
        _ => return None,
    };
    Some(ends as *mut c_void)
}

unsafe extern "C" fn end<S: Symbol<Function = Ends>, const NULL: u32, const IN_USE: u8>(handle: *mut usize) -> c_int {
    let in_use = if IN_USE == InUse::IsAwaited as u8 { InUse::IsAwaited } else { InUse::IsPutOff };
    // SAFETY: whoever calls this has promised for the handle what the library's function demands.
    unsafe { threads::end(&FUNCTIONS[S::INDEX], own::<S>(), handle, NULL as usize, in_use) }
}
