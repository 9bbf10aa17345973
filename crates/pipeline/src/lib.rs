//! Dependencies between scheduled jobs: may this run start, and if not, what is it waiting for?
//!
//! A [`Pipeline`] has jobs of any periods, such as an hourly load and a daily report, and knows
//! which runs of one job need which runs of another. It answers from the jobs' schedules and a
//! [`History`] of successes, without threads or a clock. Query it before you start a run, or let it
//! run your jobs [on the scheduler](#running-on-the-scheduler).
//!
//! ```
//! use millicron::{CalendarDigits, schedule};
//! use millicron_pipeline::{History, MemoryHistory, Need, Pipeline};
//!
//! let at = |text: &str| text.parse().map(CalendarDigits::to_millis);
//!
//! let pipeline = Pipeline::builder()
//!     .since(at("2026-11-19 00:00:00")?)
//!     .job("load", schedule!("*:01:04"), [])
//!     .job("rates", schedule!("2:30:00"), [])
//!     .job("report", schedule!("3:01:03"), [Need::all("load"), Need::last("rates")])
//!     .build()?;
//!
//! // Every run before midnight has succeeded.
//! let mut history = MemoryHistory::new();
//! for run in pipeline.plan(..at("2026-11-21 00:00:00")?)? {
//!     history.record(run.job, run.scheduled)?;
//! }
//!
//! let readiness = pipeline.ready("report", at("2026-11-21 03:01:03")?, &history)?;
//! assert_eq!(
//!     readiness.to_string(),
//!     "waiting for `load` 2026-11-21 00:01:04 … 2026-11-21 02:01:04 (3); \
//!      and for `rates` 2026-11-21 02:30:00",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Runs
//!
//! A run is identified by the name of its job and its scheduled instant, which is an event of the
//! job's schedule. [`Pipeline`] has these queries:
//!
//! - [`ready`](Pipeline::ready): may a run start, and if not, which runs are missing?
//! - [`runs_unlocked_by`](Pipeline::runs_unlocked_by): which runs may start because this one has
//!   ended?
//! - [`plan`](Pipeline::plan): in which order should all runs in a range be run?
//! - [`downstream`](Pipeline::downstream): which runs used this one, and must be rerun if it was
//!   wrong?
//! - [`oldest_needed`](Pipeline::oldest_needed): how much of a job's history is still needed?
//!   [`prune`](Pipeline::prune) removes the rest, of all jobs.
//! - [`explain`](Pipeline::explain): what does a job need?
//! - [`neighbors`](Pipeline::neighbors): which runs come before, at and after an instant?
//!
//! # Needs
//!
//! Two needs are enough for most jobs:
//!
//! - [`Need::last`] needs the last upstream run at or before the run, the newest that can exist.
//!   [`within`](Need::within) and [`within_unit`](Need::within_unit) limit its age.
//! - [`Need::all`] needs every upstream run since the job's own previous run.
//!
//! | upstream | job | run at | `last` needs | `all` needs |
//! | --- | --- | --- | --- | --- |
//! | `*:01:04` | `3:01:03` | 03:01:03 | 02:01:04 | 24 runs: 03:01:04 of the day before to 02:01:04 |
//! | `3:01:03` | `*:01:02` | 05:01:02 | 03:01:03 | nothing |
//! | `2,4:00:00` | `2,4:10:00` | 04:10:00 | 04:00:00 | 04:00:00 |
//! | `*.*.10 1:00:00` | `3:00:00` | May 5 | April 10 | nothing |
//! | `*.*.* Mon-Fri 18:00:00` | `20:00:00` | Saturday | Friday | nothing |
//!
//! Other needs cover special cases: the [data of a calendar unit](#data-intervals), [one success
//! since a check point](#the-check-point), a minimum number of runs, the job's own previous run,
//! and alternatives. See [`Need`] for the full list.
//!
//! # Data intervals
//!
//! A run scheduled at `s` covers the data from the previous event, exclusive, up to `s`, inclusive.
//! The intervals of a job's runs therefore follow each other without gaps or overlaps, whatever the
//! schedule. [`Covers::covers`] returns the interval of a run, and [`Need::all`] needs every
//! upstream run in that interval. A daily run at 3:01:03 needs the 24 hourly runs since
//! yesterday's.
//!
//! [`Need::all_data`] needs the upstream runs with the data of a calendar unit, such as yesterday. An
//! upstream run belongs to the unit in which its interval begins.
//!
//! | upstream | yesterday's data is in the runs |
//! | --- | --- |
//! | `*:00:00` | from 01:00 to 24:00 |
//! | `*:01:04` | from 01:01:04 to 00:01:04 of today |
//! | `2:30:00` | at 02:30 today, whose interval began at 02:30 yesterday |
//!
//! # The check point
//!
//! [`Need::latest`] needs a single upstream success, at or after a check point. Classic schedulers
//! use this rule. It lets a run start even though a later upstream run has failed, so most jobs
//! want [`Need::last`] instead.
//!
//! The *check period* is a calendar unit: the larger unit of the two jobs'
//! [periods](millicron::Schedule::period). For an hourly and a daily job, it is a day. The *check
//! point* is the first upstream event at or after the start of the check period that contains the
//! run. Any success at or after the check point meets the need.
//!
//! | upstream | job | check period | check point of the run at 5 o'clock |
//! | --- | --- | --- | --- |
//! | `2:01:04` | `5:00:01` | day | 02:01:04 |
//! | `*:01:04` | `5:01:03` | day | 00:01:04: any success of the day is enough |
//! | `3:01:03` | `*:01:02` | day | 03:01:03; the runs at 0, 1, 2 and 3 o'clock wait for it, too |
//! | `1,13:01:04` | `5:01:03` | day | 01:01:04 |
//! | `*:*/5:03` | `*:05:04` | hour | 05:00:03 |
//!
//! - The check period is in the local time of the job with the larger unit, or of the job itself if
//!   the units are equal. Weeks start on Monday.
//! - The check point may be after the run, which then waits for it: an hourly job needs the daily
//!   run of its day. If the upstream job has no event in the check period, such as `*.*.31` in
//!   April or `*.*.* Mon-Fri` on a Saturday, the check point is its first event after the period.
//! - A job does not wait for an upstream job whose first event is after the check period, if the
//!   pipeline begins within the period or the need looks back. If the upstream job will never run
//!   again, its last run is the check point.
//!
//! If a job has several events in its unit, such as `1,13:01:04`, the first event of the unit is
//! the check point of all runs in that unit. [`Need::classic`] instead uses the shortest gap
//! between events as the check period. It is 12 hours here, so the check point of the run at 23
//! o'clock is 13:01:04.
//!
//! # Looking back
//!
//! By default, a need concerns the run's own instant, interval or check period. Three methods shift
//! it back. Their effects add up:
//!
//! - [`Need::events_back`] needs what an earlier run of the same job needs.
//! - [`Need::time_back`] needs what a run would need if it were earlier by an elapsed time, such as
//!   an hour.
//! - [`Need::periods_back`] looks at an earlier check period as a whole: with 1, a daily job needs
//!   yesterday's hourly runs.
//!
//! [`Need::period`] sets another unit as the check period. A period that no need uses is an
//! [error](PipelineProblem::UnusedSetting), since it would have no effect.
//!
//! # Runs that failed or were skipped
//!
//! By default, only a success meets a need. [`Need::ended`] accepts every [`RunState`].
//!
//! # Schedules that change
//!
//! A history records instants, not schedules. When you change a job's schedule, pass the previous
//! one to [`PipelineBuilder::previous_schedule`], so that earlier records keep their meaning.
//!
//! # Instants
//!
//! Histories and results are in milliseconds since 1970-01-01 00:00:00 UTC, so a schedule without a
//! time zone is in UTC. The methods of [`Pipeline`] accept any
//! [`Instant`](millicron::Instant), such as a [`SystemTime`][system_time].
//!
//! If no job has a time zone, these methods accept civil times as well, such as
//! [`CalendarDigits`](millicron::CalendarDigits), and everything is in civil time. (The scheduler
//! uses UTC.) If a job has a time zone, a civil time is an [error](QueryError::CivilTime), because
//! it may occur twice. Mixing schedules with and without a time zone in one pipeline is an
//! [error](PipelineProblem::MixedZones): if you mean UTC, pass it to `in_zone`.
//!
//! Reasons show the local time of a job with a time zone, followed by its offset from UTC.
//!
//! # Histories
//!
//! A [`History`] records how runs ended. [`MemoryHistory`] keeps the records in memory.
//! [`SqliteHistory`][sqlite] keeps them in a file that survives crashes and that several processes
//! can share. [`PostgresHistory`][postgres] keeps them on a server that several machines can share.
//! To store them elsewhere, implement four methods, and [`Claims`] to run a pipeline
//! [on the scheduler](#running-on-the-scheduler).
//!
//! Runners that share a history can [claim](Claims) each run before they start it, so that each run
//! starts only once, however many runners there are.
//!
//! # Tools
//!
//! [`Pipeline::jobs`] and [`Pipeline::job`] return the jobs with their schedules, their needs and
//! their upstream and downstream jobs. [`Pipeline::diagram`] draws the graph with Mermaid or
//! Graphviz, and [`Pipeline::diagram_of_runs`] adds how the runs of a day ended.
//!
//! # Running on the scheduler
//!
//! With the feature `scheduler`, [`Pipeline::run_on`][run_on] runs the jobs of a pipeline on a
//! [`Scheduler`](https://docs.rs/millicron-scheduler). A run that is due but not ready waits, and
//! starts when the last run that it needs has succeeded. The runner records how runs ended. By default,
//! failed runs are not [retried][retry], and runs wait [without a limit][wait_policy]. Several runners
//! can share a history if they [claim][claim_runs] runs.
//!
#![cfg_attr(feature = "scheduler", doc = "```no_run")]
#![cfg_attr(not(feature = "scheduler"), doc = "```ignore")]
//! use std::time::{Duration, SystemTime};
//!
//! use millicron::schedule;
//! use millicron_pipeline::{MemoryHistory, Need, Pipeline, WaitPolicy};
//! use millicron_scheduler::Scheduler;
//!
//! let scheduler = Scheduler::new()?;
//! let running = Pipeline::builder()
//!     .since(SystemTime::now())
//!     .job("load", schedule!("*:01:04"), [])
//!     .job("report", schedule!("3:01:03"), [Need::all("load")])
//!     .build()?
//!     .run_on(&scheduler, MemoryHistory::new())
//!     .run("load", |run| println!("load {:?}", run.scheduled()))
//!     .run("report", |_| println!("report"))
//!     .wait_policy(WaitPolicy::FailAfter(Duration::from_secs(2 * 3600)))
//!     .start()?;
//!
//! for run in running.waiting() {
//!     println!("{run}"); // `report` … waits for `load` …
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Recipes
//!
//! ## Needs
//!
//! ```
//! use millicron::Unit;
//! use millicron_pipeline::Need;
//!
//! /// The last run.
//! const LAST: Need = Need::last("rates");
//! /// The last run, if it is of today; otherwise the next one.
//! const FRESH: Need = Need::last("rates").within_unit(Unit::Day);
//! /// All runs since the job's own previous run.
//! const ALL: Need = Need::all("load");
//! /// At least 20 of them.
//! const MOST: Need = Need::at_least(20, "load");
//! /// All runs with the data of yesterday, whenever the job runs today.
//! const YESTERDAY: Need = Need::all_data("load", Unit::Day);
//! /// All runs that were scheduled yesterday.
//! const SCHEDULED_YESTERDAY: Need = Need::all("load").period(Unit::Day).periods_back(1);
//! /// Any success since the first run of today.
//! const TODAY: Need = Need::latest("rates").period(Unit::Day);
//! /// One of two sources.
//! const EITHER: Need = Need::any_of(&[Need::last("bank"), Need::last("exchange")]);
//! /// The last run has ended, even if it failed.
//! const ENDED: Need = Need::last("load").ended();
//! /// One run after another.
//! const IN_ORDER: Need = Need::self_previous();
//! # _ = (LAST, FRESH, ALL, MOST, YESTERDAY, SCHEDULED_YESTERDAY, TODAY, EITHER, ENDED, IN_ORDER);
//! ```
//!
//! ## Local time
//!
//! Give each schedule its zone. Days may then have 23 or 25 hours, and needs follow.
//!
//! ```
//! use jiff::tz::TimeZone;
//! use millicron::schedule;
//! use millicron_pipeline::{Need, Pipeline};
//!
//! let berlin = TimeZone::get("Europe/Berlin")?;
//! let pipeline = Pipeline::builder()
//!     .job("load", schedule!("*:00:00").in_zone(berlin.clone()), [])
//!     .job("report", schedule!("0:00:00").in_zone(berlin), [Need::all("load")])
//!     .build()?;
//! # assert_eq!(pipeline.jobs().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## Intervals, and your own recurrences
//!
//! A job's schedule is any [`Recurrence`](millicron::Recurrence). Start an interval at a fixed
//! instant, so that its runs are the same after a restart.
//!
//! ```
//! use millicron::{IntoRecurrence, every, schedule};
//! use millicron_pipeline::{Need, Pipeline};
//!
//! let start = 1_795_219_200_000; // 2026-11-21 00:00:00
//! let pipeline = Pipeline::builder()
//!     .since(start)
//!     .job("poll", every(90).minutes().from(start).into_recurrence(start)?, [])
//!     .job("report", schedule!("3:00:00"), [Need::all("poll")])
//!     .build()?;
//! assert_eq!(
//!     pipeline.explain("poll")?.to_string(),
//!     "`poll` runs 16 times a day. It needs nothing.",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## A table of constants
//!
//! Schedules and needs are constants, so a pipeline can be a table that the compiler checks:
//!
//! ```
//! use millicron::{Schedule, schedule};
//! use millicron_pipeline::{Need, Pipeline, PipelineError};
//!
//! const JOBS: [(&str, Schedule, &[Need<'static>]); 3] = [
//!     ("load", schedule!("*:01:04"), &[]),
//!     ("report", schedule!("3:01:03"), &[Need::all("load")]),
//!     ("bill", schedule!("*.*.1 4:00:00"), &[Need::all("report"), Need::self_previous()]),
//! ];
//!
//! fn pipeline() -> Result<Pipeline, PipelineError> {
//!     let mut builder = Pipeline::builder();
//!     for (name, schedule, needs) in JOBS {
//!         builder = builder.job(name, schedule, needs.iter().copied());
//!     }
//!     builder.build()
//! }
//!
//! assert_eq!(pipeline()?.jobs().len(), 3);
//! # Ok::<(), PipelineError>(())
//! ```
//!
//! # Crate features
//!
//! No feature is enabled by default. Without features, the crate is `no_std` and needs only
//! `alloc`.
//!
//! - `postgres` adds a history in `PostgreSQL`.
//! - `scheduler` runs the jobs of a pipeline on `millicron-scheduler`.
//! - `sqlite` adds a history in an `SQLite` file. It compiles `SQLite`, which requires a C
//!   compiler.
//! - `std` accepts a [`SystemTime`][system_time] as an instant, and implements [`Claims`] for
//!   [`MemoryHistory`]. The other features enable it.
//!
//! [system_time]: https://doc.rust-lang.org/std/time/struct.SystemTime.html
#![cfg_attr(feature = "postgres", doc = "[postgres]: crate::PostgresHistory")]
#![cfg_attr(not(feature = "postgres"), doc = "[postgres]: #crate-features")]
#![cfg_attr(feature = "sqlite", doc = "[sqlite]: crate::SqliteHistory")]
#![cfg_attr(not(feature = "sqlite"), doc = "[sqlite]: #crate-features")]
#![cfg_attr(feature = "scheduler", doc = "[run_on]: crate::Pipeline::run_on")]
#![cfg_attr(not(feature = "scheduler"), doc = "[run_on]: #crate-features")]
#![cfg_attr(feature = "scheduler", doc = "[retry]: crate::PipelineRunner::retry")]
#![cfg_attr(not(feature = "scheduler"), doc = "[retry]: #crate-features")]
#![cfg_attr(feature = "scheduler", doc = "[wait_policy]: crate::PipelineRunner::wait_policy")]
#![cfg_attr(not(feature = "scheduler"), doc = "[wait_policy]: #crate-features")]
#![cfg_attr(feature = "scheduler", doc = "[claim_runs]: crate::PipelineRunner::claim_runs")]
#![cfg_attr(not(feature = "scheduler"), doc = "[claim_runs]: #crate-features")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// Users write a `need`. `builder` resolves it to a `requirement`, and `validation` finds those that
// can never be met. Only `model::relation` knows which events a run needs: `query` looks them up
// in a history, orders runs by them, and searches in the other direction.
mod builder;
mod diagram;
mod error;
mod model;
mod query;
#[cfg(feature = "scheduler")]
mod runner;
mod timestamp;
mod validation;

pub use builder::PipelineBuilder;
pub use diagram::{Diagram, RunCounts};
pub use error::{Impossible, PipelineError, PipelineProblem, QueryError, Setting};
#[cfg(feature = "scheduler")]
pub use error::{JobProblem, StartError};
pub use millicron_history::{
    Backoff, Claim, ClaimError, ClaimOutcome, Claims, History, MemoryHistory, RunQuery, RunRecord,
    RunState, StartedRun, error_message,
};
#[cfg(feature = "postgres")]
pub use millicron_history::{PostgresBuilder, PostgresError, PostgresErrorKind, PostgresHistory};
#[cfg(feature = "sqlite")]
pub use millicron_history::{SqliteError, SqliteErrorKind, SqliteHistory};
pub use model::data_interval::Covers;
pub use model::need::{AgeLimit, Need, Rule};
pub use model::pipeline::Pipeline;
pub use model::run::PipelineRun;
pub use query::downstream::Downstream;
pub use query::explain::Explanation;
pub use query::job::{Dependency, PipelineJob};
pub use query::missing::{Missing, MissingRange};
pub use query::plan::Plan;
pub use query::readiness::{Expired, Readiness, Reason, Waiting};
#[cfg(feature = "scheduler")]
pub use runner::{EndedRun, PipelineRunner, RunningPipeline, WaitPolicy, WaitingRun};

#[doc = include_str!("../README.md")]
#[cfg(all(doctest, feature = "scheduler", feature = "sqlite"))]
struct ReadmeDoctests;
