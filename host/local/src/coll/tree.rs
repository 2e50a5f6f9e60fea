//! Who passes data on to whom: trees in which a rank's subtree is a run of consecutive ranks.
//!
//! Ranks are written with digits to the base `1 << bits`. A rank's parent is the rank with its lowest nonzero digit
//! cleared, so with `bits` = 1 it is the binomial tree; more bits make it flatter, up to a root that serves everybody
//! itself. Where ranks are on several nodes, those of a node are below its first one, and the first ones are a tree of their
//! own: one message goes from node to node (Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan, "Exploiting hierarchy in
//! parallel computer networks to optimize collective operation performance", IPDPS 2000). Which tree suits which length is asked in Thakur, Rabenseifner, Gropp, "Optimization of collective communication
//! operations in MPICH", International Journal of High Performance Computing Applications 19, 2005; the answers here are
//! others, as messages are copies.

/// A tree over ranks 0 to `size` − 1 whose root is 0, or a tree for each node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    size: usize,
    /// How many ranks that follow one another share a node; the last node may have fewer.
    near: usize,
    /// Bits of a digit, for the ranks of a node.
    inside: u32,
    /// Those for the nodes; nothing joins them if it is `None`.
    between: Option<u32>,
}

impl Tree {
    /// The tree of so many ranks, `near` of which share a node.
    pub(super) fn new(size: usize, near: usize, bits: u32) -> Self {
        Tree { size, near: near.max(1), inside: bits, between: Some(bits) }
    }

    /// The tree for long data: the ranks of a node take it all from the first one, and nodes from as few as can be.
    pub(super) fn flat(size: usize, near: usize) -> Self {
        let inside = near.next_power_of_two().trailing_zeros().max(1);
        Tree { inside, ..Tree::new(size, near, 1) }
    }

    /// It without what joins the nodes: their first ranks are roots.
    pub(super) fn apart(self) -> Self {
        Tree { between: None, ..self }
    }

    /// The first rank of a rank's node, the rank's place behind it, and the tree there.
    fn inside(&self, rank: usize) -> (usize, usize, Digits) {
        let first = rank / self.near * self.near;
        (first, rank - first, Digits { size: self.near.min(self.size - first), bits: self.inside })
    }

    /// The tree of the nodes.
    fn between(&self) -> Option<Digits> {
        Some(Digits { size: self.size.div_ceil(self.near), bits: self.between? })
    }

    /// Who is above a rank; nobody above a root.
    pub(super) fn parent(&self, rank: usize) -> Option<usize> {
        let (first, place, inside) = self.inside(rank);
        match inside.parent(place) {
            Some(parent) => Some(first + parent),
            None => Some(self.between()?.parent(first / self.near)? * self.near),
        }
    }

    /// The children of a rank, level by level from the lowest, each level in rank order.
    pub(super) fn levels_below(self, rank: usize) -> impl DoubleEndedIterator<Item = impl Iterator<Item = usize>> {
        let (first, place, inside) = self.inside(rank);
        let nodes = self.between().filter(|_| place == 0).into_iter();
        let between = nodes.flat_map(move |nodes| nodes.levels_below(first / self.near, (0, self.near)));
        inside.levels_below(place, (first, 1)).chain(between)
    }

    /// The children of a rank, those with the largest subtrees first.
    pub(super) fn children(self, rank: usize) -> impl Iterator<Item = usize> {
        self.levels_below(rank).rev().flatten()
    }

    /// How many ranks the subtree of a rank has: they are that rank and those after it.
    pub(super) fn subtree(&self, rank: usize) -> usize {
        let (first, place, inside) = self.inside(rank);
        match self.between().filter(|_| place == 0) {
            Some(nodes) => (nodes.subtree(first / self.near) * self.near).min(self.size - rank),
            None => inside.subtree(place),
        }
    }
}

/// A tree over places 0 to `size` − 1, written with digits of so many bits.
#[derive(Clone, Copy, Debug)]
struct Digits {
    size: usize,
    bits: u32,
}

impl Digits {
    /// How many levels there are.
    fn levels(&self) -> u32 {
        let digits = usize::BITS - self.size.saturating_sub(1).leading_zeros();
        digits.div_ceil(self.bits)
    }

    /// The level of a place: that of its lowest nonzero digit. It has children on the levels below.
    fn level(&self, place: usize) -> u32 {
        if place == 0 { self.levels() } else { place.trailing_zeros() / self.bits }
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let below = (self.level(place) + 1) * self.bits;
        (place != 0).then(|| if below >= usize::BITS { 0 } else { place >> below << below })
    }

    /// The ranks at the children of a place, of which that at place 0 and the distance of two are given.
    fn levels_below(
        self,
        place: usize,
        (first, distance): (usize, usize),
    ) -> impl DoubleEndedIterator<Item = impl Iterator<Item = usize>> {
        (0..self.level(place)).map(move |level| {
            let step = 1 << (level * self.bits);
            let children = (1..1 << self.bits).map(move |digit| place + digit * step);
            children.take_while(move |&child| child < self.size).map(move |child| first + child * distance)
        })
    }

    fn subtree(&self, place: usize) -> usize {
        let whole = 1usize.checked_shl(self.level(place) * self.bits).unwrap_or(usize::MAX);
        whole.min(self.size - place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trees of a size: on one node, on nodes of several sizes, one for each node.
    fn trees(size: usize) -> impl Iterator<Item = Tree> {
        let nears = [size, 1, 2, 3, 4, 7, 8, 12, 64].into_iter().filter(move |&near| near <= size);
        let trees = nears.flat_map(move |near| {
            [Tree::new(size, near, 1), Tree::new(size, near, 2), Tree::new(size, near, 3), Tree::flat(size, near)]
        });
        trees.flat_map(|tree| [tree, tree.apart()])
    }

    #[test]
    fn every_rank_is_the_child_of_its_parent_and_of_nobody_else() {
        for size in (1..70).chain([255, 256, 257, 1000]) {
            for tree in trees(size) {
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
            for tree in trees(size) {
                for rank in 0..size {
                    let below: usize = tree.children(rank).map(|child| tree.subtree(child)).sum();
                    assert_eq!(tree.subtree(rank), below + 1, "{tree:?}: {rank}");
                }
            }
        }
    }

    #[test]
    fn one_message_goes_to_each_node() {
        for size in 1..200 {
            for tree in trees(size) {
                let crosses =
                    |rank: &usize| tree.parent(*rank).is_some_and(|above| above / tree.near != rank / tree.near);
                let nodes = size.div_ceil(tree.near);
                let expected = if tree.between.is_some() { nodes - 1 } else { 0 };
                assert_eq!((0..size).filter(crosses).count(), expected, "{tree:?}");
            }
        }
    }

    /// How operands are bracketed below a rank, as `fold` combines them.
    fn bracketed(tree: Tree, rank: usize) -> String {
        let mut mine = rank.to_string();
        for level in tree.levels_below(rank) {
            let mut runs = vec![(0, mine)];
            for child in level {
                let (mut height, mut right) = (0, bracketed(tree, child));
                while let Some((_, left)) = runs.pop_if(|(above, _)| *above == height) {
                    right = format!("({left} {right})");
                    height += 1;
                }
                runs.push((height, right));
            }
            mine =
                runs.into_iter().map(|(_, run)| run).rev().reduce(|right, left| format!("({left} {right})")).unwrap();
        }
        mine
    }

    #[test]
    fn operands_are_combined_in_one_order_on_all_nodes() {
        for size in 1..70 {
            let alone = bracketed(Tree::new(size, size, 1), 0);
            for near in [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|&near| near <= size) {
                for bits in 1..=3 {
                    assert_eq!(bracketed(Tree::new(size, near, bits), 0), alone, "{size} ranks, {near} a node");
                }
            }
        }
    }
}
