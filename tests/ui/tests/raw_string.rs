//! Raw strings, and escapes in ordinary strings.

use millicron::{Schedule, schedule};

const RAW: Schedule = schedule!(r"*:00:00");
const HASHED: Schedule = schedule!(r##"*:00:00"##);
const ESCAPED: Schedule = schedule!("\x2a:\u{30}0:00");
const CONTINUED: Schedule = schedule!(
    "*.*.* \
     *:00:00"
);

#[test]
fn compiles_and_runs() {
    assert_eq!([RAW, HASHED, ESCAPED].map(|schedule| schedule == CONTINUED), [true; 3]);
    assert_eq!(ESCAPED.expression(), "*:00:00");
    assert_eq!(CONTINUED.expression(), "*.*.* *:00:00");
}
