//! Schedules in a `const`, in a `static`, and in arrays.

use millicron::{Schedule, schedule};

const HOURLY: Schedule = schedule!("*:00:00");
static DAILY: Schedule = schedule!("09:30:00");
const BOTH: [Schedule; 2] = [HOURLY, schedule!("09:30:00")];
static ALL: &[Schedule] = &[schedule!("*:*/15:00"), schedule!("*.*.32 12:00:00")];

#[test]
fn compiles_and_runs() {
    assert_eq!(BOTH, [HOURLY, DAILY.clone()]);
    assert_eq!(ALL.len(), 2);
}
