//! Schedules and civil times in files: their texts, and the errors for bad ones.

use std::collections::BTreeMap;
use std::error::Error;

use millicron::serde::ScheduleSeed;
use millicron::{Calendar, CalendarDigits, Fold, Gap, ParseError, Schedule, schedule};
use serde_core::de::{DeserializeOwned, DeserializeSeed as _};
use serde_json::{Value, from_reader, from_slice, from_str, from_value, json, to_string, to_value};

/// Returns the error message for JSON that is not a schedule.
fn refusal(json: &str) -> String {
    from_str::<Schedule>(json).expect_err(json).to_string()
}

#[test]
fn schedules_are_serialized_as_written() -> Result<(), Box<dyn Error>> {
    for text in [
        "*:00:00",
        "1,2,3:0:0",
        " *.*.*\t mon-FRI 009:30:00.5 ",
        "*.1-12.32 0-6 0:0:*/7",
        "*:0:0\r\n",
    ] {
        let schedule: Schedule = text.parse()?;
        let json = to_string(&schedule)?;
        assert_eq!(from_str::<String>(&json)?, text);

        let read: Schedule = from_str(&json)?;
        assert_eq!(read, schedule, "{text:?}");
        assert_eq!(read.expression(), text);
        assert_eq!(read.next_event(0), schedule.next_event(0), "{text:?}");
        assert_eq!(to_string(&read)?, json);
    }
    Ok(())
}

#[test]
fn compiled_schedules_are_serialized_like_parsed_ones() -> Result<(), Box<dyn Error>> {
    const WEEKDAYS: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    assert_eq!(to_value(&WEEKDAYS)?, json!("*.*.* Mon-Fri 09:30:00"));
    assert_eq!(from_value::<Schedule>(to_value(WEEKDAYS)?)?, WEEKDAYS);
    Ok(())
}

#[test]
fn schedules_can_be_part_of_other_values() -> Result<(), Box<dyn Error>> {
    let json = r#"[["*:00:00", null], ["12:00:00", "13:00:00"]]"#;
    let read: Vec<(Schedule, Option<Schedule>)> = from_str(json)?;
    let [hourly, noon, one] = [schedule!("*:0:0"), schedule!("12:0:0"), schedule!("13:0:0")];
    assert_eq!(read, [(hourly, None), (noon, Some(one))]);
    assert_eq!(from_str::<Value>(&to_string(&read)?)?, from_str::<Value>(json)?);
    Ok(())
}

#[test]
fn schedules_are_read_from_texts_that_cannot_be_borrowed() -> Result<(), Box<dyn Error>> {
    let fridays = schedule!("*.*.* Fri 12:00:00");
    // With an escape, from a reader or from a value, there is no string to borrow.
    let escaped = r#""*.*.*\tFri \u0031\u0032:00:00""#;
    assert_eq!(from_str::<Schedule>(escaped)?, fridays);
    assert_eq!(from_str::<Schedule>(escaped)?.expression(), "*.*.*\tFri 12:00:00");
    let plain = r#""*.*.* Fri 12:00:00""#;
    assert_eq!(from_slice::<Schedule>(plain.as_bytes())?, fridays);
    assert_eq!(from_reader::<_, Schedule>(plain.as_bytes())?, fridays);
    assert_eq!(from_reader::<_, Schedule>(escaped.as_bytes())?, fridays);
    assert_eq!(from_value::<Schedule>(json!("*.*.* Fri 12:00:00"))?, fridays);
    Ok(())
}

#[test]
fn seeds_know_calendars_by_name() -> Result<(), Box<dyn Error>> {
    let calendars = [("office", Calendar::parse("*.*.* Mon-Fri")?)];
    let read = |json: &str| {
        let seed = ScheduleSeed::<Schedule>::new(&calendars);
        assert_eq!(format!("{seed:?}"), "ScheduleSeed { calendars: [\"office\"] }");
        seed.deserialize(&mut serde_json::Deserializer::from_str(json))
    };
    assert_eq!(read(r#""12:00:00 @office""#)?, schedule!("*.*.* Mon-Fri 12:00:00"));
    let error = read(r#""12:00:00 @factory""#).expect_err("an unknown calendar").to_string();
    let message = "`factory` is not a known calendar: expected `office` (bytes 10..17 ";
    assert!(error.starts_with(message), "{error}");
    Ok(())
}

#[test]
fn errors_end_with_the_span_in_the_schedule() {
    for (text, span) in [
        ("*.*.* Mon-Fri 22-6:00:00", "14..18"),
        ("24:00:00", "0..2"),
        ("*:00", "4..4"),
        ("", "0..0"),
        ("*.2.30 00:00:00", "0..6"),
        ("*.*.* мон 09:30:00", "6..8"),
    ] {
        let error: ParseError = text.parse::<Schedule>().expect_err(text);
        assert_eq!(format!("{:?}", error.span()), span, "{text}");
        let expected = format!("{error} (bytes {span} of the schedule)");
        let json = to_string(text).expect("a text");
        for message in [
            refusal(&json),
            from_reader::<_, Schedule>(json.as_bytes()).expect_err(text).to_string(),
            from_value::<Schedule>(json!(text)).expect_err(text).to_string(),
        ] {
            // A position in the file may follow.
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}

#[test]
fn spans_count_bytes_of_the_schedule_not_of_the_file() {
    // An escape is one byte of the schedule. Line and column refer to the file.
    let message = refusal("\n  \"\\u002a:\\u0036\\u0030:00\"");
    assert_eq!(
        message,
        "minute `60` is out of range: expected 0-59 (bytes 2..4 of the schedule) at line 2 column 26"
    );
}

#[test]
fn values_that_are_not_texts_are_answered_with_quotes() {
    let expected = "expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"";
    for (json, found) in [
        ("5", "integer `5`"),
        ("-5", "integer `-5`"),
        ("0.5", "floating point `0.5`"),
        ("true", "boolean `true`"),
        ("null", "null"),
        ("[]", "sequence"),
        (r#"["*:00:00"]"#, "sequence"),
        ("{}", "map"),
        (r#"{"at": "*:00:00"}"#, "map"),
    ] {
        let message = refusal(json);
        assert!(message.starts_with(&format!("invalid type: {found}, {expected}")), "{message}");
    }
}

#[test]
fn examples_in_messages_are_valid() {
    let message = refusal("0");
    let example = message.split('"').nth(1).expect("an example in quotes");
    assert!(example.parse::<Schedule>().is_ok(), "{message}");

    let message = from_str::<CalendarDigits>("0").expect_err("a number").to_string();
    let example = message.split('"').nth(1).expect("an example in quotes");
    assert!(example.parse::<CalendarDigits>().is_ok(), "{message}");
}

/// Parses a TOML file with the one key `at`.
fn from_toml<T: DeserializeOwned>(toml: &str) -> Result<T, String> {
    let table: BTreeMap<String, T> = toml::from_str(toml).map_err(|error| {
        // Without the excerpt of the file.
        error.message().to_owned()
    })?;
    Ok(table.into_values().next().expect("a key"))
}

/// Parses a YAML file with the one key `at`.
fn from_yaml<T: DeserializeOwned>(yaml: &str) -> Result<T, String> {
    let table: BTreeMap<String, T> =
        serde_yaml_ng::from_str(yaml).map_err(|error| error.to_string())?;
    Ok(table.into_values().next().expect("a key"))
}

#[test]
fn quoted_schedules_are_read_from_toml_and_yaml() {
    let weekdays = schedule!("*.*.* Mon-Fri 09:30:00");
    for toml in [
        r#"at = "*.*.* Mon-Fri 09:30:00""#,
        "at = '*.*.* Mon-Fri 09:30:00'",
        "at = \"\"\"\n*.*.* Mon-Fri 09:30:00\n\"\"\"",
    ] {
        assert_eq!(from_toml(toml), Ok(weekdays.clone()), "{toml}");
    }
    for yaml in [
        r#"at: "*.*.* Mon-Fri 09:30:00""#,
        "at: '*.*.* Mon-Fri 09:30:00'",
        // Block texts end in a line break.
        "at: |\n  *.*.* Mon-Fri 09:30:00\n",
        "at: >\n  *.*.*\n  Mon-Fri\n  09:30:00\n",
    ] {
        assert_eq!(from_yaml(yaml), Ok(weekdays.clone()), "{yaml}");
    }
    // Scalars that YAML reads as strings need no quotes.
    assert_eq!(from_yaml("at: 09:30:00"), Ok(schedule!("09:30:00")));
}

#[test]
fn unquoted_times_and_dates_in_toml_are_answered_with_quotes() {
    for (toml, message) in [
        (
            "at = 09:30:00",
            "invalid type: date or time, expected text: write \"09:30:00\" in quotes",
        ),
        (
            // The fraction comes as `.5`, which means 5 ms in a schedule.
            "at = 09:30:00.500",
            "invalid type: date or time, \
             expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"",
        ),
        (
            "at = 2026-11-22T10:00:00",
            "invalid type: date or time, \
             expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"",
        ),
        (
            "at = 2026-11-22",
            "invalid type: date or time, \
             expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"",
        ),
        (
            "at = 10",
            "invalid type: integer `10`, \
             expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"",
        ),
        (
            "at = { every = 5 }",
            "invalid type: map, \
             expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"",
        ),
    ] {
        assert_eq!(from_toml::<Schedule>(toml), Err(message.to_owned()), "{toml}");
    }
}

#[test]
fn unquoted_numbers_in_yaml_are_answered_with_quotes() {
    let expected = "expected a schedule in quotes, such as \"*.*.* Mon-Fri 09:30:00\"";
    for (yaml, found) in [
        // How YAML 1.1 reads 12:30:00 without quotes.
        ("45000", "integer `45000`"),
        ("2026.11", "floating point `2026.11`"),
        ("null", "unit value"),
        ("[1, 2]", "sequence"),
        ("{9: 30}", "map"),
    ] {
        // `serde_yaml_ng` itself reads a scalar as text where a text is expected.
        let value: serde_yaml_ng::Value = serde_yaml_ng::from_str(yaml).expect(yaml);
        let message = serde_yaml_ng::from_value::<Schedule>(value).expect_err(yaml).to_string();
        let invalid = format!("invalid type: {found}, {expected}");
        assert!(message.contains(&invalid), "{yaml}: {message}");
    }
}

#[test]
fn calendar_digits_are_serialized_as_their_text() -> Result<(), Box<dyn Error>> {
    for text in
        ["2021-02-28 12:00:00.000", "-292275055-05-16 16:47:04.192", "+12345-01-01 00:00:00.007"]
    {
        let digits: CalendarDigits = text.parse()?;
        assert_eq!(to_value(digits)?, json!(text));
        assert_eq!(from_value::<CalendarDigits>(json!(text))?, digits);
    }
    let noon: CalendarDigits = "2021-02-28 12:00:00".parse()?;
    assert_eq!(from_str::<CalendarDigits>(r#""2021-02-28T12:00:00""#)?, noon);
    assert_eq!(from_toml("at = '2021-02-28 12:00:00'"), Ok(noon));
    assert_eq!(from_yaml("at: 2021-02-28 12:00:00"), Ok(noon));
    Ok(())
}

#[test]
fn bad_calendar_digits_are_refused() {
    let refusal = |json: &str| from_str::<CalendarDigits>(json).expect_err(json).to_string();
    let message = refusal(r#""2021-02-29 12:00:00""#);
    let expected = "day of month 29 is out of range: expected 1-28 in February 2021";
    assert!(message.starts_with(expected), "{message}");
    let message = refusal("1614513600000");
    let expected = "invalid type: integer `1614513600000`, \
                    expected a date and time in quotes, such as \"2021-02-28 12:00:00\"";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(
        from_toml::<CalendarDigits>("at = 2021-02-28T12:00:00"),
        Err("invalid type: date or time, expected text: write \"2021-02-28T12:00:00\" in quotes"
            .to_owned())
    );
}

#[test]
fn policies_are_serialized_as_names() -> Result<(), Box<dyn Error>> {
    let gaps = to_value([Gap::Shift, Gap::Bridge, Gap::Skip])?;
    assert_eq!(gaps, json!(["shift", "bridge", "skip"]));
    assert_eq!(from_value::<[Gap; 3]>(gaps)?, [Gap::Shift, Gap::Bridge, Gap::Skip]);
    let folds = to_value([Fold::First, Fold::Second, Fold::Both])?;
    assert_eq!(folds, json!(["first", "second", "both"]));
    assert_eq!(from_value::<[Fold; 3]>(folds)?, [Fold::First, Fold::Second, Fold::Both]);
    for (json, message) in [
        (r#""Skip""#, "expected `shift`, `bridge` or `skip`"),
        ("1", "invalid type: integer `1`, expected `shift`, `bridge` or `skip`"),
    ] {
        let error = from_str::<Gap>(json).expect_err(json).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    Ok(())
}
