//! A schedule in a file: its text, and what is told of a bad one.

use std::error::Error;

use millicron::{ParseError, Schedule, schedule};
use serde_json::{Value, from_reader, from_slice, from_str, from_value, json, to_string, to_value};

/// The message of what is not a schedule.
fn refusal(json: &str) -> String {
    from_str::<Schedule>(json).expect_err(json).to_string()
}

#[test]
fn a_schedule_is_its_text_as_written() -> Result<(), Box<dyn Error>> {
    for text in ["*:00:00", "1,2,3:0:0", " *.*.*\t mon-FRI 009:30:00.5 ", "*.1-12.32 0-6 0:0:*/7"] {
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
fn a_compiled_schedule_is_written_like_a_parsed_one() -> Result<(), Box<dyn Error>> {
    const WEEKDAYS: Schedule = schedule!("*.*.* Mon-Fri 09:30:00");
    assert_eq!(to_value(&WEEKDAYS)?, json!("*.*.* Mon-Fri 09:30:00"));
    assert_eq!(from_value::<Schedule>(to_value(WEEKDAYS)?)?, WEEKDAYS);
    Ok(())
}

#[test]
fn a_schedule_stands_wherever_a_value_can() -> Result<(), Box<dyn Error>> {
    let json = r#"[["*:00:00", null], ["12:00:00", "13:00:00"]]"#;
    let read: Vec<(Schedule, Option<Schedule>)> = from_str(json)?;
    let [hourly, noon, one] = [schedule!("*:0:0"), schedule!("12:0:0"), schedule!("13:0:0")];
    assert_eq!(read, [(hourly, None), (noon, Some(one))]);
    assert_eq!(from_str::<Value>(&to_string(&read)?)?, from_str::<Value>(json)?);
    Ok(())
}

#[test]
fn a_text_need_not_be_borrowed() -> Result<(), Box<dyn Error>> {
    let fridays = schedule!("*.*.* Fri 12:00:00");
    // Neither of an escape, nor of what is read piece by piece, nor of a value is there
    // a text to borrow from.
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
fn a_bad_text_is_refused_with_what_is_wrong_and_where() {
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
            // What follows is the place in the file, where there is one.
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}

#[test]
fn the_place_counts_in_the_text_and_not_in_the_file() {
    // An escape is one byte of the schedule; the line and the column are of the file.
    let message = refusal("\n  \"\\u002a:\\u0036\\u0030:00\"");
    assert_eq!(
        message,
        "minute `60` is out of range: allowed is 0-59 (bytes 2..4 of the schedule) at line 2 column 26"
    );
}

#[test]
fn what_is_no_text_is_refused_with_what_is_expected() {
    let expected = "expected the text of a schedule, such as `*.*.* Mon-Fri 09:30:00`";
    for (json, found) in [
        ("5", "integer `5`"),
        ("-5", "integer `-5`"),
        ("0.5", "floating point `0.5`"),
        ("true", "boolean `true`"),
        ("null", "null"),
        ("[]", "sequence"),
        (r#"["*:00:00"]"#, "sequence"),
        ("{}", "map"),
    ] {
        let message = refusal(json);
        assert!(message.starts_with(&format!("invalid type: {found}, {expected}")), "{message}");
    }
}

#[test]
fn the_text_that_is_shown_as_an_example_is_a_schedule() {
    let message = refusal("0");
    let example = message.split('`').nth(3).expect("an example in quotes");
    assert!(example.parse::<Schedule>().is_ok(), "{message}");
}
