//! Opening, closing and deleting files, and what is known of them (MPI-5.0 §14.2).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Comm, File, Group, Info, MPI_ERR_ARG, MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME, MPI_ERR_READ_ONLY,
    MPI_ERR_UNSUPPORTED_OPERATION, MPI_MODE_APPEND, MPI_MODE_DELETE_ON_CLOSE, MPI_SUCCESS,
};
use rankine_guest::file::Opening;

use super::agree::together;
use super::common::Common;
use super::home::Home;
use super::region::FURTHEST;
use super::storage::{Storage, Stored};
use super::view::View;
use super::{MOST, Opened};
use crate::comm::{Communicator, Party, Tag};
use crate::error::{Error, Result};
use crate::info::{info_create, info_set};
use crate::quota::Cost;
use crate::rank::Rank;

/// What errors call them.
const WHAT: Cost = Cost::Files;

impl Rank {
    /// Who keeps the files of this job.
    pub(super) fn storage(&self) -> Result<&dyn Storage> {
        let none = || Error::new(MPI_ERR_UNSUPPORTED_OPERATION, "this job has no files");
        self.world().options.storage.as_deref().ok_or_else(none)
    }

    /// Who knows the files by this rank's names: one that has begun in a folder of its own has others.
    fn by_name(&self) -> Result<&dyn Storage> {
        self.own_storage().map_or_else(|| self.storage(), Ok)
    }

    /// Refuses one file more than a rank may have open.
    fn check_files(&self) -> Result<()> {
        if self.files.table.borrow().iter().count() < MOST {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_NO_MEM, format!("this rank has {MOST} files open, and may not have more")))
    }

    fn open_here(&self, name: &str, mode: i32, opening: Opening, home: Option<Home>) -> Result<Arc<Common>> {
        self.check_files()?;
        let stored = self.by_name()?.open(name, opening)?;
        let pointer = if mode & MPI_MODE_APPEND != 0 { stored.size()? as i64 } else { 0 };
        Ok(Arc::new(Common::new(stored, pointer, home)))
    }

    /// A file that a rank of another node has opened, and which is known there by this.
    #[cold]
    fn open_too(&self, name: &str, mode: i32, known: u64, home: Home) -> Result<Arc<Common>> {
        let common = self.open_here(name, mode, again(mode)?, Some(home))?;
        if common.stored.identity()?.1 == known {
            return Ok(common);
        }
        let text = format!(
            "filename: \"{name}\" is another file on the node of rank {} than on that of rank 0 of the communicator, where \
             it was opened first: it has to lie in a file system that all nodes share",
            self.me()
        );
        Err(Error::new(MPI_ERR_NOT_SAME, text))
    }

    /// The file as the first rank has opened it; other ranks see whether they mean the same one.
    async fn open_first(&self, comm: &Communicator, name: &str, mode: i32) -> Result<Arc<Common>> {
        let party = Party::all(self, comm, Tag::nonblocking(comm.next_sequence()));
        let print = self.world().fingerprint(self.seen_from_the_first(name));
        let (mut words, mut mine) = ([MPI_SUCCESS, mode, print as i32, (print >> 32) as i32, 0, 0, 0, 0, 0], None);
        if party.is_first() {
            let near = self.world().near_of(&comm.group);
            let (all, number) = (&self.world().files_over_nodes, self.world().files_over_nodes.number());
            let home = (near < comm.group.len()).then(|| Home::new(self.world(), None, number));
            let opened = Opening::of(mode).and_then(|how| self.open_here(name, mode, how, home));
            if let Some(common) = opened.as_ref().ok().filter(|common| common.is_spread()) {
                all.enter(number, common);
                [words[7], words[8]] = [number as i32, (number >> 32) as i32];
            }
            match opened.as_ref().map_err(Error::clone).and_then(|common| Ok((common, common.stored.identity()?.1))) {
                Ok((common, known)) => {
                    words[4] = self.world().files.leave(common.clone(), near) as i32;
                    [words[5], words[6]] = [known as i32, (known >> 32) as i32];
                }
                Err(error) => words[0] = error.class,
            }
            mine = Some(opened);
        }
        let first = party.broadcast(words).await?;
        if first[0] != MPI_SUCCESS {
            return mine.unwrap_or_else(|| Err(super::agree::elsewhere(comm, first[0], 0)));
        }
        let ticket = first[4] as u32;
        let is_here = self.world().files.elsewhere(ticket).is_none();
        let fetched = if is_here { Some(self.world().files.fetch(ticket)?) } else { None };
        if first[1] != mode {
            let text = format!("amode is {mode:#x} here and {:#x} at rank 0 of the communicator", first[1]);
            return Err(Error::new(MPI_ERR_NOT_SAME, text));
        }
        self.check_files()?;
        let Some(common) = fetched else {
            let number = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
            let home = Home::new(self.world(), self.world().files.elsewhere(ticket), number(first[7], first[8]));
            return self.open_too(name, mode, number(first[5], first[6]), home);
        };
        if first[2..4] != words[2..4] {
            self.check_same(&common, name, mode)?;
        }
        Ok(common)
    }

    /// Refuses another name unless it is the same file's.
    fn check_same(&self, common: &Common, name: &str, mode: i32) -> Result<()> {
        let other = self.by_name()?.open(name, again(mode)?)?;
        if other.identity()? == common.stored.identity()? {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_NOT_SAME, format!("filename: \"{name}\" is another file than that of rank 0")))
    }
}

/// How a file is opened that somebody has opened before.
fn again(mode: i32) -> Result<Opening> {
    Ok(Opening { create: false, exclusive: false, ..Opening::of(mode)? })
}

/// `MPI_File_open`
pub async fn file_open(r: &Rank, comm: Comm, filename: &str, amode: i32, info: Info) -> Result<File> {
    let communicator = r.intracommunicator(comm)?;
    let context = communicator.agree_on_context(r, Tag::FILE).await?;
    let comm = communicator.child(context, communicator.group.clone(), communicator.rank);
    let first = r.open_first(&comm, filename, amode).await;
    let mine = first.and_then(|common| {
        let (hints, view) = (r.hints(info)?, View::whole(r)?);
        let charge = r.account.charge(size_of::<Opened>() + size_of::<Common>() + filename.len() + 1024, WHAT)?;
        Ok((common, hints, view, charge))
    });
    together(r, &comm, mine.as_ref().map(|_| 0).map_err(Error::clone), || Ok(())).await?;
    let (common, hints, view, charge) = mine?;
    let position = Cell::new(common.pointer_here());
    let file = Opened {
        common,
        comm,
        name: filename.to_owned(),
        mode: amode,
        view: RefCell::new(Rc::new(view)),
        position,
        info: RefCell::new(hints),
        split: Cell::default(),
        _charge: charge,
    };
    let fh = r.files.table.borrow_mut().add(Rc::new(file), WHAT).map(File)?;
    r.adopt_handler(fh, r.handler_of_new_files());
    Ok(fh)
}

/// `MPI_File_close`: the file is gone afterwards, also if the system could not keep all that was written.
pub async fn file_close(r: &Rank, fh: File) -> Result<File> {
    let for_its_handler = |error: Error| error.or_on(fh);
    let file = r.file(fh).map_err(for_its_handler)?;
    let mine = file.check_no_split();
    let is_open = mine.is_ok();
    let mine = mine.and_then(|()| file.of_each_node(r, |stored| stored.close())).map(|()| 0);
    let closed = file.together(r, mine, || {
        let stored = &file.common.stored;
        let closed = if file.is_read_only() { Ok(()) } else { stored.close() };
        let deleted = if file.mode & MPI_MODE_DELETE_ON_CLOSE != 0 { stored.delete() } else { Ok(()) };
        closed.and(deleted)
    });
    let outcome = closed.await.map_err(for_its_handler);
    if is_open {
        r.files.table.borrow_mut().remove(fh.0);
        r.forget_handler(fh);
    }
    outcome.map(|()| File::NULL)
}

/// `MPI_File_delete`
pub fn file_delete(r: &Rank, filename: &str, info: Info) -> Result<()> {
    r.hints(info)?;
    r.by_name()?.delete(filename)
}

/// A size that files can have.
fn size(size: i64) -> Result<u64> {
    match u64::try_from(size) {
        Ok(size) if size < FURTHEST => Ok(size),
        Ok(_) => Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is longer than any file"))),
        Err(_) => Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is negative"))),
    }
}

impl Opened {
    /// Does what the first rank does for all of its node where others have opened the file by themselves.
    fn of_each_node(&self, r: &Rank, act: impl FnOnce(&dyn Stored) -> Result<()>) -> Result<()> {
        let first_is_away = || self.comm.group.get(0).is_some_and(|rank| !r.world().is_here(rank));
        if self.common.is_spread() && !self.is_read_only() && first_is_away() {
            act(&*self.common.stored)
        } else {
            Ok(())
        }
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        if self.is_read_only() {
            return Err(Error::new(MPI_ERR_READ_ONLY, format!("{} is open for reading only", self.title())));
        }
        Ok(())
    }

    /// Changes the size of the file, together.
    async fn change_size(&self, r: &Rank, bytes: i64, change: impl FnOnce(u64) -> Result<()>) -> Result<()> {
        let checked = self.check_random().and_then(|()| self.check_writable()).and_then(|()| size(bytes));
        let mine = checked.as_ref().map(|&bytes| r.world().fingerprint(bytes)).map_err(Error::clone);
        self.together(r, mine, || change(checked?)).await
    }
}

/// `MPI_File_set_size`
pub async fn file_set_size(r: &Rank, fh: File, size: i64) -> Result<()> {
    let file = r.file(fh)?;
    file.change_size(r, size, |bytes| file.common.stored.resize(bytes)).await
}

/// `MPI_File_preallocate`
pub async fn file_preallocate(r: &Rank, fh: File, size: i64) -> Result<()> {
    let file = r.file(fh)?;
    file.change_size(r, size, |bytes| file.common.stored.reserve(bytes)).await
}

/// `MPI_File_get_size`
pub fn file_get_size(r: &Rank, fh: File) -> Result<i64> {
    Ok(r.file(fh)?.common.stored.size()? as i64)
}

/// `MPI_File_get_group`
pub fn file_get_group(r: &Rank, fh: File) -> Result<Group> {
    r.add_group(r.file(fh)?.comm.group.clone())
}

/// `MPI_File_get_amode`
pub fn file_get_amode(r: &Rank, fh: File) -> Result<i32> {
    Ok(r.file(fh)?.mode)
}

/// `MPI_File_set_info`
pub async fn file_set_info(r: &Rank, fh: File, info: Info) -> Result<()> {
    let file = r.file(fh)?;
    let mine = r.hints(info).and_then(|hints| r.more_hints(&file.info.borrow(), &hints));
    file.together(r, mine.as_ref().map(|_| 0).map_err(Error::clone), || Ok(())).await?;
    *file.info.borrow_mut() = mine?;
    Ok(())
}

/// What is true of files without hints (§14.2.8). None of them changes anything: there is nothing to tune.
const HINTS: [(&str, &str); 2] = [("collective_buffering", "true"), ("cb_block_size", "1048576")];

/// `MPI_File_get_info`
pub fn file_get_info(r: &Rank, fh: File) -> Result<Info> {
    let hints = r.file(fh)?.info.borrow().clone();
    let used = if hints.is_some() { r.add_info(&hints)? } else { info_create(r)? };
    for (key, value) in HINTS {
        if hints.as_ref().and_then(|hints| hints.get(key)).is_none() {
            info_set(r, used, key, value)?;
        }
    }
    Ok(used)
}

/// `MPI_File_set_atomicity`
pub async fn file_set_atomicity(r: &Rank, fh: File, flag: bool) -> Result<()> {
    let file = r.file(fh)?;
    file.together(r, Ok(flag.into()), || {
        file.common.set_atomic(flag);
        Ok(())
    })
    .await?;
    if file.common.is_spread() {
        file.common.set_atomic(flag);
    }
    Ok(())
}

/// `MPI_File_get_atomicity`
pub fn file_get_atomicity(r: &Rank, fh: File) -> Result<bool> {
    Ok(r.file(fh)?.common.is_atomic())
}

/// `MPI_File_sync`: one of them is enough, when all have come.
pub async fn file_sync(r: &Rank, fh: File) -> Result<()> {
    let file = r.file(fh)?;
    let mine = file.of_each_node(r, |stored| stored.sync()).map(|()| 0);
    file.together(r, mine, || if file.is_read_only() { Ok(()) } else { file.common.stored.sync() }).await
}
