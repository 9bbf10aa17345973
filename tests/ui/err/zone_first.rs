//! The zone comes last of all.

use millicron::{StaticZone, ZonedSchedule, schedule};

const NOON: ZonedSchedule<StaticZone> = schedule!("12:00:00 Europe/Berlin; 13:00:00");

fn main() {}
