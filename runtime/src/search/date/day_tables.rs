//! [`DayTables`]: any days, as bits.

use crate::bits;
use crate::search::range::DAYS;

/// The number of words in the range.
pub(crate) const WORDS: usize = DAYS.div_ceil(64) as usize;

/// Days of the range, as bits.
pub type DayWords = [u64; WORDS];

// So that an index below 0, which becomes a high one, finds the default; see `bits::element`.
const _: () = assert!(!WORDS.is_power_of_two());

/// By how many words a guess may be off before the words are bisected.
const NEAR: u32 = 4;

/// Below this mean distance, in 2^16ths of a day, a guess is mostly off by only a few days.
const DENSE: u32 = 8 << 16;

/// Days of the range, as words of bits with the rank of each word.
///
/// Searches read the 64 days from a day on. If none of them is in the set, the next one is selected by its
/// rank.
#[derive(Clone, Debug)]
pub struct DayTables {
    words: [u64; WORDS],
    /// The number of days before each word.
    ranks: [u16; WORDS],
    count: u16,
    first: u16,
    last: u16,
    /// The mean distance from one day to the next, in 2^16ths of a day.
    distance: u32,
}

impl DayTables {
    /// Returns the days with the given bits. Before the first one comes day 0, and after the last
    /// one a day after the range.
    #[must_use]
    pub const fn new(words: &[u64; WORDS]) -> Self {
        Self::within(words, &[u64::MAX; WORDS])
    }

    /// Returns the days that two sets have in common.
    #[expect(clippy::cast_possible_truncation, reason = "a day is below 2^16")]
    pub(crate) const fn within(words: &[u64; WORDS], others: &[u64; WORDS]) -> Self {
        let (mut words, mut ranks) = (*words, [0; WORDS]);
        // It is constant evaluation that makes the tables of a schedule on a calendar, and each statement of
        // this loop takes it microseconds.
        let (mut index, mut count) = (0, 0);
        while index < WORDS {
            let word = words[index] & others[index];
            words[index] = word;
            ranks[index] = count as u16;
            count += word.count_ones();
            index += 1;
        }
        let (mut first, mut last) = (DAYS, 0);
        if count > 0 {
            let (mut low, mut high) = (0, WORDS - 1);
            while words[low] == 0 {
                low += 1;
            }
            while words[high] == 0 {
                high -= 1;
            }
            first = 64 * low as u32 + bits::first(words[low]);
            last = 64 * high as u32 + bits::last(words[high]);
        }
        let distance = match ((last + 1).saturating_sub(first) << 16).checked_div(count) {
            Some(distance) => distance,
            None => 0,
        };
        let [count, first, last] = [count as u16, first as u16, last as u16];
        Self { words, ranks, count, first, last, distance }
    }

    /// Returns the bits.
    #[must_use]
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.words
    }

    /// Whether there are no days.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the first day; a day after the range if there are none.
    #[must_use]
    pub const fn first(&self) -> u32 {
        self.first as u32
    }

    /// Returns the last day; 0 if there are none.
    #[must_use]
    pub const fn last(&self) -> u32 {
        self.last as u32
    }

    /// Returns the number of days.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count as u32
    }

    /// Returns the first day after the next 64 days.
    #[cold]
    #[inline(never)]
    fn ceil_far(&self, day: u32) -> u32 {
        let rank = self.rank(day);
        if rank < self.count.into() { self.select(rank) } else { DAYS }
    }

    /// Returns the last day before the last 64 days.
    #[cold]
    #[inline(never)]
    fn floor_far(&self, day: u32) -> u32 {
        self.rank(day).checked_sub(1).map_or(0, |rank| self.select(rank))
    }

    /// Returns the value that is `steps` values after a place or, if negative, before it. If there is
    /// no value at the place, 0 steps are one step after it. The place is from -1 to the highest one.
    #[inline(always)]
    #[must_use]
    pub fn step(&self, place: i32, steps: i32) -> Option<u32> {
        // Where to start, and how many values to skip from there on.
        let is_after = i32::from(steps > 0);
        let (start, skipped) = (place + is_after, steps - is_after);
        if matches!(skipped, -8..8)
            && let Some(near) = self.step_near(start, skipped)
        {
            return Some(near);
        }
        self.step_far(start, skipped)
    }

    /// Returns the value to step to if it is among the next or, with negative `steps`, the last eight
    /// places.
    #[inline(always)]
    fn step_near(&self, start: i32, steps: i32) -> Option<u32> {
        let first = if steps < 0 { start - 8 } else { start }.cast_unsigned();
        let places = self.places(first);
        let before = if steps < 0 { places.count() } else { 0 };
        let rank = before.wrapping_add_signed(steps);
        (rank < places.count()).then(|| first + places.at(rank))
    }

    /// Returns which of eight places have values: all that a table of bytes can answer.
    #[inline(always)]
    fn places(&self, first: u32) -> bits::Places {
        // A place out of range becomes a high one, where there are no words, and so no values.
        let low = bits::element(&self.words, first / 64, 0) >> (first % 64);
        let high = bits::element(&self.words, first / 64 + 1, 0) << 1 << (63 - first % 64);
        bits::Places::of(low | high)
    }

    /// Whether to look around a place that is guessed. Values must be dense, and all places in range, which is checked
    /// once instead of for each word.
    #[inline(always)]
    fn looks_near(&self, from: u32, first: u32) -> bool {
        from < DAYS && (8..DAYS - 72).contains(&first) && self.distance < DENSE
    }

    /// Returns the value to step to. If values are dense, looks first around the place where it is if all of
    /// them are spread evenly.
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "a place out of range is not looked at")]
    fn step_far(&self, start: i32, steps: i32) -> Option<u32> {
        let from = start.cast_unsigned();
        let distance = ((i64::from(steps) * i64::from(self.distance)) >> 16).cast_unsigned();
        let first = from.wrapping_add(distance as u32).wrapping_sub(4);
        if self.looks_near(from, first) {
            let places = self.places(first);
            let rank = self.rank(from).wrapping_add_signed(steps).wrapping_sub(self.rank(first));
            if rank < places.count() {
                return Some(first + places.at(rank));
            }
            let rest = rank.cast_signed();
            let near = if rest < 0 {
                self.step_near(first.cast_signed(), rest)
            } else {
                self.step_near(first.cast_signed() + 8, rest - places.count().cast_signed())
            };
            if near.is_some() {
                return near;
            }
        }
        self.step_any(start, steps)
    }

    /// Returns the value to step to, if there is one.
    #[cold]
    #[inline(never)]
    fn step_any(&self, start: i32, steps: i32) -> Option<u32> {
        // Before the first value, it becomes higher than all ranks.
        let rank = self.rank(start.max(0).cast_unsigned()).wrapping_add_signed(steps);
        (rank < self.count.into()).then(|| self.select(rank))
    }

    /// Whether a word has the value with `rank` values before it.
    #[inline(always)]
    fn has_rank(&self, index: u32, rank: u32) -> bool {
        let before = |index| u32::from(bits::element(&self.ranks, index, u16::MAX));
        before(index) <= rank && rank < before(index + 1)
    }

    /// Returns the value of a word with `rank` values before it.
    #[inline(always)]
    const fn select_in(&self, index: u32, rank: u32) -> u32 {
        let before = bits::element(&self.ranks, index, 0) as u32;
        index * 64 + bits::select(self.at(index * 64), rank.wrapping_sub(before) & 63)
    }

    /// Returns the index of the word with the value that has `rank` values before it.
    ///
    /// If the values are spread evenly, as the days of most calendars are, a guess is off by a word or
    /// two.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 words")]
    fn word_of(&self, rank: u32) -> u32 {
        let begins = |index: u32| u32::from(bits::element(&self.ranks, index, u16::MAX)) <= rank;
        let before = (u64::from(rank) * u64::from(self.distance)) >> 16;
        let guess = (u32::from(self.first) + before as u32) / 64;
        let first = guess.saturating_sub(NEAR / 2);
        // Counting takes no branch.
        let index = first + (1..=NEAR).map(|step| u32::from(begins(first + step))).sum::<u32>();
        if self.has_rank(index, rank) {
            return index;
        }
        self.ranks[1..].partition_point(|before| u32::from(*before) <= rank) as u32
    }

    /// Returns the first day at or after a day.
    #[inline(always)]
    #[must_use]
    pub fn ceil(&self, day: u32) -> u32 {
        let days = self.at(day) >> (day % 64) | self.at(day + 64) << 1 << (63 - day % 64);
        if days == 0 { self.ceil_far(day) } else { day + bits::first(days) }
    }

    /// Returns the last day at or before a day.
    #[inline(always)]
    #[must_use]
    pub fn floor(&self, day: u32) -> u32 {
        let before = self.at(day.wrapping_sub(64));
        let days = self.at(day) << (63 - day % 64) | before >> 1 >> (day % 64);
        if days == 0 { self.floor_far(day) } else { day - days.leading_zeros() }
    }

    /// Whether a day is in the set.
    #[inline(always)]
    #[must_use]
    pub const fn contains(&self, day: u32) -> bool {
        bits::contains(self.at(day), day)
    }

    /// Returns how many days are before a day.
    #[inline(always)]
    #[must_use]
    pub const fn rank(&self, day: u32) -> u32 {
        let before = bits::element(&self.ranks, day / 64, 0) as u32;
        before + bits::rank(self.at(day), day)
    }

    /// Returns the day with `rank` days before it, if there is one.
    #[inline(always)]
    #[must_use]
    pub fn select(&self, rank: u32) -> u32 {
        self.select_in(self.word_of(rank), rank)
    }

    /// Returns the word of a day.
    #[inline(always)]
    pub(super) const fn at(&self, day: u32) -> u64 {
        bits::element(&self.words, day / 64, 0)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{DAYS, DayTables, WORDS};

    #[test]
    fn searches_find_what_a_scan_finds() {
        let sets: [&[u32]; 6] =
            [&[], &[0], &[DAYS - 1], &[0, DAYS - 1], &[63, 64, 4096, 4097], &[5_000]];
        let spread: Vec<u32> = (100..DAYS - 200).step_by(67).collect();
        let weekdays: Vec<u32> = (0..DAYS).filter(|day| day % 7 < 5).collect();
        // Too uneven for guesses, and only for a part of the range.
        let clusters: Vec<u32> =
            (7_000..12_000).filter(|day| day * day % 97 < 40 && day % 50 > 9).collect();
        for days in sets.into_iter().chain([&*spread, &weekdays, &clusters]) {
            let mut words = [0; WORDS];
            for day in days {
                words[*day as usize / 64] |= 1 << (day % 64);
            }
            let tables = DayTables::new(&words);
            assert_eq!(tables.count() as usize, days.len());
            for day in 0..DAYS {
                let rank = days.partition_point(|it| *it < day);
                let is_in = days.get(rank) == Some(&day);
                assert_eq!(tables.contains(day), is_in, "{day}");
                assert_eq!(tables.rank(day) as usize, rank, "{day}");
                assert_eq!(tables.ceil(day), days.get(rank).copied().unwrap_or(DAYS), "{day}");
                let floor = days[..rank + usize::from(is_in)].last();
                assert_eq!(tables.floor(day), floor.copied().unwrap_or(0), "{day}");
            }
            for (rank, day) in (0..).zip(days) {
                assert_eq!(tables.select(rank), *day);
            }
            check_steps(&tables, days);
        }
    }

    fn check_steps(tables: &DayTables, days: &[u32]) {
        for place in -1..=DAYS.cast_signed() {
            let first_from = |from: i32| {
                i32::try_from(days.partition_point(|day| day.cast_signed() < from)).unwrap()
            };
            for steps in [i32::MIN, -100, -9, -8, -5, -1, 0, 1, 2, 7, 8, 9, 300, i32::MAX] {
                let index = match steps {
                    1.. => first_from(place + 1).checked_add(steps - 1),
                    _ => Some(first_from(place) + steps),
                };
                let index = index.and_then(|index| usize::try_from(index).ok());
                let day = index.and_then(|index| days.get(index).copied());
                assert_eq!(tables.step(place, steps), day, "{place} {steps}");
            }
        }
    }
}
