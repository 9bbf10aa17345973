//! If another macro passes on the literal, the message points at the place
//! where the literal was written.

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
