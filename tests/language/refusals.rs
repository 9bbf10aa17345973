//! Texts that are not schedules: which field the error names, where it points, and what
//! the message says.

use millicron::Field::{Day, Hour, Millisecond, Minute, Month, Second, Weekday, Year};
use millicron::{Field, Schedule};

/// A text and, below it, where the error must point: the span covers every `^`, may
/// cover a `~`, and nothing else. Then the field of the error, and words of the message.
pub(crate) type Refusal<'a> = (&'a str, &'a str, Field, &'a [&'a str]);

const TIME: &str = "HH:mm:ss";
const DATE: &str = "yyyy.MM.dd";

/// Parts or fields are missing, surplus or in the wrong order.
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

/// A value is missing, malformed or out of range.
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
        "2026.01.05/3b Mon 12:00:00",
        "              ^^^",
        Day,
        &["`Mon`", "business days", "leave it out"],
    ),
    ("*.*.15w 12:00:00", "      ^", Day, &["day of month", "`w`", "write `W`"]),
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
    ("9:30:00..16-17:00:00/5m", "           ^", Hour, &["`-`", "window", "plain numbers", TIME]),
    ("9:30:00..16:0W:00/5m", "             ^", Hour, &["`W`", "window", "plain numbers", TIME]),
];

/// The values are valid, but not their combination.
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
    ("*:*/90:00", "  ~~^^", Minute, &["minute", "one value", "`0`", "`00:00:00../90m`"]),
    ("*/24:00:00", "~~^^", Hour, &["hour", "one value", "`0`", "`00:00:00../24h`"]),
    ("*.*/12.1 0:0:0", "  ~~^^", Month, &["month", "one value", "`1`"]),
    ("*.*.5,*/31 0:0:0", "      ~~^^", Day, &["day of month", "one value", "`1`"]),
    ("*.*.* */7 0:0:0", "      ~~^", Weekday, &["weekday", "one value", "`0`"]),
    ("2021.2.29 12:*:*", "~~~~~~~^^", Day, &["never", "28 days"]),
];

#[test]
fn misplaced_parts_and_fields_are_refused() {
    refuse(FORM);
}

#[test]
fn invalid_values_are_refused() {
    refuse(VALUES);
}

#[test]
fn invalid_combinations_of_values_are_refused() {
    refuse(ITEMS);
}

pub(crate) fn refuse(rows: &[Refusal]) {
    for (text, marks, field, words) in rows {
        let Err(error) = text.parse::<Schedule>() else {
            panic!("{text:?} was parsed");
        };
        assert_eq!(error.kind().field(), *field, "{error:#}");

        let span = error.span();
        let must: Vec<usize> = places(marks, "^");
        let may: Vec<usize> = places(marks, "^~");
        assert!(must.iter().all(|place| span.contains(place)), "{span:?} {error:#}");
        assert!(span.clone().all(|place| may.contains(&place)), "{span:?} {error:#}");
        // If something is missing, the span is an empty one between two characters.
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
fn schedules_that_would_never_fire_are_refused() {
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
fn day_32_of_crontab_is_not_translated_to_the_last_day() {
    for line in ["0 9 32 * *", "0 9 1,32 * *", "0 9 1-32 * *"] {
        let error = line.parse::<Schedule>().unwrap_err().to_string();
        assert!(error.contains("crontab") && !error.contains("write"), "{error}");
    }
}

#[test]
fn repaired_descending_ranges_are_valid() {
    for (text, repair) in [
        ("15-7:00:00", "15-23,0-7"),
        ("*:50-10:00", "50-59,0-10"),
        ("*.11-2.1 0:0:0", "11-12,1-2"),
        ("*.*.* Fri-Mon 0:0:0", "Fri-Sat,Sun-Mon"),
    ] {
        let error = text.parse::<Schedule>().unwrap_err().to_string();
        assert!(error.contains(repair), "{error}");
        // The repaired text is a schedule.
        let (field, _) = error.split_once("runs downwards").unwrap();
        let offender = field.split('`').nth(1).unwrap();
        assert!(text.replace(offender, repair).parse::<Schedule>().is_ok(), "{error}");
    }
}

#[test]
fn alternate_form_shows_the_text_and_carets() {
    let error = "*.*.* 7 12:00:00".parse::<Schedule>().unwrap_err();
    let long = format!("{error:#}");
    assert_eq!(long.lines().next(), Some(&error.to_string()[..]));
    let lines: Vec<&str> = long.lines().skip(1).collect();
    assert_eq!(lines, ["  |", "  | *.*.* 7 12:00:00", "  |       ^"]);
}

#[test]
fn carets_count_columns_not_bytes() {
    let error = "*.*.é１ 12:00:00".parse::<Schedule>().unwrap_err();
    assert_eq!(error.span(), 4..6);
    let long = format!("{error:#}");
    assert!(long.ends_with("\n  | *.*.é１ 12:00:00\n  |     ^"), "{long}");
    // A wide character takes two columns.
    for (text, carets) in
        [("*.*.日 12:00:00", "    ^^"), ("日 25:00:00 x", "            ^"), ("🎉🎉", "^^")]
    {
        let error = text.parse::<Schedule>().unwrap_err();
        let long = format!("{error:#}");
        assert_eq!(long.lines().last(), Some(&*format!("  | {carets}")), "{long}");
    }
}

#[test]
fn parse_error_implements_the_common_traits() {
    fn is_error<E: std::error::Error + Clone + Eq + Send + Sync + 'static>(error: &E) -> String {
        assert_eq!(*error, error.clone());
        error.to_string()
    }
    let error = "24:00:00".parse::<Schedule>().unwrap_err();
    assert_eq!(is_error(&error), error.to_string());
    assert_ne!(error, "25:00:00".parse::<Schedule>().unwrap_err());
}
