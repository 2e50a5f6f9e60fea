//! Memory that is attached to a dynamic window, and detached again (MPI-5.0 §12.2.4).
//!
//! A rank changes its own list; origins look at it for every access. What was attached stays mapped whatever becomes of
//! the list, so an access that races with a detachment is a mistake of the program's and no danger.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use rankine_abi::{Addr, MPI_ERR_BUFFER, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_FLAVOR, MPI_ERR_SIZE, Win};

use super::Window;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::Cost;
use crate::rank::Rank;

/// Bytes that a guest can address.
const MEMORY: u64 = 4 << 30;
/// Regions that a rank can attach to a window.
const MOST: usize = 1 << 20;
/// What a region takes, in both lists of it.
const REGION: usize = 96;

/// What a rank has attached to a dynamic window, no two of which overlap. Everything is found by search: a rank may have a
/// million regions, and each access of any other looks.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// Where each region begins and ends.
    regions: BTreeMap<u64, u64>,
    /// The same bytes, where regions that touch are one run.
    runs: BTreeMap<u64, u64>,
    /// The length of all together.
    bytes: u64,
    /// Regions that are charged.
    charged: usize,
}

impl Attached {
    /// Whether all bytes from `low` to `high` are attached.
    pub(super) fn covers(&self, low: i128, high: i128) -> bool {
        let Ok(start) = u64::try_from(low) else { return low >= high };
        low >= high || self.runs.range(..=start).next_back().is_some_and(|(_, &end)| high <= i128::from(end))
    }

    /// Where a region begins that these bytes overlap, or that begins where they do.
    fn overlapped(&self, start: u64, end: u64) -> Option<u64> {
        let before = self.regions.range(..=start).next_back();
        let before = before.filter(|&(&old, &old_end)| old == start || old_end > start);
        // The highest address has none behind it.
        let behind = || self.regions.range((Excluded(start), Unbounded)).next().filter(|&(&old, _)| old < end);
        before.or_else(behind).map(|(&old, _)| old)
    }

    /// Takes a region in that overlaps none.
    pub(super) fn insert(&mut self, start: u64, end: u64) {
        self.regions.insert(start, end);
        self.bytes += end - start;
        if start == end {
            return;
        }
        let before = self.runs.range(..start).next_back().filter(|&(_, &run_end)| run_end == start);
        let first = before.map_or(start, |(&run, _)| run);
        let last = self.runs.remove(&end).unwrap_or(end);
        self.runs.insert(first, last);
    }

    /// Takes the region out that begins here; whether there was one.
    fn remove(&mut self, start: u64) -> bool {
        let Some(end) = self.regions.remove(&start) else { return false };
        self.bytes -= end - start;
        if start == end {
            return true;
        }
        let Some((&first, run)) = self.runs.range_mut(..=start).next_back() else { return true };
        let last = std::mem::replace(run, start);
        if first == start {
            self.runs.remove(&first);
        }
        if end < last {
            self.runs.insert(end, last);
        }
        true
    }
}

impl Window {
    /// Whether the target has attached all bytes of a layout that lies at `at` of its memory.
    pub(super) fn is_attached(&self, target: usize, at: i128, layout: &Layout) -> bool {
        let member = self.common.member(target);
        if member.elsewhere.is_some() {
            // The target's node looks.
            return at + i128::from(layout.lo()) >= 0 && layout.size() <= MEMORY;
        }
        let attached = member.attached();
        if attached.covers(at + i128::from(layout.lo()), at + i128::from(layout.hi())) {
            return layout.size() <= MEMORY;
        }
        // Entries that overlap may say more than there is: this takes no longer than to copy what is attached. The target
        // is not kept waiting meanwhile.
        let mut all = layout.size() <= attached.bytes;
        drop(attached);
        if all {
            layout.each_block(0, layout.size(), |offset, length| {
                let low = at + i128::from(offset);
                all = all && member.attached().covers(low, low + i128::from(length));
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

/// `MPI_Win_attach`
pub fn win_attach(r: &Rank, win: Win, base: Addr, size: i64) -> Result<()> {
    let window = r.window(win)?;
    window.check_dynamic()?;
    let size =
        u64::try_from(size).map_err(|_| Error::new(MPI_ERR_SIZE, format!("size is {size}, which is negative")))?;
    if r.memory().buffer(base, size).is_none() {
        return Err(r.memory().outside(MPI_ERR_BUFFER, base.0.into(), size.into(), "the memory to attach"));
    }
    let (start, end) = (base.0, base.0.saturating_add(size));
    let mut attached = window.mine().attached();
    if let Some(old) = attached.overlapped(start, end) {
        let text = format!("the {size} bytes at {start:#x} overlap what is attached at {old:#x}");
        return Err(Error::new(MPI_ERR_RMA_ATTACH, text));
    }
    let count = attached.regions.len();
    if count >= MOST {
        return Err(Error::new(MPI_ERR_RMA_ATTACH, format!("{MOST} pieces of memory are attached already")));
    }
    if count == attached.charged {
        let more = count.max(4);
        window.charge.borrow_mut().grow(more * REGION, Cost::Attachments)?;
        attached.charged += more;
    }
    attached.insert(start, end);
    Ok(())
}

/// `MPI_Win_detach`
pub fn win_detach(r: &Rank, win: Win, base: Addr) -> Result<()> {
    let window = r.window(win)?;
    window.check_dynamic()?;
    if window.mine().attached().remove(base.0) {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_RMA_ATTACH, format!("no memory that begins at {:#x} is attached", base.0)))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_may_begin_at_the_highest_address() {
        let mut attached = Attached::default();
        attached.insert(8, 16);
        assert_eq!(attached.overlapped(u64::MAX, u64::MAX), None);
        attached.insert(u64::MAX, u64::MAX);
        assert_eq!(attached.overlapped(u64::MAX, u64::MAX), Some(u64::MAX));
    }

    proptest! {
        /// As a map of single bytes has it.
        #[test]
        fn what_is_attached_is_found(steps in prop::collection::vec((0..48_u64, 0..7_u64, any::<bool>()), 1..80)) {
            let mut attached = Attached::default();
            let mut regions = Vec::<(u64, u64)>::new();
            for (start, length, detaches) in steps {
                let end = start + length;
                if detaches {
                    let known = regions.iter().position(|&(old, _)| old == start);
                    prop_assert_eq!(attached.remove(start), known.is_some());
                    known.map(|known| regions.swap_remove(known));
                } else {
                    let overlaps = |&&(old, old_end): &&(u64, u64)| start < old_end && old < end || old == start;
                    let known = regions.iter().find(overlaps);
                    prop_assert_eq!(attached.overlapped(start, end).is_some(), known.is_some());
                    if known.is_none() {
                        attached.insert(start, end);
                        regions.push((start, end));
                    }
                }
                let has = |byte: i128| regions.iter().any(|&(start, end)| (start.into()..end.into()).contains(&byte));
                for low in -1..56_i128 {
                    for high in low - 1..57 {
                        prop_assert_eq!(attached.covers(low, high), (low..high).all(has), "{} {}", low, high);
                    }
                }
                prop_assert_eq!(attached.bytes, regions.iter().map(|(start, end)| end - start).sum::<u64>());
            }
        }
    }
}
