//! What went wrong in a guest, told to a person: the cause in words and the guest's own call stack.

use std::fmt::{self, Write as _};

use wasmtime::{FrameInfo, Trap, WasmBacktrace};

use crate::demangle::demangle;
use crate::module::FRAMES;

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
    pub fn new(error: &wasmtime::Error, refused: Option<usize>) -> Report {
        let mut cause = match error.downcast_ref::<Trap>() {
            Some(trap) => in_words(*trap),
            None => error.root_cause().to_string(),
        };
        if let Some(bytes) = refused {
            let _ = write!(cause, " (before that, the memory limit refused a growth to {} MiB)", bytes >> 20);
        }
        let frames = error.downcast_ref::<WasmBacktrace>().map(|trace| stack(trace.frames())).unwrap_or_default();
        Report { cause, frames }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)?;
        self.frames.iter().try_for_each(|frame| write!(f, "\n    at {frame}"))
    }
}

fn in_words(trap: Trap) -> String {
    match trap {
        Trap::StackOverflow => format!(
            "the call stack is exhausted: calls are nested deeper than {} KiB of stack allow",
            crate::module::GUEST_STACK >> 10
        ),
        Trap::MemoryOutOfBounds => "an access outside the guest's memory".into(),
        Trap::TableOutOfBounds => "a call through a function pointer that is not in the function table".into(),
        Trap::IndirectCallToNull => "a call through a null function pointer".into(),
        Trap::BadSignature => "a call through a function pointer of another type than the function has".into(),
        Trap::IntegerDivisionByZero => "an integer division by zero".into(),
        Trap::IntegerOverflow => "an integer overflow in a division or conversion".into(),
        Trap::BadConversionToInteger => "a floating-point value (NaN or too large) converted to an integer".into(),
        Trap::UnreachableCodeReached => {
            "`unreachable` was executed: an abort, a failed assertion, a panic or undefined behaviour".into()
        }
        other => other.to_string().trim_start_matches("wasm trap: ").to_owned(),
    }
}

fn stack(frames: &[FrameInfo]) -> Vec<String> {
    let mut lines: Vec<String> = frames.iter().flat_map(lines).collect();
    if frames.len() >= FRAMES {
        lines.push("...".into());
    }
    lines
}

/// A frame's lines: more than one where functions were inlined.
fn lines(frame: &FrameInfo) -> Vec<String> {
    let function = || match frame.func_name() {
        Some(name) => demangle(name),
        None => format!("function {}", frame.func_index()),
    };
    if frame.symbols().is_empty() {
        return vec![match frame.module_offset() {
            Some(offset) => format!("{} (offset {offset:#x} of the module)", function()),
            None => function(),
        }];
    }
    let place = |symbol: &wasmtime::FrameSymbol| {
        let mut line = symbol.name().map_or_else(function, demangle);
        if let Some(file) = symbol.file() {
            let _ = write!(line, " ({file}");
            for number in [symbol.line(), symbol.column()].into_iter().flatten() {
                let _ = write!(line, ":{number}");
            }
            line.push(')');
        }
        line
    };
    frame.symbols().iter().map(place).collect()
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
        let report = Report::new(&f.call(&mut store, ()).unwrap_err(), Some(3 << 20));
        assert!(report.cause.contains("unreachable") && report.cause.contains("3 MiB"), "{report}");
        assert!(report.frames[0].starts_with("deep (offset 0x"), "{report}");
        assert_eq!(report.frames.len(), 2);
    }
}
