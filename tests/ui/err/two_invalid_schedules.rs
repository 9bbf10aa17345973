//! Each invalid text causes exactly one error. Code that uses the schedules
//! still type-checks, so no other errors follow.

use millicron::{Events, Schedule, schedule};

const NIGHTLY: Schedule = schedule!("22-6:00:00");

static ALL: [Schedule; 2] = [NIGHTLY, schedule!("*:00:00")];

fn next(now: i64) -> Option<i64> {
    let february: Schedule = schedule!("*.2.30 12:00:00");
    let events: Events<i64> = february.events(now..);
    events.chain(NIGHTLY.events(now..)).min()
}

fn main() {
    let count: u64 = ALL.iter().map(|schedule| schedule.count(..)).sum();
    assert!(next(0) < Some(count.cast_signed()));
}
