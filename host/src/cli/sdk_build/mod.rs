//! `rankine sdk build`: compiles from LLVM's source what no package brings for WebAssembly, once per machine.
//!
//! A part is a file here: it names the folders of LLVM's source it needs ([`llvm_source`]), compiles them into a draft
//! beside its place in the data folder, and renames the draft when everything is there, so a part is whole or absent.

use super::sdk::copy_tree;
use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs;
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

mod cxx;
pub mod flang;
mod jobs;
pub mod llvm_source;
mod signatures;

/// The command line of `rankine sdk build`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to build.
    #[arg(value_enum, required = true)]
    parts: Vec<Part>,
    /// Build again even if it is there.
    #[arg(long)]
    force: bool,
}

/// What can be built.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub enum Part {
    /// The Fortran compiler, its intrinsic modules and its runtime.
    Fortran,
    /// The C++ library, with exceptions.
    #[value(name = "c++")]
    Cxx,
}

/// Builds the parts that are not there yet.
pub fn run(args: &Args) -> Result<()> {
    for part in &args.parts {
        match part {
            Part::Fortran => flang::build(args.force)?,
            Part::Cxx => cxx::build(args.force)?,
        }
    }
    Ok(())
}

/// A bar on a terminal, nothing elsewhere; it counts `total` steps of what `doing` says.
pub fn bar(total: u64, doing: &'static str) -> ProgressBar {
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

/// Makes a part: `build` fills a draft, which then takes the part's place.
pub fn publish(place: &Path, build: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let data = place.parent().context("a part lies in the data folder")?;
    fs::create_dir_all(data).with_context(|| format!("cannot create the data folder {}", data.display()))?;
    let work = tempfile::Builder::new()
        .prefix(".build-")
        .tempdir_in(data)
        .with_context(|| format!("cannot write to the data folder {}", data.display()))?;
    let draft = work.path().join("draft");
    fs::create_dir(&draft)?;
    build(&draft)?;
    if place.exists() {
        fs::rename(place, work.path().join("old")).with_context(|| format!("cannot move {} away", place.display()))?;
    }
    fs::rename(&draft, place).with_context(|| format!("cannot create {}", place.display()))
}
