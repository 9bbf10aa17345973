//! Calendars, and schedules that depend on one.

mod generated;
mod literals;
mod quantlib;
mod queries;
mod random;
mod recorded;
mod refusals;
mod texts;
mod unions;

use millicron::{Calendar, CalendarDigits, Schedule};

/// Returns an example calendar.
fn example(name: &str) -> Calendar {
    let path = format!("{}/examples/calendars/{name}.days", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Calendar::parse(&text).unwrap_or_else(|error| panic!("{path}: {error:#}"))
}

/// Returns the midnight of a date of the form `yyyy-MM-dd`.
fn date(text: &str) -> CalendarDigits {
    format!("{text} 00:00:00").parse().expect("a date")
}

/// Returns a schedule on a calendar with the name `target`.
fn on_target(text: &str) -> Schedule {
    Schedule::parse_with(text, &[("target", example("target2"))]).expect("a schedule")
}
