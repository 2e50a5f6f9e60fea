//! Runs case after case and looks how each ends: `rankine-calls --engine mpi --seconds 600`.
//!
//! Whatever a guest calls, a job ends with a status of its own: never by a signal, with a panic, or not at all. What
//! ends in another way is kept, shortened to what still fails, and reported. Nor does what calls take grow faster than their
//! arguments (`growing.rs`), both engines say the same of nothing (`compare.rs`), and what says nothing is not looked at
//! (`says_nothing.rs`). How calls are drawn is in the library
//! (`lib.rs`): read that first.

mod compare;
mod engine;
mod growing;
#[path = "../../harness/mpiexec.rs"]
mod mpiexec;
#[path = "../../harness/places.rs"]
mod places;
mod says_nothing;

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use arbitrary::Unstructured;
use clap::Parser;
use rankine_calls::catalogue::Callee;
use rankine_calls::draw::{Choice, draw};
use rankine_calls::growth::{self, RECIPES};
use rankine_calls::guest::Kind;
use rankine_calls::program::Mode;
use rankine_calls::{Case, Catalogue, Program, guest, native};

use engine::Engine;
use places::Places;

#[derive(Parser)]
#[command(about = "Calls MPI with arguments that no program would pass, and looks how the job ends")]
struct Arguments {
    /// The engine
    #[arg(long, value_enum, default_value = "local")]
    engine: Engine,
    /// How long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where to begin; the same seed gives the same cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run the cases in these files and folders, instead of those in tests/calls/cases and then of drawing some
    #[arg(long, value_name = "PATH")]
    replay: Vec<PathBuf>,
    /// Where cases that end badly are kept, and what cases write (target/calls)
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Look only how what cases take grows with the length of their arguments
    #[arg(long)]
    growth: bool,
    /// Of the growing cases that are written down, or the functions with insignificant arguments, only those with this text
    #[arg(long, value_name = "TEXT")]
    recipe: Option<String>,
    /// Run cases with nothing in many places on the engine mpi and on another, or natively, and compare the classes of the errors
    /// that calls return
    #[arg(long, value_name = "WITH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "local")]
    compare: Option<compare::With>,
    /// Be a native twin: run the case in this file with the functions of the library, and no engine
    #[arg(long, value_name = "FILE", requires = "library")]
    natively: Option<PathBuf>,
    /// The MPI library of the native twin
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Call every function that has arguments which are not significant with anything in their place
    #[arg(long)]
    insignificant: bool,
    /// Print each case before it runs
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("rankine-calls: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what is asked for; how many cases ended badly.
fn run(arguments: &Arguments) -> Result<usize> {
    let catalogue = Catalogue::new()?;
    if let (Some(file), Some(library)) = (&arguments.natively, &arguments.library) {
        native::run(library, &catalogue, &Case::parse(&fs::read_to_string(file)?, &catalogue)?)?;
        return Ok(0);
    }
    let places = Places::find();
    let keep = arguments.keep.clone().unwrap_or_else(|| places.target.join("calls"));
    fs::create_dir_all(keep.join(FILES))?;
    fs::create_dir_all(keep.join(CHILD))?;
    let engine = arguments.engine;
    let has = |callee: &Callee| engine.has(callee);
    for kind in [Kind::Plain, Kind::Threads(engine.level()), Kind::Long, Kind::Telling, Kind::WIDE, Kind::LARGE] {
        fs::write(keep.join(module(kind)), guest::module(&catalogue, has, kind))?;
    }
    fs::write(keep.join(CHILD).join("child.wasm"), guest::child())?;
    limit_files();
    let choice = Choice::of(&catalogue, has, engine.is_bounded());
    if let Some(with) = arguments.compare {
        return compare::run(with, arguments, &catalogue, &choice, &places, &keep);
    }
    if arguments.insignificant {
        return says_nothing::run(arguments, &catalogue, &places, &keep);
    }
    let mut bench = Bench { arguments, catalogue: &catalogue, places, keep, bad: HashMap::new() };
    let mut count = 0;
    let kept = [bench.places.root.join("tests/calls/cases")];
    let replayed: &[PathBuf] = if arguments.replay.is_empty() && !arguments.growth { &kept } else { &arguments.replay };
    for file in files(replayed)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let case = Case::parse(&text, &catalogue).with_context(|| file.display().to_string())?;
        count += 1;
        if let Some((bad, text)) = bench.run(&case)? {
            bench.tell(&bad, &case, &text)?;
        }
    }
    if arguments.replay.is_empty() {
        let end = Instant::now() + Duration::from_secs(arguments.seconds);
        let mut random = Random(arguments.seed);
        if arguments.growth {
            let is_wanted = |text: &&&str| arguments.recipe.as_ref().is_none_or(|part| text.contains(part));
            for text in RECIPES.iter().filter(is_wanted) {
                count += 1;
                if !bench.is_judged(text) {
                    // That it ends well.
                    let case = growth::recipe(&catalogue, text, FEW)?;
                    if let Some((bad, text)) = bench.run(&case)? {
                        bench.tell(&bad, &case, &text)?;
                    }
                    continue;
                }
                bench.try_growth(text, &|n| growth::recipe(&catalogue, text, n))?;
            }
        }
        while Instant::now() < end {
            count += 1;
            if arguments.growth || count % ONE_OF == 0 {
                let bytes = random.bytes();
                let case = |n| Ok(growth::draw(&mut Unstructured::new(&bytes), &catalogue, &choice, n)?);
                if bench.is_judged(&case(FEW)?.to_text(&catalogue)) {
                    bench.try_growth("drawn", &case)?;
                }
                continue;
            }
            let case = random.case(&catalogue, &choice)?;
            bench.try_case(case)?;
        }
    }
    let bad = bench.bad.values().sum();
    println!("{count} cases on {}: {bad} ended badly, in {} ways", arguments.engine, bench.bad.len());
    Ok(bad)
}

/// The files that are named, and those in the folders that are.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
            files.extend(entries.collect::<Result<Vec<_>>>()?);
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    Ok(files)
}

/// What the jobs write is limited, for a length that was drawn may be all that the disk has.
fn limit_files() {
    const LONGEST: libc::rlim_t = 1 << 30;
    let limit = libc::rlimit { rlim_cur: LONGEST, rlim_max: LONGEST };
    // SAFETY: it gets a valid `rlimit`.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
}

/// A random generator (SplitMix64, of Steele, Lea and Flood): the same cases on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self) -> Vec<u8> {
        let length = 64 + (self.next() % 2048) as usize;
        (0..length.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect()
    }

    fn case(&mut self, catalogue: &Catalogue, choice: &Choice) -> Result<Case> {
        Ok(draw(&mut Unstructured::new(&self.bytes()), catalogue, choice)?)
    }
}

/// How a run ended, if badly.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bad {
    Signal(i32),
    Panic,
    Hang,
    /// Calls take more than in proportion to their arguments.
    Growth,
}

/// How a run ended, and what it took.
struct Run {
    /// The process.
    id: u32,
    /// None if it had to be ended.
    status: Option<ExitStatus>,
    /// The time that processors were at it, also for processes that it has waited for.
    time: Duration,
    text: String,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    catalogue: &'a Catalogue,
    places: Places,
    keep: PathBuf,
    /// The ways in which cases have ended badly, and how often.
    bad: HashMap<String, usize>,
}

/// A guest of this kind, beside the cases that are kept.
fn module(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "guest.wasm",
        Kind::Threads(_) => "guest-with-threads.wasm",
        Kind::Long => "guest-with-long-arguments.wasm",
        Kind::WIDE => "guest-with-wide-addresses.wasm",
        Kind::Wide(_) => "guest-with-a-large-memory.wasm",
        Kind::Telling => "guest-that-tells.wasm",
    }
}

/// The guest for a case.
fn module_of(case: &Case) -> &'static str {
    module(match case.mode {
        Mode::Long => Kind::Long,
        Mode::Wide => Kind::WIDE,
        Mode::Large => Kind::LARGE,
        _ if case.twice => Kind::Threads(0),
        _ => Kind::Plain,
    })
}

/// One of so many cases that are drawn is about growth.
const ONE_OF: usize = 24;

/// A length of arguments that no call takes long for.
const FEW: u32 = 1 << 10;

/// The folder that cases may write to, and that of the program they start.
const FILES: &str = "files";
const CHILD: &str = "child";
/// What is shown, which nobody looks at.
const RECORDING: &str = "recording.rkv";

/// Longer than any case takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

impl Bench<'_> {
    /// Runs a case. The first that ends badly in some way is made shorter and told.
    fn try_case(&mut self, case: Case) -> Result<()> {
        if self.arguments.verbose {
            println!("{}", case.to_text(self.catalogue));
        }
        let Some((bad, text)) = self.run(&case)? else { return Ok(()) };
        if let Some(count) = self.bad.get_mut(&way(&bad, &text)) {
            *count += 1;
            return Ok(());
        }
        let case = self.shrink(case, &bad)?;
        self.tell(&bad, &case, &text)
    }

    /// Keeps a case that ended badly and says so.
    fn tell(&mut self, bad: &Bad, case: &Case, text: &str) -> Result<()> {
        let way = way(bad, text);
        let mut hasher = DefaultHasher::new();
        way.hash(&mut hasher);
        let file = self.keep.join(format!("{}-{:016x}.txt", self.arguments.engine, hasher.finish()));
        let shown = case.to_text(self.catalogue);
        fs::write(&file, &shown)?;
        println!("{bad:?}, kept as {}\n{shown}{text}", file.display());
        *self.bad.entry(way).or_default() += 1;
        Ok(())
    }

    /// Takes calls away as long as the case ends in the same way.
    fn shrink(&self, mut case: Case, bad: &Bad) -> Result<Case> {
        if *bad == Bad::Hang || *bad == Bad::Growth {
            return Ok(case);
        }
        for program in 0..case.programs.len() {
            for list in 0..2 {
                let mut step = case.programs[program].lists()[list].len().div_ceil(2);
                let mut at = 0;
                while step > 0 {
                    let mut shorter = case.clone();
                    let calls = &mut *shorter.programs[program].lists()[list];
                    if at >= calls.len() {
                        (step, at) = (step / 2, 0);
                        continue;
                    }
                    calls.drain(at..(at + step).min(calls.len()));
                    if self.run(&shorter)?.is_some_and(|(other, _)| other == *bad) {
                        case = shorter;
                    } else {
                        at += step;
                    }
                }
            }
        }
        Ok(case)
    }

    /// Whether anybody looks at what a case with these calls takes.
    fn is_judged(&self, calls: &str) -> bool {
        match self.arguments.engine {
            Engine::Local => true,
            Engine::Mpi => !growth::is_of_library(calls),
            // A library asks for messages meanwhile, and ranks do what they do on one node.
            Engine::Nodes => false,
        }
    }

    fn command(&self, case: &Case) -> Command {
        let mut command = self.arguments.engine.run(&self.places, case.ranks, case.fibers);
        if self.arguments.engine == Engine::Mpi && case.mode == Mode::Long {
            // The launcher's own processes would count.
            command = Command::new(&self.places.rankine);
            command.args(["run", "--engine", "mpi"]);
        }
        match (self.arguments.engine, case.mode) {
            (Engine::Mpi, Mode::Long) => command.args(["--timeout", "60"]),
            (Engine::Mpi, _) => command.args(["--timeout", "5"]),
            _ => command.arg("--record").arg(self.keep.join(RECORDING)),
        };
        command.args(match case.mode {
            Mode::Interpreted => &["--interpret"][..],
            Mode::HeapChecked => &["--check-heap"][..],
            Mode::Compiled | Mode::Long | Mode::Wide | Mode::Large => &[][..],
        });
        command.arg("--dir").arg(format!("{}::files", self.keep.join(FILES).display()));
        command.arg("--dir-ro").arg(format!("{}::child", self.keep.join(CHILD).display()));
        command.args(["--memory-limit", "64M"]).arg(self.keep.join(module_of(case)));
        command.args(case.programs.iter().map(Program::to_hexadecimal));
        command.stdin(Stdio::null());
        command
    }

    /// Runs a case to its end; how it ended and what it said, if that is bad.
    fn run(&self, case: &Case) -> Result<Option<(Bad, String)>> {
        let Run { status, text, .. } = run_to_end(self.command(case))?;
        Ok(match status {
            None => Some((Bad::Hang, text)),
            Some(status) => judge(self.arguments.engine, status, &text).map(|bad| (bad, text)),
        })
    }
}

/// Runs a command, but not longer than a case may take.
fn run_to_end(mut command: Command) -> Result<Run> {
    let (mut reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    // With it goes the pipe's other end.
    drop(command);
    let text = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let (status, time) = wait(&mut child)?;
    Ok(Run { id: child.id(), status, time, text: text.join().unwrap_or_default() })
}

/// Waits as long as a case may take, and ends it then. With the time that processors were at it.
fn wait(child: &mut Child) -> Result<(Option<ExitStatus>, Duration)> {
    let end = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(1);
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    let mut is_late = false;
    loop {
        let flags = if is_late { 0 } else { libc::WNOHANG };
        // SAFETY: it gets room for a status and for a usage. Nobody else waits for the child.
        let found = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, flags, usage.as_mut_ptr()) };
        if found < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        if found > 0 {
            // SAFETY: a structure of numbers, which were zeroes at first.
            let usage = unsafe { usage.assume_init() };
            let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
            let status = (!is_late).then(|| ExitStatus::from_raw(status));
            return Ok((status, time(usage.ru_utime) + time(usage.ru_stime)));
        }
        if Instant::now() > end {
            child.kill()?;
            is_late = true;
            continue;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Whether a status, or what was said, is none of a job that ended as it should.
fn judge(engine: Engine, status: ExitStatus, text: &str) -> Option<Bad> {
    // MPICH's launcher may tell its own helper something that has just ended.
    let is_helpers = engine != Engine::Local && status.signal() == Some(libc::SIGPIPE);
    if let Some(signal) = status.signal().filter(|_| !is_helpers).or_else(|| signal_of_a_process(text)) {
        return (!is_of_ended_processes(text)).then_some(Bad::Signal(signal));
    }
    // "Assertion failed in file" is MPICH's own word for ranks that contradict each other in one collective: it ends the
    // job with a status. The C library's `Assertion`, of a heap that is broken, has no file in it.
    let text = text.replace("Assertion failed in file", "");
    let wrong = ["panicked at", "AddressSanitizer", "Assertion", "this is a bug"];
    wrong.iter().any(|words| text.contains(words)).then_some(Bad::Panic)
}

/// MPICH over UCX crashes in `MPI_Finalize`, natively too, where processes that it has started ended before it got through
/// to them.
fn is_of_ended_processes(text: &str) -> bool {
    text.contains("the MPI library crashed in MPI_Finalize") && text.contains("failed: Connection refused")
}

/// The signal that has ended a process of a launcher's, if it was not one by which the launcher itself ends the others. Its
/// own status is a mixture of all.
fn signal_of_a_process(text: &str) -> Option<i32> {
    let lists = text.lines().filter_map(|line| line.split_once("Exit codes: ")?.1.split_once("] "));
    let statuses = lists.flat_map(|(_, list)| list.split(',')).filter_map(|status| status.trim().parse().ok());
    let signals = statuses.filter_map(|status| ExitStatus::from_raw(status).signal());
    signals.into_iter().find(|signal| ![libc::SIGKILL, libc::SIGTERM].contains(signal))
}

/// What tells one bad end from another: the line that says where, without its numbers.
fn way(bad: &Bad, text: &str) -> String {
    let line = text.lines().find(|line| line.contains("panicked at") || line.contains("Assertion"));
    let place: String = line.unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).collect();
    format!("{bad:?} {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_tells_of_signals() {
        assert_eq!(signal_of_a_process("[mpiexec@host] Exit codes: [host] 9,8,9\n"), Some(libc::SIGFPE));
        assert_eq!(signal_of_a_process("[mpiexec@host] Exit codes: [host] 0,139\n"), Some(libc::SIGSEGV));
        assert_eq!(signal_of_a_process("[mpiexec@host] Exit codes: [host] 9,34304,15\n"), None);
        assert_eq!(signal_of_a_process("rankine: rank 0 aborted the job with code 139\n"), None);
    }
}
