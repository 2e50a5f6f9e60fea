//! Fields: frames that are assembled of what all ranks published for one step. A frame is complete when its parts, none of
//! which overlap, cover the whole.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Charge, Error, Result, Who};
use rankine_view_wire::{Arrows, Cut, Field as Message, Part, Said, Vectors};

use crate::frames::{Complaint, Frame, Frames, When};
use crate::local::{Area, Plane};
use crate::lock;

/// A field of the job.
#[derive(Default)]
pub(crate) struct Field(Mutex<State>);

#[derive(Default)]
struct State {
    shape: Vec<u32>,
    /// The plane that a page has chosen: the dimension that it cuts across, and where.
    chosen: Option<(usize, u32)>,
    frames: Frames<Assembly>,
}

pub(crate) struct Assembly {
    shape: Vec<u32>,
    plane: Plane,
    every: u32,
    range: [f32; 2],
    /// The whole boxes of the parts, and whose they are.
    areas: Vec<(Who, Area)>,
    parts: Vec<Part>,
    vectors: Vec<Vectors>,
    charges: Vec<Charge>,
    covered: u64,
}

/// A frame that is wanted of the rank that asks.
pub(crate) struct Wanted {
    pub plane: Plane,
    pub every: u32,
}

/// What was read of a rank's part.
pub(crate) struct Taken {
    pub part: Part,
    /// The least and the greatest finite number.
    pub range: [f32; 2],
    pub vectors: Option<Vectors>,
}

impl Field {
    /// The newest complete frame.
    pub fn latest(&self) -> Option<Arc<Frame<Assembly>>> {
        lock(&self.0).frames.latest()
    }

    /// How many frames there are so far, and of how many steps.
    pub fn counts(&self) -> (u64, u64) {
        lock(&self.0).frames.counts()
    }

    /// The plane that a page has chosen.
    pub fn chosen(&self) -> Option<(usize, u32)> {
        lock(&self.0).chosen
    }

    /// Whether as many frames are under way as may be.
    pub fn is_full(&self) -> bool {
        lock(&self.0).frames.is_full()
    }

    /// What is under way will never be complete.
    pub fn give_up(&self) {
        lock(&self.0).frames.give_up();
    }

    /// A rank's part of a frame that all were asked for, of this plane.
    pub fn wants_this(&self, when: When, shape: &[u32], wanted: &Wanted) -> Result<bool> {
        let state = &mut *lock(&self.0);
        state.settle(when, shape)?;
        let Wanted { plane, every } = wanted;
        let make = || Assembly::new(shape, plane.clone(), *every);
        let (open, _) = state.frames.wants(when, || Duration::ZERO, make, Assembly::complain);
        let Some(open) = open else { return Ok(false) };
        if open.plane != *plane || open.every != *every {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("its part is of another plane than that of others at step {}", when.step),
            ));
        }
        Ok(true)
    }

    /// A page wants to see this plane from now on.
    pub fn choose(&self, across: u32, index: u32) {
        lock(&self.0).chosen = Some((across as usize, index));
    }

    /// A rank has come to a step: says whether its part is wanted. `interval` and `size` are asked for only where a new
    /// frame may begin.
    pub fn wants(
        &self,
        when: When,
        shape: &[u32],
        interval: impl FnOnce() -> Duration,
        size: impl FnOnce() -> u32,
    ) -> Result<(Option<Wanted>, Complaint)> {
        let state = &mut *lock(&self.0);
        state.settle(when, shape)?;
        let chosen = state.chosen;
        let make = || {
            let Wanted { plane, every } = Wanted::of(shape, chosen, size());
            Assembly::new(shape, plane, every)
        };
        let (wanted, complaint) = state.frames.wants(when, interval, make, Assembly::complain);
        Ok((wanted.map(|Assembly { plane, every, .. }| Wanted { plane: plane.clone(), every: *every }), complaint))
    }

    /// A rank's part of the frame that it was asked for; says whether the frame is complete now.
    pub fn add(&self, when: When, who: Who, area: Area, taken: Taken, charge: Charge) -> Result<bool> {
        let state = &mut *lock(&self.0);
        let Some(open) = state.frames.open(when) else { return Ok(false) };
        if let Some((other, _)) = open.areas.iter().find(|(_, other)| other.overlaps(&area)) {
            return Err(Error::new(MPI_ERR_ARG, format!("its part overlaps that of {other} at step {}", when.step)));
        }
        open.covered += area.cells();
        open.areas.push((who, area));
        let Taken { part, range, vectors } = taken;
        open.range = [open.range[0].min(range[0]), open.range[1].max(range[1])];
        open.vectors.extend(vectors.filter(|vectors| !vectors.right.values.is_empty()));
        if !part.values.is_empty() {
            open.parts.push(part);
        }
        open.charges.push(charge);
        let is_complete = open.covered >= open.plane.cells();
        if is_complete {
            state.frames.complete(when);
        }
        Ok(is_complete)
    }
}

impl State {
    /// From this step on the field has this shape, unless it has another one there.
    fn settle(&mut self, when: When, shape: &[u32]) -> Result<()> {
        if self.shape == shape {
            return Ok(());
        }
        if !self.frames.is_first(when) {
            let text = format!("its shape is {shape:?} here, and {:?} on other ranks", self.shape);
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        self.shape = shape.to_vec();
        self.frames.give_up();
        Ok(())
    }
}

impl Wanted {
    /// A plane of a field, reduced to so many rows and columns.
    pub fn of(shape: &[u32], cut: Option<(usize, u32)>, size: u32) -> Wanted {
        let (plane, size) = (Plane::across(shape, cut), size.max(1));
        let every = plane.shape.iter().map(|extent| extent.div_ceil(size)).max().unwrap_or(1).max(1);
        Wanted { plane, every }
    }
}

impl Assembly {
    fn new(shape: &[u32], plane: Plane, every: u32) -> Assembly {
        let range = [f32::INFINITY, f32::NEG_INFINITY];
        let (areas, parts, vectors, charges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Assembly { shape: shape.to_vec(), plane, every, range, areas, parts, vectors, charges, covered: 0 }
    }

    fn complain(when: When, assembly: &Assembly) -> String {
        let (step, of, cells) = (when.step, assembly.areas.len(), assembly.plane.cells());
        format!("step {step} can't be shown: {of} ranks have published {} of its {cells} cells", assembly.covered)
    }

    /// The message for pages.
    pub fn message(frame: &Frame<Assembly>, name: &str, number: usize) -> Vec<u8> {
        let Assembly { shape, plane, every, range, parts, vectors, .. } = &frame.assembly;
        let arrows = Arrows { every: Arrows::every(plane.shape, *every), parts: vectors.clone() };
        let field = Message {
            name: name.to_owned(),
            step: frame.when.step,
            shape: plane.shape,
            every: *every,
            range: *range,
            cut: plane.cut().map(|(across, index)| Cut {
                field: number as u32,
                across: across as u32,
                index,
                shape: std::array::from_fn(|axis| shape.get(axis).copied().unwrap_or(1)),
            }),
            parts: parts.clone(),
            arrows: (!vectors.is_empty()).then_some(arrows),
        };
        Said::Field(field).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankine_guest::{Account, Cost};

    const SHAPE: [u32; 2] = [4, 4];

    /// Ranks that have two rows each.
    struct Ranks {
        field: Field,
        last: [Option<When>; 2],
        interval: Duration,
    }

    impl Ranks {
        fn new() -> Ranks {
            Ranks { field: Field::default(), last: [None; 2], interval: Duration::ZERO }
        }

        /// A rank publishes rows that begin there; says whether a frame is complete, or nothing if it was not wanted.
        fn publish(&mut self, rank: usize, row: u32, step: i64) -> Option<Result<bool>> {
            let when = When::after(self.last[rank], step);
            self.last[rank] = Some(when);
            let wanted = self.field.wants(when, &SHAPE, || self.interval, || 1024).unwrap().0?;
            let area = Area { start: [row, 0], count: [2, 4] };
            let part = Part { start: area.start, count: area.count, values: vec![rank as f32; 8] };
            let charge = Account::new(None).charge(64, Cost::Frames).unwrap();
            assert_eq!(wanted.every, 1);
            let taken = Taken { part, range: [rank as f32; 2], vectors: None };
            Some(self.field.add(when, Who::from(rank), area, taken, charge))
        }

        fn shown(&self) -> Option<i64> {
            self.field.latest().map(|frame| frame.when.step)
        }
    }

    #[test]
    fn a_frame_has_parts_of_one_step() {
        let mut ranks = Ranks::new();
        assert_eq!(ranks.publish(0, 0, 1), Some(Ok(false)));
        assert_eq!(ranks.publish(0, 0, 2), Some(Ok(false)));
        // Two are under way: there is no room for a third.
        assert_eq!(ranks.publish(0, 0, 3), None);
        assert_eq!(ranks.shown(), None);
        assert_eq!(ranks.publish(1, 2, 1), Some(Ok(true)));
        assert_eq!(ranks.shown(), Some(1));
        assert_eq!(ranks.publish(1, 2, 2), Some(Ok(true)));
        assert_eq!(ranks.publish(1, 2, 3), None);
        assert_eq!(ranks.shown(), Some(2));
        assert_eq!(ranks.field.latest().unwrap().assembly.range, [0.0, 1.0]);
    }

    #[test]
    fn what_one_rank_has_skipped_no_other_takes() {
        let mut ranks = Ranks::new();
        assert_eq!(ranks.publish(0, 0, 1), Some(Ok(false)));
        assert_eq!(ranks.publish(1, 2, 1), Some(Ok(true)));
        ranks.interval = Duration::from_secs(3600);
        assert_eq!(ranks.publish(0, 0, 2), None);
        ranks.interval = Duration::ZERO;
        assert_eq!(ranks.publish(1, 2, 2), None);
        assert_eq!(ranks.publish(1, 2, 3), Some(Ok(false)));
    }

    #[test]
    fn steps_may_begin_again() {
        let mut ranks = Ranks::new();
        for step in [5, 6, 0, 0, 1] {
            assert_eq!(ranks.publish(0, 0, step), Some(Ok(false)));
            assert_eq!(ranks.publish(1, 2, step), Some(Ok(true)));
            assert_eq!(ranks.shown(), Some(step));
        }
    }

    #[test]
    fn parts_that_overlap_make_no_frame() {
        let mut ranks = Ranks::new();
        assert_eq!(ranks.publish(0, 0, 1), Some(Ok(false)));
        let text = ranks.publish(1, 1, 1).unwrap().unwrap_err().to_string();
        assert_eq!(text, "its part overlaps that of rank 0 at step 1");
        assert_eq!(ranks.shown(), None);
    }

    #[test]
    fn another_plane_is_shown_from_the_next_frame_on() {
        let field = Field::default();
        let wants = |step| {
            let when = When { round: 0, step };
            field.wants(when, &[4, 6, 8], || Duration::ZERO, || 1024).unwrap().0.map(|wanted| wanted.plane)
        };
        let first = wants(1).unwrap();
        assert_eq!((first.shape, first.cut()), ([6, 8], Some((0, 2))));
        field.choose(1, 5);
        // Ranks that come later to the same step have parts of the same plane.
        assert_eq!(wants(1), Some(first));
        let next = wants(2).unwrap();
        assert_eq!((next.shape, next.cut()), ([4, 8], Some((1, 5))));
        // What is not there is as near as can be.
        field.choose(2, u32::MAX);
        field.0.lock().unwrap().frames.give_up();
        assert_eq!(wants(3).unwrap().cut(), Some((2, 7)));
        field.choose(u32::MAX, 0);
        assert_eq!(wants(4).unwrap().cut(), Some((0, 2)));
    }

    #[test]
    fn another_shape_is_a_new_beginning_or_an_error() {
        let ranks = Ranks::new();
        let wants = |step, shape: &[u32]| ranks.field.wants(When { round: 0, step }, shape, || Duration::ZERO, || 2);
        let first = wants(1, &SHAPE).unwrap().0.unwrap();
        assert_eq!((first.every, first.plane.shape), (2, SHAPE));
        let text = wants(1, &[8, 4]).err().unwrap().to_string();
        assert_eq!(text, "its shape is [8, 4] here, and [4, 4] on other ranks");
        assert!(wants(2, &[8, 4]).unwrap().0.is_some());
    }
}
