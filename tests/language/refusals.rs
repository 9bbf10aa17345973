//! The texts that must be refused: which field the error names, where it
//! points, and what it says is allowed.

use millicron::Field::{Day, Hour, Millisecond, Minute, Month, Second, Weekday, Year};
use millicron::{Field, Schedule};

/// A text, and under it where the error has to point: it covers each `^`, may
/// cover each `~`, and touches nothing else. Then the field that the error is
/// about, and what the message says among other things.
type Refusal<'a> = (&'a str, &'a str, Field, &'a [&'a str]);

const TIME: &str = "HH:mm:ss";
const DATE: &str = "yyyy.MM.dd";

/// Something is wrong with the parts, their number or their order.
const FORM: &[Refusal] = &[
    ("", "", Hour, &["empty", TIME]),
    ("  \t ", "~~~~", Hour, &["empty", TIME]),
    ("*:*:* *.*.*", "~~~~~~^^^^^", Hour, &["last", DATE, TIME]),
    ("*.*.*", "~~~~~", Hour, &["hour", "missing", TIME]),
    ("*.*.* *", "~~~~~~~", Hour, &["hour", "missing", TIME]),
    ("*:*:* *", "~~~~~~^", Hour, &["last", DATE, TIME]),
    ("*:*:* * *", "~~~~~~^^^", Hour, &["last", DATE, TIME]),
    ("*:*:*:*", "     ^^", Second, &["second", TIME]),
    ("*.*", "~~~", Hour, &["hour", "missing", TIME]),
    ("*.*.*.*", "~~~~~~~", Hour, &["hour", "missing", TIME]),
    ("3-.32.32", "~~~~~~~~", Hour, &["hour", "missing", TIME]),
    ("2021.2 12:*:*", "     ~~", Day, &["day of month", "missing", DATE]),
    ("2021.2.29 12:*", "             ~", Second, &["second", "missing", TIME]),
    ("12:*.123", "   ~~", Second, &["second", "missing", TIME]),
    ("*.*. * 12:00:00", "   ~~", Day, &["day of month", "1-31", "32"]),
];

/// A value is not one of its field, or not a value.
const VALUES: &[Refusal] = &[
    ("tarabarschina", "^^^^^^^^^^^^^", Hour, &["hour", "`tarabarschina`", "0-23"]),
    ("-", "^", Hour, &["hour", "`-`", "0-23"]),
    ("a-b", "^", Hour, &["hour", "`a`", "0-23"]),
    ("1-8 12:00:00", "^^^", Month, &["month", DATE]),
    ("24:00:00", "^^", Hour, &["hour", "`24`", "0-23"]),
    ("1999.01.12 12:00:00", "^^^^", Year, &["year", "`1999`", "2000-2100"]),
    ("2000.13.01 12:00:00", "     ^^", Month, &["month", "`13`", "1-12", "Jan-Dec"]),
    ("2000.12.33 12:00:00", "        ^^", Day, &["day of month", "`33`", "1-31", "32"]),
    ("2000.12.0 12:00:00", "        ^", Day, &["day of month", "`0`", "1-31", "32"]),
    ("*.*.* 7 12:00:00", "      ^", Weekday, &["weekday", "`7`", "0-6", "Sun-Sat", "Sunday is 0"]),
    ("*.*.* Mo 12:00:00", "      ^^", Weekday, &["weekday", "`Mo`", "0-6", "Sun-Sat"]),
    ("+1:00:00", "^", Hour, &["hour", "`+`", "0-23"]),
    (
        "*:99999999999999999999:00",
        "  ^^^^^^^^^^^^^^^^^^^^",
        Minute,
        &["minute", "`99999999999999999999`", "0-59"],
    ),
    ("１:00:00", "^^^", Hour, &["hour", "`１`", "0-23", "ASCII"]),
    ("1:00:00.", "       ~", Millisecond, &["millisecond", "missing", "0-999"]),
    ("1,:00:00", " ~~", Hour, &["hour", "missing", "0-23"]),
    (",1:00:00", "~", Hour, &["hour", "missing", "0-23"]),
];

/// The values are right, but not what is made of them.
const ITEMS: &[Refusal] = &[
    (
        "*:*:*.100,200,*,400",
        "              ^",
        Millisecond,
        &["millisecond", "`*`", "alone", "0-999"],
    ),
    ("15-7:00:00", "^^^^", Hour, &["hour", "`15-7`", "`15-23,0-7`"]),
    ("*:*/0:00", "  ~~^", Minute, &["minute", "`0`", "1-"]),
    ("*:5/10:00", "  ^^^^", Minute, &["minute", "`5/10`", "`5-59/10`"]),
    ("2021.2.29 12:*:*", "~~~~~~~^^", Day, &["day of month", "never", "29 in leap years"]),
];

#[test]
fn the_form() {
    refuse(FORM);
}

#[test]
fn the_values() {
    refuse(VALUES);
}

#[test]
fn the_items() {
    refuse(ITEMS);
}

fn refuse(rows: &[Refusal]) {
    for (text, marks, field, words) in rows {
        let Err(error) = text.parse::<Schedule>() else {
            panic!("{text:?} is not of the language");
        };
        assert_eq!(error.kind().field(), *field, "{error:#}");

        let span = error.span();
        let must: Vec<usize> = places(marks, "^");
        let may: Vec<usize> = places(marks, "^~");
        assert!(must.iter().all(|place| span.contains(place)), "{span:?} {error:#}");
        assert!(span.clone().all(|place| may.contains(&place)), "{span:?} {error:#}");
        // Something that is missing has a place between two characters.
        let first = may.first().copied().unwrap_or(0);
        let last = may.last().map_or(0, |place| place + 1);
        assert!((first..=last).contains(&span.start), "{span:?} {error:#}");

        let message = error.to_string();
        for word in *words {
            assert!(message.contains(word), "{word:?} is not in {message:?}");
        }
    }
}

fn places(marks: &str, which: &str) -> Vec<usize> {
    let is_marked = |(_, mark): &(usize, char)| which.contains(*mark);
    marks.char_indices().filter(is_marked).map(|(place, _)| place).collect()
}

#[test]
fn schedules_that_would_never_fire() {
    for (text, field) in [
        ("2021.2.29 12:*:*", Day),
        ("*.2.30 0:0:0", Day),
        ("*.4.31 0:0:0", Day),
        ("*.2,4,6,9,11.31 0:0:0", Day),
        ("2001-2003,2100.feb.29 0:0:0", Day),
        ("*.2.30-32 0:0:0", Day),
        ("2021.2.28 3 0:0:0", Weekday),
        ("2021.*.31 4 0:0:0", Weekday),
        // The leap days of 2020, 2048 and 2076 are Saturdays; 2100 has none.
        ("2000-2019,2021-2047,2049-2075,2077-2100.2.29 6 0:0:0", Weekday),
    ] {
        let error = text.parse::<Schedule>().unwrap_err();
        assert_eq!(error.kind().field(), field, "{error:#}");
        assert!(error.to_string().contains("never"), "{error}");
        assert!(!error.span().is_empty(), "{error:#}");
    }
}

#[test]
fn what_looks_like_a_crontab_is_shown_the_form() {
    for text in ["*/5 * * * *", "0 9 * * 1-5", "0 0 1 1 *"] {
        let error = text.parse::<Schedule>().unwrap_err().to_string();
        assert!(error.contains("crontab") && error.contains("yyyy.MM.dd w HH:mm:ss"), "{error}");
    }
}

#[test]
fn the_repair_of_a_range_that_runs_downwards() {
    for (text, repair) in [
        ("15-7:00:00", "15-23,0-7"),
        ("*:50-10:00", "50-59,0-10"),
        ("*.11-2.1 0:0:0", "11-12,1-2"),
        ("*.*.* Fri-Mon 0:0:0", "Fri-Sat,Sun-Mon"),
    ] {
        let error = text.parse::<Schedule>().unwrap_err().to_string();
        assert!(error.contains(repair), "{error}");
        // What it says is what one may write.
        let (field, _) = error.split_once("runs downwards").unwrap();
        let offender = field.split('`').nth(1).unwrap();
        assert!(text.replace(offender, repair).parse::<Schedule>().is_ok(), "{error}");
    }
}

#[test]
fn the_long_form_shows_the_place() {
    let error = "*.*.* 7 12:00:00".parse::<Schedule>().unwrap_err();
    let long = format!("{error:#}");
    assert_eq!(long.lines().next(), Some(&error.to_string()[..]));
    let lines: Vec<&str> = long.lines().skip(1).collect();
    assert_eq!(lines, ["  |", "  | *.*.* 7 12:00:00", "  |       ^"]);
}

#[test]
fn the_carets_count_characters_and_not_bytes() {
    let error = "*.*.é１ 12:00:00".parse::<Schedule>().unwrap_err();
    assert_eq!(error.span(), 4..6);
    let long = format!("{error:#}");
    assert!(long.ends_with("\n  | *.*.é１ 12:00:00\n  |     ^"), "{long}");
}

#[test]
fn an_error_is_an_error() {
    fn is_error<E: std::error::Error + Clone + Eq + Send + Sync + 'static>(error: &E) -> String {
        assert_eq!(*error, error.clone());
        error.to_string()
    }
    let error = "24:00:00".parse::<Schedule>().unwrap_err();
    assert_eq!(is_error(&error), error.to_string());
    assert_ne!(error, "25:00:00".parse::<Schedule>().unwrap_err());
}
