//! A time has at least three fields.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("09:30");

fn main() {
    let _ = WRONG.next_event(0);
}
