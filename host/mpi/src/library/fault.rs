//! Crashes of the MPI library.
//!
//! A library trusts what a rank's peers send it, so that some of them bring it down: MPICH 5.0.2, for one, when a message
//! that has come early ends within an element of a type with gaps. The rank can't go on then, but its end is told like
//! every other: the thread that crashed stays in the handler of the signal, another says what happened, and only when all
//! is written the process ends by the signal, which no launcher overlooks.

use std::ffi::{CStr, c_int, c_void};
use std::io::{PipeReader, PipeWriter, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context as _, Result, ensure};

use crate::rank::Rank;

/// What the processor raises for an instruction that can't be carried out.
const SIGNALS: [(c_int, &str); 4] = [
    (libc::SIGSEGV, "segmentation fault"),
    (libc::SIGBUS, "bus error"),
    (libc::SIGFPE, "arithmetic error"),
    (libc::SIGILL, "illegal instruction"),
];

/// Who had the signals before, in the order of [`SIGNALS`], and how a crash is told.
struct Watch {
    before: [libc::sigaction; SIGNALS.len()],
    writer: PipeWriter,
    /// Until somebody listens.
    reader: Mutex<Option<PipeReader>>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// The signal by which this process is to end.
static CRASHED: OnceLock<c_int> = OnceLock::new();

/// A crash, as the handler saw it.
#[repr(C)]
#[derive(Copy, Clone)]
struct Fault {
    signal: c_int,
    /// What was accessed.
    address: usize,
    /// The instruction that did, where the system's registers are known.
    instruction: usize,
    call: &'static str,
}

/// Catches the signals, before Wasmtime does: it passes on what is not a trap of the guest's.
pub fn catch() -> Result<()> {
    let (reader, writer) = std::io::pipe().context("can't make a pipe")?;
    let mut before = [MaybeUninit::<libc::sigaction>::uninit(); SIGNALS.len()];
    for ((signal, _), before) in SIGNALS.iter().zip(&mut before) {
        // SAFETY: the action is read into room for one.
        let code = unsafe { libc::sigaction(*signal, std::ptr::null(), before.as_mut_ptr()) };
        ensure!(code == 0, "can't ask who handles signal {signal}");
    }
    // SAFETY: each was read above.
    let before = before.map(|before| unsafe { before.assume_init() });
    if WATCH.set(Watch { before, writer, reader: Mutex::new(Some(reader)) }).is_ok() {
        for (signal, _) in SIGNALS {
            // SAFETY: an action of zeroes is one, and what is not zero is set here.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            action.sa_sigaction = caught as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            // SAFETY: `caught` does what may be done in the handler of a signal.
            unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
        }
    }
    Ok(())
}

/// Waits for a crash, and tells the job of it; `bug` says that the host itself is to blame, for a call.
pub fn tell(library: &Path, bug: fn(&str) -> String, failed: impl FnOnce(String) + Send + 'static) -> Result<()> {
    let reader = WATCH.get().and_then(|watch| watch.reader.lock().unwrap_or_else(PoisonError::into_inner).take());
    let Some(mut reader) = reader else { return Ok(()) };
    let library = library.display().to_string();
    let wait = move || {
        let mut bytes = [0; size_of::<Fault>()];
        if reader.read_exact(&mut bytes).is_ok() {
            // SAFETY: the handler has written a whole one, as a pipe takes what is so short in one piece; its `&'static str`
            // is of this process.
            let fault: Fault = unsafe { bytes.as_ptr().cast::<Fault>().read_unaligned() };
            let _ = CRASHED.set(fault.signal);
            failed(in_words(&fault, &library, bug));
        }
    };
    std::thread::Builder::new().name("crashes".into()).spawn(wait).context("can't start a thread")?;
    Ok(())
}

/// Ends this process by the signal of a crash, if the library has crashed.
pub fn end_crashed() {
    if let Some(&signal) = CRASHED.get() {
        // SAFETY: both calls take numbers alone.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::kill(libc::getpid(), signal);
        }
        std::process::abort()
    }
}

/// Whether the rank's thread is stuck in the library, for ever.
pub fn has_crashed() -> bool {
    CRASHED.get().is_some()
}

fn in_words(fault: &Fault, library: &str, bug: fn(&str) -> String) -> String {
    let Fault { address, call, .. } = *fault;
    let signal = SIGNALS.iter().find(|(signal, _)| *signal == fault.signal).map_or("signal", |(_, name)| name);
    let own = file_of(in_words as *const () as usize);
    match file_of(fault.instruction) {
        Some(file) if own.as_ref() == Some(&file) => format!("{signal} at address {address:#x}: {}", bug(call)),
        file => {
            let place = file.as_deref().and_then(|file| Path::new(file).file_name()?.to_str()).unwrap_or("its code");
            format!(
                "the MPI library crashed in {call} ({signal} in {place}, at address {address:#x}): {library} could \
                 not handle this call. Try the engine local (`rankine run -n N`, without a launcher), which reports \
                 a program's mistakes, or another library (--mpi-lib); if the program is right, please report it"
            )
        }
    }
}

/// The file that an instruction was loaded from.
fn file_of(instruction: usize) -> Option<String> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address is looked up, whatever it is, and what was found is written into room for it.
    let is_known = unsafe { libc::dladdr(instruction as *const c_void, found.as_mut_ptr()) } != 0;
    // SAFETY: zeroes are such a structure too.
    let file = unsafe { found.assume_init() }.dli_fname;
    // SAFETY: a name that is known is text of the loader's, which stays as long as the file is loaded.
    (is_known && !file.is_null()).then(|| unsafe { CStr::from_ptr(file) }.to_string_lossy().into_owned())
}

/// The handler: the thread of a rank that is in a call says so and waits for the end; others go the way they went before.
extern "C" fn caught(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(watch) = WATCH.get() else { return };
    let call = Rank::call_on_this_thread();
    if call.is_empty() {
        return as_before(watch, signal, info, context);
    }
    // SAFETY: the kernel gives both to a handler that asks for them.
    let (address, instruction) = unsafe { ((*info).si_addr() as usize, instruction(context)) };
    let fault = Fault { signal, address, instruction, call };
    // SAFETY: the bytes of a structure on the stack; a pipe takes so few in one piece.
    let written = unsafe { libc::write(watch.writer.as_raw_fd(), (&raw const fault).cast(), size_of::<Fault>()) };
    if written < 0 {
        return as_before(watch, signal, info, context);
    }
    loop {
        // SAFETY: it takes nothing.
        unsafe { libc::pause() };
    }
}

/// Does what was done about a signal before.
fn as_before(watch: &Watch, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(at) = SIGNALS.iter().position(|(known, _)| *known == signal) else { return };
    let before = &watch.before[at];
    let is_function = before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN;
    if is_function && before.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: a handler that was installed with these parameters.
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(before.sa_sigaction) };
        return handler(signal, info, context);
    }
    // The instruction is carried out again, and ends the process.
    // SAFETY: the action was the system's own or of a handler that stands for it.
    unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
}

/// The instruction at which a thread was interrupted.
///
/// # Safety
/// The context is what the kernel gave to a handler.
#[allow(unused_variables, reason = "not every system's registers are known")]
unsafe fn instruction(context: *mut c_void) -> usize {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    // SAFETY: the kernel gave the handler this context, which has the registers.
    return unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
    // SAFETY: the kernel gave the handler this context, which has the registers.
    return unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc as usize };
    #[allow(unreachable_code, reason = "where the registers are known")]
    0
}
