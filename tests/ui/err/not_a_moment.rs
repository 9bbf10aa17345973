//! Queries take a `Moment`. The message lists types that implement it.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00");

fn main() {
    let _ = NOON.next_event("2026-11-21 12:00:00");
}
