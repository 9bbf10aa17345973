//! A zone that no database knows, in a dialect.

use millicron::{StaticZone, ZonedSchedule, schedule};

const NOON: ZonedSchedule<StaticZone> = schedule!(crontab "TZ=berlin 0 12 * * *");

fn main() {}
