//! What a field and points have alike on the page: a picture with its colours beside it, and buttons to save it.

use std::cell::OnceCell;

use rankine_view_wire::colours::{Map, SHADES};
use wasm_bindgen::Clamped;
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlElement, HtmlSelectElement, ImageData};

use crate::axes::{Axes, Span};
use crate::dom;
use crate::dom::{add, add_text, number, set, window};
use rankine_view_wire::colours::MAPS;

/// A figure's place on the page.
pub(crate) struct Card {
    card: Element,
    bar: Element,
    /// What is shown, in words.
    pub about: Element,
    pub canvas: HtmlCanvasElement,
    axes: Axes,
    /// Over the picture, for what is drawn by other means.
    over: OnceCell<HtmlCanvasElement>,
    /// What is looked at.
    pub cross: HtmlElement,
    ends: [Element; 2],
    /// The unit of the numbers at the ends.
    unit: Element,
    shades: HtmlCanvasElement,
    /// The number that is looked at.
    pub value: Element,
}

/// What one can touch there.
pub(crate) struct Tools<const N: usize> {
    pub colours: HtmlSelectElement,
    pub log: Element,
    pub saving: [Element; N],
}

/// The longest side of a picture in comparison with the other.
const LONGEST: f64 = 6.0;

impl Card {
    /// A card at the end of the figures, whose picture is of some class, with buttons that save it as these kinds of files.
    pub fn new<const N: usize>(
        figures: &Element,
        name: &str,
        class: &str,
        help: &str,
        kinds: [[&str; 2]; N],
    ) -> (Card, Tools<N>) {
        let card: Element = add(figures, "article", "card");
        let bar: Element = add(&card, "div", "bar");
        add_text(&bar, "h2", "", name);
        let about = add_text(&bar, "span", "faint", "");
        let colours: HtmlSelectElement = add(&bar, "select", "");
        set(&colours, "aria-label", "Colours");
        for map in &MAPS {
            add_text(&colours, "option", "", map.name);
        }
        let log = toggle(&bar, "log", "Logarithmic scale");
        let saving = kinds.map(|[kind, title]| {
            let button = add_text(&bar, "button", "", kind);
            set(&button, "type", "button");
            set(&button, "title", title);
            button
        });
        let plane: Element = add(&card, "div", "plane");
        let frame: Element = add(&plane, "div", "picture");
        let axes = Axes::new(&plane);
        let canvas: HtmlCanvasElement = add(&frame, "canvas", class);
        set(&canvas, "tabindex", "0");
        set(&canvas, "role", "img");
        set(&canvas, "aria-label", &format!("{name}; {help}"));
        let cross: HtmlElement = add(&frame, "div", "cross");
        cross.set_hidden(true);
        let scale: Element = add(&card, "div", "scale");
        let least = add_text(&scale, "span", "", "");
        let shades: HtmlCanvasElement = add(&scale, "canvas", "");
        set(&shades, "aria-hidden", "true");
        let greatest = add_text(&scale, "span", "", "");
        let unit = add_text(&scale, "small", "unit", "");
        let value = add_text(&card, "p", "value", "");
        set(&value, "aria-live", "polite");
        let card = Card {
            card,
            bar,
            about,
            canvas,
            axes,
            over: OnceCell::new(),
            cross,
            ends: [least, greatest],
            unit,
            shades,
            value,
        };
        (card, Tools { colours, log, saving })
    }

    /// A button above the picture that stays pressed until it is pressed again.
    pub fn toggle(&self, text: &str, title: &str) -> Element {
        toggle(&self.bar, text, title)
    }

    /// A place for more that can be touched, below the picture.
    pub fn more(&self, class: &str) -> Element {
        add(&self.card, "div", class)
    }

    /// Takes it from the page, or puts it there again.
    pub fn hide(&self, hide: bool) {
        dom::hide(&self.card, hide);
    }

    /// Gives the canvas a shape, of so many rows for each column, and the screen's pixels.
    pub fn fit(&self, ratio: f64) {
        let ratio = ratio.clamp(1.0 / LONGEST, LONGEST);
        let is_wide = ratio < 0.3;
        self.card.set_class_name(if is_wide { "card wide" } else { "card" });
        let width = f64::from(self.canvas.client_width()).max(1.0);
        let pixels = window().device_pixel_ratio();
        let size = [width, width * ratio].map(|side| (side * pixels).round().clamp(1.0, 4096.0) as u32);
        if [self.canvas.width(), self.canvas.height()] != size {
            self.canvas.set_width(size[0]);
            self.canvas.set_height(size[1]);
        }
        let _ = self.canvas.style().set_property("aspect-ratio", &format!("{} / {}", size[0], size[1]));
    }

    /// Columns and rows of the canvas.
    pub fn pixels(&self) -> [u32; 2] {
        [self.canvas.width(), self.canvas.height()]
    }

    /// A canvas over the picture.
    pub fn over(&self) -> &HtmlCanvasElement {
        self.over.get_or_init(|| {
            let over: HtmlCanvasElement =
                add(&self.canvas.parent_element().expect("it lies in a frame"), "canvas", "over");
            set(&over, "aria-hidden", "true");
            over
        })
    }

    /// The pictures, each over the one before.
    pub fn pictures(&self) -> Vec<&HtmlCanvasElement> {
        [&self.canvas].into_iter().chain(self.over.get()).collect()
    }

    /// Shows the axes that there are, to the right and down.
    pub fn show_axes(&self, [right, down]: [Option<Span>; 2]) {
        self.axes.show(right, down, [self.canvas.client_width(), self.canvas.client_height()]);
    }

    /// Writes the numbers at the ends of the colours, if there are any, and their unit.
    pub fn show_ends(&self, range: Option<[f32; 2]>, unit: &str) {
        self.unit.set_text_content(Some(unit));
        for (n, end) in self.ends.iter().enumerate() {
            end.set_text_content(range.map(|range| number(range[n].into())).as_deref());
        }
    }

    /// Draws the colours beside the picture.
    pub fn show_shades(&self, map: &Map) {
        self.shades.set_width(SHADES as u32);
        self.shades.set_height(1);
        let context = self.shades.get_context("2d").ok().flatten();
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&map.shades()), SHADES as u32, 1);
        if let (Some(context), Ok(image)) = (context, image) {
            let _ = context.unchecked_into::<CanvasRenderingContext2d>().put_image_data(&image, 0.0, 0.0);
        }
    }

    /// Puts the cross over a part of the picture: where it begins, and how large it is.
    pub fn mark(&self, [left, top]: [f64; 2], [width, height]: [f64; 2]) {
        for (name, part) in [("left", left), ("top", top), ("width", width), ("height", height)] {
            let _ = self.cross.style().set_property(name, &format!("{}%", 100.0 * part));
        }
        self.cross.set_hidden(false);
    }
}

/// A button that stays pressed until it is pressed again.
pub(crate) fn toggle(bar: &Element, text: &str, title: &str) -> Element {
    let button = add_text(bar, "button", "", text);
    set(&button, "type", "button");
    set(&button, "aria-pressed", "false");
    set(&button, "title", title);
    button
}

/// The numbers at the ends of the colours, of values whose range is known, unless the program has fixed it: never the same, and
/// above 0 on a logarithmic scale.
pub(crate) fn ends<'a>(
    range: [f32; 2],
    fixed: Option<[f64; 2]>,
    values: impl Iterator<Item = &'a f32>,
    is_logarithmic: bool,
) -> [f32; 2] {
    let fixed = fixed.map(|ends| ends.map(|end| end as f32)).filter(|[least, greatest]| {
        let is_range = least < greatest && (greatest - least).is_finite();
        is_range && (!is_logarithmic || *least > 0.0)
    });
    if let Some(fixed) = fixed {
        return fixed;
    }
    let [mut least, mut greatest] = range;
    if is_logarithmic {
        least = values.copied().filter(|value| *value > 0.0).fold(f32::INFINITY, f32::min);
    }
    if least > greatest || !least.is_finite() {
        (least, greatest) = (if is_logarithmic { 1.0 } else { 0.0 }, 1.0);
    }
    if least == greatest {
        let more = if least == 0.0 { 1.0 } else { least.abs() * 1e-3 };
        (least, greatest) = (least - more, greatest + more);
    }
    [least, greatest]
}
