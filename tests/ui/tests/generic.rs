//! Generic functions and traits whose parameters have the names of items that
//! the expansion imports.

use millicron::{Moment, Schedule, schedule};

fn next<Plan, const COUNT: usize, Code: Moment>(_: Plan, moment: Code) -> Option<Code::Answer> {
    schedule!("*:00:00").next_event(moment)
}

trait Job {
    const SCHEDULE: Schedule;
    const OTHERWISE: Schedule = schedule!("*:30:00");

    fn next(&self) -> Option<i64> {
        Self::SCHEDULE.next_event(0).max(Self::OTHERWISE.next_event(0))
    }
}

struct Expression<Static>(Static);

impl<Static> Job for Expression<Static> {
    const SCHEDULE: Schedule = schedule!("*.*.2 00:00:00");
}

#[test]
fn compiles_and_runs() {
    assert_eq!(next::<_, 3, i64>((), 0), Some(946_684_800_000));
    assert_eq!(Expression(()).0, ());
    assert_eq!(Expression(0).next(), Some(946_771_200_000));
}
