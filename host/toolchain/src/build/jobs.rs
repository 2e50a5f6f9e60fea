//! Runs compilers, as many at a time as there are cores.

use crate::process::check;
use crate::terminal::bar;
use anyhow::{Error, Result};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// Runs all jobs; the error is that of the first that failed, after which no other starts. The bar says what they do.
pub fn run_all(jobs: Vec<Command>, doing: &'static str) -> Result<()> {
    let bar = bar(jobs.len() as u64, doing);
    let queue = Mutex::new(jobs.into_iter());
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let next = || match failure.lock() {
        Ok(failure) if failure.is_none() => queue.lock().ok()?.next(),
        _ => None,
    };
    let worker = || {
        while let Some(mut job) = next() {
            if let (Err(error), Ok(mut failure)) = (check(&mut job, doing), failure.lock()) {
                failure.get_or_insert(error);
            }
            bar.inc(1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    bar.finish_and_clear();
    failure.into_inner().ok().flatten().map_or(Ok(()), Err)
}
