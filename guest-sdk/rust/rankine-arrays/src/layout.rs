//! What an array or a part of it looks like from this rank: which index lies with whom, and where here.

use std::ops::Range;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::range::Axis;

/// One dimension of an array or of a section: the index k stands for `first + k * step` of the axis.
#[derive(Clone)]
pub(crate) struct Dim {
    pub axis: Rc<Axis>,
    pub first: usize,
    pub step: isize,
    pub count: usize,
    /// Between elements in memory.
    pub stride: isize,
}

impl Dim {
    /// Which part holds the index, and how far from the array's first element that is there.
    #[inline]
    pub fn place(&self, k: usize) -> (usize, isize) {
        let (part, at) = self.axis.place((self.first as isize + k as isize * self.step) as usize);
        (part, at as isize * self.stride)
    }

    /// The indices that this rank holds, and where.
    pub fn held(&self) -> impl Iterator<Item = (usize, isize)> {
        (0..self.count).filter_map(|k| {
            let (part, at) = self.place(k);
            (part == self.axis.part).then_some((k, at))
        })
    }

    /// The indices that this rank holds, of an axis in blocks.
    pub fn held_in_blocks(&self) -> Range<usize> {
        let from = self.axis.global(0) - self.first as isize;
        let until = from + self.axis.count(self.axis.part) as isize;
        // Those k for which `from <= k * step < until`.
        let step = self.step.abs();
        let held = match self.step.signum() {
            0 if (from..until).contains(&0) => return 0..self.count,
            0 => return 0..0,
            1 => [from + step - 1, until + step - 1],
            _ => [step - until, step - from],
        };
        let [start, end] = held.map(|bound| bound.div_euclid(step).clamp(0, self.count as isize) as usize);
        start..end.max(start)
    }
}

impl PartialEq for Dim {
    fn eq(&self, other: &Dim) -> bool {
        let (same, step) = (Rc::ptr_eq(&self.axis, &other.axis) || self.axis == other.axis, self.step == other.step);
        same && step && (self.first, self.count, self.stride) == (other.first, other.count, other.stride)
    }
}

#[derive(Clone)]
pub(crate) struct Layout<const R: usize> {
    pub name: Rc<str>,
    pub grid: Grid,
    pub dims: [Dim; R],
    /// Coordinates that a rank must have to hold anything: of dimensions of the grid along which one index was chosen.
    pub fixed: Vec<(usize, usize)>,
    /// The only rank that holds anything.
    pub only: Option<usize>,
    /// Where the element is that all places are counted from.
    pub offset: isize,
}

/// Two are the same if elements have the same places; names don't matter.
impl<const R: usize> PartialEq for Layout<R> {
    fn eq(&self, other: &Layout<R>) -> bool {
        self.grid == other.grid
            && self.dims == other.dims
            && (&self.fixed, self.only, self.offset) == (&other.fixed, other.only, other.offset)
    }
}

impl<const R: usize> Layout<R> {
    pub fn extents(&self) -> [usize; R] {
        std::array::from_fn(|dim| self.dims[dim].count)
    }

    /// An error about this array.
    pub fn misuse(&self, dimension: Option<usize>, what: impl Into<String>) -> Error {
        Error::misuse(&self.name, dimension, self.grid.rank(), what)
    }

    pub fn dimension(&self, dim: usize) -> Result<&Dim> {
        self.dims.get(dim).ok_or_else(|| self.misuse(Some(dim), format!("it has only {R} dimensions")))
    }

    /// The coordinates along which different ranks hold different elements; along the others all hold the same.
    pub fn determined(&self, dim: usize) -> bool {
        let fixed = self.fixed.iter().any(|&(fixed, _)| fixed == dim);
        fixed || self.only.is_some() || self.dims.iter().any(|own| own.axis.dim == Some(dim))
    }

    /// Whether the rank may hold elements at all.
    pub fn may_hold(&self, rank: usize) -> bool {
        self.only.is_none_or(|only| only == rank)
            && self.fixed.iter().all(|&(dim, coord)| self.grid.coordinate(rank, dim) == coord)
    }

    /// Whether this rank holds elements, and of several that hold the same is the first.
    pub fn is_first_holder(&self) -> bool {
        let mut coords = self.grid.coords().iter().enumerate();
        self.may_hold(self.grid.rank()) && coords.all(|(dim, &coord)| coord == 0 || self.determined(dim))
    }

    /// The part of a dimension that a rank has.
    pub fn part(&self, rank: usize, dim: usize) -> usize {
        self.dims[dim].axis.dim.map_or(0, |along| self.grid.coordinate(rank, along))
    }

    /// `count` indices from `first` on, `step` apart, of a dimension.
    pub fn section(mut self, dim: usize, first: usize, count: usize, step: isize) -> Result<Layout<R>> {
        let old = self.dimension(dim)?;
        let last = first as isize + (count as isize - 1).max(0) * step;
        if count > 0 && (first >= old.count || last < 0 || last as usize >= old.count) {
            let what = format!(
                "a section from {first} to {last} was asked for, and it has the indices 0 to {}",
                old.count as isize - 1
            );
            return Err(self.misuse(Some(dim), what));
        }
        let new = &mut self.dims[dim];
        // A section without elements begins anywhere.
        new.first = if count == 0 { new.first } else { (new.first as isize + first as isize * new.step) as usize };
        (new.step, new.count) = (new.step * step, count);
        Ok(self)
    }

    /// One index of a dimension, which is then gone.
    pub fn at<const Q: usize>(self, dim: usize, index: usize) -> Result<Layout<Q>> {
        const { assert!(Q + 1 == R, "the result has one dimension less") };
        let old = self.dimension(dim)?;
        if index >= old.count {
            let what = format!("nobody owns the index {index}: it has the indices 0 to {}", old.count as isize - 1);
            return Err(self.misuse(Some(dim), what));
        }
        let (part, at) = old.place(index);
        let mut fixed = self.fixed.clone();
        fixed.extend(old.axis.dim.map(|along| (along, part)));
        let kept = |own: usize| self.dims[own + usize::from(own >= dim)].clone();
        let (dims, offset) = (std::array::from_fn(kept), self.offset + at);
        Ok(Layout { name: self.name, grid: self.grid, dims, fixed, only: self.only, offset })
    }

    /// The dimensions in another order.
    pub fn permuted(self, order: [usize; R]) -> Result<Layout<R>> {
        let mut seen = [false; R];
        for &dim in &order {
            self.dimension(dim)?;
            if std::mem::replace(&mut seen[dim], true) {
                return Err(self.misuse(Some(dim), "an order of dimensions names it twice"));
            }
        }
        let dims = order.map(|dim| self.dims[dim].clone());
        Ok(Layout { dims, ..self })
    }

    /// A further dimension, before `dim`, along which all elements are the same.
    pub fn spread<const Q: usize>(self, dim: usize, count: usize) -> Result<Layout<Q>> {
        const { assert!(Q == R + 1, "the result has one dimension more") };
        if dim > R {
            return Err(self.misuse(Some(dim), format!("it has only {R} dimensions")));
        }
        let new = Dim { axis: Rc::new(Axis::single()), first: 0, step: 0, count, stride: 0 };
        let own = |to: usize| if to == dim { new.clone() } else { self.dims[to - usize::from(to > dim)].clone() };
        let dims = std::array::from_fn(own);
        Ok(Layout { name: self.name, grid: self.grid, dims, fixed: self.fixed, only: self.only, offset: self.offset })
    }

    /// A plain block of memory in global order, on one rank or on all.
    pub fn whole(name: &Rc<str>, grid: &Grid, extents: [usize; R], only: Option<usize>) -> Layout<R> {
        let dims = std::array::from_fn(|dim| {
            let range = crate::Range::collapsed(extents[dim]);
            let axis = Rc::new(Axis::new(&range, grid, None).expect("a range that is not distributed fits any grid"));
            let stride = extents[dim + 1..].iter().product::<usize>() as isize;
            Dim { axis, first: 0, step: 1, count: extents[dim], stride }
        });
        Layout { name: name.clone(), grid: grid.clone(), dims, fixed: Vec::new(), only, offset: 0 }
    }

    /// Whether the same ranks hold the same indices, in the same order.
    pub fn is_aligned_with(&self, other: &Layout<R>) -> bool {
        let alike = |(own, other): (&Dim, &Dim)| {
            (own.first, own.step) == (other.first, other.step) && own.axis.has_places_of(&other.axis)
        };
        let whose = (&self.fixed, self.only) == (&other.fixed, other.only) && self.grid == other.grid;
        whose && self.dims.iter().zip(&other.dims).all(alike)
    }

    /// Where this rank holds an element, if it does.
    pub fn place(&self, index: [usize; R]) -> Option<isize> {
        let mut place = self.offset;
        for (dim, k) in self.dims.iter().zip(index) {
            let (part, at) = dim.place(k);
            if part != dim.axis.part {
                return None;
            }
            place += at;
        }
        self.may_hold(self.grid.rank()).then_some(place)
    }

    /// Calls `visit` with what this rank holds, in runs along the last dimension: the index of the first element, how
    /// far apart the indices of a run are, the place of the first element, how far apart elements are, how many.
    pub fn runs(&self, mut visit: impl FnMut([usize; R], isize, Run)) {
        if !self.may_hold(self.grid.rank()) {
            return;
        }
        let held: [Vec<(usize, isize)>; R] = std::array::from_fn(|dim| self.dims[dim].held().collect());
        if held.iter().any(Vec::is_empty) {
            return;
        }
        let last = runs_of(&held[R - 1]);
        let mut at = [0; R];
        loop {
            let mut index: [usize; R] = std::array::from_fn(|dim| held[dim][at[dim]].0);
            let outer: isize = (0..R - 1).map(|dim| held[dim][at[dim]].1).sum();
            for &(first, apart, run) in &last {
                index[R - 1] = first;
                visit(index, apart, Run { offset: self.offset + outer + run.offset, ..run });
            }
            let Some(dim) = (0..R - 1).rev().find(|&dim| at[dim] + 1 < held[dim].len()) else { return };
            at[dim] += 1;
            at[dim + 1..].fill(0);
        }
    }
}

/// Elements that lie evenly apart in memory.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub offset: isize,
    pub stride: isize,
    pub count: usize,
}

/// Indices and places as runs, in which both grow evenly.
fn runs_of(held: &[(usize, isize)]) -> Vec<(usize, isize, Run)> {
    let mut runs: Vec<(usize, isize, Run)> = Vec::new();
    for &(k, at) in held {
        if let Some((first, apart, run)) = runs.last_mut() {
            let count = run.count as isize;
            let (index, place) = (k as isize - *first as isize, at - run.offset);
            if run.count == 1 {
                (*apart, run.stride, run.count) = (index, place, 2);
                continue;
            }
            if index == *apart * count && place == run.stride * count {
                run.count += 1;
                continue;
            }
        }
        runs.push((k, 1, Run { offset: at, stride: 1, count: 1 }));
    }
    runs
}
