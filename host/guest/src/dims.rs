//! `MPI_Dims_create` (§8.5.2): a number as a product of factors that are as close to each other as possible.

use std::cmp::Reverse;

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_DIMS};

use crate::error::{Error, Result};

/// `dims` with its zeros replaced, so that there are `nnodes` places.
pub fn complete(nnodes: i32, dims: &[i32]) -> Result<Vec<i32>> {
    if nnodes < 1 {
        return Err(Error::new(MPI_ERR_ARG, format!("nnodes is {nnodes}, but has to be 1 or more")));
    }
    let mut dims = dims.to_vec();
    let mut rest = nnodes;
    for (axis, &length) in dims.iter().enumerate().filter(|(_, length)| **length != 0) {
        if length < 0 {
            return Err(Error::new(MPI_ERR_DIMS, format!("dims[{axis}] is {length}, which is negative")));
        }
        if rest % length != 0 {
            let text = format!("nnodes is {nnodes}, which is not a multiple of the dimensions that are given");
            return Err(Error::new(MPI_ERR_DIMS, text));
        }
        rest /= length;
    }
    let free: Vec<usize> = (0..dims.len()).filter(|&axis| dims[axis] == 0).collect();
    let mut factors = balanced(rest, free.len()).into_iter();
    for axis in free {
        dims[axis] = factors.next().unwrap_or(1);
    }
    Ok(dims)
}

/// No int has more prime factors.
const MOST: usize = 31;

/// `count` factors of `number`, but not the ones at the end, in descending order. Of all such products the difference
/// between the largest and the smallest factor is the least; then the smallest factor is the largest, then the second
/// smallest, and so on.
fn balanced(number: i32, count: usize) -> Vec<i32> {
    if count == 0 || number == 1 {
        return Vec::new();
    }
    let mut search = Search {
        divisors: divisors(number),
        chosen: Vec::new(),
        best: Vec::new(),
        least: (i32::MAX, Reverse(Vec::new())),
    };
    // With more factors than the number has primes the smallest is 1 anyway.
    search.extend(number, count.min(MOST + 1), number);
    search.best
}

struct Search {
    /// Of the number, ascending.
    divisors: Vec<i32>,
    /// The factors so far, descending.
    chosen: Vec<i32>,
    best: Vec<i32>,
    /// Of the best: the difference, and the factors, ascending.
    least: (i32, Reverse<Vec<i32>>),
}

impl Search {
    /// Tries all ways to write `rest` as `count` factors up to `limit`.
    fn extend(&mut self, rest: i32, count: usize, limit: i32) {
        if count == 0 || rest == 1 {
            if rest == 1 {
                self.keep(count);
            }
            return;
        }
        let root = f64::from(rest).powf(1.0 / count as f64);
        // Of `count` factors the largest is at least the root, the smallest at most.
        let (least, most) = ((root - 1e-6).ceil() as i32, (root + 1e-6).floor() as i32);
        let from = self.divisors.partition_point(|&divisor| divisor < least);
        for position in from..self.divisors.len() {
            let factor = self.divisors[position];
            let largest = self.chosen.first().copied().unwrap_or(factor);
            if factor > limit || largest - most > self.least.0 {
                return;
            }
            if rest % factor == 0 {
                self.chosen.push(factor);
                self.extend(rest / factor, count - 1, factor);
                self.chosen.pop();
            }
        }
    }

    /// Compares what was chosen, with `ones` ones at the end, to the best.
    fn keep(&mut self, ones: usize) {
        let smallest = if ones > 0 { 1 } else { self.chosen[self.chosen.len() - 1] };
        let ascending = std::iter::repeat_n(1, ones).chain(self.chosen.iter().rev().copied());
        let key = (self.chosen[0] - smallest, Reverse(ascending.collect()));
        if key < self.least {
            (self.least, self.best) = (key, self.chosen.clone());
        }
    }
}

/// All divisors, ascending.
fn divisors(number: i32) -> Vec<i32> {
    let small: Vec<i32> = (1..=number.isqrt()).filter(|divisor| number % divisor == 0).collect();
    let large = small
        .iter()
        .rev()
        .map(|divisor| number / divisor)
        .filter(|&large| large != number.isqrt() || number.isqrt() * large != number);
    small.iter().copied().chain(large).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(number: i32, count: usize, limit: i32) -> Vec<Vec<i32>> {
        if count == 0 {
            return if number == 1 { vec![Vec::new()] } else { Vec::new() };
        }
        let mut found = Vec::new();
        for factor in (1..=limit.min(number)).filter(|factor| number % factor == 0) {
            for mut rest in all(number / factor, count - 1, factor) {
                rest.insert(0, factor);
                found.push(rest);
            }
        }
        found
    }

    fn filled(number: i32, count: usize) -> Vec<i32> {
        let mut factors = balanced(number, count);
        factors.resize(count, 1);
        factors
    }

    proptest! {
        #[test]
        fn no_product_is_better_balanced(number in 1i32..2000, count in 1usize..5) {
            let found = filled(number, count);
            prop_assert_eq!(found.iter().product::<i32>(), number);
            prop_assert!(found.is_sorted_by(|one, two| one >= two));
            let ascending = |factors: &Vec<i32>| factors.iter().rev().copied().collect::<Vec<i32>>();
            let key = |factors: &Vec<i32>| (factors[0] - factors[count - 1], Reverse(ascending(factors)));
            prop_assert_eq!(Some(key(&found)), all(number, count, number).iter().map(key).min());
        }
    }

    #[test]
    fn known_answers() {
        for (number, count, wanted) in [
            (6, 2, vec![3, 2]),
            (7, 2, vec![7, 1]),
            (6, 3, vec![3, 2, 1]),
            (64, 2, vec![8, 8]),
            (64, 3, vec![4, 4, 4]),
            (24, 3, vec![4, 3, 2]),
            (10_000, 2, vec![100, 100]),
            (5040, 3, vec![21, 16, 15]),
            (590_520, 4, vec![38, 37, 21, 20]),
            (1, 3, vec![1, 1, 1]),
            (i32::MAX, 2, vec![i32::MAX, 1]),
        ] {
            assert_eq!(filled(number, count), wanted);
        }
    }

    #[test]
    fn numbers_with_many_divisors_are_quick() {
        for number in [1_396_755_360, 2_095_133_040, 1 << 30, 1_162_261_467] {
            for count in 1..40 {
                assert_eq!(filled(number, count).iter().product::<i32>(), number);
            }
        }
    }
}
