//! Functions that files define with other types than the one that was linked.
//!
//! Where an archive brings a function of one type, and a call of another type is made to fit it although a later file has
//! the very function that is called, natively one of two wrong programs would come of it, without a word. Here it is an
//! error, but where all that differs is a result that is left: who asks for the names of Fortran's procedures in C, as CMake
//! does, defines them in both.

use super::agreement::{Mismatch, Signature};
use super::module::signature;
use crate::object_files;
use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use wasmparser::{
    CompositeInnerType, FuncType, KnownCustom, Linking, Parser, Payload, SymbolFlags, SymbolInfo, TypeRef,
};

/// The mismatches whose caller finds its own type in another file, and that file.
pub(super) fn find<'m>(arguments: &[OsString], mismatches: &[&'m Mismatch]) -> Result<Vec<(&'m Mismatch, PathBuf)>> {
    let folders = object_files::folders(arguments);
    let mismatches: Vec<&Mismatch> =
        mismatches.iter().filter(|mismatch| !mismatch.leaves_a_result()).copied().collect();
    let mut found: Vec<(&Mismatch, PathBuf)> = Vec::new();
    for word in arguments {
        let Some(path) = object_files::file(word, &folders) else { continue };
        let Ok(bytes) = fs::read(&path) else { continue };
        // Most files know nothing of these names.
        let is_named = |mismatch: &&&Mismatch| {
            let name = mismatch.function.as_bytes();
            bytes.windows(name.len()).any(|window| window == name)
        };
        let named: Vec<&Mismatch> = mismatches.iter().filter(is_named).copied().collect();
        if named.is_empty() {
            continue;
        }
        for member in object_files::members(&bytes) {
            let defined = definitions(&bytes[member]).with_context(|| format!("{} is broken", path.display()))?;
            for (name, kind) in defined {
                let is_wanted = |mismatch: &&&Mismatch| mismatch.function == name && mismatch.called_as().0 == kind;
                found.extend(named.iter().filter(is_wanted).map(|mismatch| (*mismatch, path.clone())));
            }
        }
    }
    Ok(found)
}

/// The functions that an object defines for others, and their types.
fn definitions(object: &[u8]) -> Result<Vec<(String, Signature)>> {
    let (mut types, mut functions, mut names): (Vec<FuncType>, Vec<u32>, Vec<(u32, &str)>) = Default::default();
    for payload in Parser::new(0).parse_all(object) {
        match payload? {
            Payload::TypeSection(groups) => {
                for kind in groups {
                    types.extend(kind?.into_types().filter_map(|kind| match kind.composite_type.inner {
                        CompositeInnerType::Func(kind) => Some(kind),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if let TypeRef::Func(kind) = import?.ty {
                        functions.push(kind);
                    }
                }
            }
            Payload::FunctionSection(kinds) => functions.extend(kinds.into_iter().collect::<Result<Vec<_>, _>>()?),
            Payload::CustomSection(section) => {
                let KnownCustom::Linking(linking) = section.as_known() else { continue };
                for part in linking.subsections() {
                    let Linking::SymbolTable(symbols) = part? else { continue };
                    for symbol in symbols {
                        if let SymbolInfo::Func { flags, index, name: Some(name) } = symbol?
                            && !flags.intersects(SymbolFlags::UNDEFINED | SymbolFlags::BINDING_LOCAL)
                        {
                            names.push((index, name));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let kind = |index: u32| types.get(*functions.get(index as usize)? as usize);
    Ok(names.into_iter().filter_map(|(index, name)| Some((name.to_owned(), signature(kind(index)?)))).collect())
}
