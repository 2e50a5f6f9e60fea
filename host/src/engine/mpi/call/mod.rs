//! One MPI call of a guest: registration, the way in, and the way out with an error code.

#[macro_use]
pub(crate) mod shim;

pub(crate) mod buffer;
pub(crate) mod deferred;
pub(crate) mod handle;
pub(crate) mod keeping;
pub(crate) mod room;
pub(crate) mod threads;
pub(crate) mod words;

use std::mem::MaybeUninit;
use std::sync::Arc;

use rankine_abi::{Chapter, Errhandler, Function, MODULE, MPI_ERR_OTHER, Mark, ValueType};
use rankine_guest::errhan::Serves;
use rankine_guest::{Error, Whose};
use wasmtime::{Caller, FuncType, Linker, Result, ValRaw, ValType};

use super::Guest;
use super::mpit::without_tools;
use super::process::rank::Rank;
use super::{generated, images};
use words::Words;

use crate::stage::Inside;

/// What carries out a function.
pub(crate) type Shim = fn(&Rank, &mut Words<'_>) -> super::Result<()>;

/// A shim, and what becomes of its errors.
#[derive(Copy, Clone)]
pub(crate) struct Entry {
    pub(crate) shim: Shim,
    /// Whose error handler catches them.
    pub(crate) on: On,
    /// Which words point to where a new handle goes, and the null handle that is there after an error.
    pub(crate) nulls: Nulls,
}

/// See [`Entry::nulls`].
pub(crate) type Nulls = &'static [(usize, u32)];

/// Whose error handler hears of an error: which word of the call is the object's handle.
#[derive(Copy, Clone)]
pub(crate) enum On {
    Comm(usize),
    Win(usize),
    File(usize),
    Session(usize),
    Request(usize),
    /// The handle lies where this word points to: functions that free the object.
    At(Serves, usize),
    /// Functions that work on no open file.
    FileNull,
    /// Functions that work on no object: the handler of `MPI_COMM_SELF` (§9.3).
    Myself,
    /// Functions that are given a handler, in this word, for an object of this kind that they make.
    Given(Serves, usize),
    /// The code is returned.
    Nothing,
}

/// When a function may be called.
#[derive(Clone, Copy)]
pub(crate) enum When {
    Anytime,
    /// Between `MPI_Init` and `MPI_Finalize`, or while a session is open.
    Running,
    /// Between `MPI_T_init_thread` and `MPI_T_finalize`.
    WithTools,
}

impl When {
    fn of(function: &Function) -> When {
        match function.name {
            "MPI_T_init_thread" | "MPI_T_finalize" => When::Anytime,
            _ if function.chapter == Chapter::Mpit => When::WithTools,
            _ if function.is_anytime() => When::Anytime,
            _ => When::Running,
        }
    }

    #[inline]
    fn is_now(self, rank: &Rank) -> bool {
        match self {
            When::Running => rank.is_running(),
            When::Anytime => true,
            When::WithTools => rank.has_tools(),
        }
    }

    #[cold]
    fn not_now(self, rank: &Rank) -> Error {
        match self {
            When::WithTools => without_tools(),
            _ if rank.is_finalized() => Error::new(MPI_ERR_OTHER, "it was called after MPI_Finalize"),
            _ => Error::new(MPI_ERR_OTHER, "it was called before MPI_Init"),
        }
    }
}

/// Registers one function of MPI or of object graphs, if there is one of that name; says whether there is.
pub(crate) fn define(linker: &mut Linker<Guest>, module: &str, name: &str) -> Result<bool> {
    if module == rankine_object::MODULE {
        return images::define(linker, name);
    }
    let (Some(function), Some(entry)) = (Function::named(name), generated::find(name)) else { return Ok(false) };
    let wasm = |value: &ValueType| match value {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F64 => ValType::F64,
    };
    let ty = FuncType::new(linker.engine(), function.parameters.iter().map(wasm), [wasm(&function.result)]);
    let way = Way::of(function, When::of(function), (entry.on, entry.nulls));
    // SAFETY: the words are read and written with the types of the table, from which the signature comes.
    unsafe {
        match keeping::charge_of(function) {
            None => linker
                .func_new_unchecked(MODULE, name, ty, move |caller, words| carry(caller, way, words, entry.shim))?,
            Some(charge) => linker.func_new_unchecked(MODULE, name, ty, move |caller, words| {
                carry(caller, way, words, |rank, words| {
                    charge(rank, words)?;
                    (entry.shim)(rank, words)
                })
            })?,
        }
    };
    Ok(true)
}

/// How calls of a function are carried: what is known before the first.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    function: &'static Function,
    when: When,
    /// Any thread may call it, at every level of thread support.
    any_thread: bool,
    /// What becomes of its errors.
    errors: (On, Nulls),
}

impl Way {
    pub(crate) fn of(function: &'static Function, when: When, errors: (On, Nulls)) -> Way {
        let any_thread = matches!(when, When::Anytime) && !function.waits() || function.is(Mark::AnyThread);
        Way { function, when, any_thread, errors }
    }
}

/// Carries one call.
#[inline]
pub(crate) fn carry(
    mut caller: Caller<'_, Guest>,
    way: Way,
    words: &mut [MaybeUninit<ValRaw>],
    shim: impl FnOnce(&Rank, &mut Words<'_>) -> super::Result<()>,
) -> Result<()> {
    let Way { function, when, any_thread, errors } = way;
    let turn = Guest::begin(&mut caller, function.name, any_thread)?;
    // SAFETY: the store owns the rank and never replaces it, an `Arc`'s content doesn't move, and no `&mut Rank` is ever
    // made. Other threads of the rank have their turn before or after this call, or while it has lent its own.
    let rank = unsafe { &*Arc::as_ptr(caller.data().rank()) };
    let outer = (rank.caller.replace((&raw mut caller).cast()), rank.call.replace(function));
    let inside = Inside::new(function, words);
    // SAFETY: they are those of this call, by the signature it was registered with.
    let mut words = unsafe { Words::new(words) };
    let copied = rank.keeping.begin();
    let is_inside = rank.inside.replace(true);
    let run = |words: &mut Words<'_>| match when.is_now(rank) {
        true if is_inside => {
            let deferred = deferred::in_callback(rank, outer.1, function, errors, words);
            deferred.unwrap_or_else(|| inside.during(|| shim(rank, words)))
        }
        true => inside.during(|| shim(rank, words)),
        false => Err(when.not_now(rank)),
    };
    let outcome = match turn.thread() {
        None => run(&mut words),
        Some(thread) => among_threads(rank, thread, function, &mut words, run),
    };
    if !is_inside && rank.has_deferred() {
        rank.run_deferred();
    }
    if !is_inside && turn.thread().is_some() {
        rank.run_put_off();
    }
    rank.inside.set(is_inside);
    let answer = match outcome {
        Ok(()) if !rank.stopped.get() => {
            words.succeed();
            Ok(())
        }
        outcome => leave(rank, errors, outcome, &mut words),
    };
    rank.keeping.end(copied);
    rank.caller.set(outer.0);
    rank.call.set(outer.1);
    answer
}

/// Carries letters of the view between calls of MPI, by a call that has the turn: the library goes on meanwhile with what the
/// program has begun, and may call the program back, as in any other call.
pub(crate) fn carry_letters(caller: &mut Caller<'_, Guest>) -> Result<()> {
    // SAFETY: as long as the store is borrowed, its rank stays: it is never replaced, and an `Arc`'s content doesn't move.
    let rank = unsafe { &*Arc::as_ptr(caller.data().rank()) };
    if !rank.write_letters() {
        return Ok(());
    }
    let outer = (
        rank.caller.replace((&raw mut *caller).cast()),
        rank.call.replace(&const { Function::foreign("Rankine_View") }),
    );
    let copied = rank.keeping.begin();
    rank.inside.set(true);
    rank.carry_letters();
    if rank.has_deferred() {
        rank.run_deferred();
    }
    rank.inside.set(false);
    rank.keeping.end(copied);
    rank.caller.set(outer.0);
    rank.call.set(outer.1);
    rank.take_stop().map_or(Ok(()), Err)
}

/// Runs a call of a program that can have threads.
#[cold]
fn among_threads(
    rank: &Rank,
    thread: u32,
    function: &'static Function,
    words: &mut Words<'_>,
    run: impl FnOnce(&mut Words<'_>) -> super::Result<()>,
) -> super::Result<()> {
    if !rank.threads.are_several() {
        return run(words);
    }
    let _uses = rank.begin_uses(thread, function, words)?;
    run(words)
}

/// The way out of a call that failed, or that the guest doesn't survive.
#[cold]
fn leave(rank: &Rank, (on, nulls): (On, Nulls), outcome: super::Result<()>, words: &mut Words<'_>) -> Result<()> {
    if let (Err(error), false) = (outcome, rank.stopped.get()) {
        for &(at, null) in nulls {
            // Where there is no room is perhaps the error.
            let _ = rank.put_word(words.addr(at), null, "a new handle");
        }
        let whose = match on {
            On::Comm(at) => Whose::Object(Serves::Comm, words.word(at)),
            On::Win(at) => Whose::Object(Serves::Win, words.word(at)),
            On::File(at) => Whose::Object(Serves::File, words.word(at)),
            On::Session(at) => Whose::Object(Serves::Session, words.word(at)),
            On::Request(at) => rank.whose_is(words.word(at)),
            On::At(serves, at) => {
                rank.get_word(words.addr(at), "the handle").map_or(Whose::Myself, |word| Whose::Object(serves, word))
            }
            On::FileNull => Whose::Object(Serves::File, rankine_abi::File::NULL.0),
            On::Myself => Whose::Myself,
            On::Given(serves, at) => Whose::Given(serves, Errhandler(words.word(at))),
            On::Nothing => Whose::Nothing,
        };
        if let Some(code) = rank.raise(whose, error) {
            words.fail(code);
        }
    }
    match rank.take_stop() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}
