//! Writes `abi/src/functions.rs`: what a host knows about every import that a guest may name.

use std::fmt::Write;

use anyhow::Result;

use crate::functions::{ASKED_FOR, Class, Function, Table};
use crate::parameters::{Area, Direction, Kind, Length, Parameter, Property};
use crate::proofs::Traffic;
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
    writeln!(out, "use crate::function::{{Chapter, Function, Keeps, Refusal, Times, ValueType, row}};")?;
    let names = ["anytime", "large", "waits"].into_iter().chain(ASKED_FOR).map(variant).collect::<Vec<_>>();
    writeln!(out, "use crate::function::Mark::{{{}}};", names.join(", "))?;
    writeln!(out, "use ValueType::{{F64, I32, I64}};\n")?;
    writeln!(out, "/// Every function, sorted by name; variants for large counts are functions of their own.")?;
    writeln!(out, "#[rustfmt::skip]\npub static FUNCTIONS: [Function; {}] = [", rows.len())?;
    for (name, large, function) in &rows {
        let parameters: Vec<String> =
            function.of_variant(*large).map(|p| wasm::parameter(p, *large).to_uppercase()).collect();
        let result = wasm::result(function).to_uppercase();
        let marks = marks(function, *large).join(", ");
        let chapter = variant(&function.chapter);
        let parameters = parameters.join(", ");
        let old = function.deprecated.as_ref().map_or(String::new(), |version| format!(".deprecated({version:?})"));
        let keeps = function.keeps.map_or(String::new(), |what| format!(".keeps(Keeps::{what})"));
        let refuses = function.refuses.as_ref().map_or(String::new(), |(by, why)| {
            format!(".refuses(Refusal {{ local: {}, mpi: {}, why: {why:?} }})", by.local, by.mpi)
        });
        let moves = moves(function, *large).map_or(String::new(), |words| format!(".moves({words})"));
        writeln!(
            out,
            "    row({name:?}, Chapter::{chapter}, &[{parameters}], {result}, &[{marks}]){old}{keeps}{refuses}{moves},"
        )?;
    }
    writeln!(out, "];\n")?;
    emit_chapters(&mut out, table)?;
    Ok(out)
}

fn marks(function: &Function, large: bool) -> Vec<String> {
    let marks = [("large", large), ("waits", function.marks.waits), ("anytime", function.marks.anytime)];
    let set = marks.into_iter().filter(|(_, set)| *set).map(|(mark, _)| mark);
    set.chain(function.marks.asked_for.iter().copied()).map(variant).collect()
}

/// Where a call says how much data it moves: the words of buffer, count, datatype and communicator, and how often it
/// moves so much. What a rank sends counts, else what it takes part in; a receive and a request that is only made move
/// nothing.
fn moves(function: &Function, large: bool) -> Option<String> {
    let traffic = function.proofs.traffic?;
    let parameters: Vec<&Parameter> = function.of_variant(large).collect();
    let word = |name: &str| parameters.iter().position(|p| p.name == name);
    if traffic == Traffic::Local || function.marks.persistent {
        return None;
    }
    let is_counted = |p: &&&Parameter| match &p.kind {
        Kind::Buffer(_, Some(datatype)) => {
            !p.root_only && function.parameter(datatype).is_some_and(|datatype| datatype.lengths.is_empty())
        }
        _ => false,
    };
    let is_sent = |p: &&&Parameter| is_counted(p) && p.direction != Direction::Out;
    let takes_part = matches!(traffic, Traffic::Collective | Traffic::Neighbors | Traffic::Access);
    let any = || parameters.iter().find(is_counted).filter(|_| takes_part);
    let buffer = parameters.iter().find(is_sent).or_else(any)?;
    let Kind::Buffer(area, Some(datatype)) = &buffer.kind else { return None };
    let neighbors = if traffic == Traffic::Neighbors { "BlockForDestinations" } else { "BlockForPeers" };
    let (count, times) = match area {
        Area::Blocks { counts, .. } => (counts, neighbors),
        Area::Elements(Length::Parameter(count)) => (count, "Once"),
        Area::Elements(Length::Of(Property::SumOfElements, counts)) => (counts, "BlockForPeers"),
        Area::Elements(Length::Product(count, times)) => match (&**count, &**times) {
            (Length::Parameter(count), Length::Of(Property::Destinations, _)) => (count, "Destinations"),
            (Length::Parameter(count), Length::Of(Property::Peers | Property::Members, _)) => (count, "Peers"),
            _ => return None,
        },
        Area::Elements(_) => return None,
    };
    // In place, a type that is another buffer's too counts all the same.
    let of_type = |p: &&&Parameter| matches!(&p.kind, Kind::Buffer(_, Some(other)) if other == datatype);
    let is_shared = parameters.iter().filter(of_type).count() > 1;
    let place = if is_shared || buffer.in_place.is_none() { None } else { word(&buffer.name) };
    let comm = parameters.iter().position(|p| p.is_passed_handle(&[Class::Comm])).unwrap_or(0);
    Some(format!("{place:?}, {}, {}, {comm}, Times::{times}", word(count)?, word(datatype)?))
}

fn emit_chapters(out: &mut String, table: &Table) -> Result<()> {
    writeln!(out, "impl Chapter {{")?;
    writeln!(out, "/// All chapters, in the order of the table.\npub const ALL: [Self; {}] = [", table.chapters.len())?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{},", variant(&chapter.key))?;
    }
    writeln!(out, "];\n")?;
    writeln!(out, "/// What it is about, in a few words.\npub const fn title(self) -> &'static str {{\nmatch self {{")?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{} => {:?},", variant(&chapter.key), chapter.title)?;
    }
    writeln!(out, "}}\n}}\n")?;
    writeln!(out, "/// Its short name in the table.\npub const fn key(self) -> &'static str {{\nmatch self {{")?;
    for chapter in &table.chapters {
        writeln!(out, "Self::{} => {:?},", variant(&chapter.key), chapter.key)?;
    }
    writeln!(out, "}}\n}}\n}}")?;
    Ok(())
}

/// `pt2pt` is `Pt2pt`, `at_once` is `AtOnce`.
fn variant(key: &str) -> String {
    key.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
