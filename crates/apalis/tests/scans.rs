//! How a source scans the history of its pipeline.

use std::collections::BTreeSet;
use std::time::Duration;

use millicron::schedule;
use millicron_apalis::{PipelineSource, PipelineSourceBuilder};
use millicron_pipeline::{ClaimOutcome, Claims as _, History as _, Need, Pipeline, RunState};

use crate::pipeline::{Handler, Machines, SECOND, eventually, next, work};
use crate::support::history::{Behavior, Call, Faults, FaultyHistory};
use crate::support::{MIDNIGHT, soon};

/// Returns the settings of a source for a job `report`, whose runs wait for those of `rates`, which
/// something else runs.
fn waiting(machines: &Machines) -> (PipelineSourceBuilder<u32, FaultyHistory>, Faults) {
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let builder = builder
        .job("load", schedule!("*:00:00"), [])
        .job("rates", schedule!("*:*:*"), [])
        .job("report", schedule!("*:*:*"), [Need::last("rates")]);
    let pipeline = builder.build().expect("a pipeline");
    let (history, faults) = FaultyHistory::new(machines.history());
    let builder = PipelineSource::builder(pipeline, history, |_| 0);
    (builder.external("rates").clock(machines.clock.clone()), faults)
}

/// Records runs as another program does.
fn record(machines: &Machines, job: &str, instants: impl Iterator<Item = i64>) {
    let runs: Vec<_> = instants.map(|at| (job, at, RunState::Succeeded.into())).collect();
    machines.history().record_runs(&runs).expect("a history");
}

/// Pushes what is due, and returns the instants of a job's tasks.
async fn pushed(machines: &Machines, source: &PipelineSource<u32>, job: &str) -> BTreeSet<i64> {
    let mut storage = machines.file.storage();
    assert!(source.push_due(&mut storage).await.expect("a storage that remembers keys"));
    let keys = machines.file.keys().await;
    let instant = |key: &String| key.strip_prefix(&format!("{job}:"))?.parse().ok();
    keys.iter().filter_map(instant).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_scan_pushes_all_runs_that_another_program_has_unlocked() {
    let machines = Machines::new().await;
    let source = waiting(&machines).0.start().expect("a thread");
    let all = || (1..=5000).map(|second| MIDNIGHT + second * SECOND);
    machines.clock.advance(Duration::from_secs(5000));
    source.refresh().await;
    assert_eq!(pushed(&machines, &source, "report").await, BTreeSet::new());
    record(&machines, "rates", all());
    source.refresh().await;
    assert_eq!(pushed(&machines, &source, "report").await, all().collect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scan_finds_the_open_runs_among_many_records() {
    let machines = Machines::new().await;
    machines.clock.advance(Duration::from_secs(4000));
    let all = || (1..=4000).map(|second| MIDNIGHT + second * SECOND);
    record(&machines, "rates", all());
    // Of the first half, most runs have ended; of the second, few.
    let has_ended = |at: &i64| {
        let second = (at - MIDNIGHT) / SECOND;
        if second <= 2000 { second % 9 != 0 } else { second % 9 == 0 }
    };
    record(&machines, "report", all().filter(has_ended));
    // These belong to an earlier schedule.
    record(&machines, "report", all().take(1000).map(|at| at + SECOND / 2));
    let source = waiting(&machines).0.start().expect("a thread");
    source.refresh().await;
    let open = all().filter(|at| !has_ended(at)).collect();
    assert_eq!(pushed(&machines, &source, "report").await, open);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_are_renewed_and_tasks_start_during_a_scan() {
    let machines = Machines::new().await;
    let (builder, faults) = waiting(&machines);
    // In between, the history is read more than once.
    let source = builder.lease(Duration::from_secs(4)).start().expect("a thread");
    let (handler, mut runs) = Handler::new();
    handler.hanging.lock().expect("no panic").insert("load".to_string());
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_hours(1));
    source.refresh().await;
    assert_eq!(next(&mut runs, 1).await, ["load 3600"]);

    // Each of the 3,600 waiting runs is a call, so this scan takes more than a minute.
    faults.set(Behavior::Delay(Call::Read, Duration::from_millis(20)));
    let scan = tokio::spawn({
        let source = source.clone();
        async move { source.refresh().await }
    });
    let renewed = faults.count(Call::Renew);
    eventually(|| faults.count(Call::Renew) >= renewed + 2).await;
    // The run of another hour becomes due, is claimed, and starts.
    machines.clock.advance(Duration::from_hours(1));
    assert_eq!(next(&mut runs, 1).await, ["load 7200"]);
    assert!(!scan.is_finished(), "the scan still goes on");
    faults.set(Behavior::Work);
    scan.await.expect("no panic");
    worker.abort();
    assert!(worker.await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_ends_if_the_history_fails() {
    let machines = Machines::new().await;
    let (builder, faults) = waiting(&machines);
    let source = builder.start().expect("a thread");
    source.refresh().await;
    faults.set(Behavior::Fail(Call::Read));
    record(&machines, "rates", (1..=10).map(|second| MIDNIGHT + second * SECOND));
    machines.clock.advance(Duration::from_secs(10));
    source.refresh().await;
    assert_eq!(pushed(&machines, &source, "report").await, BTreeSet::new());
    faults.set(Behavior::Work);
    source.refresh().await;
    assert_eq!(pushed(&machines, &source, "report").await.len(), 10);
}

/// The scans are as frequent as before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scans_go_on_after_the_history_has_failed_for_hours() {
    let machines = Machines::new().await;
    let minute = schedule!("2026.11.21 00:00:*");
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND).job("rates", minute.clone(), []);
    let pipeline = builder.job("report", minute, [Need::last("rates")]).build();
    let (history, faults) = FaultyHistory::new(machines.history());
    let builder = PipelineSource::builder(pipeline.expect("a pipeline"), history, |_| 0);
    let builder = builder.external("rates").clock(machines.clock.clone());
    let source = builder.catch_up(Duration::from_hours(48)).start().expect("a thread");
    machines.clock.advance(Duration::from_mins(1));
    source.refresh().await;
    faults.set(Behavior::Fail(Call::Read));
    let reads = faults.count(Call::Read);
    machines.clock.advance(Duration::from_mins(1));
    eventually(|| faults.count(Call::Read) > reads).await;
    machines.clock.advance(Duration::from_hours(20));
    faults.set(Behavior::Work);
    // One scan finds the first half, and another one the second, in less time than the history has failed.
    for seconds in [1..=29, 30..=59] {
        let last = MIDNIGHT + seconds.end() * SECOND;
        record(&machines, "rates", seconds.map(|second| MIDNIGHT + second * SECOND));
        let mut minutes = 0..500;
        soon(async {
            while !pushed(&machines, &source, "report").await.contains(&last) {
                if minutes.next().is_some() {
                    machines.clock.advance(Duration::from_mins(1));
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_of_a_closed_source_ends() {
    let machines = Machines::new().await;
    let source = waiting(&machines).0.start().expect("a thread");
    source.close();
    source.refresh().await;
}

/// Returns the tasks of a job, apart from the first.
async fn further(machines: &Machines, source: &PipelineSource<u32>, job: &str) -> Vec<String> {
    let mut storage = machines.file.storage();
    assert!(source.push_due(&mut storage).await.expect("a storage that remembers keys"));
    let mut keys = machines.file.keys().await;
    keys.retain(|key| key.starts_with(job) && key.matches(':').count() == 2);
    keys.sort_by_key(String::len);
    keys
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_becomes_another_task_whenever_a_claim_of_it_has_expired() {
    let machines = Machines::new().await;
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let source = || {
        let builder = PipelineSource::builder(pipeline.clone(), machines.history(), |_| 0);
        // The time without a claim, which the clock measures, plays no part.
        let builder = builder.push_again_after(Duration::from_hours(1));
        builder.clock(machines.clock.clone()).start().expect("a thread")
    };
    let sources = [source(), source()];
    machines.clock.advance(Duration::from_secs(10));
    let mut expected = Vec::new();
    for _ in 0..4 {
        for source in &sources {
            source.refresh().await;
            source.refresh().await;
            assert_eq!(further(&machines, source, "load").await, expected);
        }
        // A worker gets the task, claims the run, and is killed.
        let mut history = machines.history();
        let instant = MIDNIGHT + 10 * SECOND;
        let claim = history.claim("load", instant, "a dead worker", Duration::from_millis(1));
        let Ok(ClaimOutcome::Granted(claim)) = claim else { panic!("the run is free: {claim:?}") };
        eventually(|| history.started_runs().expect("a history")[0].has_expired).await;
        expected.push(format!("load:{instant}:-{}", claim.token));
    }
    // A source that starts later, such as that of a program that was killed, makes the same task.
    let later = source();
    later.refresh().await;
    assert_eq!(further(&machines, &later, "load").await.len(), expected.len());
}
