//! Where a rank is while it runs: one that waits says so itself when it is asked, one that computes is looked at.

mod inside;
mod look;

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use wasmtime::{Module, ModuleFunction, WasmBacktrace};

use crate::guest::python::Interpreter;
use crate::module::symbols::Symbols;
use crate::report::call_words;
use crate::report::trap::{self, is_the_programs};

#[cfg(unix)]
pub(crate) use inside::Inside;

/// Where a rank is, seen from outside.
pub(crate) enum Seen {
    /// It computes in this place of its source.
    Computes(String),
    /// It is in this call of an MPI library, made in this place.
    Calls(String, Option<String>),
    /// It sleeps, or waits for its input, in this place.
    Sleeps(String),
}

/// A rank's program, and the thread that runs it at this moment.
pub(crate) struct Stage {
    code: Module,
    symbols: Arc<Symbols>,
    /// Hears what the rank waits for, and in which place.
    tell: Box<dyn Fn(String, Option<String>) + Send + Sync>,
    /// The system's number of the thread, or 0.
    thread: AtomicI32,
    /// Where one of its threads sleeps.
    asleep: Mutex<Option<Bed>>,
}

/// Where a program sleeps: its stack, and the line of what it interprets.
struct Bed {
    stack: WasmBacktrace,
    line: Option<String>,
}

/// A program sleeps until this is dropped.
pub(crate) struct Asleep(Arc<Stage>);

impl Drop for Asleep {
    fn drop(&mut self) {
        *self.0.asleep.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Stage {
    pub(crate) fn new(
        code: &Module,
        symbols: &Arc<Symbols>,
        tell: impl Fn(String, Option<String>) + Send + Sync + 'static,
    ) -> Arc<Stage> {
        let (code, symbols, tell) = (code.clone(), symbols.clone(), Box::new(tell));
        Arc::new(Stage { code, symbols, tell, thread: AtomicI32::new(0), asleep: Mutex::default() })
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

    /// The rank waits, in these words, where its guest's stack is this, or in this line of what it interprets: whoever has asked
    /// is told.
    pub(crate) fn waits(&self, waiting: String, line: Option<String>, stack: &WasmBacktrace) {
        let innermost = || trap::stack(stack.frames(), &self.symbols).into_iter().find(|frame| is_the_programs(frame));
        (self.tell)(waiting, line.or_else(innermost));
    }

    /// The program sleeps, where its stack is this, or in this line of what it interprets. What the stack stands for is found out
    /// only if somebody asks.
    pub(crate) fn falls_asleep(self: &Arc<Stage>, stack: WasmBacktrace, line: Option<String>) -> Asleep {
        *self.asleep.lock().unwrap_or_else(PoisonError::into_inner) = Some(Bed { stack, line });
        Asleep(self.clone())
    }

    /// Where the program is in its source, if that can be seen from outside.
    pub(crate) fn seen(&self) -> Option<Seen> {
        self.seen_at_work().or_else(|| {
            let asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            let Bed { stack, line } = asleep.as_ref()?;
            let innermost = || {
                let mut places = trap::stack(stack.frames(), &self.symbols).into_iter();
                places.find(|frame| is_the_programs(frame)).map(|place| self.known_as(place))
            };
            line.clone().or_else(innermost).map(Seen::Sleeps)
        })
    }

    /// How a place is named: one in an interpreter is not the user's, who can't compile it for lines either.
    fn known_as(&self, place: String) -> String {
        match place.split_once(" (") {
            Some((function, _)) if Interpreter::is(&self.code) => format!("{function}, of the interpreter"),
            _ => place,
        }
    }

    fn seen_at_work(&self) -> Option<Seen> {
        let look::Seen { call, stack } = look::at(self.thread.load(Ordering::Relaxed), self.code.text())?;
        let place = stack.iter().filter_map(|&at| self.place(at)).find(|place| is_the_programs(place));
        match call {
            Some((function, words)) => {
                Some(Seen::Calls(call_words::in_words(function.name, Some(function), &words), place))
            }
            None => place.map(|place| Seen::Computes(self.known_as(place))),
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
