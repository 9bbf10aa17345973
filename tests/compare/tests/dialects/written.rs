//! Schedules that this crate writes in a dialect.

use std::process::Command;

use millicron::{Dialect, Schedule};
use millicron_compare::corpus::corpus;

use crate::answer::Answer;
use crate::crates::cron;

const DIALECTS: [Dialect; 4] =
    [Dialect::Crontab, Dialect::Quartz, Dialect::CronCrate, Dialect::Systemd];

const CORPORA: [(&str, Dialect); 5] = [
    ("crontab", Dialect::Crontab),
    ("extended", Dialect::Crontab),
    ("quartz", Dialect::Quartz),
    ("cron", Dialect::CronCrate),
    ("systemd", Dialect::Systemd),
];

/// Returns the schedules of all corpora.
fn schedules() -> impl Iterator<Item = Schedule> {
    let texts = CORPORA
        .into_iter()
        .flat_map(|(name, dialect)| corpus(name).into_iter().map(move |text| (dialect, text)));
    texts.filter_map(|(dialect, text)| dialect.parse(&text).ok())
}

#[test]
fn each_dialect_has_the_events_of_what_is_written_in_it() {
    let mut written = 0;
    for schedule in schedules() {
        let answer = Answer::of(|start| schedule.upcoming(start));
        for dialect in DIALECTS {
            if let Ok(text) = schedule.to_dialect(dialect) {
                assert_eq!(Answer::ours(dialect, &text), answer, "{schedule} in {dialect}: {text}");
                written += 1;
            }
        }
    }
    assert!(written > 5000, "{written}");
}

#[test]
fn cron_has_the_events_of_what_is_written_for_it() {
    let mut written = 0;
    for schedule in schedules() {
        if let Ok(text) = schedule.to_dialect(Dialect::CronCrate) {
            let answer = Answer::of(|start| schedule.upcoming(start));
            assert_eq!(cron(&text), answer, "{schedule}: {text}");
            written += 1;
        }
    }
    assert!(written > 1200, "{written}");
}

/// Returns which of several expressions systemd accepts, or `None` where it is not installed.
fn accepted_by_systemd(texts: &[String]) -> Option<Vec<bool>> {
    let output = Command::new("systemd-analyze").args(["calendar", "--"]).args(texts).output();
    let errors = String::from_utf8(output.ok()?.stderr).expect("text");
    let is_accepted = |text| !errors.contains(&format!("specification '{text}'"));
    Some(texts.iter().map(is_accepted).collect())
}

#[test]
fn systemd_accepts_exactly_the_days_from_the_end_that_are_written_for_it() {
    // All pairs of days, and sets of days from a fixed seed. Bit 0 is the last day.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 4
    };
    let pairs = (1..28).flat_map(|far| (0..far).map(move |near| 1 << far | 1 << near));
    let few = std::iter::from_fn(|| Some(random() & random() & random())).take(400);
    let sets: Vec<u32> = pairs.chain(few).filter(|days| *days != 0).collect();
    let items = |days: u32, write: fn(u32) -> String| {
        let days = (0..28).filter(|day| days >> day & 1 == 1);
        days.map(write).collect::<Vec<_>>().join(",")
    };
    let texts: Vec<_> = sets
        .iter()
        .map(|days| {
            let ours = items(*days, |day| format!("L-{day}")).replace("L-0", "L");
            let schedule: Schedule = format!("*.*.{ours} 00:00:00").parse().expect(&ours);
            schedule.to_dialect(Dialect::Systemd)
        })
        .collect();
    let written: Vec<_> = texts.iter().flatten().cloned().collect();
    assert!(written.len() > 400 && texts.len() - written.len() > 40, "{}", written.len());
    let Some(accepted) = accepted_by_systemd(&written) else {
        return eprintln!("skipped: systemd-analyze is not installed");
    };
    for (text, is_accepted) in written.iter().zip(accepted) {
        assert!(is_accepted, "{text}");
    }
    let unwritten = sets.iter().zip(&texts).filter(|(_, text)| text.is_err());
    let lists: Vec<_> = unwritten
        .map(|(days, _)| format!("*-*~{} 00:00:00", items(*days, |day| (day + 1).to_string())))
        .collect();
    let accepted = accepted_by_systemd(&lists).unwrap_or_default();
    assert!(!accepted.contains(&true), "{lists:?}");
}
