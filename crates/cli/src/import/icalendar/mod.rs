//! iCalendar files: see RFC 5545.

mod recurrence;
mod rule;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::rc::Rc;

use calcard::common::PartialDateTime;
use calcard::icalendar::{
    ICalendarComponent, ICalendarComponentType, ICalendarParameterName, ICalendarProperty,
    ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use millicron_pictures::counted;

use self::recurrence::DateRule;
use self::rule::{Frequency, RuleParts};
use super::{FIRST, ImportedDays, ImportedFile, LAST, comment};
use crate::error::Error;
use crate::output::shortened;

/// The most steps in which the rules of a file are followed. Each looks at a day, and compares it with one item of a rule.
const MOST_STEPS: u64 = 100_000_000;

/// The most days of an event, which lead from any year of iCalendar to the last year of a calendar.
const MOST_DAYS: i64 = 2101 * 366;

/// Reads the events of whole days in the text of a file, with their rules and exceptions.
pub(super) fn read(path: &Path, text: &str) -> Result<ImportedFile, Error> {
    contents_of(text).map_err(|error| error.prefixed(path.display()))
}

fn contents_of(text: &str) -> Result<ImportedFile, Error> {
    let mut contents = ImportedFile::default();
    let mut left_out = BTreeMap::<&str, u64>::new();
    let mut steps = MOST_STEPS;
    let all = events_of(text)?;
    // An event, and the changes of single dates of it, have the same identifier.
    let mut events: BTreeMap<Cow<'_, str>, Versions<'_>> = BTreeMap::new();
    for (index, event) in all.iter().enumerate() {
        let identifier = event.uid().map_or_else(|| format!("\0{index}").into(), Cow::from);
        if events.entry(identifier).or_default().replace(event) {
            *left_out.entry("that another one with the same UID replaces").or_default() += 1;
        }
    }
    for versions in events.into_values() {
        // A date that is cancelled, or changed to a time of day, does not count either.
        let changed = versions.0.values().filter_map(|event| changed_date(event)).collect();
        for event in versions.0.values().filter(|event| !versions.is_cancelled(event)) {
            match Event::new(event) {
                Ok(event) => event.add_to(&mut contents, &changed, &mut steps)?,
                Err(why) => *left_out.entry(why).or_default() += 1,
            }
        }
    }
    let note = |(why, count)| format!("{} {why}", counted(count, "event"));
    contents.left_out.extend(left_out.into_iter().map(note));
    Ok(contents)
}

/// An event, and the changes of single dates of it.
#[derive(Debug, Default)]
struct Versions<'e>(BTreeMap<VersionKey<'e>, &'e ICalendarComponent>);

/// Whether a version changes a single date, and which one.
type VersionKey<'e> = (bool, Option<&'e PartialDateTime>);

impl<'e> Versions<'e> {
    /// Adds an event or a change, unless there is a newer one. Returns whether there was another one.
    fn replace(&mut self, event: &'e ICalendarComponent) -> bool {
        let property = &ICalendarProperty::RecurrenceId;
        let changed = values(event, property).find_map(date_time);
        let changed = (event.property(property).is_some(), changed);
        let other = self.0.get(&changed);
        if other.is_none_or(|other| sequence(other) <= sequence(event)) {
            self.0.insert(changed, event).is_some()
        } else {
            true
        }
    }

    /// Whether an event is cancelled, or changes one that is cancelled later.
    fn is_cancelled(&self, event: &ICalendarComponent) -> bool {
        let is_cancelled =
            |event: &ICalendarComponent| event.status() == Some(&ICalendarStatus::Cancelled);
        let whole = self.0.get(&(false, None)).filter(|whole| is_cancelled(whole));
        is_cancelled(event) || whole.is_some_and(|whole| sequence(whole) >= sequence(event))
    }
}

/// Returns the number of an event's version.
fn sequence(event: &ICalendarComponent) -> i64 {
    let number = values(event, &ICalendarProperty::Sequence).find_map(ICalendarValue::as_integer);
    number.unwrap_or(0)
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
    let text = with_texts_of_rules(text);
    let mut parser = Parser::new(&text);
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

/// Declares rules to be texts, which `calcard` returns as they are. Of several declarations, it takes the last one.
fn with_texts_of_rules(text: &str) -> String {
    let place = |line: &str| {
        let (name, _) = line.split_once([':', ';'])?;
        let mut is_quoted = false;
        let value = line.find(|c| {
            is_quoted ^= c == '"';
            c == ':' && !is_quoted
        });
        name.eq_ignore_ascii_case("RRULE").then_some(value.unwrap_or(name.len()))
    };
    let line =
        |line| place(line).map_or([line, "", ""], |at| [&line[..at], ";VALUE=TEXT", &line[at..]]);
    text.split_inclusive('\n').flat_map(line).collect()
}

/// An event of whole days, or a change of one date of it.
#[derive(Debug)]
struct Event {
    start: Date,
    /// How many days it takes.
    length: i64,
    /// On one line.
    summary: Rc<str>,
    /// The date that it changes.
    changed: Option<Date>,
    rules: Vec<RuleParts>,
    /// Additional dates, and excluded ones.
    added: Vec<Date>,
    removed: HashSet<Date>,
    /// What is left out.
    left_out: BTreeSet<&'static str>,
}

impl Event {
    /// Reads an event. The error is why it is left out.
    fn new(event: &ICalendarComponent) -> Result<Self, &'static str> {
        use ICalendarProperty::{Dtend, Duration, Exdate, Rdate, RecurrenceId, Rrule, Summary};

        let changed = changed_date(event);
        let start = start_of(event, changed)?;
        let end = values(event, &Dtend).find_map(date);
        let duration = values(event, &Duration).find_map(|value| match value {
            ICalendarValue::Duration(duration) => Some(duration.as_seconds() / 86_400),
            _ => None,
        });
        let length = end.map(|end| i64::from(start.until(end).map_or(1, |it| it.get_days())));
        // The end is excluded; some programs write the start.
        let length = length.or(duration).unwrap_or(1).clamp(1, MOST_DAYS);
        let mut left_out = unsupported(event);
        for (property, is_valid) in [
            (RecurrenceId, changed.is_some()),
            (Dtend, end.is_some()),
            (Duration, duration.is_some()),
        ] {
            if event.property(&property).is_some() && !is_valid {
                left_out.insert("an invalid date");
            }
        }
        let rules = values(event, &Rrule).map(|rule| match rule {
            ICalendarValue::Text(rule) => RuleParts::parse(rule),
            _ => Err("an invalid rule"),
        });
        let rules = valid(rules, &mut left_out);
        let mut dates = |property| {
            let dates = values(event, property).map(|value| match value {
                ICalendarValue::Period(_) => Err("a period"),
                value => date(value).ok_or("an invalid date"),
            });
            valid(dates, &mut left_out)
        };
        let (added, removed) = (dates(&Rdate), dates(&Exdate).into_iter().collect());
        let summary = values(event, &Summary).find_map(ICalendarValue::as_text);
        Ok(Self {
            start,
            length,
            summary: comment(summary.unwrap_or_default()).into(),
            changed,
            rules,
            added,
            removed,
            left_out,
        })
    }

    /// Adds the days of the event, except for the dates that others change. Following its rules takes some of the steps
    /// that are left.
    fn add_to(
        &self,
        contents: &mut ImportedFile,
        changed: &HashSet<Date>,
        steps: &mut u64,
    ) -> Result<(), Error> {
        let name = match &*self.summary {
            "" => format!("the event on {}", self.start),
            summary => format!("`{summary}`"),
        };
        let left_out = self.left_out.iter().map(|what| format!("{what} of {name}"));
        contents.left_out.extend(left_out);
        if changed.is_empty()
            && let Some(days) = self.yearly()
        {
            return contents.add(days);
        }
        let mut add = |first: Date| {
            let is_changed = self.changed.is_none() && changed.contains(&first);
            if is_changed || self.removed.contains(&first) {
                return Ok(());
            }
            let last = first.saturating_add((self.length - 1).days());
            let summary = Rc::clone(&self.summary);
            contents.add(ImportedDays { first, last, is_yearly: false, summary })
        };
        let start = self.rules.is_empty().then_some(self.start);
        self.added.iter().copied().chain(start).try_for_each(&mut add)?;
        // An event that begins earlier ends before the first day of a calendar.
        let first = FIRST.saturating_sub((self.length - 1).days());
        for rule in &self.rules {
            let rule = DateRule::new(rule.clone(), self.start);
            rule.dates(first..=LAST, steps)?.into_iter().try_for_each(&mut add)?;
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
        let plain = RuleParts { week_start: Weekday::Monday, ..rule.clone() };
        let [yearly, plain] =
            [RuleParts::new(Frequency::Yearly), plain].map(|it| it.with_start(self.start));
        (plain == yearly).then(|| ImportedDays {
            first: self.start,
            last: self.start,
            is_yearly: true,
            summary: Rc::clone(&self.summary),
        })
    }
}

/// Returns the first day of an event, which may change a date. The error is why the event is left out.
fn start_of(event: &ICalendarComponent, changed: Option<Date>) -> Result<Date, &'static str> {
    let start = match values(event, &ICalendarProperty::Dtstart).next() {
        Some(ICalendarValue::PartialDateTime(start)) if start.has_time() => {
            return Err("with a time of day");
        }
        Some(start) => date(start),
        None => changed,
    };
    start.ok_or("without a valid date")
}

/// Returns what of an event is left out even if it is valid.
fn unsupported(event: &ICalendarComponent) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let has_later = event.property(&ICalendarProperty::RecurrenceId).is_some_and(|entry| {
        entry.params.iter().any(|it| it.name == ICalendarParameterName::Range)
    });
    if has_later {
        found.insert("a change of all later dates");
    }
    if event.property(&ICalendarProperty::Exrule).is_some() {
        found.insert("a rule of exceptions");
    }
    found
}

/// Returns the valid values, and adds to `left_out` what the others are.
fn valid<T>(
    values: impl Iterator<Item = Result<T, &'static str>>,
    left_out: &mut BTreeSet<&'static str>,
) -> Vec<T> {
    values.filter_map(|value| value.map_err(|what| left_out.insert(what)).ok()).collect()
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
    let date = date_time(value)?;
    let (month, day) = (date.month?.try_into().ok()?, date.day?.try_into().ok()?);
    Date::new(date.year?.try_into().ok()?, month, day).ok()
}

/// Returns the date of a value, and the time if it has one.
fn date_time(value: &ICalendarValue) -> Option<&PartialDateTime> {
    match value {
        ICalendarValue::PartialDateTime(date_time) => Some(date_time),
        _ => None,
    }
}
