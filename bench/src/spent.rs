//! What the threads of a process have computed, by the kernel's account: the wall clock of a busy machine says little.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often threads are looked at. What one computes between the last look and its end is missing.
const INTERVAL: Duration = Duration::from_millis(5);

/// Seconds of the processor: of threads that run ranks, and of all others.
#[derive(Clone, Copy, Default)]
pub struct Spent {
    pub ranks: f64,
    pub others: f64,
}

/// Watches a process until it is asked.
pub struct Watch {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Spent>,
}

impl Watch {
    pub fn start(process: u32) -> Watch {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut threads: HashMap<String, (bool, f64)> = HashMap::new();
            while !seen.load(Ordering::Relaxed) {
                look(process, &mut threads);
                std::thread::sleep(INTERVAL);
            }
            threads.values().fold(Spent::default(), |spent, &(is_rank, seconds)| match is_rank {
                true => Spent { ranks: spent.ranks + seconds, ..spent },
                false => Spent { others: spent.others + seconds, ..spent },
            })
        });
        Watch { is_over, thread }
    }

    /// What was seen until now; nothing where the system has no such account.
    pub fn end(self) -> Spent {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("it does not panic")
    }
}

fn look(process: u32, threads: &mut HashMap<String, (bool, f64)>) {
    for task in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        // A thread may end between two of these.
        let read = |name: &str| fs::read_to_string(task.path().join(name)).ok();
        let (Some(name), Some(account)) = (read("comm"), read("schedstat")) else { continue };
        let Some(nanoseconds) = account.split(' ').next().and_then(|first| first.parse::<f64>().ok()) else { continue };
        let number = task.file_name().to_string_lossy().into_owned();
        // Ranks are threads, or fibers on workers.
        let is_rank = name.starts_with("rank ") || name.starts_with("worker ");
        threads.insert(number, (is_rank, nanoseconds * 1e-9));
    }
}
