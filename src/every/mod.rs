//! [`every`] and the methods that choose the first event.

#[cfg(feature = "alloc")]
mod zoned;

use millicron_runtime::calendar::MILLIS_PER_DAY;

use crate::{Instant, Interval, IntervalError, IntoRecurrence};

/// Starts an interval of `count` days, hours, minutes, seconds or milliseconds.
///
/// An interval counts from its first use, such as when a job is added. These methods choose its
/// first event:
///
/// | | first event |
/// | --- | --- |
/// | `every(2).days()` | two days after the first use |
/// | [`.immediately()`](IntervalBuilder::immediately) | at the first use |
/// | [`.from(instant)`](IntervalBuilder::from) | at that instant |
/// | [`.at("03:30")`](IntervalBuilder::at) | the first 03:30 UTC at or after the first use |
/// | `.from(instant).at("03:30")` | the first 03:30 UTC at or after that instant |
///
/// Without `from`, `at` and `in_zone`, an interval is a length of elapsed time: a scheduler measures
/// it with a monotonic clock, so it does not change when the system clock is set. With any of them,
/// the events are instants that you chose, and a scheduler reads the clock for them.
///
/// Days have 24 hours, and times of day are in UTC. For calendar days in local time, add a zone with
/// [`in_zone`](IntervalBuilder::in_zone). For events that do not depend on when the program
/// started, use a [`Schedule`](crate::Schedule).
///
/// ```
/// use millicron::{IntoRecurrence, Recurrence, every};
///
/// const HOUR: i64 = 3_600_000;
///
/// // Every 90 minutes from now on.
/// let now = 1_795_219_200_000; // 2026-11-21 00:00:00 UTC
/// let interval = every(90).minutes().into_recurrence(now)?;
/// assert_eq!(interval.next_event(now), Some(now + 90 * 60_000));
///
/// // Every other day at 10:11.
/// let interval = every(2).days().at("10:11").into_recurrence(now)?;
/// let first = now + 10 * HOUR + 11 * 60_000;
/// assert_eq!(interval.next_event(now), Some(first));
/// assert_eq!(interval.next_event(first), Some(first + 48 * HOUR));
///
/// // At once, and then every 30 seconds.
/// let interval = every(30).seconds().immediately().into_recurrence(now)?;
/// assert_eq!(interval.nearest_event(now), Some(now));
/// assert_eq!(interval.next_event(now), Some(now + 30_000));
/// # Ok::<(), millicron::IntervalError>(())
/// ```
#[must_use]
pub const fn every(count: u32) -> Every {
    Every(count)
}

/// The number of units in an interval whose unit is not chosen yet; returned by [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Every(u32);

impl Every {
    /// Counts days: of 24 hours, or, with [`in_zone`](IntervalBuilder::in_zone), calendar days in
    /// local time.
    #[must_use]
    pub const fn days(self) -> IntervalBuilder {
        self.of(MILLIS_PER_DAY)
    }

    /// Counts hours.
    #[must_use]
    pub const fn hours(self) -> IntervalBuilder {
        self.of(3_600_000)
    }

    /// Counts minutes.
    #[must_use]
    pub const fn minutes(self) -> IntervalBuilder {
        self.of(60_000)
    }

    /// Counts seconds.
    #[must_use]
    pub const fn seconds(self) -> IntervalBuilder {
        self.of(1000)
    }

    /// Counts milliseconds.
    #[must_use]
    pub const fn milliseconds(self) -> IntervalBuilder {
        self.of(1)
    }

    const fn of(self, unit: i64) -> IntervalBuilder {
        let Self(count) = self;
        IntervalBuilder {
            count,
            unit,
            time_of_day: None,
            start: None,
            is_immediate: false,
            zone: (),
        }
    }
}

/// An interval whose first event is not known yet; returned by [`every`].
///
/// A scheduler accepts it directly. For a pipeline, or to query it yourself, convert it to an
/// [`Interval`] with [`into_recurrence`](IntoRecurrence::into_recurrence), or to a
/// [`ZonedSchedule`](crate::ZonedSchedule) if it has a zone.
///
/// `Z` is the type of the zone; `()` without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntervalBuilder<Z = ()> {
    pub(super) count: u32,
    /// In milliseconds.
    pub(super) unit: i64,
    /// In milliseconds; an error if the text is not a time of day.
    pub(super) time_of_day: Option<Result<i64, IntervalError>>,
    pub(super) start: Option<i64>,
    pub(super) is_immediate: bool,
    pub(super) zone: Z,
}

impl<Z> IntervalBuilder<Z> {
    /// Sets a time of day, written `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff`: in local time if there is
    /// a [zone](IntervalBuilder::in_zone), otherwise in UTC. The first event is the first such time
    /// at or after the instant that the interval counts from. A text that is not a time of day is an
    /// error when the interval is [used](IntoRecurrence::into_recurrence).
    #[must_use]
    pub fn at(self, time_of_day: &str) -> Self {
        let parsed = parse_time_of_day(time_of_day).ok_or(IntervalError::TimeOfDay);
        Self { time_of_day: Some(parsed), ..self }
    }

    /// Counts from an instant, in the past or the future, rounded up to a whole millisecond. Without
    /// [`at`](Self::at), that instant is the first event.
    ///
    /// ```
    /// use millicron::{IntoRecurrence, Recurrence, every};
    ///
    /// let start = 1_795_219_200_000; // 2026-11-21 00:00:00 UTC
    /// let interval = every(90).minutes().from(start).into_recurrence(0)?;
    /// assert_eq!(interval.nearest_event(start), Some(start));
    /// assert_eq!(interval.next_event(start), Some(start + 90 * 60_000));
    /// assert_eq!(interval.prev_event(start), None);
    /// # Ok::<(), millicron::IntervalError>(())
    /// ```
    #[must_use]
    pub fn from(self, instant: impl Instant) -> Self {
        Self { start: Some(instant.position().ceil()), ..self }
    }

    /// Sets the first event to the instant of the first use, such as when a job is added. Combining
    /// it with [`from`](Self::from) or [`at`](Self::at) is an error when the interval is
    /// [used](IntoRecurrence::into_recurrence).
    ///
    /// ```
    /// use millicron::{IntervalError, IntoRecurrence, Recurrence, every};
    ///
    /// let now = 1_795_219_200_000; // 2026-11-21 00:00:00 UTC
    /// let interval = every(5).minutes().immediately().into_recurrence(now)?;
    /// assert_eq!(interval.nearest_event(now), Some(now));
    /// assert_eq!(interval.next_event(now), Some(now + 5 * 60_000));
    ///
    /// let contradiction = every(1).days().at("03:30").immediately().into_recurrence(now);
    /// assert_eq!(contradiction, Err(IntervalError::ImmediateWithStart));
    /// # Ok::<(), IntervalError>(())
    /// ```
    #[must_use]
    pub fn immediately(self) -> Self {
        Self { is_immediate: true, ..self }
    }

    /// Returns the distance between events in milliseconds.
    pub(super) const fn period(&self) -> i64 {
        // At most 2^32 days, which are less than 2^59 milliseconds.
        self.count as i64 * self.unit
    }

    /// Returns the time of day in milliseconds, if all parts are valid and can be combined.
    pub(super) fn checked_time_of_day(&self) -> Result<Option<i64>, IntervalError> {
        if self.count == 0 {
            return Err(IntervalError::ZeroPeriod);
        }
        let time_of_day = self.time_of_day.transpose()?;
        if self.is_immediate && (time_of_day.is_some() || self.start.is_some()) {
            return Err(IntervalError::ImmediateWithStart);
        }
        Ok(time_of_day)
    }
}

/// Reads `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff` into milliseconds.
fn parse_time_of_day(text: &str) -> Option<i64> {
    let number = |text: &str, digits: usize, limit: i64| {
        let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|value| is_number && *value < limit)
    };
    let mut fields = text.splitn(3, ':');
    let (hour, minute) = (number(fields.next()?, 2, 24)?, number(fields.next()?, 2, 60)?);
    let (second, millisecond) = match fields.next().map(|rest| rest.split_once('.').ok_or(rest)) {
        None => (0, 0),
        Some(Err(second)) => (number(second, 2, 60)?, 0),
        Some(Ok((second, millis))) => (number(second, 2, 60)?, number(millis, 3, 1000)?),
    };
    Some(((hour * 60 + minute) * 60 + second) * 1000 + millisecond)
}

impl IntoRecurrence for IntervalBuilder {
    type Recurrence = Interval;

    fn into_recurrence(self, now: i64) -> Result<Interval, IntervalError> {
        let time_of_day = self.checked_time_of_day()?;
        let (start, period) = (self.start, self.period());
        let follows_clock = time_of_day.is_some() || start.is_some();
        let first = match (time_of_day, start) {
            (Some(time), start) => {
                let start = start.unwrap_or(now);
                let wait = (time - start.rem_euclid(MILLIS_PER_DAY)).rem_euclid(MILLIS_PER_DAY);
                start.checked_add(wait)
            }
            (None, Some(start)) => Some(start),
            (None, None) if self.is_immediate => Some(now),
            (None, None) => now.checked_add(period),
        };
        Ok(Interval { first, period, follows_clock })
    }
}
