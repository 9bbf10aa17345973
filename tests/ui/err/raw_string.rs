//! An error in a raw string.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(r#"*:60:00"#);

fn main() {
    let _ = WRONG.next_event(0);
}
