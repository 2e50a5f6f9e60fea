//! `rankine grid` and jobs by `--grid`: nodes that a file describes, some of which lack something.

use crate::namespaces::{ALIASES, HOSTS, INTERFACE, Namespaces, script};
use crate::process::{Ended, Run, run_within};
use crate::{ALL_FOUR, LIMIT, Site, check};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two nodes that are there, each with a store of its own, one that is not, and one without a `rankine`.
fn describe(site: &Site) -> Result<PathBuf, Failed> {
    let file = site.folder().join("grid.toml");
    let scratch = |node: &str| site.folder().join(format!("scratch-{node}"));
    for node in ["n1", "n2"] {
        fs::create_dir_all(scratch(node))?;
    }
    let text = format!(
        "[defaults]\nrankine = '{}'\nlibrary = '{}'\n\n\
         [nodes.n1]\naddress = '198.18.77.1'\nslots = 2\nlabels = ['there']\nscratch = '{}'\n\n\
         [nodes.n2]\naddress = '198.18.77.2'\nslots = 2\nlabels = ['there']\nscratch = '{}'\n\n\
         [nodes.gone]\naddress = '198.18.77.9'\nslots = 1\n\n\
         [kinds.bare]\nrankine = '/no/such/rankine'\n\n\
         [nodes.bare1]\naddress = '{}'\nkind = 'bare'\n\n\
         [groups]\nready = 'n1+n2'\n",
        site.places.rankine.display(),
        site.library().display(),
        scratch("n1").display(),
        scratch("n2").display(),
        ALIASES[1],
    );
    fs::write(&file, text)?;
    Ok(file)
}

/// The files in the stores of both nodes.
fn stored(site: &Site) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = ["n1", "n2"].map(|node| site.folder().join(format!("scratch-{node}"))).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found.sort();
    found
}

fn empty_stores(site: &Site) -> Result<(), Failed> {
    for node in ["n1", "n2"] {
        let scratch = site.folder().join(format!("scratch-{node}"));
        if scratch.exists() {
            fs::remove_dir_all(scratch)?;
        }
    }
    Ok(())
}

/// `rankine run --grid` on the first of the nodes, with these options.
pub fn job(site: &Site, hosts: &Namespaces, options: &[&str]) -> Result<Command, Failed> {
    job_by(site, hosts, &hosts.ssh, options)
}

/// `rankine run --grid` on the first of the nodes, with another stand-in for ssh.
pub fn job_by(site: &Site, hosts: &Namespaces, ssh: &Path, options: &[&str]) -> Result<Command, Failed> {
    let mut command = hosts.on_first(&site.places.rankine);
    command.args(["run", "--grid"]).arg(describe(site)?).arg("--ssh").arg(ssh).args(options);
    command.env("UCX_TLS", "tcp,self").env("UCX_NET_DEVICES", INTERFACE);
    command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec"));
    command.env("RANKINE_MPI_LIB", site.library());
    Ok(command)
}

/// Leaves the choice of a network to `rankine`, for a job that was to go by UCX.
pub fn unset_network(command: &mut Command) {
    command.env_remove("UCX_TLS").env_remove("UCX_NET_DEVICES");
}

fn grid(site: &Site, hosts: &Namespaces, words: &[&str]) -> Result<Run, Failed> {
    let mut command = hosts.on_first(&site.places.rankine);
    command.arg("grid").args(words).arg("--grid").arg(describe(site)?);
    if words[0] == "check" || words.contains(&"--ask") {
        command.arg("--ssh").arg(&hosts.ssh);
    }
    Ok(run_within(command, None, LIMIT)?)
}

pub fn lacking(run: &Run, parts: &[&str]) -> Result<(), Failed> {
    let text = format!("{}{}", run.stdout, run.stderr);
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("it does not say {part:?}\n{run}").into()),
    }
}

/// Every node is asked; each that lacks something says what, and what to do.
pub fn every_node_is_checked(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let run = grid(site, &hosts, &["check"])?;
    lacking(
        &run,
        &[
            "it can't be reached: no host is called 198.18.77.9\n",
            "→ `ssh 198.18.77.9 true` must just work",
            "there is no /no/such/rankine on it\n",
            "say where it is: rankine = ",
            "MPICH",
        ],
    )?;
    if run.ended != Ended::Status(1) {
        return Err(format!("expected status 1\n{run}").into());
    }
    let run = grid(site, &hosts, &["check", "--json", "--group", "ready"])?;
    let reports: Value = serde_json::from_str(&run.stdout).map_err(|error| format!("{error}\n{run}"))?;
    let nodes = reports.as_array().map_or(0, Vec::len);
    let asked = grid(site, &hosts, &["list", "--ask", "--group", "ready+gone"])?;
    let version = env!("CARGO_PKG_VERSION");
    lacking(
        &asked,
        &["groups", "rankine", "load", std::env::consts::ARCH, version, "MPICH", "\ngone: it can't be reached"],
    )?;
    let asked: Value = serde_json::from_str(&grid(site, &hosts, &["list", "--ask", "--json"])?.stdout)?;
    let of_first = &asked["nodes"][0];
    if of_first["slots"] != 2 || of_first["facts"]["version"] != version || asked["groups"]["ready"] != "n1+n2" {
        return Err(asked.to_string().into());
    }
    let is_right = |report: &Value| {
        report["facts"]["architecture"] == std::env::consts::ARCH
            && report["facts"]["scratch"]["free"].as_u64().is_some_and(|free| free > 0)
            && report["facts"]["mpi"]["version"].as_str().is_some_and(|version| version.contains("MPICH"))
            && report["problems"].as_array().is_some_and(|list| list.iter().all(|problem| problem["stops"] == false))
    };
    let all = reports.as_array().is_some_and(|reports| reports.iter().all(is_right));
    if run.ended == Ended::Status(0) && nodes == 2 && all { Ok(()) } else { Err(run.to_string().into()) }
}

/// Where TCP joins nodes, and nobody has chosen another network, MPICH goes by libfabric.
pub fn the_network_is_chosen(site: &Site) -> Result<(), Failed> {
    let is_empty = |folder: &str| fs::read_dir(folder).map_or(0, Iterator::count) == 0;
    let is_tcp = ["/sys/class/infiniband", "/sys/class/cxi"].into_iter().all(is_empty);
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    let run = run_within(job(site, &hosts, &["-v", "--group", "ready", &guest])?, None, LIMIT)?;
    check(&run, 0, &ALL_FOUR)?;
    if run.stderr.contains("joined by TCP") {
        return Err(format!("UCX was chosen\n{run}").into());
    }
    let mut command = job(site, &hosts, &["-v", "--group", "ready", &guest])?;
    unset_network(&mut command);
    let run = run_within(command, None, LIMIT)?;
    check(&run, 0, &ALL_FOUR)?;
    let asked = grid(site, &hosts, &["check", "--group", "ready"])?.stdout;
    let chosen = [(&run.stderr, "joined by TCP"), (&asked, "carries messages between nodes, over TCP")];
    match chosen.iter().all(|(text, tcp)| text.contains(tcp) && text.contains("MPIR_CVAR_CH4_NETMOD=")) == is_tcp {
        true => Ok(()),
        false => Err(format!("{asked}\n{run}").into()),
    }
}

/// What runs at an address of this machine's own is started without ssh, alone and beside another node.
pub fn the_own_address_needs_no_ssh(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let (asked, ssh) = (site.folder().join("asked"), site.folder().join("ssh-elsewhere"));
    let _ = fs::remove_file(&asked);
    let note = "for word do case $word in -*) ;; *) echo \"$word\" >> \"$asked\"; break ;; esac; done";
    let text = format!("asked='{}'\n{note}\nexec '{}' \"$@\"", asked.display(), hosts.ssh.display());
    script(&ssh, &text)?;
    let guest = site.guest()?.display().to_string();
    let run = run_within(job_by(site, &hosts, &ssh, &["--group", "n1", &guest])?, None, LIMIT)?;
    check(&run, 0, &["0 of 2, 2 here: 1", "1 of 2, 2 here: 1"])?;
    if asked.exists() {
        return Err(format!("ssh was asked for {}\n{run}", fs::read_to_string(&asked)?).into());
    }
    let run = run_within(job_by(site, &hosts, &ssh, &["--group", "ready", &guest])?, None, LIMIT)?;
    check(&run, 0, &ALL_FOUR)?;
    let text = fs::read_to_string(&asked)?;
    match !text.is_empty() && text.lines().all(|host| host == HOSTS[1]) {
        true => Ok(()),
        false => Err(format!("ssh was asked for {text}\n{run}").into()),
    }
}

/// A node gets `rankine` whole, once, and only one that runs there.
pub fn a_node_is_installed(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let place = site.folder().join("installed");
    let _ = fs::remove_dir_all(&place);
    let described = describe(site)?;
    let binary = place.join("bin/rankine");
    let text = fs::read_to_string(&described)?.replace("/no/such/rankine", &binary.display().to_string());
    let file = site.folder().join("install.toml");
    fs::write(&file, text)?;
    let run = |words: &[&str]| {
        let mut command = hosts.on_first(&site.places.rankine);
        command.args(["grid"]).args(words).arg("--grid").arg(&file).arg("--ssh").arg(&hosts.ssh);
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    let ends = |run: Run, status: i32, parts: &[&str]| {
        lacking(&run, parts)?;
        if run.ended == Ended::Status(status) { Ok(()) } else { Err(Failed::from(run)) }
    };
    ends(run(&["install", "bare"])?, 0, &["bare1: ", "/installed/bin/rankine is rankine ", " now, ", " copied"])?;
    if fs::read(&binary)? != fs::read(&site.places.rankine)? {
        return Err("it is another program".into());
    }
    ends(run(&["check", "--group", "bare"])?, 0, &["bare1 ", std::env::consts::ARCH])?;
    ends(run(&["install", "bare1"])?, 0, &[" already\n"])?;
    // What a disk has torn is not what it was.
    fs::OpenOptions::new().write(true).open(&binary)?.set_len(1000)?;
    ends(run(&["install", "bare1"])?, 0, &[" copied\n"])?;
    let mut head = fs::read(&site.places.rankine)?;
    head.truncate(64);
    // Of a machine that nobody has here: riscv64, or what stands there for the other.
    head[18] = 243;
    let other = place.join("other");
    fs::write(&other, head)?;
    let other = other.display().to_string();
    ends(run(&["install", "bare1", "--file", &other])?, 1, &["and this rankine is for riscv64"])?;
    ends(run(&["install", "bare1+gone"])?, 1, &[" already\n", "gone: it can't be reached: no host is called"])
}

/// What the file says needs no node.
pub fn a_grid_is_listed(site: &Site) -> Result<(), Failed> {
    let list = |words: &[&str]| {
        let mut command = Command::new(&site.places.rankine);
        command.args(["grid", "list"]).args(words).env("RANKINE_GRID", describe(site)?);
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    lacking(&list(&[])?, &["n2     198.18.77.2  2      -     there   ready\n", "bare1 "])?;
    let json: Value = serde_json::from_str(&list(&["--json", "--group", "bare+n2"])?.stdout)?;
    if json["nodes"][0]["name"] != "bare1" || json["nodes"][1]["slots"] != 2 {
        return Err(json.to_string().into());
    }
    lacking(&list(&["--group", "gpu"])?, &["there is no node, group, kind or label `gpu`; there are: ready, "])
}

/// The program travels by content: what a node has is not copied again, what is torn is.
pub fn a_program_travels_once(site: &Site) -> Result<(), Failed> {
    empty_stores(site)?;
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    let by = |settings: bool| {
        let mut command = job(site, &hosts, &["--group", "ready", "-v", &guest])?;
        if !settings {
            unset_network(&mut command);
        }
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    let run = || by(true);
    let copied = |run: &Run, wanted: [usize; 2]| {
        check(run, 0, &ALL_FOUR)?;
        lacking(run, &[&format!("n1: {} files copied", wanted[0]), &format!("n2: {} files copied", wanted[1])])
    };
    // By libfabric, and by UCX.
    for settings in [false, true] {
        empty_stores(site)?;
        copied(&by(settings)?, [1, 1])?;
        copied(&by(settings)?, [0, 0])?;
    }
    let [_, second] = &stored(site)[..] else { return Err(format!("{:?}", stored(site)).into()) };
    let length = fs::metadata(second)?.len();
    fs::OpenOptions::new().write(true).open(second)?.set_len(length / 2)?;
    copied(&run()?, [0, 1])?;
    // One that was exchanged behind the back of the launcher is not run.
    let digest =
        second.parent().and_then(|folder| folder.file_name()).and_then(|name| name.to_str()).unwrap_or_default();
    fs::OpenOptions::new().append(true).open(second)?.set_len(length - 1)?;
    let mut rank = Command::new(&site.places.rankine);
    rank.args(["run", "--module-digest", digest]).arg(second);
    let run = run_within(rank, None, LIMIT)?;
    lacking(&run, &["was replaced by another module meanwhile"])?;
    let mut clean = hosts.on_first(&site.places.rankine);
    clean.args(["grid", "clean", "--days", "0", "--group", "ready", "--grid"]).arg(describe(site)?);
    clean.arg("--ssh").arg(&hosts.ssh);
    let run = run_within(clean, None, LIMIT)?;
    match (run.ended, stored(site).len()) {
        (Ended::Status(0), 0) => lacking(&run, &["n1: 1 removed", "n2: 1 removed"]),
        _ => Err(format!("{:?}\n{run}", stored(site)).into()),
    }
}

/// Files go to every node and come back; those that differ come back with their node's name.
pub fn files_travel(site: &Site) -> Result<(), Failed> {
    empty_stores(site)?;
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.compiled("files")?.display().to_string();
    let here = site.folder().join("results");
    fs::create_dir_all(&here)?;
    let place = |name: &str| here.join(name);
    fs::write(place("data.txt"), "21\n")?;
    let mut options =
        vec!["--group".to_string(), "ready".into(), "--input".into(), place("data.txt").display().to_string()];
    for name in ["out.txt", "last.txt", "each.txt"] {
        let _ = fs::remove_file(place(name));
        options.extend(["--output".into(), place(name).display().to_string()]);
    }
    options.push(guest);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let run = run_within(job(site, &hosts, &options)?, None, LIMIT)?;
    let wanted =
        [("out.txt", "84 from 0\n"), ("last.txt", "84 from 3\n"), ("each.txt.n1", "of 0\n"), ("each.txt.n2", "of 3\n")];
    for (name, text) in wanted {
        let found = fs::read_to_string(place(name)).unwrap_or_else(|error| error.to_string());
        if found != text {
            return Err(format!("{name}: {found}\n{run}").into());
        }
    }
    // Both stores have program and input, and no job's folder any more.
    if run.ended != Ended::Status(0) || stored(site).len() != 4 {
        return Err(format!("{:?}\n{run}", stored(site)).into());
    }
    let unwritten = [&options[..4], &["--output", "none.txt", options[options.len() - 1]]].concat();
    let run = run_within(job(site, &hosts, &unwritten)?, None, LIMIT)?;
    lacking(&run, &["no node has none.txt: the program has not written it"])?;
    if run.ended == Ended::Status(1) { Ok(()) } else { Err(run.to_string().into()) }
}

/// A node that is not there is named before anything is started.
pub fn nothing_starts_without_all_nodes(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let guest = site.guest()?.display().to_string();
    let run = run_within(job(site, &hosts, &["--group", "ready+gone+bare", "-n", "6", &guest])?, None, LIMIT)?;
    let words = [
        "nothing was started",
        "gone, for rank 4: it can't be reached: no host is called 198.18.77.9",
        "bare1, for rank 5: there is no /no/such/rankine on it",
        "rankine grid check",
    ];
    lacking(&run, &words)?;
    if run.ended == Ended::Status(1) && run.stdout.is_empty() { Ok(()) } else { Err(run.to_string().into()) }
}

/// What the book's page about several machines shows is typed here, with its own `grid.toml`: all that needs none of them.
pub fn the_page_is_typed(site: &Site) -> Result<(), Failed> {
    let page = fs::read_to_string(site.places.root.join("docs/machines.md"))?;
    let folder = site.folder().join("page");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let file =
        page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).ok_or("the page has no grid.toml")?;
    fs::write(folder.join("grid.toml"), file)?;
    fs::copy(site.guest()?, folder.join("heat.wasm"))?;
    let shown =
        page.lines().filter_map(|line| line.strip_prefix("$ rankine ")).filter_map(|line| line.split(" #").next());
    let apart =
        |line: &&str| ["--dry-run", "grid list", "grid manifest", "trust "].iter().any(|part| line.contains(part));
    let mut typed = 0;
    for line in shown.filter(apart) {
        let mut command = Command::new(&site.places.rankine);
        command.args(line.split_whitespace()).current_dir(&folder).env("RANKINE_SSH", "/bin/false");
        command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec")).env("RANKINE_MPI_LIB", site.library());
        // What is trusted there: nothing before the page says so. Code that is sealed by its key is no other trial's.
        command.env("RANKINE_STATE_DIR", folder.join("state")).env("RANKINE_CACHE_DIR", folder.join("cache"));
        let run = run_within(command, None, LIMIT)?;
        if run.ended != Ended::Status(0) || run.stdout.is_empty() && run.stderr.is_empty() {
            return Err(run.to_string().into());
        }
        let shows: &[&str] = match line.starts_with("run ") {
            false => &[],
            true if line.contains("--hosts") => &["mpiexec -n 2 -hosts n1:1,n2:1 ", "rankine run --engine nodes -n 4 "],
            true => {
                &["mpiexec -n 16 -hosts 10.0.0.1:1,", "a4:1 ", " : -n 4 ", "/opt/arm/bin/rankine run ", " 8x16,4x4 "]
            }
        };
        lacking(&run, shows)?;
        typed += 1;
    }
    if typed >= 5 { Ok(()) } else { Err(format!("only {typed} commands of the page were typed").into()) }
}
