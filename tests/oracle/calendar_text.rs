//! Reads calendars, line by line.

use super::calendar::find_date;
use super::calendar_days::{CalendarDays, Calendars};
use super::days::StepUnit;
use super::easter::easter;
use super::text::{Sets, field, is_name, number, values};

impl CalendarDays {
    /// Reads the text of a calendar that may name other calendars. Returns `None` if the text is not
    /// valid, or if the calendar has no days.
    pub fn read(text: &str, others: &Calendars) -> Option<CalendarDays> {
        let mut calendar: Option<CalendarDays> = None;
        for line in text.lines() {
            let line = without_comment(line).trim_ascii();
            if line.is_empty() {
                continue;
            }
            let (adds, line) = match line.strip_prefix('-') {
                Some(line) => (false, line),
                None => (true, line.strip_prefix('+').unwrap_or(line)),
            };
            let line = days_of_line(line.trim_ascii(), others)?;
            // If the first line removes days, it removes them from all days.
            let calendar = calendar.get_or_insert_with(|| CalendarDays::of(|_| !adds));
            calendar.set(&line, adds);
        }
        calendar.filter(|calendar| calendar.days().next().is_some())
    }
}

/// Reads calendars, each with its name, that may name each other in any order. Returns `None` if any
/// of them is not valid.
pub fn read_calendars<N: AsRef<str>, T: AsRef<str>>(texts: &[(N, T)]) -> Option<Calendars> {
    let mut calendars = Calendars::new();
    // In each round, read those that name only calendars that have been read.
    for _ in texts {
        for (name, text) in texts {
            let (name, text) = (name.as_ref(), text.as_ref());
            if !calendars.contains_key(name)
                && let Some(days) = CalendarDays::read(text, &calendars)
            {
                calendars.insert(name.to_owned(), days);
            }
        }
    }
    let is_read =
        |(name, _): &(N, T)| is_name(name.as_ref()) && calendars.contains_key(name.as_ref());
    texts.iter().all(is_read).then_some(calendars)
}

/// Returns a line up to a `#` that is at its start or after white space.
fn without_comment(line: &str) -> &str {
    let is_comment = |place: &usize| {
        line[*place..].starts_with('#')
            && (*place == 0 || line[..*place].ends_with(|char: char| char.is_ascii_whitespace()))
    };
    let starts = line.char_indices().map(|(place, _)| place);
    let end = starts.into_iter().find(is_comment).unwrap_or(line.len());
    &line[..end]
}

fn days_of_line(text: &str, others: &Calendars) -> Option<CalendarDays> {
    if let Some(name) = text.strip_prefix('@') {
        return others.get(name).filter(|_| is_name(name)).cloned();
    }
    let lower = text.to_ascii_lowercase();
    if lower.contains("easter") {
        return days_around_easter(&lower);
    }
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = match to.strip_prefix('=') {
            Some(to) => (iso_date(from)?, iso_date(to)?),
            None => (iso_date(from)?, iso_date(to)? - 1),
        };
        return (from <= to).then(|| CalendarDays::of(|date| (from..=to).contains(&date.number)));
    }
    if let Some(day) = iso_date(text) {
        return Some(CalendarDays::of(|date| date.number == day));
    }
    if text.is_empty() {
        return None;
    }
    // The date and the weekday of a schedule, which needs a time.
    let sets = Sets::read(&format!("{text} 00:00:00"))?;
    let has_open_days = !sets.business_days.is_empty()
        || !sets.moved_days.is_empty()
        || sets.steps.is_some_and(|steps| steps.unit == StepUnit::BusinessDays);
    let dates = sets.dates();
    // A line that never matches is not valid either.
    (!has_open_days && !dates.is_empty()).then(|| CalendarDays::from_days(dates))
}

/// Reads `yyyy.easter`, `yyyy.easter+n` or `yyyy.easter-n`.
fn days_around_easter(text: &str) -> Option<CalendarDays> {
    let (years, offset) = text.split_once(".easter")?;
    let offset = match offset.as_bytes().first() {
        None => 0,
        Some(b'+') => days_from_easter(&offset[1..])?,
        Some(b'-') => -days_from_easter(&offset[1..])?,
        Some(_) => return None,
    };
    let years = values(&field(years, 2000, 2100, &[])?);
    let easters = years.into_iter().map(|year| easter(usize::try_from(year).expect("a year")));
    Some(CalendarDays::from_days(easters.map(|easter| easter.number + offset)))
}

fn days_from_easter(text: &str) -> Option<i64> {
    number(text).filter(|n| (1..=99).contains(n)).and_then(|n| i64::try_from(n).ok())
}

/// Reads `yyyy-MM-dd`.
fn iso_date(text: &str) -> Option<i64> {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else {
        return None;
    };
    if [year, month, day].map(str::len) != [4, 2, 2] {
        return None;
    }
    let date = [number(year)?, number(month)?, number(day)?];
    find_date(date).map(|date| date.number)
}
