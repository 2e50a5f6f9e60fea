//! Starting and ending (MPI-5.0 §11.2), and what a rank says about itself: version, name, clock (chapter 9).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use rankine_abi::{
    Addr, Comm, Info, MPI_ERR_ARG, MPI_ERR_BASE, MPI_ERR_NO_MEM, MPI_ERR_OTHER, MPI_SUBVERSION, MPI_THREAD_FUNNELED,
    MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE, MPI_VERSION,
};
use rankine_guest::{Callback, Life, Phase};

use crate::abi_query as fortran;
use crate::attr;
use crate::error::{Error, Result};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::world::End;

/// What a rank knows of its own start and end.
#[derive(Default)]
pub(crate) struct State {
    life: Life,
    thread_level: Cell<i32>,
    /// The highest level that a session was given.
    of_sessions: Cell<i32>,
    /// Of a program with threads: whether the one that initialised MPI calls.
    is_main: Cell<Option<bool>>,
    /// What `MPI_Alloc_mem` gave and `MPI_Free_mem` did not get back.
    allocated: RefCell<HashMap<Addr, Charge>>,
    pub(crate) fortran: fortran::State,
}

impl Rank {
    /// Refuses a call before `MPI_Init` or after `MPI_Finalize`, while no session is open either. The host asks before
    /// every function that may not be called at any time.
    #[inline]
    pub fn check_running(&self) -> Result<()> {
        self.init.life.check_running()
    }

    /// Where the rank is between its start and its end.
    pub fn phase(&self) -> Phase {
        self.init.life.phase()
    }

    /// The level of thread support that was given, by `MPI_Init_thread` or to a session.
    pub fn thread_level(&self) -> i32 {
        self.init.thread_level.get().max(self.init.of_sessions.get())
    }

    /// The level of a session that asks for this one. One that doesn't ask has what `MPI_Init_thread` gave, or any.
    pub(crate) fn session_level(&self, asked: Option<i32>) -> i32 {
        let known = self.init.life.was_initialized().then(|| self.init.thread_level.get());
        let level = asked.max(known).unwrap_or(MPI_THREAD_MULTIPLE);
        self.init.of_sessions.set(self.init.of_sessions.get().max(level));
        level
    }

    /// The program can have threads; the one that calls is, or isn't, the one that initialised MPI.
    pub fn set_thread(&self, is_main: bool) {
        self.init.is_main.set(Some(is_main));
    }

    /// A session has been opened (`by` 1) or closed (-1).
    pub(crate) fn count_sessions(&self, by: i32) {
        self.init.life.count_sessions(by);
    }
}

/// `MPI_Init`
pub fn init(r: &Rank) -> Result<()> {
    init_thread(r, MPI_THREAD_SINGLE).map(drop)
}

/// `MPI_Init_thread`: the level that is asked for.
pub fn init_thread(r: &Rank, required: i32) -> Result<i32> {
    r.init.life.check_fresh()?;
    let levels = [MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE];
    if !levels.contains(&required) {
        return Err(Error::new(MPI_ERR_ARG, format!("required is {required}, which is not a level of thread support")));
    }
    r.init.life.begin();
    r.init.thread_level.set(required);
    Ok(required)
}

/// `MPI_Initialized`
pub fn initialized(r: &Rank) -> Result<bool> {
    Ok(r.init.life.was_initialized())
}

/// `MPI_Finalize`: the attributes of `MPI_COMM_SELF` go first, then what this rank still owes others is delivered.
/// Nobody waits for a rank that owes nothing.
pub async fn finalize(r: &Rank) -> Result<()> {
    r.init.life.check_initialized()?;
    r.check_not_hearing(MPI_ERR_OTHER)?;
    attr::delete_own(r).await?;
    r.flush_all().await;
    r.end_orphans().await;
    r.name_leftovers();
    r.init.life.end();
    Ok(())
}

/// `MPI_Finalized`
pub fn finalized(r: &Rank) -> Result<bool> {
    Ok(r.init.life.is_finalized())
}

/// `MPI_Abort`: the whole job ends, whatever the communicator.
pub async fn abort(r: &Rank, _comm: Comm, errorcode: i32) -> Result<()> {
    r.world().end(End::Abort { rank: r.id(), code: errorcode });
    std::future::pending().await
}

/// `MPI_Query_thread`
pub fn query_thread(r: &Rank) -> Result<i32> {
    Ok(r.init.thread_level.get())
}

/// `MPI_Is_thread_main`
pub fn is_thread_main(r: &Rank) -> Result<bool> {
    Ok(r.init.is_main.get().unwrap_or(true))
}

/// `MPI_Get_version`
pub fn get_version(_: &Rank) -> Result<(i32, i32)> {
    Ok((MPI_VERSION, MPI_SUBVERSION))
}

/// `MPI_Get_library_version`
pub fn get_library_version(_: &Rank) -> Result<String> {
    Ok(format!("Rankine {} (embedded engine: ranks in one process)", env!("CARGO_PKG_VERSION")))
}

/// `MPI_Get_processor_name`: the name of the node, as the operating system gives it.
pub fn get_processor_name(_: &Rank) -> Result<String> {
    Ok(processor_name())
}

/// What the machine that this is on is called.
pub fn processor_name() -> String {
    host_name().filter(|name| !name.is_empty()).unwrap_or_else(|| "localhost".into())
}

#[cfg(all(unix, not(miri)))]
fn host_name() -> Option<String> {
    let mut name = [0u8; 256];
    // SAFETY: the array has the length that is passed.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) } != 0;
    let length = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    (!failed).then(|| String::from_utf8_lossy(&name[..length]).into_owned())
}

/// Windows sets it for every program.
#[cfg(not(all(unix, not(miri))))]
fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// `MPI_Wtime`: seconds since the job began, the same clock for all ranks.
pub fn wtime(r: &Rank) -> f64 {
    r.world().seconds()
}

/// `MPI_Wtick`: the clock counts nanoseconds.
pub fn wtick(_: &Rank) -> f64 {
    1e-9
}

/// `MPI_Pcontrol`: there is no profiler to control.
pub fn pcontrol(_: &Rank, _level: i32) -> Result<()> {
    Ok(())
}

/// `MPI_Alloc_mem`: memory of the guest's own allocator.
pub async fn alloc_mem(r: &Rank, size: i64, info: Info) -> Result<Addr> {
    if size < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is negative")));
    }
    r.hints(info)?;
    let charge = r.account.charge(64, Cost::Blocked)?;
    let address = r.allocated(size.max(1) as u64).await;
    if address.is_null() {
        return Err(Error::new(MPI_ERR_NO_MEM, format!("the guest's allocator has no {size} bytes left")));
    }
    r.init.allocated.borrow_mut().insert(address, charge);
    Ok(address)
}

/// `MPI_Free_mem`
pub async fn free_mem(r: &Rank, base: Addr) -> Result<()> {
    if base.is_null() {
        return Ok(());
    }
    if r.init.allocated.borrow_mut().remove(&base).is_none() {
        let text = format!("{:#x} is not an address that MPI_Alloc_mem gave, or was freed already", base.0);
        return Err(Error::new(MPI_ERR_BASE, text));
    }
    r.ask(Callback::Free { address: base }).await;
    Ok(())
}
