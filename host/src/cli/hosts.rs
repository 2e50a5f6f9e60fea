//! The hosts of a job: names with slot counts, from a file, from the command line, or from a Slurm allocation.

use std::fmt::Write as _;
use std::iter::repeat_n;
use std::net::Ipv6Addr;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use rankine_guest::Who;
use rankine_local::away::Numbering;

use crate::report::apart;
use rankine_grid::names::expand;
use rankine_grid::node::Node;

/// Some ranks of a job, and the node that carries them.
#[derive(Debug)]
pub(super) struct Place {
    pub node: Node,
    /// Which, in order.
    pub ranks: Vec<usize>,
}

impl Place {
    /// Its ranks, in words.
    pub(super) fn words(&self) -> String {
        match self.ranks[..] {
            [first, .., last] if last - first + 1 == self.ranks.len() => format!("ranks {first}-{last}"),
            _ => apart::ranks(&self.ranks.iter().copied().map(Who::from).collect::<Vec<_>>()),
        }
    }
}

/// Ranks of a job: more than any machine has, and few enough to be numbered one by one.
const MOST_RANKS: usize = 1 << 24;

/// Endings by which a lone name is that of a file, though a host could be called so.
const FILES: [&str; 9] = ["txt", "hosts", "lst", "list", "cfg", "conf", "ini", "toml", "nodes"];

/// Whether a text names a file: one that is there, or one that is meant to be. Everything else is a list of hosts.
fn is_file(wanted: &str) -> bool {
    let is_alone = !wanted.contains([',', ':', '[']);
    let ending = Path::new(wanted).extension().and_then(|ending| ending.to_str());
    Path::new(wanted).is_file()
        || wanted.contains('/')
        || is_alone && (wanted.starts_with('.') || ending.is_some_and(|ending| FILES.contains(&ending)))
}

/// What `--hosts` names: `slurm`, a file, or a list such as `n1:4,n2:4`.
pub(super) fn read(wanted: &str) -> Result<Vec<Node>> {
    if wanted == "slurm" {
        return allocation(|name| std::env::var(name).ok());
    }
    if !is_file(wanted) {
        let hosts = wanted.split(',').map(str::trim).filter(|host| !host.is_empty());
        return gathered(hosts.map(|host| self::host(host).with_context(|| host.to_string())))
            .with_context(|| format!("--hosts {wanted}"));
    }
    let text = std::fs::read_to_string(wanted).with_context(|| {
        format!("--hosts {wanted}: cannot be read; hosts themselves are listed as n1:4,n2:4, without spaces")
    })?;
    parse(&text).with_context(|| format!("--hosts {wanted}"))
}

/// A host a line: `name`, `name:4` or `name slots=4`; `#` begins a comment. A host that is named again gets more slots.
fn parse(text: &str) -> Result<Vec<Node>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines = lines.enumerate().filter(|(_, line)| !line.is_empty());
    gathered(lines.map(|(number, line)| host(line).with_context(|| format!("line {}: {line}", number + 1))))
}

fn gathered(named: impl Iterator<Item = Result<Node>>) -> Result<Vec<Node>> {
    let mut hosts: Vec<Node> = Vec::new();
    for host in named {
        let host = host?;
        match hosts.iter_mut().find(|known| known.name == host.name) {
            Some(known) => known.slots = Some(known.slots.unwrap_or(1) + host.slots.unwrap_or(1)),
            None => hosts.push(host),
        }
    }
    ensure!(!hosts.is_empty(), "it names no host");
    Ok(hosts)
}

fn host(line: &str) -> Result<Node> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    if let Some(address) = of_ipv6(first) {
        bail!(
            "{address} is an address of IPv6, and launchers take a colon for the number of slots: give the host's name, or \
             its address of IPv4"
        );
    }
    let (name, mut slots) = match first.split_once(':') {
        Some((name, count)) => (name, Some(count)),
        None => (first, None),
    };
    for word in words {
        match word.split_once('=') {
            Some(("slots", count)) => slots = Some(count),
            // Open MPI's other key: an upper limit on top of the slots.
            Some(("max_slots" | "max-slots", _)) => {}
            _ => bail!("`{word}` is not understood; a host is written name, name:4 or name slots=4"),
        }
    }
    ensure!(is_name(name), "`{name}` is not the name of a host");
    let slots = match slots.map(str::parse) {
        None => None,
        Some(Ok(0)) | Some(Err(_)) => bail!("a number of slots is 1 or more"),
        Some(Ok(count)) => Some(count),
    };
    Ok(Node::plain(name, slots))
}

/// The address in `[::1]:2`, or a bare one.
fn of_ipv6(word: &str) -> Option<Ipv6Addr> {
    let inside = word.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inside.map_or(word, |(address, _)| address).parse().ok()
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@'))
}

/// The hosts of the Slurm allocation that this process is in.
fn allocation(variable: impl Fn(&str) -> Option<String>) -> Result<Vec<Node>> {
    let names = variable("SLURM_JOB_NODELIST").or_else(|| variable("SLURM_NODELIST")).context(
        "--hosts slurm: this is not a Slurm allocation (SLURM_JOB_NODELIST is not set); get one with salloc or sbatch",
    )?;
    let names = expand(&names).with_context(|| format!("SLURM_JOB_NODELIST is {names}"))?;
    if let Some(name) = names.iter().find(|name| !is_name(name)) {
        bail!("SLURM_JOB_NODELIST has `{name}`, which is not the name of a host");
    }
    let tasks = variable("SLURM_TASKS_PER_NODE").map(|text| repeated(&text)).transpose()?.unwrap_or_default();
    let slots = tasks.into_iter().map(Some).chain(std::iter::repeat(None));
    Ok(names.iter().zip(slots).map(|(name, slots)| Node::plain(name, slots)).collect())
}

/// Slurm's short form of counts: `4(x3),2` is 4, 4, 4 and 2.
fn repeated(text: &str) -> Result<Vec<usize>> {
    let mut counts = Vec::new();
    for item in text.split(',') {
        let (count, times) = match item.split_once("(x") {
            Some((count, times)) => (count, times.trim_end_matches(')')),
            None => (item, "1"),
        };
        let (Ok(count), Ok(times)) = (count.parse::<usize>(), times.parse::<usize>()) else {
            bail!("SLURM_TASKS_PER_NODE is {text}, which is not a list of counts");
        };
        ensure!(times < 1 << 20, "SLURM_TASKS_PER_NODE is {text}: too many");
        counts.extend(std::iter::repeat_n(count, times));
    }
    Ok(counts)
}

/// The host of each rank, as many as each has slots: one host after the other, or all in turn.
fn dealt(slots: &[usize], numbering: Numbering) -> Box<dyn Iterator<Item = usize> + '_> {
    let hosts = || slots.iter().copied().enumerate();
    let of_round = move |round| hosts().filter(move |(_, slots)| *slots > round).map(|(host, _)| host);
    match numbering {
        Numbering::Blocks => Box::new(hosts().flat_map(|(host, slots)| repeat_n(host, slots))),
        Numbering::Turns => Box::new((0..).flat_map(of_round)),
    }
}

/// Which ranks each host carries: hosts are filled in their order, or in turn. Where none has a number of slots, ranks are
/// spread evenly; where no number of ranks is given, every slot gets one.
pub(super) fn places(hosts: &[Node], ranks: Option<usize>, numbering: Numbering) -> Result<Vec<Place>> {
    let all = hosts.iter().fold(0, |all: usize, host| all.saturating_add(host.slots.unwrap_or(1)));
    let ranks = ranks.unwrap_or(all);
    ensure!(
        ranks <= MOST_RANKS,
        "the hosts have {ranks} slots, and a job has {MOST_RANKS} ranks at most: say how many with -n"
    );
    let even = hosts.iter().all(|host| host.slots.is_none());
    let slots: Vec<usize> = hosts
        .iter()
        .enumerate()
        .map(|(at, host)| match host.slots {
            Some(slots) => slots,
            None if even => ranks / hosts.len() + usize::from(at < ranks % hosts.len()),
            None => 1,
        })
        .collect();
    let room = slots.iter().fold(0, |room: usize, slots| room.saturating_add(*slots));
    if room < ranks {
        let mut list = String::new();
        for (host, slots) in hosts.iter().zip(&slots).take(8) {
            let _ = write!(list, " {}:{slots}", host.name);
        }
        bail!(
            "{ranks} ranks are asked for (-n), but the hosts have {room} slots:{list}{}",
            if hosts.len() > 8 { " …" } else { "" }
        );
    }
    let mut places: Vec<Place> = hosts.iter().map(|host| Place { node: host.clone(), ranks: Vec::new() }).collect();
    for (rank, host) in (0..ranks).zip(dealt(&slots, numbering)) {
        places[host].ranks.push(rank);
    }
    places.retain(|place| !place.ranks.is_empty());
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, slots: impl Into<Option<usize>>) -> Node {
        Node::plain(name, slots.into())
    }

    #[test]
    fn lines_of_a_file() {
        let hosts = parse("# two racks\nn1:4\n\n n2 slots=2 max_slots=8 # slow\nn3\nn1:1\n").unwrap();
        assert_eq!(hosts, [host("n1", 5), host("n2", 2), host("n3", None)]);
        for (text, reason) in [
            ("", "names no host"),
            ("n1:0", "1 or more"),
            ("n1:x", "1 or more"),
            ("-oProxyCommand=x", "not the name"),
            ("n1;id", "not the name"),
            ("n1 cores=4", "cores=4"),
        ] {
            let error = format!("{:#}", parse(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_list_on_the_command_line() {
        assert_eq!(read("n1:2,n2").unwrap(), [host("n1", 2), host("n2", None)]);
        assert_eq!(read("127.0.0.1:2").unwrap(), [host("127.0.0.1", 2)]);
        assert_eq!(read("127.0.0.1").unwrap(), [host("127.0.0.1", None)]);
        assert_eq!(
            read("n1.cluster.org:2,me@n2.cluster.org,n1.cluster.org:1").unwrap(),
            [host("n1.cluster.org", 3), host("me@n2.cluster.org", None)]
        );
        assert_eq!(read("n1.cluster.org").unwrap(), [host("n1.cluster.org", None)]);
        let wrong = |text: &str| format!("{:#}", read(text).unwrap_err());
        for text in ["no/such/file", "my.hosts", "hosts.txt", "./hosts"] {
            assert!(wrong(text).contains("cannot be read"), "{text}: {}", wrong(text));
        }
        for text in ["[::1]:2", "::1", "n1:2,[fe80::1]:4", "[::1]"] {
            assert!(wrong(text).contains("an address of IPv6"), "{text}: {}", wrong(text));
        }
        assert!(wrong("n1:2,n2:0").starts_with("--hosts n1:2,n2:0: n2:0: ") && wrong("n1;id:2").contains("`n1;id`"));
    }

    #[test]
    fn a_file_may_be_called_as_a_host() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("n1.cluster.org");
        std::fs::write(&file, "a:2\n").unwrap();
        assert_eq!(read(file.to_str().unwrap()).unwrap(), [host("a", 2)]);
    }

    #[test]
    fn an_allocation() {
        let variables = |name: &str| match name {
            "SLURM_JOB_NODELIST" => Some("r[1-2]n[08-10],login".to_string()),
            "SLURM_TASKS_PER_NODE" => Some("4(x6),1".to_string()),
            _ => None,
        };
        let hosts = allocation(variables).unwrap();
        assert_eq!(hosts.len(), 7);
        assert_eq!(hosts[1], host("r1n09", 4));
        assert_eq!(hosts[3], host("r2n08", 4));
        assert_eq!(hosts[6], host("login", 1));
        assert!(allocation(|_| None).is_err());
        assert!(repeated("4(xy)").is_err());
    }

    #[test]
    fn ranks_on_hosts() {
        let named = |places: Vec<Place>| {
            places
                .iter()
                .map(|place| format!("{}:{}", place.node.name, place.ranks.len()))
                .collect::<Vec<_>>()
                .join(",")
        };
        let places = |hosts: &[Node], ranks| super::places(hosts, ranks, Numbering::Blocks);
        let even = [host("a", None), host("b", None), host("c", None)];
        assert_eq!(named(places(&even, Some(7)).unwrap()), "a:3,b:2,c:2");
        assert_eq!(named(places(&even, Some(2)).unwrap()), "a:1,b:1");
        assert_eq!(named(places(&even, None).unwrap()), "a:1,b:1,c:1");
        let some = [host("a", 4), host("b", None), host("c", 4)];
        assert_eq!(named(places(&some, Some(6)).unwrap()), "a:4,b:1,c:1");
        let ranks: Vec<String> = places(&some, Some(9)).unwrap().iter().map(Place::words).collect();
        assert_eq!(ranks, ["ranks 0-3", "rank 4", "ranks 5-8"]);
        let error = places(&some, Some(10)).unwrap_err().to_string();
        assert!(error.contains("10 ranks") && error.contains("9 slots: a:4 b:1 c:4"), "{error}");
        let error =
            super::places(&[host("a", usize::MAX), host("b", 1)], None, Numbering::Turns).unwrap_err().to_string();
        assert!(error.contains("say how many with -n"), "{error}");
        assert_eq!(super::places(&[host("a", usize::MAX), host("b", 1)], Some(3), Numbering::Turns).unwrap().len(), 2);
    }

    #[test]
    fn ranks_on_hosts_in_turn() {
        let hosts = [host("a", 3), host("b", 1), host("c", 4)];
        let ranks = |count| {
            let places = places(&hosts, count, Numbering::Turns).unwrap();
            places.iter().map(|place| format!("{} {}", place.node.name, place.words())).collect::<Vec<_>>()
        };
        assert_eq!(ranks(None), ["a ranks 0, 3 and 5", "b rank 1", "c ranks 2, 4, 6 and 7"]);
        assert_eq!(ranks(Some(4)), ["a ranks 0 and 3", "b rank 1", "c rank 2"]);
        assert_eq!(ranks(Some(2)), ["a rank 0", "b rank 1"]);
    }
}
