//! The planner: from expression to plan.
//!
//! It chooses the strategy of each part from the field sets. The constructors of the
//! strategies fill in their tables.

mod dates;
mod days;
mod times;

use self::dates::{add_ends, fill_date};
use self::times::plan_time;
use crate::search::{
    Bounds, DAY, DAYS, DatePart, DatePlan, EveryDay, FixedTime, Plan, TimePart, TimePlan, ValueSet,
};
use crate::{Expression, Field};

/// The field that leaves a schedule without days: the day of month, or the weekday if the dates
/// alone have days.
pub(crate) struct NoDays(pub(crate) Field);

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
    pub(crate) fn fill(&mut self, expression: &Expression) -> Result<(), NoDays> {
        fill_date(&mut self.date, expression)?;
        let is_every_day = matches!(self.date, DatePlan::EveryDay(_));
        if !is_every_day && expression.window.is_some_and(|window| window.is_whole_day()) {
            add_ends(&mut self.date);
        }
        self.time = plan_time(expression, is_every_day);
        self.times = [self.time.first(), self.time.last()];
        self.bounds = self.bounds();
        Ok(())
    }

    /// Returns the first and the last event, and the number of events.
    fn bounds(&self) -> Bounds {
        let Self { date, time, .. } = self;
        let shift = u64::from(time.shift());
        let first = u64::from(date.ceil(0)) * DAY + u64::from(time.first());
        let last_day = u64::from(date.floor(DAYS - 1)) * DAY;
        let count = u64::from(date.rank(DAYS)) * u64::from(time.per_day());
        // A window that extends past midnight may end after the end of the range.
        let end = u64::from(DAYS) * DAY - 1 - shift;
        let last = if last_day + u64::from(time.last()) <= end {
            last_day + u64::from(time.last())
        } else {
            last_day + time.floor(end - last_day)
        };
        let beyond = u64::from(time.per_day()) - time.rank(last - last_day) - 1;
        let (last, ends) = match date.ends() {
            Some(ends) => (last.max(u64::from(ends.floor(DAYS - 1)) * DAY), ends.rank(DAYS)),
            None => (last, 0),
        };
        let count = count - beyond + u64::from(ends);
        Bounds { first: first + shift, last: last + shift, count }
    }
}
