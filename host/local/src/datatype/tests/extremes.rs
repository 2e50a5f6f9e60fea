//! Arguments at the edges of 64 bits: an error or a type that keeps its promises, never a panic, never much memory.

use std::rc::Rc;

use proptest::prelude::*;
use rankine_abi::*;

use crate::datatype::Type;
use crate::datatype::cursor::Cursor;
use crate::datatype::predefined::predefined;
use crate::layout::Layout;
use crate::testing::MEMORY;

/// One step from a type to the next.
#[derive(Clone, Debug)]
enum Step {
    Contiguous(i64),
    Vector(i64, i64, i64),
    Hvector(i64, i64, i64),
    Indexed(Vec<(i64, i64)>),
    Hindexed(Vec<(i64, i64)>),
    Struct(Vec<(i64, i64)>),
    Resized(i64, i64),
    Subarray(i64, i64, i64),
    Darray(i64, i32, i32, i32),
}

fn number() -> impl Strategy<Value = i64> + Clone {
    prop_oneof![
        4 => -3..10_i64,
        1 => any::<i64>(),
        1 => (0..63_u32, -2..3_i64).prop_map(|(shift, more)| (1_i64 << shift).wrapping_add(more)),
        1 => prop::sample::select(vec![i64::MAX, i64::MIN, i64::MIN + 1, -(1 << 31), (1 << 31) - 1]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let blocks = prop::collection::vec((number(), number()), 0..4);
    prop_oneof![
        number().prop_map(Step::Contiguous),
        (number(), number(), number()).prop_map(|(a, b, c)| Step::Vector(a, b, c)),
        (number(), number(), number()).prop_map(|(a, b, c)| Step::Hvector(a, b, c)),
        blocks.clone().prop_map(Step::Indexed),
        blocks.clone().prop_map(Step::Hindexed),
        blocks.prop_map(Step::Struct),
        (number(), number()).prop_map(|(a, b)| Step::Resized(a, b)),
        (number(), number(), number()).prop_map(|(a, b, c)| Step::Subarray(a, b, c)),
        (number(), any::<i32>(), 1..5_i32, 0..5_i32).prop_map(|(a, b, c, d)| Step::Darray(a, b, c, d)),
    ]
}

fn apply(step: &Step, old: &Rc<Type>) -> Option<Rc<Type>> {
    let split = |blocks: &[(i64, i64)]| blocks.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
    let made = match step {
        Step::Contiguous(n) => Type::contiguous(*n, old),
        Step::Vector(n, len, stride) => Type::vector(*n, *len, *stride, old),
        Step::Hvector(n, len, stride) => Type::hvector(*n, *len, *stride, old),
        Step::Indexed(blocks) => Type::indexed(&split(blocks).0, &split(blocks).1, old),
        Step::Hindexed(blocks) => Type::hindexed(&split(blocks).0, &split(blocks).1, old),
        Step::Struct(blocks) => Type::structure(&split(blocks).0, &split(blocks).1, &vec![old.clone(); blocks.len()]),
        Step::Resized(lb, extent) => Type::resized(old, *lb, *extent),
        Step::Subarray(n, len, start) => Type::subarray(&[*n, 2], &[*len, 1], &[*start, 1], MPI_ORDER_FORTRAN, old),
        Step::Darray(n, argument, processes, rank) => {
            let kinds = [MPI_DISTRIBUTE_CYCLIC];
            Type::darray(*processes, *rank, &[*n], &kinds, &[*argument], &[*processes], MPI_ORDER_C, old)
        }
    };
    made.ok().map(Rc::new)
}

/// Walks a little from several places: whatever is visited is inside the bounds.
fn check(layout: &Layout) -> Result<(), TestCaseError> {
    let (lo, hi) = (i128::from(layout.lo()), i128::from(layout.hi()));
    let size = layout.size();
    for from in [0, 1, size / 3, size / 2, size.saturating_sub(9), size.saturating_sub(1), size, u64::MAX] {
        let mut cursor = Cursor::new(layout, from);
        let mut left = size.saturating_sub(from);
        for step in 1..40_u64 {
            let run = cursor.run();
            if run.count == 0 {
                prop_assert_eq!(left, 0);
                break;
            }
            let (first, len) = (i128::from(run.offset), i128::from(run.len));
            let last = first + i128::from(run.stride) * i128::from(run.count - 1);
            prop_assert!(lo <= first.min(last) && first.max(last) + len <= hi, "{run:?} leaves {lo}..{hi}");
            let bytes = run.len.checked_mul(run.count);
            prop_assert!(bytes.is_some_and(|bytes| bytes <= left), "{run:?} has more than {left} bytes");
            let take = bytes.unwrap().min(step * step * step);
            left -= take;
            cursor.advance(take);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "too long, and nothing in it is unsafe")]
    fn types_keep_their_promises(steps in prop::collection::vec(step(), 1..6), count in number(), pair in any::<bool>()) {
        let first = if pair { Datatype::SHORT_INT } else { Datatype::DOUBLE };
        let mut ty = Rc::new(predefined(first).unwrap());
        for step in &steps {
            if let Some(new) = apply(step, &ty) {
                ty = new;
                prop_assert!(ty.heap_bytes() < 20_000);
                prop_assert_eq!(ty.size(), ty.signature().bytes());
                check(ty.layout())?;
            }
        }
        if let Ok(message) = ty.message(count.unsigned_abs()) {
            prop_assert_eq!(u128::from(message.size()), u128::from(ty.size()) * u128::from(count.unsigned_abs()));
            check(&message)?;
        }
    }
}

#[test]
fn huge_counts_cost_nothing() {
    let double = Rc::new(predefined(Datatype::DOUBLE).unwrap());
    let vector = Rc::new(Type::vector(1_000_000_000, 3, 5, &double).unwrap());
    let nested = Rc::new(Type::vector(1_000_000, 2, 3, &vector).unwrap());
    assert!(nested.heap_bytes() < 2000);
    assert_eq!(nested.size(), 48_000_000_000_000_000);
    check(nested.layout()).unwrap();
    assert!(Type::contiguous(1_000_000, &nested).is_err());
}

#[test]
fn rows_of_rows_are_one_run() {
    let double = Rc::new(predefined(Datatype::DOUBLE).unwrap());
    let row = Rc::new(Type::contiguous(100, &double).unwrap());
    let all = Type::vector(50, 1, 1, &row).unwrap();
    assert!(all.layout().is_block());
    let column = Rc::new(Type::vector(100, 1, 100, &double).unwrap());
    let column = Rc::new(Type::resized(&column, 0, 8).unwrap());
    assert_eq!(Cursor::new(column.layout(), 0).run().count, 100);
    let part = Type::subarray(&[100, 100, 100], &[100, 100, 10], &[0, 0, 5], MPI_ORDER_C, &double).unwrap();
    let run = Cursor::new(part.layout(), 0).run();
    assert_eq!((run.offset, run.len, run.stride, run.count), (40, 80, 800, 10_000));
    let scattered = Type::indexed_block(1, &(0..1000).map(|i| i * 3).collect::<Vec<_>>(), &double).unwrap();
    assert_eq!(Cursor::new(scattered.layout(), 0).run().count, 1000);
}

#[test]
fn nesting_ends() {
    let mut ty = Rc::new(predefined(Datatype::INT).unwrap());
    let depth = (0..1000).take_while(|_| {
        let new = Type::dup(&ty).map(Rc::new);
        new.map(|new| ty = new).is_ok()
    });
    assert_eq!(depth.count(), usize::from(crate::datatype::MAX_DEPTH));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A span exists exactly if all of its bytes are in the memory, which has as many.
    #[test]
    #[cfg_attr(miri, ignore = "too long, and nothing in it is unsafe")]
    fn spans_stay_inside(steps in prop::collection::vec(step(), 0..4), count in number(), near in any::<bool>(), at in any::<i16>()) {
        super::calls::alone(|r| {
            let mut ty = Rc::new(predefined(Datatype::DOUBLE_INT).unwrap());
            for step in &steps {
                ty = apply(step, &ty).unwrap_or(ty);
            }
            let handle = r.types.add_handle(ty.clone(), true).unwrap();
            let end = if near { MEMORY as u32 } else { 0 };
            let address = Addr(u64::from(end.wrapping_add_signed(at.into())));
            let inside = |message: &Layout| {
                let (lo, hi) = (i128::from(message.lo()), i128::from(message.hi()));
                let base = i128::from(address.0);
                let fits = base + lo >= 0 && base + hi <= MEMORY as i128;
                // Entries that overlap may be more bytes than there are.
                message.size() == 0 || fits && message.size() <= MEMORY as u64
            };
            let expected = count >= 0 && ty.message(count.unsigned_abs()).is_ok_and(|message| inside(&message));
            assert_eq!(r.span(address, count, handle).is_ok(), expected, "{count} at {address:?} of {ty:?}");
        });
    }
}
