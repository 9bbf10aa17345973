//! [`compile`]: from text to plan.

use crate::parse::{Located, parse, parse_into};
use crate::search::{DatePlan, Plan, TimePlan};
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind, Phrase, Spans, planner};

/// Parses a schedule, in a dialect if there is one, and plans its search. Also returns the meaning
/// of the text, whose `Display` writes it in the language of this crate.
///
/// The `schedule!` macro calls this while the program is compiled.
///
/// # Errors
///
/// Returns an error if the text is not a schedule in the language, has a time zone, or has no
/// events.
///
/// ```
/// use millicron_runtime::{Dialect, compile};
///
/// // Once an hour, on every day from 2000 to 2100.
/// let (plan, expression) = compile(Some(Dialect::Crontab), "30 * * * *")?;
/// assert_eq!(expression.to_string(), "*:30:00");
/// assert_eq!(plan.bounds.count, 24 * 36_890);
/// # Ok::<(), millicron_runtime::ParseError>(())
/// ```
pub fn compile(
    dialect: Option<Dialect>,
    text: &str,
) -> Result<(Plan<DatePlan, TimePlan>, Expression), ParseError> {
    let mut located = Located::MIDNIGHTS;
    read_into(&mut located, dialect, text)?;
    refuse_zone(dialect, text, &located.spans)?;
    let mut plan = Plan::empty();
    plan_into(&mut plan, dialect, text, &located)?;
    Ok((plan, located.expression))
}

/// Parses a schedule, in a dialect if there is one, into `located`, which must be
/// [`Located::MIDNIGHTS`]. If the text is a phrase in plain English, the error says so.
pub(crate) fn read_into(
    located: &mut Located,
    dialect: Option<Dialect>,
    text: &str,
) -> Result<(), ParseError> {
    parse_into(located, dialect, text)
        .map_err(|error| if is_phrase(text) { phrase_error(dialect, text) } else { error })
}

/// Whether a text is a phrase, and a schedule in no language.
#[cold]
fn is_phrase(text: &str) -> bool {
    let mut languages = Dialect::ALL.into_iter().map(Some).chain([None]);
    Phrase::recognize(text).is_some() && languages.all(|it| parse(it, text).is_err())
}

fn phrase_error(dialect: Option<Dialect>, text: &str) -> ParseError {
    let end = text.trim_ascii_end().len();
    let start = end - text[..end].trim_ascii_start().len();
    ParseError::new(ParseErrorKind::Phrase, text, start..end).in_dialect(dialect)
}

/// Plans the search of a parsed text in place, because a plan is expensive to move.
pub(crate) fn plan_into(
    plan: &mut Plan<DatePlan, TimePlan>,
    dialect: Option<Dialect>,
    text: &str,
    located: &Located,
) -> Result<(), ParseError> {
    plan.fill(&located.expression).map_err(|planner::NoDays(field)| {
        let spans = &located.spans;
        let span = if field == Field::Weekday { spans.date_and_weekday() } else { spans.date() };
        ParseError::new(ParseErrorKind::Never { field }, text, span).in_dialect(dialect)
    })
}

/// Returns an error if a text has a time zone.
pub(crate) fn refuse_zone(
    dialect: Option<Dialect>,
    text: &str,
    spans: &Spans,
) -> Result<(), ParseError> {
    match &spans.zone {
        None => Ok(()),
        Some(zone) => {
            Err(ParseError::new(ParseErrorKind::TimeZone, text, zone.clone()).in_dialect(dialect))
        }
    }
}
