//! [`Spans`]: where the parts of a schedule are in its text.

use core::ops::Range;

use crate::Field;

/// Returns the span of a text without the white space around it.
pub(crate) fn trimmed(text: &str) -> Range<usize> {
    let end = text.trim_ascii_end().len();
    let start = end - text[..end].trim_ascii_start().len();
    start..end
}

/// The byte ranges of the fields of a text, and of the names of its time zone and its calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans {
    /// Indexed by field; empty if the text does not have the field.
    fields: [Range<usize>; 8],
    /// The name of the time zone, if the text has one.
    pub zone: Option<Range<usize>>,
    /// The name of the calendar, without the `@`, if the text has one.
    pub calendar: Option<Range<usize>>,
}

impl Spans {
    /// The spans of a text without fields.
    pub(crate) const NONE: Self = Self { fields: [const { 0..0 }; 8], zone: None, calendar: None };

    /// Returns the spans of a text without fields that may have a time zone.
    pub(crate) fn of_zone(zone: Option<Range<usize>>) -> Self {
        Self { zone, ..Self::NONE }
    }

    /// Returns the span of a field; `None` if the text does not have it.
    ///
    /// Nicknames and shorthands such as `@daily` have no fields, and windows have no fields of the
    /// time of day.
    #[must_use]
    pub fn field(&self, field: Field) -> Option<Range<usize>> {
        Some(self.of(field)).filter(|span| !span.is_empty())
    }

    pub(crate) fn set(&mut self, field: Field, span: Range<usize>) {
        self.fields[field as usize] = span;
    }

    /// Removes the fields of the time of day.
    pub(crate) fn clear_time(&mut self) {
        self.fields[Field::Hour as usize..].fill(0..0);
    }

    /// Returns the span that an error about the day of month points at: the date, unless its year
    /// is in another place.
    pub(crate) fn date(&self) -> Range<usize> {
        let [year, month, day] = [Field::Year, Field::Month, Field::Day].map(|it| self.of(it));
        let start = month.start.min(day.start);
        let start = if year.is_empty() || year.start > start { start } else { year.start };
        start..month.end.max(day.end)
    }

    /// Returns the span that an error about the weekday points at: the date and the weekday.
    pub(crate) fn date_and_weekday(&self) -> Range<usize> {
        let (date, weekday) = (self.date(), self.of(Field::Weekday));
        match () {
            () if weekday.is_empty() => date,
            () if date.is_empty() => weekday,
            // In systemd timers, the weekday comes first.
            () => date.start.min(weekday.start)..date.end.max(weekday.end),
        }
    }

    fn of(&self, field: Field) -> Range<usize> {
        self.fields[field as usize].clone()
    }
}
