//! Intercommunicators (§7.6): two groups that talk to each other.
//!
//! Where both groups have to agree, their leaders (rank 0 of each) do so, and each tells its own. The group whose
//! leader comes first in the world decides.

use std::rc::Rc;

use rankine_abi::{Comm, MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_TAG};

use super::party::{Party, Tag};
use super::{Communicator, no_intercomm};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::pt2pt::TAG_UB;
use crate::rank::Rank;

/// The other leader's words, in exchange for ours; one of the two is `first` and sends first.
pub(super) async fn exchange(leaders: &Party<'_>, other: usize, first: bool, mine: &[i32]) -> Result<Vec<i32>> {
    if first {
        leaders.send_list(other, mine).await?;
    }
    let theirs = leaders.receive_list(other).await?;
    if !first {
        leaders.send_list(other, mine).await?;
    }
    Ok(theirs)
}

/// Everybody of an intercommunicator's two groups learns which `group` the other side gave.
pub(super) async fn exchange_groups(r: &Rank, comm: &Communicator, group: &Members) -> Result<Members> {
    let local = comm.local.as_deref().ok_or_else(no_intercomm)?;
    let shelf = &r.world().shelf;
    let mut ticket = [0];
    if comm.rank == 0 {
        let mine = [shelf.leave(group.clone(), 1) as i32];
        let theirs = exchange(&Party::all(r, comm, Tag::GROUPS), 0, comm.is_first(), &mine).await?;
        ticket[0] = shelf.leave(shelf.fetch(theirs[0] as u32)?, local.group.len()) as i32;
    }
    Party::all(r, local, Tag::GROUPS).broadcast(&mut ticket).await?;
    shelf.fetch(ticket[0] as u32)
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
    let mut words = [0; 3];
    if local.rank == local_leader {
        words = match lead(r, &local, peer_comm, remote_leader, tag).await {
            Ok((context, remote)) => [1, context as i32, r.world().shelf.leave(remote, local.group.len()) as i32],
            // The group waits for its leader, and shall hear of the mistake.
            Err(error) => {
                Party::led_by(r, &local, local_leader, Tag::BRIDGE).broadcast(&mut [0; 3]).await?;
                return Err(error);
            }
        };
    }
    Party::led_by(r, &local, local_leader, Tag::BRIDGE).broadcast(&mut words).await?;
    let [good, context, ticket] = words;
    if good == 0 {
        return Err(Error::new(MPI_ERR_COMM, format!("the local leader, rank {local_leader}, found no remote group")));
    }
    let remote = r.world().shelf.fetch(ticket as u32)?;
    r.add_comm(local.child(context as u32, local.group.clone(), local.rank).to(Rc::new(remote)))
}

/// What the leaders of `MPI_Intercomm_create` agree on: the context, and each other's group.
async fn lead(r: &Rank, local: &Communicator, peer_comm: Comm, remote_leader: i32, tag: i32) -> Result<(u32, Members)> {
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
    let context = if first { r.world().new_contexts(2) } else { 0 };
    let mine = [context as i32, shelf.leave(Members::clone(&local.group), 1) as i32];
    let theirs = exchange(&leaders, remote_leader as usize, first, &mine).await?;
    let remote = shelf.fetch(theirs[1] as u32)?;
    if !local.group.intersection(&remote).is_empty() {
        return Err(Error::new(MPI_ERR_COMM, "the local and the remote group are not disjoint"));
    }
    Ok((if first { context } else { theirs[0] as u32 }, remote))
}

/// `MPI_Intercomm_merge`. The group that says low comes first; if both say the same, the one that has the lower rank 0
/// in the world.
pub async fn intercomm_merge(r: &Rank, intercomm: Comm, high: bool) -> Result<Comm> {
    let comm = r.communicator(intercomm)?;
    let (Some(local), Some(remote)) = (&comm.local, &comm.remote) else { return Err(no_intercomm()) };
    let first = comm.is_first();
    let mut words = [0; 3];
    if comm.rank == 0 {
        let context = if first { r.world().new_contexts(1) } else { 0 };
        let mine = [context as i32, i32::from(high)];
        let theirs = exchange(&Party::all(r, &comm, Tag::MERGE), 0, first, &mine).await?;
        let context = if first { context } else { theirs[0] as u32 };
        let low = if mine[1] == theirs[1] { first } else { !high };
        let merged = if low { comm.group.union(remote) } else { remote.union(&comm.group) };
        words = [context as i32, i32::from(low), r.world().shelf.leave(merged, local.group.len()) as i32];
    }
    Party::all(r, local, Tag::MERGE).broadcast(&mut words).await?;
    let [context, low, ticket] = words;
    let rank = if low != 0 { comm.rank } else { comm.rank + remote.len() as i32 };
    r.add_comm(comm.child(context as u32, Rc::new(r.world().shelf.fetch(ticket as u32)?), rank))
}
