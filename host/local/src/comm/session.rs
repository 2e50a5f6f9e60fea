//! Sessions and process sets (§11.3), and communicators that have no parent (§7.4.2, §7.6.2).
//!
//! A session keeps nothing but its hints and its level of thread support: all ranks of a world are there from its start.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use rankine_abi::{
    Comm, Errhandler, Group, Info, MPI_ERR_ARG, MPI_ERR_GROUP, MPI_ERR_INFO_VALUE, MPI_ERR_RANK, MPI_ERR_SESSION,
    MPI_MAX_STRINGTAG_LEN, MPI_THREAD_FUNNELED, MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED, MPI_THREAD_SINGLE, Session,
};
use rankine_guest::errhan::Serves;

use super::Communicator;
use super::create::agree_on_group;
use super::party::{Party, Tag, name};
use crate::context::{Context, disagreement};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::info::{self, Hints};
use crate::rank::Rank;

/// The process set of all ranks of the caller's world.
const WORLD: &str = "mpi://WORLD";
/// The process set of the calling rank.
const SELF: &str = "mpi://SELF";
const SETS: [&str; 2] = [WORLD, SELF];

/// The hint by which a session asks for a level of thread support, and tells which it has.
const THREAD_LEVEL: &str = "thread_level";
const LEVELS: [(&str, i32); 4] = [
    ("MPI_THREAD_SINGLE", MPI_THREAD_SINGLE),
    ("MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED),
    ("MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED),
    ("MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE),
];

/// A session that is open.
#[derive(Clone)]
pub(crate) struct Open {
    hints: Hints,
    level: i32,
}

/// The members of a process set. Programs write these names in either case.
pub(super) fn process_set(r: &Rank, name: &str) -> Option<Members> {
    if name.eq_ignore_ascii_case(WORLD) {
        Some(Members::clone(&r.world_comm.group))
    } else if name.eq_ignore_ascii_case(SELF) {
        Some(Members::range(r.me(), 1))
    } else {
        None
    }
}

fn named_set(r: &Rank, name: &str) -> Result<Members> {
    process_set(r, name).ok_or_else(|| {
        Error::new(MPI_ERR_ARG, format!("there is no process set {name:?}, only {WORLD:?} and {SELF:?}"))
    })
}

impl Rank {
    /// A session that is open.
    pub(crate) fn session(&self, session: Session) -> Result<Open> {
        self.comms.sessions.borrow().get(session.0).cloned().ok_or_else(|| no_session(session))
    }
}

#[cold]
fn no_session(session: Session) -> Error {
    let text = match session {
        Session::NULL => "the session is MPI_SESSION_NULL".into(),
        Session(handle) => format!("{handle:#x} is not a session of this rank (finalized, or never made)"),
    };
    Error::new(MPI_ERR_SESSION, text)
}

fn level_named(name: &str) -> Result<i32> {
    let level = LEVELS.iter().find(|(known, _)| *known == name);
    level.map(|&(_, level)| level).ok_or_else(|| {
        let text = format!("{THREAD_LEVEL} is {name:?}, which is not a level of thread support");
        Error::new(MPI_ERR_INFO_VALUE, text)
    })
}

/// `MPI_Session_init`
pub fn session_init(r: &Rank, info: Info, errhandler: Errhandler) -> Result<Session> {
    let hints = r.hints(info)?;
    r.check_handler(errhandler, Serves::Session)?;
    let asked = hints.as_ref().and_then(|hints| hints.get(THREAD_LEVEL)).map(level_named).transpose()?;
    let open = Open { hints, level: r.session_level(asked) };
    let session = r.comms.sessions.borrow_mut().add(open, "sessions").map(Session)?;
    r.adopt_handler(session, errhandler);
    r.count_sessions(1);
    Ok(session)
}

/// `MPI_Session_finalize`
pub async fn session_finalize(r: &Rank, session: Session) -> Result<Session> {
    r.session(session)?;
    r.flush_all().await;
    r.comms.sessions.borrow_mut().remove(session.0);
    r.forget_handler(session);
    r.count_sessions(-1);
    Ok(Session::NULL)
}

/// `MPI_Session_get_info`
pub fn session_get_info(r: &Rank, session: Session) -> Result<Info> {
    let Open { hints, level } = r.session(session)?;
    let info = r.add_info(&hints)?;
    let name = LEVELS.iter().find(|(_, known)| *known == level).map_or("", |(name, _)| name);
    info::info_set(r, info, THREAD_LEVEL, name)?;
    Ok(info)
}

/// `MPI_Session_get_num_psets`
pub fn session_get_num_psets(r: &Rank, session: Session, info: Info) -> Result<i32> {
    r.session(session)?;
    r.hints(info)?;
    Ok(SETS.len() as i32)
}

/// `MPI_Session_get_nth_pset`, the whole name.
pub fn session_get_nth_pset(r: &Rank, session: Session, info: Info, n: i32) -> Result<&'static str> {
    r.session(session)?;
    r.hints(info)?;
    let name = usize::try_from(n).ok().and_then(|n| SETS.get(n));
    name.copied().ok_or_else(|| Error::new(MPI_ERR_ARG, format!("n is {n}, but there are {} process sets", SETS.len())))
}

/// `MPI_Session_get_pset_info`
pub fn session_get_pset_info(r: &Rank, session: Session, pset_name: &str) -> Result<Info> {
    r.session(session)?;
    let size = named_set(r, pset_name)?.len();
    let info = info::info_create(r)?;
    info::info_set(r, info, "mpi_size", &size.to_string())?;
    Ok(info)
}

/// `MPI_Group_from_session_pset`
pub fn group_from_session_pset(r: &Rank, session: Session, pset_name: &str) -> Result<Group> {
    r.session(session)?;
    let group = r.add_group(Rc::new(named_set(r, pset_name)?))?;
    r.set_group_session(group, Some(session));
    Ok(group)
}

/// `MPI_Comm_create_from_group`
pub async fn comm_create_from_group(
    r: &Rank,
    group: Group,
    stringtag: &str,
    info: Info,
    errhandler: Errhandler,
) -> Result<Comm> {
    let session = r.group_session(group);
    let (group, hints, tag) = (r.group(group)?, r.hints(info)?, string_tag(stringtag)?);
    r.check_handler(errhandler, Serves::Comm)?;
    if group.is_empty() {
        return Ok(Comm::NULL);
    }
    let rank = own_rank(r, &group, "group")?;
    let party = Party::some(r, &r.world_comm, &group, Tag::orphans(tag))?;
    let context = agree_on_group(r, &party, name(r, &group, stringtag)).await?;
    add_orphan(r, Communicator::new(context, group, rank).in_session(session), hints, errhandler)
}

/// `MPI_Intercomm_create_from_groups`. The remote group is significant at the local leader only.
pub async fn intercomm_create_from_groups(
    r: &Rank,
    local_group: Group,
    local_leader: i32,
    remote_group: Group,
    remote_leader: i32,
    stringtag: &str,
    info: Info,
    errhandler: Errhandler,
) -> Result<Comm> {
    let session = r.group_session(local_group);
    let (local, hints, tag) = (r.group(local_group)?, r.hints(info)?, string_tag(stringtag)?);
    r.check_handler(errhandler, Serves::Comm)?;
    let rank = own_rank(r, &local, "local_group")?;
    if local.get(local_leader).is_none() {
        let text = format!("local_leader is {local_leader}, but local_group has ranks 0 to {}", local.len() - 1);
        return Err(Error::new(MPI_ERR_RANK, text));
    }
    let name = name(r, &local, stringtag);
    let mut words = [0; 6];
    let mut failed = None;
    if rank == local_leader {
        match lead(r, &local, remote_group, remote_leader, stringtag).await {
            Ok((context, remote)) => {
                let ticket = r.world().shelf.leave(remote, local.len()) as i32;
                words = [1, Context::word(&Ok(context)), ticket, name[0], name[1], name[2]];
            }
            // The group waits for its leader, and shall hear of the mistake.
            Err(error) => failed = Some(error),
        }
    }
    // The leader comes first, as the one who knows.
    let order = (0..local.len() as i32).map(|rank| (rank + local_leader) % local.len() as i32);
    let party = Members::list(order.filter_map(|rank| local.get(rank)).collect());
    let party = Party::some(r, &r.world_comm, &party, Tag::orphan_sides(tag))?;
    let [good, context, ticket, theirs @ ..] = party.broadcast(words).await?;
    if let Some(error) = failed {
        return Err(error);
    }
    if good == 0 {
        let text = format!("the local leader, rank {local_leader}, found no remote group");
        return Err(Error::new(MPI_ERR_GROUP, text));
    }
    let remote = r.fetch_group(ticket as u32).await?;
    if theirs != name {
        return Err(disagreement());
    }
    let communicator = Communicator::new(Context::from_word(context)?, local, rank);
    add_orphan(r, communicator.to(Rc::new(remote)).in_session(session), hints, errhandler)
}

/// The context that the leaders of two groups agree on, and the other's group.
async fn lead(
    r: &Rank,
    local: &Members,
    remote: Group,
    remote_leader: i32,
    stringtag: &str,
) -> Result<(Context, Members)> {
    let remote = r.group(remote)?;
    let other = remote.get(remote_leader).ok_or_else(|| {
        let text = format!("remote_leader is {remote_leader}, but remote_group has {} ranks", remote.len());
        Error::new(MPI_ERR_RANK, text)
    })?;
    if !local.intersection(&remote).is_empty() {
        return Err(Error::new(MPI_ERR_GROUP, "local_group and remote_group are not disjoint"));
    }
    let first = r.me() < other;
    let context = if first { Context::word(&r.world().new_context()) } else { 0 };
    let (near, far) = (name(r, local, stringtag), name(r, &remote, stringtag));
    let leaders = Party::all(r, &r.world_comm, Tag::orphan_leaders(string_tag(stringtag)?));
    let mine = [context, near[0], near[1], near[2], far[0], far[1], far[2]];
    let theirs = leaders.exchange(other as usize, first, mine).await?;
    if theirs[1..4] != far || theirs[4..] != near {
        return Err(disagreement());
    }
    Ok((Context::from_word(if first { context } else { theirs[0] })?, Members::clone(&remote)))
}

/// A handle for a communicator without a parent to inherit from.
fn add_orphan(r: &Rank, communicator: Communicator, hints: Hints, errhandler: Errhandler) -> Result<Comm> {
    communicator.errhandler.set(errhandler);
    *communicator.info.borrow_mut() = hints;
    r.add_comm(communicator)
}

fn own_rank(r: &Rank, group: &Members, what: &str) -> Result<i32> {
    group.find(r.me()).ok_or_else(|| Error::new(MPI_ERR_GROUP, format!("the calling rank is not a member of {what}")))
}

/// A hash of a string that tells apart what is made at the same time.
fn string_tag(tag: &str) -> Result<u64> {
    if tag.len() >= MPI_MAX_STRINGTAG_LEN as usize {
        let text = format!("stringtag has {} bytes, more than {}", tag.len(), MPI_MAX_STRINGTAG_LEN - 1);
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    let mut hasher = DefaultHasher::new();
    tag.hash(&mut hasher);
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use rankine_abi::{MPI_CONGRUENT, MPI_ERR_ERRHANDLER, MPI_ERR_NOT_SAME, MPI_IDENT};

    use super::*;
    use crate::comm::{comm_compare, comm_dup, comm_group, comm_remote_group};
    use crate::group::{group_compare, group_range_incl, group_size};
    use crate::info::info_get;
    use crate::init::init_thread;
    use crate::testing::{both, threads};
    use crate::world::{End, Options};

    #[test]
    fn a_program_without_init() {
        both(4, async |r| {
            let session = session_init(r, Info::NULL, Errhandler::ERRORS_RETURN).unwrap();
            assert_eq!(session_get_num_psets(r, session, Info::NULL).unwrap(), 2);
            let name = session_get_nth_pset(r, session, Info::NULL, 0).unwrap();
            assert_eq!(session_get_nth_pset(r, session, Info::NULL, 2).unwrap_err().class, MPI_ERR_ARG);
            let size = info_get(r, session_get_pset_info(r, session, name).unwrap(), "mpi_size", 9).unwrap();
            assert_eq!(size.as_deref(), Some("4"));
            let all = group_from_session_pset(r, session, name).unwrap();
            let make = async |tag| comm_create_from_group(r, all, tag, Info::NULL, Errhandler::ERRORS_RETURN).await;
            let (one, two) = (make("one").await.unwrap(), make("two").await.unwrap());
            assert_eq!(comm_compare(r, one, two).unwrap(), MPI_CONGRUENT);
            assert_eq!(comm_compare(r, comm_dup(r, two).await.unwrap(), Comm::WORLD).unwrap(), MPI_CONGRUENT);
            let error = comm_create_from_group(r, all, "", Info::NULL, Errhandler::NULL).await.unwrap_err();
            assert_eq!(error.class, MPI_ERR_ERRHANDLER);
            let myself = group_from_session_pset(r, session, "mpi://self").unwrap();
            assert_eq!(group_size(r, myself).unwrap(), 1);
            assert_eq!(group_from_session_pset(r, session, "x").unwrap_err().class, MPI_ERR_ARG);
            assert_eq!(session_finalize(r, session).await.unwrap(), Session::NULL);
            assert_eq!(session_get_info(r, session).unwrap_err().class, MPI_ERR_SESSION);
        });
    }

    #[test]
    fn a_session_has_the_level_that_it_asks_for() {
        both(1, async |r| {
            let level = |asked: Option<&str>| {
                let info = info::info_create(r)?;
                if let Some(asked) = asked {
                    info::info_set(r, info, THREAD_LEVEL, asked)?;
                }
                let used = session_get_info(r, session_init(r, info, Errhandler::ERRORS_RETURN)?)?;
                info_get(r, used, THREAD_LEVEL, 32)
            };
            assert_eq!(level(Some("MPI_THREAD_FUNNELED")).unwrap().as_deref(), Some("MPI_THREAD_FUNNELED"));
            assert_eq!(level(None).unwrap().as_deref(), Some("MPI_THREAD_MULTIPLE"));
            assert_eq!(level(Some("MPI_THREAD_MANY")).unwrap_err().class, MPI_ERR_INFO_VALUE);
            assert_eq!(r.thread_level(), MPI_THREAD_MULTIPLE);
            init_thread(r, MPI_THREAD_SERIALIZED).unwrap();
            assert_eq!(level(None).unwrap().as_deref(), Some("MPI_THREAD_SERIALIZED"));
            assert_eq!(level(Some("MPI_THREAD_SINGLE")).unwrap().as_deref(), Some("MPI_THREAD_SERIALIZED"));
        });
    }

    #[test]
    fn functions_with_the_same_string_never_meet() {
        let program = async |r: &Rank| {
            let all = comm_group(r, Comm::WORLD).unwrap();
            let [zero, one] = [0, 1].map(|rank| group_range_incl(r, all, 1, &[rank, rank, 1]).unwrap());
            let handler = Errhandler::ERRORS_RETURN;
            if r.id() == 0 {
                intercomm_create_from_groups(r, zero, 0, one, 0, "t", Info::NULL, handler).await.map(drop)
            } else {
                comm_create_from_group(r, all, "t", Info::NULL, handler).await.map(drop)
            }
        };
        let (results, end) = threads(2, Options::default(), None, program);
        assert!(results.iter().all(Option::is_none));
        assert_eq!(end, Some(End::Deadlock));
    }

    #[test]
    fn groups_with_the_same_string_have_to_be_the_same() {
        both(4, async |r| {
            let all = comm_group(r, Comm::WORLD).unwrap();
            let me = r.id() as i32;
            let group = |ranges: &[i32]| group_range_incl(r, all, ranges.len() as i32 / 3, ranges).unwrap();
            let handler = Errhandler::ERRORS_RETURN;
            // The others have the first rank of rank 0's group first too, and another one last.
            let mine = if me == 0 { group(&[0, 1, 1]) } else { group(&[0, 0, 1, 2, 2, 1, 1, 1, 1]) };
            if me < 2 {
                let made = comm_create_from_group(r, mine, "t", Info::NULL, handler).await;
                assert_eq!(made.err().map(|error| error.class), (me == 1).then_some(MPI_ERR_NOT_SAME));
            }
            // Two sides of which one takes the other to be smaller.
            let [low, high, less] = [group(&[0, 1, 1]), group(&[2, 3, 1]), group(&[2, 2, 1])];
            let (local, remote) = if me < 2 { (low, less) } else { (high, low) };
            let made = intercomm_create_from_groups(r, local, 0, remote, 0, "u", Info::NULL, handler).await;
            let class = made.unwrap_err().class;
            assert_eq!(class, if me % 2 == 0 { MPI_ERR_NOT_SAME } else { MPI_ERR_GROUP });
        });
    }

    #[test]
    fn two_groups_without_a_common_communicator() {
        both(5, async |r| {
            let world = comm_group(r, Comm::WORLD).unwrap();
            let low = group_range_incl(r, world, 1, &[1, 0, -1]).unwrap();
            let high = group_range_incl(r, world, 1, &[2, 4, 1]).unwrap();
            let mine = if r.id() < 2 { (low, 1, high, 2) } else { (high, 2, low, 1) };
            let make = async |(local, leader, remote, remote_leader)| {
                let handler = Errhandler::ERRORS_RETURN;
                intercomm_create_from_groups(r, local, leader, remote, remote_leader, "t", Info::NULL, handler).await
            };
            let inter = make(mine).await.unwrap();
            let same = |one, two| group_compare(r, one, two).unwrap();
            assert_eq!(same(comm_group(r, inter).unwrap(), mine.0), MPI_IDENT);
            assert_eq!(same(comm_remote_group(r, inter).unwrap(), mine.2), MPI_IDENT);
            let copy = comm_dup(r, inter).await.unwrap();
            assert_eq!(comm_compare(r, inter, copy).unwrap(), MPI_CONGRUENT);
            let other = if r.id() < 2 { high } else { low };
            assert_eq!(make((other, 0, mine.0, 0)).await.unwrap_err().class, MPI_ERR_GROUP);
        });
    }
}
