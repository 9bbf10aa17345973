//! Implementations of [`Zone`]: the zones of `jiff` and `chrono-tz` agree, `offset_at` is enough to
//! implement a zone, and every zone of the database upholds the contract.

use std::ops::Range;

use crate::support::oracle::zoned::{Change, FOLDS, GAPS, HOUR, changes, database, offset, zone};
use crate::support::oracle::{END, START, midnight};
use crate::support::sample;
use chrono::{FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, Offset as _};
use jiff::civil::date;
use jiff::tz::{self, TimeZone};
use millicron::{ChronoZone, Offsets, Schedule, Zone, schedule};

const DAY: i64 = 24 * HOUR;

const NAMES: [&str; 14] = [
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Antarctica/Troll",
    "Asia/Pyongyang",
    "America/New_York",
    "Europe/London",
    "Asia/Gaza",
    "America/Havana",
    "Antarctica/Casey",
    "Asia/Kathmandu",
    "Africa/Cairo",
    "America/Scoresbysund",
];

fn schedules() -> [Schedule; 7] {
    [
        schedule!("0:00:00"),
        schedule!("2:30:00"),
        schedule!("0,1,2,3,23:15:30.250"),
        schedule!("*:30:00"),
        schedule!("*/2:15:00"),
        schedule!("*:*/10:00"),
        schedule!("*.*.* Sun 1:59:59.999"),
    ]
}

/// The instants around a change at which two zones are compared.
fn instants_around(change: Change) -> impl Iterator<Item = i64> {
    let reach = 2 * change.length() + 26 * HOUR;
    let edges = [-change.length(), 0, change.length()].map(|by| change.at + by);
    let edges = edges.into_iter().flat_map(|at| [at - 1, at, at + 1]);
    (change.at - reach..=change.at + reach).step_by(50 * 60_000).chain(edges)
}

/// Asserts that two zones, and all queries in them, return the same results around a change.
fn assert_zones_agree<A: Zone, B: Zone>(a: &A, b: &B, change: Change, label: &str) {
    for at in instants_around(change) {
        assert_eq!(a.offset_at(at), b.offset_at(at), "{label}: offset at {at}");
        for civil in [at + change.before, at + change.after] {
            assert_eq!(a.offsets_of(civil), b.offsets_of(civil), "{label}: offsets of {civil}");
        }
    }
    let Change { at, .. } = change;
    for (after, until) in [(at - 1, at), (at - DAY, at + DAY), (at, at + DAY), (at - DAY, at - 1)] {
        let changes = (a.next_change(after, until), b.next_change(after, until));
        assert_eq!(changes.0, changes.1, "{label}: change after {after}, until {until}");
    }
    for schedule in schedules() {
        for (gap, fold) in GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold))) {
            let a = schedule.in_zone(a).with_gap(gap).with_fold(fold);
            let b = schedule.in_zone(b).with_gap(gap).with_fold(fold);
            for at in instants_around(change) {
                let message = || format!("{label}: {schedule}, {gap:?} and {fold:?} at {at}");
                assert_eq!(a.next_event(at), b.next_event(at), "{}", message());
                assert_eq!(a.prev_event(at), b.prev_event(at), "{}", message());
                assert_eq!(a.occurrence(at), b.occurrence(at), "{}", message());
            }
            let range = change.at - 2 * DAY..change.at + 2 * DAY;
            assert_eq!(a.count(range.clone()), b.count(range.clone()), "{label}: {schedule}");
            assert!(a.events(range.clone()).eq(b.events(range)), "{label}: {schedule}");
        }
    }
}

#[test]
fn chrono_zones_agree_with_jiff_zones() {
    let until = midnight(2038, 1, 1);
    // Versions of the database may predict later changes differently.
    let settled = midnight(2025, 1, 1);
    for name in NAMES {
        let (jiff, tz) = (zone(name), name.parse::<chrono_tz::Tz>().expect("a zone"));
        let chrono = ChronoZone(tz);
        for change in sample(changes(&jiff).into_iter().filter(|change| change.at < until)) {
            // Wide enough to include the previous and the next event of every schedule.
            let hours = (change.at - 10 * DAY..=change.at + 10 * DAY).step_by(3_600_000);
            let are_alike = hours.into_iter().all(|at| jiff.offset_at(at) == chrono.offset_at(at));
            assert!(are_alike || change.at > settled, "{name} at {}", change.at);
            if are_alike {
                assert_zones_agree(&jiff, &chrono, change, name);
            }
        }
    }
}

/// Zones that `jiff::tz::get!` compiles into the program.
#[test]
fn constant_jiff_zones_agree_with_those_of_the_database() {
    const BERLIN: TimeZone = tz::get!("Europe/Berlin");
    static ELSEWHERE: [TimeZone; 3] = [
        tz::get!("Australia/Lord_Howe"),
        tz::get!("Africa/Casablanca"),
        tz::get!("America/New_York"),
    ];
    for constant in [BERLIN].iter().chain(&ELSEWHERE) {
        let name = constant.iana_name().expect("the name that the macro was given");
        let loaded = zone(name);
        assert!(constant.table().is_some(), "{name}");
        for change in sample(changes(&loaded)) {
            assert_zones_agree(constant, &loaded, change, name);
        }
    }
    // On 2026-03-29 the clocks in Berlin go from 02:00 to 03:00.
    let nightly = schedule!("2:30:00").in_zone(BERLIN);
    let evening = (date(2026, 3, 28).at(18, 0, 0, 0), BERLIN);
    let next = nightly.next_event(evening).expect("an event each night");
    assert_eq!(next.to_string(), "2026-03-29T03:00:00+02:00[Europe/Berlin]");
    assert_eq!(next.time_zone(), &BERLIN);
}

#[cfg(all(feature = "chrono-tz", feature = "zones"))]
#[test]
fn static_zones_agree_with_those_of_the_database() {
    for name in NAMES {
        let (compiled, loaded) = (super::static_zones::static_zone(name), zone(name));
        for change in sample(changes(&loaded)) {
            assert_zones_agree(&compiled, &loaded, change, name);
        }
    }
}

/// A `chrono` zone that finds no offset for any local time. `chrono::Local`, for example, returns
/// wrong offsets for local times at the ends of a change.
#[derive(Clone)]
struct WrongLocalTimes(chrono_tz::Tz);

impl chrono::TimeZone for WrongLocalTimes {
    type Offset = FixedOffset;

    fn from_offset(_: &FixedOffset) -> Self {
        Self(chrono_tz::Tz::Europe__Berlin)
    }

    fn offset_from_local_date(&self, _: &NaiveDate) -> MappedLocalTime<FixedOffset> {
        MappedLocalTime::None
    }

    fn offset_from_local_datetime(&self, _: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
        MappedLocalTime::None
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> FixedOffset {
        self.0.offset_from_utc_date(utc).fix()
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
        self.0.offset_from_utc_datetime(utc).fix()
    }
}

#[test]
fn chrono_zones_do_not_depend_on_local_time_lookups() {
    let tz = chrono_tz::Tz::Europe__Berlin;
    let (right, wrong) = (ChronoZone(tz), ChronoZone(WrongLocalTimes(tz)));
    for change in sample(changes(&zone("Europe/Berlin")).into_iter().take(40)) {
        assert_zones_agree(&right, &wrong, change, "Berlin");
    }
}

/// A `jiff` zone that implements only [`Zone::offset_at`].
struct OffsetOnly(TimeZone);

impl Zone for OffsetOnly {
    fn offset_at(&self, instant: i64) -> i32 {
        i32::try_from(offset(&self.0, instant)).expect("less than a day")
    }
}

#[test]
fn offset_at_alone_defines_a_zone() {
    for name in NAMES {
        let (jiff, offset_only) = (zone(name), OffsetOnly(zone(name)));
        let changes = changes(&jiff);
        // The last two changes are in 2100.
        for change in sample(changes.iter().take(60)).chain(changes.iter().rev().take(2)) {
            assert_zones_agree(&jiff, &offset_only, *change, name);
        }
        for schedule in schedules() {
            let (a, b) = (schedule.in_zone(&jiff), schedule.in_zone(&offset_only));
            assert_eq!(a.count(..), b.count(..), "{schedule} in {name}");
            for n in [0, 1000, 20_000] {
                let nth = (a.events(..).nth(n), b.events(..).nth(n));
                assert_eq!(nth.0, nth.1, "{schedule} in {name}");
                let nth_back = (a.events(..).nth_back(n), b.events(..).nth_back(n));
                assert_eq!(nth_back.0, nth_back.1, "{schedule} in {name}");
            }
        }
    }
}

/// December 1999 to January 2101.
const RANGE: Range<i64> = START - 31 * DAY..END + 1 + 31 * DAY;

/// Finds all changes of the offset in [`RANGE`], by comparing the offset twice a day and bisecting.
fn find_changes(zone: &TimeZone) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut before = offset(zone, RANGE.start);
    for half_day in RANGE.step_by(12 * 3_600_000) {
        let (mut start, mut end) = (half_day, half_day + 12 * HOUR);
        let after = offset(zone, end);
        if after == before {
            continue;
        }
        while end - start > 1 {
            let middle = start.midpoint(end);
            *(if offset(zone, middle) == before { &mut start } else { &mut end }) = middle;
        }
        changes.push(Change { at: end, before, after });
        before = after;
    }
    changes
}

/// Checks the contract in the docs of [`Zone`] for every change of every zone.
#[test]
fn all_zones_of_the_database_uphold_the_contract() {
    for name in sample(database().available()) {
        let zone = database().get(name.as_str()).expect("an available zone");
        let changes = find_changes(&zone);
        let offsets = changes.iter().map(|change| change.after).chain([offset(&zone, START)]);
        assert!(offsets.map(i64::abs).all(|offset| offset < DAY), "{name}");
        for pair in changes.windows(2) {
            assert!(pair[1].at - pair[0].at > 6 * DAY, "{name}: {pair:?}");
        }
        let mut last = RANGE.start;
        for &change in &changes {
            assert!(change.length() <= DAY, "{name}: {change:?}");
            assert_eq!(zone.next_change(last, RANGE.end), Some(change.at), "{name}: {change:?}");
            assert_reports_change(&zone, change, name.as_str());
            last = change.at;
        }
        assert_eq!(zone.next_change(last, RANGE.end), None, "{name}");
    }
}

/// Asserts that a zone reports a change at its exact instant, and its gap or fold to the
/// millisecond.
fn assert_reports_change(zone: &TimeZone, change: Change, name: &str) {
    let Change { at, before, after } = change;
    let (old_civil, new_civil) = (at + before, at + after);
    let [before, after] =
        [before, after].map(|offset| i32::try_from(offset).expect("less than a day"));
    assert_eq!([zone.offset_at(at - 1), zone.offset_at(at)], [before, after], "{name}: {change:?}");

    let within = if before < after {
        Offsets::Gap { before, after }
    } else {
        Offsets::Fold { before, after }
    };
    let (first, end) = (old_civil.min(new_civil), old_civil.max(new_civil));
    let offsets = [first - 1, first, end - 1, end].map(|civil| zone.offsets_of(civil));
    let expected = [Offsets::One(before), within, within, Offsets::One(after)];
    assert_eq!(offsets, expected, "{name}: {change:?}");
}
