//! Axes around a picture: their titles, and ticks at round coordinates.

use std::cell::RefCell;

use rankine_view_wire::{Axis, Description, Field};
use web_sys::{Element, HtmlElement};

use crate::dom::{add, add_text, hide, number, set};
use crate::ticks::ticks;

/// Below a picture, and to the left of it.
pub(crate) struct Axes {
    right: Side,
    down: Side,
}

struct Side {
    place: HtmlElement,
    /// Where a tick is, and how many of the page's pixels it wants for itself.
    property: &'static str,
    room: f64,
    /// What is shown, so that nothing is made anew without need.
    shown: RefCell<Option<(Span, u32)>>,
}

/// What an axis is along a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub title: String,
    /// The coordinates at its edges, from the left to the right or from the top down.
    pub edges: [f64; 2],
}

impl Axes {
    /// Places for them, beside a picture in the same grid.
    pub fn new(plane: &Element) -> Axes {
        let side = |class: &str, property, room| {
            let place: HtmlElement = add(plane, "div", class);
            hide(&place, true);
            Side { place, property, room, shown: RefCell::default() }
        };
        Axes { right: side("axis right", "left", 80.0), down: side("axis down", "top", 48.0) }
    }

    /// Shows those that there are, beside a picture of so many of the page's pixels.
    pub fn show(&self, right: Option<Span>, down: Option<Span>, [width, height]: [i32; 2]) {
        self.right.show(right, width);
        self.down.show(down, height);
    }
}

impl Side {
    fn show(&self, span: Option<Span>, length: i32) {
        hide(&self.place, span.is_none());
        // A title need not be set anew for each pixel that a window is drawn by.
        let count = (f64::from(length) / self.room).clamp(2.0, 10.0) as u32;
        let next = span.map(|span| (span, count));
        if *self.shown.borrow() == next {
            return;
        }
        self.place.set_text_content(None);
        if let Some((Span { title, edges: [from, to] }, _)) = &next {
            add_text(&self.place, "span", "title", title);
            for tick in ticks([from.min(*to), from.max(*to)], count.into()) {
                let text = add_text(&self.place, "span", "tick", &number(tick));
                set(&text, "data-at", &tick.to_string());
                let at = format!("{}%", 100.0 * (tick - from) / (to - from));
                let _ =
                    wasm_bindgen::JsCast::unchecked_ref::<HtmlElement>(&text).style().set_property(self.property, &at);
            }
        }
        *self.shown.borrow_mut() = next;
    }
}

/// The axes along a field's columns and rows, if the program has described them.
pub(crate) fn spans(field: &Field, description: &Description) -> [Option<Span>; 2] {
    let ([rows, columns], [down, right], every) = (field.size(), field.axes(), f64::from(field.every));
    [(right, columns), (down, rows)].map(|(number, count)| {
        let axis: &Axis = &description.axes[number];
        let edges = [-0.5, f64::from(count) - 0.5].map(|index| axis.at(index * every));
        axis.is_described().then(|| Span { title: description.title(number), edges })
    })
}

/// Rows for each column of a field's picture: as long as its sides are where both have coordinates in the same unit, and
/// otherwise as its elements are counted.
pub(crate) fn ratio(field: &Field, description: &Description) -> f64 {
    let [rows, columns] = field.shape.map(f64::from);
    let [down, right] = field.axes().map(|number| &description.axes[number]);
    let is_length = down.spacing != 0.0 && right.spacing != 0.0 && down.unit == right.unit;
    rows / columns * if is_length { (down.spacing / right.spacing).abs() } else { 1.0 }
}

/// The coordinates of an element, of which the program has described some axis, in words.
pub(crate) fn place(field: &Field, description: &Description, [row, column]: [u32; 2]) -> String {
    let [down, right] = field.axes();
    let across = field.cut.map(|cut| (2 - (cut.across as usize).min(2), cut.index));
    let along = [Some((right, column)), Some((down, row)), across].into_iter().flatten();
    let of = |(number_of, index): (usize, u32)| {
        let axis = &description.axes[number_of];
        let name = description.name_of(number_of);
        axis.is_described().then(|| format!("{name} {}", with_unit(axis.at(index.into()), &axis.unit)))
    };
    along.filter_map(of).collect::<Vec<String>>().join(", ")
}

/// A number and its unit.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", number(value)) }
}
