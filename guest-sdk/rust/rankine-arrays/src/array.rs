//! Arrays.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::ptr::NonNull;
use std::rc::Rc;

use rankine::Plain;

use crate::element::zero;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::halo::Halos;
use crate::layout::{Dim, Layout};
use crate::overall::Overall;
use crate::range::{Axis, Range, lay};
use crate::view::{View, ViewMut, Viewable, ViewableMut};

/// An array of rank 1 to 4 whose elements lie with different ranks.
///
/// Each rank stores its own part, with the ghost cells around it, in one block of memory, the last dimension running
/// fastest. A *global* index counts from 0 in the whole array, and says the same on all ranks; below 0 and above the
/// last one lie ghost cells. A *local* index counts from 0 in this rank's block, ghost cells included.
///
/// ```no_run
/// # use rankine_arrays::{Array, Grid, Range, Result};
/// # fn main() -> Result<()> {
/// let universe = rankine::Universe::new()?;
/// let grid = Grid::new(&universe.world(), 2)?;
/// let n = 100;
/// let mut u = Array::<f64, 2>::new("u", &grid, [Range::block(n).ghosts(1), Range::block(n).ghosts(1)])?;
/// for i in u.overall(0) {
///     for j in u.overall(1) {
///         u[[i.global, j.global]] = (i.global * j.global) as f64;
///     }
/// }
/// u.write_halo()?;
/// # Ok(())
/// # }
/// ```
pub struct Array<T, const R: usize> {
    layout: Layout<R>,
    ranges: [Range; R],
    /// Of this rank's block, at hand for every row.
    rooms: [usize; R],
    strides: [usize; R],
    data: Storage<T>,
    pub(crate) halos: Halos,
}

/// A block of memory that is reached through pointers only: MPI writes ghost cells while slices of others are in use.
struct Storage<T>(NonNull<[T]>);

impl<T> Storage<T> {
    fn new(elements: Vec<T>) -> Storage<T> {
        Storage(NonNull::from(Box::leak(elements.into_boxed_slice())))
    }

    fn at(&self) -> NonNull<T> {
        self.0.cast()
    }
}

impl<T> Drop for Storage<T> {
    fn drop(&mut self) {
        // SAFETY: it was a box, and nothing refers to it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<T: Plain, const R: usize> Array<T, R> {
    /// An array whose bytes are all 0. Each range takes the next free dimension of the grid. The name is for errors.
    pub fn new(name: &str, grid: &Grid, ranges: [Range; R]) -> Result<Array<T, R>> {
        Array::filled(name, grid, ranges, zero())
    }

    /// Sets all elements that this rank stores, ghost cells too.
    pub fn fill(&mut self, value: T) {
        self.local_mut().fill(value);
    }
}

impl<T: Clone, const R: usize> Array<T, R> {
    /// An array of equal elements, which need not be numbers: whole objects can be moved and gathered too.
    pub fn filled(name: &str, grid: &Grid, ranges: [Range; R], value: T) -> Result<Array<T, R>> {
        const { assert!(R >= 1 && R <= 4, "an array has 1 to 4 dimensions") };
        let wrong = |dim, what| Error::misuse(name, dim, grid.rank(), what);
        let axes = lay(&ranges, grid).map_err(|(dim, what)| wrong(Some(dim), what))?;
        let mut rooms = axes.iter().map(|axis| axis.room());
        let count = rooms.try_fold(1usize, usize::checked_mul);
        let bytes =
            count.and_then(|count| count.checked_mul(size_of::<T>())).filter(|&bytes| bytes <= isize::MAX as usize);
        let (Some(count), Some(_)) = (count, bytes) else {
            return Err(wrong(None, "its part here has more bytes than a memory can have".into()));
        };
        let mut elements = Vec::new();
        if elements.try_reserve_exact(count).is_err() {
            return Err(wrong(None, format!("there is no memory for its {count} elements here")));
        }
        elements.resize(count, value);
        let rooms = axes.each_ref().map(|axis| axis.room());
        let layout = layout(name, grid, axes);
        let strides = layout.dims.each_ref().map(|dim| dim.stride as usize);
        Ok(Array { layout, ranges, rooms, strides, data: Storage::new(elements), halos: Halos::default() })
    }
}

fn layout<const R: usize>(name: &str, grid: &Grid, axes: [Rc<Axis>; R]) -> Layout<R> {
    let strides: [isize; R] =
        std::array::from_fn(|dim| axes[dim + 1..].iter().map(|axis| axis.room() as isize).product());
    let offset = axes.iter().zip(strides).map(|(axis, stride)| axis.ghosts[0] as isize * stride).sum();
    let dims = std::array::from_fn(|dim| Dim {
        axis: axes[dim].clone(),
        first: 0,
        step: 1,
        count: axes[dim].extent,
        stride: strides[dim],
    });
    Layout { name: name.into(), grid: grid.clone(), dims, fixed: Vec::new(), only: None, offset }
}

impl<T, const R: usize> Array<T, R> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.layout.name
    }

    /// The grid that it is distributed over.
    pub fn grid(&self) -> &Grid {
        &self.layout.grid
    }

    /// Its ranges.
    pub fn ranges(&self) -> &[Range; R] {
        &self.ranges
    }

    /// How many indices each dimension has, on all ranks together.
    pub fn extents(&self) -> [usize; R] {
        self.layout.extents()
    }

    /// How many places each dimension of this rank's block has, ghost cells included.
    pub fn rooms(&self) -> [usize; R] {
        self.rooms
    }

    /// How far apart neighbours along each dimension are in [`local`](Array::local).
    pub fn strides(&self) -> [usize; R] {
        self.strides
    }

    pub(crate) fn layout(&self) -> &Layout<R> {
        &self.layout
    }

    pub(crate) fn axis(&self, dim: usize) -> &Rc<Axis> {
        &self.layout.dims[dim].axis
    }

    pub(crate) fn data(&self) -> NonNull<T> {
        self.data.at()
    }

    /// The indices of a dimension that this rank owns, each global and local. Loops over them are what HPJava writes
    /// as `overall`.
    pub fn overall(&self, dim: usize) -> Overall {
        Overall::new(self.axis(dim).clone())
    }

    /// As [`overall`](Array::overall), but without so many indices at both ends of the whole array.
    pub fn inner(&self, dim: usize, margin: usize) -> Overall {
        let extent = self.axis(dim).extent as isize;
        self.overall(dim).within(margin as isize..extent - margin as isize)
    }

    /// The rank that owns an element (of several that hold it, the first), or an error if there is no such element.
    pub fn owner(&self, index: [usize; R]) -> Result<usize> {
        let mut coords = vec![0; self.grid().shape().len()];
        for (dim, own) in self.layout.dims.iter().enumerate() {
            if index[dim] >= own.count {
                let what = format!("nobody owns the index {}: it has {} indices", index[dim], own.count);
                return Err(self.layout.misuse(Some(dim), what));
            }
            if let Some(along) = own.axis.dim {
                coords[along] = own.place(index[dim]).0;
            }
        }
        Ok(self.grid().rank_at(&coords))
    }

    /// Where this rank stores an element, as an index of [`local`](Array::local); `None` if it doesn't.
    #[inline]
    pub fn place(&self, index: [isize; R]) -> Option<usize> {
        let mut place = 0;
        for (dim, own) in self.layout.dims.iter().enumerate() {
            place += own.axis.stored(index[dim])? * self.strides[dim];
        }
        Some(place)
    }

    /// An element or a ghost cell, by its global index; `None` if this rank doesn't store it.
    #[inline]
    pub fn get(&self, index: [isize; R]) -> Option<&T> {
        self.place(index).map(|place| &self.local()[place])
    }

    /// As [`get`](Array::get), to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: [isize; R]) -> Option<&mut T> {
        self.place(index).map(|place| &mut self.local_mut()[place])
    }

    /// This rank's block, ghost cells included.
    #[inline]
    pub fn local(&self) -> &[T] {
        // SAFETY: the array has as many elements there, and is borrowed.
        unsafe { self.data.0.as_ref() }
    }

    /// As [`local`](Array::local), to be changed.
    #[inline]
    pub fn local_mut(&mut self) -> &mut [T] {
        // SAFETY: the array has as many elements there, and is borrowed exclusively.
        unsafe { self.data.0.as_mut() }
    }

    /// Where the row at these local indices begins: one for every dimension but the last.
    #[inline]
    fn row_start<const N: usize>(&self, at: [usize; N]) -> usize {
        const { assert!(N + 1 == R, "a row has an index for every dimension but the last") };
        let mut start = 0;
        for (dim, &at) in at.iter().enumerate() {
            if at >= self.rooms[dim] {
                self.no_row(dim, at);
            }
            start += at * self.strides[dim];
        }
        start
    }

    /// The elements that follow each other in memory at these local indices, ghost cells included: what the compiler
    /// turns into vector instructions.
    #[inline]
    pub fn row<const N: usize>(&self, at: [usize; N]) -> &[T] {
        let start = self.row_start(at);
        &self.local()[start..start + self.rooms[R - 1]]
    }

    /// As [`row`](Array::row), to be changed.
    #[inline]
    pub fn row_mut<const N: usize>(&mut self, at: [usize; N]) -> &mut [T] {
        let (start, length) = (self.row_start(at), self.rooms[R - 1]);
        &mut self.local_mut()[start..start + length]
    }

    /// A part of a row, the local indices `columns` of it, and its neighbours: `near[d]` are those one below and one above
    /// in dimension d. All slices are equally long, so that a loop over them needs no checks.
    ///
    /// ```no_run
    /// # use rankine_arrays::Array;
    /// # fn example(now: Array<f64, 2>, mut next: Array<f64, 2>) {
    /// let columns = now.inner(1, 1).local();
    /// for i in now.inner(0, 1) {
    ///     let (_, [[above, below], [left, right]]) = now.stencil([i.local], columns.clone());
    ///     let new = &mut next.row_mut([i.local])[columns.clone()];
    ///     for j in 0..new.len() {
    ///         new[j] = 0.25 * (above[j] + below[j] + left[j] + right[j]);
    ///     }
    /// }
    /// # }
    /// ```
    #[inline]
    pub fn stencil<const N: usize>(&self, at: [usize; N], columns: std::ops::Range<usize>) -> (&[T], [[&[T]; 2]; R]) {
        let start = self.row_start(at) + columns.start;
        let (count, all) = (columns.len(), self.local());
        let farthest = self.strides.into_iter().fold(1, usize::max);
        assert!(start >= farthest && start + count + farthest <= all.len(), "what a stencil reads is stored here");
        // SAFETY: no place is farther from the row than was just seen to lie in the block.
        let part = |start: usize| unsafe { std::slice::from_raw_parts(all.as_ptr().add(start), count) };
        (part(start), self.strides.map(|stride| [part(start - stride), part(start + stride)]))
    }

    /// A row to be changed, while those around it are read: for methods that work in place.
    #[inline]
    pub fn around<const N: usize>(&mut self, at: [usize; N]) -> Around<'_, T, R> {
        let (start, length, strides) = (self.row_start(at), self.rooms[R - 1], self.strides);
        let (before, rest) = self.local_mut().split_at_mut(start);
        let (row, after) = rest.split_at_mut(length);
        Around { before, row, after, strides }
    }
}

/// A row and those around it, see [`Array::around`].
pub struct Around<'a, T, const R: usize> {
    before: &'a [T],
    /// The row itself.
    pub row: &'a mut [T],
    after: &'a [T],
    strides: [usize; R],
}

impl<'a, T, const R: usize> Around<'a, T, R> {
    /// The row one index lower in a dimension that is not the last.
    #[inline]
    pub fn below(&self, dim: usize) -> &'a [T] {
        assert!(dim + 1 < R, "rows lie along the last dimension");
        let start = self.before.len() - self.strides[dim];
        &self.before[start..start + self.row.len()]
    }

    /// The row one index higher.
    #[inline]
    pub fn above(&self, dim: usize) -> &'a [T] {
        assert!(dim + 1 < R, "rows lie along the last dimension");
        let start = self.strides[dim] - self.row.len();
        &self.after[start..start + self.row.len()]
    }
}

impl<T: Copy, const R: usize> Around<'_, T, R> {
    /// Changes elements of the row in place, those at the local indices of a range that are `step` apart: `new` gets an
    /// element and its neighbours, `near[d]` being those below and above in dimension d. With a step of 2 that is one
    /// colour of a chessboard.
    #[inline]
    pub fn update(self, columns: std::ops::Range<usize>, step: usize, new: impl Fn(T, [[T; 2]; R]) -> T) {
        if columns.is_empty() {
            return;
        }
        assert!(
            step > 0 && columns.start > 0 && columns.end < self.row.len(),
            "every element has neighbours in its row"
        );
        let rows: [[&[T]; 2]; R] = std::array::from_fn(|dim| match dim + 1 < R {
            true => [self.below(dim), self.above(dim)],
            false => [&self.before[..0]; 2],
        });
        let mut at = columns.start;
        while at < columns.end {
            // SAFETY: the places before and after are within the row too, as was just seen, and all rows are equally long.
            unsafe {
                let near = std::array::from_fn(|dim| match dim + 1 < R {
                    true => [*rows[dim][0].get_unchecked(at), *rows[dim][1].get_unchecked(at)],
                    false => [*self.row.get_unchecked(at - 1), *self.row.get_unchecked(at + 1)],
                });
                let cell = self.row.get_unchecked_mut(at);
                *cell = new(*cell, near);
            }
            at += step;
        }
    }
}

impl<T, const R: usize> Index<[isize; R]> for Array<T, R> {
    type Output = T;

    /// An element or a ghost cell by its global index. Panics where this rank doesn't store it.
    #[inline]
    fn index(&self, index: [isize; R]) -> &T {
        match self.place(index) {
            Some(place) => &self.local()[place],
            None => self.not_here(index),
        }
    }
}

impl<T, const R: usize> IndexMut<[isize; R]> for Array<T, R> {
    #[inline]
    fn index_mut(&mut self, index: [isize; R]) -> &mut T {
        match self.place(index) {
            Some(place) => &mut self.local_mut()[place],
            None => self.not_here(index),
        }
    }
}

impl<T, const R: usize> Array<T, R> {
    #[cold]
    fn no_row(&self, dim: usize, at: usize) -> ! {
        let what = format!("there is no row {at} here, but {} with ghost cells", self.rooms[dim]);
        panic!("{}", self.layout.misuse(Some(dim), what))
    }

    #[cold]
    fn not_here(&self, index: [isize; R]) -> ! {
        let dim = (0..R).find(|&dim| self.axis(dim).stored(index[dim]).is_none());
        let error = self.layout.misuse(dim, format!("the element {index:?} is not stored here"));
        panic!("{error}")
    }
}

impl<T, const R: usize> Viewable<T, R> for Array<T, R> {
    fn view(&self) -> View<'_, T, R> {
        View::new(self.layout.clone(), self.data.at())
    }
}

impl<T, const R: usize> ViewableMut<T, R> for Array<T, R> {
    fn view_mut(&mut self) -> ViewMut<'_, T, R> {
        ViewMut::new(self.layout.clone(), self.data.at())
    }
}

impl<T, const R: usize> fmt::Debug for Array<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({:?}, {:?}, {:?})", self.name(), self.extents(), self.grid())
    }
}
