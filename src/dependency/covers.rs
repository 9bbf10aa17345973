//! [`Covers`]: the upstream events whose data a run needs.

use core::ops::Bound;

use crate::ask;
use crate::clock::Clock;
use crate::zone::ZoneClock;
use crate::{Events, Instant, Moment, Schedule, Zone, ZonedSchedule};

/// The upstream events whose data a run needs; made by [`Schedule::covers`] and
/// [`ZonedSchedule::covers`].
#[must_use = "it does nothing unless it is asked"]
pub struct Covers<M: Moment, C: Clock> {
    range: (Bound<M>, Bound<M>),
    events: Events<M, C>,
}

impl<M: Moment<Answer = M>, C: Clock> Covers<M, C> {
    /// The instants at which data ends that the run needs: after its previous event, and
    /// up to the run. Without a previous event it begins with the first there is.
    pub const fn range(&self) -> &(Bound<M>, Bound<M>) {
        &self.range
    }

    /// The upstream events in this range, from both ends.
    pub fn events(self) -> Events<M, C> {
        self.events
    }
}

impl<M: Moment<Answer = M>, C: Clock> IntoIterator for Covers<M, C> {
    type Item = M;
    type IntoIter = Events<M, C>;

    fn into_iter(self) -> Events<M, C> {
        self.events
    }
}

impl<M: Moment<Clock: Clone> + Clone, C: Clock<Walk: Clone>> Clone for Covers<M, C> {
    fn clone(&self) -> Self {
        Self { range: self.range.clone(), events: self.events.clone() }
    }
}

impl<M: Moment + core::fmt::Debug, C: Clock<Walk: core::fmt::Debug>> core::fmt::Debug
    for Covers<M, C>
{
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { range, events } = self;
        f.debug_struct("Covers").field("range", range).field("events", events).finish()
    }
}

/// The range of upstream events that a run needs.
fn range<M>(previous: Option<M>, scheduled: M) -> (Bound<M>, Bound<M>) {
    let start = match previous {
        Some(previous) => Bound::Excluded(previous),
        None => Bound::Unbounded,
    };
    (start, Bound::Included(scheduled))
}

impl Schedule {
    /// The events of an upstream schedule whose data the run at `scheduled` needs, for
    /// any two schedules.
    ///
    /// A run covers the data from its previous event up to itself, and so does each
    /// upstream run. Hence a run needs those upstream runs whose data ends in its own
    /// interval: after its previous event, and up to and with itself. The hourly run at
    /// 01:00 holds the data from 00:00 to 01:00; that at 00:00 holds data of the day
    /// before. So each upstream event belongs to just one run, also where the two
    /// schedules have nothing in common.
    ///
    /// | schedule, run at | upstream | events |
    /// | --- | --- | --- |
    /// | `00:00:00`, midnight | `*:00:00` | 24: 01:00 to 24:00 of the day that ends |
    /// | `*:00:00`, 05:00 | `00:00:00` | none |
    /// | `*:00:00`, 00:00 | `00:00:00` | 1: 00:00 |
    /// | `3:00:01` | `2:01:04` | 1: 2:01:04 of the same day |
    /// | `2:01:04` | `3:00:01` | 1: 3:00:01 of the day before |
    /// | `1,13:01:04`, 13:01:04 | `*:00:00` | 12: 02:00 to 13:00 |
    ///
    /// ```
    /// use millicron::{CalendarDigits, Schedule, schedule};
    ///
    /// const HOURLY: Schedule = schedule!("*:00:00");
    /// const DAILY: Schedule = schedule!("00:00:00");
    ///
    /// let run: CalendarDigits = "2026-11-21 00:00:00.000".parse()?;
    /// let needed: Vec<_> = DAILY.covers(&HOURLY, run).into_iter().collect();
    /// assert_eq!(needed.len(), 24);
    /// assert_eq!(needed[0].to_string(), "2026-11-20 01:00:00.000");
    /// assert_eq!(needed[23], run);
    /// # Ok::<(), millicron::DigitsError>(())
    /// ```
    ///
    /// A moment that is no event is answered alike: for a run at that moment.
    pub fn covers<M>(&self, upstream: &Self, scheduled: M) -> Covers<M, M::Clock>
    where
        M: Moment<Answer = M>,
    {
        let clock = M::clock(Some(&scheduled));
        let previous = ask::Ask { schedule: &self.0, clock: &clock }.prev(&scheduled, &clock);
        let range = range(previous, scheduled);
        let events = ask::events(&upstream.0, ask::own_clock(&range), &range);
        Covers { range, events }
    }
}

impl<Z: Zone> ZonedSchedule<Z> {
    /// The events of an upstream schedule whose data the run at `scheduled` needs, for
    /// any two schedules in any two zones; see [`Schedule::covers`].
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{Zoned, tz::TimeZone};
    /// use millicron::schedule;
    ///
    /// let zone = TimeZone::get("Europe/Berlin")?;
    /// let daily = schedule!("00:00:00").in_zone(zone.clone());
    /// let hourly = schedule!("*:00:00").in_zone(zone);
    /// // The clocks are set forward on 2026-03-29, and back on 2026-10-25.
    /// let hours = |run: &str| run.parse().map(|run| daily.covers::<Zoned, _>(&hourly, run).events().count());
    /// assert_eq!(hours("2026-03-30T00:00[Europe/Berlin]")?, 23);
    /// assert_eq!(hours("2026-10-26T00:00[Europe/Berlin]")?, 25);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn covers<'a, M, Y>(
        &self,
        upstream: &'a ZonedSchedule<Y>,
        scheduled: M,
    ) -> Covers<M, ZoneClock<&'a Y>>
    where
        M: Instant<Answer = M>,
        Y: Zone,
    {
        let previous = self.ask(&self.clock()).prev(&scheduled, &M::clock(Some(&scheduled)));
        let range = range(previous, scheduled);
        let events = ask::events(&upstream.schedule().0, upstream.clock(), &range);
        Covers { range, events }
    }
}
