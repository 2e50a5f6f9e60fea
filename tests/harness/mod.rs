//! The harness of the guest programs: which there are, how each is compiled and run, and how its end is judged.
//!
//! Read tests/README.md first, then `directive.rs` (the keys in a program's head), `guest.rs` (a program with its variants) and
//! `run.rs`; `script.rs` runs the programs that have build systems of their own.

mod compile;
mod coverage;
mod directive;
mod emulated;
mod emulator;
mod every;
mod guest;
mod interpreted;
mod kinds;
mod known;
mod lacking;
mod mixed;
mod mpiexec;
mod page;
mod places;
mod process;
mod run;
mod script;
mod sources;
mod times;
mod wine;

use compile::Compiler;
use emulator::{ARM, Kind};
use guest::{Guest, Variant};
use kinds::{Outcome, Tally};
use known::Known;
use libtest_mimic::Trial;
pub use places::Places;
use script::Script;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use times::Times;

/// How the ranks of a guest are run.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Mode {
    /// The embedded engine, a thread for each rank.
    Threads,
    /// The embedded engine, fibers on a thread for each core.
    Fibers,
    /// The embedded engine, fibers in the order that a seed says.
    Seeded(u64),
    /// The embedded engine, fibers, in Wasmtime's interpreter.
    Interpreted,
    /// The mpi engine, a process for each rank under `mpiexec`.
    Mpi,
    /// The embedded engine, a thread for each rank, in the host for another architecture beneath an emulator.
    Emulated(Kind),
    /// The mpi engine, half of the processes as here and half in the host for Arm.
    Mixed,
    /// The embedded engine, a thread for each rank, in the host for Windows beneath wine.
    Wine,
    /// The engine nodes: two processes under `mpiexec`, each with half of the ranks.
    Nodes,
    /// The engine nodes with ranks that are numbered in turn.
    NodesInTurn,
    /// The engine nodes: one process as here and one in the host for Arm.
    MixedNodes,
    /// The embedded engine, threads, a guest in C, C++ or Fortran that is compiled with 64-bit addresses.
    Wide,
    /// Such a guest on the engine nodes.
    WideNodes,
    /// Such a guest on the engine mpi.
    WideMpi,
    /// One whose memory may have more than 4 GiB, on the engine mpi.
    LargeMpi,
    /// Such a guest, threads, where the memory may have more than 4 GiB and all but the stack lies above them.
    Large,
    /// No engine: the same source as a native program of the MPI library, which checks the guest itself.
    Native,
}

impl Mode {
    /// Takes `--native`, `--mpi`, `--nodes`, `--nodes-in-turn`, `--interpreted`, `--emulated`, `--emulated=KIND`, `--mixed`,
    /// `--mixed-nodes`, `--wine`, `--wide`, `--wide-nodes`, `--wide-mpi`, `--large`, `--large-mpi` and `--seeds=FIRST..END` out of the command line; without
    /// them the embedded engine is tested.
    pub fn from_args(args: impl Iterator<Item = String>) -> (Vec<Mode>, Vec<String>) {
        let mut modes = Vec::new();
        let mut rest = Vec::new();
        for arg in args {
            match arg.as_str() {
                "--native" => modes.push(Mode::Native),
                "--mpi" => modes.push(Mode::Mpi),
                "--nodes" => modes.push(Mode::Nodes),
                "--nodes-in-turn" => modes.push(Mode::NodesInTurn),
                "--interpreted" => modes.push(Mode::Interpreted),
                "--emulated" => modes.push(Mode::Emulated(ARM)),
                "--mixed" => modes.push(Mode::Mixed),
                "--mixed-nodes" => modes.push(Mode::MixedNodes),
                "--wine" => modes.push(Mode::Wine),
                "--wide" => modes.push(Mode::Wide),
                "--wide-nodes" => modes.push(Mode::WideNodes),
                "--wide-mpi" => modes.push(Mode::WideMpi),
                "--large-mpi" => modes.push(Mode::LargeMpi),
                "--large" => modes.push(Mode::Large),
                _ => match (arg.strip_prefix("--emulated=").and_then(emulated::kind), seeds(&arg)) {
                    (Some(kind), _) => modes.push(Mode::Emulated(kind)),
                    (None, Some(seeds)) => modes.extend(seeds.map(Mode::Seeded)),
                    (None, None) => rest.push(arg),
                },
            }
        }
        if modes.is_empty() {
            modes = vec![Mode::Threads, Mode::Fibers];
        }
        (modes, rest)
    }

    /// The name of the mode in a trial's name.
    fn name(self) -> String {
        match self {
            Mode::Threads => "threads".into(),
            Mode::Fibers => "fibers".into(),
            Mode::Seeded(seed) => format!("seed-{seed}"),
            Mode::Interpreted => "interpreted".into(),
            Mode::Mpi => "mpi".into(),
            Mode::Emulated(kind) => format!("emulated-{}", kind.name),
            Mode::Mixed => "mixed".into(),
            Mode::MixedNodes => "mixed-nodes".into(),
            Mode::Wine => "wine".into(),
            Mode::Nodes => "nodes".into(),
            Mode::NodesInTurn => "nodes-in-turn".into(),
            Mode::Wide => "wide".into(),
            Mode::WideNodes => "wide-nodes".into(),
            Mode::WideMpi => "wide-mpi".into(),
            Mode::LargeMpi => "large-mpi".into(),
            Mode::Large => "large".into(),
            Mode::Native => "native".into(),
        }
    }
}

/// The seeds that an argument names, if that is what it does.
fn seeds(argument: &str) -> Option<Range<u64>> {
    let (first, end) = argument.strip_prefix("--seeds=")?.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// All guests, and the modes to run them in.
pub struct Suite {
    places: Arc<Places>,
    guests: Vec<Arc<Guest>>,
    scripts: Vec<Script>,
    modes: Vec<Mode>,
    known: Arc<Known>,
    tally: Arc<Tally>,
    times: Arc<Times>,
    /// All counts of ranks that heads name, on threads and on fibers.
    is_full: bool,
}

impl Suite {
    /// Finds the guests beneath `tests/` and `examples/`; says which file has a head that can't be read.
    pub fn find(modes: &[Mode], is_full: bool) -> Result<Suite, String> {
        let places = Arc::new(Places::find());
        let mut guests = Vec::new();
        for folder in ["guests", "sandbox", "cli", "people", "check", "fortran"] {
            guests.extend(guest::find(&places.root.join("tests"), folder)?);
        }
        guests.extend(guest::find_examples(&places.root.join("examples"))?);
        let scripts = script::find(&places.root.join("tests/programs"))?;
        let known = Arc::new(Known::read(&places)?);
        Ok(Suite {
            places,
            guests: guests.into_iter().map(Arc::new).collect(),
            scripts,
            modes: modes.to_vec(),
            known,
            tally: Arc::default(),
            times: Arc::default(),
            is_full: is_full || std::env::var_os("RANKINE_TEST_FULL").is_some(),
        })
    }

    /// What is to be kept of the run, once it is over.
    pub fn keeper(&self) -> impl Fn() -> Result<(), String> + use<> {
        let (tally, places) = (self.tally.clone(), self.places.clone());
        move || tally.keep(&places)
    }

    /// Where the time of a run has gone, once it is over.
    pub fn times(&self) -> Arc<Times> {
        self.times.clone()
    }

    /// One trial for each guest, variant, mode and rank count, one for each script, one that every function has a
    /// guest, and one that the page says so; the examples once more under `--check`.
    pub fn trials(self) -> Vec<Trial> {
        let compiler = Arc::new(Compiler::new(self.places.clone()));
        let mut trials = Vec::new();
        let mut add = |name: &str, guest: &Arc<Guest>, variant: Variant, mode: Mode| {
            for ranks in guest.ranks(variant, mode, self.is_full) {
                let (guest, compiler, places) = (guest.clone(), compiler.clone(), self.places.clone());
                let (of, tally, times) = (name.to_string(), self.tally.clone(), self.times.clone());
                tally.expect(mode, &of);
                let name = format!("{name}{}/{}/{ranks}", variant.suffix(), mode.name());
                let known = self.known.reason(mode, &of).or_else(|| self.known.reason(mode, &name)).map(String::from);
                trials.push(Trial::test(name, move || {
                    let begun = Instant::now();
                    let run = || run::trial(&places, &compiler, &guest, variant, mode, ranks);
                    let outcome =
                        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("the harness panicked".into()));
                    let (came, said) = match known {
                        None if outcome.is_ok() => (Outcome::Passed, outcome),
                        None => (Outcome::Failed, outcome),
                        Some(_) if outcome.is_err() => (Outcome::Known, Ok(())),
                        Some(reason) => {
                            (Outcome::Failed, Err(format!("it passes, and tests/known.txt says: {reason}").into()))
                        }
                    };
                    tally.note(mode, &of, came);
                    times.note(&mode.name(), &of, begun.elapsed());
                    said
                }));
            }
        };
        for guest in &self.guests {
            for variant in guest.variants() {
                self.modes.iter().for_each(|&mode| add(&guest.name, guest, variant, mode));
            }
        }
        // What is right is so for the check too.
        for guest in self.guests.iter().filter(|guest| guest.name.starts_with("examples/")) {
            let (name, checked) = (format!("check/{}", guest.name), Arc::new(guest.checked()));
            for &mode in self.modes.iter().filter(|mode| matches!(mode, Mode::Threads | Mode::Fibers)) {
                add(&name, &checked, Variant::Plain, mode);
            }
        }
        if self.modes.contains(&Mode::Mpi) {
            let (places, guests, compiler) = (self.places.clone(), self.guests.clone(), compiler.clone());
            let (every, lacking) = (places.clone(), places.clone());
            trials.push(Trial::test("load/mpi", move || every::load(&every)));
            trials.push(Trial::test("lacking/mpi", move || lacking::call(&lacking)));
            trials.push(Trial::test("coverage/mpi", move || coverage::check(&places, &compiler, &guests, Mode::Mpi)));
        }
        if self.modes.contains(&Mode::Threads) {
            let Suite { places, guests, scripts, times, .. } = self;
            // A long one is listed as ignored: `--include-ignored` or `--ignored` runs it.
            for script in scripts {
                let (places, name, full) = (places.clone(), script.name.clone(), script.full);
                let times = times.clone();
                let trial = Trial::test(name, move || {
                    let begun = Instant::now();
                    let outcome = script.trial(&places);
                    times.note("scripts", &script.name, begun.elapsed());
                    outcome
                });
                trials.push(trial.with_ignored_flag(full));
            }
            let of_kinds = places.clone();
            trials.push(Trial::test("kinds/page", move || kinds::check(&of_kinds)));
            let (of_page, by, all) = (places.clone(), compiler.clone(), guests.clone());
            trials.push(Trial::test("coverage/page", move || page::check(&of_page, &by, &all)));
            trials.push(Trial::test("coverage/local", move || {
                coverage::check(&places, &compiler, &guests, Mode::Threads)
            }));
        }
        trials
    }
}
