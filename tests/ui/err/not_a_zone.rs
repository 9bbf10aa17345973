//! A zone is no name: the database of names is the business of other crates.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00");

fn main() {
    let _zoned = NOON.in_zone("Europe/Berlin");
}
