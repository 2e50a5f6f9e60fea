//! Lines for the user on standard error, whether or not anybody still reads them.
//!
//! `eprintln!` panics once the reader has gone (`2>&1 | head`), and what the command was about to finish would be lost.

use std::fmt::Arguments;
use std::io::{Write as _, stderr};

/// Tells the user a line, as `eprintln!` would.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => { $crate::tell::line(::core::format_args!($($text)*)) };
}

/// Writes a line in one piece, as other processes of the job may write too.
pub fn line(text: Arguments<'_>) {
    piece(&format!("{text}\n"));
}

/// Writes what is no line or several.
pub fn piece(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
