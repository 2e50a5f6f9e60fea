//! What a module declares: its memory, its tables, what lies in them from the start.

use std::ops::Range;

use anyhow::{Result, bail, ensure};
use wasm_encoder::{Encode, Instruction};
use wasmparser::{
    BinaryReader, CompositeInnerType, ConstExpr, DataKind, DataSectionReader, ElementKind, ElementSectionReader,
    MemoryType, Operator, Payload, RefType, TableType, TypeRef,
};

use super::imports::Imports;
use crate::sections::led_elements;

/// Pages of a memory with 32-bit addresses, but for the last one: an address that is a little below 0 lies there.
pub(super) const MOST_PAGES: u64 = (1 << 16) - 1;

/// Entries of a table with 32-bit addresses. With one less than there could be, growth by all ones always fails.
const MOST_ENTRIES: u64 = u32::MAX as u64 - 1;

/// What has to be known of a module when its code is changed.
#[derive(Default)]
pub(super) struct Declared {
    /// How many parameters the functions of each type have.
    parameters: Vec<u32>,
    /// The types of the module's own functions.
    functions: Vec<u32>,
    memories: Vec<MemoryType>,
    tables: Vec<TableType>,
    /// Its memory stays as it is.
    is_large: bool,
}

impl Declared {
    pub(super) fn new(is_large: bool) -> Declared {
        Declared { is_large, ..Declared::default() }
    }

    /// Notes what a section declares.
    pub(super) fn note(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for group in types.clone() {
                    let of = |inner: &CompositeInnerType| match inner {
                        CompositeInnerType::Func(kind) => kind.params().len() as u32,
                        _ => 0,
                    };
                    self.parameters.extend(group?.into_types().map(|kind| of(&kind.composite_type.inner)));
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    match import?.ty {
                        TypeRef::Memory(memory) => self.memory(memory)?,
                        TypeRef::Table(table) => self.tables.push(table),
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                for kind in functions.clone() {
                    self.functions.push(kind?);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories.clone() {
                    self.memory(memory?)?;
                }
            }
            Payload::TableSection(tables) => {
                for table in tables.clone() {
                    self.tables.push(table?.ty);
                }
            }
            Payload::CustomSection(section) if section.name() == "dylink.0" => {
                bail!("a module that is linked when it is loaded (dylink.0) can't have its 64-bit addresses lowered")
            }
            _ => {}
        }
        Ok(())
    }

    fn memory(&mut self, memory: MemoryType) -> Result<()> {
        self.memories.push(memory);
        ensure!(
            self.memories.len() == 1,
            "a module with several memories can't have its 64-bit addresses lowered; this one has {} at least",
            self.memories.len()
        );
        Ok(())
    }

    /// Whether the memory has 64-bit addresses that are to be lowered.
    pub(super) fn is_memory_wide(&self) -> bool {
        !self.is_large && self.memories.first().is_some_and(|memory| memory.memory64)
    }

    /// Whether a table has 64-bit addresses.
    pub(super) fn is_table_wide(&self, table: u32) -> bool {
        self.tables.get(table as usize).is_some_and(|table| table.table64)
    }

    /// What a table has.
    pub(super) fn entry(&self, table: u32) -> Option<RefType> {
        self.tables.get(table as usize).map(|table| table.element_type)
    }

    /// How many parameters one of the module's own functions has.
    pub(super) fn parameters(&self, function: usize) -> u32 {
        let kind = self.functions.get(function);
        kind.and_then(|&kind| self.parameters.get(kind as usize)).copied().unwrap_or(0)
    }

    /// The section of imports, with a memory and tables of 32 bits.
    pub(super) fn imports(&self, content: &[u8], imports: &Imports) -> Result<Vec<u8>> {
        let mut functions = 0;
        let mut edited = Edited::new(content, 0);
        let mut reader = BinaryReader::new(content, 0);
        for _ in 0..reader.read_var_u32()? {
            reader.read_string()?;
            let from = reader.original_position() as usize;
            let name = reader.read_string()?;
            let at = reader.original_position() as usize;
            ensure!(!name.is_empty() || content[at] < COMPACT, "imports that share a module's name can't be lowered");
            match reader.read::<TypeRef>()? {
                // Behind the byte that says what is imported.
                TypeRef::Memory(memory) => edited.memory(at + 1, &reader, memory, self.is_large)?,
                TypeRef::Table(table) => edited.table(at + 1, &reader, table)?,
                TypeRef::Func(_) | TypeRef::FuncExact(_) => {
                    if let Some(another) = imports.name(functions) {
                        let mut name = Vec::new();
                        another.encode(&mut name);
                        edited.replace(from..at, &name);
                    }
                    if let Some(narrow) = imports.narrow_type(functions) {
                        let mut number = Vec::new();
                        narrow.encode(&mut number);
                        edited.replace(at + 1..reader.original_position() as usize, &number);
                    }
                    functions += 1;
                }
                _ => {}
            }
        }
        Ok(edited.finish())
    }

    /// The section of elements, which are put at 32-bit places of tables.
    pub(super) fn elements(&self, content: &[u8], imports: &Imports) -> Result<Vec<u8>> {
        let read = |content| ElementSectionReader::new(BinaryReader::new(content, 0));
        let led = led_elements(read(content)?, content, 0, imports.around())?;
        let mut edited = Edited::new(&led, 0);
        for element in read(&led)? {
            if let ElementKind::Active { table_index, offset_expr } = element?.kind
                && self.is_table_wide(table_index.unwrap_or(0))
            {
                edited.offset(&offset_expr, "an element of a table")?;
            }
        }
        Ok(edited.finish())
    }

    /// The section of data, which is put at 32-bit addresses.
    pub(super) fn data(&self, parts: &DataSectionReader<'_>, content: &[u8], start: usize) -> Result<Vec<u8>> {
        let mut edited = Edited::new(content, start);
        for part in parts.clone() {
            if let DataKind::Active { offset_expr, .. } = part?.kind
                && self.is_memory_wide()
            {
                edited.offset(&offset_expr, "data")?;
            }
        }
        Ok(edited.finish())
    }
}

/// A section in which wide places become narrow ones.
struct Edited<'m> {
    content: &'m [u8],
    /// Where it begins in the module, if positions are those in the module.
    start: usize,
    changed: Vec<u8>,
    done: usize,
}

impl<'m> Edited<'m> {
    fn new(content: &'m [u8], start: usize) -> Edited<'m> {
        Edited { content, start, changed: Vec::with_capacity(content.len()), done: 0 }
    }

    fn replace(&mut self, range: Range<usize>, by: &[u8]) {
        self.changed.extend(&self.content[self.done..range.start - self.start]);
        self.changed.extend(by);
        self.done = range.end - self.start;
    }

    /// A constant address.
    fn offset(&mut self, expression: &ConstExpr<'_>, what: &str) -> Result<()> {
        let (range, address) = constant(expression, what)?;
        let mut narrow = Vec::new();
        Instruction::I32Const(address as i32).encode(&mut narrow);
        self.replace(range, &narrow);
        Ok(())
    }

    /// The type of a memory, which has just been read.
    fn memory(&mut self, at: usize, reader: &BinaryReader<'_>, memory: MemoryType, is_large: bool) -> Result<()> {
        if !memory.memory64 {
            return Ok(());
        }
        ensure!(
            memory.page_size_log2.is_none(),
            "a memory with pages of its own size can't have its addresses lowered"
        );
        if is_large {
            // How much there can be, the machine says, and what a rank may have.
            self.replace(at..reader.original_position() as usize, &large_limits(memory));
            return Ok(());
        }
        let most = memory.maximum.unwrap_or(MOST_PAGES).min(MOST_PAGES);
        self.replace(at..reader.original_position() as usize, &limits(memory.shared, memory.initial, most));
        Ok(())
    }

    /// The type of a table, which has just been read.
    fn table(&mut self, at: usize, reader: &BinaryReader<'_>, table: TableType) -> Result<()> {
        if !table.table64 {
            return Ok(());
        }
        ensure!(table.initial <= MOST_ENTRIES, "a table begins with {} entries, which is too many", table.initial);
        let mut entry = BinaryReader::new(&self.content[at..], at as u64);
        entry.read::<RefType>()?;
        let most = table.maximum.unwrap_or(MOST_ENTRIES).min(MOST_ENTRIES);
        let range = entry.original_position() as usize..reader.original_position() as usize;
        self.replace(range, &limits(table.shared, table.initial, most));
        Ok(())
    }

    fn finish(mut self) -> Vec<u8> {
        self.changed.extend(&self.content[self.done..]);
        self.changed
    }
}

const HAS_MOST: u8 = 1;
const IS_SHARED: u8 = 1 << 1;
const HAS_64_BITS: u8 = 1 << 2;

/// How large a memory with 64-bit addresses is that may have what there is. One that is shared has to say how much that is: 256 TiB
/// are more than there are addresses.
fn large_limits(memory: MemoryType) -> Vec<u8> {
    const MOST_SHARED: u64 = 1 << 32;
    let mut bytes = vec![HAS_64_BITS | if memory.shared { HAS_MOST | IS_SHARED } else { 0 }];
    memory.initial.encode(&mut bytes);
    if memory.shared {
        MOST_SHARED.encode(&mut bytes);
    }
    bytes
}

/// How large a memory or a table is, with 32-bit addresses.
fn limits(is_shared: bool, least: u64, most: u64) -> Vec<u8> {
    let mut bytes = vec![HAS_MOST | if is_shared { IS_SHARED } else { 0 }];
    // Both are below 1 << 32.
    (least as u32).encode(&mut bytes);
    (most as u32).encode(&mut bytes);
    bytes
}

/// The address that an expression is, and where it stands in the module, without its end.
fn constant(expression: &ConstExpr<'_>, what: &str) -> Result<(Range<usize>, u32)> {
    let mut reader = expression.get_operators_reader();
    let at = reader.original_position() as usize;
    let first = reader.read()?;
    let end = reader.original_position() as usize;
    let (Operator::I64Const { value }, Operator::End) = (&first, reader.read()?) else {
        bail!(
            "{what} is put where an expression says that is more than a constant ({first:?} …): that can't be lowered"
        )
    };
    let Ok(address) = u32::try_from(*value) else {
        bail!("{what} is put at {value:#x}, which is beyond 4 GiB: that can't be lowered")
    };
    Ok((at..end, address))
}

/// Where a kind of import would stand: that several follow, with one name of a module.
const COMPACT: u8 = 0x7e;

/// The section of memories, with one of 32 bits, or a large one that may have as much as there is.
pub(super) fn memories(content: &[u8], is_large: bool) -> Result<Vec<u8>> {
    let mut edited = Edited::new(content, 0);
    let mut reader = BinaryReader::new(content, 0);
    for _ in 0..reader.read_var_u32()? {
        let at = reader.original_position() as usize;
        let memory = reader.read()?;
        edited.memory(at, &reader, memory, is_large)?;
    }
    Ok(edited.finish())
}

/// The section of tables, with such of 32 bits.
pub(super) fn tables(content: &[u8]) -> Result<Vec<u8>> {
    const WITH_VALUE: [u8; 2] = [0x40, 0];
    let mut edited = Edited::new(content, 0);
    let mut reader = BinaryReader::new(content, 0);
    for _ in 0..reader.read_var_u32()? {
        let has_value = content[reader.original_position() as usize..].starts_with(&WITH_VALUE);
        if has_value {
            reader.read_bytes(WITH_VALUE.len())?;
        }
        let at = reader.original_position() as usize;
        let table = reader.read()?;
        edited.table(at, &reader, table)?;
        if has_value {
            reader.read::<ConstExpr<'_>>()?;
        }
    }
    Ok(edited.finish())
}
