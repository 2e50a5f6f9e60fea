//! Both engines say the same of calls with nothing in many places: null handles, counts of zero, arguments that are not
//! significant.
//!
//! A case has one rank, and each of its calls prints the class of what it returns. Where one engine refuses what the other
//! does, that is bad, unless it stands in `tests/calls/differences.txt`, which says whose the difference is. From there on the
//! rest of a case may differ as well, so one is counted a case. Where both refuse a call in which several things are wrong,
//! each may name another of these: those are only told (`--verbose`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use arbitrary::Unstructured;
use rankine_abi::MPI_SUCCESS;
use rankine_calls::draw::{Choice, draw_nothing};
use rankine_calls::guest::Kind;
use rankine_calls::program::{Call, Case};
use rankine_calls::telling::told;
use rankine_calls::{Catalogue, Program};

use super::{Arguments, Random, module, run_to_end};
use crate::mpiexec::mpiexec;
use crate::places::Places;

/// A function, and the classes that the embedded engine and the other one return.
type Difference = (String, i32, i32);

/// Compares for as long as is asked for; how many differences are bad.
pub(super) fn run(
    arguments: &Arguments,
    catalogue: &Catalogue,
    choice: &Choice,
    places: &Places,
    keep: &Path,
) -> Result<usize> {
    let known = known(&places.root.join("tests/calls/differences.txt"))?;
    let comparison = Comparison { catalogue, places, keep };
    let mut found = BTreeMap::<Difference, (usize, String)>::new();
    let (mut cases, mut random) = (0, Random(arguments.seed));
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    while Instant::now() < end {
        cases += 1;
        let case = draw_nothing(&mut Unstructured::new(&random.bytes()), catalogue, choice)?;
        for (difference, shown) in comparison.differences(&case)? {
            found.entry(difference).or_insert((0, shown)).0 += 1;
        }
    }
    let mut bad = 0;
    for ((function, local, mpi), (count, call)) in &found {
        let mark = match (*local, *mpi) {
            (MPI_SUCCESS, _) | (_, MPI_SUCCESS) if known.contains(&(function.clone(), *local, *mpi)) => "known",
            (MPI_SUCCESS, _) | (_, MPI_SUCCESS) => "bad",
            _ => "another class",
        };
        bad += usize::from(mark == "bad");
        if mark == "bad" || arguments.verbose {
            println!("{mark}: {function} {local} {mpi}: {count} times\n  {call}");
        }
    }
    println!("{cases} cases compared: {} differences, {bad} of which are bad", found.len());
    Ok(bad)
}

/// The differences that are known: `MPI_Name local mpi`, and why.
fn known(file: &Path) -> Result<Vec<Difference>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let mut word = || words.next().with_context(|| format!("a line of differences is too short: {line}"));
            Ok((word()?.to_owned(), word()?.parse()?, word()?.parse()?))
        })
        .collect()
}

/// What all comparisons need.
struct Comparison<'a> {
    catalogue: &'a Catalogue,
    places: &'a Places,
    keep: &'a Path,
}

impl Comparison<'_> {
    /// The calls of a case that the engines answer differently, up to the first that only one of them carries out.
    fn differences(&self, case: &Case) -> Result<Vec<(Difference, String)>> {
        let (local, mpi) = (self.answers("local", case)?, self.answers("mpi", case)?);
        // There are no callbacks, so the calls stand in their order.
        let is_told = |call: &&Call| self.catalogue.functions[usize::from(call.function)].returns_code;
        let calls = case.programs[0].calls.iter().filter(is_told);
        let mut found = Vec::new();
        for ((ours, theirs), call) in local.iter().zip(&mpi).zip(calls) {
            if ours != theirs {
                let name = self.catalogue.functions.get(ours.0).map_or("?", |callee| callee.name.as_str());
                found.push(((name.to_owned(), ours.1, theirs.1), call.to_text(self.catalogue)));
            }
            if (ours.1 == MPI_SUCCESS) != (theirs.1 == MPI_SUCCESS) {
                break;
            }
        }
        Ok(found)
    }

    /// The functions that an engine says it has called, each with the class that it has returned.
    fn answers(&self, engine: &str, case: &Case) -> Result<Vec<(usize, i32)>> {
        // What the other engine has left there would be found.
        let files = self.keep.join(super::FILES);
        fs::remove_dir_all(&files)?;
        fs::create_dir(&files)?;
        let mut command = match engine {
            "mpi" => mpiexec(self.places, 1),
            _ => Command::new(&self.places.rankine),
        };
        if engine == "mpi" {
            command.arg(&self.places.rankine);
        }
        command.args(["run", "--timeout", "5", "--dir"]).arg(format!("{}::files", files.display()));
        command.args(["--memory-limit", "64M"]).arg(self.keep.join(module(Kind::Telling)));
        command.args(case.programs.iter().map(Program::to_hexadecimal)).stdin(Stdio::null());
        Ok(run_to_end(command)?.text.lines().filter_map(told).collect())
    }
}
