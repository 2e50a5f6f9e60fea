//! Carrying letters between the ranks of a node, the protocol, and the wire: by a thread whose work that is, and by ranks
//! that wait ([`rankine_local::helping`]), whoever has the lock.
//!
//! The thread costs no core. While there is something to do it goes on; then it looks again at once for a moment, and for a millisecond
//! between others that have something to do, as an answer may come: who sleeps is woken late. Then it sleeps itself, never
//! longer than an eighth of the time in which nothing has happened, nor than a millisecond. So what comes after a while waits
//! an eighth of that while longer at the most, and a node at rest looks a thousand times a second. Ranks that want something
//! wake it. While ranks carry it naps, and sees from time to time whether they still do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rankine_local::World;
use rankine_local::away::{Address, Nodes, Request, Rest};
use rankine_local::helping::{Carry, SPIN, YIELD};

use crate::frame::{BEFORE_BYTES, End, Envelope, HEAD};
use crate::node::{LETTER, Limits, Node, Site, State};

// A call of a window fits into a letter, and so does its answer, which has the same bytes or fewer.
const _: () = assert!(HEAD + BEFORE_BYTES + rankine_local::rma::LONGEST_CALL <= LETTER);
const _: () = assert!(HEAD + BEFORE_BYTES + 2 + rankine_local::away::LONGEST_TOLD <= LETTER);

/// What carries letters between nodes: in order from each to each other, and without loss. There are two: an MPI library,
/// and the memory of a test.
pub trait Wire {
    /// Sends a letter, or says why that can't be. The wire keeps it until it has left.
    fn send(&mut self, to: u32, letter: &[u8]) -> Result<(), String>;

    /// The next letter that has come, and whose it is.
    fn receive(&mut self, letter: &mut Vec<u8>) -> Result<Option<u32>, String>;

    /// Whether letters that were sent have not left.
    fn is_busy(&mut self) -> Result<bool, String>;
}

/// How a node has left its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// How the job has ended, on all nodes.
    pub end: End,
    /// What this node knows of it beyond that, in words.
    pub why: Option<String>,
}

/// The longest sleep.
const SLEEP: Duration = Duration::from_millis(1);
/// How long it naps while ranks carry. Each of its looks takes a core from one of them for some microseconds.
const NAP: Duration = Duration::from_micros(200);
/// Letters, and bytes of them, that are read before others get their turn: a long letter may hold hundreds of messages.
const READ: usize = 64;
const READ_BYTES: usize = 128 << 10;
/// Requests of ranks that are carried out before others get theirs.
const ASKED: usize = 1 << 10;
/// How long the last letters may take to leave.
const LAST: Duration = Duration::from_secs(2);

/// What carries letters between the ranks of a node and a wire.
pub struct Carrier<W> {
    world: Arc<World>,
    desk: Arc<Desk<W>>,
}

/// What who carries has before them: one at a time, and nobody any more when the job has ended.
struct Desk<W>(Mutex<Option<Carrying<W>>>);

impl<W> Desk<W> {
    fn lock(&self) -> MutexGuard<'_, Option<Carrying<W>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Wire + Send> Carry for Desk<W> {
    fn turn(&self) -> bool {
        let mut carrying = match self.0.try_lock() {
            Ok(carrying) => carrying,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        carrying.as_mut().is_some_and(|carrying| carrying.look(false))
    }
}

struct Carrying<W> {
    world: Arc<World>,
    nodes: Nodes,
    node: Node,
    wire: W,
    limits: Limits,
    crowded: Vec<bool>,
    letter: Vec<u8>,
    /// What ranks have asked for and was not carried out yet.
    requests: VecDeque<Request>,
    origin: Instant,
    /// When there was something to do last, and when the node heard last that time has passed.
    since: Instant,
    ticked: u64,
    why: Option<String>,
}

impl<W: Wire + Send + 'static> Carrier<W> {
    /// For a world that has ranks on other nodes, before they run.
    pub fn new(world: Arc<World>, wire: W, limits: Limits) -> Carrier<W> {
        let nodes = world.nodes().expect("a job of several nodes").clone();
        let limits = Limits { whole: limits.whole.min(World::whole()), ..limits };
        let now = Instant::now();
        let carrying = Carrying {
            world: world.clone(),
            node: Node::new(nodes.node, nodes.count(), limits),
            crowded: vec![false; nodes.count() as usize],
            nodes,
            wire,
            limits,
            letter: Vec::new(),
            requests: VecDeque::new(),
            origin: now,
            since: now,
            ticked: 0,
            why: None,
        };
        world.send_whole(limits.whole);
        Carrier { world, desk: Arc::new(Desk(Mutex::new(Some(carrying)))) }
    }

    /// Lets those who wait carry letters too.
    pub fn with_help(self) -> Carrier<W> {
        self.world.help_by(self.desk.clone());
        self
    }

    /// Carries letters until the job has ended everywhere.
    pub fn run(self) -> (Left, W) {
        self.world.carry();
        let (mut ended, mut seen): (Option<Instant>, u64) = (None, 0);
        loop {
            // Who only polls may help for ever, and has to hear of the end.
            if ended.is_none() && self.world.ended().is_none() && self.world.has_help(&mut seen) {
                std::thread::park_timeout(NAP);
                continue;
            }
            let mut desk = self.desk.lock();
            let carrying = desk.as_mut().expect("it is taken away below alone");
            let worked = carrying.look(true);
            let quiet = carrying.since.elapsed();
            if let Some(end) = carrying.node.ended() {
                let since_end = ended.get_or_insert_with(|| {
                    self.world.close_nodes();
                    Instant::now()
                });
                let is_busy = carrying.wire.is_busy().unwrap_or(false);
                if (!worked && !is_busy || since_end.elapsed() > LAST)
                    && let Some(Carrying { wire, why, .. }) = desk.take()
                {
                    return (Left { end, why }, wire);
                }
            }
            drop(desk);
            if !worked {
                self.rest(quiet);
            }
        }
    }

    fn rest(&self, quiet: Duration) {
        if quiet < SPIN {
            std::hint::spin_loop();
        } else if quiet < YIELD {
            std::thread::yield_now();
        } else {
            self.world.rest_of_carrier((quiet / 8).min(SLEEP));
        }
    }
}

impl<W: Wire> Carrying<W> {
    /// One look at everything, which has the node hear of the time `always`, or when that has passed; whether there was something to do.
    fn look(&mut self, always: bool) -> bool {
        // What a failure leaves to say is sent in the next turn.
        let worked = self.turn(always).unwrap_or_else(|why| self.fail(why));
        if worked {
            self.since = Instant::now();
        }
        worked
    }

    fn turn(&mut self, always: bool) -> Result<bool, String> {
        if self.requests.is_empty() {
            self.world.take_requests(&mut self.requests);
        }
        let some = self.requests.len().min(ASKED);
        let mut here = Here { world: &self.world, has_more: some < self.requests.len(), end: None };
        let mut worked = some > 0;
        for request in self.requests.drain(..some) {
            ask(&mut self.node, &self.nodes, request, &mut here);
        }
        self.node.at(self.origin.elapsed().as_millis() as u64);
        if worked {
            // What a rank waits for comes later than what it has sent leaves.
            send(&mut self.node, &mut self.wire, &mut self.letter, &mut here)?;
        }
        // A rank looks first whether a letter has brought what it waits for.
        let mut read = 0;
        for _ in 0..if always { READ } else { 1 } {
            if read >= READ_BYTES {
                break;
            }
            let Some(from) = self.wire.receive(&mut self.letter)? else { break };
            (worked, read) = (true, read + self.letter.len());
            self.node
                .read(from, &self.letter, &mut here)
                .map_err(|what| broken(from, &what, &mut self.node, &mut here))?;
        }
        if self.node.ended().is_none()
            && let Some(end) = self.world.ended()
        {
            let end = match end {
                rankine_local::End::Abort { rank, code } => End::Aborted { rank: *rank as u32, code: *code },
                _ => End::Aborted { rank: self.nodes.first(), code: 1 },
            };
            self.node.end(end, &mut here);
        }
        let now = self.origin.elapsed().as_millis() as u64;
        if always || worked || now != self.ticked {
            self.ticked = now;
            self.node.tick(now, &mut here);
        }
        worked |= send(&mut self.node, &mut self.wire, &mut self.letter, &mut here)?;
        let end = here.end;
        if always || worked {
            self.say_crowded();
        }
        if let Some(end) = end {
            self.end_here(end);
        }
        Ok(worked)
    }

    fn say_crowded(&mut self) {
        for (node, said) in (0..).zip(&mut self.crowded) {
            let crowded = !self.node.has_room(node);
            if *said != crowded {
                *said = crowded;
                self.world.set_crowded(node, crowded);
            }
        }
    }

    /// The wire, or a node, has failed: the job can't go on. Whether that is news.
    fn fail(&mut self, why: String) -> bool {
        let is_news = self.why.is_none();
        self.why.get_or_insert(why);
        let mut here = Here { world: &self.world, has_more: false, end: None };
        self.node.end(End::Broken { node: self.nodes.node }, &mut here);
        if let Some(end) = self.node.ended() {
            self.end_here(end);
        }
        is_news
    }

    fn end_here(&mut self, end: End) {
        use rankine_local::End as Here;
        match end {
            End::Finished => {}
            End::Deadlock => self.world.end(Here::Deadlock),
            End::Aborted { rank, code } => self.world.end(Here::Abort { rank: rank as usize, code }),
            End::Gone { node } | End::Broken { node } => {
                let text = || format!("node {node} has fallen silent for {} s", self.limits.patience / 1000);
                if let End::Gone { .. } = end {
                    self.why.get_or_insert_with(text);
                }
                self.world.end(Here::Host);
            }
        }
    }
}

/// Sends what letters there are to send; whether there were any.
fn send(node: &mut Node, wire: &mut impl Wire, letter: &mut Vec<u8>, here: &mut Here<'_>) -> Result<bool, String> {
    let mut some = false;
    while let Some(to) = node.next_letter(letter, here) {
        some = true;
        wire.send(to, letter)?;
    }
    Ok(some)
}

/// A node has sent what makes no sense: it is named everywhere.
fn broken(node: u32, what: &str, protocol: &mut Node, here: &mut Here<'_>) -> String {
    protocol.end(End::Broken { node }, here);
    format!("node {node} has sent what makes no sense: {what}")
}

/// Passes on what a rank wants.
fn ask(node: &mut Node, nodes: &Nodes, request: Request, here: &mut Here<'_>) {
    let there = |address: &Address| nodes.node_of(address.to);
    match request {
        Request::Message(address, bytes) => {
            if let Some(to) = there(&address) {
                node.message(to, envelope(&address), &bytes);
            }
        }
        Request::Offer { address, length, number } => {
            if let Some(to) = there(&address) {
                node.offer(to, envelope(&address), length, number);
            }
        }
        Request::Matched { arrival, room } => node.ask(arrival, room, here),
        Request::TakeBack(number) => node.take_back(number),
        Request::Abandon(number) => node.abandon(number),
        Request::Fetch { node: there, ticket, number } => node.fetch(there, ticket, number),
        Request::Call { node: there, number, bytes } => node.call(there, number, &bytes),
        Request::Answer { node: there, number, bytes } => node.answer(there, number, &bytes),
    }
}

fn envelope(address: &Address) -> Envelope {
    let Address { to, context, source, tag } = *address;
    Envelope { to, context, source, tag }
}

fn address(envelope: &Envelope) -> Address {
    let Envelope { to, context, source, tag } = *envelope;
    Address { to, context, source, tag }
}

/// The ranks that are here.
struct Here<'w> {
    world: &'w Arc<World>,
    /// Requests of ranks wait.
    has_more: bool,
    end: Option<End>,
}

impl Here<'_> {
    fn is_first(&self) -> bool {
        self.world.nodes().is_some_and(|nodes| nodes.node == 0)
    }
}

impl Site for Here<'_> {
    fn has(&self, rank: u32) -> bool {
        self.world.is_here(rank)
    }

    fn state(&self) -> State {
        match self.world.rest() {
            _ if self.has_more => State::Runs,
            Rest::Runs => State::Runs,
            Rest::Left => State::Left,
            // Who doesn't want to hear of a deadlock waits for ever. Node 0, which looks for one, knows.
            Rest::Waits if self.is_first() && !self.world.checks_deadlock() => State::Runs,
            Rest::Waits => State::Waits,
        }
    }

    fn checks_deadlock(&self) -> bool {
        self.world.checks_deadlock()
    }

    fn is_at(&self, rank: u32, node: u32) -> bool {
        self.world.nodes().is_some_and(|nodes| nodes.node_of(rank) == Some(node))
    }

    fn deliver(&mut self, envelope: &Envelope, bytes: &[u8]) {
        self.world.deliver(&address(envelope), bytes);
    }

    fn announce(&mut self, envelope: &Envelope, length: u64, arrival: u64) {
        self.world.announce(&address(envelope), length, arrival);
    }

    fn is_full(&mut self, rank: u32) -> bool {
        self.world.is_full(rank)
    }

    fn read(&mut self, number: u64, at: u64, bytes: &mut [u8]) -> bool {
        self.world.read_offer(number, at, bytes)
    }

    fn sent(&mut self, number: u64) {
        self.world.end_offer(number);
    }

    fn taken_back(&mut self, number: u64, taken: bool) {
        if taken {
            self.world.cancel_offer(number);
        } else {
            self.world.keep_offer(number);
        }
    }

    fn write(&mut self, arrival: u64, at: u64, bytes: &[u8]) {
        self.world.write_arrival(arrival, at, bytes);
    }

    fn arrived(&mut self, arrival: u64) {
        self.world.end_arrival(arrival);
    }

    fn broken(&mut self, arrival: u64) {
        self.world.break_arrival(arrival);
    }

    fn withdraw(&mut self, arrival: u64, anyway: bool) -> bool {
        self.world.withdraw_arrival(arrival, anyway)
    }

    fn lend(&mut self, ticket: u32) -> Option<Vec<u32>> {
        self.world.lend_group(ticket)
    }

    fn largest_group(&self) -> usize {
        self.world.nodes().map_or(0, Nodes::largest_group) as usize
    }

    fn fetched(&mut self, number: u64, ranks: Option<Vec<u32>>) -> Result<(), String> {
        self.world.take_group(number, ranks)
    }

    fn serve(&mut self, from: u32, number: u64, bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        self.world.serve_call(from, number, bytes)
    }

    fn answered(&mut self, from: u32, number: u64, bytes: &[u8]) -> Result<(), String> {
        self.world.take_call_answer(from, number, bytes)
    }

    fn full(&mut self, rank: u32, full: bool) {
        self.world.set_full_away(rank, full);
    }

    fn end(&mut self, end: End) {
        self.end = Some(end);
    }
}
