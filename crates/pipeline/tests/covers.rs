//! The neighbors of a moment and the data intervals of runs, compared with lists of events.
//!
//! The seed is fixed, so results are reproducible. To search further, set `PROPTEST_RNG_SEED`, and
//! set `PROPTEST_CASES` to the number of cases of each property.

use std::ops::Bound;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::{CalendarDigits, Neighbors};
use millicron_pipeline::Covers as _;
use millicron_test_support::counts::clamped;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::{cases, fields, instant};
use crate::oracle::{END, START};
use crate::support::random::{Graph, SpecOptions, spec};
use crate::support::{DAY, HOUR, MINUTE, at, oracle, parse};

const PLAIN: SpecOptions = SpecOptions {
    graph: Graph::Earlier,
    has_changed: false,
    is_zoned: false,
    started_long_before: false,
};

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn neighbors_are_the_nearest_events(
        text in fields(), instants in vec(instant(), 8), nanos in 1..1_000_000_u64,
    ) {
        let Some(oracle) = oracle(&text) else { return Ok(()) };
        let schedule = parse(&text);
        for at in instants.into_iter().map(|instant| instant.of(&oracle)) {
            let current = oracle.nearest_prev(at);
            let previous = current.and_then(|current| oracle.prev(current));
            let expected = Neighbors { previous, current, next: oracle.next(at) };
            prop_assert_eq!(schedule.neighbors(at), expected, "{} {}", text, at);
            if let Some(moment) = system_time(at) {
                let expected = map(expected, |at| system_time(at).expect("representable"));
                prop_assert_eq!(schedule.neighbors(moment), expected, "{} {}", text, at);
                // A moment between two milliseconds is after the first one.
                let later = moment + Duration::from_nanos(nanos);
                prop_assert_eq!(schedule.neighbors(later), expected, "{} {}", text, at);
            }
            if (START..=END).contains(&at) {
                let expected = map(expected, CalendarDigits::from_millis);
                let around = schedule.neighbors(CalendarDigits::from_millis(at));
                prop_assert_eq!(around, expected, "{} {}", text, at);
            }
        }
    }
}

fn map<T, U>(
    Neighbors { previous, current, next }: Neighbors<T>,
    to: impl Fn(T) -> U,
) -> Neighbors<U> {
    let [previous, current, next] = [previous, current, next].map(|event| event.map(&to));
    Neighbors { previous, current, next }
}

/// Returns `None` if the platform cannot represent the instant.
fn system_time(millis: i64) -> Option<SystemTime> {
    let length = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { UNIX_EPOCH.checked_sub(length) } else { UNIX_EPOCH.checked_add(length) }
}

#[test]
fn current_neighbor_is_the_last_event_at_or_before_the_moment() {
    let daily = parse("3:00:01");
    let around = |moment: &str| {
        let Neighbors { previous, current, next } = daily.neighbors(at(moment));
        [previous, current, next].map(|event| event.expect("an event"))
    };
    let [d19, d20, d21, d22] =
        ["19", "20", "21", "22"].map(|day| at(&format!("2026-11-{day} 03:00:01")));
    assert_eq!(around("2026-11-21 03:00:00.999"), [d19, d20, d21]);
    assert_eq!(around("2026-11-21 03:00:01"), [d20, d21, d22]);
    assert_eq!(around("2026-11-22 03:00:00"), [d20, d21, d22]);
}

#[test]
fn neighbors_beyond_the_range_are_none() {
    let daily = parse("3:00:01");
    let [first, last] = ["2000-01-01 03:00:01", "2100-12-31 03:00:01"].map(at);
    let before = Neighbors { previous: None, current: None, next: Some(first) };
    let after = Neighbors { previous: Some(last - DAY), current: Some(last), next: None };
    assert_eq!(daily.neighbors(i64::MIN), before);
    assert_eq!(daily.neighbors(first - 1), before);
    let builder = Neighbors { previous: None, current: Some(first), next: Some(first + DAY) };
    assert_eq!(daily.neighbors(first), builder);
    assert_eq!(daily.neighbors(last), after);
    assert_eq!(daily.neighbors(i64::MAX), after);
    assert_eq!(daily.neighbors(CalendarDigits::MAX), map(after, CalendarDigits::from_millis));
    assert_eq!(daily.neighbors(CalendarDigits::MIN), map(before, CalendarDigits::from_millis));
    let long_ago = UNIX_EPOCH - Duration::from_nanos(1);
    assert_eq!(daily.neighbors(long_ago).next, system_time(first));
    let once = parse("2030.1.1 00:00:00");
    let only = at("2030-01-01 00:00:00");
    assert_eq!(once.neighbors(only), Neighbors { previous: None, current: Some(only), next: None });
}

/// Returns the upstream events in the data interval of a run, in both directions.
#[track_caller]
fn covered(text: &str, run: i64, upstream: &str) -> Vec<i64> {
    let own = parse(text);
    assert!(own.matches(run), "{run} is not an event of {text}");
    let of = parse(upstream);
    let events = of.events(own.covers(run));
    let forward: Vec<i64> = events.clone().collect();
    let mut backward: Vec<i64> = events.rev().collect();
    backward.reverse();
    assert_eq!(forward, backward, "{text} of {upstream}");
    assert_eq!(forward.len(), usize::try_from(of.count(own.covers(run))).expect("the count fits"));
    forward
}

#[test]
fn rarer_run_covers_more_frequent_ones_up_to_itself() {
    let midnight = at("2026-11-21 00:00:00");
    let hours: Vec<i64> = (1..=24).map(|hour| midnight - DAY + hour * HOUR).collect();
    assert_eq!(covered("00:00:00", midnight, "*:00:00"), hours);
    let quarters = covered("*:00:00", midnight, "*:*/15:00");
    assert_eq!(quarters, [45, 30, 15, 0].map(|minutes| midnight - minutes * MINUTE));
    let mondays = covered("*.*.1 00:00:00", at("2026-12-01 00:00:00"), "*.*.* Mon 00:00:00");
    assert_eq!(mondays, [2, 9, 16, 23, 30].map(|day| at(&format!("2026-11-{day:02} 00:00:00"))));
}

#[test]
fn only_one_of_the_more_frequent_runs_covers_a_rarer_one() {
    let midnight = at("2026-11-21 00:00:00");
    assert_eq!(covered("*:00:00", midnight, "00:00:00"), [midnight]);
    assert_eq!(covered("*:00:00", midnight + 5 * HOUR, "00:00:00"), []);
    assert_eq!(covered("*:00:00", midnight - HOUR, "00:00:00"), []);
    // The daily run at 00:30 belongs to the hour up to 01:00.
    let half_past = midnight + 30 * MINUTE;
    assert_eq!(covered("*:00:00", midnight + HOUR, "0:30:00"), [half_past]);
    assert_eq!(covered("*:00:00", midnight, "0:30:00"), []);
}

#[test]
fn run_covers_the_same_instant_of_an_equal_schedule() {
    let midnight = at("2026-11-21 00:00:00");
    assert_eq!(covered("00:00:00", midnight, "00:00:00"), [midnight]);
    assert_eq!(covered("*:*:*.*", midnight, "*:*:*.*"), [midnight]);
}

#[test]
fn run_covers_the_preceding_run_of_a_shifted_schedule() {
    let [two, three] = ["2026-11-21 02:01:04", "2026-11-21 03:00:01"].map(at);
    assert_eq!(covered("3:00:01", three, "2:01:04"), [two]);
    assert_eq!(covered("2:01:04", two, "3:00:01"), [three - DAY]);
}

#[test]
fn irregular_runs_cover_the_events_between_them() {
    let [one, thirteen] = ["2026-11-21 01:01:04", "2026-11-21 13:01:04"].map(at);
    let hours =
        |from: i64, until: i64| (from..=until).map(|hour| at("2026-11-21 00:00:00") + hour * HOUR);
    let of_day: Vec<i64> = hours(2, 13).collect();
    assert_eq!(covered("1,13:01:04", thirteen, "*:00:00"), of_day);
    let of_night: Vec<i64> = hours(-10, 1).collect();
    assert_eq!(covered("1,13:01:04", one, "*:00:00"), of_night);
    let three = at("2026-11-21 03:01:03");
    assert_eq!(covered("3:01:03", three, "1,13:01:04"), [thirteen - DAY, one]);
    assert_eq!(covered("1,13:01:04", thirteen, "3:01:03"), [three]);
    assert_eq!(covered("1,13:01:04", one, "3:01:03"), []);
    // The run on Monday covers three days.
    let monday = at("2026-11-23 09:30:00");
    let days = [2, 1, 0].map(|days| monday - days * DAY);
    assert_eq!(covered("*.*.* 1-5 09:30:00", monday, "09:30:00"), days);
}

#[test]
fn schedules_without_common_instants_cover_each_other() {
    let run = at("2026-11-21 12:00:00.500");
    assert_eq!(covered("*:*:*.500", run, "*:*:*.499"), [run - 1]);
    assert_eq!(covered("*:*:*.500", run, "*:*:*.501"), [run - 999]);
    let run = at("2026-11-21 12:05:04");
    let runs = covered("*:05:04", run, "*:*/5:03");
    let first = at("2026-11-21 11:10:03");
    assert_eq!(runs, (0..12).map(|five| first + five * 5 * MINUTE).collect::<Vec<_>>());
    // Upstream has no more events.
    assert_eq!(covered("*:*:00", at("2026-11-21 12:05:00"), "2025.*.* 00:00:00"), []);
}

#[test]
fn first_run_covers_all_events_before_it() {
    let daily = parse("3:00:00");
    let first = at("2000-01-01 03:00:00");
    assert_eq!(covered("3:00:00", first, "*:00:00"), [0, 1, 2, 3].map(|hour| START + hour * HOUR));
    let range = |run| daily.covers(run);
    assert_eq!(range(first), (Bound::Unbounded, Bound::Included(first)));
    let second = first + DAY;
    assert_eq!(range(second), (Bound::Excluded(first), Bound::Included(second)));
}

#[test]
fn covers_accepts_moments_that_are_not_events() {
    let [daily, hourly] = [parse("00:00:00"), parse("*:00:00")];
    let midnight = at("2026-11-21 00:00:00");
    let until = |moment: i64| -> Vec<i64> { hourly.events(daily.covers(moment)).collect() };
    assert_eq!(until(midnight + 2 * HOUR + 1), [1, 2].map(|hour| midnight + hour * HOUR));
    assert_eq!(until(midnight + 1), []);
    let digits = CalendarDigits::from_millis(midnight);
    assert_eq!(hourly.count(daily.covers(digits)), 24);
    // Right after the run, the next interval has started. On some platforms, system times have a
    // resolution of 100 nanoseconds.
    let moment = system_time(midnight).expect("representable");
    assert_eq!(hourly.count(daily.covers(moment)), 24);
    let later = moment + Duration::from_nanos(100);
    assert_eq!(hourly.count(daily.covers(later)), 0);
    assert_eq!(daily.covers(later).0, Bound::Excluded(moment));
    assert_eq!(hourly.count(daily.covers(i64::MAX)), 23);
    assert_eq!(hourly.count(daily.covers(i64::MIN)), 0);
}

/// Checks that consecutive runs cover each event listed by `upstream` exactly once.
fn check_partition(
    runs: &[i64],
    before: Option<i64>,
    upstream: impl Fn(i64, i64) -> Vec<i64>,
    covers: impl Fn(i64) -> (Bound<i64>, Bound<i64>, Vec<i64>),
) -> Result<(), TestCaseError> {
    let mut previous = before;
    let mut covered_events = Vec::new();
    for run in runs {
        let (start, end, events) = covers(*run);
        prop_assert_eq!(start, previous.map_or(Bound::Unbounded, Bound::Excluded));
        prop_assert_eq!(end, Bound::Included(*run));
        let first = previous.map_or(START - DAY, |previous| previous + 1);
        prop_assert_eq!(&events, &upstream(first, *run));
        covered_events.extend(events);
        previous = Some(*run);
    }
    if let Some(last) = runs.last() {
        let first = before.map_or(START - DAY, |before| before + 1);
        prop_assert_eq!(covered_events, upstream(first, *last));
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn consecutive_runs_cover_each_upstream_event_once(spec in spec(PLAIN), from in 0..1000_i64) {
        let [own, of] = [0, 1].map(|index| &spec.jobs[index].when.text);
        let (Some(own_oracle), Some(of_oracle)) = (oracle(own), oracle(of)) else { return Ok(()) };
        let [own, of] = [parse(own), parse(of)];
        let from = crate::support::random::instant_of(&spec, from);
        let runs = own_oracle.events(&(from..=spec.horizon), 8);
        let before = runs.first().and_then(|run| own_oracle.prev(*run));
        let walk = |first, last| of_oracle.events(&(first..=last), usize::MAX);
        if runs.last().is_some_and(|last| of_oracle.count(&(before.unwrap_or(START)..*last)) > 3000) {
            return Ok(());
        }
        check_partition(&runs, before, walk, |run| {
            let (start, end) = own.covers(run);
            (start, end, of.events((start, end)).collect())
        })?;
    }

    #[test]
    fn covered_events_of_any_two_schedules_are_those_in_the_interval(
        own in fields(), of in fields(), instants in vec(instant(), 4),
    ) {
        let (Some(own_oracle), Some(of_oracle)) = (oracle(&own), oracle(&of)) else { return Ok(()) };
        let [own, of] = [parse(&own), parse(&of)];
        for at in instants.into_iter().map(|instant| instant.of(&own_oracle)) {
            let start = own_oracle.prev(at).map_or(Bound::Unbounded, Bound::Excluded);
            let range = (start, Bound::Included(at));
            let covers = own.covers(at);
            prop_assert_eq!(covers, range);
            let first = of_oracle.events(&range, 1).first().copied();
            prop_assert_eq!(of.events(covers).next(), first);
            prop_assert_eq!(of.events(covers).count(), clamped(of_oracle.count(&range)));
        }
    }
}

mod zones {
    use crate::support::random::instant_of;
    use jiff::ZonedDateTime;
    use jiff::tz::TimeZone;
    use millicron::{Schedule, ZonedSchedule};

    use super::*;

    const ZONED: SpecOptions = SpecOptions { is_zoned: true, ..PLAIN };

    fn zoned(text: &str, zone: &str) -> ZonedSchedule<TimeZone> {
        parse(text).in_zone(crate::oracle::zoned::zone(zone))
    }

    fn moment(text: &str) -> ZonedDateTime {
        text.parse().expect("valid moment")
    }

    /// Counts the hourly and the half-hourly events that a daily run covers.
    fn of_day_before(run: &str, zone: &str) -> [usize; 2] {
        let daily = zoned("00:00:00", zone);
        let run = moment(&format!("{run}[{zone}]"));
        ["*:00:00", "*:*/30:00"].map(|text| {
            let upstream = zoned(text, zone);
            let millis = run.timestamp().as_millisecond();
            let counts = [
                upstream.events(daily.covers(run.clone())).count(),
                upstream.events(daily.covers(millis)).count(),
                // A plain schedule takes the zone of the moment.
                upstream.schedule().events(daily.schedule().covers(run.clone())).count(),
            ];
            assert_eq!(counts, [counts[0]; 3]);
            counts[0]
        })
    }

    #[test]
    fn daily_run_covers_23_or_25_hours_at_transitions() {
        let berlin = |run| of_day_before(run, "Europe/Berlin");
        assert_eq!(berlin("2026-03-29T00:00"), [24, 48]);
        assert_eq!(berlin("2026-03-30T00:00"), [23, 46]);
        assert_eq!(berlin("2026-10-26T00:00"), [25, 50]);
        let new_york = |run| of_day_before(run, "America/New_York");
        assert_eq!(new_york("2026-03-09T00:00"), [23, 46]);
        assert_eq!(new_york("2026-11-02T00:00"), [25, 50]);
        // The transition is by half an hour.
        let lord_howe = |run| of_day_before(run, "Australia/Lord_Howe");
        assert_eq!(lord_howe("2026-10-05T00:00"), [24, 47]);
        assert_eq!(lord_howe("2026-04-06T00:00"), [24, 49]);
    }

    #[test]
    fn schedules_in_two_zones_cover_each_other() {
        let berlin = zoned("00:00:00", "Europe/Berlin");
        let new_york = zoned("00:00:00", "America/New_York");
        let run = moment("2026-11-21T00:00[Europe/Berlin]");
        let needed: Vec<ZonedDateTime> = new_york.events(berlin.covers(run.clone())).collect();
        // The result is in the moment's zone.
        assert_eq!(needed, [moment("2026-11-20T06:00[Europe/Berlin]")]);
        assert_eq!(needed[0].time_zone(), run.time_zone());
    }

    #[test]
    fn neighbors_follow_the_local_time_of_the_zone() {
        let half_past = zoned("*:30:00", "Europe/Berlin");
        let shown =
            |event: Option<ZonedDateTime>| event.map(|event| event.strftime("%H:%M%z").to_string());
        let around = |text: &str| {
            let Neighbors { previous, current, next } = half_past.neighbors(moment(text));
            [previous, current, next].map(|event| shown(event).expect("an event"))
        };
        assert_eq!(
            around("2026-10-25T02:45+02:00[Europe/Berlin]"),
            ["01:30+0200", "02:30+0200", "02:30+0100"]
        );
        assert_eq!(
            around("2026-10-25T02:15+01:00[Europe/Berlin]"),
            ["01:30+0200", "02:30+0200", "02:30+0100"]
        );
        assert_eq!(
            around("2026-03-29T03:10+02:00[Europe/Berlin]"),
            ["00:30+0100", "01:30+0100", "03:30+0200"]
        );
        // A plain schedule takes the zone of the moment.
        let plain = half_past.schedule().neighbors(moment("2026-10-25T02:15+01:00[Europe/Berlin]"));
        assert_eq!(shown(plain.current).as_deref(), Some("02:30+0200"));
        let far =
            jiff::Timestamp::MAX.to_zoned_datetime(crate::oracle::zoned::zone("Europe/Berlin"));
        assert_eq!(half_past.neighbors(far).next, None);
    }

    proptest! {
        #![proptest_config(cases(500))]

        #[test]
        fn consecutive_runs_in_zones_cover_each_upstream_event_once(
            spec in spec(ZONED), from in 0..1000_i64,
        ) {
            let [own, of] = [0, 1].map(|index| {
                let when = &spec.jobs[index].when;
                let zone = when.zone.clone().expect("zoned");
                when.text.parse::<Schedule>().map(|schedule| schedule.in_zone(zone))
            });
            let (Ok(own), Ok(of)) = (own, of) else { return Ok(()) };
            let from = instant_of(&spec, from);
            let runs: Vec<i64> = walk(&own, from, spec.horizon).take(6).collect();
            let before = own.prev_event(from);
            let upstream = |first, last| walk(&of, first, last).collect::<Vec<i64>>();
            if of.count(before.unwrap_or(START)..from) > 3000 || before.is_none() {
                return Ok(());
            }
            check_partition(&runs, before, upstream, |run| {
                let (start, end) = own.covers(run);
                (start, end, of.events((start, end)).collect())
            })?;
        }

        #[test]
        fn neighbors_in_zones_are_the_nearest_events(
            spec in spec(ZONED), from in 0..1000_i64, nanos in 1..1_000_000_u64,
        ) {
            let when = &spec.jobs[0].when;
            let Ok(schedule) = when.text.parse::<Schedule>() else { return Ok(()) };
            let zoned = schedule.in_zone(when.zone.clone().expect("zoned"));
            let at = instant_of(&spec, from);
            for at in [at, zoned.nearest_event(at).unwrap_or(at), at - 1] {
                let current = zoned.nearest_prev_event(at);
                let previous = current.and_then(|current| zoned.prev_event(current));
                let expected = Neighbors { previous, current, next: zoned.next_event(at) };
                prop_assert_eq!(zoned.neighbors(at), expected);
                let moment = system_time(at).expect("representable") + Duration::from_nanos(nanos);
                let expected = map(expected, |at| system_time(at).expect("representable"));
                prop_assert_eq!(zoned.neighbors(moment), expected);
            }
        }
    }

    /// Returns the events between two instants, inclusive.
    fn walk(zoned: &ZonedSchedule<TimeZone>, first: i64, last: i64) -> impl Iterator<Item = i64> {
        let next = |event: &i64| zoned.next_event(*event);
        std::iter::successors(zoned.nearest_event(first), next).take_while(move |at| *at <= last)
    }
}
