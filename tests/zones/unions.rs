//! Unions in time zones, compared with their members, and with the oracle.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::variants;
use crate::support::oracle::Oracle;
use crate::support::oracle::zoned::{FOLDS, GAPS, changes, offset, zone};
use crate::support::oracle::zoned_union::UnionJudge;
use jiff::tz::TimeZone;
use millicron::{
    Fold, Gap, Resolution, Schedule, Zone, ZonedParseErrorKind, ZonedSchedule, schedule,
};

const DAY: i64 = 86_400_000;

/// Zones with gaps and folds of an hour, of half an hour and of two hours, and one that skips a day.
const ZONES: [&str; 5] = [
    "America/New_York",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Europe/London",
    "Pacific/Apia",
];

/// Unions of fixed and of repeating schedules, with times in gaps and folds, some of them in common.
const UNIONS: [&str; 7] = [
    "*.*.* 1:30:00; *.*.* 2:30:00; *.*.* 3:00:00",
    "2:30:00; *:*/30:00",
    "*:*/20:00; *:*/30:00; 1,2:15:00",
    "0:30:00..4:00:00/45m; 2:30:00; *.*.* Sun 1:00:00",
    "22:00:00..3:00:00/10m; 0,1,2,3:10,40:00",
    "2:00:00; 3:00:00; *:00:00",
    "*.*.1-15 1:45:00; *.*.16-L 1:45:00..2:45:00/15m",
];

/// A policy that changes nothing is not chosen.
#[test]
fn unions_are_equal_if_their_members_are_handled_alike() {
    let zone = || TimeZone::get("Europe/Berlin").expect("a zone");
    let in_zone = |text: &str| text.parse::<Schedule>().expect(text).in_zone(zone());
    let fixed = in_zone("2:30:00; 3:30:00");
    assert_eq!(fixed.clone().with_gap(Gap::Shift).with_fold(Fold::First), fixed);
    assert_eq!(fixed.clone().with_gap(Gap::Skip).with_gap(Gap::Shift), fixed);
    assert_ne!(fixed.clone().with_gap(Gap::Bridge), fixed);
    // The compiler plans literals in another way.
    let literal = schedule!("2:30:00; 3:30:00").in_zone(zone());
    assert_eq!(literal, fixed);
    assert_eq!(literal.clone().with_gap(Gap::Shift).with_fold(Fold::First), literal);
    // Both of its members would be handled differently.
    let mixed = in_zone("2:30:00; *:*/30:00");
    assert_ne!(mixed.clone().with_gap(Gap::Bridge), mixed);
    assert_ne!(mixed.clone().with_gap(Gap::Shift), mixed);
    assert_ne!(mixed.clone().with_fold(Fold::Both), mixed.with_fold(Fold::First));
}

/// The policies: by the kind of each member, and all combinations for all members.
fn policies() -> impl Iterator<Item = Option<(Gap, Fold)>> {
    let all = GAPS.into_iter().flat_map(|gap| FOLDS.map(|fold| Some((gap, fold))));
    std::iter::once(None).chain(all)
}

/// A zone for the oracle, and a variant of it for the library.
#[derive(Clone, Copy)]
struct Local<'a> {
    zone: &'a TimeZone,
    variant: &'a Arc<dyn Zone>,
}

fn in_zone(
    schedule: &Schedule,
    local: Local<'_>,
    policies: Option<(Gap, Fold)>,
) -> ZonedSchedule<Arc<dyn Zone>> {
    let zoned = schedule.in_zone(Arc::clone(local.variant));
    match policies {
        Some((gap, fold)) => zoned.with_gap(gap).with_fold(fold),
        None => zoned,
    }
}

/// Calls a function with each union, zone and policy, and some clock changes of the zone. The variants of the zone take
/// turns.
fn for_each(check: impl Fn(&str, Local<'_>, Option<(Gap, Fold)>, &[i64])) {
    for name in ZONES {
        let zone = zone(name);
        let all: Vec<i64> = changes(&zone).iter().map(|change| change.at).collect();
        let some: Vec<i64> = all.iter().copied().rev().step_by(29).take(4).collect();
        // Apia left out a day in 2011.
        let early =
            all.iter().copied().filter(|at| (1_325_000_000_000..1_326_000_000_000).contains(at));
        let some: Vec<i64> = some.into_iter().chain(early).collect();
        let variants = variants(&zone);
        let mut variants = variants.iter().cycle();
        for text in UNIONS {
            for (policies, variant) in policies().zip(&mut variants) {
                check(text, Local { zone: &zone, variant }, policies, &some);
            }
        }
    }
}

#[test]
fn unions_have_the_events_of_their_members() {
    for_each(|text, local, policies, changes| {
        let union = Schedule::parse(text).expect("a union");
        let zoned = in_zone(&union, local, policies);
        let members: Vec<_> =
            union.members().map(|member| in_zone(&member, local, policies)).collect();
        for change in changes {
            let range = change - 2 * DAY..=change + 2 * DAY;
            let all: BTreeSet<i64> =
                members.iter().flat_map(|member| member.events(range.clone())).collect();
            let events: Vec<i64> = zoned.events(range.clone()).collect();
            assert!(events.iter().eq(&all), "{text} {policies:?} {change}: {events:?} {all:?}");
            assert!(zoned.events(range.clone()).rev().eq(all.iter().rev().copied()), "{text}");
            assert_eq!(zoned.count(range.clone()), events.len() as u64, "{text} {policies:?}");
            for (place, event) in events.iter().enumerate() {
                let from = event + 1..=*range.end();
                let rest = events.len() - place - 1;
                assert_eq!(zoned.count(from.clone()), rest as u64, "{text} {policies:?} {event}");
                let later = events.get(place + 10).copied();
                assert_eq!(zoned.events(from.clone()).nth(9), later, "{text} {policies:?} {event}");
                assert_eq!(zoned.next_event(event - 1), Some(*event), "{text}");
                assert_eq!(zoned.prev_event(event + 1), Some(*event), "{text}");
                assert!(zoned.matches(*event) && !zoned.matches(event + 1), "{text}");
            }
        }
        let all: u64 = zoned.count(..);
        let half = 2_500_000_000_000;
        assert_eq!(zoned.count(..half) + zoned.count(half..), all, "{text} {policies:?}");
        // A long range is counted as a whole, and corrected for each of its clock changes.
        let start = changes.last().expect("a clock change") - 60 * DAY;
        let short = (0..80).map(|place| start + place * 3 * DAY);
        let short: u64 = short.map(|start| zoned.count(start..start + 3 * DAY)).sum();
        assert_eq!(zoned.count(start..start + 240 * DAY), short, "{text} {policies:?} {start}");
    });
}

#[test]
fn events_of_unions_are_resolved_as_by_the_oracle() {
    for_each(|text, local, policies, changes| {
        let zoned = in_zone(&Schedule::parse(text).expect("a union"), local, policies);
        let oracle = Oracle::new(text);
        let judge = UnionJudge::new(&oracle, |instant| offset(local.zone, instant), policies);
        for change in changes {
            for instant in (change - 4 * 3_600_000..change + 4 * 3_600_000).step_by(300_000) {
                let found =
                    zoned.occurrence(instant).map(|it| (it.civil.to_millis(), it.resolution));
                let expected = judge.event(instant).map(|it| (it.civil, it.resolution));
                assert_eq!(found, expected, "{text} {policies:?} {instant}");
            }
        }
    });
}

#[test]
fn surprises_of_unions_are_those_of_their_events() {
    for_each(|text, local, policies, changes| {
        let union = Schedule::parse(text).expect("a union");
        let zoned = in_zone(&union, local, policies);
        let members: Vec<_> =
            union.members().map(|member| in_zone(&member, local, policies)).collect();
        for change in changes {
            let range = change - 2 * DAY..=change + 2 * DAY;
            let surprises: Vec<_> = zoned.surprises(range.clone()).collect();
            let mut reversed: Vec<_> = zoned.surprises(range.clone()).rev().collect();
            reversed.reverse();
            assert_eq!(surprises, reversed, "{text} {policies:?}");
            // A civil time that surprises a member surprises the union, at the same instant.
            let of_members: BTreeSet<_> = members
                .iter()
                .flat_map(|member| member.surprises(range.clone()))
                .filter_map(|it| Some((it.instant?, it.civil.to_millis())))
                .collect();
            let of_union: BTreeSet<_> = surprises
                .iter()
                .filter_map(|it| Some((it.instant?, it.civil.to_millis())))
                .collect();
            assert_eq!(of_union, of_members, "{text} {policies:?} {change}");
            // One that fires at no instant for any member does not fire for the union.
            let firing: BTreeSet<_> = of_members.iter().map(|(_, civil)| *civil).collect();
            let silent: BTreeSet<_> = members
                .iter()
                .flat_map(|member| member.surprises(range.clone()))
                .map(|it| it.civil.to_millis())
                .filter(|civil| !firing.contains(civil))
                .collect();
            let of_union: BTreeSet<_> = surprises
                .iter()
                .filter(|it| it.instant.is_none())
                .map(|it| it.civil.to_millis())
                .collect();
            assert_eq!(of_union, silent, "{text} {policies:?} {change}");
            for surprise in &surprises {
                let resolution = surprise.instant.and_then(|at| zoned.occurrence(at));
                match surprise.effect {
                    millicron::ClockEffect::Shifted => {
                        let resolution = resolution.map(|it| it.resolution);
                        assert_eq!(resolution, Some(Resolution::Shifted), "{text} {policies:?}");
                    }
                    millicron::ClockEffect::Bridged | millicron::ClockEffect::Skipped => {
                        assert_eq!(surprise.instant, None, "{text} {policies:?}");
                    }
                    _ => assert!(resolution.is_some(), "{text} {policies:?}"),
                }
            }
        }
    });
}

#[test]
fn a_zone_follows_the_last_time_of_a_union() {
    let parse = |text: &str| text.parse::<ZonedSchedule<TimeZone>>();
    let expected = parse("09:00:00; 10:00:00 Europe/Berlin").expect("a union");
    for text in ["09:00:00; 10:00:00 Europe/Berlin;", "09:00:00;10:00:00\nEurope/Berlin ;\n"] {
        assert_eq!(parse(text).as_ref(), Ok(&expected), "{text:?}");
    }
    for (text, kind, span, start) in [
        (
            "10:00:00; Europe/Berlin",
            ZonedParseErrorKind::MisplacedZone,
            10..23,
            "`Europe/Berlin` is a time zone after a `;`: write its name after the last time",
        ),
        (
            "10:00:00; Europe/Berlim",
            ZonedParseErrorKind::MisplacedZone,
            10..23,
            "`Europe/Berlim` is a time zone after a `;`",
        ),
        (
            "09:00:00 Europe/Berlin; 10:00:00",
            ZonedParseErrorKind::MisplacedZone,
            9..22,
            "`Europe/Berlin` is a time zone, which must be last",
        ),
        (
            "09:00:00; 10:00:00 Europe/Berlim",
            ZonedParseErrorKind::UnknownZone,
            19..32,
            "unknown time zone `Europe/Berlim`: write `Europe/Berlin`",
        ),
        (
            "09:00:00; 10:00:00 Europe/Berlim;",
            ZonedParseErrorKind::UnknownZone,
            19..32,
            "unknown time zone `Europe/Berlim`: write `Europe/Berlin`",
        ),
        ("10:00:00;", ZonedParseErrorKind::MissingZone, 8..8, "the time zone is missing"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!((error.kind(), error.span()), (kind, span), "{error:#}");
        assert!(error.to_string().starts_with(start), "{error}");
    }
}
