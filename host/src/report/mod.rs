//! Room of reports: what is told of ranks to a person, and where their output goes.
//!
//! It may import `module`, for names and lines of a program. It is given what it reports, and asks nobody for it.

pub(crate) mod apart;
pub(crate) mod call_words;
pub(crate) mod mistakes;
pub mod output;
pub mod trap;
