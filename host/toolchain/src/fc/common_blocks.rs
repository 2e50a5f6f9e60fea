//! COMMON blocks whose sizes differ between the objects of a program.
//!
//! Each object defines the blocks that it uses as weak data, and the linker takes the first definition, whatever its
//! size. Fortran says that the largest counts (always for blank COMMON, and in practice for the others): where sizes
//! differ, an object with definitions of the largest size is added.

use crate::process::check;
use crate::sdk;
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use wasmparser::{KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// What the objects say of a name.
#[derive(Default)]
struct Block {
    /// Sizes of weak definitions, with the file of the largest.
    smallest: u32,
    largest: u32,
    file: PathBuf,
    /// Size and file of the definition with initial values.
    initialised: Option<(u32, PathBuf)>,
}

/// An object to be linked in, if blocks differ in size.
pub fn largest(arguments: &[OsString], clang: &Path, sysroot: &Path, work: &Path) -> Result<Option<PathBuf>> {
    let mut blocks = BTreeMap::new();
    for path in inputs(arguments) {
        let Ok(bytes) = fs::read(&path) else { continue };
        for object in members(&bytes) {
            note(object, &path, &mut blocks).with_context(|| format!("{} is broken", path.display()))?;
        }
    }
    let mut source = String::new();
    for (name, block) in blocks {
        match block.initialised {
            Some((size, file)) if size < block.largest => bail!(
                "COMMON /{}/ has {} bytes in {} but is initialised with {size} bytes in {}: give it one size",
                name.trim_end_matches('_'),
                block.largest,
                block.file.display(),
                file.display()
            ),
            None if block.smallest < block.largest => {
                writeln!(source, "_Alignas(16) char {name}[{}];", block.largest)?;
            }
            _ => {}
        }
    }
    if source.is_empty() {
        return Ok(None);
    }
    let (file, object) = (work.join("common.c"), work.join("common.o"));
    fs::write(&file, source)?;
    let mut command = Command::new(clang);
    command.args(sdk::base_flags(sysroot)).arg("-c").arg(&file).arg("-o").arg(&object);
    check(&mut command, "defining COMMON blocks")?;
    Ok(Some(object))
}

/// Objects and archives on the command line, and the archives that `-l` names.
fn inputs(arguments: &[OsString]) -> Vec<PathBuf> {
    let texts: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let folders: Vec<&str> = texts.iter().filter_map(|text| text.strip_prefix("-L")).collect();
    let mut inputs = Vec::new();
    for text in texts {
        match text.strip_prefix("-l") {
            Some(name) => {
                let places = folders.iter().map(|folder| Path::new(folder).join(format!("lib{name}.a")));
                inputs.extend(places.filter(|path| path.is_file()).take(1));
            }
            None if text.ends_with(".o") || text.ends_with(".a") => inputs.push(PathBuf::from(text)),
            None => {}
        }
    }
    inputs
}

/// The objects in a file: itself, or the members of an archive.
fn members(bytes: &[u8]) -> Vec<&[u8]> {
    let wasm = |object: &&[u8]| object.starts_with(b"\0asm");
    let Some(mut rest) = bytes.strip_prefix(b"!<arch>\n") else {
        return Some(bytes).into_iter().filter(wasm).collect();
    };
    let mut found = Vec::new();
    while rest.len() > 60 {
        let (header, after) = rest.split_at(60);
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|size| size.trim().parse::<usize>().ok());
        let Some(member) = size.and_then(|size| after.get(..size)) else { break };
        found.push(member);
        // Members begin at even places.
        rest = after.get(member.len() + member.len() % 2..).unwrap_or_default();
    }
    found.into_iter().filter(wasm).collect()
}

fn note(object: &[u8], path: &Path, blocks: &mut BTreeMap<String, Block>) -> Result<()> {
    for payload in Parser::new(0).parse_all(object) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Linking(linking) = section.as_known() else { continue };
        for part in linking.subsections() {
            let Linking::SymbolTable(symbols) = part? else { continue };
            for symbol in symbols {
                let SymbolInfo::Data { flags, name, symbol: Some(data) } = symbol? else { continue };
                if flags.contains(SymbolFlags::BINDING_LOCAL) || !name.ends_with(['_', '$']) {
                    continue;
                }
                let block = blocks.entry(name.to_owned()).or_default();
                if !flags.contains(SymbolFlags::BINDING_WEAK) {
                    block.initialised = Some((data.size, path.to_owned()));
                    continue;
                }
                block.smallest = if block.largest == 0 { data.size } else { block.smallest.min(data.size) };
                if data.size > block.largest {
                    block.largest = data.size;
                    block.file = path.to_owned();
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_looked_into() {
        let member = |name: &str, bytes: &[u8]| {
            let mut entry = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).into_bytes();
            entry.extend(bytes);
            entry.resize(entry.len() + bytes.len() % 2, b'\n');
            entry
        };
        let archive = [b"!<arch>\n".to_vec(), member("text", b"abc"), member("one.o", b"\0asm1")].concat();
        assert_eq!(members(&archive), [b"\0asm1"]);
        assert_eq!(members(b"\0asm22"), [b"\0asm22"]);
        assert!(members(b"ELF").is_empty());
    }
}
