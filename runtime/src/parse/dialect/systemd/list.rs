//! Reads the lists of systemd: `*`, or items separated by commas.

use core::ops::Range;

use crate::dialect::LONGEST_LIST;
use crate::error::Detail;
use crate::parse::dialect::reader::{Item, Reader, Rules};
use crate::{Expression, Field, ParseError, ParseErrorKind};

/// Reads a field: `*`, or a list.
pub(super) fn read_list(
    reader: &mut Reader<'_>,
    expression: &mut Expression,
    rules: &Rules,
) -> Result<(), ParseError> {
    expression.words_mut(rules.field).fill(0);
    items(reader, rules, |reader, item| {
        reader.insert(expression, rules, &item);
    })
}

/// Reads `*`, or the items of a list.
pub(super) fn items(
    reader: &mut Reader<'_>,
    rules: &Rules,
    mut insert: impl FnMut(&Reader<'_>, Item),
) -> Result<(), ParseError> {
    let field = rules.field;
    if reader.skip(b'*') {
        let span = reader.at - 1..reader.at;
        insert(reader, Item { span, from: rules.min, to: Some(rules.max), step: None });
        return star_end(reader, rules);
    }
    for _ in 0..LONGEST_LIST {
        if reader.peek() == Some(b'*') {
            let kind = ParseErrorKind::StarNotAlone { field };
            return reader.error(kind, reader.character());
        }
        let mut item = reader.item(rules)?;
        // At least the second value of `a/n` must be a value of the field.
        let last = if rules.is_from_end { item.from - rules.min } else { rules.max - item.from };
        check_step(
            reader,
            field,
            &item.span,
            item.step.filter(|_| item.to.is_none()),
            last.into(),
        )?;
        // With only a step, an item continues to the end.
        if item.to.is_none() && item.step.is_none() {
            item.to = Some(item.from);
        }
        insert(reader, item);
        if !reader.skip(b',') {
            return end(reader, field);
        }
    }
    too_long(reader, field)
}

/// Returns an error if the first step goes beyond the end of a field.
pub(super) fn check_step(
    reader: &Reader<'_>,
    field: Field,
    span: &Range<usize>,
    step: Option<u32>,
    longest: u32,
) -> Result<(), ParseError> {
    if step.is_none_or(|step| step <= longest) {
        return Ok(());
    }
    let text = reader.text.get(span.clone()).unwrap_or_default();
    let start = span.start + text.find('/').map_or(0, |place| place + 1);
    if longest == 0 {
        // A step cannot follow the last value of a field.
        return reader.refuse(Detail::NoStep, field, span.clone());
    }
    let kind = ParseErrorKind::StepOutOfRange { field, min: 1, max: longest };
    reader.error(kind, start..span.end)
}

pub(super) fn too_long<T>(reader: &Reader<'_>, field: Field) -> Result<T, ParseError> {
    reader.refuse(Detail::LongList, field, reader.at..reader.item_end())
}

/// Expects a separator, or the end, after a `*`.
pub(super) fn star_end(reader: &Reader<'_>, rules: &Rules) -> Result<(), ParseError> {
    let field = rules.field;
    match reader.peek() {
        Some(b',') => {
            reader.error(ParseErrorKind::StarNotAlone { field }, reader.at - 1..reader.at)
        }
        Some(b'/') => {
            let span = reader.at - 1..item_end(reader);
            // Steps from the end of the month go from a day towards the end.
            let longest = if rules.is_from_end { 0 } else { rules.max - rules.min };
            reader.refuse(Detail::StepAfterStar { first: rules.min, longest }, field, span)
        }
        _ => end(reader, field),
    }
}

/// Returns the end of the item that is being read.
fn item_end(reader: &Reader<'_>) -> usize {
    let is_end =
        |c: char| matches!(c, ',' | ':' | '-' | '~') || c.is_whitespace() || c.is_control();
    reader.at + reader.rest().find(is_end).unwrap_or(reader.rest().len())
}

/// Expects a separator after a field.
pub(super) fn end(reader: &Reader<'_>, field: Field) -> Result<(), ParseError> {
    match reader.peek() {
        None | Some(b' ' | b'-' | b'~' | b':') => Ok(()),
        Some(_) => reader.unexpected(field),
    }
}
