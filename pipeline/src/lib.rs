//! May this run start? Jobs that need each other, of any two periods, answered
//! from their schedules and a history of successes.
//!
//! ```
//! use millicron_pipeline::{History, MemoryHistory, Need, Pipeline, Readiness};
//! use millicron::{CalendarDigits, schedule};
//!
//! let pipeline = Pipeline::builder()
//!     .since(1_795_046_400_000) // 2026-11-19 00:00:00
//!     .job("load", schedule!("*:01:04"), [])
//!     .job("rates", schedule!("2:30:00"), [])
//!     .job("report", schedule!("3:01:03"), [Need::all("load"), Need::latest("rates")])
//!     .build()?;
//!
//! let run = "2026-11-21 03:01:03.000".parse().map(CalendarDigits::to_millis)?;
//! let mut history = MemoryHistory::new();
//! // Everything before midnight has succeeded, in an order that holds every need.
//! let midnight = "2026-11-21 00:00:00.000".parse().map(CalendarDigits::to_millis)?;
//! for run in pipeline.plan(..midnight) {
//!     history.record(run.job, run.scheduled)?;
//! }
//! assert_eq!(
//!     pipeline.ready("report", run, &history)?.to_string(),
//!     "waiting for `load` 2026-11-21 00:01:04 … 2026-11-21 02:01:04 (3); \
//!      and for `rates` 2026-11-21 02:30:00 or later",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A run is known by the name of its job and its scheduled instant, an event of the job's
//! schedule. Nothing here needs the scheduler: whoever runs jobs asks
//! [`Pipeline::ready`] before a run, and [records](History::record) its success after
//! it. With the feature `scheduler`, `add_pipeline` of a scheduler does so.
//!
//! # Data intervals
//!
//! A run scheduled at `s` covers the data from the event before `s` up to `s`. So the
//! intervals of a job's runs follow each other without a gap or an overlap, whatever the
//! schedule. [`Schedule::covers`](millicron::Schedule::covers) tells the
//! upstream runs whose data such an interval holds, and
//! [`Need::all`] that all of these are needed.
//!
//! # The check point
//!
//! [`Need::latest`] is the classic rule, which needs one upstream success and no
//! list. Of the units of the two jobs' [cycles](millicron::Schedule::cycle), the larger decides:
//! the check point is the first upstream event at or after the start of the day, say, that
//! the run is in, and a success at or after it is enough.
//!
//! | upstream | job | the cycle | check point of the run at 5 o'clock |
//! | --- | --- | --- | --- |
//! | `2:01:04` | `5:00:01` | day | 02:01:04 |
//! | `*:01:04` | `5:01:03` | day | 00:01:04: any success of the day will do |
//! | `3:01:03` | `*:01:02` | day | 03:01:03; also of the runs at 0, 1, 2 and 3 o'clock, which wait for it |
//! | `1,13:01:04` | `5:01:03` | day | 01:01:04 |
//! | `*:*/5:03` | `*:05:04` | hour | 05:00:03 |
//!
//! - The start is told by the clocks of the job whose unit is larger; of the job itself
//!   where they are equal. Weeks begin on Monday.
//! - The check point may come after the run, which then waits for it: an hourly job needs
//!   the daily run of its day. Where upstream has no event in the cycle, as
//!   `*.*.31` in April, or `*.*.* Mon-Fri` on a Saturday, that is the first one after it.
//!   [`Need::cycles_back`] looks at the cycle before, and [`Need::by`] at another unit.
//! - An upstream job that begins after the cycle is not waited for where the pipeline
//!   begins within the cycle, nor by a need that looks back. Of one that will never run
//!   again, the check point is the last run.
//!
//! # A schedule that changes
//!
//! Records are of instants, not of schedules. When the schedule of a job changes, tell
//! the pipeline what it was: [`Builder::formerly`].
//!
//! # Instants
//!
//! Instants are in milliseconds since 1970-01-01 00:00:00: of UTC, where a job has a zone,
//! or where the scheduler runs them; else of whatever civil time the schedules speak.
//! Questions take any [`Instant`](millicron::Instant).
//!
//! # A table of constants
//!
//! Schedules and needs are values that can stand in a `const`, so a pipeline can be
//! a table that the compiler checks:
//!
//! ```
//! use millicron_pipeline::{Need, Pipeline, PipelineError};
//! use millicron::{Schedule, schedule};
//!
//! const JOBS: [(&str, Schedule, &[Need<'static>]); 3] = [
//!     ("load", schedule!("*:01:04"), &[]),
//!     ("report", schedule!("3:01:03"), &[Need::all("load")]),
//!     ("bill", schedule!("*.*.1 4:00:00"), &[Need::all("report"), Need::self_previous()]),
//! ];
//!
//! fn pipeline() -> Result<Pipeline, PipelineError> {
//!     let mut pipeline = Pipeline::builder();
//!     for (name, schedule, needs) in JOBS {
//!         pipeline = pipeline.job(name, schedule, needs.iter().copied());
//!     }
//!     pipeline.build()
//! }
//!
//! assert_eq!(pipeline()?.jobs().len(), 3);
//! # Ok::<(), PipelineError>(())
//! ```
//!
//! # How it is made
//!
//! - `cycle`, `around` and `covers` are questions to a schedule;
//! - `recurring` is what is asked of the schedule of a job, and `timeline` the same where it
//!   was changed;
//! - `need` is what a user writes, `demand` what that comes to for one run: the
//!   one place that knows the rules. `ready` asks a history for it, `plan` puts runs in
//!   order by it, `unlock` turns it around, `explain` says it in words, and `check`
//!   finds what can never be.

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod check;
mod covers;
mod demand;
mod error;
mod explain;
mod history;
mod missing;
mod need;
mod pipeline;
mod plan;
mod ready;
#[cfg(feature = "scheduler")]
mod runner;
mod timeline;
mod unlock;
mod words;

pub use covers::Covers;
pub use error::{AskError, Never, PipelineError, Problem};
pub use explain::Explanation;
pub use history::{History, MemoryHistory};
#[cfg(feature = "sqlite")]
pub use history::{SqliteError, SqliteHistory};
pub use missing::{Missing, Stretch};
pub use need::Need;
pub use pipeline::{Builder, Pipeline};
pub use plan::Plan;
pub use ready::{Readiness, Reason, Run, Waiting};
#[cfg(feature = "scheduler")]
pub use runner::{JobProblem, Launch, LaunchError, Patience, RunningPipeline, WaitingRun};
