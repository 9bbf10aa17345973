//! Tests of the playground's answers, with jiff's time zones. `tests/playground` tests the page.

use jiff::tz::TimeZone;
use millicron_playground::{Answer, Explanation, Question};
use proptest::prelude::*;

/// 2026-03-28 12:00:00 UTC, the day before Berlin's clocks go forward.
const NOW: f64 = 1_774_699_200_000.0;

fn ask(text: &str, language: &str, zone: &str) -> Answer {
    ask_with("", text, language, zone)
}

fn ask_with(calendars: &str, text: &str, language: &str, zone: &str) -> Answer {
    Answer::new::<TimeZone>(&Question::new(text, calendars, language, zone, NOW, 0, 900))
}

fn explain(text: &str, zone: &str) -> Explanation {
    *ask(text, "", zone).explanation.expect("a schedule")
}

#[test]
fn schedules_are_explained_in_the_zone_chosen() {
    let explanation = explain("2:30:00", "Europe/Berlin");
    assert_eq!(explanation.keyword, "millicron");
    assert_eq!(explanation.description, "Every day at 02:30, in Europe/Berlin.");
    assert!(
        explanation.clocks.starts_with("Events that the clocks skip fire at the first instant")
    );
    assert_eq!(explanation.zone, None);
    assert_eq!(explanation.year, 2026);
    assert!(explanation.calendar.contains("2026: 365 events on 365 days."));
    let events =
        explanation.events.iter().map(|it| format!("{} {} {}", it.weekday, it.local, it.offset));
    let events: Vec<_> = events.collect();
    assert_eq!(events.len(), 10);
    assert_eq!(events[..2], ["Sun 2026-03-29 03:00:00 +02:00", "Mon 2026-03-30 02:30:00 +02:00"]);
}

#[test]
fn a_zone_in_the_text_wins_over_the_zone_chosen() {
    for text in [
        "Mon..Fri 09:30 Europe/Berlin",
        "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI",
        "*.*.* Mon-Fri 09:30:00 Europe/Berlin",
    ] {
        let explanation = explain(text, "America/New_York");
        assert_eq!(explanation.zone.as_deref(), Some("Europe/Berlin"), "{text}");
        assert_eq!(explanation.events[0].local, "2026-03-30 03:30:00", "{text}");
        assert_eq!(explanation.events[0].offset, "-04:00", "{text}");
        assert!(explanation.description.ends_with("in Europe/Berlin."), "{text}");
    }
}

#[test]
fn each_language_has_the_text_or_what_it_lacks() {
    let explanation = explain("CRON_TZ=Europe/Berlin 30 9 * * MON-FRI", "UTC");
    let writings = explanation
        .writings
        .iter()
        .map(|it| (it.keyword, it.text.as_deref().or(it.missing.as_deref()).unwrap_or_default()));
    assert!(writings.eq([
        ("millicron", "*.*.* 1-5 09:30:00 Europe/Berlin"),
        ("crontab", "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI"),
        ("quartz", "Quartz has no time zones in its schedules"),
        ("cron_crate", "the cron crate has no time zones in its schedules"),
        ("systemd", "Mon..Fri 09:30:00 Europe/Berlin"),
    ]));
}

#[test]
fn descriptions_are_those_of_the_language() {
    // The missing year 2100 of Quartz is not mentioned.
    let text = "0 0 12 ? * FRI#2";
    let explanation = explain(text, "Europe/Berlin");
    assert_eq!(explanation.keyword, "quartz");
    let description = "On the second Friday of the month at noon";
    assert_eq!(explanation.description, format!("{description}, in Europe/Berlin."));
    let choices = ask(text, "crontab", "UTC").choices;
    let choices = choices.iter().map(|it| (it.keyword, it.description.as_str()));
    assert!(choices.eq([("quartz", description)]));
}

#[test]
fn distances_of_events_are_rounded() {
    let events = explain("*.*.* 02:30:00", "UTC").events;
    let distances = events.iter().map(|it| it.distance.as_str()).collect::<Vec<_>>();
    assert_eq!(distances[..3], ["14h 30m", "1d 15h", "2d 15h"]);
}

#[test]
fn clock_changes_of_two_years_are_listed() {
    let changes = |zone| {
        let changes = explain("*:30:00", zone).changes;
        changes.into_iter().map(|change| change.clocks).collect::<Vec<_>>()
    };
    assert_eq!(
        changes("Africa/Cairo"),
        [
            "Fri 2026-04-24: the clocks go from 00:00 to 01:00",
            "Fri 2026-10-30: the clocks go from 00:00 to 23:00 on Thu 2026-10-29",
            "Fri 2027-04-30: the clocks go from 00:00 to 01:00",
            "Fri 2027-10-29: the clocks go from 00:00 to 23:00 on Thu 2027-10-28",
        ]
    );
    assert_eq!(changes("UTC"), [""; 0]);
}

#[test]
fn errors_are_located_in_utf_16_code_units() {
    let places = [
        ("0 25 * * *", (2, 4)),
        // A character of two code units and four bytes.
        ("1:\u{1F552}:00", (2, 4)),
        ("１:00:00", (0, 1)),
        ("12:00:00 Europe/Berlim", (9, 22)),
        ("*.*.* Mo 12:00:00", (6, 8)),
        // Something is missing at the end.
        ("12:", (3, 3)),
    ];
    for (text, place) in places {
        let problem = ask(text, "", "UTC").problem.expect("an error");
        assert_eq!((problem.start, problem.end), place, "{text}: {}", problem.message);
    }
}

#[test]
fn ambiguous_texts_have_choices() {
    let answer = ask("0 30 9 * * 1-5", "", "UTC");
    assert_eq!(answer.problem, None);
    assert!(answer.explanation.is_none());
    let choices = answer.choices.iter().map(|it| (it.keyword, it.description.as_str()));
    assert!(choices.eq([
        ("crontab", "At 09:30 on Monday to Friday"),
        ("cron_crate", "At 09:30 on Monday to Thursday and Sunday"),
    ]));
    assert!(ask("0 30 9 * * 1-5", "cron_crate", "UTC").explanation.is_some());
}

#[test]
fn phrases_have_offers() {
    let offers = |text, language| {
        let answer = ask(text, language, "UTC");
        let problem = answer.problem.expect("a phrase is not a schedule");
        let offers = answer.offers.into_iter().map(|it| (it.text, it.description));
        (problem.message, problem.hint, offers.collect::<Vec<_>>())
    };
    let (message, hint, offered) = offers("every 15 minutes between 9 and 17", "");
    assert_eq!(
        message,
        "this is a phrase, not a schedule: write `09:00:00..17:00:00/15m` (end excluded), or \
         `09:00:00..=17:00:00/15m` (end included)"
    );
    assert_eq!(hint, None);
    let expected = [
        ("09:00:00..17:00:00/15m", "Every 15 minutes from 09:00 until 17:00"),
        ("09:00:00..=17:00:00/15m", "Every 15 minutes from 09:00 through 17:00"),
    ];
    assert!(offered.iter().map(|(text, it)| (text.as_str(), it.as_str())).eq(expected));

    let (_, hint, offered) = offers("every weekday at 9:30", "crontab");
    assert!(hint.is_none_or(|hint| !hint.contains("millicron")));
    assert_eq!(offered[0].0, "30 9 * * MON-FRI");

    // Longer than an error's excerpt.
    let text = "every 30 minutes from 22:00 on Monday to Friday until 06:00 the next day";
    let (message, hint, offered) = offers(text, "");
    assert_eq!(message, "this is a phrase, not a schedule");
    assert_eq!(hint.as_deref(), Some("write `*.*.* 1-5 22:00:00..06:00:00/30m`"));
    assert_eq!(offered.len(), 1);

    assert_eq!(offers("every other day", "").2, []);
    assert_eq!(offers("every day at noon Europe/Berlin", "").2[0].0, "12:00:00 Europe/Berlin");
    let problem = ask("every day at noon foo", "", "UTC").problem.expect("an unknown word");
    assert_eq!((problem.start, problem.end, problem.hint), (18, 21, None));
    assert_eq!(
        offers("every day at noon foo", "").0,
        "`foo` is neither part of a phrase nor a time zone: without it, the text is a phrase"
    );
    assert_eq!(offers("every day at noon foo", "millicron").2, []);
    assert_eq!(offers("every day at 9:30 UTC+2", "").2, []);
}

#[test]
fn a_text_of_another_language_than_the_one_chosen_has_choices() {
    let answer = ask("30 9 * * MON-FRI", "quartz", "UTC");
    assert!(answer.problem.is_some());
    assert!(answer.choices.iter().map(|it| it.keyword).eq(["crontab"]));
}

#[test]
fn no_question_panics() {
    let texts =
        ["", " ", "*", "*:*:*.*", "2100.12.31 23:59:59.999", "2000.1.1 0:0:0", "\u{0}", "😀"];
    for text in texts {
        for zone in ["UTC", "Pacific/Apia", "Nowhere", ""] {
            for now in [f64::NAN, f64::MIN, f64::INFINITY, 0.0, NOW, 8.64e15] {
                for (year, width) in [(i32::MIN, 0), (0, 900), (i32::MAX, 10_000)] {
                    let question = Question::new(text, "", "", zone, now, year, width);
                    let answer = Answer::new::<TimeZone>(&question);
                    assert!(answer.problem.is_some() || answer.explanation.is_some(), "{text}");
                }
            }
        }
    }
}

/// A calendar whose first holiday after [`NOW`] is Good Friday, 2026-04-03, and one that names it.
const CALENDARS: &str = "\
    # Two calendars\n\
    [office]\n\
    *.*.* Mon-Fri\n\
    - *.Easter-2   # Good Friday\n\
    \n\
    [late]\n\
    @office\n\
    - *.*.* Mon\n";

#[test]
fn calendars_are_used_and_their_closed_days_are_drawn() {
    let answer = ask_with(CALENDARS, "*.*.* 09:30:00 @office", "", "Europe/Berlin");
    let explanation = answer.explanation.expect("a schedule");
    let days: Vec<_> = explanation.events.iter().map(|it| &it.local[..10]).collect();
    assert_eq!(days[3..6], ["2026-04-02", "2026-04-06", "2026-04-07"]);
    assert!(explanation.description.contains("office"), "{}", explanation.description);
    assert!(explanation.calendar.contains("not a day of office"));
    assert!(explanation.calendar.contains("Closed from Monday to Friday: 3 April."));

    // In the text's time zone, and in a chosen language.
    let text = "*.*.* B#1 09:30:00 @late America/New_York";
    let explanation = ask_with(CALENDARS, text, "millicron", "UTC").explanation;
    let explanation = explanation.expect("a schedule");
    assert_eq!(explanation.events[0].local, "2026-04-01 13:30:00");

    let answer = ask_with(CALENDARS, "*.*.* 09:30:00 @office", "crontab", "UTC");
    assert!(answer.choices.iter().map(|it| it.keyword).eq(["millicron"]));
}

#[test]
fn phrases_with_calendars_have_offers() {
    let offers = |calendars, text| {
        let answer = ask_with(calendars, text, "", "UTC");
        assert!(answer.problem.is_some(), "a phrase is not a schedule");
        let texts = answer.offers.into_iter().map(|it| it.text).collect::<Vec<_>>();
        let is_valid = |text| ask_with(calendars, text, "", "UTC").explanation.is_some();
        assert!(texts.iter().all(|text| is_valid(text)), "{texts:?}");
        texts
    };
    let phrase = "every business day at 9:30 @office";
    assert_eq!(offers(CALENDARS, phrase), ["*.*.* B 09:30:00 @office"]);
    let in_zone = offers(CALENDARS, "every day at noon @late Europe/Berlin");
    assert_eq!(in_zone, ["12:00:00 @late Europe/Berlin"]);
    assert_eq!(offers("", phrase), [""; 0]);
    assert_eq!(offers(CALENDARS, "every day at noon @nyse"), [""; 0]);
}

#[test]
fn unions_are_explained() {
    let text = "*.*.* 09:30:00 @office; *.*.* Sat 12:00:00";
    let answer = ask_with(CALENDARS, text, "", "UTC");
    let events = answer.explanation.expect("a schedule").events;
    assert_eq!(events[0].local, "2026-03-30 09:30:00");
    assert_eq!(events[4].local, "2026-04-04 12:00:00");
}

#[test]
fn errors_in_calendars_have_line_and_column() {
    let problems = [
        (
            "[office]\n*.*.* Mon-Fri\n- *.13.25",
            "line 3, column 5: month `13` is out of range: expected 1-12, or Jan-Dec",
            "13",
        ),
        // Two code units and four bytes.
        ("[office]\r\n*.*.*\r\n\u{1F552} 1", "line 3, column 1: ", "\u{1F552}"),
        (
            "# é\n[office]\n@late",
            "line 3, column 2: `late` is not a known calendar: expected `office`",
            "late",
        ),
        ("[a]\n@b\n[b]\n@a", "line 2, column 2: `b` depends on this calendar itself", "b"),
        (
            "[office]\n*.*.*\n [late]\n# none",
            "line 3, column 2: the calendar has no days",
            "[late]",
        ),
        (
            "[office]\n*.*.*\n[office]\n",
            "line 3, column 1: another calendar has the same name",
            "[office]",
        ),
        ("\n*.*.* Mon-Fri", "line 2, column 1: the calendar has no name", "*.*.* Mon-Fri"),
        (
            "[of fice]\n*.*.*",
            "line 1, column 1: `of fice` is not the name of a calendar",
            "[of fice]",
        ),
        ("[office\n*.*.*", "line 1, column 1: `[office` is not the name of a calendar", "[office"),
    ];
    for (calendars, message, marked) in problems {
        // Even if the schedule does not name one.
        let problem = ask_with(calendars, "12:00:00", "", "UTC").problem.expect("an error");
        assert!(problem.in_calendars);
        let found = problem.message.strip_prefix("calendars, ");
        assert!(found.is_some_and(|it| it.starts_with(message)), "{}", problem.message);
        let units: Vec<_> = calendars.encode_utf16().collect();
        let range = problem.start..problem.end;
        assert!(String::from_utf16_lossy(&units[range.clone()]).starts_with(marked), "{problem:?}");
    }
}

#[test]
fn unknown_calendars_have_known_ones_and_a_hint() {
    let unknown = |calendars, language| {
        let answer = ask_with(calendars, "09:30:00 @nyse", language, "UTC");
        let problem = answer.problem.expect("an error");
        assert!(!problem.in_calendars);
        assert_eq!((problem.start, problem.end), (10, 14));
        assert_eq!(
            problem.hint.as_deref(),
            Some("Write its days under Calendars, below a line `[nyse]`.")
        );
        problem.message
    };
    let message = "`nyse` is not a known calendar";
    assert_eq!(unknown(CALENDARS, ""), format!("{message}: expected `late` or `office`"));
    assert_eq!(unknown(CALENDARS, "millicron"), unknown(CALENDARS, ""));
    assert_eq!(unknown(" \n# none\n", ""), format!("{message}: there are no calendars"));
}

proptest! {
    #[test]
    fn all_calendars_have_an_answer(text in "([\\[\\]a-b@+*.0-9 \n\r#-]|\u{e9}|\u{1F552}){0,40}|\\PC{0,20}") {
        let answer = ask_with(&text, "12:00:00", "", "UTC");
        prop_assert_ne!(answer.explanation.is_some(), answer.problem.is_some());
        if let Some(problem) = answer.problem {
            prop_assert!(problem.in_calendars);
            prop_assert!(problem.start <= problem.end);
            prop_assert!(problem.end <= text.encode_utf16().count());
        }
    }

    #[test]
    fn every_text_has_an_answer(text in "[0-9*,/#LW?:.| @A-Za-z\u{e9}\u{1F552}-]{0,40}|\\PC{0,20}") {
        let answer = ask(&text, "", "Europe/Berlin");
        let is_explained = answer.explanation.is_some();
        prop_assert_ne!(is_explained, answer.problem.is_some() || answer.choices.len() > 1);
        if let Some(problem) = answer.problem {
            prop_assert!(problem.start <= problem.end);
            prop_assert!(problem.end <= text.encode_utf16().count());
        }
    }
}
