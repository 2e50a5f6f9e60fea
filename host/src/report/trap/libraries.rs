//! Frames of the libraries beneath a program. A report leaves them out: a user looks for the line that called them.

use rankine_toolchain::FORGIVING_CALL;
use wasmtime::FrameInfo;

use crate::module::symbols::Place;
use rankine_rewrite::heap::WRAPPER;

/// How a frame is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Whole,
    /// The function alone: it is the C library's, and has no line that a user could look at.
    Name,
    Not,
}

/// What the C library's sources lie in, wherever it was compiled.
const C_LIBRARY: [&str; 2] = ["/libc-top-half/", "/libc-bottom-half/"];

/// Functions that end a program, of C's library and of C++'s.
const ENDS: [&str; 14] = [
    "abort",
    "raise",
    "core_handler",
    "__assert_fail",
    "_Exit",
    "exit",
    "abort_message",
    "__abort_message",
    "demangling_terminate_handler()",
    "std::terminate()",
    "std::__terminate(void (*)())",
    "__cxa_throw",
    "__cxa_rethrow",
    "_Unwind_RaiseException",
];

/// Functions that start a program. What clang calls `__original_main` is the program's own.
const STARTS: [&str; 3] = ["_start", "__main_void", "__wasm_call_ctors"];

/// The main program of Fortran, and the names of `main` beneath it.
const FORTRAN_MAIN: &str = "the main program";
const MAIN: [&str; 3] = ["main", "__main_argc_argv", "__original_main"];

/// What Rust's own reports go by: a program lies between these.
const RUST_BEGIN: &str = "std::sys::backtrace::__rust_begin_short_backtrace";
const RUST_END: &str = "std::sys::backtrace::__rust_end_short_backtrace";
/// Functions of Rust's that panic, where a program's own would be.
const RUST_PANICS: [&str; 6] = [
    "__rustc::rust_begin_unwind",
    "rust_begin_unwind",
    "core::panicking::",
    "core::result::unwrap_failed",
    "core::option::",
    "std::panicking::",
];

/// What stands behind the name of a function of the C library that is shown by its name alone.
pub(super) const ITS: &str = ", of the C library";

/// Whether a line of a report is of a function of the C library.
pub(crate) fn is_the_c_librarys(line: &str) -> bool {
    line.ends_with(ITS) || C_LIBRARY.iter().any(|folder| line.contains(folder))
}

/// How many of the innermost frames are of Fortran's runtime, which has said what is wrong.
pub(super) fn of_fortrans_runtime(frames: &[FrameInfo]) -> usize {
    let is_its = |name: &str| name.starts_with("_FortranA") || name.contains("Fortran::runtime::");
    let names = frames.iter().map(|frame| frame.func_name().unwrap_or_default());
    let inner = names.take_while(|name| is_its(name) || *name == "abort");
    inner.enumerate().filter(|(_, name)| is_its(name)).last().map_or(0, |(at, _)| at + 1)
}

/// How a program has had itself ended, if the names of its innermost frames tell.
pub(super) fn ended_by<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'static str> {
    let mut names = names.take_while(|name| ENDS.contains(name)).peekable();
    names.peek().filter(|innermost| **innermost == "abort")?;
    Some(names.fold("the program called abort", |cause, name| match name {
        "__assert_fail" => "an assertion failed, as it says above",
        "raise" => "the program raised a signal, as it says above",
        "std::terminate()" => "the program was ended by C++'s std::terminate",
        _ => cause,
    }))
}

/// How the frames of a stack are shown, innermost first, by their names as the language has them, and their places. All of
/// them if none is the program's.
pub(super) fn shown(frames: &[(&str, &[Place])]) -> Vec<Shown> {
    let begin = frames.iter().rposition(|(name, _)| name.starts_with(RUST_END)).map_or(0, |at| at + 1);
    let begin = begin + count(&frames[begin..], |name| RUST_PANICS.iter().any(|its| name.starts_with(its)));
    let end = frames.iter().position(|(name, _)| name.starts_with(RUST_BEGIN)).unwrap_or(frames.len());
    let is_main = |(name, _): &(&str, &[Place])| MAIN.contains(name);
    let end = match frames[..end].iter().position(|(name, _)| *name == FORTRAN_MAIN).map(|at| at + 1) {
        Some(at) if frames.get(at).is_some_and(is_main) => at,
        _ => end,
    };
    let mut shown = vec![Shown::Not; frames.len()];
    for at in begin..end {
        let (name, places) = frames[at];
        shown[at] = match () {
            _ if name.starts_with(FORGIVING_CALL) || name.starts_with(WRAPPER) => Shown::Not,
            _ if ENDS.contains(&name) || STARTS.contains(&name) => Shown::Not,
            _ if !is_of_the_c_library(places) => Shown::Whole,
            // Of functions of the library that call one another, the one that the program called.
            _ if frames.get(at + 1).is_some_and(|(_, places)| is_of_the_c_library(places)) => Shown::Not,
            _ => Shown::Name,
        };
    }
    if shown.contains(&Shown::Whole) { shown } else { vec![Shown::Whole; frames.len()] }
}

fn count(frames: &[(&str, &[Place])], is_its: impl Fn(&str) -> bool) -> usize {
    frames.iter().take_while(|(name, _)| is_its(name)).count()
}

fn is_of_the_c_library(places: &[Place]) -> bool {
    places.first().and_then(|place| place.file.as_deref()).is_some_and(is_the_c_librarys)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str) -> Vec<Place> {
        vec![Place { file: Some(file.into()), ..Place::default() }]
    }

    fn of(frames: &[(&str, &[Place])]) -> Vec<Shown> {
        shown(frames)
    }

    #[test]
    fn of_the_c_library_only_what_the_program_called_is_shown() {
        use Shown::{Name, Not, Whole};
        let (library, own) = (place("./wasi/libc-top-half/musl/src/x.c"), place("main.c"));
        let frames: [(&str, &[Place]); 7] = [
            ("abort", &library),
            ("raise", &library),
            ("compare", &own),
            ("sift", &library),
            ("qsort", &library),
            ("__original_main", &[]),
            ("_start", &library),
        ];
        assert_eq!(of(&frames), [Not, Not, Whole, Not, Name, Whole, Not]);
        assert_eq!(of(&frames[6..]), [Whole]);
    }

    #[test]
    fn of_rust_and_fortran_what_lies_around_the_program_is_not_shown() {
        use Shown::{Not, Whole};
        let frames: [(&str, &[Place]); 7] = [
            ("std::panicking::rust_panic", &[]),
            ("std::sys::backtrace::__rust_end_short_backtrace", &[]),
            ("core::panicking::panic_fmt", &[]),
            ("solver::step", &[]),
            ("solver::main", &[]),
            ("std::sys::backtrace::__rust_begin_short_backtrace", &[]),
            ("std::rt::lang_start", &[]),
        ];
        assert_eq!(of(&frames), [Not, Not, Not, Whole, Whole, Not, Not]);
        let frames: [(&str, &[Place]); 4] = [("step", &[]), (FORTRAN_MAIN, &[]), ("main", &[]), ("_start", &[])];
        assert_eq!(of(&frames), [Whole, Whole, Not, Not]);
    }

    #[test]
    fn how_a_program_has_had_itself_ended() {
        assert_eq!(ended_by(["abort", "main"].into_iter()), Some("the program called abort"));
        assert!(ended_by(["abort", "__assert_fail", "main"].into_iter()).unwrap().contains("assertion"));
        assert_eq!(ended_by(["main", "abort"].into_iter()), None);
    }
}
