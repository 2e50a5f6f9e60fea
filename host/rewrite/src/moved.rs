//! Where instructions were before a module was changed.

use crate::sections::length_of_number;

/// A module that was changed.
pub struct Changed {
    /// The module.
    pub binary: Vec<u8>,
    /// How that moved its instructions.
    pub moved: Moved,
}

/// Where the instructions of a module were before it was changed.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// Offsets from which on instructions lie as far apart as they did, and what these were.
    steps: Vec<(u32, u32)>,
    /// Where the functions begin that it did not have.
    end: Option<u32>,
}

impl Moved {
    /// From this offset on, as far as the next one, instructions lie as they did from that one.
    pub fn add(&mut self, now: u32, before: u32) {
        self.steps.push((now, before));
    }

    /// Instructions that kept their places in the section of code: where that section's content begins now, and where it began. The
    /// first function moves all the same when the number of functions, which stands before it, takes another byte.
    pub fn add_code(&mut self, (now, content): (usize, &[u8]), (before, old): (usize, &[u8])) {
        self.add((now + length_of_number(content)) as u32, (before + length_of_number(old)) as u32);
    }

    /// What lies there and behind is new.
    pub fn end(&mut self, now: u32) {
        self.end = Some(now);
    }

    /// Where an instruction was before; nothing if it is new.
    pub fn before(&self, offset: u32) -> Option<u32> {
        if self.end.is_some_and(|end| offset >= end) {
            return None;
        }
        let at = self.steps.partition_point(|&(now, _)| now <= offset);
        Some(match at.checked_sub(1).map(|at| self.steps[at]) {
            Some((now, before)) => before.saturating_add(offset - now),
            None => offset,
        })
    }
}
