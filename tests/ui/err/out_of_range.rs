//! A number that is out of range.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("24:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
