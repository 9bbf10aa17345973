//! `millicron days`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::command::{millicron, shown, shown_in};
use super::files::{TextFile, file};

const NYSE: &str = "../../examples/calendars/nyse.days";

fn json(arguments: &[&str]) -> Value {
    let output = millicron(arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn days_of_a_year_are_drawn() {
    insta::assert_snapshot!(shown(&["days", NYSE]));
    let svg = shown(&["days", NYSE, "--year", "2027", "--format", "svg"]);
    assert!(svg.contains("<title>Monday, 5 July 2027: closed</title>"), "{svg}");
    assert!(svg.contains("<title>Tuesday, 6 July 2027: open</title>"), "{svg}");
    let directory = Directory::new("days-output");
    let path = directory.join("nyse.html");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(shown(&["days", NYSE, "--output", path]), "");
    assert!(fs::read_to_string(path).expect("a page").starts_with("<!DOCTYPE html>"));
}

#[test]
fn days_are_json() {
    let value = json(&["days", NYSE, "--year", "2026", "--json"]);
    assert_eq!(value["first"], "2000-01-03");
    assert_eq!(value["last"], "2100-12-31");
    assert_eq!(value["days"].as_array().map(Vec::len), Some(251));
    assert_eq!(value["closed"].as_array().map(Vec::len), Some(10));
    assert_eq!(value["closed"][8], "2026-11-26");
    let count = shown(&["count", "12:00:00 @nyse", "2000-01-01", "2101-01-01", "--calendar", NYSE]);
    assert_eq!(value["count"].to_string(), count.trim_end());
}

#[test]
fn a_calendar_names_others() {
    let office = TextFile::new("office.days", "*.*.* Mon-Fri\n- @nyse\n");
    let error = shown(&["days", office.path()]);
    assert!(error.contains("`nyse` is not a known calendar"), "{error}");
    assert!(error.contains("hint: name its file with --calendar nyse=FILE\n"), "{error}");
    let value = json(&["days", office.path(), "--calendar", NYSE, "--json"]);
    assert_eq!(value["days"].as_array().map(Vec::len), Some(10));
}

#[test]
fn a_calendar_that_names_itself_is_a_circle() {
    let own = TextFile::new("self2.days", "*.*.* Mon-Fri\n- @self2\n");
    let error = shown(&["days", own.path()]);
    let message =
        "2:4: `self2` depends on this calendar itself: remove the line, or write out the days\n";
    assert!(error.contains(message) && !error.contains("hint"), "{error}");
    // Another calendar may have that name.
    let other = format!("self2={NYSE}");
    assert!(json(&["days", own.path(), "--calendar", &other, "--json"])["count"].is_number());
}

#[test]
fn a_calendar_without_days_is_an_error_at_its_last_line() {
    let none = TextFile::new("n.days", "*.*.* Mon-Fri\n- *.*.* # all\n# none\n");
    let message = "the calendar has no days: write at least one line that adds some";
    let expected = format!(
        "error: {}:2:3: {message}\n  |\n  | - *.*.* # all\n  |   ^^^^^\nexit status Some(2)\n",
        none.path()
    );
    assert_eq!(shown(&["days", none.path()]), expected);
    let next = ["next", "12:00:00 @n", "--calendar", &format!("n={}", none.path())];
    assert_eq!(shown(&next), expected);
}

/// Runs `days` with a text as its standard input.
fn days_of_input(text: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millicron"));
    let mut child = command
        .arg("days")
        .args(arguments)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("a reader");
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn events_of_an_icalendar_file_are_closed_days() {
    let imported = shown(&["days", "--import", &file("holidays.ics")]);
    insta::assert_snapshot!(imported);
    let output = millicron(&["days", "--import", &file("holidays.ics")]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let value: Value =
        serde_json::from_str(&days_of_input(&text, &["-", "--year", "2026", "--json"]))
            .expect("JSON");
    let closed = value["closed"].as_array().expect("dates");
    let expected = [
        "2026-01-01",
        "2026-03-02",
        "2026-03-03",
        "2026-05-01",
        "2026-09-09",
        "2026-11-26",
        "2026-12-24",
        "2026-12-25",
        "2026-12-28",
        "2026-12-29",
        "2026-12-30",
        "2026-12-31",
    ];
    assert_eq!(*closed, expected);
}

#[test]
fn events_of_an_icalendar_file_may_be_the_days() {
    let output = millicron(&["days", "--import", &file("holidays.ics"), "--open"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.starts_with("# From holidays.ics\n+ 2000-2100.01.01  # New Year's Day\n"),
        "{text}"
    );
    let value: Value =
        serde_json::from_str(&days_of_input(&text, &["-", "--year", "2027", "--json"]))
            .expect("JSON");
    assert_eq!(value["days"], serde_json::json!(["2027-01-01", "2027-11-26"]));
}

/// Writes an iCalendar file with an event that has some lines, and returns the dates that are imported, or what is
/// shown.
fn imported(lines: &str) -> String {
    imported_from("20260101", lines)
}

/// The same for an event that begins on another date.
fn imported_from(start: &str, lines: &str) -> String {
    let text = format!(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:{start}\nSUMMARY:A\n{lines}\n\
         END:VEVENT\nEND:VCALENDAR\n"
    );
    let file = TextFile::new("events.ics", &text.replace('\n', "\r\n"));
    let shown = shown(&["days", "--open", "--import", file.path()]);
    let shown = shown.replace("# From events.ics\n", "").replace(file.path(), "events.ics");
    shown.replace("+ ", "").replace("  # A\n", " ").trim_end().to_owned()
}

#[test]
fn rules_of_events_are_expanded() {
    for (lines, expected) in [
        ("", "2026-01-01"),
        ("RRULE:FREQ=YEARLY", "2026-2100.01.01"),
        ("RRULE:FREQ=YEARLY;INTERVAL=1;BYMONTH=1;BYMONTHDAY=1;WKST=SU", "2026-2100.01.01"),
        ("DTEND;VALUE=DATE:20260102\nRRULE:FREQ=YEARLY", "2026-2100.01.01"),
        ("RRULE:FREQ=YEARLY;COUNT=2", "2026-01-01 2027-01-01"),
        ("RRULE:FREQ=YEARLY;INTERVAL=50", "2026-01-01 2076-01-01"),
        ("rrule:wkst=mo;freq=yearly;", "2026-2100.01.01"),
        ("RRULE;X-NOTE=\"a:b\":FREQ=YEA\n RLY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2026-2100.01.01"),
        ("RRULE:FREQ=YEARLY;INTERVAL=65535", "2026-01-01"),
        ("RRULE:FREQ=MONTHLY;INTERVAL=65535", "2026-01-01"),
        ("RRULE:FREQ=YEARLY;UNTIL=20270101", "2026-01-01 2027-01-01"),
        ("RRULE:FREQ=YEARLY;UNTIL=20270101T000000Z", "2026-01-01 2027-01-01"),
        (
            "DTEND;VALUE=DATE:20260103\nRRULE:FREQ=YEARLY;COUNT=2",
            "2026-01-01..=2026-01-02 2027-01-01..=2027-01-02",
        ),
        ("RRULE:FREQ=WEEKLY;BYDAY=TH,FR;COUNT=3", "2026-01-01 2026-01-02 2026-01-08"),
        ("RRULE:FREQ=MONTHLY;BYDAY=1TH;COUNT=2", "2026-01-01 2026-02-05"),
        ("RRULE:FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20260102", "2026-01-01 2026-01-03"),
        (
            "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;WKST=SU;BYDAY=SU,TH",
            "2026-01-01 2026-01-11 2026-01-15",
        ),
        (
            "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;WKST=MO;BYDAY=SU,TH",
            "2026-01-01 2026-01-04 2026-01-15",
        ),
        ("RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", "2026-01-30 2026-02-27"),
        ("RRULE:FREQ=MONTHLY;BYMONTHDAY=31,-1;COUNT=3", "2026-01-31 2026-02-28 2026-03-31"),
        ("RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2", "2026-02-13 2026-03-13"),
        ("RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", "2026-01-30 2026-02-27"),
        ("RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=2", "2026-11-26 2027-11-25"),
        ("RRULE:FREQ=YEARLY;BYDAY=20MO;COUNT=2", "2026-05-18 2027-05-17"),
        ("RRULE:FREQ=YEARLY;BYYEARDAY=1,-1;COUNT=3", "2026-01-01 2026-12-31 2027-01-01"),
        // 2026 has 53 weeks, of which the last one ends in 2027.
        ("RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH,SU;COUNT=2", "2026-12-31 2027-01-03"),
        ("RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=2", "2026-05-11 2027-05-17"),
        ("RRULE:FREQ=DAILY;INTERVAL=10;COUNT=2", "2026-01-01 2026-01-11"),
        ("RDATE;VALUE=DATE:20260105,20260107", "2026-01-01 2026-01-05 2026-01-07"),
        ("DURATION:P1W", "2026-01-01..=2026-01-07"),
        ("DURATION:P99999999W", "2026-01-01..=2100-12-31"),
        (
            "RRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\nSTATUS:CANCELLED\n\
             RECURRENCE-ID;VALUE=DATE:20260102\nDTSTART:20260102T090000Z",
            "2026-01-01 2026-01-03",
        ),
        (
            "RRULE:FREQ=DAILY;COUNT=3\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\n\
             RECURRENCE-ID;VALUE=DATE:20260102\nDTSTART:20260102T090000Z",
            "2026-01-01 2026-01-03 note: left out: 1 event with a time of day",
        ),
        ("DTEND;VALUE=DATE:20251231", "2026-01-01"),
        ("RRULE;VALUE=RECUR:FREQ=DAILY;COUNT=2", "2026-01-01 2026-01-02"),
        ("RRULE;X-NOTE=\"a:b\":FREQ=DAILY;COUNT=2", "2026-01-01 2026-01-02"),
        ("RRULE:FREQ=YEARLY;UNTIL=99991231;INTERVAL=60", "2026-01-01 2086-01-01"),
    ] {
        assert_eq!(imported(lines), expected, "{lines}");
    }
}

#[test]
fn rules_of_events_before_2000_are_expanded() {
    for (start, lines, expected) in [
        ("19990101", "RRULE:FREQ=DAILY;COUNT=367", "2000-01-01 2000-01-02"),
        ("19990101", "RRULE:FREQ=DAILY;INTERVAL=3;UNTIL=20000105", "2000-01-02 2000-01-05"),
        (
            "19990101",
            "DURATION:P4D\nRRULE:FREQ=WEEKLY;UNTIL=20000108",
            "2000-01-01..=2000-01-03 2000-01-07..=2000-01-10",
        ),
        ("00011031", "RRULE:FREQ=MONTHLY;INTERVAL=7;UNTIL=20021231", "2002-01-31 2002-08-31"),
        ("00010101", "RRULE:FREQ=YEARLY;INTERVAL=3;UNTIL=20050101", "2002-01-01 2005-01-01"),
        ("19680229", "RRULE:FREQ=YEARLY;COUNT=10", "2000-02-29 2004-02-29"),
        // The rule skips whole weeks from that of its first date.
        (
            "20010103",
            "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3",
            "2001-01-05 2001-01-15 2001-01-19",
        ),
    ] {
        assert_eq!(imported_from(start, lines), expected, "{start} {lines}");
    }
}

#[test]
fn what_is_left_out_is_reported() {
    for (rule, what) in [
        ("FREQ=NEVER", "an invalid rule"),
        ("BYMONTH=1", "an invalid rule"),
        ("FREQ=YEARLY;FREQ=YEARLY", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTH", "an invalid rule"),
        ("FREQ=YEARLY;COUNT=0", "an invalid rule"),
        ("FREQ=YEARLY;COUNT=-1", "an invalid rule"),
        ("FREQ=YEARLY;INTERVAL=0", "an invalid rule"),
        ("FREQ=YEARLY;COUNT=2;UNTIL=20270101", "an invalid rule"),
        ("FREQ=YEARLY;UNTIL=20270231", "an invalid rule"),
        ("FREQ=YEARLY;UNTIL=2027", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTH=13", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTH=-1", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTHDAY=0", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTHDAY=257", "an invalid rule"),
        ("FREQ=YEARLY;BYMONTHDAY=1,,2", "an invalid rule"),
        ("FREQ=YEARLY;BYYEARDAY=367", "an invalid rule"),
        ("FREQ=YEARLY;BYWEEKNO=54", "an invalid rule"),
        ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "an invalid rule"),
        ("FREQ=YEARLY;BYDAY=54MO", "an invalid rule"),
        ("FREQ=YEARLY;BYDAY=É", "an invalid rule"),
        ("FREQ=YEARLY;BYSETPOS=1", "an invalid rule"),
        ("FREQ=MONTHLY;BYYEARDAY=1", "an invalid rule"),
        ("FREQ=MONTHLY;BYWEEKNO=1", "an invalid rule"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "an invalid rule"),
        ("FREQ=WEEKLY;BYDAY=1MO", "an invalid rule"),
        ("FREQ=WEEKLY;WKST=1", "an invalid rule"),
        ("FREQ=YEARLY;BYEASTER=0", "a rule with unknown parts"),
        ("FREQ=HOURLY;COUNT=3", "a rule with times of day"),
        ("RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=5L", "a rule that is not of the Gregorian calendar"),
        ("RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD", "a rule that moves dates"),
    ] {
        let start = imported(&format!("RRULE:{rule}"));
        assert_eq!(start, format!("2026-01-01 note: left out: {what} of `A`"), "{rule}");
    }
    for (lines, what) in [
        ("EXRULE:FREQ=YEARLY;COUNT=1", "a rule of exceptions"),
        ("RDATE;VALUE=PERIOD:20260105T090000Z/PT1H,20260106T090000Z/PT1H", "a period"),
        ("RDATE;VALUE=DATE:20260231", "an invalid date"),
        ("EXDATE;VALUE=DATE:tomorrow", "an invalid date"),
        ("RECURRENCE-ID;VALUE=DATE:20260231", "an invalid date"),
        ("DTEND;VALUE=DATE:20260231", "an invalid date"),
        ("DURATION:long", "an invalid date"),
    ] {
        let start = imported(lines);
        assert_eq!(start, format!("2026-01-01 note: left out: {what} of `A`"), "{lines}");
    }
    let unnamed =
        imported("END:VEVENT\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260102\nRRULE:FREQ=NEVER");
    let expected =
        "2026-01-01 2026-01-02\nnote: left out: an invalid rule of the event on 2026-01-02";
    assert_eq!(unnamed, expected);
    let same = imported("RRULE:RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=OMIT;COUNT=2");
    assert_eq!(same, "2026-01-01 2027-01-01");
    for start in ["DTSTART;VALUE=DATE:20260231", "SUMMARY:B"] {
        let none = imported(&format!("END:VEVENT\nBEGIN:VEVENT\n{start}"));
        assert_eq!(none, "2026-01-01 note: left out: 1 event without a valid date", "{start}");
    }
    let timed = imported("END:VEVENT\nBEGIN:VEVENT\nDTSTART:20260201T090000Z");
    assert_eq!(timed, "2026-01-01 note: left out: 1 event with a time of day");
    let later = imported("RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260101");
    assert_eq!(later, "2026-01-01 note: left out: a change of all later dates of `A`");
    for rule in ["FREQ=YEARLY;UNTIL=20200101", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"] {
        let none = imported(&format!("RRULE:{rule}"));
        let error = "error: there are no whole days in events.ics\nexit status Some(2)";
        assert_eq!(none, error, "{rule}");
    }
}

#[test]
fn the_newest_version_of_an_event_counts() {
    let replaced = |count: &str| {
        format!(" note: left out: {count} that another one with the same UID replaces")
    };
    for (versions, expected) in [
        // Versions of an event that is at first on 1 January: the date, and other lines.
        (&[("20260102", "")][..], "2026-01-02".to_owned() + &replaced("1 event")),
        (
            &[("20260103", "SEQUENCE:2"), ("20260102", "SEQUENCE:1")],
            "2026-01-03".to_owned() + &replaced("2 events"),
        ),
        (
            &[("20260102", "SEQUENCE:1\nSTATUS:CANCELLED")],
            "note: left out: 1 event that another one with the same UID replaces\n\
             error: there are no whole days in events.ics\nexit status Some(2)"
                .to_owned(),
        ),
        (
            &[("20260102", "SEQUENCE:-1\nSTATUS:CANCELLED")],
            "2026-01-01".to_owned() + &replaced("1 event"),
        ),
        // The changes of a cancelled event are cancelled, unless they are newer.
        (
            &[
                ("20260102", "RECURRENCE-ID;VALUE=DATE:20260101\nSEQUENCE:1"),
                ("20260105", "RECURRENCE-ID;VALUE=DATE:20260104\nSEQUENCE:3"),
                ("20260101", "STATUS:CANCELLED\nSEQUENCE:2"),
            ],
            "2026-01-05".to_owned() + &replaced("1 event"),
        ),
        // Each change has its own versions.
        (
            &[
                ("20260102", "RECURRENCE-ID;VALUE=DATE:20260101\nSEQUENCE:2"),
                ("20260103", "RECURRENCE-ID;VALUE=DATE:20260101\nSEQUENCE:1"),
            ],
            "2026-01-02".to_owned() + &replaced("1 event"),
        ),
        (
            &[
                ("20260102", "RECURRENCE-ID;VALUE=DATE:20260101"),
                ("20260103", "RECURRENCE-ID;VALUE=DATE:20260101\nSTATUS:CANCELLED"),
                ("20260106", "RECURRENCE-ID;VALUE=DATE:20260105"),
            ],
            "2026-01-06".to_owned() + &replaced("1 event"),
        ),
    ] {
        let version = |(date, lines): &(&str, &str)| {
            format!(
                "END:VEVENT\nBEGIN:VEVENT\nUID:1\nSUMMARY:A\nDTSTART;VALUE=DATE:{date}\n{lines}\n"
            )
        };
        let lines = versions.iter().map(version).collect::<String>();
        assert_eq!(imported(lines.trim_end()), expected, "{lines}");
    }
}

#[test]
fn an_incomplete_file_is_refused() {
    let text =
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260101\nSUMMARY:A\nEND:VEVENT\n";
    for (text, error) in [
        (
            text.to_owned(),
            "`END:VCALENDAR` is missing at the end\nhint: the file may be incomplete",
        ),
        (
            format!("{text}END:VCALENDAR\nrubbish\nEND:VCALENDAR\n"),
            "`rubbish` is not a line of iCalendar",
        ),
    ] {
        let file = TextFile::new("events.ics", &text);
        let shown = shown(&["days", "--import", file.path()]).replace(file.path(), "events.ics");
        assert_eq!(shown, format!("error: events.ics: {error}\nexit status Some(2)\n"));
    }
}

#[test]
fn lists_of_dates_are_imported() {
    insta::assert_snapshot!(shown(&["days", "--import", &file("holidays.txt")]));
    let list = TextFile::new("list.txt", "2026-01-01\n\n2026-13-01 x\n");
    let error = shown(&["days", "--import", list.path()]).replace(list.path(), "list.txt");
    let expected = "error: list.txt:3: `2026-13-01` is not a date\n\
                    hint: write dates such as 2026-12-25, one in each line\nexit status Some(2)\n";
    assert_eq!(error, expected);
}

#[test]
fn a_list_without_dates_is_refused() {
    let list = TextFile::new("list.txt", "# none yet\n1999-12-25\n");
    let shown = shown(&["days", "--import", list.path()]).replace(list.path(), "list.txt");
    let expected = "note: left out: 1 date before 2000 or after 2100\n\
                    error: there are no dates in list.txt\nexit status Some(2)\n";
    assert_eq!(shown, expected);
}

#[test]
fn an_import_is_written_to_a_file() {
    let directory = Directory::new("days-import");
    fs::write(directory.join("list.txt"), "2026-12-25;Christmas\n").expect("accessible directory");
    let import = ["days", "--import", "list.txt", "--output", "office.days"];
    let note = "note: the last date is 2026-12-25: later years have no holidays, unless you end the calendar in its first \
                line, as in `2000-2026.*.* Mon-Fri`\n";
    assert_eq!(shown_in(directory.path(), &import), note);
    let written = fs::read_to_string(directory.join("office.days")).expect("a calendar");
    assert_eq!(written, "# From list.txt\n*.*.* Mon-Fri\n- 2026-12-25  # Christmas\n");
    let next = ["next", "12:00:00 @office", "--calendar", "office.days", "--from", "2026-12-25"];
    assert!(shown_in(directory.path(), &next).starts_with("Mon 2026-12-28"));
}

#[test]
fn options_of_pictures_and_imports_exclude_each_other() {
    let list = file("holidays.txt");
    for more in [&["--year", "2026"][..], &["--json"], &["--format", "svg"], &[NYSE]] {
        let shown = shown(&[&["days", "--import", &list], more].concat());
        assert!(shown.contains("cannot be used with"), "{shown}");
        assert!(shown.ends_with("exit status Some(2)\n"), "{shown}");
    }
    let shown = shown(&["days", NYSE, "--open"]);
    assert!(shown.ends_with("exit status Some(2)\n"), "{shown}");
}
