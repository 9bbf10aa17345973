//! iCalendar files: see RFC 5545.

mod recurrence;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use calcard::common::PartialDateTime;
use calcard::icalendar::{
    ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarParameterName,
    ICalendarProperty, ICalendarRecurrenceRule, ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser};
use jiff::ToSpan;
use jiff::civil::Date;
use millicron_pictures::counted;

use self::recurrence::Rule;
use super::{Contents, FIRST, ImportedDays, LAST, comment};
use crate::error::Error;
use crate::output::shortened;

/// The most steps in which the rules of a file are followed. Each looks at a day, and compares it with one item of a rule.
const MOST_STEPS: u64 = 100_000_000;

/// The most days of an event, which lead from any year of iCalendar to the last year of a calendar.
const MOST_DAYS: i64 = 2101 * 366;

/// Reads the events of whole days in the text of a file, with their rules and exceptions.
pub(super) fn read(path: &Path, text: &str) -> Result<Contents, Error> {
    contents_of(text).map_err(|error| error.prefixed(path.display()))
}

fn contents_of(text: &str) -> Result<Contents, Error> {
    let mut contents = Contents::default();
    let mut left_out = BTreeMap::<&str, u64>::new();
    // An event, and the changes of single dates of it, have the same identifier.
    let mut events: BTreeMap<String, (Vec<Event>, HashSet<Date>)> = BTreeMap::new();
    let all = events_of(text)?;
    for (index, event) in all.iter().enumerate() {
        let identifier = event.uid().map_or_else(|| format!("\0{index}"), str::to_owned);
        let (events, changed) = events.entry(identifier).or_default();
        // A date that is changed to a time of day, or is cancelled, is none of the event either.
        changed.extend(changed_date(event));
        match Event::new(event) {
            Ok(event) => events.push(event),
            Err(_) if is_cancelled(event) => {}
            Err(why) => *left_out.entry(why).or_default() += 1,
        }
    }
    let mut steps = MOST_STEPS;
    for (events, changed) in events.into_values() {
        for event in events {
            event.add_to(&mut contents, &changed, &mut steps)?;
        }
    }
    let note = |(why, count)| format!("{} {why}", counted(count, "event"));
    contents.left_out.extend(left_out.into_iter().map(note));
    Ok(contents)
}

/// Returns the events of all calendars in a text.
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
                let line = shortened(line.trim_end());
                return Err(Error::new(format_args!("`{line}` is not a line of iCalendar")));
            }
            Entry::TooManyComponents => return Err(Error::new("there are too many events")),
            _ => return Err(Error::new("the file is not in iCalendar format")),
        }
    }
    events.retain(|event| event.component_type == ICalendarComponentType::VEvent);
    Ok(events)
}

fn is_cancelled(event: &ICalendarComponent) -> bool {
    event.status() == Some(&ICalendarStatus::Cancelled)
}

/// An event of whole days, or a change of one date of it.
#[derive(Debug)]
struct Event {
    start: Date,
    /// How many days it takes.
    length: i64,
    /// On one line.
    summary: Rc<str>,
    is_cancelled: bool,
    /// The date that it changes.
    changed: Option<Date>,
    /// Whether it changes all later dates as well.
    has_later: bool,
    rules: Vec<ICalendarRecurrenceRule>,
    has_invalid_rule: bool,
    /// Further dates, and those that are no dates.
    added: Vec<Date>,
    removed: HashSet<Date>,
}

impl Event {
    /// Reads an event. The error is why it is left out.
    fn new(event: &ICalendarComponent) -> Result<Self, &'static str> {
        use ICalendarProperty::{Duration, Exdate, Rdate, RecurrenceId, Rrule, Summary};

        let changed = changed_date(event);
        let mut starts = values(event, &ICalendarProperty::Dtstart);
        let start = match starts.next() {
            Some(ICalendarValue::PartialDateTime(start)) if start.has_time() => {
                return Err("with a time of day");
            }
            Some(start) => date(start),
            None => changed,
        };
        let start = start.ok_or("without a valid date")?;
        let end = values(event, &ICalendarProperty::Dtend).find_map(date);
        let duration = values(event, &Duration).find_map(|value| match value {
            ICalendarValue::Duration(duration) => Some(duration.as_seconds() / 86_400),
            _ => None,
        });
        let length = end.map(|end| i64::from(start.until(end).map_or(1, |it| it.get_days())));
        // The end is excluded; some programs write the start.
        let length = length.or(duration).unwrap_or(1).clamp(1, MOST_DAYS);
        let rule = |value: &ICalendarValue| match value {
            ICalendarValue::RecurrenceRule(rule) => Some((**rule).clone()),
            _ => None,
        };
        let rules = values(event, &Rrule).map(rule).collect::<Vec<_>>();
        let has_later = event.property(&RecurrenceId).is_some_and(|entry| {
            entry.params.iter().any(|it| it.name == ICalendarParameterName::Range)
        });
        let summary = values(event, &Summary).find_map(ICalendarValue::as_text);
        Ok(Self {
            start,
            length,
            summary: comment(summary.unwrap_or_default()).into(),
            is_cancelled: is_cancelled(event),
            changed,
            has_later,
            has_invalid_rule: rules.iter().any(Option::is_none),
            rules: rules.into_iter().flatten().collect(),
            added: values(event, &Rdate).filter_map(date).collect(),
            removed: values(event, &Exdate).filter_map(date).collect(),
        })
    }

    /// Adds the days of the event, except for the dates that others change. Following its rules takes some of the steps
    /// that are left.
    fn add_to(
        &self,
        contents: &mut Contents,
        changed: &HashSet<Date>,
        steps: &mut u64,
    ) -> Result<(), Error> {
        if self.is_cancelled {
            return Ok(());
        }
        let mut leave_out = |what: &str| {
            contents.left_out.push(format!("{what} of `{}`", self.summary));
        };
        if self.has_later {
            leave_out("a change of all later dates");
        }
        if self.has_invalid_rule {
            leave_out("an invalid rule");
        }
        if changed.is_empty()
            && let Some(days) = self.yearly()
        {
            return contents.add(days);
        }
        let mut dates = self.added.clone();
        if self.rules.is_empty() {
            dates.push(self.start);
        }
        // An event that begins earlier ends before the first day of a calendar.
        let first = FIRST.saturating_sub((self.length - 1).days());
        for rule in &self.rules {
            let until = rule.until.as_ref().map_or(Some(LAST), partial_date);
            let until = until.unwrap_or(LAST).min(LAST);
            match Rule::new(rule, self.start) {
                Ok(rule) => dates.extend(rule.dates(first..=until, steps)?),
                Err(what) => leave_out(what),
            }
        }
        let is_left = |date: &Date| {
            let is_changed = self.changed.is_none() && changed.contains(date);
            !is_changed && !self.removed.contains(date)
        };
        for first in dates.into_iter().filter(is_left) {
            let last = first.saturating_add((self.length - 1).days());
            let summary = Rc::clone(&self.summary);
            contents.add(ImportedDays { first, last, is_yearly: false, summary })?;
        }
        Ok(())
    }

    /// Returns the days of an event that is on the same date in each year, without end and exceptions.
    fn yearly(&self) -> Option<ImportedDays> {
        let [rule] = &*self.rules else { return None };
        if self.length > 1 || !self.added.is_empty() || !self.removed.is_empty() {
            return None;
        }
        // A rule may leave out what its start says.
        let yearly = ICalendarRecurrenceRule {
            freq: ICalendarFrequency::Yearly,
            ..ICalendarRecurrenceRule::default()
        };
        let plain = ICalendarRecurrenceRule {
            interval: rule.interval.filter(|interval| *interval != 1),
            wkst: None,
            ..rule.clone()
        };
        let [yearly, plain] = [yearly, plain].map(|it| recurrence::with_defaults(it, self.start));
        (plain == yearly).then(|| ImportedDays {
            first: self.start,
            last: self.start,
            is_yearly: true,
            summary: Rc::clone(&self.summary),
        })
    }
}

/// Returns the date of another event that an event changes.
fn changed_date(event: &ICalendarComponent) -> Option<Date> {
    values(event, &ICalendarProperty::RecurrenceId).find_map(date)
}

/// Returns all values of a property.
fn values<'e>(
    event: &'e ICalendarComponent,
    property: &'e ICalendarProperty,
) -> impl Iterator<Item = &'e ICalendarValue> {
    let entries = event.entries.iter().filter(move |entry| entry.name == *property);
    entries.flat_map(|entry| &entry.values)
}

/// Returns the date of a value.
fn date(value: &ICalendarValue) -> Option<Date> {
    match value {
        ICalendarValue::PartialDateTime(date) => partial_date(date),
        _ => None,
    }
}

fn partial_date(date: &PartialDateTime) -> Option<Date> {
    let (month, day) = (date.month?.try_into().ok()?, date.day?.try_into().ok()?);
    Date::new(date.year?.try_into().ok()?, month, day).ok()
}
