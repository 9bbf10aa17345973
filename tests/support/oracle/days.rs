//! Items for days that are not sets of values.

use super::calendar::Date;

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

/// The steps of `date/nd`, or of `date/nw` with weekdays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The date, in days since 1970-01-01.
    pub from: i64,
    /// The distance between days, or between weeks.
    pub by: i64,
    pub of_weeks: bool,
}

impl Steps {
    pub fn is_on(self, date: &Date) -> bool {
        let days = date.number - self.from;
        let steps = if self.of_weeks { days / 7 } else { days };
        days >= 0 && steps % self.by == 0
    }
}
