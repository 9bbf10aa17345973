//! Queries of a schedule in a zone take instants, because a civil time is
//! ambiguous in a fold.

use millicron::{CalendarDigits, Offsets, Schedule, Zone, schedule};

const NOON: Schedule = schedule!("12:00:00");

struct Utc;

impl Zone for Utc {
    fn offset_at(&self, _: i64) -> i32 {
        0
    }

    fn offsets_of(&self, _: i64) -> Offsets {
        Offsets::One(0)
    }
}

fn main() {
    let _ = NOON.in_zone(Utc).next_event(CalendarDigits::MAX);
}
