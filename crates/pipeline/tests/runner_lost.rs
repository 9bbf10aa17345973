//! Runners whose claims are lost or may have expired, or whose runs end elsewhere.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::{
    Claim, ClaimOutcome, Claims, History, MemoryHistory, Need, Pipeline, PipelineRunner, RunState,
    RunningPipeline,
};
use millicron_scheduler::{ManualClock, Outcome, Retry, RunContext, Scheduler};

use crate::support::build;
use crate::support::runner::{
    HOUR, Log, RunLog, midnight, minute, observed, runs, scheduler, secs, until, waiting,
};
use crate::support::scripted::{Call, Down, Scripted};

/// A lease that only a refresh renews within the time of a test.
const LEASE: Duration = HOUR;

/// A lease that the runner's thread renews all the time.
const SHORT_LEASE: Duration = Duration::from_millis(1);

/// The history of a test, which sets its clock. While it is down, claims cannot be renewed.
struct Shared {
    now: Arc<AtomicI64>,
    is_down: Arc<AtomicBool>,
}

impl Shared {
    fn new() -> (Self, Scripted) {
        let shared = Self { now: Arc::default(), is_down: Arc::default() };
        let (now, is_down) = (Arc::clone(&shared.now), Arc::clone(&shared.is_down));
        let memory = MemoryHistory::new().with_clock(move || now.load(Ordering::SeqCst));
        let (history, script) = Scripted::with(memory);
        script.set(move |call| match call {
            Call::Renew if is_down.load(Ordering::SeqCst) => Err(Down),
            Call::Read | Call::Renew => Ok(()),
        });
        (shared, history)
    }

    /// Lets all claims expire.
    fn expire(&self) {
        self.now.fetch_add(3_600_000, Ordering::SeqCst);
    }

    /// Lets all claims expire, and claims the first load for another runner.
    fn take_load(&self, running: &RunningPipeline<Scripted>) -> Claim {
        let claimed = running.with_history(|history| {
            // Under the lock of the runner, so that its thread does not renew or take it before.
            self.expire();
            history.claim("load", minute(30), "other", LEASE)
        });
        match claimed.expect("memory does not fail") {
            ClaimOutcome::Granted(claim) => claim,
            held => panic!("not granted: {held:?}"),
        }
    }
}

/// Returns the first load, a report that needs it, and what follows the report, however it ended.
fn pipeline() -> Pipeline {
    build(
        Pipeline::builder()
            .since(midnight())
            .job("load", schedule!("00:30:00"), [])
            .job("report", schedule!("00:40:00"), [Need::last("load")])
            .job("clean", schedule!("00:50:00"), [Need::last("report").ended()]),
    )
}

/// Returns work that fails at first.
fn fails_once(
    log: &RunLog,
) -> impl Fn(RunContext) -> Result<(), &'static str> + Send + Sync + use<> {
    let (log, attempts) = (log.clone(), AtomicU32::new(0));
    move |run| {
        log.add(&run);
        let is_first = attempts.fetch_add(1, Ordering::SeqCst) == 0;
        if is_first { Err("no data") } else { Ok(()) }
    }
}

fn start(runner: PipelineRunner<Scripted>) -> RunningPipeline<Scripted> {
    runner.start().expect("the pipeline starts")
}

/// Starts a runner that executes only `load`, and retries it after a time.
fn start_load(
    scheduler: &Scheduler,
    history: Scripted,
    load: impl Fn(RunContext) -> Result<(), &'static str> + Send + Sync + 'static,
    retry: Duration,
    lease: Duration,
) -> RunningPipeline<Scripted> {
    let runner = pipeline().run_on(scheduler, history).run("load", load);
    let runner = runner.external("report").external("clean").retry(Retry::constant(retry));
    start(runner.claim_runs("runner", lease))
}

/// Starts runs of `load` that fail at first and are retried.
fn start_retrying() -> (ManualClock, Scheduler, Shared, RunningPipeline<Scripted>, RunLog) {
    let ((clock, scheduler), (shared, history), log) = (scheduler(), Shared::new(), RunLog::new());
    let running = start_load(&scheduler, history, fails_once(&log), 100 * HOUR, LEASE);
    clock.advance(30 * secs(60));
    assert_eq!(log.take(), runs(&[("load", 30)]));
    (clock, scheduler, shared, running, log)
}

#[test]
fn retry_whose_claim_is_lost_waits_for_the_other_runner() {
    let (clock, _scheduler, shared, running, log) = start_retrying();
    let _other = shared.take_load(&running);
    running.refresh();
    let held = "`load` 2026-11-21 00:30:00 waits for the runner that has claimed it";
    assert_eq!(waiting(&running), [held]);
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), []);
    // The other runner dies.
    shared.expire();
    running.refresh();
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 30)]));
    assert!(running.waiting().is_empty());
}

#[test]
fn retry_that_is_forgotten_starts_again() {
    let (clock, scheduler, _shared, running, log) = start_retrying();
    let forget = |history: &mut Scripted| history.forget("load", minute(30)..=minute(30));
    running.with_history(forget).expect("memory does not fail");
    running.refresh();
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 30)]));
    clock.advance(200 * HOUR);
    assert_eq!(log.take().len(), 8, "one load on each of the following days");
    assert_eq!(scheduler.stats().running, 0);
}

/// Returns the first load, and a job that is busy while the load waits for a worker.
fn pipeline_with_busy() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("load", schedule!("00:30:00"), []);
    build(builder.job("busy", schedule!("00:40:00"), []))
}

/// The only worker is busy while the claim of a run that waits for it is lost.
#[test]
fn queued_run_whose_claim_is_lost_is_claimed_again() {
    let ((clock, scheduler), (shared, history), log) = (scheduler(), Shared::new(), RunLog::new());
    let (cell, claims) = (Arc::new(OnceLock::new()), Log::new());
    let (of_busy, taken) = (Arc::clone(&cell), claims.clone());
    let shared = Arc::new(shared);
    let of_other = Arc::clone(&shared);
    let busy = move |_| {
        let running: &RunningPipeline<Scripted> = of_busy.get().expect("it has started");
        of_other.expire();
        running.refresh();
        assert!(running.waiting().is_empty(), "it was taken over");
        taken.add(of_other.take_load(running));
        running.refresh();
    };
    let runner = pipeline_with_busy().run_on(&scheduler, history);
    let runner = runner.run("load", log.job()).run("busy", busy);
    let running = start(runner.claim_runs("runner", LEASE));
    cell.set(running.clone()).unwrap_or_else(|_| panic!("set once"));
    let _first = shared.take_load(&running);
    clock.advance(40 * secs(60));
    assert_eq!(log.take(), []);
    let held = "`load` 2026-11-21 00:30:00 waits for the runner that has claimed it";
    assert_eq!(waiting(&running), [held]);
    shared.expire();
    running.refresh();
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("load", 30)]));
    running.cancel();
}

/// The only worker is busy while the scheduler is closed.
#[test]
fn claim_of_a_queued_run_is_released_when_the_scheduler_is_closed() {
    let ((clock, scheduler), (shared, history)) = (scheduler(), Shared::new());
    let (cell, claims) = (Arc::new(OnceLock::new()), Log::new());
    let (of_busy, claimed) = (Arc::clone(&cell), claims.clone());
    let (handle, shared) = (scheduler.handle().clone(), Arc::new(shared));
    let of_other = Arc::clone(&shared);
    let busy = move |_| {
        let running: &RunningPipeline<Scripted> = of_busy.get().expect("it has started");
        let claim = || {
            let claim = |history: &mut Scripted| history.claim("load", minute(30), "other", LEASE);
            let claim = running.with_history(claim).expect("memory does not fail");
            claimed.add(matches!(claim, ClaimOutcome::Granted(_)));
        };
        of_other.expire();
        running.refresh();
        assert!(running.waiting().is_empty(), "it was taken over");
        claim();
        drop(handle.close());
        running.refresh();
        claim();
    };
    let runner = pipeline_with_busy().run_on(&scheduler, history);
    let runner = runner.run("load", |_| panic!("it is closed")).run("busy", busy);
    let running = start(runner.claim_runs("runner", LEASE));
    cell.set(running.clone()).unwrap_or_else(|_| panic!("set once"));
    let _first = shared.take_load(&running);
    clock.advance(40 * secs(60));
    until(|| claims.len() == 2);
    assert_eq!(claims.take(), [false, true]);
}

#[test]
fn attempt_does_not_start_on_a_claim_that_may_have_expired() {
    let ((clock, scheduler, outcomes), (shared, history)) = (observed(), Shared::new());
    let (log, is_down) = (RunLog::new(), Arc::clone(&shared.is_down));
    let first = log.clone();
    let load = move |run: RunContext| {
        first.add(&run);
        is_down.store(true, Ordering::SeqCst);
        Err("no data")
    };
    // The first attempt ends before its lease does.
    let lease = secs(5);
    let running = start_load(&scheduler, history, load, HOUR, lease);
    clock.advance(30 * secs(60));
    let _other = shared.take_load(&running);
    // The runner knows by its own clock that the claim may have expired.
    std::thread::sleep(lease);
    clock.advance(HOUR);
    assert_eq!(log.take(), runs(&[("load", 30)]));
    let failed = |message: &str| ("load".to_owned(), Outcome::Failed(message.to_owned()));
    let expected = [failed("no data"), failed("cannot claim the run: no connection")];
    until(|| outcomes.len() == 2);
    assert_eq!(outcomes.take(), expected);
}

#[test]
fn run_in_progress_is_asked_to_end_when_its_claim_may_have_expired() {
    let ((clock, scheduler), (shared, history)) = (scheduler(), Shared::new());
    let (log, is_down) = (RunLog::new(), Arc::clone(&shared.is_down));
    let all = log.clone();
    let load = move |run: RunContext| {
        all.add(&run);
        is_down.store(true, Ordering::SeqCst);
        until(|| run.token().is_cancelled());
        is_down.store(false, Ordering::SeqCst);
        Err("stopped")
    };
    let running = start_load(&scheduler, history, load, HOUR, SHORT_LEASE);
    clock.advance(30 * secs(60));
    assert_eq!(log.take(), runs(&[("load", 30)]));
    let state = running.with_history(|history| history.state("load", minute(30)));
    assert_eq!(state.expect("memory does not fail"), None);
    // Another runner may take it over, or this one.
    let _other = shared.take_load(&running);
    until(|| waiting(&running).len() == 1);
}

#[test]
fn run_that_another_runner_has_ended_waits_no_longer() {
    let ((clock, scheduler), (_shared, history), log) = (scheduler(), Shared::new(), RunLog::new());
    let running = start(
        pipeline()
            .run_on(&scheduler, history)
            .external("load")
            .run("report", log.job())
            .run("clean", log.job())
            .claim_runs("runner", LEASE),
    );
    clock.advance(50 * secs(60));
    assert_eq!(waiting(&running).len(), 2);
    let skip =
        |history: &mut Scripted| history.record_state("report", minute(40), RunState::Skipped);
    running.with_history(skip).expect("memory does not fail");
    // Only the runs of the job are looked at, and those that wait for them.
    running.pause("report").expect("a job");
    running.resume("report").expect("a job");
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("clean", 50)]));
    assert!(running.waiting().is_empty());
}

#[test]
fn pruning_keeps_what_unfinished_runs_need() {
    let ((clock, scheduler), (shared, history), log) = (scheduler(), Shared::new(), RunLog::new());
    let running = start(
        pipeline()
            .run_on(&scheduler, history)
            .run("load", log.job())
            .run("report", fails_once(&log))
            .external("clean")
            .retry(Retry::constant(HOUR))
            .claim_runs("runner", LEASE),
    );
    clock.advance(50 * secs(60));
    assert_eq!(log.take(), runs(&[("load", 30), ("report", 40)]));
    running.prune(midnight() + 100 * HOUR).expect("memory does not fail");
    // The retry loses its claim, and is ready again when the other runner has died.
    shared.expire();
    let claim = |history: &mut Scripted| history.claim("report", minute(40), "other", LEASE);
    let claimed = running.with_history(claim).expect("memory does not fail");
    assert!(matches!(claimed, ClaimOutcome::Granted(_)), "{claimed:?}");
    running.refresh();
    shared.expire();
    running.refresh();
    clock.advance(Duration::ZERO);
    assert_eq!(log.take(), runs(&[("report", 40)]));
}
