//! Descriptors and signals of Linux, macOS and others of their kind.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context as _, Result, bail};

/// Variables by which launchers name a descriptor: PMI-1 and PMI-2 of MPICH, Slurm and Flux, the same of Slurm by another
/// name, HPE's PALS, and the pipe by which PMIx shows that a parent lives. Open MPI, PRRTE and Slurm's PMIx are asked over sockets
/// that the library opens.
const OF_LAUNCHERS: [&str; 4] = ["PMI_FD", "SLURM_PMI_FD", "PALS_FD", "PMIX_KEEPALIVE_PIPE"];

/// The variable by which the user names others: `9` or `9,12`.
const OF_USER: &str = "RANKINE_DESCRIPTORS";

/// How a command line names one, as shells do for `<(command)`.
const PATHS: [&[u8]; 2] = [b"/dev/fd/", b"/proc/self/fd/"];

/// Where the system lists what this process has open.
const LIST: &str = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };

/// What was kept.
#[derive(Default)]
struct Kept {
    /// To the end.
    named: BTreeSet<RawFd>,
    /// Until files have been read, which is before the wall.
    read: BTreeSet<RawFd>,
}

static KEPT: OnceLock<Kept> = OnceLock::new();

/// What libraries have opened while they were loaded.
static OF_LIBRARIES: Mutex<BTreeSet<RawFd>> = Mutex::new(BTreeSet::new());

pub(super) fn renounce() -> Result<()> {
    take_signals();
    let mut kept = Kept { named: of_launchers(|name| env::var(name).ok()), read: on_command_line(env::args_os()) };
    for fd in of_user(env::var(OF_USER).ok())? {
        if !is_open(fd) {
            bail!("{OF_USER} names descriptor {fd}, which is not open");
        }
        kept.named.insert(fd);
    }
    // A number that is not open becomes that of something else.
    kept.named.retain(|fd| is_open(*fd));
    let all = &kept.named | &kept.read;
    match descriptors() {
        Ok(open) => open.into_iter().filter(|fd| !all.contains(fd) && is_inherited(*fd)).for_each(close),
        // Without a list, whatever it is.
        Err(_) => keep_only(&[&[0, 1][..], &all.into_iter().collect::<Vec<_>>()].concat())
            .context("can't close the descriptors that this process has inherited")?,
    }
    let _ = KEPT.set(kept);
    Ok(())
}

/// Lets all signals through that whoever started this process has kept from it: a fault that is blocked ends it, trap or not.
/// And children's ends are told, or nobody could wait for one.
fn take_signals() {
    let mut none = std::mem::MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set, which `pthread_sigmask` reads; no handler is given.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}

/// Those that launchers name. Standard streams are nobody's.
fn of_launchers(value: impl Fn(&str) -> Option<String>) -> BTreeSet<RawFd> {
    let numbers = OF_LAUNCHERS.iter().filter_map(|name| value(name)?.trim().parse::<RawFd>().ok());
    numbers.filter(|fd| *fd > libc::STDERR_FILENO).collect()
}

/// Those that the user names.
fn of_user(list: Option<String>) -> Result<BTreeSet<RawFd>> {
    let list = list.unwrap_or_default();
    let number = |word: &str| word.trim().parse().ok().filter(|fd: &RawFd| *fd >= 0);
    let wrong = || format!("{OF_USER} is `{list}`, which is no list of descriptors: give numbers, as 9 or 9,12");
    list.split(',').filter(|word| !word.trim().is_empty()).map(|word| number(word).with_context(wrong)).collect()
}

/// Those that the arguments of a command line name, anywhere in them.
fn on_command_line(arguments: impl Iterator<Item = OsString>) -> BTreeSet<RawFd> {
    let mut named = BTreeSet::new();
    for argument in arguments {
        let bytes = argument.as_bytes();
        for path in PATHS {
            let places = bytes.windows(path.len()).enumerate().filter(|(_, window)| *window == path);
            named.extend(places.filter_map(|(at, _)| leading_number(&bytes[at + path.len()..])));
        }
    }
    named
}

/// The number that a text begins with.
fn leading_number(text: &[u8]) -> Option<RawFd> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// Numbers that descriptors are below, as far as they are tried.
fn most_descriptors() -> RawFd {
    const MOST: libc::rlim_t = 1 << 16;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the result is on the stack, and of the type that the call fills.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } {
        0 => limit.rlim_max.min(MOST) as RawFd,
        _ => MOST as RawFd,
    }
}

/// What this process has open.
pub fn descriptors() -> io::Result<Vec<RawFd>> {
    let number = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let listed: Vec<RawFd> = match fs::read_dir(LIST) {
        Ok(entries) => entries.filter_map(number).collect(),
        // A system in a folder (`chroot`) need have no list: every number is tried.
        Err(error) if error.kind() == io::ErrorKind::NotFound => (0..most_descriptors()).collect(),
        Err(error) => return Err(error),
    };
    // The list's own is closed by now.
    Ok(listed.into_iter().filter(|fd| is_open(*fd)).collect())
}

/// What an `exec` makes of a descriptor, if that is open.
fn flags(fd: RawFd) -> Option<libc::c_int> {
    // SAFETY: the call takes numbers alone, and changes nothing.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    (flags >= 0).then_some(flags)
}

/// Whether a descriptor is open.
pub fn is_open(fd: RawFd) -> bool {
    flags(fd).is_some()
}

/// An `exec` would close it, so none has left it behind.
pub fn is_closed_by_exec(fd: RawFd) -> bool {
    flags(fd).is_some_and(|flags| flags & libc::FD_CLOEXEC != 0)
}

/// Whether it came from whoever started this process, streams aside.
fn is_inherited(fd: RawFd) -> bool {
    fd > libc::STDERR_FILENO && !is_closed_by_exec(fd)
}

fn close(fd: RawFd) {
    // SAFETY: it was inherited, so nothing in this process owns it.
    unsafe { libc::close(fd) };
}

/// Whether it is on the list: a standard stream, or named.
pub fn is_kept(fd: RawFd) -> bool {
    fd <= libc::STDERR_FILENO || KEPT.get().is_some_and(|kept| kept.named.contains(&fd))
}

/// Closes what the command line named: it has been read.
pub fn forget_read() {
    let kept = KEPT.get();
    let read = kept.iter().flat_map(|kept| kept.read.difference(&kept.named));
    read.copied().filter(|fd| is_inherited(*fd)).for_each(close);
}

/// Loads a library, and notes what that has opened and left open.
pub fn opened_by_library<T>(load: impl FnOnce() -> T) -> T {
    let open = || descriptors().unwrap_or_default().into_iter().collect::<BTreeSet<_>>();
    let before = open();
    let loaded = load();
    OF_LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner).extend(open().difference(&before));
    loaded
}

/// Whether a library has opened it while it was loaded.
pub fn is_of_library(fd: RawFd) -> bool {
    OF_LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner).contains(&fd)
}

/// Closes every descriptor but these and that of errors: others wait for the end of what they read. For a process that never
/// drops what owns them.
pub fn keep_only(kept: &[RawFd]) -> io::Result<()> {
    let mut kept: Vec<RawFd> = kept.iter().copied().chain([libc::STDERR_FILENO]).collect();
    kept.sort_unstable();
    let mut next = 0;
    for fd in kept.into_iter().chain([RawFd::MAX]) {
        if next < fd {
            close_range(next, fd - 1)?;
        }
        next = fd.saturating_add(1);
    }
    Ok(())
}

/// Closes those from one number to another.
fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: the objects that own these descriptors are never dropped, as `keep_only` says.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0 {
        return Ok(());
    }
    // Of those that the system lists as open.
    for fd in descriptors()?.into_iter().filter(|fd| (first..=last).contains(fd)) {
        // SAFETY: whoever owns it is never dropped, as `keep_only` says; that of the list was closed with it.
        unsafe { libc::close(fd) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_name_their_own() {
        let named = |environment: &[(&str, &str)]| {
            let value = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, v)| v.to_string());
            of_launchers(value).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(named(&[("PMI_FD", "7"), ("PALS_FD", "4"), ("HYDI_CONTROL_FD", "5")]), [4, 7]);
        assert_eq!(named(&[("PMI_FD", "undefined"), ("SLURM_PMI_FD", "-1"), ("PALS_FD", "1")]), [0; 0]);
    }

    #[test]
    fn users_name_others() {
        let named = |list: &str| of_user(Some(list.into()));
        assert_eq!(named("9, 12").unwrap(), BTreeSet::from([9, 12]));
        assert!(named("").unwrap().is_empty() && of_user(None).unwrap().is_empty());
        for wrong in ["nine", "9 12", "-1", "9;12", "99999999999"] {
            assert!(named(wrong).unwrap_err().to_string().contains(OF_USER), "{wrong}");
        }
    }

    #[test]
    fn shells_name_theirs_on_the_command_line() {
        let words = ["run", "/dev/fd/63", "--record=/proc/self/fd/5x", "dev/fd/6", "/dev/fd/", "a:/dev/fd/8:/dev/fd/9"];
        assert_eq!(on_command_line(words.into_iter().map(OsString::from)), BTreeSet::from([5, 8, 9, 63]));
    }

    #[test]
    fn what_is_open_is_listed() {
        let file = fs::File::open("/").unwrap();
        let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
        assert!(descriptors().unwrap().contains(&fd) && is_closed_by_exec(fd) && !is_inherited(fd) && !is_kept(fd));
        let opened = opened_by_library(|| fs::File::open("/").unwrap());
        assert!(is_of_library(std::os::fd::AsRawFd::as_raw_fd(&opened)) && !is_of_library(fd));
    }
}
