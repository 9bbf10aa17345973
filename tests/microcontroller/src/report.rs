//! The report: five schedules in three time zones, or the same schedules in civil time.

use core::fmt::{self, Write};
use core::ops::Range;

use millicron::schedule;
#[cfg(feature = "zones")]
use millicron::{StaticZone, ZonedSchedule};

#[cfg(not(feature = "zones"))]
type Schedule = millicron::Schedule;
#[cfg(feature = "zones")]
type Schedule = ZonedSchedule<StaticZone>;

/// A fixed time, one that repeats, a window, few days, and a union. The clocks go an hour forward and back by
/// different rules, and by half an hour on Lord Howe Island.
#[cfg(feature = "zones")]
static SCHEDULES: [Schedule; 5] = [
    schedule!("*.*.* Mon-Fri 09:30:00 America/New_York"),
    schedule!("*:*/20:00 Australia/Lord_Howe"),
    schedule!("*.*.* Sun 00:30:00..04:00:00/45m Europe/Berlin"),
    schedule!("*.*.13 Sun 02:30:00 America/New_York"),
    schedule!("*.*.L 02:15:00; *.Mar,Oct.* Sun#L 02:30:00 Europe/Berlin"),
];
#[cfg(not(feature = "zones"))]
static SCHEDULES: [Schedule; 5] = [
    schedule!("*.*.* Mon-Fri 09:30:00"),
    schedule!("*:*/20:00"),
    schedule!("*.*.* Sun 00:30:00..04:00:00/45m"),
    schedule!("*.*.13 Sun 02:30:00"),
    schedule!("*.*.L 02:15:00; *.Mar,Oct.* Sun#L 02:30:00"),
];

/// From 2020 to 2040 in UTC.
const YEARS: Range<i64> = 1_577_836_800_000..2_240_611_200_000;
/// 2026-03-28 00:00:00 UTC, a day before the clocks change in Berlin.
const NOW: i64 = 1_774_656_000_000;

/// Writes the report.
pub(crate) fn report(out: &mut impl Write) -> fmt::Result {
    for (number, schedule) in (1..).zip(&SCHEDULES) {
        writeln!(out, "schedule {number}")?;
        for event in schedule.upcoming(NOW).take(5) {
            writeln!(out, "  next {event}")?;
        }
        if let Some(event) = schedule.prev_event(NOW) {
            writeln!(out, "  previous {event}")?;
        }
        writeln!(out, "  {} events", schedule.count(YEARS))?;
        #[cfg(feature = "clock-changes")]
        clock_changes(schedule, out)?;
    }
    Ok(())
}

/// Writes how clock changes affect the events of a schedule.
#[cfg(feature = "clock-changes")]
fn clock_changes(schedule: &Schedule, out: &mut impl Write) -> fmt::Result {
    for surprise in schedule.surprises(YEARS) {
        writeln!(out, "  {surprise}")?;
    }
    let affected = schedule.surprises(YEARS).filter_map(|surprise| surprise.instant).take(4);
    for occurrence in affected.filter_map(|instant| schedule.occurrence(instant)) {
        let local = schedule.local_time(occurrence.instant);
        writeln!(out, "  {} at {local}: {:?}", occurrence.civil, occurrence.resolution)?;
    }
    Ok(())
}
