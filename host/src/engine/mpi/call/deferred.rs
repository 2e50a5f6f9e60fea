//! Ends of objects inside of callbacks.
//!
//! A function of the guest that the library calls (an attribute's, an operation's) may call MPI, but the library goes on
//! with its own call afterwards, and uses its objects. So an object that is freed there loses its handle at once and is
//! freed when the library has returned. What would wait for other ranks, or end MPI itself, is refused there.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem::MaybeUninit;

use rankine_abi::{
    Comm, Datatype, File, Group, Info, MPI_ERR_COMM, MPI_ERR_OTHER, MPI_ERR_RMA_SYNC, Message, Op, Request, Win,
};
use rankine_guest::Error;
use wasmtime::ValRaw;

use super::words::Words;
use super::{Nulls, On};
use crate::engine::mpi::process::rank::Rank;
use crate::engine::mpi::{Result, generated};

/// Calls that are put off: the function, and the handle that it ends.
#[derive(Default)]
pub(crate) struct State(RefCell<VecDeque<(&'static str, u32)>>);

/// What a function leaves where its object's handle was, if its object may still be in use.
fn null_after(name: &str) -> Option<u32> {
    Some(match name {
        "MPI_Comm_free" => Comm::NULL.0,
        "MPI_File_close" => File::NULL.0,
        "MPI_Group_free" => Group::NULL.0,
        "MPI_Info_free" => Info::NULL.0,
        "MPI_Op_free" => Op::NULL.0,
        "MPI_Type_free" => Datatype::NULL.0,
        "MPI_Win_free" => Win::NULL.0,
        _ => return None,
    })
}

/// Functions that a library's part for ports and new processes is for, which it has put away before it calls anybody in the
/// midst of `MPI_Finalize`.
const OF_PORTS_AND_JOBS: [&str; 10] = [
    "MPI_Open_port",
    "MPI_Close_port",
    "MPI_Publish_name",
    "MPI_Unpublish_name",
    "MPI_Lookup_name",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
];

/// Functions that go on with all that is under way in a window. A library that is in the midst of one loses what it counts
/// by; MPI has no communication in the functions that it calls (§6.9.5).
const OF_WINDOWS: [&str; 17] = [
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_Win_test",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "MPI_Win_lock_all",
    "MPI_Win_unlock_all",
    "MPI_Win_flush",
    "MPI_Win_flush_all",
    "MPI_Win_flush_local",
    "MPI_Win_flush_local_all",
    "MPI_Win_sync",
    "MPI_Win_attach",
    "MPI_Win_detach",
];

/// Carries out, puts off or refuses a call that a callback makes in the midst of the call `outer`; nothing if it is like
/// any other. In the midst of `MPI_Finalize` a program may clean up (MPI-5.0 §11.4.2), and the library uses no object.
pub(crate) fn inside(
    r: &Rank,
    outer: &str,
    name: &'static str,
    errors: (On, Nulls),
    w: &Words<'_>,
) -> Option<Result<()>> {
    if name == "MPI_Finalize" {
        return Some(Err(refused(MPI_ERR_OTHER, name, outer)));
    }
    if outer == "MPI_Finalize" {
        return OF_PORTS_AND_JOBS.contains(&name).then(|| Err(refused(MPI_ERR_OTHER, name, outer)));
    }
    if ["MPI_Comm_disconnect", "MPI_Session_finalize"].contains(&name) {
        return Some(Err(refused(MPI_ERR_OTHER, name, outer)));
    }
    if OF_WINDOWS.contains(&name) {
        return Some(Err(refused(MPI_ERR_RMA_SYNC, name, outer)));
    }
    if let (On::Comm(at), nulls) = errors
        && outlives(name, nulls)
        && r.comm(w.word(at), "comm").is_ok_and(|comm| r.is_ending(comm))
    {
        let text = format!("the communicator ends, and a function that {outer} has called can begin nothing on it");
        return Some(Err(Error::new(MPI_ERR_COMM, text)));
    }
    null_after(name).map(|null| put_off(r, name, null, w))
}

/// Whether something is left of a call that refers to its communicator. A library that is about to free it takes for
/// granted that nothing does any more.
fn outlives(name: &str, nulls: Nulls) -> bool {
    let left = [Request::NULL.0, Message::NULL.0];
    let by_name = ["MPI_Bsend", "Rankine_Isend", "Rankine_Irecv"];
    nulls.iter().any(|(_, null)| left.contains(null)) || by_name.contains(&name)
}

fn refused(class: i32, name: &str, outer: &str) -> Error {
    Error::new(class, format!("{name} cannot be called by a function that {outer} has called"))
}

fn put_off(r: &Rank, name: &'static str, null: u32, w: &Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "the handle")?;
    match name {
        "MPI_Comm_free" => r.made_comm(word, "comm").map(drop)?,
        "MPI_Group_free" => r.group(word, "group").map(drop)?,
        "MPI_Info_free" => r.made_info(word, "info").map(drop)?,
        "MPI_Op_free" => r.op(word).map(drop)?,
        "MPI_Type_free" => r.mortal_datatype(word, "datatype").map(drop)?,
        "MPI_Win_free" => r.win(word, "win").map(drop)?,
        _ => r.file(word, "fh").map(drop)?,
    }
    r.put_word(w.addr(0), null, "the handle")?;
    r.deferred.0.borrow_mut().push_back((name, word));
    Ok(())
}

impl Rank {
    /// Whether calls were put off.
    #[inline]
    pub(crate) fn has_deferred(&self) -> bool {
        !self.deferred.0.borrow().is_empty()
    }

    /// Makes the calls that were put off, now that the library has returned. Their errors are nobody's: the program was
    /// told that they have succeeded, and what it freed twice is gone.
    #[cold]
    pub(crate) fn run_deferred(&self) {
        loop {
            // Not borrowed while the library runs: what it calls may put off more.
            let next = self.deferred.0.borrow_mut().pop_front();
            let Some((name, word)) = next else { break };
            if self.stopped.get() || !self.is_running() {
                continue;
            }
            let Some(entry) = generated::find(name) else { continue };
            self.with_scratch(16, |at| {
                self.put_word(at, word, "the handle").ok()?;
                let mut words = [MaybeUninit::new(ValRaw::u32(at.0))];
                // SAFETY: the functions take one word, the address of a handle.
                (entry.shim)(self, &mut unsafe { Words::new(&mut words) }).ok()
            });
        }
    }
}
