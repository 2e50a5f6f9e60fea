//! `rankine run --hosts` and `--grid`: a job on several hosts, by the launcher of the MPI library that is installed.
//!
//! This composes the launcher's command and becomes it (`exec`), so that signals, standard streams and the exit status
//! are the launcher's own. Where something is to be done after the job, it stays and waits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rankine_local::away::Numbering;
use rankine_system::{os, tell};

use super::compile;
use super::hosts::{self, Place, places};
use super::values::ByNode;
use crate::module::{self, Codegen, DIGEST_OPTION};
use rankine_grid::Grid;
use rankine_grid::ask::{Asker, Refusal, each};
use rankine_grid::launcher::{Job, Launcher, Part, shown};
use rankine_grid::network;
use rankine_grid::node::Node;
use rankine_grid::retries::Retries;
use rankine_grid::stage::{Baggage, Ready};
use rankine_grid::supervise::Supervisor;
use rankine_system::grants::{Grants, Kept};
use rankine_system::places::{self as folders, env_path};

/// The options of `rankine run` that are about other hosts.
#[derive(clap::Args)]
#[command(next_help_heading = "On several hosts")]
#[command(group = clap::ArgGroup::new("where").multiple(true).args(["hosts", "grid", "group"]))]
pub(super) struct Options {
    /// Run on these hosts: a file, a list n1:4,n2:4, or slurm
    ///
    /// By the launcher of the MPI library. A file has lines `name`, `name:4`, `name slots=4`; `slurm` is the allocation
    /// that this is started in.
    #[arg(long, value_name = "HOSTS")]
    hosts: Option<String>,

    /// Run on the nodes that this file describes
    ///
    /// See `rankine grid`; the program is copied to them.
    #[arg(long, value_name = "FILE", conflicts_with = "hosts")]
    grid: Option<PathBuf>,

    /// Run on these nodes of the grid: arm+n[1-4]
    ///
    /// Names of groups, kinds, labels and nodes, joined by +.
    #[arg(long, value_name = "GROUP", conflicts_with = "hosts")]
    group: Option<String>,

    /// Copy a file to every node; may be repeated
    ///
    /// Into the program's working folder.
    #[arg(long = "input", value_name = "FILE", requires = "where")]
    inputs: Vec<PathBuf>,

    /// Copy back a file; may be repeated
    ///
    /// One that the program writes in its working folder.
    #[arg(long = "output", value_name = "FILE", requires = "where")]
    outputs: Vec<PathBuf>,

    /// Print the launcher's command instead of running it
    #[arg(long, requires = "where")]
    pub(super) dry_run: bool,

    /// With --hosts: copy the program to every host first
    ///
    /// And compile it there, for hosts that share no file system.
    #[arg(long, requires = "hosts")]
    stage: bool,

    /// Try up to N times again to reach nodes and to start
    ///
    /// With growing pauses, until the first rank has started: to reach a node, to copy to it what it needs, and to
    /// start the ranks.
    #[arg(long, value_name = "N", requires = "where", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    retries: u32,

    /// The launcher to use (or RANKINE_LAUNCHER)
    ///
    /// mpiexec of MPICH, mpirun of Open MPI, or srun.
    #[arg(long, value_name = "PROGRAM", requires = "where")]
    launcher: Option<PathBuf>,

    /// An option for the launcher; may be repeated
    #[arg(long = "launcher-option", value_name = "OPTION", requires = "where", allow_hyphen_values = true)]
    launcher_options: Vec<String>,

    /// The program to use instead of ssh
    ///
    /// It runs a command on a host.
    #[arg(long, value_name = "PROGRAM", requires = "where")]
    ssh: Option<PathBuf>,
}

/// What every rank is to run.
pub(super) struct Program {
    /// As many as the hosts have slots, if nothing was said.
    pub ranks: Option<usize>,
    /// A process has all ranks of its node (the engine nodes).
    pub by_node: bool,
    /// The option that says how many ranks each of these has, once that is known.
    pub ranks_by_node: Option<(&'static str, String)>,
    /// In which order ranks get their numbers, and so their hosts.
    pub numbering: Numbering,
    /// Options of `rankine run` for the ranks.
    pub options: Vec<OsString>,
    pub file: PathBuf,
    /// What its code is to be like.
    pub codegen: Codegen,
    pub arguments: Vec<String>,
    /// The MPI library of this host; where there is none, a command can still be shown.
    pub library: Option<PathBuf>,
    /// Whether that can go by more than one network.
    pub chooses_network: bool,
    /// The folders of this host that the program may use.
    pub grants: Grants,
}

impl Program {
    /// What every process of the engine nodes is told of the ranks of all.
    fn take_places(&mut self, places: &[Place]) {
        if self.by_node {
            let counts: Vec<usize> = places.iter().map(|place| place.ranks.len()).collect();
            self.ranks_by_node = Some(match counts.iter().all(|ranks| *ranks == counts[0]) {
                true => ("-n", counts[0].to_string()),
                false => ("--ranks-by-node", ByNode(counts).words()),
            });
        }
    }
}

/// A file or a question that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// How long a node may take to say that it is still there.
const MOMENT: Duration = Duration::from_secs(15);

impl Options {
    /// Whether the job is for other hosts.
    pub(super) fn wanted(&self) -> bool {
        self.hosts.is_some() || self.grid.is_some() || self.group.is_some()
    }

    /// Runs the job on them.
    pub(super) fn run(&self, mut program: Program) -> Result<ExitCode> {
        let (nodes, grid) = self.nodes()?;
        let places = places(&nodes, program.ranks, program.numbering)?;
        program.take_places(&places);
        let is_slurm = self.hosts.as_deref() == Some("slurm");
        let launcher = match Launcher::find(self.launcher.as_deref(), is_slurm, program.library.as_deref()) {
            Err(error) if self.dry_run && self.launcher.is_none() => {
                tell!("rankine: note: {error:#}; the command is shown as it would be with the usual one");
                Launcher::usual(is_slurm)
            }
            found => found?,
        };
        program.grants.keep_from([Kept::new(&launcher.path, "the launcher")])?;
        program.file = std::path::absolute(&program.file)?;
        if grid.is_some() {
            // Ranks don't start in this folder, which other nodes may not have.
            program.options = with_whole_paths(&program.options)?;
        }
        // What is wrong with it is said here, once, and its code is in the cache of all that share this file system.
        compile::ahead(&program.file, &module::read(&program.file)?, program.codegen)?;

        let asker = Asker {
            ssh: self.ssh.clone().or_else(|| env_path("RANKINE_SSH")),
            rankine: std::env::current_exe().context("the path of this program is not known")?,
            limit: LONGEST,
        };
        let is_staged = self.stage || grid.is_some() || !self.inputs.is_empty() || !self.outputs.is_empty();
        let baggage = match is_staged {
            true => Some(Baggage::pack(&program.file, &self.inputs, &self.outputs, program.codegen.words().collect())?),
            false => None,
        }
        .map(|baggage| baggage.with_retries(self.retries));
        ensure!(
            baggage.is_some() || self.retries == 0,
            "--retries works with --grid and --stage only, which check the nodes first"
        );
        let ready = match &baggage {
            Some(baggage) => self.stage(&asker, &program, &places, baggage)?,
            None => Vec::new(),
        };
        let parts = parts(&asker, &program, &places, baggage.as_ref(), (&ready, grid.is_some()));
        let reach = reach(&asker, &program, grid.is_some())?;
        let job = Job { parts, reach, options: self.launcher_options.clone() };
        let mut command = launcher.command(&job)?;
        if let Some(grid) = &grid {
            command.env("RANKINE_GRID", grid).envs(self.ssh.iter().map(|ssh| ("RANKINE_SSH", ssh)));
            command.envs(network(&program, &ready).iter().copied());
        }
        if self.dry_run {
            super::print_page(&format!("{}\n", shown(&command)))?;
            return Ok(ExitCode::SUCCESS);
        }
        tracing::info!("{}", shown(&command));
        if grid.is_none() && baggage.as_ref().is_none_or(|baggage| !baggage.is_awaited()) {
            let replaced = os::replace_process(&mut command);
            return replaced.with_context(|| format!("the launcher {} cannot be started", launcher.path.display()));
        }
        supervised(command, &asker, &places, baggage.as_ref())
    }

    /// The nodes, in their order, and the file that describes them.
    fn nodes(&self) -> Result<(Vec<Node>, Option<PathBuf>)> {
        if let Some(hosts) = &self.hosts {
            return Ok((hosts::read(hosts)?, None));
        }
        let (grid, file) = Grid::find(self.grid.as_deref())?;
        let nodes = grid.wanted(self.group.as_deref())?.into_iter().cloned().collect();
        Ok((nodes, Some(file)))
    }

    /// Brings everything to the nodes; what each says of itself.
    fn stage(&self, asker: &Asker, program: &Program, places: &[Place], baggage: &Baggage) -> Result<Vec<Ready>> {
        let nodes: Vec<&Node> = places.iter().map(|place| &place.node).collect();
        for node in nodes.iter().filter(|node| !node.is_here()) {
            program.grants.keep_from([Kept::new(asker.ssh(node)?, "the program that reaches other hosts")])?;
        }
        if !self.dry_run {
            let carriers: Vec<_> = places.iter().map(|place| (&place.node, place.words())).collect();
            return Ok(baggage.send(asker, &carriers)?.into_iter().map(|staged| staged.ready).collect());
        }
        for node in nodes {
            super::print_page(&format!("{}\n", shown(&asker.command(node, &baggage.question(node))?)))?;
        }
        Ok(Vec::new())
    }
}

/// How the launcher reaches nodes: as it likes, by a program that was named, or as the grid says.
fn reach(asker: &Asker, program: &Program, is_grid: bool) -> Result<Vec<OsString>> {
    if is_grid {
        return Ok(vec![asker.rankine.clone().into(), "grid".into(), "ssh".into()]);
    }
    if asker.ssh.is_none() {
        return Ok(Vec::new());
    }
    // The launcher asks nobody whether a guest could have written it.
    let named = asker.ssh(&Node::default())?;
    program.grants.keep_from([Kept::new(&named, "the program that reaches other hosts")])?;
    Ok(vec![named.into()])
}

/// What differs from node to node, nodes that have the same command taken together.
fn parts(
    asker: &Asker,
    program: &Program,
    places: &[Place],
    baggage: Option<&Baggage>,
    (ready, is_grid): (&[Ready], bool),
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let node = &place.node;
        let mut part = Part {
            environment: ready.get(at).map(environment).unwrap_or_default(),
            folder: baggage.filter(|_| is_grid).map(|_| node.store()),
            words: words(asker, program, place, baggage),
            places: Vec::new(),
        };
        let here = (node.address.clone(), if program.by_node { 1 } else { place.ranks.len() });
        match parts.last_mut().filter(|last| Part { places: Vec::new(), ..(**last).clone() } == part) {
            Some(last) => last.places.push(here),
            None => {
                part.places.push(here);
                parts.push(part);
            }
        }
    }
    parts
}

/// What the library is told of the network between nodes of which one at least has no faster one than TCP.
fn network(program: &Program, ready: &[Ready]) -> &'static [(&'static str, &'static str)] {
    if !program.chooses_network || ready.len() < 2 || ready.iter().all(|ready| !ready.fabrics.is_empty()) {
        return &[];
    }
    let names: Vec<String> = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let settings = network::settings(names.iter().map(String::as_str));
    for (name, value) in settings {
        tracing::info!("nodes are joined by TCP: {name}={value}");
    }
    settings
}

/// A node's own folders, where they are not called as here: ranks take their code from where it was made.
fn environment(ready: &Ready) -> Vec<(&'static str, PathBuf)> {
    let other = |name, theirs: &Option<PathBuf>, ours: Option<PathBuf>| {
        theirs.clone().filter(|theirs| Some(theirs) != ours.as_ref()).map(|theirs| (name, theirs))
    };
    let cache = other("RANKINE_CACHE_DIR", &ready.cache, folders::cache());
    let state = other("RANKINE_STATE_DIR", &ready.state, folders::state());
    cache.into_iter().chain(state).collect()
}

/// The command of a node's ranks.
fn words(asker: &Asker, program: &Program, place: &Place, baggage: Option<&Baggage>) -> Vec<OsString> {
    let node = &place.node;
    let mut words: Vec<OsString> = vec![asker.rankine(node).into()];
    words.extend(["run", "--engine", if program.by_node { "nodes" } else { "mpi" }].map(OsString::from));
    words.extend(program.ranks_by_node.iter().flat_map(|(option, value)| [(*option).into(), value.into()]));
    if let Some(library) = &node.library {
        words.extend(["--mpi-lib".into(), library.into()]);
    }
    words.extend(program.options.iter().map(|word| in_folders_of(node, word)));
    let Some(baggage) = baggage else {
        words.push(program.file.clone().into());
        words.extend(program.arguments.iter().map(OsString::from));
        return words;
    };
    if let Some(mut folder) = baggage.folder_on(node).map(PathBuf::into_os_string) {
        folder.push("::.");
        words.extend(["--dir".into(), folder]);
    }
    if let Some(mark) = baggage.mark_on(node) {
        words.extend(["--mark-start".into(), mark.into()]);
    }
    words.extend([DIGEST_OPTION.into(), baggage.digest().into(), baggage.program_on(node).into()]);
    words.extend(program.arguments.iter().map(OsString::from));
    words
}

/// Options whose folders don't depend on where `rankine` is started.
fn with_whole_paths(options: &[OsString]) -> Result<Vec<OsString>> {
    let mut whole = Vec::with_capacity(options.len());
    for (at, word) in options.iter().enumerate() {
        let is_folder = at > 0 && ["--dir", "--dir-ro"].iter().any(|option| options[at - 1] == **option);
        let starts_whole = word.as_encoded_bytes().starts_with(b"{");
        whole.push(match is_folder && !starts_whole {
            true => std::path::absolute(word)?.into_os_string(),
            false => word.clone(),
        });
    }
    Ok(whole)
}

/// An option's value in which `{data}` and `{scratch}` stand for folders of the node.
fn in_folders_of(node: &Node, word: &OsString) -> OsString {
    let Some(text) = word.to_str() else { return word.clone() };
    for (name, folder) in [("{data}", &node.data), ("{scratch}", &node.scratch)] {
        if let (Some(rest), Some(folder)) = (text.strip_prefix(name), folder) {
            let mut replaced = folder.clone().into_os_string();
            replaced.push(rest);
            return replaced;
        }
    }
    word.clone()
}

/// Starts the launcher, waits for it, brings back what the job has left. The exit status is the launcher's.
fn supervised(command: Command, asker: &Asker, places: &[Place], baggage: Option<&Baggage>) -> Result<ExitCode> {
    let nodes: Vec<&Node> = places.iter().map(|place| &place.node).collect();
    let code = launched(command, asker, &nodes, baggage)?;
    if code != 0 {
        report_lost(asker, places);
    }
    let fetched = baggage.map_or(Ok(()), |baggage| baggage.fetch(asker, &nodes));
    match (code, fetched) {
        (0, fetched) => fetched.map(|()| ExitCode::SUCCESS),
        (code, fetched) => {
            if let Err(error) = fetched {
                tell!("rankine: {error:#}");
            }
            Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
        }
    }
}

/// Runs the launcher, again if no rank of the job has started. Its status in the end.
fn launched(command: Command, asker: &Asker, nodes: &[&Node], baggage: Option<&Baggage>) -> Result<i32> {
    let asker = asker.within(MOMENT);
    let mut supervisor = Supervisor::new(command);
    let mut retries = baggage.map_or(Retries::new(0), Baggage::retries);
    loop {
        let status = supervisor.run()?;
        if let Some(signal) = os::signal(status).filter(|_| !supervisor.is_told()) {
            tell!("rankine: the launcher was ended by signal {signal}, and its ranks with it");
        }
        let code = status.code().unwrap_or_else(|| 128 + os::signal(status).unwrap_or(0));
        let may_begin_again = code != 0 && !supervisor.is_told() && retries.are_wanted();
        match baggage.filter(|_| may_begin_again) {
            Some(baggage) if begins_again(baggage, &asker, nodes, (&mut retries, code)) => {}
            _ => return Ok(code),
        }
    }
}

/// Whether the launcher is to be run again: no rank has started, and a try is left.
fn begins_again(baggage: &Baggage, asker: &Asker, nodes: &[&Node], (retries, code): (&mut Retries, i32)) -> bool {
    let why = format!("the launcher ended with status {code} before a rank of the job had started");
    let mut has_paused = false;
    loop {
        let again = match baggage.is_started(asker, nodes) {
            Ok(true) => return false,
            Ok(false) if has_paused => return true,
            Ok(false) => retries.again(&why).map(|()| true),
            // It may be back in a moment, and say whether its ranks have started.
            Err(unknown) => retries.again(unknown).map(|()| false),
        };
        match again {
            Some(true) => return true,
            Some(false) => has_paused = true,
            None => {
                tell!("rankine: {why}, and no more tries are left (--retries)");
                return false;
            }
        }
    }
}

/// After a job that has failed: the nodes that are gone, and the ranks that they carried.
fn report_lost(asker: &Asker, places: &[Place]) {
    let asker = asker.within(MOMENT);
    let nodes: Vec<&Node> = places.iter().map(|place| &place.node).collect();
    let answers = each(&nodes, |node| asker.ask(node, &["--version".into()], None));
    for (place, answer) in places.iter().zip(answers) {
        if let Err(refusal @ (Refusal::Unreached(_) | Refusal::TooLate(_))) = answer {
            tell!(
                "rankine: {} is lost, and {} with it: {refusal}; `rankine grid check` says when it is back",
                place.node.name,
                place.words()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_with_the_same_command_are_one_part() {
        let mut program = Program {
            ranks: None,
            by_node: false,
            ranks_by_node: None,
            numbering: Numbering::Blocks,
            options: ["--dir-ro", "{data}/in::/in", "--label"].map(OsString::from).to_vec(),
            file: "/w/job.wasm".into(),
            codegen: Codegen::default(),
            arguments: vec!["{data}".into()],
            library: Some("/opt/mpi/lib/libmpi_abi.so.1".into()),
            chooses_network: false,
            grants: Grants::default(),
        };
        let asker = Asker { ssh: None, rankine: "/bin/rankine".into(), limit: LONGEST };
        let node = |name: &str, data: &str| Node { data: Some(data.into()), ..Node::plain(name, Some(2)) };
        let arm = Node { rankine: Some("/arm/rankine".into()), library: Some("/l".into()), ..node("c", "/d") };
        let nodes = [node("a", "/d"), node("b", "/d"), arm, node("d", "/e")];
        let parts = super::parts(
            &asker,
            &program,
            &super::places(&nodes, None, Numbering::Blocks).unwrap(),
            None,
            (&[], false),
        );
        let words: Vec<String> =
            parts.iter().map(|part| part.words.join(" ".as_ref()).into_string().unwrap()).collect();
        let rest = "--label /w/job.wasm {data}";
        assert_eq!(
            words,
            [
                format!("/bin/rankine run --engine mpi --dir-ro /d/in::/in {rest}"),
                format!("/arm/rankine run --engine mpi --mpi-lib /l --dir-ro /d/in::/in {rest}"),
                format!("/bin/rankine run --engine mpi --dir-ro /e/in::/in {rest}"),
            ]
        );
        let here = std::env::current_dir().unwrap().join("in::/in");
        let options = ["--dir", "in::/in", "--dir-ro", "{data}/in", "in::/in"].map(OsString::from);
        let whole = [OsString::from("--dir"), here.into(), "--dir-ro".into(), "{data}/in".into(), "in::/in".into()];
        assert_eq!(with_whole_paths(&options).unwrap(), whole);
        assert_eq!(parts[0].places, [("a".to_string(), 2), ("b".to_string(), 2)]);
        // A process has all ranks of a node.
        program.by_node = true;
        let mut places = super::places(&nodes[..2], None, Numbering::Blocks).unwrap();
        program.take_places(&places);
        let parts = super::parts(&asker, &program, &places, None, (&[], false));
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].places, [("a".to_string(), 1), ("b".to_string(), 1)]);
        let words = parts[0].words.join(" ".as_ref()).into_string().unwrap();
        assert_eq!(words, format!("/bin/rankine run --engine nodes -n 2 --dir-ro /d/in::/in {rest}"));
        places[1].ranks.push(4);
        program.take_places(&places);
        let parts = super::parts(&asker, &program, &places, None, (&[], false));
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].words[3..6].join(" ".as_ref()), "nodes --ranks-by-node 2,3");
    }
}
