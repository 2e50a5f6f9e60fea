//! Units, fixed colours, coordinates, contours and arrows, as a browser shows them.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use rankine_view_wire::{Description, Said};
use serde_json::Value;

use super::chromium::{Chromium, LIMIT, Tab};
use super::job::{Job, Visitor};
use super::process::{Ended, run_within};
use super::{Site, VIRIDIS, check};

/// The guest's number.
const GUEST: usize = 8;

/// The card of a field, of points or of a curve.
pub fn card(name: &str) -> String {
    format!("[...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === '{name}')")
}

/// The texts of all elements of a card that a selector finds.
fn texts(name: &str, selector: &str) -> String {
    format!("[...{}.querySelectorAll('{selector}')].map((one) => one.textContent).join()", card(name))
}

/// Waits for the texts of elements of a card.
fn wait_for(browser: &mut Chromium, tab: &Tab, name: &str, selector: &str, text: &str) -> Result<(), Failed> {
    browser.wait(tab, &format!("{} !== undefined && {} === '{text}'", card(name), texts(name, selector)))
}

/// Where the ticks along a side are: how many, and by how many pixels one is farthest from where its coordinate is.
fn ticks(name: &str, [from, to]: [f64; 2], is_right: bool) -> String {
    let (side, begin, length) = if is_right { ("right", "left", "width") } else { ("down", "top", "height") };
    format!(
        "(() => {{
            const box = {}.querySelector('.picture canvas').getBoundingClientRect();
            const far = [...{0}.querySelectorAll('.axis.{side} .tick')].map((tick) => {{
                const place = tick.getBoundingClientRect();
                const at = (Number(tick.dataset.at) - ({from})) / (({to}) - ({from})) * box.{length} + box.{begin};
                return Math.abs(place.{begin} + place.{length} / 2 - at);
            }});
            return [far.length, Math.max(...far)];
        }})()",
        card(name)
    )
}

/// Pixels of a card's pictures, from parts of their width and height.
fn pixels(name: &str, places: &[[f64; 2]]) -> String {
    format!(
        "(() => {{
            const pictures = [...{}.querySelectorAll('.picture canvas')];
            const [width, height] = [pictures[0].width, pictures[0].height];
            const to = new OffscreenCanvas(width, height).getContext('2d');
            pictures.forEach((picture) => to.drawImage(picture, 0, 0));
            return {places:?}.map(([x, y]) => [...to.getImageData(x * width, y * height, 1, 1).data]);
        }})()",
        card(name)
    )
}

/// How far a pixel is from the colour of this part of the range.
fn is_far(pixel: &Value, part: f64) -> f64 {
    let below = ((part * 9.0) as usize).min(8);
    let colour =
        |c: usize| VIRIDIS[below][c] + (VIRIDIS[below + 1][c] - VIRIDIS[below][c]) * (part * 9.0 - below as f64);
    (0..3).map(|c| (pixel[c].as_f64().unwrap_or(-999.0) - colour(c)).abs()).fold(0.0, f64::max)
}

/// The middle of a cell of the guest's fields, as parts of a picture.
fn middle([i, j]: [f64; 2]) -> [f64; 2] {
    [(j + 0.5) / 12.0, (i + 0.5) / 8.0]
}

pub fn a_browser_shows_units_and_coordinates(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "2"], GUEST, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-of-units"))?;
    let tab = browser.open(&job.url)?;
    // The colours are those that the program has fixed, whatever is shown.
    wait_for(&mut browser, &tab, "pressure", ".scale span", "0,100")?;
    wait_for(&mut browser, &tab, "pressure", ".scale .unit", "kPa")?;
    wait_for(&mut browser, &tab, "pressure", ".axis .title", "length (m),height (m)")?;
    let places: Vec<[f64; 2]> = (0..96).map(|n| middle([f64::from(n / 12), f64::from(n % 12)])).collect();
    let shown = browser.value(&tab, &pixels("pressure", &places))?;
    for n in 0..96 {
        let far = is_far(&shown[n], (10 * (n / 12) + n % 12) as f64 / 100.0);
        check(far <= 3.0, || format!("cell {n} is {}", shown[n]))?;
    }
    // Ticks stand where their coordinates are, those of cells in their middle.
    for (is_right, edges) in [(true, [-1.125, 1.875]), (false, [2.125, 0.125])] {
        let found = browser.value(&tab, &ticks("pressure", edges, is_right))?;
        let is_right_place = found[0].as_f64() >= Some(2.0) && found[1].as_f64().is_some_and(|far| far < 1.0);
        check(is_right_place, || format!("ticks, and how far they are from their places: {found}"))?;
    }
    // The number that is looked at.
    browser.value(&tab, &format!("{}.querySelector('canvas.field').focus()", card("pressure")))?;
    browser.press(&tab, "ArrowLeft", 37)?;
    wait_for(&mut browser, &tab, "pressure", ".value", "length 0.25 m, height 1 m [4, 5] = 45 kPa")?;
    // Contours, by the keyboard.
    contours(&mut browser, &tab)?;
    // A plane of three dimensions.
    browser.value(&tab, &format!("{}.querySelector('canvas.field').focus()", card("box")))?;
    browser.press(&tab, "ArrowUp", 38)?;
    wait_for(&mut browser, &tab, "box", ".value", "depth 5.5 km [1, 0, 2] = 14")?;
    wait_for(&mut browser, &tab, "box", ".cut option", "depth,dimension 1,dimension 2")?;
    // What a program says changes.
    browser.value(
        &tab,
        "(() => { const unit = document.querySelector('#controls select'); unit.selectedIndex = 1; \
         unit.dispatchEvent(new Event('change')); })()",
    )?;
    wait_for(&mut browser, &tab, "pressure", ".scale .unit", "bar")?;
    // Points and curves.
    wait_for(&mut browser, &tab, "bodies", ".scale span", "0,4")?;
    wait_for(&mut browser, &tab, "bodies", ".axis .title", "x (ly)")?;
    let found = browser.value(&tab, &ticks("bodies", [4.0 - 4.0 / 0.96, 4.0 + 4.0 / 0.96], true))?;
    check(found[0].as_f64() >= Some(2.0) && found[1].as_f64().is_some_and(|far| far < 1.0), || found.to_string())?;
    let label = browser.value(&tab, "document.querySelector('canvas.curve').getAttribute('aria-label')")?;
    check(label.as_str().is_some_and(|label| label.starts_with("residual (iteration, W);")), || label.to_string())?;
    browser.wait(&tab, "/ W at [0-9]+$/.test(document.querySelector('.plot .faint').textContent)")?;
    // One who comes late is told as well, before the first frame.
    let mut visitor = site.visit(&job)?;
    let mut told: Vec<Description> = Vec::new();
    loop {
        match visitor.hear()? {
            Said::Description(description) => told.push(description),
            Said::Field(_) => break,
            _ => {}
        }
    }
    let pressure = told.iter().find(|description| description.name == "pressure");
    check(pressure.is_some_and(|told| told.unit == "bar" && told.range == Some([0.0, 100.0])), || format!("{told:?}"))?;
    visitor.set("stop", 1.0)?;
    job.succeed()
}

/// Lines go through the numbers 10, 20, … and are dark on what is bright and bright on what is dark.
fn contours(browser: &mut Chromium, tab: &Tab) -> Result<(), Failed> {
    let about = format!("{}.querySelector('.faint').textContent", card("pressure"));
    browser.press(tab, "c", 67)?;
    browser.wait(tab, &format!("{about}.endsWith(' · lines every 10 kPa')"))?;
    // The first column is at levels; halfway between rows it is as far from them as can be. On the slope between columns 10 and
    // 11 of row 2, which are 30 and 31, there is a line at the first only.
    let on: Vec<[f64; 2]> = (1..8).map(|i| middle([f64::from(i), 0.0])).chain([middle([2.0, 10.0])]).collect();
    let off: Vec<[f64; 2]> = (0..7).map(|i| middle([f64::from(i) + 0.4, 0.0])).chain([middle([2.0, 5.0])]).collect();
    let shown = browser.value(tab, &pixels("pressure", &[on.clone(), off.clone()].concat()))?;
    for n in 0..on.len() {
        let ink = (0..3).map(|c| shown[n][c].as_f64().unwrap_or(128.0)).collect::<Vec<f64>>();
        let is_ink = ink.iter().all(|part| *part < 60.0) || ink.iter().all(|part| *part > 195.0);
        check(is_ink, || format!("there is no line at {:?}: {ink:?}", on[n]))?;
    }
    for n in 0..off.len() {
        let number = if n < 7 { 10.0 * n as f64 } else { 25.0 };
        // Of the next row, or of this one, as cells are of one colour.
        let far = is_far(&shown[on.len() + n], number / 100.0);
        check(far <= 3.0, || format!("there is a line at {:?}: {}", off[n], shown[on.len() + n]))?;
    }
    // The button says the same, and takes them away.
    let button =
        format!("[...{}.querySelectorAll('button')].find((one) => one.textContent === 'contours')", card("pressure"));
    let pressed = browser.value(tab, &format!("{button}.getAttribute('aria-pressed')"))?;
    check(pressed == "true", || format!("the button is pressed: {pressed}"))?;
    browser.value(tab, &format!("{button}.click()"))?;
    browser.wait(tab, &format!("!{about}.includes('lines')"))?;
    let shown = browser.value(tab, &pixels("pressure", &on))?;
    check((0..7).all(|n| is_far(&shown[n], (n + 1) as f64 / 10.0) <= 3.0), || format!("lines are left: {shown}"))
}

/// Whether a part of the picture over a field has been drawn upon: an arrow's line is white.
fn is_white(pixel: &Value) -> bool {
    (0..3).all(|c| pixel[c].as_f64().unwrap_or(0.0) > 200.0)
}

pub fn a_browser_draws_arrows(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "3"], GUEST, &[])?;
    let mut visitor = site.visit(&job)?;
    // Vectors are of the same step as the field, and whole.
    for name in ["turning", "lengths"] {
        let field = loop {
            match visitor.hear()? {
                Said::Field(field) if field.name == name => break field,
                _ => {}
            }
        };
        let arrows = field.arrows.as_ref().ok_or("a field with arrows")?;
        let cells: usize = arrows.parts.iter().map(|part| part.right.values.len()).sum();
        check(field.is_sound(2048) && arrows.every == 1 && cells == 96, || format!("{arrows:?}"))?;
        let longest = (3.5f32 * 3.5 + 5.5 * 5.5).sqrt();
        let expected = if name == "turning" { [0.0, 81.0] } else { [0.5f32.sqrt(), longest] };
        let is_right = (0..2).all(|n| (field.range[n] - expected[n]).abs() < 1e-5);
        check(is_right, || format!("{name} from {:?}", field.range))?;
    }
    let mut browser = Chromium::start(&site.folder().join("profile-of-arrows"))?;
    let tab = browser.open(&job.url)?;
    for name in ["turning", "lengths"] {
        let about = format!("{}?.querySelector('.faint').textContent", card(name));
        browser.wait(&tab, &format!("{about}.endsWith(' · longest arrow 6.5192')"))?;
        // In the corners: to the right and up in the upper left one, as clocks go. A quarter of a cell before and behind the middle.
        for (corner, [right, down]) in [
            ([0.0, 0.0], [3.5, -5.5]),
            ([0.0, 11.0], [3.5, 5.5]),
            ([7.0, 0.0], [-3.5, -5.5]),
            ([7.0, 11.0], [-3.5, 5.5]),
        ] {
            let [x, y]: [f64; 2] = middle(corner);
            let by = |part: f64| [x + part * right / 6.52 / 12.0, y + part * down / 6.52 / 8.0];
            // Beside the tail there is nothing; beside the tip is the head, which widens backwards.
            let beside = |part: f64, side: f64| {
                let [x, y] = by(part);
                [x - side * down / 6.52 / 12.0, y + side * right / 6.52 / 8.0]
            };
            let places = [
                by(-0.35),
                by(0.0),
                by(0.35),
                beside(0.22, 0.12),
                beside(0.22, -0.12),
                beside(-0.3, 0.2),
                beside(-0.3, -0.2),
            ];
            let shown = browser.value(&tab, &pixels(name, &places))?;
            let drawn: Vec<bool> = (0..places.len()).map(|n| is_white(&shown[n])).collect();
            check(drawn == [true, true, true, true, true, false, false], || {
                format!("{name} {corner:?}: {drawn:?} {shown}")
            })?;
        }
    }
    visitor.set("stop", 1.0)?;
    job.succeed()
}

pub fn descriptions_are_recorded_and_exported(site: &Site) -> Result<(), Failed> {
    let path = site.folder().join("described.rkv");
    let record = format!("--record={}", path.display());
    let job = site.start(&["-n", "2", &record], GUEST, &[])?;
    let mut visitor = site.visit(&job)?;
    // What is said later is recorded at another moment.
    let before = wait_for_frames(site, &mut visitor, &path, 1)?;
    visitor.set("unit", 1.0)?;
    loop {
        if let Said::Description(description) = visitor.hear()?
            && description.unit == "bar"
        {
            break;
        }
    }
    wait_for_frames(site, &mut visitor, &path, before + 2)?;
    visitor.set("stop", 1.0)?;
    job.succeed()?;
    let vti = path.with_extension("vti");
    let mut view = Command::new(&site.places.rankine);
    view.args(["view", "--field", "pressure", "--export"]).arg(&vti).arg(&path);
    let run = run_within(view, None, LIMIT)?;
    check(run.ended == Ended::Status(0), || run.to_string())?;
    check_vti(&vti)?;
    check_arrows(site, &path)?;
    // A page is told what was said at each moment.
    let job = Job::replay(&site.places.rankine, &path)?;
    let mut browser = Chromium::start(&site.folder().join("profile-of-recorded-units"))?;
    let tab = browser.open(&job.url)?;
    let moment = "document.getElementById('moment')";
    browser.wait(&tab, &format!("{moment}?.max > 0"))?;
    find_moment(&mut browser, &tab, "kPa")?;
    wait_for(&mut browser, &tab, "pressure", ".axis .title", "length (m),height (m)")?;
    browser.press(&tab, "End", 35)?;
    wait_for(&mut browser, &tab, "pressure", ".scale .unit", "bar")?;
    find_moment(&mut browser, &tab, "kPa")?;
    job.kill()
}

/// Goes through a recording, from its first moment on and more and more slowly, until the pressure has that unit: it is not
/// there at all before the first of its frames, which may come later than those of others.
fn find_moment(browser: &mut Chromium, tab: &Tab, unit: &str) -> Result<(), Failed> {
    let has_unit = format!("{} !== undefined && {} === '{unit}'", card("pressure"), texts("pressure", ".scale .unit"));
    let is_last = "document.getElementById('moment').value === document.getElementById('moment').max";
    let (start, mut pause) = (Instant::now(), Duration::from_millis(200));
    browser.press(tab, "Home", 36)?;
    while start.elapsed() < LIMIT {
        sleep(pause);
        if browser.value(tab, &has_unit)? == true {
            return Ok(());
        }
        if browser.value(tab, is_last)? == true {
            browser.press(tab, "Home", 36)?;
            pause *= 2;
        } else {
            browser.press(tab, "ArrowRight", 39)?;
        }
    }
    Err(format!("at no moment the pressure has the unit {unit}").into())
}

/// Waits until so many frames have been recorded; gives how many there are.
fn wait_for_frames(site: &Site, visitor: &mut Visitor, path: &Path, least: usize) -> Result<usize, Failed> {
    loop {
        // A job whose page is not listened to makes few frames.
        visitor.frame()?;
        let mut view = Command::new(&site.places.rankine);
        view.args(["view", "--list"]).arg(path);
        let list = run_within(view, None, LIMIT)?;
        let of = list.stdout.lines().find_map(|line| line.strip_prefix("field    pressure, "));
        let frames = of.and_then(|of| of.split(' ').next()?.parse().ok()).unwrap_or(0);
        if frames >= least {
            return Ok(frames);
        }
    }
}

/// Arrows are vectors at points, with the values that are there.
fn check_arrows(site: &Site, recording: &Path) -> Result<(), Failed> {
    let export = |field: &str| {
        let file = recording.with_extension("vtp");
        let mut view = Command::new(&site.places.rankine);
        view.args(["view", "--field", field, "--export"]).arg(&file).arg(recording);
        Ok::<_, Failed>((run_within(view, None, LIMIT)?, file))
    };
    let (run, file) = export("turning")?;
    check(run.ended == Ended::Status(0), || run.to_string())?;
    let file = std::fs::read(file)?;
    let text = String::from_utf8_lossy(&file);
    let is_there =
        text.contains("NumberOfPoints=\"96\"") && text.contains("<PointData Scalars=\"turning\" Vectors=\"arrows\">");
    check(is_there, || text[..800.min(text.len())].to_owned())?;
    // Of the cell in the upper left corner, behind the length of all vectors.
    let first: Vec<u8> = (96u64 * 12)
        .to_le_bytes()
        .into_iter()
        .chain([3.5f32, -5.5, 0.0].into_iter().flat_map(f32::to_le_bytes))
        .collect();
    check(file.windows(first.len()).any(|window| window == first), || "other vectors".into())?;
    let (run, _) = export("pressure")?;
    check(run.ended == Ended::Status(1) && run.stderr.contains("a field without arrows"), || run.to_string())
}

/// Rows ascend in the file, as y does.
fn check_vti(path: &Path) -> Result<(), Failed> {
    let file = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&file);
    let has_axes = text.contains("Origin=\"-1 0.25 0\" Spacing=\"0.25 0.25 1\"") && text.contains("AxisTitleForY");
    check(has_axes && text.contains(">bar</InformationKey>"), || text[..800.min(text.len())].to_owned())?;
    let numbers: Vec<u8> = (0..96).flat_map(|n| ((10 * (7 - n / 12) + n % 12) as f32).to_le_bytes()).collect();
    check(file.windows(numbers.len()).any(|window| window == numbers), || "other numbers".into())
}
