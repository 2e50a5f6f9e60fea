use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Addr, Comm, Datatype, FnPtr, Info, Kept, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_ARG, MPI_ERR_IN_STATUS,
    MPI_ERR_REQUEST, MPI_SUCCESS, Request, Status,
};
use rankine_guest::Callback;

use super::*;
use crate::drive::{Ended, block_on, yield_now};
use crate::pt2pt::*;
use crate::testing::{MEMORY, Nobody, both, rank};
use crate::world::{Options, World};

const BYTE: Datatype = Datatype::BYTE;
const WORLD: Comm = Comm::WORLD;

#[test]
fn every_way_of_completing() {
    both(2, async |r| {
        let peer = 1 - r.id() as i32;
        for length in [1, 500, 5000, if cfg!(miri) { 6000 } else { 100_000 }] {
            let there = Addr(300_000);
            let send = |tag| isend(r, Addr(64), length, BYTE, peer, tag, WORLD).unwrap();
            let receive = |tag| irecv(r, there, length, BYTE, peer, tag, WORLD).unwrap();

            let requests = [receive(1), send(1), Request::NULL];
            let all = waitall(r, &requests).await.unwrap();
            assert!(all.iter().all(|one| one.request == Request::NULL && one.error.is_none()));
            assert_eq!((all[0].status.tag, all[0].status.source, all[0].status.bytes()), (1, peer, length as u64));
            assert_eq!(all[2].status, Status::EMPTY);

            let (receiving, sending) = (receive(2), send(2));
            while test(r, receiving).await.unwrap().is_none() {}
            assert_eq!(test(r, receiving).await.unwrap_err().class, MPI_ERR_REQUEST);
            wait(r, sending).await.unwrap();

            let mut requests = vec![receive(3), receive(4), send(4), send(3)];
            while let Some(one) = waitany(r, &requests).await.unwrap() {
                requests[one.index] = one.request;
            }
            assert_eq!(requests, [Request::NULL; 4]);

            let mut requests = vec![send(5), receive(5)];
            while let Some(some) = waitsome(r, &requests).await.unwrap() {
                assert!(!some.is_empty());
                some.iter().for_each(|one| requests[one.index] = one.request);
            }
            let mut requests = vec![send(6), receive(6)];
            while let Some(some) = testsome(r, &requests).await.unwrap() {
                some.iter().for_each(|one| requests[one.index] = one.request);
            }
            let mut requests = vec![send(7), receive(7)];
            loop {
                match testany(r, &requests).await.unwrap() {
                    Found::Complete(one) => requests[one.index] = one.request,
                    Found::Pending => (),
                    Found::Nothing => break,
                }
            }
            let requests = [send(8), receive(8)];
            while request_get_status_all(r, &requests).await.unwrap().is_none() {}
            assert_eq!(request_get_status(r, requests[1]).await.unwrap().unwrap().status.tag, 8);
            assert!(testall(r, &requests).await.unwrap().is_some());
        }
    });
}

#[test]
fn a_failure_is_told_in_its_status() {
    both(2, async |r| {
        let peer = 1 - r.id() as i32;
        let requests = [
            irecv(r, Addr(64), 4, BYTE, peer, 1, WORLD).unwrap(),
            irecv(r, Addr(8), 4, BYTE, peer, 2, WORLD).unwrap(),
            isend(r, Addr(16), 4, BYTE, peer, 1, WORLD).unwrap(),
            isend(r, Addr(16), 8, BYTE, peer, 2, WORLD).unwrap(),
        ];
        let all = waitall(r, &requests).await.unwrap();
        let error = in_status(&all).unwrap();
        assert_eq!((error.on, error.class), (Some(WORLD.into()), MPI_ERR_IN_STATUS));
        assert!(error.text.contains("1 of 4 requests failed; first request 1: a message of 8 bytes"), "{error}");
        assert!(all.iter().all(|one| one.request == Request::NULL));
    });
}

#[test]
fn the_same_request_twice_is_refused() {
    both(1, async |r| {
        let request = irecv(r, Addr(64), 4, BYTE, 0, 1, WORLD).unwrap();
        send(r, Addr(8), 4, BYTE, 0, 1, WORLD).await.unwrap();
        let all = waitall(r, &[request, request]).await.unwrap();
        assert_eq!(all[1].class(), MPI_ERR_REQUEST);
        let error = waitall(r, &[Request::NULL, request]).await.unwrap_err();
        assert!(error.text.starts_with("request 1 of the array: "), "{error}");
    });
}

#[test]
fn a_future_goes_on_while_its_rank_waits_for_something_else() {
    both(3, async |r| {
        let size = 3;
        let (next, previous) = ((r.id() as i32 + 1) % size, (r.id() as i32 + 2) % size);
        let hops = Rc::new(RefCell::new(0));
        let count = hops.clone();
        let request = r
            .begin(WORLD, async move |r| {
                for hop in 0..10 {
                    let sending = isend(r, Addr(64), 3000, BYTE, next, 100 + hop, WORLD)?;
                    recv(r, Addr(4000), 3000, BYTE, previous, 100 + hop, WORLD).await?;
                    wait(r, sending).await?;
                    *count.borrow_mut() += 1;
                }
                Ok(Status::EMPTY)
            })
            .unwrap();
        // A ring that starts only once the background has gone around.
        if r.id() == 0 {
            while *hops.borrow() < 10 {
                assert!(test(r, Request::NULL).await.unwrap().is_some());
                iprobe(r, MPI_ANY_SOURCE, 9, WORLD).await.unwrap();
            }
            send(r, Addr(64), 1, BYTE, next, 1, WORLD).await.unwrap();
        }
        recv(r, Addr(64), 1, BYTE, previous, 1, WORLD).await.unwrap();
        if r.id() != 0 {
            send(r, Addr(64), 1, BYTE, next, 1, WORLD).await.unwrap();
        }
        let completed = wait(r, request).await.unwrap();
        assert_eq!((completed.request, *hops.borrow()), (Request::NULL, 10));
    });
}

#[test]
fn persistent_requests_start_again() {
    both(2, async |r| {
        let peer = 1 - r.id() as i32;
        let receiving = recv_init(r, Addr(64), 2000, BYTE, peer, MPI_ANY_TAG, WORLD).unwrap();
        let sending = send_init(r, Kind::Send, Addr(4096), 2000, BYTE, peer, 5, WORLD).unwrap();
        assert!(wait(r, sending).await.unwrap().request == sending, "inactive requests are complete");
        assert!(waitany(r, &[sending, receiving]).await.unwrap().is_none());
        for round in 0..if cfg!(miri) { 3 } else { 20 } {
            r.memory().write_i32(Addr(4096), round, "round").unwrap();
            assert_eq!(startall(r, &[receiving, sending]).unwrap(), [receiving, sending]);
            assert_eq!(start(r, sending).unwrap_err().class, MPI_ERR_REQUEST);
            let all = waitall(r, &[receiving, sending]).await.unwrap();
            assert_eq!((all[0].request, all[0].status.tag), (receiving, 5));
            assert_eq!(r.memory().read_i32(Addr(64), "round").unwrap(), round);
        }
        request_free(r, receiving).await.unwrap();
        assert_eq!(request_free(r, sending).await.unwrap(), Request::NULL);
        assert_eq!(start(r, sending).unwrap_err().class, MPI_ERR_REQUEST);
        assert_eq!(r.requests.table.borrow().iter().count(), 0);
    });
}

#[test]
fn freed_requests_go_on() {
    both(2, async |r| {
        let peer = 1 - r.id() as i32;
        let mut kept = Vec::new();
        for tag in 0..if cfg!(miri) { 8 } else { 100 } {
            request_free(r, isend(r, Addr(64), 3000, BYTE, peer, tag, WORLD).unwrap()).await.unwrap();
            kept.push(irecv(r, Addr(4000), 3000, BYTE, peer, tag, WORLD).unwrap());
        }
        waitall(r, &kept).await.unwrap();
        request_free(r, irecv(r, Addr(8000), 1, BYTE, peer, 1, WORLD).unwrap()).await.unwrap();
        r.end_orphans().await;
        assert_eq!(r.requests.table.borrow().iter().count(), 0);
    });
}

#[test]
fn cancelled_receives_and_sends_leave_no_trace() {
    both(2, async |r| {
        let peer = 1 - r.id() as i32;
        let request = irecv(r, Addr(64), 4, BYTE, peer, 1, WORLD).unwrap();
        cancel(r, request).await.unwrap();
        let status = wait(r, request).await.unwrap().status;
        assert!(test_cancelled(r, status).unwrap());
        let request = isend_as(r, Kind::Ssend, Addr(64), 4, BYTE, peer, 2, WORLD).unwrap();
        cancel(r, request).await.unwrap();
        assert!(wait(r, request).await.unwrap().status.cancelled());
        let request = isend(r, Addr(64), 4, BYTE, peer, 3, WORLD).unwrap();
        cancel(r, request).await.unwrap();
        assert!(!wait(r, request).await.unwrap().status.cancelled(), "a send that went out is not cancelled");
        recv(r, Addr(64), 4, BYTE, peer, 3, WORLD).await.unwrap();
        assert!(!iprobe(r, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD).await.unwrap().0);
    });
}

#[test]
fn only_the_message_that_was_sent_completes_its_receive() {
    both(3, async |r| {
        let (next, before) = ((r.id() as i32 + 1) % 3, (r.id() as i32 + 2) % 3);
        let mut two = [
            irecv(r, Addr(64), 4, BYTE, before, 90, WORLD).unwrap(),
            irecv(r, Addr(4), 4, BYTE, before, 91, WORLD).unwrap(),
        ];
        send(r, Addr(8), 4, BYTE, next, 91, WORLD).await.unwrap();
        let one = waitany(r, &two).await.unwrap().unwrap();
        assert_eq!(one.index, 1);
        two[1] = one.request;
        crate::coll::run(r, WORLD, |c| crate::coll::Barrier::new(r, c)).await.unwrap();
        send(r, Addr(8), 4, BYTE, next, 90, WORLD).await.unwrap();
        assert_eq!(waitany(r, &two).await.unwrap().unwrap().index, 0);
    });
}

/// A rank that is alone, whose guest's query functions do what they are told; all its other functions do nothing.
fn asked<T>(query: impl Fn(&Rank), program: impl AsyncFn(&Rank) -> T) -> T {
    let world = World::new(1, Arc::new(Nobody), None, Options { spin: false, ..Options::default() });
    let r = rank(&world, 0);
    let answer = |callback| match callback {
        Callback::Allocate { .. } => Ok(CELL as i64),
        Callback::Call { function, .. } => {
            if function == QUERY {
                query(&r);
            }
            Ok(MPI_SUCCESS.into())
        }
        other => panic!("the test's guest cannot answer {other:?}"),
    };
    let result = block_on::<_, Ended>(&r, program(&r), answer).unwrap();
    r.exit();
    result
}

/// Where the guest's allocator finds memory.
const CELL: u64 = 8192;
const QUERY: FnPtr = FnPtr(1);
const NOTHING: FnPtr = FnPtr(2);

fn complete_general() -> impl AsyncFn(&Rank) -> Request {
    async |r| {
        let request = grequest_start(r, QUERY, NOTHING, NOTHING, Kept::NULL).unwrap();
        grequest_complete(r, request).await.unwrap();
        request
    }
}

/// Completes the persistent receive and starts it again.
fn again(r: &Rank, receive: Request) {
    let nothing = |callback| -> std::result::Result<i64, Ended> { panic!("{callback:?}") };
    assert!(block_on(r, wait(r, receive), nothing).unwrap().unwrap().error.is_none());
    start(r, receive).unwrap();
}

#[test]
fn what_a_query_function_has_started_again_is_pending() {
    let receive = Cell::new(Request::NULL);
    let query = |r: &Rank| again(r, receive.get());
    asked(query, async |r| {
        let general = complete_general();
        receive.set(recv_init(r, Addr(64), 4, BYTE, 0, MPI_ANY_TAG, WORLD).unwrap());
        let receive = receive.get();
        let message = async |tag| send(r, Addr(8), 4, BYTE, 0, tag, WORLD).await.unwrap();

        start(r, receive).unwrap();
        message(1).await;
        let all = testall(r, &[general(r).await, receive]).await.unwrap().unwrap();
        assert_eq!((all[1].request, all[1].status), (receive, Status::EMPTY));
        assert!(test(r, receive).await.unwrap().is_none());
        message(2).await;

        let one = general(r).await;
        assert!(request_get_status_all(r, &[one, receive]).await.unwrap().is_none());
        message(3).await;
        let all = testsome(r, &[one, receive]).await.unwrap().unwrap();
        assert_eq!(all.iter().map(|one| one.index).collect::<Vec<_>>(), [0]);
        message(4).await;
        assert_eq!(wait(r, receive).await.unwrap().status.tag, 4);
        request_free(r, receive).await.unwrap();
        assert_eq!(r.requests.table.borrow().iter().count(), 0);
    });
}

#[test]
fn what_a_query_function_has_started_again_is_waited_for() {
    let (receive, later) = (Cell::new(Request::NULL), Cell::new(Request::NULL));
    let query = |r: &Rank| {
        again(r, receive.get());
        start(r, later.get()).unwrap();
    };
    asked(query, async |r| {
        receive.set(recv_init(r, Addr(64), 4, BYTE, 0, 1, WORLD).unwrap());
        // Starts to send only once its rank waits for something else.
        let sends = async |r: &Rank| {
            for _ in 0..10 {
                yield_now(r).await;
            }
            send(r, Addr(8), 4, BYTE, 0, 1, WORLD).await?;
            Ok(Status::EMPTY)
        };
        later.set(r.begin_on_start(WORLD, sends).unwrap());
        let general = complete_general()(r).await;
        start(r, receive.get()).unwrap();
        send(r, Addr(8), 4, BYTE, 0, 1, WORLD).await.unwrap();
        let all = waitall(r, &[general, receive.get(), later.get()]).await.unwrap();
        assert!(all.iter().all(|one| one.error.is_none()));
        assert_eq!((all[1].status.source, all[1].status.tag), (0, 1));
        for request in [receive.get(), later.get()] {
            assert!(!r.is_active(request));
            request_free(r, request).await.unwrap();
        }
        assert!(!iprobe(r, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD).await.unwrap().0);
    });
}

#[test]
fn a_handle_of_an_orphan_may_be_anothers_by_now() {
    asked(
        |_| (),
        async |r| {
            let receive = irecv(r, Addr(64), 4, BYTE, 0, 1, WORLD).unwrap();
            r.requests.orphans.borrow_mut().push_back(receive);
            send(r, Addr(8), 4, BYTE, 0, 1, WORLD).await.unwrap();
            r.bury(2);
            r.end_orphans().await;
            assert_eq!(wait(r, receive).await.unwrap().status.tag, 1);
        },
    );
}

#[test]
fn a_pending_operation_has_no_outcome() {
    asked(
        |_| (),
        async |r| {
            let request = irecv(r, Addr(64), 4, BYTE, 0, 1, WORLD).unwrap();
            let operation = r.entry(request, |entry| entry.activity.operation()).unwrap().unwrap();
            assert!(operation.finish().is_none() && r.release_if_done(operation).is_none());
            assert!(!r.collect_at_once(&mut Completed::begun(0, request)));
            send(r, Addr(8), 4, BYTE, 0, 1, WORLD).await.unwrap();
            assert_eq!(wait(r, request).await.unwrap().status.bytes(), 4);
        },
    );
}

#[test]
fn parts_that_have_left_are_not_marked_again() {
    asked(
        |_| (),
        async |r| {
            let sending = psend_init(r, Addr(8), 1, 4, BYTE, 0, 1, WORLD, Info::NULL).unwrap();
            let receiving = precv_init(r, Addr(64), 1, 4, BYTE, 0, 1, WORLD, Info::NULL).unwrap();
            startall(r, &[sending, receiving]).unwrap();
            pready(r, 0, sending).unwrap();
            assert!(request_get_status(r, sending).await.unwrap().is_some());
            assert_eq!(pready(r, 0, sending).unwrap_err().class, MPI_ERR_ARG);
            assert_eq!(pready_range(r, 0, 0, sending).unwrap_err().class, MPI_ERR_ARG);
            waitall(r, &[sending, receiving]).await.unwrap();
        },
    );
}

/// A reduction in the background asks the guest in between the two questions of another callback: neither finds the
/// other's bytes in the memory that it was given.
#[test]
fn callbacks_in_turn_keep_their_memory() {
    const OPERANDS: Addr = Addr(64);
    const WORDS: [i32; 4] = [5, 6, 7, 8];
    let world = World::new(1, Arc::new(Nobody), None, Options { spin: false, ..Options::default() });
    let r = rank(&world, 0);
    let scratch = (MEMORY / 2) as u32;
    let seen = RefCell::new(Vec::new());
    let answer = |callback| {
        // After the first question the background has what it waits for.
        let go = || drop(block_on::<_, Ended>(&r, send(&r, Addr(8), 4, BYTE, 0, 1, WORLD), |_| Ok(0)).unwrap());
        match callback {
            Callback::Allocate { .. } => {
                go();
                Ok(CELL as i64)
            }
            Callback::Scratch { bytes } => {
                if bytes == 64 {
                    go();
                }
                Ok(scratch.into())
            }
            Callback::Call { function, arguments } => {
                let words = (function != QUERY).then_some(Addr(scratch.into()));
                let at = words.unwrap_or(Addr(arguments[arguments.len() - 1] as u64));
                seen.borrow_mut().push((function, r.memory().read_i32s(at, 4, "words").unwrap()));
                Ok(MPI_SUCCESS.into())
            }
            other => panic!("the test's guest cannot answer {other:?}"),
        }
    };
    let reduces = async |r: &Rank| {
        recv(r, Addr(16), 4, BYTE, 0, 1, WORLD).await?;
        let op = crate::op::op_create(r, FnPtr(9), true)?;
        crate::op::reduce_local(r, OPERANDS, Addr(OPERANDS.0 + 64), 8, Datatype::INT, op).await?;
        Ok(Status::EMPTY)
    };
    let program = async |r: &Rank| {
        // The status of a generalised request.
        let general = complete_general()(r).await;
        let background = r.begin(WORLD, reduces).unwrap();
        wait(r, general).await.unwrap();
        wait(r, background).await.unwrap();
        // The lists of objects.
        let then: Then = Box::new(|r, _, status| {
            Box::pin(async move {
                let at = Addr(r.ask(Callback::Scratch { bytes: 64 }).await as u64);
                r.memory().write_i32s(at, &WORDS, "words")?;
                r.ask(Callback::Call { function: NOTHING, arguments: [0].as_slice().into() }).await;
                Ok(status)
            })
        });
        let objects = irecv_bytes(r, 100, 0, 2, WORLD, then).unwrap();
        send(r, Addr(8), 4, BYTE, 0, 2, WORLD).await.unwrap();
        let background = r.begin(WORLD, reduces).unwrap();
        wait(r, objects).await.unwrap();
        wait(r, background).await.unwrap();
    };
    block_on::<_, Ended>(&r, program(&r), answer).unwrap();
    r.exit();
    let seen = seen.take();
    let find = |function| seen.iter().find(|(called, _)| *called == function).map(|(_, words)| words.as_slice());
    assert_eq!(find(QUERY), Some(&Status::EMPTY.words()[..4]));
    assert!(seen.iter().any(|(called, words)| *called == NOTHING && words.as_slice() == WORDS), "{seen:?}");
    let order: Vec<u32> = seen.iter().map(|(called, _)| called.0).collect();
    assert_eq!(order, [9, 1, 2, 9, 2], "the reduction comes in between");
}

#[test]
fn a_few_are_completed_at_once_or_left_as_they_are() {
    both(1, async |r| {
        let begin = |room| {
            let receiving = irecv(r, Addr(512), room, BYTE, 0, 1, WORLD).unwrap();
            let sending = isend(r, Addr(64), 8, BYTE, 0, 1, WORLD).unwrap();
            r.progress();
            [receiving, sending]
        };
        let at_once = |requests: &[Request]| {
            let mut seen = Vec::new();
            waitall_at_once(r, requests, |one| seen.push((one.index, one.status.bytes()))).then_some(seen)
        };
        let [receiving, sending] = begin(8);
        let refused: [&[Request]; 3] = [&[receiving; 2], &[receiving, Request::NULL], &[receiving; FEW + 1]];
        for requests in refused {
            assert_eq!(at_once(requests), None);
        }
        assert_eq!(at_once(&[receiving, sending]), Some(vec![(0, 8), (1, 0)]));
        assert_eq!(at_once(&[receiving]), None, "it is no request any more");
        // What has a status of its own is collected with it.
        let exchange = isendrecv(r, Addr(64), 8, BYTE, 0, 2, Addr(512), 8, BYTE, 0, 2, WORLD).unwrap();
        assert_eq!(at_once(&[exchange]), None);
        let all = waitall(r, &[exchange]).await.unwrap();
        assert_eq!((all[0].request, all[0].status.tag, all[0].status.bytes()), (Request::NULL, 2, 8));
        // What failed is told with the others.
        let requests = begin(4);
        assert_eq!(at_once(&requests), None);
        let all = waitall(r, &requests).await.unwrap();
        assert_eq!((in_status(&all).unwrap().class, all[0].status.bytes()), (MPI_ERR_IN_STATUS, 4));
    });
}
