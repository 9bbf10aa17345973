//! The planner: from expression to plan.
//!
//! It chooses the strategy of each part from the field sets. The constructors of the
//! strategies fill in their tables.

mod dates;
mod days;
mod rules;
mod times;

use self::dates::{add_ends, fill_date};
pub(crate) use self::rules::{days_of_expression, rule_of};
use self::rules::{fill_by_rule, has_rule};
pub(crate) use self::times::fill_time;
use crate::search::{
    Bounds, DAYS, DatePart, DatePlan, DayTables, DayTimes, EveryDay, FixedTime, Plan, TimePlan,
};
use crate::{Expression, Field};

/// What leaves a schedule without days.
pub(crate) enum NoDays {
    /// The day of month, or the weekday if the dates alone have days.
    In(Field),
    /// Its calendar, or the business days.
    OnCalendar,
}

impl Plan<DatePlan, TimePlan> {
    /// Returns a plan to be filled in before it is searched. A constant would be copied as a whole.
    #[inline(always)]
    pub(crate) const fn empty() -> Self {
        Self {
            date: DatePlan::EveryDay(EveryDay),
            time: TimePlan::FixedTime(FixedTime(0)),
            times: [0; 2],
            bounds: Bounds::NONE,
        }
    }

    /// Fills in the plan of an expression.
    pub(crate) fn fill(
        &mut self,
        expression: &Expression,
        calendar: Option<&DayTables>,
    ) -> Result<(), NoDays> {
        if calendar.is_some() || has_rule(expression) {
            fill_by_rule(&mut self.date, expression, calendar)?;
        } else {
            fill_date(&mut self.date, expression)?;
        }
        let is_every_day = matches!(self.date, DatePlan::EveryDay(_));
        if !is_every_day && expression.window.is_some_and(|window| window.is_whole_day()) {
            add_ends(&mut self.date);
        }
        fill_time(&mut self.time, expression, is_every_day);
        let times = DayTimes::of(&self.time);
        let days = [self.date.ceil(0), self.date.floor(DAYS - 1)];
        let ends = self.date.ends().map(|ends| [ends.last(), ends.count()]);
        self.times = times.ends;
        self.bounds = times.bounds(days, self.date.rank(DAYS), ends.unwrap_or_default());
        Ok(())
    }
}
