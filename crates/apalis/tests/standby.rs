//! Which of several machines pushes the first task of a pipeline's run.

use std::time::Duration;

use apalis_core::error::BoxDynError;
use apalis_core::worker::builder::WorkerBuilder;
use millicron::schedule;
use millicron_apalis::{Clock as _, ManualClock, PipelineSource, Run};
use millicron_pipeline::{ClaimOutcome, Claims as _, History as _, Need, Pipeline};

use crate::pipeline::{Machines, SECOND, eventually};
use crate::support::history::{Call, Faults, FaultyHistory};
use crate::support::{Answer, MIDNIGHT, Recorder, millis, soon, unix_millis};

/// A machine that pushes into a storage which refuses duplicates.
struct Machine {
    source: PipelineSource<u32>,
    storage: Recorder,
    history: Faults,
}

impl Machine {
    async fn start(machines: &Machines, pipeline: &Pipeline, storage: &Recorder) -> Self {
        let (inner, history) = FaultyHistory::new(machines.history());
        let builder = PipelineSource::builder(pipeline.clone(), inner, |_| 0);
        let builder = builder.external("rates").clock(machines.clock.clone()).max_attempts(2);
        let source = builder.start().expect("a thread");
        source.refresh().await;
        Self { source, storage: storage.clone(), history }
    }

    /// Does all that is due on the thread of the history, and pushes all tasks that are due.
    async fn work(&mut self) {
        // Each call does another step of a scan, if one has begun. No run is at this instant.
        for _ in 0..16 {
            self.source.run_again("load", MIDNIGHT..=MIDNIGHT).await.expect("a history");
        }
        // The thread may add a task meanwhile.
        let storage = &mut self.storage;
        while !self.source.push_due(storage).await.expect("a storage that remembers keys") {}
    }

    fn stats(&self) -> (u64, u64) {
        let stats = self.source.stats();
        (stats.pushed, stats.duplicates)
    }
}

/// Returns a pipeline with a run of `load` every second.
fn pipeline() -> Pipeline {
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let builder = builder
        .job("load", schedule!("*:*:*"), [])
        .job("rates", schedule!("*:00:01"), [])
        .job("report", schedule!("*:00:01"), [Need::last("rates")]);
    builder.build().expect("a pipeline")
}

/// Starts two machines, the first of which pushes the first run. A worker executes it.
async fn two_machines(machines: &Machines, storage: &Recorder) -> [Machine; 2] {
    let mut both = [
        Machine::start(machines, &pipeline(), storage).await,
        Machine::start(machines, &pipeline(), storage).await,
    ];
    machines.clock.advance(Duration::from_secs(1));
    for machine in &mut both {
        machine.work().await;
    }
    assert_eq!(both.each_ref().map(Machine::stats), [(1, 0), (0, 1)]);
    record_load(machines, 1);
    both
}

fn record_load(machines: &Machines, second: i64) {
    machines.history().record("load", MIDNIGHT + second * SECOND).expect("a history");
}

fn has_task(storage: &Recorder, second: i64) -> bool {
    storage.keys().contains(&format!("load:{}", MIDNIGHT + second * SECOND))
}

/// Advances the clock until something is true. Returns how long that took.
async fn advance_until(
    clock: &ManualClock,
    machine: &mut Machine,
    is_true: impl Fn() -> bool,
) -> Duration {
    let mut time = Duration::ZERO;
    while !is_true() {
        clock.advance(millis(250));
        time += millis(250);
        machine.work().await;
        assert!(time < Duration::from_mins(1), "it never happens");
    }
    time
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slower_machine_leaves_the_tasks_to_the_faster_one() {
    let machines = Machines::new().await;
    let storage = Recorder::default();
    let [mut first, mut second] = two_machines(&machines, &storage).await;
    let statements = storage.statements();
    for event in 2..=30 {
        machines.clock.advance(Duration::from_secs(1));
        // Even if it could be the first.
        second.work().await;
        assert!(!has_task(&storage, event));
        first.work().await;
        assert!(has_task(&storage, event));
        record_load(&machines, event);
    }
    assert_eq!([first.stats(), second.stats()], [(30, 0), (0, 1)]);
    assert_eq!(storage.statements() - statements, 29);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slower_machine_uses_the_history_in_scans_only() {
    let machines = Machines::new().await;
    let [_, mut second] = two_machines(&machines, &Recorder::default()).await;
    let reads = second.history.count(Call::Read);
    for event in 2..=4 {
        machines.clock.advance(Duration::from_secs(1));
        second.work().await;
        record_load(&machines, event);
    }
    assert_eq!(second.history.count(Call::Read), reads);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_machine_takes_over_when_the_first_stops() {
    let machines = Machines::new().await;
    let storage = Recorder::default();
    let [mut first, mut second] = two_machines(&machines, &storage).await;
    // The first machine pushes nothing from now on.
    machines.clock.advance(Duration::from_secs(1));
    second.work().await;
    let time = advance_until(&machines.clock, &mut second, || has_task(&storage, 2)).await;
    // After a refresh and a second.
    assert!(millis(1000) <= time && time <= millis(6500), "{time:?}");
    let all = || (2..=20).all(|event| has_task(&storage, event));
    advance_until(&machines.clock, &mut second, all).await;
    let last = (unix_millis(machines.clock.now()) - MIDNIGHT) / SECOND;
    for event in last + 1..=last + 5 {
        machines.clock.advance(Duration::from_secs(1));
        second.work().await;
        assert!(has_task(&storage, event), "it pushes at once");
    }

    // The first machine continues. Its tasks are duplicates, so it leaves the next ones to the other.
    let events = storage.keys().len() as u64;
    while first.stats() != (1, events - 1) {
        first.work().await;
    }
    for event in last + 6..=last + 10 {
        machines.clock.advance(Duration::from_secs(1));
        first.work().await;
        assert!(!has_task(&storage, event));
        second.work().await;
        assert!(has_task(&storage, event));
        record_load(&machines, event);
    }
    assert_eq!([first.stats(), second.stats()], [(1, events - 1), (events + 4, 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_another_machine_has_made_ready_is_left_to_it_for_a_second() {
    for is_claimed in [true, false] {
        let machines = Machines::new().await;
        let storage = Recorder::default();
        let mut machine = Machine::start(&machines, &pipeline(), &storage).await;
        machines.clock.advance(Duration::from_secs(1));
        machine.work().await;
        let instant = MIDNIGHT + SECOND;
        let mut history = machines.history();
        history.record("rates", instant).expect("a history");
        // The next scan finds the run.
        machines.clock.advance(Duration::from_secs(5));
        machine.work().await;
        let has_task = || storage.keys().contains(&format!("report:{instant}"));
        assert!(!has_task());
        if is_claimed {
            let claim = history.claim("report", instant, "another", Duration::from_hours(1));
            assert!(matches!(claim, Ok(ClaimOutcome::Granted(_))));
            for _ in 0..40 {
                machines.clock.advance(millis(250));
                machine.work().await;
            }
            assert!(!has_task());
        } else {
            let time = advance_until(&machines.clock, &mut machine, has_task).await;
            assert_eq!(time, millis(1000));
        }
    }
}

async fn fail(_: Run<u32>) -> Result<(), BoxDynError> {
    Err("told to fail".into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_fails_on_a_slower_machine_has_its_task() {
    let machines = Machines::new().await;
    let storage = Recorder::giving();
    let [mut first, mut second] = two_machines(&machines, &storage).await;
    machines.clock.advance(Duration::from_secs(1));
    first.work().await;
    assert!(has_task(&storage, 2));
    // This storage hands the task out only once.
    let worker =
        WorkerBuilder::new("worker").backend(second.source.pipe_to(storage.clone())).build(fail);
    let worker = tokio::spawn(async move { worker.run().await });
    soon(eventually(|| second.history.count(Call::Release) == 1)).await;
    worker.abort();
    for event in 3..=20 {
        machines.clock.advance(Duration::from_secs(1));
        first.work().await;
        record_load(&machines, event);
        second.work().await;
    }
    assert_eq!([first.stats(), second.stats()], [(20, 0), (0, 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_duplicates_do_not_make_a_machine_slower() {
    // The task waits while the machine is started again, or its answer is lost.
    for is_restarted in [true, false] {
        let machines = Machines::new().await;
        let lost = (!is_restarted).then_some(Answer::TakeAndFail);
        let storage = Recorder::answering(lost);
        let mut machine = Machine::start(&machines, &pipeline(), &storage).await;
        machines.clock.advance(Duration::from_secs(1));
        if is_restarted {
            machine.work().await;
            machine = Machine::start(&machines, &pipeline(), &storage).await;
        } else {
            soon(eventually(|| machine.source.stats().waiting > 0)).await;
            let is_complete = machine.source.push_due(&mut machine.storage).await;
            assert!(!is_complete.expect("a storage that remembers keys"));
        }
        assert!(has_task(&storage, 1));
        for event in 2..=4 {
            machines.clock.advance(Duration::from_secs(1));
            machine.work().await;
            assert!(has_task(&storage, event), "restarted: {is_restarted}, event {event}");
        }
        assert_eq!(machine.stats(), (3, 1));
    }
}
