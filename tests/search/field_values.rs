//! The values of each field, compared with those of the oracle's events.

use std::collections::BTreeSet;

use crate::support::generate::{cases, expression};
use crate::support::oracle::calendar::days;
use crate::support::oracle::{Oracle, midnight};
use millicron::{Field, Schedule, schedule};
use proptest::prelude::*;

const DAY: i64 = 86_400_000;

/// Returns the values of a field in the events of an oracle.
fn values(oracle: &Oracle, field: Field) -> BTreeSet<u16> {
    let first = oracle.event(0);
    match field {
        Field::Year | Field::Month | Field::Day | Field::Weekday => {
            let mut start = midnight(2000, 1, 1);
            let mut dates = BTreeSet::new();
            for day in days() {
                if oracle.nearest(start).is_some_and(|event| event < start + DAY) {
                    dates.insert(match field {
                        Field::Year => day.year,
                        Field::Month => day.month,
                        Field::Day => day.day,
                        _ => day.weekday,
                    });
                }
                start += DAY;
            }
            dates.into_iter().map(|value| u16::try_from(value).unwrap()).collect()
        }
        Field::Hour => times(oracle, first, 3_600_000, 24),
        Field::Minute => times(oracle, first, 60_000, 60),
        Field::Second => times(oracle, first, 1000, 60),
        Field::Millisecond => times(oracle, first, 1, 1000),
    }
}

/// Returns the values of a unit of the time in the events of two days, which have all times of day,
/// even of a window that extends past midnight.
fn times(oracle: &Oracle, first: i64, unit: i64, count: u16) -> BTreeSet<u16> {
    const MOST: usize = 2 * 86_400;

    let end = first / DAY * DAY + 2 * DAY;
    let mut values = BTreeSet::new();
    let mut at = Some(first);
    for _ in 0..MOST {
        let Some(event) = at.filter(|event| *event < end && values.len() < count.into()) else {
            break;
        };
        let number = event / unit;
        values.insert(u16::try_from(number % i64::from(count)).unwrap());
        at = oracle.nearest((number + 1) * unit);
    }
    values
}

const FIELDS: [Field; 8] = [
    Field::Year,
    Field::Month,
    Field::Day,
    Field::Weekday,
    Field::Hour,
    Field::Minute,
    Field::Second,
    Field::Millisecond,
];

fn assert_values(text: &str) {
    let (schedule, oracle) = (Schedule::parse(text).unwrap(), Oracle::new(text));
    for field in FIELDS {
        let found = schedule.values(field);
        let expected = values(&oracle, field);
        assert_eq!(found.len(), expected.len(), "{field} of {text}");
        assert!(found.clone().eq(expected.iter().copied()), "{field} of {text}: {found:?}");
        assert!(found.rev().eq(expected.into_iter().rev()), "{field} of {text}, from the end");
    }
}

#[test]
fn values_are_those_of_the_events() {
    for text in [
        "*:*:*.*",
        "9-17:30:00",
        "0,12:5-20/5:59.999",
        "*.*.L 12:00:00",
        "*.*.L-3,15W,LW 12:00:00",
        "*.*.* Fri#2 12:00:00",
        "*.*.* Mon#L 12:00:00",
        "*.*.13 | Fri 12:00:00",
        "2003-2006.2.29 | Sun#5 12:00:00",
        "*.*.31 12:00:00",
        "*.2.29 12:00:00",
        "2000-2010.2.29 Tue 12:00:00",
        "2000-2099/3.1-3,12.10-20/5 12:00:00",
        "2026.01.05/14d 12:00:00",
        "2099.12.01/2w Mon,Thu 12:00:00",
        "2100.12.31 12:00:00",
    ] {
        assert_values(text);
    }
}

#[test]
fn values_of_windows_include_those_past_midnight() {
    for text in [
        "09:30:00..16:00:00/15m",
        "22:00:00..06:00:00/1h",
        "*.*.* Fri 22:00:00..06:00:00/1h30m",
        "23:59:59.995..00:00:00.005/7ms",
        "00:00:00../7ms",
        "00:00:00../1s1ms",
        "00:00:00.500..=00:00:00.500/12h",
        "*.*.1 00:00:00..=24:00:00/1h",
        "12:00:00..=12:00:01/1s",
        "00:20:00..=02:00:00/50m",
    ] {
        assert_values(text);
    }
}

#[test]
fn values_of_a_window_end_with_the_range() {
    let text = "2100.12.31 22:00:00..06:00:00/1h";
    assert_values(text);
    assert!(Schedule::parse(text).unwrap().values(Field::Hour).eq([22, 23]));
}

#[test]
fn values_of_a_compiled_schedule_are_those_of_its_text() {
    let compiled = schedule!("*.*.13 | Fri 22:15:00..02:00:00/45m");
    let parsed = Schedule::parse("*.*.13 | Fri 22:15:00..02:00:00/45m").unwrap();
    for field in FIELDS {
        assert!(compiled.values(field).eq(parsed.values(field)), "{field}");
    }
    // Weekdays are numbered from 1 in Quartz.
    let quartz = schedule!(quartz "0 0/20 8 ? * 2-6");
    assert!(quartz.values(Field::Weekday).eq(1..=5));
    assert!(quartz.values(Field::Minute).eq([0, 20, 40]));
    assert!(quartz.values(Field::Year).eq(2000..=2099));
}

#[test]
fn an_exhausted_iterator_stays_so() {
    let mut values = schedule!("9,17:0:0.0,999").values(Field::Millisecond);
    assert_eq!((values.next_back(), values.next(), values.len()), (Some(999), Some(0), 0));
    assert_eq!((values.next(), values.next_back()), (None, None));
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn values_agree_with_the_oracle(text in expression()) {
        if !Oracle::new(&text).never_fires() {
            assert_values(&text);
        }
    }
}
