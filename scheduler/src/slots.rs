//! [`Slots`]: values identified by keys.

/// The number of slots in a page.
const PAGE: usize = 256;

/// A value in a slot, which knows its own number.
pub(crate) trait Numbered {
    /// Returns what a slot without a value contains.
    fn vacant() -> Self;

    /// Returns the number of the value; `None` if the slot is vacant.
    fn serial(&self) -> Option<u64>;
}

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
}

/// The key of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The number of the value.
    pub(crate) serial: u64,
    /// The index of the slot: 256 times the page, plus the slot in the page.
    pub(crate) slot: u32,
}

#[derive(Debug)]
struct Page<T> {
    slots: Vec<T>,
    /// The vacant slots.
    vacant: Vec<u8>,
    is_open: bool,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), open: Vec::new(), len: 0 }
    }
}

impl<T: Numbered> Slots<T> {
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Adds a value with a number that was never used before.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before 2^32 slots")]
    pub(crate) fn insert(&mut self, value: T) -> Key {
        let page = self.open.last().copied().unwrap_or_else(|| {
            self.pages.push(Page { slots: Vec::new(), vacant: Vec::new(), is_open: true });
            self.open.push(self.pages.len() as u32 - 1);
            self.pages.len() as u32 - 1
        });
        debug_assert!(value.serial().is_some(), "only values are inserted");
        let serial = value.serial().unwrap_or_default();
        self.len += 1;
        let (slot, is_full) = self.pages[page as usize].insert(value);
        if is_full {
            self.open.pop();
        }
        Key { serial, slot: page * PAGE as u32 + u32::from(slot) }
    }

    /// Returns the value of a key, unless it was removed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.slot(key.slot).filter(|value| value.serial() == Some(key.serial))
    }

    /// Returns the value in a slot, and its key.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: u32) -> Option<(Key, &mut T)> {
        let value = self.slot(slot)?;
        Some((Key { serial: value.serial()?, slot }, value))
    }

    /// Returns what is in a slot, which may be vacant. Unlike [`at_mut`](Self::at_mut), it does not look
    /// at the value.
    #[inline]
    pub(crate) fn slot(&mut self, slot: u32) -> Option<&mut T> {
        let (page, slot) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages.get_mut(page)?.slots.get_mut(slot)
    }

    /// Returns the number of slots, vacant ones included.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before 2^32 slots")]
    pub(crate) const fn slots(&self) -> u32 {
        (self.pages.len() * PAGE) as u32
    }

    /// Returns all values.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        let slots = self.pages.into_iter().flat_map(|page| page.slots);
        slots.filter(|value| value.serial().is_some())
    }

    /// Removes the value of a key.
    #[expect(clippy::cast_possible_truncation, reason = "the page of a 32-bit slot")]
    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        let value = std::mem::replace(self.get_mut(key)?, T::vacant());
        let index = key.slot as usize / PAGE;
        let page = self.pages.get_mut(index)?;
        page.vacate((key.slot as usize % PAGE) as u8);
        self.len -= 1;
        if !page.is_open {
            page.is_open = true;
            self.open.push(index as u32);
        }
        Some(value)
    }
}

impl<T> Page<T> {
    /// Adds a value. Returns its slot, and whether the page is now full.
    #[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
    fn insert(&mut self, value: T) -> (u8, bool) {
        let index = if let Some(index) = self.vacant.pop() {
            self.slots[usize::from(index)] = value;
            index
        } else {
            self.slots.push(value);
            (self.slots.len() - 1) as u8
        };
        self.is_open = self.slots.len() < PAGE || !self.vacant.is_empty();
        (index, !self.is_open)
    }

    /// Records that a slot is vacant.
    fn vacate(&mut self, slot: u8) {
        self.vacant.push(slot);
        if self.vacant.len() == self.slots.len() {
            (self.slots, self.vacant) = (Vec::new(), Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Numbered for Option<u64> {
        fn vacant() -> Self {
            None
        }

        fn serial(&self) -> Option<u64> {
            *self
        }
    }

    #[test]
    fn a_key_never_refers_to_another_value() {
        let mut slots = Slots::default();
        let mut present: Vec<(Key, Option<u64>)> = Vec::new();
        let mut removed: Vec<Key> = Vec::new();
        for round in 0..5_u64 {
            for value in 0..1000 {
                let value = Some(round * 1000 + value);
                present.push((slots.insert(value), value));
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
        for round in 0..3 {
            let keys: Vec<Key> =
                (0..1000).map(|value| slots.insert(Some(round * 1000 + value))).collect();
            assert_eq!(slots.pages.len(), 4);
            for key in keys {
                slots.remove(key);
            }
            assert!(slots.pages.iter().all(|page| page.slots.capacity() == 0));
        }
    }
}
