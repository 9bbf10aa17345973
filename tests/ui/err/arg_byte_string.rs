//! A byte string instead of a string.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(b"*:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
