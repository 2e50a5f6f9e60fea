//! `rankine sdk build`: compiles from LLVM's source what no package brings for WebAssembly, once per machine.
//!
//! A part is a file here: it names the folders of LLVM's source it needs (`llvm_source.rs`) and compiles them into the
//! data folder, where it is whole or absent (`folder.rs`).

mod cxx;
mod flang;
mod jobs;
mod llvm_source;
mod signatures;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::Duration;

pub use cxx::build as cxx;
pub use flang::{Flang, build as fortran};

/// A bar on a terminal, nothing elsewhere; it counts `total` steps of what `doing` says.
fn bar(total: u64, doing: &'static str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %").expect("the template is well-formed");
    bar.set_style(style);
    bar.set_message(doing);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
