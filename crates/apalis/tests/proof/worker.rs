//! The work of each process, and the expected results.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, process};

use apalis_core::backend::ext::BackendExt as _;
use apalis_core::monitor::Monitor;
use apalis_core::task::task_id::TaskId;
use apalis_core::worker::builder::WorkerBuilder;
use apalis_postgres::PostgresStorage;
use apalis_redis::RedisStorage;
use apalis_sqlite::SqliteStorage;
use millicron::{IntoRecurrence as _, Recurrence, every, schedule};
use millicron_apalis::stored::Schedules;
use millicron_apalis::{Missed, PipelineSource, Run, Source};
use millicron_pipeline::{Claims, Need, Pipeline, PostgresHistory, SqliteHistory};

use crate::storage::{self, Kind, QUEUE};
use crate::stored;

/// The work of the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Ten schedules.
    Events,
    /// A pipeline of twenty jobs.
    Pipeline,
    /// Schedules in a database.
    Stored,
    /// Changes of the schedules in a database.
    Changes,
}

impl Work {
    const fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Pipeline => "pipeline",
            Self::Stored => "stored",
            Self::Changes => "changes",
        }
    }

    fn of(name: &str) -> Self {
        let works = [Self::Events, Self::Pipeline, Self::Stored, Self::Changes];
        works.into_iter().find(|work| work.name() == name).expect("the name of a work")
    }

    /// Returns how long a run takes.
    fn duration(self, payload: u32) -> Duration {
        match self {
            Self::Events | Self::Pipeline => Duration::from_millis(payload.into()),
            // There, the payload is that of a version.
            Self::Stored | Self::Changes => Duration::ZERO,
        }
    }
}

/// The milliseconds between the events of the ten schedules.
const STEPS: [i64; 10] = [100, 150, 200, 250, 300, 500, 750, 1000, 1500, 2000];

/// The number of jobs of the pipeline, and the milliseconds between their events.
const JOBS: usize = 20;
const PIPELINE_STEP: i64 = 2000;

/// Returns the names of the jobs that a job of the pipeline needs. In each row of four jobs, the
/// first needs all jobs of the previous row, and the others need one or two.
pub(crate) fn needs(job: &str) -> Vec<String> {
    let index: usize = job.strip_prefix("job").and_then(|job| job.parse().ok()).expect("a job");
    let (row, column) = (index / 4, index % 4);
    let above: Vec<_> = match (row, column) {
        (0, _) => Vec::new(),
        (_, 0) => (0..4).collect(),
        (_, 3) => vec![3],
        (_, column) => vec![column, column + 1],
    };
    above.into_iter().map(|above| format!("job{}", (row - 1) * 4 + above)).collect()
}

/// Returns the keys of all events in a range of instants.
pub(crate) fn expected(work: Work, first: i64, last: i64) -> Vec<String> {
    let keys = |job: &str, step: i64| {
        let first = (first + step - 1) / step * step;
        let keys = (first..=last).step_by(usize::try_from(step).expect("a positive step"));
        keys.map(|instant| format!("{job}:{instant}")).collect::<Vec<_>>()
    };
    match work {
        Work::Events => {
            STEPS.iter().flat_map(|step| keys(&format!("every{step}"), *step)).collect()
        }
        Work::Pipeline => {
            (0..JOBS).flat_map(|job| keys(&format!("job{job}"), PIPELINE_STEP)).collect()
        }
        Work::Stored | Work::Changes => unreachable!("it depends on the changes"),
    }
}

/// Returns the milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a year after 1970");
    i64::try_from(since.as_millis()).expect("a year before 292 million")
}

/// The settings of a process, as environment variables.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) kind: Kind,
    pub(crate) work: Work,
    pub(crate) url: String,
    /// The first instant of the events, in milliseconds.
    pub(crate) first: i64,
    /// For random changes.
    pub(crate) seed: u64,
    /// A directory for the log, and the history of a pipeline.
    pub(crate) directory: PathBuf,
}

const SETTINGS: &str = "MILLICRON_TEST_PROOF";

impl Settings {
    /// Returns the environment variable of a process.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        let Self { kind, work, url, first, seed, directory } = self;
        let (kind, work, directory) = (kind.name(), work.name(), directory.display());
        (SETTINGS, format!("{kind}\n{work}\n{url}\n{first}\n{seed}\n{directory}"))
    }

    fn read() -> Option<Self> {
        let settings = env::var(SETTINGS).ok()?;
        let mut lines = settings.lines();
        let mut next = || lines.next().expect("six lines");
        Some(Self {
            kind: Kind::of(next()),
            work: Work::of(next()),
            url: next().to_owned(),
            first: next().parse().expect("an instant"),
            seed: next().parse().expect("a seed"),
            directory: next().into(),
        })
    }
}

/// Works until it is killed.
pub(crate) fn run_if_child() {
    if let Some(settings) = Settings::read() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(run(&settings));
    }
}

/// Appends a line to the log, in a single write. No line crosses the border of two pages of the file: a process that is
/// killed between them would write half of it.
pub(crate) fn log(path: &Path, line: &str) {
    let mut log = File::options().append(true).create(true).open(path).expect("a log");
    log.write_all(format!("{line:<127}\n").as_bytes()).expect("a writable log");
}

/// Runs a worker on a storage, and restarts it whenever the storage fails.
macro_rules! run_worker {
    ($source:expr, $storage:expr, $settings:expr) => {{
        let (source, storage, work) = ($source, $storage, $settings.work);
        let path = $settings.directory.join("log");
        let monitor = Monitor::new().should_restart(|_, _| true).register(move |restarts| {
            // Retries and the tasks of dead workers do not wake this worker, so it polls for them.
            let storage = storage.clone().poll_with_interval(Duration::from_millis(500));
            let path = path.clone();
            WorkerBuilder::new(format!("worker-{}-{restarts}", process::id()))
                .backend(source.pipe_to(storage))
                .build(move |run: Run<u32>, task: TaskId| {
                    let path = path.clone();
                    async move {
                        let (key, lateness) = (run.key(), now() - run.scheduled);
                        log(&path, &format!("start {key} {task} {lateness}"));
                        tokio::time::sleep(work.duration(run.payload)).await;
                        log(&path, &format!("end {key}"));
                    }
                })
        });
        monitor.run().await.expect("a monitor that restarts its workers");
    }};
}

macro_rules! run_source {
    ($settings:expr, $source:expr) => {{
        let heartbeat = Duration::from_secs(1);
        match $settings.kind {
            Kind::Postgres => {
                let config = apalis_postgres::Config::default().queue(QUEUE);
                let config = config.missed_heartbeats(3).heartbeat_interval(heartbeat);
                let pool = storage::postgres(&$settings.url).await;
                run_worker!($source, PostgresStorage::new(&pool).with_config(config), $settings);
            }
            Kind::Sqlite => {
                let config = apalis_sqlite::Config::default().queue(QUEUE);
                let config = config.missed_heartbeats(3).heartbeat_interval(heartbeat);
                let pool = storage::sqlite(&$settings.url).await;
                run_worker!($source, SqliteStorage::new(&pool).with_config(config), $settings);
            }
            Kind::Redis => {
                let config = storage::redis_config();
                let config = config.missed_heartbeats(3).heartbeat_interval(heartbeat);
                let connection = storage::redis(&$settings.url).await;
                run_worker!($source, RedisStorage::new(connection).with_config(config), $settings);
            }
        }
    }};
}

async fn run(settings: &Settings) {
    match settings.work {
        Work::Events => run_source!(settings, source(settings.first)),
        Work::Pipeline => run_source!(settings, pipeline(settings)),
        Work::Stored => run_source!(settings, stored_source(settings).await),
        Work::Changes => stored::change(settings).await,
    }
}

fn source(first: i64) -> Source<u32> {
    let mut source = Source::builder()
        .missed(Missed::All { max: usize::MAX })
        // `Since` limits it, too.
        .catch_up(Duration::from_mins(10))
        // A process that is killed has already pushed its next events.
        .ahead(Duration::from_secs(1));
    for step in STEPS {
        let recurrence = every(u32::try_from(step).expect("a step"))
            .milliseconds()
            .from(0)
            .into_recurrence(0)
            .expect("a step");
        let since = Since { first, recurrence };
        source = source.add(format!("every{step}"), since, 0);
    }
    source.build().expect("a source")
}

async fn stored_source(settings: &Settings) -> Source<u32> {
    let source = Source::builder();
    let source = match settings.kind {
        Kind::Postgres => {
            let pool = storage::postgres(&settings.url).await;
            source.stored(&storage::retry(async || Schedules::open(&pool).await).await)
        }
        Kind::Sqlite => {
            let pool = storage::sqlite(&settings.url).await;
            source.stored(&Schedules::open(&pool).await.expect("the table of schedules"))
        }
        Kind::Redis => unreachable!("Redis has no tables"),
    };
    source.build().expect("a source")
}

fn pipeline(settings: &Settings) -> PipelineSource<u32> {
    let mut pipeline = Pipeline::builder().since(settings.first);
    for job in (0..JOBS).map(|job| format!("job{job}")) {
        let needs = needs(&job);
        let needs = needs.iter().map(|need| Need::last(need));
        pipeline = pipeline.job(&job, schedule!("*:*:*/2"), needs);
    }
    let pipeline = pipeline.build().expect("a pipeline");
    if settings.kind == Kind::Postgres {
        let connect = || PostgresHistory::connect(&settings.url);
        return start(pipeline, storage::retry_blocking(connect));
    }
    let history = settings.directory.join("history");
    start(pipeline, SqliteHistory::open(history).expect("a history"))
}

fn start(pipeline: Pipeline, history: impl Claims + Send + 'static) -> PipelineSource<u32> {
    PipelineSource::builder(pipeline, history, |_| 20)
        .lease(Duration::from_secs(3))
        .push_again_after(Duration::from_secs(5))
        .refresh_every(Duration::from_millis(500))
        .start()
        .expect("a thread")
}

/// The events of a recurrence from an instant on.
struct Since<R> {
    first: i64,
    recurrence: R,
}

impl<R: Recurrence> Recurrence for Since<R> {
    fn next_event(&self, instant: i64) -> Option<i64> {
        self.recurrence.next_event(instant.max(self.first - 1))
    }

    fn nearest_prev_event(&self, instant: i64) -> Option<i64> {
        self.recurrence.nearest_prev_event(instant).filter(|event| *event >= self.first)
    }
}
