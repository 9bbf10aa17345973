//! [`Queue`]: a priority queue of waiting jobs.

/// Entries ordered by due time. Entries with the same due time leave in the order in which they
/// came.
///
/// A heap with four children per node, in one array; J. W. J. Williams' "Algorithm 232: Heapsort",
/// CACM 1964, has two. The four children of a node fill one cache line. The queue reports every
/// move of an entry to [`Positions`], so that an entry can be removed from anywhere in O(log n).
#[derive(Debug, Default)]
pub(crate) struct Queue {
    nodes: Vec<Node>,
    /// The number of entries so far, modulo 2^32.
    arrivals: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    due: i64,
    /// Modulo 2^32: entries with the same due time are fewer than 2^31 arrivals apart.
    arrival: u32,
    owner: u32,
}

impl Node {
    #[inline]
    const fn is_before(self, other: Self) -> bool {
        if self.due == other.due {
            self.arrival.wrapping_sub(other.arrival).cast_signed() < 0
        } else {
            self.due < other.due
        }
    }
}

/// Where the queue records the positions of its entries.
pub(crate) trait Positions {
    /// Records that the entry of an owner has moved to a position.
    fn set(&mut self, owner: u32, position: u32);
}

const CHILDREN: usize = 4;

/// Collections that shrink after a burst keep room for this many entries.
pub(crate) const KEPT_CAPACITY: usize = 1024;

impl Queue {
    /// Returns the due time and the owner of the first entry.
    #[inline]
    pub(crate) fn first(&self) -> Option<(i64, u32)> {
        self.nodes.first().map(|entry| (entry.due, entry.owner))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, due: i64, owner: u32, positions: &mut impl Positions) {
        let entry = Node { due, arrival: self.arrivals, owner };
        self.arrivals = self.arrivals.wrapping_add(1);
        self.nodes.push(entry);
        self.rise(self.nodes.len() - 1, positions);
    }

    /// Removes the entry at a position, if there is one.
    pub(crate) fn remove(&mut self, position: u32, positions: &mut impl Positions) {
        let position = position as usize;
        if position >= self.nodes.len() {
            return;
        }
        self.nodes.swap_remove(position);
        if position < self.nodes.len() {
            let risen = self.rise(position, positions);
            if risen == position {
                self.sink(position, positions);
            }
        }
        if self.nodes.len() < self.nodes.capacity() / 4 && self.nodes.capacity() > KEPT_CAPACITY {
            self.nodes.shrink_to(self.nodes.capacity() / 2);
        }
    }

    /// Moves an entry up to where its parent is not later. Returns its new position.
    fn rise(&mut self, mut position: usize, positions: &mut impl Positions) -> usize {
        let entry = self.nodes[position];
        while position > 0 {
            let parent = (position - 1) / CHILDREN;
            if self.nodes[parent].is_before(entry) {
                break;
            }
            self.place(position, self.nodes[parent], positions);
            position = parent;
        }
        self.place(position, entry, positions);
        position
    }

    /// Moves an entry down to where no child is earlier.
    fn sink(&mut self, mut position: usize, positions: &mut impl Positions) {
        let entry = self.nodes[position];
        loop {
            let first = position * CHILDREN + 1;
            let end = (first + CHILDREN).min(self.nodes.len());
            let children = self.nodes.get(first..end).unwrap_or(&[]);
            let children = (first..end).zip(children.iter().copied());
            let least =
                children.reduce(|this, other| if other.1.is_before(this.1) { other } else { this });
            let Some((child, least)) = least.filter(|(_, child)| child.is_before(entry)) else {
                break;
            };
            self.place(position, least, positions);
            position = child;
        }
        self.place(position, entry, positions);
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "there are at most as many positions as 32-bit owners"
    )]
    fn place(&mut self, position: usize, entry: Node, positions: &mut impl Positions) {
        self.nodes[position] = entry;
        positions.set(entry.owner, position as u32);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    impl Positions for BTreeMap<u32, u32> {
        fn set(&mut self, owner: u32, position: u32) {
            self.insert(owner, position);
        }
    }

    /// Random pushes and removals, compared with a sorted set.
    #[test]
    fn order_matches_a_sorted_set_under_random_changes() {
        let mut queue = Queue::default();
        let mut positions = BTreeMap::new();
        let mut expected = BTreeSet::new();
        let mut dues = BTreeMap::new();
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for owner in 0..20_000_u32 {
            // The queue grows at first and shrinks towards the end.
            if random(20_000) > u64::from(owner) / 2 {
                let due = i64::try_from(random(500)).unwrap();
                queue.push(due, owner, &mut positions);
                expected.insert((due, owner));
                dues.insert(owner, due);
            }
            if random(20_000) < u64::from(owner) {
                let position = u32::try_from(random(queue.len() as u64 + 1)).unwrap();
                let taken: Vec<u32> = positions
                    .iter()
                    .filter(|(_, at)| **at == position)
                    .map(|(owner, _)| *owner)
                    .collect();
                queue.remove(position, &mut positions);
                for owner in taken {
                    positions.remove(&owner);
                    expected.remove(&(dues[&owner], owner));
                }
            }
            assert_eq!(queue.len(), expected.len());
            assert_eq!(queue.first(), expected.first().copied());
        }
        // Entries with the same due time leave in the order in which they came.
        while let Some((due, owner)) = expected.pop_first() {
            assert_eq!(queue.first(), Some((due, owner)));
            queue.remove(0, &mut positions);
        }
        assert_eq!(
            (queue.first(), queue.nodes.capacity()),
            (None, KEPT_CAPACITY.min(queue.nodes.capacity()))
        );
    }
}
