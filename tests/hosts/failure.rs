//! What becomes of a job when something fails: a node that is late, a process that is killed, a link that drops.

use crate::grid::{job, job_by, lacking, unset_network};
use crate::namespaces::{HOSTS, INTERFACE, Namespaces, ip, script};
use crate::process::{Ended, Run, run_within};
use crate::{ALL_FOUR, LIMIT, Site, check, first_line, processes};
use libtest_mimic::Failed;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Whoever of a job is killed: the others end too, on all nodes, and the job's status is what the book says.
pub fn nothing_outlives_a_job(site: &Site) -> Result<(), Failed> {
    // Where it lives the launcher has a status of its own, and says what has happened.
    let victims = [
        ("rankine", Some(137), ""),
        ("mpiexec", Some(137), "rankine: the launcher was ended by signal 9, and its ranks with it"),
        ("hydra_pmi_proxy", None, ""),
        ("rank", None, ""),
    ];
    for (victim, status, words) in victims {
        let hosts = Namespaces::new(&site.folder())?;
        let name = format!("{victim}-{}", std::process::id());
        let guest = site.guest()?.display().to_string();
        let mut command = job(site, &hosts, &["--group", "ready", &guest, "forever", &name])?;
        let errors = site.folder().join("errors.txt");
        let mut child = command.stdout(Stdio::piped()).stderr(File::create(&errors)?).spawn()?;
        let line = first_line(child.stdout.take().expect("it is piped"));
        let chosen = match victim {
            // `ip netns exec` becomes it.
            "rankine" => Some(child.id() as i32),
            "rank" => processes(&name).last().copied(),
            program => hosts.processes()?.into_iter().rev().find(|process| {
                fs::read_to_string(format!("/proc/{process}/comm")).is_ok_and(|comm| program.starts_with(comm.trim()))
            }),
        };
        if let Some(process) = chosen {
            // SAFETY: a plain system call; it is a process of the job that this test has started.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
        let ended = end_of(&mut child, &hosts, victim)?;
        let said = fs::read_to_string(&errors)?;
        if line.trim() != "running" || chosen.is_none() {
            return Err(format!("{victim}: it printed {line:?}, and {chosen:?} was killed\n{said}").into());
        }
        if status.map_or(ended == 0, |status| ended != status) || !said.contains(words) {
            return Err(format!("{victim}: expected status {status:?} and {words:?}, got {ended}\n{said}").into());
        }
    }
    Ok(())
}

/// A node whose ranks have come to their end waits for the others, and still ends by a signal, as when its launcher is killed.
pub fn a_signal_ends_who_waits_for_others(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let name = format!("linger-{}", std::process::id());
    let mut command = hosts.on_first(&site.places.mpi_bin.join("mpiexec"));
    command.args(["-n", "2"]).arg(&site.places.rankine).args(["run", "--engine", "nodes", "-n", "1"]);
    command.arg(site.guest()?).args(["linger", &name]).env("RANKINE_MPI_LIB", site.library());
    let errors = site.folder().join("errors-of-one.txt");
    let mut child = command.stdout(Stdio::piped()).stderr(File::create(&errors)?).spawn()?;
    let line = first_line(child.stdout.take().expect("it is piped"));
    let is_first = |process: &i32| {
        let words = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        words.split(|&byte| byte == 0).any(|word| word == b"PMI_RANK=0")
    };
    let said = || fs::read_to_string(&errors).unwrap_or_default();
    let Some(first) = processes(&name).into_iter().find(is_first) else {
        return Err(format!("it printed {line:?}, and there is no first process\n{}", said()).into());
    };
    // Its ranks have ended, or are about to; a job that hears of the signal before that says so in other words.
    sleep(Duration::from_millis(500));
    // SAFETY: a plain system call; it is a process of the job that this test has started.
    unsafe { libc::kill(first, libc::SIGTERM) };
    let status = end_of(&mut child, &hosts, "the first process")?;
    if status == 0 || !said().contains("rankine: ended by signal 15") {
        return Err(format!("status {status}\n{}", said()).into());
    }
    Ok(())
}

/// The status of a job, once none of its processes is left on any node.
pub fn end_of(child: &mut Child, hosts: &Namespaces, killed: &str) -> Result<i32, Failed> {
    let end = Instant::now() + LIMIT;
    while child.try_wait()?.is_none() || !hosts.processes()?.is_empty() {
        if Instant::now() > end {
            let left = hosts.processes()?;
            let seen: Vec<String> = left.iter().map(|&process| state_of(process)).collect();
            for &process in &left {
                // SAFETY: a plain system call; they are all in namespaces of this test's own.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
            child.wait()?;
            return Err(format!("{LIMIT:?} after {killed} was killed these still run:\n{}", seen.join("\n")).into());
        }
        sleep(Duration::from_millis(50));
    }
    let status = child.wait()?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// What a process that should be gone is, and what its threads do.
fn state_of(process: i32) -> String {
    let read = |path: String| fs::read_to_string(path).unwrap_or_default();
    let words = read(format!("/proc/{process}/cmdline")).replace('\0', " ");
    let status = read(format!("/proc/{process}/status"));
    let kept = ["State", "PPid", "SigBlk", "SigCgt", "SigPnd", "ShdPnd"];
    let kept = status.lines().filter(|line| kept.iter().any(|key| line.starts_with(key)));
    let mut text = format!("{process} {words}\n  {}", kept.collect::<Vec<_>>().join(", "));
    for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let of = |what: &str| read(thread.path().join(what).display().to_string());
        text += &format!("\n  {}: {} {}", of("comm").trim(), of("wchan"), of("syscall").trim());
    }
    text
}

/// A stand-in for ssh that does not get there the first times that a command has this word.
fn late(site: &Site, hosts: &Namespaces, word: &str, times: usize) -> Result<PathBuf, Failed> {
    let tries = site.folder().join("tries");
    let _ = fs::remove_file(&tries);
    let path = site.folder().join("late");
    let text = format!(
        "case \"$*\" in *'{word}'*)\n    echo x >> '{0}'\n    if [ $(wc -l < '{0}') -le {times} ]; then\n        \
         echo 'no route to host' >&2\n        exit 255\n    fi ;;\nesac\nexec '{1}' \"$@\"",
        tries.display(),
        hosts.ssh.display()
    );
    script(&path, &text)?;
    Ok(path)
}

/// A node that can't be reached at first is tried again, also when it is the launcher that fails to reach it.
pub fn starting_is_tried_again(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    let run = |word: &str, times: usize, options: &[&str]| -> Result<Run, Failed> {
        let late = late(site, &hosts, word, times)?;
        let options = [&["--group", "ready"][..], options, &[guest.as_str()]].concat();
        Ok(run_within(job_by(site, &hosts, &late, &options)?, None, LIMIT)?)
    };
    let staged = run("store", 2, &["--retries", "3"])?;
    check(&staged, 0, &ALL_FOUR)?;
    lacking(&staged, &["n2: it can't be reached: no route to host: trying again in 1 s (1 of 3)", "in 2 s (2 of 3)"])?;
    let launched = run("hydra_pmi_proxy", 1, &["--retries", "2"])?;
    check(&launched, 0, &ALL_FOUR)?;
    lacking(&launched, &["before a rank of the job had started: trying again in 1 s (1 of 2)"])?;
    let given_up = run("store", 9, &["--retries", "1"])?;
    lacking(&given_up, &["nothing was started", "n2, for ranks 2-3: it can't be reached: no route to host"])?;
    if given_up.ended != Ended::Status(1) {
        return Err(format!("expected status 1\n{given_up}").into());
    }
    // A job whose ranks have started is never started again.
    let mut command = job(site, &hosts, &["--group", "ready", "--retries", "3", &guest])?;
    command.arg("abort");
    let aborted = run_within(command, None, LIMIT)?;
    match aborted.ended {
        Ended::Status(7) if !aborted.stderr.contains("trying again") => Ok(()),
        _ => Err(format!("expected status 7, at once\n{aborted}").into()),
    }
}

/// A node that is gone in the middle of a job is named, with its ranks, and nothing is left of the job on the other.
pub fn a_lost_node_is_named(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let gone = site.folder().join("n2-is-gone");
    let _ = fs::remove_file(&gone);
    let ssh = site.folder().join("ssh-or-not");
    let text = format!(
        "case \"$*\" in *'{}'*)\n    if [ -e '{}' ]; then echo 'no route to host' >&2; exit 255; fi ;;\nesac\n\
         exec '{}' \"$@\"",
        HOSTS[1],
        gone.display(),
        hosts.ssh.display()
    );
    script(&ssh, &text)?;
    let guest = site.guest()?.display().to_string();
    let name = format!("lost-{}", std::process::id());
    let mut command = job_by(site, &hosts, &ssh, &["--group", "ready", &guest, "forever", &name])?;
    let errors = site.folder().join("errors.txt");
    let mut child = command.stdout(Stdio::piped()).stderr(File::create(&errors)?).spawn()?;
    let line = first_line(child.stdout.take().expect("it is piped"));
    // From one moment to the next, as when its power fails.
    fs::write(&gone, "")?;
    for process in hosts.processes_on(1)? {
        // SAFETY: a plain system call; it is a process of the job, in a namespace of this test's own.
        unsafe { libc::kill(process, libc::SIGKILL) };
    }
    let status = end_of(&mut child, &hosts, "n2")?;
    let said = fs::read_to_string(&errors)?;
    let words = "n2 is lost, and ranks 2-3 with it: it can't be reached: no route to host; \
                 `rankine grid check` says when it is back";
    match line.trim() == "running" && status != 0 && said.contains(words) && !said.contains("n1 is lost") {
        true => Ok(()),
        false => Err(format!("it printed {line:?}, ended with status {status} and said\n{said}").into()),
    }
}

/// A node whose scratch folder has no room for the program is named, with its ranks, before anything is started.
pub fn a_full_node_is_named(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let ssh = site.folder().join("ssh-to-full");
    // Each command on the node has its own empty file system there, too small for the program.
    let text = format!(
        "exec unshare -m sh -c 'mount -t tmpfs -o size=8k none \"$0\" && exec \"$@\"' '{}' '{}' \"$@\"",
        site.folder().join("scratch-n2").display(),
        hosts.ssh.display()
    );
    script(&ssh, &text)?;
    let guest = site.guest()?.display().to_string();
    let run = run_within(job_by(site, &hosts, &ssh, &["--group", "ready", &guest])?, None, LIMIT)?;
    let words = [
        "nothing was started",
        "n2, for ranks 2-3: ",
        "/where.wasm can't be written: No space left on device",
        "`rankine grid check` says more of each node",
    ];
    lacking(&run, &words)?;
    let is_named_alone = !run.stderr.contains("n1, for ranks");
    if run.ended == Ended::Status(1) && run.stdout.is_empty() && is_named_alone { Ok(()) } else { Err(run.into()) }
}

/// A job over UCX waits while the link between its nodes is down for a moment, and goes on when it is up again. UCX itself
/// gives up a connection that is silent for long.
pub fn a_link_may_drop_for_ucx(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    for engine in ["nodes", "mpi"] {
        let words = ["--group", "ready", "--engine", engine, &guest, "resume"];
        goes_on(&hosts, job(site, &hosts, &words)?, Duration::from_secs(2))?;
    }
    Ok(())
}

/// One over libfabric, which `--grid` chooses, waits for long, on the engine mpi.
pub fn a_link_may_drop_for_libfabric(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    let mut command = job(site, &hosts, &["--group", "ready", "--engine", "mpi", &guest, "resume"])?;
    unset_network(&mut command);
    goes_on(&hosts, command, Duration::from_secs(20))
}

/// The link is down for so long.
fn goes_on(hosts: &Namespaces, mut command: Command, down: Duration) -> Result<(), Failed> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = child.stdout.take().expect("it is piped");
    let mut first = [0; 8];
    output.read_exact(&mut first)?;
    hosts.set_link(false)?;
    input.write_all(b"\n")?;
    drop(input);
    let (sender, rest) = channel();
    spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text);
        let _ = sender.send(text);
    });
    // Nothing goes through meanwhile, however long that is.
    let early = rest.recv_timeout(down);
    hosts.set_link(true)?;
    let text = rest.recv_timeout(LIMIT).unwrap_or_default();
    let status = end_of(&mut child, hosts, "nobody")?;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    match (&first, early.is_err(), status, lines == ALL_FOUR) {
        (b"running\n", true, 0, true) => Ok(()),
        _ => Err(format!("status {status}, at first {first:?}, with the link down {early:?}, then {text}").into()),
    }
}

impl Namespaces {
    /// Takes the link between the hosts down, or brings it up.
    pub fn set_link(&self, is_up: bool) -> Result<(), String> {
        ip(&["-n", self.second(), "link", "set", INTERFACE, if is_up { "up" } else { "down" }]).map(drop)
    }
}
