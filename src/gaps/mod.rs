//! [`Gaps`]: the distances between the events of a schedule.

mod summary;
mod union;

use core::time::Duration;

use millicron_runtime::{Expression, FIRST_DAY, Window};

use self::summary::Summary;
use self::union::union_gaps;
use crate::calendar::MILLIS_PER_DAY;
use crate::{Field, FieldValues, Schedule};

const DAY: u64 = MILLIS_PER_DAY.unsigned_abs();

/// The start of the range, in milliseconds since 1970-01-01 00:00:00.
const ORIGIN: i64 = FIRST_DAY * MILLIS_PER_DAY;

/// The distances between consecutive events of a schedule, over its whole range, in civil time.
/// Returned by [`Schedule::gaps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gaps {
    shortest: u64,
    longest: u64,
    span: u64,
    count: u64,
}

impl Gaps {
    /// Returns the shortest gap between two consecutive events, in whole milliseconds.
    #[must_use]
    pub const fn shortest(&self) -> Duration {
        Duration::from_millis(self.shortest)
    }

    /// Returns the longest gap, in whole milliseconds.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        Duration::from_millis(self.longest)
    }

    /// Returns the mean gap: [`span`](Self::span) divided by [`count`](Self::count), rounded down to
    /// a nanosecond.
    #[must_use]
    pub fn mean(&self) -> Duration {
        let Self { span, count, .. } = *self;
        // 101 years are 3.2e18 nanoseconds.
        Duration::from_nanos(span * 1_000_000 / count)
    }

    /// Returns the distance from the first event to the last.
    #[must_use]
    pub const fn span(&self) -> Duration {
        Duration::from_millis(self.span)
    }

    /// Returns the number of gaps, one less than the number of events.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }
}

impl Schedule {
    /// Returns the exact distances between consecutive events over the whole range; `None` if there
    /// is only one event, or if finding them in a union takes too long.
    ///
    /// This does not visit the events: it combines the values of the time fields, and looks at each
    /// day that has events, or at three weeks if all weeks are alike. For a union, it visits
    /// each day that has events, and the events of days that differ, up to some millions of them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let gaps = millicron::schedule!("1,13:01:04").gaps().expect("many events");
    /// assert_eq!(gaps.mean(), Duration::from_secs(12 * 3600));
    ///
    /// // One day from Monday to Friday, and three over the weekend.
    /// let gaps = millicron::schedule!("*.*.* 1-5 09:30:00").gaps().expect("many events");
    /// assert_eq!(gaps.shortest(), Duration::from_secs(24 * 3600));
    /// assert_eq!(gaps.longest(), Duration::from_secs(3 * 24 * 3600));
    ///
    /// assert_eq!(millicron::schedule!("2030.1.1 00:00:00").gaps(), None);
    /// ```
    #[must_use]
    pub fn gaps(&self) -> Option<Gaps> {
        let first = self.next_event(i64::MIN)?;
        let last = self.prev_event(i64::MAX)?;
        let count = self.count(..).checked_sub(1).filter(|count| *count > 0)?;
        if self.members().len() > 0 {
            let (shortest, longest) = union_gaps(self)?;
            return Some(Gaps { shortest, longest, span: last.abs_diff(first), count });
        }
        let expression = self.0.expression();
        let times = match expression.window {
            Some(window) => Summary::of(window),
            None => Summary::EVENT
                .repeated(1, values(&expression, Field::Millisecond))
                .repeated(1000, values(&expression, Field::Second))
                .repeated(60_000, values(&expression, Field::Minute))
                .repeated(3_600_000, values(&expression, Field::Hour)),
        };
        let of_year = [Field::Year, Field::Month, Field::Day];
        let is_weekly = of_year.iter().all(|field| expression.holds_all(*field))
            && expression.relative.numbered == 0
            && !expression.business.has_weekdays()
            && self.calendar().is_none();
        let days = if is_weekly { 21 } else { u64::MAX };
        // After a window that lasts a whole day, the next day may have only its last step.
        let whole_day = expression.window.filter(Window::is_whole_day);
        let step = whole_day.map_or(0, |window| u64::from(window.step)) % DAY;
        let (first_time, _) = times.ends?;
        let days = self.days(first_time, step, days, last);
        let (shortest, longest) = times.repeated(DAY, days).gaps?;
        Some(Gaps { shortest, longest, span: last.abs_diff(first), count })
    }

    /// Returns the days that have events, among the first `most` days of the range. `time` is the
    /// first time of each day, `step` is the distance to another event of the same day (0 if there
    /// is none), and `last` is the last event.
    fn days(&self, time: u64, step: u64, most: u64, last: i64) -> impl Iterator<Item = u64> {
        let start = ORIGIN.saturating_add_unsigned(time);
        let mut from = start;
        core::iter::from_fn(move || {
            loop {
                let event = self.nearest_event(from)?;
                from = event.saturating_add_unsigned(DAY);
                // The end of the range may cut off the last window.
                if event == last || self.matches(event.saturating_add_unsigned(step)) {
                    let day = event.abs_diff(start) / DAY;
                    return (day < most).then_some(day);
                }
            }
        })
    }
}

/// Returns the values of a time field.
fn values(expression: &Expression, field: Field) -> impl Iterator<Item = u64> {
    FieldValues::in_set(expression, field).map(u64::from)
}
