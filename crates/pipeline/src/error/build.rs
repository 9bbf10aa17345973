//! [`PipelineError`] and [`PipelineProblem`].

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use millicron::Unit;

use crate::timestamp::Timestamp;

/// An error returned by [`PipelineBuilder::build`](crate::PipelineBuilder::build). It contains
/// every problem of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineError {
    pub(crate) problems: Vec<PipelineProblem>,
}

impl PipelineError {
    /// Returns the problems. There is at least one.
    #[must_use]
    pub fn problems(&self) -> &[PipelineProblem] {
        &self.problems
    }
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.problems {
            [problem] => write!(f, "invalid pipeline: {problem}"),
            problems => {
                write!(f, "invalid pipeline:")?;
                problems.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
            }
        }
    }
}

impl Error for PipelineError {}

/// A problem with a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PipelineProblem {
    /// Two jobs have the same name.
    DuplicateJob {
        /// The name.
        job: Box<str>,
    },
    /// A need or a [previous schedule](crate::PipelineBuilder::previous_schedule) names a job that
    /// is not in the pipeline.
    UnknownJob {
        /// The unknown name.
        job: Box<str>,
        /// The job that needs it; `None` for a previous schedule.
        needed_by: Option<Box<str>>,
        /// The names of all jobs.
        known: Arc<[Arc<str>]>,
    },
    /// Jobs need each other in a cycle, so that a run would need itself, or a later run that in
    /// turn needs it.
    ///
    /// A cycle is allowed if one of its needs [looks back](crate#looking-back) far enough:
    ///
    /// - In a cycle of needs that never lead to a later run, any look-back or
    ///   [`self_previous`](crate::Need::self_previous) is enough. These are all needs except
    ///   [`latest`](crate::Need::latest), [`classic`](crate::Need::classic),
    ///   [`all_data`](crate::Need::all_data), and [`last`](crate::Need::last) with a maximum age that
    ///   may be exceeded.
    /// - A cycle with such a `last` is always refused. The age is known never to be exceeded only
    ///   if the needed job's schedule is a cron expression without a time zone that never changed
    ///   and has no gap longer than the age, and if the pipeline
    ///   [began](crate::PipelineBuilder::since) at or after an event of that schedule.
    /// - Otherwise, a need must look back with [`periods_back`](crate::Need::periods_back), and its
    ///   period must be at least as long as every other check period of the cycle. In addition, each
    ///   job must run at least once in each period, the days of all jobs must start at the same
    ///   instants, no schedule may have changed, and weeks cannot be mixed with months or years.
    DependencyCycle {
        /// The names of the jobs. Each job needs the next, and the last one needs the first.
        path: Vec<Box<str>>,
        /// A job of the cycle whose [last](crate::Need::last) run may be older than a need allows,
        /// if any.
        expiring: Option<Box<str>>,
    },
    /// A need has a setting that neither it nor any need inside it uses.
    UnusedSetting {
        /// The job that has the need.
        job: Box<str>,
        /// The setting.
        setting: Setting,
    },
    /// Two schedules of a job were [replaced](crate::PipelineBuilder::previous_schedule) at the same
    /// instant.
    DuplicateChange {
        /// The job.
        job: Box<str>,
        /// The instant, in milliseconds since 1970-01-01 00:00:00.
        until: i64,
        /// The milliseconds by which the job's local time is ahead of UTC then; `None` if it has no
        /// time zone.
        offset: Option<i32>,
    },
    /// One job has a schedule in a time zone, and another has a schedule without one, which would
    /// be in UTC. If you mean UTC, put the schedule in the UTC time zone. Intervals, and
    /// recurrences without a cron expression, need no zone, unless a need uses their
    /// [days](Self::UnitWithoutZone).
    MixedZones {
        /// A job whose schedule has a time zone.
        zoned: Box<str>,
        /// A job whose schedule has no time zone.
        without_zone: Box<str>,
    },
    /// A need uses calendar units of an hour or longer in the local time of an interval or of your
    /// own recurrence without a time zone, while another job has a time zone. The units would be in
    /// UTC. Use a cron expression in a zone, or implement
    /// [`is_zoned`](millicron::Recurrence::is_zoned),
    /// [`offset_at`](millicron::Recurrence::offset_at),
    /// [`unit_start`](millicron::Recurrence::unit_start) and
    /// [`unit_end`](millicron::Recurrence::unit_end) for your recurrence.
    UnitWithoutZone {
        /// The job that has the need.
        job: Box<str>,
        /// The job whose recurrence has no time zone: the job that has the need, or the job that it
        /// needs.
        without_zone: Box<str>,
        /// The unit.
        unit: Unit,
    },
    /// The [beginning](crate::PipelineBuilder::since) of the pipeline or a schedule change is a
    /// civil time, but a job has a time zone.
    CivilTime {
        /// A job whose schedule has a time zone.
        job: Box<str>,
    },
    /// The needs of a job are nested too deeply.
    TooDeep {
        /// The job.
        job: Box<str>,
        /// The maximum depth.
        max: usize,
    },
    /// A job never runs: its schedule has no event since the pipeline began.
    NeverRuns {
        /// The job.
        job: Box<str>,
    },
    /// A job needs one of an empty list of alternatives.
    NoAlternative {
        /// The job.
        job: Box<str>,
    },
    /// A need can never be met.
    ImpossibleNeed {
        /// The job that has the need.
        job: Box<str>,
        /// The job that it needs.
        upstream: Box<str>,
        /// Why the need can never be met.
        reason: Impossible,
    },
}

/// A setting that only some needs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// A [`period`](crate::Need::period). [`latest`](crate::Need::latest) uses it;
    /// [`last`](crate::Need::last), [`all`](crate::Need::all), [`at_least`](crate::Need::at_least)
    /// and [`self_previous`](crate::Need::self_previous) use it with
    /// [`periods_back`](crate::Need::periods_back).
    Period,
    /// A maximum age, set by [`within`](crate::Need::within) or
    /// [`within_unit`](crate::Need::within_unit), which only [`last`](crate::Need::last) uses.
    AgeLimit,
}

/// Why a need can never be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impossible {
    /// Upstream's first run is after the job's last run. Both are in milliseconds since 1970-01-01
    /// 00:00:00.
    TooLate {
        /// Upstream's first run.
        first: i64,
        /// The job's last run.
        last: i64,
        /// The milliseconds by which upstream's local time is ahead of UTC at its first run; `None`
        /// if it has no time zone. Messages show both instants with this offset.
        offset: Option<i32>,
    },
    /// The need requires more runs than any data interval or period contains.
    TooMany {
        /// The number of runs needed.
        count: u64,
        /// The maximum number of runs in an interval or a period.
        max: u64,
    },
}

/// The maximum number of names that a message lists.
const LISTED: usize = 8;

impl fmt::Display for PipelineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateJob { job } => write!(f, "two jobs are named `{job}`"),
            Self::UnknownJob { job, needed_by, known } => {
                unknown_job(f, job, needed_by.as_deref(), known)
            }
            Self::DependencyCycle { path, expiring } => cycle(f, path, expiring.as_deref()),
            Self::UnusedSetting { job, setting: Setting::Period } => write!(
                f,
                "a need of `{job}` does not use its `period`: only `latest` has one, and with \
                 `periods_back` also `last`, `all`, `at_least` and `self_previous`"
            ),
            Self::UnusedSetting { job, setting: Setting::AgeLimit } => write!(
                f,
                "a need of `{job}` does not use its maximum age, set by `within` or \
                 `within_unit`: only `last` has one"
            ),
            Self::DuplicateChange { job, until, offset } => {
                let until = Timestamp { instant: *until, offset: *offset };
                write!(f, "two schedules of `{job}` were replaced at the same instant, {until}")
            }
            Self::MixedZones { zoned, without_zone } => write!(
                f,
                "a schedule of `{zoned}` has a time zone, but one of `{without_zone}` has none: give \
                 it one with `in_zone`, which may be UTC"
            ),
            Self::UnitWithoutZone { job, without_zone, unit } => write!(
                f,
                "a need of `{job}` looks at a {unit} in the local time of `{without_zone}`, which \
                 has no time zone, although others have one"
            ),
            Self::CivilTime { job } => write!(
                f,
                "`since` and `previous_schedule` take no civil time, because `{job}` has a time zone"
            ),
            Self::TooDeep { job, max } => {
                write!(f, "the needs of `{job}` are nested more than {max} levels deep")
            }
            Self::NeverRuns { job } => {
                write!(f, "`{job}` never runs: it has no event since the pipeline began")
            }
            Self::NoAlternative { job } => {
                write!(f, "`{job}` needs one of an empty list of alternatives")
            }
            Self::ImpossibleNeed { job, upstream, reason: Impossible::TooMany { count, max } } => {
                write!(
                    f,
                    "`{job}` needs {count} runs of `{upstream}`, but there are never more than \
                     {max}"
                )
            }
            Self::ImpossibleNeed {
                job,
                upstream,
                reason: Impossible::TooLate { first, last, offset },
            } => {
                let timestamp = |instant: &i64| Timestamp { instant: *instant, offset: *offset };
                write!(
                    f,
                    "`{job}` needs runs of `{upstream}`, but the first of them, at {}, is after \
                     the last run of `{job}`, at {}",
                    timestamp(first),
                    timestamp(last)
                )
            }
        }
    }
}

fn unknown_job(
    f: &mut fmt::Formatter<'_>,
    job: &str,
    needed_by: Option<&str>,
    known: &[Arc<str>],
) -> fmt::Result {
    match needed_by {
        Some(needed_by) => write!(f, "`{needed_by}` needs `{job}`")?,
        None => write!(f, "a previous schedule is set for `{job}`")?,
    }
    f.write_str(", which is not a job of the pipeline")?;
    for (index, name) in known.iter().take(LISTED).enumerate() {
        let separator = if index == 0 { "; its jobs are" } else { "," };
        write!(f, "{separator} `{name}`")?;
    }
    match known.len().checked_sub(LISTED) {
        Some(rest @ 1..) => write!(f, " and {rest} more"),
        _ => Ok(()),
    }
}

fn cycle(f: &mut fmt::Formatter<'_>, path: &[Box<str>], expiring: Option<&str>) -> fmt::Result {
    let [first, rest @ ..] = path else { return f.write_str("dependency cycle") };
    write!(f, "dependency cycle: `{first}` needs ")?;
    for job in rest.iter().take(LISTED) {
        write!(f, "`{job}`, which needs ")?;
    }
    if let Some(more @ 1..) = rest.len().checked_sub(LISTED) {
        write!(f, "{more} more in turn, the last of which needs ")?;
    }
    match expiring {
        None => {
            write!(f, "`{first}`; one of these needs must look back, as with `periods_back(1)`")
        }
        Some(job) => write!(
            f,
            "`{first}`; the last run of `{job}` may be older than its maximum age, and then a later \
             run is needed, which no cycle may have"
        ),
    }
}
