//! Source lines for reports: which functions and lines of the program an instruction stands for.
//!
//! Debug information is the module's own word. Its entries may nest without end, and as many of them as like may share
//! one long name or list. So Wasmtime is not asked, which would believe it. Here nothing recurses, tables are measured
//! before they are read, texts are cut, and a job has so many steps for all its reports: what is not found by then is
//! shown without its line.

mod interpreted;
mod lines;
mod units;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{
    Abbreviations, Attribute, DebugAbbrev, DebugAbbrevOffset, DebugAddrBase, DebugInfoOffset, DebugLocListsBase,
    DebugRngListsBase, DebugStrOffsetsBase, EndianSlice, LineProgramHeader, LittleEndian, Reader as _, Section as _,
    UnitHeader, UnitOffset,
};
use wasmparser::{Parser, Payload};

use self::lines::Row;
use rankine_rewrite::{Moved, guard};

/// Steps for all reports of a job: about a second. An entry, an attribute, a range, a byte of a line program or of a text
/// is one.
const STEPS: u64 = 1 << 25;
/// Steps of an abbreviation, for which memory is taken.
const ABBREVIATION: usize = 16;
/// Instructions whose places are kept.
const KEPT: usize = 1 << 12;
/// Bytes of a unit's abbreviations, and of the tables of directories and files before a line program: far beyond what
/// compilers write, and read as a whole.
const MOST_TABLE: usize = 1 << 18;
/// Functions that are inlined in one another.
const MOST_INLINED: usize = 64;
/// Bytes of a name.
const MOST_TEXT: usize = 8 << 10;
/// How often a name may be looked for in another entry.
const MOST_ORIGINS: usize = 16;

type Slice<'m> = EndianSlice<'m, LittleEndian>;
type Value<'m> = gimli::AttributeValue<Slice<'m>>;
type Unit<'m> = gimli::Unit<Slice<'m>>;

/// A place in the program's source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function, as the linker knows it.
    pub function: Option<String>,
    /// The file.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// The column, from 1; 0 is the line's left edge.
    pub column: Option<u64>,
}

/// The debug information of a module.
#[derive(Default)]
pub struct Symbols {
    module: Vec<u8>,
    /// Its sections of debug information.
    sections: HashMap<String, Range<usize>>,
    /// Where the code begins, from which addresses are counted.
    code: u64,
    /// How the code that runs differs from the module: each change of what the one before has made.
    moved: Vec<Moved>,
    /// Where code that was lowered to 32-bit addresses ends at an address above them.
    beyond: Vec<u32>,
    /// Its memory may have more than 4 GiB.
    is_large: bool,
    /// How it was guarded last, if that is still to be found out from the module.
    guarded: Option<OnceLock<Moved>>,
    found: Mutex<Found>,
    /// Lines of what it interprets.
    lines: Mutex<interpreted::Lines>,
}

struct Found {
    places: HashMap<u32, Arc<[Place]>>,
    /// Steps that are left.
    steps: u64,
}

impl Default for Found {
    fn default() -> Found {
        Found { places: HashMap::new(), steps: STEPS }
    }
}

impl Symbols {
    /// The debug information of a module that is well-formed. Without any, the module is not kept.
    pub fn of(module: Vec<u8>) -> Symbols {
        let mut symbols = Symbols::in_sections(&module);
        if !symbols.sections.is_empty() {
            symbols.module = module;
        }
        symbols
    }

    /// The debug information of a module that is guarded when it is compiled ([`guard`]).
    pub(crate) fn of_guarded(module: Vec<u8>) -> Symbols {
        let found = Symbols::in_sections(&module);
        Symbols { module, guarded: Some(OnceLock::new()), ..found }
    }

    fn in_sections(module: &[u8]) -> Symbols {
        let mut symbols = Symbols::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload {
                Ok(Payload::CodeSectionStart { range, .. }) => symbols.code = range.start,
                Ok(Payload::CustomSection(section)) if section.name().starts_with(".debug_") => {
                    let data = section.data_offset() as usize;
                    symbols.sections.insert(section.name().to_owned(), data..data + section.data().len());
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        symbols
    }

    /// This debug information, of a module whose 64-bit addresses were lowered before all else: it ends there at an address above
    /// 4 GiB.
    pub(crate) fn beyond(mut self, traps: Vec<u32>) -> Symbols {
        self.beyond = traps;
        self
    }

    /// This debug information, of a program whose memory may have more than 4 GiB, or not.
    pub(crate) fn large(mut self, is_large: bool) -> Symbols {
        self.is_large = is_large;
        self
    }

    /// Whether the program's memory may have more than 4 GiB.
    pub(crate) fn is_large(&self) -> bool {
        self.is_large
    }

    /// Whether an instruction that traps has met an address above 4 GiB, in a program that was lowered.
    pub(crate) fn is_beyond(&self, offset: u32) -> bool {
        let guarded = self.guarded.as_ref().and_then(OnceLock::get);
        // The first change is the lowering.
        let later = self.moved.iter().skip(1).chain(guarded).rev();
        let at = later.into_iter().try_fold(offset, |offset, moved| moved.before(offset));
        at.is_some_and(|at| self.beyond.binary_search(&at).is_ok())
    }

    /// This debug information, of a module that was changed so before it was compiled.
    pub fn moved(mut self, changes: Vec<Moved>) -> Symbols {
        self.moved = changes;
        self
    }

    /// Where an instruction of the code that runs lies in the module; nothing if the module has none like it.
    pub fn in_module(&self, offset: u32) -> Option<u32> {
        let guard = || guard::guard(&self.module).map(|guarded| guarded.moved).unwrap_or_default();
        let guarded = self.guarded.as_ref().map(|moved| moved.get_or_init(guard));
        self.moved.iter().chain(guarded).rev().try_fold(offset, |offset, moved| moved.before(offset))
    }

    /// The places of instructions, which are given by their offsets in the module: the innermost of inlined functions
    /// first, nothing where nothing is known.
    pub fn places(&self, offsets: &[u32]) -> Vec<Arc<[Place]>> {
        let none = || -> Arc<[Place]> { Arc::new([]) };
        if self.sections.is_empty() {
            return offsets.iter().map(|_| none()).collect();
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted: Vec<u32> = offsets.iter().copied().filter(|at| !found.places.contains_key(at)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if !wanted.is_empty() {
            if found.places.len() + wanted.len() > KEPT {
                found.places.clear();
            }
            let sought = self.search(&wanted, &mut found.steps);
            found.places.extend(wanted.into_iter().zip(sought));
        }
        offsets.iter().map(|at| found.places.get(at).cloned().unwrap_or_else(none)).collect()
    }

    fn search(&self, offsets: &[u32], steps: &mut u64) -> Vec<Arc<[Place]>> {
        let section = |id: gimli::SectionId| {
            let range = self.sections.get(id.name()).cloned().unwrap_or(0..0);
            Ok::<_, ()>(EndianSlice::new(&self.module[range], LittleEndian))
        };
        let Ok(dwarf) = gimli::Dwarf::load(section) else { return Vec::new() };
        let search = Search { dwarf, steps: Cell::new(*steps) };
        let address = |&at: &u32| u64::from(at).saturating_sub(self.code);
        let mut sought: Vec<Sought<'_>> = offsets.iter().map(|at| Sought::new(address(at))).collect();
        search.run(&mut sought);
        *steps = search.steps.get();
        sought.into_iter().map(|one| one.places.into()).collect()
    }
}

/// Why a unit is given up.
enum Stop {
    /// It is not as it should be; others may be.
    Malformed,
    /// No steps are left.
    Exhausted,
}

impl From<gimli::Error> for Stop {
    fn from(_: gimli::Error) -> Stop {
        Stop::Malformed
    }
}

type Result<T> = std::result::Result<T, Stop>;

/// What is looked for, and what is known of it by the unit that is looked at.
struct Sought<'m> {
    address: u64,
    /// The unit may have it.
    here: bool,
    row: Option<Row>,
    /// The function and what is inlined in it, the outermost first.
    path: Vec<Nested<'m>>,
    /// Entries of `path` that were still open at the last entry of the unit.
    open: usize,
    places: Vec<Place>,
}

/// A function, and how deep its entry lies.
struct Nested<'m> {
    depth: isize,
    entry: Entry<'m>,
}

/// What is read of an entry.
#[derive(Clone, Default)]
struct Entry<'m> {
    low: Option<Value<'m>>,
    high: Option<Value<'m>>,
    ranges: Option<Value<'m>>,
    name: Option<Value<'m>>,
    linkage_name: Option<Value<'m>>,
    /// The entry that it is an instance of.
    origin: Option<Value<'m>>,
    call_file: Option<u64>,
    call_line: Option<u64>,
    call_column: Option<u64>,
    // Of a unit:
    folder: Option<Value<'m>>,
    producer: Option<Value<'m>>,
    lines: Option<Value<'m>>,
    strings: Option<Value<'m>>,
    addresses: Option<Value<'m>>,
    range_lists: Option<Value<'m>>,
}

impl<'m> Sought<'m> {
    fn new(address: u64) -> Sought<'m> {
        Sought { address, here: false, row: None, path: Vec::new(), open: 0, places: Vec::new() }
    }

    /// An entry of this depth begins: what lies as deep has ended.
    fn leave(&mut self, depth: isize) {
        while self.open > 0 && self.path[self.open - 1].depth >= depth {
            self.open -= 1;
        }
    }

    /// Whether a function, or one that is inlined, can lie within what is known.
    fn goes_deeper(&self, is_function: bool) -> bool {
        self.here && self.open == self.path.len() && is_function == self.path.is_empty() && self.open < MOST_INLINED
    }

    fn is_done(&self) -> bool {
        !self.here || (self.open == 0 && !self.path.is_empty())
    }
}

impl<'m> Entry<'m> {
    fn note(&mut self, attribute: &Attribute<Slice<'m>>) {
        let value = attribute.value();
        match attribute.name() {
            gimli::DW_AT_low_pc => self.low = Some(value),
            gimli::DW_AT_high_pc => self.high = Some(value),
            gimli::DW_AT_ranges => self.ranges = Some(value),
            gimli::DW_AT_name => self.name = Some(value),
            gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => self.linkage_name = Some(value),
            gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => self.origin = Some(value),
            gimli::DW_AT_call_file => {
                self.call_file = match value {
                    Value::FileIndex(index) => Some(index),
                    _ => value.udata_value(),
                }
            }
            gimli::DW_AT_call_line => self.call_line = value.udata_value().filter(|&line| line != 0),
            gimli::DW_AT_call_column => self.call_column = value.udata_value().filter(|&column| column != 0),
            gimli::DW_AT_comp_dir => self.folder = Some(value),
            gimli::DW_AT_producer => self.producer = Some(value),
            gimli::DW_AT_stmt_list => self.lines = Some(value),
            gimli::DW_AT_str_offsets_base => self.strings = Some(value),
            gimli::DW_AT_addr_base => self.addresses = Some(value),
            gimli::DW_AT_rnglists_base => self.range_lists = Some(value),
            _ => {}
        }
    }
}

/// One search through the debug information.
struct Search<'m> {
    dwarf: gimli::Dwarf<Slice<'m>>,
    steps: Cell<u64>,
}

impl<'m> Search<'m> {
    fn spend(&self, steps: usize) -> Result<()> {
        let left = self.steps.get().checked_sub(steps as u64);
        self.steps.set(left.unwrap_or(0));
        left.map(drop).ok_or(Stop::Exhausted)
    }

    fn run(&self, sought: &mut [Sought<'m>]) {
        let mut units = self.dwarf.units();
        while let Ok(Some(header)) = units.next() {
            if let Err(Stop::Exhausted) = self.spend(1).and_then(|()| self.look_into(header, sought)) {
                return;
            }
            for one in sought.iter_mut() {
                // What an earlier unit knew is not looked for again.
                *one = Sought { places: std::mem::take(&mut one.places), ..Sought::new(one.address) };
            }
            if sought.iter().all(|one| !one.places.is_empty()) {
                return;
            }
        }
    }

    /// Finds what a unit knows.
    fn look_into(&self, header: UnitHeader<Slice<'m>>, sought: &mut [Sought<'m>]) -> Result<()> {
        let (unit, root) = self.open(header)?;
        let says_where = root.ranges.is_some() || root.high.is_some();
        if says_where {
            self.each_range(&unit, &root, |range| {
                for one in sought.iter_mut().filter(|one| one.places.is_empty()) {
                    one.here |= range.contains(&one.address);
                }
            })?;
            if !sought.iter().any(|one| one.here) {
                return Ok(());
            }
        }
        let lines = match self.read_lines(&unit, &root, sought) {
            Err(Stop::Malformed) => None,
            lines => lines?,
        };
        if !says_where {
            sought.iter_mut().for_each(|one| one.here = one.row.is_some() && one.places.is_empty());
        }
        match self.read_functions(&unit, sought) {
            Err(Stop::Malformed) => {}
            read => read?,
        }
        for one in sought.iter_mut().filter(|one| one.here) {
            one.places = self.describe(&unit, &root, lines.as_ref(), one);
        }
        Ok(())
    }

    /// A unit, and its first entry. Its line program is not read: gimli would do so for every unit.
    fn open(&self, header: UnitHeader<Slice<'m>>) -> Result<(Unit<'m>, Entry<'m>)> {
        let abbreviations = self.abbreviations(header.debug_abbrev_offset())?;
        let root = self.entry(&header, &abbreviations, None)?;
        let offset = |value: &Option<Value<'m>>| match value {
            Some(Value::SecOffset(at)) => Some(*at),
            Some(Value::DebugStrOffsetsBase(base)) => Some(base.0),
            Some(Value::DebugAddrBase(base)) => Some(base.0),
            Some(Value::DebugRngListsBase(base)) => Some(base.0),
            _ => None,
        };
        let (encoding, file) = (header.encoding(), gimli::DwarfFileType::Main);
        let strings = offset(&root.strings).map(DebugStrOffsetsBase);
        let mut unit = Unit {
            abbreviations: abbreviations.into(),
            name: None,
            comp_dir: None,
            low_pc: 0,
            str_offsets_base: strings
                .unwrap_or_else(|| DebugStrOffsetsBase::default_for_encoding_and_file(encoding, file)),
            addr_base: DebugAddrBase(offset(&root.addresses).unwrap_or(0)),
            loclists_base: DebugLocListsBase(0),
            rnglists_base: DebugRngListsBase(offset(&root.range_lists).unwrap_or(0)),
            line_program: None,
            dwo_id: None,
            header,
        };
        if let Some(low) = root.low {
            unit.low_pc = self.dwarf.attr_address(&unit, low)?.unwrap_or(0);
        }
        Ok((unit, root))
    }

    /// The forms of a unit's entries.
    fn abbreviations(&self, at: DebugAbbrevOffset) -> Result<Abbreviations> {
        let mut table = *self.dwarf.debug_abbrev.reader();
        table.skip(at.0)?;
        table.truncate(table.len().min(MOST_TABLE))?;
        let mut rest = table;
        while !rest.is_empty() && rest.read_uleb128()? != 0 {
            self.spend(ABBREVIATION)?;
            rest.read_uleb128()?;
            rest.read_u8()?;
            loop {
                self.spend(1)?;
                let (name, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
                if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                    rest.read_sleb128()?;
                }
                if (name, form) == (0, 0) {
                    break;
                }
            }
        }
        Ok(DebugAbbrev::from(table).abbreviations(DebugAbbrevOffset(0))?)
    }

    /// Reads one entry: that at an offset, or the first.
    fn entry(
        &self,
        header: &UnitHeader<Slice<'m>>,
        abbreviations: &Abbreviations,
        at: Option<UnitOffset>,
    ) -> Result<Entry<'m>> {
        let mut entries = header.entries_raw(abbreviations, at)?;
        let mut entry = Entry::default();
        let abbreviation = entries.read_abbreviation()?.ok_or(Stop::Malformed)?;
        self.spend(1 + abbreviation.attributes().len())?;
        for specification in abbreviation.attributes() {
            entry.note(&entries.read_attribute(*specification)?);
        }
        Ok(entry)
    }

    /// Calls `with` for each range of addresses that belongs to an entry.
    fn each_range(&self, unit: &Unit<'m>, entry: &Entry<'m>, mut with: impl FnMut(Range<u64>)) -> Result<()> {
        self.spend(1)?;
        if let Some(ranges) = entry.ranges {
            let Some(mut ranges) = self.dwarf.attr_ranges(unit, ranges)? else { return Ok(()) };
            while let Some(raw) = ranges.next_raw()? {
                self.spend(1)?;
                if let Some(range) = ranges.convert_raw(raw)? {
                    with(range.begin..range.end);
                }
            }
            return Ok(());
        }
        let (Some(low), Some(high)) = (entry.low, entry.high) else { return Ok(()) };
        let Some(low) = self.dwarf.attr_address(unit, low)? else { return Ok(()) };
        let high = match (self.dwarf.attr_address(unit, high)?, high.udata_value()) {
            (Some(high), _) => high,
            (None, size) => low.saturating_add(size.unwrap_or(0)),
        };
        with(low..high);
        Ok(())
    }

    /// Finds the functions around what is sought, and what is inlined there, on one way through the unit.
    fn read_functions(&self, unit: &Unit<'m>, sought: &mut [Sought<'m>]) -> Result<()> {
        let mut entries = unit.header.entries_raw(&unit.abbreviations, None)?;
        while !entries.is_empty() && !sought.iter().all(Sought::is_done) {
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else {
                self.spend(1)?;
                continue;
            };
            self.spend(1 + abbreviation.attributes().len())?;
            sought.iter_mut().for_each(|one| one.leave(depth));
            let is_function = abbreviation.tag() == gimli::DW_TAG_subprogram;
            let counts = is_function || abbreviation.tag() == gimli::DW_TAG_inlined_subroutine;
            if !counts || !sought.iter().any(|one| one.goes_deeper(is_function)) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let mut entry = Entry::default();
            for specification in abbreviation.attributes() {
                entry.note(&entries.read_attribute(*specification)?);
            }
            self.each_range(unit, &entry, |range| {
                for one in sought.iter_mut() {
                    // A second range of the same entry finds it open, at its own depth.
                    let is_new = one.path.last().is_none_or(|last| last.depth < depth);
                    if is_new && one.goes_deeper(is_function) && range.contains(&one.address) {
                        one.path.push(Nested { depth, entry: entry.clone() });
                        one.open = one.path.len();
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Puts in words what was found.
    fn describe(
        &self,
        unit: &Unit<'m>,
        root: &Entry<'m>,
        lines: Option<&LineProgramHeader<Slice<'m>>>,
        sought: &Sought<'m>,
    ) -> Vec<Place> {
        let file = |index| self.file(unit, root, lines?, index);
        let mut place = match sought.row {
            Some(row) => {
                Place { function: None, file: file(row.file), line: row.line, column: row.line.map(|_| row.column) }
            }
            None if sought.path.is_empty() => return Vec::new(),
            None => Place::default(),
        };
        let mut places = Vec::with_capacity(sought.path.len().max(1));
        for Nested { entry, .. } in sought.path.iter().rev() {
            place.function = self.name(unit, entry);
            let caller = Place {
                function: None,
                // Before DWARF 5 the files were counted from 1.
                file: entry.call_file.filter(|&index| index > 0 || unit.header.version() >= 5).and_then(file),
                line: entry.call_line,
                column: entry.call_column,
            };
            places.push(std::mem::replace(&mut place, caller));
        }
        if sought.path.is_empty() {
            places.push(place);
        }
        places
    }

    /// The name of a function, which may stand in the entry that it is an instance of.
    fn name(&self, unit: &Unit<'m>, entry: &Entry<'m>) -> Option<String> {
        let (mut entry, mut elsewhere) = (entry.clone(), None);
        for _ in 0..MOST_ORIGINS {
            let here = elsewhere.as_ref().unwrap_or(unit);
            let names = [entry.linkage_name, entry.name];
            if let Some(name) = names.into_iter().flatten().find_map(|name| self.text(here, name)) {
                return Some(name);
            }
            entry = match entry.origin? {
                Value::UnitRef(at) => self.entry(&here.header, &here.abbreviations, Some(at)).ok()?,
                Value::DebugInfoRef(at) => {
                    let other = self.unit_around(at).ok()??;
                    let at = at.to_unit_offset(&other.header)?;
                    let entry = self.entry(&other.header, &other.abbreviations, Some(at)).ok()?;
                    elsewhere = Some(other);
                    entry
                }
                _ => return None,
            };
        }
        None
    }

    /// The unit that has an entry.
    fn unit_around(&self, at: DebugInfoOffset) -> Result<Option<Unit<'m>>> {
        let mut units = self.dwarf.units();
        while let Some(header) = units.next()? {
            self.spend(1)?;
            if at.to_unit_offset(&header).is_some() {
                return Ok(Some(self.open(header)?.0));
            }
        }
        Ok(None)
    }

    /// A string, if it is not too long.
    fn text(&self, unit: &Unit<'m>, value: Value<'m>) -> Option<String> {
        let within = |section: &Slice<'m>, at: usize| {
            let bytes = section.slice().get(at..)?;
            let bytes = &bytes[..bytes.len().min(MOST_TEXT)];
            Some(&bytes[..bytes.iter().position(|&byte| byte == 0)?])
        };
        let strings = self.dwarf.debug_str.reader();
        let bytes = match value {
            Value::String(text) => Some(text.slice()).filter(|text| text.len() < MOST_TEXT),
            Value::DebugStrRef(at) => within(strings, at.0),
            Value::DebugLineStrRef(at) => within(self.dwarf.debug_line_str.reader(), at.0),
            Value::DebugStrOffsetsIndex(index) => within(strings, self.dwarf.string_offset(unit, index).ok()?.0),
            _ => None,
        };
        self.spend(bytes?.len()).ok()?;
        Some(String::from_utf8_lossy(bytes?).into_owned())
    }
}

#[cfg(test)]
mod tests;
