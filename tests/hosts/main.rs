//! Jobs on several hosts: `rankine run --hosts`, by the launcher of an MPI library, over TCP between two network namespaces.

mod namespaces;
#[path = "../harness/places.rs"]
mod places;
#[path = "../harness/process.rs"]
mod process;

use libtest_mimic::{Arguments, Failed, Trial};
use namespaces::{HOSTS, INTERFACE, Namespaces};
use places::Places;
use process::{Ended, Run, run_within};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Compiling the guest, starting four processes: a machine that needs longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let site = Arc::new(Site { places: Places::find(), guest: OnceLock::new() });
    let trials = [
        ("a_guest_on_two_hosts", a_guest_on_two_hosts as fn(&Site) -> Result<(), Failed>),
        ("its_status_comes_back", its_status_comes_back),
        ("a_staged_program", a_staged_program),
    ];
    let missing = namespaces::missing();
    let trials = trials.into_iter().map(|(name, test)| {
        let site = site.clone();
        let name = missing.map_or(name.to_string(), |reason| format!("{name} ({reason})"));
        Trial::test(format!("hosts/{name}"), move || test(&site)).with_ignored_flag(missing.is_some())
    });
    let mut trials: Vec<Trial> = trials.collect();
    trials.push(Trial::test("hosts/the_command_is_shown", move || the_command_is_shown(&site)));
    // Namespaces have names and addresses: one trial at a time.
    libtest_mimic::run(&Arguments { test_threads: Some(1), ..Arguments::from_args() }, trials).exit_code()
}

/// What the trials share.
struct Site {
    places: Places,
    guest: OnceLock<Result<PathBuf, String>>,
}

impl Site {
    fn folder(&self) -> PathBuf {
        self.places.target.join("hosts")
    }

    /// The guest, compiled once.
    fn guest(&self) -> Result<PathBuf, Failed> {
        let compile = || {
            let output = self.folder().join("where.wasm");
            fs::create_dir_all(self.folder()).map_err(|e| e.to_string())?;
            let mut cc = Command::new(&self.places.rankine);
            cc.args(["cc", "-O1"]).arg(self.places.root.join("tests/hosts/where.c")).arg("-o").arg(&output);
            let run = run_within(cc, None, LIMIT)?;
            if run.ended == Ended::Status(0) { Ok(output) } else { Err(run.to_string()) }
        };
        Ok(self.guest.get_or_init(compile).clone()?)
    }

    /// `rankine run --hosts` with these options, the guest's arguments at the end, on the first of two hosts.
    fn run(&self, options: &[&str], arguments: &[&str]) -> Result<Run, Failed> {
        let hosts = Namespaces::new(&self.folder())?;
        let list = self.folder().join("hosts.txt");
        fs::write(&list, format!("# two ranks on each\n{}:2\n{} slots=2\n", HOSTS[0], HOSTS[1]))?;
        let mut command = hosts.on_first(&self.places.rankine);
        command.args(["run", "--hosts"]).arg(&list).arg("--ssh").arg(&hosts.ssh).args(options);
        command.arg(self.guest()?).args(arguments);
        // All is one machine, whatever its namespaces say: the library is told to go by the network all the same.
        command.env("UCX_TLS", "tcp,self").env("UCX_NET_DEVICES", INTERFACE);
        command.env("RANKINE_LAUNCHER", self.places.mpi_bin.join("mpiexec"));
        command.env("RANKINE_MPI_LIB", self.places.mpi_bin.with_file_name("lib").join("libmpi_abi.so.1"));
        Ok(run_within(command, None, LIMIT)?)
    }
}

fn check(run: &Run, status: i32, lines: &[&str]) -> Result<(), Failed> {
    let mut printed: Vec<&str> = run.stdout.lines().collect();
    printed.sort_unstable();
    if run.ended == Ended::Status(status) && printed == lines {
        return Ok(());
    }
    Err(format!("expected status {status} and\n{}\n\n{run}", lines.join("\n")).into())
}

const ALL_FOUR: [&str; 4] = ["0 of 4, 2 here: 6", "1 of 4, 2 here: 6", "2 of 4, 2 here: 6", "3 of 4, 2 here: 6"];

fn a_guest_on_two_hosts(site: &Site) -> Result<(), Failed> {
    check(&site.run(&["-n", "4"], &[])?, 0, &ALL_FOUR)
}

fn its_status_comes_back(site: &Site) -> Result<(), Failed> {
    let run = site.run(&[], &["abort"])?;
    if run.ended == Ended::Status(7) { Ok(()) } else { Err(format!("expected status 7\n{run}").into()) }
}

fn a_staged_program(site: &Site) -> Result<(), Failed> {
    let run = site.run(&["--stage", "--label"], &[])?;
    let labelled: Vec<String> = ALL_FOUR.iter().enumerate().map(|(rank, line)| format!("[{rank}] {line}")).collect();
    let labelled: Vec<&str> = labelled.iter().map(String::as_str).collect();
    check(&run, 0, &labelled)
}

fn the_command_is_shown(site: &Site) -> Result<(), Failed> {
    let mut command = Command::new(&site.places.rankine);
    command.args(["run", "-n", "3", "--dry-run", "--hosts", "n1:2,n2:2", "--env", "A=b c"]).arg(site.guest()?).arg("x");
    command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec"));
    command.env("RANKINE_MPI_LIB", site.places.mpi_bin.with_file_name("lib").join("libmpi_abi.so.1"));
    let run = run_within(command, None, LIMIT)?;
    let wanted = ["mpiexec -n 3 -hosts n1:2,n2:1 ", "rankine run --engine mpi --env 'A=b c' ", "/where.wasm x"];
    match wanted.iter().find(|part| !run.stdout.contains(**part)) {
        None if run.ended == Ended::Status(0) => Ok(()),
        lacking => Err(format!("the command lacks {lacking:?}\n{run}").into()),
    }
}
