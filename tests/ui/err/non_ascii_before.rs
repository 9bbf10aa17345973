//! Multibyte characters before the error do not shift the carets.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.* мон 09:30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
