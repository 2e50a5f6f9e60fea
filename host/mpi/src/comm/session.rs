//! Sessions, and communicators made from groups: the error handlers that they are given are the guest's.

use std::ffi::{CStr, CString, c_int};

use rankine_abi::{
    Addr, Comm, Errhandler, Info, MPI_ERR_ARG, MPI_ERR_GROUP, MPI_ERR_INFO_VALUE, MPI_ERR_RANK, MPI_MAX_STRINGTAG_LEN,
    MPI_UNDEFINED, Session,
};
use rankine_guest::Error;
use rankine_guest::errhan::Serves;

use crate::Result;
use crate::generated::symbols;
use crate::library::hints::Of;
use crate::rank::Rank;
use rankine_system::text;

/// The levels of thread support that a session may ask for.
const LEVELS: [&CStr; 4] =
    [c"MPI_THREAD_SINGLE", c"MPI_THREAD_FUNNELED", c"MPI_THREAD_SERIALIZED", c"MPI_THREAD_MULTIPLE"];
/// The handler that the library is given.
const RETURN: usize = Errhandler::ERRORS_RETURN.0 as usize;

/// Refuses a level of thread support that there is not: a hint that is unknown is left out, so the library never hears of it.
fn prove_level(r: &Rank, info: usize) -> Result<()> {
    let level = if info == Info::NULL.0 as usize { None } else { r.hint(info, c"thread_level")? };
    match level.filter(|level| !LEVELS.contains(&level.as_c_str())) {
        Some(level) => {
            let text = format!("thread_level is {level:?}, which is not a level of thread support");
            Err(Error::new(MPI_ERR_INFO_VALUE, text))
        }
        None => Ok(()),
    }
}

/// `MPI_Session_init`
pub(crate) fn session_init(r: &Rank, info_word: u32, errhandler: u32, session: Addr) -> Result<()> {
    let (info, handler) = (r.hints(info_word, Of::Session, "info")?, Errhandler(errhandler));
    r.errhandlers.check(handler, Serves::Session)?;
    prove_level(r, r.info_or_null(info_word, "info")?)?;
    r.room(session, r.word_bytes(), "session")?;
    let (call, mut host) = (r.symbol::<symbols::MPI_Session_init>()?, 0);
    // SAFETY: hints that were checked, and a result on the stack.
    r.check(unsafe { call(info.host, RETURN, &mut host) })?;
    let word = r.plain.sessions.insert(host)?;
    r.errhandlers.adopt(Serves::Session, word, handler);
    r.count_sessions(1);
    r.put_handle(session, word, "session")
}

/// `MPI_Session_finalize`
pub(crate) fn session_finalize(r: &Rank, session: Addr) -> Result<()> {
    let word = r.get_handle(session, "session")?;
    let mut host = r.session(word, "session")?;
    let call = r.symbol::<symbols::MPI_Session_finalize>()?;
    // SAFETY: a session of the library's, whose handle nobody has from here on.
    r.check(unsafe { call(&mut host) })?;
    r.plain.sessions.remove(word);
    r.errhandlers.forget(Serves::Session, word);
    r.count_sessions(-1);
    r.put_handle(session, Session::NULL.0, "session")
}

/// `MPI_Session_get_nth_pset`
pub(crate) fn session_get_nth_pset(r: &Rank, session: u32, info: u32, n: i32, len: Addr, name_at: Addr) -> Result<()> {
    let (session, info) = (r.session(session, "session")?, r.hints(info, Of::Nothing, "info")?);
    let room = r.get_int(len, "pset_len")?;
    let mut name = r.text_room(name_at, i64::from(room), "pset_name")?;
    let call = r.symbol::<symbols::MPI_Session_get_nth_pset>()?;
    // MPICH tells the length only to who asks for nothing else; it is a result in any case (§11.3.2).
    let mut needed: c_int = 0;
    // SAFETY: with a length of 0 the name is not written.
    r.check(unsafe { call(session, info.host, n, &mut needed, name.as_mut_ptr().cast()) })?;
    if room > 0 {
        let mut length: c_int = room.min(name.len() as c_int);
        // SAFETY: the buffer is as long as `length` says.
        r.check(unsafe { call(session, info.host, n, &mut length, name.as_mut_ptr().cast()) })?;
        r.put_text(name_at, &name, i64::from(room), "pset_name")?;
    }
    r.put_int(len, needed, "pset_len")
}

impl Rank {
    /// The tag by which ranks find one another. The library hands it on to its launcher, in a line.
    fn string_tag(&self, at: Addr) -> Result<CString> {
        let word = text::as_word(&self.string(at, "stringtag")?);
        let limit = MPI_MAX_STRINGTAG_LEN as usize;
        if word.count_bytes() < limit {
            return Ok(word);
        }
        let text = format!("stringtag: encoded for the launcher it has {} bytes of {limit}", word.count_bytes() + 1);
        Err(Error::new(MPI_ERR_ARG, text))
    }
}

/// The members of a group by their ranks in `MPI_COMM_WORLD`. Where there is none, or they come from several, all that is
/// known of them alike is how many they are.
fn members_of_world(r: &Rank, group: usize) -> Result<Vec<c_int>> {
    if r.has_world() {
        let members = r.members_in(group, Comm::WORLD.0 as usize)?;
        let is_one = !members.contains(&MPI_UNDEFINED);
        return Ok(if is_one { members } else { vec![0; members.len()] });
    }
    let (count, mut members) = (r.symbol::<symbols::MPI_Group_size>()?, 0);
    // SAFETY: a group of the library's, and a result on the stack.
    r.check(unsafe { count(group, &mut members) })?;
    Ok(vec![0; usize::try_from(members).unwrap_or(0)])
}

/// `MPI_Comm_create_from_group`
pub(crate) fn comm_create_from_group(
    r: &Rank,
    group_word: u32,
    stringtag: Addr,
    info: u32,
    errhandler: u32,
    newcomm: Addr,
) -> Result<()> {
    let (group, tag) = (r.group(group_word, "group")?, r.string_tag(stringtag)?);
    let (info, handler) = (r.hints(info, Of::Comm, "info")?, Errhandler(errhandler));
    r.errhandlers.check(handler, Serves::Comm)?;
    r.room(newcomm, r.word_bytes(), "newcomm")?;
    let (call, mut host) = (r.symbol::<symbols::MPI_Comm_create_from_group>()?, 0);
    // SAFETY: a group of the library's, a string that ends, hints that were checked, and a result on the stack.
    r.check(unsafe { call(group, tag.as_ptr(), info.host, RETURN, &mut host) })?;
    if host != Comm::NULL.0 as usize {
        r.agree_after(host, &members_of_world(r, group)?)?;
    }
    let word = r.adopt_comm(host, handler)?;
    r.descends(word, group_word);
    r.put_handle(newcomm, word, "newcomm")
}

/// Refuses a leader that is no member of its group.
fn prove_leader(r: &Rank, group: usize, leader: c_int, what: &str) -> Result<()> {
    let (count, mut members) = (r.symbol::<symbols::MPI_Group_size>()?, 0);
    // SAFETY: a group of the library's, and a result on the stack.
    r.check(unsafe { count(group, &mut members) })?;
    if (0..members).contains(&leader) {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_RANK, format!("{what} is {leader}, but the group has {members} members")))
}

/// The rank of the caller in a local group; refuses one without it, as the library would wait for ever.
fn rank_in(r: &Rank, local: usize) -> Result<c_int> {
    let (rank_in, mut rank) = (r.symbol::<symbols::MPI_Group_rank>()?, MPI_UNDEFINED);
    // SAFETY: a group of the library's, and a result on the stack.
    r.check(unsafe { rank_in(local, &mut rank) })?;
    if rank == MPI_UNDEFINED {
        return Err(Error::new(MPI_ERR_GROUP, "local_group: this rank is not a member of it"));
    }
    Ok(rank)
}

/// Refuses a remote group with a member of the local one, for the same reason.
fn prove_sides(r: &Rank, local: usize, remote: usize) -> Result<()> {
    if r.ranks_in(remote, local)?.iter().any(|&member| member != MPI_UNDEFINED) {
        return Err(Error::new(MPI_ERR_GROUP, "remote_group: it has a member of local_group"));
    }
    Ok(())
}

/// `MPI_Intercomm_create_from_groups`
pub(crate) fn intercomm_create_from_groups(
    r: &Rank,
    local_group: u32,
    local_leader: i32,
    remote_group: u32,
    remote_leader: i32,
    stringtag: Addr,
    info: u32,
    errhandler: u32,
    newintercomm: Addr,
) -> Result<()> {
    let local = r.group(local_group, "local_group")?;
    prove_leader(r, local, local_leader, "local_leader")?;
    // To the others the remote group says nothing, and the library is given one that there is.
    let (remote, remote_leader) = if rank_in(r, local)? == local_leader {
        let remote = r.group(remote_group, "remote_group")?;
        prove_leader(r, remote, remote_leader, "remote_leader")?;
        prove_sides(r, local, remote)?;
        (remote, remote_leader)
    } else {
        (local, local_leader)
    };
    let tag = r.string_tag(stringtag)?;
    let (info, handler) = (r.hints(info, Of::Comm, "info")?, Errhandler(errhandler));
    r.errhandlers.check(handler, Serves::Comm)?;
    r.room(newintercomm, r.word_bytes(), "newintercomm")?;
    let (call, mut host) = (r.symbol::<symbols::MPI_Intercomm_create_from_groups>()?, 0);
    // SAFETY: groups of the library's with leaders in them, a string that ends, hints that were checked, and a result on the stack.
    let code = unsafe { call(local, local_leader, remote, remote_leader, tag.as_ptr(), info.host, RETURN, &mut host) };
    r.check(code)?;
    let word = r.adopt_comm(host, handler)?;
    r.descends(word, local_group);
    r.put_handle(newintercomm, word, "newintercomm")
}
