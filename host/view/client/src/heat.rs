//! A field as a heat map: its numbers in colours, what the colours mean, and the number under the pointer or the keys.

use std::cell::RefCell;
use std::rc::Rc;

use rankine_view_wire::colours::MAPS;
use rankine_view_wire::{Description, Field};
use web_sys::{Element, Event, HtmlSelectElement, KeyboardEvent, PointerEvent};

use crate::arrows;
use crate::axes::{self, with_unit};
use crate::card::{Card, Tools, ends};
use crate::contours::levels;
use crate::cut::Slider;
use crate::dom::{number, on, ordinal, set, window};
use crate::gl::{Look, Picture};
use crate::{page, save};

/// A field on the page.
pub(crate) struct Heat(Rc<RefCell<State>>);

struct State {
    field: Field,
    /// What the program says of it.
    description: Rc<Description>,
    /// The field has changed since its numbers were taken over.
    is_new: bool,
    picture: Result<Picture, String>,
    map: usize,
    is_logarithmic: bool,
    has_contours: bool,
    /// The row and column that is looked at, as they are counted here.
    cursor: Option<[u32; 2]>,
    card: Card,
    /// For a field with three dimensions.
    slider: Option<Slider>,
}

/// The files that a field is saved as.
const KINDS: [[&str; 2]; 3] = [
    ["png", "Save this picture"],
    ["npy", "Save these numbers, for NumPy"],
    ["vti", "Save these numbers, for ParaView"],
];

impl Heat {
    /// A card for a field, at the end of the figures.
    pub fn new(figures: &Element, field: Field, description: Rc<Description>) -> Heat {
        let (card, tools) =
            Card::new(figures, &field.name, "field", "arrow keys read single values, c draws contours", KINDS);
        let Tools { colours, log, saving } = tools;
        let picture = Picture::new(&card.canvas);
        let slider = field.cut.map(|cut| Slider::new(&card, &field.name, cut, &description));
        let contours = card.toggle("contours", "Lines at round values (c)");
        let state = State {
            field,
            description,
            is_new: true,
            picture,
            map: 0,
            is_logarithmic: false,
            has_contours: false,
            cursor: None,
            card,
            slider,
        };
        let heat = Heat(Rc::new(RefCell::new(state)));
        heat.listen(&colours, &log, &contours);
        let [png, npy, vti] = saving;
        let state = heat.0.clone();
        on(&png, "click", move |_: Event| {
            let state = state.borrow();
            save::picture(&state.card.pictures(), &state.field.name);
        });
        let state = heat.0.clone();
        on(&npy, "click", move |_: Event| save::npy(&state.borrow().field));
        let state = heat.0.clone();
        on(&vti, "click", move |_: Event| {
            let state = state.borrow();
            save::vti(&state.field, &state.description);
        });
        heat.0.borrow().colour();
        heat
    }

    fn listen(&self, choice: &HtmlSelectElement, log: &Element, contours: &Element) {
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
        let canvas = self.0.borrow().card.canvas.clone();
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
        let (state, of) = (self.0.clone(), contours.clone());
        on(contours, "click", move |_: Event| state.borrow_mut().contour(&of));
        let (state, of) = (self.0.clone(), contours.clone());
        on(&canvas, "keydown", move |event: KeyboardEvent| {
            if event.key() == "c" && !(event.ctrl_key() || event.alt_key() || event.meta_key()) {
                return state.borrow_mut().contour(&of);
            }
            if state.borrow_mut().goes(&event.key(), event.shift_key()) {
                event.prevent_default();
            }
        });
    }

    /// A newer frame of the field.
    pub fn update(&self, field: Field) {
        let state = &mut *self.0.borrow_mut();
        if let (Some(slider), Some(cut)) = (&state.slider, field.cut) {
            slider.show(cut);
        }
        state.field = field;
        state.is_new = true;
    }

    /// The program says something else of it.
    pub fn describe(&self, description: Rc<Description>) {
        let mut state = self.0.borrow_mut();
        state.slider.iter().for_each(|slider| slider.name(&description));
        state.description = description;
    }

    /// Takes it from the page, or puts it there again.
    pub fn hide(&self, hide: bool) {
        self.0.borrow().card.hide(hide);
    }

    /// Draws it as it is now.
    pub fn draw(&self) {
        self.0.borrow_mut().draw();
    }

    /// The rows or columns that it shows at most.
    pub fn pixels(&self) -> u32 {
        let [columns, rows] = self.0.borrow().card.pixels();
        columns.max(rows)
    }
}

impl State {
    fn draw(&mut self) {
        let description = &*self.description;
        self.card.fit(axes::ratio(&self.field, description));
        self.card.show_axes(axes::spans(&self.field, description));
        let values = self.field.parts.iter().flat_map(|part| &part.values);
        let range = ends(self.field.range, description.range, values, self.is_logarithmic);
        let picture = match &mut self.picture {
            Ok(picture) => picture,
            Err(lacking) => return self.card.value.set_text_content(Some(lacking)),
        };
        if std::mem::take(&mut self.is_new) && picture.load(&self.field).is_err() {
            return self.card.value.set_text_content(Some("this field is too large for the browser"));
        }
        let levels = levels(range, self.is_logarithmic).filter(|_| self.has_contours);
        let look = Look {
            pixels: self.card.pixels(),
            range,
            is_logarithmic: self.is_logarithmic,
            levels,
            width: 1.5 * window().device_pixel_ratio().max(1.0),
        };
        picture.draw(&look);
        let Field { step, shape: [rows, columns], every, .. } = &self.field;
        let every = if *every == 1 { String::new() } else { format!(", every {}", ordinal(u64::from(*every))) };
        let longest = self.arrows().map_or(String::new(), |longest| format!(" · longest arrow {}", number(longest)));
        let lines = levels.map_or(String::new(), |levels| format!(" · {}", levels.told(&description.unit)));
        self.card.about.set_text_content(Some(&format!("step {step} · {rows} × {columns}{every}{lines}{longest}")));
        self.card.show_ends(Some(range), &description.unit);
        self.tell();
    }

    /// Draws lines over it, or does so no more.
    fn contour(&mut self, button: &Element) {
        self.has_contours = !self.has_contours;
        set(button, "aria-pressed", if self.has_contours { "true" } else { "false" });
        page::draw_soon();
    }

    /// Draws the arrows over it, and gives how long the longest vector is; without arrows there is none.
    fn arrows(&self) -> Option<f64> {
        // What was over it must go, if anything was.
        let is_over = self.field.arrows.is_some() || self.card.pictures().len() > 1;
        is_over.then(|| arrows::draw(self.card.over(), &self.field, &self.description, self.card.pixels()))?
    }

    /// Gives the picture its colours.
    fn colour(&self) {
        let map = &MAPS[self.map];
        if let Ok(picture) = &self.picture {
            let _ = picture.colour(map);
        }
        self.card.show_shades(map);
    }

    /// The cell at a place of the canvas, in the page's pixels.
    fn under(&self, [x, y]: [f64; 2]) -> Option<[u32; 2]> {
        let [rows, columns] = self.field.size();
        let cell = |place: f64, side: i32, count: u32| {
            let at = place / f64::from(side.max(1)) * f64::from(count);
            (at >= 0.0 && at < f64::from(count)).then_some(at as u32)
        };
        let canvas = &self.card.canvas;
        Some([cell(y, canvas.client_height(), rows)?, cell(x, canvas.client_width(), columns)?])
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
            self.card.cross.set_hidden(true);
            return self.card.value.set_text_content(None);
        };
        let Field { every, .. } = self.field;
        let text = match self.at([row, column]) {
            Some(value) => {
                let mut index = vec![row * every, column * every];
                if let Some(cut) = self.field.cut {
                    index.insert((cut.across as usize).min(2), cut.index);
                }
                let place = axes::place(&self.field, &self.description, [row * every, column * every]);
                let between = if place.is_empty() { "" } else { " " };
                format!("{place}{between}{index:?} = {}", with_unit(value.into(), &self.description.unit))
            }
            None => String::new(),
        };
        self.card.value.set_text_content(Some(&text));
        let [rows, columns] = self.field.size().map(f64::from);
        self.card.mark([f64::from(column) / columns, f64::from(row) / rows], [1.0 / columns, 1.0 / rows]);
    }

    fn at(&self, [row, column]: [u32; 2]) -> Option<f32> {
        self.field.parts.iter().find_map(|part| {
            let (row, column) = (row.checked_sub(part.start[0])?, column.checked_sub(part.start[1])?);
            let is_inside = row < part.count[0] && column < part.count[1];
            is_inside.then(|| part.values[row as usize * part.count[1] as usize + column as usize])
        })
    }
}
