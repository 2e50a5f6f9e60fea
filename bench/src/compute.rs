//! `just bench compute`: how fast a guest computes, beside native programs of the same source.
//!
//! The programs run in turns, and the ratio of a guest to its twin is taken within a round, as the speed of a machine
//! that is shared changes from one minute to the next. Of the ratios of all rounds the quartiles are shown.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::twins::{Competitor, Measurement, measurements, output, root};

/// Seconds of each kernel, in one run of a program.
type Kernels = BTreeMap<String, f64>;

/// One kernel beside one native compiler.
#[derive(Serialize)]
struct Row {
    kernel: String,
    compiler: &'static str,
    /// Seconds of the best round.
    guest: f64,
    native: f64,
    /// The guest's time by the native one's, in each round: lower quartile, median, upper quartile.
    quartiles: [f64; 3],
}

/// Measures, prints, and writes `bench/results/compute.json`.
pub fn run(rounds: u32) -> Result<()> {
    let guest = Competitor::local().command("compute", 1)?;
    let natives = natives(&guest)?;
    if natives.is_empty() {
        bail!("neither clang nor gcc compiles native programs here: there is nothing to compare with");
    }
    let mut all: Vec<(Kernels, Vec<Kernels>)> = Vec::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        let ours = by_kernel(measurements(Command::new(&guest[0]).args(&guest[1..]), "the guest")?);
        let theirs = natives.iter().map(|(name, file)| Ok(by_kernel(measurements(&mut Command::new(file), name)?)));
        all.push((ours, theirs.collect::<Result<_>>()?));
    }
    let mut rows = Vec::new();
    for kernel in all.first().map(|(ours, _)| ours.keys()).into_iter().flatten() {
        for (index, (compiler, _)) in natives.iter().enumerate() {
            let pairs = all.iter().filter_map(|(ours, theirs)| Some((*ours.get(kernel)?, *theirs[index].get(kernel)?)));
            let pairs: Vec<(f64, f64)> = pairs.collect();
            let best = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).fold(f64::INFINITY, f64::min);
            rows.push(Row {
                kernel: kernel.clone(),
                compiler,
                guest: best(|pair| pair.0),
                native: best(|pair| pair.1),
                quartiles: quartiles(pairs.iter().map(|(guest, native)| guest / native).collect()),
            });
        }
    }
    print(&rows);
    let path = root().join("bench/results/compute.json");
    std::fs::write(&path, serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("\nwritten to {}", path.strip_prefix(root()).unwrap_or(&path).display());
    Ok(())
}

fn by_kernel(measured: Vec<Measurement>) -> Kernels {
    measured.into_iter().map(|one| (one.what, one.seconds)).collect()
}

/// The same program by the clang that `rankine cc` calls, and by gcc where there is one.
fn natives(guest: &[String]) -> Result<Vec<(&'static str, PathBuf)>> {
    let clang = output(Command::new(&guest[0]).args(["cc", "-showme:command"]))?.trim().to_owned();
    let source = root().join("bench/programs/compute.c");
    let mut found = Vec::new();
    for (name, compiler) in [("clang", clang.as_str()), ("gcc", "gcc")] {
        let binary = root().join("target/bench").join(format!("compute-{name}.native"));
        let mut command = Command::new(compiler);
        command.args(["-O3", "-DALONE"]).arg(&source).arg("-o").arg(&binary).arg("-lm");
        match output(&mut command) {
            Ok(_) => found.push((name, binary)),
            Err(error) => eprintln!("not compared with {name}: {error:#}"),
        }
    }
    Ok(found)
}

/// The value below which a quarter of them lies, the median, and that above which a quarter lies.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    [0.25, 0.5, 0.75].map(|part| {
        let place = part * last;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        below + (above - below) * place.fract()
    })
}

fn print(rows: &[Row]) {
    println!("{:12} {:>8} {:>12} {:>12}   guest / native: median (quartiles)", "", "", "guest", "native");
    for Row { kernel, compiler, guest, native, quartiles: [low, median, high] } in rows {
        println!(
            "{kernel:12} {compiler:>8} {:>9.3} ms {:>9.3} ms {median:>12.2} ({low:.2} to {high:.2})",
            guest * 1e3,
            native * 1e3
        );
    }
}
