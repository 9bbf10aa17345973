//! The program as a whole: help, completions, man pages, pipes and colors.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};

use millicron_test_support::directory::Directory;

use super::command::{millicron, shown};
use super::files::file;

/// Runs `millicron`, reads a few bytes of its output, and closes the pipe. Returns the exit status and the contents of
/// standard error.
fn with_closed_pipe(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(arguments)
        .env("TZ", "UTC")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 10]).expect("ten bytes");
    drop(out);
    let output = child.wait_with_output().expect("the command ends");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn a_closed_pipe_is_no_error() {
    let commands: [&[&str]; 5] = [
        &["next", "*:*:*.*", "-n", "1000000"],
        &["next", "*:*:*.*", "-n", "1000000", "--json"],
        &["next", "*:*:*.*", "-n", "1000000", "--format", "%F"],
        &["between", "*:*:*", "2026-01-01", "2027-01-01"],
        &["watch", "*:*:*.*/20"],
    ];
    for arguments in commands {
        assert_eq!(with_closed_pipe(arguments), (Some(0), String::new()), "{arguments:?}");
    }
}

/// Here the pipe is closed before anything is written.
#[test]
fn a_closed_pipe_does_not_change_the_exit_status() {
    let directory = Directory::new("closed-pipe");
    let wrong = directory.join("crontab");
    // More problems than fit in the output buffer.
    fs::write(&wrong, "61 * * * * true\n".repeat(1000)).expect("a file");
    let wrong = wrong.to_str().expect("UTF-8");
    assert_eq!(into_closed_pipe(&["check", wrong]), (Some(1), String::new()));
    assert_eq!(into_closed_pipe(&["check", wrong, "--json"]), (Some(1), String::new()));
    let matches = ["matches", "0 9 * * *", "9:01"];
    assert_eq!(into_closed_pipe(&matches), (Some(1), String::new()));
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["next", "--help"],
        &["next", "9:00:00"],
        &["explain", "9:00:00"],
        &["completions", "bash"],
        &["man"],
    ] {
        assert_eq!(into_closed_pipe(arguments), (Some(0), String::new()), "{arguments:?}");
    }
}

/// Runs `millicron` with a closed output pipe. Returns the exit status and the contents of standard error.
fn into_closed_pipe(arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(arguments)
        .env("TZ", "UTC")
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(Child::wait_with_output)
        .expect("the command runs");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn help_lists_commands_and_examples() {
    let help = shown(&["--help"]);
    let parts = [
        "Usage: millicron",
        "\nCommands:\n",
        "\nExamples:\n",
        "\nTimes:\n",
        "\nExit status:\n",
        "`check`: a file has errors;\n",
    ];
    for part in parts {
        assert!(help.contains(part), "{help}");
    }
    insta::assert_snapshot!("help_of_next", shown(&["next", "--help"]));
    insta::assert_snapshot!("help_of_convert", shown(&["convert", "-h"]));
    let without =
        Command::new(env!("CARGO_BIN_EXE_millicron")).output().expect("the command starts");
    assert_eq!(without.status.code(), Some(2));
    assert!(String::from_utf8(without.stderr).expect("UTF-8").contains("Usage: millicron"));
}

/// The names of the commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = shown(&["--help"]);
    let (_, rest) = help.split_once("Commands:\n").expect("a list");
    let lines = rest.lines().take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_whitespace().next()).map(String::from).collect()
}

#[test]
fn help_of_each_command_has_examples_of_it() {
    for command in commands().iter().filter(|command| *command != "help") {
        let help = shown(&[command, "--help"]);
        let (_, examples) = help.split_once("\nExamples:\n").expect(command);
        let prefix = format!("  millicron {command}");
        assert!(examples.lines().all(|line| line.starts_with(&prefix)), "{help}");
    }
}

/// Runs the help's examples that neither read nor write files, and that end.
#[test]
fn examples_run() {
    let mut ran = 0;
    for command in [
        "explain", "next", "prev", "between", "count", "matches", "convert", "calendar", "day",
        "zone",
    ] {
        let help = shown(&[command, "--help"]);
        let (_, examples) = help.split_once("\nExamples:\n").expect(command);
        for line in examples.lines() {
            let arguments = words(line.trim().strip_prefix("millicron ").expect(line));
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            if arguments.iter().any(|it| ["--output", ">"].contains(it)) {
                continue;
            }
            let status = millicron(&arguments).status.code();
            let may_be_one = command == "matches";
            assert!(
                status == Some(0) || may_be_one && status == Some(1),
                "{line}: {}",
                shown(&arguments)
            );
            ran += 1;
        }
    }
    assert!(ran >= 20, "{ran}");
}

/// Splits a line as a shell does, with single quotes.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn completions_know_commands_and_dialects() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = shown(&["completions", shell]);
        for word in ["explain", "simulate", "dialect", "cron_crate"] {
            // In PowerShell and elvish, values are not completed.
            let is_value = word == "cron_crate" && ["powershell", "elvish"].contains(&shell);
            assert!(is_value || text.contains(word), "{shell}: {word}");
        }
    }
}

/// Completes a command line with the real shell.
#[test]
fn bash_completes_commands_and_values() {
    let directory = Directory::new("bash-completions");
    let script = directory.join("millicron");
    fs::write(&script, shown(&["completions", "bash"])).expect("a file");
    let complete = |words: &str| {
        let line = format!(
            "source \"$0\"; COMP_WORDS=({words}); COMP_CWORD=$(({} - 1)); \
             _millicron millicron \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[*]}}\"",
            words.split(' ').count(),
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["--norc", "-c", &line]).arg(&script).output().expect("bash runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(complete("millicron expl"), "explain\n");
    assert_eq!(complete("millicron next --dialect q"), "quartz\n");
    assert_eq!(complete("millicron convert --to sys"), "systemd\n");
}

#[test]
fn man_pages_are_written_for_all_commands() {
    let directory = Directory::new("man-pages");
    let path = directory.path().to_str().expect("UTF-8");
    assert_eq!(shown(&["man", "--directory", path]), "");
    for command in commands().iter().filter(|command| *command != "help") {
        let path = directory.join(format!("millicron-{command}.1"));
        let page = fs::read_to_string(&path).expect(command);
        let title = format!(".TH millicron-{command} 1 \"\" \"millicron 0.");
        assert!(page.starts_with(&title), "{page}");
        assert!(
            page.contains(&format!(".SH SYNOPSIS\n.nf\nmillicron {command} [OPTIONS]")),
            "{page}"
        );
        assert!(page.contains(&format!(".SH EXAMPLES\n.nf\nmillicron {command}")), "{page}");
        let now = "\\-\\-now\\fR \\fI<TIME>\\fR\nUse this as the current time";
        assert!(page.contains(now), "{page}");
        assert_eq!(page, shown(&["man", command]));
        assert!(!page.contains(".br\n\n") && !page.contains("\n\n.br"), "{page}");
    }
    let page = fs::read_to_string(directory.join("millicron-schedules-put.1")).expect("a page");
    assert_eq!(page, shown(&["man", "schedules", "put"]));
    assert!(page.contains(".SH SYNOPSIS\n.nf\nmillicron schedules put [OPTIONS] <NAME>"), "{page}");
    let page = fs::read_to_string(directory.join("millicron.1")).expect("a page");
    for section in [".SH TIMES\n.nf\nnow, tomorrow 9:00,", ".SH \"EXIT STATUS\"\n.nf\n0  success\n"]
    {
        assert!(page.contains(section), "{page}");
    }
}

#[test]
fn colors_are_written_where_asked_for() {
    let plain = shown(&["explain", "9:00:00"]);
    assert!(!plain.contains('\x1b'));
    let colored = shown(&["explain", "9:00:00", "--color", "always"]);
    assert!(colored.starts_with("\x1b[1m"), "{colored}");
    let stripped = shown(&["next", "9", "--color", "always"]);
    assert!(stripped.contains("\x1b["), "{stripped}");
    let never = Command::new(env!("CARGO_BIN_EXE_millicron"))
        .args(["explain", "9:00:00", "--now", "2026-11-22T12:00:00Z"])
        .envs([("TZ", "UTC"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])
        .output()
        .expect("the command starts");
    assert_eq!(String::from_utf8(never.stdout).expect("UTF-8"), plain);
}

/// Everything but the lateness is the same each time.
#[test]
fn watch_writes_each_event_when_it_comes() {
    let text = shown(&["watch", "*:*:*.*/50", "-n", "3"]);
    let lines: Vec<_> =
        text.lines().map(|line| line.split_once("  ").expect("two columns")).collect();
    let times: Vec<_> = lines.iter().map(|(time, _)| *time).collect();
    assert_eq!(
        times,
        [
            "Sun 2026-11-22 12:00:00.000 +00:00",
            "Sun 2026-11-22 12:00:00.050 +00:00",
            "Sun 2026-11-22 12:00:00.100 +00:00",
        ]
    );
    for (_, late) in lines {
        let late: f64 = late.strip_suffix(" ms late").expect("a length").parse().expect("a number");
        assert!(late >= 0.0, "{text}");
    }
}

#[test]
fn watch_writes_json_lines() {
    let text = shown(&["watch", "*:*:*.*/50", "-n", "2", "--json"]);
    let lines =
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    for (line, time) in
        lines.zip(["2026-11-22T12:00:00.000+00:00", "2026-11-22T12:00:00.050+00:00"])
    {
        assert_eq!(line["time"], time);
        assert!(line["late_ms"].as_f64().expect("a number") >= 0.0);
    }
}

#[test]
fn options_that_exclude_json_do_so_wherever_it_is() {
    let simulated = file("simulated.toml");
    let holidays = file("holidays.ics");
    let text_format = ["--format", "text"];
    let mut commands = vec![
        vec!["next", "0 9 * * *", "--format", "%s"],
        vec!["prev", "0 9 * * *", "--format", "%s"],
        vec!["between", "0 9 * * *", "today", "tomorrow", "--format", "%s"],
        vec!["days", "--import", &holidays],
        vec!["graph", &simulated, "--format", "mermaid"],
        [&["simulate", &simulated, "--days", "1"], &text_format[..]].concat(),
        [&["timeline", &simulated], &text_format[..]].concat(),
        [&["zone", "Europe/Berlin", "0 9 * * *"], &text_format[..]].concat(),
        [&["check", &simulated], &text_format[..]].concat(),
    ];
    for command in ["calendar", "day"] {
        commands.push([&[command, "0 9 * * *"], &text_format[..]].concat());
    }
    if cfg!(unix) {
        commands.push(vec!["run", "--check", "--raw", &simulated]);
    }
    for command in commands {
        for arguments in
            [[&["--json"], &command[..]].concat(), [&command[..], &["--json"]].concat()]
        {
            let output = millicron(&arguments);
            let errors = String::from_utf8_lossy(&output.stderr);
            let found = (output.status.code(), output.stdout.is_empty());
            assert_eq!(found, (Some(2), true), "{arguments:?}: {errors}");
            let is_explained = ["exclude each other", "cannot be used with"];
            assert!(is_explained.iter().any(|it| errors.contains(it)), "{errors}");
        }
    }
    assert!(millicron(&["--json", "check", &simulated, "--format", "json"]).status.success());
}
