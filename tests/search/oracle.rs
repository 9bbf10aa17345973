//! The oracle, compared with a check of every single millisecond.
//!
//! The other tests rely on the oracle, so these test the oracle itself, without the library.

use crate::support::oracle::calendar::days;
use crate::support::oracle::text::{Sets, values};
use crate::support::oracle::{END, Oracle, START};

const TEXTS: [&str; 10] = [
    "*:*:*.*",
    "*:00:00",
    "23:59:59.999",
    "*.*.* *:*:*.1,2,3-5,10-20/3",
    "2000,2100.*.1,32 *:*:*.*/500",
    "*.12-Dec.20-32/11 *:*/59:*/59.998,999",
    "2000-2001.Jan.* sun,SAT 0,23:0,59:59.0-999/7",
    "*.*.31 0-6 12,12,0-13/4:3:4.5",
    "2000.1.1 00:00:00",
    "2100.12.31 23:59:59.999",
];

/// Returns whether an instant is an event, from the sets alone.
fn is_event(sets: &Sets, at: i64) -> bool {
    if !(START..=END).contains(&at) {
        return false;
    }
    let past = usize::try_from(at - START).expect("after the start");
    let day = &days()[past / 86_400_000];
    let time = past % 86_400_000;
    sets.years[day.year]
        && sets.months[day.month]
        && sets.weekdays[day.weekday]
        && (sets.days[day.day] || day.last_of_month && sets.days[32])
        && sets.hours[time / 3_600_000]
        && sets.minutes[time / 60_000 % 60]
        && sets.seconds[time / 1000 % 60]
        && sets.millis[time % 1000]
}

#[test]
fn days_have_known_dates_and_weekdays() {
    let days = days();
    let of = |number: i64| {
        let day = days.iter().find(|day| day.number == number).unwrap();
        (day.year, day.month, day.day, day.weekday, day.last_of_month)
    };
    assert_eq!(days.len(), 36_890);
    assert_eq!(of(10_957), (2000, 1, 1, 6, false));
    assert_eq!(of(11_016), (2000, 2, 29, 2, true));
    assert_eq!(of(18_686), (2021, 2, 28, 0, true));
    assert_eq!(of(20_000), (2024, 10, 4, 5, false));
    assert_eq!(of(47_540), (2100, 2, 28, 0, true));
    assert_eq!(of(47_846), (2100, 12, 31, 5, true));
    assert_eq!(days[36_889].number, 47_846);
    assert_eq!((START, END), (946_684_800_000, 4_133_980_799_999));
}

#[test]
fn valid_texts_are_read_into_sets() {
    let read = |text| Sets::read(text).unwrap();
    let sets = read("\t 002000,2098-2100.Feb-aPr.5-8/2,30-32,32  mon,5-6 */9:7:0-3.9 ");
    let on = values;
    assert_eq!(on(&sets.years), [2000, 2098, 2099, 2100]);
    assert_eq!(on(&sets.months), [2, 3, 4]);
    assert_eq!(on(&sets.days), [5, 7, 30, 31, 32]);
    assert_eq!(on(&sets.weekdays), [1, 5, 6]);
    assert_eq!(on(&sets.hours), [0, 9, 18]);
    assert_eq!(on(&sets.minutes), [7]);
    assert_eq!(on(&sets.seconds), [0, 1, 2, 3]);
    assert_eq!(on(&sets.millis), [9]);

    let free = read("*.*.* * */1:0-59:*");
    assert_eq!(free, read("*:*:*.0"));
    assert_eq!(on(&free.days), (1..=31).collect::<Vec<_>>());
    assert_eq!(on(&read("*.*.20-32/3 1:1:1").days), [20, 23, 26, 29]);
    assert_eq!(on(&read("*.*.32-32/7 1:1:1").days), [32]);
}

#[test]
fn invalid_texts_have_no_sets() {
    let texts = [
        "",
        " ",
        "1:2",
        "1:2:3:4",
        "1:2:3.4.5",
        "*.* 1:2:3",
        "*.*.*.* 1:2:3",
        "* 1:2:3",
        "*.*.* * * 1:2:3",
        "*.*.* *",
        "24:0:0",
        "0:60:0",
        "0:0:60",
        "0:0:0.1000",
        "1999.1.1 0:0:0",
        "2101.1.1 0:0:0",
        "*.0.1 0:0:0",
        "*.13.1 0:0:0",
        "*.1.0 0:0:0",
        "*.1.33 0:0:0",
        "*.*.* 7 0:0:0",
        "1/2:0:0",
        "*,1:0:0",
        "5-4:0:0",
        "1-:0:0",
        "-1:0:0",
        "+1:0:0",
        "*/0:0:0",
        "*/:0:0",
        "1-2/+3:0:0",
        ":0:0",
        "1,:0:0",
        "1 :0:0",
        "*.*.*\n1:0:0",
        "４:0:0",
        "*-5:0:0",
        "4294967296:0:0",
        "*/4294967296:0:0",
        "*.Mon.1 0:0:0",
        "*.*.* Jan 0:0:0",
        "1-2-3:0:0",
    ];
    for text in texts {
        assert_eq!(Sets::read(text), None, "{text:?}");
    }
}

#[test]
fn answers_match_every_millisecond_around_midnight() {
    // Midnights at the ends of the range, of months and of years.
    let midnights = [START, START + 31 * 86_400_000, 1_609_459_200_000, END + 1];
    for text in TEXTS {
        let oracle = Oracle::new(text);
        for midnight in midnights {
            check_every_millisecond(&oracle, midnight - 2500, midnight + 2500);
        }
    }
}

#[test]
fn answers_match_every_millisecond_around_the_end_of_a_minute() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        check_every_millisecond(&oracle, START + 45_298_000, START + 45_302_000);
    }
}

/// Checks all queries for the instants from `first` to `last`.
fn check_every_millisecond(oracle: &Oracle, first: i64, last: i64) {
    let events: Vec<i64> = (first..=last).filter(|at| is_event(&oracle.sets, *at)).collect();
    let count = u64::try_from(events.len()).unwrap();
    assert_eq!(oracle.count(&(first..=last)), count);
    assert_eq!(oracle.events(&(first..=last), usize::MAX), events);
    let mut back = oracle.events_back(&(first..last + 1), usize::MAX);
    back.reverse();
    assert_eq!(back, events);
    assert_eq!(oracle.nth(&(first..=last), count), None);
    for (n, event) in (0..).zip(&events) {
        assert_eq!(oracle.nth(&(first..=last), n), Some(*event));
    }

    // Track the expected answers, first forward and then backward.
    let mut latest = oracle.prev(first);
    assert!(latest.is_none_or(|event| event < first && is_event(&oracle.sets, event)));
    for at in first..=last {
        assert_eq!(oracle.prev(at), latest);
        assert_eq!(oracle.matches(at), is_event(&oracle.sets, at));
        if is_event(&oracle.sets, at) {
            latest = Some(at);
        }
        assert_eq!(oracle.nearest_prev(at), latest);
    }
    let mut soonest = oracle.next(last);
    assert!(soonest.is_none_or(|event| event > last && is_event(&oracle.sets, event)));
    for at in (first..=last).rev() {
        assert_eq!(oracle.next(at), soonest);
        if is_event(&oracle.sets, at) {
            soonest = Some(at);
        }
        assert_eq!(oracle.nearest(at), soonest);
    }
}

#[test]
fn events_by_index_match_iteration() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        let total = oracle.total();
        assert_eq!(oracle.count(&..), total, "{text}");
        for (n, event) in (0..).zip(oracle.events(&.., 1000)) {
            assert_eq!(oracle.event(n), event, "{text}");
        }
        for (n, event) in (1..).zip(oracle.events_back(&.., 1000)) {
            assert_eq!(oracle.event(total - n), event, "{text}");
        }
    }
}

#[test]
fn no_events_exist_outside_the_range() {
    for text in TEXTS {
        let oracle = Oracle::new(text);
        let (first, last) = (oracle.event(0), oracle.event(oracle.total() - 1));
        for before in [i64::MIN, -1, 0, START - 1] {
            assert_eq!(oracle.next(before), Some(first));
            assert_eq!(oracle.nearest(before), Some(first));
            assert_eq!(oracle.prev(before), None);
            assert_eq!(oracle.nearest_prev(before), None);
            assert_eq!(oracle.count(&(..=before)), 0);
        }
        for after in [END + 1, i64::MAX] {
            assert_eq!(oracle.next(after), None);
            assert_eq!(oracle.nearest(after), None);
            assert_eq!(oracle.prev(after), Some(last));
            assert_eq!(oracle.nearest_prev(after), Some(last));
            assert_eq!(oracle.count(&(after..)), 0);
        }
    }
}
