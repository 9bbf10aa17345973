//! Random calendars, days of calendars and unions: all are well formed, and the answers of the oracle
//! agree with each other.

use crate::support::generate::business_days::expression_with_calendar;
use crate::support::generate::calendars::{NAMES, calendars};
use crate::support::generate::unions::union;
use crate::support::generate::{cases, instant};
use crate::support::oracle::{MAX_MEMBERS, Oracle};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn random_calendars_have_days((texts, calendars) in calendars()) {
        prop_assert_eq!((texts.len(), calendars.len()), (NAMES.len(), NAMES.len()));
        for calendar in calendars.values() {
            prop_assert!(calendar.days().next().is_some());
        }
    }

    #[test]
    fn random_days_of_calendars_are_days_of_the_calendar((_, calendars) in calendars(), text in expression_with_calendar()) {
        let Some(oracle) = Oracle::read(&text, &calendars) else {
            return Err(TestCaseError::fail("not well formed"));
        };
        let sets = oracle.sets();
        if let Some(name) = &sets.calendar {
            prop_assert_eq!(&sets.open_days, &calendars[name]);
            prop_assert!(sets.dates().into_iter().all(|day| calendars[name].contains(day)));
        }
    }

    #[test]
    fn random_unions_are_counted_like_they_are_walked((_, calendars) in calendars(), text in union(), instants in vec(instant(), 4)) {
        let Some(oracle) = Oracle::read(&text, &calendars) else {
            return Err(TestCaseError::fail("not well formed"));
        };
        prop_assert!((1..=MAX_MEMBERS).contains(&oracle.members().len()));
        let total = oracle.total();
        prop_assert_eq!(oracle.count(&..), total);
        let most: u64 = oracle.members().iter().map(Oracle::total).sum();
        let least = oracle.members().iter().map(Oracle::total).max();
        prop_assert!(total <= most && Some(total) >= least);
        if total == 0 {
            return Ok(());
        }
        for at in instants {
            let at = at.of(&oracle);
            let before = oracle.count(&(..at));
            prop_assert_eq!(before + oracle.count(&(at..)), total);
            let walk = oracle.events(&(at..), 50);
            for (n, event) in (before..).zip(&walk) {
                prop_assert_eq!(oracle.event(n), *event);
            }
            if let Some(last) = walk.last() {
                prop_assert_eq!(oracle.count(&(at..=*last)), u64::try_from(walk.len()).unwrap());
            }
            let back = oracle.events_back(&(..at), 5);
            for (n, event) in (1..).zip(&back) {
                prop_assert_eq!(oracle.event(before - n), *event);
            }
        }
    }
}

/// Returns whether any of the texts that a strategy generates has a property.
fn generates(strategy: impl Strategy<Value = String>, has: impl Fn(&str) -> bool) -> bool {
    let mut runner = TestRunner::deterministic();
    (0..2000).any(|_| has(&strategy.new_tree(&mut runner).expect("a text").current()))
}

#[test]
fn random_texts_have_all_new_forms() {
    for form in [" B ", "B#", "B#L ", "B#L-", ">B", "<B!", ">B!-", "B+", "b ", "| B", ",B", " @"] {
        assert!(generates(expression_with_calendar(), |text| text.contains(form)), "{form}");
    }
    for form in [">B", " @", "..", "/2w", "|", "\n"] {
        assert!(generates(union(), |text| text.contains(form)), "{form}");
    }
    for members in [1, 2, 5, 16] {
        let has_members =
            |text: &str| text.trim_end_matches([';', ' ', '\n']).split(';').count() == members;
        assert!(generates(union(), has_members), "{members}");
    }
    let lines = || calendars().prop_map(|(texts, _)| texts[2].1.clone());
    for form in [
        "\n- ", "\n+ ", "Easter+", "Easter-", "..=", "@open", "@nyse-2", "W", "#L", "| ", "d\n",
        "\r",
    ] {
        assert!(generates(lines(), |text| text.contains(form)), "{form}");
    }
}
