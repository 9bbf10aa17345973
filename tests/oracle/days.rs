//! Items for days that are not sets of values.

use super::calendar::{Date, date_of, days};
use super::calendar_days::CalendarDays;

/// An item of the day of month whose day depends on the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MonthDay {
    /// `L-n`: a number of days before the last day. `LW` and `L-nW` count from it, too.
    BeforeLast { days: usize, to_workday: bool },
    /// `aW`: the day from Monday to Friday that is nearest to a day.
    Workday(usize),
}

impl MonthDay {
    pub fn is_on(self, date: &Date) -> bool {
        let (day, to_workday) = match self {
            MonthDay::BeforeLast { days, to_workday } if days < date.month_length => {
                (date.month_length - days, to_workday)
            }
            MonthDay::Workday(day) if day <= date.month_length => (day, true),
            // The month is too short.
            _ => return false,
        };
        // Skip the search for the workday of a day that is too far away, which only takes time.
        if to_workday && date.day.abs_diff(day) <= 2 {
            date.nearest_workday(day) == date.day
        } else {
            !to_workday && date.day == day
        }
    }
}

/// Which of a weekday's days in a month: the `k`-th, or the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Nth(usize),
    Last,
}

/// `a#k` or `a#L`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberedWeekday {
    pub weekday: usize,
    pub place: Place,
}

impl NumberedWeekday {
    pub fn is_on(self, date: &Date) -> bool {
        let is_place = match self.place {
            Place::Nth(k) => (date.day - 1) / 7 + 1 == k,
            Place::Last => date.day + 7 > date.month_length,
        };
        date.weekday == self.weekday && is_place
    }
}

/// An item of the weekdays that means days of a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BusinessDay {
    /// `B`.
    Any,
    /// `B#k`.
    Nth(usize),
    /// `B#L-n`: a number of days of the calendar before the last one of the month, which is `B#L`.
    BeforeLast(usize),
}

impl BusinessDay {
    pub fn is_on(self, date: &Date, open_days: &CalendarDays) -> bool {
        let (first, last) = date.month_days();
        open_days.contains(date.number)
            && match self {
                BusinessDay::Any => true,
                BusinessDay::Nth(k) => open_days.count(&(first..=date.number)) == k,
                BusinessDay::BeforeLast(n) => open_days.count(&(date.number + 1..=last)) == n,
            }
    }
}

/// `a>B`, `a<B` and the like: a day of the month that is moved to a day of a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedDay {
    pub written: WrittenDay,
    pub way: Way,
    /// `!`: the other way is taken where the day would leave the month.
    pub stays_in_month: bool,
    /// `+n` or `-n`, or 0.
    pub offset: i64,
}

/// A day of the month before it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WrittenDay {
    Day(usize),
    /// `L` or `L-n`.
    BeforeLast(usize),
}

/// Which way a day is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// `>B`.
    Following,
    /// `<B`.
    Preceding,
}

impl Way {
    /// Returns the nearest day of a calendar this way, which may be the day itself.
    fn nearest(self, day: i64, open_days: &CalendarDays) -> Option<i64> {
        match self {
            Way::Following => open_days.nearest(day),
            Way::Preceding => open_days.nearest_prev(day),
        }
    }

    fn other(self) -> Way {
        match self {
            Way::Following => Way::Preceding,
            Way::Preceding => Way::Following,
        }
    }
}

impl WrittenDay {
    fn is_on(self, date: &Date) -> bool {
        match self {
            WrittenDay::Day(day) => date.day == day,
            WrittenDay::BeforeLast(days) => date.day + days == date.month_length,
        }
    }
}

impl MovedDay {
    /// Returns the day to which a date is moved. Returns `None` if the date is not the written day,
    /// or if there is no such day of the calendar.
    pub fn moved_from(self, date: &Date, open_days: &CalendarDays) -> Option<i64> {
        if !self.written.is_on(date) {
            return None;
        }
        let is_in_month = |day: &i64| {
            let other = date_of(*day);
            (other.year, other.month) == (date.year, date.month)
        };
        let mut day = self.way.nearest(date.number, open_days);
        if self.stays_in_month && !day.as_ref().is_some_and(is_in_month) {
            day = self.way.other().nearest(date.number, open_days);
        }
        if self.offset == 0 { day } else { open_days.add(day?, self.offset) }
    }
}

/// The steps of `date/nd`, of `date/nb`, or of `date/nw` with weekdays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The date, in days since 1970-01-01.
    pub from: i64,
    /// The distance between days, between weeks, or between days of the calendar.
    pub by: i64,
    pub unit: StepUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepUnit {
    Days,
    Weeks,
    BusinessDays,
}

impl Steps {
    /// Returns the days in ascending order, in days since 1970-01-01.
    pub fn days(self, open_days: &CalendarDays) -> Vec<i64> {
        let days = days().iter().map(|date| date.number).filter(|day| *day >= self.from);
        // Longer steps than `usize` can hold also end after their first day.
        let by = usize::try_from(self.by).unwrap_or(usize::MAX);
        match self.unit {
            StepUnit::Days => days.step_by(by).collect(),
            StepUnit::Weeks => days.filter(|day| (day - self.from) / 7 % self.by == 0).collect(),
            StepUnit::BusinessDays => {
                days.filter(|day| open_days.contains(*day)).step_by(by).collect()
            }
        }
    }
}
