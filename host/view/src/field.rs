//! Fields: frames that are assembled of what all ranks published for one step.
//!
//! The first rank that comes to a step decides for all whether it is taken, so that a frame has the parts of one step and
//! no other. Ranks may be steps apart; what one decided is found by those that come later. A frame is complete when its
//! parts, none of which overlap, cover the whole.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Charge, Error, Result, Who};
use rankine_view_wire::{Field as Message, Part, Said};

use crate::local::{Area, Plane};
use crate::lock;

/// Frames of a field that are assembled at a time.
const MOST_OPEN: usize = 2;
/// A frame of which parts are missing for so long gives way to the next: not all ranks publish.
const PATIENCE: Duration = Duration::from_secs(5);

/// A rank's step: how often it has begun again, and the program's own number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct When {
    pub round: u32,
    pub step: i64,
}

impl When {
    /// The one after `before`: programs may count from the start again, or not count.
    pub fn after(before: Option<When>, step: i64) -> When {
        match before {
            Some(When { round, step: last }) if step <= last => When { round: round.wrapping_add(1), step },
            Some(When { round, .. }) => When { round, step },
            None => When { round: 0, step },
        }
    }
}

/// A field of the job.
#[derive(Default)]
pub(crate) struct Field(Mutex<State>);

#[derive(Default)]
struct State {
    shape: Vec<u32>,
    /// The newest step of which it is decided whether it is taken.
    decided: Option<When>,
    /// When the last one was taken.
    taken: Option<Instant>,
    /// Frames that some ranks have put their parts into.
    open: Vec<Assembly>,
    latest: Option<Arc<Frame>>,
    /// Frames so far.
    number: u64,
}

struct Assembly {
    when: When,
    plane: Plane,
    every: u32,
    since: Instant,
    range: [f32; 2],
    /// The whole boxes of the parts, and whose they are.
    areas: Vec<(Who, Area)>,
    parts: Vec<Part>,
    charges: Vec<Charge>,
    covered: u64,
}

/// A frame that is wanted of the rank that asks.
pub(crate) struct Wanted {
    pub when: When,
    pub plane: Plane,
    pub every: u32,
}

/// A frame that is complete.
pub(crate) struct Frame {
    /// Its number among the frames of its field.
    pub number: u64,
    assembly: Assembly,
    message: OnceLock<Bytes>,
}

impl Frame {
    /// The message for pages, made once.
    pub fn message(&self, name: &str) -> Bytes {
        let make = || {
            let Assembly { when, plane, every, range, parts, .. } = &self.assembly;
            let field = Message {
                name: name.to_owned(),
                step: when.step,
                shape: plane.shape,
                every: *every,
                range: *range,
                parts: parts.clone(),
            };
            Said::Field(field).to_bytes().into()
        };
        self.message.get_or_init(make).clone()
    }
}

/// What was wrong with the field, of no rank in particular.
pub(crate) type Complaint = Option<String>;

impl Field {
    /// The newest complete frame.
    pub fn latest(&self) -> Option<Arc<Frame>> {
        lock(&self.0).latest.clone()
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
        let is_first = state.decided.is_none_or(|decided| when > decided);
        if state.shape != shape {
            if !is_first {
                return Err(Error::new(
                    MPI_ERR_ARG,
                    format!("its shape is {shape:?} here, and {:?} on other ranks", state.shape),
                ));
            }
            state.shape = shape.to_vec();
            state.open.clear();
        }
        if let Some(open) = state.open.iter().find(|open| open.when == when) {
            return Ok((Some(open.wanted()), None));
        }
        if !is_first {
            return Ok((None, None));
        }
        state.decided = Some(when);
        let now = Instant::now();
        if state.taken.is_some_and(|taken| now.duration_since(taken) < interval()) {
            return Ok((None, None));
        }
        let complaint = match state.open.first() {
            Some(oldest) if state.open.len() == MOST_OPEN => {
                if now.duration_since(oldest.since) < PATIENCE {
                    return Ok((None, None));
                }
                let complaint = oldest.complaint();
                state.open.remove(0);
                Some(complaint)
            }
            _ => None,
        };
        state.taken = Some(now);
        let plane = Plane::of(shape);
        let size = size().max(1);
        let every = plane.shape.iter().map(|extent| extent.div_ceil(size)).max().unwrap_or(1).max(1);
        state.open.push(Assembly::new(when, plane, every, now));
        Ok((state.open.last().map(Assembly::wanted), complaint))
    }

    /// A rank's part of the frame that it was asked for; says whether the frame is complete now.
    pub fn add(
        &self,
        when: When,
        who: Who,
        area: Area,
        (part, range): (Part, [f32; 2]),
        charge: Charge,
    ) -> Result<bool> {
        let state = &mut *lock(&self.0);
        let Some(at) = state.open.iter().position(|open| open.when == when) else { return Ok(false) };
        let open = &mut state.open[at];
        if let Some((other, _)) = open.areas.iter().find(|(_, other)| other.overlaps(&area)) {
            return Err(Error::new(MPI_ERR_ARG, format!("its part overlaps that of {other} at step {}", when.step)));
        }
        open.covered += area.cells();
        open.areas.push((who, area));
        open.range = [open.range[0].min(range[0]), open.range[1].max(range[1])];
        if !part.values.is_empty() {
            open.parts.push(part);
        }
        open.charges.push(charge);
        if open.covered < open.plane.cells() {
            return Ok(false);
        }
        let assembly = state.open.swap_remove(at);
        // Frames of earlier steps come too late.
        state.open.retain(|open| open.when > when);
        state.number += 1;
        state.latest = Some(Arc::new(Frame { number: state.number, assembly, message: OnceLock::new() }));
        Ok(true)
    }
}

impl Assembly {
    fn new(when: When, plane: Plane, every: u32, since: Instant) -> Assembly {
        let range = [f32::INFINITY, f32::NEG_INFINITY];
        let (areas, parts, charges) = (Vec::new(), Vec::new(), Vec::new());
        Assembly { when, plane, every, since, range, areas, parts, charges, covered: 0 }
    }

    fn wanted(&self) -> Wanted {
        Wanted { when: self.when, plane: self.plane.clone(), every: self.every }
    }

    fn complaint(&self) -> String {
        let (step, of, cells) = (self.when.step, self.areas.len(), self.plane.cells());
        format!("step {step} can't be shown: {of} ranks have published {} of its {cells} cells", self.covered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankine_guest::Account;

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
            let charge = Account::new(None).charge(64, "a part").unwrap();
            Some(self.field.add(wanted.when, Who::from(rank), area, (part, [rank as f32; 2]), charge))
        }

        fn shown(&self) -> Option<i64> {
            self.field.latest().map(|frame| frame.assembly.when.step)
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
