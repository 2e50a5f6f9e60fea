//! One MPI call of a guest: the way in, and the way out with an error code.

#[macro_use]
pub(crate) mod shim;

pub(crate) mod buffer;
pub(crate) mod deferred;
pub(crate) mod handle;
pub(crate) mod keeping;
pub(crate) mod room;
pub(crate) mod threads;
pub(crate) mod words;

use std::ffi::c_void;

use rankine_abi::{Chapter, Errhandler, Function, MPI_ERR_OTHER, Mark};
use rankine_guest::errhan::Serves;
use rankine_guest::{Error, Whose};

use super::mpit::without_tools;
use super::rank::{Rank, Stop};
use super::{Result, generated};

pub use room::Room;
pub use words::{Raw, Status, Words};

/// What carries out a function.
pub type Shim = fn(&Rank, &mut Words<'_>) -> Result<()>;

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
pub type Nulls = &'static [(usize, u32)];

/// Whose error handler hears of an error: which word of the call is the object's handle.
#[derive(Copy, Clone)]
pub enum On {
    /// That of a communicator.
    Comm(usize),
    /// That of a window.
    Win(usize),
    /// That of a file.
    File(usize),
    /// That of a session.
    Session(usize),
    /// That of what an operation was started on.
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
pub enum When {
    /// Before and after as well.
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

/// How a function of MPI is called, what carries it out, and what charges before for what the library keeps.
pub type Found = (Way, Shim, Option<fn(&Rank, &Words<'_>) -> Result<()>>);

/// A function of MPI, if this engine has it.
pub fn find(name: &str) -> Option<Found> {
    let function = Function::of_import(name)?;
    let entry = generated::find(function.name)?;
    let way = Way::of(function, When::of(function), (entry.on, entry.nulls));
    let way = Way { is_lp64: name != function.name, ..way };
    Some((way, entry.shim, keeping::charge_of(function)))
}

/// How calls of a function are carried: what is known before the first.
#[derive(Clone, Copy)]
pub struct Way {
    /// Which it is.
    pub function: &'static Function,
    when: When,
    /// Any thread may call it, at every level of thread support.
    pub any_thread: bool,
    /// It is called by its import for programs with 64-bit addresses ([`rankine_abi::LP64`]).
    pub is_lp64: bool,
    /// What becomes of its errors.
    errors: (On, Nulls),
}

impl Way {
    /// What is known of a function.
    pub fn of(function: &'static Function, when: When, errors: (On, Nulls)) -> Way {
        let any_thread = matches!(when, When::Anytime) && !function.waits() || function.is(Mark::AnyThread);
        Way { function, when, any_thread, is_lp64: false, errors }
    }
}

/// Carries one call of a thread, which has a number if the program can have several; the pointer is what the host is asked
/// with meanwhile.
#[inline]
pub fn carry(
    rank: &Rank,
    caller: *mut c_void,
    way: &Way,
    thread: Option<u32>,
    mut words: Words<'_>,
    shim: impl FnOnce(&Rank, &mut Words<'_>) -> Result<()>,
) -> std::result::Result<(), Stop> {
    let Way { function, when, errors, .. } = *way;
    let outer = (rank.caller.replace(caller), rank.call.replace(function));
    let copied = rank.keeping.begin();
    let is_inside = rank.inside.replace(true);
    let run = |words: &mut Words<'_>| match when.is_now(rank) {
        true if is_inside => {
            let deferred = deferred::in_callback(rank, outer.1, function, errors, words);
            deferred.unwrap_or_else(|| shim(rank, words))
        }
        true => shim(rank, words),
        false => Err(when.not_now(rank)),
    };
    let outcome = match thread {
        None => run(&mut words),
        Some(thread) => among_threads(rank, thread, function, &mut words, run),
    };
    if !is_inside && rank.has_deferred() {
        rank.run_deferred();
    }
    if !is_inside && thread.is_some() {
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
pub fn carry_letters(rank: &Rank, caller: *mut c_void) -> std::result::Result<(), Stop> {
    if !rank.write_letters() {
        return Ok(());
    }
    let outer = (rank.caller.replace(caller), rank.call.replace(&const { Function::foreign("Rankine_View") }));
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
    run: impl FnOnce(&mut Words<'_>) -> Result<()>,
) -> Result<()> {
    if !rank.threads.are_several() {
        return run(words);
    }
    let _uses = rank.begin_uses(thread, function, words)?;
    run(words)
}

/// The way out of a call that failed, or that the guest doesn't survive.
#[cold]
fn leave(
    rank: &Rank,
    (on, nulls): (On, Nulls),
    outcome: Result<()>,
    words: &mut Words<'_>,
) -> std::result::Result<(), Stop> {
    if let (Err(error), false) = (outcome, rank.stopped.get()) {
        for &(at, null) in nulls {
            // Where there is no room is perhaps the error.
            let _ = rank.put_handle(words.addr(at), null, "a new handle");
        }
        let whose = match on {
            On::Comm(at) => Whose::Object(Serves::Comm, words.word(at)),
            On::Win(at) => Whose::Object(Serves::Win, words.word(at)),
            On::File(at) => Whose::Object(Serves::File, words.word(at)),
            On::Session(at) => Whose::Object(Serves::Session, words.word(at)),
            On::Request(at) => rank.whose_is(words.word(at)),
            On::At(serves, at) => {
                rank.get_handle(words.addr(at), "the handle").map_or(Whose::Myself, |word| Whose::Object(serves, word))
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
