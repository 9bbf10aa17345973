//! Random texts: the parser accepts the same texts as the oracle and reports a
//! well-formed error for every other, without panicking.

use std::fmt::Write;

use crate::support::generate::business_days::expression_with_calendar;
use crate::support::generate::calendars::calendar;
use crate::support::generate::unions::union;
use crate::support::generate::{cases, expression};
use crate::support::oracle::Oracle;
use crate::support::oracle::text::Sets;
use millicron::{Calendar, Language, ParseError, ParseErrorKind, Schedule};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Checks that the library and the oracle agree about a text, and that the error, if
/// there is one, is well formed.
fn check(text: &str) -> Result<(), TestCaseError> {
    let oracle = Sets::read(text).map(Oracle::of);
    match (text.parse::<Schedule>(), oracle) {
        (Ok(schedule), Some(oracle)) => {
            prop_assert!(!oracle.never_fires(), "{:?} never fires", text);
            prop_assert_eq!(schedule.next_event(0), oracle.next(0), "{:?}", text);
            prop_assert_eq!(schedule.count(..), oracle.total(), "{:?}", text);
            Ok(())
        }
        (Ok(_), None) => Err(TestCaseError::fail(format!("{text:?} is not a schedule"))),
        (Err(error), oracle) => {
            let is_never = matches!(error.kind(), ParseErrorKind::Never { .. });
            match oracle {
                Some(oracle) => {
                    prop_assert!(oracle.never_fires() && is_never, "{:?}: {}", text, error);
                }
                None => prop_assert!(!is_never, "{:?}: {}", text, error),
            }
            check_error(text, &error)
        }
    }
}

fn check_error(text: &str, error: &ParseError) -> Result<(), TestCaseError> {
    let span = error.span();
    prop_assert!(text.get(span.clone()).is_some(), "{:?} at {:?}", text, span);

    let short = error.to_string();
    prop_assert!(!short.is_empty() && !short.contains(['\n', '\r']), "{:?}: {}", text, short);
    // The message, an empty margin, the text, the carets.
    let long = format!("{error:#}");
    let lines: Vec<&str> = long.split('\n').collect();
    prop_assert_eq!(lines.len(), 4, "{:?}: {}", text, long);
    prop_assert_eq!(lines[0], short);
    let (shown, carets) = (lines[2], lines[3]);
    prop_assert!(carets.contains('^'), "{:?}: {}", text, long);
    if text.len() <= 64 && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        // The whole text is shown, with the carets below the span.
        let (margin, shown) = shown.split_at(shown.len() - text.len());
        prop_assert_eq!(shown, text);
        let mut expected = String::new();
        write!(expected, "{margin}{:1$}{2}", "", span.start, "^".repeat(span.len().max(1)))
            .unwrap();
        prop_assert_eq!(carets, expected);
    }

    prop_assert_eq!(text.parse::<Schedule>(), Err(error.clone()));
    let debug = format!("{error:?} {:?} {}", error.kind(), error.kind().field());
    prop_assert!(debug.contains("ParseError"));
    Ok(())
}

/// A change to a well-formed text.
#[derive(Clone, Debug)]
enum Edit {
    Insert(&'static str),
    Replace(&'static str),
    Remove,
    /// Appends a copy of the characters between two places.
    Repeat(Index),
    Cut,
}

/// Pieces of schedules, and of texts that look like schedules.
const PIECES: [&str; 76] = [
    "0",
    "1",
    "2",
    "5",
    "7",
    "9",
    "12",
    "24",
    "31",
    "32",
    "33",
    "60",
    "999",
    "1000",
    "2000",
    "2101",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    ".",
    ".",
    ":",
    ":",
    ",",
    "-",
    "/",
    "*",
    "*/",
    " ",
    "\t",
    "\n",
    "\r\n",
    "-11-22T",
    "Z",
    " UTC",
    "Europe/Berlin",
    "Sunday",
    "September",
    "09:30-16:00",
    "\u{a0}",
    "Jan",
    "sUN",
    "Mo",
    "+",
    "\0",
    "１",
    "é",
    "🕛",
    "L",
    "L-3",
    "L-30",
    "LW",
    "15W",
    "W",
    "#",
    "#2",
    "#5",
    "#L",
    "Fri#1",
    "|",
    " | ",
    "/7d",
    "/2w",
    "2026.01.05",
    "..",
    "..=",
    "24:00:00",
    "22:00:00..06:00:00/30m",
    "/15m",
    "/250ms",
    "1h",
    "h",
    "m",
    "s",
    "ms",
    "d",
];

fn edits() -> impl Strategy<Value = Vec<(Index, Edit)>> {
    let edit = prop_oneof![
        3 => select(&PIECES[..]).prop_map(Edit::Insert),
        3 => select(&PIECES[..]).prop_map(Edit::Replace),
        2 => Just(Edit::Remove),
        1 => any::<Index>().prop_map(Edit::Repeat),
        1 => Just(Edit::Cut),
    ];
    vec((any::<Index>(), edit), 1..4)
}

fn edited(text: &str, edits: &[(Index, Edit)]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for (place, edit) in edits {
        let place = place.index(characters.len() + 1);
        let next = characters.len().min(place + 1);
        match edit {
            Edit::Insert(piece) => drop(characters.splice(place..place, piece.chars())),
            Edit::Replace(piece) => drop(characters.splice(place..next, piece.chars())),
            Edit::Remove => drop(characters.drain(place..next)),
            Edit::Repeat(other) => {
                let other = other.index(characters.len() + 1);
                let (from, to) = (place.min(other), place.max(other));
                characters.extend_from_within(from..to);
            }
            Edit::Cut => characters.truncate(place),
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn mutated_schedules_parse_like_in_the_oracle(text in expression(), edits in edits()) {
        check(&edited(&text, &edits))?;
    }

    #[test]
    fn random_sequences_of_pieces_parse_like_in_the_oracle(pieces in vec(select(&PIECES[..]), 0..24)) {
        check(&pieces.concat())?;
    }
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn arbitrary_texts_parse_like_in_the_oracle(text in any::<String>(), bytes in vec(any::<u8>(), 0..200)) {
        check(&text)?;
        check(&String::from_utf8_lossy(&bytes))?;
    }
}

/// Texts in dialects and a phrase.
const IN_DIALECTS: [&str; 6] = [
    "0 9 * * MON-FRI",
    "0 0 12 ? * 6#3",
    "0 0 12 L-3W * ?",
    "CRON_TZ=Europe/Berlin 0 12 * * *",
    "Mon..Fri *-*~3..7/2 09:30:00.5 Europe/Berlin",
    "every weekday at 9:30",
];

/// Texts in which spans of errors may end anywhere: of schedules, calendars and dialects.
fn text_of_any_parser() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => expression(),
        4 => expression_with_calendar(),
        1 => union(),
        2 => calendar(&[]),
        1 => select(&IN_DIALECTS[..]).prop_map(str::to_owned),
    ]
}

/// Characters of two to four bytes: letters, a digit, a dash and a space.
const NON_ASCII: [&str; 6] = ["é", "Б", "１", "–", "\u{a0}", "🕛"];

proptest! {
    #![proptest_config(cases(40_000))]

    #[test]
    fn errors_have_spans_between_characters(
        text in text_of_any_parser(),
        place in any::<Index>(),
        character in select(&NON_ASCII[..]),
        replaced in 0..4_usize,
    ) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let place = place.index(places.len());
        let end = (place + replaced).min(places.len() - 1);
        let text = format!("{}{character}{}", &text[..places[place]], &text[places[end]..]);
        let of_schedules = Language::ALL.map(|it| it.read(&text).err().map(|error| error.span()));
        let of_calendar = Calendar::parse(&text).err().map(|error| error.span());
        for span in of_schedules.into_iter().chain([of_calendar]).flatten() {
            prop_assert!(text.get(span.clone()).is_some(), "{:?} at {:?}", text, span);
        }
    }
}

#[test]
fn parsing_takes_linear_time() {
    // 256 KiB or more each: with quadratic work, this test would take minutes.
    let long = |piece: &str| piece.repeat(1 << 18);
    let zeros = format!("{}1:0:0", long("0"));
    assert_eq!(zeros.parse(), "1:0:0".parse::<Schedule>());
    let items = format!("1{}:0:0", long(",1"));
    assert_eq!(items.parse(), "1:0:0".parse::<Schedule>());
    let spaces = format!("{0}*.*.*{0}1:0:0{0}", long(" \t"));
    assert_eq!(spaces.parse(), "1:0:0".parse::<Schedule>());
    for piece in [
        "9", "*", ",", ":", ".", " ", "\n", "-", "/", "a", "é", "1 ", "1:", "1,", "0-", "🕛",
        "Mon ", "1-1-", "a/", "1:1-",
    ] {
        check(&long(piece)).unwrap();
    }
}
