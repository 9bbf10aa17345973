//! `millicron check` compared with what cron reads.

use std::collections::BTreeMap;

use serde_json::Value;

use super::checking::{check, rules};
use super::command::millicron;
use super::files::TextFile;

/// What cronie makes of expressions, each with a tab and its events, or with `refused`.
const RECORDED: &str = include_str!("../../../../tests/compare/dialects/crontab.txt");

#[test]
fn crontabs_are_read_as_by_cronie() {
    for (text, expected) in [
        ("", &["no-jobs"][..]),
        ("# x\n   # y\n\n\t\n", &["no-jobs"]),
        ("A=b\nA = b\n'A B'=c\n\"A\" = 'b '\nA=\n", &["no-jobs"]),
        ("0 0 * * * a\n\t0\t0\t*\t*\t*\ta\n-0 0 * * * a\n", &[]),
        ("@hourly a\n@midnight\ta\n@annually a\n", &[]),
        ("@hourly\n", &["command"]),
        ("@fortnightly a\n", &["schedule"]),
        ("0 0 * * *   \n", &["command"]),
        ("RANDOM_DELAY=1441\n", &["environment"]),
        ("RANDOM_DELAY=20\n0 0 * * * a\n", &[]),
        ("0 0 * * * a\\%b\n", &[]),
        ("0 0 * * * a %b\n", &["percent"]),
        // Unlike cronie, which would run the first file of the directory.
        ("0 0 * * * *\n", &["command"]),
        ("0 0 0 * * * a\n", &["six-fields"]),
        ("0 0 * * MON MON x\n", &["schedule"]),
    ] {
        assert_eq!(rules("crontab", text), expected, "{text:?}");
    }
}

#[test]
fn what_cronie_refuses_is_a_warning() {
    let recorded = RECORDED.lines().filter_map(|line| line.split_once('\t'));
    // In a file, a sixth field is the command.
    let recorded: Vec<_> =
        recorded.filter(|(text, _)| text.split_whitespace().count() == 5).collect();
    let lines: Vec<_> = recorded.iter().map(|(text, _)| format!("{text} x\n")).collect();
    let file = TextFile::new("crontab", &lines.concat());
    // Looking for herds takes seconds.
    let output = millicron(&["check", "--json", "--allow", "herd", file.path()]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut rules: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for problem in found["problems"].as_array().expect("an array") {
        let line = problem["line"].as_u64().and_then(|line| usize::try_from(line).ok());
        let rule = problem["rule"].as_str().expect("a rule");
        rules.entry(line.expect("a number") - 1).or_default().push(rule);
    }
    let mut refused = 0;
    for (line, (text, answer)) in recorded.into_iter().enumerate() {
        let rules = rules.remove(&line).unwrap_or_default();
        if !rules.contains(&"schedule") {
            refused += usize::from(answer == "refused");
            assert_eq!(rules.contains(&"not-cron"), answer == "refused", "{text}: {rules:?}");
        }
    }
    assert!(refused >= 10, "{refused}");
}

#[test]
fn files_that_cron_reads_in_another_way_are_suspicious() {
    for (text, expected) in [
        ("0 9 * * * x\n", &[][..]),
        ("0 9 * * * x", &["not-cron"]),
        ("\u{feff}0 9 * * * x\n", &["not-cron"]),
        ("# x\r\n\r\n0 9 * * * x\r\n", &["not-cron"]),
        ("# millicron: allow not-cron\n0 9 * * * x", &[]),
        ("0 9 L * * x\n0 9 15W * * x\n", &["not-cron", "not-cron"]),
        ("TZ=Asia/Tokyo\n0 9 * * * x\n0 8 * * * x\n", &["tz-variable"]),
        ("TZ=Asia/Tokyo\nCRON_TZ=Asia/Tokyo\n0 9 * * * x\n", &[]),
        ("0 9 * * * x\nTZ=Asia/Tokyo\n", &[]),
    ] {
        assert_eq!(rules("crontab", text), expected, "{text:?}");
    }
    let text =
        "[jobs.a]\nschedule = '5/15 9 L * *'\ncommand = 'x'\nenvironment = { TZ = 'Asia/Tokyo' }";
    assert_eq!(rules("jobs.toml", text), [""; 0]);
}

#[test]
fn variables_as_in_a_shell_are_explained() {
    for (line, message) in [
        ("A=\"x\" # why", "nothing may follow the quoted value of a variable"),
        ("A = 'x' y", "nothing may follow the quoted value of a variable"),
        ("A='x", "the quoted value of a variable has no end"),
        ("export A=5", "a crontab sets variables without `export`"),
        ("A b", "`A` is not a valid minute"),
        ("exports A=5", "`exports` is not a valid minute"),
        ("0 9 * * A=\"b\" c", "not a valid weekday"),
    ] {
        let file = TextFile::new("crontab", &format!("{line}\n"));
        let shown = check(&[file.path()]);
        assert!(shown.contains(message), "{line}: {shown}");
        assert_eq!(shown.matches("error[").count(), 1, "{line}: {shown}");
    }
}

#[test]
fn steps_are_offered_as_cron_reads_them() {
    for (line, hint) in [
        ("5/15 * * * *", "write `5-59/15`"),
        ("0 0 2/3 * *", "write `2-31/3`"),
        ("0 0 1 3/4 *", "write `3-12/4`"),
    ] {
        let file = TextFile::new("crontab", &format!("{line} x\n"));
        let shown = check(&[file.path()]);
        assert!(shown.contains(hint), "{line}: {shown}");
        // The offer has the same events.
        let offered = line.replace(
            line.split(' ').find(|field| field.contains('/')).expect("a step"),
            hint.trim_start_matches("write `").trim_end_matches('`'),
        );
        let events = |schedule: &str| millicron(&["next", schedule, "-n", "50"]).stdout;
        assert_eq!(events(line), events(&offered));
        assert!(!rules("crontab", &format!("{offered} x\n")).contains(&"not-cron".to_owned()));
    }
}
