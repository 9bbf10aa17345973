//! Counts the events of several schedules together, each instant once.
//!
//! Each schedule is a set of days with the times of each of them ([`Part`]); one that extends past
//! midnight is two. The number of times that some parts have together on a day follows from those
//! that two of them have in common, that three have in common, and so on (inclusion and exclusion).
//! Which parts have a day depends on the day, but there are few such combinations, so how many
//! events precede each word of 64 days is known in advance.
//!
//! All of it is `const`: the days of a calendar are known only in constant evaluation.

mod minutes;
mod times;

use self::minutes::Minutes;
pub use self::times::{Steps, Times};
use crate::calendar::DAY_MILLIS;
use crate::days::DaySet;
use crate::search::{DAY, WORDS};

/// Days with the same times.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Which schedule.
    pub member: usize,
    /// Which set of days.
    pub days: usize,
    /// The times of each day.
    pub times: Times,
}

/// The most parts: two for each of sixteen schedules.
pub const MOST_PARTS: usize = 32;

/// How many combinations of sets of days are remembered.
const MOST_KNOWN: usize = 12;

/// How many terms are remembered for all combinations together.
const MOST_TERMS: usize = 16;

/// The most terms of inclusion and exclusion that the events of a day may have.
const MOST_TERMS_OF_DAY: u32 = 1024;

/// The most work of counting the events of one day of each combination, in units of [`Times::work`]: some 50 ms. There
/// may be as many combinations as days.
const MOST_WORK: u32 = 1 << 19;

/// How many combinations of sets of days are remembered while all days are counted.
pub(crate) const CACHED: usize = 2048;

/// What is wrong with more work than that.
pub const INTERTWINED: &str = "the members of this union have times in common in too many ways to be counted: give \
                               more of them the same second and millisecond, or leave some out";

/// The number of events before each word of days, and what is known of the days of some combinations
/// of sets of days.
#[derive(Clone, Debug)]
pub struct Counts {
    before: [u64; WORDS],
    /// The number of all events.
    pub(crate) total: u64,
    known: [KnownCombination; MOST_KNOWN],
    known_len: usize,
    /// The terms of the known combinations.
    terms: Terms,
}

/// A combination of sets of days.
#[derive(Clone, Copy, Debug)]
struct KnownCombination {
    combination: u32,
    /// The number of events on such a day.
    per_day: u32,
    /// Its terms: the first one, and the one after the last one.
    terms: Option<[usize; 2]>,
    /// Its times, if that is possible: a closed form, in place of terms.
    minutes: Option<Minutes>,
}

/// The terms of some combinations, as far as there is room.
#[derive(Clone, Debug)]
struct Terms {
    terms: [Term; MOST_TERMS],
    len: usize,
}

/// Times that count as often as a factor says, by inclusion and exclusion.
#[derive(Clone, Copy, Debug)]
struct Term {
    factor: i64,
    times: Times,
}

/// The work of counting events.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// The terms of a day.
    terms_of_day: u32,
    /// The work for the days of all combinations together.
    in_all: u32,
}

/// The numbers of events on some days, by the bits of their sets or parts, in a power of two of places. A day without
/// any has none.
struct Cache<const SLOTS: usize>([(u32, u32); SLOTS]);

impl Counts {
    /// Returns the counts of at most [`MOST_PARTS`] parts, which refer to sets of days. `per_day` has
    /// the number of events on the days of each combination of sets, or nothing if that is to be
    /// found out: in constant evaluation, it may take long.
    ///
    /// Returns `None` if the parts have times in common in too many ways.
    #[must_use]
    pub const fn of(parts: &[Part], days: &[DaySet], per_day: &[u32]) -> Option<Self> {
        let unknown = KnownCombination { combination: 0, per_day: 0, terms: None, minutes: None };
        let mut counts = Self {
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
            counts.before[index] = sum;
            let mut rest = u64::MAX;
            while rest != 0 {
                let (combination, alike) = combination(days, index, rest);
                let count = match cache.get(combination) {
                    Some(count) => count,
                    None => match counts.add(parts, combination, per_day, &mut work) {
                        Some(count) => cache.insert(combination, count),
                        None => return None,
                    },
                };
                sum += alike.count_ones() as u64 * count as u64;
                rest &= !alike;
            }
            index += 1;
        }
        counts.total = sum;
        Some(counts)
    }

    /// Returns the number of events before an offset.
    pub(crate) const fn rank(&self, parts: &[Part], days: &[DaySet], offset: u64) -> u64 {
        let day = offset / DAY;
        #[expect(clippy::cast_possible_truncation, reason = "a day of the range, a time of day")]
        let (index, place, time) =
            ((day / 64) as usize, (day % 64) as u32, (offset - day * DAY) as u32);
        let mut count = self.before[index];
        let mut rest = !(u64::MAX << place);
        while rest != 0 {
            let (combination, alike) = combination(days, index, rest);
            let per_day = match self.find(combination) {
                Some(known) => known.per_day,
                None => count_before(parts, of_days(parts, combination), DAY_MILLIS),
            };
            count += alike.count_ones() as u64 * per_day as u64;
            rest &= !alike;
        }
        if time == 0 {
            return count;
        }
        let (today, _) = combination(days, index, 1 << place);
        count + self.times_before(parts, today, time) as u64
    }

    /// Returns the ends of the 64 days in which the event with a rank is: two offsets.
    pub(crate) fn days_of(&self, rank: u64) -> [u64; 2] {
        let index = self.before.partition_point(|before| *before <= rank) as u64;
        [index.saturating_sub(1), index].map(|index| index * 64 * DAY)
    }

    /// Returns the number of events before a time on a day with a combination of sets of days.
    const fn times_before(&self, parts: &[Part], combination: u32, time: u32) -> u32 {
        let (first, end) = match self.find(combination) {
            Some(KnownCombination { minutes: Some(minutes), .. }) => return minutes.before(time),
            Some(KnownCombination { terms: Some([first, end]), .. }) => (first, end),
            _ => return count_before(parts, of_days(parts, combination), time),
        };
        let (mut sum, mut index) = (0, *first);
        while index < *end {
            let Term { factor, times } = &self.terms.terms[index];
            sum += *factor * times.before(time) as i64;
            index += 1;
        }
        #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "within a day")]
        (sum as u32)
    }

    const fn find(&self, combination: u32) -> Option<&KnownCombination> {
        let mut index = 0;
        while index < self.known_len {
            if self.known[index].combination == combination {
                return Some(&self.known[index]);
            }
            index += 1;
        }
        None
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
        if let Some(known) = self.find(combination) {
            return Some(known.per_day);
        }
        let chosen = of_days(parts, combination);
        let (minutes, mut terms) = (Minutes::of(parts, chosen), None);
        let per_day = if let Some(minutes) = &minutes {
            minutes.count()
        } else {
            let first = self.terms.len;
            let Some(has_room) = self.terms.add(parts, chosen, work) else {
                return None;
            };
            if has_room && self.known_len < MOST_KNOWN {
                terms = Some([first, self.terms.len]);
            } else {
                self.terms.len = first;
            }
            if (combination as usize) < per_day.len() {
                per_day[combination as usize]
            } else {
                times_before(parts, chosen, DAY_MILLIS)
            }
        };
        if self.known_len < MOST_KNOWN {
            self.known[self.known_len] = KnownCombination { combination, per_day, terms, minutes };
            self.known_len += 1;
        }
        Some(per_day)
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

impl<const SLOTS: usize> Cache<SLOTS> {
    const EMPTY: Self = Self([(0, 0); SLOTS]);

    const fn get(&self, key: u32) -> Option<u32> {
        let (known, count) = self.0[Self::slot(key)];
        if known == key { Some(count) } else { None }
    }

    /// Remembers a count, and returns it.
    const fn insert(&mut self, key: u32, count: u32) -> u32 {
        self.0[Self::slot(key)] = (key, count);
        count
    }

    /// Returns the place of a key. Those of neighboring days differ in any of their bits (Fibonacci hashing: Knuth,
    /// "The Art of Computer Programming", volume 3, section 6.4).
    const fn slot(key: u32) -> usize {
        (key.wrapping_mul(0x9e37_79b9) >> (u32::BITS - SLOTS.ilog2())) as usize
    }
}

/// Returns the number of events from one offset to another, both included, that some schedules,
/// given as bits, have together. Visits the days.
pub(crate) fn count_of(
    parts: &[Part],
    days: &[DaySet],
    members: u16,
    [first, last]: [u64; 2],
) -> u64 {
    let is_chosen = |part: &Part| members >> part.member & 1 == 1;
    let chosen = (0..)
        .zip(parts)
        .fold(0, |chosen, (place, part)| chosen | u32::from(is_chosen(part)) << place);
    // A query has little room on its stack.
    let mut known = DayCounts::<64>::new(parts, days, chosen);
    let on_day = |day: u64| {
        let start = day * DAY;
        if first <= start && start + DAY <= last + 1 {
            return known.of(day);
        }
        let before = |offset: u64| known.before(day, offset.saturating_sub(start).min(DAY) as u32);
        before(last + 1) - before(first)
    };
    (first / DAY..=last / DAY).map(on_day).sum()
}

/// The number of events on days, computed once for most combinations of sets of days.
pub(crate) struct DayCounts<'a, const SLOTS: usize> {
    parts: &'a [Part],
    days: &'a [DaySet],
    /// Which parts are counted, as bits.
    chosen: u32,
    cache: Cache<SLOTS>,
}

impl<'a, const SLOTS: usize> DayCounts<'a, SLOTS> {
    pub(crate) const fn new(parts: &'a [Part], days: &'a [DaySet], chosen: u32) -> Self {
        Self { parts, days, chosen, cache: Cache::EMPTY }
    }

    /// Returns the number of events on a day.
    pub(crate) fn of(&mut self, day: u64) -> u64 {
        let parts = self.parts_of(day);
        let known = self.cache.get(parts);
        let count = || count_before(self.parts, parts, DAY_MILLIS);
        known.unwrap_or_else(|| self.cache.insert(parts, count())).into()
    }

    /// Returns the number of events on a day before a time.
    fn before(&self, day: u64, time: u32) -> u64 {
        count_before(self.parts, self.parts_of(day), time).into()
    }

    fn parts_of(&self, day: u64) -> u32 {
        let (combination, _) = combination(self.days, (day / 64) as usize, 1 << (day % 64) as u32);
        of_days(self.parts, combination) & self.chosen
    }
}

/// Returns which sets have the first of some days of a word, as bits, and which of the days are in
/// the same sets.
const fn combination(days: &[DaySet], index: usize, of: u64) -> (u32, u64) {
    let place = of.trailing_zeros();
    let (mut combination, mut alike) = (0, of);
    let mut set = 0;
    while set < days.len() {
        let word = days[set].0[index];
        if word >> place & 1 == 1 {
            combination |= 1 << set;
            alike &= word;
        } else {
            alike &= !word;
        }
        set += 1;
    }
    (combination, alike)
}

/// Returns the parts with some sets of days, as bits.
const fn of_days(parts: &[Part], combination: u32) -> u32 {
    let (mut chosen, mut index) = (0, 0);
    while index < parts.len() {
        chosen |= (combination >> parts[index].days & 1) << index;
        index += 1;
    }
    chosen
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

/// Returns the number of times before a time that some parts, given as bits, have together.
const fn count_before(parts: &[Part], chosen: u32, time: u32) -> u32 {
    match Minutes::of(parts, chosen) {
        Some(minutes) => minutes.before(time),
        None => times_before(parts, chosen, time),
    }
}

/// Returns the same by inclusion and exclusion.
const fn times_before(parts: &[Part], chosen: u32, time: u32) -> u32 {
    let (mut sum, mut rest) = (0, chosen);
    while rest != 0 {
        let times = &parts[rest.trailing_zeros() as usize].times;
        rest &= rest - 1;
        sum += unique_before(times, parts, rest, time);
    }
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "within a day")]
    (sum as u32)
}

/// Returns the number of times before a time that none of some other parts, given as bits, has.
const fn unique_before(times: &Times, parts: &[Part], others: u32, time: u32) -> i64 {
    if is_within(times, parts, others) {
        return 0;
    }
    let (mut sum, mut rest) = (times.before(time) as i64, others);
    while rest != 0 {
        let common = times.and(&parts[rest.trailing_zeros() as usize].times);
        rest &= rest - 1;
        if !common.is_empty() {
            sum -= unique_before(&common, parts, rest, time);
        }
    }
    sum
}

/// Whether one of some parts, given as bits, is known to have all of some times.
const fn is_within(times: &Times, parts: &[Part], others: u32) -> bool {
    let mut rest = others;
    while rest != 0 {
        if times.and(&parts[rest.trailing_zeros() as usize].times).is_same(times) {
            return true;
        }
        rest &= rest - 1;
    }
    false
}
