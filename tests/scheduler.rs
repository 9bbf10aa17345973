//! The scheduler: what runs when, by a clock that is set.
#![cfg(feature = "scheduler")]
#![allow(missing_docs)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millicron::schedule;
use millicron::scheduler::{
    AddErrorKind, Job, ManualClock, Missed, Overlap, Scheduler, Workers, every,
};

fn start() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

#[test]
fn overlaps_and_misses() {
    let clock = ManualClock::new(start());
    let s = Scheduler::builder().clock(clock.clone()).start().unwrap();
    let n = Arc::new(AtomicU32::new(0));
    let m = n.clone();
    s.add_job(
        schedule!("*:*:00"),
        Job::new(move |f| {
            m.fetch_add(1 + 1000 * u32::try_from(f.coalesced()).unwrap(), Ordering::Relaxed);
        })
        .name("x")
        .missed(Missed::Coalesce)
        .overlap(Overlap::Skip),
    )
    .unwrap();
    s.add(every(10).minutes(), |_| {
        if true {
            panic!("no")
        }
    })
    .unwrap();
    clock.advance(Duration::from_secs(3600));
    assert_eq!(n.load(Ordering::Relaxed), 60);
    clock.set(start() + Duration::from_secs(7200));
    assert_eq!(n.load(Ordering::Relaxed), 61 + 59_000);
    assert_eq!(s.stats().failed, 7);
    assert_eq!(
        s.add(every(0).days(), |_| {}).unwrap_err().kind().clone(),
        AddErrorKind::Timetable(millicron::scheduler::TimetableError::NoPeriod)
    );
}
