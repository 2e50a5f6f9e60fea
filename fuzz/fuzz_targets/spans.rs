//! Datatypes and addresses that make no sense, passed to calls that move bytes: nothing outside of the guest's memory
//! changes.

#![no_main]

mod guarded;

use guarded::Step;
use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_abi::{Addr, Comm, Datatype};
use rankine_local::{Options, Rank, Result, pack, pt2pt, request};

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    byte: bool,
    steps: Vec<Step>,
    count: i32,
    wide: Option<i64>,
    from: u64,
    to: u64,
    window: i32,
}

/// Every call that can move bytes by this type, each of which may refuse.
async fn moves(r: &Rank, case: &Case, datatype: Datatype) -> Result<()> {
    let count = case.wide.unwrap_or(case.count.into());
    if guarded::are_many(r, count, datatype) {
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
    guarded::run(Options::default(), async |r| {
        let first = if case.byte { Datatype::BYTE } else { Datatype::DOUBLE };
        let datatype = guarded::made(r, first, &case.steps)?;
        moves(r, &case, datatype).await
    });
});
