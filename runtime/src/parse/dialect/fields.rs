//! Reads the dialects whose texts are fields between spaces: the common part of crontab, Quartz and
//! the cron crate.

use core::ops::Range;

use super::rules::Rules;
use crate::error::Detail;
use crate::expression::LAST_DAY;
use crate::parse::Located;
use crate::parse::reader::Reader;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind, Spans};

/// The words of a text, which are its fields.
pub(super) struct FieldTexts {
    /// The span of each field; missing fields are at the end.
    spans: [Range<usize>; 8],
    /// The number of fields, including those beyond eight.
    pub(super) count: usize,
    /// The end of the text.
    end: usize,
}

impl FieldTexts {
    /// Finds the fields in the text that a reader has not read yet.
    pub(super) fn of(reader: &Reader<'_>) -> Self {
        let is_separator = |byte| matches!(byte, b' ' | b'\t');
        let mut reader = *reader;
        let mut fields = Self { spans: [const { 0..0 }; 8], count: 0, end: reader.bytes.len() };
        loop {
            reader.skip_while(is_separator);
            let start = reader.at;
            if reader.skip_while(|byte| !is_separator(byte)).is_empty() {
                return fields;
            }
            if let Some(slot) = fields.spans.get_mut(fields.count) {
                *slot = start..reader.at;
            }
            fields.count += 1;
        }
    }

    /// Returns the span of the field at a place. If the field is missing, the span is empty, at the
    /// end of the text.
    pub(super) fn span(&self, place: usize) -> Range<usize> {
        let span = self.spans.get(place).cloned().filter(|span| span.start < span.end);
        span.unwrap_or(self.end..self.end)
    }

    /// Returns the span from the field at a place to the end of the text.
    pub(super) fn span_from(&self, place: usize) -> Range<usize> {
        self.span(place).start..self.end
    }
}

/// Reads fields in a given order into an expression. Only the year may be missing.
pub(super) fn read_fields(
    reader: &mut Reader<'_>,
    dialect: Dialect,
    fields: &FieldTexts,
    order: &[Field],
) -> Result<Located, ParseError> {
    if fields.count == 0 {
        return reader.error(ParseErrorKind::Empty, 0..reader.text.len());
    }
    let mut located = Located::MIDNIGHTS;
    for (place, field) in order.iter().take(fields.count).enumerate() {
        reader.go_to(&fields.span(place));
        reader.field(&mut located, *field, |reader, expression| {
            read_field(reader, expression, &Rules::of(dialect, *field))
        })?;
    }
    match order.get(fields.count) {
        None | Some(Field::Year) => {}
        Some(&field) => {
            return reader.error(ParseErrorKind::MissingField { field }, fields.end..fields.end);
        }
    }
    if fields.count > order.len() {
        let field = order[order.len() - 1];
        return reader
            .error(ParseErrorKind::TooManyFields { field }, fields.span_from(order.len()));
    }
    Ok(located)
}

/// Reads a field: a list of items, up to the end of the reader's bytes.
fn read_field(
    reader: &mut Reader<'_>,
    expression: &mut Expression,
    rules: &Rules,
) -> Result<(), ParseError> {
    let Rules { dialect, field, .. } = *rules;
    let span = reader.at..reader.bytes.len();
    if dialect == Dialect::Quartz && reader.rest() == "?" {
        return match field {
            // As in `MIDNIGHTS`, every day and every weekday.
            Field::Day | Field::Weekday => {
                reader.at += 1;
                Ok(())
            }
            _ => reader.error(ParseErrorKind::UnexpectedCharacter { field }, span),
        };
    }
    expression.words_mut(field).fill(0);
    loop {
        let is_special = read_item(reader, expression, rules)?;
        let is_alone = reader.at == span.end && !reader.text[span.clone()].contains(',');
        if is_special && !is_alone && dialect == Dialect::Quartz {
            return reader.refuse(Detail::NotAlone, field, span);
        }
        match reader.peek() {
            None => break,
            Some(b',') => reader.at += 1,
            Some(b'~') if dialect == Dialect::Crontab => {
                return reader.error(ParseErrorKind::NotFixed, span);
            }
            Some(_) => return reader.unexpected(field),
        }
    }
    if field == Field::Year && expression.fields.year == [0; 2] {
        return reader.error(ParseErrorKind::Never { field }, span);
    }
    Ok(())
}

/// Reads an item. Returns whether it is a special item of day or weekday.
fn read_item(
    reader: &mut Reader<'_>,
    expression: &mut Expression,
    rules: &Rules,
) -> Result<bool, ParseError> {
    let Rules { dialect, field, .. } = *rules;
    let has_special = dialect != Dialect::CronCrate;
    if has_special && field == Field::Day && reader.skip_letter(b'L') {
        read_last_day(reader, dialect, expression)?;
        return Ok(true);
    }
    let is_weekday = field == Field::Weekday;
    if is_weekday && dialect == Dialect::Quartz && reader.rest().eq_ignore_ascii_case("L") {
        // In Quartz, the last day of the week is Saturday.
        reader.at += 1;
        expression.fields.weekday = 1 << 6;
        return Ok(true);
    }
    let item = rules.item(reader)?;
    if has_special && item.to.is_none() && item.step.is_none() {
        if field == Field::Day && reader.skip_letter(b'W') {
            expression.relative.nearest |= 1 << (item.from - 1);
            return Ok(true);
        }
        if is_weekday && let Some(number) = read_number(reader, dialect)? {
            let weekday = u64::from(dialect.weekday(item.from));
            expression.relative.numbered |= 1 << (7 * (number - 1) + weekday);
            return Ok(true);
        }
    }
    rules.insert(expression, &item);
    Ok(false)
}

/// Reads the rest of `L`, `L-n`, `LW` or `L-nW`.
fn read_last_day(
    reader: &mut Reader<'_>,
    dialect: Dialect,
    expression: &mut Expression,
) -> Result<(), ParseError> {
    let mut days = 0;
    if reader.skip(b'-') {
        // `L-0` is `L` in Quartz.
        let min = u16::from(dialect == Dialect::Crontab);
        days = reader.number_within(Field::Day, min, 30)?;
    }
    if reader.skip_letter(b'W') {
        expression.relative.nearest_before_last |= 1 << days;
    } else if days > 0 {
        expression.relative.before_last |= 1 << days;
    } else {
        expression.fields.day |= LAST_DAY;
    }
    Ok(())
}

/// Reads the `#k` or `L` after a weekday, if one of them comes next. `L` is 6.
fn read_number(reader: &mut Reader<'_>, dialect: Dialect) -> Result<Option<u64>, ParseError> {
    let has_number = !reader.skip_letter(b'L');
    if has_number && !reader.skip(b'#') {
        return Ok(None);
    }
    let is_last = !has_number || dialect == Dialect::Crontab && reader.skip_letter(b'L');
    Ok(Some(if is_last { 6 } else { reader.number_within(Field::Weekday, 1, 5)? }))
}

/// Reads a nickname such as `@daily`, if the text is one.
pub(super) fn read_nickname(
    reader: &Reader<'_>,
    dialect: Dialect,
) -> Result<Option<Located>, ParseError> {
    let span = reader.at..reader.bytes.len();
    let Some(name) = reader.rest().strip_prefix('@') else { return Ok(None) };
    let name = name.split([' ', '\t']).next().unwrap_or_default();
    if name == "reboot" && dialect == Dialect::Crontab {
        return reader.error(ParseErrorKind::NotFixed, span);
    }
    let Some(expression) = nickname(dialect, name) else {
        let kind = ParseErrorKind::UnknownName { field: Field::Hour };
        let span = span.start..span.start + 1 + name.len();
        return reader.error_with(kind, Detail::Shorthand, span);
    };
    let end = span.start + 1 + name.len();
    if end < span.end {
        let kind = ParseErrorKind::TooManyFields { field: Field::Hour };
        let after = reader.text[end..span.end].trim_ascii_start();
        return reader.error(kind, span.end - after.len()..span.end);
    }
    Ok(Some(Located { expression, spans: Spans::NONE }))
}

/// Returns the schedule of a nickname.
fn nickname(dialect: Dialect, name: &str) -> Option<Expression> {
    let mut expression = Expression::MIDNIGHTS;
    let fields = &mut expression.fields;
    match (name, dialect) {
        ("daily", _) | ("midnight", Dialect::Crontab) => {}
        ("hourly", _) => fields.hour = (1 << 24) - 1,
        ("weekly", _) => fields.weekday = 1,
        ("monthly", _) => fields.day = 1,
        ("yearly", _) | ("annually", Dialect::Crontab) => (fields.month, fields.day) = (1, 1),
        _ => return None,
    }
    Some(expression)
}
