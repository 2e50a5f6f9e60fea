//! A field as a heat map: its numbers in colours, what the colours mean, and the number under the pointer or the keys.

use std::cell::RefCell;
use std::rc::Rc;

use rankine_view_wire::Field;
use rankine_view_wire::colours::{MAPS, SHADES};
use wasm_bindgen::Clamped;
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, Element, Event, HtmlCanvasElement, HtmlElement, HtmlSelectElement};
use web_sys::{ImageData, KeyboardEvent, PointerEvent};

use crate::dom::{add, add_text, number, on, set, window};
use crate::gl::Picture;
use crate::{dom, page, save};

/// A field on the page.
pub(crate) struct Heat(Rc<RefCell<State>>);

struct State {
    field: Field,
    /// The field has changed since its numbers were taken over.
    is_new: bool,
    picture: Result<Picture, String>,
    map: usize,
    is_logarithmic: bool,
    /// The row and column that is looked at, as they are counted here.
    cursor: Option<[u32; 2]>,
    card: Element,
    canvas: HtmlCanvasElement,
    cross: HtmlElement,
    about: Element,
    ends: [Element; 2],
    shades: HtmlCanvasElement,
    value: Element,
}

/// The longest side of a picture in comparison with the other.
const LONGEST: f64 = 6.0;

impl Heat {
    /// A card for a field, at the end of the figures.
    pub fn new(figures: &Element, field: Field) -> Heat {
        let card: Element = add(figures, "article", "card");
        let bar: Element = add(&card, "div", "bar");
        add_text(&bar, "h2", "", &field.name);
        let about = add_text(&bar, "span", "faint", "");
        let choice: HtmlSelectElement = add(&bar, "select", "");
        set(&choice, "aria-label", "Colours");
        for map in &MAPS {
            add_text(&choice, "option", "", map.name);
        }
        let log = add_text(&bar, "button", "", "log");
        set(&log, "type", "button");
        set(&log, "aria-pressed", "false");
        set(&log, "title", "Logarithmic scale");
        let kinds = [
            ("png", "Save this picture"),
            ("npy", "Save these numbers, for NumPy"),
            ("vti", "Save these numbers, for ParaView"),
        ];
        let saving = kinds.map(|(kind, title)| {
            let button = add_text(&bar, "button", "", kind);
            set(&button, "type", "button");
            set(&button, "title", title);
            button
        });
        let frame: Element = add(&card, "div", "picture");
        let canvas: HtmlCanvasElement = add(&frame, "canvas", "field");
        set(&canvas, "tabindex", "0");
        set(&canvas, "role", "img");
        set(&canvas, "aria-label", &format!("{}; arrow keys read single values", field.name));
        let cross: HtmlElement = add(&frame, "div", "cross");
        cross.set_hidden(true);
        let scale: Element = add(&card, "div", "scale");
        let least = add_text(&scale, "span", "", "");
        let shades: HtmlCanvasElement = add(&scale, "canvas", "");
        set(&shades, "aria-hidden", "true");
        let greatest = add_text(&scale, "span", "", "");
        let value = add_text(&card, "p", "value", "");
        set(&value, "aria-live", "polite");
        let picture = Picture::new(&canvas);
        let state = State {
            field,
            is_new: true,
            picture,
            map: 0,
            is_logarithmic: false,
            cursor: None,
            card,
            canvas,
            cross,
            about,
            ends: [least, greatest],
            shades,
            value,
        };
        let heat = Heat(Rc::new(RefCell::new(state)));
        heat.listen(&choice, &log);
        let [png, npy, vti] = saving;
        let state = heat.0.clone();
        on(&png, "click", move |_: Event| save::picture(&state.borrow().canvas, &state.borrow().field.name));
        let state = heat.0.clone();
        on(&npy, "click", move |_: Event| save::npy(&state.borrow().field));
        let state = heat.0.clone();
        on(&vti, "click", move |_: Event| save::vti(&state.borrow().field));
        heat.0.borrow().colour();
        heat
    }

    fn listen(&self, choice: &HtmlSelectElement, log: &Element) {
        let (state, of) = (self.0.clone(), choice.clone());
        on(choice, "change", move |_: Event| {
            let mut state = state.borrow_mut();
            state.map = usize::try_from(of.selected_index()).unwrap_or(0).min(MAPS.len() - 1);
            state.colour();
            page::draw_soon();
        });
        let (state, of) = (self.0.clone(), log.clone());
        on(log, "click", move |_: Event| {
            let mut state = state.borrow_mut();
            state.is_logarithmic = !state.is_logarithmic;
            set(&of, "aria-pressed", if state.is_logarithmic { "true" } else { "false" });
            page::draw_soon();
        });
        let canvas = self.0.borrow().canvas.clone();
        let state = self.0.clone();
        on(&canvas, "pointermove", move |event: PointerEvent| {
            let mut state = state.borrow_mut();
            state.cursor = state.under([event.offset_x().into(), event.offset_y().into()]);
            state.tell();
        });
        let state = self.0.clone();
        on(&canvas, "pointerleave", move |_: PointerEvent| {
            let mut state = state.borrow_mut();
            state.cursor = None;
            state.tell();
        });
        let state = self.0.clone();
        on(&canvas, "keydown", move |event: KeyboardEvent| {
            if state.borrow_mut().goes(&event.key(), event.shift_key()) {
                event.prevent_default();
            }
        });
    }

    /// A newer frame of the field.
    pub fn update(&self, field: Field) {
        let state = &mut *self.0.borrow_mut();
        state.field = field;
        state.is_new = true;
    }

    /// Takes it from the page, or puts it there again.
    pub fn hide(&self, hide: bool) {
        dom::hide(&self.0.borrow().card, hide);
    }

    /// Draws it as it is now.
    pub fn draw(&self) {
        self.0.borrow_mut().draw();
    }

    /// The rows or columns that it shows at most.
    pub fn pixels(&self) -> u32 {
        let state = self.0.borrow();
        state.canvas.width().max(state.canvas.height())
    }
}

impl State {
    fn draw(&mut self) {
        self.fit();
        let range = self.range();
        let picture = match &mut self.picture {
            Ok(picture) => picture,
            Err(lacking) => return self.value.set_text_content(Some(lacking)),
        };
        if std::mem::take(&mut self.is_new) && picture.load(&self.field).is_err() {
            return self.value.set_text_content(Some("this field is too large for the browser"));
        }
        picture.draw([self.canvas.width(), self.canvas.height()], range, self.is_logarithmic);
        let Field { step, shape: [rows, columns], every, .. } = &self.field;
        let every = if *every == 1 { String::new() } else { format!(", every {every}th") };
        self.about.set_text_content(Some(&format!("step {step} · {rows} × {columns}{every}")));
        for (end, value) in self.ends.iter().zip(range) {
            end.set_text_content(Some(&number(value.into())));
        }
        self.tell();
    }

    /// Gives the canvas the field's shape and the screen's pixels.
    fn fit(&mut self) {
        let [rows, columns] = self.field.shape.map(f64::from);
        let ratio = (rows / columns).clamp(1.0 / LONGEST, LONGEST);
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

    /// The numbers at the ends of the colours: never the same, and above 0 on a logarithmic scale.
    fn range(&self) -> [f32; 2] {
        let [mut least, mut greatest] = self.field.range;
        if self.is_logarithmic {
            let values = self.field.parts.iter().flat_map(|part| &part.values);
            least = values.copied().filter(|value| *value > 0.0).fold(f32::INFINITY, f32::min);
        }
        if least > greatest || !least.is_finite() {
            (least, greatest) = (if self.is_logarithmic { 1.0 } else { 0.0 }, 1.0);
        }
        if least == greatest {
            let more = if least == 0.0 { 1.0 } else { least.abs() * 1e-3 };
            (least, greatest) = (least - more, greatest + more);
        }
        [least, greatest]
    }

    /// Draws the colour bar and gives the picture its colours.
    fn colour(&self) {
        let map = &MAPS[self.map];
        if let Ok(picture) = &self.picture {
            let _ = picture.colour(map);
        }
        self.shades.set_width(SHADES as u32);
        self.shades.set_height(1);
        let context = self.shades.get_context("2d").ok().flatten();
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&map.shades()), SHADES as u32, 1);
        if let (Some(context), Ok(image)) = (context, image) {
            let _ = context.unchecked_into::<CanvasRenderingContext2d>().put_image_data(&image, 0.0, 0.0);
        }
    }

    /// The cell at a place of the canvas, in the page's pixels.
    fn under(&self, [x, y]: [f64; 2]) -> Option<[u32; 2]> {
        let [rows, columns] = self.field.size();
        let cell = |place: f64, side: i32, count: u32| {
            let at = place / f64::from(side.max(1)) * f64::from(count);
            (at >= 0.0 && at < f64::from(count)).then_some(at as u32)
        };
        Some([cell(y, self.canvas.client_height(), rows)?, cell(x, self.canvas.client_width(), columns)?])
    }

    /// Moves the cursor by a key; says whether it was one for that.
    fn goes(&mut self, key: &str, far: bool) -> bool {
        let [rows, columns] = self.field.size();
        let by = if far { 10 } else { 1 };
        let [row, column] = self.cursor.unwrap_or([rows / 2, columns / 2]);
        self.cursor = Some(match key {
            "ArrowUp" => [row.saturating_sub(by), column],
            "ArrowDown" => [(row + by).min(rows - 1), column],
            "ArrowLeft" => [row, column.saturating_sub(by)],
            "ArrowRight" => [row, (column + by).min(columns - 1)],
            "Escape" => {
                self.cursor = None;
                self.tell();
                return true;
            }
            _ => return false,
        });
        self.tell();
        true
    }

    /// Says which number is looked at.
    fn tell(&self) {
        let Some([row, column]) = self.cursor else {
            self.cross.set_hidden(true);
            return self.value.set_text_content(None);
        };
        let Field { every, .. } = self.field;
        let text = match self.at([row, column]) {
            Some(value) => format!("[{}, {}] = {}", row * every, column * every, number(value.into())),
            None => String::new(),
        };
        self.value.set_text_content(Some(&text));
        let [rows, columns] = self.field.size().map(f64::from);
        for (name, part) in [
            ("left", f64::from(column) / columns),
            ("top", f64::from(row) / rows),
            ("width", 1.0 / columns),
            ("height", 1.0 / rows),
        ] {
            let _ = self.cross.style().set_property(name, &format!("{}%", 100.0 * part));
        }
        self.cross.set_hidden(false);
    }

    fn at(&self, [row, column]: [u32; 2]) -> Option<f32> {
        self.field.parts.iter().find_map(|part| {
            let (row, column) = (row.checked_sub(part.start[0])?, column.checked_sub(part.start[1])?);
            let is_inside = row < part.count[0] && column < part.count[1];
            is_inside.then(|| part.values[row as usize * part.count[1] as usize + column as usize])
        })
    }
}
