//! Reads the language of this crate, each field into its bitmap, item by item.
//!
//! Spaces and tabs separate at most three parts, and `.` and `:` separate the fields of a part.

mod business;
mod days;
mod layout;
mod relative;
mod window;

use core::ops::Range;

pub(crate) use self::business::is_calendar_name;
pub(crate) use self::days::{DayLine, read_days};
use self::layout::Layout;
pub(super) use self::layout::{is_space, parts_of};
use super::Located;
use super::reader::Reader;
use crate::error::ShortNames;
use crate::{Expression, Field, Join, ParseError, ParseErrorKind, StepUnit};

/// The longest repaired text that [`is_readable`] accepts, in bytes.
const LONGEST_REPAIR: usize = 64;

/// Reads a schedule.
pub(super) fn read(text: &str) -> Result<Located, ParseError> {
    let mut located = Located::MIDNIGHTS;
    read_into(&mut located, text)?;
    Ok(located)
}

/// Reads a schedule into `located`, which must be [`Located::MIDNIGHTS`].
pub(super) fn read_into(located: &mut Located, text: &str) -> Result<(), ParseError> {
    let layout = Layout::of(text)?;
    let mut reader = Reader::new(None, text);
    if let Some(date) = &layout.date {
        reader.go_to(date);
        reader.list(located, Field::Year)?;
        reader.separator(b'.', Field::Month)?;
        reader.date_from_month(located)?;
    }
    if let Some(weekday) = &layout.weekday {
        reader.weekday(located, weekday)?;
    }
    reader.join(located, layout.or.as_ref(), layout.weekday.as_ref())?;
    reader.go_to(&layout.time);
    reader.list(located, Field::Hour)?;
    reader.separator(b':', Field::Minute)?;
    reader.list(located, Field::Minute)?;
    reader.separator(b':', Field::Second)?;
    reader.list(located, Field::Second)?;
    let mut last = Field::Second;
    if reader.peek() == Some(b'.') && !reader.is_window() {
        reader.at += 1;
        last = Field::Millisecond;
        reader.list(located, last)?;
    }
    if reader.is_window() {
        reader.window(&mut located.expression, layout.time.start)?;
        located.spans.clear_time();
        last = Field::Millisecond;
    }
    reader.end(last)?;
    if let Some(calendar) = layout.calendar {
        located.spans.calendar = Some(reader.calendar_name(&calendar)?);
    }
    if located.expression.is_extended() {
        located.expression.normalize();
    }
    Ok(())
}

/// Whether a text is a list of items of a field.
pub(super) fn is_field(text: &str, field: Field) -> bool {
    let mut reader = Reader::new(None, text);
    reader.items(&mut Expression::MIDNIGHTS.clone(), field).is_ok() && reader.peek().is_none()
}

/// Whether a text is meant as a list of weekdays, possibly with long names.
pub(super) fn is_weekday(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    is_field(text, Field::Weekday)
        || (text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-,/".contains(&byte))
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && words.all(|word| Field::Weekday.name_like(word).is_some()))
}

/// Returns an error unless a part is a list of weekdays once its long names are cut.
pub(super) fn check_weekday(text: &str, part: &Range<usize>) -> Result<(), ParseError> {
    let names = ShortNames(Field::Weekday, &text[part.clone()]);
    let pieces = names.pieces().flat_map(str::as_bytes);
    if is_readable(pieces, |list| is_field(list, Field::Weekday)) {
        return Ok(());
    }
    let mut located = Located::MIDNIGHTS;
    Reader::new(None, text).weekday(&mut located, part)
}

/// Whether a repaired text, by its bytes, is short and can be read.
pub(super) fn is_readable<'t>(
    text: impl Iterator<Item = &'t u8>,
    can_read: impl FnOnce(&str) -> bool,
) -> bool {
    let (mut buffer, mut len) = ([0; LONGEST_REPAIR], 0);
    for byte in text {
        let Some(place) = buffer.get_mut(len) else { return false };
        *place = *byte;
        len += 1;
    }
    str::from_utf8(&buffer[..len]).is_ok_and(can_read)
}

impl Reader<'_> {
    /// Reads the rest of a date after its year.
    #[inline]
    fn date_from_month(&mut self, located: &mut Located) -> Result<(), ParseError> {
        self.list(located, Field::Month)?;
        self.separator(b'.', Field::Day)?;
        self.list(located, Field::Day)?;
        self.end(Field::Day)
    }

    /// Reads the weekday.
    #[inline]
    fn weekday(&mut self, located: &mut Located, part: &Range<usize>) -> Result<(), ParseError> {
        self.go_to(part);
        self.list(located, Field::Weekday)?;
        self.end(Field::Weekday)
    }

    /// Joins the date and the weekday, which have been read.
    #[inline]
    fn join(
        &self,
        located: &mut Located,
        or: Option<&Range<usize>>,
        weekday: Option<&Range<usize>>,
    ) -> Result<(), ParseError> {
        let expression = &mut located.expression;
        if let (Some(part), false) = (or.or(weekday), expression.business.moves.is_empty()) {
            return self.error(ParseErrorKind::MovedDay, part.clone());
        }
        if let (Some(or), Some(_)) = (or, &expression.steps) {
            return self.error(ParseErrorKind::DateStep, or.clone());
        }
        if let Some(steps) = &mut expression.steps {
            match (steps.unit, weekday) {
                (StepUnit::Week, None) => steps.unit = StepUnit::Day,
                (StepUnit::BusinessDay, Some(weekday)) => {
                    return self.error(ParseErrorKind::DateStep, weekday.clone());
                }
                _ => {}
            }
        }
        if or.is_some() {
            expression.join = Join::Either;
        }
        Ok(())
    }

    /// Reads the separator before the field `next`.
    fn separator(&mut self, separator: u8, next: Field) -> Result<(), ParseError> {
        match self.peek() {
            Some(byte) if byte == separator => {
                self.at += 1;
                Ok(())
            }
            // As in `12:*.123`, which has no seconds.
            None | Some(b'.' | b':' | b'/') => {
                self.error(ParseErrorKind::MissingField { field: next }, self.at..self.at)
            }
            // A list ends at a separator or at the end of its part, so this must be the end of a
            // window, as in `..16-17:00:00`.
            Some(_) => self.error(ParseErrorKind::WindowTime, self.character()),
        }
    }

    /// Expects the end of the part after its last field.
    fn end(&self, field: Field) -> Result<(), ParseError> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.error(ParseErrorKind::TooManyFields { field }, self.at..self.bytes.len())
        }
    }

    /// Reads a field, up to a separator or the end of the part.
    fn list(&mut self, located: &mut Located, field: Field) -> Result<(), ParseError> {
        self.field(located, field, |reader, expression| reader.items(expression, field))
    }

    /// Reads the items of a field, which are separated by commas.
    fn items(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let mut start = self.at;
        if self.is_bare_star() {
            // In `MIDNIGHTS`, the sets of the time are not full.
            expression.insert(field, field.min_value()..=field.last(), 1);
            self.at += 1;
        } else {
            expression.words_mut(field).fill(0);
            self.item(expression, field)?;
            while self.skip(b',') {
                start = self.at;
                self.item(expression, field)?;
            }
        }
        match self.peek() {
            None | Some(b'.' | b':') => Ok(()),
            Some(b',') => self.error(ParseErrorKind::StarNotAlone { field }, self.at - 1..self.at),
            Some(b'd' | b'w' | b'b') if field == Field::Day && self.is_after_step() => {
                self.error(ParseErrorKind::DateStep, start..self.at + 1)
            }
            Some(_) => self.unexpected(field),
        }
    }

    /// Whether a `*` without a step comes next.
    fn is_bare_star(&self) -> bool {
        self.peek() == Some(b'*') && self.bytes.get(self.at + 1) != Some(&b'/')
    }

    /// Reads an item: `a`, `a-b`, `a-b/n`, `*/n`, or one of the items specific to days or weekdays.
    fn item(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let start = self.at;
        if self.skip(b'*') {
            return self.star_step(expression, field);
        }
        if field == Field::Weekday && self.is_business_day() {
            return self.business_day(expression);
        }
        let from = self.value(field)?;
        if !self.skip(b'-') {
            if self.is_relative(field) {
                return self.relative(expression, field, from, start);
            }
            if self.is_move(field) {
                return self.moved(expression, u32::from(from) - 1, start);
            }
            if self.peek() == Some(b'/') {
                return self.step_from(expression, field, from, start);
            }
            expression.insert(field, from..=from, 1);
            return Ok(());
        }
        if field == Field::Day && self.bytes[start] == b'L' {
            return self.before_last(expression, start);
        }
        let to = self.value(field)?;
        let step = self.step(field, u32::MAX)?.unwrap_or(1);
        if self.is_relative(field) || self.is_move(field) {
            return self.relative_range(field, start);
        }
        if from > to {
            return self
                .error(ParseErrorKind::Descending { field, from, to, step }, start..self.at);
        }
        // At the end of a range, 32 is only a bound: the range goes to the end of the month and
        // does not add the last day.
        expression.insert(field, from..=to.min(field.last().max(from)), step);
        Ok(())
    }

    /// Reads the rest of `*/n`.
    fn star_step(&mut self, expression: &mut Expression, field: Field) -> Result<(), ParseError> {
        let start = self.at - 1;
        let Some(step) = self.step(field, u32::MAX)? else {
            return self.error(ParseErrorKind::StarNotAlone { field }, start..self.at);
        };
        let (value, last) = (field.min_value(), field.last());
        if step > u32::from(last - value) {
            return self
                .error(ParseErrorKind::StepLeavesOne { field, value, step }, start..self.at);
        }
        expression.insert(field, value..=last, step);
        Ok(())
    }

    /// Reads a number, a name, or `L` for the last day.
    fn value(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        let (min, max) = (field.min_value(), field.max_value());
        match self.number().map(u16::try_from) {
            None if field == Field::Day => self.last_day(),
            None => self.name(field),
            Some(Ok(value)) if (min..=max).contains(&value) => Ok(value),
            Some(_) => self.error(ParseErrorKind::OutOfRange { field, min, max }, start..self.at),
        }
    }

    fn name(&mut self, field: Field) -> Result<u16, ParseError> {
        let start = self.at;
        match field.value_named(self.word(field)?) {
            Some(value) => Ok(value),
            None => self.error(ParseErrorKind::UnknownName { field }, start..self.at),
        }
    }
}
