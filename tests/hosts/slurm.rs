//! Slurm on this machine: a controller and four made-up nodes with a munge of their own, in a network namespace that has
//! many interfaces, as nodes of clusters do.

use crate::namespaces::ip;
use crate::process::{Ended, Run, run_within};
use crate::{Site, check, taken_over};
use libtest_mimic::Failed;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The nodes, n1 to n4.
const NODES: usize = 4;

/// Pairs of interfaces. With so many, UCX's address of a process is longer than a line of Slurm's `pmi2`.
const PAIRS: usize = 6;

/// How long daemons may take to come up, and jobs to end: this machine may be busy with other things.
const PATIENCE: Duration = Duration::from_secs(400);

const ALL_FOUR: [&str; 4] = ["0 of 4, 1 here: 6", "1 of 4, 1 here: 6", "2 of 4, 1 here: 6", "3 of 4, 1 here: 6"];

/// The Slurm that trials share. It ends when this is dropped.
pub struct Slurm {
    /// Its configuration and state, and what its jobs leave.
    folder: PathBuf,
    namespace: String,
    daemons: Vec<Child>,
}

impl Slurm {
    /// Starts it, and waits until all of its nodes take jobs. They find the guest by the names that the book uses.
    pub fn start(guest: &Path) -> Result<Slurm, String> {
        let id = std::process::id();
        // Short: the path of a socket begins with it. Munge wants others to be able to look for that.
        let folder = std::env::temp_dir().join(format!("rankine-slurm-{id}"));
        let mut slurm = Slurm { folder, namespace: format!("rankine-{id}-slurm"), daemons: Vec::new() };
        slurm.write(guest).map_err(|e| format!("{}: {e}", slurm.folder.display()))?;
        slurm.make_network()?;
        slurm.start_daemons().map_err(|e| e.to_string())?;
        slurm.await_nodes()?;
        Ok(slurm)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// The folder, the key, the configuration and the programs.
    fn write(&self, guest: &Path) -> std::io::Result<()> {
        // What a process with our id has left that was killed long ago.
        let _ = fs::remove_dir_all(&self.folder);
        for folder in ["", "state", "jobs"] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        for node in 1..=NODES {
            fs::create_dir_all(self.folder.join(format!("spool/n{node}")))?;
        }
        fs::set_permissions(&self.folder, PermissionsExt::from_mode(0o711))?;
        for program in ["heat.wasm", "ring.wasm"] {
            fs::copy(guest, self.folder.join("jobs").join(program))?;
        }
        let mut random = [0; 128];
        std::io::Read::read_exact(&mut File::open("/dev/urandom")?, &mut random)?;
        let mut key = fs::OpenOptions::new();
        let mut key = key.write(true).create_new(true).mode(0o400).open(self.folder.join("munge.key"))?;
        std::io::Write::write_all(&mut key, &random)?;
        fs::write(self.folder.join("slurm.conf"), self.configuration()?)?;
        // The namespace has no cgroups, which are looked for otherwise, and systemd; older versions know no `disabled`.
        let plugin = if version() >= 24 { "disabled" } else { "cgroup/v1" };
        fs::write(self.folder.join("cgroup.conf"), format!("CgroupPlugin={plugin}\n"))
    }

    fn configuration(&self) -> std::io::Result<String> {
        let name = fs::read_to_string("/proc/sys/kernel/hostname")?;
        let host = name.trim().split('.').next().unwrap_or_default();
        let folder = self.folder.display();
        let mut text = format!(
            "ClusterName=rankine\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort=6817\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={folder}/munge.sock\nCredType=cred/munge\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool/%n\n\
             SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.%n.pid\n\
             ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nMpiDefault=none\nReturnToService=2\nSlurmdParameters=config_overrides\n\
             SchedulerParameters=sched_interval=1,batch_sched_delay=0\nMessageTimeout=60\nKillWait=5\n"
        );
        for node in 1..=NODES {
            let port = 17000 + node;
            let _ = writeln!(text, "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4");
        }
        text += "PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP\n";
        Ok(text)
    }

    fn make_network(&self) -> Result<(), String> {
        let name = self.namespace.as_str();
        ip(&["netns", "add", name])?;
        ip(&["-n", name, "link", "set", "lo", "up"])?;
        for pair in 1..=PAIRS {
            let ends = [format!("one{pair}"), format!("two{pair}")];
            ip(&["-n", name, "link", "add", &ends[0], "type", "veth", "peer", "name", &ends[1]])?;
            for (end, last) in ends.iter().zip(1..) {
                // Of a block that is nobody's.
                ip(&["-n", name, "addr", "add", &format!("198.19.{pair}.{last}/24"), "dev", end])?;
                ip(&["-n", name, "link", "set", end, "up"])?;
            }
        }
        Ok(())
    }

    fn start_daemons(&mut self) -> std::io::Result<()> {
        let words = [
            format!("--key-file={}", self.path("munge.key")),
            format!("--socket={}", self.path("munge.sock")),
            format!("--pid-file={}", self.path("munged.pid")),
            format!("--log-file={}", self.path("munged.log")),
            format!("--seed-file={}", self.path("munged.seed")),
        ];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // Forced: it would refuse a socket beneath a folder that others may write to.
        self.daemon("munged", &[&["--foreground", "--force", "--origin=127.0.0.1"][..], &words].concat())?;
        let end = Instant::now() + PATIENCE;
        while !self.folder.join("munge.sock").exists() && Instant::now() < end {
            sleep(Duration::from_millis(10));
        }
        let configuration = self.path("slurm.conf");
        self.daemon("slurmctld", &["-D", "-f", &configuration])?;
        for node in 1..=NODES {
            self.daemon("slurmd", &["-D", "-f", &configuration, "-N", &format!("n{node}")])?;
        }
        Ok(())
    }

    fn daemon(&mut self, program: &str, words: &[&str]) -> std::io::Result<()> {
        let log = File::create(self.folder.join(format!("{program}-{}.out", self.daemons.len())))?;
        let mut command = self.command(Path::new(program));
        command.args(words).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // SAFETY: a system call that takes numbers alone, in a child of `fork`.
        unsafe {
            command.pre_exec(|| {
                // Even if the tests are killed.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        self.daemons.push(command.spawn()?);
        Ok(())
    }

    fn await_nodes(&mut self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let mut command = self.command(Path::new("sinfo"));
            command.args(["--noheader", "--Node", "--format=%T"]);
            let run = run_within(command, None, PATIENCE)?;
            if run.stdout.lines().filter(|state| *state == "idle").count() == NODES {
                return Ok(());
            }
            let is_over = self.daemons.iter_mut().any(|daemon| !matches!(daemon.try_wait(), Ok(None)));
            if is_over || Instant::now() > end {
                return Err(format!("the nodes of Slurm don't come up\n{run}\n{}", self.logs()));
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// What the daemons have said.
    fn logs(&self) -> String {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_log =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "out" || extension == "log");
        let logs = entries.map(|entry| entry.path()).filter(is_log);
        logs.map(|path| format!("{}:\n{}\n", path.display(), fs::read_to_string(&path).unwrap_or_default())).collect()
    }

    /// A command in its network, that finds it.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace]).arg(program);
        command.env("SLURM_CONF", self.folder.join("slurm.conf")).current_dir(self.folder.join("jobs"));
        command
    }

    /// The command that a user types: `rankine` and `mpiexec` are those of the tests.
    fn typed(&self, site: &Site, words: &[&str]) -> Result<Run, Failed> {
        let mut command = self.command(Path::new(words[0]));
        command.args(&words[1..]).env("RANKINE_MPI_LIB", site.library());
        let mut folders = vec![site.places.mpi_bin.clone()];
        folders.extend(site.places.rankine.parent().map(Path::to_path_buf));
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", std::env::join_paths(folders)?);
        Ok(run_within(command, None, PATIENCE)?)
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // What jobs have left stands in the namespace too, which is nobody else's.
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let left = ip(&["netns", "pids", &self.namespace]).map(|run| run.stdout).unwrap_or_default();
            let left: Vec<i32> = left.lines().filter_map(|line| line.trim().parse().ok()).collect();
            for &process in &left {
                // SAFETY: a plain system call; it is a process of this namespace.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
            for daemon in &mut self.daemons {
                let _ = daemon.wait();
            }
            if left.is_empty() {
                break;
            }
            sleep(Duration::from_millis(20));
        }
        // One that was never made can't be deleted.
        let _ = ip(&["netns", "del", &self.namespace]);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What of Slurm is not here.
pub fn missing() -> Option<&'static str> {
    let programs = ["munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scontrol", "sinfo"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_here = |program: &&str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    (!programs.iter().all(is_here)).then_some("needs Slurm: slurmctld, slurmd, slurm-client and munge")
}

/// Its version, by the year.
fn version() -> u32 {
    let output = Command::new("slurmd").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output);
    let year = text.split_whitespace().nth(1).and_then(|version| version.split('.').next());
    year.and_then(|year| year.parse().ok()).unwrap_or(0)
}

/// Each task is a rank, whatever the site has set as its default.
pub fn tasks_are_ranks(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    check(
        &slurm.typed(site, &["srun", "--mpi=pmi2", "-N", "4", "-n", "4", "rankine", "run", "heat.wasm"])?,
        0,
        &ALL_FOUR,
    )?;
    // srun ends the other tasks by a signal, and has the highest of all statuses itself.
    let run = slurm.typed(site, &["srun", "--mpi=pmi2", "-N", "4", "rankine", "run", "heat.wasm", "abort"])?;
    match run.ended {
        Ended::Status(7 | 137 | 143) if run.stderr.contains("rank 0 aborted the job with code 7") => Ok(()),
        _ => Err(format!("expected that it ends with status 7, or 137 as srun's\n{run}").into()),
    }
}

/// Each task is a node of the engine nodes, and has as many ranks as is said; in an allocation as many as fall to it.
pub fn tasks_are_nodes(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    let lines: Vec<String> = (0..6).map(|rank| format!("{rank} of 6, 3 here: 15")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let task =
        ["srun", "--mpi=pmi2", "-N", "2", "--ntasks-per-node=1", "rankine", "run", "--engine", "nodes", "-n", "3"];
    check(&slurm.typed(site, &[&task[..], &["heat.wasm"]].concat())?, 0, &lines)?;
    let allocated =
        ["salloc", "-N", "2", "--ntasks-per-node=3", "rankine", "run", "--hosts", "slurm", "-n", "6", "heat.wasm"];
    check(&slurm.typed(site, &allocated)?, 0, &lines)?;
    let run = slurm.typed(site, &[&task[..], &["heat.wasm", "abort"]].concat())?;
    match run.ended {
        Ended::Status(7 | 137 | 143) if run.stderr.contains("rank 0 aborted the job with code 7") => Ok(()),
        _ => Err(format!("expected that it ends with status 7, or 137 as srun's\n{run}").into()),
    }
}

/// Tasks that know nothing of each other are no job, and one of them says what to type.
pub fn tasks_without_pmi_are_an_error(site: &Site) -> Result<(), Failed> {
    let run = site.slurm()?.typed(site, &["srun", "--mpi=none", "-N", "4", "rankine", "run", "heat.wasm"])?;
    let told = run.stderr.matches("srun has started 4 tasks that know nothing of each other").count();
    match (run.ended, told, run.stderr.contains("srun --mpi=pmi2 makes one job of them"), run.stdout.as_str()) {
        (Ended::Status(2), 1, true, "") => Ok(()),
        _ => Err(format!("it was said {told} times\n{run}").into()),
    }
}

/// In an allocation srun is the launcher, and MPICH's own is one too: it has srun start what it needs on nodes.
pub fn allocations_have_launchers(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    let allocated =
        |words: &[&str]| slurm.typed(site, &[&["salloc", "-N", "4", "--ntasks-per-node=1"][..], words].concat());
    check(&allocated(&["rankine", "run", "--hosts", "slurm", "heat.wasm"])?, 0, &ALL_FOUR)?;
    check(&allocated(&["mpiexec", "-n", "4", "rankine", "run", "heat.wasm"])?, 0, &ALL_FOUR)
}

/// `rankine submit` calls sbatch, and the script comes to its end in its turn.
pub fn a_batch_job(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    let words = ["rankine", "submit", "-n", "4", "--per-node", "1", "--time", "5m", "--log", "out-%j.txt", "heat.wasm"];
    let run = slurm.typed(site, &words)?;
    let Some(number) = run.stdout.trim().strip_prefix("Submitted batch job ") else {
        return Err(run.to_string().into());
    };
    let end = Instant::now() + PATIENCE;
    let ended = loop {
        let job = slurm.typed(site, &["scontrol", "show", "job", number])?;
        let state = job.stdout.split_whitespace().find_map(|word| word.strip_prefix("JobState="));
        match state {
            Some("PENDING" | "CONFIGURING" | "RUNNING" | "COMPLETING") if Instant::now() < end => {}
            Some("COMPLETED") => break job,
            _ => return Err(format!("{job}\n{}", slurm.logs()).into()),
        }
        sleep(Duration::from_millis(100));
    };
    let log = slurm.folder.join("jobs").join(format!("out-{number}.txt"));
    let printed = fs::read_to_string(&log).unwrap_or_default();
    // Slurm's own remarks are there too, where a busy machine makes it repeat something.
    let mut lines: Vec<&str> =
        printed.lines().filter(|line| !line.starts_with("srun: ") && !line.starts_with("slurmstepd: ")).collect();
    lines.sort_unstable();
    if lines == ALL_FOUR { Ok(()) } else { Err(format!("{printed}\n{ended}\n{}", slurm.logs()).into()) }
}

/// A library that was taken over finds nothing of what its task has left open, nor of what Slurm has.
pub fn nothing_is_inherited(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    let jobs = slurm.folder.join("jobs");
    let library = format!("RANKINE_MPI_LIB={}", taken_over::taken_over(&site.places, &jobs)?.display());
    let mut cc = Command::new(&site.places.rankine);
    cc.args(["cc", "-O1"]).arg(site.places.root.join("tests/wall/barrier.c")).arg("-o").arg(jobs.join("barrier.wasm"));
    let compiled = run_within(cc, None, PATIENCE)?;
    fs::write(jobs.join("left-open"), "")?;
    let task = "exec 7<left-open 8>>left-open 9<.; exec rankine run barrier.wasm";
    let run = slurm.typed(site, &["env", &library, "srun", "--mpi=pmi2", "-N", "2", "sh", "-c", task])?;
    let seen: Vec<&str> = run.stderr.lines().filter_map(|line| Some(line.split_once(" leads to ")?.1)).collect();
    let folder = slurm.folder.display().to_string();
    let is_left = |place: &&&str| place.starts_with(&folder) || place.contains("slurm");
    match (run.ended, seen.is_empty(), seen.iter().find(is_left)) {
        (Ended::Status(0), false, None) => Ok(()),
        (_, _, left) => Err(format!("{left:?} was open\n{compiled}\n{run}").into()),
    }
}

/// The book's commands for Slurm work as they stand there.
pub fn the_book_is_typed(site: &Site) -> Result<(), Failed> {
    let slurm = site.slurm()?;
    let mut typed = 0;
    for page in ["mpi-engine.md", "machines.md", "nodes-engine.md"] {
        let text = fs::read_to_string(site.places.root.join("docs").join(page))?;
        for line in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let words: Vec<&str> = line.split(" #").next().unwrap_or_default().split_whitespace().collect();
            if !["srun", "salloc"].contains(&words[0]) {
                continue;
            }
            let run = slurm.typed(site, &words)?;
            if run.ended != Ended::Status(0) || !run.stdout.contains("0 of ") {
                return Err(format!("{page}\n{run}").into());
            }
            typed += 1;
        }
    }
    if typed >= 4 { Ok(()) } else { Err(format!("only {typed} commands of the book were typed").into()) }
}
