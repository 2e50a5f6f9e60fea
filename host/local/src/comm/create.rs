//! Communicators with the group of another, or a part of it (§7.4.2).

use std::rc::Rc;

use rankine_abi::{Comm, Group, Info, MPI_ERR_GROUP, MPI_ERR_TAG};

use super::Communicator;
use super::inter::agree_on_sides;
use super::party::{Name, Party, Tag, name};
use crate::attr;
use crate::context::{Context, TAG_UB, disagreement};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::info::Hints;
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
    let context = communicator.agree_on_context(r, Tag::DUPLICATE).await?;
    let attributes = attr::copy_all(r, comm.into()).await?;
    let copy = communicator.with_context(context, hints);
    *copy.attributes.borrow_mut() = attributes;
    r.add_comm(copy)
}

impl Communicator {
    /// A context for another communicator of the same ranks, the same in all of them.
    pub(crate) async fn agree_on_context(&self, r: &Rank, tag: Tag) -> Result<Context> {
        let mut word = 0;
        if self.rank == 0 && self.is_first() {
            word = Context::word(&r.world().new_context());
        }
        if self.rank == 0 && self.remote.is_some() {
            let leaders = Party::all(r, self, tag);
            if self.is_first() {
                leaders.send(0, &[word]).await?;
            } else {
                [word] = leaders.receive_all(0).await?;
            }
        }
        let local = self.local.as_deref().unwrap_or(self);
        let [word] = Party::all(r, local, tag).broadcast([word]).await?;
        Context::from_word(word)
    }

    /// A context for communicators of parts of an intracommunicator, of which this rank is in the one that it names, or
    /// in none. No rank is in two, so one context serves all of them. An error in every rank unless all members of each
    /// part name the same one.
    pub(crate) async fn agree_on_parts(&self, r: &Rank, tag: Tag, mine: Option<Name>) -> Result<Context> {
        let party = Party::all(r, self, tag);
        let names = party.gather(mine.unwrap_or_default()).await?;
        let mut word = 0;
        if self.rank == 0 {
            word = Context::word(&check_parts(names).and_then(|()| r.world().new_context()));
        }
        let [word] = party.broadcast([word]).await?;
        Context::from_word(word)
    }

    /// Whether its local group decides where both groups of an intercommunicator have to agree.
    pub(super) fn is_first(&self) -> bool {
        self.remote.as_ref().is_none_or(|remote| self.group.get(0) < remote.get(0))
    }

    /// A copy in a context of its own, without name and attributes.
    pub(super) fn with_context(&self, context: Context, hints: Hints) -> Communicator {
        let mut copy = self.child(context, self.group.clone(), self.rank);
        if let Some(remote) = &self.remote {
            copy = copy.to(remote.clone());
        }
        copy.topology = self.topology.clone();
        *copy.info.borrow_mut() = hints;
        copy
    }

    /// A new communicator that inherits this one's error handler.
    pub(crate) fn child(&self, context: Context, group: Rc<Members>, rank: i32) -> Communicator {
        let child = Communicator::new(context, group, rank).in_session(self.session);
        child.errhandler.set(self.errhandler.get());
        child
    }

    /// It as an intercommunicator to `remote`.
    pub(crate) fn to(mut self, remote: Rc<Members>) -> Communicator {
        self.remote = Some(remote);
        self.local = Some(Rc::new(Communicator::new(self.context.local(), self.group.clone(), self.rank)));
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

/// An error unless as many ranks name each part as it has members: as each of them is a member, they are all.
fn check_parts(mut names: Vec<Name>) -> Result<()> {
    names.retain(|&name| name != Name::default());
    names.sort_unstable();
    let is_whole = |part: &[Name]| part.len() == part[0][0] as usize;
    if names.chunk_by(|one, other| one == other).all(is_whole) { Ok(()) } else { Err(disagreement()) }
}

/// The context that its first member makes for a group. An error in those who name another group than this member.
pub(super) async fn agree_on_group(r: &Rank, party: &Party<'_>, name: Name) -> Result<Context> {
    let mut words = [0; 4];
    if party.is_first() {
        words = [Context::word(&r.world().new_context()), name[0], name[1], name[2]];
    }
    let [context, theirs @ ..] = party.broadcast(words).await?;
    if theirs == name { Context::from_word(context) } else { Err(disagreement()) }
}

/// `MPI_Comm_create`
pub async fn comm_create(r: &Rank, comm: Comm, group: Group) -> Result<Comm> {
    let (communicator, group) = (r.communicator(comm)?, r.group(group)?);
    communicator.contains(&group)?;
    let rank = group.find(r.me());
    if communicator.remote.is_some() {
        let (context, remote) = agree_on_sides(r, &communicator, &group).await?;
        return match rank {
            Some(rank) if !remote.is_empty() => {
                r.add_comm(communicator.child(context, group, rank).to(Rc::new(remote)))
            }
            _ => Ok(Comm::NULL),
        };
    }
    let context = communicator.agree_on_parts(r, Tag::CREATE, rank.map(|_| name(r, &group, ()))).await?;
    match rank {
        Some(rank) => r.add_comm(communicator.child(context, group, rank)),
        None => Ok(Comm::NULL),
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
    let party = Party::some(r, &communicator, &group, Tag::group(tag))?;
    let context = agree_on_group(r, &party, name(r, &group, tag)).await?;
    r.add_comm(communicator.child(context, group, rank))
}
