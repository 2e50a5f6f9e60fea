//! The info key `soft` (§11.8.4): which numbers of ranks would do, `1:3,8,10:20:5`.

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_INFO_VALUE};

use crate::error::{Error, Result};

/// Numbers of ranks of which any would do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Soft {
    /// How many at most.
    pub(super) most: usize,
    /// First, last, and the distance from one to the next.
    ranges: Vec<(i32, i32, i32)>,
}

impl Soft {
    /// This number and no other.
    pub(super) fn exactly(most: usize) -> Soft {
        Soft { most, ranges: vec![(most as i32, most as i32, 1)] }
    }

    /// These ranges, of which one at least has a number that would do.
    pub(super) fn new(most: usize, ranges: Vec<(i32, i32, i32)>) -> Option<Soft> {
        let soft = Soft { most, ranges };
        let has_steps = soft.ranges.iter().all(|&(_, _, step)| step != 0);
        (has_steps && soft.largest(most).is_some()).then_some(soft)
    }

    pub(super) fn ranges(&self) -> &[(i32, i32, i32)] {
        &self.ranges
    }

    pub(super) fn parse(text: &str, most: usize) -> Result<Soft> {
        let range = |part: &str| {
            let numbers: Vec<i32> = part.split(':').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
            match numbers[..] {
                [one] => Some((one, one, 1)),
                [first, last] => Some((first, last, 1)),
                [first, last, step] if step != 0 => Some((first, last, step)),
                _ => None,
            }
        };
        let ranges = text.split(',').map(range).collect::<Option<Vec<_>>>().ok_or_else(|| {
            Error::new(MPI_ERR_INFO_VALUE, format!("soft is {text:?}, which is not a list of a, a:b or a:b:c"))
        })?;
        Soft::new(most, ranges).ok_or_else(|| {
            let text = format!("soft is {text:?}, which has no number from 0 to maxprocs, {most}");
            Error::new(MPI_ERR_ARG, text)
        })
    }

    /// The smallest of the numbers.
    pub(super) fn least(&self) -> usize {
        let of = |&(first, last, step): &(i32, i32, i32)| {
            let (low, high, step) = match step {
                1.. => (i64::from(first), i64::from(last), i64::from(step)),
                _ => (i64::from(last), i64::from(first), -i64::from(step)),
            };
            // Numbers lie on the steps from where the range begins, and below 0 there are none.
            let begin = if i64::from(first) == low { low } else { high - (high - low) / step * step };
            let least = if begin < 0 { begin + (step - 1 - begin) / step * step } else { begin };
            (least <= high).then_some(least as usize)
        };
        self.ranges.iter().filter_map(of).min().unwrap_or(self.most)
    }

    /// The largest of the numbers that are no larger than this, and than what is wanted at most.
    pub(super) fn largest(&self, free: usize) -> Option<usize> {
        let free = self.most.min(free) as i64;
        let of = |&(first, last, step): &(i32, i32, i32)| {
            let [first, last, step] = [first, last, step].map(i64::from);
            // From the lowest number up, whichever way it is written.
            let steps = (last - first) / step;
            let (low, step) = if step > 0 { (first, step) } else { (first + steps * step, -step) };
            if steps < 0 || low > free {
                return None;
            }
            let count = steps.min((free - low) / step);
            // Numbers below 0 are none.
            usize::try_from(low + count * step).ok()
        };
        self.ranges.iter().filter_map(of).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_that_fits_is_taken() {
        let largest = |text: &str, free| Soft::parse(text, 20).unwrap().largest(free);
        assert_eq!(largest("1:3,8,10:20:5", 100), Some(20));
        assert_eq!(largest("1:3,8,10:20:5", 19), Some(15));
        assert_eq!(largest("1:3,8,10:20:5", 9), Some(8));
        assert_eq!(largest("1:3,8,10:20:5", 7), Some(3));
        assert_eq!(largest("1:3", 0), None);
        assert_eq!(largest("0,5", 3), Some(0));
        assert_eq!(largest("9:1:-3", 8), Some(6));
        assert_eq!(largest("0, 1:1", 5), Some(1));
        assert_eq!(largest("-5:5:2", 4), Some(3));
        assert_eq!(largest("2147483647:-2147483648:-2147483648,1", 4), Some(1));
        assert_eq!(Soft::exactly(4).largest(9), Some(4));
        assert_eq!(Soft::exactly(4).largest(3), None);
    }

    #[test]
    fn the_least_that_would_do() {
        let least = |text: &str| Soft::parse(text, 20).unwrap().least();
        assert_eq!([least("8,3:5"), least("0,5"), least("9:1:-3"), least("9:-9:-4")], [3, 0, 3, 1]);
        assert_eq!([least("-5:5:2"), least("-6:5:4"), least("7:2,9"), least("1:20")], [1, 2, 9, 1]);
        assert_eq!(least("2147483647:-2147483648:-2147483648,1"), 1);
        assert_eq!(Soft::exactly(4).least(), 4);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["", "a", "1;2", "1:2:0", "1:2:3:4", "1,", "${HOME}", "99999999999", "1 execname=/bin/sh"] {
            assert_eq!(Soft::parse(text, 5).unwrap_err().class, MPI_ERR_INFO_VALUE, "{text}");
        }
        assert_eq!(Soft::parse("6:9", 5).unwrap_err().class, MPI_ERR_ARG);
    }
}
