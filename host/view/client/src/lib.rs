//! The page of `rankine run --view` and `rankine view`: what the server says, drawn; what is touched, told to the server.
//!
//! | module | what |
//! |---|---|
//! | `page` | all of it together: which figure a message is for, and when to draw |
//! | `card` | what fields and points have alike: colours, buttons |
//! | `axes`, `ticks` | axes around a picture; round numbers |
//! | `heat`, `gl` | fields as heat maps; the part of it that the graphics card does |
//! | `contours`, `arrows` | lines at round values; vectors over a field |
//! | `cut` | which plane of three dimensions is shown |
//! | `cloud`, `dots` | points; the part of it that the graphics card does |
//! | `plot` | curves |
//! | `save` | files of what is shown |
//! | `busy` | what the ranks do: when each waits, and who sends to whom |
//! | `steer` | controls |
//! | `replay` | the slider of a recording |
//! | `dom` | a browser's elements, with fewer words |
//!
//! Texts of a program become text nodes and never markup. Elements that index.html has are taken for granted. Read
//! `page.rs` first: it hears each message and hands it to a figure. Then `card.rs` and `heat.rs`, the most usual figure.

mod arrows;
mod axes;
mod busy;
mod card;
mod cloud;
mod contours;
mod cut;
mod dom;
mod dots;
mod gl;
mod heat;
mod page;
mod plot;
mod replay;
mod save;
mod steer;
mod ticks;

use wasm_bindgen::prelude::wasm_bindgen;

/// Connects to the server and goes on from there.
#[wasm_bindgen(start)]
pub fn start() {
    page::start();
}
