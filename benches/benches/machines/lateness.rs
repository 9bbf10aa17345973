//! How late tasks start, from their scheduled instant to the first line of their handler.

use std::any::Any;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use apalis_core::backend::ext::BackendExt as _;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_cron::{CronScheduler, Tick};
use millicron::schedule;
use millicron_apalis::{Run, Source};
use millicron_benches::lateness::Lateness;
use millicron_benches::rounds::median;
use millicron_benches::table::{Bound, Table};
use millicron_scheduler::Scheduler;
use tokio::runtime::Runtime;
use tokio_cron_scheduler::JobScheduler;

use crate::runtime;
use crate::starts::{Starts, millis};
use crate::storages::{Kind, Servers, Store, with_storage};

/// The time for everything to start before events count.
const LEAD: Duration = Duration::from_millis(500);

/// How long to record events that fire every second.
const SECONDS: i64 = 6;

/// The number of `tokio-cron-scheduler`s.
const PHASES: u32 = 5;

/// How events become tasks, and how workers find them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A worker on the source.
    Piped,
    /// The same, but tasks are pushed before their instant.
    Ahead,
    /// The source and the worker do not know each other, as on two machines.
    Interval,
    Default,
    /// The worker listens to the server.
    Listening,
    ApalisCron,
}

impl Way {
    const ALL: [Self; 6] = [
        Self::Piped,
        Self::Ahead,
        Self::Listening,
        Self::Interval,
        Self::Default,
        Self::ApalisCron,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Piped => "`pipe_to`",
            Self::Ahead => "`pipe_to`, `ahead` of 2 s",
            Self::Listening => "another machine: worker that listens",
            Self::Interval => "another machine: worker that polls every 100 ms",
            Self::Default => "another machine: worker without an interval",
            Self::ApalisCron => "apalis-cron, `pipe_to`",
        }
    }

    const fn is_possible(self, kind: Kind) -> bool {
        match self {
            Self::Piped | Self::Ahead | Self::ApalisCron => true,
            Self::Interval | Self::Default => !matches!(kind, Kind::Memory),
            Self::Listening => matches!(kind, Kind::Postgres),
        }
    }

    /// Returns how long to record events, in seconds, and how many there are in each second.
    const fn window(self) -> (i64, i64) {
        match self {
            Self::Piped | Self::Ahead | Self::Listening => (4, 20),
            Self::Interval => (3, 20),
            // The worker looks for tasks after each heartbeat, every 30 seconds.
            Self::Default => (28, 1),
            Self::ApalisCron => (SECONDS, 1),
        }
    }

    /// How long to wait for tasks after the last event.
    const fn patience(self) -> Duration {
        match self {
            Self::Default => Duration::from_secs(5),
            _ => Duration::from_millis(300),
        }
    }
}

pub(crate) fn table(servers: &Servers, rounds: usize) -> Table {
    let headers = ["storage", "", "events", "started, %", "p50, ms", "p99, ms"];
    let mut table = Table::new("Lateness of tasks with an empty queue", &headers);
    thread::scope(|scope| {
        // These take half a minute, but hardly load the machine.
        let defaults = servers.kinds().filter(|kind| Way::Default.is_possible(*kind));
        let defaults: Vec<_> = defaults
            .map(|kind| (kind, scope.spawn(move || measure(servers, kind, Way::Default))))
            .collect();
        let mut defaults = defaults.into_iter();
        for kind in servers.kinds() {
            let mut measured = Way::ALL.map(|_| Vec::new());
            for _ in 0..rounds {
                for (way, measured) in Way::ALL.into_iter().zip(&mut measured) {
                    if way != Way::Default && way.is_possible(kind) {
                        measured.push(measure(servers, kind, way));
                    }
                }
            }
            for (way, mut measured) in Way::ALL.into_iter().zip(measured) {
                if way == Way::Default && way.is_possible(kind) {
                    let (_, handle) = defaults.next().expect("one for each storage");
                    measured.push(handle.join().expect("no panic"));
                }
                let (seconds, each) = way.window();
                add_row(&mut table, kind.name(), way.name(), seconds * each, &measured);
            }
        }
    });
    for (name, events, start) in SCHEDULERS {
        let measured: Vec<_> = (0..rounds).map(|_| measure_scheduler(*start)).collect();
        add_row(&mut table, "none", name, *events, &measured);
    }
    table
}

type Measured = (usize, Lateness);

fn add_row(table: &mut Table, storage: &str, name: &str, events: i64, measured: &[Measured]) {
    if measured.is_empty() {
        return;
    }
    let median_of = |of: fn(&Lateness) -> f64| {
        median(measured.iter().map(|(_, lateness)| of(lateness) / 1e3).collect())
    };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let started = measured.iter().map(|(count, _)| *count as f64 / events as f64 * 100.0);
    table
        .row(storage)
        .text(name)
        .text(&events.to_string())
        .figure(median(started.collect()), Bound::None)
        .figure(median_of(|lateness| lateness.p50), Bound::None)
        .figure(median_of(|lateness| lateness.p99), Bound::None);
}

fn measure(servers: &Servers, kind: Kind, way: Way) -> Measured {
    let place = servers.place(kind).expect("an installed server");
    runtime().block_on(async {
        let store = place.open().await;
        let (seconds, _) = way.window();
        let starts = Arc::new(Starts::after(LEAD, seconds));
        if way == Way::ApalisCron {
            start_cron(&store, &starts);
        } else {
            start_source(&store, way, &starts);
        }
        starts.wait(way.patience()).await;
        starts.lateness()
    })
}

/// Starts a worker, and a source in the worker or next to it.
fn start_source(store: &Store, way: Way, starts: &Arc<Starts>) {
    let ahead = if way == Way::Ahead { Duration::from_secs(2) } else { Duration::ZERO };
    let schedule = if way == Way::Default { schedule!("*:*:*") } else { schedule!("*:*:*.*/50") };
    let source = Source::builder()
        .ahead(ahead)
        .catch_up(Duration::ZERO)
        .add("tick", schedule, ())
        .build()
        .expect("a source");
    let starts = Arc::clone(starts);
    let handle = move |run: Run<()>| {
        starts.record(run.scheduled);
        async {}
    };
    macro_rules! work {
        ($backend:expr) => {{
            let worker = WorkerBuilder::new("worker").backend($backend).build(handle);
            drop(tokio::spawn(async move { worker.run().await.expect("no error") }));
        }};
    }
    macro_rules! push {
        ($storage:expr) => {{
            let storage = $storage;
            drop(tokio::spawn(async move { source.push_to(storage).await.expect("keys") }));
        }};
    }
    match (way, store) {
        (Way::Piped | Way::Ahead | Way::ApalisCron, _) => {
            with_storage!(store, |storage| work!(source.pipe_to(storage)));
        }
        (Way::Interval, _) => {
            let interval = Duration::from_millis(100);
            with_storage!(store, |storage| work!(storage.poll_with_interval(interval)));
            with_storage!(store, |storage| push!(storage));
        }
        (Way::Listening, Store::Postgres(pool)) => {
            work!(apalis_postgres::PostgresStorage::new(pool).with_pubsub());
            with_storage!(store, |storage| push!(storage));
        }
        (Way::Default | Way::Listening, _) => {
            with_storage!(store, |storage| work!(storage));
            with_storage!(store, |storage| push!(storage));
        }
    }
}

/// Starts a worker on apalis-cron.
fn start_cron(store: &Store, starts: &Arc<Starts>) {
    let starts = Arc::clone(starts);
    with_storage!(store, |storage| {
        let backend = cron().pipe_to(storage);
        let handle = move |tick: Tick| {
            starts.record(millis_of(tick));
            async {}
        };
        let worker = WorkerBuilder::new("worker").backend(backend).build(handle);
        drop(tokio::spawn(worker.run()));
    });
}

fn millis_of(tick: Tick) -> i64 {
    i64::try_from(tick.get_timestamp() * 1000).unwrap_or(i64::MAX)
}

fn cron() -> CronScheduler<cron::Schedule> {
    CronScheduler::new("* * * * * *".parse::<cron::Schedule>().expect("a valid schedule"))
}

/// Starts a scheduler without a storage, on a runtime.
type Start = fn(&Runtime, &Arc<Starts>) -> Box<dyn Any>;

/// The number of events in the window of [`measure_scheduler`].
const SCHEDULERS: &[(&str, i64, Start)] = &[
    ("millicron-scheduler", SECONDS * 20, millicron_scheduler),
    ("apalis-cron", SECONDS, apalis_cron),
    ("tokio-cron-scheduler", SECONDS * PHASES as i64, tokio_cron_scheduler),
];

fn millicron_scheduler(_: &Runtime, starts: &Arc<Starts>) -> Box<dyn Any> {
    let starts = Arc::clone(starts);
    let scheduler = Scheduler::builder().start().expect("the scheduler starts");
    let added =
        scheduler.add(schedule!("*:*:*.*/50"), move |run| starts.record(millis(run.scheduled())));
    drop(added.expect("the job is added"));
    Box::new(scheduler)
}

fn apalis_cron(runtime: &Runtime, starts: &Arc<Starts>) -> Box<dyn Any> {
    let starts = Arc::clone(starts);
    let handle = move |tick: Tick| {
        starts.record(millis_of(tick));
        async {}
    };
    let worker = WorkerBuilder::new("worker").backend(cron()).build(handle);
    drop(runtime.spawn(worker.run()));
    Box::new(())
}

/// Starts several schedulers: each looks for due jobs every 500 ms, counted from its start.
fn tokio_cron_scheduler(runtime: &Runtime, starts: &Arc<Starts>) -> Box<dyn Any> {
    let phases = 0..PHASES;
    let schedulers = phases.map(|_| {
        let starts = Arc::clone(starts);
        runtime.block_on(async {
            tokio::time::sleep(Duration::from_millis(500) / PHASES).await;
            let scheduler = JobScheduler::new().await.expect("the scheduler is created");
            let run = move |_, _| starts.record_second();
            let job = tokio_cron_scheduler::Job::new("* * * * * *", run).expect("the job is valid");
            scheduler.add(job).await.expect("the job is added");
            scheduler.start().await.expect("the scheduler starts");
            scheduler
        })
    });
    Box::new(schedulers.collect::<Vec<_>>())
}

fn measure_scheduler(start: Start) -> Measured {
    let runtime = runtime();
    let starts = Arc::new(Starts::after(LEAD * 2, SECONDS));
    let running = start(&runtime, &starts);
    runtime.block_on(starts.wait(LEAD));
    drop(running);
    starts.lateness()
}
