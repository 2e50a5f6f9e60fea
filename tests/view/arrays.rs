//! Distributed arrays, each shown in one call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Failed;
use rankine_view_wire::{Arrows, Description, Field, Part, Said, Vectors};

use super::job::{Job, is_late};
use super::process::{Ended, run_within};
use super::{Site, check};

/// The numbers of the guests in C and in Fortran.
const C: usize = 6;
const FORTRAN: usize = 7;

const ROWS: u32 = 7;
const COLUMNS: u32 = 10;

/// Whether a frame has all the numbers that the guests give their elements at its step.
fn check_numbers(field: &Field) -> Result<(), Failed> {
    let level = (10_000 * (field.step % 10)) as u32;
    let (rows, first) = match &field.name[..] {
        "row" => (1, level),
        // The plane in the middle of five.
        "box" => (ROWS, level + 2000),
        _ => (ROWS, level),
    };
    let number = |n: u32| (first + 100 * (n / COLUMNS) + n % COLUMNS) as f32;
    let expected: Vec<f32> = (0..rows * COLUMNS).map(number).collect();
    let is_right = field.size() == [rows, COLUMNS] && field.numbers() == expected;
    check(is_right, || format!("{} at step {}: {:?}", field.name, field.step, field.numbers()))
}

/// Whether all elements have the vector that the guests give them.
fn has_arrows(field: &Field) -> bool {
    let Some(Arrows { parts, .. }) = &field.arrows else { return false };
    let all = |of: fn(&Vectors) -> &Part, number: f32| {
        parts.iter().flat_map(|part| &of(part).values).eq(&vec![number; (ROWS * COLUMNS) as usize])
    };
    all(|part| &part.right, 10.0) && all(|part| &part.down, 1.0)
}

/// Whether it is what the guest in Rust says of its arrows.
fn is_described(told: &Description) -> bool {
    let has_axis = told.title(1) == "height (km)" && told.axes[1].at(2.0) == 2.0;
    told.unit == "m/s" && told.range == Some([0.0, 1000.0]) && has_axis
}

/// Runs a guest that shows so many arrays until it has shown each of them some times.
fn check_shown(site: &Site, guest: &Path, arrays: usize) -> Result<(), Failed> {
    for ranks in ["1", "3", "4", "6"] {
        let job = Job::start(&site.places.rankine, &["-n", ranks], guest, &[])?;
        let mut visitor = site.visit(&job)?;
        let mut frames: BTreeMap<String, usize> = BTreeMap::new();
        let mut described = None;
        while frames.len() < arrays || frames.values().any(|frames| *frames < 3) {
            match visitor.hear()? {
                Said::Field(field) => {
                    check_numbers(&field)?;
                    let is_flat = !["arrows", "wind", "breeze"].contains(&&field.name[..]);
                    check(is_flat || has_arrows(&field), || format!("{field:?}"))?;
                    *frames.entry(field.name).or_default() += 1;
                }
                Said::Description(told) => described = Some(told),
                Said::Notice(text) if !is_late(&text) => return Err(text.into()),
                _ => {}
            }
        }
        check(frames.contains_key("arrows") == described.as_ref().is_some_and(is_described), || {
            format!("{described:?}")
        })?;
        visitor.set("stop", 1.0)?;
        let (status, printed, errors) = job.end()?;
        check(status == 0 && printed.is_empty(), || format!("{status}: {printed}{errors}"))?;
    }
    Ok(())
}

pub fn distributed_arrays_are_shown(site: &Site) -> Result<(), Failed> {
    check_shown(site, &site.guest(C)?, 8)?;
    check_shown(site, &site.guest(FORTRAN)?, 3)
}

/// Compiles the guest in Rust, whose arrays have views.
fn sections(site: &Site) -> Result<PathBuf, Failed> {
    let target = site.folder().join("sections");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.args(["build", "--release", "--target", "wasm32-wasip1", "--target-dir"]).arg(&target);
    cargo.current_dir(site.places.root.join("tests/view/sections"));
    let run = run_within(cargo, None, Duration::from_secs(600))?;
    check(run.ended == Ended::Status(0), || run.to_string())?;
    Ok(target.join("wasm32-wasip1/release/sections.wasm"))
}

pub fn parts_of_arrays_are_shown(site: &Site) -> Result<(), Failed> {
    check_shown(site, &sections(site)?, 8)
}
