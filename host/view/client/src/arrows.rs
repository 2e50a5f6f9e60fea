//! Vectors over a field as arrows, on a canvas of their own over the picture.

use rankine_view_wire::{Arrows, Description, Field};
use wasm_bindgen::JsCast as _;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// How much of the way to its neighbour the longest arrow takes.
const LONGEST: f64 = 0.95;
/// How long its head is, as a part of it, and how wide on either side.
const HEAD: [f64; 2] = [0.35, 0.16];

/// Draws the arrows of a field in the middle of their elements; gives how long the longest vector is, if there is one.
pub(crate) fn draw(
    canvas: &HtmlCanvasElement,
    field: &Field,
    description: &Description,
    pixels: [u32; 2],
) -> Option<f64> {
    // A canvas that is given a size, be it the same, is empty.
    canvas.set_width(pixels[0]);
    canvas.set_height(pixels[1]);
    let arrows = field.arrows.as_ref()?;
    let all = || vectors(arrows);
    let longest = all().map(|(_, [right, down])| right.hypot(down)).fold(0.0, f64::max);
    if longest == 0.0 {
        return Some(longest);
    }
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
    let [rows, columns] = field.size().map(f64::from);
    let cell = [f64::from(pixels[0]) / columns, f64::from(pixels[1]) / rows];
    let apart = f64::from(arrows.every) / f64::from(field.every.max(1));
    let length = LONGEST * apart * cell[0].min(cell[1]) / longest;
    // They point to where coordinates grow.
    let [towards_down, towards_right] =
        field.axes().map(|axis| if description.axes[axis].spacing < 0.0 { -length } else { length });
    context.begin_path();
    for ([row, column], [right, down]) in all() {
        let middle = [(column * apart + 0.5) * cell[0], (row * apart + 0.5) * cell[1]];
        arrow(&context, middle, [right * towards_right, down * towards_down]);
    }
    context.set_line_cap("round");
    // Bright with a dark edge, which is seen on all colours.
    let width = (length * longest / 14.0).clamp(1.0, 3.0);
    for (colour, width) in [("rgba(0, 0, 0, 0.75)", 2.0 + width), ("#fff", width)] {
        context.set_stroke_style_str(colour);
        context.set_line_width(width);
        context.stroke();
    }
    Some(longest)
}

/// Which of the rows and columns that have arrows, and the parts to the right and downwards, of those that are numbers.
fn vectors(arrows: &Arrows) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    let of = |part: &'_ rankine_view_wire::Vectors| {
        let (start, columns) = (part.right.start, part.right.count[1].max(1));
        let pairs = part.right.values.iter().zip(&part.down.values).map(|(right, down)| [*right, *down].map(f64::from));
        let pairs: Vec<[f64; 2]> = pairs.collect();
        pairs.into_iter().enumerate().map(move |(n, pair)| {
            let n = n as u32;
            ([start[0] + n / columns, start[1] + n % columns].map(f64::from), pair)
        })
    };
    arrows.parts.iter().flat_map(of).filter(|(_, pair)| pair.iter().all(|part| part.is_finite()))
}

/// Adds an arrow to a path; none of no length.
fn arrow(context: &CanvasRenderingContext2d, [x, y]: [f64; 2], [right, down]: [f64; 2]) {
    if right == 0.0 && down == 0.0 {
        return;
    }
    let tip = [x + right / 2.0, y + down / 2.0];
    context.move_to(x - right / 2.0, y - down / 2.0);
    context.line_to(tip[0], tip[1]);
    for side in [HEAD[1], -HEAD[1]] {
        context.move_to(tip[0] - HEAD[0] * right - side * down, tip[1] - HEAD[0] * down + side * right);
        context.line_to(tip[0], tip[1]);
    }
}
