//! How each scheduler runs jobs at every full second.

use std::any::Any;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clokwerk::TimeUnits as _;
use millicron::schedule;
use millicron_scheduler::{Job, Workers};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, interval_at};
use tokio_cron_scheduler::JobScheduler;
use tokio_util::time::DelayQueue;

use crate::burst::{Starts, next_second};
use crate::start;

/// The number of threads of every pool and runtime.
const THREADS: usize = 2;

const SECOND: Duration = Duration::from_secs(1);

fn runtime() -> Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_time().build();
    runtime.expect("the runtime starts")
}

pub(crate) fn closures(starts: &Arc<Starts>) -> Box<dyn Any> {
    let scheduler = start(Workers::Pool(THREADS));
    for job in starts.jobs() {
        let starts = Arc::clone(starts);
        let added = scheduler.add(schedule!("*:*:*"), move |_| starts.record(job));
        drop(added.expect("the job is added"));
    }
    Box::new(scheduler)
}

pub(crate) fn futures(starts: &Arc<Starts>) -> Box<dyn Any> {
    let (scheduler, runtime) = (start(Workers::Pool(THREADS)), runtime());
    for job in starts.jobs() {
        let starts = Arc::clone(starts);
        let job = Job::future(runtime.handle(), move |_| {
            let starts = Arc::clone(&starts);
            async move { starts.record(job) }
        });
        drop(scheduler.add_job(schedule!("*:*:*"), job).expect("the job is added"));
    }
    Box::new((scheduler, runtime))
}

pub(crate) fn delay_queue_of_closures(starts: &Arc<Starts>) -> Box<dyn Any> {
    delay_queue(starts, |starts, job| Box::new(move || starts.record(job)))
}

pub(crate) fn delay_queue_of_futures(starts: &Arc<Starts>) -> Box<dyn Any> {
    delay_queue(starts, |starts, job| {
        Box::new(move || {
            let starts = Arc::clone(&starts);
            drop(tokio::spawn(async move { starts.record(job) }));
        })
    })
}

/// An entry of a queue.
type Entry = Box<dyn Fn() + Send>;

/// Runs one task that owns a queue, calls each entry that expires, and inserts it again.
fn delay_queue(starts: &Arc<Starts>, entry: fn(Arc<Starts>, usize) -> Entry) -> Box<dyn Any> {
    let (runtime, starts) = (runtime(), Arc::clone(starts));
    let run = async move {
        let first = tokio_instant(next_second());
        let mut queue = DelayQueue::new();
        for job in starts.jobs() {
            queue.insert_at(entry(Arc::clone(&starts), job), first);
        }
        while let Some(expired) = poll_fn(|context| queue.poll_expired(context)).await {
            let next = expired.deadline() + SECOND;
            let entry = expired.into_inner();
            entry();
            queue.insert_at(entry, next);
        }
    };
    drop(runtime.spawn(run));
    Box::new(runtime)
}

/// Runs a task for each job.
pub(crate) fn intervals(starts: &Arc<Starts>) -> Box<dyn Any> {
    let runtime = runtime();
    let first = tokio_instant(next_second());
    for job in starts.jobs() {
        let starts = Arc::clone(starts);
        let run = async move {
            let mut interval = interval_at(first, SECOND);
            loop {
                interval.tick().await;
                starts.record(job);
            }
        };
        drop(runtime.spawn(run));
    }
    Box::new(runtime)
}

/// Runs all jobs on one thread, which looks for due jobs every 10 ms: ten times as often as in the
/// examples of `clokwerk`.
pub(crate) fn clokwerk(starts: &Arc<Starts>) -> Box<dyn Any> {
    let mut scheduler = clokwerk::Scheduler::with_tz(chrono::Utc);
    for job in starts.jobs() {
        let starts = Arc::clone(starts);
        scheduler.every(1.seconds()).run(move || starts.record(job));
    }
    Box::new(scheduler.watch_thread(Duration::from_millis(10)))
}

/// The scheduler looks for due jobs every 500 ms, which cannot be changed.
pub(crate) fn tokio_cron_scheduler(starts: &Arc<Starts>) -> Box<dyn Any> {
    let runtime = runtime();
    let scheduler = runtime.block_on(async {
        let scheduler = JobScheduler::new().await.expect("the scheduler is created");
        for job in starts.jobs() {
            let starts = Arc::clone(starts);
            let run = move |_, _| starts.record(job);
            let job = tokio_cron_scheduler::Job::new("* * * * * *", run).expect("the job is valid");
            scheduler.add(job).await.expect("the job is added");
        }
        scheduler.start().await.expect("the scheduler starts");
        scheduler
    });
    Box::new((scheduler, runtime))
}

fn tokio_instant(instant: SystemTime) -> Instant {
    Instant::now() + instant.duration_since(SystemTime::now()).unwrap_or_default()
}
