//! Reductions, to numbers and to arrays of lower rank.
//!
//! Every element counts once, also where an array is held several times, and ghost cells don't. Sums of floats are
//! added up by each rank and then by MPI: the last bits depend on the number of ranks, not on the run.

use std::ffi::c_int;
use std::slice;

use mpi_sys::*;

use crate::array::Array;
use crate::element::Number;
use crate::error::{Result, check};
use crate::layout::Run;
use crate::range::Range;
use crate::remap::{copy, same_extents};
use crate::view::{View, Viewable};

/// How two numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The greater.
    Max,
    /// The less.
    Min,
}

impl Reduction {
    fn op(self) -> MPI_Op {
        match self {
            Reduction::Sum => MPI_SUM,
            Reduction::Product => MPI_PROD,
            Reduction::Max => MPI_MAX,
            Reduction::Min => MPI_MIN,
        }
    }

    /// What changes nothing.
    fn neutral<T: Number>(self) -> T {
        match self {
            Reduction::Sum => T::default(),
            Reduction::Product => T::ONE,
            Reduction::Max => T::LEAST,
            Reduction::Min => T::GREATEST,
        }
    }

    #[inline]
    fn of<T: Number>(self, a: T, b: T) -> T {
        let keeps_a = match self {
            Reduction::Sum => return a + b,
            Reduction::Product => return a * b,
            // What is no number is passed over.
            Reduction::Max => a >= b || b.partial_cmp(&b).is_none(),
            Reduction::Min => a <= b || b.partial_cmp(&b).is_none(),
        };
        if keeps_a { a } else { b }
    }
}

/// Reduces numbers, place by place, over the ranks of a communicator.
fn all_reduce<T: Number>(comm: MPI_Comm, values: &mut [T], reduction: Reduction) -> Result<()> {
    let (at, count) = (values.as_mut_ptr().cast(), values.len() as c_int);
    // SAFETY: there are as many numbers of this type.
    check(unsafe { MPI_Allreduce(MPI_IN_PLACE, at, count, T::datatype(), reduction.op(), comm) })
}

impl<T: Number, const R: usize> View<'_, T, R> {
    /// This rank's share of a reduction: every element is turned into a value, and the values are folded in eight
    /// lanes, so that sums of floats become vector instructions.
    fn fold<V: Number>(&self, reduction: Reduction, value: impl Fn(T) -> V) -> V {
        let mut lanes = [reduction.neutral::<V>(); 8];
        if self.layout.is_first_holder() {
            self.layout.runs(|_, _, run| match self.solid(run) {
                Some(elements) => {
                    let mut chunks = elements.chunks_exact(8);
                    for chunk in &mut chunks {
                        for (lane, &element) in lanes.iter_mut().zip(chunk) {
                            *lane = reduction.of(*lane, value(element));
                        }
                    }
                    for (lane, &element) in lanes.iter_mut().zip(chunks.remainder()) {
                        *lane = reduction.of(*lane, value(element));
                    }
                }
                None => {
                    (0..run.count).for_each(|n| lanes[n % 8] = reduction.of(lanes[n % 8], value(self.element(run, n))))
                }
            });
        }
        lanes.into_iter().fold(reduction.neutral(), |sum, lane| reduction.of(sum, lane))
    }

    /// A run whose elements follow each other in memory.
    fn solid(&self, run: Run) -> Option<&[T]> {
        // SAFETY: the layout names only places of the array, which is borrowed.
        (run.stride == 1).then(|| unsafe { slice::from_raw_parts(self.data().offset(run.offset).as_ptr(), run.count) })
    }

    fn element(&self, run: Run, n: usize) -> T {
        // SAFETY: the layout names only places of the array, which is borrowed.
        unsafe { self.data().offset(run.offset + n as isize * run.stride).read() }
    }

    /// Turns every element into a value and reduces these, over all ranks. Collective.
    pub fn reduce_of<V: Number>(&self, reduction: Reduction, value: impl Fn(T) -> V) -> Result<V> {
        let mut total = [self.fold(reduction, value)];
        all_reduce(self.layout.grid.raw(), &mut total, reduction)?;
        Ok(total[0])
    }

    /// Reduces all elements. Collective.
    pub fn reduce(&self, reduction: Reduction) -> Result<T> {
        self.reduce_of(reduction, |element| element)
    }

    /// The sum of all elements. Collective, as all that follow.
    pub fn sum(&self) -> Result<T> {
        self.reduce(Reduction::Sum)
    }

    /// The greatest element; of none, the least number there is.
    pub fn max(&self) -> Result<T> {
        self.reduce(Reduction::Max)
    }

    /// The least element; of none, the greatest number there is.
    pub fn min(&self) -> Result<T> {
        self.reduce(Reduction::Min)
    }

    /// The greatest element and its index: the first one in global order, if there are several.
    pub fn max_place(&self) -> Result<(T, [usize; R])> {
        self.extreme(Reduction::Max)
    }

    /// The least element and its index: the first one in global order, if there are several.
    pub fn min_place(&self) -> Result<(T, [usize; R])> {
        self.extreme(Reduction::Min)
    }

    fn extreme(&self, reduction: Reduction) -> Result<(T, [usize; R])> {
        let extreme = self.reduce(reduction)?;
        let extents = self.extents();
        let mut first = [u64::MAX];
        self.for_each(|index, &element| {
            if element == extreme {
                let place = index.iter().zip(extents).fold(0, |place, (&k, extent)| place * extent as u64 + k as u64);
                first[0] = first[0].min(place);
            }
        });
        all_reduce(self.layout.grid.raw(), &mut first, Reduction::Min)?;
        let mut place = first[0];
        if place == u64::MAX {
            return Err(self
                .layout
                .misuse(None, "it has no element that is a number, and so no greatest or least one"));
        }
        let mut index = [0; R];
        for dim in (0..R).rev() {
            index[dim] = (place % extents[dim] as u64) as usize;
            place /= extents[dim] as u64;
        }
        Ok((extreme, index))
    }

    /// The sum of all magnitudes.
    pub fn norm1(&self) -> Result<T> {
        self.reduce_of(Reduction::Sum, T::magnitude)
    }

    /// The root of the sum of all squares.
    pub fn norm2(&self) -> Result<f64> {
        Ok(self.reduce_of(Reduction::Sum, |element| element.to_f64() * element.to_f64())?.sqrt())
    }

    /// The greatest magnitude.
    pub fn norm_max(&self) -> Result<T> {
        let norm = self.reduce_of(Reduction::Max, T::magnitude)?;
        Ok(if norm == T::LEAST { T::default() } else { norm })
    }

    /// The sum of the products of all pairs of elements. Where the other array is distributed in another way, it is
    /// copied first.
    pub fn dot(&self, other: &impl Viewable<T, R>) -> Result<T> {
        let other = other.view();
        same_extents(&self.layout, &other.layout)?;
        if !self.layout.is_aligned_with(&other.layout) {
            let (mut own, mut theirs) = (self.blocks()?, self.blocks()?);
            copy(&mut own, self)?;
            copy(&mut theirs, &other)?;
            return own.view().dot(&theirs);
        }
        let mut sum = [T::default()];
        if self.layout.is_first_holder() {
            let mut runs = Vec::new();
            other.layout.runs(|_, _, run| runs.push(run));
            let mut runs = runs.into_iter();
            self.layout.runs(|_, _, run| {
                let theirs = runs.next().expect("aligned arrays have the same runs");
                for n in 0..run.count {
                    sum[0] = sum[0] + self.element(run, n) * other.element(theirs, n);
                }
            });
        }
        all_reduce(self.layout.grid.raw(), &mut sum, Reduction::Sum)?;
        Ok(sum[0])
    }

    /// An array with the same extents, in blocks.
    fn blocks(&self) -> Result<Array<T, R>> {
        let (grid, extents) = (&self.layout.grid, self.extents());
        let is_distributed = |dim| dim < grid.shape().len();
        let range = |dim| if is_distributed(dim) { Range::block(extents[dim]) } else { Range::collapsed(extents[dim]) };
        Array::new(&self.layout.name, grid, std::array::from_fn(range))
    }
}

impl<T: Number, const R: usize> Array<T, R> {
    /// Reduces all elements that differ in one dimension only. The result is distributed as the other dimensions are,
    /// without ghost cells, and is held by every rank along the grid's dimension of the one that has gone. Collective.
    ///
    /// ```no_run
    /// # use rankine_arrays::{Array, Reduction, Result};
    /// # fn example(u: Array<f64, 2>) -> Result<()> {
    /// let row_sums: Array<f64, 1> = u.reduce_along(1, Reduction::Sum)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn reduce_along<const Q: usize>(&self, dim: usize, reduction: Reduction) -> Result<Array<T, Q>> {
        const { assert!(Q + 1 == R, "the result has one dimension less") };
        self.layout().dimension(dim)?;
        let kept = |own: usize| own + usize::from(own >= dim);
        let range = |own: usize| {
            let (range, axis) = (self.ranges()[kept(own)].clone(), self.axis(kept(own)));
            Range { on: axis.dim, ..range.ghosts(0) }
        };
        let mut result =
            Array::<T, Q>::filled(self.name(), self.grid(), std::array::from_fn(range), reduction.neutral())?;
        let view = self.view();
        self.layout().runs(|index, _, run| {
            let place = result.place(std::array::from_fn(|own| index[kept(own)] as isize));
            let place = place.expect("the result is distributed as the array is");
            // Along the last dimension the result's elements follow each other; or they are one, if that has gone.
            let step = usize::from(dim + 1 < R);
            let result = result.local_mut();
            for n in 0..run.count {
                let sum = &mut result[place + n * step];
                *sum = reduction.of(*sum, view.element(run, n));
            }
        });
        if let Some(along) = self.axis(dim).dim {
            all_reduce(self.grid().line(along)?, result.local_mut(), reduction)?;
        }
        Ok(result)
    }
}

macro_rules! of_whole_arrays {
    ($($(#[$doc:meta])* $name:ident -> $result:ty;)*) => {
        /// Reductions of all elements; [`View`] has the same for parts. All are collective.
        impl<T: Number, const R: usize> Array<T, R> {
            $($(#[$doc])* pub fn $name(&self) -> Result<$result> {
                self.view().$name()
            })*

            /// See [`View::dot`].
            pub fn dot(&self, other: &impl Viewable<T, R>) -> Result<T> {
                self.view().dot(other)
            }
        }
    };
}

of_whole_arrays! {
    /// The sum of all elements.
    sum -> T;
    /// The greatest element.
    max -> T;
    /// The least element.
    min -> T;
    /// The greatest element and its index.
    max_place -> (T, [usize; R]);
    /// The least element and its index.
    min_place -> (T, [usize; R]);
    /// The sum of all magnitudes.
    norm1 -> T;
    /// The root of the sum of all squares.
    norm2 -> f64;
    /// The greatest magnitude.
    norm_max -> T;
}
