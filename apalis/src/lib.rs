//! [`millicron`] schedules as tasks of [apalis](apalis_core): every event is one task, however many
//! machines run the same program.
//!
//! A [`Source`] has named jobs, each with a schedule, an interval or another
//! [`Recurrence`](millicron::Recurrence), and a payload. [`Source::pipe_to`] makes it and a storage into
//! the backend of a worker:
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
//!         source.shutdown();
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
//! Run the same program on each machine, with the same jobs and the same storage. There is no leader:
//! each machine pushes all events, and the storage refuses duplicates. So any machine may die at any time,
//! and the others go on.
//!
//! - A worker on a source pushes its tasks, and handles whatever is in the storage. A machine without
//!   workers can [push only](Source::push_to). A machine that only works pipes a source without jobs,
//!   `Source::builder().build()`, to the storage. A worker on the storage alone also executes the tasks,
//!   but up to a second early, since storages keep instants in whole seconds.
//! - Give each worker a name of its own, such as the host, the process and a number. Storages refuse to
//!   register a second worker of the same name, also for a while after the first one has died.
//! - To change a schedule, deploy the new program. While old and new ones are running, events of both
//!   become tasks. To change a job in such a way that this would be wrong, give it a new name.
//! - Tasks outlive a deployment. If the type of the payload changes, new programs must be able to decode
//!   tasks of old ones, or use another queue: a task that cannot be decoded ends the worker.
//! - A new job begins with the events in its [catch-up window](SourceBuilder::catch_up), before it
//!   existed. If that is not what you want, deploy it with a window of zero first.
//! - Wake-ups: apalis's storages look for tasks when their worker is woken. A worker on a source is
//!   woken at each event, so that lateness does not depend on an interval. For tasks that are attempted
//!   again, those of dead workers and those of other programs, it looks [every
//!   second](SourceBuilder::poll_every). `poll_with_interval` is not needed.
//!
//! # What is guaranteed
//!
//! - Each event is at most one task. Its idempotency key is [`Run::key`].
//! - Each event is at least one task, if any source can reach the storage within the catch-up window,
//!   and the policy for [missed](SourceBuilder::missed) events does not skip it. What the storage failed to
//!   take is pushed again, with growing pauses of up to 30 s. It is given up when the window has passed, which is
//!   [reported](Notice::Expired).
//! - Each task is executed at least once; this is up to the storage. Make jobs idempotent with the key.
//! - No task of a worker on a source starts before its instant, by the clock of that machine.
//!
//! What is not: tasks are not executed in the order of their events, two tasks of one job may run at
//! the same time, and a task that fails is attempted again until the storage gives it up, which loses it.
//!
//! # Outages
//!
//! A source that starts looks at the events in the catch-up window before its start, and handles them
//! as missed, except for those within the grace. The same goes for events during which the machine slept, or
//! the storage was too slow or did not answer. [`Missed`] decides which of them become tasks. The
//! storage refuses duplicates. Events that fall due while a single push takes up to 30 s are not missed.
//!
//! Each event in the window of a job with [`Missed::All`] takes a round trip at each start, since the
//! storage may have it. A job that fires every second, with a window of one hour, takes 3,600.
//!
//! # Ahead
//!
//! With [`SourceBuilder::ahead`], tasks are in the storage before their instant, so that they start on
//! time even if every source has died meanwhile. Storages keep the instant in whole seconds. A worker
//! that gets a task early keeps it until its instant; meanwhile, it handles others. It keeps up to 1,000
//! such tasks, and fetches no more until one of them is due.
//!
//! # Clocks that differ
//!
//! | clock | effect |
//! | --- | --- |
//! | of a source, 5 s ahead | It pushes 5 s early, with the right instant: the storage gives the task out when that has come. The source's own worker then looks for it [every second](SourceBuilder::poll_every), so the task may start that much late. |
//! | of a source, 5 s behind | Others push first. If there is no other, tasks are pushed 5 s late. None is missed: the source handles the same events, later. |
//! | of a server (`PostgreSQL`), 5 s ahead | Workers get tasks that were pushed [ahead](SourceBuilder::ahead) early, and keep them until their instants. |
//! | of a server, 5 s behind | It gives tasks out 5 s late, and up to the polling interval later. |
//! | of a worker, 5 s ahead | With a storage that decides by its worker's clock (`SQLite`, Redis), tasks that were pushed [ahead](SourceBuilder::ahead) start 5 s early. |
//! | of a worker, 5 s behind | The tasks that it gets start 5 s late. Other workers may get them first. |
//! | set back, by up to 1 s | A source waits until the clock has caught up. |
//! | set back, by more | The clock was wrong before, so a source begins again, with the events in the catch-up window before the new time. The storage refuses those that are tasks already. |
//! | set forward | The events in between are handled as missed. |
//!
//! # Storages
//!
//! **`PostgreSQL`** refuses a batch that contains a duplicate as a whole. The source then halves its batches
//! until the duplicates are alone, and doubles them again. Each duplicate is an error in the log of the
//! server. With three replicas, two of three pushes are such errors. The keys of a queue are unique: jobs of
//! the same name in two queues do not affect each other.
//!
//! A machine that hangs between its `INSERT` and its commit holds the keys of its batch, and others that
//! push the same keys wait for it. Limit this by `lock_timeout`, to less than the grace, and queries that
//! never end by `statement_timeout`. A push that runs into one of them is repeated.
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
//! `synchronous = OFF`: tasks survive a crash of the process, but perhaps not one of the machine.
//!
//! **Redis**: set `idempotency_ttl` in `apalis_redis::Config`, to longer than the catch-up window, the time
//! that tasks are pushed [ahead](SourceBuilder::ahead) and the difference of clocks together. Without it,
//! `apalis-redis` lets keys expire at once, and each machine would add its own task; a source refuses such
//! a storage with [`PipeError::ForgetsKeys`]. It does not see a time below one second, which has the same
//! effect. [`Job::max_attempts`] has no effect: `apalis-redis` always allows 25 attempts.
//!
//! **`MemoryStorage`** is for tests. It never forgets a key.
//!
//! To vacuum a storage forgets the keys of tasks that are done. Vacuum only what is older than the catch-up
//! window, or events in the window become tasks again at the next start.
//!
//! # Pipelines
//!
//! With the feature `pipeline`, [`PipelineSource`][pipeline] makes tasks of the runs of a
//! [`millicron-pipeline`](https://docs.rs/millicron-pipeline): of those that are ready, and only these. How they end is
//! recorded in a history that all machines share, under a claim, so that no run starts before those that it needs
//! have ended, and none is executed by two workers at once.
//!
//! # When the storage fails
//!
//! A push that fails is retried, reported as [`Notice::PushFailed`], and does not end the worker. The
//! next failure does: apalis's storages end their worker with an error when they cannot fetch or acknowledge
//! tasks. Its handlers are dropped wherever they are, and their tasks belong to it until the storage
//! declares it dead, and gives them to others: with the default settings after five minutes
//! (`PostgreSQL`) or one (`SQLite`); see `missed_heartbeats` and `heartbeat_interval` of their
//! configurations. Let a `Monitor` start the worker again. Clones of a source share their progress, so the
//! new worker goes on where the last one was; and it waits before it uses a storage that failed, for up to
//! 30 s. Other workers on the source go on.
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
//!     stop.shutdown();
//! });
//! monitor.run().await?;
//! # Ok(())
//! # }
//! ```
//!
//! A wrong connection string or a missing table are errors of the same kind: the worker ends with the
//! storage's error, and with a monitor that restarts it whatever happened, it tries again for ever. Look at
//! the error in `should_restart`, or connect before you start the monitor, as above.
//!
//! # Back pressure
//!
//! A source keeps what is in its current batch, of at most [1,000](SourceBuilder::largest_batch) tasks.
//! It takes the next events when the storage has taken these. If the storage is slower than the schedules,
//! events become late, and [`Missed`] decides about them. What is on time is pushed before what is late.
//! With [`Missed::All`], `max` applies to each time that events are missed, so a backlog may be longer.
//!
//! Where the storage reports duplicates (`PostgreSQL`), a machine whose events are tasks already pushes
//! them one by one, since a batch would be refused. When the machine that was first dies, the next one
//! starts with batches of one, which it doubles: above some 500 events a second it may get behind for a
//! moment, and [`Missed`] decides. A task that the storage refuses for a reason of its own is found by
//! halving its batch, with a growing pause after each half: in a batch of 1,000, this delays others by some
//! 80 s. To limit that, set a smaller [batch](SourceBuilder::largest_batch).
//!
//! A worker calls its handlers on the thread on which it pushes. If a handler blocks that thread, other
//! machines push in time, but a single machine does not. Then let the worker spawn its handlers with
//! `parallelize(tokio::spawn)`, or spawn [`Source::push_to`] beside it: clones of a source share their
//! progress, and do not push anything twice.
//!
//! # Shutdown
//!
//! [`Source::shutdown`] ends the push under way and pushes no more. Workers on the source wait up to a
//! second for the answer of their last query, finish the tasks that they have, and stop. Stopping a worker by
//! its own means works as well, but leaves tasks that it has fetched early to others, which wait until the
//! storage declares the worker dead.
//!
//! # Watching
//!
//! - [`Source::stats`] has counts, and [`SourceBuilder::observe`] a function that receives each
//!   [`Notice`]; with the feature `tracing`, they are logged.
//! - apalis has layers for traces and metrics of tasks, `on_event` for those of workers, and
//!   `apalis-board`, which shows queues, tasks and their keys.
//!
//! # Crate features
//!
//! None is enabled by default.
//!
//! - `pipeline` adds [`PipelineSource`][pipeline].
//! - `tracing` logs each [`Notice`].
//!
#![cfg_attr(feature = "pipeline", doc = "[pipeline]: crate::PipelineSource")]
#![cfg_attr(not(feature = "pipeline"), doc = "[pipeline]: #crate-features")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod agenda;
mod duplicate;
mod error;
mod events;
mod job;
mod pipe;
#[cfg(feature = "pipeline")]
mod pipeline;
mod polling;
mod push;
mod queue;
mod run;
mod shared;
mod source;
mod stats;

pub use error::{BuildError, PipeError};
pub use job::Job;
pub use millicron_scheduler::{Clock, ManualClock, Missed, SystemClock};
pub use pipe::PipedSource;
#[cfg(feature = "pipeline")]
pub use pipeline::{
    ClaimLayer, ClaimService, PipedPipeline, PipelineSource, PipelineSourceBuilder, StartError,
};
pub use run::Run;
pub use source::{Source, SourceBuilder};
pub use stats::{Notice, Stats};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;
