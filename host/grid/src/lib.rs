//! The grid: nodes of different kinds, described once (`grid.toml`), and what they are asked; how files come to them, and what
//! starts a job there.
//!
//! Nothing here runs a program: the command asks a node, by ssh, for a `rankine` of the same version, and a launcher or batch
//! system for the ranks.
#![cfg_attr(not(unix), allow(dead_code, reason = "a node of a grid has Linux or macOS"))]

pub mod ask;
pub mod batch;
pub mod check;
pub mod facts;
mod file;
pub mod install;
pub mod launcher;
pub mod manifest;
pub mod names;
pub mod network;
pub mod node;
pub mod retries;
pub mod stage;
pub mod store;
pub mod supervise;

pub use file::parse;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use names::{expand, split_outside_brackets};
use node::Node;
use rankine_system::places::env_path;
use rankine_system::trust::Found;

/// Nodes, and groups of them.
#[derive(Debug)]
pub struct Grid {
    /// In the order of the file: ranks are placed so.
    pub nodes: Vec<Node>,
    /// Names of groups, and what they consist of.
    pub groups: Vec<(String, String)>,
}

/// Groups within groups: more is a mistake.
const DEEPEST: usize = 8;

impl Grid {
    /// The grid in the file that was named, else in `RANKINE_GRID`, else in the working folder's `grid.toml`. What lies in the
    /// working folder, whichever that is, nobody has named.
    pub fn find(named: Option<&Path>) -> Result<(Grid, PathBuf)> {
        let (path, found) = match (named, env_path("RANKINE_GRID")) {
            (Some(path), _) => (path.to_path_buf(), Found::Named),
            (None, Some(path)) if path.is_absolute() => (path, Found::Named),
            (None, Some(path)) => (path, Found::ByPlace),
            (None, None) if Path::new("grid.toml").exists() => ("grid.toml".into(), Found::ByPlace),
            (None, None) => bail!("which grid? There is no grid.toml here; name one with --grid or RANKINE_GRID"),
        };
        let path = std::path::absolute(path)?;
        Ok((file::read(&path, found)?, path))
    }

    /// The nodes of a group, in its order, each once: `arm+n[1-4]` is a union of groups, kinds, labels and nodes.
    pub fn group(&self, wanted: &str) -> Result<Vec<&Node>> {
        let mut found = Vec::new();
        self.collect(wanted, &mut Vec::new(), &mut found)?;
        ensure!(!found.is_empty(), "`{wanted}` has no nodes");
        Ok(found)
    }

    /// The node with this address, or this name.
    pub fn at(&self, address: &str) -> Option<&Node> {
        let by_address = self.nodes.iter().find(|node| node.address == address);
        by_address.or_else(|| self.nodes.iter().find(|node| node.name == address))
    }

    /// The nodes that are asked for: a group, or all.
    pub fn wanted(&self, group: Option<&str>) -> Result<Vec<&Node>> {
        group.map_or_else(|| Ok(self.nodes.iter().collect()), |group| self.group(group))
    }

    /// Adds the nodes of a union; `within` are the groups that it was named in.
    fn collect<'a>(&'a self, wanted: &str, within: &mut Vec<&'a str>, found: &mut Vec<&'a Node>) -> Result<()> {
        ensure!(within.len() <= DEEPEST, "more than {DEEPEST} groups, each in the other");
        for term in split_outside_brackets(wanted, '+') {
            for name in expand(term.trim())? {
                if let Some((group, members)) = self.groups.iter().find(|(group, _)| *group == name) {
                    ensure!(!within.contains(&group.as_str()), "the group `{name}` is part of itself");
                    within.push(group);
                    self.collect(members, within, found)?;
                    within.pop();
                    continue;
                }
                let before = found.len();
                let mut is_known = false;
                for node in self.nodes.iter().filter(|node| node.name == name || node.is_a(&name)) {
                    is_known = true;
                    if !found[..before].iter().any(|other| other.name == node.name) {
                        found.push(node);
                    }
                }
                ensure!(is_known, "there is no node, group, kind or label `{name}`; there are: {}", self.words());
            }
        }
        Ok(())
    }

    /// Names that several nodes go by.
    fn words(&self) -> String {
        let mut words: Vec<&str> = self.groups.iter().map(|(name, _)| name.as_str()).collect();
        let kinds = self.nodes.iter().filter_map(|node| node.kind.as_deref());
        for word in kinds.chain(self.nodes.iter().flat_map(|node| node.labels.iter().map(String::as_str))) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        match words[..] {
            [] => format!("the nodes {}", self.few_nodes()),
            _ => format!("{}; the nodes {}", words.join(", "), self.few_nodes()),
        }
    }

    fn few_nodes(&self) -> String {
        const SHOWN: usize = 8;
        let names: Vec<&str> = self.nodes.iter().take(SHOWN).map(|node| node.name.as_str()).collect();
        format!("{}{}", names.join(", "), if self.nodes.len() > SHOWN { " …" } else { "" })
    }
}

impl Node {
    /// Whether it is of a kind, or has a label.
    fn is_a(&self, word: &str) -> bool {
        self.kind.as_deref() == Some(word) || self.labels.iter().any(|label| label == word)
    }
}
