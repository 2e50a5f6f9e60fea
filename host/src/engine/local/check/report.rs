//! Findings with the names of ranks, the calls in words, and their places in the source.

use super::checked_call::{Program, in_words};
use super::findings::Findings;
use crate::report::mistakes::{Mistake, Part, Report};
use crate::report::trap;
use rankine_rewrite::sites::NO_SITE;

/// What was found in programs, with the names of ranks.
pub(super) fn report(findings: &Findings, programs: &[Program], name: impl Fn(u32) -> String) -> Report {
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
        let list: &mut Vec<Mistake> = if finding.class.is_mistake() { &mut found } else { &mut notes };
        list.push(Mistake {
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

/// A place in a program, in words.
fn place(program: &Program, site: u32) -> String {
    if let Some(line) = program.symbols.line(site) {
        return line;
    }
    let Some(site) = program.sites.places.get(site as usize).filter(|_| site != NO_SITE) else {
        return "a call through a pointer".into();
    };
    let found = program.symbols.places(&[site.offset]);
    found.first().map_or_else(String::new, |found| trap::place_in_words(site.function.as_deref(), site.offset, found))
}
