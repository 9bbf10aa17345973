//! The schedule language, rule by rule, and known answers.

use millicron::{CalendarDigits, Schedule};

pub(super) fn schedule(text: &str) -> Schedule {
    text.parse().unwrap_or_else(|error| panic!("{error:#}"))
}

pub(super) fn at(text: &str) -> CalendarDigits {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the events from `from` to before `to`, as `yyyy-MM-dd HH:mm:ss.fff`.
pub(super) fn events(text: &str, from: &str, to: &str) -> Vec<String> {
    let events = schedule(text).events(at(from)..at(to));
    events.map(|event| event.to_string()).collect()
}

/// Returns the days of a year that match a date, as `MM-dd`.
pub(super) fn days(date: &str, year: u32) -> Vec<String> {
    let (from, to) = (format!("{year}-01-01"), format!("{}-01-01", year + 1));
    let noons = events(
        &format!("{date} 12:00:00"),
        &format!("{from} 00:00:00.000"),
        &format!("{to} 00:00:00.000"),
    );
    noons.iter().map(|noon| noon[5..10].to_owned()).collect()
}

/// Returns the times of a day that match a time, as `HH:mm:ss.fff`.
pub(super) fn times(time: &str) -> Vec<String> {
    let day = events(time, "2020-06-15 00:00:00.000", "2020-06-16 00:00:00.000");
    day.iter().map(|event| event[11..].to_owned()).collect()
}

/// Returns the numbers in the given columns of texts.
fn column<const N: usize>(texts: &[String], columns: [usize; N]) -> Vec<u32> {
    let digits = |text: &String| {
        columns.map(|column| char::from(text.as_bytes()[column])).iter().collect::<String>()
    };
    texts.iter().map(|text| digits(text).parse().unwrap()).collect()
}

fn hours(field: &str) -> Vec<u32> {
    column(&times(&format!("{field}:00:00")), [0, 1])
}

fn millis(field: &str) -> Vec<u32> {
    column(&times(&format!("00:00:00.{field}")), [9, 10, 11])
}

#[test]
fn known_answers() {
    let next = [
        ("*:00:00", "2020-12-31 23:59:59.999", "2021-01-01 00:00:00.000"),
        ("*.*.01 01:30:00", "2020-12-31 13:30:00.000", "2021-01-01 01:30:00.000"),
        ("*.*.20-32 12:00:00", "2021-01-31 12:00:00.000", "2021-02-20 12:00:00.000"),
        ("*.*.29-32 12:00:00", "2021-01-31 12:00:00.000", "2021-03-29 12:00:00.000"),
        ("*.*.32 12:00:00", "2021-01-31 12:00:00.000", "2021-02-28 12:00:00.000"),
        ("*.*.* * *:*:*.1,2,3-5,10-20/3", "2020-01-01 00:00:00.011", "2020-01-01 00:00:00.013"),
        ("*.4.6,7 * *:*:*.1,2,3-5,10-20/3", "2001-01-01 00:00:00.000", "2001-04-06 00:00:00.001"),
        ("*/4.01.01 12:00:00.000", "2012-01-01 12:00:00.001", "2016-01-01 12:00:00.000"),
        ("*.02.29 6 12:00:00", "2021-01-01 12:00:00.000", "2048-02-29 12:00:00.000"),
        ("2100.12.31 23:59:59.999", "2000-01-01 00:00:00.000", "2100-12-31 23:59:59.999"),
    ];
    for (text, after, answer) in next {
        assert_eq!(schedule(text).next_event(at(after)), Some(at(answer)), "{text}");
    }
    let prev = [
        ("*.9.*/2 1-5 10:00:00.000", "2020-09-07 08:00:00.000", "2020-09-03 10:00:00.000"),
        ("*.1,10.5-26/7 1 12:15:11.320", "2026-01-05 12:15:11.320", "2020-10-26 12:15:11.320"),
    ];
    for (text, before, answer) in prev {
        assert_eq!(schedule(text).prev_event(at(before)), Some(at(answer)), "{text}");
    }
    assert_eq!(schedule("2100.12.31 23:59:59.999").next_event(at("2100-12-31 23:59:59.999")), None);

    let mut now = at("2019-03-01 12:00:00.000");
    for day in ["2019-07-31", "2021-03-31", "2022-08-31", "2023-05-31"] {
        now = schedule("*.*.31 3 12:14:34").next_event(now).unwrap();
        assert_eq!(now.to_string(), format!("{day} 12:14:34.000"));
    }
}

#[test]
fn all_six_forms_are_parsed() {
    let start = at("2020-06-15 00:00:00.000");
    for (text, event) in [
        ("*.*.16 2 03:04:05.678", "2020-06-16 03:04:05.678"),
        ("*.*.16 2 03:04:05", "2020-06-16 03:04:05.000"),
        ("*.*.16 03:04:05.678", "2020-06-16 03:04:05.678"),
        ("*.*.16 03:04:05", "2020-06-16 03:04:05.000"),
        ("03:04:05.678", "2020-06-15 03:04:05.678"),
        ("03:04:05", "2020-06-15 03:04:05.000"),
    ] {
        assert_eq!(schedule(text).next_event(start), Some(at(event)), "{text}");
    }
}

#[test]
fn omitted_parts_match_everything_and_the_millisecond_is_zero() {
    let hourly = schedule("*:00:00");
    for same in ["*:00:00.0", "*.*.* *:00:00", "*.*.* * *:00:00.000", "*/1.*/1.*/1 */1 */1:0:0.0"] {
        assert_eq!(schedule(same), hourly, "{same}");
    }
    assert_ne!(schedule("*:00:00.*"), hourly);
}

#[test]
fn items_match_their_values() {
    assert_eq!(hours("5"), [5]);
    assert_eq!(hours("3-5"), [3, 4, 5]);
    assert_eq!(hours("10-20/3"), [10, 13, 16, 19]);
    assert_eq!(hours("*"), (0..24).collect::<Vec<_>>());
    assert_eq!(hours("*/4"), [0, 4, 8, 12, 16, 20]);
    assert_eq!(hours("5-5"), [5]);
    assert_eq!(hours("1,3-9/2,15,20-23"), [1, 3, 5, 7, 9, 15, 20, 21, 22, 23]);
    assert_eq!(hours("*/12,5"), [0, 5, 12]);
    let days: Vec<u32> = column(&days("*.12.*/2", 2020), [3, 4]);
    assert_eq!(days, (1..=31).step_by(2).collect::<Vec<_>>());
    let years = schedule("*/4.1.1 0:0:0").events(CalendarDigits::MIN..).map(CalendarDigits::year);
    assert_eq!(years.collect::<Vec<_>>(), (2000..=2100).step_by(4).collect::<Vec<_>>());
}

#[test]
fn fields_are_independent_of_each_other() {
    // Every combination of the values matches, not just the values side by side.
    assert_eq!(times("1,2:3,4:5,6.7,8").len(), 16);
    assert_eq!(days("*.1,2.3,4", 2020), ["01-03", "01-04", "02-03", "02-04"]);
}

#[test]
fn all_fields_must_match_at_once() {
    assert_eq!(days("*.*.13 5", 2026), ["02-13", "03-13", "11-13"]);
    // Unlike in cron, a day must match both.
    assert_eq!(days("2021.3.1 1", 2021), ["03-01"]);
    assert!("2021.3.1 2 12:00:00".parse::<Schedule>().is_err());
}

#[test]
fn days_that_a_month_does_not_have_are_skipped() {
    assert_eq!(
        days("*.*.31", 2021),
        ["01-31", "03-31", "05-31", "07-31", "08-31", "10-31", "12-31"]
    );
    assert!(!days("*.*.29", 2021).contains(&"02-29".to_owned()));
    assert!(days("*.*.29", 2024).contains(&"02-29".to_owned()));
    // Only every fourth century is a leap year.
    assert_eq!(days("*.2.29", 2000), ["02-29"]);
    assert!(days("*.2.29", 2100).is_empty());
}

#[test]
fn day_32_is_the_last_day_of_the_month() {
    let lasts = [
        "01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31",
        "11-30", "12-31",
    ];
    assert_eq!(days("*.*.32", 2021), lasts);
    assert_eq!(days("*.*.32-32", 2021), lasts);
    assert_eq!(days("*.*.32-32/5", 2021), lasts);
    assert_eq!(days("*.2.5,32", 2021), ["02-05", "02-28"]);
    assert_eq!(days("*.2.5,32", 2024), ["02-05", "02-29"]);
    // It adds to the other items, even if one is the same day.
    assert_eq!(days("*.2.28,32", 2021), ["02-28"]);
    assert_eq!(days("*.2.28,32", 2024), ["02-28", "02-29"]);
}

#[test]
fn day_32_at_the_end_of_a_range_is_the_end_of_the_month() {
    assert_eq!(days("*.2.26-32", 2021), ["02-26", "02-27", "02-28"]);
    assert_eq!(days("*.2.26-32", 2024), ["02-26", "02-27", "02-28", "02-29"]);
    assert_eq!(days("*.1.20-32/3", 2021), ["01-20", "01-23", "01-26", "01-29"]);
    assert_eq!(days("*.2.20-32/3", 2021), ["02-20", "02-23", "02-26"]);
    assert_eq!(days("*.4.20-32/5", 2021), ["04-20", "04-25", "04-30"]);
    // A step that falls on 32 is beyond the end of every month.
    assert_eq!(days("*.1.20-32/4", 2021), ["01-20", "01-24", "01-28"]);
    assert_eq!(days("*.1.31-32", 2021), ["01-31"]);
    assert!("*.4.31-32 12:00:00".parse::<Schedule>().is_err());
    assert_eq!(schedule("*.*.1-32 1:0:0"), schedule("1:0:0"));
}

#[test]
fn a_step_over_all_days_stops_at_31() {
    assert_eq!(days("*.1.*/30", 2021), ["01-01", "01-31"]);
    assert_eq!(days("*.2.*/27", 2021), ["02-01", "02-28"]);
    assert!(!days("*.*.*/30", 2021).contains(&"04-30".to_owned()));
}

#[test]
fn items_overlap_and_repeat() {
    assert_eq!(hours("5,5,3-6,4-5,*/6"), [0, 3, 4, 5, 6, 12, 18]);
    assert_eq!(schedule("5,3,4:0:0"), schedule("3-5:0:0"));
}

#[test]
fn a_step_may_be_longer_than_its_range() {
    assert_eq!(hours("1-5/9"), [1]);
    assert_eq!(hours("1-5/4000000000"), [1]);
    assert_eq!(hours("0-23/4294967295"), [0]);
    assert_eq!(millis("998-999/2"), [998]);
    assert!("0-23/4294967296:0:0".parse::<Schedule>().is_err());
}

#[test]
fn leading_zeros_are_allowed() {
    assert_eq!(schedule("002020.001.3 1:0:0"), schedule("2020.1.3 1:0:0"));
    assert_eq!(hours("0005-0000000000000000000000000000007/0002"), [5, 7]);
    assert_eq!(millis("5"), [5]); // and not half a second
    assert_eq!(millis("050"), [50]);
}

#[test]
fn names_stand_for_numbers() {
    let months = "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec";
    for (number, name) in (1..).zip(months.split(',')) {
        for name in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
            let named = schedule(&format!("*.{name}.1 1:0:0"));
            assert_eq!(named, schedule(&format!("*.{number}.1 1:0:0")), "{name}");
        }
    }
    for (number, name) in (0..).zip("Sun,Mon,Tue,Wed,Thu,Fri,Sat".split(',')) {
        for name in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
            let named = schedule(&format!("*.*.* {name} 1:0:0"));
            assert_eq!(named, schedule(&format!("*.*.* {number} 1:0:0")), "{name}");
        }
    }
    for (named, numbered) in [
        ("*.Jan,Jul.1 mON-FRI 1:0:0", "*.1,7.1 1-5 1:0:0"),
        ("*.feb-Nov/3.1 sun-sat/2 1:0:0", "*.2-11/3.1 0-6/2 1:0:0"),
        ("*.1-mar.1 tue-5 1:0:0", "*.1-3.1 2-5 1:0:0"),
    ] {
        assert_eq!(schedule(named), schedule(numbered), "{named}");
    }
}

#[test]
fn weekdays_count_from_sunday() {
    assert_eq!(at("2021-08-01 00:00:00.000").weekday(), 0);
    assert_eq!(days("*.8.1-7 0", 2021), ["08-01"]);
    assert_eq!(days("*.8.1-7 6", 2021), ["08-07"]);
}

#[test]
fn spaces_tabs_and_surrounding_white_space_are_allowed() {
    let expected = schedule("*.*.13 5 12:00:00");
    for text in [
        " *.*.13 5 12:00:00",
        "*.*.13 5 12:00:00\t",
        "\t \t*.*.13\t\t5   \t 12:00:00  ",
        // As read from a file.
        "*.*.13 5 12:00:00\n",
        "*.*.13 5 12:00:00\r\n",
        "\n\n  *.*.13 5 12:00:00 \r\n\t\n",
        "\u{c}*.*.13 5 12:00:00\u{c}",
    ] {
        assert_eq!(schedule(text), expected, "{text:?}");
        // The text is kept as written, with its white space.
        assert_eq!(schedule(text).expression(), text);
    }
    for text in [
        "*.*.13\n12:00:00",
        "*.*.13\r\n12:00:00",
        "*.*.13\n 5 12:00:00",
        "*.*.13\u{a0}12:00:00",
        "12:00:00\u{a0}",
        "12: 00:00",
        "12 :00:00",
    ] {
        assert!(text.parse::<Schedule>().is_err(), "{text:?}");
    }
}

#[test]
fn events_are_limited_to_2000_to_2100() {
    let all = schedule("*:*:*.*");
    let (first, last) = (at("2000-01-01 00:00:00.000"), at("2100-12-31 23:59:59.999"));
    assert_eq!(all.next_event(CalendarDigits::MIN), Some(first));
    assert_eq!(all.nearest_event(first), Some(first));
    assert_eq!((all.prev_event(first), all.nearest_prev_event(first)), (None, Some(first)));
    assert_eq!(all.prev_event(CalendarDigits::MAX), Some(last));
    assert_eq!(all.nearest_prev_event(last), Some(last));
    assert_eq!((all.next_event(last), all.nearest_event(last)), (None, Some(last)));
    assert!(!all.matches(CalendarDigits::MIN) && !all.matches(CalendarDigits::MAX));
    assert_eq!(all.count(..), 36_890 * 86_400_000);
}

#[test]
fn display_writes_the_canonical_text() {
    for (text, canonical) in
        [("*.*.* * *:00:00.000", "*:00:00"), ("*.*.* Mon-Fri 9:30:0", "*.*.* 1-5 09:30:00")]
    {
        assert_eq!(schedule(text).to_string(), canonical);
        assert_eq!(schedule(text).expression(), text);
    }
}

#[test]
fn texts_are_padded() {
    let (noon, union) = (schedule("12:0:0"), schedule("12:0:0;*:0:0"));
    assert_eq!(
        format!("{noon:>10}|{noon:-^11}|{noon:10}|{noon:3}"),
        "  12:00:00|-12:00:00--|12:00:00  |12:00:00"
    );
    assert_eq!(format!("{union:<20}|"), "12:00:00; *:00:00   |");
    assert_eq!(format!("{:>10}", noon.period()), "   1 a day");
    assert_eq!(format!("{:>25}", at("2026-01-05 12:00:00.000")), "  2026-01-05 12:00:00.000");
}
