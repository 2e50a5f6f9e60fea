//! What one rank publishes, from whichever of its threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rankine_guest::{Account, Result, Who};
use rankine_view_wire::Kind;

use crate::control::Control;
use crate::field::Field;
use crate::local::Plane;
use crate::place::Place;
use crate::{Local, View, lock};

/// A rank's way into the view.
pub struct Publisher {
    view: Arc<View>,
    who: Who,
    account: Arc<Account>,
    /// The fields that this rank has published.
    fields: Mutex<HashMap<String, Known>>,
}

/// A field, and where the rank is in it.
struct Known {
    field: Arc<Field>,
    place: Place,
}

/// The longest text that is shown.
const LONGEST_TEXT: usize = 4096;

impl Publisher {
    /// The way in for this rank.
    pub fn new(view: &Arc<View>, who: Who, account: &Arc<Account>) -> Publisher {
        Publisher { view: view.clone(), who, account: account.clone(), fields: Mutex::default() }
    }

    /// The view that it publishes to.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Publishes a part of a field as it is at a step: that of this rank, or of one of its threads.
    pub fn field(&self, thread: u32, name: &str, step: i64, local: &Local<'_>) -> Result<()> {
        let fields = &mut *lock(&self.fields);
        let Known { field, place } = match fields.get_mut(name) {
            Some(known) => known,
            None => {
                let (_, field) = self.view.fields.find_or(name, Field::default)?;
                fields.entry(name.to_owned()).or_insert(Known { field, place: Place::default() })
            }
        };
        let shape = local.shape();
        let when = place.at(thread, step, local.area(&Plane::of(&shape)));
        let (wanted, complaint) = field.wants(when, &shape, || self.view.interval(), || self.view.size())?;
        if let Some(complaint) = complaint {
            self.view.notice(&format!("field {name}: {complaint}"));
        }
        let Some(wanted) = wanted else { return Ok(()) };
        let area = local.area(&wanted.plane);
        // The numbers, and as many again in the message to pages.
        let charge = self.account.charge(area.every(wanted.every).cells() as usize * 8, "a frame of a field")?;
        if field.add(wanted.when, self.who, area, local.read(&wanted.plane, wanted.every), charge)? {
            self.view.wake();
        }
        Ok(())
    }

    /// Adds a point to a curve.
    pub fn curve(&self, name: &str, x: f64, y: f64) -> Result<()> {
        let (_, curve) = self.view.curves.find_or(name, Default::default)?;
        if curve.add(x, y) {
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
        Ok(id as u32)
    }

    /// The value of a control, for all ranks.
    pub fn take(&self, id: u32) -> Option<f64> {
        self.view.controls.get(id as usize).map(|control| control.take())
    }
}
