//! A number that is too large for any integer type is also just out of range.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:99999999999999999999:00");

fn main() {
    let _ = WRONG.next_event(0);
}
