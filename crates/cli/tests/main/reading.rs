//! How schedules, time zones and times on the command line are read, and what is said about wrong ones.

use super::command::{millicron, shown};
use super::files::TextFile;

/// Runs `next` for one event.
fn next(arguments: &[&str]) -> String {
    shown(&[&["next", "-n", "1"], arguments].concat())
}

#[test]
fn the_language_is_recognized() {
    for text in [
        "0 9 * * *",
        "0 0 9 * * ?",
        "0 0 9 ? * MON-FRI",
        "0 0 9 * * *",
        "9:00:00",
        "*-*-* 09:00",
        "09:00",
    ] {
        assert_eq!(next(&[text]), "Mon 2026-11-23 09:00:00 +00:00\n", "{text}");
    }
}

#[test]
fn an_ambiguous_language_is_asked_for_by_name() {
    insta::assert_snapshot!(next(&["0 30 9 * * 1-5"]));
    assert_eq!(next(&["0 30 9 * * 1", "--dialect", "crontab"]), "Mon 2026-11-23 09:30:00 +00:00\n");
    assert_eq!(
        next(&["0 30 9 * * 1", "--dialect", "cron_crate"]),
        "Sun 2026-11-29 09:30:00 +00:00\n"
    );
    assert_eq!(
        next(&["0 30 9 * * 1", "--dialect", "cron-crate"]),
        "Sun 2026-11-29 09:30:00 +00:00\n"
    );
}

#[test]
fn wrong_schedules_are_shown_with_carets() {
    let texts = [
        "24:00:00",
        "0 25 * * *",
        "61 * * * *",
        "0 0 12 * *",
        "@reboot",
        "H 3 * * *",
        "*.2.30 12:00:00",
        "0 9 ? * MON",
        "",
    ];
    insta::assert_snapshot!(texts.map(|text| format!("> {text}\n{}\n", next(&[text]))).concat());
}

#[test]
fn schedules_are_offered_for_phrases() {
    let texts = [
        "every 5 minutes",
        "every weekday at 9:30",
        "first monday of the month at noon",
        "every 15 minutes between 9 and 17",
        "last business day",
        "twice a day",
        "every 7 minutes",
        "every other day",
        "at 9:30 and 17:00",
        "every day at noon Europe/Berlin",
        "every 30 minutes from 22:00 on Monday to Friday until 06:00 the next day",
        "every two weeks on Mondays and Thursdays at 9:30 in January and February",
        "every blue moon",
    ];
    let recognized = texts.map(|text| format!("> {text}\n{}\n", next(&[text]))).concat();
    let crontab = [
        "every weekday at 9:30",
        "every 250 ms",
        "every other day",
        "first working day of the month at 9:30 in January, April, July and October",
    ];
    let crontab = crontab.map(|text| {
        let shown = next(&[text, "--dialect", "crontab"]);
        format!("> {text} --dialect crontab\n{shown}\n")
    });
    insta::assert_snapshot!(recognized + &crontab.concat());
}

#[test]
fn a_word_after_a_phrase_is_no_time_zone_unless_it_is_known() {
    assert_eq!(
        shown(&["next", "every Friday at 9 fortnightly"]),
        "error: `fortnightly` is neither part of a phrase nor a time zone: without it, the text is a phrase\n  \
         |\n  \
         | every Friday at 9 fortnightly\n  \
         |                   ^^^^^^^^^^^\n\
         exit status Some(2)\n"
    );
    let offset = shown(&["next", "every Friday at 9 UTC+2"]);
    assert!(!offset.contains("try ") && offset.contains("exit status Some(2)"), "{offset}");
    let offered = shown(&["next", "every Friday at 9 Europe/Berlin"]);
    assert!(offered.contains("try '*.*.* 5 09:00:00 Europe/Berlin'"), "{offered}");
}

#[test]
fn phrases_in_a_union_are_offered_as_a_union() {
    for (text, union, zone) in [
        ("every weekday at 9; *.*.* Tue 10:00:00", "*.*.* 1-5 09:00:00; *.*.* 2 10:00:00", ""),
        (
            "9:00:00; every Tuesday at 10 Europe/Berlin",
            "09:00:00; *.*.* 2 10:00:00",
            " Europe/Berlin",
        ),
        ("At 09:00 on Mondays; and at 10:00 on Tuesdays", "*.*.* 1 09:00:00; *.*.* 2 10:00:00", ""),
        ("at 9:00 and 17:30", "09:00:00; 17:30:00", ""),
        (
            "At 09:00 on Mondays; at 10:00 on Tuesdays; at 11:00 on Wednesdays; and at noon",
            "*.*.* 1 09:00:00; *.*.* 2 10:00:00; *.*.* 3 11:00:00; 12:00:00",
            "",
        ),
    ] {
        let offered = next(&[text]);
        let message = format!("error: this is a phrase, not a schedule: write `{union}`\n");
        assert!(offered.starts_with(&message), "{offered}");
        assert!(offered.contains(&format!("\nhint: try '{union}{zone}' (")), "{offered}");
        assert!(next(&[&format!("{union}{zone}")]).ends_with("00\n"), "{union}{zone}");
    }
    let calendar = ["--calendar", "../../examples/calendars/nyse.days"];
    let offered = next(&[&["every business day at 9:30 @nyse"], &calendar[..]].concat());
    assert!(
        offered.contains("try '*.*.* B 09:30:00 @nyse' (At 09:30 on business days"),
        "{offered}"
    );
}

#[test]
fn a_phrase_that_a_language_lacks_is_offered_in_another() {
    let schedule = "00:00:00../1h30m";
    let named = next(&["every 90 minutes", "--dialect", "crontab"]);
    let hint = format!("\nhint: try '{schedule}' with --dialect millicron (");
    assert!(named.contains(&hint), "{named}");
    assert!(next(&[schedule, "--dialect", "millicron"]).ends_with("00\n"));
    let recognized = next(&["every 90 minutes"]);
    assert!(recognized.contains(&format!("\nhint: try '{schedule}' (")), "{recognized}");
}

#[test]
fn a_phrase_is_not_offered_as_an_argument_without_its_union() {
    let offered = next(&["every hour from 9 until 5; every hour from 8 until 10 pm"]);
    assert!(offered.contains("  | ^^^^^^^^^^^^^^^^^^^^^^^^^\n"), "{offered}");
    assert!(!offered.contains("hint: "), "{offered}");
}

#[test]
fn errors_show_the_whole_text() {
    let long =
        "*.*.* Mon 9:00:00; *.*.* Tue 10:00:00; *.*.* Wed 25:00:00; *.*.* Thu 12:00:00; 13:00:00";
    for (text, shown) in [
        ("09:00:00 Europe/Berlin; 10:00:00", "09:00:00 Europe/Berlin; 10:00:00"),
        ("9:00:00 Europe/Berlin Foo", "9:00:00 Europe/Berlin Foo"),
        ("25:00:00 Europe/Berlin", "25:00:00 Europe/Berlin"),
        ("rate(5 minutes)", "rate(5 minutes)"),
        ("9:00:00; 25:00:00; 10:00:00", "9:00:00; 25:00:00; 10:00:00"),
        ("9:00:00; 10:00:00; 25:00:00 Europe/Berlin", "9:00:00; 10:00:00; 25:00:00 Europe/Berlin"),
        (long, "…00; *.*.* Tue 10:00:00; *.*.* Wed 25:00:00; *.*.* Thu 12:00:00; …"),
    ] {
        let error = next(&[text]);
        assert!(error.contains(&format!("\n  | {shown}\n")), "{error}");
    }
    // What is offered is only about the member.
    let error = next(&["10:00:00; Sunday 9:30; 11:00:00", "--dialect", "millicron"]);
    assert!(error.contains(": write `*.*.* Sun 9:30:00`\n"), "{error}");
}

#[test]
fn offsets_are_passed_as_an_option() {
    let message = "is an offset from UTC, not the name of a time zone: write a name";
    for (text, offset, zone) in [
        ("09:00:00 +02:00", "+02:00", "+02:00"),
        ("09:00:00 -0530", "-0530", "-0530"),
        ("09:00:00 UTC+2", "UTC+2", "+02:00"),
        ("9:00:00; 10:00:00 +02", "+02", "+02"),
    ] {
        let error = next(&[text]);
        assert!(error.starts_with(&format!("error: `{offset}` {message}")), "{error}");
        let hint = format!("hint: leave it out, and pass it as --zone {zone}\n");
        assert!(error.contains(&hint), "{error}");
        let schedule = text.strip_suffix(offset).expect("a suffix").trim();
        assert!(next(&[schedule, "--zone", zone]).contains(" 2026-11-2"), "{text}");
    }
}

#[test]
fn descriptions_are_phrases() {
    let explained = shown(&["explain", "*.*.* Fri#2 10:00:00"]);
    let description = explained.lines().find(|line| line.contains("second Friday"));
    let description = description.expect("a description").trim();
    let description = description.split(", in ").next().unwrap_or_default();
    assert!(next(&[description]).contains("write `*.*.* 5#2 10:00:00`"), "{description}");
}

#[test]
fn no_message_names_a_rust_call() {
    let cases = [
        ("0 9 * * 1", "quartz"),
        ("0 9 * * 1", "millicron"),
        ("0 0 9 ? * 1", "crontab"),
        ("9:00:00", "quartz"),
        ("9:00:00", "crontab"),
        ("Mon..Fri 9:00", "millicron"),
        ("Mon..Fri 9:00 Europe/Berlin", "crontab"),
        ("Europe/Berlin 9:00:00", "millicron"),
        ("9:00:00 +02:00", "millicron"),
        ("2026-11-22T10:00:00+01:00", "millicron"),
        ("2026-11-22T10:00:00[Europe/Berlin]", "millicron"),
        ("CRON_TZ= 0 9 * * *", "crontab"),
    ];
    let shown = cases.map(|(text, dialect)| {
        format!("> {text} --dialect {dialect}\n{}\n", next(&[text, "--dialect", dialect]))
    });
    let shown = shown.concat();
    assert!(!["::", "schedule!", "`Schedule`"].iter().any(|call| shown.contains(call)), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn time_zones_are_names_or_offsets() {
    let zones = [
        "Europe/Berlin",
        "europe/berlin",
        "UTC",
        "+05:30",
        "-03:00",
        "EST5EDT",
        "berlin",
        "nowhere",
        "2",
        "UTC+2",
        "GMT-11",
        "UTC+5:30",
        "foo3",
    ];
    insta::assert_snapshot!(
        zones.map(|zone| format!("> {zone}\n{}\n", next(&["9:00:00", "--zone", zone]))).concat()
    );
    let texts = [
        "9:00:00 Europe/Berlim",
        "CRON_TZ=Nowhere 0 9 * * *",
        "Mon 9:00 new_york",
        "Mon 9:00 UTC+2",
        "CRON_TZ=foo3 0 9 * * *",
    ];
    insta::assert_snapshot!("zone_in_text", texts.map(|text| next(&[text])).concat());
}

#[test]
fn time_zones_in_files_are_those_of_the_command_line() {
    let check = |zone: &str| {
        let table =
            format!("[jobs.a]\nschedule = '0 9 * * *'\ncommand = 'true'\nzone = '{zone}'\n");
        let crontab = format!("CRON_TZ={zone}\n0 9 * * * true\n");
        [("a.toml", table), ("crontab", crontab)].map(|(name, text)| {
            let file = TextFile::new(name, &text);
            millicron(&["check", file.path()]).status.code()
        })
    };
    for (zone, status) in
        [("Europe/Berlin", 0), ("+02:00", 0), ("-03:30", 0), ("+2", 1), ("x", 1), ("UTC+2", 1)]
    {
        assert_eq!(check(zone), [Some(status); 2], "{zone}");
        let is_zone = millicron(&["next", "9:00:00", "--zone", zone]).status.success();
        assert_eq!(is_zone, status == 0, "{zone}");
    }
}

#[test]
fn times_are_read_as_people_write_them() {
    let times = [
        "now",
        "Today",
        "tomorrow",
        "yesterday",
        "tomorrow 9:00",
        "tomorrow at 9:00",
        "today 17:30:15.250",
        "tomorrow noon",
        "midnight",
        "sunday",
        "monday",
        "Fri 17:30",
        "9:30",
        "09:30:15",
        "9am",
        "5:30pm",
        "5:30 PM",
        "in 2 hours",
        "in 90m",
        "+1h",
        "-1d",
        "2 hours ago",
        "1 month ago",
        "P1D",
        "in 1 week 2 days",
        "2026-03-28",
        "2026-03-28 9:00",
        "2026-03-28 09:00",
        "2026-03-28T09:00",
        "2026-03-28T09:00:00Z",
        "2026-03-28T09:00:00+01:00",
        "2026-03-28T09:00:00-04:00[America/New_York]",
        "2026-03-28 09:00:00 +01:00",
        "Sat 2026-03-28 09:00:00.500 +01:00",
        "Sat, 28 Mar 2026 09:00:00 +0100",
        "@1774684800",
        "@1774684800.250",
        "2026-03-28 09:00 UTC",
        "2026-03-28 9am America/New_York",
        "tomorrow Asia/Tokyo",
        "2026-03-28 09:00 -02:00",
        "2026-03-28T09:00[Asia/Tokyo]",
        "2026-10-25 02:30",
        "2026-10-25 02:30 +01:00",
        "2026-03-28 9:00Z",
        "20260328T090000Z",
        "Sat 2026-03-28 9:00",
        "28 Mar 2026",
        "28 March 2026 9am",
        "Mar 28, 2026 at 9:00",
        "March 28 2026 9:00 UTC",
        "Sat Mar 28 09:00:00 UTC 2026",
        "Sun Mar  1 09:00:00 PM EST 2026",
    ];
    let read = |time: &str| {
        let from = format!("--from={time}");
        let event = next(&["*:*:*.*", "--zone", "Europe/Berlin", &from]);
        format!("{time:45} {event}")
    };
    insta::assert_snapshot!(times.map(read).concat());
}

#[test]
fn times_of_the_help_are_read() {
    let help = shown(&["--help"]);
    let (_, times) = help.split_once("\nTimes:\n").expect("times");
    let (times, _) = times.split_once("\n\n").expect("the end of the times");
    let times = times.lines().flat_map(|line| line.trim().split(", ")).collect::<Vec<_>>();
    assert!(times.len() >= 10, "{times:?}");
    for time in times {
        assert!(millicron(&["next", "9:00:00", "--from", time]).status.success(), "{time}");
    }
}

#[test]
fn other_times_are_refused() {
    let times = [
        "",
        "tomorow",
        "9",
        "2026",
        "25:00",
        "9:60",
        "13pm",
        "2026-02-30",
        "2026-13-01",
        "today 25:00",
        "tomorrow 1 2",
        "now 9:00",
        "in",
        "in 99999999999 years",
        "1.5",
        "@",
        "@x",
        "@1774684800.2.5",
        "@1h 1",
        "2026-11",
        "next friday",
        "24:00",
        "tomorrow 9:00 x",
        "9:00 Friday",
        "14:30 PM",
        "tomorrow morning",
        "2026-11-22T09:00[",
        "2026-11-22T09:00+05:00[Europe/Berlin]",
        "９:00",
        "2026-03-28T09:00:00+99:00",
        "22 Nov 26",
        "Nov 22",
        "31 Feb 2026",
        "22 Nov 2026x",
        "Mon Nov 22 09:00:00 UTC 2026",
    ];
    for time in times {
        let from = format!("--from={time}");
        let output = next(&["*:*:*.*", &from]);
        assert!(
            output.starts_with(&format!("error: `{time}` is not a time\nhint: ")),
            "{time}: {output}"
        );
        assert!(output.ends_with("exit status Some(2)\n"), "{time}: {output}");
    }
    insta::assert_snapshot!(next(&["*:*:*", "--from", "tomorow"]));
}

#[test]
fn the_reason_why_a_date_or_a_time_is_refused_is_named() {
    let times = [
        ("2026-02-30", "2026-02 has 28 days"),
        ("2028-02-30 9:00", "2028-02 has 29 days"),
        ("2026-11-00", "2026-11 has 30 days"),
        ("2026-13-01T09:00Z", "months are from 01 to 12"),
        ("10000-12-31", "write a time in the years 2000 to 2100, which have events"),
        ("Mon 2026-11-24", "2026-11-24 is a Tuesday"),
        ("sunday 2026-11-24 9:00 UTC", "2026-11-24 is a Tuesday"),
        ("2026-11-22 24:00", "times of day are from 00:00:00 to 23:59:59"),
        ("tomorrow 9:60", "times of day are from 00:00:00 to 23:59:59"),
        ("25:00", "times of day are from 00:00:00 to 23:59:59"),
    ];
    for (time, reason) in times {
        let output = next(&["*:*:*", "--from", time]);
        let expected = format!("error: `{time}` is not a time\nhint: {reason}\n");
        assert!(output.starts_with(&expected), "{time}: {output}");
    }
}

#[test]
fn times_in_unknown_zones_and_too_far_away_are_refused() {
    let times = [
        "2026-11-22T09:00[Europe/Berln]",
        "2026-11-22T09:00+01:00[Foo/Bar]",
        "2026-11-22T09:00+05:00[Europe/Berlin]",
        "tomorrow 9:00 Europe/Berln",
        "2026-11-22 9:00 UTC+2",
        "Sun Nov 22 09:00:00 CEST 2026",
        "Sun Nov 22 09:00:00 AM PST 2026",
        "Sun Nov 22 09:00:00 Europe/Berln 2026",
        "2026-11-22 9:00 CEST",
        "9:00 berlin",
        "tomorrow 9:00 Berlin",
        "2026-11-22 09:00 Munich",
        "9999-12-31",
        "in 9000 years",
    ];
    insta::assert_snapshot!(times.map(|time| next(&["*:*:*", "--from", time])).concat());
    let explain = shown(&["explain", "12:00:00", "--now", "9999-12-30"]);
    assert!(explain.contains("\nNext events\n  none\n"), "{explain}");
}

#[test]
fn times_and_zones_may_begin_with_a_minus() {
    let between = shown(&["between", "0 0 * * *", "-2d", "-1d", "--json", "--format", "%F"]);
    assert!(between.starts_with("error: the argument '--json' cannot be used"), "{between}");
    assert_eq!(
        shown(&["between", "0 0 * * *", "-2d", "-1d", "--zone", "-02:00"]),
        "Sat 2026-11-21 00:00:00 -02:00\n"
    );
    assert_eq!(shown(&["count", "0 0 * * *", "-P2D", "now"]), "2\n");
    assert_eq!(shown(&["matches", "* * * * *", "-1d", "--quiet"]), "");
    assert_eq!(shown(&["next", "0 9 * * *", "-n1", "--now", "-1d", "--tz=UTC"]).len(), 31);
    insta::assert_snapshot!(
        shown(&["matches", "* * * * *", "--within", "-1m"])
            + &shown(&["between", "0 0 * * *", "--frmo", "now", "tomorrow"])
    );
}

#[test]
fn a_time_that_the_clocks_skip_is_the_end_of_the_gap() {
    let event = "Sun 2026-03-29 03:00:00 +02:00  for 02:30, which the clocks skip\n";
    let skips = "note: the clocks of Europe/Berlin skip 2026-03-29 02";
    for time in [
        "2026-03-29 2:30",
        "2026-03-29 02:59:59.999",
        "2026-03-29 2:30 Europe/Berlin",
        "2026-03-29T02:30[Europe/Berlin]",
        // The same instant as the end of the gap.
        "2026-03-29 2:00",
        "2026-03-29 3:00",
    ] {
        let shown = next(&["30 2 * * *", "--zone", "Europe/Berlin", "--from", time]);
        assert!(shown.starts_with(event), "{time}: {shown}");
        assert_eq!(shown.contains(skips), !time.ends_with(":00"), "{time}: {shown}");
    }
    // The note is written once, in whatever zone the schedule is.
    for (now, zone) in [
        ("2026-03-29 2:30", "Europe/Berlin"),
        ("2026-03-29 2:30 Europe/Berlin", "Europe/Berlin"),
        ("2026-03-29T02:30[Europe/Berlin]", "UTC"),
    ] {
        for command in ["explain", "next", "day"] {
            let shown = shown(&[command, "30 2 * * *", "--zone", zone, "--now", now]);
            assert_eq!(shown.matches(skips).count(), 1, "{command} at {now}: {shown}");
        }
    }
    let berlin = |arguments: &[&str]| {
        shown(&[arguments, &["2026-03-29 2:30", "--zone", "Europe/Berlin"]].concat())
    };
    insta::assert_snapshot!(
        berlin(&["between", "* * * * *", "2026-03-29 1:58"])
            + &berlin(&["matches", "30 2 * * *"])
            + &next(&["9:00:00", "--zone", "Pacific/Apia", "--from", "2011-12-30 5:00"])
    );
}

#[test]
fn now_is_read_in_the_time_zone_that_is_shown() {
    let events = [
        (&["0 9 * * *", "--zone", "America/New_York"][..], "Fri 2026-01-02 09:00:00 -05:00\n"),
        (&["CRON_TZ=America/New_York 0 9 * * *"], "Fri 2026-01-02 09:00:00 -05:00\n"),
        (&["0 11 * * *", "--zone", "Asia/Tokyo"], "Thu 2026-01-01 11:00:00 +09:00\n"),
        (&["0 9 * * *"], "Fri 2026-01-02 09:00:00 +00:00\n"),
    ];
    for (arguments, event) in events {
        let now = ["--now", "2026-01-01 10:00"];
        assert_eq!(next(&[arguments, &now].concat()), event, "{arguments:?}");
    }
    // Commands that do not need it refuse a wrong one, too.
    let wrong = shown(&["convert", "0 9 * * *", "--now", "xx"]);
    assert!(wrong.contains("error: `xx` is not a time"), "{wrong}");
    // In the second pass of a fold, now is not the first.
    let fold = ["* * * * *", "--zone", "Europe/Berlin", "--now", "2026-10-25T01:30Z"];
    for from in [&[][..], &["--from", "now"]] {
        let event = next(&[&fold, from].concat());
        assert!(event.starts_with("Sun 2026-10-25 02:30:00 +01:00"), "{event}");
    }
}

/// The machine's time zone, as the variable TZ sets it.
#[test]
fn a_machine_without_a_time_zone_is_in_utc() {
    let explain = |zone: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_millicron"))
            .args(["explain", "12:00:00"])
            .env("TZ", zone)
            .output()
            .expect("the command starts");
        let [text, note] =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("UTF-8"));
        let line = text.lines().find(|line| line.starts_with("time zone")).expect("a line");
        format!("{line}\n{note}")
    };
    for zone in ["", "Etc/UTC", "UTC"] {
        assert_eq!(explain(zone), "time zone   UTC\n");
    }
    assert_eq!(explain("Europe/Berlin"), "time zone   Europe/Berlin\n");
    // POSIX allows this in the variable only.
    assert_eq!(explain("UTC+2"), "time zone   local time\n");
    insta::assert_snapshot!(explain("Europe/Berln"));
}

#[test]
fn now_can_be_set() {
    let next = |now| shown(&["next", "*:*:*", "-n", "1", "--now", now]);
    // The last `--now` wins over the one that all tests pass.
    insta::assert_snapshot!(next("2030-01-01T00:00:00Z") + &next("nonsense"));
}

// Only Unix has the command `run`.
#[cfg(unix)]
#[test]
fn wrong_command_lines_are_one_line_with_a_hint() {
    let lines: [&[&str]; 24] = [
        &["next"],
        &["nex", "9:00:00"],
        &["next", "9:00:00", "--frmo", "now"],
        &["next", "9:00:00", "-n", "x"],
        &["next", "9:00:00", "-n", "-1"],
        &["next", "9:00:00", "-n", "0"],
        &["explain", "9:00:00", "-n", "-1"],
        &["calendar", "9:00:00", "--year", "20x"],
        &["calendar", "9:00:00", "--year", "1999"],
        &["next", "9:00:00", "--limit", "5"],
        &["next", "9:00:00", "--width", "39"],
        &["next", "0", "9", "*", "*", "1"],
        &["between", "9:00:00", "today", "9:00", "tomorrow"],
        &["check", "a", "--users", "--days"],
        &["next", "9:00:00", "--dialect", "quarz"],
        &["next", "9", "*", "*"],
        &["next", "9:00:00", "--json", "--format", "%s"],
        &["between", "9:00:00"],
        &["man", "nex"],
        &["day", "30 2 * * *", "2026-03-29"],
        &["calendar", "0 9 * * *", "2026"],
        &["next", "0 9 * * *", "tomorrow 9:00"],
        &["explain", "0 9 * * *", "2026"],
        &["run", "jobs.toml", "2026"],
    ];
    insta::assert_snapshot!(
        lines.map(|line| format!("> {}\n{}\n", line.join(" "), shown(line))).concat()
    );
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf_8_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    for arguments in [&[&b"nxt"[..], b"\xff"][..], &[b"next", b"\xff"], &[b"\xff"]] {
        let arguments = arguments.iter().map(|argument| OsStr::from_bytes(argument));
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_millicron"))
            .args(arguments)
            .output()
            .expect("the command starts");
        let message = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: ") && message.contains("\nhint: "), "{message}");
    }
}
