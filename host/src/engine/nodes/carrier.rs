//! The life of the thread that carries letters: it starts the library, greets the other nodes, carries, and leaves.

use std::collections::HashMap;
use std::iter;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use rankine_guest::Who;
use rankine_local::World;
use rankine_local::away::Nodes;
use rankine_local::init::processor_name;
use rankine_nodes::library::{Functions, Greeting, Library as Wire, forgets_receives};
use rankine_nodes::{Carrier, End, Limits};

use super::{Command, Found, Last, Runs, words};
use crate::engine::local::check::merged;
use crate::report::apart;
use crate::run::ending::{Deadlock, Ending, Event, Remote, abort_status};
use crate::run::width::mixed;
use rankine_mpi::library::{Library, Symbol};
use rankine_mpi::{leftovers, symbols};

/// What this node brings to a job: what its ranks run, whether they have a core each, and how many all may be.
pub(super) struct Brought {
    pub runs: Runs,
    pub spins: bool,
    pub most: Option<usize>,
    /// Its ranks' calls are checked, which tells more of messages that were never received.
    pub is_checked: bool,
}

/// For as long a node may be silent whose ranks wait for a debugger, or stand still in one: years.
const WITH_DEBUGGER: u64 = 1 << 40;

/// Runs the thread. `ready` hears whether ranks may begin; `told` says what is to be done last, and `who` which rank one here is,
/// counted from the first. How the job has ended, if there is more to say of it than of the end of the ranks here.
pub(super) fn run(
    library: Library,
    world: &Arc<World>,
    remote: &Remote,
    (brought, has_debugger): (Brought, bool),
    ready: &Sender<Result<Command, String>>,
    (told, who): (&Receiver<Last>, &dyn Fn(usize) -> Option<Who>),
) -> Option<Ending> {
    let is_checked = brought.is_checked;
    let (post, command) = match begin(&library, world, brought) {
        Ok(begun) => begun,
        Err(why) => {
            let _ = ready.send(Err(why));
            return None;
        }
    };
    if super::neighbours() == 1 {
        // Nobody else joins it, and who is killed can't take its name back.
        leftovers::remove();
    }
    let mut limits = Limits::of(world.nodes().map_or(1, Nodes::count));
    if has_debugger {
        limits.patience = WITH_DEBUGGER;
    }
    let is_helped = post.changes_threads();
    let carrier = Carrier::new(world.clone(), post, limits);
    let carrier = if is_helped { carrier.with_help() } else { carrier };
    let _ = ready.send(Ok(command));
    let (left, mut post) = carrier.run();
    let over = elsewhere(left.end, left.why.as_deref(), world);
    if let Some(ending) = &over {
        remote.tell(Event::Over(ending.clone()));
    }
    let mut is_told = left.end != End::Deadlock;
    while let Ok(last) = told.recv() {
        match last {
            Last::Report(own, answer) => {
                is_told = true;
                let _ = answer.send(exchange(&mut post, world, own));
            }
            Last::Found(own, answer) => {
                let all = if left.end == End::Finished { gathered(&mut post, world, own) } else { Some(own) };
                let _ = answer.send(all);
            }
            // The ranks here had all left, and it is for others that the job has ended so. Nobody waits for them.
            Last::Finalize(_) if over.is_some() => {
                if let Some(Ending::Elsewhere(_)) = over {
                    std::thread::sleep(super::TO_END);
                }
                return over;
            }
            Last::Finalize(ending) => {
                let after_all = match (left.end, ending) {
                    // What a check has found tells more, and was told.
                    (End::Finished, Ending::Finished { .. }) if is_checked => None,
                    (End::Finished, Ending::Finished { status, unfinalized, .. }) => {
                        let own = unfinalized.is_empty().then(|| unreceived(world, who));
                        finished(&mut post, world, status, own)
                    }
                    _ if is_told => None,
                    (_, ending) => exchange(&mut post, world, all_left(world, &ending)).map(Ending::Deadlocked),
                };
                post.finalize();
                return after_all;
            }
            Last::Abort(status) => {
                post.abort(status);
                return None;
            }
        }
    }
    None
}

/// What is known of a deadlock here where all ranks had left, and come to this end.
fn all_left(world: &World, ending: &Ending) -> Deadlock {
    let (unfinalized, uninitialized) = match ending {
        Ending::Finished { unfinalized, uninitialized, .. } => (unfinalized.clone(), uninitialized.clone()),
        _ => Default::default(),
    };
    let ranks = world.nodes().into_iter().flat_map(|nodes| nodes.ranks_of(nodes.node));
    let is_other = |who: &Who| !unfinalized.contains(who) && !uninitialized.contains(who);
    let finalized = ranks.map(|rank| Who::from(rank as usize)).filter(is_other).collect();
    Deadlock { finalized, unfinalized, uninitialized, ..Deadlock::default() }
}

/// Adds to what is known of a deadlock at node 0 what all nodes know, in the order of nodes; nothing on the others.
fn exchange(post: &mut Wire, world: &World, mut own: Deadlock) -> Option<Deadlock> {
    if world.nodes().is_some_and(|nodes| nodes.node > 0) {
        if let Err(error) = post.report(&words::written(&own)) {
            tracing::warn!("what ranks of this node waited for could not be told: {error}");
        }
        return None;
    }
    let reports = post.reports().unwrap_or_default();
    own.add(reports.into_iter().flatten().map(|report| words::read(&report)));
    Some(own)
}

/// What a check has found on all nodes, at node 0; nothing on the others.
fn gathered(post: &mut Wire, world: &World, own: Found) -> Option<Found> {
    if world.nodes().is_some_and(|nodes| nodes.node > 0) {
        if let Err(error) = post.report(&words::written_found(own)) {
            tracing::warn!("what a check has found on this node could not be told: {error}");
        }
        return None;
    }
    let others = post.reports().unwrap_or_default().into_iter().flatten();
    Some(merged(iter::once(own).chain(others.map(|report| words::read_found(&report)))))
}

/// Messages that ranks here have never received, now that none comes any more.
fn unreceived(world: &World, who: &dyn Fn(usize) -> Option<Who>) -> Vec<(Who, String)> {
    world.unreceived().into_iter().filter_map(|(index, what)| Some((who(index)?, what))).collect()
}

/// The end of a job whose ranks have all returned, if messages are to be named at node 0 that ranks of any node never received.
/// They aren't where a rank has left without `MPI_Finalize`: that is told, and the rest follows from it.
fn finished(post: &mut Wire, world: &World, status: i32, own: Option<Vec<(Who, String)>>) -> Option<Ending> {
    if world.nodes().is_some_and(|nodes| nodes.node > 0) {
        if let Err(error) = post.report(&words::written_left(own.as_deref())) {
            tracing::warn!("what ranks of this node never received could not be told: {error}");
        }
        return None;
    }
    let others = post.reports().unwrap_or_default();
    let all = others.into_iter().flatten().map(|report| words::read_left(&report)).chain([own]);
    let mut all = all.collect::<Option<Vec<_>>>()?.concat();
    all.sort();
    let unreceived: Vec<String> = all.into_iter().map(|(who, what)| format!("{who} never received {what}")).collect();
    (!unreceived.is_empty()).then(|| Ending::Finished {
        status,
        unfinalized: Vec::new(),
        uninitialized: Vec::new(),
        unreceived,
    })
}

/// What carries letters needs of the library.
fn functions(library: &Library) -> Result<Functions, String> {
    fn of<S: Symbol>(library: &Library) -> Result<S::Function, String> {
        library.symbol::<S>().map_err(|error| error.text.to_string())
    }
    Ok(Functions {
        init_thread: of::<symbols::MPI_Init_thread>(library)?,
        set_errhandler: of::<symbols::MPI_Comm_set_errhandler>(library)?,
        rank: of::<symbols::MPI_Comm_rank>(library)?,
        size: of::<symbols::MPI_Comm_size>(library)?,
        allgather: of::<symbols::MPI_Allgather>(library)?,
        isend: of::<symbols::MPI_Isend>(library)?,
        test: of::<symbols::MPI_Test>(library)?,
        irecv: of::<symbols::MPI_Irecv>(library)?,
        cancel: of::<symbols::MPI_Cancel>(library)?,
        wait: of::<symbols::MPI_Wait>(library)?,
        iprobe: of::<symbols::MPI_Iprobe>(library)?,
        get_count: of::<symbols::MPI_Get_count>(library)?,
        recv: of::<symbols::MPI_Recv>(library)?,
        finalize: of::<symbols::MPI_Finalize>(library)?,
        abort: of::<symbols::MPI_Abort>(library)?,
    })
}

/// Starts the library and settles what nodes have to agree on. What this node runs of the whole.
fn begin(library: &Library, world: &Arc<World>, brought: Brought) -> Result<(Wire, Command), String> {
    let Brought { runs, spins, most, is_checked } = brought;
    let nodes = world.nodes().ok_or("a job of one process")?;
    // SAFETY: the library is this thread's alone, and MPI is not initialised.
    let post = unsafe { Wire::open(functions(library)?, nodes, forgets_receives(&library.version)) }?;
    let (ranks, numbering) = (nodes.count_of(nodes.node), nodes.numbering());
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    let Runs { names, programs, commands, is_wide } = runs;
    let (has_cores, host) = (spins, processor_name());
    let most = most.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
    let own =
        Greeting { ranks, numbering, has_cores, most, names, programs, commands, is_wide, is_checked, secret, host };
    let all = post.greet(&own)?;
    let (first, mut known) = (&all[0], HashMap::new());
    for (node, other) in (0..).zip(&all) {
        let expected = nodes.count_of(node);
        if other.ranks != expected {
            return Err(format!(
                "node {node} has {} ranks and should have {expected}, as node {} was told: give all the same -n, or the same \
                 --ranks-by-node",
                other.ranks, nodes.node
            ));
        }
        if other.numbering != first.numbering {
            return Err(format!("node {node} numbers ranks in another way than node 0: give all the same --map-by"));
        }
        let (of, programs) = *known.entry(other.names).or_insert((node, other.programs));
        if other.programs != programs {
            return Err(format!("node {node} has another program by the name of node {of}'s: bring it the same file"));
        }
        if other.most != first.most {
            return Err(format!("node {node} and node 0 don't have the same --max-ranks, which is of the whole job"));
        }
        if other.is_checked != first.is_checked {
            return Err(format!("node {node} and node 0 don't both have --check: give it to all, or to none"));
        }
        if other.is_wide != first.is_wide {
            return Err(format!("node {node} and node 0 run different programs: {}", mixed(other.is_wide)));
        }
    }
    let words = first.secret.as_chunks::<8>().0;
    let secret = [words[0], words[1]].map(u64::from_le_bytes);
    let has_cores = all.iter().all(|node| node.has_cores);
    world.settle_nodes(secret, has_cores);
    if let Some(most) = first.most {
        world.limit_ranks(most);
    }
    let command = command(&all, nodes.node as usize);
    world.name_hosts(all.into_iter().map(|node| node.host).collect());
    Ok((post, command))
}

/// What a node runs: nodes that follow one another and have the same programs run the same commands.
fn command(nodes: &[Greeting], node: usize) -> Command {
    let mut runs = nodes.chunk_by(|one, next| (one.names, one.programs) == (next.names, next.programs));
    let (mut first, mut behind) = (0, 0);
    let same = runs.find(|same| {
        behind += same.len();
        let is_here = node < behind;
        first += if is_here { 0 } else { usize::from(same[0].commands) };
        is_here
    });
    Command { first, ranks: same.unwrap_or_default().iter().map(|node| node.ranks as usize).sum() }
}

/// How a job ends here that has ended for a reason of another node's.
fn elsewhere(end: End, why: Option<&str>, world: &World) -> Option<Ending> {
    let named = |node: u32| {
        let nodes = world.nodes().filter(|nodes| node < nodes.count())?;
        let ranks: Vec<Who> = nodes.ranks_of(node).map(|rank| Who::from(rank as usize)).collect();
        Some(format!("node {node} ({})", apart::ranks(&ranks)))
    };
    let name = |node| named(node).unwrap_or_else(|| format!("node {node}"));
    match end {
        End::Finished | End::Deadlock => None,
        End::Aborted { rank, .. } if world.is_here(rank) => None,
        End::Aborted { code, .. } => Some(Ending::Elsewhere(abort_status(code))),
        End::Gone { node } => {
            let what = why.map_or_else(String::new, |why| format!(": {why}"));
            Some(Ending::Failed(format!("{} is gone, and the job can't go on without it{what}", name(node))))
        }
        End::Broken { node } => {
            let what = why.map_or_else(String::new, |why| format!(": {why}"));
            Some(Ending::Failed(format!("{} can't go on{what}", name(node))))
        }
    }
}

#[cfg(test)]
mod tests {
    use rankine_local::away::Numbering;

    use super::*;

    #[test]
    fn commands_are_counted_over_nodes() {
        let node = |names: u8, commands| Greeting {
            ranks: names.into(),
            numbering: Numbering::Blocks,
            has_cores: false,
            most: None,
            names: [names; 16],
            programs: [names; 16],
            commands,
            is_wide: false,
            is_checked: false,
            secret: [0; 16],
            host: String::new(),
        };
        let nodes = [node(1, 2), node(1, 2), node(2, 1), node(1, 2)];
        let commands = [0, 1, 2, 3].map(|at| command(&nodes, at)).map(|Command { first, ranks }| (first, ranks));
        assert_eq!(commands, [(0, 2), (0, 2), (2, 2), (3, 1)]);
    }
}
