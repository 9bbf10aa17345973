//! Which schedules the lints of `check` report, and what they advise.

use serde_json::Value;

use super::checking::{check, rules, rules_of_schedule};
use super::command::{millicron, shown};
use super::files::TextFile;

/// Checks a crontab with one line.
fn check_line(schedule: &str, zone: &str) -> String {
    let file = TextFile::new("crontab", &format!("{schedule} x\n"));
    check(&["--zone", zone, file.path()])
}

#[test]
fn uneven_step_offers_only_schedules_that_keep_the_other_fields() {
    for (schedule, expected) in [
        ("*/7 * * * *", "`00:00:00../7m`"),
        ("*/7 * * * 1-5", "`*.*.* 1-5 00:00:00../7m`"),
        ("*/50 * 1 * *", "`*.*.01 00:00:00../50m`"),
        ("0 9 */3 * *", "`2026.11.22/3d 09:00:00`"),
        ("0 0 * * */2", "`2026.11.22/2d 00:00:00`"),
        ("*/7 9-17 * * 1-5", ""),
        ("0 9 */3 6-8 *", ""),
        ("0 3 */2 * 1", ""),
        ("0 3 * 2 */2", ""),
        // The same events, or more than a window allows.
        ("*/60 * * * *", ""),
        ("*/2000 * * * *", ""),
    ] {
        let shown = check_line(schedule, "UTC");
        assert!(shown.contains("uneven-step"), "{schedule}: {shown}");
        let offer = shown.lines().find(|line| line.contains("millicron's own language "));
        assert!(offer.unwrap_or_default().contains(expected), "{schedule}: {shown}");
        assert_eq!(offer.is_none(), expected.is_empty(), "{schedule}: {shown}");
    }
}

#[test]
fn uneven_step_is_silent_where_the_field_does_not_restart() {
    for (schedule, expected) in [
        ("*/13 3 * * *", ""),
        ("*/13 3,15 * * *", ""),
        ("*/13 3,4 * * *", "after minute 52 comes 0"),
        ("*/13 0,23 * * *", "after minute 52 comes 0"),
        ("0 9 */3 6 *", ""),
        ("0 9 */3 6,7 *", "after day of month 31 comes 1"),
        ("0 9 */3 11,12,1 *", "after day of month 31 comes 1"),
        ("0 9 */4 2,3,4 *", "after day of month 29 comes 1"),
        ("0 */5 1 * *", ""),
        ("0 */5 * * 1", ""),
        ("0 */5 1,2 * *", "after hour 20 comes 0"),
        ("0 0 * * */2", "after Saturday comes Sunday"),
        ("0 0 * * */4", "after Thursday comes Sunday"),
        ("*/90 3 * * *", "is the same as `0`"),
    ] {
        let shown = check_line(schedule, "UTC");
        assert_eq!(shown.contains("uneven-step"), !expected.is_empty(), "{schedule}: {shown}");
        assert!(shown.contains(expected), "{schedule}: {shown}");
    }
}

#[test]
fn day_or_weekday_warns_if_one_of_them_is_every_day() {
    for (schedule, expected) in [
        ("0 0 1-31 * FRI", "`1-31` is every day, so `FRI` has no effect"),
        ("0 0 13 * 0-7", "`0-7` is every day, so `13` has no effect"),
        ("0 0 13 * SUN-SAT", "`SUN-SAT` is every day, so `13` has no effect"),
        ("0 0 1-15,16-31 6 1", "`1-15,16-31` is every day, so `1` has no effect"),
        ("0 0 13 * FRI", "joined by OR: this runs on every day of month `13`"),
        ("0 0 1-31 * 0-7", ""),
        ("0 0 * * 0-7", ""),
        ("0 0 1-31 * *", ""),
    ] {
        let shown = check_line(schedule, "UTC");
        assert_eq!(shown.contains("day-or-weekday"), !expected.is_empty(), "{schedule}: {shown}");
        assert!(shown.contains(expected), "{schedule}: {shown}");
    }
}

#[test]
fn rare_day_says_which_months_are_skipped() {
    let all = "February, April, June, September and November have no day 31";
    for (schedule, months, is_skipped) in [
        ("0 0 31 * *", all, true),
        ("0 0 30,31 * *", "February has no day 30", true),
        ("0 0 29 2 *", "February has no day 29 except in leap years", true),
        ("0 0 15,31 * *", all, false),
        ("0 0 1,31 * *", all, false),
        // The weekday is enough.
        ("0 0 31 * 1", all, false),
    ] {
        let shown = check_line(schedule, "UTC");
        let line = shown.lines().find_map(|line| line.strip_prefix("warning[rare-day]: "));
        let line = line.unwrap_or_else(|| panic!("{schedule}: {shown}"));
        let skipped = line.strip_prefix(months).expect(line);
        let is = if months == all { "are" } else { "is" };
        let expected = if is_skipped { format!(", and {is} skipped") } else { String::new() };
        assert_eq!(skipped, expected, "{schedule}");
    }
}

#[test]
fn reasons_of_allowed_lints_may_have_commas() {
    for (comment, expected) in [
        ("rare-day, because the office is closed", ""),
        ("rare-day as agreed, but not, for example, this", ""),
        ("rare-day, herd for now", ""),
        ("rare-day, because", "there is no lint `because`"),
        ("rare-day, heard about it", "there is no lint `heard`"),
        ("because of this, rare-day", "there is no lint `because`"),
    ] {
        let text = format!("# millicron: allow {comment}\n0 0 31 * * x\n");
        let shown = check(&[TextFile::new("crontab", &text).path()]);
        let found = shown.lines().find_map(|line| line.strip_prefix("warning[unknown-lint]: "));
        let found = found.unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{comment}: {shown}");
        assert!(found.starts_with(expected), "{comment}: {shown}");
        assert!(!shown.contains("[rare-day]"), "{comment}: {shown}");
    }
}

#[test]
fn clock_change_considers_each_member_of_a_union() {
    for (schedule, is_affected) in [
        ("2:*/15:00", true),
        ("2:*/15:00; 4:00:00", true),
        // Another member has events after the fold.
        ("2:*/15:00; 3:00:00", true),
        ("2-4:*/15:00; 3:00:00", false),
        ("2-4:*/15:00; 2-4:*/20:00", false),
    ] {
        let text = format!("[jobs.a]\nzone = 'Europe/Berlin'\nschedule = '{schedule}'\n");
        let rules = rules("one.toml", &text);
        assert_eq!(rules.contains(&"clock-change".to_owned()), is_affected, "{schedule}");
    }
}

#[test]
fn clock_change_warns_of_events_that_repeat_only_then() {
    for (zone, schedule, is_affected) in [
        ("Europe/Berlin", "*/30 2 * * *", true),
        ("Europe/Berlin", "0,30 2 * * *", true),
        ("Europe/Berlin", "* 2 * * *", true),
        ("Europe/Berlin", "*/15 1-2 * * *", true),
        ("America/New_York", "* 1 * * *", true),
        ("America/New_York", "* 2 * * *", true),
        ("Europe/Berlin", "* 3 * * *", false),
        // These keep their pace.
        ("Europe/Berlin", "*/15 * * * *", false),
        ("Europe/Berlin", "*/15 1-4 * * *", false),
        ("Europe/Berlin", "0 */2 * * *", false),
        ("Europe/Berlin", "*/7 * * * *", false),
        ("America/New_York", "*/10 0-6 * * *", false),
    ] {
        let shown = check_line(schedule, zone);
        assert_eq!(shown.contains("clock-change"), is_affected, "{schedule} {zone}: {shown}");
        // The days of the changes of both zones, whose normal number of events is that of a day without.
        let count =
            |day: &str, end: &str| shown_count(&["count", schedule, day, end, "--zone", zone]);
        let normal = count("2027-06-01", "2027-06-02");
        let differs = [("2027-03-14", "2027-03-15"), ("2027-03-28", "2027-03-29")]
            .into_iter()
            .chain([("2027-10-31", "2027-11-01"), ("2027-11-07", "2027-11-08")])
            .any(|(day, end)| count(day, end) != normal);
        assert!(differs || !is_affected, "{schedule} {zone}");
    }
}

fn shown_count(arguments: &[&str]) -> String {
    shown(arguments).trim().to_owned()
}

#[test]
fn long_job_considers_the_timeout_and_the_allowed_runs() {
    for (lines, expected) in [
        ("duration = '40m'", "long-job"),
        ("duration = '40m'\noverlap = { allow = 2 }", "long-job"),
        ("duration = '40m'\noverlap = { allow = 3 }", ""),
        ("duration = '45m'\noverlap = { allow = 3 }", ""),
        ("duration = '46m'\noverlap = { allow = 3 }", "long-job"),
        ("duration = '40m'\noverlap = { queue = 3 }", "long-job"),
        ("duration = '40m'\ntimeout = '10m'", "short-timeout"),
        ("duration = '20m'\ntimeout = '30m'", "long-job"),
    ] {
        let text = format!("[jobs.a]\nschedule = '*/15 * * * *'\n{lines}\n");
        let expected: Vec<_> = [expected].into_iter().filter(|rule| !rule.is_empty()).collect();
        assert_eq!(rules("one.toml", &text), expected, "{lines}");
    }
}

#[test]
fn long_job_says_how_many_events_wait() {
    for (queue, result) in [(1, "1 event waits, and others"), (2, "2 events wait, and others")] {
        let text = format!(
            "[jobs.a]\nschedule = '*/15 * * * *'\nduration = '40m'\noverlap = {{ queue = {queue} }}\n"
        );
        let found = shown(&["check", TextFile::new("queue.toml", &text).path()]);
        assert!(found.contains(&format!(": {result} are skipped\n")), "{found}");
    }
}

#[test]
fn long_job_knows_that_pipelines_skip_no_events() {
    let job = "[jobs.a]\nschedule = '*/15 * * * *'\nduration = '40m'\n";
    let needed = "[jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\n";
    assert_eq!(rules("needed.toml", &format!("{job}{needed}")), [""; 0]);
    let alone = format!("{job}needs = {{ previous = true }}\n");
    let found = shown(&["check", TextFile::new("previous.toml", &alone).path()]);
    assert!(found.contains(": events wait until the run has ended\n"), "{found}");
}

#[test]
fn members_of_unions_have_lints_of_their_own() {
    for (schedule, expected) in [
        ("2020.1.1 9:00:00; 10:00:00", ("never", 13, 17)),
        ("10:00:00;2020.1.1 9:00:00", ("never", 22, 26)),
        // All of it.
        ("2020.1.1 9:00:00; 2020.1.2 9:00:00", ("never", 13, 47)),
        ("*.*.31 12:00:00; *.*.15 9:00:00", ("rare-day", 17, 19)),
        ("*.*.15 9:00:00;*.*.31 12:00:00 UTC", ("rare-day", 32, 34)),
        ("9:00:00; 9:*:00", ("every-minute", 24, 25)),
        ("9:00:00; *:*/7:00", ("uneven-step", 24, 27)),
    ] {
        let text = format!("[jobs.one]\nzone = 'UTC'\nschedule = '{schedule}'\n");
        let text = if schedule.contains("UTC") { text.replace("zone = 'UTC'", "") } else { text };
        let file = TextFile::new("one.toml", &text);
        let output = millicron(&["check", "--json", file.path()]);
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let [problem] = found["problems"].as_array().expect("an array").as_slice() else {
            panic!("{schedule}: {found}");
        };
        let (rule, start, end) = expected;
        assert_eq!(problem["rule"], rule, "{schedule}");
        assert_eq!((&problem["column"], &problem["end_column"]), (&start.into(), &end.into()));
    }
    let escaped = "[jobs.one]\nzone = 'UTC'\nschedule = \"9:00:00;\\t*.*.31 12:00:00\"\n";
    assert_eq!(rules("one.toml", escaped), ["rare-day"]);
}

#[test]
fn options_without_effect_are_refused() {
    let toml = TextFile::new("jobs.toml", "[jobs.a]\nschedule = '9:00:00'\n");
    let crontab = TextFile::new("jobs.cron", "0 9 * * * root backup\n");
    let hint = "hint: leave it out, or add --as crontab\nexit status Some(2)\n";
    for arguments in [
        &["check", "--users", toml.path()][..],
        &["timeline", "--users", toml.path()],
        &["simulate", "--users", toml.path()],
    ] {
        let refused = shown(arguments);
        assert!(refused.starts_with("error: --users is for crontabs, and "), "{refused}");
        assert!(refused.ends_with(hint), "{refused}");
    }
    // Of several files, others may be crontabs.
    let both = check(&["--users", toml.path(), crontab.path()]);
    assert!(both.contains("2 jobs in 2 files"), "{both}");
    for options in [
        &["--format", "github"][..],
        &["--format", "sarif"],
        &["--users"],
        &["--as", "toml"],
        &["--zone", "UTC"],
    ] {
        let refused = check(&[&["--lints"], options].concat());
        assert!(refused.ends_with("exit status Some(2)\n"), "{options:?}: {refused}");
    }
    for command in [&["man"][..], &["completions", "bash"]] {
        let refused = shown(&[&["--json"], command].concat());
        assert!(refused.starts_with("error: --json and the command `"), "{refused}");
    }
    let schema = shown(&["schema", "--json"]);
    let same: [Value; 2] =
        [&schema, &shown(&["schema"])].map(|text| serde_json::from_str(text).expect("JSON"));
    assert_eq!((schema.lines().count(), &same[0]), (1, &same[1]));
}

#[test]
fn rare_day_warns_of_days_that_are_not_in_twelve_months() {
    for day in 1..=32 {
        let schedule = format!("*.*.{day} 12:00:00");
        let count = shown(&["count", &schedule, "2027-01-01", "2028-01-01"]);
        let is_rare = count.trim() != "12";
        assert_eq!(rules_of_schedule(&schedule).contains(&"rare-day".to_owned()), is_rare, "{day}");
    }
    for unaffected in [
        "*.1,3.31 12:00:00",
        "*.*.28-31 12:00:00",
        "*.*.20-32 12:00:00",
        "*.*.LW,L<B,L>B!,28W,28<B,L-27,L-27W 12:00:00",
        "*.1,3.31W,L-30 12:00:00",
    ] {
        assert_eq!(rules_of_schedule(unaffected), [""; 0], "{unaffected}");
    }
}

#[test]
fn rare_day_warns_of_days_that_are_moved_or_counted_from_the_end() {
    let long = "February, April, June, September and November have no";
    for (day, message, hint) in [
        ("31W", "day 31, and are skipped", "write `LW` to begin with the last day"),
        ("30,31W", "day 31", "write `LW` to begin with the last day"),
        ("31<B", "day 31, and are skipped", "write `L<B` to begin with the last day"),
        ("31>B!", "day 31, and are skipped", "write `L>B!` to begin with the last day"),
        ("31<B-2", "day 31, and are skipped", "write `L<B-2` to begin with the last day"),
        ("L-30", "day that is 30 days before the last, and are skipped", ""),
        ("1,L-30W", "day that is 30 days before the last", ""),
    ] {
        let text = format!("zone = 'UTC'\n[jobs.a]\nschedule = '*.*.{day} 12:00:00'\n");
        let found = check(&[TextFile::new("rare.toml", &text).path()]);
        assert!(found.starts_with(&format!("warning[rare-day]: {long} {message}\n")), "{found}");
        assert_eq!(found.contains("= help: "), !hint.is_empty(), "{found}");
        assert!(found.contains(hint), "{found}");
        let mark = format!("   |                 {}\n", "^".repeat(day.len()));
        assert!(found.contains(mark.trim_start_matches("  ")), "{found}");
    }
    for (schedule, rule) in [("29W", "rare-day"), ("L-28", "rare-day"), ("28W,30W", "rare-day")] {
        let schedule = format!("*.*.{schedule} 12:00:00");
        assert_eq!(rules_of_schedule(&schedule), [rule], "{schedule}");
    }
}

#[test]
fn uneven_step_warns_if_the_gaps_differ() {
    for step in 2..60 {
        let schedule = format!("*:*/{step}:00");
        let explained = millicron(&["explain", "--json", &schedule]);
        let Ok(explained) = serde_json::from_slice::<Value>(&explained.stdout) else {
            // A step that leaves only one value is an error.
            assert_eq!(rules_of_schedule(&schedule), ["schedule"]);
            continue;
        };
        let gaps = &explained["gaps"];
        let is_uneven = gaps["shortest_ms"] != gaps["longest_ms"];
        let expected: &[&str] = if is_uneven { &["uneven-step"] } else { &[] };
        assert_eq!(rules_of_schedule(&schedule), expected, "{schedule}");
    }
}

#[test]
fn uneven_step_warns_in_all_languages() {
    for (language, schedule, expected) in [
        ("crontab", "*/90 * * * *", "is the same as `0`"),
        ("crontab", "*/60 * * * *", "is the same as `0`"),
        ("crontab", "0 */36 * * *", "is the same as `0`"),
        ("quartz", "0 0/7 * * * ?", "after minute 56 comes 0"),
        ("quartz", "0 5/10 * * * ?", ""),
        ("quartz", "0 5/11 * * * ?", "after minute 49 comes 5"),
        ("systemd", "*:0/7", "after minute 56 comes 0"),
        ("systemd", "*:0/40", "after minute 40 comes 0"),
        ("systemd", "*:0/20", ""),
        ("crontab", "0-59/7 * * * *", "after minute 56 comes 0"),
        ("crontab", "10-40/7 * * * *", ""),
        ("crontab", "0 0 */40 * *", "is the same as `1`"),
        ("crontab", "0 12 * */5 *", "after month 11 comes 1"),
    ] {
        let text = format!("[jobs.a]\ndialect = '{language}'\nschedule = '{schedule}'\n");
        let file = TextFile::new("one.toml", &text);
        let shown = check(&["--zone", "UTC", file.path()]);
        assert_eq!(shown.contains("uneven-step"), !expected.is_empty(), "{schedule}: {shown}");
        assert!(shown.contains(expected), "{schedule}: {shown}");
    }
}

#[test]
fn last_weekday_says_what_is_wrong() {
    for (schedule, expected) in [
        ("*.*.22-31 Fri 12:00:00", "some months have two from day 22 on"),
        ("*.*.24-31 Fri 12:00:00", "from day 24 on, some months have none, and some have two"),
        ("*.*.25-31 Fri 12:00:00", "some months have none from day 25 on"),
        ("*.1,3,12.25-31 Fri 12:00:00", ""),
    ] {
        let file = TextFile::new("one.toml", &format!("[jobs.a]\nschedule = '{schedule}'\n"));
        let shown = check(&[file.path()]);
        assert_eq!(shown.contains("last-weekday"), !expected.is_empty(), "{schedule}: {shown}");
        assert!(shown.contains(expected), "{schedule}: {shown}");
    }
    let file = TextFile::new("crontab", "0 0 28-31 * FRI x\n");
    let shown = check(&[file.path()]);
    assert!(shown.contains("the last Friday of the month is `Fri#L`"), "{shown}");
}

#[test]
fn clock_change_warns_if_the_zone_changes_its_clocks_then() {
    for (zone, schedule, is_affected) in [
        ("Europe/Berlin", "02:30:00", true),
        ("Europe/Berlin", "03:00:00", false),
        ("Europe/Berlin", "*:30:00", false),
        ("Europe/Berlin", "*.1.1 02:30:00", false),
        ("America/New_York", "01:30:00", true),
        ("UTC", "02:30:00", false),
        ("Europe/Berlin", "02:22:00; 00:05:00../15m", true),
        ("Europe/Berlin", "00:05:00../15m; 02:22:00", true),
        ("Europe/Berlin", "03:22:00; 00:05:00../15m", false),
    ] {
        let text = format!("[jobs.a]\nzone = '{zone}'\nschedule = '{schedule}'\n");
        let expected: &[&str] = if is_affected { &["clock-change"] } else { &[] };
        assert_eq!(rules("one.toml", &text), expected, "{schedule} {zone}");
    }
}

/// The same as `systemd-analyze calendar` answers.
#[test]
fn timers_handle_clock_changes_as_systemd_does() {
    let timer = |event| TextFile::new("a.timer", &format!("[Timer]\nOnCalendar={event}\n"));
    let daily = timer("02:30 Europe/Berlin");
    let warning = check(&[daily.path()]);
    assert!(warning.contains("2027-03-28 02:30:00 does not fire: the clocks go"), "{warning}");
    let often = timer("*:0/30 Europe/Berlin");
    assert!(!check(&[often.path()]).contains("clock-change"));
    for (file, now, starts) in [
        (&daily, "2027-03-28", 0),
        (&daily, "2027-10-31", 1),
        (&often, "2027-03-28", 46),
        // The second pass from 2:00 to 3:00 has none.
        (&often, "2027-10-31", 48),
    ] {
        let arguments =
            ["timeline", file.path(), "--date", now, "--zone", "Europe/Berlin", "--json"];
        let json: Value = serde_json::from_str(&shown(&arguments)).expect("JSON");
        assert_eq!(json["jobs"][0]["starts"], starts, "{now}");
    }
}

#[test]
fn each_lint_keeps_silent_where_nothing_surprises() {
    for schedule in [
        "12:00:00.500",
        "12:00:00.005",
        "*:*:*.0,500",
        "*.*.* Fri#L 12:00:00",
        "*.*.8-14 Tue 12:00:00",
        "0 9 * * MON",
        "0 9 13 * *",
        "*:*:00",
        "9:0-30:00",
        "9:*/5:00",
        "*:*/15:00",
        "*:*:*",
        "2099.1.1 12:00:00",
        "Fri *-*~07/1 12:00",
    ] {
        assert_eq!(rules_of_schedule(schedule), [""; 0], "{schedule}");
    }
}

#[test]
fn long_job_compares_with_the_shortest_gap() {
    let with = |duration: &str| {
        rules("one.toml", &format!("[jobs.a]\nschedule = '*:*:*/10'\nduration = '{duration}'\n"))
    };
    assert_eq!(with("10s"), [""; 0]);
    assert_eq!(with("10s 1ms"), ["long-job"]);
}

#[test]
fn herd_ignores_jobs_with_jitter() {
    let job =
        |number: u32, more: &str| format!("[jobs.job{number}]\nschedule = '12:00:00'\n{more}");
    let jobs = |count| (0..count).map(|number| job(number, "")).collect::<String>();
    assert_eq!(rules("one.toml", &jobs(9)), [""; 0]);
    assert_eq!(rules("one.toml", &jobs(10)), ["herd"]);
    assert_eq!(rules("one.toml", &(jobs(9) + &job(9, "jitter = '5m'\n"))), [""; 0]);
}

#[test]
fn herd_does_not_depend_on_the_day_or_on_busy_jobs() {
    let mut crontab = "* * * * * * busy\n".to_owned();
    let lines = |schedule: &str| format!("{schedule} a\n").repeat(12);
    for schedule in ["0 3 * * 6", "0 0 1 1 *", "30 9-17 * * *"] {
        crontab.push_str(&lines(schedule));
    }
    let file = TextFile::new("crontab", &crontab);
    for day in 22..29 {
        let now = format!("2026-11-{day}T12:00:00Z");
        let shown = shown(&["check", "--now", &now, "--allow", "six-fields", file.path()]);
        // At each of three times, together with the busy job.
        assert_eq!(shown.matches("13 jobs start at ").count(), 3, "{day}: {shown}");
    }
    // Each herd is allowed individually.
    let allowed = format!("{}# millicron: allow herd\n{}", lines("0 3 * * 6"), lines("0 4 * * 6"));
    assert_eq!(rules("crontab", &allowed), ["herd"]);
    let seconds = rules("crontab", &"*/10 * * * * * a\n".repeat(10));
    assert_eq!(seconds.iter().filter(|rule| *rule == "herd").count(), 1);
}
