//! How processes are started and end: process groups, zombies, environments, shells.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::support::{Runner, fails, group, lines, of, processes, start_before_event, wait_until};

/// Returns a job that starts every second, unless it is still running.
fn every_second(command: &str, more: &str) -> String {
    format!("[jobs.job]\nschedule = \"*:*:*\"\ncommand = '''{command}'''\n{more}\n")
}

#[test]
fn commands_that_time_out_are_ended_with_all_their_processes() {
    let text = every_second("sleep 1000 & sleep 1000 | sleep 1000", "timeout = \"200ms\"");
    let runner = Runner::start("group", "jobs.toml", &text, &["--kill-after", "1h"]);
    let started = runner.wait_for_event("job", "started");
    let pid = started["pid"].as_i64().expect("a number");
    let failed = runner.wait_for_event("job", "failed");
    assert_eq!(group(pid).len(), 0, "{:?}", group(pid));
    assert_eq!(failed["pid"], started["pid"]);
    assert_eq!(failed["signal"], 15);
    let message = failed["message"].as_str().expect("a text");
    assert!(message.starts_with("timed out after 200ms (killed by SIGTERM), after "), "{message}");
    let (status, _) = runner.stop();
    assert!(status.success());
}

#[test]
fn a_command_that_ended_in_time_succeeds_though_that_is_noticed_late() {
    let limit = Duration::from_secs(4);
    // It sleeps to let the runner learn of its start before it is suspended.
    let command = "[ -e go ] || { sleep 0.3; kill -STOP $PPID; }";
    let runner = Runner::toml("suspended", &every_second(command, "timeout = \"4s\""));
    runner.wait_until_suspended_with_zombie();
    // Later runs do not suspend the runner again.
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    thread::sleep(limit);
    // It is usually handled before SIGCHLD, and then the deadlines are checked.
    runner.signal(Signal::HUP);
    runner.signal(Signal::CONT);
    // On a very slow machine, runs before that one may have timed out.
    let ended = runner.wait_for("an end", |record| record["exit_status"] == 0);
    assert_eq!(ended["event"], "succeeded", "{ended}");
}

#[test]
fn commands_that_ignore_sigterm_are_killed() {
    let text = every_second("trap '' TERM; echo up; sleep 1000; sleep 1000", "timeout = \"200ms\"");
    let runner = Runner::start("ignore", "jobs.toml", &text, &["--kill-after", "100ms"]);
    // A shell that is slow to start may not ignore SIGTERM yet.
    let failed = runner.wait_for("a kill", |record| record["signal"] == 9);
    let pid = failed["pid"].as_i64().expect("a number");
    // After SIGKILL, the runner only waits for the first process of the group.
    wait_until("the end of the group", || group(pid).is_empty());
}

#[test]
fn a_group_whose_first_process_has_ended_is_killed() {
    // SIGTERM ends the shell, but not its child.
    let command = "(trap '' TERM; echo up; exec sleep 1000) & wait";
    let text = every_second(command, "timeout = \"200ms\"");
    let runner = Runner::start("headless", "jobs.toml", &text, &["--kill-after", "1s"]);
    // On a slow machine, SIGTERM may take longer to end a shell.
    let failed = runner.wait_for("an end by SIGTERM", |record| record["signal"] == 15);
    let pid = failed["pid"].as_i64().expect("a number");
    assert_eq!(group(pid).len(), 0, "{:?}", group(pid));
}

#[test]
fn processes_in_the_background_of_a_command_that_ends_go_on() {
    let text = every_second("sleep 0.3 && echo later & echo now", "");
    let runner = Runner::toml("background", &text);
    runner.wait_for_line("job", "now");
    runner.wait_for_event("job", "succeeded");
    // Their output is still attributed to their job.
    runner.wait_for_line("job", "later");
}

#[test]
fn orphans_are_reaped() {
    let text = every_second("for n in 1 2 3; do sleep 0.1 & echo $!; done", "");
    let runner = Runner::toml("orphans", &text);
    for _ in 0..3 {
        runner.wait_for_event("job", "succeeded");
    }
    let orphans = lines(&runner.records(), "job", "stdout");
    assert!(orphans.len() >= 3);
    for orphan in orphans {
        let pid: i32 = orphan.parse().expect("a number");
        wait_until("the end of an orphan", || processes().iter().all(|process| process.pid != pid));
    }
    let parent = i32::try_from(runner.pid()).expect("a number");
    let is_zombie =
        |process: &super::support::Process| process.parent == parent && process.state == 'Z';
    wait_until("an end of zombies", || !processes().iter().any(is_zombie));
}

#[test]
fn ends_of_commands_are_never_taken_for_those_of_orphans() {
    // The exit status of each run must arrive, although others create orphans all the time.
    let jobs = (0..20).map(|job| {
        format!(
            "[jobs.job{job}]\nschedule = \"*:*:*.*/100\"\ncommand = \"true & false & exit {}\"\n",
            job + 1
        )
    });
    let jobs = jobs.collect::<String>();
    let runner = Runner::start("statuses", "jobs.toml", &jobs, &["--grace", "1h"]);
    for _ in 0..5 {
        runner.wait_for("a tenth run", |record| record["run"] == 10 && record["event"] == "failed");
    }
    let (status, records) = runner.stop();
    assert!(status.success());
    for job in 0..20 {
        let name = format!("job{job}");
        let failed = of(&records, &name, "failed");
        assert_eq!(failed.len(), of(&records, &name, "started").len());
        assert!(failed.iter().all(|record| record["exit_status"] == job + 1), "{failed:?}");
    }
}

#[test]
fn failed_commands_do_not_stop_the_others() {
    let text = r#"
        [jobs.fails]
        schedule = "*:*:*.*/100"
        command = ["false"]
        [jobs.missing]
        schedule = "*:*:*.*/100"
        command = ["/nowhere/to/be/found"]
        [jobs.unknown]
        schedule = "*:*:*.*/100"
        command = "surely-no-such-program --help"
        [jobs.killed]
        schedule = "*:*:*.*/100"
        command = "kill -SEGV $$"
        [jobs.elsewhere]
        schedule = "*:*:*.*/100"
        command = ["true"]
        directory = "/nowhere/to/be/found"
        [jobs.works]
        schedule = "*:*:*.*/100"
        command = ["true"]
    "#;
    let runner = Runner::toml("failures", text);
    let fails = runner.wait_for_event("fails", "failed");
    assert_eq!(fails["exit_status"], 1);
    let missing = runner.wait_for_event("missing", "failed");
    let message =
        "cannot be started: `/nowhere/to/be/found`: No such file or directory (os error 2)";
    assert_eq!(missing["message"], message);
    let elsewhere = runner.wait_for_event("elsewhere", "failed");
    let message = "cannot be started: there is no directory `/nowhere/to/be/found`";
    assert_eq!(elsewhere["message"], message);
    // The same exit status as in a shell.
    let unknown = runner.wait_for_event("unknown", "failed");
    assert_eq!(unknown["exit_status"], 127);
    let killed = runner.wait_for_event("killed", "failed");
    assert_eq!(killed["signal"], 11);
    runner.wait_for("another run", |record| {
        record["job"] == "works" && record["event"] == "succeeded" && record["run"] == 5
    });
    runner.wait_for("another run", |record| {
        record["job"] == "fails" && record["event"] == "failed" && record["run"] == 5
    });
    assert!(runner.stop().0.success());
}

#[test]
fn commands_have_the_environment_of_the_file_and_of_the_runner() {
    let text = r#"
        environment = { SHARED = "of the file", BOTH = "of the file" }
        [jobs.job]
        schedule = "*:*:*"
        command = 'printf "%s\n" "$SHARED" "$BOTH" "$TZ" "$MILLICRON_JOB $MILLICRON_ATTEMPT" "$PWD"; printenv MILLICRON_SCHEDULED'
        environment = { BOTH = "of the job" }
        directory = "/"
    "#;
    let runner = Runner::toml("environment", text);
    let succeeded = runner.wait_for_event("job", "succeeded");
    let found = lines(&runner.records(), "job", "stdout");
    assert_eq!(found[..5], ["of the file", "of the job", "UTC", "job 1", "/"]);
    assert_eq!(found[5], succeeded["scheduled"].as_str().expect("a text"));
}

#[test]
fn crontabs_set_variables_input_and_shell() {
    let text = "\
        GREETING = \"good day\"\n\
        * * * * * * echo $GREETING\n\
        * * * * * * /usr/bin/tr a-z A-Z%one%two\\%%three\n\
        HOME=/\n\
        * * * * * * /bin/pwd\n\
        * * * * * * printenv PWD\n\
        * * * * * * nonexistent\n\
        SHELL=./shell\n\
        * * * * * * anything goes\n";
    let runner = {
        let runner = Runner::start("crontab", "jobs.crontab", "", &[]);
        let shell = runner.directory.join("shell");
        fs::write(&shell, "#!/bin/sh\necho \"$1: $2\"\n").expect("accessible file");
        fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).expect("our file");
        // A relative shell would be relative to the directory, which HOME sets.
        let text = text.replace("./shell", shell.to_str().expect("UTF-8"));
        runner.write(&text);
        runner.signal(Signal::HUP);
        runner
    };
    runner.wait_for_line("echo", "good day");
    for line in ["ONE", "TWO%", "THREE"] {
        runner.wait_for_line("tr", line);
    }
    runner.wait_for_line("pwd", "/");
    runner.wait_for_line("printenv", "/");
    runner.wait_for("a warning", |record| {
        let message = record["message"].as_str().unwrap_or_default();
        record["event"] == "file" && message.contains("jobs.crontab:2:1: six fields: ")
    });
    runner.wait_for_line("anything", "-c: anything goes");
    assert_eq!(runner.wait_for_event("nonexistent", "failed")["exit_status"], 127);
}

#[test]
fn scripts_without_an_interpreter_run_in_the_shell() {
    let runner = Runner::toml("script", "");
    let script = runner.directory.join("script");
    fs::write(&script, "echo from $1\n").expect("accessible file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("our file");
    runner.write(&every_second("./script here", ""));
    runner.signal(Signal::HUP);
    runner.wait_for_line("job", "from here");
}

#[test]
fn a_missing_interpreter_is_named() {
    let runner = Runner::toml("interpreter", "");
    let directory = runner.directory.join("scripts");
    fs::create_dir(&directory).expect("a new directory");
    let cases = [
        ("missing", "#! /no/such/sh -e\n", "its interpreter `/no/such/sh` is missing"),
        (
            "windows",
            "#!/bin/sh\r\necho\r\n",
            "its interpreter `/bin/sh\\r` is missing; the script has the line ends of Windows",
        ),
        // The interpreter is there, but its own is missing.
        ("nested", "#!./missing\n", "No such file or directory (os error 2)"),
    ];
    let jobs = cases.map(|(name, script, _)| {
        let path = directory.join(name);
        fs::write(&path, script).expect("accessible file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our file");
        let job = format!("[jobs.{name}]\nschedule = \"*:*:*\"\ncommand = [\"./{name}\"]\n");
        job + "directory = \"scripts\"\n"
    });
    runner.write(&jobs.concat());
    runner.signal(Signal::HUP);
    for (name, _, expected) in cases {
        // A process that another test is starting may still have the script open for writing.
        let failed = runner.wait_for("another failure", |record| {
            let message = record["message"].as_str().unwrap_or_default();
            let is_busy = message.contains("(os error 26)");
            record["job"] == name && record["event"] == "failed" && !is_busy
        });
        let message = failed["message"].as_str().expect("a text");
        assert!(message.ends_with(&format!("`./{name}`: {expected}")), "{message}");
    }
}

#[test]
fn jobs_that_cannot_be_run_are_refused() {
    let runner = Runner::toml("commandless", "");
    let file = runner.directory.join("other.toml");
    fs::write(&file, "[jobs.lazy]\nschedule = \"*:*:*\"\n").expect("accessible file");
    for arguments in [&[][..], &["--check"]] {
        let (status, stdout, stderr) = fails(&file, arguments);
        assert_eq!((status, stdout.as_str()), (Some(2), ""));
        assert!(
            stderr.contains("other.toml:2:13: the job `lazy` has no command\nhint: "),
            "{stderr}"
        );
    }
    let timer = runner.directory.join("x.timer");
    fs::write(&timer, "[Timer]\nOnCalendar=*:0/10\n").expect("accessible file");
    let (status, _, stderr) = fails(&timer, &[]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("x.timer:2:12: a systemd timer has no commands to run"), "{stderr}");
    fs::write(&file, every_second("true", "")).expect("accessible file");
    let (status, stdout, stderr) = fails(&file, &["--check", "--grace", "2 days"]);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert!(stdout.ends_with("other.toml: 1 job, no errors\n"), "{stdout}");
}

#[test]
fn another_time_than_that_of_the_clock_is_refused() {
    let runner = Runner::toml("now", "");
    let (status, stdout, stderr) =
        fails(&runner.directory.join("jobs.toml"), &["--now", "2026-01-01"]);
    assert_eq!((status, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("hint: leave out `--now`; "), "{stderr}");
}

#[test]
fn warnings_of_a_file_are_written_unless_they_are_allowed() {
    let text = "# millicron: allow six-fields\n* * * * * * true\n* * * * * * root true\n\
                TZ=Asia/Tokyo\n@daily true\n";
    let runner = Runner::start("warnings", "jobs.crontab", text, &[]);
    let records = runner.records();
    let warnings = records.iter().filter(|record| record["event"] == "file");
    let warnings: Vec<_> = warnings.filter_map(|record| record["message"].as_str()).collect();
    let is_at = |warning: &str, found: &str| warning.contains(&format!("jobs.crontab:{found}"));
    assert_eq!(warnings.len(), 3, "{warnings:#?}");
    assert!(is_at(warnings[0], "3:1: six fields: "), "{warnings:#?}");
    assert!(is_at(
        warnings[1],
        "3:13: `root` would be run as a command, but looks like a user (`--users` "
    ));
    assert!(is_at(warnings[2], "4:1: `TZ=Asia/Tokyo` is for the command, "), "{warnings:#?}");
}

#[test]
fn crontabs_with_users_run_as_the_current_one_only() {
    let runner = Runner::toml("users", "");
    let file = runner.directory.join("other.crontab");
    // There is no such user.
    fs::write(&file, "* * * * * * no-such-user true\n").expect("accessible file");
    let (status, _, stderr) = fails(&file, &["--users"]);
    assert_eq!(status, Some(2));
    let found = "other.crontab:1:1: the job `true` is for the user `no-such-user`\nhint: ";
    assert!(stderr.contains(found), "{stderr}");
    let output = Command::new("id").arg("-un").output().expect("it starts");
    let name = String::from_utf8(output.stdout).expect("UTF-8");
    fs::write(&file, format!("* * * * * * {} true\n", name.trim())).expect("accessible file");
    assert_eq!(fails(&file, &["--users", "--check"]).0, Some(0));
}

/// Returns 100 jobs with the same schedule, which run until a file exists.
fn burst(schedule: &str) -> String {
    let job = |number: usize| {
        format!(
            "[jobs.job{number}]\nschedule = '{schedule}'\ncommand = 'while [ ! -e go ]; do sleep 0.3; done'\n"
        )
    };
    (0..100).map(job).collect()
}

/// Executes the burst with a limit, and returns how many runs had to wait for a descriptor.
fn waiting_with(name: &str, limit: &str) -> usize {
    let runner = start_before_event(|schedule| Runner::after(name, limit, &burst(schedule), &[]));
    let count_in = |records: &[Value], event: &str| {
        records.iter().filter(|record| record["event"] == event).count()
    };
    let count = |event: &str| count_in(&runner.records(), event);
    wait_until("all runs that can start", || count("waiting") > 0 || count("started") == 100);
    fs::write(runner.directory.join("go"), "").expect("accessible directory");
    wait_until("all runs", || count("succeeded") == 100);
    let (status, records) = runner.stop();
    assert!(status.success());
    let count = |event: &str| count_in(&records, event);
    assert_eq!((count("started"), count("failed")), (100, 0));
    count("waiting")
}

#[test]
fn runs_wait_for_a_descriptor() {
    assert!(waiting_with("descriptors", "ulimit -n 64") > 0);
}

#[test]
fn the_soft_limit_of_open_files_is_raised() {
    assert_eq!(waiting_with("more-descriptors", "ulimit -Sn 64 && ulimit -Hn 1024"), 0);
}

#[test]
fn commands_have_a_limit_of_open_files_that_select_supports() {
    let limits = "[jobs.limit]\nschedule = '*:*:*'\ncommand = 'ulimit -Sn'\n";
    for (name, limit, expected) in [
        ("low-limit", "ulimit -Sn 256", "1024"),
        ("lowest-limit", "ulimit -Sn 256 && ulimit -Hn 512", "512"),
        ("high-limit", "ulimit -Sn 2048", "2048"),
    ] {
        let runner = Runner::after(name, limit, limits, &[]);
        let output = runner.wait_for_event("limit", "output");
        assert_eq!(output["message"], expected, "{limit}");
    }
}
