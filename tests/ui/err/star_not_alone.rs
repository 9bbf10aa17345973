//! A star must be alone in its field.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:*:*.100,200,*,400");

fn main() {
    let _ = WRONG.next_event(0);
}
