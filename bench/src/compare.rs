//! `just bench compare A B`: what moved between two runs by more than their own noise.
//!
//! What is compared is a guest's time by that of others in the same round, as the machine may have been another one, or busier.
//! Where there was nobody else, it is the time itself, of which less is believed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::record::{Line, Record};
use crate::turns::quartiles;

/// So much of a ratio, or of a time, is noise even if the quartiles say otherwise.
const NOISE: [f64; 2] = [0.03, 0.1];

/// One thing that a guest did in both runs.
#[derive(Debug, Serialize)]
struct Pair {
    benchmark: String,
    what: String,
    bytes: u64,
    competitor: String,
    /// By whose time in the same round; nothing where seconds are compared.
    against: Option<String>,
    /// Lower quartile, median, upper quartile.
    before: [f64; 3],
    after: [f64; 3],
    /// The later median by the earlier one.
    change: f64,
    /// Whether that is more than noise.
    moved: bool,
}

impl Pair {
    fn new(benchmark: &str, before: &Line, after: &Line) -> Pair {
        let native = || before.ratio.contains_key("native").then_some("native");
        let common = || before.ratio.keys().find(|other| after.ratio.contains_key(*other)).map(String::as_str);
        let against = native().filter(|native| after.ratio.contains_key(*native)).or_else(common);
        let of = |line: &Line| against.map_or_else(|| quartiles(line.seconds.clone()), |other| line.ratio[other]);
        let (first, second) = (of(before), of(after));
        let change = second[1] / first[1];
        let noise = NOISE[usize::from(against.is_none())];
        let is_apart = first[2] < second[0] || second[2] < first[0];
        Pair {
            benchmark: benchmark.into(),
            what: after.what.clone(),
            bytes: after.bytes,
            competitor: after.competitor.clone(),
            against: against.map(String::from),
            before: first,
            after: second,
            change,
            moved: is_apart && (change > 1.0 + noise || change < 1.0 / (1.0 + noise)),
        }
    }

    fn in_words(&self) -> String {
        let Pair { benchmark, what, bytes, competitor, against, before, after, change, .. } = self;
        let (by, word) = if *change > 1.0 { (*change, "slower") } else { (1.0 / change, "faster") };
        let bytes = if *bytes == 0 { String::new() } else { format!(" {bytes}") };
        let (unit, scale) = if against.is_some() { ("", 1.0) } else { (" us", 1e6) };
        let against = against.as_ref().map_or_else(String::new, |other| format!(" / {other}"));
        let told = |[low, median, high]: &[f64; 3]| {
            format!("{:.3}{unit} ({:.3} to {:.3})", median * scale, low * scale, high * scale)
        };
        let (before, after) = (told(before), told(after));
        format!("{by:6.2} times {word}  {benchmark}: {what}{bytes}, {competitor}{against}: {before}, then {after}")
    }
}

/// The records in a folder, or the one that a file is.
fn records(path: &Path) -> Result<Vec<Record>> {
    if path.is_file() {
        return Ok(vec![Record::read(path)?]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("{} can't be read", path.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    paths.sort();
    if paths.is_empty() {
        bail!("{} has no results (NAME.jsonl)", path.display());
    }
    paths.iter().map(|path| Record::read(path)).collect()
}

/// The pairs of two runs, and the names of what only one of them has.
fn pairs(before: &[Record], after: &[Record]) -> (Vec<Pair>, BTreeSet<String>) {
    let mut alone: BTreeSet<String> = BTreeSet::new();
    let name = |record: &Record| record.head.benchmark.clone();
    alone.extend(before.iter().map(name).filter(|one| !after.iter().any(|record| name(record) == *one)));
    let mut pairs = Vec::new();
    for record in after {
        let Some(earlier) = before.iter().find(|earlier| name(earlier) == name(record)) else {
            alone.insert(name(record));
            continue;
        };
        let has_guests = record.lines.iter().any(Line::is_guest);
        for line in record.lines.iter().filter(|line| line.is_guest() || !has_guests) {
            let key = |line: &Line| (line.what.clone(), line.bytes, line.competitor.clone());
            match earlier.lines.iter().find(|one| key(one) == key(line)) {
                Some(one) => pairs.push(Pair::new(&record.head.benchmark, one, line)),
                None => drop(alone.insert(format!("{}: {} {}", name(record), line.what, line.bytes))),
            }
        }
    }
    (pairs, alone)
}

/// Compares what two paths name, folders or files.
pub fn run(before: &Path, after: &Path, json: bool) -> Result<()> {
    let (before, after) = (records(before)?, records(after)?);
    let (mut pairs, alone) = pairs(&before, &after);
    pairs.sort_by(|a, b| b.change.total_cmp(&a.change));
    if json {
        println!("{}", serde_json::to_string_pretty(&pairs)?);
        return Ok(());
    }
    let few = before.iter().chain(&after).filter(|record| record.head.rounds < 3);
    let few: BTreeSet<&str> = few.map(|record| record.head.benchmark.as_str()).collect();
    pairs.iter().filter(|pair| pair.moved).for_each(|pair| println!("{}", pair.in_words()));
    let count = |is: fn(&Pair) -> bool| pairs.iter().filter(|pair| is(pair)).count();
    let (slower, faster) =
        (count(|pair| pair.moved && pair.change > 1.0), count(|pair| pair.moved && pair.change < 1.0));
    println!("{} compared: {slower} slower, {faster} faster, the others within noise", pairs.len());
    if !alone.is_empty() {
        println!("in one of them only: {}", Vec::from_iter(alone).join(", "));
    }
    if !few.is_empty() {
        println!("of fewer than three rounds, which say little of noise: {}", Vec::from_iter(few).join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::begin;

    fn line(seconds: &[f64], ratio: Option<[f64; 3]>) -> Line {
        Line {
            what: "put".into(),
            bytes: 8,
            competitor: "rankine local".into(),
            seconds: seconds.into(),
            ratio: ratio.map(|ratio| ("native".into(), ratio)).into_iter().collect(),
            ..Line::default()
        }
    }

    #[test]
    fn what_lies_within_the_quartiles_has_not_moved() {
        let moved = |before, after| {
            let pair = Pair::new("rma", &line(&[1.0], Some(before)), &line(&[1.0], Some(after)));
            (pair.moved, pair.in_words())
        };
        assert!(!moved([0.9, 1.0, 1.1], [1.0, 1.1, 1.2]).0);
        assert!(!moved([1.0, 1.0, 1.0], [1.02, 1.02, 1.02]).0);
        let (is_slower, words) = moved([0.9, 1.0, 1.1], [1.9, 2.0, 2.1]);
        assert!(is_slower && words.contains("2.00 times slower  rma: put 8, rankine local / native: 1.000"), "{words}");
        assert!(moved([1.9, 2.0, 2.1], [0.9, 1.0, 1.1]).1.contains("2.00 times faster"));
    }

    #[test]
    fn times_are_compared_where_there_was_nobody_else() {
        let pair = |after: f64| Pair::new("ring", &line(&[1e-6, 1e-6, 1.01e-6], None), &line(&[after; 3], None));
        assert!(!pair(1.08e-6).moved && pair(1.5e-6).moved);
        assert!(pair(1.5e-6).in_words().contains("1.500 us"));
    }

    #[test]
    fn what_one_of_them_lacks_is_named() {
        let record = |name: &str, lines| begin().end(name, 3, lines);
        let before = [record("rma", vec![line(&[1.0], None)]), record("old", vec![])];
        let after =
            [record("rma", vec![line(&[1.0], None), Line { bytes: 16, ..line(&[1.0], None) }]), record("new", vec![])];
        let (pairs, alone) = pairs(&before, &after);
        assert_eq!(pairs.len(), 1);
        assert_eq!(Vec::from_iter(alone), ["new", "old", "rma: put 16"]);
    }
}
