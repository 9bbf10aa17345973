//! [`Expression`]: the meaning of a text, in normal form.

mod business;
mod display;
mod run;
mod window;

pub(crate) use business::MONDAY_TO_FRIDAY;
pub use business::{BusinessDays, Move, Moves};
pub(crate) use display::StepInUnits;
pub(crate) use run::{List, Run, bits_of};
pub use window::Window;
pub(crate) use window::{STEP_UNITS, WindowEnd};

use core::hash::Hash;
use core::ops::RangeInclusive;

use crate::{Field, bits};

/// The meaning of a schedule's text, in normal form.
///
/// The eight fields are sets of values. Each set is a bitmap, in which bit 0 is the lowest value
/// of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// The fields with at most 128 values.
    pub fields: Fields,
    /// 0-999.
    pub millisecond: Milliseconds,
    /// Days whose number depends on the month.
    pub relative: RelativeDays,
    /// Days that depend on which days are business days.
    pub business: BusinessDays,
    /// How the day of month and the weekday are joined.
    pub join: Join,
    /// Steps from a date, which is the only value of year, month and day of month.
    pub steps: Option<DateSteps>,
    /// A window of the day. The time fields then contain its start.
    pub window: Option<Window>,
}

/// Days that have no fixed number in a month, as bitmaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RelativeDays {
    /// `L-n`: bit n for the n-th day before the last, 1-30. The last day itself is day 32.
    pub before_last: u32,
    /// `aW`: bit a - 1 for the day from Monday to Friday nearest to day a.
    pub nearest: u32,
    /// `L-nW`: bit n for the day from Monday to Friday nearest to `L-n`, 0-30.
    pub nearest_before_last: u32,
    /// `a#k`: bit 7 (k - 1) + a for the k-th weekday a of the month, k 1-5; and `a#L`: bit 35 + a
    /// for the last one.
    pub numbered: u64,
}

impl RelativeDays {
    /// Returns the weekdays `a` with a number, 1-5, or 6 for the last one, as bits.
    #[must_use]
    pub const fn weekdays(&self, number: u32) -> u64 {
        (self.numbered >> (7 * (number - 1))) & 0x7f
    }

    /// Whether a day of the month is given other than by its number.
    #[must_use]
    pub const fn has_days(&self) -> bool {
        self.before_last | self.nearest | self.nearest_before_last != 0
    }
}

/// How the day of month and the weekday are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Join {
    /// A date is both on one of the days and on one of the weekdays.
    Both,
    /// A date is on one of the days, on one of the weekdays, or both: `*.*.13 | Fri`.
    Either,
}

/// Steps from a date: `2026.01.05/14d`, `2026.01.05/2w Mon,Thu`, `2026.01.05/3b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateSteps {
    /// The distance between the steps in days, at least 1; in business days if the unit is that.
    pub days: u32,
    /// What is counted.
    pub unit: StepUnit,
}

/// The unit of [`DateSteps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepUnit {
    /// `/nd`: a step is a day.
    Day,
    /// `/nw`: a step is the week that begins with it, in which the weekday selects the days.
    Week,
    /// `/nb`: a step is a business day. The first one is at or after the date.
    BusinessDay,
}

/// The sets from the year to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// 2000-2100.
    pub year: [u64; 2],
    /// 1-12.
    pub month: u64,
    /// 1-31, and 32 for the last day of the month.
    pub day: u64,
    /// 0-6, from Sunday.
    pub weekday: u64,
    /// 0-23.
    pub hour: u64,
    /// 0-59.
    pub minute: u64,
    /// 0-59.
    pub second: u64,
}

impl Fields {
    /// Returns the weekdays in fewer bits.
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    pub(crate) const fn weekdays(&self) -> u8 {
        self.weekday as u8
    }
}

/// The bit for the last day of the month in the set of days.
pub(crate) const LAST_DAY: u64 = 1 << 31;

/// The longest distance between steps from a date, in days: a whole number of weeks, and longer
/// than the range. Longer steps are equivalent.
pub(crate) const LONGEST_STEP: u32 = 7 * 5271;

/// A set of milliseconds, the only large set.
pub type Milliseconds = [u64; 16];

impl Expression {
    /// Midnight on every day: all values of the date and the weekday, and 0 for each time field.
    /// Parsing starts from here, so these are the values of omitted parts.
    pub(crate) const MIDNIGHTS: Self = Self {
        fields: Fields {
            year: full(Field::Year),
            month: full(Field::Month)[0],
            day: full(Field::Day)[0],
            weekday: full(Field::Weekday)[0],
            hour: 1,
            minute: 1,
            second: 1,
        },
        millisecond: Self::ZERO,
        relative: RelativeDays { before_last: 0, nearest: 0, nearest_before_last: 0, numbered: 0 },
        business: BusinessDays::NONE,
        join: Join::Both,
        steps: None,
        window: None,
    };

    /// The milliseconds of a text without milliseconds.
    pub(crate) const ZERO: Milliseconds = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// The bit of the year 2100, which Quartz does not have, in the second word of the years.
    pub(crate) const YEAR_2100: u64 = 1 << (2100 - 2000 - 64);

    /// Adds the year 2100, to compare schedules of Quartz with others.
    #[must_use]
    pub fn through_2100(&self) -> Self {
        let mut all = *self;
        all.fields.year[1] |= Self::YEAR_2100;
        all
    }

    /// Returns the bitmap of a field.
    #[must_use]
    pub const fn words(&self, field: Field) -> &[u64] {
        use core::slice::from_ref;
        match field {
            Field::Year => &self.fields.year,
            Field::Month => from_ref(&self.fields.month),
            Field::Day => from_ref(&self.fields.day),
            Field::Weekday => from_ref(&self.fields.weekday),
            Field::Hour => from_ref(&self.fields.hour),
            Field::Minute => from_ref(&self.fields.minute),
            Field::Second => from_ref(&self.fields.second),
            Field::Millisecond => &self.millisecond,
        }
    }

    /// Returns the mutable bitmap of a field.
    pub(crate) const fn words_mut(&mut self, field: Field) -> &mut [u64] {
        use core::slice::from_mut;
        match field {
            Field::Year => &mut self.fields.year,
            Field::Month => from_mut(&mut self.fields.month),
            Field::Day => from_mut(&mut self.fields.day),
            Field::Weekday => from_mut(&mut self.fields.weekday),
            Field::Hour => from_mut(&mut self.fields.hour),
            Field::Minute => from_mut(&mut self.fields.minute),
            Field::Second => from_mut(&mut self.fields.second),
            Field::Millisecond => &mut self.millisecond,
        }
    }

    /// Adds every `step`-th value of a range to a field.
    #[inline]
    pub(crate) fn insert(&mut self, field: Field, values: RangeInclusive<u16>, step: u32) {
        let (from, to) = values.into_inner();
        let [from, to] = [from, to].map(|it| u32::from(it - field.min_value()));
        let words = self.words_mut(field);
        if step == 1 {
            return fill(words, from, to);
        }
        // An inclusive range would be slower.
        let end = to + 1;
        for place in (from..end).step_by(step as usize) {
            words[place as usize / 64] |= 1 << (place % 64);
        }
    }

    /// Returns whether a field has exactly the values of `*`.
    pub(crate) fn is_full(&self, field: Field) -> bool {
        match *self.words(field) {
            [word] => word == full(field)[0],
            [low, high] => [low, high] == full(field),
            // Milliseconds: no bit beyond 999 is ever set.
            _ => self.count(field) == 1000,
        }
    }

    /// Returns whether a field matches everything. For example, days 1 to 30 and the last day are
    /// all days.
    #[must_use]
    pub fn holds_all(&self, field: Field) -> bool {
        const FIRST_30: u64 = (1 << 30) - 1;
        match field {
            // The 31st is always the last day of its month.
            Field::Day => self.fields.day & FIRST_30 == FIRST_30 && self.fields.day > FIRST_30,
            _ => self.is_full(field),
        }
    }

    /// Returns the number of values of a field.
    #[must_use]
    pub fn count(&self, field: Field) -> u32 {
        self.words(field).iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the first value of a field at or after `from`, other than day 32, the last day of
    /// the month.
    pub(crate) fn next(&self, field: Field, from: u16) -> Option<u16> {
        (from..=field.last()).find(|number| self.contains(field, *number))
    }

    /// Returns everything that the times of day depend on.
    pub(crate) fn times(&self) -> impl Eq + Hash + '_ {
        let Fields { hour, minute, second, .. } = self.fields;
        ([hour, minute, second], &self.millisecond, self.window)
    }

    /// Whether the expression has anything but sets of values.
    pub(crate) fn is_extended(&self) -> bool {
        self.relative != RelativeDays::default()
            || !self.business.is_empty()
            || self.join == Join::Either
            || self.steps.is_some()
    }

    /// Returns the year, the month and the day, if the expression has one of each, on any weekday.
    pub(crate) fn only_date(&self) -> Option<(i32, u8, u8)> {
        let is_plain = !self.is_extended()
            && self.is_full(Field::Weekday)
            && [Field::Year, Field::Month, Field::Day].iter().all(|field| self.count(*field) == 1)
            && self.fields.day != LAST_DAY;
        if !is_plain {
            return None;
        }
        let [low, high] = self.fields.year;
        let year = if low != 0 { low.trailing_zeros() } else { 64 + high.trailing_zeros() };
        let [month, day] = [self.fields.month, self.fields.day].map(|it| it.trailing_zeros() + 1);
        Some((2000 + year.cast_signed(), month.try_into().ok()?, day.try_into().ok()?))
    }

    /// Returns the expression with the weekdays that are business days without a calendar; `None`
    /// if it does not have every business day.
    pub(crate) fn with_weekdays_for_business_days(&self) -> Option<Self> {
        if !self.business.is_every {
            return None;
        }
        let mut expression = *self;
        expression.business.is_every = false;
        expression.fields.weekday |= u64::from(MONDAY_TO_FRIDAY);
        Some(expression)
    }

    /// Brings expressions with the same meaning into one form.
    pub(crate) fn normalize(&mut self) {
        let RelativeDays { numbered, .. } = self.relative;
        let all = |number: u32| numbered >> (7 * number) & 0x7f;
        // A weekday occurs at most five times in a month, so all five numbers are every occurrence.
        self.fields.weekday |= (0..5).fold(0x7f, |always, number| always & all(number));
        let each_number = self.fields.weekday * 0x0008_1020_4081;
        self.relative.numbered &= !each_number;
        if self.holds_all(Field::Day) {
            self.relative =
                RelativeDays { numbered: self.relative.numbered, ..RelativeDays::default() };
            if self.is_full(Field::Month) && self.is_full(Field::Year) {
                self.business.moves = Moves::default();
            }
        }
        if self.is_full(Field::Weekday) {
            self.business = BusinessDays { moves: self.business.moves, ..BusinessDays::NONE };
        } else if self.business.is_every {
            (self.business.numbered, self.business.before_last) = (0, 0);
        }
        let holds_all = self.holds_all(Field::Day) || self.is_full(Field::Weekday);
        if self.join == Join::Either && holds_all {
            self.join = Join::Both;
            self.relative = RelativeDays::default();
            self.business = BusinessDays::NONE;
            self.fields.day = Self::MIDNIGHTS.fields.day;
            self.fields.weekday = Self::MIDNIGHTS.fields.weekday;
        }
    }

    pub(crate) fn contains(&self, field: Field, number: u16) -> bool {
        let index = number - field.min_value();
        self.words(field)
            .get(usize::from(index / 64))
            .is_some_and(|&word| bits::contains(word, u32::from(index % 64)))
    }
}

/// Sets the bits from `from` to `to`.
fn fill(words: &mut [u64], from: u32, to: u32) {
    let (from_low, to_high) = (u64::MAX << (from % 64), u64::MAX >> (63 - to % 64));
    // Most fields have one word, and a loop would be slower for those.
    if let [word] = words {
        *word |= from_low & to_high;
        return;
    }
    let (first, last) = (from as usize / 64, to as usize / 64);
    for (place, word) in words.iter_mut().enumerate().take(last + 1).skip(first) {
        let low = if place == first { from_low } else { u64::MAX };
        let high = if place == last { to_high } else { u64::MAX };
        *word |= low & high;
    }
}

/// Returns the bitmap of `*` for a field with at most 128 values.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the bitmap")]
const fn full(field: Field) -> [u64; 2] {
    let bits = (1_u128 << (field.last() - field.min_value() + 1)) - 1;
    [bits as u64, (bits >> 64) as u64]
}
