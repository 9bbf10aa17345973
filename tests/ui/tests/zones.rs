//! Zones, and schedules in them, expand to constants, without `std`, whatever the names around them are.
#![no_std]
#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(non_snake_case, reason = "names in the expansion must not matter")]

use millicron::{Calendar, Schedule, StaticZone, ZonedSchedule, calendar, schedule, zone};

const BERLIN: StaticZone = zone!("Europe/Berlin");
static SAME: StaticZone = zone!("europe/berlin",);
const DAYS: Calendar = calendar!("*.*.* Mon-Fri\n- *.12.25");
const OPENING: ZonedSchedule<StaticZone> =
    schedule!("*.*.* B#2 09:30:00 @DAYS; *.*.13 *:*/20:00 America/New_York", DAYS);
static TIMER: ZonedSchedule<StaticZone> = schedule!(systemd "Mon..Fri 09:30 Europe/Berlin");

const fn nightly() -> ZonedSchedule<StaticZone> {
    schedule!("2:30:00 Europe/Berlin")
}

#[test]
fn compiles_and_runs() {
    const NIGHTLY: Schedule = schedule!("2:30:00");
    let ZONE = nightly();
    assert!(BERLIN == SAME && ZONE == NIGHTLY.in_zone(zone!("Europe/Berlin")));
    assert!(OPENING.count(..) > 101 * 12 && TIMER.next_event(0_i64).is_some());
}
