//! Two literals instead of one.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:00:00", "*:30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
