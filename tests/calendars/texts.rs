//! Answers that are known, and the texts of calendars and schedules.

use millicron::{Calendar, CalendarDigits, Schedule};

use super::{date, on_target};

/// The answers of the language's documentation: a schedule, an instant, and the events after it.
const KNOWN: &[(&str, &str, &[&str])] = &[
    ("*.*.* B#3 09:00:00", "2026-11-01 00:00:00", &["2026-11-04 09:00:00"]),
    ("*.*.* B#L-2 09:00:00", "2026-11-01 00:00:00", &["2026-11-26 09:00:00"]),
    ("*.*.15>B 12:00:00", "2026-11-01 00:00:00", &["2026-11-16 12:00:00"]),
    ("*.*.15<B 12:00:00", "2026-11-01 00:00:00", &["2026-11-13 12:00:00"]),
    ("*.*.L>B 12:00:00", "2026-10-15 00:00:00", &["2026-11-02 12:00:00", "2026-11-30 12:00:00"]),
    ("*.*.L>B! 12:00:00", "2026-10-15 00:00:00", &["2026-10-30 12:00:00", "2026-11-30 12:00:00"]),
    ("*.*.25<B-2 12:00:00", "2026-10-01 00:00:00", &["2026-10-21 12:00:00"]),
    (
        "2026.01.05/3b 09:00:00",
        "2026-01-05 09:00:00",
        &["2026-01-08 09:00:00", "2026-01-13 09:00:00"],
    ),
    ("*.*.* 12:00:00 @target", "2026-04-02 12:00:00", &["2026-04-07 12:00:00"]),
    (
        "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00",
        "2026-11-22 00:00:00",
        &["2026-11-23 09:00:00", "2026-11-24 10:00:00"],
    ),
];

#[test]
fn known_answers_are_found() {
    for (text, after, events) in KNOWN {
        let schedule = on_target(text);
        let after: CalendarDigits = after.parse().expect("an instant");
        let expected = events.iter().map(|event| event.parse().expect("an instant"));
        assert!(schedule.upcoming(after).take(events.len()).eq(expected), "{text}");
    }
    let union = on_target("*:*/2:00; *:*/3:00");
    let [start, end]: [CalendarDigits; 2] = ["2026-11-22 00:00:00", "2026-11-22 00:59:59.999"]
        .map(|it| it.parse().expect("an instant"));
    assert_eq!(union.count(start..=end), 40);
}

/// The years from 2000 to 2100 begin on a Saturday and end on a Friday.
#[test]
fn days_moved_past_the_end_are_not_there() {
    let ends = |text: &str, lines: &str| {
        let calendar = Calendar::parse(lines).expect("a calendar");
        let mut events = (Schedule::parse_with(text, &[("x", calendar)]).expect("a schedule"))
            .events(CalendarDigits::MIN..);
        [events.next(), events.next_back()].map(|event| event.expect("an event").to_string())
    };
    let all_but_the_last = "*.*.* Mon-Fri\n- 2100-12-31";
    for (text, lines, expected) in [
        ("*.1.1<B 0:0:0 @x", "*.*.* Mon-Fri", ["2001-01-01", "2100-01-01"]),
        ("*.1.1<B! 0:0:0 @x", "*.*.* Mon-Fri", ["2000-01-03", "2100-01-01"]),
        ("*.12.L>B 0:0:0 @x", "*.*.* Mon-Fri", ["2001-01-01", "2100-12-31"]),
        ("*.12.L>B 0:0:0 @x", all_but_the_last, ["2001-01-01", "2099-12-31"]),
        ("*.12.L>B! 0:0:0 @x", all_but_the_last, ["2000-12-29", "2100-12-30"]),
        ("*.12.L<B+1 0:0:0 @x", "*.*.* Mon-Fri", ["2001-01-01", "2100-01-01"]),
        ("*.12.15>B+99 0:0:0 @x", "*.*.* Mon-Fri", ["2001-05-03", "2100-05-03"]),
        // Past the last day of a calendar that ends early.
        ("*.*.15>B 0:0:0 @x", "2026-01-01..=2026-02-14", ["2026-01-01", "2026-01-15"]),
        ("*.*.15>B! 0:0:0 @x", "2026-01-01..=2026-02-14", ["2026-01-15", "2026-02-14"]),
    ] {
        assert_eq!(ends(text, lines), expected.map(|day| format!("{day} 00:00:00.000")), "{text}");
    }
}

#[test]
fn texts_parse_back_to_equal_schedules() {
    for text in [
        "*.*.* B 12:00:00",
        "*.*.* B#L,B#L-2,B#1,Fri#2,0 12:00:00 @target",
        "*.*.13 | B#L 12:00:00 @target",
        "*.3.15>B,L<B!-2,L-3>B!,1,25>B 12:00:00",
        // Days that are moved alike are one of the eight kinds.
        "*.*.2>B,1>B,3>B,4>B,5>B,6>B,7>B,8>B,9>B 12:00:00",
        "2026.01.05/3b 09:00:00 @target",
        "*.*.* Mon 09:00:00 @target ;\n\t *.*.* Tue 10:00:00;\n 2027.*.L<B 12:00:00 ; ",
    ] {
        let schedule = on_target(text);
        assert_eq!(schedule.expression(), text);
        let canonical = schedule.to_string();
        let again = on_target(&canonical);
        assert_eq!(again, schedule, "{text}");
        assert_eq!(again.to_string(), canonical, "{text}");
    }
}

#[test]
fn equal_days_are_equal_whatever_they_are_called() {
    let weekdays = Calendar::parse("*.*.* Mon-Fri").expect("a calendar");
    let calendars = [("a", weekdays.clone()), ("b", weekdays)];
    let parse = |text| Schedule::parse_with(text, &calendars).expect("a schedule");
    let plain = parse("*.*.* Mon-Fri 09:30:00");
    for text in
        ["09:30:00 @a", "*.*.* B 09:30:00 @b", "*.*.* B 09:30:00", "*.*.* Mon-Fri 09:30:00 @a"]
    {
        assert_eq!(parse(text), plain, "{text}");
    }
    let other = [("a", Calendar::parse("*.*.* Mon-Thu").expect("a calendar"))];
    assert_ne!(Schedule::parse_with("09:30:00 @a", &other).expect("a schedule"), plain);
    assert_ne!(
        Schedule::parse_with("09:30:00 @a", &other).expect("a schedule"),
        parse("09:30:00 @a")
    );
}

#[test]
fn later_lines_hold() {
    let calendar = Calendar::parse(
        "- *.*.* Sat,Sun\r\n\
         # closed at Christmas\n\
         -*.12.24-26 # three days\n\
         +2026-12-24..2026-12-26\n\
         \t- 2026-12-25..=2026-12-25\n\n",
    )
    .expect("a calendar");
    let days = ["2026-12-23", "2026-12-24", "2026-12-25", "2026-12-26", "2026-12-28", "2027-12-24"];
    let are_in = days.map(|day| calendar.contains(date(day)));
    assert_eq!(are_in, [true, true, false, false, true, false]);
}

#[test]
fn steps_from_a_date_follow_the_sign_of_a_line() {
    for (near, apart) in [
        ("-2026.01.05/2w Mon,Thu", "- 2026.01.05/2w Mon,Thu"),
        ("\t-2026.01.05/14d", "- 2026.01.05/14d"),
        ("+2026.1.3/14d", "2026.1.3/14d"),
    ] {
        let [near, apart] = [near, apart]
            .map(|line| Calendar::parse(&format!("*.*.* Mon-Fri\n{line}")).expect("a calendar"));
        assert_eq!(near, apart);
    }
}

#[test]
fn the_text_of_a_calendar_parses_back() {
    for text in [
        "*.*.* Mon-Fri",
        "*.Easter-2",
        "2026.01.05/3d",
        "2000-2050.*.* Mon-Fri\n- *.1.1",
        "*.*.* Tue,Sun\n+ 2026-05-04..=2026-05-20\n- 2027-01-01..=2027-06-30",
        "*.*.*",
        "2000-01-01\n2100-12-31",
    ] {
        let calendar = Calendar::parse(text).expect("a calendar");
        let written = calendar.to_string();
        assert_eq!(Calendar::parse(&written).as_ref(), Ok(&calendar), "{text:?}: {written}");
    }
    let few = Calendar::parse("*.*.* Mon-Fri\n- 2026-12-24..=2027-01-03").expect("a calendar");
    assert_eq!(few.to_string(), "*.*.* Mon-Fri\n- 2026-12-24..=2027-01-01");
    // The weekdays are those of the years that it has.
    let text = "*.*.* Mon-Fri\n- 2000-01-03..=2089-12-30\n- 2091-01-01..=2100-12-31";
    let year = Calendar::parse("2090.*.* Mon-Fri").expect("a calendar");
    assert_eq!(year.to_string(), text);
}

/// Of the two Mondays and Tuesdays, the calendar has one each.
#[test]
fn weekdays_of_which_half_are_missing_are_written_as_dates() {
    let text = "+ 2026-01-05\n+ 2026-01-13";
    let calendar = Calendar::parse(text).expect("a calendar");
    assert_eq!(calendar.to_string(), text);
}

#[cfg(feature = "serde")]
#[test]
fn empty_calendars_are_not_serialized() {
    let weekdays = Calendar::parse("*.*.* Mon-Fri").expect("a calendar");
    let json = serde_json::to_string(&weekdays).expect("a text");
    assert_eq!(serde_json::from_str::<Calendar>(&json).expect("a calendar"), weekdays);
    let error = serde_json::to_string(&(&weekdays - &weekdays)).expect_err("no days");
    assert_eq!(error.to_string(), "the calendar has no days, and therefore no text");
}

#[test]
fn a_byte_order_mark_before_a_calendar_is_skipped() {
    let marked = "\u{feff}# holidays\n*.1.1\n@other";
    let texts = [("plain", "*.1.1\n*.12.25"), ("marked", marked), ("other", "\u{feff}*.12.25")];
    let calendars = Calendar::parse_all(texts).expect("calendars");
    assert_eq!(calendars["marked"], calendars["plain"]);
    let error = Calendar::parse("\u{feff}*.13.1").unwrap_err();
    assert_eq!((error.line(), error.column(), error.span()), (1, 3, 5..7));
}
