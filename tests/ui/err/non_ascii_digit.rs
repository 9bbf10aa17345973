//! A digit that is not ASCII. Carets count characters.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("１:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
