//! Counts the events of several schedules together, each instant once.
//!
//! Each schedule is a set of days with the times of each of them ([`Part`]); one that extends past
//! midnight is two. The number of times that some parts have together on a day follows from those
//! that two of them have in common, that three have in common, and so on (inclusion and exclusion).
//! Which parts have a day depends on the day, but there are few such combinations, so how many
//! events precede each word of 64 days is known in advance.
//!
//! Whatever a literal needs before it is queried is `const`: the days of a calendar are known only in
//! constant evaluation.

mod counting;
mod minutes;
mod part_days;
mod times;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use self::counting::KnownTimes;
#[cfg(feature = "alloc")]
pub use self::counting::per_day;
pub use self::counting::{Counting, INTERTWINED, KnownCombination, Term};
use self::minutes::Minutes;
pub use self::part_days::PartDays;
pub use self::times::{Steps, Times};
use crate::calendar::DAY_MILLIS;
use crate::const_or_owned::ConstOrOwned;
use crate::search::{DAY, DAYS, WORDS};

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

/// How many combinations of sets of days are remembered while all days are counted.
const CACHED: usize = 2048;

/// The parts of schedules that have events in common, and how many events there are.
#[derive(Debug)]
pub struct Overlap {
    parts: ConstOrOwned<[Part]>,
    days: ConstOrOwned<[PartDays]>,
    /// The number of events before each word of days.
    before: [u64; WORDS],
    /// The number of all events.
    pub(crate) total: u64,
    known: ConstOrOwned<[KnownCombination]>,
    /// The terms of the known combinations.
    terms: ConstOrOwned<[Term]>,
}

/// The numbers of events on some days, by the bits of their sets or parts, in a power of two of places. A day without
/// any has none.
struct Cache<const SLOTS: usize>([(u32, u32); SLOTS]);

impl Overlap {
    /// Returns the overlap of constant parts, which refer to sets of days, given what [`Counting`] has found out.
    #[must_use]
    pub const fn compiled<const KNOWN: usize, const TERMS: usize>(
        parts: &'static [Part],
        days: &'static [PartDays],
        counting: &Counting,
        (known, terms): &'static ([KnownCombination; KNOWN], [Term; TERMS]),
    ) -> Self {
        Self {
            parts: ConstOrOwned::Constant(parts),
            days: ConstOrOwned::Constant(days),
            before: counting.before,
            total: counting.total,
            known: ConstOrOwned::Constant(known),
            terms: ConstOrOwned::Constant(terms),
        }
    }

    /// Returns the overlap of some parts, which refer to sets of days; `None` if they have times in
    /// common in too many ways.
    #[cfg(feature = "alloc")]
    pub(crate) fn new(parts: Box<[Part]>, days: Box<[PartDays]>) -> Option<Self> {
        let Counting { before, total, known, known_len, terms } = Counting::of(&parts, &days, &[])?;
        Some(Self {
            parts: ConstOrOwned::Owned(parts),
            days: ConstOrOwned::Owned(days),
            before,
            total,
            known: ConstOrOwned::Owned(known[..known_len].into()),
            terms: ConstOrOwned::Owned(terms.terms[..terms.len].into()),
        })
    }

    /// Returns the number of events before an offset.
    pub(crate) fn rank(&self, offset: u64) -> u64 {
        let (day, time) = (offset / DAY, (offset % DAY) as u32);
        let before = self.before(day);
        // At the end of the range, `time` is 0: there is no day to look up.
        if time == 0 { before } else { before + self.times_before(self.combination_of(day), time) }
    }

    /// Returns the event with a rank.
    #[expect(clippy::cast_possible_truncation, reason = "a time of day")]
    pub(crate) fn select(&self, rank: u64) -> u64 {
        let after = self.before.partition_point(|before| *before <= rank) as u64;
        let days = [after - 1, after].map(|word| (word * 64).min(DAYS.into()));
        let day = last_where(days, |day| self.before(day) <= rank);
        let (today, of_day) = (self.combination_of(day), rank - self.before(day));
        day * DAY + last_where([0, DAY], |time| self.times_before(today, time as u32) <= of_day)
    }

    /// Returns the number of events from one offset to another, both included, that some schedules,
    /// given as bits, have together. Visits the days.
    pub(crate) fn count_members(&self, members: u16, [first, last]: [u64; 2]) -> u64 {
        let is_chosen = |part: &Part| members >> part.member & 1 == 1;
        let chosen = (0..)
            .zip(self.parts.get())
            .fold(0, |chosen, (place, part)| chosen | u32::from(is_chosen(part)) << place);
        // A query has little room on its stack.
        let mut known = self.day_counts::<64>(chosen);
        let on_day = |day: u64| {
            let start = day * DAY;
            if first <= start && start + DAY <= last + 1 {
                return known.of(day);
            }
            let before =
                |offset: u64| known.before(day, offset.saturating_sub(start).min(DAY) as u32);
            before(last + 1) - before(first)
        };
        (first / DAY..=last / DAY).map(on_day).sum()
    }

    /// Returns the number of events on each day, of all schedules.
    pub(crate) fn by_day(&self) -> DayCounts<'_, CACHED> {
        self.day_counts(u32::MAX)
    }

    /// Returns the number of events on each day, of some parts, given as bits.
    fn day_counts<const SLOTS: usize>(&self, chosen: u32) -> DayCounts<'_, SLOTS> {
        let (parts, days) = (self.parts.get(), self.days.get());
        DayCounts { parts, days, chosen, cache: Cache::EMPTY }
    }

    /// Returns the number of events before a day.
    fn before(&self, day: u64) -> u64 {
        let word = (day / 64) as usize;
        let (mut count, mut rest) = (self.before[word], !(u64::MAX << (day % 64)));
        while rest != 0 {
            let (combination, alike) = combination(self.days.get(), word, rest);
            count += u64::from(alike.count_ones()) * u64::from(self.per_day(combination));
            rest &= !alike;
        }
        count
    }

    /// Returns the number of events on a day with a combination of sets of days.
    fn per_day(&self, combination: u32) -> u32 {
        let parts = self.parts.get();
        let count = || count_before(parts, of_days(parts, combination), DAY_MILLIS);
        self.find(combination).map_or_else(count, |known| known.per_day)
    }

    /// Returns the number of events before a time on a day with a combination of sets of days.
    #[expect(clippy::cast_sign_loss, reason = "a number of times")]
    fn times_before(&self, combination: u32, time: u32) -> u64 {
        let parts = self.parts.get();
        match self.find(combination).map(|known| &known.times) {
            Some(KnownTimes::Minutes(minutes)) => minutes.before(time).into(),
            Some(KnownTimes::Terms([first, end])) => {
                let of_term = |term: &Term| term.factor * i64::from(term.times.before(time));
                self.terms.get()[*first..*end].iter().map(of_term).sum::<i64>() as u64
            }
            _ => count_before(parts, of_days(parts, combination), time).into(),
        }
    }

    fn find(&self, combination: u32) -> Option<&KnownCombination> {
        self.known.get().iter().find(|known| known.combination == combination)
    }

    fn combination_of(&self, day: u64) -> u32 {
        combination_of(self.days.get(), day)
    }
}

/// Returns the last number of a range without its end for which a condition holds, as it does for those before it and
/// for the first one.
pub(crate) fn last_where([mut found, mut end]: [u64; 2], holds: impl Fn(u64) -> bool) -> u64 {
    while end - found > 1 {
        let middle = u64::midpoint(found, end);
        *(if holds(middle) { &mut found } else { &mut end }) = middle;
    }
    found
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

/// The number of events on days, computed once for most combinations of sets of days.
pub(crate) struct DayCounts<'a, const SLOTS: usize> {
    parts: &'a [Part],
    days: &'a [PartDays],
    /// Which parts are counted, as bits.
    chosen: u32,
    cache: Cache<SLOTS>,
}

impl<const SLOTS: usize> DayCounts<'_, SLOTS> {
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
        of_days(self.parts, combination_of(self.days, day)) & self.chosen
    }
}

/// Returns which sets have the first of some days of a word, as bits, and which of the days are in
/// the same sets.
#[inline(always)]
const fn combination(days: &[PartDays], index: usize, of: u64) -> (u32, u64) {
    let place = of.trailing_zeros();
    let (mut combination, mut alike) = (0, of);
    let mut set = 0;
    while set < days.len() {
        let word = days[set].word(index);
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

/// Returns which sets have a day, as bits.
fn combination_of(days: &[PartDays], day: u64) -> u32 {
    let (combination, _) = combination(days, (day / 64) as usize, 1 << (day % 64));
    combination
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

/// Returns the number of times before a time that some parts, given as bits, have together.
#[inline(never)]
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
