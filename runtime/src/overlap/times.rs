//! [`Times`]: times of day that may be the times of several schedules at once.

use crate::calendar::DAY_MILLIS;
use crate::expression::Fields;
use crate::search::DAY;
use crate::{Expression, Milliseconds, Window, bits};

/// Times of a day: those of four sets that are also in equal steps.
///
/// A schedule has one of the two, and the other does not restrict it. Whatever two schedules have in
/// common is again of this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The hours, minutes and seconds, as bits.
    fields: [u64; 3],
    /// The milliseconds, as bits.
    millis: Milliseconds,
    steps: Steps,
    /// What restricts the times.
    kind: Kind,
    /// The number of milliseconds in the set.
    per_second: u16,
}

/// What restricts some times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sets,
    Steps,
    Both,
}

/// Equal steps within a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The first step, in milliseconds since midnight.
    pub first: u32,
    /// The distance between steps, in milliseconds, at least 1.
    pub step: u32,
    /// The number of steps.
    pub count: u32,
}

pub(super) const MINUTE: u32 = 60_000;

pub(super) const MINUTES_PER_DAY: u32 = DAY_MILLIS / MINUTE;

/// The longest step for which its arrangements within a minute repeat often enough to be remembered.
const LONGEST_KNOWN: u32 = 1440;

/// All values of a field as bits, for a number of values.
const fn all(radix: u32) -> u64 {
    u64::MAX >> (64 - radix)
}

const ALL_FIELDS: [u64; 3] = [all(24), all(60), all(60)];

const ALL_MILLIS: Milliseconds = {
    let mut millis = [u64::MAX; 16];
    millis[15] = all(1000 % 64);
    millis
};

impl Steps {
    /// Every millisecond of a day.
    const ALL: Self = Self { first: 0, step: 1, count: DAY_MILLIS };
    const NONE: Self = Self { first: 0, step: 1, count: 0 };

    const fn is_all(self) -> bool {
        self.step == 1 && self.count == DAY_MILLIS
    }

    /// Returns the step with a number.
    const fn at(self, index: u32) -> u64 {
        self.first as u64 + index as u64 * self.step as u64
    }

    /// Returns the number of steps before a time.
    const fn before(self, time: u32) -> u32 {
        if time <= self.first {
            return 0;
        }
        let steps = (time - self.first).div_ceil(self.step);
        if steps < self.count { steps } else { self.count }
    }

    const fn contains(self, time: u32) -> bool {
        time >= self.first
            && (time - self.first).is_multiple_of(self.step)
            && (time - self.first) / self.step < self.count
    }

    /// Returns the steps that both have, by the Chinese remainder theorem.
    const fn and(self, other: Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return Self::NONE;
        }
        let common = greatest_common_divisor(self.step, other.step);
        let (from, to) = if self.first < other.first { (self, other) } else { (other, self) };
        let apart = to.first - from.first;
        if apart % common != 0 {
            return Self::NONE;
        }
        // `to.first + k * to.step` is a step of `from` for one `k` below this period.
        let period = (from.step / common) as u64;
        let inverse = inverse((to.step / common) as u64, period);
        // It is `k * to.step / common = -apart / common` modulo the period.
        let wanted = (period - (apart / common) as u64 % period) % period;
        let k = wanted * inverse % period;
        let first = to.first as u64 + k * to.step as u64;
        let [last, of_other] = [self.at(self.count - 1), other.at(other.count - 1)];
        let last = if last < of_other { last } else { of_other };
        if first > last {
            return Self::NONE;
        }
        let step = to.step as u64 * period;
        let count = (last - first) / step + 1;
        #[expect(clippy::cast_possible_truncation, reason = "within a day")]
        if count == 1 {
            Self { first: first as u32, step: 1, count: 1 }
        } else {
            Self { first: first as u32, step: step as u32, count: count as u32 }
        }
    }
}

const fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the inverse of a number modulo another, to which it has no divisor in common; 0 modulo 1.
const fn inverse(number: u64, modulus: u64) -> u64 {
    if modulus == 1 {
        return 0;
    }
    // The extended algorithm of Euclid.
    let (mut old, mut new) = (modulus.cast_signed(), number.cast_signed());
    let (mut old_factor, mut factor) = (0_i64, 1_i64);
    while new != 0 {
        let quotient = old / new;
        (old, new) = (new, old - quotient * new);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    old_factor.rem_euclid(modulus.cast_signed()).cast_unsigned()
}

impl Times {
    /// No times.
    pub(super) const NONE: Self = Self::of_steps(Steps::NONE);

    /// Returns the times of an expression on the day to which they belong, and those that are on
    /// the day after it.
    pub(crate) const fn of(expression: &Expression) -> (Self, Option<Self>) {
        let Some(window) = expression.window else {
            let Fields { hour, minute, second, .. } = expression.fields;
            let fields = [hour, minute, second];
            return (Self::new(fields, expression.millisecond, Steps::ALL), None);
        };
        let Window { from, step, count } = window;
        let all = Steps { first: from, step, count };
        let today = all.before(DAY_MILLIS);
        let first = if today == count { None } else { Some(all.at(today) - DAY) };
        let times = Self::of_steps(Steps { count: today, ..all });
        match first {
            None => (times, None),
            #[expect(clippy::cast_possible_truncation, reason = "at most a day")]
            Some(first) => {
                let next = Steps { first: first as u32, step, count: count - today };
                (times, Some(Self::of_steps(next)))
            }
        }
    }

    pub(super) const fn of_steps(steps: Steps) -> Self {
        Self { fields: ALL_FIELDS, millis: ALL_MILLIS, steps, kind: Kind::Steps, per_second: 1000 }
    }

    /// Returns the times of four sets, as bits, that are also steps.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
    pub const fn new(fields: [u64; 3], millis: Milliseconds, steps: Steps) -> Self {
        let (mut per_second, mut index) = (0, 0);
        while index < 16 {
            per_second += millis[index].count_ones() as u16;
            index += 1;
        }
        let mut has_only_steps = per_second == 1000;
        index = 0;
        while index < 3 {
            has_only_steps &= fields[index] == ALL_FIELDS[index];
            index += 1;
        }
        let kind = match (has_only_steps, steps.is_all()) {
            (true, _) => Kind::Steps,
            (false, true) => Kind::Sets,
            (false, false) => Kind::Both,
        };
        Self { fields, millis, steps, kind, per_second }
    }

    /// Returns the times that both have.
    pub(super) const fn and(&self, other: &Self) -> Self {
        let (mut fields, mut millis) = (self.fields, self.millis);
        let mut index = 0;
        while index < 3 {
            fields[index] &= other.fields[index];
            index += 1;
        }
        index = 0;
        while index < 16 {
            millis[index] &= other.millis[index];
            index += 1;
        }
        let steps = match (self.steps.is_all(), other.steps.is_all()) {
            (true, _) => other.steps,
            (_, true) => self.steps,
            _ => self.steps.and(other.steps),
        };
        Self::new(fields, millis, steps).normalized()
    }

    /// Whether both are written alike. Equal sets may be written differently.
    pub(super) const fn is_same(&self, other: &Self) -> bool {
        let [a, b] = [self.steps, other.steps];
        let mut is_same = a.first == b.first && a.step == b.step && a.count == b.count;
        let mut index = 0;
        while index < 3 {
            is_same &= self.fields[index] == other.fields[index];
            index += 1;
        }
        index = 0;
        while index < 16 {
            is_same &= self.millis[index] == other.millis[index];
            index += 1;
        }
        is_same
    }

    /// Brings a set with one time into one form.
    const fn normalized(self) -> Self {
        let one = if self.steps.count == 1 {
            self.steps.first
        } else if self.per_day() == 1 {
            self.first()
        } else {
            return self;
        };
        if self.contains(one) {
            Self::of_steps(Steps { first: one, step: 1, count: 1 })
        } else {
            Self::of_steps(Steps::NONE)
        }
    }

    /// Returns the first time of the four sets.
    const fn first(&self) -> u32 {
        let [hours, minutes, seconds] = self.fields;
        let mut index = 0;
        while index < 15 && self.millis[index] == 0 {
            index += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "below 16")]
        let milli = 64 * index as u32 + bits::first(self.millis[index]);
        (bits::first(hours) * 60 + bits::first(minutes)) * 60_000
            + bits::first(seconds) * 1000
            + milli
    }

    /// Returns the first time.
    pub(crate) const fn first_of_day(&self) -> u32 {
        match self.kind {
            Kind::Sets => self.first(),
            Kind::Steps | Kind::Both => self.steps.first,
        }
    }

    /// Returns how long after the start of a minute all times are, in milliseconds; `None` if they
    /// differ in that.
    pub(super) const fn past_minute(&self) -> Option<u32> {
        let [_, _, seconds] = self.fields;
        match self.kind {
            Kind::Sets if seconds.is_power_of_two() && self.per_second == 1 => {
                Some(self.first() % 60_000)
            }
            Kind::Steps if self.steps.count == 1 || self.steps.step.is_multiple_of(60_000) => {
                Some(self.steps.first % 60_000)
            }
            _ => None,
        }
    }

    /// Whether only steps restrict the times.
    pub(super) const fn is_steps(&self) -> bool {
        matches!(self.kind, Kind::Steps)
    }

    /// Returns the work of counting the times, in units of some 100 ns, which times take that only sets or only steps
    /// restrict.
    pub(super) const fn work(&self) -> u32 {
        match self.kind {
            Kind::Sets | Kind::Steps => 1,
            // Five steps that are visited, and thirty minutes, take as long.
            Kind::Both => MINUTES_PER_DAY / 30 + self.visited() / 5,
        }
    }

    /// Returns how many steps are visited when all of them are counted that are in the sets.
    const fn visited(&self) -> u32 {
        let Steps { step, count, .. } = self.steps;
        let of_arrangements = MINUTE / greatest_common_divisor(step, MINUTE);
        if step > LONGEST_KNOWN || count < of_arrangements { count } else { of_arrangements }
    }

    /// Returns the arguments of [`new`](Self::new).
    #[must_use]
    pub const fn parts(&self) -> ([u64; 3], &Milliseconds, Steps) {
        (self.fields, &self.millis, self.steps)
    }

    /// Whether both may have a time in common.
    pub(crate) const fn overlaps(&self, other: &Self) -> bool {
        !self.and(other).is_empty()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.steps.count == 0 || self.per_day() == 0
    }

    pub(super) const fn contains(&self, time: u32) -> bool {
        let [hours, minutes, seconds] = self.fields;
        self.steps.contains(time)
            && bits::contains(hours, time / 3_600_000)
            && bits::contains(minutes, time / 60_000 % 60)
            && bits::contains(seconds, time / 1000 % 60)
            && bits::contains(self.millis[(time % 1000) as usize / 64], time % 1000)
    }

    const fn millis_before(&self, milli: u32) -> u32 {
        let (last, mut count) = (milli / 64, 0);
        let mut index = 0;
        while index < last {
            count += self.millis[index as usize].count_ones();
            index += 1;
        }
        if last < 16 { count + bits::rank(self.millis[last as usize], milli) } else { count }
    }

    /// Returns the number of times of the four sets.
    const fn per_day(&self) -> u32 {
        let [hours, minutes, seconds] = self.fields;
        hours.count_ones() * minutes.count_ones() * seconds.count_ones() * self.per_second as u32
    }

    /// Returns the number of times before a time, at most a day.
    pub(super) const fn before(&self, time: u32) -> u32 {
        match self.kind {
            Kind::Steps => self.steps.before(time),
            Kind::Sets => self.of_sets_before(time),
            Kind::Both => self.of_both_before(time),
        }
    }

    /// Returns the number of times of the four sets before a time.
    const fn of_sets_before(&self, time: u32) -> u32 {
        if time == DAY_MILLIS {
            return self.per_day();
        }
        let [hours, minutes, seconds] = self.fields;
        let (hour, minute) = (time / 3_600_000, time / 60_000 % 60);
        let (second, milli) = (time / 1000 % 60, time % 1000);
        let mut count = bits::rank(hours, hour);
        let mut holds = bits::contains(hours, hour);
        count = count * minutes.count_ones() + if holds { bits::rank(minutes, minute) } else { 0 };
        holds &= bits::contains(minutes, minute);
        count = count * seconds.count_ones() + if holds { bits::rank(seconds, second) } else { 0 };
        holds &= bits::contains(seconds, second);
        count * self.per_second as u32 + if holds { self.millis_before(milli) } else { 0 }
    }

    /// Returns the number of steps before a time that are in the four sets.
    ///
    /// A minute has at most `60,000 / step` steps, and as many arrangements of them as there are
    /// remainders of the step. So there is never more to visit than the milliseconds of a minute,
    /// once for each arrangement.
    #[expect(clippy::cast_possible_truncation, reason = "times of day")]
    const fn of_both_before(&self, time: u32) -> u32 {
        const UNKNOWN: u32 = u32::MAX;
        let [hours, minutes, _] = self.fields;
        let mut known = [UNKNOWN; LONGEST_KNOWN as usize];
        let (mut count, mut minute) = (0, 0);
        while minute * MINUTE < time {
            let start = minute * MINUTE;
            let is_in = bits::contains(hours, minute / 60) && bits::contains(minutes, minute % 60);
            minute += 1;
            if !is_in {
                continue;
            }
            let end = start + MINUTE;
            let (from, to) = (self.steps.before(start), self.steps.before(end));
            if from == self.steps.count {
                break;
            }
            let is_whole = end <= time && from > 0 && to < self.steps.count;
            let place = self.steps.at(from) - start as u64;
            let is_known = is_whole && place < LONGEST_KNOWN as u64;
            if is_known && known[place as usize] != UNKNOWN {
                count += known[place as usize];
                continue;
            }
            let until = if end < time { end } else { time };
            let mut of_minute = 0;
            let mut index = from;
            while index < to && self.steps.at(index) < until as u64 {
                of_minute += self.contains(self.steps.at(index) as u32) as u32;
                index += 1;
            }
            if is_known {
                known[place as usize] = of_minute;
            }
            count += of_minute;
        }
        count
    }
}
