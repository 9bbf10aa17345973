//! [`Queue`]: what waits, by the time it is due.

/// What waits, the first due first; those due at the same time in the order in
/// which they came.
///
/// A heap of four children a node, as J. W. J. Williams' "Algorithm 232: Heapsort",
/// CACM 1964, has two. It is in one array, so that the children of a node lie beside
/// each other. Each entry tells its owner where it has moved to, so that it can be
/// taken out from anywhere, in O(log n), and nothing of it stays behind.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: Vec<Entry>,
    /// How many have come, modulo 2^32.
    arrivals: u32,
}

/// An entry: when it is due, which arrival it is, and whose. The four children of a
/// node are as long as a line of the cache.
#[derive(Clone, Copy, Debug)]
struct Entry {
    due: i64,
    /// Modulo 2^32; no two that are due at the same time are half as far apart.
    arrival: u32,
    owner: u32,
}

impl Entry {
    #[inline]
    const fn is_before(self, other: Self) -> bool {
        if self.due == other.due {
            self.arrival.wrapping_sub(other.arrival).cast_signed() < 0
        } else {
            self.due < other.due
        }
    }
}

/// Where the queue notes the places of its entries.
pub(crate) trait Places {
    /// The entry of an owner is at a place now.
    fn put(&mut self, owner: u32, place: u32);
}

const CHILDREN: usize = 4;

/// Below so many entries no room is given back.
const FEW: usize = 1024;

impl Queue {
    /// When the first is due, and whose it is.
    #[inline]
    pub(crate) fn first(&self) -> Option<(i64, u32)> {
        self.entries.first().map(|entry| (entry.due, entry.owner))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, due: i64, owner: u32, places: &mut impl Places) {
        let entry = Entry { due, arrival: self.arrivals, owner };
        self.arrivals = self.arrivals.wrapping_add(1);
        self.entries.push(entry);
        self.rise(self.entries.len() - 1, places);
    }

    /// Takes out the entry at a place.
    pub(crate) fn remove(&mut self, place: u32, places: &mut impl Places) {
        let place = place as usize;
        if place >= self.entries.len() {
            return;
        }
        self.entries.swap_remove(place);
        if place < self.entries.len() {
            let risen = self.rise(place, places);
            if risen == place {
                self.sink(place, places);
            }
        }
        if self.entries.len() < self.entries.capacity() / 4 && self.entries.capacity() > FEW {
            self.entries.shrink_to(self.entries.capacity() / 2);
        }
    }

    /// Moves an entry up to where its parent is no later. Returns that place.
    fn rise(&mut self, mut place: usize, places: &mut impl Places) -> usize {
        let entry = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / CHILDREN;
            if self.entries[parent].is_before(entry) {
                break;
            }
            self.put(place, self.entries[parent], places);
            place = parent;
        }
        self.put(place, entry, places);
        place
    }

    /// Moves an entry down to where none of its children is earlier.
    fn sink(&mut self, mut place: usize, places: &mut impl Places) {
        let entry = self.entries[place];
        loop {
            let first = place * CHILDREN + 1;
            let end = (first + CHILDREN).min(self.entries.len());
            let children = self.entries.get(first..end).unwrap_or(&[]);
            let children = (first..end).zip(children.iter().copied());
            let least =
                children.reduce(|this, other| if other.1.is_before(this.1) { other } else { this });
            let Some((child, least)) = least.filter(|(_, child)| child.is_before(entry)) else {
                break;
            };
            self.put(place, least, places);
            place = child;
        }
        self.put(place, entry, places);
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "owners are told by 32 bits")]
    fn put(&mut self, place: usize, entry: Entry, places: &mut impl Places) {
        self.entries[place] = entry;
        places.put(entry.owner, place as u32);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    impl Places for BTreeMap<u32, u32> {
        fn put(&mut self, owner: u32, place: u32) {
            self.insert(owner, place);
        }
    }

    /// Pushes, pops and removals, drawn at random, beside a sorted set.
    #[test]
    fn it_is_a_sorted_set() {
        let mut queue = Queue::default();
        let mut places = BTreeMap::new();
        let mut expected = BTreeSet::new();
        let mut dues = BTreeMap::new();
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for owner in 0..20_000_u32 {
            // It grows at first, and shrinks at last.
            if random(20_000) > u64::from(owner) / 2 {
                let due = i64::try_from(random(500)).unwrap();
                queue.push(due, owner, &mut places);
                expected.insert((due, owner));
                dues.insert(owner, due);
            }
            if random(20_000) < u64::from(owner) {
                let place = u32::try_from(random(queue.len() as u64 + 1)).unwrap();
                let taken: Vec<u32> = places
                    .iter()
                    .filter(|(_, at)| **at == place)
                    .map(|(owner, _)| *owner)
                    .collect();
                queue.remove(place, &mut places);
                for owner in taken {
                    places.remove(&owner);
                    expected.remove(&(dues[&owner], owner));
                }
            }
            assert_eq!(queue.len(), expected.len());
            assert_eq!(queue.first(), expected.first().copied());
        }
        // Those that are due at the same time leave as they came.
        while let Some((due, owner)) = expected.pop_first() {
            assert_eq!(queue.first(), Some((due, owner)));
            queue.remove(0, &mut places);
        }
        assert_eq!(
            (queue.first(), queue.entries.capacity()),
            (None, FEW.min(queue.entries.capacity()))
        );
    }
}
