//! The events around a moment, and the events that a run covers, held against lists of
//! events.
//!
//! The seed is fixed, so a run that passes passes again. To look farther, set
//! `PROPTEST_RNG_SEED`, and `PROPTEST_CASES` for the cases of each property.

use std::ops::Bound;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::generate::{cases, expression, instant};
use crate::oracle::{END, START};
use crate::support::draw::{Choice, Graph, draft};
use crate::support::{DAY, HOUR, MINUTE, at, fires, parse};
use millicron::CalendarDigits;
use millicron::Neighbors;
use millicron_pipeline::Covers as _;
use proptest::collection::vec;
use proptest::prelude::*;

const PLAIN: Choice =
    Choice { graph: Graph::Earlier, has_former: false, is_zoned: false, has_begun: false };

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn the_events_around_a_moment_are_the_nearest(
        text in expression(), instants in vec(instant(), 8), nanos in 1..1_000_000_u64,
    ) {
        let Some(oracle) = fires(&text) else { return Ok(()) };
        let schedule = parse(&text);
        for at in instants.into_iter().map(|instant| instant.of(&oracle)) {
            let current = oracle.nearest_prev(at);
            let previous = current.and_then(|current| oracle.prev(current));
            let expected = Neighbors { previous, current, next: oracle.next(at) };
            prop_assert_eq!(schedule.neighbors(at), expected, "{} {}", text, at);
            if let Some(moment) = system_time(at) {
                let expected = map(expected, |at| system_time(at).expect("a moment"));
                prop_assert_eq!(schedule.neighbors(moment), expected, "{} {}", text, at);
                // Between two milliseconds the first one is over.
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

/// Where the type of the machine can hold it.
fn system_time(millis: i64) -> Option<SystemTime> {
    let length = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { UNIX_EPOCH.checked_sub(length) } else { UNIX_EPOCH.checked_add(length) }
}

#[test]
fn the_current_event_is_the_last_at_or_before_a_moment() {
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
fn beyond_the_range_some_events_are_none() {
    let daily = parse("3:00:01");
    let [first, last] = ["2000-01-01 03:00:01", "2100-12-31 03:00:01"].map(at);
    let before = Neighbors { previous: None, current: None, next: Some(first) };
    let after = Neighbors { previous: Some(last - DAY), current: Some(last), next: None };
    assert_eq!(daily.neighbors(i64::MIN), before);
    assert_eq!(daily.neighbors(first - 1), before);
    let begun = Neighbors { previous: None, current: Some(first), next: Some(first + DAY) };
    assert_eq!(daily.neighbors(first), begun);
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

/// The events that the run of a schedule covers, which is an event of it.
#[track_caller]
fn covered(text: &str, run: i64, upstream: &str) -> Vec<i64> {
    let own = parse(text);
    assert!(own.matches(run), "{run} is no run of {text}");
    let of = parse(upstream);
    let events = of.events(own.covers(run));
    let forward: Vec<i64> = events.clone().collect();
    let mut backward: Vec<i64> = events.rev().collect();
    backward.reverse();
    assert_eq!(forward, backward, "{text} of {upstream}");
    assert_eq!(forward.len(), usize::try_from(of.count(own.covers(run))).expect("a count"));
    forward
}

#[test]
fn a_coarser_run_covers_the_finer_ones_up_to_itself() {
    let midnight = at("2026-11-21 00:00:00");
    let hours: Vec<i64> = (1..=24).map(|hour| midnight - DAY + hour * HOUR).collect();
    assert_eq!(covered("00:00:00", midnight, "*:00:00"), hours);
    let quarters = covered("*:00:00", midnight, "*:*/15:00");
    assert_eq!(quarters, [45, 30, 15, 0].map(|minutes| midnight - minutes * MINUTE));
    let mondays = covered("*.*.1 00:00:00", at("2026-12-01 00:00:00"), "*.*.* Mon 00:00:00");
    assert_eq!(mondays, [2, 9, 16, 23, 30].map(|day| at(&format!("2026-11-{day:02} 00:00:00"))));
}

#[test]
fn a_finer_run_covers_a_coarser_one_once() {
    let midnight = at("2026-11-21 00:00:00");
    assert_eq!(covered("*:00:00", midnight, "00:00:00"), [midnight]);
    assert_eq!(covered("*:00:00", midnight + 5 * HOUR, "00:00:00"), []);
    assert_eq!(covered("*:00:00", midnight - HOUR, "00:00:00"), []);
    // The daily run of 00:30 is of the hour up to 01:00.
    let half_past = midnight + 30 * MINUTE;
    assert_eq!(covered("*:00:00", midnight + HOUR, "0:30:00"), [half_past]);
    assert_eq!(covered("*:00:00", midnight, "0:30:00"), []);
}

#[test]
fn a_run_covers_an_equal_one_at_the_same_instant() {
    let midnight = at("2026-11-21 00:00:00");
    assert_eq!(covered("00:00:00", midnight, "00:00:00"), [midnight]);
    assert_eq!(covered("*:*:*.*", midnight, "*:*:*.*"), [midnight]);
}

#[test]
fn a_run_covers_a_shifted_one_before_it() {
    let [two, three] = ["2026-11-21 02:01:04", "2026-11-21 03:00:01"].map(at);
    assert_eq!(covered("3:00:01", three, "2:01:04"), [two]);
    assert_eq!(covered("2:01:04", two, "3:00:01"), [three - DAY]);
}

#[test]
fn irregular_runs_cover_what_is_between_them() {
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
    // Friday's run is of three days on Monday.
    let monday = at("2026-11-23 09:30:00");
    let days = [2, 1, 0].map(|days| monday - days * DAY);
    assert_eq!(covered("*.*.* 1-5 09:30:00", monday, "09:30:00"), days);
}

#[test]
fn runs_that_never_meet_cover_each_other_nonetheless() {
    let run = at("2026-11-21 12:00:00.500");
    assert_eq!(covered("*:*:*.500", run, "*:*:*.499"), [run - 1]);
    assert_eq!(covered("*:*:*.500", run, "*:*:*.501"), [run - 999]);
    let run = at("2026-11-21 12:05:04");
    let runs = covered("*:05:04", run, "*:*/5:03");
    let first = at("2026-11-21 11:10:03");
    assert_eq!(runs, (0..12).map(|five| first + five * 5 * MINUTE).collect::<Vec<_>>());
    // There is none any more.
    assert_eq!(covered("*:*:00", at("2026-11-21 12:05:00"), "2025.*.* 00:00:00"), []);
}

#[test]
fn the_first_run_covers_all_before_it() {
    let daily = parse("3:00:00");
    let first = at("2000-01-01 03:00:00");
    assert_eq!(covered("3:00:00", first, "*:00:00"), [0, 1, 2, 3].map(|hour| START + hour * HOUR));
    let range = |run| daily.covers(run);
    assert_eq!(range(first), (Bound::Unbounded, Bound::Included(first)));
    let second = first + DAY;
    assert_eq!(range(second), (Bound::Excluded(first), Bound::Included(second)));
}

#[test]
fn a_moment_that_is_no_event_is_answered_alike() {
    let [daily, hourly] = [parse("00:00:00"), parse("*:00:00")];
    let midnight = at("2026-11-21 00:00:00");
    let until = |moment: i64| -> Vec<i64> { hourly.events(daily.covers(moment)).collect() };
    assert_eq!(until(midnight + 2 * HOUR + 1), [1, 2].map(|hour| midnight + hour * HOUR));
    assert_eq!(until(midnight + 1), []);
    let digits = CalendarDigits::from_millis(midnight);
    assert_eq!(hourly.count(daily.covers(digits)), 24);
    // A nanosecond after the run, the interval has begun anew.
    let moment = system_time(midnight).expect("a moment");
    assert_eq!(hourly.count(daily.covers(moment)), 24);
    let later = moment + Duration::from_nanos(1);
    assert_eq!(hourly.count(daily.covers(later)), 0);
    assert_eq!(daily.covers(later).0, Bound::Excluded(moment));
    assert_eq!(hourly.count(daily.covers(i64::MAX)), 23);
    assert_eq!(hourly.count(daily.covers(i64::MIN)), 0);
}

/// That some successive runs cover what a walk says, and that each upstream event up to
/// the last of them is covered by one.
fn check_tiles(
    runs: &[i64],
    before: Option<i64>,
    upstream: impl Fn(i64, i64) -> Vec<i64>,
    covers: impl Fn(i64) -> (Bound<i64>, Bound<i64>, Vec<i64>),
) -> Result<(), TestCaseError> {
    let mut previous = before;
    let mut tiles = Vec::new();
    for run in runs {
        let (start, end, events) = covers(*run);
        prop_assert_eq!(start, previous.map_or(Bound::Unbounded, Bound::Excluded));
        prop_assert_eq!(end, Bound::Included(*run));
        let first = previous.map_or(START - DAY, |previous| previous + 1);
        prop_assert_eq!(&events, &upstream(first, *run));
        tiles.extend(events);
        previous = Some(*run);
    }
    if let Some(last) = runs.last() {
        let first = before.map_or(START - DAY, |before| before + 1);
        prop_assert_eq!(tiles, upstream(first, *last));
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn successive_runs_cover_each_upstream_event_once(draft in draft(PLAIN), from in 0..1000_i64) {
        let [own, of] = [0, 1].map(|place| &draft.tasks[place].when.text);
        let (Some(own_oracle), Some(of_oracle)) = (fires(own), fires(of)) else { return Ok(()) };
        let [own, of] = [parse(own), parse(of)];
        let from = crate::support::draw::instant_of(&draft, from);
        let runs = own_oracle.events(&(from..=draft.horizon), 8);
        let before = runs.first().and_then(|run| own_oracle.prev(*run));
        let walk = |first, last| of_oracle.events(&(first..=last), usize::MAX);
        if runs.last().is_some_and(|last| of_oracle.count(&(before.unwrap_or(START)..*last)) > 3000) {
            return Ok(());
        }
        check_tiles(&runs, before, walk, |run| {
            let (start, end) = own.covers(run);
            (start, end, of.events((start, end)).collect())
        })?;
    }

    /// Any two schedules, also those that hardly ever fire.
    #[test]
    fn the_covered_events_are_counted(
        own in expression(), of in expression(), instants in vec(instant(), 4),
    ) {
        let (Some(own_oracle), Some(of_oracle)) = (fires(&own), fires(&of)) else { return Ok(()) };
        let [own, of] = [parse(&own), parse(&of)];
        for at in instants.into_iter().map(|instant| instant.of(&own_oracle)) {
            let start = own_oracle.prev(at).map_or(Bound::Unbounded, Bound::Excluded);
            let range = (start, Bound::Included(at));
            let covers = own.covers(at);
            prop_assert_eq!(covers, range);
            let first = of_oracle.events(&range, 1).first().copied();
            prop_assert_eq!(of.events(covers).next(), first);
            let count = u64::try_from(of.events(covers).count()).expect("a count");
            prop_assert_eq!(count, of_oracle.count(&range));
        }
    }
}

mod zones {
    use crate::support::draw::instant_of;
    use jiff::Zoned;
    use jiff::tz::TimeZone;
    use millicron::{Schedule, ZonedSchedule};

    use super::*;

    const ZONED: Choice = Choice { is_zoned: true, ..PLAIN };

    fn zoned(text: &str, zone: &str) -> ZonedSchedule<TimeZone> {
        parse(text).in_zone(crate::oracle::zoned::zone(zone))
    }

    fn moment(text: &str) -> Zoned {
        text.parse().expect("a moment in a zone")
    }

    /// How many events of an hourly and a half-hourly schedule the day before covers.
    fn of_day_before(run: &str, zone: &str) -> [usize; 2] {
        let daily = zoned("00:00:00", zone);
        let run = moment(&format!("{run}[{zone}]"));
        ["*:00:00", "*:*/30:00"].map(|text| {
            let upstream = zoned(text, zone);
            let millis = run.timestamp().as_millisecond();
            let counts = [
                upstream.events(daily.covers(run.clone())).count(),
                upstream.events(daily.covers(millis)).count(),
                // The clocks of the value are those of its zone.
                upstream.schedule().events(daily.schedule().covers(run.clone())).count(),
            ];
            assert_eq!(counts, [counts[0]; 3]);
            counts[0]
        })
    }

    #[test]
    fn a_day_has_the_hours_that_it_has() {
        let berlin = |run| of_day_before(run, "Europe/Berlin");
        assert_eq!(berlin("2026-03-29T00:00"), [24, 48]);
        assert_eq!(berlin("2026-03-30T00:00"), [23, 46]);
        assert_eq!(berlin("2026-10-26T00:00"), [25, 50]);
        let new_york = |run| of_day_before(run, "America/New_York");
        assert_eq!(new_york("2026-03-09T00:00"), [23, 46]);
        assert_eq!(new_york("2026-11-02T00:00"), [25, 50]);
        // Half an hour.
        let lord_howe = |run| of_day_before(run, "Australia/Lord_Howe");
        assert_eq!(lord_howe("2026-10-05T00:00"), [24, 47]);
        assert_eq!(lord_howe("2026-04-06T00:00"), [24, 49]);
    }

    #[test]
    fn runs_of_two_zones_cover_each_other() {
        let berlin = zoned("00:00:00", "Europe/Berlin");
        let new_york = zoned("00:00:00", "America/New_York");
        let run = moment("2026-11-21T00:00[Europe/Berlin]");
        let needed: Vec<Zoned> = new_york.events(berlin.covers(run.clone())).collect();
        // In the zone of the run, as it was asked.
        assert_eq!(needed, [moment("2026-11-20T06:00[Europe/Berlin]")]);
        assert_eq!(needed[0].time_zone(), run.time_zone());
    }

    #[test]
    fn the_events_around_a_moment_go_by_the_clocks_of_the_zone() {
        let half_past = zoned("*:30:00", "Europe/Berlin");
        let shown = |event: Option<Zoned>| event.map(|event| event.strftime("%H:%M%z").to_string());
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
        // A moment with a zone is answered by its clocks.
        let plain = half_past.schedule().neighbors(moment("2026-10-25T02:15+01:00[Europe/Berlin]"));
        assert_eq!(shown(plain.current).as_deref(), Some("02:30+0200"));
        let far = jiff::Timestamp::MAX.to_zoned(crate::oracle::zoned::zone("Europe/Berlin"));
        assert_eq!(half_past.neighbors(far).next, None);
    }

    proptest! {
        #![proptest_config(cases(500))]

        #[test]
        fn successive_runs_in_zones_cover_each_upstream_event_once(
            draft in draft(ZONED), from in 0..1000_i64,
        ) {
            let [own, of] = [0, 1].map(|place| {
                let when = &draft.tasks[place].when;
                let zone = when.zone.clone().expect("a zone");
                when.text.parse::<Schedule>().map(|schedule| schedule.in_zone(zone))
            });
            let (Ok(own), Ok(of)) = (own, of) else { return Ok(()) };
            let from = instant_of(&draft, from);
            let runs: Vec<i64> = walk(&own, from, draft.horizon).take(6).collect();
            let before = own.prev_event(from);
            let upstream = |first, last| walk(&of, first, last).collect::<Vec<i64>>();
            if of.count(before.unwrap_or(START)..from) > 3000 || before.is_none() {
                return Ok(());
            }
            check_tiles(&runs, before, upstream, |run| {
                let (start, end) = own.covers(run);
                (start, end, of.events((start, end)).collect())
            })?;
        }

        #[test]
        fn the_events_around_a_moment_in_a_zone_are_the_nearest(
            draft in draft(ZONED), from in 0..1000_i64, nanos in 1..1_000_000_u64,
        ) {
            let when = &draft.tasks[0].when;
            let Ok(schedule) = when.text.parse::<Schedule>() else { return Ok(()) };
            let zoned = schedule.in_zone(when.zone.clone().expect("a zone"));
            let at = instant_of(&draft, from);
            for at in [at, zoned.nearest_event(at).unwrap_or(at), at - 1] {
                let current = zoned.nearest_prev_event(at);
                let previous = current.and_then(|current| zoned.prev_event(current));
                let expected = Neighbors { previous, current, next: zoned.next_event(at) };
                prop_assert_eq!(zoned.neighbors(at), expected);
                let moment = system_time(at).expect("a moment") + Duration::from_nanos(nanos);
                let expected = map(expected, |at| system_time(at).expect("a moment"));
                prop_assert_eq!(zoned.neighbors(moment), expected);
            }
        }
    }

    /// The events from one instant to another, one after the other.
    fn walk(zoned: &ZonedSchedule<TimeZone>, first: i64, last: i64) -> impl Iterator<Item = i64> {
        let next = |event: &i64| zoned.next_event(*event);
        std::iter::successors(zoned.nearest_event(first), next).take_while(move |at| *at <= last)
    }
}
