//! [`Readiness`]: whether a run may start, and if not, what it waits for.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::missing::Missing;
use crate::model::need::AgeLimit;
use crate::model::run::PipelineRun;
use crate::timestamp::Timestamp;

/// Whether a run may start; returned by [`Pipeline::ready`](crate::Pipeline::ready).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[expect(clippy::exhaustive_enums, reason = "a run may start or not")]
pub enum Readiness<'a> {
    /// All needs of the run are met.
    Ready,
    /// Some needs of the run are not met.
    Waiting(Waiting<'a>),
}

impl<'a> Readiness<'a> {
    /// Returns whether the run may start.
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self, Self::Ready)
    }

    /// Returns what the run waits for; `None` if it may start.
    #[must_use]
    pub fn waiting(self) -> Option<Waiting<'a>> {
        match self {
            Self::Ready => None,
            Self::Waiting(waiting) => Some(waiting),
        }
    }
}

impl fmt::Display for Readiness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => f.write_str("ready"),
            Self::Waiting(waiting) => write!(f, "waiting for {waiting}"),
        }
    }
}

/// What a run waits for: the needs that are not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting<'a> {
    reasons: Vec<Reason<'a>>,
}

/// A need of a run that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason<'a> {
    /// An upstream job has not succeeded at or after the check point.
    Latest {
        /// The upstream job.
        job: &'a str,
        /// The check point: an event of the upstream job, in milliseconds since 1970-01-01
        /// 00:00:00.
        check_point: i64,
        /// The milliseconds by which the upstream job's local time is ahead of UTC then; `None` if
        /// it has no time zone.
        offset: Option<i32>,
    },
    /// The [last run](crate::Need::last) of an upstream job has not succeeded.
    Last {
        /// The upstream job.
        job: &'a str,
        /// The run, in milliseconds since 1970-01-01 00:00:00.
        scheduled: i64,
        /// The milliseconds by which the upstream job's local time is ahead of UTC then; `None` if
        /// it has no time zone.
        offset: Option<i32>,
        /// Why this later run is needed; `None` if `scheduled` is the last run.
        expired: Option<Expired>,
    },
    /// Runs of an upstream job have not succeeded.
    Runs {
        /// The upstream job.
        job: &'a str,
        /// The runs that have not succeeded.
        missing: Missing<'a>,
        /// How many of the missing runs are needed: all, or fewer with
        /// [`at_least`](crate::Need::at_least).
        needed: u64,
    },
    /// None of several alternatives is met. Contains what each alternative waits for.
    AnyOf(Vec<Waiting<'a>>),
}

/// Why the last run of an upstream job is not recent enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expired {
    /// The maximum age.
    pub limit: AgeLimit,
    /// The last run, in milliseconds since 1970-01-01 00:00:00; `None` if there is no such run.
    pub last: Option<i64>,
    /// The milliseconds by which the upstream job's local time is ahead of UTC at the last run.
    pub offset: Option<i32>,
}

impl fmt::Display for Expired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, last, offset } = *self;
        match last {
            Some(instant) => {
                let last = Timestamp { instant, offset };
                write!(f, "the one at {last} is too old: it must be {limit}")
            }
            None => write!(f, "the next one, because none is {limit}"),
        }
    }
}

impl<'a> Waiting<'a> {
    pub(crate) const fn new(reasons: Vec<Reason<'a>>) -> Self {
        Self { reasons }
    }

    /// Returns the reasons why the run waits. It may start once none of them applies.
    #[must_use]
    pub fn reasons(&self) -> &[Reason<'a>] {
        &self.reasons
    }

    /// Returns the missing runs. For a check point, this is the run at the check point, although
    /// any later success is enough. For alternatives, these are the runs of all of them.
    pub fn runs(&self) -> impl Iterator<Item = PipelineRun<'_>> {
        self.reasons.iter().flat_map(Reason::runs)
    }
}

impl Reason<'_> {
    fn runs(&self) -> Box<dyn Iterator<Item = PipelineRun<'_>> + '_> {
        match self {
            Self::Latest { job, check_point: scheduled, .. }
            | Self::Last { job, scheduled, .. } => {
                Box::new(core::iter::once(PipelineRun { job, scheduled: *scheduled }))
            }
            Self::Runs { job, missing, .. } => {
                Box::new(missing.instants().map(|scheduled| PipelineRun { scheduled, job }))
            }
            Self::AnyOf(alternatives) => Box::new(alternatives.iter().flat_map(Waiting::runs)),
        }
    }
}

impl fmt::Display for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, reason) in self.reasons.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; and for " };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest { job, check_point: instant, offset } => {
                let check_point = Timestamp { instant: *instant, offset: *offset };
                write!(f, "`{job}` {check_point} or later")
            }
            Self::Last { job, scheduled: instant, offset, expired } => {
                write!(f, "`{job}` {}", Timestamp { instant: *instant, offset: *offset })?;
                expired.map_or(Ok(()), |expired| write!(f, " ({expired})"))
            }
            Self::Runs { job, missing, needed } => {
                if *needed < missing.count() {
                    write!(f, "{needed} of ")?;
                }
                write!(f, "`{job}` {missing}")
            }
            Self::AnyOf(alternatives) => {
                for (index, alternative) in alternatives.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", or for " };
                    match alternative.reasons.len() {
                        1 => write!(f, "{separator}{alternative}")?,
                        _ => write!(f, "{separator}({alternative})")?,
                    }
                }
                Ok(())
            }
        }
    }
}
