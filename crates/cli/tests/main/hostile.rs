//! Files and URLs from elsewhere: they may be large, deep or of another kind, and may contain secrets.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use millicron_test_support::directory::Directory;
use serde_json::Value;

use crate::command::{millicron, shown_in};

/// Returns what `check` writes about a file, and whether that is an error in the file.
fn checked(directory: &Directory, name: &str, text: &str) -> (String, bool) {
    fs::write(directory.join(name), text).expect("accessible directory");
    let shown = shown_in(directory.path(), &["check", name]);
    let is_refused = shown.ends_with("exit status Some(1)\n");
    (shown, is_refused)
}

#[test]
fn files_beyond_a_limit_are_refused_for_that_reason() {
    let directory = Directory::new("hostile-limits");
    let numbered =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let long = format!("# A comment\n* * * * * echo {}\n", "x".repeat(10 << 20));
    let variables = numbered(1001, &|index| format!("A{index}=x\n")) + "* * * * * x\n";
    let calendars = numbered(1001, &|index| format!("a{index} = '*.*.*'\n"));
    for (name, text, expected) in [
        ("crontab", &*long, "line 2 is longer than 128 KiB"),
        ("a.toml", &*format!("[calendars]\na = '{}'", "*".repeat(200_000)), "line 2 is longer"),
        ("crontab", &*variables, "a crontab has at most 1000 variables"),
        ("a.toml", &*format!("[calendars]\n{calendars}"), "a file has at most 1000 calendars"),
        ("a.toml", &*"=\n".repeat(600), "more errors from here on"),
        ("crontab", &*"x\n".repeat(1500), "500 more errors from here on"),
    ] {
        let (shown, is_refused) = checked(&directory, name, text);
        assert!(is_refused && shown.contains(expected), "{expected}: {shown:.1000}");
    }
    // Warnings, one of them a herd, are not left out: those that remain may be allowed.
    let percents = "* * * * * x % y\n".repeat(1001);
    let (shown, is_refused) = checked(&directory, "crontab", &percents);
    assert!(!is_refused && shown.contains("1,002 warnings"), "{shown:.1000}");
}

#[test]
fn large_files_are_refused_together_and_in_directories() {
    let directory = Directory::new("hostile-large");
    let create = |name: &str, mebibytes: u64| {
        let file = fs::File::create(directory.join(name)).expect("accessible directory");
        file.set_len(mebibytes << 20).expect("a file with a hole");
    };
    create("large.days", 33);
    let calendars = "[calendars]\na = 'large.days'\nb = 'large.days'\n";
    let (shown, is_refused) = checked(&directory, "a.toml", calendars);
    let expected = "the files of all calendars are larger than 64 MiB together\n --> a.toml:3:5\n";
    assert!(is_refused && shown.contains(expected), "{shown:.1000}");

    fs::create_dir(directory.join("jobs")).expect("accessible directory");
    create("jobs/huge.toml", 1 << 20);
    let shown = shown_in(directory.path(), &["check", "jobs"]);
    assert!(shown.contains("huge.toml: it is larger than 16 MiB"), "{shown:.1000}");
}

#[test]
fn deep_and_repetitive_files_are_errors() {
    let directory = Directory::new("hostile-depth");
    let job = "[jobs.x]\nschedule = '* * * * *'\n";
    let bad = |count: usize| {
        let line = |index: usize| format!("a{index} = 'x'\n");
        format!("[calendars]\n{}", (0..count).map(line).collect::<String>())
    };
    for text in [
        "a = [\n".to_owned() + &"[\n".repeat(50_000),
        format!("a = {}1{}", "[".repeat(1000), "]".repeat(1000)),
        format!("{job}needs = {}", "{ any-of = [\n".repeat(50_000)),
        format!("{job}needs = {}'x'{}", "{ any-of = [".repeat(50), "] }".repeat(50)),
        format!("{job}environment = {}", "{ a = ".repeat(2000)),
        format!("a{} = 1", ".a".repeat(10_000)),
        format!("jobs{} = 1", ".a".repeat(10_000)),
        format!("{job}environment{} = 1", ".a".repeat(10_000)),
        format!("[a{}]", ".a".repeat(10_000)),
        format!("[[jobs{}]]", ".a".repeat(10_000)),
        format!("{job}{} = 1\n", "s".repeat(100_000)),
        format!("{job}command = 'x'\nneeds = '{}'\n", "y".repeat(100_000)),
        bad(200),
        "[a]\n".repeat(1100),
        "a = 1\n".repeat(1100),
        "a = \"\n".repeat(600),
        "\u{0}".repeat(1000),
        "[jobs.x]\r".repeat(100),
    ] {
        let (shown, is_refused) = checked(&directory, "a.toml", &text);
        assert!(is_refused, "{text:.100}: {shown:.1000}");
    }
}

#[cfg(feature = "icalendar")]
#[test]
fn imported_events_are_limited() {
    let directory = Directory::new("hostile-events");
    let event = |start: &str, rule: &str, summary: &str| {
        format!(
            "BEGIN:VEVENT\nDTSTART;VALUE=DATE:{start}\nRRULE:{rule}\nSUMMARY:{summary}\nEND:VEVENT\n"
        )
    };
    let events = |count, start, rule| {
        (0..count).map(|index| event(start, rule, &format!("{index}"))).collect::<String>()
    };
    let list = format!("FREQ=DAILY;COUNT=9;BYMONTH=2;BYMONTHDAY={}", vec!["31"; 10_000].join(","));
    let rules = vec!["FREQ=DAILY"; 2700].join("\nRRULE:");
    let long = events(5, "20000101", "FREQ=DAILY")
        .replace("\nEND:", &format!("{}\nEND:", "😀".repeat(1000)));
    for (content, expected) in [
        (events(28, "20000101", "FREQ=DAILY"), "a.ics: there are more than 1,000,000 dates\n"),
        (events(28, "00010101", "FREQ=DAILY"), "a.ics: there are more than 1,000,000 dates\n"),
        (event("20000101", &rules, ""), "a.ics: there are more than 1,000,000 dates\n"),
        (event("00010101", &list, ""), "a.ics: its rules take too long to follow\n"),
        (long, "a.ics: its calendar is larger than 64 MiB\n"),
        ("x".repeat(1 << 20), "there are no whole days in a.ics\n"),
        ("BEGIN:VEVENT\n".repeat(100_000), "there are no whole days in a.ics\n"),
    ] {
        let text = format!("BEGIN:VCALENDAR\n{content}\nEND:VCALENDAR\n");
        fs::write(directory.join("a.ics"), text).expect("accessible directory");
        let shown = shown_in(directory.path(), &["days", "--import", "a.ics"]);
        assert!(shown.contains(expected) && shown.len() < 1000, "{expected}: {shown:.1000}");
    }
}

#[cfg(all(unix, feature = "history"))]
#[test]
fn files_that_are_no_history_are_refused_and_left_as_they_are() {
    use std::process::Command;

    let directory = Directory::new("hostile-histories");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(directory.join(name), bytes).expect("accessible directory");
    };
    write("a.toml", b"[jobs.x]\nschedule = '*:*:*'\ncommand = ['true']\n");
    // The same bytes each time, as random as any.
    let noise = (0..100_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]);
    let noise = noise.collect::<Vec<_>>();
    write("noise", &noise);
    write("begins as a database", &[b"SQLite format 3\0", &noise[..]].concat());
    write("text", b"Dear diary");
    fs::create_dir(directory.join("directory")).expect("accessible directory");
    let pipe = Command::new("mkfifo").arg(directory.join("pipe")).status().expect("it starts");
    assert!(pipe.success());
    fs::File::create(directory.join("huge"))
        .and_then(|it| it.set_len(1 << 40))
        .expect("a sparse file");
    let files = ["noise", "begins as a database", "text", "directory", "pipe", "huge"];
    for file in files.into_iter().chain(["/dev/zero", "/dev/full"]) {
        for command in ["run", "graph"] {
            let mut shown = String::new();
            let arguments = [command, "a.toml", "--history", file];
            // `run` refuses to start at another time than now.
            let output = Command::new(env!("CARGO_BIN_EXE_millicron"))
                .args(arguments)
                .current_dir(directory.path())
                .output()
                .expect("it starts");
            shown.push_str(&String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {shown}");
            assert!(shown.contains(file) && shown.lines().count() <= 2, "{arguments:?}: {shown}");
            assert!(!shown.contains("there is no history"), "{arguments:?}: {shown}");
        }
    }
    assert!(fs::read(directory.join("noise")).is_ok_and(|content| content == noise));
    assert_eq!(fs::read(directory.join("text")).expect("it is there"), b"Dear diary");
    assert_eq!(fs::metadata(directory.join("huge")).expect("it is there").len(), 1 << 40);
    assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 7);
}

#[cfg(feature = "schedules")]
#[test]
fn no_error_shows_the_password_in_a_url_or_passes_on_what_is_no_url() {
    let directory = Directory::new("hostile-urls");
    let refused = |database: &str| {
        let arguments = ["schedules", "list", "--database", database];
        shown_in(directory.path(), &arguments)
    };
    for url in [
        "sqlite://app:secret@db.example/app",
        "sqlite:app:secret@db.example",
        "sqlite:///missing/app:secret@db.example/app",
        "sqlite://app:%73ecret@db.example/app",
        "sqlite://app:se/secret@db.example/app",
        "postgres://app:secret@127.0.0.1:1/app",
        "postgres://app:x secret@127.0.0.1:1/app",
        "postgres://app:x/secret@127.0.0.1:1/app",
        "postgres://app:secret@127.0.0.1:1:2/app",
        "postgres://app:secret@\u{1}\u{1b}[31m:1/app",
        "postgres://app:%ffsecret@127.0.0.1:1/app",
        "postgres://app:secret@127.0.0.1:1/app\n",
        "POSTGRES://app:secret@127.0.0.1:1/app",
        "mysql://app:secret@127.0.0.1/app",
        "app:secret@127.0.0.1",
        "//app:secret@127.0.0.1",
        "postgres:",
        "postgres://app:secret@127.0.0.1:1/app?host=/no\nwhere",
    ] {
        let shown = refused(url);
        assert!(shown.starts_with("error: "), "{url:?}: {shown}");
        assert!(!shown.contains("secret"), "{url:?}: {shown}");
        assert!(shown.lines().count() <= 3, "{url:?}: {shown}");
        let is_bad = |character: char| character.is_control() && character != '\n';
        assert!(!shown.contains(is_bad), "{url:?}: {shown:?}");
    }
    let long = "x".repeat(100_000);
    for url in [
        long.clone(),
        format!("{long}:x"),
        format!("sqlite:{long}"),
        format!("postgres://{long}:secret@db.example/app"),
        format!("postgres://app:secret@{long}/app"),
    ] {
        assert_eq!(refused(&url), refused(&long), "{url:.20}");
    }
    // A URL in the wrong place, or for something else.
    let mut shown = String::new();
    for arguments in [
        &["schedules", "postgres://app:secret@db.example/app", "list"][..],
        &["schedules", "postgres://app:x secret@db.example/app", "list"],
        &["schedules", "postgres://app:x'secret@db.example/app", "list"],
        &["next", "postgres://app:secret@db.example/app"],
        &["next", "* * * * *", "--from", "postgres://app:x/secret@db.example/app"],
        &["next", "* * * * *", "--zone", "postgres://app:secret@db.example/app"],
    ] {
        let _ = writeln!(shown, "{arguments:?}\n{}", shown_in(Path::new("."), arguments));
    }
    let written = shown.lines().filter(|line| !line.starts_with('['));
    assert!(!written.into_iter().any(|line| line.contains("secret")), "{shown}");
}

/// Returns the files in a directory with problems, and the first problem's rule and message of each.
fn problems_in(directory: &Directory) -> Vec<(String, String, String)> {
    let path = directory.path().to_str().expect("UTF-8");
    let output = millicron(&["check", "--json", path]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let problems = found["problems"].as_array().expect("an array").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let problems = problems.map(|it| {
        let file = text(&it["file"]).trim_start_matches(path).to_owned();
        (file, text(&it["rule"]), text(&it["message"]))
    });
    let mut problems: Vec<_> = problems.collect();
    problems.dedup_by(|next, first| next.0 == first.0);
    problems
}

#[test]
fn files_in_directories_that_are_not_utf_8_are_reported() {
    let directory = Directory::new("hostile-latin");
    let job = b"# caf\xe9\n[jobs.a]\nschedule = '12:00:00'\n";
    fs::write(directory.join("jobs.toml"), job).expect("accessible directory");
    fs::write(directory.join("other.toml"), b"# caf\xe9\n[package]\n")
        .expect("accessible directory");
    let found = problems_in(&directory);
    let [(file, rule, message)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&**file, &**rule), ("/jobs.toml", "unreadable"));
    assert!(message.contains("is not UTF-8"), "{message}");
}

#[cfg(unix)]
#[test]
fn links_in_directories_are_followed_to_files_only() {
    use std::os::unix::fs::symlink;

    let (directory, elsewhere) =
        (Directory::new("hostile-links"), Directory::new("hostile-linked"));
    fs::create_dir(elsewhere.join("more")).expect("accessible directory");
    for name in ["a.cron", "more/b.cron"] {
        fs::write(elsewhere.join(name), "x\n").expect("accessible directory");
    }
    for (target, name) in [
        (elsewhere.join("a.cron"), "a.cron"),
        (elsewhere.join("more"), "more"),
        (elsewhere.join("more"), "more.cron"),
        // The lock of an editor.
        ("user@host.1234".into(), ".#b.toml"),
        // No file, even for root.
        ("c.toml".into(), "c.toml"),
    ] {
        symlink(target, directory.join(name)).expect("accessible directory");
    }
    let found = problems_in(&directory);
    let found: Vec<_> = found.iter().map(|(file, rule, _)| (&**file, &**rule)).collect();
    assert_eq!(found, [("/a.cron", "schedule"), ("/c.toml", "unreadable")]);
}

/// The path of a directory is longer than Linux allows, which even root cannot read.
#[cfg(target_os = "linux")]
#[test]
fn directories_that_cannot_be_read_do_not_hide_files() {
    let directory = Directory::new("hostile-path");
    let long = [&*"x".repeat(250); 10].join("/");
    for name in ["b", "c"] {
        fs::create_dir_all(directory.join(name).join(&long)).expect("accessible directory");
    }
    fs::rename(directory.join("c"), directory.join("b").join(&long).join("c"))
        .expect("a directory");
    for name in ["a.cron", "d.cron"] {
        fs::write(directory.join(name), "x\n").expect("accessible directory");
    }
    let found = problems_in(&directory);
    let [(a, ..), (path, rule, message), (d, ..)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&**a, &**rule, &**d), ("/a.cron", "unreadable", "/d.cron"));
    assert!(path.len() > 3500 && message.contains("File name too long"), "{message}");
}
