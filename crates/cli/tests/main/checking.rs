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

pub(crate) fn rules_of_schedule(schedule: &str) -> Vec<String> {
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
