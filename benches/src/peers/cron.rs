//! `cron`: sets of ordinals in B-trees, walked field by field.

use std::str::FromStr;

use chrono::{DateTime, Utc};

use super::{Dialect, Peer};

/// The crate `cron`.
#[derive(Debug)]
pub(super) struct Cron;

impl Peer for Cron {
    const DIALECT: Dialect = Dialect::Cron;
    const NAME: &'static str = "cron";
    type Instant = DateTime<Utc>;
    type Schedule = cron::Schedule;

    fn parse(expression: &'static str) -> Self::Schedule {
        cron::Schedule::from_str(expression).expect("an expression of cron's")
    }

    fn instant(millis: i64) -> Self::Instant {
        super::chrono_instant(millis)
    }

    fn millis(instant: Self::Instant) -> i64 {
        instant.timestamp_millis()
    }

    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant> {
        schedule.after(&t).next()
    }

    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant> {
        schedule.after(&t)
    }
}
