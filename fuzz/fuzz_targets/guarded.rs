//! A rank by itself, whose memory lies between guards, and datatypes and numbers that make no sense, for the targets that move
//! bytes.

#![allow(dead_code, reason = "each target uses its part")]

use std::ops::AsyncFnOnce;
use std::sync::Arc;

use libfuzzer_sys::arbitrary;
use rankine_abi::{Addr, Datatype};
use rankine_local::datatype::{
    type_commit, type_contiguous, type_create_hindexed, type_create_hvector, type_create_resized, type_create_struct,
    type_indexed, type_size, type_vector,
};
use rankine_local::{Ended, Options, Rank, Result, Wake, World, block_on, init};

/// Bytes of the guest's memory, and of the guards on both sides of it.
pub const MEMORY: usize = 1 << 16;
/// What the guards hold.
const GUARD: u8 = 0xa5;
/// What the memory holds at first.
pub const FILL: u8 = 0x11;
/// Elements without extent can be many in little memory: beyond this a case only takes long.
const LONGEST: i128 = 1 << 20;

/// A number, most of them such that it can be right.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub enum Number {
    Small(u8),
    Negative(i8),
    Place(u16),
    Any(i64),
}

impl Number {
    pub fn value(self) -> i64 {
        match self {
            Number::Small(value) => value.into(),
            Number::Negative(value) => value.into(),
            Number::Place(value) => value.into(),
            Number::Any(value) => value,
        }
    }

    pub fn address(self) -> Addr {
        Addr(self.value() as u64)
    }
}

/// One step from a type to the next.
#[derive(Debug, arbitrary::Arbitrary)]
pub enum Step {
    Contiguous(i64),
    Vector(i64, i64, i64),
    Hvector(i64, i64, i64),
    Indexed(Vec<(i64, i64)>),
    Hindexed(Vec<(i64, i64)>),
    Struct(Vec<(i64, i64)>),
    Resized(i64, i64),
    /// A resized type whose numbers are small, which makes types that fit.
    Small(u8, u8, i8),
    Shifted(i16, u16),
}

impl Step {
    fn apply(&self, r: &Rank, old: Datatype) -> Result<Datatype> {
        let split = |blocks: &[(i64, i64)]| blocks.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
        match self {
            Step::Contiguous(n) => type_contiguous(r, *n, old),
            Step::Vector(n, length, stride) => type_vector(r, *n, *length, *stride, old),
            Step::Hvector(n, length, stride) => type_create_hvector(r, *n, *length, *stride, old),
            Step::Indexed(blocks) => type_indexed(r, blocks.len() as i64, &split(blocks).0, &split(blocks).1, old),
            Step::Hindexed(blocks) => {
                type_create_hindexed(r, blocks.len() as i64, &split(blocks).0, &split(blocks).1, old)
            }
            Step::Struct(blocks) => {
                let (lengths, places) = split(blocks);
                type_create_struct(r, blocks.len() as i64, &lengths, &places, &vec![old; blocks.len()])
            }
            Step::Resized(lb, extent) => type_create_resized(r, old, *lb, *extent),
            Step::Small(n, length, stride) => type_vector(r, (*n).into(), (*length).into(), (*stride).into(), old),
            Step::Shifted(lb, extent) => type_create_resized(r, old, (*lb).into(), (*extent).into()),
        }
    }
}

/// A type by the steps that lead to it from another.
pub fn made(r: &Rank, from: Datatype, steps: &[Step]) -> Result<Datatype> {
    let datatype = steps.iter().try_fold(from, |datatype, step| step.apply(r, datatype))?;
    type_commit(r, datatype)
}

/// Whether so many elements take long to move.
pub fn are_many(r: &Rank, count: i64, datatype: Datatype) -> bool {
    type_size(r, datatype).is_ok_and(|size| i128::from(size) * i128::from(count) > LONGEST)
}

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

/// Runs the program of a rank that is alone; what its memory holds afterwards. No guard may have changed.
pub fn run(options: Options, program: impl AsyncFnOnce(&Rank) -> Result<()>) -> Vec<u8> {
    let world = World::new(1, Arc::new(Nobody), None, Options { spin: false, ..options });
    let rank = Rank::new(world, 0);
    let mut bytes = vec![GUARD; 3 * MEMORY];
    bytes[MEMORY..2 * MEMORY].fill(FILL);
    // SAFETY: `bytes` outlives the rank's last call, and is not touched before.
    unsafe { rank.memory().set(bytes.as_mut_ptr().add(MEMORY), MEMORY as u64) };
    let program = async {
        init::init(&rank)?;
        program(&rank).await
    };
    let _: std::result::Result<_, Ended> = block_on(&rank, program, |_| Err(Ended));
    rank.exit();
    drop(rank);
    assert!(bytes[..MEMORY].iter().chain(&bytes[2 * MEMORY..]).all(|byte| *byte == GUARD), "a guard was hit");
    bytes.truncate(2 * MEMORY);
    bytes.split_off(MEMORY)
}
