//! The output: whole lines, each with its job, and none lost.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::{fs, iter};

use millicron_test_support::directory::Directory;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::support::{Runner, command, group, lines, of, wait_until};

#[test]
fn streams_are_told_apart() {
    let text =
        "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"echo out; echo err >&2; printf last\"\n";
    // However slow the machine is, no run is ended.
    let runner = Runner::start("streams", "jobs.toml", text, &["--grace", "1h"]);
    runner.wait_for_event("job", "succeeded");
    let (_, records) = runner.stop();
    let runs = of(&records, "job", "started").len();
    assert_eq!(lines(&records, "job", "stdout"), ["out", "last"].repeat(runs));
    assert_eq!(lines(&records, "job", "stderr"), ["err"].repeat(runs));
}

#[test]
fn lines_of_commands_that_write_at_once_are_not_mixed() {
    // Each line is written in two parts, with the other commands in between.
    let script =
        "for n in 1 2 3 4 5 6 7 8 9 10; do printf 'one %s ' $n; sleep 0.01; echo two $n; done";
    let jobs = (0..10).map(|job| {
        format!("[jobs.job{job}]\nschedule = \"*:*:*\"\ncommand = '''{script}; {script} >&2'''\n")
    });
    let jobs = jobs.collect::<String>();
    let runner = Runner::start("mixed", "jobs.toml", &jobs, &["--grace", "1h"]);
    for job in 0..10 {
        runner.wait_for_event(&format!("job{job}"), "succeeded");
    }
    let (_, records) = runner.stop();
    let expected: Vec<String> = (1..=10).map(|n| format!("one {n} two {n}")).collect();
    for job in 0..10 {
        let name = format!("job{job}");
        let runs = of(&records, &name, "succeeded").len();
        for stream in ["stdout", "stderr"] {
            assert_eq!(lines(&records, &name, stream), vec![expected.clone(); runs].concat());
        }
    }
}

#[test]
fn output_is_complete_and_comes_before_the_end_of_the_run() {
    let text = "[jobs.job]\nschedule = \"*:*:*\"\ncommand = \"seq 20000; seq 5 >&2\"\n";
    let runner = Runner::toml("complete", text);
    runner.wait_for_event("job", "succeeded");
    let (_, records) = runner.stop();
    // The run in progress, and the number of its lines.
    let mut current: Option<(u64, usize)> = None;
    let mut runs = 0;
    for record in records.iter().filter(|record| record["job"] == "job") {
        let run = || record["run"].as_u64().expect("a number");
        match record["event"].as_str() {
            Some("started") => assert_eq!(current.replace((run(), 0)), None),
            Some("output") => {
                let (of, lines) = current.as_mut().expect("a run in progress");
                assert_eq!(*of, run());
                *lines += 1;
            }
            Some("succeeded") => {
                assert_eq!(current.take(), Some((run(), 20_005)));
                runs += 1;
            }
            // On a busy machine, the last run may take longer than a stop allows.
            Some("failed") => assert_eq!(current.take().map(|(of, _)| of), Some(run())),
            _ => {}
        }
    }
    assert!(runs > 0);
}

#[test]
fn long_lines_are_cut_and_bytes_that_are_no_text_are_replaced() {
    let text = r#"
        [jobs.job]
        schedule = "*:*:*"
        command = 'head -c 100000 /dev/zero | tr "\0" x; echo; printf "a\377b\n"'
    "#;
    let runner = Runner::toml("long", text);
    runner.wait_for_event("job", "succeeded");
    let records = runner.records();
    let run: Vec<_> = records.iter().filter(|record| record["run"] == 1).cloned().collect();
    let found = lines(&run, "job", "stdout");
    let (last, parts) = found.split_last().expect("lines");
    assert_eq!(last, "a\u{fffd}b");
    assert_eq!(parts.len(), 7);
    assert_eq!(parts.concat(), "x".repeat(100_000));
    let is_partial = |record: &&Value| record["partial"] == true;
    assert_eq!(of(&run, "job", "output").into_iter().filter(is_partial).count(), 6);
}

/// Returns the first lines: the one that the jobs are ready, if there is one, and `count` others.
///
/// On a busy machine, runs may start before that line is written. Warnings are left out, since such a machine may miss
/// events, or their runs may last until the next one.
fn first_lines(lines: impl Iterator<Item = String>, count: usize, has_ready: bool) -> Vec<String> {
    let (mut ready, mut others) = (None, Vec::new());
    for line in lines.filter(|line| !line.contains(": warning: ")) {
        if has_ready && line.contains(": ready: ") {
            ready = Some(line);
        } else if others.len() < count {
            others.push(line);
        }
        if others.len() == count && ready.is_some() == has_ready {
            return ready.into_iter().chain(others).collect();
        }
    }
    panic!("it ends after {ready:?} and {others:?}");
}

/// Runs a job until it has written the [first lines](first_lines), and returns them and the standard error.
fn written(
    name: &str,
    command_line: &str,
    arguments: &[&str],
    count: usize,
) -> (Vec<String>, String) {
    let directory = Directory::new(&format!("run-{name}"));
    let file = directory.join("jobs.toml");
    let text = format!("[jobs.job]\nschedule = \"*:*:*\"\ncommand = '''{command_line}'''\n");
    fs::write(&file, text).expect("accessible file");
    let mut process = command(&file, arguments);
    process.args(["--grace", "1h"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    let next_line = || {
        let mut line = String::new();
        let length = reader.read_line(&mut line).expect("UTF-8");
        (length > 0).then(|| line.trim_end_matches('\n').to_owned())
    };
    let lines = first_lines(iter::from_fn(next_line), count, !arguments.contains(&"--quiet"));
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    // Drain the rest, so that the process is not blocked.
    std::io::copy(&mut reader, &mut std::io::sink()).expect("a pipe");
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{:?}", output.status);
    (lines, String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn text_has_the_time_the_job_and_the_line() {
    let (lines, stderr) = written("text", "echo out; sleep 0.01; echo err >&2", &[], 4);
    assert_eq!(stderr, "");
    let rests: Vec<&str> = lines
        .iter()
        .map(|line| {
            let (time, rest) = line.split_once(' ').expect("a time");
            assert!(time.parse::<jiff::Timestamp>().is_ok(), "{time}");
            assert!(time.len() == 29 && time.ends_with("+00:00"), "{time}");
            rest
        })
        .collect();
    assert!(rests[0].starts_with("millicron: ready: 1 job of "), "{}", rests[0]);
    assert_eq!(rests[1..4], ["job: started", "job | out", "job ! err"]);
    let duration = rests[4].strip_prefix("job: succeeded in ").expect(rests[4]);
    assert!(is_duration(duration), "{duration}");
}

#[test]
fn text_is_colored_if_wanted() {
    let (lines, _) = written("color", "echo out; exit 1", &["--color", "always"], 3);
    assert!(lines[2].ends_with("\u{1b}[0m \u{1b}[1mjob\u{1b}[0m | out\u{1b}[0m"), "{:?}", lines[2]);
    assert!(
        lines[3].contains("\u{1b}[31m: error: \u{1b}[0mexit status 1, after"),
        "{:?}",
        lines[3]
    );
}

#[test]
fn quiet_leaves_the_output_and_what_is_wrong() {
    let command_line = "echo out; sleep 0.01; exit 3";
    let (lines, _) = written("quiet", command_line, &["--quiet"], 2);
    assert!(lines[0].ends_with(" job | out"), "{}", lines[0]);
    let (_, duration) = lines[1].split_once(" job: error: exit status 3, after ").expect(&lines[1]);
    assert!(is_duration(duration), "{duration}");
}

#[test]
fn raw_output_is_passed_through() {
    let command_line = "echo '{\"a\": 1}'; echo err >&2";
    let (lines, stderr) = written("raw", command_line, &["--raw", "--quiet"], 1);
    assert_eq!(lines, ["{\"a\": 1}"]);
    // A busy machine may miss events.
    let first = stderr.lines().find(|line| !line.contains(": warning: "));
    assert_eq!(first, Some("err"), "{stderr}");
}

#[test]
fn raw_lines_are_neither_cut_nor_changed() {
    let command_line = "head -c 100000 /dev/zero | tr '\\0' x; printf '\\r\\n'";
    let (lines, _) = written("raw-long", command_line, &["--raw", "--quiet"], 1);
    assert_eq!(lines, ["x".repeat(100_000) + "\r"]);
}

#[test]
fn others_run_beside_a_job_that_floods() {
    let text = "
        [jobs.floods]
        schedule = \"*:*:*\"
        command = [\"yes\"]
        [jobs.hi]
        schedule = \"*:*:*.*/100\"
        command = [\"echo\", \"hi\"]
    ";
    let runner =
        Runner::start("flood", "jobs.toml", text, &["--grace", "0s", "--kill-after", "1h"]);
    runner.wait_for("a tenth run", |record| record["job"] == "hi" && record["run"] == 10);
    assert!(runner.stop().0.success());
}

#[test]
fn a_closed_output_stops_it_with_an_error() {
    let directory = Directory::new("run-closed");
    let file = directory.join("jobs.toml");
    let text = "[jobs.job]\nschedule = \"*:*:*.*/50\"\ncommand = \"echo out\"\n";
    fs::write(&file, text).expect("accessible file");
    let mut process = command(&file, &[]);
    let mut process =
        process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("UTF-8");
    drop(reader);
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains(" millicron: error: the output was closed: "), "{errors}");
}

#[test]
fn time_limits_hold_while_nobody_reads_the_output() {
    let directory = Directory::new("run-unread");
    let file = directory.join("jobs.toml");
    let text = "
        [jobs.floods]
        schedule = \"*:*:*\"
        command = \"yes\"
        [jobs.limited]
        schedule = \"*:*:*\"
        timeout = \"500ms\"
        command = \"echo $$ >> groups; sleep 1000\"
    ";
    fs::write(&file, text).expect("accessible file");
    let mut process = command(&file, &["--grace", "0s", "--kill-after", "1h"]);
    process.current_dir(directory.path()).stdout(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let groups = directory.join("groups");
    wait_until("a start", || fs::read_to_string(&groups).is_ok_and(|text| text.ends_with('\n')));
    let text = fs::read_to_string(&groups).expect("it was read");
    let first = text.lines().next().and_then(|line| line.parse().ok()).expect("a number");
    wait_until("the end of the group", || group(first).is_empty());
    let mut stdout = process.stdout.take().expect("a pipe");
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    std::io::copy(&mut stdout, &mut std::io::sink()).expect("a pipe");
    assert!(process.wait().expect("it ends").success());
}

#[test]
fn output_of_runs_that_end_while_nobody_reads_is_complete() {
    let directory = Directory::new("run-late");
    let file = directory.join("jobs.toml");
    let text = "
        [jobs.floods]
        schedule = \"*:*:*\"
        command = \"yes\"
        [jobs.counts]
        schedule = \"*:*:*.*/50\"
        command = \"seq 3; echo err >&2; printf end; echo >> runs\"
    ";
    fs::write(&file, text).expect("accessible file");
    let mut process = command(&file, &["--grace", "0s", "--kill-after", "1h", "--json"]);
    process.current_dir(directory.path()).stdout(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let runs = || fs::read_to_string(directory.join("runs")).unwrap_or_default().len();
    wait_until("runs", || runs() > 100);
    let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut written: HashMap<u64, Vec<String>> = HashMap::new();
    let mut ended = 0;
    while ended < 100 {
        let mut line = String::new();
        reader.read_line(&mut line).expect("UTF-8");
        let record: Value = serde_json::from_str(&line).expect("JSON");
        let Some(run) = record["run"].as_u64().filter(|_| record["job"] == "counts") else {
            continue;
        };
        let lines = written.entry(run).or_default();
        match record["event"].as_str() {
            Some("output") => lines.push(record["message"].as_str().expect("a text").to_owned()),
            Some("succeeded") => {
                lines.sort();
                assert_eq!(*lines, ["1", "2", "3", "end", "err"]);
                ended += 1;
            }
            _ => {}
        }
    }
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    std::io::copy(&mut reader, &mut std::io::sink()).expect("a pipe");
    assert!(process.wait().expect("it ends").success());
}

/// Whether a text is a duration in seconds, such as `0.012s`.
fn is_duration(text: &str) -> bool {
    text.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

/// Returns a line of text without its time and the duration of a run.
fn without_times(line: &str) -> String {
    let (_, rest) = line.split_once(' ').expect("a time");
    let before = rest.rsplit_once(" in ").filter(|(_, last)| is_duration(last));
    before.map_or(rest, |(before, _)| before).to_owned()
}

#[test]
fn readme_shows_what_is_written() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("$ cat crontab\n").expect("a crontab");
    let (crontab, rest) = rest.split_once("\n$ millicron run crontab ").expect("a command");
    let (arguments, rest) = rest.split_once('\n').expect("output");
    let expected: Vec<_> =
        rest.lines().take_while(|line| *line != "```").map(without_times).collect();
    let directory = Directory::new("run-readme");
    // Do not wait for ten seconds.
    let crontab = crontab.replace("*/10 ", "* ");
    fs::write(directory.join("crontab"), crontab).expect("accessible file");
    fs::write(directory.join("queue"), "task\n".repeat(17)).expect("accessible file");
    let arguments: Vec<_> = arguments.split(' ').chain(["--grace", "1h"]).collect();
    let mut process = command(Path::new("crontab"), &arguments);
    process.current_dir(directory.path()).stdout(Stdio::piped());
    let mut process = process.spawn().expect("it starts");
    let reader = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut lines = reader.lines().map(|line| without_times(&line.expect("UTF-8")));
    assert_eq!(first_lines(lines.by_ref(), expected.len() - 1, true), expected);
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    assert!(process.wait().expect("it ends").success());
}
