//! [`Slots`]: values identified by keys.

/// The number of slots in a page.
const PAGE: usize = 256;

/// A collection of values, each identified by a key that is never used again.
///
/// Values are stored in pages. A page without values frees its slots: after all values are removed,
/// less than a byte for each remains.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    pages: Vec<Page<T>>,
    /// The pages with room, each listed once.
    open: Vec<u32>,
    len: usize,
    /// The number of values inserted so far.
    inserted: u64,
}

/// The key of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The number of the value among all that were inserted, from 1.
    pub(crate) serial: u64,
    /// The index of the slot: 256 times the page, plus the slot in the page.
    pub(crate) slot: u32,
}

#[derive(Debug)]
struct Page<T> {
    slots: Vec<Slot<T>>,
    /// A number for each slot; see [`Slots::tag_mut`].
    tags: Vec<u32>,
    /// The first of the linked list of vacant slots.
    vacant: Option<u8>,
    len: u16,
    is_open: bool,
}

#[derive(Debug)]
enum Slot<T> {
    /// With the next vacant slot of the page.
    Vacant(Option<u8>),
    /// With the serial number of the value.
    Taken(u64, T),
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), open: Vec::new(), len: 0, inserted: 0 }
    }
}

impl<T> Slots<T> {
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Adds a value.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before 2^32 slots")]
    pub(crate) fn insert(&mut self, value: T) -> Key {
        let page = self.open.last().copied().unwrap_or_else(|| {
            let page =
                Page { slots: Vec::new(), tags: Vec::new(), vacant: None, len: 0, is_open: true };
            self.pages.push(page);
            self.open.push(self.pages.len() as u32 - 1);
            self.pages.len() as u32 - 1
        });
        self.inserted += 1;
        self.len += 1;
        let (slot, is_full) = self.pages[page as usize].insert(self.inserted, value);
        if is_full {
            self.open.pop();
        }
        Key { serial: self.inserted, slot: page * PAGE as u32 + u32::from(slot) }
    }

    /// Returns the value of a key, unless it was removed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        match self.slot(key.slot)? {
            Slot::Taken(serial, value) if *serial == key.serial => Some(value),
            _ => None,
        }
    }

    /// Returns the value in a slot, and its key.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: u32) -> Option<(Key, &mut T)> {
        match self.slot(slot)? {
            Slot::Taken(serial, value) => Some((Key { serial: *serial, slot }, value)),
            Slot::Vacant(_) => None,
        }
    }

    /// Returns the number stored with a slot. Tags are stored apart from the values, so that
    /// updating many of them touches few cache lines.
    #[inline]
    pub(crate) fn tag_mut(&mut self, slot: u32) -> Option<&mut u32> {
        let (page, slot) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages.get_mut(page)?.tags.get_mut(slot)
    }

    #[inline]
    fn slot(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        let (page, slot) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages.get_mut(page)?.slots.get_mut(slot)
    }

    /// Returns all values.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        let slots = self.pages.into_iter().flat_map(|page| page.slots);
        slots.filter_map(|slot| match slot {
            Slot::Taken(_, value) => Some(value),
            Slot::Vacant(_) => None,
        })
    }

    /// Removes the value of a key.
    #[expect(clippy::cast_possible_truncation, reason = "the page of a 32-bit slot")]
    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        self.get_mut(key)?;
        let index = key.slot as usize / PAGE;
        let page = self.pages.get_mut(index)?;
        let value = page.remove(key.slot as usize % PAGE);
        self.len -= 1;
        if !page.is_open {
            page.is_open = true;
            self.open.push(index as u32);
        }
        value
    }
}

impl<T> Page<T> {
    /// Adds a value. Returns its slot, and whether the page is now full.
    #[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
    fn insert(&mut self, serial: u64, value: T) -> (u8, bool) {
        let taken = Slot::Taken(serial, value);
        let index = if let Some(index) = self.vacant {
            let slot = &mut self.slots[usize::from(index)];
            match slot {
                Slot::Vacant(next) => self.vacant = *next,
                Slot::Taken(..) => debug_assert!(false, "a slot in the vacant list is taken"),
            }
            *slot = taken;
            index
        } else {
            self.slots.push(taken);
            self.tags.push(0);
            (self.slots.len() - 1) as u8
        };
        self.len += 1;
        self.is_open = usize::from(self.len) < PAGE;
        (index, !self.is_open)
    }

    /// Removes the value from a taken slot.
    #[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
    fn remove(&mut self, index: usize) -> Option<T> {
        let vacant = Slot::Vacant(self.vacant);
        let Slot::Taken(_, value) = std::mem::replace(self.slots.get_mut(index)?, vacant) else {
            debug_assert!(false, "the slot is vacant");
            return None;
        };
        self.vacant = Some(index as u8);
        self.len -= 1;
        if self.len == 0 {
            (self.slots, self.tags, self.vacant) = (Vec::new(), Vec::new(), None);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_refers_to_another_value() {
        let mut slots = Slots::default();
        let mut present: Vec<(Key, u32)> = Vec::new();
        let mut removed: Vec<Key> = Vec::new();
        for round in 0..5_u32 {
            for value in 0..1000 {
                present.push((slots.insert(round * 1000 + value), round * 1000 + value));
            }
            let mut index = 0;
            present.retain(|(key, value)| {
                index += 1;
                let stays = index % 3 == round % 3;
                if !stays {
                    assert_eq!(slots.remove(*key), Some(*value));
                    removed.push(*key);
                }
                stays
            });
            assert_eq!(slots.len(), present.len());
            assert!(
                present.iter().all(|(key, value)| slots.get_mut(*key).copied() == Some(*value))
            );
            assert!(removed.iter().all(|key| slots.get_mut(*key).is_none()));
            assert!(removed.iter().all(|key| slots.remove(*key).is_none()));
        }
    }

    #[test]
    fn an_empty_page_frees_its_memory_and_is_filled_again() {
        let mut slots = Slots::default();
        for _ in 0..3 {
            let keys: Vec<Key> = (0..1000).map(|value| slots.insert(value)).collect();
            assert_eq!(slots.pages.len(), 4);
            for key in keys {
                slots.remove(key);
            }
            assert!(slots.pages.iter().all(|page| page.slots.capacity() == 0));
        }
    }
}
