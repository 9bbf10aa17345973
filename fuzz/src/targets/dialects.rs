//! A schedule of any dialect has the events of its own notation, and of each dialect that can write it.

use millicron::Schedule;
use millicron_test_oracle::Oracle;

use crate::{DIALECTS, ORACLE};

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for dialect in DIALECTS {
        match dialect.parse(text) {
            Ok(schedule) => check(&schedule),
            Err(error) => drop(format!("{error} {error:#}")),
        }
    }
    if let Ok(schedule) = Schedule::parse(text) {
        check(&schedule);
    }
}

fn check(schedule: &Schedule) {
    let native = Schedule::parse(&schedule.to_string());
    assert_eq!(native.as_ref(), Ok(schedule), "{schedule}");
    for dialect in DIALECTS {
        match schedule.to_dialect(dialect) {
            Ok(text) => {
                let again = dialect.parse(&text).expect(&text);
                assert!(
                    again == *schedule || has_same_events(&again, schedule),
                    "{text:?} {schedule}"
                );
            }
            Err(error) => drop(error.to_string()),
        }
    }
}

fn has_same_events(one: &Schedule, other: &Schedule) -> bool {
    let read = |schedule: &Schedule| Oracle::read(&schedule.to_string(), &ORACLE);
    let (Some(one), Some(other)) = (read(one), read(other)) else { return false };
    let total = one.total();
    let step = usize::try_from(total / 50).unwrap_or(usize::MAX).max(1);
    total == other.total()
        && (0..total).step_by(step).all(|index| one.event(index) == other.event(index))
}
