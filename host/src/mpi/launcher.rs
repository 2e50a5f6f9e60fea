//! What a confined process may say to its launcher.
//!
//! A launcher starts programs for whoever asks on the descriptor that it gave the process (PMI), and it stands outside
//! of the wall. So a small process of our own stands between: it passes on what the library says, but for a request to
//! start programs. That passes only if it starts this `rankine`, confined as we are, with a module of a granted folder.
//!
//! The forms are those of PMI-1, `cmd=… \n` and `mcmd=spawn\n…endcmd\n`, and of PMI-2, six digits for the length of
//! what follows. Each request shows by its beginning which it is; what shows neither ends the connection.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Component, PathBuf};

use anyhow::{Context as _, Result};

use crate::confine::{self, Needs, Network};
use crate::grants::Grants;

/// The variable that holds the number of the launcher's descriptor.
const DESCRIPTOR: &str = "PMI_FD";
/// The longest request: the arguments of a command are at most half of that.
const LONGEST: usize = 4 << 20;

/// A launcher's words for a request that failed, in both forms.
const REFUSAL: &[u8] = b"cmd=spawn_result rc=1\n";
const FRAMED_REFUSAL: &[u8] = b"    24cmd=spawn-response;rc=1;";

/// What may be started.
pub(super) struct Permit {
    /// This program.
    pub(super) rankine: PathBuf,
    /// How its command line begins: up to the module's digest, which may be any, `--`, and the module.
    pub(super) words: Vec<OsString>,
    /// Where modules lie.
    pub(super) folders: Vec<PathBuf>,
}

/// Puts the filter between this process and its launcher, if it has one that speaks PMI. To be called before any thread
/// is started.
pub(super) fn stand_between(permit: Option<Permit>) -> Result<()> {
    let Some(theirs) = env::var(DESCRIPTOR).ok().and_then(|number| number.parse::<RawFd>().ok()) else {
        return Ok(());
    };
    let (inner, outer) = UnixStream::pair()?;
    // SAFETY: the process has one thread, so its child finds no lock taken.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()).context("can't start the process that stands before the launcher"),
        0 => {
            drop(inner);
            // SAFETY: the launcher's descriptor, which nothing else in this process uses.
            let launcher = unsafe { File::from_raw_fd(theirs) };
            // As a file: it reads and writes by calls that are left to a process without sockets.
            let outer = File::from(OwnedFd::from(outer));
            let outcome = keep_only(&[launcher.as_raw_fd(), outer.as_raw_fd()])
                .map_err(Into::into)
                .and_then(|()| confine::up(&Needs::new(&Grants::default(), None, Network::Closed)))
                .and_then(|_| relay(Filter::new(permit), launcher, outer));
            if let Err(error) = &outcome {
                eprintln!("rankine: between the MPI library and its launcher: {error:#}");
            }
            // SAFETY: ends this process alone, without what its parent would do at its end.
            unsafe { libc::_exit(i32::from(outcome.is_err())) }
        }
        _ => {
            // SAFETY: the launcher's descriptor becomes ours, under the number that the library was told.
            match unsafe { libc::dup2(inner.as_raw_fd(), theirs) } {
                -1 => Err(io::Error::last_os_error()).context(DESCRIPTOR),
                _ => Ok(()),
            }
        }
    }
}

/// Closes every descriptor but these and that of errors: others wait for the end of what they read.
fn keep_only(kept: &[RawFd]) -> io::Result<()> {
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

fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    // SAFETY: the objects that own these descriptors are never dropped: this process ends without that.
    match unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Passes on what both sides say, until one of them has gone.
fn relay(mut filter: Filter, launcher: File, library: File) -> Result<()> {
    let (mut launcher, mut library) = (ManuallyDrop::new(launcher), ManuallyDrop::new(library));
    let mut bytes = vec![0; 64 << 10];
    let waits = |fd: RawFd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    loop {
        let mut sides = [waits(library.as_raw_fd()), waits(launcher.as_raw_fd())];
        // SAFETY: two valid elements.
        if unsafe { libc::poll(sides.as_mut_ptr(), 2, -1) } < 0 {
            continue;
        }
        if sides[1].revents != 0 {
            match launcher.read(&mut bytes)? {
                0 => return Ok(()),
                count => library.write_all(&bytes[..count])?,
            }
        }
        if sides[0].revents != 0 {
            match library.read(&mut bytes) {
                Ok(0) => return Ok(()),
                // The process was ended with something unread.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(()),
                count => filter.take(&bytes[..count?])?,
            }
            launcher.write_all(&std::mem::take(&mut filter.passed))?;
            library.write_all(&std::mem::take(&mut filter.answered))?;
        }
    }
}

/// Takes apart what the library says.
#[derive(Default)]
struct Filter {
    permit: Option<Permit>,
    /// The beginning of a request that is not whole yet.
    pending: Vec<u8>,
    /// For the launcher.
    passed: Vec<u8>,
    /// For the library, in the launcher's place.
    answered: Vec<u8>,
    /// A part of the request to start several commands was refused.
    refusing: bool,
    /// The first request asked for PMI-2: such requests may follow.
    is_second: Option<bool>,
}

impl Filter {
    fn new(permit: Option<Permit>) -> Filter {
        Filter { permit, ..Filter::default() }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        while let Some(length) = length(&self.pending)? {
            let rest = self.pending.split_off(length);
            let request = std::mem::replace(&mut self.pending, rest);
            let says_second = || request.windows(13).any(|part| part == b"pmi_version=2");
            let is_second = *self.is_second.get_or_insert_with(says_second);
            anyhow::ensure!(is_second || has_name_first(&request), "a request has the form of another version of PMI");
            self.decide(&request, is_second);
        }
        anyhow::ensure!(self.pending.len() <= LONGEST, "a request is longer than {LONGEST} bytes");
        Ok(())
    }

    fn decide(&mut self, request: &[u8], is_second: bool) {
        let has = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
        if !has(name(request), b"spawn") && !(is_second && has(request, b"cmd=spawn")) {
            return self.passed.extend_from_slice(request);
        }
        let fields = fields(request);
        let is_last = fields.as_ref().is_none_or(|fields| fields.get("spawnssofar") == fields.get("totspawns"));
        if !self.refusing && self.permit.as_ref().is_some_and(|permit| permit.allows(request, fields.as_ref())) {
            return self.passed.extend_from_slice(request);
        }
        if !std::mem::replace(&mut self.refusing, !is_last) {
            eprintln!(
                "rankine: the MPI library asked its launcher to start what was not granted; it was not passed on"
            );
        }
        if is_last {
            let is_framed = !has_name_first(request);
            self.answered.extend_from_slice(if is_framed { FRAMED_REFUSAL } else { REFUSAL });
        }
    }
}

impl Permit {
    fn allows(&self, request: &[u8], fields: Option<&HashMap<&str, &[u8]>>) -> bool {
        // The form of PMI-2: who may start processes at all may start these.
        let Some(fields) = fields else { return !request.starts_with(b"mcmd=") };
        let is_known = |(key, value): (&&str, &&[u8])| match key.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "mcmd" | "nprocs" | "execname" | "totspawns" | "spawnssofar" | "argcnt" | "arg" => true,
            "preput_num" | "preput_key_" | "preput_val_" | "info_num" | "info_val_" => true,
            "info_key_" => **value == *b"soft",
            _ => false,
        };
        let argument = |index: usize| fields.get(format!("arg{}", index + 1).as_str()).copied();
        let is_ours = |(index, word): (usize, &OsString)| argument(index) == Some(word.as_bytes());
        let digest = argument(self.words.len()).is_some_and(|digest| digest.iter().all(u8::is_ascii_hexdigit));
        let ends = argument(self.words.len() + 1) == Some(b"--");
        let module = argument(self.words.len() + 2).map(|bytes| PathBuf::from(OsStr::from_bytes(bytes)));
        fields.iter().all(is_known)
            && fields.get("execname").copied() == Some(self.rankine.as_os_str().as_bytes())
            && self.words.iter().enumerate().all(is_ours)
            && digest
            && ends
            && module.is_some_and(|module| {
                let is_plain = module.components().all(|part| part != Component::ParentDir);
                is_plain && self.folders.iter().any(|folder| module.starts_with(folder))
            })
    }
}

/// The length of the first request, once it is whole.
fn length(bytes: &[u8]) -> Result<Option<usize>> {
    let after = |end: &[u8]| bytes.windows(end.len()).position(|part| part == end).map(|at| at + end.len());
    let is_form = |form: &[u8]| bytes.iter().zip(form).all(|(byte, of_form)| byte == of_form);
    if is_form(b"cmd=") {
        return Ok(after(b"\n"));
    }
    if is_form(b"mcmd=") {
        return Ok(after(b"\nendcmd\n"));
    }
    let Some(digits) = bytes.get(..6) else { return Ok(None) };
    let digits = str::from_utf8(digits).ok().and_then(|digits| digits.trim().parse::<usize>().ok());
    let whole = 6 + digits.context("the MPI library says what is no request of PMI")?;
    Ok((bytes.len() >= whole).then_some(whole))
}

/// The forms of PMI-1.
fn has_name_first(request: &[u8]) -> bool {
    request.starts_with(b"cmd=") || request.starts_with(b"mcmd=")
}

/// What is asked for: the word after the first `cmd=`.
fn name(request: &[u8]) -> &[u8] {
    let at = request.windows(4).position(|part| part == b"cmd=").map_or(0, |at| at + 4);
    let end = request[at..].iter().position(|byte| b" \n;".contains(byte)).unwrap_or(request.len() - at);
    &request[at..at + end]
}

/// The lines of a request of several, each a key and a value, no key twice; nothing for other forms.
fn fields(request: &[u8]) -> Option<HashMap<&str, &[u8]>> {
    let lines = request.strip_prefix(b"mcmd=").and(request.strip_suffix(b"\nendcmd\n"))?;
    let mut fields = HashMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let at = line.iter().position(|byte| *byte == b'=')?;
        if fields.insert(str::from_utf8(&line[..at]).ok()?, &line[at + 1..]).is_some() {
            return None;
        }
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAWN: &str = "mcmd=spawn\nnprocs=2\nexecname=/bin/rankine\ntotspawns=1\nspawnssofar=1\nargcnt=6\narg1=run\n\
        arg2=--digest\narg3=ab12\narg4=--\narg5=/data/a.wasm\narg6=x y\npreput_num=1\npreput_key_0=PORT\npreput_val_0=tag#0\ninfo_num=1\n\
        info_key_0=soft\ninfo_val_0=1:2\nendcmd\n";
    const REFUSED: &str = "cmd=spawn_result rc=1\n";

    fn permit() -> Option<Permit> {
        let words = ["run", "--digest"].map(OsString::from).to_vec();
        Some(Permit { rankine: "/bin/rankine".into(), words, folders: vec!["/data".into()] })
    }

    /// What reaches the launcher, and what the library is answered.
    fn said(permit: Option<Permit>, text: &str) -> (String, String) {
        let mut filter = Filter::new(permit);
        // In pieces, as sockets have them.
        text.as_bytes().chunks(7).for_each(|piece| filter.take(piece).unwrap());
        (String::from_utf8(filter.passed).unwrap(), String::from_utf8(filter.answered).unwrap())
    }

    #[test]
    fn ordinary_requests_pass() {
        let first =
            "cmd=init pmi_version=1 pmi_subversion=1\ncmd=put kvsname=k key=spawn value=mcmd=spawn\ncmd=barrier_in\n";
        let second = "cmd=init pmi_version=2 pmi_subversion=0\n    20cmd=fullinit;rank=0;    12cmd=finalize";
        for text in [first, second] {
            assert_eq!(said(None, text), (text.into(), String::new()));
        }
    }

    #[test]
    fn programs_are_started_only_as_granted() {
        assert_eq!(said(permit(), SPAWN), (SPAWN.into(), String::new()));
        assert_eq!(said(None, SPAWN), (String::new(), REFUSED.into()));
        for (from, to) in [
            ("/bin/rankine", "/bin/sh"),
            ("arg1=run", "arg1=-c"),
            ("arg2=--digest", "arg2=--no-confine"),
            ("arg3=ab12", "arg3=--no-confine"),
            ("arg4=--", "arg4=ab"),
            ("/data/a.wasm", "/etc/a.wasm"),
            ("/data/a.wasm", "/database/a.wasm"),
            ("/data/a.wasm", "/data/../etc/a.wasm"),
            ("info_key_0=soft", "info_key_0=wdir"),
            ("nprocs=2", "nprocs=2\nexecname=/bin/sh"),
            ("nprocs=2", "nprocs=2\nenv=x"),
            ("nprocs=2", "nprocs"),
        ] {
            assert_eq!(said(permit(), &SPAWN.replace(from, to)), (String::new(), REFUSED.into()), "{to}");
        }
    }

    #[test]
    fn a_command_behind_a_newline_is_a_request_of_its_own() {
        let text = format!("cmd=publish_name service=x port=y\n{}cmd=publish_name service=z port=p\n", SPAWN);
        let passed = "cmd=publish_name service=x port=y\ncmd=publish_name service=z port=p\n";
        assert_eq!(said(None, &text), (passed.into(), REFUSED.into()));
        assert_eq!(said(None, "cmd=spawn execname=/bin/sh\n"), (String::new(), REFUSED.into()));
        let second = "cmd=init pmi_version=2 pmi_subversion=0\n";
        assert_eq!(said(None, &format!("{second}    25cmd=spawn;subcmd=/bin/sh;")).0, second);
    }

    #[test]
    fn several_commands_are_refused_as_one() {
        let first = SPAWN.replace("totspawns=1", "totspawns=2");
        let second = first.replace("spawnssofar=1", "spawnssofar=2");
        assert_eq!(said(None, &format!("{first}{second}")), (String::new(), REFUSED.into()));
        let bad = first.replace("/bin/rankine", "/bin/sh");
        assert_eq!(
            said(permit(), &format!("{bad}{second}cmd=barrier_in\n")),
            ("cmd=barrier_in\n".into(), REFUSED.into())
        );
    }

    #[test]
    fn what_is_no_request_ends_the_connection() {
        assert!(Filter::new(None).take(b"execname=/bin/sh\n").is_err());
        assert!(Filter::new(None).take(b"\nmcmd=spawn\n").is_err());
        let other = b"cmd=init pmi_version=1 pmi_subversion=1\n    25cmd=spawn;subcmd=/bin/sh;";
        assert!(Filter::new(permit()).take(other).is_err());
    }
}
