//! Who sends which elements to whom.

use crate::error::Result;
use crate::layout::{Dim, Layout};

/// What this rank sends to another or receives from it: the elements at all sums of a place of each list, in the order
/// of indices, the last list running fastest. Sender and receiver list the same elements in the same order.
pub(crate) struct Part {
    pub rank: usize,
    pub lists: Vec<Vec<isize>>,
}

impl Part {
    /// The places of all elements.
    pub fn places(&self) -> Vec<isize> {
        self.lists
            .iter()
            .fold(vec![0], |sums, list| sums.iter().flat_map(|sum| list.iter().map(move |place| sum + place)).collect())
    }
}

/// All that this rank has to do so that one array, or section, becomes another.
#[derive(Default)]
pub(crate) struct Schedule {
    pub receives: Vec<Part>,
    pub sends: Vec<Part>,
}

impl Schedule {
    /// `target[k] = source[map(0, k0), map(1, k1), ...]`, where there is such an element.
    pub fn new<const R: usize>(
        target: &Layout<R>,
        source: &Layout<R>,
        map: impl Fn(usize, usize) -> Option<usize>,
    ) -> Result<Schedule> {
        if !target.grid.same_ranks(&source.grid) {
            let what = format!("it lies over another grid than array \"{}\"", source.name);
            return Err(target.misuse(None, what));
        }
        let lists: Vec<Lists> =
            (0..R).map(|dim| Lists::new(&target.dims[dim], &source.dims[dim], |k| map(dim, k))).collect();
        let me = target.grid.rank();
        let mut schedule = Schedule::default();
        for other in 0..target.grid.size() {
            if sends_to(source, target, other, me) {
                let from = |dim: usize| lists[dim].receives[source.part(other, dim)].clone();
                add::<R>(&mut schedule.receives, other, from, target.offset);
            }
            if sends_to(source, target, me, other) {
                let to = |dim: usize| lists[dim].sends[target.part(other, dim)].clone();
                add::<R>(&mut schedule.sends, other, to, source.offset);
            }
        }
        Ok(schedule)
    }
}

/// Adds a part, unless there is nothing in it.
fn add<const R: usize>(parts: &mut Vec<Part>, rank: usize, list: impl Fn(usize) -> Vec<isize>, offset: isize) {
    let mut lists: Vec<Vec<isize>> = (0..R).map(list).collect();
    if lists.iter().all(|list| !list.is_empty()) {
        lists[0].iter_mut().for_each(|place| *place += offset);
        parts.push(Part { rank, lists });
    }
}

/// Whether `to` takes what it needs from `from`, if that has it. Where several ranks hold the same elements, one is
/// chosen: that with the receiver's own coordinates, if the grids have the same shape.
fn sends_to<const R: usize>(source: &Layout<R>, target: &Layout<R>, from: usize, to: usize) -> bool {
    let alike = source.grid == target.grid;
    let chosen = |dim: usize| {
        let wanted = if alike { target.grid.coordinate(to, dim) } else { 0 };
        source.determined(dim) || source.grid.coordinate(from, dim) == wanted
    };
    target.may_hold(to) && source.may_hold(from) && (0..source.grid.shape().len()).all(chosen)
}

/// The places of one dimension, by the other side's part.
struct Lists {
    receives: Vec<Vec<isize>>,
    sends: Vec<Vec<isize>>,
}

impl Lists {
    fn new(target: &Dim, source: &Dim, map: impl Fn(usize) -> Option<usize>) -> Lists {
        let mut lists =
            Lists { receives: vec![Vec::new(); source.axis.parts], sends: vec![Vec::new(); target.axis.parts] };
        for k in 0..target.count {
            let Some(from) = map(k) else { continue };
            let ((to_part, to), (from_part, from)) = (target.place(k), source.place(from));
            if to_part == target.axis.part {
                lists.receives[from_part].push(to);
            }
            if from_part == source.axis.part {
                lists.sends[to_part].push(from);
            }
        }
        lists
    }
}
