//! Reads the lists of systemd: `*`, or items separated by commas.

use core::ops::Range;

use crate::dialect::LONGEST_LIST;
use crate::error::Detail;
use crate::parse::dialect::rules::{Item, Rules};
use crate::parse::reader::Reader;
use crate::{Expression, Field, ParseError, ParseErrorKind};

/// Reads a field: `*`, or a list.
pub(super) fn read_list(
    reader: &mut Reader<'_>,
    expression: &mut Expression,
    rules: &Rules,
) -> Result<(), ParseError> {
    expression.words_mut(rules.field).fill(0);
    items(reader, rules, |item| rules.insert(expression, &item))
}

/// Reads `*`, or the items of a list.
pub(super) fn items(
    reader: &mut Reader<'_>,
    rules: &Rules,
    insert: impl FnMut(Item),
) -> Result<(), ParseError> {
    let span = reader.at..reader.at + 1;
    let every = Item { span, from: rules.min, to: Some(rules.max), step: None };
    items_of(reader, rules, every, |reader| item(reader, rules), insert)
}

fn item(reader: &mut Reader<'_>, rules: &Rules) -> Result<Item, ParseError> {
    let mut item = rules.item(reader)?;
    // At least the second value of `a/n` must be a value of the field.
    let last = if rules.is_from_end { item.from - rules.min } else { rules.max - item.from };
    let step = item.step.filter(|_| item.to.is_none());
    check_step(reader, rules.field, &item.span, step, last.into())?;
    // With only a step, an item continues to the end.
    if item.to.is_none() && item.step.is_none() {
        item.to = Some(item.from);
    }
    Ok(item)
}

/// Reads `*`, which means `every`, or a list of items that a function reads.
pub(super) fn items_of<'a, I>(
    reader: &mut Reader<'a>,
    rules: &Rules,
    every: I,
    item: impl Fn(&mut Reader<'a>) -> Result<I, ParseError>,
    mut insert: impl FnMut(I),
) -> Result<(), ParseError> {
    let field = rules.field;
    if reader.skip(b'*') {
        insert(every);
        return star_end(reader, rules);
    }
    for _ in 0..LONGEST_LIST {
        if reader.peek() == Some(b'*') {
            let kind = ParseErrorKind::StarNotAlone { field };
            return reader.error(kind, reader.character());
        }
        insert(item(reader)?);
        if !reader.skip(b',') {
            return end(reader, field);
        }
    }
    reader.refuse(Detail::LongList, field, reader.at..reader.item_end())
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

/// Expects a separator, or the end, after a `*`.
fn star_end(reader: &Reader<'_>, rules: &Rules) -> Result<(), ParseError> {
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
fn end(reader: &Reader<'_>, field: Field) -> Result<(), ParseError> {
    match reader.peek() {
        None | Some(b' ' | b'-' | b'~' | b':') => Ok(()),
        Some(_) => reader.unexpected(field),
    }
}
