//! Arrays in the live view, which takes a box of each rank.

use std::ptr::NonNull;

use rankine::Plain;
use rankine::view::{self, Element};

use crate::array::Array;
use crate::error::Result;
use crate::layout::{Dim, Layout};
use crate::range::Range;
use crate::remap::{copy, same_extents};
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
        let (blocks, held) = self.in_blocks_of(layout)?;
        held.publish(view, name, step, blocks.data())
    }

    /// The same elements in blocks, over those dimensions of the grid that another layout lies over; and how they lie there.
    fn in_blocks_of(&self, like: &Layout<R>) -> Result<(Array<T, R>, Layout<R>)> {
        let ranges = like.dims.each_ref().map(|dim| match dim.axis.dim {
            Some(along) => Range::block(dim.count).on(along),
            None => Range::collapsed(dim.count),
        });
        let blocks = Array::<T, R>::new(&self.layout.name, &like.grid, ranges)?;
        // Ranks that have nothing of a view need nothing of its copy either.
        let held = Layout { fixed: like.fixed.clone(), ..blocks.layout().clone() };
        copy(&mut ViewMut::new(held.clone(), blocks.data()), self)?;
        Ok((blocks, held))
    }
}

/// Shows vectors as arrows in the page of `rankine run --view`, as [`View::show`] shows numbers: `parts` are their parts along x
/// (the last dimension), y and z, an array for each of 2 or 3 dimensions. Colours show the `values`, or how long the arrows are.
/// Arrays that are distributed in other ways than the first one are brought into blocks first, if somebody may look. Collective.
///
/// ```no_run
/// # use rankine::view::View;
/// # use rankine_arrays::{Array, Result, Viewable, show_arrows};
/// # fn example(view: &View, step: i64, u: Array<f64, 2>, v: Array<f64, 2>, density: Array<f64, 2>) -> Result<()> {
/// show_arrows(view, "wind", step, [u.view(), v.view()], Some(density.view()))?;
/// # Ok(())
/// # }
/// ```
pub fn show_arrows<T: Plain + Element, const R: usize>(
    view: &view::View,
    name: &str,
    step: i64,
    parts: [View<'_, T, R>; R],
    values: Option<View<'_, T, R>>,
) -> Result<()> {
    const { assert!(R == 2 || R == 3, "arrows are shown over 2 or 3 dimensions") };
    let has_values = values.is_some();
    let all: Vec<View<'_, T, R>> = parts.into_iter().chain(values).collect();
    let first = &all[0].layout;
    for part in &all {
        part.layout.check_shown(name)?;
        same_extents(&part.layout, first)?;
    }
    if !view::is_on() {
        return Ok(());
    }
    let lies_alike = |part: &View<'_, T, R>| {
        let strides = part.layout.dims.iter().zip(&first.dims).all(|(own, of)| own.stride == of.stride);
        strides && part.layout.is_aligned_with(first) && part.layout.dims.iter().all(|dim| dim.axis.is_in_blocks())
    };
    if all.iter().all(lies_alike) {
        let lying: Vec<_> = all.iter().map(|part| (&part.layout, part.data())).collect();
        return publish_arrows(view, name, step, &lying, has_values);
    }
    let blocks = all.iter().map(|part| part.in_blocks_of(first)).collect::<Result<Vec<_>>>()?;
    let lying: Vec<_> = blocks.iter().map(|(blocks, held)| (held, blocks.data())).collect();
    publish_arrows(view, name, step, &lying, has_values)
}

/// Publishes this rank's boxes of the parts of vectors, and of values at last if it has some; all lie alike.
fn publish_arrows<T: Element, const R: usize>(
    view: &view::View,
    name: &str,
    step: i64,
    lying: &[(&Layout<R>, NonNull<T>)],
    has_values: bool,
) -> Result<()> {
    let Some(boxed) = lying[0].0.boxed() else { return Ok(()) };
    // SAFETY: the layouts name only places of their arrays.
    let place = |(layout, data): &(&Layout<R>, NonNull<T>)| {
        layout.boxed().map(|boxed| unsafe { data.offset(boxed.offset) }.as_ptr().cast_const())
    };
    let mut firsts: Vec<*const T> = lying.iter().filter_map(place).collect();
    let values = if has_values { firsts.pop() } else { None };
    let of = [&boxed.shape[..], &boxed.start, &boxed.count];
    // SAFETY: the layouts name only places of their arrays, which are borrowed, with the same strides.
    unsafe { view.arrows_at(name, step, of, &boxed.strides, &firsts, values) }?;
    Ok(())
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
        let Some(boxed) = self.boxed() else { return Ok(()) };
        let of = [&boxed.shape[..], &boxed.start, &boxed.count];
        // SAFETY: the layout names only places of the array.
        unsafe { view.field_at(name, step, of, &boxed.strides, data.offset(boxed.offset).as_ptr()) }?;
        Ok(())
    }

    fn boxed(&self) -> Option<Boxed> {
        let held = self.dims.each_ref().map(Dim::held_in_blocks);
        if !self.is_first_holder() || held.iter().any(|held| held.is_empty()) {
            return None;
        }
        // One dimension is a row.
        let row = usize::from(R == 1);
        let (shape, start, count, strides) = (vec![1; row], vec![0; row], vec![1; row], vec![0; row]);
        let mut boxed = Boxed { shape, start, count, strides, offset: self.offset };
        for (dim, held) in self.dims.iter().zip(held) {
            boxed.offset += dim.place(held.start).1;
            boxed.shape.push(dim.count);
            boxed.start.push(held.start);
            boxed.count.push(held.len());
            boxed.strides.push(dim.step * dim.stride);
        }
        Some(boxed)
    }
}

/// A rank's part of a field, as the view takes it.
struct Boxed {
    shape: Vec<usize>,
    start: Vec<usize>,
    count: Vec<usize>,
    strides: Vec<isize>,
    offset: isize,
}
