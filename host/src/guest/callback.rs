//! What the engine asks of the guest: run one of its functions, or find memory.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use rankine_abi::{Addr, FnPtr};
use rankine_guest::{Answer, Arguments, Callback};
use smallvec::SmallVec;
use wasmtime::{
    AsContextMut, Caller, Error, Extern, Func, Result, ThrownException, Val, ValRaw, ValType, WasmBacktrace, format_err,
};

use crate::guest::{Guest, Placement, Rank, Scratch};
use rankine_rewrite::function_table;

/// A page of linear memory.
const PAGE: u64 = 1 << 16;

/// What a call has to know of a function's type: all that goes in are ints and long longs, and what comes out is an int, or an
/// address of a program whose addresses have 64 bits.
#[derive(Clone, Copy)]
struct Signature {
    parameters: u32,
    /// A bit for each that is a long long, which two words of the arguments make.
    wide: u32,
    has_result: bool,
    gives_address: bool,
}

impl Signature {
    fn of<R: Rank>(caller: &Caller<'_, Guest<R>>, function: &Func) -> Result<Signature> {
        let ty = function.ty(caller);
        let is_number = |ty: ValType| matches!(ty, ValType::I32 | ValType::I64);
        let parameters = ty.params().len() as u32;
        if ty.results().len() > 1
            || parameters > u32::BITS
            || !ty.params().all(is_number)
            || !ty.results().all(is_number)
        {
            return Err(format_err!("a callback of type {ty} takes or returns something other than integers"));
        }
        let wide = ty.params().enumerate().filter(|(_, ty)| matches!(ty, ValType::I64));
        let wide = wide.fold(0, |wide, (index, _)| wide | 1 << index);
        let gives_address = ty.results().any(|ty| matches!(ty, ValType::I64));
        Ok(Signature { parameters, wide, has_result: ty.results().len() == 1, gives_address })
    }

    /// How many words its arguments are.
    fn words(self) -> usize {
        (self.parameters + self.wide.count_ones()) as usize
    }

    /// Its arguments from their words, of which there are enough.
    fn arguments(self, words: &[i32]) -> impl Iterator<Item = Argument> {
        let mut words = words.iter();
        let mut next = move || words.next().copied().unwrap_or_default();
        (0..self.parameters).map(move |index| match self.wide & 1 << index {
            0 => Argument::Word(next()),
            _ => {
                let low = next();
                Argument::Wide(i64::from(low as u32) | i64::from(next()) << 32)
            }
        })
    }
}

/// What a function is given.
enum Argument {
    Word(i32),
    Wide(i64),
}

impl From<Argument> for ValRaw {
    fn from(argument: Argument) -> ValRaw {
        match argument {
            Argument::Word(word) => ValRaw::i32(word),
            Argument::Wide(wide) => ValRaw::i64(wide),
        }
    }
}

impl From<Argument> for Val {
    fn from(argument: Argument) -> Val {
        match argument {
            Argument::Word(word) => Val::I32(word),
            Argument::Wide(wide) => Val::I64(wide),
        }
    }
}

/// Signatures of the functions that were called last, by what Wasmtime knows them by: a look at a function's type takes
/// longer than most callbacks.
#[derive(Default)]
pub(crate) struct Signatures {
    known: SmallVec<[(usize, Signature); Signatures::KEPT]>,
    /// The one that makes room for a new one.
    oldest: usize,
}

impl Signatures {
    const KEPT: usize = 8;

    fn find<R: Rank>(caller: &mut Caller<'_, Guest<R>>, function: &Func) -> Result<Signature> {
        let raw = function.to_raw(caller.as_context_mut()) as usize;
        if let Some((_, signature)) = caller.data().signatures.known.iter().find(|(known, _)| *known == raw) {
            return Ok(*signature);
        }
        let signature = Signature::of(caller, function)?;
        let signatures = &mut caller.data_mut().signatures;
        if signatures.known.len() < Signatures::KEPT {
            signatures.known.push((raw, signature));
        } else {
            signatures.known[signatures.oldest] = (raw, signature);
            signatures.oldest = (signatures.oldest + 1) % Signatures::KEPT;
        }
        Ok(signature)
    }
}

/// A guest function and its arguments, ready to call.
struct Prepared {
    function: Func,
    signature: Signature,
    arguments: SmallVec<[i32; 8]>,
    /// It gives an address, whatever width that has.
    finds: bool,
}

impl Prepared {
    fn new<R: Rank>(caller: &mut Caller<'_, Guest<R>>, function: Func, arguments: &[i32]) -> Result<Prepared> {
        let signature = Signatures::find(caller, &function)?;
        // A variadic handler takes a pointer to its further arguments, a plain one doesn't: pass what the function
        // takes.
        let Some(arguments) = arguments.get(..signature.words()) else {
            return Err(format_err!(
                "a callback of type {} was registered, but it is called with {} integer parameters",
                function.ty(&*caller),
                arguments.len()
            ));
        };
        Ok(Prepared { function, signature, arguments: arguments.into(), finds: false })
    }

    /// A function of the C library, which is given addresses and sizes of the program's width.
    fn of_library<R: Rank>(caller: &mut Caller<'_, Guest<R>>, function: Func, arguments: &[u64]) -> Result<Prepared> {
        let is_wide = caller.data().rank().memory().is_wide();
        let words = arguments.iter().map(|&argument| Addr(argument));
        let arguments = words.fold(Arguments::of(is_wide), Arguments::address);
        Ok(Prepared { finds: true, ..Prepared::new(caller, function, arguments.words())? })
    }

    /// Calls it on a thread that is its rank's alone; 0 if it gives nothing.
    fn call<R: Rank>(&self, caller: &mut Caller<'_, Guest<R>>) -> Result<Answer> {
        let mut words: SmallVec<[ValRaw; 8]> = self.signature.arguments(&self.arguments).map(ValRaw::from).collect();
        if words.is_empty() {
            words.push(ValRaw::i32(0));
        }
        debug_assert_eq!(caller.data().placement, Placement::Threads);
        // SAFETY: the function takes just these arguments, and gives at most one, for which there is room. Ranks
        // with a thread of their own never run on a fiber, so the guest's code stays within the stack that it began on.
        unsafe { self.function.call_unchecked(caller.as_context_mut(), &raw mut *words)? };
        Ok(match self.signature {
            Signature { gives_address: true, .. } => words[0].get_i64(),
            Signature { has_result: true, .. } => self.widened(words[0].get_i32()),
            _ => 0,
        })
    }

    /// Calls it on a fiber of its own.
    async fn call_on_fiber<R: Rank>(&self, caller: &mut Caller<'_, Guest<R>>) -> Result<Answer> {
        let arguments: SmallVec<[Val; 8]> = self.signature.arguments(&self.arguments).map(Val::from).collect();
        let mut results = [if self.signature.gives_address { Val::I64(0) } else { Val::I32(0) }];
        let room = &mut results[..usize::from(self.signature.has_result)];
        self.function.call_async(caller.as_context_mut(), &arguments, room).await?;
        Ok(match results[0] {
            Val::I64(address) => address,
            ref word => self.widened(word.unwrap_i32()),
        })
    }

    /// A word that it gave.
    fn widened(&self, word: i32) -> Answer {
        if self.finds { (word as u32).into() } else { word.into() }
    }
}

/// The function behind a pointer of the guest.
fn pointed_to<R: Rank>(caller: &mut Caller<'_, Guest<R>>, pointer: FnPtr) -> Result<Func> {
    let Some(Extern::Table(table)) = caller.get_export(function_table::NAME) else {
        return Err(format_err!("MPI has to call a function of this program, but it has no function table"));
    };
    match table.get(caller.as_context_mut(), u64::from(pointer.0)) {
        Some(reference) => match reference.as_func() {
            Some(Some(function)) => Ok(*function),
            _ => Err(format_err!("MPI has to call function pointer {}, which is null", pointer.0)),
        },
        None => Err(format_err!("MPI has to call function pointer {}, which is not in the function table", pointer.0)),
    }
}

fn exported<R: Rank>(caller: &mut Caller<'_, Guest<R>>, name: &str) -> Option<Func> {
    caller.get_export(name).and_then(Extern::into_func)
}

/// What a request comes down to.
enum Task {
    Call(Prepared),
    /// Nothing of the guest has to run: the answer.
    Answer(Answer),
}

fn prepare<R: Rank>(caller: &mut Caller<'_, Guest<R>>, request: Callback) -> Result<Task> {
    Ok(match request {
        Callback::Call { function, arguments } => {
            let function = pointed_to(caller, function)?;
            Task::Call(Prepared::new(caller, function, &arguments)?)
        }
        Callback::Scratch { bytes } => Task::Answer(scratch(caller, bytes)?),
        Callback::Allocate { bytes, align } => match exported(caller, "aligned_alloc") {
            // C wants a size that is a multiple of the alignment.
            Some(function) => {
                let size = bytes.next_multiple_of(align.max(1));
                Task::Call(Prepared::of_library(caller, function, &[align, size])?)
            }
            None => match exported(caller, "malloc") {
                Some(function) => Task::Call(Prepared::of_library(caller, function, &[bytes])?),
                None => Task::Answer(grow(caller, bytes)?.map_or(0, |at| at.0 as Answer)),
            },
        },
        Callback::Free { address } => match exported(caller, "free") {
            Some(function) => Task::Call(Prepared::of_library(caller, function, &[address.0])?),
            None => Task::Answer(0),
        },
        Callback::Whereabouts { waiting } => {
            let line = Guest::reach(caller).ok().and_then(|memory| caller.data().interpreter?.place(memory));
            caller.data().stage.waits(waiting, line, &WasmBacktrace::force_capture(&*caller));
            Task::Answer(0)
        }
    })
}

/// Fresh pages at the end of the memory, or nothing when there are none left.
pub(crate) fn grow<R: Rank>(caller: &mut Caller<'_, Guest<R>>, bytes: u64) -> Result<Option<Addr>> {
    let memory = Guest::memory(caller)?;
    let old = memory.grow(caller.as_context_mut(), bytes.div_ceil(PAGE));
    Ok(old.ok().map(|pages| Addr(pages * PAGE)))
}

/// Memory for operands of callbacks: pages that belong to no allocator of the guest, kept and grown on demand.
fn scratch<R: Rank>(caller: &mut Caller<'_, Guest<R>>, bytes: u64) -> Result<Answer> {
    let Scratch { at, size } = caller.data().scratch;
    if size >= bytes {
        return Ok(at as Answer);
    }
    let wanted = bytes.checked_next_power_of_two().unwrap_or(bytes).next_multiple_of(PAGE);
    let Some(at) = grow(caller, wanted)? else { return Ok(0) };
    caller.data_mut().scratch = Scratch { at: at.0, size: wanted };
    Ok(at.0 as Answer)
}

/// A callback begins; the function of MPI that it belongs to.
fn begin<R: Rank>(caller: &mut Caller<'_, Guest<R>>) -> Result<&'static str> {
    Guest::nest(caller)?;
    Ok(caller.data().rank().call())
}

/// A callback has ended, within this function of MPI.
fn end<R: Rank>(caller: &mut Caller<'_, Guest<R>>, call: &'static str, outcome: Result<Answer>) -> Result<Answer> {
    Guest::unnest(caller);
    caller.data().rank().set_call(call);
    outcome.map_err(|error| contained(caller, call, error))
}

/// An exception must not go on through MPI, whose engine would believe that its call still runs: it becomes a trap.
fn contained<R: Rank>(caller: &mut Caller<'_, Guest<R>>, call: &str, error: Error) -> Error {
    if !error.is::<ThrownException>() {
        return error;
    }
    caller.as_context_mut().take_pending_exception();
    format_err!(
        "an exception left a callback of MPI ({call} called it), which must catch its own exceptions and must not be \
         left by longjmp"
    )
}

/// Answers a request on a thread that is its rank's alone.
pub(crate) fn answer<R: Rank>(caller: &mut Caller<'_, Guest<R>>, request: Callback) -> Result<Answer> {
    let answer = match prepare(caller, request)? {
        Task::Answer(answer) => answer,
        Task::Call(function) => {
            let call = begin(caller)?;
            let outcome = function.call(caller);
            end(caller, call, outcome)?
        }
    };
    Guest::refresh_memory(caller)?;
    Ok(answer)
}

/// Answers a request on a fiber: the guest's function may itself wait.
pub(crate) async fn answer_on_fiber<R: Rank>(caller: &mut Caller<'_, Guest<R>>, request: Callback) -> Result<Answer> {
    let answer = match prepare(caller, request)? {
        Task::Answer(answer) => answer,
        Task::Call(function) => {
            let call = begin(caller)?;
            let outcome = function.call_on_fiber(caller).await;
            end(caller, call, outcome)?
        }
    };
    Guest::refresh_memory(caller)?;
    Ok(answer)
}

/// Answers a request inside a call that never waits. Such a call can't suspend its fiber, so there the guest's function
/// must not wait for other ranks either; what it asks of the system takes the worker's time.
pub(crate) fn answer_at_once<R: Rank>(caller: &mut Caller<'_, Guest<R>>, request: Callback) -> Result<Answer> {
    if caller.data().placement == Placement::Threads {
        return answer(caller, request);
    }
    let outer = std::mem::replace(&mut caller.data_mut().cannot_wait, true);
    let answer = block_on(answer_on_fiber(caller, request));
    caller.data_mut().cannot_wait = outer;
    answer
}

/// Blocks the thread until a future is ready.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (mut future, waker) = (pin!(future), Waker::from(Arc::new(Unpark(std::thread::current()))));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        std::thread::park();
    }
}
