//! An invalid text does not hide type errors in code that uses the schedule.

use millicron::{Schedule, schedule};

const WRONG: Schedule = schedule!("*:00");

fn main() {
    let next: bool = WRONG.next_event(0_i64).is_some() && WRONG;
    let _ = next;
}
