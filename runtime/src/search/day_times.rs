//! [`DayTimes`]: the times of a day, as far as the bounds of a schedule depend on them.

use super::date::DayBitmap;
use super::plan::Plan;
use super::range::{Bounds, DAY, DAYS};
use super::time::TimePart;

/// The times of a day, as far as the bounds of a schedule depend on them.
#[derive(Clone, Copy, Debug)]
pub struct DayTimes {
    /// The first and the last time.
    pub ends: [u32; 2],
    /// The number of times.
    pub count: u32,
    /// See [`TimePart::shift`].
    pub shift: u32,
    /// The last time that is within the range on its last day: a window may extend past midnight.
    pub last_in_range: u32,
    /// The number of times after that one.
    pub beyond: u32,
}

impl DayTimes {
    #[expect(clippy::cast_possible_truncation, reason = "times of day")]
    pub(crate) fn of(time: &impl TimePart) -> Self {
        let (shift, count) = (time.shift(), time.per_day());
        let ends = [time.first(), time.last()];
        // On the last day.
        let end = DAY - 1 - u64::from(shift);
        let is_within = u64::from(time.last()) <= end;
        let last = if is_within { time.last().into() } else { time.floor(end) };
        let beyond = count - time.rank(last) as u32 - 1;
        Self { ends, count, shift, last_in_range: last as u32, beyond }
    }

    /// Returns the bounds of a schedule, given its first and its last day, the number of its days,
    /// and the last of its days that have only the end of a window, with their number.
    pub(crate) const fn bounds(&self, days: [u32; 2], count: u32, ends: [u32; 2]) -> Bounds {
        let [first, last] = self.ends;
        let [first_day, last_day] = days;
        let is_last = last_day == DAYS - 1;
        let last = if is_last { self.last_in_range } else { last };
        let beyond = if is_last { self.beyond } else { 0 };
        let last = last_day as u64 * DAY + last as u64;
        let [end, end_count] = ends;
        let end = end as u64 * DAY;
        Bounds {
            first: first_day as u64 * DAY + (first + self.shift) as u64,
            last: self.shift as u64 + if last < end { end } else { last },
            count: count as u64 * self.count as u64 - beyond as u64 + end_count as u64,
        }
    }
}

impl<T> Plan<DayBitmap, T> {
    /// Returns the plan of some days, which may be none, with some times.
    #[must_use]
    pub const fn on_days(date: DayBitmap, time: T, times: &DayTimes) -> Self {
        let days = date.days;
        let ends = match date.ends {
            Some(ends) => [ends.last(), ends.count()],
            None => [0, 0],
        };
        let bounds = if days.is_empty() {
            Bounds::NONE
        } else {
            times.bounds([days.first(), days.last()], days.count(), ends)
        };
        Self { date, time, times: times.ends, bounds }
    }
}
