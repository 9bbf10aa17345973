//! [`WindowEnds`]: days on which only a window of the day before ends.

use super::day_tables::{DayTables, WORDS};
use crate::bits;
use crate::search::range::DAYS;

/// The distance from one stored rank to the next, in days.
const INTERVAL_DAYS: u32 = 512;

/// The same in words of days.
const INTERVAL: usize = INTERVAL_DAYS as usize / 64;

/// Some ranks of [`WindowEnds`].
///
/// The days themselves follow from those of the windows, so these are all that is stored, in 150 bytes: a schedule on
/// a calendar should be small, and few have windows that last a whole day.
#[derive(Clone, Debug)]
pub struct EndRanks {
    /// The number of days before every eighth word.
    ranks: [u16; WORDS.div_ceil(INTERVAL)],
    count: u16,
    last: u16,
}

impl EndRanks {
    /// Returns the ranks for the windows of some days.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a day is below 2^16")]
    pub const fn of(days: &DayTables) -> Self {
        let (mut ranks, mut count, mut last) = ([0; WORDS.div_ceil(INTERVAL)], 0, 0);
        let mut index = 0;
        while index < WORDS {
            if index.is_multiple_of(INTERVAL) {
                ranks[index / INTERVAL] = count as u16;
            }
            let word = word_after(days, 64 * index as u32);
            if word != 0 {
                count += word.count_ones();
                last = 64 * index as u32 + bits::last(word);
            }
            index += 1;
        }
        Self { ranks, count: count as u16, last: last as u16 }
    }

    /// Returns the number of days.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count as u32
    }

    /// Returns the last day; 0 if there are none.
    #[must_use]
    pub const fn last(&self) -> u32 {
        self.last as u32
    }
}

/// Days without a window of their own, on which the end of the window of the day before is the only
/// event. Such a window lasts a whole day, including its end: `*.*.* Fri 09:00:00..=09:00:00/1h`.
#[derive(Clone, Copy, Debug)]
pub struct WindowEnds<'a> {
    /// The days of the windows.
    pub(super) windows: &'a DayTables,
    pub(super) ranks: &'a EndRanks,
}

impl WindowEnds<'_> {
    /// Returns the number of days.
    pub(crate) const fn count(self) -> u32 {
        self.ranks.count()
    }

    /// Returns the last day; 0 if there are none.
    pub(crate) const fn last(self) -> u32 {
        self.ranks.last()
    }

    /// Returns the first day at or after a day; a day after the range if there is none.
    pub(crate) fn ceil(self, day: u32) -> u32 {
        let days = self.at(day) >> (day % 64) << (day % 64);
        if days != 0 {
            return day / 64 * 64 + bits::first(days);
        }
        let rank = self.rank(day);
        if rank < self.count() { self.select(rank) } else { DAYS }
    }

    /// Returns the last day at or before a day; 0 if there is none.
    pub(crate) fn floor(self, day: u32) -> u32 {
        let days = bits::up_to(self.at(day), day % 64);
        if days != 0 {
            return day / 64 * 64 + bits::last(days);
        }
        self.rank(day).checked_sub(1).map_or(0, |rank| self.select(rank))
    }

    /// Whether a day is in the set.
    pub(crate) const fn contains(self, day: u32) -> bool {
        bits::contains(self.at(day), day)
    }

    /// Returns how many days are before a day.
    pub(crate) fn rank(self, day: u32) -> u32 {
        let first = day - day % INTERVAL_DAYS;
        let before = bits::element(&self.ranks.ranks, day / INTERVAL_DAYS, 0).into();
        let words = (first..day - day % 64).step_by(64);
        words.fold(before, |rank: u32, day| rank + self.at(day).count_ones())
            + bits::rank(self.at(day), day)
    }

    /// Returns the day with `rank` days before it, which there must be.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^16 words")]
    fn select(self, rank: u32) -> u32 {
        let after = self.ranks.ranks.partition_point(|before| u32::from(*before) <= rank) as u32;
        let interval = after.saturating_sub(1);
        let mut rest = rank.wrapping_sub(bits::element(&self.ranks.ranks, interval, 0).into());
        let mut day = interval * INTERVAL_DAYS;
        while day < DAYS && self.at(day).count_ones() <= rest {
            rest -= self.at(day).count_ones();
            day += 64;
        }
        day + bits::select(self.at(day), rest & 63)
    }

    /// Returns the word of a day.
    const fn at(self, day: u32) -> u64 {
        word_after(self.windows, day)
    }
}

/// Returns the days that follow some days and are not among them, in the word of a day.
const fn word_after(days: &DayTables, day: u32) -> u64 {
    let (word, before) = (days.at(day), days.at(day.wrapping_sub(64)));
    let after = (word << 1 | before >> 63) & !word;
    // The day after the last one is not in the range.
    if day / 64 == DAYS / 64 { bits::up_to(after, (DAYS - 1) % 64) } else { after }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{DAYS, DayTables, EndRanks, WORDS, WindowEnds};

    #[test]
    fn searches_find_what_a_scan_finds() {
        let runs: Vec<u32> = (0..DAYS).filter(|day| day % 97 > day % 5).collect();
        let sets: [&[u32]; 6] =
            [&[], &[0], &[DAYS - 1], &[62, 63, 64, 127, DAYS - 2], &[63, 4096, 4097], &runs];
        for days in sets {
            let mut words = [0; WORDS];
            for day in days {
                words[*day as usize / 64] |= 1 << (day % 64);
            }
            let windows = &DayTables::new(&words);
            let ranks = &EndRanks::of(windows);
            let ends = WindowEnds { windows, ranks };
            let after = days.iter().map(|day| day + 1);
            let expected: Vec<u32> =
                after.filter(|day| *day < DAYS && days.binary_search(day).is_err()).collect();
            assert_eq!(ends.count() as usize, expected.len());
            assert_eq!(ends.last(), expected.last().copied().unwrap_or(0));
            for day in 0..DAYS {
                let rank = expected.partition_point(|it| *it < day);
                let is_in = expected.get(rank) == Some(&day);
                assert_eq!(ends.contains(day), is_in, "{day}");
                assert_eq!(ends.rank(day) as usize, rank, "{day}");
                assert_eq!(ends.ceil(day), expected.get(rank).copied().unwrap_or(DAYS), "{day}");
                let floor = expected[..rank + usize::from(is_in)].last();
                assert_eq!(ends.floor(day), floor.copied().unwrap_or(0), "{day}");
            }
        }
    }
}
