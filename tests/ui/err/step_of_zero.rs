//! A step is at least 1.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:*/0:00");

fn main() {
    let _ = WRONG.next_event(0);
}
