//! What a dump has: the form of WebAssembly's tool conventions, a module whose data is the guest's memory, with the
//! stack in sections of its own.

use std::io;
use std::ops::Range;

use wasm_encoder::{
    ConstExpr, CoreDumpInstancesSection, CoreDumpModulesSection, CoreDumpSection, CoreDumpStackSection, Encode as _,
    MemorySection, MemoryType, Module, Section as _, SectionId,
};
use wasmtime::{Store, WasmBacktrace};

use super::PIECE;
use crate::guest::{Guest, Linear, Rank};
use crate::module::symbols::Symbols;

/// A page of a guest's memory.
const PAGE: usize = 1 << 16;

/// A dump that is to be written.
pub(super) struct Image<'a, R: Rank> {
    store: &'a Store<Guest<R>>,
    program: &'a str,
    stack: CoreDumpStackSection,
    memory: Option<Linear>,
    /// The parts of the memory that are not zero.
    parts: Vec<Range<usize>>,
    /// Bytes of the section of data, and whether parts were left out, as there is no larger one.
    length: u32,
    is_cut: bool,
}

impl<'a, R: Rank> Image<'a, R> {
    pub(super) fn new(
        program: &'a str,
        store: &'a Store<Guest<R>>,
        error: &wasmtime::Error,
        symbols: &Symbols,
    ) -> Self {
        let mut image = Image {
            store,
            program,
            stack: stack(store.data(), error, symbols),
            memory: store.data().known_memory().cloned(),
            parts: Vec::new(),
            length: 0,
            is_cut: false,
        };
        if let Some(memory) = &image.memory {
            let (base, size) = memory.place(store);
            // What nobody may touch reads as zeros, which no dump has.
            let lowest = store.data().lowest() as usize;
            image.parts = parts(size, |range, piece| match range.start < lowest {
                true => piece.fill(0),
                false => read(base, range, piece),
            });
            image.fit();
        }
        image
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Counts the bytes of the section of data, and leaves out what is too much.
    fn fit(&mut self) {
        // The number of parts, at its longest.
        let mut length = 5_u64;
        let fitting = self.parts.iter().take_while(|part| {
            length += (head(part).len() + part.len()) as u64;
            length <= u64::from(u32::MAX)
        });
        let count = fitting.count();
        self.is_cut = count < self.parts.len();
        self.parts.truncate(count);
        let bytes: usize = self.parts.iter().map(|part| head(part).len() + part.len()).sum();
        self.length = (bytes + encoded(count as u32).len()) as u32;
    }

    /// Writes it in pieces, none of which is empty.
    pub(super) fn write(&self, mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut begin = Module::new();
        begin.section(&CoreDumpSection::new(self.program));
        if let Some(memory) = &self.memory {
            let (pages, shared) = ((memory.place(self.store).1 / PAGE) as u64, matches!(memory, Linear::Shared(_)));
            let maximum = shared.then_some(pages);
            let ty = MemoryType { minimum: pages, maximum, memory64: false, shared, page_size_log2: None };
            begin.section(MemorySection::new().memory(ty));
        }
        let mut bytes = begin.finish();
        if let Some(memory) = &self.memory {
            bytes.push(SectionId::Data.into());
            self.length.encode(&mut bytes);
            (self.parts.len() as u32).encode(&mut bytes);
            self.write_parts(memory, &mut bytes, &mut write)?;
        }
        CoreDumpModulesSection::new().module(self.program).append_to(&mut bytes);
        let memories = self.memory.iter().map(|_| 0).collect::<Vec<u32>>();
        CoreDumpInstancesSection::new().instance(0, memories, []).append_to(&mut bytes);
        self.stack.append_to(&mut bytes);
        bytes.chunks(PIECE).try_for_each(write)
    }

    /// Writes the parts of the memory, after what `bytes` has; what is not written yet stays there.
    fn write_parts(
        &self,
        memory: &Linear,
        bytes: &mut Vec<u8>,
        write: &mut impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let base = memory.place(self.store).0;
        let mut piece = vec![0; PIECE];
        for part in &self.parts {
            bytes.extend(head(part));
            bytes.chunks(PIECE).try_for_each(&mut *write)?;
            bytes.clear();
            for start in part.clone().step_by(PIECE) {
                let piece = &mut piece[..PIECE.min(part.end - start)];
                read(base, start..start + piece.len(), piece);
                write(piece)?;
            }
        }
        Ok(())
    }
}

/// What stands before the bytes of a part: the memory, the address, the length.
fn head(part: &Range<usize>) -> Vec<u8> {
    let mut bytes = vec![0];
    ConstExpr::i32_const(part.start as u32 as i32).encode(&mut bytes);
    (part.len() as u32).encode(&mut bytes);
    bytes
}

fn encoded(number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode(&mut bytes);
    bytes
}

/// The runs of pages in which something is not zero, without the zeros at their ends: few enough for those who read
/// modules.
fn parts(size: usize, read: impl Fn(Range<usize>, &mut [u8])) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut page = vec![0; PAGE];
    for start in (0..size).step_by(PAGE) {
        let page = &mut page[..PAGE.min(size - start)];
        read(start..start + page.len(), page);
        let Some(first) = page.iter().position(|&byte| byte != 0) else { continue };
        let end = start + page.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        match parts.last_mut() {
            // The page before is in it as well.
            Some(part) if part.end > start.saturating_sub(PAGE) && start > 0 => part.end = end,
            _ => parts.push(start + first..end),
        }
    }
    parts
}

/// Copies a range of a guest's memory, which other ranks may be writing.
fn read(base: *mut u8, range: Range<usize>, to: &mut [u8]) {
    assert_eq!(range.len(), to.len());
    // SAFETY: the range lies in a guest's memory, which is mapped as long as its store is there, and a memory never moves.
    unsafe { rankine_guest::copy::copy(to.as_mut_ptr(), base.add(range.start), range.len()) };
}

/// The stack at a trap, as functions and offsets of the program's own module.
fn stack<R: Rank>(guest: &Guest<R>, error: &wasmtime::Error, symbols: &Symbols) -> CoreDumpStackSection {
    let thread = guest.member().map(|member| member.number).filter(|&number| number > 0);
    let thread = thread.map(|number| format!(" thread {number}")).unwrap_or_default();
    let mut stack = CoreDumpStackSection::new(format!("{}{thread}", guest.who()));
    for frame in error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default() {
        let (Some(at), Some(within)) = (frame.module_offset(), frame.func_offset()) else { continue };
        let in_module = |offset: usize| symbols.in_module(u32::try_from(offset).ok()?);
        let (Some(at), Some(start)) = (in_module(at), in_module(at.saturating_sub(within))) else { continue };
        stack.frame(0, frame.func_index(), at.saturating_sub(start), [], []);
    }
    stack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_leave_out_zeros() {
        let mut memory = vec![0_u8; 7 * PAGE];
        for at in [10, PAGE + 5, 4 * PAGE, 7 * PAGE - 1] {
            memory[at] = 1;
        }
        let found = parts(memory.len(), |range, to| to.copy_from_slice(&memory[range]));
        assert_eq!(found, [10..PAGE + 6, 4 * PAGE..4 * PAGE + 1, 7 * PAGE - 1..7 * PAGE]);
        let rest: Vec<u8> = (0..PAGE).map(|_| 0).collect();
        assert!(parts(rest.len(), |range, to| to.copy_from_slice(&rest[range])).is_empty());
    }
}
