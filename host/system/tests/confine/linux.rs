//! The two sides of a test: the one that starts processes and judges, and the one that is confined and tries.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{env, fs, thread};

use libtest_mimic::{Arguments, Failed, Trial};
use rankine_system::confine::{self, Needs, Network};
use rankine_system::grants::{Access, Folder, Grants};

use super::attempts::{ATTEMPTS, Attempt, PARENT, Wall};

/// The first argument of a process that is to be confined.
const INSIDE: &str = "inside-the-wall";

/// Where a confined process finds things: all beneath one folder, whose name is its argument.
pub struct Place(PathBuf);

impl Place {
    /// Granted, unless nothing is.
    pub fn granted(&self) -> PathBuf {
        self.0.join("granted")
    }

    /// Beside what is granted.
    pub fn outside(&self) -> PathBuf {
        self.0.join("outside")
    }

    /// Where a library lies, for the wall of the mpi engine.
    pub fn library(&self) -> PathBuf {
        self.0.join("lib/libmpi_abi.so.1")
    }

    fn make() -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let place = Place(folder.path().canonicalize().unwrap());
        for folder in [place.granted(), place.outside(), place.0.join("lib")] {
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("file"), "a secret").unwrap();
            fs::copy("/bin/true", folder.join("program")).unwrap();
        }
        fs::write(place.library(), "").unwrap();
        std::os::unix::fs::symlink("../outside", place.granted().join("link")).unwrap();
        (folder, place)
    }
}

pub fn main() {
    // Whoever runs tests leaves descriptors open.
    rankine_system::inheritance::renounce().unwrap();
    let arguments: Vec<String> = env::args().collect();
    if let [_, inside, attempt, wall, place] = &arguments[..]
        && inside == INSIDE
    {
        let attempt = ATTEMPTS.iter().find(|known| known.name == attempt).unwrap();
        let wall = Wall::ALL.into_iter().find(|known| known.name() == wall).unwrap();
        return try_inside(attempt, wall, &Place(place.into()));
    }
    let trials = ATTEMPTS.iter().flat_map(|attempt| {
        let walls = Wall::ALL.into_iter().filter(|wall| attempt.expected(*wall).is_some());
        walls.map(move |wall| Trial::test(format!("{}/{}", wall.name(), attempt.name), move || judge(attempt, wall)))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

/// Runs one attempt in a process of its own.
fn judge(attempt: &'static Attempt, wall: Wall) -> Result<(), Failed> {
    let available = confine::available();
    if available.landlock.is_none() || !available.calls {
        return Err(format!("this kernel can't show it: {available}").into());
    }
    let (_folder, place) = Place::make();
    let output = Command::new(env::current_exe()?)
        .args([INSIDE, attempt.name, wall.name()])
        .arg(&place.0)
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("{}: {}{}", output.status, text(&output.stdout), text(&output.stderr)).into())
}

/// Puts the wall up and makes the attempt on every kind of thread; ends this process with what came of it.
#[expect(clippy::disallowed_macros, reason = "a test may end where nobody reads")]
fn try_inside(attempt: &'static Attempt, wall: Wall, place: &Place) {
    let expected = attempt.expected(wall).unwrap();
    // SAFETY: a question without conditions.
    PARENT.set(unsafe { libc::getppid() }).unwrap();
    let on_thread = |place: &Path| {
        let place = Place(place.to_path_buf());
        move || (attempt.act)(&place).err().map_or(0, |error| error.raw_os_error().unwrap_or(-1))
    };
    let (start, started) = channel::<()>();
    let (tell, told) = channel();
    let before = attempt.before.then(|| early_thread(on_thread(&place.0), started, tell));
    (attempt.prepare)(place);

    let standing = confine::up(&needs(wall, place)).unwrap();
    assert_eq!(standing.outside.len(), usize::from(attempt.before), "{standing}");

    let mut outcomes = Vec::new();
    if let Some(before) = before {
        start.send(()).unwrap();
        outcomes.push(("a thread from before", told.recv().unwrap()));
        before.join().unwrap();
    }
    outcomes.push(("a later thread", thread::spawn(on_thread(&place.0)).join().unwrap()));
    outcomes.push(("the thread itself", on_thread(&place.0)()));
    let wrong: Vec<_> = outcomes.into_iter().filter(|(_, errno)| !expected.contains(errno)).collect();
    if !wrong.is_empty() {
        println!("expected one of {expected:?}, found {wrong:?}; {standing}");
        exit(1);
    }
}

fn early_thread(
    act: impl FnOnce() -> i32 + Send + 'static,
    started: Receiver<()>,
    tell: Sender<i32>,
) -> thread::JoinHandle<()> {
    let (is_there, there) = channel();
    let thread = thread::spawn(move || {
        is_there.send(()).unwrap();
        started.recv().unwrap();
        tell.send(act()).unwrap();
    });
    there.recv().unwrap();
    thread
}

fn needs(wall: Wall, place: &Place) -> Needs {
    let granted = |access| {
        let folder = Folder { host: place.granted(), guest: "g".into(), access };
        Grants::open(&[folder]).unwrap()
    };
    let (none, library) = (Grants::default(), place.library());
    let (read_only, granted) = (granted(Access::ReadOnly), granted(Access::ReadWrite));
    match wall {
        Wall::Embedded => Needs::new(&none, None, Network::Closed),
        Wall::EmbeddedWithFolder => Needs::new(&granted, None, Network::Closed),
        Wall::EmbeddedReading => Needs::new(&read_only, None, Network::Closed),
        Wall::Starting => Needs::new(&granted, None, Network::Closed).with_code(),
        Wall::Serving => Needs::new(&none, None, Network::Answers),
        Wall::Library => Needs::new(&granted, Some(&library), Network::Closed),
        Wall::LibraryOnHosts => Needs::new(&granted, Some(&library), Network::Open),
    }
}
