//! A source of tasks from stored schedules, and the server with them.

use std::thread;

use apalis_core::worker::builder::WorkerBuilder;
use apalis_postgres::{PgPool, PostgresStorage};
use millicron_apalis::stored::{Schedules, StoredSchedule};
use millicron_apalis::{Run, Source};
use millicron_test_support::servers::PostgresServer;
use tokio::runtime::{Builder, Runtime};

use crate::late::Late;

/// How many schedules there are. Each is due every ten seconds.
const SCHEDULES: usize = 1000;

pub(crate) struct Server {
    pub(crate) url: String,
    _server: PostgresServer,
}

impl Server {
    pub(crate) fn start() -> Self {
        let server = PostgresServer::start_with(&[]).expect("an installed server");
        let url = server.new_database();
        runtime().block_on(fill(&url));
        Self { url, _server: server }
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads")
}

async fn fill(url: &str) {
    let pool = PgPool::connect(url).await.expect("a database");
    PostgresStorage::setup(&pool).await.expect("the tables of tasks");
    let schedules = Schedules::open(&pool).await.expect("the table of schedules");
    let rows: Vec<_> = (0..SCHEDULES)
        .map(|number| {
            let text = format!("*:*:{}-59/10.{}", number % 10, number);
            StoredSchedule::new(format!("schedule {number}"), text).payload(7)
        })
        .collect();
    schedules.put_all(&pool, &rows).await.expect("schedules");
}

/// Pushes tasks and starts them, until nobody reads how late they are.
pub(crate) fn run(url: &str) {
    let late = Late::default();
    let printed = late.clone();
    thread::spawn(move || {
        printed.print();
        std::process::exit(0);
    });
    runtime().block_on(work(url, late));
}

async fn work(url: &str, late: Late) {
    let pool = PgPool::connect(url).await.expect("a database");
    let schedules = Schedules::open(&pool).await.expect("the table of schedules");
    let source = Source::builder().stored(&schedules).build().expect("a source");
    let storage = PostgresStorage::<Run<u32>>::new(&pool);
    let worker =
        WorkerBuilder::new("soak").backend(source.pipe_to(storage)).build(move |run: Run<u32>| {
            let lateness = run.scheduled_time().elapsed();
            late.add(lateness.unwrap_or_default());
            async {}
        });
    worker.run().await.expect("a storage that works");
}
