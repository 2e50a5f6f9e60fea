//! Memory that several processes share: windows of `MPI_Win_allocate_shared` (MPI-5.0 §12.2.3).
//!
//! The library maps the same memory into every process of a node, where no guest can address it. Its pages are mapped a
//! second time, in the middle of a block of the guest's own allocator: then all parts have addresses of the guest, and
//! what one rank stores another one loads. The block gets memory of its own back before it is freed.
//!
//! The pages are memory beside that of the guests, whatever their allocators answer: each rank is charged for its part
//! before the library makes it.

use std::ffi::{c_int, c_void};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rankine_abi::{Addr, Datatype, MPI_ERR_NO_MEM, MPI_ERR_RMA_SHARED, Op};
use rankine_guest::{Charge, Cost, Error};

use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;

/// Bytes of shared windows that this process has mapped, all ranks' parts: twice, by the library and by us.
static MAPPED: AtomicU64 = AtomicU64::new(0);

/// Bytes of the pages of this process that it may have for its shared windows, whoever's they are.
pub fn granted() -> u64 {
    MAPPED.load(Ordering::Relaxed).saturating_mul(2)
}

/// The memory of a shared window in a guest.
pub(crate) struct Shared {
    /// Of the guest's allocator; the pages lie inside of it.
    block: Addr,
    pages: Pages,
    /// Where each rank's part begins.
    pub(crate) parts: Vec<Addr>,
    /// This rank's part.
    charge: Charge,
    _granted: Granted,
}

/// Host pages of the guest's memory whose place another mapping has taken.
struct Pages {
    at: *mut c_void,
    length: usize,
}

/// A rank has so many bytes of a shared window mapped until this is dropped.
struct Granted(u64);

impl Granted {
    fn new(bytes: u64) -> Granted {
        MAPPED.fetch_add(bytes, Ordering::Relaxed);
        Granted(bytes)
    }
}

impl Drop for Granted {
    fn drop(&mut self) {
        MAPPED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Where the library has a rank's part.
struct Part {
    at: usize,
    size: usize,
}

impl Rank {
    /// Charges this rank for its part of the pages of a window. A size that is none is refused by the library.
    pub(crate) fn charge_shared(&self, size: i64) -> Result<Charge> {
        let bytes = usize::try_from(size).unwrap_or(0).checked_next_multiple_of(page_size()).unwrap_or(usize::MAX);
        self.account().charge(bytes, Cost::SharedWindows)
    }

    /// Makes a shared window's memory the guest's: in every rank of the window or in none, as when one could not be charged
    /// for its part.
    pub(crate) fn share(&self, win: usize, comm: usize, ranks: i64, charge: Result<Charge>) -> Result<Shared> {
        let shared = charge.and_then(|charge| self.map_parts(win, ranks, charge));
        let (mine, mut all) = (c_int::from(shared.is_ok()), 0);
        let allreduce = self.symbol::<symbols::MPI_Allreduce>()?;
        let (int, min) = (Datatype::INT.0 as usize, Op::MIN.0 as usize);
        // SAFETY: an int of each rank, and room for one.
        self.check(unsafe { allreduce((&raw const mine).cast(), (&raw mut all).cast(), 1, int, min, comm) })?;
        match shared {
            Ok(shared) if all == 0 => {
                self.unshare(shared);
                Err(Error::new(MPI_ERR_RMA_SHARED, "another rank of the window could not share the memory"))
            }
            shared => shared,
        }
    }

    /// Ends the sharing, once the library has freed the window.
    pub(crate) fn unshare(&self, shared: Shared) {
        // A block that could not be parted from the others' memory stays theirs: it is lost to the guest's allocator.
        match shared.pages.take_back() {
            Ok(()) => self.give_window_back(shared.block),
            Err(_) => shared.charge.stay(),
        }
    }

    fn map_parts(&self, win: usize, ranks: i64, charge: Charge) -> Result<Shared> {
        let page = page_size();
        let parts = self.parts_of(win, ranks)?;
        let ranges = page_ranges(&parts, page);
        let length = ranges.iter().map(Range::len).sum::<usize>();
        // Somewhere in a block that is one page longer so many whole pages begin.
        let block = self.allocate_for_guest((length + page) as i64)?;
        self.windows.1.claim(block, (length + page) as u64)?;
        let base = self.memory().base() as usize;
        let at = (base + block.0 as usize).next_multiple_of(page);
        let pages = Pages { at: std::ptr::with_exposed_provenance_mut(at), length };
        let granted = Granted::new(length as u64);
        // SAFETY: the pages lie in the guest's memory, whose bytes may change at any time, and in nobody else's block.
        if let Err(error) = unsafe { map_again(&ranges, at) } {
            self.unshare(Shared { block, pages, parts: Vec::new(), charge, _granted: granted });
            let text = format!("the memory of the MPI library's window cannot be mapped into the guest's: {error}");
            return Err(Error::new(MPI_ERR_RMA_SHARED, text));
        }
        let parts =
            parts.iter().map(|part| place(&ranges, part).map_or(Addr::NULL, |offset| guest(at - base + offset)));
        Ok(Shared { block, pages, parts: parts.collect(), charge, _granted: granted })
    }

    /// Where the library has the parts of a window.
    fn parts_of(&self, win: usize, ranks: i64) -> Result<Vec<Part>> {
        let query = self.symbol::<symbols::MPI_Win_shared_query_c>()?;
        let ask = |rank| {
            let (mut size, mut unit, mut at) = (0, 0, std::ptr::null_mut::<c_void>());
            // SAFETY: a window that the library has just made, and results on the stack.
            self.check(unsafe { query(win, rank as c_int, &mut size, &mut unit, (&raw mut at).cast()) })?;
            let size = usize::try_from(size).map_err(|_| Error::new(MPI_ERR_NO_MEM, "a part has no size"))?;
            Ok(Part { at: at.expose_provenance(), size })
        };
        (0..ranks).map(ask).collect()
    }
}

impl Pages {
    /// Gives the guest's memory pages of its own again.
    fn take_back(&self) -> io::Result<()> {
        if self.length == 0 {
            return Ok(());
        }
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the pages are the guest's, who expects nothing of a block that it frees.
        let mapped = unsafe { libc::mmap(self.at, self.length, rights, kind, -1, 0) };
        if mapped == self.at { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

fn guest(offset: usize) -> Addr {
    Addr(offset as u64)
}

fn page_size() -> usize {
    // SAFETY: a question without conditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// The pages that the parts lie in, in order, without gaps where parts follow one another.
fn page_ranges(parts: &[Part], page: usize) -> Vec<Range<usize>> {
    let pages = |part: &Part| part.at / page * page..(part.at + part.size).next_multiple_of(page);
    let mut all: Vec<_> = parts.iter().filter(|part| part.size > 0).map(pages).collect();
    all.sort_by_key(|range| range.start);
    all.into_iter().fold(Vec::new(), |mut merged: Vec<Range<usize>>, next| {
        match merged.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => merged.push(next),
        }
        merged
    })
}

/// How far behind the first of the pages a part begins, when they are laid one behind the other.
fn place(ranges: &[Range<usize>], part: &Part) -> Option<usize> {
    let mut before = 0;
    for range in ranges {
        if range.contains(&part.at) {
            return Some(before + (part.at - range.start));
        }
        before += range.len();
    }
    None
}

/// Maps pages of this process a second time, one range behind the other from `to` on.
///
/// # Safety
/// What lies there may be replaced.
#[cfg(target_os = "linux")]
unsafe fn map_again(ranges: &[Range<usize>], to: usize) -> io::Result<()> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let mut to = to;
    for range in ranges {
        for piece in shared_pieces(&maps, range)? {
            let target: *mut c_void = std::ptr::with_exposed_provenance_mut(to);
            let source: *mut c_void = std::ptr::with_exposed_provenance_mut(piece.start);
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            // SAFETY: an old size of 0 leaves a shared mapping as it is and maps its pages again; the caller gives up the place.
            let mapped = unsafe { libc::mremap(source, 0, piece.len(), flags, target) };
            if mapped != target {
                return Err(io::Error::last_os_error());
            }
            to += piece.len();
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
unsafe fn map_again(_ranges: &[Range<usize>], _to: usize) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system does not map memory twice"))
}

/// The mappings that a range consists of, all of which have to be shared ones.
#[cfg(target_os = "linux")]
fn shared_pieces(maps: &str, range: &Range<usize>) -> io::Result<Vec<Range<usize>>> {
    let mut pieces = Vec::new();
    let mut next = range.start;
    for line in maps.lines() {
        let Some((mapping, is_shared)) = mapping(line) else { continue };
        if next < range.end && mapping.contains(&next) {
            if !is_shared {
                break;
            }
            pieces.push(next..mapping.end.min(range.end));
            next = mapping.end;
        }
    }
    if next < range.end {
        return Err(io::Error::other(format!("at {next:#x} there is no memory that processes share")));
    }
    Ok(pieces)
}

/// A line of `/proc/self/maps`: `start-end rights …`, of which the last right is `s` for shared memory.
#[cfg(target_os = "linux")]
fn mapping(line: &str) -> Option<(Range<usize>, bool)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let number = |digits| usize::from_str_radix(digits, 16).ok();
    Some((number(start)?..number(end)?, words.next()?.ends_with('s')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_lie_in_one_range() {
        let parts = [(0x5010, 0x100), (0x5110, 0), (0x5110, 0x1f00), (0x9000, 1), (0x1000, 0x1000)];
        let parts = parts.map(|(at, size)| Part { at, size });
        let ranges = page_ranges(&parts, 0x1000);
        assert_eq!(ranges, [0x1000..0x2000, 0x5000..0x8000, 0x9000..0xa000]);
        let places = parts.iter().map(|part| place(&ranges, part));
        let expected = [0x1010, 0x1110, 0x1110, 0x4000, 0].map(Some);
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert_eq!(place(&ranges, &Part { at: 0, size: 0 }), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn ranges_are_made_of_shared_mappings() {
        let maps = "1000-3000 rw-s 00000000 00:01 7 /dev/shm/a\n3000-4000 rw-s 0 00:01 8\n4000-5000 rw-p 0 00:00 0\n";
        assert_eq!(shared_pieces(maps, &(0x2000..0x4000)).unwrap(), [0x2000..0x3000, 0x3000..0x4000]);
        assert!(shared_pieces(maps, &(0x3000..0x5000)).is_err());
        assert!(shared_pieces(maps, &(0x5000..0x6000)).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn pages_are_the_same_in_both_places() {
        let page = page_size();
        let map = |kind| {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: new memory.
            unsafe { libc::mmap(std::ptr::null_mut(), 2 * page, rights, kind | libc::MAP_ANONYMOUS, -1, 0) }
        };
        let (theirs, ours) = (map(libc::MAP_SHARED), map(libc::MAP_PRIVATE));
        assert!(theirs != libc::MAP_FAILED && ours != libc::MAP_FAILED);
        let first = theirs.expose_provenance();
        let cell = |at: *mut c_void| at.cast::<u8>().wrapping_add(page + 5);
        // SAFETY: the memory was mapped above, and is this test's.
        unsafe {
            map_again(std::slice::from_ref(&(first..first + 2 * page)), ours.expose_provenance()).unwrap();
            *cell(theirs) = 42;
            assert_eq!(*cell(ours), 42);
            Pages { at: ours, length: 2 * page }.take_back().unwrap();
            assert_eq!((*cell(ours), *cell(theirs)), (0, 42));
            libc::munmap(theirs, 2 * page);
            libc::munmap(ours, 2 * page);
        }
    }
}
