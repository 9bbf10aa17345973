//! `crontime`: an iterator only.

use time::OffsetDateTime;

use super::{Dialect, Peer};

/// The crate `crontime`.
///
/// It parses and starts to iterate in one call, so `next` includes parsing. Its start is the first
/// possible answer: the whole second after the instant of the query.
///
/// Version 0.4 starts correctly only from an instant that matches the schedule's lower fields,
/// such as midnight. From other instants, it may skip the first event or invent one. It ignores months
/// and weekdays, although it parses both.
#[derive(Debug)]
pub(super) struct Crontime;

impl Peer for Crontime {
    const DIALECT: Dialect = Dialect::Crontime;
    const NAME: &'static str = "crontime";
    type Instant = OffsetDateTime;
    type Schedule = &'static str;

    fn parse(expression: &'static str) -> Self::Schedule {
        let built = crontime::build(OffsetDateTime::UNIX_EPOCH, expression);
        assert!(std::hint::black_box(built).is_ok(), "not crontime's");
        expression
    }

    fn instant(millis: i64) -> Self::Instant {
        let second = millis.div_euclid(1_000) + 1;
        OffsetDateTime::from_unix_timestamp(second).expect("well inside time's range")
    }

    fn millis(instant: Self::Instant) -> i64 {
        instant.unix_timestamp() * 1_000 + i64::from(instant.millisecond())
    }

    fn next(schedule: &Self::Schedule, t: Self::Instant) -> Option<Self::Instant> {
        Self::events(schedule, t).next()
    }

    fn events(schedule: &Self::Schedule, t: Self::Instant) -> impl Iterator<Item = Self::Instant> {
        crontime::build(t, schedule).expect("parsed before")
    }
}
