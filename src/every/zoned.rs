//! [`IntervalBuilder::in_zone`]: calendar days in local time.

use alloc::format;

use millicron_runtime::calendar::MILLIS_PER_DAY;

use super::IntervalBuilder;
use crate::{
    CalendarDigits, Fold, IntervalError, IntoRecurrence, Resolution, Schedule, Zone, ZonedSchedule,
};

/// Has an event at every instant. In a zone, its occurrences are the local times of all instants.
const EVERY_MILLISECOND: Schedule = crate::schedule!("*:*:*.*");

impl IntervalBuilder {
    /// Counts calendar days in the local time of a zone, so events keep their time of day across
    /// clock changes. This requires [`days`](super::Every::days): another unit is an error when the
    /// interval is [used](IntoRecurrence::into_recurrence).
    ///
    /// | | first event |
    /// | --- | --- |
    /// | `every(2).days().in_zone(zone)` | two days after the local date of the first use, at the local time of day of the first use |
    /// | with [`.immediately()`](Self::immediately) | at the first use |
    /// | with [`.from(instant)`](Self::from) | at that instant |
    /// | with [`.at("03:30")`](Self::at) | the first 03:30 in local time at or after the first use or `from` |
    ///
    /// Later events follow every second day, at the same local time of day.
    ///
    /// The result is a [`ZonedSchedule`], such as `2026.11.21/2d 03:30:00` in the zone, which ends
    /// with the year 2100. It handles gaps and folds [like any schedule with a fixed
    /// time](ZonedSchedule#clock-changes). To change that, call
    /// [`with_gap`](ZonedSchedule::with_gap) or [`with_fold`](ZonedSchedule::with_fold) on the
    /// result of `into_recurrence`. If the first event is an instant in the second pass of a fold,
    /// all folds are resolved to [`Fold::Second`].
    ///
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::{ZonedDateTime, tz::TimeZone};
    /// use millicron::{Gap, IntoRecurrence, every};
    ///
    /// let berlin = TimeZone::get("Europe/Berlin")?;
    /// let now: ZonedDateTime = "2026-03-27T12:00:00+01:00[Europe/Berlin]".parse()?;
    /// let millis = now.timestamp().as_millisecond();
    ///
    /// // On 2026-03-29, the clocks go from 02:00 to 03:00.
    /// let interval = every(2).days().in_zone(berlin.clone()).at("03:30").into_recurrence(millis)?;
    /// let mut events = interval.upcoming(&now).map(|event| event.to_string());
    /// assert_eq!(events.next().as_deref(), Some("2026-03-28T03:30:00+01:00[Europe/Berlin]"));
    /// assert_eq!(events.next().as_deref(), Some("2026-03-30T03:30:00+02:00[Europe/Berlin]"));
    ///
    /// // From an instant, and with a choice for gaps.
    /// let start: ZonedDateTime = "2026-03-28T02:30:00+01:00[Europe/Berlin]".parse()?;
    /// let daily = every(1).days().in_zone(berlin).from(&start).into_recurrence(millis)?;
    /// let daily = daily.with_gap(Gap::Skip);
    /// assert!(daily.matches(&start));
    /// let next = daily.next_event(&start).map(|event| event.to_string());
    /// assert_eq!(next.as_deref(), Some("2026-03-30T02:30:00+02:00[Europe/Berlin]"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_zone<Z: Zone>(self, zone: Z) -> IntervalBuilder<Z> {
        let Self { count, unit, time_of_day, start, is_immediate, zone: () } = self;
        IntervalBuilder { count, unit, time_of_day, start, is_immediate, zone }
    }
}

impl<Z: Zone> IntoRecurrence for IntervalBuilder<Z> {
    type Recurrence = ZonedSchedule<Z>;

    fn into_recurrence(self, now: i64) -> Result<ZonedSchedule<Z>, IntervalError> {
        let time_of_day = self.checked_time_of_day()?;
        if self.unit != MILLIS_PER_DAY {
            return Err(IntervalError::ZoneWithoutDays);
        }
        let start = self.start.unwrap_or(now);
        let local = EVERY_MILLISECOND.in_zone(&self.zone).occurrence(start);
        let local = local.ok_or(IntervalError::OutsideYears)?;
        let starts_first = self.start.is_some() || self.is_immediate;
        let first = match time_of_day {
            Some(time) => first_at(time, start, &self.zone)?,
            None if starts_first => local.civil,
            None => {
                let first = local.civil.to_millis().saturating_add(self.period());
                CalendarDigits::from_millis(first)
            }
        };
        let schedule = every_days(self.count, first)?.in_zone(self.zone);
        // In the first pass, the first event would be before the start.
        let is_second_pass = local.resolution == Resolution::SecondPass;
        if is_second_pass && starts_first && time_of_day.is_none() {
            return Ok(schedule.with_fold(Fold::Second));
        }
        Ok(schedule)
    }
}

/// Returns the local time at which a time of day first occurs at or after `start`.
fn first_at(
    time_of_day: i64,
    start: i64,
    zone: &impl Zone,
) -> Result<CalendarDigits, IntervalError> {
    let time = CalendarDigits::from_millis(time_of_day);
    let daily = parse(&time_text(time))?.in_zone(zone);
    let event = daily.nearest_event(start).and_then(|event| daily.occurrence(event));
    event.map(|event| event.civil).ok_or(IntervalError::OutsideYears)
}

/// Returns the schedule of every `count`-th day, beginning with `first`.
fn every_days(count: u32, first: CalendarDigits) -> Result<Schedule, IntervalError> {
    let (year, month, day) = (first.year(), first.month(), first.day());
    parse(&format!("{year}.{month:02}.{day:02}/{count}d {}", time_text(first)))
}

fn time_text(time: CalendarDigits) -> alloc::string::String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    match time.millisecond() {
        0 => format!("{hour:02}:{minute:02}:{second:02}"),
        millisecond => format!("{hour:02}:{minute:02}:{second:02}.{millisecond:03}"),
    }
}

/// Parses a text in which only the year may be out of range.
fn parse(text: &str) -> Result<Schedule, IntervalError> {
    Schedule::parse(text).map_err(|_| IntervalError::OutsideYears)
}
