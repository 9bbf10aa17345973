//! A schedule without a time.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.1");

fn main() {
    let _ = WRONG.next_event(0);
}
