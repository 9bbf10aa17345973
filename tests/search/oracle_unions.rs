//! Unions of the oracle, compared with lists of the events of their members.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use millicron::{Fold, Gap, Resolution};

use crate::support::oracle::calendar_days::Calendars;
use crate::support::oracle::zoned::{Event, HOUR, MINUTE, Window, offset, zone};
use crate::support::oracle::{
    DAY, END, MAX_MEMBERS, Oracle, START, UnionJudge, midnight, read_calendars,
};

use super::oracle::check_every_millisecond;

/// Unions whose members overlap, some of them densely.
const UNIONS: [&str; 14] = [
    "*:*/2:00; *:*/3:00",
    "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00",
    "12:00:00;12:00:00",
    "*:*:*.*/5; *:*:*.*/7;",
    "*:*:*.*; *:*:*.*; 00:00:00../1ms",
    "00:00:00../7ms; 00:00:00../11ms",
    "*.*.* Sat 23:59:58..=00:00:01/7ms; *.*.1 *:*:*.*/9 ; *.*.* B 12:34:00..12:35:00/1s3ms",
    "23:59:59.000..00:00:01/250ms;\n*.*.31 23:59:59.000..00:00:01/200ms; *:*:*.0",
    "12:35:00.001..=12:35:00.001/24h; *.*.L 12:35:00.001..=12:35:00.001/12h; 12:35:00.001",
    "*.*.L 12:34:56.789..=12:34:56.789/250ms; *.*.1 12:34:59.039..=11:00:00/17ms",
    "2000.01.01/2d *:*:*.1,2,3-5,10-20/3; 2000.01.01/3d *:*:*.3-30/3",
    "2100.12.31 23:59:59.998..=01:00:00/1ms; 23:59:59.999; 2000.1.1 0:0:0",
    "*.2.30 00:00:00; *.*.* | B#1 *:*:*.*/500",
    "*.4.31 00:00:00; *.2.30 00:00:00",
];

fn known(text: &str) -> Oracle {
    Oracle::new(text)
}

#[test]
fn unions_have_the_known_answers() {
    let text = "*.*.* Mon 09:00:00; *.*.* Tue 10:00:00";
    let events = known(text).events(&(midnight(2026, 11, 22) + 1..), 2);
    assert_eq!(events, [midnight(2026, 11, 23) + 9 * HOUR, midnight(2026, 11, 24) + 10 * HOUR]);
    let hour = midnight(2026, 11, 22)..=midnight(2026, 11, 22) + HOUR - 1;
    assert_eq!(known("*:*/2:00; *:*/3:00").count(&hour), 40);
}

#[test]
fn unions_are_read() {
    let read = |text: &str| Oracle::read(text, &Calendars::new());
    for text in ["1:00:00; 2:00:00", "1:00:00;2:00:00;", "\n1:00:00 \r\n;\t2:00:00\n ; \n"] {
        assert_eq!(read(text).unwrap().members().len(), 2, "{text:?}");
    }
    for text in ["1:00:00", " 1:00:00\t;\n"] {
        assert_eq!(read(text).unwrap().members().len(), 1, "{text:?}");
        assert_eq!(read(text).unwrap().sets(), known("1:00:00").sets());
    }
    for text in [
        "",
        ";",
        " ; ",
        ";;",
        ";1:00:00",
        "1:00:00;;",
        "1:00:00;;2:00:00",
        "1:00:00; ;2:00:00",
        "1:00:00; 2:00:00; 25:00:00",
        "1:00:00 Europe/Berlin; 2:00:00",
        "1:00:00 @a; 2:00:00",
        "*.*.1;5 1:00:00",
    ] {
        assert!(read(text).is_none(), "{text:?}");
    }
    let many = |count: usize| vec!["1:00:00"; count].join(";");
    assert_eq!(read(&many(MAX_MEMBERS)).unwrap().total(), 36_890);
    assert!(read(&format!("{};", many(MAX_MEMBERS))).is_some());
    assert!(read(&many(MAX_MEMBERS + 1)).is_none());
}

#[test]
fn members_have_their_own_calendars() {
    let calendars = read_calendars(&[("a", "2026-01-05"), ("b", "2026-01-06")]).unwrap();
    let text = "*.*.* B 1:00:00 @a; *.*.* B 2:00:00 @b; 2026.1.7 3:00:00";
    let oracle = Oracle::with_calendars(text, &calendars);
    let expected = [(5, 1), (6, 2), (7, 3)].map(|(day, hour)| midnight(2026, 1, day) + hour * HOUR);
    assert_eq!(oracle.events(&.., 10), expected);
}

#[test]
fn answers_of_unions_match_every_millisecond() {
    let calendar_days = [START, midnight(2000, 2, 1), midnight(2026, 8, 31), END + 1];
    for text in UNIONS {
        let oracle = known(text);
        for at in calendar_days {
            check_every_millisecond(&oracle, at - 250, at + 250);
        }
        check_every_millisecond(&oracle, START + 45_299_700, START + 45_300_300);
    }
}

#[test]
fn counts_of_unions_match_sets_of_instants() {
    for text in UNIONS {
        let oracle = known(text);
        for start in [START, midnight(2026, 1, 31), midnight(2100, 12, 30)] {
            // Two days if the events are few, or some seconds.
            let range = match oracle.total() {
                ..1_000_000_000 => start..start + 2 * DAY,
                _ => start + 12 * HOUR - 20_123..start + 12 * HOUR + MINUTE + 456,
            };
            let mut events = BTreeSet::new();
            for member in oracle.members() {
                events.extend(member.events(&range, usize::MAX));
            }
            let count = u64::try_from(events.len()).unwrap();
            assert_eq!(oracle.count(&range), count, "{text}");
            assert_eq!(oracle.nth(&range, count), None, "{text}");
            let nth = (0..).zip(&events).step_by(events.len() / 50 + 1);
            for (n, event) in nth {
                assert_eq!(oracle.nth(&range, n), Some(*event), "{text}");
                assert_eq!(oracle.count(&(range.start..*event)), n, "{text}");
            }
        }
    }
}

#[test]
fn totals_of_unions_are_known() {
    let days: u64 = 36_890;
    let seconds = days * 86_400;
    // By inclusion and exclusion.
    let multiples = |of: u64, below: u64| below.div_ceil(of);
    let either = |a: u64, b: u64, below: u64| {
        multiples(a, below) + multiples(b, below) - multiples(a * b, below)
    };
    assert_eq!(known("*:*:*.*/5; *:*:*.*/7").total(), seconds * either(5, 7, 1000));
    let windows = "00:00:00../7ms; 00:00:00../11ms";
    assert_eq!(known(windows).total(), days * either(7, 11, 86_400_000));
    let windows = "00:00:00../7s; *:*:*/2; *:00:00";
    // 0 and 2 to 3600 in steps of 2, of which each hour starts with one, and odd multiples of 7.
    let odd_multiples = multiples(7, 86_400) - multiples(14, 86_400);
    assert_eq!(known(windows).total(), days * (43_200 + odd_multiples));
    assert_eq!(known("*:*:*.*; 00:00:00../1ms").total(), seconds * 1000);
    assert_eq!(known("*.*.* Mon 1:00:00; *.*.* Tue-Sat,0 1:00:00; 1:00:00").total(), days);
    assert_eq!(known("*.4.31 00:00:00; *.2.30 00:00:00").total(), 0);
    assert!(known("*.4.31 00:00:00; *.2.30 00:00:00").never_fires());
}

#[test]
fn events_of_unions_by_index_match_iteration() {
    for text in UNIONS {
        let oracle = known(text);
        let total = oracle.total();
        assert_eq!(oracle.count(&..), total, "{text}");
        for (n, event) in (0..).zip(oracle.events(&.., 100)) {
            assert_eq!(oracle.event(n), event, "{text}");
        }
        for (n, event) in (1..).zip(oracle.events_back(&.., 100)) {
            assert_eq!(oracle.event(total - n), event, "{text}");
        }
    }
}

#[test]
fn unions_with_the_same_events_are_recognized() {
    let is_same = |text: &str, other: &str| known(text).has_same_events(&known(other));
    assert!(is_same("1:00:00; 2:00:00", "2:00:00; 1:00:00"));
    assert!(is_same("1:00:00; 2:00:00", "1,2:00:00"));
    assert!(is_same("*:*:00", "*:0-29:0; *:25-59:0; 5:00:00"));
    assert!(is_same("*.*.1-7 1:00:00; *.*.8-L 1:00:00", "01:00:00..01:00:01/1s; 1:00:00"));
    assert!(is_same("1:00:00; 1:00:00", "1:00:00"));
    assert!(!is_same("1:00:00; 2:00:00", "1:00:00; 3:00:00"));
    assert!(!is_same("1:00:00; 2:00:00", "1:00:00"));
    assert!(!is_same("*.*.1 1:00:00", "*.*.1 1:00:00; 2100.12.31 1:00:00"));
}

fn berlin() -> (TimeZone, i64, i64) {
    // The clocks go from 02:00 to 03:00, and from 03:00 to 02:00, both at 01:00 UTC.
    (zone("Europe/Berlin"), midnight(2026, 3, 29) + HOUR, midnight(2026, 10, 25) + HOUR)
}

#[test]
fn members_of_unions_keep_their_kinds_at_clock_changes() {
    let (zone, gap, fold) = berlin();
    let union = known("2:30:00; *:*/40:00; 3:00:00");
    let event = |at: i64, civil: i64, resolution| Event { instant: at, civil, resolution };
    let window = Window::new(&zone, &(gap - HOUR..gap + HOUR + 1));
    let local = midnight(2026, 3, 29);
    // 02:30 is shifted onto 03:00, where others are.
    let unique = Resolution::Unique;
    let expected = [
        event(gap - HOUR, local + HOUR, unique),
        event(gap - 20 * MINUTE, local + HOUR + 40 * MINUTE, unique),
        event(gap, local + 3 * HOUR, unique),
        event(gap + 40 * MINUTE, local + 3 * HOUR + 40 * MINUTE, unique),
        event(gap + HOUR, local + 4 * HOUR, unique),
    ];
    assert_eq!(window.events_of_union(&union, None), expected);
    // Both are shifted, and the earlier one comes first.
    let union = known("2:30:00; 2:15:00; 2:20:00");
    let shifted = event(gap, local + 2 * HOUR + 15 * MINUTE, Resolution::Shifted);
    assert_eq!(window.events_of_union(&union, None), [shifted]);
    assert_eq!(window.events_of_union(&union, Some((Gap::Skip, Fold::First))), []);

    // The fixed time is in the first pass only, the others in both.
    let window = Window::new(&zone, &(fold - HOUR..fold + HOUR));
    let union = known("2:30:00; *:*/40:00; 2:00:00");
    let local = midnight(2026, 10, 25) + 2 * HOUR;
    let (first, second) = (Resolution::FirstPass, Resolution::SecondPass);
    let expected = [
        event(fold - HOUR, local, first),
        event(fold - 30 * MINUTE, local + 30 * MINUTE, first),
        event(fold - 20 * MINUTE, local + 40 * MINUTE, first),
        event(fold, local, second),
        event(fold + 40 * MINUTE, local + 40 * MINUTE, second),
    ];
    assert_eq!(window.events_of_union(&union, None), expected);
    let both = Some((Gap::Shift, Fold::Both));
    assert_eq!(window.events_of_union(&union, both).len(), 6);
}

#[test]
fn single_instants_of_unions_match_the_walk_through_a_clock_change() {
    let (zone, gap, fold) = berlin();
    let unions = [
        "2:30:00; *:*/40:00; 3:00:00",
        "1:00:00..5:00:00/25m; *.*.* Sun 2:*/15:00; 1,2:30:00",
        "*.3,10.25-L 2:15:00; 2:15:00; 3-4:5:00; 22:00:00..=8:00:00/7m",
    ];
    let policies = [None, Some((Gap::Bridge, Fold::Second)), Some((Gap::Skip, Fold::Both))];
    for text in unions {
        let union = known(text);
        for (change, policies) in [gap, fold].into_iter().flat_map(|at| policies.map(|it| (at, it)))
        {
            let range = change - 3 * HOUR..change + 3 * HOUR;
            let events = Window::new(&zone, &range).events_of_union(&union, policies);
            let judge = UnionJudge::new(&union, |instant| offset(&zone, instant), policies);
            let minutes = (range.start / MINUTE..range.end / MINUTE).map(|minute| minute * MINUTE);
            let single = minutes.filter_map(|at| judge.event(at));
            assert_eq!(single.collect::<Vec<_>>(), events, "{text}");
        }
    }
}
