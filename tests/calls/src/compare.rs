//! Both engines, and the library without an engine, say the same of calls with nothing in many places: null handles, counts of
//! zero, arguments that are not significant.
//!
//! A case has one rank, and each of its calls prints the class of what it returns. Where one side refuses what the other
//! does, that is bad, unless it stands in `tests/calls/differences.txt` or `native.txt`, which say whose the difference is. From
//! there on the rest of a case may differ as well, so one is counted a case. Where both refuse a call in which several things are
//! wrong, each may name another of these: those are only told (`--verbose`). Natively a case also ends where the library crashes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use arbitrary::Unstructured;
use rankine_abi::MPI_SUCCESS;
use rankine_calls::draw::{Choice, draw_nothing};
use rankine_calls::guest::Kind;
use rankine_calls::native::tame;
use rankine_calls::program::{Call, Case};
use rankine_calls::telling::told;
use rankine_calls::{Catalogue, Program};

use super::{Arguments, Random, module, run_to_end};
use crate::mpiexec::{library, mpiexec};
use crate::places::Places;

/// A function, and the classes that the one side and the engine mpi return.
type Difference = (String, i32, i32);

/// What the engine mpi is compared with.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(super) enum With {
    /// The embedded engine.
    Local,
    /// The library that the engine calls, without it: the guest's native twin.
    Native,
}

impl With {
    /// Where the differences stand that are known.
    fn known(self) -> &'static str {
        match self {
            With::Local => "differences.txt",
            With::Native => "native.txt",
        }
    }
}

/// Compares for as long as is asked for; how many differences are bad.
pub(super) fn run(
    with: With,
    arguments: &Arguments,
    catalogue: &Catalogue,
    choice: &Choice,
    places: &Places,
    keep: &Path,
) -> Result<usize> {
    let known = known(&places.root.join("tests/calls").join(with.known()))?;
    let comparison = Comparison { with, catalogue, places, keep };
    let mut found = BTreeMap::<Difference, (usize, String)>::new();
    let (mut cases, mut random) = (0, Random(arguments.seed));
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    while Instant::now() < end {
        cases += 1;
        let mut case = draw_nothing(&mut Unstructured::new(&random.bytes()), catalogue, choice)?;
        if with == With::Native {
            case = tame(case, catalogue);
        }
        for (difference, shown) in comparison.differences(&case)? {
            found.entry(difference).or_insert((0, shown)).0 += 1;
        }
    }
    let mut bad = 0;
    for ((function, one, mpi), (count, call)) in &found {
        let mark = match (*one, *mpi) {
            (MPI_SUCCESS, _) | (_, MPI_SUCCESS) if known.contains(&(function.clone(), *one, *mpi)) => "known",
            (MPI_SUCCESS, _) | (_, MPI_SUCCESS) => "bad",
            _ => "another class",
        };
        bad += usize::from(mark == "bad");
        if mark == "bad" || arguments.verbose {
            println!("{mark}: {function} {one} {mpi}: {count} times\n  {call}");
        }
    }
    println!("{cases} cases compared: {} differences, {bad} of which are bad", found.len());
    Ok(bad)
}

/// The differences that are known: a function and two classes, and why.
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
    with: With,
    catalogue: &'a Catalogue,
    places: &'a Places,
    keep: &'a Path,
}

impl Comparison<'_> {
    /// The calls of a case that both sides answer differently, up to the first that only one of them carries out.
    fn differences(&self, case: &Case) -> Result<Vec<(Difference, String)>> {
        let one = match self.with {
            With::Local => self.answers(Command::new(&self.places.rankine), case)?,
            With::Native => self.native_answers(case)?,
        };
        let mut beneath_launcher = mpiexec(self.places, 1);
        beneath_launcher.arg(&self.places.rankine);
        let mpi = self.answers(beneath_launcher, case)?;
        // There are no callbacks, so the calls stand in their order.
        let is_told = |call: &&Call| self.catalogue.functions[usize::from(call.function)].returns_code;
        let calls = case.programs[0].calls.iter().filter(is_told);
        let mut found = Vec::new();
        for ((ours, theirs), call) in one.iter().zip(&mpi).zip(calls) {
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
    fn answers(&self, mut command: Command, case: &Case) -> Result<Vec<(usize, i32)>> {
        let files = self.empty_folder()?;
        command.args(["run", "--timeout", "5", "--dir"]).arg(format!("{}::files", files.display()));
        command.args(["--memory-limit", "64M"]).arg(self.keep.join(module(Kind::Telling)));
        command.args(case.programs.iter().map(Program::to_hexadecimal)).stdin(Stdio::null());
        Ok(run_to_end(command)?.text.lines().filter_map(told).collect())
    }

    /// What the library says to the native twin, as far as that comes.
    fn native_answers(&self, case: &Case) -> Result<Vec<(usize, i32)>> {
        let folder = self.empty_folder()?.with_file_name("");
        let file = self.keep.join("native.txt");
        fs::write(&file, case.to_text(self.catalogue))?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--natively").arg(&file).arg("--library").arg(library(self.places));
        command.current_dir(folder).stdin(Stdio::null());
        let run = run_to_end(command)?;
        // MPICH leaves it behind where it crashes, and a later process of the same number would stumble over it.
        let _ = fs::remove_file(format!("/dev/shm/mpich_shm_{:x}_0", run.id));
        Ok(run.text.lines().filter_map(told).collect())
    }

    /// Where cases write: what another engine has left there would be found.
    fn empty_folder(&self) -> Result<PathBuf> {
        let files = self.keep.join(super::FILES);
        fs::remove_dir_all(&files)?;
        fs::create_dir(&files)?;
        Ok(files)
    }
}
