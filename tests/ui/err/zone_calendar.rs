//! A calendar that is missing, before a zone.

use millicron::{StaticZone, ZonedSchedule, schedule};

const NOON: ZonedSchedule<StaticZone> = schedule!("12:00:00 @nyse America/New_York");

fn main() {}
