//! Writes `abi/src/handles.rs`: a newtype per handle class with its predefined values.

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::constants::{Constants, HandleClass};

/// The text of the file.
pub fn emit(constants: &Constants) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The handles of the MPI-5.0 standard ABI.")?;
    writeln!(out, "//!")?;
    writeln!(out, "//! Predefined handles are numbers below 1024; those that a guest makes are chosen by the engine.")?;
    writeln!(out, "use crate::element::{{Element, Kind, Language}};")?;
    for class in &constants.handles {
        emit_class(&mut out, class)?;
    }
    Ok(out)
}

fn emit_class(out: &mut String, class: &HandleClass) -> Result<()> {
    let rust = &class.rust;
    writeln!(out, "\n/// {}", class.about)?;
    writeln!(out, "#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]\n#[repr(transparent)]")?;
    writeln!(out, "pub struct {rust}(pub u32);")?;
    writeln!(out, "\nimpl {rust} {{")?;
    for handle in &class.values {
        writeln!(out, "/// `{}`", handle.name)?;
        writeln!(out, "pub const {}: Self = Self({:#x});", class.associated(&handle.name), handle.value)?;
    }
    for (alias, name) in &class.aliases {
        writeln!(out, "/// `{alias}`, the same as `{name}`.")?;
        writeln!(out, "pub const {}: Self = Self::{};", class.associated(alias), class.associated(name))?;
    }
    if rust == "Datatype" {
        writeln!(out, "\n/// All predefined datatypes, `MPI_DATATYPE_NULL` apart.")?;
        let elements = class.values.iter().filter(|h| h.element.is_some());
        writeln!(out, "pub const PREDEFINED: &[Self] = &[")?;
        for handle in elements {
            writeln!(out, "Self::{},", class.associated(&handle.name))?;
        }
        writeln!(out, "];")?;
    }
    writeln!(out, "\n/// The standard name of a predefined handle.")?;
    let known = if rust == "Datatype" { "self.shown()" } else { "self" };
    writeln!(out, "pub const fn name(self) -> Option<&'static str> {{\nSome(match {known} {{")?;
    for handle in &class.values {
        writeln!(out, "Self::{} => \"{}\",", class.associated(&handle.name), handle.name)?;
    }
    writeln!(out, "_ => return None,\n}})\n}}")?;
    if rust == "Datatype" {
        emit_elements(out, class)?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

fn emit_elements(out: &mut String, class: &HandleClass) -> Result<()> {
    writeln!(out, "\n/// What an element of a predefined datatype is in a guest whose addresses have 32 bits.")?;
    writeln!(out, "pub(crate) const fn listed(self) -> Option<Element> {{\nSome(match self {{")?;
    for handle in &class.values {
        let Some((element, language)) = &handle.element else {
            continue;
        };
        let language = match language.as_str() {
            "c" => "Language::C",
            "cxx" => "Language::Cxx",
            "fortran" => "Language::Fortran",
            "any" => "Language::Any",
            other => anyhow::bail!("{}: no language is called {other}", handle.name),
        };
        let name = class.associated(&handle.name);
        match element.split_once('+') {
            None => {
                let (kind, size) = kind_and_size(element)?;
                writeln!(out, "Self::{name} => Element::scalar({kind}, {size}, {language}),")?;
            }
            Some((first, second)) => {
                let (kind, size) = kind_and_size(first)?;
                let (index_kind, index_size) = kind_and_size(second)?;
                writeln!(
                    out,
                    "Self::{name} => Element::pair(({kind}, {size}), ({index_kind}, {index_size}), {language}),"
                )?;
            }
        }
    }
    writeln!(out, "_ => return None,\n}})\n}}")?;
    Ok(())
}

/// `float8` is (`Kind::Float`, 8).
fn kind_and_size(element: &str) -> Result<(&'static str, u32)> {
    let digits = element.find(|c: char| c.is_ascii_digit()).with_context(|| format!("{element} has no size"))?;
    let kind = match &element[..digits] {
        "int" => "Kind::Int",
        "uint" => "Kind::Uint",
        "float" => "Kind::Float",
        "complex" => "Kind::Complex",
        "logical" => "Kind::Logical",
        "char" => "Kind::Char",
        "byte" => "Kind::Byte",
        other => anyhow::bail!("no kind of element is called {other}"),
    };
    Ok((kind, element[digits..].parse()?))
}
