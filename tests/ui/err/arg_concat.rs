//! A macro that expands to a literal, but has not been expanded yet.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(concat!("*:", "00:00"));

fn main() {
    let _ = WRONG.next_event(0);
}
