//! An abort ends the process without asking anybody: Rust has said before how many bytes were refused.

use std::error::Error;
use std::io::ErrorKind;

/// Nothing hears of an abort.
pub fn tell_exhaustion() {}

/// The system decides what it keeps.
pub fn keep_little() {}

/// The system decides when.
pub fn give_back() {}

/// Whether this is the cause: the system has no memory left.
pub(super) fn is_exhaustion(cause: &(dyn Error + 'static)) -> bool {
    cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::OutOfMemory)
}
