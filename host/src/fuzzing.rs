//! The door for fuzz targets: jobs of the embedded engine in the fuzzer's own process, and the mathematics of the host. It is
//! there in their builds alone, and so is `sent`.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::engine::Engine;
use crate::engine::local::Local;
use crate::imports::math;
use crate::module::Program;
use crate::run::ending::Ending;
use crate::run::job::{Job, Part, Placement, Settings};

/// Bytes that a rank may have.
const MEMORY: usize = 64 << 20;

/// Runs a job of a program that nobody trusts. How the guest ends is its own affair: an error is what only the host can be
/// blamed for, its own failures and a job that goes on for longer than `patience`.
pub fn run(program: &Program, ranks: usize, fibers: bool, arguments: Vec<String>, patience: Duration) -> Result<()> {
    let mut settings = Settings {
        ranks,
        placement: if fibers { Placement::Fibers } else { Placement::Threads },
        threads: 2,
        parts: vec![Part { ranks, arguments }],
        memory_limit: Some(MEMORY),
        most_ranks: Some(ranks),
        universe: Some(ranks),
        timeout: Some(patience),
        null_page: true,
        ..Settings::default()
    };
    let engine = Local::new(&mut settings, None)?;
    match Job::new(engine, std::slice::from_ref(program), settings)?.run() {
        Ending::TimedOut(..) => bail!("the job went on for ever"),
        Ending::Failed(text) => bail!("the job failed: {text}"),
        _ => Ok(()),
    }
}

/// Calls the function of that name in the module `rankine_math`, with memory that is not a guest's; whether it did the work, or
/// nothing if it would have ended the rank.
pub fn mathematics(name: &str, words: &[i32], memory: &mut [u64]) -> Option<bool> {
    let size = size_of_val(memory) as u64;
    // SAFETY: the slice is borrowed as long as the function runs.
    unsafe { math::run(name, words, memory.as_mut_ptr().cast(), size) }
}
