//! How the figures of a benchmark are kept: `bench/results/NAME.jsonl`, whose first line says where they come from. README.md
//! of that folder has the fields.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::machine::{self, Machine};
use crate::turns::quartiles;
use crate::twins::root;

/// Files with another number are not read.
pub const SCHEMA: u32 = 1;

/// A guest's name in tables begins so.
pub const GUEST: &str = "rankine";

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    pub schema: u32,
    pub benchmark: String,
    /// What was measured: the commit, with `+` where files differed from it. Figures of early days don't say.
    pub commit: Option<String>,
    /// When it was over, in seconds since 1970.
    pub time: Option<u64>,
    /// How long all rounds took.
    pub took: Option<f64>,
    pub rounds: u32,
    pub machine: Machine,
    /// Processes that wanted a core, in the last minute before it began and before it ended.
    pub load: Option<[f64; 2]>,
}

/// One thing that one competitor did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Line {
    pub what: String,
    pub bytes: u64,
    pub competitor: String,
    /// Of each round.
    pub seconds: Vec<f64>,
    /// What a cache line took from core to core just before each round, where that matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floor: Vec<f64>,
    /// Its time by that of others in the same round: lower quartile, median, upper quartile.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ratio: BTreeMap<String, [f64; 3]>,
    /// Bytes of each round, where memory is measured too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<f64>,
}

impl Line {
    /// The best round.
    pub fn best(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// What a cache line took just before the best round.
    pub fn floor_of_best(&self) -> Option<f64> {
        let best = self.seconds.iter().position(|seconds| *seconds == self.best())?;
        self.floor.get(best).copied()
    }

    pub fn is_guest(&self) -> bool {
        self.competitor.starts_with(GUEST)
    }

    /// Its time by the smallest of others in the same round; nothing where no round has both.
    pub fn against<'a>(&self, others: impl Iterator<Item = &'a Line> + Clone) -> Option<[f64; 3]> {
        let best =
            |round: usize| others.clone().filter_map(|line| line.seconds.get(round).copied()).min_by(f64::total_cmp);
        let ratios = self.seconds.iter().enumerate().filter_map(|(round, own)| Some(own / best(round)?));
        let ratios: Vec<f64> = ratios.collect();
        (!ratios.is_empty()).then(|| quartiles(ratios))
    }
}

/// All of a file.
#[derive(Clone, Debug)]
pub struct Record {
    pub head: Head,
    pub lines: Vec<Line>,
}

/// A record that has not ended yet.
pub struct Begun {
    since: std::time::Instant,
    load: Option<f64>,
}

/// Begins to measure.
pub fn begin() -> Begun {
    Begun { since: std::time::Instant::now(), load: machine::load() }
}

impl Begun {
    /// What was measured.
    pub fn end(self, benchmark: &str, rounds: u32, lines: Vec<Line>) -> Record {
        let head = Head {
            schema: SCHEMA,
            benchmark: benchmark.into(),
            commit: machine::commit(),
            time: machine::time(),
            took: Some(self.since.elapsed().as_secs_f64()),
            rounds,
            machine: Machine::this(),
            load: self.load.zip(machine::load()).map(|(before, after)| [before, after]),
        };
        Record { head, lines }
    }
}

/// Where a benchmark's record lies.
pub fn path(folder: &Path, benchmark: &str) -> PathBuf {
    folder.join(benchmark).with_extension("jsonl")
}

impl Record {
    /// Writes the file, whole or not at all, and says so.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = path(folder, &self.head.benchmark);
        let mut text = serde_json::to_string(&self.head)? + "\n";
        for line in &self.lines {
            text += &(serde_json::to_string(line)? + "\n");
        }
        let part = path.with_extension("part");
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(&part, text)).and_then(|()| fs::rename(&part, &path));
        written.with_context(|| format!("{} can't be written", path.display()))?;
        println!("\nwritten to {}", path.strip_prefix(root()).unwrap_or(&path).display());
        Ok(())
    }

    pub fn read(path: &Path) -> Result<Record> {
        let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Record> {
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().context("it is empty")?;
        let head: Head = serde_json::from_str(first).context("line 1 is no head of results")?;
        ensure!(head.schema == SCHEMA, "its schema is {}, and this one reads {SCHEMA}", head.schema);
        let line = |(number, line)| serde_json::from_str(line).with_context(|| format!("line {}", number + 1));
        let lines = lines.map(line).collect::<Result<_>>()?;
        Ok(Record { head, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(competitor: &str, seconds: &[f64]) -> Line {
        Line { what: "put".into(), bytes: 8, competitor: competitor.into(), seconds: seconds.into(), ..Line::default() }
    }

    #[test]
    fn a_ratio_is_of_the_same_round() {
        let natives = [line("MPICH", &[2.0, 8.0]), line("Open MPI", &[4.0, 4.0])];
        assert_eq!(line("rankine local", &[1.0, 4.0]).against(natives.iter()), Some([0.625, 0.75, 0.875]));
        assert_eq!(line("rankine local", &[1.0]).against([].iter()), None);
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("rankine-bench-{}", std::process::id()));
        begin().end("puts", 2, vec![line("MPICH", &[2.0, 1.0])]).write(&folder).unwrap();
        let record = Record::read(&path(&folder, "puts")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((record.head.benchmark.as_str(), record.head.rounds), ("puts", 2));
        assert_eq!((record.lines[0].best(), record.lines[0].floor_of_best()), (1.0, None));
    }

    #[test]
    fn what_makes_no_sense_is_named_by_its_line() {
        let head = serde_json::to_string(&begin().end("x", 1, vec![]).head).unwrap();
        let said = |text: &str| format!("{:#}", Record::parse(text).unwrap_err());
        assert!(said("").contains("empty"));
        assert!(said("[]").contains("line 1"));
        assert!(said(&head.replace("\"schema\":1", "\"schema\":2")).contains("its schema is 2"));
        assert!(said(&format!("{head}\nnonsense")).contains("line 2"));
    }

    #[test]
    fn what_is_checked_in_is_read() {
        for entry in fs::read_dir(root().join("bench/results")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let record = Record::read(&path).unwrap();
                assert_eq!(path.file_stem().unwrap().to_str(), Some(record.head.benchmark.as_str()));
                assert!(!record.lines.is_empty() && record.lines.iter().all(|line| !line.seconds.is_empty()));
            }
        }
    }
}
