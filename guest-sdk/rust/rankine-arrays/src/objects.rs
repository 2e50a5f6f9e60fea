//! Arrays whose elements are whole objects: lists, trees, text.

use rankine::Transportable;

use crate::array::Array;
use crate::error::Result;
use crate::layout::Layout;
use crate::remap::same_extents;
use crate::schedule::Schedule;
use crate::view::{View, Viewable, ViewableMut};

/// Copies all elements, with all that they refer to, to an array of another distribution. Collective.
///
/// ```no_run
/// # use rankine_arrays::{Array, Grid, Range, Result, copy_objects};
/// # fn example(grid: &Grid) -> Result<()> {
/// let cells = Array::<Vec<f64>, 1>::filled("cells", grid, [Range::block(1000)], vec![1.0])?;
/// let mut dealt = Array::<Vec<f64>, 1>::filled("dealt", grid, [Range::cyclic(1000)], vec![])?;
/// copy_objects(&mut dealt, &cells)?;
/// # Ok(())
/// # }
/// ```
pub fn copy_objects<T: Transportable + Clone, const R: usize>(
    target: &mut impl ViewableMut<T, R>,
    source: &impl Viewable<T, R>,
) -> Result<()> {
    let (target, source) = (target.view_mut(), source.view());
    same_extents(&target.layout, &source.layout)?;
    let schedule = Schedule::new(&target.layout, &source.layout, |_, k| Some(k))?;
    let come = exchange(&source, &schedule)?;
    for (part, objects) in schedule.receives.iter().zip(come) {
        for (place, object) in part.places().into_iter().zip(objects) {
            // SAFETY: the places are those of the target's layout, and the target is borrowed exclusively.
            unsafe { *target.data().offset(place).as_mut() = object };
        }
    }
    Ok(())
}

/// Objects of the source, by the parts that are received.
fn exchange<T: Transportable + Clone, const R: usize>(
    source: &View<'_, T, R>,
    schedule: &Schedule,
) -> Result<Vec<Vec<T>>> {
    let grid = &source.layout.grid;
    let mut give: Vec<Vec<T>> = vec![Vec::new(); grid.size()];
    for part in &schedule.sends {
        let places = part.places().into_iter();
        // SAFETY: the places are those of the source's layout, and the source is borrowed.
        give[part.rank] = places.map(|place| unsafe { source.data().offset(place).as_ref() }.clone()).collect();
    }
    let mut come = grid.communicator().alltoall(&give)?;
    Ok(schedule.receives.iter().map(|part| std::mem::take(&mut come[part.rank])).collect())
}

impl<T: Transportable + Clone, const R: usize> View<'_, T, R> {
    /// All elements in global order at one rank, with all that they refer to; the others get `None`. Collective.
    pub fn gather_objects(&self, root: usize) -> Result<Option<Vec<T>>> {
        let grid = &self.layout.grid;
        let whole = Layout::whole(&self.layout.name, grid, self.extents(), Some(root));
        let schedule = Schedule::new(&whole, &self.layout, |_, k| Some(k))?;
        let come = exchange(self, &schedule)?;
        if grid.rank() != root {
            return Ok(None);
        }
        let placed =
            schedule.receives.iter().zip(come).flat_map(|(part, objects)| part.places().into_iter().zip(objects));
        let mut placed: Vec<(isize, T)> = placed.collect();
        placed.sort_by_key(|(place, _)| *place);
        Ok(Some(placed.into_iter().map(|(_, object)| object).collect()))
    }
}

impl<T: Transportable + Clone, const R: usize> Array<T, R> {
    /// See [`View::gather_objects`].
    pub fn gather_objects(&self, root: usize) -> Result<Option<Vec<T>>> {
        self.view().gather_objects(root)
    }
}
