//! `rankine grid`: the nodes that `grid.toml` describes, and what they say of themselves.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use rankine_system::{os, tell};
use serde_json::{Value, json};

use super::values::parse_seconds;
use super::{grid_store, print_page, written};
use crate::engine::mpi;
use rankine_grid::ask::{Asker, each};
use rankine_grid::check::{Report, columns};
use rankine_grid::facts::{Facts, Mpi, Question};
use rankine_grid::install::{Installed, Program};
use rankine_grid::manifest::Manifest;
use rankine_grid::node::Node;
use rankine_grid::{Grid, check, manifest};
use rankine_system::places::env_path;
use rankine_system::shown;

/// The command line of `rankine grid`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the nodes and groups of a grid, as its file describes them; with --ask also what each node is, how busy it is
    /// and which versions it has
    List(List),
    /// Ask every node whether jobs can run there; for what is missing, name the next step
    Check(Check),
    /// Run a command on a node, reached as the grid says
    Ssh(Ssh),
    /// Copy `rankine` to nodes that lack it or have another version, to the place that the grid names
    Install(Install),
    /// Remove files that jobs have copied to the nodes and that none has used for some time
    Clean(Clean),
    /// Write a job for the MPI Operator of Kubernetes: an MPIJob, and a Containerfile for its image
    Manifest(Pods),
    /// What this machine says when a grid asks it
    #[command(hide = true)]
    Facts(Question),
    /// What this machine keeps for jobs that bring their files along
    #[command(hide = true, subcommand)]
    Store(grid_store::Command),
}

#[derive(clap::Args)]
struct Ssh {
    /// The node, by its address or its name
    node: String,

    /// The command
    #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

#[derive(clap::Args)]
struct Install {
    /// Nodes, or names of groups, kinds and labels
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,

    /// What to copy, for nodes of another kind: a binary, or a package made by `./x package` [default: this program]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The file that describes the grid [default: RANKINE_GRID, else grid.toml]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,

    /// The program to use instead of ssh to run a command on a node (or RANKINE_SSH)
    #[arg(long, value_name = "PROGRAM")]
    ssh: Option<PathBuf>,

    /// How long a node may take: seconds, or 45s, 2m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_seconds)]
    wait: Duration,
}

#[derive(clap::Args)]
struct Clean {
    #[command(flatten)]
    wanted: Wanted,

    #[command(flatten)]
    ways: Ways,

    /// Remove what has not been used for this many days
    #[arg(long, value_name = "N", default_value_t = 30)]
    days: u32,
}

#[derive(clap::Args)]
struct Pods {
    /// Number of ranks
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    ranks: u32,

    /// Ranks per pod
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    per_pod: u32,

    /// The image of the pods
    #[arg(long, value_name = "IMAGE", value_parser = parse_image)]
    image: String,

    /// The name of the job: lower-case letters, digits and hyphens
    #[arg(long, value_name = "NAME", value_parser = parse_pod)]
    name: String,

    /// The folder to write mpijob.yaml and Containerfile to
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,

    /// Options of `rankine run`, the program and its arguments
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    run: Vec<String>,
}

fn parse_image(text: &str) -> Result<String, String> {
    if manifest::is_image(text) { Ok(text.into()) } else { Err("this is not the name of an image".into()) }
}

fn parse_pod(text: &str) -> Result<String, String> {
    match manifest::is_name(text) {
        true => Ok(text.into()),
        false => Err("Kubernetes takes up to 50 small letters, digits and hyphens".into()),
    }
}

/// How nodes are reached.
#[derive(clap::Args)]
struct Ways {
    /// The program to use instead of ssh to run a command on a node (or RANKINE_SSH)
    #[arg(long, value_name = "PROGRAM")]
    ssh: Option<PathBuf>,

    /// How long a node may take: seconds, or 45s, 2m, 1h
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_seconds)]
    wait: Duration,
}

impl Ways {
    fn asker(&self) -> Result<Asker> {
        let ssh = self.ssh.clone().or_else(|| env_path("RANKINE_SSH"));
        let rankine = std::env::current_exe().context("the path of this program is not known")?;
        Ok(Asker { ssh, rankine, limit: self.wait })
    }
}

/// Which nodes.
#[derive(clap::Args)]
struct Wanted {
    /// The file that describes the grid [default: RANKINE_GRID, else grid.toml]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The file, named as for `rankine run`
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    grid: Option<PathBuf>,

    /// Only these nodes: names of groups, kinds, labels and nodes, joined by +: arm+n[1-4]
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Wanted {
    fn grid(&self) -> Result<(Grid, PathBuf)> {
        if let Some(file) = self.file.as_deref().filter(|file| !file.exists()) {
            bail!("there is no file {}; nodes are named by --group", shown::line(&file.to_string_lossy()));
        }
        Grid::find(self.file.as_deref().or(self.grid.as_deref()))
    }
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    wanted: Wanted,

    /// Ask every node for its architecture, its load and its versions of `rankine` and the MPI library
    #[arg(long)]
    ask: bool,

    #[command(flatten)]
    ways: Ways,
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    wanted: Wanted,

    #[command(flatten)]
    ways: Ways,
}

/// The MPI library that ranks of this machine would be given.
fn mpi_library(named: Option<&Path>) -> Result<Mpi> {
    let library = mpi::library::find(named)?;
    Ok(Mpi { version: library.version.clone(), path: library.path.clone() })
}

/// Asks every node. One that names no MPI library of its own has that of this machine, at the same path.
fn check_all(asker: &Asker, nodes: &[&Node]) -> Vec<Report> {
    let library = mpi_library(None).ok().map(|library| library.path).filter(|path| path.is_absolute());
    check::check(asker, nodes, &check::Wanted { library: library.as_deref(), unshown: mpi::unshown })
}

/// Runs the subcommand; `check` has status 1 when a job could not run on all nodes.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(0);
    os::only_on_unix("rankine grid", "start jobs on several nodes from there")?;
    match arguments.command {
        Command::List(list) => list.run(),
        Command::Check(check) => check.run(),
        Command::Ssh(ssh) => ssh.run(),
        Command::Install(install) => install.run(),
        Command::Clean(clean) => clean.run(),
        Command::Manifest(pods) => pods.run(),
        Command::Store(command) => grid_store::run(command),
        Command::Facts(question) => {
            let facts = Facts::gather(&question, mpi_library(question.mpi_lib.as_deref()));
            print_page(&format!("{}\n", serde_json::to_string(&facts)?))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl List {
    /// A node that doesn't answer is in the list all the same.
    fn run(&self) -> Result<ExitCode> {
        let (grid, file) = self.wanted.grid()?;
        let nodes = grid.wanted(self.wanted.group.as_deref())?;
        let reports = match self.ask {
            true => check_all(&self.ways.asker()?, &nodes),
            false => Vec::new(),
        };
        let page = match self.wanted.json {
            true => serde_json::to_string_pretty(&as_json(&grid, &file, &nodes, &reports)?)? + "\n",
            false => as_table(&grid, &nodes, &reports),
        };
        print_page(&page)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What the file says, and for each node what it says itself, if it was asked.
fn as_json(grid: &Grid, file: &Path, nodes: &[&Node], reports: &[Report]) -> Result<Value> {
    let groups: serde_json::Map<_, _> =
        grid.groups.iter().map(|(name, members)| (name.clone(), members.as_str().into())).collect();
    let mut described = serde_json::to_value(nodes)?;
    let reported = described.as_array_mut().into_iter().flatten().zip(reports);
    for (node, report) in reported {
        node["facts"] = serde_json::to_value(&report.facts)?;
        node["problems"] = serde_json::to_value(&report.problems)?;
    }
    Ok(json!({ "file": file, "nodes": described, "groups": groups }))
}

fn as_table(grid: &Grid, nodes: &[&Node], reports: &[Report]) -> String {
    let mut rows = vec![["node", "address", "slots", "kind", "labels", "groups"].map(String::from).to_vec()];
    rows.extend(nodes.iter().map(|node| row(grid, node)));
    if !reports.is_empty() {
        rows[0].extend(check::VERSIONS.map(String::from));
    }
    for (row, report) in rows.iter_mut().skip(1).zip(reports) {
        row.extend(report.versions());
    }
    let mut page = columns(&rows).join("\n") + "\n";
    for report in reports.iter().filter(|report| report.facts.is_none()) {
        page.extend(report.problems.iter().map(|problem| format!("{}: {}\n", report.node, problem.what)));
    }
    page
}

/// What the file says of a node.
fn row(grid: &Grid, node: &Node) -> Vec<String> {
    let or_dash = |text: String| if text.is_empty() { "-".into() } else { text };
    let is_in = |group: &str| grid.group(group).is_ok_and(|nodes| nodes.iter().any(|other| other.name == node.name));
    let groups = grid.groups.iter().filter(|(name, _)| is_in(name)).map(|(name, _)| name.as_str());
    vec![
        node.name.clone(),
        node.address.clone(),
        node.slots.map_or("-".into(), |slots| slots.to_string()),
        or_dash(node.kind.clone().unwrap_or_default()),
        or_dash(node.labels.join(" ")),
        or_dash(groups.collect::<Vec<_>>().join(" ")),
    ]
}

impl Check {
    fn run(&self) -> Result<ExitCode> {
        let (grid, _) = self.wanted.grid()?;
        let nodes = grid.wanted(self.wanted.group.as_deref())?;
        let asker = self.ways.asker()?;
        let reports = check_all(&asker, &nodes);
        let page = match self.wanted.json {
            true => serde_json::to_string_pretty(&reports)? + "\n",
            false => check::table(&reports),
        };
        print_page(&page)?;
        Ok(ExitCode::from(u8::from(!check::is_ready(&reports))))
    }
}

/// Where launchers keep the programs that they start on nodes.
const HELPERS: [&str; 3] = ["hydra_pmi_proxy", "orted", "prted"];

impl Ssh {
    /// Becomes the program that reaches the node. A launcher calls this in place of ssh.
    fn run(&self) -> Result<ExitCode> {
        let (grid, file) = Grid::find(None)?;
        let Some(node) = grid.at(&self.node) else {
            bail!("{} describes no node {}", file.display(), shown::line(&self.node))
        };
        let (first, rest) = self.command.split_first().context("a command has a name")?;
        if node.is_here() {
            // A launcher that does not know this machine by that address has it reached as others are.
            let mut command = std::process::Command::new("sh");
            command.arg("-c").arg(self.command.join(OsStr::new(" ")));
            let replaced = os::replace_process(&mut command);
            return replaced.context("sh cannot be started");
        }
        let asker = Ways { ssh: None, wait: Duration::ZERO }.asker()?;
        let mut command = node.reach(&asker.ssh(node)?);
        command.arg(node.library.as_deref().and_then(|library| helper(first, library)).unwrap_or(first.clone()));
        let replaced = os::replace_process(command.args(rest));
        replaced.with_context(|| format!("{} cannot be started", command.get_program().display()))
    }
}

/// The launcher's own program on a node whose MPI library lies elsewhere: in `bin` beside the library's folder. Launchers
/// quote its path for the shell there.
fn helper(word: &OsStr, library: &Path) -> Option<OsString> {
    let text = word.to_str()?;
    let name = Path::new(text.trim_matches('"')).file_name()?.to_str()?;
    let place = library.parent()?.parent()?.join("bin").join(name);
    HELPERS.contains(&name).then(|| format!("\"{}\"", place.display()).into())
}

impl Install {
    /// A line for each node; status 1 if one has not got it.
    fn run(&self) -> Result<ExitCode> {
        let (grid, _) = Grid::find(self.grid.as_deref())?;
        let nodes = grid.group(&self.nodes.join("+"))?;
        let asker = Ways { ssh: self.ssh.clone(), wait: self.wait }.asker()?;
        let program = Program::open(self.file.as_deref())?;
        let answers = each(&nodes, |node| program.install(&asker, node));
        let mut page = String::new();
        for (node, answer) in nodes.iter().zip(&answers) {
            let place = asker.rankine(node).display();
            page += &match answer {
                Ok(Installed { version, copied: None }) => format!("{}: {place} is {version} already\n", node.name),
                Ok(Installed { version, copied: Some(length) }) => {
                    format!(
                        "{}: {place} is {version} now, {} copied\n",
                        node.name,
                        rankine_system::shown::bytes(*length)
                    )
                }
                Err(refusal) => format!("{}: {refusal}\n", node.name),
            };
        }
        print_page(&page)?;
        Ok(ExitCode::from(u8::from(answers.iter().any(Result::is_err))))
    }
}

impl Clean {
    fn run(&self) -> Result<ExitCode> {
        let (grid, _) = self.wanted.grid()?;
        let nodes = grid.wanted(self.wanted.group.as_deref())?;
        let asker = self.ways.asker()?;
        let days = self.days.to_string();
        let answers = each(&nodes, |node| {
            let store = node.store();
            let words = ["grid", "store", "clean", "--days", &days, "--store"].map(OsString::from);
            asker.ask_for::<(usize, u64)>(node, &[&words[..], &[store.into()]].concat())
        });
        let removed = nodes.iter().zip(&answers).map(|(node, answer)| match answer {
            Ok((count, size)) => json!({ "node": node.name, "removed": count, "bytes": size }),
            Err(refusal) => json!({ "node": node.name, "problem": refusal.to_string() }),
        });
        let text = nodes.iter().zip(&answers).map(|(node, answer)| match answer {
            Ok((count, size)) => format!("{}: {count} removed, {}\n", node.name, rankine_system::shown::bytes(*size)),
            Err(refusal) => format!("{}: {refusal}\n", node.name),
        });
        let page = match self.wanted.json {
            true => serde_json::to_string_pretty(&removed.collect::<Vec<_>>())? + "\n",
            false => text.collect(),
        };
        print_page(&page)?;
        Ok(ExitCode::from(u8::from(answers.iter().any(Result::is_err))))
    }
}

impl Pods {
    fn run(&self) -> Result<ExitCode> {
        let job = super::submit::checked(&self.run)?;
        let program = Path::new(job.program());
        let before = self.run.len() - job.words().len();
        let name = program.file_name().and_then(|name| name.to_str()).context("the program's file has no name")?;
        let manifest = Manifest {
            name: &self.name,
            image: &self.image,
            ranks: self.ranks as usize,
            slots: self.per_pod as usize,
            program: name,
            options: &self.run[..before],
            arguments: &job.words()[1..],
        };
        for file in manifest::FILES {
            written::refuse_planted("--output", &self.output.join(file))?;
        }
        manifest.write(&self.output).with_context(|| format!("can't write to {}", self.output.display()))?;
        tell!("rankine: {0}/mpijob.yaml and {0}/Containerfile are written", self.output.display());
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_of_launchers_lie_beside_the_library() {
        let library = Path::new("/arm/lib/libmpi_abi.so.1");
        let there = |word: &str| helper(word.as_ref(), library).map(|path| path.into_string().unwrap());
        assert_eq!(there("\"/x86/bin/hydra_pmi_proxy\"").unwrap(), "\"/arm/bin/hydra_pmi_proxy\"");
        assert_eq!(there("ls"), None);
    }
}
