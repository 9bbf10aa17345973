//! Pipelines whose runs are tasks.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use apalis_core::backend::TaskSink as _;
use apalis_core::backend::ext::poll_strategy::{PollSnapshot, PollStrategy};
use apalis_core::error::BoxDynError;
use apalis_core::worker::builder::WorkerBuilder;
use millicron::schedule;
use millicron_apalis::{ManualClock, PipelineSource, Run};
use millicron_pipeline::{
    ClaimOutcome, Claims as _, History as _, Need, Pipeline, RunState, SqliteHistory,
};
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::sqlite::File;
use crate::support::{MIDNIGHT, clock_at};

pub(crate) const SECOND: i64 = 1000;

/// A history and a storage in files, and a clock.
pub(crate) struct Machines {
    pub(crate) file: File,
    directory: TempDir,
    pub(crate) clock: ManualClock,
}

impl Machines {
    pub(crate) async fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        Self { file: File::new().await, directory, clock: clock_at(MIDNIGHT) }
    }

    pub(crate) fn history(&self) -> SqliteHistory {
        SqliteHistory::open(self.directory.path().join("history.db")).expect("a history")
    }

    pub(crate) fn source(&self, pipeline: &Pipeline) -> PipelineSource<u32> {
        let builder = PipelineSource::builder(pipeline.clone(), self.history(), |job| {
            u32::from(job == "report")
        });
        let builder = builder.clock(self.clock.clone());
        let builder = builder.lease(Duration::from_mins(1)).max_attempts(2);
        builder.start().expect("a thread")
    }

    pub(crate) fn state(&self, job: &str, second: i64) -> Option<RunState> {
        self.history().state(job, MIDNIGHT + second * SECOND).expect("a history")
    }
}

/// A handler that reports the runs that it starts.
#[derive(Clone)]
pub(crate) struct Handler {
    started: UnboundedSender<String>,
    /// Sends when a handler has ended or was dropped.
    ended: broadcast::Sender<()>,
    /// The jobs that fail.
    failing: Arc<Mutex<BTreeSet<String>>>,
    /// The jobs that never end.
    pub(crate) hanging: Arc<Mutex<BTreeSet<String>>>,
}

impl Handler {
    pub(crate) fn new() -> (Self, UnboundedReceiver<String>) {
        let (started, runs) = unbounded_channel();
        let (ended, _) = broadcast::channel(100);
        (Self { started, ended, failing: Arc::default(), hanging: Arc::default() }, runs)
    }

    /// Returns a receiver that is notified when handlers end.
    pub(crate) fn ends(&self) -> broadcast::Receiver<()> {
        self.ended.subscribe()
    }

    async fn handle(self, run: Run<u32>) -> Result<(), BoxDynError> {
        let second = (run.scheduled - MIDNIGHT) / SECOND;
        self.started.send(format!("{} {second}", run.job))?;
        let _ended = OnDrop(|| drop(self.ended.send(())));
        if self.hanging.lock().expect("no panic").contains(&run.job) {
            std::future::pending::<()>().await;
        }
        if self.failing.lock().expect("no panic").contains(&run.job) {
            return Err("told to fail".into());
        }
        Ok(())
    }
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Wakes a worker at an interval. That of apalis stops if it ends together with a query.
#[derive(Debug)]
struct Often(tokio::time::Interval);

impl PollStrategy for Often {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        while self.0.poll_tick(cx).is_ready() {}
        Poll::Pending
    }
}

/// Starts a worker. It polls often, because failed tasks wake no worker.
pub(crate) fn work(
    machines: &Machines,
    source: &PipelineSource<u32>,
    handler: &Handler,
    name: &str,
) -> tokio::task::JoinHandle<()> {
    use apalis_core::backend::ext::BackendExt as _;
    let often = Often(tokio::time::interval(Duration::from_millis(5)));
    let storage = machines.file.storage().poll_with_strategy(often);
    let handler = handler.clone();
    let worker = WorkerBuilder::new(name)
        .backend(source.pipe_to(storage))
        .build(move |run: Run<u32>| handler.clone().handle(run));
    tokio::spawn(async move { worker.run().await.expect("no error") })
}

pub(crate) async fn next(runs: &mut UnboundedReceiver<String>, count: usize) -> Vec<String> {
    let mut next = Vec::new();
    for _ in 0..count {
        next.push(runs.recv().await.expect("a run"));
    }
    next.sort();
    next
}

/// Waits until something is true.
pub(crate) async fn eventually(mut condition: impl FnMut() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn chain() -> Pipeline {
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let builder = builder
        .job("load", schedule!("*:*:*"), [])
        .job("clean", schedule!("*:*:*"), [Need::last("load")])
        .job("report", schedule!("*:*:*/2"), [Need::all("clean")]);
    builder.build().expect("a pipeline")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_start_when_those_that_they_need_have_ended() {
    let machines = Machines::new().await;
    let sources = [machines.source(&chain()), machines.source(&chain())];
    let (handler, mut runs) = Handler::new();
    let workers = [
        work(&machines, &sources[0], &handler, "first"),
        work(&machines, &sources[1], &handler, "second"),
    ];
    machines.clock.advance(Duration::from_secs(2));
    let mut order = Vec::new();
    for _ in 0..5 {
        order.push(runs.recv().await.expect("a run"));
    }
    let position = |run: &str| order.iter().position(|other| other == run).expect("a run");
    for (upstream, downstream) in [
        ("load 1", "clean 1"),
        ("load 2", "clean 2"),
        ("clean 1", "report 2"),
        ("clean 2", "report 2"),
    ] {
        assert!(position(upstream) < position(downstream), "{order:?}");
    }
    eventually(|| machines.state("report", 2) == Some(RunState::Succeeded)).await;
    for source in sources {
        source.close();
    }
    for worker in workers {
        worker.await.expect("no panic");
    }
    drop(handler);
    assert_eq!(runs.recv().await, None, "each run was executed once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn last_attempt_is_recorded_as_failed() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let builder = builder
        .job("load", schedule!("*:*:*/10"), [])
        .job("clean", schedule!("*:*:*/10"), [Need::last("load")])
        .job("alarm", schedule!("*:*:*/10"), [Need::last("load").ended()]);
    let source = machines.source(&builder.build().expect("a pipeline"));
    let (handler, mut runs) = Handler::new();
    handler.failing.lock().expect("no panic").insert("load".to_string());
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    assert_eq!(next(&mut runs, 3).await, ["alarm 10", "load 10", "load 10"]);
    eventually(|| machines.state("alarm", 10) == Some(RunState::Succeeded)).await;
    assert_eq!(machines.state("load", 10), Some(RunState::Failed));
    assert_eq!(machines.state("clean", 10), None);

    // The job is repaired and run again.
    handler.failing.lock().expect("no panic").clear();
    let run = MIDNIGHT + 10 * SECOND;
    source.run_again("load", run..=run).await.expect("a history");
    assert_eq!(next(&mut runs, 2).await, ["clean 10", "load 10"]);
    eventually(|| machines.state("clean", 10) == Some(RunState::Succeeded)).await;
    source.close();
    worker.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_before_the_window_are_left_out_when_the_machine_has_slept() {
    let machines = Machines::new().await;
    let pipeline = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = pipeline.job("load", schedule!("*:*:*"), []).build().expect("a pipeline");
    let source = PipelineSource::builder(pipeline, machines.history(), |_| 0);
    let source = source.clock(machines.clock.clone()).catch_up(Duration::from_secs(10));
    let source = source.start().expect("a thread");
    source.refresh().await;
    machines.clock.advance(Duration::from_mins(20));
    source.refresh().await;
    let mut storage = machines.file.storage();
    assert!(source.push_due(&mut storage).await.expect("a storage"));
    let keys = machines.file.keys().await;
    let first = MIDNIGHT + 20 * 60 * SECOND - 10 * SECOND;
    let expected: Vec<_> =
        (0..=10).map(|second| format!("load:{}", first + second * SECOND)).collect();
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_was_recorded_elsewhere_unlocks_others_at_a_scan() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let builder = builder.job("rates", schedule!("*:*:*/10"), []).job(
        "report",
        schedule!("*:*:*/10"),
        [Need::last("rates")],
    );
    let pipeline = builder.build().expect("a pipeline");
    let source = PipelineSource::builder(pipeline, machines.history(), |_| 0)
        .external("rates")
        .clock(machines.clock.clone())
        .start()
        .expect("a thread");
    let (handler, mut runs) = Handler::new();
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    source.refresh().await;
    assert_eq!(source.stats().waiting, 0);
    assert!(machines.file.keys().await.is_empty());
    machines.history().record("rates", MIDNIGHT + 10 * SECOND).expect("a history");
    source.refresh().await;
    assert_eq!(next(&mut runs, 1).await, ["report 10"]);
    source.close();
    worker.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handler_is_dropped_when_its_claim_is_lost() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let source = PipelineSource::builder(pipeline, machines.history(), |_| 0)
        .clock(machines.clock.clone())
        // A third of it passes until the renewal that finds the claim lost.
        .lease(Duration::from_secs(3))
        .start()
        .expect("a thread");
    let (handler, mut runs) = Handler::new();
    handler.hanging.lock().expect("no panic").insert("load".to_string());
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    assert_eq!(next(&mut runs, 1).await, ["load 10"]);
    let mut history = machines.history();
    let started = history.started_runs().expect("a history");
    let claim = history.take_over(&started[0].claim, "other", Duration::from_hours(1));
    let claim = claim.expect("a claim");
    // The worker can only stop if the handler has ended.
    eventually(|| source.stats().pushed == 1).await;
    history.record_claimed(&claim, RunState::Succeeded).expect("the claim is not lost");
    handler.hanging.lock().expect("no panic").clear();
    source.close();
    worker.await.expect("no panic");
    assert_eq!(machines.state("load", 10), Some(RunState::Succeeded));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_whose_task_is_gone_becomes_another_one() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let source = machines.source(&pipeline);
    machines.clock.advance(Duration::from_secs(10));
    source.refresh().await;
    // This storage takes the task and loses it.
    let other = File::new().await;
    assert!(source.push_due(&mut other.storage()).await.expect("a storage that remembers keys"));
    assert_eq!(other.keys().await.len(), 1);
    machines.clock.advance(Duration::from_secs(40));
    source.refresh().await;
    let keys = async || {
        let mut storage = machines.file.storage();
        assert!(source.push_due(&mut storage).await.expect("a storage that remembers keys"));
        machines.file.keys().await
    };
    let key = format!("load:{}", MIDNIGHT + 10 * SECOND);
    assert!(!keys().await.iter().any(|other| other.starts_with(&key)));
    machines.clock.advance(Duration::from_secs(30));
    source.refresh().await;
    assert!(keys().await.iter().any(|other| other.starts_with(&format!("{key}:"))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_another_worker_has_claimed_is_not_executed() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder
        .job("load", schedule!("*:*:*/10"), [])
        .job("other", schedule!("*:*:*/10"), [])
        .build()
        .expect("a pipeline");
    let source = machines.source(&pipeline);
    let instant = MIDNIGHT + 10 * SECOND;
    let claim = machines.history().claim("load", instant, "elsewhere", Duration::from_hours(1));
    assert!(matches!(claim, Ok(ClaimOutcome::Granted(_))));
    // Otherwise its first scan may be later, and find the claim: then the run becomes no task.
    source.refresh().await;
    let (sender, mut runs) = unbounded_channel();
    let worker = WorkerBuilder::new("worker")
        .backend(source.pipe_to(machines.file.storage()))
        .build(move |run: Run<u32>| {
            // This part runs when the handler is called, before it is polled.
            drop(sender.send(run.job));
            async {}
        });
    let worker = tokio::spawn(async move { worker.run().await.expect("no error") });
    machines.clock.advance(Duration::from_secs(10));
    assert_eq!(runs.recv().await.as_deref(), Some("other"));
    while machines.file.statuses().await != ["Done", "Done"] {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    source.close();
    worker.await.expect("no panic");
    assert_eq!(runs.recv().await, None);
    assert_eq!(machines.state("load", 10), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn task_of_an_unknown_run_is_not_attempted_again() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let notices = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&notices);
    let source = PipelineSource::builder(pipeline, machines.history(), |_| 0)
        .clock(machines.clock.clone())
        .observer(move |notice| {
            seen.lock().expect("no panic").insert(notice.to_string());
        })
        .start()
        .expect("a thread");
    let mut storage = machines.file.storage();
    for run in [Run::new("removed", MIDNIGHT, 0), Run::new("load", MIDNIGHT + 11 * SECOND, 0)] {
        storage.push(run).await.expect("a storage");
    }
    let (handler, mut runs) = Handler::new();
    let worker = work(&machines, &source, &handler, "worker");
    while machines.file.statuses().await != ["Killed", "Killed"] {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    source.close();
    worker.await.expect("no panic");
    assert!(runs.try_recv().is_err());
    let notices = notices.lock().expect("no panic");
    assert!(notices.iter().all(|notice| notice.starts_with("there is no run")), "{notices:?}");
    assert_eq!(notices.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_of_a_dead_worker_is_executed_by_another_one() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let once = schedule!("2026.11.21 00:00:10");
    let pipeline = builder.job("load", once, []).build().expect("a pipeline");
    let source = PipelineSource::builder(pipeline, machines.history(), |_| 0)
        .clock(machines.clock.clone())
        .lease(Duration::from_secs(10))
        .start()
        .expect("a thread");
    let instant = MIDNIGHT + 10 * SECOND;
    let dead = Duration::from_millis(200);
    let claim = machines.history().claim("load", instant, "a dead worker", dead);
    assert!(matches!(claim, Ok(ClaimOutcome::Granted(_))));
    let (handler, mut runs) = Handler::new();
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    // The task does nothing while the claim is valid, and another task follows once it has expired.
    while runs.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        machines.clock.advance(Duration::from_millis(500));
        source.refresh().await;
    }
    assert_eq!(next(&mut runs, 1).await, ["load 10"]);
    eventually(|| machines.state("load", 10) == Some(RunState::Succeeded)).await;
    source.close();
    worker.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_can_be_run_again_many_times() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let source = machines.source(&pipeline);
    let (handler, mut runs) = Handler::new();
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    let run = MIDNIGHT + 10 * SECOND;
    for _ in 0..3 {
        assert_eq!(next(&mut runs, 1).await, ["load 10"]);
        eventually(|| machines.state("load", 10) == Some(RunState::Succeeded)).await;
        machines.clock.advance(Duration::from_secs(1));
        source.run_again("load", run..=run).await.expect("a history");
    }
    assert_eq!(next(&mut runs, 1).await, ["load 10"]);
    source.close();
    worker.await.expect("no panic");
}
