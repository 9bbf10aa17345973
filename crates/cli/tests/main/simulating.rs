//! `millicron simulate`.

use serde_json::Value;

use super::command::{millicron, shown};
use super::files::{TextFile, file};

/// Jobs in Berlin. One of them takes longer than the gap between its events.
const JOBS: &str = "simulated.toml";

/// Simulates one job in UTC, and returns its report.
fn simulated(job: &str, arguments: &[&str]) -> Value {
    let text = format!("zone = 'UTC'\n[jobs.one]\n{job}");
    let file = TextFile::new("jobs.toml", &text);
    let output = millicron(&[&["simulate", "--json", file.path()], arguments].concat());
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    found["jobs"][0].clone()
}

fn count(job: &Value, name: &str) -> u64 {
    job[name].as_u64().unwrap_or_else(|| panic!("no {name} in {job}"))
}

/// Returns the number of events in the next week, according to `millicron count`.
fn events_of_a_week(schedule: &str) -> u64 {
    let start = "2026-11-22T12:00:00Z";
    let end = "2026-11-29T12:00:00Z";
    shown(&["count", schedule, start, end]).trim().parse().expect("a number")
}

#[test]
fn a_table_and_the_load_are_shown() {
    insta::assert_snapshot!(shown(&["simulate", &file(JOBS), "--days", "7"]));
}

#[test]
fn a_narrow_terminal_is_enough() {
    let text = shown(&["simulate", &file(JOBS), "--days", "7", "--width", "40"]);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_end_of_a_very_long_name_is_left_out() {
    let text = format!("[jobs.{}]\nschedule = '12:00:00'\n", "x".repeat(100_000));
    let file = TextFile::new("jobs.toml", &text);
    let shown = shown(&["simulate", file.path(), "--days", "1", "--width", "80"]);
    let name = shown.chars().filter(|c| ['x', '…'].contains(c)).collect::<String>();
    assert!(name.contains(&("x".repeat(200) + "…")) && name.len() < 300, "{}", name.len());
}

#[test]
fn the_results_are_json() {
    insta::assert_snapshot!(shown(&["simulate", &file(JOBS), "--days", "7", "--json"]));
}

#[test]
fn short_jobs_run_at_each_event() {
    for schedule in ["*:*/7:00", "0 9 * * MON-FRI", "*:*:*/20", "09:30:00..16:00:00/11m"] {
        let job = simulated(&format!("schedule = '{schedule}'"), &["--days", "7"]);
        assert_eq!(count(&job, "runs"), events_of_a_week(schedule), "{schedule}");
        assert_eq!((count(&job, "skipped"), count(&job, "most")), (0, 1), "{schedule}");
    }
}

#[test]
fn the_start_is_simulated_and_the_end_is_not() {
    let arguments = ["--from", "2026-01-01", "--days", "1", "--zone", "UTC"];
    let runs =
        |schedule: &str| count(&simulated(&format!("schedule = '{schedule}'"), &arguments), "runs");
    assert_eq!(runs("2026.1.1 00:00:00"), 1);
    assert_eq!(runs("2026.1.2 00:00:00"), 0);
    assert_eq!(runs("2026.1.1 23:59:59.999"), 1);
    assert_eq!(runs("2025.12.31 23:59:59.999"), 0);
    assert_eq!(runs("00:00:00"), 1);
}

#[test]
fn overlaps_are_skipped_allowed_or_queued() {
    // A run starts every minute and takes two and a half.
    let job = "schedule = '*:*:00'\nduration = '2m 30s'\n";
    let with = |more: &str| simulated(&format!("{job}{more}"), &["--days", "1"]);
    let day = 1440;

    let skipping = with("");
    assert_eq!((count(&skipping, "runs"), count(&skipping, "skipped")), (day / 3, day - day / 3));
    assert_eq!(count(&skipping, "most"), 1);

    let allowing = with("overlap = { allow = 10 }\n");
    assert_eq!((count(&allowing, "runs"), count(&allowing, "skipped")), (day, 0));
    assert_eq!(count(&allowing, "most"), 3);

    let two = with("overlap = { allow = 2 }\n");
    assert_eq!(count(&two, "runs") + count(&two, "skipped"), day);
    assert_eq!(count(&two, "most"), 2);

    // Back to back.
    let queueing = with("overlap = { queue = 1 }\n");
    assert_eq!(count(&queueing, "runs"), (day * 60).div_ceil(150));
    assert!(count(&queueing, "longest_wait_ms") >= 60_000);
    assert_eq!(count(&queueing, "most"), 1);
}

#[test]
fn a_timeout_ends_runs() {
    let job = "schedule = '*:*:00'\nduration = '2m 30s'\ntimeout = '30s'\n";
    let job = simulated(job, &["--days", "1"]);
    assert_eq!((count(&job, "runs"), count(&job, "killed")), (1440, 1440));
    let job =
        simulated("schedule = '*:*:00'\nduration = '30s'\ntimeout = '30s'\n", &["--days", "1"]);
    assert_eq!(count(&job, "killed"), 0);
}

#[test]
fn jitter_spreads_jobs_of_the_same_time() {
    let most = |jitter: &str| {
        let job = |index| {
            format!(
                "[jobs.job{index}]\nschedule = '12:30:00'\nduration = '1m'\njitter = '{jitter}'\n"
            )
        };
        let jobs: String = (0..10).map(job).collect();
        let file = TextFile::new("jobs.toml", &jobs);
        let output = millicron(&["simulate", "--json", "--days", "1", file.path()]);
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(count(&found["all"], "runs"), 10);
        count(&found["all"], "most")
    };
    assert_eq!(most("0s"), 10);
    assert!((1..5).contains(&most("1h")));
}

#[test]
fn a_run_counts_in_all_hours_that_it_lasts() {
    let text = "zone = 'Europe/Berlin'\n[jobs.a]\nschedule = '22:30:00'\nduration = '2h 30m'\n";
    let file = TextFile::new("jobs.toml", text);
    let output = millicron(&["simulate", "--json", "--days", "3", file.path()]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let hours = found["hours"].as_array().expect("hours").iter().map(|hour| count(hour, "most"));
    let busy: Vec<usize> =
        hours.enumerate().filter(|(_, most)| *most > 0).map(|(hour, _)| hour).collect();
    assert_eq!(busy, [0, 22, 23]);
}

#[test]
fn events_are_missed_while_the_machine_sleeps() {
    // The machine falls asleep after the event at 22:00, and misses 7 until 5:00.
    let job = "schedule = '*:00:00'\n";
    let with = |more: &str| {
        simulated(&format!("{job}{more}"), &["--days", "10", "--sleep", "22:00-06:00"])
    };
    let coalesced = with("");
    // The event at 6:00 makes up for the missed ones.
    assert_eq!((count(&coalesced, "runs"), count(&coalesced, "missed")), (170, 70));
    let all = with("missed = { all = 100 }\n");
    assert_eq!((count(&all, "runs"), count(&all, "missed")), (240, 0));
    let at_half =
        simulated(&format!("{job}missed = 'skip'\n"), &["--days", "10", "--sleep", "22:30-06:30"]);
    assert_eq!((count(&at_half, "runs"), count(&at_half, "missed")), (160, 80));
}

#[test]
fn the_machine_may_sleep_at_the_start() {
    let with = |arguments: &[&str]| {
        let job = simulated(
            "schedule = '03:00:00'\nmissed = 'skip'\n",
            &[&["--sleep", "22:00-07:00"], arguments].concat(),
        );
        (count(&job, "runs"), count(&job, "missed"))
    };
    assert_eq!(with(&["--days", "1", "--from", "2026-11-22T23:00:00Z"]), (0, 1));
    assert_eq!(with(&["--days", "1", "--from", "2026-11-22T02:59:00Z"]), (0, 1));
    assert_eq!(with(&["--days", "1", "--from", "2026-11-22T08:00:00Z"]), (0, 1));
    assert_eq!(with(&["--days", "3", "--from", "2026-11-22T23:00:00Z"]), (0, 3));
}

#[test]
fn the_machine_may_sleep_at_the_start_and_at_the_end() {
    let text = "zone = 'UTC'\n[jobs.a]\nschedule = '*:00:00'\nduration = '10m'\n";
    let file = TextFile::new("jobs.toml", text);
    // 24 hours have the same 9 hours of sleep, whenever they begin. A run starts at 7:00, ..., 22:00.
    for (start, days) in (0..24).flat_map(|hour| [(hour, 1), (hour, 3)]) {
        let from = format!("2026-01-01T{start:02}:00:00Z");
        let days_text = days.to_string();
        let arguments = ["--days", &days_text, "--from", &from, "--sleep", "22:00-07:00"];
        let output = millicron(&[&["simulate", "--json", file.path()], &arguments[..]].concat());
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all = &found["all"];
        let counts = (count(all, "runs"), count(all, "missed"), count(all, "longest_wait_ms"));
        assert_eq!(counts, (16 * days, 8 * days, 0), "{from}");
        for (hour, load) in found["hours"].as_array().expect("hours").iter().enumerate() {
            let is_awake = (7..=22).contains(&hour);
            let expected = if is_awake { (days, 1) } else { (0, 0) };
            assert_eq!((count(load, "runs"), count(load, "most")), expected, "{from} {hour}");
        }
    }
    // Runs, missed events and the longest wait in minutes from 3:00 to 3:00, with sleep from 22:00 to 7:00.
    for (job, expected) in [
        // 3:30, ..., 6:30 are covered by a run at 7:00; 22:30, ..., 2:30 by a run after the end.
        ("schedule = '*:30:00'", (1 + 15, 3 + 5, 30)),
        ("schedule = '*:30:00'\nmissed = { all = 100 }\noverlap = { allow = 100 }", (19, 5, 210)),
        ("schedule = '*:30:00'\nmissed = 'skip'", (15, 4 + 5, 0)),
        // The run at 22:00 ends while the machine sleeps. The event at 23:00 neither waits nor overlaps.
        (
            "schedule = '22,23:00:00'\nduration = '2h'\noverlap = { queue = 1 }\nmissed = { all = 2 }",
            (1, 1, 0),
        ),
        // The event at 22:00 waits for the run from 21:00 to 23:00, so it would start after the end.
        ("schedule = '21,22:00:00'\nduration = '2h'\noverlap = { queue = 1 }", (1, 0, 0)),
        ("schedule = '02:59:59.999'", (0, 1, 0)),
        ("schedule = '03:00:00'", (1, 0, 240)),
        ("schedule = '2026.1.3 00:00:00'", (0, 0, 0)),
    ] {
        let arguments = ["--days", "1", "--from", "2026-01-01T03:00:00Z", "--sleep", "22:00-07:00"];
        let job_found = simulated(job, &arguments);
        let minutes = count(&job_found, "longest_wait_ms") / 60_000;
        let found = (count(&job_found, "runs"), count(&job_found, "missed"), minutes);
        assert_eq!(found, expected, "{job}");
    }
}

#[test]
fn needs_are_not_simulated_and_that_is_said() {
    let text = "[jobs.a]\nschedule = '12:00:00'\n[jobs.b]\nschedule = '13:00:00'\nneeds = 'a'\n";
    let file = TextFile::new("jobs.toml", text);
    assert!(shown(&["simulate", "--days", "1", file.path()]).contains("`needs` are not simulated"));
    assert!(
        shown(&["simulate", "--workers", "0", file.path()]).contains("error: invalid value '0'")
    );
}

#[test]
fn every_event_of_a_pipeline_runs() {
    let hourly = "schedule = '*:00:00'\nduration = '90m'\n";
    let needed = "[jobs.two]\nschedule = '23:59:00'\nneeds = 'one'\n";
    for (job, sleep, expected) in [
        (hourly.to_owned(), None, (12, 12, 0, 1)),
        (format!("{hourly}{needed}"), None, (24, 0, 0, 2)),
        (format!("{hourly}needs = 'two'\n{}", needed.replace("needs", "# ")), None, (24, 0, 0, 2)),
        // A run starts every 90 minutes.
        (format!("{hourly}needs = {{ previous = true, ended = true }}"), None, (16, 0, 0, 1)),
        // The five events from 2:00 on start at 6:30.
        (format!("{hourly}{needed}"), Some("01:30-06:30"), (24, 0, 0, 6)),
    ] {
        let mut arguments = vec!["--days", "1", "--from", "2026-01-01T00:00:00Z"];
        arguments.extend(sleep.map(|sleep| ["--sleep", sleep]).into_iter().flatten());
        let one = simulated(&job, &arguments);
        let [runs, skipped, missed, most] =
            ["runs", "skipped", "missed", "most"].map(|name| count(&one, name));
        assert_eq!((runs, skipped, missed, most), expected, "{job}");
    }
}

#[test]
fn workers_limit_the_runs_at_once() {
    let job = |index| format!("[jobs.job{index}]\nschedule = '12:30:00'\nduration = '10m'\n");
    let jobs: String = (0..5).map(job).collect();
    let file = TextFile::new("jobs.toml", &jobs);
    let all = |arguments: &[&str]| {
        let arguments = [&["simulate", "--json", "--days", "1", file.path()], arguments].concat();
        let found: Value = serde_json::from_slice(&millicron(&arguments).stdout).expect("JSON");
        (found["all"].clone(), found["first_most"]["time"].clone())
    };
    let (unlimited, at) = all(&[]);
    assert_eq!((count(&unlimited, "runs"), count(&unlimited, "most")), (5, 5));
    assert_eq!(at, "2026-11-22T12:30:00.000+00:00");
    let (limited, _) = all(&["--workers", "2"]);
    assert_eq!((count(&limited, "runs"), count(&limited, "most")), (5, 2));
    assert_eq!(count(&limited, "longest_wait_ms"), 20 * 60 * 1000);
}

#[test]
fn the_default_duration_and_the_start_can_be_chosen() {
    let arguments = ["--days", "1", "--from", "2026-11-23T00:00:00Z", "--duration", "90m"];
    let job = simulated("schedule = '*:00:00'\n", &arguments);
    assert_eq!((count(&job, "runs"), count(&job, "skipped")), (12, 12));
}

#[test]
fn crontabs_and_timers_are_simulated_too() {
    let crontab = TextFile::new("crontab", "*/10 * * * * /bin/a\n0 0 31 12 * /bin/b\n");
    let text = shown(&["simulate", "--days", "1", crontab.path()]);
    assert!(text.contains("a    144"), "{text}");
    let timer = TextFile::new("x.timer", "[Timer]\nOnCalendar=*:0/10\n");
    assert!(shown(&["simulate", "--days", "1", timer.path()]).contains("x    144"));
}

#[test]
fn files_with_errors_and_endless_simulations_are_refused() {
    let file = TextFile::new("jobs.toml", "[jobs.a]\nschedule = '25:00:00'\nx = 1\n");
    let text = shown(&["simulate", file.path()]).replace(file.path(), "jobs.toml");
    insta::assert_snapshot!(text);
    let file = TextFile::new("jobs.toml", "[jobs.a]\nschedule = '*:*:*.*'\n");
    insta::assert_snapshot!(shown(&["simulate", file.path()]));
}

#[test]
fn simulations_of_all_years_end_and_note_those_without_events() {
    let file = TextFile::new("jobs.toml", "zone = 'UTC'\n[jobs.a]\nschedule = '12:00:00'\n");
    let note = "note: schedules have events only in the years 2000 to 2100";
    // The clock of the simulator ends on 2262-04-11.
    for (from, runs) in
        [("1500-11-22", 0), ("1999-12-31", 364), ("2262-01-01", 0), ("2926-11-22", 0)]
    {
        for arguments in [&[][..], &["--sleep", "22:00-06:00"]] {
            let arguments = [&["simulate", "--json", file.path(), "--from", from], arguments];
            let output = millicron(&arguments.concat());
            let notes = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), notes.trim_end()), (Some(0), note), "{from}");
            let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(count(&found["all"], "runs"), runs, "{from}");
        }
    }
    assert!(!shown(&["simulate", file.path(), "--from", "2100-01-01"]).contains(note));
}

#[test]
fn the_load_is_drawn_as_svg() {
    let svg = shown(&["simulate", &file(JOBS), "--days", "7", "--format", "svg"]);
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("09:00 to 09:59: 2 at once"), "{svg}");
}
