//! [`Neighbors`]: the events around a moment.

use crate::query::Query;
use crate::timescale::{Sought, Timescale};
use crate::{Instant, Moment, Schedule, Zone, ZonedSchedule};

/// The events around a moment, returned by [`Schedule::neighbors`] and
/// [`ZonedSchedule::neighbors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "before, at and after")]
pub struct Neighbors<M> {
    /// The event before the current event; `None` if there is no current event.
    pub previous: Option<M>,
    /// The last event at or before the moment.
    pub current: Option<M>,
    /// The first event after the moment.
    pub next: Option<M>,
}

impl Schedule {
    /// Returns the previous, the current and the next event at a moment.
    ///
    /// ```
    /// use millicron::{CalendarDigits, Schedule, schedule};
    ///
    /// const DAILY: Schedule = schedule!("3:00:01");
    ///
    /// let noon: CalendarDigits = "2026-11-21 12:00:00.000".parse()?;
    /// let neighbors = DAILY.neighbors(noon);
    /// assert_eq!(neighbors.previous, Some("2026-11-20 03:00:01.000".parse()?));
    /// assert_eq!(neighbors.current, Some("2026-11-21 03:00:01.000".parse()?));
    /// assert_eq!(neighbors.next, Some("2026-11-22 03:00:01.000".parse()?));
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    #[must_use]
    pub fn neighbors<M: Moment>(&self, moment: M) -> Neighbors<M::Answer> {
        Query { schedule: &self.0, scale: &moment.timescale() }.neighbors(&moment)
    }
}

impl<Z: Zone> ZonedSchedule<Z> {
    /// Returns the previous, the current and the next event at an instant.
    #[must_use]
    pub fn neighbors<M: Instant>(&self, instant: M) -> Neighbors<M::Answer> {
        self.query(&self.scale()).neighbors(&instant)
    }
}

impl<S: Timescale> Query<'_, S> {
    fn neighbors<M: Moment>(&self, moment: &M) -> Neighbors<M::Answer> {
        let Self { schedule, scale } = self;
        let millis = Moment::position(moment).millis;
        let current = scale.find(schedule, Sought::NearestPrev, millis);
        let previous = current.and_then(|current| scale.find(schedule, Sought::Prev, current));
        let next = scale.find(schedule, Sought::Next, millis);
        let [previous, current, next] =
            [previous, current, next].map(|event| moment.answer(event?));
        Neighbors { previous, current, next }
    }
}
