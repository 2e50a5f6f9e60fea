//! `just bench`: all benchmarks, one after the other. What this commit has been measured with already is left out, so that hours
//! can be spent in parts.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::ValueEnum as _;

use crate::machine::{self, Machine};
use crate::record::{self, Head, Record};
use crate::twins::root;
use crate::{Name, Wanted, measure};

/// Those of `--quick`: a round of each.
pub const QUICK: [Name; 5] = [Name::Pingpong, Name::Rma, Name::Ring, Name::Overhead, Name::Compute];

/// Measures all of `names` that have no results of now in `folder`.
pub fn run(names: &[Name], wanted: &Wanted, again: bool, folder: &Path) -> Result<()> {
    let known: HashMap<Name, Head> = names.iter().filter_map(|&name| Some((name, head(name, folder)?))).collect();
    let is_done = |name: &Name| !again && known.get(name).is_some_and(|head| is_of_now(head, wanted));
    let (done, left): (Vec<Name>, Vec<Name>) = names.iter().partition(|name| is_done(name));
    if !done.is_empty() {
        let done: Vec<String> = done.iter().map(word).collect();
        eprintln!("measured already with this commit (--again: once more): {}", done.join(", "));
    }
    let mut failed = Vec::new();
    for (index, name) in left.iter().enumerate() {
        let word = word(name);
        eprintln!("\n{} of {}: {word}{}", index + 1, left.len(), time_left(&left[index..], &known, wanted));
        let since = Instant::now();
        match measure(*name, wanted).and_then(|record| record.write(folder)) {
            Ok(()) => eprintln!("{word} took {:.0} s", since.elapsed().as_secs_f64()),
            Err(error) => {
                eprintln!("{word} was not measured: {error:#}");
                failed.push(word);
            }
        }
    }
    if !failed.is_empty() {
        bail!("not measured, for the reasons above: {}", failed.join(", "));
    }
    Ok(())
}

/// The word on the command line.
fn word(name: &Name) -> String {
    name.to_possible_value().expect("no benchmark is hidden").get_name().to_owned()
}

/// What is known of an earlier run, in that folder or among those that came with the sources.
fn head(name: Name, folder: &Path) -> Option<Head> {
    let read = |folder: &Path| Record::read(&record::path(folder, &word(&name))).ok();
    Some(read(folder).or_else(|| read(&root().join("bench/results")))?.head)
}

/// Whether it need not be measured again.
fn is_of_now(head: &Head, wanted: &Wanted) -> bool {
    let is_clean = |commit: &String| !commit.ends_with('+');
    let commit = machine::commit().filter(is_clean);
    commit.is_some()
        && head.commit == commit
        && head.machine == Machine::this()
        && head.rounds >= wanted.rounds.unwrap_or(head.rounds)
}

/// How long the rest will take, if runs before this one say so.
fn time_left(left: &[Name], known: &HashMap<Name, Head>, wanted: &Wanted) -> String {
    let of = |name: &Name| {
        let head = known.get(name)?;
        let rounds = wanted.rounds.unwrap_or(head.rounds);
        Some(head.took? * f64::from(rounds) / f64::from(head.rounds.max(1)))
    };
    let times: Vec<f64> = left.iter().filter_map(of).collect();
    let minutes = (times.iter().sum::<f64>() / 60.0).ceil();
    match times.len() {
        0 => String::new(),
        all if all == left.len() => format!(", about {minutes} min left"),
        _ => format!(", at least {minutes} min left"),
    }
}
