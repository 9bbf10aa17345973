//! Runs jobs at the events of [`millicron`] schedules, inside your program.
//!
//! A [`Scheduler`] has one timer thread and a few workers. A job is a closure or, with the feature
//! `tokio`, a future. Add it with the [`Schedule`] that says when it runs:
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::{every, schedule};
//! use millicron_scheduler::{Job, Overlap, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//!
//! // A closure, every hour on the hour.
//! let cleanup = scheduler.add(schedule!("*:00:00"), |run| {
//!     println!("cleaning up, {:?} late", run.lateness());
//! })?;
//!
//! // A job with a name and a policy, every 90 minutes. A closure may return a `Result`.
//! let report = Job::new(|_| std::fs::write("report.txt", "all is well"))
//!     .name("report")
//!     .overlap(Overlap::Queue { max: 1 });
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
//! - [When jobs run](#when-jobs-run)
//! - [Runs and their outcomes](#runs-and-their-outcomes)
//! - [Missed events](#missed-events)
//! - [Overlap](#overlap)
//! - [Jitter](#jitter)
//! - [Cancellation](#cancellation)
//! - [Shutdown](#shutdown)
//! - [Workers](#workers)
//! - [Observing](#observing)
//! - [Clocks and tests](#clocks-and-tests)
//! - [Simulation](#simulation)
//! - [Async jobs with `tokio`](#async-jobs-with-tokio)
//! - [Spans with `tracing`](#spans-with-tracing)
//! - [Recipes](#recipes)
//! - [How it works](#how-it-works)
//! - [Features](#features)
//!
//! # When jobs run
//!
//! [`Scheduler::add`] accepts anything that has events:
//!
//! - a [`Schedule`] from [`schedule!`](millicron::schedule) or parsed at run time, read as UTC;
//! - a schedule in a time zone, from [`Schedule::in_zone`](millicron::Schedule::in_zone);
//! - an interval, such as every 90 minutes, from [`every`](millicron::every);
//! - your own type that implements [`Recurrence`](millicron::Recurrence).
//!
//! A job runs at each event after the instant at which it is added. [`Scheduler::once`] runs a
//! closure a single time, at an instant.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use jiff::tz::TimeZone;
//! use millicron::{Schedule, every, schedule};
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//!
//! // Local time in Berlin, across daylight saving time.
//! let berlin = TimeZone::get("Europe/Berlin")?;
//! scheduler.add(schedule!("*.*.* Mon-Fri 09:30:00").in_zone(berlin), |_| {})?;
//!
//! // From a text that is known only at run time.
//! let configured: Schedule = "*.*.32 23:59:00".parse()?;
//! scheduler.add(configured, |_| {})?;
//!
//! // Every 250 ms from now on; and every other day at 03:30 UTC.
//! scheduler.add(every(250).milliseconds(), |_| {})?;
//! scheduler.add(every(2).days().at("03:30"), |_| {})?;
//!
//! // Once, in a minute.
//! scheduler.once(SystemTime::now() + Duration::from_secs(60), |_| {})?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A run never starts before its instant. The timer reads the clock at least twice a second while
//! jobs wait, so that it notices within a second when the clock is set or the machine wakes up. An
//! event that has run does not run again after the clock is set back.
//!
//! [`JobHandle`] pauses, resumes, triggers, reschedules or cancels a job. Dropping the handle does
//! not affect the job.
//!
//! # Runs and their outcomes
//!
//! The closure of a job receives a [`RunContext`]: the name of the job, the scheduled instant, the
//! lateness, the number of the run. It may return nothing, or a `Result<(), E>` whose error can be
//! displayed; see [`IntoOutcome`]. An error or a panic makes the run a failure, which is counted in
//! [`Stats`] and reported to the [observer](#observing). The job runs again at its next event.
//!
//! [`Job::deferred`] creates a job whose runs end later, on another thread or in another process,
//! without occupying a worker.
//!
//! # Missed events
//!
//! Events are missed when the machine sleeps, the clock jumps forward, or the program stalls.
//! Choose with [`Job::missed`] how the job catches up:
//!
//! | policy | 5 events are due at once, the last within the grace | the last is later |
//! | --- | --- | --- |
//! | [`Missed::Coalesce`] (default) | one run, which covers 4 more events | the same |
//! | [`Missed::Skip`] | one run, at the last event | no run |
//! | [`Missed::All { max: 3 }`](Missed::All) | the last 3 run, in order | the same |
//!
//! [`Job::grace`] sets how late an event may be without counting as missed: one second by default.
//!
//! Events before a job was added, such as those while the program was not running, are not caught
//! up.
//!
//! # Overlap
//!
//! By default, an event is skipped while a run of the same job is in progress. [`Job::overlap`]
//! changes that: [`Overlap::Queue`] lets events wait for the run, and [`Overlap::Allow`] runs them
//! at the same time. Different jobs never affect each other, except that all share the workers.
//!
//! # Jitter
//!
//! A thousand jobs at `*:00:00` all become due at once. [`Job::jitter`] delays each by a part of a
//! maximum. The part is derived from the name of the job, so that a job keeps its place in the hour
//! across restarts. Jobs without a name all have the same delay.
//!
//! # Cancellation
//!
//! [`JobHandle::cancel`] removes a job. It does not interrupt a run in progress; it cancels the
//! [`CancellationToken`] of the run. A run that takes long should check its token:
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
//! # Shutdown
//!
//! [`Scheduler::close`] stops starting runs. [`Scheduler::close_and_wait`] also waits for runs in
//! progress. After its timeout, it cancels the tokens of the remaining runs and returns these runs.
//! Dropping the scheduler closes it and cancels the tokens, without waiting.
//!
//! A job that needs the scheduler holds a [`SchedulerHandle`], which does not keep it alive.
//!
//! # Workers
//!
//! [`Workers::Pool`] is a fixed number of threads: the default is one for each processor.
//! [`Workers::PerRun`] starts a thread for each run, for jobs that block. Change them at any time
//! with [`Scheduler::set_workers`].
//!
//! # Observing
//!
//! [`Scheduler::stats`] returns counts and the distribution of lateness. An [`Observer`], set with
//! [`SchedulerBuilder::observer`], receives every [`Event`]. Each event of a schedule is reported
//! exactly once: as started, skipped, coalesced or cancelled.
//!
//! ```
//! use millicron_scheduler::{Event, Outcome, Scheduler};
//!
//! let scheduler = Scheduler::builder()
//!     .observer(|event: &Event| match event {
//!         Event::Finished { run, outcome, duration } if !outcome.is_success() => {
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
//! # Simulation
//!
//! A [`Simulator`] makes the same decisions with a virtual clock, without threads. Use it to try
//! policies: it runs years in seconds, lets you choose how long each run takes, and simulates
//! stalls and clock changes. The same calls always have the same result.
//!
//! # Async jobs with `tokio`
//!
//! With the feature `tokio`, [`Job::future`] creates a job whose runs are futures on a runtime, and
//! [`Ticks`] is a stream of the events of a schedule, for loops that need no scheduler.
//!
#![cfg_attr(feature = "tokio", doc = "[`Job::future`]: Job::future")]
#![cfg_attr(feature = "tokio", doc = "[`Ticks`]: Ticks")]
#![cfg_attr(not(feature = "tokio"), doc = "[`Job::future`]: #features")]
#![cfg_attr(not(feature = "tokio"), doc = "[`Ticks`]: #features")]
//!
//! # Spans with `tracing`
//!
//! With the feature `tracing`, each run executes within a span named `run`, at level `INFO`, with
//! the fields `job`, `scheduled` (in UTC), `lateness` and `outcome`. The future of an async job is
//! polled within it.
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
//! **Retry a failed run.** Let the job add a one-shot job:
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use millicron::schedule;
//! use millicron_scheduler::{AddError, Scheduler, SchedulerHandle};
//!
//! fn upload() -> Result<(), &'static str> {
//!     Err("no connection")
//! }
//!
//! fn upload_with_retries(handle: SchedulerHandle, retries: u32) -> Result<(), AddError> {
//!     match upload() {
//!         Err(_) if retries > 0 => {
//!             let again = handle.clone();
//!             let retry = SystemTime::now() + Duration::from_secs(60);
//!             handle.once(retry, move |_| upload_with_retries(again, retries - 1)).map(drop)
//!         }
//!         _ => Ok(()),
//!     }
//! }
//!
//! let scheduler = Scheduler::new()?;
//! let handle = scheduler.handle();
//! scheduler.add(schedule!("*:00:00"), move |_| upload_with_retries(handle.clone(), 3))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Run a job now, and then on its schedule.** Trigger it after adding it:
//!
//! ```
//! use millicron::schedule;
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! scheduler.add(schedule!("*:00:00"), |_| println!("refreshing"))?.trigger_now();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Change a schedule when the configuration changes.** Keep the handle:
//!
//! ```
//! use millicron::{Schedule, schedule};
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! let job = scheduler.add(schedule!("03:00:00"), |_| {})?;
//! let configured: Schedule = "04:30:00".parse()?;
//! job.reschedule(configured)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Limit the number of jobs.** With a [capacity](SchedulerBuilder::capacity), adding one job too
//! many fails with [`AddError::Full`], which gives the job back.
//!
//! # How it works
//!
//! Waiting jobs are in a heap, ordered by when they are due. The timer sleeps until the first is
//! due, applies the policies of the job to decide which of its events run, and hands these runs to
//! the workers. One lock guards these decisions. Jobs, observers, and the destructors of your
//! values run without it, and a panic in any of them does not stop the scheduler.
//!
//! Jobs live in memory only. To remember across restarts which runs have succeeded, and to let
//! jobs wait for each other, use the package `millicron-pipeline`.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `tokio` | jobs that are futures, and a stream of events |
//! | `tracing` | a span for each run |
//!
//! None is on by default.
//!
//! [`Schedule`]: millicron::Schedule

#![cfg_attr(docsrs, feature(doc_cfg))]

mod clock;
mod completion;
mod core;
mod error;
mod event;
mod handle;
mod instant;
mod job;
mod job_handle;
mod outcome;
mod panics;
mod policy;
mod queue;
mod run;
mod scheduler;
mod shared;
mod simulator;
mod slots;
mod source;
mod span;
mod stats;
mod token;
#[cfg(feature = "tokio")]
mod tokio;

pub use clock::{Clock, ManualClock, SystemClock, Timer};
pub use completion::Completion;
pub use error::AddError;
pub use event::{Event, Observer, SkipReason};
pub use handle::SchedulerHandle;
pub use job::{Job, Task};
pub use job_handle::JobHandle;
pub use outcome::{IntoOutcome, Outcome};
pub use policy::{Missed, Overlap, Workers};
pub use run::{JobName, RunContext};
pub use scheduler::{Scheduler, SchedulerBuilder};
pub use simulator::{SimulatedJob, Simulator};
pub use stats::Stats;
pub use token::CancellationToken;
#[cfg(feature = "tokio")]
pub use tokio::Ticks;

/// The examples of the README, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
