//! COMMON blocks whose sizes differ between the objects of a program.
//!
//! Each object defines the blocks that it uses as weak data, and the linker takes the first definition, whatever its
//! size. Fortran says that the largest counts (always for blank COMMON, and in practice for the others): where sizes
//! differ, an object with definitions of the largest size is added.

use crate::object_files;
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
    let folders = object_files::folders(arguments);
    for path in arguments.iter().filter_map(|word| object_files::file(word, &folders)) {
        let Ok(bytes) = fs::read(&path) else { continue };
        for object in object_files::members(&bytes) {
            note(&bytes[object], &path, &mut blocks).with_context(|| format!("{} is broken", path.display()))?;
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
