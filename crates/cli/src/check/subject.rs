//! [`Subject`]: a job with the fields of its schedule, or of a member of its union, as lints examine them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use jiff::Timestamp;
use millicron::calendar::days_in_month;
use millicron::{Calendars, Field, FieldValues, Language, ParseError, Reading, Schedule};

use crate::file::JobEntry;

/// A job with the data that lints examine.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) job: &'a JobEntry,
    pub(super) now: Timestamp,
    /// The fields as written.
    pub(super) written: Fields<'a>,
    /// The fields of the canonical text, in millicron's own language.
    pub(super) canonical: Fields<'a>,
    /// Where the schedule starts in the file, if it has no escapes there.
    pub(super) verbatim_start: Option<usize>,
    /// The values of fields of all jobs.
    pub(super) cache: &'a ValueCache,
}

/// The values of fields by their texts: finding them takes long, and many jobs have the same fields.
pub(super) type ValueCache = RefCell<HashMap<(Field, String), Option<FieldValues>>>;

/// The texts of the fields of a schedule.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) text: &'a str,
    reading: Reading<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn read(
        language: Language,
        text: &'a str,
        calendars: &dyn Calendars,
    ) -> Result<Self, ParseError> {
        Ok(Self { text, reading: language.read_with(text, calendars)? })
    }

    /// Returns the schedule.
    pub(super) fn schedule(&self) -> &Schedule {
        &self.reading.schedule
    }

    /// Returns the place of a field.
    pub(super) fn span(&self, field: Field) -> Option<Range<usize>> {
        self.reading.span(field)
    }

    /// Returns the text of a field.
    pub(super) fn get(&self, field: Field) -> Option<&'a str> {
        self.span(field).and_then(|span| self.text.get(span))
    }

    /// Whether day and weekday are joined by OR in millicron's own language.
    pub(super) fn has_or(&self) -> bool {
        self.text.contains('|')
    }
}

impl Subject<'_> {
    /// Returns the place of a field in the file, or else of the schedule.
    pub(super) fn span(&self, field: Field) -> Range<usize> {
        match (self.written.span(field), self.verbatim_start) {
            (Some(span), Some(start)) => start + span.start..start + span.end,
            _ => self.job.span.clone(),
        }
    }

    /// Returns the place in the file of all fields from one to another.
    pub(super) fn span_over(&self, one: Field, other: Field) -> Range<usize> {
        let (one, other) = (self.span(one), self.span(other));
        one.start.min(other.start)..one.end.max(other.end)
    }

    /// Returns a field of the canonical text, unless it is `*`.
    pub(super) fn limited(&self, field: Field) -> Option<&str> {
        self.canonical.get(field).filter(|text| *text != "*")
    }

    /// Returns the values of a field that is limited to numbers, whatever the other fields are.
    pub(super) fn values(&self, field: Field) -> Option<FieldValues> {
        let text = self.limited(field)?;
        let key = (field, text.to_owned());
        self.cache.borrow_mut().entry(key).or_insert_with(|| values(field, text)).clone()
    }

    /// Returns the months of the schedule, 1-12, and how many days they have in common and leap years.
    pub(super) fn months(&self) -> Vec<(u16, [u16; 2])> {
        let limited = self.values(Field::Month).map(Vec::from_iter);
        let has = |month: &u8| limited.as_ref().is_none_or(|it| it.contains(&(*month).into()));
        let days = |month| [2026, 2028].map(|year| days_in_month(year, month).into());
        (1..=12).filter(has).map(|month| (month.into(), days(month))).collect()
    }
}

/// Returns the values of a field with a text, if it is limited to numbers.
pub(super) fn values(field: Field, text: &str) -> Option<FieldValues> {
    let is_part = |c: char| c.is_ascii_digit() || "*,-/".contains(c);
    let alone = match field {
        Field::Year => format!("{text}.*.* 00:00:00"),
        Field::Month => format!("*.{text}.* 00:00:00"),
        Field::Day => format!("*.01.{text} 00:00:00"),
        Field::Weekday => format!("*.*.* {text} 00:00:00"),
        Field::Hour => format!("{text}:00:00"),
        Field::Minute => format!("*:{text}:00"),
        Field::Second => format!("*:*:{text}"),
        Field::Millisecond => format!("*:*:*.{text}"),
    };
    let schedule = text.chars().all(is_part).then(|| Schedule::parse(&alone))?;
    Some(schedule.ok()?.values(field))
}
