//! Whole arrays in the memory of one rank, or of all.

use std::ptr::NonNull;

use rankine::Plain;

use crate::array::Array;
use crate::element::zero;
use crate::error::Result;
use crate::layout::Layout;
use crate::remap::Moves;
use crate::schedule::Schedule;
use crate::view::{View, ViewMut, Viewable, ViewableMut};

impl<T: Plain, const R: usize> View<'_, T, R> {
    /// All elements in global order, the last dimension running fastest, at one rank; the others get `None`. Collective.
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        if root >= self.layout.grid.size() {
            let what = format!("there is no rank {root} to gather at");
            return Err(self.layout.misuse(None, what));
        }
        let all = self.collect(Some(root))?;
        Ok((self.layout.grid.rank() == root).then_some(all))
    }

    /// All elements in global order at all ranks. Collective.
    pub fn gather_to_all(&self) -> Result<Vec<T>> {
        self.collect(None)
    }

    fn collect(&self, only: Option<usize>) -> Result<Vec<T>> {
        let (grid, extents) = (&self.layout.grid, self.extents());
        let whole = Layout::whole(&self.layout.name, grid, extents, only);
        let count = if whole.may_hold(grid.rank()) { count(&self.layout)? } else { 0 };
        let mut all = vec![zero(); count];
        let moves = Moves::new(&Schedule::new(&whole, &self.layout, |_, k| Some(k))?, grid, size_of::<T>())?;
        // SAFETY: the vector has all elements, the view's places are the array's, and both are borrowed.
        unsafe { moves.run(NonNull::from(all.as_mut_slice()).cast(), self.data()) }?;
        Ok(all)
    }
}

impl<T: Plain, const R: usize> ViewMut<'_, T, R> {
    /// Deals out what one rank gives, in global order. The others' slices are not read. Collective.
    pub fn scatter(&mut self, root: usize, all: &[T]) -> Result<()> {
        let grid = &self.layout.grid;
        let whole = Layout::whole(&"the root's elements".into(), grid, self.extents(), Some(root));
        if grid.rank() == root && all.len() != count(&self.layout)? {
            let what = format!("{} elements are given for the extents {:?}", all.len(), self.extents());
            return Err(self.layout.misuse(None, what));
        }
        let moves = Moves::new(&Schedule::new(&self.layout, &whole, |_, k| Some(k))?, grid, size_of::<T>())?;
        // SAFETY: the root's slice has all elements, the others' are not touched, and none is written to; the view's places
        // are the array's, which is borrowed exclusively.
        unsafe { moves.run(self.data(), NonNull::from(all).cast()) }
    }
}

/// How many elements there are on all ranks together.
fn count<const R: usize>(layout: &Layout<R>) -> Result<usize> {
    let count = layout.extents().into_iter().try_fold(1usize, usize::checked_mul);
    count.ok_or_else(|| layout.misuse(None, "it has more elements than one memory can hold"))
}

impl<T: Plain, const R: usize> Array<T, R> {
    /// See [`View::gather`].
    pub fn gather(&self, root: usize) -> Result<Option<Vec<T>>> {
        self.view().gather(root)
    }

    /// See [`View::gather_to_all`].
    pub fn gather_to_all(&self) -> Result<Vec<T>> {
        self.view().gather_to_all()
    }

    /// See [`ViewMut::scatter`].
    pub fn scatter(&mut self, root: usize, all: &[T]) -> Result<()> {
        self.view_mut().scatter(root, all)
    }
}
