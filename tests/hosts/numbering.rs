//! Ranks of the engine nodes that are numbered in turn (`--map-by node`), on two nodes of this machine.

use super::process::{Ended, Run, run_within};
use super::{LIMIT, Site, check};
use libtest_mimic::Failed;
use std::process::Command;

/// Two nodes with these options, and arguments of the guest.
fn on_two_nodes(site: &Site, options: [&[&str]; 2], arguments: &[&str]) -> Result<Run, Failed> {
    let guest = site.compiled("beside")?;
    let mut command = Command::new(site.places.mpi_bin.join("mpiexec"));
    command.env("RANKINE_MPI_LIB", site.library());
    for (at, options) in options.into_iter().enumerate() {
        command.args((at > 0).then_some(":")).args(["-n", "1"]).arg(&site.places.rankine);
        command.args(["run", "--engine", "nodes"]).args(options).arg(&guest).args(arguments);
    }
    Ok(run_within(command, None, LIMIT)?)
}

fn on_all(site: &Site, options: &[&str], arguments: &[&str]) -> Result<Run, Failed> {
    on_two_nodes(site, [options; 2], arguments)
}

pub fn ranks_are_dealt_until_a_node_is_full(site: &Site) -> Result<(), Failed> {
    let even = on_all(site, &["-n", "2", "--map-by", "node", "--label"], &[])?;
    check(&even, 0, &["[0] 0: 0 2", "[1] 1: 1 3", "[2] 2: 0 2", "[3] 3: 1 3"])?;
    let cyclic = on_all(site, &["--ranks-by-node", "3,1", "--distribution=cyclic"], &[])?;
    check(&cyclic, 0, &["0: 0 2 3", "1: 1", "2: 0 2 3", "3: 0 2 3"])?;
    check(&on_all(site, &["-n", "2", "--map-by", "slot"], &[])?, 0, &["0: 0 1", "1: 0 1", "2: 2 3", "3: 2 3"])
}

pub fn a_deadlock_names_them_in_order(site: &Site) -> Result<(), Failed> {
    let run = on_all(site, &["-n", "2", "--map-by", "node"], &["stuck"])?;
    let waits = |rank: usize| format!("rank {rank} waits in MPI_Recv: a message from any rank with tag {rank} in");
    let told: Vec<usize> = (0..4).filter_map(|rank| run.stderr.find(&waits(rank))).collect();
    let is_in_order = told.len() == 4 && told.is_sorted();
    if is_in_order && run.stderr.matches("deadlock").count() == 1 { Ok(()) } else { Err(run.to_string().into()) }
}

pub fn all_nodes_have_to_count_alike(site: &Site) -> Result<(), Failed> {
    let refusals = [
        (["--map-by", "node"], "node 1 numbers ranks in another way than node 0: give all the same --map-by"),
        (["--max-ranks", "9"], "node 1 and node 0 don't have the same --max-ranks, which is of the whole job"),
    ];
    for (options, said) in refusals {
        let run = on_two_nodes(site, [&[&["-n", "2"], &options[..]].concat(), &["-n", "2"]], &[])?;
        if !run.stderr.contains(said) || run.ended == Ended::Status(0) {
            return Err(run.to_string().into());
        }
    }
    Ok(())
}
