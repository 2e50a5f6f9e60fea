//! Which send a receive has got: their type signatures, and messages that nobody received.
//!
//! Matching is done over again from what the calls say. Messages of one sender with one tag are received in the order
//! in which they were sent, by the receives that name both, or turn out to have got such a message, in the order in
//! which these were posted. So a receive is *settled* once source and tag are known: at once, or when it completes. One
//! that could take the same message and is not settled yet keeps later ones waiting.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use rankine_abi::{
    Addr, Area, Chapter, Direction, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_TRUNCATE, MPI_PROC_NULL, Mark, Meaning,
    Message, Request, Status,
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::checked_call::{Call, Form, MESSAGE, Made, REQUEST};
use super::elsewhere::{Elsewhere, What};
use super::findings::{self, Findings};
use super::requests::{Completed, requests};
use super::types::{Elements, Lengths, difference};

/// Where messages meet: the number of a communicator, and the receiver.
pub(super) type Meeting = (u64, u32);

/// All messages under way.
#[derive(Default)]
pub(super) struct Messages {
    meetings: HashMap<Meeting, Place>,
    /// Requests for messages, by rank and handle.
    requests: HashMap<(u32, u32), Pending>,
    /// Messages that a matched probe has taken out, by rank and handle.
    set_aside: HashMap<(u32, u32), Sent>,
    /// Receives that are not settled, and requests that are to be cancelled, of each rank.
    open_ends: HashMap<u32, u32>,
    last: u64,
    /// Where receivers are, and what their nodes are to be told, in a job of several nodes.
    pub(super) elsewhere: Option<Arc<Elsewhere>>,
    pub(super) told: Vec<(u32, What)>,
    /// Programs send object graphs, whose receives may take messages of MPI's too.
    has_objects: bool,
}

#[derive(Default)]
struct Place {
    /// By source and tag.
    sent: HashMap<(i32, i32), VecDeque<Sent>>,
    /// In the order in which they were posted.
    posted: Vec<Posted>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Sent {
    number: u64,
    pub(super) made: Made,
    elements: Option<Elements>,
}

impl Sent {
    #[cfg(test)]
    pub(super) fn new(number: u64, made: Made) -> Sent {
        Sent { number, made, elements: None }
    }

    pub(super) fn leave_data_out(&mut self) {
        self.elements = None;
    }
}

struct Posted {
    number: u64,
    made: Made,
    source: i32,
    tag: i32,
    kind: Kind,
}

enum Kind {
    Receive(Option<Elements>),
    /// A matched probe, which gave this handle.
    SetAside(u32),
}

impl Posted {
    fn is_settled(&self) -> bool {
        self.source != MPI_ANY_SOURCE && self.tag != MPI_ANY_TAG
    }

    fn fits(&self, source: i32, tag: i32) -> bool {
        [MPI_ANY_SOURCE, source].contains(&self.source) && [MPI_ANY_TAG, tag].contains(&self.tag)
    }
}

/// What a call would do.
#[derive(Clone)]
enum Intent {
    Send { at: Meeting, source: i32, tag: i32, elements: Option<Elements> },
    Receive { at: Meeting, source: i32, tag: i32, elements: Option<Elements> },
}

impl Intent {
    /// Whether what it will get is not settled.
    fn is_open(&self) -> bool {
        match self {
            Intent::Send { .. } => false,
            Intent::Receive { source, tag, .. } => *source == MPI_ANY_SOURCE || *tag == MPI_ANY_TAG,
        }
    }
}

/// What a call has done, by its number.
#[derive(Clone, Copy)]
enum Part {
    Sent { at: Meeting, source: i32, tag: i32, number: u64 },
    Posted { at: Meeting, number: u64 },
}

type Intents = SmallVec<[Intent; 2]>;
type Parts = SmallVec<[Part; 2]>;

/// What a call has started when it begins.
#[derive(Default)]
pub(super) struct Started {
    parts: Parts,
    /// What is to be done when it has come back.
    later: Intents,
}

struct Pending {
    /// What is under way.
    parts: Parts,
    /// What each start does, of a persistent request, and the call that made it.
    again: Option<(Intents, Made)>,
    is_cancelled: bool,
}

/// What a call of the chapter would send and receive.
fn intents(call: &Call<'_>) -> Intents {
    let mut intents = Intents::new();
    if call.chapter() != Chapter::Pt2pt {
        return intents;
    }
    let Some(place) = call.comm() else { return intents };
    let buffer = |direction: Direction| {
        let word = call.words.iter().find(|word| {
            matches!(word.meaning, Meaning::Buffer(Area::Elements { .. }))
                && [direction, Direction::InOut].contains(&word.direction)
        })?;
        let Meaning::Buffer(Area::Elements { count, datatype, .. }) = word.meaning else { return None };
        Some((call.made.words[usize::from(count)], usize::from(datatype)))
    };
    let number = |meaning| call.meaning(meaning).map(|word| call.int(word));
    if let (Some(dest), Some(tag), Some((count, datatype))) =
        (number(Meaning::Dest), number(Meaning::Tag), buffer(Direction::In))
        && let Some(receiver) = place.peer(dest)
    {
        let at = (place.number(), receiver);
        intents.push(Intent::Send { at, source: place.rank(), tag, elements: call.elements(count, datatype) });
    }
    if let (Some(source), Some(tag), Some((count, datatype))) =
        (number(Meaning::Source), number(Meaning::AnyTag), buffer(Direction::Out))
        && (source == MPI_ANY_SOURCE || place.peer(source).is_some())
    {
        let at = (place.number(), call.made.rank);
        intents.push(Intent::Receive { at, source, tag, elements: call.elements(count, datatype) });
    }
    intents
}

/// Where a matched probe puts the message that it sets aside.
fn new_message(call: &Call<'_>) -> Option<usize> {
    call.find(|word| word.meaning == MESSAGE && word.direction == Direction::Out)
}

impl Messages {
    /// A function of object graphs is called.
    pub(super) fn hear_of_objects(&mut self) {
        self.has_objects = true;
    }

    /// A call begins, which was passed these handles by their addresses.
    pub(super) fn begin(&mut self, call: &Call<'_>, before: &[(u8, Vec<u32>)], findings: &mut Findings) -> Started {
        let mut started = Started::default();
        let rank = call.made.rank;
        match (call.chapter(), call.name()) {
            _ if call.function.is(Mark::Starts) => {
                for request in requests(call, before) {
                    let Some(Pending { again: Some((intents, made)), parts, .. }) = self.requests.get(&(rank, request))
                    else {
                        continue;
                    };
                    if !parts.is_empty() {
                        continue;
                    }
                    let (intents, made) = (intents.clone(), *made);
                    let parts = intents.into_iter().map(|intent| self.carry_out(intent, made, findings)).collect();
                    if let Some(pending) = self.requests.get_mut(&(rank, request)) {
                        pending.parts = parts;
                    }
                }
            }
            (Chapter::Request, "MPI_Cancel") => {
                for request in requests(call, before) {
                    if let Some(pending) = self.requests.get_mut(&(rank, request)) {
                        pending.is_cancelled = true;
                        *self.open_ends.entry(rank).or_default() += 1;
                    }
                }
            }
            (Chapter::Pt2pt, _) if call.form() != Form::Persistent => {
                let waits = call.form() == Form::Blocking;
                for intent in intents(call) {
                    // What a receive gets is known when it has come back, and nothing else is posted until then.
                    match intent {
                        Intent::Receive { .. } if waits => started.later.push(intent),
                        _ => started.parts.push(self.carry_out(intent, call.made, findings)),
                    }
                }
            }
            _ => {}
        }
        started
    }

    /// Whether a call's statuses tell what has to be known.
    pub(super) fn wants_status(&self, call: &Call<'_>, before: &[(u8, Vec<u32>)], started: &Started) -> bool {
        match call.chapter() {
            Chapter::Pt2pt => started.later.iter().any(Intent::is_open) || new_message(call).is_some(),
            Chapter::Request => {
                let has_open_ends = self.open_ends.get(&call.made.rank).is_some_and(|&open| open > 0);
                has_open_ends && !before.is_empty()
            }
            _ => false,
        }
    }

    /// A call has come back.
    pub(super) fn end(
        &mut self,
        call: &Call<'_>,
        result: i32,
        before: &[(u8, Vec<u32>)],
        done: &[Completed],
        statuses: Addr,
        started: Started,
        findings: &mut Findings,
    ) {
        match call.chapter() {
            Chapter::Request => {
                if call.function.is(Mark::Frees) && result == 0 {
                    for request in requests(call, before) {
                        self.requests.remove(&(call.made.rank, request));
                    }
                }
                done.iter().for_each(|done| self.complete(call.made.rank, done, findings));
            }
            Chapter::Pt2pt => {
                if result != 0 && result != MPI_ERR_TRUNCATE {
                    started.parts.iter().for_each(|part| self.take_back(call.made.rank, *part));
                    return;
                }
                match call.form() {
                    Form::Blocking => self.end_blocking(call, statuses, started, findings),
                    form => self.new_request(call, form, started),
                }
            }
            _ => {}
        }
    }

    fn end_blocking(&mut self, call: &Call<'_>, statuses: Addr, started: Started, findings: &mut Findings) {
        let status = || {
            let status = (!statuses.is_null()).then(|| call.rank.memory().read_status(statuses, ""));
            status?.ok().filter(|status| status.source != MPI_PROC_NULL)
        };
        for intent in started.later {
            let Intent::Receive { at, source, tag, elements } = intent else { continue };
            let found = (source, tag);
            let settled = if source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG {
                let settled = status().map(|status| (status.source, status.tag));
                if let Some(got) = settled {
                    self.look_for_race(at, found, got, call.made, findings);
                }
                settled
            } else {
                Some(found)
            };
            // One that can't be known keeps those waiting that could have taken the same.
            let (source, tag) = settled.unwrap_or(found);
            self.post(at, source, tag, call.made, Kind::Receive(elements), findings);
        }
        let Some(word) = new_message(call) else { return };
        let (Some(place), Some(status)) = (call.comm(), status()) else { return };
        let flag = call.meaning(Meaning::Flag).and_then(|word| call.read(call.address(word)));
        let handle = call.read(call.address(word)).map(|handle| handle as u32).filter(|_| flag != Some(0));
        if let Some(handle) = handle.filter(|handle| ![Message::NULL.0, Message::NO_PROC.0].contains(handle)) {
            let at = (place.number(), call.made.rank);
            self.post(at, status.source, status.tag, call.made, Kind::SetAside(handle), findings);
        }
    }

    /// A receive of a message that was set aside, or a new request.
    fn new_request(&mut self, call: &Call<'_>, form: Form, started: Started) {
        let word = call.find(|word| word.meaning == REQUEST && word.direction == Direction::Out);
        let Some(request) = word.and_then(|word| call.read(call.address(word))).map(|request| request as u32) else {
            return;
        };
        let again = (form == Form::Persistent).then(|| (intents(call), call.made));
        let is_ours = |(intents, _): &(Intents, Made)| !intents.is_empty();
        if request == Request::NULL.0 || started.parts.is_empty() && !again.as_ref().is_some_and(is_ours) {
            return;
        }
        let pending = Pending { parts: started.parts, again, is_cancelled: false };
        self.requests.insert((call.made.rank, request), pending);
    }

    /// A request is complete.
    fn complete(&mut self, rank: u32, done: &Completed, findings: &mut Findings) {
        let key = (rank, done.request);
        let Some(pending) = self.requests.get_mut(&key) else { return };
        let parts = std::mem::take(&mut pending.parts);
        let was_cancelled = std::mem::take(&mut pending.is_cancelled);
        if pending.again.is_none() {
            self.requests.remove(&key);
        }
        if was_cancelled {
            self.close_end(rank);
        }
        if was_cancelled && done.status.is_none_or(|status| status.cancelled()) {
            return parts.iter().for_each(|part| self.take_back(rank, *part));
        }
        for part in parts {
            if let Part::Posted { at, number } = part {
                self.settle(at, number, done.status, findings);
            }
        }
    }

    fn close_end(&mut self, rank: u32) {
        if let Some(open) = self.open_ends.get_mut(&rank) {
            *open = open.saturating_sub(1);
        }
    }

    /// Source and tag of a receive are known.
    fn settle(&mut self, at: Meeting, number: u64, status: Option<Status>, findings: &mut Findings) {
        let Some(place) = self.meetings.get_mut(&at) else { return };
        let Some(index) = place.posted.iter().position(|posted| posted.number == number) else { return };
        if !place.posted[index].is_settled() {
            match status.filter(|status| status.source >= 0 && status.tag >= 0) {
                Some(status) => {
                    let posted = &mut place.posted[index];
                    let (wanted, got, made) = ((posted.source, posted.tag), (status.source, status.tag), posted.made);
                    (posted.source, posted.tag) = got;
                    self.look_for_race(at, wanted, got, made, findings);
                }
                None => drop(place.posted.remove(index)),
            }
            self.close_end(at.1);
        }
        self.pair(at, findings);
    }

    /// Looks for a message that was there too when a receive of any source got one, and that no other receive asks for.
    fn look_for_race(&self, at: Meeting, wanted: (i32, i32), got: (i32, i32), made: Made, findings: &mut Findings) {
        let Some(place) = self.meetings.get(&at).filter(|_| wanted.0 == MPI_ANY_SOURCE) else { return };
        let front = |key: &(i32, i32)| place.sent.get(key).and_then(VecDeque::front);
        let could_come = |key: &&(i32, i32)| {
            key.0 != got.0
                && [MPI_ANY_TAG, key.1].contains(&wanted.1)
                && !place.posted.iter().any(|posted| posted.fits(key.0, key.1))
        };
        let other = place.sent.keys().filter(could_come).min().and_then(front);
        if let (Some(sent), Some(other)) = (front(&got), other) {
            let calls =
                [("received by", made), ("sent by", sent.made), ("also sent, and not yet received, by", other.made)];
            findings.add(findings::Class::Race, &calls, String::new());
        }
    }

    fn carry_out(&mut self, intent: Intent, made: Made, findings: &mut Findings) -> Part {
        match intent {
            Intent::Send { at, source, tag, elements } => {
                self.last += 1;
                let number = self.last;
                let sent = Sent { number, made, elements };
                match self.elsewhere.as_ref().and_then(|elsewhere| elsewhere.of_meeting(at)) {
                    Some(node) => self.told.push((node, What::Sent { at, source, tag, sent })),
                    None => self.arrive(at, (source, tag), sent, findings),
                }
                Part::Sent { at, source, tag, number }
            }
            Intent::Receive { at, source, tag, elements } => {
                if source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG {
                    *self.open_ends.entry(at.1).or_default() += 1;
                }
                let number = self.post(at, source, tag, made, Kind::Receive(elements), findings);
                Part::Posted { at, number }
            }
        }
    }

    /// A message is on its way to a rank here.
    pub(super) fn arrive(&mut self, at: Meeting, key: (i32, i32), sent: Sent, findings: &mut Findings) {
        self.meetings.entry(at).or_default().sent.entry(key).or_default().push_back(sent);
        self.pair(at, findings);
    }

    /// The message of that number of a rank was not sent after all.
    pub(super) fn call_back(&mut self, at: Meeting, key: (i32, i32), (rank, number): (u32, u64)) {
        let sent = self.meetings.get_mut(&at).and_then(|place| place.sent.get_mut(&key));
        if let Some(sent) = sent {
            sent.retain(|sent| (sent.made.rank, sent.number) != (rank, number));
        }
    }

    fn post(&mut self, at: Meeting, source: i32, tag: i32, made: Made, kind: Kind, findings: &mut Findings) -> u64 {
        self.last += 1;
        let number = self.last;
        self.meetings.entry(at).or_default().posted.push(Posted { number, made, source, tag, kind });
        self.pair(at, findings);
        number
    }

    /// What a rank has begun did not happen, or was cancelled.
    fn take_back(&mut self, rank: u32, part: Part) {
        match part {
            Part::Sent { at, source, tag, number } => {
                match self.elsewhere.as_ref().and_then(|elsewhere| elsewhere.of_meeting(at)) {
                    Some(node) => self.told.push((node, What::TakenBack { at, source, tag, number })),
                    None => self.call_back(at, (source, tag), (rank, number)),
                }
            }
            Part::Posted { at, number } => {
                let Some(place) = self.meetings.get_mut(&at) else { return };
                let found = place.posted.iter().position(|posted| posted.number == number);
                let is_open = found.is_some_and(|index| !place.posted.remove(index).is_settled());
                if is_open {
                    self.close_end(at.1);
                }
            }
        }
    }

    /// Finds the messages of receives that are settled.
    fn pair(&mut self, at: Meeting, findings: &mut Findings) {
        let Some(place) = self.meetings.get_mut(&at) else { return };
        let (mut index, mut open) = (0, SmallVec::<[(i32, i32); 4]>::new());
        while let Some(posted) = place.posted.get(index) {
            let (source, tag) = (posted.source, posted.tag);
            index += 1;
            if !posted.is_settled() {
                open.push((source, tag));
                continue;
            }
            let takes =
                |open: &(i32, i32)| [MPI_ANY_SOURCE, source].contains(&open.0) && [MPI_ANY_TAG, tag].contains(&open.1);
            if open.iter().any(takes) {
                continue;
            }
            let Some(queue) = place.sent.get_mut(&(source, tag)) else { continue };
            let Some(sent) = queue.pop_front() else { continue };
            if queue.is_empty() {
                place.sent.remove(&(source, tag));
            }
            index -= 1;
            let posted = place.posted.remove(index);
            match posted.kind {
                Kind::Receive(room) => compare(&sent, posted.made, room.as_ref(), findings),
                Kind::SetAside(handle) => drop(self.set_aside.insert((at.1, handle), sent)),
            }
        }
    }

    /// A message that was set aside is received: `MPI_Mrecv` and its kin, which were passed its handle.
    pub(super) fn receive_aside(&mut self, call: &Call<'_>, before: &[(u8, Vec<u32>)], findings: &mut Findings) {
        if call.chapter() != Chapter::Pt2pt {
            return;
        }
        for (word, handles) in before {
            if call.words[usize::from(*word)].meaning != MESSAGE {
                continue;
            }
            let buffer = call.words.iter().find_map(|word| match word.meaning {
                Meaning::Buffer(Area::Elements { count, datatype, .. }) => Some((count, datatype)),
                _ => None,
            });
            for handle in handles {
                let sent = self.set_aside.remove(&(call.made.rank, *handle));
                let (Some(sent), Some((count, datatype))) = (sent, buffer) else { continue };
                let room = call.elements(call.made.words[usize::from(count)], datatype.into());
                compare(&sent, call.made, room.as_ref(), findings);
            }
        }
    }

    /// The job has ended: what was sent to ranks that have ended MPI and not received.
    pub(super) fn conclude(&mut self, has_ended: impl Fn(u32) -> bool, findings: &mut Findings) {
        if self.has_objects {
            return;
        }
        let mut left: Vec<Made> = Vec::new();
        for ((_, receiver), place) in &self.meetings {
            if !has_ended(*receiver) {
                continue;
            }
            for ((source, tag), sent) in &place.sent {
                let receives = place.posted.iter().filter(|posted| posted.fits(*source, *tag)).count();
                left.extend(sent.iter().skip(receives).map(|sent| sent.made));
            }
        }
        left.extend(self.set_aside.iter().filter(|((rank, _), _)| has_ended(*rank)).map(|(_, sent)| sent.made));
        left.sort_by_key(|made| (made.program, made.site, made.rank, made.words));
        for made in left {
            findings.add(findings::Class::Unreceived, &[("sent by", made)], String::new());
        }
    }
}

/// Compares what was sent with what there was room for.
fn compare(sent: &Sent, received: Made, room: Option<&Elements>, findings: &mut Findings) {
    let (Some(elements), Some(room)) = (&sent.elements, room) else { return };
    if let Some(text) = difference(elements, room, Lengths::Room) {
        findings.add(findings::Class::Types, &[("sent by", sent.made), ("received by", received)], text);
    }
}
