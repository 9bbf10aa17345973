//! `millicron check`.

use std::fs;

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::command::{millicron, shown};
use super::files::{TextFile, file};

pub(crate) fn check(arguments: &[&str]) -> String {
    shown(&[&["check"], arguments].concat())
}

/// Returns the rules that are reported for a text.
pub(crate) fn rules(name: &str, text: &str) -> Vec<String> {
    let file = TextFile::new(name, text);
    let output = millicron(&["check", "--json", file.path()]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let problems = found["problems"].as_array().expect("an array");
    problems.iter().map(|problem| problem["rule"].as_str().expect("a rule").to_owned()).collect()
}

fn rules_of_schedule(schedule: &str) -> Vec<String> {
    rules("one.toml", &format!("zone = 'UTC'\n[jobs.one]\nschedule = '{schedule}'\n"))
}

#[test]
fn all_errors_and_surprises_of_a_crontab_are_shown() {
    insta::assert_snapshot!(check(&[&file("crontab")]));
}

#[test]
fn all_errors_of_a_timer_are_shown() {
    insta::assert_snapshot!(check(&[&file("backup.timer")]));
}

#[test]
fn all_errors_of_a_toml_file_are_shown() {
    insta::assert_snapshot!(check(&[&file("wrong.toml")]));
}

#[test]
fn errors_of_toml_are_in_its_own_words() {
    let job = |lines: &str| format!("[jobs.a]\nschedule = '12:00:00'\n{lines}\n");
    let cases = [
        "jobs = 3".to_owned(),
        "[[jobs]]\nschedule = '12:00:00'".to_owned(),
        "[jobs]\na = '12:00:00'".to_owned(),
        "[jobs.a]\nshedule = '25:00:00'\ntimeout = 3".to_owned(),
        "[jobs.a]\ntimeout = '1x'\ncomand = 'x'".to_owned(),
        "[jobs.a]\nschedule = 7\ncomand = 'x'".to_owned(),
        job("retries = 3"),
        job("retries = { wait = '1s' }"),
        job("retries = { most = 1.5 }"),
        job("retries = { most = -1 }"),
        job("overlap = 'allow'"),
        job("overlap = 'queu'"),
        job("overlap = 3"),
        job("overlap = { alow = 3 }"),
        job("overlap = { allow = 'x' }"),
        job("overlap = { allow = 0 }"),
        job("overlap = { allow = 1, queue = 2 }"),
        job("overlap = {}"),
        job("missed = 'all'"),
        job("missed = { all = 0 }"),
        job("missed = true"),
        job("duration = 90"),
        job("timeout = '0s'"),
        job("dialect = 3"),
        job("dialect = { crontab = 1 }"),
        job("command = 3"),
        job("command = [1]"),
        job("directory = ['x']"),
        job("environment = []"),
        job("environment = { A = 1 }"),
        job("needs = 3"),
        job("needs = { all = 'a', unit = 3 }"),
        job("needs = { last = ['a'] }"),
    ];
    let shown = cases.map(|text| {
        let file = TextFile::new("jobs.toml", &text);
        let shown = check(&["--format", "github", file.path()]).replace(file.path(), "jobs.toml");
        format!("{text}\n{shown}\n")
    });
    let shown = shown.concat();
    let serde =
        ["invalid", "struct", "variant", "u32", "usize", "u64", "sequence", "a map", "Table"];
    assert!(!serde.iter().any(|word| shown.contains(word)), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn schedules_are_offered_for_phrases_in_files() {
    let check = |schedule: &str| {
        let file = TextFile::new("phrase.toml", &format!("[jobs.a]\nschedule = '{schedule}'\n"));
        check(&[file.path()])
    };
    let union = check("every monday at 9; *.*.* Tue 10:00:00");
    let message = "this is a phrase, not a schedule: write `*.*.* 1 09:00:00; *.*.* 2 10:00:00`\n";
    assert!(union.starts_with(&format!("error[schedule]: {message}")), "{union}");
    // Too long for the message.
    let long = check("Every 30 minutes from 22:00 on Monday to Friday until 06:00 the next day");
    assert!(long.starts_with("error[schedule]: this is a phrase, not a schedule\n"), "{long}");
    assert!(long.contains("= help: write `*.*.* 1-5 22:00:00..06:00:00/30m`\n"), "{long}");
    let wrong = check("every monday at 9; every blue moon");
    assert!(!wrong.contains("write `*.*.* 1 09:00:00`"), "{wrong}");
}

#[test]
fn values_that_cannot_be_meant_are_errors() {
    for (lines, rule) in [
        ("retries = { most = 3, wait = '2m', longest = '1m' }", "retries"),
        ("retries = { most = 3, longest = '1ms' }", "retries"),
        ("environment = { 'A=B' = 'x' }", "environment"),
        ("environment = { '' = 'x' }", "environment"),
        ("environment = { A = \"\\u0000\" }", "environment"),
        ("command = \"a\\u0000\"", "command"),
        ("command = \"a\"\ndirectory = \"b\\u0000\"", "directory"),
        ("command = ['a', \"\\u0000\"]", "command"),
        ("duration = '5m'\ntimeout = '1m'", "short-timeout"),
    ] {
        let text = format!("[jobs.a]\nschedule = '12:00:00'\n{lines}\n");
        assert_eq!(rules("one.toml", &text), [rule], "{lines}");
    }
    assert_eq!(rules("one.toml", "environment = { 'A=B' = 'x' }\n"), ["environment"]);
    assert_eq!(rules("one.toml", "[jobs.'']\nschedule = '12:00:00'\n"), ["name"]);
    assert_eq!(rules("one.toml", "[jobs.\"a\\nb\"]\nschedule = '12:00:00'\n"), ["name"]);
    assert_eq!(rules("crontab", "0 0 * * * a\0b\n"), ["command"]);
    for line in ["A=b\0c", "'A\0B'=c", "HOME=/\0", "SHELL=/bin/\0", "CRON_TZ=UTC\0"] {
        // The line is reported, and not each job below it.
        let crontab = format!("{line}\n0 0 * * * a\n0 0 * * * b\n");
        assert_eq!(rules("crontab", &crontab), ["environment"], "{line:?}");
    }
}

#[test]
fn surprises_are_warnings() {
    insta::assert_snapshot!(check(&[&file("surprises.toml"), &file("herd.toml")]));
}

#[test]
fn needs_that_cannot_be_met_are_errors() {
    insta::assert_snapshot!(check(&[&file("cycle.toml")]));
}

#[test]
fn problems_are_annotations_on_github() {
    insta::assert_snapshot!(check(&["--format", "github", &file("backup.timer")]));
}

#[test]
fn problems_are_json() {
    insta::assert_snapshot!(check(&["--json", &file("backup.timer")]));
}

#[test]
fn problems_are_sarif() {
    let text = check(&["--format", "sarif", &file("cycle.toml"), &file("herd.toml")]);
    let json = text.lines().next().expect("one line");
    let log: Value = serde_json::from_str(json).expect("JSON");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index");
        let rule = &rules[usize::try_from(index).expect("small")];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&run["results"]).expect("JSON"));
}

#[test]
fn the_exit_status_is_1_for_errors_only() {
    let status = |arguments: &[&str]| {
        millicron(&[&["check"], arguments].concat()).status.code().expect("no signal")
    };
    let (warnings, errors) = (file("herd.toml"), file("wrong.toml"));
    assert_eq!(status(&[&warnings]), 0);
    assert_eq!(status(&[&errors]), 1);
    assert_eq!(status(&[&warnings, &errors]), 1);
    assert_eq!(status(&[&warnings, "--deny", "warnings"]), 1);
    assert_eq!(status(&[&warnings, "--deny", "herd"]), 1);
    assert_eq!(status(&[&warnings, "--deny", "rare-day"]), 0);
    assert_eq!(status(&[&warnings, "--deny", "warnings", "--allow", "herd"]), 0);
    assert_eq!(status(&[&errors, "--format", "sarif"]), 1);
    assert_eq!(status(&["no such file"]), 1);
    assert_eq!(status(&[&warnings, "--json", "--format", "sarif"]), 2);
    assert_eq!(status(&[&warnings, "--json", "--format", "json"]), 0);
    assert_eq!(status(&[&warnings, "--allow", "hert"]), 2);
}

#[test]
fn comments_allow_lints_of_their_line_the_next_one_or_a_table() {
    let silent = |text: &str| assert_eq!(rules("one.toml", text), [""; 0], "{text}");
    silent("[jobs.a]\nschedule = '*.*.31 12:00:00' # millicron: allow rare-day\n");
    silent("[jobs.a]\n# Why: x\n# millicron: allow rare-day\nschedule = '*.*.31 12:00:00'\n");
    silent(
        "# millicron: allow herd, rare-day\n# x\n[jobs.a]\nx = 1\nschedule = '*.*.31 12:00:00'\n"
            .replace("x = 1\n", "")
            .as_str(),
    );
    let other = "# millicron: allow rare-day\n[jobs.a]\nschedule = '0:0:0'\n\
                 [jobs.b]\nschedule = '*.*.31 12:00:00'\n";
    assert_eq!(rules("one.toml", other), ["rare-day"]);
    let errors = "[jobs.a]\nschedule = '25:00:00' # millicron: allow schedule\n";
    assert_eq!(rules("one.toml", errors), ["schedule", "unknown-lint"]);
    let misspelled = "[jobs.a]\nschedule = '*.*.31 12:00:00' # so is it. millicron: allow rare-days, herd for now\n";
    assert_eq!(rules("one.toml", misspelled), ["rare-day", "unknown-lint"]);
    let shown = check(&[TextFile::new("one.toml", misspelled).path()]);
    assert!(shown.contains("write `rare-day`") && !shown.contains("herd`"), "{shown}");
    silent("[jobs.a]\nschedule = '12:00:00' # as in `millicron: allow X`\n");
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
fn unknown_values_are_offered_in_the_form_that_is_read() {
    for (line, help) in [
        ("overlap = 'alow'", "write `{ allow = 2 }`"),
        ("overlap = 'queu'", "write `{ queue = 2 }`"),
        ("overlap = 'skp'", "write `skip`"),
        ("missed = \"al\"", "write `{ all = 2 }`"),
        ("overlap = 'x'", "allowed here: skip, { allow = 2 }, { queue = 2 }"),
        ("overlap = { alow = 3 }", "write `allow`"),
    ] {
        let text = format!("[jobs.a]\nschedule = '12:00:00'\n{line}\n");
        let found = check(&[TextFile::new("values.toml", &text).path()]);
        assert!(found.contains(&format!("= help: {help}\n")), "{found}");
    }
}

#[test]
fn unknown_keys_are_offered_as_the_ones_that_are_meant() {
    for (key, help) in [
        ("timezone", "write `zone`"),
        ("tz", "write `zone`"),
        ("timeot", "write `timeout`"),
        ("shedule", "write `schedule`"),
        ("args", "allowed here: schedule, "),
    ] {
        let text = format!("[jobs.a]\n{key} = 'x'\n");
        let found = check(&[TextFile::new("keys.toml", &text).path()]);
        let message = format!("error[toml]: unknown key `{key}`\n");
        assert!(found.contains(&message), "{found}");
        assert!(found.contains(&format!("= help: {help}")), "{found}");
    }
    let found = check(&[TextFile::new("keys.toml", "timezone = 'UTC'\n").path()]);
    assert!(found.contains("= help: write `zone`\n"), "{found}");
    // Retries have no time zone.
    let retries = "[jobs.a]\nschedule = '12:00:00'\nretries = { most = 1, timezone = 'UTC' }\n";
    let found = check(&[TextFile::new("keys.toml", retries).path()]);
    assert!(found.contains("= help: allowed here: most, "), "{found}");
}

#[test]
fn offsets_in_schedules_are_not_offered_as_time_zones() {
    for offset in ["UTC+2", "+02:00"] {
        let text = format!("[jobs.a]\nschedule = '12:00:00 {offset}'\n");
        let found = check(&[TextFile::new("offset.toml", &text).path()]);
        let message = format!("`{offset}` is an offset from UTC, not the name of a time zone");
        assert!(found.contains(&message), "{found}");
        assert!(found.contains("write a name, such as `Europe/Berlin` or `UTC`"), "{found}");
    }
}

#[test]
fn an_unknown_need_hides_no_other_error() {
    let text = "[jobs.a]\nschedule = '12:00:00'\nneeds = 'missing'\noverlap = 'skip'\n\
                [jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\ngrace = '1m'\n";
    assert_eq!(rules("needs.toml", text), ["needs"; 3]);
    let found = check(&[TextFile::new("needs.toml", text).path()]);
    for message in
        ["`a` needs `missing`, which", "`overlap` has no effect", "`grace` has no effect"]
    {
        assert!(found.contains(message), "{found}");
    }
    // Nor does an error of another kind.
    let text = format!("{text}[jobs.c]\nschedule = '25:00:00'\n");
    assert_eq!(rules("needs.toml", &text), ["needs", "needs", "needs", "schedule"]);
}

#[test]
fn cycles_of_needs_are_reported_once_there_are_no_other_errors() {
    let text = "[jobs.a]\nschedule = '12:00:00'\nneeds = 'b'\n\
                [jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\n";
    assert_eq!(rules("needs.toml", text), ["needs"]);
    let text = format!("{text}[jobs.c]\nschedule = '25:00:00'\n");
    assert_eq!(rules("needs.toml", &text), ["schedule"]);
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

#[test]
fn one_unreadable_file_hides_no_other() {
    for format in ["text", "json", "github", "sarif"] {
        let shown = check(&["--format", format, "no such file", &file("cycle.toml")]);
        assert!(shown.contains("cannot read no such file"), "{shown}");
        assert!(shown.contains("cycle.toml") && shown.contains("needs"), "{shown}");
        assert!(shown.ends_with("exit status Some(1)\n"), "{shown}");
    }
}

#[test]
fn files_without_jobs_are_suspicious() {
    assert_eq!(rules("empty.toml", ""), ["no-jobs"]);
    assert_eq!(rules("empty.toml", "zone = 'UTC'\n"), ["no-jobs"]);
    assert_eq!(rules("x.timer", "[Timer]\n"), ["no-calendar"]);
    assert_eq!(rules("x.timer", "[Timer]\nOnCalendar=daily\nOnCalendar=\n"), ["no-calendar"]);
    assert_eq!(rules("x.timer", "[Timer]\nOnBootSec=5min\nOnUnitActiveSec=1h\n"), [""; 0]);
    let empty = TextFile::new("crontab", "");
    assert!(check(&[empty.path()]).contains("the file has no jobs"));
}

#[test]
fn a_system_crontab_has_users() {
    let file =
        TextFile::new("system", "17 * * * * root run-parts /etc/cron.hourly\n25 6 * * * root\n");
    let text = shown(&["check", file.path()]);
    assert!(
        text.contains("`root` would be run as a command") && text.contains("--users"),
        "{text}"
    );
    assert_eq!(rules("crontab", "0 0 * * * rootkit x\n0 0 * * * root\n"), [""; 0]);
    assert!(shown(&["check", "--users", file.path()]).contains("no user and command"));
}

#[test]
fn the_format_is_recognized_by_the_path_or_the_text() {
    for (name, text, problem) in [
        ("a.toml", "x", "key with no value"),
        ("a.timer", "[Timer]\nx", "not a setting"),
        ("a.cron", "[x]", "unexpected `[` in the minute"),
        ("plain", "# x\n[Unit]\n[Timer]\nx", "not a setting"),
        ("plain", "# x\n[jobs.a]\nx", "key with no value"),
        ("plain", "zone = 'UTC'\n[jobs.a]\nx", "key with no value"),
        ("plain", "jobs.a.shedule = '12:00:00'", "unknown key `shedule`"),
        ("plain", "x y", "not a valid minute"),
    ] {
        let file = TextFile::new(name, text);
        let shown = check(&[file.path()]);
        assert!(shown.contains(problem), "{name} {text:?}: {shown}");
    }
}

#[test]
fn a_text_that_is_taken_for_a_crontab_is_reported_as_such() {
    let hint = "this is read as a crontab: name another format with `--as`";
    let text = "jobs:\n  backup:\n    schedule: 0 9 * * *\n";
    let file = TextFile::new("jobs.yaml", text);
    let found = check(&[file.path()]);
    assert!(found.contains("error[schedule]: `jobs` is not a valid minute"), "{found}");
    assert_eq!(found.matches(hint).count(), 1, "{found}");
    let more = format!("\nhint: {hint}; `millicron check {}` shows 2 more\n", file.path());
    let simulated = shown(&["simulate", file.path()]);
    assert!(simulated.contains(&more), "{simulated}");
    if cfg!(unix) {
        let run = shown(&["run", file.path(), "--check"]);
        assert!(run.contains(&more), "{run}");
    }
    // It follows the error's own hint.
    let reboot = TextFile::new("jobs", "@reboot x\n");
    let shown = check(&[reboot.path()]);
    assert!(
        shown.contains(&format!("start the command before `millicron run`; {hint}")),
        "{shown}"
    );
    // The format is known.
    for name in ["crontab", "a.crontab", "a.cron"] {
        let shown = check(&[TextFile::new(name, text).path()]);
        assert!(shown.contains(" 3 errors") && !shown.contains("--as"), "{name}: {shown}");
    }
    for option in ["--as=crontab", "--users"] {
        let shown = check(&[file.path(), option]);
        assert!(shown.contains(" 3 errors") && !shown.contains("--as"), "{option}: {shown}");
    }
    assert!(!check(&[TextFile::new("plain", "[jobs.a]\nx").path()]).contains("--as"));
}

#[test]
fn lints_are_listed() {
    let listed = check(&["--lints"]);
    let json: Value = serde_json::from_str(&check(&["--lints", "--json"])).expect("JSON");
    assert_eq!(json.as_array().expect("an array").len(), listed.lines().count());
    // A file would not be checked.
    assert!(check(&["--lints", "jobs.toml"]).ends_with("exit status Some(2)\n"));
    insta::assert_snapshot!(listed);
}

#[test]
fn directories_stand_for_the_files_of_jobs_in_them() {
    let directory = Directory::new("sources");
    for (folder, name, text) in [
        ("", "a.cron", "x\n"),
        ("b/c", "d.crontab", "x\n"),
        ("b", "e.timer", "x\n"),
        ("b", "Cargo.toml", "[package]\nname = 7\n"),
        ("b", "crontab", "x\n"),
        ("b", "f.cron", "x\n"),
        ("b", "jobs.toml", "[jobs.a]\nx\n"),
        ("b", "notes.txt", "x\n"),
        ("target", "f.cron", "x\n"),
        (".git", "g.cron", "x\n"),
    ] {
        fs::create_dir_all(directory.join(folder)).expect("accessible directory");
        fs::write(directory.join(folder).join(name), text).expect("accessible directory");
    }
    let path = directory.path().to_str().expect("UTF-8");
    let output = millicron(&["check", "--json", path]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let problems = found["problems"].as_array().expect("an array").iter();
    let mut files: Vec<_> =
        problems.filter_map(|it| it["file"].as_str()?.strip_prefix(path)).collect();
    files.dedup();
    let expected =
        ["/a.cron", "/b/c/d.crontab", "/b/crontab", "/b/e.timer", "/b/f.cron", "/b/jobs.toml"];
    assert_eq!(files, expected);
    let empty = directory.join("target");
    fs::remove_file(empty.join("f.cron")).expect("accessible directory");
    let empty = empty.to_str().expect("UTF-8");
    let text = check(&[empty]);
    assert!(text.starts_with(&format!("error: no job files found in {empty}\n")), "{text}");
    let searched = "for `*.cron`, `*.crontab`, `crontab`, `*.timer`, and `*.toml` with `jobs`\n";
    assert!(text.contains(searched), "{text}");
}
