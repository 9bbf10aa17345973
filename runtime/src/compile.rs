//! [`compile`]: text to plan.

use crate::parse::{Located, parse};
use crate::search::{DatePlan, Plan, TimePlan};
use crate::{Field, ParseError, ParseErrorKind, planner};

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
        let end = if field == Field::Weekday { located.weekday.end } else { located.date.end };
        ParseError::new(ParseErrorKind::Never { field }, text, located.date.start..end)
    })
}
