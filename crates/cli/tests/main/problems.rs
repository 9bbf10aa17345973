//! Where `check` marks problems, and what it advises.

use std::fs::File;
use std::path::Path;

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::checking::{check, rules};
use super::command::{millicron, shown_in};
use super::files::TextFile;

/// Returns the text that is marked by the first problem of a file with a rule.
fn marked(name: &str, text: &str, rule: &str) -> String {
    let file = TextFile::new(name, text);
    let output = millicron(&["check", "--json", file.path()]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut problems = found["problems"].as_array().expect("an array").iter();
    let problem = problems.find(|it| it["rule"] == rule).expect("the problem");
    let place = |name: &str| {
        usize::try_from(problem[name].as_u64().expect("a number") - 1).expect("a small number")
    };
    let line = text.lines().nth(place("line")).expect("a line");
    line.chars().skip(place("column")).take(place("end_column") - place("column")).collect()
}

#[test]
fn problems_are_marked_where_they_are() {
    let job = |lines: &str| format!("[jobs.a]\nschedule = '12:00:00'\n{lines}\n");
    for (name, text, rule, expected) in [
        ("a.toml", job("duration = '2h'\ntimeout = '1h'"), "short-timeout", "'1h'"),
        ("a.toml", job("command = ' '"), "command", "' '"),
        ("a.toml", job("command = []"), "command", "[]"),
        ("crontab", "A=b\n TZ = x/y \nB=c\n0 9 * * * x\n".to_owned(), "tz-variable", "TZ = x/y"),
        ("crontab", "\u{feff}TZ=x\nTZ=y\n0 9 * * * x\nTZ=z\n".to_owned(), "tz-variable", "TZ=y"),
    ] {
        assert_eq!(marked(name, &text, rule), expected, "{text}");
    }
}

#[test]
fn names_of_files_do_not_begin_with_a_dot() {
    let directory = TextFile::new("a.toml", "[jobs.a]\nschedule = 'x'\n");
    let directory = Path::new(directory.path()).parent().expect("a directory");
    for (path, format, expected) in [
        (".", "github", "file=a.toml,"),
        ("./a.toml", "github", "file=a.toml,"),
        (".", "sarif", "{\"uri\":\"a.toml\"}"),
        ("./a.toml", "json", "\"file\":\"a.toml\""),
        (".", "text", "--> a.toml:2:13"),
    ] {
        let shown = shown_in(directory, &["check", "--format", format, path]);
        assert!(shown.contains(expected), "{path}: {shown}");
    }
}

#[test]
fn hints_say_how_to_mend_a_file() {
    for (name, text, expected) in [
        (
            "a.toml",
            "[jobs.a]\nschedule = '12:00:00.50'\n",
            "add `dialect = \"millicron\"` or `dialect = \"systemd\"`",
        ),
        (
            "a.toml",
            "[jobs.a]\nschedule = '12:00:00'\n[jobs.a]\nschedule = '13:00:00'\ncommand = 'x'\n",
            "rename or remove one of them",
        ),
        ("a.toml", "zone = 'UTC'\nzone = 'UTC'\n", "duplicate key: `zone` is already there"),
        ("a.timer", "[Timer]\nOnCalendar=\"weekly\"\n", "write it without quotes"),
        (
            "crontab",
            "CRON_TZ=Asia/Tokyo 0 9 * * * x\n",
            "write `CRON_TZ=Asia/Tokyo` on a line of its own",
        ),
        (
            "a.toml",
            "[jobs.a]\nschedule = 'every weekday at 9:30 Asia/Tokyo'\ncommand = 'x'\n",
            "keep `Asia/Tokyo` after it",
        ),
    ] {
        let file = TextFile::new(name, text);
        let shown = check(&[file.path()]);
        assert!(shown.contains(expected), "{text}: {shown}");
        assert!(shown.contains(": 1 error\n"), "{text}: {shown}");
    }
}

#[test]
fn lines_of_timers_continue_as_in_systemd() {
    let events = |lines: &str| {
        let text = format!("[Timer]\n{lines}\n");
        assert_eq!(rules("a.timer", &text), [""; 0], "{text}");
        let file = TextFile::new("a.timer", &text);
        let output = millicron(&["simulate", "--days", "1", "--json", file.path()]);
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        found["all"]["runs"].as_u64().expect("a number")
    };
    for lines in [
        "OnCalendar=*-*-* \\\n  6,18:00",
        "OnCalendar=*-*-* \\\n# Twice a day\n6,18:00",
        "OnCalendar=*-*-* \\\r\n  ; Twice a day \\\r\n  # or so\r\n6,18:00",
        "OnCalendar=\\\n# Twice a day\n*-*-* \\\n6,18:00",
        // A comment or the end of the file is all that follows.
        "OnCalendar=*-*-* 6,18:00 \\\n# Twice a day\n\nPersistent=yes",
        "OnCalendar=*-*-* 6,18:00 \\",
        "# A comment does not continue \\\nOnCalendar=*-*-* 6,18:00",
        "OnCalendar=*-*-* 6,18:00\nRandomizedDelaySec=1min \\\n# and\n30s",
        // An empty value removes the previous ones.
        "OnCalendar=hourly\nOnCalendar=\\\n\nOnCalendar=*-*-* 6,18:00",
    ] {
        assert_eq!(events(lines), 2, "{lines}");
    }
}

/// systemd skips it.
#[test]
fn a_byte_order_mark_before_a_timer_is_skipped() {
    for name in ["a.timer", "without an extension"] {
        let file = TextFile::new(name, "\u{feff}[Timer]\nOnCalendar=nonsense\n");
        let shown = check(&[file.path()]);
        assert!(shown.contains(":2:12\n") && shown.contains(": 1 error\n"), "{shown}");
    }
}

/// The spans that `systemd-analyze timespan` accepts, and those that it refuses.
#[test]
fn delays_of_timers_are_read_as_by_systemd() {
    for (delay, is_valid) in [
        ("1month", true),
        ("1y", true),
        ("1M", true),
        ("infinity", true),
        ("5", true),
        ("1.5h", true),
        (".5h", true),
        ("1h30", true),
        ("1month 2d", true),
        ("5 m3", true),
        ("3µs", true),
        ("1.9999999999999999999999y", true),
        ("1.h", false),
        ("1.5.2h", false),
        ("1mo", false),
        ("0x5", false),
        ("1,5h", false),
        ("1h infinity", false),
        ("99999999999999999999", false),
    ] {
        let expected: &[&str] = if is_valid { &[] } else { &["duration"] };
        let text = format!("[Timer]\nOnCalendar=12:00\nRandomizedDelaySec={delay}\n");
        assert_eq!(rules("a.timer", &text), expected, "{delay}");
    }
}

#[test]
fn no_message_passes_on_hidden_characters() {
    // They change the direction of text, are invisible, or begin a sequence that a terminal obeys.
    for hidden in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{200b}', '\u{1b}', '\u{9b}'] {
        let toml = format!(
            "[jobs.\"x{hidden}\"]\nschedule = '* * x{hidden} * *'\ncommand = 'x'\n\
             [jobs.\"y\"]\nschedule = '1 1 * * *'\n\"unknown{hidden}\" = 1\n"
        );
        let crontab = format!("* * * * * {hidden}x{hidden}\n* * * * x\n*/7 * * * * x{hidden}\n");
        let (toml, crontab) = (TextFile::new("a.toml", &toml), TextFile::new("crontab", &crontab));
        let text = &*format!("x{hidden}");
        let commands: [&[&str]; 11] = [
            &["next", text],
            &["next", "1 1 * * *", "--from", text],
            &["next", "1 1 * * *", "--zone", text],
            &["next", &format!("12:00:00 {text}")],
            &["next", "1 1 * * *", &format!("--{text}")],
            &[text],
            &["check", text],
            &["check", toml.path()],
            &["check", toml.path(), "--format", "github"],
            &["check", crontab.path()],
            &["simulate", crontab.path()],
        ];
        for arguments in commands {
            let text = shown_in(Path::new("."), &[arguments, &["--color", "never"]].concat());
            assert!(!text.contains(hidden), "{arguments:?}: {text}");
        }
    }
    // Joiners are parts of words.
    let joined = "\u{645}\u{6cc}\u{200c}\u{62e}";
    assert!(shown_in(Path::new("."), &["next", "1 1 * * *", "--from", joined]).contains(joined));
}

#[test]
fn json_has_hidden_characters_as_escape_sequences() {
    for hidden in ['\u{7f}', '\u{9b}', '\u{9d}', '\u{202e}', '\u{feff}', '\u{e0001}'] {
        let name = format!("ä{hidden}😀{hidden}.toml");
        let file = TextFile::new(&name, &format!("jobs = 'x{hidden}'\n'{hidden}' = 1\n"));
        for format in ["json", "sarif"] {
            let shown = shown_in(Path::new("."), &["check", file.path(), "--format", format]);
            assert!(!shown.contains(hidden), "{shown}");
            let (json, _) = shown.split_once('\n').expect("a line");
            let found: Value = serde_json::from_str(json).expect("JSON");
            // URIs in SARIF have escape sequences of their own.
            if format == "json" {
                assert_eq!(found["problems"][0]["file"], file.path(), "{json}");
                assert!(json.contains("ä") && json.contains("😀"), "{json}");
            }
        }
    }
}

#[test]
fn job_files_that_are_too_large_or_never_end_are_refused() {
    let directory = Directory::new("problems-large");
    let large = directory.join("large.toml");
    File::create(&large).and_then(|file| file.set_len(1 << 30)).expect("a file of 1 GiB");
    for path in [large.to_str().expect("a path"), "/dev/zero"] {
        let text = shown_in(directory.path(), &["check", path]);
        assert!(text.contains("it is larger than 16 MiB"), "{text}");
    }
}
