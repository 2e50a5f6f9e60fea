//! One node: what it says to the others, and what it does on what it hears.
//!
//! A message goes in one of two ways. A short one travels whole, and its sender is done with it. A long one is *offered*:
//! its envelope travels, the receiver's node keeps a stand-in for it among what has come, and asks for the bytes when a
//! receive has been found. Both ways are one queue, so messages between two ranks keep their order, and matching stays
//! where the receiver lives. Who asks gives a number, never an address.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::frame::{BEFORE_BYTES, End, Envelope, Frame, HEAD, Head, Tally};
use crate::peer::{Peer, Stream};
use crate::wave::{Outcome, Shown, Waves, children, parent};

/// Sizes and times. All nodes of a job have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a letter, at the most, where no frame is longer.
    pub letter: usize,
    /// Letters to a node that it has not read.
    pub window: u16,
    /// Bytes of frames that wait for a node before messages to it are offered.
    pub queue: usize,
    /// Bytes of the longest message that travels whole.
    pub whole: usize,
    /// Ticks of silence after which a node is taken for gone.
    pub patience: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { letter: LETTER, window: 16, queue: 256 << 10, whole: 16 << 10, patience: 10_000 }
    }
}

/// Bytes of a letter, where a job does not say otherwise.
pub(crate) const LETTER: usize = 32 << 10;
/// Bytes that wait for all nodes together, about.
const WAITING: usize = 64 << 20;

impl Limits {
    /// Those of a job of so many nodes.
    pub fn of(nodes: u32) -> Limits {
        let queue = (WAITING / nodes.max(1) as usize).clamp(256 << 10, 4 << 20);
        Limits { queue, ..Limits::default() }
    }

    /// Bytes of frames in a letter.
    pub(crate) fn room(&self) -> usize {
        self.letter - HEAD
    }

    /// Bytes of a piece.
    pub(crate) fn piece(&self) -> usize {
        self.room() - BEFORE_BYTES
    }

    /// Letters that were read before the other side is told so even if there is nothing else to say.
    pub(crate) fn enough(&self) -> u16 {
        (self.window / 2).max(1)
    }
}

/// What the ranks of a node do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// One of them runs, or something is under way that could wake one.
    Runs,
    /// Those that have not left wait.
    Waits,
    /// All have left.
    Left,
}

/// The ranks of this node. A number of an arrival is the node's, one of an offer is the site's.
pub trait Site {
    /// Whether a rank of the job is here.
    fn has(&self, rank: u32) -> bool;
    /// What they do now.
    fn state(&self) -> State;
    /// Whether a deadlock ends the job. Node 0 is asked.
    fn checks_deadlock(&self) -> bool {
        true
    }
    /// Whether a rank is, or may be once it is started, on a node.
    fn is_at(&self, rank: u32, node: u32) -> bool;
    /// A message has come.
    fn deliver(&mut self, envelope: &Envelope, bytes: &[u8]);
    /// One has come whose bytes have to be asked for ([`Node::ask`]).
    fn announce(&mut self, envelope: &Envelope, length: u64, arrival: u64);
    /// Whether so much lies unreceived at a rank that no more should come unasked.
    fn is_full(&mut self, rank: u32) -> bool;
    /// Copies bytes of an offer, from this one on; false if it was given up ([`Node::abandon`] is about to be called).
    fn read(&mut self, number: u64, at: u64, bytes: &mut [u8]) -> bool;
    /// An offer has been sent as far as it was wanted.
    fn sent(&mut self, number: u64);
    /// It was taken back, or was not.
    fn taken_back(&mut self, number: u64, taken: bool);
    /// Bytes of what was asked for have come.
    fn write(&mut self, arrival: u64, at: u64, bytes: &[u8]);
    /// All of them have.
    fn arrived(&mut self, arrival: u64);
    /// They never will.
    fn broken(&mut self, arrival: u64);
    /// Takes an arrival from the messages that wait to be received; false if it has found its receive. One that a matched
    /// probe has set aside counts as found, unless it is to be taken `anyway`.
    fn withdraw(&mut self, arrival: u64, anyway: bool) -> bool;
    /// The ranks of a group that a ticket of this node's stands for.
    fn lend(&mut self, ticket: u32) -> Option<Vec<u32>>;
    /// What was asked for by [`Node::fetch`] has come, or there is no such group.
    /// An error says why it can't be one.
    fn fetched(&mut self, number: u64, ranks: Option<Vec<u32>>) -> Result<(), String>;

    /// How many ranks a group has at the most.
    fn largest_group(&self) -> usize;
    /// A node calls a window that is here; the answer, if there is one already. An error says why it makes no sense.
    fn serve(&mut self, from: u32, number: u64, bytes: &[u8]) -> Result<Option<Vec<u8>>, String>;
    /// A node has answered a call ([`Node::call`]). An error says why it makes no sense.
    fn answered(&mut self, from: u32, number: u64, bytes: &[u8]) -> Result<(), String>;
    /// Messages to a rank elsewhere should be offered, or need not be any longer.
    fn full(&mut self, rank: u32, full: bool);
    /// The job ends.
    fn end(&mut self, end: End);
}

/// An offer of this node's.
#[derive(Debug)]
struct Offer {
    to: u32,
    length: u64,
    is_asked: bool,
}

/// A message that has been offered to this node.
#[derive(Debug)]
struct Arrival {
    from: u32,
    number: u64,
    length: u64,
    state: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Among those that wait for a receive.
    Waits,
    /// Its sender has gone before its receive was told.
    Abandoned,
    /// So many bytes were asked for, and these have come.
    Asked { wanted: u64, come: u64 },
}

/// One node's side of the protocol.
#[derive(Debug)]
pub struct Node {
    limits: Limits,
    me: u32,
    peers: Vec<Peer>,
    /// Those with letters to send, each once.
    ready: VecDeque<u32>,
    is_ready: Vec<bool>,
    offers: HashMap<u64, Offer>,
    arrivals: HashMap<u64, Arrival>,
    /// Arrivals by whose they are, and their number there.
    by_number: HashMap<(u32, u64), u64>,
    last_arrival: u64,
    /// Groups that are fetched: from where, and what of them has come.
    fetches: HashMap<u64, (u32, Vec<u32>)>,
    /// Ranks here that are full, and the nodes that know.
    told_full: BTreeMap<u32, BTreeSet<u32>>,
    sent: u64,
    received: u64,
    waves: Waves,
    /// Children all of whose ranks have left, and whether the parent knows of us.
    left: HashSet<u32>,
    has_told_left: bool,
    now: u64,
    ended: Option<End>,
}

impl Node {
    /// Node `me` of so many.
    pub fn new(me: u32, nodes: u32, limits: Limits) -> Node {
        assert!(me < nodes && limits.letter >= HEAD + BEFORE_BYTES + limits.whole && limits.window > 0);
        Node {
            limits,
            me,
            peers: (0..nodes).map(|_| Peer::new(&limits)).collect(),
            ready: VecDeque::new(),
            is_ready: vec![false; nodes as usize],
            offers: HashMap::new(),
            arrivals: HashMap::new(),
            by_number: HashMap::new(),
            last_arrival: 0,
            fetches: HashMap::new(),
            told_full: BTreeMap::new(),
            sent: 0,
            received: 0,
            waves: Waves::new(),
            left: HashSet::new(),
            has_told_left: false,
            now: 0,
            ended: None,
        }
    }

    fn nodes(&self) -> u32 {
        self.peers.len() as u32
    }

    /// How the job has ended, if it has.
    pub fn ended(&self) -> Option<End> {
        self.ended
    }

    /// Whether a message to a node should travel whole if it is short: not so while much waits for that node.
    pub fn has_room(&self, node: u32) -> bool {
        self.peers[node as usize].queued() < self.limits.queue
    }

    /// Bytes of frames that wait for a node.
    pub fn queued(&self, node: u32) -> usize {
        self.peers[node as usize].queued()
    }

    /// What was offered to others and has not been sent, and what others have offered and has not come.
    pub fn pending(&self) -> (usize, usize) {
        (self.offers.len(), self.arrivals.len())
    }

    fn tell(&mut self, node: u32, frame: Frame<'_>) {
        self.sent += u64::from(frame.counts());
        self.peers[node as usize].push(&frame, &self.limits);
        self.note_ready(node);
    }

    fn note_ready(&mut self, node: u32) {
        if self.peers[node as usize].is_ready(&self.limits)
            && !std::mem::replace(&mut self.is_ready[node as usize], true)
        {
            self.ready.push_back(node);
        }
    }

    /// Sends a message of no more than [`Limits::whole`] bytes to a rank of another node.
    pub fn message(&mut self, node: u32, envelope: Envelope, bytes: &[u8]) {
        debug_assert!(bytes.len() <= self.limits.whole);
        self.tell(node, Frame::Message { envelope, bytes });
    }

    /// Offers a message by a number of the site's, which nothing else of its has meanwhile.
    pub fn offer(&mut self, node: u32, envelope: Envelope, length: u64, number: u64) {
        self.offers.insert(number, Offer { to: node, length, is_asked: false });
        self.tell(node, Frame::Offer { envelope, length, number });
    }

    /// An offer of another node has found its receive, which has room for so many bytes.
    pub fn ask(&mut self, arrival: u64, room: u64, site: &mut impl Site) {
        let Some(found) = self.arrivals.get_mut(&arrival) else { return };
        if found.state == Stage::Abandoned {
            self.drop_arrival(arrival);
            return site.broken(arrival);
        }
        let (from, number, wanted) = (found.from, found.number, room.min(found.length));
        found.state = Stage::Asked { wanted, come: 0 };
        self.tell(from, Frame::Ask { number, arrival, wanted });
        if wanted == 0 {
            self.drop_arrival(arrival);
            site.arrived(arrival);
        }
    }

    /// Asks a node for a group that it keeps, by a number of the site's.
    pub fn fetch(&mut self, node: u32, ticket: u32, number: u64) {
        self.fetches.insert(number, (node, Vec::new()));
        self.tell(node, Frame::Fetch { ticket, number });
    }

    /// Calls a window on another node, which answers by a number of the site's unless it is 0.
    pub fn call(&mut self, node: u32, number: u64, bytes: &[u8]) {
        self.tell(node, Frame::Call { number, bytes });
    }

    /// Answers a call of another node.
    pub fn answer(&mut self, node: u32, number: u64, bytes: &[u8]) {
        self.tell(node, Frame::Answer { number, bytes });
    }

    /// Asks for an offer back, of which [`Site::taken_back`] hears.
    pub fn take_back(&mut self, number: u64) {
        if let Some(offer) = self.offers.get(&number) {
            let to = offer.to;
            self.tell(to, Frame::TakeBack { number, anyway: false });
        }
    }

    /// Forgets an offer whose bytes are no longer there. Nobody hears of it any more.
    pub fn abandon(&mut self, number: u64) {
        if let Some(offer) = self.offers.remove(&number) {
            self.peers[offer.to as usize].forget(number);
            self.tell(offer.to, Frame::TakeBack { number, anyway: true });
        }
    }

    fn drop_arrival(&mut self, arrival: u64) {
        if let Some(dropped) = self.arrivals.remove(&arrival) {
            self.by_number.remove(&(dropped.from, dropped.number));
        }
    }

    /// The job ends for a reason that this node knows first.
    pub fn end(&mut self, end: End, site: &mut impl Site) {
        self.end_from(None, end, site);
    }

    fn end_from(&mut self, from: Option<u32>, end: End, site: &mut impl Site) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(end);
        let others: Vec<u32> = self.neighbours().filter(|&node| Some(node) != from).collect();
        others.into_iter().for_each(|node| self.tell(node, Frame::End(end)));
        site.end(end);
    }

    /// The nodes above and below in the tree.
    fn neighbours(&self) -> impl Iterator<Item = u32> + use<> {
        parent(self.me).into_iter().chain(children(self.me, self.nodes()))
    }

    /// Writes the next letter and says for whom it is, if there is one.
    pub fn next_letter(&mut self, letter: &mut Vec<u8>, site: &mut impl Site) -> Option<u32> {
        while let Some(node) = self.ready.pop_front() {
            self.is_ready[node as usize] = false;
            let peer = &mut self.peers[node as usize];
            let read = |stream: &Stream, bytes: &mut [u8]| site.read(stream.number, stream.next, bytes);
            let Some(written) = peer.write(&self.limits, letter, read) else { continue };
            self.sent += written.pieces;
            if let Some(number) = written.ended {
                self.offers.remove(&number);
                site.sent(number);
            }
            self.note_ready(node);
            return Some(node);
        }
        None
    }

    /// Reads a letter of another node. An error says in words what makes no sense in it; the job can't go on.
    pub fn read(&mut self, from: u32, letter: &[u8], site: &mut impl Site) -> Result<(), String> {
        if from == self.me || from >= self.nodes() {
            return Err(format!("there is no other node {from}"));
        }
        let (head, frames) = Head::read(letter).map_err(|error| error.to_string())?;
        let now = self.now;
        self.peers[from as usize].hear(head, &self.limits, now).map_err(|error| error.to_string())?;
        for frame in frames {
            let frame = frame.map_err(|error| error.to_string())?;
            self.hear(from, &frame, site)?;
            self.received += u64::from(frame.counts());
        }
        self.note_ready(from);
        Ok(())
    }

    fn hear(&mut self, from: u32, frame: &Frame<'_>, site: &mut impl Site) -> Result<(), String> {
        match *frame {
            Frame::Message { envelope, bytes } => {
                self.check_rank(envelope.to, site)?;
                if bytes.len() > self.limits.whole {
                    return Err(format!("a message of {} bytes should have been offered", bytes.len()));
                }
                site.deliver(&envelope, bytes);
                if site.is_full(envelope.to) {
                    self.say_full(envelope.to, from);
                }
            }
            Frame::Offer { envelope, length, number } => self.hear_offer(from, envelope, length, number, site)?,
            Frame::Ask { number, arrival, wanted } => self.hear_ask(from, number, arrival, wanted, site)?,
            Frame::Piece { arrival, at, bytes } => self.hear_piece(from, arrival, at, bytes, site)?,
            Frame::TakeBack { number, anyway } => self.hear_take_back(from, number, anyway, site),
            Frame::TakenBack { number, taken } => self.hear_taken_back(from, number, taken, site)?,
            Frame::Fetch { ticket, number } => self.lend(from, number, site.lend(ticket)),
            Frame::Fetched { number, found, left, ranks } => {
                self.hear_fetched(from, (number, found), left, ranks, site)?
            }
            Frame::Call { number, bytes } => {
                if let Some(answer) = site.serve(from, number, bytes)? {
                    self.answer(from, number, &answer);
                }
            }
            Frame::Answer { number, bytes } => site.answered(from, number, bytes)?,
            Frame::Full { rank, .. } if !site.is_at(rank, from) => return Err(format!("rank {rank} is not its own")),
            Frame::Full { rank, full } => site.full(rank, full),
            Frame::Count { wave } => {
                if parent(self.me) != Some(from) || wave <= self.waves.wave || self.waves.is_under_way() {
                    return Err("it asks for a count that is not its to ask for".into());
                }
                self.pass_wave(wave);
                if !self.waves.is_under_way() {
                    self.end_wave(
                        Waves::whole(Tally { quiet: true, left: true, sent: 0, received: 0 }, self.own(site)),
                        site,
                    );
                }
            }
            Frame::Counted { wave, tally } => match self.waves.answer(from, wave, tally) {
                Outcome::Waits => {}
                Outcome::Whole(sum) => {
                    let whole = Waves::whole(sum, self.own(site));
                    self.end_wave(whole, site);
                }
                Outcome::Odd => return Err("it answers what it was not asked".into()),
            },
            Frame::Left => {
                if parent(from) != Some(self.me) {
                    return Err("it is not below this node".into());
                }
                self.left.insert(from);
                self.pass_left(site);
            }
            // These are found out by node 0, and passed down.
            Frame::End(End::Finished | End::Deadlock) if self.ended.is_none() && parent(self.me) != Some(from) => {
                return Err("it says that all have come to rest, which is not its to say".into());
            }
            Frame::End(end) => self.end_from(Some(from), end, site),
            Frame::Ping { answer: false } => self.tell(from, Frame::Ping { answer: true }),
            Frame::Ping { answer: true } => {}
        }
        Ok(())
    }

    fn check_rank(&self, rank: u32, site: &impl Site) -> Result<(), String> {
        if site.has(rank) { Ok(()) } else { Err(format!("rank {rank} is not here")) }
    }

    fn hear_offer(
        &mut self,
        from: u32,
        envelope: Envelope,
        length: u64,
        number: u64,
        site: &mut impl Site,
    ) -> Result<(), String> {
        self.check_rank(envelope.to, site)?;
        // As long as a signed number of 64 bits can count.
        if length > i64::MAX as u64 || self.by_number.contains_key(&(from, number)) {
            return Err(format!("it offers {length} bytes by the number {number}"));
        }
        self.last_arrival += 1;
        let arrival = self.last_arrival;
        self.arrivals.insert(arrival, Arrival { from, number, length, state: Stage::Waits });
        self.by_number.insert((from, number), arrival);
        site.announce(&envelope, length, arrival);
        Ok(())
    }

    fn hear_ask(
        &mut self,
        from: u32,
        number: u64,
        arrival: u64,
        wanted: u64,
        site: &mut impl Site,
    ) -> Result<(), String> {
        // One that is gone was abandoned, and the other side is about to hear of it.
        let Some(offer) = self.offers.get_mut(&number) else { return Ok(()) };
        if offer.to != from || offer.is_asked || wanted > offer.length {
            return Err(format!("it asks for {wanted} bytes of offer {number}"));
        }
        offer.is_asked = true;
        if wanted == 0 {
            self.offers.remove(&number);
            site.sent(number);
        } else {
            self.peers[from as usize].streams.push_back(Stream { number, arrival, next: 0, end: wanted });
            self.note_ready(from);
        }
        Ok(())
    }

    fn hear_piece(
        &mut self,
        from: u32,
        arrival: u64,
        at: u64,
        bytes: &[u8],
        site: &mut impl Site,
    ) -> Result<(), String> {
        let odd = || format!("it sends {} bytes of arrival {arrival} from byte {at} on", bytes.len());
        let found = self.arrivals.get_mut(&arrival).filter(|found| found.from == from).ok_or_else(odd)?;
        let Stage::Asked { wanted, come } = &mut found.state else { return Err(odd()) };
        let left = *wanted - *come;
        if at != *come || bytes.is_empty() || bytes.len() as u64 > left {
            return Err(odd());
        }
        *come += bytes.len() as u64;
        let is_whole = come == wanted;
        site.write(arrival, at, bytes);
        if is_whole {
            self.drop_arrival(arrival);
            site.arrived(arrival);
        }
        Ok(())
    }

    fn hear_take_back(&mut self, from: u32, number: u64, anyway: bool, site: &mut impl Site) {
        let found = self.by_number.get(&(from, number)).copied();
        let state = found.and_then(|arrival| self.arrivals.get_mut(&arrival)).map(|found| &mut found.state);
        let mut taken = false;
        if let (Some(arrival), Some(state)) = (found, state) {
            match state {
                Stage::Waits if site.withdraw(arrival, anyway) => {
                    taken = true;
                    self.drop_arrival(arrival);
                }
                Stage::Waits if anyway => *state = Stage::Abandoned,
                Stage::Asked { .. } if anyway => {
                    self.drop_arrival(arrival);
                    site.broken(arrival);
                }
                _ => {}
            }
        }
        if !anyway {
            self.tell(from, Frame::TakenBack { number, taken });
        }
    }

    fn hear_taken_back(&mut self, from: u32, number: u64, taken: bool, site: &mut impl Site) -> Result<(), String> {
        // One that is gone was sent, or abandoned after it was asked back.
        let Some(offer) = self.offers.get(&number) else { return Ok(()) };
        if offer.to != from || taken && offer.is_asked {
            return Err(format!("offer {number} is not its to give back"));
        }
        if taken {
            self.offers.remove(&number);
        }
        site.taken_back(number, taken);
        Ok(())
    }

    /// Sends a group in as many frames as it needs.
    fn lend(&mut self, to: u32, number: u64, group: Option<Vec<u32>>) {
        let (found, ranks) = (group.is_some(), group.unwrap_or_default());
        let most = (self.limits.room() - BEFORE_BYTES) / 4;
        let mut rest = &ranks[..];
        loop {
            let (some, left) = rest.split_at(rest.len().min(most));
            let bytes: Vec<u8> = some.iter().flat_map(|rank| rank.to_le_bytes()).collect();
            self.tell(to, Frame::Fetched { number, found, left: left.len() as u32, ranks: &bytes });
            if left.is_empty() {
                return;
            }
            rest = left;
        }
    }

    fn hear_fetched(
        &mut self,
        from: u32,
        (number, found): (u64, bool),
        left: u32,
        ranks: &[u8],
        site: &mut impl Site,
    ) -> Result<(), String> {
        let odd = || format!("it sends ranks of a group that it was not asked for by the number {number}");
        let (node, come) = self.fetches.get_mut(&number).ok_or_else(odd)?;
        let (some, []) = ranks.as_chunks() else { return Err(odd()) };
        let most = site.largest_group();
        if *node != from || come.len() + some.len() + left as usize > most || left > 0 && some.is_empty() {
            return Err(odd());
        }
        come.extend(some.iter().map(|rank| u32::from_le_bytes(*rank)));
        if left == 0 {
            let (_, come) = self.fetches.remove(&number).unwrap_or_default();
            site.fetched(number, found.then_some(come))?;
        }
        Ok(())
    }

    fn say_full(&mut self, rank: u32, node: u32) {
        if self.told_full.entry(rank).or_default().insert(node) {
            self.tell(node, Frame::Full { rank, full: true });
        }
    }

    /// Tells those who know that a rank here was full when it no longer is.
    fn look_at_full(&mut self, site: &mut impl Site) {
        if self.told_full.is_empty() {
            return;
        }
        let ranks: Vec<u32> = self.told_full.keys().copied().filter(|&rank| !site.is_full(rank)).collect();
        for rank in ranks {
            for node in self.told_full.remove(&rank).unwrap_or_default() {
                self.tell(node, Frame::Full { rank, full: false });
            }
        }
    }

    /// What this node has counted.
    fn own(&self, site: &impl Site) -> Tally {
        let state = site.state();
        let quiet = state != State::Runs && self.peers.iter().all(Peer::is_idle);
        Tally { quiet, left: state == State::Left, sent: self.sent, received: self.received }
    }

    fn pass_wave(&mut self, wave: u64) {
        let below = children(self.me, self.nodes());
        self.waves.begin(wave, below.clone());
        below.for_each(|node| self.tell(node, Frame::Count { wave }));
    }

    fn end_wave(&mut self, whole: Tally, site: &mut impl Site) {
        let wave = self.waves.wave;
        match parent(self.me) {
            Some(above) => self.tell(above, Frame::Counted { wave, tally: whole }),
            None => match self.waves.show(whole, self.now) {
                Shown::Work => {}
                Shown::Perhaps => self.begin_wave(site),
                Shown::Over { left: true } => self.end(End::Finished, site),
                Shown::Over { left: false } if site.checks_deadlock() => self.end(End::Deadlock, site),
                Shown::Over { left: false } => {}
            },
        }
    }

    fn begin_wave(&mut self, site: &mut impl Site) {
        self.pass_wave(self.waves.wave + 1);
        if !self.waves.is_under_way() {
            // There is no other node.
            let own = self.own(site);
            self.end_wave(own, site);
        }
    }

    /// Tells the node above when all ranks here and below have left.
    fn pass_left(&mut self, site: &impl Site) {
        let all = children(self.me, self.nodes()).all(|node| self.left.contains(&node));
        if self.has_told_left || !all || site.state() != State::Left {
            return;
        }
        self.has_told_left = true;
        match parent(self.me) {
            Some(above) => self.tell(above, Frame::Left),
            None => self.waves.hurry(),
        }
    }

    /// It is so late now: what is read from here on is heard at this time. A node that has not looked for long, as its process
    /// stood still, can't say that others were silent.
    pub fn at(&mut self, now: u64) {
        if now.saturating_sub(self.now) > self.limits.patience / 2 {
            for peer in &mut self.peers {
                (peer.heard, peer.asked) = (now, now);
            }
        }
        self.now = now;
    }

    /// Time has passed, or the ranks here have come to rest.
    pub fn tick(&mut self, now: u64, site: &mut impl Site) {
        self.at(now);
        if self.ended.is_some() {
            return;
        }
        self.look_at_full(site);
        self.pass_left(site);
        if self.me == 0 {
            let own = self.own(site);
            if self.waves.is_due(own, now) {
                self.begin_wave(site);
            }
        }
        self.look_for_silence(site);
    }

    /// When [`Node::tick`] is to be called at the latest, if nothing happens before.
    pub fn due(&self) -> u64 {
        let wave = if self.me == 0 { self.waves.due() } else { None };
        let full = if self.told_full.is_empty() { None } else { Some(self.now + 1) };
        let silence = self.neighbours().map(|node| {
            let peer = &self.peers[node as usize];
            peer.heard.max(peer.asked) + self.limits.patience / 4
        });
        silence.chain(wave).chain(full).min().unwrap_or(u64::MAX)
    }

    /// Each node looks after those above and below; a silent one is asked, and then taken for gone.
    fn look_for_silence(&mut self, site: &mut impl Site) {
        let (now, patience) = (self.now, self.limits.patience);
        let neighbours: Vec<u32> = self.neighbours().collect();
        // Who was heard longest ago has perhaps kept the others from being heard.
        let silent = neighbours.iter().copied().min_by_key(|&node| self.peers[node as usize].heard);
        if let Some(node) = silent.filter(|&node| now.saturating_sub(self.peers[node as usize].heard) > patience) {
            return self.end(End::Gone { node }, site);
        }
        for node in neighbours {
            let peer = &mut self.peers[node as usize];
            if now.saturating_sub(peer.heard.max(peer.asked)) >= patience / 4 {
                peer.asked = now;
                self.tell(node, Frame::Ping { answer: false });
            }
        }
    }
}
