//! A mistake in a text of another dialect.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!(crontab "0 22-6 * * MON-FRI");

fn main() {
    let _ = WRONG.next_event(0);
}
