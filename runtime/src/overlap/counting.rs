//! [`Counting`]: finds out how many events the schedules of an overlap have.

use super::minutes::Minutes;
use super::{
    CACHED, Cache, Part, PartDays, Times, combination, count_before, is_within, of_days,
    times_before,
};
use crate::calendar::DAY_MILLIS;
use crate::days::ALL_DAYS;
use crate::search::WORDS;

/// How many combinations of sets of days are remembered.
const MOST_KNOWN: usize = 12;

/// How many terms are remembered for all combinations together.
const MOST_TERMS: usize = 16;

/// The most terms of inclusion and exclusion that the events of a day may have.
const MOST_TERMS_OF_DAY: u32 = 1024;

/// The most work of counting the events of one day of each combination, in units of [`Times::work`]: some 50 ms. There
/// may be as many combinations as days.
const MOST_WORK: u32 = 1 << 19;

/// What is wrong with more work than that.
pub const INTERTWINED: &str = "the members of this union have times in common in too many ways to be counted: give \
                               more of them the same second and millisecond, or leave some out";

/// What is found out about an overlap, with room for the maximum. A literal only copies from this constant, so it is not
/// part of the program.
#[derive(Debug)]
pub struct Counting {
    pub(super) before: [u64; WORDS],
    pub(super) total: u64,
    pub(super) known: [KnownCombination; MOST_KNOWN],
    pub(super) known_len: usize,
    pub(super) terms: Terms,
}

/// A combination of sets of days.
#[derive(Clone, Copy, Debug)]
pub struct KnownCombination {
    pub(super) combination: u32,
    /// The number of events on such a day.
    pub(super) per_day: u32,
    pub(super) times: KnownTimes,
}

/// The times of a day.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "most are minutes")]
pub(super) enum KnownTimes {
    /// A closed form, in place of terms.
    Minutes(Minutes),
    /// Its terms: the first one, and the one after the last one.
    Terms([usize; 2]),
    /// There was no room for the terms.
    Unknown,
}

/// The terms of some combinations, as far as there is room.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) terms: [Term; MOST_TERMS],
    pub(super) len: usize,
}

/// Times that count as often as a factor says, by inclusion and exclusion.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub(super) factor: i64,
    pub(super) times: Times,
}

/// The work of counting events.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// The terms of a day.
    terms_of_day: u32,
    /// The work for the days of all combinations together.
    in_all: u32,
}

impl Counting {
    /// Returns what is known of at most [`MOST_PARTS`](super::MOST_PARTS) parts, which refer to sets of days.
    /// `per_day` has the number of events on the days of each combination of sets, or nothing if that is to be found
    /// out: in constant evaluation, it may take long.
    ///
    /// # Panics
    ///
    /// Panics if the parts have times in common in too many ways, in constant evaluation only.
    #[must_use]
    pub const fn compiled(parts: &[Part], days: &[PartDays], per_day: &[u32]) -> Self {
        let Some(counting) = Self::of(parts, days, per_day) else { panic!("{}", INTERTWINED) };
        counting
    }

    /// Returns the same; `None` if the parts have times in common in too many ways.
    pub(super) const fn of(parts: &[Part], days: &[PartDays], per_day: &[u32]) -> Option<Self> {
        let unknown = KnownCombination {
            combination: 0,
            per_day: 0,
            times: KnownTimes::Minutes(Minutes::NONE),
        };
        let mut counting = Self {
            before: [0; WORDS],
            total: 0,
            known: [unknown; MOST_KNOWN],
            known_len: 1,
            terms: Terms::EMPTY,
        };
        let mut cache = Cache::<CACHED>::EMPTY;
        let mut work = Work::NONE;
        let (mut index, mut sum) = (0, 0);
        while index < WORDS {
            counting.before[index] = sum;
            let mut rest = ALL_DAYS.0[index];
            while rest != 0 {
                let (combination, alike) = combination(days, index, rest);
                let count = match cache.get(combination) {
                    Some(count) => count,
                    None => match counting.add(parts, combination, per_day, &mut work) {
                        Some(count) => cache.insert(combination, count),
                        None => return None,
                    },
                };
                sum += alike.count_ones() as u64 * count as u64;
                rest &= !alike;
            }
            index += 1;
        }
        counting.total = sum;
        Some(counting)
    }

    /// Returns the numbers of known combinations and of their terms.
    #[must_use]
    pub const fn lengths(&self) -> [usize; 2] {
        [self.known_len, self.terms.len]
    }

    /// Returns the known combinations and their terms, without the room for others.
    ///
    /// # Panics
    ///
    /// Panics if there is no room for as many, in constant evaluation only.
    #[must_use]
    pub const fn known<const KNOWN: usize, const TERMS: usize>(
        &self,
    ) -> ([KnownCombination; KNOWN], [Term; TERMS]) {
        (*self.known.first_chunk().unwrap(), *self.terms.terms.first_chunk().unwrap())
    }

    /// Returns the number of events on a day with a combination, and remembers it, if there is room. Adds the work of
    /// counting them. Returns `None` if that is too much.
    const fn add(
        &mut self,
        parts: &[Part],
        combination: u32,
        per_day: &[u32],
        work: &mut Work,
    ) -> Option<u32> {
        let mut index = 0;
        while index < self.known_len {
            if self.known[index].combination == combination {
                return Some(self.known[index].per_day);
            }
            index += 1;
        }
        let chosen = of_days(parts, combination);
        let (count, times) = if let Some(minutes) = Minutes::of(parts, chosen) {
            (minutes.count(), KnownTimes::Minutes(minutes))
        } else {
            let first = self.terms.len;
            let Some(has_room) = self.terms.add(parts, chosen, work) else {
                return None;
            };
            let times = if has_room && self.known_len < MOST_KNOWN {
                KnownTimes::Terms([first, self.terms.len])
            } else {
                self.terms.len = first;
                KnownTimes::Unknown
            };
            let is_given = (combination as usize) < per_day.len();
            let count = if is_given {
                per_day[combination as usize]
            } else {
                times_before(parts, chosen, DAY_MILLIS)
            };
            (count, times)
        };
        if self.known_len < MOST_KNOWN {
            self.known[self.known_len] = KnownCombination { combination, per_day: count, times };
            self.known_len += 1;
        }
        Some(count)
    }
}

impl Work {
    const NONE: Self = Self { terms_of_day: 0, in_all: 0 };

    /// Adds a term.
    const fn add(&mut self, times: &Times) {
        self.terms_of_day += 1;
        self.in_all += times.work();
    }

    const fn is_too_much(self) -> bool {
        self.terms_of_day > MOST_TERMS_OF_DAY || self.in_all > MOST_WORK
    }
}

impl Terms {
    const EMPTY: Self =
        Self { terms: [Term { factor: 0, times: Times::NONE }; MOST_TERMS], len: 0 };

    /// Adds the terms of some parts of a day, given as bits, and their work. Returns whether there was room; `None` if
    /// the work is too much.
    const fn add(&mut self, parts: &[Part], chosen: u32, work: &mut Work) -> Option<bool> {
        work.terms_of_day = 0;
        let (mut has_room, mut rest) = (true, chosen);
        while rest != 0 {
            let times = &parts[rest.trailing_zeros() as usize].times;
            rest &= rest - 1;
            has_room &= self.add_unique(times, parts, rest, 1, work);
        }
        if work.is_too_much() { None } else { Some(has_room) }
    }

    /// Adds the terms of the times that none of some other parts, given as bits, has, and their work.
    const fn add_unique(
        &mut self,
        times: &Times,
        parts: &[Part],
        others: u32,
        factor: i64,
        work: &mut Work,
    ) -> bool {
        if is_within(times, parts, others) || work.is_too_much() {
            return true;
        }
        work.add(times);
        let mut has_room = self.len < MOST_TERMS;
        if has_room {
            self.terms[self.len] = Term { factor, times: *times };
            self.len += 1;
        }
        let mut rest = others;
        while rest != 0 {
            let common = times.and(&parts[rest.trailing_zeros() as usize].times);
            rest &= rest - 1;
            if !common.is_empty() {
                has_room &= self.add_unique(&common, parts, rest, -factor, work);
            }
        }
        has_room
    }
}

/// Returns the number of events on the days of each combination of a few sets of days; nothing if
/// there are many combinations.
#[cfg(feature = "alloc")]
#[must_use]
pub fn per_day(parts: &[Part], sets: usize) -> alloc::vec::Vec<u32> {
    const MOST: usize = 8;
    if sets > MOST {
        return alloc::vec::Vec::new();
    }
    let count = |combination| {
        let chosen = of_days(parts, combination);
        // If there is such a day, the union is refused.
        let has_room = { Terms::EMPTY }.add(parts, chosen, &mut { Work::NONE });
        has_room.map_or(0, |_| count_before(parts, chosen, DAY_MILLIS))
    };
    (0..1 << sets).map(count).collect()
}
