//! Calendars in job files and on the command line.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::checking::{check, rules};
use super::command::{millicron, shown, shown_in};
use super::files::{TextFile, file};

const NYSE: &str = "../../examples/calendars/nyse.days";

/// A directory with files, and a name for the test.
fn directory(name: &str, files: &[(&str, &[u8])]) -> Directory {
    let directory = Directory::new(&format!("calendars-{name}"));
    for (file, content) in files {
        fs::write(directory.join(file), content).expect("accessible directory");
    }
    directory
}

fn json(arguments: &[&str]) -> Value {
    let output = millicron(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn schedules_of_job_files_name_calendars() {
    let jobs = &*file("calendars/jobs.toml");
    assert_eq!(check(&[jobs]), "2 jobs in 1 file: no problems\n");
    let from = ["--from", "2026-01-01"];
    let simulated = json(&[&["simulate", jobs], &from[..]].concat());
    let runs = simulated["jobs"].as_array().expect("jobs").iter().map(|job| job["runs"].clone());
    assert_eq!(runs.collect::<Vec<_>>(), [251, 12]);
    let timeline = json(&["timeline", jobs, "--date", "2026-11-26", "--zone", "America/New_York"]);
    let starts = timeline["jobs"].as_array().expect("jobs").iter().map(|job| job["starts"].clone());
    assert_eq!(starts.collect::<Vec<_>>(), [0, 0]);
    let graph = json(&["graph", jobs]);
    assert_eq!(graph["jobs"][0]["schedule"], "09:30:00 @nyse");
}

#[test]
fn calendars_are_found_from_the_directory_of_the_job_file() {
    let directory = directory(
        "relative",
        &[
            (
                "jobs.toml",
                b"[calendars]\nhalf = 'half.days'\n[jobs.a]\nschedule = '12:00:00 @half'\n",
            ),
            ("half.days", b"\xef\xbb\xbf*.*.* Mon-Fri\r\n- *.12.25\r\n"),
        ],
    );
    let parent = directory.path().parent().expect("a directory");
    let name = directory.path().file_name().expect("a name").to_str().expect("UTF-8");
    for path in ["jobs.toml", "./jobs.toml"] {
        let shown = shown_in(directory.path(), &["check", path]);
        assert_eq!(shown, "1 job in 1 file: no problems\n", "{path}");
    }
    let shown = shown_in(parent, &["check", &format!("{name}/jobs.toml")]);
    assert_eq!(shown, "1 job in 1 file: no problems\n");
}

#[test]
fn errors_of_calendars_are_marked_where_they_are() {
    insta::assert_snapshot!(check(&[&file("calendars/wrong.toml")]));
}

#[test]
fn errors_of_calendars_are_in_all_formats() {
    let directory = directory(
        "formats",
        &[
            ("jobs.toml", b"[calendars]\na = 'a.days'\n[jobs.a]\nschedule = '12:00:00 @a'\n"),
            ("a.days", "# ä\n- *.*.* Mon # ä\n- *.13.1\n".as_bytes()),
        ],
    );
    let shown = |arguments: &[&str]| shown_in(directory.path(), arguments);
    let message = "month `13` is out of range: expected 1-12, or Jan-Dec";
    let github = format!(
        "::error file=a.days,line=3,endLine=3,col=5,endColumn=7,title=millicron%3A calendar::{message}\n"
    );
    assert!(shown(&["check", "./jobs.toml", "--format", "github"]).starts_with(&github));
    let sarif = shown(&["check", "jobs.toml", "--format", "sarif"]);
    assert!(sarif.contains("\"artifactLocation\":{\"uri\":\"a.days\"}"), "{sarif}");
    let error = format!("error: a.days:3:5: {message}\nexit status Some(2)\n");
    for command in ["simulate", "timeline", "graph"] {
        assert_eq!(shown(&[command, "jobs.toml"]), error);
    }
    let error = format!("error: a.days:3:5: {message}\n  |\n  | - *.13.1\n  |     ^^\n");
    for arguments in [&["next", "12:00:00 @a", "--calendar", "a.days"][..], &["days", "a.days"]] {
        assert_eq!(shown(arguments), error.clone() + "exit status Some(2)\n");
    }
}

#[test]
fn all_errors_of_calendars_are_reported() {
    let jobs = b"[calendars]\na = 'a.days'\nb = \"\"\"\n*.*.*\n- *.13.1\n- @late\n- *.14.1\"\"\"\n\
        [jobs.a]\nschedule = '12:00:00 @a'\n[jobs.b]\nschedule = '12:00:00 @b'\n";
    let days = "- *.13.1\r\n+ *.1.1\n@a\n*.*.* 12:00:00\n- *.*.*\n2026-1-1 # not ISO\n@b";
    let directory = directory("all", &[("a.days", days.as_bytes()), ("jobs.toml", jobs)]);
    let output = shown_in(directory.path(), &["check", "jobs.toml", "--format", "github"]);
    let places = output
        .lines()
        .filter_map(|line| line.strip_prefix("::error file=")?.split(",title").next());
    let expected = [
        "a.days,line=1,endLine=1,col=5,endColumn=7",
        "a.days,line=3,endLine=3,col=2,endColumn=3",
        "a.days,line=4,endLine=4,col=7,endColumn=15",
        "a.days,line=6,endLine=6,col=1,endColumn=9",
        "jobs.toml,line=5,endLine=5,col=5,endColumn=7",
        "jobs.toml,line=6,endLine=6,col=4,endColumn=8",
        "jobs.toml,line=7,endLine=7,col=5,endColumn=7",
    ];
    assert_eq!(places.collect::<Vec<_>>(), expected, "{output}");
    // Of very many, the first are.
    let many = "- *.13.1\n".repeat(100_000);
    fs::write(directory.join("a.days"), many).expect("accessible directory");
    let output = shown_in(directory.path(), &["check", "jobs.toml"]);
    assert_eq!(output.matches("--> a.days:").count(), 1000);
}

#[test]
fn a_large_calendar_is_read() {
    let mut text = "*.*.* Mon-Fri\n".to_owned();
    for index in 0..330_000 {
        let (year, month, day) = (2000 + index % 100, 1 + index % 12, 1 + index % 28);
        let _ = writeln!(text, "- {year:04}-{month:02}-{day:02}  # a closed day");
    }
    text.push_str("+ *.*.* Fri\n");
    assert!(text.len() > 9_000_000);
    let jobs = b"[calendars]\na = 'a.days'\n[jobs.a]\nschedule = '12:00:00 @a'\n";
    let directory = directory("large", &[("a.days", text.as_bytes()), ("jobs.toml", jobs)]);
    let check = ["check", "jobs.toml"];
    assert_eq!(shown_in(directory.path(), &check), "1 job in 1 file: no problems\n");
    let next = ["next", "12:00:00 @a", "--calendar", "a.days", "-n", "1"];
    assert_eq!(shown_in(directory.path(), &next), "Tue 2026-11-24 12:00:00 +00:00\n");
}

#[test]
fn files_that_are_no_calendars_are_refused() {
    let jobs = b"[calendars]\na = 'a.days'\n[jobs.a]\nschedule = '12:00:00 @a'\n";
    let directory = directory("refused", &[("a.days", b"*.*.*\n- \xff\n"), ("jobs.toml", jobs)]);
    let shown = |arguments: &[&str]| shown_in(directory.path(), arguments);
    let next = ["next", "12:00:00 @a", "--calendar", "a.days"];
    let bytes = "cannot read a.days: line 2, column 3 is not UTF-8";
    let hint = "hint: save the file as UTF-8\nexit status Some(2)\n";
    assert_eq!(shown(&next), format!("error: {bytes}\n{hint}"));
    assert_eq!(shown(&["simulate", "jobs.toml"]), format!("error: jobs.toml:2:5: {bytes}\n{hint}"));
    assert!(shown(&["check", "jobs.toml"]).contains(bytes));
    fs::remove_file(directory.join("a.days")).expect("our file");
    let missing = "cannot read a.days: No such file or directory (os error 2)";
    assert_eq!(shown(&next), format!("error: {missing}\nexit status Some(2)\n"));
    assert!(shown(&["check", "jobs.toml"]).contains(missing));
    fs::write(directory.join("a.days"), "# nothing\n").expect("accessible directory");
    let empty = "a.days:1:1: the calendar has no days: write at least one line that adds some";
    assert_eq!(shown(&next), format!("error: {empty}\nexit status Some(2)\n"));
}

#[test]
fn a_calendar_of_another_form_is_the_only_error() {
    for value in ["5", "[\"nyse.days\"]", "{ path = \"nyse.days\" }"] {
        let jobs = format!(
            "[calendars]\na = {value}\nb = \"- @a\\n*.*.*\"\n\
             [jobs.a]\nschedule = \"12:00:00 @a; 13:00:00 @b\"\n"
        );
        assert_eq!(rules("jobs.toml", &jobs), ["toml"], "{value}");
    }
}

#[test]
fn job_files_name_only_regular_files() {
    let jobs = |file: &str| {
        format!("[calendars]\na = {{ file = '{file}' }}\n[jobs.a]\nschedule = '12:00:00 @a'\n")
    };
    let directory = directory("regular", &[]);
    let made = Command::new("mkfifo").arg(directory.join("pipe.days")).status();
    assert!(made.expect("mkfifo").success());
    for (name, shown) in [("pipe.days", "pipe.days"), ("-", "-"), ("", "."), (".", "."), ("/", "/")]
    {
        fs::write(directory.join("jobs.toml"), jobs(name)).expect("accessible directory");
        let error = format!(
            "error: jobs.toml:2:5: cannot read {shown}: it is not a regular file\n\
             exit status Some(2)\n"
        );
        assert_eq!(shown_in(directory.path(), &["simulate", "jobs.toml"]), error);
    }
}

#[test]
fn only_texts_like_names_of_files_may_be_meant_as_files() {
    for (text, is_name) in
        [("nyse.txt", true), ("../x/nyse", true), ("*.13.1", false), ("2026.13.1", false)]
    {
        let jobs = format!("[calendars]\na = '{text}'\n");
        let shown = check(&[TextFile::new("jobs.toml", &jobs).path()]);
        let hint = format!("help: if it is a file, write `{{ file = \"{text}\" }}`");
        assert_eq!(shown.contains(&hint), is_name, "{shown}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_calendar_without_end_is_refused() {
    let shown = shown(&["next", "12:00:00 @a", "--calendar", "a=/dev/zero"]);
    let error = "error: cannot read /dev/zero: it is larger than 64 MiB\nexit status Some(2)\n";
    assert_eq!(shown, error);
}

#[test]
fn a_calendar_that_ends_before_its_jobs_is_a_warning() {
    let end: &[&str] = &["calendar-end"];
    for (calendar, schedule, expected) in [
        // Days.
        ("2020-2027.*.* Mon-Fri", "12:00:00 @a", &[][..]),
        ("2020-2026.*.* Mon-Fri", "12:00:00 @a", end),
        ("2020-2025.*.* Mon-Fri\n*.2.29", "12:00:00 @a", &[]),
        ("2026-11-23", "12:00:00 @a", end),
        ("2020-2026.*.* Mon-Fri", "2026.*.* 12:00:00 @a", &[]),
        ("2020-2026.*.* Mon-Fri", "2026,2027.*.* 12:00:00 @a", end),
        // Holidays.
        ("*.*.* Mon-Fri\n- 2026-12-25", "12:00:00 @a", end),
        ("*.*.* Mon-Fri\n- 2026-12-25", "2026.*.* 12:00:00 @a", &[]),
        ("*.*.* Mon-Fri\n- 2026-12-25\n- 2027-12-27", "12:00:00 @a", &[]),
        ("*.*.* Mon-Fri\n- 2020-2026.12.25", "12:00:00 @a", end),
        ("- 2026-12-25", "12:00:00 @a", end),
        ("*.*.* Mon-Fri\n+ 2026-12-26", "12:00:00 @a", end),
        ("2020-2100.*.* Mon,Thu\n- 2025-12-25", "12:00:00 @a", end),
        // Rules.
        ("*.*.* Mon-Fri\n- *.12.25", "12:00:00 @a", &[]),
        ("*.*.* Mon-Fri\n- *.Easter-2\n- 2025-01-09", "12:00:00 @a", &[]),
        ("*.*.* Mon-Fri", "12:00:00 @a", &[]),
        ("*.*.15,L", "12:00:00 @a", &[]),
        ("*.12.25", "12:00:00 @a", &[]),
        // Members of unions.
        ("*.*.* Mon-Fri\n- 2026-12-25", "9:00:00; 12:00:00 @a", end),
        ("*.*.* Mon-Fri\n- 2026-12-25", "9:00:00; 2026.*.* 12:00:00 @a", &[]),
        // No job names it.
        ("2020-2026.*.* Mon-Fri", "12:00:00", &[]),
    ] {
        let calendar = calendar.replace('\n', "\\n");
        let text = format!("[calendars]\na = \"{calendar}\"\n[jobs.a]\nschedule = '{schedule}'\n");
        assert_eq!(rules("jobs.toml", &text), expected, "{calendar} {schedule}");
    }
}

#[test]
fn the_end_of_a_calendar_is_marked_at_its_name() {
    let jobs = "[calendars]\na = \"\"\"\n*.*.* Mon-Fri\n- 2026-12-25\n\"\"\"\n\
                [jobs.a]\nschedule = '12:00:00 @a'\n";
    let warned = check(&[TextFile::new("jobs.toml", jobs).path()]);
    assert!(warned.contains("`a` names no holiday after 2026-12-25"), "{warned}");
    let allowed =
        jobs.replace("a = \"", "# Decided each year. millicron: allow calendar-end\na = \"");
    let allowed = check(&[TextFile::new("jobs.toml", &allowed).path()]);
    assert_eq!(allowed, "1 job in 1 file: no problems\n");
    let directory = directory(
        "end",
        &[
            ("jobs.toml", b"[calendars]\na = 'a.days'\n[jobs.a]\nschedule = '12:00:00 @a'\n"),
            ("a.days", b"2020-2026.*.* Mon-Fri\n"),
        ],
    );
    let warned = shown_in(directory.path(), &["check", "jobs.toml", "--format", "github"]);
    let expected = "::warning file=jobs.toml,line=2,endLine=2,col=1,endColumn=2,\
                    title=millicron%3A calendar-end::`a.days` names no day after 2026-12-31";
    assert!(warned.starts_with(expected), "{warned}");
}

#[test]
fn lints_find_the_fields_of_schedules_with_calendars() {
    let job = |schedule: &str| {
        format!(
            "[calendars]\na = '*.*.* Mon-Fri'\n[jobs.a]\nzone = 'UTC'\nschedule = '{schedule}'\n"
        )
    };
    assert_eq!(rules("jobs.toml", &job("*.*.31 12:00:00 @a")), ["rare-day"]);
    assert_eq!(rules("jobs.toml", &job("9:*:00 @a")), ["every-minute"]);
    assert_eq!(rules("jobs.toml", &job("*.*.15>B 12:00:00 @a")), [""; 0]);
}

#[test]
fn commands_read_calendars() {
    let calendar = ["--calendar", NYSE];
    let with = |arguments: &[&str]| shown(&[arguments, &calendar].concat());
    assert_eq!(
        with(&["next", "09:30:00 @nyse America/New_York", "-n", "2", "--from", "2026-11-26"]),
        "Fri 2026-11-27 09:30:00 -05:00\nMon 2026-11-30 09:30:00 -05:00\n"
    );
    assert_eq!(with(&["count", "12:00:00 @nyse", "2026-01-01", "2027-01-01"]), "251\n");
    let matches = with(&["matches", "12:00:00 @nyse", "2026-11-26 12:00"]);
    assert!(matches.ends_with("exit status Some(1)\n"), "{matches}");
    assert_eq!(
        with(&["between", "12:00:00 @nyse", "2026-11-25", "2026-11-28"]),
        "Wed 2026-11-25 12:00:00 +00:00\nFri 2026-11-27 12:00:00 +00:00\n"
    );
    let named = ["next", "12:00:00 @x", "--dialect", "millicron", "-n", "1", "--calendar"];
    let named = shown(&[&named[..], &[&format!("x={NYSE}")]].concat());
    assert_eq!(named, "Mon 2026-11-23 12:00:00 +00:00\n");
    let zone = with(&["zone", "Europe/Berlin", "2:30:00 @nyse", "--years", "1", "--json"]);
    assert!(zone.starts_with('['), "{zone}");
    let convert = with(&["convert", "12:00:00 @nyse", "--to", "millicron"]);
    assert_eq!(convert, "12:00:00 @nyse\n");
    let refused = with(&["convert", "12:00:00 @nyse", "--to", "crontab"]);
    assert_eq!(refused, "error: crontab has no calendars\nexit status Some(2)\n");
    let refused = shown(&["convert", "*.*.* Mon 9:00:00; *.*.* Tue 10:00:00", "--to", "crontab"]);
    assert_eq!(
        refused,
        "error: crontab has no unions: write one schedule for each member, `0 9 * * MON` and \
         `0 10 * * TUE`\nexit status Some(2)\n"
    );
    let union = "*.*.* Mon 9:00:00; *.*.* Tue 10:00:00 Europe/Berlin";
    let refused = shown(&["convert", union, "--to", "systemd"]);
    assert_eq!(
        refused,
        "error: systemd has no unions: write one schedule for each member, \
         `Mon 09:00:00 Europe/Berlin` and `Tue 10:00:00 Europe/Berlin`\nexit status Some(2)\n"
    );
    for schedule in ["9:00:00 @nyse", "9:00:00 @nyse; 10:00:00", "9:00:00; 10:00:00"] {
        let refused = with(&["next", schedule, "--dialect", "systemd"]);
        assert!(refused.contains("this is a schedule in the language of millicron"), "{refused}");
        assert!(
            refused.contains("hint: name its language with --dialect millicron\n"),
            "{refused}"
        );
    }
}

#[test]
fn a_union_of_another_language_is_translated() {
    let error = "error: only millicron's own language has unions\n";
    let hint = |union: &str| format!("{error}hint: write '{union}'\nexit status Some(2)\n");
    let crontab = "0 9 * * MON; 0 10 * * TUE";
    for arguments in [&[crontab][..], &[crontab, "--dialect", "crontab"]] {
        let shown = shown(&[&["next"], arguments].concat());
        assert_eq!(shown, hint("*.*.* 1 09:00:00; *.*.* 2 10:00:00"));
    }
    let mixed = shown(&["next", "Mon 9:00; 10:00:00 @nyse", "--calendar", NYSE]);
    assert_eq!(mixed, hint("*.*.* 1 09:00:00; 10:00:00 @nyse"));
    // The zone of a member is none of the union.
    let zoned = shown(&["next", "Mon 9:00 UTC; Tue 10:00"]);
    assert!(!zoned.contains("unions"), "{zoned}");
    let jobs = format!("[jobs.a]\nschedule = '{crontab}'\n");
    let checked = check(&[TextFile::new("jobs.toml", &jobs).path()]);
    assert!(checked.contains("error[schedule]: only millicron's own language"), "{checked}");
    assert!(checked.contains("help: write `*.*.* 1 09:00:00; *.*.* 2 10:00:00`"), "{checked}");
}

#[test]
fn calendars_that_no_schedule_names_are_noted() {
    let note = |name: &str| {
        format!(
            "note: the schedule does not name the calendar `{name}`: write `@{name}` after its time\n"
        )
    };
    let event = "Sun 2026-11-22 12:00:00 +00:00\n";
    let next = ["next", "12:00:00", "-n", "1", "--calendar", NYSE];
    assert_eq!(shown(&next), format!("{event}{}", note("nyse")));
    let zone = shown(&["zone", "Europe/Berlin", "2:30:00", "--json", "--calendar", NYSE]);
    assert!(zone.ends_with(&note("nyse")), "{zone}");
    let directory =
        directory("unnamed", &[("a.days", b"*.*.* Sun\n- @a-b\n"), ("a-b.days", b"*.*.* Mon\n")]);
    let both = ["--calendar", "a.days", "--calendar", "a-b.days"];
    let next = |schedule| {
        shown_in(directory.path(), &[&["next", schedule, "-n", "1"], &both[..]].concat())
    };
    assert_eq!(next("12:00:00 @a"), event);
    assert_eq!(next("9:00:00 @a-b; 12:00:00"), format!("{event}{}", note("a")));
    assert_eq!(next("12:00:00"), format!("{event}{}", note("a")));
}

#[test]
fn calendars_of_the_command_line_name_each_other() {
    let directory = directory(
        "each-other",
        &[("office.days", b"*.*.* Mon-Fri\n- @free\n"), ("free.days", b"*.*.* Wed\n@extra\n")],
    );
    fs::write(directory.join("extra.txt"), "*.*.* Thu").expect("accessible directory");
    let next = ["next", "12:00:00 @office", "-n", "3", "--calendar", "office.days"];
    let others = ["--calendar", "free.days", "--calendar", "extra=extra.txt"];
    assert_eq!(
        shown_in(directory.path(), &[&next[..], &others].concat()),
        "Mon 2026-11-23 12:00:00 +00:00\nTue 2026-11-24 12:00:00 +00:00\nFri 2026-11-27 12:00:00 +00:00\n"
    );
    let unknown = shown_in(directory.path(), &next);
    assert!(unknown.starts_with("error: office.days:2:4: `free` is not a known"), "{unknown}");
    assert!(unknown.contains("hint: name its file with --calendar free=FILE\n"), "{unknown}");
    fs::write(directory.join("extra.txt"), "@office").expect("accessible directory");
    let circle = shown_in(directory.path(), &[&next[..], &others].concat());
    assert!(circle.contains("depends on this calendar itself"), "{circle}");
    assert!(circle.starts_with("error: extra.txt:1:2: "), "{circle}");
}

#[test]
fn unknown_time_zones_are_named_after_a_calendar() {
    for (text, zone, nearest) in [
        ("09:30:00 @nyse America/New_Yrok", "America/New_Yrok", "America/New_York"),
        ("10:00:00; 09:30:00 @nyse America/New_Yrok", "America/New_Yrok", "America/New_York"),
        ("9:00:00 @nyse Berlin", "Berlin", "Europe/Berlin"),
        ("9:00:00 @nyse New_York", "New_York", "America/New_York"),
    ] {
        let message = format!("error: unknown time zone `{zone}`: write `{nearest}`\n");
        for more in [&[][..], &["--dialect", "millicron"]] {
            let error = shown(&[&["next", text, "--calendar", NYSE], more].concat());
            assert!(error.starts_with(&message), "{error}");
        }
        let error = shown(&["schedules", "put", "x", text, "--calendar", NYSE]);
        assert!(error.starts_with(&message), "{error}");
    }
    let error = shown(&["next", "9:00:00 @nyse UTC+2", "--calendar", NYSE]);
    assert!(error.starts_with("error: `UTC+2` is an offset from UTC"), "{error}");
}

#[test]
fn unknown_calendars_and_wrong_names_are_explained() {
    let cases: [&[&str]; 13] = [
        &["next", "12:00:00 @nise"],
        &["next", "12:00:00 @nise", "--calendar", NYSE],
        &["next", "12:00:00 @nise", "--dialect", "millicron", "--calendar", NYSE],
        &["next", "12:00:00 @nyse Europe/Berln", "--calendar", NYSE],
        &["next", "12:00:00 @nyse", "--calendar", "2026.days"],
        &["next", "12:00:00 @nyse", "--calendar", "nyse="],
        &["next", "12:00:00 @nyse", "--calendar", "=nyse.days"],
        &["next", "12:00:00 @nyse", "--calendar", "=/abs/nyse.days"],
        &["next", "12:00:00 @nyse", "--calendar", "9x=/abs/nyse.days"],
        &["next", "12:00:00 @nyse", "--calendar", "2026=bom.days"],
        &["next", "12:00:00 @nyse", "--calendar", "-"],
        &["next", "12:00:00 @nyse", "--calendar", NYSE, "--calendar", NYSE],
        &["next", "*.*.* Sat 12:00:00 @nyse", "--calendar", NYSE],
    ];
    let shown = cases.map(|arguments| format!("{arguments:?}\n{}\n", shown(arguments)));
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn explain_says_which_day_is_closed_next() {
    let explain = |schedule: &str, more: &[&str]| {
        shown(&[&["explain", schedule, "--calendar", NYSE, "-n", "1"], more].concat())
    };
    insta::assert_snapshot!(explain("*.*.L>B! 17:00:00 @nyse America/New_York", &[]));
    let value = json(&["explain", "12:00:00 @nyse", "--calendar", NYSE]);
    assert_eq!(
        value["calendars"],
        serde_json::json!([{ "name": "nyse", "next_closed": "2026-11-26" }])
    );
    let value = json(&["explain", "12:00:00"]);
    assert_eq!(value["calendars"], serde_json::json!([]));
    let every = TextFile::new("every.days", "*.*.*\n");
    let every = shown(&["explain", "12:00:00 @every", "--calendar", every.path()]);
    assert!(every.contains("calendar    every: all later days from Monday to Friday\n"), "{every}");
}

#[test]
fn calendar_marks_closed_days() {
    let drawn = shown(&["calendar", "12:00:00 @nyse", "--calendar", NYSE]);
    assert!(drawn.contains("  23█24█25█26×27█28×29×  "), "{drawn}");
    assert!(drawn.contains("\n× not a day of nyse\n"), "{drawn}");
    let value = json(&["calendar", "12:00:00 @nyse", "--calendar", NYSE]);
    assert_eq!(value["calendars"], serde_json::json!(["nyse"]));
    let closed = value["closed"].as_array().expect("dates");
    assert_eq!((closed.len(), &closed[8]), (10, &Value::from("2026-11-26")));
    let value = json(&["calendar", "12:00:00"]);
    assert_eq!((&value["calendars"], &value["closed"]), (&serde_json::json!([]), &Value::Null));
}

#[test]
fn each_member_of_a_union_has_its_calendar() {
    const LSE: &str = "../../examples/calendars/lse.days";

    let calendars = ["--calendar", NYSE, "--calendar", LSE];
    let both = "9:30:00 @nyse; 8:00:00 @lse";
    let explained = shown(&[&["explain", both], &calendars[..]].concat());
    let closed = "calendar    lse: the next closed day is 2026-12-25 (a Friday)\n\
                  calendar    nyse: the next closed day is 2026-11-26 (a Thursday)\n";
    assert!(explained.contains(closed), "{explained}");
    let value = json(&[&["calendar", both], &calendars[..]].concat());
    assert_eq!(value["calendars"], serde_json::json!(["lse", "nyse"]));
    assert_eq!(
        value["closed"],
        serde_json::json!(["2026-01-01", "2026-04-03", "2026-05-25", "2026-12-25"])
    );
    let drawn = shown(&[&["calendar", both], &calendars[..]].concat());
    assert!(drawn.contains("\n× not a day of lse or nyse\n"), "{drawn}");
    // A member without a calendar may be on any day.
    let value = json(&[&["calendar", "9:30:00 @nyse; 12:00:00"], &calendars[..]].concat());
    assert_eq!(value["calendars"], serde_json::json!(["nyse"]));
    assert_eq!(value["closed"], Value::Null);
}
