//! Points: drawn in a browser where they are and in the colours of their values, recorded, and written as files.

use std::fs;
use std::process::Command;

use libtest_mimic::Failed;
use rankine_view_wire::{Asked, Points, Said};

use super::chromium::{Chromium, LIMIT, Tab};
use super::job::{Job, Visitor, is_late};
use super::process::{Ended, Run, run_within};
use super::{Site, VIRIDIS, check};

/// The guest's number.
const GUEST: usize = 5;

/// How much of a picture is used.
const USED: f64 = 0.96;

/// The pixel at these parts of the width and the height of a picture.
fn pixel(browser: &mut Chromium, tab: &Tab, name: &str, [x, y]: [f64; 2]) -> Result<[f64; 4], Failed> {
    let pixel = browser.value(
        tab,
        &format!(
            "(() => {{
                const card = [...document.querySelectorAll('.card')].find((c) => c.querySelector('h2').textContent === '{name}');
                const from = card.querySelector('canvas.points');
                const to = new OffscreenCanvas(from.width, from.height).getContext('2d');
                to.drawImage(from, 0, 0);
                return [...to.getImageData({x} * from.width, {y} * from.height, 1, 1).data];
            }})()"
        ),
    )?;
    Ok(std::array::from_fn(|n| pixel[n].as_f64().unwrap_or(-1.0)))
}

/// The colour for a part of the range.
fn colour(part: f64) -> [f64; 4] {
    let below = ((part * 9.0) as usize).min(8);
    let between = part * 9.0 - below as f64;
    let of = |c: usize| VIRIDIS[below][c] + (VIRIDIS[below + 1][c] - VIRIDIS[below][c]) * between;
    [of(0), of(1), of(2), 255.0]
}

fn check_pixel(
    browser: &mut Chromium,
    tab: &Tab,
    name: &str,
    place: [f64; 2],
    expected: [f64; 4],
) -> Result<(), Failed> {
    let drawn = pixel(browser, tab, name, place)?;
    // A texture has 256 shades, and a picture whole numbers.
    let is_equal = (0..4).all(|c| (drawn[c] - expected[c]).abs() <= 3.0);
    check(is_equal, || format!("{name} at {place:?} is {drawn:?}, and should be {expected:?}"))
}

/// Where a point of a plane is in its picture, whose bounds the guest gives.
fn on_plane([x, y]: [f64; 2]) -> [f64; 2] {
    [(1.0 + USED * (2.0 * (x + 1.0) / 7.0 - 1.0)) / 2.0, (1.0 - USED * (2.0 * (y + 1.0) / 5.0 - 1.0)) / 2.0]
}

/// And one of the box, which is turned by so much.
fn in_box(point: [f64; 3], [around, towards]: [f64; 2]) -> [f64; 2] {
    let [x, y, z] = point.map(|x| (x - 0.5) * 2.0 * USED / 3f64.sqrt());
    let (away, right) = (x * around.sin() + y * around.cos(), x * around.cos() - y * around.sin());
    [(1.0 + right) / 2.0, (1.0 - away * towards.sin() - z * towards.cos()) / 2.0]
}

/// Waits until a card says this at the ends of its colours.
fn wait_for_range(browser: &mut Chromium, tab: &Tab, name: &str, ends: &str) -> Result<(), Failed> {
    let card =
        format!("[...document.querySelectorAll('.card')].find((c) => c.querySelector('h2').textContent === '{name}')");
    let said = "[...card.querySelectorAll('.scale span')].map((end) => end.textContent).join()";
    browser.wait(tab, &format!("((card) => card && {said} === '{ends}')({card}) === true"))
}

fn check_plane(browser: &mut Chromium, tab: &Tab) -> Result<(), Failed> {
    for n in 0..24 {
        let place = on_plane([f64::from(n % 6), f64::from(n / 6)]);
        check_pixel(browser, tab, "plane", place, colour(f64::from(n) / 23.0))?;
    }
    // Between them there is nothing.
    check_pixel(browser, tab, "plane", on_plane([2.5, 1.5]), [0.0; 4])
}

fn check_box(browser: &mut Chromium, tab: &Tab, angles: [f64; 2]) -> Result<(), Failed> {
    for n in 0..8 {
        let corner = [n & 1, n >> 1 & 1, n >> 2].map(f64::from);
        check_pixel(browser, tab, "box", in_box(corner, angles), colour(f64::from(n) / 7.0))?;
    }
    check_pixel(browser, tab, "box", [0.5, 0.5], colour(0.5))
}

fn focus(browser: &mut Chromium, tab: &Tab, name: &str) -> Result<(), Failed> {
    let find = format!(
        "[...document.querySelectorAll('.card')].find((c) => c.querySelector('h2').textContent === '{name}')\
         .querySelector('canvas').focus()"
    );
    browser.value(tab, &find).map(drop)
}

pub fn a_browser_draws_points(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "4"], GUEST, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-of-points"))?;
    let tab = browser.open(&job.url)?;
    wait_for_range(&mut browser, &tab, "plane", "100,123")?;
    check_plane(&mut browser, &tab)?;
    wait_for_range(&mut browser, &tab, "box", "0,7")?;
    let angles = [-0.6, 0.45];
    check_box(&mut browser, &tab, angles)?;
    browser.wait(
        &tab,
        "[...document.querySelectorAll('.faint')].some((about) => about.textContent.includes(' · 1 point · '))",
    )?;
    check_pixel(&mut browser, &tab, "plain", on_plane([2.0, 2.0]), colour(0.6))?;
    // The slider changes all of them at once, whichever rank has them.
    browser.value(&tab, "document.querySelector('#controls input[type=range]').focus()")?;
    browser.press(&tab, "ArrowRight", 39)?;
    wait_for_range(&mut browser, &tab, "plane", "200,223")?;
    check_plane(&mut browser, &tab)?;
    // The box, turned by keys; and back.
    focus(&mut browser, &tab, "box")?;
    for (key, code) in [("ArrowRight", 39), ("ArrowRight", 39), ("ArrowDown", 40)] {
        browser.press(&tab, key, code)?;
    }
    let drawn = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))";
    browser.value(&tab, drawn)?;
    check_box(&mut browser, &tab, [-0.4, 0.55])?;
    browser.press(&tab, "Home", 36)?;
    browser.value(&tab, drawn)?;
    check_box(&mut browser, &tab, angles)?;
    // Single points, by keys: which is the first one changes, and what is said of it is true.
    browser.press(&tab, "PageDown", 34)?;
    let said = |card: &str, is_right: &str| {
        format!(
            "(([, x, y, z, value]) => {is_right})(([...document.querySelectorAll('.card')]\
             .find((c) => c.querySelector('h2').textContent === '{card}').querySelector('.value').textContent\
             .match(/^\\((\\S+), (\\S+?)(?:, (\\S+))?\\) = (\\S+)$/) ?? []).map(Number)) === true"
        )
    };
    browser.wait(&tab, &said("box", "value === x + 2 * y + 4 * z"))?;
    focus(&mut browser, &tab, "plane")?;
    browser.press(&tab, "ArrowLeft", 37)?;
    browser.wait(&tab, &said("plane", "value === x + 6 * y + 200"))?;
    let mut visitor = site.visit(&job)?;
    visitor.set("stop", 1.0)?;
    browser.wait(&tab, "document.getElementById('state').textContent === 'finished'")?;
    let (status, printed, errors) = job.end()?;
    check(status == 0 && printed == "stopped at level 2\n", || format!("{status}: {printed}{errors}"))
}

/// The next points of this name.
fn points(visitor: &mut Visitor, name: &str) -> Result<Points, Failed> {
    loop {
        match visitor.hear()? {
            Said::Points(points) if points.name == name => return Ok(points),
            Said::Notice(text) if !is_late(&text) => return Err(text.into()),
            _ => {}
        }
    }
}

pub fn points_are_recorded_and_exported(site: &Site) -> Result<(), Failed> {
    let folder = site.folder().join("points");
    fs::create_dir_all(&folder)?;
    let path = folder.join("points.rkv");
    let record = format!("--record={}", path.display());
    let job = site.start(&["-n", "3", &record, "--fibers"], GUEST, &[])?;
    let mut visitor = site.visit(&job)?;
    visitor.set("level", 3.0)?;
    let mut last = points(&mut visitor, "plane")?;
    for _ in 0..20 {
        let next = points(&mut visitor, "plane")?;
        check(next.step > last.step, || format!("step {} after {}", next.step, last.step))?;
        // Never torn: each of the points once, at one level.
        let columns = next.columns();
        let level = (columns[2][0] / 100.0).floor();
        let mut numbers: Vec<i32> = (0..24).map(|n| (columns[0][n] + 6.0 * columns[1][n]) as i32).collect();
        let is_whole = (0..24).all(|n| columns[2][n] == columns[0][n] + 6.0 * columns[1][n] + 100.0 * level);
        numbers.sort_unstable();
        check(is_whole && numbers.iter().copied().eq(0..24), || format!("torn: {columns:?}"))?;
        check(next.total == 24 && next.every == 1, || format!("{} points, every {}", next.total, next.every))?;
        last = next;
    }
    // What a page has been shown by the end of a job, or newer frames, the recording has as well.
    while points(&mut visitor, "plane")?.range != [300.0, 323.0] {}
    for name in ["box", "plain"] {
        points(&mut visitor, name)?;
    }
    visitor.set("stop", 1.0)?;
    let (status, _, errors) = job.end()?;
    check(status == 0, || format!("{status}: {errors}"))?;
    let view = |arguments: &[&str]| {
        let mut view = Command::new(&site.places.rankine);
        view.current_dir(&folder).arg("view").args(arguments).arg(&path);
        Ok::<Run, Failed>(run_within(view, None, LIMIT)?)
    };
    let list = view(&["--list"])?;
    let is_listed = ["points   plane, ", "points   box, ", "points   plain, "];
    check(is_listed.iter().all(|line| list.stdout.contains(line)), || list.to_string())?;
    let run = view(&["--field", "plane", "--export", "a.npy", "--export", "a.vtp"])?;
    check(run.ended == Ended::Status(0), || run.to_string())?;
    let npy = fs::read(folder.join("a.npy"))?;
    check(npy[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (24, 3), }"), || "a.npy".into())?;
    let rows: Vec<f32> = npy[128..].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let is_right = |row: &[f32]| row[2] == row[0] + 6.0 * row[1] + 300.0;
    check(rows.len() == 72 && rows.chunks(3).all(is_right), || format!("{rows:?}"))?;
    let vtp = String::from_utf8_lossy(&fs::read(folder.join("a.vtp"))?).into_owned();
    let is_vtp = vtp.contains("<VTKFile type=\"PolyData\"") && vtp.contains("<PointData Scalars=\"plane\">");
    check(is_vtp && vtp.contains("<Piece NumberOfPoints=\"24\" NumberOfVerts=\"24\""), || vtp.clone())?;
    for (kind, expected) in
        [("vti", "`box` are points, which are written as .npy or .vtp"), ("png", "`box` are points")]
    {
        let run = view(&["--field", "box", "--export", &format!("b.{kind}")])?;
        check(run.ended == Ended::Status(1) && run.stderr.contains(expected), || run.to_string())?;
    }
    // And shown again.
    let shown = Job::replay(&site.places.rankine, &path)?;
    let mut visitor = site.visit(&shown)?;
    // The first moment may be one of another figure's.
    visitor.ask(Asked::Show(u32::MAX))?;
    let corners = points(&mut visitor, "box")?;
    check(corners.total == 9 && corners.bounds == [[0.0, 1.0]; 3], || format!("{corners:?}"))?;
    shown.kill()
}
