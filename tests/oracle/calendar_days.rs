//! Sets of days, such as the days on which an exchange is open.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::sync::LazyLock;

use super::calendar::{Date, FIRST_DAY, days, place_of};

/// Calendars by name.
pub type Calendars = BTreeMap<String, CalendarDays>;

/// A set of days from 2000-01-01 to 2100-12-31. Days are counted from 1970-01-01.
#[derive(Clone, PartialEq, Eq)]
pub struct CalendarDays {
    /// Whether each day of the range is in the set.
    is_in: Vec<bool>,
}

impl CalendarDays {
    /// Returns the days for which a condition is true.
    pub fn of(is_in: impl FnMut(&Date) -> bool) -> CalendarDays {
        CalendarDays { is_in: days().iter().map(is_in).collect() }
    }

    /// Returns the calendar of some days of the range.
    pub fn from_days(days: impl IntoIterator<Item = i64>) -> CalendarDays {
        let mut calendar = CalendarDays::of(|_| false);
        for day in days {
            calendar.is_in[place_of(day)] = true;
        }
        calendar
    }

    /// Returns the days from Monday to Friday.
    pub fn workdays() -> CalendarDays {
        static WORKDAYS: LazyLock<CalendarDays> =
            LazyLock::new(|| CalendarDays::of(|date| (1..=5).contains(&date.weekday)));
        WORKDAYS.clone()
    }

    /// Adds some days, or removes them.
    pub(super) fn set(&mut self, days: &CalendarDays, adds: bool) {
        for (is_in, is_set) in self.is_in.iter_mut().zip(&days.is_in) {
            if *is_set {
                *is_in = adds;
            }
        }
    }

    /// Returns the days in ascending order.
    pub fn days(&self) -> impl Iterator<Item = i64> {
        (FIRST_DAY..).zip(&self.is_in).filter(|(_, is_in)| **is_in).map(|(day, _)| day)
    }

    pub fn contains(&self, day: i64) -> bool {
        let place = day.checked_sub(FIRST_DAY).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.is_in.get(place)).is_some_and(|is_in| *is_in)
    }

    /// Returns the first day after `day`.
    pub fn next(&self, day: i64) -> Option<i64> {
        self.nearest(day.checked_add(1)?)
    }

    /// Returns the first day at or after `day`.
    pub fn nearest(&self, day: i64) -> Option<i64> {
        (day.max(FIRST_DAY)..=last_day()).find(|day| self.contains(*day))
    }

    /// Returns the last day before `day`.
    pub fn prev(&self, day: i64) -> Option<i64> {
        self.nearest_prev(day.checked_sub(1)?)
    }

    /// Returns the last day at or before `day`.
    pub fn nearest_prev(&self, day: i64) -> Option<i64> {
        (FIRST_DAY..=day.min(last_day())).rev().find(|day| self.contains(*day))
    }

    /// Returns the number of days in a range.
    pub fn count(&self, range: &impl RangeBounds<i64>) -> usize {
        self.days_in(range).count()
    }

    /// Returns the `n`-th day of a range, from 0.
    pub fn nth(&self, range: &impl RangeBounds<i64>, n: usize) -> Option<i64> {
        self.days_in(range).nth(n)
    }

    /// Returns the day that is `n` days of the calendar after `day`, or before it if `n` is
    /// negative. If `n` is 0, returns the first day at or after `day`.
    pub fn add(&self, day: i64, n: i64) -> Option<i64> {
        if n == 0 {
            return self.nearest(day);
        }
        let step = |day| if n > 0 { self.next(day) } else { self.prev(day) };
        (0..n.unsigned_abs()).try_fold(day, |day, _| step(day))
    }

    fn days_in(&self, range: &impl RangeBounds<i64>) -> impl Iterator<Item = i64> {
        let from = match range.start_bound() {
            Bound::Included(day) => *day,
            Bound::Excluded(day) => day.saturating_add(1),
            Bound::Unbounded => FIRST_DAY,
        };
        let to = match range.end_bound() {
            Bound::Included(day) => *day,
            Bound::Excluded(day) => day.saturating_sub(1),
            Bound::Unbounded => last_day(),
        };
        (from.max(FIRST_DAY)..=to.min(last_day())).filter(|day| self.contains(*day))
    }
}

/// Shows how many days there are instead of a value for each day of the range.
impl fmt::Debug for CalendarDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, last] = [self.days().next(), self.days().last()];
        write!(f, "CalendarDays({} from {first:?} to {last:?})", self.days().count())
    }
}

fn last_day() -> i64 {
    days().last().expect("the range has days").number
}
