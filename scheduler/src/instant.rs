//! [`Nanos`]: the instants of the scheduler.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01 00:00:00 UTC: from 1677 to 2262. Instants outside this range
/// become its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Nanos(pub(crate) i64);

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

    /// Returns the next instant that every platform represents: system times on Windows are multiples
    /// of 100 nanoseconds.
    pub(crate) const fn succ(self) -> Self {
        Self(self.0.saturating_add(100))
    }

    /// Returns the previous nanosecond.
    pub(crate) const fn pred(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Returns the last millisecond at or before the instant.
    pub(crate) const fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the first millisecond at or after the instant.
    pub(crate) const fn ceil_millis(self) -> i64 {
        -(-self.0).div_euclid(1_000_000)
    }

    /// Converts milliseconds since 1970. Returns `None` outside the range of nanoseconds.
    pub(crate) fn from_millis(millis: i64) -> Option<Self> {
        millis.checked_mul(1_000_000).map(Self)
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
            Ok(after) => Self(to_i64(after)),
            Err(before) => Self(-to_i64(before.duration())),
        }
    }
}

fn to_i64(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
