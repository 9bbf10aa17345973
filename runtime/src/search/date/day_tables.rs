//! [`DayTables`]: any days, as bits.

use crate::search::bitmap::Bitmap;
use crate::search::range::DAYS;

/// The number of words in the range.
pub(crate) const WORDS: usize = DAYS.div_ceil(64) as usize;

/// Days of the range.
pub type DayTables = Bitmap<WORDS>;

impl DayTables {
    /// Returns the days with the given bits. Before the first one comes day 0, and after the last
    /// one a day after the range.
    #[must_use]
    pub const fn new(words: &[u64; WORDS]) -> Self {
        Self::with_ends(words, 0, DAYS)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{DAYS, DayTables, WORDS};
    use crate::search::value_set::ValueSet as _;

    #[test]
    fn searches_find_what_a_scan_finds() {
        let sets: [&[u32]; 6] =
            [&[], &[0], &[DAYS - 1], &[0, DAYS - 1], &[63, 64, 4096, 4097], &[5_000]];
        let steps: Vec<u32> = (100..DAYS - 200).step_by(67).collect();
        for days in sets.into_iter().chain([&*steps]) {
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
