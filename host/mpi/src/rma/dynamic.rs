//! Dynamic windows (MPI-5.0 §12.2.4): what each rank has attached, as all others can see it.
//!
//! A library does not check that an access goes to attached memory, nor that there is memory at all. Attaching is a local
//! call, so an origin has to look. Beside the guest's window lies one of ours, in the library's memory, where each rank
//! publishes its attachments: a word for each, after a head that changes whenever one of them does. Words are read and
//! written whole, as elements of accumulations. An origin asks for the head before each access, and for the rest
//! when the head is not the one it knows. A word that is newer than the head does no harm: the next access sees another
//! head.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::rc::Rc;

use rankine_abi::{
    Addr, Datatype, Errhandler, Info, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_FLAVOR, MPI_MODE_NOCHECK, MPI_SUCCESS, Op,
};
use rankine_guest::Error;

use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;

/// Attachments that a rank can have at a time in one window.
const MOST: usize = 1 << 12;
/// The head: how often the attachments have changed, above the number of words that were ever in use.
const IN_USE_BITS: u32 = 16;

/// An attachment: its address in the guest's memory and its length, neither of which has more than 32 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Attachment {
    at: u32,
    bytes: u32,
}

impl Attachment {
    fn new(at: Addr, bytes: i64) -> Result<Attachment> {
        match (u32::try_from(at.0), u32::try_from(bytes)) {
            (Ok(at), Ok(bytes)) => Ok(Attachment { at, bytes }),
            _ => {
                let text = format!(
                    "base: {bytes} bytes at {:#x} are more than 4 GiB, or lie above them, and ranks of the engine mpi can't tell \
                     one another of such memory: run the program with --engine local or nodes",
                    at.0
                );
                Err(Error::new(MPI_ERR_RMA_ATTACH, text))
            }
        }
    }

    fn range(self) -> Range<u64> {
        u64::from(self.at)..u64::from(self.at) + u64::from(self.bytes)
    }

    fn word(self) -> i64 {
        (u64::from(self.at) << 32 | u64::from(self.bytes)) as i64
    }

    fn of(word: i64) -> Attachment {
        Attachment { at: (word as u64 >> 32) as u32, bytes: word as u32 }
    }
}

/// What one rank has attached, as an origin has read it.
struct Known {
    head: i64,
    /// Without gaps where attachments follow one another.
    runs: Vec<Range<u64>>,
}

/// The attachments of all ranks of a dynamic window.
pub(crate) struct Dynamic {
    /// Our window. This rank may access it at any time, as all of them have locked it for good.
    table: usize,
    rank: c_int,
    changes: Cell<i64>,
    /// This rank's own, each at the place of its word.
    mine: RefCell<Vec<Option<Attachment>>>,
    /// Where they lie, in order, until one of them changes.
    my_runs: RefCell<Option<Vec<Range<u64>>>>,
    known: RefCell<HashMap<c_int, Known>>,
    /// Where words are read to and written from, unless an operation uses it.
    spare: Cell<Vec<i64>>,
    /// What the library said of an operation that failed. It may be under way still, so the table is left alone.
    failed: Cell<c_int>,
}

/// The bytes that are attached, in order; attachments that touch are one run.
fn runs(attachments: impl Iterator<Item = Attachment>) -> Vec<Range<u64>> {
    let mut all: Vec<_> = attachments.map(Attachment::range).filter(|range| !range.is_empty()).collect();
    all.sort_by_key(|range| range.start);
    all.into_iter().fold(Vec::new(), |mut merged: Vec<Range<u64>>, next| {
        match merged.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => merged.push(next),
        }
        merged
    })
}

/// Whether all bytes from `low` to `high` are attached.
fn covers(runs: &[Range<u64>], low: i128, high: i128) -> bool {
    let index = runs.partition_point(|run| i128::from(run.end) < high);
    runs.get(index).is_some_and(|run| i128::from(run.start) <= low && high <= i128::from(run.end))
}

impl Dynamic {
    /// Makes the table, in all ranks of a communicator.
    pub(crate) fn new(r: &Rank, comm: usize, rank: c_int) -> Result<Dynamic> {
        let (allocate, lock) = (r.symbol::<symbols::MPI_Win_allocate_c>()?, r.symbol::<symbols::MPI_Win_lock_all>()?);
        let set = r.symbol::<symbols::MPI_Win_set_errhandler>()?;
        let (bytes, unit) = (8 * (1 + MOST as isize), 8);
        let (mut table, mut at) = (0, std::ptr::null_mut::<c_void>());
        // SAFETY: results on the stack, and then a window that the library has just made.
        unsafe {
            r.check(allocate(bytes, unit, Info::NULL.0 as usize, comm, (&raw mut at).cast(), &mut table))?;
            r.check(set(table, Errhandler::ERRORS_RETURN.0 as usize))?;
            r.check(lock(MPI_MODE_NOCHECK, table))?;
        }
        let (changes, mine, my_runs) = (Cell::new(0), RefCell::default(), RefCell::default());
        let (known, spare, failed) = (RefCell::default(), Cell::default(), Cell::new(MPI_SUCCESS));
        let dynamic = Dynamic { table, rank, changes, mine, my_runs, known, spare, failed };
        // Nobody looks before all ranks have told each other of the window.
        dynamic.write(r, 0, 0)?;
        Ok(dynamic)
    }

    /// Gives the table up, in all ranks, once the guest's window is gone.
    pub(crate) fn free(&self, r: &Rank) -> Result<()> {
        let (unlock, free) = (r.symbol::<symbols::MPI_Win_unlock_all>()?, r.symbol::<symbols::MPI_Win_free>()?);
        let mut table = self.table;
        // SAFETY: a window of ours, which nobody uses any more.
        unsafe {
            r.check(unlock(table))?;
            r.check(free(&mut table))
        }
    }

    /// Whether a rank has attached all bytes from `low` to `high` of its memory.
    pub(crate) fn covers(&self, r: &Rank, rank: c_int, low: i128, high: i128) -> Result<bool> {
        if rank == self.rank {
            let mut mine = self.my_runs.borrow_mut();
            let mine = mine.get_or_insert_with(|| runs(self.mine.borrow().iter().flatten().copied()));
            return Ok(covers(mine, low, high));
        }
        let head = self.read(r, rank, 0, 1, |words| words[0])?;
        let known = |known: &Known| (known.head == head).then(|| covers(&known.runs, low, high));
        if let Some(answer) = self.known.borrow().get(&rank).and_then(known) {
            return Ok(answer);
        }
        let in_use = (head & ((1 << IN_USE_BITS) - 1)).clamp(0, MOST as i64);
        let runs = match in_use {
            0 => Vec::new(),
            _ => self.read(r, rank, 1, in_use as usize, |words| runs(words.iter().copied().map(Attachment::of)))?,
        };
        let answer = covers(&runs, low, high);
        self.known.borrow_mut().insert(rank, Known { head, runs });
        Ok(answer)
    }

    /// Reads words of a rank's table, and makes something of them.
    fn read<T>(&self, r: &Rank, rank: c_int, first: isize, count: usize, of: impl FnOnce(&[i64]) -> T) -> Result<T> {
        let get = r.symbol::<symbols::MPI_Get_accumulate>()?;
        let (length, int64, op) = (count as c_int, Datatype::INT64_T.0 as usize, Op::NO_OP.0 as usize);
        let begin = |words: *mut i64| {
            let none = std::ptr::null();
            // SAFETY: there is room for so many words, which stays until they have come (see `complete`).
            unsafe { get(none, 0, int64, words.cast(), length, int64, rank, first, length, int64, op, self.table) }
        };
        self.complete(r, rank, std::iter::repeat_n(0, count), begin, of)
    }

    /// Writes a word of this rank's table.
    fn write(&self, r: &Rank, at: isize, word: i64) -> Result<()> {
        let put = r.symbol::<symbols::MPI_Accumulate>()?;
        let (int64, op) = (Datatype::INT64_T.0 as usize, Op::REPLACE.0 as usize);
        let begin = |words: *mut i64| {
            // SAFETY: one word, which stays until the table has it (see `complete`).
            unsafe { put(words.cast_const().cast(), 1, int64, self.rank, at, 1, int64, op, self.table) }
        };
        self.complete(r, self.rank, std::iter::once(word), begin, |_| ())
    }

    /// Begins an operation on these words and waits until they are there. The library may call the guest meanwhile, and the
    /// guest begin another one, so each has words of its own. If one fails, nobody knows whether the library still uses its
    /// words: then they stay for ever, and so that this happens once, nothing more is asked of the table.
    fn complete<T>(
        &self,
        r: &Rank,
        rank: c_int,
        words: impl Iterator<Item = i64>,
        begin: impl FnOnce(*mut i64) -> c_int,
        of: impl FnOnce(&[i64]) -> T,
    ) -> Result<T> {
        r.check(self.failed.get())?;
        let flush = r.symbol::<symbols::MPI_Win_flush>()?;
        let mut used = self.spare.take();
        used.clear();
        used.extend(words);
        let begun = begin(used.as_mut_ptr());
        // SAFETY: a rank of our window, which it has locked for good.
        let code = if begun == MPI_SUCCESS { unsafe { flush(rank, self.table) } } else { begun };
        if code != MPI_SUCCESS {
            self.failed.set(code);
            std::mem::forget(used);
            return Err(Error::new(code, ""));
        }
        let result = of(&used);
        self.spare.set(used);
        Ok(result)
    }

    /// Tells the other ranks of an attachment, or that there is none any more.
    fn publish(&self, r: &Rank, index: usize, attachment: Option<Attachment>) -> Result<()> {
        let in_use = {
            let mut mine = self.mine.borrow_mut();
            let length = mine.len().max(index + 1);
            mine.resize(length, None);
            mine[index] = attachment;
            *self.my_runs.borrow_mut() = None;
            length as i64
        };
        self.write(r, 1 + index as isize, attachment.map_or(0, Attachment::word))?;
        self.changes.set(self.changes.get().wrapping_add(1));
        self.write(r, 0, self.changes.get() << IN_USE_BITS | in_use)
    }

    /// A place for an attachment, which may not overlap another one.
    fn place(&self, new: Attachment) -> Result<usize> {
        let mine = self.mine.borrow();
        let overlaps = |old: &Attachment| {
            let (one, other) = (old.range(), new.range());
            one.start.max(other.start) < one.end.min(other.end)
        };
        if let Some(old) = mine.iter().flatten().find(|old| overlaps(old)) {
            let text = format!("base: {} bytes at {:#x} overlap those attached at {:#x}", new.bytes, new.at, old.at);
            return Err(Error::new(MPI_ERR_RMA_ATTACH, text));
        }
        let free = mine.iter().position(Option::is_none).unwrap_or(mine.len());
        if free == MOST {
            let text = format!("a rank may have {MOST} attachments at a time in one window over an MPI library");
            return Err(Error::new(MPI_ERR_RMA_ATTACH, text));
        }
        Ok(free)
    }

    fn find(&self, base: Addr) -> Result<usize> {
        let is_it = |mine: &Option<Attachment>| mine.is_some_and(|attachment| u64::from(attachment.at) == base.0);
        let text = || format!("base: nothing that begins at {:#x} is attached to the window", base.0);
        self.mine.borrow().iter().position(is_it).ok_or_else(|| Error::new(MPI_ERR_RMA_ATTACH, text()))
    }
}

impl Rank {
    /// The attachments of a window, which has to be a dynamic one.
    fn attachments(&self, win: u32) -> Result<Rc<Dynamic>> {
        let text = "win: memory can be attached to dynamic windows only";
        self.dynamic_window(win).ok_or_else(|| Error::new(MPI_ERR_RMA_FLAVOR, text))
    }
}

/// `MPI_Win_attach`
pub(crate) fn win_attach(r: &Rank, win_word: u32, base_at: Addr, size: i64) -> Result<()> {
    let (win, base) = (r.win(win_word, "win")?, r.bytes(base_at, size, "base")?);
    let dynamic = r.attachments(win_word)?;
    let attachment = Attachment::new(base_at, size)?;
    let index = dynamic.place(attachment)?;
    let call = r.symbol::<symbols::MPI_Win_attach>()?;
    // SAFETY: the memory was proved, never shrinks, and stays until the process ends, which ends all windows.
    r.check(unsafe { call(win, base.at, size as isize) })?;
    dynamic.publish(r, index, Some(attachment))
}

/// `MPI_Win_detach`: nobody learns of the memory any more before it is given up.
pub(crate) fn win_detach(r: &Rank, win_word: u32, base_at: Addr) -> Result<()> {
    let (win, base) = (r.win(win_word, "win")?, r.pointer(base_at));
    let dynamic = r.attachments(win_word)?;
    dynamic.publish(r, dynamic.find(base_at)?, None)?;
    let call = r.symbol::<symbols::MPI_Win_detach>()?;
    // SAFETY: `find` has just found the address among what is attached to this window.
    r.check(unsafe { call(win, base) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_attached_is_covered() {
        let attached = [(100, 50), (10, 5), (150, 10), (u32::MAX, 7), (40, 0)];
        let runs = runs(attached.into_iter().map(|(at, bytes)| Attachment { at, bytes }));
        assert_eq!(runs, [10..15, 100..160, 0xffff_ffff..0x1_0000_0006]);
        for (low, high) in [(100, 160), (149, 151), (10, 15), (0xffff_ffff, 0x1_0000_0000)] {
            assert!(covers(&runs, low, high), "{low}..{high}");
        }
        for (low, high) in
            [(99, 100), (-1, 5), (40, 41), (9, 11), (14, 101), (159, 161), (160, 161), (1 << 32, 1 << 33)]
        {
            assert!(!covers(&runs, low, high), "{low}..{high}");
        }
        assert!(!covers(&[], 0, 1));
    }

    #[test]
    fn an_attachment_is_one_word() {
        for (at, bytes) in [(0, 1), (0x8000_0000, 0x7fff_ffff), (u32::MAX, 1), (64, 0)] {
            assert!(Attachment::of(Attachment { at, bytes }.word()) == Attachment { at, bytes });
            assert!(Attachment::new(Addr(at.into()), bytes.into()).is_ok_and(|made| made == Attachment { at, bytes }));
        }
        for (at, bytes) in [(1 << 32, 1), (64, 1 << 32), (64, -1)] {
            let error = Attachment::new(Addr(at), bytes).err().expect("no word has it");
            assert!(error.class == MPI_ERR_RMA_ATTACH && error.text.contains("--engine local"), "{error:?}");
        }
    }
}
