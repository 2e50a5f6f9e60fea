//! Copies between arrays whatever their distributions, straight, shifted or skewed.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

use mpi_sys::*;
use rankine::Plain;

use crate::error::{Result, check};
use crate::grid::Grid;
use crate::layout::Layout;
use crate::schedule::{Part, Schedule};
use crate::types::Datatype;
use crate::view::{Viewable, ViewableMut};

/// A copy from one array, or part of one, to another with the same extents, compiled: who sends what to whom is found
/// out once, and every run is one message for each pair of ranks.
///
/// ```no_run
/// # use rankine_arrays::{Array, Grid, Range, Remap, Result};
/// # fn example(grid: &Grid) -> Result<()> {
/// let rows = Array::<f64, 2>::new("rows", grid, [Range::block(64), Range::collapsed(64)])?;
/// let mut columns = Array::<f64, 2>::new("columns", grid, [Range::collapsed(64), Range::block(64)])?;
/// let turn = Remap::new(&columns, &rows)?;
/// for _ in 0..1000 {
///     turn.run(&mut columns, &rows)?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct Remap<T, const R: usize> {
    target: Layout<R>,
    source: Layout<R>,
    moves: Moves,
    of: PhantomData<T>,
}

impl<T: Plain, const R: usize> Remap<T, R> {
    /// `target[i, j, ...] = source[i, j, ...]`.
    pub fn new(target: &impl Viewable<T, R>, source: &impl Viewable<T, R>) -> Result<Remap<T, R>> {
        Remap::mapped(target, source, |_, _, k| Some(k))
    }

    /// `target[.., k, ..] = source[.., k + by, ..]` in one dimension; where there is no such element, the target is left
    /// as it is.
    pub fn shift(
        target: &impl Viewable<T, R>,
        source: &impl Viewable<T, R>,
        dim: usize,
        by: isize,
    ) -> Result<Remap<T, R>> {
        target.view().layout.dimension(dim)?;
        Remap::mapped(target, source, |own, extent, k| match own == dim {
            true => k.checked_add_signed(by).filter(|&from| from < extent),
            false => Some(k),
        })
    }

    /// `target[.., k, ..] = source[.., (k + by) mod n, ..]` in one dimension.
    pub fn cshift(
        target: &impl Viewable<T, R>,
        source: &impl Viewable<T, R>,
        dim: usize,
        by: isize,
    ) -> Result<Remap<T, R>> {
        target.view().layout.dimension(dim)?;
        Remap::mapped(target, source, |own, extent, k| Some(if own == dim { turned(k, by, extent) } else { k }))
    }

    /// As [`cshift`](Remap::cshift) in the dimension `dim`, for each index l of another dimension by `l * by`: what
    /// Cannon's multiplication of matrices begins with.
    pub fn skew(
        target: &impl Viewable<T, R>,
        source: &impl Viewable<T, R>,
        dim: usize,
        along: usize,
        by: isize,
    ) -> Result<Remap<T, R>> {
        let (target, source) = (target.view().layout, source.view().layout);
        same_extents(&target, &source)?;
        target.dimension(dim)?;
        let lines = target.dimension(along)?.count;
        if dim == along {
            return Err(target.misuse(Some(dim), "a dimension can't be skewed along itself"));
        }
        let mut building = Building::new(&target.grid);
        for line in 0..lines {
            let (to, from) = (target.clone().section(along, line, 1, 1)?, source.clone().section(along, line, 1, 1)?);
            let extent = to.dims[dim].count;
            let shift = (line as isize * by).rem_euclid(extent.max(1) as isize);
            let map = |own, k| Some(if own == dim { turned(k, shift, extent) } else { k });
            building.add(&Schedule::new(&to, &from, map)?, size_of::<T>())?;
        }
        Ok(Remap { moves: building.moves()?, target, source, of: PhantomData })
    }

    fn mapped(
        target: &impl Viewable<T, R>,
        source: &impl Viewable<T, R>,
        map: impl Fn(usize, usize, usize) -> Option<usize>,
    ) -> Result<Remap<T, R>> {
        let (target, source) = (target.view().layout, source.view().layout);
        same_extents(&target, &source)?;
        let schedule = Schedule::new(&target, &source, |dim, k| map(dim, source.dims[dim].count, k))?;
        Ok(Remap { moves: Moves::new(&schedule, &target.grid, size_of::<T>())?, target, source, of: PhantomData })
    }

    /// Copies. The arrays may be others than those that it was made for, if their ranges and grids are the same.
    /// Collective.
    pub fn run(&self, target: &mut impl ViewableMut<T, R>, source: &impl Viewable<T, R>) -> Result<()> {
        let (mut target, source) = (target.view_mut(), source.view());
        for (given, made) in [(&target.layout, &self.target), (&source.layout, &self.source)] {
            if given != made {
                let what =
                    format!("this copy was made for array \"{}\", which is distributed in another way", made.name);
                return Err(given.misuse(None, what));
            }
        }
        let (to, from) = (target.view_mut().data(), source.data());
        // SAFETY: the moves were made for these layouts, which name only places of their arrays, and the arrays are
        // borrowed until all is done.
        unsafe { self.moves.run(to, from) }
    }
}

fn turned(k: usize, by: isize, extent: usize) -> usize {
    (k as isize + by % extent as isize).rem_euclid(extent as isize) as usize
}

pub(crate) fn same_extents<const R: usize>(target: &Layout<R>, source: &Layout<R>) -> Result<()> {
    let (to, from) = (target.extents(), source.extents());
    match (0..R).find(|&dim| to[dim] != from[dim]) {
        None => Ok(()),
        Some(dim) => {
            let what = format!("it has {} indices, and array \"{}\" has {}", to[dim], source.name, from[dim]);
            Err(target.misuse(Some(dim), what))
        }
    }
}

/// Copies all elements to an array of another distribution. Collective; [`Remap`] keeps what this finds out.
pub fn copy<T: Plain, const R: usize>(target: &mut impl ViewableMut<T, R>, source: &impl Viewable<T, R>) -> Result<()> {
    Remap::new(target, source)?.run(target, source)
}

/// `target[.., k, ..] = source[.., k + by, ..]`, see [`Remap::shift`]. Collective.
pub fn shift<T: Plain, const R: usize>(
    target: &mut impl ViewableMut<T, R>,
    source: &impl Viewable<T, R>,
    dim: usize,
    by: isize,
) -> Result<()> {
    Remap::shift(target, source, dim, by)?.run(target, source)
}

/// `target[.., k, ..] = source[.., (k + by) mod n, ..]`, see [`Remap::cshift`]. Collective.
pub fn cshift<T: Plain, const R: usize>(
    target: &mut impl ViewableMut<T, R>,
    source: &impl Viewable<T, R>,
    dim: usize,
    by: isize,
) -> Result<()> {
    Remap::cshift(target, source, dim, by)?.run(target, source)
}

/// Shifts each line by another amount, see [`Remap::skew`]. Collective.
pub fn skew<T: Plain, const R: usize>(
    target: &mut impl ViewableMut<T, R>,
    source: &impl Viewable<T, R>,
    dim: usize,
    along: usize,
    by: isize,
) -> Result<()> {
    Remap::skew(target, source, dim, along, by)?.run(target, source)
}

/// A schedule with its datatypes.
pub(crate) struct Moves {
    comm: MPI_Comm,
    receives: Vec<Message>,
    sends: Vec<Message>,
    // A communicator lives as long as its grid.
    _grid: Grid,
}

struct Message {
    rank: c_int,
    datatype: Datatype,
    /// Where it begins, in bytes.
    offset: isize,
}

/// Messages of these have this tag. Halos have smaller ones.
const TAG: c_int = 100;

impl Moves {
    pub fn new(schedule: &Schedule, grid: &Grid, size: usize) -> Result<Moves> {
        let messages = |parts: &[Part]| {
            let message = |part: &Part| {
                let (datatype, first) = Datatype::product(&part.lists, size)?;
                Ok(Message { rank: part.rank as c_int, datatype, offset: first * size as isize })
            };
            parts.iter().map(message).collect::<Result<Vec<_>>>()
        };
        let (receives, sends) = (messages(&schedule.receives)?, messages(&schedule.sends)?);
        Ok(Moves { comm: grid.raw(), receives, sends, _grid: grid.clone() })
    }

    /// Moves the elements.
    ///
    /// # Safety
    /// The schedule's places lie in the memory of target and source, which nobody else uses until this returns.
    pub unsafe fn run<T>(&self, target: NonNull<T>, source: NonNull<T>) -> Result<()> {
        let mut requests = vec![MPI_REQUEST_NULL; self.receives.len() + self.sends.len()];
        let (receiving, sending) = requests.split_at_mut(self.receives.len());
        for (message, request) in self.receives.iter().zip(receiving) {
            let at: *mut c_void = target.as_ptr().wrapping_byte_offset(message.offset).cast();
            // SAFETY: the schedule's places lie in the target, which nobody else uses until the requests are complete.
            check(unsafe { MPI_Irecv(at, 1, message.datatype.raw(), message.rank, TAG, self.comm, request) })?;
        }
        for (message, request) in self.sends.iter().zip(sending) {
            let at: *const c_void = source.as_ptr().wrapping_byte_offset(message.offset).cast();
            // SAFETY: the schedule's places lie in the source, which nobody changes until the requests are complete.
            check(unsafe { MPI_Isend(at, 1, message.datatype.raw(), message.rank, TAG, self.comm, request) })?;
        }
        // SAFETY: the requests are there.
        check(unsafe { MPI_Waitall(requests.len() as c_int, requests.as_mut_ptr(), MPI_STATUSES_IGNORE) })
    }
}

/// Schedules that become one: their datatypes and where these begin in bytes, by rank.
struct Building {
    grid: Grid,
    receives: Vec<Vec<(Datatype, isize)>>,
    sends: Vec<Vec<(Datatype, isize)>>,
}

impl Building {
    fn new(grid: &Grid) -> Building {
        let none = || (0..grid.size()).map(|_| Vec::new()).collect();
        Building { grid: grid.clone(), receives: none(), sends: none() }
    }

    fn add(&mut self, schedule: &Schedule, size: usize) -> Result<()> {
        for (parts, types) in [(&schedule.receives, &mut self.receives), (&schedule.sends, &mut self.sends)] {
            for part in parts {
                let (datatype, first) = Datatype::product(&part.lists, size)?;
                types[part.rank].push((datatype, first * size as isize));
            }
        }
        Ok(())
    }

    fn moves(self) -> Result<Moves> {
        let messages = |types: Vec<Vec<(Datatype, isize)>>| {
            let there = types.into_iter().enumerate().filter(|(_, parts)| !parts.is_empty());
            let message = |(rank, parts): (usize, Vec<_>)| {
                Ok(Message { rank: rank as c_int, datatype: Datatype::together(&parts)?, offset: 0 })
            };
            there.map(message).collect::<Result<Vec<_>>>()
        };
        let (receives, sends) = (messages(self.receives)?, messages(self.sends)?);
        Ok(Moves { comm: self.grid.raw(), receives, sends, _grid: self.grid })
    }
}
