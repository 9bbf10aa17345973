//! Schedules written in a dialect parse to the same schedules.

use crate::support::generate::{cases, expression};
use millicron::Dialect::{self, CronCrate, Crontab, Quartz, Systemd};
use millicron::{Schedule, schedule};
use proptest::prelude::*;

const DIALECTS: [Dialect; 4] = [Crontab, Quartz, CronCrate, Systemd];

#[test]
fn schedules_are_written_in_each_dialect() {
    for (dialect, schedule, text) in [
        (Crontab, "*.*.* Mon-Fri 09:30:00", "30 9 * * MON-FRI"),
        (Crontab, "*:*:*/5", "*/5 * * * * *"),
        (Crontab, "*:*/5,56:00", "0-55/5,56 * * * *"),
        (Crontab, "*.*.13 | Fri 00:00:00", "0 0 13 * FRI"),
        (Crontab, "*.*.*/2 | Fri 00:00:00", "0 0 1-31/2 * FRI"),
        (Crontab, "*.*.*/2 Fri 00:00:00", "0 0 */2 * FRI"),
        (Crontab, "*.*.13 0,2,4,6 00:00:00", "0 0 13 * */2"),
        (Crontab, "*.*.1,L,L-3,15W,LW 00:00:00", "0 0 1,L,L-3,15W,LW * *"),
        (Crontab, "*.*.* Mon,Fri#2,Sun#L 00:00:00", "0 0 * * MON,5#2,0L"),
        (Quartz, "2000-2099.*.* Mon-Fri 09:30:00", "0 30 9 ? * MON-FRI"),
        (Quartz, "2000-2099.*.L-3W 09:30:00", "0 30 9 L-3W * ?"),
        (Quartz, "2000-2099.*.L 09:30:00", "0 30 9 L * ?"),
        (Quartz, "2000-2099.*.* Fri#L 09:30:00", "0 30 9 ? * 6L"),
        (Quartz, "2026-2030.1.1 09:30:00", "0 30 9 1 1 ? 2026-2030"),
        (Quartz, "2000-2099.*.* *:*:*", "* * * * * ?"),
        (CronCrate, "*.*.13 Fri 00:00:00", "0 0 0 13 * FRI"),
        (CronCrate, "2026.1.1 00:00:00", "0 0 0 1 1 * 2026"),
        (Systemd, "*.*.* Mon-Fri,Sun 09:30:00", "Mon..Fri,Sun 09:30:00"),
        (Systemd, "2026.1,7.1 00:00:00", "2026-01,07-01 00:00:00"),
        (Systemd, "*.*.L 12:00:00", "*-*~01 12:00:00"),
        (Systemd, "*.*.L,L-1,L-2 12:00:00", "*-*~01..03 12:00:00"),
        (Systemd, "*:*:*.500", "*:*:00.5..59.5"),
        (Systemd, "*:*:*.*/250", "*:*:00/0.25"),
        (Systemd, "*:*:0.1,2,5", "*:*:00.001,00.002,00.005"),
        (Systemd, "00:00:00../1s500ms", "*:*:00/1.5"),
        (Crontab, "*.*.1-30,32 Mon 00:00:00", "0 0 * * MON"),
        (Quartz, "2000-2099.*.1-30,32 Mon 00:00:00", "0 0 0 ? * MON"),
        (CronCrate, "*.*.1-31,L Mon 00:00:00", "0 0 0 * * MON"),
        (Systemd, "*.*.1-31,32 00:00:00", "00:00:00"),
    ] {
        let schedule: Schedule = schedule.parse().expect(schedule);
        assert_eq!(schedule.to_dialect(dialect).as_deref(), Ok(text));
        assert_eq!(dialect.parse(text).as_ref(), Ok(&schedule), "{text}");
    }
}

#[test]
fn errors_say_what_a_dialect_lacks() {
    for (dialect, schedule, message) in [
        (Crontab, "*:*:*.500", "crontab has no milliseconds"),
        (Crontab, "2026.*.* 00:00:00", "crontab has no years"),
        (
            Crontab,
            "*.*.13 Fri 00:00:00",
            "crontab has no AND between days of month and weekdays, unless one of them is \
             written with `*`",
        ),
        (Crontab, "2026.01.05/14d 00:00:00", "crontab has no steps from a date"),
        (
            Crontab,
            "09:30:00..16:00:00/15m",
            "crontab has no windows from one time of day to another with any step",
        ),
        (
            Quartz,
            "12:00:00",
            "Quartz has no year 2100: limit the schedule to the years 2000-2099, as in \
             `2000-2099.*.*`",
        ),
        (Quartz, "2026.*.13 Fri 12:00:00", "Quartz has no AND between days of month and weekdays"),
        (Quartz, "2026.*.13 | Fri 12:00:00", "Quartz has no OR between days of month and weekdays"),
        (Quartz, "2026.*.13,L 12:00:00", "Quartz has no lists with `L`, `W` or `#`"),
        (Quartz, "2026.*.* Fri#1,Fri#3 12:00:00", "Quartz has no lists with `L`, `W` or `#`"),
        (
            CronCrate,
            "*.*.L 12:00:00",
            "the cron crate has no last day of the month, nor days counted from it",
        ),
        (
            CronCrate,
            "*.*.* Fri#2 12:00:00",
            "the cron crate has no `#`, the n-th weekday of the month",
        ),
        (
            CronCrate,
            "*.*.15W 12:00:00",
            "the cron crate has no `W`, the day from Monday to Friday nearest to a day",
        ),
        (
            Systemd,
            "*.*.13,L 12:00:00",
            "systemd has no list of days that are counted from the start and from the end of the \
             month",
        ),
        (
            Systemd,
            "*.*.L-28 12:00:00",
            "systemd has no days more than 27 days before the last of the month",
        ),
        (
            Systemd,
            "*.*.L-3,L-25 12:00:00",
            "systemd has no list of days from the end of the month whose n-th item is more than \
             31 - 3n",
        ),
    ] {
        let schedule: Schedule = schedule.parse().expect(schedule);
        let error = schedule.to_dialect(dialect).expect_err(&schedule.to_string());
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn compiled_dialects_equal_parsed_ones() {
    const CRONTAB: Schedule = schedule!(crontab "0 9 13 * FRI");
    const QUARTZ: Schedule = schedule!(quartz "0 0 1 ? * L");
    static CRON_CRATE: Schedule = schedule!(cron_crate r"0 0 9 * * Mon-Fri",);
    const SYSTEMD: Schedule = schedule!(systemd "*:*:0/1.5");
    for (dialect, compiled, text) in [
        (Crontab, &CRONTAB, "0 9 13 * FRI"),
        (Quartz, &QUARTZ, "0 0 1 ? * L"),
        (CronCrate, &CRON_CRATE, "0 0 9 * * Mon-Fri"),
        (Systemd, &SYSTEMD, "*:*:0/1.5"),
    ] {
        let parsed = dialect.parse(text).expect(text);
        assert_eq!(*compiled, parsed);
        assert_eq!(compiled.expression(), parsed.expression());
        let start = 1_700_000_000_000;
        assert!(compiled.upcoming(start).take(50).eq(parsed.upcoming(start).take(50)));
    }
}

#[test]
fn windows_through_the_whole_day_are_written_only_if_they_are_read_again() {
    let mut written = 0;
    for step in (1..=60_000).filter(|step| 60_000 % step == 0) {
        for from in [0, 1, step / 2, step - 1] {
            let (second, millis) = (from / 1000, from % 1000);
            let text = format!("00:00:{second:02}.{millis:03}../{step}ms");
            let schedule: Schedule = text.parse().expect(&text);
            if let Ok(text) = schedule.to_dialect(Systemd) {
                assert_eq!(Systemd.parse(&text).as_ref(), Ok(&schedule), "{text}");
                written += 1;
            }
        }
    }
    // For example, 00:00:00../1s500ms.
    assert!(written >= 100, "{written}");
}

/// A list of values from `min` to `max`, with steps and ranges.
fn list(min: u32, max: u32) -> impl Strategy<Value = String> {
    let item =
        (0_u32..5, min..=max, min..=max, 1..=max).prop_map(move |(form, one, other, step)| {
            let (from, to) = (one.min(other), one.max(other));
            match form {
                0 => format!("*/{step}"),
                1 => format!("{from}-{to}"),
                2 => format!("{from}-{to}/{step}"),
                3 => format!("{from}/{step}"),
                _ => from.to_string(),
            }
        });
    prop_oneof![
        1 => Just("*".to_owned()),
        3 => proptest::collection::vec(item, 1..4).prop_map(|items| items.join(",")),
    ]
}

/// The fields of a schedule in the `cron` crate and in crontab.
fn fields() -> impl Strategy<Value = String> {
    (list(0, 59), list(0, 59), list(0, 23), list(1, 31), list(1, 12), list(1, 7)).prop_map(
        |(second, minute, hour, day, month, weekday)| {
            format!("{second} {minute} {hour} {day} {month} {weekday}")
        },
    )
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn what_a_dialect_reads_it_writes_and_reads_again(text in fields()) {
        for source in [Crontab, CronCrate] {
            // It may never fire.
            let Ok(schedule) = source.parse(&text) else { continue };
            for dialect in DIALECTS {
                match schedule.to_dialect(dialect) {
                    Ok(written) => {
                        let read = dialect.parse(&written);
                        prop_assert_eq!(read.as_ref(), Ok(&schedule), "{} {:?}", dialect, written);
                    }
                    Err(error) => prop_assert_ne!((source, dialect), (CronCrate, CronCrate), "{}", error),
                }
            }
        }
    }

    #[test]
    fn what_a_dialect_writes_it_reads(text in expression()) {
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        for dialect in DIALECTS {
            if let Ok(written) = schedule.to_dialect(dialect) {
                let read = dialect.parse(&written);
                prop_assert_eq!(read.as_ref(), Ok(&schedule), "{} {:?}", dialect, written);
            }
        }
    }
}

#[test]
fn systemd_counts_up_to_28_days_from_the_end() {
    for days in ["L-27", "L-4,L-24"] {
        let schedule: Schedule = format!("*.*.{days} 12:00:00").parse().expect(days);
        let text = schedule.to_dialect(Systemd).expect(days);
        assert_eq!(Systemd.parse(&text), Ok(schedule), "{text}");
    }
}
