//! What went wrong in a guest, told to a person: the cause in words and the guest's own call stack.

mod libraries;

use std::fmt::{self, Write as _};

use rankine_toolchain::FORGIVING_CALL;
use wasmtime::{FrameInfo, ThrownException, Trap, WasmBacktrace};

use self::libraries::Shown;
pub(crate) use self::libraries::is_the_c_librarys;
use crate::module::FRAMES;
use crate::module::demangle::demangle;
use rankine_rewrite::guard::LOWEST;

use crate::module::symbols::{Place, Symbols};
use rankine_system::shown;

/// What a call of the wrong type is.
const OTHER_TYPE: &str = "a call through a function pointer of another type than the function has";

/// Lines of a stack that a report shows, innermost first: functions that were inlined have lines of their own.
const LINES: usize = 100;

/// A trap of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The cause, one sentence without a full stop.
    pub cause: String,
    /// One line per frame, innermost first.
    pub frames: Vec<String>,
}

impl Report {
    /// Explains the error that ended a guest. `refused` is a memory growth that was refused before.
    pub fn new(error: &wasmtime::Error, refused: Option<usize>, symbols: &Symbols) -> Report {
        let trace = error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
        let (runtime, frames) = trace.split_at(libraries::of_fortrans_runtime(trace));
        let mut cause = match error.downcast_ref::<Trap>() {
            Some(Trap::UnreachableCodeReached) if !runtime.is_empty() => {
                "Fortran's runtime ended it, as it says above".into()
            }
            Some(Trap::UnreachableCodeReached) if trace.first().is_some_and(|frame| is_beyond(frame, symbols)) => {
                format!(
                    "an access outside the guest's memory, before its start or above 4 GiB: an index or a pointer is wrong, \
                     or {EXHAUSTED}"
                )
            }
            Some(Trap::UnreachableCodeReached) => {
                let names = trace.iter().map(|frame| frame.func_name().unwrap_or_default());
                libraries::ended_by(names).map_or_else(|| in_words(Trap::UnreachableCodeReached), str::to_owned)
            }
            Some(Trap::BadSignature) if trace.first().is_some_and(is_forgiving) => {
                format!("{OTHER_TYPE}, and neither type can be made of the other (-fforgiving-calls)")
            }
            Some(Trap::MemoryOutOfBounds) => outside(fault(error), error.downcast_ref(), symbols.is_large()),
            Some(trap) => in_words(*trap),
            None if error.is::<ThrownException>() => {
                error.downcast_ref::<Uncaught>().map_or_else(|| Uncaught::default().to_string(), Uncaught::to_string)
            }
            None => error.root_cause().to_string(),
        };
        if let Some(bytes) = refused {
            let _ = write!(cause, " (before that, the memory limit refused a growth to {} MiB)", bytes >> 20);
        }
        let frames = if shows_all() { trace } else { frames };
        Report { cause, frames: stack(frames, symbols) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)?;
        self.frames.iter().try_for_each(|frame| write!(f, "\n    at {frame}"))?;
        advice(self.frames.iter().map(String::as_str)).map_or(Ok(()), |advice| write!(f, "\n    {advice}"))
    }
}

/// Addresses that are this close to 4 GiB, and outside the memory, come from such as lie before its start: an offset may
/// have been added since.
const NEAR: u64 = 1 << 28;

const EXHAUSTED: &str = "the stack is exhausted, the one in the program's memory, by deep recursion or large local variables \
                         (linked with -Wl,-z,stack-size=N it has N bytes, else 8 MiB)";

/// What an access outside the memory was. The stack lies at the start of the memory, or behind the null page, and grows
/// towards it.
fn outside(address: Option<u64>, pointer: Option<&StackPointer>, is_large: bool) -> String {
    match address {
        Some(address) if address < LOWEST => match pointer.is_some_and(|pointer| pointer.is_at_end()) {
            true => format!("{EXHAUSTED}: an access at address {address:#x}"),
            false => format!("a null pointer was used: an access at address {address:#x}"),
        },
        Some(address) if !is_large && address.abs_diff(1 << 32) <= NEAR => {
            format!("an access before the start of the guest's memory: {EXHAUSTED}, or a pointer is wrong")
        }
        // The interpreter tells neither; nor does an instruction that moves many bytes, without a null page.
        None if pointer.is_none() => {
            format!("an access outside the guest's memory: an index or a pointer is wrong, or {EXHAUSTED}")
        }
        _ => "an access outside the guest's memory".into(),
    }
}

/// The address that was not there, which Wasmtime tells in words alone.
fn fault(error: &wasmtime::Error) -> Option<u64> {
    error.chain().find_map(|cause| {
        let text = cause.to_string();
        let (digits, _) = text.strip_prefix("memory fault at wasm address 0x")?.split_once(' ')?;
        u64::from_str_radix(digits, 16).ok()
    })
}

/// Whether the instruction of a frame has met an address that a program with 64-bit ones can't have.
fn is_beyond(frame: &FrameInfo, symbols: &Symbols) -> bool {
    frame.module_offset().is_some_and(|offset| symbols.is_beyond(offset as u32))
}

/// Whether a frame is of what `-fforgiving-calls` puts between a call and a function.
fn is_forgiving(frame: &FrameInfo) -> bool {
    frame.func_name().is_some_and(|name| name.starts_with(FORGIVING_CALL))
}

fn in_words(trap: Trap) -> String {
    match trap {
        Trap::StackOverflow => format!(
            "the call stack is exhausted, the one that the host keeps: calls are nested deeper than its {} KiB allow \
             (rankine run --call-stack SIZE gives it more)",
            crate::module::call_stack() >> 10
        ),
        Trap::TableOutOfBounds => "a call through a function pointer that is not in the function table".into(),
        Trap::IndirectCallToNull => "a call through a null function pointer".into(),
        Trap::BadSignature => {
            format!("{OTHER_TYPE} (linked with -fforgiving-calls, it works as far as it does natively)")
        }
        Trap::IntegerDivisionByZero => "an integer division by zero".into(),
        Trap::IntegerOverflow => "an integer overflow in a division or conversion".into(),
        Trap::BadConversionToInteger => "a floating-point value (NaN or too large) converted to an integer".into(),
        Trap::UnreachableCodeReached => {
            "`unreachable` was executed: an abort, a failed assertion, a panic or undefined behaviour".into()
        }
        other => other.to_string().trim_start_matches("wasm trap: ").to_owned(),
    }
}

/// The lines of a stack, innermost first.
pub(crate) fn stack(frames: &[FrameInfo], symbols: &Symbols) -> Vec<String> {
    let is_cut = frames.len() >= FRAMES;
    let frames = &frames[..frames.len().min(FRAMES)];
    let offset = |frame: &FrameInfo| frame.module_offset().and_then(|at| u32::try_from(at).ok());
    let in_module = |frame| offset(frame).map_or(Some(0), |at| symbols.in_module(at));
    let (own, offsets): (Vec<&FrameInfo>, Vec<u32>) =
        frames.iter().filter_map(|frame| Some((frame, in_module(frame)?))).unzip();
    let places = symbols.places(&offsets);
    let name = |frame: &FrameInfo| match frame.func_name() {
        Some(name) => demangle(name),
        None => format!("function {}", frame.func_index()),
    };
    let names: Vec<String> = own.iter().map(|frame| name(frame)).collect();
    let known = names.iter().zip(&places).map(|(name, places)| (name.as_str(), &places[..]));
    let known: Vec<(&str, &[Place])> = known.collect();
    let how = if shows_all() { vec![Shown::Whole; own.len()] } else { libraries::shown(&known) };
    let line = |at: usize| match how[at] {
        Shown::Whole => lines(known[at].0, own[at].module_offset().map(|_| offsets[at]), known[at].1),
        Shown::Name => vec![readable(known[at].0) + libraries::ITS],
        Shown::Not => Vec::new(),
    };
    let mut lines: Vec<String> = (0..own.len()).flat_map(line).collect();
    if is_cut || lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("...".into());
    }
    lines
}

/// Whether everything is shown that is known: the host was asked to be verbose.
fn shows_all() -> bool {
    tracing::enabled!(tracing::Level::INFO)
}

/// The end of a place of which no line is known.
const NO_LINE: &str = " of the module)";

/// What to do for lines, if none of these places has one.
pub(crate) fn advice<'p>(mut places: impl Iterator<Item = &'p str>) -> Option<&'static str> {
    let mut lacks = false;
    let has_line = |place: &str| {
        let number = place.strip_suffix(')').and_then(|place| place.rsplit_once(':')).map(|(_, number)| number);
        number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let is_known = places.any(|place| {
        lacks |= place.ends_with(NO_LINE);
        has_line(place)
    });
    (lacks && !is_known).then_some("compile with -g for lines (Cargo: debug = true in the profile)")
}

/// A place in a program, by the innermost of what is known of it.
pub(crate) fn place_in_words(function: Option<&str>, offset: u32, places: &[Place]) -> String {
    lines(function.unwrap_or("a function without a name"), Some(offset), places).swap_remove(0)
}

/// The lines of a place in a function: more than one where functions were inlined.
fn lines(function: &str, offset: Option<u32>, places: &[Place]) -> Vec<String> {
    if places.is_empty() {
        return vec![match offset {
            Some(offset) => format!("{} (offset {offset:#x}{NO_LINE}", readable(function)),
            None => readable(function),
        }];
    }
    let line = |place: &Place| {
        let mut line = readable(place.function.as_deref().unwrap_or(function));
        if let Some(file) = &place.file {
            let _ = write!(line, " ({}", shown::line(file));
            for number in [place.line, place.column].into_iter().flatten() {
                let _ = write!(line, ":{number}");
            }
            line.push(')');
        }
        line
    };
    places.iter().map(line).collect()
}

/// A function's name, for a person.
fn readable(name: &str) -> String {
    match name {
        // As clang calls the `main` that takes arguments, and the one that takes none.
        "__main_argc_argv" | "__original_main" => "main".into(),
        _ => shown::line(&demangle(name)),
    }
}

/// Whether a frame is of the program, and not of the functions behind Fortran's bindings, such as `pmpi_recv_`, or of the C
/// library.
pub(crate) fn is_the_programs(frame: &str) -> bool {
    !frame.starts_with("pmpi_") && !is_the_c_librarys(frame)
}

/// What an exception says of itself: its type, then what it tells.
#[derive(Default, Debug)]
pub(crate) struct Uncaught(pub(crate) Option<(String, String)>);

impl fmt::Display for Uncaught {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an exception was thrown that nothing catches")?;
        match &self.0 {
            Some((of, what)) if what.is_empty() => write!(f, ": {of}"),
            Some((of, what)) => write!(f, ": {of}: {what}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Uncaught {}

/// Where the stack pointer was of a program that touched what it may not.
#[derive(Copy, Clone, Debug)]
pub(crate) struct StackPointer(pub(crate) i32);

impl fmt::Display for StackPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stack pointer was {:#x}", self.0)
    }
}

impl std::error::Error for StackPointer {}

impl StackPointer {
    /// Whether the stack had no room left, or hardly any: a function may have locals below without saying so, if it
    /// calls no other.
    pub(crate) fn is_at_end(self) -> bool {
        i64::from(self.0) < 2 * LOWEST as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_names_its_cause_and_stack() {
        let engine = wasmtime::Engine::default();
        let module =
            wasmtime::Module::new(&engine, "(module (func $deep unreachable) (func (export \"f\") call $deep))")
                .unwrap();
        let mut store = wasmtime::Store::new(&engine, ());
        let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap();
        let f = instance.get_typed_func::<(), ()>(&mut store, "f").unwrap();
        let report = Report::new(&f.call(&mut store, ()).unwrap_err(), Some(3 << 20), &Symbols::default());
        assert!(report.cause.contains("unreachable") && report.cause.contains("3 MiB"), "{report}");
        assert!(report.frames[0].starts_with("deep (offset 0x"), "{report}");
        assert_eq!(report.frames.len(), 2);
        assert_eq!(report.to_string().matches("\n    compile with -g").count(), 1);
    }

    #[test]
    fn a_place_is_the_programs_own() {
        assert!(is_the_programs("rest (a.c:3:5)") && is_the_programs("main (offset 0x12 of the module)"));
        for other in
            ["sleep, of the C library", "pmpi_recv_ (glue.c:3:5)", "usleep (./libc-top-half/musl/usleep.c:9:1)"]
        {
            assert!(!is_the_programs(other), "{other}");
        }
    }

    #[test]
    fn lines_are_asked_for_where_there_are_none() {
        let none = "main (offset 0x12 of the module)";
        assert!(advice([none, "sum(int)"].into_iter()).is_some());
        assert!(advice(["sum(int) (sum.cpp:3:4)", none].into_iter()).is_none());
        assert!(advice(["printf, of the C library"].into_iter()).is_none());
    }

    #[test]
    fn an_access_before_the_memory_is_told_from_one_behind_it() {
        for address in [0xffff_fff0, (1 << 32) + 96] {
            assert!(outside(Some(address), None, false).contains("the stack is exhausted"));
        }
        assert_eq!(outside(Some(1 << 31), None, false), "an access outside the guest's memory");
    }

    #[test]
    fn a_null_pointer_is_told_from_an_exhausted_stack() {
        for address in [0, 42, 65535] {
            for pointer in [None, Some(StackPointer(4 << 20))] {
                assert!(outside(Some(address), pointer.as_ref(), false).starts_with("a null pointer"));
            }
            for pointer in [-64, 40, 65535] {
                assert!(
                    outside(Some(address), Some(&StackPointer(pointer)), false).starts_with("the stack is exhausted")
                );
            }
        }
        let elsewhere = "an access outside the guest's memory";
        assert_eq!(outside(Some(65536), None, false), elsewhere);
        assert_eq!(outside(None, Some(&StackPointer(4 << 20)), false), elsewhere);
        assert_eq!(outside(Some(1 << 32), None, true), elsewhere);
        let untold = outside(None, None, false);
        assert!(untold.starts_with(elsewhere) && untold.contains("or the stack is exhausted"), "{untold}");
    }

    #[test]
    fn a_stack_is_at_its_end_where_nothing_is_left() {
        for (pointer, is_at_end) in [(-16, true), (65000, true), (100_000, true), (1 << 20, false), (8 << 20, false)] {
            assert_eq!(StackPointer(pointer).is_at_end(), is_at_end, "{pointer}");
        }
    }
}
