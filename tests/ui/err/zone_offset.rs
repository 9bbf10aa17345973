//! An offset is not a zone.

use millicron::{StaticZone, ZonedSchedule, schedule};

const NOON: ZonedSchedule<StaticZone> = schedule!("12:00:00 UTC+2");

fn main() {}
