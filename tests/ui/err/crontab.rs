//! A crontab expression instead of a date and a time.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*/5 * * * *");

fn main() {
    let _ = WRONG.next_event(0);
}
