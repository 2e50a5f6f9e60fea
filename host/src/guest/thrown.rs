//! Describes C++ exceptions that nothing catches.
//!
//! The program itself knows what it threw: what every program in C++ is linked with (`guest-sdk/c/src/uncaught.cpp`)
//! finds the type's name and calls `what()`. It is asked after the program has ended by the exception, so that the
//! stack is still known on which it was thrown.

use rankine_abi::Addr;
use wasmtime::{Error, Func, Instance, Store, ThrownException, Val};

use crate::guest::team::Turn;
use crate::guest::{Guest, Rank};
use crate::module::demangle::demangle;
use crate::report::trap::Uncaught;
use rankine_system::shown;

/// The exports of a program in C++: the tag of its exceptions, and what puts one in words.
const TAG: &str = "__cpp_exception";
const IN_WORDS: &str = "rankine_uncaught";

/// Bytes of a text that are looked at.
const LONGEST: usize = 4096;

/// An exception, and the function that puts it in words. Both know addresses of the program's width.
pub(crate) struct Thrown {
    exception: Val,
    in_words: Func,
}

impl Thrown {
    /// The exception that ended a program, if it is one of C++.
    pub(crate) fn take<R: Rank>(error: &Error, store: &mut Store<Guest<R>>, instance: &Instance) -> Option<Thrown> {
        error.downcast_ref::<ThrownException>()?;
        let exception = store.take_pending_exception()?;
        let tag = instance.get_tag(&mut *store, TAG)?;
        if !wasmtime::Tag::eq(&exception.tag(&mut *store).ok()?, &tag, &*store) {
            return None;
        }
        let exception = exception.field(&mut *store, 0).ok()?;
        address(exception)?;
        Some(Thrown { exception, in_words: instance.get_func(store, IN_WORDS)? })
    }

    /// Asks a program whose rank has a thread.
    pub(crate) fn in_words<R: Rank>(self, store: &mut Store<Guest<R>>) -> Uncaught {
        let mut answer = [Val::I32(0)];
        let called = self.in_words.call(&mut *store, &[self.exception], &mut answer);
        told(called.ok().and_then(|()| address(answer[0])), store)
    }

    /// Asks a program whose rank is a fiber.
    pub(crate) async fn in_words_async<R: Rank>(self, store: &mut Store<Guest<R>>) -> Uncaught {
        let mut answer = [Val::I32(0)];
        let called = self.in_words.call_async(&mut *store, &[self.exception], &mut answer).await;
        told(called.ok().and_then(|()| address(answer[0])), store)
    }
}

/// The address that a value of the program's is.
fn address(value: Val) -> Option<Addr> {
    match value {
        Val::I32(address) => Some(Addr((address as u32).into())),
        Val::I64(address) => Some(Addr(address as u64)),
        _ => None,
    }
}

/// Reads the answer, where the addresses of two strings lie; a program may answer anything.
fn told<R: Rank>(answer: Option<Addr>, store: &mut Store<Guest<R>>) -> Uncaught {
    const WHAT: &str = "an exception";
    let Ok(_turn) = Turn::begin(store.data().member(), "", true) else { return Uncaught::default() };
    Guest::refresh_known(store);
    let memory = store.data().rank().memory();
    let text = |at: Addr| memory.read_string(memory.read_address(at, WHAT).ok()?, LONGEST, WHAT).ok();
    let texts = answer.and_then(|at| Some((text(at)?, text(at.plus(memory.word()))?)));
    Uncaught(texts.map(|(name, what)| {
        // The names of types are mangled as those of functions are, but for what they begin with.
        let of = demangle(&format!("_ZTS{name}"));
        (shown::line(of.strip_prefix("typeinfo name for ").unwrap_or(&of)), shown::line(&what))
    }))
}
