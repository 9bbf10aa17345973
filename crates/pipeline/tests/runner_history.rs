//! Pipelines on a scheduler with a history that fails, panics or is not `Sync`.

use std::cell::Cell;
use std::convert::Infallible;
use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use millicron_pipeline::{
    Claim, ClaimError, ClaimOutcome, Claims, History, MemoryHistory, RunQuery, RunRecord, RunState,
    StartError, StartedRun,
};
use millicron_scheduler::{Outcome, Retry};

use crate::support::runner::secs;
use crate::support::runner::{
    HOUR, RunLog, loads_and_reports, minute, observed, rates_and_reports, runs, scheduler,
};

/// Implements claims for a history whose runs no test claims.
macro_rules! without_claims {
    ($($history:ty)*) => {$(
        impl Claims for $history {
            fn claim(
                &mut self,
                _: &str,
                _: i64,
                _: &str,
                _: Duration,
            ) -> Result<ClaimOutcome, Self::Error> {
                unreachable!("no run is claimed")
            }
            fn renew(
                &mut self,
                _: &Claim,
                _: Duration,
            ) -> Result<(), ClaimError<Self::Error>> {
                unreachable!("no run is claimed")
            }
            fn release(
                &mut self,
                _: &Claim,
            ) -> Result<(), ClaimError<Self::Error>> {
                unreachable!("no run is claimed")
            }
            fn record_claimed_run(
                &mut self,
                _: &Claim,
                _: RunRecord,
            ) -> Result<(), ClaimError<Self::Error>> {
                unreachable!("no run is claimed")
            }
            fn take_over(
                &mut self,
                _: &Claim,
                _: &str,
                _: Duration,
            ) -> Result<Claim, ClaimError<Self::Error>> {
                unreachable!("no run is claimed")
            }
            fn started_runs(&self) -> Result<Vec<StartedRun>, Self::Error> {
                unreachable!("no run is claimed")
            }
        }
    )*};
}

without_claims! { Failing Flaky }

/// A history whose reads or writes fail.
struct Failing {
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

impl std::error::Error for NoDisk {}

impl History for Failing {
    type Error = NoDisk;

    fn record_runs(&mut self, _: &[(&str, i64, RunRecord)]) -> Result<(), NoDisk> {
        if self.writes { Ok(()) } else { Err(NoDisk) }
    }

    fn read(
        &self,
        _: &[RunQuery<'_>],
        _: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), NoDisk> {
        if self.reads { Ok(()) } else { Err(NoDisk) }
    }

    fn forget_all(&mut self, _: &[(&str, RangeInclusive<i64>)]) -> Result<(), NoDisk> {
        Ok(())
    }
    fn drop_before(&mut self, _: &[(&str, i64)]) -> Result<(), NoDisk> {
        Ok(())
    }
}

/// A history whose next reads fail or panic.
struct Flaky {
    memory: MemoryHistory,
    failures: Arc<AtomicUsize>,
    panics: bool,
}

impl History for Flaky {
    type Error = NoDisk;

    fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), NoDisk> {
        let Ok(()) = self.memory.record_runs(runs);
        Ok(())
    }

    fn read(
        &self,
        queries: &[RunQuery<'_>],
        visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
    ) -> Result<(), NoDisk> {
        let left = self
            .failures
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(_) if self.panics => panic!("no disk"),
            Ok(_) => Err(NoDisk),
            Err(_) => self.memory.read(queries, visit).map_err(|never| match never {}),
        }
    }

    fn forget_all(&mut self, _: &[(&str, RangeInclusive<i64>)]) -> Result<(), NoDisk> {
        Ok(())
    }
    fn drop_before(&mut self, _: &[(&str, i64)]) -> Result<(), NoDisk> {
        Ok(())
    }
}

#[test]
fn waiting_runs_survive_a_history_that_fails_for_a_while() {
    for panics in [false, true] {
        let (clock, scheduler, outcomes) = observed();
        let failures = Arc::new(AtomicUsize::new(0));
        let history =
            Flaky { memory: MemoryHistory::new(), failures: Arc::clone(&failures), panics };
        let runner = rates_and_reports().run_on(&scheduler, history);
        let running = runner.run("rates", |_| {}).run("report", |_| {}).start();
        let running = running.expect("the pipeline starts");
        clock.advance(2 * HOUR + 59 * secs(60));
        assert_eq!(running.waiting().len(), 3);
        // The history fails when the rates are due, and for the reports once the rates have
        // succeeded.
        failures.store(4, Ordering::Relaxed);
        clock.advance(secs(60));
        assert_eq!(running.waiting().len(), 3);
        assert_eq!(outcomes.take(), [("rates".to_owned(), Outcome::Succeeded)]);
        running.refresh();
        clock.advance(Duration::ZERO);
        assert_eq!(running.waiting().len(), 0);
        let finished = outcomes.take();
        assert_eq!(finished.len(), 3);
        assert!(finished.iter().all(|(_, outcome)| *outcome == Outcome::Succeeded), "{finished:?}");
    }
}

#[test]
fn run_fails_if_the_history_cannot_be_read_or_written() {
    let outcomes_with = |history: Failing| {
        let (clock, scheduler, outcomes) = observed();
        let runner = loads_and_reports().run_on(&scheduler, history);
        let runner = runner.run("load", |_| {}).run("report", |_| {});
        // Work that has succeeded is not repeated.
        let runner = runner.retry(Retry::constant(secs(60)));
        let running = runner.start().expect("the pipeline starts");
        clock.advance(4 * HOUR);
        assert!(running.waiting().iter().all(|run| run.job == "report"));
        outcomes
            .take()
            .into_iter()
            .map(|(job, outcome)| (job, format!("{outcome:?}")))
            .collect::<Vec<_>>()
    };
    let unreadable = outcomes_with(Failing { reads: false, writes: true });
    assert_eq!(unreadable.len(), 5, "a job without needs does not read the history");
    let failed = |(job, outcome): &(String, String)| {
        job == "report" && outcome == r#"Failed("the history failed: no disk")"#
    };
    assert_eq!(unreadable.iter().filter(|outcome| failed(outcome)).count(), 1);
    let read_only = outcomes_with(Failing { reads: true, writes: false });
    let failed = r#"Failed("cannot record the success: no disk")"#;
    assert_eq!(read_only, [(); 4].map(|()| ("load".to_owned(), failed.to_owned())));

    let (_clock, scheduler) = scheduler();
    let runner = loads_and_reports().run_on(&scheduler, Failing { reads: false, writes: true });
    let runner = runner.run("load", |_| {}).run("report", |_| {});
    let started = runner.submit_since(minute(-100)).start();
    // The only run until then is the report at midnight.
    let error = started.expect_err("no disk");
    assert!(matches!(error, StartError::History(NoDisk)));
    let source = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("no disk"));
    assert_eq!(scheduler.stats().waiting, 0);
}

#[test]
fn history_does_not_have_to_be_sync() {
    struct NotSync(MemoryHistory, Cell<u32>);
    impl History for NotSync {
        type Error = Infallible;
        fn record_runs(&mut self, runs: &[(&str, i64, RunRecord)]) -> Result<(), Infallible> {
            self.1.set(self.1.get() + 1);
            self.0.record_runs(runs)
        }
        fn read(
            &self,
            queries: &[RunQuery<'_>],
            visit: &mut dyn FnMut(usize, i64, RunRecord) -> ControlFlow<()>,
        ) -> Result<(), Infallible> {
            self.0.read(queries, visit)
        }
        fn forget_all(&mut self, runs: &[(&str, RangeInclusive<i64>)]) -> Result<(), Infallible> {
            self.0.forget_all(runs)
        }
        fn drop_before(&mut self, jobs: &[(&str, i64)]) -> Result<(), Infallible> {
            self.0.drop_before(jobs)
        }
    }
    without_claims! { NotSync }
    let (clock, scheduler) = scheduler();
    let history = NotSync(MemoryHistory::new(), Cell::new(0));
    let runner = loads_and_reports().run_on(&scheduler, history);
    let running =
        runner.run("load", |_| {}).run("report", |_| {}).start().expect("the pipeline starts");
    clock.advance(4 * HOUR);
    assert_eq!(running.with_history(|history| history.1.get()), 5);
}

#[test]
fn run_recorded_before_it_is_due_is_not_executed() {
    let (clock, scheduler) = scheduler();
    let log = RunLog::new();
    let runner = loads_and_reports().run_on(&scheduler, MemoryHistory::new());
    let runner = runner.run("load", log.job()).run("report", log.job());
    let running = runner.start().expect("the pipeline starts");
    clock.advance(secs(60));
    running.record("load", minute(30)).expect("recorded");
    running.with_history(|history| {
        let Ok(()) = history.record_state("load", minute(90), RunState::Skipped);
        let Ok(()) = history.record_state("load", minute(150), RunState::Failed);
    });
    // A run that is submitted early starts once, when it is due.
    assert!(running.submit("load", minute(210)).expect("existing run"));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), []);
    clock.advance(5 * HOUR);
    assert_eq!(log.take(), runs(&[("load", 210), ("load", 270)]));
    // It may still be submitted.
    assert!(running.submit("load", minute(30)).expect("existing run"));
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 30)]));
}
