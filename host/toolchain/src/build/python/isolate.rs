//! A module of a package as one object that has nothing in common with others but what it wants of them: natively it would be a
//! shared library, whose names are its own. Names that it defines become local, but for the function that makes the module,
//! which gets a name of its own: several packages have a `_speedups`, or bring the same library along.

use crate::link::encoding::leb;
use anyhow::{Context as _, Result, bail, ensure};
use std::ops::Range;
use wasmparser::{BinaryReader, KnownCustom, Parser, Payload, SymbolFlags};

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

/// The object with local names; the function `own` is `others` for others.
pub(super) fn isolate(object: &[u8], own: &str, others: &str) -> Result<Vec<u8>> {
    let place = linking(object)?.context("it is no object of a compiler's for guests")?;
    let mut reader = BinaryReader::new(&object[place.clone()], 0);
    let name = reader.read_string()?;
    ensure!(name == "linking", "its section for linkers has another name");
    let mut section = [&leb(name.len() as u32)[..], name.as_bytes(), &leb(reader.read_var_u32()?)].concat();
    let mut is_renamed = false;
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()? as usize;
        let part = reader.read_bytes(size)?;
        let part = match id {
            // What several objects have alike is no longer shared.
            COMDATS => continue,
            SYMBOLS => symbols(part, own, others, &mut is_renamed)?,
            _ => part.to_vec(),
        };
        section.push(id);
        section.extend(leb(u32::try_from(part.len())?));
        section.extend(part);
    }
    ensure!(is_renamed, "it does not define {own}, by which Python makes it");
    let (header, _) = header(object, &place)?;
    let length = leb(u32::try_from(section.len())?);
    Ok([&object[..header], &[0], &length[..], &section, &object[place.end..]].concat())
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
fn header(object: &[u8], content: &Range<usize>) -> Result<(usize, usize)> {
    for length in 1..=5 {
        let Some(start) = content.start.checked_sub(length + 1) else { break };
        let mut reader = BinaryReader::new(&object[start..content.start], 0);
        let is_it = reader.read_u8()? == 0
            && reader.read_var_u32().is_ok_and(|size| size as usize == content.len())
            && reader.eof();
        if is_it {
            return Ok((start, length));
        }
    }
    bail!("its section for linkers has no beginning")
}

fn symbols(part: &[u8], own: &str, others: &str, is_renamed: &mut bool) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(part, 0);
    let count = reader.read_var_u32()?;
    let mut all = leb(count);
    for _ in 0..count {
        let kind = reader.read_u8()?;
        let flags = SymbolFlags::from_bits_retain(reader.read_var_u32()?);
        let is_defined = !flags.contains(SymbolFlags::UNDEFINED);
        let mut name = None;
        let mut rest = match kind {
            FUNCTION | GLOBAL | TAG | TABLE | SECTION => leb(reader.read_var_u32()?),
            DATA => text(reader.read_string()?),
            _ => bail!("it has a symbol of an unknown kind"),
        };
        match kind {
            // Its segment, the place in there, and its size.
            DATA if is_defined => {
                for _ in 0..3 {
                    rest.extend(leb(reader.read_var_u32()?));
                }
            }
            DATA | SECTION => {}
            _ if is_defined || flags.contains(SymbolFlags::EXPLICIT_NAME) => name = Some(reader.read_string()?),
            _ => {}
        }
        let is_own = kind == FUNCTION && is_defined && name == Some(own);
        *is_renamed |= is_own;
        all.push(kind);
        all.extend(leb(if is_own || kind == SECTION { flags } else { local(flags, is_defined) }.bits()));
        all.extend(rest);
        all.extend(name.map(|name| text(if is_own { others } else { name })).unwrap_or_default());
    }
    Ok(all)
}

/// What a symbol is for others: nothing, if it is defined here.
fn local(flags: SymbolFlags, is_defined: bool) -> SymbolFlags {
    if !is_defined {
        return flags;
    }
    let shared = SymbolFlags::BINDING_WEAK | SymbolFlags::EXPORTED | SymbolFlags::NO_STRIP;
    (flags - shared) | SymbolFlags::BINDING_LOCAL
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
    fn object(functions: &[&str]) -> Vec<u8> {
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
        let imports = section(2, &[&[1][..], &text("env"), &text("Py_None"), &[0, 0]].concat());
        let count = functions.len() as u8;
        let own = section(3, &[&[count][..], &vec![0; functions.len()]].concat());
        let code = section(10, &[vec![count], [2, 0, 0x0b].repeat(functions.len())].concat());
        [b"\0asm\x01\0\0\0".to_vec(), types, imports, own, code, section(0, &linking), section(0, &text("last"))]
            .concat()
    }

    /// What an object's symbols are called, and whether they are local.
    fn symbols_of(object: &[u8]) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(object) {
            let Payload::CustomSection(section) = payload.unwrap() else { continue };
            let KnownCustom::Linking(linking) = section.as_known() else { continue };
            for part in linking.subsections() {
                let Linking::SymbolTable(symbols) = part.unwrap() else { panic!("only symbols are left") };
                for symbol in symbols {
                    let (name, flags) = match symbol.unwrap() {
                        SymbolInfo::Func { flags, name, .. } => (name.unwrap_or("-"), flags),
                        SymbolInfo::Data { flags, name, .. } => (name, flags),
                        other => panic!("{other:?}"),
                    };
                    found.push((name.to_owned(), flags.contains(SymbolFlags::BINDING_LOCAL)));
                }
            }
        }
        found
    }

    #[test]
    fn a_modules_names_are_its_own() {
        let object = object(&["helper", "PyInit__speedups"]);
        let isolated = isolate(&object, "PyInit__speedups", "PyInit_markupsafe__speedups").unwrap();
        let expected = [("-", false), ("helper", true), ("PyInit_markupsafe__speedups", false), ("table", true)];
        assert_eq!(symbols_of(&isolated), expected.map(|(name, is_local)| (name.to_owned(), is_local)));
        assert!(isolated.ends_with(&section(0, &text("last"))));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        for (bytes, why) in [(&object(&["helper"])[..], "does not define PyInit_a"), (b"\0asm\x01\0\0\0", "no object")]
        {
            let error = isolate(bytes, "PyInit_a", "b").unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(isolate(b"\x7fELF", "PyInit_a", "b").is_err());
    }
}
