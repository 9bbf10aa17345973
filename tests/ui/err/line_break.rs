//! A line break does not separate the date from the time.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.*\n09:30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
