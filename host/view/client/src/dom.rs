//! A browser's elements, with fewer words.

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::convert::FromWasmAbi;
use web_sys::{Document, Element, EventTarget, Window};

pub(crate) fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

pub(crate) fn document() -> Document {
    window().document().expect("a window has a document")
}

/// An element of index.html.
pub(crate) fn find(id: &str) -> Element {
    document().get_element_by_id(id).expect("index.html has it")
}

/// A new element of this class, at the end of another.
pub(crate) fn add<T: wasm_bindgen::JsCast>(parent: &Element, tag: &str, class: &str) -> T {
    let element = document().create_element(tag).expect("the name is one of HTML's");
    if !class.is_empty() {
        element.set_class_name(class);
    }
    let _ = parent.append_child(&element);
    element.unchecked_into()
}

/// Adds an element with a text in it.
pub(crate) fn add_text(parent: &Element, tag: &str, class: &str, text: &str) -> Element {
    let element: Element = add(parent, tag, class);
    element.set_text_content(Some(text));
    element
}

pub(crate) fn set(element: &Element, attribute: &str, value: &str) {
    let _ = element.set_attribute(attribute, value);
}

pub(crate) fn hide(element: &Element, hide: bool) {
    let _ = if hide { element.set_attribute("hidden", "") } else { element.remove_attribute("hidden") };
}

/// Calls `then` at each event of this kind, as long as the page is there.
pub(crate) fn on<E: FromWasmAbi + 'static>(target: &EventTarget, kind: &str, then: impl FnMut(E) + 'static) {
    let closure = Closure::<dyn FnMut(E)>::new(then);
    let _ = target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref());
    closure.forget();
}

/// `2nd`, `3rd`, `11th`.
pub(crate) fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (1, ..=10 | 12..) => "st",
        (2, ..=11 | 13..) => "nd",
        (3, ..=12 | 14..) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A number with as many digits as are worth reading.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if (1e-3..1e6).contains(&size) {
        let text = format!("{value:.*}", (5 - size.log10().floor() as i32).max(0) as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.4e}")
    }
}
