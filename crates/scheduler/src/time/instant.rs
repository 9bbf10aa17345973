//! [`Nanos`], [`Now`] and [`Timeline`]: the instants of the scheduler.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01 00:00:00 UTC, from 1677 to 2262. Instants outside this range
/// saturate. On [`Timeline::Elapsed`], nanoseconds since some fixed instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Nanos(pub(crate) i64);

/// The number of nanoseconds in a millisecond.
const MILLI: i64 = 1_000_000;

/// A reading of both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// The date and time, which can be set.
    pub(crate) clock: Nanos,
    /// The elapsed time, which cannot.
    pub(crate) elapsed: Nanos,
}

/// The timeline that a job follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Timeline {
    /// The date and time.
    #[default]
    Clock,
    /// The elapsed time. The job's instants are what the clock would show if it had not been set
    /// since the job was added or rescheduled: `ahead` nanoseconds ahead of the elapsed time.
    Elapsed { ahead: i64 },
}

impl Now {
    /// Returns the current instant on a timeline.
    #[inline]
    pub(crate) const fn on(self, timeline: Timeline) -> Nanos {
        match timeline {
            Timeline::Clock => self.clock,
            Timeline::Elapsed { ahead } => Nanos(self.elapsed.0.saturating_add(ahead)),
        }
    }

    /// Returns the elapsed timeline that now agrees with the clock.
    pub(crate) const fn elapsed_timeline(self) -> Timeline {
        Timeline::Elapsed { ahead: self.clock.0.saturating_sub(self.elapsed.0) }
    }
}

impl Nanos {
    /// Returns the time since an earlier instant, or zero if `earlier` is later.
    pub(crate) const fn since(self, earlier: Self) -> Duration {
        let nanos = self.0.saturating_sub(earlier.0);
        Duration::from_nanos(if nanos < 0 { 0 } else { nanos.unsigned_abs() })
    }

    pub(crate) fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(to_i64(duration)))
    }

    pub(crate) fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(to_i64(duration)))
    }

    /// Returns this instant, or the next one if this is a whole millisecond and could thus be an event
    /// of a recurrence. Windows represents times as multiples of 100 nanoseconds.
    pub(crate) const fn between_events(self) -> Self {
        if self.0 % MILLI == 0 { Self(self.0.saturating_add(100)) } else { self }
    }

    /// Returns the first such instant after this one.
    pub(crate) const fn next_between_events(self) -> Self {
        Self(self.0.saturating_add(100)).between_events()
    }

    /// Returns the previous nanosecond.
    pub(crate) const fn pred(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Returns the last millisecond at or before the instant.
    pub(crate) const fn millis(self) -> i64 {
        self.0.div_euclid(MILLI)
    }

    /// Returns the first millisecond at or after the instant.
    pub(crate) const fn ceil_millis(self) -> i64 {
        -(-self.0).div_euclid(MILLI)
    }

    /// Converts milliseconds since 1970. Returns `None` outside the range of nanoseconds.
    pub(crate) fn from_millis(millis: i64) -> Option<Self> {
        millis.checked_mul(MILLI).map(Self)
    }

    pub(crate) fn time(self) -> SystemTime {
        let distance = Duration::from_nanos(self.0.unsigned_abs());
        let time = if self.0 < 0 {
            UNIX_EPOCH.checked_sub(distance)
        } else {
            UNIX_EPOCH.checked_add(distance)
        };
        debug_assert!(time.is_some(), "every platform represents 1677 to 2262");
        time.unwrap_or(UNIX_EPOCH)
    }
}

impl From<SystemTime> for Nanos {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => after.into(),
            Err(before) => Self(-to_i64(before.duration())),
        }
    }
}

impl From<Duration> for Nanos {
    fn from(elapsed: Duration) -> Self {
        Self(to_i64(elapsed))
    }
}

/// Converts a duration to nanoseconds, saturating at 292 years.
fn to_i64(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
