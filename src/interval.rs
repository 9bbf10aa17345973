//! [`Interval`]: events at equal distances, without a calendar.

use core::fmt;

/// Events at equal distances from a first one; see [`every`](crate::every).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// In milliseconds since 1970-01-01 00:00:00 UTC; `None` if an `i64` cannot represent it.
    pub(crate) first: Option<i64>,
    /// In milliseconds, at least 1.
    pub(crate) period: i64,
    pub(crate) follows_clock: bool,
}

impl Interval {
    /// Returns the first event, in milliseconds since 1970-01-01 00:00:00 UTC; `None` if it would
    /// be after `i64::MAX`. The interval then has no events.
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

    /// Returns whether [`from`](crate::IntervalBuilder::from) or [`at`](crate::IntervalBuilder::at)
    /// fixed the events as instants, for which a scheduler reads the system clock.
    ///
    /// Otherwise, the interval is a length of elapsed time, counted from its first use. A scheduler
    /// measures it with a monotonic clock, so setting the system clock does not change it.
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
    pub(crate) fn count_until(self, instant: i128) -> i128 {
        match self.first.map(i128::from) {
            Some(first) if first <= instant => (instant - first) / i128::from(self.period) + 1,
            _ => 0,
        }
    }

    /// Returns the event with `index` events before it.
    pub(crate) fn event(self, index: i128) -> Option<i64> {
        i64::try_from(index * i128::from(self.period) + i128::from(self.first?)).ok()
    }
}

/// Displays what the interval means, as in "Every 90 minutes".
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(i64, &str); 5] = [
            (millicron_runtime::calendar::MILLIS_PER_DAY, "day"),
            (3_600_000, "hour"),
            (60_000, "minute"),
            (1000, "second"),
            (1, "millisecond"),
        ];
        let step = self.step();
        let (unit, name) = UNITS.into_iter().find(|(unit, _)| step % unit == 0).unwrap_or(UNITS[4]);
        match step / unit {
            1 => write!(f, "Every {name}"),
            count => write!(f, "Every {count} {name}s"),
        }
    }
}

/// An error in the description of an interval, reported when the interval is
/// [used](crate::IntoRecurrence::into_recurrence).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IntervalError {
    /// The period is zero, as in `every(0).seconds()`.
    ZeroPeriod,
    /// The text passed to [`IntervalBuilder::at`](crate::IntervalBuilder::at) is not a time of day.
    TimeOfDay,
    /// [`IntervalBuilder::immediately`](crate::IntervalBuilder::immediately) was combined with
    /// [`from`](crate::IntervalBuilder::from) or [`at`](crate::IntervalBuilder::at).
    ImmediateWithStart,
    /// A unit other than days has a zone, as in `every(5).minutes().in_zone(zone)`.
    ZoneWithoutDays,
    /// The interval has a zone, and the instant that it counts from or its first event is not
    /// between 2000 and 2100 in local time.
    OutsideYears,
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
            Self::ZoneWithoutDays => {
                "only an interval of days can be in a time zone: leave out `in_zone`, or count in \
                 `days()`"
            }
            Self::OutsideYears => {
                "an interval in a time zone must start between 2000-01-01 and 2100-12-31"
            }
        })
    }
}

impl core::error::Error for IntervalError {}
