//! `millicron check` finds all problems at once.

use std::fs;

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::checking::{check, rules};
use super::files::TextFile;

/// Returns the line and the message of each problem.
fn problems(text: &str) -> Vec<(usize, String)> {
    let file = TextFile::new("jobs.toml", text);
    let shown = check(&["--format", "github", file.path()]);
    let problems = shown.lines().filter_map(|line| {
        let (place, message) = line.strip_prefix("::error ")?.split_once("::")?;
        let number = place.split_once("line=")?.1.split(',').next()?.parse().ok()?;
        Some((number, message.to_owned()))
    });
    problems.collect()
}

#[test]
fn a_wrong_value_hides_no_other() {
    let found = problems(
        r#"[environment]
A = 1
B = true
[jobs.x]
schedule = "25:00:00"
environment = { C = 1, D = "x", E = 2 }
[jobs.x.retries]
wait = 3
longest = "x"
most = "y"
[jobs.y]
schedule = "12:00:00"
needs = ["x", "imprt", { any-of = ["y", "expert"] }]
[jobs.z]
schedule = "12:00:00"
needs = "w"
command = ""
"#,
    );
    let expected = [
        (2, "expected a string, found the integer `1`: put it in quotes"),
        (3, "expected a string, found the boolean `true`: put it in quotes"),
        (5, "hour `25` is out of range"),
        (6, "expected a string, found the integer `1`: put it in quotes"),
        (6, "expected a string, found the integer `2`: put it in quotes"),
        (8, "expected a duration"),
        (9, "`x` is not a duration"),
        (10, "expected a whole number"),
        (13, "`expert`"),
        (13, "`imprt`"),
        (16, "`w`"),
        (17, "the command of the job `z` is empty"),
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for ((line, message), (expected_line, part)) in found.iter().zip(expected) {
        assert!(*line == expected_line && message.contains(part), "{part}: {found:#?}");
    }
}

#[test]
fn a_job_with_an_error_is_a_known_job() {
    let broken = "[jobs.a]\nschedule = '25:00:00'\n[jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\n";
    assert_eq!(rules("one.toml", broken), ["schedule"]);
    let no_table = "jobs.a = 3\n[jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\n";
    assert_eq!(rules("one.toml", no_table), ["toml"]);
    let no_toml = "[jobs.a\nschedule = '12:00:00'\n[jobs.b]\nschedule = '12:00:00'\nneeds = 'a'\n";
    assert!(!rules("one.toml", no_toml).contains(&"needs".to_owned()));
}

#[test]
fn a_misspelled_key_of_retries_is_one_error() {
    let text = "[jobs.a]\nschedule = '12:00:00'\nretries = { mst = 3, wait = '1s' }\n";
    assert_eq!(rules("one.toml", text), ["toml"]);
}

#[test]
fn calendar_lines_that_a_timer_removes_are_read() {
    let text = "[Timer]\nOnCalendar=25:00\nOnCalendar=daily\nOnCalendar=\nOnCalendar=hourly\n";
    assert_eq!(rules("x.timer", text), ["schedule"]);
    let file = TextFile::new("x.timer", &text.replace("25:00", "5:00"));
    assert!(check(&[file.path()]).contains("1 job in 1 file: no problems"));
}

/// Checks a crontab that is not UTF-8, and returns what is written.
fn check_latin_1(name: &str, format: &str) -> String {
    let directory = Directory::new(name);
    let file = directory.join("crontab");
    fs::write(&file, b"# \xc3\xa4 is UTF-8\n# \xc3\xa4\xe4\n").expect("accessible directory");
    check(&["--format", format, file.to_str().expect("UTF-8")])
}

#[test]
fn bytes_that_are_no_text_are_located() {
    let shown = check_latin_1("latin-1", "text");
    assert!(shown.contains(": line 2, column 4 is not UTF-8\n"), "{shown}");
    assert!(shown.contains("help: save the file as UTF-8\n"), "{shown}");
}

#[test]
fn json_has_the_hint_for_an_unreadable_file() {
    let shown = check_latin_1("latin-1-json", "json");
    let (json, _) = shown.split_once('\n').expect("a line");
    let found: Value = serde_json::from_str(json).expect("JSON");
    let problem = &found["problems"][0];
    let message = problem["message"].as_str().expect("a message");
    assert!(message.ends_with(": line 2, column 4 is not UTF-8"), "{message}");
    assert_eq!(problem["hint"], "save the file as UTF-8");
}

#[test]
fn errors_name_keys_of_job_files() {
    for (line, message) in [
        (
            "needs = { all = 'b', period = 'day' }",
            "a need of `a` does not use its `period`: only `latest` has one, and with `periods-back` also \
             `last`, `all`, `at-least` and `previous`",
        ),
        (
            "needs = { all = 'b', within = '1h' }",
            "a need of `a` does not use its maximum age, set by `within`: only `last` has one",
        ),
        (
            "needs = { all = 'a' }",
            "dependency cycle: `a` needs `a`; one of these needs must look back, as with `periods-back = 1`",
        ),
        ("retries = { most = 3, wait = '10s', longest = '5s' }", "`wait` is longer than `longest`"),
        (
            "retries = { most = 3, longest = '1ms' }",
            "`wait`, which is `1s` by default, is longer than `longest`",
        ),
    ] {
        let jobs =
            format!("[jobs.a]\nschedule = '12:00:00'\n{line}\n[jobs.b]\nschedule = '11:00:00'\n");
        assert_eq!(problems(&jobs), [(3, message.to_owned())], "{line}");
    }
}
