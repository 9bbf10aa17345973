//! One message for each literal with a mistake and a zone, whatever its type.

use millicron::{Schedule, StaticZone, ZonedSchedule, schedule};

const HOUR: ZonedSchedule<StaticZone> = schedule!("25:00:00 Europe/Berlinn");
const MINUTE: ZonedSchedule<StaticZone> = schedule!(crontab "CRON_TZ=Europe/Berlin 61 12 * * *");
const DIALECT: ZonedSchedule<StaticZone> = schedule!(cron "0 12 * * * Europe/Berlin");
const PLAIN: Schedule = schedule!("12:00:00 berlin");

fn main() {
    let local = schedule!("12:00:00 Europe/Berlinn");
    let _ = local.next_event(0_i64);
}
