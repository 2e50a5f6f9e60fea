//! `just bench ranks`: how long a job takes that does nothing, from 2 to 10,000 ranks, and what memory a rank of it has; processes of
//! the native libraries beside it, as many as there are cores.

use std::fs;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::plans::suits_natives;
use crate::record::Line;
use crate::twins::Competitor;

const RANKS: [u32; 6] = [2, 16, 64, 512, 2000, 10_000];

/// Measures and prints: a line for each number of ranks and each competitor.
pub fn run(rounds: u32, crowded: bool) -> Result<Vec<Line>> {
    let natives = [Competitor::mpich(), Competitor::open_mpi()].into_iter().flatten();
    let all: Vec<Competitor> = natives.chain([Competitor::local()]).collect();
    let mut lines = Vec::new();
    println!("{:>6} {:>15} {:>12} {:>16}", "ranks", "", "best, ms", "memory a rank");
    for ranks in RANKS {
        for one in all.iter().filter(|one| !one.is_native() || (ranks <= 64 && suits_natives(ranks, crowded))) {
            let line = measure(one, ranks, rounds)?;
            let memory = line.memory.iter().copied().fold(f64::INFINITY, f64::min);
            let memory = if memory.is_finite() { format!("{:.0} KB", memory / 1e3) } else { "-".into() };
            println!("{ranks:>6} {:>15} {:>12.1} {memory:>16}", one.name, line.best() * 1e3);
            lines.push(line);
        }
    }
    Ok(lines)
}

/// A competitor's jobs of so many ranks. The memory of a rank is what a job of them has more than one of a single rank.
fn measure(competitor: &Competitor, ranks: u32, rounds: u32) -> Result<Line> {
    let mut line =
        Line { what: "start".into(), bytes: ranks.into(), competitor: competitor.name.into(), ..Line::default() };
    for _ in 0..rounds {
        let (seconds, memory) = start(&competitor.command("start", ranks)?)?;
        line.seconds.push(seconds);
        if !competitor.is_native() {
            let (_, one) = start(&competitor.command("start", 1)?)?;
            line.memory.push((memory - one) / f64::from(ranks - 1));
        }
    }
    Ok(line)
}

/// Seconds that a command takes, and the most bytes that its process had at a time.
fn start(words: &[String]) -> Result<(f64, f64)> {
    let since = Instant::now();
    let mut child =
        Command::new(&words[0]).args(&words[1..]).spawn().with_context(|| format!("cannot start {}", words[0]))?;
    let peak = Peak::watch(&child);
    let status = child.wait()?;
    let seconds = since.elapsed().as_secs_f64();
    ensure!(status.success(), "{words:?} failed ({status})");
    Ok((seconds, peak.end()))
}

/// Watches how much memory a process has had.
struct Peak {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<f64>,
}

impl Peak {
    /// How often it is looked at; ranks that have come stay until the last one has.
    const INTERVAL: Duration = Duration::from_millis(1);

    fn watch(child: &Child) -> Peak {
        let is_over = Arc::new(AtomicBool::new(false));
        let (seen, path) = (is_over.clone(), format!("/proc/{}/status", child.id()));
        let thread = std::thread::spawn(move || {
            let mut most = 0.0;
            while !seen.load(Ordering::Relaxed) {
                most = peak(&fs::read_to_string(&path).unwrap_or_default()).unwrap_or(most);
                std::thread::sleep(Self::INTERVAL);
            }
            most
        });
        Peak { is_over, thread }
    }

    fn end(self) -> f64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("it does not panic")
    }
}

/// The most bytes that a process has had, of its status in words.
fn peak(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(peak("Name:\trankine\nVmHWM:\t    2048 kB\nThreads:\t3\n"), Some(2048.0 * 1024.0));
        assert_eq!(peak("Name:\trankine\n"), None);
    }
}
