//! The locks of OpenMP's critical sections, one for a name in the whole program.
//!
//! Natively they are common symbols, which the linker makes one of. LLVM gives every object for WebAssembly a lock of its
//! own instead, so that two files would enter the section at the same time. Copies of the objects are linked in which the
//! locks are weak: of those the linker takes the first.

use crate::object_files;
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use wasmparser::{KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// How the names of locks begin.
const LOCK: &str = ".gomp_critical_user_";

/// The low bits of a symbol's flags say its binding.
const BINDING: u8 = 0b11;

/// Whether there may be threads, and so locks.
pub(super) fn may_be_in(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| word == "--shared-memory")
}

/// Makes copies in `folder` of the files that have such locks, and puts their names on the command line.
pub(super) fn share(arguments: &mut [OsString], folder: &Path) -> Result<()> {
    let folders = object_files::folders(arguments);
    for (number, word) in arguments.iter_mut().enumerate() {
        let Some(path) = object_files::file(word, &folders) else { continue };
        let Ok(mut bytes) = fs::read(&path) else { continue };
        if !bytes.windows(LOCK.len()).any(|window| window == LOCK.as_bytes()) {
            continue;
        }
        if make_weak(&mut bytes).with_context(|| format!("{} is broken", path.display()))? {
            // The name is what the linker shows in its messages.
            let copy = folder.join(number.to_string()).join(path.file_name().context("a file has a name")?);
            fs::create_dir_all(copy.parent().unwrap_or(folder))?;
            fs::write(&copy, bytes).with_context(|| format!("cannot write {}", copy.display()))?;
            *word = copy.into();
        }
    }
    Ok(())
}

/// Makes the locks in an object or an archive weak; says whether there were any.
fn make_weak(bytes: &mut [u8]) -> Result<bool> {
    let mut places = Vec::new();
    for member in object_files::members(bytes) {
        let start = member.start;
        places.extend(flags_of_locks(&bytes[member])?.into_iter().map(|place| start + place));
    }
    for place in &places {
        let weak = u8::try_from(SymbolFlags::BINDING_WEAK.bits())?;
        bytes[*place] = bytes[*place] & !BINDING | weak;
    }
    Ok(!places.is_empty())
}

/// Where the flags of the locks are that an object keeps to itself.
fn flags_of_locks(object: &[u8]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for payload in Parser::new(0).parse_all(object) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Linking(linking) = section.as_known() else { continue };
        for part in linking.subsections() {
            let Linking::SymbolTable(symbols) = part? else { continue };
            for symbol in symbols.into_iter_with_offsets() {
                let (offset, symbol) = symbol?;
                if let SymbolInfo::Data { flags, name, symbol: Some(_) } = symbol
                    && name.starts_with(LOCK)
                    && flags.contains(SymbolFlags::BINDING_LOCAL)
                {
                    // Behind the byte that says what kind of symbol it is.
                    places.push(usize::try_from(offset)? + 1);
                }
            }
        }
    }
    Ok(places)
}
