//! Findings in words, and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use super::call::{Program, in_words};
use super::findings::{Findings, MOST_OF_ALL};
use crate::profile::sites::NO_SITE;
use crate::trap;

/// What a check has found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    findings: Vec<Found>,
    /// What is no mistake, but good to know.
    notes: Vec<Found>,
}

/// A mistake.
#[derive(Debug, Serialize)]
struct Found {
    class: &'static str,
    title: &'static str,
    /// Of MPI-5.0.
    section: &'static str,
    note: String,
    times: u64,
    calls: Vec<Part>,
}

/// Calls from a place that have a part in it.
#[derive(Debug, Serialize)]
struct Part {
    role: &'static str,
    ranks: Vec<String>,
    /// The first of them.
    call: String,
    place: String,
}

/// Ranks of a place that are named.
const RANKS: usize = 8;

impl Report {
    /// What was found in programs, with the names of ranks.
    pub(super) fn new(findings: &Findings, programs: &[Program], name: impl Fn(u32) -> String) -> Report {
        let part = |caller: &super::findings::Caller| {
            let program = &programs[caller.made.program as usize];
            Part {
                role: caller.role,
                ranks: caller.ranks.iter().map(|rank| name(*rank)).collect(),
                call: in_words(program, &caller.made),
                place: place(program, caller.made.site),
            }
        };
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        let mut all: Vec<_> = findings.all.iter().collect();
        all.sort_by_key(|finding| finding.class);
        for finding in all {
            let list: &mut Vec<Found> = if finding.class.is_mistake() { &mut found } else { &mut notes };
            list.push(Found {
                class: finding.class.key(),
                title: finding.class.title(),
                section: finding.class.section(),
                note: finding.note.clone(),
                times: finding.times,
                calls: finding.calls.iter().map(part).collect(),
            });
        }
        Report { findings: found, notes }
    }

    pub(crate) fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// The report in lines.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        match self.findings.len() {
            0 => writeln!(out, "rankine: check: nothing found")?,
            1 => writeln!(out, "rankine: check: 1 finding")?,
            MOST_OF_ALL => writeln!(out, "rankine: check: {MOST_OF_ALL} findings, and perhaps more")?,
            many => writeln!(out, "rankine: check: {many} findings")?,
        }
        write_all(out, &self.findings)?;
        if !self.notes.is_empty() {
            writeln!(out, "rankine: check: no mistake, but another run may have another result:")?;
        }
        write_all(out, &self.notes)?;
        let calls = self.findings.iter().chain(&self.notes).flat_map(|found| &found.calls);
        trap::advice(calls.map(|part| part.place.as_str())).map_or(Ok(()), |advice| writeln!(out, "  {advice}"))
    }
}

fn write_all(out: &mut String, list: &[Found]) -> std::fmt::Result {
    for Found { title, section, note, times, calls, .. } in list {
        let times = if *times > 1 { format!(", {times} times") } else { String::new() };
        writeln!(out, "  {title} (MPI-5.0 section {section}){times}")?;
        for Part { role, ranks, call, place } in calls {
            writeln!(out, "    {role} {} at {place}:", in_short(ranks))?;
            writeln!(out, "      {call}")?;
        }
        if !note.is_empty() {
            writeln!(out, "    {note}")?;
        }
    }
    Ok(())
}

/// `rank 3`, `ranks 0, 1 and 6 more`
fn in_short(ranks: &[String]) -> String {
    let shown = ranks[..ranks.len().min(RANKS)].join(", ");
    match ranks.len().saturating_sub(RANKS) {
        0 if ranks.len() == 1 => format!("rank {shown}"),
        0 => format!("ranks {shown}"),
        more => format!("ranks {shown} and {more} more"),
    }
}

/// A place in a program, in words.
fn place(program: &Program, site: u32) -> String {
    let Some(site) = program.sites.places.get(site as usize).filter(|_| site != NO_SITE) else {
        return "a call through a pointer".into();
    };
    let found = program.symbols.places(&[site.offset]);
    found.first().map_or_else(String::new, |found| trap::place_in_words(site.function.as_deref(), site.offset, found))
}
