//! The functions of WASI for files that a rank has for itself.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Arc;

use rankine_guest::{Account, Cost};

use super::errno::{
    BAD_DESCRIPTOR, EXISTS, Errno, FAULT, INVALID, IS_FOLDER, NO_DEVICE, NO_ENTRY, NO_SPACE, NOT_FOLDER, NOT_SUPPORTED,
    TOO_LONG,
};
use super::tree::{Device, Id, Kind, Node, ROOT, Tree, Way, now};
use super::{FIRST, Open, Slot, Step, Table};
use crate::guest::{Placement, Reach};
use rankine_system::os;

/// Where a function has a path: the words with the descriptor from which it leads, its address and its length.
pub(super) struct Path {
    pub(super) fd: usize,
    pub(super) at: usize,
    pub(super) length: usize,
}

const fn path(fd: usize, at: usize, length: usize) -> Path {
    Path { fd, at, length }
}

/// The paths of a function, if it has any. The text of a symbolic link is none.
pub(super) fn paths_of(function: &str) -> Option<&'static [Path]> {
    static AT_ONCE: [Path; 1] = [path(0, 1, 2)];
    static WITH_FLAGS: [Path; 1] = [path(0, 2, 3)];
    static LINK: [Path; 2] = [path(0, 2, 3), path(4, 5, 6)];
    static RENAME: [Path; 2] = [path(0, 1, 2), path(3, 4, 5)];
    static SYMLINK: [Path; 1] = [path(2, 3, 4)];
    Some(match function {
        "path_create_directory" | "path_remove_directory" | "path_unlink_file" | "path_readlink" => &AT_ONCE,
        "path_filestat_get" | "path_filestat_set_times" | "path_open" => &WITH_FLAGS,
        "path_link" => &LINK,
        "path_rename" => &RENAME,
        "path_symlink" => &SYMLINK,
        _ => return None,
    })
}

/// Whether a call with a path is to change something; `words` are its arguments.
pub(super) fn changes(function: &str, words: &[i64]) -> bool {
    /// Flags of `path_open` by which a file is made or emptied, and the right to write.
    const MAKES: i64 = 1 | 8;
    const WRITES: i64 = 1 << 6;
    match function {
        "path_open" => words[4] & MAKES != 0 || words[5] & WRITES != 0,
        "path_filestat_get" | "path_readlink" => false,
        _ => true,
    }
}

/// A text in the guest's memory.
pub(super) fn text(reach: Reach, at: i64, length: i64) -> Result<Vec<u8>, Errno> {
    /// The longest path that systems take.
    const LONGEST: u32 = 4096;
    let (at, length) = (at as u32, length as u32);
    if length > LONGEST {
        return Err(TOO_LONG);
    }
    reach.at(at, length.into()).ok_or(FAULT)?;
    let mut text = vec![0; length as usize];
    reach.read(at, &mut text);
    Ok(text)
}

/// Writes a result.
fn put(reach: Reach, at: i64, bytes: &[u8]) -> Result<(), Errno> {
    reach.at(at as u32, bytes.len() as u64).ok_or(FAULT)?;
    reach.write(at as u32, bytes);
    Ok(())
}

// Kinds of files.
const UNKNOWN: u8 = 0;
const CHARACTERS: u8 = 2;
const FOLDER: u8 = 3;
const REGULAR: u8 = 4;

// Flags of descriptors, of opening, and of times; rights.
const APPEND: i64 = 1;
const CREATE: i64 = 1;
const DIRECTORY: i64 = 2;
const EXCLUSIVE: i64 = 4;
const TRUNCATE: i64 = 8;
const SET_ACCESSED: i64 = 1;
const ACCESSED_NOW: i64 = 2;
const SET_MODIFIED: i64 = 4;
const MODIFIED_NOW: i64 = 8;
const MAY_READ: i64 = 1 << 1;
const MAY_WRITE: i64 = 1 << 6;

/// A read or write of a file.
pub(crate) struct Move {
    pub(crate) reach: Reach,
    pub(crate) is_write: bool,
    /// The guest's buffer.
    pub(crate) at: u32,
    pub(crate) length: u32,
    /// Where the number of bytes is to stand.
    pub(crate) out: u32,
    /// The place in the file, if it is not where the descriptor is.
    pub(crate) offset: Option<u64>,
}

/// `clock_time_get`: the time that the program has computed, as far as its thread or process knows it, if that is asked for.
pub(super) fn processor_time(reach: Reach, words: &[i64], placement: Placement) -> Result<Step, Errno> {
    const PROCESS: i64 = 2;
    const THREAD: i64 = 3;
    // Fibers share threads, and threads of a program its process.
    let time = match (words[0], placement) {
        (PROCESS, _) | (THREAD, Placement::Fibers) => os::processor_time(false),
        (THREAD, Placement::Threads) => os::processor_time(true),
        _ => return Ok(Step::Go(None)),
    };
    let time = time.ok_or(NOT_SUPPORTED)?;
    put(reach, words[2], &(time.as_nanos() as u64).to_le_bytes()).map(|()| Step::Answer(0))
}

/// `fd_fdstat_get` of a folder in which everything may be tried.
pub(super) fn status_of_folder(reach: Reach, words: &[i64]) -> Result<Step, Errno> {
    put(reach, words[1], &descriptor(FOLDER, false)).map(|()| Step::Answer(0))
}

fn descriptor(kind: u8, appends: bool) -> [u8; 24] {
    let mut status = [0; 24];
    status[0] = kind;
    status[2] = appends.into();
    // Its rights, and those of what is opened in it: all that there are.
    let rights = (1u64 << 30) - 1;
    status[8..16].copy_from_slice(&rights.to_le_bytes());
    status[16..].copy_from_slice(&rights.to_le_bytes());
    status
}

/// `fd_filestat_get` of a standard stream: whether it is a terminal.
pub(super) fn status_of_stream(reach: Reach, words: &[i64], number: u32) -> Result<Step, Errno> {
    let is_terminal = match number {
        0 => std::io::stdin().is_terminal(),
        1 => std::io::stdout().is_terminal(),
        _ => std::io::stderr().is_terminal(),
    };
    let mut status = [0; 64];
    status[16] = if is_terminal { CHARACTERS } else { UNKNOWN };
    status[24] = 1;
    put(reach, words[1], &status).map(|()| Step::Answer(0))
}

fn kind(node: &Node) -> u8 {
    match node.kind {
        Kind::Folder(_) => FOLDER,
        Kind::File(_) => REGULAR,
        Kind::Device(_) => CHARACTERS,
    }
}

fn status(id: Id, node: &Node) -> [u8; 64] {
    let mut status = [0; 64];
    status[8..16].copy_from_slice(&id.to_le_bytes());
    status[16] = kind(node);
    let numbers = [node.links, node.size(), node.accessed, node.modified, node.modified];
    for (place, number) in status[24..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    status
}

fn set_times(node: &mut Node, accessed: i64, modified: i64, which: i64) {
    let chosen = |set: i64, to_now: i64, time: i64, before: u64| match () {
        () if which & to_now != 0 => now(),
        () if which & set != 0 => time as u64,
        () => before,
    };
    node.accessed = chosen(SET_ACCESSED, ACCESSED_NOW, accessed, node.accessed);
    node.modified = chosen(SET_MODIFIED, MODIFIED_NOW, modified, node.modified);
}

impl Table {
    /// A function of something that is open.
    pub(super) fn call(
        &mut self,
        account: &Arc<Account>,
        open: u64,
        reach: Reach,
        function: &str,
        words: &[i64],
    ) -> Result<(), Errno> {
        self.tree(account);
        let Table { opens, tree: Some(tree), .. } = self else { return Err(BAD_DESCRIPTOR) };
        let open = opens.get_mut(&open).ok_or(BAD_DESCRIPTOR)?;
        let id = open.node;
        match function {
            "fd_advise" | "fd_datasync" | "fd_sync" | "fd_fdstat_set_rights" => Ok(()),
            "fd_allocate" => {
                let end = (words[1] as u64).checked_add(words[2] as u64).ok_or(NO_SPACE)?;
                let node = writable(tree, open)?;
                if end > node.size() { node.resize(end) } else { Ok(()) }
            }
            "fd_fdstat_get" => put(reach, words[1], &descriptor(kind(tree.node(id)), open.appends)),
            "fd_fdstat_set_flags" => {
                open.appends = words[1] & APPEND != 0;
                Ok(())
            }
            "fd_filestat_get" => put(reach, words[1], &status(id, tree.node(id))),
            "fd_filestat_set_size" => {
                let node = writable(tree, open)?;
                node.resize(words[1] as u64)?;
                node.modified = now();
                Ok(())
            }
            "fd_filestat_set_times" => {
                set_times(tree.node(id), words[1], words[2], words[3]);
                Ok(())
            }
            "fd_prestat_get" => {
                // A folder has the number 0.
                let mut prestat = [0; 8];
                prestat[4] = open.preopen.ok_or(BAD_DESCRIPTOR)?.len() as u8;
                put(reach, words[1], &prestat)
            }
            "fd_prestat_dir_name" => {
                let name = open.preopen.ok_or(BAD_DESCRIPTOR)?;
                put(reach, words[1], &name[..name.len().min(words[2] as u32 as usize)])
            }
            "fd_readdir" => read_folder(tree, id, reach, words),
            "fd_seek" => {
                let from = match words[2] {
                    0 => 0,
                    1 => open.offset,
                    2 => tree.node(id).size(),
                    _ => return Err(INVALID),
                };
                open.offset = from.checked_add_signed(words[1]).filter(|&to| to <= i64::MAX as u64).ok_or(INVALID)?;
                put(reach, words[3], &open.offset.to_le_bytes())
            }
            "fd_tell" => put(reach, words[1], &open.offset.to_le_bytes()),
            _ => Err(NOT_SUPPORTED),
        }
    }

    /// A function of paths that lead to what is the rank's own.
    pub(super) fn call_with_paths(
        &mut self,
        account: &Arc<Account>,
        reach: Reach,
        function: &str,
        words: &[i64],
        ways: &[Way],
    ) -> Result<(), Errno> {
        if function == "path_open" {
            return self.open_path(account, reach, words, &ways[0]);
        }
        let tree = self.tree(account);
        let way = &ways[0];
        match function {
            "path_create_directory" => tree.make(way, Kind::Folder(BTreeMap::new())).map(drop),
            "path_remove_directory" => tree.remove(way, true),
            "path_unlink_file" => tree.remove(way, false),
            "path_filestat_get" => {
                let id = tree.find(way)?;
                put(reach, words[4], &status(id, tree.node(id)))
            }
            "path_filestat_set_times" => {
                let id = tree.find(way)?;
                set_times(tree.node(id), words[4], words[5], words[6]);
                Ok(())
            }
            "path_link" => tree.link(way, &ways[1]),
            "path_rename" => tree.rename(way, &ways[1]),
            // There are no symbolic links.
            "path_readlink" => tree.find(way).and(Err(INVALID)),
            _ => Err(NOT_SUPPORTED),
        }
    }

    fn open_path(&mut self, account: &Arc<Account>, reach: Reach, words: &[i64], way: &Way) -> Result<(), Errno> {
        let (flags, rights, appends, out) = (words[4], words[5], words[7] & APPEND != 0, words[8]);
        reach.at(out as u32, 4).ok_or(FAULT)?;
        let tree = self.tree(account);
        let id = match tree.find(way) {
            Ok(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => return Err(EXISTS),
            Err(NO_ENTRY) if flags & CREATE != 0 => tree.make(way, Kind::File(Vec::new()))?,
            found => found?,
        };
        let writes = rights & MAY_WRITE != 0;
        let node = tree.node(id);
        let is_folder = match node.kind {
            Kind::Device(Device::Standard(number)) => {
                let (fd, _) = self.duplicate(number.into(), None).map_err(|_| NO_DEVICE)?;
                return put(reach, out, &fd.to_le_bytes());
            }
            Kind::Folder(_) if flags & TRUNCATE != 0 => return Err(IS_FOLDER),
            Kind::Folder(_) => true,
            _ if flags & DIRECTORY != 0 => return Err(NOT_FOLDER),
            Kind::File(_) if flags & TRUNCATE != 0 => {
                node.resize(0)?;
                node.modified = now();
                false
            }
            _ => false,
        };
        let way = if is_folder { way.clone() } else { Way::new() };
        let held = size_of::<Open>() + way.iter().map(|name| name.len() + size_of::<Vec<u8>>()).sum::<usize>();
        let charge = account.charge(2 * held, Cost::PrivateFiles).map_err(|_| NO_SPACE)?;
        let reads = rights & MAY_READ != 0 || !writes;
        let open = Open { node: id, way, preopen: None, offset: 0, reads, writes, appends, _charge: charge };
        let fd = self.give_open(open);
        put(reach, out, &fd.to_le_bytes())
    }

    /// Moves bytes; what the guest is told.
    pub(super) fn transfer(&mut self, account: &Arc<Account>, open: u64, moved: &Move) -> Errno {
        self.tree(account);
        let Table { opens, tree: Some(tree), .. } = self else { return BAD_DESCRIPTOR };
        let Some(open) = opens.get_mut(&open) else { return BAD_DESCRIPTOR };
        let done = if moved.is_write { write(tree, open, moved) } else { read(tree, open, moved) };
        match done {
            Ok(bytes) => {
                if moved.offset.is_none() {
                    open.offset = open.offset.saturating_add(bytes.into());
                }
                moved.reach.write(moved.out, &bytes.to_le_bytes());
                0
            }
            Err(errno) => errno,
        }
    }

    /// `poll_oneoff`: what is no standard stream can be read and written at once.
    pub(super) fn poll(&self, reach: Reach, words: &[i64]) -> Result<Step, Errno> {
        const SUBSCRIPTION: usize = 48;
        const EVENT: u32 = 32;
        let (list, events, count) = (words[0] as u32, words[1] as u32, words[2] as u32);
        let Some(bytes) = count.checked_mul(SUBSCRIPTION as u32).filter(|_| count <= 1 << 16) else {
            return Ok(Step::Go(None));
        };
        if reach.at(list, bytes.into()).is_none() || reach.at(events, u64::from(count) * u64::from(EVENT)).is_none() {
            return Ok(Step::Go(None));
        }
        let (mut ready, mut one) = (0u32, [0u8; SUBSCRIPTION]);
        for number in 0..count {
            reach.read(list + number * SUBSCRIPTION as u32, &mut one);
            let fd = u32::from_le_bytes([one[16], one[17], one[18], one[19]]);
            let is_stream = |slot: &Slot| *slot == Slot::Wasi(fd) && fd < FIRST;
            let is_ready = matches!(one[8], 1 | 2) && self.slot(fd.into()).is_ok_and(|slot| !is_stream(&slot));
            if is_ready {
                let mut event = [0; EVENT as usize];
                event[..8].copy_from_slice(&one[..8]);
                event[10] = one[8];
                event[16] = 1;
                reach.write(events + ready * EVENT, &event);
                ready += 1;
            }
        }
        match ready {
            0 => Ok(Step::Go(None)),
            _ => put(reach, words[3], &ready.to_le_bytes()).map(|()| Step::Answer(0)),
        }
    }
}

/// The file that is open, if it may be written.
fn writable<'t>(tree: &'t mut Tree, open: &Open) -> Result<&'t mut Node, Errno> {
    let node = tree.node(open.node);
    match node.kind {
        Kind::File(_) if open.writes => Ok(node),
        _ => Err(INVALID),
    }
}

fn read(tree: &mut Tree, open: &Open, moved: &Move) -> Result<u32, Errno> {
    /// Bytes that a device gives at once.
    const PIECE: usize = 1 << 16;
    let &Move { reach, at, length, offset, .. } = moved;
    if !open.reads {
        return Err(BAD_DESCRIPTOR);
    }
    let node = tree.node(open.node);
    let mut piece = Vec::new();
    let bytes: &[u8] = match &node.kind {
        Kind::Folder(_) => return Err(IS_FOLDER),
        Kind::Device(Device::Null | Device::Standard(_)) => &[],
        Kind::Device(device @ (Device::Zero | Device::Random)) => {
            piece.resize(PIECE.min(length as usize), 0);
            if *device == Device::Random {
                getrandom::fill(&mut piece).map_err(|_| NO_DEVICE)?;
            }
            &piece
        }
        Kind::File(bytes) => {
            let from = usize::try_from(offset.unwrap_or(open.offset)).unwrap_or(usize::MAX);
            bytes.get(from..).unwrap_or_default()
        }
    };
    let bytes = &bytes[..bytes.len().min(length as usize)];
    reach.write(at, bytes);
    Ok(bytes.len() as u32)
}

fn write(tree: &mut Tree, open: &mut Open, moved: &Move) -> Result<u32, Errno> {
    let &Move { reach, at, length, offset, .. } = moved;
    if !open.writes {
        return Err(BAD_DESCRIPTOR);
    }
    let node = tree.node(open.node);
    if matches!(node.kind, Kind::Device(_)) {
        return Ok(length);
    }
    if open.appends && offset.is_none() {
        open.offset = node.size();
    }
    let from = offset.unwrap_or(open.offset);
    let end = from.checked_add(length.into()).ok_or(NO_SPACE)?;
    if length > 0 && end > node.size() {
        node.resize(end)?;
    }
    node.modified = now();
    let Kind::File(bytes) = &mut node.kind else { return Err(IS_FOLDER) };
    if length > 0 {
        reach.read(at, &mut bytes[from as usize..end as usize]);
    }
    Ok(length)
}

/// `fd_readdir`: entries in the order in which they were made, so that removing some hides none.
fn read_folder(tree: &mut Tree, id: Id, reach: Reach, words: &[i64]) -> Result<(), Errno> {
    let (at, room, after, out) = (words[1], words[2] as u32 as usize, words[3] as u64, words[4]);
    reach.at(at as u32, room as u64).ok_or(FAULT)?;
    let Kind::Folder(entries) = &tree.node(id).kind else { return Err(NOT_FOLDER) };
    let mut listed = vec![(1, id, b".".to_vec()), (2, ROOT, b"..".to_vec())];
    // As many as there is room for.
    let most = room / 24 + 1;
    let mut rest: Vec<_> = entries.iter().map(|(name, entry)| (entry.serial, entry.node, name)).collect();
    rest.retain(|(serial, ..)| *serial > after);
    rest.sort_unstable();
    listed.extend(rest.into_iter().take(most).map(|(serial, node, name)| (serial, node, name.clone())));
    let mut bytes = Vec::new();
    for (serial, node, name) in listed.into_iter().filter(|(serial, ..)| *serial > after) {
        if bytes.len() >= room {
            break;
        }
        bytes.extend(serial.to_le_bytes());
        bytes.extend(node.to_le_bytes());
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend([kind(tree.node(node)), 0, 0, 0]);
        bytes.extend(name);
    }
    bytes.truncate(room);
    put(reach, at, &bytes)?;
    put(reach, out, &(bytes.len() as u32).to_le_bytes())
}
