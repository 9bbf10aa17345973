//! Phrases in plain English: the schedules that errors offer for them.

mod descriptions;
mod table;

use millicron::{Calendar, Dialect, Language, ParseErrorKind, Phrase, RecognizeError, Schedule};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::generate;
use crate::support::oracle::calendar::{Date, days};
use table::{NO_PHRASES, PHRASES};

fn parse(text: &str) -> Schedule {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:#}"))
}

fn recognize(text: &str) -> Phrase {
    Phrase::recognize(text).unwrap_or_else(|| panic!("{text} is not a phrase"))
}

fn schedules(text: &str) -> Vec<Schedule> {
    recognize(text).schedules().collect()
}

#[test]
fn phrases_mean_the_expected_schedules() {
    assert!(PHRASES.len() >= 60);
    for (phrase, expected) in PHRASES {
        let expected = expected.split(" OR ").filter(|text| !text.is_empty()).map(parse);
        let found = schedules(phrase);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{phrase}");
        // Neither case nor spaces matter.
        assert_eq!(schedules(&phrase.to_uppercase()), found, "{phrase}");
        assert_eq!(schedules(&format!("\n {} ", phrase.replace(' ', " \t "))), found, "{phrase}");
    }
}

#[test]
fn errors_offer_the_schedules_of_phrases() {
    let messages = PHRASES.iter().map(|(phrase, _)| {
        let error = phrase.parse::<Schedule>().expect_err(phrase);
        assert_eq!(error.kind(), ParseErrorKind::Phrase, "{phrase}");
        assert_eq!(error.span(), 0..phrase.len());
        assert_eq!(
            error.to_string(),
            format!("this is a phrase, not a schedule: {}", recognize(phrase)),
        );
        assert_eq!(error.plain().to_string(), error.to_string());
        let Err(RecognizeError::Unreadable { error: same, .. }) = Language::recognize(phrase)
        else {
            panic!("{phrase}")
        };
        assert_eq!(same, error);
        format!("{phrase}\n    {}\n", recognize(phrase))
    });
    let messages: String = messages.collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("phrases", messages);
    });
}

#[test]
fn an_error_of_a_dialect_offers_the_schedule_in_that_dialect() {
    let message = |dialect: Dialect, text: &str| dialect.parse(text).expect_err(text).to_string();
    let prefix = "this is a phrase, not a schedule: write";
    assert_eq!(
        message(Dialect::Crontab, "every weekday at 9:30"),
        format!("{prefix} `30 9 * * MON-FRI`")
    );
    assert_eq!(
        message(Dialect::Systemd, "every weekday at 9:30"),
        format!("{prefix} `Mon..Fri 09:30:00`")
    );
    assert_eq!(
        message(Dialect::Quartz, "every weekday at 9:30"),
        format!("{prefix} `0 30 9 ? * MON-FRI`")
    );
    assert_eq!(
        message(Dialect::Crontab, "every 7 minutes"),
        format!(
            "{prefix} `00:00:00../7m` in the language of millicron; the steps restart at midnight"
        )
    );
}

#[test]
fn a_phrase_too_long_for_an_error_is_named() {
    let text = "Every 30 minutes from 22:00 on Monday to Friday until 06:00 the next day";
    let error = text.parse::<Schedule>().unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Phrase);
    assert_eq!(error.plain().to_string(), "this is a phrase, not a schedule");
    assert_eq!(
        error.to_string(),
        "this is a phrase, not a schedule: `Phrase::recognize` returns the schedules that it may mean"
    );
    assert_eq!(schedules(text), [parse("*.*.* Mon-Fri 22:00:00..06:00:00/30m")]);
}

#[test]
fn more_times_than_a_union_has_members_are_left_to_several_schedules() {
    let phrase = |times| {
        let times: Vec<_> = (1..=times).map(|hour| format!("{hour}:{:02}", 3 * hour)).collect();
        recognize(&format!("at {}", times.join(", ")))
    };
    assert_eq!(phrase(16).schedules().count(), 1);
    assert_eq!(phrase(17).schedules().count(), 0);
    assert_eq!(
        phrase(17).to_string(),
        "one schedule cannot have exactly these times: write a schedule for each"
    );
}

#[test]
fn schedules_are_not_phrases() {
    for text in [
        "daily",
        "weekly",
        "monthly",
        "quarterly",
        "hourly",
        "monday",
        "Mon 9:30",
        "9:30",
        "9:00; 17:30",
        "*.*.* Mon 9:00:00; *.*.* Tue 10:00:00",
        "9:00:00 @nyse",
        "@daily",
        "*:*:*",
        "10:00:00 Mon",
        "Tues 10:00",
        "1:0:0.",
        "0 9 * * 1",
        "0 0 12 ? * MON-FRI",
        "Mon..Fri 09:30 Europe/Berlin",
    ] {
        assert!(Phrase::recognize(text).is_none(), "{text}");
        let kind = text.parse::<Schedule>().err().map(|error| error.kind());
        assert_ne!(kind, Some(ParseErrorKind::Phrase), "{text}");
    }
}

#[test]
fn texts_that_are_no_phrase_are_not_guessed() {
    for text in NO_PHRASES {
        assert!(Phrase::recognize(text).is_none(), "{text}: {}", recognize(text));
        let kind = text.parse::<Schedule>().err().map(|error| error.kind());
        assert_ne!(kind, Some(ParseErrorKind::Phrase), "{text}");
        let is_begun = ["at ", "every ", "on ", "twice "].iter().any(|it| text.starts_with(it));
        // A union has other errors, too.
        if is_begun && !text.contains(';') {
            assert_eq!(kind, Some(ParseErrorKind::UnknownPhrase), "{text}");
        }
    }
}

#[test]
fn a_union_is_not_offered_in_halves() {
    let error = |text: &str| text.parse::<Schedule>().expect_err(text);
    let wrong = error("every monday at 9; *.*.* Tue 25:00:00");
    assert_eq!(wrong.span(), 29..31);
    assert!(wrong.to_string().starts_with("hour `25` is out of range"));
    // With four meanings, each member is offered alone.
    let text = "every hour from 9 until 5; every hour from 8 until 10 pm";
    assert!(Phrase::recognize(text).is_none());
    assert_eq!((error(text).kind(), error(text).span()), (ParseErrorKind::Phrase, 0..25));
}

#[test]
fn phrases_name_calendars() {
    let days = Calendar::parse("*.*.* Mon-Fri\n- *.12.25\n+ 2026-05-02").expect("a calendar");
    let calendars = [("nyse", days.clone()), ("a_1-b", days)];
    for (phrase, expected) in [
        ("every weekday at 9:30 @nyse", "*.*.* Mon-Fri 09:30:00 @nyse"),
        ("every business day at 9:30 @nyse", "*.*.* B 09:30:00 @nyse"),
        ("Every day at 09:30, on the days of `a_1-b`", "09:30:00 @a_1-b"),
        (
            "at 9 on mondays on the days of `nyse`; at 10 @a_1-b",
            "*.*.* 1 09:00:00 @nyse; 10:00:00 @a_1-b",
        ),
        ("the last business day of the month at 9 @nyse", "*.*.* B#L 09:00:00 @nyse"),
        (
            "first business day at 9:00 and 17:30 @nyse",
            "*.*.* B#1 09:00:00 @nyse; *.*.* B#1 17:30:00 @nyse",
        ),
        (
            "on Mondays that fall on the 1st at noon; 10:00:00 @nyse",
            "*.*.1 1 12:00:00; 10:00:00 @nyse",
        ),
    ] {
        let expected = Schedule::parse_with(expected, &calendars).expect(expected);
        let found = recognize(phrase).schedules_with(&calendars).collect::<Vec<_>>();
        assert_eq!(found, [expected], "{phrase}");
        assert_eq!(recognize(phrase).schedules().count(), 0, "{phrase}");
    }
    assert!(Phrase::recognize("every weekday @nyse at 9:30").is_none());
    assert!(Phrase::recognize("every weekday at 9:30 @9x").is_none());
}

/// Whether a phrase has an event at a minute of a day.
type Rule = fn(&Date, i64) -> bool;

#[test]
fn phrases_agree_with_loops_over_all_minutes() {
    let rules: &[(&str, Rule)] = &[
        ("every 5 minutes", |_, minute| minute % 5 == 0),
        ("every 7 minutes", |_, minute| minute % 7 == 0),
        ("every other hour", |_, minute| minute % 120 == 0),
        ("every weekday at 9:30", |date, minute| (1..=5).contains(&date.weekday) && minute == 570),
        ("weekends at 10 am and 10 pm", |date, minute| {
            [0, 6].contains(&date.weekday) && [600, 1320].contains(&minute)
        }),
        ("first monday of the month at noon", |date, minute| {
            date.weekday == 1 && date.day <= 7 && minute == 720
        }),
        ("last friday of the month at 16:00", |date, minute| {
            date.weekday == 5 && date.day + 7 > date.month_length && minute == 960
        }),
        ("the last day of the month at 23:59", |date, minute| date.last_of_month && minute == 1439),
        ("last business day at noon", |date, minute| {
            let is_free = |day: usize| [0, 6].contains(&date.weekday_of(day));
            let rest = date.day + 1..=date.month_length;
            !is_free(date.day) && rest.into_iter().all(is_free) && minute == 720
        }),
        ("first business day of the month at noon", |date, minute| {
            let is_free = |day: usize| [0, 6].contains(&date.weekday_of(day));
            !is_free(date.day) && (1..date.day).all(is_free) && minute == 720
        }),
        ("quarterly at noon", |date, minute| date.day == 1 && date.month % 3 == 1 && minute == 720),
        ("every 20 minutes from 9:00 until 17:30 on Mondays", |date, minute| {
            date.weekday == 1 && (540..1050).contains(&minute) && minute % 20 == 0
        }),
        ("Friday the 13th at midnight", |date, minute| {
            date.weekday == 5 && date.day == 13 && minute == 0
        }),
        ("on the 13th if it falls on Friday at noon", |date, minute| {
            date.weekday == 5 && date.day == 13 && minute == 720
        }),
        ("monday, wednesday, or on friday at noon", |date, minute| {
            [1, 3, 5].contains(&date.weekday) && minute == 720
        }),
        ("on the 13th and on Fridays at noon", |date, minute| {
            (date.weekday == 5 || date.day == 13) && minute == 720
        }),
        ("every other day from 5 January 2026 at noon", |date, minute| {
            // 2026-01-05 is the 20,458th day since 1970.
            date.number >= 20_458 && date.number % 2 == 0 && minute == 720
        }),
        ("monday and thursday at 9 in June to August", |date, minute| {
            [1, 4].contains(&date.weekday) && (6..=8).contains(&date.month) && minute == 540
        }),
    ];
    let days = || days().iter().filter(|date| (2025..=2027).contains(&date.year));
    let (start, end) =
        (days().next().expect("days").number, days().next_back().expect("days").number);
    let range = start * 86_400_000..(end + 1) * 86_400_000;
    for (phrase, rule) in rules {
        let expected = days().flat_map(|date| {
            let minutes = (0..1440).filter(move |minute| rule(date, *minute));
            minutes.map(|minute| date.number * 86_400_000 + minute * 60_000)
        });
        let [schedule] = &schedules(phrase)[..] else { panic!("{phrase}") };
        assert!(schedule.events(range.clone()).eq(expected), "{phrase}: {schedule}");
    }
}

#[test]
fn long_texts_are_not_phrases() {
    let units = [
        "every ",
        "a",
        "9",
        "9:",
        "monday and ",
        "at 9, ",
        "the 1st, ",
        "every 5 minutes ",
        ",",
        "-",
        "of every hour ",
        "from 9 until 17 and ",
        "é",
        "1 hour ",
        "from 9 to 5 ",
        "at 9 and 5 and ",
        "every second monday ",
        "twenty-",
        ". ",
    ];
    for unit in units {
        let text = unit.repeat(100_000 / unit.len());
        assert!(Phrase::recognize(&text).is_none());
        assert!(Schedule::parse(&text).is_err());
        // The longest that are read.
        let _ = Phrase::recognize(&unit.repeat(30));
    }
}

/// Words of phrases.
const WORDS: [&str; 64] = [
    "every",
    "each",
    "other",
    "at",
    "on",
    "of",
    "in",
    "the",
    "a",
    "and",
    "or",
    ",",
    "-",
    "to",
    "from",
    "between",
    "until",
    "through",
    "next",
    "day",
    "days",
    "week",
    "month",
    "quarter",
    "year",
    "hour",
    "hours",
    "minute",
    "minutes",
    "second",
    "seconds",
    "ms",
    "5",
    "9",
    "17",
    "0",
    "31",
    "59",
    "2026",
    "9:30",
    "09:30:15.500",
    "24:00",
    "am",
    "pm",
    "noon",
    "midnight",
    "monday",
    "fridays",
    "weekday",
    "weekends",
    "business",
    "January",
    "december",
    "1st",
    "15th",
    "third",
    "last",
    "past",
    "nearest",
    "before",
    "that fall",
    "twice",
    "times",
    "five",
];

proptest! {
    #![proptest_config(generate::cases(40_000))]

    #[test]
    fn no_words_cause_a_panic(words in vec(select(&WORDS[..]), 1..12)) {
        let text = words.join(" ");
        if let Some(phrase) = Phrase::recognize(&text) {
            let message = phrase.to_string();
            prop_assert!(!message.is_empty());
            // Each offered text is a schedule.
            prop_assert_eq!(phrase.schedules().count(), message.matches("write `").count()
                + message.matches(", or `").count(), "{}: {}", text, message);
        }
    }

    #[test]
    fn no_text_causes_a_panic(text in "\\PC{0,80}|[a-z0-9:., -]{0,80}") {
        if let Some(phrase) = Phrase::recognize(&text) {
            prop_assert!(!phrase.to_string().is_empty());
        }
    }
}
