//! The locks of OpenMP's critical sections, one for a name in the whole program.
//!
//! Natively they are common symbols, which the linker makes one of. LLVM gives every object for wasm32 a lock of its own instead, so
//! that two files would enter the section at the same time. Copies of the objects are linked in which the locks are weak: of those
//! the linker takes the first. For wasm64 LLVM makes common symbols, which objects have none of: there the locks are just missing,
//! and one more object has them.

use super::common;
use crate::object_files;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use wasmparser::{KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo};

/// How the names of locks begin.
const LOCK: &str = ".gomp_critical_user_";

/// The bytes of a lock: the runtime knows it as eight words of 32 bits, and may keep an address there.
const BYTES: u32 = 32;

/// The low bits of a symbol's flags say its binding.
const BINDING: u8 = 0b11;

/// Whether there may be threads, and so locks.
pub(super) fn may_be_in(arguments: &[OsString]) -> bool {
    arguments.iter().any(|word| word == "--shared-memory")
}

/// Makes copies in `folder` of the files that have such locks, and puts their names on the command line; before them an object with
/// the locks that no file has.
pub(super) fn share(arguments: &mut Vec<OsString>, clang: &OsStr, folder: &Path) -> Result<()> {
    let mut missing = BTreeSet::new();
    let folders = object_files::folders(arguments);
    for (number, word) in arguments.iter_mut().enumerate() {
        let Some(path) = object_files::file(word, &folders) else { continue };
        let Ok(mut bytes) = fs::read(&path) else { continue };
        if !bytes.windows(LOCK.len()).any(|window| window == LOCK.as_bytes()) {
            continue;
        }
        let locks = Locks::of(&bytes).with_context(|| format!("{} is broken", path.display()))?;
        missing.extend(locks.missing);
        if !locks.flags.is_empty() {
            make_weak(&mut bytes, &locks.flags)?;
            // The name is what the linker shows in its messages.
            let copy = folder.join(number.to_string()).join(path.file_name().context("a file has a name")?);
            fs::create_dir_all(copy.parent().unwrap_or(folder))?;
            fs::write(&copy, bytes).with_context(|| format!("cannot write {}", copy.display()))?;
            *word = copy.into();
        }
    }
    // What is linked to be linked again gets them then.
    let is_program = !arguments.iter().any(|word| word == "-r" || word == "--relocatable");
    if is_program && !missing.is_empty() {
        let locks = missing.iter().map(|name| (name.as_str(), BYTES));
        arguments.insert(0, common::zeroes(locks, arguments, clang, &folder.join("locks"))?.into());
    }
    Ok(())
}

fn make_weak(bytes: &mut [u8], flags: &[usize]) -> Result<()> {
    let weak = u8::try_from(SymbolFlags::BINDING_WEAK.bits())?;
    for &place in flags {
        bytes[place] = bytes[place] & !BINDING | weak;
    }
    Ok(())
}

/// The locks of an object or an archive.
#[derive(Default)]
struct Locks {
    /// Where the flags of those are that an object keeps to itself.
    flags: Vec<usize>,
    /// Those that it only names.
    missing: Vec<String>,
}

impl Locks {
    fn of(bytes: &[u8]) -> Result<Locks> {
        let mut locks = Locks::default();
        for member in object_files::members(bytes) {
            locks.add(&bytes[member.clone()], member.start)?;
        }
        Ok(locks)
    }

    /// Adds those of an object that begins there.
    fn add(&mut self, object: &[u8], start: usize) -> Result<()> {
        for payload in Parser::new(0).parse_all(object) {
            let Payload::CustomSection(section) = payload? else { continue };
            let KnownCustom::Linking(linking) = section.as_known() else { continue };
            for part in linking.subsections() {
                let Linking::SymbolTable(symbols) = part? else { continue };
                for symbol in symbols.into_iter_with_offsets() {
                    let (offset, symbol) = symbol?;
                    match symbol {
                        SymbolInfo::Data { name, symbol: None, .. } if name.starts_with(LOCK) => {
                            self.missing.push(name.into());
                        }
                        SymbolInfo::Data { flags, name, .. }
                            if name.starts_with(LOCK) && flags.contains(SymbolFlags::BINDING_LOCAL) =>
                        {
                            // Behind the byte that says what kind of symbol it is.
                            self.flags.push(start + usize::try_from(offset)? + 1);
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }
}
