//! What a check of a program has found, in words and as JSON. It is an engine that checks (see `engine::Engine::found`).

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::report::trap;
use rankine_system::shown;

/// What a check has found.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Mistake>,
    /// What is no mistake, but good to know.
    pub(crate) notes: Vec<Mistake>,
}

/// A mistake, as often as it was made by calls from the same places.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Mistake {
    pub(crate) class: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    /// Of MPI-5.0.
    pub(crate) section: Cow<'static, str>,
    pub(crate) note: String,
    pub(crate) times: u64,
    pub(crate) calls: Vec<Part>,
}

/// Calls from a place that have a part in it.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Part {
    pub(crate) role: Cow<'static, str>,
    pub(crate) ranks: Vec<String>,
    /// The first of them.
    pub(crate) call: String,
    pub(crate) place: String,
}

/// Mistakes that are told apart: more are no help to anybody.
pub(crate) const MOST: usize = 500;

/// Ranks of a place that are named.
const RANKS: usize = 8;

impl Part {
    /// Whether calls of the same function from the same place have the same part.
    fn is_same(&self, other: &Part) -> bool {
        let function = |part: &Part| part.call.split('(').next().map(str::to_owned);
        (&self.role, &self.place, function(self)) == (&other.role, &other.place, function(other))
    }
}

impl Mistake {
    /// Whether it is the same mistake, of perhaps other ranks.
    pub(crate) fn is_same(&self, other: &Mistake) -> bool {
        let are_same = || self.calls.iter().zip(&other.calls).all(|(part, other)| part.is_same(other));
        self.class == other.class && self.calls.len() == other.calls.len() && are_same()
    }

    /// Adds what other ranks have made of it.
    pub(crate) fn add(&mut self, other: Mistake) {
        self.times = self.times.saturating_add(other.times);
        for (part, more) in self.calls.iter_mut().zip(other.calls) {
            part.ranks.extend(more.ranks);
            part.ranks.sort_by_cached_key(|rank| order_of(rank));
            part.ranks.dedup();
        }
    }
}

/// Ranks are in the order of their numbers, `3` before `1:0` and `10`.
fn order_of(label: &str) -> (Option<u32>, Option<usize>) {
    let (world, rank) = label.split_once(':').unwrap_or(("0", label));
    (world.parse().ok(), rank.parse().ok())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(ranks: &[&str], call: &str, place: &str) -> Mistake {
        let ranks = ranks.iter().map(|rank| (*rank).to_owned()).collect();
        let part = Part { role: "made by".into(), ranks, call: call.into(), place: place.into() };
        let [class, title, section] = ["leak", "something is left", "11.2.2"].map(Cow::Borrowed);
        Mistake { class, title, section, note: String::new(), times: 2, calls: vec![part] }
    }

    #[test]
    fn one_mistake_of_several_nodes_is_one() {
        let mut known = mistake(&["2", "10"], "MPI_Comm_dup(newcomm=0x10)", "main (a.c:3)");
        let same = mistake(&["1:0", "3"], "MPI_Comm_dup(newcomm=0x20)", "main (a.c:3)");
        assert!(known.is_same(&same));
        known.add(same);
        assert_eq!((known.times, &known.calls[0].ranks[..]), (4, &["2", "3", "10", "1:0"].map(String::from)[..]));
        assert!(!known.is_same(&mistake(&["2"], "MPI_Comm_dup(newcomm=0x10)", "main (a.c:4)")));
        assert!(!known.is_same(&mistake(&["2"], "MPI_Comm_split(newcomm=0x10)", "main (a.c:3)")));
    }
}
