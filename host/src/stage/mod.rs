//! Where a rank is while it runs: one that waits says so itself when it is asked, one that computes is looked at.

mod inside;
mod look;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use rankine_guest::Who;
use wasmtime::{Module, ModuleFunction, WasmBacktrace};

use crate::call_words;
use crate::ending::{Event, Remote, is_the_programs};
use crate::symbols::Symbols;
use crate::trap;

#[cfg(unix)]
pub(crate) use inside::Inside;

/// Where a rank is, seen from outside.
pub(crate) enum Seen {
    /// It computes in this place of its source.
    Computes(String),
    /// It is in this call of an MPI library, made in this place.
    Calls(String, Option<String>),
}

/// A rank's program, and the thread that runs it at this moment.
pub(crate) struct Stage {
    who: Who,
    code: Module,
    symbols: Arc<Symbols>,
    remote: Remote,
    /// The system's number of the thread, or 0.
    thread: AtomicI32,
}

impl Stage {
    pub(crate) fn new(who: Who, code: &Module, symbols: &Arc<Symbols>, remote: &Remote) -> Arc<Stage> {
        let (code, symbols, remote) = (code.clone(), symbols.clone(), remote.clone());
        Arc::new(Stage { who, code, symbols, remote, thread: AtomicI32::new(0) })
    }

    /// Runs the program, or some of it, on this thread.
    pub(crate) fn run<T>(&self, run: impl FnOnce() -> T) -> T {
        struct Leaves<'a>(&'a AtomicI32);
        impl Drop for Leaves<'_> {
            fn drop(&mut self) {
                self.0.store(0, Ordering::Relaxed);
            }
        }
        self.thread.store(look::this_thread(), Ordering::Relaxed);
        let _leaves = Leaves(&self.thread);
        run()
    }

    /// The rank waits, in these words, where its guest's stack is this: whoever has asked is told.
    pub(crate) fn waits(&self, waiting: String, stack: &WasmBacktrace) {
        let place = trap::stack(stack.frames(), &self.symbols).into_iter().find(|frame| is_the_programs(frame));
        self.remote.tell(Event::Waits { who: self.who, waiting, place });
    }

    /// Where the program is in its source, if that can be seen from outside.
    pub(crate) fn seen(&self) -> Option<Seen> {
        let look::Seen { call, stack } = look::at(self.thread.load(Ordering::Relaxed), self.code.text())?;
        let place = stack.iter().filter_map(|&at| self.place(at)).find(|place| is_the_programs(place));
        match call {
            Some((function, words)) => {
                Some(Seen::Calls(call_words::in_words(function.name, Some(function), &words), place))
            }
            None => place.map(Seen::Computes),
        }
    }

    /// The innermost of these places that is the program's own and not a library's: functions, and offsets in the module.
    pub(crate) fn program_place(&self, callers: &[(Arc<str>, u32)]) -> Option<String> {
        const LIBRARIES: [&str; 6] =
            ["operator new", "std::", "void std::", "_FortranA", "Fortran::", "rankine_fortran_"];
        let own = |(name, offset): &(Arc<str>, u32)| {
            let offset = self.symbols.in_module(*offset)?;
            let places = self.symbols.places(&[offset]).swap_remove(0);
            let place = trap::place_in_words(Some(name), offset, &places);
            let is_a_librarys = LIBRARIES.iter().any(|library| place.starts_with(library));
            (is_the_programs(&place) && !is_a_librarys).then_some(place)
        };
        callers.iter().find_map(own)
    }

    /// The place of an instruction, by its offset in the compiled code.
    fn place(&self, at: usize) -> Option<String> {
        let of = |function: &ModuleFunction| function.offset..function.offset + function.len;
        let function = self.code.functions().find(|function| of(function).contains(&at))?;
        // Instructions that the compiler has added belong to what stands before them.
        let before = self.code.address_map()?.take_while(|(begin, _)| *begin <= at);
        let inside = before.filter(|(begin, _)| of(&function).contains(begin));
        let offset = inside.filter_map(|(_, offset)| offset).last()?;
        let offset = self.symbols.in_module(offset)?;
        let places = self.symbols.places(&[offset]).swap_remove(0);
        let name = function.name.unwrap_or_else(|| format!("function {}", function.index.as_u32()));
        Some(trap::place_in_words(Some(&name), offset, &places))
    }
}
