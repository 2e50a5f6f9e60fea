//! Windows, displacements and datatypes that make no sense, passed to calls that access windows: of the guest's memory, what
//! writes to a target changes nothing outside of the window.

#![no_main]

mod guarded;

use guarded::{FILL, Number, Step};
use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_abi::{Addr, Comm, Datatype, Info, Op, Request, Win};
use rankine_local::{Options, Rank, Result, request, rma};

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    element: u8,
    window: Window,
    /// The types of origin and target, if they are not of one element.
    origin: Vec<Step>,
    target: Vec<Step>,
    accesses: Vec<Access>,
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Window {
    is_dynamic: bool,
    base: Number,
    size: Number,
    unit: Number,
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Access {
    what: What,
    op: u8,
    origin: Number,
    origin_count: Number,
    result: Number,
    result_count: Number,
    disp: Number,
    target_count: Number,
    /// With the type of one element on both sides.
    is_plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, arbitrary::Arbitrary)]
enum What {
    Put,
    RequestedPut,
    Accumulate,
    RequestedAccumulate,
    Get,
    RequestedGet,
    GetAccumulate,
    RequestedGetAccumulate,
    FetchAndOp,
    CompareAndSwap,
}

impl What {
    /// Whether it writes to the target alone.
    fn only_writes(self) -> bool {
        use What::{Accumulate, Put, RequestedAccumulate, RequestedPut};
        matches!(self, Put | RequestedPut | Accumulate | RequestedAccumulate)
    }
}

const ELEMENTS: [Datatype; 6] =
    [Datatype::BYTE, Datatype::INT, Datatype::DOUBLE, Datatype::INT64_T, Datatype::DOUBLE_INT, Datatype::INT16_T];
const OPS: [Op; 6] = [Op::REPLACE, Op::SUM, Op::NO_OP, Op::MINLOC, Op::BXOR, Op::MAX];

/// The window, and the bytes that it shows.
async fn open(r: &Rank, window: &Window) -> Result<(Win, std::ops::Range<u64>)> {
    let (base, size) = (window.base.address(), window.size.value());
    let win = match window.is_dynamic {
        false => rma::win_create(r, base, size, window.unit.value(), Info::NULL, Comm::SELF).await?,
        true => {
            let win = rma::win_create_dynamic(r, Info::NULL, Comm::SELF).await?;
            rma::win_attach(r, win, base, size)?;
            win
        }
    };
    Ok((win, base.0..base.0 + size as u64))
}

async fn access(r: &Rank, access: &Access, [from, to]: [Datatype; 2], win: Win) -> Result<()> {
    let (origin, result, op) = (access.origin.address(), access.result.address(), OPS[usize::from(access.op) % 6]);
    let [count, many, there] =
        [access.origin_count, access.result_count, access.target_count].map(|number| number.value());
    if guarded::are_many(r, count, from) || guarded::are_many(r, many, from) || guarded::are_many(r, there, to) {
        return Ok(());
    }
    let disp = access.disp.value();
    let request = match access.what {
        What::Put => rma::put(r, origin, count, from, 0, disp, there, to, win).map(|()| Request::NULL),
        What::RequestedPut => rma::rput(r, origin, count, from, 0, disp, there, to, win).await,
        What::Get => rma::get(r, origin, count, from, 0, disp, there, to, win).map(|()| Request::NULL),
        What::RequestedGet => rma::rget(r, origin, count, from, 0, disp, there, to, win).await,
        What::Accumulate => {
            rma::accumulate(r, origin, count, from, 0, disp, there, to, op, win).map(|()| Request::NULL)
        }
        What::RequestedAccumulate => rma::raccumulate(r, origin, count, from, 0, disp, there, to, op, win).await,
        What::GetAccumulate => {
            rma::get_accumulate(r, origin, count, from, result, many, from, 0, disp, there, to, op, win)
                .map(|()| Request::NULL)
        }
        What::RequestedGetAccumulate => {
            rma::rget_accumulate(r, origin, count, from, result, many, from, 0, disp, there, to, op, win).await
        }
        What::FetchAndOp => rma::fetch_and_op(r, origin, result, to, 0, disp, op, win).map(|()| Request::NULL),
        What::CompareAndSwap => {
            let compared = Addr(origin.0.wrapping_add(count as u64));
            rma::compare_and_swap(r, origin, compared, result, to, 0, disp, win).map(|()| Request::NULL)
        }
    }?;
    request::wait(r, request).await.map(drop)
}

fuzz_target!(|case: Case| {
    let mut shown = 0..0;
    let bytes = guarded::run(Options::default(), async |r| {
        let element = ELEMENTS[usize::from(case.element) % ELEMENTS.len()];
        let types = [guarded::made(r, element, &case.origin)?, guarded::made(r, element, &case.target)?];
        let (win, range) = open(r, &case.window).await?;
        shown = range;
        rma::win_lock_all(r, 0, win).await?;
        for one in &case.accesses {
            let _ = access(r, one, if one.is_plain { [element; 2] } else { types }, win).await;
        }
        rma::win_unlock_all(r, win).await?;
        rma::win_free(r, win).await.map(drop)
    });
    if case.accesses.iter().all(|access| access.what.only_writes()) {
        let mut others = bytes.iter().zip(0..).filter(|(_, at)| !shown.contains(at));
        assert!(others.all(|(byte, _)| *byte == FILL), "a byte outside of the window has changed");
    }
});
