//! Several runners share a history, in a file or on a server.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millicron::schedule;
use millicron_pipeline::{
    Claim, ClaimError, ClaimOutcome, Claims, History as _, MemoryHistory, Need, Pipeline, RunState,
    RunningPipeline, SqliteHistory, WaitPolicy,
};
use millicron_scheduler::{
    Event, JobName, ManualClock, Outcome, Retry, RunContext, Scheduler, Workers,
};

use crate::support::build;
use crate::support::runner::{HOUR, Log, RunLog, midnight, minute, runs, secs, until, waiting};
use millicron_test_support::directory::Directory;

/// The history's clock measures leases. Here, refreshes renew them: the thread that renews them
/// would do so only after twenty minutes.
const LEASE: Duration = HOUR;

/// A store for a history that several runners share.
trait Store: Sized + 'static {
    type History: Claims<Error: std::fmt::Debug> + Send + 'static;

    /// Creates a store; `None` if its server is not installed.
    fn new(name: &str) -> Option<Self>;

    /// Opens the store's history with a clock.
    fn open(&self, clock: Arc<AtomicI64>) -> Self::History;
}

impl Store for Directory {
    type History = SqliteHistory;

    fn new(name: &str) -> Option<Self> {
        Some(Self::new(name))
    }

    fn open(&self, clock: Arc<AtomicI64>) -> SqliteHistory {
        let history = SqliteHistory::open(self.join("history"));
        history.expect("a history").with_clock(move || clock.load(Ordering::Relaxed))
    }
}

/// A database, by its connection string.
#[cfg(all(feature = "postgres", unix))]
struct Database(String);

#[cfg(all(feature = "postgres", unix))]
impl Store for Database {
    type History = millicron_pipeline::PostgresHistory;

    fn new(_: &str) -> Option<Self> {
        let server =
            millicron_test_support::servers::PostgresServer::shared("runners in PostgreSQL");
        server.map(|server| Self(server.new_database()))
    }

    fn open(&self, clock: Arc<AtomicI64>) -> Self::History {
        let history = millicron_pipeline::PostgresHistory::connect(&self.0);
        history.expect("a history").with_clock(move || clock.load(Ordering::Relaxed))
    }
}

/// Runs each test with a history in a file and on a server.
macro_rules! tests {
    ($($test:ident)*) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test::<super::Directory>(); })*
        }
        #[cfg(all(feature = "postgres", unix))]
        mod postgres {
            $(#[test] fn $test() { super::$test::<super::Database>(); })*
        }
    };
}

tests! {
    run_that_another_runner_has_claimed_waits_for_its_end
    expired_run_is_taken_over_and_its_first_owner_cannot_record_it
    run_starts_once_in_two_runners
    run_that_has_lost_its_claim_is_asked_to_end_and_not_recorded
    claim_is_renewed_while_the_run_is_in_progress
    run_is_skipped_once
    run_that_has_ended_runs_again_when_it_is_forgotten
    cancelled_runner_gives_the_claims_of_its_retries_back
    refresh_gives_the_claims_of_retries_back_when_the_scheduler_is_closed
}

/// A history that several runners share, and its clock.
struct Shared<S> {
    store: S,
    clock: Arc<AtomicI64>,
}

impl<S: Store> Shared<S> {
    fn new(name: &str) -> Option<Self> {
        Some(Self { store: S::new(name)?, clock: Arc::default() })
    }

    fn open(&self) -> S::History {
        self.store.open(Arc::clone(&self.clock))
    }

    fn state(&self, job: &str, run: i64) -> Option<RunState> {
        self.open().state(job, run).expect("a readable history")
    }
}

fn advance(clock: &AtomicI64, duration: Duration) {
    let millis = i64::try_from(duration.as_millis()).expect("a short time");
    clock.fetch_add(millis, Ordering::Relaxed);
}

/// Claims the first load for a runner in another process.
fn claim(history: &mut impl Claims<Error: std::fmt::Debug>) -> Option<Claim> {
    match history.claim("load", minute(30), "other", LEASE).expect("a writable history") {
        ClaimOutcome::Granted(claim) => Some(claim),
        ClaimOutcome::Held { .. } | ClaimOutcome::Ended(_) => None,
    }
}

/// A function that is called while a load is in progress.
type Hook = Box<dyn FnOnce(&RunContext) + Send>;

struct Runner<S: Store> {
    clock: ManualClock,
    running: RunningPipeline<S::History>,
    hook: Arc<Mutex<Option<Hook>>>,
    log: RunLog,
    outcomes: Log<(String, Outcome)>,
    _scheduler: Scheduler,
}

fn pipeline() -> Pipeline {
    let builder = Pipeline::builder().since(midnight()).job("load", schedule!("*:30:00"), []);
    build(builder.job("report", schedule!("*:40:00"), [Need::last("load")]))
}

impl<S: Store> Runner<S> {
    fn new(owner: &str, shared: &Shared<S>) -> Self {
        let (clock, outcomes, log) = (ManualClock::new(midnight()), Log::new(), RunLog::new());
        let finished = outcomes.clone();
        let observer = move |event: &Event| {
            if let Event::Finished { run, outcome, .. } = event
                && let JobName::Given(name) = run.job_name()
            {
                finished.add((name.to_string(), outcome.clone()));
            }
        };
        let builder = Scheduler::builder().clock(clock.clone()).workers(Workers::Pool(1));
        let scheduler = builder.observer(observer).start().expect("the scheduler starts");
        let hook = Arc::new(Mutex::new(None::<Hook>));
        let (hook_of_load, log_of_load) = (Arc::clone(&hook), log.clone());
        let load = move |run: RunContext| {
            log_of_load.add(&run);
            let hook = hook_of_load.lock().expect("no panic").take();
            if let Some(hook) = hook {
                hook(&run);
            }
        };
        let running = pipeline()
            .run_on(&scheduler, shared.open())
            .run("load", load)
            .run("report", log.job())
            .wait_policy_of("report", WaitPolicy::SkipAfter(10 * HOUR))
            .claim_runs(owner, LEASE)
            .start()
            .expect("the pipeline starts");
        Self { clock, running, hook, log, outcomes, _scheduler: scheduler }
    }

    fn during_load(&self, hook: impl FnOnce(&RunContext) + Send + 'static) {
        *self.hook.lock().expect("no panic") = Some(Box::new(hook));
    }

    fn refresh(&self) {
        self.running.refresh();
        // Waits for the runs that were started.
        self.clock.advance(Duration::ZERO);
    }
}

fn run_that_another_runner_has_claimed_waits_for_its_end<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-wait") else { return };
    let (runner, mut other) = (Runner::new("runner", &shared), shared.open());
    let claim = claim(&mut other).expect("a claim");
    runner.clock.advance(50 * secs(60));
    runner.refresh();
    runner.refresh();
    assert_eq!(runner.log.take(), []);
    // A refresh does not hand it to a worker again.
    assert_eq!(runner.outcomes.take(), [("load".to_owned(), Outcome::Succeeded)]);
    assert_eq!(
        waiting(&runner.running),
        [
            "`load` 2026-11-21 00:30:00 waits for the runner that has claimed it",
            "`report` 2026-11-21 00:40:00 waits for `load` 2026-11-21 00:30:00",
        ],
    );
    other.record_claimed(&claim, RunState::Succeeded).expect("a claim");
    runner.refresh();
    assert_eq!(runner.log.take(), runs(&[("report", 40)]));
    assert!(runner.running.waiting().is_empty());
}

fn expired_run_is_taken_over_and_its_first_owner_cannot_record_it<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-expired") else { return };
    let (runner, mut other) = (Runner::new("runner", &shared), shared.open());
    let claim = claim(&mut other).expect("a claim");
    runner.clock.advance(30 * secs(60));
    advance(&shared.clock, LEASE);
    runner.refresh();
    assert_eq!(runner.log.take(), runs(&[("load", 30)]));
    assert_eq!(shared.state("load", minute(30)), Some(RunState::Succeeded));
    let late = other.record_claimed(&claim, RunState::Failed);
    assert!(matches!(late, Err(ClaimError::Lost)), "{late:?}");
}

fn run_starts_once_in_two_runners<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-two") else { return };
    let first = Runner::new("first", &shared);
    let second = Arc::new(Runner::new("second", &shared));
    let during = Arc::clone(&second);
    first.during_load(move |_| during.clock.advance(50 * secs(60)));
    first.clock.advance(50 * secs(60));
    assert_eq!(first.log.take(), runs(&[("load", 30), ("report", 40)]));
    second.refresh();
    assert_eq!(second.log.take(), []);
    assert!(second.running.waiting().is_empty());
}

fn run_that_has_lost_its_claim_is_asked_to_end_and_not_recorded<S: Store>() {
    for refreshes in [true, false] {
        let Some(shared) = Shared::<S>::new(&format!("claims-lost-{refreshes}")) else { return };
        let (runner, mut other) = (Runner::new("runner", &shared), shared.open());
        let (clock, running) = (Arc::clone(&shared.clock), runner.running.clone());
        let (claims, is_cancelled) = (Log::new(), Log::new());
        let (of_other, asked) = (claims.clone(), is_cancelled.clone());
        runner.during_load(move |run| {
            // The runner's own thread may renew the claim before the other one takes it.
            let taken = std::iter::repeat_with(|| {
                advance(&clock, LEASE);
                claim(&mut other)
            });
            let taken = taken.take(100).flatten().next().expect("the lease has expired");
            of_other.add((taken, other));
            if refreshes {
                running.refresh();
                // The runner's own thread may have found the loss first.
                until(|| run.token().is_cancelled());
            }
            asked.add(run.token().is_cancelled());
        });
        runner.clock.advance(30 * secs(60));
        assert_eq!(is_cancelled.take(), [refreshes]);
        assert_eq!(shared.state("load", minute(30)), None);
        let lost = "cannot record the success: the claim is lost".to_owned();
        assert_eq!(runner.outcomes.take(), [("load".to_owned(), Outcome::Failed(lost))]);
        // It waits for the other runner.
        assert_eq!(runner.running.waiting().len(), 1);
        for (claim, mut other) in claims.take() {
            other.record_claimed(&claim, RunState::Succeeded).expect("a claim");
        }
        runner.refresh();
        assert!(runner.running.waiting().is_empty());
        assert_eq!(runner.log.take(), runs(&[("load", 30)]));
    }
}

fn claim_is_renewed_while_the_run_is_in_progress<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-renewed") else { return };
    let (runner, mut other) = (Runner::new("runner", &shared), shared.open());
    let (clock, running) = (Arc::clone(&shared.clock), runner.running.clone());
    let granted = Log::new();
    let of_other = granted.clone();
    runner.during_load(move |_| {
        for _ in 0..10 {
            advance(&clock, LEASE / 2);
            running.refresh();
            of_other.add(claim(&mut other).is_some());
        }
    });
    runner.clock.advance(30 * secs(60));
    assert_eq!(granted.take(), [false; 10]);
    assert_eq!(shared.state("load", minute(30)), Some(RunState::Succeeded));
}

fn run_is_skipped_once<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-skipped") else { return };
    let mut other = shared.open();
    let claim = claim(&mut other).expect("a claim");
    other.record_claimed(&claim, RunState::Failed).expect("a claim");
    for owner in ["first", "second"] {
        let runner = Runner::new(owner, &shared);
        runner.clock.advance(10 * HOUR + 40 * secs(60));
        assert_eq!(shared.state("report", minute(40)), Some(RunState::Skipped));
        assert!(!runner.log.take().contains(&("report".to_owned(), 40)));
    }
}

fn run_that_has_ended_runs_again_when_it_is_forgotten<S: Store>() {
    let Some(shared) = Shared::<S>::new("claims-forgotten") else { return };
    let runner = Runner::new("runner", &shared);
    runner.clock.advance(30 * secs(60));
    assert_eq!(runner.log.take(), runs(&[("load", 30)]));
    assert_eq!(runner.running.submit("load", minute(30)), Ok(true));
    runner.clock.advance(Duration::ZERO);
    assert_eq!(runner.log.take(), []);
    let forget = |history: &mut S::History| history.forget("load", minute(30)..=minute(30));
    runner.running.with_history(forget).expect("a writable history");
    assert_eq!(runner.running.submit("load", minute(30)), Ok(true));
    runner.clock.advance(Duration::ZERO);
    assert_eq!(runner.log.take(), runs(&[("load", 30)]));
    assert_eq!(shared.state("load", minute(30)), Some(RunState::Succeeded));
}

#[test]
fn thread_of_a_runner_finds_the_ends_of_other_runners() {
    let clock = ManualClock::new(midnight());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("it starts");
    let running = pipeline()
        .run_on(&scheduler, MemoryHistory::new().with_clock(|| 0))
        .run("load", |_| {})
        .external("report")
        .claim_runs("runner", Duration::from_millis(3))
        .start()
        .expect("the pipeline starts");
    let claim = running.with_history(claim).expect("a claim");
    clock.advance(30 * secs(60));
    assert_eq!(running.waiting().len(), 1);
    let Ok(()) =
        running.with_history(|history| history.record_claimed(&claim, RunState::Succeeded))
    else {
        panic!("the claim is lost");
    };
    until(|| running.waiting().is_empty());
}

/// Checks that after `end`, another runner can claim a run that waits for its next attempt.
fn check_retry_is_given_back<S: Store>(
    name: &str,
    end: impl FnOnce(Scheduler, &RunningPipeline<S::History>),
) {
    let Some(shared) = Shared::<S>::new(name) else { return };
    let clock = ManualClock::new(midnight());
    let scheduler = Scheduler::builder().clock(clock.clone()).start().expect("it starts");
    let running = pipeline()
        .run_on(&scheduler, shared.open())
        .run("load", |_| Err::<(), _>("no data"))
        .external("report")
        .retry(Retry::constant(HOUR))
        .claim_runs("runner", LEASE)
        .start()
        .expect("the pipeline starts");
    clock.advance(30 * secs(60));
    let claim = |history: &mut S::History| history.claim("load", minute(30), "other", LEASE);
    running.refresh();
    let held = running.with_history(claim).expect("a writable history");
    assert!(matches!(held, ClaimOutcome::Held { .. }), "{held:?}");
    end(scheduler, &running);
    let granted = running.with_history(claim).expect("a writable history");
    assert!(matches!(granted, ClaimOutcome::Granted(_)), "{granted:?}");
}

fn cancelled_runner_gives_the_claims_of_its_retries_back<S: Store>() {
    check_retry_is_given_back::<S>("claims-cancelled", |_scheduler, running| running.cancel());
}

fn refresh_gives_the_claims_of_retries_back_when_the_scheduler_is_closed<S: Store>() {
    check_retry_is_given_back::<S>("claims-closed", |scheduler, running| {
        assert!(!scheduler.handle().is_closed());
        assert_eq!(scheduler.close_and_wait(Duration::MAX).len(), 0);
        assert!(scheduler.handle().is_closed());
        running.refresh();
    });
}
