//! Ranks in processes of their own, over an MPI library: the first one serves the page, and the others' parts come to it.

use std::process::Command;

use libtest_mimic::Failed;
use rankine_view_wire::Said;

use super::chromium::{Chromium, LIMIT};
use super::job::{Job, Visitor};
use super::mpiexec::mpiexec;
use super::process::{Ended, run_within};
use super::{CELLS, Site, check, check_pixels, levels};

/// Two processes that run the guest with the waves.
fn start(site: &Site, options: &[&str]) -> Result<Job, Failed> {
    Job::launch(mpiexec(&site.places, 2), &site.places.rankine, options, &site.guest(0)?)
}

/// Listens until all ranks have this level, and no frame is torn on the way.
pub fn hear_level(visitor: &mut Visitor, level: f32, ranks: usize) -> Result<(), Failed> {
    loop {
        let frame = visitor.frame()?;
        let levels = levels(&frame);
        check(levels.len() == CELLS && frame.parts.len() == ranks, || format!("{} cells", levels.len()))?;
        check(levels.iter().all(|other| *other == levels[0]), || format!("torn: {levels:?}"))?;
        if levels[0] == level {
            return Ok(());
        }
    }
}

pub fn ranks_in_processes_are_shown_and_steered(site: &Site) -> Result<(), Failed> {
    let path = site.folder().join("processes.rkv");
    let record = format!("--record={}", path.display());
    let job = start(site, &[&record])?;
    // Nobody waits for who never reads.
    let stalled = site.visit(&job)?;
    let mut visitor = site.visit(&job)?;
    let (mut untold, mut memory) = (String::new(), Vec::new());
    while untold.is_empty() || memory.len() < 2 {
        match visitor.hear()? {
            Said::Untold(text) => untold = text,
            Said::Ranks(ranks) => {
                check(ranks.waited.iter().all(|part| part.is_nan()), || format!("{:?}", ranks.waited))?;
                let load = ranks.load.ok_or("a sample without memory")?;
                memory = load.memory.into_iter().filter(|rank| rank.guest > 0.0 && rank.most >= rank.all()).collect();
            }
            _ => {}
        }
    }
    check(untold.contains("does not tell when ranks wait"), || untold)?;
    hear_level(&mut visitor, 1.0, 2)?;
    for level in [2.0f32, 0.5, 5.0] {
        visitor.set("level", level.into())?;
        hear_level(&mut visitor, level, 2)?;
    }
    visitor.set("shape", 1.0)?;
    visitor.set("stop", 1.0)?;
    loop {
        if let Said::Ended(how) = visitor.hear()? {
            check(how == "finished", || how)?;
            break;
        }
    }
    drop(stalled);
    let (status, printed, errors) = job.end()?;
    check(status == 0 && printed.starts_with("stopped at level 5, shape "), || format!("{status}: {printed}{errors}"))?;
    // And recorded.
    let mut list = Command::new(&site.places.rankine);
    list.args(["view", "--list"]).arg(&path);
    let run = run_within(list, None, LIMIT)?;
    let is_listed = ["program  waves.wasm, 2 ranks", "field    u, ", "curve    level, ", "ended    finished"];
    let is_whole = is_listed.iter().all(|line| run.stdout.contains(line));
    check(run.ended == Ended::Status(0) && is_whole, || run.to_string())
}

pub fn a_browser_shows_ranks_in_processes(site: &Site) -> Result<(), Failed> {
    let mut job = start(site, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-processes"))?;
    let tab = browser.open(&job.url)?;
    browser.wait(&tab, "document.querySelector('canvas.field') !== null && document.querySelector('.scale span').textContent === '100'")?;
    check_pixels(&mut browser, &tab)?;
    browser.value(&tab, "document.querySelector('#controls input[type=range]').focus()")?;
    browser.press(&tab, "ArrowRight", 39)?;
    browser.press(&tab, "ArrowRight", 39)?;
    browser.wait(&tab, "document.querySelector('.scale span').textContent === '200'")?;
    check_pixels(&mut browser, &tab)?;
    // What is known of the ranks is shown, and the page says of the rest that it isn't.
    let lines =
        "[...document.querySelectorAll('.memory tbody tr')].filter((line) => / ([kM])B/.test(line.textContent)).length";
    browser.wait(&tab, &format!("{lines} === 2"))?;
    let told = "document.querySelector('.untold').checkVisibility() && !document.querySelector('.timeline').checkVisibility() && \
                document.querySelector('.untold').textContent.includes('does not tell when ranks wait')";
    check(browser.value(&tab, told)? == true, || "the page doesn't say what it can't tell".into())?;
    // The page pauses all processes.
    browser.value(&tab, "document.getElementById('pause').click()")?;
    browser.wait(&tab, "document.getElementById('state').textContent === 'paused'")?;
    browser.value(&tab, "document.getElementById('pause').click()")?;
    browser.close(&tab)?;
    check(job.runs(), || "the job ended with a tab".into())?;
    let mut visitor = site.visit(&job)?;
    hear_level(&mut visitor, 2.0, 2)?;
    visitor.set("stop", 1.0)?;
    job.succeed()
}

pub fn several_hosts_are_told_what_to_do(site: &Site) -> Result<(), Failed> {
    let mut command = Command::new(&site.places.rankine);
    command.args(["run", "--hosts", "a,b", "-n", "2", "--view"]).arg(site.guest(0)?);
    let run = run_within(command, None, LIMIT)?;
    let is_said = run.stderr.contains("--view is not for --hosts")
        && run.stderr.contains("mpiexec -n N rankine run --engine nodes --view");
    check(run.ended == Ended::Status(2) && is_said, || run.to_string())
}
