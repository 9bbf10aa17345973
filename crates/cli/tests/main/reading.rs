//! How schedules and time zones on the command line are read, and what is said about wrong ones.

use super::command::{millicron, shown};
use super::files::TextFile;

/// Runs `next` for one event.
pub(crate) fn next(arguments: &[&str]) -> String {
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
