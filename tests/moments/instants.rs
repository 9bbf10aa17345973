//! A schedule in a time zone returns the same instant in every type, in the zone of the value in
//! the query.

use std::fmt::Debug;
use std::ops::Bound;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::kinds::{
    ChronoFixed, ChronoUtc, ChronoZoned, JiffFixed, JiffTimestamp, JiffZoned, Kind, TimeOffset,
    unbounded,
};
use chrono::{DateTime, Utc};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use millicron::{ChronoZone, Instant, Offsets, Schedule, Zone, ZonedSchedule, schedule};

/// Nanoseconds per millisecond.
const MILLI: i128 = 1_000_000;

static HALF_PAST: Schedule = schedule!("*:30:00");

static SCHEDULES: [Schedule; 5] = [
    schedule!("*:*:*.*"),
    schedule!("*:30:00"),
    schedule!("1,2:30:00"),
    schedule!("*.*.32 1-5 23:59:59.999"),
    schedule!("2100.12.31 23:59:59.999"),
];

fn new_york() -> TimeZone {
    TimeZone::get("America/New_York").expect("a zone")
}

/// A type of instants, with the offset from UTC of its values in these tests.
trait InstantKind: Kind<Moment: Instant> {
    /// The offset in seconds, the same in all years of schedules.
    const AHEAD: i128;

    /// Returns the instant `nanos` nanoseconds after 1970-01-01 00:00:00 UTC.
    fn at_instant(nanos: i128) -> Self::Moment {
        Self::at(nanos + Self::AHEAD * 1_000_000_000)
    }
}

struct System;

impl Kind for System {
    type Moment = SystemTime;
    const HAS_ZONE: bool = false;

    fn after_1970(seconds: i64, nanos: u32) -> SystemTime {
        let distance = Duration::from_secs(seconds.unsigned_abs());
        let second = if seconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance };
        second + Duration::from_nanos(nanos.into())
    }

    fn ends() -> [SystemTime; 2] {
        // The limits depend on the platform. These are beyond all schedules.
        let far = Duration::from_secs(8_000_000_000);
        [UNIX_EPOCH - far, UNIX_EPOCH + far]
    }
}

macro_rules! instant_kinds {
    ($($kind:ty: $ahead:expr),* $(,)?) => {$(
        impl InstantKind for $kind {
            const AHEAD: i128 = $ahead;
        }
    )*};
}

instant_kinds! {
    System: 0,
    JiffTimestamp: 0,
    JiffZoned: 20_700,
    JiffFixed: -34_200,
    ChronoUtc: 0,
    ChronoFixed: -34_200,
    ChronoZoned: 20_700,
    TimeOffset<0>: 0,
    TimeOffset<20_700>: 20_700,
}

/// Returns milliseconds since 1970-01-01 00:00:00 UTC at and near edges: the limits of
/// schedules, in UTC and in New York, and the offset changes there.
fn edges() -> impl Iterator<Item = i64> {
    let edges = [
        946_684_800_000,
        946_702_800_000,
        4_133_980_799_999,
        4_133_998_799_999,
        1_614_513_600_000,
        // 2026-03-08, when 02:00 becomes 03:00, and the hours around it.
        1_772_949_600_000,
        1_772_953_200_000,
        1_772_956_800_000,
        // 2026-11-01, when 02:00 becomes 01:00, and the hours around it.
        1_793_505_600_000,
        1_793_509_200_000,
        1_793_512_800_000,
        1_793_516_400_000,
    ];
    edges.into_iter().flat_map(|place| [-1_800_000, -1, 0, 1, 1_800_000].map(|by| place + by))
}

/// Formats a moment with its zone or offset, which `==` ignores.
fn formatted<M: Debug>(moment: Option<M>) -> Option<String> {
    moment.map(|moment| format!("{moment:?}"))
}

fn formatted_event<K: InstantKind>(event: Option<i64>) -> Option<String> {
    formatted(event.map(|millis| K::at_instant(i128::from(millis) * MILLI)))
}

fn instants_answer_like_their_milliseconds<K: InstantKind>() {
    for schedule in &SCHEDULES {
        let schedule = schedule.in_zone(new_york());
        for at in edges() {
            assert_at::<K, _>(&schedule, at);
            assert_between::<K, _>(&schedule, at);
        }
    }
}

/// Checks the answers at a millisecond.
fn assert_at<K: InstantKind, Z: Zone + Debug>(schedule: &ZonedSchedule<Z>, at: i64) {
    let moment = || K::at_instant(i128::from(at) * MILLI);
    let why = || format!("{schedule:?} at {at}");
    let answers = [
        (formatted(schedule.next_event(moment())), schedule.next_event(at)),
        (formatted(schedule.nearest_event(moment())), schedule.nearest_event(at)),
        (formatted(schedule.prev_event(moment())), schedule.prev_event(at)),
        (formatted(schedule.nearest_prev_event(moment())), schedule.nearest_prev_event(at)),
    ];
    for (answer, millis) in answers {
        assert_eq!(answer, formatted_event::<K>(millis), "{}", why());
    }
    assert_eq!(schedule.matches(moment()), schedule.matches(at), "{}", why());

    let (occurrence, in_millis) = (schedule.occurrence(moment()), schedule.occurrence(at));
    let rest = occurrence.as_ref().map(|occurrence| (occurrence.civil, occurrence.resolution));
    assert_eq!(
        rest,
        in_millis.map(|occurrence| (occurrence.civil, occurrence.resolution)),
        "{}",
        why()
    );
    let instant = occurrence.map(|occurrence| occurrence.instant);
    assert_eq!(
        formatted(instant),
        formatted_event::<K>(in_millis.map(|it| it.instant)),
        "{}",
        why()
    );
}

/// Checks the answers between a millisecond and the next.
fn assert_between<K: InstantKind, Z: Zone + Debug>(schedule: &ZonedSchedule<Z>, at: i64) {
    let ahead = formatted_event::<K>(schedule.next_event(at));
    let behind = formatted_event::<K>(schedule.nearest_prev_event(at));
    // Some platforms have system times in steps of 100 nanoseconds.
    for nanos in [100, 999_900] {
        let moment = || K::at_instant(i128::from(at) * MILLI + nanos);
        let why = || format!("{schedule:?} after {at}");
        assert_eq!(formatted(schedule.next_event(moment())), ahead, "{}", why());
        assert_eq!(formatted(schedule.nearest_event(moment())), ahead, "{}", why());
        assert_eq!(formatted(schedule.prev_event(moment())), behind, "{}", why());
        assert_eq!(formatted(schedule.nearest_prev_event(moment())), behind, "{}", why());
        assert!(!schedule.matches(moment()), "{}", why());
        assert_eq!(formatted(schedule.occurrence(moment())), None, "{}", why());
    }
}

fn ranges_contain_the_same_events_as_in_milliseconds<K: InstantKind>() {
    for schedule in &SCHEDULES {
        let schedule = schedule.in_zone(new_york());
        for (from, to) in [
            // From before the last change of 2026 to shortly and to long after it.
            (1_793_505_600_000, 1_793_518_200_000),
            (1_793_505_600_000, 1_793_548_800_000),
            // Empty, and reversed.
            (1_793_511_000_000, 1_793_511_000_000),
            (1_793_518_200_000, 1_793_505_600_000),
            (900_000_000_000, 4_200_000_000_000),
        ] {
            for bound in [Bound::Included, Bound::Excluded] {
                let millis = (bound(from), bound(to));
                assert_range::<K, _>(&schedule, millis);
                assert_range::<K, _>(&schedule, (millis.0, Bound::Unbounded));
                assert_range::<K, _>(&schedule, (Bound::Unbounded, millis.1));
            }
        }
    }
}

fn assert_range<K: InstantKind, Z: Zone + Debug>(
    schedule: &ZonedSchedule<Z>,
    millis: (Bound<i64>, Bound<i64>),
) {
    let at = |millis| K::at_instant(i128::from(millis) * MILLI);
    let range = (millis.0.map(at), millis.1.map(at));
    let why = || format!("{schedule:?} in {range:?}");
    let (events, in_millis) = (|| schedule.events(range.clone()), || schedule.events(millis));
    let answers = events().map(Some).map(formatted).take(4);
    let expected = in_millis().map(Some).map(formatted_event::<K>).take(4);
    assert!(answers.eq(expected), "{}", why());
    let answers = events().rev().map(Some).map(formatted).take(4);
    let expected = in_millis().rev().map(Some).map(formatted_event::<K>).take(4);
    assert!(answers.eq(expected), "{}", why());
    assert_eq!(schedule.count(range.clone()), schedule.count(millis), "{}", why());
    assert_eq!(events().size_hint(), in_millis().size_hint(), "{}", why());
    assert_eq!(formatted(events().nth(2)), formatted_event::<K>(in_millis().nth(2)), "{}", why());
    assert_eq!(
        formatted(events().nth_back(2)),
        formatted_event::<K>(in_millis().nth_back(2)),
        "{}",
        why()
    );
    let (mut page, mut page_of_millis) = (vec![at(0); 3], [0; 3]);
    let filled = events().fill(&mut page);
    assert_eq!(filled, in_millis().fill(&mut page_of_millis), "{}", why());
    let page = page.into_iter().map(Some).map(formatted).take(filled);
    assert!(page.eq(page_of_millis.into_iter().map(Some).map(formatted_event::<K>).take(filled)));
}

fn limits_of_a_type_are_before_and_after_all_events<K: InstantKind>() {
    for schedule in &SCHEDULES {
        let schedule = schedule.in_zone(new_york());
        let [min, max] = K::ends();
        let first = formatted_event::<K>(schedule.next_event(i64::MIN));
        let last = formatted_event::<K>(schedule.prev_event(i64::MAX));
        assert_eq!(formatted(schedule.next_event(&min)), first);
        assert_eq!(formatted(schedule.nearest_event(&min)), first);
        assert_eq!(formatted(schedule.prev_event(&max)), last);
        assert_eq!(formatted(schedule.nearest_prev_event(&max)), last);
        assert_eq!((schedule.prev_event(&min), schedule.nearest_prev_event(&min)), (None, None));
        assert_eq!((schedule.next_event(&max), schedule.nearest_event(&max)), (None, None));
        assert!(!schedule.matches(&min) && !schedule.matches(&max));
        assert_eq!(formatted(schedule.occurrence(&min)), None);
        assert_eq!(formatted(schedule.occurrence(&max)), None);
        assert_eq!(schedule.count(&min..=&max), schedule.count(..));
        assert_eq!(schedule.count(&max..=&min), 0);
        assert_eq!(formatted(schedule.events(min..max).next_back()), last);
    }
}

/// In a type whose values have a zone, a range without ends has no events, since the zone of the
/// answers is unknown. In other types it has all. To count them needs no zone.
fn unbounded_ranges_are_empty_if_the_zone_is_unknown<K: InstantKind>() {
    let schedule = HALF_PAST.in_zone(new_york());
    let all = if K::HAS_ZONE { 0 } else { schedule.count(..) };
    let only = |event: Option<i64>| formatted_event::<K>(event.filter(|_| !K::HAS_ZONE));
    let (first, last) = (only(schedule.next_event(i64::MIN)), only(schedule.prev_event(i64::MAX)));
    let events = || schedule.events(unbounded::<K::Moment>());
    assert_eq!(formatted(events().next()), first);
    assert_eq!(formatted(events().next_back()), last);
    assert_eq!(formatted(events().last()), last);
    let in_millis = || schedule.events(..);
    assert_eq!(formatted(events().nth(9)), only(in_millis().nth(9)));
    assert_eq!(formatted(events().nth_back(9)), only(in_millis().nth_back(9)));
    assert_eq!(events().fill(&mut [K::at(0)]), usize::from(all > 0));
    let length = usize::try_from(all).expect("few events");
    assert_eq!(events().size_hint(), (0, None));
    assert_eq!(events().count(), length);
    assert_eq!(schedule.count(unbounded::<K::Moment>()), schedule.count(..));
    assert_eq!(schedule.surprises(unbounded::<K::Moment>()).next().is_none(), K::HAS_ZONE);
}

/// Runs all tests for each type of instants.
macro_rules! test {
    ($($name:ident: $kind:ty),* $(,)?) => {$(
        mod $name {
            use super::*;

            #[test]
            fn instants_answer_like_their_milliseconds() {
                super::instants_answer_like_their_milliseconds::<$kind>();
            }

            #[test]
            fn ranges_contain_the_same_events_as_in_milliseconds() {
                super::ranges_contain_the_same_events_as_in_milliseconds::<$kind>();
            }

            #[test]
            fn limits_of_a_type_are_before_and_after_all_events() {
                super::limits_of_a_type_are_before_and_after_all_events::<$kind>();
            }

            #[test]
            fn unbounded_ranges_are_empty_if_the_zone_is_unknown() {
                super::unbounded_ranges_are_empty_if_the_zone_is_unknown::<$kind>();
            }
        }
    )*};
}

test! {
    system_time: System,
    jiff_timestamp: JiffTimestamp,
    jiff_zoned: JiffZoned,
    jiff_zoned_at_an_offset: JiffFixed,
    chrono_utc: ChronoUtc,
    chrono_fixed_offset: ChronoFixed,
    chrono_zoned: ChronoZoned,
    time_utc: TimeOffset<0>,
    time_ahead: TimeOffset<20_700>,
}

#[test]
fn schedules_queried_with_a_zoned_time_are_in_its_zone() {
    let (jiff, chrono) = (new_york(), chrono_tz::America::New_York);
    for schedule in &SCHEDULES {
        let zoned = schedule.in_zone(jiff.clone());
        let also = schedule.in_zone(ChronoZone(chrono));
        for at in edges() {
            let by_jiff = ZonedDateTime::new(
                Timestamp::from_millisecond(at).expect("in range"),
                jiff.clone(),
            );
            let by_chrono: DateTime<Utc> = DateTime::from_timestamp_millis(at).expect("in range");
            let by_chrono = by_chrono.with_timezone(&chrono);
            let next = formatted(schedule.next_event(&by_jiff));
            assert_eq!(next, formatted(zoned.next_event(&by_jiff)), "{schedule} at {by_jiff}");
            assert_eq!(next, formatted(also.next_event(&by_jiff)), "{schedule} at {by_jiff}");
            let prev = formatted(schedule.prev_event(by_chrono));
            assert_eq!(prev, formatted(zoned.prev_event(by_chrono)), "{schedule} at {by_chrono}");
            assert_eq!(prev, formatted(also.prev_event(by_chrono)), "{schedule} at {by_chrono}");
            assert_eq!(schedule.matches(by_jiff), zoned.matches(at), "{schedule} at {by_chrono}");
            assert_eq!(schedule.matches(by_chrono), also.matches(at), "{schedule} at {by_chrono}");
        }
    }
}

#[test]
fn events_of_a_range_are_in_the_zone_of_its_start() {
    let (start, end) = (JiffZoned::at(0), JiffFixed::at(10_i128.pow(18)));
    let first = |range: (Bound<&ZonedDateTime>, Bound<&ZonedDateTime>)| -> TimeZone {
        let of_schedule = HALF_PAST.in_zone(new_york()).events(range).next();
        let of_range = HALF_PAST.events(range).next();
        let zones = [of_schedule, of_range].map(|it| it.map(|it| it.time_zone().clone()));
        assert_eq!(zones[0], zones[1]);
        zones[0].clone().expect("an event")
    };
    let (from, to) = (Bound::Excluded(&start), Bound::Included(&end));
    assert_eq!(&first((from, to)), start.time_zone());
    assert_eq!(&first((from, Bound::Unbounded)), start.time_zone());
    assert_eq!(&first((Bound::Unbounded, to)), end.time_zone());
}

#[test]
fn zones_return_an_offset_for_any_i64() {
    let zones: [&dyn Zone; 6] = [
        &new_york(),
        &TimeZone::UTC,
        &ChronoZone(chrono_tz::America::New_York),
        &ChronoZone(Utc),
        &ChronoZone(ChronoFixed::at(0).timezone()),
        &TimeOffset::<20_700>::at(0).offset(),
    ];
    // The limits of the types, and of `i64`.
    let ends = [
        i64::MIN,
        DateTime::<Utc>::MIN_UTC.timestamp_millis(),
        Timestamp::MIN.as_millisecond(),
        Timestamp::MAX.as_millisecond(),
        DateTime::<Utc>::MAX_UTC.timestamp_millis(),
        i64::MAX,
    ];
    for zone in zones {
        for end in ends {
            for at in [end.saturating_sub(1), end, end.saturating_add(1)] {
                let (offset, offsets) = (zone.offset_at(at), zone.offsets_of(at));
                assert!(offset.abs() < 86_400_000, "{offset} at {at}");
                assert!(matches!(offsets, Offsets::One(_)), "{offsets:?} at {at}");
            }
        }
    }
}

/// jiff and `time` allow offsets of up to 26 hours.
#[test]
fn events_at_an_offset_of_more_than_a_day_are_those_of_its_civil_time() {
    const HOUR: i64 = 3_600_000;
    let texts = ["*.1.1 00:00:00", "*.*.* Sun 12:00:00", "*.*.*/2 00:00:00", "*:30:00"];
    for seconds in [93_599, -93_599, 90_000, -90_000] {
        let ahead = i64::from(seconds) * 1_000;
        let in_time = time::UtcOffset::from_whole_seconds(seconds).expect("an offset");
        let in_jiff = TimeZone::fixed(jiff::tz::Offset::from_seconds(seconds).expect("an offset"));
        for text in texts {
            let civil: Schedule = text.parse().expect(text);
            let zoned = (civil.in_zone(in_time), civil.in_zone(in_jiff.clone()));
            // Every 5 hours of the days around a new year.
            for at in (0..50).map(|place| 1_767_225_600_000 + (5 * place - 125) * HOUR) {
                let next = civil.next_event(at + ahead).map(|event: i64| event - ahead);
                let prev = civil.prev_event(at + ahead).map(|event: i64| event - ahead);
                let in_time = (zoned.0.next_event(at), zoned.0.prev_event(at));
                let in_jiff = (zoned.1.next_event(at), zoned.1.prev_event(at));
                assert_eq!(in_time, (next, prev), "{text} at {at}, {seconds} s ahead");
                assert_eq!(in_jiff, (next, prev), "{text} at {at}, {seconds} s ahead");
            }
        }
    }
}
