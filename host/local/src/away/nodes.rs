//! How the ranks of a job are spread over its nodes, and which numbers they have there.

use std::ops::Range;

use smallvec::SmallVec;

use crate::members::Members;

/// Numbers of ranks that programs start begin here: so many for each node. The ranks that a job begins with have smaller ones.
const STARTED: u32 = 1 << 30;
const OF_A_NODE: u32 = 1 << 20;

/// In which order the ranks of nodes are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Node after node: those of a node follow one another.
    #[default]
    Blocks,
    /// In turn: the next number is of the next node that has more ranks.
    Turns,
}

/// How the ranks of a job are spread over nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The number of the node that this process is.
    pub node: u32,
    /// How many ranks each has at the start.
    counts: Vec<u32>,
    numbering: Numbering,
    /// Their numbers, from 0 on.
    stretches: Vec<Stretch>,
}

/// Numbers that follow one another and are of these nodes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    first: u32,
    /// In ascending order: one of blocks, several of turns.
    nodes: SmallVec<[u32; 2]>,
    /// How many ranks each of them has here, and before.
    each: u32,
    before: u32,
}

impl Stretch {
    /// The number behind the last one.
    fn behind(&self) -> u32 {
        self.first + self.each * self.nodes.len() as u32
    }

    /// The numbers of a node.
    fn of(&self, node: u32) -> impl Iterator<Item = u32> + use<> {
        let at = self.nodes.binary_search(&node).map_or(self.behind(), |at| self.first + at as u32);
        (at..self.behind()).step_by(self.nodes.len())
    }

    /// Whose a number is, and which of its ranks that is.
    fn place(&self, rank: u32) -> (u32, u32) {
        let (at, nodes) = (rank - self.first, self.nodes.len() as u32);
        (self.nodes[(at % nodes) as usize], self.before + at / nodes)
    }
}

/// Node after node.
fn in_blocks(counts: &[u32]) -> Vec<Stretch> {
    let mut first = 0;
    let block = |(node, &each): (u32, &u32)| {
        let block = Stretch { first, nodes: [node].into_iter().collect(), each, before: 0 };
        first = block.behind();
        block
    };
    (0..).zip(counts).map(block).collect()
}

/// All nodes in turn, until the smallest has its ranks; then the others.
fn in_turns(counts: &[u32]) -> Vec<Stretch> {
    let (mut stretches, mut first, mut before) = (Vec::new(), 0, 0);
    loop {
        let has_more = |&(_, &count): &(u32, &u32)| count > before;
        let nodes: SmallVec<[u32; 2]> = (0..).zip(counts).filter(has_more).map(|(node, _)| node).collect();
        let Some(least) = nodes.iter().map(|&node| counts[node as usize]).min() else { return stretches };
        let stretch = Stretch { first, nodes, each: least - before, before };
        (first, before) = (stretch.behind(), least);
        stretches.push(stretch);
    }
}

impl Nodes {
    /// Nodes with so many ranks.
    pub fn new(node: u32, numbering: Numbering, ranks: impl IntoIterator<Item = u32>) -> Nodes {
        let counts: Vec<u32> = ranks.into_iter().collect();
        let stretches = match numbering {
            Numbering::Blocks => in_blocks(&counts),
            Numbering::Turns => in_turns(&counts),
        };
        Nodes { node, counts, numbering, stretches }
    }

    /// So many nodes of as many ranks each, in blocks.
    pub fn even(node: u32, nodes: u32, each: u32) -> Nodes {
        Nodes::new(node, Numbering::Blocks, std::iter::repeat_n(each, nodes as usize))
    }

    /// In which order ranks are numbered.
    pub fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// How many nodes there are.
    pub fn count(&self) -> u32 {
        self.counts.len() as u32
    }

    /// Ranks of all nodes.
    pub fn ranks(&self) -> u32 {
        self.stretches.last().map_or(0, Stretch::behind)
    }

    /// How many ranks a node has.
    pub fn count_of(&self, node: u32) -> u32 {
        self.counts[node as usize]
    }

    /// The ranks of a node, in order.
    pub fn ranks_of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.stretches.iter().flat_map(move |stretch| stretch.of(node))
    }

    /// The first rank of this node.
    pub fn first(&self) -> u32 {
        self.ranks_of(self.node).next().unwrap_or(0)
    }

    /// The node of a rank.
    pub fn node_of(&self, rank: u32) -> Option<u32> {
        self.place(rank).map(|(node, _)| node)
    }

    /// The node of a rank, and which of that node's ranks it is: those that programs start come last.
    pub(crate) fn place(&self, rank: u32) -> Option<(u32, u32)> {
        if rank < self.ranks() {
            let at = self.stretches.partition_point(|stretch| stretch.first <= rank) - 1;
            return Some(self.stretches[at].place(rank));
        }
        let started = rank.checked_sub(STARTED).filter(|_| i32::try_from(rank).is_ok())?;
        let node = started / OF_A_NODE;
        Some((node, self.counts.get(node as usize)? + started % OF_A_NODE))
    }

    /// How many ranks a group has at the most: all that a job begins with, and as many started ones as a node has numbers for.
    pub fn largest_group(&self) -> u32 {
        self.ranks().saturating_add(OF_A_NODE)
    }

    /// The group that another node has listed, if these are ranks and all different.
    pub(crate) fn listed(&self, ranks: Vec<u32>) -> Option<Members> {
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        let are_different = sorted.is_sorted_by(|one, next| one < next);
        let are_ranks = sorted.iter().all(|&rank| self.node_of(rank).is_some());
        let fit = sorted.len() <= self.largest_group() as usize;
        (are_different && are_ranks && fit).then(|| Members::list(ranks))
    }

    /// The group that another node says is so many ranks at equal distances, if they are ranks.
    pub(crate) fn ranged(&self, first: u32, length: u32, stride: i32) -> Option<Members> {
        let last = i64::from(first) + i64::from(stride) * i64::from(length.checked_sub(1)?);
        let last = u32::try_from(last).ok()?;
        let is_range = length <= self.largest_group() && if length == 1 { stride == 1 } else { stride != 0 };
        // Between the ranks that a job begins with and those that are started there are numbers of nobody; between two there is none.
        let are_ranks = [first, last].iter().all(|&rank| self.node_of(rank).is_some());
        let are_alike = length == 2 || (first < STARTED) == (last < STARTED);
        (is_range && are_ranks && are_alike).then_some(Members::Range { first, length, stride })
    }

    /// The number of the first rank that programs start on this node, and how many may be, if there are numbers for that.
    pub(crate) fn started(&self) -> Option<(u32, u32)> {
        self.started_on(self.node)
    }

    fn started_on(&self, node: u32) -> Option<(u32, u32)> {
        let first = node.checked_mul(OF_A_NODE)?.checked_add(STARTED)?;
        (i32::try_from(first).is_ok() && self.ranks() <= STARTED).then_some((first, OF_A_NODE))
    }

    /// The numbers of ranks that programs start on a node.
    pub(crate) fn starts_of(&self, node: u32) -> Range<u32> {
        self.started_on(node).map_or(0..0, |(first, most)| first..first + most)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_ranks_number_says_where_it_is() {
        let nodes = Nodes::even(2, 3, 4);
        assert_eq!([0, 3, 4, 11, 12].map(|rank| nodes.node_of(rank)), [Some(0), Some(0), Some(1), Some(2), None]);
        let (first, most) = nodes.started().unwrap();
        let started = [first, first + most - 1, first + most].map(|rank| nodes.place(rank));
        assert_eq!(started, [Some((2, 4)), Some((2, 3 + most)), None]);
        assert_eq!(Nodes { node: 1023, ..Nodes::even(0, 2000, 1) }.started(), Some((i32::MAX as u32 + 1 - most, most)));
        assert_eq!(Nodes { node: 1024, ..Nodes::even(0, 2000, 1) }.started(), None);
    }

    #[test]
    fn in_turn_ranks_are_dealt_until_a_node_is_full() {
        let nodes = Nodes::new(1, Numbering::Turns, [3, 1, 2]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|rank| nodes.node_of(rank).unwrap()), [0, 1, 2, 0, 2, 0]);
        assert_eq!((nodes.first(), nodes.ranks(), nodes.stretches.len()), (1, 6, 3));
        // Nodes of one size are one stretch, however many.
        assert_eq!(Nodes::new(0, Numbering::Turns, [8; 1000]).stretches.len(), 1);
    }

    #[test]
    fn groups_of_others_are_ranks_and_each_is_there_once() {
        let nodes = Nodes::even(0, 4, 2);
        let started = nodes.starts_of(1).start;
        for ranks in [vec![0], vec![7, 3, 0], vec![6, 4, 2], vec![0, started], vec![started, started + OF_A_NODE]] {
            assert_eq!(nodes.listed(ranks.clone()), Some(Members::list(ranks)));
        }
        for ranks in
            [vec![0, 0], vec![1, 2, 1], vec![8], vec![0, STARTED - 1], vec![nodes.starts_of(3).end], vec![u32::MAX]]
        {
            assert_eq!(nodes.listed(ranks.clone()), None, "{ranks:?}");
        }
        let ranged = |first, length, stride| nodes.ranged(first, length, stride).map(|members| members.len());
        assert_eq!(
            [ranged(0, 8, 1), ranged(7, 8, -1), ranged(5, 1, 1), ranged(started, 3, 5)],
            [Some(8), Some(8), Some(1), Some(3)]
        );
        for (first, length, stride) in
            [(0, 0, 1), (0, 9, 1), (0, 8, -1), (3, 2, 0), (3, 1, 2), (8, 1, 1), (0, 2, i32::MIN)]
        {
            assert_eq!(ranged(first, length, stride), None, "{first} {length} {stride}");
        }
        // What lies between the first ranks and started ones is nobody's, and nobody has started this many.
        assert_eq!(
            [ranged(0, STARTED + 1, 1), ranged(0, 3, STARTED as i32 / 2), ranged(STARTED, OF_A_NODE + 9, 1)],
            [None; 3]
        );
        assert_eq!(ranged(0, 2, STARTED as i32), Some(2));
    }

    proptest! {
        #[test]
        fn each_number_is_of_one_node(counts in prop::collection::vec(0u32..5, 1..8), is_in_turn: bool) {
            let numbering = if is_in_turn { Numbering::Turns } else { Numbering::Blocks };
            let nodes = Nodes::new(0, numbering, counts.iter().copied());
            let mut all = Vec::new();
            for node in 0..nodes.count() {
                let ranks: Vec<u32> = nodes.ranks_of(node).collect();
                prop_assert_eq!(ranks.len(), counts[node as usize] as usize);
                prop_assert!(ranks.is_sorted());
                for (index, &rank) in (0..).zip(&ranks) {
                    prop_assert_eq!(nodes.place(rank), Some((node, index)));
                }
                all.extend(ranks);
            }
            all.sort_unstable();
            prop_assert_eq!(all, (0..nodes.ranks()).collect::<Vec<_>>());
        }
    }
}
