//! A type of another major version of jiff than that of the features.

use millicron::schedule;

fn main() {
    let noon = schedule!("12:00:00");
    let _ = noon.next_event(jiff_02::Timestamp::UNIX_EPOCH);
    let _ = noon.in_zone(jiff_02::tz::TimeZone::UTC);
}
