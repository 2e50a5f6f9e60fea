//! Planes of a field with three dimensions, chosen in a browser.

use libtest_mimic::Failed;
use rankine_view_wire::{Asked, Cut, Field, Said};

use super::chromium::{Chromium, LIMIT};
use super::described::card;
use super::job::Visitor;
use super::{Site, check};

/// The number of the guest in Fortran, whose `box` has 6 × 3 × 4 elements with 3 ranks: element (k, j, i) is
/// 1 + 2 i + 100 (1 + 2 j) + 1000 (1 + 2 k).
const GUEST: usize = 4;

/// The next frame of the box that is cut like this.
fn plane(visitor: &mut Visitor, across: u32, index: u32) -> Result<Field, Failed> {
    let start = std::time::Instant::now();
    loop {
        if let Said::Field(field) = visitor.hear()?
            && field.name == "box"
        {
            let cut = field.cut.ok_or("a box is cut")?;
            check(cut.shape == [6, 3, 4], || format!("{cut:?}"))?;
            if (cut.across, cut.index) == (across, index) {
                return Ok(field);
            }
        }
        check(start.elapsed() < LIMIT, || format!("never across {across} at {index}"))?;
    }
}

/// Whether all numbers of a frame are those of its plane.
fn check_plane(field: &Field) -> Result<(), Failed> {
    let Cut { across, index, .. } = field.cut.ok_or("a box is cut")?;
    let [rows, columns] = field.size();
    let number = |row: u32, column: u32| {
        let [k, j, i] = match across {
            0 => [index, row, column],
            1 => [row, index, column],
            _ => [row, column, index],
        };
        (1 + 2 * i + 100 * (1 + 2 * j) + 1000 * (1 + 2 * k)) as f32
    };
    let expected: Vec<f32> = (0..rows).flat_map(|row| (0..columns).map(move |column| number(row, column))).collect();
    check(field.numbers() == expected, || format!("{:?}: {:?}", field.cut, field.numbers()))
}

pub fn planes_are_chosen_in_a_browser(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "3"], GUEST, &[])?;
    let mut visitor = site.visit(&job)?;
    // The one in the middle, at first; then any, and the last one for what is not there.
    check_plane(&plane(&mut visitor, 0, 3)?)?;
    let number = plane(&mut visitor, 0, 3)?.cut.ok_or("a box is cut")?.field;
    for (across, index, shown) in [(2, 1, 1), (1, u32::MAX, 2), (0, 5, 5)] {
        visitor.ask(Asked::Cut { field: number, across, index })?;
        check_plane(&plane(&mut visitor, across, shown)?)?;
    }
    // There is no such field, and points have no planes.
    for field in [u32::MAX, number + 1, number + 2] {
        visitor.ask(Asked::Cut { field, across: 7, index: 7 })?;
    }
    let mut browser = Chromium::start(&site.folder().join("profile-of-planes"))?;
    let tab = browser.open(&job.url)?;
    let of = card("box");
    let slider = format!("{of}.querySelector('.cut input')");
    browser.wait(&tab, &format!("{slider}?.value === '5' && {slider}.max === '5'"))?;
    browser.value(&tab, &format!("{slider}.focus()"))?;
    browser.press(&tab, "ArrowLeft", 37)?;
    check_plane(&plane(&mut visitor, 0, 4)?)?;
    browser.value(
        &tab,
        &format!(
            "(() => {{ const across = {of}.querySelector('.cut select'); across.focus(); across.selectedIndex = 2; \
             across.dispatchEvent(new Event('change')); }})()"
        ),
    )?;
    check_plane(&plane(&mut visitor, 2, 2)?)?;
    browser.wait(&tab, &format!("{slider}.value === '2' && {slider}.max === '3'"))?;
    // A number of it, with all three indices.
    browser.value(&tab, &format!("{of}.querySelector('canvas.field').focus()"))?;
    browser.press(&tab, "ArrowUp", 38)?;
    let value = format!("{of}.querySelector('.value').textContent");
    browser.wait(&tab, &format!("{value} === '[2, 1, 2] = 5305'"))?;
    visitor.set("stop", 1.0)?;
    job.succeed()
}
