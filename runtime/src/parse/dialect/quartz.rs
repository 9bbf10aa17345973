//! Reads schedules like version 2.3.2 of Quartz.

use core::ops::Range;

use super::fields::{FieldTexts, read_fields};
use crate::error::Detail;
use crate::parse::Located;
use crate::parse::reader::Reader;
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind};

/// The fields. The year is optional.
pub(super) const ORDER: [Field; 7] = [
    Field::Second,
    Field::Minute,
    Field::Hour,
    Field::Day,
    Field::Month,
    Field::Weekday,
    Field::Year,
];

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Located, ParseError> {
    let text = reader.text;
    let fields = FieldTexts::of(reader);
    let located = read_fields(reader, Dialect::Quartz, &fields, &ORDER);
    let mut located = located.map_err(|error| calendar(text, error))?;
    let [day, weekday] =
        [Field::Day, Field::Weekday].map(|field| located.spans.field(field).unwrap_or_default());
    let is_question_mark = |span: &Range<usize>| &text[span.clone()] == "?";
    if is_question_mark(&day) == is_question_mark(&weekday) {
        // If one of them is `*`, that is the one to replace.
        let (field, span) =
            if &text[day.clone()] == "*" { (Field::Day, day) } else { (Field::Weekday, weekday) };
        return reader.refuse(Detail::QuestionMark, field, span);
    }
    restrict_years(&mut located.expression);
    Ok(located)
}

/// Removes the years that Quartz does not have.
fn restrict_years(expression: &mut Expression) {
    let (_, last) = Dialect::Quartz.range(Field::Year);
    let years = last - Field::Year.min_value() + 1;
    expression.fields.year[1] &= (1 << (years - 64)) - 1;
}

/// Recognizes the `C` of older versions, the first day that a calendar includes.
#[cold]
fn calendar(text: &str, error: ParseError) -> ParseError {
    let field = error.kind().field();
    let is_calendar = matches!(field, Field::Day | Field::Weekday)
        && text.get(error.span()).is_some_and(|word| word.eq_ignore_ascii_case("C"));
    if !is_calendar {
        return error;
    }
    let error = ParseError::new(ParseErrorKind::Unsupported { field }, text, error.span());
    error.in_dialect(Some(Dialect::Quartz)).with_detail(Detail::Calendar)
}
