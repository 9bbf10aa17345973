//! [`Expression`]: the values of the eight fields of a schedule, and their canonical
//! text.

use core::fmt;

use crate::{Field, bits};

/// The eight fields of a schedule as sets of values. Each set is a bitmap, in which bit 0 is
/// the lowest value of the field. Two schedules are equal if their expressions are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// The fields with at most 128 values.
    pub fields: Fields,
    /// 0-999.
    pub millisecond: Milliseconds,
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

/// The bit for the last day of the month in the set of days.
pub(crate) const LAST_DAY: u64 = 1 << 31;

/// A set of milliseconds, the only large set.
pub type Milliseconds = [u64; 16];

impl Expression {
    /// Midnight on every day: all values of the date and the weekday, and 0 for each field of
    /// the time. A text starts from here, so these are the values of omitted parts.
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
    };

    /// The milliseconds of a text without milliseconds.
    pub(crate) const ZERO: Milliseconds = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

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

    /// Returns whether a field has exactly the values of `*`.
    pub(crate) fn is_full(&self, field: Field) -> bool {
        match *self.words(field) {
            [word] => word == full(field)[0],
            [low, high] => [low, high] == full(field),
            // Milliseconds: no bit beyond 999 is ever set.
            _ => self.count(field) == 1000,
        }
    }

    /// Returns whether a field matches everything. Days 1 to 30 and the last day, for example,
    /// are all days.
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

    fn contains(&self, field: Field, number: u16) -> bool {
        let index = number - field.min_value();
        self.words(field)
            .get(usize::from(index / 64))
            .is_some_and(|&word| bits::contains(word, u32::from(index % 64)))
    }

    /// Returns the longest run of equal steps that starts at the value `first`.
    fn run(&self, field: Field, first: u16) -> Run {
        let Some(second) = self.next(field, first + 1) else {
            return Run { last: first, step: 1, len: 1 };
        };
        let step = second - first;
        let mut run = Run { last: second, step, len: 2 };
        while self.next(field, run.last + 1) == Some(run.last + step) {
            run.last += step;
            run.len += 1;
        }
        run
    }

    /// Writes a field in its canonical form, with numbers of at least `width` digits.
    fn write_field(&self, f: &mut fmt::Formatter<'_>, field: Field, width: usize) -> fmt::Result {
        let has_last_day = field == Field::Day && self.contains(field, field.max_value());
        let mut separator = "";
        let mut from = self.next(field, field.min_value());
        while let Some(first) = from {
            let run = self.run(field, first);
            let is_whole = first == field.min_value() && run.last + run.step > field.last();
            let next = match run {
                Run { len: 3.., step: 1, .. } if is_whole && !has_last_day => {
                    return f.write_str("*");
                }
                Run { len: 3.., step, .. } if is_whole && step > 1 => {
                    write!(f, "{separator}*/{step}")?;
                    run.last
                }
                Run { len: 3.., step, last } => {
                    write!(f, "{separator}{first:0width$}-{last:0width$}")?;
                    if step > 1 {
                        write!(f, "/{step}")?;
                    }
                    last
                }
                _ => {
                    write!(f, "{separator}{first:0width$}")?;
                    first
                }
            };
            separator = ",";
            from = self.next(field, next + 1);
        }
        if has_last_day {
            write!(f, "{separator}{}", field.max_value())?;
        }
        Ok(())
    }
}

/// Values of a field in equal steps.
struct Run {
    last: u16,
    step: u16,
    len: u16,
}

/// Writes the canonical text: without a date or weekday that matches everything, without
/// milliseconds that are only 0, with numbers in ascending order, and with three or more
/// numbers in equal steps as a range.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_weekday = !self.is_full(Field::Weekday);
        if has_weekday
            || [Field::Year, Field::Month, Field::Day].iter().any(|field| !self.is_full(*field))
        {
            self.write_field(f, Field::Year, 4)?;
            f.write_str(".")?;
            self.write_field(f, Field::Month, 2)?;
            f.write_str(".")?;
            self.write_field(f, Field::Day, 2)?;
            f.write_str(" ")?;
        }
        if has_weekday {
            self.write_field(f, Field::Weekday, 1)?;
            f.write_str(" ")?;
        }
        self.write_field(f, Field::Hour, 2)?;
        f.write_str(":")?;
        self.write_field(f, Field::Minute, 2)?;
        f.write_str(":")?;
        self.write_field(f, Field::Second, 2)?;
        if self.millisecond != Self::ZERO {
            f.write_str(".")?;
            self.write_field(f, Field::Millisecond, 3)?;
        }
        Ok(())
    }
}

/// Returns the bitmap of `*` for a field with at most 128 values.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the bitmap")]
const fn full(field: Field) -> [u64; 2] {
    let bits = (1_u128 << (field.last() - field.min_value() + 1)) - 1;
    [bits as u64, (bits >> 64) as u64]
}
