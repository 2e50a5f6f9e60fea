//! Looks at a thread that runs compiled code: where it is, and who called it.
//!
//! The thread is sent a signal, and the handler walks its stack by the frame pointers that Wasmtime's code always has. What lies
//! outside of that code has none, so the walk ends where the guest has called the host, or was called by it. A thread that is in
//! a call of an MPI library has left the code by a frame that lies behind the words of its call, and the walk begins there.

use rankine_abi::Function;

/// What was seen of a thread.
pub(super) struct Seen {
    /// The call of an MPI library that it is in, with its words.
    pub(super) call: Option<(&'static Function, Vec<i64>)>,
    /// Its stack: offsets in the code, innermost first.
    pub(super) stack: Vec<usize>,
}

/// Looks at the thread with the system's number. `None` where nothing can be seen, or the thread is elsewhere.
pub(super) fn at(thread: i32, code: &[u8]) -> Option<Seen> {
    if thread == 0 { None } else { imp::at(thread, code.as_ptr_range()) }
}

/// The system's number of this thread.
pub(super) fn this_thread() -> i32 {
    imp::this_thread()
}

#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod imp {
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::ptr;
    use std::sync::atomic::{AtomicI32, AtomicI64, AtomicPtr, AtomicUsize, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};
    use std::time::{Duration, Instant};

    use rankine_abi::Function;

    use super::Seen;
    use crate::guest::stage::inside::{self, MOST_WORDS};
    use rankine_system::thread_number::thread_number;

    /// What nothing else here sends.
    const SIGNAL: c_int = libc::SIGPROF;
    /// Frames that are walked.
    const MOST: usize = 64;
    /// How long a thread may take to answer, on a busy machine.
    const PATIENCE: Duration = Duration::from_millis(200);

    /// The look that is under way: at which thread, in which code, and what was found. There is one at a time.
    struct Look {
        thread: AtomicI32,
        code: [AtomicUsize; 2],
        frames: [AtomicUsize; MOST],
        /// The call of an MPI library that it is in, or null, and its words.
        function: AtomicPtr<Function>,
        words: [AtomicI64; MOST_WORDS],
        /// One more than there are, once the thread has answered.
        found: AtomicUsize,
    }

    static LOOK: Look = Look {
        thread: AtomicI32::new(0),
        code: [const { AtomicUsize::new(0) }; 2],
        frames: [const { AtomicUsize::new(0) }; MOST],
        function: AtomicPtr::new(ptr::null_mut()),
        words: [const { AtomicI64::new(0) }; MOST_WORDS],
        found: AtomicUsize::new(0),
    };

    pub(super) fn this_thread() -> i32 {
        thread_local!(static THREAD: Cell<i32> = const { Cell::new(0) });
        if THREAD.get() == 0 {
            THREAD.set(thread_number());
        }
        THREAD.get()
    }

    pub(super) fn at(thread: i32, code: Range<*const u8>) -> Option<Seen> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_listening() {
            return None;
        }
        LOOK.found.store(0, Ordering::SeqCst);
        LOOK.function.store(ptr::null_mut(), Ordering::SeqCst);
        LOOK.code[0].store(code.start as usize, Ordering::SeqCst);
        LOOK.code[1].store(code.end as usize, Ordering::SeqCst);
        LOOK.thread.store(thread, Ordering::SeqCst);
        // SAFETY: three numbers. If the thread has ended, the call fails; if another has its number by now, that one doesn't
        // answer, or is of this job and in its code.
        let sent = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, SIGNAL) } == 0;
        let until = Instant::now() + PATIENCE;
        while sent && LOOK.found.load(Ordering::SeqCst) == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_micros(100));
        }
        // Whoever answers later finds that nobody looks at it.
        LOOK.thread.store(0, Ordering::SeqCst);
        let frames = LOOK.found.load(Ordering::SeqCst).checked_sub(1)?;
        let offset = |frame: &AtomicUsize| frame.load(Ordering::SeqCst) - code.start as usize;
        // SAFETY: the handler has stored a reference to a function that lives for ever, or nothing.
        let function = unsafe { LOOK.function.load(Ordering::SeqCst).as_ref() };
        let words = |function: &Function| {
            let words = LOOK.words.iter().take(function.parameters.len());
            words.map(|word| word.load(Ordering::SeqCst)).collect()
        };
        let call = function.map(|function| (function, words(function)));
        let stack = LOOK.frames[..frames].iter().map(offset).collect();
        (frames > 0 || call.is_some()).then_some(Seen { call, stack })
    }

    /// Installs the handler, once.
    fn is_listening() -> bool {
        static LISTENS: OnceLock<bool> = OnceLock::new();
        *LISTENS.get_or_init(|| {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: an action of zeroes is a valid one, which is made this handler's; the handler does what a handler may.
            unsafe {
                let action = action.assume_init_mut();
                action.sa_sigaction = answer as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
                libc::sigaction(SIGNAL, action, ptr::null_mut()) == 0
            }
        })
    }

    extern "C" fn answer(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel hands every handler of this kind a context. Calls that fail change this thread's `errno` only,
        // which is put back.
        unsafe {
            let (context, errno) = (&*context.cast::<libc::ucontext_t>(), *libc::__errno_location());
            if LOOK.thread.load(Ordering::SeqCst) == thread_number() {
                let (at, frame) = registers(context);
                let frames = match walk(at, frame) {
                    0 => called(),
                    frames => frames,
                };
                LOOK.found.store(frames + 1, Ordering::SeqCst);
            }
            *libc::__errno_location() = errno;
        }
    }

    /// Notes the call of an MPI library that this thread is in, if it is in one, and the frames of those who made it; how many.
    fn called() -> usize {
        /// How far behind the words of a call the frame may be that has them.
        const NEAR: usize = 1024;
        let word = |at: usize, word| LOOK.words[at].store(word, Ordering::SeqCst);
        let Some((function, end)) = inside::read(word) else { return 0 };
        LOOK.function.store(ptr::from_ref(function).cast_mut(), Ordering::SeqCst);
        let end = end.next_multiple_of(16);
        let mut frames = (end..end + NEAR).step_by(16).map(|frame| {
            // Whoever lies there is below its caller.
            let called = read(frame).filter(|[outer, _]| *outer > frame && *outer - frame < 1 << 20);
            called.map_or(0, |[outer, back]| walk(back.wrapping_sub(1), outer))
        });
        frames.find(|frames| *frames > 0).unwrap_or(0)
    }

    /// Notes the frames that lie in the code, from this instruction and frame on; how many there are.
    fn walk(mut at: usize, mut frame: usize) -> usize {
        let code = LOOK.code[0].load(Ordering::SeqCst)..LOOK.code[1].load(Ordering::SeqCst);
        let mut frames = 0;
        while frames < MOST && code.contains(&at) {
            LOOK.frames[frames].store(at, Ordering::SeqCst);
            frames += 1;
            let Some([outer, back]) = read(frame) else { break };
            // A stack grows downwards: the frames of callers lie above. The call is before the place to return to.
            if outer <= frame {
                break;
            }
            (at, frame) = (back.wrapping_sub(1), outer);
        }
        frames
    }

    /// The caller's frame and the place to return to, which lie where a frame begins; `None` if nothing can be read there.
    fn read(frame: usize) -> Option<[usize; 2]> {
        // Both lie in one page.
        if frame == 0 || !frame.is_multiple_of(16) {
            return None;
        }
        // The system reads a set of signals there before it finds that nothing is to be done with it.
        const NOTHING: c_int = -1;
        // SAFETY: the system reads eight bytes, or says that it can't; the mask stays as it is.
        let probed = unsafe {
            libc::syscall(libc::SYS_rt_sigprocmask, NOTHING, frame, ptr::null_mut::<c_void>(), size_of::<u64>());
            *libc::__errno_location()
        };
        if probed != libc::EINVAL {
            return None;
        }
        // SAFETY: two aligned words of a page that can be read, on the stack of this thread, which is in this handler.
        Some(unsafe { ptr::read_volatile(frame as *const [usize; 2]) })
    }

    #[cfg(target_arch = "x86_64")]
    fn registers(context: &libc::ucontext_t) -> (usize, usize) {
        let register = |number: c_int| context.uc_mcontext.gregs[number as usize] as usize;
        (register(libc::REG_RIP), register(libc::REG_RBP))
    }

    #[cfg(target_arch = "aarch64")]
    fn registers(context: &libc::ucontext_t) -> (usize, usize) {
        const FRAME: usize = 29;
        (context.uc_mcontext.pc as usize, context.uc_mcontext.regs[FRAME] as usize)
    }

    #[cfg(target_arch = "riscv64")]
    fn registers(context: &libc::ucontext_t) -> (usize, usize) {
        // In the place of the register that is always zero stands where the thread is.
        const AT: usize = 0;
        const FRAME: usize = 8;
        let register = |number: usize| context.uc_mcontext.__gregs[number] as usize;
        (register(AT), register(FRAME))
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
)))]
mod imp {
    use std::ops::Range;

    pub(super) fn this_thread() -> i32 {
        0
    }

    pub(super) fn at(_: i32, _: Range<*const u8>) -> Option<super::Seen> {
        None
    }
}
