//! What a program says of its fields, points and curves: units, the ends of the colours, axes.

use crate::bytes::{Bytes, Put};

/// The longest label of an axis, and the longest unit.
pub const LONGEST_LABEL: usize = 100;

/// What is said of the thing of this name, a field, points, or a curve, whether or not it has been published yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// The name.
    pub name: String,
    /// The unit of its values; of a curve, that of y.
    pub unit: String,
    /// What the ends of the colours stand for, or the ends of a curve's y; none if they are found from the values.
    pub range: Option<[f64; 2]>,
    /// x, y and z: the last dimension of a field, the one before it, and the first of three.
    pub axes: [Axis; 3],
}

/// An axis of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it is called, if not by its letter.
    pub label: String,
    /// The unit of its coordinates.
    pub unit: String,
    /// The coordinate of a field's first elements.
    pub first: f64,
    /// The distance of neighbours, less than 0 if coordinates descend; 0 if elements are counted from 0.
    pub spacing: f64,
}

/// What axes are called.
const LETTERS: [&str; 3] = ["x", "y", "z"];

impl Description {
    /// Whether all of it is what a program may say.
    pub fn is_sound(&self) -> bool {
        is_label(&self.unit)
            && self.range.is_none_or(|[least, greatest]| least.is_finite() && greatest.is_finite() && least < greatest)
            && self.axes.iter().all(Axis::is_sound)
    }

    /// What an axis is called: by its label, or by its letter.
    pub fn name_of(&self, axis: usize) -> &str {
        let Axis { label, .. } = &self.axes[axis];
        if label.is_empty() { LETTERS[axis] } else { label }
    }

    /// An axis's name, and its unit if there is one.
    pub fn title(&self, axis: usize) -> String {
        let (name, unit) = (self.name_of(axis), &self.axes[axis].unit);
        if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
    }

    pub(crate) fn put(&self, put: &mut Put) {
        put.text(&self.name).text(&self.unit).byte(u8::from(self.range.is_some()));
        for end in self.range.iter().flatten() {
            put.double(*end);
        }
        for Axis { label, unit, first, spacing } in &self.axes {
            put.text(label).text(unit).double(*first).double(*spacing);
        }
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Option<Description> {
        let (name, unit) = (bytes.text()?, bytes.text()?);
        let range = match bytes.byte()? {
            0 => None,
            1 => Some([bytes.double()?, bytes.double()?]),
            _ => return None,
        };
        let mut axes = <[Axis; 3]>::default();
        for axis in &mut axes {
            let (label, unit) = (bytes.text()?, bytes.text()?);
            *axis = Axis { label, unit, first: bytes.double()?, spacing: bytes.double()? };
        }
        Some(Description { name, unit, range, axes })
    }
}

impl Axis {
    /// Whether all of it is what a program may say.
    pub fn is_sound(&self) -> bool {
        is_label(&self.label) && is_label(&self.unit) && self.first.is_finite() && self.spacing.is_finite()
    }

    /// Whether a program has said anything of it.
    pub fn is_described(&self) -> bool {
        *self != Axis::default()
    }

    /// The coordinate of the element with this index.
    pub fn at(&self, index: f64) -> f64 {
        if self.spacing == 0.0 { index } else { self.first + self.spacing * index }
    }
}

/// Whether a text can be a label or a unit: it is short, and has no control characters.
pub fn is_label(text: &str) -> bool {
    text.len() <= LONGEST_LABEL && !text.chars().any(char::is_control)
}
