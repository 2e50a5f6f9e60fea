//! `rankine grid`: the nodes that `grid.toml` describes, and what they say of themselves.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::print_page;
use crate::grid::Grid;
use crate::grid::ask::Asker;
use crate::grid::check::{self, columns};
use crate::grid::facts::{Facts, Question};
use crate::grid::node::Node;

/// The command line of `rankine grid`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the nodes and groups of a grid, as its file describes them
    List(Wanted),
    /// Ask every node whether jobs can run there; what is missing is said with the next step
    Check(Check),
    /// What this machine says when a grid asks it
    #[command(hide = true)]
    Facts(Question),
}

/// Which nodes.
#[derive(clap::Args)]
struct Wanted {
    /// The file that describes the grid [default: RANKINE_GRID, else grid.toml]
    #[arg(long, value_name = "FILE")]
    grid: Option<PathBuf>,

    /// These nodes alone: names of groups, kinds, labels and nodes, with + between them: arm+n[1-4]
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,

    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    wanted: Wanted,

    /// The program that runs a command on a node, instead of ssh
    #[arg(long, value_name = "PROGRAM")]
    ssh: Option<PathBuf>,

    /// Seconds that a node may take
    #[arg(long, value_name = "SECS", default_value_t = 30)]
    wait: u16,
}

/// Runs the subcommand; `check` has status 1 when a job could not run on all nodes.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(0);
    match arguments.command {
        Command::List(wanted) => list(&wanted),
        Command::Check(check) => check.run(),
        Command::Facts(question) => {
            print_page(&format!("{}\n", serde_json::to_string(&Facts::gather(&question))?))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(wanted: &Wanted) -> Result<ExitCode> {
    let (grid, file) = Grid::find(wanted.grid.as_deref())?;
    let nodes = grid.wanted(wanted.group.as_deref())?;
    let page = match wanted.json {
        true => {
            let groups: serde_json::Map<_, _> =
                grid.groups.iter().map(|(name, members)| (name.clone(), members.as_str().into())).collect();
            serde_json::to_string_pretty(&json!({ "file": file, "nodes": nodes, "groups": groups }))? + "\n"
        }
        false => {
            let mut rows = vec![["node", "address", "slots", "kind", "labels", "groups"].map(String::from).to_vec()];
            rows.extend(nodes.iter().map(|node| row(&grid, node)));
            columns(&rows).join("\n") + "\n"
        }
    };
    print_page(&page)?;
    Ok(ExitCode::SUCCESS)
}

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
        let (grid, _) = Grid::find(self.wanted.grid.as_deref())?;
        let nodes = grid.wanted(self.wanted.group.as_deref())?;
        let asker = Asker {
            ssh: self.ssh.clone(),
            rankine: std::env::current_exe()?,
            limit: Duration::from_secs(self.wait.into()),
        };
        let reports = check::check(&asker, &nodes, check::library_here().as_deref());
        let page = match self.wanted.json {
            true => serde_json::to_string_pretty(&reports)? + "\n",
            false => check::table(&reports),
        };
        print_page(&page)?;
        Ok(ExitCode::from(u8::from(!check::is_ready(&reports))))
    }
}
