//! Schedules with a zone as texts: parsed, displayed, and refused.

use std::error::Error;

use crate::support::generate::{cases, expression};
use crate::support::oracle::zoned::database;
use crate::support::sample;
use chrono_tz::Tz;
use jiff::tz::{Offset, TimeZone};
use millicron::{
    ChronoZone, Dialect, Field, Fold, Gap, NamedZone, ParseErrorKind, Schedule, Zone,
    ZonedParseError, ZonedParseErrorKind, ZonedSchedule,
};
use proptest::prelude::*;
use proptest::sample::select;

type Jiff = ZonedSchedule<TimeZone>;
type Chrono = ZonedSchedule<ChronoZone<Tz>>;

/// Returns the error of a text, after checking that it is the same for both kinds of zones.
fn refusal(text: &str) -> ZonedParseError {
    let error = text.parse::<Jiff>().expect_err(text);
    assert_eq!(text.parse::<Chrono>().expect_err(text), error, "{text}");
    error
}

/// Returns the message for a time with a zone that does not exist, without the part about the name.
fn advice(zone: &str) -> String {
    let message = refusal(&format!("12:00:00 {zone}")).to_string();
    let known = format!("unknown time zone `{zone}`: ");
    message.strip_prefix(&known).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[test]
fn texts_are_schedules_in_zones() -> Result<(), Box<dyn Error>> {
    for (text, schedule, zone) in [
        ("*.*.* Mon-Fri 09:30:00 America/New_York", "*.*.* Mon-Fri 09:30:00", "America/New_York"),
        ("12:00:00 UTC", "12:00:00", "UTC"),
        ("*:*/15:00 Etc/GMT+5", "*:*/15:00", "Etc/GMT+5"),
        ("2:30:00.5 EST5EDT", "2:30:00.5", "EST5EDT"),
        ("2:30:00 CET", "2:30:00", "CET"),
        ("2:30:00 W-SU", "2:30:00", "W-SU"),
        (
            " \t*.*.13|Fri  0:00:00 \t America/Argentina/Buenos_Aires\r\n",
            "*.*.13 | Fri 0:0:0",
            "America/Argentina/Buenos_Aires",
        ),
        ("22:00:00..06:00:00/30m europe/berlin", "22:00:00..06:00:00/30m", "Europe/Berlin"),
        (
            "2026.01.05/2w Mon,Thu 09:00:00\nAsia/Tokyo\n",
            "2026.01.05/2w Mon,Thu 09:00:00",
            "Asia/Tokyo",
        ),
    ] {
        let schedule: Schedule = schedule.parse()?;
        assert_eq!(text.parse::<Jiff>()?, schedule.in_zone(TimeZone::get(zone)?), "{text}");
        assert_eq!(text.parse::<Jiff>()?.zone().iana_name(), Some(zone));
        let tz: Tz = zone.parse()?;
        assert_eq!(text.parse::<Chrono>()?, schedule.in_zone(ChronoZone(tz)), "{text}");
        assert_eq!(text.parse::<Chrono>()?.zone().0.name(), zone);
    }
    Ok(())
}

#[test]
fn events_in_gaps_and_folds_are_handled_by_default() -> Result<(), Box<dyn Error>> {
    let fixed: Jiff = "2:30:00 Europe/Berlin".parse()?;
    assert_eq!((fixed.gap(), fixed.fold()), (Gap::Shift, Fold::First));
    let repeating: Jiff = "*:30:00 Europe/Berlin".parse()?;
    assert_eq!((repeating.gap(), repeating.fold()), (Gap::Bridge, Fold::Both));
    Ok(())
}

#[test]
fn every_name_of_the_databases_is_read_in_any_case() {
    for name in sample(database().available()) {
        for typed in [name.to_string(), name.as_str().to_uppercase()] {
            let parsed: Jiff = format!("1:00:00 {typed}").parse().expect("a zone");
            assert_eq!(parsed.to_string(), format!("01:00:00 {name}"));
        }
    }
    for tz in sample(chrono_tz::TZ_VARIANTS) {
        for typed in [tz.name().to_owned(), tz.name().to_lowercase()] {
            let parsed: Chrono = format!("1:00:00 {typed}").parse().expect("a zone");
            assert_eq!(parsed.zone().0.name().to_lowercase(), typed.to_lowercase());
        }
    }
}

#[test]
fn zones_without_a_name_are_displayed_but_not_read() {
    let schedule: Schedule = "12:00:00".parse().expect("a schedule");
    for zone in [TimeZone::fixed(Offset::constant(2)), TimeZone::unknown()] {
        let zoned = schedule.in_zone(zone);
        let text = zoned.to_string();
        assert_eq!(format!("{zoned:>25}"), format!("  {text}"));
        assert_eq!(text, "12:00:00 <unnamed zone>");
        assert_eq!(refusal(&text).kind(), ZonedParseErrorKind::UnknownZone);
    }
    assert_eq!(refusal("12:00:00 Etc/Unknown").kind(), ZonedParseErrorKind::UnknownZone);
}

#[test]
fn errors_in_the_schedule_are_those_of_the_schedule() {
    for (schedule, zone) in [
        ("24:00:00", " Europe/Berlin"),
        ("*.*.* Mon-Fri 22-6:00:00", "\tEurope/Berlin "),
        ("*.2.30 00:00:00", " Europe/Berlim"),
        ("*.*.* Mo 12:00:00", " Europe/Berlin"),
        ("9:30", " Europe/Berlin"),
        ("Sunday 10:00:00", " Europe/Berlin"),
        ("2026-11-22T10:00:00", " Europe/Berlin"),
        ("*/5 * * * *", " Europe/Berlin"),
        ("@daily", " Europe/Berlin"),
        ("09:30-16:00:00", " Europe/Berlin"),
        ("09:30 - 16:00:00", " Europe/Berlin"),
        ("09:30:00..16:00:00", " Europe/Berlin"),
        ("12:00:00 Mon-Fri", " Europe/Berlin"),
        ("*.*.*", " Europe/Berlin"),
        // Without a zone that could be meant.
        ("", ""),
        ("  \t ", ""),
        ("tarabarschina", ""),
        ("12:00:00 *.*.*", ""),
        ("12:00:00 Mon", ""),
        ("*.*.* Mon", ""),
        ("* * * * *", ""),
        ("12:00:00 13:00:00", ""),
        ("12:00:00 Europe/Berlin @nyse", ""),
        ("12:00:00 @nyse @lse Europe/Berlin", ""),
    ] {
        let error = refusal(&format!("{schedule}{zone}"));
        let expected = schedule.parse::<Schedule>().expect_err(schedule);
        assert_eq!(error.kind(), ZonedParseErrorKind::Schedule(expected.kind()), "{schedule}");
        assert_eq!(error.span(), expected.span(), "{schedule}");
        assert_eq!(error.to_string(), expected.to_string());
        assert!(error.nearest_names().is_empty());
    }
}

#[test]
fn carets_are_below_the_whole_text() {
    let error = refusal("*.*.* Mon-Fri 22-6:00:00 Europe/Berlin");
    let kind = ParseErrorKind::Descending { field: Field::Hour, from: 22, to: 6, step: 1 };
    assert_eq!(error.kind(), ZonedParseErrorKind::Schedule(kind));
    assert_eq!(
        format!("{error:#}"),
        "hour range `22-6` runs downwards: write `22-23,0-6`\n  |\n  \
         | *.*.* Mon-Fri 22-6:00:00 Europe/Berlin\n  \
         |               ^^^^"
    );
    let error = refusal(" 12:00:00  Europe/Berlim\n");
    assert_eq!(
        format!("{error:#}"),
        "unknown time zone `Europe/Berlim`: write `Europe/Berlin`\n  |\n  \
         |  12:00:00  Europe/Berlim\u{fffd}\n  \
         |            ^^^^^^^^^^^^^"
    );
    // Too long to be compared with names.
    let long = refusal(&format!("12:00:00 Europe/{}", "Berlin".repeat(20)));
    assert_eq!(long.kind(), ZonedParseErrorKind::UnknownZone);
    assert!(!long.to_string().contains("write"), "{long}");
    let long = format!("{}12:00:00 Mars", " ".repeat(1000));
    assert_eq!(refusal(&long).span(), 1009..1013);
    assert_eq!(
        format!("{:#}", refusal(&long)).lines().nth(3),
        Some("  |                          ^^^^")
    );
}

#[test]
fn missing_zones_are_answered_with_what_to_append() {
    let error = refusal("*.*.* Mon-Fri 09:30:00\n");
    assert_eq!(error.kind(), ZonedParseErrorKind::MissingZone);
    assert_eq!(
        format!("{error:#}"),
        "the time zone is missing: write its name last, as in `12:00:00 Europe/Berlin`, or parse the \
         text as a `Schedule` and pass the time zone to `Schedule::in_zone`\n  |\n  \
         | *.*.* Mon-Fri 09:30:00\u{fffd}\n  \
         |                       ^"
    );
    assert_eq!(error.span(), 22..22);
}

#[test]
fn dialects_with_zones_are_read() -> Result<(), Box<dyn Error>> {
    let opening: Jiff = "*.*.* Mon-Fri 09:30:00 America/New_York".parse()?;
    for (dialect, text) in [
        (Dialect::Crontab, "CRON_TZ=America/New_York 30 9 * * MON-FRI"),
        (Dialect::Crontab, "TZ=America/New_York 30 9 * * 1-5\n"),
        (Dialect::Systemd, "Mon..Fri 09:30 America/New_York"),
        (Dialect::Systemd, "Mon..Fri *-*-* 9:30:00 america/new_york"),
    ] {
        assert_eq!(dialect.parse_zoned::<TimeZone>(text)?, opening, "{text}");
        let chrono = dialect.parse_zoned::<ChronoZone<Tz>>(text)?;
        assert_eq!(chrono.zone().0, Tz::America__New_York, "{text}");
    }
    Ok(())
}

#[test]
fn errors_of_dialects_with_zones_point_at_their_place() {
    for (dialect, text, span, start) in [
        (
            Dialect::Crontab,
            "CRON_TZ=TZ 0 9 * * *",
            8..10,
            "unknown time zone `TZ`: expected a name",
        ),
        (
            Dialect::Crontab,
            "TZ=berlin 0 9 * * *",
            3..9,
            "unknown time zone `berlin`: write `Europe/Berlin`",
        ),
        (
            Dialect::Systemd,
            "09:30 Europe/Berlim",
            6..19,
            "unknown time zone `Europe/Berlim`: write `Europe/Berlin`",
        ),
        (Dialect::Systemd, "09:30 Z", 6..7, "`Z` is an offset from UTC"),
        (
            Dialect::Crontab,
            "  0 9 * * *",
            2..2,
            "the time zone is missing: write it first, as in `CRON_TZ=Europe/Berlin 0 12 * * *`, or \
             use `Dialect::Crontab.parse` and pass the time zone to `Schedule::in_zone`",
        ),
        (Dialect::Systemd, "Mon 09:30", 9..9, "the time zone is missing: write its name last"),
        (
            Dialect::Quartz,
            "0 0 9 * * ?",
            11..11,
            "a Quartz schedule has no time zone: use `Dialect::Quartz.parse` and pass the time zone \
             to `Schedule::in_zone`",
        ),
        (Dialect::CronCrate, "0 0 9 * * *", 11..11, "a cron crate schedule has no time zone"),
    ] {
        let error = dialect.parse_zoned::<TimeZone>(text).expect_err(text);
        assert_eq!(error.span(), span, "{text}");
        assert!(error.to_string().starts_with(start), "{error}");
    }
    let error =
        Dialect::Crontab.parse_zoned::<TimeZone>("TZ=UTC 60 9 * * *").expect_err("minute 60");
    let expected = Dialect::Crontab.parse_with_zone("TZ=UTC 60 9 * * *").expect_err("minute 60");
    assert_eq!(error.kind(), ZonedParseErrorKind::Schedule(expected.kind()));
    assert_eq!(format!("{error:#}"), format!("{expected:#}"));
}

#[test]
fn examples_in_messages_are_valid() {
    let example = |message: &str| message.split('`').nth(1).map(str::to_owned).expect("an example");
    let message = refusal("12:00:00").to_string();
    assert!(example(&message).parse::<Jiff>().is_ok(), "{message}");
    for (dialect, text) in [(Dialect::Crontab, "0 9 * * *"), (Dialect::Systemd, "09:00")] {
        let message = dialect.parse_zoned::<TimeZone>(text).expect_err(text).to_string();
        assert!(dialect.parse_zoned::<TimeZone>(&example(&message)).is_ok(), "{message}");
    }
}

#[test]
fn misplaced_zones_are_answered_with_their_place() {
    for (text, zone) in [
        ("Europe/Berlin 12:00:00", "Europe/Berlin"),
        ("America/New_York *.*.* 12:00:00", "America/New_York"),
        ("12:00:00Europe/Berlin", "Europe/Berlin"),
    ] {
        let error = refusal(text);
        assert_eq!(error.kind(), ZonedParseErrorKind::MisplacedZone, "{text}");
        assert_eq!(&text[error.span()], zone);
        assert_eq!(
            error.to_string(),
            format!(
                "`{zone}` is a time zone, which must be last: write its name after the time, \
                 separated by a space, as in `12:00:00 Europe/Berlin`"
            )
        );
    }
}

#[test]
fn second_zones_are_refused() {
    for (text, zone) in [
        ("12:00:00 Europe/Paris Europe/Berlin", "Europe/Paris"),
        ("12:00:00+02:00 Europe/Berlin", "+02:00"),
        ("12:00:00Z UTC", "Z"),
        ("Europe/Paris 12:00:00 Europe/Berlin", "Europe/Paris"),
        ("Europe/Paris 12:00:00 Europe/Berlim", "Europe/Paris"),
    ] {
        let error = refusal(text);
        assert_eq!(error.kind(), ZonedParseErrorKind::MisplacedZone, "{text}");
        assert_eq!(&text[error.span()], zone);
        let expected = format!("`{zone}` is a time zone before another one: leave one of them out");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn unknown_words_after_phrases_are_refused() {
    for (text, word) in [
        ("every day at noon foo", "foo"),
        ("every weekday at 9:30 Europe/Berlim", "Europe/Berlim"),
        ("every Friday at 9 fortnightly\n", "fortnightly"),
    ] {
        let error = refusal(text);
        assert_eq!(error.kind(), ZonedParseErrorKind::UnknownZone, "{text}");
        assert_eq!(&text[error.span()], word);
        let expected = format!(
            "`{word}` is neither part of a phrase nor a time zone: without it, the text is a phrase"
        );
        assert_eq!(error.to_string(), expected);
    }
    for offset in ["UTC+2", "Z"] {
        let after_phrase = refusal(&format!("every day at 9:30 {offset}"));
        let after_time = refusal(&format!("9:30:00 {offset}"));
        assert_eq!(after_phrase.to_string(), after_time.to_string());
    }
    let phrase = ZonedParseErrorKind::Schedule(ParseErrorKind::Phrase);
    assert_eq!(refusal("every day at noon Europe/Berlin").kind(), phrase);
    assert_eq!(refusal("every day at noon").kind(), phrase);
}

#[test]
fn zones_alone_are_answered_with_a_schedule() {
    for text in ["UTC", " Europe/Berlin\n"] {
        let error = refusal(text);
        assert_eq!(error.kind(), ZonedParseErrorKind::Schedule(ParseErrorKind::Empty), "{text}");
        assert_eq!(error.to_string(), "".parse::<Schedule>().expect_err("empty").to_string());
        assert_eq!(error.span(), 0..0);
    }
}

#[test]
fn offsets_are_answered_with_names() {
    for text in [
        "12:00:00 +02:00",
        "12:00:00 -5",
        "12:00:00 +0530",
        "12:00:00 Z",
        "12:00:00 z",
        "12:00:00Z",
        "12:00:00+02:00",
        "12:00:00 UTC+2",
        "12:00:00 GMT-03:30",
        "12:00:00 +01:00[Europe/Berlin]",
    ] {
        let error = refusal(text);
        assert_eq!(error.kind(), ZonedParseErrorKind::Offset, "{text}");
        let offset = text["12:00:00".len()..].trim_start();
        assert_eq!(&text[error.span()], offset);
        assert_eq!(
            error.to_string(),
            format!(
                "`{offset}` is an offset from UTC, not the name of a time zone: write a name, such \
                 as `Europe/Berlin` or `UTC`"
            )
        );
    }
}

#[test]
fn texts_that_are_almost_offsets_are_not() {
    for name in ["+2h", "UTC+2x", "UTC+:30", "UTC+", "UTCx", "GMT2", "Zulu+2"] {
        let text = format!("12:00:00 {name}");
        assert_ne!(refusal(&text).kind(), ZonedParseErrorKind::Offset, "{text}");
    }
}

#[test]
fn unknown_zones_are_answered_with_the_nearest_names() {
    for (typed, expected) in [
        ("Europe/Berlim", "write `Europe/Berlin`"),
        ("berlin", "write `Europe/Berlin`"),
        ("Beriln", "write `Europe/Berlin`"),
        ("Asia/Berlin", "write `Europe/Berlin`"),
        ("new_york", "write `America/New_York`"),
        ("New York", "write `America/New_York`"),
        ("America/New York", "write `America/New_York`"),
        ("america/newyork", "write `America/New_York`"),
        ("[Europe/Berlin]", "write `Europe/Berlin`"),
        ("Kiyv", "write `Europe/Kiev` or `Europe/Kyiv`"),
        ("Asia/Calcuta", "write `Asia/Calcutta`"),
        ("indianapolis", "write `America/Indiana/Indianapolis` or `America/Indianapolis`"),
        ("Kentuky/Louisville", "write `America/Kentucky/Louisville` or `America/Louisville`"),
        ("Eurpoe/Berlin", "write `Europe/Berlin`"),
        (
            "Mars",
            "expected a name of the IANA time zone database, such as `Europe/Berlin` or `UTC`",
        ),
    ] {
        assert_eq!(advice(typed), expected, "{typed}");
    }
    let cities = [
        "Asia/Mumbai",
        "America/Dallas",
        "Boston",
        "Europe/Munich",
        "America/Miami",
        "Geneva",
        "Asia/Osaka",
        "Frankfurt",
        "Hamburg",
        "Europe/Milan",
        "Barcelona",
        "Seattle",
        "Beijing",
    ];
    // Abbreviations that differ in a letter are other zones, and so are cities without a zone of their own.
    for typed in ["PST", "CEST", "IST", "BST"].into_iter().chain(cities) {
        assert!(advice(typed).starts_with("expected a name"), "{typed}");
    }
}

#[test]
fn one_letter_too_few_is_answered_with_the_name() {
    let names: Vec<String> = TimeZone::names().map(|name| name.as_ref().to_owned()).collect();
    for name in sample(names.iter().filter(|name| name.contains('/') && name.len() > 12)) {
        let mut typed = name.clone();
        typed.remove(name.len() / 2);
        let error = format!("12:00:00 {typed}").parse::<Jiff>().expect_err(&typed);
        let nearest = error.nearest_names();
        assert!((1..=3).contains(&nearest.len()), "{typed}: {nearest:?}");
        assert!(nearest.iter().all(|near| names.contains(near)), "{typed}: {nearest:?}");
        assert!(nearest.contains(name), "{typed}: {nearest:?}");
    }
}

/// A zone without names.
#[derive(Debug)]
struct Nowhere;

impl Zone for Nowhere {
    fn offset_at(&self, _: i64) -> i32 {
        0
    }
}

impl NamedZone for Nowhere {
    fn named(_: &str) -> Option<Self> {
        None
    }

    fn names() -> impl Iterator<Item: AsRef<str>> {
        std::iter::empty::<&str>()
    }
}

#[test]
fn a_missing_database_is_reported() {
    let error = "12:00:00 Europe/Berlin".parse::<ZonedSchedule<Nowhere>>().expect_err("no zones");
    assert_eq!(
        error.to_string(),
        "unknown time zone `Europe/Berlin`: no names are known, because no time zone database was \
         found"
    );
}

#[test]
fn errors_can_be_sent_and_cost_little() {
    fn is_error<T: Error + Send + Sync + 'static>(_: &T) {}
    let error = refusal("12:00:00");
    is_error(&error);
    assert!(error.source().is_none());
    assert_eq!(size_of_val(&error), size_of::<usize>());
    let debug = format!("{:?}", refusal("12:00:00 berlin"));
    assert!(debug.contains("UnknownZone") && debug.contains("9..15"), "{debug}");
}

/// Characters and pieces of texts with zones.
fn pieces() -> impl Strategy<Value = String> {
    let piece = select(vec![
        " ",
        " ",
        "\t",
        "\n",
        ":",
        "12:00:00",
        "*.*.*",
        "Mon",
        "Europe/Berlin",
        "Europe/",
        "UTC",
        "+",
        "-",
        "2",
        "Z",
        "[",
        "]",
        "|",
        "..",
        "/15m",
        "é",
        "\u{2028}",
        "@daily",
        "15>",
        "New York",
    ]);
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Checks a text that may be anything.
fn check_arbitrary(text: &str) {
    match text.parse::<Jiff>() {
        Ok(zoned) => assert_eq!(zoned.to_string().parse::<Jiff>(), Ok(zoned), "{text:?}"),
        Err(error) => {
            assert!(text.get(error.span()).is_some(), "{text:?}: {error:?}");
            assert!(!error.to_string().contains('\n') && !format!("{error:#?}").is_empty());
            assert_eq!(format!("{error:#}").lines().count(), 4, "{error:#}");
        }
    }
    assert_eq!(text.parse::<Chrono>().is_ok(), text.parse::<Jiff>().is_ok(), "{text:?}");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn displayed_texts_are_read_back(
        text in expression(),
        tz in select(&chrono_tz::TZ_VARIANTS[..]),
    ) {
        // Some generated expressions have no event.
        if let Ok(schedule) = text.parse::<Schedule>() {
            let zoned = schedule.in_zone(ChronoZone(tz));
            prop_assert_eq!(zoned.to_string(), format!("{schedule} {tz}"));
            prop_assert_eq!(format!("{text} {tz}").parse::<Chrono>(), Ok(zoned.clone()));
            prop_assert_eq!(zoned.to_string().parse::<Chrono>(), Ok(zoned));
        }
    }

    #[test]
    fn arbitrary_texts_never_panic(text in any::<String>(), pieces in pieces()) {
        check_arbitrary(&text);
        check_arbitrary(&pieces);
        check_arbitrary(&format!("12:00:00 {text}"));
    }
}

#[test]
fn long_texts_never_panic() {
    for piece in ["a", " ", "12:00:00 ", "x/", "+", "é", "Z ", ":"] {
        check_arbitrary(&piece.repeat(65_536 / piece.len()));
        check_arbitrary(&format!("12:00:00 {}", piece.repeat(65_536 / piece.len())));
    }
}
