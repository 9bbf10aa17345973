//! A constant, passed on by another macro as an expression.

use millicron::{Schedule, schedule};

macro_rules! every {
    ($text:expr) => {
        schedule!($text)
    };
}

const TEXT: &str = "*:00:00";
const WRONG: Schedule = every!(TEXT);

fn main() {
    let _ = (TEXT, WRONG.next_event(0));
}
