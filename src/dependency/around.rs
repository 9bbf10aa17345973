//! [`Around`]: the events around a moment.

use crate::ask::Ask;
use crate::clock::Clock;
use crate::moment::{Read, Reading};
use crate::{Instant, Moment, Schedule, Zone, ZonedSchedule};

/// The events around a moment, as pipelines speak of them. Made by
/// [`Schedule::around`] and [`ZonedSchedule::around`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Around<M> {
    /// The event before the current one.
    pub previous: Option<M>,
    /// The last event at or before the moment.
    pub current: Option<M>,
    /// The first event after the moment.
    pub next: Option<M>,
}

impl Schedule {
    /// The previous, the current and the next event of a moment.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Schedule, schedule};
    ///
    /// const DAILY: Schedule = schedule!("3:00:01");
    ///
    /// let noon: CalendarDigits = "2026-11-21 12:00:00.000".parse()?;
    /// let around = DAILY.around(noon);
    /// let day = |event: Option<CalendarDigits>| event.map(CalendarDigits::day);
    /// assert_eq!([around.previous, around.current, around.next].map(day), [
    ///     Some(20), Some(21), Some(22),
    /// ]);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    pub fn around<M: Moment>(&self, moment: M) -> Around<M::Answer> {
        let clock = M::clock(Some(&moment));
        Ask { schedule: &self.0, clock: &clock }.around(&moment, &clock)
    }
}

impl<Z: Zone> ZonedSchedule<Z> {
    /// The previous, the current and the next event of an instant.
    #[must_use]
    pub fn around<M: Instant>(&self, instant: M) -> Around<M::Answer> {
        self.ask(&self.clock()).around(&instant, &M::clock(Some(&instant)))
    }
}

impl<C: Clock> Ask<'_, C> {
    fn around<M: Moment>(&self, moment: &M, own: &M::Clock) -> Around<M::Answer> {
        let Self { schedule, clock } = self;
        let Reading { millis, .. } = Read::reading(moment);
        let current = clock.nearest_prev(schedule, millis);
        let previous = current.and_then(|current| clock.prev(schedule, current));
        let next = clock.next(schedule, millis);
        let [previous, current, next] = [previous, current, next].map(|event| M::at(own, event?));
        Around { previous, current, next }
    }
}
