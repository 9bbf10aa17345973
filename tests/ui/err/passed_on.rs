//! A literal that another macro passes on: the message points at it, where it
//! was written.

use millicron::{Schedule, schedule};

macro_rules! every {
    ($text:literal) => {
        schedule!($text)
    };
}

const WRONG: Schedule = every!("*:60:00");

fn main() {
    let _ = WRONG.next_event(0);
}
