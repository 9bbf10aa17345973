//! [`Answer`]: the events that one side finds for a text.

use std::fmt::{self, Display, Formatter};

use chrono::{DateTime, Datelike as _, NaiveDateTime, SubsecRound as _, Timelike as _};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use millicron::{Dialect, Schedule};

use crate::STARTS;

/// How many events are compared after each start.
const EVENTS: usize = 3;

/// How many events of the chain after the first start are compared.
const CHAIN: usize = 1000;

/// The events that one side finds for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The reason why the text has no events, such as `refused`.
    Without(String),
    /// For each start, the first events after it, followed by the number and the checksum of the events
    /// in the chain.
    With(Vec<String>),
}

impl Answer {
    /// Returns the answer of this crate.
    pub(crate) fn ours(dialect: Dialect, text: &str) -> Self {
        let (schedule, zone) = match dialect.parse_with_zone(text) {
            Ok(read) => read,
            Err(error) => return Self::Without(error.to_string()),
        };
        let Some(name) = zone else {
            return Self::of(|start| schedule.upcoming(start));
        };
        match TimeZone::get(name) {
            Ok(zone) => Self::of(|start| events_in_zone(&schedule, &zone, start)),
            Err(error) => Self::Without(error.to_string()),
        }
    }

    /// Returns the answer of a schedule whose events after a start an iterator returns.
    pub(crate) fn of<I: Iterator<Item = NaiveDateTime>>(
        events: impl Fn(NaiveDateTime) -> I,
    ) -> Self {
        let starts = STARTS.map(|start| start.parse().expect("a date and a time"));
        let mut answers: Vec<_> = starts
            .into_iter()
            .map(|start| {
                let list: Vec<_> = events(start).take(EVENTS).map(shown).collect();
                if list.is_empty() { "-".to_owned() } else { list.join(",") }
            })
            .collect();
        let mut count = 0;
        let mut checksum = 0;
        for event in events(starts[0]).take(CHAIN) {
            let year = u64::try_from(event.year()).expect("a year after 0");
            let date = year * 10_000 + u64::from(event.month() * 100 + event.day());
            let time = event.hour() * 10_000 + event.minute() * 100 + event.second();
            checksum = (checksum * 31 + date) % 0x7fff_ffff;
            checksum = (checksum * 31 + u64::from(time)) % 0x7fff_ffff;
            count += 1;
        }
        answers.push(format!("{count}:{checksum}"));
        Self::With(answers)
    }

    /// Returns whether both sides have no events, for any reason, or both have the same events.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Without(_), Self::Without(_)) => true,
            _ => self == other,
        }
    }
}

impl Display for Answer {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without(reason) => write!(formatter, "{reason}"),
            Self::With(answers) => write!(formatter, "{}", answers.join("\n    ")),
        }
    }
}

/// Returns the events of a schedule in a time zone, converted to UTC, after an instant in UTC.
fn events_in_zone(
    schedule: &Schedule,
    zone: &TimeZone,
    start: NaiveDateTime,
) -> impl Iterator<Item = NaiveDateTime> {
    let start = Timestamp::from_second(start.and_utc().timestamp()).expect("an instant");
    let events = schedule.upcoming(start.to_zoned(zone.clone()));
    events.map(|event| {
        let millisecond = event.timestamp().as_millisecond();
        DateTime::from_timestamp_millis(millisecond).expect("an instant").naive_utc()
    })
}

fn shown(event: NaiveDateTime) -> String {
    event.trunc_subsecs(0).format("%Y-%m-%dT%H:%M:%S").to_string()
}
