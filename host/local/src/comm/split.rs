//! Splitting a communicator by colour or by what its ranks share (§7.4.2).
//!
//! Rank 0 gathers all colours and keys, sorts them, and tells each rank its place; the lists of members are left on
//! the shelf, so that ten thousand ranks do not hold ten thousand lists of ten thousand.

use std::collections::BTreeMap;
use std::rc::Rc;

use rankine_abi::{
    Comm, Info, MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_HW_UNGUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED,
    MPI_COMM_TYPE_SHARED, MPI_ERR_ARG, MPI_UNDEFINED,
};

use super::Communicator;
use super::party::{Party, Tag};
use super::session::process_set;
use crate::context::{Context, disagreement};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::rank::Rank;

/// `MPI_Comm_split`
pub async fn comm_split(r: &Rank, comm: Comm, color: i32, key: i32) -> Result<Comm> {
    if color < 0 && color != MPI_UNDEFINED {
        return Err(Error::new(MPI_ERR_ARG, format!("color is {color}, which is neither 0 or more nor MPI_UNDEFINED")));
    }
    let communicator = r.communicator(comm)?;
    match split(r, &communicator, color, key).await? {
        Some(part) => r.add_comm(part),
        None => Ok(Comm::NULL),
    }
}

/// The part of a communicator that has this rank's colour.
pub(crate) async fn split(r: &Rank, comm: &Communicator, color: i32, key: i32) -> Result<Option<Communicator>> {
    let local = comm.local.as_deref().unwrap_or(comm);
    let party = Party::all(r, local, Tag::SPLIT);
    let all = party.gather([color, key]).await?;
    let mut places = Vec::new();
    if local.rank == 0 {
        places = assign(r, comm, parts(&all)).await?;
    }
    let Place { context, rank, group, remote } = Place::from(party.scatter(places).await?);
    let context = Context::from_word(context)?;
    if rank < 0 {
        return Ok(None);
    }
    let part = comm.child(context, Rc::new(r.fetch_group(group as u32).await?), rank);
    Ok(Some(match comm.remote {
        None => part,
        Some(_) => part.to(Rc::new(r.fetch_group(remote as u32).await?)),
    }))
}

/// What a rank is told.
#[derive(Clone, Copy)]
struct Place {
    /// The word of the context. The parts have no rank in common, so one serves all of them.
    context: i32,
    /// The rank in its part; -1 if it is in none.
    rank: i32,
    /// The ticket of its part.
    group: i32,
    /// That of the remote part.
    remote: i32,
}

impl From<[i32; 4]> for Place {
    fn from([context, rank, group, remote]: [i32; 4]) -> Place {
        Place { context, rank, group, remote }
    }
}

/// The ranks of each colour, in the order of their keys.
type Parts = BTreeMap<i32, Vec<i32>>;

fn parts(colors_and_keys: &[[i32; 2]]) -> Parts {
    let mut keyed: Vec<(i32, i32, i32)> =
        (0..).zip(colors_and_keys).map(|(rank, &[color, key])| (color, key, rank)).collect();
    keyed.sort_unstable();
    let mut parts = Parts::new();
    for (color, _, rank) in keyed {
        if color != MPI_UNDEFINED {
            parts.entry(color).or_default().push(rank);
        }
    }
    parts
}

/// For each rank of the local group its place.
async fn assign(r: &Rank, comm: &Communicator, mut parts: Parts) -> Result<Vec<[i32; 4]>> {
    let (context, mut remote) = if comm.remote.is_some() {
        exchange_parts(r, comm, &parts).await?
    } else {
        (Context::word(&r.world().new_context()), BTreeMap::new())
    };
    if comm.remote.is_some() {
        parts.retain(|color, _| remote.contains_key(color));
    }
    let mut places = vec![[context, -1, 0, 0]; comm.group.len()];
    if Context::from_word(context).is_err() {
        return Ok(places);
    }
    for (color, ranks) in parts {
        let group = r.world().shelf.leave(members(comm, &ranks), ranks.len());
        let far = remote.remove(&color).map_or(0, |members| r.world().shelf.leave(members, ranks.len()));
        for (rank, &member) in (0..).zip(&ranks) {
            places[member as usize] = [context, rank, group as i32, far as i32];
        }
    }
    Ok(places)
}

fn members(comm: &Communicator, ranks: &[i32]) -> Members {
    Members::list(ranks.iter().filter_map(|&rank| comm.group.get(rank)).collect())
}

/// The context that the first leader made, and the other leader's parts, in exchange for ours.
async fn exchange_parts(r: &Rank, comm: &Communicator, parts: &Parts) -> Result<(i32, BTreeMap<i32, Members>)> {
    let (shelf, leaders, first) = (&r.world().shelf, Party::all(r, comm, Tag::SPLIT), comm.is_first());
    let leave = |context: i32| -> Vec<i32> {
        let parts = parts.iter().map(|(&color, ranks)| [color, shelf.leave(members(comm, ranks), 1) as i32]);
        std::iter::once(context).chain(parts.flatten()).collect()
    };
    let mut context = 0;
    if first {
        context = Context::word(&r.world().new_context());
        leaders.send(0, &leave(context)).await?;
    }
    let theirs = leaders.receive(0).await?;
    let [word, tickets @ ..] = &theirs[..] else { return Err(disagreement()) };
    if !first {
        context = *word;
        leaders.send(0, &leave(context)).await?;
    }
    let mut remote = BTreeMap::new();
    for &[color, ticket] in tickets.as_chunks().0 {
        remote.insert(color, r.fetch_group(ticket as u32).await?);
    }
    Ok((context, remote))
}

/// The key of the info that says what a part of a guided split has in common.
const HARDWARE: &str = "mpi_hw_resource_type";
const PROCESS_SET: &str = "mpi_pset_name";
/// The kind of hardware that all ranks share.
pub(crate) const SHARED_MEMORY: &str = "mpi_shared_memory";

/// `MPI_Comm_split_type`. All ranks of a node share one memory; nothing is known of hardware below that.
pub async fn comm_split_type(r: &Rank, comm: Comm, split_type: i32, key: i32, info: Info) -> Result<Comm> {
    let communicator = r.communicator(comm)?;
    let hints = r.hints(info)?;
    let hint = |key: &str| hints.as_ref().and_then(|hints| hints.get(key));
    let color = match split_type {
        MPI_COMM_TYPE_SHARED => r.world().node(),
        MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_RESOURCE_GUIDED if hint(HARDWARE) == Some(SHARED_MEMORY) => {
            r.world().node()
        }
        // The lowest member of a process set tells it from others.
        MPI_COMM_TYPE_RESOURCE_GUIDED => match hint(PROCESS_SET).and_then(|name| process_set(r, name)) {
            Some(set) => set.get(0).map_or(MPI_UNDEFINED, |rank| rank as i32),
            None => MPI_UNDEFINED,
        },
        MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_HW_UNGUIDED | MPI_UNDEFINED => MPI_UNDEFINED,
        _ => return Err(Error::new(MPI_ERR_ARG, format!("split_type is {split_type}, which is not one of MPI's"))),
    };
    let Some(part) = split(r, &communicator, color, key).await? else { return Ok(Comm::NULL) };
    r.add_comm(part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::comm::{comm_free, comm_rank, comm_size};
    use crate::info::{info_create, info_set};
    use crate::testing::{both, turns};
    use crate::world::Options;

    proptest! {
        #[test]
        fn parts_are_sorted_by_key_then_rank(all in prop::collection::vec((-1i32..3, -3i32..3), 0..20)) {
            let all: Vec<(i32, i32)> =
                all.into_iter().map(|(color, key)| (if color < 0 { MPI_UNDEFINED } else { color }, key)).collect();
            let parts = parts(&all.iter().map(|&(color, key)| [color, key]).collect::<Vec<_>>());
            for wanted in 0..3 {
                let mut naive: Vec<i32> = (0..all.len() as i32).filter(|&rank| all[rank as usize].0 == wanted).collect();
                naive.sort_by_key(|&rank| all[rank as usize].1);
                prop_assert_eq!(parts.get(&wanted).cloned().unwrap_or_default(), naive);
            }
            prop_assert!(!parts.contains_key(&MPI_UNDEFINED));
        }
    }

    #[test]
    fn by_colour_in_the_order_of_keys() {
        for size in [1, 2, 3, 4, 8] {
            both(size, async |r| {
                let me = r.id() as i32;
                let part = comm_split(r, Comm::WORLD, me % 3, -me).await.unwrap();
                let same: Vec<i32> = (0..size as i32).rev().filter(|rank| rank % 3 == me % 3).collect();
                assert_eq!(comm_size(r, part).unwrap(), same.len() as i32);
                let rank = comm_rank(r, part).unwrap();
                assert_eq!(same[rank as usize], me);
                let again = comm_split(r, part, if rank == 0 { MPI_UNDEFINED } else { 5 }, 0).await.unwrap();
                assert_eq!(again == Comm::NULL, rank == 0);
                if again != Comm::NULL {
                    assert_eq!(comm_size(r, again).unwrap(), same.len() as i32 - 1);
                    assert_eq!(comm_free(r, again).await.unwrap(), Comm::NULL);
                }
                assert_eq!(comm_split(r, part, -1, 0).await.unwrap_err().class, MPI_ERR_ARG);
            });
        }
    }

    #[test]
    fn by_what_ranks_share() {
        both(4, async |r| {
            let me = r.id() as i32;
            let hint = |key, value| {
                let info = info_create(r).unwrap();
                info_set(r, info, key, value).unwrap();
                info
            };
            let size = async |kind, info| {
                let part = comm_split_type(r, Comm::WORLD, kind, -me, info).await.unwrap();
                if part == Comm::NULL { 0 } else { comm_size(r, part).unwrap() }
            };
            assert_eq!(size(MPI_COMM_TYPE_SHARED, Info::NULL).await, 4);
            let kind = if me == 2 { MPI_UNDEFINED } else { MPI_COMM_TYPE_SHARED };
            assert_eq!(size(kind, Info::NULL).await, if me == 2 { 0 } else { 3 });
            assert_eq!(size(MPI_COMM_TYPE_HW_UNGUIDED, Info::NULL).await, 0);
            assert_eq!(size(MPI_COMM_TYPE_HW_GUIDED, Info::NULL).await, 0);
            assert_eq!(size(MPI_COMM_TYPE_HW_GUIDED, hint(HARDWARE, SHARED_MEMORY)).await, 4);
            assert_eq!(size(MPI_COMM_TYPE_HW_GUIDED, hint(HARDWARE, "NUMANode")).await, 0);
            assert_eq!(size(MPI_COMM_TYPE_RESOURCE_GUIDED, hint(PROCESS_SET, "mpi://WORLD")).await, 4);
            assert_eq!(size(MPI_COMM_TYPE_RESOURCE_GUIDED, hint(PROCESS_SET, "mpi://SELF")).await, 1);
            assert_eq!(size(MPI_COMM_TYPE_RESOURCE_GUIDED, hint(PROCESS_SET, "mine")).await, 0);
            let error = comm_split_type(r, Comm::WORLD, 5, 0, Info::NULL).await.unwrap_err();
            assert_eq!(error.text, "split_type is 5, which is not one of MPI's");
        });
    }

    #[test]
    fn ranks_share_one_list() {
        const RANKS: usize = 2000;
        let (addresses, _) = turns(RANKS, Options::default(), async |r| {
            let key = (r.id() as i32 * 7) % 13;
            let part = split(r, &r.world_comm.clone(), 0, key).await.unwrap().unwrap();
            match &*part.group {
                Members::List(list) => list.as_ptr() as usize,
                Members::Range { .. } => panic!("these keys leave no order"),
            }
        });
        assert!(addresses.iter().all(|address| *address == addresses[0]));
    }
}
