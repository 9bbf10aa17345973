//! Comparisons with crates.

use std::str::FromStr as _;

use chrono::{DateTime, NaiveDateTime, Utc};
use millicron::Dialect;
use millicron_compare::corpus::{SIZE, corpus};

use crate::answer::Answer;
use crate::differences;

/// Whether an event is in the years of this crate.
fn is_in_range(event: &DateTime<Utc>) -> bool {
    event.timestamp() < 4_133_980_800
}

/// Returns the answer of `cron`.
pub(crate) fn cron(text: &str) -> Answer {
    match cron::Schedule::from_str(text) {
        Err(error) => Answer::Without(error.to_string()),
        Ok(schedule) => of(|start| schedule.after_owned(start)),
    }
}

fn croner(text: &str) -> Answer {
    match croner::Cron::from_str(text) {
        Err(error) => Answer::Without(error.to_string()),
        Ok(schedule) => of(|start| schedule.clone().iter_after(start)),
    }
}

fn saffron(text: &str) -> Answer {
    match saffron::Cron::from_str(text) {
        Err(error) => Answer::Without(error.to_string()),
        Ok(schedule) => of(|start| schedule.clone().iter_after(start)),
    }
}

/// Returns the answer of a schedule. A schedule without events counts as refused.
fn of<I: Iterator<Item = DateTime<Utc>>>(events: impl Fn(DateTime<Utc>) -> I) -> Answer {
    let after = |start: NaiveDateTime| {
        let events = events(start.and_utc()).skip_while(move |event| *event <= start.and_utc());
        events.take_while(is_in_range).map(|event| event.naive_utc())
    };
    let first = NaiveDateTime::from_str("1999-12-31T23:59:59").expect("a date and a time");
    if after(first).next().is_none() {
        return Answer::Without("never".to_owned());
    }
    Answer::of(after)
}

#[test]
fn cron_crate_has_the_events_of_cron() {
    let texts = corpus("cron");
    let answers = texts
        .iter()
        .map(|text| (text.as_str(), cron(text), Answer::ours(Dialect::CronCrate, text)));
    let list = include_str!("../../dialects/differences/cron.txt");
    assert_eq!(differences::check(list, answers), SIZE);
}

#[test]
fn crontab_has_the_events_of_croner() {
    let texts = corpus("extended");
    let answers = texts
        .iter()
        .map(|text| (text.as_str(), croner(text), Answer::ours(Dialect::Crontab, text)));
    let list = include_str!("../../dialects/differences/croner.txt");
    assert_eq!(differences::check(list, answers), SIZE);
}

/// `saffron` has no seconds, and numbers weekdays from Sunday as 1.
#[test]
fn crontab_has_the_events_of_saffron() {
    let texts = corpus("extended");
    let is_comparable = |text: &&String| {
        let fields: Vec<_> = text.split_whitespace().collect();
        fields.len() == 5 && !fields[4].contains(|c: char| c.is_ascii_digit())
    };
    let answers = texts
        .iter()
        .filter(is_comparable)
        .map(|text| (text.as_str(), saffron(text), Answer::ours(Dialect::Crontab, text)));
    let list = include_str!("../../dialects/differences/saffron.txt");
    let compared = differences::check(list, answers);
    assert!(compared >= 150, "{compared}");
}
