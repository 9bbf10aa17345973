//! iCalendar files: see RFC 5545.

use std::collections::BTreeMap;
use std::path::Path;

use calcard::common::PartialDateTime;
use calcard::common::timezone::Tz;
use calcard::icalendar::dates::{CalendarError, TimeOrDelta};
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarMonth,
    ICalendarProperty, ICalendarRecurrenceRule, ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser};
use jiff::civil::Date;
use millicron_pictures::counted;

use super::{Contents, ImportedDays, LAST};
use crate::error::Error;

/// The most dates of an event: more than there are days from 1900 to 2100, for which a rule may go on.
const MOST: usize = 80_000;

/// Reads the events of whole days in the text of a file, with their rules and exceptions.
pub(super) fn read(path: &Path, text: &str) -> Result<Contents, Error> {
    let mut contents = Contents::default();
    let mut timed = 0;
    // An event, and the exceptions from it, have the same identifier.
    let mut events: BTreeMap<String, Vec<ICalendarComponent>> = BTreeMap::new();
    let all = events_of(text).map_err(|error| error.prefixed(path.display()))?;
    for (index, event) in all.into_iter().enumerate() {
        let identifier = event.uid().map_or_else(|| format!("\0{index}"), str::to_owned);
        events.entry(identifier).or_default().push(event);
    }
    for components in events.into_values() {
        if !components.iter().any(is_whole_day) {
            timed += 1;
            continue;
        }
        let invalid = components.iter().filter(|event| has_invalid_rule(event)).map(summary);
        let invalid = invalid.map(|summary| format!("the rule of `{summary}`, which is invalid"));
        contents.left_out.extend(invalid);
        if let [event] = &*components
            && let Some(days) = yearly(event)
        {
            contents.days.push(days);
            continue;
        }
        expand(components, &mut contents);
    }
    if timed > 0 {
        contents.left_out.push(format!("{} with a time of day", counted(timed, "event")));
    }
    Ok(contents)
}

/// Returns the events of all calendars in a text that are not cancelled, except that of an event that recurs, single
/// ones may be.
fn events_of(text: &str) -> Result<Vec<ICalendarComponent>, Error> {
    const END: &str = "END:VCALENDAR";

    let is_whole = text.trim_ascii_end().len().checked_sub(END.len()).is_some_and(|start| {
        text.get(start..start + END.len()).is_some_and(|end| end.eq_ignore_ascii_case(END))
    });
    if !is_whole {
        return Err(Error::new(format_args!("`{END}` is missing at the end"))
            .hint("the file may be incomplete"));
    }
    let mut parser = Parser::new(text);
    let mut events = Vec::new();
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => events.extend(calendar.components),
            Entry::Eof => break,
            Entry::InvalidLine(line) => {
                let line = line.trim_end();
                return Err(Error::new(format_args!("`{line}` is not a line of iCalendar")));
            }
            Entry::TooManyComponents => return Err(Error::new("there are too many events")),
            _ => return Err(Error::new("the file is not in iCalendar format")),
        }
    }
    let is_event = |it: &ICalendarComponent| it.component_type == ICalendarComponentType::VEvent;
    let is_left =
        |it: &ICalendarComponent| has(it, &ICalendarProperty::RecurrenceId) || !is_cancelled(it);
    events.retain(|event| is_event(event) && is_left(event));
    // Alarms are not needed.
    for event in &mut events {
        event.component_ids.clear();
    }
    Ok(events)
}

fn has(event: &ICalendarComponent, property: &ICalendarProperty) -> bool {
    event.property(property).is_some()
}

/// Whether a rule could not be parsed.
fn has_invalid_rule(event: &ICalendarComponent) -> bool {
    let rule = event.property(&ICalendarProperty::Rrule).and_then(|rule| rule.values.first());
    rule.is_some_and(|rule| !matches!(rule, ICalendarValue::RecurrenceRule(_)))
}

fn is_cancelled(event: &ICalendarComponent) -> bool {
    event.status() == Some(&ICalendarStatus::Cancelled)
}

fn start(event: &ICalendarComponent) -> Option<&PartialDateTime> {
    match event.property(&ICalendarProperty::Dtstart)?.values.first()? {
        ICalendarValue::PartialDateTime(start) => Some(start),
        _ => None,
    }
}

fn is_whole_day(event: &ICalendarComponent) -> bool {
    start(event).is_some_and(|start| start.has_date() && !start.has_time())
}

fn summary(event: &ICalendarComponent) -> String {
    let summary = event.property(&ICalendarProperty::Summary);
    summary.and_then(|it| it.values.first()?.as_text()).unwrap_or_default().to_owned()
}

fn rules(event: &mut ICalendarComponent) -> impl Iterator<Item = &mut ICalendarRecurrenceRule> {
    event.entries.iter_mut().flat_map(|entry| &mut entry.values).filter_map(|value| match value {
        ICalendarValue::RecurrenceRule(rule) => Some(&mut **rule),
        _ => None,
    })
}

/// Returns the days of an event that is on the same date in each year, without end and exceptions.
fn yearly(event: &ICalendarComponent) -> Option<ImportedDays> {
    use ICalendarProperty::{Dtend, Duration, Exdate, Rdate, Rrule};

    if [&Exdate, &Rdate, &Duration].into_iter().any(|property| has(event, property)) {
        return None;
    }
    let date = |date: &PartialDateTime| {
        let (year, month, day) = (i16::try_from(date.year?).ok()?, date.month?, date.day?);
        Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
    };
    let first = date(start(event)?)?;
    if let Some(end) = event.property(&Dtend) {
        let ICalendarValue::PartialDateTime(end) = end.values.first()? else { return None };
        if date(end)? != first.tomorrow().ok()? {
            return None;
        }
    }
    let ICalendarValue::RecurrenceRule(rule) = event.property(&Rrule)?.values.first()? else {
        return None;
    };
    let (month, day) = (first.month().unsigned_abs(), first.day());
    let same_day = ICalendarRecurrenceRule {
        freq: ICalendarFrequency::Yearly,
        interval: rule.interval.filter(|interval| *interval == 1),
        bymonth: rule.bymonth.iter().take(1).map(|_| ICalendarMonth::new(month, false)).collect(),
        bymonthday: rule.bymonthday.iter().take(1).map(|_| day).collect(),
        wkst: rule.wkst,
        ..ICalendarRecurrenceRule::default()
    };
    // A day without its month would be one of each month.
    let is_same = **rule == same_day && rule.bymonth.len() >= rule.bymonthday.len();
    let summary = summary(event);
    is_same.then_some(ImportedDays { first, last: first, is_yearly: true, summary })
}

/// Adds the days of an event and of the exceptions from it.
fn expand(mut components: Vec<ICalendarComponent>, contents: &mut Contents) {
    for rule in components.iter_mut().flat_map(rules).filter(|rule| rule.count.is_none()) {
        let last = u16::try_from(LAST.year()).unwrap_or_default();
        if rule.until.as_ref().and_then(|until| until.year).is_none_or(|year| year > last) {
            let (year, month, day) = (Some(last), Some(12), Some(31));
            rule.until = Some(PartialDateTime { year, month, day, ..PartialDateTime::default() });
        }
    }
    let calendar = ICalendar { components };
    let expanded = calendar.expand_dates(Tz::UTC, MOST);
    for CalendarError { comp_id, error } in expanded.errors {
        let summary = calendar.component_by_id(comp_id).map(summary).unwrap_or_default();
        contents.left_out.push(format!("`{summary}`, which is invalid: {error}"));
    }
    for event in expanded.events {
        let Some(component) = calendar.component_by_id(event.comp_id) else { continue };
        if is_cancelled(component) || !is_whole_day(component) {
            continue;
        }
        let date = |text: String| text.parse::<Date>().ok();
        let start = event.start.date_naive();
        let end = match event.end {
            TimeOrDelta::Time(end) => end.date_naive(),
            TimeOrDelta::Delta(length) => start.checked_add_signed(length).unwrap_or(start),
        };
        if let (Some(first), Some(end)) = (date(start.to_string()), date(end.to_string())) {
            // The end is excluded; some programs write the start.
            let last = end.yesterday().unwrap_or(end).max(first);
            let summary = summary(component);
            contents.days.push(ImportedDays { first, last, is_yearly: false, summary });
        }
    }
}
