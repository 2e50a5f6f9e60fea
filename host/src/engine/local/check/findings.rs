//! What was found: each mistake once for the places in the source that make it.

use std::collections::{BTreeSet, HashMap};

use super::checked_call::Made;
use crate::report::mistakes::MOST;

/// A kind of mistake.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Class {
    Types,
    Changed,
    Written,
    Overlap,
    Calls,
    Roots,
    Operations,
    Counts,
    Missing,
    Unreceived,
    Finalize,
    Leak,
    Race,
}

impl Class {
    /// In the order of a report.
    pub(super) const ALL: [Class; 13] = [
        Class::Types,
        Class::Changed,
        Class::Written,
        Class::Overlap,
        Class::Calls,
        Class::Roots,
        Class::Operations,
        Class::Counts,
        Class::Missing,
        Class::Unreceived,
        Class::Finalize,
        Class::Leak,
        Class::Race,
    ];

    /// Whether it is a mistake, and not merely what somebody should know who expects the same result each time.
    pub(super) fn is_mistake(self) -> bool {
        self != Class::Race
    }

    /// What is wrong, in a sentence without a full stop.
    pub(super) fn title(self) -> &'static str {
        match self {
            Class::Types => "a message is received as another type than it was sent as",
            Class::Changed => "the buffer of a send is changed before the send is complete",
            Class::Written => "the buffer of a receive is written to before the receive is complete",
            Class::Overlap => "a buffer overlaps that of an operation under way, and one of them is received into",
            Class::Calls => "ranks of a communicator call different collectives",
            Class::Roots => "ranks name different roots of a collective",
            Class::Operations => "ranks name different operations of a collective",
            Class::Counts => "ranks name different amounts or types of data in a collective",
            Class::Missing => "a collective is not called by all ranks of its communicator",
            Class::Unreceived => "a message is never received",
            Class::Finalize => "MPI_Finalize is missing",
            Class::Race => "a receive from any source could have got another message",
            Class::Leak => "something is made and never freed, or started and never completed",
        }
    }

    /// A word for programs that read the report.
    pub(super) fn key(self) -> &'static str {
        match self {
            Class::Types => "types",
            Class::Changed => "changed",
            Class::Written => "written",
            Class::Overlap => "overlap",
            Class::Calls => "collectives",
            Class::Roots => "roots",
            Class::Operations => "operations",
            Class::Counts => "counts",
            Class::Missing => "missing-collective",
            Class::Unreceived => "unreceived",
            Class::Finalize => "finalize",
            Class::Leak => "leak",
            Class::Race => "race",
        }
    }

    /// Where the standard says that it is wrong.
    pub(super) fn section(self) -> &'static str {
        match self {
            Class::Types => "3.3.1",
            Class::Race => "3.5",
            Class::Changed | Class::Written | Class::Overlap => "3.7.2",
            Class::Calls | Class::Missing => "6.14",
            Class::Roots | Class::Counts => "6.1",
            Class::Operations => "6.9.1",
            Class::Unreceived | Class::Finalize | Class::Leak => "11.2.2",
        }
    }
}

/// A mistake, as often as it was made by calls from the same places.
pub(super) struct Finding {
    pub(super) class: Class,
    /// What is special about it, the first time.
    pub(super) note: String,
    pub(super) times: u64,
    pub(super) calls: Vec<Caller>,
}

/// The calls from one place that have a part in a mistake.
pub(super) struct Caller {
    /// Which part: `sent by`.
    pub(super) role: &'static str,
    /// The first of them.
    pub(super) made: Made,
    pub(super) ranks: BTreeSet<u32>,
}

/// The class of a mistake, and the places it is made at.
type Key = (Class, Vec<Role>);

/// All that was found.
#[derive(Default)]
pub(super) struct Findings {
    known: HashMap<Key, usize>,
    pub(super) all: Vec<Finding>,
}

impl Findings {
    /// A mistake in which these calls have a part.
    pub(super) fn add(&mut self, class: Class, calls: &[(&'static str, Made)], note: String) {
        self.add_differing(class, &[calls.to_vec()], note);
    }

    /// A mistake that is a difference between these groups of calls, which may come from one place: each group has its own
    /// words.
    pub(super) fn add_differing(&mut self, class: Class, groups: &[Vec<(&'static str, Made)>], note: String) {
        let mut places = Vec::new();
        for (role, made) in groups.iter().flatten() {
            let place = place(role, made);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let key = (class, places);
        let at = match self.known.get(&key) {
            Some(&at) => at,
            None if self.all.len() == MOST => return,
            None => {
                let calls = groups.iter().flat_map(|group| callers(group)).collect();
                self.all.push(Finding { class, note, times: 0, calls });
                self.known.insert(key, self.all.len() - 1);
                self.all.len() - 1
            }
        };
        let finding = &mut self.all[at];
        finding.times += 1;
        for (role, made) in groups.iter().flatten() {
            let mut here =
                finding.calls.iter_mut().filter(|caller| place(caller.role, &caller.made) == place(role, made));
            // Another time a rank may be on another side: it is named on the first.
            let first = here.next();
            if !here.any(|caller| caller.ranks.contains(&made.rank)) {
                first.into_iter().for_each(|caller| _ = caller.ranks.insert(made.rank));
            }
        }
    }
}

/// Which part in a mistake has a call from which place: what it is, of what program, of which function, where.
type Role = (&'static str, u64, &'static str, u32);

/// Where a call was made from.
fn place(role: &'static str, made: &Made) -> Role {
    (role, made.program, made.function.name, made.site)
}

/// The calls of a group, one for each place.
fn callers(group: &[(&'static str, Made)]) -> Vec<Caller> {
    let mut callers: Vec<Caller> = Vec::new();
    for &(role, made) in group {
        match callers.iter_mut().find(|caller| place(caller.role, &caller.made) == place(role, &made)) {
            Some(caller) => _ = caller.ranks.insert(made.rank),
            None => callers.push(Caller { role, made, ranks: BTreeSet::from([made.rank]) }),
        }
    }
    callers
}
