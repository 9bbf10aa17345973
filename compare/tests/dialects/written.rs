//! Schedules that this crate writes in a dialect.

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
