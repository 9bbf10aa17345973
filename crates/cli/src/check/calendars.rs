//! The lint for calendars that end.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use millicron::{Calendar, Field, Language, Schedule};

use super::subject::{Fields, values};
use crate::file::{FileCalendar, JobFile, Problem, members};

/// Finds calendars whose days, or exceptions from the days of the week, end within a year, and before the jobs do.
///
/// Calendars by rules do not: they go on to 2100.
pub(super) fn calendar_end(file: &JobFile, now: Timestamp) -> Vec<Problem> {
    let soon = now.to_zoned_datetime(TimeZone::UTC).saturating_add(1.year()).date();
    let problem = |calendar: &FileCalendar| {
        let schedules = file.jobs.iter().flat_map(|job| members(job.schedule.schedule()));
        let schedules = schedules.filter(|it| it.calendar() == Some(&calendar.name));
        let schedules = schedules.collect::<Vec<_>>();
        if schedules.is_empty() {
            return None;
        }
        let (what, end) = end_of(&calendar.calendar).filter(|(_, end)| *end < soon)?;
        if !schedules.iter().any(|schedule| goes_on(schedule, end, file)) {
            return None;
        }
        let name = calendar
            .file
            .as_ref()
            .map_or_else(|| calendar.name.clone(), |file| file.path.display().to_string());
        let message = format_args!("`{name}` names no {what} after {end}");
        let problem = Problem::warning("calendar-end", calendar.span.clone(), message);
        Some(problem.hint("add those of later years"))
    };
    file.calendars.iter().filter_map(problem).collect()
}

/// Whether a schedule is meant for years after a date, whatever its calendar has.
fn goes_on(schedule: &Schedule, end: Date, file: &JobFile) -> bool {
    let text = schedule.to_string();
    let fields = Fields::read(Language::Millicron, &text, &file.calendars);
    let years = fields.ok().and_then(|fields| values(Field::Year, fields.get(Field::Year)?));
    years.is_none_or(|mut years| {
        years.next_back().is_some_and(|last| i32::from(last) > end.year().into())
    })
}

/// Returns the last day of a calendar or, if its weekdays go on, its last exception from them, and what that is.
fn end_of(calendar: &Calendar) -> Option<(&'static str, Date)> {
    let last: Date = calendar.last()?;
    if last.year() < 2100 {
        return Some(("day", last));
    }
    let weekdays = common_weekdays(calendar)?;
    let closed = (&weekdays - calendar).last();
    let added = (calendar - &weekdays).last();
    if closed > added { Some(("holiday", closed?)) } else { Some(("additional day", added?)) }
}

/// Returns all days on the weekdays of which a calendar has most, if there are any.
fn common_weekdays(calendar: &Calendar) -> Option<Calendar> {
    let (first, last): (Date, Date) = (calendar.first()?, calendar.last()?);
    let is_common = |days: &Calendar| 2 * (calendar & days).len() > days.count(first..=last);
    let weekdays = (0..7).filter_map(|day| Calendar::parse(&format!("*.*.* {day}")).ok());
    weekdays.filter(is_common).reduce(|all, days| all | days)
}
