//! The library compared with the oracle on random schedules.
//!
//! The seed is fixed, so runs are reproducible. To test other cases, set `PROPTEST_RNG_SEED`; to
//! test more of them, set `PROPTEST_CASES`, the number of cases per property.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::support::compare::{bounds, calls, compare_events};
use crate::support::generate::{cases, expression, instant, range};
use crate::support::oracle::Oracle;
use crate::support::oracle::days::{MonthDay, NumberedWeekday, Place, StepUnit, Steps};
use crate::support::oracle::text::{Sets, values};
use crate::support::oracle::windows::Window;
use millicron::{CalendarDigits, ParseErrorKind, Schedule};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the schedule and the oracle of a well-formed text, or `None` if it never fires.
fn both(text: &str) -> Result<Option<(Schedule, Oracle)>, TestCaseError> {
    let oracle = Oracle::new(text);
    let parsed = text.parse::<Schedule>();
    if oracle.never_fires() {
        let is_never =
            parsed.is_err_and(|error| matches!(error.kind(), ParseErrorKind::Never { .. }));
        prop_assert!(is_never, "{text:?} never fires");
        return Ok(None);
    }
    match parsed {
        Ok(schedule) => Ok(Some((schedule, oracle))),
        Err(error) => Err(TestCaseError::fail(format!("{error:#}"))),
    }
}

fn hash(schedule: &Schedule) -> u64 {
    let mut hasher = DefaultHasher::new();
    schedule.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(cases(100_000))]

    #[test]
    fn queries_answer_like_the_oracle(text in expression(), instants in vec(instant(), 6)) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        prop_assert_eq!(schedule.expression(), &text);
        for instant in instants {
            let at = instant.of(&oracle);
            prop_assert_eq!(schedule.next_event(at), oracle.next(at), "next after {}", at);
            prop_assert_eq!(schedule.nearest_event(at), oracle.nearest(at), "nearest to {}", at);
            prop_assert_eq!(schedule.prev_event(at), oracle.prev(at), "prev before {}", at);
            prop_assert_eq!(schedule.nearest_prev_event(at), oracle.nearest_prev(at), "nearest prev to {}", at);
            prop_assert_eq!(schedule.matches(at), oracle.matches(at), "matches {}", at);
        }
    }
}

proptest! {
    #![proptest_config(cases(30_000))]

    #[test]
    fn counts_of_ranges_match_the_oracle(text in expression(), ranges in vec(range(), 4)) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        prop_assert_eq!(schedule.count(..), oracle.total());
        for range in ranges {
            let range = bounds(range, &oracle);
            prop_assert_eq!(schedule.count(range), oracle.count(&range), "{:?}", range);
        }
    }

    #[test]
    fn ranges_in_every_form_match_the_oracle(text in expression(), a in instant(), b in instant()) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        let (a, b) = (a.of(&oracle), b.of(&oracle));
        // Each form of range, in both directions and with equal ends.
        for (a, b) in [(a, b), (b, a), (a, a)] {
            prop_assert_eq!(schedule.count(a..b), oracle.count(&(a..b)), "{}..{}", a, b);
            prop_assert_eq!(schedule.count(a..=b), oracle.count(&(a..=b)), "{}..={}", a, b);
            prop_assert_eq!(schedule.count(a..), oracle.count(&(a..)), "{}..", a);
            prop_assert_eq!(schedule.count(..b), oracle.count(&(..b)), "..{}", b);
            prop_assert_eq!(schedule.count(..=b), oracle.count(&(..=b)), "..={}", b);
            prop_assert_eq!(schedule.events(a..b).next(), oracle.nth(&(a..b), 0), "{}..{}", a, b);
            prop_assert_eq!(schedule.events(a..=b).next(), oracle.nth(&(a..=b), 0), "{}..={}", a, b);
            prop_assert_eq!(schedule.events(a..).next(), oracle.nearest(a), "{}..", a);
            prop_assert_eq!(schedule.events(..b).next_back(), oracle.prev(b), "..{}", b);
            prop_assert_eq!(schedule.events(..=b).next_back(), oracle.nearest_prev(b), "..={}", b);
        }
    }
}

proptest! {
    #![proptest_config(cases(60_000))]

    #[test]
    fn events_taken_from_both_ends_match_the_oracle(text in expression(), range in range(), calls in vec(calls(), 0..12)) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        compare_events(&schedule, &oracle, range, &calls)?;
    }
}

/// Returns an expression that lists every value of every field, and has the same events.
fn spelt_out(sets: &Sets) -> String {
    let weekdays = list(&sets.weekdays, sets.numbered_weekdays.iter().map(numbered_weekday));
    format!("{} {weekdays} {}", spelt_out_date(sets), spelt_out_time(sets))
}

fn list(set: &[bool], others: impl Iterator<Item = String>) -> String {
    let values = values(set).into_iter().map(|value| value.to_string());
    values.chain(others).collect::<Vec<_>>().join(",")
}

fn numbered_weekday(weekday: &NumberedWeekday) -> String {
    match weekday.place {
        Place::Nth(k) => format!("{}#{k}", weekday.weekday),
        Place::Last => format!("{}#L", weekday.weekday),
    }
}

/// Returns the date, and everything else before the weekday.
fn spelt_out_date(sets: &Sets) -> String {
    let day = |day: &MonthDay| match *day {
        MonthDay::BeforeLast { days: 0, .. } => "LW".to_owned(),
        MonthDay::BeforeLast { days, to_workday: true } => format!("L-{days}W"),
        MonthDay::BeforeLast { days, to_workday: false } => format!("L-{days}"),
        MonthDay::Workday(day) => format!("{day}W"),
    };
    let days = list(&sets.days, sets.month_days.iter().map(day));
    let [years, months] = [&sets.years, &sets.months].map(|set| list(set, std::iter::empty()));
    let steps = match sets.steps {
        Some(Steps { by, unit: StepUnit::Weeks, .. }) => format!("/{by}w"),
        Some(Steps { by, unit: StepUnit::BusinessDays, .. }) => format!("/{by}b"),
        Some(Steps { by, unit: StepUnit::Days, .. }) => format!("/{}d", by.min(40_000)),
        None => String::new(),
    };
    let bar = if sets.is_either { " |" } else { "" };
    format!("{years}.{months}.{days}{steps}{bar}")
}

fn spelt_out_time(sets: &Sets) -> String {
    if let Some(Window { from, step, count }) = sets.window {
        let time = |time: i64| {
            let (minutes, millis) = (time / 60_000, time % 60_000);
            let (second, milli) = (millis / 1000, millis % 1000);
            format!("{}:{}:{second}.{milli}", minutes / 60 % 24, minutes % 60)
        };
        // At most a day later, which is why the end is not mistaken for one on the same day.
        let last = from + (count - 1) * step;
        return format!("{}..={}/{step}ms", time(from), time(last));
    }
    let [hours, minutes, seconds, millis] =
        [&sets.hours, &sets.minutes, &sets.seconds, &sets.millis]
            .map(|set| list(set, std::iter::empty()));
    format!("{hours}:{minutes}:{seconds}.{millis}")
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn canonical_texts_parse_to_equal_schedules(text in expression(), at in instant()) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        let canonical = schedule.to_string();
        let again: Schedule = canonical.parse().map_err(|error| TestCaseError::fail(format!("{error:#}")))?;
        prop_assert_eq!(&again, &schedule, "{} and {}", canonical, text);
        prop_assert_eq!(hash(&again), hash(&schedule));
        prop_assert_eq!(again.to_string(), &canonical[..]);
        prop_assert_eq!(again.expression(), &canonical[..]);
        prop_assert!(Oracle::new(&canonical).has_same_events(&oracle), "{} and {}", canonical, text);
        let at = at.of(&oracle);
        prop_assert_eq!(again.next_event(at), oracle.next(at));
    }

    #[test]
    fn schedules_are_equal_if_their_sets_are_and_only_with_the_same_events(text in expression(), other in expression()) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        let long = spelt_out(oracle.sets());
        let Some((spelt_out, _)) = both(&long)? else {
            return Err(TestCaseError::fail(long));
        };
        prop_assert_eq!(&schedule, &spelt_out);
        prop_assert_eq!(hash(&schedule), hash(&spelt_out));
        prop_assert_eq!(schedule.to_string(), spelt_out.to_string());

        if let Some((other, of_other)) = both(&other)? {
            let is_same = oracle.has_same_events(&of_other);
            prop_assert!(is_same || schedule != other);
        }
    }

    #[test]
    fn calendar_digits_answer_like_milliseconds(text in expression(), at in instant()) {
        let Some((schedule, oracle)) = both(&text)? else {
            return Ok(());
        };
        let at = at.of(&oracle);
        let digits = CalendarDigits::from_millis(at);
        let answer = |event: Option<i64>| event.map(CalendarDigits::from_millis);
        prop_assert_eq!(schedule.next_event(digits), answer(oracle.next(at)));
        prop_assert_eq!(schedule.nearest_event(digits), answer(oracle.nearest(at)));
        prop_assert_eq!(schedule.prev_event(digits), answer(oracle.prev(at)));
        prop_assert_eq!(schedule.nearest_prev_event(digits), answer(oracle.nearest_prev(at)));
        prop_assert_eq!(schedule.matches(digits), oracle.matches(at));
        prop_assert_eq!(schedule.count(digits..), oracle.count(&(at..)));
        prop_assert_eq!(schedule.events(..digits).next_back(), answer(oracle.prev(at)));
    }
}
