//! Sunday is 0, not 7.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.* 7 09:30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
