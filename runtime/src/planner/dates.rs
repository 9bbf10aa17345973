//! The strategy of the date part.

use alloc::boxed::Box;

use super::NoDays;
use super::days::days_of;
use crate::search::{
    ALL_WEEKDAYS, DAYS, DatePart, DatePlan, Dates, DayBitmap, DayList, DaySteps, DayTables, LIST,
    ValueSet, Weekdays, YearRows, YearWord,
};
use crate::{DateSteps, Expression, Field};

/// Chooses the strategy of the date part and fills it in.
pub(super) fn fill_date(plan: &mut DatePlan, expression: &Expression) -> Result<(), NoDays> {
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
    Err(NoDays(if on_any_weekday(expression).is_some() { Field::Weekday } else { Field::Day }))
}

/// Returns the days of the dates on any weekday; `None` if no such date exists.
fn on_any_weekday(expression: &Expression) -> Option<YearRows> {
    let mut dates = expression.clone();
    dates.fields.weekday = ALL_WEEKDAYS.into();
    dates.relative.numbered = 0;
    let mut rows = YearRows::EMPTY;
    rows.fill(&days_of(&dates)).then_some(rows)
}

/// Fills in the steps from a date.
fn fill_steps(
    plan: &mut DatePlan,
    expression: &Expression,
    steps: DateSteps,
) -> Result<(), NoDays> {
    let anchor = on_any_weekday(expression).ok_or(NoDays(Field::Day))?.ceil(0);
    if expression.relative.numbered == 0 {
        let days = DaySteps::of(anchor, steps, expression.fields.weekdays());
        *plan = DatePlan::DaySteps(days.ok_or(NoDays(Field::Weekday))?);
        return Ok(());
    }
    // With numbered weekdays, steps have no period, so the days are listed.
    let steps = DaySteps::of(anchor, steps, ALL_WEEKDAYS);
    let has_days = steps.is_some_and(|steps| fill_both(plan, steps, expression));
    if has_days { Ok(()) } else { Err(NoDays(Field::Weekday)) }
}

/// Fills in the days of some steps that are also on the weekdays of an expression. Returns whether
/// there are any. Rare, and its tables would enlarge the stack frame of all plans.
#[cold]
#[inline(never)]
fn fill_both(plan: &mut DatePlan, steps: DaySteps, expression: &Expression) -> bool {
    let mut weekdays = Expression::MIDNIGHTS;
    weekdays.fields.weekday = expression.fields.weekday;
    weekdays.relative.numbered = expression.relative.numbered;
    let mut rows = YearRows::EMPTY;
    rows.fill(&days_of(&weekdays));
    let is_day = |day: &u32| steps.contains(*day) && rows.contains(*day);
    let days = Box::new(DayTables::of((0..DAYS).filter(is_day)));
    let has_days = days.count() > 0;
    *plan = DatePlan::DayBitmap(DayBitmap { days, ends: None });
    has_days
}

/// Adds the days after a window of a whole day, which have the end of that window as their only
/// event. Not inlined, for the same reason as [`fill_both`].
#[cold]
#[inline(never)]
pub(super) fn add_ends(plan: &mut DatePlan) {
    let days = Box::new(DayTables::of((0..DAYS).filter(|day| plan.contains(*day))));
    let is_end = |day: &u32| days.contains(day - 1) && !days.contains(*day);
    let ends = Box::new(DayTables::of((1..DAYS).filter(is_end)));
    let ends = Some(ends).filter(|ends| ends.count() > 0);
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
