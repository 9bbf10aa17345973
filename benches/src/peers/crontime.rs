//! `crontime`: an iterator and nothing else.

use time::OffsetDateTime;

use super::{Dialect, Peer};

/// The crate `crontime`.
///
/// It parses and starts to iterate in one call, so `next` here parses too, and
/// its start is the first instant that it may answer: the whole second after the
/// one asked about.
///
/// Version 0.4 starts rightly only from an instant that the schedule's lower
/// fields agree with, such as a midnight; from any other it may pass over the
/// first event or invent one. It checks neither months nor weekdays, though it
/// parses both.
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
