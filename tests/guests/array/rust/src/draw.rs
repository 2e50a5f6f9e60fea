//! Grids, ranges and arrays, drawn alike by all ranks.

use rankine::Communicator;
use rankine_arrays::{Array, Grid, Number, Range, Result, View, ViewableMut};

pub struct Draw {
    state: u64,
    pub world: Communicator,
}

impl Draw {
    pub fn new(seed: u64, world: Communicator) -> Draw {
        Draw { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), world }
    }

    /// A number below `end`, as Marsaglia's xorshift gives it.
    pub fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % end
    }

    pub fn grid(&mut self) -> Result<Grid> {
        let dimensions = 1 + self.below(3);
        Grid::new(&self.world, dimensions)
    }

    /// Another shape of the same ranks.
    pub fn reshaped(&mut self, grid: &Grid) -> Result<Grid> {
        let dimensions = 1 + self.below(3);
        grid.reshaped(&vec![0; dimensions])
    }

    /// Any ranges for these extents, at most one for each dimension of the grid, the others collapsed.
    pub fn ranges<const R: usize>(&mut self, grid: &Grid, extents: [usize; R]) -> [Range; R] {
        let mut free: Vec<usize> = (0..grid.shape().len()).collect();
        extents.map(|extent| {
            if free.is_empty() || self.below(4) == 0 {
                return Range::collapsed(extent);
            }
            let along = free.remove(self.below(free.len()));
            let parts = grid.shape()[along];
            let range = match self.below(4) {
                0 => Range::block(extent),
                1 => Range::cyclic(extent),
                2 => Range::block_cyclic(extent, 1 + self.below(3)),
                _ => Range::irregular(&self.blocks(extent, parts)),
            };
            range.on(along)
        })
    }

    /// Lengths of blocks that add up; some may be 0.
    pub fn blocks(&mut self, extent: usize, parts: usize) -> Vec<usize> {
        let mut cuts: Vec<usize> = (1..parts).map(|_| self.below(extent + 1)).collect();
        cuts.extend([0, extent]);
        cuts.sort();
        cuts.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    pub fn extents<const R: usize>(&mut self) -> [usize; R] {
        std::array::from_fn(|_| 1 + self.below([40, 17, 9, 6][R - 1]))
    }

    /// An array of these extents over this grid, in which every element is its number.
    pub fn numbered<T: Numbered, const R: usize>(
        &mut self,
        name: &str,
        grid: &Grid,
        extents: [usize; R],
    ) -> Result<Array<T, R>> {
        let ranges = self.ranges(grid, extents);
        let mut array = Array::new(name, grid, ranges)?;
        number(&mut array);
        Ok(array)
    }
}

/// Numbers that an element's place can be turned into.
pub trait Numbered: Number {
    fn of(number: usize) -> Self;
}

macro_rules! numbered {
    ($($number:ty)*) => {$(
        impl Numbered for $number {
            fn of(number: usize) -> Self {
                number as $number
            }
        }
    )*};
}

numbered! { u8 i16 i32 f64 u16 i64 }

/// The number of an element in global order.
pub fn number_of<const R: usize>(index: [usize; R], extents: [usize; R]) -> usize {
    index.iter().zip(extents).fold(0, |number, (&k, extent)| number * extent + k)
}

/// Makes every element its number.
pub fn number<T: Numbered, const R: usize>(array: &mut Array<T, R>) {
    let extents = array.extents();
    array.view_mut().for_each(|index, element| *element = T::of(number_of(index, extents)));
}

/// All indices of these extents, in global order.
pub fn indices<const R: usize>(extents: [usize; R]) -> impl Iterator<Item = [usize; R]> {
    (0..extents.iter().product()).map(move |mut number: usize| {
        let mut index = [0; R];
        for dim in (0..R).rev() {
            index[dim] = number % extents[dim];
            number /= extents[dim];
        }
        index
    })
}

/// Checks every element that this rank holds, and that all ranks together hold each one.
pub fn check<T: Number, const R: usize>(
    what: &str,
    view: &View<'_, T, R>,
    expected: impl Fn([usize; R]) -> T,
) -> Result<()> {
    view.for_each(|index, &element| {
        assert!(
            element == expected(index),
            "{what}: element {index:?} is {}, not {}",
            element.to_f64(),
            expected(index).to_f64()
        );
    });
    let all = view.gather_to_all()?;
    for (index, element) in indices(view.extents()).zip(all) {
        assert!(element == expected(index), "{what}: gathered, element {index:?} is {}", element.to_f64());
    }
    Ok(())
}
