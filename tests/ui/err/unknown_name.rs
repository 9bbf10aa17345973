//! A word that is not a name of the field.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*.*.* Mon,Tues 09:30:00");

fn main() {
    let _ = WRONG.next_event(0);
}
