//! A year that is out of range.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("1999.01.12 12:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
