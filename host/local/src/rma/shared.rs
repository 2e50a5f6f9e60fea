//! Windows whose memory all ranks have in theirs (MPI-5.0 §12.2.3): the same pages of the system, mapped into every linear
//! memory.
//!
//! The pages take the place of a block of the guest's own allocator, so that all parts have addresses of the guest, and
//! what one rank stores another one loads. How memory is mapped is the host's business ([`SharePages`]). The block has
//! pages of its own again before the guest gets it back.
//!
//! The pages are memory beside that of the guests, whatever their allocators answer: each rank is charged for its part
//! before they are made, until nobody has them any more.

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rankine_abi::{Addr, MPI_ERR_NO_MEM, MPI_ERR_RMA_SHARED};

use super::common::Common;
use crate::error::{Error, Result};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;

/// How a host makes memory that lies in several ranks' memories at once.
pub trait SharePages: Send + Sync + Debug {
    /// Bytes of a page, a power of two: mapped memory begins and ends with one.
    fn page(&self) -> usize;

    /// So many bytes of zeroes, a multiple of a page, and not 0.
    fn make(&self, bytes: usize) -> io::Result<Arc<dyn Pages>>;
}

/// Memory that lies in several ranks' memories.
pub trait Pages: Send + Sync + Debug {
    /// Puts it at `at`.
    ///
    /// # Safety
    /// As many bytes from the page that begins there are mapped, and nobody minds that they change.
    unsafe fn map(&self, at: *mut u8) -> io::Result<()>;

    /// Puts zeroes there again, which are nobody else's.
    ///
    /// # Safety
    /// As for [`Pages::map`].
    unsafe fn take_back(&self, at: *mut u8) -> io::Result<()>;
}

/// Where the parts of a window lie in the memory that its ranks share.
#[derive(Debug)]
pub(super) struct Layout {
    /// The memory, or why there is none; nothing for no bytes.
    pages: std::result::Result<Option<Arc<dyn Pages>>, String>,
    /// Where each part begins.
    offsets: Box<[u64]>,
    /// Bytes of all.
    bytes: u64,
    page: u64,
    /// What each rank was charged for its part: as long as anybody has the pages.
    charges: Mutex<Vec<Charge>>,
}

impl Layout {
    /// For parts of these sizes, one behind the other, or each on pages of its own. There is no memory if a rank has none
    /// left for its part.
    pub(super) fn new(parts: &[Wanted], apart: bool, share: Option<&Arc<dyn SharePages>>) -> Layout {
        let page = share.map_or(1, |share| share.page() as u64);
        let unit = if apart { page } else { 1 };
        let mut bytes = 0u64;
        let mut place = |size: &u64| {
            let at = bytes;
            bytes = bytes.saturating_add(*size).checked_next_multiple_of(unit).unwrap_or(u64::MAX);
            at
        };
        let offsets = parts.iter().map(|part| place(&part.size)).collect();
        let bytes = bytes.checked_next_multiple_of(page).unwrap_or(u64::MAX);
        let pages = match (share, parts.iter().position(|part| !part.is_charged)) {
            (None, _) => Err("this host cannot map the same memory into several programs'".to_owned()),
            (_, Some(rank)) => Err(format!("rank {rank} may have no memory for its part")),
            _ if bytes == 0 => Ok(None),
            // More than a guest can address is refused by its allocator.
            _ if bytes > u64::from(u32::MAX) => Ok(None),
            (Some(share), _) => share.make(bytes as usize).map(Some).map_err(|error| error.to_string()),
        };
        Layout { pages, offsets, bytes, page, charges: Mutex::default() }
    }

    /// A rank was charged so much for its part.
    pub(super) fn keep(&self, charge: Charge) {
        self.charges.lock().unwrap_or_else(PoisonError::into_inner).push(charge);
    }

    /// The pages stay mapped somewhere until the job ends.
    fn keep_for_good(&self) {
        self.charges.lock().unwrap_or_else(PoisonError::into_inner).drain(..).for_each(Charge::stay);
    }
}

/// What a rank wants of a window whose memory is shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) size: u64,
    /// Its rank was charged for it.
    pub(super) is_charged: bool,
}

/// The memory of a shared window in a rank's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapped {
    /// Of the guest's allocator.
    block: Addr,
    /// Where the pages begin, inside of it.
    at: Addr,
}

impl Mapped {
    /// Where a rank's part is, unless it has no bytes.
    pub(super) fn part(&self, common: &Common, rank: usize, size: u64) -> Addr {
        match common.layout() {
            Some(layout) if size > 0 => self.at.plus(layout.offsets[rank]),
            _ => Addr::NULL,
        }
    }
}

impl Rank {
    /// Charges this rank for its part of the pages of a window.
    pub(super) fn charge_shared(&self, size: u64) -> Result<Charge> {
        let page = self.world().options.share_pages.as_ref().map_or(1, |share| share.page() as u64);
        let bytes = size.checked_next_multiple_of(page).and_then(|bytes| usize::try_from(bytes).ok());
        self.account.charge(bytes.unwrap_or(usize::MAX), Cost::SharedWindows)
    }

    /// Maps the memory of a window into this rank's.
    pub(super) async fn map_shared(&self, common: &Common) -> Result<Mapped> {
        let refused = |why: &str| Error::new(MPI_ERR_RMA_SHARED, format!("the window's memory can't be shared: {why}"));
        let layout = common.layout().ok_or_else(|| refused("it has none"))?;
        let pages = layout.pages.as_ref().map_err(|why| refused(why))?;
        // Somewhere in a block that is one page longer so many whole pages begin.
        let bytes = layout.bytes.saturating_add(layout.page);
        let block = self.allocated(bytes).await;
        let Some(there) = self.memory().at(block, bytes).filter(|_| !block.is_null()) else {
            let text = format!("the guest's allocator has no {bytes} bytes left for a shared window");
            return Err(Error::new(MPI_ERR_NO_MEM, text));
        };
        self.windows.blocks.claim(block, bytes)?;
        let start = there.first();
        let skip = start.addr().next_multiple_of(layout.page as usize) - start.addr();
        let mapped = Mapped { block, at: block.plus(skip as u64) };
        if let Some(pages) = pages {
            // SAFETY: the pages are inside the block, which is inside the guest's memory.
            if let Err(error) = unsafe { pages.map(start.wrapping_add(skip)) } {
                self.free_block(block).await;
                return Err(refused(&error.to_string()));
            }
        }
        Ok(mapped)
    }

    /// Gives the guest a block back that has memory of its own again.
    pub(super) async fn unmap_shared(&self, common: &Common, mapped: Mapped) {
        if let Some(Ok(Some(pages))) = common.layout().map(|layout| &layout.pages) {
            let at = self.memory().base().wrapping_add(mapped.at.0 as usize);
            // SAFETY: they were mapped there, inside the guest's memory.
            if unsafe { pages.take_back(at) }.is_err() {
                // What could not be parted from the others' memory is lost to the guest's allocator.
                if let Some(layout) = common.layout() {
                    layout.keep_for_good();
                }
                return;
            }
        }
        self.free_block(mapped.block).await;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rankine_abi::{Comm, Info, MPI_ERR_BUFFER};

    use super::*;
    use crate::rma::{win_allocate_shared, win_free};
    use crate::testing::{threads, turns};
    use crate::world::Options;

    #[derive(Debug)]
    struct Paper;

    /// Pages that a few ranks may map; how many have them.
    #[derive(Debug, Default)]
    struct Scarce {
        room: usize,
        asked: AtomicUsize,
        mapped: Arc<AtomicUsize>,
    }

    impl SharePages for Scarce {
        fn page(&self) -> usize {
            4096
        }

        fn make(&self, _: usize) -> io::Result<Arc<dyn Pages>> {
            let (asked, mapped) = (AtomicUsize::new(0), self.mapped.clone());
            Ok(Arc::new(Scarce { room: self.room, asked, mapped }))
        }
    }

    impl Pages for Scarce {
        unsafe fn map(&self, _: *mut u8) -> io::Result<()> {
            if self.asked.fetch_add(1, Ordering::SeqCst) >= self.room {
                return Err(io::Error::other("no mappings are left"));
            }
            self.mapped.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }

        unsafe fn take_back(&self, _: *mut u8) -> io::Result<()> {
            self.mapped.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    }

    /// What three ranks hear that want a shared window: the errors' texts, as their class is always the same.
    fn refused(share_pages: Option<Arc<dyn SharePages>>) -> Vec<String> {
        let program = async |r: &Rank| {
            let error = win_allocate_shared(r, 100, 1, Info::NULL, Comm::WORLD).await.unwrap_err();
            assert_eq!(error.class, MPI_ERR_RMA_SHARED, "{error:?}");
            // A rank alone needs nobody's help.
            win_allocate_shared(r, 100, 1, Info::NULL, Comm::SELF).await.unwrap();
            error.text.to_string()
        };
        let options = Options { share_pages, ..Options::default() };
        let (in_turns, end) = turns(3, options.clone(), program);
        assert_eq!(end, None);
        let (on_threads, end) = threads(3, options, None, program);
        assert_eq!(end, None);
        in_turns.into_iter().chain(on_threads).flatten().collect()
    }

    #[test]
    fn where_no_pages_can_be_shared_all_ranks_hear_why() {
        let texts = refused(None);
        assert_eq!(texts.len(), 6);
        assert!(texts.iter().all(|text| text.contains("this host cannot map the same memory")), "{texts:?}");
        let texts = refused(Some(Arc::new(Paper)));
        assert!(texts.iter().all(|text| text.ends_with("can't be shared: 4096 bytes")), "{texts:?}");
    }

    #[test]
    fn where_one_rank_can_not_map_them_nobody_keeps_them() {
        for room in 0..3 {
            let mapped = Arc::new(AtomicUsize::new(0));
            let texts = refused(Some(Arc::new(Scarce { room, asked: AtomicUsize::new(0), mapped: mapped.clone() })));
            let own = texts.iter().filter(|text| text.contains("no mappings are left")).count();
            let others = texts.iter().filter(|text| text.contains("could not make its part")).count();
            assert_eq!((own, others, mapped.load(Ordering::SeqCst)), (2 * (3 - room), 2 * room, 0), "{texts:?}");
        }
    }

    #[test]
    fn each_rank_is_charged_for_its_part() {
        let program = async |r: &Rank| {
            // What an earlier window has cost may be given back only when its last rank has left it.
            let before = r.account().used();
            for size in [1, 10_000] {
                let (_, win) = win_allocate_shared(r, size, 1, Info::NULL, Comm::WORLD).await.unwrap();
                assert!(r.account().used() >= before + (size as u64).next_multiple_of(4096));
                // The test's allocator gives the same block again.
                let error = win_allocate_shared(r, size, 1, Info::NULL, Comm::WORLD).await.unwrap_err();
                assert_eq!(error.class, MPI_ERR_BUFFER, "{error:?}");
                win_free(r, win).await.unwrap();
            }
            let size = if r.id() == 1 { 1 << 40 } else { 1 };
            let error = win_allocate_shared(r, size, 1, Info::NULL, Comm::WORLD).await.unwrap_err();
            let class = if r.id() == 1 { MPI_ERR_NO_MEM } else { MPI_ERR_RMA_SHARED };
            assert_eq!(error.class, class, "{error:?}");
        };
        let pages = Scarce { room: usize::MAX, ..Scarce::default() };
        let mapped = pages.mapped.clone();
        let options = Options { share_pages: Some(Arc::new(pages)), ..Options::default() };
        let (_, end) = turns(3, options, program);
        assert_eq!((end, mapped.load(Ordering::SeqCst)), (None, 0));
    }

    impl SharePages for Paper {
        fn page(&self) -> usize {
            4096
        }

        fn make(&self, bytes: usize) -> io::Result<Arc<dyn Pages>> {
            Err(io::Error::other(format!("{bytes} bytes")))
        }
    }

    #[test]
    fn parts_lie_one_behind_the_other_or_apart() {
        let share: Arc<dyn SharePages> = Arc::new(Paper);
        let wanted =
            |sizes: &[u64]| -> Vec<Wanted> { sizes.iter().map(|&size| Wanted { size, is_charged: true }).collect() };
        let layout = |sizes: &[u64], apart| {
            let layout = Layout::new(&wanted(sizes), apart, Some(&share));
            (layout.offsets.to_vec(), layout.bytes, layout.pages.err())
        };
        let made = |bytes: u64| Some(format!("{bytes} bytes"));
        assert_eq!(layout(&[5, 0, 4096, 1], false), (vec![0, 5, 5, 4101], 8192, made(8192)));
        assert_eq!(layout(&[5, 0, 4096, 1], true), (vec![0, 4096, 4096, 8192], 12288, made(12288)));
        assert_eq!(layout(&[0, 0], true), (vec![0, 0], 0, None));
        assert_eq!(layout(&[u64::MAX, 7], false).1, u64::MAX);
        assert!(Layout::new(&wanted(&[1]), false, None).pages.is_err());
        let mut parts = wanted(&[1, 1]);
        parts[1].is_charged = false;
        let refused = Layout::new(&parts, false, Some(&share)).pages.err();
        assert_eq!(refused, Some("rank 1 may have no memory for its part".into()));
    }
}
