//! [`Queue`]: waiting entries, ordered by due time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Entries ordered by due time. Entries with the same due time leave in the order in which they
/// came.
///
/// An entry that is no longer wanted stays until it is the first, or until half of all entries are
/// unwanted: taking it out of the middle would move others, which costs more than all the rest of a
/// cancellation. The owner of an entry knows whether it is still wanted; the queue asks.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<Node>>,
    /// About how many entries are unwanted.
    unwanted: usize,
    /// The number of entries so far, modulo 2^32.
    arrivals: u32,
}

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) due: i64,
    /// Modulo 2^32: entries with the same due time are fewer than 2^31 arrivals apart.
    arrival: u32,
    pub(crate) owner: u32,
}

impl Ord for Node {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let arrival = self.arrival.wrapping_sub(other.arrival).cast_signed();
        self.due.cmp(&other.due).then(arrival.cmp(&0))
    }
}

impl PartialOrd for Node {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Collections that shrink after a burst keep room for this many entries.
pub(crate) const KEPT_CAPACITY: usize = 1024;

impl Queue {
    /// Returns the first entry, which may be unwanted.
    #[inline]
    pub(crate) fn first(&self) -> Option<Node> {
        self.heap.peek().map(|Reverse(node)| *node)
    }

    /// Removes the first entry.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Node> {
        let Reverse(node) = self.heap.pop()?;
        if self.heap.len() < self.heap.capacity() / 4 && self.heap.capacity() > KEPT_CAPACITY {
            self.heap.shrink_to(self.heap.capacity() / 2);
        }
        Some(node)
    }

    /// Removes the first entry, which is unwanted.
    pub(crate) fn discard_first(&mut self) {
        self.pop();
        self.unwanted = self.unwanted.saturating_sub(1);
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, due: i64, owner: u32) {
        self.heap.push(Reverse(Node { due, arrival: self.arrivals, owner }));
        self.arrivals = self.arrivals.wrapping_add(1);
    }

    /// Records that an entry is no longer wanted. Returns whether so many are unwanted that the queue
    /// should [forget](Self::retain) them.
    #[inline]
    pub(crate) fn note_unwanted(&mut self) -> bool {
        self.unwanted += 1;
        self.unwanted > self.heap.len() / 2
    }

    /// Keeps the entries that are wanted.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(Node) -> bool) {
        self.heap.retain(|Reverse(node)| is_wanted(*node));
        self.unwanted = 0;
        if self.heap.len() < self.heap.capacity() / 4 {
            self.heap.shrink_to((self.heap.capacity() / 2).max(KEPT_CAPACITY));
        }
    }
}
