//! Pictures, in the terminal and in files.

use std::fs;
use std::path::{Path, PathBuf};

use millicron_history::{History as _, RunState, SqliteHistory};

use super::command::{millicron, shown, shown_in};
use super::files::TextFile;

/// Commands that draw, each with a name.
const COMMANDS: [(&str, &[&str]); 8] = [
    ("calendar", &["calendar", "*/30 8-17 1-15 * MON-FRI"]),
    ("calendar_in_a_zone", &["calendar", "*:00:00", "--zone", "Europe/Berlin", "--year", "2027"]),
    ("day", &["day", "*/7 8-17 * * *"]),
    ("day_of_a_change", &["day", "*:*/20:00", "--zone", "Europe/Berlin", "--date", "2026-10-25"]),
    ("zone", &["zone", "Europe/Berlin", "30 2 * * *", "--years", "1"]),
    ("zone_often", &["zone", "Australia/Lord_Howe", "*:*:*", "--years", "1"]),
    ("timeline", &["timeline", "jobs.toml", "--zone", "Europe/Berlin"]),
    (
        "timeline_of_a_week",
        &["timeline", "jobs.toml", "--zone", "UTC", "--week", "--date", "2026-10-19"],
    ),
];

const JOBS: &str = r#"
[jobs.backup]
schedule = "0 2 * * *"
duration = "1h 30m"

[jobs.load]
schedule = "*:00:00"
duration = "20m"

[jobs.report]
schedule = "0 4 * * MON-FRI"
duration = "45m"
needs = [{ all = "load" }, { any-of = ["backup", "mail"] }, { previous = true }]

[jobs.mail]
schedule = "*/15 8-18 * * *"

[jobs."metrics every ten seconds"]
schedule = "*:*:*/10"
duration = "2s"
"#;

/// Returns a directory for a single test, with the file of jobs.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("jobs.toml"), JOBS).expect("a file");
    directory
}

/// Runs a command in a directory.
fn drawn(directory: &Path, arguments: &[&str], more: &[&str]) -> String {
    shown_in(directory, &[arguments, more].concat())
}

#[test]
fn pictures_fit_in_40_80_and_200_columns() {
    let directory = directory("pictures-columns");
    for (name, arguments) in COMMANDS {
        for width in ["40", "80", "200"] {
            let text = drawn(&directory, arguments, &["--width", width, "--color", "never"]);
            assert!(!text.contains('\u{1b}'), "{name}");
            insta::assert_snapshot!(format!("{name}_{width}"), text);
            let colored = drawn(&directory, arguments, &["--width", width, "--color", "always"]);
            // The characters are the same: nothing is lost without colors.
            assert_eq!(anstream::adapter::strip_str(&colored).to_string(), text, "{name}");
            insta::assert_snapshot!(
                format!("{name}_{width}_colored"),
                colored.replace('\u{1b}', "␛")
            );
        }
    }
}

#[test]
fn extension_of_the_output_decides_what_is_drawn() {
    let directory = directory("pictures-files");
    let path = |name: &str| directory.join(name).to_str().expect("UTF-8").to_owned();
    for (_, arguments) in COMMANDS {
        for (file, beginning, format) in
            [("a.svg", "<svg", "svg"), ("a.html", "<!DOCTYPE html>", "html"), ("a.txt", "", "text")]
        {
            let file = path(file);
            assert_eq!(drawn(&directory, arguments, &["--output", &file, "--color", "always"]), "");
            let written = fs::read_to_string(&file).expect("a file");
            assert!(written.starts_with(beginning) && !written.contains('\u{1b}'), "{arguments:?}");
            assert_eq!(
                drawn(&directory, arguments, &["--format", format, "--color", "never"]),
                written
            );
        }
    }
    for (file, message) in
        [("a.png", "unknown extension `.png`"), ("picture", "picture has no extension")]
    {
        let hint = "use one of .text, .txt, .svg, .html, .htm, or add --format";
        let error = format!("error: {message}\nhint: {hint}\nexit status Some(2)\n");
        assert_eq!(drawn(&directory, COMMANDS[0].1, &["--output", file]), error);
    }
    let missing = path("missing/a.svg");
    let error = drawn(&directory, COMMANDS[0].1, &["--output", &missing]);
    assert!(error.starts_with(&format!("error: cannot write {missing}: ")), "{error}");
}

#[test]
fn a_dash_is_standard_output() {
    let directory = directory("pictures-dash");
    let svg = ["--format", "svg"];
    let expected = drawn(&directory, COMMANDS[0].1, &svg);
    let dash = drawn(&directory, COMMANDS[0].1, &[&svg[..], &["--output", "-"]].concat());
    assert!(dash == expected && !directory.join("-").exists(), "{dash:.100}");
}

#[test]
fn drawing_is_as_wide_as_asked_for() {
    for (width, pixels) in [("40", "400"), ("90", "900"), ("160", "1600")] {
        let svg = shown(&["calendar", "@daily", "--format", "svg", "--width", width]);
        assert!(svg.contains(&format!("width=\"{pixels}\"")), "{width}");
    }
}

#[test]
fn pictures_have_their_numbers_in_json() {
    let directory = directory("pictures-json");
    for (name, arguments) in COMMANDS {
        let json = drawn(&directory, arguments, &["--json"]);
        insta::assert_snapshot!(format!("{name}_json"), json);
        // JSON can be written to a file with any extension but those of pictures, and not combined with another format.
        assert_eq!(drawn(&directory, arguments, &["--json", "--output", "a.data"]), "");
        assert_eq!(fs::read_to_string(directory.join("a.data")).expect("a file"), json);
        let both = drawn(&directory, arguments, &["--json", "--format", "svg"]);
        assert!(
            both.contains("cannot be used with") && both.ends_with("exit status Some(2)\n"),
            "{both}"
        );
        assert_eq!(
            drawn(&directory, arguments, &["--json", "--output", "a.svg"]),
            "error: --json does not write a.svg\nhint: leave out --json, or use .json\n\
             exit status Some(2)\n"
        );
        assert!(!directory.join("a.svg").exists());
    }
}

#[test]
fn events_of_a_day_in_json_are_those_of_next() {
    let schedule = ["*.*.* 2,4:30:00 Europe/Berlin", "--json"];
    let events = shown(&[&["next", "-n", "4", "--from", "2026-10-25"], &schedule[..]].concat());
    let events = events.lines().take_while(|line| line.contains("2026-10-25")).collect::<Vec<_>>();
    let day = shown(&[&["day", "--date", "2026-10-25"], &schedule[..]].concat());
    assert_eq!(events.len(), 2);
    assert!(day.contains(&format!("\"events\":[{}]", events.join(","))), "{day}");
    // In the displayed time zone, like `next`.
    let shown_in_utc =
        shown(&[&["day", "--date", "2026-10-25", "--zone", "UTC"], &schedule[..]].concat());
    assert!(shown_in_utc.contains("\"time\":\"2026-10-25T00:30:00.000+00:00\""), "{shown_in_utc}");
}

#[test]
fn zone_keeps_the_time_zone_of_a_schedule() {
    let text = "*.*.* 02:30:00 America/New_York";
    let own = shown(&["zone", "America/New_York", text, "--json"]);
    assert_eq!(own, shown(&["zone", "America/New_York", "*.*.* 02:30:00", "--json"]));
    let cases: [&[&str]; 3] = [
        &["zone", "Europe/Berlin", text],
        &["zone", "30 2 * * *", "Europe/Berlin"],
        &["zone", "Europe/Berlin", "30 2 * * *", "--zone", "UTC"],
    ];
    let texts = cases.map(|arguments| format!("{}\n{}", arguments.join(" "), shown(arguments)));
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn file_without_jobs_is_noted() {
    let directory = directory("pictures-without-jobs");
    fs::write(directory.join("empty.toml"), "").expect("a file");
    for command in ["timeline", "graph"] {
        let text = shown_in(&directory, &[command, "empty.toml"]);
        assert!(text.contains("No jobs, no "), "{text}");
        assert!(text.ends_with("note: empty.toml has no jobs\n"), "{text}");
    }
}

#[test]
fn day_that_the_clocks_skip_is_an_error() {
    let directory = directory("pictures-skipped-day");
    let skipped = "error: the clocks of Pacific/Apia skip 2011-12-30\nhint: write another day\n\
                   exit status Some(2)\n";
    let dates = [
        ["2011-12-31", "2011-12-30"],
        ["2011-12-31", "2011-12-30 12:00"],
        ["2011-12-29 12:00", "tomorrow"],
    ];
    for [now, date] in dates {
        for command in [["day", "*:00:00"], ["timeline", "jobs.toml"]] {
            let options = ["--zone", "Pacific/Apia", "--now", now, "--date", date];
            assert_eq!(drawn(&directory, &command, &options), skipped, "{command:?} {date}");
        }
    }
    let week = ["--week", "--date", "2011-12-30", "--zone", "Pacific/Apia", "--json"];
    let week = drawn(&directory, &["timeline", "jobs.toml"], &week);
    assert!(week.contains("\"date\":\"2011-12-30\",\"days\":6,"), "{week}");
    // In UTC, the instant is on the next day.
    let instant = ["day", "*:00:00", "--zone", "UTC", "--date", "2026-11-22T23:00:00-10:00"];
    assert!(shown(&instant).starts_with("*:00:00 · Monday, 23 November 2026 · UTC\n"));
    let place = ["day", "*:00:00", "--zone", "UTC", "--date", "2026-11-22 23:00 Pacific/Honolulu"];
    assert!(shown(&place).starts_with("*:00:00 · Monday, 23 November 2026 · UTC\n"));
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let cases: [&[&str]; 6] = [
        &["calendar", "@daily", "--year", "1999"],
        &["day", "@daily", "--date", "2150-01-01"],
        &["zone", "Europe/Berln", "@daily"],
        &["zone", "Europe/Berlin", "@daily", "--years", "0"],
        &["timeline", "missing.toml"],
        &["graph", "missing.toml"],
    ];
    let texts = cases.map(|arguments| format!("{}\n{}", arguments.join(" "), shown(arguments)));
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn graph_is_drawn_in_all_formats() {
    let directory = directory("pictures-graph");
    for format in ["text", "mermaid", "dot"] {
        let text =
            shown_in(&directory, &["graph", "jobs.toml", "--format", format, "--zone", "UTC"]);
        insta::assert_snapshot!(format!("graph_{format}"), text);
    }
    for (file, beginning) in [
        ("a.mmd", "flowchart LR\n"),
        ("a.dot", "digraph {\n"),
        ("a.svg", "<svg"),
        ("a.html", "<!DOCTYPE"),
    ] {
        assert_eq!(shown_in(&directory, &["graph", "jobs.toml", "--output", file]), "");
        assert!(fs::read_to_string(directory.join(file)).expect("a file").starts_with(beginning));
    }
    insta::assert_snapshot!("graph_json", shown_in(&directory, &["graph", "jobs.toml", "--json"]));
}

#[test]
fn graph_shows_how_runs_in_a_history_ended() {
    let directory = directory("pictures-history");
    let missing = drawn(&directory, &["graph", "jobs.toml"], &["--history", "runs.db"]);
    assert!(missing.starts_with("error: there is no history runs.db\n"), "{missing}");
    let mut history = SqliteHistory::open(directory.join("runs.db")).expect("a history");
    // Midnight of the day of `--now`.
    let midnight = 1_795_305_600_000;
    let hour = 3_600_000;
    for (job, hours, state) in [
        ("backup", 2, RunState::Succeeded),
        ("load", 0, RunState::Succeeded),
        ("load", 1, RunState::Failed),
        ("report", -20, RunState::Succeeded),
        ("report", -44, RunState::Skipped),
    ] {
        history.record_state(job, midnight + hours * hour, state).expect("a record");
    }
    drop(history);
    // Reading it needs no write permission.
    let mut permissions = fs::metadata(directory.join("runs.db")).expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(directory.join("runs.db"), permissions).expect("changeable permissions");
    let graph = ["graph", "jobs.toml", "--zone", "UTC", "--history", "runs.db"];
    let reversed = drawn(&directory, &graph, &["--from", "tomorrow"]);
    assert!(reversed.starts_with("error: the end is before the start\nhint: "), "{reversed}");
    let shown_from = |from: &[&str]| drawn(&directory, &graph, from);
    insta::assert_snapshot!("graph_of_today", shown_from(&["--from", "2026-11-22"]));
    insta::assert_snapshot!(
        "graph_of_three_days",
        shown_from(&["--from", "2026-11-20", "--until", "2026-11-22"])
    );
    insta::assert_snapshot!("graph_of_history_mermaid", shown_from(&["--format", "mermaid"]));
    assert!(shown_from(&["--format", "svg"]).contains("✗ 1 failed, 22 not recorded"));
}

/// The layout crate panics on this graph.
#[test]
fn a_graph_that_cannot_be_arranged_is_drawn_in_columns() {
    // For each job, the length of its name without its number, and the jobs that it needs.
    let jobs: [(usize, &[usize]); 18] = [
        (2, &[]),
        (6, &[]),
        (5, &[1]),
        (9, &[2]),
        (8, &[]),
        (10, &[0, 2]),
        (12, &[2, 3]),
        (9, &[1]),
        (8, &[5]),
        (11, &[7]),
        (6, &[1]),
        (9, &[9]),
        (3, &[9]),
        (6, &[1, 8, 12]),
        (6, &[0, 2, 3, 4, 12, 13]),
        (7, &[1, 6, 13, 14]),
        (10, &[0, 2, 6, 11, 13]),
        (5, &[0, 3]),
    ];
    let name = |job: usize| format!("{}-{job}", "x".repeat(jobs[job].0));
    let table = |job: usize| {
        let needs: Vec<_> = jobs[job].1.iter().map(|need| name(*need)).collect();
        format!("[jobs.{}]\nschedule = '12:00:00'\nneeds = {needs:?}\n", name(job))
    };
    let text: String = (0..jobs.len()).map(table).collect();
    let file = TextFile::new("jobs.toml", &text);
    let output = millicron(&["graph", file.path(), "--format", "svg"]);
    assert!(output.stdout.starts_with(b"<svg"));
    assert_eq!(String::from_utf8(output.stderr).as_deref(), Ok(""));
}

#[test]
fn times_of_a_file_are_in_the_zone_that_all_of_its_jobs_share() {
    let text =
        "zone = 'Asia/Tokyo'\n[jobs.a]\nschedule = '9:00:00'\n[jobs.b]\nschedule = '10:00:00'\n";
    let file = TextFile::new("jobs.toml", text);
    let title = |arguments: &[&str]| {
        // The path of the temporary directory may be long.
        let text = shown(&[&["timeline", file.path(), "--width", "200"], arguments].concat());
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert!(title(&[]).ends_with("Sunday, 22 November 2026 · Asia/Tokyo"), "{}", title(&[]));
    assert!(title(&["--zone", "UTC"]).ends_with(" · UTC"), "{}", title(&["--zone", "UTC"]));
}

#[test]
fn runs_of_a_timeline_end_at_their_timeout() {
    let job = "[jobs.a]\nzone = 'UTC'\nschedule = '*:00:00'\nduration = '3h'\n";
    for (timeout, runs) in [("", 3), ("timeout = '10m'\n", 1), ("timeout = '5h'\n", 3)] {
        let file = TextFile::new("jobs.toml", &format!("{job}{timeout}"));
        let json = shown(&["timeline", file.path(), "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["peak"]["runs"], runs, "{timeout}");
    }
}
