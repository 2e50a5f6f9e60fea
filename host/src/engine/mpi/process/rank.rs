//! The engine's rank, as the rest of the host knows it, and what the rank asks of the host.

use std::ffi::c_void;
use std::sync::Arc;

use rankine_guest::{Account, Answer, Callback, Memory, Phase, Who};
use rankine_mpi::rank::{Host, Lender, Stop, Turns};
use wasmtime::{Caller, Error};

use crate::engine;
use crate::engine::mpi::{Guest, Rank, call};
use crate::guest::team::Team;
use crate::guest::{Abort, callback};

/// What a rank asks.
pub(crate) static HOST: Host = Host { answer, lender };

/// # Safety
/// That of [`Host::answer`]: the pointer is that of a `Caller<'_, Guest>`, as `call::carry` gives it.
unsafe fn answer(caller: *mut c_void, request: Callback) -> Result<Answer, Stop> {
    // SAFETY: promised.
    let caller = unsafe { &mut *caller.cast::<Caller<'_, Guest>>() };
    callback::answer(caller, request).map_err(|trap| Stop::Host(Box::new(trap)))
}

/// # Safety
/// As for [`answer`].
unsafe fn lender(caller: *mut c_void) -> Option<Lender> {
    // SAFETY: promised.
    let member = unsafe { &*caller.cast::<Caller<'_, Guest>>() }.data().member()?;
    Some(Lender { team: member.team.clone(), thread: member.number })
}

/// The reason for which a guest is unwound.
#[cold]
pub(crate) fn reason(stop: Stop) -> Error {
    match stop {
        Stop::Aborted { code, error } => Abort { code, error }.into(),
        Stop::Failed(text) => Error::msg(text),
        Stop::Host(trap) => *trap.downcast::<Error>().expect("it is what `answer` gave"),
    }
}

impl Turns for Team<Rank> {
    fn lend(&self, thread: u32, depth: u32) -> bool {
        Team::lend(self, thread, depth)
    }

    fn take_again(&self, thread: u32, depth: u32) {
        Team::take_again(self, thread, depth);
    }
}

impl engine::Rank for Rank {
    type Observer = crate::guest::Nobody;

    fn who(&self) -> Who {
        self.me().into()
    }

    #[inline]
    fn memory(&self) -> &Memory {
        Rank::memory(self)
    }

    fn account(&self) -> &Arc<Account> {
        Rank::account(self)
    }

    fn type_size(&self, datatype: u32) -> Option<u64> {
        Rank::type_size(self, datatype)
    }

    fn receivers(&self, comm: u32, neighbors: bool) -> Option<u64> {
        Rank::receivers(self, comm, neighbors)
    }

    fn call(&self) -> &'static str {
        Rank::call(self)
    }

    fn carry_view(caller: &mut Caller<'_, Guest>) -> wasmtime::Result<()> {
        call::carry_letters(caller)
    }

    /// A call that a callback makes puts back itself what ran before.
    fn set_call(&self, _call: &'static str) {}

    fn phase(&self) -> Phase {
        Rank::phase(self)
    }

    fn thread_level(&self) -> i32 {
        Rank::thread_level(self)
    }

    fn set_thread(&self, is_main: bool) {
        Rank::set_thread(self, is_main);
    }
}
