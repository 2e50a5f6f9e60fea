//! A curve: a line through its points, with axes.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, Event, HtmlCanvasElement};

use crate::dom::{add, add_text, number, on, set, window};
use crate::page;

/// A curve on the page.
pub(crate) struct Plot(Rc<RefCell<State>>);

struct State {
    points: Vec<[f64; 2]>,
    is_logarithmic: bool,
    canvas: HtmlCanvasElement,
    last: Element,
}

/// Space around the line, in the page's pixels.
const LEFT: f64 = 64.0;
const BELOW: f64 = 22.0;
const ABOVE: f64 = 8.0;
/// Height of the whole.
const HEIGHT: f64 = 200.0;

impl Plot {
    /// A card for a curve, at the end of the figures.
    pub fn new(figures: &Element, name: &str) -> Plot {
        let card: Element = add(figures, "article", "card plot");
        let bar: Element = add(&card, "div", "bar");
        add_text(&bar, "h2", "", name);
        let last = add_text(&bar, "span", "faint", "");
        let log = add_text(&bar, "button", "", "log");
        set(&log, "type", "button");
        set(&log, "aria-pressed", "false");
        set(&log, "title", "Logarithmic scale");
        let canvas: HtmlCanvasElement = add(&card, "canvas", "curve");
        set(&canvas, "role", "img");
        set(&canvas, "aria-label", name);
        let plot = Plot(Rc::new(RefCell::new(State { points: Vec::new(), is_logarithmic: false, canvas, last })));
        let (state, of) = (plot.0.clone(), log.clone());
        on(&log, "click", move |_: Event| {
            let mut state = state.borrow_mut();
            state.is_logarithmic = !state.is_logarithmic;
            set(&of, "aria-pressed", if state.is_logarithmic { "true" } else { "false" });
            page::draw_soon();
        });
        plot
    }

    /// Points from this index on.
    pub fn extend(&self, from: u32, points: Vec<[f64; 2]>) {
        let state = &mut *self.0.borrow_mut();
        state.points.truncate(from as usize);
        state.points.extend(points);
    }

    /// Draws it as it is now.
    pub fn draw(&self) {
        let state = self.0.borrow();
        let _ = state.draw();
        if let Some([x, y]) = state.points.last() {
            state.last.set_text_content(Some(&format!("{} at {}", number(*y), number(*x))));
        }
    }
}

/// The least and the greatest of numbers, never the same.
fn bounds(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [least, greatest] = values
        .filter(|value| value.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], value| [least.min(value), greatest.max(value)]);
    if least > greatest {
        [0.0, 1.0]
    } else if least == greatest {
        [least - 0.5, greatest + 0.5]
    } else {
        [least, greatest]
    }
}

/// Round numbers within bounds, about `count` of them.
fn ticks([least, greatest]: [f64; 2], count: f64) -> impl Iterator<Item = f64> {
    let rough = (greatest - least) / count;
    let size = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * size).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * size);
    let first = (least / step).ceil();
    (0..20).map(move |n| (first + f64::from(n)) * step).take_while(move |tick| *tick <= greatest + step * 1e-9)
}

impl State {
    fn draw(&self) -> Option<()> {
        let pixels = window().device_pixel_ratio();
        let width = f64::from(self.canvas.client_width()).max(2.0 * LEFT);
        let size = [width, HEIGHT].map(|side| (side * pixels).round() as u32);
        if [self.canvas.width(), self.canvas.height()] != size {
            self.canvas.set_width(size[0]);
            self.canvas.set_height(size[1]);
            let _ = self.canvas.style().set_property("aspect-ratio", &format!("{} / {}", size[0], size[1]));
        }
        let context: CanvasRenderingContext2d = self.canvas.get_context("2d").ok()??.unchecked_into();
        context.set_transform(pixels, 0.0, 0.0, pixels, 0.0, 0.0).ok()?;
        context.clear_rect(0.0, 0.0, width, HEIGHT);
        let scaled = |y: f64| if self.is_logarithmic { y.log10() } else { y };
        let (xs, ys) = (bounds(self.points.iter().map(|p| p[0])), bounds(self.points.iter().map(|p| scaled(p[1]))));
        let x_of = |x: f64| LEFT + (x - xs[0]) / (xs[1] - xs[0]) * (width - LEFT - 8.0);
        let y_of = |y: f64| HEIGHT - BELOW - (y - ys[0]) / (ys[1] - ys[0]) * (HEIGHT - BELOW - ABOVE);
        let style = window().get_computed_style(&self.canvas).ok()??;
        let colour = |name: &str| style.get_property_value(name).unwrap_or_default();
        let (line, faint, accent) = (colour("border-top-color"), colour("color"), colour("accent-color"));
        context.set_font("12px system-ui, sans-serif");
        context.set_fill_style_str(&faint);
        context.set_stroke_style_str(&line);
        context.begin_path();
        context.set_text_align("right");
        for tick in ticks(ys, 4.0) {
            let y = y_of(tick).round() + 0.5;
            context.move_to(LEFT, y);
            context.line_to(width - 8.0, y);
            let label = if self.is_logarithmic { format!("{:.1e}", 10f64.powf(tick)) } else { number(tick) };
            context.fill_text(&label, LEFT - 8.0, y + 4.0).ok()?;
        }
        context.set_text_align("center");
        for tick in ticks(xs, (width - LEFT) / 120.0) {
            context.fill_text(&number(tick), x_of(tick).clamp(LEFT, width - 24.0), HEIGHT - 5.0).ok()?;
        }
        context.stroke();
        context.set_stroke_style_str(if accent.is_empty() || accent == "auto" { &faint } else { &accent });
        context.set_line_width(1.5);
        context.begin_path();
        let mut is_down = false;
        for [x, y] in &self.points {
            let (x, y) = (x_of(*x), y_of(scaled(*y)));
            if !(x.is_finite() && y.is_finite()) {
                is_down = false;
            } else if std::mem::replace(&mut is_down, true) {
                context.line_to(x, y);
            } else {
                context.move_to(x, y);
            }
        }
        context.stroke();
        Some(())
    }
}
