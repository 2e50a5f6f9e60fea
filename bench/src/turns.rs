//! A guest and native programs of the same source, in turns.
//!
//! The ratio of a guest to its twin is taken within a round, as the speed of a machine that is shared changes from one minute
//! to the next. Of the ratios of all rounds the quartiles are shown.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::twins::{Measurement, measurements, root};

/// Seconds of each kernel, in one run of a program.
type Kernels = BTreeMap<String, f64>;

/// A program that the guest is compared with.
pub struct Native {
    /// As it stands in tables.
    pub name: &'static str,
    /// What runs it.
    pub command: Command,
}

/// One kernel beside one native program.
#[derive(Serialize)]
struct Row {
    kernel: String,
    native_program: &'static str,
    /// Seconds of the best round.
    guest: f64,
    native: f64,
    /// The guest's time by the native one's, in each round: lower quartile, median, upper quartile.
    quartiles: [f64; 3],
}

/// Measures, prints, and writes `bench/results/NAME.json`.
pub fn run(name: &str, guest: &[String], mut natives: Vec<Native>, rounds: u32) -> Result<()> {
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
    let mut rows = Vec::new();
    for kernel in order {
        for (index, native) in natives.iter().enumerate() {
            let pairs =
                all.iter().filter_map(|(ours, theirs)| Some((*ours.get(&kernel)?, *theirs[index].get(&kernel)?)));
            let pairs: Vec<(f64, f64)> = pairs.collect();
            if pairs.is_empty() {
                continue;
            }
            let best = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).fold(f64::INFINITY, f64::min);
            rows.push(Row {
                kernel: kernel.clone(),
                native_program: native.name,
                guest: best(|pair| pair.0),
                native: best(|pair| pair.1),
                quartiles: quartiles(pairs.iter().map(|(guest, native)| guest / native).collect()),
            });
        }
    }
    print(&rows);
    let path = root().join("bench/results").join(name).with_extension("json");
    std::fs::write(&path, serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("\nwritten to {}", path.strip_prefix(root()).unwrap_or(&path).display());
    Ok(())
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

fn print(rows: &[Row]) {
    println!("{:16} {:>19} {:>13} {:>13}   guest / native: median (quartiles)", "", "", "guest", "native");
    for Row { kernel, native_program, guest, native, quartiles: [low, median, high] } in rows {
        println!(
            "{kernel:16} {native_program:>19} {:>10.5} ms {:>10.5} ms {median:>12.2} ({low:.2} to {high:.2})",
            guest * 1e3,
            native * 1e3
        );
    }
}
