//! [`Cycle`] and [`Gaps`]: the period of a schedule, from the schedule itself.

use core::cmp::{Ordering, Reverse};
use core::fmt;
use core::time::Duration;

use millicron_runtime::Expression;

use crate::{Field, Schedule, schedule};

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// A week, from Monday on (ISO 8601).
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Unit {
    /// Where each such unit begins.
    pub(super) const fn starts(self) -> &'static Schedule {
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
        let [millisecond, second, minute, hour, day, week, month, year] = &STARTS;
        match self {
            Self::Millisecond => millisecond,
            Self::Second => second,
            Self::Minute => minute,
            Self::Hour => hour,
            Self::Day => day,
            Self::Week => week,
            Self::Month => month,
            Self::Year => year,
        }
    }

    /// The unit that a schedule repeats by: the one above the highest field that leaves
    /// out enough.
    fn of(expression: &Expression) -> Self {
        // A date field may leave out some: what runs on weekdays runs daily, with days off.
        const DATES: [(Field, u32, Unit); 3] = [
            (Field::Month, 12, Unit::Year),
            (Field::Day, 31, Unit::Month),
            (Field::Weekday, 7, Unit::Week),
        ];
        const TIMES: [(Field, Unit); 4] = [
            (Field::Hour, Unit::Day),
            (Field::Minute, Unit::Hour),
            (Field::Second, Unit::Minute),
            (Field::Millisecond, Unit::Second),
        ];
        let date = DATES.iter().find(|(field, all, _)| {
            !expression.holds_all(*field) && 2 * expression.count(*field) <= *all
        });
        let time = || TIMES.iter().find(|(field, _)| !expression.holds_all(*field));
        date.map(|(.., unit)| *unit)
            .or_else(|| time().map(|(_, unit)| *unit))
            .unwrap_or(Self::Millisecond)
    }

    /// The most events that a schedule has in one such unit, which is its own.
    fn most(self, schedule: &Schedule, expression: &Expression) -> u64 {
        let Some(first) = schedule.next_event(i64::MIN) else { return 0 };
        let holds_all = |fields: &[Field]| fields.iter().all(|field| expression.holds_all(*field));
        let units = match self {
            // Those that have any are alike.
            _ if self <= Self::Day => 1,
            // The first may be cut.
            Self::Week if holds_all(&[Field::Year, Field::Month, Field::Day]) => 2,
            // After 28 years they come again; 2100 is like one of these.
            Self::Week if holds_all(&[Field::Year]) => 28 * 53,
            Self::Month if holds_all(&[Field::Year]) => 28 * 12,
            _ => usize::MAX,
        };
        let starts = self.starts();
        let from = starts.nearest_prev_event(first).unwrap_or(first);
        let ends = starts.events(from..).filter(|start| *start > from).chain([i64::MAX]);
        let counts = ends.take(units).scan(from, |start, end| {
            let count = schedule.count(*start..end);
            *start = end;
            Some(count)
        });
        counts.max().unwrap_or(0)
    }

    /// Whether a schedule has an event in each such unit, which is its own or a longer
    /// one, from its first event to its last.
    pub(super) fn is_in_each(self, schedule: &Schedule) -> bool {
        // The units of a day that has any are alike.
        let starts = self.max(Self::Day).starts();
        let Some(last) = schedule.prev_event(i64::MAX) else { return false };
        let mut event = schedule.next_event(i64::MIN);
        while let Some(start) = event.and_then(|event| starts.next_event(event)) {
            if start > last {
                break;
            }
            let end = starts.next_event(start).unwrap_or(i64::MAX);
            event = schedule.nearest_event(start).filter(|event| *event < end);
            if event.is_none() {
                return false;
            }
        }
        true
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

/// The period of a schedule: the unit of the calendar that it repeats by, and how many
/// events it has in one. Made by [`Schedule::cycle`].
///
/// The unit is the one above the highest field that narrows the schedule down: a field of
/// the time that does not hold everything, or a month, a day of month or a weekday that
/// holds no more than half of what there is. So `1,13:01:04` is two a day, and not one in
/// twelve hours; `*/2:00:00` is twelve a day, `*:*/5:00` twelve an hour. What runs on
/// weekdays is daily, with days off; and years never matter, for a schedule
/// that ends is no less daily.
///
/// | schedule | cycle |
/// | --- | --- |
/// | `*:*:*.*` | 1 a millisecond |
/// | `*:*:*.*/5` | 200 a second |
/// | `*:*/5:03` | 12 an hour |
/// | `1,13:01:04` | 2 a day |
/// | `*.*.* 1-5 09:30:00`, `2030-2035.*.* 09:30:00` | 1 a day: with days off, and for some years |
/// | `*.*.* 1,3 09:30:00` | 2 a week |
/// | `*.*.32 12:00:00` | 1 a month |
/// | `*.*.31 12:00:00` | 1 a month: where months differ, the most that one has |
/// | `*.1,4,7,10.1 00:00:00` | 4 a year |
/// | `*/4.2.29 00:00:00`, `2030.1.1 00:00:00` | 1 a year: there is nothing longer |
///
/// Cycles are ordered by their length: more events in the same unit are a shorter
/// cycle.
///
/// ```
/// use millicron::dependency::{Cycle, Unit};
/// use millicron::schedule;
///
/// let twice = schedule!("1,13:01:04").cycle();
/// assert_eq!(twice, Cycle { unit: Unit::Day, count: 2 });
/// assert_eq!(twice.to_string(), "2 a day");
/// assert!(schedule!("*:01:04").cycle() < twice && twice < schedule!("3:01:03").cycle());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The unit.
    pub unit: Unit,
    /// How many events one unit has at the most, 1 at the least.
    pub count: u64,
}

impl Cycle {
    const fn length(self) -> (Unit, Reverse<u64>) {
        (self.unit, Reverse(self.count))
    }
}

impl Ord for Cycle {
    fn cmp(&self, other: &Self) -> Ordering {
        self.length().cmp(&other.length())
    }
}

impl PartialOrd for Cycle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, count } = self;
        let article = if *unit == Unit::Hour { "an" } else { "a" };
        write!(f, "{count} {article} {unit}")
    }
}

/// How far the events of a schedule are from each other, over its whole range, in
/// civil time. Made by [`Schedule::gaps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gaps {
    shortest: u64,
    longest: u64,
    span: u64,
    count: u64,
}

impl Gaps {
    /// The shortest gap between an event and the next, in whole milliseconds.
    #[must_use]
    pub const fn shortest(&self) -> Duration {
        Duration::from_millis(self.shortest)
    }

    /// The longest, in whole milliseconds.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        Duration::from_millis(self.longest)
    }

    /// The mean: [`span`](Self::span) over [`count`](Self::count), which are exact,
    /// rounded down to a nanosecond.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let Self { span, count, .. } = *self;
        // 101 years are 3.2e18 nanoseconds.
        Duration::from_nanos(span * 1_000_000 / count)
    }

    /// From the first event to the last.
    #[must_use]
    pub const fn span(&self) -> Duration {
        Duration::from_millis(self.span)
    }

    /// How many gaps there are: one fewer than events.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

impl Schedule {
    /// The period of the schedule, independent of today.
    ///
    /// ```
    /// use millicron::dependency::Unit;
    ///
    /// let cycle = millicron::schedule!("*.*.* Mon,Thu 09:30:00").cycle();
    /// assert_eq!((cycle.unit, cycle.count), (Unit::Week, 2));
    /// ```
    #[must_use]
    pub fn cycle(&self) -> Cycle {
        let expression = self.0.expression();
        let unit = Unit::of(&expression);
        Cycle { unit, count: unit.most(self, &expression) }
    }

    /// How far events are from each other, exactly, over the whole range; `None` if
    /// there is only one.
    ///
    /// Events are not enumerated: the times of a day are not even looked at one by one,
    /// only the numbers of each field; and of the days only three weeks, where each
    /// week is like the others.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let gaps = millicron::schedule!("1,13:01:04").gaps().expect("there are many");
    /// assert_eq!(gaps.mean(), Duration::from_secs(12 * 3600));
    ///
    /// // On weekdays: a day, and three over the weekend.
    /// let gaps = millicron::schedule!("*.*.* 1-5 09:30:00").gaps().expect("there are many");
    /// assert_eq!(gaps.shortest(), Duration::from_secs(24 * 3600));
    /// assert_eq!(gaps.longest(), Duration::from_secs(3 * 24 * 3600));
    ///
    /// assert_eq!(millicron::schedule!("2030.1.1 00:00:00").gaps(), None);
    /// ```
    #[must_use]
    pub fn gaps(&self) -> Option<Gaps> {
        let first = self.next_event(i64::MIN)?;
        let last = self.prev_event(i64::MAX)?;
        let count = self.count::<i64>(..).checked_sub(1).filter(|count| *count > 0)?;
        let expression = self.0.expression();
        let times = Part::INSTANT
            .below(1, numbers(&expression, Field::Millisecond))
            .below(1000, numbers(&expression, Field::Second))
            .below(60_000, numbers(&expression, Field::Minute))
            .below(3_600_000, numbers(&expression, Field::Hour));
        let of_year = [Field::Year, Field::Month, Field::Day];
        let is_weekly = of_year.iter().all(|field| expression.holds_all(*field));
        let days = if is_weekly { 21 } else { u64::MAX };
        let (shortest, longest) = times.below(DAY, self.days(days)).gaps?;
        Some(Gaps { shortest, longest, span: last.abs_diff(first), count })
    }

    /// The days that have events, of the first so many days of the range.
    fn days(&self, most: u64) -> impl Iterator<Item = u64> {
        const ORIGIN: i64 = 946_684_800_000; // 2000-01-01 00:00:00
        let mut from = ORIGIN;
        core::iter::from_fn(move || {
            let event = self.nearest_event(from)?;
            let day = event.abs_diff(ORIGIN) / DAY;
            from = event - (event - ORIGIN).rem_euclid(DAY.cast_signed()) + DAY.cast_signed();
            (day < most).then_some(day)
        })
    }
}

const DAY: u64 = 86_400_000;

/// The numbers of a field of the time, each from 0.
fn numbers(expression: &Expression, field: Field) -> impl Iterator<Item = u64> {
    let words = expression.words(field);
    (0..=u64::from(field.max_value())).filter(move |number| {
        let [word, bit] = [number / 64, number % 64];
        words
            .get(usize::try_from(word).unwrap_or(usize::MAX))
            .is_some_and(|word| word >> bit & 1 == 1)
    })
}

/// What is to be known of the lower fields to tell the gaps between numbers of the
/// next one: where they begin and end, and the shortest and the longest gap.
#[derive(Clone, Copy)]
struct Part {
    first: u64,
    last: u64,
    gaps: Option<(u64, u64)>,
}

impl Part {
    const INSTANT: Self = Self { first: 0, last: 0, gaps: None };

    /// The same, with the next field: this part comes once for each of its numbers,
    /// which are of some milliseconds each.
    fn below(self, unit: u64, mut numbers: impl Iterator<Item = u64>) -> Self {
        let Some(lowest) = numbers.next() else { return self };
        let (mut highest, mut gaps) = (lowest, self.gaps);
        for number in numbers {
            // From the last of one to the first of the next.
            let gap = (number - highest) * unit - (self.last - self.first);
            gaps = Some(gaps.map_or((gap, gap), |(short, long)| (short.min(gap), long.max(gap))));
            highest = number;
        }
        Self { first: lowest * unit + self.first, last: highest * unit + self.last, gaps }
    }
}
