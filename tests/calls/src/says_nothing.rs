//! What says nothing is not looked at: every function with arguments that the table marks as not significant is called with
//! anything in their place, by three ranks, and succeeds on each.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use arbitrary::Unstructured;
use rankine_abi::MPI_SUCCESS;
use rankine_calls::Catalogue;
use rankine_calls::guest::Kind;
use rankine_calls::insignificant::{self, RANKS};
use rankine_calls::program::{Case, Program};
use rankine_calls::telling::told;

use super::engine::Engine;
use super::{Arguments, Random, module, run_to_end};
use crate::places::Places;

/// Where both sides are ranks of one `MPI_COMM_WORLD`, MPICH 5.0.2 says natively too that there is no such port.
const BROKEN_IN_MPICH: [&str; 2] = ["MPI_Comm_accept", "MPI_Comm_connect"];

/// Calls each of them once, and goes on for as long as is asked for; how many failed.
pub(super) fn run(arguments: &Arguments, catalogue: &Catalogue, places: &Places, keep: &Path) -> Result<usize> {
    let (all, mut random) = (insignificant::all()?, Random(arguments.seed));
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let (mut cases, mut bad) = (0, 0);
    for (function, large, why) in all.iter().cycle() {
        if cases >= all.len() && Instant::now() >= end {
            break;
        }
        cases += 1;
        let is_wanted = arguments.recipe.as_ref().is_none_or(|part| function.name.contains(part.as_str()));
        let is_broken = arguments.engine == Engine::Mpi && BROKEN_IN_MPICH.contains(&function.name.as_str());
        if !is_wanted || is_broken {
            continue;
        }
        let bytes = random.bytes();
        let case =
            insignificant::case(&mut Unstructured::new(&bytes), catalogue, (function, *large, *why), cases % 2 == 0)?;
        let run = run_to_end(command(arguments, &case, places, keep))?;
        let answers: Vec<(usize, i32)> = run.text.lines().filter_map(told).collect();
        let is_told = |program: &Program| {
            program.calls.iter().filter(|call| catalogue.functions[usize::from(call.function)].returns_code).count()
        };
        let expected: usize = case.programs.iter().map(is_told).sum();
        let all_succeed = answers.len() == expected && answers.iter().all(|(_, class)| *class == MPI_SUCCESS);
        if arguments.verbose || !all_succeed {
            println!("{}: {}, {why:?}", if all_succeed { "fine" } else { "bad" }, function.name);
        }
        if !all_succeed {
            bad += 1;
            println!("{}{}", case.to_text(catalogue), run.text);
        }
    }
    println!("{cases} calls with arguments that say nothing on {}: {bad} failed", arguments.engine);
    Ok(bad)
}

fn command(arguments: &Arguments, case: &Case, places: &Places, keep: &Path) -> Command {
    let mut command = arguments.engine.run(places, RANKS, case.fibers);
    command.arg("--dir-ro").arg(format!("{}::child", keep.join(super::CHILD).display()));
    command.args(["--timeout", "60", "--memory-limit", "64M"]).arg(keep.join(module(Kind::Telling)));
    command.args(case.programs.iter().map(Program::to_hexadecimal)).stdin(Stdio::null());
    command
}
