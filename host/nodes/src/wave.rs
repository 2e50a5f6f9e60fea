//! Counting what is under way, to know when nothing is.
//!
//! A job is over, or stuck, when no rank runs and nothing is on its way that could make one run. No node can see that by
//! itself. So waves go through the tree of nodes: each brings back how many frames all nodes have sent and received, and
//! whether their ranks sleep. One wave is not enough, as frames may cross it. Two are: if all ranks slept in both, and what
//! the first has found to be received is what the second has found to be sent, nothing was under way between them, and
//! nothing can ever happen again. These are Mattern's four counters (Algorithms for distributed termination detection,
//! Distributed Computing 2, 1987).
//!
//! The root begins a wave when its own ranks have slept for a while, and at once when all ranks of all nodes have left.

use crate::frame::Tally;

/// Nodes below one in the tree.
const CHILDREN: u32 = 8;
/// Ticks between waves that have found somebody at work, at first and at the most.
const PACE: (u64, u64) = (50, 400);

/// Who is above a node of the tree; nobody above node 0.
pub(crate) fn parent(node: u32) -> Option<u32> {
    node.checked_sub(1).map(|node| node / CHILDREN)
}

/// Who is below it, of so many.
pub(crate) fn children(node: u32, nodes: u32) -> impl Iterator<Item = u32> + Clone {
    let first = u64::from(node) * u64::from(CHILDREN) + 1;
    (first..first + u64::from(CHILDREN)).take_while(move |&child| child < nodes.into()).map(|child| child as u32)
}

impl Tally {
    /// Of a part of the tree without nodes.
    const NONE: Tally = Tally { quiet: true, left: true, sent: 0, received: 0 };

    fn and(self, other: Tally) -> Tally {
        Tally {
            quiet: self.quiet && other.quiet,
            left: self.left && other.left,
            sent: self.sent.wrapping_add(other.sent),
            received: self.received.wrapping_add(other.received),
        }
    }
}

/// What a node knows of the wave that is under way.
#[derive(Debug)]
pub(crate) struct Waves {
    /// The last wave that has come here.
    pub(crate) wave: u64,
    /// Children that have not answered.
    awaited: Vec<u32>,
    sum: Tally,
    /// At the root, what the wave before has found, if that could be half of an end.
    before: Option<Tally>,
    /// At the root, what this node had counted when that last changed, and since when it is so.
    own: Option<Tally>,
    since: u64,
    pace: u64,
    /// At the root, all have left: there is nothing to wait for.
    hurries: bool,
}

/// What comes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Others have not answered.
    Waits,
    /// This is what the part of the tree has counted, without the node itself.
    Whole(Tally),
    /// Nobody has asked that.
    Odd,
}

/// What a wave has shown at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Somebody is at work.
    Work,
    /// Perhaps nobody is: another one is to follow.
    Perhaps,
    /// Nobody is, and all ranks have left, or some wait for ever.
    Over { left: bool },
}

impl Waves {
    pub(crate) fn new() -> Waves {
        Waves {
            wave: 0,
            awaited: Vec::new(),
            sum: Tally::NONE,
            before: None,
            own: None,
            since: 0,
            pace: PACE.0,
            hurries: false,
        }
    }

    /// A wave begins here, or comes here, and goes on to these nodes.
    pub(crate) fn begin(&mut self, wave: u64, children: impl Iterator<Item = u32>) {
        self.wave = wave;
        self.awaited = children.collect();
        self.sum = Tally::NONE;
    }

    /// Whether an answer is still awaited.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// A child has answered.
    pub(crate) fn answer(&mut self, child: u32, wave: u64, tally: Tally) -> Outcome {
        let Some(at) = self.awaited.iter().position(|&awaited| awaited == child) else { return Outcome::Odd };
        if wave != self.wave {
            return Outcome::Odd;
        }
        self.awaited.swap_remove(at);
        self.sum = self.sum.and(tally);
        if self.awaited.is_empty() { Outcome::Whole(self.sum) } else { Outcome::Waits }
    }

    /// The sum with what the node itself has counted.
    pub(crate) fn whole(sum: Tally, own: Tally) -> Tally {
        sum.and(own)
    }

    /// At the root: whether it is time for a wave, of a node that has counted this.
    pub(crate) fn is_due(&mut self, own: Tally, now: u64) -> bool {
        if self.own != Some(own) {
            (self.own, self.since, self.pace) = (Some(own), now, PACE.0);
        }
        own.quiet && !self.is_under_way() && (self.hurries || now.saturating_sub(self.since) >= self.pace)
    }

    /// At the root: when the next wave is due if nothing happens.
    pub(crate) fn due(&self) -> Option<u64> {
        let is_quiet = self.own.is_some_and(|own| own.quiet);
        (is_quiet && !self.is_under_way()).then(|| self.since + if self.hurries { 0 } else { self.pace })
    }

    /// At the root: all ranks of all nodes have left.
    pub(crate) fn hurry(&mut self) {
        self.hurries = true;
    }

    /// At the root: a wave has come back with this.
    pub(crate) fn show(&mut self, whole: Tally, now: u64) -> Shown {
        if !whole.quiet || whole.sent != whole.received {
            self.before = None;
            (self.since, self.pace, self.hurries) = (now, (self.pace * 2).min(PACE.1), false);
            return Shown::Work;
        }
        match self.before.replace(whole) {
            Some(before) if before.received == whole.sent => Shown::Over { left: whole.left },
            _ => Shown::Perhaps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_below_one() {
        for nodes in [1, 2, 8, 9, 10, 73, 74, 1000] {
            let mut seen = vec![0; nodes as usize];
            for node in 0..nodes {
                for child in children(node, nodes) {
                    assert_eq!(parent(child), Some(node));
                    seen[child as usize] += 1;
                }
            }
            assert_eq!(seen[0], 0);
            assert!(seen[1..].iter().all(|&times| times == 1), "{nodes}");
        }
        assert_eq!(children(u32::MAX / 2, u32::MAX).count(), 0);
    }

    #[test]
    fn one_quiet_wave_shows_nothing() {
        let quiet = |sent| Tally { quiet: true, left: false, sent, received: sent };
        let mut waves = Waves::new();
        assert_eq!(waves.show(quiet(4), 0), Shown::Perhaps);
        // A frame was sent and received in between.
        assert_eq!(waves.show(quiet(5), 1), Shown::Perhaps);
        assert_eq!(waves.show(Tally { quiet: false, ..quiet(5) }, 2), Shown::Work);
        assert_eq!(waves.show(quiet(5), 3), Shown::Perhaps);
        assert_eq!(waves.show(quiet(5), 4), Shown::Over { left: false });
    }
}
