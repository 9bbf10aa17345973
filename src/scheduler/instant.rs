//! Instants as the scheduler counts them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970-01-01 00:00:00 UTC. They reach from 1677 to 2262; what is
/// beyond is taken for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Nanos(pub(super) i64);

impl Nanos {
    /// How long after another, nothing if before.
    pub(super) const fn since(self, other: Self) -> Duration {
        let nanos = self.0.saturating_sub(other.0);
        Duration::from_nanos(if nanos < 0 { 0 } else { nanos.unsigned_abs() })
    }

    pub(super) fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(signed(duration)))
    }

    pub(super) fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(signed(duration)))
    }

    pub(super) fn time(self) -> SystemTime {
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
