//! [`Counting`]: finds out how many events the schedules of an overlap have.

use super::before::Before;
use super::known::{KnownTimes, Memory, most_bytes};
use super::minutes::Minutes;
use super::{
    Cache, Part, PartDays, Times, count_before, is_within, of_days, sets_of, times_before,
};
use crate::calendar::DAY_MILLIS;
use crate::days::ALL_DAYS;
use crate::search::WORDS;

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
    pub(super) before: Before,
    pub(super) total: u64,
    /// What is remembered of some combinations.
    pub memory: Memory,
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
        let room = most_bytes(parts[parts.len() - 1].member + 1);
        let Some(counting) = Self::of(parts, days, per_day, room) else {
            panic!("{}", INTERTWINED)
        };
        counting
    }

    /// Returns the same, given how many bytes the known times may take; `None` if the parts have times in common in too
    /// many ways.
    pub(super) const fn of(
        parts: &[Part],
        days: &[PartDays],
        per_day: &[u32],
        room: usize,
    ) -> Option<Self> {
        let mut before = Before::ZERO;
        let mut memory = Memory::of(room);
        let mut cache = Cache::EMPTY;
        let mut work = Work::NONE;
        let (mut index, mut sum) = (0, 0);
        while index < WORDS {
            before.set(index, sum);
            let mut rest = ALL_DAYS.0[index];
            while rest != 0 {
                let (sets, alike) = sets_of(days, index, rest.trailing_zeros());
                let count = match cache.get(sets) {
                    Some(count) => count,
                    None => match memory.per_day_of(parts, sets, per_day, &mut work) {
                        Some(count) => cache.insert(sets, count),
                        None => return None,
                    },
                };
                sum += (alike & rest).count_ones() as u64 * count as u64;
                rest &= !alike;
            }
            index += 1;
        }
        Some(Self { before, total: sum, memory })
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

impl Memory {
    /// Returns the number of events on a day with a combination of sets, and remembers it, if there is room. Adds the
    /// work of counting them. Returns `None` if that is too much.
    const fn per_day_of(
        &mut self,
        parts: &[Part],
        sets: u32,
        per_day: &[u32],
        work: &mut Work,
    ) -> Option<u32> {
        if let Some(count) = self.per_day(sets) {
            return Some(count);
        }
        let chosen = of_days(parts, sets);
        // One part with equal steps needs no minutes: as a single term, it is counted as fast.
        let one = &parts[chosen.trailing_zeros() as usize].times;
        let is_one = chosen.is_power_of_two();
        let minutes = if is_one && one.is_steps() { None } else { Minutes::of(parts, chosen) };
        let mark = self.mark();
        let (count, is_known) = if let Some(minutes) = minutes {
            let count = minutes.count();
            if let Some(place) = self.add_minutes(&minutes) {
                self.add(sets, count, KnownTimes::Minutes(place));
                return Some(count);
            }
            (count, is_one && self.add_term(parts, one, false))
        } else {
            let Some(is_known) = self.add_terms(parts, chosen, work) else {
                return None;
            };
            let is_given = (sets as usize) < per_day.len();
            let count = if is_given {
                per_day[sets as usize]
            } else {
                times_before(parts, chosen, DAY_MILLIS)
            };
            (count, is_known)
        };
        let times = if is_known {
            self.terms_since(mark)
        } else {
            self.forget_since(mark);
            KnownTimes::Unknown
        };
        self.add(sets, count, times);
        Some(count)
    }

    /// Adds the terms of some parts of a day, given as bits, and their work. Returns whether there was room; `None` if
    /// the work is too much.
    const fn add_terms(&mut self, parts: &[Part], chosen: u32, work: &mut Work) -> Option<bool> {
        work.terms_of_day = 0;
        let (mut has_room, mut rest) = (true, chosen);
        while rest != 0 {
            let times = &parts[rest.trailing_zeros() as usize].times;
            rest &= rest - 1;
            self.add_unique(times, parts, rest, false, &mut has_room, work);
        }
        if work.is_too_much() { None } else { Some(has_room) }
    }

    /// Adds the terms of the times that none of some other parts, given as bits, has, as long as there is room, and their
    /// work.
    const fn add_unique(
        &mut self,
        times: &Times,
        parts: &[Part],
        others: u32,
        is_subtracted: bool,
        has_room: &mut bool,
        work: &mut Work,
    ) {
        if is_within(times, parts, others) || work.is_too_much() {
            return;
        }
        work.add(times);
        *has_room = *has_room && self.add_term(parts, times, is_subtracted);
        let mut rest = others;
        while rest != 0 {
            let common = times.and(&parts[rest.trailing_zeros() as usize].times);
            rest &= rest - 1;
            if !common.is_empty() {
                self.add_unique(&common, parts, rest, !is_subtracted, has_room, work);
            }
        }
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
        let is_countable = Memory::of(0).add_terms(parts, chosen, &mut { Work::NONE }).is_some();
        // If not, and there is such a day, the union is refused.
        if is_countable { count_before(parts, chosen, DAY_MILLIS) } else { 0 }
    };
    (0..1 << sets).map(count).collect()
}
