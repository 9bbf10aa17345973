//! [`Clock`]: decides when leases expire.

use alloc::sync::Arc;
use core::fmt;
use core::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};

/// A clock in milliseconds since 1970-01-01 00:00:00: the system clock, or a function.
#[derive(Clone, Default)]
pub(crate) struct Clock(Option<Arc<dyn Fn() -> i64 + Send + Sync>>);

impl Clock {
    pub(crate) const SYSTEM: Self = Self(None);

    pub(crate) fn new(clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(clock)))
    }

    pub(crate) fn now(&self) -> i64 {
        if let Some(clock) = &self.0 {
            return clock();
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or_else(|before| -millis(before.duration()), millis)
    }

    /// Returns when a lease that starts now expires.
    pub(crate) fn after(&self, lease: Duration) -> i64 {
        self.now().saturating_add(lease_millis(lease))
    }
}

/// Converts a lease to milliseconds. Rounds up, because a lease of zero would let another owner claim
/// the run immediately.
pub(crate) fn lease_millis(lease: Duration) -> i64 {
    let millis = lease.as_nanos().div_ceil(1_000_000).max(1);
    i64::try_from(millis).unwrap_or(i64::MAX)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Clock(function)" } else { "Clock(system)" })
    }
}
