//! The function table, parsed: for what else is driven by it. The generator itself is the binary of this name.

#![allow(missing_docs)] // The head of `abi/functions.toml` says what the words of the table mean.

pub mod functions;
pub mod parameters;
