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
