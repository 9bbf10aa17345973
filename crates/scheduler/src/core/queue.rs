//! [`Queue`]: waiting entries, ordered by due time.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::hash::Hash;

/// Entries ordered by due time. Entries with the same due time leave in the order of their arrival.
///
/// An unwanted entry stays until it is the first, or until half of all entries are unwanted:
/// removing it from the middle would move others, which costs more than the rest of a cancellation.
/// Callers pass `is_wanted`, since only the owner of an entry knows whether it is still wanted. It wants at most one
/// entry, or several with the same due time.
///
/// Many entries that are due at once leave the heap together, and are sorted: that takes a fraction of
/// removing them from the heap one by one. An entry that is added later and comes after all sorted ones
/// joins them, so the next events of jobs with the same schedule stay sorted.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    heap: BinaryHeap<Reverse<Node<T>>>,
    /// Entries that have left the heap together, and later ones, in order.
    sorted: VecDeque<Node<T>>,
    /// The number of entries that left the heap one by one since others left it together.
    popped: usize,
    /// At least the number of unwanted entries and duplicates.
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
        Self {
            heap: BinaryHeap::new(),
            sorted: VecDeque::new(),
            popped: 0,
            unwanted: 0,
            arrivals: 0,
        }
    }
}

impl<T: Copy + Eq + Hash> Queue<T> {
    /// Adds an entry. Returns whether it is due before all others.
    #[inline]
    pub(crate) fn push(&mut self, due: i64, owner: T) -> bool {
        let is_first = self.peek().is_none_or(|first| due < first.due);
        let node = Node { due, arrival: self.arrivals, owner };
        self.arrivals = self.arrivals.wrapping_add(1);
        if self.sorted.back().is_some_and(|last| last.due <= due) {
            self.sorted.push_back(node);
        } else {
            self.heap.push(Reverse(node));
        }
        is_first
    }

    /// Returns the number of entries, including unwanted ones.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.heap.len() + self.sorted.len()
    }

    /// Returns the first entry.
    #[inline]
    fn peek(&self) -> Option<Node<T>> {
        if self.is_sorted_first() {
            self.sorted.front().copied()
        } else {
            self.heap.peek().map(|Reverse(first)| *first)
        }
    }

    /// Whether the first entry is one that has left the heap.
    #[inline]
    fn is_sorted_first(&self) -> bool {
        match (self.sorted.front(), self.heap.peek()) {
            (Some(sorted), Some(Reverse(other))) => sorted < other,
            (sorted, _) => sorted.is_some(),
        }
    }

    /// Returns the first wanted entry, and removes all entries before it.
    #[inline]
    pub(crate) fn first(&mut self, mut is_wanted: impl FnMut(&Node<T>) -> bool) -> Option<Node<T>> {
        let mut discarded = 0;
        loop {
            let first = self.peek()?;
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
        let first = if self.is_sorted_first() {
            self.sorted.pop_front()
        } else {
            self.popped += 1;
            self.heap.pop().map(|Reverse(first)| first)
        };
        self.shrink();
        first
    }

    /// Gives back memory after a burst.
    #[inline]
    fn shrink(&mut self) {
        let (len, capacity) = (self.heap.len(), self.heap.capacity());
        if len < capacity / 4 && capacity > KEPT_CAPACITY {
            self.heap.shrink_to(KEPT_CAPACITY.max(2 * len));
        }
        let (len, capacity) = (self.sorted.len(), self.sorted.capacity());
        if len < capacity / 4 && capacity > KEPT_CAPACITY {
            self.sorted.shrink_to(KEPT_CAPACITY.max(2 * len));
        }
    }

    /// Prepares the removal of all entries that are due by an instant, which are probably many. As this
    /// looks at all entries, it does nothing until a part of them has left the heap one by one.
    pub(crate) fn sort_due(&mut self, until: i64) {
        if 32 * self.popped <= self.len() {
            return;
        }
        self.popped = 0;
        let mut due = Vec::with_capacity(self.heap.len());
        self.heap.retain(|Reverse(node)| {
            let is_later = node.due > until;
            if !is_later {
                due.push(*node);
            }
            is_later
        });
        let sorted = self.sorted.partition_point(|node| node.due <= until);
        due.extend(self.sorted.drain(..sorted));
        due.sort_unstable();
        if self.sorted.is_empty() {
            self.sorted = due.into();
        } else {
            self.sorted.reserve(due.len());
            due.into_iter().rev().for_each(|node| self.sorted.push_front(node));
        }
    }

    /// Records that a number of entries are no longer wanted.
    #[inline]
    pub(crate) fn forget(&mut self, count: usize, is_wanted: impl FnMut(&Node<T>) -> bool) {
        self.unwanted += count;
        if 2 * self.unwanted > self.len() {
            self.retain(is_wanted);
        }
    }

    /// Keeps the entries that are wanted, one for each owner.
    fn retain(&mut self, mut is_wanted: impl FnMut(&Node<T>) -> bool) {
        let before = self.len();
        self.sorted.retain(&mut is_wanted);
        self.heap.retain(|Reverse(node)| is_wanted(node));
        // An unwanted entry is wanted again if its owner waits for the same instant again.
        if before - self.len() < self.unwanted {
            self.remove_duplicates();
        }
        self.unwanted = 0;
        self.shrink();
    }

    /// Keeps the first entry of each owner.
    fn remove_duplicates(&mut self) {
        let heap = self.heap.drain().map(|Reverse(node)| node);
        let mut nodes: Vec<_> = heap.chain(self.sorted.drain(..)).collect();
        nodes.sort_unstable();
        let mut owners = HashSet::new();
        nodes.retain(|node| owners.insert(node.owner));
        self.sorted = nodes.into();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The oracle is a set of due times and numbers, which it keeps in order.
    #[test]
    fn wanted_entries_leave_in_order() {
        let (mut queue, mut expected) = (Queue::default(), BTreeSet::new());
        let (mut count, mut random) = (0, 1_u64);
        for _ in 0..400 {
            // The generator of PCG, whose highest bits are good.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let due = i64::try_from(random >> 56).expect("it is below 256") % 40;
            match (random >> 40) % 10 {
                // A burst, and others around it.
                0..=2 => {
                    for number in count..count + 900 {
                        let due = if number % 4 == 0 { due + number % 7 } else { due };
                        let is_first = expected.first().is_none_or(|(first, _)| due < *first);
                        let is_said_to_be = queue.push(due, number);
                        // Unwanted entries may still be before it.
                        assert!(is_first || !is_said_to_be);
                        expected.insert((due, number));
                    }
                    count += 900;
                }
                3 => {
                    let before = expected.len();
                    expected.retain(|(_, number)| number % 3 != due % 3);
                    queue.forget(before - expected.len(), |node| {
                        expected.contains(&(node.due, node.owner))
                    });
                }
                4..=6 => queue.sort_due(due),
                _ => {
                    for _ in 0..due * 20 {
                        let first = queue.first(|it| expected.contains(&(it.due, it.owner)));
                        let first = first.map(|node| (node.due, node.owner));
                        assert_eq!(first, expected.first().copied());
                        assert_eq!(queue.pop().map(|it| (it.due, it.owner)), first);
                        expected.pop_first();
                    }
                }
            }
        }
        assert!(count > 90_000 && !expected.is_empty());
    }

    #[test]
    fn a_burst_is_sorted_and_gives_back_its_memory() {
        let mut queue = Queue::default();
        for due in (0..100_000_i64).rev() {
            assert!(queue.push(due, ()));
        }
        assert!((0..3_000).all(|due| queue.pop().is_some_and(|node| node.due == due)));
        queue.sort_due(50_000);
        assert_eq!(queue.sorted.len(), 0, "less than a thirty-second part was removed");
        assert!((3_000..20_000).all(|due| queue.pop().is_some_and(|node| node.due == due)));
        queue.sort_due(50_000);
        assert_eq!((queue.sorted.len(), queue.heap.len()), (30_001, 49_999));
        assert!((20_000..100_000).all(|due| queue.pop().is_some_and(|node| node.due == due)));
        assert!(queue.sorted.capacity().max(queue.heap.capacity()) <= 2 * KEPT_CAPACITY);
        (0..100_000_i64).for_each(|due| assert_eq!(queue.push(due, ()), due == 0));
        queue.sort_due(100_000);
        assert_eq!(queue.sorted.len(), 100_000);
        assert!(!queue.push(99_999, ()) && !queue.push(100_000, ()) && !queue.push(99_999, ()));
        assert_eq!((queue.sorted.len(), queue.heap.len()), (100_002, 1), "in order, or not");
        queue.forget(100_003, |_| false);
        assert!(queue.pop().is_none());
        assert!(queue.sorted.capacity().max(queue.heap.capacity()) <= 2 * KEPT_CAPACITY);
    }
}
