//! The answers of `systemd-analyze calendar`, where it is installed.

use std::process::Command;

/// Returns the next times after an instant in UTC, or `None` without systemd.
fn times(expression: &str, after: &str, count: usize, zone: &str) -> Option<Vec<String>> {
    let mut command = Command::new("systemd-analyze");
    command.env("TZ", zone).env("LC_ALL", "C").arg("calendar");
    command.args(["--base-time", after, "--iterations", &count.to_string(), expression]);
    let output = command.output().ok()?;
    let lines = String::from_utf8(output.stdout).expect("text");
    let (labels, mut found) = (["Next elapse:", "Iter. #"], vec![]);
    for line in lines.lines().map(str::trim) {
        if labels.iter().any(|label| line.starts_with(label)) {
            let (_, time) = line.split_once(": ").expect("a label");
            found.push(time.to_owned());
        }
    }
    Some(found)
}

/// Compares, unless systemd is missing.
#[track_caller]
fn check<const N: usize>(expression: &str, after: &str, zone: &str, expected: [&str; N]) {
    match times(expression, after, N, zone) {
        Some(times) => assert_eq!(times, expected, "{expression}"),
        None => eprintln!("skipped: systemd-analyze is not installed"),
    }
}

#[test]
fn systemd_has_the_last_day_of_a_month() {
    let days = ["Sat 2026-02-28 12:00:00 UTC", "Tue 2026-03-31 12:00:00 UTC"];
    check("*-*~1 12:00", "2026-02-01 00:00:00 UTC", "UTC", days);
}

#[test]
fn systemd_has_the_last_and_the_second_friday_of_a_month() {
    let last = ["Fri 2026-03-27 00:00:00 UTC", "Fri 2026-04-24 00:00:00 UTC"];
    check("Fri *-*~7/1", "2026-03-01 00:00:00 UTC", "UTC", last);
    let second = ["Fri 2026-03-13 00:00:00 UTC", "Fri 2026-04-10 00:00:00 UTC"];
    check("Fri *-*-8..14", "2026-03-01 00:00:00 UTC", "UTC", second);
}

#[test]
fn systemd_accepts_a_schedule_without_events() {
    check("*-02-30", "2026-03-01 00:00:00 UTC", "UTC", ["never"]);
}

#[test]
fn systemd_accepts_an_end_outside_the_field_that_no_step_reaches() {
    let start = "2026-11-22 00:50:00 UTC";
    let times = ["Sun 2026-11-22 00:56:00 UTC", "Sun 2026-11-22 01:00:00 UTC"];
    check("*:0..62/7", start, "UTC", times);
    check("*:0..59/7", start, "UTC", times);
    check("*:0..63/7", start, "UTC", []);
}

#[test]
fn systemd_accepts_different_fractions_in_different_seconds() {
    // It shows no fractions.
    let start = "2026-11-22 00:00:00 UTC";
    let times = ["Sun 2026-11-22 00:29:00 UTC", "Sun 2026-11-22 00:29:30 UTC"];
    check("*:29:0.5,30", start, "UTC", times);
    let times = ["00", "01", "03", "04"].map(|second| format!("Sun 2026-11-22 00:02:{second} UTC"));
    check("*:2:0/1.5", start, "UTC", times.each_ref().map(String::as_str));
    let times = ["00", "02", "05", "07"].map(|second| format!("Sun 2026-11-22 01:32:{second} UTC"));
    check("01:32:0..10/2.5", start, "UTC", times.each_ref().map(String::as_str));
}

#[test]
fn systemd_accepts_a_space_at_the_end_only_after_a_weekday_or_a_date() {
    let start = "2026-11-22 00:00:00 UTC";
    check("Mon ", start, "UTC", ["Mon 2026-11-23 00:00:00 UTC"]);
    check("2026-11-30 ", start, "UTC", ["Mon 2026-11-30 00:00:00 UTC"]);
    for refused in ["daily ", "09:30 ", "Mon 09:30 ", " Mon", " *-*-4"] {
        check(refused, start, "UTC", []);
    }
}

#[test]
fn systemd_reads_a_zone_from_the_text() {
    let monday = ["Mon 2026-03-09 13:30:00 UTC"];
    check("Mon..Fri 09:30 America/New_York", "2026-03-07 12:00:00 UTC", "UTC", monday);
}

#[test]
fn systemd_passes_over_a_gap_and_the_second_pass_of_a_fold() {
    let zone = "America/New_York";
    check("02:30", "2026-03-07 12:00:00 UTC", zone, ["Mon 2026-03-09 02:30:00 EDT"]);
    let hours = ["Sun 2026-11-01 01:30:00 EDT", "Sun 2026-11-01 02:30:00 EST"];
    check("*:30", "2026-11-01 05:00:00 UTC", zone, hours);
}
