//! A list that can grow while others read it.
//!
//! Elements never move. Those that the list began with are an array, and are found as in one; those that were added lie in
//! blocks, each twice as long as the one before, as in Dechev, Pirkelbauer, Stroustrup, "Lock-free dynamically resizable
//! arrays", OPODIS 2006.

use std::ops::{Index, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The length of the first block.
const FIRST: usize = 64;
/// As many elements can be added as a job may have ranks.
const BLOCKS: usize = 15;

type Block<T> = Box<[OnceLock<T>]>;

/// A list that grows, and whose elements never move.
pub struct Growing<T> {
    first: Box<[T]>,
    blocks: [OnceLock<Block<T>>; BLOCKS],
    /// How many there are. It changes when they all are there.
    length: AtomicUsize,
    /// Held by who adds some.
    adding: Mutex<()>,
}

/// The block of the element that was added as this one, and its place there.
fn place(added: usize) -> (usize, usize) {
    let number = added + FIRST;
    let block = (number / FIRST).ilog2() as usize;
    (block, number - (FIRST << block))
}

impl<T> Growing<T> {
    /// A list of these.
    pub fn new(first: impl IntoIterator<Item = T>) -> Growing<T> {
        let first: Box<[T]> = first.into_iter().collect();
        let length = AtomicUsize::new(first.len());
        Growing { first, blocks: [const { OnceLock::new() }; BLOCKS], length, adding: Mutex::new(()) }
    }

    /// How many it began with.
    pub fn first_len(&self) -> usize {
        self.first.len()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.length.load(Ordering::SeqCst)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element of a number, if there is one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        match self.first.get(index) {
            None => self.added(index),
            found => found,
        }
    }

    #[inline(never)]
    fn added(&self, index: usize) -> Option<&T> {
        let (block, at) = place(index - self.first.len());
        self.blocks.get(block)?.get()?.get(at)?.get()
    }

    /// All that are there now.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map_while(|index| self.get(index))
    }

    fn adding(&self) -> MutexGuard<'_, ()> {
        self.adding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds `count` elements, by their numbers, unless there would be more than `most` of them.
    pub fn add(&self, count: usize, most: usize, element: impl FnMut(usize) -> T) -> Option<Range<usize>> {
        let _adding = self.adding();
        let start = self.len();
        let end = start.checked_add(count).filter(|&end| end <= most)?;
        self.fill(end, element).then_some(start..end)
    }

    /// Adds elements until there are so many.
    pub fn reach(&self, end: usize, element: impl FnMut(usize) -> T) {
        let _adding = self.adding();
        self.fill(end, element);
    }

    /// Nothing is added if the blocks don't reach that far.
    fn fill(&self, end: usize, mut element: impl FnMut(usize) -> T) -> bool {
        let (start, first) = (self.len(), self.first.len());
        if end > start && place(end - 1 - first).0 >= BLOCKS {
            return false;
        }
        for index in start..end {
            let (block, at) = place(index - first);
            let block = self.blocks[block].get_or_init(|| (0..FIRST << block).map(|_| OnceLock::new()).collect());
            let _ = block[at].set(element(index));
        }
        self.length.store(end.max(start), Ordering::SeqCst);
        true
    }
}

impl<T> Index<usize> for Growing<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        self.get(index).expect("there are so many")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_one_another() {
        let mut next = (0, 0);
        for added in 0..100_000 {
            assert_eq!(place(added), next);
            next = if next.1 + 1 == FIRST << next.0 { (next.0 + 1, 0) } else { (next.0, next.1 + 1) };
        }
        assert!(place((1 << 20) - 1).0 < BLOCKS);
    }

    #[test]
    fn what_is_there_stays_where_it_is() {
        let list = Growing::new(0..3);
        let first: Vec<*const usize> = (0..3).map(|index| &raw const list[index]).collect();
        assert_eq!(list.add(100, 1000, |index| index), Some(3..103));
        let more: Vec<*const usize> = (0..103).map(|index| &raw const list[index]).collect();
        assert_eq!(list.add(300, 403, |index| index), Some(103..403));
        assert_eq!(list.add(1, 403, |index| index), None);
        assert_eq!(list.add(usize::MAX, usize::MAX, |index| index), None);
        assert_eq!(list.add(usize::MAX / 2, usize::MAX, |index| index), None);
        list.reach(403, |_| unreachable!());
        assert!(list.iter().copied().eq(0..403));
        assert!(
            first.iter().chain(&more[3..]).enumerate().all(|(index, at)| std::ptr::eq(*at, &raw const list[index]))
        );
        assert!(list.get(403).is_none());
    }

    #[test]
    fn who_looks_sees_whole_elements() {
        let list = Growing::new([vec![0usize]]);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..50).for_each(|_| assert!(list.add(2, 1000, |index| vec![index]).is_some())));
            }
            scope.spawn(|| {
                while list.len() < 201 {
                    assert!(list.iter().enumerate().all(|(index, element)| element[0] == index));
                }
            });
        });
        assert_eq!(list.len(), 201);
    }
}
