//! What the ranks do: a row for each, with time to the right, and who has sent how much to whom.

use std::collections::VecDeque;

use rankine_view_wire::Ranks;
use rankine_view_wire::colours::{MAPS, SHADES};
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};

use crate::dom::{add, add_text, hide, number, set};

/// Samples that are shown.
const MOST: usize = 240;

pub(crate) struct Busy {
    samples: VecDeque<Ranks>,
    rows: usize,
    bytes: Vec<f64>,
    timeline: HtmlCanvasElement,
    now: Element,
    matrix: HtmlCanvasElement,
    sum: Element,
}

impl Busy {
    /// The section for it, filled.
    pub fn new(section: &Element) -> Busy {
        hide(section, false);
        add_text(section, "h2", "", "Ranks");
        let timeline: HtmlCanvasElement = add(section, "canvas", "timeline");
        set(&timeline, "role", "img");
        set(&timeline, "aria-label", "A row for each rank, time to the right: dark waits, bright computes");
        let now: Element = add(section, "p", "now");
        add_text(section, "h2", "", "Who sends to whom");
        let matrix: HtmlCanvasElement = add(section, "canvas", "matrix");
        set(&matrix, "role", "img");
        set(&matrix, "aria-label", "A row for each sender, a column for each receiver; bright is much");
        let sum: Element = add(section, "p", "sent");
        Busy { samples: VecDeque::new(), rows: 0, bytes: Vec::new(), timeline, now, matrix, sum }
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.samples.clear();
        self.rows = 0;
        self.bytes.clear();
    }

    /// Hides the section if nothing is known, or shows it.
    pub fn show(&self) {
        if let Some(section) = self.timeline.parent_element() {
            hide(&section, self.samples.is_empty());
        }
    }

    /// A newer sample.
    pub fn add(&mut self, ranks: Ranks) {
        if self.samples.back().is_some_and(|last| last.number >= ranks.number) {
            // Another server: the page was connected anew.
            self.samples.clear();
        }
        if self.samples.len() == MOST {
            self.samples.pop_front();
        }
        self.samples.push_back(ranks);
    }

    /// What was sent by now.
    pub fn sent(&mut self, rows: u32, bytes: Vec<f64>) {
        (self.rows, self.bytes) = (rows as usize, bytes);
    }

    /// Draws it as it is now.
    pub fn draw(&self) {
        let Some(last) = self.samples.back() else { return };
        let rows = last.waited.len();
        let start = MOST - self.samples.len();
        let computes = |row: usize, column: usize| {
            let sample = column.checked_sub(start).and_then(|at| self.samples.get(at))?;
            Some(1.0 - f64::from(*sample.waited.get(row)?))
        };
        picture(&self.timeline, rows, MOST, (f64::from(rows as u32) * 8.0).clamp(40.0, 256.0) / 260.0, computes);
        self.now.set_text_content(Some(&waiting(last)));
        let most = self.bytes.iter().copied().fold(0.0, f64::max);
        let share = |row: usize, column: usize| {
            let bytes = *self.bytes.get(row * self.rows + column)?;
            (bytes > 0.0).then(|| (1.0 + bytes).ln() / (1.0 + most).ln())
        };
        picture(&self.matrix, self.rows, self.rows, 1.0, share);
        let sum: f64 = self.bytes.iter().sum();
        self.sum.set_text_content(Some(&format!(
            "{} MB in all; at most {} MB from one to one",
            number(sum / 1e6),
            number(most / 1e6)
        )));
    }
}

/// Who waits at this moment, in words.
fn waiting(sample: &Ranks) -> String {
    let name = |row: usize| match sample.each {
        1 => row.to_string(),
        each => format!("{}-{}", row as u32 * each, (row as u32 + 1) * each - 1),
    };
    let mean = 100.0 * sample.waited.iter().sum::<f32>() / sample.waited.len().max(1) as f32;
    let long: Vec<usize> = (0..sample.waits.len()).filter(|row| f64::from(sample.waits[*row]) >= sample.span).collect();
    let shown: Vec<String> =
        long.iter().take(8).map(|row| format!("{} for {:.1} s", name(*row), sample.waits[*row])).collect();
    let more = if long.len() > shown.len() { format!(" and {} more", long.len() - shown.len()) } else { String::new() };
    if shown.is_empty() {
        format!("waiting {mean:.0}% of the time")
    } else {
        format!("waiting {mean:.0}% of the time; now {}{more}", shown.join(", "))
    }
}

/// Draws a canvas with a pixel for each number from 0 to 1; where there is none, it stays transparent.
fn picture(
    canvas: &HtmlCanvasElement,
    rows: usize,
    columns: usize,
    ratio: f64,
    part: impl Fn(usize, usize) -> Option<f64>,
) {
    if rows == 0 || columns == 0 {
        return;
    }
    canvas.set_width(columns as u32);
    canvas.set_height(rows as u32);
    let _ = canvas.style().set_property("aspect-ratio", &format!("{}", 1.0 / ratio));
    let shades = MAPS[0].shades();
    let mut pixels = Vec::with_capacity(4 * rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            match part(row, column) {
                Some(part) => {
                    let shade = (part.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize;
                    pixels.extend_from_slice(&shades[4 * shade..][..4]);
                }
                None => pixels.extend_from_slice(&[0; 4]),
            }
        }
    }
    let context = canvas.get_context("2d").ok().flatten();
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), columns as u32, rows as u32);
    if let (Some(context), Ok(image)) = (context, image) {
        let _ = context.unchecked_into::<CanvasRenderingContext2d>().put_image_data(&image, 0.0, 0.0);
    }
}
