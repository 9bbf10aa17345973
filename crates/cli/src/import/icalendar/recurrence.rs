//! The dates of a recurrence rule: see RFC 5545, section 3.3.10.
//!
//! `calcard` would find them too, but with the tables of `chrono-tz`, which make the command a third larger, and which whole
//! days do not need.

use std::ops::RangeInclusive;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::rule::{Frequency, RuleParts};
use crate::error::Error;

/// A rule of an event of whole days that begins on a date.
#[derive(Debug)]
pub(super) struct DateRule {
    parts: RuleParts,
    start: Date,
}

impl DateRule {
    pub(super) fn new(parts: RuleParts, start: Date) -> Self {
        Self { parts: parts.with_start(start), start }
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
        let until = self.parts.until.map_or(until, |it| it.min(until));
        let count = self.parts.count.unwrap_or(u32::MAX);
        let mut number = 0;
        let mut dates = Vec::new();
        let first = self.period(self.start);
        // A rule that counts also counts its earlier dates.
        let mut period = if self.parts.count.is_some() {
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
            period = self.later(first, self.parts.interval);
        }
        Ok(dates)
    }

    /// Returns the first and the last day of the year, month, week or day that contains a date.
    fn period(&self, date: Date) -> Option<(Date, Date)> {
        Some(match self.parts.frequency {
            Frequency::Yearly => (date.first_of_year(), date.last_of_year()),
            Frequency::Monthly => (date.first_of_month(), date.last_of_month()),
            Frequency::Weekly => {
                let first = self.week(date)?;
                (first, first.checked_add(6.days()).ok()?)
            }
            Frequency::Daily => (date, date),
        })
    }

    /// Returns the first day of the week that contains a date.
    fn week(&self, date: Date) -> Option<Date> {
        date.checked_sub(i64::from(date.weekday().since(self.parts.week_start)).days()).ok()
    }

    /// Returns the year, month, week or day that is some of them after one that starts on a date; `None` if dates end before.
    fn later(&self, first: Date, distance: i64) -> Option<(Date, Date)> {
        let span = Span::new();
        let span = match self.parts.frequency {
            Frequency::Yearly => span.try_years(distance),
            Frequency::Monthly => span.try_months(distance),
            Frequency::Weekly => span.try_weeks(distance),
            Frequency::Daily => span.try_days(distance),
        };
        self.period(first.checked_add(span.ok()?).ok()?)
    }

    /// Returns the last period of the rule that starts on a date or before; `first` is the start of its first period,
    /// which is returned if none does.
    fn period_before(&self, date: Date, first: Date) -> Option<(Date, Date)> {
        let years = i64::from(date.year() - first.year());
        let days = || i64::from((date - first).get_days());
        let distance = match self.parts.frequency {
            Frequency::Yearly => years,
            Frequency::Monthly => years * 12 + i64::from(date.month() - first.month()),
            Frequency::Weekly => days() / 7,
            Frequency::Daily => days(),
        };
        self.later(first, (distance - distance % self.parts.interval).max(0))
    }

    /// Returns the days of a period.
    fn days(&self, first: Date, last: Date, steps: &mut u64) -> Result<Vec<Date>, Error> {
        let RuleParts { weekdays, months, month_days, year_days, weeks, positions, .. } =
            &self.parts;
        let lists = [months, month_days, year_days, weeks, positions].map(Vec::len);
        let items = 1 + weekdays.len() + lists.iter().sum::<usize>();
        let mut days = Vec::new();
        let mut next = Some(first);
        while let Some(date) = next.filter(|date| *date <= last) {
            *steps = steps
                .checked_sub(items as u64)
                .ok_or_else(|| Error::new("its rules take too long to follow"))?;
            let is_in_month = months.is_empty() || months.contains(&date.month().into());
            if is_in_month && self.has(date) {
                days.push(date);
            }
            next = if is_in_month { date } else { date.last_of_month() }.tomorrow().ok();
        }
        if positions.is_empty() {
            return Ok(days);
        }
        let count = i64::try_from(days.len()).unwrap_or(0);
        let days = (1..).zip(days);
        let chosen = days.filter(|(number, _)| is_one_of(positions, *number, count));
        Ok(chosen.map(|(_, day)| day).collect())
    }

    /// Whether a day in a month of the rule is one that its other parts allow.
    fn has(&self, date: Date) -> bool {
        let RuleParts { weekdays, month_days, year_days, weeks, .. } = &self.parts;
        (month_days.is_empty()
            || is_one_of(month_days, date.day().into(), date.days_in_month().into()))
            && (year_days.is_empty()
                || is_one_of(year_days, date.day_of_year().into(), date.days_in_year().into()))
            && (weekdays.is_empty() || weekdays.iter().any(|day| self.is_weekday(*day, date)))
            && (weeks.is_empty()
                || self
                    .week_number(date)
                    .is_some_and(|(week, count)| is_one_of(weeks, week, count)))
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
    fn is_weekday(&self, (number, weekday): (i64, Weekday), date: Date) -> bool {
        if date.weekday() != weekday {
            return false;
        }
        let is_of_year = self.parts.frequency == Frequency::Yearly && self.parts.months.is_empty();
        let (day, count) = if is_of_year {
            (i64::from(date.day_of_year()), i64::from(date.days_in_year()))
        } else {
            (i64::from(date.day()), i64::from(date.days_in_month()))
        };
        number == 0 || number == (day - 1) / 7 + 1 || -number == (count - day) / 7 + 1
    }
}

/// Whether a number from 1 to `count` is one of some, of which negative ones count from the end.
fn is_one_of(numbers: &[i64], number: i64, count: i64) -> bool {
    numbers.iter().any(|it| [number, number - count - 1].contains(it))
}
