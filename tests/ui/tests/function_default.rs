//! A schedule as a default value in a function.

use millicron::{Schedule, schedule};

fn next(schedule: Option<Schedule>) -> Option<i64> {
    schedule.unwrap_or(schedule!("*:00:00")).next_event(1_614_513_600_000)
}

const fn default_schedule() -> Schedule {
    schedule!("*:30:00")
}

const DEFAULT: Schedule = default_schedule();

#[test]
fn compiles_and_runs() {
    assert_eq!(next(None), Some(1_614_517_200_000));
    assert_eq!(next(Some(DEFAULT)), Some(1_614_515_400_000));
}
