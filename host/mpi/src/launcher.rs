//! What a confined process may say to its launcher.
//!
//! A launcher starts programs for whoever asks on the descriptor that it gave the process (PMI), and it stands outside
//! of the wall. So a small process of our own stands between: it passes on what the library says, but for a request to
//! start programs. That passes only if it starts this `rankine`, confined as we are, with a module of a granted folder.
//!
//! The forms are those of PMI-1, `cmd=… \n` and `mcmd=spawn\n…endcmd\n`, and of PMI-2, six digits for the length of
//! what follows. Each request shows by its beginning which it is. What a launcher could read in another way than it is
//! read here ends the connection, or is refused if it is to start something: launchers differ in where they see an end,
//! whether they go by the numbers of arguments or by their order, and what they take for an escape.

mod room;

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use rankine_system::confine::{Needs, Network};
use rankine_system::grants::Grants;
use rankine_system::{confine, helper, inheritance, tell};
use room::Replies;

/// The variable that holds the number of the launcher's descriptor.
const DESCRIPTOR: &str = "PMI_FD";
/// The longest request: the arguments of a command are at most half of that.
const LONGEST: usize = 4 << 20;

/// The most lines of a request for which MPICH's launcher has room.
const MOST_LINES: usize = 990;

/// A launcher's words for a request that failed, in both forms.
const REFUSAL: &[u8] = b"cmd=spawn_result rc=1\n";
const FRAMED_REFUSAL: &[u8] = b"    24cmd=spawn-response;rc=1;";

/// What may be started.
pub struct Permit {
    /// This program.
    pub rankine: PathBuf,
    /// How its command line begins: up to the module's digest, which may be any, `--`, and the module.
    pub words: Vec<OsString>,
    /// Where modules lie.
    pub folders: Vec<PathBuf>,
}

/// Puts the filter between this process and its launcher, if it has one that speaks PMI. Call it before any thread is
/// started.
pub fn stand_between(permit: Option<Permit>) -> Result<()> {
    let Some(theirs) = env::var(DESCRIPTOR).ok().and_then(|number| number.parse::<RawFd>().ok()) else {
        return Ok(());
    };
    ensure!(
        inheritance::is_kept(theirs),
        "{DESCRIPTOR} is {theirs}, by which the MPI library would speak to its launcher, and that descriptor is not open: whatever \
         has started this process closed it"
    );
    // SAFETY: the launcher's descriptor, which is open and which nothing else in this process uses.
    let launcher = unsafe { BorrowedFd::borrow_raw(theirs) };
    let inner = helper::start("between the MPI library and its launcher", &[launcher], |outer| {
        confine::up(&Needs::new(&Grants::default(), None, Network::Closed))?;
        // SAFETY: the helper has a copy of the launcher's descriptor, which is open as long as the helper runs.
        relay((Filter::new(permit), Replies::of_launcher()), unsafe { File::from_raw_fd(theirs) }, outer)
    })?;
    // SAFETY: the launcher's descriptor becomes ours, under the number that the library was told.
    match unsafe { libc::dup2(inner.as_raw_fd(), theirs) } {
        -1 => Err(io::Error::last_os_error()).context(DESCRIPTOR),
        _ => Ok(()),
    }
}

/// Passes on what both sides say, until one of them has gone.
fn relay((mut filter, mut replies): (Filter, Replies), launcher: File, library: File) -> Result<()> {
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
                count => library.write_all(&replies.take(&bytes[..count]))?,
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
    /// What asks for the commands of one call, up to the last of them.
    held: Vec<u8>,
    /// How many that are, and whether one of them is not permitted.
    asked: u32,
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
            self.decide(&request)?;
        }
        let length = self.pending.len() + self.held.len();
        ensure!(length <= LONGEST, "a request is longer than {LONGEST} bytes");
        Ok(())
    }

    fn decide(&mut self, request: &[u8]) -> Result<()> {
        ensure!(!request.contains(&0), "a request has a zero byte");
        let is_second = *self
            .is_second
            .get_or_insert_with(|| request.starts_with(b"cmd=init ") && has(request, b" pmi_version=2 "));
        if request.starts_with(b"mcmd=") {
            ensure!(request.starts_with(b"mcmd=spawn\n"), "a request of several lines that does not start programs");
            self.decide_spawn(request)?;
        } else if let Some(rest) = request.strip_prefix(b"cmd=") {
            let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
            let end = rest.iter().position(|byte| !is_of_name(byte)).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            let is_clear = !name.is_empty() && b" \n".contains(&rest[0]) && !has(rest, b" cmd=");
            ensure!(is_clear, "it is not clear what a request asks for");
            if has(name, b"spawn") { self.refuse(REFUSAL) } else { self.passed.extend_from_slice(request) }
        } else {
            ensure!(is_second, "a request has the form of another version of PMI");
            // What it would start is not looked into.
            if has(request, b"cmd=spawn") {
                self.refuse(FRAMED_REFUSAL);
            } else {
                self.passed.extend_from_slice(request);
            }
        }
        Ok(())
    }

    fn decide_spawn(&mut self, request: &[u8]) -> Result<()> {
        let spawn = Spawn::of(request).context("it is not clear what a request to start programs would start")?;
        self.asked += 1;
        ensure!(spawn.so_far == self.asked, "requests to start programs are not in their order");
        self.held.extend_from_slice(request);
        self.refusing |= !self.permit.as_ref().is_some_and(|permit| permit.allows(&spawn));
        if spawn.so_far < spawn.total {
            return Ok(());
        }
        self.asked = 0;
        let held = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.refusing) {
            self.refuse(REFUSAL)
        } else {
            self.passed.extend(held)
        }
        Ok(())
    }

    fn refuse(&mut self, answer: &[u8]) {
        tell!("rankine: the MPI library asked its launcher to start what was not granted; the request was refused");
        self.answered.extend_from_slice(answer);
    }
}

/// A request to start processes of one command.
struct Spawn<'r> {
    program: &'r [u8],
    arguments: Vec<&'r [u8]>,
    /// Its number among the commands of the same call, and how many these are.
    so_far: u32,
    total: u32,
}

impl<'r> Spawn<'r> {
    /// Nothing if launchers could read it in several ways, or it says more than it needs to.
    fn of(request: &'r [u8]) -> Option<Spawn<'r>> {
        let lines = request.strip_prefix(b"mcmd=spawn\n")?.strip_suffix(b"\nendcmd\n")?;
        let number = |value: &[u8]| str::from_utf8(value).ok()?.parse::<u32>().ok();
        let (mut known, mut program, mut arguments) = (HashSet::new(), None, Vec::new());
        let (mut total, mut so_far) = (None, None);
        // What is said of the lengths of lists, and what they have.
        let (mut counts, mut lists) = ([0; 3], [0; 5]);
        for line in lines.split(|byte| *byte == b'\n') {
            let at = line.iter().position(|byte| *byte == b'=')?;
            let (key, value) = (str::from_utf8(&line[..at]).ok()?, &line[at + 1..]);
            let (word, index) = key.split_at(key.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            // A `\` escapes. What has no value makes the next key its own.
            if value.is_empty() || value.contains(&b'\\') || !known.insert(key) {
                return None;
            }
            match (word, index) {
                ("execname", "") => program = Some(value),
                ("totspawns", "") => total = number(value),
                ("spawnssofar", "") => so_far = number(value),
                ("nprocs", "") if number(value).is_some() => {}
                ("argcnt", "") => counts[0] = number(value)?,
                ("preput_num", "") => counts[1] = number(value)?,
                ("info_num", "") => counts[2] = number(value)?,
                ("arg", index) if index == (arguments.len() + 1).to_string() => {
                    arguments.push(value);
                    lists[0] += 1;
                }
                ("preput_key_", _) => lists[1] += 1,
                ("preput_val_", _) => lists[2] += 1,
                ("info_key_", _) if value == b"soft" => lists[3] += 1,
                ("info_val_", _) => lists[4] += 1,
                _ => return None,
            }
        }
        // Launchers that go by these numbers take the rest for another command's, or have no room for it.
        let [words, preputs, infos] = counts;
        let is_whole = lists == [words, preputs, preputs, infos, infos] && known.len() <= MOST_LINES;
        is_whole.then_some(Spawn { program: program?, arguments, so_far: so_far?, total: total? })
    }
}

impl Permit {
    fn allows(&self, spawn: &Spawn<'_>) -> bool {
        let (ours, rest) = spawn.arguments.split_at(self.words.len().min(spawn.arguments.len()));
        let [digest, b"--", module, ..] = rest else { return false };
        let module = Path::new(OsStr::from_bytes(module));
        spawn.program == self.rankine.as_os_str().as_bytes()
            && ours.iter().copied().eq(self.words.iter().map(|word| word.as_bytes()))
            && digest.iter().all(u8::is_ascii_hexdigit)
            && module.components().all(|part| part != Component::ParentDir)
            && self.folders.iter().any(|folder| module.starts_with(folder))
    }
}

fn has(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// The length of the first request, once it is whole.
fn length(bytes: &[u8]) -> Result<Option<usize>> {
    let after = |end: &[u8]| bytes.windows(end.len()).position(|part| part == end).map(|at| at + end.len());
    let is_form = |form: &[u8]| bytes.iter().zip(form).all(|(byte, of_form)| byte == of_form);
    if is_form(b"cmd=") {
        return Ok(after(b"\n"));
    }
    if is_form(b"mcmd=") {
        return Ok(after(b"endcmd\n"));
    }
    let Some(digits) = bytes.get(..6) else { return Ok(None) };
    let digits = str::from_utf8(digits).ok().and_then(|digits| digits.trim().parse::<usize>().ok());
    let whole = 6 + digits.context("what the MPI library says is not a request of PMI")?;
    Ok((bytes.len() >= whole).then_some(whole))
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

    /// What reaches the launcher, what the library is answered, and whether the connection stands.
    fn outcome(permit: Option<Permit>, text: &str) -> (String, String, bool) {
        let mut filter = Filter::new(permit);
        // In pieces, as sockets have them.
        let stands = text.as_bytes().chunks(7).all(|piece| filter.take(piece).is_ok());
        (String::from_utf8(filter.passed).unwrap(), String::from_utf8(filter.answered).unwrap(), stands)
    }

    fn said(permit: Option<Permit>, text: &str) -> (String, String) {
        let (passed, answered, stands) = outcome(permit, text);
        assert!(stands, "{text}");
        (passed, answered)
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
            ("nprocs=2", "nprocs=2\nnprocs"),
            ("nprocs=2", "nprocs=2 execname=/bin/sh"),
            // Launchers read these in different ways.
            ("/data/a.wasm", r"/data/.\./etc/a.wasm"),
            ("arg1=run\narg2=--digest", "arg2=--digest\narg1=run"),
            ("arg1=run", "arg01=run"),
            ("arg6=x y", "arg7=x y"),
            ("argcnt=6", "argcnt=5"),
            ("argcnt=6\n", ""),
            ("preput_num=1", "preput_num=0"),
            ("info_num=1", "info_num=2"),
            ("info_num=1", "info_num=1\ninfo_key_1=soft"),
            ("nprocs=2", "nprocs=x"),
            ("argcnt=6", "argcnt= 6"),
            ("execname=", "execname0="),
            ("execname=/bin/rankine", "execname="),
            ("mcmd=spawn\n", "mcmd=spawn\nmcmd=spawn\n"),
            ("x y", ""),
        ] {
            let (passed, answered, stands) = outcome(permit(), &SPAWN.replace(from, to));
            assert!(passed.is_empty() && (answered == REFUSED || !stands), "{to}");
        }
    }

    #[test]
    fn a_command_behind_a_newline_is_a_request_of_its_own() {
        let text = format!("cmd=publish_name service=x port=y\n{}cmd=publish_name service=z port=p\n", SPAWN);
        let passed = "cmd=publish_name service=x port=y\ncmd=publish_name service=z port=p\n";
        assert_eq!(said(None, &text), (passed.into(), REFUSED.into()));
        assert_eq!(said(None, "cmd=spawn execname=/bin/sh\n"), (String::new(), REFUSED.into()));
        let second = "cmd=init pmi_version=2 pmi_subversion=0\n";
        for permit in [None, permit()] {
            let (passed, answered) = said(permit, &format!("{second}    25cmd=spawn;subcmd=/bin/sh;"));
            assert_eq!((passed.as_str(), answered.as_bytes()), (second, FRAMED_REFUSAL));
        }
    }

    /// Many launchers see the end of a request wherever `endcmd` ends a line.
    #[test]
    fn the_first_end_is_the_end() {
        let shell = SPAWN.replace("/bin/rankine", "/bin/sh");
        let text = SPAWN.replace("arg6=x y\n", &format!("arg6=x endcmd\n{shell}"));
        let mut filter = Filter::new(permit());
        assert!(filter.take(text.as_bytes()).is_err());
        assert!(filter.passed.is_empty());
        let hidden = format!("mcmd=put\nx=endcmd\n{shell}");
        assert!(Filter::new(permit()).take(hidden.as_bytes()).is_err());
    }

    #[test]
    fn several_commands_are_refused_as_one() {
        let first = SPAWN.replace("totspawns=1", "totspawns=2");
        let second = first.replace("spawnssofar=1", "spawnssofar=2");
        let both = format!("{first}{second}");
        assert_eq!(said(permit(), &both), (both.clone(), String::new()));
        assert_eq!(said(None, &both), (String::new(), REFUSED.into()));
        for (first, second) in [
            (first.replace("/bin/rankine", "/bin/sh"), second.clone()),
            (first.clone(), second.replace("/bin/rankine", "/bin/sh")),
            // The second command would begin with the last arguments of the first.
            (first.replace("argcnt=6", "argcnt=5"), second.clone()),
            (second.clone(), first.clone()),
            (first.clone(), first.clone()),
            (first.replace("totspawns=2", "totspawns=+2"), second.replace("execname=/bin/", "execname=/")),
        ] {
            let (passed, answered, stands) = outcome(permit(), &format!("{first}{second}cmd=barrier_in\n"));
            assert!(!passed.contains("spawn"), "{passed}");
            assert!((answered == REFUSED && passed == "cmd=barrier_in\n") || !stands, "{answered}");
        }
    }

    #[test]
    fn what_is_no_request_ends_the_connection() {
        assert!(Filter::new(None).take(b"execname=/bin/sh\n").is_err());
        assert!(Filter::new(None).take(b"\nmcmd=spawn\n").is_err());
        for text in [
            r"cmd=sp\awn execname=/bin/sh",
            "cmd=put cmd=spawn execname=/bin/sh",
            "cmd=",
            "cmd=put=spawn",
            "cmd=put;cmd=spawn",
            "cmd=put\tcmd=spawn",
            "cmd=put\0cmd=spawn",
            "cmd=put key=x\0",
            "mcmd=put\nkey=spawn\nendcmd",
            "mcmd= spawn\nendcmd",
        ] {
            let mut filter = Filter::new(permit());
            assert!(filter.take(format!("{text}\n").as_bytes()).is_err(), "{text}");
            assert!(filter.passed.is_empty(), "{text}");
        }
        let endless = vec![b'x'; LONGEST + 1];
        assert!(Filter::new(permit()).take(&[b"cmd=put value=", &endless[..]].concat()).is_err());
        assert!(Filter::new(permit()).take(&[b"mcmd=spawn\n", &endless[..]].concat()).is_err());
        let other = b"cmd=init pmi_version=1 pmi_subversion=1\n    25cmd=spawn;subcmd=/bin/sh;";
        assert!(Filter::new(permit()).take(other).is_err());
    }
}
