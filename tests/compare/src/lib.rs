//! One function for each schedule library, so that tests can run the same query on all.
//!
//! Each function parses an expression in the library's own syntax and returns its first events
//! after an instant, in the time zone of that instant, written as `2026-11-22 09:30:00 +0000`. An
//! expression that the library refuses is an error with the library's message.

pub mod corpus;

use std::str::FromStr;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use jiff::Zoned;

/// The first events of a schedule, or the reason why it has none.
pub type Events = Result<Vec<String>, String>;

const FORMAT: &str = "%Y-%m-%d %H:%M:%S %z";

/// Returns the first events of `millicron`.
///
/// # Errors
///
/// The text is not a schedule.
pub fn millicron(text: &str, after: &str, count: usize) -> Events {
    let schedule = millicron::Schedule::parse(text).map_err(|error| error.to_string())?;
    Ok(schedule.upcoming(zoned(after)).take(count).map(|at| in_jiff(&at)).collect())
}

/// Returns the first events of `cron`.
///
/// # Errors
///
/// The text is not a schedule.
pub fn cron(text: &str, after: &str, count: usize) -> Events {
    let schedule = cron::Schedule::from_str(text).map_err(|error| error.to_string())?;
    Ok(schedule.after(&chrono_in_zone(after)).take(count).map(in_chrono).collect())
}

/// Returns the first events of `croner`.
///
/// # Errors
///
/// The text is not a schedule, or the search fails.
pub fn croner(text: &str, after: &str, count: usize) -> Events {
    let pattern = croner::Cron::from_str(text).map_err(|error| error.to_string())?;
    let after = chrono_in_zone(after);
    pattern.find_next_occurrence(&after, false).map_err(|error| error.to_string())?;
    Ok(pattern.iter_after(after).take(count).map(in_chrono).collect())
}

/// Returns the first events of `saffron`, which knows only UTC.
///
/// # Errors
///
/// The text is not a schedule.
pub fn saffron(text: &str, after: &str, count: usize) -> Events {
    let cron = saffron::Cron::from_str(text).map_err(|error| format!("{error:?}"))?;
    Ok(cron.iter_after(chrono_in_zone(after).to_utc()).take(count).map(in_chrono).collect())
}

/// Returns the first events of `jiff-cron`.
///
/// # Errors
///
/// The text is not a schedule.
pub fn jiff_cron(text: &str, after: &str, count: usize) -> Events {
    let schedule = jiff_cron::Schedule::from_str(text).map_err(|error| error.to_string())?;
    Ok(schedule.after(zoned(after)).take(count).map(|at| in_jiff(&at)).collect())
}

/// Returns the first events of `cronexpr`, with the zone of `after` appended to the expression.
///
/// # Errors
///
/// The text is not a schedule, or the search fails.
///
/// # Panics
///
/// Panics if `after` is not an instant with the name of a zone.
pub fn cronexpr(text: &str, after: &str, count: usize) -> Events {
    let after = zoned(after);
    let zone = after.time_zone().iana_name().expect("a zone with a name");
    let parsed = cronexpr::parse_crontab(&format!("{text} {zone}"));
    let crontab = parsed.map_err(|error| error.to_string())?;
    let start = cronexpr::MakeTimestamp(after.timestamp());
    let events = crontab.iter_after(start).map_err(|error| error.to_string())?;
    let event = |event: Result<Zoned, cronexpr::Error>| event.map(|at| in_jiff(&at));
    events.take(count).map(event).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// Returns the first events of `crontime`, which knows only fixed offsets.
///
/// # Errors
///
/// The text is not a schedule.
///
/// # Panics
///
/// Panics if `after` is not an instant with the name of a zone.
pub fn crontime(text: &str, after: &str, count: usize) -> Events {
    let start = zoned(after).timestamp().as_second();
    let start = time::OffsetDateTime::from_unix_timestamp(start).expect("an instant");
    let events = crontime::build(start, text).map_err(|error| error.to_string())?;
    let seconds = events.take(count).map(time::OffsetDateTime::unix_timestamp);
    Ok(seconds.map(|second| in_chrono(DateTime::from_timestamp(second, 0).expect("it"))).collect())
}

/// Returns an instant in a zone.
///
/// # Panics
///
/// Panics if the text is not an instant with the name of a zone.
#[must_use]
pub fn zoned(text: &str) -> Zoned {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns an instant in a zone, in the types of `chrono` and `chrono-tz`.
///
/// # Panics
///
/// Panics if the text is not an instant with the name of a zone.
#[must_use]
pub fn chrono_in_zone(text: &str) -> DateTime<Tz> {
    let zoned = zoned(text);
    let zone = zoned.time_zone().iana_name().and_then(|name| Tz::from_str(name).ok());
    let nanosecond = i64::try_from(zoned.timestamp().as_nanosecond()).expect("a recent instant");
    DateTime::<Utc>::from_timestamp_nanos(nanosecond).with_timezone(&zone.expect("a zone"))
}

/// Writes an instant.
#[must_use]
pub fn in_jiff(at: &Zoned) -> String {
    at.strftime(FORMAT).to_string()
}

/// Writes an instant.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "so that it can be passed to `map`")]
pub fn in_chrono<Z: chrono::TimeZone<Offset: std::fmt::Display>>(at: DateTime<Z>) -> String {
    at.format(FORMAT).to_string()
}
