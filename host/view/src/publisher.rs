//! What one rank publishes, from whichever of its threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rankine_guest::{Account, Cost, Result, Who};
use rankine_view_wire::Kind;

use crate::apart::Turn;
use crate::control::Control;
use crate::field::{Field, Taken, Wanted};
use crate::figure::Figure;
use crate::frames::When;
use crate::local::{Area, Plane};
use crate::place::Place;
use crate::points::{About, Points};
use crate::{Local, LocalPoints, View, lock};

/// A rank's way into the view.
pub struct Publisher {
    pub(crate) view: Arc<View>,
    pub(crate) who: Who,
    pub(crate) account: Arc<Account>,
    /// The figures that this rank has published.
    pub(crate) figures: Mutex<HashMap<String, Known>>,
}

/// A figure, and where the rank is in it.
pub(crate) struct Known {
    figure: Arc<Figure>,
    place: Place,
    turn: Turn,
}

/// The longest text that is shown.
const LONGEST_TEXT: usize = 4096;

impl Publisher {
    /// The way in for this rank.
    pub fn new(view: &Arc<View>, who: Who, account: &Arc<Account>) -> Publisher {
        // Ranks that programs have started are not shown.
        if who.world == 0 {
            view.activity.begins(who.rank, account);
            view.apart.iter().for_each(|apart| apart.begins(who.rank, account));
        }
        Publisher { view: view.clone(), who, account: account.clone(), figures: Mutex::default() }
    }

    /// What it is charged to.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The view that it publishes to.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Its program has ended, and nothing more is published.
    pub fn leave(&self) {
        if self.who.world == 0 {
            self.view.ends(self.who.rank);
        }
    }

    /// Publishes a part of a field as it is at a step: that of this rank, or of one of its threads.
    pub fn field(&self, thread: u32, name: &str, step: i64, local: &Local<'_>) -> Result<()> {
        let figures = &mut *lock(&self.figures);
        let Known { figure, place, turn } = self.known(figures, name, || Figure::Field(Default::default()))?;
        let (field, shape) = (figure.field()?, local.shape());
        let when = place.at(thread, step, local.area(&Plane::of(&shape)));
        if let Some(apart) = &self.view.apart {
            return self.field_apart(apart, name, field, (when, turn.at(when)), local);
        }
        let (wanted, complaint) = field.wants(when, &shape, || self.view.interval(), || self.view.size())?;
        if let Some(complaint) = complaint {
            self.view.notice(&format!("field {name}: {complaint}"));
        }
        let Some(wanted) = wanted else { return Ok(()) };
        self.take_field(field, when, &wanted, local)
    }

    /// Copies what is wanted of a part.
    pub(crate) fn take_field(&self, field: &Field, when: When, wanted: &Wanted, local: &Local<'_>) -> Result<()> {
        let area = local.area(&wanted.plane);
        // The numbers, and as many again in the message to pages.
        let Wanted { plane, every } = wanted;
        let charge = self.account.charge(local.numbers(plane, *every) * 8, Cost::Frames)?;
        let (part, range) = local.read(plane, *every);
        let taken = Taken { part, range, vectors: local.arrows(plane, *every) };
        if field.add(when, self.who, area, taken, charge)? {
            self.view.wake();
        }
        Ok(())
    }

    /// Publishes this rank's points as they are at a step.
    pub fn points(&self, thread: u32, name: &str, step: i64, local: &LocalPoints<'_>) -> Result<()> {
        // All of a rank's points come at once.
        const ALL: Area = Area { start: [0, 0], count: [1, 1] };
        let figures = &mut *lock(&self.figures);
        let Known { figure, place, turn } = self.known(figures, name, || Figure::Points(Default::default()))?;
        let points = figure.points()?;
        let when = place.at(thread, step, ALL);
        if let Some(apart) = &self.view.apart {
            return self.points_apart(apart, name, points, (when, turn.at(when)), local);
        }
        let (every, complaint) =
            points.wants(when, local, self.view.ranks, || self.view.interval(), || self.view.size())?;
        if let Some(complaint) = complaint {
            self.view.notice(&format!("points {name}: {complaint}"));
        }
        let Some(every) = every else { return Ok(()) };
        self.take_points(points, when, every, local)
    }

    /// Copies one of so many points.
    pub(crate) fn take_points(&self, points: &Points, when: When, every: u32, local: &LocalPoints<'_>) -> Result<()> {
        let every = local.enough(every);
        let charge = self.account.charge(local.numbers(every) * 8, Cost::Frames)?;
        if points.add(when, self.who, &About::of(local, self.view.ranks), local.read(every), charge)? {
            self.view.wake();
        }
        Ok(())
    }

    /// The figure of this name, and where this rank is in it.
    fn known<'a>(
        &self,
        figures: &'a mut HashMap<String, Known>,
        name: &str,
        make: impl FnOnce() -> Figure,
    ) -> Result<&'a mut Known> {
        if !figures.contains_key(name) {
            let (_, figure) = self.view.figures.find_or(name, make)?;
            figures.insert(name.to_owned(), Known { figure, place: Place::default(), turn: Turn::default() });
        }
        Ok(figures.get_mut(name).expect("it is there now"))
    }

    /// Adds a point to a curve.
    pub fn curve(&self, name: &str, x: f64, y: f64) -> Result<()> {
        let (_, curve) = self.view.curves.find_or(name, Default::default)?;
        if curve.add(x, y) {
            self.view.wake();
        }
        Ok(())
    }

    /// Says what the values of a field, points or a curve are: their unit, and what the ends of the colours stand for.
    pub fn scale(&self, name: &str, unit: &str, ends: [f64; 2]) -> Result<()> {
        let (_, described) = self.view.descriptions.find_or(name, Default::default)?;
        if described.scale(unit, ends)? {
            self.view.wake();
        }
        Ok(())
    }

    /// Says what an axis of theirs is: x, y or z, by its number.
    pub fn axis(&self, name: &str, axis: usize, texts: [&str; 2], first: f64, spacing: f64) -> Result<()> {
        let (_, described) = self.view.descriptions.find_or(name, Default::default)?;
        if described.axis(axis, texts, first, spacing)? {
            self.view.wake();
        }
        Ok(())
    }

    /// Shows a text in place of the one before.
    pub fn text(&self, name: &str, text: &str) -> Result<()> {
        let (_, shown) = self.view.texts.find_or(name, Default::default)?;
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let shown = &mut *lock(&shown.0);
        if shown.1 != text {
            *shown = (shown.0 + 1, text.to_owned());
            self.view.wake();
        }
        Ok(())
    }

    /// Declares a control: its number among all. All ranks may do so, and agree on what it is.
    pub fn control(&self, name: &str, kind: Kind, value: f64) -> Result<u32> {
        Control::check_kind(&kind, value)?;
        let (id, control) = self.view.controls.find_or(name, || Control::new(kind.clone(), value))?;
        control.check(&kind)?;
        self.view.wake();
        match &self.view.apart {
            Some(apart) => apart.control(name, &control),
            None => Ok(id as u32),
        }
    }

    /// The value of a control, for all ranks.
    pub fn take(&self, id: u32) -> Option<f64> {
        match &self.view.apart {
            Some(apart) => apart.take(id),
            None => self.view.controls.get(id as usize).map(|control| control.take()),
        }
    }
}
