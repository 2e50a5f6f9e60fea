//! Controls: what the program lets one change.

use rankine_view_wire::{Asked, Kind};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

use crate::dom::{add, add_text, number, on, set};
use crate::page;

/// A control on the page.
pub(crate) struct Control(Input);

enum Input {
    Number { slider: HtmlInputElement, shown: Element },
    Choice(HtmlSelectElement),
    Button,
}

impl Control {
    /// A control, at the end of the others.
    pub fn new(controls: &Element, id: u32, name: &str, kind: &Kind) -> Control {
        let place: Element = add(controls, "div", "control");
        let label = || {
            let label = add_text(&place, "label", "", name);
            set(&label, "for", &format!("control-{id}"));
            label
        };
        let input = match kind {
            Kind::Number { least, greatest, step } => {
                let shown: Element = add(&label(), "output", "");
                let slider: HtmlInputElement = add(&place, "input", "");
                let step = if *step > 0.0 { step.to_string() } else { "any".into() };
                for (name, value) in [("type", "range"), ("min", &least.to_string()), ("max", &greatest.to_string())] {
                    set(&slider, name, value);
                }
                set(&slider, "step", &step);
                let (of, text) = (slider.clone(), shown.clone());
                on(&slider, "input", move |_: Event| {
                    text.set_text_content(Some(&number(of.value_as_number())));
                    page::ask(Asked::Set { id, value: of.value_as_number() });
                });
                set(&slider, "id", &format!("control-{id}"));
                Input::Number { slider, shown }
            }
            Kind::Choice(labels) => {
                label();
                let select: HtmlSelectElement = add(&place, "select", "");
                for label in labels {
                    add_text(&select, "option", "", label);
                }
                let of = select.clone();
                on(&select, "change", move |_: Event| {
                    page::ask(Asked::Set { id, value: of.selected_index().into() });
                });
                set(&select, "id", &format!("control-{id}"));
                Input::Choice(select)
            }
            Kind::Button => {
                let button = add_text(&place, "button", "", name);
                set(&button, "type", "button");
                set(&button, "id", &format!("control-{id}"));
                on(&button, "click", move |_: Event| page::ask(Asked::Set { id, value: 1.0 }));
                Input::Button
            }
        };
        Control(input)
    }

    /// Shows the value that it has now, unless it is being moved here.
    pub fn show(&self, value: f64) {
        match &self.0 {
            Input::Number { slider, shown } => {
                let moved = crate::dom::document().active_element();
                if moved.as_ref() != Some(slider.unchecked_ref()) {
                    slider.set_value_as_number(value);
                }
                shown.set_text_content(Some(&number(value)));
            }
            Input::Choice(select) => select.set_selected_index(value as i32),
            Input::Button => {}
        }
    }
}
