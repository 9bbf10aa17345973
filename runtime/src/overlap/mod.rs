//! Counts the events of several schedules together, each instant once.
//!
//! Each schedule is a set of days with the times of each of them ([`Part`]); one that extends past
//! midnight is two. The number of times that some parts have together on a day follows from those
//! that two of them have in common, that three have in common, and so on (inclusion and exclusion).
//! Which parts have a day depends on the day, but there are few such combinations, so how many
//! events precede every other word of 64 days is known in advance.
//!
//! Whatever a literal needs before it is queried is `const`: the days of a calendar are known only in
//! constant evaluation.

mod before;
mod counting;
mod known;
mod minutes;
mod part_days;
mod times;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

use self::before::Before;
#[cfg(feature = "alloc")]
pub use self::counting::per_day;
pub use self::counting::{Counting, INTERTWINED};
pub use self::known::{Arrays, Lengths, Memory};
use self::known::{Combination, Known};
use self::minutes::Minutes;
pub use self::part_days::PartDays;
pub use self::times::{Steps, Times};
use crate::calendar::DAY_MILLIS;
use crate::const_or_owned::ConstOrOwned;
use crate::search::DAY;

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
    before: Before,
    /// The number of all events.
    pub(crate) total: u64,
    known: Known,
}

/// The numbers of events on some days, by the bits of their sets or parts, in a power of two of places. A day without
/// any has none.
struct Cache([(u32, u32); CACHED]);

impl Overlap {
    /// Returns the overlap of constant parts, which refer to sets of days, given what [`Counting`] has found out.
    #[must_use]
    pub const fn compiled<
        const COMBINATIONS: usize,
        const MINUTES: usize,
        const TERMS: usize,
        const COMMON: usize,
    >(
        parts: &'static [Part],
        days: &'static [PartDays],
        counting: &Counting,
        known: &'static Arrays<COMBINATIONS, MINUTES, TERMS, COMMON>,
    ) -> Self {
        Self {
            parts: ConstOrOwned::Constant(parts),
            days: ConstOrOwned::Constant(days),
            before: counting.before,
            total: counting.total,
            known: Known::Constant(known.tables()),
        }
    }

    /// Returns the overlap of some parts, which refer to sets of days; `None` if they have times in
    /// common in too many ways.
    #[cfg(feature = "alloc")]
    pub(crate) fn new(parts: Box<[Part]>, days: Box<[PartDays]>) -> Option<Self> {
        Self::with_room(parts, days, usize::MAX)
    }

    /// Returns the same, given how many bytes the known times may take.
    #[cfg(feature = "alloc")]
    fn with_room(parts: Box<[Part]>, days: Box<[PartDays]>, room: usize) -> Option<Self> {
        let Counting { before, total, memory } = Counting::of(&parts, &days, &[], room)?;
        Some(Self {
            parts: ConstOrOwned::Owned(parts),
            days: ConstOrOwned::Owned(days),
            before,
            total,
            known: Known::Owned(Box::new(memory)),
        })
    }

    /// Returns the number of events before an offset.
    pub(crate) fn rank(&self, offset: u64) -> u64 {
        let (before, today) = self.before(offset / DAY);
        before + self.times_before(&today, (offset % DAY) as u32)
    }

    /// Returns the event with a rank.
    #[expect(clippy::cast_possible_truncation, reason = "a time of day")]
    pub(crate) fn select(&self, rank: u64) -> u64 {
        let day = last_where(self.before.days_around(rank), |day| self.before(day).0 <= rank);
        let (before, today) = self.before(day);
        let has_reached = |time| before + self.times_before(&today, time as u32) <= rank;
        day * DAY + last_where([0, DAY], has_reached)
    }

    /// Returns the number of events from one offset to another, both included, that some schedules,
    /// given as bits, have together. Visits the days.
    pub(crate) fn count_members(&self, members: u16, [first, last]: [u64; 2]) -> u64 {
        let parts = self.parts.get();
        let is_chosen = |part: &Part| members >> part.member & 1 == 1;
        let chosen = (0..)
            .zip(parts)
            .fold(0, |chosen, (place, part)| chosen | u32::from(is_chosen(part)) << place);
        let on_day = |day: u64| {
            let of_day = parts_on(parts, self.days.get(), day) & chosen;
            let before = |offset: u64| {
                count_before(parts, of_day, offset.saturating_sub(day * DAY).min(DAY) as u32)
            };
            u64::from(before(last + 1) - before(first))
        };
        (first / DAY..=last / DAY).map(on_day).sum()
    }

    /// Returns the number of events on each day.
    pub(crate) const fn by_day(&self) -> DayCounts<'_> {
        DayCounts { parts: self.parts.get(), days: self.days.get(), cache: Cache::EMPTY }
    }

    /// Returns the number of events before a day, and the combination of its sets. The day may be the one after the range,
    /// which has a place in the last word.
    fn before(&self, day: u64) -> (u64, Combination) {
        let (word, place) = ((day / 64) as usize, (day % 64) as u32);
        // If the number before the next word is known, the events from this day on are subtracted from it. A branch would be
        // mispredicted half of the time.
        let is_backward = word as u64 % 2;
        let flip = is_backward.wrapping_neg();
        let days = !(u64::MAX << place) ^ flip;
        let (today, alike) = self.combination(word, place);
        let mut count = u64::from((alike & days).count_ones()) * u64::from(today.per_day);
        count += self.count_on(word, days & !alike);
        let signed = (count ^ flip).wrapping_add(is_backward);
        (self.before.word_or_next(word).wrapping_add(signed), today)
    }

    /// Returns the number of events on some days of a word.
    fn count_on(&self, word: usize, mut days: u64) -> u64 {
        let mut count = 0;
        while days != 0 {
            let (combination, alike) = self.combination(word, days.trailing_zeros());
            count += u64::from((alike & days).count_ones()) * u64::from(combination.per_day);
            days &= !alike;
        }
        count
    }

    /// Returns the combination of the sets that have the day at a place of a word, and the days of the word that have
    /// the same combination.
    #[inline(always)]
    fn combination(&self, word: usize, place: u32) -> (Combination, u64) {
        let parts = self.parts.get();
        let (sets, alike) = sets_of(self.days.get(), word, place);
        let unknown =
            || Combination::unknown(sets, count_before(parts, of_days(parts, sets), DAY_MILLIS));
        (self.known.find(sets).unwrap_or_else(unknown), alike)
    }

    /// Returns the number of events before a time on a day with a combination of sets.
    fn times_before(&self, combination: &Combination, time: u32) -> u64 {
        let parts = self.parts.get();
        let count = || count_before(parts, of_days(parts, combination.sets), time);
        self.known.before(parts, combination, time).unwrap_or_else(count).into()
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

impl Cache {
    const EMPTY: Self = Self([(0, 0); CACHED]);

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
        (key.wrapping_mul(0x9e37_79b9) >> (u32::BITS - CACHED.ilog2())) as usize
    }
}

/// The number of events on days, computed once for most combinations of sets of days.
pub(crate) struct DayCounts<'a> {
    parts: &'a [Part],
    days: &'a [PartDays],
    cache: Cache,
}

impl DayCounts<'_> {
    /// Returns the number of events on a day.
    pub(crate) fn of(&mut self, day: u64) -> u64 {
        let parts = parts_on(self.parts, self.days, day);
        let known = self.cache.get(parts);
        let count = || count_before(self.parts, parts, DAY_MILLIS);
        known.unwrap_or_else(|| self.cache.insert(parts, count())).into()
    }
}

/// Returns the parts that have a day, as bits.
const fn parts_on(parts: &[Part], days: &[PartDays], day: u64) -> u32 {
    let (sets, _) = sets_of(days, (day / 64) as usize, (day % 64) as u32);
    of_days(parts, sets)
}

/// Returns which sets have the day at a place of a word, as bits, and which of its days are in the same sets.
#[inline(always)]
const fn sets_of(days: &[PartDays], word: usize, place: u32) -> (u32, u64) {
    let (mut sets, mut alike) = (0, u64::MAX);
    let mut set = 0;
    while set < days.len() {
        let days = days[set].word(word);
        if days >> place & 1 == 1 {
            sets |= 1 << set;
            alike &= days;
        } else {
            alike &= !days;
        }
        set += 1;
    }
    (sets, alike)
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

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use std::collections::BTreeSet;
    use std::vec::Vec;

    use super::{DAY, Overlap, Part, PartDays, Steps, Times};
    use crate::days::DaySet;
    use crate::search::DAYS;

    /// The times of a part, also in order.
    type Listed = (Times, Vec<u32>);

    /// The times of a part, and on which days they are.
    type OnDays = (Listed, fn(u32) -> bool);

    fn bits(values: &[u32]) -> u64 {
        values.iter().fold(0, |bits, value| bits | 1 << value)
    }

    fn lists([hours, minutes, seconds]: [&[u32]; 3], millis: u32) -> Listed {
        let mut listed = Vec::new();
        for hour in hours {
            for minute in minutes {
                let of_minute = |second: &u32| ((hour * 60 + minute) * 60 + second) * 1000 + millis;
                listed.extend(seconds.iter().map(of_minute));
            }
        }
        let mut words = [0; 16];
        words[millis as usize / 64] = 1 << (millis % 64);
        let every = Steps { first: 0, step: 1, count: 86_400_000 };
        (Times::new([hours, minutes, seconds].map(bits), words, every), listed)
    }

    fn steps(first: u32, step: u32, count: u32) -> Listed {
        let listed = (0..count).map(|index| first + index * step).collect();
        (Times::of_steps(Steps { first, step, count }), listed)
    }

    /// Checks all counts.
    fn check(parts: &[OnDays], room: usize) {
        let mut days = Vec::new();
        for (_, has) in parts {
            let mut set = DaySet::EMPTY;
            (0..DAYS).filter(|day| has(*day)).for_each(|day| set.insert(day));
            days.push(PartDays::owned(&set));
        }
        let part = |(place, ((times, _), _)): (usize, &(Listed, _))| Part {
            member: place,
            days: place,
            times: *times,
        };
        let all = parts.iter().enumerate().map(part).collect();
        let overlap = Overlap::with_room(all, days.into(), room).unwrap();
        let mut before = 0;
        for day in 0..DAYS {
            let today = parts.iter().filter(|(_, has)| has(day));
            let times: BTreeSet<u32> = today.flat_map(|((_, listed), _)| listed).copied().collect();
            let start = u64::from(day) * DAY;
            assert_eq!(overlap.rank(start), before, "{day}");
            for (rank, time) in (before..).zip(&times).step_by(5 + day as usize % 5) {
                let event = start + u64::from(*time);
                assert_eq!((overlap.rank(event), overlap.select(rank)), (rank, event), "{day}");
                assert_eq!(overlap.rank(event + 1), rank + 1, "{day}");
            }
            before += times.len() as u64;
        }
        assert_eq!((overlap.rank(u64::from(DAYS) * DAY), overlap.total), (before, before));
    }

    #[test]
    fn events_are_counted_however_much_is_known() {
        let minutes: [OnDays; 4] = [
            (lists([&[9, 23], &[0, 59], &[0]], 0), |day| day % 7 < 4),
            (lists([&[0, 9], &[0, 30], &[0]], 0), |day| day % 5 < 2),
            (lists([&[9], &[0, 1], &[0]], 0), |day| day % 63 == 0 || day == DAYS - 1),
            (steps(0, 25_200_000, 4), |day| day % 64 > 60),
        ];
        let seconds: [OnDays; 4] = [
            (lists([&[9, 23], &[0], &[0, 59]], 999), |day| day % 7 < 4),
            (lists([&[9], &[0, 30], &[0, 1]], 999), |day| day % 5 < 2),
            (lists([&[9], &[0, 1], &[0, 59]], 999), |day| day % 63 == 0 || day == DAYS - 1),
            (steps(999, 10_800_000, 8), |day| day % 64 > 60),
        ];
        // The last minute with a step has fewer of them.
        let last: [OnDays; 2] = [
            (lists([&[0], &[0, 1, 2, 3], &[0, 20, 40]], 999), |day| day % 5 < 2),
            (steps(999, 20_000, 8), |day| day % 64 > 60),
        ];
        for room in [0, 300, usize::MAX] {
            check(&minutes, room);
            check(&seconds, room);
            check(&last, room);
            check(&seconds[..2], room);
        }
    }

    #[test]
    fn counts_may_need_more_than_32_bits() {
        let every = |step| Times::of_steps(Steps { first: 0, step, count: 86_400_000 / step });
        let parts = [
            Part { member: 0, days: 0, times: every(1) },
            Part { member: 1, days: 1, times: every(2) },
        ];
        let mut some = DaySet::EMPTY;
        (0..DAYS).filter(|day| day % 7 < 4).for_each(|day| some.insert(day));
        let days = [&some, &DaySet::ALL].map(PartDays::owned);
        let overlap = Overlap::new(parts.into(), days.into()).unwrap();
        let mut before = 0;
        for day in 0..DAYS {
            let start = u64::from(day) * DAY;
            assert_eq!((overlap.rank(start), overlap.select(before)), (before, start), "{day}");
            before += if some.contains(day) { DAY } else { DAY / 2 };
        }
        assert_eq!(overlap.total, before);
    }
}
