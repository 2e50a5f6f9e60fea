//! The ranks of a node that is simulated: programs that send and receive, and matching in its plainest form.

use std::collections::{HashMap, HashSet, VecDeque};

use rankine_nodes::{End, Envelope, Limits, Node, Site, State};

use crate::drawn::Drawn;

/// What a rank does next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends so many bytes; waits until they have left, if it blocks.
    Send { to: u32, tag: i32, length: usize, blocks: bool },
    /// Receives into so many bytes.
    Receive { from: Option<u32>, tag: Option<i32>, room: usize, blocks: bool },
    /// Waits for all that it has begun.
    Wait,
    /// Asks for its last send back.
    Cancel,
    /// Gives up its last send, as a rank does that is stopped.
    Abandon,
}

/// An operation of a rank, by its number on its node.
#[derive(Debug, PartialEq, Eq)]
enum Operation {
    Sending { to: u32, sequence: u32, length: usize },
    Receiving { bytes: Vec<u8> },
    Done,
}

struct Posted {
    from: Option<u32>,
    tag: Option<i32>,
    operation: u64,
}

struct Unexpected {
    envelope: Envelope,
    body: Body,
}

enum Body {
    Bytes(Vec<u8>),
    Offered { length: u64, arrival: u64 },
}

#[derive(Default)]
struct Rank {
    script: VecDeque<Step>,
    /// What it waits for.
    waits: Vec<u64>,
    /// What it has begun and not waited for.
    begun: Vec<u64>,
    posted: Vec<Posted>,
    unexpected: VecDeque<Unexpected>,
    /// The number of the next message to each rank, and of the next one from it.
    to: HashMap<u32, u32>,
    from: HashMap<u32, u32>,
}

/// The made-up ranks of a node.
pub struct Ranks {
    me: u32,
    first: u32,
    /// Ranks of each node.
    each: u32,
    limits: Limits,
    ranks: Vec<Rank>,
    operations: HashMap<u64, (u32, Operation)>,
    last: u64,
    /// Receives that were found for offers: the arrival, and the receive.
    matched: VecDeque<(u64, u64)>,
    asked: HashMap<u64, u64>,
    arrivals: HashMap<u64, (Envelope, u64)>,
    /// Ranks elsewhere that are full.
    full: HashSet<u32>,
    /// Unreceived bytes from which on a rank is full.
    pub most: usize,
    /// The most that has lain at one.
    pub most_seen: usize,
    pub ended: Option<End>,
    /// Ranks that were woken.
    pub wakes: usize,
    /// Groups that have come.
    pub fetched: Vec<(u64, Option<Vec<u32>>)>,
}

/// Byte `at` of a message.
fn byte(from: u32, to: u32, sequence: u32, at: u64) -> u8 {
    let mixed = (u64::from(from) << 40 ^ u64::from(to) << 20 ^ u64::from(sequence) ^ at.rotate_left(32))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as u8
}

fn fill(from: u32, to: u32, sequence: u32, first: u64, bytes: &mut [u8]) {
    for (at, slot) in (first..).zip(bytes) {
        *slot = byte(from, to, sequence, at);
    }
}

impl Ranks {
    pub fn new(me: u32, each: u32, limits: Limits, scripts: Vec<Vec<Step>>) -> Ranks {
        let ranks = scripts.into_iter().map(|script| Rank { script: script.into(), ..Rank::default() }).collect();
        Ranks {
            me,
            first: me * each,
            each,
            limits,
            ranks,
            operations: HashMap::new(),
            last: 0,
            matched: VecDeque::new(),
            asked: HashMap::new(),
            arrivals: HashMap::new(),
            full: HashSet::new(),
            most: 2 * limits.whole,
            most_seen: 0,
            ended: None,
            wakes: 0,
            fetched: Vec::new(),
        }
    }

    fn rank(&mut self, rank: u32) -> &mut Rank {
        &mut self.ranks[(rank - self.first) as usize]
    }

    /// Ranks that could go on now.
    pub fn runnable(&self) -> Vec<u32> {
        let could = |rank: &Rank| rank.waits.is_empty() && !rank.script.is_empty();
        (self.first..).zip(&self.ranks).filter(|(_, rank)| could(rank)).map(|(number, _)| number).collect()
    }

    /// Whether all of them have come to their end.
    pub fn all_left(&self) -> bool {
        self.ranks.iter().all(|rank| rank.script.is_empty() && rank.waits.is_empty())
    }

    fn begin(&mut self, rank: u32, operation: Operation) -> u64 {
        self.last += 1;
        self.operations.insert(self.last, (rank, operation));
        self.last
    }

    /// A rank makes its next step.
    pub fn step(&mut self, rank: u32, node: &mut Node) {
        let Some(step) = self.rank(rank).script.pop_front() else { return };
        match step {
            Step::Send { to, tag, length, blocks } => self.send(rank, (to, tag, length, blocks), node),
            Step::Receive { from, tag, room, blocks } => self.receive(rank, (from, tag, room, blocks)),
            Step::Wait => {
                let begun = std::mem::take(&mut self.rank(rank).begun);
                let waits: Vec<u64> = begun.into_iter().filter(|number| !self.is_done(*number)).collect();
                self.rank(rank).waits = waits;
            }
            Step::Cancel => {
                if let Some(number) = self.last_send(rank) {
                    node.take_back(number);
                }
            }
            Step::Abandon => {
                if let Some(number) = self.last_send(rank) {
                    node.abandon(number);
                    self.complete(number);
                }
            }
        }
        self.feed(node);
    }

    fn is_done(&self, number: u64) -> bool {
        self.operations[&number].1 == Operation::Done
    }

    fn last_send(&mut self, rank: u32) -> Option<u64> {
        let begun = self.rank(rank).begun.clone();
        begun.into_iter().rev().find(|number| matches!(self.operations[number].1, Operation::Sending { .. }))
    }

    fn send(&mut self, rank: u32, (to, tag, length, blocks): (u32, i32, usize, bool), node: &mut Node) {
        let sequence = self.rank(rank).to.entry(to).or_default();
        let envelope = Envelope { to, context: *sequence, source: rank as i32, tag };
        *sequence += 1;
        let there = to / self.each;
        let short =
            length <= self.limits.whole && (there == self.me || !self.full.contains(&to) && node.has_room(there));
        if short || there == self.me {
            let mut bytes = vec![0; length];
            fill(rank, to, envelope.context, 0, &mut bytes);
            return if there == self.me {
                self.deliver(&envelope, &bytes)
            } else {
                node.message(there, envelope, &bytes)
            };
        }
        let number = self.begin(rank, Operation::Sending { to, sequence: envelope.context, length });
        node.offer(there, envelope, length as u64, number);
        if blocks { self.rank(rank).waits = vec![number] } else { self.rank(rank).begun.push(number) }
    }

    fn receive(&mut self, rank: u32, (from, tag, room, blocks): (Option<u32>, Option<i32>, usize, bool)) {
        let operation = self.begin(rank, Operation::Receiving { bytes: vec![0; room] });
        let posted = Posted { from, tag, operation };
        let found = self.rank(rank).unexpected.iter().position(|unexpected| posted.fits(&unexpected.envelope));
        match found {
            Some(at) => {
                let Unexpected { envelope, body } = self.rank(rank).unexpected.remove(at).unwrap();
                match body {
                    Body::Bytes(bytes) => self.take(operation, &envelope, &bytes),
                    Body::Offered { arrival, .. } => self.matched.push_back((arrival, operation)),
                }
            }
            None => self.rank(rank).posted.push(posted),
        }
        if !self.is_done(operation) {
            if blocks { self.rank(rank).waits = vec![operation] } else { self.rank(rank).begun.push(operation) }
        }
    }

    /// A whole message for a receive.
    fn take(&mut self, operation: u64, envelope: &Envelope, bytes: &[u8]) {
        let room = self.room(operation);
        let length = bytes.len().min(room);
        self.put(operation, 0, &bytes[..length]);
        self.check(operation, envelope, length);
    }

    fn room(&self, operation: u64) -> usize {
        let Operation::Receiving { bytes } = &self.operations[&operation].1 else { panic!("no receive") };
        bytes.len()
    }

    fn put(&mut self, operation: u64, at: usize, from: &[u8]) {
        let (_, Operation::Receiving { bytes }) = self.operations.get_mut(&operation).unwrap() else {
            panic!("no receive")
        };
        bytes[at..at + from.len()].copy_from_slice(from);
    }

    /// A receive has all it gets.
    fn check(&mut self, operation: u64, envelope: &Envelope, length: usize) {
        let (_, Operation::Receiving { bytes }) = &self.operations[&operation] else { panic!("no receive") };
        let Envelope { to, context, source, .. } = *envelope;
        let mut wanted = vec![0; length];
        fill(source as u32, to, context, 0, &mut wanted);
        assert!(bytes[..length] == wanted[..], "other bytes than were sent");
        self.complete(operation);
    }

    fn complete(&mut self, number: u64) {
        let (rank, operation) = self.operations.get_mut(&number).expect("an operation");
        assert!(*operation != Operation::Done, "it has ended before");
        *operation = Operation::Done;
        let rank = *rank;
        let waits = &mut self.rank(rank).waits;
        if !waits.is_empty() {
            waits.retain(|waits| *waits != number);
            let woken = waits.is_empty();
            self.wakes += usize::from(woken);
        }
    }

    /// Passes on what the ranks have found meanwhile.
    pub fn feed(&mut self, node: &mut Node) {
        while let Some((arrival, operation)) = self.matched.pop_front() {
            let room = self.room(operation) as u64;
            self.asked.insert(arrival, operation);
            node.ask(arrival, room, self);
        }
    }

    /// A message has come to a rank: the next one of its sender's.
    fn come(&mut self, envelope: &Envelope) -> Option<u64> {
        let Envelope { to, context, source, .. } = *envelope;
        let rank = self.rank(to);
        let next = rank.from.entry(source as u32).or_default();
        assert_eq!(*next, context, "messages from {source} to {to} in another order");
        *next += 1;
        let at = rank.posted.iter().position(|posted| posted.fits(envelope))?;
        Some(rank.posted.remove(at).operation)
    }

    fn unreceived(&self, rank: u32) -> usize {
        let bytes = |unexpected: &Unexpected| match &unexpected.body {
            Body::Bytes(bytes) if !self.has(unexpected.envelope.source as u32) => bytes.len(),
            _ => 0,
        };
        self.ranks[(rank - self.first) as usize].unexpected.iter().map(bytes).sum()
    }
}

impl Posted {
    fn fits(&self, envelope: &Envelope) -> bool {
        self.from.is_none_or(|from| from as i32 == envelope.source) && self.tag.is_none_or(|tag| tag == envelope.tag)
    }
}

impl Site for Ranks {
    fn is_at(&self, rank: u32, node: u32) -> bool {
        rank / self.each == node
    }

    fn has(&self, rank: u32) -> bool {
        rank.checked_sub(self.first).is_some_and(|index| index < self.each)
    }

    fn state(&self) -> State {
        match (self.runnable().is_empty() && self.matched.is_empty(), self.all_left()) {
            (false, _) => State::Runs,
            (true, true) => State::Left,
            (true, false) => State::Waits,
        }
    }

    fn deliver(&mut self, envelope: &Envelope, bytes: &[u8]) {
        match self.come(envelope) {
            Some(operation) => self.take(operation, envelope, bytes),
            None => {
                let unexpected = Unexpected { envelope: *envelope, body: Body::Bytes(bytes.to_vec()) };
                self.rank(envelope.to).unexpected.push_back(unexpected);
                self.most_seen = self.most_seen.max(self.unreceived(envelope.to));
            }
        }
    }

    fn announce(&mut self, envelope: &Envelope, length: u64, arrival: u64) {
        self.arrivals.insert(arrival, (*envelope, length));
        match self.come(envelope) {
            Some(operation) => self.matched.push_back((arrival, operation)),
            None => {
                let body = Body::Offered { length, arrival };
                self.rank(envelope.to).unexpected.push_back(Unexpected { envelope: *envelope, body });
            }
        }
    }

    fn is_full(&mut self, rank: u32) -> bool {
        self.unreceived(rank) > self.most
    }

    fn read(&mut self, number: u64, at: u64, bytes: &mut [u8]) -> bool {
        let (from, Operation::Sending { to, sequence, length }) = &self.operations[&number] else {
            panic!("bytes of a send that has ended are read")
        };
        assert!(at as usize + bytes.len() <= *length);
        fill(*from, *to, *sequence, at, bytes);
        true
    }

    fn sent(&mut self, number: u64) {
        self.complete(number);
    }

    fn taken_back(&mut self, number: u64, taken: bool) {
        if taken {
            self.complete(number);
        }
    }

    fn write(&mut self, arrival: u64, at: u64, bytes: &[u8]) {
        self.put(self.asked[&arrival], at as usize, bytes);
    }

    fn arrived(&mut self, arrival: u64) {
        let operation = self.asked.remove(&arrival).expect("it was asked for");
        let (envelope, length) = self.arrivals.remove(&arrival).unwrap();
        let length = self.room(operation).min(length as usize);
        self.check(operation, &envelope, length);
    }

    fn broken(&mut self, arrival: u64) {
        let operation = self.asked.remove(&arrival).expect("it was asked for");
        self.arrivals.remove(&arrival);
        self.complete(operation);
    }

    fn withdraw(&mut self, arrival: u64, _anyway: bool) -> bool {
        let (envelope, offered) = self.arrivals[&arrival];
        let rank = self.rank(envelope.to);
        let is_it = |unexpected: &Unexpected| match unexpected.body {
            Body::Offered { arrival: one, length } => one == arrival && length == offered,
            Body::Bytes(_) => false,
        };
        match rank.unexpected.iter().position(is_it) {
            Some(at) => {
                rank.unexpected.remove(at);
                self.arrivals.remove(&arrival);
                true
            }
            None => false,
        }
    }

    /// Ticket 0 stands for nothing, any other for as many ranks.
    fn lend(&mut self, ticket: u32) -> Option<Vec<u32>> {
        (ticket > 0).then(|| (0..ticket).map(|rank| rank * 3).collect())
    }

    fn fetched(&mut self, number: u64, ranks: Option<Vec<u32>>) -> Result<(), String> {
        self.fetched.push((number, ranks));
        Ok(())
    }

    fn largest_group(&self) -> usize {
        1 << 20
    }

    fn serve(&mut self, from: u32, _number: u64, _bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        Err(format!("node {from} calls a window, and there is none"))
    }

    fn answered(&mut self, from: u32, _number: u64, _bytes: &[u8]) -> Result<(), String> {
        Err(format!("node {from} answers nobody"))
    }

    fn full(&mut self, rank: u32, full: bool) {
        if full {
            self.full.insert(rank)
        } else {
            self.full.remove(&rank)
        };
    }

    fn end(&mut self, end: End) {
        assert_eq!(self.ended.replace(end), None);
    }
}

/// Programs of so many ranks. Those that fit have a receive for each send, in any order that their ranks can be in, and no
/// rank waits for one that waits for it.
pub fn scripts(drawn: &mut Drawn, ranks: u32, limits: &Limits, fit: bool) -> Vec<Vec<Step>> {
    let mut scripts: Vec<Vec<Step>> = vec![Vec::new(); ranks as usize];
    let lengths = [0, 1, limits.whole / 2, limits.whole, limits.whole + 1, limits.letter, 3 * limits.letter + 5];
    for _ in 0..drawn.below(6 * ranks as usize) + 1 {
        let (from, to) = (drawn.below(ranks as usize) as u32, drawn.below(ranks as usize) as u32);
        let (tag, length) = (drawn.below(3) as i32, lengths[drawn.below(lengths.len())]);
        let count = if drawn.below(8) == 0 { 20 } else { 1 };
        for _ in 0..count {
            let receive = Step::Receive {
                from: if fit || drawn.below(2) == 0 { Some(from) } else { None },
                tag: if fit || drawn.below(2) == 0 { Some(tag) } else { None },
                room: length * (drawn.below(3) + 1) / 2,
                blocks: drawn.below(2) == 0,
            };
            let blocks = drawn.below(2) == 0 && from != to;
            // In one order for all, a rank that blocks is always waited for by one that comes to it.
            scripts[from as usize].push(Step::Send { to, tag, length, blocks });
            scripts[to as usize].push(receive);
        }
        if drawn.below(4) == 0 {
            scripts[to as usize].push(Step::Wait);
        }
        if !fit {
            let one = drawn.below(ranks as usize);
            match drawn.below(6) {
                0 => scripts[one].push(Step::Cancel),
                1 => scripts[one].push(Step::Abandon),
                2 => drop(scripts[one].pop()),
                3 => {
                    let to = drawn.below(scripts[one].len() + 1);
                    scripts[one].insert(to, Step::Receive { from: None, tag: None, room: 9, blocks: true });
                }
                _ => {}
            }
        }
    }
    scripts.iter_mut().for_each(|script| script.push(Step::Wait));
    scripts
}
