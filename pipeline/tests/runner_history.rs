//! Pipelines in a scheduler, whose history fails, panics or can not be shared.

use std::cell::Cell;
use std::convert::Infallible;
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::runner::secs;
use crate::support::runner::{
    HOUR, loads_and_reports, minute, observed, rates_and_reports, scheduler,
};
use millicron_pipeline::LaunchError;
use millicron_pipeline::{History, MemoryHistory};
use millicron_scheduler::Outcome;

/// A history that can not be read, or not be written.
struct Broken {
    reads: bool,
    writes: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct NoDisk;

impl fmt::Display for NoDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no disk")
    }
}

impl History for Broken {
    type Error = NoDisk;

    fn record(&mut self, _: &str, _: i64) -> Result<(), NoDisk> {
        if self.writes { Ok(()) } else { Err(NoDisk) }
    }

    fn successes(
        &self,
        _: &str,
        _: RangeInclusive<i64>,
        _: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), NoDisk> {
        if self.reads { Ok(()) } else { Err(NoDisk) }
    }

    fn drop_before(&mut self, _: i64) -> Result<(), NoDisk> {
        Ok(())
    }
}

/// A history that fails or panics as often as it is told to.
struct Moody {
    memory: MemoryHistory,
    bad: Arc<AtomicUsize>,
    panics: bool,
}

impl History for Moody {
    type Error = NoDisk;

    fn record(&mut self, job: &str, scheduled: i64) -> Result<(), NoDisk> {
        let Ok(()) = self.memory.record(job, scheduled);
        Ok(())
    }

    fn successes(
        &self,
        job: &str,
        range: RangeInclusive<i64>,
        visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
    ) -> Result<(), NoDisk> {
        let left =
            self.bad.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bad| bad.checked_sub(1));
        match left {
            Ok(_) if self.panics => panic!("no disk"),
            Ok(_) => Err(NoDisk),
            Err(_) => self.memory.successes(job, range, visit).map_err(|never| match never {}),
        }
    }

    fn drop_before(&mut self, _: i64) -> Result<(), NoDisk> {
        Ok(())
    }
}

#[test]
fn what_waits_outlasts_a_history_that_can_not_be_read_for_a_while() {
    for panics in [false, true] {
        let (clock, scheduler, ends) = observed();
        let bad = Arc::new(AtomicUsize::new(0));
        let history = Moody { memory: MemoryHistory::new(), bad: Arc::clone(&bad), panics };
        let launch = rates_and_reports().run_on(&scheduler.handle(), history);
        let running = launch.run("rates", |_| {}).run("report", |_| {}).start();
        let running = running.expect("it can start");
        clock.advance(2 * HOUR + 59 * secs(60));
        assert_eq!(running.waiting().len(), 3);
        // When the rates have come, nothing can be told of the reports.
        bad.store(3, Ordering::Relaxed);
        clock.advance(secs(60));
        assert_eq!(running.waiting().len(), 3);
        assert_eq!(ends.take(), [("rates".to_owned(), Outcome::Succeeded)]);
        running.look_again();
        clock.advance(Duration::ZERO);
        assert_eq!(running.waiting().len(), 0);
        let ended = ends.take();
        assert_eq!(ended.len(), 3);
        assert!(ended.iter().all(|(_, outcome)| *outcome == Outcome::Succeeded), "{ended:?}");
    }
}

#[test]
fn a_history_that_can_not_be_read_or_written_fails_the_run() {
    let ends_with = |history: Broken| {
        let (clock, scheduler, ends) = observed();
        let launch = loads_and_reports().run_on(&scheduler.handle(), history);
        let launch = launch.run("load", |_| {}).run("report", |_| {});
        let running = launch.start().expect("it can start");
        clock.advance(4 * HOUR);
        drop(running);
        ends.take()
            .into_iter()
            .map(|(job, outcome)| (job, format!("{outcome:?}")))
            .collect::<Vec<_>>()
    };
    let unreadable = ends_with(Broken { reads: false, writes: true });
    assert_eq!(unreadable.len(), 5, "what needs nothing asks for nothing");
    let failed =
        |(job, outcome): &(String, String)| job == "report" && outcome == r#"Failed("no disk")"#;
    assert_eq!(unreadable.iter().filter(|end| failed(end)).count(), 1);
    let read_only = ends_with(Broken { reads: true, writes: false });
    let failed = r#"Failed("it could not be recorded: no disk")"#;
    assert_eq!(read_only, [(); 4].map(|()| ("load".to_owned(), failed.to_owned())));

    let (_clock, scheduler) = scheduler();
    let launch =
        loads_and_reports().run_on(&scheduler.handle(), Broken { reads: false, writes: true });
    let launch = launch.run("load", |_| {}).run("report", |_| {});
    let started = launch.catch_up(minute(-100)).start();
    // Nothing is due until midnight but the report of midnight.
    assert!(matches!(started, Err(LaunchError::History(NoDisk))));
    assert_eq!(scheduler.stats().waiting, 0);
}

#[test]
fn a_history_is_no_reason_for_the_pipeline_to_be_shared() {
    // One that can be sent, and not shared.
    struct Single(MemoryHistory, Cell<u32>);
    impl History for Single {
        type Error = Infallible;
        fn record(&mut self, job: &str, scheduled: i64) -> Result<(), Infallible> {
            self.1.set(self.1.get() + 1);
            self.0.record(job, scheduled)
        }
        fn successes(
            &self,
            job: &str,
            range: RangeInclusive<i64>,
            visit: &mut dyn FnMut(i64) -> ControlFlow<()>,
        ) -> Result<(), Infallible> {
            self.0.successes(job, range, visit)
        }
        fn drop_before(&mut self, instant: i64) -> Result<(), Infallible> {
            self.0.drop_before(instant)
        }
    }
    let (clock, scheduler) = scheduler();
    let history = Single(MemoryHistory::new(), Cell::new(0));
    let launch = loads_and_reports().run_on(&scheduler.handle(), history);
    let running = launch.run("load", |_| {}).run("report", |_| {}).start().expect("it can start");
    clock.advance(4 * HOUR);
    assert_eq!(running.with_history(|history| history.1.get()), 5);
}
