//! A day that the month never has.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("2028.2.30 00:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
