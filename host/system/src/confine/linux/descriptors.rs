//! What is open when the wall goes up: it stands for names, and what is open needs none.
//!
//! What was inherited has been closed long since (`inheritance`). What is left are the streams, what was named, our own, and
//! what a library has opened while it was loaded. Of the last only that stays which it may open behind the wall too.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::{fs, io, mem};

use anyhow::{Context as _, Result, bail};
use landlock::{AccessFs, BitFlags};

use super::super::{Needs, Network};
use super::library;
use crate::{inheritance, shown};

/// What the system calls that open by which a process could have something done for it beyond the wall, or do it: queues of calls that the
/// kernel makes by itself, other processes, their memory, files, events and programs of the kernel. None of these can be had behind it.
const LEADS_OUT: [&str; 10] = [
    "[io_uring]",
    "[pidfd]",
    "[userfaultfd]",
    "[perf_event]",
    "[fanotify]",
    "[fscontext]",
    "bpf",
    "btf",
    "kvm",
    "seccomp notify",
];

/// Refuses, by name, what nobody has said that it is needed.
pub(super) fn only_known(needs: &Needs) -> Result<()> {
    inheritance::forget_read();
    let open = inheritance::descriptors().context("what this process has open can't be looked at (/proc/self/fd)")?;
    let others: Vec<Open> = open.into_iter().filter(|fd| !inheritance::is_kept(*fd)).filter_map(Open::of).collect();
    // Most libraries leave nothing open.
    let library = LazyCell::new(|| Library::new(needs, &others));
    for one in &others {
        let shown = || shown::line(&one.target.to_string_lossy());
        match inheritance::is_of_library(one.fd) {
            true if !library.may_have(one) => bail!(
                "a library has opened {} (descriptor {}) while it was loaded, which leads out of what its job needs",
                shown(),
                one.fd
            ),
            false if !inheritance::is_closed_by_exec(one.fd) => {
                bail!("{} is open (descriptor {}), and nobody has said what for", shown(), one.fd)
            }
            _ => {}
        }
    }
    Ok(())
}

/// A descriptor that is open.
struct Open {
    fd: RawFd,
    /// What it leads to, in the kernel's words: a path, `pipe:[123]`, `anon_inode:[eventfd]`.
    target: PathBuf,
    writes: bool,
}

impl Open {
    fn of(fd: RawFd) -> Option<Open> {
        // It has no name where the system shows none, and is open all the same.
        let target = fs::read_link(format!("/proc/self/fd/{fd}")).or_else(|error| match inheritance::is_open(fd) {
            true => Ok(PathBuf::from("a file without a name")),
            false => Err(error),
        });
        let target = target.ok()?;
        // SAFETY: the call takes numbers alone, and changes nothing.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
        Some(Open { fd, target, writes: flags & libc::O_ACCMODE != libc::O_RDONLY })
    }

    /// A number that the socket has under this option.
    fn option<T: Default>(&self, name: libc::c_int) -> io::Result<T> {
        let (mut value, mut length) = (T::default(), mem::size_of::<T>() as libc::socklen_t);
        // SAFETY: the kernel writes at most `length` bytes, which is what there is room for, and `T` is a number.
        match unsafe { libc::getsockopt(self.fd, libc::SOL_SOCKET, name, (&raw mut value).cast(), &mut length) } {
            0 => Ok(value),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The process at the other end of a socket of the system's own; 0 if there is no other end.
    fn peer(&self) -> io::Result<libc::pid_t> {
        // The process, its user and its group.
        self.option::<[libc::pid_t; 3]>(libc::SO_PEERCRED).map(|[process, ..]| process)
    }
}

/// What a library may have open.
struct Library {
    /// Files, with what may be done to them.
    files: Vec<(PathBuf, BitFlags<AccessFs>)>,
    network: Network,
    /// How many ends each pipe has here.
    pipes: HashMap<PathBuf, usize>,
}

impl Library {
    fn new(needs: &Needs, open: &[Open]) -> Library {
        let mut pipes = HashMap::new();
        for one in open {
            *pipes.entry(one.target.clone()).or_default() += 1;
        }
        let files = needs.library.as_deref().map(library::files).unwrap_or_default();
        Library { files, network: needs.network, pipes }
    }

    fn may_have(&self, open: &Open) -> bool {
        match open.target.to_str() {
            // Counters, timers and the like, and memory: they lead nowhere.
            Some(name) if let Some(kind) = name.strip_prefix("anon_inode:") => {
                !LEADS_OUT.iter().any(|out| kind.starts_with(out))
            }
            Some(name) if name.starts_with("/memfd:") => true,
            Some(name) if name.starts_with("pipe:") => self.pipes.get(&open.target) > Some(&1),
            Some(name) if name.starts_with("socket:") => self.may_speak(open).unwrap_or(false),
            _ => self.may_use(&open.target, open.writes),
        }
    }

    /// Whether a socket is of a kind that may be made behind the wall, or has both ends here.
    fn may_speak(&self, open: &Open) -> io::Result<bool> {
        Ok(match open.option::<libc::c_int>(libc::SO_DOMAIN)? {
            libc::AF_NETLINK => true,
            libc::AF_INET | libc::AF_INET6 => self.network == Network::Open,
            libc::AF_UNIX => {
                let is_ours = u32::try_from(open.peer()?) == Ok(std::process::id());
                is_ours || open.option::<libc::c_int>(libc::SO_TYPE)? == libc::SOCK_DGRAM
            }
            _ => false,
        })
    }

    fn may_use(&self, target: &Path, writes: bool) -> bool {
        let wanted = if writes { AccessFs::WriteFile } else { AccessFs::ReadFile };
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        self.files.iter().any(|(path, rights)| rights.contains(wanted) && target.starts_with(real(path)))
    }
}
