//! Attributes in a guest of which we play the functions: in which order and with what they are called.

use std::cell::RefCell;
use std::sync::Arc;

use rankine_abi::{
    Comm, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, MPI_ERR_COMM, MPI_ERR_TYPE, MPI_ERR_WIN,
    MPI_TAG_UB, MPI_UNIVERSE_SIZE,
};
use rankine_guest::Callback;

use super::*;
use crate::comm::{comm_dup, comm_free, comm_idup};
use crate::datatype::{type_contiguous, type_dup, type_free};
use crate::drive::{Ended, block_on};
use crate::request::wait;
use crate::testing;
use crate::world::{Options, World};

/// Copies, with the value plus one.
const COPY: FnPtr = FnPtr(10);
/// Says that nothing is to be copied.
const REFUSE: FnPtr = FnPtr(11);
/// Deletes.
const DELETE: FnPtr = FnPtr(12);
/// Returns error 77.
const FAIL: FnPtr = FnPtr(13);
/// Deletes, after another attribute of the same communicator was set.
const MEDDLE: FnPtr = FnPtr(14);

/// A guest whose functions note how they were called.
#[derive(Default)]
struct Guest {
    calls: RefCell<Vec<(u32, Vec<i32>)>>,
    allocated: std::cell::Cell<i32>,
    /// What [`MEDDLE`] sets.
    spare: std::cell::Cell<i32>,
}

impl Guest {
    fn run<T>(&self, r: &Rank, future: impl Future<Output = T>) -> T {
        block_on(r, future, |callback| Ok::<_, Ended>(self.answer(r, callback))).expect("nobody ends the job")
    }

    fn answer(&self, r: &Rank, callback: Callback) -> i64 {
        match callback {
            Callback::Allocate { bytes, .. } => {
                let address = 4096 + self.allocated.get();
                self.allocated.set(self.allocated.get() + bytes as i32);
                address.into()
            }
            Callback::Call { function, arguments } => {
                self.calls.borrow_mut().push((function.0, arguments.to_vec()));
                self.call(r, function, &arguments).into()
            }
            other => panic!("attributes need nothing else: {other:?}"),
        }
    }

    fn call(&self, r: &Rank, function: FnPtr, arguments: &[i32]) -> i32 {
        match function {
            COPY => {
                let [_, _, _, value, copy, flag] = arguments[..] else { panic!("a copy function has six arguments") };
                r.memory().write_i32(Addr(copy as u64), value + 1, "copy").unwrap();
                r.memory().write_i32(Addr(flag as u64), 1, "flag").unwrap();
                0
            }
            FAIL => 77,
            MEDDLE => {
                let comm = Comm(arguments[0] as u32);
                self.run(r, set_attr(r, comm, self.spare.get(), Kept(5))).unwrap();
                0
            }
            _ => 0,
        }
    }

    /// The functions called since the last look, each with the attribute's value.
    fn called(&self) -> Vec<(FnPtr, i32)> {
        let value = |(function, arguments): (u32, Vec<i32>)| {
            (FnPtr(function), if arguments.len() == 4 { arguments[2] } else { arguments[3] })
        };
        self.calls.take().into_iter().map(value).collect()
    }
}

fn alone() -> (Rank, Guest) {
    let world = World::new(1, Arc::new(testing::Nobody), None, Options::default());
    (testing::rank(&world, 0), Guest::default())
}

#[test]
fn values_are_set_replaced_and_deleted() {
    let (r, guest) = alone();
    let keyval = create_keyval::<Comm>(&r, COPY, DELETE, Kept(99)).unwrap();
    assert!(keyval > 0);
    let get = || guest.run(&r, comm_get_attr(&r, Comm::WORLD, keyval)).unwrap();
    assert_eq!(get(), (Kept::NULL, false));
    guest.run(&r, set_attr(&r, Comm::WORLD, keyval, Kept(1))).unwrap();
    assert!(guest.calls.borrow().is_empty());
    guest.run(&r, set_attr(&r, Comm::WORLD, keyval, Kept(2))).unwrap();
    assert_eq!(guest.calls.take(), [(DELETE.0, vec![Comm::WORLD.0 as i32, keyval, 1, 99])]);
    assert_eq!(get(), (Kept(2), true));
    guest.run(&r, delete_attr(&r, Comm::WORLD, keyval)).unwrap();
    assert_eq!(guest.called(), [(DELETE, 2)]);
    assert_eq!(get(), (Kept::NULL, false));
    let error = guest.run(&r, delete_attr(&r, Comm::WORLD, keyval)).unwrap_err();
    assert_eq!(error.class, MPI_ERR_KEYVAL);
}

#[test]
fn duplicates_get_what_the_copy_functions_say() {
    let (r, guest) = alone();
    let set = |copy, value| {
        let keyval = create_keyval::<Comm>(&r, copy, DELETE, Kept(7)).unwrap();
        guest.run(&r, set_attr(&r, Comm::WORLD, keyval, Kept(value))).unwrap();
        keyval
    };
    let (copied, refused) = (set(COPY, 20), set(REFUSE, 30));
    let (same, dropped) = (set(MPI_COMM_DUP_FN, 40), set(MPI_COMM_NULL_COPY_FN, 50));
    // A keyval that was freed still works for the values it has.
    assert_eq!(free_keyval::<Comm>(&r, copied).unwrap(), MPI_KEYVAL_INVALID);
    assert_eq!(free_keyval::<Comm>(&r, copied).unwrap_err().class, MPI_ERR_KEYVAL);
    let copy = guest.run(&r, comm_dup(&r, Comm::WORLD)).unwrap();
    let calls = guest.calls.take();
    assert_eq!(calls[0].1[..4], [Comm::WORLD.0 as i32, copied, 7, 20]);
    assert_eq!(calls.iter().map(|(function, _)| FnPtr(*function)).collect::<Vec<_>>(), [COPY, REFUSE]);
    let get = |keyval| guest.run(&r, comm_get_attr(&r, copy, keyval)).unwrap();
    assert_eq!((get(refused), get(dropped)), ((Kept::NULL, false), (Kept::NULL, false)));
    assert_eq!(get(same), (Kept(40), true));
    // Deleted in reverse, and on the duplicate only.
    assert_eq!(get(copied), (Kept(21), true));
    assert_eq!(guest.run(&r, set_attr(&r, copy, copied, Kept(1))).unwrap_err().class, MPI_ERR_KEYVAL);
    guest.run(&r, comm_free(&r, copy)).unwrap();
    assert_eq!(guest.called(), [(DELETE, 40), (DELETE, 21)]);
    guest.run(&r, delete_attr(&r, Comm::WORLD, copied)).unwrap();
    assert_eq!(guest.run(&r, comm_get_attr(&r, Comm::WORLD, copied)).unwrap_err().class, MPI_ERR_KEYVAL);
}

#[test]
fn freed_keyvals_are_forgotten_once_nothing_has_them() {
    let (r, guest) = alone();
    let make = || create_keyval::<Comm>(&r, COPY, DELETE, Kept(7)).unwrap();
    let keyvals: Vec<i32> = (0..20).map(|_| make()).collect();
    for &keyval in &keyvals {
        guest.run(&r, set_attr(&r, Comm::WORLD, keyval, Kept(1))).unwrap();
        free_keyval::<Comm>(&r, keyval).unwrap();
    }
    assert_eq!(r.attrs.freed.borrow().len(), keyvals.len());
    for &keyval in &keyvals {
        guest.run(&r, delete_attr(&r, Comm::WORLD, keyval)).unwrap();
    }
    // Some by each call that makes or frees one.
    for _ in 0..5 {
        free_keyval::<Comm>(&r, make()).unwrap();
    }
    assert!(r.attrs.freed.borrow().is_empty());
}

#[test]
fn an_error_of_a_callback_stops_the_call() {
    let (r, guest) = alone();
    let copy = guest.run(&r, comm_dup(&r, Comm::WORLD)).unwrap();
    let failing = create_keyval::<Comm>(&r, FAIL, FAIL, Kept::NULL).unwrap();
    let fine = create_keyval::<Comm>(&r, MPI_COMM_DUP_FN, DELETE, Kept::NULL).unwrap();
    guest.run(&r, set_attr(&r, copy, failing, Kept(1))).unwrap();
    guest.run(&r, set_attr(&r, copy, fine, Kept(2))).unwrap();
    let error = guest.run(&r, comm_dup(&r, copy)).unwrap_err();
    assert_eq!(
        (error.class, error.text.as_ref()),
        (77, &*format!("the copy function of keyval {failing:#x} returned error 77"))
    );
    assert_eq!(guest.run(&r, delete_attr(&r, copy, failing)).unwrap_err().class, 77);
    assert_eq!(guest.run(&r, set_attr(&r, copy, failing, Kept(3))).unwrap_err().class, 77);
    assert_eq!(guest.run(&r, comm_get_attr(&r, copy, failing)).unwrap(), (Kept(1), true));
    assert_eq!(guest.run(&r, comm_free(&r, copy)).unwrap_err().class, 77);
    assert_eq!(guest.run(&r, comm_get_attr(&r, copy, fine)).unwrap(), (Kept::NULL, false));
    assert_eq!(guest.run(&r, comm_get_attr(&r, copy, failing)).unwrap(), (Kept(1), true));
}

#[test]
fn a_callback_may_change_attributes() {
    let (r, guest) = alone();
    guest.spare.set(create_keyval::<Comm>(&r, MPI_COMM_NULL_COPY_FN, DELETE, Kept::NULL).unwrap());
    let meddling = create_keyval::<Comm>(&r, MPI_COMM_NULL_COPY_FN, MEDDLE, Kept::NULL).unwrap();
    guest.run(&r, set_attr(&r, Comm::SELF, meddling, Kept(4))).unwrap();
    guest.run(&r, delete_own(&r)).unwrap();
    assert_eq!(guest.called(), [(MEDDLE, 4), (DELETE, 5)]);
}

#[test]
fn predefined_attributes_are_ints_in_the_guest() {
    let (r, guest) = alone();
    for (keyval, value) in [(MPI_TAG_UB, i32::MAX), (MPI_UNIVERSE_SIZE, 1)] {
        let (address, there) = guest.run(&r, comm_get_attr(&r, Comm::SELF, keyval)).unwrap();
        assert!(there);
        assert_eq!(r.memory().read_i32(Addr(address.0), "value").unwrap(), value);
        let error = guest.run(&r, set_attr(&r, Comm::SELF, keyval, Kept(0))).unwrap_err();
        assert_eq!(error.class, MPI_ERR_KEYVAL);
    }
    assert_eq!(guest.allocated.get(), 28);
}

#[test]
fn keyvals_know_what_they_are_for() {
    let (r, guest) = alone();
    let of_comms = create_keyval::<Comm>(&r, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, Kept::NULL).unwrap();
    let of_types = create_keyval::<Datatype>(&r, MPI_COMM_DUP_FN, DELETE, Kept::NULL).unwrap();
    let error = guest.run(&r, set_attr(&r, Comm::SELF, of_types, Kept(1))).unwrap_err();
    assert_eq!(error.text, format!("keyval {of_types:#x} is for datatypes, not for communicators"));
    assert_eq!(free_keyval::<Datatype>(&r, of_comms).unwrap_err().class, MPI_ERR_KEYVAL);
    assert_eq!(guest.run(&r, set_attr(&r, Comm::NULL, of_comms, Kept(1))).unwrap_err().class, MPI_ERR_COMM);
    assert_eq!(get_attr(&r, Datatype::NULL, of_types).unwrap_err().class, MPI_ERR_TYPE);
    guest.run(&r, set_attr(&r, Datatype::INT32_T, of_types, Kept(6))).unwrap();
    assert_eq!(get_attr(&r, Datatype::INT32_T, of_types).unwrap(), (Kept(6), true));
    let of_windows = create_keyval::<Win>(&r, MPI_COMM_NULL_COPY_FN, DELETE, Kept::NULL).unwrap();
    assert_eq!(get_attr(&r, Win::NULL, of_windows).unwrap_err().class, MPI_ERR_WIN);
    let made_up = guest.run(&r, comm_get_attr(&r, Comm::SELF, 12345)).unwrap_err();
    assert_eq!(made_up.text, "0x3039 is not a keyval of this rank (freed, or never made)");
}

#[test]
fn datatypes_take_attributes_to_their_duplicates() {
    let (r, guest) = alone();
    let keyval = create_keyval::<Datatype>(&r, COPY, DELETE, Kept(3)).unwrap();
    let ty = type_contiguous(&r, 2, Datatype::INT32_T).unwrap();
    guest.run(&r, set_attr(&r, ty, keyval, Kept(8))).unwrap();
    let copy = guest.run(&r, type_dup(&r, ty)).unwrap();
    guest.run(&r, type_free(&r, ty)).unwrap();
    assert_eq!(guest.called(), [(COPY, 8), (DELETE, 8)]);
    assert_eq!(get_attr(&r, copy, keyval).unwrap(), (Kept(9), true));
    guest.run(&r, delete_attr(&r, copy, keyval)).unwrap();
    guest.run(&r, type_free(&r, copy)).unwrap();
    assert_eq!(guest.called(), [(DELETE, 9)]);
    assert!(r.attrs.types.borrow().is_empty());
}

#[test]
fn a_duplicate_in_the_background_has_the_attributes_of_the_call() {
    let (r, guest) = alone();
    let keyval = create_keyval::<Comm>(&r, COPY, MPI_COMM_NULL_DELETE_FN, Kept(3)).unwrap();
    guest.run(&r, set_attr(&r, Comm::SELF, keyval, Kept(8))).unwrap();
    let (copy, request) = guest.run(&r, comm_idup(&r, Comm::SELF)).unwrap();
    assert_eq!(guest.called(), [(COPY, 8)]);
    guest.run(&r, set_attr(&r, Comm::SELF, keyval, Kept(20))).unwrap();
    guest.run(&r, wait(&r, request)).unwrap();
    assert_eq!(guest.run(&r, comm_get_attr(&r, copy, keyval)).unwrap(), (Kept(9), true));
}
