//! The members of a group: which world rank each of its ranks is.

use std::sync::Arc;

/// The world ranks of a group, by rank in the group.
///
/// The world, a row, a column or a plane of a grid cost nothing, even with ten thousand ranks; a list can be shared by
/// all ranks of the job. Both ways in, [`Members::range`] and [`Members::list`], prefer the range, so equal groups are
/// equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Members {
    /// `length` ranks at equal distances.
    Range {
        /// The first rank.
        first: u32,
        /// How many.
        length: u32,
        /// From each to the next: 1 for a group of one, never 0.
        stride: i32,
    },
    /// Any ranks.
    List(Arc<[u32]>),
}

impl Members {
    /// Nobody.
    pub const EMPTY: Members = Members::Range { first: 0, length: 0, stride: 1 };

    /// `length` consecutive ranks from `first` on.
    pub fn range(first: u32, length: u32) -> Self {
        if length == 0 { Members::EMPTY } else { Members::Range { first, length, stride: 1 } }
    }

    /// These ranks, all different, in this order.
    pub fn list(ranks: Vec<u32>) -> Self {
        let (first, stride) = match ranks[..] {
            [] => return Members::EMPTY,
            [first] => (first, 1),
            [first, second, ..] => (first, (i64::from(second) - i64::from(first)) as i32),
        };
        if ranks.windows(2).all(|pair| i64::from(pair[1]) - i64::from(pair[0]) == i64::from(stride)) {
            return Members::Range { first, length: ranks.len() as u32, stride };
        }
        Members::List(ranks.into())
    }

    /// How many ranks it has.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Members::Range { length, .. } => *length as usize,
            Members::List(ranks) => ranks.len(),
        }
    }

    /// Bytes of host memory that its list takes.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Members::Range { .. } => 0,
            Members::List(ranks) => size_of_val(&**ranks),
        }
    }

    /// Whether it is the empty group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The world rank of a member.
    #[inline]
    pub fn get(&self, rank: i32) -> Option<u32> {
        match self {
            Members::Range { first, length, stride } => {
                (rank >= 0 && (rank as u32) < *length).then(|| first.wrapping_add_signed(rank.wrapping_mul(*stride)))
            }
            Members::List(ranks) => usize::try_from(rank).ok().and_then(|rank| ranks.get(rank)).copied(),
        }
    }

    /// The rank of a world rank in the group. To look up many, see [`Members::index`].
    pub fn find(&self, world: u32) -> Option<i32> {
        match self {
            Members::Range { first, length, stride } => {
                let (distance, stride) = (i64::from(world) - i64::from(*first), i64::from(*stride));
                let rank = distance / stride;
                (distance % stride == 0 && (0..i64::from(*length)).contains(&rank)).then_some(rank as i32)
            }
            Members::List(ranks) => ranks.iter().position(|&rank| rank == world).map(|rank| rank as i32),
        }
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as i32).filter_map(|rank| self.get(rank))
    }

    /// The group of the first `count` of them.
    pub(crate) fn first(&self, count: usize) -> Members {
        Members::list(self.iter().take(count).collect())
    }

    /// A copy of it that looks ranks up quickly.
    pub(crate) fn index(&self) -> Index<'_> {
        match self {
            Members::Range { .. } => Index::Range(self),
            Members::List(ranks) => {
                let mut sorted: Vec<(u32, i32)> = ranks.iter().copied().zip(0..).collect();
                sorted.sort_unstable();
                Index::Sorted(sorted)
            }
        }
    }

    /// Whether both have the same members, in whatever order.
    pub(crate) fn is_similar(&self, other: &Members) -> bool {
        let index = other.index();
        self.len() == other.len() && self.iter().all(|world| index.find(world).is_some())
    }

    /// The members here, then those of `other` that are not here.
    pub(crate) fn union(&self, other: &Members) -> Members {
        let index = self.index();
        Members::list(self.iter().chain(other.iter().filter(|&world| index.find(world).is_none())).collect())
    }

    /// The members here that `other` has too.
    pub(crate) fn intersection(&self, other: &Members) -> Members {
        let index = other.index();
        Members::list(self.iter().filter(|&world| index.find(world).is_some()).collect())
    }

    /// The members here that `other` does not have.
    pub(crate) fn difference(&self, other: &Members) -> Members {
        let index = other.index();
        Members::list(self.iter().filter(|&world| index.find(world).is_none()).collect())
    }
}

/// See [`Members::index`].
pub(crate) enum Index<'a> {
    Range(&'a Members),
    /// World ranks in ascending order with their ranks in the group.
    Sorted(Vec<(u32, i32)>),
}

impl Index<'_> {
    /// The rank of a world rank in the group.
    pub(crate) fn find(&self, world: u32) -> Option<i32> {
        match self {
            Index::Range(members) => members.find(world),
            Index::Sorted(sorted) => {
                sorted.binary_search_by_key(&world, |&(world, _)| world).ok().map(|position| sorted[position].1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Different ranks below 12 in any order, often at equal distances.
    fn ranks() -> impl Strategy<Value = Vec<u32>> {
        let some = (0usize..=12).prop_flat_map(|count| {
            Just((0..12).collect::<Vec<u32>>()).prop_shuffle().prop_map(move |all| all[..count].to_vec())
        });
        let even = (0u32..4, 1usize..4, 0usize..4, any::<bool>()).prop_map(|(first, step, length, reverse)| {
            let mut ranks: Vec<u32> = (first..12).step_by(step).take(length).collect();
            if reverse {
                ranks.reverse();
            }
            ranks
        });
        prop_oneof![some, even]
    }

    proptest! {
        #[test]
        fn a_group_holds_its_ranks(list in ranks()) {
            let members = Members::list(list.clone());
            prop_assert_eq!(members.len(), list.len());
            prop_assert_eq!(members.iter().collect::<Vec<_>>(), list.clone());
            let index = members.index();
            for world in 0..14 {
                let rank = list.iter().position(|&rank| rank == world).map(|rank| rank as i32);
                prop_assert_eq!(members.find(world), rank);
                prop_assert_eq!(index.find(world), rank);
            }
            prop_assert_eq!(members.get(-1), None);
            prop_assert_eq!(members.get(list.len() as i32), None);
        }

        #[test]
        fn set_operations_agree_with_lists(one in ranks(), two in ranks()) {
            let (a, b) = (Members::list(one.clone()), Members::list(two.clone()));
            let added: Vec<u32> = one.iter().chain(two.iter().filter(|rank| !one.contains(rank))).copied().collect();
            let common: Vec<u32> = one.iter().filter(|rank| two.contains(rank)).copied().collect();
            let rest: Vec<u32> = one.iter().filter(|rank| !two.contains(rank)).copied().collect();
            prop_assert_eq!(a.union(&b), Members::list(added));
            prop_assert_eq!(a.intersection(&b), Members::list(common));
            prop_assert_eq!(a.difference(&b), Members::list(rest));
            prop_assert_eq!(a == b, one == two);
            let (mut one, mut two) = (one, two);
            one.sort_unstable();
            two.sort_unstable();
            prop_assert_eq!(a.is_similar(&b), one == two);
        }
    }

    #[test]
    fn rows_columns_and_reversals_take_no_memory() {
        assert_eq!(Members::list(vec![7, 8, 9]), Members::range(7, 3));
        assert_eq!(Members::list(vec![5]), Members::range(5, 1));
        assert!(matches!(Members::list(vec![1, 11, 21]), Members::Range { stride: 10, .. }));
        assert!(matches!(Members::list(vec![3, 2, 1, 0]), Members::Range { stride: -1, .. }));
        assert!(matches!(Members::list(vec![0, 1, 3]), Members::List(_)));
    }
}
