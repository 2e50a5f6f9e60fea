//! What the rounds of a benchmark found, and how it is printed and kept.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::turns::quartiles;
use crate::twins::{Measurement, root};

/// What one run of the suite found.
#[derive(Serialize)]
pub struct Results {
    name: &'static str,
    cores: usize,
    /// Seconds that a cache line takes from core to core: smallest and largest of the rounds.
    floor: (f64, f64),
    rows: Vec<Row>,
    /// With whom all others are compared, beside the guests with native programs.
    #[serde(skip)]
    base: Option<&'static str>,
}

/// One thing measured, for all competitors: the best round of each.
#[derive(Serialize)]
struct Row {
    what: String,
    bytes: u64,
    seconds: BTreeMap<&'static str, f64>,
    /// What a cache line took just before that round: the cores may be near in one and far in another.
    floor: BTreeMap<&'static str, f64>,
    /// "A / B": A's time by B's of the same round, where "native" is the fastest native program. Lower quartile, median, upper
    /// quartile.
    ratio: BTreeMap<String, [f64; 3]>,
    /// All rounds.
    #[serde(skip)]
    rounds: BTreeMap<&'static str, Vec<f64>>,
}

/// A guest's name in tables begins so.
const GUEST: &str = "rankine";

fn is_native(name: &str, base: Option<&str>) -> bool {
    !name.starts_with(GUEST) && Some(name) != base
}

impl Results {
    pub fn new(name: &'static str, base: Option<&'static str>) -> Result<Results> {
        let cores = std::thread::available_parallelism()?.get();
        Ok(Results { name, cores, floor: (f64::INFINITY, 0.0), rows: Vec::new(), base })
    }

    /// Adds what a competitor measured once, just after a cache line took so long.
    pub fn add(&mut self, competitor: &'static str, line: f64, found: Measurement) {
        self.floor = (self.floor.0.min(line), self.floor.1.max(line));
        let Measurement { what, bytes, seconds } = found;
        let place = self.rows.binary_search_by(|row| (&row.what, row.bytes).cmp(&(&what, bytes)));
        let place = place.unwrap_or_else(|place| {
            self.rows.insert(place, Row::new(what, bytes));
            place
        });
        let row = &mut self.rows[place];
        if row.seconds.get(competitor).is_none_or(|best| seconds < *best) {
            row.seconds.insert(competitor, seconds);
            row.floor.insert(competitor, line);
        }
        row.rounds.entry(competitor).or_default().push(seconds);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Compares the competitors of each row.
    pub fn compare(&mut self) {
        let base = self.base;
        for row in &mut self.rows {
            row.ratio = row.ratios("native", |name| name.starts_with(GUEST), |name| is_native(name, base));
            if let Some(base) = base {
                row.ratio.extend(row.ratios(base, |name| name != base, |name| name == base));
            }
        }
    }

    /// Prints a table with columns of these names.
    pub fn print(&self, names: &[&str]) {
        let (nearest, farthest) = (self.floor.0 * 1e9, self.floor.1 * 1e9);
        println!("{} on {} cores; a cache line crosses in {nearest:.0} to {farthest:.0} ns\n", self.name, self.cores);
        print!("{:10} {:>9}", "", "bytes");
        for name in names {
            print!(" {name:>15}");
        }
        println!(" {:>10} {:>9}  ratio: median (quartiles)", "in floors", "added ns");
        for row in &self.rows {
            row.print(names, self.base);
        }
    }

    /// Writes `bench/results/NAME.json`.
    pub fn write(&self) -> Result<()> {
        let path = root().join("bench/results").join(self.name).with_extension("json");
        std::fs::write(&path, serde_json::to_string_pretty(self)? + "\n")?;
        println!("\nwritten to {}", path.strip_prefix(root()).unwrap_or(&path).display());
        Ok(())
    }
}

impl Row {
    fn new(what: String, bytes: u64) -> Row {
        let (seconds, floor, ratio, rounds) = Default::default();
        Row { what, bytes, seconds, floor, ratio, rounds }
    }

    /// The times of some, each by the smallest of others in the same round.
    fn ratios(
        &self,
        others: &str,
        is_compared: impl Fn(&str) -> bool,
        is_other: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, [f64; 3]> {
        let best_of = |round: usize| {
            let others = self.rounds.iter().filter(|(name, _)| is_other(name));
            others.filter_map(|(_, seconds)| seconds.get(round).copied()).min_by(f64::total_cmp)
        };
        let of = |(name, seconds): (&&'static str, &Vec<f64>)| {
            let ratios = seconds.iter().enumerate().filter_map(|(round, own)| Some(own / best_of(round)?));
            let ratios: Vec<f64> = ratios.collect();
            (!ratios.is_empty()).then(|| (format!("{name} / {others}"), quartiles(ratios)))
        };
        self.rounds.iter().filter(|(name, _)| is_compared(name)).filter_map(of).collect()
    }

    fn print(&self, names: &[&str], base: Option<&str>) {
        print!("{:10} {:>9}", self.what, self.bytes);
        for name in names {
            match self.seconds.get(name) {
                Some(seconds) => print!(" {:>12.3} us", seconds * 1e6),
                None => print!(" {:>15}", "-"),
            }
        }
        if let Some((name, ours)) = self.seconds.iter().find(|(name, _)| name.starts_with(GUEST)) {
            let natives = self.seconds.iter().filter(|(name, _)| is_native(name, base));
            let native = natives.map(|(_, seconds)| *seconds).min_by(f64::total_cmp);
            let added = native.map_or_else(|| "-".into(), |native| format!("{:.1}", (ours - native) * 1e9));
            print!(" {:>10.2} {added:>9}", ours / self.floor[name]);
        }
        for (name, [low, median, high]) in &self.ratio {
            print!("  {name}: {median:.3} ({low:.3} to {high:.3})");
        }
        println!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(base: Option<&'static str>, rounds: &[(&'static str, f64)]) -> Row {
        let mut results = Results::new("test", base).unwrap();
        for &(name, seconds) in rounds {
            results.add(name, 1e-8, Measurement { what: "put".into(), bytes: 8, seconds });
        }
        results.compare();
        results.rows.remove(0)
    }

    #[test]
    fn a_guest_is_compared_with_the_faster_native_program_of_its_own_round() {
        let rounds = [("MPICH", 2.0), ("Open MPI", 4.0), ("rankine local", 1.0)];
        let later = [("MPICH", 8.0), ("Open MPI", 4.0), ("rankine local", 4.0)];
        let row = compared(None, &[rounds, later].concat());
        assert_eq!(row.ratio, BTreeMap::from([("rankine local / native".into(), [0.625, 0.75, 0.875])]));
        assert_eq!(row.seconds["MPICH"], 2.0);
    }

    #[test]
    fn all_are_compared_with_the_one_that_is_named_which_is_no_native_program() {
        let row = compared(Some("raw"), &[("raw", 0.5), ("MPICH", 2.0), ("rankine local", 1.0)]);
        let expected = [("MPICH / raw", 4.0), ("rankine local / native", 0.5), ("rankine local / raw", 2.0)];
        assert_eq!(row.ratio, expected.map(|(name, ratio)| (name.into(), [ratio; 3])).into());
    }

    #[test]
    fn who_has_nobody_to_be_compared_with_has_no_ratio() {
        assert!(compared(None, &[("rankine local", 1.0)]).ratio.is_empty());
    }
}
