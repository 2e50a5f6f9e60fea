//! What the ranks do: a row for each, with time to the right; for whom they wait, what memory they have, and who has sent how
//! much to whom.

use std::collections::VecDeque;

use rankine_view_wire::Ranks;
use rankine_view_wire::colours::{MAPS, SHADES};
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};

use crate::dom::{add, add_text, hide, number, set};

/// Samples that are shown.
const MOST: usize = 240;
/// Ranks that wait and are named.
const MOST_NAMED: usize = 8;

pub(crate) struct Busy {
    section: Element,
    samples: VecDeque<Ranks>,
    rows: usize,
    bytes: Vec<f64>,
    /// The parts of the section that need to know when ranks wait, and what they move.
    events: [Element; 2],
    timeline: HtmlCanvasElement,
    now: Element,
    /// For whom ranks wait at this moment, a line for each.
    awaits: Element,
    /// Bytes moved by each, with the same time to the right.
    moved: HtmlCanvasElement,
    most_moved: Element,
    memory: Element,
    untold: Element,
    matrix: HtmlCanvasElement,
    sum: Element,
}

impl Busy {
    /// The section for it, filled.
    pub fn new(section: &Element) -> Busy {
        hide(section, false);
        let canvas = |part: &Element, class: &str, label: &str| {
            let canvas: HtmlCanvasElement = add(part, "canvas", class);
            set(&canvas, "role", "img");
            set(&canvas, "aria-label", label);
            canvas
        };
        let first: Element = add(section, "div", "");
        add_text(&first, "h2", "", "Ranks");
        let timeline =
            canvas(&first, "timeline", "A row for each rank, time to the right: dark waits, bright computes");
        let now: Element = add(&first, "p", "now");
        let awaits: Element = add(&first, "ul", "awaits");
        set(&awaits, "aria-label", "For whom ranks wait");
        add_text(&first, "h2", "", "Bytes moved");
        let moved = canvas(&first, "moved", "A row for each rank, time to the right; bright moves much");
        let most_moved: Element = add(&first, "p", "most-moved");
        add_text(section, "h2", "", "Memory");
        let memory = table(section, "memory", ["rank", "guest", "host", "peak"]);
        let second: Element = add(section, "div", "");
        add_text(&second, "h2", "", "Who sends to whom");
        let matrix = canvas(&second, "matrix", "A row for each sender, a column for each receiver; bright is much");
        let sum: Element = add(&second, "p", "sent");
        let untold: Element = add(section, "p", "untold");
        hide(&untold, true);
        let (samples, rows, bytes, events) = (VecDeque::new(), 0, Vec::new(), [first, second]);
        let section = section.clone();
        Busy {
            section,
            samples,
            rows,
            bytes,
            events,
            timeline,
            now,
            awaits,
            moved,
            most_moved,
            memory,
            untold,
            matrix,
            sum,
        }
    }

    /// Of these ranks nobody tells what they do, but what memory they have.
    pub fn untold(&self, text: &str) {
        self.untold.set_text_content(Some(text));
        hide(&self.untold, false);
        self.events.iter().for_each(|part| hide(part, true));
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.samples.clear();
        self.rows = 0;
        self.bytes.clear();
    }

    /// Hides the section if nothing is known, or shows it.
    pub fn show(&self) {
        hide(&self.section, self.samples.is_empty());
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
            sample.waited.get(row).filter(|waited| waited.is_finite()).map(|waited| 1.0 - f64::from(*waited))
        };
        let ratio = (f64::from(rows as u32) * 8.0).clamp(40.0, 256.0) / 260.0;
        picture(&self.timeline, rows, MOST, ratio, computes);
        self.now.set_text_content(Some(&waiting(last)));
        self.list_awaits(last);
        self.draw_moved(rows, ratio);
        self.list_memory(last);
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

impl Busy {
    /// For whom ranks wait that have waited for longer than a sample.
    fn list_awaits(&self, last: &Ranks) {
        self.awaits.set_text_content(None);
        let Some(load) = &last.load else { return };
        let waits = load.awaits.iter().enumerate().filter(|(_, words)| !words.is_empty());
        for (row, words) in waits.take(MOST_NAMED) {
            // Of several ranks in a row the words name the one.
            let text = if last.each > 1 { words.clone() } else { format!("rank {row} in {words}") };
            add_text(&self.awaits, "li", "", &text);
        }
    }

    /// Bytes that each row has sent and was sent, sample by sample.
    fn draw_moved(&self, rows: usize, ratio: f64) {
        let of = |sample: &Ranks, row: usize| {
            let load = sample.load.as_ref()?;
            Some(load.sent.get(row)? + load.received.get(row)?)
        };
        let all = self.samples.iter().flat_map(|sample| (0..rows).filter_map(move |row| of(sample, row)));
        let most = all.fold(0.0, f64::max);
        let start = MOST - self.samples.len();
        picture(&self.moved, rows, MOST, ratio, |row, column| {
            let sample = column.checked_sub(start).and_then(|at| self.samples.get(at))?;
            let bytes = of(sample, row)?;
            Some(if bytes > 0.0 { (1.0 + bytes).ln() / (1.0 + most).ln() } else { 0.0 })
        });
        let text = match self.samples.back() {
            Some(Ranks { load: Some(load), span, .. }) => {
                let now = load.sent.iter().sum::<f64>() / span.max(1e-6);
                format!("{} a second now; a row at most {} in one sample", size(now), size(most))
            }
            _ => String::new(),
        };
        self.most_moved.set_text_content(Some(&text));
    }

    /// What memory each row has now, and the most that it had.
    fn list_memory(&self, last: &Ranks) {
        self.memory.set_text_content(None);
        let Some(load) = &last.load else { return };
        for (row, memory) in load.memory.iter().enumerate() {
            let line: Element = add(&self.memory, "tr", "");
            set(&add_text(&line, "th", "", &last.name(row)), "scope", "row");
            for bytes in [memory.guest, memory.host, memory.most] {
                add_text(&line, "td", "", &size(bytes));
            }
        }
    }
}

/// The body of a table with these columns, in a box that can be scrolled, by keys too.
fn table(section: &Element, class: &str, columns: [&str; 4]) -> Element {
    let within: Element = add(section, "div", class);
    set(&within, "tabindex", "0");
    set(&within, "role", "region");
    set(
        &within,
        "aria-label",
        "Memory of each rank: what its program has, what the host holds for it, and the most of both",
    );
    let table: Element = add(&within, "table", "");
    let head: Element = add(&add::<Element>(&table, "thead", ""), "tr", "");
    for column in columns {
        set(&add_text(&head, "th", "", column), "scope", "col");
    }
    add(&table, "tbody", "")
}

/// A number of bytes as people say it.
fn size(bytes: f64) -> String {
    match bytes {
        ..1e3 => format!("{bytes:.0} B"),
        ..1e6 => format!("{:.1} kB", bytes / 1e3),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.2} GB", bytes / 1e9),
    }
}

/// Who waits at this moment, in words.
fn waiting(sample: &Ranks) -> String {
    if sample.waited.iter().any(|waited| waited.is_nan()) {
        return String::new();
    }
    let mean = 100.0 * sample.waited.iter().sum::<f32>() / sample.waited.len().max(1) as f32;
    let long: Vec<usize> = (0..sample.waits.len()).filter(|row| f64::from(sample.waits[*row]) >= sample.span).collect();
    let shown: Vec<String> = long
        .iter()
        .take(MOST_NAMED)
        .map(|row| format!("{} for {:.1} s", sample.name(*row), sample.waits[*row]))
        .collect();
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
