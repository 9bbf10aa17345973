//! `saffron`: bit masks of minutes, hours, days and months.

use chrono::{DateTime, Utc};

use super::{Dialect, Peer};

/// The crate `saffron`.
#[derive(Debug)]
pub(super) struct Saffron;

impl Peer for Saffron {
    const DIALECT: Dialect = Dialect::Saffron;
    const NAME: &'static str = "saffron";
    type Instant = DateTime<Utc>;
    type Schedule = saffron::Cron;

    fn parse(expression: &'static str) -> Self::Schedule {
        expression.parse().expect("an expression of saffron's")
    }

    fn instant(millis: i64) -> Self::Instant {
        super::chrono_instant(millis)
    }

    fn millis(instant: Self::Instant) -> i64 {
        instant.timestamp_millis()
    }

    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant> {
        schedule.next_after(t)
    }

    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant> {
        schedule.clone().iter_after(t)
    }
}
