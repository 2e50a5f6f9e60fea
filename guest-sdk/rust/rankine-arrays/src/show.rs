//! Arrays in the live view, which takes a box of each rank.

use std::ptr::NonNull;

use rankine::Plain;
use rankine::view::{self, Element};

use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dim, Layout};
use crate::range::Range;
use crate::remap::copy;
use crate::view::{View, ViewMut, Viewable};

impl<T: Plain + Element, const R: usize> View<'_, T, R> {
    /// Shows all elements in the page of `rankine run --view` as they are at a step, ghost cells left out. There are 1 to 3
    /// dimensions: the last one runs to the right, the one before it downwards; an array of one dimension is a row, and of
    /// three a plane is shown, which the page chooses.
    ///
    /// Blocks are shown where they lie. What is dealt out in turn is brought into blocks first if somebody may look; without
    /// `--view` nothing is done. Collective.
    ///
    /// ```no_run
    /// # use rankine::view::View;
    /// # use rankine_arrays::{Array, Result, Viewable};
    /// # fn example(view: &View, step: i64, density: Array<f64, 3>) -> Result<()> {
    /// density.show(view, "density", step)?;
    /// density.view().at::<2>(0, 7)?.transposed([1, 0])?.show(view, "a plane of it", step)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn show(&self, view: &view::View, name: &str, step: i64) -> Result<()> {
        let layout = &self.layout;
        layout.check_shown(name)?;
        if !view::is_on() {
            return Ok(());
        }
        if layout.dims.iter().all(|dim| dim.axis.is_in_blocks()) {
            return layout.publish(view, name, step, self.data());
        }
        let ranges = layout.dims.each_ref().map(|dim| match dim.axis.dim {
            Some(along) => Range::block(dim.count).on(along),
            None => Range::collapsed(dim.count),
        });
        let blocks = Array::<T, R>::new(&layout.name, &layout.grid, ranges)?;
        // Ranks that have nothing of a view need nothing of its copy either.
        let held = Layout { fixed: layout.fixed.clone(), ..blocks.layout().clone() };
        copy(&mut ViewMut::new(held.clone(), blocks.data()), self)?;
        held.publish(view, name, step, blocks.data())
    }
}

impl<T: Plain + Element, const R: usize> Array<T, R> {
    /// See [`View::show`].
    pub fn show(&self, view: &view::View, name: &str, step: i64) -> Result<()> {
        self.view().show(view, name, step)
    }
}

impl<const R: usize> Layout<R> {
    fn check_shown(&self, name: &str) -> Result<()> {
        if R > 3 {
            return Err(self.misuse(None, format!("it has {R} dimensions; arrays of 1 to 3 can be shown")));
        }
        if name.contains('\0') {
            return Err(self.misuse(None, "it can't be shown under a name that has a zero byte in it"));
        }
        match self.dims.iter().position(|dim| dim.count == 0) {
            Some(dim) => Err(self.misuse(Some(dim), "it has no elements that could be shown")),
            None => Ok(()),
        }
    }

    /// Publishes this rank's box, if it has one that no other rank publishes. `data` is where the array's block lies.
    fn publish<T: Element>(&self, view: &view::View, name: &str, step: i64, data: NonNull<T>) -> Result<()> {
        let held = self.dims.each_ref().map(Dim::held_in_blocks);
        if !self.is_first_holder() || held.iter().any(|held| held.is_empty()) {
            return Ok(());
        }
        // One dimension is a row.
        let row = usize::from(R == 1);
        let (mut shape, mut start, mut count) = (vec![1; row], vec![0; row], vec![1; row]);
        let (mut strides, mut offset) = (vec![0; row], self.offset);
        for (dim, held) in self.dims.iter().zip(held) {
            offset += dim.place(held.start).1;
            shape.push(dim.count);
            start.push(held.start);
            count.push(held.len());
            strides.push(dim.step * dim.stride);
        }
        // SAFETY: the layout names only places of the array.
        unsafe { view.field_at(name, step, [&shape, &start, &count], &strides, data.offset(offset).as_ptr()) }?;
        Ok(())
    }
}
