//! Runs jobs at the events of [`millicron`] schedules, inside your program.
//!
//! A [`Scheduler`] has one timer thread and a few workers. A job is a closure or, with the feature
//! `tokio`, an async closure. Add it with the [`Schedule`] that says when it runs:
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::{every, schedule};
//! use millicron_scheduler::{Job, Retry, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//!
//! // A closure, every hour on the hour.
//! let cleanup = scheduler.add(schedule!("*:00:00"), |run| {
//!     println!("cleaning up, {:?} late", run.lateness());
//! })?;
//!
//! // A job with a name and policies, every 90 minutes. A closure may return a `Result`.
//! let report = Job::new(|_| std::fs::write("report.txt", "all is well"))
//!     .name("report")
//!     .retry(Retry::exponential(Duration::from_secs(1)).most(5));
//! scheduler.add_job(every(90).minutes(), report)?;
//!
//! // A handle controls its job.
//! assert!(cleanup.next_event().is_some());
//! cleanup.cancel();
//!
//! // Wait for runs in progress before the program ends.
//! let unfinished = scheduler.close_and_wait(Duration::from_secs(5));
//! assert!(unfinished.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Contents
//!
//! - Jobs: [when they run](#when-jobs-run), [the clock is set](#when-the-clock-is-set),
//!   [async jobs](#async-jobs-with-tokio), [names and tags](#names-and-tags),
//!   [listing](#listing-jobs)
//! - Runs: [outcomes](#runs-and-their-outcomes), [retries and time-outs](#retries-and-time-outs),
//!   [missed events](#missed-events), [overlap](#overlap), [jitter](#jitter), [gates](#gates),
//!   [cancellation](#cancellation)
//! - Operation: [shutdown](#shutdown), [restarts](#restarts), [workers](#workers), [failures](#failures),
//!   [observing](#observing), [metrics](#metrics), [a page](#a-page-that-shows-what-runs),
//!   [spans](#spans-with-tracing)
//! - [Clocks and tests](#clocks-and-tests), [simulation](#simulation), [recipes](#recipes),
//!   [how it works](#how-it-works), [features](#features)
//!
//! # When jobs run
//!
//! [`Scheduler::add`](SchedulerHandle::add) accepts anything that has events:
//!
//! - a [`Schedule`] from [`schedule!`](millicron::schedule) or parsed at run time, read as UTC;
//! - a schedule in a time zone, from [`Schedule::in_zone`](millicron::Schedule::in_zone);
//! - an interval, such as every 90 minutes, from [`every`](millicron::every);
//! - your own type that implements [`Recurrence`](millicron::Recurrence).
//!
//! A job runs at each event after the instant at which it is added. [`Scheduler::once`](SchedulerHandle::once) runs a
//! closure a single time, at an instant. A run never starts before its instant.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use jiff::tz::TimeZone;
//! use millicron::{Schedule, every, schedule};
//! use millicron_scheduler::{Job, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//!
//! // Local time in Berlin, across daylight saving time.
//! let berlin = TimeZone::get("Europe/Berlin")?;
//! scheduler.add(schedule!("*.*.* Mon-Fri 09:30:00").in_zone(berlin), |_| {})?;
//!
//! // Parsed at run time, for example from a configuration.
//! let configured: Schedule = "*.*.32 23:59:00".parse()?;
//! scheduler.add(configured, |_| {})?;
//!
//! // Every 250 ms from now on; and every other day at 03:30 UTC.
//! scheduler.add(every(250).milliseconds(), |_| {})?;
//! scheduler.add(every(2).days().at("03:30"), |_| {})?;
//!
//! // Once, in a minute.
//! scheduler.once(SystemTime::now() + Duration::from_secs(60), |_| {})?;
//!
//! // Every minute, but only ten times within the next hour.
//! let in_an_hour = SystemTime::now() + Duration::from_secs(3600);
//! let poll = Job::new(|_| println!("polling")).most_runs(10).ending(in_an_hour);
//! scheduler.add_job(every(1).minutes(), poll)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Job::starting`], [`Job::ending`] and [`Job::most_runs`] limit a job. [`JobHandle`] pauses,
//! resumes, triggers, reschedules or cancels it. Dropping the handle does not affect the job.
//!
//! # When the clock is set
//!
//! Schedules and one-shot jobs follow the clock of the machine. The timer reads it at least twice a second while jobs
//! wait, so it notices within a second that the clock was set or that the machine woke up.
//!
//! - Set forward: the events in between are [missed](#missed-events).
//! - Set back: jobs wait until the clock has caught up, so no event runs twice. If that takes more
//!   than a second, [`Event::ClockSetBack`] reports it. With [`SetBack::Repeat`], a job runs the
//!   repeated events again. [`JobHandle::reschedule`] ends the wait of one job.
//!
//! Intervals, time-outs and retries measure elapsed time ([`Instant`](std::time::Instant)), so setting the clock does
//! not affect them. On most systems, elapsed time also stands still while the machine sleeps. The
//! [scheduled](RunContext::scheduled) instants of an interval then differ from the clock. With a fixed instant or a
//! zone, by `at`, `from` or `in_zone`, an interval follows the clock.
//!
//! # Async jobs with `tokio`
//!
//! With the feature `tokio`, a closure may be async or return a future. A worker calls it, and the
//! future runs on the runtime in which the job was created; without one, adding the job fails with
//! [`AddErrorKind::NoRuntime`]. The future must be `Send`. Outside a runtime, pass one to
//! [`Job::future`].
//!
//! To share state between runs, clone it for each run:
//!
#![cfg_attr(feature = "tokio", doc = "```")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! # use std::sync::Arc;
//! # use std::sync::atomic::{AtomicU64, Ordering};
//! # use millicron::{every, schedule};
//! # use millicron_scheduler::{RunContext, Scheduler};
//! # async fn import(_: RunContext) -> Result<(), std::io::Error> { Ok(()) }
//! # async fn check(_: Arc<AtomicU64>) {}
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let scheduler = Scheduler::new()?;
//! scheduler.add(every(5).seconds(), async |run| println!("run {}", run.number()))?;
//!
//! // An async function works, too.
//! scheduler.add(schedule!("*:00:00"), import)?;
//!
//! let state = Arc::new(AtomicU64::new(0));
//! scheduler.add(every(1).minutes(), move |_| {
//!     let state = Arc::clone(&state);
//!     async move { check(state).await }
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! (If the future of an `async move` closure borrows from the closure, the compiler reports that it
//! "does not implement `Fn`". [`Scheduler::once`](SchedulerHandle::once) accepts such closures.)
//!
//! [`Ticks`] is a stream of the events of a schedule, for loops that need no scheduler.
//!
//! # Names and tags
//!
//! [`Job::name`] identifies a job in events, logs and metrics. The name and the scheduled instant
//! identify a run, so names are unique: adding a second job with the same name fails with
//! [`AddErrorKind::NameTaken`]. With [`Job::replace`], the new job replaces the old one; with
//! [`Job::share_name`], several jobs have the same name. [`Scheduler::job`](SchedulerHandle::job) finds a job by its name.
//!
//! [`Job::tag`] puts a job into a group. [`Scheduler::tagged`](SchedulerHandle::tagged) pauses, resumes or cancels all jobs of
//! the group.
//!
//! # Listing jobs
//!
//! [`Scheduler::jobs`](SchedulerHandle::jobs) iterates over all jobs. [`JobInfo`] has the name, the tags, the schedule as text
//! and in plain English, the next event, the last start, end and outcome, and counts.
//!
//! ```
//! use millicron::schedule;
//! use millicron_scheduler::{Job, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//! let report = Job::new(|_| {}).name("report").tag("daily");
//! scheduler.add_job(schedule!("*.*.* Mon-Fri 09:30:00"), report)?;
//!
//! for (job, info) in scheduler.jobs() {
//!     // "report: At 09:30 on Monday to Friday, next …, last None"
//!     println!("{}: {}, next {:?}, last {:?}",
//!         info.name, info.description(), info.next, info.last_outcome);
//!     job.trigger_now();
//! }
//! scheduler.tagged("daily").pause();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Runs and their outcomes
//!
//! A job's closure receives a [`RunContext`]: the name of the job, the scheduled instant, the lateness,
//! the numbers of the run and the attempt, and whether the run was [triggered](RunKind). It may return nothing, or any `Result` whose error is an
//! [`Error`](std::error::Error), a string, or an `anyhow::Error`; see [`JobOutput`]. An error or a
//! panic makes the run a [failure](#failures). The job runs again at its next event.
//!
//! Several workers call the closure, so it must be `Fn`. [`Job::new_mut`] takes a closure that changes
//! its state, and its calls never overlap. [`Job::deferred`] creates a job whose runs end later, on
//! another thread or in another process, without occupying a worker.
//!
//! # Retries and time-outs
//!
//! [`Job::retry`] attempts a failed run again, and [`Job::timeout`] limits how long an attempt takes:
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::schedule;
//! use millicron_scheduler::{Job, Retry, Scheduler};
//!
//! fn upload() -> std::io::Result<()> {
//!     Ok(())
//! }
//!
//! // After 1, 2, 4, 8 and then every 10 seconds, plus up to a second, until the next event.
//! let retry = Retry::exponential(Duration::from_secs(1))
//!     .longest(Duration::from_secs(10))
//!     .jitter(Duration::from_secs(1))
//!     .until_next_event();
//! let job = Job::new(|_| upload()).name("upload").retry(retry).timeout(Duration::from_secs(30));
//! Scheduler::new()?.add_job(schedule!("*:00:00"), job)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All attempts of a run have the same number and scheduled instant; [`RunContext::attempt`] counts
//! them. A run that waits for its next attempt counts as in progress.
//!
//! A time-out does not interrupt an attempt: it cancels its [token](#cancellation), and is counted and
//! reported. The attempt ends when it returns. [`Job::timeout_and_go_on`] lets the next event start even
//! before that.
//!
//! # Missed events
//!
//! Events are missed when the machine sleeps, the clock is set forward, or the program stalls. Choose
//! with [`Job::missed`] how the job catches up:
//!
//! | policy | 5 events due at once, the last within the grace period | the last one later |
//! | --- | --- | --- |
//! | [`Missed::Coalesce`] (default) | one run, which covers 4 more events | the same |
//! | [`Missed::Skip`] | one run, at the last event | no run |
//! | [`Missed::All { max: 3 }`](Missed::All) | the last 3 run, in order | the same |
//!
//! [`Job::grace`] sets how late an event may be without counting as missed: one second by default.
//! The policy also applies to the only event of a one-shot job.
//!
//! A job ignores events before it was added, such as events that passed while the program was not
//! running. If you store when a job last ran, pass that instant to [`Job::since`]: the policy then
//! applies to all later events. A [history](#restarts) does that for you.
//!
//! # Restarts
//!
//! With the feature `history`, [`JobHistory`] adds jobs that survive a restart of the process. It records
//! each run, in a file with the feature `sqlite` or on a server with `postgres`, before it starts and when
//! it ends. After a restart, the events since the last run follow the job's policy for missed events, no
//! event runs twice, and runs that were cut off are reported and, if the job allows it, restarted.
//! [`JobHistory`] has an example, and documents the guarantees and what happens if the history fails.
//!
//! # Overlap
//!
//! By default, an event is skipped while a run of the same job is in progress. [`Job::overlap`]
//! changes that: [`Overlap::Queue`] lets events wait for the run, and [`Overlap::Allow`] runs them
//! at the same time. Different jobs never affect each other, except that they share the workers.
//!
//! # Jitter
//!
//! A thousand jobs at `*:00:00` all become due at once. [`Job::jitter`] delays each by a fraction of a
//! maximum. The fraction depends on the job's name, so a job keeps its place in the hour across
//! restarts. Jobs without a name all have the same delay. The delay does not count as lateness.
//!
//! # Gates
//!
//! A [`Gate`] decides before each attempt whether it may start, for example by taking a distributed
//! lock or by checking whether this process is the leader. [`SchedulerBuilder::gate`] sets a gate that
//! may block a worker; with the feature `tokio`, `SchedulerBuilder::async_gate` sets an async one.
//! [`Event::Skipped`] reports the runs that a gate refuses.
//!
//! # Cancellation
//!
//! [`JobHandle::cancel`] removes a job. It does not interrupt a run in progress; it cancels the
//! [`CancellationToken`] of the run. Time-outs and the shutdown do the same, and
//! [`CancellationToken::cancel`] cancels a single run. A long run should check its token:
//!
//! ```
//! use std::time::SystemTime;
//!
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! let import = scheduler.once(SystemTime::now(), |run| {
//!     for _row in 0..1_000_000 {
//!         if run.token().is_cancelled() {
//!             return Err("cancelled");
//!         }
//!         // Import the row.
//!     }
//!     Ok(())
//! })?;
//! import.cancel();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `tokio`, async jobs can await `run.token().cancelled()`.
//!
//! # Shutdown
//!
//! Closing a scheduler takes these steps:
//!
//! 1. No more runs start, and no jobs can be added. Waiting events and retries are dropped.
//! 2. The tokens of runs in progress are cancelled.
//! 3. [`Scheduler::close_and_wait`](SchedulerHandle::close_and_wait) waits for the runs to end, up to a time-out, and returns the runs
//!    that have not. If all have ended and the observer has received every event in time, all threads
//!    have ended, too.
//!
//! [`Scheduler::close`](SchedulerHandle::close) takes the first two steps, and returns a [`Closing`] that can wait later. In
//! async code, await it: `scheduler.close().await` waits for all runs, and
//! `scheduler.close().within(timeout).await` up to a time-out. Neither blocks the runtime. Dropping
//! the scheduler closes it without waiting for runs.
//!
//! A service needs one line: `Scheduler::run_until` runs until a future completes, or until Ctrl-C or
//! `SIGTERM`, and then closes the scheduler:
//!
#![cfg_attr(feature = "tokio", doc = "```no_run")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! # use std::{future::pending, time::Duration};
//! # use millicron_scheduler::Scheduler;
//! # async fn service() -> std::io::Result<()> {
//! let scheduler = Scheduler::new()?;
//! let unfinished = scheduler.run_until(pending::<()>(), Duration::from_secs(30)).await?;
//! # drop(unfinished);
//! # Ok(())
//! # }
//! ```
//!
//! A job can use a [`SchedulerHandle`], which does not keep the scheduler alive.
//!
//! # Workers
//!
//! [`Workers::Pool`] is a fixed number of threads, by default one for each processor.
//! [`Workers::PerRun`] uses a thread for each run in progress, for jobs that block. Threads are
//! reused for later runs, and end after ten idle seconds. Change the workers at any time with
//! [`Scheduler::set_workers`](SchedulerHandle::set_workers).
//!
//! # Failures
//!
//! A run that returns an error or panics is reported:
//!
//! - to an [observer](#observing), as [`Event::Finished`];
//! - with the feature `tracing`, by an event at level `ERROR` for each attempt, with the error and all
//!   its [sources](std::error::Error::source);
//! - without either, on standard error, but only the first failure of each job.
//!
//! Failures are also counted in [`Stats`] and [`JobInfo`]. A panic in your code stops nothing else:
//! panics of gates, subscribers and destructors are reported as [`Event::Panicked`].
//!
//! # Observing
//!
//! [`Scheduler::stats`](SchedulerHandle::stats) returns counts and the distribution of lateness. An [`Observer`], set with
//! [`SchedulerBuilder::observer`], receives every [`Event`]. Each event of a schedule is reported
//! exactly once: as started, skipped, coalesced or cancelled.
//!
//! ```
//! use millicron_scheduler::{Event, Scheduler};
//!
//! let scheduler = Scheduler::builder()
//!     .observer(|event: &Event| match event {
//!         Event::Finished { run, outcome, duration, .. } if !outcome.is_success() => {
//!             eprintln!("{} {outcome} after {duration:?}", run.job_name());
//!         }
//!         Event::Skipped { job, count, reason, .. } => {
//!             eprintln!("{job}: {count} events skipped: {reason:?}");
//!         }
//!         _ => {}
//!     })
//!     .start()?;
//! # drop(scheduler);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The observer runs on its own thread, so it may block, and it may use the scheduler. While it is
//! busy, up to 65,536 events wait for it. Later ones are dropped, counted in [`Stats::lost_events`],
//! and reported as [`Event::Lost`].
//!
//! # Metrics
//!
//! With the feature `metrics`, a scheduler reports to the recorder of the [`metrics`] facade:
//!
//! | metric | type | labels | value |
//! | --- | --- | --- | --- |
//! | `millicron_runs_total` | counter | `job`, `outcome` | attempts that have ended |
//! | `millicron_running` | gauge | `job` | attempts in progress |
//! | `millicron_ready` | gauge | | runs waiting for a worker, updated when a run starts |
//! | `millicron_lateness_seconds` | histogram | `job` | how late attempts started |
//! | `millicron_duration_seconds` | histogram | `job` | how long attempts took |
//!
//! `job` is the name of the job; all jobs without a name are `unnamed`, and [internal](Job::internal)
//! ones are left out. `outcome` is `succeeded`, `failed`, `panicked` or `abandoned`, or `retried` if
//! another attempt follows. Skipped events and time-outs are counted by [`Stats`]. Install the recorder
//! before you start the scheduler, which then describes the metrics. The example `prometheus` in the
//! repository serves them over HTTP.
//!
//! [`metrics`]: https://docs.rs/metrics
//!
//! # A page that shows what runs
//!
//! The crate [`millicron-board`] shows the jobs, their runs and their schedules on a live page, which an
//! [axum] service mounts:
//!
//! ```text
//! let log = RunLog::new();
//! let scheduler = Scheduler::builder().observer(log.clone()).start()?;
//! let report = Job::new(|_| println!("reporting")).name("report");
//! scheduler.add_job(schedule!("*:*:*/10"), report)?;
//!
//! // Everybody on this machine may read. To act, too, call `.token(…).actions()`.
//! let board = Board::new(log.source(&scheduler)).title("My service").public();
//! let service = Router::new().nest_service("/jobs", board.router());
//! axum::serve(TcpListener::bind("127.0.0.1:8080").await?, service).await?;
//! ```
//!
//! Visitors may run, pause and resume jobs, and [cancel](CancellationToken::cancel) a run, if the service
//! allows it. The log keeps the last runs in memory; with `RunLog::with_history`, the page also shows runs
//! from before a restart, which a [`JobHistory`] has recorded. What jobs write is not kept. The example
//! `axum` of that crate is a complete program.
//!
//! [`millicron-board`]: https://docs.rs/millicron-board
//! [axum]: https://docs.rs/axum
//!
//! # Spans with `tracing`
//!
//! With the feature `tracing`, each attempt executes within a span named `run`, at level `INFO`, with
//! the fields `job`, `scheduled` (in UTC), `lateness`, `attempt` and `outcome`. The future of an async
//! job is polled within it.
//!
//! # Clocks and tests
//!
//! A scheduler takes its time from a [`Clock`]. In tests, a [`ManualClock`] stands still until you
//! move it, and waits until everything due has run. Tests of jobs are then fast and deterministic:
//!
//! ```
//! use std::sync::mpsc::channel;
//! use std::time::{Duration, UNIX_EPOCH};
//!
//! use millicron::schedule;
//! use millicron_scheduler::{ManualClock, Scheduler};
//!
//! let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_795_219_200)); // midnight
//! let scheduler = Scheduler::builder().clock(clock.clone()).start()?;
//! let (sender, numbers) = channel();
//! scheduler.add(schedule!("9-17:00:00"), move |run| sender.send(run.number()))?;
//!
//! clock.advance(Duration::from_secs(12 * 3600));
//! assert_eq!(numbers.try_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`ManualClock::advance`] lets time pass, and [`ManualClock::set`] simulates clock changes.
//!
//! # Simulation
//!
//! A [`Simulator`] makes the same decisions with a virtual clock, without threads. Use it to try
//! out policies: it runs years in seconds, lets you choose how long each run takes, and simulates
//! stalls and clock changes. The same calls always have the same result.
//!
//! # Recipes
//!
//! **Let a job schedule a follow-up.** Clone a handle into the closure:
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::schedule;
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! let handle = scheduler.handle();
//! scheduler.add(schedule!("02:00:00"), move |run| {
//!     let verify = run.scheduled() + Duration::from_secs(600);
//!     handle.once(verify, |_| println!("verifying the backup")).map(drop)
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Run a job now, and then on its schedule.** Trigger it after adding it. An interval can begin
//! [immediately](millicron::IntervalBuilder::immediately):
//!
//! ```
//! use millicron::{every, schedule};
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! scheduler.add(schedule!("*:00:00"), |_| println!("refreshing"))?.trigger_now();
//! scheduler.add(every(10).minutes().immediately(), |_| println!("polling"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Change a schedule when the configuration changes.** Find the job by its name:
//!
//! ```
//! use millicron::{Schedule, schedule};
//! use millicron_scheduler::{Job, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//! scheduler.add_job(schedule!("03:00:00"), Job::new(|_| {}).name("backup"))?;
//! let configured: Schedule = "04:30:00".parse()?;
//! if let Some(job) = scheduler.job("backup") {
//!     job.reschedule(configured)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Limit the number of jobs.** With a [capacity](SchedulerBuilder::capacity), adding one job too
//! many fails with [`AddErrorKind::Full`], and the error contains the job.
//!
//! # How it works
//!
//! Waiting jobs are in two queues, ordered by when they are due: one by the clock, one by elapsed time.
//! Time-outs and retries are alarms in a third. The timer sleeps until the earliest entry is due, and
//! applies the job's policies to decide which of its events run. It decides the first jobs of a burst, and
//! idle workers decide the others, so the first run starts immediately, and `add` need not wait.
//!
//! Each run that becomes ready wakes the worker that became idle last. A worker ends a run and takes
//! the next one in a single critical section.
//!
//! One lock guards all decisions. Jobs, gates, observers, and the destructors of your values run without
//! it; only recurrences and the clock are called under it.
//!
//! Jobs live in memory only; a [history](#restarts) remembers their runs. To let jobs wait for each
//! other, use the crate `millicron-pipeline`.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `history` | jobs that remember their runs across restarts |
//! | `metrics` | counts and distributions for each job, for Prometheus and others |
//! | `postgres` | `history`, with storage in `PostgreSQL` |
//! | `sqlite` | `history`, with storage in an `SQLite` file; compiles `SQLite`, which needs a C compiler |
//! | `tokio` | async jobs and gates, waiting for the shutdown without blocking, a stream of events |
//! | `tracing` | a span for each run, and an event for each failure |
//!
//! No feature is on by default.
//!
//! [`Schedule`]: millicron::Schedule
//!
#![cfg_attr(feature = "tokio", doc = "[`Job::future`]: Job::future")]
#![cfg_attr(feature = "tokio", doc = "[`Ticks`]: Ticks")]
#![cfg_attr(not(feature = "tokio"), doc = "[`Job::future`]: #features")]
#![cfg_attr(not(feature = "tokio"), doc = "[`Ticks`]: #features")]
#![cfg_attr(feature = "history", doc = "[`JobHistory`]: JobHistory")]
#![cfg_attr(not(feature = "history"), doc = "[`JobHistory`]: #features")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod core;
mod error;
#[cfg(feature = "history")]
mod history;
mod job;
mod panics;
mod report;
mod run;
mod scheduler;
mod simulator;
mod sync;
mod threads;
#[cfg(feature = "tokio")]
mod ticks;
mod time;

#[cfg(feature = "history")]
pub use error::HistoryError;
pub use error::{AddError, AddErrorKind};
#[cfg(feature = "history")]
pub use history::{HistoryEvent, HistoryFailure, JobHistory, JobHistoryBuilder, Keep, RecordedRun};
#[cfg(feature = "tokio")]
pub use job::Awaited;
#[cfg(feature = "history")]
pub use job::CutOff;
pub use job::{
    Completion, Job, JobOutput, Missed, MissedEvents, Overlap, Retry, Returned, SetBack, Task,
    Workers,
};
#[cfg(feature = "history")]
pub use millicron_history::{
    Claim, ClaimError, ClaimOutcome, Claims, History, MemoryHistory, RunQuery, RunRecord, RunState,
    StartedRun,
};
#[cfg(feature = "postgres")]
pub use millicron_history::{PostgresBuilder, PostgresError, PostgresErrorKind, PostgresHistory};
#[cfg(feature = "sqlite")]
pub use millicron_history::{SqliteError, SqliteErrorKind, SqliteHistory};
pub use report::{Event, JobInfo, JobStatus, Observer, SkipReason, Stats};
pub use run::{
    BoxedError, CancellationToken, IntoOutcome, JobName, Outcome, PlainError, RunContext, RunKind,
};
pub use scheduler::{
    Closing, JobHandle, Jobs, Scheduler, SchedulerBuilder, SchedulerHandle, Tagged,
};
pub use simulator::{SimulatedJob, Simulator};
pub use threads::Gate;
#[cfg(feature = "tokio")]
pub use ticks::Ticks;
pub use time::{Clock, ManualClock, SystemClock, Timer};

/// Runs the README's examples as doctests.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
