//! What ranks of other processes publish: as letters, where they are not the one that has the page, and out of letters
//! where they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Cost, Error, Result, Who};
use rankine_view_wire::{
    Arrows, Between, Cut, Field as Message, Part, Points as PointsMessage, RankCloud, RankPart, Said,
};

use crate::apart::Apart;
use crate::field::{Field, Taken, Wanted};
use crate::figure::Figure;
use crate::frames::When;
use crate::local::{Area, Plane};
use crate::points::{self, About, Points};
use crate::{Local, LocalPoints, Publisher, SIZES, View};

/// A letter that makes no sense.
fn wrong(what: &str) -> Error {
    Error::new(MPI_ERR_ARG, format!("a letter with {what}"))
}

impl View {
    /// What a rank in another process has published comes in this way.
    pub(crate) fn published_by(self: &Arc<View>, rank: usize) -> Publication {
        Publication { view: self.clone(), who: Who::from(rank) }
    }
}

impl Publisher {
    /// A publication of a field among ranks in processes of their own.
    pub(crate) fn field_apart(
        &self,
        apart: &Apart,
        name: &str,
        field: &Field,
        (when, turn): (When, u64),
        local: &Local<'_>,
    ) -> Result<()> {
        let Some(asked) = apart.wants(name, turn) else { return Ok(()) };
        let shape = local.shape();
        let wanted = Wanted::of(&shape, asked.cut.map(|[across, index]| (across as usize, index)), asked.size);
        if apart.is_first() {
            let is_wanted = field.wants_this(when, &shape, &wanted)?;
            return if is_wanted { self.take_field(field, when, &wanted, local) } else { Ok(()) };
        }
        let Wanted { plane, every } = &wanted;
        let Area { start, count } = local.area(plane);
        if count.contains(&0) {
            return Ok(());
        }
        let _charge = self.account().charge(local.numbers(plane, *every) * 8, Cost::Letters)?;
        let (part, range) = local.read(plane, *every);
        let cut = plane.cut().map(|(across, index)| Cut {
            field: 0,
            across: across as u32,
            index,
            shape: std::array::from_fn(|axis| shape.get(axis).copied().unwrap_or(1)),
        });
        let arrows = local.arrows(plane, *every);
        let message = Message {
            name: name.to_owned(),
            step: when.step,
            shape: plane.shape,
            every: *every,
            range,
            cut,
            parts: vec![part],
            arrows: arrows.map(|part| Arrows { every: Arrows::every(plane.shape, *every), parts: vec![part] }),
        };
        let letter = RankPart { round: when.round, turn, shape, area: [start, count], field: message };
        apart.write_of(self, &Between::Part(letter));
        Ok(())
    }

    /// A publication of points among ranks in processes of their own.
    pub(crate) fn points_apart(
        &self,
        apart: &Apart,
        name: &str,
        points: &Points,
        (when, turn): (When, u64),
        local: &LocalPoints<'_>,
    ) -> Result<()> {
        let Some(asked) = apart.wants(name, turn) else { return Ok(()) };
        let about = About::of(local, self.view().ranks);
        let every = local.enough(about.enough(asked.size));
        if apart.is_first() {
            let (wanted, _) = points.wants_of(when, &about, || Duration::ZERO, || asked.size)?;
            return if wanted.is_some() { self.take_points(points, when, every, local) } else { Ok(()) };
        }
        let _charge = self.account().charge(local.numbers(every) * 8, Cost::Letters)?;
        let points::Part { cloud, every, bounds, range } = local.read(every);
        let message = PointsMessage {
            name: name.to_owned(),
            step: when.step,
            dimensions: about.dimensions,
            has_values: about.has_values,
            total: about.count.into(),
            every,
            bounds,
            range,
            parts: vec![cloud],
        };
        let (round, ranks, within) = (when.round, about.ranks, about.within);
        apart.write_of(self, &Between::Cloud(RankCloud { round, turn, ranks, within, points: message }));
        Ok(())
    }
}

/// What a rank in another process has published, for the view of the first one.
pub(crate) struct Publication {
    view: Arc<View>,
    who: Who,
}

impl Publication {
    /// What a browser would have been told.
    pub fn say(&self, said: Said) -> Result<()> {
        let Some(account) = self.view.apart().and_then(Apart::account) else { return Ok(()) };
        let (view, account) = (self.view.clone(), account.clone());
        let publisher = Publisher { view, who: self.who, account, figures: Mutex::new(HashMap::new()) };
        let unsaid = || Err(wrong("what no rank says"));
        match said {
            Said::Text { name, text } => publisher.text(&name, &text),
            Said::Curve { name, points, .. } => points.into_iter().try_for_each(|[x, y]| publisher.curve(&name, x, y)),
            Said::Control { name, kind, value, .. } => publisher.control(&name, kind, value).map(drop),
            Said::Description(description) => {
                let name = &description.name;
                let ends = description.range.unwrap_or([f64::NAN; 2]);
                publisher.scale(name, &description.unit, ends)?;
                let mut described = description.axes.iter().enumerate().filter(|(_, axis)| axis.is_described());
                described.try_for_each(|(number, axis)| {
                    publisher.axis(name, number, [&axis.label, &axis.unit], axis.first, axis.spacing)
                })
            }
            Said::Notice(text) => {
                self.view.notice(&text);
                Ok(())
            }
            // Fields and points come as parts, and all else is said by the process that has the page.
            Said::Field(_) | Said::Points(_) | Said::Hello { .. } | Said::Ranks(_) | Said::Traffic { .. } => unsaid(),
            Said::Paused(_) | Said::Ended(_) | Said::Untold(_) => unsaid(),
            Said::Recording { .. } | Said::Anew | Said::At { .. } => unsaid(),
        }
    }

    /// A part of a field.
    pub fn part_of(&self, RankPart { round, shape, area, field: message, .. }: RankPart) -> Result<()> {
        let figure = self.figure(&message.name, || Figure::Field(Default::default()))?;
        let field = figure.field()?;
        if !(2..=crate::MOST_DIMENSIONS).contains(&shape.len()) || shape.contains(&0) {
            return Err(wrong("a field of no shape"));
        }
        let plane = Plane::across(&shape, message.cut.map(|cut| (cut.across as usize, cut.index)));
        let [start, count] = area;
        let is_within = (0..2).all(|n| u64::from(start[n]) + u64::from(count[n]) <= u64::from(plane.shape[n]));
        if plane.shape != message.shape || !is_within || !message.is_sound(*SIZES.end()) || message.parts.len() > 1 {
            return Err(wrong("a part that is not one"));
        }
        let (when, every, range) = (When { round, step: message.step }, message.every, message.range);
        if !field.wants_this(when, &shape, &Wanted { plane, every })? {
            return Ok(());
        }
        let charge = self.charge(message.parts.iter().map(|part| part.values.len()).sum::<usize>() * 8)?;
        let nothing = || Part { start: [0; 2], count: [0; 2], values: Vec::new() };
        let part = message.parts.into_iter().next().unwrap_or_else(nothing);
        let vectors = message.arrows.and_then(|arrows| arrows.parts.into_iter().next());
        let taken = Taken { part, range, vectors };
        if field.add(when, self.who, Area { start, count }, taken, charge)? {
            self.view.wake();
        }
        Ok(())
    }

    /// Points.
    pub fn points_of(&self, RankCloud { round, ranks, within, points: message, .. }: RankCloud) -> Result<()> {
        let figure = self.figure(&message.name, || Figure::Points(Default::default()))?;
        let points = figure.points()?;
        let [cloud] = &message.parts[..] else { return Err(wrong("points of no rank")) };
        if !message.is_sound() {
            return Err(wrong("points that are none"));
        }
        let count = u32::try_from(message.total).map_err(|_| wrong("more points than there can be"))?;
        let PointsMessage { dimensions, has_values, every, bounds, range, .. } = message;
        let about = About { ranks, dimensions, count, has_values, within };
        let when = When { round, step: message.step };
        let (wanted, _) = points.wants_of(when, &about, || Duration::ZERO, || self.view.size())?;
        if wanted.is_none() {
            return Ok(());
        }
        let charge = self.charge(cloud.numbers.len() * 8)?;
        let part = points::Part { cloud: cloud.clone(), every, bounds, range };
        if points.add(when, self.who, &about, part, charge)? {
            self.view.wake();
        }
        Ok(())
    }

    fn figure(&self, name: &str, make: impl FnOnce() -> Figure) -> Result<Arc<Figure>> {
        self.view.figures.find_or(name, make).map(|(_, figure)| figure)
    }

    /// So much is held of what has come, which the rank with the page answers for.
    fn charge(&self, bytes: usize) -> Result<rankine_guest::Charge> {
        let account = self.view.apart().and_then(Apart::account).ok_or_else(|| wrong("what nobody waits for"))?;
        account.charge(bytes, Cost::Post)
    }
}

#[cfg(test)]
mod tests {
    use rankine_abi::Addr;
    use rankine_guest::{Account, Memory};

    use super::*;
    use crate::{Block, Element, Kind, Sender};

    /// Two processes, whose letters are carried by hand: of a rank each, or nodes of two.
    struct Pair {
        views: [Arc<View>; 2],
        publishers: Vec<Publisher>,
        memory: Memory,
        _bytes: Vec<u8>,
    }

    impl Pair {
        fn new() -> Pair {
            Pair::with([0, 1].map(|me| View::in_processes("a.wasm".into(), 2, me == 0, me)), 1)
        }

        fn of_nodes() -> Pair {
            let views = [0, 1].map(|me| View::of_node("a.wasm".into(), 4, me == 0, (me, 2)));
            views
                .iter()
                .zip([0..2, 2..4])
                .for_each(|(view, ranks)| view.apart().unwrap().carry_by(ranks.collect(), || ()));
            Pair::with(views, 2)
        }

        fn with(views: [Arc<View>; 2], each: usize) -> Pair {
            let publisher = |rank| Publisher::new(&views[rank / each], Who::from(rank), &Account::new(None));
            let publishers = (0..2 * each).map(publisher).collect();
            let mut bytes: Vec<u8> = (0..64).flat_map(|n| f64::from(n).to_le_bytes()).collect();
            let memory = Memory::new();
            // SAFETY: the bytes outlive the memory, and their buffer stays where it is.
            unsafe { memory.set(bytes.as_mut_ptr(), bytes.len() as u64) };
            Pair { views, publishers, memory, _bytes: bytes }
        }

        /// A rank publishes its one or two rows of four.
        fn publish(&self, rank: usize, step: i64) {
            let rows = 4 / self.publishers.len();
            let (shape, start, count) = ([4, 4], [(rows * rank) as i32, 0], [rows as i32, 4]);
            let block = Block { shape: &shape, start: &start, count: &count, strides: None };
            let local = Local::new(&self.memory, Addr(8 + 64 * rank as u64), Element::Double, block).unwrap();
            self.publishers[rank].field(0, "u", step, &local).unwrap();
        }

        /// All letters arrive; how many.
        fn carry(&self) -> usize {
            let mut carried = 0;
            for from in [0, 1] {
                self.views[from].write_letters();
                while let Some(letter) = self.views[from].apart().unwrap().next_letter() {
                    let each = self.publishers.len() / 2;
                    let ranks = (from * each..(from + 1) * each).collect();
                    let sender = Sender { process: from, ranks, rank: letter.rank };
                    self.views[letter.to].receive_of(&sender, &letter.bytes);
                    carried += 1;
                }
            }
            carried
        }

        /// The step of the newest frame.
        fn shown(&self) -> Option<i64> {
            let (_, figure) = self.views[0].figures.all().into_iter().next()?;
            figure.field().unwrap().latest().map(|frame| frame.when.step)
        }

        fn notices(&self) -> Vec<String> {
            crate::lock(&self.views[0].notices).clone()
        }
    }

    #[test]
    fn a_frame_is_made_of_parts_of_both_processes() {
        let pair = Pair::new();
        // The first one is wanted unasked, whoever comes first.
        pair.publish(1, 10);
        pair.carry();
        assert_eq!(pair.shown(), None);
        pair.publish(0, 10);
        assert_eq!(pair.shown(), Some(10));
        // Later ones when nobody watches: now and then, and none that was not asked for.
        pair.carry();
        let mut steps = Vec::new();
        for step in 11..16 {
            pair.publish(0, step);
            pair.publish(1, step);
            pair.carry();
            steps.extend(pair.shown());
        }
        assert!(steps.is_sorted() && steps.last() > Some(&10), "{steps:?}");
        assert_eq!(pair.notices(), Vec::<String>::new());
    }

    #[test]
    fn a_frame_is_made_of_parts_of_all_ranks_of_nodes() {
        let pair = Pair::of_nodes();
        for rank in [3, 0, 2, 1] {
            assert_eq!(pair.shown(), None);
            pair.publish(rank, 10);
            pair.carry();
        }
        assert_eq!(pair.shown(), Some(10));
        // A rank may be a step ahead of others of its node, which still find what is wanted of them.
        let mut steps = Vec::new();
        for step in 11..40 {
            for rank in 0..4 {
                pair.publish(rank, step);
                pair.carry();
            }
            steps.extend(pair.shown());
        }
        assert!(steps.is_sorted() && steps.last() > Some(&10), "{steps:?}");
        assert_eq!(pair.notices(), Vec::<String>::new());
        // What is told of another node's ranks is not heard.
        let sender = Sender { process: 1, ranks: [2, 3].into(), rank: 1 };
        pair.views[0].receive_of(&sender, &Between::Left.to_bytes());
        assert!(pair.notices()[0].starts_with("rank 1: ") && pair.notices().len() == 1, "{:?}", pair.notices());
    }

    #[test]
    fn who_is_ahead_is_asked_earlier() {
        let pair = Pair::new();
        for step in 0..20 {
            pair.publish(1, step);
        }
        pair.publish(0, 0);
        pair.carry();
        pair.carry();
        assert_eq!(pair.shown(), Some(0));
        // It was late; what is wanted then lies before both.
        for step in 1..200 {
            pair.publish(0, step);
            pair.publish(1, 19 + step);
            pair.carry();
        }
        assert!(pair.shown() > Some(0), "{:?}", pair.shown());
        assert_eq!(pair.notices(), Vec::<String>::new());
    }

    fn names<T>(all: Vec<(String, T)>) -> Vec<String> {
        all.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn what_is_small_comes_as_to_a_browser_and_controls_have_one_number() {
        let pair = Pair::new();
        let [first, other] = &pair.publishers[..] else { unreachable!("there are two") };
        let number = |publisher: &Publisher, name: &str| publisher.control(name, Kind::Button, 0.0).unwrap();
        // In different orders, as programs may.
        let of_first = [number(first, "a"), number(first, "b")];
        let of_other = [number(other, "b"), number(other, "a")];
        assert_eq!(of_first, [of_other[1], of_other[0]]);
        assert_eq!((first.take(of_first[0]), first.take(7)), (Some(0.0), None));
        other.text("what", "a text").unwrap();
        other.curve("residual", 1.0, 0.5).unwrap();
        other.scale("residual", "Pa", [0.0, 2.0]).unwrap();
        pair.views[1].notice("rank 1: something is wrong");
        pair.views[1].write_last_letters();
        pair.carry();
        assert_eq!(pair.notices(), ["rank 1: something is wrong"]);
        assert!(pair.views[0].apart().unwrap().all_have_left());
        let first = &pair.views[0];
        assert_eq!(names(first.texts.all()), ["what"]);
        assert_eq!(names(first.curves.all()), ["residual"]);
        assert_eq!(names(first.descriptions.all()), ["residual"]);
        assert_eq!(names(first.controls.all()), ["a", "b"]);
    }

    #[test]
    fn letters_that_make_no_sense_are_told_the_page() {
        let pair = Pair::new();
        let first = &pair.views[0];
        first.receive(1, &[99]);
        first.receive(7, &Between::Left.to_bytes());
        first.receive(1, &Between::Wanted(Default::default()).to_bytes());
        let part = Part { start: [0, 0], count: [1, 1], values: vec![0.0] };
        let field = Message {
            name: "u".into(),
            step: 0,
            shape: [4, 4],
            every: 1,
            range: [0.0; 2],
            cut: None,
            parts: vec![part],
            arrows: None,
        };
        for (shape, area) in
            [(vec![4, 4], [[3, 3], [2, 2]]), (vec![4], [[0; 2], [1; 2]]), (vec![5, 4], [[0; 2], [1; 2]])]
        {
            first.receive(
                1,
                &Between::Part(RankPart { round: 0, turn: 0, shape, area, field: field.clone() }).to_bytes(),
            );
        }
        let notices = pair.notices();
        assert!(notices.len() >= 3 && notices.iter().all(|notice| notice.contains("a letter")), "{notices:?}");
        assert!(pair.shown().is_none());
    }
}
