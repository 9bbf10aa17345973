//! The time must be last.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("09:30:00 *.*.*");

fn main() {
    let _ = WRONG.next_event(0);
}
