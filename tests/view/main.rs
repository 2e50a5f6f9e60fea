//! The live view of whole jobs: in a real browser, and attempts to reach it without permission. The page itself is in
//! `host/view`.

mod arrays;
mod busy;
mod chromium;
mod described;
mod fortran;
mod hostile;
mod job;
#[path = "../harness/mpiexec.rs"]
mod mpiexec;
mod nodes;
#[path = "../harness/places.rs"]
mod places;
mod planes;
mod points;
#[path = "../harness/process.rs"]
mod process;
mod processes;
mod recorded;
mod tabs;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use chromium::{Chromium, LIMIT, Tab};
use job::{Job, Visitor, is_late};
use libtest_mimic::{Arguments, Failed, Trial};
use places::Places;
use process::{Ended, run_within};
use rankine_view_wire::{Asked, Field, Said};

fn main() -> ExitCode {
    let site = Arc::new(Site { places: Places::find(), guests: Default::default() });
    let trials = [
        ("a_browser_draws_and_steers", a_browser_draws_and_steers as fn(&Site) -> Result<(), Failed>),
        ("all_ranks_change_at_the_same_step", all_ranks_change_at_the_same_step),
        ("late_ones_see_at_once_what_is_there", late_ones_see_at_once_what_is_there),
        ("who_is_slow_or_leaves_is_not_waited_for", who_is_slow_or_leaves_is_not_waited_for),
        ("who_has_no_business_here_is_refused", who_has_no_business_here_is_refused),
        ("a_program_pauses_and_goes_on", a_program_pauses_and_goes_on),
        ("who_was_late_and_who_sent", who_was_late_and_who_sent),
        ("every_thread_publishes", every_thread_publishes),
        ("fortran_shows_and_steers", fortran::fortran_shows_and_steers),
        ("a_browser_draws_points", points::a_browser_draws_points),
        ("distributed_arrays_are_shown", arrays::distributed_arrays_are_shown),
        ("parts_of_arrays_are_shown", arrays::parts_of_arrays_are_shown),
        ("planes_are_chosen_in_a_browser", planes::planes_are_chosen_in_a_browser),
        ("a_browser_shows_units_and_coordinates", described::a_browser_shows_units_and_coordinates),
        ("a_browser_draws_arrows", described::a_browser_draws_arrows),
        ("descriptions_are_recorded_and_exported", described::descriptions_are_recorded_and_exported),
        ("points_are_recorded_and_exported", points::points_are_recorded_and_exported),
        ("for_whom_ranks_wait_and_what_they_have", busy::for_whom_ranks_wait_and_what_they_have),
        ("the_timeline_adds_up_to_the_counters", busy::the_timeline_adds_up_to_the_counters),
        ("a_browser_shows_memory_and_for_whom_ranks_wait", busy::a_browser_shows_memory_and_for_whom_ranks_wait),
        ("a_tab_that_crashes_leaves_the_job_alone", tabs::a_tab_that_crashes_leaves_the_job_alone),
        ("a_tab_that_is_slow_leaves_the_job_alone", tabs::a_tab_that_is_slow_leaves_the_job_alone),
        ("the_page_is_light_or_dark", tabs::the_page_is_light_or_dark),
        ("the_page_fits_a_phone", tabs::the_page_fits_a_phone),
        ("without_a_view_nothing_is_shown", without_a_view_nothing_is_shown),
        ("a_hostile_guest_is_told_so_and_goes_on", hostile::a_hostile_guest_is_told_so_and_goes_on),
        ("a_recording_is_replayed_in_a_browser", recorded::a_recording_is_replayed_in_a_browser),
        ("a_recording_has_every_change_when_it_was_made", recorded::a_recording_has_every_change_when_it_was_made),
        ("what_a_killed_job_has_recorded_is_shown", recorded::what_a_killed_job_has_recorded_is_shown),
        ("a_job_is_recorded_without_a_page", recorded::a_job_is_recorded_without_a_page),
        ("frames_are_exported", recorded::frames_are_exported),
        ("examples_are_recorded", recorded::examples_are_recorded),
        ("what_is_no_recording_is_an_error", recorded::what_is_no_recording_is_an_error),
        ("ranks_in_processes_are_shown_and_steered", processes::ranks_in_processes_are_shown_and_steered),
        ("a_browser_shows_ranks_in_processes", processes::a_browser_shows_ranks_in_processes),
        ("ranks_of_nodes_are_shown_and_steered", nodes::ranks_of_nodes_are_shown_and_steered),
        ("points_of_nodes_are_shown", nodes::points_of_nodes_are_shown),
        ("for_whom_ranks_of_nodes_wait", nodes::for_whom_ranks_of_nodes_wait),
        ("what_another_node_shows_last_is_recorded", nodes::what_another_node_shows_last_is_recorded),
        ("several_hosts_are_told_what_to_do", processes::several_hosts_are_told_what_to_do),
    ];
    let trials = trials.into_iter().map(|(name, test)| {
        let site = site.clone();
        Trial::test(format!("view/{name}"), move || test(&site))
    });
    let given = Arguments::from_args();
    // They wait for pages and clocks most of the time.
    let test_threads = given.test_threads.or(Some(8));
    libtest_mimic::run(&Arguments { test_threads, ..given }, trials.collect()).exit_code()
}

/// What the trials share.
struct Site {
    places: Places,
    guests: [OnceLock<Result<PathBuf, String>>; GUESTS.len()],
}

const GUESTS: [&str; 11] = [
    "waves.c",
    "hostile.c",
    "late.c",
    "threads.c",
    "fortran.f90",
    "points.c",
    "arrays.c",
    "distributed.f90",
    "described.c",
    "busy.c",
    "last.c",
];

impl Site {
    fn folder(&self) -> PathBuf {
        self.places.target.join("view")
    }

    /// One of [`GUESTS`], compiled once.
    fn guest(&self, which: usize) -> Result<PathBuf, Failed> {
        let source = self.places.root.join("tests/view").join(GUESTS[which]);
        let compile = || {
            let output = self.folder().join(GUESTS[which]).with_extension("wasm");
            fs::create_dir_all(self.folder()).map_err(|error| error.to_string())?;
            let mut cc = Command::new(&self.places.rankine);
            cc.args([if GUESTS[which].ends_with(".c") { "cc" } else { "fc" }, "-O1", "-g"]);
            cc.arg(source).arg("-o").arg(&output);
            if GUESTS[which] == "threads.c" {
                cc.arg("-fopenmp");
            }
            let run = run_within(cc, None, LIMIT)?;
            if run.ended == Ended::Status(0) { Ok(output) } else { Err(run.to_string()) }
        };
        Ok(self.guests[which].get_or_init(compile).clone()?)
    }

    fn start(&self, options: &[&str], which: usize, arguments: &[&str]) -> Result<Job, Failed> {
        Job::start(&self.places.rankine, options, &self.guest(which)?, arguments)
    }

    fn visit(&self, job: &Job) -> Result<Visitor, Failed> {
        Visitor::connect(job, None)?.map_err(|status| format!("refused with {status}").into())
    }
}

fn check(condition: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(what().into()) }
}

/// The level that each cell of the guest's field tells of.
fn levels(field: &Field) -> Vec<f32> {
    let part = |part: &rankine_view_wire::Part| {
        let columns = part.count[1];
        let cell = move |n: usize| {
            let (i, j) = (part.start[0] + n as u32 / columns, part.start[1] + n as u32 % columns);
            (part.values[n] - (10 * i + j) as f32) / 100.0
        };
        (0..part.values.len()).map(cell).collect::<Vec<f32>>()
    };
    field.parts.iter().flat_map(part).collect()
}

const CELLS: usize = 8 * 12;

/// The least and greatest number of the field at level 0.
const RANGE: [f64; 2] = [0.0, 81.0];

/// The colours of the map that a page begins with, from its authors' list.
const VIRIDIS: [[f64; 3]; 10] = [
    [68.0, 1.0, 84.0],
    [72.0, 40.0, 120.0],
    [62.0, 74.0, 137.0],
    [49.0, 104.0, 142.0],
    [38.0, 130.0, 142.0],
    [31.0, 158.0, 137.0],
    [53.0, 183.0, 121.0],
    [109.0, 205.0, 89.0],
    [180.0, 222.0, 44.0],
    [253.0, 231.0, 37.0],
];

/// The colour of a cell of the guest's field.
fn colour([i, j]: [u32; 2]) -> [f64; 3] {
    let part = (f64::from(10 * i + j) - RANGE[0]) / (RANGE[1] - RANGE[0]) * 9.0;
    let below = (part as usize).min(8);
    std::array::from_fn(|c| VIRIDIS[below][c] + (VIRIDIS[below + 1][c] - VIRIDIS[below][c]) * (part - below as f64))
}

/// The pixels in the middle of all cells, as the browser has drawn them.
const PIXELS: &str = "(() => {
    const from = document.querySelector('canvas.field');
    const to = new OffscreenCanvas(from.width, from.height).getContext('2d');
    to.drawImage(from, 0, 0);
    const pixel = (i, j) => [...to.getImageData((j + .5) / 12 * from.width, (i + .5) / 8 * from.height, 1, 1).data];
    return Array.from({length: 96}, (_, n) => pixel(Math.floor(n / 12), n % 12));
})()";

fn check_pixels(browser: &mut Chromium, tab: &Tab) -> Result<(), Failed> {
    let pixels = browser.value(tab, PIXELS)?;
    for n in 0..CELLS {
        let expected = colour([n as u32 / 12, n as u32 % 12]);
        let drawn: Vec<f64> = (0..4).map(|c| pixels[n][c].as_f64().unwrap_or(-1.0)).collect();
        // A texture has 256 shades, and a picture whole numbers.
        let is_equal = (0..3).all(|c| (drawn[c] - expected[c]).abs() <= 3.0) && drawn[3] == 255.0;
        check(is_equal, || format!("cell {n} is {drawn:?}, and should be {expected:?}"))?;
    }
    Ok(())
}

fn a_browser_draws_and_steers(site: &Site) -> Result<(), Failed> {
    let mut job = site.start(&["-n", "4"], 0, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile"))?;
    let tab = browser.open(&job.url)?;
    browser.wait(&tab, "document.querySelector('canvas.field') !== null && document.querySelector('.scale span').textContent === '100'")?;
    check_pixels(&mut browser, &tab)?;
    // The range of the colours is the field's.
    let ends =
        browser.value(&tab, "[...document.querySelectorAll('.scale span')].map((end) => end.textContent).join()")?;
    check(ends == "100,181", || format!("the colours go from {ends}"))?;
    // Names and texts of the guest are shown as they are.
    let shown = browser.value(&tab, "document.getElementById('texts').textContent")?;
    check(shown == "</script><img src=x onerror=alert(1)>a text & <i>no markup</i>", || format!("texts: {shown}"))?;
    let made = browser.value(&tab, "document.querySelectorAll('img, i, b, main script').length")?;
    check(made == 0, || format!("{made} elements were made of texts"))?;
    // The slider, by keys.
    browser.value(&tab, "document.querySelector('#controls input[type=range]').focus()")?;
    browser.press(&tab, "ArrowRight", 39)?;
    browser.press(&tab, "ArrowRight", 39)?;
    browser.wait(&tab, "document.querySelector('.scale span').textContent === '200'")?;
    check_pixels(&mut browser, &tab)?;
    // Single values, by keys.
    browser.value(&tab, "document.querySelector('canvas.field').focus()")?;
    for (key, code) in [("ArrowLeft", 37), ("ArrowUp", 38)] {
        browser.press(&tab, key, code)?;
    }
    browser.wait(&tab, "document.querySelector('.value').textContent === '[3, 5] = 235'")?;
    // What is shown, as files.
    browser.value(&tab, "URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; }; 0")?;
    browser
        .value(&tab, "[...document.querySelectorAll('.bar button')].find((b) => b.textContent === 'npy').click()")?;
    let saved = browser.value(&tab, "saved.arrayBuffer().then((bytes) => [...new Uint8Array(bytes)])")?;
    let saved: Vec<u8> = saved.as_array().into_iter().flatten().map(|byte| byte.as_u64().unwrap_or(0) as u8).collect();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 12), }";
    let numbers: Vec<u8> = (0..CELLS).flat_map(|n| (200.0 + (10 * (n / 12) + n % 12) as f32).to_le_bytes()).collect();
    let is_npy = saved.starts_with(b"\x93NUMPY\x01\x00") && saved.len() == 128 + numbers.len();
    check(is_npy && saved[10..].starts_with(header.as_bytes()) && saved[128..] == numbers, || format!("{saved:?}"))?;
    browser
        .value(&tab, "[...document.querySelectorAll('.bar button')].find((b) => b.textContent === 'vti').click()")?;
    let head = browser.value(&tab, "saved.slice(0, 300).text()")?;
    let is_vti = head.as_str().is_some_and(|head| head.contains("WholeExtent=\"0 11 0 7 0 0\""));
    check(is_vti, || head.to_string())?;
    zoom(&mut browser, &tab)?;
    // A second tab sees the same at once; closing the first ends nothing.
    let second = browser.open(&job.url)?;
    browser.close(&tab)?;
    browser.wait(&second, "document.querySelector('.scale span')?.textContent === '200'")?;
    check(job.runs(), || "the job ended with a tab".into())?;
    browser.value(
        &second,
        "[...document.querySelectorAll('#controls button')].find((b) => b.textContent === 'stop').click()",
    )?;
    browser.wait(&second, "document.getElementById('state').textContent === 'finished'")?;
    let (status, printed, errors) = job.end()?;
    check(status == 0 && printed == "stopped at level 2, shape 0\n", || format!("{status}: {printed}{errors}"))
}

/// A stretch of the curve is chosen, and all of it shown again.
fn zoom(browser: &mut Chromium, tab: &Tab) -> Result<(), Failed> {
    let stretch = "((about) => about === undefined ? null : about.split(' … ').map(Number))\
                   (document.querySelector('.plot .faint').textContent.split(' · ')[1])";
    let is_wide = |width: &str| format!("((s) => s !== null && {width})({stretch}) === true");
    browser.value(tab, "document.querySelector('canvas.curve').focus()")?;
    browser.press(tab, "+", 187)?;
    browser.wait(tab, &is_wide("s[0] > 0 && s[1] > s[0]"))?;
    browser.press(tab, "Escape", 27)?;
    browser.wait(tab, &format!("{stretch} === null"))?;
    // By the pointer, from a quarter to a half of what is drawn.
    let drag = "(() => {
        const canvas = document.querySelector('canvas.curve');
        const box = canvas.getBoundingClientRect();
        const at = (part) => ({clientX: box.left + 64 + part * (box.width - 72), clientY: box.top + 50, bubbles: true});
        canvas.dispatchEvent(new PointerEvent('pointerdown', at(.25)));
        canvas.dispatchEvent(new PointerEvent('pointerup', at(.5)));
    })()";
    browser.value(tab, drag)?;
    browser.wait(tab, &is_wide("s[1] > 1.8 * s[0] && s[1] < 2.2 * s[0]"))?;
    // The line is drawn from edge to edge, and beside the axis there is none of it.
    let line = "(() => {
        const canvas = document.querySelector('canvas.curve');
        const colour = getComputedStyle(canvas).accentColor.match(/\\d+/g).map(Number);
        const [columns, scale] = [canvas.width, canvas.width / canvas.clientWidth];
        const data = canvas.getContext('2d').getImageData(0, 0, columns, canvas.height).data;
        const has = (x) => Array.from({length: canvas.height}, (_, y) => 4 * (y * columns + x))
            .some((n) => data[n + 3] > 128 && colour.every((c, i) => Math.abs(data[n + i] - c) < 40));
        const at = (x) => has(Math.round(x * scale));
        return [at(58), at(70), at(canvas.clientWidth / 2), at(canvas.clientWidth - 12), at(canvas.clientWidth - 4)].join();
    })()";
    browser.wait(tab, &format!("{line} === 'false,true,true,true,false'"))?;
    browser.value(tab, "document.querySelector('canvas.curve').dispatchEvent(new MouseEvent('dblclick'))")?;
    browser.wait(tab, &format!("{stretch} === null"))
}

fn all_ranks_change_at_the_same_step(site: &Site) -> Result<(), Failed> {
    for how in ["--threads", "--fibers"] {
        let job = site.start(&["-n", "6", how], 0, &[])?;
        let mut visitor = site.visit(&job)?;
        for level in [2.0f32, 0.5, 5.0, 0.0, 3.5] {
            visitor.set("level", level.into())?;
            let start = Instant::now();
            loop {
                let frame = visitor.frame()?;
                let levels = levels(&frame);
                check(levels.len() == CELLS, || format!("{} cells", levels.len()))?;
                check(levels.iter().all(|other| *other == levels[0]), || format!("torn: {levels:?}"))?;
                if levels[0] == level {
                    break;
                }
                check(start.elapsed() < LIMIT, || format!("never at level {level}"))?;
            }
        }
        // What is beyond the bounds is brought back to them.
        visitor.set("shape", 9.0)?;
        visitor.set("level", 99.0)?;
        while levels(&visitor.frame()?)[0] != 5.0 {}
        visitor.set("stop", 1.0)?;
        let (status, printed, errors) = job.end()?;
        check(status == 0 && printed == "stopped at level 5, shape 1\n", || format!("{status}: {printed}{errors}"))?;
    }
    Ok(())
}

fn late_ones_see_at_once_what_is_there(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "4"], 0, &["once"])?;
    let mut first = site.visit(&job)?;
    let frame = first.frame()?;
    while first.step < 50.0 {
        first.hear()?;
    }
    let mut second = site.visit(&job)?;
    check(second.frame()? == frame, || "another frame".into())?;
    second.set("stop", 1.0)?;
    job.succeed()
}

fn who_is_slow_or_leaves_is_not_waited_for(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "4"], 0, &[])?;
    // They never read, and never say that they have drawn.
    let stalled: Vec<Visitor> = (0..3).map(|_| site.visit(&job)).collect::<Result<_, _>>()?;
    let mut visitor = site.visit(&job)?;
    let mut gone = site.visit(&job)?;
    gone.frame()?;
    drop(gone);
    let mut rude = site.visit(&job)?;
    rude.babble(&[0xff; 900])?;
    let mut vast = site.visit(&job)?;
    vast.babble(&[0; 100_000])?;
    let first = visitor.frame()?;
    for _ in 0..20 {
        let next = visitor.frame()?;
        check(next.step > first.step, || format!("step {} after {}", next.step, first.step))?;
    }
    drop(stalled);
    visitor.set("stop", 1.0)?;
    loop {
        if let Said::Ended(how) = visitor.hear()? {
            check(how == "finished", || how)?;
            break;
        }
    }
    job.succeed()
}

fn who_has_no_business_here_is_refused(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "2"], 0, &[])?;
    let (place, token) = job.place();
    let get = |path: &str, host: &str| job.request(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let (status, page) = get(&format!("/{token}/"), place)?;
    check(status == 200 && page.contains("Content-Security-Policy: default-src 'none'"), || page.clone())?;
    let wrong: String = token.chars().rev().collect();
    for (path, host, expected) in [
        (format!("/{wrong}/"), place, 403),
        ("/".into(), place, 403),
        (format!("/{token}/../../etc/passwd"), place, 404),
        (format!("/{token}/"), "evil.example", 403),
    ] {
        let (status, answer) = get(&path, host)?;
        check(status == expected, || format!("{path} at {host}: {answer}"))?;
    }
    check(job.request("nonsense\r\n\r\n")?.0 == 400, || "nonsense was understood".into())?;
    let vast = format!("GET /{token}/ HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(20_000));
    check(matches!(job.request(&vast)?.0, 0 | 400), || "a head without end was read".into())?;
    for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
        let refused = Visitor::connect(&job, Some(origin))?;
        check(matches!(refused, Err(403)), || format!("the page of {origin} was let in"))?;
    }
    let mut ours = Visitor::connect(&job, Some(&format!("http://{place}")))?.map_err(|status| format!("{status}"))?;
    ours.frame()?;
    // More than there is room for: they wait, and go away again.
    let crowd: Vec<_> = (0..200).filter_map(|_| std::net::TcpStream::connect(place).ok()).collect();
    ours.frame()?;
    drop(crowd);
    ours.set("stop", 1.0)?;
    job.succeed()
}

fn a_program_pauses_and_goes_on(site: &Site) -> Result<(), Failed> {
    let mut job = site.start(&["-n", "4"], 0, &[])?;
    let mut visitor = site.visit(&job)?;
    visitor.frame()?;
    visitor.ask(Asked::Pause(true))?;
    while visitor.hear()? != Said::Paused(true) {}
    let mut late = site.visit(&job)?;
    late.frame()?;
    while late.step < 0.0 {
        late.hear()?;
    }
    // One step for each that is asked for, and the one that may have been under way.
    let paused_at = late.step;
    for n in 0..=3 {
        while late.step < paused_at + f64::from(n) {
            late.hear()?;
        }
        // As long as two samples take, in which a program that runs would take many steps.
        for _ in 0..2 {
            while !matches!(late.hear()?, Said::Ranks(_)) {}
        }
        let steps = late.step - paused_at;
        check(steps <= f64::from(n + 1), || format!("{steps} steps from {paused_at}, and {n} were asked for"))?;
        if n < 3 {
            late.ask(Asked::Step)?;
        }
    }
    check(job.runs(), || "a pause ended the job".into())?;
    late.ask(Asked::Pause(false))?;
    while late.step < paused_at + 20.0 {
        late.hear()?;
    }
    late.set("stop", 1.0)?;
    job.succeed()
}

fn who_was_late_and_who_sent(site: &Site) -> Result<(), Failed> {
    for how in ["--threads", "--fibers"] {
        let job = site.start(&["-n", "4", how], 2, &[])?;
        let mut visitor = site.visit(&job)?;
        let (mut waited, mut samples) = ([0.0; 4], 0);
        let is_late = |waited: &[f64; 4]| [0, 2, 3].iter().all(|rank: &usize| waited[*rank] > 2.0 * waited[1]);
        let from_to = |bytes: &[f64], from: usize, to: usize| bytes[4 * from + to];
        let bytes = loop {
            match visitor.hear()? {
                Said::Ranks(ranks) => {
                    check(ranks.waited.len() == 4 && ranks.each == 1, || format!("{ranks:?}"))?;
                    check(ranks.waited.iter().all(|part| (0.0..=1.001).contains(part)), || format!("{ranks:?}"))?;
                    (0..4).for_each(|rank| waited[rank] += f64::from(ranks.waited[rank]) * ranks.span);
                    samples += 1;
                }
                Said::Traffic { bytes, .. } => {
                    // Where the machine makes the others late as well, it takes longer until that tells.
                    let is_there = is_late(&waited) && from_to(&bytes, 0, 2) >= 1e6;
                    if samples >= 12 && is_there || samples >= 240 {
                        break bytes;
                    }
                }
                _ => {}
            }
        };
        check(is_late(&waited), || format!("waited for {waited:?} s, and rank 1 is the one that is late"))?;
        // What barriers and broadcasts send is little.
        check((1e6..1.1e6).contains(&from_to(&bytes, 0, 2)), || format!("sent: {bytes:?}"))?;
        let others = bytes.iter().sum::<f64>() - from_to(&bytes, 0, 2);
        check(others < 0.5e6, || format!("sent: {bytes:?}"))?;
        visitor.set("stop", 1.0)?;
        job.succeed()?;
    }
    Ok(())
}

fn every_thread_publishes(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "2", "--threads-per-rank", "3"], 3, &[])?;
    let mut visitor = site.visit(&job)?;
    let (mut parts, mut turns, mut points) = (0, 0, 0);
    while parts < 10 || turns < 10 || points < 10 {
        match visitor.hear()? {
            Said::Field(field) => {
                check(field.shape == [12, 12], || format!("{:?}", field.shape))?;
                let levels = levels(&field);
                let is_whole = levels.len() == 12 * 12 && levels.iter().all(|level| *level == levels[0]);
                check(is_whole, || format!("{} is torn: {levels:?}", field.name))?;
                if field.name == "parts" {
                    check(levels[0] == (field.step % 50) as f32, || format!("{} at {}", levels[0], field.step))?;
                    check(field.parts.len() == 6, || format!("{} parts", field.parts.len()))?;
                    parts += 1;
                } else {
                    turns += 1;
                }
            }
            Said::Curve { points: new, .. } => {
                check(new.iter().all(|[_, thread]| *thread == 1.0), || format!("{new:?}"))?;
                points += new.len();
            }
            Said::Notice(text) if !is_late(&text) => return Err(text.into()),
            _ => {}
        }
    }
    visitor.set("stop", 1.0)?;
    let (status, printed, errors) = job.end()?;
    check(status == 0 && printed.is_empty(), || format!("{status}: {printed}{errors}"))
}

fn without_a_view_nothing_is_shown(site: &Site) -> Result<(), Failed> {
    let mut command = Command::new(&site.places.rankine);
    command.args(["run", "-n", "4"]).arg(site.guest(0)?);
    let run = run_within(command, None, LIMIT)?;
    let is_quiet = run.stdout == "stopped at level 1, shape 0\n" && run.stderr.is_empty();
    check(run.ended == Ended::Status(0) && is_quiet, || run.to_string())
}
