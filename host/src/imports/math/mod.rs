//! The functions of the import module `rankine_math`: mathematics in the host, on the guest's numbers where they lie. The
//! same on all engines.
//!
//! A function says whether it did the work. It does all of it or nothing: what is unusual (an argument that is wrong, nothing
//! to do, numbers at odd addresses) is left to the compiled routine that the guest was linked with, which knows what to say.
//! So the host need not be able to do everything, and a job that is to be reproducible has it do nothing. Only numbers that
//! are not all in the guest's memory end the rank, as they would if the guest touched them.
//!
//! Matrices are the crate `rankine-math`'s affair, or that of a library which the user has named ([`library`]). What that is
//! called with was read and proved in the same way.
//!
//! A call takes no turn of a rank with threads: it looks at nothing but the memory, which never moves.

mod format;
mod fourier;
mod gate;
pub(crate) mod library;
mod matrices;
mod passed;

use std::fmt;
use std::sync::Arc;

use rankine_guest::{Account, copy};
use wasmtime::{Caller, FuncType, Linker, Val, ValType, format_err};

use crate::guest::{Guest, Rank, Reach};

use fourier::{Transform, Transforms};
use library::{Function as Foreign, Library};
use matrices::Routine;
use passed::Passed;

/// The import module's name.
pub(crate) const MODULE: &str = "rankine_math";

/// Who does what guests ask of this module.
#[derive(Clone, Debug)]
pub(crate) enum Mathematics {
    /// The host, with what this machine has of vectors.
    Host,
    /// A library, and the host where that has no such routine.
    Library(Arc<Library>),
    /// The guest, with the same bits on every machine.
    Guest,
}

/// What a function of the module does.
#[derive(Copy, Clone, Debug)]
enum Function {
    Routine(Routine),
    Transform(Transform),
}

impl Function {
    /// The function of that name, and how many arguments it has.
    fn named(name: &str) -> Option<(Function, usize)> {
        let routine = || Routine::named(name).map(|(routine, arguments)| (Function::Routine(routine), arguments));
        let transform =
            || Transform::named(name).map(|(transform, arguments)| (Function::Transform(transform), arguments));
        routine().or_else(transform)
    }
}

/// Registers the function `name`, if there is one; says whether there is. Its words are numbers and addresses, and as wide as this
/// type says: addresses as those of the program.
pub(crate) fn define<R: Rank>(
    linker: &mut Linker<Guest<R>>,
    ty: &FuncType,
    name: &str,
    mathematics: &Mathematics,
) -> wasmtime::Result<bool> {
    let Some((function, arguments)) = Function::named(name) else { return Ok(false) };
    let name = name.to_owned();
    let words: Vec<ValType> = (0..arguments).map(|argument| word_of(ty, argument)).collect();
    let ty = FuncType::new(linker.engine(), words, [ValType::I32]);
    // Numbers in memory have the byte order of WebAssembly.
    let declines = matches!(mathematics, Mathematics::Guest) || cfg!(target_endian = "big");
    let foreign = match (function, mathematics) {
        (Function::Routine(_), Mathematics::Library(library)) => library.function(&name),
        _ => None,
    };
    linker.func_new(MODULE, &name.clone(), ty, move |mut caller, words, results| {
        let outcome = match declines {
            true => Err(Refusal::Declined),
            false => call(&mut caller, words, function, foreign.as_ref())?,
        };
        results[0] = match outcome {
            Ok(()) => Val::I32(1),
            Err(Refusal::Declined) => Val::I32(0),
            Err(Refusal::Outside(text)) => return Err(format_err!("{name}: {text}")),
        };
        Ok(())
    })?;
    Ok(true)
}

/// What an argument is where it is one that a program may pass.
fn word_of(ty: &FuncType, argument: usize) -> ValType {
    ty.param(argument).filter(ValType::is_i64).unwrap_or(ValType::I32)
}

/// Runs the function of that name on memory that is no guest's; whether it did the work, or nothing if there is no such
/// function or the memory has not all that it was asked for.
///
/// # Safety
/// The memory is `size` bytes that nobody else uses meanwhile.
#[cfg(fuzzing)]
pub(crate) unsafe fn run(name: &str, words: &[i32], base: *mut u8, size: u64) -> Option<bool> {
    let (function, arguments) = Function::named(name)?;
    let words: Vec<Val> = words.iter().copied().chain(std::iter::repeat(0)).take(arguments).map(Val::I32).collect();
    let account = Account::new(Some(64 << 20));
    let call = Call { memory: Reach { base, size, lowest: 0 }, words: &words, account: &account, foreign: None };
    let outcome = match function {
        Function::Routine(routine) => routine.run(&call),
        Function::Transform(transform) => transform.run(&call, &mut Transforms::default()),
    };
    match outcome {
        Ok(()) => Some(true),
        Err(Refusal::Declined) => Some(false),
        Err(Refusal::Outside(_)) => None,
    }
}

/// Why the host doesn't do what it was asked.
#[derive(Debug)]
enum Refusal {
    /// The compiled routine shall.
    Declined,
    /// Nobody can.
    Outside(String),
}

type Outcome<T = ()> = Result<T, Refusal>;

/// Runs a function on the memory of the guest that calls.
fn call<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    words: &[Val],
    function: Function,
    foreign: Option<&Foreign>,
) -> wasmtime::Result<Outcome> {
    let memory = Guest::reach(caller)?;
    let guest = caller.data_mut();
    let account = guest.account().clone();
    let call =
        Call { memory, words, account: &account, foreign: foreign.map(|function| (function, Passed::default())) };
    Ok(match function {
        Function::Routine(routine) => routine.run(&call),
        Function::Transform(transform) => {
            let kept = guest.kept.get_or_insert_with(|| Box::<Transforms>::default());
            transform.run(&call, kept.downcast_mut().expect("nobody else keeps something"))
        }
    })
}

/// The arguments of a call, and the memory that they point into.
struct Call<'a> {
    memory: Reach,
    words: &'a [Val],
    account: &'a Arc<Account>,
    /// The library's routine that does the work, and what of the arguments it is passed so far.
    foreign: Option<(&'a Foreign, Passed)>,
}

impl Call<'_> {
    /// An argument that is a number.
    fn word(&self, argument: usize) -> i32 {
        self.words[argument].i32().unwrap_or_default()
    }

    /// An argument that is an address.
    fn address(&self, argument: usize) -> u64 {
        match self.words[argument] {
            Val::I64(address) => address as u64,
            ref word => (word.unwrap_i32() as u32).into(),
        }
    }

    /// Where the `bytes` bytes begin that an argument points to.
    fn at(&self, argument: usize, bytes: u64, what: impl fmt::Display) -> Outcome<*mut u8> {
        let address = self.address(argument);
        self.memory.at(address, bytes).ok_or_else(|| {
            Refusal::Outside(format!(
                "{what}: {bytes} bytes at address {address:#x} are not inside the memory of {} bytes",
                self.memory.size
            ))
        })
    }

    /// A value that an argument points to.
    fn read<const N: usize>(&self, argument: usize) -> Outcome<[u8; N]> {
        let mut bytes = [0; N];
        self.read_into(argument, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes that an argument points to.
    fn read_into(&self, argument: usize, bytes: &mut [u8]) -> Outcome {
        let from = self.at(argument, bytes.len() as u64, format_args!("argument {}", argument + 1))?;
        // SAFETY: so many bytes are in the memory, and as many in the slice.
        unsafe { copy::copy(bytes.as_mut_ptr(), from, bytes.len()) };
        if let Some((_, passed)) = &self.foreign {
            passed.value(argument, bytes);
        }
        Ok(())
    }
}
