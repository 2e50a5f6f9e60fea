//! Where figures come from: the machine, how busy it is, and what was measured.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::twins::root;

/// What a machine says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub processor: Option<String>,
    pub cores: usize,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// The system and its version.
    pub system: Option<String>,
}

impl Machine {
    /// The machine that runs the benchmark.
    pub fn this() -> Machine {
        let value = |path: &str, name: &str| {
            let text = fs::read_to_string(path).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = value("/proc/meminfo", "MemTotal");
        let kibibytes = memory.and_then(|text| text.strip_suffix(" kB")?.parse::<u64>().ok());
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
        Machine {
            processor: value("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory: kibibytes.map(|kibibytes| kibibytes << 10),
            system: release.map(|release| format!("{} {}", std::env::consts::OS, release.trim())),
        }
    }
}

/// How many processes wanted a core in the last minute.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Seconds since 1970.
pub fn time() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|passed| passed.as_secs())
}

/// The commit of the sources, with a `+` where other files than results differ from it; nothing outside of a clone.
pub fn commit() -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root()).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let head = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--", ".", ":!bench/results", ":!docs"])?;
    Some(if changes.is_empty() { head } else { head + "+" })
}
