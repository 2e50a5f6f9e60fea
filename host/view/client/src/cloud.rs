//! Points as they lie on a plane, or in a box that can be turned; and the one under the pointer or the keys.

use std::cell::RefCell;
use std::rc::Rc;

use rankine_view_wire::colours::MAPS;
use rankine_view_wire::{Description, Points};
use web_sys::{Element, Event, HtmlSelectElement, KeyboardEvent, PointerEvent};

use crate::axes::{Span, with_unit};
use crate::card::{Card, Tools, ends};
use crate::dom::{number, on, ordinal, set, window};
use crate::dots::{Dots, Drawing, Pose};
use crate::{page, save};

/// Points on the page.
pub(crate) struct Cloud(Rc<RefCell<State>>);

struct State {
    points: Points,
    /// What the program says of them.
    description: Rc<Description>,
    /// Coordinates and values.
    columns: Vec<Vec<f32>>,
    /// They have changed since the graphics card took them over.
    is_new: bool,
    dots: Result<Dots, String>,
    map: usize,
    is_logarithmic: bool,
    /// How a box is turned: around its third axis, and towards who looks.
    angles: [f32; 2],
    /// The point that is looked at.
    chosen: Option<usize>,
    /// Where the pointer has turned the box last.
    dragged: Option<[f32; 2]>,
    card: Card,
}

/// The files that points are saved as.
const KINDS: [[&str; 2]; 3] =
    [["png", "Save this picture"], ["npy", "Save these points, for NumPy"], ["vtp", "Save these points, for ParaView"]];

/// How much of a picture is used: points at the edge are seen whole.
const USED: f32 = 0.96;
/// How a box is turned at first.
const ANGLES: [f32; 2] = [-0.6, 0.45];
/// What a key turns it by.
const TURN: f32 = 0.1;
/// What a pixel of the pointer does.
const DRAG: f32 = 0.01;
/// A point is under the pointer within so many pixels of the page.
const NEAR: f32 = 12.0;

impl Cloud {
    /// A card for points, at the end of the figures.
    pub fn new(figures: &Element, points: Points, description: Rc<Description>) -> Cloud {
        let help = match points.dimensions {
            3 => "arrow keys turn the box, page up and page down read single points",
            _ => "arrow keys read single points",
        };
        let (card, tools) = Card::new(figures, &points.name, "points", help, KINDS);
        let Tools { colours, log, saving } = tools;
        let dots = Dots::new(&card.canvas);
        let columns = points.columns();
        let state = State {
            points,
            description,
            columns,
            is_new: true,
            dots,
            map: 0,
            is_logarithmic: false,
            angles: ANGLES,
            chosen: None,
            dragged: None,
            card,
        };
        let cloud = Cloud(Rc::new(RefCell::new(state)));
        cloud.listen(&colours, &log);
        cloud.point();
        let [png, npy, vtp] = saving;
        let state = cloud.0.clone();
        on(&png, "click", move |_: Event| {
            let state = state.borrow();
            save::picture(&state.card.pictures(), &state.points.name);
        });
        let state = cloud.0.clone();
        on(&npy, "click", move |_: Event| save::npy_of_points(&state.borrow().points));
        let state = cloud.0.clone();
        on(&vtp, "click", move |_: Event| {
            let state = state.borrow();
            save::vtp(&state.points, &state.description);
        });
        cloud.0.borrow().colour();
        cloud
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
        let canvas = self.0.borrow().card.canvas.clone();
        let state = self.0.clone();
        on(&canvas, "keydown", move |event: KeyboardEvent| {
            if state.borrow_mut().goes(&event.key()) {
                event.prevent_default();
                page::draw_soon();
            }
        });
    }

    /// Listens to the pointer, which turns what it holds and otherwise looks at single points.
    fn point(&self) {
        let canvas = self.0.borrow().card.canvas.clone();
        let place = |event: &PointerEvent| [event.offset_x() as f32, event.offset_y() as f32];
        let state = self.0.clone();
        on(&canvas, "pointermove", move |event: PointerEvent| {
            let mut state = state.borrow_mut();
            let at = place(&event);
            match state.dragged.filter(|_| event.buttons() & 1 != 0 && state.points.dimensions == 3) {
                Some(before) => {
                    state.turn([(at[0] - before[0]) * DRAG, (at[1] - before[1]) * DRAG]);
                    state.dragged = Some(at);
                    page::draw_soon();
                }
                None => {
                    state.chosen = state.under(at);
                    state.tell();
                }
            }
        });
        let state = self.0.clone();
        on(&canvas, "pointerdown", move |event: PointerEvent| state.borrow_mut().dragged = Some(place(&event)));
        for over in ["pointerup", "pointerleave", "pointercancel"] {
            let state = self.0.clone();
            on(&canvas, over, move |_: PointerEvent| {
                let mut state = state.borrow_mut();
                (state.dragged, state.chosen) = (None, None);
                state.tell();
            });
        }
    }

    /// A newer frame of the points.
    pub fn update(&self, points: Points) {
        let state = &mut *self.0.borrow_mut();
        state.columns = points.columns();
        state.points = points;
        state.is_new = true;
    }

    /// The program says something else of them.
    pub fn describe(&self, description: Rc<Description>) {
        self.0.borrow_mut().description = description;
    }

    /// Takes them from the page, or puts them there again.
    pub fn hide(&self, hide: bool) {
        self.0.borrow().card.hide(hide);
    }

    /// Draws them as they are now.
    pub fn draw(&self) {
        self.0.borrow_mut().draw();
    }

    /// The longer side of the picture.
    pub fn pixels(&self) -> u32 {
        let [columns, rows] = self.0.borrow().card.pixels();
        columns.max(rows)
    }
}

impl State {
    fn draw(&mut self) {
        let bounds = self.bounds();
        let side = |n: usize| f64::from(bounds[n][1] - bounds[n][0]);
        self.card.fit(if self.points.dimensions == 3 { 1.0 } else { side(1) / side(0) });
        self.card.show_axes(self.spans());
        let (pose, range) = (self.pose(), self.range());
        let dots = match &mut self.dots {
            Ok(dots) => dots,
            Err(lacking) => return self.card.value.set_text_content(Some(lacking)),
        };
        let dimensions = self.points.dimensions as usize;
        if std::mem::take(&mut self.is_new) {
            dots.load(&self.columns[..dimensions], self.columns.get(dimensions).map(Vec::as_slice));
            dots.load_box(bounds);
        }
        let pixels = self.card.pixels();
        let each = f64::from(pixels[0]) * f64::from(pixels[1]) / self.points.count().max(1) as f64;
        let size = (0.35 * each.sqrt()).clamp(2.0, 9.0) * window().device_pixel_ratio();
        dots.draw(&Drawing {
            pose,
            pixels,
            size: size as f32,
            range,
            is_logarithmic: self.is_logarithmic,
            has_edges: dimensions == 3,
        });
        let Points { step, total, every, .. } = &self.points;
        let every = if *every == 1 { String::new() } else { format!(", every {}", ordinal(u64::from(*every))) };
        let what = if *total == 1 { "point" } else { "points" };
        let axes = (0..dimensions).map(|n| (self.description.title(n), bounds[n]));
        let axes = axes
            .map(|(axis, [least, greatest])| format!("{axis} {} … {}", number(least.into()), number(greatest.into())));
        let axes = axes.collect::<Vec<String>>().join(", ");
        self.card.about.set_text_content(Some(&format!("step {step} · {total} {what}{every} · {axes}")));
        self.card.show_ends(range, &self.description.unit);
        self.tell();
    }

    /// The axes of a plane that the program has described: points at the edge are seen whole.
    fn spans(&self) -> [Option<Span>; 2] {
        let bounds = self.bounds().map(|ends| ends.map(f64::from));
        [0, 1].map(|axis| {
            let [least, greatest] = bounds[axis];
            let margin = (greatest - least) * (1.0 / f64::from(USED) - 1.0) / 2.0;
            let mut edges = [least - margin, greatest + margin];
            // The second axis goes upwards.
            if axis == 1 {
                edges.reverse();
            }
            let is_shown = self.points.dimensions == 2 && self.description.axes[axis].is_described();
            is_shown.then(|| Span { title: self.description.title(axis), edges })
        })
    }

    /// Gives the points their colours.
    fn colour(&self) {
        let map = &MAPS[self.map];
        if let Ok(dots) = &self.dots {
            let _ = dots.colour(map);
        }
        self.card.show_shades(map);
    }

    /// What is shown of each coordinate: never nothing.
    fn bounds(&self) -> [[f32; 2]; 3] {
        self.points.bounds.map(|[least, greatest]| {
            if !(least <= greatest && (greatest - least).is_finite()) {
                [-1.0, 1.0]
            } else if least == greatest {
                let more = if least == 0.0 { 1.0 } else { least.abs() * 0.1 };
                [least - more, greatest + more]
            } else {
                [least, greatest]
            }
        })
    }

    /// The numbers at the ends of the colours, if points have values.
    fn range(&self) -> Option<[f32; 2]> {
        let values = self.columns.get(self.points.dimensions as usize)?;
        Some(ends(self.points.range, self.description.range, values.iter(), self.is_logarithmic))
    }

    /// A plane is as large as the picture; a box keeps its shape, and fits in however it is turned.
    fn pose(&self) -> Pose {
        let bounds = self.bounds();
        let middle = bounds.map(|[least, greatest]| least + (greatest - least) / 2.0);
        let sides = bounds.map(|[least, greatest]| greatest - least);
        if self.points.dimensions != 3 {
            let turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            return Pose { middle: [middle[0], middle[1], 0.0], scale: sides.map(|side| 2.0 * USED / side), turn };
        }
        let diagonal = sides.iter().map(|side| side * side).sum::<f32>().sqrt();
        let [around, towards] = self.angles;
        let ((sa, ca), (st, ct)) = (around.sin_cos(), towards.sin_cos());
        // The third axis is upright.
        let turn = [[ca, -sa, 0.0], [sa * st, ca * st, ct], [-sa * ct, -ca * ct, st]];
        Pose { middle, scale: [2.0 * USED / diagonal; 3], turn }
    }

    fn turn(&mut self, [around, towards]: [f32; 2]) {
        let upright = std::f32::consts::FRAC_PI_2;
        let [before, tilt] = self.angles;
        self.angles = [(before + around) % std::f32::consts::TAU, (tilt + towards).clamp(-upright, upright)];
    }

    fn count(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The coordinates of a point.
    fn at(&self, n: usize) -> [f32; 3] {
        let of = |d: usize| self.columns[..self.points.dimensions as usize].get(d).map_or(0.0, |column| column[n]);
        [of(0), of(1), of(2)]
    }

    /// Where a point is in the picture: a part of its width and height, from its upper left, and how near it is.
    fn place(&self, pose: &Pose, n: usize) -> [f32; 3] {
        let [x, y, z] = pose.place(self.at(n));
        [(1.0 + x) / 2.0, (1.0 - y) / 2.0, z]
    }

    /// The point at a place of the canvas, in the page's pixels.
    fn under(&self, at: [f32; 2]) -> Option<usize> {
        let canvas = &self.card.canvas;
        let (sides, pose) = ([canvas.client_width() as f32, canvas.client_height() as f32], self.pose());
        let far = |n: usize| {
            let place = self.place(&pose, n);
            (place[0] * sides[0] - at[0]).hypot(place[1] * sides[1] - at[1])
        };
        let all = (0..self.count()).map(|n| (n, far(n))).filter(|(_, far)| *far <= NEAR);
        all.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(n, _)| n)
    }

    /// Does what a key means; says whether it means something.
    fn goes(&mut self, key: &str) -> bool {
        let is_box = self.points.dimensions == 3;
        match key {
            "ArrowLeft" if is_box => self.turn([-TURN, 0.0]),
            "ArrowRight" if is_box => self.turn([TURN, 0.0]),
            "ArrowUp" if is_box => self.turn([0.0, -TURN]),
            "ArrowDown" if is_box => self.turn([0.0, TURN]),
            "Home" if is_box => self.angles = ANGLES,
            "ArrowLeft" | "ArrowUp" | "PageUp" => self.choose(|at, last| at.checked_sub(1).unwrap_or(last)),
            "ArrowRight" | "ArrowDown" | "PageDown" => self.choose(|at, last| if at < last { at + 1 } else { 0 }),
            "Escape" => self.chosen = None,
            _ => return false,
        }
        self.tell();
        true
    }

    /// Looks at another point, in the order in which they came.
    fn choose(&mut self, next: impl FnOnce(usize, usize) -> usize) {
        let Some(last) = self.count().checked_sub(1) else { return };
        self.chosen = Some(self.chosen.map_or(0, |at| next(at.min(last), last)));
    }

    /// Says which point is looked at.
    fn tell(&self) {
        let Some(n) = self.chosen.filter(|n| *n < self.count()) else {
            self.card.cross.set_hidden(true);
            return self.card.value.set_text_content(None);
        };
        let dimensions = self.points.dimensions as usize;
        let at = self.at(n);
        let coordinate = |d: usize| with_unit(at[d].into(), &self.description.axes[d].unit);
        let place = (0..dimensions).map(coordinate).collect::<Vec<String>>().join(", ");
        let value = self
            .columns
            .get(dimensions)
            .map_or(String::new(), |values| format!(" = {}", with_unit(values[n].into(), &self.description.unit)));
        self.card.value.set_text_content(Some(&format!("({place}){value}")));
        let [left, top, _] = self.place(&self.pose(), n).map(f64::from);
        const SIDE: f64 = 0.02;
        self.card.mark([left - SIDE / 2.0, top - SIDE / 2.0], [SIDE, SIDE]);
    }
}
