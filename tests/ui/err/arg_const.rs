//! A constant, whose value is unknown when the macro expands.

use millicron::{Schedule, schedule};

const TEXT: &str = "*:00:00";
const WRONG: Schedule = schedule!(TEXT);

fn main() {
    let _ = (TEXT, WRONG.next_event(0));
}
