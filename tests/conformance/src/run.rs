//! Runs one entry in one way, and judges what came of it.

use super::build::{Builder, Form};
use super::list::{Entry, Expected};
use super::notes::Notes;
use crate::mixed;
use crate::mpiexec::mpiexec;
use crate::places::Places;
use crate::process::{Ended, Run, run_within};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A run may take so long, however busy the machine is, unless the suite's list gives it more: most that hang on `local` end
/// as deadlocks much sooner.
const LIMIT: Duration = Duration::from_secs(600);
/// More processes than this are no test of an MPI library, but of a small machine.
const MOST_PROCESSES: u32 = 16;

/// How a program of the suite is run.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// As a native program of the MPI library: what the other ways are measured by.
    Native,
    /// As a guest on the embedded engine.
    Local,
    /// As a guest on the mpi engine, over the same library.
    Mpi,
    /// As a guest on the engine nodes, over the same library: two processes with half of the ranks each.
    Nodes,
    /// As a guest with 64-bit addresses on the embedded engine.
    Wide,
    /// As such a guest whose memory may have more than 4 GiB, and whose data lie above them.
    Large,
    /// As a guest on the mpi engine, half of the processes beneath an emulator of another architecture.
    Mixed,
}

impl Way {
    /// Those of which results are kept, in the page's order.
    pub const ALL: [Way; 5] = [Way::Native, Way::Local, Way::Mpi, Way::Nodes, Way::Wide];

    /// Its name in options, trials and the page.
    pub fn name(self) -> &'static str {
        match self {
            Way::Native => "native",
            Way::Local => "local",
            Way::Mpi => "mpi",
            Way::Nodes => "nodes",
            Way::Wide => "m64",
            Way::Large => "large",
            Way::Mixed => "mixed",
        }
    }

    /// The way that it is a variety of, or itself: what is known of tests is known of that. On nodes, and with wider addresses, ranks are
    /// those of the embedded engine.
    pub fn kind(self) -> Way {
        match self {
            Way::Mixed => Way::Mpi,
            Way::Nodes | Way::Wide | Way::Large => Way::Local,
            other => other,
        }
    }

    /// What its programs are compiled to.
    pub fn form(self) -> Form {
        match self {
            Way::Native => Form::Native,
            Way::Wide => Form::Wide,
            Way::Large => Form::Large,
            Way::Local | Way::Mpi | Way::Nodes | Way::Mixed => Form::Guest,
        }
    }
}

/// What came of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It did what the suite expects.
    Pass,
    /// It did not: why, in a line, and all that was seen.
    Fail(String, String),
    /// It could not do so, for a reason that is not the engine's fault.
    NotApplicable(String),
}

impl Outcome {
    fn fail(reason: impl Into<String>) -> Outcome {
        let reason = reason.into();
        Outcome::Fail(reason.clone(), reason)
    }
}

/// Runs entries.
pub struct Runner {
    places: Places,
    builder: Builder,
    notes: Notes,
    /// What `rankine info --functions` lists.
    functions: OnceLock<Value>,
}

impl Runner {
    /// Runs what `builder` compiles; `notes` says what is not applicable.
    pub fn new(places: Places, builder: Builder, notes: Notes) -> Runner {
        Runner { places, builder, notes, functions: OnceLock::new() }
    }

    /// What is known of tests.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// One entry in one way, and how long its run took.
    pub fn outcome(&self, entry: &Entry, way: Way) -> (Outcome, Duration) {
        let program = match self.program(entry, way) {
            Ok(program) => program,
            Err(outcome) => return (outcome, Duration::ZERO),
        };
        let begin = Instant::now();
        let outcome = match self.run(entry, way, &program) {
            Ok(run) => judge(entry, &run, &self.places.root),
            Err(reason) => Outcome::fail(reason),
        };
        (outcome, begin.elapsed())
    }

    /// The entry's program, or what stands instead of its run.
    fn program(&self, entry: &Entry, way: Way) -> Result<PathBuf, Outcome> {
        // What is off because it needs much memory is what large programs are for.
        let off = entry.off.filter(|_| way != Way::Large || entry.gigabytes.is_none());
        if let Some(reason) = off.or(self.notes.not_applicable(entry, way)) {
            return Err(Outcome::NotApplicable(reason.into()));
        }
        if let Some(gigabytes) = entry.gigabytes.filter(|&gigabytes| gigabytes > available()) {
            return Err(Outcome::NotApplicable(format!("needs {gigabytes} GB of memory, more than there is")));
        }
        if processes(entry, way) > MOST_PROCESSES {
            return Err(Outcome::NotApplicable(format!("more than {MOST_PROCESSES} processes")));
        }
        if way == Way::Mixed && entry.ranks < 2 {
            return Err(Outcome::NotApplicable("one process has one kind".into()));
        }
        let program = self.builder.program(entry, way.form()).map_err(|e| self.not_compiled(entry, way, e))?;
        if way != Way::Native {
            let missing = self.missing(&program, way).map_err(Outcome::fail)?;
            if !missing.is_empty() {
                let lacks = format!("calls functions that the engine lacks: {}", missing.join(", "));
                return Err(Outcome::NotApplicable(lacks));
            }
        }
        Ok(program)
    }

    /// A program that does not compile natively either says nothing of Rankine.
    fn not_compiled(&self, entry: &Entry, way: Way, reason: String) -> Outcome {
        match way {
            Way::Native => Outcome::NotApplicable(format!("not for the standard ABI: {reason}")),
            _ => match self.builder.program(entry, Form::Native) {
                Ok(_) => Outcome::fail(format!("rankine cc: {reason}")),
                Err(reason) => Outcome::NotApplicable(format!("not for the standard ABI: {reason}")),
            },
        }
    }

    /// The chapters of MPI with functions that a module uses and the way's engine lacks.
    fn missing(&self, module: &Path, way: Way) -> Result<Vec<String>, String> {
        let page = self.information(module.as_os_str())?;
        let functions = page["mpi_functions"].as_array().ok_or("rankine info lists no functions")?;
        let lacks = |function: &&Value| {
            !function["engines"].as_array().is_some_and(|engines| engines.iter().any(|name| name == way.kind().name()))
        };
        let chapters: BTreeSet<String> =
            functions.iter().filter(lacks).filter_map(|function| self.chapter(function["name"].as_str()?)).collect();
        Ok(chapters.into_iter().collect())
    }

    /// The chapter that a function of MPI belongs to.
    fn chapter(&self, function: &str) -> Option<String> {
        let table = self.functions.get_or_init(|| self.information("--functions".as_ref()).unwrap_or_default());
        let row = table.as_array()?.iter().find(|row| row["name"] == function)?;
        Some(row["chapter"].as_str()?.to_string())
    }

    fn information(&self, what: &OsStr) -> Result<Value, String> {
        let mut command = Command::new(&self.places.rankine);
        command.args(["info", "--json"]).arg(what);
        let run = run_within(command, None, LIMIT)?;
        serde_json::from_str(&run.stdout).map_err(|e| format!("rankine info: {e}\n{run}"))
    }

    fn run(&self, entry: &Entry, way: Way, program: &Path) -> Result<Run, String> {
        let folder = self.folder(entry, way)?;
        let mut command = match way {
            Way::Local | Way::Wide | Way::Large => Command::new(&self.places.rankine),
            Way::Native | Way::Mpi | Way::Nodes => mpiexec(&self.places, processes(entry, way)),
            Way::Mixed => mixed::first_half(&self.places, entry.ranks),
        };
        // To UCX it is an error that a process which has ended can't be reached, and it says so on the standard output.
        command.env("UCX_LOG_LEVEL", "fatal");
        let of_local = ["--universe-size", "16", "--dir", "."];
        let of_mpi = ["--engine", "mpi", "--dir", ".", "--dir", ".::/tmp"];
        match way {
            Way::Local | Way::Wide | Way::Large => command.args(["run", "-n", &entry.ranks.to_string()]).args(of_local),
            Way::Native => &mut command,
            Way::Mpi | Way::Mixed => command.arg(&self.places.rankine).arg("run").args(of_mpi),
            Way::Nodes => {
                let ranks = (entry.ranks / processes(entry, way)).to_string();
                command.arg(&self.places.rankine).args(["run", "--engine", "nodes", "-n", &ranks]).args(of_local)
            }
        };
        let program = self.within(&folder, program, way)?;
        command.arg(&program).args(&entry.arguments);
        if way == Way::Mixed {
            command.args(mixed::other_half(&self.places, entry.ranks)).args(of_mpi);
            command.arg(&program).args(&entry.arguments);
        }
        command.current_dir(folder).env_remove("RUST_BACKTRACE");
        run_within(command, None, entry.seconds.map_or(LIMIT, |seconds| LIMIT.max(Duration::from_secs(seconds))))
    }

    /// What the run calls its program: a guest has it in its folder, as some open the file that `argv[0]` names, and others
    /// start more of themselves by the name that they have natively.
    fn within(&self, folder: &Path, program: &Path, way: Way) -> Result<PathBuf, String> {
        if way == Way::Native {
            return Ok(program.into());
        }
        let name = program.file_name().and_then(OsStr::to_str).and_then(|name| name.split('.').next());
        let name = PathBuf::from(name.expect("it was compiled to a file"));
        fs::hard_link(program, folder.join(&name)).map_err(|e| format!("{}: {e}", program.display()))?;
        Ok(name)
    }

    /// A folder of its own for the files that the run makes.
    fn folder(&self, entry: &Entry, way: Way) -> Result<PathBuf, String> {
        let name = entry.name().replace(['/', ' ', '='], "_");
        let folder = self.places.target.join("conformance/run").join(way.name()).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }
}

/// Gigabytes of memory that nobody uses; where that is not known, enough.
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes / 1_000_000)
}

/// How many processes a run has. All nodes have as many ranks: where these can't be halved there are as many nodes as their smallest
/// divisor says, and one of a single rank.
fn processes(entry: &Entry, way: Way) -> u32 {
    match way {
        Way::Native | Way::Mpi | Way::Mixed => entry.ranks,
        Way::Local | Way::Wide | Way::Large => 1,
        Way::Nodes => (2..=entry.ranks).find(|nodes| entry.ranks.is_multiple_of(*nodes)).unwrap_or(1),
    }
}

/// What the suite's own `runtests` would say: the status, and on the standard output ` No Errors` and nothing else.
fn judge(entry: &Entry, run: &Run, root: &Path) -> Outcome {
    let fail = |reason: String| Outcome::Fail(reason.replace(&format!("{}/", root.display()), ""), run.to_string());
    let silent = |line: &&str| {
        let line = line.trim();
        line.is_empty() || line.eq_ignore_ascii_case("no errors") || line == "Test Passed"
    };
    match (run.ended, entry.expected) {
        (Ended::Killed(limit), _) => fail(format!("still running after {} s", limit.as_secs())),
        (Ended::Status(0), Expected::Failure) => fail("status 0, where the suite wants another".into()),
        (Ended::Status(_), Expected::Failure) => Outcome::Pass,
        (Ended::Status(status), Expected::NoErrors) => {
            let unexpected = run.stdout.lines().find(|line| !silent(line));
            let error = || run.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing printed");
            match unexpected {
                Some(line) => fail(format!("prints: {}", line.trim())),
                None if status != 0 => fail(format!("status {status}: {}", error().trim())),
                None if run.stdout.trim().is_empty() => fail(format!("no word of success: {}", error().trim())),
                None => Outcome::Pass,
            }
        }
    }
}
