//! Texts of schedules and calendars that must be refused.

use millicron::Field::{Day, Hour, Weekday};
use millicron::{Calendar, Field, Language, ParseErrorKind, Schedule};

use crate::language::refusals::{Refusal, refuse};

const BUSINESS_DAYS: &[Refusal] = &[
    ("*.*.* B#0 12:00:00", "      ~~^", Weekday, &["`B#0`", "1 to 31"]),
    ("*.*.* B#32 12:00:00", "      ~~^^", Weekday, &["`B#32`", "1 to 31"]),
    ("*.*.* B#L-0 12:00:00", "      ~~~~^", Weekday, &["`B#L-0`", "1 to 30"]),
    ("*.*.* B#L-31 12:00:00", "      ~~~~^^", Weekday, &["`B#L-31`", "1 to 30"]),
    ("*.*.* B-Fri 12:00:00", "      ~^~~~", Weekday, &["`B-Fri`", "`B`"]),
    ("*.*.* b 12:00:00", "      ^", Weekday, &["`b`", "Sun-Sat", "write `B`"]),
    ("*.*.* LB 12:00:00", "      ^^", Weekday, &["`LB`", "write `B#L`"]),
    ("*.*.* Mon-B 12:00:00", "          ^", Weekday, &["`B`", "range", "`Sat,B`"]),
    ("*.*.* B/2 12:00:00", "      ~^~", Weekday, &["`B/2`", "`2026.01.05/2b`"]),
    ("*.*.LB 12:00:00", "    ^^", Day, &["`LB`", "`*.*.* B#L`"]),
    ("*.*.B 12:00:00", "    ^", Day, &["`B`", "`*.*.* B`"]),
    ("*.*.15>B+2! 12:00:00", "    ~~~~~~^", Day, &["`15>B+2!`", "write `15>B!+2`"]),
    ("*.*.L-3<B-12! 12:00:00", "    ~~~~~~~~^", Day, &["write `L-3<B!-12`"]),
    ("*.*.15>B!+2! 12:00:00", "           ^", Day, &["`!`"]),
    ("*.*.15>b 12:00:00", "    ~~~^", Day, &["`15>b`", "write `15>B`"]),
    ("*.*.5-15>B 12:00:00", "    ~~~~^^", Day, &["`5-15>B`", "single day"]),
    ("*.*.15>B Mon 12:00:00", "         ^^^", Day, &["`Mon`", "moved", "leave it out"]),
    ("*.*.15>B | Mon 12:00:00", "         ^~~~~", Day, &["`|`", "moved", "two schedules"]),
    ("*.*.15>B+0 12:00:00", "    ~~~~~^", Day, &["`15>B+0`", "1 to 99"]),
    ("*.*.15>B+100 12:00:00", "    ~~~~~^^^", Day, &["1 to 99"]),
    ("2026.01.05/3B 12:00:00", "        ~~~~^", Day, &["capital", "`05/3b`"]),
    ("2026.01.05/3b Mon 12:00:00", "              ^^^", Day, &["`Mon`", "leave it out"]),
    ("2026.01.05/3b | Mon 12:00:00", "              ^~~~~", Day, &["`|`", "two schedules"]),
    (
        "*.*.1>B,2>B+1,3>B+2,4>B+3,5>B+4,6>B+5,7>B+6,8>B+7,9>B+8 12:00:00",
        "                                                  ^^^^^",
        Day,
        &["`9>B+8` is one kind of move too many", "eight"],
    ),
    ("*.*.LW>B 12:00:00", "      ^", Day, &["`>`"]),
];

const CALENDARS: &[Refusal] = &[
    ("09:00:00 @", "         ^", Hour, &["`@`", "letters"]),
    ("9:00:00 @ wk", "        ^", Hour, &["`@`", "letters"]),
    ("9:00:00@wk", "       ^^^", Hour, &["space is missing before `@wk`"]),
    ("*.*.* B 9:00:00.5@wk", "                 ^^^", Hour, &["missing before `@wk`"]),
    ("9:00:00..10:00:00/5m@wk", "                    ^^^", Hour, &["missing before `@wk`"]),
    ("9:00:00..@wk", "         ^^^", Hour, &["missing before `@wk`"]),
    ("09:00:00 @9to5", "         ^^^^^", Hour, &["`@9to5`", "after the `@`", "letter"]),
    ("09:00:00 @nyse @target", "               ^^^^^^^", Hour, &["`@target`", "one calendar"]),
    ("@nyse 09:00:00", "^^^^^", Hour, &["`@nyse`", "after the time"]),
    ("@nyse09:00:00", "^^^^^^^^^^^^^", Hour, &["`@nyse09:00:00`", "after the time"]),
    ("10:99:00@nyse", "   ^^", Field::Minute, &["`99`", "0-59"]),
    ("09:00:00 Europe/Berlin @nyse", "                       ^^^^^", Hour, &["`@nyse`", "zone"]),
    ("09:00:00 @nyse", "          ^^^^", Hour, &["`nyse`", "`parse_with`", "`ScheduleSeed`"]),
    ("*.Easter 09:00:00", "  ^^^^^^", Field::Month, &["`Easter`", "calendar"]),
];

const UNIONS: &[Refusal] = &[
    (";", "^", Hour, &["missing", "`;`"]),
    ("09:00:00;;10:00:00", "         ^", Hour, &["missing", "`;`"]),
    ("09:00:00 Europe/Berlin; 10:00:00", "         ^^^^^^^^^^^^^", Hour, &["zone"]),
    ("09:00:00; *.*.* Mo 10:00:00", "                ^^", Weekday, &["`Mo`", "`Mon`"]),
];

#[test]
fn invalid_business_days_are_refused() {
    refuse(BUSINESS_DAYS);
}

#[test]
fn misplaced_and_unknown_calendars_are_refused() {
    refuse(CALENDARS);
}

#[test]
fn invalid_unions_are_refused() {
    refuse(UNIONS);
    let many = vec!["09:00:00"; 17].join("; ");
    let error = Schedule::parse(&many).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::TooManyMembers);
    assert_eq!(error.span(), many.len() - 8..many.len());
}

#[test]
fn schedules_without_days_on_their_calendar_are_refused() {
    let calendars = [("office", Calendar::parse("*.*.* Mon-Fri").unwrap())];
    for (text, span) in
        [("*.*.* Sun 12:00:00 @office", 0..9), ("*.*.* B#24 12:00:00 @office", 0..10)]
    {
        let error = Schedule::parse_with(text, &calendars).unwrap_err();
        assert_eq!(error.kind(), ParseErrorKind::NeverOnCalendar, "{text}");
        assert_eq!(error.span(), span, "{text}");
    }
    let error = Schedule::parse_with("12:00:00 @ofice", &calendars).unwrap_err();
    assert_eq!(error.to_string(), "`ofice` is not a known calendar: expected `office`");
}

#[test]
fn known_calendars_without_an_at_sign_are_answered_with_it() {
    let calendars = [("LSE", Calendar::parse("*.*.* Mon-Fri").unwrap())];
    for (text, end) in [
        ("12:00:00 LSE", 12),
        ("12:00:00 LSE Europe/Berlin", 12),
        ("*.*.* B#1 12:00:00\tLSE Mars", 22),
        ("12:00:00 @LSE; 12:00:00 LSE", 27),
        ("12:00:00 LSE; 12:00:00 @LSE", 12),
    ] {
        let error = Schedule::parse_with(text, &calendars).unwrap_err();
        assert_eq!(error.to_string(), "`LSE` is the name of a calendar: write `@LSE`", "{text}");
        assert_eq!(error.span(), end - 3..end, "{text}");
        // It is not taken for a zone.
        let read = Language::Millicron.read_with(text, &calendars).unwrap_err();
        assert_eq!((read.to_string(), read.span()), (error.to_string(), error.span()));
        #[cfg(feature = "jiff")]
        {
            use millicron::{ZonedParseErrorKind, ZonedSchedule};
            type Zoned = ZonedSchedule<jiff::tz::TimeZone>;
            let in_zone = Zoned::parse_with(text, &calendars).unwrap_err();
            assert_eq!(in_zone.kind(), ZonedParseErrorKind::Schedule(error.kind()));
            assert_eq!((in_zone.to_string(), in_zone.span()), (error.to_string(), error.span()));
        }
    }
}

#[test]
fn business_days_that_never_occur_without_a_calendar_are_refused() {
    for (text, span, field, words) in [
        ("*.*.* B#24 12:00:00", 0..10, Weekday, "Monday to Friday, at most 23 a month"),
        ("*.*.* B#L-30 12:00:00", 0..12, Weekday, "Monday to Friday, at most 23 a month"),
        ("2000.1.1<B 12:00:00", 0..10, Day, "moved out of the years 2000-2100"),
        ("2100.12.L>B+1 12:00:00", 0..13, Day, "moved out of the years 2000-2100"),
        ("*.2.30>B 12:00:00", 0..8, Day, "1-28 in February"),
    ] {
        let error = Schedule::parse(text).expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::Never { field }, "{error}");
        assert_eq!(error.span(), span, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("day of the calendar"), "{error}");
    }
}

/// Texts of calendars, the line and the column of the error, and words of the message.
const TEXTS: &[(&str, [usize; 2], &[&str])] = &[
    ("*.*.* Mon-Fri\n- *.13.1", [2, 5], &["month", "`13`", "1-12"]),
    ("2026-02-30", [1, 1], &["never", "28 days"]),
    ("+ 2028.Feb.L-29", [1, 3], &["never", "29 days"]),
    ("2026-1-5", [1, 1], &["`2026-1-5`", "yyyy-MM-dd"]),
    ("- 2026-13-01", [1, 8], &["month `13` is out of range: expected 1-12\n"]),
    ("2026-12-24..", [1, 13], &["the days are missing"]),
    ("1999-12-31", [1, 1], &["year `1999` is out of range: expected 2000-2100\n"]),
    ("+ 2026-05-05..2101-01-02", [1, 15], &["`2101`"]),
    ("2026-01-05..2026-01-05", [1, 1], &["no days", "write `2026-01-05`"]),
    (
        "2027-01-02..=2026-12-24",
        [1, 1],
        &["`2027-01-02..=2026-12-24` runs downwards: write `2026-12-24..=2027-01-02`"],
    ),
    ("2026-01-05..2026-01-04", [1, 1], &["write `2026-01-04..2026-01-05`"]),
    ("*.*.* B", [1, 7], &["`B`", "business days"]),
    ("*.*.15>B", [1, 1], &["`*.*.15>B`", "business days"]),
    ("2026.01.05/3b", [1, 1], &["`2026.01.05/3b`", "business days"]),
    ("2026-2030.01.05/14d", [1, 14], &["a step from something other than a date"]),
    ("-2026-2030.01.05/14d", [1, 15], &["a step from something other than a date"]),
    ("BEGIN:VCALENDAR", [1, 1], &["`BEGIN:VCALENDAR` is not part of a calendar"]),
    ("Mon-Fri", [1, 1], &["`Mon-Fri` is a weekday without a date: write `*.*.* Mon-Fri`"]),
    ("- Sat-Mon", [1, 3], &["`Sat-Mon` runs downwards: write `Sat,Sun-Mon`"]),
    ("B", [1, 1], &["`B` depends on business days, which only a schedule has"]),
    ("Fri,B", [1, 1], &["`Fri,B` depends on business days"]),
    ("- saturday,Sunday", [1, 3], &["write `*.*.* Sat,Sun`"]),
    ("@holidays", [1, 2], &["`Calendar::parse_with`", "`Calendar::parse_all`"]),
    ("*.Easter+0", [1, 1], &["`*.Easter+0`", "1-99"]),
    ("*.Easter-100", [1, 1], &["1-99"]),
    ("*.Easter Mon", [1, 10], &["`Mon`"]),
    ("*.*.*\n  -  *.*.* 12:00:00", [2, 12], &["`12:00:00`", "days only"]),
    ("*.*.*\n- @nyse", [2, 4], &["`nyse`", "not a known calendar"]),
    ("*.*.*\n- @nyse lse", [2, 9], &["`lse`"]),
    ("*.*.*\n- @", [2, 3], &["`@`", "letters"]),
    ("hello", [1, 1], &["`hello`"]),
    ("# a comment\n\n*.*.1 Mon Tue", [3, 11], &["`Tue`"]),
    ("*.*.13 |", [1, 8], &["weekday", "missing"]),
    ("*.2.30", [1, 1], &["never"]),
    ("*.*.*\n- 2001.2.30 | Mon#5", [2, 3], &["`2001.2.30 | Mon#5` never occurs"]),
    ("+ 2001.2.31W | Mon#5", [1, 3], &["never"]),
    ("-", [1, 2], &["the days are missing", "expected"]),
    ("*.*.*\n + # comment", [2, 3], &["the days are missing"]),
    ("\u{feff}*.*.*\n- *.13.1", [2, 5], &["month"]),
];

#[test]
fn invalid_calendars_are_refused() {
    for (text, place, words) in TEXTS {
        let error = Calendar::parse(text).expect_err(text);
        let message = format!("{error:#}");
        assert_eq!([error.line(), error.column()], *place, "{message}");
        let line = text.lines().nth(error.line() - 1).expect("a line");
        assert!(message.contains(line), "{message}");
        assert!(text.get(error.span()).is_some(), "{message}");
        for word in *words {
            assert!(message.contains(word), "{word:?} is not in {message:?}");
        }
    }
}

#[test]
fn calendars_without_days_are_refused() {
    for text in ["", "\n  # nothing\n", "*.*.*\n- *.*.*", "- *.*.*"] {
        let error = Calendar::parse(text).expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::EmptyCalendar, "{text:?}");
        assert!(error.to_string().contains("no days"), "{error}");
        // The last line is marked, if there are any.
        assert_eq!(error.is_about_whole(), !text.contains('*'), "{text:?}");
        assert_eq!(&text[error.span()], if text.contains('*') { "*.*.*" } else { "" });
    }
    let error = Calendar::parse("*.*.* Mon-Fri\n- *.*.*\n# none").expect_err("no days");
    assert!(error.to_string().starts_with("line 2, column 3: the calendar has no days"), "{error}");
}

#[test]
fn unknown_calendars_are_explained_with_the_call_that_takes_them() {
    let of_schedule = Schedule::parse("*.*.* B 09:00:00 @nyse").expect_err("an unknown calendar");
    let of_calendar = Calendar::parse("@nyse").expect_err("an unknown calendar");
    let (schedule, calendar) = (of_schedule.to_string(), of_calendar.to_string());
    assert!(schedule.contains("`ScheduleSeed`") && !schedule.contains("`Calendar::"), "{schedule}");
    assert!(calendar.contains("`Calendar::parse_with`"), "{calendar}");
    assert!(!calendar.contains("`ScheduleSeed`"), "{calendar}");
}

#[test]
fn calendars_that_depend_on_themselves_are_refused() {
    for texts in [
        vec![("a", "*.*.*\n- @a")],
        vec![("a", "*.*.*\n- @b"), ("b", "@c"), ("c", "*.1.1\n@b")],
        vec![("a", "@c\n@b"), ("b", "@a"), ("c", "*.1.1")],
    ] {
        let error = Calendar::parse_all(texts).unwrap_err();
        assert_eq!(error.error().kind(), ParseErrorKind::CircularCalendar, "{error}");
    }
    let error = Calendar::parse_all([("a", "@b"), ("c", "*.*.*")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "calendar `a`: line 1, column 2: `b` is not a known calendar: expected `a` or `c`"
    );
}

#[test]
fn calendars_without_a_name_of_their_own_are_refused() {
    let error = Calendar::parse_all([("a", "*.1.1"), ("b", "@a"), ("a", "*.1.2")]).unwrap_err();
    assert_eq!(error.error().kind(), ParseErrorKind::RepeatedCalendar);
    assert_eq!(
        error.to_string(),
        "calendar `a`: another calendar has the same name: rename one of them"
    );
    for name in ["", "a b", "9to5", "@a", "ä"] {
        let error = Calendar::parse_all([("a", "*.1.1"), (name, "*.1.2")]).unwrap_err();
        assert_eq!(error.error().kind(), ParseErrorKind::CalendarName);
        let start = format!("calendar `{name}`: `{name}` is not the name of a calendar: expected");
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(!error.to_string().contains("after the `@`"), "{error}");
    }
    let error = Calendar::parse("@nyse").unwrap_err().to_string();
    assert!(error.contains("`Calendar::parse_with`") && !error.contains("Seed"), "{error}");
}

/// Parsing all pending texts again for each calendar would take minutes.
#[test]
fn long_chains_of_calendars_are_read_once() {
    let lines = "*.1.1\n".repeat(20);
    let mut texts: Vec<(String, String)> =
        (1..2000).map(|n| (format!("c{n}"), format!("@c{}\n{lines}", n - 1))).collect();
    texts.push(("c0".to_owned(), "*.12.25".to_owned()));
    let calendars = Calendar::parse_all(texts).expect("calendars");
    assert_eq!(calendars.len(), 2000);
    assert_eq!(calendars["c1999"], Calendar::parse("*.1.1\n*.12.25").expect("a calendar"));
    let error = Calendar::parse_all([("a", "@b\n@b"), ("b", "@c"), ("c", "@b")]).unwrap_err();
    assert_eq!((error.name(), error.error().span()), ("b", 1..2));
}
