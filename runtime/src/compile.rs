//! [`compile`]: from text to plan.

use core::ops::Range;

use crate::parse::{Located, dialect, parse, parse_dialect};
use crate::search::{DatePlan, Plan, TimePlan};
use crate::{Dialect, Expression, Field, ParseError, ParseErrorKind, planner};

/// Parses a schedule and plans its search.
///
/// The `schedule!` macro calls this while the program is compiled.
///
/// # Errors
///
/// Returns an error if the text is not a schedule, or if it has no events.
///
/// ```
/// // Once an hour, on every day from 2000 to 2100.
/// assert_eq!(millicron_runtime::compile("*:30:00")?.bounds.count, 24 * 36_890);
/// # Ok::<(), millicron_runtime::ParseError>(())
/// ```
#[inline]
pub fn compile(text: &str) -> Result<Plan<DatePlan, TimePlan>, ParseError> {
    let mut plan = Plan::empty();
    plan_into(&mut plan, text, &parse(text)?)?;
    Ok(plan)
}

/// Plans the search of a parsed text in place, because a plan is expensive to move.
pub(crate) fn plan_into(
    plan: &mut Plan<DatePlan, TimePlan>,
    text: &str,
    located: &Located,
) -> Result<(), ParseError> {
    plan.fill(&located.expression).map_err(|planner::NoDays(field)| {
        let Located { date, weekday, .. } = located;
        let span = if field == Field::Weekday && !weekday.is_empty() {
            // In systemd timers, the weekday comes first.
            date.start.min(weekday.start)..date.end.max(weekday.end)
        } else {
            date.clone()
        };
        ParseError::new(ParseErrorKind::Never { field }, text, span)
    })
}

/// Parses a schedule in a dialect and plans its search. Also returns the meaning of the text, whose
/// `Display` writes it in the language of this crate.
///
/// # Errors
///
/// Returns an error if the text is not a schedule in the dialect, has a time zone, or has no
/// events.
///
/// ```
/// use millicron_runtime::{Dialect, compile_dialect};
///
/// let (_, expression) = compile_dialect(Dialect::Crontab, "30 * * * *")?;
/// assert_eq!(expression.to_string(), "*:30:00");
/// # Ok::<(), millicron_runtime::ParseError>(())
/// ```
pub fn compile_dialect(
    dialect: Dialect,
    text: &str,
) -> Result<(Plan<DatePlan, TimePlan>, Expression), ParseError> {
    let dialect::Read { located, zone } = parse_dialect(dialect, text)?;
    refuse_zone(dialect, text, zone)?;
    let mut plan = Plan::empty();
    plan_into(&mut plan, text, &located).map_err(|error| error.in_dialect(dialect))?;
    Ok((plan, located.expression))
}

/// Returns an error if a text has a time zone.
pub(crate) fn refuse_zone(
    dialect: Dialect,
    text: &str,
    zone: Option<Range<usize>>,
) -> Result<(), ParseError> {
    match zone {
        None => Ok(()),
        Some(span) => {
            Err(ParseError::new(ParseErrorKind::TimeZone, text, span).in_dialect(dialect))
        }
    }
}
