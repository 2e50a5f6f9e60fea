//! Where a rank is in a figure: at which step, and how often it has begun again.
//!
//! Of a rank with one thread that is plain: its steps ascend, and one that does not begins anew. The threads of a rank may
//! publish a part each, or in turns, and need not be at one step.

use crate::frames::When;
use crate::local::Area;

/// Threads that are remembered: more than this publish one field in turns, or are new each time.
const MOST_THREADS: usize = 64;

#[derive(Default)]
pub(crate) struct Place {
    /// The newest step of any thread, and the parts that were published for it.
    latest: Option<When>,
    areas: Vec<Area>,
    /// Where the threads are; those that have published last are behind.
    threads: Vec<(u32, When)>,
}

impl Place {
    /// A thread publishes a part for a step: when that is.
    pub fn at(&mut self, thread: u32, step: i64, area: Area) -> When {
        let known = self.threads.iter().position(|(number, _)| *number == thread);
        let own = known.map(|known| self.threads.remove(known).1);
        let first = When::after(own, step).round;
        let mut when = match self.latest {
            Some(latest) => When { round: first.max(latest.round), step },
            None => When { round: first, step },
        };
        if self.latest == Some(when) && self.areas.iter().any(|other| other.overlaps(&area)) {
            when.round = when.round.wrapping_add(1);
        }
        if self.latest.is_none_or(|latest| when > latest) {
            self.latest = Some(when);
            self.areas.clear();
        }
        if self.latest == Some(when) {
            self.areas.push(area);
        }
        if self.threads.len() == MOST_THREADS {
            self.threads.remove(0);
        }
        self.threads.push((thread, when));
        when
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(from: u32) -> Area {
        Area { start: [from, 0], count: [2, 4] }
    }

    fn when(round: u32, step: i64) -> When {
        When { round, step }
    }

    #[test]
    fn steps_of_one_thread_ascend_or_begin_again() {
        let mut place = Place::default();
        let whens = [3, 4, 0, 0, 1].map(|step| place.at(0, step, rows(0)));
        assert_eq!(whens, [when(0, 3), when(0, 4), when(1, 0), when(2, 0), when(2, 1)]);
        assert_eq!(place.threads.len(), 1);
    }

    #[test]
    fn threads_publish_a_part_each() {
        let mut place = Place::default();
        for step in 0..3 {
            for thread in [2, 0, 1] {
                assert_eq!(place.at(thread, step, rows(2 * thread)), when(0, step));
            }
        }
        // One is a step behind.
        assert_eq!(place.at(0, 4, rows(0)), when(0, 4));
        assert_eq!(place.at(1, 3, rows(2)), when(0, 3));
        assert_eq!(place.at(1, 4, rows(2)), when(0, 4));
        // All begin again, one after another.
        for thread in 0..3 {
            assert_eq!(place.at(thread, 0, rows(2 * thread)), when(1, 0));
        }
    }

    #[test]
    fn threads_publish_in_turns() {
        let mut place = Place::default();
        let whens = [(0, 1), (1, 2), (0, 3), (1, 0), (0, 1)].map(|(thread, step)| place.at(thread, step, rows(0)));
        assert_eq!(whens, [when(0, 1), when(0, 2), when(0, 3), when(1, 0), when(1, 1)]);
        // And without counting.
        let mut place = Place::default();
        let whens = [0, 1, 2, 0].map(|thread| place.at(thread, 7, rows(0)));
        assert_eq!(whens, [when(0, 7), when(1, 7), when(2, 7), when(3, 7)]);
    }

    #[test]
    fn threads_without_end_are_not_all_remembered() {
        let mut place = Place::default();
        for n in 0..10_000 {
            assert_eq!(place.at(n, n.into(), rows(0)), when(0, n.into()));
        }
        assert!(place.threads.len() <= MOST_THREADS && place.areas.len() == 1);
    }
}
