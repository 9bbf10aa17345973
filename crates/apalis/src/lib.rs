//! [`millicron`] schedules as tasks of [apalis](apalis_core): each event becomes one task, however many
//! machines run the same program.
//!
//! A [`Source`] has named jobs, each with a schedule, an interval or another
//! [`Recurrence`](millicron::Recurrence), and a payload. [`Source::pipe_to`] combines the source and a
//! storage into a worker's backend:
//!
//! ```
//! use apalis_core::backend::memory::MemoryStorage;
//! use apalis_core::worker::builder::WorkerBuilder;
//! use millicron::schedule;
//! use millicron_apalis::{Run, Source};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = Source::builder()
//!     .add("tick", schedule!("*:*:*.*/100"), "hello")
//!     .build()?;
//! let handle = {
//!     let source = source.clone();
//!     move |run: Run<&'static str>| {
//!         println!("{} at {}: {}", run.job, run.scheduled, run.payload);
//!         source.close();
//!         async {}
//!     }
//! };
//! let worker = WorkerBuilder::new("worker")
//!     .backend(source.pipe_to(MemoryStorage::new()))
//!     .build(handle);
//! worker.run().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Deployment
//!
//! Run the same program on each machine, with the same jobs and the same storage. There is no leader: each
//! machine pushes all events, and the storage refuses duplicates. Any machine may die at any time, and the
//! others continue. With a [table of schedules][stored] in a database, the machines agree there who pushes
//! an event, so that replicas cost next to nothing.
//!
//! - A worker on a source pushes the source's tasks, and handles all tasks in the storage. A machine without
//!   workers can [push only](Source::push_to). For a machine that only executes tasks, pipe a source without
//!   jobs, `Source::builder().build()`, to the storage. A worker on the storage alone also executes the
//!   tasks, but up to a second early, since storages keep instants in whole seconds.
//! - Give each worker a unique name, such as the host, the process and a number. Storages refuse to register
//!   a second worker with the same name, even for a while after the first one has died.
//! - To change a schedule, deploy the new program. While old and new programs are running, the events of both
//!   become tasks. If that would be wrong, give the changed job a new name.
//! - Tasks outlive a deployment. If the type of the payload changes, new programs must be able to decode the
//!   tasks of old ones, or use another queue: a task that cannot be decoded ends the worker.
//! - A new job starts with the events in its [catch-up window](SourceBuilder::catch_up), from before it
//!   existed. If you do not want that, deploy the job with a window of zero first.
//! - Polling: apalis's storages look for tasks when their worker is woken. A source wakes its worker at each
//!   event, so lateness does not depend on a polling interval. The worker looks [every
//!   second](SourceBuilder::poll_every) for retries and for the tasks of dead workers and other programs. You
//!   do not need `poll_with_interval`.
//!
//! # Guarantees
//!
//! - Each event becomes at most one task. Its idempotency key is [`Run::key`].
//! - Each event becomes at least one task, provided that a source can reach the storage within the catch-up
//!   window, and that the policy for [missed](SourceBuilder::missed) events does not skip the event. If the
//!   storage fails to take a task, the source retries with growing pauses of up to 30 s. When the window has
//!   passed, it gives up and [reports](Notice::Expired) that.
//! - Each task is executed at least once; the storage ensures this. Use the key to make jobs idempotent.
//! - A worker on a source never starts a task before its instant, by that machine's clock.
//!
//! What is not guaranteed: tasks may be executed in a different order than their events, two tasks of one job
//! may run at the same time, and a failing task is lost when the storage stops retrying it.
//!
//! # Outages
//!
//! When a source starts, it looks at the events in the catch-up window before its start, and handles those
//! outside the grace as missed. It does the same with events during which the machine slept, or the storage
//! was too slow or did not answer. [`Missed`] decides which of them become tasks. The storage refuses
//! duplicates. Events that fall due during a single push of up to 30 s, or 8 s with stored schedules, are not missed. If
//! there are several such pushes of stored schedules before a backlog is done, this holds for the longest. Otherwise,
//! machines that are too slow would never skip events, and never catch up.
//!
//! Each event in the window of a job with [`Missed::All`] takes a round trip at each start, since the storage
//! may already have its task. A job that fires every second, with a window of one hour, takes 3,600 round
//! trips.
//!
//! # Pushing ahead
//!
//! With [`SourceBuilder::ahead`], tasks are in the storage before their instant, so they start on time even
//! if every source has died in the meantime. Storages keep the instant in whole seconds, so a worker may get
//! a task early. It then keeps the task until its instant, and handles others in the meantime. It keeps up to
//! 1,000 such tasks, and fetches no more until one of them is due.
//!
//! # Clock skew
//!
//! | clock | effect |
//! | --- | --- |
//! | of a source, 5 s ahead | It pushes 5 s early, with the right instant: the storage hands the task out at that instant. The source's own worker then looks for the task [every second](SourceBuilder::poll_every), so it may start up to a second late. |
//! | of a source, 5 s behind | Other sources push first. Without others, tasks are pushed 5 s late. No event is missed: the source handles the same events, only later. |
//! | of a server (`PostgreSQL`), 5 s ahead | Workers get tasks that were pushed [ahead](SourceBuilder::ahead) early, and keep them until their instants. |
//! | of a server, 5 s behind | It hands tasks out 5 s late, plus up to the polling interval. |
//! | of a worker, 5 s ahead | With a storage that decides by its worker's clock (`SQLite`, Redis), tasks that were pushed [ahead](SourceBuilder::ahead) start 5 s early. |
//! | of a worker, 5 s behind | Its tasks start 5 s late. Other workers may get them first. |
//! | set back by up to 1 s | A source waits until the clock has caught up. |
//! | set back by more | The source assumes that the clock was wrong before, and restarts with the events in the catch-up window before the new time. The storage refuses events that are already tasks. |
//! | set forward | The events in between are handled as missed. |
//!
//! # Storages
//!
//! **`PostgreSQL`** refuses the whole batch if it contains a duplicate. The source then halves its batches
//! until each duplicate is alone, and doubles them again afterwards. Each duplicate is an error in the
//! server's log. With three replicas, two of three pushes are such errors, unless the machines agree in a
//! [table][stored]. For the runs of a [pipeline](#pipelines), there are few. Keys are unique within a queue: jobs
//! with the same name in two queues do not affect each other.
//!
//! A machine that hangs between its `INSERT` and its commit locks the keys of its batch, and other machines
//! that push the same keys wait for it. Limit this wait with a `lock_timeout` below the grace, and limit
//! queries that never end with a `statement_timeout`. A push that exceeds either timeout is repeated.
//!
//! ```no_run
//! use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
//!
//! # async fn connect() -> Result<(), sqlx::Error> {
//! let options: PgConnectOptions = "postgres://localhost/tasks".parse()?;
//! let options = options.options([("lock_timeout", "500ms"), ("statement_timeout", "10s")]);
//! let pool = PgPoolOptions::new().connect_with(options).await?;
//! # Ok(())
//! # }
//! ```
//!
//! **`SQLite`** ignores duplicates, so [`Stats::pushed`] counts them as well. `SqliteStorage::setup` sets
//! `synchronous = OFF`: tasks survive a crash of the process, but not necessarily a crash of the machine.
//!
//! **Redis**: set `idempotency_ttl` in `apalis_redis::Config` to more than the sum of the catch-up window,
//! the time that tasks are pushed [ahead](SourceBuilder::ahead), and the clock skew. Without it,
//! `apalis-redis` lets keys expire at once, and each machine would add its own task. Enable the feature
//! `redis`, so that a source refuses such a storage with [`PipeError::ForgetsKeys`]. [`Job::max_attempts`] has no effect: `apalis-redis` always allows 25 attempts.
//!
//! **`MemoryStorage`** is for tests. It never forgets a key.
//!
//! A worker whose handlers occupy all its slots is sent no more tasks. If the storage has fetched a batch by then, apalis
//! neither records the results of tasks nor sends heartbeats until all of the batch have started. If that may take
//! longer than the storage waits for heartbeats, set its `batch_size` to 1.
//!
//! Vacuuming a storage deletes the keys of completed tasks. Vacuum only tasks older than the catch-up window.
//! Otherwise, events in the window become tasks again at the next start.
//!
//! # Pipelines
//!
//! With the feature `pipeline`, [`PipelineSource`][pipeline] turns the runs of a
//! [`millicron-pipeline`](https://docs.rs/millicron-pipeline) into tasks once they are ready. Workers claim
//! each run, and record how it ended in a history that all machines share. So no run starts before the runs
//! that it needs have ended, and no run is executed by two workers at once. If a worker is killed, its runs
//! start on another machine after a lease of one minute, however long the storage waits for the dead worker.
//!
//! With a storage that reports duplicates (`PostgreSQL`), usually a single machine pushes the runs that are
//! ready when they are due: the first one. A machine whose tasks are duplicates is not the first. It then
//! leaves such runs to the other, and only looks at each refresh, every five seconds by default, for runs that
//! nobody has claimed. It pushes those that it still finds unclaimed a second later. If the storage takes
//! them, it is the first from then on. So if the first machine dies or hangs, the runs that are due meanwhile
//! become tasks after a refresh and a second at most, and later runs are on time. A run that becomes ready
//! because another one has ended is pushed by the machine that has recorded the end.
//!
//! Thus the server's log has a few duplicates when a machine starts or takes over, and otherwise none, with
//! these exceptions:
//!
//! - A push has failed although the server took the tasks, or a program is started again while its tasks wait. The
//!   same machine then pushes them once more.
//! - A task waits for a free worker, or for another attempt, for more than about a second. Each machine then
//!   pushes it once.
//! - Two runs end on two machines within milliseconds, and a third run needs both. Both machines push it.
//! - All jobs without needs are external. Only the runs of such jobs tell which machine is the first, so each
//!   machine pushes a run that is ready when it is due.
//!
//! # Storage failures
//!
//! A push that fails is retried and reported as [`Notice::PushFailed`], and does not end the worker. A
//! storage that cannot fetch or acknowledge tasks does: apalis's storages then end their worker with an
//! error. Its handlers are dropped wherever they are. Their tasks still belong to the worker until the
//! storage declares it dead and gives them to others: with the default settings, after five minutes
//! (`PostgreSQL`, Redis) or one (`SQLite`); see `missed_heartbeats` and `heartbeat_interval` in their
//! configurations. Let a `Monitor` restart the worker. Clones of a source share their progress, so the new
//! worker continues where the last one stopped. It waits for up to 30 s before it uses a storage that failed.
//! Other workers on the source continue.
//!
//! ```no_run
//! use apalis_core::monitor::Monitor;
//! use apalis_core::worker::builder::WorkerBuilder;
//! use apalis_sqlite::{SqlitePool, SqliteStorage};
//! use millicron::schedule;
//! use millicron_apalis::{Run, Source};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pool = SqlitePool::connect("sqlite:tasks.db").await?;
//! let source = Source::builder().add("tick", schedule!("*:*:*"), 1).build()?;
//! let stop = source.clone();
//! let process = std::process::id();
//! let monitor = Monitor::new()
//!     .register(move |restarts| {
//!         WorkerBuilder::new(format!("host-{process}-{restarts}"))
//!             .backend(source.pipe_to(SqliteStorage::new(&pool)))
//!             .build(|run: Run<i32>| async move { println!("{}", run.key()) })
//!     })
//!     .should_restart(|_, _| true);
//! tokio::spawn(async move {
//!     tokio::signal::ctrl_c().await.ok();
//!     stop.close();
//! });
//! monitor.run().await?;
//! # Ok(())
//! # }
//! ```
//!
//! A wrong connection string or a missing table causes the same kind of error: the worker ends with the
//! storage's error, and a monitor that always restarts it retries forever. Check the error in
//! `should_restart`, or connect before you start the monitor, as above.
//!
//! # Back pressure
//!
//! A source keeps only its current batch, of at most [1,000](SourceBuilder::largest_batch) tasks, and takes
//! the next events once the storage has taken the batch. If the storage is slower than the schedules, events
//! become late, and [`Missed`] decides what to do with them. Events on time are pushed before late ones. With
//! [`Missed::All`], `max` applies each time events are missed, so a backlog may be longer.
//!
//! Where the storage reports duplicates (`PostgreSQL`), a machine whose events are already tasks pushes them
//! one by one, since the storage would refuse a batch. When the machine that usually pushes first dies, the
//! next one starts with batches of one, and doubles them: above about 500 events a second, it may fall behind
//! for a moment, and [`Missed`] decides. If the storage refuses a particular task for another reason, the
//! source finds that task by halving its batch, with a growing pause after each step: in a batch of 1,000,
//! this delays the other tasks by about 80 s. To limit that, set a smaller
//! [batch](SourceBuilder::largest_batch).
//!
//! A worker calls its handlers on the thread on which it pushes. If a handler blocks that thread, other
//! machines still push in time, but a single machine does not. In that case, let the worker spawn its
//! handlers with `parallelize(tokio::spawn)`, or spawn a separate [`Source::push_to`]: clones of a source
//! share their progress, and push nothing twice.
//!
//! # Closing
//!
//! [`Source::close`] lets the current push finish, and pushes nothing more. Workers on the source wait up
//! to a second for the answer to their last query, finish the tasks that they have, and stop. You can also
//! stop a worker itself, but then the tasks that it has fetched early wait until the storage declares the
//! worker dead and gives them to others. While its handlers finish, apalis lets neither its push nor its query go
//! on, so what they have locked stays locked.
//!
//! # Monitoring
//!
//! - [`Source::stats`] returns counts, and [`SourceBuilder::observer`] sets a function that receives each
//!   [`Notice`]. The feature `tracing` logs the notices.
//! - apalis has layers for traces and metrics of tasks, `on_event` for the events of workers, and
//!   `apalis-board`, which shows queues, tasks and their keys. `millicron-board` is a page of stored schedules, and of
//!   the runs of pipelines.
//!
//! # Crate features
//!
//! No feature is enabled by default.
//!
//! - `pipeline` adds [`PipelineSource`][pipeline].
//! - `postgres` and `sqlite` add [schedules in a database][stored], which change while programs run.
//! - `redis` checks that a storage of `apalis-redis` remembers its idempotency keys.
//! - `tracing` logs each [`Notice`].
//!
#![cfg_attr(feature = "pipeline", doc = "[pipeline]: crate::PipelineSource")]
#![cfg_attr(not(feature = "pipeline"), doc = "[pipeline]: #crate-features")]
#![cfg_attr(feature = "stored", doc = "[stored]: crate::stored")]
#![cfg_attr(not(feature = "stored"), doc = "[stored]: #crate-features")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod events;
mod job;
#[cfg(feature = "pipeline")]
mod pipeline;
mod push;
mod run;
mod source;
mod stats;
mod storage;
#[cfg(feature = "stored")]
pub mod stored;
mod worker;

pub use error::{BuildError, PipeError};
#[cfg(feature = "pipeline")]
pub use error::{RunError, StartError};
pub use job::Job;
pub use millicron_scheduler::{Clock, ManualClock, Missed, SystemClock};
#[cfg(feature = "pipeline")]
pub use pipeline::{ClaimLayer, ClaimService, PipelineSource, PipelineSourceBuilder};
pub use run::Run;
pub use source::{Source, SourceBuilder};
pub use stats::{Notice, Stats};
pub use storage::Storage;
pub use worker::backend::PipedSource;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;
