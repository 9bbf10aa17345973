//! A number too large for any type is out of range like any other.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:99999999999999999999:00");

fn main() {
    let _ = WRONG.next_event(0);
}
