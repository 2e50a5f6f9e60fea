//! The functions as a program calls them.

use rankine_abi::*;

use crate::datatype::*;
use crate::drive::{Ended, block_on};
use crate::error::Result;
use crate::rank::Rank;
use crate::testing::turns;
use crate::world::Options;

/// Runs a program as the only rank of a job.
pub(super) fn alone(program: impl Fn(&Rank)) {
    let (results, _) = turns(1, Options::default(), async |r: &Rank| program(r));
    assert_eq!(results, [Some(())]);
}

fn type_free(r: &Rank, datatype: Datatype) -> Result<Datatype> {
    at_once(r, crate::datatype::type_free(r, datatype))
}

fn type_dup(r: &Rank, oldtype: Datatype) -> Result<Datatype> {
    at_once(r, crate::datatype::type_dup(r, oldtype))
}

/// What a function returns that has no callback to wait for.
fn at_once<T>(r: &Rank, future: impl Future<Output = T>) -> T {
    block_on(r, future, |_| Err(Ended)).unwrap()
}

fn class<T: std::fmt::Debug>(result: Result<T>) -> i32 {
    result.unwrap_err().class
}

#[test]
fn predefined_types_are_those_of_wasm32() {
    alone(|r| {
        let size_extent = |ty| (type_size(r, ty).unwrap(), type_get_extent(r, ty).unwrap());
        assert_eq!(size_extent(Datatype::LONG), (4, (0, 4)));
        assert_eq!(size_extent(Datatype::UNSIGNED_LONG), (4, (0, 4)));
        assert_eq!(size_extent(Datatype::AINT), (4, (0, 4)));
        assert_eq!(size_extent(Datatype::WCHAR), (4, (0, 4)));
        assert_eq!(size_extent(Datatype::LONG_DOUBLE), (16, (0, 16)));
        assert_eq!(size_extent(Datatype::DOUBLE_INT), (12, (0, 16)));
        assert_eq!(size_extent(Datatype::SHORT_INT), (6, (0, 8)));
        assert_eq!(size_extent(Datatype::LONG_INT), (8, (0, 8)));
        assert_eq!(size_extent(Datatype::LONG_DOUBLE_INT), (20, (0, 32)));
        assert_eq!(type_get_true_extent(r, Datatype::DOUBLE_INT), Ok((0, 12)));
        for handle in (0..0x400).map(Datatype).filter(|handle| handle.element().is_some()) {
            let ty = r.datatype(handle).unwrap();
            assert!(!type_get_name(r, handle).unwrap().is_empty());
            let block = (ty.layout().is_block() && ty.size() as i64 == ty.extent()).then(|| ty.size() as u32);
            assert_eq!(handle.predefined_block(), block, "{handle:?}");
            assert!(handle.fixed_size().is_none_or(|size| u64::from(size) == ty.size()), "{handle:?}");
        }
    });
}

#[test]
fn structs_are_padded_as_in_c() {
    alone(|r| {
        let types = [Datatype::DOUBLE, Datatype::CHAR];
        let ty = type_create_struct(r, 2, &[1, 1], &[0, 8], &types).unwrap();
        assert_eq!(type_get_extent(r, ty), Ok((0, 16)));
        assert_eq!(type_get_true_extent(r, ty), Ok((0, 9)));
        let ty = type_create_resized(r, ty, -4, 40).unwrap();
        assert_eq!(type_get_extent(r, ty), Ok((-4, 40)));
        let two = type_contiguous(r, 2, ty).unwrap();
        assert_eq!(type_get_extent(r, two), Ok((-4, 80)));
        assert_eq!(type_size(r, two), Ok(18));
    });
}

#[test]
fn freed_types_live_on_in_others() {
    alone(|r| {
        let first = type_contiguous(r, 2, Datatype::INT).unwrap();
        type_free(r, first).unwrap();
        let before = r.account.used();
        let pair = type_contiguous(r, 2, Datatype::INT).unwrap();
        let vector = type_vector(r, 3, 1, 2, pair).unwrap();
        assert_eq!(class(r.datatype(vector)), MPI_ERR_TYPE);
        assert_eq!(type_commit(r, vector), Ok(vector));
        assert_eq!(type_free(r, pair), Ok(Datatype::NULL));
        assert_eq!(class(type_size(r, pair)), MPI_ERR_TYPE);
        assert_eq!(class(type_free(r, pair)), MPI_ERR_TYPE);
        assert_eq!(r.datatype(vector).unwrap().message(1).unwrap().size(), 24);
        assert_eq!(class(type_free(r, Datatype::INT)), MPI_ERR_TYPE);
        assert_eq!(class(type_free(r, Datatype::NULL)), MPI_ERR_TYPE);
        type_free(r, vector).unwrap();
        assert_eq!(r.account.used(), before);
    });
}

#[test]
fn contents_are_the_arguments() {
    alone(|r| {
        let old = type_contiguous(r, 2, Datatype::LONG).unwrap();
        let ty = type_create_struct(r, 2, &[3, 4], &[-8, 16], &[Datatype::CHAR, old]).unwrap();
        let envelope = type_get_envelope(r, ty).unwrap();
        let expected =
            Envelope { integers: 3, addresses: 2, large_counts: 0, datatypes: 2, combiner: MPI_COMBINER_STRUCT };
        assert_eq!(envelope, expected);
        let values = type_get_contents(r, ty, envelope).unwrap();
        assert_eq!((values.integers, values.addresses), (vec![2, 3, 4], vec![-8, 16]));
        assert_eq!(values.datatypes[0], Datatype::CHAR);
        let again = values.datatypes[1];
        assert_ne!(again, old);
        assert_eq!(type_get_contents(r, again, envelope).unwrap().datatypes, [Datatype::LONG]);
        assert_eq!(class(type_get_contents(r, ty, Envelope { integers: 2, ..envelope })), MPI_ERR_ARG);
        assert_eq!(class(type_get_contents(r, Datatype::INT, envelope)), MPI_ERR_TYPE);
        assert_eq!(type_get_envelope(r, Datatype::INT).unwrap().combiner, MPI_COMBINER_NAMED);

        let part = type_create_subarray(r, 2, &[4, 5], &[2, 3], &[1, 2], MPI_ORDER_C, Datatype::INT).unwrap();
        let envelope = type_get_envelope(r, part).unwrap();
        let values = type_get_contents(r, part, envelope).unwrap();
        assert_eq!(values.integers, [2, 4, 5, 2, 3, 1, 2, MPI_ORDER_C]);
    });
}

#[test]
fn large_count_constructors_are_told_apart() {
    alone(|r| {
        r.enter("MPI_Type_create_hvector_c");
        let ty = type_create_hvector(r, 2, 3, 1 << 40, Datatype::INT).unwrap();
        r.enter("MPI_Type_get_envelope");
        assert_eq!(class(type_get_envelope(r, ty)), MPI_ERR_TYPE);
        r.enter("MPI_Type_get_envelope_c");
        let envelope = type_get_envelope(r, ty).unwrap();
        assert_eq!((envelope.integers, envelope.addresses, envelope.large_counts), (0, 0, 3));
        assert_eq!(type_get_contents(r, ty, envelope).unwrap().large_counts, [2, 3, 1 << 40]);
    });
}

#[test]
fn fortran_types_by_precision() {
    alone(|r| {
        let real = type_create_f90_real(r, 15, MPI_UNDEFINED).unwrap();
        assert_eq!(type_size(r, real), Ok(8));
        assert_eq!(type_create_f90_real(r, 15, MPI_UNDEFINED), Ok(real));
        assert_ne!(type_create_f90_real(r, 14, MPI_UNDEFINED), Ok(real));
        assert!(r.datatype(real).is_ok());
        assert_eq!(class(type_free(r, real)), MPI_ERR_TYPE);
        let envelope = type_get_envelope(r, real).unwrap();
        assert_eq!((envelope.combiner, envelope.integers, envelope.datatypes), (MPI_COMBINER_F90_REAL, 2, 0));
        assert_eq!(type_get_contents(r, real, envelope).unwrap().integers, [15, MPI_UNDEFINED]);
        let size = |ty: Result<Datatype>| type_size(r, ty.unwrap()).unwrap();
        assert_eq!(size(type_create_f90_complex(r, 6, 37)), 8);
        assert_eq!(size(type_create_f90_integer(r, 9)), 4);
        assert_eq!(size(type_create_f90_integer(r, 10)), 8);
        assert_eq!(class(type_create_f90_real(r, 40, 1)), MPI_ERR_ARG);
        assert_eq!(class(type_create_f90_real(r, MPI_UNDEFINED, MPI_UNDEFINED)), MPI_ERR_ARG);
        assert_eq!(type_match_size(r, MPI_TYPECLASS_REAL, 8), Ok(Datatype::REAL8));
        assert_eq!(class(type_match_size(r, MPI_TYPECLASS_REAL, 7)), MPI_ERR_ARG);
        assert_eq!(type_get_value_index(r, Datatype::DOUBLE, Datatype::INT), Ok(Datatype::DOUBLE_INT));
        assert_eq!(type_get_value_index(r, Datatype::CHAR, Datatype::INT), Ok(Datatype::NULL));
    });
}

#[test]
fn wrong_arguments_get_their_class() {
    alone(|r| {
        let int = Datatype::INT;
        assert_eq!(class(type_contiguous(r, -1, int)), MPI_ERR_COUNT);
        assert_eq!(class(type_contiguous(r, 1, Datatype(0x3000_0000))), MPI_ERR_TYPE);
        assert_eq!(class(type_vector(r, 1, -1, 1, int)), MPI_ERR_ARG);
        assert_eq!(class(type_indexed(r, -1, &[], &[], int)), MPI_ERR_COUNT);
        assert_eq!(class(type_indexed(r, 1, &[-1], &[0], int)), MPI_ERR_ARG);
        assert_eq!(class(type_create_struct(r, 1, &[1], &[0], &[Datatype::NULL])), MPI_ERR_TYPE);
        assert_eq!(class(type_create_subarray(r, 0, &[], &[], &[], MPI_ORDER_C, int)), MPI_ERR_ARG);
        assert_eq!(class(type_create_subarray(r, 1, &[4], &[3], &[2], MPI_ORDER_C, int)), MPI_ERR_ARG);
        assert_eq!(class(type_create_subarray(r, 1, &[4], &[3], &[1], 99, int)), MPI_ERR_ARG);
        let none = MPI_DISTRIBUTE_NONE;
        assert_eq!(class(type_create_darray(r, 2, 0, 1, &[4], &[none], &[1], &[2], MPI_ORDER_C, int)), MPI_ERR_ARG);
        assert_eq!(class(type_create_darray(r, 3, 0, 1, &[4], &[none], &[1], &[1], MPI_ORDER_C, int)), MPI_ERR_ARG);
        assert_eq!(class(type_contiguous(r, i64::MAX, int)), MPI_ERR_ARG);
        // One element of an array of that many would do.
        assert!(r.types.room_for(1 << 40).is_err());
    });
}

#[test]
fn names_and_duplicates() {
    alone(|r| {
        assert_eq!(type_get_name(r, Datatype::INT).unwrap(), "MPI_INT");
        type_set_name(r, Datatype::INT, "number").unwrap();
        assert_eq!(type_get_name(r, Datatype::INT).unwrap(), "number");
        let ty = type_contiguous(r, 2, Datatype::INT).unwrap();
        assert_eq!(type_get_name(r, ty).unwrap(), "");
        type_set_name(r, ty, &"é".repeat(100)).unwrap();
        assert_eq!(type_get_name(r, ty).unwrap(), "é".repeat(63));
        let raw = type_dup(r, ty).unwrap();
        assert!(r.datatype(raw).is_err());
        type_commit(r, ty).unwrap();
        let dup = type_dup(r, ty).unwrap();
        assert!(r.datatype(dup).is_ok());
        assert_eq!(type_get_name(r, dup).unwrap(), "");
        assert_eq!(type_get_envelope(r, dup).unwrap().combiner, MPI_COMBINER_DUP);
    });
}

#[test]
fn counting_what_was_received() {
    alone(|r| {
        let ty = type_create_struct(r, 2, &[1, 2], &[0, 8], &[Datatype::INT, Datatype::DOUBLE]).unwrap();
        let after = |bytes| Status::new(0, 0, bytes);
        assert_eq!(get_count(r, after(40), ty), Ok(2));
        assert_eq!(get_count(r, after(24), ty), Ok(MPI_UNDEFINED.into()));
        assert_eq!(get_elements(r, after(24), ty), Ok(4));
        assert_eq!(get_elements(r, after(25), ty), Ok(MPI_UNDEFINED.into()));
        assert_eq!(get_elements(r, after(12), Datatype::DOUBLE_INT), Ok(2));
        let status = status_set_elements(r, Status::EMPTY, ty, 5).unwrap();
        assert_eq!((status.bytes(), get_elements(r, status, ty)), (32, Ok(5)));
        let empty = type_contiguous(r, 0, ty).unwrap();
        assert_eq!((get_count(r, after(0), empty), get_elements(r, after(0), empty)), (Ok(0), Ok(0)));
        assert_eq!(get_count(r, after(4), empty), Ok(MPI_UNDEFINED.into()));
        assert_eq!(aint_add(r, i64::from(i32::MAX), 1), i64::from(i32::MIN));
        assert_eq!(aint_diff(r, 100, 104), -4);
    });
}
