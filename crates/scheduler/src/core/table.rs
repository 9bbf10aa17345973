//! [`Table`]: all jobs, each identified by a key.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use super::entry::{Entry, JobEntry, Removed, Value};

/// The number of slots in a page.
const PAGE: usize = 256;

/// A collection of jobs, each identified by a key that is never used again.
///
/// Each page contains jobs of one type, so closures of any type need no allocation of their own, and a
/// cancellation reads only one place in memory. A page without jobs frees its slots: after all jobs are
/// removed, less than a byte per job remains.
#[derive(Default)]
pub(crate) struct Table {
    pages: Vec<Page>,
    /// The pages with vacant slots, each listed once, by the type of their slots.
    open: HashMap<TypeId, Vec<u32>>,
    len: usize,
}

/// The key of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The number of the job.
    pub(crate) serial: u64,
    /// The index of the slot: 256 times the page, plus the slot in the page.
    pub(crate) slot: u32,
}

struct Page {
    slots: Slots,
    /// The vacant slots.
    vacant: Vec<u8>,
    is_open: bool,
}

/// The slots of a page.
enum Slots {
    /// Plain one-shot jobs with closures of one type.
    Once(Box<dyn TypedSlots>),
    /// All other jobs. A run accesses its job several times, so no dynamic call is in the way.
    Other(Vec<Option<Box<JobEntry>>>),
}

/// The slots of a page, for jobs of any one type.
trait TypedSlots: Any + Send {
    /// Returns the job in a slot, and its number.
    fn entry(&mut self, slot: usize) -> Option<(u64, Entry<'_>)>;

    /// Removes and returns the job in a slot.
    fn remove(&mut self, slot: usize) -> Option<Removed>;

    fn len(&self) -> usize;

    #[cfg(test)]
    fn capacity(&self) -> usize;

    /// Frees the slots, which are all vacant.
    fn free(&mut self);
}

impl<T: Value> TypedSlots for Vec<Option<T>> {
    #[inline]
    fn entry(&mut self, slot: usize) -> Option<(u64, Entry<'_>)> {
        let job = self.get_mut(slot)?.as_mut()?;
        Some((job.serial(), job.entry()))
    }

    fn remove(&mut self, slot: usize) -> Option<Removed> {
        self.get_mut(slot)?.take().map(T::remove)
    }

    fn len(&self) -> usize {
        self.len()
    }

    #[cfg(test)]
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn free(&mut self) {
        *self = Self::new();
    }
}

impl Slots {
    /// Creates the slots of a page for a first job.
    fn new<T: Value>(job: T) -> Self {
        let mut slots = vec![Some(job)];
        match (&mut slots as &mut dyn Any).downcast_mut() {
            Some(slots) => Self::Other(std::mem::take(slots)),
            None => Self::Once(Box::new(slots)),
        }
    }

    /// Returns the job in a slot, and its number.
    #[inline]
    fn entry(&mut self, slot: usize) -> Option<(u64, Entry<'_>)> {
        match self {
            Self::Once(slots) => slots.entry(slot),
            Self::Other(slots) => slots.entry(slot),
        }
    }

    fn typed(&mut self) -> &mut dyn TypedSlots {
        match self {
            Self::Once(slots) => &mut **slots,
            Self::Other(slots) => slots,
        }
    }
}

impl Table {
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Adds a job, whose number must never have been used before.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before 2^32 slots")]
    pub(crate) fn insert<T: Value>(&mut self, job: T) -> Key {
        let serial = job.serial();
        self.len += 1;
        let open = self.open.entry(TypeId::of::<Vec<Option<T>>>()).or_default();
        if let Some(&index) = open.last()
            && let Some(page) = self.pages.get_mut(index as usize)
            && let Some(slots) = (page.slots.typed() as &mut dyn Any).downcast_mut()
        {
            let slot = insert(slots, &mut page.vacant, job);
            page.is_open = slots.len() < PAGE || !page.vacant.is_empty();
            if !page.is_open {
                open.pop();
            }
            return Key { serial, slot: index * PAGE as u32 + slot };
        }
        let index = self.pages.len() as u32;
        self.pages.push(Page { slots: Slots::new(job), vacant: Vec::new(), is_open: true });
        open.push(index);
        Key { serial, slot: index * PAGE as u32 }
    }

    /// Returns the job of a key, unless it was removed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<Entry<'_>> {
        let (found, entry) = self.at_mut(key.slot)?;
        (found == key).then_some(entry)
    }

    /// Returns the job in a slot, and its key.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: u32) -> Option<(Key, Entry<'_>)> {
        let page = self.pages.get_mut(slot as usize / PAGE)?;
        let (serial, entry) = page.slots.entry(slot as usize % PAGE)?;
        Some((Key { serial, slot }, entry))
    }

    /// Returns the number of slots, including vacant ones.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before 2^32 slots")]
    pub(crate) const fn slots(&self) -> u32 {
        (self.pages.len() * PAGE) as u32
    }

    /// Removes and returns all jobs.
    pub(crate) fn into_removed(self) -> impl Iterator<Item = Removed> {
        self.pages
            .into_iter()
            .flat_map(|mut page| (0..PAGE).filter_map(move |slot| page.slots.typed().remove(slot)))
    }

    /// Removes the job of a key.
    #[expect(clippy::cast_possible_truncation, reason = "the page of a 32-bit slot")]
    pub(crate) fn remove(&mut self, key: Key) -> Option<Removed> {
        self.get_mut(key)?;
        let (index, slot) = (key.slot as usize / PAGE, key.slot as usize % PAGE);
        let page = self.pages.get_mut(index)?;
        let slots = page.slots.typed();
        let removed = slots.remove(slot)?;
        self.len -= 1;
        page.vacant.push(slot as u8);
        if page.vacant.len() == slots.len() {
            slots.free();
            page.vacant = Vec::new();
        }
        if !page.is_open {
            page.is_open = true;
            let slots: &dyn Any = slots;
            self.open.entry(slots.type_id()).or_default().push(index as u32);
        }
        Some(removed)
    }
}

/// Adds a job to a page with a vacant slot. Returns the slot.
#[expect(clippy::cast_possible_truncation, reason = "a page has 256 slots")]
fn insert<T>(slots: &mut Vec<Option<T>>, vacant: &mut Vec<u8>, job: T) -> u32 {
    if let Some(slot) = vacant.pop() {
        slots[usize::from(slot)] = Some(job);
        return slot.into();
    }
    slots.push(Some(job));
    (slots.len() - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::once::OnceJob;
    use crate::run::Outcome;

    /// Adds a job, of one type or another.
    fn add(table: &mut Table, serial: u64) -> Key {
        if serial.is_multiple_of(3) {
            table.insert(OnceJob::new(serial, |_, _| None))
        } else {
            table
                .insert(OnceJob::new(serial, move |_, _| Some(Outcome::Failed(serial.to_string()))))
        }
    }

    fn serial(table: &mut Table, key: Key) -> Option<u64> {
        match table.get_mut(key)? {
            Entry::Once(header) => Some(header.serial()),
            Entry::Other(_) => None,
        }
    }

    fn removed_serial(removed: &Removed) -> Option<u64> {
        match removed {
            Removed::Once(header, _) => Some(header.serial()),
            Removed::Other(_) => None,
        }
    }

    #[test]
    fn a_key_never_refers_to_another_job() {
        let mut table = Table::default();
        let mut present: Vec<(Key, Option<u64>)> = Vec::new();
        let mut removed: Vec<Key> = Vec::new();
        for round in 0..5_u64 {
            for number in 1..=1000 {
                let number = round * 1000 + number;
                present.push((add(&mut table, number), Some(number)));
            }
            let mut index = 0;
            present.retain(|(key, number)| {
                index += 1;
                let stays = index % 3 == round % 3;
                if !stays {
                    assert_eq!(table.remove(*key).as_ref().and_then(removed_serial), *number);
                    removed.push(*key);
                }
                stays
            });
            assert_eq!(table.len(), present.len());
            assert!(present.iter().all(|(key, number)| serial(&mut table, *key) == *number));
            assert!(removed.iter().all(|key| serial(&mut table, *key).is_none()));
            assert!(removed.iter().all(|key| table.remove(*key).is_none()));
        }
        let mut left: Vec<_> = table.into_removed().map(|it| removed_serial(&it)).collect();
        let mut expected: Vec<_> = present.into_iter().map(|(_, number)| number).collect();
        left.sort_unstable();
        expected.sort_unstable();
        assert_eq!(left, expected);
    }

    #[test]
    fn an_empty_page_frees_its_memory_and_is_filled_again() {
        let mut table = Table::default();
        for round in 0..3 {
            let keys: Vec<Key> =
                (1..=1000).map(|number| add(&mut table, round * 1000 + number)).collect();
            // 333 or 334 jobs of one type, 666 or 667 of the other.
            assert_eq!(table.pages.len(), 5);
            for key in keys {
                table.remove(key);
            }
            assert!(table.pages.iter_mut().all(|page| page.slots.typed().capacity() == 0));
        }
    }

    #[test]
    fn a_closure_takes_no_more_than_its_own_size_and_16_bytes() {
        fn size<F: Send + 'static>(_: &F) -> usize {
            size_of::<Option<OnceJob<F>>>()
        }
        assert_eq!(size(&|| ()), 16);
        let shared = std::sync::Arc::new(());
        assert_eq!(size(&move || drop(shared.clone())), size_of::<usize>() + 16);
    }
}
