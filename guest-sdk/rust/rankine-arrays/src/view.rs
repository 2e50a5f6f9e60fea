//! Arrays and parts of them, as operations take them.

use std::marker::PhantomData;
use std::ptr::NonNull;

use rankine::Plain;

use crate::error::Result;
use crate::layout::Layout;

/// An array or a part of one to be read: a section, a transposed view, a row. Nothing is copied.
///
/// ```no_run
/// # use rankine_arrays::{Array, Result, Viewable, copy};
/// # fn example(mut column: Array<f64, 1>, mut matrix: Array<f64, 2>, mut other: Array<f64, 2>) -> Result<()> {
/// copy(&mut column, &matrix.view().at(1, 0)?)?;                // the first column
/// copy(&mut other, &matrix.view().transposed([1, 0])?)?;
/// let even = matrix.view().section(0, 0, 50, 2)?;              // 50 rows from 0 on, each second one
/// let largest = even.max()?;
/// # Ok(())
/// # }
/// ```
pub struct View<'a, T, const R: usize> {
    pub(crate) layout: Layout<R>,
    data: NonNull<T>,
    of: PhantomData<&'a T>,
}

/// As [`View`], to be changed.
pub struct ViewMut<'a, T, const R: usize> {
    pub(crate) layout: Layout<R>,
    data: NonNull<T>,
    of: PhantomData<&'a mut T>,
}

/// What can be read as an array.
pub trait Viewable<T, const R: usize> {
    /// All of it.
    fn view(&self) -> View<'_, T, R>;
}

/// What can be changed as an array.
pub trait ViewableMut<T, const R: usize>: Viewable<T, R> {
    /// All of it, to be changed.
    fn view_mut(&mut self) -> ViewMut<'_, T, R>;
}

macro_rules! sections {
    ($($view:ident)*) => {$(
        impl<'a, T, const R: usize> $view<'a, T, R> {
            pub(crate) fn new(layout: Layout<R>, data: NonNull<T>) -> Self {
                $view { layout, data, of: PhantomData }
            }

            fn with<const Q: usize>(self, layout: impl FnOnce(Layout<R>) -> Result<Layout<Q>>) -> Result<$view<'a, T, Q>> {
                Ok($view::new(layout(self.layout)?, self.data))
            }

            /// `count` indices of a dimension, from `first` on and `step` apart; a negative step goes backwards.
            pub fn section(self, dim: usize, first: usize, count: usize, step: isize) -> Result<Self> {
                self.with(|layout| layout.section(dim, first, count, step))
            }

            /// A range of indices of a dimension.
            pub fn within(self, dim: usize, range: std::ops::Range<usize>) -> Result<Self> {
                self.section(dim, range.start, range.len(), 1)
            }

            /// One index of a dimension: a view with one dimension less.
            pub fn at<const Q: usize>(self, dim: usize, index: usize) -> Result<$view<'a, T, Q>> {
                self.with(|layout| layout.at(dim, index))
            }

            /// The dimensions in another order: `transposed([1, 0])` swaps two.
            pub fn transposed(self, order: [usize; R]) -> Result<Self> {
                self.with(|layout| layout.permuted(order))
            }

            /// How many indices each dimension has.
            pub fn extents(&self) -> [usize; R] {
                self.layout.extents()
            }

            pub(crate) fn data(&self) -> NonNull<T> {
                self.data
            }
        }

        impl<T, const R: usize> Viewable<T, R> for $view<'_, T, R> {
            fn view(&self) -> View<'_, T, R> {
                View::new(self.layout.clone(), self.data)
            }
        }
    )*};
}

sections! { View ViewMut }

impl<'a, T, const R: usize> View<'a, T, R> {
    /// The same elements along a further dimension, before `dim`: copying that to an array broadcasts them.
    pub fn spread<const Q: usize>(self, dim: usize, count: usize) -> Result<View<'a, T, Q>> {
        self.with(|layout| layout.spread(dim, count))
    }

    /// Calls `visit` with every element that this rank holds, and its index in the view.
    pub fn for_each(&self, mut visit: impl FnMut([usize; R], &T)) {
        self.layout.runs(|mut index, apart, run| {
            for n in 0..run.count {
                // SAFETY: the layout names only places of the array, which is borrowed.
                visit(index, unsafe { self.data.offset(run.offset + n as isize * run.stride).as_ref() });
                index[R - 1] = (index[R - 1] as isize + apart) as usize;
            }
        });
    }
}

impl<T, const R: usize> ViewableMut<T, R> for ViewMut<'_, T, R> {
    fn view_mut(&mut self) -> ViewMut<'_, T, R> {
        ViewMut::new(self.layout.clone(), self.data)
    }
}

impl<T, const R: usize> ViewMut<'_, T, R> {
    /// Calls `change` with every element that this rank holds, and its index in the view.
    pub fn for_each(&mut self, mut change: impl FnMut([usize; R], &mut T)) {
        self.layout.runs(|mut index, apart, run| {
            for n in 0..run.count {
                // SAFETY: the layout names only places of the array, each once, and the array is borrowed exclusively.
                change(index, unsafe { self.data.offset(run.offset + n as isize * run.stride).as_mut() });
                index[R - 1] = (index[R - 1] as isize + apart) as usize;
            }
        });
    }

    /// Sets all elements.
    pub fn fill(&mut self, value: T)
    where
        T: Plain,
    {
        self.for_each(|_, element| *element = value);
    }
}
