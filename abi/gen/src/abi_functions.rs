//! Writes `abi/src/functions.rs`: what a host knows about every import that a guest may name.

use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Function, Table};
use crate::wasm;

/// The text of the file.
pub fn emit(table: &Table) -> Result<String> {
    let mut rows: Vec<(String, bool, &Function)> = Vec::new();
    for function in &table.functions {
        rows.extend(function.variants().map(|(name, large)| (name, large, function)));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));

    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The functions of the MPI-5.0 standard ABI.")?;
    writeln!(out, "use crate::function::{{Chapter, Function, ValueType, row}};")?;
    writeln!(out, "use crate::function::Mark::{{Anytime, Large, Waits}};")?;
    writeln!(out, "use ValueType::{{F64, I32, I64}};\n")?;
    writeln!(out, "/// Every function, sorted by name; variants for large counts are functions of their own.")?;
    writeln!(out, "#[rustfmt::skip]\npub static FUNCTIONS: [Function; {}] = [", rows.len())?;
    for (name, large, function) in &rows {
        let parameters: Vec<String> =
            function.of_variant(*large).map(|p| wasm::parameter(p, *large).to_uppercase()).collect();
        let result = wasm::result(function).to_uppercase();
        let marks = marks(function, *large).join(", ");
        let chapter = chapter_variant(&function.chapter);
        let parameters = parameters.join(", ");
        let old = function.deprecated.as_ref().map_or(String::new(), |version| format!(".deprecated({version:?})"));
        writeln!(out, "    row({name:?}, Chapter::{chapter}, &[{parameters}], {result}, &[{marks}]){old},")?;
    }
    writeln!(out, "];\n")?;
    emit_chapters(&mut out, table)?;
    Ok(out)
}

fn marks(function: &Function, large: bool) -> Vec<&'static str> {
    let marks = [("Large", large), ("Waits", function.marks.waits), ("Anytime", function.marks.anytime)];
    marks.into_iter().filter(|(_, set)| *set).map(|(mark, _)| mark).collect()
}

fn emit_chapters(out: &mut String, table: &Table) -> Result<()> {
    writeln!(out, "impl Chapter {{")?;
    writeln!(out, "/// All chapters, in the order of the table.\npub const ALL: [Self; {}] = [", table.chapters.len())?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{},", chapter_variant(&chapter.key))?;
    }
    writeln!(out, "];\n")?;
    writeln!(out, "/// What it is about, in a few words.\npub const fn title(self) -> &'static str {{\nmatch self {{")?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{} => {:?},", chapter_variant(&chapter.key), chapter.title)?;
    }
    writeln!(out, "}}\n}}\n")?;
    writeln!(out, "/// Its short name in the table.\npub const fn key(self) -> &'static str {{\nmatch self {{")?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{} => {:?},", chapter_variant(&chapter.key), chapter.key)?;
    }
    writeln!(out, "}}\n}}\n}}")?;
    Ok(())
}

/// `pt2pt` is `Pt2pt`.
fn chapter_variant(key: &str) -> String {
    key[..1].to_uppercase() + &key[1..]
}
