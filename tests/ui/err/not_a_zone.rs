//! A zone name is not a zone; other crates provide databases of names.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00");

fn main() {
    let _zoned = NOON.in_zone("Europe/Berlin");
}
