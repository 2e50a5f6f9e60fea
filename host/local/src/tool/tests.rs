use rankine_abi::{
    Addr, Comm, Datatype, FnPtr, Info, Kept, MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_INVALID, MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_ERR_PVAR_NO_STARTSTOP,
    MPI_T_ERR_PVAR_NO_WRITE, MPI_T_PVAR_ALL_HANDLES, MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_LEVEL,
};

use rankine_guest::Callback;

use super::*;
use crate::pt2pt::{isend, recv, send};
use crate::testing::both;

fn class<T>(result: Result<T>) -> i32 {
    result.err().map_or(0, |error| error.class)
}

/// A handle of a variable in a session.
fn handle(r: &Rank, session: u32, name: &str, class: i32) -> u32 {
    t_pvar_handle_alloc(r, session, t_pvar_get_index(r, name, class).unwrap(), Addr(0)).unwrap().0
}

#[test]
fn it_is_there_between_init_and_finalize() {
    both(1, async |r| {
        assert_eq!(class(t_cvar_get_num(r)), MPI_T_ERR_NOT_INITIALIZED);
        assert_eq!(class(t_finalize(r)), MPI_T_ERR_NOT_INITIALIZED);
        assert_eq!(class(t_init_thread(r, 77)), MPI_T_ERR_INVALID);
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        t_init_thread(r, MPI_THREAD_MULTIPLE).unwrap();
        let session = t_pvar_session_create(r).unwrap();
        t_finalize(r).unwrap();
        assert!(r.world().is_observed());
        t_pvar_start(r, session, MPI_T_PVAR_ALL_HANDLES).unwrap();
        t_finalize(r).unwrap();
        assert!(!r.world().is_observed());
        assert_eq!(class(t_pvar_start(r, session, MPI_T_PVAR_ALL_HANDLES)), MPI_T_ERR_NOT_INITIALIZED);
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        assert_eq!(class(t_pvar_start(r, session, MPI_T_PVAR_ALL_HANDLES)), MPI_T_ERR_INVALID_SESSION);
    });
}

/// Where values are read to and written from.
const VALUE: Addr = Addr(4096);

#[test]
fn settings_are_set() {
    both(1, async |r| {
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        for (index, control) in CONTROLS.iter().enumerate() {
            let (handle, count) = t_cvar_handle_alloc(r, index as i32, Addr(0)).unwrap();
            let read = || {
                r.memory().write_i64(VALUE, 0, "value").unwrap();
                t_cvar_read(r, handle, VALUE).unwrap();
                r.memory().read_i64(VALUE, "value").unwrap()
            };
            let write = |value: i64| {
                r.memory().write_i64(VALUE, value, "value").unwrap();
                class(t_cvar_write(r, handle, VALUE))
            };
            let before = read();
            assert_eq!((t_cvar_get_index(r, control.name).unwrap(), count), (index as i32, 1));
            if control.is_writable() {
                assert_eq!((write(1), read()), (0, 1), "{}", control.name);
                if t_cvar_get_info(r, index as i32).unwrap().2 == Datatype::INT {
                    assert_eq!((write(-1), read()), (MPI_T_ERR_INVALID, 1));
                }
                if t_cvar_get_info(r, index as i32).unwrap().3 == SWITCH {
                    assert_eq!((write(2), read()), (MPI_T_ERR_INVALID, 1));
                }
            } else {
                assert_eq!((write(1), read()), (MPI_T_ERR_CVAR_SET_NEVER, before));
            }
            t_cvar_handle_free(r, handle).unwrap();
            assert_eq!(class(t_cvar_read(r, handle, VALUE)), MPI_T_ERR_INVALID_HANDLE);
        }
        let tools = &r.tools;
        let set = (tools.spin_polls.get(), tools.buffer_limit.get(), tools.eager_limit.get(), r.world().joint_copy());
        assert_eq!(set, (1, 1, 1, 1));
    });
}

/// What is read of a variable.
fn value(r: &Rank, session: u32, handle: u32) -> i64 {
    t_pvar_read(r, session, handle, VALUE).unwrap();
    r.memory().read_i64(VALUE, "value").unwrap()
}

#[test]
fn messages_are_counted_while_a_handle_runs() {
    both(2, async |r| {
        let message = async |bytes: i64| {
            if r.id() == 0 {
                send(r, Addr(64), bytes, Datatype::BYTE, 1, 0, Comm::WORLD).await.unwrap();
            } else {
                recv(r, Addr(64), bytes, Datatype::BYTE, 0, 0, Comm::WORLD).await.unwrap();
            }
        };
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        message(5).await;
        let session = t_pvar_session_create(r).unwrap();
        let short = handle(r, session, "rankine_short_messages", MPI_T_PVAR_CLASS_COUNTER);
        let bytes = handle(r, session, "rankine_short_bytes", rankine_abi::MPI_T_PVAR_CLASS_AGGREGATE);
        message(5).await;
        assert_eq!(value(r, session, short), 0);
        t_pvar_start(r, session, MPI_T_PVAR_ALL_HANDLES).unwrap();
        for _ in 0..3 {
            message(7).await;
        }
        let expected = if r.id() == 0 { (3, 21) } else { (0, 0) };
        let read = |handle| value(r, session, handle);
        assert_eq!((read(short), read(bytes)), expected);
        t_pvar_stop(r, session, bytes).unwrap();
        message(7).await;
        assert_eq!(read(bytes), expected.1);
        t_pvar_start(r, session, bytes).unwrap();
        message(9).await;
        let more = if r.id() == 0 { 9 } else { 0 };
        t_pvar_readreset(r, session, bytes, VALUE).unwrap();
        assert_eq!(r.memory().read_i64(VALUE, "value").unwrap(), expected.1 + more);
        message(2).await;
        assert_eq!(read(bytes), more.min(2));
        r.memory().write_i64(VALUE, 100, "value").unwrap();
        t_pvar_write(r, session, bytes, VALUE).unwrap();
        message(2).await;
        assert_eq!(read(bytes), 100 + more.min(2));
        t_pvar_session_free(r, session).unwrap();
        assert_eq!(class(t_pvar_read(r, session, short, VALUE)), MPI_T_ERR_INVALID_SESSION);
    });
}

#[test]
fn what_waits_is_seen() {
    both(1, async |r| {
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        let (session, other) = (t_pvar_session_create(r).unwrap(), t_pvar_session_create(r).unwrap());
        let unexpected = handle(r, session, "rankine_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
        let most = handle(r, session, "rankine_unexpected_most", rankine_abi::MPI_T_PVAR_CLASS_HIGHWATERMARK);
        let read = |handle| value(r, session, handle);
        for _ in 0..3 {
            isend(r, Addr(64), 1, Datatype::BYTE, 0, 0, Comm::WORLD).unwrap();
        }
        assert_eq!((read(unexpected), read(most)), (3, 3));
        recv(r, Addr(64), 1, Datatype::BYTE, 0, 0, Comm::WORLD).await.unwrap();
        assert_eq!((read(unexpected), read(most)), (2, 3));
        assert_eq!(class(t_pvar_start(r, session, most)), MPI_T_ERR_PVAR_NO_STARTSTOP);
        assert_eq!(class(t_pvar_reset(r, session, most)), MPI_T_ERR_PVAR_NO_WRITE);
        assert_eq!(class(t_pvar_readreset(r, session, most, VALUE)), MPI_T_ERR_PVAR_NO_ATOMIC);
        assert_eq!(class(t_pvar_read(r, other, most, VALUE)), MPI_T_ERR_INVALID_HANDLE);
        assert_eq!(class(t_pvar_read(r, session, MPI_T_PVAR_ALL_HANDLES, VALUE)), MPI_T_ERR_INVALID_HANDLE);
    });
}

#[test]
fn events_are_told_once_and_in_order() {
    both(1, async |r| {
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        let register = |name: &str, function: u32| {
            let index = t_event_get_index(r, name).unwrap();
            let handle = t_event_handle_alloc(r, index, Addr(0), Info::NULL).unwrap();
            t_event_register_callback(r, handle, 0, Kept(7), FnPtr(function)).unwrap();
            handle
        };
        let (sent, unexpected) = (register("rankine_sent", 10), register("rankine_unexpected", 11));
        send(r, Addr(64), 3, Datatype::BYTE, 0, 9, Comm::WORLD).await.unwrap();
        isend(r, Addr(64), 4, Datatype::BYTE, 0, 9, Comm::WORLD).unwrap();
        r.progress();
        assert!(r.hear());
        let mut told = Vec::new();
        while let Some(Callback::Call { function, arguments }) = r.next_to_hear() {
            let instance = arguments[0] as u32;
            t_event_copy(r, instance, VALUE).unwrap();
            told.push((function.0, arguments[1] as u32, r.memory().read_i64s(VALUE, 3, "elements").unwrap()));
            assert_eq!(arguments[2..], [0, 7]);
            assert!(!r.hear(), "it hears already");
            assert_eq!(class(t_finalize(r)), MPI_T_ERR_INVALID);
            assert_eq!(class(t_event_read(r, instance, 3, VALUE)), rankine_abi::MPI_T_ERR_INVALID_INDEX);
        }
        told.sort();
        let of = |function, count: usize| told.iter().filter(move |told| told.0 == function).take(count);
        assert!(of(10, 9).map(|told| (told.1, told.2[1])).eq([(sent, 3), (sent, 4)]));
        assert!(
            of(11, 9).map(|told| (told.1, &told.2[..])).eq([(unexpected, &[0, 9, 3][..]), (unexpected, &[0, 9, 4])])
        );
        assert!(!r.hear());
        assert_eq!(class(t_event_copy(r, 0xd000_0000, VALUE)), MPI_T_ERR_INVALID_HANDLE);
    });
}

#[test]
fn events_that_find_no_room_are_counted() {
    both(1, async |r| {
        t_init_thread(r, MPI_THREAD_SINGLE).unwrap();
        let index = t_event_get_index(r, "rankine_parked").unwrap();
        let handle = t_event_handle_alloc(r, index, Addr(0), Info::NULL).unwrap();
        t_event_register_callback(r, handle, 0, Kept(0), FnPtr(1)).unwrap();
        t_event_set_dropped_handler(r, handle, FnPtr(2)).unwrap();
        for _ in 0..ear::LONGEST + 5 {
            r.tell(|| crate::Event::Parked { rank: r.id(), awaits: r.awaits() });
        }
        assert!(r.hear());
        let mut calls = 0;
        while let Some(Callback::Call { function, arguments }) = r.next_to_hear() {
            calls += 1;
            if function == FnPtr(2) {
                assert_eq!(arguments[..4], [5, 0, handle as i32, 0]);
            }
        }
        assert_eq!(calls, ear::LONGEST + 1);
    });
}
