//! The planner: field sets → what the search needs. The strategy of each part
//! is chosen here, once, from the data; the tables of the strategies are filled
//! by the strategies' own constructors.

use crate::calendar::days_in_month;
use crate::expression::Fields;
use crate::search::{
    At, Bounds, DAY, DAY_MILLIS, DAYS, DatePart, DatePlan, DayMinutes, DigitSet, Digits, EveryDay,
    FewDays, HourMinutes, LIST, Listing, One, Plan, SPREAD, Split, Stride, TimePart, TimePlan, Weekdays, Wide, Word,
    YearRows,
};
use crate::{Expression, Field, bits};

/// The field that leaves no day over: the day of month, or the weekday where
/// the dates alone would have days.
pub(crate) struct Never(pub(crate) Field);

/// What answers for the sets of an expression.
#[inline]
pub(crate) fn plan(expression: &Expression) -> Result<Plan<DatePlan, TimePlan>, Never> {
    let date = plan_date(expression)?;
    let digits = [Field::Hour, Field::Minute, Field::Second, Field::Millisecond]
        .map(|field| Digit::of(expression, field));
    let time = match (&date, plan_time(expression, &digits)) {
        // One time on every day is a stride of a day.
        (DatePlan::EveryDay(_), TimePlan::At(At(time))) => {
            TimePlan::Stride(Stride::new(DAY_MILLIS, time))
        }
        (_, time) => time,
    };
    let bounds = Bounds {
        first: u64::from(date.ceil(0)) * DAY + u64::from(time.opens()),
        last: u64::from(date.floor(DAYS - 1)) * DAY + u64::from(time.closes()),
        count: u64::from(date.rank(DAYS)) * u64::from(time.per_day()),
    };
    Ok(Plan { date, time, bounds })
}

/// The days of common and of leap years that month and day of month take.
fn plan_rows(expression: &Expression) -> [u64; 12] {
    let days = expression.fields.day & !LAST_DAY;
    let last_day =
        |len: u32| if expression.fields.day & LAST_DAY == 0 { 0 } else { 1 << (len - 1) };
    let of_month = |len: u32| (days & ((1 << len) - 1)) | last_day(len);
    let has = |month: u32| bits::contains(expression.fields.month, month - 1);
    // A common year, and one word more for what is carried over its end.
    let mut common = [0; 7];
    let mut start = 0;
    for month in 1..=12 {
        let len = u32::from(days_in_month(2001, month));
        if has(u32::from(month)) {
            let (low, high) = halves(u128::from(of_month(len)) << (start % 64));
            common[start as usize / 64] |= low;
            common[start as usize / 64 + 1] |= high;
        }
        start += len;
    }
    // From March on, a leap year is a day later.
    let [january, february] = [(1 << 31) - 1, if has(2) { of_month(29) << 31 } else { 0 }];
    let mut rows = [0; 12];
    let mut carry = common[0] & january | february;
    let mut from_march = common[0] & (u64::MAX << 59);
    for index in 0..6 {
        rows[index] = common[index];
        rows[6 + index] = from_march << 1 | carry;
        carry = from_march >> 63;
        from_march = common[index + 1];
    }
    rows
}

/// The place of the last day of the month in the set of days.
const LAST_DAY: u64 = 1 << 31;

#[expect(clippy::cast_possible_truncation, reason = "split into its halves")]
const fn halves(bits: u128) -> (u64, u64) {
    (bits as u64, (bits >> 64) as u64)
}

#[inline]
fn plan_date(expression: &Expression) -> Result<DatePlan, Never> {
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    let weekdays = expression.fields.weekday as u8;
    let has_all_weekdays = expression.is_full(Field::Weekday);
    let years = expression.fields.year;
    // The 28th to the 31st name every last day.
    let has_all_days = (expression.fields.day | LAST_DAY).count_ones() == 32;
    if expression.is_full(Field::Year) && expression.is_full(Field::Month) && has_all_days {
        return Ok(if has_all_weekdays {
            DatePlan::EveryDay(EveryDay)
        } else {
            DatePlan::Weekdays(Weekdays::new(weekdays))
        });
    }
    let [low, high] = years;
    let dates = Dates {
        rows: plan_rows(expression),
        weekdays,
        years: u128::from(low) | u128::from(high) << 64,
    };
    let is_cyclic = expression.is_full(Field::Year) && dates.about() > FEW;
    let list = match (is_cyclic, has_all_weekdays) {
        (false, _) => dates.list().map(DatePlan::FewDays),
        (true, true) => dates.list().map(DatePlan::FewDays4),
        (true, false) => dates.list().map(DatePlan::FewDays28),
    };
    if let Some(days) = list {
        return Ok(days);
    }
    let (plan, count) = if has_all_weekdays {
        let days = YearRows::new(dates.rows, weekdays, years);
        let count = days.count();
        (DatePlan::Dates(days), count)
    } else {
        let days = YearRows::new(dates.rows, weekdays, years);
        let count = days.count();
        (DatePlan::DatesOnWeekdays(days), count)
    };
    if count > 0 {
        return Ok(plan);
    }
    let has_dates = YearRows::<2, 3>::new(dates.rows, 0x7f, years).count() > 0;
    Err(Never(if has_dates { Field::Weekday } else { Field::Day }))
}

/// Up to about how many days are listed one by one, also where they repeat.
const FEW: usize = 32;

/// What the dates of a schedule depend on.
struct Dates {
    /// The days that month and day of month take of a common and a leap year.
    rows: [u64; 12],
    weekdays: u8,
    years: u128,
}

impl Dates {
    /// The days as a list that repeats after so many years, if they are few and
    /// far enough from each other.
    fn list<const YEARS: usize>(&self) -> Option<FewDays<LIST, SPREAD, YEARS>> {
        let [cycle, of_2100] = if YEARS < 101 {
            [(1 << YEARS) - 1, 1 << 100]
        } else {
            [u128::MAX, 0]
        };
        let list = |years| {
            let dates = Self { years, ..*self };
            if dates.about() > LIST {
                return None;
            }
            Listing::<LIST>::new(&self.rows, self.weekdays, years)
        };
        FewDays::new(list(self.years & cycle)?.days(), list(self.years & of_2100)?.days())
    }

    /// About how many days there are.
    fn about(&self) -> usize {
        let dates: u32 = self.rows[6..].iter().map(|word| word.count_ones()).sum();
        (dates * self.years.count_ones() * self.weekdays.count_ones() / 7) as usize
    }
}

/// A digit of the time of day.
struct Digit {
    field: Field,
    /// Its unit, in milliseconds.
    unit: u32,
    /// How many values it could have.
    radix: u32,
    /// How many it has.
    len: u32,
    /// The lowest and the highest of these.
    first: u32,
    last: u32,
}

impl Digit {
    fn of(expression: &Expression, field: Field) -> Self {
        let (unit, radix) = match field {
            Field::Hour => (3_600_000, 24),
            Field::Minute => (60_000, 60),
            Field::Second => (1000, 60),
            _ => (1, 1000),
        };
        let fixed = Self { field, unit, radix, len: 1, first: 0, last: 0 };
        match *expression.words(field) {
            [word] => Self {
                len: word.count_ones(),
                first: bits::first(word),
                last: bits::last(word),
                ..fixed
            },
            // As most are.
            _ if expression.millisecond == Expression::ZERO => fixed,
            _ => {
                let set = Wide::new(expression.millisecond);
                Self { len: set.count(), first: set.first(), last: set.last(), ..fixed }
            }
        }
    }

    /// From one value to the next, where they are equally far, the last and the
    /// first of the next turn too.
    fn step(&self, expression: &Expression) -> Option<u32> {
        let step = self.radix / self.len;
        let words = expression.words(self.field);
        let is_even =
            self.radix.is_multiple_of(self.len) && self.last - self.first == self.radix - step;
        (is_even && is_moved(words, self.first, step, self.last)).then_some(step)
    }

    const fn is_free(&self) -> bool {
        self.len == self.radix
    }
}

/// Whether all bits but the first, up to the last, are those of the same words
/// moved up by `step`.
fn is_moved(words: &[u64], first: u32, step: u32, last: u32) -> bool {
    let (skip, shift) = (step as usize / 64, step % 64);
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    words.iter().enumerate().all(|(index, &bits)| {
        let moved = match index.checked_sub(skip) {
            None => 0,
            Some(from) if shift == 0 => word(from),
            Some(from) => {
                let carried = from.checked_sub(1).map_or(0, |below| word(below) >> (64 - shift));
                word(from) << shift | carried
            }
        };
        let of_word = |place: u32| place as usize / 64 == index;
        let upto_last = if of_word(last) { u64::MAX >> (63 - last % 64) } else { u64::MAX };
        let but_first = if of_word(first) { bits & !(1 << (first % 64)) } else { bits };
        index > last as usize / 64 || moved & upto_last == but_first
    })
}

/// The strategy of the time part.
fn plan_time(expression: &Expression, digits: &[Digit; 4]) -> TimePlan {
    let amount =
        |digits: &[Digit]| digits.iter().map(|digit| digit.first * digit.unit).sum::<u32>();
    // The lowest digit that is not fixed decides, and whether all above it are
    // free.
    let lowest = digits.iter().rposition(|digit| digit.len > 1);
    let Some((upper, digit, fixed)) = lowest.and_then(|lowest| {
        let (digit, fixed) = digits[lowest..].split_first()?;
        Some((&digits[..lowest], digit, fixed))
    }) else {
        return TimePlan::At(At(amount(digits)));
    };
    let is_wide = digit.radix == 1000;
    if !upper.iter().all(Digit::is_free) {
        let Fields { hour, minute, second, .. } = expression.fields;
        #[expect(clippy::cast_possible_truncation, reason = "24 bits")]
        let hour = hour as u32;
        if is_wide {
            let millis = Wide::new(expression.millisecond);
            TimePlan::DigitsWide(Digits::new(HourMinutes::new(hour, minute), second, millis))
        } else {
            let millis = One(digits[3].first);
            TimePlan::DigitsOne(Digits::new(DayMinutes::new(hour, minute), second, millis))
        }
    } else if let Some(step) = digit.step(expression) {
        TimePlan::Stride(Stride::new(step * digit.unit, amount(digits)))
    } else if is_wide {
        let set = Wide::new(expression.millisecond);
        TimePlan::SplitWide(Split::new(digit.unit, digit.radix, amount(fixed), set))
    } else {
        let set = Word(expression.words(digit.field)[0]);
        TimePlan::SplitWord(Split::new(digit.unit, digit.radix, amount(fixed), set))
    }
}
