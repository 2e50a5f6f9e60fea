//! What those who have a file open do together, where a library lets some of them wait for others who have been refused.
//!
//! In ROMIO the first process alone looks at some arguments, and leaves without the others when they are wrong. So all say
//! here what they are about to do, and why one can't, before the library is asked: it is asked by all or by none.

use std::ffi::c_int;

use rankine_abi::{
    Datatype, MPI_ERR_ARG, MPI_ERR_NOT_SAME, MPI_ERR_READ_ONLY, MPI_ERR_UNSUPPORTED_OPERATION, MPI_MODE_RDONLY,
    MPI_MODE_SEQUENTIAL, MPI_SEEK_CUR, MPI_SEEK_END, MPI_SEEK_SET, MPI_SUCCESS, Op,
};
use rankine_guest::Error;

use super::storage::{Reserved, reserve};
use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;
use rankine_system::files::failed;

const WORDS: usize = Datatype::INT64_T.0 as usize;

/// What a rank says, of which each hears the least: its arguments and their complements, the class of its error as a
/// negative number, and what the first of them has found.
type Said = [i64; 6];

fn said([one, other]: [i64; 2], outcome: &Result<i64>, is_first: bool) -> Said {
    let class = outcome.as_ref().err().map_or(MPI_SUCCESS, |error| error.class);
    let found = if is_first { outcome.as_ref().map_or(0, |&found| found) } else { i64::MAX };
    [one, !one, other, !other, -i64::from(class), found]
}

/// What becomes of what all have said.
fn verdict([one, not_one, other, not_other, class, found]: Said) -> Result<i64> {
    if class != i64::from(MPI_SUCCESS) {
        return Err(Error::new(-class as c_int, "it failed on another rank of those who have the file open"));
    }
    if one != !not_one || other != !not_other {
        return Err(Error::new(MPI_ERR_NOT_SAME, "the ranks that have the file open call it with different arguments"));
    }
    Ok(found)
}

impl Rank {
    /// A communicator of our own, of a communicator's members, all of whom come here.
    pub(super) fn between(&self, comm: usize) -> Result<usize> {
        let (dup, mut made) = (self.symbol::<symbols::MPI_Comm_dup>()?, 0);
        // SAFETY: a communicator of the library's, and a result on the stack.
        self.check(unsafe { dup(comm, &mut made) })?;
        Ok(made)
    }

    /// All who have it come here.
    pub(super) fn give_up(&self, mut comm: usize) -> Result<()> {
        let free = self.symbol::<symbols::MPI_Comm_free>()?;
        // SAFETY: a communicator of our own, which is used no more.
        self.check(unsafe { free(&mut comm) })
    }

    pub(super) fn is_first(&self, comm: usize) -> Result<bool> {
        let (rank, mut me) = (self.symbol::<symbols::MPI_Comm_rank>()?, -1);
        // SAFETY: a communicator of our own, and a result on the stack.
        self.check(unsafe { rank(comm, &mut me) })?;
        Ok(me == 0)
    }

    /// Has all who have the file open say what they are about to do. What the first finds is what all get, unless one fails.
    fn agree(&self, fh: u32, arguments: [i64; 2], act: impl FnOnce(bool) -> Result<i64>) -> Result<i64> {
        let Some(comm) = self.files.open.with(fh, |open| open.between).flatten() else { return act(true) };
        let is_first = self.is_first(comm)?;
        let mine = act(is_first);
        let (words, mut least) = (said(arguments, &mine, is_first), Said::default());
        let reduce = self.symbol::<symbols::MPI_Allreduce>()?;
        let (from, to, count) = (words.as_ptr().cast(), least.as_mut_ptr().cast(), words.len() as c_int);
        // SAFETY: as many words in, and out.
        self.check(unsafe { reduce(from, to, count, WORDS, Op::MIN.0 as usize, comm) })?;
        mine.and(verdict(least))
    }

    /// Refuses what a file that is read or written from one end to the other has not.
    fn check_random(&self, fh: u32) -> Result<()> {
        match self.file_mode(fh) & MPI_MODE_SEQUENTIAL {
            0 => Ok(()),
            _ => Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, "the file is open with MPI_MODE_SEQUENTIAL")),
        }
    }

    fn file_mode(&self, fh: u32) -> c_int {
        self.files.open.with(fh, |open| open.mode).unwrap_or_default()
    }

    /// Where the end of the file is in the view: where this rank's own pointer goes, for a moment.
    fn file_end(&self, file: usize) -> Result<i64> {
        let (tell, seek) = (self.symbol::<symbols::MPI_File_get_position>()?, self.symbol::<symbols::MPI_File_seek>()?);
        let (mut before, mut end) = (0, 0);
        // SAFETY: a file of the library's, and a result on the stack.
        self.check(unsafe { tell(file, &mut before) })?;
        // SAFETY: a file of the library's.
        let found = self.check(unsafe { seek(file, 0, MPI_SEEK_END) }).and_then(|()| {
            // SAFETY: a file of the library's, and a result on the stack.
            self.check(unsafe { tell(file, &mut end) })
        });
        // SAFETY: a file of the library's.
        let restored = self.check(unsafe { seek(file, before, MPI_SEEK_SET) });
        found.and(restored).map(|()| end)
    }

    /// Where a seek of the shared pointer leads.
    fn sought(&self, file: usize, offset: i64, whence: c_int) -> Result<i64> {
        let from = match whence {
            MPI_SEEK_CUR => {
                let (tell, mut position) = (self.symbol::<symbols::MPI_File_get_position_shared>()?, 0);
                // SAFETY: a file of the library's, and a result on the stack.
                self.check(unsafe { tell(file, &mut position) })?;
                position
            }
            MPI_SEEK_END => self.file_end(file)?,
            _ => 0,
        };
        match from.checked_add(offset) {
            Some(position @ 0..) => Ok(position),
            Some(position) => {
                Err(Error::new(MPI_ERR_ARG, format!("the file pointer would be {position}, which is negative")))
            }
            None => Err(Error::new(MPI_ERR_ARG, format!("offset is {offset}, which is beyond any possible file"))),
        }
    }
}

fn check_whence(whence: c_int) -> Result<()> {
    if [MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END].contains(&whence) {
        return Ok(());
    }
    let text = format!("whence is {whence}, but has to be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
    Err(Error::new(MPI_ERR_ARG, text))
}

/// `MPI_File_seek_shared`: the first finds out where it leads, and nothing is left for the library to refuse to it alone.
pub(crate) fn file_seek_shared(r: &Rank, fh: u32, offset: i64, whence: i32) -> Result<()> {
    let file = r.file(fh, "fh")?;
    r.agree(fh, [offset, whence.into()], |_| {
        r.check_random(fh)?;
        r.file_offset(fh, offset, "offset")?;
        check_whence(whence)?;
        Ok(0)
    })?;
    // All are here now: the first does not look while others still move what it looks at.
    let position = r.agree(fh, [0, 0], |is_first| {
        let position = if is_first { r.sought(file, offset, whence)? } else { 0 };
        r.file_offset(fh, position, "the file pointer")?;
        Ok(position)
    })?;
    let call = r.symbol::<symbols::MPI_File_seek_shared>()?;
    // SAFETY: a file of the library's.
    r.check(unsafe { call(file, position, MPI_SEEK_SET) })
}

/// `MPI_File_preallocate`: the system reserves the space. Where the file system can't, the library writes as many bytes,
/// which is refused before if they have no room.
pub(crate) fn file_preallocate(r: &Rank, fh: u32, size: i64) -> Result<()> {
    let file = r.file(fh, "fh")?;
    r.agree(fh, [size, 0], |_| {
        r.check_random(fh)?;
        r.file_offset(fh, size, "size")?;
        if size < 0 {
            return Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is negative")));
        }
        if r.file_mode(fh) & MPI_MODE_RDONLY != 0 {
            return Err(Error::new(MPI_ERR_READ_ONLY, "the file is open for reading only"));
        }
        Ok(0)
    })?;
    let reserved = r.agree(fh, [0, 0], |is_first| {
        let bytes = if is_first { size.unsigned_abs() } else { 0 };
        let reserved = r.files.open.with(fh, |open| reserve(open.opened.file(), bytes)).transpose();
        let reserved = reserved.map_err(|error| failed("the file", &error))?;
        Ok(i64::from(reserved == Some(Reserved::NotHere)))
    })?;
    if reserved == 0 {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_File_preallocate>()?;
    // SAFETY: a file of the library's.
    r.check(unsafe { call(file, size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(all: &[Said]) -> Said {
        std::array::from_fn(|word| all.iter().map(|said| said[word]).min().unwrap())
    }

    #[test]
    fn all_get_what_the_first_has_found() {
        let all = [said([-5, 600], &Ok(17), true), said([-5, 600], &Ok(0), false)];
        assert_eq!(verdict(heard(&all)).unwrap(), 17);
    }

    #[test]
    fn all_hear_of_an_error_and_of_different_arguments() {
        let wrong = Err(Error::new(MPI_ERR_ARG, "wrong"));
        let all = [said([1, 2], &Ok(17), true), said([i64::MIN, 2], &wrong, false)];
        assert_eq!(verdict(heard(&all)).unwrap_err().class, MPI_ERR_ARG);
        for other in [[i64::MIN, 2], [i64::MAX, 2], [0, 2], [1, -3]] {
            let all = [said([1, 2], &Ok(17), true), said(other, &Ok(0), false)];
            assert_eq!(verdict(heard(&all)).unwrap_err().class, MPI_ERR_NOT_SAME);
        }
    }
}
