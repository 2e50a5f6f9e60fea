//! Modules are changed before they are compiled: here is how, without Wasmtime and without a job.
//!
//! | module | what a module gets |
//! |---|---|
//! | [`alone`] | plain operations for atomic ones, where it is interpreted |
//! | [`function_table`] | its table of functions is exported |
//! | [`guard`] | looks at addresses, where the host would touch the null page |
//! | [`heap`] | the host is asked when blocks are allocated and freed (`--check-heap`) |
//! | [`lower64`] | addresses of 64 bits become such of 32 |
//! | [`sites`] | it tells of its calls of MPI, and from where (`--profile`, `--check`) |
//! | [`tune`] | instructions that compile badly are replaced by equal ones |
//!
//! What is new comes behind what is there, so that numbers of functions and types stay; [`sections`] has what all need for that.
//! Instructions that have moved are found again by [`Moved`].

pub mod alone;
pub mod function_table;
pub mod guard;
pub mod heap;
pub mod lower64;
mod moved;
pub mod sections;
pub mod sites;
pub mod tune;

pub use moved::{Changed, Moved};

/// What [`guard`] and [`tune`] do, as a number of their sources: both change a module after its name in the cache of compiled code was
/// found, and [`Moved`] is found anew in every run. So code that another version of them has made has another name.
pub const VERSION: u64 = {
    let sources: [&[u8]; 5] = [
        include_bytes!("guard.rs"),
        include_bytes!("moved.rs"),
        include_bytes!("sections.rs"),
        include_bytes!("tune.rs"),
        include_bytes!("tune/values.rs"),
    ];
    // FNV-1a.
    let (mut hash, mut file) = (0xcbf2_9ce4_8422_2325, 0);
    while file < sources.len() {
        let mut at = 0;
        while at < sources[file].len() {
            hash = (hash ^ sources[file][at] as u64).wrapping_mul(0x100_0000_01b3);
            at += 1;
        }
        file += 1;
    }
    hash
};
