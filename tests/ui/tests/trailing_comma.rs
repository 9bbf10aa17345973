//! The literal may have a trailing comma, as in a call.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00",);

#[test]
fn compiles_and_runs() {
    assert_eq!(NOON, schedule!("12:00:00"));
}
