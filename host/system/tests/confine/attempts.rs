//! What a confined process tries, and what must come of it under each wall.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Error, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, OnceLock};

use libc::{EACCES, ENOSYS, EPERM, EXDEV, c_long};

use super::linux::Place;

/// The walls of `rankine run`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wall {
    /// The embedded engine; no folder was granted.
    Embedded,
    EmbeddedWithFolder,
    /// The folder is only to be read.
    EmbeddedReading,
    /// The embedded engine, whose program can start ranks from modules in the folder.
    Starting,
    /// The embedded engine, behind a socket that was opened before.
    Serving,
    /// A rank over an MPI library, of a job on one host.
    Library,
    LibraryOnHosts,
}

use Wall::*;

impl Wall {
    pub const ALL: [Wall; 7] =
        [Embedded, EmbeddedWithFolder, EmbeddedReading, Starting, Serving, Library, LibraryOnHosts];

    pub fn name(self) -> &'static str {
        match self {
            Embedded => "embedded",
            EmbeddedWithFolder => "embedded-with-folder",
            EmbeddedReading => "embedded-reading",
            Starting => "starting",
            Serving => "serving",
            Library => "library",
            LibraryOnHosts => "library-on-hosts",
        }
    }
}

/// One thing to try.
pub struct Attempt {
    pub name: &'static str,
    /// What comes of it: an error of the system, or 0. The first line whose walls include the one in question counts.
    outcomes: &'static [(&'static [Wall], &'static [i32])],
    /// Whether it is also tried on a thread that was there before the wall, for which only calls are filtered.
    pub before: bool,
    /// Before the wall is up.
    pub prepare: fn(&Place),
    pub act: fn(&Place) -> io::Result<()>,
}

impl Attempt {
    /// The outcomes that are right under a wall; nothing if it isn't tried there.
    pub fn expected(&self, wall: Wall) -> Option<&'static [i32]> {
        self.outcomes.iter().find(|(walls, _)| walls.contains(&wall)).map(|(_, errnos)| *errnos)
    }
}

const ALL: &[Wall] = &Wall::ALL;
const OURS: &[Wall] = &[Embedded, EmbeddedWithFolder, EmbeddedReading, Starting, Serving];
const THEIRS: &[Wall] = &[Library, LibraryOnHosts];
const NO_FOLDER: &[Wall] = &[Embedded, Serving];
const FOLDER: &[Wall] = &[EmbeddedWithFolder, Starting, Library, LibraryOnHosts];

const FINE: &[i32] = &[0];
const REFUSED: &[i32] = &[EPERM, EACCES];
/// Refused, or not even known.
const NOTHING: &[i32] = &[EPERM, EACCES, ENOSYS];
/// A rename across folders of which one is out of reach.
const ACROSS: &[i32] = &[EPERM, EACCES, EXDEV];

const EVERYWHERE: &[(&[Wall], &[i32])] = &[(ALL, REFUSED)];

/// A system call by its number.
macro_rules! call {
    ($number:expr $(, $argument:expr)* $(,)?) => {
        // SAFETY: every call here is refused, or has arguments that are right for it.
        check(unsafe { libc::syscall($number as c_long $(, $argument)*) })
    };
}

fn check(result: c_long) -> io::Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

fn execute(path: &Path) -> io::Result<()> {
    let (path, none) = (c_string(path), [ptr::null::<libc::c_char>()]);
    let arguments = [path.as_ptr(), ptr::null()];
    call!(libc::SYS_execve, path.as_ptr(), arguments.as_ptr(), none.as_ptr())
}

fn read(path: &Path) -> io::Result<()> {
    fs::read(path).map(drop)
}

/// The process that started this one, known before the wall is up.
pub static PARENT: OnceLock<libc::pid_t> = OnceLock::new();

fn parent() -> libc::pid_t {
    *PARENT.get().unwrap()
}

/// A socket by which the kernel is asked, with this protocol.
fn netlink(protocol: libc::c_int) -> io::Result<()> {
    call!(libc::SYS_socket, libc::AF_NETLINK, libc::SOCK_RAW, protocol)
}

fn nothing(_: &Place) {}

/// What was opened before the wall.
static LISTENING: Mutex<Option<TcpListener>> = Mutex::new(None);

const fn attempt(
    name: &'static str,
    outcomes: &'static [(&'static [Wall], &'static [i32])],
    act: fn(&Place) -> io::Result<()>,
) -> Attempt {
    Attempt { name, outcomes, before: false, prepare: nothing, act }
}

/// One that is about system calls, which are filtered on all threads.
const fn on_all_threads(
    name: &'static str,
    outcomes: &'static [(&'static [Wall], &'static [i32])],
    act: fn(&Place) -> io::Result<()>,
) -> Attempt {
    Attempt { name, outcomes, before: true, prepare: nothing, act }
}

pub const ATTEMPTS: &[Attempt] = &[
    // Files that nobody granted.
    attempt("read-outside", EVERYWHERE, |place| read(&place.outside().join("file"))),
    attempt("read-passwords", EVERYWHERE, |_| read(Path::new("/etc/passwd"))),
    attempt("read-home", EVERYWHERE, |_| fs::read_dir("/root").map(drop)),
    attempt("read-through-a-link", EVERYWHERE, |place| read(&place.granted().join("link/file"))),
    attempt("read-through-parent", EVERYWHERE, |place| read(&place.granted().join("../outside/file"))),
    attempt("read-through-proc-root", EVERYWHERE, |place| {
        read(&PathBuf::from(format!("/proc/self/root{}", place.outside().join("file").display())))
    }),
    attempt("read-memory-of-parent", EVERYWHERE, |_| read(&PathBuf::from(format!("/proc/{}/mem", parent())))),
    attempt("read-environment-of-parent", EVERYWHERE, |_| read(&PathBuf::from(format!("/proc/{}/environ", parent())))),
    attempt("read-memory-of-the-kernel", &[(ALL, &[EPERM, EACCES, libc::ENOENT])], |_| read(Path::new("/proc/kcore"))),
    attempt("read-descriptors-of-parent", EVERYWHERE, |_| fs::read_link(format!("/proc/{}/fd/1", parent())).map(drop)),
    attempt("list-outside", EVERYWHERE, |place| fs::read_dir(place.outside()).map(drop)),
    attempt("create-outside", EVERYWHERE, |place| File::create(place.outside().join("new")).map(drop)),
    attempt("append-outside", EVERYWHERE, |place| {
        OpenOptions::new().append(true).open(place.outside().join("file")).map(drop)
    }),
    attempt("truncate-outside", &[(ALL, NOTHING)], |place| {
        let path = c_string(&place.outside().join("file"));
        call!(libc::SYS_truncate, path.as_ptr(), 0)
    }),
    attempt("remove-outside", EVERYWHERE, |place| fs::remove_file(place.outside().join("file"))),
    attempt("make-folder-outside", EVERYWHERE, |place| fs::create_dir(place.outside().join("new"))),
    attempt("link-out", &[(NO_FOLDER, REFUSED), (ALL, ACROSS)], |place| {
        fs::hard_link(place.granted().join("file"), place.outside().join("new"))
    }),
    attempt("link-in", &[(NO_FOLDER, REFUSED), (ALL, ACROSS)], |place| {
        fs::hard_link(place.outside().join("file"), place.granted().join("new"))
    }),
    attempt("rename-out", &[(NO_FOLDER, REFUSED), (ALL, ACROSS)], |place| {
        fs::rename(place.granted().join("file"), place.outside().join("new"))
    }),
    attempt("change-rights-outside", &[(ALL, REFUSED)], |place| {
        let path = c_string(&place.outside().join("file"));
        call!(libc::SYS_fchmodat, libc::AT_FDCWD, path.as_ptr(), 0o777)
    }),
    attempt("change-rights-outside-by-an-attribute", EVERYWHERE, |place| {
        let (path, value) = (c_string(&place.outside().join("file")), [2u32, 0]);
        let value = [value.as_ptr().addr(), size_of_val(&value)];
        call!(463, libc::AT_FDCWD, path.as_ptr(), 0, c"system.posix_acl_access".as_ptr(), value.as_ptr(), 16)
    }),
    attempt("set-an-attribute-outside", EVERYWHERE, |place| {
        let path = c_string(&place.outside().join("file"));
        let value = [c"x".as_ptr().addr(), 1];
        call!(463, libc::AT_FDCWD, path.as_ptr(), 0, c"user.mark".as_ptr(), value.as_ptr(), 16)
    }),
    attempt("remove-an-attribute-outside", EVERYWHERE, |place| {
        let path = c_string(&place.outside().join("file"));
        call!(466, libc::AT_FDCWD, path.as_ptr(), 0, c"user.mark".as_ptr())
    }),
    attempt("read-an-attribute-outside", &[(ALL, NOTHING)], |place| {
        let path = c_string(&place.outside().join("file"));
        call!(libc::SYS_getxattr, path.as_ptr(), c"user.mark".as_ptr(), 0, 0)
    }),
    attempt("change-flags-outside", EVERYWHERE, |place| {
        let (path, flags) = (c_string(&place.outside().join("file")), [0u64; 3]);
        call!(469, libc::AT_FDCWD, path.as_ptr(), flags.as_ptr(), size_of_val(&flags), 0)
    }),
    attempt("another-tree-with-attributes", EVERYWHERE, |_| call!(467, libc::AT_FDCWD, c"/".as_ptr(), 0, 0, 0)),
    attempt("write-where-the-library-lies", EVERYWHERE, |place| {
        File::create(place.library().with_file_name("libmpi_abi.so.2")).map(drop)
    }),
    attempt("replace-the-library", EVERYWHERE, |place| OpenOptions::new().write(true).open(place.library()).map(drop)),
    // Programs and processes.
    on_all_threads("run-a-program", EVERYWHERE, |_| execute(Path::new("/bin/true"))),
    on_all_threads("run-what-was-granted", EVERYWHERE, |place| execute(&place.granted().join("program"))),
    on_all_threads("run-from-memory", EVERYWHERE, |_| {
        // SAFETY: the descriptor is new.
        let file = unsafe { libc::memfd_create(c"program".as_ptr(), 0) };
        check(file.into())?;
        // SAFETY: it is this function's.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let none = [ptr::null::<libc::c_char>()];
        call!(libc::SYS_execveat, file.as_raw_fd(), c"".as_ptr(), none.as_ptr(), none.as_ptr(), libc::AT_EMPTY_PATH)
    }),
    on_all_threads("start-a-process", EVERYWHERE, |_| {
        // SAFETY: a child would end at once.
        match unsafe { libc::fork() } {
            // SAFETY: this is the child, which ends at once.
            0 => unsafe { libc::_exit(0) },
            child => check(child.into()),
        }
    }),
    on_all_threads("spawn-a-shell", EVERYWHERE, |_| {
        std::process::Command::new("/bin/sh").args(["-c", "true"]).status().map(drop)
    }),
    on_all_threads("trace", EVERYWHERE, |_| call!(libc::SYS_ptrace, libc::PTRACE_SEIZE, parent(), 0, 0)),
    on_all_threads("read-another-process", EVERYWHERE, |_| {
        let mut word = [0u8; 8];
        let local = libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: 8 };
        let remote = libc::iovec { iov_base: ptr::without_provenance_mut(4096), iov_len: 8 };
        call!(libc::SYS_process_vm_readv, parent(), &raw const local, 1, &raw const remote, 1, 0)
    }),
    on_all_threads("write-to-another-process", EVERYWHERE, |_| {
        let word = [0u8; 8];
        let local = libc::iovec { iov_base: word.as_ptr().cast_mut().cast(), iov_len: 8 };
        let remote = libc::iovec { iov_base: ptr::without_provenance_mut(4096), iov_len: 8 };
        call!(libc::SYS_process_vm_writev, parent(), &raw const local, 1, &raw const remote, 1, 0)
    }),
    on_all_threads("take-another-descriptor", EVERYWHERE, |_| call!(libc::SYS_pidfd_open, parent(), 0)),
    on_all_threads("signal-the-launcher", EVERYWHERE, |_| call!(libc::SYS_kill, parent(), libc::SIGCONT)),
    on_all_threads("signal-a-thread-of-the-launcher", EVERYWHERE, |_| {
        call!(libc::SYS_tgkill, parent(), parent(), libc::SIGCONT)
    }),
    on_all_threads("queue-a-signal-for-the-launcher", &[(ALL, NOTHING)], |_| {
        call!(libc::SYS_rt_sigqueueinfo, parent(), libc::SIGCONT, [0u8; 128].as_ptr())
    }),
    on_all_threads("queue-a-signal-for-a-thread-of-the-launcher", &[(ALL, NOTHING)], |_| {
        call!(libc::SYS_rt_tgsigqueueinfo, parent(), parent(), libc::SIGCONT, [0u8; 128].as_ptr())
    }),
    on_all_threads("a-signal-when-a-file-is-ready", EVERYWHERE, |_| {
        call!(libc::SYS_fcntl, 1, libc::F_SETOWN, parent())
    }),
    on_all_threads("a-signal-when-a-file-is-ready-by-a-structure", EVERYWHERE, |_| {
        let owner = [1, parent()];
        call!(libc::SYS_fcntl, 1, 15, owner.as_ptr())
    }),
    on_all_threads("another-signal-when-a-file-is-ready", EVERYWHERE, |_| call!(libc::SYS_fcntl, 1, 10, libc::SIGCONT)),
    on_all_threads("a-signal-to-the-terminals-owner", EVERYWHERE, |_| {
        call!(libc::SYS_fcntl, 1, libc::F_SETFL, libc::O_ASYNC)
    }),
    on_all_threads("a-signal-by-a-request", EVERYWHERE, |_| {
        let owner = parent();
        call!(libc::SYS_ioctl, 1, 0x8901, &raw const owner)
    }),
    on_all_threads("limit-the-launcher", &[(ALL, NOTHING)], |_| {
        let none = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        call!(libc::SYS_prlimit64, parent(), libc::RLIMIT_CPU, &raw const none, 0)
    }),
    on_all_threads("limits-of-the-launcher", &[(ALL, NOTHING)], |_| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        call!(libc::SYS_prlimit64, parent(), libc::RLIMIT_CPU, 0, &raw mut limit)
    }),
    on_all_threads("schedule-the-launcher", &[(ALL, NOTHING)], |_| {
        let priority = 0;
        call!(libc::SYS_sched_setscheduler, parent(), libc::SCHED_OTHER, &raw const priority)
    }),
    on_all_threads("schedule-the-launcher-by-a-parameter", &[(ALL, NOTHING)], |_| {
        let priority = 0;
        call!(libc::SYS_sched_setparam, parent(), &raw const priority)
    }),
    on_all_threads("schedule-the-launcher-by-a-structure", &[(ALL, NOTHING)], |_| {
        // Its size, and zeros: the policy of every process.
        let mut attributes = [0u32; 12];
        attributes[0] = 48;
        call!(libc::SYS_sched_setattr, parent(), attributes.as_ptr(), 0)
    }),
    on_all_threads("slow-the-launcher-down", EVERYWHERE, |_| {
        call!(libc::SYS_setpriority, libc::PRIO_PROCESS, parent(), 0)
    }),
    on_all_threads("slow-the-launchers-files-down", EVERYWHERE, |_| call!(libc::SYS_ioprio_set, 1, parent(), 0)),
    on_all_threads("move-the-launchers-memory", &[(ALL, NOTHING)], |_| {
        call!(libc::SYS_move_pages, parent(), 0, 0, 0, 0, 0)
    }),
    on_all_threads("move-all-of-the-launchers-memory", EVERYWHERE, |_| {
        call!(libc::SYS_migrate_pages, parent(), 0, 0, 0)
    }),
    on_all_threads("a-queue-to-others", EVERYWHERE, |_| call!(libc::SYS_msgget, libc::IPC_PRIVATE, 0o600)),
    on_all_threads("semaphores-with-others", EVERYWHERE, |_| call!(libc::SYS_semget, libc::IPC_PRIVATE, 1, 0o600)),
    // The administrator's right to it is given up by the thread that puts the wall up, for itself and later ones.
    attempt("before-all-others", &[(ALL, NOTHING)], |_| {
        let priority = 1;
        call!(libc::SYS_sched_setscheduler, 0, libc::SCHED_FIFO, &raw const priority)
    }),
    on_all_threads("take-the-terminal", EVERYWHERE, |_| call!(libc::SYS_ioctl, 0, libc::TIOCSCTTY, 1)),
    on_all_threads("be-in-front-of-the-terminal", EVERYWHERE, |_| {
        let group = parent();
        call!(libc::SYS_ioctl, 0, libc::TIOCSPGRP, &raw const group)
    }),
    on_all_threads("type-on-the-terminal", EVERYWHERE, |_| call!(libc::SYS_ioctl, 0, libc::TIOCSTI, c"x".as_ptr())),
    on_all_threads("type-on-the-terminal-with-high-bits", EVERYWHERE, |_| {
        call!(libc::SYS_ioctl, 0, libc::TIOCSTI | 1 << 40, c"x".as_ptr())
    }),
    on_all_threads("run-a-program-by-its-second-number", &[(ALL, NOTHING)], |_| {
        call!(520 | 0x4000_0000, c"/bin/true".as_ptr(), 0, 0)
    }),
    // New code: everything is compiled before. A library maps its plug-ins.
    on_all_threads("new-code", &[(OURS, NOTHING), (THEIRS, FINE)], |_| {
        let rights = libc::PROT_READ | libc::PROT_EXEC;
        call!(libc::SYS_mmap, 0, 4096, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    }),
    // Code that was compiled meanwhile, for ranks that are started, was data; it is not written any more.
    on_all_threads("data-becomes-code", &[(&[Starting], FINE), (OURS, NOTHING), (THEIRS, FINE)], |_| {
        let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory.
        let page = unsafe { libc::mmap(ptr::null_mut(), 4096, rights, kind, -1, 0) };
        call!(libc::SYS_mprotect, page, 4096, libc::PROT_READ | libc::PROT_EXEC)
    }),
    on_all_threads("data-is-code", &[(OURS, NOTHING), (THEIRS, FINE)], |_| {
        let (rights, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory.
        let page = unsafe { libc::mmap(ptr::null_mut(), 4096, rights, kind, -1, 0) };
        call!(libc::SYS_mprotect, page, 4096, rights | libc::PROT_EXEC)
    }),
    // The system.
    on_all_threads("mount", EVERYWHERE, |place| {
        let place = c_string(&place.granted());
        call!(libc::SYS_mount, c"none".as_ptr(), place.as_ptr(), c"tmpfs".as_ptr(), 0, 0)
    }),
    on_all_threads("unshare", EVERYWHERE, |_| call!(libc::SYS_unshare, libc::CLONE_NEWUSER)),
    on_all_threads("a-thread-in-a-new-network", EVERYWHERE, |_| {
        let flags = libc::CLONE_VM | libc::CLONE_SIGHAND | libc::CLONE_THREAD | libc::CLONE_NEWNET;
        call!(libc::SYS_clone, flags, 0, 0, 0, 0)
    }),
    on_all_threads("clone3", &[(ALL, &[ENOSYS])], |_| call!(libc::SYS_clone3, 0, 0)),
    on_all_threads("enter-a-namespace", EVERYWHERE, |_| call!(libc::SYS_setns, 0, 0)),
    on_all_threads("change-root", EVERYWHERE, |_| call!(libc::SYS_chroot, c"/".as_ptr())),
    on_all_threads("another-user", EVERYWHERE, |_| call!(libc::SYS_setresuid, 1, 1, 1)),
    on_all_threads("load-a-module", EVERYWHERE, |_| call!(libc::SYS_finit_module, 0, c"".as_ptr(), 0)),
    on_all_threads("bpf", EVERYWHERE, |_| call!(libc::SYS_bpf, 0, 0, 0)),
    on_all_threads("io-uring", EVERYWHERE, |_| call!(libc::SYS_io_uring_setup, 1, 0)),
    on_all_threads("page-faults", EVERYWHERE, |_| call!(libc::SYS_userfaultfd, 0)),
    on_all_threads("counters", EVERYWHERE, |_| call!(libc::SYS_perf_event_open, 0, 0, -1, -1, 0)),
    on_all_threads("keys", EVERYWHERE, |_| call!(libc::SYS_keyctl, 0, 0, 0, 0, 0)),
    on_all_threads("reboot", EVERYWHERE, |_| call!(libc::SYS_reboot, 0, 0, 0, 0)),
    // What later kernels add, and what this one has that was not looked at: unknown, as on the kernel of the lists.
    on_all_threads("the-next-call", &[(ALL, &[ENOSYS])], |_| call!(470, 0, 0, 0, 0, 0, 0)),
    on_all_threads("a-call-of-years-to-come", &[(ALL, &[ENOSYS])], |_| call!(999, 0, 0, 0, 0, 0, 0)),
    on_all_threads("a-call-between", &[(ALL, &[ENOSYS])], |_| call!(400, 0, 0, 0, 0, 0, 0)),
    // Sockets.
    on_all_threads("connect", &[(&[LibraryOnHosts], &[libc::ECONNREFUSED]), (ALL, REFUSED)], |_| {
        // Nobody listens at the port that this finds and gives up.
        TcpStream::connect("127.0.0.1:1").map(drop)
    }),
    on_all_threads("listen", &[(&[LibraryOnHosts], FINE), (ALL, REFUSED)], |_| {
        TcpListener::bind("127.0.0.1:0").map(drop)
    }),
    on_all_threads("datagrams", &[(&[LibraryOnHosts], FINE), (ALL, REFUSED)], |_| {
        UdpSocket::bind("127.0.0.1:0").map(drop)
    }),
    on_all_threads("talk-to-a-daemon", EVERYWHERE, |place| {
        UnixStream::connect(place.outside().join("socket")).map(drop)
    })
    .after(|place| {
        std::mem::forget(UnixListener::bind(place.outside().join("socket")).unwrap());
    }),
    on_all_threads("raw-packets", EVERYWHERE, |_| call!(libc::SYS_socket, libc::AF_PACKET, libc::SOCK_RAW, 0)),
    on_all_threads("answer", &[(&[Serving], FINE)], |_| {
        let listening = LISTENING.lock().unwrap();
        let listening = listening.as_ref().unwrap();
        listening.set_nonblocking(true)?;
        match listening.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other.map(drop),
        }
    })
    .after(|_| *LISTENING.lock().unwrap() = Some(TcpListener::bind("127.0.0.1:0").unwrap())),
    attempt("write-what-is-only-read", &[(&[EmbeddedReading], REFUSED)], |place| {
        OpenOptions::new().append(true).open(place.granted().join("file")).map(drop)
    }),
    attempt("create-where-is-only-read", &[(&[EmbeddedReading], REFUSED)], |place| {
        File::create(place.granted().join("new")).map(drop)
    }),
    attempt("remove-what-is-only-read", &[(&[EmbeddedReading], REFUSED)], |place| {
        fs::remove_file(place.granted().join("file"))
    }),
    // Rights, owners and attributes of what was granted: programs that run as its user, whoever runs them.
    attempt("a-program-of-its-user", &[(FOLDER, NOTHING)], |place| {
        let file = File::open(place.granted().join("program"))?;
        call!(libc::SYS_fchmod, file.as_raw_fd(), 0o4755)
    }),
    attempt("a-program-of-its-group", &[(FOLDER, NOTHING)], |place| {
        let file = File::open(place.granted().join("program"))?;
        call!(libc::SYS_fchmod, file.as_raw_fd(), 0o2755)
    }),
    attempt("a-new-program-of-its-user", &[(FOLDER, NOTHING)], |place| {
        OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o4755)
            .open(place.granted().join("new"))
            .map(drop)
    }),
    attempt("a-new-program-without-a-name", &[(FOLDER, NOTHING)], |place| {
        OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).mode(0o6755).open(place.granted()).map(drop)
    }),
    attempt("a-new-program-by-a-structure", &[(ALL, &[ENOSYS])], |place| {
        let (path, how) = (c_string(&place.granted().join("new")), [libc::O_CREAT as u64, 0o4755, 0]);
        call!(libc::SYS_openat2, libc::AT_FDCWD, path.as_ptr(), how.as_ptr(), size_of_val(&how))
    }),
    attempt("give-away-what-was-granted", &[(FOLDER, NOTHING)], |place| {
        let file = File::open(place.granted().join("file"))?;
        call!(libc::SYS_fchown, file.as_raw_fd(), 0, 0)
    }),
    attempt("an-attribute-of-what-was-granted", &[(FOLDER, NOTHING)], |place| {
        let file = File::open(place.granted().join("file"))?;
        call!(libc::SYS_fsetxattr, file.as_raw_fd(), c"user.mark".as_ptr(), c"x".as_ptr(), 1, 0)
    }),
    attempt("no-attribute-of-what-was-granted", &[(FOLDER, NOTHING)], |place| {
        let file = File::open(place.granted().join("file"))?;
        call!(libc::SYS_fremovexattr, file.as_raw_fd(), c"user.mark".as_ptr())
    }),
    // What a job needs.
    attempt("ordinary-rights", &[(THEIRS, FINE)], |place| {
        // libfabric sets those of the memory that it shares.
        let file = OpenOptions::new().create(true).append(true).mode(0o640).open(place.granted().join("file"))?;
        call!(libc::SYS_fchmod, file.as_raw_fd(), 0o600)
    }),
    attempt("its-own-limits-and-processors", &[(THEIRS, FINE)], |_| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        call!(libc::SYS_prlimit64, 0, libc::RLIMIT_NOFILE, 0, &raw mut limit)?;
        call!(libc::SYS_prlimit64, std::process::id(), libc::RLIMIT_NOFILE, &raw const limit, 0)?;
        let mut processors = [0u64; 16];
        call!(libc::SYS_sched_getaffinity, 0, size_of_val(&processors), processors.as_mut_ptr())?;
        call!(libc::SYS_sched_setaffinity, 0, size_of_val(&processors), processors.as_ptr())?;
        let priority = 0;
        call!(libc::SYS_sched_setscheduler, 0, libc::SCHED_OTHER, &raw const priority)
    }),
    attempt("read-what-is-only-read", &[(&[EmbeddedReading], FINE)], |place| {
        fs::read_dir(place.granted())?;
        read(&place.granted().join("file"))
    }),
    attempt("use-a-granted-folder", &[(FOLDER, FINE)], |place| {
        let folder = place.granted().join("sub");
        let file = folder.join("new");
        fs::create_dir(&folder)?;
        fs::write(&file, "text")?;
        let mut both = OpenOptions::new().read(true).append(true).open(&file)?;
        both.write_all(b" and more")?;
        both.set_len(4)?;
        both.sync_all()?;
        assert_eq!(fs::read(&file)?, b"text");
        std::os::unix::fs::symlink("new", folder.join("symbolic"))?;
        fs::hard_link(&file, folder.join("hard"))?;
        fs::rename(folder.join("hard"), place.granted().join("moved"))?;
        assert_eq!(fs::read(place.granted().join("moved"))?, b"text");
        assert_eq!(fs::read_link(folder.join("symbolic"))?, Path::new("new"));
        assert_eq!(fs::read_dir(&folder)?.count(), 2);
        fs::remove_file(place.granted().join("moved"))?;
        fs::remove_dir_all(&folder)
    }),
    attempt("read-what-a-library-needs", &[(THEIRS, FINE)], |place| {
        read(&place.library())?;
        read(Path::new("/proc/self/maps"))?;
        read(Path::new("/proc/cpuinfo"))?;
        read(Path::new("/sys/devices/system/cpu/possible"))?;
        File::open("/dev/urandom")?.read_exact(&mut [0; 8])?;
        fs::read_dir("/sys/class/net").map(drop)
    }),
    attempt("share-memory", &[(THEIRS, FINE)], |_| {
        let name = PathBuf::from(format!("/dev/shm/rankine-test-{}", std::process::id()));
        let memory = File::create_new(&name)?;
        memory.set_len(1 << 16)?;
        fs::remove_file(name)?;
        // SAFETY: a new segment, which is given up at once.
        let segment = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600) };
        check(segment.into())?;
        // SAFETY: the segment is this function's, and attached nowhere.
        check(unsafe { libc::shmctl(segment, libc::IPC_RMID, ptr::null_mut()) }.into())
    }),
    attempt("write-while-it-computes", &[(THEIRS, FINE)], |place| {
        let path = place.granted().join("written");
        let file = File::create_new(&path)?;
        // SAFETY: all fields may be zero: the C library is to send signal 0 when it has written.
        let mut order: libc::aiocb = unsafe { std::mem::zeroed() };
        order.aio_fildes = file.as_raw_fd();
        order.aio_buf = c"text".as_ptr().cast_mut().cast();
        order.aio_nbytes = 4;
        // SAFETY: order, text and file live until it is done.
        check(unsafe { libc::aio_write(&mut order) }.into())?;
        let is_done = (0..60_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            // SAFETY: the order was handed over, and lives until it is done.
            unsafe { libc::aio_error(&order) != libc::EINPROGRESS }
        });
        assert!(is_done, "the library would wait for ever");
        // SAFETY: the order is done, and its result is asked for once.
        check(unsafe { libc::aio_return(&mut order) } as c_long)?;
        fs::remove_file(path)
    }),
    attempt("ask-for-interfaces", &[(THEIRS, FINE), (OURS, REFUSED)], |_| {
        call!(libc::SYS_socket, libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE)
    }),
    // A kernel may lack it.
    attempt("ask-for-fast-networks", &[(THEIRS, &[0, libc::EPROTONOSUPPORT]), (OURS, REFUSED)], |_| {
        call!(libc::SYS_socket, libc::AF_NETLINK, libc::SOCK_RAW | libc::SOCK_CLOEXEC, libc::NETLINK_RDMA)
    }),
    // What netlink tells of others.
    on_all_threads("netlink-of-sockets", EVERYWHERE, |_| netlink(libc::NETLINK_SOCK_DIAG)),
    on_all_threads("netlink-of-processes", EVERYWHERE, |_| netlink(libc::NETLINK_CONNECTOR)),
    on_all_threads("netlink-of-devices", EVERYWHERE, |_| netlink(libc::NETLINK_KOBJECT_UEVENT)),
    on_all_threads("netlink-of-filters", EVERYWHERE, |_| netlink(libc::NETLINK_NETFILTER)),
    on_all_threads("netlink-of-families", EVERYWHERE, |_| netlink(libc::NETLINK_GENERIC)),
    // Requests to what is open.
    on_all_threads("requests-for-the-terminals-settings", EVERYWHERE, |_| {
        // SAFETY: numbers may be zero.
        let settings: libc::termios = unsafe { std::mem::zeroed() };
        call!(libc::SYS_ioctl, 0, libc::TCSETS, &raw const settings)
    }),
    on_all_threads("requests-for-a-consoles-keys", EVERYWHERE, |_| call!(libc::SYS_ioctl, 0, 0x4b49, 0)),
    on_all_threads("requests-for-a-files-attributes", EVERYWHERE, |place| {
        let (folder, flags) = (File::open(place.granted()), 0x40_u64);
        // Where no folder can be opened, any descriptor does.
        let fd = folder.as_ref().map_or(0, |folder| folder.as_raw_fd());
        call!(libc::SYS_ioctl, fd, libc::FS_IOC_SETFLAGS, &raw const flags)
    }),
    on_all_threads("requests-for-a-copy-of-a-file", EVERYWHERE, |_| call!(libc::SYS_ioctl, 1, libc::FICLONE, 0)),
    on_all_threads("requests-for-a-tunnel", EVERYWHERE, |_| call!(libc::SYS_ioctl, 0, libc::TUNSETIFF, 0)),
    on_all_threads("requests-for-a-machine", EVERYWHERE, |_| call!(libc::SYS_ioctl, 0, 0xae01, 0)),
    attempt("requests-about-interfaces", &[(&[LibraryOnHosts], FINE)], |_| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        // The name of the loopback, and room for its flags.
        let mut request = [0u8; 40];
        request[..2].copy_from_slice(b"lo");
        call!(libc::SYS_ioctl, socket.as_raw_fd(), libc::SIOCGIFFLAGS, request.as_mut_ptr())
    }),
    attempt("requests-about-streams", &[(ALL, FINE)], |_| {
        let (reader, _writer) = io::pipe()?;
        let mut waiting = 0;
        call!(libc::SYS_ioctl, reader.as_raw_fd(), libc::FIONREAD, &raw mut waiting)
    }),
    attempt("threads-memory-and-time", &[(ALL, FINE)], |_| {
        let thread = std::thread::Builder::new().name("inner".into()).spawn(|| vec![1u8; 64 << 20].iter().count())?;
        assert_eq!(thread.join().unwrap(), 64 << 20);
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(std::thread::available_parallelism()?.get() > 0);
        writeln!(io::stdout(), "standard output stays")
    }),
];

impl Attempt {
    /// This attempt, with something done before the wall is up.
    const fn after(self, prepare: fn(&Place)) -> Attempt {
        Attempt { prepare, ..self }
    }
}
