//! Reads the dialects whose texts are fields between spaces: the common part of crontab, Quartz and
//! the cron crate.

use core::ops::Range;

use super::reader::{Item, Reader, Rules};
use crate::error::Detail;
use crate::expression::LAST_DAY;
use crate::parse::Located;
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
        let is_separator = |byte: &u8| matches!(byte, b' ' | b'\t');
        let bytes = reader.bytes;
        let mut fields = Self { spans: [const { 0..0 }; 8], count: 0, end: bytes.len() };
        let mut at = reader.at;
        while let Some(skipped) = bytes[at..].iter().position(|byte| !is_separator(byte)) {
            let start = at + skipped;
            at =
                bytes[start..].iter().position(is_separator).map_or(bytes.len(), |len| start + len);
            if let Some(slot) = fields.spans.get_mut(fields.count) {
                *slot = start..at;
            }
            fields.count += 1;
        }
        fields
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

/// Reads fields in a given order into an expression. The last `optional` fields may be missing.
pub(super) fn read_fields(
    reader: &mut Reader<'_>,
    fields: &FieldTexts,
    order: &[Field],
    optional: usize,
) -> Result<Located, ParseError> {
    if fields.count == 0 {
        return reader.error(ParseErrorKind::Empty, 0..reader.text.len());
    }
    let mut located = Located { expression: Expression::MIDNIGHTS, spans: Spans::default() };
    for (place, field) in order.iter().take(fields.count).enumerate() {
        let span = fields.span(place);
        (reader.at, reader.bytes) = (span.start, &reader.text.as_bytes()[..span.end]);
        read_field(reader, &mut located.expression, *field)?;
        located.spans.set(*field, span);
    }
    if fields.count < order.len() - optional {
        let field = order[fields.count];
        return reader.error(ParseErrorKind::MissingField { field }, fields.end..fields.end);
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
    field: Field,
) -> Result<(), ParseError> {
    let span = reader.at..reader.bytes.len();
    if reader.dialect == Dialect::Quartz && reader.rest() == "?" {
        return match field {
            // As in `MIDNIGHTS`, every day and every weekday.
            Field::Day | Field::Weekday => Ok(()),
            _ => reader.error(ParseErrorKind::UnexpectedCharacter { field }, span),
        };
    }
    expression.words_mut(field).fill(0);
    let rules = Rules::of(reader.dialect, field);
    loop {
        let is_special = read_item(reader, expression, &rules)?;
        let is_alone = reader.at == span.end && !reader.text[span.clone()].contains(',');
        if is_special && !is_alone && reader.dialect == Dialect::Quartz {
            return reader.refuse(Detail::NotAlone, field, span);
        }
        match reader.peek() {
            None => break,
            Some(b',') => reader.at += 1,
            Some(b'~') if reader.dialect == Dialect::Crontab => {
                return reader.error(ParseErrorKind::NotFixed, span);
            }
            Some(_) => {
                return reader.unexpected(field);
            }
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
    if reader.dialect != Dialect::CronCrate {
        let is_special = match rules.field {
            Field::Day => read_last_day(reader, expression)?,
            Field::Weekday => read_saturday(reader, expression),
            _ => false,
        };
        if is_special {
            return Ok(true);
        }
    }
    let item = reader.item(rules)?;
    if reader.dialect != Dialect::CronCrate && is_value(&item) {
        let is_special = match rules.field {
            Field::Day => read_nearest(reader, expression, &item),
            Field::Weekday => read_numbered(reader, expression, &item)?,
            _ => false,
        };
        if is_special {
            return Ok(true);
        }
    }
    reader.insert(expression, rules, &item);
    Ok(false)
}

const fn is_value(item: &Item) -> bool {
    item.to.is_none() && item.step.is_none()
}

/// Reads `L`, `L-n`, `LW` or `L-nW`, if one of them comes next.
fn read_last_day(reader: &mut Reader<'_>, expression: &mut Expression) -> Result<bool, ParseError> {
    if !reader.skip_letter(b'L') {
        return Ok(false);
    }
    let mut days = 0;
    if reader.skip(b'-') {
        // `L-0` is `L` in Quartz.
        let min = u16::from(reader.dialect == Dialect::Crontab);
        days = reader.number_within(Field::Day, min, 30)?;
    }
    if reader.skip_letter(b'W') {
        expression.relative.nearest_before_last |= 1 << days;
    } else if days > 0 {
        expression.relative.before_last |= 1 << days;
    } else {
        expression.fields.day |= LAST_DAY;
    }
    Ok(true)
}

/// Reads the `L` that means every Saturday in Quartz, the last day of the week.
fn read_saturday(reader: &mut Reader<'_>, expression: &mut Expression) -> bool {
    let is_saturday = reader.dialect == Dialect::Quartz && reader.rest().eq_ignore_ascii_case("L");
    if is_saturday {
        reader.at += 1;
        expression.fields.weekday = 1 << 6;
    }
    is_saturday
}

/// Reads the `W` of `aW`, if it comes next.
fn read_nearest(reader: &mut Reader<'_>, expression: &mut Expression, day: &Item) -> bool {
    let is_next = reader.skip_letter(b'W');
    if is_next {
        expression.relative.nearest |= 1 << (day.from - 1);
    }
    is_next
}

/// Reads the `#k` or `L` of `a#k` and `aL`, if one of them comes next.
fn read_numbered(
    reader: &mut Reader<'_>,
    expression: &mut Expression,
    weekday: &Item,
) -> Result<bool, ParseError> {
    let bit = u64::from(reader.dialect.weekday(weekday.from));
    let number = if reader.skip_letter(b'L') {
        6
    } else if !reader.skip(b'#') {
        return Ok(false);
    } else if reader.dialect == Dialect::Crontab && reader.skip_letter(b'L') {
        6
    } else {
        reader.number_within(Field::Weekday, 1, 5)?
    };
    expression.relative.numbered |= 1 << (7 * (number - 1) + bit);
    Ok(true)
}

/// Reads a nickname such as `@daily`, if the text is one.
pub(super) fn read_nickname(reader: &Reader<'_>) -> Result<Option<Located>, ParseError> {
    let span = reader.at..reader.bytes.len();
    let Some(name) = reader.rest().strip_prefix('@') else { return Ok(None) };
    let name = name.split([' ', '\t']).next().unwrap_or_default();
    if name == "reboot" && reader.dialect == Dialect::Crontab {
        return reader.error(ParseErrorKind::NotFixed, span);
    }
    let Some(expression) = nickname(reader.dialect, name) else {
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
    Ok(Some(Located { expression, spans: Spans::default() }))
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
