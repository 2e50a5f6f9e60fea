//! The state of one rank that Wasmtime's store carries: its engine's rank, its WASI world, its limits.

use std::cell::UnsafeCell;
use std::fmt;
use std::rc::Rc;

use rankine_local::{Memory as Bytes, Rank};
use rankine_object::Objects;
use wasmtime::{AsContext, Caller, Extern, Memory, ResourceLimiter, Result, format_err};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::p1::wasi_snapshot_preview1::WasiSnapshotPreview1;
use wiggle::GuestMemory;

use crate::job::Placement;
use crate::local::callback::Signatures;
use crate::mpi;

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
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the job ended while the rank was in {}", self.waiting)
    }
}

impl std::error::Error for Stopped {}

/// An MPI error that is fatal, as it is unless the program says otherwise.
#[derive(Debug)]
pub struct Fatal {
    /// The function, the rank, and what was wrong.
    pub text: String,
}

impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fatal {}

/// Guest memory that the host keeps for operands of callbacks.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Scratch {
    pub(crate) at: u32,
    pub(crate) size: u32,
}

/// The rank of a guest, as its engine knows it.
pub(crate) enum Seat {
    /// One of the ranks in this process.
    Embedded(Rc<Rank>),
    /// The rank that this process is, over an MPI library.
    Process(Rc<mpi::rank::Rank>),
}

/// What a rank's store holds.
pub struct Guest {
    seat: Seat,
    /// Which stack its code and the host's calls from it run on: one thread's, or fibers'.
    pub(crate) placement: Placement,
    objects: Rc<Objects>,
    wasi: WasiP1Ctx,
    /// The exported memory, known once the module is instantiated.
    memory: Option<Memory>,
    pub(crate) scratch: Scratch,
    pub(crate) limits: Limits,
    /// Callbacks of MPI that run inside one another.
    pub(crate) callbacks: u32,
    /// A callback runs within a call that can't let other ranks run (see `callback::answer_at_once`).
    pub(crate) cannot_wait: bool,
    /// Of the functions that MPI has called.
    pub(crate) signatures: Signatures,
}

/// How deep callbacks may nest: each has a stack of its own on a fiber, so recursion would take memory without end.
const MAX_CALLBACKS: u32 = 64;

// SAFETY: a rank's `Rc`s never leave its store and its fiber, and those move between threads only together.
unsafe impl Send for Guest {}

impl Guest {
    /// A callback begins, unless too many are under way inside one another.
    pub(crate) fn nest(caller: &mut Caller<'_, Guest>) -> Result<()> {
        let callbacks = &mut caller.data_mut().callbacks;
        if *callbacks == MAX_CALLBACKS {
            return Err(format_err!("callbacks of MPI nest deeper than {MAX_CALLBACKS} calls"));
        }
        *callbacks += 1;
        Ok(())
    }

    /// A guest before its module is instantiated.
    pub(crate) fn new(seat: Seat, placement: Placement, wasi: WasiP1Ctx, limits: Limits) -> Guest {
        Guest {
            seat,
            placement,
            objects: Rc::default(),
            wasi,
            memory: None,
            scratch: Scratch::default(),
            limits,
            callbacks: 0,
            cannot_wait: false,
            signatures: Signatures::default(),
        }
    }

    /// Its identity in the embedded engine, whose shims alone ask for it.
    #[inline]
    pub(crate) fn rank(&self) -> &Rc<Rank> {
        match &self.seat {
            Seat::Embedded(rank) => rank,
            Seat::Process(_) => unreachable!("a shim of the embedded engine in a process of the mpi engine"),
        }
    }

    /// Its identity in the mpi engine, whose shims alone ask for it.
    #[inline]
    pub(crate) fn process(&self) -> &Rc<mpi::rank::Rank> {
        match &self.seat {
            Seat::Process(rank) => rank,
            Seat::Embedded(_) => unreachable!("a shim of the mpi engine in a rank of the embedded one"),
        }
    }

    /// The function of MPI that runs.
    pub(crate) fn call(&self) -> &'static str {
        match &self.seat {
            Seat::Embedded(rank) => rank.call(),
            Seat::Process(rank) => rank.call.get(),
        }
    }

    /// A function of MPI runs, again or for the first time.
    pub(crate) fn set_call(&self, call: &'static str) {
        match &self.seat {
            Seat::Embedded(rank) => rank.enter(call),
            Seat::Process(rank) => rank.call.set(call),
        }
    }

    /// Tells the rank where its guest's memory is and how large it is by now.
    #[inline]
    pub(crate) fn refresh_memory(caller: &mut Caller<'_, Guest>) -> Result<()> {
        if caller.data().limits.grows { Guest::look_at_memory(caller) } else { Ok(()) }
    }

    #[cold]
    fn look_at_memory(caller: &mut Caller<'_, Guest>) -> Result<()> {
        let memory = Guest::memory(caller)?;
        let (base, size) = (memory.data_ptr(caller.as_context()), memory.data_size(caller.as_context()));
        let bytes: &Bytes = match &caller.data().seat {
            Seat::Embedded(rank) => rank.memory(),
            Seat::Process(rank) => rank.memory(),
        };
        // SAFETY: a memory never moves, and stores are kept until every rank of the job has ended.
        unsafe { bytes.set(base, size as u64) };
        caller.data_mut().limits.grows = false;
        Ok(())
    }

    /// The types that it described.
    #[inline]
    pub(crate) fn objects(&self) -> &Rc<Objects> {
        &self.objects
    }

    /// Remembers the exported memory, so that a call need not look it up by name.
    pub(crate) fn set_memory(&mut self, memory: Memory) {
        self.memory = Some(memory);
    }

    /// The memory of the guest that calls.
    #[inline]
    pub(crate) fn memory(caller: &mut Caller<'_, Guest>) -> Result<Memory> {
        match caller.data().memory {
            Some(memory) => Ok(memory),
            // A start function runs before the instance's exports are known to us.
            None => match caller.get_export("memory") {
                Some(Extern::Memory(memory)) => Ok(memory),
                _ => Err(format_err!("the module exports no memory named \"memory\"")),
            },
        }
    }

    /// The memory and the WASI state of the guest that calls, side by side.
    ///
    /// The memory is described as shared because other ranks may copy into it during the call.
    pub(crate) fn wasi_view<'a>(caller: &'a mut Caller<'_, Guest>) -> Result<(GuestMemory<'a>, &'a mut WasiP1Ctx)> {
        let memory = Guest::memory(caller)?;
        let base = memory.data_ptr(caller.as_context());
        let size = memory.data_size(caller.as_context());
        // SAFETY: `size` bytes from `base` are mapped until the store is dropped, and a memory never moves
        // (`memory_may_move(false)`), so they outlive the borrow of the store. `UnsafeCell` states that others may
        // write them.
        let bytes = unsafe { std::slice::from_raw_parts(base as *const UnsafeCell<u8>, size) };
        let wasi = &mut caller.data_mut().wasi;
        // What one call may make the host copy: no more than the guest itself can hold.
        wasi.set_hostcall_fuel(4 << 30);
        Ok((GuestMemory::Shared(bytes), wasi))
    }
}

/// What one rank may take from the machine.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of linear memory, or no limit but wasm's own.
    memory: Option<usize>,
    /// A growth that was refused, for the report if the guest then fails.
    pub refused: Option<usize>,
    /// A memory has been made or has grown since its rank was told of its size.
    grows: bool,
}

impl Limits {
    /// Limits of a guest that is still to be made.
    pub(crate) fn new(memory: Option<usize>) -> Limits {
        Limits { memory, refused: None, grows: true }
    }
}

/// Elements of one table: far beyond any real program, small enough that a table can't exhaust the machine.
const MAX_TABLE: usize = 10_000_000;

impl ResourceLimiter for Limits {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let allowed = self.memory.is_none_or(|limit| desired <= limit);
        if !allowed {
            self.refused = Some(desired);
        }
        self.grows |= allowed;
        Ok(allowed)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= MAX_TABLE)
    }
}
