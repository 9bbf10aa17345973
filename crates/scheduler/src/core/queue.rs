//! [`Queue`]: waiting entries, ordered by due time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Entries ordered by due time. Entries with the same due time leave in the order of their arrival.
///
/// An unwanted entry stays until it is the first, or until half of all entries are unwanted:
/// removing it from the middle would move others, which costs more than the rest of a cancellation.
/// Callers pass `is_wanted`, since only the owner of an entry knows whether it is still wanted.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    heap: BinaryHeap<Reverse<Node<T>>>,
    /// The approximate number of unwanted entries.
    unwanted: usize,
    /// The number of entries so far, modulo 2^32.
    arrivals: u32,
}

/// An entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<T> {
    pub(crate) due: i64,
    /// Modulo 2^32: entries with the same due time are fewer than 2^31 arrivals apart.
    arrival: u32,
    pub(crate) owner: T,
}

impl<T> Ord for Node<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        let arrival = self.arrival.wrapping_sub(other.arrival).cast_signed();
        self.due.cmp(&other.due).then(arrival.cmp(&0))
    }
}

impl<T> PartialOrd for Node<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Node<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Node<T> {}

/// Collections that shrink after a burst keep room for this many entries.
pub(crate) const KEPT_CAPACITY: usize = 1024;

/// The maximum number of entries to remove one by one.
const MOST_DISCARDED: usize = 100;

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), unwanted: 0, arrivals: 0 }
    }
}

impl<T: Copy> Queue<T> {
    /// Adds an entry. Returns whether it is due before all others.
    #[inline]
    pub(crate) fn push(&mut self, due: i64, owner: T) -> bool {
        let is_first = self.heap.peek().is_none_or(|Reverse(first)| due < first.due);
        self.heap.push(Reverse(Node { due, arrival: self.arrivals, owner }));
        self.arrivals = self.arrivals.wrapping_add(1);
        is_first
    }

    /// Returns the first wanted entry, and removes all entries before it.
    #[inline]
    pub(crate) fn first(&mut self, mut is_wanted: impl FnMut(&Node<T>) -> bool) -> Option<Node<T>> {
        let mut discarded = 0;
        loop {
            let Reverse(first) = *self.heap.peek()?;
            if is_wanted(&first) {
                return Some(first);
            }
            if discarded < MOST_DISCARDED {
                discarded += 1;
                self.unwanted = self.unwanted.saturating_sub(1);
                self.pop();
            } else {
                // Many are unwanted: removing them all at once is faster.
                self.retain(&mut is_wanted);
            }
        }
    }

    /// Removes the first entry.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Node<T>> {
        let Reverse(node) = self.heap.pop()?;
        if self.heap.len() < self.heap.capacity() / 4 && self.heap.capacity() > KEPT_CAPACITY {
            self.heap.shrink_to(self.heap.capacity() / 2);
        }
        Some(node)
    }

    /// Records that a number of entries are no longer wanted.
    #[inline]
    pub(crate) fn forget(&mut self, count: usize, is_wanted: impl FnMut(&Node<T>) -> bool) {
        self.unwanted += count;
        if self.unwanted > self.heap.len() / 2 {
            self.retain(is_wanted);
        }
    }

    /// Keeps the entries that are wanted.
    fn retain(&mut self, mut is_wanted: impl FnMut(&Node<T>) -> bool) {
        self.heap.retain(|Reverse(node)| is_wanted(node));
        self.unwanted = 0;
        if self.heap.len() < self.heap.capacity() / 4 {
            self.heap.shrink_to((self.heap.capacity() / 2).max(KEPT_CAPACITY));
        }
    }
}
