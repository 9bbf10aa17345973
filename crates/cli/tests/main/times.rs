//! Times and offsets on the command line.

use super::command::{millicron, shown};
use super::reading::next;

#[test]
fn times_with_a_weekday_may_have_any_number_of_words_before_the_zone() {
    for (time, event) in [
        ("friday 5:30pm Europe/Berlin", "Fri 2026-11-27 16:30:00"),
        ("friday at 5:30 pm Europe/Berlin", "Fri 2026-11-27 16:30:00"),
        ("Sun 22 Nov 2026 9:00 UTC", "Sun 2026-11-22 09:00:00"),
        ("Sun 22 Nov 2026 at 9:00 pm UTC", "Sun 2026-11-22 21:00:00"),
        ("Sun 2026-11-22 9:00 pm +01:00", "Sun 2026-11-22 20:00:00"),
    ] {
        assert_eq!(next(&["*:*:*", "--from", time]), format!("{event} +00:00\n"), "{time}");
    }
}

#[test]
fn times_of_mail_have_an_offset_or_a_known_zone() {
    for (time, event) in [
        ("Sat, 28 Nov 2026 13:58:00 +0900", "04:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 +0900 (JST)", "04:58:00"),
        ("28 Nov 2026 13:58:00 -0500", "18:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 GMT", "13:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 UT", "13:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 utc", "13:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 Z", "13:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 EST", "18:58:00"),
        ("Sat, 28 Nov 2026 13:58:00 Asia/Tokyo", "04:58:00"),
        ("Sat, 28 Nov 2026 13:58:00", "13:58:00"),
        ("28 Nov 2026 01:58 PM", "13:58:00"),
    ] {
        assert_eq!(
            next(&["*:*:*", "--from", time]),
            format!("Sat 2026-11-28 {event} +00:00\n"),
            "{time}"
        );
    }
    for name in ["JST", "IST", "CEST", "BST", "PST", "A"] {
        for date in ["Sat, 28 Nov 2026", "28 Nov 2026"] {
            let error = next(&["*:*:*", "--from", &format!("{date} 13:58:00 {name}")]);
            let expected = format!("error: unknown time zone `{name}`\nhint: ");
            assert!(error.starts_with(&expected), "{date} {name}: {error}");
        }
    }
}

#[test]
fn abbreviations_mean_standard_time() {
    for (time, event) in [
        ("Sat Nov 28 12:00:00 CET 2026", "Sat 2026-11-28 11:00:00"),
        ("Sun Oct 25 02:30:00 CET 2026", "Sun 2026-10-25 01:30:00"),
        ("2026-10-25 3:30 EET", "Sun 2026-10-25 01:30:00"),
        ("2026-07-11 12:00 EST", "Sat 2026-07-11 17:00:00"),
        // No abbreviations.
        ("2026-07-11 12:00 GB", "Sat 2026-07-11 11:00:00"),
        ("2026-07-11 12:00 Europe/Berlin", "Sat 2026-07-11 10:00:00"),
    ] {
        assert_eq!(next(&["*:*:*", "--from", time]), format!("{event} +00:00\n"), "{time}");
    }
    for name in ["CET", "EET", "WET", "MET", "cet"] {
        for (time, hint) in [
            (format!("Sat Jul 11 12:00:00 {name} 2026"), "write the output of `date -R`"),
            (format!("2026-07-11 12:00 {name}"), "write an offset such as `+01:00`"),
        ] {
            let error = next(&["*:*:*", "--from", &time]);
            let name = name.to_ascii_uppercase();
            let expected = format!(
                "error: the clocks of {name} show summer time at 2026-07-11 12:00:00\nhint: {hint}"
            );
            assert!(error.starts_with(&expected), "{time}: {error}");
        }
    }
    let skipped = next(&["*:*:*", "--from", "2026-03-29 2:30 CET"]);
    let expected = "error: the clocks of CET show summer time at 2026-03-29 02:30:00\nhint: ";
    assert!(skipped.starts_with(expected), "{skipped}");
}

#[test]
fn offsets_are_whole_minutes_and_less_than_a_day() {
    for offset in ["+23:59", "-23:59", "+0130", "-03"] {
        let time = next(&["9:00:00", "--json", "--zone", offset]);
        assert!(time.contains("T09:00:00.000"), "{offset}: {time}");
    }
    for offset in ["+01:23:45", "-00:00:01", "+24:00", "-24:00", "+25:59"] {
        for arguments in [&["--zone", offset][..], &["--from", &format!("9:00 {offset}")]] {
            let error = next(&[&["9:00:00"], arguments].concat());
            assert!(error.ends_with("exit status Some(2)\n"), "{offset}: {error}");
        }
    }
    for name in ["UTC+24", "UTC-25"] {
        let error = next(&["9:00:00", "--zone", name]);
        assert!(error.contains("an offset such as `+02:00`"), "{error}");
    }
}

#[test]
fn times_are_read_as_people_write_them() {
    let times = [
        "now",
        "Today",
        "tomorrow",
        "yesterday",
        "tomorrow 9:00",
        "tomorrow at 9:00",
        "today 17:30:15.250",
        "tomorrow noon",
        "midnight",
        "sunday",
        "monday",
        "Fri 17:30",
        "9:30",
        "09:30:15",
        "9am",
        "5:30pm",
        "5:30 PM",
        "in 2 hours",
        "in 90m",
        "+1h",
        "-1d",
        "2 hours ago",
        "1 month ago",
        "P1D",
        "in 1 week 2 days",
        "2026-03-28",
        "2026-03-28 9:00",
        "2026-03-28 09:00",
        "2026-03-28T09:00",
        "2026-03-28T09:00:00Z",
        "2026-03-28T09:00:00+01:00",
        "2026-03-28T09:00:00-04:00[America/New_York]",
        "2026-03-28 09:00:00 +01:00",
        "Sat 2026-03-28 09:00:00.500 +01:00",
        "Sat, 28 Mar 2026 09:00:00 +0100",
        "@1774684800",
        "@1774684800.250",
        "2026-03-28 09:00 UTC",
        "2026-03-28 9am America/New_York",
        "tomorrow Asia/Tokyo",
        "2026-03-28 09:00 -02:00",
        "2026-03-28T09:00[Asia/Tokyo]",
        "2026-10-25 02:30",
        "2026-10-25 02:30 +01:00",
        "2026-03-28 9:00Z",
        "20260328T090000Z",
        "Sat 2026-03-28 9:00",
        "28 Mar 2026",
        "28 March 2026 9am",
        "Mar 28, 2026 at 9:00",
        "March 28 2026 9:00 UTC",
        "Sat Mar 28 09:00:00 UTC 2026",
        "Sun Mar  1 09:00:00 PM EST 2026",
    ];
    let read = |time: &str| {
        let from = format!("--from={time}");
        let event = next(&["*:*:*.*", "--zone", "Europe/Berlin", &from]);
        format!("{time:45} {event}")
    };
    insta::assert_snapshot!(times.map(read).concat());
}

#[test]
fn times_of_the_help_are_read() {
    let help = shown(&["--help"]);
    let (_, times) = help.split_once("\nTimes:\n").expect("times");
    let (times, _) = times.split_once("\n\n").expect("the end of the times");
    let times = times.lines().flat_map(|line| line.trim().split(", ")).collect::<Vec<_>>();
    assert!(times.len() >= 10, "{times:?}");
    for time in times {
        assert!(millicron(&["next", "9:00:00", "--from", time]).status.success(), "{time}");
    }
}

#[test]
fn other_times_are_refused() {
    let times = [
        "",
        "tomorow",
        "9",
        "2026",
        "25:00",
        "9:60",
        "13pm",
        "2026-02-30",
        "2026-13-01",
        "today 25:00",
        "tomorrow 1 2",
        "now 9:00",
        "in",
        "in 99999999999 years",
        "1.5",
        "@",
        "@x",
        "@1774684800.2.5",
        "@1h 1",
        "2026-11",
        "next friday",
        "24:00",
        "tomorrow 9:00 x",
        "9:00 Friday",
        "14:30 PM",
        "tomorrow morning",
        "2026-11-22T09:00[",
        "2026-11-22T09:00+05:00[Europe/Berlin]",
        "９:00",
        "2026-03-28T09:00:00+99:00",
        "22 Nov 26",
        "Nov 22",
        "31 Feb 2026",
        "22 Nov 2026x",
        "Mon Nov 22 09:00:00 UTC 2026",
    ];
    for time in times {
        let from = format!("--from={time}");
        let output = next(&["*:*:*.*", &from]);
        assert!(
            output.starts_with(&format!("error: `{time}` is not a time\nhint: ")),
            "{time}: {output}"
        );
        assert!(output.ends_with("exit status Some(2)\n"), "{time}: {output}");
    }
    insta::assert_snapshot!(next(&["*:*:*", "--from", "tomorow"]));
}

#[test]
fn the_reason_why_a_date_or_a_time_is_refused_is_named() {
    let times = [
        ("2026-02-30", "2026-02 has 28 days"),
        ("2028-02-30 9:00", "2028-02 has 29 days"),
        ("2026-11-00", "2026-11 has 30 days"),
        ("2026-13-01T09:00Z", "months are from 01 to 12"),
        ("10000-12-31", "write a time in the years 2000 to 2100, which have events"),
        ("Mon 2026-11-24", "2026-11-24 is a Tuesday"),
        ("sunday 2026-11-24 9:00 UTC", "2026-11-24 is a Tuesday"),
        ("2026-11-22 24:00", "times of day are from 00:00:00 to 23:59:59"),
        ("tomorrow 9:60", "times of day are from 00:00:00 to 23:59:59"),
        ("25:00", "times of day are from 00:00:00 to 23:59:59"),
    ];
    for (time, reason) in times {
        let output = next(&["*:*:*", "--from", time]);
        let expected = format!("error: `{time}` is not a time\nhint: {reason}\n");
        assert!(output.starts_with(&expected), "{time}: {output}");
    }
}

#[test]
fn times_in_unknown_zones_and_too_far_away_are_refused() {
    let times = [
        "2026-11-22T09:00[Europe/Berln]",
        "2026-11-22T09:00+01:00[Foo/Bar]",
        "2026-11-22T09:00+05:00[Europe/Berlin]",
        "tomorrow 9:00 Europe/Berln",
        "2026-11-22 9:00 UTC+2",
        "Sun Nov 22 09:00:00 CEST 2026",
        "Sun Nov 22 09:00:00 AM PST 2026",
        "Sun Nov 22 09:00:00 Europe/Berln 2026",
        "2026-11-22 9:00 CEST",
        "9:00 berlin",
        "tomorrow 9:00 Berlin",
        "2026-11-22 09:00 Munich",
        "9999-12-31",
        "in 9000 years",
    ];
    insta::assert_snapshot!(times.map(|time| next(&["*:*:*", "--from", time])).concat());
    let explain = shown(&["explain", "12:00:00", "--now", "9999-12-30"]);
    assert!(explain.contains("\nNext events\n  none\n"), "{explain}");
}

#[test]
fn times_and_zones_may_begin_with_a_minus() {
    let between = shown(&["between", "0 0 * * *", "-2d", "-1d", "--json", "--format", "%F"]);
    assert!(between.starts_with("error: the argument '--json' cannot be used"), "{between}");
    assert_eq!(
        shown(&["between", "0 0 * * *", "-2d", "-1d", "--zone", "-02:00"]),
        "Sat 2026-11-21 00:00:00 -02:00\n"
    );
    assert_eq!(shown(&["count", "0 0 * * *", "-P2D", "now"]), "2\n");
    assert_eq!(shown(&["matches", "* * * * *", "-1d", "--quiet"]), "");
    assert_eq!(shown(&["next", "0 9 * * *", "-n1", "--now", "-1d", "--tz=UTC"]).len(), 31);
    insta::assert_snapshot!(
        shown(&["matches", "* * * * *", "--within", "-1m"])
            + &shown(&["between", "0 0 * * *", "--frmo", "now", "tomorrow"])
    );
}

#[test]
fn a_time_that_the_clocks_skip_is_the_end_of_the_gap() {
    let event = "Sun 2026-03-29 03:00:00 +02:00  for 02:30, which the clocks skip\n";
    let skips = "note: the clocks of Europe/Berlin skip 2026-03-29 02";
    for time in [
        "2026-03-29 2:30",
        "2026-03-29 02:59:59.999",
        "2026-03-29 2:30 Europe/Berlin",
        "2026-03-29T02:30[Europe/Berlin]",
        // The same instant as the end of the gap.
        "2026-03-29 2:00",
        "2026-03-29 3:00",
    ] {
        let shown = next(&["30 2 * * *", "--zone", "Europe/Berlin", "--from", time]);
        assert!(shown.starts_with(event), "{time}: {shown}");
        assert_eq!(shown.contains(skips), !time.ends_with(":00"), "{time}: {shown}");
    }
    // The note is written once, in whatever zone the schedule is.
    for (now, zone) in [
        ("2026-03-29 2:30", "Europe/Berlin"),
        ("2026-03-29 2:30 Europe/Berlin", "Europe/Berlin"),
        ("2026-03-29T02:30[Europe/Berlin]", "UTC"),
    ] {
        for command in ["explain", "next", "day"] {
            let shown = shown(&[command, "30 2 * * *", "--zone", zone, "--now", now]);
            assert_eq!(shown.matches(skips).count(), 1, "{command} at {now}: {shown}");
        }
    }
    let berlin = |arguments: &[&str]| {
        shown(&[arguments, &["2026-03-29 2:30", "--zone", "Europe/Berlin"]].concat())
    };
    insta::assert_snapshot!(
        berlin(&["between", "* * * * *", "2026-03-29 1:58"])
            + &berlin(&["matches", "30 2 * * *"])
            + &next(&["9:00:00", "--zone", "Pacific/Apia", "--from", "2011-12-30 5:00"])
    );
}
