//! Queries with the types of `jiff`, `chrono` and `time`: a query uses the local time of its value,
//! to the nanosecond, and the answer has the same zone.
//!
//! All types run the same tests, which compare the answers with the oracle's in civil time. So the
//! zones here have no offset changes from 2000 to 2100; other tests cover gaps and folds.

use std::fmt::Debug;
use std::ops::{Bound, RangeInclusive};

use super::kinds::{
    ChronoFixed, ChronoNaive, ChronoUtc, ChronoZoned, JiffCivil, JiffFixed, JiffTimestamp,
    JiffZoned, Kind, TimeOffset, TimePrimitive, unbounded,
};
use super::{TEXTS, both, edges};
use crate::support::counts::clamped;
use crate::support::oracle::{END, Oracle, START};
use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeZone};
use millicron::{Moment, Schedule};

/// Nanoseconds per millisecond.
const MILLI: i128 = 1_000_000;

/// Formats a moment with its zone or offset, which `==` ignores.
fn formatted<M: Debug>(moment: Option<M>) -> Option<String> {
    moment.map(|moment| format!("{moment:?}"))
}

fn formatted_event<K: Kind>(event: Option<i64>) -> Option<String> {
    formatted(event.map(|millis| K::at(i128::from(millis) * MILLI)))
}

fn queries_at_whole_milliseconds_match_the_oracle<K: Kind>() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        for at in edges() {
            let moment = || K::at(i128::from(at) * MILLI);
            let expected = formatted_event::<K>;
            assert_eq!(
                formatted(schedule.next_event(moment())),
                expected(oracle.next(at)),
                "{text} at {at}"
            );
            assert_eq!(
                formatted(schedule.nearest_event(moment())),
                expected(oracle.nearest(at)),
                "{text} at {at}"
            );
            assert_eq!(
                formatted(schedule.prev_event(moment())),
                expected(oracle.prev(at)),
                "{text} at {at}"
            );
            assert_eq!(
                formatted(schedule.nearest_prev_event(moment())),
                expected(oracle.nearest_prev(at)),
                "{text} at {at}"
            );
            assert_eq!(schedule.matches(moment()), oracle.matches(at), "{text} at {at}");
        }
    }
}

fn queries_between_milliseconds_find_the_events_on_each_side<K: Kind>() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        for below in edges() {
            let expected = formatted_event::<K>;
            let (behind, ahead) =
                (expected(oracle.nearest_prev(below)), expected(oracle.next(below)));
            // The largest value is one nanosecond before the next millisecond.
            for nanos in [1, 999, 500_000, 999_999] {
                let moment = || K::at(i128::from(below) * MILLI + nanos);
                assert_eq!(formatted(schedule.next_event(moment())), ahead, "{text} after {below}");
                assert_eq!(
                    formatted(schedule.nearest_event(moment())),
                    ahead,
                    "{text} after {below}"
                );
                assert_eq!(
                    formatted(schedule.prev_event(moment())),
                    behind,
                    "{text} after {below}"
                );
                assert_eq!(
                    formatted(schedule.nearest_prev_event(moment())),
                    behind,
                    "{text} after {below}"
                );
                assert!(!schedule.matches(moment()), "{text} after {below}");
            }
        }
    }
}

fn limits_of_a_type_are_before_and_after_all_events<K: Kind>() {
    for text in TEXTS {
        let (schedule, oracle) = both(text);
        let [min, max] = K::ends();
        let ends = || min.clone()..=max.clone();
        let (first, last) = (oracle.nearest(START), oracle.nearest_prev(END));
        let (first, last) = (formatted_event::<K>(first), formatted_event::<K>(last));
        // `K::ends` returns values in the same zone as `K::at`.
        assert_eq!(formatted(schedule.next_event(min.clone())), first, "{text}");
        assert_eq!(formatted(schedule.nearest_event(min.clone())), first, "{text}");
        assert_eq!(schedule.prev_event(min.clone()), None, "{text}");
        assert_eq!(schedule.nearest_prev_event(min.clone()), None, "{text}");
        assert_eq!(schedule.next_event(max.clone()), None, "{text}");
        assert_eq!(schedule.nearest_event(max.clone()), None, "{text}");
        assert_eq!(formatted(schedule.prev_event(max.clone())), last, "{text}");
        assert_eq!(formatted(schedule.nearest_prev_event(max.clone())), last, "{text}");
        assert!(!schedule.matches(min.clone()) && !schedule.matches(max.clone()), "{text}");

        assert_eq!(schedule.count(ends()), oracle.total(), "{text}");
        assert_eq!(formatted(schedule.events(ends()).next()), first, "{text}");
        assert_eq!(formatted(schedule.events(ends()).next_back()), last, "{text}");
        assert_eq!(schedule.count(max.clone()..min.clone()), 0, "{text}");
        assert_eq!(schedule.count(..min.clone()) + schedule.count(max.clone()..), 0, "{text}");
        assert_eq!(schedule.events(max.clone()..=min.clone()).next(), None, "{text}");
    }
}

type Ends<T> = (Bound<T>, Bound<T>);

/// Returns ends of ranges, in nanoseconds: at events, one nanosecond before and after them, and
/// before all events.
fn range_ends() -> impl Iterator<Item = i128> {
    const SECOND: i128 = 1_614_513_600_000;
    let millis = [START.into(), END.into(), SECOND, SECOND + 2, SECOND + 10, SECOND + 21];
    let around = millis.into_iter().flat_map(|at| [-1, 0, 1].map(|nanos| at * MILLI + nanos));
    around.chain([-1])
}

/// Returns all ranges with these ends, including reversed ones.
fn ranges() -> impl Iterator<Item = Ends<i128>> {
    let bounds = |at| [Bound::Included(at), Bound::Excluded(at)];
    let all = move || range_ends().flat_map(bounds).chain([Bound::Unbounded]);
    all().flat_map(move |start| all().map(move |end| (start, end)))
}

/// Returns the whole milliseconds that a range in nanoseconds contains.
fn contained((start, end): Ends<i128>) -> RangeInclusive<i64> {
    let start = match start {
        Bound::Included(at) => (at + MILLI - 1).div_euclid(MILLI),
        Bound::Excluded(at) => at.div_euclid(MILLI) + 1,
        Bound::Unbounded => START.into(),
    };
    let end = match end {
        Bound::Included(at) => at.div_euclid(MILLI),
        Bound::Excluded(at) => (at - 1).div_euclid(MILLI),
        Bound::Unbounded => END.into(),
    };
    let millis = |at: i128| i64::try_from(at).expect("a few centuries");
    millis(start)..=millis(end)
}

fn ranges_contain_the_events_between_their_ends<K: Kind>() {
    for text in ["*:*:*.1,2,3-5,10-20/3", "*.*.32 1-5 23:59:59.999"] {
        let (schedule, oracle) = both(text);
        for range in ranges() {
            if K::HAS_ZONE && range == (Bound::Unbounded, Bound::Unbounded) {
                continue;
            }
            let moments: Ends<K::Moment> = (range.0.map(K::at), range.1.map(K::at));
            assert_same_events_in::<K>(&schedule, &oracle, &moments, &contained(range));
        }
    }
}

/// Compares all queries for a range with the oracle.
fn assert_same_events_in<K: Kind>(
    schedule: &Schedule,
    oracle: &Oracle,
    range: &Ends<K::Moment>,
    contained: &RangeInclusive<i64>,
) {
    /// The number of events to compare from each end of the range.
    const DEPTH: usize = 5;
    let why = || format!("{schedule} in {range:?}");
    let expected =
        |events: Vec<i64>| events.into_iter().map(|event| formatted_event::<K>(Some(event)));
    let front: Vec<_> = expected(oracle.events(contained, DEPTH)).collect();
    let back: Vec<_> = expected(oracle.events_back(contained, DEPTH)).collect();
    let count = oracle.count(contained);

    let events = || schedule.events(range.clone());
    assert_eq!(schedule.count(range.clone()), count, "{}", why());
    assert_eq!(events().count(), clamped(count), "{}", why());
    let exact = usize::try_from(count).ok();
    let hint = if K::HAS_ZONE { (0, None) } else { (clamped(count), exact) };
    assert_eq!(events().size_hint(), hint, "{}", why());
    assert_eq!(
        events().map(Some).map(formatted).take(DEPTH).collect::<Vec<_>>(),
        front,
        "{}",
        why()
    );
    let walk_back = events().rev().map(Some).map(formatted);
    assert_eq!(walk_back.take(DEPTH).collect::<Vec<_>>(), back, "{}", why());
    assert_eq!(formatted(events().last()), back.first().cloned().flatten(), "{}", why());
    let place = DEPTH - 2;
    assert_eq!(formatted(events().nth(place)), front.get(place).cloned().flatten(), "{}", why());
    assert_eq!(
        formatted(events().nth_back(place)),
        back.get(place).cloned().flatten(),
        "{}",
        why()
    );

    // A page, and the event after it.
    let mut page = vec![K::at(0); DEPTH - 1];
    let mut rest = events();
    let filled = rest.fill(&mut page);
    page.truncate(filled);
    page.extend(rest.next());
    assert_eq!(page.into_iter().map(Some).map(formatted).collect::<Vec<_>>(), front, "{}", why());
}

fn ranges_accept_all_kinds_of_bounds<K: Kind>() {
    const SECOND: i128 = 1_614_513_600_000;
    // At 1, 2, 3, 4, 5, 10, 13, 16 and 19 milliseconds of each second.
    let (schedule, oracle) = both("*:*:*.1,2,3-5,10-20/3");
    let (from, to) = (K::at((SECOND + 2) * MILLI), K::at((SECOND + 10) * MILLI));
    let millis = |events: &mut dyn Iterator<Item = K::Moment>| -> Vec<i128> {
        let place = |event| (0..30).find(|at| K::at((SECOND + at) * MILLI) == event);
        events.map(|event| place(event).expect("an event of the second")).collect()
    };
    let (a, b) = (|| from.clone(), || to.clone());
    assert_eq!(millis(&mut schedule.events(a()..b())), [2, 3, 4, 5]);
    assert_eq!(millis(&mut schedule.events(a()..=b())), [2, 3, 4, 5, 10]);
    assert_eq!(millis(&mut schedule.events(b()..).take(3)), [10, 13, 16]);
    assert_eq!(millis(&mut schedule.events(..a()).rev().take(1)), [1]);
    assert_eq!(millis(&mut schedule.events(..=a()).rev().take(2)), [2, 1]);
    assert_eq!(millis(&mut schedule.events(a()..a())), []);
    assert_eq!(millis(&mut schedule.events(a()..=a())), [2]);
    assert_eq!(millis(&mut schedule.events(b()..a())), []);
    let excluded = (Bound::Excluded(a()), Bound::Excluded(b()));
    assert_eq!(millis(&mut schedule.events(excluded)), [3, 4, 5]);
    // Alternate between both ends until they meet.
    let mut events = schedule.events(a()..=b());
    let mut met = vec![];
    while let Some(first) = events.next() {
        met.push(first);
        met.extend(events.next_back());
    }
    assert_eq!(millis(&mut met.into_iter()), [2, 10, 3, 5, 4]);
    assert_eq!((events.next(), events.next_back(), events.count()), (None, None, 0));

    let all = if K::HAS_ZONE { 0 } else { oracle.total() };
    assert_eq!(schedule.count(unbounded::<K::Moment>()), all);
    assert_unbounded::<K>(&schedule, all);
}

/// Checks that `..` contains all events, or none if the zone of the answers is unknown.
fn assert_unbounded<K: Kind>(schedule: &Schedule, all: u64) {
    let events = || schedule.events(unbounded::<K::Moment>());
    assert_eq!(events().count(), clamped(all));
    assert_eq!(events().next().is_some(), all > 0);
    assert_eq!(events().next_back().is_some(), all > 0);
    assert_eq!(events().nth(7).is_some(), all > 0);
    assert_eq!(events().fill(&mut [K::at(0), K::at(0)]), if all > 0 { 2 } else { 0 });
}

fn references_are_answered_with_values<K: Kind>()
where
    for<'a> &'a K::Moment: Moment<Answer = K::Moment>,
{
    let (hourly, _) = both("*:00:00");
    let hour = |hour: i128| K::at((1_614_513_600_000 + hour * 3_600_000) * MILLI);
    let (noon, end) = (hour(0), hour(3));
    let moment = &noon;
    assert_eq!(formatted(hourly.next_event(moment)), formatted(Some(hour(1))));
    assert_eq!(formatted(hourly.nearest_event(moment)), formatted(Some(hour(0))));
    assert_eq!(formatted(hourly.prev_event(moment)), formatted(Some(hour(-1))));
    assert_eq!(formatted(hourly.nearest_prev_event(&moment)), formatted(Some(hour(0))));
    assert!(hourly.matches(moment));
    let events: Vec<K::Moment> = hourly.events(moment..&end).collect();
    assert_eq!(events, [hour(0), hour(1), hour(2)]);
    assert_eq!(hourly.count(moment..=&end), 4);
    // References to ranges are ranges as well.
    let range = moment..=&end;
    assert_eq!((hourly.count(&range), hourly.count(range)), (4, 4));
}

/// Checks that a leap second lies between 23:59:59.999 and 00:00:00.000 in local time, and matches
/// nothing. `chrono` accepts a leap second after any second 59.
fn assert_leap_seconds_are_not_events<K: Kind>(leap: impl Fn(NaiveDateTime) -> K::Moment) {
    const MIDNIGHT: i128 = 1_483_228_800_000;
    let (every, _) = both("*:*:*.*");
    let (before, after) = (K::at((MIDNIGHT - 1) * MILLI), K::at(MIDNIGHT * MILLI));
    let (behind, ahead) = (formatted(Some(&before)), formatted(Some(&after)));
    let day = NaiveDate::from_ymd_opt(2016, 12, 31).expect("a date");
    for nanos in [0, 1, 500_000_000, 999_999_999] {
        let civil = day.and_hms_nano_opt(23, 59, 59, 1_000_000_000 + nanos);
        let leap = leap(civil.expect("a leap second"));
        assert_eq!(formatted(every.next_event(leap.clone())), ahead, "{leap:?}");
        assert_eq!(formatted(every.nearest_event(leap.clone())), ahead, "{leap:?}");
        assert_eq!(formatted(every.prev_event(leap.clone())), behind, "{leap:?}");
        assert_eq!(formatted(every.nearest_prev_event(leap.clone())), behind, "{leap:?}");
        assert!(!every.matches(leap.clone()), "{leap:?}");
        assert_eq!(every.count(leap.clone()..=leap.clone()), 0, "{leap:?}");
        for end in [Bound::Included(leap.clone()), Bound::Excluded(leap.clone())] {
            let up_to = (Bound::Included(before.clone()), end.clone());
            assert_eq!(every.count(up_to.clone()), 1, "{leap:?}");
            assert_eq!(formatted(every.events(up_to).next()), behind, "{leap:?}");
            let from = (end, Bound::Included(after.clone()));
            assert_eq!(every.count(from.clone()), 1, "{leap:?}");
            assert_eq!(formatted(every.events(from).next_back()), ahead, "{leap:?}");
        }
    }
}

#[test]
fn leap_seconds_of_chrono_are_not_events() {
    assert_leap_seconds_are_not_events::<ChronoNaive>(|civil| civil);
    assert_leap_seconds_are_not_events::<ChronoUtc>(|civil| civil.and_utc());
    assert_leap_seconds_are_not_events::<ChronoFixed>(|civil| {
        in_zone_of(civil, &ChronoFixed::at(0))
    });
    assert_leap_seconds_are_not_events::<ChronoZoned>(|civil| {
        in_zone_of(civil, &ChronoZoned::at(0))
    });
}

/// Returns a civil time in the zone of another moment.
fn in_zone_of<Tz: TimeZone>(civil: NaiveDateTime, other: &DateTime<Tz>) -> DateTime<Tz> {
    civil.and_local_timezone(other.timezone()).single().expect("an instant")
}

/// Runs all tests for each type.
macro_rules! test {
    ($($name:ident: $kind:ty),* $(,)?) => {$(
        mod $name {
            use super::*;

            #[test]
            fn queries_at_whole_milliseconds_match_the_oracle() {
                super::queries_at_whole_milliseconds_match_the_oracle::<$kind>();
            }

            #[test]
            fn queries_between_milliseconds_find_the_events_on_each_side() {
                super::queries_between_milliseconds_find_the_events_on_each_side::<$kind>();
            }

            #[test]
            fn limits_of_a_type_are_before_and_after_all_events() {
                super::limits_of_a_type_are_before_and_after_all_events::<$kind>();
            }

            #[test]
            fn ranges_contain_the_events_between_their_ends() {
                super::ranges_contain_the_events_between_their_ends::<$kind>();
            }

            #[test]
            fn ranges_accept_all_kinds_of_bounds() {
                super::ranges_accept_all_kinds_of_bounds::<$kind>();
            }

            #[test]
            fn references_are_answered_with_values() {
                super::references_are_answered_with_values::<$kind>();
            }
        }
    )*};
}

test! {
    jiff_civil: JiffCivil,
    jiff_timestamp: JiffTimestamp,
    jiff_zoned: JiffZoned,
    jiff_zoned_at_an_offset: JiffFixed,
    chrono_naive: ChronoNaive,
    chrono_utc: ChronoUtc,
    chrono_fixed_offset: ChronoFixed,
    chrono_zoned: ChronoZoned,
    time_primitive: TimePrimitive,
    time_utc: TimeOffset<0>,
    time_ahead: TimeOffset<20_700>,
    time_behind: TimeOffset<-34_201>,
}
