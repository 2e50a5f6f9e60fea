//! The state of one rank that Wasmtime's store carries: its engine's rank, its WASI world, its limits.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard};

use rankine_guest::{Account, Charge, Cost, Together, Who, copy};
use rankine_object::Objects;
use rankine_view::{Publisher, View};
use wasmtime::{
    AsContext, AsContextMut, Caller, Extern, Memory, ResourceLimiter, Result, SharedMemory, Store, format_err,
};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::p1::wasi_snapshot_preview1::WasiSnapshotPreview1;
use wiggle::GuestMemory;

use crate::guest::Placement;
use crate::guest::Rank;
use crate::guest::callback::Signatures;
use crate::guest::files::Files;
use crate::guest::python::Interpreter;
use crate::guest::stage::Stage;
use crate::guest::team::{self, Member, Team, Turn};
use crate::guest::told::Ear;
use crate::module::symbols::Symbols;
use crate::module::{HOST_STACK, call_stack};
use rankine_rewrite::guard::LOWEST;

/// The guest called `exit`: not an error, but Wasmtime unwinds a guest only by one.
#[derive(Debug)]
pub struct Exit(pub i32);

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the guest exited with status {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// The job ended while this rank waited in an MPI call, which unwinds its guest.
#[derive(Debug)]
pub struct Stopped {
    /// The call and what it waited for, in words.
    pub waiting: String,
    /// The blocking collective that it waited in.
    pub together: Option<Together>,
    /// The job ended because all ranks waited.
    pub in_deadlock: bool,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the job ended while the rank was in {}", self.waiting)
    }
}

impl std::error::Error for Stopped {}

/// The job ends because this rank wants it to.
#[derive(Debug)]
pub(crate) struct Abort {
    /// The exit status asked for.
    pub(crate) code: i32,
    /// The error that was fatal (the function, the rank, and what was wrong), unless the program itself called
    /// `MPI_Abort`.
    pub(crate) error: Option<String>,
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(text) => f.write_str(text),
            None => write!(f, "the program aborted with code {}", self.code),
        }
    }
}

impl std::error::Error for Abort {}

/// Guest memory that the host keeps for operands of callbacks.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Scratch {
    pub(crate) at: u64,
    pub(crate) size: u64,
}

/// A guest's linear memory.
#[derive(Clone)]
pub(crate) enum Linear {
    /// It belongs to the store.
    Own(Memory),
    /// It belongs to all threads of the rank.
    Shared(SharedMemory),
}

/// The memory of a guest that calls, for functions that take no turn of their rank. It is mapped as long as the guest runs and
/// never moves; what is inside stays inside.
#[derive(Copy, Clone)]
pub(crate) struct Reach {
    pub(crate) base: *mut u8,
    pub(crate) size: u64,
    /// Below lies the null page, if it was taken from the memory (else 0).
    pub(crate) lowest: u64,
}

impl Reach {
    /// Where so many bytes begin, if all of them are inside.
    pub(crate) fn at(self, address: impl Into<u64>, bytes: u64) -> Option<*mut u8> {
        let address = address.into();
        let end = address.checked_add(bytes)?;
        let is_inside = end <= self.size && (address >= self.lowest || bytes == 0);
        is_inside.then(|| self.base.wrapping_add(address as usize))
    }

    /// Copies bytes out of the guest that were proved to be there.
    pub(crate) fn read(self, address: u32, bytes: &mut [u8]) {
        if let Some(from) = self.at(address, bytes.len() as u64) {
            // SAFETY: so many bytes are mapped at `from`, and the slice is ours.
            unsafe { copy::copy(bytes.as_mut_ptr(), from, bytes.len()) };
        }
    }

    /// Copies bytes into the guest, where they were proved to have room.
    pub(crate) fn write(self, address: u32, bytes: &[u8]) {
        if let Some(to) = self.at(address, bytes.len() as u64) {
            // SAFETY: so many bytes are mapped at `to`, and the slice is ours.
            unsafe { copy::copy(to, bytes.as_ptr(), bytes.len()) };
        }
    }
}

impl Linear {
    /// Where it is, and how large by now.
    pub(crate) fn place(&self, store: impl AsContext) -> (*mut u8, usize) {
        match self {
            Linear::Own(memory) => (memory.data_ptr(&store), memory.data_size(&store)),
            // The pointer of an `UnsafeCell` may be written through.
            Linear::Shared(memory) => (memory.data().as_ptr().cast_mut().cast(), memory.data_size()),
        }
    }

    /// More pages at its end; how many it had.
    pub(crate) fn grow(&self, store: impl AsContextMut, pages: u64) -> Result<u64> {
        match self {
            Linear::Own(memory) => memory.grow(store, pages),
            Linear::Shared(memory) => memory.grow(pages),
        }
    }
}

/// The WASI state that a call works on.
pub(crate) enum Wasi<'a> {
    Own(&'a mut WasiP1Ctx),
    /// That of all threads of the rank.
    Shared(MutexGuard<'a, WasiP1Ctx>),
}

impl Deref for Wasi<'_> {
    type Target = WasiP1Ctx;

    fn deref(&self) -> &WasiP1Ctx {
        match self {
            Wasi::Own(wasi) => wasi,
            Wasi::Shared(wasi) => wasi,
        }
    }
}

impl DerefMut for Wasi<'_> {
    fn deref_mut(&mut self) -> &mut WasiP1Ctx {
        match self {
            Wasi::Own(wasi) => wasi,
            Wasi::Shared(wasi) => wasi,
        }
    }
}

/// What a store holds: that of a rank, or of one of its threads.
pub(crate) struct Guest<R: Rank> {
    /// Threads of a rank share it, and look into it one at a time (see [`Team`]).
    rank: Arc<R>,
    who: Who,
    /// Which thread of its rank it is, if the program can have several.
    member: Option<Member<R>>,
    /// Which stack its code and the host's calls from it run on: one thread's, or fibers'.
    pub(crate) placement: Placement,
    objects: Arc<Objects>,
    /// Of a thread, what is its own business: waiting for time to pass.
    wasi: WasiP1Ctx,
    /// What it shows goes there, if anybody may look.
    publisher: Option<Arc<Publisher>>,
    /// Who hears of its calls of MPI, if anybody does.
    ear: Option<Ear<R>>,
    /// Those that it may use; threads of a rank share them.
    files: Arc<Files>,
    /// Where it is said where the rank waits.
    pub(crate) stage: Arc<Stage>,
    /// The exported memory, known once the module is instantiated.
    memory: Option<Linear>,
    /// Below lies the null page, if it is taken from its memory (else 0).
    lowest: u64,
    /// It interprets Python.
    pub(crate) interpreter: Option<Interpreter>,
    pub(crate) scratch: Scratch,
    /// What WASI is shown instead of the memory while it moves bytes.
    pub(crate) block: Vec<u8>,
    pub(crate) limits: Limits,
    /// Callbacks of MPI that run inside one another.
    pub(crate) callbacks: u32,
    /// For the stacks of those on a fiber that run inside another one.
    stacks: Vec<Charge>,
    /// A callback runs within a call that can't let other ranks run (see `callback::answer_at_once`).
    pub(crate) cannot_wait: bool,
    /// Of the functions that MPI has called.
    pub(crate) signatures: Signatures,
    /// What the host's mathematics has worked out for it.
    pub(crate) kept: Option<Box<dyn Any + Send>>,
    /// As [`Guest::watch_heap`] says.
    watches_heap: bool,
    /// For its instance.
    charge: Charge,
}

/// How deep callbacks may nest.
const MAX_CALLBACKS: u32 = 64;

// SAFETY: a rank's `Rc`s never leave its store and the stack that its code runs on, and those move between threads only
// together. A store whose rank has ended is kept, and no more looked into. Stores of a team's threads share the rank and
// its objects, which are looked into with the team's turn alone.
unsafe impl<R: Rank> Send for Guest<R> {}

impl<R: Rank> Guest<R> {
    /// A callback begins, unless too many are under way inside one another.
    pub(crate) fn nest(caller: &mut Caller<'_, Self>) -> Result<()> {
        let guest = caller.data_mut();
        if guest.callbacks == MAX_CALLBACKS {
            return Err(format_err!("callbacks of MPI nest deeper than {MAX_CALLBACKS} calls"));
        }
        // Every rank has room for one, as for its own stack.
        if guest.callbacks > 0 && guest.placement == Placement::Fibers {
            let charge = guest.limits.account.charge(call_stack() + HOST_STACK, Cost::CallbackStacks);
            guest.stacks.push(charge.map_err(|error| format_err!("{}", error.text))?);
        }
        guest.callbacks += 1;
        Self::tell_depth(caller.data());
        Ok(())
    }

    /// A callback has ended.
    pub(crate) fn unnest(caller: &mut Caller<'_, Self>) {
        let guest = caller.data_mut();
        guest.callbacks -= 1;
        guest.stacks.truncate(guest.callbacks.saturating_sub(1) as usize);
        Self::tell_depth(caller.data());
    }

    /// The calls within callbacks share the memory that a call may use.
    fn tell_depth(guest: &Self) {
        guest.rank.memory().set_depth(guest.callbacks);
    }

    /// A guest before its module is instantiated.
    pub(crate) fn new(
        rank: Arc<R>,
        placement: Placement,
        wasi: WasiP1Ctx,
        files: Arc<Files>,
        view: Option<&Arc<View>>,
        ear: Option<Ear<R>>,
        stage: Arc<Stage>,
    ) -> Guest<R> {
        let account = rank.account().clone();
        let publisher = view.map(|view| Arc::new(Publisher::new(view, rank.who(), &account)));
        #[expect(clippy::arc_with_non_send_sync, reason = "threads of a rank look into it one at a time")]
        let objects = Arc::new(Objects::new(&account));
        Guest {
            who: rank.who(),
            rank,
            member: None,
            placement,
            objects,
            wasi,
            publisher,
            ear,
            files,
            stage,
            memory: None,
            lowest: 0,
            interpreter: None,
            scratch: Scratch::default(),
            block: Vec::new(),
            limits: Limits::new(account),
            callbacks: 0,
            stacks: Vec::new(),
            cannot_wait: false,
            signatures: Signatures::default(),
            kept: None,
            watches_heap: false,
            charge: Charge::default(),
        }
    }

    /// What its instance was charged, until it is gone.
    pub(crate) fn keep_charged(&mut self, charge: Charge) {
        self.charge = charge;
    }

    /// Its program was changed to tell what it does with its heap.
    pub(crate) fn watch_heap(&mut self) {
        self.watches_heap = true;
    }

    /// Whether it was.
    pub(crate) fn watches_heap(&self) -> bool {
        self.watches_heap
    }

    /// The guest of a thread that its rank has beside the main one.
    pub(crate) fn of_team(team: Arc<Team<R>>, number: u32, wasi: WasiP1Ctx) -> Guest<R> {
        let (rank, objects, who) = team.identity();
        let (account, memory, lowest) = (team.account().clone(), team.memory().clone(), team.lowest());
        Guest {
            rank,
            who,
            objects,
            publisher: team.publisher().cloned(),
            ear: team.ear().map(Ear::of_another_thread),
            files: team.files().clone(),
            stage: team.stage().clone(),
            member: Some(Member { team, number }),
            placement: Placement::Threads,
            wasi,
            memory: Some(Linear::Shared(memory)),
            lowest,
            interpreter: None,
            scratch: Scratch::default(),
            block: Vec::new(),
            limits: Limits::new(account),
            callbacks: 0,
            stacks: Vec::new(),
            cannot_wait: false,
            signatures: Signatures::default(),
            kept: None,
            // Programs with threads are refused.
            watches_heap: false,
            charge: Charge::default(),
        }
    }

    /// Its program is guarded, and from before it is instantiated nobody looks at the null page of its memory, whose rank
    /// this is.
    pub(crate) fn leave_null_page(&mut self) {
        self.rank.memory().set_lowest(LOWEST);
        self.lowest = LOWEST;
    }

    /// Its program has 64-bit addresses, and this is told before it is instantiated.
    pub(crate) fn widen(&mut self) {
        self.rank.memory().widen();
    }

    /// The lowest address that is used: behind the page that is taken from its memory, if so.
    pub(crate) fn lowest(&self) -> u64 {
        self.lowest
    }

    /// It is the main thread of a team. What it had of WASI becomes the team's.
    pub(crate) fn join(&mut self, team: Arc<Team<R>>) {
        self.memory = Some(Linear::Shared(team.memory().clone()));
        self.member = Some(Member { team, number: team::MAIN });
    }

    /// Its rank. That of a team may be looked into with the turn only.
    #[inline]
    pub(crate) fn rank(&self) -> &Arc<R> {
        &self.rank
    }

    /// Which rank it is, for those who watch.
    pub(crate) fn who(&self) -> Who {
        self.who
    }

    /// Which thread of its rank it is, if the program can have several.
    #[inline]
    pub(crate) fn member(&self) -> Option<&Member<R>> {
        self.member.as_ref()
    }

    /// Begins a call from the guest: the rank learns how large the memory is by now, and one with threads takes its turn, which
    /// the caller gives back last.
    #[inline(always)]
    pub(crate) fn begin(caller: &mut Caller<'_, Self>, call: &str, any_thread: bool) -> Result<Turn<R>> {
        let guest = caller.data();
        // What most calls find.
        if guest.member.is_none() && !guest.limits.grows {
            return Ok(Turn::of_none());
        }
        Self::settle(caller, call, any_thread)
    }

    #[cold]
    fn settle(caller: &mut Caller<'_, Self>, call: &str, any_thread: bool) -> Result<Turn<R>> {
        let turn = Turn::begin(caller.data().member(), call, any_thread)?;
        Self::refresh_memory(caller)?;
        Ok(turn)
    }

    /// Tells the rank where its guest's memory is and how large it is by now.
    #[inline]
    pub(crate) fn refresh_memory(caller: &mut Caller<'_, Self>) -> Result<()> {
        if caller.data().limits.grows { Self::look_at_memory(caller) } else { Ok(()) }
    }

    #[cold]
    fn look_at_memory(caller: &mut Caller<'_, Self>) -> Result<()> {
        let memory = Self::memory(caller)?;
        Self::tell_memory(caller, memory);
        Ok(())
    }

    fn tell_memory(mut store: impl AsContextMut<Data = Self>, memory: Linear) {
        let (base, size) = memory.place(&store);
        // SAFETY: a memory never moves, and stores are kept until every rank of the job has ended. A memory that threads
        // share only grows, so what is inside it now stays so.
        unsafe { store.as_context().data().rank.memory().set(base, size as u64) };
        let mut store = store.as_context_mut();
        let guest = store.data_mut();
        // Other threads may have a memory grow at any time.
        guest.limits.grows = guest.member.is_some();
    }

    /// Tells the rank where its memory is while no call is under way: before the program begins, and once it has ended.
    pub(crate) fn refresh_known(store: &mut Store<Self>) {
        if let Some(memory) = store.data().memory.clone() {
            Self::tell_memory(store, memory);
        }
    }

    /// The types that it described.
    #[inline]
    pub(crate) fn objects(&self) -> &Arc<Objects> {
        &self.objects
    }

    /// Remembers the exported memory, so that a call need not look it up by name.
    pub(crate) fn set_memory(&mut self, memory: Memory) {
        self.memory.get_or_insert(Linear::Own(memory));
    }

    /// The exported memory, once it is known.
    pub(crate) fn known_memory(&self) -> Option<&Linear> {
        self.memory.as_ref()
    }

    /// The line of Python that it is in, if it interprets Python.
    pub(crate) fn line_of_python(store: &impl AsContext<Data = Self>) -> Option<String> {
        let guest = store.as_context().data();
        let (interpreter, (base, size)) = (guest.interpreter?, guest.memory.as_ref()?.place(store));
        interpreter.place(Reach { base, size: size as u64, lowest: guest.lowest })
    }

    /// The place of a call that it tells of: its own number, or that of the line of Python that it interprets.
    pub(crate) fn place_of_call(caller: &Caller<'_, Self>, symbols: &Symbols, site: u32) -> u32 {
        Self::line_of_python(caller).and_then(|line| symbols.number_of_line(line)).unwrap_or(site)
    }

    /// The memory of the guest that calls, unless its rank has ended.
    pub(crate) fn reach(caller: &mut Caller<'_, Self>) -> Result<Reach> {
        if let Some(member) = caller.data().member() {
            member.team.check()?;
        }
        let (base, size) = Self::memory(caller)?.place(&*caller);
        Ok(Reach { base, size: size as u64, lowest: caller.data().lowest })
    }

    /// The memory of the guest that calls.
    #[inline]
    pub(crate) fn memory(caller: &mut Caller<'_, Self>) -> Result<Linear> {
        match &caller.data().memory {
            Some(memory) => Ok(memory.clone()),
            // A start function runs before the instance's exports are known to us.
            None => match caller.get_export("memory") {
                Some(Extern::Memory(memory)) => Ok(Linear::Own(memory)),
                _ => Err(format_err!("the module exports no memory named \"memory\"")),
            },
        }
    }

    /// What it may take of memory.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.limits.account
    }

    /// Where it shows what it publishes, if anybody may look.
    pub(crate) fn publisher(&self) -> Option<&Arc<Publisher>> {
        self.publisher.as_ref()
    }

    /// Who hears of its calls of MPI, if anybody does.
    pub(crate) fn ear(&self) -> Option<&Ear<R>> {
        self.ear.as_ref()
    }

    /// The files that it may use.
    pub(crate) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    /// The memory and the WASI state of the guest that calls, side by side.
    ///
    /// The memory is described as shared because other ranks, and threads, may copy into it during the call.
    pub(crate) fn wasi_view<'a>(caller: &'a mut Caller<'_, Self>) -> Result<(GuestMemory<'a>, &'a mut WasiP1Ctx)> {
        // SAFETY: the store is borrowed for as long.
        let memory = unsafe { Self::memory_of(caller)? };
        let fuel = caller.data().limits.hostcall_fuel();
        let wasi = &mut caller.data_mut().wasi;
        wasi.set_hostcall_fuel(fuel);
        Ok((memory, wasi))
    }

    /// Memory and WASI for a thread that waits for time to pass, while the others go on: it knows none of their descriptors.
    pub(crate) fn wasi_to_wait<'a>(caller: &'a mut Caller<'_, Self>) -> Result<(GuestMemory<'a>, &'a mut WasiP1Ctx)> {
        if let Some(member) = caller.data().member() {
            member.team.check()?;
        }
        Self::wasi_view(caller)
    }

    /// Memory and WASI of a guest that may have threads: these share their descriptors.
    pub(crate) fn wasi_of_all<'a>(caller: &'a mut Caller<'_, Self>) -> Result<(GuestMemory<'a>, Wasi<'a>)> {
        // SAFETY: the store is borrowed for as long.
        let memory = unsafe { Self::memory_of(caller)? };
        let fuel = caller.data().limits.hostcall_fuel();
        let guest = caller.data_mut();
        let mut wasi = match &guest.member {
            None => Wasi::Own(&mut guest.wasi),
            Some(member) => Wasi::Shared(member.team.wasi()?),
        };
        wasi.set_hostcall_fuel(fuel);
        Ok((memory, wasi))
    }

    /// The memory as WASI sees it.
    ///
    /// # Safety
    /// The store outlives `'a`.
    unsafe fn memory_of<'a>(caller: &mut Caller<'_, Self>) -> Result<GuestMemory<'a>> {
        let (base, size) = Self::memory(caller)?.place(&*caller);
        // SAFETY: `size` bytes from `base` are mapped until the store is dropped, and a memory never moves
        // (`memory_may_move(false)`). `UnsafeCell` states that others may write them.
        let bytes = unsafe { std::slice::from_raw_parts(base as *const UnsafeCell<u8>, size) };
        Ok(GuestMemory::Shared(bytes))
    }
}

/// What a guest may take from the machine: memories, tables and the heap of its references together.
#[derive(Debug)]
pub struct Limits {
    account: Arc<Account>,
    /// Bytes that were charged.
    taken: u64,
    /// A growth that was refused, for the report if the guest then fails.
    pub refused: Option<usize>,
    /// A memory has been made or has grown since its rank was told of its size.
    grows: bool,
}

impl Limits {
    /// Limits of a guest that is still to be made.
    pub(crate) fn new(account: Arc<Account>) -> Limits {
        Limits { account, taken: 0, refused: None, grows: true }
    }

    /// Bytes that one call of WASI may make the host copy: what the rank may still have.
    fn hostcall_fuel(&self) -> usize {
        self.account.free().clamp(LEAST_FUEL, MOST_FUEL) as usize
    }

    /// Whether something may grow that has `current` bytes. What the system then refuses stays charged.
    fn grow(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> bool {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return false;
        }
        let more = desired.saturating_sub(current) as u64;
        let allowed = self.account.grow_guest(more);
        if allowed {
            self.taken += more;
        } else {
            self.refused = Some(desired);
        }
        allowed
    }
}

impl Drop for Limits {
    fn drop(&mut self) {
        self.account.shrink_guest(self.taken);
    }
}

/// What one call of WASI may copy whatever is left: a path, a few lines.
const LEAST_FUEL: u64 = 1 << 20;
/// And at most: as much as a guest can address.
const MOST_FUEL: u64 = 4 << 30;

/// Elements of one table: far beyond any real program, small enough that a table can't exhaust the machine.
const MAX_TABLE: usize = 10_000_000;

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        let allowed = self.grow(current, desired, maximum);
        self.grows |= allowed;
        Ok(allowed)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        // An element takes a pointer's worth of space.
        let [current, bytes] = [current, desired].map(|elements| elements.saturating_mul(size_of::<usize>()));
        let maximum = maximum.map(|maximum| maximum.saturating_mul(size_of::<usize>()));
        Ok(desired <= MAX_TABLE && self.grow(current, bytes, maximum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_share_a_limit() {
        let account = Account::new(Some(1 << 20));
        let mut limits = Limits::new(account.clone());
        assert!(limits.memory_growing(0, 512 << 10, None).unwrap());
        assert!(limits.table_growing(0, 32 << 10, None).unwrap());
        assert!(limits.memory_growing(512 << 10, 768 << 10, None).unwrap());
        assert_eq!((account.used(), limits.refused), (1 << 20, None));
        assert!(!limits.table_growing(32 << 10, (32 << 10) + 1, None).unwrap());
        assert!(!limits.memory_growing(0, 1 << 16, None).unwrap());
        assert_eq!(limits.refused, Some(1 << 16));
    }

    #[test]
    fn what_its_type_forbids_costs_nothing() {
        let account = Account::new(Some(1 << 20));
        let mut limits = Limits::new(account.clone());
        for _ in 0..100 {
            assert!(!limits.memory_growing(1 << 16, 2 << 16, Some(1 << 16)).unwrap());
            assert!(!limits.table_growing(1, usize::MAX, Some(2)).unwrap());
        }
        assert_eq!((account.used(), limits.refused), (0, None));
    }
}
