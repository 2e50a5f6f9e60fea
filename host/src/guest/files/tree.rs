//! Files that a rank has for itself: devices that every program expects, and a folder `/tmp`, all in memory and charged to the rank.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rankine_guest::{Account, Charge, Cost};

use super::errno::{
    EXISTS, Errno, INVALID, IS_FOLDER, NO_ENTRY, NO_SPACE, NOT_EMPTY, NOT_FOLDER, NOT_PERMITTED, TOO_LONG,
};

/// A node's number.
pub(super) type Id = u64;

pub(super) const ROOT: Id = 1;

/// What a node takes, beside its name and its contents.
const NODE: usize = 512;
const LONGEST_NAME: usize = 255;
/// The longest path, and the most names in it.
const LONGEST_PATH: usize = 4096;

/// The names of the folders beneath the root.
pub(super) const FOLDERS: [&[u8]; 2] = [b"dev", b"tmp"];

/// What a device does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Device {
    /// Takes everything, and has nothing.
    Null,
    /// Has zeros without end.
    Zero,
    /// Has random bytes without end.
    Random,
    /// Stands for a descriptor.
    Standard(u32),
}

const DEVICES: [(&[u8], Device); 7] = [
    (b"null", Device::Null),
    (b"zero", Device::Zero),
    (b"random", Device::Random),
    (b"urandom", Device::Random),
    (b"stdin", Device::Standard(0)),
    (b"stdout", Device::Standard(1)),
    (b"stderr", Device::Standard(2)),
];

/// An entry of a folder.
#[derive(Copy, Clone)]
pub(super) struct Entry {
    /// Larger than those of all that were made before.
    pub(super) serial: u64,
    pub(super) node: Id,
}

pub(super) enum Kind {
    Folder(BTreeMap<Vec<u8>, Entry>),
    File(Vec<u8>),
    Device(Device),
}

pub(super) struct Node {
    pub(super) kind: Kind,
    /// Names that it has, and descriptors.
    pub(super) links: u64,
    opens: u64,
    /// Nanoseconds since 1970.
    pub(super) accessed: u64,
    pub(super) modified: u64,
    charge: Charge,
}

/// What a path leads to: the names on the way, from the root.
pub(super) type Way = Vec<Vec<u8>>;

pub(super) struct Tree {
    nodes: HashMap<Id, Node>,
    last: Id,
    serial: u64,
    account: Arc<Account>,
}

/// Nanoseconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// The way that a path leads from a place. Nothing lies above the root.
pub(super) fn way(from: &[Vec<u8>], path: &[u8]) -> Result<Way, Errno> {
    if path.len() > LONGEST_PATH {
        return Err(TOO_LONG);
    }
    let mut way = if path.starts_with(b"/") { Vec::new() } else { from.to_vec() };
    for name in path.split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => drop(way.pop()),
            _ if name.len() > LONGEST_NAME => return Err(TOO_LONG),
            _ => way.push(name.to_vec()),
        }
    }
    Ok(way)
}

impl Tree {
    pub(super) fn new(account: &Arc<Account>) -> Tree {
        let mut tree = Tree { nodes: HashMap::new(), last: 0, serial: 2, account: account.clone() };
        // Every rank has room for these.
        let make = |tree: &mut Tree, kind| {
            tree.last += 1;
            let (time, charge) = (now(), Charge::none(account));
            let node = Node { kind, links: 1, opens: 0, accessed: time, modified: time, charge };
            tree.nodes.insert(tree.last, node);
            tree.last
        };
        let root = make(&mut tree, Kind::Folder(BTreeMap::new()));
        let folders = FOLDERS.map(|name| (name, make(&mut tree, Kind::Folder(BTreeMap::new()))));
        let devices = DEVICES.map(|(name, device)| (name, make(&mut tree, Kind::Device(device))));
        folders.iter().for_each(|&(name, node)| tree.enter(root, name, node));
        devices.iter().for_each(|&(name, node)| tree.enter(folders[0].1, name, node));
        tree
    }

    pub(super) fn node(&mut self, id: Id) -> &mut Node {
        self.nodes.get_mut(&id).expect("it has a name or a descriptor")
    }

    fn folder(&mut self, id: Id) -> Result<&mut BTreeMap<Vec<u8>, Entry>, Errno> {
        match &mut self.node(id).kind {
            Kind::Folder(entries) => Ok(entries),
            _ => Err(NOT_FOLDER),
        }
    }

    fn enter(&mut self, folder: Id, name: &[u8], node: Id) {
        self.serial += 1;
        let entry = Entry { serial: self.serial, node };
        if let Ok(entries) = self.folder(folder) {
            entries.insert(name.to_vec(), entry);
        }
        self.node(folder).modified = now();
    }

    /// The node at the end of a way.
    pub(super) fn find(&mut self, way: &[Vec<u8>]) -> Result<Id, Errno> {
        way.iter().try_fold(ROOT, |folder, name| match self.folder(folder)?.get(name) {
            Some(entry) => Ok(entry.node),
            None => Err(NO_ENTRY),
        })
    }

    /// The folder in which a way ends, and the last name. Only in `/tmp` may anything be changed.
    fn last_step<'w>(&mut self, way: &'w [Vec<u8>]) -> Result<(Id, &'w [u8]), Errno> {
        let (name, above) = way.split_last().ok_or(EXISTS)?;
        let folder = self.find(above)?;
        self.folder(folder)?;
        Ok((folder, name.as_slice()))
    }

    fn may_change(way: &[Vec<u8>]) -> Result<(), Errno> {
        let is_in_tmp = way.len() > 1 && way[0] == FOLDERS[1];
        if is_in_tmp { Ok(()) } else { Err(NOT_PERMITTED) }
    }

    /// Makes a node with a name that nothing has yet.
    pub(super) fn make(&mut self, way: &[Vec<u8>], kind: Kind) -> Result<Id, Errno> {
        let (folder, name) = self.last_step(way)?;
        if self.folder(folder)?.contains_key(name) {
            return Err(EXISTS);
        }
        Self::may_change(way)?;
        let charge = self.account.charge(NODE + name.len(), Cost::PrivateFiles).map_err(|_| NO_SPACE)?;
        self.last += 1;
        let (node, time) = (self.last, now());
        self.nodes.insert(node, Node { kind, links: 1, opens: 0, accessed: time, modified: time, charge });
        self.enter(folder, name, node);
        Ok(node)
    }

    /// Gives a file one more name.
    pub(super) fn link(&mut self, from: &[Vec<u8>], to: &[Vec<u8>]) -> Result<(), Errno> {
        let node = self.find(from)?;
        let (folder, name) = self.last_step(to)?;
        if self.folder(folder)?.contains_key(name) {
            return Err(EXISTS);
        }
        Self::may_change(from)?;
        Self::may_change(to)?;
        if self.folder(node).is_ok() {
            return Err(NOT_PERMITTED);
        }
        let (bytes, it) = (NODE + name.len(), self.node(node));
        it.charge.grow(bytes, Cost::PrivateFiles).map_err(|_| NO_SPACE)?;
        it.links += 1;
        self.enter(folder, name, node);
        Ok(())
    }

    /// Takes a name away: that of an empty folder, or of something else.
    pub(super) fn remove(&mut self, way: &[Vec<u8>], is_folder: bool) -> Result<(), Errno> {
        let node = self.find(way)?;
        match (&self.node(node).kind, is_folder) {
            (Kind::Folder(_), false) => return Err(IS_FOLDER),
            (Kind::File(_) | Kind::Device(_), true) => return Err(NOT_FOLDER),
            (Kind::Folder(entries), true) if !entries.is_empty() => return Err(NOT_EMPTY),
            _ => Self::may_change(way)?,
        }
        let (folder, name) = self.last_step(way)?;
        self.folder(folder)?.remove(name);
        self.node(folder).modified = now();
        self.node(node).links -= 1;
        self.drop_unused(node);
        Ok(())
    }

    /// Gives another name, in the place of what has it.
    pub(super) fn rename(&mut self, from: &[Vec<u8>], to: &[Vec<u8>]) -> Result<(), Errno> {
        let node = self.find(from)?;
        Self::may_change(from)?;
        Self::may_change(to)?;
        if to == from {
            return Ok(());
        }
        let is_folder = self.folder(node).is_ok();
        if is_folder && to.starts_with(from) {
            return Err(INVALID);
        }
        self.last_step(to)?;
        match self.find(to) {
            Ok(same) if same == node => return Ok(()),
            Ok(_) => self.remove(to, is_folder)?,
            Err(_) => {}
        }
        let (folder, name) = self.last_step(from)?;
        self.folder(folder)?.remove(name);
        let (folder, name) = self.last_step(to)?;
        self.enter(folder, name, node);
        Ok(())
    }

    pub(super) fn opened(&mut self, node: Id) {
        self.node(node).opens += 1;
    }

    pub(super) fn closed(&mut self, node: Id) {
        self.node(node).opens -= 1;
        self.drop_unused(node);
    }

    fn drop_unused(&mut self, node: Id) {
        let it = self.node(node);
        if it.links == 0 && it.opens == 0 {
            self.nodes.remove(&node);
        }
    }
}

impl Node {
    /// Bytes that it has.
    pub(super) fn size(&self) -> u64 {
        match &self.kind {
            Kind::File(bytes) => bytes.len() as u64,
            _ => 0,
        }
    }

    /// Gives a file so many bytes, those that are new zeros.
    pub(super) fn resize(&mut self, size: u64) -> Result<(), Errno> {
        let (Node { kind: Kind::File(bytes), charge, .. }, Ok(size)) = (self, usize::try_from(size)) else {
            return Err(INVALID);
        };
        let held = bytes.capacity();
        if size > held {
            // What grows bit by bit is moved seldom.
            let enough = [size.max(held + held / 2), size].into_iter().find(|room| charge.try_grow(room - held));
            let room = enough.ok_or(NO_SPACE)?;
            if bytes.try_reserve_exact(room - bytes.len()).is_err() {
                charge.shrink(room - held);
                return Err(NO_SPACE);
            }
            let more = bytes.capacity().saturating_sub(room);
            charge.try_grow(more);
        }
        bytes.resize(size, 0);
        if size == 0 {
            charge.shrink(bytes.capacity());
            *bytes = Vec::new();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(limit: u64) -> (Arc<Account>, Tree) {
        let account = Account::new(Some(limit));
        let tree = Tree::new(&account);
        (account, tree)
    }

    fn at(path: &str) -> Way {
        way(&[], path.as_bytes()).unwrap()
    }

    #[test]
    fn ways_stay_beneath_the_root() {
        assert_eq!(at("/tmp/../../tmp/./a"), [b"tmp".to_vec(), b"a".to_vec()]);
        assert_eq!(way(&at("/tmp"), b"../dev/null").unwrap(), at("/dev/null"));
        assert_eq!(way(&[], &[b'a'; 300]), Err(TOO_LONG));
    }

    #[test]
    fn what_is_gone_is_given_back() {
        let (account, mut tree) = tree(1 << 20);
        let before = account.used();
        let file = tree.make(&at("/tmp/a"), Kind::File(Vec::new())).unwrap();
        tree.opened(file);
        tree.node(file).resize(100_000).unwrap();
        assert!(account.used() >= before + 100_000);
        tree.link(&at("/tmp/a"), &at("/tmp/b")).unwrap();
        tree.remove(&at("/tmp/a"), false).unwrap();
        tree.remove(&at("/tmp/b"), false).unwrap();
        assert_eq!(tree.find(&at("/tmp/b")), Err(NO_ENTRY));
        assert_eq!(tree.node(file).size(), 100_000);
        tree.closed(file);
        assert_eq!(account.used(), before);
    }

    #[test]
    fn only_the_temporary_folder_changes() {
        let (_, mut tree) = tree(1 << 20);
        for path in ["/a", "/dev/a"] {
            assert_eq!(tree.make(&at(path), Kind::File(Vec::new())), Err(NOT_PERMITTED), "{path}");
        }
        for path in ["/dev/null", "/tmp", "/dev"] {
            assert!(tree.remove(&at(path), path != "/dev/null").is_err(), "{path}");
            assert_eq!(tree.rename(&at(path), &at("/tmp/x")), Err(NOT_PERMITTED), "{path}");
        }
    }

    #[test]
    fn folders_keep_their_order() {
        let (_, mut tree) = tree(1 << 20);
        tree.make(&at("/tmp/a"), Kind::Folder(BTreeMap::new())).unwrap();
        tree.make(&at("/tmp/a/b"), Kind::File(Vec::new())).unwrap();
        assert_eq!(tree.rename(&at("/tmp/a"), &at("/tmp/a/c")), Err(INVALID));
        assert_eq!(tree.remove(&at("/tmp/a"), true), Err(NOT_EMPTY));
        tree.make(&at("/tmp/d"), Kind::Folder(BTreeMap::new())).unwrap();
        tree.rename(&at("/tmp/a"), &at("/tmp/d")).unwrap();
        tree.rename(&at("/tmp/d/b"), &at("/tmp/b")).unwrap();
        assert!(tree.find(&at("/tmp/b")).is_ok() && tree.find(&at("/tmp/a")) == Err(NO_ENTRY));
    }

    #[test]
    fn a_file_takes_no_more_than_its_rank_may_have() {
        let (account, mut tree) = tree(1 << 20);
        let file = tree.make(&at("/tmp/a"), Kind::File(Vec::new())).unwrap();
        assert_eq!(tree.node(file).resize(u64::MAX), Err(NO_SPACE));
        assert_eq!(tree.node(file).resize(1 << 40), Err(NO_SPACE));
        let mut size = 0;
        while tree.node(file).resize(size + 4096).is_ok() {
            size += 4096;
        }
        assert!(size > 0 && account.free() < 1 << 20);
    }
}
