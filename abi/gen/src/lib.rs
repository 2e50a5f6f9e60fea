//! The function table of the ABI, parsed: `abi/functions.toml` as structures.
//!
//! The generator, the binary of this name, writes the header, the bindings and the shims from it; the tests that draw
//! calls are driven by it too. Read the head of the table first, then `functions` (rows and their marks),
//! `parameters` (the words and what they mean) and `proofs` (what a shim has to prove).

#![allow(missing_docs)] // The head of `abi/functions.toml` says what the words of the table mean.

pub mod functions;
pub mod parameters;
pub mod proofs;
