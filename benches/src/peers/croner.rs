//! `croner`: a cursor moved field by field until all of them match.

use std::str::FromStr;

use chrono::{DateTime, Utc};

use super::{Dialect, Peer};

/// The crate `croner`, on chrono.
#[derive(Debug)]
pub(super) struct Croner;

impl Peer for Croner {
    const DIALECT: Dialect = Dialect::Croner;
    const NAME: &'static str = "croner";
    type Instant = DateTime<Utc>;
    type Schedule = croner::Cron;

    fn parse(expression: &'static str) -> Self::Schedule {
        croner::Cron::from_str(expression).expect("an expression of croner's")
    }

    fn instant(millis: i64) -> Self::Instant {
        super::chrono_instant(millis)
    }

    fn millis(instant: Self::Instant) -> i64 {
        instant.timestamp_millis()
    }

    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant> {
        schedule.find_next_occurrence(&t, false).ok()
    }

    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant> {
        schedule.iter_after(t)
    }
}
