//! Variables that several files define without a value, as old C does in its headers (`int counter;`).
//!
//! Native linkers make one of them where the files were compiled with -fcommon. Objects for WebAssembly have no common
//! symbols: each file defines the variable, and wasm-ld refuses the second definition. Then copies of the objects are
//! linked in which such definitions are weak, so that one with a value counts; and where there is none, an object is added
//! that defines the variable as large as its largest definition.

use crate::object_files;
use crate::process::check;
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasmparser::{KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// What the linker says before the name.
const DUPLICATE: &str = "duplicate symbol: ";
/// The low bits of a symbol's flags say its binding.
const BINDING: u8 = 0b11;

/// The names that the linker has met twice.
pub(super) fn duplicates(said: &str) -> HashSet<&str> {
    said.lines().filter_map(|line| line.split_once(DUPLICATE)).map(|(_, name)| name.trim()).collect()
}

/// A variable of a program.
#[derive(Debug, Default)]
struct Variable {
    /// Definitions without a value: their largest size, and the files.
    largest: u32,
    files: BTreeSet<PathBuf>,
    /// The size of the definition that has a value.
    value: Option<u32>,
    /// There is another symbol of that name, or a second value.
    is_refused: bool,
}

/// A symbol that an object defines for others too.
struct Definition<'o> {
    name: &'o str,
    /// Where its flags are.
    flags: usize,
    /// The size of a variable; other symbols have none.
    size: Option<u32>,
    has_value: bool,
}

/// Makes one of each of these variables; says which. Nothing is done if one of them can't be.
pub(super) fn merge(
    arguments: &mut Vec<OsString>,
    names: &HashSet<&str>,
    clang: &OsStr,
    folder: &Path,
) -> Result<Option<String>> {
    let folders = object_files::folders(arguments);
    let mut variables: BTreeMap<&str, Variable> = BTreeMap::new();
    let mut copies = Vec::new();
    for (number, word) in arguments.iter().enumerate() {
        let Some(path) = object_files::file(word, &folders) else { continue };
        let Ok(mut bytes) = fs::read(&path) else { continue };
        let places =
            weaken(&bytes, names, &path, &mut variables).with_context(|| format!("{} is broken", path.display()))?;
        if places.is_empty() {
            continue;
        }
        for place in places {
            bytes[place] = bytes[place] & !BINDING | u8::try_from(SymbolFlags::BINDING_WEAK.bits())?;
        }
        // The name is what the linker shows in its messages.
        let copy = folder.join(number.to_string()).join(path.file_name().context("a file has a name")?);
        fs::create_dir_all(copy.parent().unwrap_or(folder))?;
        fs::write(&copy, bytes).with_context(|| format!("cannot write {}", copy.display()))?;
        copies.push((number, copy));
    }
    let is_one =
        |variable: &Variable| !variable.is_refused && variable.value.is_none_or(|size| size >= variable.largest);
    if variables.len() < names.len() || !variables.values().all(is_one) {
        return Ok(None);
    }
    for (number, copy) in copies {
        arguments[number] = copy.into();
    }
    arguments.insert(0, defined(&variables, arguments, clang, folder)?.into());
    Ok(Some(in_words(&variables)))
}

/// Notes what an object or an archive says of these names, and gives the places of flags to be changed.
fn weaken<'n>(
    bytes: &[u8],
    names: &HashSet<&'n str>,
    path: &Path,
    variables: &mut BTreeMap<&'n str, Variable>,
) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for member in object_files::members(bytes) {
        for Definition { name, flags, size, has_value } in definitions(&bytes[member.clone()])? {
            let Some(name) = names.get(name) else { continue };
            let variable = variables.entry(name).or_default();
            match size {
                Some(size) if !has_value => {
                    variable.largest = variable.largest.max(size);
                    variable.files.insert(path.to_owned());
                    places.push(member.start + flags);
                }
                Some(size) if variable.value.is_none() => variable.value = Some(size),
                _ => variable.is_refused = true,
            }
        }
    }
    Ok(places)
}

/// What an object defines for others too, and not weakly.
fn definitions(object: &[u8]) -> Result<Vec<Definition<'_>>> {
    let (mut found, mut segments) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(object) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Linking(linking) = section.as_known() else { continue };
        for part in linking.subsections() {
            match part? {
                Linking::SegmentInfo(infos) => segments = infos.into_iter().collect::<Result<Vec<_>, _>>()?,
                Linking::SymbolTable(symbols) => {
                    for symbol in symbols.into_iter_with_offsets() {
                        let (offset, symbol) = symbol?;
                        // Behind the byte that says what kind of symbol it is.
                        found
                            .extend(definition(&symbol).map(|found| (usize::try_from(offset).unwrap_or(0) + 1, found)));
                    }
                }
                _ => {}
            }
        }
    }
    let is_zero = |segment: Option<u32>| {
        let segment = segment.and_then(|index| segments.get(usize::try_from(index).ok()?));
        segment.is_some_and(|segment| segment.name.starts_with(".bss"))
    };
    let definition = |(flags, (name, size, segment))| Definition { name, flags, size, has_value: !is_zero(segment) };
    Ok(found.into_iter().map(definition).collect())
}

/// The name of what a symbol defines for others, and a variable's size and segment.
fn definition<'o>(symbol: &SymbolInfo<'o>) -> Option<(&'o str, Option<u32>, Option<u32>)> {
    let (flags, defined) = match *symbol {
        SymbolInfo::Data { flags, name, symbol: Some(data) } => (flags, (name, Some(data.size), Some(data.index))),
        SymbolInfo::Func { flags, name: Some(name), .. } if !flags.contains(SymbolFlags::UNDEFINED) => {
            (flags, (name, None, None))
        }
        _ => return None,
    };
    (!flags.intersects(SymbolFlags::BINDING_LOCAL | SymbolFlags::BINDING_WEAK)).then_some(defined)
}

/// An object with those variables that no file gives a value.
fn defined(
    variables: &BTreeMap<&str, Variable>,
    arguments: &[OsString],
    clang: &OsStr,
    folder: &Path,
) -> Result<PathBuf> {
    let without = variables.iter().filter(|(_, variable)| variable.value.is_none());
    zeroes(without.map(|(name, variable)| (*name, variable.largest)), arguments, clang, &folder.join("common"))
}

/// An object of this name, but for its ending, with variables of these sizes that begin as zeroes.
pub(super) fn zeroes<'n>(
    variables: impl Iterator<Item = (&'n str, u32)>,
    arguments: &[OsString],
    clang: &OsStr,
    name: &Path,
) -> Result<PathBuf> {
    let (source, object) = (name.with_extension("c"), name.with_extension("o"));
    let mut text = String::new();
    for (number, (name, size)) in variables.enumerate() {
        writeln!(text, "_Alignas(16) char v{number}[{size}] __asm__(\"{name}\");")?;
    }
    fs::write(&source, text)?;
    let mut command = Command::new(clang);
    command.arg(format!("--target={}", super::target(arguments))).arg("-c").arg(&source).arg("-o").arg(&object);
    if arguments.iter().any(|word| word == "--shared-memory") {
        command.args(["-matomics", "-mbulk-memory"]);
    }
    check(&mut command, "defining variables")?;
    Ok(object)
}

/// What was done, with the names of the first variables.
fn in_words(variables: &BTreeMap<&str, Variable>) -> String {
    const SHOWN: usize = 3;
    let name = |file: &PathBuf| file.file_name().unwrap_or(file.as_os_str()).display().to_string();
    let shown = variables.iter().take(SHOWN).map(|(variable, known)| {
        let files: Vec<String> = known.files.iter().take(SHOWN).map(name).collect();
        format!("`{variable}` ({})", files.join(", "))
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match variables.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_the_linkers_words() {
        let said = "wasm-ld-22: error: duplicate symbol: counter\n>>> defined in a.o\n>>> defined in b.o\n";
        assert_eq!(duplicates(said), HashSet::from(["counter"]));
        assert!(duplicates("wasm-ld: error: undefined symbol: counter").is_empty());
    }
}
