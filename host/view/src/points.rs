//! Points: frames that are assembled of what all ranks published for one step.
//!
//! How many there are in all nobody knows before all parts have come. So a frame begins with every so manyth point as the
//! one before would have had it, and has half as many, of all ranks alike, whenever there turn out to be too many.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_DIMS};
use rankine_guest::{Charge, Error, Memory, Result, Who};
use rankine_view_wire::{Cloud, MOST_POINTS, Points as Message, Said};

use crate::frames::{Complaint, Frame, Frames, When};
use crate::local::{Block, Element, Local};
use crate::lock;

/// The least and the greatest of each coordinate that is to be shown.
pub type Bounds = [[f32; 2]; 3];

/// No number: the first of these is larger than the second.
const NOTHING: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

/// Points of one rank, every byte of which lies in its memory.
pub struct LocalPoints<'a> {
    /// Of how many ranks there are parts.
    ranks: u32,
    dimensions: u32,
    count: u32,
    within: Option<Bounds>,
    /// A row for each point; nothing if there is none.
    places: Option<Local<'a>>,
    values: Option<Local<'a>>,
}

/// The words of a guest that say where its points are.
#[derive(Copy, Clone, Debug)]
pub struct Layout {
    /// Where the first coordinate of the first point lies, and its value, if there are any.
    pub places: Addr,
    /// Null if there are no values.
    pub values: Addr,
    /// What both are.
    pub element: Element,
    /// Elements between points, between a point's coordinates, and between values.
    pub strides: [i32; 3],
}

impl<'a> LocalPoints<'a> {
    /// Points with the guest's own words, of which `ranks` ranks publish parts. Proves every byte of them.
    pub fn new(
        memory: &'a Memory,
        [ranks, dimensions, count]: [i32; 3],
        within: Option<&[f64]>,
        layout: Layout,
    ) -> Result<LocalPoints<'a>> {
        if !(2..=3).contains(&dimensions) {
            let text = format!("points with {dimensions} coordinates; those with 2 or 3 can be shown");
            return Err(Error::new(MPI_ERR_DIMS, text));
        }
        let number = |number: i32, what: &str| {
            u32::try_from(number).map_err(|_| Error::new(MPI_ERR_COUNT, format!("{number} {what}")))
        };
        let (ranks, many) = (number(ranks, "ranks")?, number(count, "points")?);
        let within = within.map(bounds).transpose()?;
        let [apart, coordinates, values] = layout.strides;
        let table = |at: Addr, width: i32, strides: [i32; 2]| {
            let shape = [count, width];
            let block = Block { shape: &shape, start: &[0, 0], count: &shape, strides: Some(&strides) };
            Local::new(memory, at, layout.element, block)
        };
        let places = (many > 0).then(|| table(layout.places, dimensions, [apart, coordinates])).transpose()?;
        let has_values = many > 0 && layout.values != Addr::NULL;
        let values = has_values.then(|| table(layout.values, 1, [values, 0])).transpose()?;
        Ok(LocalPoints { ranks, dimensions: dimensions as u32, count: many, within, places, values })
    }

    /// How many numbers of four bytes a part has of which so many points are taken.
    pub(crate) fn numbers(&self, every: u32) -> usize {
        self.count.div_ceil(every) as usize * (self.dimensions as usize + usize::from(self.values.is_some()))
    }

    /// One of so many points is enough of this rank, if one of `every` is wanted of all.
    pub(crate) fn enough(&self, every: u32) -> u32 {
        let mut enough = every;
        while self.count.div_ceil(enough) > MOST_POINTS {
            enough = enough.saturating_mul(2);
        }
        enough
    }

    /// Every `every`th of the points.
    pub(crate) fn read(&self, every: u32) -> Part {
        let mut part = Part {
            cloud: Cloud { count: self.count.div_ceil(every), numbers: Vec::with_capacity(self.numbers(every)) },
            every,
            bounds: [NOTHING; 3],
            range: NOTHING,
        };
        let numbers = &mut part.cloud.numbers;
        let mut column = |table: &Local<'_>, n: u32| {
            let from = numbers.len();
            table.column(n, every, numbers);
            let finite = numbers[from..].iter().filter(|number| number.is_finite());
            finite.fold(NOTHING, |[least, greatest], number| [least.min(*number), greatest.max(*number)])
        };
        if let Some(places) = &self.places {
            for dimension in 0..self.dimensions {
                part.bounds[dimension as usize] = column(places, dimension);
            }
        }
        if let Some(values) = &self.values {
            part.range = column(values, 0);
        }
        part
    }
}

/// The bounds that a program gave, two for each coordinate.
fn bounds(within: &[f64]) -> Result<Bounds> {
    let mut bounds = [[0.0; 2]; 3];
    for (n, pair) in within.as_chunks::<2>().0.iter().enumerate() {
        let [least, greatest] = pair.map(|number| number as f32);
        if !(least.is_finite() && greatest.is_finite() && least < greatest) {
            let text = format!("coordinate {n} is to be shown from {} to {}", pair[0], pair[1]);
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        bounds[n] = [least, greatest];
    }
    Ok(bounds)
}

/// What is known of one rank's points without looking at them.
pub(crate) struct About {
    /// Of how many ranks there are points.
    pub ranks: u32,
    pub dimensions: u32,
    pub count: u32,
    pub has_values: bool,
    pub within: Option<Bounds>,
}

impl About {
    /// Of points of a job with so many ranks.
    pub fn of(local: &LocalPoints<'_>, ranks: u32) -> About {
        let &LocalPoints { ranks: of, dimensions, count, within, .. } = local;
        About { ranks: if of == 0 { ranks } else { of }, dimensions, count, has_values: local.values.is_some(), within }
    }

    /// One of so many points suffices, if all ranks have about as many: a power of two.
    pub fn enough(&self, size: u32) -> u32 {
        let all = u64::from(self.count) * u64::from(self.ranks);
        u32::try_from(all.div_ceil(most(size)).next_power_of_two()).unwrap_or(1 << 31)
    }
}

/// What one rank has for a frame.
pub(crate) struct Part {
    pub cloud: Cloud,
    pub every: u32,
    pub bounds: Bounds,
    pub range: [f32; 2],
}

impl Part {
    /// Halves it until it is one of so many points.
    fn thin(&mut self, every: u32) {
        let (by, count) = ((every / self.every).max(1) as usize, self.cloud.count as usize);
        if by > 1 && count > 0 {
            let columns = self.cloud.numbers.chunks(count);
            self.cloud.numbers = columns.flat_map(|column| column.iter().copied().step_by(by)).collect();
            self.cloud.count = count.div_ceil(by) as u32;
        }
        self.every = every;
    }
}

/// Points of the job.
#[derive(Default)]
pub(crate) struct Points(Mutex<State>);

#[derive(Default)]
struct State {
    /// Coordinates, and ranks that publish.
    shape: [u32; 2],
    frames: Frames<Assembly>,
    /// How many points the last frame would have had.
    total: u64,
}

pub(crate) struct Assembly {
    shape: [u32; 2],
    within: Option<Bounds>,
    every: u32,
    /// Whether points have values; nothing before there is one.
    has_values: Option<bool>,
    total: u64,
    parts: Vec<(Who, Part)>,
    charges: Vec<Charge>,
}

impl Points {
    /// The newest complete frame.
    pub fn latest(&self) -> Option<Arc<Frame<Assembly>>> {
        lock(&self.0).frames.latest()
    }

    /// How many frames there are so far, and of how many steps.
    pub fn counts(&self) -> (u64, u64) {
        lock(&self.0).frames.counts()
    }

    /// Whether as many frames are under way as may be.
    pub fn is_full(&self) -> bool {
        lock(&self.0).frames.is_full()
    }

    /// What is under way will never be complete.
    pub fn give_up(&self) {
        lock(&self.0).frames.give_up();
    }

    /// A rank has come to a step: one of how many of its points is wanted, if any is. `interval` and `size` are asked for
    /// only where a new frame may begin; `ranks` is how many the job has.
    pub fn wants(
        &self,
        when: When,
        local: &LocalPoints<'_>,
        ranks: u32,
        interval: impl FnOnce() -> Duration,
        size: impl FnOnce() -> u32,
    ) -> Result<(Option<u32>, Complaint)> {
        self.wants_of(when, &About::of(local, ranks), interval, size)
    }

    /// Whether points are wanted of which only so much is known.
    pub fn wants_of(
        &self,
        when: When,
        about: &About,
        interval: impl FnOnce() -> Duration,
        size: impl FnOnce() -> u32,
    ) -> Result<(Option<u32>, Complaint)> {
        let state = &mut *lock(&self.0);
        let shape = [about.dimensions, about.ranks];
        if state.shape != shape {
            if !state.frames.is_first(when) {
                let text = |[dimensions, ranks]: [u32; 2]| format!("{dimensions} coordinates, of {ranks} ranks");
                let text = format!("they have {} here, and {} elsewhere", text(shape), text(state.shape));
                return Err(Error::new(MPI_ERR_ARG, text));
            }
            state.shape = shape;
            state.frames.give_up();
        }
        let known = state.total.max(about.count.into());
        let make = || Assembly {
            shape,
            within: about.within,
            every: u32::try_from(known.div_ceil(most(size()))).unwrap_or(u32::MAX).max(1),
            has_values: None,
            total: 0,
            parts: Vec::new(),
            charges: Vec::new(),
        };
        let (wanted, complaint) = state.frames.wants(when, interval, make, Assembly::complain);
        Ok((wanted.map(|assembly| assembly.every), complaint))
    }

    /// A rank's part of the frame that it was asked for; says whether the frame is complete now.
    pub fn add(&self, when: When, who: Who, about: &About, part: Part, charge: Charge) -> Result<bool> {
        let state = &mut *lock(&self.0);
        let Some(open) = state.frames.open(when) else { return Ok(false) };
        let has_values = (about.count > 0).then_some(about.has_values);
        if let (Some(here), Some(there)) = (has_values, open.has_values)
            && here != there
        {
            let text = |has_values| if has_values { "values" } else { "no values" };
            let text = format!("its points have {} here, and {} on other ranks", text(here), text(there));
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        open.has_values = open.has_values.or(has_values);
        open.total += u64::from(about.count);
        open.parts.push((who, part));
        open.charges.push(charge);
        open.thin();
        if open.parts.len() < open.shape[1] as usize {
            return Ok(false);
        }
        state.total = open.total;
        state.frames.complete(when);
        Ok(true)
    }
}

/// How many points suffice on a picture with so many rows and columns.
fn most(size: u32) -> u64 {
    (u64::from(size) * u64::from(size) / 4).clamp(1024, MOST_POINTS.into())
}

impl Assembly {
    /// Takes as many of all ranks alike, and no more than can be shown.
    fn thin(&mut self) {
        let count = |parts: &[(Who, Part)]| parts.iter().map(|(_, part)| u64::from(part.cloud.count)).sum::<u64>();
        self.every = self.parts.iter().map(|(_, part)| part.every).fold(self.every, u32::max);
        loop {
            self.parts.iter_mut().for_each(|(_, part)| part.thin(self.every));
            // Of each rank one is left at least.
            if count(&self.parts) <= u64::from(MOST_POINTS).max(self.parts.len() as u64) || self.every > u32::MAX / 2 {
                return;
            }
            self.every *= 2;
        }
    }

    fn complain(when: When, assembly: &Assembly) -> String {
        let (step, of, ranks) = (when.step, assembly.parts.len(), assembly.shape[1]);
        format!("step {step} can't be shown: {of} of {ranks} ranks have published their points")
    }

    /// The message for pages.
    pub fn message(frame: &Frame<Assembly>, name: &str) -> Vec<u8> {
        let Assembly { shape, within, every, has_values, total, parts, .. } = &frame.assembly;
        let widest = |[least, greatest]: [f32; 2], other: [f32; 2]| [least.min(other[0]), greatest.max(other[1])];
        let bounds = parts
            .iter()
            .fold([NOTHING; 3], |bounds, (_, part)| std::array::from_fn(|n| widest(bounds[n], part.bounds[n])));
        let points = Message {
            name: name.to_owned(),
            step: frame.when.step,
            dimensions: shape[0],
            has_values: has_values.unwrap_or(false),
            total: *total,
            every: *every,
            bounds: within.unwrap_or(bounds),
            range: parts.iter().fold(NOTHING, |range, (_, part)| widest(range, part.range)),
            parts: parts.iter().map(|(_, part)| part.cloud.clone()).filter(|cloud| cloud.count > 0).collect(),
        };
        Said::Points(points).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankine_guest::{Account, Cost};

    /// A memory whose numbers from byte 64 on are 0.0, 1.0, 2.0 and so on.
    fn memory(bytes: &mut [u8]) -> Memory {
        for (n, word) in bytes[64..].as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *word = (n as f64).to_le_bytes();
        }
        let memory = Memory::new();
        // SAFETY: the bytes outlive the memory in each test.
        unsafe { memory.set(bytes.as_mut_ptr(), bytes.len() as u64) };
        memory
    }

    fn layout(values: u32, strides: [i32; 3]) -> Layout {
        Layout { places: Addr(64), values: Addr(values.into()), element: Element::Double, strides }
    }

    #[test]
    fn every_coordinate_is_read_from_its_place() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        // Records of five numbers: x, y, z, something else, and the value.
        let local = LocalPoints::new(&memory, [0, 3, 7], None, layout(64 + 32, [5, 1, 5])).unwrap();
        for every in 1..9 {
            let part = local.read(every);
            let column = |first: u32| (0..7).step_by(every as usize).map(move |n| (5 * n + first) as f32);
            let expected: Vec<f32> = [0, 1, 2, 4].into_iter().flat_map(column).collect();
            assert_eq!((part.cloud.count, &part.cloud.numbers), (7u32.div_ceil(every), &expected), "every {every}");
            assert_eq!(part.cloud.numbers.len(), local.numbers(every));
            let last = 6 - 6 % every;
            assert_eq!((part.bounds[1], part.range), ([1.0, (5 * last + 1) as f32], [4.0, (5 * last + 4) as f32]));
        }
        // All first coordinates, then all second ones, from the end.
        let at = Layout { places: Addr(64 + 8 * 9), ..layout(0, [-1, -5, 1]) };
        let part = LocalPoints::new(&memory, [0, 2, 5], None, at).unwrap().read(2);
        assert_eq!(part.cloud, Cloud { count: 3, numbers: vec![9.0, 7.0, 5.0, 4.0, 2.0, 0.0] });
        assert_eq!((part.bounds[2], part.range), (NOTHING, NOTHING));
    }

    #[test]
    fn what_is_not_in_memory_is_refused() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        let is_there =
            |count, values, strides| LocalPoints::new(&memory, [0, 2, count], None, layout(values, strides)).is_ok();
        assert!(is_there(252, 0, [2, 1, 1]) && !is_there(253, 0, [2, 1, 1]));
        assert!(is_there(252, 4096 - 252 * 8, [2, 1, 1]) && !is_there(252, 4096 - 251 * 8, [2, 1, 1]));
        assert!(!is_there(2, 0, [i32::MAX, i32::MAX, 1]) && !is_there(2, 0, [i32::MIN, 1, 1]));
        assert!(!is_there(i32::MAX, 0, [2, 1, 1]) && is_there(i32::MAX, 0, [0, 0, 0]));
        let nowhere = Layout { places: Addr::NULL, ..layout(0, [2, 1, 1]) };
        assert!(LocalPoints::new(&memory, [0, 2, 1], None, nowhere).is_err());
        assert!(LocalPoints::new(&memory, [0, 2, 0], None, nowhere).is_ok());
        let wrong = |numbers, within: Option<&[f64]>| {
            LocalPoints::new(&memory, numbers, within, layout(0, [2, 1, 1])).err().unwrap().to_string()
        };
        assert_eq!(wrong([0, 4, 1], None), "points with 4 coordinates; those with 2 or 3 can be shown");
        assert_eq!(wrong([-1, 2, 1], None), "-1 ranks");
        assert_eq!(wrong([0, 2, -1], None), "-1 points");
        let text = "coordinate 1 is to be shown from 1 to 1";
        assert_eq!(wrong([0, 2, 1], Some(&[0.0, 1.0, 1.0, 1.0])), text);
        assert!(wrong([0, 2, 1], Some(&[0.0, f64::INFINITY, 0.0, 1.0])).contains("from 0 to inf"));
    }

    /// Three ranks that have some points each, as many as they say.
    struct Ranks {
        points: Points,
        bytes: Vec<u8>,
        size: u32,
    }

    impl Ranks {
        fn new(size: u32) -> Ranks {
            Ranks { points: Points::default(), bytes: vec![0; 8 << 20], size }
        }

        fn publish(&mut self, rank: usize, step: i64, count: i32, has_values: bool) -> Result<bool> {
            let memory = memory(&mut self.bytes);
            let values = if has_values { 64 } else { 0 };
            let local = LocalPoints::new(&memory, [0, 2, count], None, layout(values, [1, 1, 1])).unwrap();
            let (when, size) = (When { round: 0, step }, self.size);
            let every = self.points.wants(when, &local, 3, || Duration::ZERO, || size).unwrap().0.unwrap();
            let charge = Account::new(None).charge(64, Cost::Frames).unwrap();
            self.points.add(when, Who::from(rank), &About::of(&local, 2), local.read(local.enough(every)), charge)
        }

        fn shown(&self) -> Message {
            let frame = self.points.latest().unwrap();
            match Said::read(&Assembly::message(&frame, "bodies")) {
                Some(Said::Points(points)) => points,
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_frame_is_complete_when_every_rank_has_published() {
        let mut ranks = Ranks::new(1024);
        assert!(!ranks.publish(0, 5, 2, true).unwrap() && !ranks.publish(2, 5, 0, false).unwrap());
        assert!(ranks.points.latest().is_none());
        assert!(ranks.publish(1, 5, 3, true).unwrap());
        let shown = ranks.shown();
        assert!(shown.is_sound() && shown.has_values);
        assert_eq!((shown.step, shown.total, shown.every, shown.count()), (5, 5, 1, 5));
        assert_eq!((shown.bounds[0], shown.bounds[1], shown.range), ([0.0, 2.0], [1.0, 3.0], [0.0, 2.0]));
        // None at all is a frame as well.
        assert!((0..3).map(|rank| ranks.publish(rank, 6, 0, false).unwrap()).eq([false, false, true]));
        assert!(ranks.shown().is_sound() && ranks.shown().parts.is_empty());
        // Ranks that don't agree are told.
        assert!(!ranks.publish(0, 7, 1, true).unwrap());
        let text = ranks.publish(1, 7, 1, false).unwrap_err().to_string();
        assert_eq!(text, "its points have no values here, and values on other ranks");
    }

    #[test]
    fn there_are_never_more_points_than_can_be_shown() {
        let many = MOST_POINTS as i32;
        let mut ranks = Ranks::new(2048);
        assert!(!ranks.publish(0, 0, 5, false).unwrap() && !ranks.publish(1, 0, many, false).unwrap());
        assert!(ranks.publish(2, 0, 3 * many, false).unwrap());
        let shown = ranks.shown();
        assert!(shown.is_sound(), "{} points, every {}", shown.count(), shown.every);
        assert_eq!((shown.total, shown.every), (5 + 4 * u64::from(MOST_POINTS), 8));
        let counts: Vec<u32> = shown.parts.iter().map(|part| part.count).collect();
        assert_eq!(counts, [1, MOST_POINTS / 8, 3 * MOST_POINTS / 8]);
        assert_eq!(shown.parts[1].numbers[..3], [0.0, 8.0, 16.0]);
        // The next one knows how many there will be, and what the picture has room for.
        ranks.size = 128;
        assert!((0..3).map(|rank| ranks.publish(rank, 1, many, false).unwrap()).eq([false, false, true]));
        assert_eq!(ranks.shown().every, 257);
    }
}
