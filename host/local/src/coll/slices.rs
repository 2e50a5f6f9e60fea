//! Reducing long operands: every rank combines one slice of everybody's.
//!
//! Each rank reads its slice out of every other rank's memory, in chunks that stay in the cache, and combines them in
//! the order of [`super::fold`]. No rank does more than its share, and no sum waits for another rank's. Collecting the
//! slices afterwards makes it a reduction or an allreduce, as in Rabenseifner's algorithm ("Optimization of collective
//! reduction operations", ICCS 2004), whose messages between halves are reads of memory here.

use std::ops::Range;

use super::Coll;
use super::flight::{Buffer, Flight, Scratch};
use super::fold::Fold;
use crate::error::Result;
use crate::op::Reduction;
use crate::span::Span;

/// Which packed bytes of the operands belong to which rank.
pub(super) struct Slices(Vec<usize>);

impl Slices {
    /// Slices of whole elements, as even as can be.
    pub(super) fn even(ranks: usize, bytes: usize, element: usize) -> Self {
        let elements = bytes / element.max(1);
        Slices((0..=ranks).map(|rank| (elements as u128 * rank as u128 / ranks as u128) as usize * element).collect())
    }

    /// Slices of so many elements each, if their bytes can be counted.
    pub(super) fn of(counts: &[i64], element: usize) -> Option<Self> {
        let mut ends = vec![0];
        let mut end = 0usize;
        for &count in counts {
            end = end.checked_add(usize::try_from(count).ok()?.checked_mul(element)?)?;
            ends.push(end);
        }
        Some(Slices(ends))
    }

    /// Bytes of all slices.
    pub(super) fn length(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }

    /// A rank's slice.
    pub(super) fn range(&self, rank: usize) -> Range<usize> {
        self.0[rank]..self.0[rank + 1]
    }

    fn longest(&self) -> usize {
        self.0.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }
}

/// Bytes of everybody's operands that lie in the host at a time.
const HELD: usize = 256 << 10;
/// The longest and the shortest chunk.
const CHUNK: Range<usize> = 4 << 10..32 << 10;

/// Combines this rank's slice of everybody's operands and hands it out piece by piece: position in the slice, bytes.
pub(super) async fn reduce_slice(
    g: &Coll<'_>,
    reduction: &Reduction,
    from: &Span<'_>,
    slices: &Slices,
    mut result: impl FnMut(usize, &[u8]),
) -> Result<()> {
    let mut copy = Buffer::none(g.r());
    let source = copy.in_one_piece(from)?;
    let chunk = reduction.whole_elements((HELD / g.size).clamp(CHUNK.start, CHUNK.end));
    let part = |rank: usize, at: usize| {
        let range = slices.range(rank);
        let start = range.start + at.min(range.len());
        start..range.end.min(start + chunk)
    };
    let mut sends = Flight::new();
    for at in (0..slices.longest()).step_by(chunk) {
        let mine = part(g.rank, at);
        let others = if mine.is_empty() { 0..0 } else { 0..g.size };
        let receives = others
            .map(|peer| (peer != g.rank).then(|| g.irecv_carried(peer, mine.len())).transpose())
            .collect::<Result<Vec<_>>>()?;
        for step in 1..g.size {
            let peer = (g.rank + step) % g.size;
            let theirs = part(peer, at);
            sends.send_some(g, peer, &source.part(theirs)).await?;
        }
        if mine.is_empty() {
            continue;
        }
        let mut fold = Fold::new(g, reduction);
        for receive in receives {
            let operand = match receive {
                Some(receive) => receive.finish().await?,
                None => Scratch::packed(g.r(), &source.part(mine.clone()), 0, mine.len())?,
            };
            fold.push(operand).await?;
        }
        result(at, &fold.finish().await?);
    }
    sends.land().await
}
