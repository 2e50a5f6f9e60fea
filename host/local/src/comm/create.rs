//! Communicators with the group of another, or a part of it (§7.4.2).

use std::rc::Rc;

use rankine_abi::{Comm, Group, Info, MPI_ERR_GROUP, MPI_ERR_TAG};

use super::Communicator;
use super::inter::exchange_groups;
use super::party::{Party, Tag};
use crate::attr;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::info::Hints;
use crate::pt2pt::TAG_UB;
use crate::rank::Rank;

/// `MPI_Comm_dup`
pub async fn comm_dup(r: &Rank, comm: Comm) -> Result<Comm> {
    let communicator = r.communicator(comm)?;
    let hints = communicator.info.borrow().clone();
    duplicate(r, comm, &communicator, hints).await
}

/// `MPI_Comm_dup_with_info`
pub async fn comm_dup_with_info(r: &Rank, comm: Comm, info: Info) -> Result<Comm> {
    let communicator = r.communicator(comm)?;
    let hints = r.hints(info)?;
    duplicate(r, comm, &communicator, hints).await
}

async fn duplicate(r: &Rank, comm: Comm, communicator: &Communicator, hints: Hints) -> Result<Comm> {
    let context = communicator.agree_on_context(r).await?;
    let attributes = attr::copy_all(r, comm.into()).await?;
    let copy = communicator.with_context(context, hints);
    *copy.attributes.borrow_mut() = attributes;
    r.add_comm(copy)
}

impl Communicator {
    /// A context that no other communicator has, the same in all ranks; intercommunicators get one for their local
    /// groups, too. It can serve several new communicators of which no rank is in two.
    pub(crate) async fn agree_on_context(&self, r: &Rank) -> Result<u32> {
        self.agree_with(r, Tag::CONTEXT).await
    }

    pub(super) async fn agree_with(&self, r: &Rank, tag: Tag) -> Result<u32> {
        let mut words = [0];
        match &self.local {
            None => {
                let party = Party::all(r, self, tag);
                if self.rank == 0 {
                    words[0] = r.world().new_contexts(1) as i32;
                }
                party.broadcast(&mut words).await?;
            }
            Some(local) => {
                let (leaders, party) = (Party::all(r, self, tag), Party::all(r, local, tag));
                if self.rank == 0 && self.is_first() {
                    words[0] = r.world().new_contexts(2) as i32;
                    leaders.send(0, &words).await?;
                } else if self.rank == 0 {
                    leaders.receive(0, &mut words).await?;
                }
                party.broadcast(&mut words).await?;
            }
        }
        Ok(words[0] as u32)
    }

    /// Whether its local group decides where both groups of an intercommunicator have to agree.
    pub(super) fn is_first(&self) -> bool {
        self.remote.as_ref().is_none_or(|remote| self.group.get(0) < remote.get(0))
    }

    /// A copy in a context of its own, without name and attributes.
    pub(super) fn with_context(&self, context: u32, hints: Hints) -> Communicator {
        let mut copy = self.child(context, self.group.clone(), self.rank);
        if let Some(remote) = &self.remote {
            copy = copy.to(remote.clone());
        }
        copy.topology = self.topology.clone();
        *copy.info.borrow_mut() = hints;
        copy
    }

    /// A new communicator that inherits this one's error handler.
    pub(crate) fn child(&self, context: u32, group: Rc<Members>, rank: i32) -> Communicator {
        let child = Communicator::new(context, group, rank).in_session(self.session);
        child.errhandler.set(self.errhandler.get());
        child
    }

    /// It as an intercommunicator to `remote`. It takes two contexts: of the intercommunicator, and of each local
    /// group.
    pub(super) fn to(mut self, remote: Rc<Members>) -> Communicator {
        self.remote = Some(remote);
        self.local = Some(Rc::new(Communicator::new(self.context + 2, self.group.clone(), self.rank)));
        self
    }

    /// An error unless `group` is part of the local group.
    fn contains(&self, group: &Members) -> Result<()> {
        let index = self.group.index();
        match group.iter().position(|world| index.find(world).is_none()) {
            None => Ok(()),
            Some(rank) => Err(Error::new(
                MPI_ERR_GROUP,
                format!("rank {rank} of the group is not a rank of the communicator's local group"),
            )),
        }
    }
}

/// `MPI_Comm_create`
pub async fn comm_create(r: &Rank, comm: Comm, group: Group) -> Result<Comm> {
    let (communicator, group) = (r.communicator(comm)?, r.group(group)?);
    communicator.contains(&group)?;
    let context = communicator.agree_on_context(r).await?;
    let remote = match communicator.local {
        None => None,
        Some(_) => Some(exchange_groups(r, &communicator, &group).await?),
    };
    match (group.find(r.me()), remote) {
        // Groups of different ranks are equal or disjoint, so one context serves all of them.
        (Some(rank), None) => r.add_comm(communicator.child(context, group, rank)),
        (Some(rank), Some(remote)) if !remote.is_empty() => {
            r.add_comm(communicator.child(context, group, rank).to(Rc::new(remote)))
        }
        _ => Ok(Comm::NULL),
    }
}

/// `MPI_Comm_create_group`
pub async fn comm_create_group(r: &Rank, comm: Comm, group: Group, tag: i32) -> Result<Comm> {
    let (communicator, group) = (r.intracommunicator(comm)?, r.group(group)?);
    communicator.contains(&group)?;
    if !(0..=TAG_UB).contains(&tag) {
        return Err(Error::new(MPI_ERR_TAG, format!("tag is {tag}, but has to be 0 or more")));
    }
    let Some(rank) = group.find(r.me()) else { return Ok(Comm::NULL) };
    let mut words = [0];
    if rank == 0 {
        words[0] = r.world().new_contexts(1) as i32;
    }
    Party::some(r, &communicator, &group, rank, Tag::group(tag)).broadcast(&mut words).await?;
    r.add_comm(communicator.child(words[0] as u32, group, rank))
}
