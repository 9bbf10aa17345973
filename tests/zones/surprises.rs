//! The events that clock changes affect, compared with an oracle that walks minute by minute through every
//! clock change.

use std::ops::Range;
use std::sync::Arc;

use super::variants;
use crate::support::oracle::Oracle;
use crate::support::oracle::zoned::{
    Affected, Change, FOLDS, GAPS, HOUR, MINUTE, Window, changes, default_of, offset, zone,
};
use crate::support::sample;
use jiff::tz::TimeZone;
use millicron::{
    CalendarDigits, ClockEffect, Fold, Gap, Pass, Phrase, Resolution, Schedule, Surprise, Zone,
    ZonedSchedule, schedule,
};

const ZONES: [&str; 6] = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Asia/Gaza",
];

fn schedules() -> [Schedule; 14] {
    [
        schedule!("2:30:00"),
        schedule!("0:00:00"),
        schedule!("1-3:10,50:00"),
        schedule!("0-22:30:00"),
        schedule!("*:00:00"),
        schedule!("*:30:00"),
        schedule!("*/2:30:00"),
        schedule!("2:*/15:00"),
        schedule!("*:*/7:00"),
        schedule!("*:*:00"),
        schedule!("*.*.* Sun 1:59:00"),
        schedule!("2011.12.30 */6:00:00"),
        schedule!("22:00:00..02:40:00/25m"),
        schedule!("*.*.* Sat 21:00:00..=03:00:00/45m"),
    ]
}

/// A zone of the database that implements only [`Zone::offset_at`].
#[derive(Debug)]
struct Offsets(TimeZone);

impl Zone for Offsets {
    fn offset_at(&self, instant: i64) -> i32 {
        i32::try_from(offset(&self.0, instant)).expect("less than a day")
    }
}

/// Returns the oracle's result, with the clocks of the change.
fn expected(affected: &Affected, change: Change) -> Found {
    let Affected { at, civil, fires, effect } = *affected;
    (civil, fires.then_some(at), effect, (change.at + change.before, change.at + change.after))
}

type Found = (i64, Option<i64>, ClockEffect, (i64, i64));

fn found(surprise: Surprise<i64>) -> Found {
    let Surprise { civil, instant, effect, clocks, .. } = surprise;
    (civil.to_millis(), instant, effect, (clocks.from.to_millis(), clocks.to.to_millis()))
}

/// Takes items from both ends in turn.
fn from_both_ends<T>(mut items: impl DoubleEndedIterator<Item = T>) -> Vec<T> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while let Some(item) = items.next() {
        front.push(item);
        back.extend(items.next_back());
    }
    front.extend(back.into_iter().rev());
    front
}

#[track_caller]
fn assert_found<Z: Zone>(zoned: &ZonedSchedule<Z>, range: Range<i64>, expected: &[Found]) {
    let label = || format!("{} in {range:?}", zoned.describe());
    let surprises = zoned.surprises(range.clone()).map(found);
    assert_eq!(surprises.clone().collect::<Vec<_>>(), expected, "{}", label());
    assert!(surprises.clone().rev().eq(expected.iter().rev().copied()), "{}, backwards", label());
    assert_eq!(from_both_ends(surprises), expected, "{}, from both ends", label());
}

/// Returns the ranges that begin or end near a change, and exclude a part of its events.
fn ranges(change: Change) -> Vec<Range<i64>> {
    let (at, length) = (change.at, change.length());
    let reach = length + 2 * HOUR;
    let inner = [-length, -length / 2, 0, 1, length / 2, length];
    let from = inner.map(|by| at + by..at + reach);
    let to = inner.map(|by| at - reach..at + by);
    let whole = at - reach..at + reach;
    from.into_iter().chain(to).chain([whole, at - length / 3..at + length / 3]).collect()
}

/// Tests all schedules around one change.
fn check_change(zone: &TimeZone, change: Change) {
    let reach = 2 * change.length() + 3 * HOUR;
    let window = Window::new(zone, &(change.at - reach..change.at + reach));
    let mut variants = variants(zone);
    variants.push(Arc::new(Offsets(zone.clone())));
    // A range has the next variant.
    let mut variants = variants.iter().cycle();
    for schedule in schedules() {
        let civil = Oracle::new(schedule.expression());
        let minutes = window.of(&civil);
        for (gap, fold) in GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold))) {
            let affected = minutes.affected(gap, fold);
            for (range, zone) in ranges(change).into_iter().zip(&mut variants) {
                let inside = affected.iter().filter(|it| range.contains(&it.at));
                let inside: Vec<_> = inside.map(|it| expected(it, change)).collect();
                let zoned = schedule.in_zone(Arc::clone(zone)).with_gap(gap).with_fold(fold);
                assert_found(&zoned, range, &inside);
            }
        }
    }
}

#[test]
fn surprises_are_the_events_in_gaps_and_folds() {
    for name in ZONES {
        let zone = zone(name);
        let changes = changes(&zone);
        assert!(changes.len() > 20, "{name} has {} changes", changes.len());
        // The first changes have the most kinds: Samoa skipped a day, and Gaza had four a year.
        let early = changes.iter().take(24).step_by(5);
        let sampled = sample(changes.iter()).step_by(3);
        for change in sampled.chain(early) {
            check_change(&zone, *change);
        }
        let skipped_day = changes.iter().find(|change| change.length() == 24 * HOUR);
        assert_eq!(skipped_day.is_some(), name == "Pacific/Apia");
        if let Some(change) = skipped_day {
            check_change(&zone, *change);
        }
    }
}

#[test]
fn surprises_of_a_century_are_those_of_all_its_changes() {
    for name in ZONES {
        let zone = zone(name);
        let changes = changes(&zone);
        for schedule in [schedule!("2:30:00"), schedule!("*:*/30:00"), schedule!("0,23:15:00")] {
            let civil = Oracle::new(schedule.expression());
            let (gap, fold) = default_of(civil.sets());
            let mut all = Vec::new();
            for change in &changes {
                let reach = 2 * change.length() + HOUR;
                let window = Window::new(&zone, &(change.at - reach..change.at + reach));
                let affected = window.of(&civil).affected(gap, fold);
                all.extend(affected.iter().map(|it| expected(it, *change)));
            }
            for variant in variants(&zone) {
                assert_found(&schedule.in_zone(variant), i64::MIN..i64::MAX, &all);
            }
            assert_found(&schedule.in_zone(Offsets(zone.clone())), i64::MIN..i64::MAX, &all);
        }
    }
}

/// In Berlin, each change affects an hour, which has 3,600,000 milliseconds.
#[test]
fn surprises_of_a_dense_schedule_are_found_one_by_one() {
    let each = schedule!("*:*:*.*").in_zone(zone("Europe/Berlin")).with_gap(Gap::Shift);
    let (start, end) = ("2026-01-01 00:00:00", "2027-01-01 00:00:00");
    let [start, end] = [start, end].map(|text| text.parse().map(CalendarDigits::to_millis));
    let year = start.expect("a date")..end.expect("a date");
    let mut surprises = each.surprises(year);
    let first = surprises.next().map(|it| (it.civil.to_string(), it.effect));
    let last = surprises.next_back().map(|it| (it.civil.to_string(), it.effect));
    let shown = |text: &str, effect| Some((text.to_owned(), effect));
    assert_eq!(first, shown("2026-03-29 02:00:00.000", ClockEffect::Merged));
    assert_eq!(last, shown("2026-10-25 02:59:59.999", ClockEffect::Doubled(Pass::Second)));
    let second = surprises.next().map(|it| it.civil.to_string());
    assert_eq!(second.as_deref(), Some("2026-03-29 02:00:00.001"));
}

/// A zone whose clocks change by an odd number of milliseconds: forward at one instant, back at the next.
#[derive(Clone, Copy, Debug)]
struct Odd;

const FORWARD: i64 = 1_774_746_000_017;
const BACK: i64 = FORWARD + 200 * 24 * HOUR + 12_345;
const ODD: i32 = 4_321_987;

impl Zone for Odd {
    fn offset_at(&self, instant: i64) -> i32 {
        if (FORWARD..BACK).contains(&instant) { 777 + ODD } else { 777 }
    }
}

/// Whatever an event's milliseconds, its occurrence and its surprise are the same.
#[test]
fn surprises_that_fire_are_the_occurrences_that_are_not_unique() {
    let schedules = [
        schedule!("*:*/3:*/20.13,900"),
        schedule!("0-22:7,30:15.250"),
        schedule!("22:00:00.5..04:00:00/97777ms"),
        schedule!("*.*.* Sun 0-12:0-40:59.999"),
    ];
    let resolution = |effect| match effect {
        ClockEffect::Shifted => Some(Resolution::Shifted),
        ClockEffect::Chosen(Pass::First) | ClockEffect::Doubled(Pass::First) => {
            Some(Resolution::FirstPass)
        }
        ClockEffect::Chosen(Pass::Second) | ClockEffect::Doubled(Pass::Second) => {
            Some(Resolution::SecondPass)
        }
        ClockEffect::Merged | ClockEffect::Bridged | ClockEffect::Skipped => None,
    };
    let mut found = 0;
    for schedule in schedules {
        for (gap, fold) in GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| (gap, fold))) {
            let zoned = schedule.in_zone(Odd).with_gap(gap).with_fold(fold);
            for at in [FORWARD, BACK] {
                let range = at - 12 * HOUR..at + 12 * HOUR;
                let events =
                    zoned.events(range.clone()).filter_map(|event| zoned.occurrence(event));
                let expected = events.filter(|it| it.resolution != Resolution::Unique);
                let expected: Vec<_> =
                    expected.map(|it| (it.civil, Some(it.instant), it.resolution)).collect();
                let surprises = zoned.surprises(range);
                let firing =
                    surprises.filter_map(|it| Some((it.civil, it.instant, resolution(it.effect)?)));
                assert!(firing.clone().eq(expected.iter().copied()), "{schedule} {gap:?} {fold:?}");
                assert!(firing.rev().eq(expected.iter().rev().copied()), "{schedule}, backwards");
                found += expected.len();
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn surprises_say_what_happens() {
    let says = |schedule: Schedule, gap, year: &str| {
        let zoned = schedule.in_zone(zone("Europe/Berlin")).with_gap(gap);
        let start: jiff::Timestamp = year.parse().expect("an instant");
        zoned.surprises(start..).next().map(|it| it.to_string()).unwrap_or_default()
    };
    let spring = "the clocks go from 2026-03-29 02:00:00.000 to 2026-03-29 03:00:00.000";
    let autumn = "the clocks go from 2026-10-25 03:00:00.000 to 2026-10-25 02:00:00.000";
    let [march, june] = ["2026-03-01T00:00Z", "2026-06-01T00:00Z"];
    let at = |time: &str, what: &str, clocks: &str| format!("{time}:00.000 {what}: {clocks}");
    let nightly = || schedule!("2:30:00");
    let half_past = || schedule!("*:30:00");

    let expected = at("2026-03-29 02:30", "fires at the first instant after the gap", spring);
    assert_eq!(says(nightly(), Gap::Shift, march), expected);
    assert_eq!(
        says(schedule!("*:00:00"), Gap::Shift, march),
        at("2026-03-29 02:00", "falls on another event at the first instant after the gap", spring)
    );
    let expected = "does not fire, as another event follows soon after the gap";
    assert_eq!(says(half_past(), Gap::Bridge, march), at("2026-03-29 02:30", expected, spring));
    let expected = at("2026-03-29 02:30", "does not fire", spring);
    assert_eq!(says(nightly(), Gap::Skip, march), expected);
    let expected = at("2026-10-25 02:30", "fires in the first pass only", autumn);
    assert_eq!(says(nightly(), Gap::Shift, june), expected);
    let expected = at("2026-10-25 02:30", "fires in both passes, the first time", autumn);
    assert_eq!(says(half_past(), Gap::Shift, june), expected);
}

#[test]
fn surprises_of_nothing_are_none() {
    let nightly = schedule!("2:30:00");
    let berlin = nightly.in_zone(zone("Europe/Berlin"));
    let june = 1_780_272_000_000; // 2026-06-01 00:00:00 UTC
    assert_eq!(berlin.surprises(june..june + 60 * 24 * HOUR).next(), None);
    assert_eq!(berlin.surprises(june + 300 * 24 * HOUR..june).next_back(), None);
    assert_eq!(nightly.in_zone(TimeZone::UTC).surprises(..).next_back(), None);
    assert_eq!(schedule!("12:00:00").in_zone(zone("Europe/Berlin")).surprises(..).next(), None);
    assert_eq!(berlin.surprises(i64::MAX - MINUTE..).next(), None);
    assert_eq!(berlin.surprises(..i64::MIN + MINUTE).next_back(), None);
}

#[test]
fn descriptions_name_the_zone_and_the_policies() {
    let nightly = schedule!("14:30:00").in_zone(zone("Europe/Berlin"));
    assert_eq!(
        nightly.describe().with_twelve_hour_clock().to_string(),
        "Every day at 2:30 PM, in Europe/Berlin. Events that the clocks skip fire at the first instant \
         after the gap; events that the clocks repeat fire in the first pass only"
    );
    let often = schedule!("*:*/5:00").in_zone(Offsets(TimeZone::UTC)).with_fold(Fold::Second);
    assert_eq!(
        often.describe().to_string(),
        "Every 5 minutes, in local time. Events that the clocks skip fire at the first instant after \
         the gap, unless another event follows within less than the length of the gap; events that \
         the clocks repeat fire in the second pass only"
    );

    let union = schedule!("2:30:00; *.*.* Mon 12:*/20:00").in_zone(zone("Europe/Berlin"));
    let (fixed, repeating) = (
        "events that the clocks skip fire at the first instant after the gap; events that the clocks \
         repeat fire in the first pass only",
        "events that the clocks skip fire at the first instant after the gap, unless another event of \
         the same schedule follows within less than the length of the gap; events that the clocks \
         repeat fire in both passes",
    );
    for (union, expected) in [
        (union.clone(), format!("For fixed times, {fixed}; for times that repeat, {repeating}")),
        (
            union.clone().with_fold(Fold::First).with_gap(Gap::Shift),
            fixed.replacen("events", "Events", 1),
        ),
        (
            union.clone().with_gap(Gap::Bridge).with_fold(Fold::Both),
            repeating.replacen("events", "Events", 1),
        ),
        (
            union.clone().with_gap(Gap::Skip),
            "For fixed times, events that the clocks skip do not fire; events that the clocks repeat \
             fire in the first pass only; for times that repeat, events that the clocks skip do not \
             fire; events that the clocks repeat fire in both passes"
                .to_owned(),
        ),
    ] {
        let description = union.describe().to_string();
        let (_, changes) = description.split_once(", in Europe/Berlin. ").expect("two parts");
        assert_eq!(changes, expected);
        assert!(Phrase::recognize(&description).is_none(), "{description}");
    }
    let chosen = union.clone().with_gap(Gap::Bridge).with_fold(Fold::Both);
    assert_ne!(chosen, union);
    assert_ne!(format!("{chosen:?}"), format!("{union:?}"));
}
