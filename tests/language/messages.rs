//! Messages of texts that are not schedules: what they offer to write instead.

use millicron::Field::{Day, Hour, Millisecond, Minute, Month, Second, Weekday, Year};
use millicron::{Field, ParseErrorKind, Schedule};

/// The end of several messages.
const TIME_FORM: &str = "a schedule ends with a time, `HH:mm:ss` or `HH:mm:ss.fff`";

/// Asserts the field that an error is about, the text in its span and its message.
#[track_caller]
fn assert_error(text: &str, field: Field, offender: &str, message: &str) {
    let error = text.parse::<Schedule>().expect_err(text);
    assert_eq!(error.to_string(), message, "{text:?}");
    assert_eq!(error.kind().field(), field, "{text:?}");
    assert_eq!(&text[error.span()], offender, "{text:?}");
}

#[test]
fn short_times_are_completed() {
    for (text, field, time) in [
        ("9:30", Second, "9:30:00"),
        ("09:30", Second, "09:30:00"),
        ("*/2:0,30", Second, "*/2:0,30:00"),
        (" *.*.* Mon-Fri 09:30 \r\n", Second, "09:30:00"),
        ("12", Minute, "12:00:00"),
        ("*.*.1 *:5", Second, "*:5:00"),
        ("9:30..16:00:00/5m", Second, "9:30:00..16:00:00/5m"),
        ("9:30..16:00/5m", Second, "9:30:00..16:00:00/5m"),
        ("9..=16:00/5m", Minute, "9:00:00..=16:00:00/5m"),
        ("9:30../5m", Second, "9:30:00../5m"),
    ] {
        let message = format!("the {field} is missing: write `{time}`; {TIME_FORM}");
        assert_error(text, field, "", &message);
        assert!(time.parse::<Schedule>().is_ok(), "{time}");
    }
    let message = format!("the second is missing: write `9:30:00..16:00:00/5m`; {TIME_FORM}");
    assert_error("9:30:00..16:00/5m", Second, "", &message);
    // What cannot be completed is not offered.
    for (text, field) in [
        ("01:32:0..10/2.5", Minute),
        ("9:30..16:00", Second),
        ("9:30..16:00/5", Second),
        ("9:30:00..16:00/5", Second),
    ] {
        assert_error(text, field, "", &format!("the {field} is missing: {TIME_FORM}"));
    }
    // `12:00:00.123` or `00:12:00.123`? And no time at all has no completion.
    let message = format!("the second is missing: {TIME_FORM}");
    assert_error("12:*.123", Second, "", &message);
    assert_error("*.*.* *", Hour, "", &format!("the hour is missing: {TIME_FORM}"));
    // A text that does not fit into the error is not shown in part.
    let long = format!("{}:30", "1,".repeat(40) + "2");
    assert_error(&long, Second, "", &message);
}

#[test]
fn iso_dates_are_rewritten_with_dots() {
    for (text, offender, schedule) in [
        ("2026-11-22T10:00:00", "2026-11-22T10:00:00", "2026.11.22 10:00:00"),
        ("2026-11-22T10:00", "2026-11-22T10:00", "2026.11.22 10:00:00"),
        ("2026-11-22 10:00:00", "2026-11-22 10:00:00", "2026.11.22 10:00:00"),
        ("2026-11-22 \t10:00:00\n", "2026-11-22 \t10:00:00", "2026.11.22 10:00:00"),
        // Half a second in ISO 8601 is 500 ms, and `.5` in a schedule would be 5 ms.
        ("2026-11-22T10:00:00.5", "2026-11-22T10:00:00.5", "2026.11.22 10:00:00.500"),
        ("*-*-01 00:00:00", "*-*-01 00:00:00", "*.*.01 00:00:00"),
        ("*-02-29 00:00:00", "*-02-29 00:00:00", "*.02.29 00:00:00"),
        ("2028-02-29T00:00", "2028-02-29T00:00", "2028.02.29 00:00:00"),
        ("2026-*-31 00:00:00", "2026-*-31 00:00:00", "2026.*.31 00:00:00"),
        ("2024/12/25 09:00:00", "2024/12/25 09:00:00", "2024.12.25 09:00:00"),
        ("2024/12/25 9:00", "2024/12/25 9:00", "2024.12.25 9:00:00"),
    ] {
        let message = format!("a date is written with dots: write `{schedule}`");
        assert_error(text, Year, offender, &message);
        assert!(schedule.parse::<Schedule>().is_ok(), "{schedule}");
    }
    for zone in ["Z", "+01:00", "-05:00", "+01:00[Europe/Berlin]", " UTC", " Europe/Berlin"] {
        let message = "a date is written with dots: write `2026.11.22 10:00:00`, and pass the \
                       time zone to `Schedule::in_zone`";
        let text = format!("2026-11-22T10:00:00{zone}");
        assert_error(&text, Year, "2026-11-22T10:00:00", message);
    }
    let message = "a date is written with dots: write `2026.11.22`; \
                   the form is `yyyy.MM.dd w HH:mm:ss.fff`";
    assert_error("2026-11-22", Year, "2026-11-22", message);
    assert_error("2026-11-22 Sun 10:00:00", Year, "2026-11-22", message);
    // These are not schedules in any form.
    for text in [
        "1999-11-22T10:00:00",
        "22-11-2026 10:00:00",
        "22/11/2026 10:00:00",
        "2026-13-22T10:00:00",
        // As a schedule, day 32 is the last day.
        "2026-11-32",
        "2026-*-32",
        "2026-02-30T10:00:00",
        "2026-02-29T10:00:00",
        "*-02-30",
        "2026-04-31 10:00:00",
        "2026-11-22T25:00:00",
        "2026-11-22T10:00:00.123456",
        "2026-11-22T",
        "2026-11-22 10:00:00 or so",
    ] {
        let error = text.parse::<Schedule>().unwrap_err();
        assert_eq!(error.kind(), ParseErrorKind::IsoDate, "{text}");
        assert_eq!(
            error.to_string(),
            "a date is written with dots, and separated from the time by a space: \
             the form is `yyyy.MM.dd w HH:mm:ss.fff`",
            "{text}"
        );
    }
}

#[test]
fn keys_of_timers_are_no_part_of_a_schedule() {
    let message = "`OnCalendar` is the key of a systemd timer and not part of the schedule: write only \
                   what follows `OnCalendar=`";
    for text in ["OnCalendar=Mon *-*-* 09:00:00", "OnCalendar = daily", " OnCalendar=\t12:00:00"] {
        assert_error(text, Weekday, "OnCalendar", message);
    }
}

#[test]
fn time_zones_are_answered_with_in_zone_and_zoned_schedule() {
    let name = "which has the name of its time zone after the time";
    let offset = "with a name such as `Europe/Berlin` or `UTC` in place of the offset";
    for (text, zone, what) in [
        ("10:00:00 Europe/Berlin", "Europe/Berlin", name),
        ("*.*.* Mon-Fri 09:30:00 America/New_York\n", "America/New_York", name),
        ("12:00:00 America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires", name),
        ("Europe/Berlin 10:00:00", "Europe/Berlin", name),
        ("10:00:00 UTC", "UTC", name),
        ("10:00:00 CEST", "CEST", name),
        ("10:00:00 Etc/GMT+5", "Etc/GMT+5", name),
        ("10:00:00 [Asia/Tokyo]", "[Asia/Tokyo]", name),
        ("10:00:00 +01:00", "+01:00", offset),
        ("10:00:00 -0500", "-0500", offset),
        ("10:00:00Z", "Z", offset),
        ("10:00:00.000Z", "Z", offset),
        ("10:00:00+01:00", "+01:00", offset),
    ] {
        let message = format!(
            "`{zone}` is a time zone, which is not part of a `Schedule`: leave it out, and pass the \
             time zone to `Schedule::in_zone`; or parse the text as a `ZonedSchedule`, {what}"
        );
        assert_error(text, Hour, zone, &message);
    }
    // Weekdays are not time zones, even in capitals.
    for part in ["Mon", "MON", "Mon-Fri", "*.*.*", "PX", "Mon/Tue", "B", "B#3"] {
        let message = format!(
            "`{part}` comes after the time, which must be last: the form is \
             `yyyy.MM.dd w HH:mm:ss.fff`"
        );
        assert_error(&format!("10:00:00 {part}"), Hour, part, &message);
    }
    let rest = "*.*.* Tue 10:00:00";
    let message = format!(
        "`{rest}` comes after the time, which must be last: the form is `yyyy.MM.dd w HH:mm:ss.fff`; \
         schedules are separated by `;`"
    );
    assert_error(&format!("*.*.* Mon 09:00:00, {rest}"), Hour, rest, &message);
}

#[test]
fn weekdays_without_a_date_are_completed() {
    for (text, weekday, schedule) in [
        ("Sunday 10:00:00", "Sunday", "*.*.* Sun 10:00:00"),
        ("Sun 10:00:00", "Sun", "*.*.* Sun 10:00:00"),
        ("monday-FRIDAY  09:30:00.500\n", "monday-FRIDAY", "*.*.* Mon-Fri 09:30:00.500"),
        ("Mo,Thurs 09:30", "Mo,Thurs", "*.*.* Mon,Thu 09:30:00"),
        ("1-5 9:30", "1-5", "*.*.* 1-5 9:30:00"),
    ] {
        let message = format!("the date before the weekday is missing: write `{schedule}`");
        assert_error(text, Year, weekday, &message);
        assert!(schedule.parse::<Schedule>().is_ok(), "{schedule}");
    }
    assert_error(
        "Sunday 25:00:00",
        Year,
        "Sunday",
        "the date before the weekday is missing: write `*.*.* Sun HH:mm:ss`",
    );
    let weekdays = ["Sun"; 30].join(",");
    assert_error(
        &format!("{weekdays} 10:00:00"),
        Year,
        &weekdays,
        "the date before the weekday is missing: a date has the form `yyyy.MM.dd`",
    );
    // With a date, these would still be wrong.
    for (text, offender, message) in [
        (
            "Sat-Mon 10:00:00",
            "Sat-Mon",
            "weekday range `Sat-Mon` runs downwards: write `Sat,Sun-Mon`",
        ),
        (
            "Saturday-Monday 10:00:00",
            "Saturday",
            "`Saturday` is not a valid weekday: expected 0-6, or Sun-Sat; write `Sat`",
        ),
        ("Mon/2 10:00:00", "Mon/2", "weekday `Mon/2` has a step but no range: write `1-6/2`"),
        ("Mon-Fri/0 10:00:00", "0", "weekday step `0` is out of range: expected 1-6"),
        ("Mon, 10:00:00", "", "a value is missing in the weekday: expected 0-6, or Sun-Sat"),
    ] {
        assert_error(text, Weekday, offender, message);
    }
    // `Someday` is not a weekday, and a single letter is not enough for one.
    for word in ["Someday", "F"] {
        let message = "the month is missing: a date has the form `yyyy.MM.dd`";
        assert_error(&format!("{word} 10:00:00"), Month, word, message);
    }
}

#[test]
fn long_and_short_forms_of_names_are_answered_with_the_name() {
    for (text, offender, message) in [
        (
            "*.*.* Monday 10:00:00",
            "Monday",
            "`Monday` is not a valid weekday: expected 0-6, or Sun-Sat; write `Mon`",
        ),
        (
            "*.*.* Mon-Thurs 10:00:00",
            "Thurs",
            "`Thurs` is not a valid weekday: expected 0-6, or Sun-Sat; write `Thu`",
        ),
        (
            "*.*.* we 10:00:00",
            "we",
            "`we` is not a valid weekday: expected 0-6, or Sun-Sat; write `Wed`",
        ),
        (
            "*.SEPTEMBER.1 10:00:00",
            "SEPTEMBER",
            "`SEPTEMBER` is not a valid month: expected 1-12, or Jan-Dec; write `Sep`",
        ),
        // June or July? Tuesday or Thursday? And `Monkey` only starts like a name.
        ("*.Ju.1 10:00:00", "Ju", "`Ju` is not a valid month: expected 1-12, or Jan-Dec"),
        ("*.*.* T 10:00:00", "T", "`T` is not a valid weekday: expected 0-6, or Sun-Sat"),
        (
            "*.*.* Monkey 10:00:00",
            "Monkey",
            "`Monkey` is not a valid weekday: expected 0-6, or Sun-Sat",
        ),
        ("noon:00:00", "noon", "`noon` is not a valid hour: expected 0-23"),
    ] {
        let field = text.parse::<Schedule>().unwrap_err().kind().field();
        assert_error(text, field, offender, message);
    }
}

#[test]
fn ranges_between_two_times_are_answered_with_windows_and_hours() {
    for (text, offender, from, to, hours) in [
        ("09:30-16:00:00", "09:30-16:00:00", 9, 15, "9-15"),
        ("09:30-16:00", "09:30-16:00", 9, 15, "9-15"),
        ("09:30:00-16:30:00", "09:30:00-16:30:00", 9, 16, "9-16"),
        ("*.*.* Mon-Fri 9:00-17:00:00", "9:00-17:00:00", 9, 16, "9-16"),
        ("*.*.* Mon-Fri 09:30 - 16:00", "09:30 - 16:00", 9, 15, "9-15"),
        ("22:00:00-06:00:00", "22:00:00-06:00:00", 22, 5, "22-23,0-5"),
        ("18:00:00-24:00:00", "18:00:00-24:00:00", 18, 23, "18-23"),
    ] {
        let message = format!(
            "`{offender}` spans several fields, but a range must be within one: write a window \
             with a step, such as `09:30:00..16:00:00/15m`, or a range of hours, such as \
             `{hours}:*:00` for every minute from {from}:00 to {to}:59"
        );
        assert_error(text, Hour, offender, &message);
        let kind = text.parse::<Schedule>().unwrap_err().kind();
        assert_eq!(kind, ParseErrorKind::TimeRange { from, to }, "{text}");
        assert!(format!("{hours}:*:00").parse::<Schedule>().is_ok(), "{hours}");
    }
    // These are ranges within one field.
    assert_error(
        "*:50-10:00",
        Minute,
        "50-10",
        "minute range `50-10` runs downwards: write `50-59,0-10`",
    );
    assert!("9:00-17:30".parse::<Schedule>().is_ok());
}

#[test]
fn lines_that_no_dialect_reads_are_shown_the_form() {
    for line in ["0 */5 * * * * * *", "61 * * * *", "0 9 * * *\n0 10 * * *"] {
        assert_error(
            line,
            Hour,
            line,
            "this looks like a crontab line: a schedule has the form \
             `yyyy.MM.dd w HH:mm:ss.fff`, with `*` for every value of a field",
        );
    }
}

#[test]
fn line_breaks_and_other_white_space_inside_a_text_are_named() {
    for (text, field) in [
        ("*.*.*\n10:00:00", Minute),
        ("*.*.*\r\n10:00:00\r\n", Minute),
        ("10:00:00\n11:00:00", Second),
    ] {
        let offender = if text.contains('\r') { "\r" } else { "\n" };
        let message = format!(
            "unexpected line break in the {field}: write the schedule on one line, with spaces or \
             tabs between its parts"
        );
        assert_error(text, field, offender, &message);
    }
    for (text, offender, code) in
        [("*.*.*\u{a0}10:00:00", "\u{a0}", "U+00A0"), ("*.*.*\u{b}10:00:00", "\u{b}", "U+000B")]
    {
        let message = format!(
            "unexpected character {code} in the minute: use spaces or tabs between the parts of a \
             schedule"
        );
        assert_error(text, Minute, offender, &message);
    }
}

#[test]
fn other_messages_say_what_is_allowed() {
    for (text, field, offender, message) in [
        (
            "\n",
            Hour,
            "\n",
            "the schedule is empty: write at least an hour, a minute and a second; \
             the full form is `yyyy.MM.dd w HH:mm:ss.fff`",
        ),
        (
            "*.*.* * * 12:00:00",
            Hour,
            "*",
            "unexpected `*` before the time: only a date and a weekday come before it, each \
             without spaces; the form is `yyyy.MM.dd w HH:mm:ss.fff`",
        ),
        (
            "2021.2 12:00:00",
            Day,
            "",
            "the day of month is missing: a date has the form `yyyy.MM.dd`",
        ),
        (
            "*.*.*.* 12:00:00",
            Day,
            ".*",
            "unexpected `.*` after the day of month: a date has the form `yyyy.MM.dd`",
        ),
        (
            "*.*.* 1.2 12:00:00",
            Weekday,
            ".2",
            "unexpected `.2` after the weekday: a weekday is a single field, 0-6 or Sun-Sat",
        ),
        ("1:0:0.", Millisecond, "", "a value is missing in the millisecond: expected 0-999"),
        ("+1:0:0", Hour, "+", "unexpected `+` in the hour: expected 0-23"),
        (
            "*.? 0:0:0",
            Month,
            "?",
            "unexpected `?` in the month: expected 1-12, or Jan-Dec; for every month, write `*`",
        ),
        (
            "１:0:0",
            Hour,
            "１",
            "unexpected `１` in the hour: expected 0-23; digits must be ASCII, `0` to `9`",
        ),
        (
            "1999.1.1 0:0:0",
            Year,
            "1999",
            "year `1999` is out of range: expected 2000-2100; a date has the form `yyyy.MM.dd`",
        ),
        (
            "*.*.* 7 0:0:0",
            Weekday,
            "7",
            "weekday `7` is out of range: expected 0-6, or Sun-Sat; Sunday is 0",
        ),
        (
            "*:0,*:00",
            Minute,
            "*",
            "`*` means every minute and must be alone in its field: remove the `*` or the other \
             items; expected 0-59",
        ),
        ("*:5/10:00", Minute, "5/10", "minute `5/10` has a step but no range: write `5-59/10`"),
        // With the range, it would have a step of 1, and 5 milliseconds.
        ("*.1/3.* 12:00:00", Month, "1/3", "month `1/3` has a step but no range: write `1-12/3`"),
        ("*:2:0/1.5", Second, "0/1", "second `0/1` has a step but no range"),
        ("*:*/0:00", Minute, "0", "minute step `0` is out of range: expected 1-59"),
        (
            "2021.2.28 3 0:0:0",
            Weekday,
            "2021.2.28 3",
            "`2021.2.28 3` never occurs: none of these dates falls on such a weekday; \
             expected a weekday of one of the dates",
        ),
    ] {
        assert_error(text, field, offender, message);
    }
}

#[test]
fn messages_do_not_pass_on_characters_that_a_terminal_obeys() {
    for hidden in ['\u{202e}', '\u{2066}', '\u{61c}', '\u{200f}', '\u{2060}', '\u{feff}', '\u{1b}']
    {
        let error = Schedule::parse(&format!("*:{hidden}:00")).expect_err("it is no minute");
        let text = format!("{error:#}");
        assert!(!text.contains(hidden) && text.contains("*:\u{fffd}:00"), "{text}");
    }
}

#[test]
fn descending_ranges_with_the_longest_step_have_a_message() {
    assert_error(
        "*.12-3/4294967295.* 0:0:0",
        Month,
        "12-3/4294967295",
        "month range `12-3/4294967295` runs downwards: write `12`",
    );
}

/// Returns the values of a field as a list.
fn list(values: std::ops::Range<u32>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

/// Asserts the message of a text with an invalid `60`, and the part of the text that is shown.
#[track_caller]
fn assert_shown(text: &str, field: Field, before: &str, shown: &str, after: &str) {
    let error = text.parse::<Schedule>().expect_err(text);
    let place = text.rfind("60").expect("the invalid value");
    assert_eq!(error.span(), place..place + 2, "{text}");
    let indent = format!("{before}{shown}").find("60").expect("it is shown");
    // An ellipsis takes one column, and more bytes.
    let indent = " ".repeat(indent - before.len() + before.chars().count());
    assert_eq!(
        format!("{error:#}"),
        format!(
            "{field} `60` is out of range: expected 0-59\n  |\n  | {before}{shown}{after}\n  | \
             {indent}^^"
        )
    );
}

#[test]
fn long_texts_are_shown_around_the_error() {
    let text = format!("*:{},60,{}:00", list(0..30), list(30..60));
    let place = text.find("60").expect("the invalid value");
    assert_shown(&text, Minute, "…", &text[place - 24..place + 40], "…");
    assert_shown("*:60:00", Minute, "", "*:60:00", "");
}

#[test]
fn members_of_unions_are_shown_with_their_neighbors() {
    let union = "09:00:00; 10:00:00; 11:00:00; 12:00:60";
    assert_shown(union, Second, "", union, "");
    // As much before the member as there is room for.
    let member = format!("*:{}:60", list(0..18));
    let union = "09:00:00; ".repeat(6) + &member;
    assert_shown(&union, Second, "…", &union[union.len() - 64..], "");
    let union = "09:00:00; ".repeat(6) + "10:00:60";
    assert_shown(&union, Second, "…", &union[union.len() - 8 - 24..], "");
    // A long member is cut as if it were alone.
    let union = format!("9:00:00; *:{}:60; 10:00:00", list(0..60));
    let place = union.rfind("60").expect("the invalid value");
    assert_shown(&union, Second, "…", &union[place - 24..], "");
}

#[test]
fn long_words_are_cut_in_messages() {
    for (length, shown) in [(32, "x".repeat(32)), (33, "x".repeat(32) + "…")] {
        let text = format!("*.*.* {} 12:00:00", "x".repeat(length));
        let message = format!("`{shown}` is not a valid weekday: expected 0-6, or Sun-Sat");
        assert_error(&text, Weekday, &"x".repeat(length), &message);
    }
}
