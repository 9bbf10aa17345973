//! [`RunContext`], [`RunKind`] and [`JobName`]: the details of a run.

mod outcome;
pub(crate) mod span;
mod token;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use self::outcome::{BoxedError, IntoOutcome, Outcome, PlainError};
pub(crate) use self::span::Span;
pub use self::token::CancellationToken;

use crate::time::Nanos;

/// Identifies a run among the runs of a scheduler that are in progress. It is never used again.
pub(crate) type RunId = slotmap::DefaultKey;

/// The name of a job, or its number if it has no name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum JobName {
    /// The number of a job without a name: jobs are numbered from 1, in the order in which they
    /// are added.
    Number(u64),
    /// The name given with [`Job::name`](crate::Job::name).
    Given(Arc<str>),
    /// An [internal](crate::Job::internal) job, with its name: that of the job that it works for, if
    /// any.
    Internal(Option<Arc<str>>),
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "#{number}"),
            Self::Given(name) | Self::Internal(Some(name)) => f.write_str(name),
            Self::Internal(None) => f.write_str("an internal job"),
        }
    }
}

/// What a run was started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunKind {
    /// An event of the job's schedule.
    Scheduled,
    /// A call of [`JobHandle::trigger_now`](crate::JobHandle::trigger_now).
    Triggered,
}

/// The details of one run of a job.
///
/// A job's closure receives it, and observers receive it with [events](crate::Event). The
/// [name](Self::job_name) of the job and the [scheduled](Self::scheduled) instant together
/// identify a run.
#[derive(Clone, Debug)]
pub struct RunContext {
    pub(crate) job: JobName,
    pub(crate) kind: RunKind,
    pub(crate) scheduled: Nanos,
    pub(crate) started: Nanos,
    pub(crate) lateness: Duration,
    pub(crate) number: u64,
    pub(crate) attempt: u32,
    pub(crate) coalesced: u64,
    pub(crate) token: CancellationToken,
}

impl RunContext {
    /// Returns the name of the job.
    #[must_use]
    pub const fn job_name(&self) -> &JobName {
        &self.job
    }

    /// Returns what the run was started for. All attempts of a run have the same kind.
    #[must_use]
    pub const fn kind(&self) -> RunKind {
        self.kind
    }

    /// Returns the instant of the event. For a [triggered](RunKind::Triggered) run it is the instant of
    /// the trigger, which is never the instant of an event. The events of an [interval](millicron::every) count
    /// elapsed time, so they differ from the clock if it was set since the job was added; see [When the clock is
    /// set](crate#when-the-clock-is-set).
    #[must_use]
    pub fn scheduled(&self) -> SystemTime {
        self.scheduled.time()
    }

    /// Returns the instant at which a worker took the run, by the clock. It is not before the
    /// [scheduled](Self::scheduled) instant, unless the clock was set back in between, or for an
    /// [interval](millicron::every) since the job was added, or several runs were triggered at one instant.
    #[must_use]
    pub fn started(&self) -> SystemTime {
        self.started.time()
    }

    /// Returns how late the run started: the time from the [scheduled](Self::scheduled) instant to
    /// the [start](Self::started), without the job's [jitter](crate::Job::jitter). The lateness of a
    /// [retry](crate::Retry) counts from the end of its wait. Lateness is measured by the clock, or
    /// for an [interval](millicron::every) by elapsed time.
    #[must_use]
    pub const fn lateness(&self) -> Duration {
        self.lateness
    }

    /// Returns the number of this run among the runs of its job, from 1. All attempts of a run have
    /// the same number.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of the attempt, from 1; see [`Retry`](crate::Retry).
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the number of missed events that this run also covers; see
    /// [`Missed::Coalesce`](crate::Missed::Coalesce).
    #[must_use]
    pub const fn coalesced(&self) -> u64 {
        self.coalesced
    }

    /// Returns the token that is cancelled when the run should end early.
    #[must_use]
    pub const fn token(&self) -> &CancellationToken {
        &self.token
    }
}
