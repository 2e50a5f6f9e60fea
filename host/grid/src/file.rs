//! `grid.toml`: nodes and groups of them, described once and apart from any job.
//!
//! What is wrong with it is said with its file and line. It says which programs are run, here and on nodes, so one that
//! somebody else or a program could have written is not read.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::{NonZeroU16, NonZeroUsize};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;
use toml::Spanned;

use crate::Grid;
use crate::names::{expand, is_address, is_jump, is_name, is_user};
use crate::node::Node;
use rankine_system::trust::{Found, Notes};

/// Bytes of a grid file: some hundred for each of more nodes than there are.
const LONGEST: u64 = 16 << 20;

/// Slots of a node: more than any has.
const MOST_SLOTS: usize = 1 << 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    defaults: Entry,
    #[serde(default)]
    kinds: BTreeMap<Spanned<String>, Entry>,
    nodes: BTreeMap<Spanned<String>, Entry>,
    #[serde(default)]
    groups: BTreeMap<Spanned<String>, Spanned<Words>>,
}

/// What is said of nodes: of one, of all of a kind, of all.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    address: Option<Spanned<String>>,
    kind: Option<Spanned<String>>,
    #[serde(default)]
    labels: Vec<Spanned<String>>,
    slots: Option<Spanned<NonZeroUsize>>,
    user: Option<Spanned<String>>,
    port: Option<NonZeroU16>,
    jump: Option<Spanned<String>>,
    ssh: Option<Spanned<Words>>,
    rankine: Option<Spanned<PathBuf>>,
    library: Option<Spanned<PathBuf>>,
    data: Option<Spanned<PathBuf>>,
    scratch: Option<Spanned<PathBuf>>,
}

/// A program, alone or with its first arguments; what a group consists of, as a union or one by one.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a text is expected here, or a list of texts")]
enum Words {
    One(String),
    Some(Vec<String>),
}

/// A text with its name: where in it something is wrong.
struct Source<'a> {
    name: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        1 + self.text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()
    }

    fn wrong(&self, span: &Range<usize>, what: impl Display) -> anyhow::Error {
        anyhow!("{}, line {}: {what}", self.name.display(), self.line(span))
    }

    fn check(&self, is_right: bool, span: Range<usize>, what: impl FnOnce() -> String) -> Result<()> {
        if is_right { Ok(()) } else { Err(self.wrong(&span, what())) }
    }
}

/// Reads the grid in a file that was found so.
pub fn read(path: &Path, found: Found) -> Result<Grid> {
    let text = Notes::of_user().read_deciding(path, "says which programs are run", found, LONGEST);
    parse(path, &text.context("the grid")?)
}

/// The grid that a text describes; `name` is what errors call it.
pub fn parse(name: &Path, text: &str) -> Result<Grid> {
    let source = Source { name, text };
    let file: File = toml::from_str(text).map_err(|error| match error.span() {
        Some(span) => match dotted(&source, &span) {
            Some(name) => source.wrong(
                &span,
                format!("a dot in a name begins a table within it: write [nodes.\"{name}\"], with quotation marks"),
            ),
            None => source.wrong(&span, error.message()),
        },
        None => anyhow!("{}: {}", name.display(), error.message()),
    })?;
    let mut grid = Grid { nodes: nodes(&source, &file)?, groups: Vec::new() };
    for name in in_order(&file.groups) {
        let (span, text) = (name.span(), name.get_ref());
        source.check(is_name(text), span.clone(), || format!("`{text}` can't be the name of a group"))?;
        let is_free = grid.nodes.iter().all(|node| &node.name != text && !node.is_a(text));
        source.check(is_free, span, || format!("the group `{text}` has the name of a node, a kind or a label"))?;
        let members = match file.groups[name].get_ref() {
            Words::One(union) => union.clone(),
            Words::Some(list) => list.join("+"),
        };
        grid.groups.push((text.clone(), members));
    }
    for name in in_order(&file.groups) {
        grid.group(name.get_ref()).map_err(|error| source.wrong(&file.groups[name].span(), format!("{error:#}")))?;
    }
    Ok(grid)
}

/// The name of a node whose dots were not quoted, where reading has stumbled over them: `[nodes.n1.cluster.org]`.
fn dotted<'t>(source: &Source<'t>, span: &Range<usize>) -> Option<&'t str> {
    let here = source.line(span);
    let line = source.text.lines().nth(here - 1)?;
    // The stumbling block may be the line's head, or a key that the table then has.
    let before = source.text.lines().take(here).filter(|line| line.trim_start().starts_with('[')).last();
    let head = [Some(line), before].into_iter().flatten().find(|line| line.trim_start().starts_with("[nodes."))?;
    let name = head.trim_start().strip_prefix("[nodes.")?.split_once(']')?.0.trim();
    (name.contains('.') && !name.contains(['"', '\''])).then_some(name)
}

/// The keys of a table as they stand in the file: ranks are placed in this order.
fn in_order<T>(table: &BTreeMap<Spanned<String>, T>) -> Vec<&Spanned<String>> {
    let mut keys: Vec<_> = table.keys().collect();
    keys.sort_by_key(|key| key.span().start);
    keys
}

fn nodes(source: &Source, file: &File) -> Result<Vec<Node>> {
    for (name, kind) in &file.kinds {
        source.check(is_name(name.get_ref()), name.span(), || {
            format!("`{}` can't be the name of a kind", name.get_ref())
        })?;
        if let Some(lone) = kind.address.as_ref().or(kind.kind.as_ref()) {
            return Err(source.wrong(&lone.span(), "a kind can't have an address or a kind; these belong to a node"));
        }
    }
    if let Some(address) = &file.defaults.address {
        return Err(source.wrong(&address.span(), "nodes don't share an address"));
    }
    let mut nodes: Vec<Node> = Vec::new();
    for name in in_order(&file.nodes) {
        let entry = &file.nodes[name];
        let kind = entry.kind.as_ref().or(file.defaults.kind.as_ref());
        let of_kind = match kind {
            None => None,
            Some(kind) => Some(file.kinds.get(kind.get_ref().as_str()).ok_or_else(|| {
                source.wrong(&kind.span(), format!("there is no [kinds.{}] in this file", kind.get_ref()))
            })?),
        };
        let layers: Vec<&Entry> = [Some(entry), of_kind, Some(&file.defaults)].into_iter().flatten().collect();
        let common = common(source, &layers, kind.map(|kind| kind.get_ref().clone()))?;
        for node in spread(source, name, entry, &common)? {
            let same = nodes.iter().find(|other| other.name == node.name || other.address == node.address);
            source.check(same.is_none(), name.span(), || match same {
                Some(other) if other.name != node.name => {
                    format!("`{}` and `{}` have the same address, {}", other.name, node.name, node.address)
                }
                _ => format!("the node `{}` is there twice", node.name),
            })?;
            nodes.push(node);
        }
    }
    source.check(!nodes.is_empty(), 0..0, || "it names no node".into())?;
    let kinds = nodes.iter().flat_map(|node| node.kind.iter().chain(&node.labels));
    let taken = kinds.into_iter().find(|word| nodes.iter().any(|node| &node.name == *word));
    source
        .check(taken.is_none(), 0..0, || format!("`{}` is the name of a node, and a kind or label", taken.unwrap()))?;
    Ok(nodes)
}

/// The nodes that an entry is about: as many as its name stands for, each with its own address.
fn spread(source: &Source, name: &Spanned<String>, entry: &Entry, common: &Node) -> Result<Vec<Node>> {
    let several = |text: &Spanned<String>| {
        expand(text.get_ref()).map_err(|error| source.wrong(&text.span(), format!("`{}`: {error:#}", text.get_ref())))
    };
    let names = several(name)?;
    let wrong = names.iter().find(|name| !is_name(name));
    source.check(wrong.is_none() && !names.is_empty(), name.span(), || {
        format!("`{}` can't be the name of a node: letters, digits and `.-_`", wrong.unwrap_or(name.get_ref()))
    })?;
    let addresses = match &entry.address {
        None => names.clone(),
        Some(address) => {
            let addresses = several(address)?;
            source.check(addresses.len() == names.len(), address.span(), || {
                format!("these are {} addresses for {} nodes", addresses.len(), names.len())
            })?;
            let wrong = addresses.iter().find(|address| !is_address(address));
            source.check(wrong.is_none(), address.span(), || {
                format!("`{}` is not an address: give a host's name, or four numbers", wrong.unwrap())
            })?;
            addresses
        }
    };
    let node = |(name, address)| Node { name, address, ..common.clone() };
    Ok(names.into_iter().zip(addresses).map(node).collect())
}

/// What nodes of an entry have in common: the first layer that says it counts, and labels add up.
fn common(source: &Source, layers: &[&Entry], kind: Option<String>) -> Result<Node> {
    let word = |get: fn(&Entry) -> &Option<Spanned<String>>, is_right: fn(&str) -> bool, what: &str| {
        let Some(word) = layers.iter().find_map(|layer| get(layer).as_ref()) else { return Ok(None) };
        let text = word.get_ref();
        source.check(is_right(text), word.span(), || format!("`{text}` {what}"))?;
        Ok::<_, anyhow::Error>(Some(text.clone()))
    };
    let path = |get: fn(&Entry) -> &Option<Spanned<PathBuf>>| {
        let Some(path) = layers.iter().find_map(|layer| get(layer).as_ref()) else { return Ok(None) };
        let text = path.get_ref().to_string_lossy();
        let is_right = path.get_ref().is_absolute() && !text.chars().any(char::is_control);
        source.check(is_right, path.span(), || format!("`{text}` is not a path from the root on (/…)"))?;
        Ok::<_, anyhow::Error>(Some(path.get_ref().clone()))
    };
    let mut labels: Vec<String> = Vec::new();
    for label in layers.iter().flat_map(|layer| &layer.labels) {
        let text = label.get_ref();
        source.check(is_name(text), label.span(), || format!("`{text}` is not a label: letters, digits and `.-_`"))?;
        if !labels.contains(text) {
            labels.push(text.clone());
        }
    }
    let slots = layers.iter().find_map(|layer| layer.slots.as_ref());
    let most = slots.filter(|slots| slots.get_ref().get() > MOST_SLOTS);
    source
        .check(most.is_none(), most.map_or(0..0, Spanned::span), || format!("a node has up to {MOST_SLOTS} slots"))?;
    Ok(Node {
        name: String::new(),
        address: String::new(),
        slots: slots.map(|slots| slots.get_ref().get()),
        kind,
        labels,
        user: word(|entry| &entry.user, is_user, "can't be the name of a user")?,
        port: layers.iter().find_map(|layer| layer.port).map(NonZeroU16::get),
        jump: word(|entry| &entry.jump, is_jump, "is not a host to jump over ([user@]host[:port])")?,
        ssh: ssh(source, layers)?,
        rankine: path(|entry| &entry.rankine)?,
        library: path(|entry| &entry.library)?,
        data: path(|entry| &entry.data)?,
        scratch: path(|entry| &entry.scratch)?,
    })
}

fn ssh(source: &Source, layers: &[&Entry]) -> Result<Vec<String>> {
    let Some(words) = layers.iter().find_map(|layer| layer.ssh.as_ref()) else { return Ok(Vec::new()) };
    let list = match words.get_ref().clone() {
        Words::One(program) => vec![program],
        Words::Some(list) => list,
    };
    let is_program = list.first().is_some_and(|program| !program.is_empty() && !program.starts_with('-'));
    source.check(is_program, words.span(), || "ssh is a program, or a list of one and its arguments".into())?;
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRID: &str = r#"
[defaults]
user = "me"
scratch = "/scratch"
labels = ["all"]

[kinds.arm]
rankine = "/opt/arm/bin/rankine"
slots = 8
labels = ["slow"]

[nodes."n[09-11]"]
address = "10.0.0.[9-11]"
slots = 4

[nodes.a1]
kind = "arm"
user = "you"
port = 2222
jump = "gate"
ssh = ["/usr/bin/ssh", "-C"]

[nodes.login]

[groups]
mixed = "fast+arm"
fast = "n[09-10],n11"
"#;

    fn grid() -> Grid {
        parse(Path::new("grid.toml"), GRID).unwrap()
    }

    #[test]
    fn nodes_take_what_their_kind_and_the_defaults_say() {
        let grid = grid();
        let names: Vec<_> = grid.nodes.iter().map(|node| format!("{}={}", node.name, node.address)).collect();
        assert_eq!(names, ["n09=10.0.0.9", "n10=10.0.0.10", "n11=10.0.0.11", "a1=a1", "login=login"]);
        let (n09, a1) = (&grid.nodes[0], &grid.nodes[3]);
        assert_eq!((n09.slots, n09.user.as_deref(), &n09.labels[..]), (Some(4), Some("me"), &["all".to_string()][..]));
        assert_eq!((a1.slots, a1.user.as_deref(), a1.port), (Some(8), Some("you"), Some(2222)));
        assert_eq!((a1.labels.join(" "), a1.ssh.join(" ")), ("slow all".into(), "/usr/bin/ssh -C".into()));
        assert_eq!(a1.rankine.as_deref(), Some(Path::new("/opt/arm/bin/rankine")));
        assert_eq!(grid.nodes[4].scratch.as_deref(), Some(Path::new("/scratch")));
    }

    #[test]
    fn groups_are_unions_of_what_has_a_name() {
        let grid = grid();
        let named = |group: &str| {
            let nodes = grid.group(group).unwrap();
            nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(named("mixed"), "n09 n10 n11 a1");
        assert_eq!(named("arm+n[10-11]"), "a1 n10 n11");
        assert_eq!(named("slow+login+a1"), "a1 login");
        assert_eq!(named("all"), "n09 n10 n11 a1 login");
        let error = format!("{:#}", grid.group("arm+gpu").unwrap_err());
        assert!(error.contains("`gpu`") && error.contains("mixed, fast, arm, all, slow"), "{error}");
        assert!(grid.group("").is_err() && grid.group("n[1-").is_err());
        let listed = parse(Path::new("g.toml"), "[nodes.a]\n[nodes.b]\n[groups]\ng = [\"b\", \"a\"]\n").unwrap();
        assert_eq!(listed.group("g").unwrap().iter().map(|node| &node.name[..]).collect::<String>(), "ba");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, reason) in [
            ("[nodes]\n[nodes.a]\naddress = \"-oProxyCommand=x\"\n", 3, "`-oProxyCommand=x` is not an address"),
            ("[nodes.\"-x\"]\n", 1, "`-x` can't be the name of a node"),
            ("[nodes.a]\nslots = 0\n", 2, "nonzero"),
            ("[nodes.a]\nslots = 100000000\n", 2, "65536"),
            ("[nodes.a]\n\nuser = \"a b\"\n", 3, "can't be the name of a user"),
            ("[nodes.a]\njump = \"a:b\"\n", 2, "is not a host to jump over"),
            ("[nodes.a]\nport = 70000\n", 2, "u16"),
            ("[nodes.a]\nrankine = \"bin/rankine\"\n", 2, "is not a path from the root"),
            ("[nodes.a]\nssh = []\n", 2, "ssh is a program"),
            ("[nodes.a]\nslotz = 4\n", 2, "slotz"),
            ("[nodes.a]\nkind = \"arm\"\n", 2, "there is no [kinds.arm]"),
            ("[nodes.a]\n[nodes.b]\naddress = \"a\"\n", 2, "`a` and `b` have the same address"),
            ("[nodes.\"n[1-3]\"]\n[nodes.n2]\n", 2, "the node `n2` is there twice"),
            ("[nodes.\"n[1-3]\"]\naddress = \"10.0.0.[1-2]\"\n", 2, "2 addresses for 3 nodes"),
            ("[nodes.\"n[1-\"]\n", 1, "not closed"),
            ("[nodes.a]\n[groups]\ng = \"b\"\n", 3, "`b`"),
            ("[nodes.a]\n[groups]\ng = \"h\"\nh = \"g\"\n", 3, "is part of itself"),
            ("[nodes.a]\n[groups]\na = \"a\"\n", 3, "has the name of a node"),
            ("[nodes.a]\n[groups]\ng = [\"b\"]\n", 3, "`b`"),
            ("[nodes.a]\n[groups]\ng = []\n", 3, "`g` has no nodes"),
            ("[nodes.a]\n[groups]\ng = 4\n", 3, "a text is expected here, or a list of texts"),
            ("[nodes.a]\nlabels = [\"b\"]\n[nodes.b]\n", 1, "`b` is the name of a node, and a kind or label"),
            ("[kinds.k]\naddress = \"a\"\n[nodes.a]\n", 2, "belong to a node"),
            ("[defaults]\naddress = \"a\"\n[nodes.a]\n", 2, "don't share an address"),
            ("[nodes.n1.cluster.org]\nslots = 2\n", 1, "write [nodes.\"n1.cluster.org\"], with quotation marks"),
            ("[nodes]\n", 1, "names no node"),
            ("nodes = 4\n", 1, "invalid type"),
            ("[nodes.a\n", 1, "]"),
        ] {
            let error = format!("{:#}", parse(Path::new("g.toml"), text).unwrap_err());
            assert!(error.starts_with(&format!("g.toml, line {line}: ")) && error.contains(reason), "{text}{error}");
        }
    }

    #[test]
    fn a_file_that_others_could_have_written_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let read = |file: &Path| read(file, Found::Named);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("grid.toml");
        std::fs::write(&file, GRID).unwrap();
        assert_eq!(read(&file).unwrap().nodes.len(), 5);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        let error = format!("{:#}", read(&file).unwrap_err());
        assert!(error.contains("can be written by everybody"), "{error}");
        let error = format!("{:#}", read(&folder.path().join("none")).unwrap_err());
        assert!(error.contains("the grid: can't read"), "{error}");
    }

    proptest! {
        /// Cut anywhere, with anything put there: a grid or an error, never a panic.
        #[test]
        fn any_text_ends_well(at in 0..GRID.len(), length in 0usize..40, put in "[\\[\\]\"=.,+a-z0-9\n-]{0,12}") {
            let end = (at + length).min(GRID.len());
            let _ = parse(Path::new("g"), &format!("{}{put}{}", &GRID[..at], &GRID[end..]));
        }
    }
}
