//! Guarantees about types related to zones and to other crates, for each feature alone, for all
//! features and for none.

#[cfg(feature = "alloc")]
use std::error::Error;
use std::fmt::Debug;
#[cfg(all(feature = "alloc", any(feature = "jiff", feature = "chrono-tz")))]
use std::fmt::Display;
use std::hash::Hash;
use std::hint::black_box;
use std::iter::FusedIterator;
#[cfg(all(feature = "alloc", any(feature = "jiff", feature = "chrono-tz")))]
use std::str::FromStr;

use allocation_counter::measure;
#[cfg(all(feature = "alloc", any(feature = "jiff", feature = "chrono-tz")))]
use millicron::NamedZone;
use millicron::{
    CalendarDigits, ClockChange, ClockEffect, Events, Fold, Gap, Gaps, Instant, Moment, Occurrence,
    Offsets, Pass, Period, Recurrence, Resolution, Schedule, Surprise, Surprises, Unit, Zone,
    ZonedDescription, ZonedEvents, ZonedSchedule, schedule,
};
#[cfg(feature = "alloc")]
use millicron::{ZonedParseError, ZonedParseErrorKind};

const fn is_copy_data<T: Copy + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
const fn is_clone_data<T: Clone + Debug + Send + Sync + Unpin + 'static>() {}
const fn is_clone<T: Clone + Send + Sync + Unpin + 'static>() {}
#[cfg(any(feature = "jiff", feature = "chrono"))]
const fn is_a_local_time<M: Instant>() {}
const fn is_double_ended<T: DoubleEndedIterator + FusedIterator>() {}
const fn is_a_zone<Z: Zone + ?Sized>() {}

/// Requires that queries by value and by reference return the same type.
const fn is_a_moment<M: Moment<Answer = M>>()
where
    for<'a> &'a M: Moment<Answer = M>,
    Events<M>: Clone + Debug + Send + Sync + Unpin + 'static,
{
    is_clone_data::<Events<M>>();
    is_double_ended::<Events<M>>();
}

/// Requires the same for queries of schedules in a zone.
const fn is_an_instant<M: Instant<Answer = M>>()
where
    for<'a> &'a M: Instant<Answer = M>,
    Events<M>: Clone + Debug + Send + Sync + Unpin + 'static,
    ZonedEvents<'static, M, Half>: Clone + Debug + Send + Sync + Unpin + 'static,
    Surprises<'static, M, Half>: Clone + Debug + Send + Sync + Unpin + 'static,
{
    is_a_moment::<M>();
    is_clone_data::<Surprises<'static, M, Half>>();
    is_double_ended::<Surprises<'static, M, Half>>();
    is_clone_data::<ZonedEvents<'static, M, Half>>();
    is_double_ended::<ZonedEvents<'static, M, Half>>();
}

/// Requires the traits of a zone and of the types that are generic over it.
const fn is_zone_with_all_traits<Z: Zone + Clone + Debug + Send + Sync + Unpin + 'static>() {
    is_a_zone::<&Z>();
    is_clone_data::<ZonedSchedule<Z>>();
    is_clone_data::<ZonedSchedule<&'static Z>>();
    is_clone_data::<ZonedEvents<'static, i64, Z>>();
    is_double_ended::<ZonedEvents<'static, i64, Z>>();
}

/// A zone that is half an hour ahead of UTC.
#[derive(Clone, Copy, Debug)]
struct Half;

const HALF: i32 = 1_800_000;

impl Zone for Half {
    fn offset_at(&self, _: i64) -> i32 {
        HALF
    }

    fn offsets_of(&self, _: i64) -> Offsets {
        Offsets::One(HALF)
    }
}

const _: () = {
    is_copy_data::<Gap>();
    is_copy_data::<Fold>();
    is_copy_data::<Offsets>();
    is_copy_data::<Resolution>();
    is_copy_data::<Occurrence<i64>>();
    is_copy_data::<Surprise<i64>>();
    is_copy_data::<ClockEffect>();
    is_copy_data::<ClockChange>();
    is_copy_data::<Pass>();
    is_clone_data::<ZonedDescription<'static>>();
    is_zone_with_all_traits::<Half>();
    is_a_zone::<dyn Zone>();
    is_a_zone::<&dyn Zone>();
    is_clone::<ZonedSchedule<&(dyn Zone + Send + Sync)>>();
    is_a_moment::<CalendarDigits>();
    is_an_instant::<i64>();
};

#[cfg(feature = "std")]
const _: () = {
    is_copy_data::<Occurrence<std::time::SystemTime>>();
    is_an_instant::<std::time::SystemTime>();
};

#[cfg(feature = "jiff")]
const _: () = {
    is_a_moment::<jiff::civil::DateTime>();
    is_an_instant::<jiff::Timestamp>();
    is_an_instant::<jiff::ZonedDateTime>();
    is_zone_with_all_traits::<jiff::tz::TimeZone>();
    is_clone_data::<Occurrence<jiff::ZonedDateTime>>();
    is_clone_data::<Surprise<jiff::ZonedDateTime>>();
    is_a_local_time::<(jiff::civil::DateTime, jiff::tz::TimeZone)>();
    is_a_local_time::<(jiff::civil::DateTime, &jiff::tz::TimeZone)>();
};

#[cfg(feature = "chrono")]
const _: () = {
    use millicron::ChronoZone;

    is_a_moment::<chrono::NaiveDateTime>();
    is_an_instant::<chrono::DateTime<chrono::Utc>>();
    is_an_instant::<chrono::DateTime<chrono::FixedOffset>>();
    is_an_instant::<chrono::DateTime<chrono_tz::Tz>>();
    is_copy_data::<ChronoZone<chrono_tz::Tz>>();
    is_a_local_time::<(chrono::NaiveDateTime, chrono_tz::Tz)>();
    is_zone_with_all_traits::<ChronoZone<chrono::Utc>>();
    is_zone_with_all_traits::<ChronoZone<chrono::FixedOffset>>();
    is_zone_with_all_traits::<ChronoZone<chrono_tz::Tz>>();
    is_copy_data::<Occurrence<chrono::DateTime<chrono_tz::Tz>>>();
};

/// Requires that schedules in the zone can be parsed and displayed.
#[cfg(all(feature = "alloc", any(feature = "jiff", feature = "chrono-tz")))]
const fn is_a_named_zone<Z: NamedZone>()
where
    ZonedSchedule<Z>: FromStr<Err = ZonedParseError> + Display,
{
}

#[cfg(feature = "alloc")]
const _: () = {
    const fn is_an_error<T: Error + Clone + Eq + Send + Sync + Unpin + 'static>() {}
    is_an_error::<ZonedParseError>();
    is_copy_data::<ZonedParseErrorKind>();
    #[cfg(feature = "jiff")]
    is_a_named_zone::<jiff::tz::TimeZone>();
    #[cfg(feature = "chrono-tz")]
    is_a_named_zone::<millicron::ChronoZone<chrono_tz::Tz>>();
};

#[cfg(feature = "time")]
const _: () = {
    is_a_moment::<time::PrimitiveDateTime>();
    is_an_instant::<time::OffsetDateTime>();
    is_zone_with_all_traits::<time::UtcOffset>();
    is_copy_data::<Occurrence<time::OffsetDateTime>>();
};

const _: () = {
    const fn is_a_recurrence<T: Recurrence + ?Sized>() {}
    is_copy_data::<Period>();
    is_copy_data::<Gaps>();
    is_copy_data::<Unit>();
    is_a_recurrence::<Schedule>();
    is_a_recurrence::<ZonedSchedule<Half>>();
    is_a_recurrence::<dyn Recurrence>();
};

#[cfg(feature = "serde")]
const _: () = {
    const fn is_serializable<T: serde_core::Serialize + serde_core::de::DeserializeOwned>() {}
    is_serializable::<Schedule>();
    #[cfg(feature = "jiff")]
    is_serializable::<ZonedSchedule<jiff::tz::TimeZone>>();
    #[cfg(feature = "chrono-tz")]
    is_serializable::<ZonedSchedule<millicron::ChronoZone<chrono_tz::Tz>>>();
};

/// A schedule that repeats during the day, and one with a fixed time.
static SCHEDULES: [Schedule; 2] = [schedule!("*.*.* 1-5 */4:30:00.5"), schedule!("2:30:00")];

#[test]
fn zones_can_be_trait_objects() {
    // 2026-11-21 12:30:00.005 UTC.
    const AT: i64 = 1_795_264_200_005;
    let zone: &dyn Zone = &Half;
    for schedule in &SCHEDULES {
        let (zoned, by_value) = (schedule.in_zone(zone), schedule.in_zone(Half));
        assert_eq!(zoned.next_event(AT), by_value.next_event(AT));
        assert_eq!(zoned.prev_event(AT), by_value.prev_event(AT));
        assert_eq!(zoned.events(AT..).nth(9), by_value.events(AT..).nth(9));
        let civil = schedule.next_event(AT + i64::from(HALF));
        assert_eq!(zoned.next_event(AT), civil.map(|event| event - i64::from(HALF)));
    }
}

#[test]
fn debug_of_zoned_schedule_shows_its_parts() {
    let zoned = SCHEDULES[1].in_zone(Half).with_fold(Fold::Both);
    let output = format!("{zoned:?}");
    for part in ["ZonedSchedule", "2:30:00", "Half", "Shift", "Both"] {
        assert!(output.contains(part), "{output}");
    }
    assert_eq!(output, format!("{:?}", zoned.clone()));
}

#[test]
fn debug_of_events_shows_their_schedule() {
    // Three days from 2026-11-21 00:00:00.
    let start = 1_795_219_200_000_i64;
    let range = start..start + 3 * 86_400_000;
    let events = SCHEDULES[1].events(range.clone());
    let output = format!("{events:?}");
    for part in ["Events { schedule: Schedule(\"2:30:00\"), from: ", "remaining: 3"] {
        assert!(output.contains(part), "{output}");
    }
    let zoned = SCHEDULES[1].in_zone(Half);
    let output = format!("{:?}", zoned.events(range.clone()));
    assert!(output.starts_with("Events { schedule: Schedule(\"2:30:00\"), from: "), "{output}");
    assert_eq!(format!("{:?}", zoned.surprises(range)), "Surprises { .. }");
}

fn run_all_queries(schedule: &ZonedSchedule<impl Zone + Clone>) {
    for at in [i64::MIN, 0, 1_614_513_600_000, 4_000_000_000_123, i64::MAX] {
        let at = black_box(at);
        black_box((schedule.next_event(at), schedule.nearest_event(at)));
        black_box((schedule.prev_event(at), schedule.nearest_prev_event(at)));
        black_box((schedule.matches(at), schedule.occurrence(at)));
        black_box(schedule.count(at..));
        let mut events = schedule.events(..at);
        let mut filled = [0; 5];
        black_box(events.fill(&mut filled));
        black_box((events.next(), events.next_back(), events.nth(7), events.nth_back(7)));
        black_box((events.size_hint(), events.clone().count(), events.last()));
    }
    black_box(schedule.clone().with_gap(Gap::Skip).with_fold(Fold::Second));
}

/// Checks that no query allocates once the zone has its table.
fn assert_never_allocates(zone: impl Zone + Clone) {
    black_box(zone.table());
    for schedule in &SCHEDULES {
        let used = measure(|| run_all_queries(&schedule.in_zone(zone.clone())));
        assert_eq!(used.count_total, 0, "{schedule}");
    }
}

#[test]
fn queries_of_compiled_schedules_in_zones_never_allocate() {
    assert_never_allocates(Half);
    assert_never_allocates(&Half as &dyn Zone);
    #[cfg(feature = "jiff")]
    assert_never_allocates(jiff::tz::TimeZone::get("America/New_York").expect("a zone"));
    #[cfg(feature = "chrono")]
    assert_never_allocates(millicron::ChronoZone(chrono_tz::America::New_York));
    #[cfg(feature = "time")]
    assert_never_allocates(time::UtcOffset::UTC);
}
