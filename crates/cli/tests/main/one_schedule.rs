//! Commands about one schedule.

use super::command::{millicron, shown};

#[test]
fn next_lists_events_after_now() {
    insta::assert_snapshot!(shown(&["next", "0 9 * * MON-FRI", "-n", "3"]));
}

#[test]
fn next_lists_events_from_a_time_in_a_zone() {
    let arguments =
        ["next", "0 9 * * MON-FRI", "-n", "10", "--zone", "Europe/Berlin", "--from", "2026-03-28"];
    insta::assert_snapshot!(shown(&arguments));
}

#[test]
fn next_says_what_clock_changes_do_to_an_event() {
    let next =
        |text, from| shown(&["next", text, "-n", "4", "--zone", "Europe/Berlin", "--from", from]);
    insta::assert_snapshot!(
        next("30 2 * * *", "2026-03-28") + &next("*:30:00", "2026-10-25 01:00")
    );
}

#[test]
fn next_includes_an_event_at_the_start() {
    let both = shown(&["next", "12:00:00", "-n", "1"]) + &shown(&["prev", "12:00:00", "-n", "1"]);
    assert_eq!(both, "Sun 2026-11-22 12:00:00 +00:00\nSat 2026-11-21 12:00:00 +00:00\n");
}

#[test]
fn milliseconds_are_shown_on_all_lines_or_on_none() {
    insta::assert_snapshot!(shown(&["next", "*:*:*.*/250", "-n", "5"]));
}

#[test]
fn events_are_written_in_a_format_or_as_json() {
    let schedule =
        ["next", "30 2 * * *", "-n", "2", "--zone", "Europe/Berlin", "--from", "2026-03-28"];
    let with = |rest: &[&str]| shown(&[&schedule, rest].concat());
    let wrong = with(&["--format", "%J"]);
    insta::assert_snapshot!(with(&["--format", "%s %F %T %Z"]) + &with(&["--json"]) + &wrong);
}

#[test]
fn formats_are_those_of_the_c_locale() {
    let format = |format| shown(&["next", "9:05:00", "-n", "1", "--format", format]);
    assert_eq!(
        format("%c | %x | %X | %r"),
        "Mon Nov 23 09:05:00 2026 | 11/23/26 | 09:05:00 | 09:05:00 AM\n"
    );
    assert_eq!(format("%%c %A %-d %B"), "%c Monday 23 November\n");
    for unknown in ["%+", "%Ey", "%Od"] {
        assert!(format(unknown).ends_with("exit status Some(2)\n"), "{unknown}");
    }
}

#[test]
fn a_schedule_in_one_zone_is_shown_in_another() {
    let text = "CRON_TZ=America/New_York 30 9 * * MON-FRI";
    let own = shown(&["next", text, "-n", "1"]);
    insta::assert_snapshot!(own + &shown(&["next", text, "-n", "1", "--zone", "Asia/Tokyo"]));
}

#[test]
fn without_an_event_a_note_says_so() {
    let next = shown(&["next", "2020.1.1 0:0:0"]);
    assert_eq!(next, "note: there is no such event\n");
    assert_eq!(shown(&["next", "2020.1.1 0:0:0", "--json"]), "");
    assert_eq!(shown(&["watch", "2020.1.1 0:0:0"]), next);
}

#[test]
fn prev_lists_the_last_event_first() {
    insta::assert_snapshot!(shown(&["prev", "@daily", "-n", "2", "--from", "yesterday"]));
}

#[test]
fn between_excludes_the_end() {
    insta::assert_snapshot!(shown(&["between", "*/6:00:00", "today", "tomorrow"]));
    let limited = shown(&["between", "*/6:00:00", "today", "tomorrow", "-n", "1"]);
    assert_eq!(limited, "Sun 2026-11-22 00:00:00 +00:00\n");
    insta::assert_snapshot!("reversed", shown(&["between", "0:0:0", "tomorrow", "today"]));
}

#[test]
fn count_counts_without_listing() {
    let count =
        |rest: &[&str]| shown(&[&["count", "*:*:*.*", "2000-01-01", "2101-01-01"], rest].concat());
    // Each millisecond of 101 years.
    assert_eq!(count(&[]), "3187296000000\n");
    insta::assert_snapshot!(count(&["--json", "--zone", "Europe/Berlin"]));
}

#[test]
fn times_without_schedules_are_noted() {
    let note = "note: schedules have events only in the years 2000 to 2100\n";
    let times: [&[&str]; 12] = [
        &["count", "0:0:0", "1990-01-01", "1991-01-01"],
        &["count", "0:0:0", "1999-12-31", "2000-01-02"],
        &["count", "0:0:0", "2100-12-31", "2101-01-02", "--json"],
        &["between", "0:0:0", "2101-01-01", "2102-01-01"],
        &["between", "0:0:0", "1999-12-31", "2101-01-01", "-n", "1"],
        &["matches", "0:0:0", "1999-12-31 23:59"],
        &["matches", "0:0:0", "2000-01-01 0:00", "--within", "1s"],
        &["matches", "0:0:0", "2101-01-01"],
        &["prev", "0:0:0", "--from", "2000-01-01"],
        &["prev", "0:0:0", "--from", "2101-01-02", "-n", "1"],
        &["next", "0:0:0", "--from", "1999-12-31", "-n", "1"],
        &["next", "0:0:0", "--from", "2101-01-01"],
    ];
    for arguments in times {
        let output = millicron(arguments);
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(stderr.ends_with(note), "{arguments:?}: {stderr}");
    }
    let inside: [&[&str]; 4] = [
        &["count", "0:0:0", "2000-01-01", "2101-01-01"],
        &["prev", "0:0:0", "--from", "2101-01-01", "-n", "1"],
        // The years are those of the schedule's time zone.
        &["next", "0:0:0 Asia/Tokyo", "--from", "1999-12-31 15:00", "--zone", "UTC", "-n", "1"],
        &["matches", "0:0:0", "1999-12-31", "--quiet"],
    ];
    for arguments in inside {
        let output = millicron(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn matches_answers_by_its_exit_status() {
    let status =
        |rest: &[&str]| millicron(&[&["matches", "0 9 * * *"], rest].concat()).status.code();
    assert_eq!(status(&["tomorrow 9:00"]), Some(0));
    assert_eq!(status(&["tomorrow 9:01"]), Some(1));
    assert_eq!(status(&["2026-11-22T09:00:00.000000001Z"]), Some(1));
    assert_eq!(status(&["tomorrow 9:01", "--within", "1m"]), Some(0));
    assert_eq!(status(&["tomorrow 9:01", "--within", "59s"]), Some(1));
    assert_eq!(status(&["tomorrow 8:59", "--within", "1h"]), Some(1));
    assert_eq!(status(&[]), Some(1));
    assert_eq!(status(&["9:00", "--within=-1m"]), Some(2));
    assert_eq!(shown(&["matches", "0 9 * * *", "9:00", "--quiet"]), "");
    let matches = |rest: &[&str]| shown(&[&["matches", "0 9 * * *", "9:00"], rest].concat());
    insta::assert_snapshot!(
        matches(&[]) + &matches(&["--json"]) + &shown(&["matches", "2030.1.1 0:0:0"])
    );
}

#[test]
fn explain_says_all_about_a_schedule() {
    let explain = |text| shown(&["explain", text, "--zone", "Europe/Berlin"]);
    insta::assert_snapshot!("explain_fixed", explain("30 2 * * *"));
    insta::assert_snapshot!("explain_repeating", explain("*:*/15:00"));
    insta::assert_snapshot!("explain_merged", explain("2:*/15:00"));
    insta::assert_snapshot!("explain_unaffected", explain("0 9 * * MON-FRI"));
    insta::assert_snapshot!("explain_rare", explain("0 0 29 2 *"));
    insta::assert_snapshot!("explain_once", shown(&["explain", "2030.1.1 0:0:0", "-n", "0"]));
}

#[test]
fn explain_says_up_to_unless_all_periods_have_as_many_events() {
    for (schedule, period) in [
        ("0 9 13 * FRI", "up to 6 a month"),
        ("*/7 * 31 * Fri", "up to 1296 a month"),
        ("0 0 31 * *", "up to 1 a month"),
        ("2026.01.05/10d 09:00:00", "up to 4 a month"),
        ("2026.01.05/2w Mon,Thu 09:00:00", "up to 5 a month"),
        ("2026.01.05/2d 09:00:00", "up to 4 a week"),
        ("0 0 * 1-2 *", "up to 60 a year"),
        ("* * * 2 *", "up to 41760 a year"),
        ("0 0 29 2 *", "up to 1 a year"),
        ("0 9 * * MON-FRI", "up to 1 a day"),
        ("* * * * MON-FRI", "up to 1 a minute"),
        ("0 0 15W * *", "1 a month"),
        ("0 0 LW * *", "1 a month"),
        ("0 0 * * 5L", "1 a month"),
        ("0 0 * * 1#2", "1 a month"),
        ("0 0 1 1 *", "1 a year"),
        // The range of years begins on a Saturday.
        ("0 0 * * 0,6", "2 a week"),
        ("2026.01.05/1w Mon,Thu 09:00:00", "2 a week"),
        ("22:00:00..02:00:00/15m", "16 a day"),
        ("2030.*.* 9:00:00", "1 a day"),
        ("0 0 9 ? * *", "1 a day"),
        ("*/7 * * * *", "9 an hour"),
        ("*:*:*.*", "1 a millisecond"),
        ("2030.1.1 0:0:0", "once"),
    ] {
        let shown = shown(&["explain", schedule, "-n", "0"]);
        let line = shown.lines().find_map(|line| line.strip_prefix("period      "));
        assert_eq!(line, Some(period), "{schedule}");
    }
}

#[test]
fn explain_respects_the_width() {
    let long = "*/7 8-17 1-15 1,3,5 MON-FRI";
    for (text, now) in [(long, "2026-11-22"), ("2:30:00", "2027-03-27"), ("9:00:00", "2026-11-22")]
    {
        for (zone, width) in [("Europe/Berlin", 40), ("Africa/Cairo", 40), ("UTC", 40), ("UTC", 80)]
        {
            let columns = width.to_string();
            let options = ["--width", &columns, "--zone", zone, "--now", now];
            let shown = shown(&[&["explain", text][..], &options].concat());
            for line in shown.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
    insta::assert_snapshot!(shown(&["explain", long, "--width", "40", "--zone", "Africa/Cairo"]));
}

#[test]
fn explain_counts_affected_events_without_visiting_them() {
    // Each gap has 3,600,000 events.
    insta::assert_snapshot!(shown(&[
        "explain",
        "*:*:*.*",
        "--zone",
        "Europe/Berlin",
        "-n",
        "1",
        "--width",
        "60"
    ]));
}

#[test]
fn explain_says_that_systemd_handles_clock_changes_in_its_own_way() {
    let explain = |text| shown(&["explain", text, "--zone", "Europe/Berlin"]);
    let note = "\n  systemd itself skips events in a gap, and in the second pass of a fold\n";
    assert!(explain("*-*-* 02:30").ends_with(note));
    assert!(!explain("30 2 * * *").contains("systemd itself"));
}

#[test]
fn explain_writes_json() {
    let json = shown(&["explain", "30 2 * * *", "--zone", "Europe/Berlin", "-n", "1", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&value).expect("JSON"));
}

#[test]
fn convert_writes_every_language() {
    insta::assert_snapshot!("convert_all", shown(&["convert", "0 9 * * MON-FRI"]));
    insta::assert_snapshot!("convert_few", shown(&["convert", "*.*.13 Fri 12:00:00.500"]));
    insta::assert_snapshot!("convert_json", shown(&["convert", "*.*.L 12:00:00", "--json"]));
}

#[test]
fn convert_writes_json_also_of_what_a_language_lacks() {
    let output = millicron(&["convert", "*:*:*.500", "--to", "crontab", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["language"], &json["text"]), (&"crontab".into(), &serde_json::Value::Null));
    let error = String::from_utf8_lossy(&output.stderr);
    let reason = json["reason"].as_str().expect("a reason");
    assert!(error.starts_with(&format!("error: {reason}\n")), "{error}");
}

#[test]
fn convert_keeps_the_time_zone() {
    let convert = |to| shown(&["convert", "CRON_TZ=Asia/Tokyo 30 9 * * *", "--to", to]);
    let all = ["millicron", "crontab", "quartz", "cron_crate", "systemd"].map(convert);
    insta::assert_snapshot!(all.concat());
    let convert = |text, zone| shown(&["convert", text, "--zone", zone, "--to", "crontab"]);
    let berlin = "CRON_TZ=Europe/Berlin 0 9 * * *\n";
    let note = "note: in a file, write `CRON_TZ=Europe/Berlin` on a line of its own, before it\n";
    assert_eq!(convert("0 9 * * *", "Europe/Berlin"), format!("{berlin}{note}"));
    assert_eq!(convert(berlin.trim(), "Europe/Berlin"), format!("{berlin}{note}"));
    insta::assert_snapshot!(
        "convert_refuses_zones",
        convert("0 9 * * *", "+02:00") + &convert(berlin.trim(), "UTC")
    );
}

#[test]
fn convert_says_what_cron_does_not_take() {
    for (text, line, note) in [
        ("09:00:00", "0 9 * * *", ""),
        (
            "09:00:30",
            "30 0 9 * * *",
            "cron has no seconds: it takes the sixth field for the command",
        ),
        (
            "*.*.LW 17:00:00",
            "0 17 LW * *",
            "cron does not know `LW`, and may refuse the whole crontab",
        ),
    ] {
        let note = if note.is_empty() { String::new() } else { format!("note: {note}\n") };
        assert_eq!(shown(&["convert", text, "--to", "crontab"]), format!("{line}\n{note}"));
    }
}

/// The events of a zone whose clocks change often are the same whether or not a change is near.
#[test]
fn only_events_near_a_clock_change_are_affected() {
    let list = |rest: &[&str]| {
        let all = ["between", "*/30 * * * *", "2026-03-20", "2026-04-10", "--zone"];
        shown(&[&all, rest].concat())
    };
    let json = list(&["Australia/Lord_Howe", "--json"]);
    // The clocks are set back by half an hour.
    assert_eq!(json.lines().count(), 21 * 48 + 1);
    let affected = |line: &&str| !line.contains("\"unique\"");
    insta::assert_snapshot!(json.lines().filter(affected).collect::<Vec<_>>().join("\n"));
    let text = list(&["Australia/Lord_Howe"]);
    assert_eq!(text.matches("before the clocks").count(), 1);
}

#[test]
fn convert_does_not_regard_the_year_2100() {
    let quartz = "0 0 9 ? * MON-FRI\n";
    assert_eq!(shown(&["convert", "0 9 * * MON-FRI", "--to", "quartz"]), quartz);
    assert_eq!(shown(&["convert", quartz.trim(), "--to", "crontab"]), "0 9 * * MON-FRI\n");
    insta::assert_snapshot!(shown(&["convert", "2026.*.* 9:00:00", "--to", "crontab"]));
}
