//! Descriptions and recipes as phrases.

use millicron::{Calendar, Phrase, Schedule};
use proptest::prelude::*;

use super::parse;
use crate::describe::{TEXTS, have_same_events};
use crate::support::generate::{self, expression};

/// Returns the texts of the corpus: those of the tests of descriptions, of the benchmarks, and of
/// the recipes in the README.
fn corpus() -> Vec<&'static str> {
    let benchmarks = include_str!("../../benches/src/cases.rs").lines().filter_map(|line| {
        let (_, text) = line.trim().split_once("\" ")?.1.split_once(" \"")?;
        text.split('"').next()
    });
    let recipes = include_str!("../../README.md").lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ").skip(1);
        cells.next()?.strip_prefix('`')?.strip_suffix('`')
    });
    let texts = TEXTS.lines().chain(benchmarks).chain(recipes);
    texts.filter(|text| Schedule::parse(text).is_ok()).collect()
}

#[test]
fn descriptions_of_the_corpus_read_back_as_their_schedules() {
    let (mut count, mut equal, mut alike) = (0, 0, 0);
    for text in corpus() {
        let schedule = parse(text);
        let description = schedule.describe();
        for description in
            [description.to_string(), description.with_twelve_hour_clock().to_string()]
        {
            count += 1;
            let Some(phrase) = Phrase::recognize(&description) else { continue };
            let [found] = &phrase.schedules().collect::<Vec<_>>()[..] else {
                panic!("{text}: {description}: {phrase}")
            };
            assert!(have_same_events(found, &schedule), "{text}: {description}: {phrase}");
            if *found == schedule { equal += 1 } else { alike += 1 }
        }
    }
    // All of them. The schedules that are not equal have the same events, but a window in place of
    // fields.
    assert_eq!((count, equal, alike), (502, 468, 34));
}

#[test]
fn descriptions_of_business_days_calendars_and_unions_read_back() {
    let days = Calendar::parse("*.*.* Mon-Fri\n- *.12.25\n+ 2026-05-02").expect("a calendar");
    let calendars = [("nyse", days)];
    let texts = [
        "*.*.* B#3 9:00:00",
        "*.*.* B#L-2 9:00:00",
        "*.*.* B#1,B#2,B#L,B#L-1,B#L-4 9:00:00",
        "*.*.15>B 9:00:00",
        "*.*.15<B 9:00:00",
        "*.*.L>B! 9:00:00",
        "*.*.15,L>B! 9:00:00",
        "*.*.14>B!,15>B!,L<B!-21 9:00:00",
        "*.*.25<B-2 9:00:00",
        "*.*.25>B!+2 9:00:00",
        "*.*.L-2<B 9:00:00",
        "*.*.1>B,5>B,6>B,7>B,20>B,L-1>B 9:00:00",
        "*.*.2>B,6>B,10>B,14>B,18>B 9:00:00",
        "*.*.5,L>B,10<B,20 9:00:00",
        "*.12.L>B 9:00:00",
        "*.1,7.* B#3 9:00:00",
        "2027.*.* B#3,Fri 9:00:00",
        "*.*.13 | B#3 9:00:00",
        "*.*.2 B#2 9:00:00",
        "*.*.13 B 9:00:00",
        "*.*.13 | B 9:00:00",
        "2026.01.05/3b 9:00:00",
        "2026.01.05/1b 9:00:00",
        "2026.01.05/2w B 9:00:00",
        "2026.01.05/10d B 9:00:00",
        "2026.01.05/10d B#2 9:00:00",
        "*.*.* B *:*/5:00",
        "*.*.* B#3 *:*/5:00",
        "*.*.15>B *:*/5:00",
        "2026.01.05/3b *:*/5:00",
        "*.*.* B 22:00:00..06:00:00/30m",
        "*.*.* B#1 22:00:00..06:00:00/30m",
        "*.*.* B 9:30:00",
        "*.*.* Mon 9:00:00",
        "*.*.L-3 9:00:00",
    ];
    for text in texts {
        let on_calendar = format!("{text} @nyse");
        let twice = format!("{text}; 10:00:00; {on_calendar}");
        for text in [text, &on_calendar, &twice] {
            let schedule = Schedule::parse_with(text, &calendars).expect(text);
            let description = schedule.describe();
            let phrases =
                [description.to_string(), description.with_twelve_hour_clock().to_string()];
            for description in phrases {
                let phrase = Phrase::recognize(&description);
                let phrase = phrase.unwrap_or_else(|| panic!("{text}: {description}"));
                let found = phrase.schedules_with(&calendars).collect::<Vec<_>>();
                let is_same = matches!(&found[..], [found] if have_same_events(found, &schedule));
                assert!(is_same, "{text}: {description}: {phrase}");
            }
        }
    }
}

#[test]
fn recipes_of_the_readme_are_read_surely_or_not_at_all() {
    let (_, recipes) = include_str!("../../README.md").split_once("## Recipes").expect("a section");
    let rows =
        recipes.lines().skip(2).skip_while(|line| !line.starts_with("| every")).map_while(|line| {
            let line = line.strip_prefix("| ")?.replace(r"\|", "OR");
            let (phrase, rest) = line.split_once(" | `")?;
            let (text, _) = rest.split_once('`')?;
            Some((phrase.to_owned(), parse(&text.replace("OR", "|"))))
        });
    let (mut count, mut known) = (0, 0);
    for (phrase, schedule) in rows {
        count += 1;
        let Some(offered) = Phrase::recognize(&phrase) else { continue };
        known += 1;
        let is_offered = offered.schedules().any(|it| have_same_events(&it, &schedule));
        assert!(is_offered, "{phrase}: {offered}");
    }
    assert_eq!((count, known), (30, 20));
}

#[test]
fn random_descriptions_read_back_as_their_schedules_or_not_at_all() {
    proptest!(generate::cases(4_000), |(text in expression())| {
        let Ok(schedule) = text.parse::<Schedule>() else { return Ok(()) };
        let description = schedule.describe().to_string();
        if let Some(phrase) = Phrase::recognize(&description) {
            let found = phrase.schedules().collect::<Vec<_>>();
            prop_assert!(
                matches!(&found[..], [found] if have_same_events(found, &schedule)),
                "{}: {}: {}", text, description, phrase
            );
        }
    });
}
