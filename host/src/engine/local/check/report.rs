//! Findings with the names of ranks, the calls in words, and their places in the source.

use std::collections::HashMap;

use super::checked_call::{Program, in_words};
use super::findings::{Class, Findings};
use crate::report::mistakes::{MOST, Mistake, Part, Report};
use crate::report::trap;
use rankine_rewrite::sites::NO_SITE;

/// What was found in programs, with the names of ranks.
pub(super) fn report(findings: &Findings, programs: &HashMap<u64, Program>, name: impl Fn(u32) -> String) -> Report {
    let part = |caller: &super::findings::Caller| {
        let program = programs.get(&caller.made.program);
        Part {
            role: caller.role.into(),
            ranks: caller.ranks.iter().map(|rank| name(*rank)).collect(),
            call: in_words(&caller.made),
            place: program.map_or_else(|| ELSEWHERE.into(), |program| place(program, caller.made.site)),
        }
    };
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    let mut all: Vec<_> = findings.all.iter().collect();
    all.sort_by_key(|finding| finding.class);
    for finding in all {
        let list: &mut Vec<Mistake> = if finding.class.is_mistake() { &mut found } else { &mut notes };
        list.push(Mistake {
            class: finding.class.key().into(),
            title: finding.class.title().into(),
            section: finding.class.section().into(),
            note: finding.note.clone(),
            times: finding.times,
            calls: finding.calls.iter().map(part).collect(),
        });
    }
    Report { findings: found, notes }
}

/// What several nodes have found: each mistake once, with the ranks of all.
#[cfg_attr(not(unix), expect(dead_code, reason = "no job there has several nodes"))]
pub(in crate::engine) fn merged(reports: impl IntoIterator<Item = Report>) -> Report {
    let mut all = Report { findings: Vec::new(), notes: Vec::new() };
    for Report { findings, notes } in reports {
        add(&mut all.findings, findings);
        add(&mut all.notes, notes);
    }
    all
}

fn add(all: &mut Vec<Mistake>, more: Vec<Mistake>) {
    for mistake in more {
        let has_room = all.len() < MOST;
        match all.iter_mut().find(|known| known.is_same(&mistake)) {
            Some(known) => known.add(mistake),
            None if has_room => all.push(mistake),
            None => {}
        }
    }
    let order = |mistake: &Mistake| Class::ALL.iter().position(|class| class.key() == mistake.class);
    all.sort_by_key(order);
}

/// The place of a call in a program that no rank of this node runs.
const ELSEWHERE: &str = "a program of another node";

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
