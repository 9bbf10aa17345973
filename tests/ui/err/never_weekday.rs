//! A date that never falls on the weekday.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("2021.2.28 3 12:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
