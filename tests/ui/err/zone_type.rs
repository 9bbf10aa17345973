//! A literal with a zone is a `ZonedSchedule`.

use millicron::{Schedule, schedule};

const NOON: Schedule = schedule!("12:00:00 Europe/Berlin");

fn main() {}
