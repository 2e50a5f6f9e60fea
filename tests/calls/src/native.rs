//! The guest's native twin: runs the same programs with the functions of an MPI library, in a process of its own.
//!
//! What lies in the guest's memory lies at the same addresses, which a process has free below its first 4 GiB. Only what a native
//! program has twice as wide (handles, `MPI_Aint`) lies elsewhere too, each word at twice the distance from the beginning.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use libloading::Library;
use rankine_abi::ValueType;

use crate::catalogue::{Callee, Catalogue, Helper, Origin, What};
use crate::draw::{predefined, slots};
use crate::guest::callback;
use crate::memory::{self, BUFFERS, HANDLES, MAX_PAGES, NUMBERS, PAGES, TEXTS, WORDS};
use crate::program::{Argument, Case};
use crate::telling;

/// What functions are called as: more arguments than one takes do no harm, as its caller takes them away again.
type Any = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;
const MOST: usize = 14;

/// Where the words lie that are twice as wide: those from [`HANDLES`] up to the messages.
const WIDE: u32 = (MAX_PAGES as u32) << 16;
const NARROW: std::ops::Range<u32> = HANDLES..BUFFERS;
const BYTES: usize = (PAGES as usize) << 16;

/// Callbacks of all types: success, and nothing done.
extern "C" fn nothing() -> i32 {
    0
}

/// Replaces what a library takes on trust, and would crash at or take for something else: addresses of nothing, functions and
/// handles that are none. What reads arrays of pointers is left out.
pub fn tame(mut case: Case, catalogue: &Catalogue) -> Case {
    // It reads the program's arguments.
    const TRUSTING: [&str; 1] = ["MPI_Info_create_env"];
    let program = &mut case.programs[0];
    program.calls.retain(|call| !TRUSTING.contains(&catalogue.functions[usize::from(call.function)].name.as_str()));
    for call in &mut program.calls {
        let parameters = &catalogue.functions[usize::from(call.function)].parameters;
        for (argument, (_, what)) in call.arguments.iter_mut().zip(parameters) {
            *argument = tamed(*argument, what, catalogue);
        }
    }
    case
}

fn tamed(argument: Argument, what: &What, catalogue: &Catalogue) -> Argument {
    let there = |from: u32, to: u32| match argument {
        Argument::Is(value) if value == 0 || (from.into()..to.into()).contains(&value) => argument,
        _ => Argument::Is(from.into()),
    };
    match what {
        What::Handle(class) => match argument {
            Argument::At(at) if slots(*class).contains(&at) => argument,
            Argument::Is(value) if predefined(*class).contains(&value) => argument,
            _ => Argument::Is(predefined(*class)[0]),
        },
        What::Function(c_type) => Argument::Is(callback(catalogue, c_type).into()),
        What::Handles(class) => there(slots(*class).start, slots(*class).end),
        What::Tools => there(HANDLES, NUMBERS),
        // Handles among them would be of another width.
        What::Numbers(_) | What::Place => there(NUMBERS, BUFFERS),
        What::Buffer => there(BUFFERS, TEXTS),
        What::Text => there(TEXTS, TEXTS + 0x1_0000),
        What::Pointer => there(NUMBERS + 0x1000, BUFFERS),
        _ => argument,
    }
}

/// Runs a case's first program as the only rank, and prints what the guest would.
pub fn run(library: &Path, catalogue: &Catalogue, case: &Case) -> Result<()> {
    // SAFETY: an MPI library, whose beginning is to be run.
    let library = unsafe { Library::new(library) }.with_context(|| format!("cannot load {}", library.display()))?;
    let native = Native { library, catalogue };
    native.lay_out()?;
    for (name, arguments) in [
        ("MPI_Init", &[0, 0][..]),
        ("MPI_Comm_set_errhandler", &[0x101, 0x143]),
        ("MPI_Comm_set_errhandler", &[0x102, 0x143]),
    ] {
        native.call(name, arguments)?;
    }
    let mut output = std::io::stdout();
    for call in &case.programs[0].calls {
        let callee = &catalogue.functions[usize::from(call.function)];
        let arguments = call.arguments.iter().zip(&callee.parameters);
        let values: Vec<i64> =
            arguments.map(|(argument, (kind, _))| native.value(*argument, *kind)).collect::<Result<_>>()?;
        match callee.origin {
            Origin::Module(rankine_abi::MODULE) => {
                let arguments: Vec<u64> = (0..values.len()).map(|at| native.argument(callee, at, &values)).collect();
                let code = native.call(&callee.name, &arguments)?;
                if callee.returns_code {
                    let class = native.class(code)?;
                    // At once, as the next call may be the last.
                    writeln!(output, "{}", telling::line(call.function, class))?;
                    output.flush()?;
                }
            }
            Origin::Guest(Helper::Store32) => native.store(values[0] as u32, &(values[1] as i32).to_le_bytes()),
            Origin::Guest(Helper::Store64) => native.store(values[0] as u32, &values[1].to_le_bytes()),
            Origin::Guest(Helper::Grow) => {}
            _ => bail!("{} has no native twin", callee.name),
        }
    }
    native.call("MPI_Finalize", &[])?;
    Ok(())
}

struct Native<'a> {
    library: Library,
    catalogue: &'a Catalogue,
}

impl Native<'_> {
    /// Puts what lies in the guest's memory at its addresses.
    fn lay_out(&self) -> Result<()> {
        for (at, bytes) in [(WORDS, BYTES - WORDS as usize), (WIDE, 2 * NARROW.len())] {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
            let place = at as usize as *mut libc::c_void;
            // SAFETY: new memory, which takes nobody's place.
            let found = unsafe { libc::mmap(place, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
            ensure!(found == place, "no memory at {at:#x}: {}", std::io::Error::last_os_error());
        }
        for (at, bytes) in memory::data() {
            self.store(at, &bytes);
        }
        Ok(())
    }

    /// Writes to both places, if it lies at two.
    fn store(&self, at: u32, bytes: &[u8]) {
        if !(WORDS as usize..BYTES - bytes.len()).contains(&(at as usize)) {
            return;
        }
        // SAFETY: inside of what `lay_out` has mapped.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as usize as *mut u8, bytes.len()) };
        let words = bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")));
        for (word, at) in words.zip((at..).step_by(4)).filter(|(_, at)| NARROW.contains(at)) {
            // SAFETY: inside of what `lay_out` has mapped.
            unsafe { (wide(at) as *mut i64).write_unaligned(word.into()) };
        }
    }

    fn value(&self, argument: Argument, kind: ValueType) -> Result<i64> {
        Ok(match argument {
            // The guest has no more of it.
            Argument::Is(value) | Argument::FromRank(value) if kind == ValueType::I32 => (value as i32).into(),
            Argument::Is(value) | Argument::FromRank(value) => value,
            // SAFETY: inside of what `lay_out` has mapped.
            Argument::At(at) if (HANDLES..NUMBERS).contains(&at) => unsafe {
                (wide(at) as *const i64).read_unaligned()
            },
            Argument::At(at) if (WORDS as usize..BYTES - 4).contains(&(at as usize)) => {
                // SAFETY: inside of what `lay_out` has mapped.
                unsafe { (at as usize as *const i32).read_unaligned().into() }
            }
            _ => bail!("{argument} has no native twin"),
        })
    }

    /// What a function is passed for a value of the guest's.
    fn argument(&self, callee: &Callee, at: usize, values: &[i64]) -> u64 {
        let value = values[at];
        let is_wide = callee.as_wide_as_addresses[at];
        match &callee.parameters[at].1 {
            What::Function(c_type) if value == i64::from(callback(self.catalogue, c_type)) => {
                nothing as *const () as u64
            }
            _ if is_wide && u32::try_from(value).is_ok_and(|value| NARROW.contains(&value)) => {
                wide(value as u32) as u64
            }
            _ => value as u64,
        }
    }

    fn call(&self, name: &str, arguments: &[u64]) -> Result<i32> {
        ensure!(arguments.len() <= MOST, "{name} has {} arguments", arguments.len());
        // SAFETY: a function of MPI, which takes as many words or fewer.
        let function = unsafe { self.library.get::<Any>(name.as_bytes()) }?;
        let mut words = [0; MOST];
        words[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = words;
        // SAFETY: nobody knows: what is drawn may end the process, and then it says no more.
        Ok(unsafe { function(a, b, c, d, e, f, g, h, i, j, k, l, m, n) })
    }

    fn class(&self, code: i32) -> Result<i32> {
        let mut class = 0_i32;
        self.call("MPI_Error_class", &[code as u64, &raw mut class as u64])?;
        Ok(class)
    }
}

/// Where a word lies that is twice as wide.
fn wide(at: u32) -> usize {
    (WIDE + 2 * (at - HANDLES)) as usize
}
