//! The days of schedules that depend on a calendar or on business days.

use alloc::boxed::Box;

use super::NoDays;
use super::dates::{days_of_steps, first_day, never_in, on_any_weekday};
use super::days::days_of;
use crate::days::{BusinessSteps, DateRule, DayRule, DaySet, MovedDates, Years};
use crate::expression::{LAST_DAY, Move};
use crate::search::{ALL_WEEKDAYS, DatePlan, DayBitmap, DayTables};
use crate::{BusinessDays, Expression, Field, Join, Moves, StepUnit};

/// Whether the days of an expression follow from a [`DayRule`].
pub(super) fn has_rule(expression: &Expression) -> bool {
    let is_counted = |steps: crate::DateSteps| steps.unit == StepUnit::BusinessDay;
    let BusinessDays { moves, .. } = &expression.business;
    expression.business.has_numbers()
        || !moves.is_empty()
        || expression.steps.is_some_and(is_counted)
}

/// Fills in the days that follow from the business days of a calendar or, without one, from Monday
/// to Friday. Not inlined, because its tables would enlarge the stack frame of all plans.
#[cold]
#[inline(never)]
pub(super) fn fill_by_rule(
    plan: &mut DatePlan,
    expression: &Expression,
    calendar: Option<&DayTables>,
) -> Result<(), NoDays> {
    let rule = rule_of(expression, calendar.is_some())?;
    let business = calendar.map_or(DaySet::MONDAY_TO_FRIDAY, |it| DaySet(*it.words()));
    let days = Box::new(rule.tables(&business));
    if days.is_empty() {
        return Err(NoDays::OnCalendar);
    }
    *plan = DatePlan::DayBitmap(DayBitmap { days, ends: None });
    Ok(())
}

/// Returns the days of an expression that has days and no calendar.
pub(crate) fn days_of_expression(expression: &Expression) -> DaySet {
    let rule = rule_of(expression, false);
    rule.map_or(DaySet::EMPTY, |rule| rule.days(&DaySet::MONDAY_TO_FRIDAY))
}

/// Returns the rule for the days of an expression.
pub(crate) fn rule_of(expression: &Expression, is_restricted: bool) -> Result<DayRule, NoDays> {
    let BusinessDays { is_every, numbered, before_last, moves } = expression.business;
    let steps = expression.steps;
    let business_steps = steps.filter(|steps| steps.unit == StepUnit::BusinessDay);
    let has_weekdays = expression.business.has_weekdays();
    let is_either = expression.join == Join::Either;
    // The date alone; with a weekday that has no business days, also on that weekday.
    let mut dates = *expression;
    if has_weekdays {
        dates.join = Join::Both;
        dates.fields.weekday = ALL_WEEKDAYS.into();
        dates.relative.numbered = 0;
    }
    let plain_weekdays = || {
        let mut weekdays = Expression::MIDNIGHTS;
        weekdays.fields.weekday = expression.fields.weekday;
        weekdays.relative.numbered = expression.relative.numbered;
        DateRule::of(&weekdays)
    };
    let months = || {
        let mut months = Expression::MIDNIGHTS;
        (months.fields.year, months.fields.month) =
            (expression.fields.year, expression.fields.month);
        DateRule::of(&months)
    };
    let rule = DayRule {
        dates: match steps {
            Some(steps) if business_steps.is_none() => {
                DateRule::Days(days_of_steps(&dates, steps)?)
            }
            _ => DateRule::of(&dates),
        },
        weekdays: has_weekdays.then(plain_weekdays),
        either_within: (has_weekdays && is_either).then(months),
        is_every,
        numbered,
        before_last,
        moves: moved_dates(expression, &moves),
        steps: business_steps
            .map(|steps| Ok(BusinessSteps { from: first_day(expression)?, step: steps.days }))
            .transpose()?,
        is_restricted,
    };
    let is_moved = rule.moves.iter().any(Option::is_some);
    // Which weekdays are business days depends on the calendar.
    let has_days = (is_either && has_weekdays) || is_moved || !rule.dates.is_empty();
    if has_days {
        return Ok(rule);
    }
    Err(NoDays::In(never_in(expression)))
}

/// Returns the dates of each move that has any.
fn moved_dates(expression: &Expression, moves: &Moves) -> [Option<MovedDates>; Moves::MOST] {
    let mut all = [None; Moves::MOST];
    for (slot, days) in all.iter_mut().zip(moves.as_slice()) {
        let Move { is_back, is_modified, offset, .. } = *days;
        let mut dates = *expression;
        let last_day = if days.before_last() & 1 == 1 { LAST_DAY } else { 0 };
        dates.fields.day = days.numbers() | last_day;
        dates.relative = crate::RelativeDays::default();
        dates.relative.before_last = days.before_last() & !1;
        let has_dates = on_any_weekday(&dates).is_some();
        let dates = days_of(&dates);
        let dates = Years(dates.days, dates.years);
        *slot = has_dates.then_some(MovedDates { dates, is_back, is_modified, offset });
    }
    all
}

impl DateRule {
    /// Returns the days of an expression without steps and business days.
    fn of(expression: &Expression) -> Self {
        let is_full = |field: &Field| expression.is_full(*field);
        if [Field::Year, Field::Month, Field::Day, Field::Weekday].iter().all(is_full) {
            return Self::All;
        }
        let dates = days_of(expression);
        Self::Days(DaySet::of_years(&dates.days, dates.years))
    }

    /// Whether there are no such days.
    fn is_empty(&self) -> bool {
        match self {
            Self::All => false,
            Self::Days(days) => days.is_empty(),
        }
    }
}
