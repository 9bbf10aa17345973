//! A mistake in the schedule before a zone.

use millicron::{StaticZone, ZonedSchedule, schedule};

const NOON: ZonedSchedule<StaticZone> = schedule!("25:00:00 Europe/Berlin");

fn main() {}
