//! The options of `rankine run`, and what they come to: the settings of a job, or what its ranks on other hosts are told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::run::usage;
use super::values::{
    parse_folder, parse_ranks, parse_read_only_folder, parse_seconds, parse_size, parse_stack, parse_threads,
    parse_variable,
};
use super::{debugging, kept, launch, page, programs};
use crate::engine::mpi::library;
use crate::engine::{self, Asked, Engine, Name, Unsuited};
use crate::grants::{Folder, Grants};
use crate::grid::network;
use crate::job::{Part, Placement, Settings, cores};
use crate::math::library::Named;
use crate::module::Codegen;
use crate::placing::Cores;
use crate::signature::{Demands, Signers};

/// What options are listed under, beside those that most jobs need.
const LIMITS: &str = "Limits";
const CORES: &str = "Ranks on cores";
pub(super) const LOOKING: &str = "Looking into a job";
const TRUST: &str = "Trust";

#[derive(clap::Args)]
#[command(after_help = HELP, version, long_version = super::pages::VERSIONS.as_str())]
pub(super) struct Arguments {
    /// Number of ranks (also -np) [default: RANKINE_RANKS, else 1]; under a launcher, the launcher decides
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = parse_ranks)]
    ranks: Option<usize>,

    /// The engine that runs the ranks and carries their messages [default: mpi under a launcher, else local]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Name>,

    /// The MPI library that the engine mpi uses, one with the standard ABI of MPI 5
    #[arg(long, value_name = "FILE")]
    pub(super) mpi_lib: Option<PathBuf>,

    /// Let the program use a folder, which it sees as GUEST, or under its own name if that is left out
    #[arg(long = "dir", value_name = "HOST[::GUEST]", value_parser = parse_folder)]
    folders: Vec<Folder>,

    /// Like --dir, but the program can only read what is in the folder
    #[arg(long = "dir-ro", value_name = "HOST[::GUEST]", value_parser = parse_read_only_folder)]
    read_only_folders: Vec<Folder>,

    /// Set a variable in the program's environment; K alone passes on the value it has in yours
    #[arg(long = "env", value_name = "K[=V]", value_parser = parse_variable)]
    environment: Vec<(String, String)>,

    /// Run as if the command had been started in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) wdir: Option<PathBuf>,

    /// Begin each line of output with the rank that wrote it
    #[arg(short, long)]
    label: bool,

    /// The most memory a rank may have, its own and what the host holds for it together: 512M, 2G [default: 8G, of
    /// which 4G are for the host's part]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = LIMITS)]
    memory_limit: Option<usize>,

    /// Room for calls that are nested in one another, for each thread of a rank: 8M, 1G. Arrays in functions lie on another
    /// stack, which -Wl,-z,stack-size=N makes larger when the program is linked [default: 1M]
    #[arg(long, value_name = "SIZE", value_parser = parse_stack, help_heading = LIMITS)]
    pub(super) call_stack: Option<usize>,

    /// The most ranks the job may have in all, where programs start more of them (MPI_Comm_spawn) [default: 1024 more
    /// than it begins with]
    #[arg(long, value_name = "N", value_parser = parse_ranks, help_heading = LIMITS)]
    max_ranks: Option<usize>,

    /// How many ranks to tell programs there is room for (MPI_UNIVERSE_SIZE; also -usize) [default: the number of
    /// cores]
    #[arg(long, value_name = "N", value_parser = parse_ranks, help_heading = LIMITS)]
    universe_size: Option<usize>,

    /// End the job after this many seconds
    #[arg(long, value_name = "SECS", value_parser = parse_seconds, help_heading = LIMITS)]
    timeout: Option<Duration>,

    /// How many threads a rank should run at once (OMP_NUM_THREADS), in programs compiled with -fopenmp or -pthread
    /// [default: the cores divided by the ranks; 1 over an MPI library]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = CORES)]
    threads_per_rank: Option<usize>,

    /// Let the system choose the cores of a rank's threads; otherwise --threads-per-rank N gives each rank N of its own, if
    /// there are enough (also: --bind-to none)
    #[arg(long, help_heading = CORES)]
    no_binding: bool,

    /// Give each rank a thread of its own, however many ranks there are
    #[arg(long, conflicts_with = "fibers", help_heading = CORES)]
    threads: bool,

    /// Run the ranks as fibers on one thread per core, however few there are
    #[arg(long, help_heading = CORES)]
    fibers: bool,

    #[command(flatten)]
    pub(super) shows: page::Options,

    /// Say at the end how often each place in the program called MPI, how long that took and how much data it moved; if
    /// a file is given, also write it there as JSON
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, help_heading = LOOKING)]
    pub(super) profile: Option<Option<PathBuf>>,

    /// Check how the program uses MPI, and say at the end what is wrong: message types or arguments of collectives that
    /// differ, objects never freed, messages never received; if a file is given, also write it there as JSON. The exit
    /// status is 4 if something was found and all else went well
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, conflicts_with = "profile", help_heading = LOOKING)]
    pub(super) check: Option<Option<PathBuf>>,

    /// Check how the program uses its heap: writing beyond a block, or to one that was freed, and freeing one twice are
    /// traps that name the place of the allocation (see docs/check.md)
    #[arg(long, help_heading = LOOKING)]
    check_heap: bool,

    /// Write /tmp/perf-PID.map, from which `perf report` learns the names of the program's functions
    #[arg(long, help_heading = LOOKING)]
    pub(super) perf: bool,

    /// When a rank traps, write its memory and stack to a file, a core dump for WebAssembly debuggers; with several
    /// ranks each has a file of its own, named FILE.RANK, or FILE with its number in place of %r
    #[arg(long, value_name = "FILE", help_heading = LOOKING)]
    pub(super) coredump: Option<PathBuf>,

    #[command(flatten)]
    pub(super) debugging: debugging::Options,

    /// Leave the lowest 64 KiB of its memory to the program: an access through a null pointer is no trap then
    #[arg(long, help_heading = LOOKING)]
    no_null_page: bool,

    /// Don't end a job whose ranks are all waiting for each other
    #[arg(long, help_heading = LOOKING)]
    no_deadlock_check: bool,

    /// The module must be the one with this digest: for processes that a program starts
    #[arg(long = "module-digest", value_name = "DIGEST", hide = true)]
    pub(super) digest: Option<String>,

    /// Leave this file when the program is about to start: for a launcher that may have to try again
    #[arg(long = "mark-start", value_name = "FILE", hide = true)]
    pub(super) mark: Option<PathBuf>,

    /// Compute the same bits on every architecture, with any placement of ranks, on both engines (see
    /// docs/reproducible.md)
    #[arg(long, help_heading = None)]
    reproducible: bool,

    /// Interpret the program instead of compiling it: 20 to 40 times slower, and for machines that forbid memory to be
    /// made executable. Where Wasmtime has no compiler for the processor, programs are interpreted anyway
    #[arg(long, conflicts_with_all = ["perf", "debug", "break_rank"], help_heading = None)]
    interpret: bool,

    /// Have this library compute products and factorisations of matrices, instead of Rankine itself: OpenBLAS, BLIS, MKL, any
    /// BLAS that Fortran can call (or RANKINE_BLAS)
    #[arg(long, value_name = "FILE", conflicts_with = "reproducible", help_heading = None)]
    blas: Option<PathBuf>,

    /// Run only programs signed with one of the keys in this file of public keys (see `rankine sign --help`)
    #[arg(long = "require-signature", value_name = "KEYS", help_heading = TRUST)]
    signers: Option<String>,

    /// Don't confine the process: it keeps all the rights that you have (see SECURITY.md)
    #[arg(long, help_heading = TRUST)]
    no_confine: bool,

    #[command(flatten)]
    pub(super) launch: launch::Options,

    /// Say what is being done; -vv says more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = None)]
    pub(super) verbose: u8,

    /// The program, a module compiled for wasm32-wasip1 (.wasm, or .wat text); everything after it is passed to the
    /// program
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) program: Vec<String>,
}

const HELP: &str = "\
Ranks run as threads while each can have a core, and as fibers beyond that. Standard input goes to
rank 0. Lines of different ranks never mix. Folders from which code is loaded can't be granted: the
cache of compiled code, those of this program and of the MPI library, the active environment, PATH.

Options of mpiexec, mpirun and srun are understood as well, in their own spelling: -x, -genv,
-hostfile, -wdir, -l and others. Those that mean nothing here, such as --bind-to, get a note.

Examples:
  rankine run -n 4 ring.wasm
  rankine run -n 64 --dir out::/out --dir-ro data::/data heat.wasm --steps 1000
  rankine run -n 2 --label --timeout 60 test.wasm
  mpiexec -n 4 rankine run ring.wasm   the same program over an MPI library, a process per rank
  rankine run -n 4 --view nozzle.wasm  watch it in a browser
  rankine run -n 4 --record nozzle.rkv nozzle.wasm   watch it later: rankine view nozzle.rkv
  rankine run --hosts n1:4,n2:4 ring.wasm   the same on two hosts, with the MPI library's launcher
  rankine run -n 1 master.wasm : -n 3 worker.wasm   two programs in one MPI_COMM_WORLD

Exit status: the highest of the program's own; or
  what MPI_Abort was given          134  a rank trapped
    1  the host could not run it    124  --timeout was reached
    2  wrong usage                  130  interrupted by Ctrl-C
    3  deadlock: all ranks waited   141  the reader of its output went away
    4  --check found something
    5  an error of MPI was fatal";

/// Ranks that programs may start, unless the user says otherwise.
const MORE_RANKS: usize = 1024;

impl Arguments {
    /// What every rank of a job on several hosts is to run: the options that are not about hosts, and the program.
    pub(super) fn for_ranks(&self) -> Result<launch::Program> {
        if matches!(self.engine, Some(Name::Local)) {
            usage("--hosts is for the engine mpi: `local` has all ranks in one process");
        }
        if let Some(option) = self.shows.wanted() {
            usage(&format!(
                "{option} is not for --hosts: start the job by the launcher, mpiexec -n N rankine run {option} {}, and the process of \
                 rank 0 shows it",
                self.program()
            ));
        }
        if self.check.is_some() {
            usage(
                "--check is for the engine local, and --hosts is for the engine mpi: run it on this host alone to check it",
            );
        }
        let folders = self.all_folders();
        let grants = Grants::here(&folders);
        let blas = self.blas()?;
        grants.keep_from(kept::places(self.mpi_lib.as_deref(), blas.as_ref()))?;
        let library = library::find(self.mpi_lib.as_deref())?;
        let mut options = self.values_for_ranks(&folders, blas.as_ref())?;
        options.extend(self.profile.as_ref().map(|file| match file {
            None => "--profile".into(),
            Some(file) => joined("--profile=", file),
        }));
        options.extend(self.coredump.as_ref().map(|file| joined("--coredump=", file)));
        options.extend(self.perf.then(|| "--perf".into()));
        options.extend(self.debugging.words());
        options.extend(self.codegen().words());
        options.extend(self.no_null_page.then(|| "--no-null-page".into()));
        options.extend(self.check_heap.then(|| "--check-heap".into()));
        options.extend(self.label.then(|| "--label".into()));
        options.extend(self.no_binding.then(|| "--no-binding".into()));
        options.extend(self.no_confine.then(|| "--no-confine".into()));
        options.extend(std::iter::repeat_n("--verbose".into(), self.verbose.into()));
        Ok(launch::Program {
            ranks: self.ranks,
            options,
            file: PathBuf::from(&self.program[0]),
            codegen: self.codegen(),
            arguments: self.program[1..].to_vec(),
            chooses_network: network::has_choice(&library.version),
            library: library.path.clone(),
            grants,
        })
    }

    /// Those of these options whose value is a word of its own.
    fn values_for_ranks(&self, folders: &[Folder], blas: Option<&Named>) -> Result<Vec<OsString>> {
        let mut options: Vec<OsString> = folders.iter().flat_map(Folder::words).collect();
        let mut option = |name: &str, value: OsString| options.extend([name.into(), value]);
        for (name, value) in &self.environment {
            option("--env", format!("{name}={value}").into());
        }
        if let Some(path) = &self.mpi_lib {
            option("--mpi-lib", path.into());
        }
        if let Some(named) = blas {
            option("--blas", named.path.clone().into());
        }
        if let Some(bytes) = self.memory_limit {
            option("--memory-limit", bytes.to_string().into());
        }
        if let Some(bytes) = self.call_stack {
            option("--call-stack", bytes.to_string().into());
        }
        if let Some(threads) = self.threads_per_rank {
            option("--threads-per-rank", threads.to_string().into());
        }
        if let Some(limit) = self.timeout {
            option("--timeout", limit.as_secs_f64().to_string().into());
        }
        if let Some(signers) = self.signers()? {
            option("--require-signature", signers.words().into());
        }
        Ok(options)
    }

    /// The engine that is asked for, or that suits how this process was started.
    pub(super) fn engine(&self) -> Name {
        let suited = || {
            engine::suited().unwrap_or_else(|Unsuited { text, is_told_here }| match is_told_here {
                true => usage(&text),
                false => std::process::exit(2),
            })
        };
        self.engine.unwrap_or_else(suited)
    }

    /// What an engine is asked for that not every one can do.
    pub(super) fn asked(&self) -> Asked<'_> {
        let given = [
            ("--check", self.check.is_some()),
            ("--max-ranks", self.max_ranks.is_some()),
            ("--universe-size", self.universe_size.is_some()),
            ("--mpi-lib", self.mpi_lib.is_some()),
        ];
        let options = given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option);
        Asked {
            program: self.program(),
            has_several_programs: programs::are_several(&self.program),
            ranks: self.ranks,
            options: self.shows.wanted().into_iter().chain(options).collect(),
        }
    }

    /// How many ranks the job begins with on an engine, unless only its library will know.
    pub(super) fn ranks_of<E: Engine>(&self) -> Option<usize> {
        E::ranks(self.parts().iter().map(|part| part.ranks).sum())
    }

    /// The program's file.
    pub(super) fn program(&self) -> &str {
        &self.program[0]
    }

    /// The program's file and its arguments.
    pub(super) fn words(&self) -> &[String] {
        &self.program
    }

    /// Whether it is said how many ranks there are, or where.
    pub(super) fn says_where(&self) -> bool {
        self.ranks.is_some() || self.launch.wanted()
    }

    /// What the program's code is to be like.
    fn codegen(&self) -> Codegen {
        Codegen { reproducible: self.reproducible, interpret: self.interpret }
    }

    /// The library that is to compute.
    pub(super) fn blas(&self) -> Result<Option<Named>> {
        Named::find(self.blas.as_deref(), self.reproducible)
    }

    /// Whose signatures programs must have.
    fn signers(&self) -> Result<Option<Signers>> {
        self.signers.as_deref().map(Signers::read).transpose().context("--require-signature")
    }

    /// What the program may use, and how.
    fn all_folders(&self) -> Vec<Folder> {
        [&self.folders[..], &self.read_only_folders[..]].concat()
    }

    /// What the ranks are to run.
    fn parts(&self) -> Vec<Part> {
        let is_alone = !programs::are_several(&self.program);
        let of_environment = || is_alone.then(ranks_of_environment).flatten();
        let first = self.ranks.or_else(of_environment).unwrap_or(1);
        let parts = programs::parts(first, &self.program).unwrap_or_else(|wrong| usage(&wrong));
        let all = parts.iter().map(|part| part.ranks).sum::<usize>();
        if let Err(wrong) = parse_ranks(&all.to_string()) {
            usage(&format!("{all} ranks of all programs: {wrong}"));
        }
        parts
    }

    pub(super) fn into_settings<E: Engine>(self) -> Result<Settings> {
        let grants = Grants::open(&self.all_folders())?;
        let signers = self.signers()?;
        grants.keep_from(kept::places(self.mpi_lib.as_deref(), self.blas()?.as_ref()))?;
        let (parts, codegen) = (self.parts(), self.codegen());
        let ranks = parts.iter().map(|part| part.ranks).sum();
        let placement = match (self.threads, self.fibers) {
            (true, _) => Placement::Threads,
            (_, true) => Placement::Fibers,
            // A debugger follows threads, and a rank that stands still would hold up all fibers of its worker.
            _ if self.debugging.are_wanted() => Placement::Threads,
            _ => Placement::suited(ranks),
        };
        let threads = self.threads_per_rank.unwrap_or(if E::HAS_ALL_RANKS { (cores() / ranks).max(1) } else { 1 });
        let own_cores = self.threads_per_rank.filter(|_| !self.no_binding).and_then(|each| match E::HAS_ALL_RANKS {
            true => Cores::of_all_ranks(each, ranks),
            false => Cores::of_one_rank(each),
        });
        Ok(Settings {
            ranks,
            placement,
            threads,
            cores: own_cores,
            parts,
            environment: self.environment,
            grants,
            memory_limit: self.memory_limit,
            most_ranks: self.max_ranks.unwrap_or(ranks.saturating_add(MORE_RANKS)).max(ranks),
            universe: self.universe_size.unwrap_or_else(cores),
            timeout: self.timeout,
            started: Instant::now(),
            label: self.label,
            deadlock_check: !self.no_deadlock_check,
            confine: !self.no_confine,
            view: None,
            profile: None,
            check: false,
            check_heap: self.check_heap,
            dumps: None,
            breaks: None,
            codegen,
            blas: None,
            demands: Demands { of_user: signers, of_machine: None },
            // Debug information is translated for the module as it is.
            null_page: !self.no_null_page && !self.debugging.are_wanted(),
        })
    }
}

/// An option and its value in one word.
fn joined(option: &str, value: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// How many ranks a job has whose command does not say it.
fn ranks_of_environment() -> Option<usize> {
    let text = std::env::var("RANKINE_RANKS").ok().filter(|text| !text.is_empty())?;
    Some(parse_ranks(&text).unwrap_or_else(|wrong| usage(&format!("RANKINE_RANKS is `{text}`: {wrong}"))))
}
