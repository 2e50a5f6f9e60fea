//! The objects of a package's module, with names that nothing else has: natively it would be a shared library, whose names are
//! its own. What they define gets the module's name before its own, for all of them; what they want of others keeps its name.
//! So several packages may have a `_speedups`, or bring the same library along.

use crate::link::encoding::leb;
use crate::object_files;
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::HashSet;
use std::ops::Range;
use wasmparser::{BinaryReader, KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// Parts of the section that linkers read.
const COMDATS: u8 = 7;
const SYMBOLS: u8 = 8;

/// Kinds of symbols.
const FUNCTION: u8 = 0;
const DATA: u8 = 1;
const GLOBAL: u8 = 2;
const SECTION: u8 = 3;
const TAG: u8 = 4;
const TABLE: u8 = 5;

/// What names of a module's are called for all others.
struct Names<'a> {
    module: &'a str,
    /// The function that makes the module, and what the table of modules calls it.
    own: &'a str,
    others: &'a str,
    /// All that its objects define for each other.
    defined: HashSet<&'a str>,
}

/// The objects of an archive with such names; the function `own` is `others` for the table of modules.
pub(super) fn isolate(archive: &[u8], module: &str, own: &str, others: &str) -> Result<Vec<Vec<u8>>> {
    let members = object_files::members(archive);
    let mut names = Names { module, own, others, defined: HashSet::new() };
    for member in &members {
        definitions(&archive[member.clone()], &mut names.defined)?;
    }
    ensure!(!members.is_empty(), "it was not compiled by the compilers for guests");
    ensure!(names.defined.contains(own), "it does not define {own}, by which Python makes it");
    members.into_iter().map(|member| renamed(&archive[member], &names)).collect()
}

/// The functions and variables that an object defines for others.
fn definitions<'a>(object: &'a [u8], defined: &mut HashSet<&'a str>) -> Result<()> {
    for payload in Parser::new(0).parse_all(object) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Linking(linking) = section.as_known() else { continue };
        for part in linking.subsections() {
            let Linking::SymbolTable(symbols) = part? else { continue };
            for symbol in symbols {
                let (flags, name) = match symbol? {
                    SymbolInfo::Func { flags, name: Some(name), .. } => (flags, name),
                    SymbolInfo::Data { flags, name, .. } => (flags, name),
                    _ => continue,
                };
                if !flags.intersects(SymbolFlags::UNDEFINED | SymbolFlags::BINDING_LOCAL) {
                    defined.insert(name);
                }
            }
        }
    }
    Ok(())
}

/// An object with its other names.
fn renamed(object: &[u8], names: &Names) -> Result<Vec<u8>> {
    // One without a symbol has nothing for linkers.
    let Some(place) = linking(object)? else { return Ok(object.to_vec()) };
    let imported = imported_functions(object)?;
    let mut reader = BinaryReader::new(&object[place.clone()], 0);
    let name = reader.read_string()?;
    let mut section = [&text(name)[..], &leb(reader.read_var_u32()?)].concat();
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()? as usize;
        let part = reader.read_bytes(size)?;
        let part = match id {
            COMDATS => comdats(part, names)?,
            SYMBOLS => symbols(part, names, &imported)?,
            _ => part.to_vec(),
        };
        section.push(id);
        section.extend(leb(u32::try_from(part.len())?));
        section.extend(part);
    }
    let header = header(object, &place)?;
    let length = leb(u32::try_from(section.len())?);
    Ok([&object[..header], &[0], &length[..], &section, &object[place.end..]].concat())
}

impl Names<'_> {
    fn of(&self, name: &str) -> String {
        match name {
            _ if name == self.own => self.others.to_owned(),
            _ => format!("{}:{name}", self.module),
        }
    }
}

/// Where the section for linkers has its content.
fn linking(object: &[u8]) -> Result<Option<Range<usize>>> {
    for payload in Parser::new(0).parse_all(object) {
        if let Payload::CustomSection(section) = payload?
            && let KnownCustom::Linking(_) = section.as_known()
        {
            let range = section.range();
            return Ok(Some(usize::try_from(range.start)?..usize::try_from(range.end)?));
        }
    }
    Ok(None)
}

/// Where a section begins: its number, and its length in one to five bytes, come before its content.
fn header(object: &[u8], content: &Range<usize>) -> Result<usize> {
    for length in 1..=5 {
        let Some(start) = content.start.checked_sub(length + 1) else { break };
        let mut reader = BinaryReader::new(&object[start..content.start], 0);
        let is_it = reader.read_u8()? == 0
            && reader.read_var_u32().is_ok_and(|size| size as usize == content.len())
            && reader.eof();
        if is_it {
            return Ok(start);
        }
    }
    bail!("its section for linkers has no beginning")
}

/// Names of the functions that an object imports, by their numbers.
fn imported_functions(object: &[u8]) -> Result<Vec<&str>> {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(object) {
        let Payload::ImportSection(imports) = payload? else { continue };
        for import in imports.into_imports() {
            let import = import?;
            if let wasmparser::TypeRef::Func(_) = import.ty {
                found.push(import.name);
            }
        }
    }
    Ok(found)
}

/// Groups of what several objects have alike: they are other modules' no longer.
fn comdats(part: &[u8], names: &Names) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(part, 0);
    let count = reader.read_var_u32()?;
    let mut all = leb(count);
    for _ in 0..count {
        all.extend(text(&format!("{}:{}", names.module, reader.read_string()?)));
        // Flags, and then the members: a kind and a number.
        all.extend(leb(reader.read_var_u32()?));
        let members = reader.read_var_u32()?;
        all.extend(leb(members));
        for _ in 0..members {
            all.push(reader.read_u8()?);
            all.extend(leb(reader.read_var_u32()?));
        }
    }
    Ok(all)
}

fn symbols(part: &[u8], names: &Names, imported: &[&str]) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(part, 0);
    let count = reader.read_var_u32()?;
    let mut all = leb(count);
    for _ in 0..count {
        let kind = reader.read_u8()?;
        let flags = SymbolFlags::from_bits_retain(reader.read_var_u32()?);
        all.push(kind);
        all.extend(symbol(&mut reader, (kind, flags), names, imported)?);
    }
    Ok(all)
}

/// What follows the kind of a symbol.
fn symbol(
    reader: &mut BinaryReader<'_>,
    (kind, mut flags): (u8, SymbolFlags),
    names: &Names,
    imported: &[&str],
) -> Result<Vec<u8>> {
    let is_defined = !flags.contains(SymbolFlags::UNDEFINED);
    let is_ours = |name: &str| !flags.contains(SymbolFlags::BINDING_LOCAL) && names.defined.contains(name);
    let changed = |name: &str| if is_ours(name) { names.of(name) } else { name.to_owned() };
    let mut rest = Vec::new();
    match kind {
        DATA => {
            rest.extend(text(&changed(reader.read_string()?)));
            // Its segment, the place in there, and its size.
            for _ in 0..if is_defined { 3 } else { 0 } {
                rest.extend(leb(reader.read_var_u32()?));
            }
        }
        FUNCTION => {
            let number = reader.read_var_u32()?;
            rest.extend(leb(number));
            if is_defined || flags.contains(SymbolFlags::EXPLICIT_NAME) {
                rest.extend(text(&changed(reader.read_string()?)));
            } else {
                let name = imported.get(number as usize).context("a function that is not there is wanted")?;
                if is_ours(name) {
                    rest.extend(text(&names.of(name)));
                    flags |= SymbolFlags::EXPLICIT_NAME;
                }
            }
        }
        // Of these a program has one.
        GLOBAL | TAG | TABLE => {
            rest.extend(leb(reader.read_var_u32()?));
            if is_defined || flags.contains(SymbolFlags::EXPLICIT_NAME) {
                rest.extend(text(reader.read_string()?));
            }
        }
        SECTION => rest.extend(leb(reader.read_var_u32()?)),
        _ => bail!("it has a symbol of an unknown kind"),
    }
    Ok([leb(flags.bits()), rest].concat())
}

fn text(name: &str) -> Vec<u8> {
    [&leb(name.len() as u32)[..], name.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmparser::{Linking, SymbolInfo};

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id][..], &leb(content.len() as u32), content].concat()
    }

    /// An object whose symbols are a function that it wants, these functions that it has, and a weak variable.
    fn object(wanted: &str, functions: &[&str]) -> Vec<u8> {
        let count = functions.len() as u32 + 2;
        let mut symbols = [&leb(count)[..], &[FUNCTION, 0x10, 0]].concat();
        for (number, name) in functions.iter().enumerate() {
            symbols.extend([&[FUNCTION, 4, number as u8 + 1][..], &text(name)].concat());
        }
        symbols.extend([&[DATA, 1][..], &text("table"), &[0, 0, 4]].concat());
        let comdats = [&[1][..], &text("group"), &[0, 0]].concat();
        let linking = [text("linking"), vec![2], section(SYMBOLS, &symbols), section(COMDATS, &comdats)].concat();
        // A function of the environment's, and as many as are named.
        let types = section(1, &[1, 0x60, 0, 0]);
        let imports = section(2, &[&[1][..], &text("env"), &text(wanted), &[0, 0]].concat());
        let count = functions.len() as u8;
        let own = section(3, &[&[count][..], &vec![0; functions.len()]].concat());
        let code = section(10, &[vec![count], [2, 0, 0x0b].repeat(functions.len())].concat());
        [b"\0asm\x01\0\0\0".to_vec(), types, imports, own, code, section(0, &linking), section(0, &text("last"))]
            .concat()
    }

    /// What an object's symbols are called, where that is said.
    fn symbols_of(object: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(object) {
            let Payload::CustomSection(section) = payload.unwrap() else { continue };
            let KnownCustom::Linking(linking) = section.as_known() else { continue };
            for part in linking.subsections() {
                let symbols = match part.unwrap() {
                    Linking::SymbolTable(symbols) => symbols,
                    Linking::ComdatInfo(groups) => {
                        found.extend(groups.into_iter().map(|group| format!("group {}", group.unwrap().name)));
                        continue;
                    }
                    other => panic!("{other:?}"),
                };
                for symbol in symbols {
                    found.push(match symbol.unwrap() {
                        SymbolInfo::Func { name, .. } => name.unwrap_or("-").to_owned(),
                        SymbolInfo::Data { name, .. } => name.to_owned(),
                        other => panic!("{other:?}"),
                    });
                }
            }
        }
        found
    }

    /// An archive of these.
    fn archive(objects: &[Vec<u8>]) -> Vec<u8> {
        let mut archive = b"!<arch>\n".to_vec();
        for object in objects {
            archive.extend(format!("{:<48}{:<10}`\n", "a.o/", object.len()).into_bytes());
            archive.extend(object);
            archive.resize(archive.len() + object.len() % 2, b'\n');
        }
        archive
    }

    #[test]
    fn a_modules_names_are_its_own() {
        let objects = [object("Py_None", &["helper", "PyInit_fast"]), object("helper", &["other"])];
        let isolated = isolate(&archive(&objects), "a.fast", "PyInit_fast", "PyInit_a_fast").unwrap();
        let first = ["-", "a.fast:helper", "PyInit_a_fast", "a.fast:table", "group a.fast:group"];
        assert_eq!(symbols_of(&isolated[0]), first);
        assert_eq!(symbols_of(&isolated[1]), ["a.fast:helper", "a.fast:other", "a.fast:table", "group a.fast:group"]);
        assert!(isolated[0].ends_with(&section(0, &text("last"))));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        let lacking = archive(&[object("Py_None", &["helper"])]);
        for (bytes, why) in [(&lacking[..], "does not define PyInit_a"), (b"\x7fELF", "not compiled by")] {
            let error = isolate(bytes, "a", "PyInit_a", "b").unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
