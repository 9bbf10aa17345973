//! No argument.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!();

fn main() {
    let _ = WRONG.next_event(0);
}
