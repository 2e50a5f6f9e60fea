//! Starting and ending.

use std::cell::Cell;
use std::ffi::c_int;

use rankine_abi::{Addr, Comm, Datatype, Errhandler, MPI_ERR_OTHER, MPI_THREAD_MULTIPLE};
use rankine_guest::{Error, Life, Phase};

use super::rank::{Rank, Stop};
use crate::Result;
use crate::generated::symbols;

/// What a rank knows of its own start and end.
#[derive(Default)]
pub(crate) struct State {
    life: Life,
    /// Its rank in `MPI_COMM_WORLD`, once it is known.
    rank: Cell<Option<c_int>>,
    pub(crate) thread_level: Cell<i32>,
    /// Of a program with threads: whether the one that initialised MPI calls.
    pub(crate) is_main: Cell<Option<bool>>,
}

impl State {
    /// Whether the rank's program can have several threads.
    #[inline]
    pub(crate) fn has_threads(&self) -> bool {
        self.is_main.get().is_some()
    }
}

impl Rank {
    /// Where the rank is between its start and its end.
    pub fn phase(&self) -> Phase {
        self.init.life.phase()
    }

    /// Whether MPI may be called now.
    #[inline]
    pub fn is_running(&self) -> bool {
        self.init.life.is_running()
    }

    /// Whether there is `MPI_COMM_WORLD` now, and not sessions alone.
    pub(crate) fn has_world(&self) -> bool {
        self.init.rank.get().is_some() && !self.is_finalized()
    }

    /// Whether the program has called `MPI_Finalize`.
    pub(crate) fn is_finalized(&self) -> bool {
        self.init.life.is_finalized()
    }

    /// A session has been opened (`by` 1) or closed (-1).
    pub(crate) fn count_sessions(&self, by: i32) {
        self.init.life.count_sessions(by);
    }

    /// This process in `MPI_COMM_WORLD`, or among those that the launcher has started.
    pub fn me(&self) -> usize {
        let known = self.init.rank.get().and_then(|rank| usize::try_from(rank).ok());
        known.or_else(rankine_system::launched::launched_rank).unwrap_or(0)
    }

    fn initialise(&self, init: impl FnOnce() -> Result<c_int>) -> Result<()> {
        self.init.life.check_fresh()?;
        let code = init()?;
        self.check(code)?;
        self.init.life.begin();
        self.return_errors()?;
        let (rank, mut me) = (self.symbol::<symbols::MPI_Comm_rank>()?, 0);
        // SAFETY: MPI is initialised, and the result is on the stack.
        self.check(unsafe { rank(Comm::WORLD.0 as usize, &mut me) })?;
        self.init.rank.set(Some(me));
        self.open_post()
    }

    /// Has the library return its errors, so that the guest's handlers can be told of them here.
    pub(crate) fn return_errors(&self) -> Result<()> {
        let set = self.symbol::<symbols::MPI_Comm_set_errhandler>()?;
        for comm in [Comm::WORLD, Comm::SELF] {
            // SAFETY: constants of the ABI.
            self.check(unsafe { set(comm.0 as usize, Errhandler::ERRORS_RETURN.0 as usize) })?;
        }
        Ok(())
    }

    /// Tells what was counted of this process to the first of its world. All of them are in `MPI_Finalize`.
    fn tell_profile(&self) -> Result<()> {
        let Some(tells) = &self.tells else { return Ok(()) };
        let (gather, gatherv) = (self.symbol::<symbols::MPI_Gather>()?, self.symbol::<symbols::MPI_Gatherv>()?);
        let (world, byte, int) = (Comm::WORLD.0 as usize, Datatype::BYTE.0 as usize, Datatype::INT.0 as usize);
        let ranks = usize::try_from(self.members(Comm::WORLD.0)?).unwrap_or(0);
        let is_first = self.init.rank.get() == Some(0);
        tells(&mut |told| {
            // One that is too long is left out.
            let length = c_int::try_from(told.len()).unwrap_or(0);
            let (mut lengths, mut starts) = (vec![0; ranks], vec![0; ranks]);
            // SAFETY: an int of each process, for all of which there is room.
            let code =
                unsafe { gather((&raw const length).cast(), 1, int, lengths.as_mut_ptr().cast(), 1, int, 0, world) };
            self.check(code)?;
            let mut end: c_int = 0;
            for (start, length) in starts.iter_mut().zip(&mut lengths) {
                *start = end;
                let next = end.checked_add(*length).filter(|&next| next >= end);
                end = next.ok_or_else(|| Error::new(MPI_ERR_OTHER, "the profile of all ranks is too long"))?;
            }
            let mut all = vec![0_u8; usize::try_from(end).unwrap_or(0)];
            // SAFETY: as many bytes as each process has said, for which there is room one after another.
            let code = unsafe {
                let (from, to) = (told.as_ptr().cast(), all.as_mut_ptr().cast());
                gatherv(from, length, byte, to, lengths.as_ptr(), starts.as_ptr(), byte, 0, world)
            };
            self.check(code)?;
            let part = |(&start, &length): (&c_int, &c_int)| all[start as usize..(start + length) as usize].to_vec();
            Ok(if is_first { starts.iter().zip(&lengths).map(part).collect() } else { Vec::new() })
        })
    }

    /// Ends the whole job through the library, from outside of a call; returns if the library can't.
    pub fn abort_job(&self, status: i32) {
        if self.is_running()
            && let Ok(abort) = self.symbol::<symbols::MPI_Abort>()
        {
            // SAFETY: MPI is initialised. The rank's own thread asks, once it has left the program, so it is in no call. If
            // another thread of the program is in one for ever, the library can't answer; who waits for this ends the
            // process then (`conclude`).
            unsafe { abort(Comm::WORLD.0 as usize, status) };
        }
    }

    /// `MPI_Finalize` for a program that has left without it, so that the other ranks come to their own end.
    pub fn finalize_in_its_place(&self) {
        // A program of sessions alone has no world to leave.
        if self.init.life.check_initialized().is_ok()
            && let Err(error) = self.finalize()
        {
            tracing::debug!("MPI_Finalize in the program's place: {error:?}");
        }
    }

    /// No other thread is in a function of MPI, and none gets in before the end.
    fn finalize(&self) -> Result<()> {
        self.keeping_turn(|| self.finalize_alone())
    }

    fn finalize_alone(&self) -> Result<()> {
        self.tell_profile()?;
        self.close_post()?;
        self.leave_requests();
        self.free_stand_ins();
        self.free_quads();
        let call = self.symbol::<symbols::MPI_Finalize>()?;
        // SAFETY: MPI is initialised. Callbacks for attributes of MPI_COMM_SELF run meanwhile, and may call MPI.
        let code = unsafe { call() };
        // Whatever it says: a library that failed halfway is asked no more than what its code means.
        self.init.life.end();
        self.check(code)
    }
}

/// `MPI_Init`: the guest's arguments are no business of the library's.
pub(crate) fn init(r: &Rank, _argc: Addr, _argv: Addr) -> Result<()> {
    r.initialise(|| {
        let call = r.symbol::<symbols::MPI_Init>()?;
        // SAFETY: both pointers may be null.
        Ok(unsafe { call(std::ptr::null_mut(), std::ptr::null_mut()) })
    })
}

/// `MPI_Init_thread`: what the library provides.
pub(crate) fn init_thread(r: &Rank, _argc: Addr, _argv: Addr, required: i32, provided_at: Addr) -> Result<()> {
    r.room(provided_at, 4, "provided")?;
    let mut provided = 0;
    r.initialise(|| {
        let call = r.symbol::<symbols::MPI_Init_thread>()?;
        // SAFETY: the first two may be null, and the result is on the stack.
        Ok(unsafe { call(std::ptr::null_mut(), std::ptr::null_mut(), required, &mut provided) })
    })?;
    r.init.thread_level.set(provided);
    if provided == MPI_THREAD_MULTIPLE && r.init.has_threads() {
        r.begin_several();
    }
    r.put_int(provided_at, provided, "provided")
}

/// `MPI_Finalize`
pub(crate) fn finalize(r: &Rank) -> Result<()> {
    r.init.life.check_initialized()?;
    if r.threads.has_lent() {
        return Err(Error::new(MPI_ERR_OTHER, "another thread is still in a function of MPI"));
    }
    r.finalize()
}

/// `MPI_Abort`: the guest is unwound and its output written before the library ends the job.
pub(crate) fn abort(r: &Rank, comm: u32, errorcode: i32) -> Result<()> {
    r.comm(comm, "comm")?;
    r.stop(Stop::Aborted { code: errorcode, error: None });
    Ok(())
}
