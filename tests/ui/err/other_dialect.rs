//! A text of one dialect that is given to another.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(crontab "0 0 12 ? * MON-FRI");

fn main() {
    let _ = WRONG.next_event(0);
}
