//! Recognizing the language of a text, writing it in another language, and the errors for invalid texts.

use crate::support::generate::{cases, expression};
use millicron::Dialect::{CronCrate, Crontab, Quartz, Systemd};
use millicron::Field::{Millisecond, Minute};
use millicron::{CalendarDigits, Language, ParseErrorKind, RecognizeError, Schedule};
use proptest::prelude::*;

const ZONE: &str = "Europe/Berlin";

#[test]
fn the_language_of_a_text_is_recognized() {
    for (text, language, schedule, zone) in [
        ("*.*.* Mon-Fri 09:30:00", Language::Millicron, "*.*.* 1-5 09:30:00", None),
        ("09:30:00 Europe/Berlin", Language::Millicron, "09:30:00", Some(ZONE)),
        ("09:30:00 Europe/Berlin;", Language::Millicron, "09:30:00", Some(ZONE)),
        ("09:30:00\r\nEurope/Berlin\r\n", Language::Millicron, "09:30:00", Some(ZONE)),
        ("09:30:00\rEurope/Berlin", Language::Millicron, "09:30:00", Some(ZONE)),
        ("30 9 * * MON-FRI", Language::Dialect(Crontab), "*.*.* 1-5 09:30:00", None),
        ("@daily", Language::Dialect(Crontab), "00:00:00", None),
        ("CRON_TZ=Europe/Berlin 30 9 * * *", Language::Dialect(Crontab), "09:30:00", Some(ZONE)),
        ("0 30 9 ? * 2-6", Language::Dialect(Quartz), "2000-2099.*.* 1-5 09:30:00", None),
        ("0 30 9 * * * 2026", Language::Dialect(CronCrate), "2026.*.* 09:30:00", None),
        // Quartz does not read both a day and a weekday.
        ("0 0 0 * * MON-FRI/2 *", Language::Dialect(CronCrate), "*.*.* 1-5/2 00:00:00", None),
        (
            "Mon..Fri 09:30 Europe/Berlin",
            Language::Dialect(Systemd),
            "*.*.* 1-5 09:30:00",
            Some(ZONE),
        ),
    ] {
        let reading = Language::recognize(text).expect(text);
        let expected: Schedule = schedule.parse().expect(schedule);
        assert_eq!((reading.language, reading.schedule, reading.zone), (language, expected, zone));
    }
}

#[test]
fn languages_have_the_keywords_of_the_macro() {
    let keywords = ["millicron", "crontab", "quartz", "cron_crate", "systemd"];
    assert_eq!(Language::ALL.map(Language::keyword), keywords);
}

#[test]
fn the_same_schedule_in_several_languages_is_not_ambiguous() {
    for (text, language) in [
        ("0 30 9 * * MON-FRI", Crontab),
        // The year 2100, which Quartz does not have, makes no difference.
        ("0 30 9 ? * MON-FRI", Quartz),
        ("0 30 9 * * ?", Quartz),
    ] {
        assert!(Language::readings(text).count() > 1, "{text}");
        let reading = Language::recognize(text).expect(text);
        assert_eq!(reading.language, Language::Dialect(language), "{text}");
    }
}

#[test]
fn a_text_with_several_meanings_is_ambiguous() {
    for (text, languages) in
        [("0 30 9 * * 1-5", [Crontab, CronCrate]), ("0 30 9 1 * 1", [Crontab, CronCrate])]
    {
        let error = Language::recognize(text).expect_err(text);
        let message =
            "the text has a different meaning in crontab and cron crate: name its language";
        assert_eq!(error.to_string(), message);
        let RecognizeError::Ambiguous(readings) = error else { panic!("{error}") };
        let languages = languages.map(Language::Dialect);
        assert!(readings.iter().map(|it| it.language).eq(languages), "{readings:?}");
    }
}

#[test]
fn an_unreadable_text_is_explained_in_the_language_that_it_resembles() {
    for (text, expected) in [
        ("24:00:00", Language::Millicron),
        ("1x 10:00:00", Language::Millicron),
        ("*.*.* 1-5 09:30:00 10:00:00", Language::Millicron),
        ("*.*.31 Fri", Language::Millicron),
        ("0 9 * *", Language::Dialect(Crontab)),
        ("0 25 * * *", Language::Dialect(Crontab)),
        ("0 9 ? * MON", Language::Dialect(Crontab)),
        ("@reboot", Language::Dialect(Crontab)),
        // A line of a crontab has a command.
        ("30 4 * * * /usr/local/bin/backup --full", Language::Dialect(Crontab)),
        ("0 9 * * MON backup.sh -v", Language::Dialect(Crontab)),
        ("0 9 * * * root /bin/x", Language::Dialect(Crontab)),
        ("0 9 * * * monitor x", Language::Dialect(Crontab)),
        ("0 9 * * * sun-report x", Language::Dialect(Crontab)),
        ("0 9 * * * curl http://x", Language::Dialect(Crontab)),
        ("@daily curl http://x", Language::Dialect(Crontab)),
        ("0 0 9 * * MONN 2026", Language::Dialect(CronCrate)),
        ("0 0 25 ? * 2", Language::Dialect(Quartz)),
        // Quartz ignores the steps, and the cron crate does not.
        ("0 0 0 ? * MON-FRI/2", Language::Dialect(Quartz)),
        ("0 0 0 1 JAN-DEC/2 ?", Language::Dialect(Quartz)),
        ("0 0 25 * * 2", Language::Dialect(Crontab)),
        ("0 0 25 * * 2 2026", Language::Dialect(CronCrate)),
        (" 0 0 25 * * 2 2026", Language::Dialect(CronCrate)),
        ("CRON_TZ=UTC 0 0 25 * * 2 2026", Language::Dialect(CronCrate)),
        ("Mon..Fry 09:30", Language::Dialect(Systemd)),
        // Only systemd has schedules that begin with a word.
        ("dayly", Language::Dialect(Systemd)),
        ("Monn 12:00", Language::Dialect(Systemd)),
        ("Monn 12:00:00", Language::Dialect(Systemd)),
        ("Mo 12:00", Language::Millicron),
        ("Mon 25:00:00", Language::Millicron),
        ("Europe/Berlin 12:00:00", Language::Millicron),
        ("0 9 * * 1-5 # comment", Language::Dialect(Crontab)),
        ("* * * * * * * *", Language::Dialect(CronCrate)),
        ("at half past nine in the morning, please", Language::Millicron),
        ("every monday from 9 to 17", Language::Millicron),
        ("last business day of month at 5pm", Language::Millicron),
        ("at 25:00", Language::Millicron),
        // Words with several `-`, of which only dates are systemd's.
        ("*-*-32 09:30", Language::Dialect(Systemd)),
        ("Mon *-02~32 09:30", Language::Dialect(Systemd)),
        ("2026-13-01..05 09:30", Language::Dialect(Systemd)),
        ("2026-2028.1-6.* 25:00:00", Language::Millicron),
        ("*.*.L-3>B-2 25:00:00", Language::Millicron),
        ("*.*.* Mon-Wed,Fri-Sat 25:00:00", Language::Millicron),
        ("9:00:00; 25:00:00 America/Port-au-Prince", Language::Millicron),
        // Only millicron has calendars.
        ("9:00:00 @my-own-nyse", Language::Millicron),
        ("B 9:00:00 @nyse", Language::Millicron),
        ("Mon 9:00:00 @nyse", Language::Millicron),
        // A zone is part of a schedule.
        ("9:00:00; 10:00:00; Europe/Berlin", Language::Millicron),
    ] {
        let error = Language::recognize(text).expect_err(text);
        let RecognizeError::Unreadable { language, .. } = error else { panic!("{error}") };
        assert_eq!(language, expected, "{text}");
    }
}

#[test]
fn only_what_systemd_reads_is_taken_for_its_language() {
    for (text, kind) in [
        ("*:0/15", ParseErrorKind::OtherDialect),
        ("*:*:0/0.25", ParseErrorKind::OtherDialect),
        ("*-*-01", ParseErrorKind::OtherDialect),
        ("1/3-01 00:00", ParseErrorKind::OtherDialect),
        // systemd refuses these.
        ("*:59/2", ParseErrorKind::StepWithoutRange { field: Minute, from: 59, step: 2 }),
        ("*:0/15 @nyse", ParseErrorKind::StepWithoutRange { field: Minute, from: 0, step: 15 }),
        ("*-02-30", ParseErrorKind::IsoDate),
        // These are close to the language of this crate.
        ("*:0/15:00", ParseErrorKind::StepWithoutRange { field: Minute, from: 0, step: 15 }),
        ("*:0:0.5/3", ParseErrorKind::StepWithoutRange { field: Millisecond, from: 5, step: 3 }),
        ("2026-12-24", ParseErrorKind::IsoDate),
    ] {
        assert_eq!(text.parse::<Schedule>().expect_err(text).kind(), kind, "{text}");
    }
    // Milliseconds are a number, whatever systemd reads.
    let schedule: Schedule = "*:*:0.5".parse().expect("a schedule");
    assert_eq!(schedule.to_string(), "*:*:00.005");
}

#[test]
fn a_weekday_at_the_end_is_not_taken_for_a_time_zone() {
    for text in ["0 0 12 ? * MON-FRI", "0 9 * * MON-FRI", "0 30 9 ? * fri#2"] {
        let error = Language::Millicron.read(text).expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::OtherDialect, "{text}");
        assert_eq!(Err(error), text.parse::<Schedule>(), "{text}");
    }
    let error = Language::Millicron.read("*.*.* 25:00:00 Europe/Berlin").unwrap_err();
    assert_eq!(error.span(), 6..8);
}

#[test]
fn the_year_2100_is_no_reason_to_refuse_a_translation() {
    let write = |dialect, text: &str| {
        let schedule: Schedule = text.parse().expect(text);
        Language::Dialect(dialect).write(&schedule, None).map_err(|error| error.to_string())
    };
    assert_eq!(write(Quartz, "09:30:00").as_deref(), Ok("0 30 9 * * ?"));
    assert_eq!(write(Quartz, "2026,2100.*.* 09:30:00").as_deref(), Ok("0 30 9 * * ? 2026"));
    assert_eq!(write(Crontab, "2000-2099.*.* 09:30:00").as_deref(), Ok("30 9 * * *"));
    assert_eq!(write(CronCrate, "2000-2099.*.* 09:30:00").as_deref(), Ok("0 30 9 * * *"));
    assert_eq!(write(Systemd, "2000-2099.*.* 09:30:00").as_deref(), Ok("09:30:00"));
    assert_eq!(write(CronCrate, "2099.*.* 09:30:00").as_deref(), Ok("0 30 9 * * * 2099"));
    // Other features that the dialect lacks are still errors.
    assert_eq!(write(Crontab, "2000-2098.*.* 09:30:00"), Err("crontab has no years".into()));
    let error = write(Quartz, "*.*.13 Fri 09:30:00").expect_err("AND");
    assert_eq!(error, "Quartz has no AND between days of month and weekdays");
    let error = write(Quartz, "2100.*.* 09:30:00").expect_err("no year is left");
    assert!(error.starts_with("Quartz has no year 2100"), "{error}");
    let error = write(Quartz, "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00").expect_err("a union");
    assert_eq!(
        error,
        "Quartz has no unions: write one schedule for each member, `0 0 9 ? * MON` and `0 0 10 ? * TUE`"
    );
}

#[test]
fn the_members_of_a_refused_union_have_its_time_zone() {
    let schedule: Schedule = "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00".parse().expect("a union");
    let write = |dialect| {
        let error = Language::Dialect(dialect).write(&schedule, Some("Europe/Berlin"));
        error.expect_err("a union").to_string()
    };
    for (dialect, members) in [
        (Crontab, "`CRON_TZ=Europe/Berlin 0 9 * * MON` and `CRON_TZ=Europe/Berlin 0 10 * * TUE`"),
        (Systemd, "`Mon 09:00:00 Europe/Berlin` and `Tue 10:00:00 Europe/Berlin`"),
        // It has no time zones either.
        (Quartz, "`0 0 9 ? * MON` and `0 0 10 ? * TUE`"),
    ] {
        let error = write(dialect);
        assert!(error.ends_with(&format!("one schedule for each member, {members}")), "{error}");
    }
}

#[test]
fn unions_are_recognized_in_the_place_of_a_dialect() {
    for dialect in [Crontab, Quartz, CronCrate, Systemd] {
        let read = Language::Dialect(dialect).read("*.*.* Mon 09:00:00; *.*.* Tue 10:00:00");
        let error = read.expect_err("a union").plain().to_string();
        assert_eq!(error, "this is a schedule in the language of millicron", "{dialect:?}");
    }
}

#[test]
fn a_semicolon_may_end_a_union_with_a_time_zone() {
    for text in ["09:00:00; 10:00:00 UTC;", "09:00:00; 10:00:00 UTC ;\n"] {
        let reading = Language::recognize(text).expect(text);
        assert_eq!(reading.language, Language::Millicron);
        assert_eq!(reading.zone, Some("UTC"));
    }
}

#[test]
fn messages_for_people_have_no_rust_calls() {
    for (text, language, message) in [
        ("*/5 * * * *", Language::Millicron, "this is a schedule of crontab: write `*:*/5:00`"),
        (
            "0 30 9 1 * 1",
            Language::Millicron,
            "this is a schedule of crontab: write `*.*.01 | 1 09:30:00`; as a schedule of the cron \
             crate: write `*.*.01 0 09:30:00`",
        ),
        ("9:30:00", Language::Dialect(Crontab), "this is a schedule in the language of millicron"),
        (
            "Europe/Berlin 9:30:00",
            Language::Millicron,
            "`Europe/Berlin` is not where the name of a time zone belongs: write it last, as in \
             `12:00:00 Europe/Berlin` and `12:00:00; 13:00:00 Europe/Berlin`",
        ),
        (
            "2026-11-22T10:00:00+01:00",
            Language::Millicron,
            "a date is written with dots: write `2026.11.22 10:00:00`, and the name of the time zone \
             after it",
        ),
    ] {
        let error = language.read(text).expect_err(text);
        assert_eq!(error.plain().to_string(), message);
        assert!(format!("{:#}", error.plain()).ends_with('^'));
    }
}

/// Whether two schedules have the same events up to the end of 2099.
fn agree(one: &Schedule, other: &Schedule) -> bool {
    let end = CalendarDigits::new(2100, 1, 1, 0, 0, 0, 0).expect("a date");
    let ends = |it: &Schedule| {
        let events = it.events(..end);
        (
            it.count(..end),
            events.clone().take(20).collect::<Vec<_>>(),
            events.rev().take(20).collect::<Vec<_>>(),
        )
    };
    ends(one) == ends(other)
}

/// Texts that resemble schedules.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        expression(),
        "[-*/,.:?@#LWHa-z0-9 ]{0,20}",
        "([0-9*?/,-]{1,4} ){4,6}[0-9A-Z*?#]{1,3}( [A-Z][a-z]+/[A-Z][a-z]+)?",
        "(Mon|mon..fri|[0-9*]{1,4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?|UTC|\\+02:00| |T){1,6}",
    ]
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn what_a_language_writes_it_reads_with_its_zone(text in expression(), has_zone: bool) {
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        let zone = has_zone.then_some(ZONE);
        for language in Language::ALL {
            let Ok(written) = language.write(&schedule, zone) else { continue };
            let reading = language.read(&written);
            let reading = reading.map_err(|error| TestCaseError::fail(format!("{written}: {error}")))?;
            prop_assert_eq!(reading.zone, zone);
            prop_assert!(agree(&reading.schedule, &schedule), "{} {}", language, written);
        }
    }

    #[test]
    fn any_text_is_recognized_or_refused_in_plain_words(text in text()) {
        for language in Language::ALL {
            if let Err(error) = language.read(&text) {
                let plain = format!("{:#}", error.plain());
                prop_assert!(!["::", "schedule!", "`Schedule`"].iter().any(|call| plain.contains(call)), "{}", plain);
                prop_assert!(!plain.starts_with('\n'), "{}", plain);
            }
        }
        match Language::recognize(&text) {
            Ok(reading) => prop_assert!(reading.language.read(&text).is_ok()),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}
