//! Instants, and the events of schedules.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::Recurrence;

/// 2023-11-14 22:13:20 UTC.
pub(crate) fn start() -> SystemTime {
    UNIX_EPOCH + secs(1_700_000_000)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The instant this many seconds after [`start`].
pub(crate) fn at(after: u64) -> SystemTime {
    start() + secs(after)
}

/// The seconds from [`start`] to an instant.
pub(crate) fn after(time: SystemTime) -> u64 {
    time.duration_since(start()).expect("the instant is after the start").as_secs()
}

/// The last millisecond at or before an instant, in milliseconds since 1970.
pub(crate) fn to_millis(time: SystemTime) -> i64 {
    let nanos = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).expect("the duration is short"),
        Err(before) => {
            -i128::try_from(before.duration().as_nanos()).expect("the duration is short")
        }
    };
    i64::try_from(nanos.div_euclid(1_000_000)).expect("the instant is within 300 million years")
}

/// The instant at a number of milliseconds since 1970.
fn from_millis(millis: i64) -> SystemTime {
    let distance = Duration::from_millis(millis.unsigned_abs());
    if millis < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

/// The events after one instant, up to and including another.
pub(crate) fn events(
    recurrence: &impl Recurrence,
    after: SystemTime,
    until: SystemTime,
) -> Vec<SystemTime> {
    let until = to_millis(until);
    let next = |event: &i64| recurrence.next_event(*event).filter(|event| *event <= until);
    std::iter::successors(next(&to_millis(after)), next).map(from_millis).collect()
}
