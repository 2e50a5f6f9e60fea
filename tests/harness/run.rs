//! Runs one guest with one rank count, and compares what it did with what its head says.

use super::compile::Compiler;
use super::directive::Exit;
use super::emulated;
use super::guest::{Guest, Variant};
use super::interpreted;
use super::mixed;
use super::mpiexec::mpiexec;
use super::process::{Ended, Run, run_within};
use super::{Mode, Places, wine};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// A run that takes longer hangs: it is killed, and what it printed is shown.
const LIMIT: Duration = Duration::from_secs(300);

/// How many times as long it may take beneath an emulator, whose arithmetic is some 50 times slower, or interpreted.
const EMULATION: u32 = 6;

/// One trial: compile if need be, and then for each of the head's arguments: run, compare.
pub fn trial(
    places: &Places,
    compiler: &Compiler,
    guest: &Guest,
    variant: Variant,
    mode: Mode,
    ranks: u32,
) -> Result<(), Failed> {
    let program = match mode {
        Mode::Native => compiler.native(guest, variant)?,
        Mode::Wide | Mode::WideNodes | Mode::WideMpi => compiler.wide(guest, variant)?,
        Mode::Large | Mode::LargeMpi => compiler.large(guest, variant)?,
        _ => compiler.module(guest, variant)?,
    };
    if guest.head.each.is_empty() {
        return once(places, compiler, guest, (mode, ranks), &program, None);
    }
    for word in &guest.head.each {
        once(places, compiler, guest, (mode, ranks), &program, Some(word))
            .map_err(|failed| format!("with {word}: {}", failed.message().unwrap_or_default()))?;
    }
    Ok(())
}

/// Runs it with one more argument, or none, and compares.
fn once(
    places: &Places,
    compiler: &Compiler,
    guest: &Guest,
    (mode, ranks): (Mode, u32),
    program: &Path,
    more: Option<&String>,
) -> Result<(), Failed> {
    let scratch = Scratch::new(places, guest)?;
    let options = options(places, guest, scratch.as_ref());
    let mut command = match mode {
        Mode::Threads | Mode::Fibers | Mode::Seeded(_) | Mode::Interpreted | Mode::Wide | Mode::Large => {
            let mut command = Command::new(&places.rankine);
            command.arg("run").arg(if matches!(mode, Mode::Threads | Mode::Wide | Mode::Large) {
                "--threads"
            } else {
                "--fibers"
            });
            command.args(["-n", &ranks.to_string()]).args((mode == Mode::Interpreted).then_some("--interpret"));
            if let Mode::Seeded(seed) = mode {
                command.args(["--seed", &seed.to_string()]);
            }
            command.args(&options);
            command
        }
        Mode::Mpi | Mode::WideMpi | Mode::LargeMpi => {
            let mut command = mpiexec(places, ranks);
            command.arg(&places.rankine).arg("run").args(&options);
            command
        }
        Mode::Nodes | Mode::NodesInTurn | Mode::WideNodes => {
            let mut command = mpiexec(places, 2);
            command
                .arg(&places.rankine)
                .args(["run", "--engine", "nodes", "-n", &(ranks / 2).to_string()])
                .args((mode == Mode::NodesInTurn).then_some(["--map-by", "node"]).into_iter().flatten())
                .args(&options);
            command
        }
        Mode::Emulated(kind) => emulated::run(places, kind, ranks, &options),
        Mode::Mixed => {
            let mut command = mixed::first_half(places, ranks);
            command.arg(&places.rankine).arg("run").args(&options);
            command
        }
        Mode::MixedNodes => {
            let mut command = mixed::first_half(places, 2);
            command
                .arg(&places.rankine)
                .args(["run", "--engine", "nodes", "-n", &(ranks / 2).to_string()])
                .args(&options);
            command
        }
        Mode::Wine => wine::run(places, ranks, &options),
        Mode::Native => mpiexec(places, ranks),
    };
    command.arg(program).args(&guest.head.args).args(more).env_remove("RUST_BACKTRACE");
    if mode == Mode::Mixed || mode == Mode::MixedNodes {
        let is_nodes = mode == Mode::MixedNodes;
        command.args(mixed::other_half(places, if is_nodes { 2 } else { ranks }));
        if is_nodes {
            command.args(["--engine", "nodes", "-n", &(ranks / 2).to_string()]);
        }
        command.args(&options);
        command.arg(program).args(&guest.head.args).args(more);
    }
    let is_slow = !matches!(
        mode,
        Mode::Threads
            | Mode::Fibers
            | Mode::Seeded(_)
            | Mode::Mpi
            | Mode::Nodes
            | Mode::NodesInTurn
            | Mode::Wide
            | Mode::WideNodes
            | Mode::WideMpi
            | Mode::LargeMpi
            | Mode::Native
    );
    let slowness = if is_slow { EMULATION } else { 1 };
    let limit = guest.head.seconds.map_or(LIMIT, Duration::from_secs) * slowness;
    let run = run_within(command, guest.head.stdin.clone(), limit)?;
    if mode == Mode::Interpreted && interpreted::has_threads(program)? {
        return interpreted::is_refused(&run);
    }
    let mut complaints = complaints(guest, mode, ranks, &run);
    if guest.head.reference {
        let mut native = Command::new(compiler.reference(guest)?);
        // Two trials of a guest that writes files run it at the same time.
        if let Some(Scratch(folder)) = &scratch {
            native.current_dir(folder.path());
        }
        let reference = run_within(native, guest.head.stdin.clone(), limit)?;
        if reference.stdout != run.stdout {
            complaints.push(format!("standard output: flang's native program prints\n{}", reference.stdout));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{}\n{run}", complaints.join("\n")).into()) }
}

/// A folder of one run's own, for a guest that asks for one; it goes with the run.
struct Scratch(TempDir);

impl Scratch {
    /// What stands for the folder in a guest's head.
    const NAME: &str = "{scratch}";

    /// Makes the folder, if the guest's head names it.
    fn new(places: &Places, guest: &Guest) -> Result<Option<Scratch>, String> {
        if !guest.head.run.iter().any(|word| word.contains(Self::NAME)) {
            return Ok(None);
        }
        let folder = places.target.join("scratch");
        let made = fs::create_dir_all(&folder).and_then(|()| TempDir::new_in(&folder));
        made.map(|made| Some(Scratch(made))).map_err(|e| format!("{}: {e}", folder.display()))
    }
}

/// The options of `rankine run` that a guest's head asks for; `{guests}` is the folder of the compiled guests.
fn options(places: &Places, guest: &Guest, scratch: Option<&Scratch>) -> Vec<String> {
    let guests = places.target.join("guests").display().to_string();
    let scratch = scratch.map_or_else(String::new, |Scratch(folder)| folder.path().display().to_string());
    let fill = |word: &String| word.replace("{guests}", &guests).replace(Scratch::NAME, &scratch);
    guest.head.run.iter().map(fill).collect()
}

/// Whether each rank is a process over an MPI library.
fn is_over_library(mode: Mode) -> bool {
    matches!(mode, Mode::Mpi | Mode::WideMpi | Mode::LargeMpi)
}

/// What is wrong with what it took of memory.
fn peak(guest: &Guest, mode: Mode, ranks: u32, run: &Run) -> Option<String> {
    let ranks = if is_over_library(mode) { 1 } else { ranks };
    let most = match guest.head.peak?.mib(ranks, &guest.head.run) {
        Ok(most) => most,
        Err(error) => return Some(format!("peak: {error}")),
    };
    let is_judged = !matches!(mode, Mode::Native | Mode::Emulated(_) | Mode::Mixed | Mode::MixedNodes | Mode::Wine);
    (is_judged && run.peak > most << 20).then(|| format!("memory: it took {} MiB, and may take {most}", run.peak >> 20))
}

/// What is wrong with a run of which only its memory is judged, and that it ends by itself.
fn by_memory_alone(guest: &Guest, mode: Mode, ranks: u32, run: &Run) -> Vec<String> {
    let by_itself = match run.ended {
        Ended::Killed(limit) => Some(format!("it was still running after {} s", limit.as_secs())),
        Ended::Status(status) if status == 128 + libc::SIGSEGV || status == 128 + libc::SIGKILL => {
            Some(format!("a signal ended it: status {status}"))
        }
        Ended::Status(_) => None,
    };
    by_itself.into_iter().chain(peak(guest, mode, ranks, run)).collect()
}

/// Whether MPICH's launcher tells of a process that it has killed itself: when one ends with a status, as both are about to, it kills
/// the other if that is later by a moment.
fn was_late(mode: Mode, status: i32, run: &Run) -> bool {
    matches!(mode, Mode::Nodes | Mode::NodesInTurn | Mode::WideNodes | Mode::MixedNodes)
        && status == libc::SIGKILL
        && run.stdout.contains("EXIT STRING: Killed (signal 9)")
}

/// What is wrong with a run, in words.
fn complaints(guest: &Guest, mode: Mode, ranks: u32, run: &Run) -> Vec<String> {
    if guest.head.bounded && is_over_library(mode) {
        return by_memory_alone(guest, mode, ranks, run);
    }
    let mut found = Vec::new();
    match (run.ended, guest.head.exit) {
        (Ended::Killed(limit), _) => found.push(format!("it was still running after {} s", limit.as_secs())),
        (Ended::Status(status), Exit::Status(expected)) if expected != 0 && was_late(mode, status, run) => {}
        (Ended::Status(status), Exit::Status(expected)) if status != expected => {
            found.push(format!("exit status: expected {expected}, got {status}"));
        }
        (Ended::Status(0), Exit::NonZero) => found.push("exit status: expected another than 0".into()),
        _ => {}
    }
    match guest.expected(ranks) {
        Some(expected) if sorted(expected) != sorted(&run.stdout) => {
            found.push(format!("standard output: expected\n{expected}"))
        }
        None if guest.head.reference => {}
        None if guest.head.exit == Exit::Status(0) && run.stdout.lines().filter(|line| *line == "OK").count() != 1 => {
            found.push("standard output: expected one line OK".into());
        }
        _ => {}
    }
    found.extend(peak(guest, mode, ranks, run));
    let has = |text: &str, wanted: &str| wanted.split('|').any(|alternative| text.contains(alternative.trim()));
    found.extend(
        guest
            .head
            .stdout
            .iter()
            .filter(|part| !has(&run.stdout, part))
            .map(|part| format!("standard output lacks: {part}")),
    );
    if mode != Mode::Native {
        found.extend(
            guest
                .head
                .stderr
                .iter()
                .filter(|part| !has(&run.stderr, part))
                .map(|part| format!("standard error lacks: {part}")),
        );
        found.extend(
            guest
                .head
                .stderr_not
                .iter()
                .filter(|part| has(&run.stderr, part))
                .map(|part| format!("standard error has: {part}")),
        );
    }
    found
}

/// The lines of a text in the alphabet's order: which rank prints first is nobody's promise.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}
