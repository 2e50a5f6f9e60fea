//! What becomes of a job of the engine nodes that loses a part of itself, at whatever moment: a process, a proxy, the launcher, the
//! link, the room on a disk.
//!
//! Moments are drawn from a seed (`RANKINE_SEED`, or a fixed one) over the whole of a job that takes a second or two. An ordinary run of
//! the tests tries a few of them, `just moments` twenty of each kind.

use crate::failure::end_of;
use crate::namespaces::{HOSTS, Namespaces, script};
use crate::{ALL_FOUR, LIMIT, Site};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often each is tried by `just moments`.
const MANY: u32 = 20;

/// What is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// The process of a node: its ranks.
    Process(usize),
    /// The launcher's helper on a node.
    Proxy(usize),
    Launcher,
    /// The link between the nodes, for so long or for ever.
    Link(Option<Duration>),
    /// The room in all folders that the second node writes to without being asked.
    Room,
}

/// The library's way between the nodes, as `--grid` chooses it where there is TCP alone.
const NETWORK: [(&str, &str); 2] = [("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", "tcp;ofi_rxm")];

/// The line of a job whose ranks run.
const RUNS: &str = "running";
/// What the first node says of the second.
const GONE: &str =
    "rankine: node 1 (ranks 2 and 3) is gone, and the job can't go on without it: node 1 has fallen silent for 10 s";

/// The kinds, by name, and how often each is tried without being asked for more.
const KINDS: [(&str, &[Loss], u32); 5] = [
    ("a_process", &[Loss::Process(0), Loss::Process(1)], 2),
    ("the_launcher", &[Loss::Launcher, Loss::Proxy(0), Loss::Proxy(1)], 2),
    ("the_link", &[Loss::Link(None)], 1),
    ("the_link_for_a_while", &[Loss::Link(Some(Duration::from_secs(20)))], 0),
    ("room", &[Loss::Room], 2),
];

/// A few moments of each kind, and many of those that are ignored unless they are asked for.
pub fn trials(site: &Arc<Site>, missing: Option<&'static str>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, losses, few) in KINDS {
        for (times, suffix) in [(few, ""), (MANY, " (just moments)")].into_iter().filter(|(times, _)| *times > 0) {
            let site = site.clone();
            let reason = missing.map_or_else(String::new, |reason| format!(" ({reason})"));
            let name = format!("hosts/loss/{name}{suffix}{reason}");
            let trial = Trial::test(name, move || at_moments(&site, losses, times));
            trials.push(trial.with_ignored_flag(missing.is_some() || times == MANY));
        }
    }
    trials
}

/// One kind of loss at so many moments. What was seen is said at the end of each.
fn at_moments(site: &Site, losses: &[Loss], times: u32) -> Result<(), Failed> {
    let seed = std::env::var("RANKINE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let hosts = Namespaces::new(&site.folder())?;
    let whole = undisturbed(site, &hosts, losses)?;
    for &loss in losses {
        let mut drawn = Drawn(seed);
        for time in 0..times {
            let moment = whole.mul_f64(drawn.next());
            let seen = Job::start(site, &hosts, loss)?.lose(loss, moment);
            hosts.set_link(true)?;
            hosts.await_link()?;
            let what = format!("{loss:?}, moment {time} of seed {seed}, after {moment:?} of {whole:?}");
            println!("{what}: {}", seen.map_err(|why| format!("{what}: {}", why.message().unwrap_or_default()))?);
        }
    }
    Ok(())
}

/// How long a job takes that loses nothing, once its code has been made. While it runs all is there that could be lost.
fn undisturbed(site: &Site, hosts: &Namespaces, losses: &[Loss]) -> Result<Duration, Failed> {
    let mut took = Duration::ZERO;
    for _ in 0..2 {
        let mut job = Job::start(site, hosts, Loss::Launcher)?;
        let begin = Instant::now();
        job.await_ranks()?;
        for &loss in losses {
            job.victim(loss)?.ok_or_else(|| format!("{loss:?} finds nobody to lose"))?;
        }
        match (end_of(&mut job.child, hosts, "nobody")?, job.is_whole()) {
            (0, true) => took = begin.elapsed(),
            (status, _) => return Err(format!("status {status} of a job that has lost nothing\n{}", job.said()).into()),
        }
    }
    Ok(took)
}

/// Numbers from 0 to 1 (splitmix64).
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A job of two ranks on each of two nodes.
struct Job<'h> {
    hosts: &'h Namespaces,
    child: Child,
    output: PathBuf,
    errors: PathBuf,
}

impl<'h> Job<'h> {
    fn start(site: &Site, hosts: &'h Namespaces, loss: Loss) -> Result<Job<'h>, Failed> {
        let file = |name: &str| site.folder().join(format!("{name}-{}.txt", std::process::id()));
        let (output, errors) = (file("output"), file("errors"));
        let ssh = if loss == Loss::Room { with_little_room(site, hosts)? } else { hosts.ssh.clone() };
        // A link that is lost for ever ends the job, however long that would go on.
        let seconds = if matches!(loss, Loss::Link(_)) { "100000" } else { "1" };
        let list = HOSTS.map(|host| format!("{host}:2")).join(",");
        let mut command = hosts.on_first(&site.places.rankine);
        command.args(["run", "--engine", "nodes", "--hosts", &list, "--ssh"]).arg(ssh);
        command.arg(site.guest()?).args(["for", seconds]);
        command.envs(NETWORK);
        command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec"));
        command.env("RANKINE_MPI_LIB", site.library());
        command.stdin(Stdio::null()).stdout(File::create(&output)?).stderr(File::create(&errors)?);
        Ok(Job { hosts, child: command.spawn()?, output, errors })
    }

    /// Loses it, so long after the start; what came of that, in a word, if it is what has to.
    fn lose(mut self, loss: Loss, after: Duration) -> Result<&'static str, Failed> {
        if matches!(loss, Loss::Link(_)) {
            // Before that a launcher waits for ever.
            self.await_ranks()?;
        }
        sleep(after);
        let had_begun = self.runs();
        let shared = self.shared()?;
        let is_lost = match loss {
            Loss::Link(down) => {
                self.hosts.set_link(false)?;
                if let Some(down) = down {
                    sleep(down);
                    self.hosts.set_link(true)?;
                }
                true
            }
            Loss::Room => self.fill()?,
            _ => self.kill(loss)?,
        };
        let status = end_of(&mut self.child, self.hosts, &format!("{loss:?}"))?;
        let left: Vec<&PathBuf> = shared.iter().filter(|path| fs::remove_file(path).is_ok()).collect();
        let fail = |what: &str| Err(format!("{what}: status {status}\n{}", self.said()).into());
        if had_begun && !left.is_empty() {
            return fail(&format!("{left:?} were left behind"));
        }
        match (status, self.is_whole()) {
            (0, true) if loss == Loss::Room => Ok("it went on to its end"),
            (0, true) if !is_lost || !had_begun || !matches!(loss, Loss::Link(_)) => Ok("it had come to its end"),
            (0, _) => fail("it ended well without having done all"),
            (_, true) => Ok("it had come to its end, and failed to say so"),
            _ if !self.names(loss, had_begun) => fail("what was lost is not named"),
            _ if !had_begun => Ok("it ended before its ranks had begun"),
            _ => Ok("it was ended"),
        }
    }

    fn await_ranks(&mut self) -> Result<(), Failed> {
        let end = Instant::now() + LIMIT;
        while !self.runs() {
            if self.child.try_wait()?.is_some() || Instant::now() > end {
                let status = end_of(&mut self.child, self.hosts, "nobody")?;
                return Err(format!("its ranks never ran: status {status}\n{}", self.said()).into());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Kills a process of the job as soon as it is there; false if there is none any more.
    fn kill(&mut self, loss: Loss) -> Result<bool, Failed> {
        let end = Instant::now() + LIMIT;
        while self.child.try_wait()?.is_none() && Instant::now() < end {
            if let Some(process) = self.victim(loss)? {
                // SAFETY: a plain system call; it is a process in a namespace of this test's own.
                unsafe { libc::kill(process, libc::SIGKILL) };
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The process to kill, if it is there.
    fn victim(&self, loss: Loss) -> Result<Option<i32>, Failed> {
        let (host, is_it): (usize, fn(&Path) -> bool) = match loss {
            Loss::Process(host) => (host, is_of_ranks),
            // Hydra waits for ever for one that ends before it has reached the launcher, which it has when it starts something.
            Loss::Proxy(host) => (host, |process| begins(process, "hydra_pmi_proxy") && has_children(process)),
            Loss::Launcher => (0, |process| begins(process, "mpiexec")),
            Loss::Link(_) | Loss::Room => (1, is_of_ranks),
        };
        let mut processes = self.hosts.processes_on(host)?.into_iter();
        Ok(processes.find(|process| is_it(Path::new(&format!("/proc/{process}")))))
    }

    /// Fills the folders that were given little room, as soon as somebody is there who has them.
    fn fill(&mut self) -> Result<bool, Failed> {
        let end = Instant::now() + LIMIT;
        while self.child.try_wait()?.is_none() && Instant::now() < end {
            let Some(process) = self.victim(Loss::Room)? else { continue };
            let fill = format!("mountpoint -q {LITTLE} || exit 3; cat /dev/zero > {LITTLE}/filled");
            let mut command = Command::new("nsenter");
            command.args(["-m", "-t", &process.to_string(), "sh", "-c", &fill]).stderr(Stdio::null());
            // It has ended meanwhile, perhaps.
            match command.status()?.code() {
                Some(3) => return Err("the second node has as much room as the first".into()),
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Files in memory that processes of the job share by a name.
    fn shared(&self) -> Result<BTreeSet<PathBuf>, Failed> {
        let mut found = BTreeSet::new();
        for process in self.hosts.processes()? {
            let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
            let files = maps.lines().filter_map(|line| Some(&line[line.find("/dev/shm/")?..]));
            found.extend(files.filter(|file| !file.ends_with(" (deleted)")).map(PathBuf::from));
        }
        Ok(found)
    }

    fn runs(&self) -> bool {
        fs::read_to_string(&self.output).is_ok_and(|text| text.lines().any(|line| line == RUNS))
    }

    /// All ranks have said their last.
    fn is_whole(&self) -> bool {
        let text = fs::read_to_string(&self.output).unwrap_or_default();
        ALL_FOUR.iter().all(|wanted| text.lines().any(|line| line == *wanted))
    }

    /// Whether the loss is named, where somebody is left who can say it: the launcher hears first of a process, and ends the others;
    /// of a link the nodes hear, after their patience. With a proxy or the launcher everybody loses the way to say something.
    fn names(&self, loss: Loss, had_begun: bool) -> bool {
        let said = self.said();
        match loss {
            Loss::Process(host) => !had_begun || said.contains(&format!("RUNNING AT {}", HOSTS[host])),
            Loss::Link(_) => said.contains(GONE),
            Loss::Proxy(_) | Loss::Launcher => true,
            Loss::Room => said.contains("No space left on device"),
        }
    }

    fn said(&self) -> String {
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        format!("{}\n{}", text(&self.output), text(&self.errors))
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        // Whatever was not as it should be: the next trial has these namespaces for itself.
        for process in self.hosts.processes().unwrap_or_default() {
            // SAFETY: a plain system call; it is a process in a namespace of this test's own.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
        let _ = self.child.wait();
        for file in [&self.output, &self.errors] {
            let _ = fs::remove_file(file);
        }
    }
}

/// Whether a process is that of a node's ranks.
fn is_of_ranks(process: &Path) -> bool {
    let words = fs::read(process.join("cmdline")).unwrap_or_default();
    let words: Vec<&[u8]> = words.split(|&byte| byte == 0).collect();
    begins(process, "rankine") && words.get(1..6) == Some(&[&b"run"[..], b"--engine", b"nodes", b"-n", b"2"])
}

/// Whether a process has started others.
fn has_children(process: &Path) -> bool {
    let name = process.file_name().unwrap_or_default();
    fs::read_to_string(process.join("task").join(name).join("children")).is_ok_and(|children| !children.is_empty())
}

/// Whether a process has a program of this name, of which the system keeps 15 bytes.
fn begins(process: &Path, name: &str) -> bool {
    fs::read_to_string(process.join("comm")).is_ok_and(|comm| comm.trim() == &name[..name.len().min(15)])
}

/// Where the second node has its cache, and what is temporary, if it has little room.
const LITTLE: &str = "/run/rankine-little-room";

/// A stand-in for ssh that gives the second node a megabyte for both.
fn with_little_room(site: &Site, hosts: &Namespaces) -> Result<PathBuf, Failed> {
    let path = site.folder().join("ssh-to-little-room");
    fs::create_dir_all(LITTLE)?;
    let text = format!(
        "case \"$*\" in *'{}'*) exec unshare -m sh -c 'mount -t tmpfs -o size=1m none {LITTLE} &&\n\
         TMPDIR={LITTLE} RANKINE_CACHE_DIR={LITTLE} exec \"$@\"' sh '{}' \"$@\" ;; esac\nexec '{}' \"$@\"",
        HOSTS[1],
        hosts.ssh.display(),
        hosts.ssh.display()
    );
    script(&path, &text)?;
    Ok(path)
}
