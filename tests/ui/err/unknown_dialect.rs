//! A name before the literal that is not a dialect.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(jenkins "H H * * *");

fn main() {
    let _ = WRONG.next_event(0);
}
