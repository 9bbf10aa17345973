//! A range must be ascending. The message shows how to wrap around.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.* Mon-Fri 22-6:00:00");

fn main() {
    let _ = WRONG.next_event(0);
}
