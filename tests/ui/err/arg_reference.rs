//! A reference to a literal.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(&"*:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
