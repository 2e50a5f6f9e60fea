//! Communicators of every kind, used: a message or a broadcast shows that a context is its own.

use rankine_abi::{Addr, Datatype, MPI_ERR_GROUP, MPI_ERR_INFO, MPI_ERR_TAG, MPI_UNDEFINED};

use super::*;
use crate::group::{group_compare, group_excl, group_free, group_incl, group_range_incl, group_size};
use crate::info::{info_create, info_get, info_set};
use crate::pt2pt::{irecv, recv, send};
use crate::request::waitall;
use crate::testing::both;

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
            send(r, Addr(0), 0, Datatype::BYTE, 0, 0, Comm::WORLD).await.unwrap();
            waitall(r, &[request]).await.unwrap();
            assert_eq!(comm_rank(r, copy).unwrap(), 1);
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
