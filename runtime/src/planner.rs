//! The planner: field sets to plan.
//!
//! It chooses the strategy of each part from the field sets. The constructors of the
//! strategies fill in their tables.

use crate::calendar::days_in_month;
use crate::expression::{Fields, LAST_DAY};
use crate::search::{
    ALL_WEEKDAYS, Bounds, DAY, DAY_MILLIS, DAYS, DatePart, DatePlan, Dates, DayList, DayMinutes,
    EveryDay, FieldProduct, FixedTime, LIST, MillisecondSet, OneField, Plan, SingleValue, SmallSet,
    Stride, TimePart, TimePlan, ValueSet, Weekdays, YearRows, YearWord,
};
use crate::{Expression, Field, bits};

/// The field that leaves a schedule without days: the day of month, or the weekday if the dates
/// alone have days.
pub(crate) struct NoDays(pub(crate) Field);

impl Plan<DatePlan, TimePlan> {
    /// Returns a plan to be filled in before it is searched. A constant would be copied whole.
    #[inline(always)]
    pub(crate) const fn empty() -> Self {
        Self {
            date: DatePlan::EveryDay(EveryDay),
            time: TimePlan::FixedTime(FixedTime(0)),
            bounds: Bounds::NONE,
        }
    }

    /// Fills in the plan of an expression.
    pub(crate) fn fill(&mut self, expression: &Expression) -> Result<(), NoDays> {
        fill_date(&mut self.date, expression)?;
        let fields = [Field::Hour, Field::Minute, Field::Second, Field::Millisecond]
            .map(|field| TimeField::of(expression, field));
        self.time = match (&self.date, plan_time(expression, &fields)) {
            // One time on every day is a stride of a day.
            (DatePlan::EveryDay(_), TimePlan::FixedTime(FixedTime(time))) => {
                TimePlan::Stride(Stride::new(DAY_MILLIS, time))
            }
            (_, time) => time,
        };
        let Self { date, time, .. } = self;
        self.bounds = Bounds {
            first: u64::from(date.ceil(0)) * DAY + u64::from(time.first()),
            last: u64::from(date.floor(DAYS - 1)) * DAY + u64::from(time.last()),
            count: u64::from(date.rank(DAYS)) * u64::from(time.per_day()),
        };
        Ok(())
    }
}

/// The first day of each month of a common year, counted from 1 January, and its length.
const MONTHS: [(u32, u32); 12] = {
    let mut months = [(0, 0); 12];
    let mut start = 0;
    let mut month = 1;
    while month <= 12 {
        let len = days_in_month(2001, month) as u32;
        months[month as usize - 1] = (start, len);
        start += len;
        month += 1;
    }
    months
};

/// Returns the days of a common and of a leap year by month and day of month, as in [`Dates`].
fn plan_rows(expression: &Expression) -> [u64; 12] {
    let Fields { month: months, day: days, .. } = expression.fields;
    let last_day = |len: u32| if days & LAST_DAY == 0 { 0 } else { 1 << (len - 1) };
    let of_month = |len: u32| (days & !LAST_DAY & ((1 << len) - 1)) | last_day(len);
    // A common year, and one word that catches the bits shifted out of the last one.
    let mut common = [0; 7];
    for (month, (start, len)) in MONTHS.into_iter().enumerate() {
        // Written so that it needs no branch: which months are taken is hard to predict.
        let days = if months >> month & 1 == 0 { 0 } else { of_month(len) };
        let (word, place) = (start as usize / 64, start % 64);
        common[word] |= days << place;
        common[word + 1] |= days >> 1 >> (63 - place);
    }
    // From March on, the days of a leap year are one place higher.
    let february = if months >> 1 & 1 == 0 { 0 } else { of_month(29) << 31 };
    let mut rows = [0; 12];
    let mut carry = common[0] & ((1 << 31) - 1) | february;
    let mut from_march = common[0] & (u64::MAX << 59);
    for index in 0..6 {
        rows[index] = common[index];
        rows[6 + index] = from_march << 1 | carry;
        carry = from_march >> 63;
        from_march = common[index + 1];
    }
    rows
}

fn fill_date(plan: &mut DatePlan, expression: &Expression) -> Result<(), NoDays> {
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    let weekdays = expression.fields.weekday as u8;
    let is_every_year = expression.is_full(Field::Year);
    if is_every_year && expression.is_full(Field::Month) && expression.holds_all(Field::Day) {
        if !expression.is_full(Field::Weekday) {
            *plan = DatePlan::Weekdays(Weekdays::new(weekdays));
        }
        return Ok(());
    }
    let [low, high] = expression.fields.year;
    let years = u128::from(low) | u128::from(high) << 64;
    let mut dates = Dates { rows: plan_rows(expression), weekdays, years };
    if fill_dates(plan, &dates, is_every_year) {
        return Ok(());
    }
    dates.weekdays = ALL_WEEKDAYS;
    let has_dates = fill_dates(plan, &dates, is_every_year);
    Err(NoDays(if has_dates { Field::Weekday } else { Field::Day }))
}

/// About how many days are listed one by one even if they repeat.
const FEW: usize = 32;

/// Chooses the strategy for some dates and fills it in in place, because a strategy is large.
/// Returns whether there are any days.
fn fill_dates(plan: &mut DatePlan, dates: &Dates, is_every_year: bool) -> bool {
    macro_rules! fill {
        ($variant:ident, $part:ty) => {{
            *plan = DatePlan::$variant(<$part>::EMPTY);
            let DatePlan::$variant(days) = plan else { return false };
            days.fill(dates)
        }};
    }
    let has_all_weekdays = dates.weekdays == ALL_WEEKDAYS;
    let per_year: u32 = dates.rows[6..].iter().map(|word| word.count_ones()).sum();
    let about = per_year * dates.years.count_ones() * dates.weekdays.count_ones() / 7;
    let about = about as usize;
    let is_listed = match (is_every_year && about > FEW, has_all_weekdays) {
        (false, _) => about <= LIST && fill!(DayList, DayList<LIST, 101>),
        (true, true) => about <= LIST * 25 && fill!(DayListOf4Years, DayList<LIST, 4>),
        (true, false) => about <= LIST * 4 && fill!(DayListOf28Years, DayList<LIST, 28>),
    };
    if is_listed || is_every_year && fill!(YearWord, YearWord) {
        return true;
    }
    fill!(YearRows, YearRows)
}

/// A field of the time of day.
struct TimeField {
    field: Field,
    /// The unit, in milliseconds.
    unit: u32,
    /// The number of values that the field could have.
    radix: u32,
    /// The number of values in the set.
    len: u32,
    /// The lowest and the highest value in the set.
    first: u32,
    last: u32,
}

impl TimeField {
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
            // The usual case.
            _ if expression.millisecond == Expression::ZERO => fixed,
            _ => {
                let set = MillisecondSet::new(expression.millisecond);
                Self { len: set.count(), first: set.first(), last: set.last(), ..fixed }
            }
        }
    }

    /// Returns the distance between values if they are equally spaced, including the distance
    /// from the last value to the first one of the next turn.
    fn step(&self, expression: &Expression) -> Option<u32> {
        let step = self.radix / self.len;
        let words = expression.words(self.field);
        let is_even =
            self.radix.is_multiple_of(self.len) && self.last - self.first == self.radix - step;
        // There are as many values as steps, so they are equal if each step is a value.
        let mut steps = (self.first..=self.last).step_by(step as usize);
        let is_value = |value: u32| {
            words.get(value as usize / 64).is_some_and(|&word| bits::contains(word, value))
        };
        (is_even && (step == 1 || steps.all(is_value))).then_some(step)
    }

    const fn is_free(&self) -> bool {
        self.len == self.radix
    }
}

/// Chooses the strategy of the time part.
fn plan_time(expression: &Expression, fields: &[TimeField; 4]) -> TimePlan {
    let amount =
        |fields: &[TimeField]| fields.iter().map(|field| field.first * field.unit).sum::<u32>();
    // The strategy depends on the lowest field that is not fixed, and on whether all fields
    // above it are free.
    let lowest = fields.iter().rposition(|field| field.len > 1);
    let Some((upper, field, fixed)) = lowest.and_then(|lowest| {
        let (field, fixed) = fields[lowest..].split_first()?;
        Some((&fields[..lowest], field, fixed))
    }) else {
        return TimePlan::FixedTime(FixedTime(amount(fields)));
    };
    let is_wide = field.radix == 1000;
    if !upper.iter().all(TimeField::is_free) {
        let Fields { hour, minute, second, .. } = expression.fields;
        #[expect(clippy::cast_possible_truncation, reason = "24 bits")]
        let hour = hour as u32;
        if is_wide {
            let millis = MillisecondSet::new(expression.millisecond);
            TimePlan::ProductWithMilliseconds(FieldProduct::new(
                DayMinutes::new(hour, minute),
                second,
                millis,
            ))
        } else {
            let millis = SingleValue(fields[3].first);
            TimePlan::ProductWithOneMillisecond(FieldProduct::new(
                DayMinutes::new(hour, minute),
                second,
                millis,
            ))
        }
    } else if let Some(step) = field.step(expression) {
        TimePlan::Stride(Stride::new(step * field.unit, amount(fields)))
    } else if is_wide {
        let set = MillisecondSet::new(expression.millisecond);
        TimePlan::OneMillisecondField(OneField::new(field.unit, field.radix, amount(fixed), set))
    } else {
        let set = SmallSet::new(expression.words(field.field)[0]);
        TimePlan::OneSmallField(OneField::new(field.unit, field.radix, amount(fixed), set))
    }
}
