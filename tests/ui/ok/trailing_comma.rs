//! The literal may have a trailing comma, as in a call.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00",);

fn main() {
    assert_eq!(NOON, schedule!("12:00:00"));
}
