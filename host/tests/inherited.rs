//! What a process of ours keeps of what it was started with: a caller leaves files, folders, sockets and pipes open, and signals
//! blocked.
#![cfg(target_os = "linux")]

mod command;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use command::{ended, err, guest, out, rankine};

/// Where the first of what a caller leaves open is put: far from what tests have open themselves.
const FIRST: RawFd = 200;

/// Has a command inherit these, from `FIRST` on.
fn inherit(command: &mut Command, open: &[RawFd]) {
    let open = open.to_vec();
    // SAFETY: between `fork` and `exec` numbers are copied, and memory is only read. A copy survives the `exec`.
    unsafe {
        command.pre_exec(move || {
            for (to, from) in (FIRST..).zip(&open) {
                if libc::dup2(*from, to) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        })
    };
}

/// A job whose program waits for input, and what it has open meanwhile.
struct Running {
    child: Child,
}

impl Running {
    fn start(command: &mut Command) -> Running {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"runs\n").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        if line != "runs\n" {
            let output = child.wait_with_output().unwrap();
            panic!("{}{}", out(&output), err(&output));
        }
        Running { child }
    }

    /// What it has open, in the kernel's words.
    fn open(&self) -> BTreeSet<PathBuf> {
        let listed = fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        listed.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok()).collect()
    }

    /// A line of what the system says of it.
    fn status(&self, name: &str) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn name_of(fd: RawFd) -> PathBuf {
    fs::read_link(format!("/proc/self/fd/{fd}")).unwrap()
}

#[test]
fn what_a_caller_leaves_open_is_closed() {
    let top = tempfile::tempdir().unwrap();
    let (one, other) = UnixStream::pair().unwrap();
    let (reader, writer) = io::pipe().unwrap();
    let mut open: Vec<OwnedFd> = vec![
        File::create(top.path().join("file")).unwrap().into(),
        File::open(top.path()).unwrap().into(),
        File::options().read(true).write(true).open(format!("/proc/{}/mem", std::process::id())).unwrap().into(),
        UnixListener::bind(top.path().join("socket")).unwrap().into(),
        TcpListener::bind("127.0.0.1:0").unwrap().into(),
        one.into(),
        other.into(),
        reader.into(),
        writer.into(),
    ];
    // SAFETY: the calls take numbers and texts that end.
    let made = unsafe {
        let path = libc::open(c"/".as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        let process = libc::syscall(libc::SYS_pidfd_open, std::process::id(), 0) as libc::c_int;
        let memory = libc::memfd_create(c"of the caller".as_ptr(), libc::MFD_CLOEXEC);
        let clock = libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC);
        [path, process, memory, clock, libc::epoll_create1(libc::EPOLL_CLOEXEC), libc::inotify_init1(libc::IN_CLOEXEC)]
    };
    open.extend(made.map(|fd| {
        assert!(fd >= 0, "{}", io::Error::last_os_error());
        // SAFETY: the system has just given it to nobody else.
        unsafe { OwnedFd::from_raw_fd(fd) }
    }));
    let numbers: Vec<RawFd> = open.iter().map(|fd| fd.as_raw_fd()).collect();
    let mut left: BTreeSet<PathBuf> = numbers.iter().map(|fd| name_of(*fd)).collect();
    // These are names of a kind, which the process may have something of.
    left.retain(|name| !name.to_string_lossy().starts_with("anon_inode:"));
    for options in [&[][..], &["--no-confine"], &["--dir", top.path().to_str().unwrap()]] {
        let mut command = rankine();
        inherit(command.args(["run", "-n", "1"]).args(options).arg(guest("cat")), &numbers);
        let running = Running::start(&mut command);
        let kept: Vec<_> = running.open().intersection(&left).cloned().collect();
        let numbered = |number: RawFd| fs::read_link(format!("/proc/{}/fd/{number}", running.child.id())).is_ok();
        assert!(!(FIRST..).take(numbers.len()).any(numbered), "{options:?}");
        // The folder that was granted was opened once more.
        let granted = if options.len() == 2 { vec![top.path().canonicalize().unwrap()] } else { Vec::new() };
        assert_eq!(kept, granted, "{options:?}");
    }
}

/// A number above those that the process itself could open now: a caller has lowered the limit since.
#[test]
fn what_is_open_above_the_limit_is_closed() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let from = file.as_file().as_raw_fd();
    let mut command = rankine();
    command.args(["run", "-n", "1"]).arg(guest("cat"));
    // SAFETY: between `fork` and `exec` a number is copied, and a limit is set; both take values on the stack.
    unsafe {
        command.pre_exec(move || {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            limit.rlim_cur = 64;
            let is_done = libc::dup2(from, 900) == 900 && libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) == 0;
            if is_done { Ok(()) } else { Err(io::Error::last_os_error()) }
        })
    };
    assert!(!Running::start(&mut command).open().contains(file.path()));
}

#[test]
fn what_is_named_is_kept() {
    let (reader, writer) = io::pipe().unwrap();
    let numbers = [reader.as_raw_fd(), writer.as_raw_fd()];
    let run = |value: &str| {
        let mut command = rankine();
        inherit(command.args(["run", "-n", "1"]).arg(guest("cat")).env("RANKINE_DESCRIPTORS", value), &numbers[..1]);
        command
    };
    assert!(Running::start(&mut run("200")).open().contains(&name_of(numbers[0])));
    assert!(!Running::start(&mut run("")).open().contains(&name_of(numbers[0])));
    for (value, says) in
        [("201", "names descriptor 201, which is not open"), ("x", "is `x`, which is no list of descriptors")]
    {
        let output = run(value).output().unwrap();
        ended(&output, 1);
        assert!(err(&output).contains(says), "{}", err(&output));
    }
}

/// It is gone once it was read.
#[test]
fn a_program_comes_by_a_descriptor() {
    let program = tempfile::NamedTempFile::new().unwrap();
    fs::write(program.path(), wat::parse_file(guest("cat")).unwrap()).unwrap();
    let mut command = rankine();
    inherit(command.args(["run", "-n", "1", "/dev/fd/200"]), &[program.as_file().as_raw_fd()]);
    assert!(!Running::start(&mut command).open().contains(program.path()));
}

#[test]
fn signals_that_were_blocked_are_not() {
    let mut command = rankine();
    command.args(["run", "-n", "1"]).arg(guest("cat"));
    // SAFETY: the calls between `fork` and `exec` change signals of the child alone.
    unsafe {
        command.pre_exec(|| {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::sigprocmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
            libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            Ok(())
        })
    };
    let running = Running::start(&mut command);
    let set = |name| u64::from_str_radix(&running.status(name), 16).unwrap();
    let has = |set: u64, signal: libc::c_int| set >> (signal - 1) & 1 == 1;
    for fault in [libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, libc::SIGBUS] {
        assert!(!has(set("SigBlk:"), fault), "{fault}");
    }
    assert!(!has(set("SigIgn:"), libc::SIGCHLD));
}

/// `nohup rankine run …`: of the two signals, the one that is ignored comes first.
#[test]
fn a_lost_terminal_ends_nobody_who_ignores_it() {
    let mut command = rankine();
    command.args(["run", "-n", "1"]).arg(guest("cat"));
    // SAFETY: the call between `fork` and `exec` changes a signal of the child alone.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        })
    };
    let mut running = Running::start(&mut command);
    // Waiting would close it, and so end the program.
    let input = running.child.stdin.take();
    for signal in [libc::SIGHUP, libc::SIGTERM] {
        // SAFETY: a signal to a child that has not been waited for.
        assert_eq!(unsafe { libc::kill(running.child.id().cast_signed(), signal) }, 0);
    }
    assert_eq!(running.child.wait().unwrap().code(), Some(128 + libc::SIGTERM));
    drop(input);
}
