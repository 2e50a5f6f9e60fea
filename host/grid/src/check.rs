//! Which nodes of a grid are ready for a job, and the next step for those that aren't.

use std::path::Path;

use serde::Serialize;

use super::launcher::shown;
use crate::ask::{Asker, Refusal, each};
use crate::facts::{Facts, Found};
use crate::network;
use crate::node::Node;
use rankine_system::shown::bytes;

/// Space below which a job may well fail for want of it.
const LITTLE: u64 = 256 << 20;

/// A node that was asked.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub node: String,
    /// Its address.
    pub address: String,
    /// Its slots, if the grid says how many.
    pub slots: Option<usize>,
    /// What it said of itself, if it did.
    pub facts: Option<Facts>,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// Something that is wrong with a node.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// What.
    pub what: String,
    /// What to do about it.
    pub next: String,
    /// Whether no job can run there.
    pub stops: bool,
}

impl Problem {
    fn new(what: impl Into<String>, next: impl Into<String>) -> Problem {
        Problem { what: what.into(), next: next.into(), stops: true }
    }

    fn slight(what: impl Into<String>, next: impl Into<String>) -> Problem {
        Problem { stops: false, ..Problem::new(what, next) }
    }
}

/// What ranks are to have on every node.
pub struct Wanted<'w> {
    /// The MPI library of those that name none.
    pub library: Option<&'w Path>,
    /// Why an architecture is not for jobs over such a library, if it isn't.
    pub unshown: fn(&str) -> Option<String>,
}

/// Asks every node, and compares what they say.
pub fn check(asker: &Asker, nodes: &[&Node], wanted: &Wanted<'_>) -> Vec<Report> {
    let mut reports = each(nodes, |node| report(asker, node, wanted));
    compare(&mut reports);
    reports
}

fn report(asker: &Asker, node: &Node, wanted: &Wanted<'_>) -> Report {
    let facts = facts(asker, node, wanted.library);
    let problems = match &facts {
        Ok(facts) => problems(node, facts, wanted.unshown),
        Err(refusal) => vec![Problem::new(refusal.to_string(), advice(node, refusal))],
    };
    Report { node: node.name.clone(), address: node.address.clone(), slots: node.slots, facts: facts.ok(), problems }
}

/// What a node says of itself.
fn facts(asker: &Asker, node: &Node, library: Option<&Path>) -> Result<Facts, Refusal> {
    let mut words = vec!["grid".into(), "facts".into()];
    let mut option = |name: &str, value: Option<&Path>| {
        if let Some(value) = value {
            words.extend([name.into(), value.into()]);
        }
    };
    option("--mpi-lib", node.library.as_deref().or(library));
    option("--scratch", Some(node.scratch.as_deref().unwrap_or("/tmp".as_ref())));
    option("--data", node.data.as_deref());
    asker.ask_for(node, &words)
}

fn advice(node: &Node, refusal: &Refusal) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match refusal {
        Refusal::Unreached(_) | Refusal::TooLate(_) => {
            let ssh = node.ssh.first().map_or("ssh", String::as_str);
            format!(
                "`{} true` must just work, without a question; the grid says address, user, port and jump host",
                shown(&node.reach(ssh.as_ref()))
            )
        }
        Refusal::NoRankine(_) => {
            format!(
                "install rankine {version} there (`rankine grid install {}`), or say where it is: rankine = \"/…\"",
                node.name
            )
        }
        Refusal::Older(_) => format!("install rankine {version} there (`rankine grid install {}`)", node.name),
        Refusal::Failed(_) => "mend that on the node, then check again".into(),
    }
}

fn problems(node: &Node, facts: &Facts, unshown: fn(&str) -> Option<String>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    if facts.version != version {
        problems.push(Problem::new(
            format!("its rankine is {}, the one here {version}", rankine_system::shown::line(&facts.version)),
            format!("install rankine {version} there"),
        ));
    }
    if let Some(why) = unshown(&facts.architecture) {
        problems.push(Problem::new(why, "leave it out of groups for jobs; the engine local runs there"));
    }
    if let Found::Missing { missing } = &facts.mpi {
        let missing = missing.lines().next().unwrap_or_default();
        problems.push(Problem::new(
            format!("no MPI library: {}", rankine_system::shown::line(missing)),
            "install it there (`pip install mpich`), or say where it is: library = \"/…/libmpi_abi.so.1\"",
        ));
    }
    match &facts.scratch {
        Found::Missing { missing } => problems.push(Problem::new(
            format!("no scratch folder: {}", rankine_system::shown::line(missing)),
            "make it there, or name another: scratch = \"/…\"",
        )),
        Found::Here(space) if space.free < LITTLE => problems.push(Problem::slight(
            format!("{} has only {} free", space.path.display(), bytes(space.free)),
            "run `rankine grid clean`, or name another folder: scratch = \"/…\"",
        )),
        Found::Here(_) => {}
    }
    if let Some(Found::Missing { missing }) = &facts.data {
        problems.push(Problem::new(
            format!("no data folder: {}", rankine_system::shown::line(missing)),
            "make it there, or name another: data = \"/…\"",
        ));
    }
    if let Some(slots) = node.slots.filter(|&slots| slots > facts.cores && facts.cores > 0) {
        problems.push(Problem::slight(
            format!("{slots} slots on {} cores: ranks would wait for each other", facts.cores),
            format!("slots = {}", facts.cores),
        ));
    }
    problems
}

/// One job needs one kind of MPI library: nodes that differ from the first one are named.
fn compare(reports: &mut [Report]) {
    let mpi = |report: &Report| match &report.facts.as_ref()?.mpi {
        Found::Here(mpi) => Some((report.node.clone(), mpi.version.clone())),
        Found::Missing { .. } => None,
    };
    let Some((first, wanted)) = reports.iter().find_map(mpi) else { return };
    for report in reports {
        if let Some((_, version)) = mpi(report).filter(|(_, version)| *version != wanted) {
            report.problems.push(Problem::new(
                format!(
                    "its MPI library is {}, that of {first} {}",
                    rankine_system::shown::line(&version),
                    rankine_system::shown::line(&wanted)
                ),
                "install the same one on all nodes of a group",
            ));
        }
    }
}

/// Whether jobs can run on all of them.
pub fn is_ready(reports: &[Report]) -> bool {
    reports.iter().all(|report| report.problems.iter().all(|problem| !problem.stops))
}

/// The reports as a table, with what is wrong beneath each node.
pub fn table(reports: &[Report]) -> String {
    let head =
        ["node", "architecture", "system", "rankine", "slots", "cores", "load", "free", "network", "MPI library"];
    let mut rows = vec![head.map(String::from).to_vec()];
    rows.extend(reports.iter().map(row));
    let lines = columns(&rows);
    let mut page = format!("{}\n", lines[0]);
    for (report, line) in reports.iter().zip(&lines[1..]) {
        page += &format!("{line}\n");
        for problem in &report.problems {
            let mark = if problem.stops { "missing" } else { "note" };
            page += &format!("  {mark}: {}\n    → {}\n", problem.what, problem.next);
        }
    }
    page + &network(reports)
}

/// What carries messages between these nodes: the libraries, over which network, and what `--grid` tells them of it.
fn network(reports: &[Report]) -> String {
    let facts: Vec<&Facts> = reports.iter().filter_map(|report| report.facts.as_ref()).collect();
    let mut libraries: Vec<String> = facts
        .iter()
        .filter_map(|facts| match &facts.mpi {
            Found::Here(mpi) => Some(network::library(&mpi.version)),
            Found::Missing { .. } => None,
        })
        .collect();
    libraries.sort();
    libraries.dedup();
    if facts.len() < 2 || libraries.is_empty() {
        return String::new();
    }
    let libraries = libraries.join(" and ");
    if facts.iter().all(|facts| !facts.fabrics.is_empty()) {
        return format!("{libraries} carries messages between nodes, over their devices\n");
    }
    if !libraries.contains("MPICH") {
        return format!("{libraries} carries messages between nodes, over TCP\n");
    }
    let settings = network::OVER_TCP.map(|(name, value)| format!("{name}='{value}'")).join(" ");
    format!(
        "{libraries} carries messages between nodes, over TCP: if it has both UCX and libfabric, jobs on several get\n\
         {settings}, unless UCX_, FI_ or MPIR_CVAR_ variables of the network say otherwise\n\
         (share/doc/rankine/book/machines.md)\n"
    )
}

fn row(report: &Report) -> Vec<String> {
    let dash = || "-".to_string();
    let slots = report.slots.map_or_else(dash, |slots| slots.to_string());
    let [architecture, cores, load, rankine, mpi] = report.versions();
    let Some(facts) = &report.facts else {
        return [report.node.clone(), dash(), dash(), dash(), slots, dash(), dash(), dash(), dash(), dash()].to_vec();
    };
    let free = match &facts.scratch {
        Found::Here(space) => bytes(space.free),
        Found::Missing { .. } => dash(),
    };
    let said = |text: &str| rankine_system::shown::line(text);
    let network = if facts.fabrics.is_empty() { "TCP".into() } else { said(&facts.fabrics.join(" ")) };
    [report.node.clone(), architecture, said(&facts.system), rankine, slots, cores, load, free, network, mpi].to_vec()
}

/// What is shown of a node beside what the grid's file says.
pub const VERSIONS: [&str; 5] = ["architecture", "cores", "load", "rankine", "MPI library"];

impl Report {
    /// That of this node.
    pub fn versions(&self) -> [String; VERSIONS.len()] {
        let dash = || "-".to_string();
        let Some(facts) = &self.facts else { return std::array::from_fn(|_| dash()) };
        let said = |text: &str| rankine_system::shown::line(text);
        let mpi = match &facts.mpi {
            Found::Here(mpi) => said(&mpi.version),
            Found::Missing { .. } => dash(),
        };
        let load = facts.load.map_or_else(dash, |load| format!("{load:.1}"));
        [said(&facts.architecture), facts.cores.to_string(), load, said(&facts.version), mpi]
    }
}

/// Rows whose columns stand beneath each other.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|at| width(at).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Mpi, Space};

    fn facts() -> Facts {
        Facts {
            version: env!("CARGO_PKG_VERSION").into(),
            architecture: "aarch64".into(),
            cores: 4,
            mpi: Found::Here(Mpi { version: "MPICH 5.0.2".into(), path: "/lib/libmpi_abi.so.1".into() }),
            scratch: Found::Here(Space { path: "/tmp".into(), free: 1 << 40 }),
            ..Facts::default()
        }
    }

    fn unshown(architecture: &str) -> Option<String> {
        (architecture == "s390x").then(|| "the engine mpi has not been shown right on s390x".into())
    }

    fn whats(problems: &[Problem]) -> String {
        problems.iter().map(|problem| format!("{}{}", problem.what, if problem.stops { "! " } else { "? " })).collect()
    }

    #[test]
    fn a_node_that_lacks_something_says_what() {
        let node = Node::plain("n1", Some(4));
        assert_eq!(whats(&problems(&node, &facts(), unshown)), "");
        let bad = Facts {
            version: "0.0.1".into(),
            architecture: "s390x".into(),
            cores: 2,
            mpi: Found::Missing { missing: "none".into() },
            scratch: Found::Here(Space { path: "/tmp".into(), free: 1 << 20 }),
            data: Some(Found::Missing { missing: "none".into() }),
            ..facts()
        };
        let all = whats(&problems(&node, &bad, unshown));
        for part in [
            "its rankine is 0.0.1",
            "not been shown right on s390x! ",
            "no MPI library: none! ",
            "/tmp has only 1.0 MiB free? ",
            "no data folder: none! ",
            "4 slots on 2 cores: ranks would wait for each other? ",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
    }

    #[test]
    fn libraries_that_differ_are_named() {
        let report = |node: &str, version: &str| Report {
            node: node.into(),
            address: node.into(),
            slots: None,
            facts: Some(Facts { mpi: Found::Here(Mpi { version: version.into(), path: "/l".into() }), ..facts() }),
            problems: Vec::new(),
        };
        let mut reports = [report("n1", "MPICH 5.0.2"), report("n2", "MPICH 5.0.2"), report("n3", "MPICH 5.0.1")];
        compare(&mut reports);
        assert!(!is_ready(&reports) && reports[..2].iter().all(|report| report.problems.is_empty()));
        assert!(table(&reports).contains("  missing: its MPI library is MPICH 5.0.1, that of n1 MPICH 5.0.2\n"));
    }

    #[test]
    fn sizes_for_a_reader() {
        assert_eq!(
            (bytes(1000).as_str(), bytes(1536).as_str(), bytes(u64::MAX).as_str()),
            ("1000 bytes", "1.5 KiB", "16384.0 PiB")
        );
    }
}
