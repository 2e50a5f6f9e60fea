//! The plane of a field with three dimensions that is shown: which dimension it cuts across, and where. All who look see the
//! same one.

use std::cell::Cell;
use std::rc::Rc;

use rankine_view_wire::{Asked, Cut, Description};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

use crate::card::Card;
use crate::dom::{add, add_text, document, on, set};
use crate::page;

/// What one chooses a plane by.
pub(crate) struct Slider {
    across: HtmlSelectElement,
    index: HtmlInputElement,
    shown: Element,
    /// The plane that is shown.
    cut: Rc<Cell<Cut>>,
}

impl Slider {
    /// A slider below a field's picture.
    pub fn new(card: &Card, name: &str, cut: Cut, description: &Description) -> Slider {
        let place = card.more("cut");
        let across: HtmlSelectElement = add(&place, "select", "");
        set(&across, "aria-label", &format!("{name}: the dimension that the plane cuts across"));
        (0..3).for_each(|_| drop(add_text(&across, "option", "", "")));
        let index: HtmlInputElement = add(&place, "input", "");
        for (attribute, value) in [("type", "range"), ("min", "0"), ("step", "1")] {
            set(&index, attribute, value);
        }
        set(&index, "aria-label", &format!("{name}: the plane that is shown"));
        let shown: Element = add(&place, "output", "");
        let slider = Slider { across, index, shown, cut: Rc::new(Cell::new(cut)) };
        slider.name(description);
        slider.show(cut);
        let (chosen, cut) = (slider.across.clone(), slider.cut.clone());
        on(&slider.across, "change", move |_: Event| {
            let across = u32::try_from(chosen.selected_index()).unwrap_or(0).min(2);
            let Cut { field, shape, .. } = cut.get();
            page::ask(Asked::Cut { field, across, index: shape[across as usize] / 2 });
        });
        let (chosen, cut, text) = (slider.index.clone(), slider.cut.clone(), slider.shown.clone());
        on(&slider.index, "input", move |_: Event| {
            let (Cut { field, across, .. }, index) = (cut.get(), chosen.value_as_number() as u32);
            text.set_text_content(Some(&index.to_string()));
            page::ask(Asked::Cut { field, across, index });
        });
        slider
    }

    /// Calls dimensions what the program does.
    pub fn name(&self, description: &Description) {
        for dimension in 0..3 {
            let axis = 2 - dimension as usize;
            let name = match description.axes[axis].is_described() {
                true => description.name_of(axis).to_owned(),
                false => format!("dimension {dimension}"),
            };
            if let Some(option) = self.across.item(dimension) {
                option.set_text_content(Some(&name));
            }
        }
    }

    /// Says which plane is shown now, unless another one is being chosen here.
    pub fn show(&self, cut: Cut) {
        self.cut.set(cut);
        let across = (cut.across as usize).min(2);
        self.across.set_selected_index(across as i32);
        set(&self.index, "max", &cut.shape[across].saturating_sub(1).to_string());
        if document().active_element().as_ref() != Some(self.index.unchecked_ref()) {
            self.index.set_value_as_number(cut.index.into());
            self.shown.set_text_content(Some(&cut.index.to_string()));
        }
    }
}
