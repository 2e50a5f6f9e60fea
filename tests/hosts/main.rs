//! Jobs on several hosts: `rankine run --hosts` and `--grid`, by the launcher of an MPI library, over TCP between two
//! network namespaces, and in a Slurm of made-up nodes. Read `harness/` for how commands are run and compared.

#[path = "../harness/emulator.rs"]
mod emulator;
mod failure;
mod grid;
mod kinds;
mod loss;
#[path = "../harness/mpiexec.rs"]
#[expect(dead_code, reason = "of the launcher's only the library is asked for")]
mod mpiexec;
mod namespaces;
mod numbering;
#[path = "../harness/places.rs"]
mod places;
mod pods;
#[path = "../harness/process.rs"]
mod process;
mod slurm;
#[path = "../harness/taken_over.rs"]
mod taken_over;

use libtest_mimic::{Arguments, Failed, Trial};
use namespaces::{HOSTS, INTERFACE, Namespaces};
use places::Places;
use process::{Ended, Run, run_within};
use slurm::Slurm;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Compiling the guest, starting four processes: a machine that needs longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let site = Arc::new(Site { places: Places::find(), guest: OnceLock::new(), slurm: OnceLock::new() });
    let in_namespaces = [
        ("a_guest_on_two_hosts", a_guest_on_two_hosts as fn(&Site) -> Result<(), Failed>),
        ("its_status_comes_back", its_status_comes_back),
        ("a_staged_program", a_staged_program),
        ("a_signal_ends_every_rank", a_signal_ends_every_rank),
        ("every_node_is_checked", grid::every_node_is_checked),
        ("a_node_is_installed", grid::a_node_is_installed),
        ("the_network_is_chosen", grid::the_network_is_chosen),
        ("the_own_address_needs_no_ssh", grid::the_own_address_needs_no_ssh),
        ("a_program_travels_once", grid::a_program_travels_once),
        ("files_travel", grid::files_travel),
        ("nothing_starts_without_all_nodes", grid::nothing_starts_without_all_nodes),
        ("nothing_outlives_a_job", failure::nothing_outlives_a_job),
        ("a_signal_ends_who_waits_for_others", failure::a_signal_ends_who_waits_for_others),
        ("starting_is_tried_again", failure::starting_is_tried_again),
        ("a_lost_node_is_named", failure::a_lost_node_is_named),
        ("a_full_node_is_named", failure::a_full_node_is_named),
        ("a_link_may_drop/ucx", failure::a_link_may_drop_for_ucx),
        ("a_link_may_drop/libfabric", failure::a_link_may_drop_for_libfabric),
    ];
    let in_slurm = [
        ("slurm/tasks_are_ranks", slurm::tasks_are_ranks as fn(&Site) -> Result<(), Failed>),
        ("slurm/tasks_are_nodes", slurm::tasks_are_nodes),
        ("slurm/tasks_without_pmi_are_an_error", slurm::tasks_without_pmi_are_an_error),
        ("slurm/allocations_have_launchers", slurm::allocations_have_launchers),
        ("slurm/a_batch_job", slurm::a_batch_job),
        ("slurm/nothing_is_inherited", slurm::nothing_is_inherited),
        ("slurm/the_book_is_typed", slurm::the_book_is_typed),
    ];
    let missing = namespaces::missing();
    let without_slurm = missing.or_else(slurm::missing);
    let trials = in_namespaces.into_iter().map(|trial| (trial, missing));
    let trials = trials.chain(in_slurm.into_iter().map(|trial| (trial, without_slurm)));
    let trials = trials.map(|((name, test), missing)| {
        let site = site.clone();
        let name = missing.map_or(name.to_string(), |reason| format!("{name} ({reason})"));
        Trial::test(format!("hosts/{name}"), move || test(&site)).with_ignored_flag(missing.is_some())
    });
    let mut trials: Vec<Trial> = trials.collect();
    for (name, test) in [
        ("the_command_is_shown", the_command_is_shown as fn(&Site) -> Result<(), Failed>),
        ("ranks_are_dealt_until_a_node_is_full", numbering::ranks_are_dealt_until_a_node_is_full),
        ("a_deadlock_names_them_in_order", numbering::a_deadlock_names_them_in_order),
        ("all_nodes_have_to_count_alike", numbering::all_nodes_have_to_count_alike),
        ("a_grid_is_listed", grid::a_grid_is_listed),
        ("the_page_is_typed", grid::the_page_is_typed),
        ("a_manifest_is_an_mpijob", pods::a_manifest_is_an_mpijob),
    ] {
        let site = site.clone();
        trials.push(Trial::test(format!("hosts/{name}"), move || test(&site)));
    }
    // It needs the host for AArch64, which `just mixed` builds before it asks for what is ignored.
    let of_kinds = site.clone();
    let of_kinds = Trial::test("hosts/a_job_of_two_kinds (just mixed)", move || kinds::a_job_of_two_kinds(&of_kinds));
    trials.push(of_kinds.with_ignored_flag(true));
    trials.extend(loss::trials(&site, missing));
    // Namespaces have names and addresses: one trial at a time.
    libtest_mimic::run(&Arguments { test_threads: Some(1), ..Arguments::from_args() }, trials).exit_code()
}

/// What the trials share.
struct Site {
    places: Places,
    guest: OnceLock<Result<PathBuf, String>>,
    slurm: OnceLock<Result<Slurm, String>>,
}

impl Site {
    fn folder(&self) -> PathBuf {
        self.places.target.join("hosts")
    }

    /// The MPI library.
    fn library(&self) -> PathBuf {
        self.places.mpi_bin.with_file_name("lib").join("libmpi_abi.so.1")
    }

    /// The guest, compiled once.
    fn guest(&self) -> Result<PathBuf, Failed> {
        Ok(self.guest.get_or_init(|| self.compile("where")).clone()?)
    }

    /// The Slurm, started once.
    fn slurm(&self) -> Result<&Slurm, Failed> {
        let guest = self.guest()?;
        Ok(self.slurm.get_or_init(|| Slurm::start(&guest)).as_ref()?)
    }

    /// Another guest.
    fn compiled(&self, name: &str) -> Result<PathBuf, Failed> {
        Ok(self.compile(name)?)
    }

    fn compile(&self, name: &str) -> Result<PathBuf, String> {
        self.compile_at("tests/hosts", name)
    }

    /// A guest of another folder.
    fn compile_at(&self, place: &str, name: &str) -> Result<PathBuf, String> {
        let output = self.folder().join(format!("{name}.wasm"));
        fs::create_dir_all(self.folder()).map_err(|e| e.to_string())?;
        let mut cc = Command::new(&self.places.rankine);
        let source = self.places.root.join(place).join(format!("{name}.c"));
        cc.args(["cc", "-O1"]).arg(source).arg("-o").arg(&output);
        let run = run_within(cc, None, LIMIT)?;
        if run.ended == Ended::Status(0) { Ok(output) } else { Err(run.to_string()) }
    }

    /// `rankine run --hosts` with these options, the guest's arguments at the end, on the first of two hosts.
    fn run(&self, options: &[&str], arguments: &[&str]) -> Result<Run, Failed> {
        let hosts = Namespaces::new(&self.folder())?;
        Ok(run_within(self.command(&hosts, options, arguments)?, None, LIMIT)?)
    }

    fn command(&self, hosts: &Namespaces, options: &[&str], arguments: &[&str]) -> Result<Command, Failed> {
        let list = self.folder().join("hosts.txt");
        fs::write(&list, format!("# two ranks on each\n{}:2\n{} slots=2\n", HOSTS[0], HOSTS[1]))?;
        let mut command = hosts.on_first(&self.places.rankine);
        command.args(["run", "--hosts"]).arg(&list).arg("--ssh").arg(&hosts.ssh).args(options);
        command.arg(self.guest()?).args(arguments);
        // All is one machine, whatever its namespaces say: the library is told to go by the network all the same.
        command.env("UCX_TLS", "tcp,self").env("UCX_NET_DEVICES", INTERFACE);
        command.env("RANKINE_LAUNCHER", self.places.mpi_bin.join("mpiexec"));
        command.env("RANKINE_MPI_LIB", self.library());
        Ok(command)
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

/// SIGTERM to the process that the user started: it has become the launcher, which ends the ranks on all hosts.
fn a_signal_ends_every_rank(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let job = format!("job-{}", std::process::id());
    let mut child = site.command(&hosts, &["-n", "4"], &["forever", &job])?.stdout(Stdio::piped()).spawn()?;
    let line = first_line(child.stdout.take().expect("it is piped"));
    let ranks = processes(&job);
    // SAFETY: a plain system call; the child has not been waited for, so its id is not another's.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let end = Instant::now() + LIMIT;
    while child.try_wait()?.is_none() || !processes(&job).is_empty() {
        if Instant::now() > end {
            let left = processes(&job);
            for &process in left.iter().chain([&(child.id() as i32)]) {
                // SAFETY: a plain system call; the child has not been waited for, and the others that are left are this
                // test's, by the name that it gave the job.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
            child.wait()?;
            return Err(format!("after {LIMIT:?} processes of the job still run: {left:?}").into());
        }
        sleep(Duration::from_millis(50));
    }
    let status = child.wait()?;
    match (line.trim(), ranks.len() >= 4, status.success()) {
        ("running", true, false) => Ok(()),
        _ => Err(format!("it printed {line:?}, had processes {ranks:?} and ended with {status}").into()),
    }
}

/// What comes first from there, or nothing if nothing comes in time: then the job hangs.
fn first_line(from: impl Read + Send + 'static) -> String {
    let (sender, receiver) = channel();
    spawn(move || {
        let mut line = String::new();
        // What came before an error is still worth showing.
        let _ = BufReader::new(from).read_line(&mut line);
        let _ = sender.send(line);
    });
    receiver.recv_timeout(LIMIT).unwrap_or_default()
}

/// The processes whose arguments end with this.
fn processes(last: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let ends = |id: &i32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.strip_suffix(b"\0").is_some_and(|line| line.ends_with(last.as_bytes()))
    };
    ids.filter(ends).collect()
}

fn the_command_is_shown(site: &Site) -> Result<(), Failed> {
    let mut command = Command::new(&site.places.rankine);
    command
        .args(["run", "-n", "3", "--dry-run", "--hosts", "n1:2,n2:2", "--env", "A=b c", "--dir-ro", "data::/in"])
        .arg(site.guest()?)
        .arg("x");
    command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec"));
    command.env("RANKINE_MPI_LIB", site.library());
    let run = run_within(command, None, LIMIT)?;
    let wanted = [
        "mpiexec -n 2 -hosts n1:1,n2:1 ",
        "rankine run --engine nodes --ranks-by-node 2,1 --dir-ro data::/in --env 'A=b c' ",
        "/where.wasm x",
    ];
    match wanted.iter().find(|part| !run.stdout.contains(**part)) {
        None if run.ended == Ended::Status(0) => {}
        lacking => return Err(format!("the command lacks {lacking:?}\n{run}").into()),
    }
    // In turn, ranks go to all hosts before the second slot of one is taken.
    let mut command = Command::new(&site.places.rankine);
    command.args(["run", "-n", "3", "--dry-run", "--hosts", "n1:2,n2:2,n3", "--map-by", "node"]).arg(site.guest()?);
    command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec")).env("RANKINE_MPI_LIB", site.library());
    let run = run_within(command, None, LIMIT)?;
    let wanted = "-hosts n1:1,n2:1,n3:1 ";
    let told = "rankine run --engine nodes -n 1 --map-by node ";
    if run.stdout.contains(wanted) && run.stdout.contains(told) { Ok(()) } else { Err(run.to_string().into()) }
}
