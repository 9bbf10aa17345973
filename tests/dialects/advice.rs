//! Texts of one dialect parsed as another: the error names the call that parses them, and the
//! translation.

use millicron::Dialect::{CronCrate, Crontab, Quartz, Systemd};
use millicron::{ParseErrorKind, Schedule};

#[track_caller]
fn native_error(text: &str) -> String {
    text.parse::<Schedule>().expect_err(text).to_string()
}

#[test]
fn a_text_of_one_dialect_is_translated() {
    for (text, schedule, name, call) in [
        (
            "*/5 * * * *",
            "*:*/5:00",
            "crontab",
            "Dialect::Crontab.parse` or `schedule!(crontab \"…\")",
        ),
        (
            "*/5 * * * * *",
            "*:*:*/5",
            "crontab",
            "Dialect::Crontab.parse` or `schedule!(crontab \"…\")",
        ),
        (
            "0 9 * * 7",
            "*.*.* 0 09:00:00",
            "crontab",
            "Dialect::Crontab.parse` or `schedule!(crontab \"…\")",
        ),
        (
            "0 9 1 * 1",
            "*.*.01 | 1 09:00:00",
            "crontab",
            "Dialect::Crontab.parse` or `schedule!(crontab \"…\")",
        ),
        ("@daily", "00:00:00", "crontab", "Dialect::Crontab.parse` or `schedule!(crontab \"…\")"),
        (
            "0 0 12 ? * MON-FRI",
            "2000-2099.*.* 1-5 12:00:00",
            "Quartz",
            "Dialect::Quartz.parse` or `schedule!(quartz \"…\")",
        ),
        (
            "0 0 0 * * Monday",
            "*.*.* 1 00:00:00",
            "the cron crate",
            "Dialect::CronCrate.parse` or `schedule!(cron_crate \"…\")",
        ),
        (
            "Mon..Fri *-*-* 09:30:00",
            "*.*.* 1-5 09:30:00",
            "systemd",
            "Dialect::Systemd.parse` or `schedule!(systemd \"…\")",
        ),
        (
            "weekly",
            "*.*.* 1 00:00:00",
            "systemd",
            "Dialect::Systemd.parse` or `schedule!(systemd \"…\")",
        ),
        (
            "*-*-* *:0/15",
            "*:*/15:00",
            "systemd",
            "Dialect::Systemd.parse` or `schedule!(systemd \"…\")",
        ),
    ] {
        let error = text.parse::<Schedule>().expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::OtherDialect, "{text:?}");
        assert_eq!(&text[error.span()], text);
        assert_eq!(
            error.to_string(),
            format!("this is a schedule of {name}: write `{schedule}`, or read it with `{call}`")
        );
        assert!(schedule.parse::<Schedule>().is_ok(), "{schedule}");
    }
}

#[test]
fn a_text_that_two_dialects_read_differently_is_translated_twice() {
    assert_eq!(
        native_error("0 0 9 * * 2"),
        "this is a schedule of crontab: write `*.*.* 2 09:00:00`, or read it with \
         `Dialect::Crontab.parse` or `schedule!(crontab \"…\")`; as a schedule of the cron crate: \
         write `*.*.* 1 09:00:00`, or read it with `Dialect::CronCrate.parse` or \
         `schedule!(cron_crate \"…\")`"
    );
}

#[test]
fn time_zones_are_read_by_another_call() {
    assert_eq!(
        native_error("CRON_TZ=Asia/Tokyo 30 4 * * *"),
        "this is a schedule of crontab: write `04:30:00`, or read it with \
         `Dialect::Crontab.parse_with_zone`, which returns the time zone `Asia/Tokyo` too"
    );
    assert_eq!(
        native_error("Mon..Fri *-*-* 09:30:00 Europe/Berlin"),
        "this is a schedule of systemd: write `*.*.* 1-5 09:30:00`, or read it with \
         `Dialect::Systemd.parse_with_zone`, which returns the time zone `Europe/Berlin` too"
    );
    let error = "CRON_TZ=Asia/Tokyo 30 4 * * *".parse::<Schedule>().expect_err("it is crontab's");
    assert_eq!(
        error.plain().to_string(),
        "this is a schedule of crontab: write `04:30:00`, and the time zone `Asia/Tokyo` at the end"
    );
    for text in ["10:00:00 America/Port-au-Prince", "10:00:00 Europe/Berlin"] {
        let error = text.parse::<Schedule>().expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::TimeZone, "{text}");
    }
}

#[test]
fn texts_without_fixed_times_say_so() {
    for (text, words) in [
        ("H H * * *", "`H` is a value that Jenkins chooses"),
        ("@reboot", "`@reboot` is not a time"),
        ("0~30 9 * * *", "`0~30` is a random value"),
    ] {
        let error = text.parse::<Schedule>().expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::NotFixed, "{text:?}");
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

#[test]
fn a_text_of_one_dialect_given_to_another_is_translated() {
    for (dialect, text, message) in [
        (
            Quartz,
            "*/5 * * * *",
            "this is a schedule of crontab: write `0 */5 * * * ?`, or read it with \
             `Dialect::Crontab.parse` or `schedule!(crontab \"…\")`",
        ),
        (
            Crontab,
            "0 0 9 ? * MON-FRI",
            "this is a schedule of Quartz: write `0 9 * * MON-FRI`, or read it with \
             `Dialect::Quartz.parse` or `schedule!(quartz \"…\")`",
        ),
        (
            Systemd,
            "0 0 9 ? * MON-FRI",
            "this is a schedule of Quartz: write `Mon..Fri 09:00:00`, or read it with \
             `Dialect::Quartz.parse` or `schedule!(quartz \"…\")`",
        ),
        (
            CronCrate,
            "*/5 * * * *",
            "this is a schedule of crontab: write `0 */5 * * * *`, or read it with \
             `Dialect::Crontab.parse` or `schedule!(crontab \"…\")`",
        ),
        (
            Crontab,
            "Mon..Fri 09:30",
            "this is a schedule of systemd: write `30 9 * * MON-FRI`, or read it with \
             `Dialect::Systemd.parse` or `schedule!(systemd \"…\")`",
        ),
        (
            Systemd,
            "30 9 * * 1-5",
            "this is a schedule of crontab: write `Mon..Fri 09:30:00`, or read it with \
             `Dialect::Crontab.parse` or `schedule!(crontab \"…\")`",
        ),
        (
            Crontab,
            "*.*.* Mon-Fri 09:30:00",
            "this is a schedule in the language of millicron: read it with `Schedule::parse` or \
             `schedule!` without a dialect",
        ),
    ] {
        let error = dialect.parse(text).expect_err(text);
        assert_eq!(error.kind(), ParseErrorKind::OtherDialect, "{text:?}");
        assert_eq!(error.to_string(), message, "{dialect} {text:?}");
    }
    // An error in the dialect itself comes first.
    let error = CronCrate.parse("0 0 22-2 * * ?").unwrap_err();
    assert_eq!(error.to_string(), "hour range `22-2` runs downwards: write `22-23,0-2`");
}

#[test]
fn long_texts_are_recognized_without_a_translation() {
    let text = format!("{}0 9 * * *", "0,".repeat(100));
    assert_eq!(
        native_error(&text),
        "this is a schedule of crontab: read it with `Dialect::Crontab.parse` or \
         `schedule!(crontab \"…\")`"
    );
}
