//! The info key `host` (§11.8.4): on which node the ranks of a command start.

use rankine_abi::MPI_ERR_SPAWN;

use crate::away::Nodes;
use crate::error::{Error, Result};
use crate::init::processor_name;
use crate::world::World;

/// What stands before the number of a node.
const NUMBER: char = '#';
/// So many hosts are named to who asks for one that is none of them.
const NAMED: usize = 8;

impl World {
    /// The node that the value of `host` names; this one without it.
    pub(super) fn node_named(&self, host: Option<&str>) -> Result<u32> {
        let (own, nodes) = self.nodes().map_or((0, 1), |nodes| (nodes.node, nodes.count()));
        match host.map(str::trim) {
            None => Ok(own),
            Some(host) => find(host, own, nodes, &self.hosts()).ok_or_else(|| unknown(host, nodes, &self.hosts())),
        }
    }

    /// What the hosts of the job's nodes are called, as `MPI_Get_processor_name` has it.
    pub(super) fn hosts(&self) -> Vec<String> {
        let nodes = self.nodes().map_or(1, Nodes::count) as usize;
        self.hosts_of_nodes().map_or_else(|| vec![processor_name(); nodes], <[String]>::to_vec)
    }
}

/// Of several nodes of one name it is the own one, or the first.
fn find(host: &str, own: u32, nodes: u32, names: &[String]) -> Option<u32> {
    if host.eq_ignore_ascii_case("localhost") {
        return Some(own);
    }
    if let Some(number) = host.strip_prefix(NUMBER) {
        return number.parse().ok().filter(|&node| node < nodes);
    }
    // A name without its domain will do.
    let is_named = |name: &str| {
        let short = name.split_once('.').map_or(name, |(short, _)| short);
        !host.is_empty() && (host.eq_ignore_ascii_case(name) || host.eq_ignore_ascii_case(short))
    };
    let mut found = (0..nodes).zip(names).filter(|(_, name)| is_named(name)).map(|(node, _)| node).peekable();
    let first = found.peek().copied();
    found.find(|&node| node == own).or(first)
}

#[cold]
fn unknown(host: &str, nodes: u32, names: &[String]) -> Error {
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if !known.contains(&name.as_str()) {
            known.push(name);
        }
    }
    let more = known.len().saturating_sub(NAMED);
    known.truncate(NAMED);
    let mut text = format!("info: host is \"{host}\", but the job's hosts are {}", known.join(", "));
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text += &match nodes {
        1 => format!(" ({NUMBER}0)"),
        _ => format!(" ({NUMBER}0 to {NUMBER}{})", nodes - 1),
    };
    Error::new(MPI_ERR_SPAWN, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_a_number() {
        let names = ["n1.cluster", "n2.cluster", "n2.cluster", "n3"].map(String::from);
        let find = |host| find(host, 2, 4, &names);
        assert_eq!([find("n1"), find("N1.Cluster"), find("n3")], [Some(0), Some(0), Some(3)]);
        // Itself rather than a neighbour.
        assert_eq!([find("n2"), find("localhost")], [Some(2); 2]);
        assert_eq!(super::find("n2", 0, 4, &names), Some(1));
        assert_eq!([find("#0"), find("#3")], [Some(0), Some(3)]);
        for host in ["", "#", "#4", "#-1", "#99999999999", "n", "n4", "n1.", "n1.clus", "n3.cluster", "0", "cluster"] {
            assert_eq!(find(host), None, "{host}");
        }
    }

    #[test]
    fn who_asks_for_another_is_told_which_there_are() {
        let names: Vec<String> = (0..20).map(|node| format!("n{}", node / 2)).collect();
        let error = unknown("m1", 20, &names);
        assert_eq!(error.class, MPI_ERR_SPAWN);
        let text =
            "info: host is \"m1\", but the job's hosts are n0, n1, n2, n3, n4, n5, n6, n7 and 2 more (#0 to #19)";
        assert_eq!(error.text, text);
        assert!(unknown("m1", 1, &names[..1]).text.ends_with("hosts are n0 (#0)"));
    }
}
