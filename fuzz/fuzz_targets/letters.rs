//! Letters that no honest node has written: they are read or refused, and what is read is written as the same bytes. A node
//! that hears them does nothing that its ranks have no part in.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_nodes::{End, Envelope, HEAD, Head, Limits, Node, Site, State, reads_as_written};

#[derive(Debug, arbitrary::Arbitrary)]
enum Step {
    /// A letter with these frames and a good head.
    Frames(Vec<u8>),
    /// Any bytes.
    Letter(Vec<u8>),
    Send { to: u8, length: u16 },
    TakeBack(u8),
    Abandon(u8),
    /// The receive of an arrival is found.
    Ask { arrival: u8, room: u16 },
    Tick,
}

const LIMITS: Limits = Limits { letter: 256, window: 2, queue: 512, whole: 64, patience: 100 };
const NODES: u32 = 3;

#[derive(Default)]
struct Ranks {
    /// What was announced: its length, and how many bytes are to come, once they were asked for.
    arrivals: BTreeMap<u64, (u64, Option<(u64, u64)>)>,
    offers: BTreeMap<u64, u64>,
}

impl Site for Ranks {
    fn has(&self, rank: u32) -> bool {
        rank < 4
    }
    fn state(&self) -> State {
        State::Waits
    }
    fn is_at(&self, rank: u32, node: u32) -> bool {
        rank / 4 == node
    }
    fn deliver(&mut self, envelope: &Envelope, bytes: &[u8]) {
        assert!(envelope.to < 4 && bytes.len() <= LIMITS.whole);
    }
    fn announce(&mut self, envelope: &Envelope, length: u64, arrival: u64) {
        assert!(envelope.to < 4);
        assert_eq!(self.arrivals.insert(arrival, (length, None)), None);
    }
    fn is_full(&mut self, rank: u32) -> bool {
        rank == 3
    }
    fn read(&mut self, number: u64, at: u64, bytes: &mut [u8]) -> bool {
        let length = self.offers[&number];
        assert!(at + bytes.len() as u64 <= length);
        true
    }
    fn sent(&mut self, number: u64) {
        assert!(self.offers.remove(&number).is_some());
    }
    fn taken_back(&mut self, number: u64, taken: bool) {
        assert!(self.offers.contains_key(&number));
        if taken {
            self.offers.remove(&number);
        }
    }
    fn write(&mut self, arrival: u64, at: u64, bytes: &[u8]) {
        let (length, Some((wanted, come))) = self.arrivals.get_mut(&arrival).unwrap() else { panic!("nobody has asked") };
        assert!(*wanted <= *length && at == *come && at + bytes.len() as u64 <= *wanted);
        *come += bytes.len() as u64;
    }
    fn arrived(&mut self, arrival: u64) {
        let (_, Some((wanted, come))) = self.arrivals.remove(&arrival).unwrap() else { panic!("nobody has asked") };
        assert_eq!(wanted, come);
    }
    fn broken(&mut self, arrival: u64) {
        assert!(self.arrivals.remove(&arrival).unwrap().1.is_some());
    }
    fn withdraw(&mut self, arrival: u64, _: bool) -> bool {
        assert!(self.arrivals.remove(&arrival).unwrap().1.is_none());
        true
    }
    fn lend(&mut self, ticket: u32) -> Option<Vec<u32>> {
        (ticket < 100).then(|| (0..ticket).collect())
    }
    fn fetched(&mut self, number: u64, ranks: Option<Vec<u32>>) -> Result<(), String> {
        assert!(number == 1 && ranks.is_none_or(|ranks| ranks.len() <= self.largest_group()));
        Ok(())
    }
    fn largest_group(&self) -> usize {
        100
    }
    fn serve(&mut self, from: u32, _number: u64, _bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        Err(format!("node {from} calls a window, and there is none"))
    }
    fn answered(&mut self, from: u32, _number: u64, _bytes: &[u8]) -> Result<(), String> {
        Err(format!("node {from} answers nobody"))
    }
    fn full(&mut self, _: u32, _: bool) {}
    fn end(&mut self, _: End) {}
}

fuzz_target!(|steps: Vec<Step>| {
    let (mut node, mut ranks) = (Node::new(0, NODES, LIMITS), Ranks::default());
    node.fetch(1, 5, 1);
    let (mut sequence, mut now, mut last, mut letter) = (0, 0, 0, Vec::new());
    for step in steps {
        match step {
            Step::Frames(frames) => {
                let mut bytes = vec![0; HEAD];
                Head { sequence, returned: 0, costs: false }.write(&mut bytes);
                bytes.extend(frames);
                assert_ne!(reads_as_written(&bytes), Some(false));
                sequence += 1;
                if node.read(1, &bytes, &mut ranks).is_err() {
                    return;
                }
            }
            Step::Letter(bytes) => {
                assert_ne!(reads_as_written(&bytes), Some(false));
                if node.read(2, &bytes, &mut ranks).is_err() {
                    return;
                }
            }
            Step::Send { to, length } => {
                let to = 1 + u32::from(to) % (NODES - 1);
                let envelope = Envelope { to: to * 4, context: 0, source: 0, tag: 0 };
                last += 1;
                ranks.offers.insert(last, length.into());
                node.offer(to, envelope, length.into(), last);
            }
            Step::TakeBack(number) => node.take_back(number.into()),
            Step::Abandon(number) => {
                ranks.offers.remove(&number.into());
                node.abandon(number.into());
            }
            Step::Ask { arrival, room } => {
                if let Some((length, asked @ None)) = ranks.arrivals.get_mut(&arrival.into()) {
                    *asked = Some((u64::from(room).min(*length), 0));
                    node.ask(arrival.into(), room.into(), &mut ranks);
                }
            }
            Step::Tick => {
                now += 1;
                node.tick(now, &mut ranks);
            }
        }
        while node.next_letter(&mut letter, &mut ranks).is_some() {
            assert_eq!(reads_as_written(&letter), Some(true));
        }
    }
});
