//! Texts that a dialect refuses: where the error points, and what it says.

use millicron::Dialect::{self, CronCrate, Crontab, Quartz, Systemd};
use millicron::ParseError;

/// Checks the place and the message of the error for each text, and that the text parses with the
/// suggestion of the message in place of the offender.
#[track_caller]
fn assert_errors(dialect: Dialect, rows: &[(&str, &str, &str)]) {
    for (text, offender, message) in rows {
        let error = match dialect.parse(text) {
            Ok(schedule) => panic!("{dialect} reads {text:?} as {schedule}"),
            Err(error) => error,
        };
        assert_eq!(error.to_string(), *message, "{dialect} {text:?}");
        assert_eq!(&text[error.span()], *offender, "{dialect} {text:?}");
        if let Some(mended) = mended(text, &error) {
            assert!(dialect.parse(&mended).is_ok(), "{dialect} {mended:?}");
        }
    }
}

/// Returns a text with the suggestion of its error in place of the offender.
fn mended(text: &str, error: &ParseError) -> Option<String> {
    let message = error.to_string();
    let (_, repair) = message.split_once("write `")?;
    let (repair, _) = repair.split_once('`')?;
    let span = error.span();
    Some(format!("{}{repair}{}", &text[..span.start], &text[span.end..]))
}

#[test]
fn ranges_to_write_in_crontab_are_those_that_quartz_reads_as_one() {
    let start = 1_700_000_000_000;
    let assert_same = |crontab: &str, quartz: &str| {
        let error = Crontab.parse(crontab).expect_err(crontab);
        let mended = mended(crontab, &error).expect(crontab);
        let written = Crontab.parse(&mended).expect(&mended);
        let read = Quartz.parse(quartz).expect(quartz);
        let are_same = written.upcoming(start).take(30).eq(read.upcoming(start).take(30));
        assert!(are_same, "{crontab:?} {mended:?} {quartz:?}");
    };
    for (from, to) in (0..24).flat_map(|from| (0..from).map(move |to| (from, to))) {
        for step in 1..30 {
            let range = format!("{from}-{to}/{step}");
            assert_same(&format!("0 {range} * * *"), &format!("0 0 {range} * * ?"));
        }
    }
    // A range to 0 ends on the Sunday after it.
    for (from, to) in (2..=7).flat_map(|from| (1..from).map(move |to| (from, to))) {
        for step in 1..10 {
            let first = from % 7 + 1;
            assert_same(
                &format!("0 0 * * {from}-{to}/{step}"),
                &format!("0 0 0 ? * {first}-{}/{step}", to + 1),
            );
        }
    }
}

/// The form of a schedule.
const CRONTAB_FORM: &str = "the form of crontab is `minute hour day month weekday`, with an optional \
                            second before them";

#[test]
fn crontab_errors_say_what_crontab_allows() {
    assert_errors(
        Crontab,
        &[
            ("", "", &format!("the schedule is empty: {CRONTAB_FORM}")),
            ("0 9 * *", "", &format!("the weekday is missing: {CRONTAB_FORM}")),
            (
                "* * * * * * * *",
                "* *",
                &format!("unexpected `* *` after the weekday: {CRONTAB_FORM}"),
            ),
            ("60 * * * *", "60", "minute `60` is out of range: expected 0-59"),
            (
                "0 0 * * 8",
                "8",
                "weekday `8` is out of range: expected 0-7, or SUN-SAT; Sunday is 0 and 7",
            ),
            (
                "0 0 0 * *",
                "0",
                "day of month `0` is out of range: expected 1-31, or L for the last day of the month",
            ),
            ("0 0 * 13 *", "13", "month `13` is out of range: expected 1-12, or JAN-DEC"),
            ("0 22-2 * * *", "22-2", "hour range `22-2` runs downwards: write `22-23,0-2`"),
            (
                "0 0 * * sat-mon",
                "sat-mon",
                "weekday range `sat-mon` runs downwards: write `Sat,Sun-Mon`",
            ),
            ("0 22-2/3 * * *", "22-2/3", "hour range `22-2/3` runs downwards: write `22,1`"),
            (
                "0 0 * * Sunday",
                "Sunday",
                "`Sunday` is not a valid weekday: expected 0-7, or SUN-SAT; Sunday is 0 and 7; \
                 write `Sun`",
            ),
            ("*/0 * * * *", "0", "minute step `0` is out of range: expected 1 or more"),
            ("1,,2 * * * *", ",", "a value is missing in the minute: expected 0-59"),
            ("1, * * * *", "", "a value is missing in the minute: expected 0-59"),
            ("5a * * * *", "a", "unexpected `a` in the minute: expected 0-59"),
            ("0 0 L-31 * *", "31", "`31` is out of range: expected 1-30 after `L-`"),
            ("0 0 * * 5#6", "6", "`6` is out of range: expected 1-5 after `#`"),
            ("@reboot", "@reboot", "`@reboot` is not a time: run the job when the program starts"),
            (
                "0~30 * * * *",
                "0~30",
                "`0~30` is a random value, which is not a fixed schedule: write a number",
            ),
            (
                "~ * * * *",
                "~",
                "`~` is a random value, which is not a fixed schedule: write a number",
            ),
            (
                "H(0-29)/10 * * * *",
                "H(0-29)/10",
                "`H(0-29)/10` is a value that Jenkins chooses for each job, which is not a fixed \
                 schedule: write a number",
            ),
            (
                "@DAILY",
                "@DAILY",
                "`@DAILY` is unknown: expected `@yearly`, `@annually`, `@monthly`, `@weekly`, \
                 `@daily`, `@midnight`, `@hourly`, or the form `minute hour day month weekday`, \
                 with an optional second before them",
            ),
            (
                "CRON_TZ=Europe/Berlin 0 9 * * *",
                "Europe/Berlin",
                "`Europe/Berlin` is a time zone, which is not part of a schedule: leave it out, or \
                 use `Dialect::Crontab.parse_with_zone`, which returns it too",
            ),
            ("CRON_TZ= 0 9 * * *", "", "the name of the time zone is missing"),
            (
                "0 0 30 2 *",
                "30 2",
                "`30 2` never occurs: none of these months has such a day of month; expected 1-28 \
                 in February, 29 in leap years, 1-30 in April, June, September and November, and \
                 1-31 in the other months",
            ),
            (
                "0 9 * * *\n0 10 * * *",
                "\n",
                "unexpected character U+000A in the month: write the schedule on one line, with \
                 spaces between its fields",
            ),
        ],
    );
}

#[test]
fn commands_and_calendars_are_not_part_of_a_crontab_schedule() {
    assert_errors(
        Crontab,
        &[
            (
                "0 9 * * * /bin/true",
                "/bin/true",
                &format!(
                    "unexpected `/bin/true` after the weekday: {CRONTAB_FORM}; a command is not part of it"
                ),
            ),
            (
                "0 9 * * * sun-report",
                "sun-report",
                &format!(
                    "unexpected `sun-report` after the weekday: {CRONTAB_FORM}; a command is not part of it"
                ),
            ),
            // Weekdays are no command.
            ("0 0 24 * * MON-FRI", "24", "hour `24` is out of range: expected 0-23"),
            (
                "0 0 12 * * Monn",
                "Monn",
                "`Monn` is not a valid weekday: expected 0-7, or SUN-SAT; Sunday is 0 and 7",
            ),
            (
                "0 9 * * MON @nyse",
                "@nyse",
                &format!(
                    "unexpected `@nyse` after the weekday: {CRONTAB_FORM}; for a calendar, write the schedule in \
                     millicron's own language, as in `*.*.* Mon-Fri 09:00:00 @nyse`"
                ),
            ),
        ],
    );
}

#[test]
fn quartz_errors_say_what_quartz_allows() {
    const FORM: &str = "the form of Quartz is `second minute hour day month weekday`, with an \
                        optional year after them";
    assert_errors(
        Quartz,
        &[
            (
                "0 0 12 * * *",
                "*",
                "Quartz does not join the day of month and the weekday: write `?` in place of one \
                 of them, such as the day of month `*`",
            ),
            (
                "0 0 12 1 * MON",
                "MON",
                "Quartz does not join the day of month and the weekday: write `?` in place of one \
                 of them, such as the weekday `MON`",
            ),
            (
                "0 0 12 ? * ?",
                "?",
                "both the day of month and the weekday are `?`: write `*` in place of one of them",
            ),
            (
                "0 0 12 ? * 0",
                "0",
                "weekday `0` is out of range: expected 1-7, or SUN-SAT; Sunday is 1",
            ),
            (
                "0 0 12 C * ?",
                "C",
                "`C` depends on a calendar of Quartz, so it is not a fixed schedule: write the days",
            ),
            (
                "0 0 12 5C * ?",
                "C",
                "`C` depends on a calendar of Quartz, so it is not a fixed schedule: write the days",
            ),
            (
                "0 0 12 15,L * ?",
                "15,L",
                "`15,L` is a list with `L`, `W` or `#`, which Quartz does not read: such a day of \
                 month must be alone in its field",
            ),
            (
                "0 0 12 ? * 2#1,3",
                "2#1,3",
                "`2#1,3` is a list with `L`, `W` or `#`, which Quartz does not read: such a \
                 weekday must be alone in its field",
            ),
            (
                "0 0 12 ? * MON-FRI/2",
                "MON-FRI/2",
                "`MON-FRI/2` has a step after a name, which Quartz ignores: write numbers, as in \
                 `2-6/2`",
            ),
            (
                "0 0 12 ? * 2-FRI",
                "2-FRI",
                "`2-FRI` mixes names and numbers, which Quartz does not read",
            ),
            ("*/60 * * * * ?", "60", "second step `60` is out of range: expected 1-59"),
            ("0-9/0 * * * * ?", "0", "second step `0` is out of range: expected 1 or more"),
            (
                "0 0 0 1 1 ? 2030-2028",
                "2030-2028",
                "year range `2030-2028` runs downwards: write `2028-2030`",
            ),
            ("0 0 0 1 1 ? 2100", "2100", "year `2100` is out of range: expected 1970-2099"),
            ("0 0 0 1 1 ? 1990", "1990", "`1990` never occurs: a schedule has the years 2000-2100"),
            ("0 0 0 1 1 ? 2030 5", "5", &format!("unexpected `5` after the year: {FORM}")),
            ("0 0 0 * *", "", &format!("the weekday is missing: {FORM}")),
            (
                "? 0 0 * * ?",
                "?",
                "unexpected `?` in the second: expected 0-59; for every second, write `*`",
            ),
        ],
    );
}

#[test]
fn cron_crate_errors_say_what_the_crate_allows() {
    assert_errors(
        CronCrate,
        &[
            (
                "0 0 0 * * FRI-MON",
                "FRI-MON",
                "weekday range `FRI-MON` runs downwards: write `Fri-Sat,Sun-Mon`",
            ),
            (
                "0 0 0 * * MON/2",
                "MON/2",
                "`MON/2` has a step after a name: write a number or a range",
            ),
            (
                "0 0 0 * * 1-FRI",
                "1-FRI",
                "`1-FRI` mixes names and numbers, which the cron crate does not read",
            ),
            ("0 0 0-9/24 * * *", "24", "hour step `24` is out of range: expected 1-23"),
            (
                "0 0 0 * * 0",
                "0",
                "weekday `0` is out of range: expected 1-7, or SUN-SAT; Sunday is 1",
            ),
            ("0 0 0 1 1 * 1969", "1969", "year `1969` is out of range: expected 1970-2100"),
            (
                "@reboot",
                "@reboot",
                "`@reboot` is unknown: expected `@yearly`, `@monthly`, `@weekly`, `@daily`, \
                 `@hourly`, or the form `second minute hour day month weekday`, with an optional \
                 year after them",
            ),
        ],
    );
}

/// The year comes after other fields, which are not part of the date.
#[test]
fn dates_that_never_occur_are_marked_without_the_year() {
    for (dialect, text) in [(CronCrate, "0 0 0 30 2 * 2026"), (Quartz, "0 0 12 30 2 ? 2026")] {
        let error = dialect.parse(text).expect_err(text);
        assert_eq!(&text[error.span()], "30 2", "{error}");
    }
}

#[test]
fn fractions_that_differ_between_seconds_are_refused() {
    for (text, offender) in [
        ("*:*:1.5,2.25", "1.5,2.25"),
        ("*:*:10.5/7.5", "10.5/7.5"),
        ("*:*:0/0.7", "0/0.7"),
        ("10:00:0/1.5", "0/1.5"),
    ] {
        let message = format!(
            "`{offender}` has different fractions in different seconds, which one schedule \
             cannot express: write a schedule for each fraction"
        );
        assert_errors(Systemd, &[(text, offender, &message)]);
    }
}

#[test]
fn systemd_errors_say_what_systemd_allows() {
    assert_errors(
        Systemd,
        &[
            (
                "Fri..Mon 10:00",
                "Fri..Mon",
                "weekday range `Fri..Mon` runs downwards: write `Fri..Sun,Mon`",
            ),
            (
                "Sun..Tue",
                "Sun..Tue",
                "weekday range `Sun..Tue` runs downwards: write `Sun,Mon..Tue`",
            ),
            (
                "*:*/15",
                "*/15",
                "`*/15` has a step after `*`, which systemd does not read: write `0/15`",
            ),
            ("*:0/60", "60", "minute step `60` is out of range: expected 1-59"),
            ("*:50/20", "20", "minute step `20` is out of range: expected 1-9"),
            ("*:59/1", "59/1", "`59/1` has a step after the last minute: remove the step"),
            ("*:*:50/20", "20", "second step `20` is out of range: expected 1-9"),
            ("10..9:00", "10..9", "hour range `10..9` runs downwards: write `10..23,0..9`"),
            ("24:00", "24", "hour `24` is out of range: expected 0-23"),
            ("10:60", "60", "minute `60` is out of range: expected 0-59"),
            ("10:00:60", "60", "second `60` is out of range: expected 0-59"),
            (
                "12",
                "",
                "the minute is missing: a time has the form `hour:minute` or `hour:minute:second`",
            ),
            ("*-*~29", "29", "`29` is out of range: expected 1-28 after `~`"),
            (
                "1-2-3-4",
                "-4",
                "unexpected `-4` after the day of month: the form of systemd is \
              `weekday year-month-day hour:minute:second`",
            ),
            (
                "*,5:00",
                "*",
                "`*` means every hour and must be alone in its field: remove the `*` \
              or the other items",
            ),
            (
                "1,*:00",
                "*",
                "`*` means every hour and must be alone in its field: remove the `*` \
              or the other items",
            ),
            ("1,2,:00", ":", "unexpected `:` in the hour: expected 0-23"),
            (
                "Tues 10:00",
                "Tues",
                "`Tues` is not a valid weekday: expected Mon-Sun, or their full \
              names; write `Tue`",
            ),
            (
                "fortnightly",
                "fortnightly",
                "`fortnightly` is unknown: expected `minutely`, `hourly`, `daily`, `weekly`, \
                 `monthly`, `quarterly`, `semiannually`, `yearly`, or the form \
                 `weekday year-month-day hour:minute:second`",
            ),
            (
                "10:00:00.0005",
                "00.0005",
                "`00.0005` is finer than a millisecond, the resolution of a schedule: write at \
                 most three decimal places",
            ),
            (
                "*:*:0/0.0005",
                "0/0.0005",
                "`0/0.0005` is finer than a millisecond, the resolution of a schedule: write at \
                 most three decimal places",
            ),
            (
                "*:*:0/59.999999",
                "0/59.999999",
                "`0/59.999999` is finer than a millisecond, the resolution of a schedule: write at \
                 most three decimal places",
            ),
            (
                "Mon..Fri 09:30 Europe/Berlin",
                "Europe/Berlin",
                "`Europe/Berlin` is a time zone, which is not part of a schedule: leave it out, or \
                 use `Dialect::Systemd.parse_with_zone`, which returns it too",
            ),
            ("1999-1-1", "1999", "`1999` never occurs: a schedule has the years 2000-2100"),
            ("2200-1-1", "2200", "year `2200` is out of range: expected 1970-2199"),
        ],
    );
}

#[test]
fn systemd_errors_offer_only_what_systemd_reads() {
    assert_errors(
        Systemd,
        &[
            ("*:*/90", "*/90", "`*/90` has a step after `*`, which systemd does not read"),
            ("*:*/", "*/", "`*/` has a step after `*`, which systemd does not read"),
            ("*-*~*/2", "*/2", "`*/2` has a step after `*`, which systemd does not read"),
            (
                "*-*-*/2",
                "*/2",
                "`*/2` has a step after `*`, which systemd does not read: write `1/2`",
            ),
            ("*-*~7..3", "7..3", "day of month range `7..3` runs downwards: write `3..7`"),
            ("*-*~7..3/2", "7..3/2", "day of month range `7..3/2` runs downwards: write `3..7/2`"),
            ("*-*-7..3", "7..3", "day of month range `7..3` runs downwards: write `7..31,1..3`"),
            (
                "*:*:50..20/15",
                "50..20/15",
                "second range `50..20/15` runs downwards: write `50,5..20/15`",
            ),
            (
                "*:*:5.5..2.2",
                "5.5..2.2",
                "second range `5.5..2.2` runs downwards: write one range to the end of the minute \
                 and one from its start",
            ),
        ],
    );
}
