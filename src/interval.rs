//! [`every`] and [`Interval`]: events at equal distances, without a calendar.

use core::fmt;

use millicron_runtime::calendar::MILLIS_PER_DAY;

use crate::{Instant, Period, Recurrence};

/// Starts an interval of `count` days, hours, minutes, seconds or milliseconds.
///
/// An interval counts from the instant at which it is first used, such as the instant at which a
/// job is added. These methods choose its first event:
///
/// | | first event |
/// | --- | --- |
/// | `every(2).days()` | two days after the first use |
/// | [`.immediately()`](IntervalBuilder::immediately) | at the first use |
/// | [`.from(instant)`](IntervalBuilder::from) | at that instant |
/// | [`.at("03:30")`](IntervalBuilder::at) | the first 03:30 UTC at or after the first use |
/// | `.from(instant).at("03:30")` | the first 03:30 UTC at or after that instant |
///
/// Without `from` and `at`, an interval is a length of elapsed time: a scheduler measures it with a
/// monotonic clock, so it does not change when the system clock is set. With either of them, the events are
/// the instants that you chose, and a scheduler reads the clock for them.
///
/// Days have 24 hours: intervals follow UTC. For days in local time, and for events that do not
/// depend on when the program started, use a [`Schedule`](crate::Schedule).
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
/// # Ok::<(), millicron::IntervalError>(())
/// ```
#[must_use]
pub const fn every(count: u32) -> Every {
    Every(count)
}

/// The length of an interval, without its unit; made by [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Every(u32);

impl Every {
    /// Counts days of 24 hours.
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
        // At most 2^32 days, which are below 2^59 milliseconds.
        let period = self.0 as i64 * unit;
        IntervalBuilder { period, time_of_day: None, start: None, is_immediate: false }
    }
}

/// An interval whose first event is not known yet; made by [`every`].
///
/// Pass it to a scheduler as it is. For a pipeline, or to query it yourself, make it an [`Interval`] with
/// [`into_recurrence`](IntoRecurrence::into_recurrence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntervalBuilder {
    /// In milliseconds.
    period: i64,
    /// In milliseconds; an error where the text has no time of day.
    time_of_day: Option<Result<i64, IntervalError>>,
    start: Option<i64>,
    is_immediate: bool,
}

impl IntervalBuilder {
    /// Sets a time of day in UTC, written `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff`. The first event is
    /// the first such time at or after the instant that the interval counts from. A text that is
    /// not a time of day is an error when the interval is [used](IntoRecurrence::into_recurrence).
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

    /// Sets the first event to the instant of the first use, such as the instant at which a job is
    /// added. Cannot be combined with [`from`](Self::from) or [`at`](Self::at): that is an error when
    /// the interval is [used](IntoRecurrence::into_recurrence).
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
    pub const fn immediately(self) -> Self {
        Self { is_immediate: true, ..self }
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

/// A conversion to a [`Recurrence`]: from a recurrence, which stays as it is, or from an interval that
/// counts from its first use, such as `every(5).minutes()`.
///
/// Use it as a bound to accept all that a scheduler accepts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no events",
    label = "not a recurrence",
    note = "a recurrence is a `millicron::Schedule`, as made by `schedule!(\"…\")` or \
            `text.parse()`, a `ZonedSchedule`, an interval such as `every(5).minutes()`, or your \
            own type that implements `millicron::Recurrence`"
)]
pub trait IntoRecurrence {
    /// The type of the recurrence.
    type Recurrence: Recurrence;

    /// Returns the recurrence. An interval without a start counts from `now`, in milliseconds since
    /// 1970-01-01 00:00:00 UTC.
    ///
    /// # Errors
    ///
    /// Returns an error if the interval is invalid, such as `every(0).seconds()`.
    fn into_recurrence(self, now: i64) -> Result<Self::Recurrence, IntervalError>;
}

#[diagnostic::do_not_recommend]
impl<R: Recurrence> IntoRecurrence for R {
    type Recurrence = R;

    fn into_recurrence(self, _: i64) -> Result<R, IntervalError> {
        Ok(self)
    }
}

impl IntoRecurrence for IntervalBuilder {
    type Recurrence = Interval;

    fn into_recurrence(self, now: i64) -> Result<Interval, IntervalError> {
        let Self { period, time_of_day, start, is_immediate } = self;
        if period == 0 {
            return Err(IntervalError::ZeroPeriod);
        }
        let time_of_day = time_of_day.transpose()?;
        let follows_clock = time_of_day.is_some() || start.is_some();
        if is_immediate && follows_clock {
            return Err(IntervalError::ImmediateWithStart);
        }
        let first = match (time_of_day, start) {
            (Some(time), start) => {
                let start = start.unwrap_or(now);
                let wait = (time - start.rem_euclid(MILLIS_PER_DAY)).rem_euclid(MILLIS_PER_DAY);
                start.checked_add(wait)
            }
            (None, Some(start)) => Some(start),
            (None, None) if is_immediate => Some(now),
            (None, None) => now.checked_add(period),
        };
        Ok(Interval { first, period, follows_clock })
    }
}

/// Events at equal distances, starting with a first one; see [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// In milliseconds since 1970-01-01 00:00:00 UTC; `None` if it is beyond `i64`.
    first: Option<i64>,
    /// In milliseconds, at least 1.
    period: i64,
    follows_clock: bool,
}

impl Interval {
    /// Returns the first event, in milliseconds since 1970-01-01 00:00:00 UTC. `None` if it would be
    /// after `i64::MAX`: the interval has no events then.
    ///
    /// ```
    /// use millicron::{IntoRecurrence, every};
    ///
    /// let now = 1_795_219_200_000; // 2026-11-21 00:00:00 UTC
    /// assert_eq!(every(7).seconds().into_recurrence(now)?.first(), Some(now + 7000));
    /// assert_eq!(every(7).seconds().from(0).into_recurrence(now)?.first(), Some(0));
    /// # Ok::<(), millicron::IntervalError>(())
    /// ```
    #[must_use]
    pub const fn first(&self) -> Option<i64> {
        self.first
    }

    /// Returns the time from each event to the next, in milliseconds, from 1 to `u32::MAX` days.
    ///
    /// ```
    /// use millicron::{IntoRecurrence, every};
    ///
    /// assert_eq!(every(90).minutes().into_recurrence(0)?.step(), 5_400_000);
    /// # Ok::<(), millicron::IntervalError>(())
    /// ```
    #[must_use]
    pub const fn step(&self) -> i64 {
        self.period
    }

    /// Returns whether the events are instants that [`from`](IntervalBuilder::from) or
    /// [`at`](IntervalBuilder::at) chose. A scheduler reads the clock for them.
    ///
    /// Otherwise the interval is a length of elapsed time, counted from its first use. A scheduler
    /// measures it with a monotonic clock, so that setting the system clock does not change it.
    ///
    /// ```
    /// use millicron::{IntoRecurrence, every};
    ///
    /// let now = 1_795_219_200_000; // 2026-11-21 00:00:00 UTC
    /// assert!(!every(1).days().into_recurrence(now)?.follows_clock());
    /// assert!(!every(1).days().immediately().into_recurrence(now)?.follows_clock());
    /// assert!(every(1).days().from(now).into_recurrence(now)?.follows_clock());
    /// assert!(every(1).days().at("03:30").into_recurrence(now)?.follows_clock());
    /// # Ok::<(), millicron::IntervalError>(())
    /// ```
    #[must_use]
    pub const fn follows_clock(&self) -> bool {
        self.follows_clock
    }

    /// Returns the number of events at or before `instant`. It may exceed an `i64`.
    fn count_until(self, instant: i128) -> i128 {
        match self.first.map(i128::from) {
            Some(first) if first <= instant => (instant - first) / i128::from(self.period) + 1,
            _ => 0,
        }
    }

    /// Returns the event with `index` events before it.
    fn event(self, index: i128) -> Option<i64> {
        i64::try_from(index * i128::from(self.period) + i128::from(self.first?)).ok()
    }
}

impl Recurrence for Interval {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.event(self.count_until(instant.into()))
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.nth_prev_event(instant, 0)
    }

    fn count(&self, range: core::ops::RangeInclusive<i64>) -> u64 {
        let (start, end) = range.into_inner();
        let count = self.count_until(end.into()) - self.count_until(i128::from(start) - 1);
        // Only a range of all `i64` can have one event more than a `u64` counts.
        if count < 0 { 0 } else { u64::try_from(count).unwrap_or(u64::MAX) }
    }

    fn nth_prev_event(&self, instant: i64, skipped: u64) -> Option<i64> {
        let index = self.count_until(instant.into()) - i128::from(skipped) - 1;
        if index < 0 { None } else { self.event(index) }
    }

    fn interval(&self) -> Option<&Interval> {
        Some(self)
    }

    fn period(&self) -> Period {
        Period::of_gap(self.period.unsigned_abs())
    }
}

/// An error in the description of an [`Interval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IntervalError {
    /// The period is zero, as in `every(0).seconds()`.
    ZeroPeriod,
    /// The text passed to [`IntervalBuilder::at`] is not a time of day.
    TimeOfDay,
    /// [`IntervalBuilder::immediately`] was combined with [`from`](IntervalBuilder::from) or
    /// [`at`](IntervalBuilder::at).
    ImmediateWithStart,
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroPeriod => "the period of an interval is zero: it must be at least 1",
            Self::TimeOfDay => {
                "invalid time of day: write `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff`, from `00:00` to \
                 `23:59:59.999`"
            }
            Self::ImmediateWithStart => {
                "an interval cannot start both immediately and at a chosen instant or time of day: \
                 leave out `immediately`, or `from` and `at`"
            }
        })
    }
}

impl core::error::Error for IntervalError {}
