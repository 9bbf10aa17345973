//! [`every`] and [`Interval`]: events at equal distances, without a calendar.

use core::fmt;

use millicron_runtime::calendar::MILLIS_PER_DAY;

use crate::{Instant, Period, Recurrence};

/// Starts an interval of `count` days, hours, minutes, seconds or milliseconds.
///
/// An interval counts from the instant at which it is first used, such as the instant at which a
/// job is added: its first event is one period later. With [`from`](IntervalBuilder::from) it
/// counts from an instant that you choose, which is then its first event. Days have 24 hours:
/// intervals follow UTC. For days in local time, and for events that do not depend on when the
/// program started, use a [`Schedule`](crate::Schedule).
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
        IntervalBuilder { period: self.0 as i64 * unit, time_of_day: None, start: None }
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

    /// Counts from an instant, in the past or the future, rounded up to a whole millisecond.
    #[must_use]
    pub fn from(self, instant: impl Instant) -> Self {
        Self { start: Some(instant.position().ceil()), ..self }
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
        let Self { period, time_of_day, start } = self;
        if period == 0 {
            return Err(IntervalError::ZeroPeriod);
        }
        let first = match (time_of_day.transpose()?, start) {
            (Some(time), start) => {
                let start = start.unwrap_or(now);
                let wait = (time - start.rem_euclid(MILLIS_PER_DAY)).rem_euclid(MILLIS_PER_DAY);
                start.checked_add(wait)
            }
            (None, Some(start)) => Some(start),
            (None, None) => now.checked_add(period),
        };
        Ok(Interval { first, period })
    }
}

/// Events at equal distances, starting with a first one; see [`every`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// In milliseconds since 1970-01-01 00:00:00 UTC; `None` if it is beyond `i64`.
    first: Option<i64>,
    /// In milliseconds, at least 1.
    period: i64,
}

impl Interval {
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
}

impl fmt::Display for IntervalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroPeriod => "the period of an interval is zero: it must be at least 1",
            Self::TimeOfDay => {
                "invalid time of day: write `HH:mm`, `HH:mm:ss` or `HH:mm:ss.fff`, from `00:00` to \
                 `23:59:59.999`"
            }
        })
    }
}

impl core::error::Error for IntervalError {}
