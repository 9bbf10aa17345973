//! Schedules in other dialects in files.

use millicron::{Schedule, schedule, serde};
use serde_json::{Deserializer, json};

/// Reads and writes a schedule as a struct with `#[serde(with = "…")]` does.
macro_rules! check {
    ($dialect:ident, $text:literal, $schedule:expr) => {{
        let json = json!($text);
        let read = serde::$dialect::deserialize(&json).expect($text);
        assert_eq!(read, $schedule);
        let written = serde::$dialect::serialize(&read, serde_json::value::Serializer);
        assert_eq!(written.expect($text), json);
    }};
}

#[test]
fn each_dialect_is_read_and_written() {
    let weekdays: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    check!(crontab, "30 9 * * MON-FRI", weekdays);
    check!(cron_crate, "0 30 9 * * MON-FRI", weekdays);
    check!(systemd, "Mon..Fri 09:30:00", weekdays);
    check!(quartz, "0 30 9 ? * MON-FRI", schedule!("2000-2099.*.* Mon-Fri 09:30:00"));
}

#[test]
fn errors_are_those_of_the_dialect() {
    let error = serde::crontab::deserialize(&mut Deserializer::from_str(r#""30 25 * * *""#));
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("hour `25` is out of range: expected 0-23 (bytes 3..5 of the schedule)"),
        "{error}"
    );
    let error = serde::quartz::deserialize(&json!(5)).unwrap_err().to_string();
    assert_eq!(
        error,
        "invalid type: integer `5`, expected a Quartz schedule in quotes, such as \
         \"0 30 9 ? * MON-FRI\""
    );
    let half_seconds = schedule!("*:*:*.500");
    let error = serde::crontab::serialize(&half_seconds, serde_json::value::Serializer);
    assert_eq!(error.unwrap_err().to_string(), "crontab has no milliseconds");
}
