//! A literal with a suffix.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:00:00"utc);

fn main() {
    let _ = WRONG.next_event(0);
}
