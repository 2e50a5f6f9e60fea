//! The call that a thread's program has made of an MPI library, for whoever looks at the thread meanwhile: it can't say itself
//! what it waits for.
//!
//! A call is noted on the stack of its thread, and read by a signal's handler on the same thread: nothing is shared.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{Ordering, compiler_fence};

use rankine_abi::{Function, ValueType};
use wasmtime::ValRaw;

/// Words of a call that are read: no function has more.
pub(super) const MOST_WORDS: usize = 32;

/// A call under way.
pub(crate) struct Inside {
    function: &'static Function,
    /// It is called by its import for programs with 64-bit addresses.
    is_lp64: bool,
    /// Its words, which lie in the frame of what leads from the program to the host.
    words: *const MaybeUninit<ValRaw>,
}

thread_local! {
    /// The innermost call of this thread. Without a destructor, a signal's handler may ask for it.
    static CALL: Cell<*const Inside> = const { Cell::new(ptr::null()) };
}

impl Inside {
    pub(crate) fn new(function: &'static Function, is_lp64: bool, words: &[MaybeUninit<ValRaw>]) -> Inside {
        Inside { function, is_lp64, words: words.as_ptr() }
    }

    /// Makes the call while it is this thread's.
    #[inline]
    pub(crate) fn during<T>(&self, call: impl FnOnce() -> T) -> T {
        struct Leaves(*const Inside);
        impl Drop for Leaves {
            fn drop(&mut self) {
                CALL.set(self.0);
                compiler_fence(Ordering::SeqCst);
            }
        }
        let _leaves = Leaves(CALL.get());
        compiler_fence(Ordering::SeqCst);
        CALL.set(self);
        call()
    }
}

/// Reads the innermost call of this thread: its function, and its words where there is room for them. Also where its words end.
pub(super) fn read(mut word: impl FnMut(usize, i64)) -> Option<(&'static Function, usize)> {
    // SAFETY: what is noted lives as long as the call, which this thread is in.
    let inside = unsafe { CALL.try_with(Cell::get).ok()?.as_ref() }?;
    for (at, kind) in inside.function.words(inside.is_lp64).enumerate().take(MOST_WORDS) {
        // SAFETY: the words are the call's parameters, and have been set before the call began. Nobody writes to them but this
        // thread, which is in the midst of the call.
        let value = unsafe { inside.words.add(at).cast::<ValRaw>().read_volatile() };
        word(
            at,
            match kind {
                ValueType::I32 => i64::from(value.get_i32()),
                ValueType::I64 => value.get_i64(),
                ValueType::F64 => value.get_f64() as i64,
            },
        );
    }
    // The result has a word, too.
    let end = inside.words.wrapping_add(inside.function.parameters.len().max(1)).expose_provenance();
    Some((inside.function, end))
}
