//! A guest and native programs of the same source, in turns.
//!
//! The ratio of a guest to its twin is taken within a round, as the speed of a machine that is shared changes from one minute
//! to the next. Of the ratios of all rounds the quartiles are shown.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Result, bail};

use crate::record::Line;
use crate::twins::{Measurement, measurements};

/// Seconds of each kernel, in one run of a program.
type Kernels = BTreeMap<String, f64>;

/// How the guest stands in records.
const GUEST: &str = "rankine local";

/// A program that the guest is compared with.
pub struct Native {
    /// As it stands in tables.
    pub name: &'static str,
    /// What runs it.
    pub command: Command,
}

/// Measures and prints. The guest has a ratio to each native program.
pub fn run(guest: &[String], mut natives: Vec<Native>, rounds: u32) -> Result<Vec<Line>> {
    let mut all: Vec<(Kernels, Vec<Kernels>)> = Vec::new();
    let mut order = Vec::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        let ours = measurements(Command::new(&guest[0]).args(&guest[1..]), "the guest")?;
        order = ours.iter().map(|one| one.what.clone()).collect();
        let theirs = natives.iter_mut().map(|native| Ok(by_kernel(measurements(&mut native.command, native.name)?)));
        all.push((by_kernel(ours), theirs.collect::<Result<_>>()?));
    }
    if order.is_empty() {
        bail!("the guest measured nothing");
    }
    let mut lines = Vec::new();
    for kernel in order {
        let line = |competitor: &str, seconds: Vec<f64>| Line {
            what: kernel.clone(),
            competitor: competitor.into(),
            seconds,
            ..Line::default()
        };
        let mut guest = line(GUEST, all.iter().filter_map(|(ours, _)| ours.get(&kernel).copied()).collect());
        let of = |(index, native): (usize, &Native)| {
            line(native.name, all.iter().filter_map(|(_, theirs)| theirs[index].get(&kernel).copied()).collect())
        };
        let natives: Vec<Line> = natives.iter().enumerate().map(of).filter(|line| !line.seconds.is_empty()).collect();
        for native in &natives {
            guest.ratio.extend(guest.against([native].into_iter()).map(|ratio| (native.competitor.clone(), ratio)));
        }
        lines.push(guest);
        lines.extend(natives);
    }
    print(&lines);
    Ok(lines)
}

fn by_kernel(measured: Vec<Measurement>) -> Kernels {
    measured.into_iter().map(|one| (one.what, one.seconds)).collect()
}

/// The value below which a quarter of them lies, the median, and that above which a quarter lies.
pub fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    [0.25, 0.5, 0.75].map(|part| {
        let place = part * last;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        below + (above - below) * place.fract()
    })
}

fn print(lines: &[Line]) {
    println!("{:16} {:>19} {:>13} {:>13}   guest / native: median (quartiles)", "", "", "guest", "native");
    for guest in lines.iter().filter(|line| line.is_guest()) {
        for native in lines.iter().filter(|line| line.what == guest.what && !line.is_guest()) {
            let Some([low, median, high]) = guest.ratio.get(&native.competitor) else { continue };
            println!(
                "{:16} {:>19} {:>10.5} ms {:>10.5} ms {median:>12.2} ({low:.2} to {high:.2})",
                guest.what,
                native.competitor,
                guest.best() * 1e3,
                native.best() * 1e3
            );
        }
    }
}
