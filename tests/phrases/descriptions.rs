//! Descriptions and recipes as phrases.

use millicron::{Phrase, Schedule};
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
    assert_eq!((count, equal, alike), (498, 464, 34));
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
