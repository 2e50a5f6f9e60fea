//! Datatypes and addresses that make no sense, passed to calls that move bytes: nothing outside of the guest's memory
//! changes.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_abi::{Addr, Comm, Datatype};
use rankine_local::datatype::{
    type_commit, type_contiguous, type_create_hindexed, type_create_hvector, type_create_resized, type_create_struct,
    type_indexed, type_size, type_vector,
};
use rankine_local::{Ended, Options, Rank, Wake, World, block_on, init, pack, pt2pt, request};

/// Bytes of the guest's memory, and of the guards on both sides of it.
const MEMORY: usize = 1 << 16;
/// What the guards hold.
const GUARD: u8 = 0xa5;
/// Elements without extent can be many in little memory: beyond this a case only takes long.
const LONGEST: i128 = 1 << 20;

/// One step from a type to the next.
#[derive(Debug, arbitrary::Arbitrary)]
enum Step {
    Contiguous(i64),
    Vector(i64, i64, i64),
    Hvector(i64, i64, i64),
    Indexed(Vec<(i64, i64)>),
    Hindexed(Vec<(i64, i64)>),
    Struct(Vec<(i64, i64)>),
    Resized(i64, i64),
    /// The same with small numbers, which make types that fit.
    Small(u8, u8, i8),
    Shifted(i16, u16),
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    byte: bool,
    steps: Vec<Step>,
    count: i32,
    wide: Option<i64>,
    from: u32,
    to: u32,
    window: i32,
}

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

fn apply(r: &Rank, step: &Step, old: Datatype) -> rankine_local::Result<Datatype> {
    let split = |blocks: &[(i64, i64)]| blocks.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
    match step {
        Step::Contiguous(n) => type_contiguous(r, *n, old),
        Step::Vector(n, length, stride) => type_vector(r, *n, *length, *stride, old),
        Step::Hvector(n, length, stride) => type_create_hvector(r, *n, *length, *stride, old),
        Step::Indexed(blocks) => type_indexed(r, blocks.len() as i64, &split(blocks).0, &split(blocks).1, old),
        Step::Hindexed(blocks) => type_create_hindexed(r, blocks.len() as i64, &split(blocks).0, &split(blocks).1, old),
        Step::Struct(blocks) => {
            let (lengths, places) = split(blocks);
            type_create_struct(r, blocks.len() as i64, &lengths, &places, &vec![old; blocks.len()])
        }
        Step::Resized(lb, extent) => type_create_resized(r, old, *lb, *extent),
        Step::Small(n, length, stride) => type_vector(r, (*n).into(), (*length).into(), (*stride).into(), old),
        Step::Shifted(lb, extent) => type_create_resized(r, old, (*lb).into(), (*extent).into()),
    }
}

/// Every call that can move bytes by this type, each of which may refuse.
async fn moves(r: &Rank, case: &Case, datatype: Datatype) -> rankine_local::Result<()> {
    let count = case.wide.unwrap_or(case.count.into());
    if i128::from(type_size(r, datatype)?) * i128::from(count) > LONGEST {
        return Ok(());
    }
    let (from, to) = (Addr(case.from), Addr(case.to));
    let _ = pack::pack(r, from, count, datatype, to, case.window.into(), 0, Comm::SELF);
    let _ = pack::unpack(r, from, case.window.into(), 0, to, count, datatype, Comm::SELF);
    let received = pt2pt::irecv(r, to, count, datatype, 0, 0, Comm::SELF)?;
    match pt2pt::isend(r, from, count, datatype, 0, 0, Comm::SELF) {
        Ok(sent) => {
            request::wait(r, sent).await?;
            request::wait(r, received).await?;
        }
        Err(_) => {
            request::cancel(r, received).await?;
            request::wait(r, received).await?;
        }
    }
    Ok(())
}

fuzz_target!(|case: Case| {
    let world = World::new(1, Arc::new(Nobody), None, Options { spin: false, ..Options::default() });
    let rank = Rank::new(world, 0);
    let mut bytes = vec![GUARD; 3 * MEMORY];
    bytes[MEMORY..2 * MEMORY].fill(0);
    // SAFETY: `bytes` outlives the rank's last call, and is not touched before.
    unsafe { rank.memory().set(bytes.as_mut_ptr().add(MEMORY), MEMORY as u64) };
    let program = async {
        init::init(&rank)?;
        let mut datatype = if case.byte { Datatype::BYTE } else { Datatype::DOUBLE };
        for step in &case.steps {
            datatype = apply(&rank, step, datatype)?;
        }
        let datatype = type_commit(&rank, datatype)?;
        moves(&rank, &case, datatype).await
    };
    let _: Result<_, Ended> = block_on(&rank, program, |_| Err(Ended));
    rank.exit();
    drop(rank);
    assert!(bytes[..MEMORY].iter().chain(&bytes[2 * MEMORY..]).all(|byte| *byte == GUARD), "a guard was hit");
});
