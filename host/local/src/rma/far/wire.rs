//! What nodes tell each other of windows, byte by byte: what a `Frame::Call` of `rankine-nodes` carries.
//!
//! A call begins with its kind and a flag, the window, and two ranks of it; everything is little-endian, without gaps, and
//! of one form only. Where bytes of a target lie is said in *runs*: equal blocks that are equally far apart. That the bytes
//! are a call is seen here; whether the window has such ranks and such bytes is for whoever serves it to see.

use rankine_abi::{Datatype, Op};

/// Bytes of a target that a call moves, at the most: longer accesses are several.
pub(super) const BYTES: usize = 16 << 10;
/// Runs of a call, at the most.
pub(super) const RUNS: usize = 256;
/// Bytes of a run.
const RUN: usize = 32;
/// Bytes of what a rank says of its part.
const PART: usize = 24;
/// Parts that a call tells of, at the most.
pub(super) const PARTS: usize = 512;
/// Bytes of the longest call.
pub const LONGEST: usize = 20 + 4 + 8 + RUNS * RUN + BYTES;

/// What an answer begins with: all is well, and its bytes follow.
pub(super) const DONE: u8 = 0;
/// What was asked for is not to be had.
pub(super) const REFUSED: u8 = 1;

/// Which window it is about, and which of its ranks, by their numbers in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) window: u64,
    /// Whose part it is.
    pub(super) target: u32,
    /// Who accesses it.
    pub(super) origin: u32,
}

/// `count` blocks of `length` bytes, the first one at `offset`, each `stride` from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) count: u64,
    pub(super) stride: i64,
}

/// Where bytes lie, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Runs<'a>(&'a [[u8; RUN]]);

/// Runs that are being written.
#[derive(Debug, Default)]
pub(super) struct List(Vec<Run>);

/// What a rank says of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// Its number in the window.
    pub(super) rank: u32,
    /// It could not make its part.
    pub(super) failed: bool,
    pub(super) size: u64,
    pub(super) unit: i64,
}

/// One thing that a node wants of a window of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call<'a> {
    /// Puts these bytes there.
    Put { runs: Runs<'a>, bytes: &'a [u8] },
    /// The answer has the bytes.
    Get { runs: Runs<'a> },
    /// Combines these operands, unless there are none, with what is there; the answer has what was there, if it is wanted.
    Update { op: Op, datatype: Datatype, fetches: bool, runs: Runs<'a>, operands: Option<&'a [u8]> },
    /// Compares an element and exchanges it: first what is expected, then what is new. The answer has what was there.
    Swap { datatype: Datatype, offset: u64, bytes: &'a [u8] },
    /// All that came before is done when it is answered.
    Flush,
    /// Wants the lock of the target's part, and hears when it has it.
    Lock { exclusive: bool },
    /// Gives it back.
    Unlock { exclusive: bool },
    /// The target lets the origin in.
    Post,
    /// The origin has ended its accesses.
    Complete,
    /// All ranks of the node have come to where they meet, if this is the last word of it; these are their parts.
    Arrive { last: bool, parts: &'a [[u8; PART]] },
}

mod kind {
    pub(super) const PUT: u8 = 1;
    pub(super) const GET: u8 = 2;
    pub(super) const UPDATE: u8 = 3;
    pub(super) const SWAP: u8 = 4;
    pub(super) const FLUSH: u8 = 5;
    pub(super) const LOCK: u8 = 6;
    pub(super) const UNLOCK: u8 = 7;
    pub(super) const POST: u8 = 8;
    pub(super) const COMPLETE: u8 = 9;
    pub(super) const ARRIVE: u8 = 10;
}

/// The bits of an update's flag.
const FETCHES: u8 = 1;
const COMBINES: u8 = 2;

/// Takes a number off the bytes.
macro_rules! take {
    ($bytes:ident, $number:ty) => {{
        let (first, rest) = $bytes.split_first_chunk::<{ size_of::<$number>() }>()?;
        $bytes = rest;
        <$number>::from_le_bytes(*first)
    }};
}

impl Run {
    fn read(run: &[u8; RUN]) -> Run {
        let [offset, length, count, stride] =
            std::array::from_fn(|index| u64::from_le_bytes(std::array::from_fn(|at| run[8 * index + at])));
        Run { offset, length, count, stride: stride.cast_signed() }
    }

    fn write(&self) -> [u8; RUN] {
        let words = [self.offset, self.length, self.count, self.stride.cast_unsigned()].map(u64::to_le_bytes);
        std::array::from_fn(|at| words[at / 8][at % 8])
    }

    /// How many bytes it has, if it is one.
    fn bytes(&self) -> Option<u64> {
        if self.length == 0 || self.count == 0 || self.count == 1 && self.stride != 0 {
            return None;
        }
        self.length.checked_mul(self.count)
    }
}

impl List {
    /// One more block.
    pub(super) fn push(&mut self, offset: u64, length: u64) {
        if let Some(last) = self.0.last_mut()
            && last.length == length
        {
            let step = offset.wrapping_sub(last.offset).cast_signed();
            if last.count == 1 {
                (last.count, last.stride) = (2, step);
                return;
            }
            if last.stride.checked_mul(last.count.cast_signed()) == Some(step) {
                last.count += 1;
                return;
            }
        }
        self.0.push(Run { offset, length, count: 1, stride: 0 });
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn packed(&self) -> Vec<[u8; RUN]> {
        self.0.iter().map(Run::write).collect()
    }
}

impl<'a> Runs<'a> {
    /// Of those that a list has packed.
    pub(super) fn of(packed: &'a [[u8; RUN]]) -> Runs<'a> {
        Runs(packed)
    }

    fn read(bytes: &mut &'a [u8]) -> Option<Runs<'a>> {
        let mut rest = *bytes;
        let count = take!(rest, u32) as usize;
        let (runs, rest) = rest.split_at_checked(count.checked_mul(RUN)?)?;
        *bytes = rest;
        let runs = Runs(runs.as_chunks().0);
        (count <= RUNS && runs.bytes()? <= BYTES as u64).then_some(runs)
    }

    /// How many bytes they have together, if all are such.
    fn bytes(&self) -> Option<u64> {
        self.0.iter().try_fold(0u64, |sum, run| sum.checked_add(Run::read(run).bytes()?))
    }

    /// Calls `visit` with offset and length of each block; false once it says so, or where an offset is none.
    pub(super) fn each(&self, mut visit: impl FnMut(u64, u64) -> bool) -> bool {
        self.0.iter().map(Run::read).all(|Run { offset, length, count, stride }| {
            let mut next = Some(offset);
            (0..count).all(|_| {
                let Some(offset) = next else { return false };
                next = offset.checked_add_signed(stride);
                visit(offset, length)
            })
        })
    }

    /// Bytes of all of them, which were read.
    pub(super) fn total(&self) -> usize {
        self.bytes().unwrap_or(0) as usize
    }
}

impl Told {
    pub(super) fn read(part: &[u8; PART]) -> Option<Told> {
        let mut bytes = &part[..];
        let (rank, failed) = (take!(bytes, u32), take!(bytes, u32));
        let told = Told { rank, failed: failed == 1, size: take!(bytes, u64), unit: take!(bytes, i64) };
        (bytes.is_empty() && failed <= 1 && told.unit > 0 && told.size <= i64::MAX as u64).then_some(told)
    }

    pub(super) fn write(&self) -> [u8; PART] {
        let mut part = [0; PART];
        part[..4].copy_from_slice(&self.rank.to_le_bytes());
        part[4..8].copy_from_slice(&u32::from(self.failed).to_le_bytes());
        part[8..16].copy_from_slice(&self.size.to_le_bytes());
        part[16..].copy_from_slice(&self.unit.to_le_bytes());
        part
    }
}

/// Whether a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    Never,
    IfWanted,
    Always,
}

impl<'a> Call<'a> {
    pub(super) fn is_answered(&self) -> Answered {
        match self {
            Call::Put { .. } | Call::Update { fetches: false, .. } => Answered::IfWanted,
            Call::Get { .. } | Call::Update { .. } | Call::Swap { .. } | Call::Flush | Call::Lock { .. } => {
                Answered::Always
            }
            Call::Unlock { .. } | Call::Post | Call::Complete | Call::Arrive { .. } => Answered::Never,
        }
    }

    fn kind_and_flag(&self) -> (u8, u8) {
        match *self {
            Call::Put { .. } => (kind::PUT, 0),
            Call::Get { .. } => (kind::GET, 0),
            Call::Update { fetches, operands, .. } => {
                let combines = u8::from(operands.is_some()) * COMBINES;
                (kind::UPDATE, (u8::from(fetches) * FETCHES) | combines)
            }
            Call::Swap { .. } => (kind::SWAP, 0),
            Call::Flush => (kind::FLUSH, 0),
            Call::Lock { exclusive } => (kind::LOCK, exclusive.into()),
            Call::Unlock { exclusive } => (kind::UNLOCK, exclusive.into()),
            Call::Post => (kind::POST, 0),
            Call::Complete => (kind::COMPLETE, 0),
            Call::Arrive { last, .. } => (kind::ARRIVE, last.into()),
        }
    }

    pub(super) fn write(&self, head: &Head) -> Vec<u8> {
        let (kind, flag) = self.kind_and_flag();
        let mut out = vec![kind, flag, 0, 0];
        out.extend(head.window.to_le_bytes());
        out.extend(head.target.to_le_bytes());
        out.extend(head.origin.to_le_bytes());
        let put_runs = |out: &mut Vec<u8>, runs: &Runs<'_>| {
            out.extend((runs.0.len() as u32).to_le_bytes());
            out.extend(runs.0.as_flattened());
        };
        match self {
            Call::Put { runs, bytes } => {
                put_runs(&mut out, runs);
                out.extend(*bytes);
            }
            Call::Get { runs } => put_runs(&mut out, runs),
            Call::Update { op, datatype, runs, operands, .. } => {
                out.extend(op.0.to_le_bytes());
                out.extend(datatype.0.to_le_bytes());
                put_runs(&mut out, runs);
                out.extend(operands.unwrap_or_default());
            }
            Call::Swap { datatype, offset, bytes } => {
                out.extend(datatype.0.to_le_bytes());
                out.extend(offset.to_le_bytes());
                out.extend(*bytes);
            }
            Call::Arrive { parts, .. } => out.extend(parts.as_flattened()),
            Call::Flush | Call::Lock { .. } | Call::Unlock { .. } | Call::Post | Call::Complete => {}
        }
        debug_assert!(out.len() <= LONGEST);
        out
    }

    pub(super) fn read(mut bytes: &'a [u8]) -> Option<(Head, Call<'a>)> {
        let &[kind, flag, 0, 0] = bytes.split_off(..4)? else { return None };
        let head = Head { window: take!(bytes, u64), target: take!(bytes, u32), origin: take!(bytes, u32) };
        let is_set = |flag: u8| (flag <= 1).then_some(flag == 1);
        let call = match (kind, flag) {
            (kind::PUT, 0) => {
                let runs = Runs::read(&mut bytes)?;
                Call::Put { runs, bytes: rest(&mut bytes, runs.total())? }
            }
            (kind::GET, 0) => Call::Get { runs: Runs::read(&mut bytes)? },
            (kind::UPDATE, 0..=3) => {
                let (op, datatype) = (Op(take!(bytes, u32)), Datatype(take!(bytes, u32)));
                let runs = Runs::read(&mut bytes)?;
                let operands = if flag & COMBINES == 0 { None } else { Some(rest(&mut bytes, runs.total())?) };
                Call::Update { op, datatype, fetches: flag & FETCHES != 0, runs, operands }
            }
            (kind::SWAP, 0) => {
                let (datatype, offset) = (Datatype(take!(bytes, u32)), take!(bytes, u64));
                let length = bytes.len();
                Call::Swap { datatype, offset, bytes: rest(&mut bytes, length)? }
            }
            (kind::FLUSH, 0) => Call::Flush,
            (kind::LOCK, flag) => Call::Lock { exclusive: is_set(flag)? },
            (kind::UNLOCK, flag) => Call::Unlock { exclusive: is_set(flag)? },
            (kind::POST, 0) => Call::Post,
            (kind::COMPLETE, 0) => Call::Complete,
            (kind::ARRIVE, flag) => {
                let length = bytes.len();
                let (parts, []) = rest(&mut bytes, length)?.as_chunks() else { return None };
                Call::Arrive { last: is_set(flag)?, parts }
            }
            _ => return None,
        };
        bytes.is_empty().then_some((head, call))
    }
}

/// The next bytes, so many.
fn rest<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    bytes.split_off(..count)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_runs() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec((0..10_000_u64, 1..40_u64), 0..12)
    }

    fn list(blocks: &[(u64, u64)]) -> List {
        let mut list = List::default();
        blocks.iter().for_each(|&(offset, length)| list.push(offset, length));
        list
    }

    fn call(kind: u8, flag: bool, number: u64, runs: Runs<'_>, bytes: &[u8], act: impl FnOnce(Head, Call<'_>)) {
        let head = Head { window: number, target: number as u32, origin: (number >> 32) as u32 };
        let (op, datatype) = (Op(number as u32), Datatype((number >> 16) as u32));
        let told = [Told { rank: 7, failed: flag, size: number >> 1, unit: 8 }.write(); 2];
        act(
            head,
            match kind % 10 {
                0 => Call::Put { runs, bytes },
                1 => Call::Get { runs },
                2 => Call::Update { op, datatype, fetches: flag, runs, operands: (number & 1 == 0).then_some(bytes) },
                3 => Call::Swap { datatype, offset: number, bytes },
                4 => Call::Flush,
                5 => Call::Lock { exclusive: flag },
                6 => Call::Unlock { exclusive: flag },
                7 => Call::Post,
                8 => Call::Complete,
                _ => Call::Arrive { last: flag, parts: &told },
            },
        );
    }

    proptest! {
        #[test]
        fn runs_have_the_blocks_that_they_were_made_of(blocks in any_runs(), stride in 1..50_u64, count in 0..20_u64) {
            let regular: Vec<(u64, u64)> = (0..count).map(|index| (20_000 + index * stride, 4)).collect();
            let all = [blocks, regular].concat();
            let packed = list(&all).packed();
            let (runs, mut seen) = (Runs::of(&packed), Vec::new());
            let each = runs.each(|offset, length| {
                seen.push((offset, length));
                true
            });
            prop_assert!(each);
            prop_assert_eq!(runs.total() as u64, all.iter().map(|(_, length)| length).sum::<u64>());
            prop_assert_eq!(seen, all);
        }

        #[test]
        fn what_is_written_is_read(kind in any::<u8>(), flag in any::<bool>(), number in any::<u64>(), blocks in any_runs()) {
            let packed = list(&blocks).packed();
            let runs = Runs::of(&packed);
            let bytes = vec![3; runs.total()];
            call(kind, flag, number, runs, &bytes, |head, call| {
                assert_eq!(Call::read(&call.write(&head)), Some((head, call)));
            });
        }

        #[test]
        fn what_is_read_is_written_so_and_bounded(
            kind in any::<u8>(),
            flag in any::<bool>(),
            number in any::<u64>(),
            blocks in any_runs(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
            cut in any::<prop::sample::Index>(),
        ) {
            let packed = list(&blocks).packed();
            let runs = Runs::of(&packed);
            let bytes = vec![3; runs.total()];
            let mut written = Vec::new();
            call(kind, flag, number, runs, &bytes, |head, call| written = call.write(&head));
            for (at, byte) in changes {
                let at = at.index(written.len());
                written[at] = byte;
            }
            for bytes in [&written[..], &written[..cut.index(written.len())]] {
                let Some((head, call)) = Call::read(bytes) else { continue };
                prop_assert_eq!(call.write(&head), bytes);
                if let Call::Put { runs, .. } | Call::Get { runs } | Call::Update { runs, .. } = call {
                    let mut blocks = 0;
                    runs.each(|_, _| {
                        blocks += 1;
                        true
                    });
                    prop_assert!(runs.total() <= BYTES && blocks <= BYTES);
                }
            }
        }
    }

    #[test]
    fn runs_that_never_end_are_none() {
        let read = |runs: &[Run]| {
            let packed: Vec<[u8; RUN]> = runs.iter().map(Run::write).collect();
            let head = Head { window: 1, target: 0, origin: 1 };
            Call::read(&Call::Get { runs: Runs::of(&packed) }.write(&head)).is_some()
        };
        let run = |length, count, stride| Run { offset: 0, length, count, stride };
        assert!(read(&[run(4, 3, 8)]) && read(&[run(BYTES as u64, 1, 0)]));
        assert!(!read(&[run(0, 3, 8)]) && !read(&[run(4, 0, 8)]) && !read(&[run(4, 1, 8)]));
        assert!(
            !read(&[run(1, u64::MAX, 0)]) && !read(&[run(u64::MAX, 2, 0)]) && !read(&[run(BYTES as u64 + 1, 1, 0)])
        );
        assert!(!read(&[run(BYTES as u64, 1, 0), run(1, 1, 0)]));
        assert!(!read(&vec![run(1, 1, 0); RUNS + 1]));
    }
}
