//! Functions of one's own for guests. Whoever embeds this library may give programs more imports than MPI's and WASI's: a
//! kernel for a device, a library of the site's. They are registered before jobs run, and are there on all engines.
//!
//! ```no_run
//! use rankine::extension::{self, ValType};
//!
//! fn main() -> std::process::ExitCode {
//!     // A guest in C declares `__attribute__((import_module("site"), import_name("sum"))) double sum(const double *x, int n);`
//!     let sum = extension::register("site", "sum", &[ValType::I32, ValType::I32], Some(ValType::F64), |call| {
//!         let x = call.block::<f64>(0, call.u32(1).into())?;
//!         Ok((0..x.len()).map(|i| x.get(i)).sum::<f64>().into())
//!     });
//!     sum.expect("nobody else has this name");
//!     rankine::cli::main()
//! }
//! ```
//!
//! What a guest passes may be anything. [`Call::block`] proves that all elements of an array are in the guest's memory, and
//! [`Block`] reads and writes them so that other threads of the rank, and peers that write to its windows, do no harm. A
//! function runs on the rank's thread with the rights of the process, behind its second wall; while it runs, the rank's
//! peers go on. An error ends the rank with its text, a panic too.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use rankine_guest::copy;
use wasmtime::{Caller, FuncType, Linker, format_err};
pub use wasmtime::{Result, Val, ValType};

use crate::guest::{Guest, Rank, Reach};
use crate::imports::wasi::own;
use crate::imports::{math, threads, view, wasi};

type Function = dyn Fn(&Call) -> Result<Val> + Send + Sync;

struct Extension {
    module: String,
    name: String,
    parameters: Vec<ValType>,
    result: Option<ValType>,
    function: Arc<Function>,
}

static EXTENSIONS: RwLock<Vec<Extension>> = RwLock::new(Vec::new());

/// Import modules of Rankine's own, and that of what is left undefined.
const OURS: [&str; 8] = [
    rankine_abi::MODULE,
    rankine_object::MODULE,
    math::MODULE,
    view::MODULE,
    wasi::MODULE,
    own::MODULE,
    threads::MODULE,
    "env",
];

/// Gives programs that are run from now on the function `name` of the import module `module`. Its parameters and its result
/// are numbers; what `function` returns where there is no result is not looked at. It is an error if the module is one of
/// Rankine's own, if the function is there already, or if something else than a number is passed.
pub fn register(
    module: &str,
    name: &str,
    parameters: &[ValType],
    result: Option<ValType>,
    function: impl Fn(&Call) -> Result<Val> + Send + Sync + 'static,
) -> Result<()> {
    if OURS.contains(&module) {
        return Err(format_err!("the import module {module} is Rankine's own"));
    }
    if let Some(ty) = parameters.iter().chain(&result).find(|ty| !ty.is_num()) {
        return Err(format_err!("{module}.{name}: a value of type {ty} is not a number"));
    }
    let mut extensions = EXTENSIONS.write().unwrap_or_else(PoisonError::into_inner);
    if extensions.iter().any(|one| (one.module.as_str(), one.name.as_str()) == (module, name)) {
        return Err(format_err!("{module}.{name} is registered already"));
    }
    extensions.push(Extension {
        module: module.into(),
        name: name.into(),
        parameters: parameters.to_vec(),
        result,
        function: Arc::new(function),
    });
    Ok(())
}

/// Registers a function with the linker, if somebody has registered it here; says whether somebody has.
pub(crate) fn define<R: Rank>(linker: &mut Linker<Guest<R>>, module: &str, name: &str) -> Result<bool> {
    let extensions = EXTENSIONS.read().unwrap_or_else(PoisonError::into_inner);
    let Some(found) = extensions.iter().find(|one| (one.module.as_str(), one.name.as_str()) == (module, name)) else {
        return Ok(false);
    };
    let ty = FuncType::new(linker.engine(), found.parameters.clone(), found.result.clone());
    let (function, result, full_name) = (found.function.clone(), found.result.clone(), format!("{module}.{name}"));
    linker.func_new(module, name, ty, move |mut caller, words, results| {
        let value = call(&mut caller, words, &*function).map_err(|error| format_err!("{full_name}: {error:#}"))?;
        match (results.first_mut(), &result) {
            (Some(place), Some(ty)) if value.ty(&caller).is_ok_and(|given| given.matches(ty)) => *place = value,
            (Some(_), Some(ty)) => return Err(format_err!("{full_name} has no {ty} for a result")),
            _ => {}
        }
        Ok(())
    })?;
    Ok(true)
}

fn call<R: Rank>(caller: &mut Caller<'_, Guest<R>>, words: &[Val], function: &Function) -> Result<Val> {
    function(&Call { memory: Guest::reach(caller)?, words })
}

/// A call of a guest's: its arguments, which are counted from 0, and the memory that they point into.
pub struct Call<'a> {
    memory: Reach,
    words: &'a [Val],
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.words).finish()
    }
}

impl Call<'_> {
    /// An argument that was registered as [`ValType::I32`].
    pub fn i32(&self, argument: usize) -> i32 {
        self.words[argument].unwrap_i32()
    }

    /// An argument of 32 bits without a sign: an address, a length.
    pub fn u32(&self, argument: usize) -> u32 {
        self.i32(argument) as u32
    }

    /// An argument that was registered as [`ValType::I64`].
    pub fn i64(&self, argument: usize) -> i64 {
        self.words[argument].unwrap_i64()
    }

    /// An argument that was registered as [`ValType::F32`].
    pub fn f32(&self, argument: usize) -> f32 {
        self.words[argument].unwrap_f32()
    }

    /// An argument that was registered as [`ValType::F64`].
    pub fn f64(&self, argument: usize) -> f64 {
        self.words[argument].unwrap_f64()
    }

    /// The array of `count` numbers that an argument points to. An error if it is not all in the guest's memory.
    pub fn block<T: Number>(&self, argument: usize, count: u64) -> Result<Block<'_, T>> {
        let address = self.u32(argument);
        let bytes = count.checked_mul(size_of::<T>() as u64);
        match bytes.and_then(|bytes| self.memory.at(address, bytes)) {
            Some(first) => Ok(Block { first, count: count as usize, call: PhantomData }),
            None => Err(format_err!(
                "argument {}: {count} numbers of {} bytes at address {address:#x} are not inside the memory of {} bytes",
                argument + 1,
                size_of::<T>(),
                self.memory.size
            )),
        }
    }
}

/// A number of which every pattern of bits is one.
pub trait Number: Copy + Default + sealed::Number {}

mod sealed {
    pub trait Number {
        /// A number whose bytes were a guest's, and back: those have the order of WebAssembly, the lowest first.
        fn of_guest(self) -> Self;
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(
            impl sealed::Number for $number {
                #[inline(always)]
                fn of_guest(self) -> Self {
                    <$number>::from_le_bytes(self.to_ne_bytes())
                }
            }
            impl Number for $number {}
        )*
    };
}

numbers!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// An array in a guest's memory, at any address. Others may write to it at the same time, so it lends no slice; blocks may
/// overlap.
#[derive(Copy, Clone, Debug)]
pub struct Block<'a, T> {
    first: *mut u8,
    count: usize,
    call: PhantomData<(&'a (), T)>,
}

impl<T: Number> Block<'_, T> {
    /// How many numbers it has.
    pub fn len(self) -> usize {
        self.count
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// A number of it.
    #[track_caller]
    pub fn get(self, index: usize) -> T {
        let mut value = [T::default()];
        self.read(index, &mut value);
        value[0]
    }

    /// Sets a number of it.
    #[track_caller]
    pub fn set(self, index: usize, value: T) {
        self.write(index, &[value]);
    }

    /// Copies numbers from `index` on.
    #[track_caller]
    pub fn read(self, index: usize, numbers: &mut [T]) {
        let from = self.at(index, numbers.len());
        // SAFETY: so many numbers are in the memory, which is mapped as long as the guest runs, and in the slice.
        unsafe { copy::copy(numbers.as_mut_ptr().cast(), from, size_of_val(numbers)) };
        if cfg!(target_endian = "big") {
            numbers.iter_mut().for_each(|number| *number = number.of_guest());
        }
    }

    /// Writes numbers from `index` on.
    #[track_caller]
    pub fn write(self, index: usize, numbers: &[T]) {
        let to = self.at(index, numbers.len());
        if cfg!(target_endian = "big") {
            for (index, number) in numbers.iter().enumerate() {
                let (number, to) = (number.of_guest(), to.wrapping_add(index * size_of::<T>()));
                // SAFETY: so many numbers are in the memory, which is mapped as long as the guest runs; this is one of them.
                unsafe { copy::copy(to, (&raw const number).cast(), size_of::<T>()) };
            }
            return;
        }
        // SAFETY: so many numbers are in the memory, which is mapped as long as the guest runs, and in the slice.
        unsafe { copy::copy(to, numbers.as_ptr().cast(), size_of_val(numbers)) };
    }

    /// Where its numbers lie, for libraries that take pointers; perhaps not aligned, and as the guest has them, with the
    /// lowest byte first. It is good until the function returns.
    pub fn as_ptr(self) -> *mut T {
        self.first.cast()
    }

    #[track_caller]
    fn at(self, index: usize, count: usize) -> *mut u8 {
        assert!(
            index <= self.count && count <= self.count - index,
            "{count} numbers from {index} on, of {}",
            self.count
        );
        self.first.wrapping_add(index * size_of::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_proved() {
        let mut memory = [0u8; 64];
        let words = [Val::I32(60), Val::I32(-8), Val::I32(1)];
        let call = Call { memory: Reach { base: memory.as_mut_ptr(), size: 64, lowest: 0 }, words: &words };
        assert_eq!(call.block::<f32>(0, 1).unwrap().len(), 1);
        assert!(call.block::<f64>(0, 0).unwrap().is_empty());
        for (argument, count) in [(0, 2), (0, u64::MAX), (0, u64::MAX / 4), (1, 0), (1, 1), (2, 1 << 61)] {
            let error = call.block::<f32>(argument, count).unwrap_err().to_string();
            assert!(error.contains("are not inside the memory of 64 bytes"), "{error}");
        }
        // At an odd address.
        let block = call.block::<u32>(2, 15).unwrap();
        block.write(13, &[0x0403_0201, 0x0807_0605]);
        assert_eq!((block.get(14), block.get(0)), (0x0807_0605, 0));
        assert_eq!(memory[53..61], [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn what_is_ours_stays_ours() {
        let nothing = |_: &Call| Ok(Val::I32(0));
        for module in OURS {
            assert!(register(module, "MPI_Send", &[], None, nothing).is_err());
        }
        assert!(register("tests", "anything", &[ValType::FUNCREF], None, nothing).is_err());
        register("tests", "twice", &[ValType::V128], None, nothing).unwrap_err();
        register("tests", "twice", &[ValType::I64], Some(ValType::I32), nothing).unwrap();
        register("tests", "twice", &[], None, nothing).unwrap_err();
    }
}
