//! A curve: a line through its points, with axes; all of it, or a stretch that one has chosen.

use std::cell::RefCell;
use std::rc::Rc;

use rankine_view_wire::Description;
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, Event, HtmlCanvasElement, KeyboardEvent, PointerEvent, WheelEvent};

use crate::axes::with_unit;
use crate::card::toggle;
use crate::dom::{add, add_text, number, on, set, window};
use crate::page;
use crate::ticks::ticks;

/// A curve on the page.
pub(crate) struct Plot(Rc<RefCell<State>>);

struct State {
    points: Vec<[f64; 2]>,
    /// What the program says of it.
    description: Rc<Description>,
    is_logarithmic: bool,
    /// The stretch that is shown, if it is not all.
    stretch: Option<[f64; 2]>,
    /// Where the pointer was pressed.
    pressed: Option<f64>,
    canvas: HtmlCanvasElement,
    last: Element,
}

/// Space around the line, in the page's pixels.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 8.0;
const BELOW: f64 = 22.0;
const ABOVE: f64 = 8.0;
/// Height of the whole.
const HEIGHT: f64 = 200.0;

/// What is left of a stretch when one comes nearer.
const NEARER: f64 = 0.8;
/// The least that a pointer is dragged to choose a stretch, in the page's pixels.
const DRAGGED: f64 = 5.0;

impl Plot {
    /// A card for a curve, at the end of the figures.
    pub fn new(figures: &Element, name: &str, description: Rc<Description>) -> Plot {
        let card: Element = add(figures, "article", "card plot");
        let bar: Element = add(&card, "div", "bar");
        add_text(&bar, "h2", "", name);
        let last = add_text(&bar, "span", "faint", "");
        let log = toggle(&bar, "log", "Logarithmic scale");
        let canvas: HtmlCanvasElement = add(&card, "canvas", "curve");
        set(&canvas, "role", "img");
        set(&canvas, "tabindex", "0");
        let state = State {
            points: Vec::new(),
            description,
            is_logarithmic: false,
            stretch: None,
            pressed: None,
            canvas: canvas.clone(),
            last,
        };
        state.name(name);
        let plot = Plot(Rc::new(RefCell::new(state)));
        plot.listen(&canvas);
        let (state, of) = (plot.0.clone(), log.clone());
        on(&log, "click", move |_: Event| {
            let mut state = state.borrow_mut();
            state.is_logarithmic = !state.is_logarithmic;
            set(&of, "aria-pressed", if state.is_logarithmic { "true" } else { "false" });
            page::draw_soon();
        });
        plot
    }

    /// Listens to what chooses a stretch: the wheel, the pointer from one place to another, keys.
    fn listen(&self, canvas: &HtmlCanvasElement) {
        let state = self.0.clone();
        on(canvas, "wheel", move |event: WheelEvent| {
            event.prevent_default();
            let by = if event.delta_y() < 0.0 { NEARER } else { 1.0 / NEARER };
            state.borrow_mut().zoom(event.offset_x().into(), by);
            page::draw_soon();
        });
        let state = self.0.clone();
        on(canvas, "pointerdown", move |event: PointerEvent| {
            state.borrow_mut().pressed = Some(event.offset_x().into());
        });
        let state = self.0.clone();
        on(canvas, "pointerup", move |event: PointerEvent| {
            state.borrow_mut().release(event.offset_x().into());
            page::draw_soon();
        });
        let state = self.0.clone();
        on(canvas, "dblclick", move |_: Event| {
            state.borrow_mut().stretch = None;
            page::draw_soon();
        });
        let state = self.0.clone();
        on(canvas, "keydown", move |event: KeyboardEvent| {
            if state.borrow_mut().goes(&event.key()) {
                event.prevent_default();
                page::draw_soon();
            }
        });
    }

    /// The program says something else of it.
    pub fn describe(&self, description: Rc<Description>) {
        let mut state = self.0.borrow_mut();
        state.description = description;
        state.name(&state.description.name);
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
            let stretch =
                state.stretch.map_or(String::new(), |[from, to]| format!(" · {} … {}", number(from), number(to)));
            let place = with_unit(*x, &state.description.axes[0].unit);
            let value = with_unit(*y, state.unit());
            state.last.set_text_content(Some(&format!("{value} at {place}{stretch}")));
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

impl State {
    /// The unit of y.
    fn unit(&self) -> &str {
        let unit = &self.description.axes[1].unit;
        if unit.is_empty() { &self.description.unit } else { unit }
    }

    /// What the axes are called, of those that the program has described.
    fn titles(&self) -> [Option<String>; 2] {
        let unit = &self.description.unit;
        [0, 1].map(|axis| match &self.description.axes[axis] {
            described if described.is_described() => Some(self.description.title(axis)),
            _ if axis == 1 && !unit.is_empty() => Some(unit.clone()),
            _ => None,
        })
    }

    /// What it is, for those who can't see it.
    fn name(&self, name: &str) {
        let titles = self.titles().into_iter().flatten().collect::<Vec<String>>().join(", ");
        let of = if titles.is_empty() { String::new() } else { format!(" ({titles})") };
        set(&self.canvas, "aria-label", &format!("{name}{of}; plus and minus zoom, arrow keys move, escape shows all"));
    }

    /// What y may be, if the program has fixed that and the scale has it.
    fn fixed(&self) -> Option<[f64; 2]> {
        self.description.range.filter(|[least, _]| !self.is_logarithmic || *least > 0.0)
    }

    /// The width of the whole.
    fn width(&self) -> f64 {
        f64::from(self.canvas.client_width()).max(2.0 * LEFT)
    }

    /// What is shown from left to right.
    fn shown(&self) -> [f64; 2] {
        self.stretch.unwrap_or_else(|| bounds(self.points.iter().map(|p| p[0])))
    }

    /// The x at a place of the canvas, in the page's pixels.
    fn under(&self, place: f64) -> f64 {
        let [from, to] = self.shown();
        let part = (place - LEFT) / (self.width() - LEFT - RIGHT);
        from + part.clamp(0.0, 1.0) * (to - from)
    }

    /// Shows a stretch, if it is one that numbers can tell from a point.
    fn choose(&mut self, [from, to]: [f64; 2]) {
        let is_wide = to - from > 1e-12 * from.abs().max(to.abs()).max(f64::MIN_POSITIVE);
        if is_wide && (to - from).is_finite() {
            self.stretch = Some([from, to]);
        }
    }

    /// Comes nearer, or goes farther away; what is at a place stays there.
    fn zoom(&mut self, place: f64, by: f64) {
        let ([from, to], here) = (self.shown(), self.under(place));
        self.choose([here + (from - here) * by, here + (to - here) * by]);
    }

    /// The pointer is released: what it has gone over is the stretch.
    fn release(&mut self, place: f64) {
        if let Some(pressed) = self.pressed.take().filter(|pressed| (pressed - place).abs() >= DRAGGED) {
            let ends = [self.under(pressed), self.under(place)];
            self.choose([ends[0].min(ends[1]), ends[0].max(ends[1])]);
        }
    }

    /// Does what a key means; says whether it means something.
    fn goes(&mut self, key: &str) -> bool {
        let ([from, to], middle) = (self.shown(), (LEFT + self.width() - RIGHT) / 2.0);
        let by = (to - from) / 10.0;
        match key {
            "+" | "=" => self.zoom(middle, NEARER),
            "-" => self.zoom(middle, 1.0 / NEARER),
            "ArrowLeft" => self.choose([from - by, to - by]),
            "ArrowRight" => self.choose([from + by, to + by]),
            "Escape" => self.stretch = None,
            _ => return false,
        }
        true
    }

    fn draw(&self) -> Option<()> {
        let pixels = window().device_pixel_ratio();
        let width = self.width();
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
        let xs = self.shown();
        let is_shown = |x: f64| xs[0] <= x && x <= xs[1];
        let ys = match self.fixed() {
            Some(fixed) => fixed.map(scaled),
            None => bounds(self.points.iter().filter(|p| is_shown(p[0])).map(|p| scaled(p[1]))),
        };
        let x_of = |x: f64| LEFT + (x - xs[0]) / (xs[1] - xs[0]) * (width - LEFT - RIGHT);
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
            context.line_to(width - RIGHT, y);
            let label = if self.is_logarithmic { format!("{:.1e}", 10f64.powf(tick)) } else { number(tick) };
            context.fill_text(&label, LEFT - 8.0, y + 4.0).ok()?;
        }
        context.set_text_align("center");
        for tick in ticks(xs, (width - LEFT) / 120.0) {
            context.fill_text(&number(tick), x_of(tick).clamp(LEFT, width - 24.0), HEIGHT - 5.0).ok()?;
        }
        context.stroke();
        let [x, y] = self.titles();
        context.set_text_align("right");
        context.fill_text(&x.unwrap_or_default(), width - RIGHT - 4.0, HEIGHT - BELOW - 6.0).ok()?;
        context.set_text_align("left");
        context.fill_text(&y.unwrap_or_default(), LEFT + 6.0, ABOVE + 10.0).ok()?;
        context.set_stroke_style_str(if accent.is_empty() || accent == "auto" { &faint } else { &accent });
        context.set_line_width(1.5);
        // Of a line that comes from elsewhere, what is here.
        context.save();
        context.begin_path();
        context.rect(LEFT, 0.0, width - LEFT - RIGHT, HEIGHT - BELOW + 1.0);
        context.clip();
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
        context.restore();
        Some(())
    }
}
