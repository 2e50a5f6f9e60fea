//! Intercommunicators (§7.6): two groups that talk to each other.
//!
//! Where both groups have to agree, their leaders (rank 0 of each) do so, and each tells its own. The group whose
//! leader comes first in the world decides.

use std::rc::Rc;

use rankine_abi::{Comm, MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_TAG};

use super::party::{Name, Party, Tag, name};
use super::{Communicator, no_intercomm};
use crate::context::{Context, TAG_UB, disagreement};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::rank::Rank;

/// What both groups of an intercommunicator need for one of parts of it, of which this rank gives its own side's: a
/// context, and the other side's part. An error in every rank unless all members of each part give the same one.
pub(super) async fn agree_on_sides(r: &Rank, comm: &Communicator, group: &Members) -> Result<(Context, Members)> {
    let local = comm.local.as_deref().ok_or_else(no_intercomm)?;
    let (party, shelf) = (Party::all(r, local, Tag::CREATE), &r.world().shelf);
    // The leader need not be in the part: its first member leaves it on the shelf.
    let ticket = if group.get(0) == Some(r.me()) { shelf.leave(group.clone(), 1) as i32 } else { 0 };
    let [members, low, high] = if group.find(r.me()).is_some() { name(r, group, ()) } else { Name::default() };
    let parts = party.gather([members, low, high, ticket]).await?;
    let mut words = [0; 2];
    if comm.rank == 0 {
        words = match exchange_parts(r, comm, only_part(r, &parts).await).await? {
            Ok((context, part)) => [Context::word(&Ok(context)), shelf.leave(part, local.group.len()) as i32],
            Err(error) => [Context::word(&Err(error)), 0],
        };
    }
    let [context, ticket] = party.broadcast(words).await?;
    Ok((Context::from_word(context)?, r.fetch_group(ticket as u32).await?))
}

/// The part that all its members name, and no other rank; nobody if no rank names any.
async fn only_part(r: &Rank, parts: &[[i32; 4]]) -> Result<Members> {
    let mut parts_left = Vec::new();
    for part in parts.iter().filter(|part| part[3] != 0) {
        parts_left.push(r.fetch_group(part[3] as u32).await);
    }
    let names: Vec<&[i32]> = parts.iter().map(|part| &part[..3]).filter(|name| name[0] != 0).collect();
    let Some(first) = names.first() else { return Ok(Members::EMPTY) };
    let is_whole = names.len() == first[0] as usize && names.iter().all(|name| name == first);
    match parts_left.into_iter().next() {
        Some(part) if is_whole => part,
        _ => Err(disagreement()),
    }
}

/// Gives the other leader this side's part, or says that there is none; the context and the other side's part. The outer
/// error is for whom the other leader can't be reached.
async fn exchange_parts(r: &Rank, comm: &Communicator, part: Result<Members>) -> Result<Result<(Context, Members)>> {
    let (first, shelf) = (comm.is_first(), &r.world().shelf);
    // Any context says that all is well; the first side's is the one.
    let context = part.as_ref().map(|_| if first { r.world().new_context() } else { Ok(comm.context) });
    let mine = match context.unwrap_or_else(|_| Err(disagreement())) {
        Ok(context) => [Context::word(&Ok(context)), shelf.leave(part?, 1) as i32],
        Err(error) => [Context::word(&Err(error)), 0],
    };
    let theirs = Party::all(r, comm, Tag::CREATE).exchange(0, first, mine).await?;
    let far = if theirs[1] == 0 { Err(disagreement()) } else { r.fetch_group(theirs[1] as u32).await };
    let context =
        Context::from_word(mine[0]).and_then(|mine| Context::from_word(theirs[0]).map(|theirs| (mine, theirs)));
    Ok(context.and_then(|(mine, theirs)| Ok((if first { mine } else { theirs }, far?))))
}

/// `MPI_Intercomm_create`. `peer_comm` and `remote_leader` are significant at the local leader only.
pub async fn intercomm_create(
    r: &Rank,
    local_comm: Comm,
    local_leader: i32,
    peer_comm: Comm,
    remote_leader: i32,
    tag: i32,
) -> Result<Comm> {
    let local = r.intracommunicator(local_comm)?;
    if local.group.get(local_leader).is_none() {
        let text = format!("local_leader is {local_leader}, but local_comm has ranks 0 to {}", local.size() - 1);
        return Err(Error::new(MPI_ERR_RANK, text));
    }
    let party = Party::led_by(r, &local, local_leader, Tag::BRIDGE);
    let mut words = [0; 3];
    let mut failed = None;
    if local.rank == local_leader {
        match lead(r, &local, peer_comm, remote_leader, tag).await {
            Ok((context, remote)) => {
                words = [1, Context::word(&Ok(context)), r.world().shelf.leave(remote, local.group.len()) as i32];
            }
            // The group waits for its leader, and shall hear of the mistake.
            Err(error) => failed = Some(error),
        }
    }
    let [good, context, ticket] = party.broadcast(words).await?;
    if let Some(error) = failed {
        return Err(error);
    }
    if good == 0 {
        return Err(Error::new(MPI_ERR_COMM, format!("the local leader, rank {local_leader}, found no remote group")));
    }
    let (context, remote) = (Context::from_word(context)?, r.fetch_group(ticket as u32).await?);
    r.add_comm(local.child(context, local.group.clone(), local.rank).to(Rc::new(remote)))
}

/// What the leaders of `MPI_Intercomm_create` agree on: the context, and each other's group.
async fn lead(
    r: &Rank,
    local: &Communicator,
    peer_comm: Comm,
    remote_leader: i32,
    tag: i32,
) -> Result<(Context, Members)> {
    let peer_comm = r.communicator(peer_comm)?;
    let other = peer_comm.peers().get(remote_leader).ok_or_else(|| {
        let text =
            format!("remote_leader is {remote_leader}, but peer_comm has ranks 0 to {}", peer_comm.peers().len() - 1);
        Error::new(MPI_ERR_RANK, text)
    })?;
    if !(0..=TAG_UB).contains(&tag) {
        return Err(Error::new(MPI_ERR_TAG, format!("tag is {tag}, but has to be 0 or more")));
    }
    if local.group.find(other).is_some() {
        let text = format!("remote_leader {remote_leader} is in local_comm: the groups are not disjoint");
        return Err(Error::new(MPI_ERR_RANK, text));
    }
    let leaders = Party::all(r, &peer_comm, Tag::leaders(tag));
    let shelf = &r.world().shelf;
    let first = r.me() < other;
    let context = if first { Context::word(&r.world().new_context()) } else { 0 };
    let mine = [context, shelf.leave(Members::clone(&local.group), 1) as i32];
    let theirs = leaders.exchange(remote_leader as usize, first, mine).await?;
    let remote = r.fetch_group(theirs[1] as u32).await?;
    if !local.group.intersection(&remote).is_empty() {
        return Err(Error::new(MPI_ERR_COMM, "the local and the remote group are not disjoint"));
    }
    Ok((Context::from_word(if first { context } else { theirs[0] })?, remote))
}

/// `MPI_Intercomm_merge`. The group that says low comes first; if both say the same, the one that has the lower rank 0
/// in the world.
pub async fn intercomm_merge(r: &Rank, intercomm: Comm, high: bool) -> Result<Comm> {
    let comm = r.communicator(intercomm)?;
    let (Some(local), Some(remote)) = (&comm.local, &comm.remote) else { return Err(no_intercomm()) };
    let first = comm.is_first();
    let mut words = [0; 2];
    if comm.rank == 0 {
        let context = if first { Context::word(&r.world().new_context()) } else { 0 };
        let mine = [context, i32::from(high)];
        let theirs = Party::all(r, &comm, Tag::MERGE).exchange(0, first, mine).await?;
        let low = if mine[1] == theirs[1] { first } else { !high };
        let merged = if low { comm.group.union(remote) } else { remote.union(&comm.group) };
        let ticket = r.world().shelf.leave(merged, local.group.len());
        words = [if first { context } else { theirs[0] }, ticket as i32];
    }
    let [context, ticket] = Party::all(r, local, Tag::MERGE).broadcast(words).await?;
    let merged = r.fetch_group(ticket as u32).await?;
    let rank = merged.find(r.me()).ok_or_else(disagreement)?;
    r.add_comm(comm.child(Context::from_word(context)?, Rc::new(merged), rank))
}
