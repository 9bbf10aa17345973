//! Times and offsets on the command line.

use super::command::shown;

/// Runs `next` for one event.
fn next(arguments: &[&str]) -> String {
    shown(&[&["next", "-n", "1"], arguments].concat())
}

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
