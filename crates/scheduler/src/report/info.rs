//! [`JobInfo`]: the state of a job at one moment.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use millicron::{Interval, Recurrence, Schedule};

use crate::job::{EventSource, SharedRecurrence};
use crate::run::{JobName, Outcome};

/// The state of a job at one moment. [`Scheduler::jobs`](crate::SchedulerHandle::jobs) lists all jobs
/// with their states, and [`JobHandle::info`](crate::JobHandle::info) returns the state of one.
///
/// A plain one-shot job, without a name or policies, has only a name, a status and a next event.
///
/// ```
/// use millicron::schedule;
/// use millicron_scheduler::{JobStatus, Scheduler};
///
/// let scheduler = Scheduler::new()?;
/// let job = scheduler.add(schedule!("*.*.32 23:59:00"), |_| {})?;
/// if let Some(info) = job.info() {
///     assert_eq!(info.status, JobStatus::Waiting);
///     assert_eq!(info.schedule().map(ToString::to_string).as_deref(), Some("*.*.32 23:59:00"));
///     println!("{} runs, {} failed, last {:?}", info.runs, info.failed, info.last_outcome);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JobInfo {
    /// The name, or the number of a job without one.
    pub name: JobName,
    /// The [tags](crate::Job::tag).
    pub tags: Vec<Arc<str>>,
    /// What the job is doing.
    pub status: JobStatus,
    /// The event that the job waits for, without its [jitter](crate::Job::jitter): the
    /// [scheduled](crate::RunContext::scheduled) instant of the next run. `None` if the job is paused or has no further
    /// events.
    pub next: Option<SystemTime>,
    /// How long after an event a run is due, because of the job's [jitter](crate::Job::jitter).
    pub delay: Duration,
    /// The scheduled instant of the run that started last.
    pub last_scheduled: Option<SystemTime>,
    /// When that run started, by the clock.
    pub last_start: Option<SystemTime>,
    /// When a run last ended, by the clock.
    pub last_end: Option<SystemTime>,
    /// How that run ended.
    pub last_outcome: Option<Outcome>,
    /// The number of runs in progress.
    pub running: usize,
    /// The number of runs that have started, without [retries](crate::Retry).
    pub runs: u64,
    /// The number of attempts that did not succeed.
    pub failed: u64,
    /// The number of events that were [skipped](crate::Event::Skipped).
    pub skipped: u64,
    pub(crate) source: Option<Arc<EventSource>>,
}

/// What a job is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JobStatus {
    /// It waits for an event.
    Waiting,
    /// It is paused.
    Paused,
    /// It has no further events, but a run is due or in progress.
    Ending,
}

impl JobInfo {
    /// Returns the schedule of the job, if it has one. Its `Display` writes it as text.
    #[must_use]
    pub fn schedule(&self) -> Option<&Schedule> {
        self.source.as_deref()?.schedule()
    }

    /// Returns the name of the time zone in whose local time the job runs, such as `Europe/Berlin`. `None` is UTC, or
    /// a zone without a name.
    #[must_use]
    pub fn zone_name(&self) -> Option<&str> {
        self.source.as_deref()?.zone_name()
    }

    /// Returns the interval of the job, if it has one.
    #[must_use]
    pub fn interval(&self) -> Option<&Interval> {
        self.source.as_deref()?.interval()
    }

    /// Returns the recurrence of the job. `None` if it runs once.
    ///
    /// Its events are those of the recurrence alone: the job may also have a [start](crate::Job::starting), an
    /// [end](crate::Job::ending) and a [jitter](crate::Job::jitter).
    #[must_use]
    pub fn recurrence(&self) -> Option<Arc<dyn Recurrence + Send + Sync>> {
        Some(Arc::new(SharedRecurrence(Arc::clone(self.source.as_ref()?))))
    }

    /// Describes in plain English when the job runs, such as "At 09:30 on Monday to Friday".
    #[must_use]
    pub const fn description(&self) -> impl fmt::Display {
        Description(self)
    }
}

struct Description<'a>(&'a JobInfo);

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(info) = self;
        let is_zoned = info.source.as_deref().is_some_and(EventSource::is_zoned);
        match (info.schedule(), info.interval()) {
            (Some(schedule), _) if is_zoned => {
                write!(f, "{}, in local time", schedule.describe())
            }
            (Some(schedule), _) => write!(f, "{}", schedule.describe()),
            (None, Some(interval)) => write!(f, "{interval}"),
            (None, None) => f.write_str("At custom instants"),
        }
    }
}
