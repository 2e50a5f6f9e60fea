//! Objects that are freed inside callbacks: they are freed when the library has returned.
//!
//! A function of the guest that the library calls (an attribute's, an operation's) may call MPI, but the library goes on
//! with its own call afterwards, and uses its objects. So an object that is freed there loses its handle at once and is
//! freed when the library has returned. What would wait for other ranks, or end MPI itself, is refused there.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem::MaybeUninit;

use rankine_abi::{
    Class, Comm, Datatype, File, Function, Group, Info, MPI_ERR_COMM, MPI_ERR_OTHER, MPI_ERR_RMA_SYNC, Mark, Meaning,
    Message, Op, Request, Win,
};
use rankine_guest::Error;

use super::words::{Raw, Words};
use super::{Nulls, On};
use crate::rank::Rank;
use crate::{Result, generated};

/// Calls that are put off: the function, and the handle that it ends.
#[derive(Default)]
pub(crate) struct State(RefCell<VecDeque<(&'static Function, u32)>>);

/// Carries out, puts off or refuses a call that a callback makes in the midst of the call `outer`; nothing if it is like
/// any other. In the midst of `MPI_Finalize` a program may clean up (MPI-5.0 §11.4.2), and the library uses no object.
pub(crate) fn in_callback(
    r: &Rank,
    outer: &Function,
    function: &'static Function,
    errors: (On, Nulls),
    w: &Words<'_>,
) -> Option<Result<()>> {
    let refuse = |class| {
        let text = format!("{} cannot be called by a function that {} has called", function.name, outer.name);
        Some(Err(Error::new(class, text)))
    };
    if function.name == "MPI_Finalize" {
        return refuse(MPI_ERR_OTHER);
    }
    if outer.name == "MPI_Finalize" {
        return if function.is(Mark::Jobs) { refuse(MPI_ERR_OTHER) } else { None };
    }
    if function.is(Mark::Outside) {
        return refuse(MPI_ERR_OTHER);
    }
    // A library that is in the midst of one in a window loses what it counts by.
    if function.is(Mark::Syncs) {
        return refuse(MPI_ERR_RMA_SYNC);
    }
    if let (On::Comm(at), nulls) = errors
        && outlives(function, nulls)
        && r.comm(w.word(at), "comm").is_ok_and(|comm| r.is_ending(comm))
    {
        let text =
            format!("the communicator ends, and a function that {} has called can begin nothing on it", outer.name);
        return Some(Err(Error::new(MPI_ERR_COMM, text)));
    }
    function.is(Mark::Frees).then(|| put_off(r, function, w))?
}

/// Whether something is left of a call that refers to its communicator. A library that is about to free it takes for
/// granted that nothing does any more.
fn outlives(function: &Function, nulls: Nulls) -> bool {
    let left = [Request::NULL.0, Message::NULL.0];
    function.is(Mark::Lingers) || nulls.iter().any(|(_, null)| left.contains(null))
}

/// Finds the object that a word stands for, or says why there is none.
type Look = fn(&Rank, u32) -> Result<()>;

/// Puts a call off; nothing if it ends no object of a class that libraries go on to use.
fn put_off(r: &Rank, function: &'static Function, w: &Words<'_>) -> Option<Result<()>> {
    let Meaning::Handle(class) = function.described()[0].meaning else { return None };
    let (null, look): (u32, Look) = match class {
        Class::Comm => (Comm::NULL.0, |r, word| r.made_comm(word, "comm").map(drop)),
        Class::File => (File::NULL.0, |r, word| r.file(word, "fh").map(drop)),
        Class::Group => (Group::NULL.0, |r, word| r.group(word, "group").map(drop)),
        Class::Info => (Info::NULL.0, |r, word| r.made_info(word, "info").map(drop)),
        Class::Op => (Op::NULL.0, |r, word| r.op(word).map(drop)),
        Class::Datatype => (Datatype::NULL.0, |r, word| r.mortal_datatype(word, "datatype").map(drop)),
        Class::Win => (Win::NULL.0, |r, word| r.win(word, "win").map(drop)),
        _ => return None,
    };
    let later = || {
        let word = r.get_handle(w.addr(0), "the handle")?;
        look(r, word)?;
        r.put_handle(w.addr(0), null, "the handle")?;
        r.deferred.0.borrow_mut().push_back((function, word));
        Ok(())
    };
    Some(later())
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
            let Some((function, word)) = next else { break };
            if self.stopped.get() || !self.is_running() {
                continue;
            }
            let Some(entry) = generated::find(function.name) else { continue };
            let outer = self.call.replace(function);
            // Other threads would use the same scratch memory.
            self.keeping_turn(|| {
                self.with_scratch(16, |at| {
                    self.put_handle(at, word, "the handle").ok()?;
                    let mut words = [MaybeUninit::new(Raw::of(at.0))];
                    // SAFETY: the functions take one word, the address of a handle, which is there with all its bits.
                    (entry.shim)(self, &mut unsafe { Words::new(&mut words, true) }).ok()
                })
            });
            self.call.set(outer);
        }
    }
}
