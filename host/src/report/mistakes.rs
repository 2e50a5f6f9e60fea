//! What a check of a program has found, in words and as JSON. It is an engine that checks (see `engine::Engine::found`).

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::trap;
use rankine_system::shown;

/// What a check has found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Mistake>,
    /// What is no mistake, but good to know.
    pub(crate) notes: Vec<Mistake>,
}

/// A mistake, as often as it was made by calls from the same places.
#[derive(Debug, Serialize)]
pub(crate) struct Mistake {
    pub(crate) class: &'static str,
    pub(crate) title: &'static str,
    /// Of MPI-5.0.
    pub(crate) section: &'static str,
    pub(crate) note: String,
    pub(crate) times: u64,
    pub(crate) calls: Vec<Part>,
}

/// Calls from a place that have a part in it.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) role: &'static str,
    pub(crate) ranks: Vec<String>,
    /// The first of them.
    pub(crate) call: String,
    pub(crate) place: String,
}

/// Mistakes that are told apart: more are no help to anybody.
pub(crate) const MOST: usize = 500;

/// Ranks of a place that are named.
const RANKS: usize = 8;

impl Report {
    pub(crate) fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// The report in lines. `ended` is what has ended the job too early, such as `the deadlock`.
    pub(crate) fn text(&self, ended: Option<&str>) -> String {
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = self.write(&mut text, ended);
        text
    }

    fn write(&self, out: &mut String, ended: Option<&str>) -> std::fmt::Result {
        match (self.findings.len(), ended) {
            (0, Some(what)) => writeln!(
                out,
                "rankine: check: nothing found beside {what} above; what would have come after it was not checked"
            )?,
            (0, None) => writeln!(out, "rankine: check: nothing found")?,
            (1, _) => writeln!(out, "rankine: check: 1 finding")?,
            (MOST, _) => writeln!(out, "rankine: check: {MOST} findings, and perhaps more")?,
            (many, _) => writeln!(out, "rankine: check: {many} findings")?,
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

fn write_all(out: &mut String, list: &[Mistake]) -> std::fmt::Result {
    for Mistake { title, section, note, times, calls, .. } in list {
        let times = if *times > 1 { format!(", {times} times") } else { String::new() };
        writeln!(out, "  {title} (MPI-5.0 section {section}){times}")?;
        for Part { role, ranks, call, place } in calls {
            writeln!(out, "    {role} {} at {}:", in_short(ranks), shown::line(place))?;
            writeln!(out, "      {}", shown::line(call))?;
        }
        if !note.is_empty() {
            writeln!(out, "    {}", shown::line(note))?;
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
