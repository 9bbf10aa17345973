//! A step must follow a range.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:5/10:00");

fn main() {
    let _ = WRONG.next_event(0);
}
