//! Runs jobs at the events of schedules: however many jobs wait, on one timer and
//! a few workers.
//!
//! ```
//! use std::time::Duration;
//!
//! use millicron::{every, schedule};
//! use millicron_scheduler::{Job, Overlap, Scheduler};
//!
//! let scheduler = Scheduler::new()?;
//!
//! let cleaning = scheduler.add(schedule!("*:00:00"), |run| {
//!     println!("{} is {:?} late", run.job_name(), run.lateness());
//! })?;
//! let report = Job::new(|_| std::fs::write("report", "all is well"))
//!     .name("report")
//!     .overlap(Overlap::Queue { max: 1 });
//! scheduler.add_job(every(90).minutes(), report)?;
//!
//! assert!(cleaning.next_event().is_some());
//! cleaning.cancel();
//! assert!(scheduler.close_and_wait(Duration::from_secs(5)).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is made
//!
//! - `queue` is what waits, by the time it is due, and `slots` is where jobs lie:
//!   one that is cancelled leaves both at once;
//! - `core` is the machine: which job waits, is due, runs. It knows no threads and
//!   no clock. `control` is what is done to jobs from outside;
//! - `shared` is the threads: a timer, which waits for the next job that is due, and
//!   workers, which take what is ready;
//! - [`Simulator`] drives the machine by a virtual clock, without threads;
//! - [`Timetable`] is when a job runs, [`Clock`] is what time it is;
//! - [`Event`] is what happened, for an [`Observer`];
//! - `pipeline` stands on all of that, with the feature `dependency`: it lets runs wait
//!   for those that they need.

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
