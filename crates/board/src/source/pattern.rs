//! [`Pattern`].

use std::fmt;
use std::sync::Arc;

use jiff::tz::TimeZone;
use millicron::{Recurrence, ZonedSchedule};

/// When a job has events.
#[derive(Clone)]
#[non_exhaustive]
pub enum Pattern {
    /// By a schedule in local time.
    Schedule(ZonedSchedule<TimeZone>),
    /// In another way, such as at intervals.
    Other(Arc<dyn Recurrence + Send + Sync>),
}

impl Pattern {
    /// Returns the events.
    #[must_use]
    pub fn recurrence(&self) -> &dyn Recurrence {
        match self {
            Self::Schedule(schedule) => schedule,
            Self::Other(other) => &**other,
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schedule(schedule) => f.debug_tuple("Schedule").field(schedule).finish(),
            Self::Other(_) => f.write_str("Other(..)"),
        }
    }
}
