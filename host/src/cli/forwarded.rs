//! What ranks on other hosts are told: each option of `rankine run` is passed on to them, is meant for this process, or is
//! refused by its name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::options::Arguments;
use super::run::usage;
use super::values::MapBy;
use super::{kept, launch};
#[cfg(unix)]
use crate::cli::policy::Policy;
use crate::engine::mpi::{Mpi, library};
#[cfg(unix)]
use crate::engine::nodes::Nodes;
use crate::engine::{Asked, Engine as _, Name};
use crate::imports::math::library::Named;
use rankine_grid::network;
use rankine_system::grants::{Folder, Grants};

impl Arguments {
    /// What every rank of a job on several hosts is to run: the options that are not about hosts, and the program.
    pub(super) fn for_ranks(&self) -> Result<launch::Program> {
        self.fits_hosts().unwrap_or_else(|refused| usage(&refused));
        let folders = self.all_folders();
        let grants = Grants::here(&folders);
        let blas = self.blas()?;
        grants.keep_from(kept::places(self.mpi_lib.as_deref(), blas.as_ref()))?;
        grants.remember();
        let (library, chooses_network) = match library::find(self.mpi_lib.as_deref()) {
            Ok(library) => (Some(library.path.clone()), network::has_choice(&library.version)),
            // What is only shown needs no library here.
            Err(_) if self.launch.dry_run => (None, false),
            Err(error) => return Err(error),
        };
        let signers = self.signers()?.map(|signers| signers.words());
        Ok(launch::Program {
            ranks: self.ranks,
            by_node: self.engine_on_hosts().is_by_node(),
            ranks_by_node: None,
            numbering: self.map_by.map(MapBy::numbering).unwrap_or_default(),
            options: self.options_for_ranks(&folders, blas.as_ref(), signers),
            file: PathBuf::from(&self.program[0]),
            codegen: self.codegen(),
            arguments: self.program[1..].to_vec(),
            chooses_network,
            library,
            grants,
        })
    }

    /// Whether all that was asked for can be had on other hosts, over an MPI library; if not, what can't and why.
    pub(super) fn fits_hosts(&self) -> Result<(), String> {
        if matches!(self.engine, Some(Name::Local)) {
            return Err(
                "--engine local has all ranks in one process, and --hosts is for the engines nodes and mpi".into()
            );
        }
        if let Some(option) = self.shows.wanted() {
            let engine = if self.engine_on_hosts().is_by_node() { " --engine nodes" } else { "" };
            return Err(format!(
                "{option} is not for --hosts: start the job by the launcher, mpiexec -n N rankine run{engine} {option} {}, and the \
                 process of rank 0 shows it",
                self.program()
            ));
        }
        if self.by_node.is_some() {
            return Err(
                "--ranks-by-node is for processes that a launcher starts: --hosts n1:8,n2:4 says the same".into()
            );
        }
        // Each of the processes would refuse it; how many there are the launcher says.
        match self.engine_on_hosts() {
            #[cfg(unix)]
            Name::Nodes => Nodes::admit(&self.asked_of_hosts()),
            _ => self.fits_processes(),
        }
    }

    /// Whether ranks that have a process each can have what was asked for.
    fn fits_processes(&self) -> Result<(), String> {
        let of_one_process =
            [("--threads", self.threads), ("--fibers", self.fibers), ("--no-deadlock-check", self.no_deadlock_check)];
        match of_one_process.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                Err(format!("{option} is for ranks that share a process, and on the engine mpi none do"))
            }
            None => Mpi::admit(&self.asked_of_hosts()),
        }
    }

    fn asked_of_hosts(&self) -> Asked<'_> {
        Asked { ranks: None, has_several_programs: false, ..self.asked() }
    }

    /// The engine that was named; else a process for each node, where that can do all that is asked for and the policy of this
    /// machine lets it.
    fn engine_on_hosts(&self) -> Name {
        let suited = || {
            #[cfg(unix)]
            if Nodes::admit(&self.asked_of_hosts()).is_ok() || self.fits_processes().is_err() {
                let is_allowed = Policy::of_machine().is_ok_and(|policy| policy.allow_engine(Nodes::NAME).is_ok());
                return if is_allowed { Name::Nodes } else { Name::Mpi };
            }
            Name::Mpi
        };
        self.engine.unwrap_or_else(suited)
    }

    /// Options of `rankine run` for every rank.
    fn options_for_ranks(&self, folders: &[Folder], blas: Option<&Named>, signers: Option<String>) -> Vec<OsString> {
        // Whoever adds an option says here what becomes of it on other hosts: there is no `..`.
        let Arguments {
            environment,
            mpi_lib,
            memory_limit,
            call_stack,
            threads_per_rank,
            timeout,
            profile,
            check,
            coredump,
            debugging,
            perf,
            no_null_page,
            check_heap,
            label,
            no_binding,
            no_confine,
            verbose,
            threads,
            fibers,
            no_deadlock_check,
            universe_size,
            max_ranks,
            map_by,
            // As they are worked out: folders, libraries and keys are named whole, and the code is compiled alike.
            folders: _,
            read_only_folders: _,
            blas: _,
            signers: _,
            reproducible: _,
            interpret: _,
            trusted: _,
            // For this process: where the job is, what it runs and how much of it.
            launch: _,
            wdir: _,
            ranks: _,
            program: _,
            // Refused before.
            engine: _,
            shows: _,
            by_node: _,
            seed: _,
            // For processes that a rank or a launcher starts.
            digest: _,
            mark: _,
        } = self;
        let mut words: Vec<OsString> = folders.iter().flat_map(Folder::words).collect();
        let mut option =
            |name: &str, value: Option<OsString>| words.extend(value.into_iter().flat_map(|v| [name.into(), v]));
        environment.iter().for_each(|(name, value)| option("--env", Some(format!("{name}={value}").into())));
        option("--mpi-lib", mpi_lib.as_ref().map(Into::into));
        option("--blas", blas.map(|named| named.path.clone().into()));
        option("--memory-limit", memory_limit.map(|bytes| bytes.to_string().into()));
        option("--call-stack", call_stack.map(|bytes| bytes.to_string().into()));
        option("--threads-per-rank", threads_per_rank.map(|threads| threads.to_string().into()));
        option("--universe-size", universe_size.map(|ranks| ranks.to_string().into()));
        option("--max-ranks", max_ranks.map(|ranks| ranks.to_string().into()));
        option("--map-by", map_by.map(|how| how.word().into()));
        option("--timeout", timeout.map(|limit| limit.as_secs_f64().to_string().into()));
        option("--require-signature", signers.map(Into::into));
        for (flag, file) in [("--profile", profile), ("--check", check)] {
            words.extend(file.as_ref().map(|file| match file {
                None => flag.into(),
                Some(file) => joined(&format!("{flag}="), file),
            }));
        }
        words.extend(coredump.as_ref().map(|file| joined("--coredump=", file)));
        words.extend(debugging.words());
        words.extend(self.codegen().words());
        let flags = [
            ("--perf", *perf),
            ("--no-null-page", *no_null_page),
            ("--check-heap", *check_heap),
            ("--label", *label),
            ("--no-binding", *no_binding),
            ("--no-confine", *no_confine),
            ("--threads", *threads),
            ("--fibers", *fibers),
            ("--no-deadlock-check", *no_deadlock_check),
        ];
        words.extend(flags.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag.into()));
        words.extend(std::iter::repeat_n("--verbose".into(), usize::from(*verbose)));
        words
    }
}

/// An option and its value in one word.
fn joined(option: &str, value: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Parser as _};

    use super::*;
    use crate::cli;
    use crate::engine::local::Local;

    /// What becomes of an option in a way of running a job.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    enum Fate {
        /// It does what it says in this process.
        Taken,
        /// Ranks are told.
        Forwarded,
        /// It is refused, and named.
        Refused,
    }
    use Fate::{Forwarded as F, Refused as R, Taken as T};

    /// Every option with a value, and what becomes of it: on `local`, on `mpi`, with --hosts, which jobs of
    /// `rankine submit` are started with.
    const WAYS: &[(&str, Fate, Fate, Fate)] = &[
        ("--ranks=4", T, R, T),
        ("--engine=local", T, T, R),
        ("--mpi-lib=/lib/libmpi_abi.so.1", R, T, F),
        ("--dir=.", T, T, F),
        ("--dir-ro=.", T, T, F),
        ("--env=A=b", T, T, F),
        ("--wdir=.", T, T, T),
        ("--label", T, T, F),
        ("--memory-limit=1G", T, T, F),
        ("--call-stack=8M", T, T, F),
        ("--max-ranks=5", T, R, F),
        ("--universe-size=5", T, R, F),
        ("--timeout=9", T, T, F),
        ("--threads-per-rank=2", T, T, F),
        ("--no-binding", T, T, F),
        ("--ranks-by-node=2,1", R, R, R),
        ("--map-by=slot", T, T, F),
        ("--map-by=node", T, R, F),
        ("--threads", T, T, F),
        ("--fibers", T, T, F),
        ("--seed=7", T, R, R),
        ("--view", T, T, R),
        ("--record=a.rkv", T, T, R),
        ("--record-limit=1G", T, T, R),
        ("--profile", T, T, F),
        ("--check", T, R, F),
        ("--check-heap", T, T, F),
        ("--perf", T, T, F),
        ("--coredump=core", T, T, F),
        ("--debug", T, T, F),
        ("--break-rank=0", T, T, F),
        ("--no-null-page", T, T, F),
        ("--no-deadlock-check", T, T, F),
        ("--module-digest=00", T, T, T),
        ("--mark-start=/tmp/mark", T, T, T),
        ("--reproducible", T, T, F),
        ("--interpret", T, T, F),
        ("--trusted", T, T, F),
        ("--blas=/lib/libblas.so", T, T, F),
        ("--require-signature=a=ed25519:00", T, T, F),
        ("--no-confine", T, T, F),
        ("--verbose", T, T, F),
    ];

    /// Options that say where a job runs.
    const WHERE: [&str; 11] = [
        "--hosts",
        "--grid",
        "--group",
        "--input",
        "--output",
        "--dry-run",
        "--stage",
        "--retries",
        "--launcher",
        "--launcher-option",
        "--ssh",
    ];

    /// Other options that one of them asks for.
    fn needed(option: &str) -> &'static [&'static str] {
        match option {
            "--seed" => &["--fibers"],
            "--record-limit" => &["--record=a.rkv"],
            _ => &[],
        }
    }

    fn parsed(words: &[&str]) -> Result<Box<Arguments>, String> {
        let whole = ["rankine", "run"].iter().chain(words).chain(&["a.wasm"]);
        match cli::Arguments::try_parse_from(whole).map_err(|error| error.to_string())?.command {
            cli::Command::Run(arguments) => Ok(arguments),
            _ => unreachable!("it is `run`"),
        }
    }

    fn refused(text: &str, option: &str) -> Fate {
        assert!(text.contains(option) || option == "--ranks" && text.contains("-n 4"), "{option} is not named: {text}");
        Fate::Refused
    }

    fn with_hosts(option: &str, given: &str) -> Fate {
        let words: Vec<&str> = ["--hosts=n1:2"].iter().chain(needed(option)).chain(&[given]).copied().collect();
        let arguments = match parsed(&words) {
            Ok(arguments) => arguments,
            // What one of them asks for may be what is refused.
            Err(text) => return refused(&text, needed(option).first().unwrap_or(&option)),
        };
        if let Err(text) = arguments.fits_hosts() {
            let mut needed = needed(option).iter().map(|needed| needed.split('=').next().unwrap());
            return refused(&text, needed.find(|needed| text.contains(needed)).unwrap_or(option));
        }
        let named = Named::of("/lib/libblas.so".into());
        let blas = arguments.blas.as_ref().map(|_| &named);
        let told = arguments.options_for_ranks(&arguments.all_folders(), blas, arguments.signers.clone());
        let is_told = told.iter().any(|word| word.to_string_lossy().split('=').next() == Some(option));
        if is_told { Fate::Forwarded } else { Fate::Taken }
    }

    #[test]
    #[cfg(unix)]
    fn nodes_refuses_what_is_for_one_process() {
        for &(given, local, ..) in WAYS {
            let option = given.split('=').next().unwrap();
            let words: Vec<&str> = needed(option).iter().chain(&[given]).copied().collect();
            let is_refused = Nodes::admit(&parsed(&words).unwrap().asked()).is_err();
            let is_expected = option == "--seed";
            assert_eq!(is_refused, is_expected, "{option} on nodes, and {local:?} on local");
        }
    }

    #[test]
    fn every_option_is_taken_forwarded_or_refused_by_name() {
        let command = Arguments::augment_args(clap::Command::new("run"));
        let options = command.get_arguments().filter_map(|argument| argument.get_long());
        let mut options: Vec<String> = options.map(|long| format!("--{long}")).collect();
        options.retain(|option| !WHERE.contains(&option.as_str()));
        let listed: Vec<&str> = WAYS.iter().map(|(given, ..)| given.split('=').next().unwrap()).collect();
        for option in &options {
            assert!(
                listed.contains(&option.as_str()),
                "{option}: say in WAYS what becomes of it in each way of running a job"
            );
        }
        for &(given, local, mpi, hosts) in WAYS {
            let option = given.split('=').next().unwrap();
            assert!(options.iter().any(|other| other == option), "there is no {option}");
            let words: Vec<&str> = needed(option).iter().chain(&[given]).copied().collect();
            let arguments = parsed(&words).unwrap();
            let on =
                |admitted: Result<(), String>| admitted.map_or_else(|text| refused(&text, option), |()| Fate::Taken);
            assert_eq!(on(Local::admit(&arguments.asked())), local, "{option} on local");
            assert_eq!(on(Mpi::admit(&arguments.asked())), mpi, "{option} on mpi");
            assert_eq!(with_hosts(option, given), hosts, "{option} with --hosts");
            let words: Vec<String> = words.iter().chain(&["a.wasm"]).map(|word| (*word).to_owned()).collect();
            let is_refused = hosts == R || option == "--ranks";
            assert_eq!(cli::submit::checked(&words).is_err(), is_refused, "{option} in a job of the batch system");
        }
    }
}
