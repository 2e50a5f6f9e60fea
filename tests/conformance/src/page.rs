//! Writes docs/conformance.md: how many tests of each chapter pass in each way, and every exception with its reason.

use super::list::{CHAPTERS, Entry};
use super::notes::Notes;
use super::results::Results;
use super::run::{Outcome, Way};
use super::suite::Suite;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The numbers of one chapter, or of all.
#[derive(Default)]
struct Count {
    pass: usize,
    fail: usize,
    not_applicable: usize,
    /// Of those that pass natively: how many are applicable here, and how many pass.
    native: usize,
    also: usize,
}

/// The page.
pub fn page(entries: &[Entry], results: &Results, notes: &Notes) -> String {
    let ways: Vec<Way> = Way::ALL.into_iter().filter(|&way| is_run(entries, results, way)).collect();
    let mut text = format!(
        "# Conformance\n\n\
         <!-- Written by `just conformance`; not to be edited. -->\n\n\
         MPICH's own tests of MPI ({}, C only), compiled by `rankine cc` and run as guests; *native* is the same source \
         compiled by `mpicc_abi` over the MPI library that the `mpi` engine uses. A test passes by the rule of the suite's \
         `runtests`: status 0, and nothing but `No Errors` on the standard output. Tests of a folder `errors/…` count for \
         their chapter. *of native* is the share of the tests that pass natively and apply to the engine. Tests that have \
         not been run in a way yet are in none of its columns.\n\n\
         On `nodes` a test is two processes with half of the ranks each, on one machine; where the ranks can't be halved there are as \
         many processes as their smallest divisor says, and a single one of a single rank. `m64` is `local` with programs that \
         were compiled with `-m64`.\n\n\
         Of each test that fails the page says whose the difference is: the test's, which takes for granted what the \
         standard does not say; ours; or the library's.\n\n\
         `just conformance` fetches the suite and makes this page; `cargo run --release -p rankine-conformance -- --local coll/allred` runs single tests.\n\n",
        Suite::name()
    );
    table(&mut text, entries, results, &ways);
    for &way in &ways {
        times(&mut text, entries, results, way);
    }
    for &way in &ways {
        failures(&mut text, entries, results, notes, way);
    }
    for &way in &ways {
        exceptions(&mut text, entries, results, way);
    }
    text
}

fn is_run(entries: &[Entry], results: &Results, way: Way) -> bool {
    entries.iter().any(|entry| results.get(entry, way).is_some())
}

fn table(text: &mut String, entries: &[Entry], results: &Results, ways: &[Way]) {
    let mut head = "| chapter | tests |".to_string();
    let mut rule = "|---|--:|".to_string();
    for way in ways {
        let name = way.name();
        let _ = write!(head, " {name}: pass, fail, n/a |");
        rule += "--:|";
        if *way != Way::Native {
            head += " of native |";
            rule += "--:|";
        }
    }
    let _ = writeln!(text, "{head}\n{rule}");
    for chapter in CHAPTERS {
        let of_chapter: Vec<&Entry> = entries.iter().filter(|entry| entry.chapter() == chapter).collect();
        row(text, chapter, &of_chapter, results, ways);
    }
    row(text, "**all**", &entries.iter().collect::<Vec<_>>(), results, ways);
}

fn row(text: &mut String, name: &str, entries: &[&Entry], results: &Results, ways: &[Way]) {
    let _ = write!(text, "| {name} | {} |", entries.len());
    for &way in ways {
        let count = count(entries, results, way);
        let _ = write!(text, " {}, {}, {} |", count.pass, count.fail, count.not_applicable);
        if way != Way::Native {
            let share = (count.native > 0).then(|| format!("{:.1}%", 100.0 * count.also as f64 / count.native as f64));
            let _ = write!(text, " {} |", share.unwrap_or("–".into()));
        }
    }
    text.push('\n');
}

/// How long those took that pass natively and in this way, in both.
fn times(text: &mut String, entries: &[Entry], results: &Results, way: Way) {
    if way == Way::Native {
        return;
    }
    let pass = |entry: &&Entry, way| results.get(entry, way) == Some(Outcome::Pass);
    let both = entries.iter().filter(|entry| pass(entry, way) && pass(entry, Way::Native));
    let times = both.filter_map(|entry| Some((results.took(entry, Way::Native)?, results.took(entry, way)?)));
    let (tests, native, here) = times.fold((0, 0.0, 0.0), |(tests, native, here), (one, other)| {
        (tests + 1, native + one.as_secs_f64(), here + other.as_secs_f64())
    });
    if tests > 0 {
        let name = way.name();
        let _ = writeln!(
            text,
            "\nThe {tests} tests that pass natively and on `{name}` took {native:.0} s natively, {here:.0} s on `{name}`."
        );
    }
}

fn count(entries: &[&Entry], results: &Results, way: Way) -> Count {
    let mut count = Count::default();
    for entry in entries {
        let Some(outcome) = results.get(entry, way) else { continue };
        let native = results.get(entry, Way::Native) == Some(Outcome::Pass);
        match outcome {
            Outcome::Pass => count.pass += 1,
            Outcome::Fail(..) => count.fail += 1,
            Outcome::NotApplicable(_) => count.not_applicable += 1,
        }
        if native && !matches!(outcome, Outcome::NotApplicable(_)) {
            count.native += 1;
            count.also += usize::from(outcome == Outcome::Pass);
        }
    }
    count
}

fn failures(text: &mut String, entries: &[Entry], results: &Results, notes: &Notes, way: Way) {
    let _ = write!(text, "\n## Failures: {}\n\n", way.name());
    let mut lines = String::new();
    for entry in entries {
        if let Some(Outcome::Fail(seen, _)) = results.get(entry, way) {
            let reason = notes.fails(entry, way).map_or_else(|| format!("`{}`", plain(&seen)), str::to_string);
            let native = match results.get(entry, Way::Native) {
                Some(Outcome::Fail(..)) if way != Way::Native => " (natively too)",
                _ => "",
            };
            // Natively nothing of ours is there.
            let unnamed = if way == Way::Native { "the library" } else { "not known" };
            let whose = notes.whose(entry, way).unwrap_or(unnamed);
            let _ = writeln!(lines, "| `{}`{native} | {whose} | {reason} |", entry.name());
        }
    }
    let head = "| test | whose the difference is | what it is |\n|---|---|---|\n";
    *text += &if lines.is_empty() { "None.\n".to_owned() } else { head.to_owned() + &lines };
}

fn exceptions(text: &mut String, entries: &[Entry], results: &Results, way: Way) {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        if let Some(Outcome::NotApplicable(reason)) = results.get(entry, way) {
            by_reason.entry(reason).or_default().push(format!("{}/{}", entry.folder, entry.program));
        }
    }
    let _ = write!(text, "\n## Not applicable: {}\n\n", way.name());
    if by_reason.is_empty() {
        *text += "None.\n";
    }
    for (reason, mut names) in by_reason {
        let tests = names.len();
        names.dedup();
        let _ = writeln!(text, "- {} ({tests}): {}", plain(&reason), names.join(", "));
    }
}

/// One line without what a page would take for a mark, nor a path of this machine.
fn plain(text: &str) -> String {
    let line: String = text.chars().filter(|&c| c != '`' && c != '|').take(160).collect();
    let word = |word: &str| match word.rsplit_once('/') {
        Some((folder, name)) if folder.starts_with('/') => name.to_string(),
        _ => word.to_string(),
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
