//! How workers of pipelines use their claims.

use std::time::Duration;

use millicron::schedule;
use millicron_apalis::{PipelineSource, PipelineSourceBuilder};
use millicron_pipeline::{Claims as _, Pipeline};

use crate::pipeline::{Handler, Machines, SECOND, eventually, next, work};
use crate::support::history::{Behavior, Call, Faults, FaultyHistory};
use crate::support::{MIDNIGHT, soon};

/// Returns the settings of a source for one job.
fn faulty(machines: &Machines) -> (PipelineSourceBuilder<u32, FaultyHistory>, Faults) {
    let builder = Pipeline::builder().since(MIDNIGHT + SECOND);
    let pipeline = builder.job("load", schedule!("*:*:*/10"), []).build().expect("a pipeline");
    let (history, faults) = FaultyHistory::new(machines.history());
    let builder = PipelineSource::builder(pipeline, history, |_| 0);
    (builder.clock(machines.clock.clone()), faults)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claim_is_given_back_if_its_task_was_dropped_meanwhile() {
    let machines = Machines::new().await;
    let (builder, faults) = faulty(&machines);
    let source = builder.start().expect("a thread");
    let (handler, mut runs) = Handler::new();
    let worker = work(&machines, &source, &handler, "worker");
    faults.set(Behavior::Hang(Call::Claim));
    machines.clock.advance(Duration::from_secs(10));
    eventually(|| faults.count(Call::Claim) == 1).await;
    worker.abort();
    assert!(worker.await.is_err());
    faults.set(Behavior::Work);
    // The request that releases the claim follows the first of these scans.
    source.refresh().await;
    source.refresh().await;
    assert!(machines.history().started_runs().expect("a history").is_empty());
    assert!(runs.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handler_is_dropped_if_its_claim_cannot_be_renewed() {
    tokio::join!(lose_claim(Behavior::Fail(Call::Renew)), lose_claim(Behavior::Hang(Call::Renew)),);
}

async fn lose_claim(behavior: Behavior) {
    let machines = Machines::new().await;
    let (builder, faults) = faulty(&machines);
    // Long enough for a slow machine to start the handler.
    let source = builder.lease(Duration::from_millis(1500)).start().expect("a thread");
    let (handler, mut runs) = Handler::new();
    handler.hanging.lock().expect("no panic").insert("load".to_string());
    let mut ends = handler.ends();
    faults.set(behavior);
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    assert_eq!(soon(next(&mut runs, 1)).await, ["load 10"]);
    soon(ends.recv()).await.expect("the handler is dropped");
    faults.set(Behavior::Work);
    worker.abort();
    assert!(worker.await.is_err());
    source.refresh().await;
    source.refresh().await;
    assert!(machines.history().started_runs().expect("a history").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_is_run_again_replaces_the_handler_at_work() {
    let machines = Machines::new().await;
    let (builder, faults) = faulty(&machines);
    let source = builder.lease(Duration::from_hours(1)).start().expect("a thread");
    let (handler, mut runs) = Handler::new();
    handler.hanging.lock().expect("no panic").insert("load".to_string());
    let mut ends = handler.ends();
    let worker = work(&machines, &source, &handler, "worker");
    machines.clock.advance(Duration::from_secs(10));
    assert_eq!(next(&mut runs, 1).await, ["load 10"]);
    let run = MIDNIGHT + 10 * SECOND;
    for replaced in 1..=2 {
        machines.clock.advance(Duration::from_secs(1));
        source.run_again("load", run..=run).await.expect("a history");
        soon(ends.recv()).await.expect("the earlier handler is dropped");
        assert_eq!(soon(next(&mut runs, 1)).await, ["load 10"]);
        // The dropped handler releases its own claim, not the later one.
        soon(eventually(|| faults.count(Call::Release) == replaced)).await;
    }
    worker.abort();
    assert!(worker.await.is_err());
}
