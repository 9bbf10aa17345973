//! [`Covers`]: the data interval of a run.

use core::ops::Bound;

use millicron::{Instant, Moment, Schedule, Zone, ZonedSchedule};

/// Computes the data interval of a run, as a range to pass to `events` or `count`.
///
/// A run at `scheduled` covers the data from the schedule's previous event, exclusive, up to
/// `scheduled`, inclusive, and the same goes for each upstream run. A run therefore needs the
/// upstream runs whose data ends within its own interval. Each upstream event belongs to exactly
/// one run, however different the two schedules are.
///
/// For example, the hourly run at 01:00 covers the data from 00:00 to 01:00, so it belongs to the
/// daily run at the end of its day. The hourly run at 00:00 covers data of the previous day.
///
/// | schedule, run at | upstream | covered events |
/// | --- | --- | --- |
/// | `00:00:00`, midnight | `*:00:00` | 24: 01:00 to 24:00 of the day that just ended |
/// | `*:00:00`, 05:00 | `00:00:00` | none |
/// | `*:00:00`, 00:00 | `00:00:00` | 1: 00:00 |
/// | `3:00:01` | `2:01:04` | 1: 2:01:04 of the same day |
/// | `2:01:04` | `3:00:01` | 1: 3:00:01 of the previous day |
/// | `1,13:01:04`, 13:01:04 | `*:00:00` | 12: 02:00 to 13:00 |
///
/// ```
/// use millicron::{CalendarDigits, Schedule, schedule};
/// use millicron_pipeline::Covers;
///
/// const HOURLY: Schedule = schedule!("*:00:00");
/// const DAILY: Schedule = schedule!("00:00:00");
///
/// let run: CalendarDigits = "2026-11-21 00:00:00.000".parse()?;
/// let needed: Vec<_> = HOURLY.events(DAILY.covers(run)).collect();
/// assert_eq!(needed.len(), 24);
/// assert_eq!(needed[0].to_string(), "2026-11-20 01:00:00.000");
/// assert_eq!(needed[23], run);
/// # Ok::<(), millicron::DigitsError>(())
/// ```
///
/// In a time zone, a day may have 23 or 25 hours:
///
/// ```
/// use jiff::{ZonedDateTime, tz::TimeZone};
/// use millicron::schedule;
/// use millicron_pipeline::Covers;
///
/// let zone = TimeZone::get("Europe/Berlin")?;
/// let daily = schedule!("00:00:00").in_zone(zone.clone());
/// let hourly = schedule!("*:00:00").in_zone(zone);
/// // Clocks go forward on 2026-03-29, and back on 2026-10-25.
/// let hours = |run: ZonedDateTime| hourly.count(daily.covers(run));
/// assert_eq!(hours("2026-03-30T00:00[Europe/Berlin]".parse()?), 23);
/// assert_eq!(hours("2026-10-26T00:00[Europe/Berlin]".parse()?), 25);
/// # Ok::<(), jiff::Error>(())
/// ```
pub trait Covers<M> {
    /// Returns the data interval of the run at `scheduled`: after the previous event, up to and
    /// including `scheduled`. If there is no previous event, the interval has no start.
    ///
    /// `scheduled` does not have to be an event.
    fn covers(&self, scheduled: M) -> (Bound<M>, Bound<M>);
}

impl<M: Moment<Answer = M>> Covers<M> for Schedule {
    fn covers(&self, scheduled: M) -> (Bound<M>, Bound<M>) {
        interval(self.prev_event(&scheduled), scheduled)
    }
}

impl<M: Instant<Answer = M>, Z: Zone> Covers<M> for ZonedSchedule<Z> {
    fn covers(&self, scheduled: M) -> (Bound<M>, Bound<M>) {
        interval(self.prev_event(&scheduled), scheduled)
    }
}

fn interval<M>(previous: Option<M>, scheduled: M) -> (Bound<M>, Bound<M>) {
    (previous.map_or(Bound::Unbounded, Bound::Excluded), Bound::Included(scheduled))
}
