//! Performance variables (§15.3.7): sessions, handles, and what is read by them.

use std::cell::Cell;

use rankine_abi::{
    Addr, Datatype, MPI_T_BIND_NO_OBJECT, MPI_T_ERR_INVALID_HANDLE, MPI_T_ERR_INVALID_SESSION,
    MPI_T_ERR_OUT_OF_SESSIONS, MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_ERR_PVAR_NO_WRITE,
    MPI_T_PVAR_ALL_HANDLES, MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_HIGHWATERMARK,
    MPI_T_PVAR_CLASS_LEVEL, MPI_T_VERBOSITY_USER_BASIC,
};

use super::{Handle, Open, named, no_handle, no_room, numbered};
use crate::ear::Count;
use crate::error::{Error, Result};
use crate::rank::Rank;

/// A performance variable. All are `MPI_UNSIGNED_LONG_LONG`, one value, and bound to no object.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    class: i32,
    value: Value,
}

enum Value {
    /// Counted while a handle is started; a handle has its own value, which can be set.
    Counted(Count),
    /// What there is when it is read.
    Now(fn(&Rank) -> u64),
}

impl Variable {
    /// It has a value at all times, and can't be started, stopped or set.
    fn is_continuous(&self) -> bool {
        matches!(self.value, Value::Now(_))
    }

    /// Whether a session can set it.
    pub fn is_writable(&self) -> bool {
        !self.is_continuous()
    }

    /// Its class, in a word.
    pub fn kind(&self) -> &'static str {
        match self.class {
            MPI_T_PVAR_CLASS_COUNTER => "counter",
            MPI_T_PVAR_CLASS_AGGREGATE => "aggregate",
            MPI_T_PVAR_CLASS_HIGHWATERMARK => "high-water mark",
            _ => "level",
        }
    }
}

const fn counter(name: &'static str, about: &'static str, count: Count) -> Variable {
    Variable { name, about, class: MPI_T_PVAR_CLASS_COUNTER, value: Value::Counted(count) }
}

const fn sum(name: &'static str, about: &'static str, count: Count) -> Variable {
    Variable { class: MPI_T_PVAR_CLASS_AGGREGATE, ..counter(name, about, count) }
}

const fn level(name: &'static str, about: &'static str, now: fn(&Rank) -> u64) -> Variable {
    Variable { name, about, class: MPI_T_PVAR_CLASS_LEVEL, value: Value::Now(now) }
}

/// All performance variables, by their numbers.
pub static VARIABLES: [Variable; 20] = [
    counter(
        "rankine_short_messages",
        "messages of this rank that went out in their envelopes, or were buffered",
        Count::ShortMessages,
    ),
    sum("rankine_short_bytes", "bytes of these messages", Count::ShortBytes),
    counter(
        "rankine_long_messages",
        "messages of this rank that were copied from its memory to the receiver's",
        Count::LongMessages,
    ),
    sum("rankine_long_bytes", "bytes of these messages", Count::LongBytes),
    counter(
        "rankine_copies",
        "copies from memory to memory that this rank has made, for itself or for peers",
        Count::Copies,
    ),
    sum("rankine_copied_bytes", "bytes of these copies", Count::CopiedBytes),
    counter("rankine_accesses", "accesses of windows by this rank", Count::Accesses),
    sum("rankine_accessed_bytes", "bytes of these accesses", Count::AccessedBytes),
    counter("rankine_matched", "messages that came to this rank and found a receive that waited", Count::Matched),
    counter("rankine_unexpected", "messages that came to this rank before they were asked for", Count::Unexpected),
    counter("rankine_file_accesses", "accesses of files by this rank", Count::FileAccesses),
    sum("rankine_read_bytes", "bytes that this rank has read from files", Count::ReadBytes),
    sum("rankine_written_bytes", "bytes that this rank has written to files", Count::WrittenBytes),
    counter("rankine_spins", "how often this rank looked for what it waits for while it spun", Count::SpinPolls),
    counter("rankine_parks", "how often this rank found nothing to do and slept", Count::Parks),
    level("rankine_unexpected_messages", "messages that have come to this rank and wait for a receive", |r| {
        r.unexpected().messages
    }),
    level("rankine_unexpected_bytes", "bytes that they take in the host", |r| r.unexpected().bytes),
    Variable {
        class: MPI_T_PVAR_CLASS_HIGHWATERMARK,
        ..level("rankine_unexpected_most", "the most of them that there have been at a time", |r| r.unexpected().most)
    },
    level("rankine_pending_operations", "sends and receives of this rank that are under way", Rank::pending_operations),
    level("rankine_memory", "bytes that this rank has of its memory limit", |r| r.account.used()),
];

/// A variable in a session.
pub(super) struct Counter {
    session: u32,
    /// The variable's number.
    number: usize,
    /// What it has counted, up to when it was stopped or started last.
    counted: u64,
    /// What the counter had when it was started, if it runs.
    since: Option<u64>,
}

impl Counter {
    fn variable(&self) -> &'static Variable {
        &VARIABLES[self.number]
    }

    /// Its value.
    fn value(&self, now: u64) -> u64 {
        self.counted.wrapping_add(self.since.map_or(0, |since| now.wrapping_sub(since)))
    }

    fn set(&mut self, value: u64, now: u64) {
        self.counted = value;
        self.since = self.since.map(|_| now);
    }
}

/// `MPI_T_pvar_get_num`
pub fn t_pvar_get_num(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(VARIABLES.len() as i32)
}

/// `MPI_T_pvar_get_index`
pub fn t_pvar_get_index(r: &Rank, name: &str, class: i32) -> Result<i32> {
    r.check_tools()?;
    let is_it = |variable: &Variable| variable.name == name && variable.class == class;
    named(&VARIABLES, is_it, || format!("variable {name:?} of class {class}"))
}

/// `MPI_T_pvar_get_info`: name, verbosity, class, datatype, enumeration, description, binding, and whether it is read-only,
/// continuous and atomic.
#[expect(clippy::type_complexity, reason = "they are MPI's")]
pub fn t_pvar_get_info(
    r: &Rank,
    index: i32,
) -> Result<(&'static str, i32, i32, Datatype, u32, &'static str, i32, bool, bool, bool)> {
    r.check_tools()?;
    let variable = numbered(&VARIABLES, index, "performance variables")?;
    let (datatype, always) = (Datatype::UNSIGNED_LONG_LONG, variable.is_continuous());
    let &Variable { name, about, class, .. } = variable;
    Ok((name, MPI_T_VERBOSITY_USER_BASIC, class, datatype, 0, about, MPI_T_BIND_NO_OBJECT, always, always, !always))
}

/// `MPI_T_pvar_session_create`
pub fn t_pvar_session_create(r: &Rank) -> Result<u32> {
    let full = |_| Error::new(MPI_T_ERR_OUT_OF_SESSIONS, "this rank may have no more sessions");
    let session = r.with_tools(|open| open.handles.insert(Handle::Session).map_err(full))?;
    r.world().observe_more(r.me());
    Ok(session)
}

#[cold]
fn no_session(session: u32) -> Error {
    let text = format!("{session:#x} is not a session of performance variables (freed, or never made)");
    Error::new(MPI_T_ERR_INVALID_SESSION, text)
}

impl Open {
    fn check_session(&self, session: u32) -> Result<()> {
        if matches!(self.handles.get(session), Some(Handle::Session)) { Ok(()) } else { Err(no_session(session)) }
    }

    /// The handles of a session's variables.
    fn counters_of(&self, session: u32) -> Vec<u32> {
        let is_of = |handle: &Handle| matches!(handle, Handle::Counter(counter) if counter.session == session);
        self.handles.iter().filter(|(_, handle)| is_of(handle)).map(|(number, _)| number).collect()
    }

    /// A variable of a session.
    fn counter(&mut self, session: u32, handle: u32) -> Result<&mut Counter> {
        self.check_session(session)?;
        match self.handles.get_mut(handle) {
            Some(Handle::Counter(counter)) if counter.session == session => Ok(counter),
            Some(Handle::Counter(_)) => {
                Err(Error::new(MPI_T_ERR_INVALID_HANDLE, format!("{handle:#x} is a handle of another session")))
            }
            _ => Err(no_handle(handle, "a performance variable")),
        }
    }
}

/// `MPI_T_pvar_session_free`: its handles end with it.
pub fn t_pvar_session_free(r: &Rank, session: u32) -> Result<u32> {
    r.with_tools(|open| {
        open.check_session(session)?;
        open.handles.remove(session);
        for handle in open.counters_of(session) {
            open.handles.remove(handle);
        }
        Ok(())
    })?;
    r.world().observe_less(1);
    Ok(0)
}

/// `MPI_T_pvar_handle_alloc`: none is bound to an object, and each is one value.
pub fn t_pvar_handle_alloc(r: &Rank, session: u32, index: i32, _object: Addr) -> Result<(u32, i32)> {
    r.with_tools(|open| {
        open.check_session(session)?;
        numbered(&VARIABLES, index, "performance variables")?;
        let counter = Counter { session, number: index as usize, counted: 0, since: None };
        let made = open.handles.insert(Handle::Counter(counter));
        Ok((made.map_err(|_| no_room("handles of performance variables"))?, 1))
    })
}

/// `MPI_T_pvar_handle_free`
pub fn t_pvar_handle_free(r: &Rank, session: u32, handle: u32) -> Result<u32> {
    r.with_tools(|open| {
        open.counter(session, handle)?;
        open.handles.remove(handle);
        Ok(0)
    })
}

/// Does something with one counter, of which `now` is what it has counted for anybody; or with all of a session.
fn control(r: &Rank, session: u32, handle: u32, refused: i32, act: impl Fn(&mut Counter, u64)) -> Result<()> {
    let on_one = |counter: &mut Counter| match counter.variable().value {
        Value::Counted(count) => {
            act(counter, r.world().counted(r.me(), count));
            Ok(())
        }
        Value::Now(_) => Err(Error::new(refused, format!("{} is what it is at any time", counter.variable().name))),
    };
    r.with_tools(|open| {
        if handle != MPI_T_PVAR_ALL_HANDLES {
            return on_one(open.counter(session, handle)?);
        }
        open.check_session(session)?;
        for handle in open.counters_of(session) {
            // Those that can't be controlled are left alone.
            let _ = on_one(open.counter(session, handle)?);
        }
        Ok(())
    })
}

/// `MPI_T_pvar_start`
pub fn t_pvar_start(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control(r, session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |counter, now| {
        counter.since.get_or_insert(now);
    })
}

/// `MPI_T_pvar_stop`
pub fn t_pvar_stop(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control(r, session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, |counter, now| {
        counter.counted = counter.value(now);
        counter.since = None;
    })
}

/// `MPI_T_pvar_reset`
pub fn t_pvar_reset(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control(r, session, handle, MPI_T_ERR_PVAR_NO_WRITE, |counter, now| counter.set(0, now))
}

/// `MPI_T_pvar_write`: of one variable.
pub fn t_pvar_write(r: &Rank, session: u32, handle: u32, buffer: Addr) -> Result<()> {
    one_only(handle)?;
    r.with_tools(|open| open.counter(session, handle).map(drop))?;
    let value = r.memory().read_i64(buffer, "buf")? as u64;
    control(r, session, handle, MPI_T_ERR_PVAR_NO_WRITE, |counter, now| counter.set(value, now))
}

/// `MPI_T_pvar_read`: of one variable.
pub fn t_pvar_read(r: &Rank, session: u32, handle: u32, buffer: Addr) -> Result<()> {
    one_only(handle)?;
    // What there is now is looked for without a borrow.
    let counted = r.with_tools(|open| {
        let counter = open.counter(session, handle)?;
        Ok(match counter.variable().value {
            Value::Counted(count) => Ok(counter.value(r.world().counted(r.me(), count))),
            Value::Now(read) => Err(read),
        })
    })?;
    let value = counted.unwrap_or_else(|read| read(r));
    r.memory().write_i64(buffer, value as i64, "buf")
}

/// `MPI_T_pvar_readreset`: of one variable. What is counted between the two is not lost.
pub fn t_pvar_readreset(r: &Rank, session: u32, handle: u32, buffer: Addr) -> Result<()> {
    one_only(handle)?;
    // Nothing is lost either where the buffer is none.
    r.memory().write_i64(buffer, 0, "buf")?;
    let read = Cell::new(0);
    control(r, session, handle, MPI_T_ERR_PVAR_NO_ATOMIC, |counter, now| {
        read.set(counter.value(now));
        counter.set(0, now);
    })?;
    r.memory().write_i64(buffer, read.get() as i64, "buf")
}

fn one_only(handle: u32) -> Result<()> {
    if handle != MPI_T_PVAR_ALL_HANDLES {
        return Ok(());
    }
    Err(Error::new(MPI_T_ERR_INVALID_HANDLE, "MPI_T_PVAR_ALL_HANDLES has no value"))
}
