//! A wire in memory: letters arrive after a while, in order from each node to each other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rankine_nodes::{Frame, Head, Wire};

type Ways = Vec<Vec<Mutex<VecDeque<(Instant, Vec<u8>)>>>>;

/// What all nodes of a job have of the wire.
pub struct Memory {
    me: usize,
    ways: Arc<Ways>,
    /// How long letters take at the most.
    delay: Duration,
    drawn: u64,
    /// Whose letters are looked for next.
    next: usize,
    /// Messages, whole or offered, from node to node: one count for all wires.
    pub messages: Arc<Mutex<HashMap<(u32, u32), usize>>>,
}

impl Memory {
    pub fn all(nodes: usize, delay: Duration) -> Vec<Memory> {
        let ways: Ways = (0..nodes).map(|_| (0..nodes).map(|_| Mutex::default()).collect()).collect();
        let ways = Arc::new(ways);
        let messages = Arc::default();
        let wire = |me| {
            let (ways, messages) = (Arc::clone(&ways), Arc::clone(&messages));
            Memory { me, ways, delay, drawn: me as u64 + 1, next: 0, messages }
        };
        (0..nodes).map(wire).collect()
    }
}

impl Wire for Memory {
    fn send(&mut self, to: u32, letter: &[u8]) -> Result<(), String> {
        // Knuth's generator.
        self.drawn = self.drawn.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let delay = self.delay.mul_f64((self.drawn >> 40) as f64 / (1u64 << 24) as f64);
        let is_message = |frame: &Frame| matches!(frame, Frame::Message { .. } | Frame::Offer { .. });
        let (_, frames) = Head::read(letter).expect("a letter");
        let messages = frames.flatten().filter(is_message).count();
        *self.messages.lock().unwrap().entry((self.me as u32, to)).or_default() += messages;
        let mut way = self.ways[self.me][to as usize].lock().unwrap();
        way.push_back((Instant::now() + delay, letter.to_vec()));
        Ok(())
    }

    fn receive(&mut self, letter: &mut Vec<u8>) -> Result<Option<u32>, String> {
        for _ in 0..self.ways.len() {
            self.next = (self.next + 1) % self.ways.len();
            let mut way = self.ways[self.next][self.me].lock().unwrap();
            if way.front().is_some_and(|(at, _)| *at <= Instant::now()) {
                *letter = way.pop_front().unwrap().1;
                return Ok(Some(self.next as u32));
            }
        }
        Ok(None)
    }

    fn is_busy(&mut self) -> Result<bool, String> {
        Ok(false)
    }
}
