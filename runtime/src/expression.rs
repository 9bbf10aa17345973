//! [`Expression`]: the eight field sets that a text stands for, and the
//! canonical text that stands for them.

use core::fmt;

use crate::{Field, bits};

/// The eight sets of a schedule, each a bitmap in which bit 0 is the field's
/// lowest number. Two schedules are equal when these are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// The fields of at most 128 numbers.
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

/// The place of the last day of the month in the set of days.
pub(crate) const LAST_DAY: u64 = 1 << 31;

/// A set of milliseconds, the one large set.
pub type Milliseconds = [u64; 16];

impl Expression {
    /// Every day at midnight: each date field in full, each field of the time
    /// at 0. These are the fields of the parts that a text leaves out.
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

    /// The milliseconds of a text that names none.
    pub(crate) const ZERO: Milliseconds = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// The bitmap of a field.
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

    /// The bitmap of a field, to be changed.
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

    /// Whether a field holds every number that `*` stands for, and no other.
    pub(crate) fn is_full(&self, field: Field) -> bool {
        match *self.words(field) {
            [word] => word == full(field)[0],
            [low, high] => [low, high] == full(field),
            // The milliseconds hold nothing else.
            _ => self.count(field) == 1000,
        }
    }

    /// Whether a field leaves nothing out: it is full, or its days are all those that
    /// there are.
    #[must_use]
    pub fn holds_all(&self, field: Field) -> bool {
        const FIRST_30: u64 = (1 << 30) - 1;
        match field {
            // The 31st is the last day of a month.
            Field::Day => self.fields.day & FIRST_30 == FIRST_30 && self.fields.day > FIRST_30,
            _ => self.is_full(field),
        }
    }

    /// How many numbers a field holds.
    #[must_use]
    pub fn count(&self, field: Field) -> u32 {
        self.words(field).iter().map(|word| word.count_ones()).sum()
    }

    /// The first number that a field holds, `from` or above; the last day of
    /// the month, which has no place among the others, left out.
    pub(crate) fn next(&self, field: Field, from: u16) -> Option<u16> {
        (from..=field.last()).find(|number| self.contains(field, *number))
    }

    fn contains(&self, field: Field, number: u16) -> bool {
        let index = number - field.min();
        self.words(field)
            .get(usize::from(index / 64))
            .is_some_and(|&word| bits::contains(word, u32::from(index % 64)))
    }

    /// The longest run of equal steps that begins at `first`.
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

    /// Writes a field as the shortest list of items in its canonical form,
    /// its numbers with at least `width` digits.
    fn write_field(&self, f: &mut fmt::Formatter<'_>, field: Field, width: usize) -> fmt::Result {
        let has_last_day = field == Field::Day && self.contains(field, field.max());
        let mut separator = "";
        let mut from = self.next(field, field.min());
        while let Some(first) = from {
            let run = self.run(field, first);
            let is_whole = first == field.min() && run.last + run.step > field.last();
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
            write!(f, "{separator}{}", field.max())?;
        }
        Ok(())
    }
}

/// Numbers of a field in equal steps.
struct Run {
    last: u16,
    step: u16,
    len: u16,
}

/// The canonical text: the parts that hold everything are left out, and so are
/// milliseconds of 0 alone; numbers stand in ascending order, three and more
/// in equal steps as a range.
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

/// All the numbers of a field of at most 128 that `*` stands for, as bits.
#[expect(clippy::cast_possible_truncation, reason = "split into its halves")]
const fn full(field: Field) -> [u64; 2] {
    let bits = (1_u128 << (field.last() - field.min() + 1)) - 1;
    [bits as u64, (bits >> 64) as u64]
}
