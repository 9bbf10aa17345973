//! Instants as the scheduler counts them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01 00:00:00 UTC. They reach from 1677 to 2262; what is
/// beyond is taken for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Nanos(pub(crate) i64);

impl Nanos {
    /// How long after another, nothing if before.
    pub(crate) const fn since(self, other: Self) -> Duration {
        let nanos = self.0.saturating_sub(other.0);
        Duration::from_nanos(if nanos < 0 { 0 } else { nanos.unsigned_abs() })
    }

    pub(crate) fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(signed(duration)))
    }

    pub(crate) fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(signed(duration)))
    }

    /// The last millisecond at or before the instant.
    pub(crate) const fn millis(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The first millisecond at or after the instant.
    pub(crate) const fn ceil_millis(self) -> i64 {
        -(-self.0).div_euclid(1_000_000)
    }

    /// Milliseconds since 1970; `None` beyond the range of nanoseconds.
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
        // A platform whose times do not reach so far has no such events.
        time.unwrap_or(UNIX_EPOCH)
    }
}

impl From<SystemTime> for Nanos {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(signed(after)),
            Err(before) => Self(-signed(before.duration())),
        }
    }
}

fn signed(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
