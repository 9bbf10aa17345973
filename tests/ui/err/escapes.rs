//! Carets point into the text, not into its escaped form.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("\x2a:\x36\x30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
