//! Guarantees about the types of zones and of other crates. They hold with every single feature,
//! with all features and with none.

use std::fmt::Debug;
use std::hash::Hash;
use std::hint::black_box;
use std::iter::FusedIterator;

use allocation_counter::measure;
use millicron::{
    CalendarDigits, Events, Fold, Gap, Gaps, Instant, Moment, Occurrence, Offsets, Period,
    Recurrence, Resolution, Schedule, Unit, Zone, ZonedEvents, ZonedSchedule, schedule,
};

const fn is_plain<T: Copy + Debug + Eq + Hash + Send + Sync + Unpin + 'static>() {}
const fn is_free_to_copy<T: Clone + Debug + Send + Sync + Unpin + 'static>() {}
const fn is_free_to_share<T: Clone + Send + Sync + Unpin + 'static>() {}
const fn is_an_iterator<T: DoubleEndedIterator + FusedIterator>() {}
const fn is_a_zone<Z: Zone + ?Sized>() {}

/// Checks that queries with a moment, or with a reference to it, return the same type.
const fn is_a_moment<M: Moment<Answer = M>>()
where
    for<'a> &'a M: Moment<Answer = M>,
    Events<M>: Clone + Debug + Send + Sync + Unpin + 'static,
{
    is_free_to_copy::<Events<M>>();
    is_an_iterator::<Events<M>>();
}

/// The same for a schedule in a time zone.
const fn is_an_instant<M: Instant<Answer = M>>()
where
    for<'a> &'a M: Instant<Answer = M>,
    Events<M>: Clone + Debug + Send + Sync + Unpin + 'static,
    ZonedEvents<'static, M, Half>: Clone + Debug + Send + Sync + Unpin + 'static,
{
    is_a_moment::<M>();
    is_free_to_copy::<ZonedEvents<'static, M, Half>>();
    is_an_iterator::<ZonedEvents<'static, M, Half>>();
}

/// Checks the traits of a zone and of schedules in it.
const fn is_of_a_zone<Z: Zone + Clone + Debug + Send + Sync + Unpin + 'static>() {
    is_a_zone::<&Z>();
    is_free_to_copy::<ZonedSchedule<Z>>();
    is_free_to_copy::<ZonedSchedule<&'static Z>>();
    is_free_to_copy::<ZonedEvents<'static, i64, Z>>();
    is_an_iterator::<ZonedEvents<'static, i64, Z>>();
}

/// Half an hour ahead of UTC.
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
    is_plain::<Gap>();
    is_plain::<Fold>();
    is_plain::<Offsets>();
    is_plain::<Resolution>();
    is_plain::<Occurrence<i64>>();
    is_of_a_zone::<Half>();
    is_a_zone::<dyn Zone>();
    is_a_zone::<&dyn Zone>();
    is_free_to_share::<ZonedSchedule<&(dyn Zone + Send + Sync)>>();
    is_a_moment::<CalendarDigits>();
    is_an_instant::<i64>();
};

#[cfg(feature = "std")]
const _: () = {
    is_plain::<Occurrence<std::time::SystemTime>>();
    is_an_instant::<std::time::SystemTime>();
};

#[cfg(feature = "jiff")]
const _: () = {
    is_a_moment::<jiff::civil::DateTime>();
    is_an_instant::<jiff::Timestamp>();
    is_an_instant::<jiff::Zoned>();
    is_of_a_zone::<jiff::tz::TimeZone>();
    is_free_to_copy::<Occurrence<jiff::Zoned>>();
};

#[cfg(feature = "chrono")]
const _: () = {
    use millicron::ChronoZone;

    is_a_moment::<chrono::NaiveDateTime>();
    is_an_instant::<chrono::DateTime<chrono::Utc>>();
    is_an_instant::<chrono::DateTime<chrono::FixedOffset>>();
    is_an_instant::<chrono::DateTime<chrono_tz::Tz>>();
    is_plain::<ChronoZone<chrono_tz::Tz>>();
    is_of_a_zone::<ChronoZone<chrono::Utc>>();
    is_of_a_zone::<ChronoZone<chrono::FixedOffset>>();
    is_of_a_zone::<ChronoZone<chrono_tz::Tz>>();
    is_plain::<Occurrence<chrono::DateTime<chrono_tz::Tz>>>();
};

#[cfg(feature = "time")]
const _: () = {
    is_a_moment::<time::PrimitiveDateTime>();
    is_an_instant::<time::OffsetDateTime>();
    is_of_a_zone::<time::UtcOffset>();
    is_plain::<Occurrence<time::OffsetDateTime>>();
};

const _: () = {
    const fn is_a_recurrence<T: Recurrence + ?Sized>() {}
    is_plain::<Period>();
    is_plain::<Gaps>();
    is_plain::<Unit>();
    is_a_recurrence::<Schedule>();
    is_a_recurrence::<ZonedSchedule<Half>>();
    is_a_recurrence::<dyn Recurrence>();
};

#[cfg(feature = "serde")]
const _: () = {
    const fn is_data<T: serde_core::Serialize + serde_core::de::DeserializeOwned>() {}
    is_data::<Schedule>();
};

/// A schedule with intervals, and one with fixed times.
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
    let shown = format!("{zoned:?}");
    for part in ["ZonedSchedule", "2:30:00", "Half", "Shift", "Both"] {
        assert!(shown.contains(part), "{shown}");
    }
    assert_eq!(shown, format!("{:?}", zoned.clone()));
}

fn use_all_of(schedule: &ZonedSchedule<impl Zone + Clone>) {
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

/// Checks that no query allocates.
fn assert_never_allocates(zone: impl Zone + Clone) {
    for schedule in &SCHEDULES {
        let used = measure(|| use_all_of(&schedule.in_zone(zone.clone())));
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
