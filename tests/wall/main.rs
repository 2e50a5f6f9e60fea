//! Attacks of whole programs that only the second wall stops if the first one lets them through.
//!
//! `just wall` runs them against a build without the first wall (the host's feature `unvalidated`), and in every other run they see both.
//! What a process can do that has been taken over is shown beside the host (`host/tests/confine`).

#[path = "../harness/mpiexec.rs"]
mod mpiexec;
#[path = "../harness/places.rs"]
mod places;
#[path = "../harness/process.rs"]
mod process;
#[path = "../harness/taken_over.rs"]
mod taken_over;

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use mpiexec::mpiexec;
use places::Places;
use process::{Ended, Run, run_within};

/// Compiling a guest, some seconds of attacks: what needs longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// What a build says in which the first wall is missing.
const UNVALIDATED: &str = "this build is for tests of the second wall";

fn main() -> ExitCode {
    let places = Arc::new(Places::find());
    let trials = [
        (
            "a_program_by_the_launchers_own_socket",
            a_program_by_the_launchers_own_socket as fn(&Places) -> Result<(), Failed>,
        ),
        ("a_library_that_keeps_something_open", a_library_that_keeps_something_open),
        ("every_rank_is_confined", every_rank_is_confined),
        ("a_shell_by_a_service_name", a_shell_by_a_service_name),
        ("a_shell_by_an_argument", a_shell_by_an_argument),
        ("a_file_by_its_name", a_file_by_its_name),
        ("a_file_by_a_swapped_link", a_file_by_a_swapped_link),
        ("a_planted_library", a_planted_library),
        ("compiled_code_beneath_a_grant", compiled_code_beneath_a_grant),
        ("a_job_that_ends_badly_leaves_no_memory", a_job_that_ends_badly_leaves_no_memory),
        ("memory_that_no_account_knows_of", memory_that_no_account_knows_of),
    ];
    let trials = trials.into_iter().map(|(name, test)| {
        let places = places.clone();
        Trial::test(format!("wall/{name}"), move || test(&places))
    });
    let prterun = prterun();
    let reason = if prterun.is_some() { "" } else { " (needs prterun, on the PATH or named by RANKINE_PRTERUN)" };
    let beneath_prrte = Trial::test(format!("wall/nothing_is_inherited_from_prrte{reason}"), {
        let (places, prterun) = (places.clone(), prterun.clone());
        move || nothing_is_inherited_from_prrte(&places, &prterun.unwrap_or_else(|| "prterun".into()))
    });
    let trials = trials.chain([beneath_prrte.with_ignored_flag(prterun.is_none())]);
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The launcher of PRRTE, which Open MPI has.
fn prterun() -> Option<PathBuf> {
    let on_path = || {
        std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join("prterun"))
            .find(|file| file.is_file())
    };
    std::env::var_os("RANKINE_PRTERUN").map(PathBuf::from).or_else(on_path)
}

/// A folder of its own for one attack: `granted` is the guest's, what lies beside it is not.
struct Stage<'a> {
    places: &'a Places,
    folder: PathBuf,
    name: &'static str,
}

impl<'a> Stage<'a> {
    fn new(places: &'a Places, name: &'static str) -> Result<Stage<'a>, Failed> {
        Stage::in_folder(places, name, name)
    }

    /// One whose guest another attack has too.
    fn in_folder(places: &'a Places, name: &'static str, folder: &str) -> Result<Stage<'a>, Failed> {
        let folder = places.target.join("wall").join(folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("granted/x"))?;
        fs::write(folder.join("granted/x/file"), "inside")?;
        fs::write(folder.join("file"), "OUTSIDE")?;
        let stage = Stage { places, folder, name };
        let mut cc = Command::new(&places.rankine);
        cc.args(["cc", "-O1"]).arg(places.root.join("tests/wall").join(name).with_extension("c"));
        cc.arg("-o").arg(stage.guest());
        let run = run_within(cc, None, LIMIT)?;
        if run.ended == Ended::Status(0) { Ok(stage) } else { Err(run.to_string().into()) }
    }

    fn guest(&self) -> PathBuf {
        self.folder.join("granted").join(self.name).with_extension("wasm")
    }

    /// Runs the guest over the MPI library; it must have come as far as to try.
    fn run(&self, ranks: u32, options: &[&str], arguments: &[&str]) -> Result<Run, Failed> {
        let run = run_within(self.command(ranks, options, arguments), None, LIMIT)?;
        if run.stdout.contains("asked") { Ok(run) } else { Err(run.to_string().into()) }
    }

    fn command(&self, ranks: u32, options: &[&str], arguments: &[&str]) -> Command {
        let mut command = mpiexec(self.places, ranks);
        command.arg(&self.places.rankine).arg("run").args(options).arg(self.guest()).args(arguments);
        command.current_dir(&self.folder);
        command
    }

    /// How many processes run the guest, and what the system says of each of their threads.
    fn statuses(&self) -> io::Result<(usize, Vec<String>)> {
        let (guest, mut processes, mut statuses) = (self.guest().into_os_string(), 0, Vec::new());
        for process in fs::read_dir("/proc")?.flatten().map(|entry| entry.path()) {
            let line = fs::read(process.join("cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            if words[0] != self.places.rankine.as_os_str().as_bytes() || !words.contains(&guest.as_bytes()) {
                continue;
            }
            // A thread that ends meanwhile has no status any more.
            let before = statuses.len();
            for thread in fs::read_dir(process.join("task"))?.flatten() {
                statuses.extend(fs::read_to_string(thread.path().join("status")));
            }
            processes += usize::from(statuses.len() > before);
        }
        Ok((processes, statuses))
    }

    /// Runs the guest with a request for the launcher, the one of this number. No shell starts: the first wall refuses the
    /// call, and without it the process before the launcher the request, or it ends the connection and so the job.
    fn no_shell_starts(&self, options: &[&str], number: usize) -> Result<(), Failed> {
        let run = run_within(self.command(1, options, &[&number.to_string()]), None, LIMIT)?;
        let has = |text: &str| run.stderr.contains(text);
        let is_unvalidated = has(UNVALIDATED);
        let was_stopped = has("what was not granted") || has("between the MPI library and its launcher");
        let started = [&self.folder, &self.folder.join("granted")].iter().any(|folder| folder.join("started").exists());
        let as_expected = if is_unvalidated { was_stopped } else { !was_stopped && run.stdout.contains("asked") };
        match (started, as_expected) {
            (true, _) => Err(format!("{number}: a shell was started\n{run}").into()),
            (_, false) => Err(format!("{number}: the attack did not come so far\n{run}").into()),
            _ => Ok(()),
        }
    }
}

/// Every thread of every process that runs the guest, and of those between a rank and its launcher.
fn every_rank_is_confined(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "waits")?;
    let mut command = stage.command(2, &["--timeout", "600"], &[]);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let seen = output.read_line(&mut String::new()).and_then(|_| output.read_line(&mut String::new()));
    let statuses = seen.and_then(|_| stage.statuses());
    // SAFETY: a signal to a child that has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    child.wait()?;
    let (processes, statuses) = statuses?;
    if processes != 4 {
        return Err(format!("{processes} processes instead of two ranks and what stands before their launcher").into());
    }
    match statuses.iter().find(|status| !status.contains("NoNewPrivs:\t1") || !status.contains("Seccomp:\t2")) {
        Some(status) => Err(format!("not confined: {status}").into()),
        None => Ok(()),
    }
}

fn a_shell_by_a_service_name(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "service_name")?;
    (0..11).try_for_each(|number| stage.no_shell_starts(&[], number))
}

fn a_shell_by_an_argument(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "argument")?;
    // Ten arguments and eight values of `soft`.
    (0..18).try_for_each(|number| stage.no_shell_starts(&["--dir", "granted"], number))
}

/// By names and links that lead out.
fn a_file_by_its_name(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "file_name")?;
    let outside = stage.folder.join("file");
    for (target, link) in [("..", "up"), ("../file", "out"), ("up/file", "both"), ("up", "x/again")] {
        symlink(target, stage.folder.join("granted").join(link))?;
    }
    symlink(&outside, stage.folder.join("granted/absolute"))?;
    symlink(&stage.folder, stage.folder.join("granted/above"))?;
    let mut names =
        ["../file", "up/file", "out", "both", "x/../../file", "x/../up/file", "absolute", "above/file", "x/../out"]
            .map(|name| format!("granted/{name}"))
            .to_vec();
    names.push("granted/../granted/../file".into());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let run = stage.run(1, &["--dir", "granted"], &names)?;
    // Each to read, and to write.
    let all_refused = format!("refused: {}\n", 2 * names.len());
    if run.stdout.contains("read:") || !run.stdout.contains(&all_refused) {
        return Err(run.to_string().into());
    }
    Ok(())
}

fn a_file_by_a_swapped_link(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "swapped_link")?;
    let run = stage.run(2, &["--dir", "granted"], &["2"])?;
    if run.stdout.contains("read:") { Err(run.to_string().into()) } else { Ok(()) }
}

/// A guest puts a library where its folder's environment would have one, which says so if anybody loads it. None of the commands
/// that are given there next do: that it lies there is no reason, whether or not anybody asks who has written it.
fn a_planted_library(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "planted")?;
    let (granted, loaded) = (stage.folder.join("granted"), stage.folder.join("loaded"));
    let source = stage.folder.join("library.c");
    fs::write(
        &source,
        format!(
            "#include <fcntl.h>\n__attribute__((constructor)) static void says(void) {{ open(\"{}\", O_CREAT, 0600); }}\n",
            loaded.display()
        ),
    )?;
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(granted.join("library")).arg(source).status()?;
    if !compiled.success() {
        return Err("the library can't be compiled".into());
    }
    let run = stage.run(1, &["--dir", "granted"], &[])?;
    if !run.stdout.contains("planted: 6") {
        return Err(run.to_string().into());
    }
    let commands: [&[&str]; 5] = [
        &["doctor"],
        &["run", "planted.wasm"],
        &["run", "--engine", "mpi", "planted.wasm"],
        &["run", "--engine", "mpi", "--dir", ".", "planted.wasm"],
        &["info", "--functions"],
    ];
    for words in commands {
        let mut command = Command::new(&places.rankine);
        command.args(words).current_dir(&granted).env_remove("VIRTUAL_ENV").env_remove("LD_LIBRARY_PATH");
        let run = run_within(command, None, LIMIT)?;
        if loaded.exists() {
            return Err(format!("the library was loaded\n{run}").into());
        }
    }
    // It would have told.
    Command::new("cat").arg("/dev/null").env("LD_PRELOAD", granted.join(".venv/lib/libmpi_abi.so.1")).status()?;
    if loaded.exists() { Ok(()) } else { Err("the library says nothing when it is loaded".into()) }
}

/// A guest changes the code that its next run would have, in a cache that lies beneath its folder. The folder is not granted; and
/// without the first wall it can't make the seal, whose key lies outside.
fn compiled_code_beneath_a_grant(places: &Places) -> Result<(), Failed> {
    const SAYS: &str = "the text of the program that was compiled";
    let stage = Stage::new(places, "poison")?;
    symlink("..", stage.folder.join("granted/up"))?;
    symlink("../state/key", stage.folder.join("granted/key"))?;
    let run = |arguments: &[&str]| {
        let mut command = stage.command(1, &["--dir", "granted"], arguments);
        command.env("RANKINE_CACHE_DIR", stage.folder.join("granted/cache"));
        command.env("RANKINE_STATE_DIR", stage.folder.join("state"));
        run_within(command, None, LIMIT)
    };
    let first = run(&["change"])?;
    if !first.stderr.contains(UNVALIDATED) {
        let is_refused = first.stderr.contains("could change") && !first.stdout.contains("asked");
        return if is_refused { Ok(()) } else { Err(first.to_string().into()) };
    }
    let has_changed = first.stdout.contains("changes: ") && !first.stdout.contains("changes: 0");
    if !has_changed || first.stdout.contains("read:") {
        return Err(first.to_string().into());
    }
    let second = run(&[])?;
    let is_right = second.stdout.contains(SAYS) && second.stderr.contains("is damaged, or somebody else's");
    if is_right { Ok(()) } else { Err(second.to_string().into()) }
}

/// A library that was taken over looks for what its process has inherited: the launcher's sockets, by which it would have a program
/// started outside of the wall, and what whoever started the launcher left open.
fn a_program_by_the_launchers_own_socket(places: &Places) -> Result<(), Failed> {
    let stage = Stage::in_folder(places, "barrier", "taken_over")?;
    let library = taken_over::taken_over(places, &stage.folder)?;
    let started = stage.folder.join("started");
    let left: [OwnedFd; 3] = [
        fs::File::create(stage.folder.join("left-open"))?.into(),
        fs::File::open(&stage.folder)?.into(),
        UnixListener::bind(format!("/tmp/rankine-wall-{}", std::process::id()))?.into(),
    ];
    let named = |fd: &OwnedFd| fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()));
    let names = left.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let mut command = stage.command(2, &["--dir", "granted"], &[]);
    command.env("RANKINE_MPI_LIB", library).env("TAKEN_OVER_STARTS", &started);
    let numbers: Vec<_> = left.iter().map(|fd| fd.as_raw_fd()).collect();
    // SAFETY: between `fork` and `exec` numbers are copied, and memory is only read. A copy survives the `exec`.
    unsafe {
        command.pre_exec(move || {
            let copies = (200..).zip(&numbers).map(|(to, from)| libc::dup2(*from, to));
            if copies.min() < Some(0) { Err(io::Error::last_os_error()) } else { Ok(()) }
        })
    };
    let run = run_within(command, None, LIMIT);
    fs::remove_file(format!("/tmp/rankine-wall-{}", std::process::id()))?;
    let run = run?;
    let leads = |name: &PathBuf| run.stderr.lines().any(|line| line.ends_with(&format!("leads to {}", name.display())));
    if started.exists() || run.stderr.contains("was changed") || names.iter().any(leads) {
        return Err(format!("the process had more than it may\n{run}").into());
    }
    let is_right = run.ended == Ended::Status(0) && run.stderr.contains("a file outside: refused");
    if is_right && run.stderr.contains("leads to") { Ok(()) } else { Err(run.to_string().into()) }
}

/// The same beneath PRRTE's launcher, whose tasks find what their script has left open. MPICH does not begin there, as it does not speak
/// PMIx: so the library is taken over before.
fn nothing_is_inherited_from_prrte(places: &Places, prterun: &Path) -> Result<(), Failed> {
    let stage = Stage::in_folder(places, "barrier", "beneath_prrte")?;
    let library = taken_over::taken_over(places, &stage.folder)?;
    let started = stage.folder.join("started");
    fs::write(stage.folder.join("left-open"), "")?;
    let mut command = Command::new(prterun);
    command.args(["--map-by", ":OVERSUBSCRIBE", "-n", "2", "sh", "-c"]);
    command.arg("exec 5<left-open 7>>left-open 8<. 9<&0; exec \"$@\"").arg("sh");
    command.arg(&places.rankine).arg("run").arg(stage.guest()).current_dir(&stage.folder);
    command.env("PRTE_ALLOW_RUN_AS_ROOT", "1").env("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("RANKINE_MPI_LIB", library).env("TAKEN_OVER_STARTS", &started).env("TAKEN_OVER_AT_ONCE", "1");
    let run = run_within(command, None, LIMIT)?;
    let tried = run.stderr.matches("a file outside: refused").count();
    let leads: Vec<&str> = run.stderr.lines().filter_map(|line| Some(line.split_once(" leads to ")?.1)).collect();
    let folder = stage.folder.display().to_string();
    let is_left = |place: &&&str| place.starts_with(&folder) || place.contains("prte") || place.starts_with("socket:");
    let is_right =
        run.ended == Ended::Status(0) && tried == 2 && !started.exists() && !run.stderr.contains("was changed");
    match leads.iter().find(is_left) {
        None if is_right => Ok(()),
        left => Err(format!("{left:?} was open\n{run}").into()),
    }
}

/// A library leaves open, when it is loaded, what it could not open behind the wall: the job does not start.
fn a_library_that_keeps_something_open(places: &Places) -> Result<(), Failed> {
    let stage = Stage::in_folder(places, "barrier", "kept_open")?;
    let secret = stage.folder.join("file");
    let run = |opens: &str| {
        let source = stage.folder.join("opens.c");
        fs::write(
            &source,
            format!(
                "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <sys/epoll.h>\n#include <sys/eventfd.h>\n#include <sys/inotify.h>\n\
                 #include <sys/mman.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n#include <sys/timerfd.h>\n#include <unistd.h>\n\
                 static long zeros[32];\n\
                 __attribute__((constructor)) static void opens(void) {{ int two[2]; (void)two; (void)zeros; {opens}; }}\n"
            ),
        )?;
        let library = taken_over::linked(places, &source, &stage.folder)?;
        let mut command = stage.command(1, &[], &[]);
        command.env("RANKINE_MPI_LIB", library);
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    let refused = [
        format!("open(\"{}\", O_RDONLY)", secret.display()),
        format!("open(\"{}\", O_RDONLY | O_CLOEXEC)", secret.display()),
        format!("open(\"{}\", O_WRONLY | O_CREAT, 0600)", stage.folder.join("new").display()),
        "open(\"/\", O_RDONLY | O_DIRECTORY)".into(),
        "open(\"/\", O_PATH)".into(),
        "open(\"/proc/self/mem\", O_RDWR)".into(),
        "socket(AF_UNIX, SOCK_STREAM, 0)".into(),
        "socket(AF_INET, SOCK_STREAM, 0)".into(),
        "pipe(two); close(two[0])".into(),
    ];
    // What a kernel may refuse by itself: a queue of calls that it makes outside of the wall, another process, memory of others, files.
    let kernels = [
        (libc::SYS_io_uring_setup, "SYS_io_uring_setup, 8, zeros"),
        (libc::SYS_pidfd_open, "SYS_pidfd_open, getppid(), 0"),
        (libc::SYS_userfaultfd, "SYS_userfaultfd, 0"),
        (libc::SYS_fanotify_init, "SYS_fanotify_init, 0, 0"),
        (libc::SYS_fsopen, "SYS_fsopen, \"tmpfs\", 0"),
        (libc::SYS_open_tree, "SYS_open_tree, AT_FDCWD, \"/\", 1"),
    ];
    let given = kernels.into_iter().filter(|(call, _)| is_given(*call));
    for opens in refused.into_iter().chain(given.map(|(_, words)| format!("syscall({words})"))) {
        let run = run(&opens)?;
        if run.stdout.contains("asked") || !run.stderr.contains("a library has opened") {
            return Err(format!("{opens}: the job started\n{run}").into());
        }
    }
    for opens in [
        "eventfd(0, 0)",
        "pipe(two)",
        "socketpair(AF_UNIX, SOCK_STREAM, 0, two)",
        "open(\"/proc/self/maps\", O_RDONLY)",
        "epoll_create1(0)",
        "timerfd_create(CLOCK_MONOTONIC, 0)",
        "inotify_init()",
        "memfd_create(\"m\", 0)",
    ] {
        let run = run(opens)?;
        if run.ended != Ended::Status(0) || !run.stdout.contains("asked") {
            return Err(format!("{opens}: the job did not start\n{run}").into());
        }
    }
    Ok(())
}

/// Whether this kernel lets a process of this user make this call.
fn is_given(call: libc::c_long) -> bool {
    let mut zeros = [0_u64; 32];
    // SAFETY: the calls read a text that ends, or zeros where they write a little; a number for a process is this one's.
    let fd = unsafe {
        match call {
            libc::SYS_io_uring_setup => libc::syscall(call, 8, &raw mut zeros),
            libc::SYS_pidfd_open => libc::syscall(call, std::process::id(), 0),
            libc::SYS_fsopen => libc::syscall(call, c"tmpfs".as_ptr(), 0),
            libc::SYS_open_tree => libc::syscall(call, libc::AT_FDCWD, c"/".as_ptr(), 1),
            _ => libc::syscall(call, 0, 0),
        }
    };
    if let Ok(fd @ 0..) = RawFd::try_from(fd) {
        // SAFETY: it was opened here, and nothing else owns it.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
    fd >= 0
}

/// The folder of shared memory is the job's own, so that nobody else's files are seen there.
fn a_job_that_ends_badly_leaves_no_memory(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "ends_badly")?;
    // SAFETY: a question without conditions.
    let own: &[&str] = if unsafe { libc::geteuid() } == 0 { &["--mount"] } else { &["--mount", "--map-root-user"] };
    for how in ["trap", "abort", "leave"] {
        let job = stage.command(2, &[], &[how]);
        let mut command = Command::new("unshare");
        command.args(own).args(["sh", "-c", r#"mount -t tmpfs none /dev/shm && "$@"; ls /dev/shm"#, "sh"]);
        command.arg(job.get_program()).args(job.get_args()).current_dir(&stage.folder);
        command.envs(job.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let run = run_within(command, None, LIMIT)?;
        if run.stdout.trim_end() != "asked\nasked" {
            return Err(format!("{how}: {run}").into());
        }
    }
    Ok(())
}

/// A program takes far more memory than it may have. Its account refuses that; where no account does, whoever watches over the process
/// ends the job by the name of a rank, on both engines.
fn memory_that_no_account_knows_of(places: &Places) -> Result<(), Failed> {
    let stage = Stage::new(places, "takes_memory")?;
    let limited = ["--memory-limit", "64M"];
    let mut embedded = Command::new(&places.rankine);
    embedded.args(["run", "-n", "2"]).args(limited).arg(stage.guest()).current_dir(&stage.folder);
    let local = run_within(embedded, None, LIMIT)?;
    let mpi = run_within(stage.command(1, &limited, &[]), None, LIMIT)?;
    for run in [&local, &mpi] {
        let (has, says) = (|text: &str| run.stderr.contains(text), |text: &str| run.stdout.contains(text));
        let as_expected = if has(UNVALIDATED) {
            let is_named = has("process has taken ") && has("rank ") && has("--memory-limit leaves");
            is_named && run.ended != Ended::Status(0) && !says("asked")
        } else {
            run.ended == Ended::Status(0) && says("asked") && !has("process has taken ")
        };
        if !as_expected {
            return Err(run.to_string().into());
        }
    }
    Ok(())
}
