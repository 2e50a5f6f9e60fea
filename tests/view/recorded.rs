//! Recordings: written by jobs, with a page and without, and shown when the job is gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use rankine_view_wire::{Asked, Field, Said};

use super::chromium::{Chromium, LIMIT, Tab};
use super::job::{Job, Visitor};
use super::process::{Ended, Run, run_within};
use super::{Site, check, check_pixels, levels};

/// A recording of this test's own, that is not there yet.
fn file(site: &Site, name: &str) -> Result<PathBuf, Failed> {
    fs::create_dir_all(site.folder())?;
    let path = site.folder().join(format!("{name}.rkv"));
    if path.exists() {
        fs::remove_file(&path)?;
    }
    Ok(path)
}

fn command(site: &Site, arguments: &[&str], path: &Path) -> Result<Run, Failed> {
    let mut command = Command::new(&site.places.rankine);
    command.args(arguments).arg(path);
    Ok(run_within(command, None, LIMIT)?)
}

/// Records a job whose field is at level 1, then at level 2.
fn two_levels(site: &Site, path: &Path) -> Result<(), Failed> {
    let record = format!("--record={}", path.display());
    let job = site.start(&["-n", "4", &record], 0, &[])?;
    let mut visitor = site.visit(&job)?;
    until(site, &mut visitor, path, 1.0)?;
    visitor.set("level", 2.0)?;
    until(site, &mut visitor, path, 2.0)?;
    while !matches!(visitor.hear()?, Said::Ranks(_)) {}
    visitor.set("stop", 1.0)?;
    let (status, printed, errors) = job.end()?;
    let said = format!("rankine: recorded: {}", path.display());
    check(status == 0 && errors.contains(&said), || format!("{status}: {printed}{errors}"))
}

/// Waits until the field is at a level, and the recording has two frames more that were made since then.
fn until(site: &Site, visitor: &mut Visitor, path: &Path, level: f32) -> Result<(), Failed> {
    while levels(&visitor.frame()?)[0] != level {}
    let before = recorded_frames(site, path)?;
    // The next one may have been on its way to the file.
    while recorded_frames(site, path)? < before + 3 {
        visitor.frame()?;
    }
    Ok(())
}

/// How many frames of the field have been written to a recording.
fn recorded_frames(site: &Site, path: &Path) -> Result<u32, Failed> {
    let list = command(site, &["view", "--list"], path)?;
    let count = list.stdout.lines().find_map(|line| line.strip_prefix("field    u, ")?.split(' ').next()?.parse().ok());
    Ok(count.unwrap_or(0))
}

/// The range of the colours, as the page has it.
fn wait_for_range(browser: &mut Chromium, tab: &Tab, least: u32, greatest: u32) -> Result<(), Failed> {
    let ends = "[...document.querySelectorAll('.scale span')].map((end) => end.textContent).join()";
    browser.wait(tab, &format!("{ends} === '{least},{greatest}'"))
}

pub fn a_recording_is_replayed_in_a_browser(site: &Site) -> Result<(), Failed> {
    let path = file(site, "replayed")?;
    two_levels(site, &path)?;
    let mut shown = Job::replay(&site.places.rankine, &path)?;
    let mut browser = Chromium::start(&site.folder().join("profile-of-recordings"))?;
    let tab = browser.open(&shown.url)?;
    // It opens at the first frame, and stands.
    browser.wait(&tab, "document.querySelector('canvas.field') !== null")?;
    wait_for_range(&mut browser, &tab, 100, 181)?;
    check_pixels(&mut browser, &tab)?;
    browser.wait(&tab, "document.getElementById('state').textContent === 'recording'")?;
    let shows = browser.value(
        &tab,
        "[document.getElementById('pause').hidden, document.getElementById('controls').inert, \
         document.getElementById('moment').value, document.getElementById('play').textContent].join()",
    )?;
    check(shows == "true,true,0,Play", || format!("the page shows {shows}"))?;
    let points = "document.querySelector('.plot .faint').textContent";
    // To the end by a key, and the last picture is drawn.
    browser.press(&tab, "End", 35)?;
    wait_for_range(&mut browser, &tab, 200, 281)?;
    check_pixels(&mut browser, &tab)?;
    browser.wait(&tab, "document.getElementById('state').textContent === 'finished'")?;
    browser.wait(&tab, &format!("{points}.startsWith('2 at ')"))?;
    // And back, to what was then.
    browser.press(&tab, "Home", 36)?;
    wait_for_range(&mut browser, &tab, 100, 181)?;
    browser.wait(&tab, &format!("{points}.startsWith('1 at ')"))?;
    browser.press(&tab, "ArrowRight", 39)?;
    browser.wait(&tab, "document.getElementById('moment').value === '1'")?;
    browser.press(&tab, ",", 188)?;
    browser.wait(&tab, "document.getElementById('moment').value === '0'")?;
    // The slider, dragged.
    browser.value(
        &tab,
        "(() => { const slider = document.getElementById('moment'); slider.value = slider.max; \
         slider.dispatchEvent(new Event('input')); })()",
    )?;
    wait_for_range(&mut browser, &tab, 200, 281)?;
    // Played from the beginning, it comes to the end and stands there.
    browser.press(&tab, " ", 32)?;
    browser.wait(
        &tab,
        "document.getElementById('play').textContent === 'Play' && \
         document.getElementById('moment').value === document.getElementById('moment').max && \
         document.getElementById('state').textContent === 'finished'",
    )?;
    wait_for_range(&mut browser, &tab, 200, 281)?;
    check(shown.runs(), || "the recording is no longer served".into())?;
    shown.kill()
}

/// A moment of a recording, whole.
struct Shown {
    moment: u32,
    field: Option<Field>,
    /// The values of `level` that the page was told.
    level: Option<f64>,
    last_point: Option<[f64; 2]>,
    ended: Option<String>,
    notices: Vec<String>,
}

fn shown(visitor: &mut Visitor) -> Result<Shown, Failed> {
    let mut shown = Shown { moment: 0, field: None, level: None, last_point: None, ended: None, notices: Vec::new() };
    loop {
        match visitor.hear()? {
            Said::Field(field) => shown.field = Some(field),
            Said::Control { name, value, .. } if name == "level" => shown.level = Some(value),
            Said::Curve { points, .. } => shown.last_point = points.last().copied(),
            Said::Ended(how) => shown.ended = Some(how),
            Said::Notice(text) => shown.notices.push(text),
            Said::At { moment, .. } => return Ok(Shown { moment, ..shown }),
            _ => {}
        }
    }
}

pub fn a_recording_has_every_change_when_it_was_made(site: &Site) -> Result<(), Failed> {
    let path = file(site, "changes")?;
    two_levels(site, &path)?;
    let job = Job::replay(&site.places.rankine, &path)?;
    let mut visitor = site.visit(&job)?;
    let Said::Recording { moments, length, note } = visitor.hear()? else {
        return Err("the first message is that it is a recording".into());
    };
    check(moments >= 4 && length > 0.0 && note.is_empty(), || format!("{moments} moments, {length} s, {note}"))?;
    let first = shown(&mut visitor)?;
    check(first.moment == 0 && first.level == Some(1.0), || format!("{:?} at {}", first.level, first.moment))?;
    let (mut last_step, mut last_level) = (-1, 1.0);
    for moment in 0..moments {
        visitor.ask(Asked::Show(moment))?;
        let shown = shown(&mut visitor)?;
        let field = shown.field.ok_or("a moment without its frame")?;
        let levels = levels(&field);
        check(levels.iter().all(|level| *level == levels[0]), || format!("torn: {levels:?}"))?;
        check(field.step > last_step && f64::from(levels[0]) >= last_level, || {
            format!("step {} at level {} after {last_step} at {last_level}", field.step, levels[0])
        })?;
        (last_step, last_level) = (field.step, f64::from(levels[0]));
        check(shown.moment == moment && shown.notices.is_empty(), || format!("{:?}", shown.notices))?;
        let is_last = moment + 1 == moments;
        check(is_last == (shown.ended.as_deref() == Some("finished")), || format!("{moment}: {:?}", shown.ended))?;
        check(!is_last || shown.level == Some(2.0), || format!("at last {:?}", shown.level))?;
        check(shown.last_point.is_some(), || "a moment without its curve".into())?;
    }
    check(last_level == 2.0, || format!("it ends at level {last_level}"))?;
    // What is past can't be steered, and what is beyond the end is the end.
    visitor.ask(Asked::Set { id: 0, value: 5.0 })?;
    visitor.ask(Asked::Show(u32::MAX))?;
    let last = shown(&mut visitor)?;
    check(last.moment + 1 == moments && last.level == Some(2.0), || format!("{:?}", last.level))?;
    // Played a hundred times as fast it comes to the end again, and everything has been said by then.
    visitor.ask(Asked::Play(100.0))?;
    loop {
        let shown = shown(&mut visitor)?;
        if shown.moment + 1 == moments && shown.ended.is_some() {
            break;
        }
    }
    job.kill()
}

pub fn what_a_killed_job_has_recorded_is_shown(site: &Site) -> Result<(), Failed> {
    let path = file(site, "killed")?;
    let record = format!("--record={}", path.display());
    let job = site.start(&["-n", "2", &record], 0, &[])?;
    let start = Instant::now();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 4000 {
        check(start.elapsed() < LIMIT, || "nothing is recorded".into())?;
        std::thread::sleep(Duration::from_millis(10));
    }
    job.kill()?;
    let list = command(site, &["view", "--list"], &path)?;
    let is_listed = ["program  waves.wasm, 2 ranks", "field    u, ", "curve    level, ", "control  level, at last 1"];
    let is_whole = is_listed.iter().all(|line| list.stdout.contains(line));
    check(list.ended == Ended::Status(0) && is_whole, || list.to_string())?;
    check(list.stdout.contains("note     the job was killed before its end"), || list.to_string())?;
    // As if the disk had been full: within a record.
    let whole = fs::read(&path)?;
    fs::write(&path, &whole[..whole.len() - 10])?;
    let job = Job::replay(&site.places.rankine, &path)?;
    let mut visitor = site.visit(&job)?;
    let said = visitor.hear()?;
    let is_said = matches!(&said, Said::Recording { note, .. } if note.starts_with("the last record is incomplete"));
    check(is_said, || format!("{said:?}"))?;
    check(shown(&mut visitor)?.field.is_some(), || "no frame".into())?;
    job.kill()
}

pub fn a_job_is_recorded_without_a_page(site: &Site) -> Result<(), Failed> {
    let path = file(site, "alone")?;
    let mut job = Command::new(&site.places.rankine);
    job.args(["run", "-n", "2", "--record"]).arg(&path).arg(site.guest(1)?);
    let run = run_within(job, None, LIMIT)?;
    let is_quiet = run.stdout == "OK\n" && !run.stderr.contains("http://");
    check(run.ended == Ended::Status(0) && is_quiet, || run.to_string())?;
    let list = command(site, &["view", "--list"], &path)?;
    let is_listed = list.stdout.contains("program  hostile.wasm, 2 ranks") && list.stdout.contains("ended    finished");
    check(list.ended == Ended::Status(0) && is_listed && !list.stdout.contains("note "), || list.to_string())?;
    // A second one takes its place.
    let before = fs::metadata(&path)?.modified()?;
    let mut job = Command::new(&site.places.rankine);
    job.args(["run", "-n", "2", "--record-limit", "1M", "--record"]).arg(&path).arg(site.guest(1)?);
    let run = run_within(job, None, LIMIT)?;
    check(run.ended == Ended::Status(0) && fs::metadata(&path)?.modified()? >= before, || run.to_string())?;
    check(fs::metadata(&path)?.len() <= 1 << 20, || "more than the limit".into())
}

pub fn frames_are_exported(site: &Site) -> Result<(), Failed> {
    let path = file(site, "exported")?;
    two_levels(site, &path)?;
    let folder = site.folder().join("exports");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let export = |arguments: &[&str]| {
        let mut view = Command::new(&site.places.rankine);
        view.current_dir(&folder).arg("view").args(arguments).arg(&path);
        Ok::<Run, Failed>(run_within(view, None, LIMIT)?)
    };
    let several = ["--export", "a.npy", "--export", "a.vti", "--export", "a.png", "--export", "a.json"];
    let run = export(&several)?;
    check(run.ended == Ended::Status(0) && run.stdout.is_empty(), || run.to_string())?;
    let npy = fs::read(folder.join("a.npy"))?;
    let numbers: Vec<u8> = (0..96).flat_map(|n| (200.0 + (10 * (n / 12) + n % 12) as f32).to_le_bytes()).collect();
    check(npy.starts_with(b"\x93NUMPY\x01\x00") && npy.ends_with(&numbers), || "a.npy has other numbers".into())?;
    let vti = fs::read(folder.join("a.vti"))?;
    let has_numbers = vti.windows(numbers.len()).any(|window| window == numbers);
    check(vti.starts_with(b"<?xml") && has_numbers, || "a.vti has other numbers".into())?;
    check(fs::read(folder.join("a.png"))?.starts_with(b"\x89PNG\r\n"), || "a.png is not a picture".into())?;
    let trace: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("a.json"))?)?;
    let events = trace["traceEvents"].as_array().ok_or("a.json is not a trace")?;
    let times = |name: &str| {
        let of = events.iter().filter(|event| event["name"] == name);
        of.filter_map(|event| event["ts"].as_f64()).collect::<Vec<f64>>()
    };
    let (changed, frames) = (times("control level changed"), times("field u"));
    let is_between = changed.len() == 1 && frames.first() < changed.first() && changed.first() < frames.last();
    check(is_between && frames.is_sorted(), || format!("changed at {changed:?}, frames at {frames:?}"))?;
    check((0..4).all(|rank| !times(&format!("rank {rank} waits, %")).is_empty()), || "ranks are missing".into())?;
    // Every frame, and one of them by its step.
    let run = export(&["--field", "u", "--export", "u-%s.npy"])?;
    let mut steps: Vec<i64> = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        steps.extend(name.strip_prefix("u-").and_then(|name| name.strip_suffix(".npy")?.parse::<i64>().ok()));
    }
    steps.sort_unstable();
    check(run.ended == Ended::Status(0) && steps.len() == frames.len(), || format!("{steps:?}: {run}"))?;
    let first = steps[0].to_string();
    let run = export(&["--step", &first, "--export", "first.npy"])?;
    let is_same = fs::read(folder.join("first.npy"))? == fs::read(folder.join(format!("u-{first}.npy")))?;
    check(run.ended == Ended::Status(0) && is_same, || run.to_string())?;
    for (arguments, status, expected) in [
        (&["--export", "a.tiff"][..], 2, "the name must end in .npy, .vti, .vtp, .png or .json"),
        (&["--export", "b.npy", "--field", "w"], 1, "there is no field `w` in this recording, but `u`"),
        (&["--export", "b.npy", "--step", "-5"], 1, "step -5 was not recorded; the nearest one is"),
        (&["--export", "none/b.npy"], 1, "none/b.npy can't be written"),
        (&["--export", "b.png", "--colours", "jet"], 2, "there are viridis, inferno"),
        (&["--step", "1"], 2, "--export"),
    ] {
        let run = export(arguments)?;
        check(run.ended == Ended::Status(status) && run.stderr.contains(expected), || run.to_string())?;
    }
    let is_left = fs::read_dir(&folder)?.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    check(!is_left, || "half a file was left".into())
}

pub fn what_is_no_recording_is_an_error(site: &Site) -> Result<(), Failed> {
    let guest = site.guest(1)?;
    let module = fs::read(&guest)?;
    let run = command(site, &["view"], &guest)?;
    let is_said = run.stderr.contains("hostile.wasm: this is not a recording of rankine run --record");
    check(run.ended == Ended::Status(1) && is_said, || run.to_string())?;
    // Nor is it written over by who has mistaken one file for another.
    let copy = site.folder().join("mistaken.wasm");
    fs::write(&copy, &module)?;
    let mut job = Command::new(&site.places.rankine);
    job.args(["run", "--record"]).arg(&copy).arg(&guest);
    let run = run_within(job, None, LIMIT)?;
    let is_said = run.stderr.contains("mistaken.wasm is there already, and is not a recording");
    check(run.ended == Ended::Status(1) && is_said && fs::read(&copy)? == module, || run.to_string())
}

/// An example in one language: where it is, its arguments, what must be in the listing of its recording, and the button that
/// ends it.
struct Example {
    source: &'static str,
    arguments: &'static [&'static str],
    listed: &'static [&'static str],
    stop: Option<&'static str>,
}

const LAPLACE: &[&str] = &["field    potential, ", "curve    middle, 300 points"];

const EXAMPLES: [Example; 5] = [
    Example { source: "07-laplace/laplace.c", arguments: &["96", "300"], listed: LAPLACE, stop: None },
    Example { source: "07-laplace/rust", arguments: &["96", "300"], listed: LAPLACE, stop: None },
    Example { source: "07-laplace/fortran/laplace.f90", arguments: &["96", "300"], listed: LAPLACE, stop: None },
    Example {
        source: "08-nozzle/rust",
        arguments: &["64", "100"],
        listed: &[
            "field    Mach number, ",
            "curve    change of the density, ",
            "control  inflow, at last 1",
            "control  pressure at the end, at last 0.75",
            "control  stop, ",
        ],
        stop: Some("stop"),
    },
    Example {
        source: "09-particles/rust",
        arguments: &["200", "20"],
        listed: &[
            "points   bodies, ",
            "curve    bodies of rank 0, ",
            "curve    bodies of rank 2, ",
            "control  colour, at last 0",
            "control  stop, ",
        ],
        stop: Some("stop"),
    },
];

impl Example {
    fn compile(&self, site: &Site) -> Result<PathBuf, Failed> {
        let source = site.places.root.join("examples").join(self.source);
        let name = self.source.replace(['/', '.'], "-");
        let output = site.folder().join(&name).with_extension("wasm");
        fs::create_dir_all(site.folder())?;
        let mut compiler = Command::new(&site.places.rankine);
        match source.extension().and_then(|extension| extension.to_str()) {
            Some("c") => compiler.arg("cc"),
            Some("f90") => compiler.arg("fc"),
            _ => {
                compiler = Command::new(option_env!("CARGO").unwrap_or("cargo"));
                let target = site.folder().join(&name);
                compiler.args(["build", "--release", "--target", "wasm32-wasip1", "--target-dir"]).arg(&target);
                compiler.current_dir(&source);
                let run = run_within(compiler, None, Duration::from_secs(600))?;
                check(run.ended == Ended::Status(0), || run.to_string())?;
                let built = fs::read_dir(target.join("wasm32-wasip1/release"))?.flatten().map(|entry| entry.path());
                let module =
                    built.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "wasm"));
                return Ok(module.ok_or("cargo made no module")?);
            }
        };
        compiler.arg("-O2").arg(&source).arg("-o").arg(&output);
        let run = run_within(compiler, None, LIMIT)?;
        check(run.ended == Ended::Status(0), || run.to_string())?;
        Ok(output)
    }

    /// Runs it while somebody looks, who presses its button when there have been some frames.
    fn record(&self, site: &Site, path: &Path) -> Result<(), Failed> {
        let record = format!("--record={}", path.display());
        let job = Job::start(&site.places.rankine, &["-n", "3", &record], &self.compile(site)?, self.arguments)?;
        // Who leaves at once may take back what was asked last: the socket drops what it has not sent yet.
        let visitor = self.stop.map(|stop| -> Result<Visitor, Failed> {
            let mut visitor = site.visit(&job)?;
            let mut frames = 0;
            while frames < 10 {
                frames += i32::from(matches!(visitor.hear()?, Said::Field(_) | Said::Points(_)));
            }
            visitor.set(stop, 1.0)?;
            Ok(visitor)
        });
        let _stays = visitor.transpose()?;
        let (status, printed, errors) = job.end()?;
        check(status == 0 && !printed.is_empty(), || format!("{}: {status}: {printed}{errors}", self.source))
    }
}

pub fn examples_are_recorded(site: &Site) -> Result<(), Failed> {
    for example in &EXAMPLES {
        let path = file(site, &example.source.replace(['/', '.'], "-"))?;
        example.record(site, &path)?;
        let list = command(site, &["view", "--list"], &path)?;
        for line in example.listed.iter().chain(&["ended    finished"]) {
            check(list.stdout.contains(line), || format!("{}: no {line:?} in\n{list}", example.source))?;
        }
        check(list.ended == Ended::Status(0) && !list.stdout.contains(", 0 frames"), || list.to_string())?;
    }
    Ok(())
}
