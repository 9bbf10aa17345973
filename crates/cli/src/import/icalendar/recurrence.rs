//! The dates of a recurrence rule: see RFC 5545, section 3.3.10.
//!
//! `calcard` would find them too, but with the tables of `chrono-tz`, which make the command a third larger, and which whole
//! days do not need.

use std::ops::RangeInclusive;

use calcard::common::CalendarScale;
use calcard::icalendar::{
    ICalendarDay, ICalendarFrequency as Frequency, ICalendarMonth, ICalendarRecurrenceRule,
    ICalendarSkip, ICalendarWeekday,
};
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use crate::error::Error;

/// Adds what a rule takes from the start of the event.
pub(super) fn with_defaults(
    mut rule: ICalendarRecurrenceRule,
    start: Date,
) -> ICalendarRecurrenceRule {
    let has_days = !rule.byday.is_empty()
        || !rule.bymonthday.is_empty()
        || !rule.byyearday.is_empty()
        || !rule.byweekno.is_empty();
    match rule.freq {
        _ if has_days => {}
        Frequency::Yearly => {
            if rule.bymonth.is_empty() {
                rule.bymonth.push(month(start));
            }
            rule.bymonthday.push(start.day());
        }
        Frequency::Monthly => rule.bymonthday.push(start.day()),
        Frequency::Weekly => {
            let weekday = weekday(start.weekday());
            rule.byday.push(ICalendarDay { ordwk: None, weekday });
        }
        _ => {}
    }
    rule
}

/// A rule of an event of whole days.
#[derive(Debug)]
pub(super) struct Rule {
    rule: ICalendarRecurrenceRule,
    start: Date,
}

impl Rule {
    /// Returns a rule for an event that begins on a date.
    ///
    /// # Errors
    ///
    /// Returns what the rule is if it has a frequency of less than a day, or is one of RFC 7529 that is not about Gregorian
    /// dates, or moves those that a month does not have.
    pub(super) fn new(rule: &ICalendarRecurrenceRule, start: Date) -> Result<Self, &'static str> {
        if rule.rscale.as_ref().is_some_and(|scale| *scale != CalendarScale::Gregorian) {
            return Err("a rule that is not of the Gregorian calendar");
        }
        if rule.skip.as_ref().is_some_and(|skip| *skip != ICalendarSkip::Omit) {
            return Err("a rule that moves dates");
        }
        let rule = Self { rule: with_defaults(rule.clone(), start), start };
        rule.period(start).map(|_| ()).ok_or("a rule with times of day")?;
        Ok(rule)
    }

    /// Returns the dates of the rule in a range. It takes some of the steps that are left.
    ///
    /// # Errors
    ///
    /// Returns an error if more steps are needed.
    pub(super) fn dates(
        &self,
        range: RangeInclusive<Date>,
        steps: &mut u64,
    ) -> Result<Vec<Date>, Error> {
        let (from, until) = range.into_inner();
        let count = self.rule.count.unwrap_or(u32::MAX);
        let mut number = 0;
        let mut dates = Vec::new();
        let first = self.period(self.start);
        // A rule that counts also counts its earlier dates.
        let mut period = if self.rule.count.is_some() {
            first
        } else {
            first.and_then(|(first, _)| self.period_before(from, first))
        };
        while let Some((first, last)) =
            period.filter(|(first, _)| *first <= until && number < count)
        {
            for date in self.days(first, last, steps)? {
                if date < self.start {
                    continue;
                }
                if date > until || number == count {
                    return Ok(dates);
                }
                number += 1;
                if date >= from {
                    dates.push(date);
                }
            }
            period = self.later(first, self.interval());
        }
        Ok(dates)
    }

    /// Returns the first and the last day of the year, month, week or day that contains a date.
    fn period(&self, date: Date) -> Option<(Date, Date)> {
        Some(match self.rule.freq {
            Frequency::Yearly => (date.first_of_year(), date.last_of_year()),
            Frequency::Monthly => (date.first_of_month(), date.last_of_month()),
            Frequency::Weekly => {
                let first = self.week(date)?;
                (first, first.checked_add(6.days()).ok()?)
            }
            Frequency::Daily => (date, date),
            _ => return None,
        })
    }

    /// Returns the first day of the week that contains a date.
    fn week(&self, date: Date) -> Option<Date> {
        let first = self.rule.wkst.map_or(Weekday::Monday, from_weekday);
        date.checked_sub(i64::from(date.weekday().since(first)).days()).ok()
    }

    /// Returns how many years, months, weeks or days are from the start of one period to that of the next.
    fn interval(&self) -> i64 {
        self.rule.interval.unwrap_or(1).max(1).into()
    }

    /// Returns the year, month, week or day that is some of them after one that starts on a date; `None` if dates end before.
    fn later(&self, first: Date, distance: i64) -> Option<(Date, Date)> {
        let span = Span::new();
        let span = match self.rule.freq {
            Frequency::Yearly => span.try_years(distance),
            Frequency::Monthly => span.try_months(distance),
            Frequency::Weekly => span.try_weeks(distance),
            _ => span.try_days(distance),
        };
        self.period(first.checked_add(span.ok()?).ok()?)
    }

    /// Returns the last period of the rule that starts on a date or before; `first` is the start of its first period,
    /// which is returned if none does.
    fn period_before(&self, date: Date, first: Date) -> Option<(Date, Date)> {
        let years = i64::from(date.year() - first.year());
        let days = || i64::from((date - first).get_days());
        let distance = match self.rule.freq {
            Frequency::Yearly => years,
            Frequency::Monthly => years * 12 + i64::from(date.month() - first.month()),
            Frequency::Weekly => days() / 7,
            _ => days(),
        };
        self.later(first, (distance - distance % self.interval()).max(0))
    }

    /// Returns the days of a period.
    fn days(&self, first: Date, last: Date, steps: &mut u64) -> Result<Vec<Date>, Error> {
        let ICalendarRecurrenceRule { byday, bymonth, bymonthday, .. } = &self.rule;
        let ICalendarRecurrenceRule { byyearday, byweekno, bysetpos, .. } = &self.rule;
        let day_lists = [byday.len(), bymonthday.len(), byyearday.len(), byweekno.len()];
        let items = 1 + bymonth.len() + bysetpos.len() + day_lists.iter().sum::<usize>();
        let mut days = Vec::new();
        let mut next = Some(first);
        while let Some(date) = next.filter(|date| *date <= last) {
            *steps = steps
                .checked_sub(items as u64)
                .ok_or_else(|| Error::new("its rules take too long to follow"))?;
            let is_in_month = bymonth.is_empty() || bymonth.contains(&month(date));
            if is_in_month && self.has(date) {
                days.push(date);
            }
            next = if is_in_month { date } else { date.last_of_month() }.tomorrow().ok();
        }
        if bysetpos.is_empty() {
            return Ok(days);
        }
        let count = i64::try_from(days.len()).unwrap_or(0);
        let days = (1..).zip(days);
        let chosen = days.filter(|(number, _)| is_one_of(bysetpos, *number, count));
        Ok(chosen.map(|(_, day)| day).collect())
    }

    /// Whether a day in a month of the rule is one that its other parts allow.
    fn has(&self, date: Date) -> bool {
        let ICalendarRecurrenceRule { byday, bymonthday, byyearday, byweekno, .. } = &self.rule;
        let month_days = bymonthday.is_empty()
            || is_one_of(bymonthday, date.day().into(), date.days_in_month().into());
        let year_days = byyearday.is_empty()
            || is_one_of(byyearday, date.day_of_year().into(), date.days_in_year().into());
        let weeks = byweekno.is_empty()
            || self.week_number(date).is_some_and(|(week, count)| is_one_of(byweekno, week, count));
        let days = byday.is_empty() || byday.iter().any(|day| self.is_weekday(*day, date));
        month_days && year_days && weeks && days
    }

    /// Returns the number of the week that contains a date, and how many weeks that year has. The first one has at least
    /// four days in the year.
    fn week_number(&self, date: Date) -> Option<(i64, i64)> {
        let middle = self.week(date)?.checked_add(3.days()).ok()?;
        let number = (i64::from(middle.day_of_year()) - 1) / 7 + 1;
        let last = middle.last_of_year();
        let last_middle = self.week(last)?.checked_add(3.days()).ok()?;
        let last_of_year = if last_middle.year() == middle.year() { 0 } else { 7 };
        let last_middle = last_middle.checked_sub(last_of_year.days()).ok()?;
        Some((number, (i64::from(last_middle.day_of_year()) - 1) / 7 + 1))
    }

    /// Whether a date is the weekday of an item such as `MO` or `-1FR`.
    fn is_weekday(&self, day: ICalendarDay, date: Date) -> bool {
        if date.weekday() != from_weekday(day.weekday) {
            return false;
        }
        let of_month = (i64::from(date.day()), i64::from(date.days_in_month()));
        let of_year = (i64::from(date.day_of_year()), i64::from(date.days_in_year()));
        let (day_number, count) = match (self.rule.freq, day.ordwk) {
            (Frequency::Monthly, Some(_)) => of_month,
            (Frequency::Yearly, Some(_)) if !self.rule.bymonth.is_empty() => of_month,
            (Frequency::Yearly, Some(_)) => of_year,
            _ => return true,
        };
        let ordinal = i64::from(day.ordwk.unwrap_or(0));
        ordinal == (day_number - 1) / 7 + 1 || -ordinal == (count - day_number) / 7 + 1
    }
}

/// Whether a number from 1 to `count` is one of some, of which negative ones count from the end.
fn is_one_of<N: Copy + Into<i64>>(numbers: &[N], number: i64, count: i64) -> bool {
    numbers.iter().any(|it| [number, number - count - 1].contains(&(*it).into()))
}

fn month(date: Date) -> ICalendarMonth {
    ICalendarMonth::new(date.month().unsigned_abs(), false)
}

fn weekday(weekday: Weekday) -> ICalendarWeekday {
    match weekday {
        Weekday::Monday => ICalendarWeekday::Monday,
        Weekday::Tuesday => ICalendarWeekday::Tuesday,
        Weekday::Wednesday => ICalendarWeekday::Wednesday,
        Weekday::Thursday => ICalendarWeekday::Thursday,
        Weekday::Friday => ICalendarWeekday::Friday,
        Weekday::Saturday => ICalendarWeekday::Saturday,
        Weekday::Sunday => ICalendarWeekday::Sunday,
    }
}

fn from_weekday(weekday: ICalendarWeekday) -> Weekday {
    match weekday {
        ICalendarWeekday::Monday => Weekday::Monday,
        ICalendarWeekday::Tuesday => Weekday::Tuesday,
        ICalendarWeekday::Wednesday => Weekday::Wednesday,
        ICalendarWeekday::Thursday => Weekday::Thursday,
        ICalendarWeekday::Friday => Weekday::Friday,
        ICalendarWeekday::Saturday => Weekday::Saturday,
        ICalendarWeekday::Sunday => Weekday::Sunday,
    }
}
