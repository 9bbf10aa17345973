//! The cost of ten thousand schedules that are due once a day.

use std::any::Any;
use std::time::Duration;

use apalis_core::worker::builder::WorkerBuilder;
use apalis_cron::{CronScheduler, Tick};
use millicron::Schedule;
use millicron_apalis::{Run, Source};
use millicron_benches::cpu::Usage;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::Scheduler;
use tokio::runtime::{Builder, Runtime};
use tokio_cron_scheduler::JobScheduler;

use crate::storages::{Kind, Servers, Store, with_storage};

const SCHEDULES: u32 = 10_000;

/// How long to measure the CPU time.
const SPAN: Duration = Duration::from_secs(15);

/// How long to wait until the schedules have started.
const SETTLING: Duration = Duration::from_secs(1);

pub(crate) fn table(servers: &Servers) -> Table {
    let headers = ["", "bytes for each schedule", "CPU, % of a core (`millicron-apalis` ≤ 0.5)"];
    let mut table = Table::new("10,000 schedules that are due once a day", &headers);
    for kind in [Kind::Memory, Kind::Postgres] {
        let Some(place) = servers.place(kind) else { continue };
        let runtime = current_thread();
        let store = runtime.block_on(place.open());
        let name = format!("a source, `pipe_to` {}", kind.name());
        add_row(&mut table, &name, Bound::AtMost(0.5), runtime, |_| piped(&store));
    }
    add_row(&mut table, "millicron-scheduler", Bound::None, current_thread(), |_| scheduler());
    add_row(&mut table, "apalis-cron, a worker each", Bound::None, current_thread(), |_| {
        apalis_cron();
        Box::new(())
    });
    add_row(&mut table, "tokio-cron-scheduler", Bound::None, current_thread(), |runtime| {
        runtime.block_on(tokio_cron_scheduler())
    });
    table
}

/// Returns a runtime that runs everything on this thread, where allocations are counted.
fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("the runtime starts")
}

fn add_row(
    table: &mut Table,
    name: &str,
    bound: Bound,
    runtime: Runtime,
    start: impl FnOnce(&Runtime) -> Box<dyn Any>,
) {
    let mut running: Option<Box<dyn Any>> = None;
    let memory = allocation_counter::measure(|| {
        let guard = runtime.enter();
        running = Some(start(&runtime));
        drop(guard);
        runtime.block_on(async { tokio::time::sleep(SETTLING).await });
    });
    let usage = Usage::start();
    runtime.block_on(async { tokio::time::sleep(SPAN).await });
    let percent = usage.percent();
    drop(running);
    runtime.shutdown_background();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let bytes = memory.bytes_current as f64 / f64::from(SCHEDULES);
    table.row(name).figure(bytes.round(), Bound::None).figure(percent, bound);
}

/// Returns the instants of the schedules, evenly spread over the day: hours, minutes and seconds.
fn times() -> impl Iterator<Item = (u32, u32, u32)> {
    let seconds = (0..SCHEDULES).map(|index| index * 86_400 / SCHEDULES);
    seconds.map(|second| (second / 3600, second / 60 % 60, second % 60))
}

fn piped(store: &Store) -> Box<dyn Any> {
    let mut builder = Source::builder();
    for (index, (hour, minute, second)) in times().enumerate() {
        let schedule: Schedule =
            format!("{hour}:{minute:02}:{second:02}").parse().expect("a valid schedule");
        builder = builder.add(format!("job {index}"), schedule, ());
    }
    let source = builder.build().expect("a source");
    with_storage!(store, |storage| {
        let worker = WorkerBuilder::new("worker")
            .backend(source.pipe_to(storage))
            .build(|_: Run<()>| async {});
        drop(tokio::spawn(worker.run()));
    });
    Box::new(source)
}

fn scheduler() -> Box<dyn Any> {
    let scheduler = Scheduler::builder().start().expect("the scheduler starts");
    for (hour, minute, second) in times() {
        let schedule: Schedule =
            format!("{hour}:{minute:02}:{second:02}").parse().expect("a valid schedule");
        drop(scheduler.add(schedule, |_| {}).expect("the job is added"));
    }
    Box::new(scheduler)
}

fn apalis_cron() {
    for (index, (hour, minute, second)) in times().enumerate() {
        let schedule: cron::Schedule =
            format!("{second} {minute} {hour} * * *").parse().expect("a valid schedule");
        let worker = WorkerBuilder::new(format!("worker {index}"))
            .backend(CronScheduler::new(schedule))
            .build(|_: Tick| async {});
        drop(tokio::spawn(worker.run()));
    }
}

async fn tokio_cron_scheduler() -> Box<dyn Any> {
    let scheduler = JobScheduler::new().await.expect("the scheduler is created");
    for (hour, minute, second) in times() {
        let text = format!("{second} {minute} {hour} * * *");
        let job = tokio_cron_scheduler::Job::new(text.as_str(), |_, _| {});
        scheduler.add(job.expect("the job is valid")).await.expect("the job is added");
    }
    scheduler.start().await.expect("the scheduler starts");
    Box::new(scheduler)
}
