//! Ports between ranks of one world, and what can't be started; worlds of their own are tested with guests.

use rankine_abi::{Comm, Info, MPI_ERR_ARG, MPI_ERR_NAME, MPI_ERR_PORT, MPI_ERR_ROOT, MPI_ERR_SERVICE, MPI_ERR_SPAWN};

use super::*;
use crate::comm::{comm_rank, comm_remote_size};
use crate::testing::{both, threads};
use crate::world::{End, Options};

fn command(most: i32) -> Vec<Command> {
    vec![Command { name: "a.wasm".into(), arguments: Vec::new(), most, info: Info::NULL }]
}

#[test]
fn strangers_meet_at_a_port() {
    both(3, async |r| {
        let me = comm_rank(r, Comm::WORLD).unwrap();
        if me == 0 {
            let port = open_port(r, Info::NULL).unwrap();
            publish_name(r, "here", Info::NULL, &port).unwrap();
            for _ in 0..2 {
                let accepted = comm_accept(r, || Ok(port.clone()), Info::NULL, 0, Comm::SELF).await.unwrap();
                assert_eq!(comm_remote_size(r, accepted).unwrap(), 1);
                comm_disconnect(r, accepted).await.unwrap();
            }
            unpublish_name(r, "here", Info::NULL, &port).unwrap();
            assert_eq!(unpublish_name(r, "here", Info::NULL, &port).unwrap_err().class, MPI_ERR_SERVICE);
            close_port(r, &port).unwrap();
            assert_eq!(close_port(r, &port).unwrap_err().class, MPI_ERR_PORT);
        } else {
            let port = loop {
                match lookup_name(r, "here", Info::NULL) {
                    Ok(port) => break port,
                    Err(error) => assert_eq!(error.class, MPI_ERR_NAME),
                }
                crate::drive::yield_now(r).await;
            };
            let connected = comm_connect(r, || Ok(port), Info::NULL, 0, Comm::SELF).await.unwrap();
            assert_eq!(comm_remote_size(r, connected).unwrap(), 1);
            comm_disconnect(r, connected).await.unwrap();
        }
    });
}

#[test]
fn who_waits_at_a_port_that_is_closed_is_told() {
    both(2, async |r| {
        if r.id() == 0 {
            let port = open_port(r, Info::NULL).unwrap();
            publish_name(r, "here", Info::NULL, &port).unwrap();
            // The rank ends, and its port with it.
            return;
        }
        let port = loop {
            if let Ok(port) = lookup_name(r, "here", Info::NULL) {
                break port;
            }
            crate::drive::yield_now(r).await;
        };
        let refused = comm_connect(r, || Ok(port), Info::NULL, 0, Comm::SELF).await;
        assert_eq!(refused.unwrap_err().class, MPI_ERR_PORT);
    });
}

#[test]
fn nobody_comes_to_a_port() {
    let (results, end) = threads(1, Options::default(), None, async |r| {
        let port = open_port(r, Info::NULL).unwrap();
        comm_accept(r, || Ok(port), Info::NULL, 0, Comm::SELF).await.unwrap();
    });
    assert_eq!((results, end), (vec![None], Some(End::Deadlock)));
}

#[test]
fn what_can_not_be_started_is_an_error_of_all_ranks() {
    both(3, async |r| {
        for (most, class) in [(1, MPI_ERR_SPAWN), (i32::MAX, MPI_ERR_SPAWN), (0, MPI_ERR_ARG), (-1, MPI_ERR_ARG)] {
            let spawned = comm_spawn(r, || Ok(command(most)), 1, Comm::WORLD).await;
            assert_eq!(spawned.unwrap_err().class, class);
        }
        let spawned = comm_spawn(r, || Ok(command(1)), 3, Comm::WORLD).await;
        assert_eq!(spawned.unwrap_err().class, MPI_ERR_ROOT);
        assert_eq!(comm_get_parent(r).unwrap(), Comm::NULL);
    });
}
