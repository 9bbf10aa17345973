//! A number instead of a string.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(15);

fn main() {
    let _ = WRONG.next_event(0);
}
