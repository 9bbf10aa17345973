//! A day that does not exist in the month.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("2028.2.30 00:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
