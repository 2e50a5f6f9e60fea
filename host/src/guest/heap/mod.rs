//! `rankine run --check-heap`: what a program does wrong with its heap. Blocks lie between zones of a known content, and those
//! that were freed are kept for a while; at each call of the allocator and of MPI the host looks whether somebody has written
//! there. What it finds is a trap, which names the place of the allocation.
//!
//! Programs are changed before they are compiled (`rankine_rewrite::heap`), so one that is not checked runs no line of this. The record
//! of blocks is the host's: a program can't damage it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankine_abi::Addr;
use rankine_guest::{Account, Charge, Cost, Memory, Proved};
use rankine_rewrite::heap::{TABLE, WRAPPER};
use wasmtime::{Caller, Error, Extern, Func, Instance, Ref, Result, Store, Val, WasmBacktrace, format_err};

use crate::guest::stage::Stage;
use crate::guest::{Guest, Rank};

/// Where a program has a byte that says so (`guest-sdk/c/src/libc/new.c`).
const WATCHED: &str = "rankine_heap_watched";

/// Bytes before and behind a block, and more where it is aligned more.
const ZONE: u32 = 16;
const IN_ZONE: u8 = 0xfd;
const IN_FREED: u8 = 0xdd;
/// Freed blocks that are kept, and their bytes.
const MOST_FREED: usize = 4096;
const MOST_BYTES: u64 = 16 << 20;
/// As much of a freed block is looked at.
const LOOKED_AT: u32 = 1 << 16;
/// Blocks that are looked at when the allocator is called; when MPI is called, all are.
const AT_A_TIME: usize = 256;
/// Callers that are kept of an allocation.
const CALLERS: usize = 8;
/// Bytes of the host's that a block takes: itself, and its place among the others.
const RECORD: usize = 256;
/// And each caller that is kept of its allocation or its end, beside its name.
const CALLER: usize = 64;
/// Bytes that are looked at, or written, at once.
const PIECE: usize = 1 << 12;

/// Places in the program, innermost first.
type Callers = Vec<(Arc<str>, u32)>;

/// A block.
struct Block {
    size: u32,
    /// Bytes before it.
    front: u32,
    /// Bytes behind it.
    back: u32,
    allocated: Callers,
    /// Where it was freed, if it was.
    freed: Option<Callers>,
    /// As long as it is known.
    charge: Charge,
}

/// The heap of a rank.
#[derive(Default)]
struct Heap {
    /// By their addresses.
    blocks: BTreeMap<u32, Block>,
    /// Blocks that were freed and are kept, the oldest first.
    freed: VecDeque<u32>,
    /// Their bytes.
    bytes: u64,
    /// Where the last look at some blocks ended.
    looked_until: u32,
    /// What the allocator is asked for: the size, the bytes before and behind.
    asked: Option<(u32, u32, u32)>,
}

impl Heap {
    /// How much the allocator is asked for.
    fn ask(&mut self, alignment: u32, size: u64) -> u32 {
        let front = ZONE.max(alignment);
        // Numbers of 32 bits: no sum of a few of them exceeds 64.
        let whole = |size: u32| (u64::from(size) + u64::from(front) + u64::from(ZONE)).next_multiple_of(front.into());
        let sizes = u32::try_from(size).ok().and_then(|size| Some((size, u32::try_from(whole(size)).ok()?)));
        let Some((size, whole)) = sizes else {
            self.asked = None;
            // What no allocator has.
            return u32::MAX;
        };
        self.asked = Some((size, front, whole - front - size));
        whole
    }

    /// The allocator has put a block there.
    fn got(&mut self, account: &Arc<Account>, memory: &Memory, at: u32, allocated: Callers) -> Result<u32> {
        let Some((size, front, back)) = self.asked.take().filter(|_| at != 0) else { return Ok(0) };
        // All of it lies in the memory, so no address of it exceeds 32 bits.
        let _ = proved(memory, at, front + size + back)?;
        let block = at + front;
        let charge = account.charge(RECORD + bytes_of(&allocated), Cost::HeapRecords);
        let charge = charge.map_err(|error| format_err!("{error}"))?;
        fill(memory, at, front, IN_ZONE)?;
        fill(memory, block + size, back, IN_ZONE)?;
        self.blocks.insert(block, Block { size, front, back, allocated, freed: None, charge });
        Ok(block)
    }

    /// A block is freed; the one that the allocator gets back.
    fn free(&mut self, memory: &Memory, stage: &Stage, at: u32, by: Callers) -> Result<u32> {
        let Some(block) = self.blocks.get_mut(&at) else { return self.is_foreign(stage, at).map(|()| at) };
        if block.freed.is_some() {
            return Err(format_err!("a block is freed twice: {}", block.in_words(stage)));
        }
        Heap::look_at(memory, stage, at, block)?;
        let grown = block.charge.grow(bytes_of(&by), Cost::HeapRecords);
        grown.map_err(|error| format_err!("{error}"))?;
        fill(memory, at, block.size.min(LOOKED_AT), IN_FREED)?;
        block.freed = Some(by);
        self.bytes += u64::from(block.size);
        self.freed.push_back(at);
        if self.freed.len() <= MOST_FREED && self.bytes <= MOST_BYTES {
            return Ok(0);
        }
        let Some(oldest) = self.freed.pop_front() else { return Ok(0) };
        let Some(block) = self.blocks.remove(&oldest) else { return Ok(0) };
        self.bytes -= u64::from(block.size);
        Ok(oldest - block.front)
    }

    /// Whether an address that is no block's may be one of the allocator's own: it must not lie in a block.
    fn is_foreign(&self, stage: &Stage, at: u32) -> Result<()> {
        let before = self.blocks.range(..at).next_back();
        match before.filter(|(begin, block)| at - *begin < block.size) {
            Some((begin, block)) => Err(format_err!(
                "an address is freed that is no block's, but lies {} bytes within one: {}",
                at - begin,
                block.in_words(stage)
            )),
            None => Ok(()),
        }
    }

    /// How long a block is that is to become another length; all bits where it is none.
    fn length(&self, stage: &Stage, at: u32) -> Result<u32> {
        match self.blocks.get(&at) {
            Some(block) if block.freed.is_some() => {
                Err(format_err!("realloc of a block that was freed: {}", block.in_words(stage)))
            }
            Some(block) => Ok(block.size),
            None if at == 0 => Ok(0),
            None => self.is_foreign(stage, at).map(|()| u32::MAX),
        }
    }

    /// Looks at all blocks.
    fn look(&self, memory: &Memory, stage: &Stage) -> Result<()> {
        self.blocks.iter().try_for_each(|(at, block)| Heap::look_at(memory, stage, *at, block))
    }

    /// Looks at a few blocks, and at the next ones the next time, and so at all of a small heap.
    fn look_at_some(&mut self, memory: &Memory, stage: &Stage) -> Result<()> {
        let mut some = self.blocks.range(self.looked_until..).take(AT_A_TIME);
        let last =
            some.try_fold(None, |_, (at, block)| Heap::look_at(memory, stage, *at, block).map(|()| Some(*at)))?;
        let is_end = self.blocks.range(self.looked_until..).nth(AT_A_TIME).is_none();
        self.looked_until = last.filter(|_| !is_end).map_or(0, |last| last + 1);
        Ok(())
    }

    fn look_at(memory: &Memory, stage: &Stage, at: u32, block: &Block) -> Result<()> {
        if let Some(offset) = differs(memory, at - block.front, block.front, IN_ZONE)? {
            return Err(block.written(stage, &format!("{} bytes before a block", block.front - offset)));
        }
        if let Some(offset) = differs(memory, at + block.size, block.back, IN_ZONE)? {
            let place =
                if offset == 0 { "right behind a block".into() } else { format!("{offset} bytes behind a block") };
            return Err(block.written(stage, &place));
        }
        if block.freed.is_some()
            && let Some(offset) = differs(memory, at, block.size.min(LOOKED_AT), IN_FREED)?
        {
            return Err(block.written(stage, &format!("{offset} bytes into a block that was freed,")));
        }
        Ok(())
    }
}

impl Block {
    fn in_words(&self, stage: &Stage) -> String {
        let mut text = format!("{} bytes", self.size);
        let place = |callers: &Callers| stage.program_place(callers).unwrap_or_else(|| "a library".into());
        // Writing to a string can't fail.
        let _ = write!(text, " allocated by {}", place(&self.allocated));
        if let Some(freed) = &self.freed {
            let _ = write!(text, ", freed by {}", place(freed));
        }
        text
    }

    fn written(&self, stage: &Stage, place: &str) -> Error {
        format_err!(
            "the program has damaged its heap: it has written {place} of {} (before this call)",
            self.in_words(stage)
        )
    }
}

/// What is kept of callers takes so much.
fn bytes_of(callers: &Callers) -> usize {
    callers.iter().map(|(name, _)| name.len() + CALLER).sum()
}

/// The pieces of some bytes: where each begins, and how long it is.
fn pieces(at: u32, bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..bytes).step_by(PIECE).map(move |done| (at + done, (bytes - done).min(PIECE as u32)))
}

fn fill(memory: &Memory, at: u32, bytes: u32, with: u8) -> Result<()> {
    let _ = proved(memory, at, bytes)?;
    for (at, bytes) in pieces(at, bytes) {
        proved(memory, at, bytes)?.write(&[with; PIECE][..bytes as usize]);
    }
    Ok(())
}

fn proved(memory: &Memory, at: u32, bytes: u32) -> Result<Proved> {
    let proved = memory.at(Addr(at.into()), bytes.into());
    proved.ok_or_else(|| format_err!("the allocator gave a block outside of the memory, at {at:#x}"))
}

/// The first byte that is not this.
fn differs(memory: &Memory, at: u32, bytes: u32, from: u8) -> Result<Option<u32>> {
    let mut found = [0; PIECE];
    for (place, length) in pieces(at, bytes) {
        let found = &mut found[..length as usize];
        proved(memory, place, length)?.read(found);
        if let Some(offset) = found.iter().position(|byte| *byte != from) {
            return Ok(Some(place - at + offset as u32));
        }
    }
    Ok(None)
}

/// Puts into a program what its allocator asks, if it was changed to ask. To be called before any of its code runs. A program
/// that looks as if it was changed, and was not, gets nothing: what is noted here is not charged to its rank.
pub(crate) fn install<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) -> Result<()> {
    if !store.data().watches_heap() {
        return Ok(());
    }
    let Some(table) = instance.get_table(&mut *store, TABLE) else { return Ok(()) };
    let heap: Arc<Mutex<Heap>> = Arc::default();
    let own = heap.clone();
    let ask = Func::wrap(&mut *store, move |alignment: u32, size: u64| lock(&own).ask(alignment, size));
    let own = heap.clone();
    let got = Func::wrap(&mut *store, move |mut caller: Caller<'_, Guest<R>>, at: u32| {
        let (callers, account) = (callers(&caller), caller.data().rank().account().clone());
        with(&mut caller, &own, |heap, memory, stage| {
            heap.look_at_some(memory, stage)?;
            heap.got(&account, memory, at, callers)
        })
    });
    let own = heap.clone();
    let freed = Func::wrap(&mut *store, move |mut caller: Caller<'_, Guest<R>>, at: u32| {
        let callers = callers(&caller);
        with(&mut caller, &own, |heap, memory, stage| {
            heap.look_at_some(memory, stage)?;
            heap.free(memory, stage, at, callers)
        })
    });
    let own = heap.clone();
    let length = Func::wrap(&mut *store, move |mut caller: Caller<'_, Guest<R>>, at: u32| {
        with(&mut caller, &own, |heap, _, stage| heap.length(stage, at))
    });
    let look = Func::wrap(&mut *store, move |mut caller: Caller<'_, Guest<R>>, _: u32| {
        with(&mut caller, &heap, |heap, memory, stage| heap.look(memory, stage).map(|()| 0))
    });
    watched_in_cpp(store, instance)?;
    for (place, hook) in [ask, got, freed, length, look].into_iter().enumerate() {
        table.set(&mut *store, place as u64, Ref::Func(Some(hook)))?;
    }
    Ok(())
}

/// Tells C++'s new and delete, which can do without a call of the allocator, that the heap is watched.
fn watched_in_cpp<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) -> Result<()> {
    let Some(Extern::Global(place)) = instance.get_export(&mut *store, WATCHED) else { return Ok(()) };
    let at = match place.get(&mut *store) {
        Val::I32(at) => at.cast_unsigned().into(),
        Val::I64(at) => at.cast_unsigned(),
        _ => return Ok(()),
    };
    Guest::refresh_known(store);
    let byte = store.data().rank().memory().at(Addr(at), 1);
    byte.ok_or_else(|| format_err!("`{WATCHED}` lies outside of the memory"))?.write(&[1]);
    Ok(())
}

fn lock(heap: &Mutex<Heap>) -> MutexGuard<'_, Heap> {
    heap.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with the heap of a rank and its memory as it is now.
fn with<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    heap: &Mutex<Heap>,
    work: impl FnOnce(&mut Heap, &Memory, &Stage) -> Result<u32>,
) -> Result<u32> {
    Guest::refresh_memory(caller)?;
    let guest = caller.data();
    work(&mut lock(heap), guest.rank().memory(), &guest.stage)
}

/// Where the program is.
fn callers<R: Rank>(caller: &Caller<'_, Guest<R>>) -> Callers {
    let trace = WasmBacktrace::force_capture(caller);
    let known = trace.frames().iter().filter_map(|frame| {
        let name = frame.func_name().unwrap_or_default();
        let offset = u32::try_from(frame.module_offset()?).ok()?;
        (!name.starts_with(WRAPPER)).then(|| (name.into(), offset))
    });
    known.take(CALLERS).collect()
}
