//! Descriptors and names of files, before WASI sees them.
//!
//! A rank has a few files of its own ([`tree`]): devices that every program expects, and a folder `/tmp`. WASI knows nothing of
//! them, and neither can it give a file a second descriptor. So guests' numbers of descriptors are looked up here first: each
//! stands for one of WASI's, or for a file of the rank's own, whose functions are in [`calls`].
//!
//! A C library finds the folder of a path among those that were granted. Where none is the working folder, it would fail by
//! itself and nobody could say why. So such a program is shown one more folder, `/`, in which there are the rank's own files:
//! any other name that is looked for in it arrives here, and the user is told what is missing. The SDK's C library, which knows
//! which paths are absolute, asks for these by a descriptor that is never given out.

mod calls;
mod errno;
mod tree;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankine_guest::{Account, Charge, Who};

use crate::guest::{Placement, Reach};
use crate::report::output::Output;
use rankine_system::grants::{Access, Grants};
use rankine_system::shown;

pub(crate) use errno::Errno;
use errno::{BAD_DESCRIPTOR, FAULT, MANY_DESCRIPTORS, NO_ENTRY, NOT_PERMITTED, NOT_SOCKET, OTHER_DEVICE};
use tree::{Id, Tree, Way};

pub(crate) use calls::Move;

/// The first descriptor that is no standard stream: that of the first folder.
const FIRST: u32 = 3;
/// The descriptor by which the C library asks for absolute paths (`guest-sdk/c/src/paths.c`).
const ABSOLUTE: i64 = 0x7fff_fffe;
/// Descriptors that a rank may have.
const MOST: usize = 1 << 16;
/// Names of the working folder, and of all.
const WORKING: [&str; 2] = [".", "/"];

/// What a descriptor of a guest's stands for.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Slot {
    Free,
    Wasi(u32),
    /// Something of the rank's own that is open.
    Own(u64),
}

/// A node that is open.
struct Open {
    node: Id,
    /// How it was come by, if it is a folder.
    way: Way,
    /// The name by which guests know it from the beginning.
    preopen: Option<&'static [u8]>,
    offset: u64,
    reads: bool,
    writes: bool,
    appends: bool,
    _charge: Charge,
}

struct Table {
    slots: Vec<Slot>,
    charge: Charge,
    opens: BTreeMap<u64, Open>,
    last: u64,
    /// Made when it is first looked into.
    tree: Option<Box<Tree>>,
}

/// The files that a rank may use.
pub(crate) struct Files {
    grants: Grants,
    /// Where the user is told what is missing.
    output: Arc<Output>,
    account: Arc<Account>,
    who: Who,
    /// Whether the program says what it does not find, as Python does by an exception: the user is told if it fails of that.
    says_itself: bool,
    table: Mutex<Table>,
}

/// What becomes of a call.
pub(crate) enum Step {
    /// It is answered.
    Answer(Errno),
    /// It is WASI's, by the words as they are now. If the file is not there, this is told if the program fails.
    Go(Option<String>),
}

/// Where a path leads.
enum Place {
    Own(Way),
    Wasi(u32),
    /// The name of something that no folder holds.
    Nowhere,
}

impl Files {
    pub(crate) fn new(
        grants: &Grants,
        output: &Arc<Output>,
        account: &Arc<Account>,
        who: Who,
        says_itself: bool,
    ) -> Arc<Files> {
        let folders = grants.iter().count() as u32;
        let mut slots: Vec<Slot> = (0..FIRST + folders).map(Slot::Wasi).collect();
        let mut opens = BTreeMap::new();
        if !grants.iter().any(|grant| WORKING.contains(&grant.guest())) {
            slots.push(Slot::Own(0));
            opens.insert(0, Open::of_root());
        }
        let charge = Charge::none(account);
        let table = Mutex::new(Table { slots, charge, opens, last: 0, tree: None });
        Arc::new(Files {
            grants: grants.clone(),
            output: output.clone(),
            account: account.clone(),
            who,
            says_itself,
            table,
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The descriptor of the folder that is granted by this name.
    fn named(&self, name: &str) -> Option<u32> {
        self.grants.iter().position(|grant| grant.guest() == name).map(|at| FIRST + at as u32)
    }

    /// What a guest's descriptor stands for in a transfer: WASI's number, or what came of it.
    pub(crate) fn transfer(&self, fd: i32, moved: &Move) -> Result<u32, Errno> {
        let table = &mut *self.table();
        match table.slot(i64::from(fd))? {
            Slot::Wasi(number) => Ok(number),
            Slot::Own(open) => Err(table.transfer(&self.account, open, moved)),
            Slot::Free => Err(BAD_DESCRIPTOR),
        }
    }

    /// Tells the user, once in a job, that a file was looked for.
    #[cold]
    fn hint(&self, path: &[u8]) {
        if self.is_above_granted(path) {
            return;
        }
        let text = self.missing(path, false);
        match self.says_itself {
            true => self.output.hint_if_failed(text),
            false => self.output.hint(&text),
        }
    }

    /// Whether a path at the root leads to a granted folder: who resolves the name of that looks at all folders above it.
    fn is_above_granted(&self, path: &[u8]) -> bool {
        self.grants.iter().any(|grant| leads_to(path, grant.guest().as_bytes()))
    }

    fn missing(&self, path: &[u8], is_absolute: bool) -> String {
        let name = shown::line(&String::from_utf8_lossy(path));
        let (who, slash) = (self.who, if is_absolute { "/" } else { "" });
        if self.grants.is_empty() {
            return format!(
                "{who} looks for the file {name}, and no folder is granted: add --dir . to let the program use this one"
            );
        }
        format!(
            "{who} looks for the file {slash}{name}, which is in no folder that is granted: add --dir (or --dir-ro) with its folder"
        )
    }

    /// What helps where something was to be written in a folder that is granted for reading; `words` are those of WASI.
    #[cold]
    fn only_read(&self, reach: Reach, function: &str, words: &[i64]) -> Option<String> {
        if !calls::changes(function, words) {
            return None;
        }
        calls::paths_of(function)?.iter().find_map(|path| {
            let at = usize::try_from(words[path.fd]).ok()?.checked_sub(FIRST as usize)?;
            let grant = self.grants.iter().nth(at).filter(|grant| grant.access() == Access::ReadOnly)?;
            let name = calls::text(reach, words[path.at], words[path.length]).ok()?;
            // That may lead out of the folder, which is another matter.
            if name.starts_with(b"..") {
                return None;
            }
            let name = shown::line(&String::from_utf8_lossy(&name));
            let (who, folder) = (self.who, shown::line(&grant.typed()));
            Some(format!("{who} may only read the folder in which {name} is: add --dir {folder} to have it written to"))
        })
    }

    /// Where a path leads from a descriptor.
    fn place(&self, table: &mut Table, fd: i64, path: &[u8]) -> Result<Place, Errno> {
        let (from, is_root) = match fd {
            ABSOLUTE => (Way::new(), true),
            _ => match table.slot(fd)? {
                Slot::Wasi(number) => return Ok(Place::Wasi(number)),
                Slot::Own(open) => {
                    let open = table.open(open);
                    (open.way.clone(), open.preopen.is_some())
                }
                Slot::Free => return Err(BAD_DESCRIPTOR),
            },
        };
        let way = tree::way(&from, path)?;
        if !is_root {
            return Ok(Place::Own(way));
        }
        let is_own = way.first().is_some_and(|name| tree::FOLDERS.contains(&&**name));
        let [working, all] = WORKING.map(|name| self.named(name));
        Ok(match all.or(working) {
            // The user has granted all: these are there as they are.
            Some(folder) if !is_own || all.is_some() => Place::Wasi(folder),
            _ if is_own || way.is_empty() => Place::Own(way),
            _ => Place::Nowhere,
        })
    }

    /// The descriptor of the granted folder in which an absolute path of this machine lies, and the bytes of the path
    /// before what lies in it.
    fn granted(&self, path: &[u8]) -> Option<(u32, usize)> {
        let reach = |(at, grant): (usize, &rankine_system::grants::Grant)| {
            let real = grant.real().as_os_str().as_encoded_bytes();
            let rest = path.strip_prefix(real)?;
            let is_beneath = real.len() > 1 && (rest.is_empty() || rest.starts_with(b"/"));
            is_beneath.then_some((FIRST + at as u32, real.len()))
        };
        self.grants.iter().enumerate().filter_map(reach).max_by_key(|&(_, length)| length)
    }
}

/// Whether a folder by this path from the root is above one by an absolute name.
fn leads_to(path: &[u8], folder: &[u8]) -> bool {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    let behind = folder.strip_prefix(b"/").and_then(|folder| folder.strip_prefix(path));
    behind.is_some_and(|rest| rest.starts_with(b"/"))
}

impl Open {
    fn of_root() -> Open {
        Open { preopen: Some(b"/"), ..Open::of(tree::ROOT, Way::new()) }
    }

    fn of(node: Id, way: Way) -> Open {
        Open {
            node,
            way,
            preopen: None,
            offset: 0,
            reads: true,
            writes: false,
            appends: false,
            _charge: Charge::default(),
        }
    }
}

impl Table {
    fn slot(&self, fd: i64) -> Result<Slot, Errno> {
        let slot = usize::try_from(fd as i32).ok().and_then(|fd| self.slots.get(fd));
        slot.copied().filter(|slot| *slot != Slot::Free).ok_or(BAD_DESCRIPTOR)
    }

    fn open(&mut self, open: u64) -> &mut Open {
        self.opens.get_mut(&open).expect("a slot has it")
    }

    fn tree(&mut self, account: &Arc<Account>) -> &mut Tree {
        self.tree.get_or_insert_with(|| Box::new(Tree::new(account)))
    }

    /// Makes room for another descriptor: where one is free, or the one with this number.
    fn room(&mut self, wanted: Option<usize>) -> Result<(), Errno> {
        let is_there = wanted.map_or_else(|| self.slots.contains(&Slot::Free), |wanted| wanted < self.slots.len());
        let size = wanted.map_or(self.slots.len() + 1, |wanted| wanted + 1);
        if is_there {
            return Ok(());
        }
        if size > MOST || !self.charge.try_grow((size - self.slots.len()) * size_of::<Slot>()) {
            return Err(MANY_DESCRIPTORS);
        }
        self.slots.resize(size, Slot::Free);
        Ok(())
    }

    /// The lowest number that is free stands for this.
    fn give(&mut self, slot: Slot) -> u32 {
        let at = self.slots.iter().position(|known| *known == Slot::Free).unwrap_or(self.slots.len());
        // Others may have taken the room that was made.
        if at == self.slots.len() {
            self.slots.push(Slot::Free);
        }
        self.slots[at] = slot;
        at as u32
    }

    /// A descriptor for something of the rank's own.
    fn give_open(&mut self, open: Open) -> u32 {
        self.last += 1;
        if let Some(tree) = &mut self.tree {
            tree.opened(open.node);
        }
        self.opens.insert(self.last, open);
        self.give(Slot::Own(self.last))
    }

    /// A descriptor stands for something else, or nothing, from now on. WASI's number if that is to be closed.
    fn replace(&mut self, at: usize, slot: Slot) -> Option<u32> {
        let before = std::mem::replace(&mut self.slots[at], slot);
        if self.slots.contains(&before) {
            return None;
        }
        match before {
            Slot::Free => None,
            Slot::Wasi(number) => Some(number),
            Slot::Own(open) => {
                let open = self.opens.remove(&open)?;
                // The root is open from before the tree is there.
                if let Some(tree) = self.tree.as_mut().filter(|_| open.preopen.is_none()) {
                    tree.closed(open.node);
                }
                None
            }
        }
    }

    /// A second descriptor for what one stands for: the lowest that is free, or `to`. WASI's number that is to be closed.
    fn duplicate(&mut self, from: i64, to: Option<u32>) -> Result<(u32, Option<u32>), Errno> {
        let slot = self.slot(from)?;
        match to {
            None => self.room(None).map(|()| (self.give(slot), None)),
            Some(to) if i64::from(to) == from => Ok((to, None)),
            Some(to) => {
                self.room(Some(to as usize)).map_err(|_| BAD_DESCRIPTOR)?;
                Ok((to, self.replace(to as usize, slot)))
            }
        }
    }
}

impl Files {
    /// Takes what came of a call of WASI's.
    pub(crate) fn end(&self, reach: Reach, function: &str, words: &[i64], missing: Option<String>, errno: Errno) {
        match errno {
            NOT_PERMITTED if let Some(text) = self.only_read(reach, function, words) => {
                // Programs often look for files that need not be there.
                self.output.hint_rather(text);
            }
            NO_ENTRY | NOT_PERMITTED => missing.into_iter().for_each(|text| self.output.hint_if_failed(text)),
            _ => {}
        }
        if function == "path_open" && errno == 0 {
            let out = words[words.len() - 1] as u32;
            let mut number = [0; 4];
            reach.read(out, &mut number);
            let fd = self.table().give(Slot::Wasi(u32::from_le_bytes(number)));
            reach.write(out, &fd.to_le_bytes());
        }
    }

    /// A second descriptor: see [`Table::duplicate`]. If nobody wants to know its number, the first is gone. WASI's number that
    /// is to be closed.
    pub(crate) fn duplicate(&self, reach: Reach, from: i32, to: i32, out: Option<u32>) -> Result<Option<u32>, Errno> {
        if out.is_some_and(|out| reach.at(out, 4).is_none()) {
            return Err(FAULT);
        }
        let wanted = u32::try_from(to).ok();
        let table = &mut *self.table();
        // WASI moves a descriptor only to where another one is.
        if out.is_none() {
            table.slot(to.into())?;
        }
        let (fd, left) = table.duplicate(from.into(), wanted)?;
        match out {
            Some(out) => reach.write(out, &fd.to_le_bytes()),
            None if from != to => drop(table.replace(from as usize, Slot::Free)),
            None => {}
        }
        Ok(left)
    }

    /// The descriptor by which an absolute path is to be asked for; how many of its bytes to leave out is written.
    pub(crate) fn descriptor_of(&self, reach: Reach, path: u32, length: u32, out: u32) -> i32 {
        let Ok(text) = calls::text(reach, path.into(), length.into()) else { return -1 };
        let (fd, skipped) = self.granted(&text).unwrap_or((ABSOLUTE as u32, 0));
        reach.write(out, &(skipped as u32).to_le_bytes());
        fd as i32
    }

    /// Looks at a call of WASI's before it is made, and puts WASI's own numbers of descriptors into its words.
    pub(crate) fn begin(
        &self,
        reach: Reach,
        function: &str,
        words: &mut [i64],
        placement: Placement,
    ) -> Result<Step, Errno> {
        let table = &mut *self.table();
        if function == "clock_time_get" {
            return calls::processor_time(reach, words, placement);
        }
        if function == "poll_oneoff" {
            return table.poll(reach, words);
        }
        if let Some(paths) = calls::paths_of(function) {
            return self.begin_with_paths(table, reach, function, words, paths);
        }
        if !function.starts_with("fd_") && !function.starts_with("sock_") {
            return Ok(Step::Go(None));
        }
        if words[0] == ABSOLUTE {
            return if function == "fd_fdstat_get" {
                calls::status_of_folder(reach, words)
            } else {
                Err(BAD_DESCRIPTOR)
            };
        }
        match table.slot(words[0])? {
            Slot::Wasi(number) if function == "fd_close" => {
                let at = words[0] as u32 as usize;
                words[0] = i64::from(number);
                Ok(table.replace(at, Slot::Free).map_or(Step::Answer(0), |_| Step::Go(None)))
            }
            Slot::Wasi(number @ ..FIRST) if function == "fd_filestat_get" => {
                calls::status_of_stream(reach, words, number)
            }
            Slot::Wasi(number) => {
                words[0] = i64::from(number);
                Ok(Step::Go(None))
            }
            Slot::Own(_) if function == "fd_close" => {
                table.replace(words[0] as u32 as usize, Slot::Free);
                Ok(Step::Answer(0))
            }
            Slot::Own(_) if function.starts_with("sock_") => Err(NOT_SOCKET),
            Slot::Own(open) => table.call(&self.account, open, reach, function, words).map(|()| Step::Answer(0)),
            Slot::Free => Err(BAD_DESCRIPTOR),
        }
    }

    fn begin_with_paths(
        &self,
        table: &mut Table,
        reach: Reach,
        function: &str,
        words: &mut [i64],
        paths: &[calls::Path],
    ) -> Result<Step, Errno> {
        if function == "path_open" {
            table.room(None)?;
        }
        let (mut own, mut missing) = (Vec::new(), None);
        for path in paths {
            let text = calls::text(reach, words[path.at], words[path.length])?;
            match self.place(table, words[path.fd], &text)? {
                Place::Own(way) => own.push(way),
                Place::Nowhere => {
                    self.hint(&text);
                    return Err(NO_ENTRY);
                }
                Place::Wasi(number) => {
                    if words[path.fd] == ABSOLUTE || leads_out(&text) {
                        missing = Some(self.missing(&text, words[path.fd] == ABSOLUTE));
                    }
                    // To remove `folder/` is to remove `folder`, as it is elsewhere.
                    if function == "path_remove_directory" {
                        words[path.length] = without_slashes(&text) as i64;
                    }
                    words[path.fd] = i64::from(number);
                }
            }
        }
        match own.len() {
            0 => Ok(Step::Go(missing)),
            all if all == paths.len() => {
                let done = table.call_with_paths(&self.account, reach, function, words, &own);
                done.map(|()| Step::Answer(0))
            }
            // One of the two.
            _ => Err(OTHER_DEVICE),
        }
    }
}

/// Whether a path leads out of the folder in which it begins.
fn leads_out(path: &[u8]) -> bool {
    let mut depth = 0;
    path.split(|&byte| byte == b'/').any(|part| {
        depth += match part {
            b"" | b"." => 0,
            b".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

fn without_slashes(path: &[u8]) -> usize {
    path.iter().rposition(|&byte| byte != b'/').map_or(path.len().min(1), |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::{leads_out, leads_to};

    #[test]
    fn paths_that_lead_out_of_a_folder() {
        for path in ["..", "../a", "a/../../b", "./..", "a//../.."] {
            assert!(leads_out(path.as_bytes()), "{path}");
        }
        for path in ["", ".", "a", "a/..", "a/b/../../c", "..a"] {
            assert!(!leads_out(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn folders_above_one_that_is_granted() {
        for path in ["home", "/home", "home/anna"] {
            assert!(leads_to(path.as_bytes(), b"/home/anna/jobs"), "{path}");
        }
        for (path, folder) in [("hom", "/home/anna"), ("home/anna", "/home/anna"), ("home", "home/anna"), ("x", ".")] {
            assert!(!leads_to(path.as_bytes(), folder.as_bytes()), "{path}");
        }
    }
}
