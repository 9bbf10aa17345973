//! [`Period`]: how often the events of a schedule recur.

use core::cmp::{Ordering, Reverse};
use core::{fmt, mem};

use millicron_runtime::calendar::MILLIS_PER_DAY;
use millicron_runtime::{DateSteps, Expression, RelativeDays, StepUnit};

use crate::pad::pad;
use crate::{Field, FieldValues, Schedule, schedule};

/// A calendar unit, ordered by length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the units of the calendar that schedules have")]
pub enum Unit {
    /// A millisecond.
    Millisecond,
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week, which starts on Monday (ISO 8601).
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Unit {
    /// Returns a schedule of the starts of this unit.
    pub(crate) const fn starts(self) -> &'static Schedule {
        static STARTS: [Schedule; 8] = [
            schedule!("*:*:*.*"),
            schedule!("*:*:*"),
            schedule!("*:*:00"),
            schedule!("*:00:00"),
            schedule!("00:00:00"),
            schedule!("*.*.* Mon 00:00:00"),
            schedule!("*.*.01 00:00:00"),
            schedule!("*.01.01 00:00:00"),
        ];
        &STARTS[self as usize]
    }

    /// Returns the unit of a schedule's period: the one above the highest field that restricts the
    /// schedule.
    fn of(expression: &Expression) -> Self {
        const TIMES: [(Field, Unit); 4] = [
            (Field::Hour, Unit::Day),
            (Field::Minute, Unit::Hour),
            (Field::Second, Unit::Minute),
            (Field::Millisecond, Unit::Second),
        ];
        let date = match expression.steps {
            Some(steps) => Self::of_steps(expression, steps),
            None => Self::of_dates(expression),
        };
        let time = || TIMES.into_iter().find(|(field, _)| !expression.holds_all(*field));
        date.or_else(|| Some(time()?.1)).unwrap_or(Self::Millisecond)
    }

    /// Returns the unit above the highest date field that restricts the schedule. A date field
    /// restricts only if it contains at most half of its values: a schedule from Monday to Friday
    /// is daily, with days off.
    fn of_dates(expression: &Expression) -> Option<Self> {
        const DATES: [(Field, Unit); 3] =
            [(Field::Month, Unit::Year), (Field::Day, Unit::Month), (Field::Weekday, Unit::Week)];
        let RelativeDays { before_last, nearest, nearest_before_last, numbered } =
            expression.relative;
        let ways = expression.business.moves.as_slice();
        let moved: u32 = ways.iter().map(|way| way.days.count_ones()).sum();
        let relative = before_last.count_ones()
            + nearest.count_ones()
            + nearest_before_last.count_ones()
            + moved;
        let more = |field: Field| if field == Field::Day { relative } else { 0 };
        let is_rare =
            |field: Field| 2 * (expression.count(field) + more(field)) <= FieldValues::size(field);
        let (_, unit) = DATES
            .into_iter()
            .find(|(field, _)| !expression.holds_all(*field) && is_rare(*field))
            .filter(|(field, _)| *field != Field::Weekday || !expression.business.is_every)?;
        // Numbered weekdays, such as the second Friday, are days of the month.
        let is_numbered = numbered != 0 || expression.business.has_numbers();
        Some(if is_numbered && unit == Self::Week { Self::Month } else { unit })
    }

    /// Returns the unit of steps from a date; `None` if they are nearly every day.
    fn of_steps(expression: &Expression, steps: DateSteps) -> Option<Self> {
        let DateSteps { days, unit } = steps;
        let is_rare = 2 * expression.count(Field::Weekday) <= 7;
        let days = match (unit, is_rare) {
            // There are five business days in most weeks.
            (StepUnit::BusinessDay, _) => days.saturating_mul(7) / 5,
            // The weekday is the same only after seven steps.
            (StepUnit::Day, true) if !days.is_multiple_of(7) => 7 * days,
            (StepUnit::Week, false) if days == 7 => 1,
            _ => days,
        };
        let is_numbered = expression.relative.numbered != 0;
        let least = if is_numbered { Self::Month } else { Self::Day };
        Some(Self::of_days(days).max(least)).filter(|unit| *unit > Self::Day)
    }

    /// Returns the shortest unit, a day or longer, that is not shorter than a step.
    const fn of_days(days: u32) -> Self {
        match days {
            0..=1 => Self::Day,
            2..=7 => Self::Week,
            8..=28 => Self::Month,
            _ => Self::Year,
        }
    }

    /// Returns the largest number of events that a schedule has in one unit of its period.
    fn most(self, schedule: &Schedule, expression: &Expression) -> u64 {
        let Some(first) = schedule.next_event(i64::MIN) else { return 0 };
        // Calendars do not repeat.
        let is_regular = schedule.calendar().is_none() && expression.business.moves.is_empty();
        let holds_all = |fields: &[Field]| {
            is_regular && fields.iter().all(|field| expression.holds_all(*field))
        };
        let units = match self {
            // A window past midnight has events on two days, and each day may have events of two
            // windows.
            Self::Day if expression.window.is_some_and(|window| window.is_over_midnight()) => {
                usize::MAX
            }
            // All units that have events have the same number.
            _ if self <= Self::Day => 1,
            // The first week may be cut off by the range.
            Self::Week if holds_all(&[Field::Year, Field::Month, Field::Day]) => 2,
            // The calendar repeats every 28 years, and 2100 is like one of those years.
            Self::Week if holds_all(&[Field::Year]) => 28 * 53,
            Self::Month if holds_all(&[Field::Year]) => 28 * 12,
            _ => usize::MAX,
        };
        self.counts(schedule, first).take(units).max().unwrap_or(0)
    }

    /// Returns the largest number of events that a union has in one unit of its period.
    fn most_of_union(self, union: &Schedule) -> u64 {
        let starts = self.max(Self::Day).starts();
        // The number of events in a day or a longer unit, and where the next one starts.
        let (mut count, mut most, mut end) = (0, 0, i64::MIN);
        union.0.visit_days(|day, more| {
            if day >= end {
                count = 0;
                end = starts.next_event(day).unwrap_or(i64::MAX);
            }
            count += more;
            most = most.max(count);
        });
        // The units of a day are alike, since a member with a longer unit has no shorter one.
        let units = match self {
            Self::Millisecond => 86_400_000,
            Self::Second => 86_400,
            Self::Minute => 1440,
            Self::Hour => 24,
            _ => 1,
        };
        most / units
    }

    /// Returns the number of events in consecutive units, from the one with an event on.
    fn counts(self, schedule: &Schedule, event: i64) -> impl Iterator<Item = u64> {
        let starts = self.starts();
        let from = starts.nearest_prev_event(event).unwrap_or(event);
        let ends = starts.events(from..).filter(move |start| *start > from).chain([i64::MAX]);
        ends.scan(from, |start, end| {
            let unit = mem::replace(start, end)..end;
            Some(schedule.count(unit))
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Millisecond => "millisecond",
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        })
    }
}

/// How often events recur: a calendar unit, and the number of events in one. Returned by
/// [`Schedule::period`] and [`Recurrence::period`](crate::Recurrence::period).
///
/// The unit is the one above the highest field that restricts the schedule: a time field that does
/// not contain every value, or a month, day of month or weekday that contains at most
/// half of its values. So `1,13:01:04` is two a day rather than one every twelve hours; `*/2:00:00` is
/// twelve a day, `*:*/5:00` twelve an hour. A schedule from Monday to Friday is daily, with days
/// off. Years do not count: a daily schedule that ends is still daily.
///
/// | schedule | period |
/// | --- | --- |
/// | `*:*:*.*` | 1 a millisecond |
/// | `*:*:*.*/5` | 200 a second |
/// | `*:*/5:03` | 12 an hour |
/// | `1,13:01:04` | 2 a day |
/// | `*.*.* 1-5 09:30:00`, `2030-2035.*.* 09:30:00` | 1 a day |
/// | `*.*.* 1,3 09:30:00` | 2 a week |
/// | `*.*.32 12:00:00` | 1 a month |
/// | `*.*.31 12:00:00` | 1 a month: the most that any month has |
/// | `*.1,4,7,10.1 00:00:00` | 4 a year |
/// | `*/4.2.29 00:00:00`, `2030.1.1 00:00:00` | 1 a year: the longest unit |
///
/// Periods are ordered by length: more events in the same unit make a shorter period.
///
/// ```
/// use millicron::{Period, Unit};
/// use millicron::schedule;
///
/// let twice = schedule!("1,13:01:04").period();
/// assert_eq!(twice, Period { unit: Unit::Day, count: 2 });
/// assert_eq!(twice.to_string(), "2 a day");
/// assert!(schedule!("*:01:04").period() < twice && twice < schedule!("3:01:03").period());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a unit and a count")]
pub struct Period {
    /// The calendar unit.
    pub unit: Unit,
    /// The largest number of events in one unit, at least 1.
    pub count: u64,
}

impl Period {
    /// Returns the period of events that are `gap` milliseconds apart, in the shortest unit that is
    /// not shorter than the gap.
    pub(crate) fn of_gap(gap: u64) -> Self {
        const DAY: u64 = MILLIS_PER_DAY.unsigned_abs();
        const UNITS: [(Unit, u64); 8] = [
            (Unit::Millisecond, 1),
            (Unit::Second, 1000),
            (Unit::Minute, 60_000),
            (Unit::Hour, 3_600_000),
            (Unit::Day, DAY),
            (Unit::Week, 7 * DAY),
            (Unit::Month, 31 * DAY),
            (Unit::Year, 366 * DAY),
        ];
        // No gap is shorter than a millisecond.
        let gap = gap.max(1);
        let (unit, length) =
            UNITS.into_iter().find(|(_, length)| gap <= *length).unwrap_or(UNITS[7]);
        Self { unit, count: length.div_ceil(gap) }
    }

    /// Estimates the period of a source of events from the shortest gap among its first events.
    pub(crate) fn estimate(next_event: impl Fn(i64) -> Option<i64>) -> Self {
        /// Enough to see the shortest gap of most sources, and few enough to be quick.
        const EVENTS: usize = 100;
        let first = next_event(i64::MIN);
        let events = core::iter::successors(first, |event| next_event(*event)).take(EVENTS);
        let gaps = events.clone().zip(events.skip(1)).map(|(event, next)| next.abs_diff(event));
        gaps.min().map_or(Self { unit: Unit::Year, count: 1 }, Self::of_gap)
    }

    const fn length(self) -> (Unit, Reverse<u64>) {
        (self.unit, Reverse(self.count))
    }
}

impl Ord for Period {
    fn cmp(&self, other: &Self) -> Ordering {
        self.length().cmp(&other.length())
    }
}

impl PartialOrd for Period {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, count } = self;
        let article = if *unit == Unit::Hour { "an" } else { "a" };
        pad(f, format_args!("{count} {article} {unit}"))
    }
}

impl Schedule {
    /// Returns how often the events recur. The answer does not depend on the current time.
    ///
    /// ```
    /// use millicron::Unit;
    ///
    /// let period = millicron::schedule!("*.*.* Mon,Thu 09:30:00").period();
    /// assert_eq!((period.unit, period.count), (Unit::Week, 2));
    /// ```
    #[must_use]
    pub fn period(&self) -> Period {
        let members = self.0.members();
        if !members.is_empty() {
            let units = members.iter().map(|member| Unit::of(&member.expression()));
            let unit = units.max().unwrap_or(Unit::Year);
            return Period { unit, count: unit.most_of_union(self) };
        }
        let expression = self.0.expression();
        let unit = Unit::of(&expression);
        Period { unit, count: unit.most(self, &expression) }
    }
}
