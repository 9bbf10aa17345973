//! A zone that no database knows, in a literal.

use millicron::{StaticZone, ZonedSchedule, schedule};

const OPENING: ZonedSchedule<StaticZone> = schedule!("*.*.* Mon-Fri 09:30:00 America/NewYork");

fn main() {}
