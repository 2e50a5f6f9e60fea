//! Who passes data on to whom: trees in which a rank's subtree is a run of consecutive ranks.
//!
//! Ranks are written with digits to the base `1 << bits`. A rank's parent is the rank with its lowest nonzero digit
//! cleared, so with `bits` = 1 it is the binomial tree; more bits make it flatter, up to a root that serves everybody
//! itself.

/// A tree over ranks 0 to `size` − 1 whose root is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    size: usize,
    bits: u32,
}

impl Tree {
    pub(super) fn new(size: usize, bits: u32) -> Self {
        Tree { size, bits }
    }

    /// The tree with one level.
    pub(super) fn flat(size: usize) -> Self {
        Tree { size, bits: size.next_power_of_two().trailing_zeros().max(1) }
    }

    /// How many levels there are.
    fn levels(&self) -> u32 {
        let digits = usize::BITS - self.size.saturating_sub(1).leading_zeros();
        digits.div_ceil(self.bits)
    }

    /// The level of a rank: that of its lowest nonzero digit. It has children on the levels below.
    fn level(&self, rank: usize) -> u32 {
        if rank == 0 { self.levels() } else { rank.trailing_zeros() / self.bits }
    }

    /// Who is above a rank; nobody above rank 0.
    pub(super) fn parent(&self, rank: usize) -> Option<usize> {
        let below = (self.level(rank) + 1) * self.bits;
        (rank != 0).then(|| if below >= usize::BITS { 0 } else { rank >> below << below })
    }

    /// The children of a rank, level by level from the lowest, each level in rank order.
    pub(super) fn levels_below(self, rank: usize) -> impl DoubleEndedIterator<Item = impl Iterator<Item = usize>> {
        (0..self.level(rank)).map(move |level| {
            let step = 1 << (level * self.bits);
            (1..1 << self.bits).map(move |digit| rank + digit * step).take_while(move |&child| child < self.size)
        })
    }

    /// The children of a rank, those with the largest subtrees first.
    pub(super) fn children(self, rank: usize) -> impl Iterator<Item = usize> {
        self.levels_below(rank).rev().flatten()
    }

    /// How many ranks the subtree of a rank has: they are that rank and those after it.
    pub(super) fn subtree(&self, rank: usize) -> usize {
        let whole = 1usize.checked_shl(self.level(rank) * self.bits).unwrap_or(usize::MAX);
        whole.min(self.size - rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_the_child_of_its_parent_and_of_nobody_else() {
        for size in (1..70).chain([255, 256, 257, 1000]) {
            for tree in [Tree::new(size, 1), Tree::new(size, 2), Tree::new(size, 3), Tree::flat(size)] {
                let mut parents = vec![None; size];
                for rank in 0..size {
                    for child in tree.children(rank) {
                        assert_eq!(parents[child].replace(rank), None, "{tree:?}: {child}");
                    }
                }
                for (rank, &parent) in parents.iter().enumerate() {
                    assert_eq!(tree.parent(rank), parent, "{tree:?}: {rank}");
                }
            }
        }
    }

    #[test]
    fn a_subtree_is_a_rank_and_those_after_it() {
        for size in (1..70).chain([255, 256, 257]) {
            for tree in [Tree::new(size, 1), Tree::new(size, 3), Tree::flat(size)] {
                for rank in 0..size {
                    let below: usize = tree.children(rank).map(|child| tree.subtree(child)).sum();
                    assert_eq!(tree.subtree(rank), below + 1, "{tree:?}: {rank}");
                }
            }
        }
    }
}
