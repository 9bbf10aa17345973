//! A phrase in plain English.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("every 15 minutes between 9 and 17");

fn main() {
    let _ = WRONG.next_event(0);
}
