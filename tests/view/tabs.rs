//! Tabs that crash or are slow, and pages as other people see them: dark, or on a phone.

use libtest_mimic::Failed;
use rankine_view_wire::Said;
use serde_json::json;

use super::chromium::{Chromium, Tab};
use super::{Site, check};

/// The step of the field that a page shows.
const STEP: &str = "Number([...document.querySelectorAll('.card .faint')]\
                    .map((about) => about.textContent.match(/^step (\\d+)/)?.[1]).find((step) => step !== undefined) ?? -1)";

/// Waits until a page shows a later step than now.
fn goes_on(browser: &mut Chromium, tab: &Tab) -> Result<(), Failed> {
    let step = browser.value(tab, STEP)?;
    browser.wait(tab, &format!("{STEP} > {step}"))
}

pub fn a_tab_that_crashes_leaves_the_job_alone(site: &Site) -> Result<(), Failed> {
    let mut job = site.start(&["-n", "4"], 0, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-crash"))?;
    let (crashed, other) = (browser.open(&job.url)?, browser.open(&job.url)?);
    for tab in [&crashed, &other] {
        browser.wait(tab, "document.querySelector('canvas.field') !== null")?;
    }
    browser.crash(&crashed)?;
    goes_on(&mut browser, &other)?;
    // The job goes on, and who comes after is served.
    check(job.runs(), || "the job ended with a tab that crashed".into())?;
    let mut visitor = site.visit(&job)?;
    let first = visitor.frame()?.step;
    while visitor.frame()?.step < first + 20 {}
    visitor.set("stop", 1.0)?;
    browser.wait(&other, "document.getElementById('state').textContent === 'finished'")?;
    job.succeed()
}

pub fn a_tab_that_is_slow_leaves_the_job_alone(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "4"], 0, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-slow"))?;
    let slow = browser.open(&job.url)?;
    browser.wait(&slow, "document.querySelector('canvas.field') !== null")?;
    browser.emulate(&slow, "Emulation.setCPUThrottlingRate", json!({"rate": 20}))?;
    let mut visitor = site.visit(&job)?;
    let first = visitor.frame()?.step;
    let mut frames = 0;
    while frames < 40 {
        let next = visitor.frame()?.step;
        check(next > first, || format!("step {next} after {first}"))?;
        frames += 1;
    }
    // It sees what is new, now and then, and can steer.
    goes_on(&mut browser, &slow)?;
    browser.value(
        &slow,
        "[...document.querySelectorAll('#controls button')].find((b) => b.textContent === 'stop').click()",
    )?;
    loop {
        if let Said::Ended(how) = visitor.hear()? {
            check(how == "finished", || how)?;
            break;
        }
    }
    job.succeed()
}

/// How bright a colour of the page is, from 0 to 255.
fn brightness(browser: &mut Chromium, tab: &Tab, element: &str, property: &str) -> Result<f64, Failed> {
    let colour = format!("getComputedStyle(document.querySelector('{element}')).{property}.match(/\\d+/g).map(Number)");
    let colour = browser.value(tab, &colour)?;
    Ok((0..3).map(|part| colour[part].as_f64().unwrap_or(-1.0)).sum::<f64>() / 3.0)
}

pub fn the_page_is_light_or_dark(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "2"], 0, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-dark"))?;
    let tab = browser.open(&job.url)?;
    browser.wait(
        &tab,
        "document.querySelector('canvas.field') !== null && document.querySelector('canvas.timeline') !== null",
    )?;
    let texts = [["body", "color"], ["h1", "color"], [".card h2", "color"], ["#ranks", "color"], ["#pause", "color"]];
    for (scheme, is_dark) in [("dark", true), ("light", false), ("dark", true)] {
        let wanted = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.emulate(&tab, "Emulation.setEmulatedMedia", wanted)?;
        for paper in ["body", ".card", "header", "#pause"] {
            let paper = brightness(&mut browser, &tab, paper, "backgroundColor")?;
            check(if is_dark { paper < 60.0 } else { paper > 200.0 }, || format!("{scheme}: paper of {paper}"))?;
        }
        for [element, property] in texts {
            let ink = brightness(&mut browser, &tab, element, property)?;
            check(if is_dark { ink > 140.0 } else { ink < 115.0 }, || format!("{scheme}: {element} in {ink}"))?;
        }
    }
    job.kill()
}

pub fn the_page_fits_a_phone(site: &Site) -> Result<(), Failed> {
    let job = site.start(&["-n", "4"], 0, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-phone"))?;
    let tab = browser.open(&job.url)?;
    browser.wait(
        &tab,
        "document.querySelector('canvas.field') !== null && document.querySelector('.memory td') !== null",
    )?;
    for width in [320, 360, 844] {
        let phone = json!({"width": width, "height": 640, "deviceScaleFactor": 2, "mobile": true});
        browser.emulate(&tab, "Emulation.setDeviceMetricsOverride", phone)?;
        browser.wait(&tab, &format!("innerWidth === {width}"))?;
        // Nothing is wider than the screen, and the page can't be moved sideways.
        let wide = format!(
            "[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && \
             (e.getBoundingClientRect().right > {width} + .5 || e.getBoundingClientRect().left < -.5)) \
             .map((e) => e.tagName + '.' + e.className).join()"
        );
        let wide = browser.value(&tab, &wide)?;
        check(wide == "", || format!("{width} pixels: too wide are {wide}"))?;
        let scrolls = browser.value(&tab, "document.documentElement.scrollWidth")?;
        check(scrolls == width, || format!("{width} pixels: the page has {scrolls}"))?;
        // What can be touched is there where the finger comes, once it is scrolled to, and large enough for one.
        let hidden =
            "[...document.querySelectorAll('button, select, input')].filter((e) => e.checkVisibility()).filter((e) => {
            e.scrollIntoView({block: 'center'});
            const box = e.getBoundingClientRect();
            const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return !e.contains(at) || box.height < 12 || box.width < 24;
        }).map((e) => e.tagName + '#' + e.id + ' ' + e.textContent).join()";
        let hidden = browser.value(&tab, hidden)?;
        check(hidden == "", || format!("{width} pixels: out of reach are {hidden}"))?;
    }
    job.kill()
}
