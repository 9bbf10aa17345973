//! [`Slots`]: values that are known by a key.

/// How many slots a page has.
const PAGE: usize = 256;

/// Values that are known by a key, which no other value ever has.
///
/// They lie in pages, and a page without values is given back but for its head: when
/// all values are taken out, less than a byte is left of each.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    pages: Vec<Page<T>>,
    /// The pages that have room, each once.
    open: Vec<u32>,
    len: usize,
    /// How many values there have been.
    inserted: u64,
}

/// The key of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Which value it is, of all that there have been.
    pub(crate) serial: u64,
    /// Where it lies.
    pub(crate) slot: u32,
}

#[derive(Debug)]
struct Page<T> {
    slots: Vec<Slot<T>>,
    /// A number beside each slot.
    notes: Vec<u32>,
    /// The first vacant slot of those that were taken before.
    vacant: Option<u8>,
    len: u16,
    is_open: bool,
}

#[derive(Debug)]
enum Slot<T> {
    /// And the next one of the page that is vacant.
    Vacant(Option<u8>),
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
                Page { slots: Vec::new(), notes: Vec::new(), vacant: None, len: 0, is_open: true };
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

    /// The value of a key, while it is there.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        match self.slot(key.slot)? {
            Slot::Taken(serial, value) if *serial == key.serial => Some(value),
            _ => None,
        }
    }

    /// The value that lies somewhere, and its key.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: u32) -> Option<(Key, &mut T)> {
        match self.slot(slot)? {
            Slot::Taken(serial, value) => Some((Key { serial: *serial, slot }, value)),
            Slot::Vacant(_) => None,
        }
    }

    /// The number that is noted beside a slot. It lies apart from the value, so that
    /// many of them are near each other.
    #[inline]
    pub(crate) fn note_mut(&mut self, slot: u32) -> Option<&mut u32> {
        let (page, slot) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages.get_mut(page)?.notes.get_mut(slot)
    }

    #[inline]
    fn slot(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        let (page, slot) = (slot as usize / PAGE, slot as usize % PAGE);
        self.pages.get_mut(page)?.slots.get_mut(slot)
    }

    /// All values.
    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        let slots = self.pages.into_iter().flat_map(|page| page.slots);
        slots.filter_map(|slot| match slot {
            Slot::Taken(_, value) => Some(value),
            Slot::Vacant(_) => None,
        })
    }

    /// Takes out the value of a key.
    #[expect(clippy::cast_possible_truncation, reason = "a page of a key")]
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
    /// Adds a value. Returns where it lies, and whether there is no more room.
    #[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
    fn insert(&mut self, serial: u64, value: T) -> (u8, bool) {
        let taken = Slot::Taken(serial, value);
        let place = if let Some(place) = self.vacant {
            let slot = &mut self.slots[usize::from(place)];
            if let Slot::Vacant(next) = slot {
                self.vacant = *next;
            }
            *slot = taken;
            place
        } else {
            self.slots.push(taken);
            self.notes.push(0);
            (self.slots.len() - 1) as u8
        };
        self.len += 1;
        self.is_open = usize::from(self.len) < PAGE;
        (place, !self.is_open)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
    fn remove(&mut self, place: usize) -> Option<T> {
        let vacant = Slot::Vacant(self.vacant);
        let Slot::Taken(_, value) = std::mem::replace(self.slots.get_mut(place)?, vacant) else {
            return None;
        };
        self.vacant = Some(place as u8);
        self.len -= 1;
        if self.len == 0 {
            (self.slots, self.notes, self.vacant) = (Vec::new(), Vec::new(), None);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_key_is_of_one_value_for_ever() {
        let mut slots = Slots::default();
        let mut there: Vec<(Key, u32)> = Vec::new();
        let mut gone: Vec<Key> = Vec::new();
        for round in 0..5_u32 {
            for value in 0..1000 {
                there.push((slots.insert(round * 1000 + value), round * 1000 + value));
            }
            let mut index = 0;
            there.retain(|(key, value)| {
                index += 1;
                let stays = index % 3 == round % 3;
                if !stays {
                    assert_eq!(slots.remove(*key), Some(*value));
                    gone.push(*key);
                }
                stays
            });
            assert_eq!(slots.len(), there.len());
            assert!(there.iter().all(|(key, value)| slots.get_mut(*key).copied() == Some(*value)));
            assert!(gone.iter().all(|key| slots.get_mut(*key).is_none()));
            assert!(gone.iter().all(|key| slots.remove(*key).is_none()));
        }
    }

    #[test]
    fn an_empty_page_is_given_back_and_filled_again() {
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
