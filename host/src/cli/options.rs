//! The options of `rankine run`, and what they come to: the settings of a job, or what its ranks on other hosts are told.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::run::usage;
use super::values::{
    ByNode, MapBy, parse_by_node, parse_folder, parse_memory, parse_ranks, parse_read_only_folder, parse_seconds,
    parse_stack, parse_threads, parse_variable,
};
use super::{debugging, kept, launch, page, programs};
use crate::engine::{self, Asked, Engine, Name, Unsuited};
use crate::imports::math::library::Named;
use crate::module::signature::{Demands, Signers};
use crate::module::{Codegen, GUEST_STACK, needs};
use crate::run::job::{Part, Placement, Settings, cores};
use rankine_system::grants::{Folder, Grants};
use rankine_system::launched::{launched_rank, launched_ranks};
use rankine_system::placing::Cores;

/// The variable with the number of ranks of a job whose command does not say it.
pub(super) const RANKS: &str = "RANKINE_RANKS";

/// What options are listed under, beside those that most jobs need.
const LIMITS: &str = "Limits";
const CORES: &str = "Ranks on cores";
pub(super) const LOOKING: &str = "Looking into a job";
const TRUST: &str = "Trust";

#[derive(clap::Args)]
#[command(after_help = SHORT_HELP, after_long_help = HELP, version, long_version = super::pages::VERSIONS.as_str())]
// Of an option that is given twice the last counts, as RANKINE_RUN_OPTIONS stands behind a file's.
#[command(args_override_self = true)]
pub(super) struct Arguments {
    /// Number of ranks (also -np) [default: RANKINE_RANKS, else 1]
    ///
    /// Under a launcher, the launcher decides.
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = parse_ranks)]
    pub(super) ranks: Option<usize>,

    /// The engine [default: mpi under a launcher, nodes with --hosts and --grid, else local]
    ///
    /// It runs the ranks and carries their messages.
    #[arg(long, value_name = "ENGINE")]
    pub(super) engine: Option<Name>,

    /// The MPI library of the engines mpi and nodes
    ///
    /// One with the standard ABI of MPI 5.
    #[arg(long, value_name = "FILE")]
    pub(super) mpi_lib: Option<PathBuf>,

    /// Let the program use a folder, which it sees as GUEST
    ///
    /// Or under its own name if that is left out.
    #[arg(long = "dir", value_name = "HOST[::GUEST]", value_parser = parse_folder)]
    pub(super) folders: Vec<Folder>,

    /// Like --dir, to be read only
    #[arg(long = "dir-ro", value_name = "HOST[::GUEST]", value_parser = parse_read_only_folder)]
    pub(super) read_only_folders: Vec<Folder>,

    /// Set a variable of the program's; K alone passes yours on
    #[arg(long = "env", value_name = "K[=V]", value_parser = parse_variable)]
    pub(super) environment: Vec<(String, String)>,

    /// Run as if the command had been started in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) wdir: Option<PathBuf>,

    /// Begin each line of output with the rank that wrote it
    #[arg(short, long)]
    pub(super) label: bool,

    /// The most memory a rank may have: 512M, 1.5G [default: 8G]
    ///
    /// Its own, and what the host holds for it, together. Of the default 4G are for the host's part.
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, help_heading = LIMITS)]
    pub(super) memory_limit: Option<usize>,

    /// Room for nested calls, for each thread: 8M, 1G [default: 1M]
    ///
    /// Or what the program was linked for, by -Wl,-z,call-stack=BYTES.
    /// Arrays in functions lie on another stack, which -Wl,-z,stack-size=N makes larger when the program is linked.
    #[arg(long, value_name = "SIZE", value_parser = parse_stack, help_heading = LIMITS)]
    pub(super) call_stack: Option<usize>,

    /// The most ranks in all [default: 1024 more than at the start]
    ///
    /// Programs start more of them by MPI_Comm_spawn.
    #[arg(long, value_name = "N", value_parser = parse_ranks, help_heading = LIMITS)]
    pub(super) max_ranks: Option<usize>,

    /// How many ranks there is room for [default: the cores]
    ///
    /// Programs are told so by MPI_UNIVERSE_SIZE; also -usize.
    #[arg(long, value_name = "N", value_parser = parse_ranks, help_heading = LIMITS)]
    pub(super) universe_size: Option<usize>,

    /// End the job after this time: seconds, 45s, 2m, 1.5h, H:MM:SS
    #[arg(long, value_name = "TIME", value_parser = parse_seconds, help_heading = LIMITS)]
    pub(super) timeout: Option<Duration>,

    /// Threads that a rank runs at once [default: cores / ranks]
    ///
    /// OMP_NUM_THREADS, in programs compiled with -fopenmp or -pthread. The default is 1 over an MPI library.
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = CORES)]
    pub(super) threads_per_rank: Option<usize>,

    /// Let the system choose the cores of a rank's threads
    ///
    /// Otherwise --threads-per-rank N gives each rank N of its own, if there are enough (also: --bind-to none).
    #[arg(long, help_heading = CORES)]
    pub(super) no_binding: bool,

    /// With --engine nodes: the ranks of each node, in their order: 8,8,4 or 8x2,4 [default: -n on each]
    #[arg(long = "ranks-by-node", value_name = "LIST", value_parser = parse_by_node, conflicts_with = "ranks", help_heading = CORES)]
    pub(super) by_node: Option<ByNode>,

    /// Number ranks node after node, or all nodes in turn [default: slot]
    ///
    /// With --hosts, --grid and --engine nodes.
    #[arg(long, value_name = "HOW", help_heading = CORES)]
    pub(super) map_by: Option<MapBy>,

    /// Give each rank a thread, however many ranks there are
    #[arg(long, conflicts_with = "fibers", help_heading = CORES)]
    pub(super) threads: bool,

    /// Run ranks as fibers on a thread per core, however few there are
    #[arg(long, help_heading = CORES)]
    pub(super) fibers: bool,

    /// With --fibers: run the ranks one at a time, and let this number say who is next; the same number gives the same order
    /// again, another one may find what happens in rare orders only
    #[arg(long, value_name = "N", requires = "fibers", help_heading = CORES)]
    pub(super) seed: Option<u64>,

    #[command(flatten)]
    pub(super) shows: page::Options,

    /// Say at the end what each place that calls MPI costs
    ///
    /// How often it called, how long that took and how much data it moved; if a file is given, also as JSON there.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, help_heading = LOOKING)]
    pub(super) profile: Option<Option<PathBuf>>,

    /// Check how the program uses MPI, and say what is wrong
    ///
    /// Message types or arguments of collectives that differ, objects never freed, messages never received; if a file
    /// is given, also as JSON there. The exit status is 4 if something was found and all else went well.
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, conflicts_with = "profile", help_heading = LOOKING)]
    pub(super) check: Option<Option<PathBuf>>,

    /// Check how the program uses its heap
    ///
    /// Writing beyond a block, or to one that was freed, and freeing one twice are traps that name the place of the
    /// allocation (see share/doc/rankine/book/check.md).
    #[arg(long, help_heading = LOOKING)]
    pub(super) check_heap: bool,

    /// Tell `perf report` the names of the program's functions
    ///
    /// In /tmp/perf-PID.map.
    #[arg(long, help_heading = LOOKING)]
    pub(super) perf: bool,

    /// When a rank traps, write a core dump of it
    ///
    /// Its memory and stack, for WebAssembly debuggers; with several ranks each has a file of its own, named FILE.RANK,
    /// or FILE with its number in place of %r.
    #[arg(long, value_name = "FILE", help_heading = LOOKING)]
    pub(super) coredump: Option<PathBuf>,

    #[command(flatten)]
    pub(super) debugging: debugging::Options,

    /// Let null pointers be addresses: no trap there
    ///
    /// The lowest 64 KiB of its memory are the program's then.
    #[arg(long, help_heading = LOOKING)]
    pub(super) no_null_page: bool,

    /// Don't end a job whose ranks all wait for each other
    #[arg(long, help_heading = LOOKING)]
    pub(super) no_deadlock_check: bool,

    /// The module must be the one with this digest: for processes that a program starts
    #[arg(long = "module-digest", value_name = "DIGEST", hide = true)]
    pub(super) digest: Option<String>,

    /// Leave this file when the program is about to start: for a launcher that may have to try again
    #[arg(long = "mark-start", value_name = "FILE", hide = true)]
    pub(super) mark: Option<PathBuf>,

    /// Compute the same bits on every architecture
    ///
    /// With any placement of ranks, on both engines (see share/doc/rankine/book/reproducible.md).
    #[arg(long, help_heading = None)]
    pub(super) reproducible: bool,

    /// Interpret the program instead of compiling it
    ///
    /// 20 to 40 times slower, and for machines that forbid memory to be made executable. Where Wasmtime has no compiler
    /// for the processor, programs are interpreted anyway.
    #[arg(long, conflicts_with_all = ["perf", "debug", "break_rank"], help_heading = None)]
    pub(super) interpret: bool,

    /// Compile the program as one whose author you trust
    ///
    /// A program that may have more than 4 GiB (-m64=large) then does without the guard against reading what it may not by
    /// speculation, and is faster; all others need none.
    #[arg(long, help_heading = None)]
    pub(super) trusted: bool,

    /// Have this library compute products of matrices
    ///
    /// And factorisations, instead of Rankine itself: OpenBLAS, BLIS, MKL, any BLAS that Fortran can call (or
    /// RANKINE_BLAS).
    #[arg(long, value_name = "FILE", conflicts_with = "reproducible", help_heading = None)]
    pub(super) blas: Option<PathBuf>,

    /// Run only programs signed with a key in this file
    ///
    /// A file of public keys (see `rankine sign --help`).
    #[arg(long = "require-signature", value_name = "KEYS", help_heading = TRUST)]
    pub(super) signers: Option<String>,

    /// Don't confine the process: it keeps all your rights
    ///
    /// See share/doc/rankine/book/security.md.
    #[arg(long, help_heading = TRUST)]
    pub(super) no_confine: bool,

    #[command(flatten)]
    pub(super) launch: launch::Options,

    /// Say what is being done; -vv says more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = None)]
    pub(super) verbose: u8,

    /// The program (.wasm, or .wat text), and its arguments
    ///
    /// A module compiled for wasm32-wasip1; everything after it is passed to the program.
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) program: Vec<String>,
}

const SHORT_HELP: &str = "\
Examples:
  rankine run -n 4 ring.wasm
  rankine run -n 64 --dir out::/out --dir-ro data::/data heat.wasm --steps 1000
  mpiexec -n 4 rankine run ring.wasm   the same program over an MPI library
More of each option, further examples and the exit statuses: rankine run --help";

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

/// How many threads OpenMP's programs are told to have, natively.
pub(super) const OMP_NUM_THREADS: &str = "OMP_NUM_THREADS";

impl Arguments {
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
            ("--ranks-by-node", self.by_node.is_some()),
            // The other is what all do.
            ("--map-by", self.map_by == Some(MapBy::Node)),
            ("--max-ranks", self.max_ranks.is_some()),
            ("--universe-size", self.universe_size.is_some()),
            ("--mpi-lib", self.mpi_lib.is_some()),
            ("--seed", self.seed.is_some()),
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
        match &self.by_node {
            Some(by_node) => Some(by_node.0.iter().sum()),
            None => E::ranks(self.parts().iter().map(|part| part.ranks).sum()),
        }
    }

    /// The call stack that is wanted: by the user, or else by one of the programs.
    pub(super) fn call_stack(&self) -> Result<Option<usize>> {
        if self.call_stack.is_some() {
            return Ok(self.call_stack);
        }
        let needed = self.parts().iter().map(|part| needs::call_stack(part.file())).collect::<Result<Vec<_>>>()?;
        // One that says nothing has what all have.
        Ok(needed.into_iter().flatten().max().map(|bytes| bytes.max(GUEST_STACK)))
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

    /// Whether it is said how many threads a rank has.
    pub(super) fn says_threads(&self) -> bool {
        self.threads_per_rank.is_some() || self.environment.iter().any(|(name, _)| name == OMP_NUM_THREADS)
    }

    /// What the program's code is to be like.
    pub(super) fn codegen(&self) -> Codegen {
        Codegen { reproducible: self.reproducible, interpret: self.interpret, trusted: self.trusted }
    }

    /// The library that is to compute.
    pub(super) fn blas(&self) -> Result<Option<Named>> {
        Named::find(self.blas.as_deref(), self.reproducible)
    }

    /// Files that the job is to leave beside those of its programs, and the options that name them.
    pub(super) fn files(&self) -> Vec<(&'static str, PathBuf)> {
        let inner = |file: &Option<Option<PathBuf>>| file.clone().flatten();
        let files = [
            ("--record", self.shows.file().map(Path::to_path_buf)),
            ("--profile", inner(&self.profile)),
            ("--check", inner(&self.check)),
            ("--coredump", self.coredump.clone()),
        ];
        files.into_iter().filter_map(|(option, file)| Some((option, file?))).collect()
    }

    /// Whose signatures programs must have.
    pub(super) fn signers(&self) -> Result<Option<Signers>> {
        self.signers.as_deref().map(Signers::read).transpose().context("--require-signature")
    }

    /// What the program may use, and how.
    pub(super) fn all_folders(&self) -> Vec<Folder> {
        [&self.folders[..], &self.read_only_folders[..]].concat()
    }

    /// How many ranks this node has, if each has a number of its own.
    fn ranks_of_node(&self) -> Option<usize> {
        let ByNode(counts) = self.by_node.as_ref()?;
        let (node, nodes) = (launched_rank().unwrap_or(0), launched_ranks().unwrap_or(1));
        if counts.len() != nodes {
            usage(&format!(
                "--ranks-by-node has ranks for {} nodes, and the launcher has started {nodes}",
                counts.len()
            ));
        }
        counts.get(node).copied()
    }

    /// What the ranks are to run.
    fn parts(&self) -> Vec<Part> {
        let is_alone = !programs::are_several(&self.program);
        let of_environment = || is_alone.then(ranks_of_environment).flatten();
        let first = self.ranks.or_else(of_environment).unwrap_or(1);
        let mut parts = programs::parts(first, &self.program).unwrap_or_else(|wrong| usage(&wrong));
        if let Some(here) = self.ranks_of_node() {
            let others = parts[1..].iter().map(|part| part.ranks).sum();
            parts[0].ranks = here.checked_sub(others).filter(|&first| first > 0).unwrap_or_else(|| {
                usage(&format!(
                    "--ranks-by-node has {here} ranks for this node, and the programs behind the first one want {others} of them"
                ))
            });
        }
        let all = parts.iter().map(|part| part.ranks).sum::<usize>();
        if let Err(wrong) = parse_ranks(&all.to_string()) {
            usage(&format!("{all} ranks of all programs: {wrong}"));
        }
        parts
    }

    pub(super) fn into_settings<E: Engine>(self) -> Result<Settings> {
        let grants = Grants::open(&self.all_folders())?;
        grants.keep_from(kept::places(self.mpi_lib.as_deref(), self.blas()?.as_ref()))?;
        grants.remember();
        // Not before: no program may write whom its user trusts.
        let signers = self.signers()?;
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
            by_node: self.by_node.map(|ByNode(counts)| counts),
            numbering: self.map_by.map(MapBy::numbering).unwrap_or_default(),
            placement,
            threads,
            cores: own_cores,
            parts,
            environment: last_of_each(self.environment),
            seed: self.seed,
            grants,
            memory_limit: self.memory_limit,
            most_ranks: self.max_ranks,
            universe: self.universe_size,
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

/// Variables, each once: the last setting of a name is the one that counts.
fn last_of_each(mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut known = HashSet::new();
    variables.reverse();
    variables.retain(|(name, _)| known.insert(name.clone()));
    variables.reverse();
    variables
}

/// How many ranks a job has whose command does not say it.
fn ranks_of_environment() -> Option<usize> {
    let text = std::env::var(RANKS).ok().filter(|text| !text.is_empty())?;
    Some(parse_ranks(&text).unwrap_or_else(|wrong| usage(&format!("RANKINE_RANKS is `{text}`: {wrong}"))))
}
