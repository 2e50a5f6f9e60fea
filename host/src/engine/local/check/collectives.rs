//! What the ranks of a communicator call together: the same collective, with the same root and operation, and with
//! amounts of data that belong together.
//!
//! The calls of a rank on a communicator are counted; those with the same number are a round. A round is looked at when
//! all ranks have come, or when the job has ended without that.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use rankine_abi::{Area, Chapter, Class, Direction, Meaning, Op, Repeats};

use serde::{Deserialize, Serialize};

use super::checked_call::{Call, Made, plain};
use super::elsewhere::{Elsewhere, What};
use super::findings::{self, Findings};
use super::types::{Elements, Lengths, difference};

/// The collectives of each communicator, by its number.
#[derive(Default)]
pub(super) struct Collectives {
    comms: HashMap<u64, OfComm>,
    /// Where the first ranks of communicators are, and what their nodes are to be told, in a job of several nodes.
    pub(super) elsewhere: Option<Arc<Elsewhere>>,
    pub(super) told: Vec<(u32, What)>,
}

#[derive(Default)]
struct OfComm {
    ranks: usize,
    /// How many collectives each rank has called.
    called: HashMap<u32, u64>,
    /// The number of the first round that is kept.
    first: u64,
    rounds: VecDeque<Vec<Arrival>>,
    /// Ranks have called different functions, or one of them got an error: what belongs together is not known any more.
    is_lost: bool,
}

/// A rank's part in a round.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Arrival {
    pub(super) made: Made,
    /// The rank in the communicator.
    rank: i32,
    root: Option<i32>,
    /// A predefined operation, or 0 for one of the program's own.
    op: Option<u32>,
    data: Data,
}

impl Arrival {
    pub(super) fn leave_data_out(&mut self) {
        self.data = Data::Nothing;
    }

    fn function(&self) -> &'static str {
        plain(self.made.function.name)
    }
}

/// What a call says of its data.
#[derive(Debug, Deserialize, Serialize)]
enum Data {
    /// Nothing that others would have to agree with.
    Nothing,
    /// Elements that are alike in all ranks.
    Same(Elements, Option<Vec<i64>>),
    /// What is sent to each is what each receives.
    Even(Option<Elements>, Option<Elements>),
    /// Blocks of their own length for each rank: those sent, and those received.
    Varied(Blocks, Blocks),
}

/// Blocks for each rank; for one rank alone, or none.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Blocks {
    /// The elements for every rank, or for the root alone.
    one: Option<Elements>,
    each: Vec<Elements>,
}

impl Blocks {
    fn of(&self, rank: i32) -> Option<&Elements> {
        self.one.as_ref().or_else(|| self.each.get(usize::try_from(rank).ok()?))
    }
}

/// Where the communicator is whose ranks call a function together, among its words.
fn is_collective(call: &Call<'_>) -> bool {
    let makes = || {
        call.words.iter().any(|word| {
            word.direction == Direction::Out
                && matches!(word.meaning, Meaning::Handle(Class::Comm | Class::Win | Class::File))
        })
    };
    match call.chapter() {
        Chapter::Coll | Chapter::Neighbor => true,
        // What only some of the ranks call has a tag.
        Chapter::Comm => makes() && call.meaning(Meaning::Tag).is_none(),
        Chapter::Topo | Chapter::Rma | Chapter::Io => makes(),
        _ => false,
    }
}

impl Collectives {
    /// A call begins.
    pub(super) fn begin(&mut self, call: &Call<'_>) {
        if !is_collective(call) {
            return;
        }
        let Some(place) = call.comm() else { return };
        let has_two_groups = place.has_two_groups();
        let int = |meaning| call.meaning(meaning).map(|word| call.int(word));
        let arrival = Arrival {
            made: call.made,
            rank: place.rank(),
            root: int(Meaning::Root).filter(|_| !has_two_groups),
            op: int(Meaning::Handle(Class::Op)).map(|op| op as u32).map(|op| Op(op).name().map_or(0, |_| op)),
            data: if has_two_groups { Data::Nothing } else { data(call, place.peers()).unwrap_or(Data::Nothing) },
        };
        let (comm, ranks) = (place.number(), place.ranks());
        match self.elsewhere.as_ref().and_then(|elsewhere| elsewhere.of_comm(comm)) {
            Some(node) => self.told.push((node, What::Called { comm, ranks, arrival })),
            None => self.arrive(comm, ranks, arrival),
        }
    }

    /// A rank of a communicator of so many has called a collective.
    pub(super) fn arrive(&mut self, comm: u64, ranks: usize, arrival: Arrival) {
        let of = self.comms.entry(comm).or_insert_with(|| OfComm { ranks, ..OfComm::default() });
        if of.is_lost {
            return;
        }
        let called = of.called.entry(arrival.made.rank).or_default();
        let round = (*called).saturating_sub(of.first) as usize;
        *called += 1;
        while of.rounds.len() <= round {
            of.rounds.push_back(Vec::new());
        }
        of.rounds[round].push(arrival);
    }

    /// A call has come back. Rounds that all ranks have come to are looked at.
    pub(super) fn end(&mut self, call: &Call<'_>, result: i32, findings: &mut Findings) {
        if !is_collective(call) {
            return;
        }
        let Some(comm) = call.comm().map(|place| place.number()) else { return };
        match self.elsewhere.as_ref().and_then(|elsewhere| elsewhere.of_comm(comm)) {
            Some(node) if result != 0 => self.told.push((node, What::Failed { comm })),
            Some(_) => {}
            None => {
                self.look(comm, findings);
                if result != 0 {
                    self.lose(comm);
                }
            }
        }
    }

    /// Looks at rounds of a communicator that all of its ranks have come to.
    pub(super) fn look(&mut self, comm: u64, findings: &mut Findings) {
        if let Some(of) = self.comms.get_mut(&comm) {
            of.look(findings);
        }
    }

    /// A collective has failed: what belongs together from now on is not known.
    pub(super) fn lose(&mut self, comm: u64) {
        if let Some(of) = self.comms.get_mut(&comm) {
            of.lose();
        }
    }

    /// The job has ended.
    pub(super) fn conclude(&mut self, finished: bool, findings: &mut Findings) {
        let mut numbers: Vec<u64> = self.comms.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(of) = self.comms.get_mut(&number) else { continue };
            of.look(findings);
            let (ranks, is_lost) = (of.ranks, of.is_lost);
            for round in of.rounds.iter_mut().filter(|round| !round.is_empty() && !is_lost) {
                if !look_at(round, findings) {
                    break;
                }
                if finished {
                    let calls: Vec<_> = round.iter().map(|arrival| ("called by", arrival.made)).collect();
                    let note = format!("{} of {ranks} ranks have called it", round.len());
                    findings.add(findings::Class::Missing, &calls, note);
                }
            }
        }
    }
}

impl OfComm {
    fn look(&mut self, findings: &mut Findings) {
        while let Some(round) = self.rounds.front_mut().filter(|round| round.len() >= self.ranks) {
            if !look_at(round, findings) {
                return self.lose();
            }
            self.rounds.pop_front();
            self.first += 1;
        }
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.rounds.clear();
    }
}

/// What a call says of its data, in a communicator of so many ranks.
fn data(call: &Call<'_>, ranks: usize) -> Option<Data> {
    if call.chapter() != Chapter::Coll {
        return None;
    }
    let is_root =
        call.meaning(Meaning::Root).is_some_and(|root| call.comm().is_some_and(|place| place.rank() == call.int(root)));
    let has_op = call.meaning(Meaning::Handle(Class::Op)).is_some();
    let (mut sent, mut received) = (None, None);
    for (at, word) in call.words.iter().enumerate() {
        let Meaning::Buffer(area) = word.meaning else { continue };
        if word.at_root && !is_root && !has_op || !has_op && call.is_in_place(at) {
            continue;
        }
        match (word.direction, area) {
            (_, Area::Elements { count, times: Repeats::Sum, datatype }) => {
                let counts = call.read_counts(count.into(), ranks)?;
                let all = counts.iter().try_fold(0_i64, |sum, count| sum.checked_add(*count))?;
                return Some(Data::Same(call.elements(all, datatype.into())?, Some(counts)));
            }
            (Direction::InOut, Area::Elements { count, datatype, .. }) => {
                return Some(Data::Same(call.elements(call.made.words[usize::from(count)], datatype.into())?, None));
            }
            (_, Area::Elements { count, datatype, .. }) if has_op => {
                return Some(Data::Same(call.elements(call.made.words[usize::from(count)], datatype.into())?, None));
            }
            (Direction::In, area) => sent = Some(area),
            (_, area) => received = Some(area),
        }
    }
    let has_blocks = call.words.iter().any(|word| matches!(word.meaning, Meaning::Buffer(Area::Blocks { .. })));
    if has_blocks {
        return Some(Data::Varied(blocks(call, sent, ranks)?, blocks(call, received, ranks)?));
    }
    let even = |area: Option<Area>| match area {
        Some(Area::Elements { count, datatype, .. }) => {
            call.elements(call.made.words[usize::from(count)], datatype.into())
        }
        _ => None,
    };
    Some(Data::Even(even(sent), even(received)))
}

fn blocks(call: &Call<'_>, area: Option<Area>, ranks: usize) -> Option<Blocks> {
    Some(match area {
        Some(Area::Elements { count, datatype, .. }) => {
            Blocks { one: call.elements(call.made.words[usize::from(count)], datatype.into()), each: Vec::new() }
        }
        Some(Area::Blocks { counts, datatype, .. }) => {
            let counts = call.read_counts(counts.into(), ranks)?;
            let datatype = usize::from(datatype);
            let is_array = call.words[datatype].length != rankine_abi::Length::One;
            let types = if is_array { Some(call.read_handles(datatype, ranks as i64)?) } else { None };
            let each = counts.iter().enumerate().map(|(at, &count)| match &types {
                None => call.elements(count, datatype),
                Some(types) => Elements::of(call.rank, count, rankine_abi::Datatype(*types.get(at)?)),
            });
            Blocks { one: None, each: each.collect::<Option<_>>()? }
        }
        _ => Blocks::default(),
    })
}

/// Looks at a round; false if its ranks have called different functions.
fn look_at(round: &mut [Arrival], findings: &mut Findings) -> bool {
    round.sort_by_key(|arrival| (arrival.rank, arrival.made.rank));
    if !agree(round, Arrival::function, |it| it.function().to_string(), findings::Class::Calls, findings) {
        return false;
    }
    agree(round, |it| it.root, |it| it.root.unwrap_or(0).to_string(), findings::Class::Roots, findings);
    let name = |it: &Arrival| Op(it.op.unwrap_or(0)).name().unwrap_or("an operation of the program").to_string();
    if agree(round, |it| it.op, name, findings::Class::Operations, findings) {
        look_at_data(round, findings);
    }
    true
}

/// Whether all ranks say the same.
fn agree<K: Ord>(
    round: &[Arrival],
    key: impl Fn(&Arrival) -> K,
    name: impl Fn(&Arrival) -> String,
    class: findings::Class,
    findings: &mut Findings,
) -> bool {
    let mut kinds: BTreeMap<K, Vec<&Arrival>> = BTreeMap::new();
    round.iter().for_each(|arrival| kinds.entry(key(arrival)).or_default().push(arrival));
    if kinds.len() < 2 {
        return true;
    }
    let mut kinds: Vec<Vec<&Arrival>> = kinds.into_values().collect();
    kinds.sort_by_key(|arrivals| arrivals[0].rank);
    let notes = kinds.iter().map(|arrivals| format!("{} in {}", name(arrivals[0]), ranks_in_words(arrivals)));
    let note = notes.collect::<Vec<_>>().join("; ");
    let call = |arrival: &&Arrival| ("called by", arrival.made);
    let groups: Vec<Vec<_>> = kinds.iter().map(|arrivals| arrivals.iter().map(call).collect()).collect();
    findings.add_differing(class, &groups, note);
    false
}

/// `rank 3`, `ranks 0, 1 and 4 more`
fn ranks_in_words(arrivals: &[&Arrival]) -> String {
    const SHOWN: usize = 4;
    let ranks: Vec<String> = arrivals.iter().take(SHOWN).map(|arrival| arrival.rank.to_string()).collect();
    let more = arrivals.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {}{more}", if arrivals.len() == 1 { "rank" } else { "ranks" }, ranks.join(", "))
}

fn look_at_data(round: &[Arrival], findings: &mut Findings) {
    let mut first: Option<(&Elements, &Arrival)> = None;
    for arrival in round {
        let said = match &arrival.data {
            Data::Nothing => continue,
            Data::Varied(..) => return look_at_blocks(round, findings),
            Data::Same(elements, _) => [Some(elements), None],
            Data::Even(sent, received) => [sent.as_ref(), received.as_ref()],
        };
        for elements in said.into_iter().flatten() {
            match first {
                None => first = Some((elements, arrival)),
                Some((known, other)) => {
                    if let Some(text) = difference(known, elements, Lengths::Same) {
                        return disagree(other, arrival, &text, findings);
                    }
                }
            }
        }
        if let (Data::Same(_, Some(counts)), Data::Same(_, Some(others))) = (&round[0].data, &arrival.data)
            && counts != others
        {
            return disagree(&round[0], arrival, "their arrays of counts differ", findings);
        }
    }
}

fn look_at_blocks(round: &[Arrival], findings: &mut Findings) {
    for sender in round {
        for receiver in round {
            let (Data::Varied(sent, _), Data::Varied(_, received)) = (&sender.data, &receiver.data) else { continue };
            // Who is not the root of a gather receives nothing, and only it is sent to.
            if receiver.root.is_some_and(|root| receiver.rank != root && sender.rank != root) {
                continue;
            }
            let (Some(sent), Some(received)) = (sent.of(receiver.rank), received.of(sender.rank)) else { continue };
            if let Some(text) = difference(sent, received, Lengths::Same) {
                return disagree(sender, receiver, &text, findings);
            }
        }
    }
}

fn disagree(one: &Arrival, other: &Arrival, text: &str, findings: &mut Findings) {
    let note = if one.rank == other.rank {
        format!("what rank {} sends to itself and receives: {text}", one.rank)
    } else {
        format!("rank {} is the one, rank {} the other: {text}", one.rank, other.rank)
    };
    let groups = [one, other].map(|arrival| vec![("called by", arrival.made)]);
    findings.add_differing(findings::Class::Counts, &groups, note);
}
