//! What the page tells of every program's ranks: memory, bytes moved over time, and for whom each waits.

use libtest_mimic::Failed;
use rankine_view_wire::{Load, Ranks, Said};

use super::chromium::Chromium;
use super::job::Job;
use super::{Site, check};

/// The number of the guest.
const GUEST: usize = 9;
/// What rank 1 has more than others.
const MORE: f64 = (48 << 20) as f64;

pub fn for_whom_ranks_wait_and_what_they_have(site: &Site) -> Result<(), Failed> {
    for how in ["--threads", "--fibers"] {
        let job = site.start(&["-n", "3", how], GUEST, &[])?;
        let mut visitor = site.visit(&job)?;
        let (mut sent, mut received) = (0.0, 0.0);
        let is_there = |words: &[String], sent: f64| {
            words[0] == "MPI_Recv from rank 2, tag 7" && words[1].starts_with("MPI_Barrier for rank ") && sent >= 2e6
        };
        // What is waited for comes in time, however slow the machine is; whoever listens gives up at last.
        let last = loop {
            let Said::Ranks(Ranks { load: Some(load), .. }) = visitor.hear()? else { continue };
            (sent, received) = (sent + load.sent[2], received + load.received[0]);
            if is_there(&load.awaits, sent) {
                break load;
            }
        };
        check(received >= 2e6 && received <= sent + 1e6, || format!("sent {sent}, received {received}"))?;
        let Load { memory, awaits, .. } = last;
        // Who sleeps waits for nobody.
        check(awaits[2].is_empty(), || format!("{awaits:?}"))?;
        let is_more = memory[1].guest >= MORE && memory[1].guest < memory[0].guest + 1.5 * MORE;
        check(is_more && memory[0].guest < MORE, || format!("{memory:?}"))?;
        check(memory.iter().all(|rank| rank.host > 0.0 && rank.most >= rank.all()), || format!("{memory:?}"))?;
        visitor.set("stop", 1.0)?;
        job.succeed()?;
    }
    Ok(())
}

/// Samples of the timeline add up to what the counters of the tools interface say.
pub fn the_timeline_adds_up_to_the_counters(site: &Site) -> Result<(), Failed> {
    for how in ["--threads", "--fibers"] {
        let job = site.start(&["-n", "3", how], GUEST, &["count"])?;
        let mut visitor = site.visit(&job)?;
        let (mut counted, mut sums, mut received, mut quiet) = ([None; 3], [0.0; 3], [0.0; 3], 0);
        let total = loop {
            match visitor.hear()? {
                Said::Text { name, text } => {
                    let rank = name.strip_prefix("sent by ").and_then(|rank| rank.parse::<usize>().ok());
                    counted[rank.ok_or("another text")?] = Some(text.parse::<f64>()?);
                }
                Said::Ranks(Ranks { load: Some(load), .. }) => {
                    for rank in 0..3 {
                        sums[rank] += load.sent[rank];
                        received[rank] += load.received[rank];
                    }
                    quiet += usize::from(counted.iter().all(Option::is_some));
                }
                Said::Traffic { bytes, .. } if quiet > 2 => break bytes,
                _ => {}
            }
        };
        let counted = counted.map(Option::unwrap_or_default);
        check(sums == counted, || format!("the timeline has {sums:?}, and the counters {counted:?}"))?;
        // A hundred bytes ten times or more, half of a megabyte, and a part of a window.
        check(sums.iter().all(|bytes| *bytes > 0.5e6), || format!("{sums:?}"))?;
        let rows: Vec<f64> = total.chunks(3).map(|row| row.iter().sum()).collect();
        check(rows == sums && received.iter().sum::<f64>() == sums.iter().sum::<f64>(), || {
            format!("{total:?}, {received:?}")
        })?;
        job.kill()?;
    }
    Ok(())
}

pub fn a_browser_shows_memory_and_for_whom_ranks_wait(site: &Site) -> Result<(), Failed> {
    let path = site.folder().join("busy.rkv");
    let record = format!("--record={}", path.display());
    let job = site.start(&["-n", "3", &record], GUEST, &[])?;
    let mut browser = Chromium::start(&site.folder().join("profile-busy"))?;
    let tab = browser.open(&job.url)?;
    let line = "[...document.querySelectorAll('.awaits li')].some((line) => \
                line.textContent === 'rank 0 in MPI_Recv from rank 2, tag 7')";
    browser.wait(&tab, line)?;
    check_memory(&mut browser, &tab)?;
    // Rank 2 has sent a megabyte at a time, and rank 1 little at any.
    let pixels = "((canvas) => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const brightest = (row) => Math.max(...Array.from({length: canvas.width}, (_, x) => data[4 * (row * canvas.width + x)]));
        return canvas.height === 3 && brightest(2) > brightest(1) + 20 && brightest(0) > brightest(1) + 20;
    })(document.querySelector('canvas.moved'))";
    browser.wait(&tab, pixels)?;
    browser.wait(&tab, "document.querySelector('.most-moved').textContent.includes('MB in one sample')")?;
    browser.value(
        &tab,
        "[...document.querySelectorAll('#controls button')].find((b) => b.textContent === 'stop').click()",
    )?;
    browser.wait(&tab, "document.getElementById('state').textContent === 'finished'")?;
    job.succeed()?;
    // All of it is in the recording.
    let replay = Job::replay(&site.places.rankine, &path)?;
    let tab = browser.open(&replay.url)?;
    browser.wait(&tab, "document.getElementById('moment') !== null && document.getElementById('moment').max > 2")?;
    browser.press(&tab, "End", 35)?;
    check_memory(&mut browser, &tab)?;
    browser.press(&tab, "Home", 36)?;
    for _ in 0..200 {
        browser.press(&tab, "ArrowRight", 39)?;
        if browser.value(&tab, line)? == true {
            return replay.kill();
        }
    }
    Err("no moment of the recording says for whom rank 0 waits".into())
}

/// The table says that rank 1 has more than others.
fn check_memory(browser: &mut Chromium, tab: &super::Tab) -> Result<(), Failed> {
    let cells = "[...document.querySelectorAll('.memory tbody tr')].map((line) => [...line.children].map((cell) => cell.textContent))";
    let large = |column: usize| {
        format!("((lines) => lines.length === 3 && /^[56]\\d\\.\\d MB$/.test(lines[1][{column}]))({cells})")
    };
    browser.wait(tab, &large(1))?;
    browser.wait(tab, &large(3))
}
