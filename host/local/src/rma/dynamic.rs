//! Memory that is attached to a dynamic window, and detached again (MPI-5.0 §12.2.4).
//!
//! A rank changes its own list; origins look at it for every access. What was attached stays mapped whatever becomes of
//! the list, so an access that races with a detachment is a mistake of the program's and no danger.

use rankine_abi::{Addr, MPI_ERR_BUFFER, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_FLAVOR, MPI_ERR_SIZE, Win};

use super::Window;
use super::common::Region;
use crate::datatype::layout::Layout;
use crate::error::{Error, Result};
use crate::rank::Rank;

/// Bytes that a guest can address.
const MEMORY: u64 = 4 << 30;
/// Regions that a rank can attach to a window.
const MOST: usize = 1 << 20;

impl Window {
    /// Whether the target has attached all bytes of a layout that lies at `at` of its memory.
    pub(super) fn is_attached(&self, target: usize, at: i128, layout: &Layout) -> bool {
        let regions = self.common.member(target).attached();
        if covers(&regions, at + i128::from(layout.lo()), at + i128::from(layout.hi())) {
            return layout.size() <= MEMORY;
        }
        // Entries that overlap may say more than there is: this takes no longer than to copy what is attached. The target
        // is not kept waiting meanwhile.
        let attached = regions.clone();
        drop(regions);
        let mut all = layout.size() <= attached.iter().map(|region| region.end - region.start).sum();
        if all {
            layout.each_block(0, layout.size(), |offset, length| {
                let low = at + i128::from(offset);
                all = all && covers(&attached, low, low + i128::from(length));
            });
        }
        all
    }

    fn check_dynamic(&self) -> Result<()> {
        if self.is_dynamic() {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_RMA_FLAVOR, "the window is not a dynamic one: memory cannot be attached to it"))
    }
}

/// Whether these regions, of which no two overlap, have all bytes from `low` to `high`.
fn covers(regions: &[Region], mut low: i128, high: i128) -> bool {
    let has = |region: &&Region, at: i128| i128::from(region.start) <= at && at < i128::from(region.end);
    while low < high {
        match regions.iter().find(|region| has(region, low)) {
            Some(region) => low = region.end.into(),
            None => return false,
        }
    }
    true
}

/// `MPI_Win_attach`
pub fn win_attach(r: &Rank, win: Win, base: Addr, size: i64) -> Result<()> {
    let window = r.window(win)?;
    window.check_dynamic()?;
    let size =
        u64::try_from(size).map_err(|_| Error::new(MPI_ERR_SIZE, format!("size is {size}, which is negative")))?;
    if r.memory().buffer(base, size).is_none() {
        return Err(r.memory().outside(MPI_ERR_BUFFER, base.0.into(), size.into(), "the memory to attach"));
    }
    let start = u64::from(base.0);
    let new = Region { start, end: start + size };
    let mut attached = window.mine().attached();
    if let Some(old) = attached.iter().find(|old| new.start < old.end && old.start < new.end || old.start == start) {
        let text = format!("the {size} bytes at {start:#x} overlap what is attached at {:#x}", old.start);
        return Err(Error::new(MPI_ERR_RMA_ATTACH, text));
    }
    if attached.len() >= MOST {
        return Err(Error::new(MPI_ERR_RMA_ATTACH, format!("{MOST} pieces of memory are attached already")));
    }
    if attached.len() == attached.capacity() {
        let more = attached.len().max(4);
        window.charge.borrow_mut().grow(more * size_of::<Region>(), "attached memory")?;
        attached.reserve_exact(more);
    }
    attached.push(new);
    Ok(())
}

/// `MPI_Win_detach`
pub fn win_detach(r: &Rank, win: Win, base: Addr) -> Result<()> {
    let window = r.window(win)?;
    window.check_dynamic()?;
    let mut attached = window.mine().attached();
    match attached.iter().position(|region| region.start == u64::from(base.0)) {
        Some(position) => {
            attached.swap_remove(position);
            Ok(())
        }
        None => Err(Error::new(MPI_ERR_RMA_ATTACH, format!("no memory that begins at {:#x} is attached", base.0))),
    }
}
