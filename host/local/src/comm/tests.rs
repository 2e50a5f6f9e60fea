//! Communicators of every kind, used: a message or a broadcast shows that a context is its own.

use rankine_abi::{
    Addr, Datatype, MPI_ERR_GROUP, MPI_ERR_INFO, MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME, MPI_ERR_TAG, MPI_UNDEFINED,
};

use proptest::prelude::*;

use super::*;
use crate::coll::{Allgather, Barrier, Neighbor, run};
use crate::errhan::{get_errhandler, set_errhandler};
use crate::group::{group_compare, group_excl, group_free, group_incl, group_range_incl, group_size};
use crate::info::{info_create, info_get, info_set};
use crate::pt2pt::{irecv, precv_init, psend_init, recv, send};
use crate::request::{wait, waitall};
use crate::spawn::comm_disconnect;
use crate::testing::{both, turns};
use crate::topo::{cart_create, cart_sub, dist_graph_create, graph_create};
use crate::world::{End, Options};

const SIZES: [usize; 6] = [1, 2, 3, 4, 5, 8];

/// Everybody sends a number to the next rank of an intracommunicator (after one in the world with the same tag), and
/// receives from the one before: in the new communicator first.
async fn ring(r: &Rank, comm: Comm) {
    let communicator = r.communicator(comm).unwrap();
    let (rank, size) = (communicator.rank, communicator.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let (sent, received) = (Addr(64), Addr(128));
    let world = |rank: i32| communicator.group.get(rank).unwrap() as i32;
    for (to, over, number) in [(world(next), Comm::WORLD, -1), (next, comm, 1000 + rank)] {
        r.memory().write_i32(sent, number, "number").unwrap();
        send(r, sent, 1, Datatype::INT32_T, to, 3, over).await.unwrap();
    }
    for (from, over, number) in [(before, comm, 1000 + before), (world(before), Comm::WORLD, -1)] {
        recv(r, received, 1, Datatype::INT32_T, from, 3, over).await.unwrap();
        assert_eq!(r.memory().read_i32(received, "number").unwrap(), number);
    }
}

/// Sends a number to the same rank of the remote group, if there is one, and receives its number.
async fn across(r: &Rank, comm: Comm) {
    let communicator = r.communicator(comm).unwrap();
    let rank = communicator.rank;
    if rank >= communicator.peers().len() as i32 {
        return;
    }
    r.memory().write_i32(Addr(64), r.id() as i32, "number").unwrap();
    send(r, Addr(64), 1, Datatype::INT32_T, rank, 4, comm).await.unwrap();
    let status = recv(r, Addr(128), 1, Datatype::INT32_T, rank, 4, comm).await.unwrap();
    assert_eq!(status.source, rank);
    let number = r.memory().read_i32(Addr(128), "number").unwrap();
    assert_eq!(Some(number as u32), communicator.peers().get(rank));
}

fn ranks(r: &Rank, comm: Comm) -> Vec<u32> {
    r.communicator(comm).unwrap().group.iter().collect()
}

#[test]
fn duplicates_are_congruent_and_apart() {
    for size in SIZES {
        both(size, async |r| {
            let copy = comm_dup(r, Comm::WORLD).await.unwrap();
            let again = comm_dup(r, copy).await.unwrap();
            assert_eq!(comm_compare(r, copy, copy).unwrap(), MPI_IDENT);
            assert_eq!(comm_compare(r, copy, Comm::WORLD).unwrap(), MPI_CONGRUENT);
            assert_eq!(comm_compare(r, copy, Comm::SELF).unwrap(), if size == 1 { MPI_CONGRUENT } else { MPI_UNEQUAL });
            ring(r, copy).await;
            assert_eq!(comm_free(r, copy).await.unwrap(), Comm::NULL);
            ring(r, again).await;
            assert_eq!(comm_free(r, copy).await.unwrap_err().class, MPI_ERR_COMM);
            assert_eq!(comm_free(r, Comm::WORLD).await.unwrap_err().to_string(), "MPI_COMM_WORLD cannot be freed");
            let mine = comm_dup(r, Comm::SELF).await.unwrap();
            ring(r, mine).await;
        });
    }
}

#[test]
fn names_and_hints() {
    both(2, async |r| {
        assert_eq!(comm_get_name(r, Comm::WORLD).unwrap(), "MPI_COMM_WORLD");
        assert_eq!(comm_get_name(r, Comm::NULL).unwrap(), "MPI_COMM_NULL");
        let info = info_create(r).unwrap();
        info_set(r, info, "mpi_assert_no_any_tag", "true").unwrap();
        let copy = comm_dup_with_info(r, Comm::WORLD, info).await.unwrap();
        assert_eq!(comm_get_name(r, copy).unwrap(), "");
        comm_set_name(r, copy, &"ü".repeat(100)).unwrap();
        assert_eq!(comm_get_name(r, copy).unwrap(), "ü".repeat(63));
        info_set(r, info, "mpi_assert_no_any_tag", "false").unwrap();
        info_set(r, info, "other", "1").unwrap();
        let hint = |comm, key: &str| info_get(r, comm_get_info(r, comm).unwrap(), key, 100).unwrap();
        assert_eq!(hint(copy, "mpi_assert_no_any_tag").as_deref(), Some("true"));
        comm_set_info(r, copy, info).unwrap();
        let again = comm_dup(r, copy).await.unwrap();
        assert_eq!(hint(again, "mpi_assert_no_any_tag").as_deref(), Some("false"));
        assert_eq!(hint(again, "other").as_deref(), Some("1"));
        let bare = comm_dup_with_info(r, copy, Info::NULL).await.unwrap();
        assert_eq!(hint(bare, "other"), None);
        assert_eq!(comm_set_info(r, copy, Info::NULL).unwrap_err().class, MPI_ERR_INFO);
    });
}

#[test]
fn creation_from_groups() {
    for size in SIZES {
        both(size, async |r| {
            let (me, size) = (r.id() as i32, size as i32);
            let world = comm_group(r, Comm::WORLD).unwrap();
            // Even and odd ranks, each in reverse, at once.
            let last = size - 1 - (size - 1 - me) % 2;
            let mine = group_range_incl(r, world, 1, &[last, me % 2, -2]).unwrap();
            let half = comm_create(r, Comm::WORLD, mine).await.unwrap();
            assert_eq!(group_compare(r, comm_group(r, half).unwrap(), mine).unwrap(), MPI_IDENT);
            ring(r, half).await;
            let same = comm_create_group(r, Comm::WORLD, mine, 9).await.unwrap();
            assert_eq!(comm_compare(r, half, same).unwrap(), MPI_CONGRUENT);
            ring(r, same).await;
            // Overlapping groups one after the other, with the same tag.
            for first in [0, 1] {
                if me >= first && me < first + 2 && first + 1 < size {
                    let pair = group_incl(r, world, 2, &[first + 1, first]).unwrap();
                    ring(r, comm_create_group(r, Comm::WORLD, pair, 9).await.unwrap()).await;
                }
            }
            let rest = group_excl(r, world, 1, &[0]).unwrap();
            let rest = comm_create(r, Comm::WORLD, rest).await.unwrap();
            assert_eq!(rest == Comm::NULL, me == 0);
            assert_eq!(comm_create(r, Comm::WORLD, Group::EMPTY).await.unwrap(), Comm::NULL);
            assert_eq!(group_free(r, mine).unwrap(), Group::NULL);
            ring(r, half).await;
            if size > 1 {
                let error = comm_create(r, half, world).await.unwrap_err();
                assert_eq!(error.class, MPI_ERR_GROUP);
                assert_eq!(comm_create_group(r, Comm::WORLD, world, -1).await.unwrap_err().class, MPI_ERR_TAG);
            }
        });
    }
}

/// The first `size / 3` ranks (at least one), and the others, as an intercommunicator.
async fn two_groups(r: &Rank) -> Comm {
    let size = r.world().size() as i32;
    let border = (size / 3).max(1);
    let low = (r.id() as i32) < border;
    let local = comm_split(r, Comm::WORLD, i32::from(low), 0).await.unwrap();
    // The leader of the low group is its last rank.
    let (mine, theirs) = if low { (border - 1, border) } else { (0, border - 1) };
    let inter = intercomm_create(r, local, mine, Comm::WORLD, theirs, 5).await.unwrap();
    comm_free(r, local).await.unwrap();
    inter
}

#[test]
fn intercommunicators() {
    for size in &SIZES[1..] {
        both(*size, async |r| {
            let (me, size) = (r.id() as i32, *size as i32);
            let border = (size / 3).max(1);
            let inter = two_groups(r).await;
            let (mine, theirs) = if me < border { (border, size - border) } else { (size - border, border) };
            assert!(comm_test_inter(r, inter).unwrap());
            assert_eq!(comm_size(r, inter).unwrap(), mine);
            assert_eq!(comm_remote_size(r, inter).unwrap(), theirs);
            assert_eq!(group_size(r, comm_remote_group(r, inter).unwrap()).unwrap(), theirs);
            across(r, inter).await;
            let copy = comm_dup(r, inter).await.unwrap();
            assert_eq!(comm_compare(r, inter, copy).unwrap(), MPI_CONGRUENT);
            assert_eq!(comm_compare(r, inter, Comm::WORLD).unwrap(), MPI_UNEQUAL);
            comm_free(r, inter).await.unwrap();
            across(r, copy).await;
            let ordered = intercomm_merge(r, copy, me >= border).await.unwrap();
            assert_eq!(ranks(r, ordered), (0..size as u32).collect::<Vec<_>>());
            ring(r, ordered).await;
            let swapped = intercomm_merge(r, copy, me < border).await.unwrap();
            assert_eq!(ranks(r, swapped), (border..size).chain(0..border).map(|rank| rank as u32).collect::<Vec<_>>());
            assert_eq!(ranks(r, swapped)[comm_rank(r, swapped).unwrap() as usize], me as u32);
            let same = intercomm_merge(r, copy, true).await.unwrap();
            assert_eq!(comm_compare(r, same, ordered).unwrap(), MPI_CONGRUENT);
            ring(r, same).await;
            assert_eq!(comm_remote_size(r, Comm::WORLD).unwrap_err().class, MPI_ERR_COMM);
            assert_eq!(intercomm_merge(r, Comm::WORLD, true).await.unwrap_err().class, MPI_ERR_COMM);
        });
    }
}

#[test]
fn parts_of_intercommunicators() {
    for size in &SIZES[1..] {
        both(*size, async |r| {
            let (me, size) = (r.id() as i32, *size as i32);
            let border = (size / 3).max(1);
            let inter = two_groups(r).await;
            let rank = comm_rank(r, inter).unwrap();
            // By parity, backwards; the last rank of all stays away.
            let color = if me == size - 1 { MPI_UNDEFINED } else { rank % 2 };
            let part = comm_split(r, inter, color, -rank).await.unwrap();
            let of = |low: bool| -> Vec<u32> {
                let ranks = if low { 0..border } else { border..size - 1 };
                let start = ranks.start;
                ranks.rev().filter(|rank| (rank - start) % 2 == color).map(|rank| rank as u32).collect()
            };
            let low = me < border;
            let (mine, theirs) = (of(low), of(!low));
            assert_eq!(part == Comm::NULL, color == MPI_UNDEFINED || theirs.is_empty());
            if part != Comm::NULL {
                assert_eq!(ranks(r, part), mine);
                let remote = r.communicator(part).unwrap();
                assert_eq!(remote.peers().iter().collect::<Vec<_>>(), theirs);
                across(r, part).await;
            }
            // The first rank of either side.
            let first = group_incl(r, comm_group(r, inter).unwrap(), 1, &[0]).unwrap();
            let firsts = comm_create(r, inter, first).await.unwrap();
            assert_eq!(firsts == Comm::NULL, rank != 0);
            if firsts != Comm::NULL {
                across(r, firsts).await;
            }
            let none = if low { first } else { Group::EMPTY };
            assert_eq!(comm_create(r, inter, none).await.unwrap(), Comm::NULL);
        });
    }
}

#[test]
fn a_leader_without_a_remote_group_tells_its_own() {
    both(3, async |r| {
        let error = intercomm_create(r, Comm::WORLD, 1, Comm::WORLD, 7, 0).await.unwrap_err();
        if r.id() == 1 {
            assert_eq!(error.text, "remote_leader is 7, but peer_comm has ranks 0 to 2");
        } else {
            assert_eq!(error.text, "the local leader, rank 1, found no remote group");
        }
        let error = intercomm_create(r, Comm::WORLD, 3, Comm::WORLD, 0, 0).await.unwrap_err();
        assert_eq!(error.text, "local_leader is 3, but local_comm has ranks 0 to 2");
    });
}

#[test]
fn handles_that_are_none_are_refused() {
    both(1, async |r| {
        assert_eq!(comm_size(r, Comm::NULL).unwrap_err().to_string(), "the communicator is MPI_COMM_NULL");
        let made_up = comm_size(r, Comm(0x1000_0005)).unwrap_err();
        assert_eq!(made_up.text, "0x10000005 is not a communicator of this rank (freed, or never made)");
        let group = comm_group(r, Comm::WORLD).unwrap();
        assert_eq!(comm_size(r, Comm(group.0)).unwrap_err().class, MPI_ERR_COMM);
    });
}

#[test]
fn duplicates_in_the_background() {
    for size in SIZES {
        both(size, async |r| {
            let (one, first) = comm_idup(r, Comm::WORLD).await.unwrap();
            let (two, second) = comm_idup_with_info(r, Comm::WORLD, Info::NULL).await.unwrap();
            let three = comm_dup(r, Comm::WORLD).await.unwrap();
            let copies = waitall(r, &[second, first]).await.unwrap();
            assert!(copies.iter().all(|copy| copy.error.is_none()));
            for copy in [two, one, three] {
                assert_eq!(comm_compare(r, copy, Comm::WORLD).unwrap(), MPI_CONGRUENT);
                ring(r, copy).await;
            }
            let contexts = [Comm::WORLD, one, two, three].map(|comm| r.communicator(comm).unwrap().context);
            assert!((1..4).all(|index| !contexts[..index].contains(&contexts[index])));
        });
    }
}

#[test]
fn a_duplicate_that_is_not_complete_is_no_communicator() {
    both(2, async |r| {
        if r.id() == 1 {
            let (copy, request) = comm_idup(r, Comm::WORLD).await.unwrap();
            let error = comm_rank(r, copy).unwrap_err();
            assert_eq!(error.text, format!("the MPI_Comm_idup that makes {:#x} is not complete", copy.0));
            // But the handler that it is to have can be said.
            set_errhandler(r, copy, Errhandler::ERRORS_RETURN).unwrap();
            assert!(get_errhandler(r, copy).is_err() && set_errhandler(r, copy, Errhandler(999)).is_err());
            send(r, Addr(0), 0, Datatype::BYTE, 0, 0, Comm::WORLD).await.unwrap();
            waitall(r, &[request]).await.unwrap();
            assert_eq!(comm_rank(r, copy).unwrap(), 1);
            assert_eq!(get_errhandler(r, copy).unwrap(), Errhandler::ERRORS_RETURN);
        } else {
            recv(r, Addr(0), 0, Datatype::BYTE, 1, 0, Comm::WORLD).await.unwrap();
            let (_, request) = comm_idup(r, Comm::WORLD).await.unwrap();
            waitall(r, &[request]).await.unwrap();
        }
    });
}

#[test]
fn disconnecting_waits_for_messages() {
    both(2, async |r| {
        let copy = comm_dup(r, Comm::WORLD).await.unwrap();
        let other = 1 - r.id() as i32;
        let receive = irecv(r, Addr(512), 1, Datatype::INT32_T, other, 0, copy).unwrap();
        r.memory().write_i32(Addr(256), 40 + other, "number").unwrap();
        send(r, Addr(256), 1, Datatype::INT32_T, other, 0, copy).await.unwrap();
        assert_eq!(comm_disconnect(r, copy).await.unwrap(), Comm::NULL);
        assert_eq!(r.memory().read_i32(Addr(512), "number").unwrap(), 40 + r.id() as i32);
        waitall(r, &[receive]).await.unwrap();
        assert_eq!(comm_disconnect(r, copy).await.unwrap_err().class, MPI_ERR_COMM);
    });
}

/// The classes of the errors of everything that makes a communicator, in a world of three: 0 for none.
async fn make_all(r: &Rank) -> Vec<i32> {
    let (world, me) = (comm_group(r, Comm::WORLD).unwrap(), r.id() as i32);
    let session = session_init(r, Info::NULL, Errhandler::ERRORS_RETURN).unwrap();
    let handler = Errhandler::ERRORS_RETURN;
    let low = me < 1;
    let [first, rest] = [[0, 0, 1], [1, 2, 1]].map(|range| group_range_incl(r, world, 1, &range).unwrap());
    let (mine, theirs) = if low { (first, rest) } else { (rest, first) };
    let cart = cart_create(r, Comm::WORLD, 1, &[3], &[0], false).await;
    let local = comm_split(r, Comm::WORLD, i32::from(low), 0).await;
    let leader = if low { 1 } else { 0 };
    let mut made = vec![
        comm_dup(r, Comm::WORLD).await,
        comm_create(r, Comm::WORLD, world).await,
        comm_create_group(r, Comm::WORLD, world, 3).await,
        graph_create(r, Comm::WORLD, 1, &[0], &[], false).await,
        dist_graph_create(r, Comm::WORLD, 0, &[], &[], &[], None, Info::NULL, false).await,
        comm_create_from_group(r, world, "a", Info::NULL, handler).await,
        intercomm_create_from_groups(r, mine, 0, theirs, 0, "b", Info::NULL, handler).await,
    ];
    if let Ok(cart) = cart {
        made.push(cart_sub(r, cart, &[1]).await);
    }
    if let Ok(local) = local {
        made.push(intercomm_create(r, local, 0, Comm::WORLD, leader, 5).await);
    }
    let (_, request) = comm_idup(r, Comm::WORLD).await.unwrap();
    let mut classes: Vec<i32> = [cart, local].iter().chain(&made).map(class).collect();
    classes.push(wait(r, request).await.unwrap().class());
    session_finalize(r, session).await.unwrap();
    classes
}

fn class<T>(made: &Result<T>) -> i32 {
    made.as_ref().err().map_or(0, |error| error.class)
}

#[test]
fn contexts_run_out_as_an_error_in_every_rank() {
    both(3, async |r| {
        let inter = two_groups(r).await;
        let cart = cart_create(r, Comm::WORLD, 1, &[3], &[0], false).await.unwrap();
        let local = comm_split(r, Comm::WORLD, i32::from(r.id() < 1), 0).await.unwrap();
        assert!(make_all(r).await.iter().all(|&class| class == 0));
        run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
        r.world().leave_contexts(0);
        run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
        // Some of its members a leader knows of the lack, others hear of a leader who failed.
        let classes = make_all(r).await;
        assert!(classes.iter().all(|&class| [MPI_ERR_NO_MEM, MPI_ERR_GROUP].contains(&class)), "{classes:?}");
        let mine = comm_group(r, inter).unwrap();
        let leader = i32::from(r.id() < 1);
        let failed = [
            cart_sub(r, cart, &[1]).await,
            comm_dup(r, inter).await,
            comm_split(r, inter, 0, 0).await,
            comm_create(r, inter, mine).await,
            intercomm_merge(r, inter, false).await,
            intercomm_create(r, local, 0, Comm::WORLD, leader, 5).await,
        ];
        for (index, made) in failed.iter().enumerate() {
            let classes = [MPI_ERR_NO_MEM, MPI_ERR_COMM, MPI_ERR_NOT_SAME];
            assert!(classes.contains(&class(made)), "{index}: {made:?}");
        }
        let sent = psend_init(r, Addr(64), 1, 1, Datatype::BYTE, r.id() as i32, 0, Comm::WORLD, Info::NULL);
        assert_eq!(sent.unwrap_err().class, MPI_ERR_NO_MEM);
        precv_init(r, Addr(64), 1, 1, Datatype::BYTE, r.id() as i32, 0, Comm::WORLD, Info::NULL).unwrap();
        ring(r, cart).await;
    });
}

#[test]
fn ranks_that_name_different_groups_hear_of_it() {
    both(3, async |r| {
        let (world, me) = (comm_group(r, Comm::WORLD).unwrap(), r.id() as i32);
        let wrong = |made: Result<Comm>| assert_eq!(made.unwrap_err().class, MPI_ERR_NOT_SAME);
        let pair = group_incl(r, world, 2, &[0, 1]).unwrap();
        wrong(comm_create(r, Comm::WORLD, if me == 0 { pair } else { world }).await);
        wrong(cart_create(r, Comm::WORLD, 1, &[if me == 2 { 2 } else { 3 }], &[0], false).await);
        wrong(cart_create(r, Comm::WORLD, 1, &[3], &[i32::from(me == 1)], false).await);
        let edges = [1, 0, 0];
        wrong(graph_create(r, Comm::WORLD, 2, &[1, 2], &edges[i32::from(me == 0) as usize..], false).await);
        let grid = cart_create(r, Comm::WORLD, 2, &[3, 1], &[0, 0], false).await.unwrap();
        wrong(cart_sub(r, grid, &[i32::from(me == 0), 1]).await);
        if me < 2 {
            let made = comm_create_group(r, Comm::WORLD, if me == 0 { pair } else { world }, 7).await;
            assert_eq!(class(&made), if me == 0 { 0 } else { MPI_ERR_NOT_SAME });
        }
        ring(r, grid).await;
    });
}

#[test]
fn sides_that_name_different_groups_hear_of_it() {
    both(5, async |r| {
        let inter = two_groups(r).await;
        let (local, rank) = (comm_group(r, inter).unwrap(), comm_rank(r, inter).unwrap());
        // In the larger group, of four, the last two name only themselves.
        let last = group_size(r, local).unwrap() - 1;
        let part = group_range_incl(r, local, 1, &[if rank > 1 { 2 } else { 0 }, last, 1]).unwrap();
        assert_eq!(comm_create(r, inter, part).await.unwrap_err().class, MPI_ERR_NOT_SAME);
        // A leader who is not in the part, and says that nobody is, does not keep the others from it.
        let part = group_range_incl(r, local, 1, &[last, last, 1]).unwrap();
        let part = if rank == last { part } else { Group::EMPTY };
        let made = comm_create(r, inter, part).await.unwrap();
        assert_eq!(made == Comm::NULL, rank != last);
        if rank == last {
            across(r, made).await;
        }
    });
}

/// What one rank does: which function, and three numbers that its arguments follow from.
type Deed = [u8; 4];

/// Makes a communicator, perhaps of the last one that was made.
async fn make(r: &Rank, last: Comm, [function, a, b, c]: Deed) -> Result<Comm> {
    let world = comm_group(r, Comm::WORLD)?;
    let group = |number: u8| {
        let lists: [&[i32]; 8] = [&[0, 1, 2, 3], &[0, 1, 2], &[0, 2, 1], &[0, 1], &[1, 0], &[2, 3], &[3], &[0]];
        let list = lists[number as usize % lists.len()];
        group_incl(r, world, list.len() as i32, list)
    };
    let (comm, handler) = (if c % 3 == 0 { Comm::WORLD } else { last }, Errhandler::ERRORS_RETURN);
    let (one, two) = (i32::from(a), i32::from(b));
    match function % 13 {
        0 => comm_create(r, comm, group(a)?).await,
        1 => comm_create_group(r, comm, group(a)?, two % 2).await,
        2 => comm_create_from_group(r, group(a)?, "t", Info::NULL, handler).await,
        3 => intercomm_create_from_groups(r, group(a)?, 0, group(b)?, 0, "t", Info::NULL, handler).await,
        4 => intercomm_create(r, comm, one % 2, Comm::WORLD, two % 4, 1).await,
        5 => intercomm_merge(r, comm, a % 2 == 0).await,
        6 => comm_split(r, comm, one % 2, two).await,
        7 => cart_create(r, comm, 2, &[one % 3, two % 3], &[1, 0], false).await,
        8 => cart_sub(r, comm, &[one % 2, two % 2]).await,
        9 => graph_create(r, comm, one % 4, &[1, 2, 3, 4], &[two % 4; 4], false).await,
        10 => dist_graph_create(r, comm, 1, &[one % 4], &[1], &[two % 4], None, Info::NULL, false).await,
        11 => comm_dup(r, comm).await,
        _ => {
            let (copy, request) = comm_idup(r, comm).await?;
            match wait(r, request).await?.error {
                None => Ok(copy),
                Some(error) => Err(error),
            }
        }
    }
}

/// Uses one in all ways that count on what its ranks have agreed on.
async fn use_all(r: &Rank, comm: Comm) -> Result<()> {
    run(r, comm, |c| Barrier::new(r, c)).await?;
    let (buffer, bytes) = (Addr(1000), Addr(2000));
    let ty = Datatype::BYTE;
    let _ = run(r, comm, |c| Neighbor::allgather(r, c, buffer, 1, ty, bytes, 1, ty)).await;
    run(r, comm, |c| Allgather::even(r, c, buffer, 9, ty, bytes, 9, ty)).await
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 2000 }, ..Default::default() })]

    #[test]
    fn no_disagreement_is_more_than_an_error_or_a_deadlock(
        deeds in prop::collection::vec(any::<Deed>(), 1..5),
        others in prop::collection::vec((0usize..4, any::<usize>(), 0usize..4, any::<u8>()), 0..5),
    ) {
        let program = async |r: &Rank| {
            let mut last = Comm::WORLD;
            for (index, &deed) in deeds.iter().enumerate() {
                let mut deed = deed;
                for &(rank, at, which, value) in &others {
                    if rank == r.id() && at % deeds.len() == index {
                        deed[which] = value;
                    }
                }
                if let Ok(made) = make(r, last, deed).await && made != Comm::NULL {
                    last = made;
                    let _ = use_all(r, last).await;
                }
            }
        };
        let (results, end) = turns(4, Options::default(), program);
        prop_assert!(results.iter().all(Option::is_some) || end == Some(End::Deadlock));
    }
}
