//! Ranks of several nodes, each a process with some of them: node 0 serves the page, and the others' parts come to it.

use std::process::Command;

use libtest_mimic::Failed;
use rankine_view_wire::{Load, Ranks, Said};

use super::chromium::LIMIT;
use super::job::{Job, Visitor, is_late};
use super::mpiexec::mpiexec;
use super::process::{Ended, run_within};
use super::processes::hear_level;
use super::{Site, check};

/// So many nodes that run a guest.
fn start(site: &Site, nodes: u32, guest: usize, options: &[&str]) -> Result<Job, Failed> {
    let options: Vec<&str> = ["--engine", "nodes"].iter().chain(options).copied().collect();
    Job::launch(mpiexec(&site.places, nodes), &site.places.rankine, &options, &site.guest(guest)?)
}

/// What is in a recording.
fn list(site: &Site, path: &std::path::Path, lines: &[&str]) -> Result<(), Failed> {
    let mut list = Command::new(&site.places.rankine);
    list.args(["view", "--list"]).arg(path);
    let run = run_within(list, None, LIMIT)?;
    let is_whole = lines.iter().all(|line| run.stdout.contains(line));
    check(run.ended == Ended::Status(0) && is_whole, || run.to_string())
}

fn stop(visitor: &mut Visitor) -> Result<(), Failed> {
    visitor.set("stop", 1.0)?;
    loop {
        if let Said::Ended(how) = visitor.hear()? {
            return check(how == "finished", || how);
        }
    }
}

pub fn ranks_of_nodes_are_shown_and_steered(site: &Site) -> Result<(), Failed> {
    for (how, map) in [("--threads", "--map-by=slot"), ("--fibers", "--map-by=node")] {
        let path = site.folder().join(format!("nodes{how}.rkv"));
        let record = format!("--record={}", path.display());
        let job = start(site, 2, 0, &["-n", "2", how, map, &record])?;
        // Nobody waits for who never reads.
        let stalled = site.visit(&job)?;
        let mut visitor = site.visit(&job)?;
        hear_level(&mut visitor, 1.0, 4)?;
        for level in [2.0f32, 0.5, 5.0] {
            visitor.set("level", level.into())?;
            hear_level(&mut visitor, level, 4)?;
        }
        visitor.set("shape", 1.0)?;
        stop(&mut visitor)?;
        drop(stalled);
        let (status, printed, errors) = job.end()?;
        let is_right = status == 0 && printed.starts_with("stopped at level 5, shape ");
        check(is_right, || format!("{status}: {printed}{errors}"))?;
        list(site, &path, &["program  waves.wasm, 4 ranks", "field    u, ", "curve    level, ", "ended    finished"])?;
    }
    Ok(())
}

/// Points that wander from node to node are whole, in every frame.
pub fn points_of_nodes_are_shown(site: &Site) -> Result<(), Failed> {
    let job = start(site, 2, 5, &["-n", "2"])?;
    let mut visitor = site.visit(&job)?;
    let mut seen = 0;
    while seen < 10 {
        match visitor.hear()? {
            Said::Points(points) if points.name == "plane" => {
                let columns = points.columns();
                let mut numbers: Vec<i32> = (0..24).map(|n| (columns[0][n] + 6.0 * columns[1][n]) as i32).collect();
                numbers.sort_unstable();
                check(numbers.iter().copied().eq(0..24), || format!("torn: {columns:?}"))?;
                seen += 1;
            }
            Said::Notice(text) if !is_late(&text) => return Err(text.into()),
            _ => {}
        }
    }
    stop(&mut visitor)?;
    job.succeed()
}

/// What ranks of all nodes wait for, have moved, and have of memory.
pub fn for_whom_ranks_of_nodes_wait(site: &Site) -> Result<(), Failed> {
    let job = start(site, 3, 9, &["-n", "1"])?;
    let mut visitor = site.visit(&job)?;
    let mut sent = 0.0;
    let memory = loop {
        let load = match visitor.hear()? {
            Said::Ranks(Ranks { load: Some(load), .. }) => load,
            Said::Untold(text) => return Err(text.into()),
            _ => continue,
        };
        let Load { awaits, memory, sent: bytes, .. } = load;
        sent += bytes[2];
        let is_named = awaits[0] == "MPI_Recv from rank 2, tag 7" && awaits[1].starts_with("MPI_Barrier for rank ");
        if is_named && sent >= 2e6 && memory.iter().all(|rank| rank.guest > 0.0) {
            break memory;
        }
    };
    check(memory[1].guest > memory[0].guest + 4e7, || format!("{memory:?}"))?;
    stop(&mut visitor)?;
    job.succeed()
}

pub fn what_another_node_shows_last_is_recorded(site: &Site) -> Result<(), Failed> {
    let path = site.folder().join("nodes-last.rkv");
    let mut command = mpiexec(&site.places, 2);
    command.arg(&site.places.rankine).args(["run", "--engine", "nodes", "-n", "2"]);
    command.arg(format!("--record={}", path.display())).arg(site.guest(10)?);
    let run = run_within(command, None, LIMIT)?;
    check(run.ended == Ended::Status(0), || run.to_string())?;
    list(site, &path, &["field    u, ", "text     last of rank 3", "ended    finished"])
}
