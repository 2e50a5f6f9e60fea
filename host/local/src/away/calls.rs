//! What ranks want of windows and files on other nodes, and what is answered. What the bytes mean is for these to know.

use std::collections::HashMap;
use std::time::Duration;

use super::{Request, lock};
use crate::world::World;

/// Answers that ranks of this node wait for.
#[derive(Default)]
pub(super) struct Calls {
    last: u64,
    by_number: HashMap<u64, Call>,
}

struct Call {
    rank: u32,
    /// Who is asked, and how long the answer is: a byte if it is refused.
    node: u32,
    length: usize,
    answer: Option<Vec<u8>>,
}

impl World {
    /// A rank is about to ask a node something, of which it hears so many bytes; the number for that, which is not 0.
    pub(crate) fn expect_answer(&self, rank: u32, node: u32, length: usize) -> u64 {
        let mut calls = lock(&self.away().calls);
        calls.last += 1;
        let number = calls.last;
        calls.by_number.insert(number, Call { rank, node, length, answer: None });
        number
    }

    /// Calls a node, which answers by this number unless it is 0.
    pub(crate) fn call_node(&self, node: u32, number: u64, bytes: Vec<u8>) {
        self.away().ask(Request::Call { node, number, bytes });
    }

    /// Calls a node that need not answer.
    pub(crate) fn tell_node(&self, node: u32, bytes: Vec<u8>) {
        self.call_node(node, 0, bytes);
    }

    /// Answers a call of another node.
    pub(crate) fn answer_node(&self, node: u32, number: u64, bytes: Vec<u8>) {
        self.away().ask(Request::Answer { node, number, bytes });
    }

    /// The answer that was expected by a number, once it has come.
    pub(crate) fn take_answer(&self, number: u64) -> Option<Vec<u8>> {
        let mut calls = lock(&self.away().calls);
        let answer = calls.by_number.get_mut(&number)?.answer.take()?;
        calls.by_number.remove(&number);
        Some(answer)
    }

    /// Waits at once until `ready`, which the threads that carry letters see to, who wait for nobody; false if the job has ended.
    pub(crate) fn wait_for_carriers(&self, mut ready: impl FnMut() -> bool) -> bool {
        let mut looks = 0u32;
        while !ready() {
            if self.ended().is_some() {
                return false;
            }
            looks = looks.saturating_add(1);
            match looks {
                0..500 => std::hint::spin_loop(),
                500..1000 => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
        }
        true
    }

    /// An answer has come. An error says why it is none.
    pub fn take_call_answer(&self, from: u32, number: u64, bytes: &[u8]) -> Result<(), String> {
        let odd = || format!("an answer of {} bytes by the number {number}", bytes.len());
        let rank = {
            let mut calls = lock(&self.away().calls);
            let call = calls.by_number.get_mut(&number).filter(|call| call.node == from).ok_or_else(odd)?;
            if call.answer.is_some() || bytes.len() != call.length && bytes.len() != 1 {
                return Err(odd());
            }
            call.answer = Some(bytes.to_vec());
            call.rank
        };
        self.wake(rank);
        Ok(())
    }
}
