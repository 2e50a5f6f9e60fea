//! Values as sums of what is not known, so that two of them can be a known distance apart.

/// Terms that a sum may have: an array of arrays has three, and a fourth is what moves from turn to turn.
const MOST: usize = 4;

/// A value of which nothing is known but, perhaps, that its upper half is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Unknown(u32);

impl Unknown {
    const OF_LOCAL: u32 = 1 << 31;

    /// The one with this number.
    pub(super) fn numbered(number: u32, is_narrow: bool) -> Unknown {
        Unknown((number << 1 | u32::from(is_narrow)) & !Self::OF_LOCAL)
    }

    /// What a local has at the start of a loop's turn.
    pub(super) fn at_start(local: u32) -> Unknown {
        Unknown(local | Self::OF_LOCAL)
    }

    /// The local whose value it is at the start of a turn.
    pub(super) fn local(self) -> Option<u32> {
        (self.0 & Self::OF_LOCAL != 0).then_some(self.0 & !Self::OF_LOCAL)
    }

    fn is_narrow(self) -> bool {
        self.0 & Self::OF_LOCAL == 0 && self.0 & 1 == 1
    }
}

/// Unknown values, each so many times, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Terms {
    count: usize,
    of: [(Unknown, i64); MOST],
}

impl Terms {
    pub(super) fn iter(&self) -> impl Iterator<Item = (Unknown, i64)> + '_ {
        self.of[..self.count].iter().copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether they are one value whose upper half is 0.
    pub(super) fn are_narrow(&self) -> bool {
        self.count == 1 && self.of[0].1 == 1 && self.of[0].0.is_narrow()
    }

    /// With so many times another one, if there is room for it.
    fn with(mut self, unknown: Unknown, times: i64) -> Option<Terms> {
        let at = self.of[..self.count].partition_point(|(other, _)| *other < unknown);
        if at < self.count && self.of[at].0 == unknown {
            self.of[at].1 = self.of[at].1.wrapping_add(times);
            if self.of[at].1 == 0 {
                self.of.copy_within(at + 1..self.count, at);
                self.count -= 1;
                self.of[self.count] = Default::default();
            }
        } else if times != 0 {
            if self.count == MOST {
                return None;
            }
            self.of.copy_within(at..self.count, at + 1);
            self.of[at] = (unknown, times);
            self.count += 1;
        }
        Some(self)
    }
}

/// Terms and a constant, added as 64 bits have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub terms: Terms,
    pub constant: i64,
}

impl Sum {
    pub(super) fn constant(constant: i64) -> Sum {
        Sum { constant, ..Sum::default() }
    }

    pub(super) fn of(unknown: Unknown) -> Sum {
        Sum { terms: Terms::default().with(unknown, 1).unwrap_or_default(), constant: 0 }
    }

    /// With so many times another one. Nothing, if there are too many terms.
    pub(super) fn plus(self, other: Sum, times: i64) -> Option<Sum> {
        let mut terms = self.terms;
        for (unknown, of) in other.terms.iter() {
            terms = terms.with(unknown, of.wrapping_mul(times))?;
        }
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(times));
        Some(Sum { terms, constant })
    }

    /// The number that it is, if it has no terms.
    pub(super) fn number(self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_cancel_are_gone() {
        let [a, b] = [1, 2].map(|number| Sum::of(Unknown::numbered(number, false)));
        let sum = b.plus(a, 8).unwrap().plus(Sum::constant(5), 2).unwrap();
        assert_eq!(sum.plus(a, -8).unwrap(), b.plus(Sum::constant(10), 1).unwrap());
        assert_eq!(sum.plus(sum, -1).unwrap(), Sum::constant(0));
        assert_eq!(sum, Sum::constant(10).plus(a, 8).unwrap().plus(b, 1).unwrap());
    }

    #[test]
    fn a_fifth_term_is_one_too_many() {
        let sum = (0..4)
            .try_fold(Sum::constant(0), |sum, number| sum.plus(Sum::of(Unknown::numbered(number, true)), 1 << number));
        let sum = sum.unwrap();
        assert!(sum.plus(Sum::of(Unknown::at_start(0)), 1).is_none());
        assert!(sum.plus(Sum::of(Unknown::numbered(3, true)), -8).is_some());
        assert!(!sum.terms.are_narrow() && Sum::of(Unknown::numbered(7, true)).terms.are_narrow());
    }
}
