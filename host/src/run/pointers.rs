//! Pointers of a guest that a debugger follows without our file for gdb (`rankine sdk gdb`).
//!
//! Debug information describes such a pointer as an object whose `*` is a function of Wasmtime's. It panics where nobody has
//! said whose memory is meant, and an expression that somebody typed would end the job. So somebody says it: an instance
//! whose memory nobody can look at. The debugger then says that it can't.

#[cfg(target_os = "linux")]
use std::io;

use anyhow::{Context as _, Result, anyhow};
use wasmtime::{Config, Engine, Instance, Module, Store};
use wasmtime_environ::{HostPtr, PtrSize as _, VMCONTEXT_MAGIC};

/// A program whose memory has no pages; the addresses of all that it could have are reserved.
const NOWHERE: &str = "(module (memory (export \"memory\") 0) (func (export \"any\")))";

/// As many bytes as a guest's pointer can tell apart.
const REACH: u64 = 4 << 30;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "s390x", target_arch = "riscv64"))]
unsafe extern "C" {
    /// What gdb is otherwise told to call, with the context of the frame that is selected. Its name ends with Wasmtime's version.
    #[link_name = "wasmtime_set_vmctx_memory_50_0_1"]
    fn set_context(context: *mut u32);
}

/// Processors without a compiler have no such function, and `--debug` is refused there.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "s390x", target_arch = "riscv64")))]
unsafe fn set_context(_: *mut u32) {}

/// Has every pointer that is followed so lead to no memory, for the rest of the process.
pub(crate) fn lead_nowhere() -> Result<()> {
    let (mut store, instance) = nowhere().map_err(|error| anyhow!("{error:#}"))?;
    #[cfg(target_os = "linux")]
    hide(instance.get_memory(&mut store, "memory").context("it is exported")?.data_ptr(&store))?;
    let function = instance.get_func(&mut store, "any").context("it is exported")?;
    let described = function.to_raw(&mut store).cast::<u8>();
    let place = usize::from(HostPtr.vm_func_ref().vmctx());
    // SAFETY: the pointer leads to a `VMFuncRef` of the store, which is alive; Wasmtime itself says where in one the pointer
    // to the context lies.
    let context = unsafe { described.add(place).cast::<*mut u32>().read() };
    // SAFETY: the context of a function is never null, is alive as its store is, and begins with four bytes that say of what
    // kind it is.
    if unsafe { context.read() } == VMCONTEXT_MAGIC {
        // SAFETY: it is the context of an instance, as its first bytes say. Only a debugger has it used, and the store stays.
        unsafe { set_context(context) };
    }
    std::mem::forget(store);
    Ok(())
}

/// An instance of the program, and its store.
fn nowhere() -> wasmtime::Result<(Store<()>, Instance)> {
    let mut config = Config::new();
    // In this thread: others would be left when the wall goes up.
    config.parallel_compilation(false).memory_may_move(false).memory_reservation(REACH);
    let engine = Engine::new(&config)?;
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, NOWHERE)?;
    let instance = Instance::new(&mut store, &module, &[])?;
    Ok((store, instance))
}

/// Puts a file without bytes where a memory could have its pages. Rights are nothing to a debugger; but where no file is, there
/// is nothing that it could read.
#[cfg(target_os = "linux")]
fn hide(base: *mut u8) -> io::Result<()> {
    let file = tempfile::tempfile()?;
    let (rights, how) = (libc::PROT_NONE, libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE);
    // SAFETY: so many bytes from there on are reserved for the memory of an instance that has none and never asks for one.
    let at = unsafe { libc::mmap(base.cast(), REACH as usize, rights, how, std::os::fd::AsRawFd::as_raw_fd(&file), 0) };
    if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}
