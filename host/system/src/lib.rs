//! What the host asks of the machine: files, rights, processes, signals, and the wall around a job.
//!
//! Nothing here knows of WebAssembly, of an engine or of the command line, so a change builds in seconds. What systems do in
//! different ways lies side by side: `unix.rs` and `windows.rs`.
//!
//! | module | subject |
//! |---|---|
//! | [`places`], [`trust`], [`secret`] | where this user's things are; who could have written a file; the user's key |
//! | [`grants`], [`files`] | folders that a job may use; opening what lies beneath one |
//! | [`digest`] | what a file is known by |
//! | [`confine`] | the second wall: what a job's process may ask of the system |
//! | [`inheritance`], [`launched`] | what a process keeps of what it was started with; whether a launcher has |
//! | [`helper`], [`debugger`] | processes of ours outside of the wall |
//! | [`signals`], [`allocation`], [`limits`], [`footprint`] | how a process is ended; memory that is refused, asked for and had |
//! | [`placing`], [`thread_number`] | threads on processors |
//! | [`text`], [`shown`] | texts that leave for a launcher or library; names that are printed |
//! | [`mod@tell`] | lines for the user |
//! | [`elf`], [`os`] | programs of other machines; what Unix and Windows do in different ways |
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "what only Linux has is asked for by nobody elsewhere")
)]

pub mod allocation;
pub mod confine;
pub mod debugger;
pub mod digest;
pub mod elf;
pub mod files;
pub mod footprint;
pub mod grants;
pub mod helper;
pub mod inheritance;
pub mod launched;
pub mod limits;
pub mod made_here;
pub mod os;
pub mod places;
pub mod placing;
pub mod secret;
pub mod shown;
pub mod signals;
pub mod tell;
pub mod text;
pub mod thread_number;
pub mod trust;
