//! The dates of a recurrence rule: see RFC 5545, section 3.3.10.
//!
//! `calcard` would find them too, but with the tables of `chrono-tz`, which make the command a third larger, and which whole
//! days do not need.

use calcard::common::CalendarScale;
use calcard::icalendar::{
    ICalendarDay, ICalendarFrequency as Frequency, ICalendarMonth, ICalendarRecurrenceRule,
    ICalendarSkip, ICalendarWeekday,
};
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

/// Returns the dates of a rule for an event of whole days, from its start until another date.
///
/// # Errors
///
/// Returns what the rule is if it has a frequency of less than a day, or is one of RFC 7529 that is not about Gregorian
/// dates, or moves those that a month does not have.
pub(super) fn dates(
    rule: &ICalendarRecurrenceRule,
    start: Date,
    until: Date,
) -> Result<Vec<Date>, &'static str> {
    if rule.rscale.as_ref().is_some_and(|scale| *scale != CalendarScale::Gregorian) {
        return Err("a rule that is not of the Gregorian calendar");
    }
    if rule.skip.as_ref().is_some_and(|skip| *skip != ICalendarSkip::Omit) {
        return Err("a rule that moves dates");
    }
    let rule = &Rule { rule: with_defaults(rule.clone(), start) };
    let most = rule.rule.count.map_or(usize::MAX, |count| count.try_into().unwrap_or(usize::MAX));
    let mut dates = Vec::new();
    let mut period = Some(rule.period(start).ok_or("a rule with times of day")?);
    while let Some((first, last)) = period.filter(|(first, _)| *first <= until) {
        for date in rule.days(first, last) {
            if date > until || dates.len() >= most {
                return Ok(dates);
            }
            if date >= start {
                dates.push(date);
            }
        }
        let next = rule.step().and_then(|step| first.checked_add(step).ok());
        period = next.and_then(|next| rule.period(next));
    }
    Ok(dates)
}

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

struct Rule {
    rule: ICalendarRecurrenceRule,
}

impl Rule {
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

    /// Returns how far apart periods start; `None` if that is more than dates can be.
    fn step(&self) -> Option<Span> {
        let interval = i64::from(self.rule.interval.unwrap_or(1).max(1));
        Some(match self.rule.freq {
            Frequency::Yearly => Span::new().try_years(interval).ok()?,
            Frequency::Monthly => interval.months(),
            Frequency::Weekly => interval.weeks(),
            Frequency::Daily => interval.days(),
            _ => return None,
        })
    }

    /// Returns the days of a period.
    fn days(&self, first: Date, last: Date) -> Vec<Date> {
        let days = first.series(1.day()).take_while(|date| *date <= last);
        let days = days.filter(|date| self.has(*date)).collect::<Vec<_>>();
        if self.rule.bysetpos.is_empty() {
            return days;
        }
        let count = i64::try_from(days.len()).unwrap_or(0);
        let days = (1..).zip(days);
        let chosen = days.filter(|(number, _)| is_one_of(&self.rule.bysetpos, *number, count));
        chosen.map(|(_, day)| day).collect()
    }

    /// Whether a day is one that the parts of the rule allow.
    fn has(&self, date: Date) -> bool {
        let ICalendarRecurrenceRule { byday, bymonth, bymonthday, byyearday, byweekno, .. } =
            &self.rule;
        let months = bymonth.is_empty() || bymonth.contains(&month(date));
        let month_days = bymonthday.is_empty()
            || is_one_of(bymonthday, date.day().into(), date.days_in_month().into());
        let year_days = byyearday.is_empty()
            || is_one_of(byyearday, date.day_of_year().into(), date.days_in_year().into());
        let weeks = byweekno.is_empty()
            || self.week_number(date).is_some_and(|(week, count)| is_one_of(byweekno, week, count));
        let days = byday.is_empty() || byday.iter().any(|day| self.is_weekday(*day, date));
        months && month_days && year_days && weeks && days
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
