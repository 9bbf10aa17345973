//! The strategy of the date part.

use alloc::boxed::Box;

use super::NoDays;
use super::days::days_of;
use crate::days::DaySet;
use crate::search::{
    ALL_WEEKDAYS, DAYS, DatePart, DatePlan, Dates, DayBitmap, DayList, DaySteps, EndRanks, LIST,
    Weekdays, YearRows, YearWord,
};
use crate::{DateSteps, Expression, Field};

/// Chooses the strategy of the date part and fills it in.
pub(super) fn fill_date(plan: &mut DatePlan, expression: &Expression) -> Result<(), NoDays> {
    let with_weekdays = expression.with_weekdays_for_business_days();
    let expression = with_weekdays.as_ref().unwrap_or(expression);
    if let Some(steps) = expression.steps {
        return fill_steps(plan, expression, steps);
    }
    let is_every_year = expression.is_full(Field::Year);
    if is_every_year && expression.is_full(Field::Month) && expression.holds_all(Field::Day) {
        if expression.is_full(Field::Weekday) {
            return Ok(());
        }
        if expression.relative.numbered == 0 {
            *plan = DatePlan::Weekdays(Weekdays::new(expression.fields.weekdays()));
            return Ok(());
        }
    }
    let dates = days_of(expression);
    if fill_dates(plan, &dates, is_every_year) {
        return Ok(());
    }
    Err(NoDays::In(never_in(expression)))
}

/// Returns the field that leaves an expression without days.
pub(super) fn never_in(expression: &Expression) -> Field {
    if on_any_weekday(expression).is_some() { Field::Weekday } else { Field::Day }
}

/// Returns the days of the dates on any weekday; `None` if no such date exists.
pub(super) fn on_any_weekday(expression: &Expression) -> Option<YearRows> {
    let mut dates = *expression;
    dates.fields.weekday = ALL_WEEKDAYS.into();
    dates.relative.numbered = 0;
    let mut rows = YearRows::EMPTY;
    rows.fill(&days_of(&dates)).then_some(rows)
}

/// Returns the first day of the dates of an expression, on any weekday.
pub(super) fn first_day(expression: &Expression) -> Result<u32, NoDays> {
    on_any_weekday(expression).map(|dates| dates.ceil(0)).ok_or(NoDays::In(Field::Day))
}

/// Fills in the steps from a date.
fn fill_steps(
    plan: &mut DatePlan,
    expression: &Expression,
    steps: DateSteps,
) -> Result<(), NoDays> {
    let anchor = first_day(expression)?;
    if expression.relative.numbered == 0 {
        let days = DaySteps::of(anchor, steps, expression.fields.weekdays());
        *plan = DatePlan::DaySteps(days.ok_or(NoDays::In(Field::Weekday))?);
        return Ok(());
    }
    // With numbered weekdays, steps have no period, so the days are listed.
    let steps = DaySteps::of(anchor, steps, ALL_WEEKDAYS);
    let has_days = steps.is_some_and(|steps| fill_both(plan, steps, expression));
    if has_days { Ok(()) } else { Err(NoDays::In(Field::Weekday)) }
}

/// Fills in the days of some steps that are also on the weekdays of an expression. Returns whether
/// there are any. Rare, and its tables would enlarge the stack frame of all plans.
#[cold]
#[inline(never)]
fn fill_both(plan: &mut DatePlan, steps: DaySteps, expression: &Expression) -> bool {
    let days = Box::new(both(steps, expression).tables());
    let has_days = !days.is_empty();
    *plan = DatePlan::DayBitmap(DayBitmap { days, ends: None });
    has_days
}

/// Returns the days of some steps that are also on the weekdays of an expression.
fn both(steps: DaySteps, expression: &Expression) -> DaySet {
    let mut weekdays = Expression::MIDNIGHTS;
    weekdays.fields.weekday = expression.fields.weekday;
    weekdays.relative.numbered = expression.relative.numbered;
    let Dates { days, years, .. } = days_of(&weekdays);
    days_that(|day| steps.contains(day)).and(&DaySet::of_years(&days, years))
}

/// Returns the days of an expression with steps in days or weeks.
pub(super) fn days_of_steps(expression: &Expression, steps: DateSteps) -> Result<DaySet, NoDays> {
    let anchor = first_day(expression)?;
    let steps = DaySteps::of(anchor, steps, ALL_WEEKDAYS).ok_or(NoDays::In(Field::Day))?;
    Ok(both(steps, expression))
}

/// Returns the days that satisfy a condition.
fn days_that(is_day: impl Fn(u32) -> bool) -> DaySet {
    let mut days = DaySet::EMPTY;
    (0..DAYS).filter(|day| is_day(*day)).for_each(|day| days.insert(day));
    days
}

/// Adds the days after a window of a whole day, which have the end of that window as their only
/// event. Not inlined, for the same reason as [`fill_both`].
#[cold]
#[inline(never)]
pub(super) fn add_ends(plan: &mut DatePlan) {
    let days = Box::new(days_that(|day| plan.contains(day)).tables());
    let ends = Some(Box::new(EndRanks::of(&days)));
    *plan = DatePlan::DayBitmap(DayBitmap { days, ends });
}

/// Up to about this many days are listed one by one, even if they repeat.
const FEW: usize = 32;

/// Chooses the strategy for some dates and fills it in, in place, because a strategy is large.
/// Returns whether there are any days.
fn fill_dates(plan: &mut DatePlan, dates: &Dates, is_every_year: bool) -> bool {
    macro_rules! fill {
        ($variant:ident, $part:ty) => {{
            *plan = DatePlan::$variant(<$part>::EMPTY);
            let DatePlan::$variant(days) = plan else { return false };
            days.fill(dates)
        }};
    }
    let about = dates.about as usize;
    let is_listed = match (is_every_year && about > FEW, dates.has_weekdays) {
        (false, _) => about <= LIST && fill!(DayList, DayList<LIST, 101>),
        (true, false) => about <= LIST * 25 && fill!(DayListOf4Years, DayList<LIST, 4>),
        (true, true) => about <= LIST * 4 && fill!(DayListOf28Years, DayList<LIST, 28>),
    };
    if is_listed || is_every_year && fill!(YearWord, YearWord) {
        return true;
    }
    fill!(YearRows, YearRows)
}
