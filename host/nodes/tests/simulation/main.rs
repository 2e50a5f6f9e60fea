//! Jobs of many nodes in one thread: a seed decides what the ranks do, who goes on next, and when which letter arrives.
//! Letters between two nodes keep their order, and nothing else does.

mod drawn;
mod ranks;

use std::collections::VecDeque;

use drawn::Drawn;
use rankine_nodes::{End, Limits, Node};
use ranks::{Ranks, Step, scripts};

/// Small, so that everything is short of everything.
const LIMITS: Limits = Limits { letter: 160, window: 2, queue: 300, whole: 40, patience: 4000 };

struct Sim {
    drawn: Drawn,
    nodes: Vec<(Node, Ranks)>,
    /// Letters on their way, by sender and receiver.
    ways: Vec<Vec<VecDeque<Vec<u8>>>>,
    now: u64,
    /// A node that does nothing any more.
    dead: Option<usize>,
    /// The most letters that were on one way.
    most: usize,
    /// The most bytes of frames that waited for one node.
    most_queued: usize,
}

impl Sim {
    fn new(seed: u64, fit: bool) -> Sim {
        let mut drawn = Drawn(seed);
        let nodes = [2, 2, 3, 5, 11][drawn.below(5)];
        let each = if nodes > 3 { 1 } else { 1 + drawn.below(3) as u32 };
        let scripts = scripts(&mut drawn, nodes * each, &LIMITS, fit);
        Sim::with(drawn, nodes, each, scripts)
    }

    fn with(drawn: Drawn, nodes: u32, each: u32, scripts: Vec<Vec<Step>>) -> Sim {
        let node = |me: u32| {
            let first = (me * each) as usize;
            let mine = scripts[first..first + each as usize].to_vec();
            (Node::new(me, nodes, LIMITS), Ranks::new(me, each, LIMITS, mine))
        };
        Sim {
            drawn,
            nodes: (0..nodes).map(node).collect(),
            ways: vec![vec![VecDeque::new(); nodes as usize]; nodes as usize],
            now: 0,
            dead: None,
            most: 0,
            most_queued: 0,
        }
    }

    fn is_dead(&self, node: usize) -> bool {
        self.dead == Some(node)
    }

    /// Sends what a node has to say: all of it, or one letter.
    fn pump(&mut self, from: usize, all: bool) {
        let (node, ranks) = &mut self.nodes[from];
        let mut letter = Vec::new();
        while let Some(to) = node.next_letter(&mut letter, ranks) {
            assert!(letter.len() <= LIMITS.letter, "a letter of {} bytes", letter.len());
            self.ways[from][to as usize].push_back(letter.clone());
            self.most = self.most.max(self.ways[from][to as usize].len());
            if !all {
                break;
            }
        }
        ranks.feed(node);
    }

    fn arrive(&mut self, from: usize, to: usize) -> bool {
        let Some(letter) = self.ways[from][to].pop_front() else { return false };
        if !self.is_dead(to) {
            let (node, ranks) = &mut self.nodes[to];
            node.read(from as u32, &letter, ranks).unwrap();
            ranks.feed(node);
        }
        true
    }

    /// One thing happens somewhere.
    fn turn(&mut self) {
        let count = self.nodes.len();
        let one = self.drawn.below(count);
        if self.is_dead(one) {
            return;
        }
        let (node, ranks) = &mut self.nodes[one];
        match self.drawn.below(5) {
            0 | 1 => {
                let runnable = ranks.runnable();
                if !runnable.is_empty() && ranks.ended.is_none() {
                    ranks.step(runnable[self.drawn.below(runnable.len())], node);
                    let queued = (0..count as u32).map(|other| node.queued(other)).max().unwrap_or(0);
                    self.most_queued = self.most_queued.max(queued);
                }
            }
            2 => {
                let all = self.drawn.below(2) == 0;
                self.pump(one, all);
            }
            3 => {
                let from = self.drawn.below(count);
                self.arrive(from, one);
            }
            _ => {
                self.now += 1;
                node.tick(self.now, ranks);
                ranks.feed(node);
            }
        }
    }

    /// Has it run until all nodes have heard of the end; what that is.
    fn run(&mut self, seed: u64) -> End {
        let mut is_checked = false;
        for _ in 0..3_000_000 {
            self.turn();
            if !is_checked
                && let Some(end) = self.nodes.iter().find_map(|(_, ranks)| ranks.ended)
                && matches!(end, End::Finished | End::Deadlock)
            {
                self.check_end(seed, end);
                is_checked = true;
            }
            let mut alive = (0..self.nodes.len()).filter(|&node| !self.is_dead(node));
            if alive.all(|node| self.nodes[node].1.ended.is_some()) {
                let first = (0..self.nodes.len()).find(|&node| !self.is_dead(node)).unwrap();
                return self.nodes[first].1.ended.unwrap();
            }
        }
        let left: Vec<bool> = self.nodes.iter().map(|(_, ranks)| ranks.all_left()).collect();
        panic!("seed {seed}: no end is found, ranks of nodes have left: {left:?}");
    }

    /// Nothing that is still under way wakes anybody.
    fn check_end(&mut self, seed: u64, end: End) {
        let woken = |sim: &Sim| sim.nodes.iter().map(|(_, ranks)| ranks.wakes).sum::<usize>();
        let before = woken(self);
        assert!(
            self.nodes.iter().all(|(_, ranks)| ranks.runnable().is_empty()),
            "seed {seed}: {end:?} while ranks run"
        );
        let count = self.nodes.len();
        loop {
            let mut moved = false;
            for one in 0..count {
                self.pump(one, true);
                moved |= (0..count).any(|from| self.arrive(from, one));
            }
            if !moved {
                break;
            }
        }
        assert_eq!(woken(self), before, "seed {seed}: {end:?}, and then a rank was woken");
        assert!(self.nodes.iter().all(|(node, _)| (0..count as u32).all(|other| node.queued(other) == 0)));
        let all_left = self.nodes.iter().all(|(_, ranks)| ranks.all_left());
        assert_eq!(end == End::Finished, all_left, "seed {seed}: {end:?}");
    }

    fn check_bounds(&self, seed: u64) {
        // Letters that cost, and some of a few bytes that don't.
        assert!(self.most <= usize::from(LIMITS.window) + 40, "seed {seed}: {} letters on a way", self.most);
        for (_, ranks) in &self.nodes {
            // What is on its way, and what waits for it, when the others hear that it is full.
            let each = usize::from(LIMITS.window) * LIMITS.letter + LIMITS.queue + LIMITS.letter;
            assert!(
                ranks.most_seen <= ranks.most + self.nodes.len() * each,
                "seed {seed}: {} bytes unreceived",
                ranks.most_seen
            );
        }
    }
}

/// How many seeds: more by `RANKINE_TEST_FULL`.
fn seeds(few: u64) -> std::ops::Range<u64> {
    if std::env::var_os("RANKINE_TEST_FULL").is_some() { 0..few * 20 } else { 0..few }
}

#[test]
fn programs_that_fit_finish() {
    for seed in seeds(1500) {
        let mut sim = Sim::new(seed, true);
        assert_eq!(sim.run(seed), End::Finished, "seed {seed}");
        for (node, ranks) in &sim.nodes {
            assert_eq!(node.pending(), (0, 0), "seed {seed}");
            assert!(ranks.all_left());
        }
        sim.check_bounds(seed);
    }
}

#[test]
fn any_program_finishes_or_is_stuck() {
    let mut ends = [0; 2];
    for seed in seeds(2500) {
        let mut sim = Sim::new(seed + 1_000_000, false);
        match sim.run(seed) {
            End::Finished => ends[0] += 1,
            End::Deadlock => ends[1] += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
        sim.check_bounds(seed);
    }
    // Otherwise the programs are none to learn from.
    assert!(ends.iter().all(|&times| times > 100), "{ends:?}");
}

#[test]
fn a_node_that_falls_silent_is_named_everywhere() {
    let (mut named, mut earlier) = (0, 0);
    for seed in seeds(150) {
        let mut sim = Sim::new(seed + 2_000_000, false);
        let dies = sim.drawn.below(sim.nodes.len());
        for _ in 0..sim.drawn.below(3000) {
            sim.turn();
        }
        if sim.nodes.iter().any(|(_, ranks)| ranks.ended.is_some()) {
            continue;
        }
        sim.dead = Some(dies);
        // What had been under way may come, or not.
        if sim.drawn.below(2) == 0 {
            sim.ways[dies].iter_mut().for_each(VecDeque::clear);
        }
        sim.run(seed);
        for (node, (_, ranks)) in sim.nodes.iter().enumerate().filter(|(node, _)| *node != dies) {
            match ranks.ended {
                Some(End::Gone { node }) if node == dies as u32 => named += 1,
                // All had been counted before it died.
                Some(End::Deadlock | End::Finished) => earlier += 1,
                ended => panic!("seed {seed}: node {node}: {ended:?}"),
            }
        }
    }
    assert!(named > 20 * earlier, "named {named} times, over before {earlier} times");
}

/// Whose process was stopped, and goes on, hears the others as soon as it looks; who never answers is named then, too.
#[test]
fn a_node_that_stood_still_names_nobody_at_once() {
    let waits = |from| vec![Step::Receive { from: Some(from), tag: None, room: 1, blocks: true }];
    let mut sim = Sim::with(Drawn(1), 2, 1, vec![waits(1), waits(0)]);
    let (node, ranks) = &mut sim.nodes[0];
    let mut now = 10 * LIMITS.patience;
    node.tick(1, ranks);
    node.tick(now, ranks);
    assert_eq!(node.ended(), None);
    let since = now;
    while node.ended().is_none() {
        now += LIMITS.patience / 4;
        node.tick(now, ranks);
    }
    assert_eq!(node.ended(), Some(End::Gone { node: 1 }));
    assert!(now - since > LIMITS.patience && now - since <= LIMITS.patience * 3 / 2);
}

#[test]
fn who_floods_a_node_offers_after_a_while() {
    let flood = (0..500).map(|_| Step::Send { to: 1, tag: 0, length: LIMITS.whole, blocks: false });
    let mut flood: Vec<Step> = flood.collect();
    flood.push(Step::Wait);
    // The receiver waits for the last first, so that all others lie there.
    flood.push(Step::Send { to: 1, tag: 1, length: 1, blocks: false });
    flood.push(Step::Wait);
    let first = Step::Receive { from: Some(0), tag: Some(0), room: 40, blocks: true };
    let mut receiver = vec![first; 500];
    receiver.push(Step::Receive { from: None, tag: Some(1), room: 1, blocks: true });
    let mut sim = Sim::with(Drawn(1), 2, 1, vec![flood, receiver]);
    assert_eq!(sim.run(0), End::Finished);
    sim.check_bounds(0);
    assert!(sim.most_queued < LIMITS.queue + 500 * 40, "{} bytes wait for one node", sim.most_queued);
}

#[test]
fn groups_are_fetched_whole() {
    let mut sim = Sim::with(Drawn(1), 3, 1, vec![Vec::new(); 3]);
    let sizes = [1, 33, 34, 0, 500];
    for (number, size) in (7..).zip(sizes) {
        sim.nodes[0].0.fetch(1 + number as u32 % 2, size, number);
    }
    assert_eq!(sim.run(0), End::Finished);
    let mut fetched = std::mem::take(&mut sim.nodes[0].1.fetched);
    fetched.sort_unstable();
    let wanted = |size| (size > 0).then(|| (0..size).map(|rank| rank * 3).collect::<Vec<u32>>());
    assert_eq!(fetched, (7..).zip(sizes.map(wanted)).collect::<Vec<_>>());
}

/// The same seed makes the same job.
#[test]
fn a_seed_says_all() {
    let told = |seed| {
        let mut sim = Sim::new(seed, false);
        let end = sim.run(seed);
        (end, sim.now, sim.most, sim.nodes.iter().map(|(_, ranks)| ranks.wakes).collect::<Vec<_>>())
    };
    for seed in 0..20 {
        assert_eq!(told(seed), told(seed));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    use rankine_nodes::{Envelope, Frame, HEAD, Head, Tally};
    let envelope = |to| Envelope { to, context: 0, source: 1, tag: 0 };
    let bytes = [0; 41];
    let refused: [Vec<Frame<'_>>; 14] = [
        vec![Frame::Fetched { number: 1, found: true, left: 0, ranks: &[0; 4] }],
        vec![Frame::Message { envelope: envelope(1), bytes: &[] }],
        vec![Frame::Message { envelope: envelope(0), bytes: &bytes }],
        vec![Frame::Offer { envelope: envelope(7), length: 1, number: 1 }],
        vec![Frame::Offer { envelope: envelope(0), length: u64::MAX, number: 1 }],
        vec![
            Frame::Offer { envelope: envelope(0), length: 1, number: 1 },
            Frame::Offer { envelope: envelope(0), length: 1, number: 1 },
        ],
        vec![Frame::Piece { arrival: 1, at: 0, bytes: &[1] }],
        vec![
            Frame::Offer { envelope: envelope(0), length: 9, number: 1 },
            Frame::Piece { arrival: 1, at: 0, bytes: &[1] },
        ],
        vec![Frame::Count { wave: 1 }],
        vec![Frame::End(End::Finished)],
        vec![Frame::End(End::Deadlock)],
        vec![Frame::Full { rank: 0, full: true }],
        vec![Frame::Counted { wave: 0, tally: Tally { quiet: true, left: true, sent: 0, received: 0 } }],
        vec![Frame::Ask { number: 1, arrival: 1, wanted: 101 }],
    ];
    for frames in refused {
        let mut sim =
            Sim::with(Drawn(0), 2, 1, vec![vec![Step::Send { to: 1, tag: 0, length: 100, blocks: false }], Vec::new()]);
        let (node, ranks) = &mut sim.nodes[0];
        ranks.step(0, node);
        let mut letter = vec![0; HEAD];
        Head { sequence: 0, returned: 0, costs: true }.write(&mut letter);
        frames.iter().for_each(|frame| frame.write(&mut letter));
        assert!(node.read(1, &letter, ranks).is_err(), "{frames:?}");
    }
    let heads = [Head { sequence: 1, returned: 0, costs: false }, Head { sequence: 0, returned: 1, costs: false }];
    for head in heads {
        let mut sim = Sim::with(Drawn(0), 2, 1, vec![Vec::new(), Vec::new()]);
        let (node, ranks) = &mut sim.nodes[0];
        let mut letter = vec![0; HEAD];
        head.write(&mut letter);
        assert!(node.read(1, &letter, ranks).is_err(), "{head:?}");
        assert!(node.read(0, &letter, ranks).is_err() && node.read(2, &letter, ranks).is_err());
    }
}
