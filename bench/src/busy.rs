//! Ranks on cores that others want too.

use std::process::{Child, Command};

use anyhow::{Context, Result};

use crate::twins::{Competitor, Measurement};

/// How many processes compute meanwhile.
const BESIDE: [&str; 4] = ["0", "1", "2", "4"];

/// Processes that compute until this is dropped.
struct Others(Vec<Child>);

impl Others {
    fn start(count: usize) -> Result<Others> {
        let mut others = Others(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
            others.0.push(child.context("cannot start sh")?);
        }
        Ok(others)
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs the program on 2 and 4 ranks, beside so many others each time.
pub fn run(competitor: &Competitor) -> Result<Vec<Measurement>> {
    let mut all = Vec::new();
    for ranks in [2, 4] {
        for beside in BESIDE {
            let _others = Others::start(beside.parse()?)?;
            all.extend(competitor.run("busy", ranks, &[beside])?);
        }
    }
    Ok(all)
}
